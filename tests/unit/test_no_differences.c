/* A problem that gives every derivative is run without any difference.
 *
 * Differences come in two kinds. Those of matrices need an object that holds their colours: there
 * is none. Those along the motion call the user at times at which the motion is not looked at:
 * every callback notes its times, and they must be times at which f was asked for. Both detectors
 * are tried on problems that leave out one derivative.
 *
 * The problem is coupled out of two parts and a joint and has everything: M(t,q), moving holonomic
 * and nonholonomic constraints, extra states, algebraic variables, energies that depend on inputs.
 *
 *   A: q = (a, b, c), u, w, in = d      T = (m a'^2 + 3 b'^2 + c'^2)/2,  m = 2 + b^2 + sin(t)/10
 *                                       V = 2 a^2 + 2 (c - in)^2 + b cos(t)/2
 *      g = (a^2 + b^2 - r^2)/2,  r = 1 + sin(t)/10       k = c' - a b' - sin(t)/5
 *   B: q = (d, e), in = (c, u)          T = (3/2 d'^2 + (1 + d^2) e'^2)/2
 *                                       V = d^2 + 3 (e - in_1/5)^2
 *   joint: 0 = d - c - 3/10 c^2 - sin(t)/10 */
#include "parts.h"
#include "problem/coupled/assembly_private.h"

#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the times at which callbacks are called ---- */

typedef struct times {
  double *t;
  size_t count, room;
} times;

static times of_f, of_others;

static void note(times *list, double t)
{
  if (list->count > 0 && list->t[list->count - 1] == t)
    return;
  if (list->count == list->room) {
    list->room = 2 * list->room + 1000;
    list->t = realloc(list->t, list->room * sizeof *list->t);
    assert_non_null(list->t);
  }
  list->t[list->count++] = t;
}

static void forget_times(void)
{
  free(of_f.t);
  free(of_others.t);
  of_f = of_others = (times){0};
}

static int by_size(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* calls at times at which f was never asked for */
static size_t calls_off_the_motion(void)
{
  size_t off = 0;
  qsort(of_f.t, of_f.count, sizeof *of_f.t, by_size);
  for (size_t i = 0; i < of_others.count; i++)
    off += !bsearch(&of_others.t[i], of_f.t, of_f.count, sizeof *of_f.t, by_size);
  return off;
}

/* ---- A ---- */

#define FUNCTION(name)                                                                             \
  static void name##_at(double t, const double *q, const double *v, const double *u,               \
                        const double *w, const double *in, double *out);                           \
  static int name(void *user, const dae_mechanical_at *at, double *out)                            \
  {                                                                                                \
    (void)user;                                                                                    \
    note(#name[2] == 'f' && #name[3] == 0 ? &of_f : &of_others, at->t);                            \
    name##_at(at->t, at->q, at->v, at->u, at->w, at->in, out);                                     \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_at(double t, const double *q, const double *v, const double *u,               \
                        const double *w, const double *in, double *out)
#define UNUSED (void)t, (void)q, (void)v, (void)u, (void)w, (void)in
#define CONTRACTED(name)                                                                           \
  static void name##_at(double t, const double *q, const double *s, double *out);                  \
  static int name(void *user, const dae_mechanical_at *at, const double *s, double *out)           \
  {                                                                                                \
    (void)user;                                                                                    \
    note(&of_others, at->t);                                                                       \
    name##_at(at->t, at->q, s, out);                                                               \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_at(double t, const double *q, const double *s, double *out)

static void clear(int n, double *x)
{
  memset(x, 0, (size_t)n * sizeof *x);
}

static double a_mass(double t, double b)
{
  return 2 + b * b + 0.1 * sin(t);
}

FUNCTION(A_M)
{
  UNUSED;
  clear(9, out);
  out[0] = a_mass(t, q[1]);
  out[4] = 3;
  out[8] = 1;
}

FUNCTION(A_p)
{
  UNUSED;
  out[0] = a_mass(t, q[1]) * v[0];
  out[1] = 3 * v[1];
  out[2] = v[2];
}

FUNCTION(A_p_rate)
{
  UNUSED;
  out[0] = (2 * q[1] * v[1] + 0.1 * cos(t)) * v[0];
  out[1] = out[2] = 0;
}

FUNCTION(A_F)
{
  UNUSED;
  out[0] = -4 * q[0] - 0.3 * v[0] + u[0];
  out[1] = q[1] * v[0] * v[0] - 0.5 * cos(t) + w[0];
  out[2] = -4 * (q[2] - in[0]);
}

FUNCTION(A_f)
{
  double rate[3];
  A_p_rate_at(t, q, v, u, w, in, rate);
  A_F_at(t, q, v, u, w, in, out);
  for (int i = 0; i < 3; i++)
    out[i] -= rate[i];
}

FUNCTION(A_s)
{
  UNUSED;
  out[0] = q[0] - u[0] - 0.5 * w[0] * u[0];
}

FUNCTION(A_c)
{
  UNUSED;
  out[0] = w[0] - 0.2 * q[1] * u[0] - 0.1 * v[0] + 0.1 * w[0] * w[0] * w[0];
}

FUNCTION(A_J) /* 5 x 8 */
{
  UNUSED;
  clear(40, out);
  out[0 + 5 * 0] = -4;
  out[0 + 5 * 1] = -2 * v[1] * v[0];
  out[0 + 5 * 3] = -0.3 - 2 * q[1] * v[1] - 0.1 * cos(t);
  out[0 + 5 * 4] = -2 * q[1] * v[0];
  out[0 + 5 * 6] = 1;
  out[1 + 5 * 1] = v[0] * v[0];
  out[1 + 5 * 3] = 2 * q[1] * v[0];
  out[1 + 5 * 7] = 1;
  out[2 + 5 * 2] = -4;
  out[3 + 5 * 0] = 1;
  out[3 + 5 * 6] = -1 - 0.5 * w[0];
  out[3 + 5 * 7] = -0.5 * u[0];
  out[4 + 5 * 1] = -0.2 * u[0];
  out[4 + 5 * 3] = -0.1;
  out[4 + 5 * 6] = -0.2 * q[1];
  out[4 + 5 * 7] = 1 + 0.3 * w[0] * w[0];
}

FUNCTION(A_J_in) /* 5 x 1 */
{
  UNUSED;
  clear(5, out);
  out[2] = 4;
}

CONTRACTED(A_Ms) /* 3 x 6 */
{
  (void)t;
  clear(18, out);
  out[0 + 3 * 1] = 2 * q[1] * s[0];
}

FUNCTION(A_g)
{
  double r = 1 + 0.1 * sin(t);
  UNUSED;
  out[0] = (q[0] * q[0] + q[1] * q[1] - r * r) / 2;
}

FUNCTION(A_g_t)
{
  UNUSED;
  out[0] = -(1 + 0.1 * sin(t)) * 0.1 * cos(t);
}

FUNCTION(A_G)
{
  UNUSED;
  out[0] = q[0];
  out[1] = q[1];
  out[2] = 0;
}

FUNCTION(A_gamma)
{
  double r = 1 + 0.1 * sin(t), r1 = 0.1 * cos(t), r2 = -0.1 * sin(t);
  UNUSED;
  out[0] = v[0] * v[0] + v[1] * v[1] - r1 * r1 - r * r2;
}

FUNCTION(A_gdot_q)
{
  UNUSED;
  out[0] = v[0];
  out[1] = v[1];
  out[2] = 0;
}

CONTRACTED(A_Gts)
{
  (void)t, (void)q;
  clear(9, out);
  out[0] = out[4] = s[0];
}

FUNCTION(A_k)
{
  UNUSED;
  out[0] = v[2] - q[0] * v[1] - 0.2 * sin(t);
}

FUNCTION(A_K)
{
  UNUSED;
  out[0] = 0;
  out[1] = -q[0];
  out[2] = 1;
}

FUNCTION(A_kappa)
{
  UNUSED;
  out[0] = -0.2 * cos(t) - v[0] * v[1];
}

FUNCTION(A_k_q)
{
  UNUSED;
  out[0] = -v[1];
  out[1] = out[2] = 0;
}

CONTRACTED(A_Kts) /* 3 x 6 */
{
  (void)t, (void)q;
  clear(18, out);
  out[1] = -s[0];
}

static int A_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *q = at->q, *v = at->v, stretch = q[2] - at->in[0];
  (void)user;
  note(&of_others, at->t);
  *T = (a_mass(at->t, q[1]) * v[0] * v[0] + 3 * v[1] * v[1] + v[2] * v[2]) / 2;
  *V = 2 * q[0] * q[0] + 2 * stretch * stretch + q[1] * cos(at->t) / 2;
  return 0;
}

static int A_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate, double *T,
                         double *V)
{
  const double *q = at->q, *v = at->v, t = at->t;
  (void)user;
  note(&of_others, t);
  *T = (0.05 * cos(t) + q[1] * v[1]) * v[0] * v[0];
  *V = 4 * q[0] * v[0] + 4 * (q[2] - at->in[0]) * (v[2] - in_rate[0]) +
       (v[1] * cos(t) - q[1] * sin(t)) / 2;
  return 0;
}

/* ---- B ---- */

FUNCTION(B_M)
{
  UNUSED;
  out[0] = 1.5;
  out[1] = out[2] = 0;
  out[3] = 1 + q[0] * q[0];
}

FUNCTION(B_p)
{
  UNUSED;
  out[0] = 1.5 * v[0];
  out[1] = (1 + q[0] * q[0]) * v[1];
}

FUNCTION(B_p_rate)
{
  UNUSED;
  out[0] = 0;
  out[1] = 2 * q[0] * v[0] * v[1];
}

FUNCTION(B_F)
{
  UNUSED;
  out[0] = q[0] * v[1] * v[1] - 2 * q[0] + 4 * (in[0] - q[0]);
  out[1] = -6 * (q[1] - 0.2 * in[1]);
}

FUNCTION(B_f)
{
  B_F_at(t, q, v, u, w, in, out);
  out[1] -= 2 * q[0] * v[0] * v[1];
}

FUNCTION(B_J) /* 2 x 4 */
{
  UNUSED;
  out[0] = v[1] * v[1] - 6;
  out[1] = -2 * v[0] * v[1];
  out[2] = 0;
  out[3] = -6;
  out[4] = 0;
  out[5] = -2 * q[0] * v[1];
  out[6] = 2 * q[0] * v[1];
  out[7] = -2 * q[0] * v[0];
}

FUNCTION(B_J_in) /* 2 x 2 */
{
  UNUSED;
  out[0] = 4;
  out[1] = out[2] = 0;
  out[3] = 1.2;
}

CONTRACTED(B_Ms) /* 2 x 4 */
{
  (void)t;
  clear(8, out);
  out[1] = 2 * q[0] * s[1];
}

static int B_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *q = at->q, *v = at->v, stretch = q[1] - 0.2 * at->in[1];
  (void)user;
  note(&of_others, at->t);
  *T = (1.5 * v[0] * v[0] + (1 + q[0] * q[0]) * v[1] * v[1]) / 2;
  *V = q[0] * q[0] + 3 * stretch * stretch;
  return 0;
}

static int B_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate, double *T,
                         double *V)
{
  const double *q = at->q, *v = at->v;
  (void)user;
  note(&of_others, at->t);
  *T = q[0] * v[0] * v[1] * v[1];
  *V = 2 * q[0] * v[0] + 6 * (q[1] - 0.2 * at->in[1]) * (v[1] - 0.2 * in_rate[1]);
  return 0;
}

/* ---- the joint: z = (c, d) ---- */

static int joint_g(void *user, double t, const double *z, double *g)
{
  (void)user;
  note(&of_others, t);
  g[0] = z[1] - z[0] - 0.3 * z[0] * z[0] - 0.1 * sin(t);
  return 0;
}

static int joint_g_t(void *user, double t, const double *z, double *g_t)
{
  (void)user, (void)z;
  note(&of_others, t);
  g_t[0] = -0.1 * cos(t);
  return 0;
}

static int joint_G(void *user, double t, const double *z, double *G)
{
  (void)user;
  note(&of_others, t);
  G[0] = -1 - 0.6 * z[0];
  G[1] = 1;
  return 0;
}

static int joint_gamma(void *user, double t, const double *z, const double *zdot, double *gamma)
{
  (void)user, (void)z;
  note(&of_others, t);
  gamma[0] = 0.1 * sin(t) - 0.6 * zdot[0] * zdot[0];
  return 0;
}

static int joint_gdot_z(void *user, double t, const double *z, const double *zdot, double *gdot_z)
{
  (void)user, (void)z;
  note(&of_others, t);
  gdot_z[0] = -0.6 * zdot[0];
  gdot_z[1] = 0;
  return 0;
}

static int joint_Gts_z(void *user, double t, const double *z, const double *s, double *Gts_z)
{
  (void)user, (void)z;
  note(&of_others, t);
  clear(4, Gts_z);
  Gts_z[0] = -0.6 * s[0];
  return 0;
}

/* ---- the whole ---- */

enum { E_ENTRY = 11, E_RATE = 13, SIZE = 15 }; /* A: q v u w lambda psi; B: q v; joint: lambda */

static int event_value(void *user, double t, const double *y, double *value)
{
  (void)user;
  note(&of_others, t);
  *value = y[E_ENTRY];
  return 0;
}

static int event_rate(void *user, double t, const double *y, const double *dy, double *rate)
{
  (void)user, (void)y;
  note(&of_others, t);
  *rate = dy[E_ENTRY];
  return 0;
}

static int event_action(void *user, double t, const double *before, double *after)
{
  (void)user, (void)t;
  after[E_RATE] = -0.9 * before[E_RATE];
  return 0;
}

typedef struct machine {
  dae_mechanical A, B;
  dae_part part[2];
  dae_joint joint;
  dae_event event;
  dae_coupled coupled;
} machine;

static const dae_wire wires[] = {{0, 0, {1, 0}}, {1, 0, {0, 2}}, {1, 1, {0, 6}}};
static const dae_port joint_z[] = {{0, 2}, {1, 0}};
static const double start[SIZE] = {1, 0, 0, 0.1, 0.5, 0.5, 0.4, 0, 0, 0, 0, 0.3, 0.6, -0.5, 0};

static void make(machine *m)
{
  *m = (machine){.A = {.nq = 3,
                       .ng = 1,
                       .nk = 1,
                       .nu = 1,
                       .nw = 1,
                       .nin = 1,
                       .M = A_M,
                       .f = A_f,
                       .p = A_p,
                       .F = A_F,
                       .p_rate = A_p_rate,
                       .s = A_s,
                       .c = A_c,
                       .g = A_g,
                       .k = A_k,
                       .G = A_G,
                       .g_t = A_g_t,
                       .K = A_K,
                       .gamma = A_gamma,
                       .kappa = A_kappa,
                       .J = A_J,
                       .J_in = A_J_in,
                       .Ms_qv = A_Ms,
                       .Gts_q = A_Gts,
                       .gdot_q = A_gdot_q,
                       .k_q = A_k_q,
                       .Kts_qv = A_Kts,
                       .energy = A_energy,
                       .energy_rate = A_energy_rate},
                 .B = {.nq = 2,
                       .nin = 2,
                       .M = B_M,
                       .f = B_f,
                       .p = B_p,
                       .F = B_F,
                       .p_rate = B_p_rate,
                       .J = B_J,
                       .J_in = B_J_in,
                       .Ms_qv = B_Ms,
                       .energy = B_energy,
                       .energy_rate = B_energy_rate},
                 .joint = {.ng = 1,
                           .nz = 2,
                           .z = joint_z,
                           .g = joint_g,
                           .g_t = joint_g_t,
                           .G = joint_G,
                           .gamma = joint_gamma,
                           .gdot_z = joint_gdot_z,
                           .Gts_z = joint_Gts_z},
                 .event = {.value = event_value, .rate = event_rate, .action = event_action}};
  m->part[0] = (dae_part){.name = "", .mechanical = &m->A};
  m->part[1] = (dae_part){.name = "B", .mechanical = &m->B};
  m->coupled = (dae_coupled){
      .parts = 2, .wires = 3, .joints = 1, .part = m->part, .wire = wires, .joint = &m->joint};
}

/* ---- the detectors ---- */

static int colours_of(const dae__mech *m)
{
  return m->dM.colours + m->dG.colours + m->dK.colours + m->dJ.colours + m->dprate.colours +
         m->difference[DAE__MS_QV].colours + m->difference[DAE__GTS_Q].colours +
         m->difference[DAE__GDOT_Q].colours + m->difference[DAE__K_Q].colours +
         m->difference[DAE__KTS_QV].colours;
}

/* of all difference objects of the assembled problem and of what it is made of */
static int colours(const machine *m)
{
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *a = assemble(arena, &m->coupled);
  int count = colours_of(mech_of(arena, dae__assembly_problem(a)->mechanical));
  for (int i = 0; i < a->elements; i++)
    count += colours_of(a->element[i].m) + a->element[i].dJ_in.colours;
  dae__arena_free(arena);
  return count;
}

static dae_summary run(const machine *m, size_t *off)
{
  dae_bdf_options opts = dae_bdf_defaults();
  dae_run_plan plan = {.problem = dae_problem_coupled(&m->coupled),
                       .start = {.y = start},
                       .method = dae_method_find("bdf-ggl", NULL),
                       .options = &opts,
                       .to = 2,
                       .events = &m->event,
                       .event_count = 1};
  dae_summary summary;
  dae_error err;
  opts.rtol = opts.atol = 1e-7;
  forget_times();
  if (dae_run(&plan, NULL, &summary, &err))
    fail_msg("%s", err.text);
  assert_true(summary.stats.steps > 50 && of_f.count > 50 && of_others.count > 50);
  assert_true(summary.events >= 1 && summary.events < 50);
  *off = calls_off_the_motion();
  forget_times();
  return summary;
}

static void test_with_every_derivative_given_nothing_is_differenced(void **state)
{
  (void)state;
  machine m;
  size_t off;
  make(&m);
  assert_int_equal(colours(&m), 0);
  dae_summary s = run(&m, &off);
  assert_int_equal(off, 0);
  assert_true(s.position_drift < 1e-11 && s.velocity_drift < 1e-11);
  assert_true(fabs(s.energy_change) > 0.01 && fabs(s.energy_balance) < 1e-5);
}

/* kinetic energy alone: M is not constant, so that its rate counts */
static void test_without_an_energy_nothing_is_differenced_either(void **state)
{
  (void)state;
  machine m;
  size_t off;
  make(&m);
  m.A.energy = m.B.energy = NULL;
  m.A.energy_rate = m.B.energy_rate = NULL;
  dae_summary s = run(&m, &off);
  assert_int_equal(off, 0);
  assert_false(s.energy_has_potential);
  assert_true(fabs(s.energy_change) > 0.01 && fabs(s.energy_balance) < 1e-5);
}

/* leaves out derivative i; false: there are no more */
static bool leave_out(machine *m, int i, const char **name)
{
#define CASE(number, field)                                                                        \
  case number:                                                                                     \
    *name = #field;                                                                                \
    m->field = NULL;                                                                               \
    return true
  switch (i) {
    CASE(0, A.G);
    CASE(1, A.g_t);
    CASE(2, A.K);
    CASE(3, A.gamma);
    CASE(4, A.kappa);
    CASE(5, A.J);
    CASE(6, A.J_in);
    CASE(7, A.Ms_qv);
    CASE(8, A.Gts_q);
    CASE(9, A.gdot_q);
    CASE(10, A.k_q);
    CASE(11, A.Kts_qv);
    CASE(12, A.energy_rate);
  case 13: /* with one of them the other follows */
    *name = "B.F and B.p_rate";
    m->B.F = m->B.p_rate = NULL;
    return true;
    CASE(14, B.J);
    CASE(15, B.J_in);
    CASE(16, B.Ms_qv);
    CASE(17, B.energy_rate);
    CASE(18, joint.g_t);
    CASE(19, joint.G);
    CASE(20, joint.gamma);
    CASE(21, joint.gdot_z);
    CASE(22, joint.Gts_z);
    CASE(23, event.rate);
  default:
    return false;
  }
#undef CASE
}

/* a difference in each of them is seen, and its result is the derivative */
static void test_each_derivative_that_is_missing_is_differenced(void **state)
{
  (void)state;
  machine m;
  size_t off;
  const char *name;
  make(&m);
  dae_summary exact = run(&m, &off);
  int count = 0;
  for (make(&m); leave_out(&m, count, &name); make(&m), count++) {
    dae_summary s = run(&m, &off);
    if (colours(&m) == 0 && off == 0)
      fail_msg("without %s nothing is differenced", name);
    if (!(fabs(s.energy_change - exact.energy_change) < 1e-4) || !(fabs(s.energy_balance) < 1e-5) ||
        s.events != exact.events)
      fail_msg("without %s the motion is another one", name);
  }
  assert_int_equal(count, 24);
}

/* at a point at which nothing else was asked for: the rates are those of T and V along the motion
 */
static void test_energy_rates_are_derivatives_along_the_motion(void **state)
{
  (void)state;
  machine m;
  make(&m);
  dae__arena *arena = dae__arena_create(NULL);
  const dae_mechanical *p = dae__assembly_problem(assemble(arena, &m.coupled))->mechanical;
  double q[5] = {0.9, 0.3, -0.2, 0.4, 0.1}, u[1] = {0.8}, w[1] = {-0.6}, s[1];
  const double v[5] = {0.7, -0.3, 0.2, 0.25, 0.35};
  double T_rate, V_rate, T[2], V[2];
  const double t = 0.7, d = 1e-5;
  dae_mechanical_at at = {.t = t, .q = q, .v = v, .u = u, .w = w};
  assert_int_equal(p->energy_rate(p->user, &at, NULL, &T_rate, &V_rate), 0);
  assert_int_equal(p->s(p->user, &at, s), 0);
  for (int end = 0; end < 2; end++) {
    double step = end == 0 ? -d : 2 * d; /* from t to t - d, from there to t + d */
    at.t += step;
    u[0] += step * s[0];
    for (int i = 0; i < 5; i++)
      q[i] += step * v[i];
    assert_int_equal(p->energy(p->user, &at, &T[end], &V[end]), 0);
  }
  assert_near(T_rate, (T[1] - T[0]) / (2 * d), 1e-8);
  assert_near(V_rate, (V[1] - V[0]) / (2 * d), 1e-8);
  dae__arena_free(arena);
  forget_times();
}

/* the callbacks of the test are right */
static void test_given_and_differenced_derivatives_agree(void **state)
{
  (void)state;
  machine given, bare;
  make(&given);
  make(&bare);
  const char *name;
  for (int i = 0; leave_out(&bare, i, &name); i++)
    ;
  bare.A.F = bare.A.p = bare.A.p_rate = bare.B.F = bare.B.p = NULL;
  dae__arena *arena = dae__arena_create(NULL);
  dae__mech *m[2] = {
      mech_of(arena, dae__assembly_problem(assemble(arena, &given.coupled))->mechanical),
      mech_of(arena, dae__assembly_problem(assemble(arena, &bare.coupled))->mechanical)};
  const double y[SIZE] = {0.9, 0.3,  -0.2, 0.4,  0.1, 0.7,  -0.3, 0.2,
                          0.8, -0.6, 0.25, 0.35, 1.5, -0.4, 0.9};
  const double s[5] = {0.7, -1.3, 0.4, 0.9, -0.5};
  double out[2][200];
  dae_mechanical_at at[2];
  for (int i = 0; i < 2; i++)
    at[i] = dae__mech_at(m[i], 0.7, y);
#define AGREE(count, tolerance, call)                                                              \
  for (int i = 0; i < 2; i++)                                                                      \
    assert_int_equal(call, DAE_OK);                                                                \
  assert_all_near(count, out[0], out[1], tolerance)
  AGREE(5, 1e-9, dae__mech_p(m[i], &at[i], out[i], NULL));
  AGREE(5, 1e-9, dae__mech_F(m[i], &at[i], out[i], NULL));
  AGREE(5, 1e-9, dae__mech_p_rate(m[i], &at[i], out[i], NULL));
  AGREE(3, 1e-6, dae__mech_gamma(m[i], &at[i], out[i], NULL));
  AGREE(10, 1e-9, dae__mech_G(m[i], &at[i], out[i], NULL));
  AGREE(5, 1e-9, dae__mech_K(m[i], &at[i], out[i], NULL));
  AGREE(7 * 12, 1e-6, dae__mech_J(m[i], &at[i], out[i], NULL));
  AGREE(50, 1e-6, dae__mech_derivative(m[i], DAE__MS_QV, &at[i], s, out[i], NULL));
  AGREE(25, 1e-4, dae__mech_derivative(m[i], DAE__GTS_Q, &at[i], s, out[i], NULL));
  AGREE(10, 1e-4, dae__mech_derivative(m[i], DAE__GDOT_Q, &at[i], NULL, out[i], NULL));
  AGREE(5, 1e-6, dae__mech_derivative(m[i], DAE__K_Q, &at[i], NULL, out[i], NULL));
  AGREE(50, 1e-4, dae__mech_derivative(m[i], DAE__KTS_QV, &at[i], s, out[i], NULL));
#undef AGREE
  dae__arena_free(arena);
  forget_times();
}

/* ---- semi-explicit, index 2: x1' = y, x2' = x1, 0 = x1 - sin(t) ---- */

static int semi_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  note(&of_f, at->t);
  f[0] = at->y[0];
  f[1] = at->x[0];
  return 0;
}

static int semi_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  note(&of_others, at->t);
  F[0] = at->x[0] - sin(at->t);
  return 0;
}

static int semi_F_t(void *user, const dae_semi_explicit_at *at, double *F_t)
{
  (void)user;
  note(&of_others, at->t);
  F_t[0] = -cos(at->t);
  return 0;
}

static int semi_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  note(&of_others, at->t);
  clear(9, J);
  J[1] = J[2] = J[6] = 1;
  return 0;
}

static void test_semi_explicit_problems_are_not_differenced_either(void **state)
{
  (void)state;
  for (int given = 0; given < 2; given++) {
    dae_semi_explicit p = {.nx = 2, .ny = 1, .f = semi_f, .F = semi_F, .J = semi_J};
    p.F_t = given ? semi_F_t : NULL;
    dae_run_plan plan = {.problem = dae_problem_semi_explicit(&p),
                         .start = {.y = (const double[]){0, -1, 1}},
                         .method = dae_method_find("bdf", NULL),
                         .to = 2};
    dae_summary summary;
    assert_int_equal(dae_run(&plan, NULL, &summary, NULL), DAE_OK);
    assert_true(of_f.count > 20 && of_others.count > 20);
    assert_int_equal(calls_off_the_motion() == 0, given);
    forget_times();
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_with_every_derivative_given_nothing_is_differenced),
      cmocka_unit_test(test_without_an_energy_nothing_is_differenced_either),
      cmocka_unit_test(test_each_derivative_that_is_missing_is_differenced),
      cmocka_unit_test(test_energy_rates_are_derivatives_along_the_motion),
      cmocka_unit_test(test_given_and_differenced_derivatives_agree),
      cmocka_unit_test(test_semi_explicit_problems_are_not_differenced_either),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
