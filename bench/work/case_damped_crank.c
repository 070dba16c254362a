/* Crank and rod, q = (phi, x, y, th): crank, centre and angle of the rod, pinned to each other. The
 * end of the rod is held on the x axis by a damped spring of 1e8 N/m, and pulled along it by a soft
 * one. The start is after the fast motion; start and end are from references_rows.c. */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

#include <math.h>

static const double gravity = 9.81, k = 1e8, damping = 1e4, soft = 40, away = 0.3;
static const double J1 = 0.0027, J2 = 0.0027, m2 = 0.15, l1 = 0.15, h = 0.15;

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  double cp = l1 * cos(q[0]), sp = l1 * sin(q[0]), ct = h * cos(q[3]), st = h * sin(q[3]);
  double Fx = soft * (q[1] + ct - away), Fy = k * (q[2] + st) + damping * (v[2] + ct * v[3]);
  double wp = v[0] * v[0], wt = v[3] * v[3];
  (void)t;
  x->f[0] = 0;
  x->f[1] = -Fx;
  x->f[2] = -Fy - gravity * m2;
  x->f[3] = Fx * st - Fy * ct;
  x->g[0] = q[1] - ct - cp;
  x->g[1] = q[2] - st - sp;
  x->gdot[0] = v[1] + st * v[3] + sp * v[0];
  x->gdot[1] = v[2] - ct * v[3] - cp * v[0];
  x->gamma[0] = ct * wt + cp * wp;
  x->gamma[1] = st * wt + sp * wp;
  x->G[0][0] = sp;
  x->G[0][1] = x->G[1][2] = 1;
  x->G[0][2] = x->G[1][1] = 0;
  x->G[0][3] = st;
  x->G[1][0] = -cp;
  x->G[1][3] = -ct;
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double cp = l1 * cos(q[0]), sp = l1 * sin(q[0]), ct = h * cos(q[3]), st = h * sin(q[3]);
  double Fx = soft * (q[1] + ct - away), Fy = k * (q[2] + st) + damping * (v[2] + ct * v[3]);
  double Fy_th = k * ct - damping * st * v[3], Fy_w = damping * ct;
  (void)t;
  d->f_q[1][1] = -soft;
  d->f_q[1][3] = soft * st;
  d->f_q[2][2] = -k;
  d->f_q[2][3] = -Fy_th;
  d->f_q[3][1] = soft * st;
  d->f_q[3][2] = -k * ct;
  d->f_q[3][3] = -soft * st * st + Fx * ct - Fy_th * ct + Fy * st;
  d->f_v[2][2] = -damping;
  d->f_v[2][3] = -Fy_w;
  d->f_v[3][2] = -damping * ct;
  d->f_v[3][3] = -Fy_w * ct;
  const double along[2][2] = {{cp, sp}, {ct, st}}, across[2][2] = {{-sp, cp}, {-st, ct}};
  for (int i = 0; i < 2; i++)
    for (int e = 0; e < 2; e++) {
      int c = 3 * e; /* phi and th */
      d->G_q[i][c][c] = along[e][i];
      d->gdot_q[i][c] = along[e][i] * v[c];
      d->gamma_v[i][c] = 2 * along[e][i] * v[c];
      d->gamma_q[i][c] = across[e][i] * v[c] * v[c];
    }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  a[0] = b[0] * (1 / J1);
  a[1] = b[1] * (1 / m2);
  a[2] = b[2] * (1 / m2);
  a[3] = b[3] * (1 / J2);
}

ALWAYS_INLINE void damped_mass(const double *q, double *M)
{
  const double mass[4] = {J1, m2, m2, J2};
  (void)q;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? mass[i / 5] : 0;
}

static const mech_model damped_model = {4, 2, 0, terms, slopes, solve};
static double damped_q_v[10];
MECH_FORMS_3(damped)
MECH_JACOBIANS_3(damped)
MECH_CALLBACKS(damped)
MECH_DERIVATIVES(damped)

static const peer_form forms[] = {
    MECH_INDEX1_FORM(damped, 4, NULL),
    MECH_INDEX1_FORM(damped, 4, damped_index1_jac),
    MECH_GGL_FORM(damped, "GGL", 4, 2, 0, NULL),
    MECH_GGL_FORM(damped, "GGL", 4, 2, 0, damped_ggl_jac),
    MECH_INDEX3_FORM(damped, 4, 2, NULL),
    MECH_INDEX3_FORM(damped, 4, 2, damped_index3_jac),
};

static const char text[] =
    "model damped_crank\n"
    "param k = 1e8, c = 1e4, soft = 40, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, l1 = 0.15, l2 = 0.3\n"
    "param p0 = 0.099072156799497796, t0 = -0.049475296028504194, w0 = 9.8523475409818069, v0 = "
    "-4.9080240933480095\n"
    "coord phi = p0 rate w0\n"
    "coord x = l1*cos(p0) + l2/2*cos(t0) rate -l1*sin(p0)*w0 - l2/2*sin(t0)*v0\n"
    "coord y = l1*sin(p0) + l2/2*sin(t0) rate l1*cos(p0)*w0 + l2/2*cos(t0)*v0\n"
    "coord th = t0 rate v0\n"
    "let ex = x + l2/2*cos(th) - 0.3, ey = y + l2/2*sin(th), vy = y' + l2/2*cos(th)*th'\n"
    "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2\n"
    "potential k*ey^2/2 + soft*ex^2/2 + 9.81*m2*y\n"
    "force y = -c*vy\n"
    "force th = -c*l2/2*vy*cos(th)\n"
    "constraint x - l2/2*cos(th) = l1*cos(phi)\n"
    "constraint y - l2/2*sin(th) = l1*sin(phi)\n";

bench_case case_damped_crank(void)
{
  static const dae_mechanical ours = {.name = "damped_crank",
                                      .nq = 4,
                                      .ng = 2,
                                      MECH_MEMBERS(damped),
                                      MECH_DERIVED(damped),
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double end[8] = {6.2056916309013515,   0.29943741449429678, -0.0058062129947627876,
                                0.038717723846292636, 10.265454913674626,  0.14894131195767882,
                                0.76759841201657797,  -5.1211621662137565};
  const double p = 0.099072156799497796, th = -0.049475296028504194, w = 9.8523475409818069,
               u = -4.9080240933480095;
  const double start[8] = {
      p, l1 * cos(p) + h * cos(th),          l1 * sin(p) + h * sin(th),         th,
      w, -l1 * sin(p) * w - h * sin(th) * u, l1 * cos(p) * w + h * cos(th) * u, u};
  for (int i = 0; i < 8; i++)
    damped_q_v[i] = start[i];
  return (bench_case){.title = "crank on a damped guide of 1e8",
                      .kind = STIFF,
                      .problem = {.name = "damped_crank",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = damped_q_v},
                                  .to = 0.5,
                                  .size = 10,
                                  .reference = end},
                      .text = text,
                      .scored = 8,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
