/* The car axis: q = (xl, yl, xr, yr), see tests/problems/rheonomic.c. */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

#include <math.h>

static const double L = 1, L0 = 0.5, radius = 0.1, omega = 10, mass = 10 * 1e-4 / 2;

ALWAYS_INLINE void spring(double dx, double dy, double *f)
{
  double c = L0 / sqrt(dx * dx + dy * dy) - 1;
  f[0] = c * dx;
  f[1] = c * dy - mass;
}

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  /* the right wheel's foot, and its derivatives */
  double by = radius * sin(omega * t), by1 = radius * omega * cos(omega * t),
         by2 = -omega * omega * by;
  double bx = sqrt(L * L - by * by), per_bx = 1 / bx, bx1 = -by * by1 * per_bx;
  double bx2 = -(by1 * by1 + by * by2 + bx1 * bx1) * per_bx;
  double dx = q[0] - q[2], dy = q[1] - q[3], ux = v[0] - v[2], uy = v[1] - v[3];
  spring(q[0], q[1], x->f);
  spring(q[2] - bx, q[3] - by, x->f + 2);
  x->g[0] = q[0] * bx + q[1] * by;
  x->g[1] = dx * dx + dy * dy - L * L;
  x->gdot[0] = v[0] * bx + v[1] * by + q[0] * bx1 + q[1] * by1;
  x->gdot[1] = 2 * (dx * ux + dy * uy);
  x->gamma[0] = q[0] * bx2 + q[1] * by2 + 2 * (v[0] * bx1 + v[1] * by1);
  x->gamma[1] = 2 * (ux * ux + uy * uy);
  x->G[0][0] = bx;
  x->G[0][1] = by;
  x->G[0][2] = x->G[0][3] = 0;
  x->G[1][0] = 2 * dx;
  x->G[1][1] = 2 * dy;
  x->G[1][2] = -2 * dx;
  x->G[1][3] = -2 * dy;
}

ALWAYS_INLINE void spring_slopes(double dx, double dy, int at, mech_slopes *d)
{
  double l = sqrt(dx * dx + dy * dy), c = L0 / l - 1, e = -L0 / (l * l * l);
  d->f_q[at][at] = c + e * dx * dx;
  d->f_q[at][at + 1] = d->f_q[at + 1][at] = e * dx * dy;
  d->f_q[at + 1][at + 1] = c + e * dy * dy;
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double by = radius * sin(omega * t), by1 = radius * omega * cos(omega * t),
         by2 = -omega * omega * by;
  double bx = sqrt(L * L - by * by), per_bx = 1 / bx, bx1 = -by * by1 * per_bx;
  double bx2 = -(by1 * by1 + by * by2 + bx1 * bx1) * per_bx;
  spring_slopes(q[0], q[1], 0, d);
  spring_slopes(q[2] - bx, q[3] - by, 2, d);
  d->gdot_q[0][0] = bx1;
  d->gdot_q[0][1] = by1;
  d->gamma_q[0][0] = bx2;
  d->gamma_q[0][1] = by2;
  d->gamma_v[0][0] = 2 * bx1;
  d->gamma_v[0][1] = 2 * by1;
  for (int r = 0; r < 2; r++) {
    double u = v[r] - v[2 + r];
    d->gdot_q[1][r] = 2 * u;
    d->gdot_q[1][2 + r] = -2 * u;
    d->gamma_v[1][r] = 4 * u;
    d->gamma_v[1][2 + r] = -4 * u;
    d->G_q[1][r][r] = d->G_q[1][2 + r][2 + r] = 2;
    d->G_q[1][r][2 + r] = d->G_q[1][2 + r][r] = -2;
  }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  for (int r = 0; r < 4; r++)
    a[r] = b[r] * (1 / mass);
}

ALWAYS_INLINE void axis_mass(const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? mass : 0;
}

static const mech_model axis_model = {4, 2, 0, terms, slopes, solve};
static const double axis_q_v[] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0};
MECH_FORMS_3(axis)
MECH_JACOBIANS_3(axis)
MECH_EVAL(axis)

static const peer_form forms[] = {
    MECH_INDEX1_FORM(axis, 4, NULL),           MECH_INDEX1_FORM(axis, 4, axis_index1_jac),
    MECH_GGL_FORM(axis, "GGL", 4, 2, 0, NULL), MECH_GGL_FORM(axis, "GGL", 4, 2, 0, axis_ggl_jac),
    MECH_INDEX3_FORM(axis, 4, 2, NULL),        MECH_INDEX3_FORM(axis, 4, 2, axis_index3_jac),
};

bench_case case_car_axis(void)
{
  static dae_mechanical axis;
  bench_case c = {.title = "car axis",
                  .kind = NON_STIFF,
                  .problem = test_car_axis(),
                  .model = "car_axis",
                  .scored = 8,
                  .forms = forms,
                  .form_count = sizeof forms / sizeof *forms};
  axis = *c.problem.problem.mechanical;
  axis.eval = axis_eval;
  c.problem.problem.mechanical = &axis;
  return c;
}
