/* Options and constructor of the Lie-group method. */
#include "onestep/lie/lie.h"
#include "core/error.h"
#include "core/option_rows.h"
#include "core/options.h"
#include "onestep/lie/step.h"
#include <math.h>

/* Number of steps during which step sizes are kept below a size at which the iteration failed.
 * Chosen, not measured. */
#define BOUNDED_STEPS 20
/* Largest kappa of the nested iteration: kappa^2 has to be finite. */
#define MAX_NESTED_KAPPA 1e150

/* ---- options ---- */

#define OPTIONS dae_lie_options

static const char *const iterations[] = {"newton", "nested", NULL};
static const char *const forms[] = {"ggl", "weak", NULL};

static const dae_option options[] = {
    RTOL,
    ATOL,
    COUNT(order, 2, 4, "4: five steps of order 2 composed; or 2"),
    STEP,
    FIRST_STEP,
    MAX_STEP,
    NUMBER(theta, 0, 1, "point of the step where f is evaluated; only 1/2 is of order 2"),
    NUMBER(kappa, 0, INFINITY, "augmented component of x; 0 as in the paper, 1e200: midpoint rule"),
    CHOICE(lie_iteration, iterations,
           "Newton's method on x and y, or the nested iteration of the paper"),
    NUMBER(inner_tol, 0, 1, "change of x at which the inner nested iteration ends, 0: round-off"),
    NUMBER(outer_tol, 0, 1,
           "h times the change of y at which the outer nested iteration ends, 0: round-off"),
    CHOICE(
        form, forms,
        "constraints of mechanical problems: on positions and velocities, or on velocities only"),
    MAX_FAILURES,
};

const dae_option_table dae_lie_option_table = TABLE("lie", options);

dae_lie_options dae_lie_defaults(void)
{
  return (dae_lie_options){.rtol = 1e-6, .order = 4, .theta = 0.5, .kappa = 1, .max_failures = 30};
}

static dae_status lie_check_options(const dae_lie_options *o, dae_error *err)
{
  dae_lie_options finite = *o; /* kappa is the only option that may be infinite */
  if (finite.kappa == INFINITY)
    finite.kappa = 0;
  DAE__TRY(dae_options_validate(&dae_lie_option_table, &finite, err));
  if (o->order == 3)
    return dae__fail(err, DAE_ERROR_OPTION, "order", "order is 2, or 4 by composition, not 3");
  if (o->order == 4 && o->theta != 0.5)
    return dae__fail(
        err, DAE_ERROR_OPTION, "theta",
        "order 4 is composed of symmetric steps, which only theta = 0.5 gives; use order 2");
  if (o->lie_iteration != DAE_LIE_NESTED && (o->inner_tol > 0 || o->outer_tol > 0))
    return dae__fail(
        err, DAE_ERROR_OPTION, o->inner_tol > 0 ? "inner_tol" : "outer_tol",
        "this is an option of the nested iteration; Newton's always iterates to round-off");
  if (o->lie_iteration == DAE_LIE_NESTED && o->kappa > MAX_NESTED_KAPPA)
    return dae__fail(err, DAE_ERROR_OPTION, "kappa",
                     "the nested iteration needs a finite kappa: it is not the midpoint rule");
  return DAE_OK;
}

/* ---- creation ---- */

static dae_status lie_check_problem(const dae__onestep_descriptor *descriptor,
                                    const dae_problem *problem, dae_error *err)
{
  (void)descriptor;
  if (problem->momentum)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "lie",
        "lie does not accept the momentum form: use spark-gauss, or give the problem in "
        "the mechanical form");
  if (problem->semi_explicit && problem->semi_explicit->index == 3)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "lie",
        "lie takes semi-explicit problems of index 1 and 2; this one declares index 3: "
        "give it in the mechanical form, or differentiate its constraints once");
  return DAE_OK;
}

static const dae__onestep_descriptor lie_descriptor = {.needs = {.method = "lie",
                                                                 .form = DAE__FORM_GGL,
                                                                 .index = 2,
                                                                 .index_2_slopes = true,
                                                                 .undetermined_start = true},
                                                       .bounded_steps = BOUNDED_STEPS,
                                                       .check_problem = lie_check_problem,
                                                       .create_steppers = dae__lie_create_stepper};

dae_status dae__lie_accepts(const dae_problem *problem, dae_error *err)
{
  return dae__onestep_accepts(&lie_descriptor, problem, err);
}

dae_status dae_lie_create(const dae_problem *problem, const dae_start *start,
                          const dae_lie_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err)
{
  dae_lie_options o = opts ? *opts : dae_lie_defaults();
  dae__onestep_descriptor descriptor = lie_descriptor;
  *out = NULL;
  DAE__TRY(lie_check_options(&o, err));
  o.atol = dae__options_atol(o.rtol, o.atol);
  descriptor.options = &o;
  descriptor.table = &dae_lie_option_table;
  if (o.form == DAE_LIE_WEAK)
    descriptor.needs.form = DAE__FORM_VELOCITY;
  dae_step_options control = DAE__STEP_OPTIONS(o, true);
  return dae__onestep_create(&descriptor, &control, problem, start, env, out, err);
}
