#include "faults.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifndef CSV /* another one for each test, which may run at the same time */
#define CSV "test_callbacks.tmp.csv"
#endif

/* ---- what is wrong ---- */

fault_state fault;

static double reached; /* end of the last accepted step */

void set_fault(const char *callback, manner how, place where)
{
  fault.callback = callback;
  fault.manner = how;
  fault.place = where;
  fault.hits = 0;
  reached = 0;
}

/* what the callback returns after it has filled out; off: how far the point is off the motion */
static int spoil(const char *callback, double t, double off, double *out)
{
  if (!fault.callback || strcmp(callback, fault.callback) != 0)
    return 0;
  if (fault.place == FAR_OFF ? off < 0.05 : fault.place == LATE && t <= BREAKS)
    return 0;
  fault.hits++;
  if (fault.manner == IS_NAN)
    out[0] = NAN;
  return fault.manner == REFUSES ? 1 : fault.manner == FAILS ? -1 : 0;
}

/* ---- a mechanical problem with everything in it ----
 *
 *   x'' + 2 x lambda = w,  y'' + 2 y lambda - x psi = -9.81 + in,  z'' + psi = -z - z'/10
 *   0 = x^2 + y^2 - 1 (rod),  0 = z' - x y' (blade),  u' = x - u (filter),  0 = w + u/10 + w^3/100
 *   (valve) */

static double off_circle(const dae_mechanical_at *at)
{
  return fabs(at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1);
}

#define RETURN(name) return spoil(name, at->t, off_circle(at), out)

static void zero(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = 0;
}

static int M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  zero(9, out);
  out[0] = out[4] = out[8] = 1;
  RETURN("M");
}

/* user: the problem has an input */
static void forces(const void *user, const dae_mechanical_at *at, double *out)
{
  out[0] = at->w[0];
  out[1] = -9.81 + (user ? at->in[0] : 0);
  out[2] = -at->q[2] - 0.1 * at->v[2];
}

static int f(void *user, const dae_mechanical_at *at, double *out)
{
  forces(user, at, out);
  RETURN("f");
}

static int p(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  memcpy(out, at->v, 3 * sizeof *out);
  RETURN("p");
}

static int F(void *user, const dae_mechanical_at *at, double *out)
{
  forces(user, at, out);
  RETURN("F");
}

static int p_rate(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  zero(3, out);
  RETURN("p_rate");
}

static int s(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] - at->u[0];
  RETURN("s");
}

static int c(void *user, const dae_mechanical_at *at, double *out)
{
  double w = at->w[0];
  (void)user;
  out[0] = w + 0.1 * at->u[0] + 0.01 * w * w * w;
  RETURN("c");
}

static int g(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
  RETURN("g");
}

static int g_t(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 0;
  RETURN("g_t");
}

static int G(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 2 * at->q[0];
  out[1] = 2 * at->q[1];
  out[2] = 0;
  RETURN("G");
}

static int k(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[2] - at->q[0] * at->v[1];
  RETURN("k");
}

static int K(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 0;
  out[1] = -at->q[0];
  out[2] = 1;
  RETURN("K");
}

static int gamma_(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 2 * (at->v[0] * at->v[0] + at->v[1] * at->v[1]);
  RETURN("gamma");
}

static int kappa(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -at->v[0] * at->v[1];
  RETURN("kappa");
}

static int J(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  zero(40, out); /* rows f, s, c; columns q, v, u, w */
  out[7 * 5 + 0] = 1;
  out[2 * 5 + 2] = -1;
  out[5 * 5 + 2] = -0.1;
  out[0 * 5 + 3] = 1;
  out[6 * 5 + 3] = -1;
  out[6 * 5 + 4] = 0.1;
  out[7 * 5 + 4] = 1 + 0.03 * at->w[0] * at->w[0];
  RETURN("J");
}

static int Ms_qv(void *user, const dae_mechanical_at *at, const double *a, double *out)
{
  (void)user, (void)a;
  zero(18, out);
  RETURN("Ms_qv");
}

static int Gts_q(void *user, const dae_mechanical_at *at, const double *a, double *out)
{
  (void)user;
  zero(9, out);
  out[0] = out[4] = 2 * a[0];
  RETURN("Gts_q");
}

static int gdot_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 2 * at->v[0];
  out[1] = 2 * at->v[1];
  out[2] = 0;
  RETURN("gdot_q");
}

static int k_q(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  zero(3, out);
  out[0] = -at->v[1];
  RETURN("k_q");
}

static int Kts_qv(void *user, const dae_mechanical_at *at, const double *a, double *out)
{
  (void)user;
  zero(18, out);
  out[1] = -a[0];
  RETURN("Kts_qv");
}

/* everything that has no callback of its own here is left to those that have */
static int eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  double ignored, *out = w->f ? w->f : w->g ? w->g : &ignored;
  const struct {
    double *to;
    dae_mechanical_fn *fn;
  } all[] = {{w->M, M}, {w->f, f}, {w->s, s},          {w->c, c},         {w->g, g},
             {w->G, G}, {w->k, k}, {w->gamma, gamma_}, {w->kappa, kappa}, {w->K, K}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].to && all[i].fn(user, at, all[i].to))
      return -1;
  if (w->gdot)
    w->gdot[0] = 2 * (at->q[0] * at->v[0] + at->q[1] * at->v[1]);
  RETURN("eval");
}

static int energy(void *user, const dae_mechanical_at *at, double *T, double *out)
{
  (void)user;
  *T = (at->v[0] * at->v[0] + at->v[1] * at->v[1] + at->v[2] * at->v[2]) / 2;
  *out = 9.81 * at->q[1] + at->q[2] * at->q[2] / 2;
  RETURN("energy");
}

static int input(void *user, double t, double *out)
{
  (void)user;
  out[0] = 0;
  return spoil("input", t, 0, out);
}

static const char *const q_names[] = {"x", "y", "z"}, *const u_names[] = {"filter"};
static const char *const w_names[] = {"valve"}, *const g_names[] = {"rod"};
static const char *const k_names[] = {"blade"};

#define COMMON                                                                                     \
  .nq = 3, .ng = 1, .nk = 1, .nu = 1, .nw = 1, .q_names = q_names, .u_names = u_names,             \
  .w_names = w_names, .g_names = g_names, .k_names = k_names, .s = s, .c = c, .g = g, .k = k,      \
  .energy = energy
#define DERIVATIVES                                                                                \
  .g_t = g_t, .G = G, .K = K, .gamma = gamma_, .kappa = kappa, .J = J, .Gts_q = Gts_q,             \
  .gdot_q = gdot_q, .k_q = k_q, .Kts_qv = Kts_qv

static int has_input;
static const dae_mechanical full = {.name = "full",
                                    COMMON,
                                    DERIVATIVES,
                                    .nin = 1,
                                    .user = &has_input,
                                    .M = M,
                                    .f = f,
                                    .Ms_qv = Ms_qv};
static const dae_mechanical bare = {.name = "bare", COMMON, .M = M, .f = f};
static const dae_mechanical momenta = {
    .name = "momenta", COMMON, DERIVATIVES, .p = p, .F = F, .p_rate = p_rate};
static const dae_mechanical jointly = {
    .name = "jointly", COMMON, DERIVATIVES, .M = M, .f = f, .eval = eval, .constant_mass = true};

/* the same without the valve, for methods that take no algebraic variables */
static int plain_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = 0;
  out[1] = -9.81;
  out[2] = -at->q[2] - 0.1 * at->v[2];
  RETURN("f");
}

static const dae_mechanical plain = {.name = "plain",
                                     .nq = 3,
                                     .ng = 1,
                                     .nk = 1,
                                     .nu = 1,
                                     .q_names = q_names,
                                     .u_names = u_names,
                                     .g_names = g_names,
                                     .k_names = k_names,
                                     .M = M,
                                     .f = plain_f,
                                     .s = s,
                                     .g = g,
                                     .k = k,
                                     .g_t = g_t,
                                     .G = G,
                                     .K = K,
                                     .gamma = gamma_,
                                     .kappa = kappa};

/* z' = x y' at the start */
static const double plain_start[] = {1, 0, 0, 0, -2, -2, 0.5, 0, 0};
static const double mechanical_start[] = {1, 0, 0, 0, -2, -2, 0.5, 0, 0, 0};

/* ---- the same in two parts: a mass on a rod, which is a joint, and a free one on a link ---- */

static int mass_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = 1;
  out[1] = out[2] = 0;
  return 0;
}

static int mass_f(void *user, const dae_mechanical_at *at, double *out)
{
  out[0] = 0;
  out[1] = -9.81;
  return user ? spoil("part.f", at->t, off_circle(at), out) : 0;
}

static double off_link(const double *z)
{
  return fabs(z[0] * z[0] + z[1] * z[1] - 1);
}

static int link_g(void *user, double t, const double *z, double *out)
{
  double dx = z[2] - z[0], dy = z[3] - z[1];
  (void)user;
  out[0] = z[0] * z[0] + z[1] * z[1] - 1;
  out[1] = dx * dx + dy * dy - 1;
  return spoil("joint.g", t, off_link(z), out);
}

static int link_G(void *user, double t, const double *z, double *out)
{
  double dx = z[2] - z[0], dy = z[3] - z[1];
  (void)user;
  out[0] = 2 * z[0], out[2] = 2 * z[1], out[4] = out[6] = 0;
  out[1] = -2 * dx, out[3] = -2 * dy, out[5] = 2 * dx, out[7] = 2 * dy;
  return spoil("joint.G", t, off_link(z), out);
}

static int spoiled_part;
static const char *const xy[] = {"x", "y"};
static const dae_mechanical upper = {
    .nq = 2, .q_names = xy, .user = &spoiled_part, .M = mass_M, .f = mass_f, .constant_mass = true};
static const dae_mechanical lower = {
    .nq = 2, .q_names = xy, .M = mass_M, .f = mass_f, .constant_mass = true};
static const dae_part parts[] = {{.name = "upper", .mechanical = &upper},
                                 {.name = "lower", .mechanical = &lower}};
static const dae_port ports[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
static const dae_joint joints[] = {
    {.name = "rods", .ng = 2, .nz = 4, .z = ports, .g = link_g, .G = link_G, .time_free = true}};
static const dae_coupled coupled = {
    .name = "double_pendulum", .parts = 2, .joints = 1, .part = parts, .joint = joints};
static const double coupled_start[] = {1, 0, 0, -2, 2, 0, 0, -2, 0, 0};

/* ---- a quasi-linear problem: (1 + a^2/10) a' = y - a, b' = 1, 0 = y + y^3/10 - a b - 1.1 ---- */

static double off_curve(const dae_semi_explicit_at *at)
{
  double y = at->y[0];
  return fabs(y + 0.1 * y * y * y - at->x[0] * at->x[1] - 1.1);
}

#undef RETURN
#define RETURN(name) return spoil(name, at->t, off_curve(at), out)

static int semi_M(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = 1 + 0.1 * at->x[0] * at->x[0];
  out[1] = out[2] = 0;
  out[3] = 1;
  return spoil("semi.M", at->t, at->t - reached - 0.15, out); /* it does not see y */
}

static int semi_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->y[0] - at->x[0];
  out[1] = 1;
  RETURN("semi.f");
}

static int semi_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  double y = at->y[0];
  (void)user;
  out[0] = y + 0.1 * y * y * y - at->x[0] * at->x[1] - 1.1;
  RETURN("semi.F");
}

static int semi_J(void *user, const dae_semi_explicit_at *at, double *out)
{
  double y = at->y[0];
  (void)user;
  zero(9, out);
  out[0] = -1;
  out[6] = 1;
  out[2] = -at->x[1];
  out[5] = -at->x[0];
  out[8] = 1 + 0.3 * y * y;
  RETURN("semi.J");
}

static int semi_Ms_x(void *user, const dae_semi_explicit_at *at, const double *a, double *out)
{
  (void)user;
  zero(4, out);
  out[0] = 0.2 * at->x[0] * a[0];
  RETURN("semi.Ms_x");
}

static const char *const x_names[] = {"a", "b"}, *const y_names[] = {"flow"};
static const dae_semi_explicit curve = {.name = "curve",
                                        .nx = 2,
                                        .ny = 1,
                                        .x_names = x_names,
                                        .y_names = y_names,
                                        .f = semi_f,
                                        .F = semi_F,
                                        .M = semi_M,
                                        .J = semi_J,
                                        .Ms_x = semi_Ms_x};
static const double semi_start[] = {1, 0, 1};

/* ---- one run ---- */

static void read_csv(outcome *o)
{
  FILE *file = fopen(CSV, "rb");
  char line[2048];
  o->finite = true;
  o->rows = -1; /* the header */
  while (file && fgets(line, sizeof line, file)) {
    if (o->rows++ < 0)
      continue;
    int column = 0;
    for (char *at = line, *end; *at && *at != '\r'; at = *end == ',' ? end + 1 : end, column++) {
      double value = strtod(at, &end);
      assert_true(end > at); /* every field is a number */
      o->finite = o->finite && isfinite(value);
      if (column == 0)
        o->t_last = value;
      if (column == 1)
        o->value_last = value;
    }
  }
  if (file)
    fclose(file);
  remove(CSV);
}

static bool note_progress(void *user, double t)
{
  (void)user;
  reached = t;
  return true;
}

static int output(void *user, double t, const double *y, double *out)
{
  (void)user, (void)y;
  out[0] = t;
  return spoil("output", t, 0, out);
}

static int event_value(void *user, double t, const double *y, double *out)
{
  (void)user, (void)y;
  out[0] = t - 1;
  return spoil("value", t, 0, out);
}

static int event_action(void *user, double t, const double *before, double *after)
{
  (void)user, (void)before;
  return spoil("action", t, 0, after);
}

static const dae_event event = {.name = "bell", .value = event_value, .action = event_action};

const setting settings[SETTINGS] = {
    {"full", {.mechanical = &full, .input = input}, mechanical_start, "bdf-ggl"},
    {"bare", {.mechanical = &bare}, mechanical_start, "bdf-ggl"},
    {"momenta", {.mechanical = &momenta}, mechanical_start, "bdf-ggl"},
    {"jointly", {.mechanical = &jointly}, mechanical_start, "bdf-ggl"},
    {"coupled", {.coupled = &coupled}, coupled_start, "bdf-ggl"},
    {"semi", {.semi_explicit = &curve}, semi_start, "bdf"},
    {"plain", {.mechanical = &plain}, plain_start, "bdf-ggl"},
};

static bool of_the_event(void)
{
  return fault.callback &&
         (strcmp(fault.callback, "value") == 0 || strcmp(fault.callback, "action") == 0);
}

outcome run_with_fault(int which, double first_step)
{
  dae_bdf_options opts = dae_bdf_defaults();
  opts.first_step = first_step;
  return run_by(settings[which].method, &opts, which);
}

outcome run_by(const char *method, const void *opts, int which)
{
  const setting *on = &settings[which];
  outcome o = {.err = dae_error_none()};
  dae_sink sink;
  assert_int_equal(dae_csv_sink(CSV, NULL, &sink, NULL), DAE_OK);
  dae_run_plan plan = {.problem = on->problem,
                       .start = {.y = on->y},
                       .method = dae_method_find(method, NULL),
                       .options = opts,
                       .to = TO,
                       .events = &event,
                       .event_count = of_the_event(),
                       .outputs = 1,
                       .output = output,
                       .sinks = &sink,
                       .sink_count = 1,
                       .progress = note_progress};
  o.status = dae_run(&plan, NULL, &o.summary, &o.err);
  sink.free(sink.self);
  read_csv(&o);
  return o;
}
