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

void dae__matrix_product(dae__factor A, dae__factor B, const dae_pattern *pattern, double *work,
                         double *C)
{
  const dae_pattern *a = A.pattern, *b = B.pattern;
  for (int i = 0; i < a->rows; i++)
    work[i] = 0;
  for (int j = 0; j < b->cols; j++) { /* C(:,j) = A B(:,j) */
    for (int e = b->start[j]; e < b->start[j + 1]; e++)
      for (int d = a->start[b->row[e]]; d < a->start[b->row[e] + 1]; d++)
        work[a->row[d]] += A.values[d] * B.values[e];
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++) {
      C[e] = work[pattern->row[e]];
      work[pattern->row[e]] = 0;
    }
  }
}
