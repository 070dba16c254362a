/* Constructors of the one-step methods, and tests of the problems they accept. */
#include "onestep/methods/methods.h"
#include "core/error.h"
#include "core/options.h"
#include "onestep/classical/classical.h"
#include "onestep/explicit/explicit.h"
#include "onestep/gauss/gauss.h"
#include "onestep/radau/radau.h"
#include "onestep/rosenbrock/rosenbrock.h"
#include "onestep/switching/switching.h"

/* Tolerance above which the explicit pair of order 5 is used: its fewer stages outweigh its larger
 * errors. Chosen by docs/methods/rk.md. */
#define EXPLICIT_ORDER_5_RTOL 3e-3
/* Tolerance above which the Rosenbrock method of order 4 is used: both orders take the same time
 * for the same accuracy there (docs/methods/rk.md). */
#define ROSENBROCK_ORDER_4_RTOL 1e-6
/* Least tolerances at which radau has 3 and 5 stages; it has 7 below (docs/methods/rk.md). */
#define RADAU_3_STAGES_RTOL 1e-2
#define RADAU_5_STAGES_RTOL 1e-7
/* Number of steps for which the step size stays below a size at which the iteration failed;
 * evaluations of radau hardly differ from 4 to 20. */
#define BOUNDED_STEPS 8

/* ---- accepted problems ---- */

static dae_status methods_refuse_momentum(const char *name, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                   "%s does not accept the momentum form: use spark-gauss, or give the problem in "
                   "the mechanical form",
                   name);
}

/* Problems accepted by the classical methods. */
static dae_status methods_check_classical(const dae__onestep_descriptor *descriptor,
                                          const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *s = problem->semi_explicit;
  if (problem->momentum)
    return methods_refuse_momentum(name, err);
  if (s && s->index >= 2)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems of index 1; this one declares index %d: %s",
                     name, s->index,
                     s->index == 2 ? "use bdf or lie"
                                   : "give it in the mechanical form, or differentiate its "
                                     "constraints");
  if (descriptor->needs.form != DAE__FORM_MECHANICAL && m && m->ng + m->nk > 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes mechanical problems without constraints; this one has %d: use "
                     "spark-gauss",
                     name, m->ng + m->nk);
  return DAE_OK;
}

/* Problems accepted by explicit, gauss and switching. */
static dae_status methods_check_ode(const dae__onestep_descriptor *descriptor,
                                    const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *s = problem->semi_explicit;
  int algebraic = m ? m->nw : s ? s->ny : 0;
  if (problem->momentum)
    return methods_refuse_momentum(name, err);
  if (s && s->index >= 2)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes ordinary differential equations; this problem declares index %d: "
                     "use %s",
                     name, s->index, s->index == 2 ? "radau" : "the mechanical form");
  if (algebraic > 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes problems without algebraic variables; this one has %d: use radau",
                     name, algebraic);
  return DAE_OK;
}

static dae_status methods_check_radau(const dae__onestep_descriptor *descriptor,
                                      const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_semi_explicit *s = problem->semi_explicit;
  if (problem->momentum)
    return methods_refuse_momentum(name, err);
  if (s && s->index >= 3)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems of index 1 and 2; this one declares index "
                     "%d: give it in the mechanical form, or differentiate its constraints",
                     name, s->index);
  return DAE_OK;
}

static dae_status methods_check_rosenbrock(const dae__onestep_descriptor *descriptor,
                                           const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_semi_explicit *s = problem->semi_explicit;
  if (problem->momentum)
    return methods_refuse_momentum(name, err);
  if (!s)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems; this one is mechanical: use radau", name);
  if (s->index >= 2)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems of index 1; this one declares index %d: use "
                     "%s",
                     name, s->index, s->index == 2 ? "radau or bdf" : "the mechanical form");
  if (s->M && !s->constant_mass)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes problems with a constant mass matrix, and M of this one may change: "
                     "use radau or bdf",
                     name);
  return DAE_OK;
}

/* ---- steppers ---- */

static const dae_rk_options *methods_options(const dae__onestep *o)
{
  return o->descriptor.options;
}

static int methods_explicit_order(const dae__onestep *o)
{
  int order = methods_options(o)->order;
  return order ? order : o->control.rtol > EXPLICIT_ORDER_5_RTOL ? 5 : 8;
}

static dae_status methods_create_explicit_of(dae__onestep *o, dae__arena *arena, int order,
                                             dae_error *err)
{
  dae__stepper stepper = {0};
  DAE__TRY(dae__explicit_create(arena, &o->adapter, &o->control, order, &stepper, err));
  dae__onestep_add_stepper(o, &stepper);
  return DAE_OK;
}

static dae_status methods_create_explicit(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  return methods_create_explicit_of(o, arena, methods_explicit_order(o), err);
}

static dae_status methods_create_gauss(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  dae__stepper stepper = {0};
  DAE__TRY(dae__gauss_create(arena, &o->adapter, &o->control, methods_options(o)->stages, &stepper,
                             err));
  dae__onestep_add_stepper(o, &stepper);
  return DAE_OK;
}

static dae_status methods_create_rosenbrock(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  dae__stepper stepper = {0};
  int given = methods_options(o)->order;
  int order = given ? given : o->control.rtol > ROSENBROCK_ORDER_4_RTOL ? 4 : 5;
  DAE__TRY(dae__rosenbrock_create(arena, &o->adapter, &o->control, order, &stepper, err));
  dae__onestep_add_stepper(o, &stepper);
  return DAE_OK;
}

static dae_status methods_start_rosenbrock(dae__onestep *o, double t_stop, dae_error *err)
{
  (void)err;
  if (o->control.first_step == 0)
    o->first_step = dae__rosenbrock_first_step(o->stepper[0].self, o->driver->t, &o->now, t_stop);
  return DAE_OK;
}

/* Creates the steppers of radau from 3 stages up to the number selected by the tolerance, which
 * makes the first step; with a given number of stages or fixed steps only those of one number. */
static dae_status methods_create_radau_with(dae__onestep *o, dae__arena *arena, int stages,
                                            dae_error *err)
{
  const dae_step_options *control = &o->control;
  int last = stages                                 ? dae__radau_rule_of(stages)
             : control->rtol >= RADAU_3_STAGES_RTOL ? 0
             : control->rtol >= RADAU_5_STAGES_RTOL ? 1
                                                    : 2;
  int first = stages > 0 || control->step > 0 ? last : 0, begin = o->steppers, count;
  dae__stepper stepper[DAE__RADAU_STEPPERS];
  dae_status status =
      dae__radau_create(arena, &o->adapter, control, o->smooth, first, last, stepper, &count, err);
  for (int i = 0; i < count; i++)
    dae__onestep_add_stepper(o, &stepper[i]);
  o->memory->current = status ? 0 : begin + last - first;
  return status;
}

static dae_status methods_create_radau(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  return methods_create_radau_with(o, arena, methods_options(o)->stages, err);
}

static dae_status methods_select_radau_stages(dae__onestep *o, dae_error *err)
{
  (void)err;
  dae__radau_select(o, 0);
  return DAE_OK;
}

static dae_status methods_create_rest(dae__onestep *o, dae__arena *arena, int stages, int order,
                                      dae_error *err)
{
  DAE__TRY(methods_create_explicit_of(o, arena, order, err));
  return methods_create_radau_with(o, arena, stages, err);
}

static dae_status methods_select_radau_after_failure(dae__onestep *o, double h, dae_error *err)
{
  (void)err;
  dae__radau_select_after_failure(o, 0, h);
  return DAE_OK;
}

static dae_status methods_create_switching(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  int order = methods_explicit_order(o);
  const dae__explicit_pair *pair = order == 5 ? &dae__explicit_pair5 : &dae__explicit_pair8;
  const dae__switching_rest rest = {.create = methods_create_rest,
                                    .select_radau = dae__radau_select,
                                    .select_radau_after_failure = dae__radau_select_after_failure,
                                    .stages = methods_options(o)->stages,
                                    .order = order,
                                    .evaluations = pair->stages,
                                    .stability_limit = pair->stability_limit};
  DAE__TRY(dae__switching_create(o, arena, &rest, err));
  DAE__TRY(methods_create_gauss(o, arena, err));
  return dae__switching_select_first(o, err);
}

/* Creates the stepper of the scheme of an explicit method, or of the trapezoidal rule. */
static dae_status methods_create_classical(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  const dae__classical_scheme *scheme = o->descriptor.data;
  dae__stepper stepper = {0};
  DAE__TRY(scheme ? dae__classical_create(arena, &o->adapter, scheme, &stepper, err)
                  : dae__trapezoid_create(arena, &o->adapter, &o->control, &stepper, err));
  dae__onestep_add_stepper(o, &stepper);
  return DAE_OK;
}

/* ---- descriptors ---- */

static const dae__onestep_descriptor explicit_descriptor = {
    .needs = {.method = "explicit", .index = 1},
    .bounded_steps = BOUNDED_STEPS,
    .check_problem = methods_check_ode,
    .create_steppers = methods_create_explicit};
static const dae__onestep_descriptor gauss_descriptor = {.needs = {.method = "gauss", .index = 1},
                                                         .bounded_steps = BOUNDED_STEPS,
                                                         .check_problem = methods_check_ode,
                                                         .create_steppers = methods_create_gauss};
static const dae__onestep_descriptor radau_descriptor = {
    .needs = {.method = "radau", .singular = true, .index = 2, .index_2_slopes = true},
    .bounded_steps = BOUNDED_STEPS,
    .check_problem = methods_check_radau,
    .create_steppers = methods_create_radau,
    .select_stepper = methods_select_radau_stages,
    .select_after_failure = methods_select_radau_after_failure};
static const dae__onestep_descriptor rosenbrock_descriptor = {
    .needs = {.method = "rosenbrock", .index = 1},
    .bounded_steps = BOUNDED_STEPS,
    .check_problem = methods_check_rosenbrock,
    .create_steppers = methods_create_rosenbrock,
    .start = methods_start_rosenbrock};
static const dae__onestep_descriptor switching_descriptor = {
    .needs = {.method = "switching", .index = 1},
    .bounded_steps = BOUNDED_STEPS,
    .check_problem = methods_check_ode,
    .create_steppers = methods_create_switching,
    .start = dae__switching_start,
    .select_stepper = dae__switching_select_stepper,
    .select_after_failure = dae__switching_select_after_failure,
    .create_rest = dae__switching_create_rest};

#define CLASSICAL(name, implicit, scheme)                                                          \
  {                                                                                                \
    .needs = {.method = name,                                                                      \
              .form = implicit ? DAE__FORM_VELOCITY : DAE__FORM_MECHANICAL,                        \
              .index = 1},                                                                         \
    .bounded_steps = BOUNDED_STEPS, .check_problem = methods_check_classical,                      \
    .create_steppers = methods_create_classical, .data = scheme                                    \
  }
static const dae__onestep_descriptor euler_descriptor =
    CLASSICAL("euler", false, &dae__classical_euler);
static const dae__onestep_descriptor heun_descriptor =
    CLASSICAL("heun", false, &dae__classical_heun);
static const dae__onestep_descriptor rk4_descriptor = CLASSICAL("rk4", false, &dae__classical_rk4);
static const dae__onestep_descriptor trapezoid_descriptor = CLASSICAL("trapezoid", true, NULL);
static const dae__onestep_descriptor radau_iia_descriptor = {
    .needs = {.method = "radau-iia", .singular = true, .index = 2},
    .bounded_steps = BOUNDED_STEPS,
    .check_problem = methods_check_radau,
    .create_steppers = methods_create_radau};

/* ---- constructors ---- */

/* A method and its options. */
typedef struct method {
  const dae__onestep_descriptor *descriptor;
  const dae_option_table *table;
  bool fixed; /* steps of fixed size only */
  /* values of the option `stages` or (false) `order`, with 0: by the tolerance; NULL: all of the
   * option table */
  bool stages;
  const char *values;
  int allowed[4];
} method;

static dae_status methods_create(const method *m, const dae_problem *problem,
                                 const dae_start *start, const dae_rk_options *opts,
                                 const dae_env *env, dae_integrator **out, dae_error *err)
{
  dae__onestep_descriptor d = *m->descriptor;
  dae_rk_options o = opts ? *opts : dae_rk_adaptive_defaults();
  int value = m->stages ? o.stages : o.order, i = 0;
  const char *option = m->stages ? "stages" : "order", *name = d.needs.method;
  *out = NULL;
  while (m->values && i < 4 && value != m->allowed[i])
    i++;
  if (i == 4)
    return dae__fail(err, DAE_ERROR_OPTION, option, "%s of %s must be %s, or 0 (by the tolerance)",
                     option, name, m->values);
  if (opts || !m->fixed)
    DAE__TRY(dae_options_validate(m->table, &o, err));
  o.atol = dae__options_atol(o.rtol, o.atol);
  if (m->fixed && (!opts || !(o.step > 0)))
    return dae__fail(err, DAE_ERROR_OPTION, "step",
                     "%s has fixed steps: give their size by step (--step on the command line)",
                     name);
  dae_step_options control = DAE__STEP_OPTIONS(o, o.project);
  d.options = &o;
  d.damp = o.damp;
  d.damp_time = o.damp_time;
  d.table = m->table;
  return dae__onestep_create(&d, &control, problem, start, env, out, err);
}

/* Defines dae__euler_accepts, dae_euler_create and their counterparts. */
#define METHOD(id, ...)                                                                            \
  dae_status dae__##id##_accepts(const dae_problem *problem, dae_error *err)                       \
  {                                                                                                \
    return dae__onestep_accepts(&id##_descriptor, problem, err);                                   \
  }                                                                                                \
  dae_status dae_##id##_create(const dae_problem *problem, const dae_start *start,                 \
                               const dae_rk_options *opts, const dae_env *env,                     \
                               dae_integrator **out, dae_error *err)                               \
  {                                                                                                \
    const method m = {&id##_descriptor, __VA_ARGS__};                                              \
    return methods_create(&m, problem, start, opts, env, out, err);                                \
  }
METHOD(euler, &dae_rk_option_table, .fixed = true)
METHOD(heun, &dae_rk_option_table, .fixed = true)
METHOD(rk4, &dae_rk_option_table, .fixed = true)
METHOD(trapezoid, &dae_trapezoid_option_table, .fixed = true)
METHOD(radau_iia, &dae_radau_iia_option_table, .fixed = true)
METHOD(gauss, &dae_gauss_option_table, .fixed = false)
METHOD(switching, &dae_switching_option_table, .fixed = false)
METHOD(explicit, &dae_explicit_option_table, .allowed = {0, 5, 8}, .values = "5 or 8")
METHOD(radau, &dae_radau_option_table, .stages = true, .allowed = {0, 3, 5, 7},
       .values = "3, 5 or 7")
METHOD(rosenbrock, &dae_rosenbrock_option_table, .allowed = {0, 4, 5}, .values = "4 or 5")
