/* The constructors of the classical methods, and what they take. */
#include "core/error.h"
#include "onestep/classical/classical_explicit.h"
#include "onestep/host/integrator.h"
#include "onestep/methods/methods.h"
#include "step/assembled.h"

/* ---- what they take ---- */

static dae_status fixed_step_check(const dae__rk_scheme *scheme, const dae_problem *problem,
                                   dae_error *err)
{
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *s = problem->semi_explicit;
  const char *name = scheme->name;
  if (problem->momentum)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s does not take the momentum form: use spark-gauss, or give the problem in "
                     "the mechanical form",
                     name);
  if (s && s->index >= 2)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes semi-explicit problems of index 1; this one declares index %d: %s",
                     name, s->index,
                     s->index == 2 ? "use bdf or lie"
                                   : "give it in the mechanical form, or differentiate its "
                                     "constraints");
  if (scheme->implicit && m && m->ng + m->nk > 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "%s takes mechanical problems without constraints; this one has %d: use "
                     "spark-gauss",
                     name, m->ng + m->nk);
  return DAE_OK;
}

/* judges for problems that are not coupled, and the methods of the registry */
#define METHOD(name, made)                                                                         \
  static dae_status judge_##name(const dae_problem *problem, dae_error *err)                       \
  {                                                                                                \
    dae__rk_scheme scheme = made;                                                                  \
    return fixed_step_check(&scheme, problem, err);                                                \
  }                                                                                                \
  dae_status dae__##name##_accepts(const dae_problem *problem, dae_error *err)                     \
  {                                                                                                \
    return dae__assembled_check_problem(problem, judge_##name, err);                               \
  }
METHOD(euler, dae__rk_euler())
METHOD(heun, dae__rk_heun())
METHOD(rk4, dae__rk_classical())
METHOD(trapezoid, dae__rk_trapezoid())
METHOD(radau_iia, dae__rk_radau_iia(1))
#undef METHOD

/* ---- creation ---- */

static dae_status fixed_step_create_steppers(dae__rk *o, dae__arena *arena, dae_error *err)
{
  const dae__rk_scheme *scheme = o->descriptor.coefficients;
  dae__stepper stepper = {0};
  dae_status status =
      scheme->implicit
          ? dae__simple_implicit_create(arena, &o->adapter, scheme, &o->opts, &stepper, err)
          : dae__simple_create(arena, &o->adapter, scheme, &stepper, err);
  if (!status)
    dae__rk_add(o, &stepper, false);
  return status;
}

static dae_status fixed_step_check_problem(const dae__rk_descriptor *descriptor,
                                           const dae_problem *problem, dae_error *err)
{
  return fixed_step_check(descriptor->coefficients, problem, err);
}

static dae__rk_descriptor fixed_step_descriptor_of(const dae__rk_scheme *scheme)
{
  return (dae__rk_descriptor){.needs = {.method = scheme->name,
                                        .semi = scheme->implicit,
                                        .singular = scheme->implicit && scheme->e == 0,
                                        .index = 1},
                              .check_problem = fixed_step_check_problem,
                              .create_steppers = fixed_step_create_steppers,
                              .coefficients = scheme};
}

static dae_status fixed_step_check_options(const dae_option_table *table,
                                           const dae_rk_options *opts, const char *method,
                                           dae_error *err)
{
  dae_status status = opts ? dae_options_validate(table, opts, err) : DAE_OK;
  if (status || (opts && opts->step > 0))
    return status;
  return dae__fail(err, DAE_ERROR_OPTION, "step",
                   "%s goes on in steps of a fixed size: give it by step (--step on the command "
                   "line)",
                   method);
}

static dae_status fixed_step_create(const dae__rk_scheme *scheme, const dae_option_table *table,
                                    const dae_problem *problem, const dae_start *start,
                                    const dae_rk_options *opts, const dae_env *env,
                                    dae_integrator **out, dae_error *err)
{
  dae__rk_descriptor descriptor = fixed_step_descriptor_of(scheme);
  *out = NULL;
  dae_status status = fixed_step_check_options(table, opts, scheme->name, err);
  return status ? status : dae__rk_create(&descriptor, opts, problem, start, env, out, err);
}

dae_status dae_euler_create(const dae_problem *problem, const dae_start *start,
                            const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err)
{
  dae__rk_scheme scheme = dae__rk_euler();
  return fixed_step_create(&scheme, &dae_rk_option_table, problem, start, opts, env, out, err);
}

dae_status dae_heun_create(const dae_problem *problem, const dae_start *start,
                           const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err)
{
  dae__rk_scheme scheme = dae__rk_heun();
  return fixed_step_create(&scheme, &dae_rk_option_table, problem, start, opts, env, out, err);
}

dae_status dae_rk4_create(const dae_problem *problem, const dae_start *start,
                          const dae_rk_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err)
{
  dae__rk_scheme scheme = dae__rk_classical();
  return fixed_step_create(&scheme, &dae_rk_option_table, problem, start, opts, env, out, err);
}

dae_status dae_trapezoid_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err)
{
  dae__rk_scheme scheme = dae__rk_trapezoid();
  return fixed_step_create(&scheme, &dae_trapezoid_option_table, problem, start, opts, env, out,
                           err);
}

dae_status dae_radau_iia_create(const dae_problem *problem, const dae_start *start,
                                const dae_rk_options *opts, const dae_env *env,
                                dae_integrator **out, dae_error *err)
{
  bool known = opts && opts->stages >= 1 && opts->stages <= 3; /* else it will be refused */
  dae__rk_scheme scheme = dae__rk_radau_iia(known ? opts->stages : 1);
  return fixed_step_create(&scheme, &dae_radau_iia_option_table, problem, start, opts, env, out,
                           err);
}
