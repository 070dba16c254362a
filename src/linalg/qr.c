#include "linalg/qr.h"
#include "core/vec.h"

#include <math.h>

/* ---- pattern of R ---- */

/* Adds column k to the rows of R in the path from j to k of the elimination tree, or counts it. */
static void qr_walk(dae__qr *q, int j, int k, int *mark, int *next)
{
  for (; j >= 0 && j < k && mark[j] != k; j = q->parent[j]) {
    mark[j] = k;
    if (q->column)
      q->column[next[j]] = k;
    next[j]++;
  }
}

/* Elimination tree of A A': column k of R is linked to the roots of the trees that it joins. rows
 * and at: pattern of A by rows; previous, ancestor: work space. */
static void qr_tree(dae__qr *q, const int *at, const int *rows, int *previous, int *ancestor)
{
  for (int i = 0; i < q->A.cols; i++)
    previous[i] = -1;
  for (int k = 0; k < q->A.rows; k++) {
    q->parent[k] = ancestor[k] = -1;
    for (int e = at[k]; e < at[k + 1]; e++) {
      for (int j = previous[rows[e]], up; j >= 0 && j < k; j = up) {
        up = ancestor[j];
        ancestor[j] = k;
        if (up < 0)
          q->parent[j] = k;
      }
      previous[rows[e]] = k;
    }
  }
}

/* Rows of R, counted if q->column is NULL; next[j]: end of row j so far. */
static void qr_rows(dae__qr *q, const int *at, const int *rows, int *mark, int *next)
{
  const dae_pattern *A = &q->A;
  for (int k = 0; k < A->rows; k++) {
    mark[k] = k;
    if (q->column)
      q->column[next[k]] = k;
    next[k]++;
    for (int e = at[k]; e < at[k + 1]; e++) /* rows of A that share a column with row k */
      for (int p = A->start[rows[e]]; p < A->start[rows[e] + 1] && A->row[p] < k; p++)
        qr_walk(q, A->row[p], k, mark, next);
  }
}

/* Pattern of A by rows. */
static void qr_transpose(const dae_pattern *A, int *at, int *rows)
{
  for (int k = 0; k <= A->rows; k++)
    at[k] = 0;
  for (int p = 0; p < A->start[A->cols]; p++)
    at[A->row[p] + 1]++;
  for (int k = 0; k < A->rows; k++)
    at[k + 1] += at[k];
  for (int j = 0; j < A->cols; j++)
    for (int p = A->start[j]; p < A->start[j + 1]; p++)
      rows[at[A->row[p]]++] = j;
  for (int k = A->rows; k > 0; k--)
    at[k] = at[k - 1];
  at[0] = 0;
}

/* Columns of A by their last row: rotations then end early, at a row of R without values. first:
 * work space of rows + 2. */
static void qr_sort(dae__qr *q, int *first)
{
  const dae_pattern *A = &q->A;
  for (int k = 0; k < A->rows + 2; k++)
    first[k] = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (int j = 0; j < A->cols; j++) {
      int last = A->start[j] < A->start[j + 1] ? A->row[A->start[j + 1] - 1] + 1 : 0;
      if (turn == 0)
        first[last + 1]++;
      else
        q->order[first[last]++] = j;
    }
    for (int k = 0; turn == 0 && k <= A->rows; k++)
      first[k + 1] += first[k];
  }
}

void dae__qr_create(dae__arena *arena, const dae_pattern *A, dae__qr *q)
{
  int n = A->rows;
  *q = (dae__qr){.A = *A};
  q->start = DAE__ALLOC(arena, int, n + 1);
  q->parent = DAE__ALLOC(arena, int, n);
  q->order = DAE__ALLOC(arena, int, A->cols);
  q->filled = DAE__ALLOC(arena, bool, n);
  q->work = DAE__ALLOC(arena, double, n);
  q->right = DAE__ALLOC(arena, double, n);
  q->residual = DAE__ALLOC(arena, double, A->cols);
  int *at = DAE__ALLOC(arena, int, n + 1), *rows = DAE__ALLOC(arena, int, A->start[A->cols]);
  int *mark = DAE__ALLOC(arena, int, n + 2), *next = DAE__ALLOC(arena, int, n);
  int *previous = DAE__ALLOC(arena, int, A->cols);
  if (dae__arena_failed(arena))
    return;
  qr_transpose(A, at, rows);
  qr_tree(q, at, rows, previous, next);
  qr_sort(q, mark);
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < n; k++) {
      mark[k] = -1;
      next[k] = turn ? q->start[k] : 0;
    }
    qr_rows(q, at, rows, mark, next);
    if (turn)
      break;
    q->start[0] = 0;
    for (int k = 0; k < n; k++)
      q->start[k + 1] = q->start[k] + next[k];
    q->column = DAE__ALLOC(arena, int, q->start[n]);
    q->R = DAE__ALLOC(arena, double, q->start[n]);
    if (dae__arena_failed(arena))
      return;
  }
}

/* ---- values of R ---- */

/* Rotates row k of R and the row under elimination so that entry k of the latter is zero. */
static void qr_rotate(dae__qr *q, int k)
{
  int first = q->start[k];
  double a = q->R[first], b = q->work[k], r = hypot(a, b), c = a / r, s = b / r;
  for (int p = first; p < q->start[k + 1]; p++) {
    double up = q->R[p], down = q->work[q->column[p]];
    q->R[p] = c * up + s * down;
    q->work[q->column[p]] = c * down - s * up;
  }
  q->work[k] = 0;
}

/* Moves the row under elimination into row k of R. */
static void qr_store(dae__qr *q, int k)
{
  for (int p = q->start[k]; p < q->start[k + 1]; p++) {
    q->R[p] = q->work[q->column[p]];
    q->work[q->column[p]] = 0;
  }
  q->filled[k] = true;
}

void dae__qr_factor(dae__qr *q, const double *values, const bool *active)
{
  const dae_pattern *A = &q->A;
  dae__zero(q->start[A->rows], q->R);
  dae__zero(A->rows, q->work);
  for (int k = 0; k < A->rows; k++)
    q->filled[k] = false;
  for (int i = 0; i < A->cols; i++) {
    int j = q->order[i], first = A->start[j], end = A->start[j + 1];
    for (int p = first; p < end; p++)
      q->work[A->row[p]] = active[A->row[p]] ? values[p] : 0;
    for (int k = first < end ? A->row[first] : -1; k >= 0; k = q->parent[k]) {
      if (q->work[k] == 0)
        continue;
      if (!q->filled[k]) {
        qr_store(q, k);
        break;
      }
      qr_rotate(q, k);
    }
  }
}

/* ---- solution ---- */

/* right = (R' R)^-1 right of the leading block; rows of R without values stand for 1 */
static void qr_normal(dae__qr *q, int count)
{
  double *x = q->right;
  for (int k = 0; k < count; k++) {
    if (!q->filled[k])
      continue;
    x[k] /= q->R[q->start[k]];
    for (int p = q->start[k] + 1; p < q->start[k + 1] && q->column[p] < count; p++)
      x[q->column[p]] -= q->R[p] * x[k];
  }
  for (int k = count - 1; k >= 0; k--) {
    if (!q->filled[k])
      continue;
    for (int p = q->start[k] + 1; p < q->start[k + 1] && q->column[p] < count; p++)
      x[k] -= q->R[p] * x[q->column[p]];
    x[k] /= q->R[q->start[k]];
  }
}

void dae__qr_solve(dae__qr *q, const double *values, const bool *active, int count, const double *b,
                   double *s)
{
  const dae_pattern *A = &q->A;
  dae__zero(count, s);
  for (int turn = 0; turn < 2; turn++) { /* the second one is the correction */
    dae__zero(count, q->right);
    for (int j = 0; j < A->cols; j++) {
      q->residual[j] = b[j];
      for (int p = A->start[j]; p < A->start[j + 1] && A->row[p] < count; p++)
        if (active[A->row[p]])
          q->residual[j] -= values[p] * s[A->row[p]];
      for (int p = A->start[j]; p < A->start[j + 1] && A->row[p] < count; p++)
        if (active[A->row[p]])
          q->right[A->row[p]] += values[p] * q->residual[j];
    }
    qr_normal(q, count);
    for (int k = 0; k < count; k++)
      s[k] += q->right[k];
  }
}
