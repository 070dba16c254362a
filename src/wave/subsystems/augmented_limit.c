/* The feedthrough matrix of a semi-explicit system:
 *
 *   D = lim_{h -> 0} X(h),   X(h) = (E/h - J)^-1 J_in,   E = diag(M, 0).
 *
 * Where M and F_y are regular, D = 0 for x and -F_y^-1 F_in for y. Otherwise X(h) = P/h + D + O(h)
 * is solved at h, -h, 2h and -2h:
 *
 *   D   = (4 (X(h) + X(-h)) - (X(2h) + X(-2h))) / 6 + O(h^4)
 *   P/h = (2 (X(h) - X(-h)) - (X(2h) - X(-2h))) / 3 + O(h^3)
 *
 * and again with a smaller h. P != 0 for a variable that depends on the derivative of an input,
 * because the input enters a constraint of index 2. The columns of x are scaled by h, so that
 * rounding errors are about eps/h at worst, where M is singular. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/augmented.h"
#include <stdio.h>

/* First h times the largest rate of the system; truncation and rounding errors of X are both
 * 1e-12. */
#define FIRST_STEP 1e-3
#define STEP_RATIO 16 /* ratio of the first h to the second; chosen, not measured */
/* Share of the largest entry above which a growing entry is a pole, not a rounding error;
 * chosen. */
#define MIN_POLE_SHARE 1e-8
/* reciprocal condition below which M counts as singular; chosen */
#define SINGULAR_MASS_RCOND 1e-12

dae_status dae__limit_create(dae__augmented *m, dae_error *err)
{
  dae__limit *l = &m->limit;
  const dae__semi *s = m->element.semi;
  int size = s->n * m->inputs;
  l->matrix = dae__semi_matrix_create(m->arena, s);
  l->M = DAE__ALLOC(m->arena, double, dae__pattern_count(&s->M));
  l->column = DAE__ALLOC(m->arena, double, s->n);
  for (int i = 0; i < 4; i++)
    l->X[i] = DAE__ALLOC(m->arena, double, size);
  for (int i = 0; i < 2; i++) {
    DAE__VECTORS(m->arena, size, &l->value[i], &l->pole[i]);
  }
  DAE__TRY(dae__arena_status(m->arena, err));
  DAE__TRY(dae__solver_create(m->arena, &l->matrix.pattern, &l->solver, err));
  return s->p->M ? dae__solver_create(m->arena, &s->M, &l->mass, err) : DAE_OK;
}

/* b = column j of J_in */
static void limit_input_column(const dae__augmented *m, int j, double *b)
{
  const dae_pattern *p = &m->element.J_in;
  dae__zero(m->element.nz, b);
  for (int e = p->start[j]; e < p->start[j + 1]; e++)
    b[p->row[e]] = m->J_in_values[e];
}

/* ---- systems of index 1 ---- */

/* X = (0, -F_y \ F_in); DAE_ERROR_SINGULAR where M or F_y is singular */
static dae_status limit_index_1(dae__augmented *m, double *X)
{
  dae__limit *l = &m->limit;
  const dae__semi *s = m->element.semi;
  if (l->mass) {
    dae__solver_reset(l->mass);
    if (dae__solver_factor(l->mass, l->M) || dae__solver_rcond(l->mass) < SINGULAR_MASS_RCOND)
      return DAE_ERROR_SINGULAR;
  }
  DAE__TRY(dae__augmented_factor_algebraic(m));
  for (int j = 0; j < m->inputs; j++) {
    double *x = X + s->n * j;
    limit_input_column(m, j, x);
    dae__zero(s->nx, x);
    dae__scale(s->ny, -1, x + s->nx);
    if (s->ny > 0)
      dae__solver_solve(m->algebraic.solver, x + s->nx);
  }
  return DAE_OK;
}

/* ---- limit for h -> 0 ---- */

/* First h, a power of two, from the norms of the rows of M and J */
static double limit_first_step(const dae__augmented *m)
{
  const dae__semi *s = m->element.semi;
  double *mass = m->limit.X[0], *stiffness = m->limit.column, rate = 0;
  dae__zero(s->n, stiffness);
  dae__zero(s->n, mass);
  for (int j = 0; j < s->nx; j++)
    for (int e = s->M.start[j]; e < s->M.start[j + 1]; e++)
      mass[s->M.row[e]] = fmax(mass[s->M.row[e]], fabs(m->limit.M[e]));
  for (int e = 0; e < dae__pattern_count(&s->J); e++)
    stiffness[s->J.row[e]] += fabs(m->J_values[e]);
  for (int i = 0; i < s->nx; i++)
    if (mass[i] > 0)
      rate = fmax(rate, stiffness[i] / mass[i]);
  return exp2(floor(log2(FIRST_STEP / (rate > 0 ? rate : 1))));
}

/* X = (E/h - J) \ J_in */
static dae_status limit_solve_at(dae__augmented *m, double h, double *X, dae_error *err)
{
  const dae__semi *s = m->element.semi;
  dae__semi_matrix *A = &m->limit.matrix;
  char name[64];
  dae__semi_matrix_fill(A, 1 / h, m->limit.M, NULL, m->J_values);
  dae__scale(A->pattern.start[s->nx], h, A->values);
  dae__solver_reset(m->limit.solver);
  dae_status status = dae__solver_factor(m->limit.solver, A->values);
  if (status == DAE_ERROR_SINGULAR) {
    int column = dae__solver_column(m->limit.solver);
    dae__semi_variable_name(s->p, column > 0 ? column : 0, name, sizeof name);
    return dae__fail(err, status, name, "the equations do not determine %s: E/h - J is singular",
                     name);
  }
  if (status)
    return dae__fail(err, status, NULL, "E/h - J: %s", dae_status_text(status));
  for (int j = 0; j < m->inputs; j++) {
    double *x = X + s->n * j;
    limit_input_column(m, j, x);
    dae__solver_solve(m->limit.solver, x);
    dae__scale(s->nx, h, x);
  }
  return DAE_OK;
}

static dae_status limit_extrapolate(dae__augmented *m, double h, double *value, double *pole,
                                    dae_error *err)
{
  static const double multiple[4] = {1, -1, 2, -2};
  double *const *X = m->limit.X;
  for (int i = 0; i < 4; i++)
    DAE__TRY(limit_solve_at(m, multiple[i] * h, X[i], err));
  for (int e = 0; e < m->element.nz * m->inputs; e++) {
    value[e] = (4 * (X[0][e] + X[1][e]) - (X[2][e] + X[3][e])) / 6;
    pole[e] = (2 * (X[0][e] - X[1][e]) - (X[2][e] - X[3][e])) / 3;
  }
  return DAE_OK;
}

/* Error for a variable i that depends on the derivative of input j. */
static dae_status limit_is_infinite(const dae__augmented *m, int i, int j, dae_error *err)
{
  const dae_semi_explicit *p = m->element.semi->p;
  char name[64], input[64];
  dae__semi_variable_name(p, i, name, sizeof name);
  if (p->in_names && p->in_names[j])
    snprintf(input, sizeof input, "%s", p->in_names[j]);
  else
    snprintf(input, sizeof input, "in[%d]", j + 1);
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                   "the input %s enters a constraint of index 2 or higher, so that %s depends on "
                   "its derivative, which waveforms do not have: reduce the index of the system, "
                   "or join it with the system that the input comes from",
                   input, name);
}

dae_status dae__limit_feedthrough(dae__augmented *m, double t, const double *y, const bool *wanted,
                                  const double **out, dae_error *err)
{
  dae__limit *l = &m->limit;
  dae__semi *s = m->element.semi;
  int n = m->element.nz;
  dae_mechanical_at at = {.t = t, .u = y, .w = y + s->nx, .in = m->element.in};
  DAE__TRY(dae__semi_J(s, NULL, t, y, m->J_values, err));
  DAE__TRY(dae__semi_M(s, t, y, l->M, err));
  DAE__TRY(dae__element_J_in(&m->element, &at, m->J_in_values, err));
  *out = l->value[1];
  dae_status status = limit_index_1(m, l->value[1]);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  double h = limit_first_step(m);
  DAE__TRY(limit_extrapolate(m, h, l->value[0], l->pole[0], err));
  DAE__TRY(limit_extrapolate(m, h / STEP_RATIO, l->value[1], l->pole[1], err));
  for (int j = 0; j < m->inputs; j++) {
    double size = fmax(dae__max_abs(n, l->value[1] + n * j), dae__max_abs(n, l->pole[1] + n * j));
    for (int i = 0, e = n * j; i < n; i++, e++) {
      double value = fabs(l->value[1][e]), pole = fabs(l->pole[1][e]), factor = STEP_RATIO / 2.0;
      /* whether entry e of D, or of its pole P/h, has grown in proportion to 1/h */
      if (wanted[i] && ((pole > MIN_POLE_SHARE * size && pole > factor * fabs(l->pole[0][e])) ||
                        (value > MIN_POLE_SHARE * size && value > factor * fabs(l->value[0][e]))))
        return limit_is_infinite(m, i, j, err);
    }
  }
  return DAE_OK;
}
