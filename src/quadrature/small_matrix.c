/* Small matrices of Runge-Kutta coefficients in extended precision. */
#include "quadrature/small_matrix.h"
#include <math.h>

dae__small dae__small_zero(int rows, int cols)
{
  return (dae__small){.rows = rows, .cols = cols};
}

dae__small dae__small_identity(int n)
{
  dae__small I = dae__small_zero(n, n);
  for (int i = 0; i < n; i++)
    I.at[i][i] = 1;
  return I;
}

dae__small dae__small_of(int rows, int cols, const double *values)
{
  dae__small A = dae__small_zero(rows, cols);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      A.at[i][j] = values[i * cols + j];
  return A;
}

void dae__small_round(const dae__small *A, double *values)
{
  for (int i = 0; i < A->rows; i++)
    for (int j = 0; j < A->cols; j++)
      values[i * A->cols + j] = (double)A->at[i][j];
}

dae__small dae__small_times(const dae__small *A, const dae__small *B)
{
  dae__small C = dae__small_zero(A->rows, B->cols);
  for (int i = 0; i < A->rows; i++)
    for (int k = 0; k < A->cols; k++)
      for (int j = 0; j < B->cols; j++)
        C.at[i][j] += A->at[i][k] * B->at[k][j];
  return C;
}

dae__small dae__small_stacked(const dae__small *A, const dae__small *B)
{
  dae__small C = dae__small_zero(A->rows + B->rows, A->cols);
  for (int j = 0; j < A->cols; j++) {
    for (int i = 0; i < A->rows; i++)
      C.at[i][j] = A->at[i][j];
    for (int i = 0; i < B->rows; i++)
      C.at[A->rows + i][j] = B->at[i][j];
  }
  return C;
}

dae__small dae__small_rows(const dae__small *A, int first, int count)
{
  dae__small B = dae__small_zero(count, A->cols);
  for (int i = 0; i < count; i++)
    for (int j = 0; j < A->cols; j++)
      B.at[i][j] = A->at[first + i][j];
  return B;
}

long double dae__small_norm(const dae__small *A)
{
  long double max = 0;
  for (int i = 0; i < A->rows; i++) {
    long double sum = 0;
    for (int j = 0; j < A->cols; j++)
      sum += fabsl(A->at[i][j]);
    max = fmaxl(max, sum);
  }
  return max;
}

/* subtracts a times row k from row i, in both A and B */
static void small_subtract_row(dae__small *A, dae__small *B, int i, int k, long double a)
{
  for (int j = 0; j < A->cols; j++) {
    A->at[i][j] -= a * A->at[k][j];
    B->at[i][j] -= a * B->at[k][j];
  }
}

/* Inverse by Gauss-Jordan elimination with row pivoting on [A I]. */
long double dae__small_inverse(const dae__small *A, dae__small *B)
{
  dae__small R = *A;
  int n = R.rows;
  *B = dae__small_identity(n);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(R.at[i][k]) > fabsl(R.at[p][k]))
        p = i;
    if (R.at[p][k] == 0)
      return 0;
    for (int j = 0; j < n; j++) { /* exchange of rows k and p in both matrices */
      long double r = R.at[k][j], b = B->at[k][j];
      R.at[k][j] = R.at[p][j];
      R.at[p][j] = r;
      B->at[k][j] = B->at[p][j];
      B->at[p][j] = b;
    }
    small_subtract_row(&R, B, k, k, 1 - 1 / R.at[k][k]);
    for (int i = 0; i < n; i++)
      if (i != k)
        small_subtract_row(&R, B, i, k, R.at[i][k]);
  }
  return 1 / (dae__small_norm(A) * dae__small_norm(B));
}
