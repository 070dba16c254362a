/* Consistent starts of the four problem forms (dae_consistent_start), each in temporary memory. */
#include "problem/consistent.h"
#include "core/env.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/coupled/assembly.h"
#include "problem/level.h"
#include "problem/momentum/momentum_motion.h"
#include "problem/semi_explicit/semi.h"
#include <float.h>
#include <math.h>

typedef struct request {
  const dae_problem *problem;
  double t;
  const bool *fixed;
  double *y, *dy;
  dae_diagnosis *find;
} request;

static dae_status consistent_single(dae__arena *arena, const request *r, dae_error *err)
{
  dae_status status;
  if (r->problem->momentum) {
    dae__momentum *m;
    dae__momentum_motion *motion;
    DAE__TRY(dae__momentum_create(arena, r->problem, &m, err));
    DAE__TRY(dae__momentum_motion_create(arena, m, &motion, err));
    status = dae__momentum_consistent(motion, r->t, r->fixed, r->y, r->dy, r->find, err);
    dae__momentum_motion_free(motion);
  } else if (r->problem->mechanical) {
    dae__mech *m;
    dae__motion *motion;
    DAE__TRY(dae__mech_create(arena, r->problem, &m, err));
    DAE__TRY(dae__motion_create(arena, m, &motion, err));
    status = dae__mech_consistent(motion, r->t, r->fixed, r->y, r->dy, r->find, err);
    dae__motion_free(motion);
  } else {
    dae__semi *s;
    DAE__TRY(dae__semi_create(arena, r->problem, &s, err));
    status = dae__semi_consistent(s, r->t, r->fixed, r->y, r->dy, r->find, err);
  }
  return status;
}

static dae_status consistent_coupled(dae__arena *arena, const request *r, dae_error *err)
{
  dae__assembly *assembly;
  int size = dae_problem_size(r->problem);
  double *y = DAE__ALLOC(arena, double, size), *dy = DAE__ALLOC(arena, double, size);
  bool *fixed = DAE__ALLOC(arena, bool, size);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__assembly_create(arena, r->problem, &assembly, err));
  const int *order = dae__assembly_order(assembly);
  for (int i = 0; i < size; i++)
    fixed[order[i]] = r->fixed && r->fixed[i];
  dae__assembly_gather(assembly, r->y, y);
  request inner = {dae__assembly_problem(assembly), r->t, r->fixed ? fixed : NULL, y, dy, r->find};
  dae_status status = consistent_single(arena, &inner, err);
  if (!status) {
    dae__assembly_scatter(assembly, y, r->y);
    dae__assembly_scatter(assembly, dy, r->dy);
  }
  return status;
}

/* Given values held in the attempts at a consistent start, in this order; one may be impossible and
 * the other not. */
static const struct {
  bool values, rates; /* coordinates and states; rates of coordinates */
} consistent_attempts[] = {{true, true}, {true, false}, {false, true}, {false, false}};
enum { ATTEMPTS = sizeof consistent_attempts / sizeof *consistent_attempts };

/* Marks the entries of y held in an attempt: the fixed ones, and given ones; false: there are no
 * more of them than in the attempts that hold less. */
static bool consistent_hold(const dae_problem *problem, const dae_start *start, int attempt,
                            bool *held)
{
  bool values = false, rates = false;
  for (int i = 0, size = dae_problem_size(problem); i < size; i++) {
    dae_variable_kind kind = dae_problem_variable(problem, i, NULL, 0);
    bool given =
             start->given[i] && kind != DAE_VARIABLE_ALGEBRAIC && kind != DAE_VARIABLE_MULTIPLIER,
         rate = kind == DAE_VARIABLE_RATE;
    held[i] = start->fixed && start->fixed[i];
    values |= given && !rate && !held[i];
    rates |= given && rate && !held[i];
    held[i] |=
        given && (rate ? consistent_attempts[attempt].rates : consistent_attempts[attempt].values);
  }
  return (values || !consistent_attempts[attempt].values) &&
         (rates || !consistent_attempts[attempt].rates);
}

/* Consistent start with temporary memory of the arena; y and dy are written on success only. */
static dae_status consistent_in_arena(dae__arena *arena, const dae_problem *problem,
                                      const dae_start *start, double *y, double *dy,
                                      dae_diagnosis *find, dae_error *err)
{
  int size = dae_problem_size(problem);
  request r = {.problem = problem, .t = start->t, .fixed = start->fixed, .find = find};
  bool *held = DAE__ALLOC(arena, bool, size);
  dae_status status = DAE_ERROR_START;
  DAE__VECTORS(arena, size, &r.y, &r.dy);
  DAE__TRY(dae__arena_status(arena, err));
  for (int k = start->given ? 0 : ATTEMPTS - 1; k < ATTEMPTS && status < 0; k++) {
    if (start->given && !consistent_hold(problem, start, k, held))
      continue;
    DAE__TRY(dae__env_proceed(dae__arena_env(arena), err));
    r.fixed = k < ATTEMPTS - 1 ? held : start->fixed;
    dae__copy(size, start->y, r.y);
    status =
        problem->coupled ? consistent_coupled(arena, &r, err) : consistent_single(arena, &r, err);
    if (status == DAE_ERROR_MEMORY || status == DAE_ERROR_CALLBACK)
      break;
  }
  DAE__TRY(status);
  dae__copy(size, r.y, y);
  if (dy)
    dae__copy(size, r.dy, dy);
  return DAE_OK;
}

/* Whether rows r are 0 up to round-off of their terms A x. */
static bool consistent_vanish(const dae_pattern *A, const double *values, const double *x,
                              const double *r, double *scale)
{
  bool vanish = true;
  dae__row_scale(A, values, x, scale);
  for (int i = 0; i < A->rows; i++)
    vanish = vanish && fabs(r[i]) <= 4 * DBL_EPSILON * scale[i];
  return vanish;
}

static bool consistent_is_met(dae__arena *arena, const dae_problem *problem, const dae_start *start)
{
  dae__mech *m;
  if (dae__mech_create(arena, problem, &m, NULL))
    return false;
  double *G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G)),
         *K = DAE__ALLOC(arena, double, dae__pattern_count(&m->K)), *g, *gdot, *k, *scale;
  DAE__VECTORS(arena, m->nc, &g, &gdot, &k, &scale);
  if (dae__arena_failed(arena))
    return false;
  dae_mechanical_at at = dae__mech_at(m, start->t, start->y);
  const dae_mechanical_wanted want = {.g = g, .G = G, .k = k, .K = K};
  bool known = !dae__mech_eval(m, &at, &want, NULL) &&
               (m->ng == 0 || !dae__mech_gdot(m, &at, G, gdot, NULL));
  return known && consistent_vanish(&m->G, G, at.q, g, scale) &&
         consistent_vanish(&m->G, G, at.v, gdot, scale) &&
         consistent_vanish(&m->K, K, at.v, k, scale);
}

bool dae__start_is_met(const dae_problem *problem, const dae_start *start, const dae_env *env)
{
  if (!problem->mechanical || problem->mechanical->nw > 0)
    return false;
  dae__arena *arena = dae__arena_create(env);
  bool met = arena && consistent_is_met(arena, problem, start);
  dae__arena_free(arena);
  return met;
}

dae_status dae__start_begin(const dae_problem *problem, const dae_start *start, dae_error *err)
{
  const dae_held *held = &problem->held;
  char name[256];
  if (!start->y)
    return dae__fail(err, DAE_ERROR_USAGE, "start", "the start has no state vector");
  if (!isfinite(start->t))
    return dae__fail(err, DAE_ERROR_USAGE, "start", "the start time is not a finite number");
  for (int i = 0, n = dae_problem_size(problem); i < n + (start->held ? held->count : 0); i++)
    if (!isfinite(i < n ? start->y[i] : start->held[i - n])) {
      dae_problem_variable(problem, i, name, sizeof name);
      return dae__fail(err, DAE_ERROR_START, name, "the start value of %s is not a finite number",
                       name);
    }
  if (start->held)
    dae__copy(held->count, start->held, held->value);
  return DAE_OK;
}

dae_status dae__start_status(dae_status status, dae_error *err)
{
  if (status != DAE_ERROR_RECOVERABLE && status != DAE_ERROR_SINGULAR)
    return status;
  if (err)
    err->status = DAE_ERROR_START;
  return DAE_ERROR_START;
}

dae_status dae_consistent_start(const dae_problem *problem, const dae_start *start,
                                const dae_env *env, double *y, double *dy, dae_diagnosis *find,
                                dae_error *err)
{
  if (!problem || !start || !y)
    return dae__fail(err, DAE_ERROR_USAGE, "start",
                     "the problem, the start or the result is missing");
  DAE__TRY(dae_problem_validate(problem, err));
  DAE__TRY(dae__start_begin(problem, start, err));
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = consistent_in_arena(arena, problem, start, y, dy, find, err);
  dae__arena_free(arena);
  return dae__env_status(env, dae__start_status(status, err), err);
}
