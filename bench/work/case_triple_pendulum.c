/* Three points on massless rods in space, q = (p1, p2, p3): diagonal M, tridiagonal Schur
 * complement, which index 1 by hand uses. The end is from references_rows.c. */
#define MOST_Q 9
#define MOST_M 3
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

static const double masses[3] = {1, 0.6, 0.4}, squares[3] = {1, 0.64, 0.36};
static const double gravity = 9.81;

/* a rod and its rate */
ALWAYS_INLINE void rod(const double *q, int i, double *d)
{
  for (int e = 0; e < 3; e++)
    d[e] = q[3 * i + e] - (i > 0 ? q[3 * i - 3 + e] : 0);
}

ALWAYS_INLINE double dot(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  (void)t;
  for (int i = 0; i < 3; i++) {
    double d[3], w[3];
    rod(q, i, d);
    rod(v, i, w);
    for (int r = 0; r < 9; r++)
      x->G[i][r] = 0;
    for (int e = 0; e < 3; e++) {
      x->G[i][3 * i + e] = d[e];
      if (i > 0)
        x->G[i][3 * i - 3 + e] = -d[e];
      x->f[3 * i + e] = e == 2 ? -gravity * masses[i] : 0;
    }
    x->g[i] = (dot(d, d) - squares[i]) / 2;
    x->gdot[i] = dot(d, w);
    x->gamma[i] = dot(w, w);
  }
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *s)
{
  (void)t, (void)q;
  for (int i = 0; i < 3; i++) {
    double w[3];
    rod(v, i, w);
    for (int e = 0; e < 3; e++) {
      const int a = 3 * i + e, b = a - 3;
      s->G_q[i][a][a] = 1;
      s->gdot_q[i][a] = w[e];
      s->gamma_v[i][a] = 2 * w[e];
      if (i == 0)
        continue;
      s->G_q[i][b][b] = 1;
      s->G_q[i][a][b] = s->G_q[i][b][a] = -1;
      s->gdot_q[i][b] = -w[e];
      s->gamma_v[i][b] = -2 * w[e];
    }
  }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  for (int r = 0; r < 9; r++)
    a[r] = b[r] * (1 / masses[r / 3]);
}

/* index 1: tensions by a tridiagonal elimination */
static int triple_by_hand(double t, const double *y, double *phi)
{
  const double *v = y + 9, c1 = 1 / masses[0], c2 = 1 / masses[1], c3 = 1 / masses[2];
  double d[3][3], w[3][3];
  (void)t;
  for (int i = 0; i < 3; i++) {
    rod(y, i, d[i]);
    rod(v, i, w[i]);
  }
  double S1 = c1 * dot(d[0], d[0]), S2 = (c1 + c2) * dot(d[1], d[1]);
  double S3 = (c2 + c3) * dot(d[2], d[2]), U1 = -c1 * dot(d[0], d[1]), U2 = -c2 * dot(d[1], d[2]);
  double l1 = U1 / S1, b1 = dot(w[0], w[0]) - gravity * d[0][2];
  double b2 = dot(w[1], w[1]) - l1 * b1, l2 = U2 / (S2 - l1 * U1);
  double T3 = (dot(w[2], w[2]) - l2 * b2) / (S3 - l2 * U2), T2 = (b2 - U2 * T3) / (S2 - l1 * U1);
  double T1 = (b1 - U1 * T2) / S1;
  for (int r = 0; r < 9; r++)
    phi[r] = v[r];
  for (int e = 0; e < 3; e++) {
    double g = e == 2 ? gravity : 0;
    phi[9 + e] = (T2 * d[1][e] - T1 * d[0][e]) * c1 - g;
    phi[12 + e] = (T3 * d[2][e] - T2 * d[1][e]) * c2 - g;
    phi[15 + e] = -T3 * d[2][e] * c3 - g;
  }
  return 0;
}

ALWAYS_INLINE void triple_mass(const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < 81; i++)
    M[i] = i % 10 == 0 ? masses[i / 30] : 0;
}

static const mech_model triple_model = {9, 3, 0, terms, slopes, solve};
static const double triple_q_v[21] = {0.6, 0,   -0.8, 0.6,   0.48, -1.44, 0.384, 0.768, -1.92,
                                      0.8, 1.6, 0.6,  0.832, 0.96, 0.12,  1.024, 2.244, 0.804};
MECH_FORMS_3(triple)
MECH_JACOBIANS(triple)
MECH_CALLBACKS(triple)
MECH_DERIVATIVES(triple)

static const peer_form forms[] = {
    {.name = "index 1, tridiagonal by hand",
     .n = 18,
     .differential = 18,
     .index = {18},
     .second_order = 9,
     .phi = triple_by_hand,
     .start = triple_start},
    MECH_INDEX1_FORM(triple, 9, triple_index1_jac),
    MECH_GGL_FORM(triple, "GGL", 9, 3, 0, triple_ggl_jac),
    MECH_INDEX3_FORM(triple, 9, 3, NULL),
};

static const char text[] =
    "model triple_pendulum\n"
    "param m1 = 1, m2 = 0.6, m3 = 0.4, g = 9.81\n"
    "coord x1 = 0.6 rate 0.8, y1 = 0 rate 1.6, z1 = -0.8 rate 0.6\n"
    "coord x2 = 0.6 rate 0.832, y2 = 0.48 rate 0.96, z2 = -1.44 rate 0.12\n"
    "coord x3 = 0.384 rate 1.024, y3 = 0.768 rate 2.244, z3 = -1.92 rate 0.804\n"
    "kinetic m1*(x1'^2 + y1'^2 + z1'^2)/2 + m2*(x2'^2 + y2'^2 + z2'^2)/2\n"
    "kinetic m3*(x3'^2 + y3'^2 + z3'^2)/2\n"
    "potential g*(m1*z1 + m2*z2 + m3*z3)\n"
    "constraint x1^2 + y1^2 + z1^2 = 1\n"
    "constraint (x2 - x1)^2 + (y2 - y1)^2 + (z2 - z1)^2 = 0.64\n"
    "constraint (x3 - x2)^2 + (y3 - y2)^2 + (z3 - z2)^2 = 0.36\n";

bench_case case_triple_pendulum(void)
{
  static const dae_mechanical ours = {.name = "triple_pendulum",
                                      .nq = 9,
                                      .ng = 3,
                                      MECH_MEMBERS(triple),
                                      MECH_DERIVED(triple),
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double end[18] = {-0.054371128384264965, -0.26394145124717,    -0.96300503150905681,
                                 0.095325798653085866,  -0.76789740772857329, -1.5660135090303002,
                                 -0.19896901236044987,  -0.83489971611809211, -2.0845704055045284,
                                 0.21209165267131319,   -0.20250370613066923, 0.043527768008387757,
                                 2.8582463467304744,    2.8460664952607284,   -1.8473641979948916,
                                 -1.0177607603543886,   1.3908620433764618,   0.54039854306653923};
  return (bench_case){.title = "triple spherical pendulum",
                      .kind = NON_STIFF,
                      .problem = {.name = "triple_pendulum",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = triple_q_v},
                                  .to = 2,
                                  .size = 21,
                                  .reference = end},
                      .text = text,
                      .scored = 18,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
