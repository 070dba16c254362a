/* Two point masses on two rods, as examples/models/double_pendulum.dae: q = (x1, y1, x2, y2). The
 * end is from references.c. */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

static const double m1 = 1, m2 = 0.5, L1 = 1, L2 = 0.7, gravity = 9.81;

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  double dx = q[2] - q[0], dy = q[3] - q[1], ux = v[2] - v[0], uy = v[3] - v[1];
  (void)t;
  x->f[0] = x->f[2] = 0;
  x->f[1] = -m1 * gravity;
  x->f[3] = -m2 * gravity;
  x->g[0] = q[0] * q[0] + q[1] * q[1] - L1 * L1;
  x->g[1] = dx * dx + dy * dy - L2 * L2;
  x->gdot[0] = 2 * (q[0] * v[0] + q[1] * v[1]);
  x->gdot[1] = 2 * (dx * ux + dy * uy);
  x->gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  x->gamma[1] = 2 * (ux * ux + uy * uy);
  x->G[0][0] = 2 * q[0];
  x->G[0][1] = 2 * q[1];
  x->G[0][2] = x->G[0][3] = 0;
  x->G[1][0] = -2 * dx;
  x->G[1][1] = -2 * dy;
  x->G[1][2] = 2 * dx;
  x->G[1][3] = 2 * dy;
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  (void)t, (void)q;
  for (int r = 0; r < 2; r++) {
    double u = v[2 + r] - v[r];
    d->G_q[0][r][r] = 2;
    d->gdot_q[0][r] = 2 * v[r];
    d->gamma_v[0][r] = 4 * v[r];
    d->G_q[1][r][r] = d->G_q[1][2 + r][2 + r] = 2;
    d->G_q[1][r][2 + r] = d->G_q[1][2 + r][r] = -2;
    d->gdot_q[1][r] = -2 * u;
    d->gdot_q[1][2 + r] = 2 * u;
    d->gamma_v[1][r] = -4 * u;
    d->gamma_v[1][2 + r] = 4 * u;
  }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  a[0] = b[0] * (1 / m1);
  a[1] = b[1] * (1 / m1);
  a[2] = b[2] * (1 / m2);
  a[3] = b[3] * (1 / m2);
}

ALWAYS_INLINE void double_mass(const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 != 0 ? 0 : i < 10 ? m1 : m2;
}

static const mech_model double_model = {4, 2, 0, terms, slopes, solve};
static const double double_q_v[10] = {1, 0, 1, -0.7}; /* at rest; q, v, multipliers */
MECH_FORMS_3(double)
MECH_JACOBIANS_3(double)
MECH_CALLBACKS(double)
MECH_DERIVATIVES(double)

static const peer_form forms[] = {
    MECH_INDEX1_FORM(double, 4, NULL),
    MECH_INDEX1_FORM(double, 4, double_index1_jac),
    MECH_GGL_FORM(double, "GGL", 4, 2, 0, NULL),
    MECH_GGL_FORM(double, "GGL", 4, 2, 0, double_ggl_jac),
    MECH_INDEX3_FORM(double, 4, 2, NULL),
    MECH_INDEX3_FORM(double, 4, 2, double_index3_jac),
};

bench_case case_double_pendulum(void)
{
  static const dae_mechanical ours = {.name = "double_pendulum",
                                      .nq = 4,
                                      .ng = 2,
                                      MECH_MEMBERS(double),
                                      MECH_DERIVED(double),
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double end[] = {-0.33086142558628477, -0.9436793507643427,  -1.0308542422473705,
                               -0.94685056865020529, -3.58477593644470324, 1.25685072559745936,
                               -3.5810498364813668,  0.434377057003354914};
  return (bench_case){.title = "double pendulum",
                      .kind = NON_STIFF,
                      .problem = {.name = "double_pendulum",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = double_q_v},
                                  .to = 3,
                                  .size = 10,
                                  .reference = end},
                      .model = "double_pendulum",
                      .scored = 8,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
