/* Transformation of an (s,s) tableau, computed in extended precision. */
#include "onestep/spark/transform.h"
#include "core/assert.h"
#include "quadrature/eigen.h"
#include "quadrature/nodes.h"

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

static double complex *transform_round_complex(dae__arena *arena, int n,
                                               const long double complex *x)
{
  double complex *values = DAE__ALLOC(arena, double complex, n);
  for (int i = 0; values && i < n; i++)
    values[i] = (double complex)x[i];
  return values;
}

void dae__spark_transform_create(dae__arena *arena, const dae_spark_tableau *t,
                                 dae__spark_transform *out)
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
  dae__eigen e = dae__eigen_of(&A);
  *out = (dae__spark_transform){.s = s,
                                .reals = e.reals,
                                .blocks = e.blocks,
                                .gamma = dae__spark_round(arena, &gamma),
                                .w = dae__spark_round(arena, &w),
                                .Qt = dae__spark_round(arena, &Qt),
                                .Q = dae__spark_round(arena, &Q),
                                .Qc = dae__spark_round(arena, &Qc),
                                .Qat_inv = transform_round_inverse(arena, &Q, &alphat),
                                .Qah_inv = transform_round_inverse(arena, &Qt, &alphah),
                                .mu = transform_round_complex(arena, e.blocks, e.mu),
                                .T = transform_round_complex(arena, s * e.blocks, e.T),
                                .Ti = transform_round_complex(arena, e.blocks * s, e.Ti)};
}
