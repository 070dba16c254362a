/* Products by T = -(1 + L)^-1 U, by one pass over C in the order of the sweep, and the eigenvalue
 * mu of T of largest modulus.
 *
 * A zero column of U is a zero column of T: with J the set of the other columns, the nonzero
 * eigenvalues of T are those of T_JJ. The same holds for the transposed sweep, -(1 + L)^-T U',
 * whose columns are the rows of U; it is the sweep over C' in reverse order. So a ring of any
 * number of subsystems, in which only the last feeds back, comes down to the unknowns of one.
 *
 * With many unknowns in J, only products by T are formed:
 *
 *   x -> T x / |T x|    power iterations from a start without symmetries
 *   T V = V H + h v e'  Arnoldi process from there: mu is the largest eigenvalue of H, x = V s, if
 *                       the residual h |e's| is small
 *
 * The residual is not small for rings, whose eigenvalues lie close together on a circle. Then the
 * power iteration is continued. The norms |T x| oscillate, for complex pairs too, but their
 * geometric mean over a block does not; the length of a block is doubled until the means of two
 * consecutive blocks agree. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/spectrum.h"
#include "wave/analysis/loop_matrix.h"
#include <math.h>
#include <string.h>

/* dense eigenvalues up to this size take 13 ms */
#define MAX_DENSE_UNKNOWNS 120
#define ESTIMATE_PRODUCTS 32 /* power iterations of an estimate of rho; chosen, not measured */
/* columns of V, and power iterations before the Arnoldi process; chosen */
#define ARNOLDI_DIMENSION 64
#define ARNOLDI_RESIDUAL 1e-4 /* accepted residual of a Ritz vector relative to |mu| */
#define CLOSED_SUBSPACE 1e-14 /* relative size of a new column that V already spans */
/* Lengths of the blocks of a power iteration. About 2000 iterations are needed to separate modes
 * closer than 1e-3: means over blocks shorter than TRUSTED_BLOCK are not compared. */
#define FIRST_BLOCK 256
#define TRUSTED_BLOCK 2048
#define LAST_BLOCK 8192
#define BLOCK_AGREEMENT 2e-4  /* relative difference at which two block means agree */
#define AVERAGED_ITERATES 512 /* power iterates in the root mean square of |x_i| */
/* Largest product |y_i x_i| of the left and right eigenvectors below which the products are
 * meaningless and |x_i| alone is used: eigenvectors of two loops with equal rho may be mixed
 * differently from the left and from the right. */
#define MIN_OVERLAP 1e-6

dae__splitting dae__splitting_create(dae__arena *arena, const dae__loop_matrix *matrix)
{
  size_t n = (size_t)matrix->n, dense = n < MAX_DENSE_UNKNOWNS ? n : MAX_DENSE_UNKNOWNS;
  bool large = n > MAX_DENSE_UNKNOWNS;
  size_t m = large ? ARNOLDI_DIMENSION : 0;
  return (dae__splitting){
      .matrix = matrix,
      .first = DAE__ALLOC(arena, int, matrix->systems + 1),
      .turn = DAE__ALLOC(arena, int, n),
      .place = DAE__ALLOC(arena, int, n),
      .system_place = DAE__ALLOC(arena, int, matrix->systems),
      .active = DAE__ALLOC(arena, int, n),
      .row_seen = DAE__ALLOC(arena, int, n),
      .x = DAE__ALLOC(arena, double, n),
      .y = DAE__ALLOC(arena, double, n),
      .B = DAE__ALLOC(arena, double, dense *dense),
      .re = DAE__ALLOC(arena, double, n),
      .im = DAE__ALLOC(arena, double, n),
      .dimension = (int)m,
      .V = DAE__ALLOC(arena, double, large ? n *(m + 1) : 0),
      .H = DAE__ALLOC(arena, double, m *m),
  };
}

/* ---- products by T ---- */

/* Sorts the unknowns in the order of the sweep: by position of their subsystem, then by number. */
static void splitting_sort(dae__splitting *s)
{
  int n = s->matrix->n, systems = s->matrix->systems;
  memset(s->first, 0, (size_t)(systems + 1) * sizeof *s->first);
  for (int i = 0; i < n; i++)
    s->first[s->place[i] + 1]++;
  for (int k = 0; k < systems; k++)
    s->first[k + 1] += s->first[k];
  for (int i = 0; i < n; i++)
    s->turn[s->first[s->place[i]]++] = i;
}

void dae__splitting_order(dae__splitting *s, const int *order)
{
  const dae__loop_matrix *g = s->matrix;
  s->pattern = &g->pattern;
  s->C = g->values;
  for (int k = 0; k < g->systems; k++)
    s->system_place[order ? order[k] : k] = order ? k : 0;
  for (int i = 0; i < g->n; i++)
    s->place[i] = s->system_place[g->owner[i]];
  splitting_sort(s);
}

/* Replaces the sweep by the transposed sweep, and back. */
static void splitting_transpose(dae__splitting *s)
{
  const dae__loop_matrix *g = s->matrix;
  bool forward = s->pattern == &g->pattern;
  s->pattern = forward ? &g->transposed : &g->pattern;
  s->C = forward ? g->transposed_values : g->values;
  for (int i = 0; i < g->n; i++)
    s->place[i] = g->systems - 1 - s->place[i];
  splitting_sort(s);
}

/* y = T x */
static void splitting_apply(const dae__splitting *s, const double *x, double *y)
{
  const dae_pattern *p = s->pattern;
  const int *place = s->place;
  dae__zero(p->cols, y);
  for (int j = 0; j < p->cols; j++) /* y = -U x */
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (place[p->row[e]] <= place[j])
        y[p->row[e]] -= s->C[e] * x[j];
  for (int k = 0; k < p->cols; k++) { /* y = (1 + L) \ y */
    int j = s->turn[k];
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (place[p->row[e]] > place[j])
        y[p->row[e]] -= s->C[e] * y[j];
  }
}

/* Lists the set J of columns with entries in U and returns its size; *rows is the number of nonzero
 * rows of U. */
static int splitting_find_active(dae__splitting *s, int *rows)
{
  const dae_pattern *p = s->pattern;
  int count = 0;
  *rows = 0;
  memset(s->row_seen, 0, (size_t)p->cols * sizeof *s->row_seen);
  for (int j = 0; j < p->cols; j++) {
    bool in_U = false;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      int i = p->row[e];
      if (s->place[i] > s->place[j])
        continue;
      in_U = true;
      *rows += !s->row_seen[i];
      s->row_seen[i] = 1;
    }
    if (in_U)
      s->active[count++] = j;
  }
  return count;
}

/* ---- few active unknowns: dense eigenvalues ---- */

/* Eigenvalue of largest modulus of A, n x n, the first one of equals; its eigenvector, if wanted,
 * in re and im. */
static dae_status splitting_dominant(const dae__splitting *s, const dae_env *env, int n, double *A,
                                     bool vector, double *rho, dae_error *err)
{
  int which = 0;
  DAE__TRY(dae__spectrum_values(env, n, A, s->re, s->im, err));
  for (int k = 1; k < n; k++)
    if (hypot(s->re[k], s->im[k]) > hypot(s->re[which], s->im[which]))
      which = k;
  double re = s->re[which], im = s->im[which];
  *rho = hypot(re, im);
  return vector ? dae__spectrum_vector(env, n, A, re, im, s->re, s->im, err) : DAE_OK;
}

/* Eigenvalue of largest modulus of B = T_JJ, J not empty. */
static dae_status splitting_dense(dae__splitting *s, const dae_env *env, int count, bool vector,
                                  double *rho, dae_error *err)
{
  dae__zero(s->matrix->n, s->x);
  for (int k = 0; k < count; k++) {
    s->x[s->active[k]] = 1;
    splitting_apply(s, s->x, s->y);
    s->x[s->active[k]] = 0;
    for (int i = 0; i < count; i++)
      s->B[i + k * count] = s->y[s->active[i]];
  }
  return splitting_dominant(s, env, count, s->B, vector, rho, err);
}

/* weight_i = |x_i|, x the eigenvector of B extended by T to all unknowns; largest weight 1 */
static dae_status splitting_dense_mode(dae__splitting *s, const dae_env *env, int count,
                                       double *weight, dae_error *err)
{
  int n = s->matrix->n;
  double rho, *u = s->re, *v = s->im;
  DAE__TRY(splitting_dense(s, env, count, true, &rho, err));
  for (int imaginary = 0; imaginary < 2; imaginary++) {
    dae__zero(n, s->x);
    for (int k = 0; k < count; k++)
      s->x[s->active[k]] = imaginary ? v[k] : u[k];
    splitting_apply(s, s->x, s->y);
    for (int i = 0; i < n; i++)
      weight[i] = imaginary ? hypot(weight[i], s->y[i]) : s->y[i];
  }
  double most = dae__max_abs(n, weight);
  dae__scale(n, most > 0 ? 1 / most : 0, weight);
  return DAE_OK;
}

/* ---- many active unknowns: Arnoldi and power iterations ---- */

/* x = T x / |T x| with scratch y; returns |T x|, or 0 where the norm vanishes or overflows */
static double splitting_power_step(const dae__splitting *s, double *x, double *y)
{
  int n = s->matrix->n;
  splitting_apply(s, x, y);
  double size = sqrt(dae__dot(n, y, y));
  if (!(size > 0) || !isfinite(size))
    return 0;
  for (int i = 0; i < n; i++)
    x[i] = y[i] / size;
  return size;
}

/* Arnoldi process T V = V H + h v e'; returns h, and the number of columns of V. */
static double splitting_arnoldi(const dae__splitting *s, int *columns)
{
  int m = s->dimension, n = s->matrix->n;
  double size = 0;
  dae__zero(m * m, s->H);
  for (int k = 0; k < m; k++) {
    double *v = s->V + (size_t)(k + 1) * (size_t)n, *h = s->H + k * m;
    splitting_apply(s, v - n, v);
    double whole = sqrt(dae__dot(n, v, v));
    for (int pass = 0; pass < 2; pass++) /* orthogonalised twice to limit rounding errors */
      for (int j = 0; j <= k; j++) {
        const double *Vj = s->V + (size_t)j * (size_t)n;
        double along = dae__dot(n, Vj, v);
        h[j] += along;
        dae__axpy(n, -along, Vj, v);
      }
    size = sqrt(dae__dot(n, v, v));
    size = size <= CLOSED_SUBSPACE * whole ? 0 : size;
    *columns = k + 1;
    if (size == 0)
      break;
    dae__scale(n, 1 / size, v);
    if (k + 1 < m)
      h[k + 1] = size;
  }
  for (int k = 1; k < *columns; k++) /* leading dimension of H from m to *columns */
    for (int i = 0; i < *columns; i++)
      s->H[i + k * *columns] = s->H[i + k * m];
  return size;
}

/* Power iteration from the last Arnoldi vector, over blocks of doubling length until two means
 * agree. */
static double splitting_power(const dae__splitting *s)
{
  int n = s->matrix->n;
  double *x = s->V + (size_t)(s->dimension - 1) * (size_t)n, *y = x + n, mean = 0;
  for (int length = FIRST_BLOCK; length <= LAST_BLOCK; length *= 2) {
    double before = mean, growth = 0;
    for (int k = 0; k < length; k++) {
      double size = splitting_power_step(s, x, y);
      if (size == 0)
        return 0;
      growth += log(size);
    }
    mean = exp(growth / length);
    if (length >= TRUSTED_BLOCK && fabs(mean - before) <= BLOCK_AGREEMENT * mean)
      break;
  }
  return mean;
}

/* Modulus |x_i| of the eigenvector: x = V s, or, without a Ritz vector, the root mean square over
 * power iterates, since the iterates of a complex pair rotate. */
static void splitting_modulus(const dae__splitting *s, bool ritz, int columns, double *modulus)
{
  int n = s->matrix->n;
  double *x = s->V + (size_t)(s->dimension - 1) * (size_t)n;
  for (int i = 0; i < n && ritz; i++) {
    double re = 0, im = 0;
    for (int k = 0; k < columns; k++) {
      double v = s->V[(size_t)i + (size_t)k * (size_t)n];
      re += v * s->re[k];
      im += v * s->im[k];
    }
    modulus[i] = hypot(re, im);
  }
  for (int k = 0; k < AVERAGED_ITERATES && !ritz; k++) {
    splitting_power_step(s, x, x + n);
    for (int i = 0; i < n; i++)
      modulus[i] += x[i] * x[i];
  }
  for (int i = 0; i < n && !ritz; i++)
    modulus[i] = sqrt(modulus[i]);
}

/* rho = |mu| to about 1e-3, and the modulus |x_i| of its eigenvector (may be NULL), largest entry
 * 1; zero for rho = 0. */
static dae_status splitting_large(dae__splitting *s, const dae_env *env, double *rho,
                                  double *modulus, dae_error *err)
{
  int columns = 0, n = s->matrix->n;
  double *x = s->V;
  *rho = 0;
  if (modulus)
    dae__zero(n, modulus);
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < s->dimension; k++)
    if (splitting_power_step(s, x, x + n) == 0)
      return DAE_OK;
  double h = splitting_arnoldi(s, &columns);
  DAE__TRY(splitting_dominant(s, env, columns, s->H, true, rho, err));
  double last = hypot(s->re[columns - 1], s->im[columns - 1]);
  last /= hypot(sqrt(dae__dot(columns, s->re, s->re)), sqrt(dae__dot(columns, s->im, s->im)));
  bool found = h * last <= ARNOLDI_RESIDUAL * *rho;
  if (!found)
    *rho = splitting_power(s);
  if (modulus && *rho > 0) {
    splitting_modulus(s, found, columns, modulus);
    dae__scale(n, 1 / dae__max_abs(n, modulus), modulus);
  }
  return DAE_OK;
}

/* ---- spectral radius and mode ---- */

dae_status dae__splitting_radius(dae__splitting *s, const dae_env *env, double *rho, dae_error *err)
{
  int rows, count = splitting_find_active(s, &rows);
  *rho = 0;
  if (count == 0)
    return DAE_OK;
  bool transposed = rows < count;
  if (transposed) {
    splitting_transpose(s);
    count = splitting_find_active(s, &rows);
  }
  dae_status status = count <= MAX_DENSE_UNKNOWNS ? splitting_dense(s, env, count, false, rho, err)
                                                  : splitting_large(s, env, rho, NULL, err);
  if (transposed)
    splitting_transpose(s);
  return status;
}

double dae__splitting_estimate(dae__splitting *s)
{
  int n = s->matrix->n;
  double growth = 0;
  for (int i = 0; i < n; i++)
    s->x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < ESTIMATE_PRODUCTS; k++) {
    double size = splitting_power_step(s, s->x, s->y);
    if (size == 0)
      return 0;
    growth += 2 * k < ESTIMATE_PRODUCTS ? 0 : log(size); /* geometric mean over the second half */
  }
  return exp(2 * growth / ESTIMATE_PRODUCTS);
}

/* weight_i = |x_i| of the right eigenvector, largest weight 1 */
static dae_status splitting_right_mode(dae__splitting *s, const dae_env *env, double *weight,
                                       dae_error *err)
{
  int rows, count = splitting_find_active(s, &rows);
  double rho;
  dae__zero(s->matrix->n, weight);
  if (count == 0)
    return DAE_OK;
  return count > MAX_DENSE_UNKNOWNS ? splitting_large(s, env, &rho, weight, err)
                                    : splitting_dense_mode(s, env, count, weight, err);
}

dae_status dae__splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                               dae_error *err)
{
  int n = s->matrix->n;
  dae__arena *arena = dae__arena_create(env);
  double *left = DAE__ALLOC(arena, double, n), most = 0;
  dae_status status = left ? splitting_right_mode(s, env, weight, err) : dae__out_of_memory(err);
  if (!status) {
    splitting_transpose(s);
    status = splitting_right_mode(s, env, left, err);
    splitting_transpose(s);
  }
  for (int i = 0; i < n && !status; i++)
    most = fmax(most, left[i] * weight[i]);
  for (int i = 0; i < n && !status && most > MIN_OVERLAP; i++)
    weight[i] *= left[i] / most;
  dae__arena_free(arena);
  return status;
}
