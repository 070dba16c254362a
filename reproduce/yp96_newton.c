/* The discretised equations of [YP96] and their iterations, see yp96_newton.h. Small dense
 * matrices by rows; derivatives by central differences. */
#include "yp96_newton.h"

#include <math.h>
#include <string.h>

#define STEP 1e-6 /* step of differences, relative to max(1, |z|) */

/* ---- dense algebra ---- */

double yp96_distance(const double *a, const double *b, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

static void dense_swap(double *a, double *b, int count)
{
  for (int i = 0; i < count; i++) {
    double t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
}

/* Solves A X = B by elimination with row pivoting; B has k columns and receives X. A singular
 * matrix gives NaN. */
static void dense_solve(const double *matrix, int n, double *B, int k)
{
  double A[YP96_Z * YP96_Z];
  memcpy(A, matrix, (size_t)(n * n) * sizeof *A);
  for (int j = 0; j < n; j++) {
    int pivot = j;
    for (int i = j + 1; i < n; i++)
      pivot = fabs(A[i * n + j]) > fabs(A[pivot * n + j]) ? i : pivot;
    dense_swap(&A[j * n], &A[pivot * n], n);
    dense_swap(&B[j * k], &B[pivot * k], k);
    for (int i = j + 1; i < n; i++) {
      double l = A[i * n + j] / A[j * n + j];
      for (int c = j; c < n; c++)
        A[i * n + c] -= l * A[j * n + c];
      for (int c = 0; c < k; c++)
        B[i * k + c] -= l * B[j * k + c];
    }
  }
  for (int i = n - 1; i >= 0; i--)
    for (int c = 0; c < k; c++) {
      for (int j = i + 1; j < n; j++)
        B[i * k + c] -= A[i * n + j] * B[j * k + c];
      B[i * k + c] /= A[i * n + i];
    }
}

/* ---- the problem at one point ---- */

typedef struct point {
  double M[YP96_MOST * YP96_MOST], G[YP96_MOST * YP96_MOST];
  double f[YP96_MOST], g[YP96_MOST], Gv[YP96_MOST];
} point;

static void point_expand(const dae_pattern *pattern, int rows, int cols, const double *values,
                         double *out)
{
  memset(out, 0, (size_t)(rows * cols) * sizeof *out);
  for (int j = 0; j < cols; j++)
    if (pattern)
      for (int k = pattern->start[j]; k < pattern->start[j + 1]; k++)
        out[pattern->row[k] * cols + j] = values[k];
    else
      for (int i = 0; i < rows; i++)
        out[i * cols + j] = values[j * rows + i];
}

static void point_at(const yp96_step *s, const double *z, point *at)
{
  const dae_mechanical *p = s->problem;
  double M[YP96_MOST * YP96_MOST], G[YP96_MOST * YP96_MOST];
  const dae_mechanical_at where = {.q = z, .v = z + s->n};
  int refused;
  if (p->eval) {
    const dae_mechanical_wanted wanted = {.M = M, .f = at->f, .g = at->g, .G = G};
    refused = p->eval(p->user, &where, &wanted);
  } else {
    refused = p->M(p->user, &where, M) || p->f(p->user, &where, at->f) ||
              p->g(p->user, &where, at->g) || p->G(p->user, &where, G);
  }
  point_expand(p->M_pattern, s->n, s->n, M, at->M);
  point_expand(p->G_pattern, s->m, s->n, G, at->G);
  for (int i = 0; i < s->m; i++) {
    at->Gv[i] = refused ? NAN : 0;
    for (int j = 0; j < s->n; j++)
      at->Gv[i] += at->G[i * s->n + j] * z[s->n + j];
  }
}

/* (r1, r2), 2n */
static void point_residual(const yp96_step *s, const double *z, const point *at, double *r)
{
  int n = s->n;
  double rate[YP96_MOST], f[YP96_MOST];
  for (int i = 0; i < n; i++) {
    r[i] = s->c * (z[i] - s->past[i]) - z[n + i];
    rate[i] = s->c * (z[n + i] - s->past[n + i]);
  }
  memcpy(f, at->f, sizeof f);
  if (s->residual != YP96_R_FORCE)
    dense_solve(at->M, n, f, 1);
  for (int i = 0; i < n; i++) {
    r[n + i] = -f[i];
    for (int j = 0; j < n; j++)
      r[n + i] += (s->residual != YP96_R_FORCE ? i == j : at->M[i * n + j]) * rate[j];
  }
}

/* ---- the split ---- */

/* (GY)', m x m, and (GX)', p x m */
static void split_parts(const yp96_step *s, const double *G, double *GYt, double *GXt)
{
  for (int i = 0; i < s->m; i++) {
    for (int k = 0; k < s->m; k++)
      GYt[k * s->m + i] = G[i * s->n + s->y[k]];
    for (int k = 0; k < s->n - s->m; k++)
      GXt[k * s->m + i] = G[i * s->n + s->x[k]];
  }
}

/* s = -(GY)^-T Y'r of a vector of n entries [YP96 Lemma 2.2, with (GY)^-T] */
static void split_multipliers(const yp96_step *s, const double *G, const double *r, double *out)
{
  double GYt[YP96_MOST * YP96_MOST], GXt[YP96_MOST * YP96_MOST];
  split_parts(s, G, GYt, GXt);
  for (int k = 0; k < s->m; k++)
    out[k] = -r[s->y[k]];
  dense_solve(GYt, s->m, out, 1);
}

/* P r = X'r - Q'Y'r [YP96 (2.1)], p entries */
static void split_project(const yp96_step *s, const double *G, const double *r, double *out)
{
  double multiplier[YP96_MOST];
  split_multipliers(s, G, r, multiplier);
  for (int k = 0; k < s->n - s->m; k++) {
    out[k] = r[s->x[k]];
    for (int i = 0; i < s->m; i++)
      out[k] += G[i * s->n + s->x[k]] * multiplier[i];
  }
}

/* Rows of G' with the largest pivots become dependent; the given coordinate never does. */
static void split_select(yp96_step *s, const double *G, int independent)
{
  double A[YP96_MOST * YP96_MOST];
  bool used[YP96_MOST] = {false};
  int n = s->n, p = 0;
  memcpy(A, G, (size_t)(s->m * n) * sizeof *A);
  for (int i = 0; i < s->m; i++) {
    int best = -1;
    for (int j = 0; j < n; j++)
      if (!used[j] && j != independent && (best < 0 || fabs(A[i * n + j]) > fabs(A[i * n + best])))
        best = j;
    used[best] = true;
    s->y[i] = best;
    for (int k = i + 1; k < s->m; k++) {
      double l = A[k * n + best] / A[i * n + best];
      for (int j = 0; j < n; j++)
        A[k * n + j] -= l * A[i * n + j];
    }
  }
  for (int j = 0; j < n; j++)
    if (!used[j])
      s->x[p++] = j;
}

dae_status yp96_step_begin(const dae_mechanical *problem, double c, const double *past,
                           const double *q, int independent, yp96_step *step, dae_error *err)
{
  point at;
  *err = dae_error_none();
  if (problem->nq > YP96_MOST || problem->nk + problem->nu + problem->nw + problem->nin > 0) {
    snprintf(err->text, sizeof err->text, "%s is too large for the iterations of a single step",
             problem->name);
    return err->status = DAE_ERROR_USAGE;
  }
  *step = (yp96_step){.problem = problem, .n = problem->nq, .m = problem->ng, .c = c};
  memcpy(step->past, past, (size_t)(2 * step->n) * sizeof *past);
  double z[YP96_Z] = {0};
  memcpy(z, q, (size_t)step->n * sizeof *q);
  point_at(step, z, &at);
  split_select(step, at.G, independent);
  return DAE_OK;
}

/* ---- the nonlinear system ---- */

static void step_rows(const yp96_step *s, const point *at, const double *G, const double *r,
                      double *out)
{
  int n = s->n, p = n - s->m;
  double second[YP96_MOST];
  memcpy(second, r + n, sizeof second);
  for (int i = 0; i < n && s->residual == YP96_R_MASS_P; i++) {
    second[i] = 0;
    for (int j = 0; j < n; j++)
      second[i] += at->M[i * n + j] * r[n + j];
  }
  split_project(s, G, r, out);
  split_project(s, G, second, out + p);
  memcpy(out + 2 * p, at->Gv, (size_t)s->m * sizeof *out);
  memcpy(out + 2 * p + s->m, at->g, (size_t)s->m * sizeof *out);
}

void yp96_step_residual(const yp96_step *s, const double *z, const double *p_at, double *out)
{
  point at, frozen;
  double r[YP96_Z], z_p[YP96_Z];
  point_at(s, z, &at);
  point_residual(s, z, &at, r);
  if (!p_at) {
    step_rows(s, &at, at.G, r, out);
    return;
  }
  memcpy(z_p, z, sizeof z_p);
  memcpy(z_p, p_at, (size_t)s->n * sizeof *p_at);
  point_at(s, z_p, &frozen);
  step_rows(s, &at, frozen.G, r, out);
}

void yp96_step_jacobian(const yp96_step *s, const double *z, const double *p_at, double *J)
{
  int size = 2 * s->n;
  double at[YP96_Z], up[YP96_Z], down[YP96_Z];
  memcpy(at, z, (size_t)size * sizeof *at);
  for (int j = 0; j < size; j++) {
    double d = STEP * fmax(1, fabs(z[j]));
    at[j] = z[j] + d;
    yp96_step_residual(s, at, p_at, up);
    at[j] = z[j] - d;
    yp96_step_residual(s, at, p_at, down);
    at[j] = z[j];
    for (int i = 0; i < size; i++)
      J[i * size + j] = (up[i] - down[i]) / (2 * d);
  }
}

/* z -= J^-1 F(z); the size of the increment */
static double step_newton(const yp96_step *s, const double *J, const double *p_at, double *z)
{
  int size = 2 * s->n;
  double F[YP96_Z], most = 0;
  yp96_step_residual(s, z, p_at, F);
  dense_solve(J, size, F, 1);
  for (int i = 0; i < size; i++) {
    z[i] -= F[i];
    most = fmax(most, fabs(F[i]));
  }
  return most;
}

bool yp96_step_solve(const yp96_step *s, double *z, const double *p_at)
{
  double J[YP96_Z * YP96_Z], size = INFINITY;
  for (int k = 0; k < 60 && size > 1e-15; k++) {
    yp96_step_jacobian(s, z, p_at, J);
    double next = step_newton(s, J, p_at, z);
    if (!isfinite(next) || (next >= size && next < 1e-9))
      return isfinite(next);
    size = next;
  }
  return size < 1e-9;
}

double yp96_step_dependent(const yp96_step *s, const double *z)
{
  point at;
  double r[YP96_Z], most = 0;
  point_at(s, z, &at);
  point_residual(s, z, &at, r);
  for (int k = 0; k < s->m; k++)
    most = fmax(most, fmax(fabs(r[s->y[k]]), fabs(r[s->n + s->y[k]])));
  return most;
}

/* ---- rates ---- */

#define POWERS 400

/* Spectral radius by powers, from the growth over the second half. */
static double rate_radius(const double *E, int n)
{
  double x[YP96_Z], y[YP96_Z], growth = 0;
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.1 * i;
  for (int k = 0; k < POWERS; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++)
        y[i] += E[i * n + j] * x[j];
      norm = fmax(norm, fabs(y[i]));
    }
    if (!(norm > 0))
      return norm;
    for (int i = 0; i < n; i++)
      x[i] = y[i] / norm;
    growth += k >= POWERS / 2 ? log(norm) : 0;
  }
  return exp(growth / (POWERS - POWERS / 2.0));
}

double yp96_step_rate(const yp96_step *s, const double *start, const double *start_p,
                      const double *solution, const double *solution_p)
{
  int n = 2 * s->n;
  double J0[YP96_Z * YP96_Z], E[YP96_Z * YP96_Z];
  yp96_step_jacobian(s, start, start_p, J0);
  yp96_step_jacobian(s, solution, solution_p, E);
  dense_solve(J0, n, E, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      E[i * n + j] = (i == j) - E[i * n + j];
  return rate_radius(E, n);
}

/* ---- Algorithms 2.1 and 3.1 ---- */

/* (r1 + G's1, r2 + G's2) with fixed s, whose derivative is J1 [YP96 (2.16)]; s NULL: (3.11) */
static void algorithm_forces(const yp96_step *s, const double *z, const double *multipliers,
                             double *r)
{
  point at;
  point_at(s, z, &at);
  point_residual(s, z, &at, r);
  for (int b = 0; b < 2 && multipliers; b++)
    for (int j = 0; j < s->n; j++)
      for (int i = 0; i < s->m; i++)
        r[b * s->n + j] += at.G[i * s->n + j] * multipliers[b * s->m + i];
}

static void algorithm_matrix(const yp96_step *s, const double *z, bool cm, double *J1)
{
  int size = 2 * s->n;
  point at;
  double r[YP96_Z], multipliers[YP96_Z], moved[YP96_Z], up[YP96_Z], down[YP96_Z];
  point_at(s, z, &at);
  point_residual(s, z, &at, r);
  split_multipliers(s, at.G, r, multipliers);
  split_multipliers(s, at.G, r + s->n, multipliers + s->m);
  memcpy(moved, z, (size_t)size * sizeof *moved);
  for (int j = 0; j < size; j++) {
    double d = STEP * fmax(1, fabs(z[j]));
    moved[j] = z[j] + d;
    algorithm_forces(s, moved, cm ? NULL : multipliers, up);
    moved[j] = z[j] - d;
    algorithm_forces(s, moved, cm ? NULL : multipliers, down);
    moved[j] = z[j];
    for (int i = 0; i < size; i++)
      J1[i * size + j] = (up[i] - down[i]) / (2 * d);
  }
}

/* u with P u = a, G u = -b in the form of (2.23) or (2.25), with the matrices G0 of the start */
static void algorithm_increment(const yp96_step *s, yp96_variant variant, const double *G0,
                                const double *a, const double *b, double *u)
{
  int m = s->m, p = s->n - m;
  double GYt[YP96_MOST * YP96_MOST], GXt[YP96_MOST * YP96_MOST], GY[YP96_MOST * YP96_MOST];
  double Q[YP96_MOST * YP96_MOST], e[YP96_MOST], ux[YP96_MOST], A[YP96_MOST * YP96_MOST];
  split_parts(s, G0, GYt, GXt);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++)
      GY[i * m + k] = GYt[k * m + i];
    for (int k = 0; k < p; k++)
      Q[i * p + k] = GXt[k * m + i];
    e[i] = b[i];
  }
  dense_solve(GY, m, Q, p);
  dense_solve(GY, m, e, 1); /* (GY)^-1 b */
  double sign = variant == YP96_PRINTED ? 1 : -1;
  for (int k = 0; k < p; k++) {
    ux[k] = a[k];
    for (int i = 0; i < m; i++)
      ux[k] += sign * Q[i * p + k] * e[i];
    for (int j = 0; j < p; j++) {
      A[k * p + j] = k == j;
      for (int i = 0; i < m; i++)
        A[k * p + j] += Q[i * p + k] * Q[i * p + j];
    }
  }
  if (variant != YP96_CHEAP && variant != YP96_PRINTED)
    dense_solve(A, p, ux, 1);
  for (int k = 0; k < p; k++)
    u[s->x[k]] = ux[k];
  for (int i = 0; i < m; i++) {
    u[s->y[i]] = -e[i];
    for (int k = 0; k < p; k++)
      u[s->y[i]] -= Q[i * p + k] * ux[k];
  }
}

/* d(G v)/dq dq + G v [YP96 below (2.24)] */
static void algorithm_eta(const yp96_step *s, const double *z, const point *at, const double *dq,
                          double *eta)
{
  double up[YP96_Z], down[YP96_Z];
  point above, below;
  memcpy(up, z, sizeof up);
  memcpy(down, z, sizeof down);
  double size = 0;
  for (int j = 0; j < s->n; j++)
    size = fmax(size, fabs(dq[j]));
  double scale = size > 0 ? STEP / size : 0;
  for (int j = 0; j < s->n; j++) {
    up[j] += scale * dq[j];
    down[j] -= scale * dq[j];
  }
  point_at(s, up, &above);
  point_at(s, down, &below);
  for (int i = 0; i < s->m; i++)
    eta[i] = at->Gv[i] + (scale > 0 ? (above.Gv[i] - below.Gv[i]) / (2 * scale) : 0);
}

static void algorithm_step(const yp96_step *s, yp96_variant variant, const double *J1,
                           const double *G0, double *z)
{
  int n = s->n;
  point at;
  double d[YP96_Z], a[YP96_MOST], dq[YP96_MOST], dv[YP96_MOST], eta[YP96_MOST];
  point_at(s, z, &at);
  point_residual(s, z, &at, d);
  for (int i = 0; i < 2 * n; i++)
    d[i] = -d[i];
  dense_solve(J1, 2 * n, d, 1); /* (2.26) */
  const double *G = variant == YP96_CM_PRINTED ? G0 : at.G;
  split_project(s, G, d, a);
  algorithm_increment(s, variant, G0, a, at.g, dq);
  algorithm_eta(s, z, &at, dq, eta);
  split_project(s, G, d + n, a);
  algorithm_increment(s, variant, G0, a, eta, dv);
  for (int i = 0; i < n; i++) {
    z[i] += dq[i];
    z[n + i] += dv[i];
  }
}

void yp96_step_iterate(const yp96_step *s, yp96_variant variant, int count, double *z)
{
  double J[YP96_Z * YP96_Z], start[YP96_Z];
  bool cm = variant == YP96_CM_EXACT || variant == YP96_CM_PRINTED;
  bool exact = variant == YP96_EXACT || variant == YP96_CM_EXACT;
  point at;
  memcpy(start, z, sizeof start);
  point_at(s, start, &at);
  if (exact)
    yp96_step_jacobian(s, start, cm ? start : NULL, J);
  else
    algorithm_matrix(s, start, cm, J);
  for (int k = 0; k < count; k++)
    if (exact)
      step_newton(s, J, cm ? start : NULL, z);
    else
      algorithm_step(s, variant, J, at.G, z);
}
