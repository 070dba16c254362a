/* The options of the SPARK family. */
#include <daedal/spark.h>
#include <float.h>
#include <math.h>

#define ROW(type, name, min, max, words, help)                                                     \
  {                                                                                                \
#name, type, offsetof(dae_spark_options, name), min, max, words, help                          \
  }

static const char *const estimates[] = {"embedded", "doubling", NULL};
static const char *const members[] = {"AB", "C", "D", NULL};
static const char *const hats[] = {"same", "A", "B", "C", "C*", "D", NULL};

/* clang-format off */
#define COMMON(order)                                                                              \
  ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, NULL, "relative tolerance"),                              \
  ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, NULL, "absolute tolerance"),                     \
  ROW(DAE_OPTION_INT, stages, 0, DAE_SPARK_MAX_STAGES, NULL,                                       \
      "stages s, of order " order ", 0: by tolerance and cost"),                                        \
  ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "fixed step size, 0: variable"),                 \
  ROW(DAE_OPTION_DOUBLE, first_step, 0, INFINITY, NULL, "first step size to try, 0: chosen"),      \
  ROW(DAE_OPTION_DOUBLE, max_step, 0, INFINITY, NULL, "largest step size, 0: no limit"),           \
  ROW(DAE_OPTION_CHOICE, estimate, 0, 0, estimates,                                                \
      "of the error: embedded, which costs nothing, or by two steps of half the size"),            \
  ROW(DAE_OPTION_BOOL, project, 0, 0, NULL,                                                        \
      "project accepted and interpolated states onto the constraints"),                            \
  ROW(DAE_OPTION_INT, max_failures, 1, 1000, NULL, "failed attempts at one step before giving up")

static const dae_option options[] = {COMMON("2s (spark-radau: 2s - 1)")};

static const dae_option lobatto_options[] = {
    COMMON("2s - 2"),
    ROW(DAE_OPTION_CHOICE, member, 0, 0, members,
        "IIIA-x-IIIB on s nodes (RATTLE for s = 2), or with g at s + 1 nodes IIIC or IIID"),
    ROW(DAE_OPTION_CHOICE, hat, 0, 0, hats, "x of member AB, how forces are summed; same: B"),
};
/* clang-format on */

const dae_option_table dae_spark_option_table = {
    .owner = "spark", .options = options, .count = sizeof options / sizeof *options};

const dae_option_table dae_spark_lobatto_option_table = {.owner = "spark-lobatto",
                                                         .options = lobatto_options,
                                                         .count = sizeof lobatto_options /
                                                                  sizeof *lobatto_options};

dae_spark_options dae_spark_defaults(void)
{
  return (dae_spark_options){.rtol = 1e-6, .atol = 1e-8, .project = true, .max_failures = 20};
}
