/* Models of bodies, joints and parts, against equations in minimal coordinates. */
#include "checks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double gravity = 9.81;
static const double pi = 3.14159265358979323846;

static double dot3(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *out)
{
  double c[3];
  for (int i = 0; i < 3; i++)
    c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
  memcpy(out, c, sizeof c);
}

/* ---- Bricard: the loop is closed by Newton's method, the motion is that of one angle ---- */

/* R := R Rot(axis, angle) */
static void bricard_turn(double R[3][3], int axis, double angle)
{
  int j = (axis + 1) % 3, k = (axis + 2) % 3;
  for (int i = 0; i < 3; i++) {
    double a = R[i][j], b = R[i][k];
    R[i][j] = a * cos(angle) + b * sin(angle);
    R[i][k] = b * cos(angle) - a * sin(angle);
  }
}

/* Points of the chain with the angles of five joints, and what is missing at the sixth. */
static void bricard_chain(const double *angle, double P[6][3], double *gap)
{
  static const int axis[5] = {1, 2, 0, 1, 2}, along[5] = {0, 1, 2, 0, 1};
  static const int sign[5] = {1, -1, 1, -1, 1};
  double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  memset(P[0], 0, sizeof P[0]);
  for (int k = 0; k < 5; k++) {
    bricard_turn(R, axis[k], angle[k]);
    for (int i = 0; i < 3; i++)
      P[k + 1][i] = P[k][i] + sign[k] * R[i][along[k]];
  }
  for (int i = 0; i < 3; i++)
    gap[i] = P[5][i] - (i == 2);
  gap[3] = R[1][0];
  gap[4] = R[2][0];
}

/* Solves the normal equations of a 5 x 4 system by elimination. */
static void bricard_solve(double A[5][4], const double *b, double *x)
{
  double N[4][5] = {{0}};
  for (int i = 0; i < 4; i++)
    for (int r = 0; r < 5; r++) {
      for (int j = 0; j < 4; j++)
        N[i][j] += A[r][i] * A[r][j];
      N[i][4] += A[r][i] * b[r];
    }
  for (int p = 0; p < 4; p++) {
    int best = p;
    for (int i = p; i < 4; i++)
      best = fabs(N[i][p]) > fabs(N[best][p]) ? i : best;
    for (int j = 0; j < 5; j++) {
      double swap = N[p][j];
      N[p][j] = N[best][j];
      N[best][j] = swap;
    }
    for (int i = 0; i < 4; i++) {
      double factor = i == p ? 0 : N[i][p] / N[p][p];
      for (int j = 0; j < 5; j++)
        N[i][j] -= factor * N[p][j];
    }
  }
  for (int i = 0; i < 4; i++)
    x[i] = N[i][4] / N[i][i];
}

/* Closes the loop for the first angle, from the angles of the last call on. */
static void bricard_close(double q, double *angle, double P[6][3])
{
  double gap[5], next[5];
  angle[0] = q;
  for (int iteration = 0; iteration < 6; iteration++) {
    double A[5][4], d[4];
    bricard_chain(angle, P, gap);
    for (int j = 0; j < 4; j++) {
      double other[5], points[6][3], step = 1e-6;
      memcpy(other, angle, sizeof other);
      other[1 + j] += step;
      bricard_chain(other, points, next);
      for (int r = 0; r < 5; r++)
        A[r][j] = (next[r] - gap[r]) / step;
    }
    bricard_solve(A, gap, d);
    for (int j = 0; j < 4; j++)
      angle[1 + j] -= d[j];
  }
  bricard_chain(angle, P, gap);
}

static double bricard_angles[5]; /* angles at the point of the last call */

/* M(q) and V(q): bars of length 1 and mass 1. */
static void bricard_energy(double q, double *M, double *V)
{
  const double h = 1e-3;
  double P[4][6][3], at[6][3], angle[5];
  for (int i = 0; i < 4; i++) {
    memcpy(angle, bricard_angles, sizeof angle);
    bricard_close(q + h * (i < 2 ? i - 2 : i - 1), angle, P[i]);
  }
  bricard_close(q, bricard_angles, at);
  *M = *V = 0;
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 3; i++) {
      double v[2];
      for (int end = 0; end < 2; end++)
        v[end] =
            (P[0][k + end][i] - 8 * P[1][k + end][i] + 8 * P[2][k + end][i] - P[3][k + end][i]) /
            (12 * h);
      *M += (v[0] * v[0] + v[0] * v[1] + v[1] * v[1]) / 3;
      *V += i == 1 ? gravity * (at[k][i] + at[k + 1][i]) / 2 : 0;
    }
}

static void bricard_rates(double t, const double *y, double *dy)
{
  const double h = 2e-3;
  double M[5], V[5];
  (void)t;
  bricard_energy(y[0], &M[2], &V[2]);
  for (int i = 0; i < 5; i++)
    if (i != 2)
      bricard_energy(y[0] + h * (i - 2), &M[i], &V[i]);
  double M1 = (M[0] - 8 * M[1] + 8 * M[3] - M[4]) / (12 * h);
  double V1 = (V[0] - 8 * V[1] + 8 * V[3] - V[4]) / (12 * h);
  dy[0] = y[1];
  dy[1] = -(M1 * y[1] * y[1] / 2 + V1) / M[2];
}

static double bricard_compare(const motion *m, long row, const double *y)
{
  double P[6][3];
  bricard_close(y[0], bricard_angles, P);
  return worse(apart(motion_at(m, row, "tip.x"), P[2][0]),
               worse(apart(motion_at(m, row, "tip.y"), P[2][1]),
                     apart(motion_at(m, row, "tip.z"), P[2][2])));
}

double check_bricard(const motion *m)
{
  static const double start[] = {0, 0};
  memset(bricard_angles, 0, sizeof bricard_angles);
  assert_int_equal(m->summary.diagnosis.constraints - m->summary.diagnosis.rank, 1);
  assert_int_equal(m->summary.diagnosis.dof, 1);
  return apart_from_reduced(m, &(reduced){2, start, bricard_rates, bricard_compare, .step = 0.01});
}

/* ---- flyball: y = (spin', a, a', s, s'), angle of the arms, height of the slider ---- */

static void flyball_rates(double t, const double *y, double *dy)
{
  const double L = 1, mb = 5, mr = 0.3, ms = 3, k = 8e5, c = 4e4;
  const double J0 = 0.3 * 0.01 * 0.01 / 2 + 3 * (0.01 + 0.01) / 12, J = mb * L * L + mr * L * L / 3;
  double w = y[0], a = y[1], a1 = y[2], s = y[3], s1 = y[4];
  double x = L / 2 * sin(a), z = L - L / 2 * cos(a) - s, d = hypot(x, z);
  double x1 = L / 2 * cos(a) * a1, z1 = L / 2 * sin(a) * a1 - s1, d1 = (x * x1 + z * z1) / d;
  double F = k * (d - 0.499) + c * d1; /* pull of a coupler */
  double d_a = (x * L / 2 * cos(a) + z * L / 2 * sin(a)) / d, d_s = -z / d;
  (void)t;
  double Js = J0 + 2 * J * sin(a) * sin(a);
  dy[0] = -2 * 2 * J * sin(a) * cos(a) * a1 * w / Js;
  dy[1] = a1;
  dy[2] = sin(a) * cos(a) * w * w - ((mb + mr / 2) * gravity * L * sin(a) + F * d_a) / J;
  dy[3] = s1;
  dy[4] = -gravity - 2 * F * d_s / ms;
}

static double flyball_compare(const motion *m, long row, const double *y)
{
  return worse(apart(motion_at(m, row, "height"), y[3]), apart(motion_at(m, row, "speed"), y[0]));
}

double check_flyball(const motion *m)
{
  const double a0 = pi / 6, start[] = {2 * pi, a0, 0, 1 - cos(a0), 0};
  return apart_from_reduced(m, &(reduced){5, start, flyball_rates, flyball_compare, .step = 1e-5});
}

/* ---- heavy top: y = (lean, lean', heading) ---- */

static void top_rates(double t, const double *y, double *dy)
{
  const double mh = 1.5 * 0.3, J1 = 0.02 + mh * 0.3, J3 = 0.01, w = 60;
  double s = sin(y[0]), c = cos(y[0]);
  double turn = J3 * w * (cos(0.6) - c) / (J1 * s * s);
  (void)t;
  dy[0] = y[1];
  dy[1] = turn * turn * s * c + (mh * gravity - J3 * w * turn) * s / J1;
  dy[2] = turn;
}

static double top_compare(const motion *m, long row, const double *y)
{
  double heading = motion_at(m, row, "heading");
  return worse(worse(apart(motion_at(m, row, "lean_now"), y[0]), apart(sin(heading), sin(y[2]))),
               apart(motion_at(m, row, "vertical"), 0.01 * 60 * cos(0.6)));
}

double check_heavy_top(const motion *m)
{
  static const double start[] = {0.6, 0, 0};
  return apart_from_reduced(m, &(reduced){3, start, top_rates, top_compare, .step = 1e-4});
}

/* ---- gyroscope: y = (precession, dip, dip', angle of the wheel) ---- */

static void gyroscope_rates(double t, const double *y, double *dy)
{
  const double Ja = 0.05 * 0.05 / 2, Jt = Ja / 2, w = 0.2 * 0.15 * 0.15, spin = 40;
  double s = sin(y[1]), c = cos(y[1]), mgr = 0.2 * 0.15 * gravity;
  double J = 3e-3 + 1e-3 * s * s + (1.5e-3 + Jt + w) * c * c;
  double turn = -Ja * spin * s / J, J_dip = s * c * (1e-3 - 1.5e-3 - Jt - w);
  (void)t;
  dy[0] = turn;
  dy[1] = y[2];
  dy[2] = (turn * turn * J_dip + Ja * spin * turn * c + mgr * c) / (2e-3 + Jt + w);
  dy[3] = spin - turn * s;
}

static double gyroscope_compare(const motion *m, long row, const double *y)
{
  return worse(
      worse(apart(motion_at(m, row, "precession"), y[0]), apart(motion_at(m, row, "dip"), y[1])),
      apart(motion_at(m, row, "turns"), y[3] / (2 * pi)));
}

double check_gyroscope(const motion *m)
{
  static const double start[4] = {0};
  return apart_from_reduced(m,
                            &(reduced){4, start, gyroscope_rates, gyroscope_compare, .step = 1e-4});
}

/* ---- Stewart platform: the motion is given, the legs carry what Newton and Euler ask for ---- */

double check_stewart(const motion *m)
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), a = 0.3 * sin(t), worst_row = 0;
    double p[3] = {0.2 * sin(2 * t), 0.1 * t * t, 1.5 + 0.3 * sin(1.5 * t)};
    double force[3] = {-20 * 0.8 * sin(2 * t), 20 * 0.2,
                       20 * (gravity - 0.3 * 2.25 * sin(1.5 * t))};
    double moment[3] = {20 * (3 + 0.04) / 12 * -0.3 * sin(t), 0, 0};
    static const char *const names[] = {"plate.x", "plate.y", "plate.z"};
    for (int i = 0; i < 3; i++)
      worst_row = worse(worst_row, apart(motion_at(m, row, names[i]), p[i]));
    worst_row = worse(worst_row, apart(motion_at(m, row, "plate.e1"), sin(a / 2)));
    for (int k = 1; k <= 6; k++) {
      double sign = k % 2 ? -1 : 1, foot = pi / 3 * k + 0.2 * sign, head = pi / 3 * k - 0.35 * sign;
      double b[3] = {cos(head), sin(head) * cos(a) + 0.1 * sin(a),
                     sin(head) * sin(a) - 0.1 * cos(a)};
      double d[3] = {p[0] + b[0] - 2 * cos(foot), p[1] + b[1] - 2 * sin(foot), p[2] + b[2]},
             turn[3];
      char name[16];
      snprintf(name, sizeof name, "tension[%d]", k);
      double pull = motion_at(m, row, name) / sqrt(dot3(d, d));
      cross3(b, d, turn);
      for (int i = 0; i < 3; i++) {
        force[i] += pull * d[i];
        moment[i] += pull * turn[i];
      }
    }
    for (int i = 0; i < 3; i++)
      worst_row = worse(worst_row, worse(fabs(force[i]), fabs(moment[i])) / 200);
    worst = worse(worst, worst_row);
  }
  return worst;
}

/* ---- suspension: the momentum is the integral of the loads less the weight ---- */

double check_suspension(const motion *m)
{
  double impulse = 0, worst = 0, weight = (1200 + 4 * 35) * gravity;
  double first = motion_at(m, 0, "momentum");
  for (long row = 0; row + 2 < m->rows; row += 2) { /* Simpson's rule */
    for (int i = 0; i < 3; i++) {
      double h = motion_at(m, row + 1, "t") - motion_at(m, row, "t");
      double load = -weight;
      for (int k = 1; k <= 4; k++) {
        char name[16];
        snprintf(name, sizeof name, "load[%d]", k);
        load += motion_at(m, row + i, name);
      }
      impulse += load * h / 3 * (i == 1 ? 4 : 1);
    }
    worst = worse(worst, fabs(motion_at(m, row + 2, "momentum") - first - impulse) / 500);
  }
  return worst;
}

/* ---- engine: y = (angle, rate) of the crank ---- */

static const double engine_phase[4] = {0, 3.14159265358979323846, 3.14159265358979323846, 0};

/* Height of a piston and sin of the angle of its rod, with their derivatives by the angle a of the
 * pin. */
static void engine_kinematics(double a, double *h, double *s)
{
  const double r = 0.04, L = 0.13;
  s[0] = r / L * sin(a);
  s[1] = r / L * cos(a);
  double c = sqrt(1 - s[0] * s[0]);
  h[0] = r * cos(a) + L * c;
  h[1] = -r * sin(a) - L * s[0] * s[1] / c;
}

static double engine_inertia(double angle)
{
  const double r = 0.04, L = 0.13;
  double M = 0.15;
  for (int k = 0; k < 4; k++) {
    double a = engine_phase[k] - angle, h[2], s[2];
    engine_kinematics(a, h, s);
    double x = r * cos(a) / 2, y = (-r * sin(a) + h[1]) / 2, turn = s[1] / sqrt(1 - s[0] * s[0]);
    M += 0.6 * (x * x + y * y + L * L / 12 * turn * turn) + 0.5 * h[1] * h[1];
  }
  return M;
}

static void engine_rates(double t, const double *y, double *dy)
{
  static const double fire[4] = {0, 1, 3, 2};
  const double e = 1e-4;
  double Q = 60, M = engine_inertia(y[0]);
  double M1 = (engine_inertia(y[0] - 2 * e) - 8 * engine_inertia(y[0] - e) +
               8 * engine_inertia(y[0] + e) - engine_inertia(y[0] + 2 * e)) /
              (12 * e);
  (void)t;
  for (int k = 0; k < 4; k++) {
    double h[2], s[2], turn = -y[0] - fire[k] * pi;
    turn -= 4 * pi * floor(turn / (4 * pi));
    engine_kinematics(engine_phase[k] - y[0], h, s);
    Q += 6000 * exp(-pow((turn - 1) / 0.25, 2)) * h[1];
  }
  dy[0] = y[1];
  dy[1] = (Q - M1 * y[1] * y[1] / 2) / M;
}

static double engine_compare(const motion *m, long row, const double *y)
{
  return worse(apart(motion_at(m, row, "turns"), -y[0] / (2 * pi)),
               apart(motion_at(m, row, "speed"), -y[1]));
}

double check_engine(const motion *m)
{
  static const double start[] = {0, -200};
  return apart_from_reduced(m, &(reduced){2, start, engine_rates, engine_compare, .step = 1e-5});
}

/* ---- robot arm: torques by recursive Newton-Euler equations, of the end ---- */

double check_robot_arm(const motion *m)
{
  static const struct {
    const char *column;
    double value;
  } end[] = {{"m1", -0.5206909776138474},     {"m2", -38.02736794157168},
             {"m3", 21.09507178503799},       {"m4", 0.1340558099193184},
             {"m5", -0.8721219588454068},     {"m6", 0.05655207585616871},
             {"tool.x", 0.06263923489424321}, {"tool.y", 0.08838287319288746},
             {"tool.z", 1.087326283727532},   {"base.x", 41.46092841162286},
             {"base.y", -5.082965898845514},  {"base.z", -0.5206909776138474}};
  double worst = 0;
  for (size_t i = 0; i < sizeof end / sizeof *end; i++)
    worst = worse(worst, apart(motion_end(m, end[i].column), end[i].value));
  return worst;
}

/* ---- rolling bodies: y = (pos, Euler parameters, angular velocity in space) ---- */

typedef struct roller {
  double mass, J[3][3], centre[3];
  /* from the point of contact to the centre of mass, in the axes of the body, by the normal n */
  void (*arm)(const double *n, double *rho);
} roller;

static const roller *rolling;

static void roller_axes(const double *e, double R[3][3])
{
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    R[i][i] = 1 - 2 * (e[1 + j] * e[1 + j] + e[1 + k] * e[1 + k]);
    R[i][j] = 2 * (e[1 + i] * e[1 + j] - e[0] * e[1 + k]);
    R[i][k] = 2 * (e[1 + i] * e[1 + k] + e[0] * e[1 + j]);
  }
}

static void roller_solve(double A[3][4], double *x)
{
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < 3; i++) {
      double factor = i == p ? 0 : A[i][p] / A[p][p];
      for (int j = 0; j < 4; j++)
        A[i][j] -= factor * A[p][j];
    }
  for (int i = 0; i < 3; i++)
    x[i] = A[i][3] / A[i][i];
}

static void roller_rates(double t, const double *y, double *dy)
{
  const roller *b = rolling;
  double R[3][3], n[3], w[3], nw[3], plus[3], minus[3], rho[3], own[3];
  const double *e = y + 3, *W = y + 7;
  (void)t;
  roller_axes(e, R);
  for (int i = 0; i < 3; i++) {
    n[i] = R[2][i];
    w[i] = R[0][i] * W[0] + R[1][i] * W[1] + R[2][i] * W[2];
  }
  cross3(n, w, nw); /* rate of n in the body */
  b->arm(n, rho);
  cross3(w, rho, own);
  for (int i = 0; i < 3; i++) {
    plus[i] = n[i] + 1e-5 * nw[i];
    minus[i] = n[i] - 1e-5 * nw[i];
  }
  b->arm(plus, plus);
  b->arm(minus, minus);
  double v[3], Jw[3], moment[3], inner[3], A[3][4], dw[3], F[3];
  for (int i = 0; i < 3; i++)
    own[i] += (plus[i] - minus[i]) / 2e-5;
  /* in the axes of the body: J w' + m rho x (w' x rho) = -w x J w - m rho x (w x rho' - g) */
  for (int i = 0; i < 3; i++)
    Jw[i] = dot3(b->J[i], w);
  cross3(w, Jw, moment);
  cross3(w, own, inner);
  for (int i = 0; i < 3; i++)
    F[i] = b->mass * (inner[i] + gravity * n[i]);
  cross3(rho, F, inner);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      A[i][j] = b->J[i][j] + b->mass * ((i == j) * dot3(rho, rho) - rho[i] * rho[j]);
    A[i][3] = -moment[i] - inner[i];
  }
  roller_solve(A, dw);
  double arm[3];
  for (int i = 0; i < 3; i++)
    arm[i] = rho[i] - b->centre[i];
  cross3(w, arm, v);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    dy[i] = dot3(R[i], v);
    dy[4 + i] = (W[i] * e[0] + W[j] * e[1 + k] - W[k] * e[1 + j]) / 2;
    dy[7 + i] = dot3(R[i], dw); /* W' = R w' */
  }
  dy[3] = -(W[0] * e[1] + W[1] * e[2] + W[2] * e[3]) / 2;
}

static double roller_compare(const motion *m, const char *body, long row, const double *y)
{
  static const char *const names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  double worst = 0;
  for (int i = 0; i < 7; i++) {
    char column[32];
    snprintf(column, sizeof column, "%s.%s", body, names[i]);
    worst = worse(worst, apart(motion_at(m, row, column), y[i]));
  }
  return worst;
}

static void coin_arm(const double *n, double *rho)
{
  double across = hypot(n[0], n[1]), x = n[0], y = n[1];
  rho[0] = 0.5 * x / across;
  rho[1] = 0.5 * y / across;
  rho[2] = 0;
}

static double coin_compare(const motion *m, long row, const double *y)
{
  return roller_compare(m, "coin", row, y);
}

static const double stone_a = 0.2, stone_b = 0.03, stone_c = 0.02;

static void stone_arm(const double *n, double *rho)
{
  double D[3] = {stone_a * stone_a * n[0], stone_b * stone_b * n[1], stone_c * stone_c * n[2]};
  double root = sqrt(dot3(n, D));
  for (int i = 0; i < 3; i++)
    rho[i] = D[i] / root - (i == 2 ? 0.01 : 0);
}

static double stone_compare(const motion *m, long row, const double *y)
{
  return worse(roller_compare(m, "stone", row, y), apart(motion_at(m, row, "spin"), y[9]));
}

static double check_roller(const motion *m, const roller *b, const char *body,
                           double (*compare)(const motion *, long, const double *), const double *W)
{
  static const char *const names[] = {"x", "y", "z", "e0", "e1", "e2", "e3"};
  double start[10];
  for (int i = 0; i < 7; i++) {
    char column[32];
    snprintf(column, sizeof column, "%s.%s", body, names[i]);
    start[i] = motion_at(m, 0, column);
  }
  for (int i = 0; i < 3; i++)
    start[7 + i] = W[i];
  rolling = b;
  return apart_from_reduced(m, &(reduced){10, start, roller_rates, compare, .step = 2e-4});
}

double check_coin(const motion *m)
{
  static const roller coin = {
      1, {{0.0625, 0, 0}, {0, 0.0625, 0}, {0, 0, 0.125}}, {0, 0, 0}, coin_arm};
  /* omega = (0, 0, 0.3) + 6 ez, ez = (0, cos(lean), -sin(lean)) */
  const double W[3] = {0, 6 * cos(0.2), 0.3 - 6 * sin(0.2)};
  return check_roller(m, &coin, "coin", coin_compare, W);
}

double check_rattleback(const motion *m)
{
  const double d = 0.1, J1 = 2e-4, J2 = 16e-4, c = cos(d), s = sin(d);
  const roller stone = {1,
                        {{J1 * c * c + J2 * s * s, (J1 - J2) * s * c, 0},
                         {(J1 - J2) * s * c, J1 * s * s + J2 * c * c, 0},
                         {0, 0, 17e-4}},
                        {0, 0, -0.01},
                        stone_arm};
  static const double W[3] = {0.01, 0, -5};
  return check_roller(m, &stone, "stone", stone_compare, W);
}

/* A solid ball: its acceleration down the slope is 5/7 of that without friction. */
double check_rolling_ball(const motion *m)
{
  double worst = 0;
  for (long row = 0; row < m->rows; row++) {
    double t = motion_at(m, row, "t"), a = 5.0 / 7 * gravity * sin(0.3);
    worst = worse(worst, apart(motion_at(m, row, "ball.x"), a * t * t / 2));
    worst = worse(worst, apart(motion_at(m, row, "ball.y"), -0.3 * t));
    worst = worse(worst, apart(motion_at(m, row, "push.z"), 0.5 * gravity * cos(0.3)));
    worst = worse(worst, apart(motion_at(m, row, "push.x"), 0.5 * (a - gravity * sin(0.3))));
  }
  return worst;
}

/* ---- bicycle: the published modes; castering has died away after 2.5 s ---- */

double check_bicycle(const motion *m)
{
  const double capsize = -0.322865, weave = -0.775343, omega = 4.464870, h = 0.2;
  double Z = exp(capsize * h), R = exp(weave * h), C = 2 * R * cos(omega * h), worst = 0, size = 0;
  for (long row = 0; row < m->rows; row++)
    size = worse(size, fabs(motion_at(m, row, "lean")));
  for (long row = 125; row + 30 < m->rows; row += 10) { /* (E - Z) (E^2 - C E + R^2) x = 0 */
    double x[4];
    for (int i = 0; i < 4; i++)
      x[i] = motion_at(m, row + 10 * i, "lean");
    double left = x[3] - (C + Z) * x[2] + (R * R + C * Z) * x[1] - Z * R * R * x[0];
    worst = worse(worst, fabs(left) / size);
  }
  return worst;
}

/* ---- crane: y = (load - trolley, its rate) ---- */

static double crane_pull(double t, const double *y, double *a)
{
  double L = 6 - 2 * pow(sin(0.2 * t), 2), L1 = -0.4 * sin(0.4 * t), L2 = -0.16 * cos(0.4 * t);
  double square = dot3(y + 3, y + 3), travel = -0.5 * sin(0.5 * t);
  /* y'' = f - p y / L with y.y'' + |y'|^2 = L'^2 + L L'' */
  a[0] = -travel;
  a[1] = 0;
  a[2] = -gravity;
  double p = (dot3(a, y) + square - L1 * L1 - L * L2) / L;
  for (int i = 0; i < 3; i++)
    a[i] -= p * y[i] / L;
  return p;
}

static void crane_rates(double t, const double *y, double *dy)
{
  for (int i = 0; i < 3; i++)
    dy[i] = y[3 + i];
  crane_pull(t, y, dy + 3);
}

static double crane_compare(const motion *m, long row, const double *y)
{
  static const char *const names[] = {"swing.x", "swing.y", "swing.z"};
  double t = motion_at(m, row, "t"), a[3], worst = 0, p = 200 * crane_pull(t, y, a);
  double L = 6 - 2 * pow(sin(0.2 * t), 2);
  for (int i = 0; i < 3; i++)
    worst = worse(worst, apart(motion_at(m, row, names[i]), y[i]));
  worst = worse(worst, apart(motion_at(m, row, "tension"), p));
  return worse(worst, apart(motion_at(m, row, "drive"), -50 * sin(0.5 * t) - p * y[0] / L));
}

double check_crane(const motion *m)
{
  double start[6] = {0, 0.5, -sqrt(36 - 0.25)};
  start[3] = motion_at(m, 0, "der(load.x)") - 1;
  start[4] = motion_at(m, 0, "der(load.y)");
  start[5] = motion_at(m, 0, "der(load.z)");
  return apart_from_reduced(m, &(reduced){6, start, crane_rates, crane_compare, .step = 1e-3});
}
