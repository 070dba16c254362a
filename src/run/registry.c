/* Registry of all methods, in the order of their lists for users. */
#include "core/env.h"
#include "core/error.h"
#include "core/text.h"
#include "multistep/bdf.h"
#include "onestep/lie/lie.h"
#include "onestep/methods/methods.h"
#include "onestep/spark/spark.h"
#include "wave/iteration/create.h"

#include <daedal/bdf.h>
#include <string.h>

/* Defines a function that fills in untyped options with the defaults of a family. */
#define DEFAULTS(name, type)                                                                       \
  static void name##_defaults(void *opts)                                                          \
  {                                                                                                \
    *(type *)opts = dae_##name##_defaults();                                                       \
  }
DEFAULTS(bdf, dae_bdf_options)
DEFAULTS(spark, dae_spark_options)
DEFAULTS(lie, dae_lie_options)
DEFAULTS(rk, dae_rk_options)
DEFAULTS(rk_adaptive, dae_rk_options)
DEFAULTS(wave, dae_wave_options)
#undef DEFAULTS

static const char *registry_cm_caution(const void *opts)
{
  const dae_bdf_options *o = opts;
  return o->projector == DAE_BDF_PROJECTOR_STALE
             ? "stale constraint directions do work: the energy balance shows how much was lost"
             : NULL;
}

static const char *registry_lie_caution(const void *opts)
{
  const dae_lie_options *o = opts;
  return o->form == DAE_LIE_WEAK ? "in the weak form positions are off their constraints by O(h^2)"
                                 : NULL;
}

/* Defines a constructor with untyped options for a method. */
#define CREATE(name)                                                                               \
  static dae_status name##_create(const dae_problem *problem, const dae_start *start,              \
                                  const void *opts, const dae_env *env, dae_integrator **out,      \
                                  dae_error *err)                                                  \
  {                                                                                                \
    return dae_##name##_create(problem, start, opts, env, out, err);                               \
  }
CREATE(bdf)
CREATE(bdf_ggl)
CREATE(bdf_ggl_star)
CREATE(bdf_cs)
CREATE(bdf_cm)
CREATE(spark_gauss)
CREATE(spark_radau)
CREATE(spark_lobatto)
CREATE(lie)
CREATE(explicit)
CREATE(gauss)
CREATE(radau)
CREATE(rosenbrock)
CREATE(switching)
CREATE(euler)
CREATE(heun)
CREATE(rk4)
CREATE(trapezoid)
CREATE(radau_iia)
CREATE(gauss_seidel)
CREATE(jacobi)
CREATE(joint)
#undef CREATE

/* Option table, test and constructor of the method id. */
#define OF(id)                                                                                     \
  .options = &dae_##id##_option_table, .accepts = dae__##id##_accepts, .create = id##_create

#define BDF .family = "bdf", .options_size = sizeof(dae_bdf_options), .defaults = bdf_defaults

#define SPARK                                                                                      \
  .family = "spark", .reference = "J09", .options_size = sizeof(dae_spark_options),                \
  .defaults = spark_defaults, .accepts = dae__spark_accepts

#define RK .options_size = sizeof(dae_rk_options), .defaults = rk_defaults, .fixed_step = true

#define FAST .options_size = sizeof(dae_rk_options), .defaults = rk_adaptive_defaults

#define WAVE                                                                                       \
  .family = "", .options_size = sizeof(dae_wave_options), .defaults = wave_defaults,               \
  .iterates = true

static const dae_method methods[] = {
    {.name = "bdf",
     .summary = "semi-explicit index 1 and 2, quasi-linear, unconstrained mechanics; order 1 to 5",
     .reference = "DASSL",
     OF(bdf),
     BDF},
    {.name = "bdf-ggl",
     .summary = "constrained mechanics in the stabilised index-2 form; order 1 to 5",
     .reference = "GGL85",
     .options = &dae_bdf_ggl_option_table,
     .accepts = dae__bdf_ggl_accepts,
     .create = bdf_ggl_create,
     BDF},
    {.name = "bdf-ggl-star",
     .summary = "the same, multipliers out of the Newton test and set anew; order 1 to 5",
     .reference = "YP96",
     OF(bdf_ggl_star),
     BDF},
    {.name = "bdf-cs",
     .summary = "coordinate split: multipliers eliminated at every iterate; order 1 to 5",
     .reference = "YP96",
     OF(bdf_cs),
     BDF},
    {.name = "bdf-cm",
     .summary = "coordinate split with frozen constraint directions; order 1 to 5",
     .reference = "YP96",
     OF(bdf_cm),
     .caution = registry_cm_caution,
     BDF},
    {.name = "spark-gauss",
     .summary = "constrained mechanics by collocation with s stages: order 2s, symplectic",
     .options = &dae_spark_option_table,
     .create = spark_gauss_create,
     SPARK},
    {.name = "spark-radau",
     .summary = "the same with damping: order 2s - 1",
     .options = &dae_spark_option_table,
     .create = spark_radau_create,
     SPARK},
    {.name = "spark-lobatto",
     .summary = "Lobatto IIIA-x-IIIB, RATTLE and its kin: order 2s - 2, for comparison",
     .options = &dae_spark_lobatto_option_table,
     .create = spark_lobatto_create,
     SPARK},
    {.name = "lie",
     .summary = "semi-explicit index 1 and 2, ODEs, mechanics; order 2 or 4, constraints exact",
     .reference = "L13",
     .options = &dae_lie_option_table,
     .options_size = sizeof(dae_lie_options),
     .defaults = lie_defaults,
     .caution = registry_lie_caution,
     .accepts = dae__lie_accepts,
     .create = lie_create},
    {.name = "explicit",
     .summary = "mechanics, ODEs: explicit pairs of order 5 and 8, projection at no cost",
     .reference = "HNW93",
     .family = "explicit",
     OF(explicit),
     FAST},
    {.name = "gauss",
     .summary = "the same by Gauss collocation of order 2s, functional iteration: many digits",
     .reference = "HNW93",
     .family = "explicit",
     OF(gauss),
     FAST},
    {.name = "radau",
     .summary = "stiff mechanics, index 1 and 2, quasi-linear, ODEs: Radau IIA of order 5, 9, 13",
     .reference = "HW96",
     .family = "radau",
     OF(radau),
     FAST},
    {.name = "rosenbrock",
     .summary = "index 1 and stiff ODEs of few unknowns: linearly implicit, of order 4 or 5",
     .reference = "HW96",
     OF(rosenbrock),
     FAST},
    {.name = "switching",
     .summary = "gauss or explicit steps while the motion is not stiff, radau where it is",
     .reference = "HW96",
     .family = "",
     OF(switching),
     FAST},
    {.name = "euler",
     .summary = "explicit Euler, fixed step: ODEs, index 1, mechanics; order 1",
     .family = "explicit",
     .options = &dae_rk_option_table,
     .accepts = dae__euler_accepts,
     .create = euler_create,
     RK},
    {.name = "heun",
     .summary = "Heun's explicit method, fixed step: ODEs, index 1, mechanics; order 2",
     .family = "explicit",
     .options = &dae_rk_option_table,
     .accepts = dae__heun_accepts,
     .create = heun_create,
     RK},
    {.name = "rk4",
     .summary = "the classical Runge-Kutta method, fixed step: ODEs, index 1, mechanics; order 4",
     .family = "explicit",
     .options = &dae_rk_option_table,
     .accepts = dae__rk4_accepts,
     .create = rk4_create,
     RK},
    {.name = "trapezoid",
     .summary = "trapezoidal rule, fixed step: index 1, unconstrained mechanics; order 2",
     OF(trapezoid),
     RK},
    {.name = "radau-iia",
     .summary = "radau with 1 to 3 stages, fixed step: mechanics, index 1 and 2, quasi-linear; "
                "order 2s - 1",
     .reference = "HW96",
     .family = "radau",
     OF(radau_iia),
     RK},
    {.name = "gauss-seidel",
     .summary = "coupled systems, each with its own solver, in turn until their motions agree",
     .reference = "E07",
     .options = &dae_gauss_seidel_option_table,
     .accepts = dae__wave_check_problem,
     .create = gauss_seidel_create,
     WAVE},
    {.name = "jacobi",
     .summary = "the same, all systems at once, in threads",
     .reference = "E07",
     .options = &dae_jacobi_option_table,
     .accepts = dae__wave_check_problem,
     .create = jacobi_create,
     WAVE},
    {.name = "joint",
     .summary = "the same for mechanical systems that joints hold together",
     .reference = "WHM11",
     .options = &dae_joint_option_table,
     .accepts = dae__joint_check_problem,
     .create = joint_create,
     WAVE},
};

#define METHODS ((int)(sizeof methods / sizeof *methods))

const dae_method *dae_method_at(int i)
{
  return i >= 0 && i < METHODS ? &methods[i] : NULL;
}

/* Whether constraints of one joint may depend on others: an iteration refuses that where it is only
 * some of them. */
static bool registry_joints_of_several_rows(const dae_coupled *c)
{
  bool several = false;
  for (int i = 0; c && i < c->joints; i++)
    several = several || c->joint[i].ng > 1;
  return several;
}

dae_status dae_method_check(const dae_method *method, const dae_problem *problem,
                            const dae_start *start, const void *opts, const dae_env *env,
                            dae_error *err)
{
  dae_env own = dae__env_of(env);
  dae_integrator *it = NULL;
  if (method->accepts)
    DAE__TRY(method->accepts(problem, err));
  if (method->iterates && !registry_joints_of_several_rows(problem->coupled))
    return DAE_OK;
  void *options = own.allocate(own.user, method->options_size);
  if (!options)
    return dae__out_of_memory(err);
  if (opts)
    memcpy(options, opts, method->options_size);
  else
    method->defaults(options);
  dae_status status = DAE_OK;
  if (method->fixed_step && !(((dae_rk_options *)options)->step > 0))
    status = dae_options_set(method->options, options, "step", "1", err);
  if (!status)
    status = method->create(problem, start, options, env, &it, err);
  dae_integrator_free(it);
  own.release(own.user, options);
  return status;
}

static const char *registry_name_at(const void *list, int i)
{
  return ((const dae_method *)list)[i].name;
}

const dae_method *dae_method_find(const char *name, dae_error *err)
{
  if (!name)
    name = "";
  for (int i = 0; i < METHODS; i++)
    if (strcmp(name, methods[i].name) == 0)
      return &methods[i];
  const char *near = dae_suggest(name, METHODS, registry_name_at, methods);
  char all[256];
  dae__text t = dae__text_in(all, sizeof all);
  for (int i = 0; i < METHODS; i++)
    dae__text_add(&t, "%s%s", i ? ", " : "", methods[i].name);
  if (near)
    dae__fail(err, DAE_ERROR_USAGE, name, "there is no method '%.60s': did you mean '%s'?", name,
              near);
  else
    dae__fail(err, DAE_ERROR_USAGE, name, "there is no method '%.60s': there are %s", name, all);
  return NULL;
}
