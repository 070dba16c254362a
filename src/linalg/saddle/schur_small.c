/* Factors of M, and the instances of the Schur kernel. */
#include "linalg/saddle/schur_small.h"
#include "core/assert.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/saddle/schur_kernel.h"
#include <float.h>

/* Largest number of refinements. Each gains as many digits as the factorisation has kept, at least
 * nine for one pivot just above DAE__LDL_TINY. */
#define REFINEMENTS_MAX 3

/* ---- mass ---- */

void dae__schur_mass_create(dae__arena *arena, int n, bool dense, dae__schur_mass *out)
{
  out->n = n;
  out->diagonal = DAE__STATE(arena, int, 1);
  DAE__LIMIT_TRUTH(arena, out->diagonal, 1);
  out->first = DAE__STATE(arena, int, n);
  DAE__LIMIT(arena, out->first, n, 0, n - 1);
  out->r = DAE__STATE(arena, double, n);
  out->L = dense ? DAE__STATE(arena, double, n *n) : NULL;
}

/* Reciprocals of a diagonal M; false: an entry is off the diagonal, not positive or not finite. */
static bool schur_mass_invert(const dae__schur_mass *mass, const dae_pattern *p, const double *M)
{
  bool good = true;
  *mass->diagonal = true;
  for (int j = 0; j < mass->n; j++) {
    double m = 0;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (p->row[e] == j)
        m = M[e];
      else if (M[e] != 0)
        return (*mass->diagonal = false);
    double r = mass->r[j] = 1 / m;
    good &= r > 0 && r <= DBL_MAX;
  }
  return good;
}

/* First nonzero column of row i of M or of M', at most i. */
static int schur_mass_first(int n, const double *M, int i)
{
  int j = 0;
  while (j < i && M[i * n + j] == 0 && M[j * n + i] == 0)
    j++;
  return j;
}

/* Factors M in place of L, which holds its rows; the upper triangle is kept. */
static bool schur_mass_factor(int n, int *first, double *L, double *r)
{
  bool good = true;
  for (int i = 0; i < n; i++) {
    double *l = L + i * n, m = l[i], d = m;
    const int from = first[i] = schur_mass_first(n, L, i);
    for (int j = from; j < i; j++) { /* row of L D */
      double a = l[j], off = a - L[j * n + i];
      good &= off * off <= DAE__SCHUR_ASYMMETRY * DAE__SCHUR_ASYMMETRY * m * L[j * n + j];
      for (int k = from > first[j] ? from : first[j]; k < j; k++)
        a -= l[k] * L[j * n + k];
      l[j] = a;
    }
    for (int j = from; j < i; j++) { /* row of L */
      double a = l[j];
      l[j] = a * r[j];
      d -= l[j] * a;
    }
    r[i] = 1 / d;
    good &= m > DAE__SCHUR_MASS_MIN && m < DAE__SCHUR_MASS_MAX && dae__ldl_usable(d, m);
  }
  return good;
}

bool dae__schur_mass_set(const dae__schur_mass *mass, const dae_pattern *p, const double *M)
{
  int n = mass->n;
  if (schur_mass_invert(mass, p, M))
    return true;
  if (*mass->diagonal || !mass->L)
    return false;
  if (p->start[n] == n * n) { /* M' in place of M: the difference of the two is round-off */
    dae__copy(n * n, M, mass->L);
    return schur_mass_factor(n, mass->first, mass->L, mass->r);
  }
  dae__zero(n * n, mass->L);
  for (int j = 0; j < n; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      mass->L[p->row[e] * n + j] = M[e];
  return schur_mass_factor(n, mass->first, mass->L, mass->r);
}

dae__schur *dae__schur_create(dae__arena *arena, int n, int m, int count)
{
  DAE__ASSERT(m > 0 && m <= DAE__SCHUR_ROWS);
  dae__schur *f = DAE__UNINIT(arena, dae__schur, count);
  double *W = DAE__UNINIT(arena, double, count *n *(2 * m + 1));
  for (int i = 0; f && W && i < count; i++) {
    f[i].W = W + i * n * (2 * m + 1);
    f[i].V = f[i].W + n * m;
    f[i].a = f[i].V + n * m;
    f[i].A = NULL;
    f[i].refined = false;
  }
  return f;
}

void dae__schur_put_rows(const dae_pattern *p, const double *values, int first, int m, double *A)
{
  if (p->rows == m && dae__pattern_count(p) == m * p->cols) {
    dae__copy(m * p->cols, values, A);
    return;
  }
  for (int j = 0; p->rows > 0 && j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      A[j * m + first + p->row[e]] = values[e];
}

/* ---- instances for each number of rows ---- */

/* Forms and factors S = V'D^-1 W. */
DAE__SCHUR_KERNEL bool schur_factor_rows(const int m, const int n, const bool symmetric,
                                         const double tiny, const double *r, const double *W,
                                         const double *V, dae__schur *f, bool *small)
{
  if (symmetric && m >= DAE__SCHUR_PAIRS_MIN)
    return schur_factor_pairs(m, n, r, W, tiny, f, small);
  schur_form(m, n, symmetric, r, W, V, f->S);
  return schur_eliminate(m, symmetric, tiny, f, small);
}

DAE__SCHUR_KERNEL bool schur_factor_as(const int m, const bool diagonal, const bool symmetric,
                                       const dae__schur_mass *M, double tiny, const double *B,
                                       const double *G, dae__schur *f)
{
  const int n = M->n;
  bool small;
  f->symmetric = symmetric;
  if (diagonal) {
    dae__copy(n * m, B, f->W);
    dae__copy(symmetric ? 0 : n * m, G, f->V);
  } else {
    schur_forward(m, n, M, B, f->W);
    if (!symmetric)
      schur_forward(m, n, M, G, f->V);
  }
  return schur_factor_rows(m, n, symmetric, tiny, M->r, f->W, symmetric ? f->W : f->V, f, &small);
}

/* Iterative refinement with the residual of the whole system [S80], rarely needed; the first row of
 * a diagonal M holds by construction. False: A x = -c does not hold to round-off after it. */
static __attribute__((noinline)) bool
schur_refine(int m, const dae__schur_mass *M, const dae__schur *f, const dae__saddle_forces *of)
{
  const dae__schur_kernel *kernel = dae__schur_kernel_for(M, m);
  double *dx = f->V, dy[DAE__SCHUR_ROWS];
  dae__schur plain = *f;
  plain.symmetric = true;
  plain.A = NULL;
  for (int k = 0; k < REFINEMENTS_MAX; k++) {
    if (schur_holds(m, M->n, of->A, of->c, of->x, dy))
      return true;
    if (*M->diagonal) {
      kernel->correct(M, f, of->A, dy, dx, dy);
    } else {
      /* Residual f - M x - A'y of a dense M, whose upper triangle is that of L */
      int n = M->n;
      for (int i = 0; i < n; i++) {
        dx[i] = of->f[i];
        for (int j = 0; j < n; j++)
          dx[i] -= M->L[i < j ? i * n + j : j * n + i] * of->x[j];
        for (int row = 0; row < m; row++)
          dx[i] -= of->A[i * m + row] * of->y[row];
      }
      kernel->solve(M, &plain, dx, dy);
    }
    dae__axpy(M->n, 1, dx, of->x);
    dae__axpy(m, 1, dy, of->y);
  }
  return schur_holds(m, M->n, of->A, of->c, of->x, dy);
}

DAE__SCHUR_KERNEL void schur_solve_as(const int m, const int n, const bool diagonal,
                                      const bool symmetric, const dae__schur_mass *M,
                                      const dae__schur *f, double *x, double *y)
{
  double z[DAE__SCHUR_ROWS], c[DAE__SCHUR_ROWS], rest[DAE__SCHUR_ROWS];
  for (int j = 0; symmetric && !diagonal && f->A && j < n; j++)
    f->a[j] = x[j];
  schur_reduce(m, n, diagonal, M, symmetric ? f->W : f->V, x, y, x, z);
  schur_divide(m, symmetric, f, z);
  schur_expand(m, n, diagonal, M, f->W, x, z, x);
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) {
    c[i] = -y[i];
    y[i] = z[i];
  }
  if (symmetric && f->A && !schur_holds(m, n, f->A, c, x, rest))
    schur_refine(m, M, f, &(dae__saddle_forces){.A = f->A, .f = f->a, .c = c, .x = x, .y = y});
}

/* Fused solution with force directions B of their own. */
static bool schur_fused_B(int m, const dae__schur_mass *M, dae__schur *f,
                          const dae__saddle_forces *of)
{
  const dae__schur_kernel *kernel = dae__schur_kernel_for(M, m);
  double rest[DAE__SCHUR_ROWS] = {0};
  if (!kernel->factor(M, DAE__LDL_TINY, of->B, of->A, f))
    return false;
  dae__copy(M->n, of->f, of->x);
  for (int i = 0; i < m; i++)
    of->y[i] = -of->c[i];
  kernel->solve(M, f, of->x, of->y);
  return schur_holds(m, M->n, of->A, of->c, of->x, rest);
}

/* Check of a fused solution with B = A, which is refined where A x = -c does not hold to
 * round-off. */
DAE__SCHUR_KERNEL bool schur_check_as(const int m, const int n, const dae__schur_mass *M,
                                      dae__schur *f, const dae__saddle_forces *of)
{
  double rest[DAE__SCHUR_ROWS];
  f->refined = !schur_holds(m, n, of->A, of->c, of->x, rest);
  return !f->refined || schur_refine(m, M, f, of);
}

/* Fused solution with B = A. Every right side that is not finite shows in y. */
DAE__SCHUR_KERNEL bool schur_fused_as(const int m, const int n, const bool diagonal,
                                      const dae__schur_mass *restrict M, dae__schur *restrict f,
                                      const dae__saddle_forces *restrict of)
{
  const double *W = diagonal ? of->A : f->W;
  double y[DAE__SCHUR_ROWS], c[DAE__SCHUR_ROWS], sum = 0;
  dae__schur own;
  bool small;
  if (!diagonal)
    schur_forward(m, n, M, of->A, f->W);
  bool good = schur_factor_rows(m, n, true, DAE__LDL_TINY, M->r, W, W, &own, &small);
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++)
    c[i] = -of->c[i];
  schur_reduce(m, n, diagonal, M, W, of->f, c, of->x, y);
  schur_divide(m, true, &own, y);
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++) { /* factors for schur_correct_as */
    f->r[i] = own.r[i];
    of->y[i] = y[i];
    sum += y[i] * 0;
    DAE__SCHUR_UNROLL
    for (int k = 0; k < i; k++)
      f->S[i][k] = own.S[i][k];
  }
  schur_expand(m, n, diagonal, M, W, diagonal ? of->f : of->x, y, of->x);
  good &= sum == 0;
  return good && ((of->unchecked && !small) || schur_check_as(m, n, M, f, of));
}

DAE__SCHUR_KERNEL void schur_correct_as(const int m, const bool diagonal, const dae__schur_mass *M,
                                        const dae__schur *f, const double *A, const double *b,
                                        double *x, double *out)
{
  double y[DAE__SCHUR_ROWS];
  DAE__SCHUR_UNROLL
  for (int i = 0; i < m; i++)
    y[i] = -b[i];
  schur_divide(m, true, f, y);
  schur_expand(m, M->n, diagonal, M, diagonal ? A : f->W, NULL, y, x);
  for (int i = 0; out && i < m; i++)
    out[i] = y[i];
}

/* Kernels for m rows; kind: diagonal or dense. */
#define INSTANCE(m, kind, diagonal, usual)                                                         \
  static bool schur_factor_##kind##_##m(const dae__schur_mass *M, double tiny, const double *B,    \
                                        const double *G, dae__schur *f)                            \
  {                                                                                                \
    return G ? schur_factor_as(m, diagonal, false, M, tiny, B, G, f)                               \
             : schur_factor_as(m, diagonal, true, M, tiny, B, B, f);                               \
  }                                                                                                \
  static void schur_solve_##kind##_##m(const dae__schur_mass *M, const dae__schur *f, double *x,   \
                                       double *y)                                                  \
  {                                                                                                \
    if (f->symmetric && M->n == (usual))                                                           \
      schur_solve_as(m, usual, diagonal, true, M, f, x, y);                                        \
    else if (f->symmetric)                                                                         \
      schur_solve_as(m, M->n, diagonal, true, M, f, x, y);                                         \
    else                                                                                           \
      schur_solve_as(m, M->n, diagonal, false, M, f, x, y);                                        \
  }                                                                                                \
  static bool schur_fused_##kind##_##m(const dae__schur_mass *M, dae__schur *f,                    \
                                       const dae__saddle_forces *of)                               \
  {                                                                                                \
    if (of->B)                                                                                     \
      return schur_fused_B(m, M, f, of);                                                           \
    return M->n == (usual) ? schur_fused_as(m, usual, diagonal, M, f, of)                          \
                           : schur_fused_as(m, M->n, diagonal, M, f, of);                          \
  }                                                                                                \
  static void schur_correct_##kind##_##m(const dae__schur_mass *M, const dae__schur *f,            \
                                         const double *A, const double *b, double *x, double *y)   \
  {                                                                                                \
    schur_correct_as(m, diagonal, M, f, A, b, x, y);                                               \
  }
#define INSTANCES(m)                                                                               \
  INSTANCE(m, diagonal, true, 2 * m)                                                               \
  INSTANCE(m, dense, false, m + 1)
INSTANCES(1)
INSTANCES(2)
INSTANCES(3)
INSTANCES(4)
INSTANCES(5)
INSTANCES(6)

#define ENTRY(kind, m)                                                                             \
  {                                                                                                \
    schur_factor_##kind##_##m, schur_solve_##kind##_##m, schur_fused_##kind##_##m,                 \
        schur_correct_##kind##_##m                                                                 \
  }
#define ENTRIES(kind)                                                                              \
  {                                                                                                \
    ENTRY(kind, 1), ENTRY(kind, 2), ENTRY(kind, 3), ENTRY(kind, 4), ENTRY(kind, 5), ENTRY(kind, 6) \
  }
static const dae__schur_kernel kernels[2][DAE__SCHUR_ROWS] = {ENTRIES(dense), ENTRIES(diagonal)};

const dae__schur_kernel *dae__schur_kernel_for(const dae__schur_mass *M, int m)
{
  return &kernels[*M->diagonal][m - 1];
}

double dae__schur_rcond(const dae__schur_mass *M, const dae__schur *f, int m)
{
  int n = M->n;
  double least = 1;
  for (int j = 0; !*M->diagonal && j < n; j++)
    least = fmin(least, 1 / (M->r[j] * M->L[j * n + j]));
  for (int i = 0; i < m; i++) {
    double before = 0; /* diagonal entry of S, of which 1/r is left */
    for (int j = 0; j < n; j++)
      before += f->W[j * m + i] * f->W[j * m + i] * M->r[j];
    least = fmin(least, 1 / (f->r[i] * before));
  }
  return least;
}
