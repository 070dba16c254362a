/* The options of the Lie-group method. */
#include <daedal/lie.h>
#include <float.h>
#include <math.h>

#define ROW(type, name, min, max, words, help)                                                     \
  {                                                                                                \
#name, type, offsetof(dae_lie_options, name), min, max, words, help                            \
  }

static const char *const iterations[] = {"newton", "nested", NULL};
static const char *const forms[] = {"ggl", "weak", NULL};

static const dae_option options[] = {
    ROW(DAE_OPTION_DOUBLE, rtol, 1e-14, 1, NULL, "relative tolerance"),
    ROW(DAE_OPTION_DOUBLE, atol, DBL_MIN, INFINITY, NULL, "absolute tolerance"),
    ROW(DAE_OPTION_INT, order, 2, 4, NULL, "2, or 4: five steps of order 2 composed"),
    ROW(DAE_OPTION_DOUBLE, step, 0, INFINITY, NULL, "fixed step size, 0: variable"),
    ROW(DAE_OPTION_DOUBLE, first_step, 0, INFINITY, NULL, "first step size to try, 0: chosen"),
    ROW(DAE_OPTION_DOUBLE, max_step, 0, INFINITY, NULL, "largest step size, 0: no limit"),
    ROW(DAE_OPTION_DOUBLE, theta, 0, 1, NULL,
        "where in a step f is evaluated; other values than 1/2 are of order 1"),
    ROW(DAE_OPTION_DOUBLE, kappa, 0, INFINITY, NULL,
        "further component given to x; 0 as in the paper, 1e200: midpoint rule"),
    ROW(DAE_OPTION_CHOICE, lie_iteration, 0, 0, iterations,
        "Newton on x and y at once, or the paper's nested one"),
    ROW(DAE_OPTION_DOUBLE, inner_tol, 0, 1, NULL,
        "change of x at which the inner nested iteration ends, 0: at round-off"),
    ROW(DAE_OPTION_DOUBLE, outer_tol, 0, 1, NULL,
        "the same for h times the change of y, and the outer one"),
    ROW(DAE_OPTION_CHOICE, form, 0, 0, forms,
        "of mechanical problems: positions and velocities on their constraints, or velocities "
        "only"),
    ROW(DAE_OPTION_INT, max_failures, 1, 1000, NULL,
        "failed attempts at one step before giving up"),
};

const dae_option_table dae_lie_option_table = {
    .owner = "lie", .options = options, .count = sizeof options / sizeof *options};

dae_lie_options dae_lie_defaults(void)
{
  return (dae_lie_options){
      .rtol = 1e-6, .atol = 1e-8, .order = 2, .theta = 0.5, .kappa = 1, .max_failures = 20};
}
