/* Constructors of the BDF family: problems that each method supports, host and corrector of an
 * integrator. */
#include "multistep/bdf.h"
#include "core/error.h"
#include "core/options.h"
#include "problem/consistent.h"
#include "step/assembled.h"
#include "step/integrator.h"
#include "step/smooth/smooth.h"

/* ---- supported problems ---- */

/* Refuses problems that a method does not support; constrained: method for mechanical problems with
 * constraints; estimated: it estimates multipliers from what the gradients leave of a residual. */
static dae_status bdf_check_form(const dae_problem *problem, const char *method, bool constrained,
                                 bool estimated, dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  if (problem->momentum)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, method,
        "%s does not accept the momentum form: use spark-gauss, or give the problem in the "
        "mechanical form",
        method);
  if (constrained && !p)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, method,
                     "%s takes mechanical problems; this one is not mechanical: use bdf", method);
  if (estimated && p->B)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, method,
        "%s takes constraint forces along the gradients of their constraints; those of "
        "this problem have directions of their own: use bdf-ggl",
        method);
  if (!constrained && p && (p->ng > 0 || p->nk > 0))
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, method,
        "bdf takes mechanical problems without constraints; with constraints the index "
        "is %d: use bdf-ggl",
        p->ng > 0 ? 3 : 2);
  if (problem->semi_explicit && problem->semi_explicit->index == 3)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, method,
        "bdf takes semi-explicit problems of index 1 and 2; this one declares index 3: "
        "give it in the mechanical form");
  return DAE_OK;
}

/* ---- constructors ---- */

typedef struct request {
  const char *method;
  bool constrained;
  dae__corrector_create *mechanical; /* constructor of the corrector for mechanical problems */
  const dae_bdf_options *opts;
} request;

/* With the option `damp`: moves the start (y, dy) onto the slow motion. */
static dae_status bdf_smooth_start(dae__arena *arena, const dae__corrector *corrector,
                                   const dae_bdf_options *opts, const dae_start *start, double *y,
                                   double *dy, dae__smooth **out, dae_error *err)
{
  const dae__smooth_options smooth = {.rtol = opts->rtol,
                                      .atol = opts->atol,
                                      .time = opts->damp_time,
                                      .from = start->t,
                                      .to = start->to};
  if (!opts->damp)
    return DAE_OK;
  if (!corrector->table->filter)
    return dae__fail(err, DAE_ERROR_OPTION, "damp",
                     "%s has no option damp: radau, bdf-ggl, bdf-cs and bdf-cm have it",
                     corrector->method);
  DAE__TRY(dae__smooth_create(arena, &corrector->problem, &smooth, out, err));
  DAE__TRY(dae__smooth_start(*out, start->t, start->fixed, y, err));
  return corrector->table->consistent(corrector->self, start->t, start->fixed, y, dy, err);
}

/* creates host and corrector of one uncoupled problem in one arena */
static dae_status bdf_create_single(const void *request_of, const dae_problem *problem,
                                    const dae_start *start, const dae_env *env,
                                    dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  DAE__TRY(
      bdf_check_form(problem, r->method, r->constrained, r->mechanical != dae__ggl_create, err));
  int size = dae_problem_size(problem);
  dae__arena *arena = dae__arena_create(env);
  double *y = DAE__ALLOC(arena, double, size);
  double *dy = DAE__ALLOC(arena, double, size);
  dae__corrector corrector = {0};
  dae__smooth *smooth = NULL;
  dae__corrector_create *create = problem->mechanical ? r->mechanical : dae__plain_create;
  dae_status status = y && dy ? DAE_OK : dae__out_of_memory(err);
  if (!status)
    status = dae__start_status(create(arena, problem, start, r->opts, y, dy, &corrector, err), err);
  if (!status) {
    corrector.problem = *problem;
    corrector.method = r->method;
    status = bdf_smooth_start(arena, &corrector, r->opts, start, y, dy, &smooth, err);
    if (!status)
      status = dae__bdf_host_create(arena, &corrector, r->opts, start->t, y, dy, out, err);
    if (!status && smooth)
      status = dae__integrator_smooth(*out, smooth, err);
    if (status)
      corrector.table->free(corrector.self);
  }
  if (status) {
    *out = NULL;
    dae__smooth_free(smooth);
    dae__arena_free(arena);
  }
  return status;
}

/* functions of one method: the check of a problem, the check of all systems of a coupled problem,
 * and the constructor */
#define METHOD(name, check_name, accepts_name, create_name, constrained, corrector, table)         \
  static dae_status check_name(const void *method, const dae_problem *problem, dae_error *err)     \
  {                                                                                                \
    return bdf_check_form(problem, method, constrained, corrector != dae__ggl_create, err);        \
  }                                                                                                \
  dae_status accepts_name(const dae_problem *problem, dae_error *err)                              \
  {                                                                                                \
    return dae__assembled_check_problem(problem, check_name, name, err);                           \
  }                                                                                                \
  dae_status create_name(const dae_problem *problem, const dae_start *start,                       \
                         const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,    \
                         dae_error *err)                                                           \
  {                                                                                                \
    dae_bdf_options o = opts ? *opts : dae_bdf_defaults();                                         \
    request r = {name, constrained, corrector, &o};                                                \
    *out = NULL;                                                                                   \
    DAE__TRY(dae_options_validate(&table, &o, err));                                               \
    o.atol = dae__options_atol(o.rtol, o.atol);                                                    \
    DAE__TRY(dae__assembled_create(problem, start, bdf_create_single, &r, env, out, err));         \
    return dae__integrator_identify(out, &(dae__identity){problem, &table, r.opts, 0}, err);       \
  }
METHOD("bdf", bdf_check, dae__bdf_accepts, dae_bdf_create, false, dae__ggl_create,
       dae_bdf_option_table)
METHOD("bdf-ggl", bdf_ggl_check, dae__bdf_ggl_accepts, dae_bdf_ggl_create, true, dae__ggl_create,
       dae_bdf_ggl_option_table)
METHOD("bdf-ggl-star", bdf_ggl_star_check, dae__bdf_ggl_star_accepts, dae_bdf_ggl_star_create, true,
       dae__ggl_star_create, dae_bdf_ggl_star_option_table)
METHOD("bdf-cs", bdf_cs_check, dae__bdf_cs_accepts, dae_bdf_cs_create, true, dae__cs_create,
       dae_bdf_cs_option_table)
METHOD("bdf-cm", bdf_cm_check, dae__bdf_cm_accepts, dae_bdf_cm_create, true, dae__cm_create,
       dae_bdf_cm_option_table)
#undef METHOD
