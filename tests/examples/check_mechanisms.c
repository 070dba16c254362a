/* Mechanisms with holonomic constraints, and what drives them. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double gravity = 9.81;

double check_pendulum(const motion *m)
{
  static const char *const columns[] = {"x", "y", "der(x)", "der(y)", "lambda(rod)", NULL};
  test_problem p = test_pendulum();
  return apart_from_reference(m, &p, columns);
}

double check_slider_crank(const motion *m)
{
  static const char *const columns[] = {"crank",
                                        "x",
                                        "y",
                                        "rod",
                                        "slider",
                                        "der(crank)",
                                        "der(x)",
                                        "der(y)",
                                        "der(rod)",
                                        "der(slider)",
                                        "lambda(pin_x)",
                                        "lambda(pin_y)",
                                        "lambda(slide_x)",
                                        "lambda(slide_y)",
                                        NULL};
  test_problem p = test_slider_crank();
  assert_int_equal(m->summary.moved, 2); /* the rates of y and rod */
  return apart_from_reference(m, &p, columns);
}

double check_platform(const motion *m)
{
  static const char *const columns[] = {"x",
                                        "y",
                                        "phi",
                                        "der(x)",
                                        "der(y)",
                                        "der(phi)",
                                        "lambda(bar[1])",
                                        "lambda(bar[2])",
                                        "lambda(bar[3])",
                                        NULL};
  test_problem p = test_parallel_bars();
  assert_int_equal(m->summary.diagnosis.constraints, 3);
  assert_int_equal(m->summary.diagnosis.rank, 2);
  return apart_from_reference(m, &p, columns);
}

double check_car_axis(const motion *m)
{
  static const char *const columns[] = {
      "xl",           "yl", "xr", "yr", "der(xl)", "der(yl)", "der(xr)", "der(yr)", "lambda(wheel)",
      "lambda(axis)", NULL};
  test_problem p = test_car_axis();
  return apart_from_reference(m, &p, columns);
}

/* ---- double pendulum: y = (a, b, a', b'), angles from the downward vertical ---- */

static const double m1 = 1, m2 = 0.5, L1 = 1, L2 = 0.7;

static void double_rates(double t, const double *y, double *dy)
{
  double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]), va = y[2], vb = y[3];
  /* [(m1 + m2) L1, m2 L2 c; L1 c, L2] (a'', b'') = (p, r) */
  double p = -m2 * L2 * vb * vb * s - (m1 + m2) * gravity * sin(y[0]);
  double r = L1 * va * va * s - gravity * sin(y[1]);
  double det = (m1 + m2) * L1 * L2 - m2 * L2 * c * L1 * c;
  (void)t;
  dy[0] = va;
  dy[1] = vb;
  dy[2] = (p * L2 - m2 * L2 * c * r) / det;
  dy[3] = ((m1 + m2) * L1 * r - L1 * c * p) / det;
}

static double double_compare(const motion *m, long row, const double *y)
{
  double x1 = L1 * sin(y[0]), y1 = -L1 * cos(y[0]), dy[4], worst = 0;
  double vx1 = L1 * cos(y[0]) * y[2], vy1 = L1 * sin(y[0]) * y[2];
  double_rates(0, y, dy);
  worst = worse(worst, apart(motion_at(m, row, "x1"), x1));
  worst = worse(worst, apart(motion_at(m, row, "y1"), y1));
  worst = worse(worst, apart(motion_at(m, row, "x2"), x1 + L2 * sin(y[1])));
  worst = worse(worst, apart(motion_at(m, row, "y2"), y1 - L2 * cos(y[1])));
  worst = worse(worst, apart(motion_at(m, row, "der(x2)"), vx1 + L2 * cos(y[1]) * y[3]));
  worst = worse(worst, apart(motion_at(m, row, "der(y2)"), vy1 + L2 * sin(y[1]) * y[3]));
  /* the lower rod carries m2: its force is m2 (a + g) along the rod, towards m1 */
  double ax = L1 * (cos(y[0]) * dy[2] - sin(y[0]) * y[2] * y[2]) +
              L2 * (cos(y[1]) * dy[3] - sin(y[1]) * y[3] * y[3]);
  double ay = L1 * (sin(y[0]) * dy[2] + cos(y[0]) * y[2] * y[2]) +
              L2 * (sin(y[1]) * dy[3] + cos(y[1]) * y[3] * y[3]);
  double tension = m2 * ((ay + gravity) * cos(y[1]) - ax * sin(y[1]));
  worst = worse(worst, apart(motion_at(m, row, "tension[2]"), tension));
  return worse(worst, apart(motion_at(m, row, "lambda(lower)"), tension / (2 * L2)));
}

double check_double_pendulum(const motion *m)
{
  static const double start[] = {1.5707963267948966, 0, 0, 0};
  return apart_from_reduced(m, &(reduced){4, start, double_rates, double_compare, .step = 5e-4});
}

/* ---- four-bar: the energy gives the crank's speed at every angle ---- */

static const double bar_a = 0.4, bar_b = 1.2, bar_c = 1, bar_d = 1.3, bar_rho = 2;

bar_loop close_loop(double crank)
{
  bar_loop l;
  double px = bar_a * cos(crank), py = bar_a * sin(crank), r = hypot(bar_d - px, py);
  double inner = acos((bar_b * bar_b + r * r - bar_c * bar_c) / (2 * bar_b * r));
  l.coupler = atan2(-py, bar_d - px) + inner;
  l.rocker = atan2(py + bar_b * sin(l.coupler), px + bar_b * cos(l.coupler) - bar_d);
  l.coupler1 = -bar_a * sin(crank - l.rocker) / (bar_b * sin(l.coupler - l.rocker));
  l.rocker1 = bar_a * sin(crank - l.coupler) / (bar_c * sin(l.rocker - l.coupler));
  double ma = bar_rho * bar_a, mb = bar_rho * bar_b, mc = bar_rho * bar_c;
  double vx = -py - bar_b / 2 * sin(l.coupler) * l.coupler1;
  double vy = px + bar_b / 2 * cos(l.coupler) * l.coupler1;
  l.M = ma * bar_a * bar_a / 3 + mc * bar_c * bar_c / 3 * l.rocker1 * l.rocker1 +
        mb * (vx * vx + vy * vy) + mb * bar_b * bar_b / 12 * l.coupler1 * l.coupler1;
  l.V = gravity *
        (ma * py / 2 + mb * (py + bar_b / 2 * sin(l.coupler)) + mc * bar_c / 2 * sin(l.rocker));
  return l;
}

static void bar_rates(double t, const double *y, double *dy)
{
  bar_loop first = close_loop(0), l = close_loop(y[0]);
  (void)t;
  dy[0] = sqrt((first.M * 12 * 12 + 2 * (first.V - l.V)) / l.M);
}

static double bar_compare(const motion *m, long row, const double *y)
{
  double speed, worst = apart(motion_at(m, row, "crank"), y[0]);
  bar_loop l = close_loop(y[0]);
  bar_rates(0, y, &speed);
  worst = worse(worst, apart(motion_at(m, row, "coupler"), l.coupler));
  worst = worse(worst, apart(motion_at(m, row, "rocker"), l.rocker));
  worst = worse(worst, apart(motion_at(m, row, "der(crank)"), speed));
  worst = worse(worst, apart(motion_at(m, row, "der(coupler)"), l.coupler1 * speed));
  return worse(worst, apart(motion_at(m, row, "der(rocker)"), l.rocker1 * speed));
}

double check_four_bar(const motion *m)
{
  static const double start[] = {0};
  double error = apart_from_reduced(m, &(reduced){1, start, bar_rates, bar_compare, .step = 5e-4});
  assert_true(motion_end(m, "crank") > 6.3); /* it went round */
  return error;
}

/* ---- bushing: one angle p, x2 = cos p, y2 = sin p, the bushing stretched by (x2 - 1, y2) ---- */

static void bushing_rates(double t, const double *y, double *dy)
{
  const double k = 1e3, c = 10; /* with kx = ky its energy is k (1 - cos p) */
  (void)t;
  dy[0] = y[1];
  dy[1] = -k * sin(y[0]) - c * y[1] - gravity * cos(y[0]);
}

static double bushing_compare(const motion *m, long row, const double *y)
{
  double worst = apart(motion_at(m, row, "angle"), y[0]);
  worst = worse(worst, apart(motion_at(m, row, "x2"), cos(y[0])));
  worst = worse(worst, apart(motion_at(m, row, "der(x2)"), -sin(y[0]) * y[1]));
  worst = worse(worst, apart(motion_at(m, row, "der(y2)"), cos(y[0]) * y[1]));
  return worst;
}

/* the printed start lies a little off its constraints: the one that was made consistent counts */
double check_bushing(const motion *m)
{
  double p = motion_at(m, 0, "angle");
  double start[] = {p, motion_at(m, 0, "der(y2)") * cos(p) - motion_at(m, 0, "der(x2)") * sin(p)};
  assert_true(fabs(p + 0.014852) < 1e-5);
  return apart_from_reduced(m, &(reduced){2, start, bushing_rates, bushing_compare, .step = 1e-4});
}

/* the same, and its deformation with the force that belongs to it: k e + c e' in its own frame */
double check_bushing_frame(const motion *m)
{
  double worst = check_bushing(m);
  for (long row = 0; row < m->rows; row++) {
    double u = motion_at(m, row, "u"), u1 = motion_at(m, row, "der(u)");
    double w = motion_at(m, row, "w"), w1 = motion_at(m, row, "der(w)");
    worst = worse(worst, apart(u, motion_at(m, row, "x2") - 1));
    worst = worse(worst, apart(w, motion_at(m, row, "y2")));
    worst = worse(worst, apart(motion_at(m, row, "lambda(along)"), -1e3 * u - 10 * u1));
    worst = worse(worst, apart(motion_at(m, row, "lambda(across)"), -1e3 * w - 10 * w1));
  }
  return worst;
}

/* ---- bead on a turning wire: r'' = w^2 r - g sin(w t) ---- */

double check_moving_wire(const motion *m)
{
  const double mass = 0.2, w = 2, r0 = 0.5, c = gravity / (2 * w * w);
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double wt = w * motion_at(m, row, "t"), co = cos(wt), si = sin(wt);
    double r = r0 * cosh(wt) - c * sinh(wt) + c * si;
    double r1 = w * (r0 * sinh(wt) - c * cosh(wt) + c * co);
    double push = mass * (2 * w * r1 + gravity * co);
    worst = worse(worst, apart(motion_at(m, row, "x"), r * co));
    worst = worse(worst, apart(motion_at(m, row, "y"), r * si));
    worst = worse(worst, apart(motion_at(m, row, "der(x)"), r1 * co - w * r * si));
    worst = worse(worst, apart(motion_at(m, row, "der(y)"), r1 * si + w * r * co));
    worst = worse(worst, apart(motion_at(m, row, "distance"), r));
    worst = worse(worst, apart(motion_at(m, row, "speed"), r1));
    worst = worse(worst, apart(motion_at(m, row, "lambda(wire)"), push));
  }
  return worst;
}

/* ---- motor and slider crank: y = (crank, crank', i, heat) ---- */

static const double crank_length = 0.2, rod_length = 0.6;

/* the slider's position and its first two derivatives by the crank's angle */
static void slide(double a, double *s, double *s1, double *s2)
{
  double l = crank_length, si = sin(a), co = cos(a);
  double w = sqrt(rod_length * rod_length - l * l * si * si);
  *s = l * co + w;
  *s1 = -l * si - l * l * si * co / w;
  *s2 = -l * co - l * l * ((co * co - si * si) / w + l * l * si * si * co * co / (w * w * w));
}

static const double motor_U = 12, motor_L = 0.02, motor_R = 0.8, motor_kt = 0.5;
static const double motor_J = 0.05, slider_mass = 2, slider_damping = 4;

static void motor_rates(double t, const double *y, double *dy)
{
  double s, s1, s2, i = y[2], brush = asinh(i) / 2;
  (void)t;
  slide(y[0], &s, &s1, &s2);
  dy[0] = y[1];
  dy[1] = (motor_kt * i - slider_damping * s1 * s1 * y[1] - slider_mass * s1 * s2 * y[1] * y[1]) /
          (motor_J + slider_mass * s1 * s1);
  dy[2] = (motor_U - motor_R * i - motor_kt * y[1] - brush) / motor_L;
  dy[3] = motor_R * i * i + brush * i;
}

static double motor_compare(const motion *m, long row, const double *y)
{
  double s, s1, s2, dy[4], worst = apart(motion_at(m, row, "crank"), y[0]);
  motor_rates(0, y, dy);
  slide(y[0], &s, &s1, &s2);
  double pull = -slider_damping * s1 * y[1] - slider_mass * (s1 * dy[1] + s2 * y[1] * y[1]);
  worst = worse(worst, apart(motion_at(m, row, "slider"), s));
  worst = worse(worst, apart(motion_at(m, row, "der(crank)"), y[1]));
  worst = worse(worst, apart(motion_at(m, row, "der(slider)"), s1 * y[1]));
  worst = worse(worst, apart(motion_at(m, row, "i"), y[2]));
  worst = worse(worst, apart(motion_at(m, row, "heat"), y[3]));
  worst = worse(worst, apart(motion_at(m, row, "brush"), asinh(y[2]) / 2));
  worst = worse(worst, apart(motion_at(m, row, "power"), motor_U * y[2]));
  return worse(
      worst, apart(motion_at(m, row, "lambda(rod)"), pull / (2 * (s - crank_length * cos(y[0])))));
}

double check_motor(const motion *m)
{
  static const double start[] = {0.5, 0, 0, 0};
  return apart_from_reduced(m, &(reduced){4, start, motor_rates, motor_compare, .step = 2e-4});
}

/* ---- loudspeaker: y = (x, x', i, eddy) ---- */

static void speaker_rates(double t, const double *y, double *dy)
{
  const double m = 0.01, k = 1500, d = 1, Bl = 5, R = 6, L = 1e-3, Re = 2, Le = 4e-4, M = 5e-4;
  double u = 5 * sin(2 * 3.14159265358979323846 * 60 * t), det = L * Le - M * M;
  double a = u - R * y[2] - Bl * y[1], b = -Re * y[3];
  dy[0] = y[1];
  dy[1] = (Bl * y[2] - d * y[1] - k * y[0]) / m;
  dy[2] = (Le * a - M * b) / det;
  dy[3] = (L * b - M * a) / det;
}

static double speaker_compare(const motion *m, long row, const double *y)
{
  double worst = apart(motion_at(m, row, "x"), y[0]);
  worst = worse(worst, apart(motion_at(m, row, "der(x)"), y[1]));
  worst = worse(worst, apart(motion_at(m, row, "i"), y[2]));
  return worse(worst, apart(motion_at(m, row, "eddy"), y[3]));
}

double check_loudspeaker(const motion *m)
{
  static const double start[4] = {0};
  return apart_from_reduced(m, &(reduced){4, start, speaker_rates, speaker_compare, .step = 5e-6});
}

/* ---- stiffening: y = (a, z, a', z'), a the angle of the rod above the horizontal ---- */

static double link_force(double t, const double *y)
{
  double k = 1 + 1e6 / (1 + exp(-20 * (t - 10)));
  return k * (y[1] - cos(y[0])) + 2 * sqrt(k) * (y[3] + sin(y[0]) * y[2]);
}

static void stiffening_rates(double t, const double *y, double *dy)
{
  double force = link_force(t, y);
  dy[0] = y[2];
  dy[1] = y[3];
  dy[2] = -gravity * cos(y[0]) - force * sin(y[0]);
  dy[3] = -force;
}

static double stiffening_compare(const motion *m, long row, const double *y)
{
  double x = cos(y[0]), h = sin(y[0]), t = motion_at(m, row, "t");
  double lambda = (x * link_force(t, y) - gravity * h + y[2] * y[2]) / 2;
  double worst = apart(motion_at(m, row, "x"), x);
  worst = worse(worst, apart(motion_at(m, row, "y"), h));
  worst = worse(worst, apart(motion_at(m, row, "z"), y[1]));
  worst = worse(worst, apart(motion_at(m, row, "der(x)"), -h * y[2]));
  worst = worse(worst, apart(motion_at(m, row, "der(z)"), y[3]));
  return worse(worst, apart(motion_at(m, row, "lambda(rod)"), lambda));
}

double check_stiffening(const motion *m)
{
  static const double start[] = {0, 1, 0, 0};
  return apart_from_reduced(
      m, &(reduced){4, start, stiffening_rates, stiffening_compare, .step = 2e-4});
}
