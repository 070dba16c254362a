/* Eigenvalues and eigenvectors A = T diag(mu) T^-1 of a small real matrix, by the complex QR
 * algorithm.
 *
 *   A = U H U*      H of Hessenberg form
 *   H = R           upper triangular, by sweeps with Wilkinson's shift; mu_k = R_kk
 *   T = U X         with R X = X diag(mu), X upper triangular
 *
 * All transformations are rotations in the plane of two neighbouring coordinates. LAPACK is not
 * used: the result is the same in every build. */
#include "eigen_reference.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>

#define SIZE DAE__SMALL_SIZE
/* largest number of QR sweeps for one eigenvalue; up to 12 stages none takes more than 15 */
#define SWEEPS_MAX 60
/* Imaginary part, relative to the largest row sum, below which an eigenvalue counts as real. An
 * eigenvalue with condition number 1e6 has that accuracy in double, and complex pairs closer to
 * the real axis are too close to a double eigenvalue for accurate eigenvectors. Chosen, not
 * measured. */
#define REAL_TOLERANCE 1e-10L

typedef long double complex number;

typedef struct schur {
  int n;
  number H[SIZE][SIZE], U[SIZE][SIZE];
} schur;

/* plane rotation (x, y) = (c x + s y, -s* x + c y) */
static void eigen_rotate(long double c, number s, number *x, number *y)
{
  number keep = *x;
  *x = c * keep + s * *y;
  *y = c * *y - conjl(s) * keep;
}

/* Rotation G = (c s; -s* c) in the plane of coordinates i and i + 1. */
typedef struct rotation {
  long double c;
  number s;
} rotation;

/* Rotation that maps (a, b) to (r, 0). */
static rotation eigen_rotation_of(number a, number b)
{
  long double size = hypotl(cabsl(a), cabsl(b));
  if (size == 0)
    return (rotation){.c = 1};
  number phase = a == 0 ? 1 : a / cabsl(a);
  return (rotation){.c = cabsl(a) / size, .s = phase * conjl(b) / size};
}

/* H = G H */
static void eigen_rotate_rows(schur *z, int i, rotation G)
{
  for (int j = 0; j < z->n; j++)
    eigen_rotate(G.c, G.s, &z->H[i][j], &z->H[i + 1][j]);
}

/* H = H G*, U = U G* */
static void eigen_rotate_columns(schur *z, int i, rotation G)
{
  for (int j = 0; j < z->n; j++) {
    eigen_rotate(G.c, conjl(G.s), &z->H[j][i], &z->H[j][i + 1]);
    eigen_rotate(G.c, conjl(G.s), &z->U[j][i], &z->U[j][i + 1]);
  }
}

/* QR sweep: H - shift I = Q R, H = R Q + shift I on the unreduced block first..last. The Wilkinson
 * shift is the eigenvalue of the last two by two block nearer to the last entry of that block;
 * every tenth shift is an exceptional one, against cycles. Shifts are explicit: an implicit shift
 * would be lost where several entries below the diagonal are small but not yet negligible. */
static void eigen_sweep(schur *z, int first, int last, int sweep)
{
  rotation G[SIZE];
  number a = z->H[last - 1][last - 1], d = z->H[last][last], half = (a - d) / 2;
  number bc = z->H[last - 1][last] * z->H[last][last - 1], root = csqrtl(half * half + bc);
  number near = cabsl(half - root) < cabsl(half + root) ? half - root : half + root;
  number shift = sweep % 10 ? d + near : cabsl(z->H[last][last - 1]);
  for (int i = 0; i < z->n; i++)
    z->H[i][i] -= shift;
  for (int i = first; i < last; i++) {
    G[i] = eigen_rotation_of(z->H[i][i], z->H[i + 1][i]);
    eigen_rotate_rows(z, i, G[i]);
    z->H[i + 1][i] = 0;
  }
  for (int i = first; i < last; i++)
    eigen_rotate_columns(z, i, G[i]);
  for (int i = 0; i < z->n; i++)
    z->H[i][i] += shift;
}

/* Schur form of A, stored in H; false: the QR algorithm does not converge. */
static bool eigen_triangularise(schur *z)
{
  for (int j = 0; j < z->n - 2; j++) /* reduction to Hessenberg form */
    for (int i = z->n - 2; i > j; i--) {
      rotation G = eigen_rotation_of(z->H[i][j], z->H[i + 1][j]);
      eigen_rotate_rows(z, i, G);
      eigen_rotate_columns(z, i, G);
      z->H[i + 1][j] = 0;
    }
  for (int last = z->n - 1, sweeps = 0; last > 0;) {
    int first = last; /* first row of the last unreduced block, found by deflation */
    for (; first > 0; first--) {
      long double size = cabsl(z->H[first][first]) + cabsl(z->H[first - 1][first - 1]);
      if (cabsl(z->H[first][first - 1]) <= LDBL_EPSILON * size) {
        z->H[first][first - 1] = 0;
        break;
      }
    }
    if (first == last) {
      last--;
      sweeps = 0;
      continue;
    }
    if (++sweeps > SWEEPS_MAX)
      return false;
    eigen_sweep(z, first, last, sweeps);
  }
  return true;
}

/* Eigenvector v = U x, scaled to largest entry 1, where R x = R_kk x with x_k = 1. */
static void eigen_eigenvector(const schur *z, int k, number *v)
{
  number x[SIZE] = {0};
  x[k] = 1;
  for (int i = k - 1; i >= 0; i--) {
    number sum = 0, gap = z->H[k][k] - z->H[i][i];
    for (int j = i + 1; j <= k; j++)
      sum += z->H[i][j] * x[j];
    x[i] = sum / (gap == 0 ? LDBL_EPSILON : gap);
  }
  number largest = 0;
  for (int i = 0; i < z->n; i++) {
    v[i] = 0;
    for (int j = 0; j <= k; j++)
      v[i] += z->U[i][j] * x[j];
    if (cabsl(v[i]) > cabsl(largest))
      largest = v[i];
  }
  for (int i = 0; i < z->n; i++)
    v[i] /= largest;
}

/* Selects the real eigenvalues and one of each complex pair, in ascending order of imaginary, then
 * real parts; column[i] is the column of H of eigenvalue i. */
static void eigen_select_blocks(const schur *z, long double tol, int *column, dae__eigen *e)
{
  for (int k = 0; k < z->n; k++) {
    number mu = z->H[k][k];
    bool real = fabsl(cimagl(mu)) <= tol;
    if (!real && cimagl(mu) < 0)
      continue;
    if (real)
      mu = creall(mu);
    int i = e->blocks++;
    for (; i > 0; i--) {
      number before = e->mu[i - 1];
      if (cimagl(before) < cimagl(mu) ||
          (cimagl(before) == cimagl(mu) && creall(before) <= creall(mu)))
        break;
      e->mu[i] = before;
      column[i] = column[i - 1];
    }
    e->mu[i] = mu;
    column[i] = k;
    e->reals += real;
  }
}

/* Rows of Ti from the inverse of the real basis (t_k of real eigenvalues; Re t_k, Im t_k of complex
 * pairs), in which a vector has the coordinates xi_k, and 2 Re xi_k, -2 Im xi_k. */
static bool eigen_invert(dae__eigen *e)
{
  int n = e->n;
  dae__small basis = dae__small_zero(n, n), inverse;
  for (int i = 0; i < n; i++)
    for (int k = 0, j = 0; k < e->blocks; k++) {
      basis.at[i][j++] = creall(e->T[i * e->blocks + k]);
      if (k >= e->reals)
        basis.at[i][j++] = cimagl(e->T[i * e->blocks + k]);
    }
  if (dae__small_inverse(&basis, &inverse) == 0)
    return false;
  for (int i = 0; i < n; i++)
    for (int k = 0, j = 0; k < e->blocks; k++) {
      number xi = inverse.at[j++][i];
      if (k >= e->reals)
        xi = (xi - I * inverse.at[j++][i]) / 2;
      e->Ti[k * n + i] = xi;
    }
  return true;
}

dae__eigen dae__eigen_of(const dae__small *A)
{
  dae__eigen e = {.n = A->rows}, none = e;
  schur z = {.n = A->rows};
  int column[SIZE];
  for (int i = 0; i < z.n; i++) {
    z.U[i][i] = 1;
    for (int j = 0; j < z.n; j++)
      z.H[i][j] = A->at[i][j];
  }
  if (!eigen_triangularise(&z))
    return none;
  eigen_select_blocks(&z, REAL_TOLERANCE * dae__small_norm(A), column, &e);
  if (2 * e.blocks - e.reals != e.n)
    return none;
  for (int k = 0; k < e.blocks; k++) {
    number v[SIZE];
    eigen_eigenvector(&z, column[k], v);
    for (int i = 0; i < e.n; i++)
      e.T[i * e.blocks + k] = k < e.reals ? creall(v[i]) : v[i];
  }
  if (!eigen_invert(&e))
    return none;
  long double defect = 0; /* defect of the decomposition: max |A - T diag(mu) T^-1| */
  for (int i = 0; i < e.n; i++)
    for (int j = 0; j < e.n; j++) {
      long double a = A->at[i][j];
      for (int k = 0; k < e.blocks; k++) {
        number term = e.T[i * e.blocks + k] * e.mu[k] * e.Ti[k * e.n + j];
        a -= (k < e.reals ? 1 : 2) * creall(term);
      }
      defect = fmaxl(defect, fabsl(a));
    }
  return defect > DAE__EIGEN_TOLERANCE * dae__small_norm(A) ? none : e;
}
