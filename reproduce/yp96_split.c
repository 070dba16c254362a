/* Small dense matrices by rows, a problem at one point, and the coordinate split of [YP96 (2.1)].
 */
#include "yp96_split.h"

#include <math.h>
#include <string.h>

/* ---- dense algebra ---- */

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
void yp96_dense_solve(const double *matrix, int n, double *B, int k)
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

void yp96_point_at(const yp96_step *s, const double *z, yp96_point *at)
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
void yp96_point_residual(const yp96_step *s, const double *z, const yp96_point *at, double *r)
{
  int n = s->n;
  double rate[YP96_MOST], f[YP96_MOST];
  for (int i = 0; i < n; i++) {
    r[i] = s->c * (z[i] - s->past[i]) - z[n + i];
    rate[i] = s->c * (z[n + i] - s->past[n + i]);
  }
  memcpy(f, at->f, sizeof f);
  if (s->residual != YP96_R_FORCE)
    yp96_dense_solve(at->M, n, f, 1);
  for (int i = 0; i < n; i++) {
    r[n + i] = -f[i];
    for (int j = 0; j < n; j++)
      r[n + i] += (s->residual != YP96_R_FORCE ? i == j : at->M[i * n + j]) * rate[j];
  }
}

/* ---- the split ---- */

/* (GY)', m x m, and (GX)', p x m */
void yp96_split_parts(const yp96_step *s, const double *G, double *GYt, double *GXt)
{
  for (int i = 0; i < s->m; i++) {
    for (int k = 0; k < s->m; k++)
      GYt[k * s->m + i] = G[i * s->n + s->y[k]];
    for (int k = 0; k < s->n - s->m; k++)
      GXt[k * s->m + i] = G[i * s->n + s->x[k]];
  }
}

/* s = -(GY)^-T Y'r of a vector of n entries [YP96 Lemma 2.2, with (GY)^-T] */
void yp96_split_multipliers(const yp96_step *s, const double *G, const double *r, double *out)
{
  double GYt[YP96_MOST * YP96_MOST], GXt[YP96_MOST * YP96_MOST];
  yp96_split_parts(s, G, GYt, GXt);
  for (int k = 0; k < s->m; k++)
    out[k] = -r[s->y[k]];
  yp96_dense_solve(GYt, s->m, out, 1);
}

/* P r = X'r - Q'Y'r [YP96 (2.1)], p entries */
void yp96_split_project(const yp96_step *s, const double *G, const double *r, double *out)
{
  double multiplier[YP96_MOST];
  yp96_split_multipliers(s, G, r, multiplier);
  for (int k = 0; k < s->n - s->m; k++) {
    out[k] = r[s->x[k]];
    for (int i = 0; i < s->m; i++)
      out[k] += G[i * s->n + s->x[k]] * multiplier[i];
  }
}

/* Rows of G' with the largest pivots become dependent; the given coordinate never does. */
void yp96_split_select(yp96_step *s, const double *G, int independent)
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
