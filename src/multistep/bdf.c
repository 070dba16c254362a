/* The constructors of the BDF family: what each method takes, putting host and corrector together.
 */
#include "multistep/bdf.h"
#include "core/error.h"
#include "problem/consistent.h"
#include "step/assembled.h"

/* ---- what each method takes ---- */

static bool bdf_constrained(const dae_mechanical *p)
{
  return p->ng > 0 || p->nk > 0;
}

static dae_status bdf_not_momentum(const char *method, dae_error *err)
{
  return dae__fail(
      err, DAE_ERROR_UNSUPPORTED, method,
      "%s does not take the momentum form: use spark-gauss, or give the problem in the "
      "mechanical form",
      method);
}

static dae_status bdf_accepts_plain(const dae_problem *problem, dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  if (problem->momentum)
    return bdf_not_momentum("bdf", err);
  if (p && bdf_constrained(p))
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "bdf",
        "bdf takes mechanical problems without constraints; with constraints the index "
        "is %d: use bdf-ggl",
        p->ng > 0 ? 3 : 2);
  if (problem->semi_explicit && problem->semi_explicit->index == 3)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "bdf",
        "bdf takes semi-explicit problems of index 1 and 2, and this one says index 3: "
        "give it in the mechanical form");
  return DAE_OK;
}

static dae_status bdf_mechanical_only(const dae_problem *problem, const char *method,
                                      dae_error *err)
{
  if (problem->mechanical)
    return DAE_OK;
  if (problem->momentum)
    return bdf_not_momentum(method, err);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, method,
                   "%s takes mechanical problems; this one has none: use bdf", method);
}

#define JUDGE(name, method)                                                                        \
  static dae_status name(const dae_problem *problem, dae_error *err)                               \
  {                                                                                                \
    return bdf_mechanical_only(problem, method, err);                                              \
  }
JUDGE(accepts_ggl, "bdf-ggl")
JUDGE(accepts_ggl_star, "bdf-ggl-star")
JUDGE(accepts_cs, "bdf-cs")
JUDGE(accepts_cm, "bdf-cm")
#undef JUDGE

#define ACCEPTS(name, judge)                                                                       \
  dae_status name(const dae_problem *problem, dae_error *err)                                      \
  {                                                                                                \
    return dae__assembled_check_problem(problem, judge, err);                                      \
  }
ACCEPTS(dae__bdf_accepts, bdf_accepts_plain)
ACCEPTS(dae__bdf_ggl_accepts, accepts_ggl)
ACCEPTS(dae__bdf_ggl_star_accepts, accepts_ggl_star)
ACCEPTS(dae__bdf_cs_accepts, accepts_cs)
ACCEPTS(dae__bdf_cm_accepts, accepts_cm)
#undef ACCEPTS

/* ---- constructors ---- */

typedef dae_status corrector_fn(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__corrector *out, dae_error *err);

typedef struct request {
  const char *method;
  dae__newton_outcome *judge;
  corrector_fn *mechanical; /* for mechanical problems */
  const dae_bdf_options *opts;
} request;

/* host and corrector of one problem in one arena */
static dae_status bdf_create_in(dae__arena *arena, const request *r, const dae_problem *problem,
                                const dae_start *start, dae_integrator **out, dae_error *err)
{
  int size = dae_problem_size(problem);
  double *y = DAE__ALLOC(arena, double, size), *dy = DAE__ALLOC(arena, double, size);
  dae__corrector corrector = {0};
  dae_status status;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  if (problem->mechanical)
    status = r->mechanical(arena, problem, start, r->opts, y, dy, &corrector, err);
  else
    status = dae__plain_create(arena, problem, start, r->opts, y, dy, &corrector, err);
  if (status)
    return dae__start_status(status, err);
  corrector.problem = *problem;
  corrector.method = r->method;
  status =
      dae__bdf_host_create(arena, &corrector, r->opts, start->t, start->fixed, y, dy, out, err);
  if (status)
    corrector.table->free(corrector.self);
  return status;
}

static dae_status bdf_create_single(const void *request_of, const dae_problem *problem,
                                    const dae_start *start, const dae_env *env,
                                    dae_integrator **out, dae_error *err)
{
  const request *r = request_of;
  DAE__TRY(r->judge(problem, err));
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = bdf_create_in(arena, r, problem, start, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}

/* one constructor of the public interface */
#define CONSTRUCTOR(function, name, judge, corrector, table)                                       \
  dae_status function(const dae_problem *problem, const dae_start *start,                          \
                      const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,       \
                      dae_error *err)                                                              \
  {                                                                                                \
    dae_bdf_options defaults = dae_bdf_defaults();                                                 \
    request r = {name, judge, corrector, opts ? opts : &defaults};                                 \
    *out = NULL;                                                                                   \
    dae_status status = dae_options_validate(&table, r.opts, err);                                 \
    if (status)                                                                                    \
      return status;                                                                               \
    return dae__assembled_create(problem, start, bdf_create_single, &r, env, out, err);            \
  }
CONSTRUCTOR(dae_bdf_create, "bdf", bdf_accepts_plain, dae__ggl_create, dae_bdf_option_table)
CONSTRUCTOR(dae_bdf_ggl_create, "bdf-ggl", accepts_ggl, dae__ggl_create, dae_bdf_option_table)
CONSTRUCTOR(dae_bdf_ggl_star_create, "bdf-ggl-star", accepts_ggl_star, dae__ggl_star_create,
            dae_bdf_ggl_star_option_table)
CONSTRUCTOR(dae_bdf_cs_create, "bdf-cs", accepts_cs, dae__cs_create, dae_bdf_cs_option_table)
CONSTRUCTOR(dae_bdf_cm_create, "bdf-cm", accepts_cm, dae__cm_create, dae_bdf_cm_option_table)
#undef CONSTRUCTOR
