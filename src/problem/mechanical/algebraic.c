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
  int first_row = m->nq + m->nu, first_col = 2 * m->nq + m->nu, count = 0;
  int all = dae__pattern_count(&m->J);
  dae__algebraic *a = DAE__ALLOC(arena, dae__algebraic, 1);
  int *start = DAE__ALLOC(arena, int, m->nw + 1), *row = DAE__ALLOC(arena, int, all);
  int *entry = DAE__ALLOC(arena, int, all);
  double *J = DAE__ALLOC(arena, double, all), *values = DAE__ALLOC(arena, double, all);
  double *fsc = DAE__ALLOC(arena, double, m->nr);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  for (int j = 0; j < m->nw; j++) {
    for (int e = m->J.start[first_col + j]; e < m->J.start[first_col + j + 1]; e++)
      if (m->J.row[e] >= first_row)
        row[count] = m->J.row[e] - first_row, entry[count++] = e;
    start[j + 1] = count;
  }
  *a = (dae__algebraic){.m = m, .entry = entry, .J = J, .values = values, .fsc = fsc};
  a->pattern = (dae_pattern){m->nw, m->nw, start, row};
  dae_status status = dae__solver_create(arena, &a->pattern, &a->solver, err);
  if (!status)
    *out = a;
  return status;
}

void dae__algebraic_free(dae__algebraic *a)
{
  if (a)
    dae__solver_free(a->solver);
}

/* Evaluates a->fsc = (f, s, c) and factors dc/dw at the point. */
static dae_status algebraic_evaluate(dae__algebraic *a, const dae_mechanical_at *at, dae_error *err)
{
  dae__mech *m = a->m;
  char name[64];
  DAE__TRY(dae__mech_rhs(m, at, a->fsc, err));
  DAE__TRY(dae__mech_J(m, at, a->J, err));
  for (int e = 0; e < dae__pattern_count(&a->pattern); e++)
    a->values[e] = a->J[a->entry[e]];
  dae_status status = dae__solver_factor(a->solver, a->values);
  if (status == DAE_ERROR_SINGULAR) {
    int i = dae__solver_column(a->solver);
    dae_problem_variable(&(dae_problem){.mechanical = m->p}, m->at.w + (i > 0 ? i : 0), name,
                         sizeof name);
    dae__fail(err, status, name,
              "the algebraic equations do not determine %s: dc/dw is singular, so the index is "
              "higher than 1 there",
              name);
  } else if (status) {
    dae__fail(err, status, NULL, "factorisation of dc/dw: %s", dae_status_text(status));
  }
  return status;
}

dae_status dae__algebraic_solve(dae__algebraic *a, double t, double *y, dae_error *err)
{
  dae__mech *m = a->m;
  char name[64];
  double *w = y + m->at.w, *d = a->fsc + m->nq + m->nu, before = INFINITY;
  for (int i = 0; i < MAX_NEWTON_ITERATIONS; i++) {
    dae_mechanical_at at = dae__mech_at(m, t, y);
    DAE__TRY(algebraic_evaluate(a, &at, err));
    dae__solver_solve(a->solver, d);
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
