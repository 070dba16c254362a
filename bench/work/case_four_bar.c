/* Crank, coupler and rocker, as examples/models/four_bar.dae: q = the three angles. The mass matrix
 * depends on them. Nobody is given derivatives. The end is from references.c. */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

#include <math.h>

static const double a = 0.4, b = 1.2, c = 1, d = 1.3, gravity = 9.81;
static const double m_a = 2 * 0.4, m_b = 2 * 1.2, m_c = 2 * 1;

/* M = [m11 m12 0; m12 m22 0; 0 0 m33], m12 = B cos(crank - coupler) */
static const double m11 = (2 * 0.4 / 3 + 2 * 1.2) * 0.4 * 0.4, m22 = 2 * 1.2 * 1.2 * 1.2 / 3;
static const double m33 = 2. / 3, B = 2 * 1.2 * 0.4 * 1.2 / 2;

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  double ca = cos(q[0]), sa = sin(q[0]), cb = cos(q[1]), sb = sin(q[1]), cc = cos(q[2]),
         sc = sin(q[2]);
  double cd = ca * cb + sa * sb, sd = sa * cb - ca * sb; /* of crank - coupler */
  double w0 = v[0] * v[0], w1 = v[1] * v[1], w2 = v[2] * v[2];
  (void)t;
  x->m12[0] = B * cd;
  x->f[0] = -B * sd * w1 - gravity * (m_a / 2 + m_b) * a * ca;
  x->f[1] = B * sd * w0 - gravity * m_b * b / 2 * cb;
  x->f[2] = -gravity * m_c * c / 2 * cc;
  x->g[0] = a * ca + b * cb - d - c * cc;
  x->g[1] = a * sa + b * sb - c * sc;
  x->G[0][0] = -a * sa;
  x->G[0][1] = -b * sb;
  x->G[0][2] = c * sc;
  x->G[1][0] = a * ca;
  x->G[1][1] = b * cb;
  x->G[1][2] = -c * cc;
  for (int i = 0; i < 2; i++)
    x->gdot[i] = x->G[i][0] * v[0] + x->G[i][1] * v[1] + x->G[i][2] * v[2];
  x->gamma[0] = -a * ca * w0 - b * cb * w1 + c * cc * w2;
  x->gamma[1] = -a * sa * w0 - b * sb * w1 + c * sc * w2;
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *r, double *out)
{
  double m12 = x->m12[0], scale = 1 / (m11 * m22 - m12 * m12);
  out[0] = (m22 * r[0] - m12 * r[1]) * scale;
  out[1] = (m11 * r[1] - m12 * r[0]) * scale;
  out[2] = r[2] * (1 / m33);
}

ALWAYS_INLINE void bars_mass(const double *q, double *M)
{
  for (int i = 0; i < 9; i++)
    M[i] = 0;
  M[0] = m11;
  M[1] = M[3] = B * cos(q[0] - q[1]);
  M[4] = m22;
  M[8] = m33;
}

static const mech_model bars_model = {3, 2, 0, terms, NULL, solve};
static double bars_q_v[8];
MECH_FORMS_3(bars)
MECH_CALLBACKS(bars)

static const peer_form forms[] = {
    MECH_INDEX1_FORM(bars, 3, NULL),
    MECH_GGL_FORM(bars, "GGL", 3, 2, 0, NULL),
    MECH_INDEX3_FORM(bars, 3, 2, NULL),
};

bench_case case_four_bar(void)
{
  static const dae_mechanical ours = {
      .name = "four_bar", .nq = 3, .ng = 2, MECH_MEMBERS(bars), .time_free_g = true};
  static const double end[] = {14.3579891387845156, 0.481517120990386975,  1.90081508992348583,
                               10.7193655304562115, -0.393909517086063914, 4.19086994488800938};
  /* the crank lies along the frame and turns at 12/s; a triangle with the sides b, c, d - a */
  double side = d - a, w = 12;
  double coupler = acos((b * b + side * side - c * c) / (2 * b * side));
  double rocker = 3.14159265358979323846 - acos((c * c + side * side - b * b) / (2 * c * side));
  double ratio = a * w / sin(coupler - rocker);
  bars_q_v[1] = coupler;
  bars_q_v[2] = rocker;
  bars_q_v[3] = w;
  bars_q_v[4] = ratio * sin(rocker) / b; /* G v = 0 */
  bars_q_v[5] = ratio * sin(coupler) / c;
  return (bench_case){.title = "four-bar",
                      .kind = NON_STIFF,
                      .problem = {.name = "four_bar",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = bars_q_v},
                                  .to = 1,
                                  .size = 8,
                                  .reference = end},
                      .model = "four_bar",
                      .scored = 6,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
