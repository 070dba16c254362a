/* The options of the SPARK family. */
#include <daedal/spark.h>
#include <float.h>
#include <math.h>

#define ROW(type, name, min, max, help)                                                            \
  {                                                                                                \
#name, type, offsetof(dae_spark_options, name), min, max, NULL, help                           \
  }

static const dae_option options[] = {
    ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, "relative tolerance"),
    ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, "absolute tolerance"),
    ROW(DAE_OPTION_INT, stages, 0, DAE_SPARK_MAX_STAGES,
        "stages s, of order 2s (spark-radau: 2s - 1), 0: by the tolerance"),
    ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, "fixed step size, 0: variable"),
    ROW(DAE_OPTION_DOUBLE, first_step, 0, INFINITY, "first step size to try, 0: chosen"),
    ROW(DAE_OPTION_DOUBLE, max_step, 0, INFINITY, "largest step size, 0: no limit"),
    ROW(DAE_OPTION_BOOL, project, 0, 0,
        "project accepted and interpolated states onto the constraints"),
    ROW(DAE_OPTION_INT, max_failures, 1, 1000, "failed attempts at one step before giving up"),
};

const dae_option_table dae_spark_option_table = {
    .owner = "spark", .options = options, .count = sizeof options / sizeof *options};

dae_spark_options dae_spark_defaults(void)
{
  return (dae_spark_options){.rtol = 1e-6, .atol = 1e-8, .project = true, .max_failures = 20};
}
