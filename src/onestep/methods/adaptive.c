/* The constructors of the methods with variable steps, and what they take. */
#include "core/error.h"
#include "onestep/explicit/explicit.h"
#include "onestep/gauss/gauss.h"
#include "onestep/methods/methods.h"
#include "onestep/radau/radau.h"
#include "onestep/rosenbrock/rosenbrock.h"
#include "onestep/switching/switching.h"
#include "step/assembled.h"

/* ---- what they take ---- */

static dae_status adaptive_refuse_momentum(const char *name, dae_error *err)
{
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                   "%s does not take the momentum form: use spark-gauss, or give the problem in "
                   "the mechanical form",
                   name);
}

static dae_status adaptive_check_free(const dae__rk_descriptor *descriptor,
                                      const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *s = problem->semi_explicit;
  int algebraic = m ? m->nw : s ? s->ny : 0;
  if (problem->momentum)
    return adaptive_refuse_momentum(name, err);
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

static dae_status adaptive_check_implicit(const dae__rk_descriptor *descriptor,
                                          const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_semi_explicit *s = problem->semi_explicit;
  if (problem->momentum)
    return adaptive_refuse_momentum(name, err);
  if (s && s->index >= 3)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems of index 1 and 2; this one declares index "
                     "%d: give it in the mechanical form, or differentiate its constraints",
                     name, s->index);
  return DAE_OK;
}

static dae_status adaptive_check_linear(const dae__rk_descriptor *descriptor,
                                        const dae_problem *problem, dae_error *err)
{
  const char *name = descriptor->needs.method;
  const dae_semi_explicit *s = problem->semi_explicit;
  if (problem->momentum)
    return adaptive_refuse_momentum(name, err);
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

static int adaptive_explicit_order(const dae_rk_options *opts)
{
  /* below, the fewer stages of the pair of order 5 are worth more than its larger errors */
  return opts->order ? opts->order : opts->rtol > 1e-4 ? 5 : 8;
}

static int adaptive_radau_rule_for(const dae_rk_options *opts)
{
  /* 3 stages for loose tolerances, 5 for most, 7 for tight ones: docs/methods/rk.md */
  if (opts->stages)
    return (opts->stages - 3) / 2;
  return opts->rtol >= 1e-3 ? 0 : opts->rtol >= 1e-8 ? 1 : 2;
}

static dae_status adaptive_create_explicit(dae__rk *o, dae__arena *arena, dae_error *err)
{
  dae__stepper stepper = {0};
  dae_status status = dae__explicit_create(arena, &o->adapter, &o->opts,
                                           adaptive_explicit_order(&o->opts), &stepper, err);
  if (!status)
    dae__rk_add(o, &stepper, true);
  return status;
}

static int adaptive_rosenbrock_order(const dae_rk_options *opts)
{
  /* where both reach the same accuracy in the same time: docs/methods/rk.md */
  return opts->order ? opts->order : opts->rtol > 1e-6 ? 4 : 5;
}

static dae_status adaptive_create_rosenbrock(dae__rk *o, dae__arena *arena, dae_error *err)
{
  dae__stepper stepper = {0};
  dae_status status = dae__rosenbrock_create(arena, &o->adapter, &o->opts,
                                             adaptive_rosenbrock_order(&o->opts), &stepper, err);
  if (!status)
    dae__rk_add(o, &stepper, true);
  return status;
}

static void adaptive_start_rosenbrock(dae__rk *o, double t_stop)
{
  if (o->opts.first_step == 0)
    o->driver.first_step =
        dae__rosenbrock_first_step(o->stepper[0].self, o->driver.memory->t, &o->now, t_stop);
}

static dae_status adaptive_create_gauss(dae__rk *o, dae__arena *arena, dae_error *err)
{
  int stages = o->opts.stages ? o->opts.stages : dae__gauss_stages(o->opts.rtol);
  dae__stepper stepper = {0};
  dae_status status = dae__gauss_create(arena, &o->adapter, &o->opts, stages, &stepper, err);
  if (!status)
    dae__rk_add(o, &stepper, true);
  return status;
}

/* steppers of 3 stages to those of the tolerance, which begin */
static dae_status adaptive_create_radau(dae__rk *o, dae__arena *arena, dae_error *err)
{
  int last = adaptive_radau_rule_for(&o->opts), count, begin = o->steppers;
  int first = o->opts.stages > 0 || o->opts.step > 0 ? last : 0;
  dae__stepper stepper[DAE__RADAU_STEPPERS];
  dae_status status =
      dae__radau_create(arena, &o->adapter, &o->opts, first, last, stepper, &count, err);
  for (int i = 0; i < count; i++)
    dae__rk_add(o, &stepper[i], true);
  o->memory->current = status ? 0 : begin + last - first;
  return status;
}

static dae_status adaptive_create_switching(dae__rk *o, dae__arena *arena, dae_error *err)
{
  dae__stepper stepper[2] = {{0}, {0}};
  int order = adaptive_explicit_order(&o->opts);
  DAE__TRY(dae__switching_create(o, arena, err));
  DAE__TRY(dae__gauss_create(arena, &o->adapter, &o->opts, 0, &stepper[0], err));
  DAE__TRY(dae__explicit_create(arena, &o->adapter, &o->opts, order, &stepper[1], err));
  dae__rk_add(o, &stepper[0], true);
  dae__rk_add(o, &stepper[1], true);
  dae_status status = adaptive_create_radau(o, arena, err);
  dae__switching_select_first(o, order == 5 ? 6 : 12, order == 5 ? 3.25 : 6);
  return status;
}

static void adaptive_select_stages(dae__rk *o)
{
  o->stepper[0].table->select(o, 0);
}

/* ---- creation ---- */

static const dae__rk_descriptor explicit_descriptor = {.needs = {.method = "explicit", .index = 1},
                                                       .check_problem = adaptive_check_free,
                                                       .create_steppers = adaptive_create_explicit};
static const dae__rk_descriptor gauss_descriptor = {.needs = {.method = "gauss", .index = 1},
                                                    .check_problem = adaptive_check_free,
                                                    .create_steppers = adaptive_create_gauss};
static const dae__rk_descriptor radau_descriptor = {
    .needs = {.method = "radau", .singular = true, .index = 2},
    .check_problem = adaptive_check_implicit,
    .create_steppers = adaptive_create_radau,
    .select_stepper = adaptive_select_stages};
static const dae__rk_descriptor rosenbrock_descriptor = {
    .needs = {.method = "rosenbrock", .index = 1},
    .check_problem = adaptive_check_linear,
    .create_steppers = adaptive_create_rosenbrock,
    .start = adaptive_start_rosenbrock};
static const dae__rk_descriptor switching_descriptor = {
    .needs = {.method = "switching", .index = 1},
    .check_problem = adaptive_check_free,
    .create_steppers = adaptive_create_switching,
    .start = dae__switching_start,
    .select_stepper = dae__switching_select_stepper};

#define METHOD(id)                                                                                 \
  static dae_status judge_##id(const dae_problem *problem, dae_error *err)                         \
  {                                                                                                \
    return id##_descriptor.check_problem(&id##_descriptor, problem, err);                          \
  }                                                                                                \
  dae_status dae__##id##_accepts(const dae_problem *problem, dae_error *err)                       \
  {                                                                                                \
    return dae__assembled_check_problem(problem, judge_##id, err);                                 \
  }
METHOD(explicit)
METHOD(gauss)
METHOD(radau)
METHOD(rosenbrock)
METHOD(switching)
#undef METHOD

static dae_status adaptive_create(const dae__rk_descriptor *descriptor,
                                  const dae_option_table *table, const dae_problem *problem,
                                  const dae_start *start, const dae_rk_options *opts,
                                  const dae_env *env, dae_integrator **out, dae_error *err)
{
  dae_rk_options defaults = dae_rk_adaptive_defaults();
  opts = opts ? opts : &defaults;
  *out = NULL;
  dae_status status = dae_options_validate(table, opts, err);
  return status ? status : dae__rk_create(descriptor, opts, problem, start, env, out, err);
}

static dae_status adaptive_refuse_choice(const char *option, const char *method, const char *choice,
                                         dae_error *err)
{
  return dae__fail(err, DAE_ERROR_OPTION, option, "%s of %s has to be %s, or 0: by the tolerance",
                   option, method, choice);
}

dae_status dae_explicit_create(const dae_problem *problem, const dae_start *start,
                               const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                               dae_error *err)
{
  *out = NULL;
  if (opts && opts->order != 0 && opts->order != 5 && opts->order != 8)
    return adaptive_refuse_choice("order", "explicit", "5 or 8", err);
  return adaptive_create(&explicit_descriptor, &dae_explicit_option_table, problem, start, opts,
                         env, out, err);
}

dae_status dae_gauss_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err)
{
  return adaptive_create(&gauss_descriptor, &dae_gauss_option_table, problem, start, opts, env, out,
                         err);
}

dae_status dae_radau_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err)
{
  *out = NULL;
  if (opts && opts->stages != 0 && opts->stages != 3 && opts->stages != 5 && opts->stages != 7)
    return adaptive_refuse_choice("stages", "radau", "3, 5 or 7", err);
  return adaptive_create(&radau_descriptor, &dae_radau_option_table, problem, start, opts, env, out,
                         err);
}

dae_status dae_rosenbrock_create(const dae_problem *problem, const dae_start *start,
                                 const dae_rk_options *opts, const dae_env *env,
                                 dae_integrator **out, dae_error *err)
{
  *out = NULL;
  if (opts && opts->order != 0 && opts->order != 4 && opts->order != 5)
    return adaptive_refuse_choice("order", "rosenbrock", "4 or 5", err);
  return adaptive_create(&rosenbrock_descriptor, &dae_rosenbrock_option_table, problem, start, opts,
                         env, out, err);
}

dae_status dae_switching_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err)
{
  return adaptive_create(&switching_descriptor, &dae_switching_option_table, problem, start, opts,
                         env, out, err);
}
