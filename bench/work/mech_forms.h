/* The forms of a constrained motion that an expert derives by hand for RADAU5 and IDA:
 *
 *   index 1         q' = v, v' = a(t,q,v):  S lambda = G M^-1 f + gamma,  S = G M^-1 G',
 *                   a = M^-1 (f - G' lambda);  unknowns (q, v)
 *   GGL             the stabilised index-2 form [GGL85]: q' = v - G' mu, v' = M^-1 (f - G' lambda),
 *                   0 = gdot, 0 = g;  (q, v, lambda, mu). Without holonomic constraints there is no
 *                   mu, and it is plain index 2
 *   index 3         q' = v, v' = M^-1 (f - G' lambda), 0 = g;  (q, v, lambda) */
#ifndef DAEDAL_BENCH_MECH_FORMS_H
#define DAEDAL_BENCH_MECH_FORMS_H

#include "mech_model.h"

/* ---- index 1 ---- */

ALWAYS_INLINE int mech_index1(const mech_model *p, double t, const double *y, double *phi)
{
  const int n = p->nq;
  double lambda[MOST_M];
  mech_terms x;
  p->terms(t, y, y + n, &x);
  for (int r = 0; r < n; r++)
    phi[r] = y[n + r];
  mech_accelerate(p, &x, phi + n, lambda);
  return 0;
}

/* a column of d(a, lambda): S dlambda = G M^-1 b + c, da = M^-1 (b - G' dlambda) */
ALWAYS_INLINE void mech_column(const mech_model *p, const mech_terms *x, double W[MOST_M][MOST_Q],
                               double S[MOST_M][MOST_M], const double *b, const double *c,
                               double *da)
{
  const int m = p->ng + p->nk;
  double right[MOST_M], dlambda[MOST_M], pulled[MOST_Q];
  for (int i = 0; i < m; i++) {
    right[i] = c[i];
    for (int r = 0; r < p->nq; r++)
      right[i] += W[i][r] * b[r];
  }
  mech_solve_small(m, S, right, dlambda);
  mech_pull(p, x, b, dlambda, pulled);
  p->solve(x, pulled, da);
}

ALWAYS_INLINE int mech_index1_jac(const mech_model *p, double t, const double *y, double *J, int ld)
{
  const int n = p->nq, m = p->ng + p->nk;
  double a[MOST_Q], lambda[MOST_M], W[MOST_M][MOST_Q], S[MOST_M][MOST_M], b[MOST_Q], c[MOST_M];
  mech_terms x;
  mech_slopes d = {0};
  p->terms(t, y, y + n, &x);
  p->slopes(t, y, y + n, &d);
  mech_schur(p, &x, W, S);
  mech_accelerate(p, &x, a, lambda);
  for (int j = 0; j < n; j++) {
    mech_stiffness(p, &d, lambda, j, b);
    for (int i = 0; i < m; i++) {
      c[i] = d.gamma_q[i][j]; /* and (G a)_q */
      for (int r = 0; r < n; r++)
        c[i] += d.G_q[i][r][j] * a[r];
    }
    mech_column(p, &x, W, S, b, c, J + j * ld);
    for (int r = 0; r < n; r++)
      b[r] = d.f_v[r][j];
    for (int i = 0; i < m; i++)
      c[i] = d.gamma_v[i][j];
    mech_column(p, &x, W, S, b, c, J + (n + j) * ld);
  }
  return 0;
}

/* ---- stabilised index 2, and index 3 ---- */

ALWAYS_INLINE int mech_forces(const mech_model *p, const mech_terms *x, const double *lambda,
                              double *phi)
{
  double pulled[MOST_Q];
  mech_pull(p, x, x->f, lambda, pulled);
  p->solve(x, pulled, phi);
  return 0;
}

ALWAYS_INLINE int mech_ggl(const mech_model *p, double t, const double *y, double *phi)
{
  const int n = p->nq, ng = p->ng, m = ng + p->nk;
  const double *v = y + n, *lambda = v + n, *mu = lambda + m;
  mech_terms x;
  p->terms(t, y, v, &x);
  for (int r = 0; r < n; r++) {
    phi[r] = v[r];
    for (int i = 0; i < ng; i++)
      phi[r] -= x.G[i][r] * mu[i];
  }
  mech_forces(p, &x, lambda, phi + n);
  for (int i = 0; i < m; i++)
    phi[2 * n + i] = x.gdot[i];
  for (int i = 0; i < ng; i++)
    phi[2 * n + m + i] = x.g[i];
  return 0;
}

ALWAYS_INLINE int mech_index3(const mech_model *p, double t, const double *y, double *phi)
{
  const int n = p->nq;
  mech_terms x;
  p->terms(t, y, y + n, &x);
  for (int r = 0; r < n; r++)
    phi[r] = y[n + r];
  mech_forces(p, &x, y + 2 * n, phi + n);
  for (int i = 0; i < p->ng; i++)
    phi[2 * n + i] = x.g[i];
  return 0;
}

/* the rows of v', of which J is the first */
ALWAYS_INLINE void mech_forces_jac(const mech_model *p, const mech_terms *x, const mech_slopes *d,
                                   const double *lambda, double *J, int ld)
{
  const int n = p->nq, m = p->ng + p->nk;
  double b[MOST_Q];
  for (int j = 0; j < n; j++) {
    mech_stiffness(p, d, lambda, j, b);
    p->solve(x, b, J + j * ld);
    for (int r = 0; r < n; r++)
      b[r] = d->f_v[r][j];
    p->solve(x, b, J + (n + j) * ld);
  }
  for (int i = 0; i < m; i++) {
    for (int r = 0; r < n; r++)
      b[r] = -x->G[i][r];
    p->solve(x, b, J + (2 * n + i) * ld);
  }
}

ALWAYS_INLINE int mech_ggl_jac(const mech_model *p, double t, const double *y, double *J, int ld)
{
  const int n = p->nq, ng = p->ng, m = ng + p->nk;
  const double *v = y + n, *lambda = v + n, *mu = lambda + m;
  mech_terms x;
  mech_slopes d = {0};
  p->terms(t, y, v, &x);
  p->slopes(t, y, v, &d);
  mech_forces_jac(p, &x, &d, lambda, J + n, ld);
  for (int r = 0; r < n; r++) {
    J[r + (n + r) * ld] = 1;
    for (int i = 0; i < ng; i++) {
      for (int c = 0; c < n; c++)
        J[r + c * ld] -= d.G_q[i][r][c] * mu[i];
      J[r + (2 * n + m + i) * ld] = -x.G[i][r];
      J[2 * n + m + i + r * ld] = x.G[i][r];
    }
    for (int i = 0; i < m; i++) {
      J[2 * n + i + r * ld] = d.gdot_q[i][r];
      J[2 * n + i + (n + r) * ld] = x.G[i][r];
    }
  }
  return 0;
}

ALWAYS_INLINE int mech_index3_jac(const mech_model *p, double t, const double *y, double *J, int ld)
{
  const int n = p->nq;
  mech_terms x;
  mech_slopes d = {0};
  p->terms(t, y, y + n, &x);
  p->slopes(t, y, y + n, &d);
  mech_forces_jac(p, &x, &d, y + 2 * n, J, ld);
  for (int i = 0; i < p->ng; i++)
    for (int r = 0; r < n; r++)
      J[n + i + r * ld] = x.G[i][r];
  return 0;
}

/* ---- the start of all of them ---- */

/* y, dy of the largest form; the others are its beginning. q_v is consistent. */
ALWAYS_INLINE void mech_start(const mech_model *p, const double *q_v, double *y, double *dy)
{
  const int n = p->nq, m = p->ng + p->nk;
  mech_terms x;
  for (int i = 0; i < 2 * n; i++)
    y[i] = q_v[i];
  p->terms(0, y, y + n, &x);
  for (int r = 0; r < n; r++)
    dy[r] = y[n + r];
  mech_accelerate(p, &x, dy + n, y + 2 * n);
  for (int i = 0; i < m + p->ng; i++)
    dy[2 * n + i] = 0;
  for (int i = 0; i < p->ng; i++)
    y[2 * n + m + i] = 0;
}

/* ---- copies for a problem whose model is the static const mech_model name##_model, and whose
 *      consistent start is name##_q_v ---- */

#define MECH_FORMS(name)                                                                           \
  static int name##_index1(double t, const double *y, double *phi)                                 \
  {                                                                                                \
    return mech_index1(&name##_model, t, y, phi);                                                  \
  }                                                                                                \
  static int name##_ggl(double t, const double *y, double *phi)                                    \
  {                                                                                                \
    return mech_ggl(&name##_model, t, y, phi);                                                     \
  }                                                                                                \
  static void name##_start(double *y, double *dy)                                                  \
  {                                                                                                \
    mech_start(&name##_model, name##_q_v, y, dy);                                                  \
  }

#define MECH_FORMS_3(name)                                                                         \
  MECH_FORMS(name)                                                                                 \
  static int name##_index3(double t, const double *y, double *phi)                                 \
  {                                                                                                \
    return mech_index3(&name##_model, t, y, phi);                                                  \
  }

#define MECH_JACOBIANS(name)                                                                       \
  static int name##_index1_jac(double t, const double *y, double *J, int ld)                       \
  {                                                                                                \
    return mech_index1_jac(&name##_model, t, y, J, ld);                                            \
  }                                                                                                \
  static int name##_ggl_jac(double t, const double *y, double *J, int ld)                          \
  {                                                                                                \
    return mech_ggl_jac(&name##_model, t, y, J, ld);                                               \
  }

#define MECH_JACOBIANS_3(name)                                                                     \
  MECH_JACOBIANS(name)                                                                             \
  static int name##_index3_jac(double t, const double *y, double *J, int ld)                       \
  {                                                                                                \
    return mech_index3_jac(&name##_model, t, y, J, ld);                                            \
  }

/* entries of a table of forms; jacobian may be NULL */
#define MECH_INDEX1_FORM(id, n_q, jacobian)                                                        \
  {                                                                                                \
    .name = "index 1", .n = 2 * (n_q), .differential = 2 * (n_q), .index = {2 * (n_q)},            \
    .second_order = (n_q), .phi = id##_index1, .jac = jacobian, .start = id##_start                \
  }
#define MECH_GGL_FORM(id, title, n_q, n_g, n_k, jacobian)                                          \
  {                                                                                                \
    .name = title, .n = 2 * ((n_q) + (n_g)) + (n_k), .differential = 2 * (n_q),                    \
    .index = {2 * (n_q), 2 * (n_g) + (n_k)}, .phi = id##_ggl, .jac = jacobian, .start = id##_start \
  }
#define MECH_INDEX3_FORM(id, n_q, n_g, jacobian)                                                   \
  {                                                                                                \
    .name = "index 3", .n = 2 * (n_q) + (n_g), .differential = 2 * (n_q),                          \
    .index = {(n_q), (n_q), (n_g)}, .second_order = (n_q), .phi = id##_index3, .jac = jacobian,    \
    .start = id##_start                                                                            \
  }

#endif
