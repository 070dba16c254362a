/* The options of the one-step methods. */
#include <daedal/rk.h>
#include <float.h>
#include <math.h>

#define ROW(type, name, min, max, words, help)                                                     \
  {                                                                                                \
#name, type, offsetof(dae_rk_options, name), min, max, words, help                             \
  }

/* clang-format off */
#define COMMON                                                                                     \
  ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, NULL,                                                     \
      "relative tolerance of iterations inside a step"),                                           \
  ROW(DAE_OPTION_DOUBLE, atol, 0, INFINITY, NULL,                                                  \
      "absolute tolerance of iterations inside a step, 0: rtol/100"),                                           \
  ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "fixed step size, required")

static const dae_option options[] = {
    COMMON,
    ROW(DAE_OPTION_BOOL, project, 0, 0, NULL,
        "project states onto the constraints after every step"),
};

static const dae_option trapezoid_options[] = {COMMON};

static const dae_option radau_iia_options[] = {
    COMMON,
    ROW(DAE_OPTION_INT, stages, 1, 3, NULL, "stages s, of order 2s - 1"),
};

#define VARIABLE                                                                                   \
  ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, NULL, "relative tolerance"),                              \
  ROW(DAE_OPTION_DOUBLE, atol, 0, INFINITY, NULL, "absolute tolerance, 0: rtol/100"),              \
  ROW(DAE_OPTION_DOUBLE, first_step, 0, INFINITY, NULL, "first step size to try, 0: chosen"),      \
  ROW(DAE_OPTION_DOUBLE, max_step, 0, INFINITY, NULL, "largest step size, 0: no limit"),           \
  ROW(DAE_OPTION_INT, max_failures, 1, 1000, NULL, "attempts at one step before it gives up")

#define FIXED                                                                                      \
  ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "fixed step size, 0: variable")

static const dae_option explicit_options[] = {
    VARIABLE, FIXED,
    ROW(DAE_OPTION_INT, order, 0, 8, NULL, "5 or 8; 0: 5 above a tolerance of 1e-4, else 8"),
    ROW(DAE_OPTION_BOOL, project, 0, 0, NULL,
        "project states onto the constraints after every step"),
};

static const dae_option gauss_options[] = {
    VARIABLE, FIXED,
    ROW(DAE_OPTION_INT, stages, 0, 8, NULL, "stages s, of order 2s; 0: by the tolerance"),
    ROW(DAE_OPTION_BOOL, project, 0, 0, NULL,
        "project states onto the constraints after every step"),
};

static const dae_option radau_options[] = {
    VARIABLE, FIXED,
    ROW(DAE_OPTION_INT, stages, 0, 7, NULL,
        "stages s: 3, 5 or 7, of order 2s - 1; 0: by tolerance and convergence"),
};

static const dae_option rosenbrock_options[] = {
    VARIABLE,
    ROW(DAE_OPTION_INT, order, 0, 5, NULL, "4 or 5; 0: 4 above a tolerance of 1e-6, else 5"),
};

static const dae_option switching_options[] = {VARIABLE};
/* clang-format on */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

const dae_option_table dae_rk_option_table = {
    .owner = "rk", .options = options, .count = COUNT(options)};
const dae_option_table dae_trapezoid_option_table = {
    .owner = "trapezoid", .options = trapezoid_options, .count = COUNT(trapezoid_options)};
const dae_option_table dae_radau_iia_option_table = {
    .owner = "radau-iia", .options = radau_iia_options, .count = COUNT(radau_iia_options)};

#define TABLE(name, array)                                                                         \
  {                                                                                                \
    .owner = name, .options = array, .count = COUNT(array)                                         \
  }
const dae_option_table dae_explicit_option_table = TABLE("explicit", explicit_options);
const dae_option_table dae_gauss_option_table = TABLE("gauss", gauss_options);
const dae_option_table dae_radau_option_table = TABLE("radau", radau_options);
const dae_option_table dae_rosenbrock_option_table = TABLE("rosenbrock", rosenbrock_options);
const dae_option_table dae_switching_option_table = TABLE("switching", switching_options);

dae_rk_options dae_rk_defaults(void)
{
  return (dae_rk_options){.rtol = 1e-6, .project = true, .stages = 2};
}

dae_rk_options dae_rk_adaptive_defaults(void)
{
  return (dae_rk_options){.rtol = 1e-6, .project = true, .max_failures = 30};
}
