/* The constructors of the BDF family: options, what each method takes, putting host and corrector
 * together. */
#include "bdf/bdf.h"
#include "core/error.h"
#include "problem/assembly.h"
#include "problem/consistent.h"
#include "step/history.h"
#include "step/permuted.h"
#include <float.h>
#include <math.h>

static const char *const error_tests[] = {"qv", "q", NULL};
static const char *const rules[] = {"strict", "dassl", NULL};

static const dae_option bdf_options[] = {
    {"rtol", DAE_OPTION_DOUBLE, offsetof(dae_bdf_options, rtol), 1e-14, 1, NULL,
     "relative tolerance"},
    {"atol", DAE_OPTION_DOUBLE, offsetof(dae_bdf_options, atol), DBL_MIN, INFINITY, NULL,
     "absolute tolerance"},
    {"order", DAE_OPTION_INT, offsetof(dae_bdf_options, order), 1, DAE__MAX_ORDER, NULL,
     "largest order; with a fixed step, the order"},
    {"step", DAE_OPTION_DOUBLE, offsetof(dae_bdf_options, step), 0, INFINITY, NULL,
     "fixed step size, 0: variable"},
    {"first_step", DAE_OPTION_DOUBLE, offsetof(dae_bdf_options, first_step), 0, INFINITY, NULL,
     "first step size to try, 0: chosen"},
    {"max_step", DAE_OPTION_DOUBLE, offsetof(dae_bdf_options, max_step), 0, INFINITY, NULL,
     "largest step size, 0: no limit"},
    {"error_test", DAE_OPTION_CHOICE, offsetof(dae_bdf_options, error_test), 0, 0, error_tests,
     "what the error test of a mechanical problem looks at: positions and velocities, or "
     "positions"},
    {"project", DAE_OPTION_BOOL, offsetof(dae_bdf_options, project), 0, 0, NULL,
     "project accepted and interpolated states onto the constraints"},
    {"rules", DAE_OPTION_CHOICE, offsetof(dae_bdf_options, rules), 0, 0, rules,
     "strict, or the Newton and error tests of DASSL to the letter: less accurate"},
    {"max_failures", DAE_OPTION_INT, offsetof(dae_bdf_options, max_failures), 1, 1000, NULL,
     "failed attempts at one step before giving up"},
};

const dae_option_table dae_bdf_option_table = {
    .owner = "bdf",
    .options = bdf_options,
    .count = sizeof bdf_options / sizeof *bdf_options,
};

dae_bdf_options dae_bdf_defaults(void)
{
  return (dae_bdf_options){.rtol = 1e-6,
                           .atol = 1e-8,
                           .order = DAE__MAX_ORDER,
                           .error_test = DAE_BDF_TEST_QV,
                           .project = true,
                           .max_failures = 20};
}

/* ---- what each method takes ---- */

typedef dae_status accepts_fn(const dae_problem *problem, dae_error *err);

static bool constrained(const dae_mechanical *p)
{
  return p->ng > 0 || p->nk > 0;
}

static dae_status accepts_plain(const dae_problem *problem, dae_error *err)
{
  const dae_mechanical *p = problem->mechanical;
  if (p && constrained(p))
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

static dae_status accepts_ggl(const dae_problem *problem, dae_error *err)
{
  if (!problem->mechanical)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "bdf-ggl",
                     "bdf-ggl takes mechanical problems; this one has none: use bdf");
  return DAE_OK;
}

/* judges a coupled problem by its assembly */
static dae_status accepts(const dae_problem *problem, accepts_fn *judge, dae_error *err)
{
  dae_status status = dae_problem_validate(problem, err);
  if (status || !problem->coupled)
    return status ? status : judge(problem, err);
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly;
  if (!arena)
    return dae__out_of_memory(err);
  status = dae__assembly_create(arena, problem, &assembly, err);
  if (!status)
    status = judge(dae__assembly_problem(assembly), err);
  dae__arena_free(arena);
  return status;
}

dae_status dae__bdf_accepts(const dae_problem *problem, dae_error *err)
{
  return accepts(problem, accepts_plain, err);
}

dae_status dae__bdf_ggl_accepts(const dae_problem *problem, dae_error *err)
{
  return accepts(problem, accepts_ggl, err);
}

/* ---- constructors ---- */

typedef struct request {
  const char *method;
  accepts_fn *judge;
  const dae_problem *problem;
  const dae_start *start;
  const dae_bdf_options *opts;
} request;

/* host and corrector of one problem in one arena */
static dae_status create_single(dae__arena *arena, const request *r, dae_integrator **out,
                                dae_error *err)
{
  int size = dae_problem_size(r->problem);
  double *y = DAE__TAKE(arena, double, size), *dy = DAE__TAKE(arena, double, size);
  dae__corrector corrector = {0};
  dae_status status;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  if (r->problem->mechanical)
    status = dae__ggl_create(arena, r->problem, r->start, r->opts, y, dy, &corrector, err);
  else
    status = dae__plain_create(arena, r->problem, r->start, r->opts, y, dy, &corrector, err);
  if (status)
    return dae__start_status(status, err);
  corrector.problem = *r->problem;
  corrector.method = r->method;
  status = dae__bdf_host_create(arena, &corrector, r->opts, r->start->t, y, dy, out, err);
  if (status)
    corrector.table->free(corrector.self);
  return status;
}

static dae_status create_alone(const request *r, const dae_env *env, dae_integrator **out,
                               dae_error *err)
{
  dae_status status = r->judge(r->problem, err);
  if (status)
    return status;
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  status = create_single(arena, r, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}

/* a coupled problem: its assembly, shown in the order of its parts */
static dae_status create_assembled(dae__arena *arena, const request *r, const dae_env *env,
                                   dae_integrator **out, dae_error *err)
{
  int size = dae_problem_size(r->problem);
  double *y = DAE__TAKE(arena, double, size);
  bool *fixed = r->start->fixed ? DAE__TAKE(arena, bool, size) : NULL;
  dae__assembly *assembly;
  dae_integrator *child = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__assembly_create(arena, r->problem, &assembly, err);
  if (status)
    return status;
  const int *order = dae__assembly_order(assembly);
  for (int i = 0; i < size; i++) {
    y[order[i]] = r->start->y[i];
    if (fixed)
      fixed[order[i]] = r->start->fixed[i];
  }
  dae_start start = {.t = r->start->t, .y = y, .fixed = fixed};
  request inner = {r->method, r->judge, dae__assembly_problem(assembly), &start, r->opts};
  status = create_alone(&inner, env, &child, err);
  if (!status)
    status = dae__permuted_create(arena, child, order, size, out, err);
  if (status)
    dae_integrator_free(child);
  return status;
}

static dae_status create(const request *r, const dae_env *env, dae_integrator **out, dae_error *err)
{
  *out = NULL;
  dae_status status = dae_options_validate(&dae_bdf_option_table, r->opts, err);
  if (!status)
    status = dae_problem_validate(r->problem, err);
  if (!status)
    status = dae__start_check(r->problem, r->start, err);
  if (status || !r->problem->coupled)
    return status ? status : create_alone(r, env, out, err);
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  status = create_assembled(arena, r, env, out, err);
  if (status)
    dae__arena_free(arena);
  return status;
}

dae_status dae_bdf_create(const dae_problem *problem, const dae_start *start,
                          const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                          dae_error *err)
{
  dae_bdf_options defaults = dae_bdf_defaults();
  request r = {"bdf", accepts_plain, problem, start, opts ? opts : &defaults};
  return create(&r, env, out, err);
}

dae_status dae_bdf_ggl_create(const dae_problem *problem, const dae_start *start,
                              const dae_bdf_options *opts, const dae_env *env, dae_integrator **out,
                              dae_error *err)
{
  dae_bdf_options defaults = dae_bdf_defaults();
  request r = {"bdf-ggl", accepts_ggl, problem, start, opts ? opts : &defaults};
  return create(&r, env, out, err);
}
