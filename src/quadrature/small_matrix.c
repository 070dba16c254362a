/* Small matrices of coefficients. */
#include "quadrature/small_matrix.h"
#include <math.h>
#include <stdbool.h>

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

static void small_swap_rows(dae__small *A, int i, int j)
{
  for (int k = 0; k < A->cols; k++) {
    long double keep = A->at[i][k];
    A->at[i][k] = A->at[j][k];
    A->at[j][k] = keep;
  }
}

/* row i of A and B -= a times row k */
static void small_subtract_row(dae__small *A, dae__small *B, int i, int k, long double a)
{
  for (int j = 0; j < A->cols; j++) {
    A->at[i][j] -= a * A->at[k][j];
    B->at[i][j] -= a * B->at[k][j];
  }
}

/* Gauss-Jordan elimination with row pivoting: A goes to I, I to B */
static bool small_eliminate(dae__small A, dae__small *B)
{
  int n = A.rows;
  *B = dae__small_identity(n);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabsl(A.at[i][k]) > fabsl(A.at[p][k]))
        p = i;
    if (A.at[p][k] == 0)
      return false;
    small_swap_rows(&A, k, p);
    small_swap_rows(B, k, p);
    small_subtract_row(&A, B, k, k, 1 - 1 / A.at[k][k]);
    for (int i = 0; i < n; i++)
      if (i != k)
        small_subtract_row(&A, B, i, k, A.at[i][k]);
  }
  return true;
}

long double dae__small_inverse(const dae__small *A, dae__small *B)
{
  return small_eliminate(*A, B) ? 1 / (dae__small_norm(A) * dae__small_norm(B)) : 0;
}
