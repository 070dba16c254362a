/* The options of the one-step methods. */
#include "core/option_rows.h"
#include <daedal/rk.h>

#define OPTIONS dae_rk_options

/* clang-format off */
#define COMMON                                                                                     \
  NUMBER(rtol, 1e-14, 1,                                                                           \
      "relative tolerance of iterations inside a step"),                                           \
  NUMBER(atol, 0, INFINITY,                                                                        \
      "absolute tolerance of iterations inside a step, 0: rtol/100"),                              \
  NUMBER(step, 0, INFINITY, "fixed step size, required")

static const dae_option options[] = {
    COMMON,
    PROJECT,
};

static const dae_option trapezoid_options[] = {COMMON};

static const dae_option radau_iia_options[] = {
    COMMON,
    COUNT(stages, 1, 3, "stages s, of order 2s - 1"),
};

#define VARIABLE RTOL, ATOL, FIRST_STEP, MAX_STEP, MAX_FAILURES

static const dae_option explicit_options[] = {
    VARIABLE, STEP,
    COUNT(order, 0, 8, "5 or 8; 0: 5 above a tolerance of 1e-4, else 8"),
    PROJECT,
};

static const dae_option gauss_options[] = {
    VARIABLE, STEP,
    COUNT(stages, 0, 8, "stages s, of order 2s; 0: by the tolerance"),
    PROJECT,
};

static const dae_option radau_options[] = {
    VARIABLE, STEP,
    COUNT(stages, 0, 7,
        "stages s: 3, 5 or 7, of order 2s - 1; 0: by tolerance and convergence"),
    DAMP,
};

static const dae_option rosenbrock_options[] = {
    VARIABLE,
    COUNT(order, 0, 5, "4 or 5; 0: 4 above a tolerance of 1e-6, else 5"),
};

static const dae_option switching_options[] = {VARIABLE};
/* clang-format on */

const dae_option_table dae_rk_option_table = TABLE("rk", options);
const dae_option_table dae_trapezoid_option_table = TABLE("trapezoid", trapezoid_options);
const dae_option_table dae_radau_iia_option_table = TABLE("radau-iia", radau_iia_options);

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
