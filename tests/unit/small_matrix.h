/* Small dense matrices, for tests that recompute by definition what the library does sparsely. A
 * vector is a matrix of one column. */
#ifndef DAEDAL_TESTS_SMALL_MATRIX_H
#define DAEDAL_TESTS_SMALL_MATRIX_H

#include "core/vec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX = 20, VALUES = MAX * MAX };

typedef struct matrix {
  int rows, cols;
  double at[MAX][MAX];
} matrix;

static matrix zeros(int rows, int cols)
{
  assert_in_range(rows, 0, MAX);
  assert_in_range(cols, 0, MAX);
  return (matrix){.rows = rows, .cols = cols};
}

/* A += a B, with the corner of B at (row, col) */
static void add(matrix *A, int row, int col, double a, matrix B)
{
  assert_true(row + B.rows <= A->rows && col + B.cols <= A->cols);
  for (int i = 0; i < B.rows; i++)
    for (int j = 0; j < B.cols; j++)
      A->at[row + i][col + j] += a * B.at[i][j];
}

static matrix part(matrix A, int row, int col, int rows, int cols)
{
  matrix B = zeros(rows, cols);
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < cols; j++)
      B.at[i][j] = A.at[row + i][col + j];
  return B;
}

static matrix identity(int n)
{
  matrix I = zeros(n, n);
  for (int i = 0; i < n; i++)
    I.at[i][i] = 1;
  return I;
}

static matrix transposed(matrix A)
{
  matrix B = zeros(A.cols, A.rows);
  for (int i = 0; i < A.rows; i++)
    for (int j = 0; j < A.cols; j++)
      B.at[j][i] = A.at[i][j];
  return B;
}

static matrix times(matrix A, matrix B)
{
  matrix C = zeros(A.rows, B.cols);
  assert_int_equal(A.cols, B.rows);
  for (int i = 0; i < A.rows; i++)
    for (int j = 0; j < B.cols; j++)
      for (int k = 0; k < A.cols; k++)
        C.at[i][j] += A.at[i][k] * B.at[k][j];
  return C;
}

static matrix scaled(double a, matrix A)
{
  matrix B = zeros(A.rows, A.cols);
  add(&B, 0, 0, a, A);
  return B;
}

/* [A; B] */
static matrix stacked(matrix A, matrix B)
{
  matrix C = zeros(A.rows + B.rows, A.cols);
  add(&C, 0, 0, 1, A);
  add(&C, A.rows, 0, 1, B);
  return C;
}

/* [A 0; 0 A] */
static matrix twice(matrix A)
{
  matrix B = zeros(2 * A.rows, 2 * A.cols);
  add(&B, 0, 0, 1, A);
  add(&B, A.rows, A.cols, 1, A);
  return B;
}

static void swap_rows(matrix *A, int i, int j)
{
  for (int k = 0; k < A->cols; k++) {
    double keep = A->at[i][k];
    A->at[i][k] = A->at[j][k];
    A->at[j][k] = keep;
  }
}

/* A\B by elimination with row pivoting */
static matrix solve(matrix A, matrix B)
{
  int n = A.rows;
  assert_true(A.cols == n && B.rows == n);
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A.at[i][k]) > fabs(A.at[best][k]))
        best = i;
    swap_rows(&A, k, best);
    swap_rows(&B, k, best);
    assert_true(A.at[k][k] != 0);
    for (int i = 0; i < n; i++) {
      double a = i == k ? 0 : A.at[i][k] / A.at[k][k];
      for (int j = k; j < n; j++)
        A.at[i][j] -= a * A.at[k][j];
      for (int j = 0; j < B.cols; j++)
        B.at[i][j] -= a * B.at[k][j];
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < B.cols; j++)
      B.at[i][j] /= A.at[i][i];
  return B;
}

static double largest(matrix A)
{
  double max = 0;
  for (int i = 0; i < A.rows; i++)
    max = fmax(max, dae__max_abs(A.cols, A.at[i]));
  return max;
}

static double distance(matrix A, matrix B)
{
  assert_true(A.rows == B.rows && A.cols == B.cols);
  add(&A, 0, 0, -1, B);
  return largest(A);
}

static matrix column(int n, const double *x)
{
  matrix A = zeros(n, 1);
  for (int i = 0; i < n; i++)
    A.at[i][0] = x[i];
  return A;
}

static matrix spread(const dae_pattern *p, const double *values)
{
  matrix A = zeros(p->rows, p->cols);
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      A.at[p->row[e]][j] = values[e];
  return A;
}

#define assert_below(value, bound, name)                                                           \
  do {                                                                                             \
    double value_ = (value), bound_ = (bound);                                                     \
    if (!(value_ <= bound_))                                                                       \
      fail_msg("%s: %s is %.3g, not below %.3g", (name), #value, value_, bound_);                  \
  } while (0)

#define assert_above(value, bound, name)                                                           \
  do {                                                                                             \
    double value_ = (value), bound_ = (bound);                                                     \
    if (!(value_ > bound_))                                                                        \
      fail_msg("%s: %s is %.3g, not above %.3g", (name), #value, value_, bound_);                  \
  } while (0)

#endif
