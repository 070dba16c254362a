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

dae__splitting dae__splitting_create(dae__arena *arena, const dae__gains *gains)
{
  size_t n = (size_t)gains->n, few = n < DENSE ? n : DENSE;
  return (dae__splitting){
      .gains = gains,
      .dominant = dae__dominant_create(arena, n > DENSE ? gains->n : 0, splitting_apply, NULL),
      .first = DAE__ALLOC(arena, int, gains->systems + 1),
      .turn = DAE__ALLOC(arena, int, n),
      .place = DAE__ALLOC(arena, int, n),
      .system_place = DAE__ALLOC(arena, int, gains->systems),
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
  int n = s->gains->n, systems = s->gains->systems;
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
  const dae__gains *g = s->gains;
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
  const dae__gains *g = s->gains;
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
  dae__zero(s->gains->n, s->x);
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
  int n = s->gains->n;
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
  int n = s->gains->n, which;
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
  int rows, count = splitting_find_active(s, &rows), n = s->gains->n;
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
  int n = s->gains->n;
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
