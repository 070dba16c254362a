/* Constraint rows [A E] of a saddle system, with A = [G; K] as a dense matrix. */
#include "linalg/pattern.h"
#include "linalg/saddle/saddle_backend.h"

/* Index in A of each entry of a pattern whose first row is row `first` of A. */
static int *saddle_places(dae__arena *arena, const dae_pattern *p, size_t stride, int first)
{
  int *place = DAE__ALLOC(arena, int, dae__pattern_count(p));
  if (!dae__arena_failed(arena))
    for (int j = 0; j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        place[e] = j * (int)stride + first + p->row[e];
  return place;
}

void dae__saddle_rows_create(dae__arena *arena, const dae__saddle_patterns *patterns, size_t stride,
                             double *A, dae__saddle_rows *rows)
{
  const dae_pattern *G = patterns->G, *K = patterns->K;
  int m = G->rows + K->rows;
  double *E = DAE__STATE(arena, double, dae__pair_rows(m));
  int *of_G = saddle_places(arena, G, stride, 0), *of_K = saddle_places(arena, K, stride, G->rows);
  *rows = (dae__saddle_rows){(size_t)G->cols, (size_t)m, stride, A, E, of_G, of_K, G, K};
}

bool dae__saddle_rows_set(const dae__saddle_rows *rows, const dae__saddle_values *values)
{
  double *A = rows->A;
  for (int e = 0, count = dae__pattern_count(rows->G); e < count; e++)
    A[rows->of_G[e]] = values->G[e];
  for (int e = 0, count = dae__pattern_count(rows->K); e < count; e++)
    A[rows->of_K[e]] = values->K[e];
  for (size_t i = 0; i < rows->m; i++) {
    double shift = rows->E[i] = values->diagonal ? values->diagonal[rows->n + i] : 0;
    if (shift <= 0)
      continue;
    for (size_t j = 0; j < rows->n; j++)
      if (A[j * rows->stride + i] != 0)
        return false;
  }
  return true;
}

bool dae__saddle_rows_differ(const dae__saddle_rows *rows, const double *b, const double *x,
                             const double *y, double *r)
{
  int differ = 0;
  /* cheap test first: residual against the round-off of b alone */
  for (size_t i = 0; i < rows->m; i += 2) {
    dae__pair given = dae__pair_from(rows->m, b, i);
    dae__pair sum = given - dae__pair_of(rows->E + i) * dae__pair_of(y + i);
    for (size_t j = 0; j < rows->n; j++)
      sum -= dae__pair_of(rows->A + j * rows->stride + i) * x[j];
    *dae__pair_at(r + i) = sum;
    differ |= dae__pair_exceeds(dae__pair_abs(sum), DAE__SADDLE_ROUND_OFF * dae__pair_abs(given));
  }
  if (!differ)
    return false;
  differ = 0;
  for (size_t i = 0; i < rows->m; i += 2) {
    dae__pair size = dae__pair_abs(dae__pair_from(rows->m, b, i)) +
                     dae__pair_abs(dae__pair_of(rows->E + i) * dae__pair_of(y + i));
    for (size_t j = 0; j < rows->n; j++)
      size += dae__pair_abs(dae__pair_of(rows->A + j * rows->stride + i) * x[j]);
    differ |= dae__pair_exceeds(dae__pair_abs(dae__pair_of(r + i)), DAE__SADDLE_ROUND_OFF * size);
  }
  return differ;
}
