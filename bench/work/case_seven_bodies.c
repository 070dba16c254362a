/* The mechanism of seven_bodies.h: q = its seven angles. Nobody is given derivatives. The end is
 * from references_rows.c.
 *
 * Index 1 is eliminated by hand: 2x2 blocks of M, and 2x2 blocks of the Schur complement
 *
 *   S = (1 1') x S01 + diag(D1, D2, D3)
 *
 * where S01 and D are the compliances of P along crank and coupler, and of the ends of the chains
 * and the rocker, which is the last one. The rocker's has rank 1. */
#define MOST_Q 7
#define MOST_M 6
#include "seven_bodies.h"

#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

#include <math.h>

static const double len[7] = SEVEN_LENGTHS, pins[3][2] = SEVEN_PINS;
static const double rho = SEVEN_RHO, gravity = SEVEN_GRAVITY;

/* ---- the model ---- */

/* chains of two bars: their first angles. Rows: of the rocker (0, 1), then of the chains. */
static const int chains[3] = {0, 3, 5};

#define BAR(i) (rho * len[i])
#define M11(i) ((BAR(i) / 3 + BAR((i) + 1)) * len[i] * len[i])
#define M22(i) (BAR((i) + 1) * len[(i) + 1] * len[(i) + 1] / 3)
#define COUPLED(i) (BAR((i) + 1) * len[i] * len[(i) + 1] / 2)
static const double m33 = SEVEN_RHO * 0.9 * 0.9 * 0.9 / 3;

typedef struct seven_point {
  double x[7], y[7]; /* bars as vectors */
  double m12[3];
} seven_point;

ALWAYS_INLINE void seven_forces(const double *q, const double *v, seven_point *p, double *f)
{
  for (int i = 0; i < 7; i++) {
    p->x[i] = len[i] * cos(q[i]);
    p->y[i] = len[i] * sin(q[i]);
  }
  for (int c = 0; c < 3; c++) {
    const int i = chains[c], j = i + 1;
    double half = BAR(j) / 2, turn = half * (p->y[i] * p->x[j] - p->x[i] * p->y[j]);
    p->m12[c] = half * (p->x[i] * p->x[j] + p->y[i] * p->y[j]);
    f[i] = -turn * v[j] * v[j] - gravity * (BAR(i) / 2 + BAR(j)) * p->x[i];
    f[j] = turn * v[i] * v[i] - gravity * half * p->x[j];
  }
  f[0] += SEVEN_TORQUE;
  f[2] = -gravity * BAR(2) / 2 * p->x[2] - SEVEN_KAPPA * (q[2] - SEVEN_RELAXED);
}

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  seven_point p;
  (void)t;
  seven_forces(q, v, &p, x->f);
  for (int c = 0; c < 3; c++)
    x->m12[c] = p.m12[c];
  for (int i = 0; i < 6; i++)
    for (int r = 0; r < 7; r++)
      x->G[i][r] = 0;
  for (int b = 0; b < 3; b++) { /* P less the rocker's end, or a chain's */
    const int first = b == 0 ? 2 : chains[b], last = b == 0 ? 2 : first + 1, row = 2 * b;
    x->g[row] = p.x[0] + p.x[1] - pins[b][0];
    x->g[row + 1] = p.y[0] + p.y[1] - pins[b][1];
    x->gdot[row] = x->gdot[row + 1] = x->gamma[row] = x->gamma[row + 1] = 0;
    for (int r = 0; r < 7; r++) {
      double sign = r < 2 ? 1 : r >= first && r <= last ? -1 : 0;
      if (sign == 0)
        continue;
      if (r >= 2) {
        x->g[row] -= p.x[r];
        x->g[row + 1] -= p.y[r];
      }
      x->G[row][r] = -sign * p.y[r];
      x->G[row + 1][r] = sign * p.x[r];
      x->gdot[row] -= sign * p.y[r] * v[r];
      x->gdot[row + 1] += sign * p.x[r] * v[r];
      x->gamma[row] -= sign * p.x[r] * v[r] * v[r];
      x->gamma[row + 1] -= sign * p.y[r] * v[r] * v[r];
    }
  }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  for (int c = 0; c < 3; c++) {
    const int i = chains[c];
    double m12 = x->m12[c], scale = 1 / (M11(i) * M22(i) - m12 * m12);
    a[i] = (M22(i) * b[i] - m12 * b[i + 1]) * scale;
    a[i + 1] = (M11(i) * b[i + 1] - m12 * b[i]) * scale;
  }
  a[2] = b[2] * (1 / m33);
}

/* ---- index 1 by hand ---- */

typedef struct pair {
  double x, y;
} pair;

typedef struct symmetric {
  double xx, xy, yy;
} symmetric;

ALWAYS_INLINE pair times(symmetric A, pair b)
{
  return (pair){A.xx * b.x + A.xy * b.y, A.xy * b.x + A.yy * b.y};
}
ALWAYS_INLINE pair less(pair a, pair b)
{
  return (pair){a.x - b.x, a.y - b.y};
}
ALWAYS_INLINE symmetric sum(symmetric A, symmetric B)
{
  return (symmetric){A.xx + B.xx, A.xy + B.xy, A.yy + B.yy};
}
ALWAYS_INLINE symmetric inverse(symmetric A)
{
  double scale = 1 / (A.xx * A.yy - A.xy * A.xy);
  return (symmetric){A.yy * scale, -A.xy * scale, A.xx * scale};
}
/* A - A B A */
ALWAYS_INLINE symmetric reduced(symmetric A, symmetric B)
{
  pair first = times(B, (pair){A.xx, A.xy}), second = times(B, (pair){A.xy, A.yy});
  return (symmetric){A.xx - A.xx * first.x - A.xy * first.y,
                     A.xy - A.xx * second.x - A.xy * second.y,
                     A.yy - A.xy * second.x - A.yy * second.y};
}

/* two bars: inverse of their block of M, accelerations under f alone, and of their end with its
 * compliance */
typedef struct bars {
  double ii, ij, jj, a, b;
  pair end;
  symmetric D;
} bars;

ALWAYS_INLINE bars bars_of(const seven_point *p, int c, const double *v, const double *f)
{
  const int i = chains[c], j = i + 1;
  double scale = 1 / (M11(i) * M22(i) - p->m12[c] * p->m12[c]);
  bars o = {.ii = M22(i) * scale, .ij = -p->m12[c] * scale, .jj = M11(i) * scale};
  o.a = o.ii * f[i] + o.ij * f[j];
  o.b = o.ij * f[i] + o.jj * f[j];
  o.end.x = -p->y[i] * o.a - p->y[j] * o.b - p->x[i] * v[i] * v[i] - p->x[j] * v[j] * v[j];
  o.end.y = p->x[i] * o.a + p->x[j] * o.b - p->y[i] * v[i] * v[i] - p->y[j] * v[j] * v[j];
  double ax = o.ii * p->x[i] + o.ij * p->x[j], bx = o.ij * p->x[i] + o.jj * p->x[j];
  double ay = o.ii * p->y[i] + o.ij * p->y[j], by = o.ij * p->y[i] + o.jj * p->y[j];
  o.D = (symmetric){p->y[i] * ay + p->y[j] * by, -(p->x[i] * ay + p->x[j] * by),
                    p->x[i] * ax + p->x[j] * bx};
  return o;
}

/* accelerations of the bars with the force F on their end */
ALWAYS_INLINE void pulled(const seven_point *p, const bars *o, int i, pair F, double *a)
{
  double fi = p->x[i] * F.y - p->y[i] * F.x, fj = p->x[i + 1] * F.y - p->y[i + 1] * F.x;
  a[i] = o->a + o->ii * fi + o->ij * fj;
  a[i + 1] = o->b + o->ij * fi + o->jj * fj;
}

static int seven_by_hand(double t, const double *y, double *phi)
{
  const double *v = y + 7;
  double f[7], *a = phi + 7, w = v[2] * v[2];
  seven_point p;
  (void)t;
  seven_forces(y, v, &p, f);
  bars P = bars_of(&p, 0, v, f), A = bars_of(&p, 1, v, f), B = bars_of(&p, 2, v, f);
  double free = f[2] * (1 / m33), px = p.x[2] * (1 / m33);
  pair rocker = {-p.y[2] * free - p.x[2] * w, p.x[2] * free - p.y[2] * w};
  symmetric R = {p.y[2] * p.y[2] * (1 / m33), -p.y[2] * px, p.x[2] * px};
  pair bA = less(P.end, A.end), bB = less(P.end, B.end), bR = less(P.end, rocker);
  /* block elimination in the order A, B, rocker */
  symmetric iA = inverse(sum(P.D, A.D)), T = reduced(P.D, iA);
  pair gone = times(P.D, times(iA, bA));
  bB = less(bB, gone);
  bR = less(bR, gone);
  symmetric iB = inverse(sum(T, B.D)), U = reduced(T, iB);
  bR = less(bR, times(T, times(iB, bB)));
  pair lR = times(inverse(sum(U, R)), bR), lB = times(iB, less(bB, times(T, lR)));
  pair both = {lR.x + lB.x, lR.y + lB.y}, lA = times(iA, less(bA, times(P.D, both)));
  for (int i = 0; i < 7; i++)
    phi[i] = v[i];
  pulled(&p, &P, 0, (pair){-both.x - lA.x, -both.y - lA.y}, a);
  pulled(&p, &A, 3, lA, a);
  pulled(&p, &B, 5, lB, a);
  a[2] = free + (p.x[2] * lR.y - p.y[2] * lR.x) * (1 / m33);
  return 0;
}

/* ---- daedal's side ---- */

static int seven_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  (void)user;
  mech_terms x;
  mech_eval(&(const mech_model){7, 6, 0, terms, NULL, solve}, at, w);
  if (!w->M)
    return 0;
  terms(at->t, at->q, at->v, &x);
  for (int i = 0; i < 49; i++)
    w->M[i] = 0;
  for (int c = 0; c < 3; c++) {
    const int i = chains[c];
    w->M[8 * i] = M11(i);
    w->M[8 * i + 8] = M22(i);
    w->M[8 * i + 1] = w->M[8 * i + 7] = x.m12[c];
  }
  w->M[16] = m33;
  return 0;
}

static const mech_model seven_model = {7, 6, 0, terms, NULL, solve};
static double seven_q_v[20];
MECH_FORMS_3(seven)
MECH_SINGLE_CALLBACKS(seven)

static const peer_form forms[] = {
    {.name = "index 1, blocks by hand",
     .n = 14,
     .differential = 14,
     .index = {14},
     .second_order = 7,
     .phi = seven_by_hand,
     .start = seven_start},
    MECH_INDEX1_FORM(seven, 7, NULL),
    MECH_GGL_FORM(seven, "GGL", 7, 6, 0, NULL),
    MECH_INDEX3_FORM(seven, 7, 6, NULL),
};

static const char seven_text[] =
    "model seven_bodies\n"
    "param L1 = 0.3, L2 = 1, L3 = 0.9, L4 = 0.9, L5 = 1, L6 = 0.9, L7 = 1\n"
    "param rho = 2, kappa = 30, torque = 0.5, g = 9.81\n"
    "coord q1 = 0 rate 15, q2 = 1.0254081406532363 rate -5.625\n"
    "coord q3 = 1.8886200307227774 rate -5.625\n"
    "coord q4 = -0.97797973975535091 rate 5.6913051226457139\n"
    "coord q5 = 0.41300043933256747 rate -1.3971993085357837\n"
    "coord q6 = 4.5093151842949313 rate 4.1684913635413388\n"
    "coord q7 = 2.6899632636615629 rate -2.5992766909666929\n"
    "kinetic rho*L1^3*q1'^2/6 + rho*L2*L1^2*q1'^2/2 + rho*L2^3*q2'^2/6\n"
    "kinetic rho*L2^2*L1*cos(q1 - q2)*q1'*q2'/2 + rho*L3^3*q3'^2/6\n"
    "kinetic rho*L4^3*q4'^2/6 + rho*L5*L4^2*q4'^2/2 + rho*L5^3*q5'^2/6\n"
    "kinetic rho*L5^2*L4*cos(q4 - q5)*q4'*q5'/2\n"
    "kinetic rho*L6^3*q6'^2/6 + rho*L7*L6^2*q6'^2/2 + rho*L7^3*q7'^2/6\n"
    "kinetic rho*L7^2*L6*cos(q6 - q7)*q6'*q7'/2\n"
    "potential g*rho*(L1^2/2*sin(q1) + L2*(L1*sin(q1) + L2/2*sin(q2)) + L3^2/2*sin(q3))\n"
    "potential g*rho*(L4^2/2*sin(q4) + L5*(L4*sin(q4) + L5/2*sin(q5)))\n"
    "potential g*rho*(L6^2/2*sin(q6) + L7*(L6*sin(q6) + L7/2*sin(q7)))\n"
    "potential kappa*(q3 - 2)^2/2\n"
    "force q1 = torque\n"
    "let x = L1*cos(q1) + L2*cos(q2), y = L1*sin(q1) + L2*sin(q2)\n"
    "constraint x = 1.1 + L3*cos(q3)\n"
    "constraint y = L3*sin(q3)\n"
    "constraint x = -0.6 + L4*cos(q4) + L5*cos(q5)\n"
    "constraint y = 1.2 + L4*sin(q4) + L5*sin(q5)\n"
    "constraint x = 1.9 + L6*cos(q6) + L7*cos(q7)\n"
    "constraint y = 1.3 + L6*sin(q6) + L7*sin(q7)\n";

bench_case case_seven_bodies(void)
{
  static const dae_mechanical ours = {
      .name = "seven_bodies", .nq = 7, .ng = 6, MECH_MEMBERS(seven), .time_free_g = true};
  static const double start[14] = {0,
                                   1.0254081406532363,
                                   1.8886200307227774,
                                   -0.97797973975535091,
                                   0.41300043933256747,
                                   4.5093151842949313,
                                   2.6899632636615629,
                                   15,
                                   -5.625,
                                   -5.625,
                                   5.6913051226457139,
                                   -1.3971993085357837,
                                   4.1684913635413388,
                                   -2.5992766909666929};
  static const double end[14] = {8.826008693863713,   0.59925647728860476, 2.189598350294466,
                                 -1.2785988386917571, 0.40603346748289859, 4.3053169975447814,
                                 2.879013494763214,   18.477926201393547,  1.9179622716512379,
                                 5.7373948977059026,  -5.6445501813568679, -1.6674421745377495,
                                 -3.6879080671008246, 4.462291857216953};
  for (int i = 0; i < 14; i++)
    seven_q_v[i] = start[i];
  return (bench_case){.title = "seven bodies",
                      .kind = NON_STIFF,
                      .problem = {.name = "seven_bodies",
                                  .problem = {.mechanical = &ours},
                                  .start = {.y = seven_q_v},
                                  .to = 0.4,
                                  .size = 20,
                                  .reference = end},
                      .text = seven_text,
                      .scored = 14,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
