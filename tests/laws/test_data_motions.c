/* Motions that follow tables and inputs, against quadrature of the same interpolants, which the
 * test forms by itself (splines by a dense solve), by every method with variable steps. Also: steps
 * end at knots and samples, and native code has the same bits. */
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

#define TO 7.3
#define ALLOWED 30 /* largest error of the first two entries, in tolerances */

/* ---- interpolants ---- */

enum { KNOTS = 6 };
static const double knot[KNOTS] = {0, 1, 1.7, 3, 4.1, 6};

typedef enum form { HOLD, LINEAR, CUBIC } form;

typedef struct curve {
  form how;
  bool periodic;
  double y[KNOTS], M[KNOTS];
} curve;

/* Solves A x = b by Gaussian elimination with pivots. */
static void solve(int n, double A[KNOTS][KNOTS], double *b)
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k; i < n; i++)
      pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
    for (int j = 0; j < n; j++) {
      double other = A[k][j];
      A[k][j] = A[pivot][j];
      A[pivot][j] = other;
    }
    double other = b[k];
    b[k] = b[pivot];
    b[pivot] = other;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++)
        A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++)
      b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

static curve interpolant(form how, bool periodic)
{
  curve c = {how, periodic, {0, 2, -1, 0.5, 1, periodic ? 0 : -0.5}, {0}};
  double A[KNOTS][KNOTS] = {{0}};
  int n = KNOTS - 1;
  if (how != CUBIC)
    return c;
  for (int i = 0; i <= n; i++) {
    bool end = i == 0 || i == n;
    int before = i > 0 ? i - 1 : n - 1, here = i < n ? i : 0, after = here + 1;
    double h = knot[before + 1] - knot[before], k = knot[after] - knot[here];
    if (end && !periodic) {
      A[i][i] = 1; /* second derivative 0 */
      continue;
    }
    if (i == n) { /* the same as the first one */
      A[i][0] = 1;
      A[i][n] = -1;
      continue;
    }
    A[i][before] += h / 6;
    A[i][here] += (h + k) / 3;
    A[i][after] += k / 6;
    c.M[i] = (c.y[after] - c.y[here]) / k - (c.y[before + 1] - c.y[before]) / h;
  }
  solve(n + 1, A, c.M);
  return c;
}

/* Value, or derivative, at x. */
static double at(const curve *c, double x, bool derivative)
{
  if (c->periodic)
    x -= floor(x / knot[KNOTS - 1]) * knot[KNOTS - 1];
  if (x < knot[0] || x >= knot[KNOTS - 1])
    return derivative ? 0 : x < knot[0] ? c->y[0] : c->y[KNOTS - 1];
  int i = 0;
  while (x >= knot[i + 1])
    i++;
  double h = knot[i + 1] - knot[i], b = (x - knot[i]) / h, a = 1 - b;
  double slope = (c->y[i + 1] - c->y[i]) / h;
  if (c->how == HOLD)
    return derivative ? 0 : c->y[i];
  if (derivative)
    return slope + h / 6 * ((1 - 3 * a * a) * c->M[i] + (3 * b * b - 1) * c->M[i + 1]);
  return a * c->y[i] + b * c->y[i + 1] +
         h * h / 6 * ((a * a * a - a) * c->M[i] + (b * b * b - b) * c->M[i + 1]);
}

/* Integral of g(s) over [0, to], by Gauss's rule with 3 nodes on small pieces between knots / rate.
 */
typedef double integrand(const curve *c, double rate, double s, double to);

static double integrate(const curve *c, double rate, double to, integrand *g)
{
  const double node = sqrt(0.6), pieces = 40;
  double sum = 0, left = 0;
  for (int turn = 0; left < to; turn++)
    for (int i = 1; i <= KNOTS && left < to; i++) {
      double next = i < KNOTS ? (turn * knot[KNOTS - 1] + knot[i]) / rate : to;
      if (i == KNOTS && c->periodic)
        break;
      double right = fmin(next, to), h = (right - left) / pieces;
      for (int k = 0; k < pieces; k++) {
        double middle = left + (k + 0.5) * h;
        sum += h *
               (5 * g(c, rate, middle - node * h / 2, to) + 8 * g(c, rate, middle, to) +
                5 * g(c, rate, middle + node * h / 2, to)) /
               18;
      }
      left = right;
    }
  return sum;
}

static double value_at(const curve *c, double rate, double s, double to)
{
  (void)to;
  return at(c, rate * s, false);
}

static double moment(const curve *c, double rate, double s, double to)
{
  return (to - s) * at(c, rate * s, false);
}

static double fading(const curve *c, double rate, double s, double to)
{
  return exp(s - to) * at(c, rate * s, false);
}

static double slowness(const curve *c, double rate, double s, double to)
{
  (void)to;
  return 1 / (1 + 0.3 * at(c, rate * s, false));
}

static double length(const curve *c, double rate, double s, double to)
{
  (void)to;
  return hypot(1, at(c, rate * s, true));
}

/* x with integral of g up to x equal to `want`. */
static double inverse(const curve *c, double want, integrand *g)
{
  double low = 0, high = 20;
  for (int i = 0; i < 80; i++) {
    double middle = low + (high - low) / 2;
    *(integrate(c, 1, middle, g) < want ? &low : &high) = middle;
  }
  return low;
}

/* ---- motions ---- */

static void pushed(const curve *c, double y[2]) /* x'' = f(t) */
{
  y[0] = integrate(c, 1, TO, moment);
  y[1] = integrate(c, 1, TO, value_at);
}

/* x'' = f(x) from rest on a knot at 0, where f = -1 and on one side goes on so */
static void falling(const curve *c, double y[2])
{
  (void)c;
  y[0] = -TO * TO / 2;
  y[1] = -TO;
}

static void falling_states(const curve *c, double y[2])
{
  (void)c;
  y[0] = -TO;
  y[1] = -TO * TO / 2;
}

static void lagged(const curve *c, double y[2]) /* x' = f(t), s' = f(t) - s */
{
  y[0] = integrate(c, 1, TO, value_at);
  y[1] = integrate(c, 1, TO, fading);
}

static void turning(const curve *c, double y[2]) /* the same with f(3 t) */
{
  y[0] = integrate(c, 3, TO, value_at);
  y[1] = integrate(c, 3, TO, fading);
}

static void driving(const curve *c, double y[2]) /* x' = 1 + 0.3 f(x) */
{
  y[0] = inverse(c, TO, slowness);
  y[1] = TO / 3;
}

static void sliding(const curve *c, double y[2]) /* along the curve with constant speed */
{
  y[0] = inverse(c, 0.1 * hypot(1, at(c, 0, true)) * TO, length);
  y[1] = at(c, y[0], false);
}

static void led(const curve *c, double y[2]) /* x = f(0.7 t) */
{
  y[0] = at(c, 0.7 * TO, false);
  y[1] = 0.7 * at(c, 0.7 * TO, true);
}

#define POINTS "[(0, 0), (1, 2), (1.7, -1), (3, 0.5), (4.1, 1), (6, -0.5)] "
#define CYCLE "[(0, 0), (1, 2), (1.7, -1), (3, 0.5), (4.1, 1), (6, 0)] "
#define LAG(f) "state x = 0, s = 0\nx' = " f "\ns' = " f " - s\n"

static const struct {
  const char *text;
  form how;
  bool periodic, input;
  void (*exact)(const curve *c, double y[2]);
  int switchings; /* changes of branches; -1: not counted */
} cases[] = {
    {"model a\ntable f " POINTS "\ncoord x = 0\nkinetic x'^2/2\nforce x = f(t)\n", LINEAR, false,
     false, pushed, 5},
    {"model b\ntable f " POINTS "cubic\ncoord x = 0\nkinetic x'^2/2\nforce x = f(t)\n", CUBIC,
     false, false, pushed, -1},
    {"model c\ntable f " CYCLE "linear periodic\n" LAG("f(3*t)"), LINEAR, true, false, turning, 18},
    {"model d\ntable f " CYCLE "periodic cubic\n" LAG("f(3*t)"), CUBIC, true, false, turning, -1},
    {"model e\ntable f " POINTS "\nstate x = 0, s = 0\nx' = 1 + 0.3*f(x)\ns' = 1/3\n", LINEAR,
     false, false, driving, 5},
    {"model f\ntable f " POINTS "cubic\nstate x = 0, s = 0\nx' = 1 + 0.3*f(x)\ns' = 1/3\n", CUBIC,
     false, false, driving, 1},
    {"model g\ntable f " POINTS "cubic\ncoord x = 0 rate 0.1, y = 0\nkinetic (x'^2 + y'^2)/2\n"
     "constraint y = f(x)\n",
     CUBIC, false, false, sliding, 0},
    {"model h\ntable f " POINTS "cubic\ncoord x = 0\nkinetic x'^2/2\nconstraint x = f(0.7*t)\n",
     CUBIC, false, false, led, -1},
    {"model o\ntable f [(-1, -1), (0, -1), (1, 2)]\ncoord x = 0\nkinetic x'^2/2\n"
     "force x = f(x)\n",
     LINEAR, false, false, falling, -1},
    {"model p\ntable f [(0, -1), (1, 2), (2, 3)] cubic\ncoord x = 0\nkinetic x'^2/2\n"
     "force x = f(x)\n",
     CUBIC, false, false, falling, -1},
    {"model r\ntable f [(1, -1), (2, 2), (3, 3)] cubic\nlet z = x + 1\ncoord x = 0\n"
     "kinetic x'^2/2\nforce x = f(z)\n",
     CUBIC, false, false, falling, -1},
    {"model q\ntable f [(-1, -1), (0, -1), (1, 2)]\nstate v = 0, x = 0\nx' = v\nv' = f(x)\n",
     LINEAR, false, false, falling_states, -1},
    {"model i\ninput u = 0\n" LAG("u"), HOLD, false, true, lagged, 5},
    {"model j\ninput u = 0 linear\n" LAG("u"), LINEAR, false, true, lagged, 5},
    {"model k\ninput u = 0 cubic\n" LAG("u"), CUBIC, false, true, lagged, -1},
    {"model l\ninput u = 0 hold\ncoord x = 0\nkinetic x'^2/2\nforce x = u\n", HOLD, false, true,
     pushed, 5},
    {"model m\ninput u = 0 linear\nstate x = 0, s = 0\nalg z = 0\nx' = z\ns' = z - s\n0 = z - u\n",
     LINEAR, false, true, lagged, 5},
    {"model n\nsystem A {\n  input u = 0\n  "
     "state x = 0\n  x' = u\n}\n"
     "system B {\n  state s = 0\n  s' = A.u - s\n}\n",
     HOLD, false, true, lagged, 5},
};

/* ---- runs ---- */

typedef struct last_row {
  double y[2];
  int met; /* number of knots that were a row */
} last_row;

static dae_status keep_row(void *self, const dae_row *row, dae_error *err)
{
  last_row *last = self;
  (void)err;
  memcpy(last->y, row->y, sizeof last->y);
  for (int i = 0; i < KNOTS; i++)
    last->met += row->values[0] == knot[i];
  return DAE_OK;
}

static dae_model *load_case(size_t k, const curve *c)
{
  dae_error err;
  dae_model *model;
  dae_model_options options = dae_model_defaults();
  dae_model_input input = {.name = strstr(cases[k].text, "system") ? "A.u" : "u",
                           .count = KNOTS,
                           .t = knot,
                           .value = c->y};
  options.inputs = &input;
  options.input_count = cases[k].input;
  if (dae_model_parse("m.dae", cases[k].text, strlen(cases[k].text), &options, NULL, &model, &err))
    fail_msg("%s: %s", cases[k].text, err.text);
  return model;
}

static void run_case(size_t k, const dae_method *method, const char *rtol)
{
  dae_error err;
  dae_summary summary;
  char text[2048];
  double want[2];
  last_row last = {{NAN, NAN}, 0};
  const curve c = interpolant(cases[k].how, cases[k].periodic);
  dae_model *model = load_case(k, &c);
  void *opts = calloc(1, method->options_size);
  dae_sink sink = {.self = &last, .row = keep_row};
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  dae_model_plan(model, &plan);
  method->defaults(opts);
  assert_int_equal(dae_options_set(method->options, opts, "rtol", rtol, &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, opts, "atol", rtol, &err), DAE_OK);
  plan.method = method;
  plan.options = opts;
  plan.to = TO;
  if (dae_method_check(method, &plan.problem, &plan.start, opts, NULL, &err) == DAE_OK) {
    if (dae_run(&plan, NULL, &summary, &err) < 0) {
      dae_error_text(&err, text, sizeof text);
      fail_msg("%s by %s, rtol %s: %s", cases[k].text, method->name, rtol, text);
    }
    cases[k].exact(&c, want);
    for (int i = 0; i < 2; i++) {
      double error = fabs(last.y[i] - want[i]) / (1 + fabs(want[i])) / strtod(rtol, NULL);
      if (!(error <= ALLOWED))
        fail_msg("%s by %s, rtol %s: %.17g, not %.17g: %.3g tolerances", cases[k].text,
                 method->name, rtol, last.y[i], want[i], error);
    }
    if (cases[k].switchings >= 0 && summary.switchings != cases[k].switchings)
      fail_msg("%s by %s, rtol %s: %ld switchings", cases[k].text, method->name, rtol,
               summary.switchings);
    bool of_time = cases[k].exact == pushed || cases[k].exact == lagged;
    if (of_time && last.met < KNOTS)
      fail_msg("%s by %s: %d of %d knots are rows", cases[k].text, method->name, last.met, KNOTS);
  }
  free(opts);
  dae_model_free(model);
}

static void test_motions_that_follow_data_are_exact(void **state)
{
  (void)state;
  static const char *const rtols[] = {"1e-3", "1e-6", "1e-9", "1e-4", "1e-8"};
  size_t tolerances = getenv("DAEDAL_LONG") ? 5 : 3;
  int methods = 0;
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *method = dae_method_at(i);
    if (method->fixed_step || method->iterates)
      continue;
    methods++;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      for (size_t r = 0; r < tolerances; r++)
        run_case(k, method, rtols[r]);
  }
  assert_true(methods >= 12);
}

/* ---- functions ---- */

static double wave(void *user, double t, int order)
{
  (void)user;
  const double derivatives[] = {sin(t), cos(t), -sin(t)};
  return derivatives[order];
}

/* 1 and -1 by turns, from 0 on. */
static double square(void *user, double t, int order)
{
  (void)user;
  return order > 0 ? 0 : fmod(floor(t), 2) == 0 ? 1 : -1;
}

static double broken(void *user, double t, int order)
{
  (void)order;
  return t > *(const double *)user ? NAN : 1;
}

static const dae_method *forced; /* method of run_function; NULL: that of auto */

static dae_status run_function(const char *text, dae_model_input input, last_row *last,
                               dae_error *err)
{
  dae_model *model;
  dae_summary summary;
  dae_model_options options = dae_model_defaults();
  dae_sink sink = {.self = last, .row = keep_row};
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  options.inputs = &input;
  options.input_count = 1;
  dae_status status = dae_model_parse("m.dae", text, strlen(text), &options, NULL, &model, err);
  if (status)
    return status;
  dae_model_plan(model, &plan);
  plan.to = TO;
  plan.method = forced;
  if (!forced || dae_method_check(forced, &plan.problem, &plan.start, NULL, NULL, err) != DAE_OK)
    plan.method = dae_model_choose(model, NULL, 0, err);
  status = dae_run(&plan, NULL, &summary, err);
  dae_model_free(model);
  return status;
}

static void test_functions_are_inputs(void **state)
{
  (void)state;
  dae_error err;
  last_row last;
  double until = 2;
  const char *text = "model p\ninput u = 0\n" LAG("u");
  dae_model_input input = {.name = "u", .function = wave};
  assert_true(run_function(text, input, &last, &err) >= 0);
  assert_true(fabs(last.y[0] - (1 - cos(TO))) < 1e-5);
  /* a constraint needs two derivatives */
  text = "model q\ninput u = 0 cubic\ncoord x = 0\nkinetic x'^2/2\nconstraint x = u\n";
  assert_int_equal(run_function(text, input, &last, &err), DAE_ERROR_OPTION);
  assert_non_null(strstr(err.text, "derivative 1 of the input u"));
  input.derivatives = 2;
  assert_true(run_function(text, input, &last, &err) >= 0);
  assert_true(fabs(last.y[0] - sin(TO)) < 1e-9 && fabs(last.y[1] - cos(TO)) < 1e-9);
  /* jumps at its instants: x' = u, s' = u - s */
  const double instants[] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *method = dae_method_at(i);
    if (method->fixed_step || method->iterates)
      continue;
    double s = 0;
    for (int k = 0; k < 8; k++) { /* s decays towards 1 and -1 by turns */
      double side = k % 2 == 0 ? 1 : -1, end = k < 7 ? 1 : TO - 7;
      s = side + (s - side) * exp(-end);
    }
    input = (dae_model_input){
        .name = "u", .function = square, .instants = instants, .instant_count = 8};
    forced = method;
    assert_true(run_function("model p\ninput u = 0\n" LAG("u"), input, &last, &err) >= 0);
    if (fabs(last.y[0] - (1 - (TO - 7))) > 6e-5 || fabs(last.y[1] - s) > 6e-5)
      fail_msg("%s: %.17g, %.17g", method->name, last.y[0], last.y[1]);
  }
  forced = NULL;
  /* a function that refuses ends the run */
  input = (dae_model_input){.name = "u", .function = broken, .user = &until};
  assert_true(run_function("model r\ninput u = 0\n" LAG("u"), input, &last, &err) < 0);
  assert_true(err.t >= 1.9 && err.t <= 2.1);
  input.name = "v";
  assert_int_equal(run_function("model r\ninput u = 0\n" LAG("u"), input, &last, &err),
                   DAE_ERROR_OPTION);
  assert_non_null(strstr(err.text, "v is no input of the model"));
}

/* ---- many samples ---- */

typedef struct bytes {
  size_t live, peak;
} bytes;

static void *bytes_allocate(void *user, size_t size)
{
  bytes *b = user;
  size_t *memory = malloc(size + 16);
  if (!memory)
    return NULL;
  *memory = size;
  b->live += size;
  b->peak = b->live > b->peak ? b->live : b->peak;
  return memory + 16 / sizeof *memory;
}

static void bytes_release(void *user, void *memory)
{
  size_t *start = (size_t *)memory - 16 / sizeof *start;
  if (!memory)
    return;
  ((bytes *)user)->live -= *start;
  free(start);
}

/* Memory of the model and evaluations of a run with this many samples of a wave. */
static void run_samples(int count, bytes *b, long *evaluations)
{
  static const char text[] = "model s\ninput u = 0 linear\nstate x = 0\nx' = u - x\n";
  double *t = malloc((size_t)count * sizeof *t), *value = malloc((size_t)count * sizeof *value);
  dae_env env = {.user = b, .allocate = bytes_allocate, .release = bytes_release};
  dae_model_input input = {.name = "u", .count = count, .t = t, .value = value};
  dae_model_options options = dae_model_defaults();
  dae_model *model;
  dae_error err;
  dae_summary summary;
  last_row last;
  dae_sink sink = {.self = &last, .row = keep_row};
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  for (int i = 0; i < count; i++) {
    t[i] = 0.01 * i;
    value[i] = sin(t[i]);
  }
  options.inputs = &input;
  options.input_count = 1;
  *b = (bytes){0};
  assert_int_equal(dae_model_parse("s", text, strlen(text), &options, &env, &model, &err), DAE_OK);
  free(t);
  free(value);
  dae_model_plan(model, &plan);
  plan.to = 0.01 * (count - 1);
  plan.method = dae_method_find("switching", &err);
  assert_true(dae_run(&plan, &env, &summary, &err) >= 0);
  double x = (sin(plan.to) - cos(plan.to) + exp(-plan.to)) / 2;
  assert_true(fabs(last.y[0] - x) < 2e-5); /* chords of the wave: 0.01^2 / 12 */
  *evaluations = summary.stats.evaluations;
  dae_model_free(model);
  assert_int_equal(b->live, 0);
}

static void test_samples_take_24_bytes_and_no_time_of_others(void **state)
{
  (void)state;
  long few, many;
  bytes small, large;
  run_samples(1000, &small, &few);
  run_samples(20000, &large, &many);
  assert_true((double)large.peak < (double)small.peak + 24.5 * 19000);
  assert_true(fabs((double)many / (double)few / (19999. / 999) - 1) < 0.05);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_motions_that_follow_data_are_exact),
      cmocka_unit_test(test_samples_take_24_bytes_and_no_time_of_others),
      cmocka_unit_test(test_functions_are_inputs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
