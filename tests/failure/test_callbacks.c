/* Callbacks that refuse a point, return something that is not a number, or fail: each kind in each
 * form of problem. A refusal shrinks the step; a lasting one ends the run with a message that
 * names the equation or the callback and the time, and what was computed until then is kept. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CSV "test_callbacks.tmp.csv"
#define TO 1.5
#define BREAKS 0.7 /* where lasting faults begin */

/* ---- what is wrong ---- */

typedef enum manner { FINE, REFUSES, IS_NAN, FAILS } manner;
typedef enum place { FAR_OFF, LATE, EVERYWHERE } place;

static struct {
  const char *callback;
  manner manner;
  place place;
  long hits;
} fault;

static double reached; /* end of the last accepted step */

static void set_fault(const char *callback, manner how, place where)
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

/* z' = x y' at the start */
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

typedef struct outcome {
  dae_status status;
  dae_error err;
  dae_summary summary;
  /* of the CSV file */
  long rows;
  double t_last, value_last;
  bool finite; /* nothing in it that is not a number */
} outcome;

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

typedef struct setting {
  const char *name;
  dae_problem problem;
  const double *y;
  const char *method;
} setting;

static const setting settings[] = {
    {"full", {.mechanical = &full, .input = input}, mechanical_start, "bdf-ggl"},
    {"bare", {.mechanical = &bare}, mechanical_start, "bdf-ggl"},
    {"momenta", {.mechanical = &momenta}, mechanical_start, "bdf-ggl"},
    {"jointly", {.mechanical = &jointly}, mechanical_start, "bdf-ggl"},
    {"coupled", {.coupled = &coupled}, coupled_start, "bdf-ggl"},
    {"semi", {.semi_explicit = &curve}, semi_start, "bdf"},
};
enum { FULL, BARE, MOMENTA, JOINTLY, COUPLED, SEMI };

static bool of_the_event(void)
{
  return fault.callback &&
         (strcmp(fault.callback, "value") == 0 || strcmp(fault.callback, "action") == 0);
}

/* first_step 0: chosen */
static outcome run(int which, double first_step)
{
  const setting *on = &settings[which];
  outcome o = {.err = dae_error_none()};
  dae_sink sink;
  dae_bdf_options opts = dae_bdf_defaults();
  opts.first_step = first_step;
  assert_int_equal(dae_csv_sink(CSV, NULL, &sink, NULL), DAE_OK);
  dae_run_plan plan = {.problem = on->problem,
                       .start = {.y = on->y},
                       .method = dae_method_find(on->method, NULL),
                       .options = &opts,
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

/* ---- every kind of callback ---- */

typedef struct kind {
  int setting;
  const char *callback;
  const char *named;    /* in messages about a refusal */
  const char *equation; /* in messages about a value that is not a number */
  bool in_matrix;       /* only the iteration matrix needs it */
  unsigned pending;     /* what does not work yet */
} kind;

/* bits of pending, where not all is expected yet: of lasting faults, and of faults at the start */
#ifdef DAEDAL_PENDING
#define PENDING(kind, bit) false
#else
#define PENDING(kind, bit) (((kind)->pending & (bit)) != 0)
#endif
#define LASTING(how) (1u << (how))
#define STARTING(how) (16u << (how))
#define ALWAYS(how) (LASTING(how) | STARTING(how))

static const kind kinds[] = {
    {FULL, "f", "callback f ", "equation of x", false, 0},
    {FULL, "M", "callback M ", "M", false, ALWAYS(IS_NAN)},
    {FULL, "g", "callback g ", "rod", false, 0},
    {FULL, "g_t", "callback g_t ", "rod", false, 0},
    {FULL, "G", "callback G ", "rod", false, 0},
    {FULL, "k", "callback k ", "blade", false, 0},
    {FULL, "K", "callback K ", "K", false, ALWAYS(IS_NAN)},
    {FULL, "s", "callback s ", "filter", false, 0},
    {FULL, "c", "callback c ", "valve", false, 0},
    {FULL, "input", "callback input ", "equation of y", false, 0},
    {FULL, "J", "callback J ", "J", true, 0},
    {FULL, "Ms_qv", "callback Ms_qv ", "Ms_qv", true, 0},
    {FULL, "Gts_q", "callback Gts_q ", "Gts_q", true, 0},
    {FULL, "gdot_q", "callback gdot_q ", "gdot_q", true, 0},
    {FULL, "k_q", "callback k_q ", "k_q", true, 0},
    {FULL, "Kts_qv", "callback Kts_qv ", "Kts_qv", true, 0},
    {BARE, "f", "callback f ", "equation of x", false, 0},
    {BARE, "M", "callback M ", "the matrix M", false, ALWAYS(IS_NAN)},
    {BARE, "g", "callback g ", "rod", false, LASTING(REFUSES) | LASTING(IS_NAN)},
    {BARE, "k", "callback k ", "blade", false, LASTING(REFUSES) | LASTING(IS_NAN)},
    {MOMENTA, "p", "callback p ", "x", false, ALWAYS(IS_NAN)},
    {MOMENTA, "F", "callback F ", "equation of x", false, 0},
    {MOMENTA, "p_rate", "callback p_rate ", "equation of x", false, LASTING(IS_NAN)},
    {JOINTLY, "eval", "callback eval ", "o", false, 0}, /* rod, or equation of x */
    {COUPLED, "part.f", "upper", "upper.x", false,
     ALWAYS(REFUSES) | ALWAYS(FAILS) | LASTING(IS_NAN)},
    {COUPLED, "joint.g", "rods", "rods", false, ALWAYS(REFUSES) | ALWAYS(FAILS)},
    {COUPLED, "joint.G", "rods", "rods", false, ALWAYS(REFUSES) | ALWAYS(FAILS) | LASTING(IS_NAN)},
    {SEMI, "semi.f", "callback f ", "equation of a", false, 0},
    {SEMI, "semi.F", "callback F ", "flow", false, 0},
    {SEMI, "semi.J", "callback J ", "J", true, 0},
    {SEMI, "semi.M", "callback M ", "M", false, 0},
    {SEMI, "semi.Ms_x", "callback Ms_x ", "Ms_x", true, 0},
};

/* evaluated only where a state leaves the integrator, hence on the motion */
static const kind of_the_output[] = {
    {FULL, "gamma", "callback gamma ", "rod", false, LASTING(REFUSES) | LASTING(IS_NAN)},
    {FULL, "kappa", "callback kappa ", "blade", false, LASTING(REFUSES) | LASTING(IS_NAN)},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

static const kind *kind_at(size_t i)
{
  if (i < COUNT(kinds))
    return &kinds[i];
  return i < COUNT(kinds) + COUNT(of_the_output) ? &of_the_output[i - COUNT(kinds)] : NULL;
}

static const char *const manners[] = {"", "refuses", "is NaN", "fails"};

static void check(bool good, const kind *kd, manner how, const outcome *o, const char *what)
{
  if (!good)
    fail_msg("%s of %s %s: %s\n  %s [%s] t = %.17g, h = %g: %s\n  %ld rows up to t = %.17g",
             kd->callback, settings[kd->setting].name, manners[how], what,
             dae_status_name(o->status), o->err.equation, o->err.t, o->err.h, o->err.text, o->rows,
             o->t_last);
}

static void test_without_faults_all_problems_run(void **state)
{
  (void)state;
  for (int i = 0; i < (int)COUNT(settings); i++) {
    set_fault(NULL, FINE, EVERYWHERE);
    outcome o = run(i, 0);
    if (o.status)
      fail_msg("%s: %s", settings[i].name, o.err.text);
    assert_true(o.finite);
    assert_int_equal(o.rows, o.summary.rows);
    assert_true(o.t_last == TO);
    assert_int_equal(o.summary.stats.rejected_by_callback, 0);
  }
}

static void test_a_region_of_refusal_shrinks_the_step(void **state)
{
  (void)state;
  const double first_step = 0.5;
  for (size_t i = 0; i < COUNT(kinds); i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = &kinds[i];
      if (strcmp(kd->callback, "input") == 0) /* a function of time alone */
        continue;
      set_fault(NULL, FINE, EVERYWHERE);
      outcome clean = run(kd->setting, first_step);
      assert_int_equal(clean.status, DAE_OK);
      assert_int_equal(clean.summary.stats.rejected_by_callback, 0);
      set_fault(kd->callback, how, FAR_OFF);
      outcome o = run(kd->setting, first_step);
      check(o.status == DAE_OK, kd, how, &o, "the run did not go on");
      check(fault.hits > 0, kd, how, &o, "the region was not entered");
      check(o.summary.stats.rejected_by_callback > 0, kd, how, &o, "no rejection was counted");
      check(o.finite && o.rows == o.summary.rows, kd, how, &o, "rows");
      check(fabs(o.value_last - clean.value_last) < 1e-4, kd, how, &o, "another motion");
    }
}

/* what is left of a run that ended early */
static void check_kept(const kind *kd, manner how, const outcome *o)
{
  const dae_summary *sum = &o->summary;
  check(o->finite, kd, how, o, "a row has something that is not a number");
  check(o->rows > 10 && o->rows == sum->rows, kd, how, o, "rows are missing");
  check(sum->status == o->status, kd, how, o, "the summary says something else");
  check(strcmp(sum->message, o->err.text) == 0, kd, how, o, "the summary has another message");
  check(sum->stats.steps >= o->rows - 1, kd, how, o, "steps were not counted");
  check(sum->diagnosis.dof > 0, kd, how, o, "the diagnosis is missing");
  char text[8192];
  check(dae_summary_text(sum, text, sizeof text) > 0, kd, how, o, "no closing block");
}

static void test_a_lasting_refusal_ends_the_run_with_equation_and_time(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++)
    for (manner how = REFUSES; how <= IS_NAN; how++) {
      const kind *kd = kind_at(i);
      if (PENDING(kd, LASTING(how)))
        continue;
      set_fault(kd->callback, how, LATE);
      outcome o = run(kd->setting, 0);
      char time[40];
      snprintf(time, sizeof time, "t = %.10g ", o.err.t);
      check(o.status == DAE_ERROR_STEP && o.err.status == o.status, kd, how, &o, "status");
      check(strstr(o.err.text, how == REFUSES ? kd->named : kd->equation) != NULL, kd, how, &o,
            "the culprit is not named");
      check(o.err.equation[0] != '\0', kd, how, &o, "the record names nothing");
      check(strstr(o.err.text, time) != NULL, kd, how, &o, "the time is not in the message");
      check(o.err.h > 0 && o.err.h < 1e-10, kd, how, &o, "the step was not reduced to its end");
      /* what the residual needs is missed at once, the matrix when it is formed again */
      check(kd->in_matrix ? o.err.t < TO : fabs(o.err.t - BREAKS) < 1e-9, kd, how, &o, "time");
      check(o.t_last == o.err.t && o.summary.t_end == o.err.t, kd, how, &o, "the last row");
      check(o.summary.stats.rejected_by_callback > 10, kd, how, &o, "refusals were not counted");
      check_kept(kd, how, &o);
    }
}

static void test_a_failing_callback_ends_the_run_at_once(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++) {
    const kind *kd = kind_at(i);
    if (PENDING(kd, LASTING(FAILS)))
      continue;
    set_fault(kd->callback, FAILS, LATE);
    outcome o = run(kd->setting, 0);
    check(o.status == DAE_ERROR_CALLBACK && o.err.status == o.status, kd, FAILS, &o, "status");
    check(fault.hits == 1, kd, FAILS, &o, "it was called again");
    check(strstr(o.err.text, kd->named) != NULL, kd, FAILS, &o, "the callback is not named");
    check(isfinite(o.err.t) && o.err.t > BREAKS - 0.1 && o.err.t < TO, kd, FAILS, &o, "time");
    check(o.t_last <= o.err.t && o.t_last > BREAKS - 0.1, kd, FAILS, &o, "the last row");
    check(o.summary.stats.rejected_by_callback == 0, kd, FAILS, &o, "it counts as a refusal");
    check_kept(kd, FAILS, &o);
  }
}

static void test_a_fault_at_the_start_is_an_error_of_the_start(void **state)
{
  (void)state;
  for (size_t i = 0; kind_at(i); i++)
    for (manner how = REFUSES; how <= FAILS; how++) {
      const kind *kd = kind_at(i);
      if (PENDING(kd, STARTING(how)))
        continue;
      set_fault(kd->callback, how, EVERYWHERE);
      outcome o = run(kd->setting, 0);
      dae_status expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_START;
      if (o.rows > 0) { /* the start itself did not need it, the first step does */
        check(kd->in_matrix && o.rows == 1 && o.err.t == 0, kd, how, &o, "it got beyond the start");
        expected = how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP;
      }
      check(o.status == expected && o.err.status == expected, kd, how, &o, "status");
      check(strstr(o.err.text, how == IS_NAN ? kd->equation : kd->named) != NULL, kd, how, &o,
            "the culprit is not named");
      check(o.summary.status == expected, kd, how, &o, "the summary says something else");
#ifdef DAEDAL_PENDING
      const setting *on = &settings[kd->setting];
      dae_integrator *it = NULL;
      dae_status status =
          dae_method_find(on->method, NULL)
              ->create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, NULL);
      check(status == (o.rows > 0 ? DAE_OK : expected), kd, how, &o, "the constructor differs");
      dae_integrator_free(it);
#endif
      check(o.finite, kd, how, &o, "a row has something that is not a number");
    }
}

/* ---- what is not part of the equations ---- */

static void test_an_energy_that_is_refused_costs_the_balance_only(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= IS_NAN; how++)
    for (place where = LATE; where <= EVERYWHERE; where++) {
      set_fault("energy", how, where);
      outcome o = run(FULL, 0);
      assert_int_equal(o.status, DAE_OK);
      assert_true(fault.hits > 0);
      assert_true(o.finite && o.t_last == TO);
      assert_true(isnan(o.summary.energy_balance));
      assert_true(o.summary.position_drift < 1e-10); /* the other measures are there */
      char text[8192];
      assert_true(dae_summary_json(&o.summary, text, sizeof text) < sizeof text);
      assert_null(strstr(text, "nan")); /* JSON has no such word */
    }
  set_fault("energy", FAILS, LATE);
  outcome o = run(FULL, 0);
  assert_int_equal(o.status, DAE_ERROR_CALLBACK);
  assert_non_null(strstr(o.err.text, "callback energy "));
  assert_true(o.finite && o.rows > 10);
}

static void test_an_event_must_be_defined_on_the_motion(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= FAILS; how++) {
    set_fault("value", how, LATE);
    outcome o = run(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_string_equal(o.err.equation, "bell");
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_non_null(strstr(o.err.text, "t = 0.7"));
    assert_true(o.finite && o.rows > 10 && o.t_last <= BREAKS);
    assert_true(fabs(o.err.t - BREAKS) < 0.1);
    set_fault("value", how, EVERYWHERE);
    o = run(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_true(o.err.t == 0);
  }
  for (manner how = REFUSES; how <= FAILS; how++) {
    set_fault("action", how, LATE);
    outcome o = run(SEMI, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_non_null(strstr(o.err.text, "'bell'"));
    assert_true(fabs(o.err.t - 1) < 1e-9);
    assert_true(o.finite && o.rows > 10 && o.t_last <= 1);
    assert_int_equal(fault.hits, 1);
  }
}

static void test_an_output_that_cannot_be_evaluated_ends_the_run(void **state)
{
  (void)state;
  for (manner how = REFUSES; how <= FAILS; how += FAILS - REFUSES) {
    set_fault("output", how, LATE);
    outcome o = run(FULL, 0);
    assert_int_equal(o.status, DAE_ERROR_CALLBACK);
    assert_string_equal(o.err.equation, "output");
    assert_true(o.err.t > BREAKS && o.t_last <= BREAKS);
    assert_true(o.finite && o.rows == o.summary.rows);
  }
}

static void test_after_a_failed_step_the_last_state_is_intact(void **state)
{
  (void)state;
  for (int which = FULL; which <= SEMI; which++) {
    const setting *on = &settings[which];
    const char *const culprit[] = {"f", "f", "F", "eval", "joint.g", "semi.F"};
    dae_integrator *it;
    double before[16], after[16];
    dae_error err = dae_error_none();
    set_fault(culprit[which], REFUSES, LATE);
    assert_int_equal(dae_method_find(on->method, NULL)
                         ->create(&on->problem, &(dae_start){.y = on->y}, NULL, NULL, &it, &err),
                     DAE_OK);
    dae_status status;
    do {
      double t = dae_integrator_view(it).t;
      assert_int_equal(dae_integrator_interpolate(it, t, before, NULL, &err), DAE_OK);
      status = dae_integrator_step(it, TO, &err);
    } while (status == DAE_OK);
    assert_int_equal(status, DAE_ERROR_STEP);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae_integrator_interpolate(it, t, after, NULL, &err), DAE_OK);
    for (int i = 0; i < dae_problem_size(&on->problem); i++)
      assert_true(fabs(after[i] - before[i]) <= 1e-9 * (1 + fabs(before[i])));
    set_fault(NULL, FINE, EVERYWHERE); /* without the cause it goes on from there */
    assert_int_equal(dae_integrator_restart(it, t, after, &err), DAE_OK);
    do
      status = dae_integrator_step(it, TO, &err);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    dae_integrator_free(it);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_without_faults_all_problems_run),
      cmocka_unit_test(test_a_region_of_refusal_shrinks_the_step),
      cmocka_unit_test(test_a_lasting_refusal_ends_the_run_with_equation_and_time),
      cmocka_unit_test(test_a_failing_callback_ends_the_run_at_once),
      cmocka_unit_test(test_a_fault_at_the_start_is_an_error_of_the_start),
      cmocka_unit_test(test_an_energy_that_is_refused_costs_the_balance_only),
      cmocka_unit_test(test_an_event_must_be_defined_on_the_motion),
      cmocka_unit_test(test_an_output_that_cannot_be_evaluated_ends_the_run),
      cmocka_unit_test(test_after_a_failed_step_the_last_state_is_intact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
