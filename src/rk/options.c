/* The options of the classical one-step methods. */
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
  ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, NULL, "the same, absolute"),                     \
  ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "size of the steps; has to be given")

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
/* clang-format on */

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

const dae_option_table dae_rk_option_table = {
    .owner = "rk", .options = options, .count = COUNT(options)};
const dae_option_table dae_trapezoid_option_table = {
    .owner = "trapezoid", .options = trapezoid_options, .count = COUNT(trapezoid_options)};
const dae_option_table dae_radau_iia_option_table = {
    .owner = "radau-iia", .options = radau_iia_options, .count = COUNT(radau_iia_options)};

dae_rk_options dae_rk_defaults(void)
{
  return (dae_rk_options){.rtol = 1e-6, .atol = 1e-8, .project = true, .stages = 2};
}
