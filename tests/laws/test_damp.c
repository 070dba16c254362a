/* The smooth motion (`damp`): the start is moved onto the slow motion, which the run then follows
 * in steps of its size, and the summary tells what this took. The slow motion is known from
 * elsewhere: rest, or the motion with rigid joints instead of stiff forces. */
#include "support.h"

#include <daedal/model.h>
#include <daedal/run.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZE = 1300 };

/* A run by a model, and its result. */
typedef struct damped_run {
  const char *text, *method;
  double tolerance, damp_time;
  double atol; /* 0: tolerance */
  bool follow; /* without damp */
  const char *set[4];
  int sets;
  double first[SIZE], last[SIZE];
  int rows, kept; /* kept: coordinates, rates and states */
  dae_summary summary;
  dae_status status;
  dae_error err;
  char names[40][32];
} damped_run;

static dae_status damped_row(void *self, const dae_row *row, dae_error *err)
{
  damped_run *r = self;
  (void)err;
  memcpy(r->rows++ == 0 ? r->first : r->last, row->y, (size_t)r->kept * sizeof *row->y);
  return DAE_OK;
}

static void damped_set(const dae_method *method, void *opts, const char *name, double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  assert_int_equal(dae_options_set(method->options, opts, name, text, NULL), DAE_OK);
}

/* Runs r to its end; a refusal is kept in r->status. */
static void damped_go(damped_run *r)
{
  dae_model_options load = dae_model_defaults();
  dae_model *model;
  char opts[512];
  dae_sink sink = {.self = r, .row = damped_row};
  dae_run_plan plan = {0};
  const dae_method *method = dae_method_find(r->method ? r->method : "radau", NULL);
  load.set = r->set;
  load.set_count = r->sets;
  if (dae_model_parse("damped", r->text, strlen(r->text), &load, NULL, &model, &r->err))
    fail_msg("%s", r->err.text);
  dae_model_plan(model, &plan);
  dae_model_counts n = dae_model_count(model);
  r->kept = 2 * n.coordinates + n.states;
  r->rows = 0;
  assert_true(r->kept <= SIZE && method->options_size <= sizeof opts);
  method->defaults(opts);
  damped_set(method, opts, "rtol", r->tolerance);
  damped_set(method, opts, "atol", r->atol > 0 ? r->atol : r->tolerance);
  if (!r->follow) {
    assert_int_equal(dae_options_set(method->options, opts, "damp", "on", NULL), DAE_OK);
    damped_set(method, opts, "damp_time", r->damp_time);
  }
  plan.method = method;
  plan.options = opts;
  plan.sinks = &sink;
  plan.sink_count = 1;
  r->err = dae_error_none();
  r->status = dae_run(&plan, NULL, &r->summary, &r->err);
  r->summary.problem = "model"; /* the model's own name goes with it */
  dae_model_free(model);
}

static void damped_succeeds(damped_run *r)
{
  damped_go(r);
  if (r->status < 0)
    fail_msg("%s", r->err.text);
}

/* Largest difference of the last rows of two runs with the same coordinates in the first `count`
 * entries from `from` on, in tolerances TOL (1 + |x|). */
static double damped_difference(const damped_run *a, const damped_run *b, int from, int count)
{
  double most = 0;
  for (int i = from; i < from + count; i++)
    most = fmax(most, fabs(a->last[i] - b->last[i]) / (a->tolerance * (1 + fabs(b->last[i]))));
  return most;
}

static bool damped_tells(const damped_run *r, const char *words)
{
  char text[8192];
  assert_true(dae_summary_text(&r->summary, text, sizeof text) < sizeof text);
  for (char *c = text; *c; c++) /* lines are wrapped */
    if (*c == '\n')
      while (c[1] == ' ')
        memmove(c + 1, c + 2, strlen(c + 1));
  for (char *c = text; *c; c++)
    *c = *c == '\n' ? ' ' : *c;
  return strstr(text, words) != NULL;
}

/* ---- models ---- */

static const char point[] = "model point\n"
                            "param eps = 1e-4, vx = 1\n"
                            "coord x = 0 rate vx, y = -1\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential x^2/2/eps + (y + 1)^2/2/eps^2 + y\n"
                            "constraint circle: (x^2 + y^2 - 1)/2 = 0\n"
                            "simulate to 0.25\n";
static const char spring[] = "model spring\n"
                             "param eps = 1e-4\n"
                             "coord x = 0.044710000355444504239, y = -0.99900000794205009471\n"
                             "let l = sqrt(x^2 + (y + 0.5)^2)\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential (l - 0.4)^2/2/eps^2 + y\n"
                             "constraint circle: (x^2 + y^2 - 1)/2 = 0\n"
                             "simulate to 0.05\n";
/* the two bodies of section 5.2 of YP96, of which body 1 is held: one angle, and a damped bushing
 */
static const char bushing[] = "model bushing\n"
                              "param eps = 1e-6, c = 10, a = 0.5\n"
                              "coord x = 9.9989e-1 rate -6.75e-5, y = -1.4852e-2 rate -4.5444e-3\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential ((x - 2*a)^2 + y^2)/2/eps\n"
                              "force x = -c*x'\n"
                              "force y = -c*y'\n"
                              "constraint distance: x^2 + y^2 = 1\n"
                              "simulate to 1\n";
static const char beside[] = "model beside\n"
                             "param k = 1e8\n"
                             "coord x = 1, y = 0\n"
                             "coord s = 1e-3\n"
                             "kinetic (x'^2 + y'^2 + s'^2)/2\n"
                             "potential 9.81*y + k*s^2/2\n"
                             "constraint rod: x^2 + y^2 = 1\n"
                             "simulate to 1\n";
static const char elastic[] = "model elastic\n"
                              "param k = 1e8, vr = 0, vt = 0\n"
                              "coord x = 1 rate vr, y = 0 rate vt\n"
                              "let l = sqrt(x^2 + y^2)\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 9.81*y + k*(l - 1)^2/2\n"
                              "simulate to 1\n";
static const char pendulum[] = "model pendulum\n"
                               "param vt = 0, vr = 0, k = 0\n"
                               "coord x = 1, y = 0 rate vt\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y\n"
                               "constraint x^2 + y^2 = 1\n"
                               "simulate to 1\n";
#define CRANK                                                                                      \
  "model crank\n"                                                                                  \
  "param k = 1e8, w = 10, J1 = 0.0027, J2 = 0.0027, m2 = 0.15, m3 = 0.0755\n"                      \
  "param l1 = 0.15, l2 = 0.3, push = 0.5\n"                                                        \
  "coord phi = 0 rate w, x = l1 + l2/2, y = 0 rate w*l1/2, th = 0 rate -w*l1/l2\n"                 \
  "coord s = l1 + l2 rate push\n"                                                                  \
  "kinetic J1*phi'^2/2 + m2*(x'^2 + y'^2)/2 + J2*th'^2/2 + m3*s'^2/2\n"                            \
  "let ex = x + l2/2*cos(th) - s, ey = y + l2/2*sin(th)\n"                                         \
  "potential 9.81*m2*y\n"                                                                          \
  "constraint x - l2/2*cos(th) = l1*cos(phi)\n"                                                    \
  "constraint y - l2/2*sin(th) = l1*sin(phi)\n"                                                    \
  "simulate to 1\n"
static const char crank[] = CRANK "potential k*(ex^2 + ey^2)/2\n";
static const char crank_rigid[] = CRANK "constraint ex = 0\nconstraint ey = 0\n";

/* ---- steps and errors ---- */

/* A row of the table: a problem, its slow motion (NULL: rest), the steps that are enough. */
typedef struct damped_case {
  const char *text, *rigid;
  const char *set[2];
  int sets, coordinates;
  double tolerance;
  long steps;
  double q, v; /* largest errors in tolerances */
} damped_case;

static void damped_check_case(const damped_case *c)
{
  damped_run r = {.text = c->text, .tolerance = c->tolerance, .sets = c->sets};
  memcpy(r.set, c->set, sizeof c->set);
  damped_succeeds(&r);
  damped_run reference = {.text = c->rigid, .tolerance = 1e-10, .follow = true, .sets = c->sets};
  memcpy(reference.set, c->set, sizeof c->set);
  if (c->rigid)
    damped_succeeds(&reference);
  double q = c->rigid ? damped_difference(&r, &reference, 0, c->coordinates) : 0, v = 0;
  int stride = r.kept / 2, other = c->rigid ? reference.kept / 2 : 0;
  for (int i = 0; i < c->coordinates; i++) {
    double at = c->rigid ? reference.last[other + i] : 0;
    v = fmax(v, fabs(r.last[stride + i] - at) / (c->tolerance * (1 + fabs(at))));
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%.14s %s %g: %ld steps of %ld, q %.2g, v %.2g\n", c->text,
                  c->sets ? c->set[0] : "", c->tolerance, r.summary.stats.steps, c->steps, q, v);
  if (r.summary.stats.steps > c->steps || q > c->q || v > c->v)
    fail_msg("%.14s %s at %g: %ld steps of %ld, errors %g and %g", c->text,
             c->sets ? c->set[0] : "", c->tolerance, r.summary.stats.steps, c->steps, q, v);
}

static void test_the_slow_motion_takes_few_steps(void **state)
{
  (void)state;
  static const damped_case cases[] = {
      {point, NULL, {"eps=1e-5"}, 1, 1, 1e-3, 7, 1, 1},
      {point, NULL, {"eps=1e-5"}, 1, 1, 1e-4, 22, 1, 1},
      {point, NULL, {"eps=1e-6"}, 1, 1, 1e-4, 6, 1, 1},
      {point, NULL, {"eps=1e-8"}, 1, 1, 1e-4, 4, 1, 1},
      {spring, NULL, {"eps=1e-4"}, 1, 1, 1e-3, 19, 1, 1},
      {spring, NULL, {"eps=1e-4"}, 1, 1, 1e-4, 34, 1, 1},
      {spring, NULL, {"eps=1e-6"}, 1, 1, 1e-4, 4, 1, 1},
      {spring, NULL, {"eps=1e-8"}, 1, 1, 1e-3, 4, 1, 1},
      {bushing, NULL, {"eps=1e-5"}, 1, 2, 1e-3, 4, 2, 1},
      {bushing, NULL, {"eps=1e-6"}, 1, 2, 1e-4, 4, 2, 1},
      {bushing, NULL, {"eps=1e-8"}, 1, 2, 1e-3, 4, 2, 1},
      {beside, pendulum, {0}, 0, 2, 1e-3, 13, 1, 1},
      {beside, pendulum, {0}, 0, 2, 1e-4, 24, 1, 1},
      {elastic, pendulum, {0}, 0, 2, 1e-3, 18, 1, 1.8},
      {elastic, pendulum, {0}, 0, 2, 1e-4, 30, 1, 1.2},
      {elastic, pendulum, {"k=1e12"}, 1, 2, 1e-3, 18, 1, 1.8},
      {elastic, pendulum, {"k=1e12"}, 1, 2, 1e-4, 30, 1, 1.2},
      {crank, crank_rigid, {"push=0.5"}, 1, 5, 1e-3, 34, 1, 2},
      {crank, crank_rigid, {"push=0.5"}, 1, 5, 1e-4, 54, 1, 1.2},
      {crank, crank_rigid, {"push=0"}, 1, 5, 1e-4, 54, 1, 1.2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    damped_check_case(&cases[i]);
}

static const char turning[] =
    "model turning\n"
    "param eps = 1e-6, off = 0, w = 1, v = 0.3\n"
    "coord x1 = 0 rate 0, y1 = 0 rate v, t1 = 0 rate w\n"
    "coord x2 = 2 + off rate 0, y2 = 0 rate v + 3*w, t2 = 0 rate 2*w\n"
    "kinetic (x1'^2 + y1'^2)/2 + t1'^2/4 + (x2'^2 + y2'^2)/2 + t2'^2/4\n"
    "let dx = x2 - cos(t2) - x1 - cos(t1), dy = y2 - sin(t2) - y1 - sin(t1)\n"
    "let u = cos(t1)*dx + sin(t1)*dy, s = cos(t1)*dy - sin(t1)*dx\n"
    "potential (u^2 + 2*s^2)/2/eps\n"
    "simulate to 1\n";
static const char turning_rigid[] =
    "model turning\n"
    "param eps = 1e-6, off = 0, w = 1, v = 0.3\n"
    "coord x1 = 0 rate 0, y1 = 0 rate v, t1 = 0 rate w\n"
    "coord x2 = 2 rate 0, y2 = 0 rate v + 3*w, t2 = 0 rate 2*w\n"
    "kinetic (x1'^2 + y1'^2)/2 + t1'^2/4 + (x2'^2 + y2'^2)/2 + t2'^2/4\n"
    "constraint x2 - cos(t2) - x1 - cos(t1) = 0\n"
    "constraint y2 - sin(t2) - y1 - sin(t1) = 0\n"
    "simulate to 1\n";
/* a bushing in space, and a body turned by Euler parameters */
#define ROTOR                                                                                      \
  "model rotor\n"                                                                                  \
  "param k = 1e8, off = 1e-5, w = 3, a = 0.5\n"                                                    \
  "coord x = a + off rate 0, y = 0 rate 0, z = 0 rate 0\n"                                         \
  "coord e0 = 1, e1 = 0 rate w/4, e2 = 0, e3 = 0 rate w/2\n"                                       \
  "let o1 = 2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')\n"                                              \
  "let o2 = 2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')\n"                                              \
  "let o3 = 2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')\n"                                              \
  "kinetic (x'^2 + y'^2 + z'^2)/2 + (0.1*o1^2 + 0.2*o2^2 + 0.25*o3^2)/2\n"                         \
  "constraint unit: e0^2 + e1^2 + e2^2 + e3^2 = 1\n"                                               \
  "let px = x - a*(e0^2 + e1^2 - e2^2 - e3^2)\n"                                                   \
  "let py = y - a*2*(e1*e2 + e0*e3), pz = z - a*2*(e1*e3 - e0*e2)\n"                               \
  "potential 9.81*z\n"                                                                             \
  "simulate to 1\n"
static const char rotor[] = ROTOR "potential k*(px^2 + py^2 + pz^2)/2\n";
static const char rotor_rigid[] = ROTOR "constraint px = 0\nconstraint py = 0\nconstraint pz = 0\n";
/* nonholonomic and redundant constraints: a skate that pulls a trolley, which rails hold three
 * times */
#define RAILS                                                                                      \
  "model rails\n"                                                                                  \
  "param off = 1e-5\n"                                                                             \
  "coord x = 0 rate 1, y = 0, th = 0 rate 1\n"                                                     \
  "coord tx = off rate 1, ty = 0, tz = 0\n"                                                        \
  "kinetic (x'^2 + y'^2)/2 + th'^2/8 + (tx'^2 + ty'^2 + tz'^2)/4\n"                                \
  "potential 3*y\n"                                                                                \
  "constraint left: ty - tz = 0\n"                                                                 \
  "constraint right: ty + tz = 0\n"                                                                \
  "constraint again: ty = 0\n"                                                                     \
  "constraint blade: x'*sin(th) - y'*cos(th) = 0\n"                                                \
  "simulate to 1\n"
static const char rails[] = RAILS "potential 1e8*(tx - x)^2/2\n";
static const char rails_rigid[] = RAILS "constraint tx = x\n";
/* a constraint that time moves */
#define SUPPORT                                                                                    \
  "model support\n"                                                                                \
  "param off = 1e-4\n"                                                                             \
  "coord sx = 0, x = 1 + off, y = 0\n"                                                             \
  "kinetic (sx'^2 + x'^2 + y'^2)/2\n"                                                              \
  "let l = sqrt((x - sx)^2 + y^2)\n"                                                               \
  "potential 9.81*y\n"                                                                             \
  "constraint support: sx = 0.3*sin(3*t)\n"                                                        \
  "simulate to 1\n"
static const char support_stiff[] = SUPPORT "potential 1e8*(l - 1)^2/2\n";
static const char support_rigid[] = SUPPORT "constraint l = 1\n";
/* a fast state and an algebraic variable beside the coordinates: w = 2 y in the slow motion */
static const char valve[] = "model valve\n"
                            "coord x = 1.0001, y = 0\n"
                            "state u = 0.5\n"
                            "alg w = 0\n"
                            "let l = sqrt(x^2 + y^2)\n"
                            "kinetic (x'^2 + y'^2)/2\n"
                            "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                            "u' = -(u - y)/1e-6\n"
                            "0 = w - 2*u\n"
                            "force y = -0.5*w\n"
                            "simulate to 1\n";
static const char valve_rigid[] = "model valve\n"
                                  "coord x = 1, y = 0\n"
                                  "kinetic (x'^2 + y'^2)/2\n"
                                  "potential 9.81*y + 0.5*y^2\n"
                                  "constraint x^2 + y^2 = 1\n"
                                  "simulate to 1\n";
#define CHAIN                                                                                      \
  "model chain\n"                                                                                  \
  "param N = 10, L = 1/N, off = 1e-5\n"                                                            \
  "coord x[1..N] = i*L + off*(1 - (-1)^i)/2, y[1..N] = 0\n"                                        \
  "for i in 1..N {\n"                                                                              \
  "  kinetic (x[i]'^2 + y[i]'^2)/2/N\n"                                                            \
  "  potential 9.81*y[i]/N\n"                                                                      \
  "}\n"                                                                                            \
  "simulate to 0.3\n"
static const char chain[] =
    CHAIN "potential 1e8*(sqrt(x[1]^2 + y[1]^2) - L)^2/2\n"
          "for i in 2..N { potential 1e8*(sqrt((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2) - L)^2/2 }\n";
static const char chain_rigid[] =
    CHAIN "constraint x[1]^2 + y[1]^2 = L^2\n"
          "for i in 2..N { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n";

static void test_stiff_joints_become_rigid(void **state)
{
  (void)state;
  static const damped_case cases[] = {
      {turning, turning_rigid, {0}, 0, 6, 1e-3, 28, 1, 1},
      {turning, turning_rigid, {0}, 0, 6, 1e-4, 48, 1, 1},
      {rotor, rotor_rigid, {0}, 0, 7, 1e-3, 20, 1, 1},
      {rotor, rotor_rigid, {0}, 0, 7, 1e-4, 20, 1, 1},
      {rails, rails_rigid, {0}, 0, 6, 1e-3, 5, 1, 1},
      {rails, rails_rigid, {0}, 0, 6, 1e-4, 6, 1, 1},
      {support_stiff, support_rigid, {0}, 0, 3, 1e-3, 18, 1, 1},
      {support_stiff, support_rigid, {0}, 0, 3, 1e-4, 30, 1, 1},
      {valve, valve_rigid, {0}, 0, 2, 1e-3, 18, 1, 1},
      {valve, valve_rigid, {0}, 0, 2, 1e-4, 30, 1, 1},
      {chain, chain_rigid, {0}, 0, 20, 1e-3, 21, 1, 1},
      {chain, chain_rigid, {0}, 0, 20, 1e-4, 43, 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    damped_check_case(&cases[i]);
}

/* The default absolute tolerance: velocities that vanish are relative to those of the start. */
static void test_tolerances_are_those_of_the_start(void **state)
{
  (void)state;
  static const char *const texts[] = {point, spring, crank};
  static const long steps[] = {6, 6, 54};
  for (int i = 0; i < 3; i++) {
    damped_run r = {.text = texts[i], .tolerance = 1e-4, .atol = 1e-6};
    r.set[0] = "eps=1e-6";
    r.sets = i < 2;
    damped_succeeds(&r);
    assert_true(r.summary.stats.steps <= steps[i]);
  }
}

/* Tolerances that resolve more than the time scales separate, and stiff forces whose round-off is
 * above the stopping tolerance: what was removed at the start does not come back. */
static void test_tight_tolerances_take_few_steps(void **state)
{
  (void)state;
  static const struct {
    const char *k, *vr;
    double tolerance;
    long steps;
  } cases[] = {
      {"k=1e4", "vr=1", 1e-5, 90},    {"k=1e6", "vr=1", 1e-6, 160},   {"k=1e8", "vr=1", 1e-6, 30},
      {"k=1e10", "vr=0.1", 1e-6, 30}, {"k=1e12", "vr=0.1", 1e-6, 30},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = elastic,
                    .tolerance = cases[i].tolerance,
                    .atol = 1e-2 * cases[i].tolerance,
                    .set = {cases[i].k, cases[i].vr},
                    .sets = 2};
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    assert_true(r.summary.stats.steps <= cases[i].steps);
  }
}

/* Links with sparse matrices: against the rigid ones in the long form. */
static void test_a_chain_of_a_hundred_links(void **state)
{
  (void)state;
  static const double tolerances[] = {1e-3, 1e-4};
  static const long steps[] = {39, 52};
  for (int i = 0; i < 2; i++) {
    damped_run r = {
        .text = chain, .tolerance = tolerances[i], .set = {"N=100", "off=1e-6"}, .sets = 2};
    damped_succeeds(&r);
    assert_true(r.summary.stats.steps <= steps[i]);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    if (!getenv("DAEDAL_LONG"))
      continue;
    damped_run rigid = r;
    rigid.text = chain_rigid;
    rigid.tolerance = 1e-8;
    rigid.follow = true;
    damped_succeeds(&rigid);
    assert_true(damped_difference(&r, &rigid, 0, 200) < 1);
  }
}

/* ---- what is not fast ---- */

static void test_rest_stays_rest(void **state)
{
  (void)state;
  static const damped_case cases[] = {{.text = point, .set = {"vx=0", "eps=1e-4"}, .sets = 2},
                                      {.text = point, .set = {"vx=0", "eps=1e-8"}, .sets = 2},
                                      {.text = elastic, .set = {"k=1e8"}, .sets = 1},
                                      {.text = elastic, .set = {"k=1e12"}, .sets = 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-4, .sets = cases[i].sets};
    memcpy(r.set, cases[i].set, sizeof cases[i].set);
    damped_succeeds(&r);
    damped_run still = r;
    still.follow = true;
    if (i < 2)
      damped_succeeds(&still);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_NONE);
    assert_true(damped_tells(&r, "nothing removed"));
    for (int k = 0; k < 4; k++) { /* from rest, below 1e-5 */
      double at = k == 0 ? (i < 2 ? 0 : 1) : k == 1 && i < 2 ? -1 : 0;
      assert_true(fabs(r.first[k] - at) < 1e-5);
      if (i < 2)
        assert_true(fabs(r.last[k] - at) < 1e-5);
    }
  }
}

static void test_a_motion_without_fast_parts_is_not_changed(void **state)
{
  (void)state;
  static test_problem (*const problems[])(void) = {test_pendulum, test_slider_crank,
                                                   test_knife_edge, test_cylinder_skate};
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
    for (double tolerance = 1e-3; tolerance > 1e-6; tolerance /= 10) {
      test_problem p = problems[i]();
      const dae_method *radau = dae_method_find("radau", NULL);
      dae_rk_options opts = dae_rk_adaptive_defaults();
      double end[2][64];
      opts.rtol = opts.atol = tolerance;
      p.start.to = p.to;
      for (int damp = 0; damp < 2; damp++) {
        dae_integrator *it = NULL;
        dae_error err;
        dae_status status = DAE_OK;
        opts.damp = damp;
        assert_true(p.size <= 64);
        assert_int_equal(radau->create(&p.problem, &p.start, &opts, NULL, &it, &err), DAE_OK);
        while (status == DAE_OK)
          status = dae_integrator_step(it, p.to, &err);
        assert_int_equal(status, DAE_END);
        assert_int_equal(dae_integrator_interpolate(it, p.to, end[damp], NULL, &err), DAE_OK);
        dae_integrator_free(it);
      }
      for (int k = 0; k < 2 * p.problem.mechanical->nq; k++)
        assert_true(fabs(end[1][k] - end[0][k]) < 10 * tolerance * (1 + fabs(end[0][k])));
    }
}

static void test_motion_that_is_neither_fast_nor_slow_is_kept_and_told(void **state)
{
  (void)state;
  static const struct {
    const char *text, *set;
  } cases[] = {{point, "eps=1e-3"}, {point, "eps=1e-4"}, {spring, "eps=1e-3"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-3, .set = {cases[i].set}, .sets = 1};
    damped_run exact = r;
    exact.tolerance = 1e-9;
    exact.follow = true;
    damped_succeeds(&r);
    damped_succeeds(&exact);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_KEPT);
    assert_true(damped_tells(&r, "neither fast nor slow: kept; --damp-time says which"));
    assert_true(damped_difference(&r, &exact, 0, 2) < 10);
  }
}

/* ---- refusals ---- */

static const char oscillator[] = "model oscillator\n"
                                 "coord x = 1\n"
                                 "kinetic x'^2/2\n"
                                 "potential 1e6*x^2/2\n"
                                 "simulate to 1\n";
static const char swings[] = "model swings\n"
                             "coord x = 1, y = 0\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "potential 9.81*y\n"
                             "constraint x^2 + y^2 = 1\n"
                             "simulate to 1000\n";

/* A wheel on a stiff tyre, with 50 periods in the run, under a body with two. */
static const char tyre[] = "model tyre\n"
                           "coord z = 0.1, u = 1e-3\n"
                           "kinetic (400*z'^2 + 40*u'^2)/2\n"
                           "potential 16000*(z - u)^2/2 + 1e6*(u - 0.02*sin(2*t))^2/2\n"
                           "force z = -500*(z' - u')\n"
                           "force u = 500*(z' - u')\n"
                           "simulate to 2\n";

static void test_a_wheel_under_a_slow_body_is_fast(void **state)
{
  (void)state;
  damped_run r = {.text = tyre, .tolerance = 1e-3, .atol = 1e-5};
  damped_succeeds(&r);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
  assert_true(r.summary.stats.steps <= 24);
}

/* Bars whose pin is open by 0.8: all motion is that of the gap, no pass separates it, and the
 * summary does not say that none is fast. */
static const char open_pin[] = "model open_pin\n"
                               "coord a = 1.2, b = 0.2, c = 1.0\n"
                               "let gx = cos(a) + 3*cos(b) - 3 - 2*cos(c)\n"
                               "let gy = sin(a) + 3*sin(b) - 2*sin(c)\n"
                               "kinetic a'^2/6 + b'^2/2 + c'^2/2\n"
                               "potential 1e5*(gx^2 + gy^2)/2\n"
                               "simulate to 1\n";

static void test_fast_motion_that_nothing_separates_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = open_pin, .tolerance = 1e-3, .atol = 1e-5};
  damped_succeeds(&r);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_KEPT);
  assert_true(r.summary.damping.kept > 0 && r.summary.damping.kept < 1. / 30);
}

static void test_a_run_of_which_nothing_would_be_left_is_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {oscillator, swings};
  for (int i = 0; i < 2; i++) {
    damped_run r = {.text = texts[i], .tolerance = 1e-4};
    damped_go(&r);
    assert_int_equal(r.status, DAE_ERROR_STEP);
    assert_string_equal(r.err.equation, "damp");
    assert_non_null(strstr(r.err.text, "damp_time"));
    r.damp_time = i ? 30 : 0.03;
    damped_succeeds(&r);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_ALL);
    assert_true(damped_tells(&r, "all motion of the start was fast: what is left is rest"));
  }
}

static void test_an_oscillation_that_drives_the_motion_is_refused(void **state)
{
  (void)state;
  damped_run r = {
      .text = turning, .tolerance = 1e-3, .set = {"off=1e-2", "w=0.1", "v=0"}, .sets = 3};
  damped_go(&r);
  assert_int_equal(r.status, DAE_ERROR_STEP);
  assert_non_null(strstr(r.err.text, "drives the slow motion"));
  r.damp_time = 0.03;
  damped_succeeds(&r);
}

static void test_the_length_of_the_motion_is_needed(void **state)
{
  (void)state;
  static const char *const names[] = {"radau", "bdf-cs"};
  test_problem p = test_pendulum();
  for (int i = 0; i < 2; i++) {
    dae_rk_options rk = dae_rk_adaptive_defaults();
    dae_bdf_options bdf = dae_bdf_defaults();
    dae_integrator *it = NULL;
    dae_error err = dae_error_none();
    const dae_method *method = dae_method_find(names[i], NULL);
    rk.damp = bdf.damp = true;
    const void *opts = i ? (const void *)&bdf : &rk;
    assert_int_equal(method->create(&p.problem, &p.start, opts, NULL, &it, &err), DAE_ERROR_OPTION);
    assert_null(it);
    assert_string_equal(err.equation, "damp");
    rk.damp_time = bdf.damp_time = 0.01;
    assert_int_equal(method->create(&p.problem, &p.start, opts, NULL, &it, &err), DAE_OK);
    dae_integrator_free(it);
  }
}

/* ---- fixed values, events ---- */

#define PAIR(y)                                                                                    \
  "model pair\n"                                                                                   \
  "coord x = 0 fixed rate 1 fixed, y = 0 " y "\n"                                                  \
  "kinetic (x'^2 + y'^2)/2\n"                                                                      \
  "potential 1e8*(x - y)^2/2 + y^2/2\n"                                                            \
  "simulate to 0.1\n"

static void test_fixed_values_stay_on_the_slow_motion(void **state)
{
  (void)state;
  damped_run r = {.text = PAIR("rate 0"), .tolerance = 1e-4};
  damped_succeeds(&r);
  assert_true(r.first[0] == 0 && r.first[2] == 1); /* x, x' */
  assert_true(fabs(r.first[1]) < 1e-6 && fabs(r.first[3] - 1) < 1e-4);
  assert_true(r.summary.stats.steps < 10);
  assert_true(fabs(r.last[0] - sqrt(2) * sin(0.1 / sqrt(2))) < 1e-4);
}

static void test_fast_motion_in_fixed_values_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = PAIR("fixed rate 0 fixed"), .tolerance = 1e-3};
  damped_succeeds(&r);
  assert_true(r.first[0] == 0 && r.first[1] == 0 && r.first[2] == 1 && r.first[3] == 0);
  assert_int_equal(r.summary.damping.kind, DAE_DAMPING_FIXED);
  assert_true(damped_tells(&r, "`fixed` values"));
}

static void test_events_that_excite_the_fast_motion(void **state)
{
  (void)state;
  static const char kicked[] = "model kicked\n"
                               "coord x = 1, y = 0\n"
                               "let l = sqrt(x^2 + y^2)\n"
                               "kinetic (x'^2 + y'^2)/2\n"
                               "potential 9.81*y + 1e8*(l - 1)^2/2\n"
                               "event kick: t - 0.5 rising { x' = x' + 1 }\n"
                               "simulate to 1\n";
  static const char rigid[] = "model kicked\n"
                              "coord x = 1, y = 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential 9.81*y\n"
                              "constraint x^2 + y^2 = 1\n"
                              "event kick: t - 0.5 rising { x' = x' + y^2; y' = y' - x*y }\n"
                              "simulate to 1\n"; /* the part of the kick along the circle */
  for (double tolerance = 1e-3; tolerance > 1e-5; tolerance /= 10) {
    damped_run r = {.text = kicked, .tolerance = tolerance};
    damped_run reference = {.text = rigid, .tolerance = 1e-10, .follow = true};
    damped_succeeds(&r);
    damped_succeeds(&reference);
    assert_int_equal(r.summary.damping.restarts, 1);
    assert_true(r.summary.energy_removed_at_events > 0.05);
    assert_true(damped_tells(&r, "removed after 1 event"));
    assert_true(r.summary.stats.steps < 40);
    assert_true(damped_difference(&r, &reference, 0, 4) < 2);
  }
}

/* ---- the report ---- */

static void test_the_energy_that_was_removed_is_told(void **state)
{
  (void)state;
  damped_run r = {.text = beside, .tolerance = 1e-4}, plain = r;
  plain.follow = true;
  plain.set[0] = "k=1e4";
  plain.sets = 1;
  damped_succeeds(&r);
  damped_succeeds(&plain);
  const dae_damping *d = &r.summary.damping;
  assert_int_equal(d->kind, DAE_DAMPING_REMOVED);
  assert_true(fabs(r.summary.energy_removed_at_start - 50) < 1e-4); /* k s^2 / 2 */
  assert_true(fabs(d->period[0] - 2 * acos(-1) * 1e-4) < 1e-9);
  assert_string_equal(d->name, "s");
  assert_true(fabs(d->distance - 1e-3) < 1e-9);
  assert_true(d->drift < 0.1 && fabs(d->frequency[1] - 1) < 1e-6);
  assert_true(damped_tells(&r, "it would not have moved the slow motion"));
  assert_false(plain.summary.damped);
  assert_false(damped_tells(&plain, "damp"));
}

/* Mean of the coordinates at the end of the exact motion, over some periods of the fast one, is the
 * motion itself up to its amplitude. */
static void test_a_driven_slow_motion_is_predicted(void **state)
{
  (void)state;
  static const struct {
    const char *text, *set;
    int coordinate;
    double low, high; /* predicted over true deviation */
  } cases[] = {{crank, "push=0.5", 0, 0.4, 1.5}, {turning, "off=1e-3", 2, 0.7, 1.4}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    damped_run r = {.text = cases[i].text, .tolerance = 1e-4, .set = {cases[i].set}, .sets = 1};
    damped_run exact = r;
    exact.tolerance = 1e-8;
    exact.follow = true;
    damped_succeeds(&r);
    damped_succeeds(&exact);
    double deviation = fabs(exact.last[cases[i].coordinate] - r.last[cases[i].coordinate]);
    if (i == 0) /* the angle of the pushed crank after 1 s */
      assert_true(fabs(deviation - 0.0158) < 0.0005);
    assert_true(deviation > 1e-2);
    assert_true(r.summary.damping.drift > 10);
    assert_true(r.summary.trust >= DAE_TRUST_AMBER);
    assert_true(damped_tells(&r, "drives the slow motion"));
    /* the largest deviation is that of some variable: of the order of this one */
    assert_true(r.summary.damping.drift_size > cases[i].low * deviation);
  }
}

static void test_other_methods_damp(void **state)
{
  (void)state;
  static const char *const methods[] = {"bdf-cs", "bdf-cm", "bdf-ggl"};
  for (int i = 0; i < 3; i++) {
    damped_run r = {.text = crank, .method = methods[i], .tolerance = 1e-4};
    damped_run rigid = {.text = crank_rigid, .tolerance = 1e-9, .follow = true};
    damped_succeeds(&r);
    damped_succeeds(&rigid);
    assert_int_equal(r.summary.damping.kind, DAE_DAMPING_REMOVED);
    assert_true(r.summary.stats.steps < 400);
    assert_true(damped_difference(&r, &rigid, 0, 5) < 1);
  }
}

/* Steps after a load give the same bits. */
static void test_a_damped_run_is_saved_and_loaded(void **state)
{
  (void)state;
  dae_model *model;
  dae_error err;
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it[2];
  double y[2][32];
  opts.damp = true;
  opts.rtol = 1e-4;
  assert_int_equal(dae_model_parse("rails", rails, strlen(rails), NULL, NULL, &model, &err),
                   DAE_OK);
  dae_start start = dae_model_start(model);
  start.to = 1;
  for (int i = 0; i < 2; i++)
    assert_int_equal(dae_radau_create(dae_model_problem(model), &start, &opts, NULL, &it[i], &err),
                     DAE_OK);
  assert_true(dae_integrator_step(it[0], 1, &err) >= 0);
  size_t size = dae_integrator_save_size(it[0]);
  void *buffer = malloc(size);
  assert_non_null(buffer);
  assert_int_equal(dae_integrator_save(it[0], buffer, size, &err), DAE_OK);
  if (dae_integrator_load(it[1], buffer, size, &err))
    fail_msg("%s", err.text);
  free(buffer);
  for (int i = 0; i < 2; i++) {
    assert_true(dae_integrator_step(it[i], 1, &err) >= 0);
    double t = dae_integrator_view(it[i]).t;
    assert_int_equal(dae_integrator_interpolate(it[i], t, y[i], NULL, &err), DAE_OK);
  }
  dae_damping a = dae_integrator_damping(it[0]), b = dae_integrator_damping(it[1]);
  assert_memory_equal(y[0], y[1], 12 * sizeof **y);
  assert_true(a.drift == b.drift && a.exchange == b.exchange && a.kind == b.kind);
  for (int i = 0; i < 2; i++)
    dae_integrator_free(it[i]);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_slow_motion_takes_few_steps),
      cmocka_unit_test(test_stiff_joints_become_rigid),
      cmocka_unit_test(test_tolerances_are_those_of_the_start),
      cmocka_unit_test(test_tight_tolerances_take_few_steps),
      cmocka_unit_test(test_a_chain_of_a_hundred_links),
      cmocka_unit_test(test_rest_stays_rest),
      cmocka_unit_test(test_a_motion_without_fast_parts_is_not_changed),
      cmocka_unit_test(test_motion_that_is_neither_fast_nor_slow_is_kept_and_told),
      cmocka_unit_test(test_a_wheel_under_a_slow_body_is_fast),
      cmocka_unit_test(test_fast_motion_that_nothing_separates_is_told),
      cmocka_unit_test(test_a_run_of_which_nothing_would_be_left_is_refused),
      cmocka_unit_test(test_an_oscillation_that_drives_the_motion_is_refused),
      cmocka_unit_test(test_the_length_of_the_motion_is_needed),
      cmocka_unit_test(test_fixed_values_stay_on_the_slow_motion),
      cmocka_unit_test(test_fast_motion_in_fixed_values_is_told),
      cmocka_unit_test(test_events_that_excite_the_fast_motion),
      cmocka_unit_test(test_the_energy_that_was_removed_is_told),
      cmocka_unit_test(test_a_driven_slow_motion_is_predicted),
      cmocka_unit_test(test_other_methods_damp),
      cmocka_unit_test(test_a_damped_run_is_saved_and_loaded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
