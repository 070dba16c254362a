/* A constrained motion with few coordinates as its problem file gives it, and what follows from
 * that for all forms of it:
 *
 *   M v' + G' lambda = f,  0 = g(t,q),  0 = k(t,q,v)
 *
 * The last nk of the m = ng + nk rows of G belong to the nonholonomic constraints. gdot stands for
 * g_t + G v, and for k; gamma for what makes G v' = -gamma.
 *
 * These functions are made for constant sizes and a known model: a problem has copies of its own,
 * in which the compiler has put in the numbers and the model, and left out what is not used. */
#ifndef DAEDAL_BENCH_MECH_MODEL_H
#define DAEDAL_BENCH_MECH_MODEL_H

#include "form.h"

#ifndef MOST_Q /* a problem with more defines both before */
#define MOST_Q 6
#define MOST_M 4
#endif

/* The model at a point. */
typedef struct mech_terms {
  double f[MOST_Q], G[MOST_M][MOST_Q], g[MOST_M], gdot[MOST_M], gamma[MOST_M];
  double m12[3]; /* of a mass matrix that depends on q, for solve */
} mech_terms;

/* Its derivatives, zero unless set. */
typedef struct mech_slopes {
  double f_q[MOST_Q][MOST_Q], f_v[MOST_Q][MOST_Q];
  double G_q[MOST_M][MOST_Q][MOST_Q]; /* [i][r][c]: dG[i][r]/dq[c] */
  double gdot_q[MOST_M][MOST_Q], gamma_q[MOST_M][MOST_Q], gamma_v[MOST_M][MOST_Q];
} mech_slopes;

typedef struct mech_model {
  int nq, ng, nk;
  void (*terms)(double t, const double *q, const double *v, mech_terms *x);
  void (*slopes)(double t, const double *q, const double *v,
                 mech_slopes *d);                                 /* NULL: not derived */
  void (*solve)(const mech_terms *x, const double *b, double *a); /* a = M^-1 b */
} mech_model;

/* ---- what the forms share ---- */

/* z = S^-1 b, S symmetric and positive definite, by its L D L' factors */
ALWAYS_INLINE void mech_solve_small(int m, double S[MOST_M][MOST_M], const double *b, double *z)
{
  if (m == 1) {
    z[0] = b[0] / S[0][0];
    return;
  }
  if (m == 2) {
    double scale = 1 / (S[0][0] * S[1][1] - S[0][1] * S[0][1]);
    z[0] = (S[1][1] * b[0] - S[0][1] * b[1]) * scale;
    z[1] = (S[0][0] * b[1] - S[0][1] * b[0]) * scale;
    return;
  }
  double L[MOST_M][MOST_M], D[MOST_M];
  for (int i = 0; i < m; i++) {
    z[i] = b[i];
    for (int j = 0; j <= i; j++) {
      double sum = S[i][j];
      for (int k = 0; k < j; k++)
        sum -= L[i][k] * L[j][k] * D[k];
      if (i == j)
        D[i] = sum;
      else {
        L[i][j] = sum / D[j];
        z[i] -= L[i][j] * z[j];
      }
    }
  }
  for (int i = m - 1; i >= 0; i--) {
    z[i] /= D[i];
    for (int k = i + 1; k < m; k++)
      z[i] -= L[k][i] * z[k];
  }
}

/* W = M^-1 G', row by row, and S = G W */
ALWAYS_INLINE void mech_schur(const mech_model *p, const mech_terms *x, double W[MOST_M][MOST_Q],
                              double S[MOST_M][MOST_M])
{
  const int n = p->nq, m = p->ng + p->nk;
  for (int i = 0; i < m; i++) {
    p->solve(x, x->G[i], W[i]);
    for (int j = 0; j <= i; j++) {
      S[i][j] = 0;
      for (int r = 0; r < n; r++)
        S[i][j] += x->G[j][r] * W[i][r];
      S[j][i] = S[i][j];
    }
  }
}

/* out = b - G' s */
ALWAYS_INLINE void mech_pull(const mech_model *p, const mech_terms *x, const double *b,
                             const double *s, double *out)
{
  for (int r = 0; r < p->nq; r++) {
    out[r] = b[r];
    for (int i = 0; i < p->ng + p->nk; i++)
      out[r] -= x->G[i][r] * s[i];
  }
}

ALWAYS_INLINE void mech_accelerate(const mech_model *p, const mech_terms *x, double *a,
                                   double *lambda)
{
  const int n = p->nq, m = p->ng + p->nk;
  double W[MOST_M][MOST_Q], S[MOST_M][MOST_M], free_a[MOST_Q], b[MOST_M];
  mech_schur(p, x, W, S);
  p->solve(x, x->f, free_a);
  for (int i = 0; i < m; i++) {
    b[i] = x->gamma[i];
    for (int r = 0; r < n; r++)
      b[i] += x->G[i][r] * free_a[r];
  }
  mech_solve_small(m, S, b, lambda);
  for (int r = 0; r < n; r++) {
    a[r] = free_a[r];
    for (int i = 0; i < m; i++)
      a[r] -= W[i][r] * lambda[i];
  }
}

/* f_q - (G' lambda)_q, column c */
ALWAYS_INLINE void mech_stiffness(const mech_model *p, const mech_slopes *d, const double *lambda,
                                  int c, double *out)
{
  for (int r = 0; r < p->nq; r++) {
    out[r] = d->f_q[r][c];
    for (int i = 0; i < p->ng + p->nk; i++)
      out[r] -= d->G_q[i][r][c] * lambda[i];
  }
}

#endif
