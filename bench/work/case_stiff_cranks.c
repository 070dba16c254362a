/* Slider cranks with a damped spring of 1e8 N/m, see tests/reference/stiff_cranks.h.
 *
 *   stiff_crank   q = (phi, x, y, th, s): crank, centre and angle of the rod, slider; the wrist pin
 *                 is a bushing, so that the direction of the stiffness turns
 *   stiff_load    q = (a, x, y, b, s, z): all pins are rigid, and the slider carries a load on a
 *                 spring along its slide */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"
#include "reference/stiff_cranks.h"

#include <math.h>

static const double gravity = 9.81, k = 1e8, damping = 1e4;

/* ---- bushing ---- */

static const double J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755, l1 = 0.15, h = 0.15;

ALWAYS_INLINE void crank_terms(double t, const double *q, const double *v, mech_terms *x)
{
  double cp = l1 * cos(q[0]), sp = l1 * sin(q[0]), ct = h * cos(q[3]), st = h * sin(q[3]);
  double Fx = k * (q[1] + ct - q[4]) + damping * (v[1] - st * v[3] - v[4]);
  double Fy = k * (q[2] + st) + damping * (v[2] + ct * v[3]);
  double wp = v[0] * v[0], wt = v[3] * v[3];
  (void)t;
  x->f[0] = 0;
  x->f[1] = -Fx;
  x->f[2] = -Fy - gravity * m2;
  x->f[3] = Fx * st - Fy * ct;
  x->f[4] = Fx;
  x->g[0] = q[1] - ct - cp;
  x->g[1] = q[2] - st - sp;
  x->gdot[0] = v[1] + st * v[3] + sp * v[0];
  x->gdot[1] = v[2] - ct * v[3] - cp * v[0];
  x->gamma[0] = ct * wt + cp * wp;
  x->gamma[1] = st * wt + sp * wp;
  for (int i = 0; i < 2; i++)
    for (int r = 0; r < 5; r++)
      x->G[i][r] = 0;
  x->G[0][0] = sp;
  x->G[0][1] = x->G[1][2] = 1;
  x->G[0][3] = st;
  x->G[1][0] = -cp;
  x->G[1][3] = -ct;
}

ALWAYS_INLINE void crank_slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double cp = l1 * cos(q[0]), sp = l1 * sin(q[0]), ct = h * cos(q[3]), st = h * sin(q[3]);
  double Fx = k * (q[1] + ct - q[4]) + damping * (v[1] - st * v[3] - v[4]);
  double Fy = k * (q[2] + st) + damping * (v[2] + ct * v[3]);
  double Fx_q[5] = {0, k, 0, -k * st - damping * ct * v[3], -k};
  double Fy_q[5] = {0, 0, k, k * ct - damping * st * v[3], 0};
  double Fx_v[5] = {0, damping, 0, -damping * st, -damping};
  double Fy_v[5] = {0, 0, damping, damping * ct, 0};
  (void)t;
  for (int c = 0; c < 5; c++) {
    d->f_q[1][c] = -Fx_q[c];
    d->f_q[2][c] = -Fy_q[c];
    d->f_q[3][c] = Fx_q[c] * st - Fy_q[c] * ct;
    d->f_q[4][c] = Fx_q[c];
    d->f_v[1][c] = -Fx_v[c];
    d->f_v[2][c] = -Fy_v[c];
    d->f_v[3][c] = Fx_v[c] * st - Fy_v[c] * ct;
    d->f_v[4][c] = Fx_v[c];
  }
  d->f_q[3][3] += Fx * ct + Fy * st;
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

ALWAYS_INLINE void crank_solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  a[0] = b[0] * (1 / J1);
  a[1] = b[1] * (1 / m2);
  a[2] = b[2] * (1 / m2);
  a[3] = b[3] * (1 / J2);
  a[4] = b[4] * (1 / m3);
}

ALWAYS_INLINE void crank_mass(const double *q, double *M)
{
  const double mass[5] = {J1, m2, m2, J2, m3};
  (void)q;
  for (int i = 0; i < 25; i++)
    M[i] = i % 6 == 0 ? mass[i / 6] : 0;
}

static const mech_model crank_model = {5, 2, 0, crank_terms, crank_slopes, crank_solve};
static double crank_q_v[12];
MECH_FORMS_3(crank)
MECH_JACOBIANS_3(crank)
MECH_CALLBACKS(crank)
MECH_DERIVATIVES(crank)

static const peer_form crank_forms[] = {
    MECH_INDEX1_FORM(crank, 5, NULL),           MECH_INDEX1_FORM(crank, 5, crank_index1_jac),
    MECH_GGL_FORM(crank, "GGL", 5, 2, 0, NULL), MECH_GGL_FORM(crank, "GGL", 5, 2, 0, crank_ggl_jac),
    MECH_INDEX3_FORM(crank, 5, 2, NULL),        MECH_INDEX3_FORM(crank, 5, 2, crank_index3_jac),
};

bench_case case_stiff_crank(void)
{
  static const dae_mechanical ours = {.name = "stiff_crank",
                                      .nq = 5,
                                      .ng = 2,
                                      MECH_MEMBERS(crank),
                                      MECH_DERIVED(crank),
                                      .constant_mass = true,
                                      .time_free_g = true};
  const double p = 0.0496358263908281, th = -0.0248102894736081901;
  const double w = 9.84713722224960541, u = -4.91901801287057427;
  const double start[10] = {p,
                            l1 * cos(p) + h * cos(th),
                            l1 * sin(p) + h * sin(th),
                            th,
                            0.449722947619322744,
                            w,
                            -l1 * sin(p) * w - h * sin(th) * u,
                            l1 * cos(p) * w + h * cos(th) * u,
                            u,
                            -0.109894640629067203};
  for (int i = 0; i < 10; i++)
    crank_q_v[i] = start[i];
  return (bench_case){.title = "slider crank, bushing of 1e8",
                      .kind = STIFF,
                      .problem = {.name = "stiff_crank",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = crank_q_v},
                                  .to = 0.5,
                                  .size = 12,
                                  .reference = stiff_bushing_end},
                      .text = stiff_bushing,
                      .scored = 10,
                      .forms = crank_forms,
                      .form_count = sizeof crank_forms / sizeof *crank_forms};
}

/* ---- load ---- */

static const double L1 = 0.5, H = 0.625, M1 = 1, M2 = 2, M3 = 3, M4 = 1;
static const double I1 = 0.25 / 3, I2 = 3.125 / 12;

ALWAYS_INLINE void load_terms(double t, const double *q, const double *v, mech_terms *x)
{
  double ca = L1 * cos(q[0]), sa = L1 * sin(q[0]), cb = H * cos(q[3]), sb = H * sin(q[3]);
  double F = k * (q[5] - q[4]) + damping * (v[5] - v[4]);
  double wa = v[0] * v[0], wb = v[3] * v[3];
  (void)t;
  x->f[0] = -M1 * gravity / 2 * ca;
  x->f[1] = x->f[3] = 0;
  x->f[2] = -M2 * gravity;
  x->f[4] = F;
  x->f[5] = -F;
  x->g[0] = q[1] - cb - ca;
  x->g[1] = q[2] - sb - sa;
  x->g[2] = q[1] + cb - q[4];
  x->g[3] = q[2] + sb;
  x->gdot[0] = v[1] + sb * v[3] + sa * v[0];
  x->gdot[1] = v[2] - cb * v[3] - ca * v[0];
  x->gdot[2] = v[1] - sb * v[3] - v[4];
  x->gdot[3] = v[2] + cb * v[3];
  x->gamma[0] = cb * wb + ca * wa;
  x->gamma[1] = sb * wb + sa * wa;
  x->gamma[2] = -cb * wb;
  x->gamma[3] = -sb * wb;
  for (int i = 0; i < 4; i++)
    for (int r = 0; r < 6; r++)
      x->G[i][r] = 0;
  x->G[0][0] = sa;
  x->G[1][0] = -ca;
  x->G[0][1] = x->G[2][1] = x->G[1][2] = x->G[3][2] = 1;
  x->G[0][3] = sb;
  x->G[1][3] = -cb;
  x->G[2][3] = -sb;
  x->G[3][3] = cb;
  x->G[2][4] = -1;
}

ALWAYS_INLINE void load_slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double ca = L1 * cos(q[0]), sa = L1 * sin(q[0]), cb = H * cos(q[3]), sb = H * sin(q[3]);
  const double curved_a[4] = {ca, sa, 0, 0}, curved_b[4] = {cb, sb, -cb, -sb};
  const double turned_a[4] = {-sa, ca, 0, 0}, turned_b[4] = {-sb, cb, sb, -cb};
  (void)t;
  d->f_q[0][0] = M1 * gravity / 2 * sa;
  d->f_q[4][4] = d->f_q[5][5] = -k;
  d->f_q[4][5] = d->f_q[5][4] = k;
  d->f_v[4][4] = d->f_v[5][5] = -damping;
  d->f_v[4][5] = d->f_v[5][4] = damping;
  for (int i = 0; i < 4; i++) {
    d->G_q[i][0][0] = curved_a[i];
    d->G_q[i][3][3] = curved_b[i];
    d->gdot_q[i][0] = curved_a[i] * v[0];
    d->gdot_q[i][3] = curved_b[i] * v[3];
    d->gamma_v[i][0] = 2 * curved_a[i] * v[0];
    d->gamma_v[i][3] = 2 * curved_b[i] * v[3];
    d->gamma_q[i][0] = turned_a[i] * v[0] * v[0];
    d->gamma_q[i][3] = turned_b[i] * v[3] * v[3];
  }
}

ALWAYS_INLINE void load_solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  a[0] = b[0] * (1 / I1);
  a[1] = b[1] * (1 / M2);
  a[2] = b[2] * (1 / M2);
  a[3] = b[3] * (1 / I2);
  a[4] = b[4] * (1 / M3);
  a[5] = b[5] * (1 / M4);
}

ALWAYS_INLINE void load_mass(const double *q, double *M)
{
  const double mass[6] = {I1, M2, M2, I2, M3, M4};
  (void)q;
  for (int i = 0; i < 36; i++)
    M[i] = i % 7 == 0 ? mass[i / 7] : 0;
}

static const mech_model load_model = {6, 4, 0, load_terms, load_slopes, load_solve};
static double load_q_v[16];
MECH_FORMS_3(load)
MECH_JACOBIANS_3(load)
MECH_CALLBACKS(load)
MECH_DERIVATIVES(load)

static const peer_form load_forms[] = {
    MECH_INDEX1_FORM(load, 6, NULL),           MECH_INDEX1_FORM(load, 6, load_index1_jac),
    MECH_GGL_FORM(load, "GGL", 6, 4, 0, NULL), MECH_GGL_FORM(load, "GGL", 6, 4, 0, load_ggl_jac),
    MECH_INDEX3_FORM(load, 6, 4, NULL),        MECH_INDEX3_FORM(load, 6, 4, load_index3_jac),
};

bench_case case_stiff_load(void)
{
  static const dae_mechanical ours = {.name = "stiff_load",
                                      .nq = 6,
                                      .ng = 4,
                                      MECH_MEMBERS(load),
                                      MECH_DERIVED(load),
                                      .constant_mass = true,
                                      .time_free_g = true};
  const double a = 0.0384354218401743511, w = 3.67924291134861781;
  const double b = -asin(L1 / (2 * H) * sin(a)), u = -L1 / (2 * H) * cos(a) / cos(b) * w;
  const double start[12] = {a,
                            L1 * cos(a) + H * cos(b),
                            L1 / 2 * sin(a),
                            b,
                            L1 * cos(a) + 2 * H * cos(b),
                            1.74948314662531579,
                            w,
                            -L1 * sin(a) * w - H * sin(b) * u,
                            L1 / 2 * cos(a) * w,
                            u,
                            -L1 * sin(a) * w - 2 * H * sin(b) * u,
                            -0.0989500989762880784};
  for (int i = 0; i < 12; i++)
    load_q_v[i] = start[i];
  return (bench_case){.title = "slider crank, load on a spring of 1e8",
                      .kind = STIFF,
                      .problem = {.name = "stiff_load",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = load_q_v},
                                  .to = 0.5,
                                  .size = 16,
                                  .reference = stiff_load_end},
                      .text = stiff_load,
                      .scored = 12,
                      .forms = load_forms,
                      .form_count = sizeof load_forms / sizeof *load_forms};
}
