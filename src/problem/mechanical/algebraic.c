#include "problem/mechanical/algebraic.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

/* Newton's method for w: largest number of iterations; largest relative change of w at which
 * stagnation counts as convergence to round-off; ratio of successive changes above which the
 * iteration stagnates. Chosen, not measured. */
#define MAX_NEWTON_ITERATIONS 60
#define STAGNATION_CHANGE 1e-10
#define STAGNATION_REDUCTION 0.5

dae_status dae__algebraic_create(dae__arena *arena, dae__mech *m, dae__algebraic **out,
                                 dae_error *err)
{
  dae__algebraic *a = DAE__ALLOC(arena, dae__algebraic, 1);
  double *J = DAE__ALLOC(arena, double, dae__pattern_count(&m->J));
  double *fsc = DAE__ALLOC(arena, double, m->nr);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  *a = (dae__algebraic){.m = m, .J = J, .fsc = fsc};
  dae_status status = dae__block_solver_create(arena, &m->J, m->nq + m->nu, m->nw, &a->c_w, err);
  if (!status)
    *out = a;
  return status;
}

void dae__algebraic_free(dae__algebraic *a)
{
  if (a)
    dae__solver_free(a->c_w.solver);
}

dae_status dae__algebraic_not_factored(const dae__mech *m, const dae__solver *c_w,
                                       dae_status status, dae_error *err)
{
  char name[64];
  int i = dae__solver_column(c_w);
  if (status != DAE_ERROR_SINGULAR)
    return dae__fail(err, status, NULL, "factorisation of dc/dw: %s", dae_status_text(status));
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, m->at.w + (i > 0 ? i : 0), name,
                       sizeof name);
  return dae__fail(err, status, name,
                   "the algebraic equations do not determine %s: dc/dw is singular, so the index "
                   "is higher than 1 there",
                   name);
}

/* Evaluates a->fsc = (f, s, c) and factors dc/dw at the point. */
static dae_status algebraic_evaluate(dae__algebraic *a, const dae_mechanical_at *at, dae_error *err)
{
  dae__mech *m = a->m;
  DAE__TRY(dae__mech_rhs(m, at, a->fsc, err));
  DAE__TRY(dae__mech_J(m, at, a->J, err));
  dae_status status = dae__block_solver_factor(&a->c_w, a->J);
  return status ? dae__algebraic_not_factored(m, a->c_w.solver, status, err) : DAE_OK;
}

dae_status dae__algebraic_solve(dae__algebraic *a, double t, double *y, dae_error *err)
{
  dae__mech *m = a->m;
  char name[64];
  double *w = y + m->at.w, *d = a->fsc + m->nq + m->nu, before = INFINITY;
  for (int i = 0; i < MAX_NEWTON_ITERATIONS; i++) {
    dae_mechanical_at at = dae__mech_at(m, t, y);
    DAE__TRY(algebraic_evaluate(a, &at, err));
    dae__solver_solve(a->c_w.solver, d);
    dae__axpy(m->nw, -1, d, w); /* w -= c_w^-1 c */
    double change = dae__max_abs(m->nw, d), size = dae__max_abs(m->nw, w);
    bool stagnates = change < STAGNATION_CHANGE * size && change > STAGNATION_REDUCTION * before;
    if (change <= 4 * DBL_EPSILON * size || stagnates)
      return DAE_OK;
    before = change;
  }
  dae_problem_variable(&(dae_problem){.mechanical = m->p}, m->at.w, name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "Newton's method does not converge for %s and the other algebraic variables",
                   name);
}
