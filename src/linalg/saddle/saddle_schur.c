/* Saddle systems with a diagonal M by the Schur complement: see saddle_schur.h. */
#include "linalg/saddle/saddle_schur.h"
#include "linalg/pattern.h"
#include "linalg/saddle/ldl.h"
#include <float.h>

dae_status dae__schur_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             void **state)
{
  const dae_pattern *M = patterns->M;
  size_t n = (size_t)M->cols, size = dae__pair_rows(patterns->G->rows + patterns->K->rows);
  dae__schur *s = DAE__ALLOC(arena, dae__schur, 1), made = {.size = size};
  double *A = DAE__STATE(arena, double, size *n);
  dae__saddle_rows_create(arena, patterns, stride, A, &made.rows);
  made.r = DAE__STATE(arena, double, n);
  made.B = DAE__STATE(arena, double, size *n);
  made.S = DAE__STATE(arena, double, size *size);
  made.scale = DAE__STATE(arena, double, size);
  made.place = DAE__ALLOC(arena, int, n);
  made.u = DAE__ALLOC(arena, double, 2 * size);
  made.y = DAE__ALLOC(arena, double, size);
  made.residual = DAE__ALLOC(arena, double, size);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  for (int j = 0; j < M->cols; j++) {
    made.place[j] = -1;
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      if (M->row[e] == j)
        made.place[j] = e;
  }
  if (size > made.rows.m) /* pivot 1 for the padding, which no factorisation changes */
    made.S[size * size - 1] = made.scale[size - 1] = 1;
  *s = made;
  *state = s;
  return DAE_OK;
}

bool dae__schur_set_masses(const dae__schur *s, const double *M, const double *diagonal)
{
  int good = 1;
  for (size_t j = 0; j < s->rows.n; j++) {
    double D = (s->place[j] < 0 ? 0 : M[s->place[j]]) + (diagonal ? diagonal[j] : 0);
    double r = s->r[j] = 1 / D;
    good &= r > 0 && r <= DBL_MAX;
  }
  return good;
}

bool dae__schur_set(const dae__schur *s, const dae__saddle_values *values)
{
  bool good = dae__saddle_rows_set(&s->rows, values);
  return (values->same_mass || dae__schur_set_masses(s, values->M, values->diagonal)) && good;
}

static double schur_rcond(const void *state)
{
  const dae__schur *s = state;
  return dae__ldl_rcond(s->size, s->S, s->scale);
}

static dae_status schur_create(dae__arena *arena, const dae__saddle_patterns *patterns,
                               void **state)
{
  return dae__schur_create(arena, patterns, dae__pair_rows(patterns->G->rows + patterns->K->rows),
                           state);
}

static bool schur_factor(void *state, const dae__saddle_values *values)
{
  const dae__schur *s = state;
  const double *A = s->rows.A;
  double *B = s->B, *S = s->S;
  size_t size = s->size, n = s->rows.n;
  int good = 1; /* whether no diagonal entry of S has underflowed */
  if (!dae__schur_set(s, values))
    return false;
  for (size_t j = 0; j < n; j++) /* B = A D^-1 */
    for (size_t i = 0; i < size; i += 2)
      *dae__pair_at(B + j * size + i) = dae__pair_of(A + j * size + i) * s->r[j];
  for (size_t c = 0; c < size; c += 2) /* Schur complement S = A B' - E, two columns at a time */
    for (size_t i = c; i < size; i += 2) {
      dae__pair s0 = {0, 0}, s1 = {0, 0};
      for (size_t j = 0; j < n; j++) {
        dae__pair a = dae__pair_of(A + j * size + i);
        s0 += a * B[j * size + c];
        s1 += a * B[j * size + c + 1];
      }
      *dae__pair_at(S + c * size + i) = s0;
      *dae__pair_at(S + (c + 1) * size + i) = s1;
    }
  for (size_t i = 0; i < s->rows.m; i++) {
    double d = s->scale[i] = S[i * size + i] -= s->rows.E[i];
    good &= fabs(d) >= DAE__SADDLE_UNDERFLOW;
  }
  if (s->rows.m < size)
    S[size * size - 1] = 1;
  return good && dae__ldl_factor(size, 0, size, s->scale, s->u, S);
}

/* entry j of B'y */
static inline double schur_along(const dae__schur *s, size_t j, const double *y)
{
  dae__pair sum = {0, 0};
  for (size_t i = 0; i < s->size; i += 2)
    sum += dae__pair_of(s->B + j * s->size + i) * dae__pair_of(y + i);
  return dae__pair_sum(sum);
}

static void schur_solve(void *state, double *x, double *b)
{
  const dae__schur *s = state;
  size_t n = s->rows.n, m = s->rows.m, size = s->size;
  double *y = s->y;
  for (size_t i = 0; i < size; i += 2) { /* y = B a - b */
    dae__pair sum = -dae__pair_from(m, b, i);
    for (size_t j = 0; j < n; j++)
      sum += dae__pair_of(s->B + j * size + i) * x[j];
    *dae__pair_at(y + i) = sum;
  }
  dae__ldl_solve(size, s->S, y); /* y = S\y */
  for (size_t j = 0; j < n; j++) /* x = D^-1 a - B'y */
    x[j] = x[j] * s->r[j] - schur_along(s, j, y);
  for (int k = 0; k < DAE__SADDLE_REFINEMENTS; k++) {
    double *dy = s->residual;
    if (!dae__saddle_rows_differ(&s->rows, b, x, y, dy))
      break;
    for (size_t i = 0; i < size; i += 2) /* dy = S\(-r), x -= B'dy, y += dy */
      *dae__pair_at(dy + i) = -dae__pair_of(dy + i);
    dae__ldl_solve(size, s->S, dy);
    for (size_t j = 0; j < n; j++)
      x[j] -= schur_along(s, j, dy);
    for (size_t i = 0; i < size; i += 2)
      *dae__pair_at(y + i) += dae__pair_of(dy + i);
  }
  for (size_t i = 0; i < m; i++)
    b[i] = y[i];
}

const dae__saddle_backend dae__saddle_schur = {.kind = "schur",
                                               .create = schur_create,
                                               .factor = schur_factor,
                                               .solve = schur_solve,
                                               .rcond = schur_rcond};
