/* Arithmetic with matrices in compressed columns. */
#include "linalg/pattern.h"

void dae__block_add(const dae__block *block, double factor, const double *values, double *matrix)
{
  int count = dae__pattern_count(block->pattern);
  for (int e = 0; e < count; e++)
    matrix[block->map[e]] += factor * values[e];
}

void dae__matrix_times(const dae_pattern *p, const double *A, double a, const double *x, double *y)
{
  for (int j = 0; j < p->cols; j++) { /* y += (a x_j) A(:,j) */
    double ax = a * x[j];
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      y[p->row[e]] += ax * A[e];
  }
}

void dae__matrix_transposed_times(const dae_pattern *p, const double *A, double a, const double *x,
                                  double *y)
{
  for (int j = 0; j < p->cols; j++) { /* y_j += a A(:,j)'x */
    double sum = 0;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      sum += A[e] * x[p->row[e]];
    y[j] += a * sum;
  }
}
