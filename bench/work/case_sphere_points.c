/* Twenty points on the unit sphere that repel each other, under gravity, q = (x, y, z) of all: the
 * Schur complement is diagonal, which index 1 by hand uses. The end is from references_rows.c. */
#include "cases.h"

#include <daedal/mechanical.h>
#include <math.h>

enum { POINTS = 20, COORDINATES = 3 * POINTS };
static const double gravity = 9.81;

static double sphere_q_v[2 * COORDINATES + POINTS];

/* f = -dV/dq, V = sum of 1/distance, and gravity; unit masses */
static void repel(const double *restrict q, double *restrict f)
{
  const double *x = q, *y = q + POINTS, *z = y + POINTS;
  double *fx = f, *fy = f + POINTS, *fz = fy + POINTS;
  for (int i = 0; i < POINTS; i++) {
    fx[i] = fy[i] = 0;
    fz[i] = -gravity;
  }
  for (int i = 0; i < POINTS; i++) {
    double ax = 0, ay = 0, az = 0;
    for (int j = i + 1; j < POINTS; j++) {
      double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
      double square = dx * dx + dy * dy + dz * dz, s = 1 / (square * sqrt(square));
      dx *= s;
      dy *= s;
      dz *= s;
      ax += dx;
      ay += dy;
      az += dz;
      fx[j] -= dx;
      fy[j] -= dy;
      fz[j] -= dz;
    }
    fx[i] += ax;
    fy[i] += ay;
    fz[i] += az;
  }
}

static int sphere_phi(double t, const double *restrict y, double *restrict phi)
{
  const double *v = y + COORDINATES;
  double *a = phi + COORDINATES;
  (void)t;
  repel(y, a);
  for (int i = 0; i < COORDINATES; i++)
    phi[i] = v[i];
  for (int i = 0; i < POINTS; i++) {
    double pull = 0, square = 0;
    for (int r = i; r < COORDINATES; r += POINTS) {
      pull += y[r] * a[r] + v[r] * v[r];
      square += y[r] * y[r];
    }
    pull /= square;
    for (int r = i; r < COORDINATES; r += POINTS)
      a[r] -= pull * y[r];
  }
  return 0;
}

static void sphere_start(double *y, double *dy)
{
  for (int i = 0; i < 2 * COORDINATES; i++)
    y[i] = sphere_q_v[i];
  sphere_phi(0, y, dy);
}

/* ---- daedal's side: G has one entry in every column, for (p.p - 1) / 2 ---- */

static int sphere_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  const double *q = at->q, *v = at->v;
  (void)user;
  if (w->f)
    repel(q, w->f);
  for (int r = 0; w->M && r < COORDINATES; r++)
    w->M[r] = 1;
  for (int r = 0; w->G && r < COORDINATES; r++)
    w->G[r] = q[r];
  for (int i = 0; i < POINTS; i++) {
    const int y = i + POINTS, z = y + POINTS;
    if (w->g)
      w->g[i] = (q[i] * q[i] + q[y] * q[y] + q[z] * q[z] - 1) / 2;
    if (w->gdot)
      w->gdot[i] = q[i] * v[i] + q[y] * v[y] + q[z] * v[z];
    if (w->gamma)
      w->gamma[i] = v[i] * v[i] + v[y] * v[y] + v[z] * v[z];
  }
  return 0;
}

static int sphere_M(void *user, const dae_mechanical_at *at, double *out)
{
  return sphere_eval(user, at, &(dae_mechanical_wanted){.M = out});
}
static int sphere_f(void *user, const dae_mechanical_at *at, double *out)
{
  return sphere_eval(user, at, &(dae_mechanical_wanted){.f = out});
}
static int sphere_g(void *user, const dae_mechanical_at *at, double *out)
{
  return sphere_eval(user, at, &(dae_mechanical_wanted){.g = out});
}
static int sphere_G(void *user, const dae_mechanical_at *at, double *out)
{
  return sphere_eval(user, at, &(dae_mechanical_wanted){.G = out});
}
static int sphere_gamma(void *user, const dae_mechanical_at *at, double *out)
{
  return sphere_eval(user, at, &(dae_mechanical_wanted){.gamma = out});
}

/* df/dq, full; f does not depend on v */
static int sphere_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user;
  for (int i = 0; i < COORDINATES * COORDINATES; i++)
    J[i] = 0;
  for (int i = 0; i < POINTS; i++)
    for (int j = i + 1; j < POINTS; j++) {
      double d[3], square = 0;
      for (int e = 0; e < 3; e++) {
        d[e] = at->q[i + e * POINTS] - at->q[j + e * POINTS];
        square += d[e] * d[e];
      }
      double s = 1 / (square * sqrt(square));
      for (int e = 0; e < 3; e++)
        for (int o = 0; o < 3; o++) {
          double K = s * ((e == o) - 3 * d[e] * d[o] / square);
          int ie = i + e * POINTS, je = j + e * POINTS, io = i + o * POINTS, jo = j + o * POINTS;
          J[ie + io * COORDINATES] += K;
          J[je + jo * COORDINATES] += K;
          J[ie + jo * COORDINATES] -= K;
          J[je + io * COORDINATES] -= K;
        }
    }
  return 0;
}

static const peer_form forms[] = {{.name = "index 1, diagonal by hand",
                                   .n = 2 * COORDINATES,
                                   .differential = 2 * COORDINATES,
                                   .index = {2 * COORDINATES},
                                   .second_order = COORDINATES,
                                   .phi = sphere_phi,
                                   .start = sphere_start}};

static const char text[] =
    "model sphere_points\n"
    "param N = 20, g = 9.81\n"
    "param h[1..N] = 1 - (2*i - 1)/N\n"
    "param s[1..N] = 1 + 0.3*cos(i)\n"
    "coord x[1..N] = sqrt(1 - h[i]^2)*cos(2.4*i) rate "
    "-s[i]*sqrt(1 - h[i]^2)*sin(2.4*i)\n"
    "coord y[1..N] = sqrt(1 - h[i]^2)*sin(2.4*i) rate "
    "s[i]*sqrt(1 - h[i]^2)*cos(2.4*i)\n"
    "coord z[1..N] = h[i]\n"
    "for i in 1..N {\n"
    "  kinetic (x[i]'^2 + y[i]'^2 + z[i]'^2)/2\n"
    "  potential g*z[i]\n"
    "  constraint x[i]^2 + y[i]^2 + z[i]^2 = 1\n"
    "}\n"
    "for i in 1..N-1 {\n"
    "  for j in i+1..N {\n"
    "    potential 1/sqrt((x[i] - x[j])^2 + (y[i] - y[j])^2 + (z[i] - z[j])^2)\n"
    "  }\n"
    "}\n";

static void start(double *q_v)
{
  for (int i = 0; i < POINTS; i++) {
    double h = 1 - (2 * (i + 1) - 1) / (double)POINTS, r = sqrt(1 - h * h);
    double s = 1 + 0.3 * cos(i + 1), x = r * cos(2.4 * (i + 1)), y = r * sin(2.4 * (i + 1));
    q_v[i] = x;
    q_v[POINTS + i] = y;
    q_v[2 * POINTS + i] = h;
    q_v[3 * POINTS + i] = -s * y;
    q_v[4 * POINTS + i] = s * x;
    q_v[5 * POINTS + i] = 0;
  }
}

bench_case case_sphere_points(void)
{
  static int begin[COORDINATES + 1], diagonal[COORDINATES], row[COORDINATES];
  static const dae_pattern M = {COORDINATES, COORDINATES, begin, diagonal};
  static const dae_pattern G = {POINTS, COORDINATES, begin, row};
  static int column[2 * COORDINATES + 1], full[COORDINATES * COORDINATES];
  static const dae_pattern J = {COORDINATES, 2 * COORDINATES, column, full};
  static const dae_mechanical ours = {.name = "sphere_points",
                                      .nq = COORDINATES,
                                      .ng = POINTS,
                                      .M = sphere_M,
                                      .f = sphere_f,
                                      .g = sphere_g,
                                      .G = sphere_G,
                                      .gamma = sphere_gamma,
                                      .eval = sphere_eval,
                                      .J = sphere_J,
                                      .J_pattern = &J,
                                      .M_pattern = &M,
                                      .G_pattern = &G,
                                      .constant_mass = true,
                                      .time_free_g = true};
  static const double end[2 * COORDINATES] = {
      -0.83674044285311866, 0.50704850442883131,  -0.29028235621362503,  -0.23861115291736396,
      0.70775946618342012,  -0.89346230630193846, 0.93294518070062626,   -0.69939630564065658,
      -0.42878880163262334, 0.97170474630574588,  -0.78451652124550342,  0.14507534680343726,
      0.39958137417867873,  -0.82372109015479611, 0.73461077400330865,   -0.28187191489728736,
      0.023254959070351525, 0.3208224854906378,   -0.12338119564721189,  0.15933496186673521,
      0.2644499268749757,   -0.38888696396370348, 0.7244379813233438,    -0.95465468572227896,
      0.70591690958986753,  0.037397442506787802, -0.31491051248807378,  0.67001374481080267,
      -0.37348579589299208, 0.085608740584265153, 0.58834436548366265,   -0.79896236706234758,
      0.87222875783865206,  -0.53886315011246722, -0.13576468108339459,  0.46514840898823323,
      -0.96926498185711762, 0.43134297676028116,  -0.26252459126272543,  0.058832920921596393,
      -0.47951190545156103, -0.76920006722281198, -0.62524056561232866,  0.17804254753272708,
      0.027529162407363687, -0.44757852775973589, 0.17448397901232812,   0.24885013446009199,
      -0.82258648412226976, -0.22013865980890771, -0.19592022737961479,  -0.58361997889722128,
      -0.28204914360572114, -0.17638047251627034, -0.66476684791630813,  -0.83915742337647925,
      -0.24491754086663076, -0.84321774720601617, -0.95700466014696262,  -0.98546996775282769,
      1.1651936550524205,   0.52513484945871836,  -2.0348214777885665,   1.0881197095074129,
      0.13744439369308195,  -0.33614206871969221, -0.16363400473965836,  -0.041420207168295212,
      -0.17081944545212271, 0.43457841884616227,  -0.067131716442021414, -0.47682810467414621,
      -1.1515239364644028,  0.57311080291689998,  0.35629966078596131,   -0.66646364069595909,
      0.51573245804694168,  -0.32037227009797437, 0.82266791892339142,   0.052902068752291691,
      -1.2162291672936136,  2.4205624561812078,   -0.1022551604369611,   0.39091936321506299,
      -0.28126423146088037, -1.1378964078165397,  1.4868211092138237,    -1.4709122882177776,
      -0.01313430977284759, 0.72200721010459645,  0.36604665438711503,   -0.13522460575420817,
      0.93453606996455596,  -1.7692628774200809,  1.1346543543350218,    -0.97884243459666631,
      -0.60733441831399115, 0.44467491217934224,  -0.21061760597147297,  0.10387687957878448,
      -2.7039920272077445,  -0.87760827565267296, 0.82623437993627602,   3.5543779225815468,
      3.6787027822475862,   0.57593435896857381,  3.5583619603112746,    3.8439292497069038,
      0.09500635490427714,  2.1990323762527395,   1.368043671885953,     0.066590195422476392,
      1.2586519994004048,   2.7288004464385072,   0.16200504487923953,   -0.3187120926777906,
      2.4525042960419721,   0.10557744144964415,  -0.04828550211017861,  0.014754918795055178};
  for (int r = 0; r <= COORDINATES; r++) {
    begin[r] = r;
    column[r] = r * COORDINATES;
    column[COORDINATES + r] = COORDINATES * COORDINATES;
  }
  for (int e = 0; e < COORDINATES * COORDINATES; e++)
    full[e] = e % COORDINATES;
  for (int r = 0; r < COORDINATES; r++) {
    diagonal[r] = r;
    row[r] = r % POINTS;
  }
  start(sphere_q_v);
  return (bench_case){.title = "20 points on a sphere",
                      .kind = NON_STIFF,
                      .problem = {.name = "sphere_points",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = sphere_q_v},
                                  .to = 1,
                                  .size = 2 * COORDINATES + POINTS,
                                  .reference = end},
                      .text = text,
                      .scored = 2 * COORDINATES,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
