/* Linear system of all stages with a Jacobian of each stage: block i, j is
 *
 *   delta_ij P0_i + h a_ij P1_i + h^2 (A A)_ij P2_i.
 *
 * The simplified Newton iteration uses one set of Jacobians for all stages, which limits the step
 * if stiff directions rotate: with a stiffness k on a mass m and an angle of rotation phi its
 * contraction is about h sqrt(k/m) phi. This system has no such limit, at about s^3 times the work
 * of a block.
 *
 * Small systems with dense Jacobians eliminate the algebraic part first. The m algebraic unknowns y
 * among the n = d + m of a stage occur in the rows of their own stage alone; m pivots Y there leave
 * d rows without y,
 *
 *   Y y + T x = b,  Z y + U x = c   ->   (U - W T) x = c - W b,   W = Z/Y,
 *
 * with x the differential part of all stages: a dense system with (d/n)^3 of the work. Pivots are
 * chosen by their size relative to the largest entries of their rows. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/dense.h"
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include "onestep/radau/radau.h"
#include <math.h>

/* ---- small systems: assembly ---- */

struct dae__radau_small {
  int s, max_stages;
  /* sizes of x, of y and of a column of W: d padded to even size by one or two zero rows */
  int d, m, rows;
  int *order;    /* s x n, order of the rows of a stage: pivot rows of Y, then the others */
  double *Y;     /* s matrices Y = L U, m columns of m rows each, with 1/u on the diagonal */
  double *W;     /* s matrices W, m columns each */
  double *T;     /* s matrices T, m rows each */
  double *S;     /* Schur complement U - W T, then its factors */
  double *scale; /* row scales of S */
  int *pivot;    /* row exchanges of S */
  double *b;     /* right side of the system with S */
  /* P0, P1, P2 of the present stage after the elimination of y: d columns of U - W T over T, with
   * an even number of rows */
  double *P[3];
};

/* row order and matrices Y, W, T of one stage */
typedef struct stage_rows {
  int *order;
  double *Y, *W, *T;
} stage_rows;

/* Number of rows of a column of P. */
static int radau_small_height(const dae__radau_small *f)
{
  return (int)dae__pair_rows(f->d + f->m);
}

static stage_rows radau_small_stage(const dae__radau_small *f, int i)
{
  int m = f->m;
  return (stage_rows){.order = f->order + i * (f->d + m),
                      .Y = f->Y + i * m * m,
                      .W = f->W + i * m * f->rows,
                      .T = f->T + i * m * f->s * f->d};
}

dae_status dae__radau_small_create(dae__arena *arena, const dae__reduced *r, int max_stages,
                                   dae__radau_small **out, dae_error *err)
{
  int d = r->n2 + r->n1, m = r->n - d, left = max_stages * d, rows = d / 2 * 2 + 2;
  dae__radau_small *f = DAE__ALLOC(arena, dae__radau_small, 1);
  dae__radau_small made = {.s = max_stages,
                           .max_stages = max_stages,
                           .d = d,
                           .m = m,
                           .rows = rows,
                           .order = DAE__UNINIT(arena, int, max_stages * r->n),
                           .Y = DAE__UNINIT(arena, double, max_stages *m *m),
                           .W = DAE__ALLOC(arena, double, max_stages *m *rows),
                           .T = DAE__UNINIT(arena, double, max_stages *m *left),
                           .S = DAE__UNINIT(arena, double, left *left),
                           .scale = DAE__UNINIT(arena, double, left),
                           .pivot = DAE__UNINIT(arena, int, left),
                           .b = DAE__UNINIT(arena, double, left)};
  for (int p = 0; p < 3; p++)
    made.P[p] = DAE__ALLOC(arena, double, d *radau_small_height(&made));
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  *f = made;
  *out = f;
  return DAE_OK;
}

/* Reciprocal bounds of the largest entries of the rows of stage i, by the largest a_ij and (A A)_ij
 * of all columns: those of the diagonal block give no bound, as (A A)_ss = 0. */
static void radau_small_scale_rows(const dae__reduced *r, const dae__collocation_rule *c, double h,
                                   int i, double *scale)
{
  int n = r->n, dynamic = r->n2 + r->n1;
  double a = h * dae__max_abs(c->s, c->A[i]), b = h * h * dae__max_abs(c->s, c->A2[i]);
  dae__zero(n, scale);
  for (int k = 0; k < n; k++)
    for (int e = 0; e < n; e++) {
      int at = k * n + e;
      double size = fabs(r->P[0][at]);
      if (k < dynamic)
        size += a * fabs(r->P[1][at]) + b * fabs(r->P[2][at]);
      scale[e] = size > scale[e] ? size : scale[e];
    }
  for (int e = 0; e < n; e++)
    scale[e] = scale[e] > 0 ? 1 / scale[e] : 1;
}

static void radau_small_exchange(double *a, int i, int j)
{
  double t = a[i];
  a[i] = a[j];
  a[j] = t;
}

/* Factors L and U of the columns a of y in all n rows, in pivot order; returns 0, or 1 + the first
 * column without a pivot. */
static int radau_small_eliminate(int n, int m, double a[][DAE__SMALL_N], double *scale, int *order)
{
  for (int i = 0; i < n; i++)
    order[i] = i;
  for (int k = 0; k < m; k++) {
    int p = k, row = order[k];
    for (int i = k + 1; i < n; i++)
      p = fabs(a[k][i] * scale[i]) > fabs(a[k][p] * scale[p]) ? i : p;
    double r = 1 / a[k][p];
    if (!isfinite(r) || r == 0)
      return k + 1;
    order[k] = order[p];
    order[p] = row;
    radau_small_exchange(scale, k, p);
    for (int c = 0; c < m; c++)
      radau_small_exchange(a[c], k, p);
    a[k][k] = r;
    for (int i = k + 1; i < n; i++)
      a[k][i] *= r;
    for (int c = k + 1; c < m; c++)
      for (int i = k + 1; i < n; i++)
        a[c][i] -= a[k][i] * a[c][k];
  }
  return 0;
}

/* Elimination of y from a column x: out = x(other rows) - W x(pivot rows), and top = x(pivot rows).
 */
static inline void radau_small_reduce(int d, int m, stage_rows o, const double *x,
                                      double *restrict out, double *restrict top)
{
  const int *rest = o.order + m;
  const double *w = o.W;
  dae__pair sum[DAE__SMALL_N / 2 + 1];
  int pairs = d / 2;
  for (int i = 0; i < pairs; i++)
    sum[i] = (dae__pair){x[rest[2 * i]], x[rest[2 * i + 1]]};
  sum[pairs] = (dae__pair){d % 2 ? x[rest[d - 1]] : 0, 0};
  for (int k = 0; k < m; k++) {
    double u = top[k] = x[o.order[k]];
    for (int i = 0; i <= pairs; i++, w += 2)
      sum[i] -= dae__pair_of(w) * u;
  }
  for (int i = 0; i < pairs; i++)
    dae__pair_to(out + 2 * i, sum[i]);
  if (d % 2)
    out[d - 1] = sum[pairs][0];
}

/* Columns of block j of the rows of a stage: U - W T in S, and T. The elimination is linear: the
 * columns are combined after it. diagonal: block with P0. */
static void radau_small_combine(const dae__radau_small *f, bool diagonal, double a, double b,
                                double *S, double *T)
{
  int d = f->d, m = f->m, left = f->s * d, height = radau_small_height(f);
  double column[DAE__SMALL_N];
  for (int k = 0; k < d; k++) {
    const double *P0 = f->P[0] + k * height, *P1 = f->P[1] + k * height;
    const double *P2 = f->P[2] + k * height;
    for (int i = 0; i < height; i += 2) {
      dae__pair sum = a * dae__pair_of(P1 + i) + b * dae__pair_of(P2 + i);
      if (diagonal)
        sum += dae__pair_of(P0 + i);
      dae__pair_to(column + i, sum);
    }
    dae__copy(d, column, S + k * left);
    for (int i = 0; i < m; i++)
      T[i * left + k] = column[d + i];
  }
}

int dae__radau_small_add(dae__radau_small *f, const dae__reduced *r, const dae__collocation_rule *c,
                         double h, int i)
{
  DAE__ASSERT(r->n == f->d + f->m && r->n <= DAE__SMALL_N && i < f->s);
  int n = r->n, d = f->d, m = f->m, left = f->s * d;
  stage_rows o = radau_small_stage(f, i);
  double a[DAE__SMALL_N][DAE__SMALL_N], scale[DAE__SMALL_N];
  radau_small_scale_rows(r, c, h, i, scale);
  for (int k = 0; k < m; k++)
    dae__copy(n, r->P[0] + (d + k) * n, a[k]);
  int failed = radau_small_eliminate(n, m, a, scale, o.order);
  if (failed)
    return d + failed - 1;
  /* stores Y and solves for W = Z/Y by back substitution with L */
  for (int k = m - 1; k >= 0; k--) {
    double *w = o.W + k * f->rows;
    dae__copy(d, a[k] + m, w);
    for (int l = k + 1; l < m; l++)
      dae__axpy(d, -a[k][l], o.W + l * f->rows, w);
    dae__copy(m, a[k], o.Y + k * m);
  }
  for (int p = 0; p < 3; p++)
    for (int k = 0; k < d; k++) {
      double *column = f->P[p] + k * radau_small_height(f);
      radau_small_reduce(d, m, o, r->P[p] + k * n, column, column + d);
    }
  for (int j = 0; j < f->s; j++)
    radau_small_combine(f, i == j, h * c->A[i][j], h * h * c->A2[i][j], f->S + j * d * left + i * d,
                        o.T + j * d);
  return -1;
}

dae_status dae__radau_small_factor(dae__radau_small *f, int *column)
{
  int left = f->s * f->d;
  dae__lu_scale_rows(left, f->S, f->scale);
  int failed = dae__lu_factor(left, f->S, f->pivot);
  *column = failed ? (failed - 1) % f->d : -1;
  return failed ? DAE_ERROR_SINGULAR : DAE_OK;
}

/* ---- small systems: solution ---- */

void dae__radau_small_solve(const dae__radau_small *f, double *D)
{
  int d = f->d, m = f->m, n = d + m, left = f->s * d;
  double top[DAE__RADAU_STAGES][DAE__SMALL_N];
  for (int i = 0; i < f->s; i++)
    radau_small_reduce(d, m, radau_small_stage(f, i), D + i * n, f->b + i * d, top[i]);
  for (int i = 0; i < left; i++)
    f->b[i] *= f->scale[i];
  dae__lu_solve(left, f->S, f->pivot, f->b);
  for (int i = 0; i < f->s; i++) {
    const stage_rows o = radau_small_stage(f, i);
    double *y = top[i]; /* on entry b, then y = Y\(b - T x) */
    for (int k = 0; k < m; k++)
      y[k] -= dae__dot(left, o.T + k * left, f->b);
    for (int k = 0; k < m; k++)
      for (int l = k + 1; l < m; l++)
        y[l] -= o.Y[k * m + l] * y[k];
    for (int k = m - 1; k >= 0; k--) {
      y[k] *= o.Y[k * m + k];
      for (int l = 0; l < k; l++)
        y[l] -= o.Y[k * m + l] * y[k];
    }
    dae__copy(d, f->b + i * d, D + i * n);
    dae__copy(m, y, D + i * n + d);
  }
}

/* ---- systems of any size ---- */

struct dae__radau_full {
  int s, n;
  dae__radau_small *small; /* matrix of a small system; NULL: large system or sparse Jacobians */
  dae_pattern pattern;     /* pattern of s x s blocks */
  double *values;
  dae__solver *solver;
};

dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s, int max_stages,
                                  const dae__radau_full *other, dae__radau_full **out,
                                  dae_error *err)
{
  dae__radau_full *f = DAE__ALLOC(arena, dae__radau_full, 1);
  *out = f;
  DAE__TRY(dae__arena_status(arena, err));
  *f = (dae__radau_full){.s = s, .n = r->n, .small = other ? other->small : NULL};
  if (f->small)
    return DAE_OK;
  if (r->n <= DAE__SMALL_N && dae__pattern_count(&r->pattern) == r->n * r->n)
    return dae__radau_small_create(arena, r, max_stages, &f->small, err);
  f->pattern = dae__pattern_tiles(arena, &r->pattern, f->s);
  if (!dae__arena_failed(arena))
    f->values = DAE__ALLOC(arena, double, dae__pattern_count(&f->pattern));
  DAE__TRY(dae__arena_status(arena, err));
  return dae__solver_create(arena, &f->pattern, &f->solver, err);
}

void dae__radau_full_free(dae__radau_full *f)
{
  if (f)
    dae__solver_free(f->solver);
}

/* Assembles the rows of stage i from its Jacobians; returns -1, or the unknown at which they are
 * singular. */
static int radau_full_add_rows(dae__radau_full *f, const dae__reduced *r,
                               const dae__collocation_rule *c, double h, int i)
{
  const int *start = r->pattern.start;
  if (f->small)
    return dae__radau_small_add(f->small, r, c, h, i);
  for (int j = 0; j < f->s; j++) {
    double part[3] = {i == j, h * c->A[i][j], h * h * c->A2[i][j]};
    for (int col = 0; col < f->n; col++) {
      int first = start[col], count = start[col + 1] - first;
      dae__reduced_combine(r, first, count, part,
                           f->values + f->pattern.start[j * f->n + col] + i * count);
    }
  }
  return -1;
}

dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae_step *step, dae_error *err)
{
  dae__reduced *r = o->r;
  int middle = rule->s / 2, n = r->n, size = r->n2 + n, column = -1;
  double s = rule->s;
  char name[64] = "";
  if (f->small) {
    DAE__ASSERT(rule->s <= f->small->max_stages);
    f->small->s = rule->s;
  }
  for (int k = 1; k <= rule->s; k++) { /* middle stage last, so that r keeps its Jacobians */
    int i = (middle + k) % rule->s;
    dae__reduced_at at = {.t = step->t + rule->c->c[i] * step->h,
                          .z = o->Z + (size_t)i * (size_t)size,
                          .k = o->K + (size_t)i * (size_t)n};
    DAE__TRY(r->table->linearise(r->self, &at, err));
    int failed = radau_full_add_rows(f, r, rule->c, step->h, i);
    column = column < 0 ? failed : column;
  }
  r->memory->jacobians += rule->s;
  r->memory->factorisations++;
  o->memory->work += s * DAE__RADAU_JACOBIAN_WORK + s * s * s / 4;
  dae_status status = DAE_ERROR_SINGULAR;
  if (column < 0 && f->small) {
    status = dae__radau_small_factor(f->small, &column);
  } else if (column < 0) {
    status = dae__solver_factor(f->solver, f->values);
    int failed = dae__solver_column(f->solver);
    column = failed < 0 ? -1 : failed % f->n;
  }
  if (status == DAE_ERROR_SINGULAR && column >= 0)
    r->table->name(r->self, column, name, sizeof name);
  return status ? dae__fail(err, status, name[0] ? name : NULL,
                            "the iteration matrix of all stages cannot be factored%s%s",
                            name[0] ? ": it is singular at " : "", name)
                : DAE_OK;
}

void dae__radau_full_solve(dae__radau *o, dae__radau_full *f)
{
  dae__copy(f->s * f->n, o->R, o->D);
  if (f->small)
    dae__radau_small_solve(f->small, o->D);
  else
    dae__solver_solve(f->solver, o->D);
}
