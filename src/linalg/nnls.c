#include "linalg/nnls.h"
#include "core/vec.h"

/* Remainder of a column after orthogonalisation, relative to the column, below which it counts as
 * dependent, and gradient, relative to |a| |b|, that counts as zero. Chosen. */
#define DEPENDENT 1e-12
#define GRADIENT_ZERO 1e-14
/* Largest number of exchanges for each unknown; chosen. */
#define EXCHANGES_MAX 20

void dae__nnls_create(dae__arena *arena, int m, int n, dae__nnls *out)
{
  *out = (dae__nnls){.Q = DAE__ALLOC(arena, double, m *n),
                     .R = DAE__ALLOC(arena, double, n *n),
                     .rest = DAE__ALLOC(arena, double, m),
                     .s = DAE__ALLOC(arena, double, n),
                     .passive = DAE__ALLOC(arena, int, n)};
}

/* Column k of Q and R for the column a of A: modified Gram-Schmidt, twice. False: dependent. */
static bool nnls_append(dae__nnls *w, int m, int n, int k, const double *a)
{
  double *q = w->Q + k * m, *r = w->R + k * n, before = sqrt(dae__dot(m, a, a));
  dae__copy(m, a, q);
  dae__zero(n, r);
  for (int twice = 0; twice < 2; twice++)
    for (int j = 0; j < k; j++) {
      double c = dae__dot(m, w->Q + j * m, q);
      dae__axpy(m, -c, w->Q + j * m, q);
      r[j] += c;
    }
  r[k] = sqrt(dae__dot(m, q, q));
  if (!(r[k] > DEPENDENT * before))
    return false;
  dae__scale(m, 1 / r[k], q);
  return true;
}

/* s = least-squares solution over the passive unknowns, of which a dependent one is dropped. */
static void nnls_subproblem(dae__nnls *w, int m, int n, const double *A, const double *b)
{
  for (int k = 0; k < w->count;) {
    if (nnls_append(w, m, n, k, A + w->passive[k] * m)) {
      k++;
      continue;
    }
    for (int j = k; j + 1 < w->count; j++)
      w->passive[j] = w->passive[j + 1];
    w->count--;
  }
  for (int k = w->count - 1; k >= 0; k--) {
    w->s[k] = dae__dot(m, w->Q + k * m, b);
    for (int j = k + 1; j < w->count; j++)
      w->s[k] -= w->R[j * n + k] * w->s[j];
    w->s[k] /= w->R[k * n + k];
  }
}

/* Moves x towards s as far as it stays nonnegative, and takes unknowns at zero out of the passive
 * ones; true: s is reached. */
static bool nnls_move(dae__nnls *w, double *x)
{
  double share = 1;
  int kept = 0;
  for (int k = 0; k < w->count; k++) {
    double from = x[w->passive[k]];
    if (w->s[k] <= 0)
      share = fmin(share, from > 0 ? from / (from - w->s[k]) : 0);
  }
  for (int k = 0; k < w->count; k++) {
    double *xk = &x[w->passive[k]];
    bool blocks = w->s[k] <= 0 && (*xk <= 0 || *xk / (*xk - w->s[k]) <= share);
    *xk = blocks ? 0 : *xk + share * (w->s[k] - *xk);
    if (!blocks)
      w->passive[kept++] = w->passive[k];
  }
  bool reached = kept == w->count;
  w->count = kept;
  return reached;
}

/* Unknown at zero with the largest gradient, relative to its column; -1: none is above round-off.
 */
static int nnls_entering(const dae__nnls *w, int m, int n, const double *A, const double *x,
                         double size)
{
  double most = GRADIENT_ZERO * size;
  int best = -1;
  for (int j = 0; j < n; j++) {
    double norm = sqrt(dae__dot(m, A + j * m, A + j * m));
    double gradient = norm > 0 ? dae__dot(m, A + j * m, w->rest) / norm : 0;
    if (x[j] == 0 && gradient > most) {
      most = gradient;
      best = j;
    }
  }
  return best;
}

void dae__nnls_solve(dae__nnls *w, int m, int n, const double *A, const double *b, double *x)
{
  double size = sqrt(dae__dot(m, b, b));
  dae__zero(n, x);
  w->count = 0;
  for (int round = 0; round < EXCHANGES_MAX * (n + 1); round++) {
    dae__copy(m, b, w->rest);
    for (int j = 0; j < n; j++)
      dae__axpy(m, -x[j], A + j * m, w->rest);
    int enter = nnls_entering(w, m, n, A, x, size);
    if (enter < 0)
      return;
    w->passive[w->count++] = enter;
    do
      nnls_subproblem(w, m, n, A, b);
    while (!nnls_move(w, x) && w->count > 0);
    for (int j = 0; j < n; j++) { /* an unknown that was dropped is at zero */
      bool kept = false;
      for (int k = 0; k < w->count; k++)
        kept = kept || w->passive[k] == j;
      x[j] = kept ? x[j] : 0;
    }
  }
}
