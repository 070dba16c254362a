/* T = -(1 + L)^-1 U by one pass over the gains in turn, and its largest eigenvalues.
 *
 * Columns of T that are zero in U are zero: with J the others, the eigenvalues other than zero are
 * those of T_JJ. The same holds for the transposed sweep, -(1 + L)^-T U', whose columns are the
 * rows of U; it is the sweep over C' in reverse order. So a ring of any number of subsystems, in
 * which only the last feeds back, comes down to the unknowns of one. */
#include "wave/analysis/splitting.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/spectrum.h"
#include <math.h>
#include <string.h>

#define DENSE 120  /* eigenvalues take 5 ms by LAPACK, 13 ms without */
#define GUESSED 32 /* products for a guess */

static void splitting_apply(const void *splitting, const double *x, double *y);

dae__splitting dae__splitting_create(dae__arena *arena, const dae__loop_matrix *matrix)
{
  size_t n = (size_t)matrix->n, few = n < DENSE ? n : DENSE;
  return (dae__splitting){
      .matrix = matrix,
      .dominant = dae__dominant_create(arena, n > DENSE ? matrix->n : 0, splitting_apply, NULL),
      .first = DAE__ALLOC(arena, int, matrix->systems + 1),
      .turn = DAE__ALLOC(arena, int, n),
      .place = DAE__ALLOC(arena, int, n),
      .system_place = DAE__ALLOC(arena, int, matrix->systems),
      .active = DAE__ALLOC(arena, int, n),
      .row_seen = DAE__ALLOC(arena, int, n),
      .x = DAE__ALLOC(arena, double, n),
      .y = DAE__ALLOC(arena, double, n),
      .B = DAE__ALLOC(arena, double, few *few),
      .re = DAE__ALLOC(arena, double, n),
      .im = DAE__ALLOC(arena, double, n),
  };
}

/* Unknowns in turn: by place of their subsystem, and as they come within it. */
static void splitting_take_turns(dae__splitting *s)
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
  splitting_take_turns(s);
}

/* From the sweep to the transposed one, or back. */
static void splitting_transpose(dae__splitting *s)
{
  const dae__loop_matrix *g = s->matrix;
  bool forward = s->pattern == &g->pattern;
  s->pattern = forward ? &g->transposed : &g->pattern;
  s->C = forward ? g->transposed_values : g->values;
  for (int i = 0; i < g->n; i++)
    s->place[i] = g->systems - 1 - s->place[i];
  splitting_take_turns(s);
}

/* y = T x */
static void splitting_apply(const void *splitting, const double *x, double *y)
{
  const dae__splitting *s = splitting;
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

/* Lists J and returns how many they are; *rows is the number of rows of U that are not zero. */
static int splitting_find_active(dae__splitting *s, int *rows)
{
  const dae_pattern *p = s->pattern;
  int count = 0;
  *rows = 0;
  memset(s->row_seen, 0, (size_t)p->cols * sizeof *s->row_seen);
  for (int j = 0; j < p->cols; j++) {
    bool late = false;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      int i = p->row[e];
      if (s->place[i] > s->place[j])
        continue;
      late = true;
      *rows += !s->row_seen[i];
      s->row_seen[i] = 1;
    }
    if (late)
      s->active[count++] = j;
  }
  return count;
}

/* B = T_JJ */
static void splitting_reduce(dae__splitting *s, int count)
{
  dae__zero(s->matrix->n, s->x);
  for (int k = 0; k < count; k++) {
    s->x[s->active[k]] = 1;
    splitting_apply(s, s->x, s->y);
    s->x[s->active[k]] = 0;
    for (int i = 0; i < count; i++)
      s->B[i + k * count] = s->y[s->active[i]];
  }
}

/* The eigenvalue of largest modulus of B, count > 0; the first of equals. */
static dae_status splitting_largest(dae__splitting *s, const dae_env *env, int count, int *which,
                                    double *rho, dae_error *err)
{
  dae_status status = dae__spectrum_values(env, count, s->B, s->re, s->im, err);
  *which = 0;
  *rho = -1;
  for (int k = 0; k < count && !status; k++)
    if (hypot(s->re[k], s->im[k]) > *rho) {
      *rho = hypot(s->re[k], s->im[k]);
      *which = k;
    }
  return status;
}

dae_status dae__splitting_radius(dae__splitting *s, const dae_env *env, double *rho, dae_error *err)
{
  int rows, which, count = splitting_find_active(s, &rows);
  *rho = 0;
  if (count == 0)
    return DAE_OK;
  bool turned = rows < count;
  if (turned) {
    splitting_transpose(s);
    count = splitting_find_active(s, &rows);
  }
  dae_status status = DAE_OK;
  if (count <= DENSE) {
    splitting_reduce(s, count);
    status = splitting_largest(s, env, count, &which, rho, err);
  } else {
    s->dominant.T = s;
    status = dae__dominant_find(&s->dominant, env, rho, NULL, err);
  }
  if (turned)
    splitting_transpose(s);
  return status;
}

/* the geometric mean of growth over the second half of the products */
double dae__splitting_guess(dae__splitting *s)
{
  int n = s->matrix->n;
  double growth = 0;
  for (int i = 0; i < n; i++)
    s->x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < GUESSED; k++) {
    splitting_apply(s, s->x, s->y);
    double norm = sqrt(dae__dot(n, s->y, s->y));
    if (!(norm > 0) || !isfinite(norm))
      return 0;
    growth += 2 * k < GUESSED ? 0 : log(norm);
    for (int i = 0; i < n; i++)
      s->x[i] = s->y[i] / norm;
  }
  return exp(2 * growth / GUESSED);
}

/* weight_i = |x_i|, x the vector of B extended by T to all unknowns */
static dae_status splitting_dense_mode(dae__splitting *s, const dae_env *env, int count,
                                       double *weight, dae_error *err)
{
  int n = s->matrix->n, which;
  double rho, *u = s->re, *v = s->im;
  splitting_reduce(s, count);
  dae_status status = splitting_largest(s, env, count, &which, &rho, err);
  double re = u[which], im = v[which];
  if (!status)
    status = dae__spectrum_vector(env, count, s->B, re, im, u, v, err);
  DAE__TRY(status);
  for (int part = 0; part < 2; part++) {
    dae__zero(n, s->x);
    for (int k = 0; k < count; k++)
      s->x[s->active[k]] = part ? v[k] : u[k];
    splitting_apply(s, s->x, s->y);
    for (int i = 0; i < n; i++)
      weight[i] = part ? hypot(weight[i], s->y[i]) : s->y[i];
  }
  return DAE_OK;
}

/* |x_i|, largest 1 */
static dae_status splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                                 dae_error *err)
{
  int rows, count = splitting_find_active(s, &rows), n = s->matrix->n;
  dae__zero(n, weight);
  if (count == 0)
    return DAE_OK;
  if (count > DENSE) {
    double rho;
    s->dominant.T = s;
    return dae__dominant_find(&s->dominant, env, &rho, weight, err);
  }
  dae_status status = splitting_dense_mode(s, env, count, weight, err);
  double most = dae__max_abs(n, weight);
  dae__scale(n, most > 0 ? 1 / most : 0, weight);
  return status;
}

/* Two loops of the same rho need not be mixed in the same way from both sides: below this the
 * product says nothing, and x alone is taken. */
#define NO_OVERLAP 1e-6

dae_status dae__splitting_mode(dae__splitting *s, const dae_env *env, double *weight,
                               dae_error *err)
{
  int n = s->matrix->n;
  dae__arena *arena = dae__arena_create(env);
  double *left = arena ? DAE__ALLOC(arena, double, n) : NULL, most = 0;
  dae_status status = left ? splitting_mode(s, env, weight, err) : dae__out_of_memory(err);
  if (!status) {
    splitting_transpose(s);
    status = splitting_mode(s, env, left, err);
    splitting_transpose(s);
  }
  for (int i = 0; i < n && !status; i++)
    most = fmax(most, left[i] * weight[i]);
  for (int i = 0; i < n && !status && most > NO_OVERLAP; i++)
    weight[i] *= left[i] / most;
  dae__arena_free(arena);
  return status;
}

/* ---- analysis/dominant.c ---- */
/* The largest |mu| of T, T x = mu x, where T is known by its products only.
 *
 *   x -> T x / |T x|    some times, from a start without symmetries
 *   T V = V H + h v e'  Arnoldi's process from there: mu is the largest eigenvalue of H, x = V s,
 * if the residual h |e's| is small
 *
 * It is not for rings, whose eigenvalues lie on a circle side by side. Then the iteration goes on.
 * Norms go up and down, for complex pairs too, but their geometric mean over a block does not;
 * blocks double until two in a row agree. */

#define DIMENSION 64 /* of V; as many iterations before */
#define RESIDUAL 1e-4
/* Modes closer than 1e-3 are told apart by 2000 iterations, if at all: no block counts before. */
#define FIRST_BLOCK 256
#define TRUSTED_BLOCK 2048
#define LAST_BLOCK 8192
#define AGREEMENT 2e-4
#define AVERAGED 512 /* iterates whose squares are averaged for |x_i| */

dae__dominant dae__dominant_create(dae__arena *arena, int n, dae__apply *apply, const void *T)
{
  int m = n < DIMENSION ? n : DIMENSION;
  return (dae__dominant){
      .n = n,
      .dimension = m,
      .apply = apply,
      .T = T,
      .V = DAE__ALLOC(arena, double, (size_t)n *(size_t)(m + 1)),
      .H = DAE__ALLOC(arena, double, m *m),
      .re = DAE__ALLOC(arena, double, m),
      .im = DAE__ALLOC(arena, double, m),
  };
}

static double dominant_norm(int n, const double *x)
{
  return sqrt(dae__dot(n, x, x));
}

/* x = T x / |T x|, by way of y; returns |T x|, 0 where that is the end */
static double dominant_iterate(const dae__dominant *d, double *x, double *y)
{
  d->apply(d->T, x, y);
  double size = dominant_norm(d->n, y);
  if (!(size > 0) || !isfinite(size))
    return 0;
  for (int i = 0; i < d->n; i++)
    x[i] = y[i] / size;
  return size;
}

/* The first column of V; false: T x = 0 sooner or later. */
static bool dominant_begin(const dae__dominant *d)
{
  double *x = d->V, *y = x + d->n;
  for (int i = 0; i < d->n; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < d->dimension; k++)
    if (dominant_iterate(d, x, y) == 0)
      return false;
  return true;
}

/* The next column of V, orthogonal to those up to k, twice for rounding; returns its size. */
static double dominant_extend(const dae__dominant *d, int k, double *h)
{
  size_t n = (size_t)d->n;
  double *v = d->V + (size_t)(k + 1) * n;
  d->apply(d->T, v - n, v);
  double whole = dominant_norm(d->n, v);
  for (int pass = 0; pass < 2; pass++)
    for (int j = 0; j <= k; j++) {
      double along = dae__dot(d->n, d->V + (size_t)j * n, v);
      h[j] += along;
      dae__axpy(d->n, -along, d->V + (size_t)j * n, v);
    }
  double size = dominant_norm(d->n, v);
  if (size <= 1e-14 * whole) /* the subspace is closed */
    return 0;
  dae__scale(d->n, 1 / size, v);
  return size;
}

/* T V = V H + h v e'; returns h, and how many columns V has. */
static double dominant_arnoldi(const dae__dominant *d, int *columns)
{
  int m = d->dimension;
  double size = 0;
  dae__zero(m * m, d->H);
  for (int k = 0; k < m; k++) {
    size = dominant_extend(d, k, d->H + k * m);
    *columns = k + 1;
    if (size == 0)
      break;
    if (k + 1 < m)
      d->H[k + 1 + k * m] = size;
  }
  for (int k = 1; k < *columns; k++) /* to columns x columns */
    for (int i = 0; i < *columns; i++)
      d->H[i + k * *columns] = d->H[i + k * m];
  return size;
}

/* The largest eigenvalue of H, its vector s in re and im, and |e's| / |s|. */
static dae_status dominant_ritz(const dae__dominant *d, const dae_env *env, int m, double *rho,
                                double *last, dae_error *err)
{
  int which = 0;
  DAE__TRY(dae__spectrum_values(env, m, d->H, d->re, d->im, err));
  for (int k = 1; k < m; k++)
    if (hypot(d->re[k], d->im[k]) > hypot(d->re[which], d->im[which]))
      which = k;
  double re = d->re[which], im = d->im[which];
  *rho = hypot(re, im);
  dae_status status = dae__spectrum_vector(env, m, d->H, re, im, d->re, d->im, err);
  *last =
      hypot(d->re[m - 1], d->im[m - 1]) / hypot(dominant_norm(m, d->re), dominant_norm(m, d->im));
  return status;
}

/* |x_i|, x = V s */
static void dominant_ritz_modulus(const dae__dominant *d, int columns, double *modulus)
{
  for (int i = 0; i < d->n; i++) {
    double re = 0, im = 0;
    for (int k = 0; k < columns; k++) {
      double v = d->V[(size_t)i + (size_t)k * (size_t)d->n];
      re += v * d->re[k];
      im += v * d->im[k];
    }
    modulus[i] = hypot(re, im);
  }
}

/* The iteration by blocks, from the last vector of the subspace. */
static double dominant_power(const dae__dominant *d)
{
  double *x = d->V + (size_t)(d->dimension - 1) * (size_t)d->n, *y = x + d->n, mean = 0;
  for (int length = FIRST_BLOCK; length <= LAST_BLOCK; length *= 2) {
    double before = mean, growth = 0;
    for (int k = 0; k < length; k++) {
      double size = dominant_iterate(d, x, y);
      if (size == 0)
        return 0;
      growth += log(size);
    }
    mean = exp(growth / length);
    if (length >= TRUSTED_BLOCK && fabs(mean - before) <= AGREEMENT * mean)
      break;
  }
  return mean;
}

/* the root of the mean square over iterates: that of a pair turns around */
static void dominant_power_modulus(const dae__dominant *d, double *modulus)
{
  double *x = d->V + (size_t)(d->dimension - 1) * (size_t)d->n;
  dae__zero(d->n, modulus);
  for (int k = 0; k < AVERAGED; k++) {
    dominant_iterate(d, x, x + d->n);
    for (int i = 0; i < d->n; i++)
      modulus[i] += x[i] * x[i];
  }
  for (int i = 0; i < d->n; i++)
    modulus[i] = sqrt(modulus[i]);
}

dae_status dae__dominant_find(dae__dominant *d, const dae_env *env, double *rho, double *modulus,
                              dae_error *err)
{
  int columns = 0;
  double last = 0;
  *rho = 0;
  if (modulus)
    dae__zero(d->n, modulus);
  if (!dominant_begin(d))
    return DAE_OK;
  double h = dominant_arnoldi(d, &columns);
  DAE__TRY(dominant_ritz(d, env, columns, rho, &last, err));
  bool found = h * last <= RESIDUAL * *rho;
  if (!found)
    *rho = dominant_power(d);
  if (modulus && *rho > 0) {
    if (found)
      dominant_ritz_modulus(d, columns, modulus);
    else
      dominant_power_modulus(d, modulus);
    dae__scale(d->n, 1 / dae__max_abs(d->n, modulus), modulus);
  }
  return DAE_OK;
}
