/* Algorithms 2.1 and 3.1 of [YP96] as printed, and with corrected signs, beside simplified Newton's
 * iteration. */
#include "yp96_split.h"

#include <math.h>
#include <string.h>

/* (r1 + G's1, r2 + G's2) with fixed s, whose derivative is J1 [YP96 (2.16)]; s NULL: (3.11) */
static void algorithm_forces(const yp96_step *s, const double *z, const double *multipliers,
                             double *r)
{
  yp96_point at;
  yp96_point_at(s, z, &at);
  yp96_point_residual(s, z, &at, r);
  for (int b = 0; b < 2 && multipliers; b++)
    for (int j = 0; j < s->n; j++)
      for (int i = 0; i < s->m; i++)
        r[b * s->n + j] += at.G[i * s->n + j] * multipliers[b * s->m + i];
}

static void algorithm_matrix(const yp96_step *s, const double *z, bool cm, double *J1)
{
  int size = 2 * s->n;
  yp96_point at;
  double r[YP96_Z], multipliers[YP96_Z], moved[YP96_Z], up[YP96_Z], down[YP96_Z];
  yp96_point_at(s, z, &at);
  yp96_point_residual(s, z, &at, r);
  yp96_split_multipliers(s, at.G, r, multipliers);
  yp96_split_multipliers(s, at.G, r + s->n, multipliers + s->m);
  memcpy(moved, z, (size_t)size * sizeof *moved);
  for (int j = 0; j < size; j++) {
    double d = YP96_DIFFERENCE * fmax(1, fabs(z[j]));
    moved[j] = z[j] + d;
    algorithm_forces(s, moved, cm ? NULL : multipliers, up);
    moved[j] = z[j] - d;
    algorithm_forces(s, moved, cm ? NULL : multipliers, down);
    moved[j] = z[j];
    for (int i = 0; i < size; i++)
      J1[i * size + j] = (up[i] - down[i]) / (2 * d);
  }
}

/* u with P u = a, G u = -b in the form of (2.23) or (2.25), with the matrices G0 of the start */
static void algorithm_increment(const yp96_step *s, yp96_variant variant, const double *G0,
                                const double *a, const double *b, double *u)
{
  int m = s->m, p = s->n - m;
  double GYt[YP96_MOST * YP96_MOST], GXt[YP96_MOST * YP96_MOST], GY[YP96_MOST * YP96_MOST];
  double Q[YP96_MOST * YP96_MOST], e[YP96_MOST], ux[YP96_MOST], A[YP96_MOST * YP96_MOST];
  yp96_split_parts(s, G0, GYt, GXt);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++)
      GY[i * m + k] = GYt[k * m + i];
    for (int k = 0; k < p; k++)
      Q[i * p + k] = GXt[k * m + i];
    e[i] = b[i];
  }
  yp96_dense_solve(GY, m, Q, p);
  yp96_dense_solve(GY, m, e, 1); /* (GY)^-1 b */
  double sign = variant == YP96_PRINTED ? 1 : -1;
  for (int k = 0; k < p; k++) {
    ux[k] = a[k];
    for (int i = 0; i < m; i++)
      ux[k] += sign * Q[i * p + k] * e[i];
    for (int j = 0; j < p; j++) {
      A[k * p + j] = k == j;
      for (int i = 0; i < m; i++)
        A[k * p + j] += Q[i * p + k] * Q[i * p + j];
    }
  }
  if (variant != YP96_CHEAP && variant != YP96_PRINTED)
    yp96_dense_solve(A, p, ux, 1);
  for (int k = 0; k < p; k++)
    u[s->x[k]] = ux[k];
  for (int i = 0; i < m; i++) {
    u[s->y[i]] = -e[i];
    for (int k = 0; k < p; k++)
      u[s->y[i]] -= Q[i * p + k] * ux[k];
  }
}

/* d(G v)/dq dq + G v [YP96 below (2.24)] */
static void algorithm_eta(const yp96_step *s, const double *z, const yp96_point *at,
                          const double *dq, double *eta)
{
  double up[YP96_Z], down[YP96_Z];
  yp96_point above, below;
  memcpy(up, z, sizeof up);
  memcpy(down, z, sizeof down);
  double size = 0;
  for (int j = 0; j < s->n; j++)
    size = fmax(size, fabs(dq[j]));
  double scale = size > 0 ? YP96_DIFFERENCE / size : 0;
  for (int j = 0; j < s->n; j++) {
    up[j] += scale * dq[j];
    down[j] -= scale * dq[j];
  }
  yp96_point_at(s, up, &above);
  yp96_point_at(s, down, &below);
  for (int i = 0; i < s->m; i++)
    eta[i] = at->Gv[i] + (scale > 0 ? (above.Gv[i] - below.Gv[i]) / (2 * scale) : 0);
}

static void algorithm_step(const yp96_step *s, yp96_variant variant, const double *J1,
                           const double *G0, double *z)
{
  int n = s->n;
  yp96_point at;
  double d[YP96_Z], a[YP96_MOST], dq[YP96_MOST], dv[YP96_MOST], eta[YP96_MOST];
  yp96_point_at(s, z, &at);
  yp96_point_residual(s, z, &at, d);
  for (int i = 0; i < 2 * n; i++)
    d[i] = -d[i];
  yp96_dense_solve(J1, 2 * n, d, 1); /* (2.26) */
  const double *G = variant == YP96_CM_PRINTED ? G0 : at.G;
  yp96_split_project(s, G, d, a);
  algorithm_increment(s, variant, G0, a, at.g, dq);
  algorithm_eta(s, z, &at, dq, eta);
  yp96_split_project(s, G, d + n, a);
  algorithm_increment(s, variant, G0, a, eta, dv);
  for (int i = 0; i < n; i++) {
    z[i] += dq[i];
    z[n + i] += dv[i];
  }
}

void yp96_step_iterate(const yp96_step *s, yp96_variant variant, int count, double *z)
{
  double J[YP96_Z * YP96_Z], start[YP96_Z];
  bool cm = variant == YP96_CM_EXACT || variant == YP96_CM_PRINTED;
  bool exact = variant == YP96_EXACT || variant == YP96_CM_EXACT;
  yp96_point at;
  memcpy(start, z, sizeof start);
  yp96_point_at(s, start, &at);
  if (exact)
    yp96_step_jacobian(s, start, cm ? start : NULL, J);
  else
    algorithm_matrix(s, start, cm, J);
  for (int k = 0; k < count; k++)
    if (exact)
      yp96_step_newton(s, J, cm ? start : NULL, z);
    else
      algorithm_step(s, variant, J, at.G, z);
}
