#include "linalg/lcp.h"
#include "core/vec.h"
#include "linalg/dense.h"

#include <math.h>

/* Entry of the entering column, relative to its largest one, below which a row is no candidate for
 * the pivot. Chosen: a thousand units of round-off. */
#define PIVOT_TINY 2e-13
/* Difference of two ratios, relative to 1 and to their size, that counts as none; chosen. */
#define TIE 1e-11
/* Largest number of pivots for each unknown. Chosen; problems of 1 to 100 contacts take 1 to 3. */
#define PIVOTS_MAX 50

void dae__lcp_create(dae__arena *arena, int n, dae__lcp *out)
{
  *out = (dae__lcp){.n = n,
                    .B = DAE__ALLOC(arena, double, (n + 1) * n),
                    .column = DAE__ALLOC(arena, double, n),
                    .basis = DAE__ALLOC(arena, int, n),
                    .LU = DAE__ALLOC(arena, double, n *n),
                    .z = DAE__ALLOC(arena, double, n),
                    .pivot = DAE__ALLOC(arena, int, n),
                    .basic = DAE__ALLOC(arena, int, n)};
}

/* Sign of the lexicographic comparison of row a of [B^-1 q, B^-1], divided by p, with row b,
 * divided by r; entries that differ by round-off are equal. */
static int lcp_compare(const dae__lcp *lcp, int a, double p, int b, double r)
{
  int n = lcp->n;
  for (int k = 0; k <= n; k++) {
    double x = lcp->B[k * n + a] / p, y = lcp->B[k * n + b] / r;
    if (fabs(x - y) > TIE * fmax(1, fmax(fabs(x), fabs(y))))
      return x < y ? -1 : 1;
  }
  return 0;
}

/* column = B^-1 times the column of a variable in w - M z - z_0 = q */
static void lcp_enter(dae__lcp *lcp, const double *M, int variable)
{
  int n = lcp->n;
  const double *inverse = lcp->B + n;
  if (variable < n) {
    dae__copy(n, inverse + variable * n, lcp->column);
    return;
  }
  dae__zero(n, lcp->column);
  for (int k = 0; k < n; k++)
    dae__axpy(n, variable == 2 * n ? -1 : -M[(variable - n) * n + k], inverse + k * n, lcp->column);
}

/* Row that leaves the basis by the lexicographic ratio test, that of the artificial variable where
 * its ratio is the smallest; -1: none, a ray. */
static int lcp_leave(const dae__lcp *lcp)
{
  double tiny = PIVOT_TINY * dae__max_abs(lcp->n, lcp->column);
  int row = -1, artificial = -1;
  for (int i = 0; i < lcp->n; i++) {
    if (!(lcp->column[i] > tiny))
      continue;
    if (row < 0 || lcp_compare(lcp, i, lcp->column[i], row, lcp->column[row]) < 0)
      row = i;
    artificial = lcp->basis[i] == 2 * lcp->n ? i : artificial;
  }
  if (artificial < 0)
    return row;
  double least = lcp->B[row] / lcp->column[row];
  return lcp->B[artificial] / lcp->column[artificial] <= least + TIE * fmax(1, fabs(least))
             ? artificial
             : row;
}

/* Exchanges the variable of a row for the entering one. */
static void lcp_pivot(dae__lcp *lcp, int row, int variable)
{
  int n = lcp->n;
  double p = lcp->column[row];
  for (int k = 0; k <= n; k++) {
    double *b = lcp->B + k * n, x = b[row] / p;
    if (x == 0)
      continue;
    for (int i = 0; i < n; i++)
      b[i] -= lcp->column[i] * x;
    b[row] = x;
  }
  lcp->basis[row] = variable;
}

/* z of the last basis: by the pivots, and where its matrix is regular anew from M and q, without
 * their round-off. */
static void lcp_finish(dae__lcp *lcp, const double *M, const double *q, double *z)
{
  double size = dae__max_abs(lcp->n, q);
  int n = lcp->n, m = 0;
  dae__zero(n, z);
  for (int i = 0; i < n; i++)
    if (lcp->basis[i] >= n && lcp->basis[i] < 2 * n) {
      lcp->basic[m++] = lcp->basis[i] - n;
      z[lcp->basis[i] - n] = size * fmax(lcp->B[i], 0);
    }
  for (int j = 0; j < m; j++) {
    lcp->z[j] = -q[lcp->basic[j]];
    for (int i = 0; i < m; i++)
      lcp->LU[j * m + i] = M[lcp->basic[j] * n + lcp->basic[i]];
  }
  if (m == 0 || dae__lu_factor(m, lcp->LU, lcp->pivot))
    return;
  dae__lu_solve(m, lcp->LU, lcp->pivot, lcp->z);
  double smallest = 0, largest = dae__max_abs(m, lcp->z);
  for (int j = 0; j < m; j++)
    smallest = fmin(smallest, lcp->z[j]);
  if (!isfinite(largest) || smallest < -PIVOT_TINY * largest)
    return;
  for (int j = 0; j < m; j++)
    z[lcp->basic[j]] = fmax(lcp->z[j], 0);
}

bool dae__lcp_solve(dae__lcp *lcp, int n, const double *M, const double *q, double *z)
{
  int row = 0, enter = 2 * n, leave;
  double size = dae__max_abs(n, q);
  lcp->n = n;
  for (int i = 0; i < n; i++)
    lcp->B[i] = size > 0 ? q[i] / size : 0;
  dae__zero(n * n, lcp->B + n);
  dae__zero(n, z);
  bool done = true;
  for (int i = 0; i < n; i++) {
    lcp->basis[i] = i;
    lcp->B[(i + 1) * n + i] = 1;
    done = done && q[i] >= 0;
  }
  if (done)
    return true;
  /* the artificial variable enters for the smallest row, then always the complement of what left */
  for (int i = 1; i < n; i++)
    row = lcp_compare(lcp, i, 1, row, 1) < 0 ? i : row;
  lcp_enter(lcp, M, enter);
  for (int k = 0; k < PIVOTS_MAX * (n + 1); k++) {
    leave = lcp->basis[row];
    lcp_pivot(lcp, row, enter);
    if (leave == 2 * n) {
      lcp_finish(lcp, M, q, z);
      return true;
    }
    enter = leave < n ? leave + n : leave - n;
    lcp_enter(lcp, M, enter);
    row = lcp_leave(lcp);
    if (row < 0)
      return false;
  }
  return false;
}

double dae__lcp_error(int n, const double *M, const double *q, const double *z)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    double w = q[i];
    for (int j = 0; j < n; j++)
      w += M[j * n + i] * z[j];
    double both = fmin(w, z[i]);
    worst = isnan(both) ? INFINITY : fmax(worst, fabs(both));
  }
  return worst;
}
