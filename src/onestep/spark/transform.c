/* Transformation of an (s,s) tableau, computed in extended precision, which the eigenvectors of A
 * need for many stages: their condition number grows to 1e6. */
#include "onestep/spark/transform.h"
#include "core/assert.h"
#include "core/error.h"
#include "linalg/spectrum.h"
#include "quadrature/nodes.h"
#include <float.h>
#include <math.h>

/* Imaginary part of an eigenvalue relative to the norm of A below which it counts as real: about
 * the accuracy of an eigenvalue with condition number 1e6. Chosen, not measured. */
#define REAL_TOLERANCE 1e-10
/* Defect of A = T diag(mu) Ti relative to the norm of A above which A counts as not diagonalisable;
 * the families have 1e-14 or less. */
#define EIGEN_TOLERANCE 1e-9L
#define EIGENVECTOR_ITERATIONS 4 /* inverse iterations, quadratically convergent */

typedef long double complex number;

dae__small dae__spark_alpha(int s, int cols, const double *A, const double *b)
{
  dae__small top = dae__small_of(s, cols, A), last = dae__small_of(1, cols, b);
  return dae__small_stacked(&top, &last);
}

/* matrix M, row i: b' - b' q_i'(C) A, with q_i(c) = P_i(2c - 1), i = 0..s-1 */
dae__small dae__spark_M(const dae_spark_tableau *t)
{
  int s = t->s;
  dae__small A = dae__small_of(s, s, t->A), bq = dae__small_zero(s, s);
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) {
      long double P, dP;
      dae__legendre(i, 2 * (long double)t->c[j] - 1, &P, &dP);
      bq.at[i][j] = t->b[j] * 2 * dP;
    }
  dae__small M = dae__small_times(&bq, &A);
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      M.at[i][j] = t->b[j] - M.at[i][j];
  return M;
}

dae__small dae__spark_Qt(const dae_spark_tableau *t, dae__small *gamma, dae__small *w)
{
  int s = t->s;
  dae__small A = dae__small_of(s, s, t->A), A_inv, b = dae__small_of(1, s, t->b);
  dae__small_inverse(&A, &A_inv);
  *gamma = dae__small_times(&b, &A_inv); /* gamma' = (-b' A^-1, 1) */
  for (int j = 0; j < s; j++)
    gamma->at[0][j] *= -1;
  gamma->cols = s + 1;
  gamma->at[0][s] = 1;
  dae__small M = dae__spark_M(t), M_inv, ones = dae__small_zero(s, 1);
  for (int i = 0; i < s; i++)
    ones.at[i][0] = 1;
  dae__small_inverse(&M, &M_inv);
  dae__small x = dae__small_times(&M_inv, &ones);
  *w = dae__small_times(&A, &x);
  dae__small Qt = dae__small_times(w, gamma);
  for (int i = 0; i < s; i++)
    Qt.at[i][i] += 1;
  return Qt;
}

double *dae__spark_round(dae__arena *arena, const dae__small *A)
{
  double *values = DAE__ALLOC(arena, double, A->rows * A->cols);
  if (values)
    dae__small_round(A, values);
  return values;
}

/* (X Y)^-1 rounded to double */
static double *transform_round_inverse(dae__arena *arena, const dae__small *X, const dae__small *Y)
{
  dae__small product = dae__small_times(X, Y), inverse;
  dae__small_inverse(&product, &inverse);
  return dae__spark_round(arena, &inverse);
}

/* ---- eigenvectors of A ---- */

/* Sorts the real eigenvalues in ascending order to the front, then those with positive imaginary
 * part; the others are dropped. Sets out->mu, blocks and reals. */
static void transform_sort_eigenvalues(double norm, const double *re, const double *im,
                                       dae__spark_transform *out)
{
  for (int k = 0; k < out->s; k++) {
    bool real = fabs(im[k]) <= REAL_TOLERANCE * norm;
    if (!real && im[k] < 0)
      continue;
    double complex mu = re[k] + (real ? 0 : im[k]) * I;
    int i = out->blocks++;
    for (; i > 0; i--) {
      double complex before = out->mu[i - 1];
      if (cimag(before) < cimag(mu) || (cimag(before) == cimag(mu) && creal(before) <= creal(mu)))
        break;
      out->mu[i] = before;
    }
    out->mu[i] = mu;
    out->reals += real;
  }
}

/* z = (A - mu)^-1 v by elimination with partial pivoting, in place in v. */
static void transform_solve_shifted(const dae__small *A, number mu, number *v)
{
  int n = A->rows;
  number B[DAE__SMALL_SIZE][DAE__SMALL_SIZE];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      B[i][j] = A->at[i][j] - (i == j ? mu : 0);
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      p = cabsl(B[i][k]) > cabsl(B[p][k]) ? i : p;
    for (int j = k; j < n; j++) {
      number b = B[k][j];
      B[k][j] = B[p][j], B[p][j] = b;
    }
    number b = v[k];
    v[k] = v[p], v[p] = b;
    if (B[k][k] == 0) /* mu is an eigenvalue to the last bit */
      B[k][k] = LDBL_EPSILON * dae__small_norm(A);
    for (int i = k + 1; i < n; i++) {
      number factor = B[i][k] / B[k][k];
      for (int j = k + 1; j < n; j++)
        B[i][j] -= factor * B[k][j];
      v[i] -= factor * v[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      v[k] -= B[k][j] * v[j];
    v[k] /= B[k][k];
  }
}

/* Eigenvector v, scaled to largest entry 1, and improved eigenvalue, by inverse iteration. */
static number transform_eigenvector(const dae__small *A, number mu, number *v)
{
  int n = A->rows, p = 0;
  for (int i = 0; i < n; i++)
    v[i] = 1 + 0.5L * sinl(1.7L * i + 0.3L); /* without symmetries, the same in every run */
  for (int k = 0; k < EIGENVECTOR_ITERATIONS; k++) {
    number before = v[p];
    transform_solve_shifted(A, mu, v);
    if (k > 0) /* v was an approximate eigenvector: (A - mu) v_new = v */
      mu += before / v[p];
    for (int i = 0; i < n; i++)
      p = cabsl(v[i]) > cabsl(v[p]) ? i : p;
    number largest = v[p];
    for (int i = 0; i < n; i++)
      v[i] /= largest;
  }
  return mu;
}

/* Rows of Ti from the inverse of the real basis (t_k of real eigenvalues; Re t_k, Im t_k of complex
 * pairs), in which a vector has the coordinates xi_k, and 2 Re xi_k, -2 Im xi_k. Returns the defect
 * max |A - T diag(mu) Ti|, INFINITY: the basis is singular. */
static long double transform_invert(const dae__small *A, const number *mu, const number *T,
                                    const dae__spark_transform *out)
{
  int n = out->s, blocks = out->blocks;
  dae__small basis = dae__small_zero(n, n), inverse;
  for (int i = 0; i < n; i++)
    for (int k = 0, j = 0; k < blocks; k++) {
      basis.at[i][j++] = creall(T[i * blocks + k]);
      if (k >= out->reals)
        basis.at[i][j++] = cimagl(T[i * blocks + k]);
    }
  if (dae__small_inverse(&basis, &inverse) == 0)
    return INFINITY;
  number Ti[DAE__SMALL_SIZE * DAE__SMALL_SIZE];
  long double defect = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0, j = 0; k < blocks; k++) {
      number xi = inverse.at[j++][i];
      if (k >= out->reals)
        xi = (xi - I * inverse.at[j++][i]) / 2;
      Ti[k * n + i] = xi;
      out->Ti[k * n + i] = (double complex)xi;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long double a = A->at[i][j];
      for (int k = 0; k < blocks; k++)
        a -= (k < out->reals ? 1 : 2) * creall(T[i * blocks + k] * mu[k] * Ti[k * n + j]);
      defect = fmaxl(defect, fabsl(a));
    }
  return defect;
}

/* A = T diag(mu) Ti; blocks stays 0 where A is not diagonalisable. */
static dae_status transform_diagonalise(dae__arena *arena, const dae__small *A,
                                        dae__spark_transform *out)
{
  int n = out->s;
  double columns[DAE__SMALL_SIZE * DAE__SMALL_SIZE], re[DAE__SMALL_SIZE], im[DAE__SMALL_SIZE];
  number mu[DAE__SMALL_SIZE], T[DAE__SMALL_SIZE * DAE__SMALL_SIZE], v[DAE__SMALL_SIZE];
  long double norm = dae__small_norm(A);
  out->mu = DAE__ALLOC(arena, double complex, n);
  out->T = DAE__ALLOC(arena, double complex, n *n);
  out->Ti = DAE__ALLOC(arena, double complex, n *n);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      columns[i + j * n] = (double)A->at[i][j];
  dae_status status = dae__spectrum_values(dae__arena_env(arena), n, columns, re, im, NULL);
  if (!status)
    transform_sort_eigenvalues((double)norm, re, im, out);
  for (int k = 0; k < out->blocks; k++) {
    bool real = k < out->reals;
    mu[k] = transform_eigenvector(A, out->mu[k], v);
    mu[k] = real ? creall(mu[k]) : mu[k];
    out->mu[k] = (double complex)mu[k];
    for (int i = 0; i < n; i++) {
      T[i * out->blocks + k] = real ? creall(v[i]) : v[i];
      out->T[i * out->blocks + k] = (double complex)T[i * out->blocks + k];
    }
  }
  bool complete = !status && 2 * out->blocks - out->reals == n;
  if (!complete || transform_invert(A, mu, T, out) > EIGEN_TOLERANCE * norm)
    out->blocks = out->reals = 0;
  return status == DAE_ERROR_MEMORY ? status : DAE_OK;
}

/* ---- creation ---- */

dae_status dae__spark_transform_create(dae__arena *arena, const dae_spark_tableau *t,
                                       dae__spark_transform *out, dae_error *err)
{
  int s = t->s;
  DAE__ASSERT(t->nt == s + 1);
  dae__small gamma, w, Qt = dae__spark_Qt(t, &gamma, &w), Q = dae__small_stacked(&Qt, &gamma);
  dae__small Ac = dae__small_of(s, s, t->Ab + s), Ac_inv, D = dae__small_identity(s + 1);
  dae__small_inverse(&Ac, &Ac_inv);
  for (int i = 0; i < s; i++) /* block diagonal matrix D = blkdiag(Ac^-1, 1) */
    for (int j = 0; j < s; j++)
      D.at[i][j] = Ac_inv.at[i][j];
  dae__small Qc = dae__small_times(&Q, &D);
  dae__small alphat = dae__spark_alpha(s, s + 1, t->At, t->bt);
  dae__small alphah = dae__spark_alpha(s, s, t->Ah, t->bh);
  dae__small A = dae__small_of(s, s, t->A);
  *out = (dae__spark_transform){.s = s,
                                .gamma = dae__spark_round(arena, &gamma),
                                .w = dae__spark_round(arena, &w),
                                .Qt = dae__spark_round(arena, &Qt),
                                .Q = dae__spark_round(arena, &Q),
                                .Qc = dae__spark_round(arena, &Qc),
                                .Qat_inv = transform_round_inverse(arena, &Q, &alphat),
                                .Qah_inv = transform_round_inverse(arena, &Qt, &alphah)};
  dae_status status = transform_diagonalise(arena, &A, out);
  return status ? dae__out_of_memory(err) : DAE_OK;
}
