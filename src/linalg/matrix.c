/* Products of matrices in compressed columns. Small matrices are often full: for a full matrix the
 * row indices are not read, and two rows are added at a time. */
#include "linalg/pair.h"
#include "linalg/pattern.h"
#include <stdbool.h>

void dae__block_add(const dae__block *block, double factor, const double *values, double *matrix)
{
  int count = dae__pattern_count(block->pattern);
  for (int e = 0; e < count; e++)
    matrix[block->map[e]] += factor * values[e];
}

void dae__matrix_times(const dae_pattern *p, const double *A, double a, const double *x, double *y)
{
  int rows = p->rows, cols = p->cols, i = 0;
  bool full = cols > 0 && p->start[cols] == rows * cols;
  if (!full) {
    for (int j = 0; j < cols; j++) { /* y += (a x_j) A(:,j) */
      double ax = a * x[j];
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        y[p->row[e]] += ax * A[e];
    }
    return;
  }
  for (; i + 4 <= rows; i += 4) {
    dae__pair first = dae__pair_from_anywhere(y + i), second = dae__pair_from_anywhere(y + i + 2);
    const double *column = A + i;
    for (int j = 0; j < cols; j++, column += rows) {
      double ax = a * x[j];
      first += ax * dae__pair_from_anywhere(column);
      second += ax * dae__pair_from_anywhere(column + 2);
    }
    dae__pair_to(y + i, first);
    dae__pair_to(y + i + 2, second);
  }
  for (; i + 2 <= rows; i += 2) {
    dae__pair sum = dae__pair_from_anywhere(y + i);
    for (int j = 0; j < cols; j++)
      sum += a * x[j] * dae__pair_from_anywhere(A + i + j * rows);
    dae__pair_to(y + i, sum);
  }
  for (; i < rows; i++)
    for (int j = 0; j < cols; j++)
      y[i] += a * x[j] * A[i + j * rows];
}

void dae__matrix_transposed_times(const dae_pattern *p, const double *A, double a, const double *x,
                                  double *y)
{
  bool full = p->cols > 0 && p->start[p->cols] == p->rows * p->cols;
  if (full) {
    const double *column = A;
    for (int j = 0; j < p->cols; j++, column += p->rows) {
      dae__pair sum = {0, 0};
      int i = 0;
      for (; i + 2 <= p->rows; i += 2)
        sum += dae__pair_from_anywhere(column + i) * dae__pair_from_anywhere(x + i);
      y[j] += a * (dae__pair_sum(sum) + (i < p->rows ? column[i] * x[i] : 0));
    }
    return;
  }
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
