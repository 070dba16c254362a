/* The model language: what is accepted, and that it means what docs/model_language.md says. Values
 * are looked at through outputs at the start, through the callbacks of the problem, and through the
 * columns and settings that a run would use. */
#include <daedal/daedal.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- loading, and looking at values ---- */

static dae_model *load_set(const char *text, const char *const *set, int count)
{
  dae_model_options options = dae_model_defaults();
  dae_error err;
  dae_model *model = NULL;
  char shown[2048];
  options.set = set;
  options.set_count = count;
  if (dae_model_parse("model.dae", text, strlen(text), &options, NULL, &model, &err)) {
    dae_error_text(&err, shown, sizeof shown);
    fail_msg("%s\n%s", text, shown);
  }
  return model;
}

static dae_model *load(const char *text)
{
  return load_set(text, NULL, 0);
}

static dae_run_plan plan_of(const dae_model *model)
{
  dae_run_plan plan = {.to = NAN, .every = NAN};
  dae_model_plan(model, &plan);
  return plan;
}

/* the outputs where the start values hold; the caller frees */
static double *outputs_of(const dae_run_plan *plan)
{
  double *out = calloc((size_t)plan->outputs + 1, sizeof *out);
  assert_non_null(out);
  assert_int_equal(plan->output(plan->output_user, plan->start.t, plan->start.y, out), 0);
  return out;
}

static double output(const dae_model *model, const char *name)
{
  dae_run_plan plan = plan_of(model);
  double value = NAN, *out = outputs_of(&plan);
  int found = 0;
  for (int i = 0; i < plan.outputs; i++)
    if (!strcmp(plan.output_names[i], name)) {
      value = out[i];
      found++;
    }
  free(out);
  if (found != 1)
    fail_msg("%d outputs are called %s", found, name);
  return value;
}

/* the entry of the state vector that a column shows */
static int entry(const dae_model *model, const char *column)
{
  dae_run_plan plan = plan_of(model);
  for (int i = 0; i < plan.column_count; i++)
    if (!strcmp(plan.columns[i].name, column))
      return plan.columns[i].entry;
  fail_msg("no column is called %s", column);
  return -1;
}

static double start(const dae_model *model, const char *column)
{
  return dae_model_start(model).y[entry(model, column)];
}

static void assert_near(double value, double expected, const char *what)
{
  double scale = 1 + fabs(expected);
  if (!(fabs(value - expected) <= 1e-13 * scale))
    fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

/* expressions, and their values in a model; the text ends with "output o = " */
typedef struct worth {
  const char *expression;
  double value;
} worth;

static void check_worths(const char *before, const worth *table, size_t count)
{
  char text[2048];
  for (size_t i = 0; i < count; i++) {
    snprintf(text, sizeof text, "model m\n%s\noutput o = %s\n", before, table[i].expression);
    dae_model *model = load(text);
    assert_near(output(model, "o"), table[i].value, table[i].expression);
    dae_model_free(model);
  }
}

#define CHECK_WORTHS(before, table) check_worths(before, table, sizeof table / sizeof *table)

/* ---- numbers and operators ---- */

static void test_numbers(void **unused)
{
  (void)unused;
  static const worth table[] = {
      {"1", 1},
      {"1.5", 1.5},
      {".5", .5},
      {"1.", 1},
      {"1e-3", 1e-3},
      {"1.e3", 1e3},
      {".5E+2", 50},
      {"1e3", 1000},
      {"007", 7},
      {"1.-.5", .5},
      {"sum(i in 1..3, i)", 6},
      {"sum(i in 1. ..3., i)", 6},
      {"sum(i in 2-1..0+3, i)", 6},
      {"1e-320*1e300", 1e-320 * 1e300},
      {"1e-400", 0},
      {"pi", 3.14159265358979323846},
      {"123456789012345678", 123456789012345678.0},
  };
  CHECK_WORTHS("state x\nx' = 1", table);
}

static void test_precedence(void **unused)
{
  (void)unused;
  static const worth table[] = {
      {"-x^2", -4},
      {"(-x)^2", 4},
      {"2^-x", 0.25},
      {"2^-x^2", 1. / 16},
      {"x'^2", 25},
      {"-x'^2", -25},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"6/x/y", 1},
      {"6/x*y", 9},
      {"10 - y - x", 5},
      {"10 - (y - x)", 9},
      {"1 + x*y", 7},
      {"x*-y", -6},
      {"1 - -x", 3},
      {"- -x", 2},
      {"x^2*y", 12},
      {"y*x^2", 12},
      {"a[2]^a[1]", 2},
      {"a[2]'^2 + 1", 17},
      {"-a[2]'", -4},
      {"if(x < y || y < x && x > y, 1, 0)", 1},
      {"if((x < y || y < x) && x > y, 1, 0)", 0},
      {"if(!(x > y) && x == 2, 1, 0)", 1},
      {"if(!(x > y && x == 2), 1, 0)", 1},
      {"if(x + 1 <= y, 1, 0)", 1},
      {"if(x + 1 >= y + 1, 1, 0)", 0},
      {"if(x != 2 || y != 3, 1, 0)", 0},
      {"if(x*x == 4 && y*y == 9, 1, 0)", 1},
      {"if(-x < x, 1, 0)", 1},
  };
  CHECK_WORTHS("state x = 2, y = 3, a[1..2] = i\nx' = 5\ny' = -1\n"
               "for i in 1..2 { a[i]' = 2*a[i] }",
               table);
}

static void test_functions(void **unused)
{
  (void)unused;
  const double x = 0.3, y = 2;
  const worth table[] = {
      {"sin(x)", sin(x)},
      {"cos(x)", cos(x)},
      {"tan(x)", tan(x)},
      {"asin(x)", asin(x)},
      {"acos(x)", acos(x)},
      {"atan(x)", atan(x)},
      {"atan2(x, -y)", atan2(x, -y)},
      {"sinh(x)", sinh(x)},
      {"cosh(x)", cosh(x)},
      {"tanh(x)", tanh(x)},
      {"exp(y)", exp(y)},
      {"log(y)", log(y)},
      {"log10(y)", log10(y)},
      {"sqrt(y)", sqrt(y)},
      {"hypot(x, y)", hypot(x, y)},
      {"abs(-y) + abs(y)", 4},
      {"sign(-x) + 10*sign(y) + 100*sign(0)", 9},
      {"min(x, y) + 10*min(y, x)", 3.3},
      {"max(x, y) + 10*max(y, x)", 22},
      {"floor(y + x)", 2},
      {"floor(-x)", -1},
      {"mod(7.5, y)", 1.5},
      {"mod(-x, y)", 1.7},
      {"if(x < y, 1, 1/0)", 1},
      {"if(x > y, 1/0, 2)", 2},
      {"if(if(x > y, 1, 2) == 2, 3, 4)", 3},
      {"sum(i in 1..3, sum(j in i..3, i*j))", 25},
      {"sum(i in 1..0, 1/0)", 0},
      {"sum(k in -1..1, x*k^2)", 0.6},
      {"2*sum(i in 1..2, i) + 1", 7},
  };
  CHECK_WORTHS("state x = 0.3, y = 2\nx' = 1\ny' = 1", table);
}

/* ---- lines, comments, names ---- */

static void test_where_statements_end(void **unused)
{
  (void)unused;
  static const char *const models[] = {
      /* inside brackets */
      "model m\nstate x = (1\n+\n1), u[\n1\n..\n2\n] = 1\nx' = sin(\nx\n)\nfor i in 1..2 { u[i]' = "
      "1 }",
      /* after signs that need more */
      "model m\nstate x =\n2,\ny = 1\nx' =\n-\nx +\n\n # a comment\n 1\ny' = x *\n2 ^\n2",
      "model m\nstate x = 1\nx' = 1\nevent e:\nx - 1 {\n\nx = 2\n}\nfor i in 1..\n2 {\n}\n",
      "model m\nstate x = 1\nx' = if(x <\n1 &&\nx > 0 ||\n!\n(x >=\n1), 1, 2)",
      /* ; and } end statements too */
      "model m; state x = 1; x' = 1; output o = x;",
      "model m;;\n;state x = 1;\n\n;x' = 1;;",
      "model m\nsystem A { state x; x' = 1 }\nsystem B { state x\n x' = 1 }; system C{state "
      "x;x'=A.x}",
      "model m\nstate x[1..2]\nfor i in 1..2 { x[i]' = 1 } # end",
      "model m\nstate x; for i in 1..1 { for j in 1..1 { x' = i*j } }; simulate to 1",
      /* ' needs nothing after it: the line ends */
      "model m\nstate x\nalg y\ny = x'\nx' = 1",
      "model m \"a title\" # with a comment\nstate x # another one\nx' = 1 # \"and 'a third'",
      "# first\n\n  model m\n\tstate x\n\tx'\t=\t1",
      "\xEF\xBB\xBFmodel m\r\nstate x = 1,\r\ny = 2\r\nx' = 1\r\ny' = 1\r\n",
      "model m\nstate x\nx' = 1\n#",
  };
  for (size_t i = 0; i < sizeof models / sizeof *models; i++)
    dae_model_free(load(models[i]));
}

static void test_names(void **unused)
{
  (void)unused;
  dae_model *model = load("model größe \"eine Größe: ä ≠ a\"\n"
                          "param π2 = 2*pi, x_1 = 3, X_1 = 4, x1y2 = 5, é = 6\n"
                          "state α = π2\n"
                          "α' = -α\n"
                          "output Σ = x_1 + 10*X_1 + 100*x1y2 + 1000*é\n");
  assert_string_equal(dae_model_name(model), "größe");
  assert_string_equal(dae_model_title(model), "eine Größe: ä ≠ a");
  assert_near(output(model, "Σ"), 6543, "Σ");
  assert_near(start(model, "α"), 6.283185307179586, "α");
  dae_model_free(model);
  model = load("model m\nstate x\nx' = 1");
  assert_string_equal(dae_model_title(model), "");
  dae_model_free(model);
}

static void test_words_that_may_be_names(void **unused)
{
  (void)unused;
  dae_model *model = load(
      "model words\n"
      "param rate = 1, fixed = 2, from = 3, to = 4, rtol = 5, atol = 6, method = 7, window = 8\n"
      "param rising = 9, falling = 10, order = 11, stages = 12, radius = 13, update = 14\n"
      "state step = rate*fixed fixed, every = fixed fixed, stop = from, line = to\n"
      "step' = -every\nevery' = step\nstop' = 1\nline' = radius\n"
      "event e: step - stop stop rising { step = stop; stop = rising }\n"
      "coord point = rate rate rate fixed, circle = 1 rate fixed*2\n"
      "kinetic point'^2 + circle'^2\n"
      "state lambda = 1, psi = 2\nlambda' = psi\npsi' = lambda\n"
      "output o = rate + fixed + from + to + rtol + atol + method + window + rising + falling\n"
      "output p = order + stages + radius + update + lambda + 10*psi\n"
      "simulate to to from from rtol rtol step 2*atol window window method bdf-ggl order order\n");
  assert_near(output(model, "o"), 55, "o");
  assert_near(output(model, "p"), 71, "p");
  assert_near(start(model, "step"), 2, "step");
  assert_near(start(model, "point"), 1, "point");
  assert_near(start(model, "der(point)"), 1, "der(point)");
  assert_near(start(model, "der(circle)"), 4, "der(circle)");
  dae_run_plan plan = plan_of(model);
  assert_true(plan.start.fixed[entry(model, "der(point)")]);
  assert_false(plan.start.fixed[entry(model, "point")]);
  assert_true(plan.events[0].stop);
  assert_int_equal(plan.events[0].direction, 1);
  assert_near(plan.to, 4, "to");
  assert_near(plan.start.t, 3, "from");
  assert_near(dae_model_find_setting(model, "step")->value, 12, "step");
  dae_model_free(model);
}

static void test_any_order_of_declarations(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "output o = s + b\n"
                          "x' = -s\n"
                          "let s = f(x) + a\n"
                          "state x = b\n"
                          "let f(y) = a*y + x\n"
                          "param b = 2*a, a = 3\n");
  assert_near(output(model, "o"), 3 * 6 + 6 + 3 + 6, "o");
  dae_model_free(model);
}

/* ---- lets and their rates ---- */

static void test_lets(void **unused)
{
  (void)unused;
  static const worth table[] = {
      {"a[2] + 10*a[3]", 94},
      {"m[2, 3]", 23},
      {"m[1, 1] + n[2, 0]", 11 + 20},
      {"f(1, 2)", 12},
      {"g(2)", 4 + 3},
      {"g(g(1))", 16 + 3},
      {"h(3)", 9},
      {"f(y, x)", 32},
      {"c", 6},
  };
  CHECK_WORTHS("state x = 2, y = 3\nx' = 1\ny' = 1\n"
               "let a[1..3] = i^2\n"
               "let m[1..2, 1..3] = 10*i + j, n[p in 1..2, q in 0..1] = 10*p + q\n"
               "let f(i, j) = 10*i + j, g(y) = y^2 + c/x\n"
               "let h(n) = sum(k in 1..3, if(k <= n, 2*k - 1, 0))\n"
               "let c = x*y",
               table);
}

static void test_rates_of_lets(void **unused)
{
  (void)unused;
  const double t = 0.7, q = 0.3, v = 2, r = -1, w = 0.5, u = 4, m = 3;
  const worth table[] = {
      {"a'", 2 * q * v * r + q * q * w},
      {"b'", q + t * v},
      {"c'", cos(t * q) * (q + t * v) + 2 * q * v * r + q * q * w},
      {"d[3]'", 3 * q * q * v},
      {"f(r)'", cos(r) * w * q + sin(r) * v},
      {"f(2)'", sin(2) * v},
      {"f(b)' - f(t)'", cos(t * q) * (q + t * v) * q + sin(t * q) * v - cos(t) * q - sin(t) * v},
      {"(1 + f(r)'^2)", 1 + pow(cos(r) * w * q + sin(r) * v, 2)},
      {"e'", q * q + u * v},
      {"g'", m * v},
      {"hyp'", (q * v + r * w) / hypot(q, r)},
      {"k'", -v},
      {"n'", 0},
      {"u'", q},
  };
  CHECK_WORTHS("coord q = 0.3 rate 2, r = -1 rate 0.5\nkinetic q'^2 + r'^2\n"
               "state u = 4\nu' = q\ndiscrete m = 3\n"
               "let a = q^2*r, b = t*q, c = sin(b) + a, d[1..3] = q^i\n"
               "let f(p) = sin(p)*q, e = u*q, g = m*q, hyp = hypot(q, r)\n"
               "let k = if(q < 0, q, -q), n = 2*pi\n"
               "simulate to 1 from 0.7",
               table);
}

/* ---- arrays, loops ---- */

static void test_arrays(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "param N = 3, M = 2, p[1..N] = 10*i, w[1..N, 1..M] = 10*i + j\n"
                          "coord q[1..N] = i/2 rate -i\n"
                          "state u[k in 0..N] = k^2, s[a in 1..M, b in -1..0] = 10*a + b\n"
                          "alg z[1..N, 1..M] = i + 100*j\n"
                          "discrete d[1..2] = i, one[5..5] = 7, none[1..0] = 1/0\n"
                          "for i in 1..N { kinetic q[i]'^2 }\n"
                          "for k in 0..N { u[k]' = p[max(k, 1)] }\n"
                          "for a in 1..M { for b in -1..0 { s[a, b]' = 0 } }\n"
                          "for i in 1..N { for j in 1..M { z[i, j] = w[i, j] } }\n"
                          "output o[1..N] = p[i] + q[i], o2[1..2, k in 1..2] = 10*i + k\n"
                          "output all = w[N, M] + p[N - 1] + s[2, -1] + u[sum(i in 1..2, i)]\n");
  assert_near(output(model, "o[3]"), 31.5, "o[3]");
  assert_near(output(model, "o2[2,1]"), 21, "o2[2,1]");
  assert_near(output(model, "all"), 32 + 20 + 19 + 9, "all");
  assert_near(start(model, "q[3]"), 1.5, "q[3]");
  assert_near(start(model, "der(q[2])"), -2, "der(q[2])");
  assert_near(start(model, "u[0]"), 0, "u[0]");
  assert_near(start(model, "u[3]"), 9, "u[3]");
  assert_near(start(model, "s[2,-1]"), 19, "s[2,-1]");
  assert_near(start(model, "z[3,2]"), 203, "z[3,2]");
  assert_near(start(model, "one[5]"), 7, "one[5]");
  dae_model_counts n = dae_model_count(model);
  assert_int_equal(n.coordinates, 3);
  assert_int_equal(n.states, 8);
  assert_int_equal(n.algebraic, 6);
  assert_int_equal(n.discretes, 3);
  assert_int_equal(n.outputs, 8);
  dae_model_free(model);
}

static void test_loops(void **unused)
{
  (void)unused;
  /* T = sum m_i q_i'^2/2: the diagonal of M shows what was added */
  dae_model *model = load("model m\n"
                          "coord q[1..4]\n"
                          "param c = 100\n"
                          "for i in 1..4 {\n"
                          "  let c = i^2, v = q[i]'\n"
                          "  kinetic c*v^2/2\n"
                          "  for j in 1..i-1 { let c = 10*j; kinetic c*v^2/2 }\n"
                          "  let d = c + 1\n"
                          "  kinetic d*v^2/2000\n"
                          "}\n"
                          "for i in 3..2 { kinetic 1/0*q[i]'^2 }\n"
                          "kinetic c*q[1]'^2/2\n");
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  double M[16], zero[4] = {0};
  dae_mechanical_at at = {.q = zero, .v = zero};
  assert_non_null(p);
  assert_true(p->constant_mass);
  assert_int_equal(p->M(p->user, &at, M), 0);
  for (int i = 1; i <= 4; i++) {
    double expected = i * i + 5 * i * (i - 1) + (i * i + 1) * 0.001 + (i == 1 ? 100 : 0);
    assert_near(M[5 * (i - 1)], expected, "M");
  }
  dae_model_free(model);
}

/* ---- systems ---- */

static void test_systems(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "param N = 3, k = 2, x = 7\n"
                          "let twice(a) = 2*a + x\n"
                          "system S[n in 1..N] {\n"
                          "  param c = n^2 + k\n"
                          "  state x = c + n, y = if(n > 1, 1, 0)\n"
                          "  let back = x + 1\n"
                          "  x' = -x + twice(n)\n"
                          "  y' = S[max(n - 1, 1)].x + S[N].back\n"
                          "  output xs = x, fn = twice(n), cs = c, rate = x'\n"
                          "}\n"
                          "system T[2..3] { state z = i; z' = S[i].x; output q = i }\n"
                          "system U {\n"
                          "  param k = 5\n"
                          "  state x = k + S[2].x + V.w\n"
                          "  let f(a) = a + k\n"
                          "  x' = f(1)\n"
                          "  output own = x, f1 = f(1), far = S[2].c + T[3].z\n"
                          "}\n"
                          "system V { state w = k; w' = U.f(x) }\n"
                          "output outer = x + U.x + U.k + U.f(0) + sum(n in 1..N, S[n].x)\n");
  assert_near(output(model, "S[2].xs"), 8, "S[2].xs");
  assert_near(output(model, "S[3].fn"), 13, "S[3].fn");
  assert_near(output(model, "S[3].cs"), 11, "S[3].cs");
  assert_near(output(model, "S[1].rate"), -4 + 9, "S[1].rate");
  assert_near(start(model, "S[1].y"), 0, "S[1].y");
  assert_near(start(model, "S[3].y"), 1, "S[3].y");
  assert_near(output(model, "T[2].q"), 2, "T[2].q");
  assert_near(start(model, "U.x"), 5 + 8 + 2, "U.x");
  assert_near(output(model, "U.f1"), 6, "U.f1");
  assert_near(output(model, "U.far"), 6 + 3, "U.far");
  assert_near(output(model, "outer"), 7 + 15 + 5 + 5 + (4 + 8 + 14), "outer");
  assert_int_equal(dae_model_count(model).systems, 7);
  const dae_coupled *c = dae_model_problem(model)->coupled;
  assert_non_null(c);
  assert_int_equal(c->parts, 7);
  assert_string_equal(c->part[0].name, "S[1]");
  assert_string_equal(c->part[3].name, "T[2]");
  assert_string_equal(c->part[6].name, "V");
  dae_model_free(model);
}

/* the values of the wires of a part at the start; right sides with them */
static void test_wires(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "system A { coord q = 2 rate 3; kinetic q'^2/2; force q = B.z - B.u }\n"
                          "system B { state u = 5; alg z = 7; u' = 10*A.q + u; z = A.q }\n");
  const dae_coupled *c = dae_model_problem(model)->coupled;
  const dae_start from = dae_model_start(model);
  const double *y[] = {from.y, from.y + 2};
  double in[2][4] = {{0}};
  for (int i = 0; i < c->wires; i++)
    in[c->wire[i].part][c->wire[i].input] = y[c->wire[i].from.part][c->wire[i].from.variable];
  double f, F;
  const dae_mechanical *a = c->part[0].mechanical;
  dae_mechanical_at at_a = {.q = y[0], .v = y[0] + 1, .in = in[0]};
  assert_int_equal(a->nin, 2);
  assert_int_equal(a->f(a->user, &at_a, &f), 0);
  assert_near(f, 2, "f");
  const dae_semi_explicit *b = c->part[1].semi_explicit;
  dae_semi_explicit_at at_b = {.x = y[1], .y = y[1] + 1, .in = in[1]};
  assert_int_equal(b->nin, 1);
  assert_int_equal(b->f(b->user, &at_b, &f), 0);
  assert_int_equal(b->F(b->user, &at_b, &F), 0);
  assert_near(f, 25, "f");
  assert_near(fabs(F), 5, "F");
  dae_model_free(model);
}

static void test_a_model_beside_its_systems(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "state clock = 1\nclock' = A.x\n"
                          "coord q = 1 rate 2\nkinetic q'^2\n"
                          "system A { state x = 3; x' = clock + q }\n"
                          "output o = A.x + clock\n");
  assert_near(output(model, "o"), 4, "o");
  assert_near(start(model, "clock"), 1, "clock");
  assert_near(start(model, "A.x"), 3, "A.x");
  assert_int_equal(dae_model_problem(model)->coupled->parts, 2);
  dae_model_free(model);
}

/* ---- params from outside ---- */

static void test_params_can_be_set(void **unused)
{
  (void)unused;
  static const char text[] = "model m\n"
                             "param N = 2, a = 1, b = 10*a, c[1..N] = i, d[1..2, 1..2] = 10*i + j\n"
                             "state x[1..N] = i\nfor i in 1..N { x[i]' = c[i] }\n"
                             "system A { param k = a; state y = k; y' = 1 }\n"
                             "system S[n in 1..2] { param k = n, e[1..2] = i; state y = k; y' = 1\n"
                             "  output es = e[1] + 10*e[2] }\n"
                             "output o = b, cs = c[1] + 10*c[N], ds = d[1, 2] + 100*d[2, 2]\n";
  static const char *const set[] = {"N=4",           "a=2*pi - 1", " c[2] = 0.1",
                                    "c[4]=c[1] + a", "A.k=a + b",  "d[2,2]=sin(0)",
                                    "S[2].k=7",      "S.e[1]=9",   "S[1].e[2]=8"};
  dae_model *model = load_set(text, set, (int)(sizeof set / sizeof *set));
  const double a = 2 * 3.14159265358979323846 - 1;
  assert_int_equal(dae_model_count(model).states, 4 + 1 + 2);
  assert_near(output(model, "o"), 10 * a, "o");
  assert_near(output(model, "cs"), 1 + 10 * (1 + a), "cs");
  assert_near(output(model, "ds"), 12, "ds");
  assert_near(start(model, "A.y"), 11 * a, "A.y");
  assert_near(start(model, "S[1].y"), 1, "S[1].y");
  assert_near(start(model, "S[2].y"), 7, "S[2].y");
  assert_near(output(model, "S[1].es"), 9 + 80, "S[1].es");
  assert_near(output(model, "S[2].es"), 9 + 20, "S[2].es");
  dae_model_free(model);
}

static void test_all_elements_can_be_set(void **unused)
{
  (void)unused;
  static const char *const set[] = {"c=5", "c[2]=6", "N=3", "N=4"};
  dae_model *model = load_set("model m\nparam N = 1, c[1..N] = 1/(i - 1)\nstate x\nx' = 1\n"
                              "output o = sum(i in 1..N, 10^i*c[i])\n",
                              set, 4);
  assert_near(output(model, "o"), 50 + 600 + 5000 + 50000, "o");
  dae_model_free(model);
}

/* ---- start values ---- */

static void test_start_values(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "param L = 2\n"
                          "let r = x + y, v = x'\n"
                          "coord x = L*cos(t) rate -L*sin(t) fixed, y = z rate 2*v + x\n"
                          "kinetic x'^2 + y'^2\n"
                          "state z = w + 1, w = L fixed\n"
                          "alg a = r fixed, b\n"
                          "discrete m = a + z, d\n"
                          "z' = 1\nw' = 1\na = z\nb = z\n"
                          "simulate to 9 from 2*pi/L/6\n");
  const double t = 3.14159265358979323846 / 6, x = 2 * cos(t);
  static const char *const fixed[] = {"der(x)", "w", "a"};
  dae_start from = dae_model_start(model);
  assert_near(from.t, t, "t");
  assert_near(start(model, "x"), x, "x");
  assert_near(start(model, "der(x)"), -1, "der(x)");
  assert_near(start(model, "y"), 3, "y");
  assert_near(start(model, "der(y)"), -2 + x, "der(y)");
  assert_near(start(model, "z"), 3, "z");
  assert_near(start(model, "a"), x + 3, "a");
  assert_near(start(model, "b"), 0, "b");
  assert_near(start(model, "m"), x + 6, "m");
  assert_near(start(model, "d"), 0, "d");
  for (int i = 0; i < dae_problem_size(dae_model_problem(model)); i++) {
    bool expected = false;
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
      expected = expected || entry(model, fixed[k]) == i;
    assert_int_equal(from.fixed[i], expected);
  }
  dae_model_free(model);
}

static void test_fixed(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "coord a = 1 fixed, b = 1 fixed rate 2, c = 1 rate 2 fixed\n"
                          "coord d = 1 fixed rate 2 fixed, e[1..2] = i fixed, f fixed\n"
                          "kinetic a'^2 + b'^2 + c'^2 + d'^2 + e[1]'^2 + e[2]'^2 + f'^2\n");
  const bool *fixed = dae_model_start(model).fixed;
  static const char *const yes[] = {"a", "b", "der(c)", "d", "der(d)", "e[1]", "e[2]", "f"};
  static const char *const no[] = {"der(a)", "der(b)", "c", "der(e[1])", "der(f)"};
  for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
    assert_true(fixed[entry(model, yes[i])]);
  for (size_t i = 0; i < sizeof no / sizeof *no; i++)
    assert_false(fixed[entry(model, no[i])]);
  dae_model_free(model);
}

/* ---- mechanics ---- */

static void test_motion(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "param m = 2, g = 10, c = 3\n"
                          "coord x = 1 rate 4, phi = 0.5 rate -2\n"
                          "kinetic m*x'^2/2\nkinetic (1 + x^2)*phi'^2/2 + t*x'\n"
                          "potential m*g*x\npotential c*cos(phi)\n"
                          "force x = -c*x'\nforce phi = u*phi'\nforce x = 5\n"
                          "state u = 6\nu' = x*phi' - u\n");
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  const dae_start from = dae_model_start(model);
  dae_mechanical_at at = {.t = 0, .q = from.y, .v = from.y + 2, .u = from.y + 4};
  double M[4], f[2], s, T, V;
  assert_false(p->constant_mass);
  assert_int_equal(p->M(p->user, &at, M), 0);
  assert_int_equal(p->f(p->user, &at, f), 0);
  assert_int_equal(p->s(p->user, &at, &s), 0);
  assert_int_equal(p->energy(p->user, &at, &T, &V), 0);
  assert_near(M[0], 2, "M11");
  assert_near(M[1], 0, "M21");
  assert_near(M[2], 0, "M12");
  assert_near(M[3], 2, "M22");
  assert_near(f[0], 1 * 4 - 20 - 12 + 5 - 1, "f1"); /* T_x - V_x + forces - (t x')_x' */
  assert_near(f[1], 3 * sin(0.5) - 12 - 2 * 1 * 4 * -2, "f2");
  assert_near(s, -8, "s");
  assert_near(T, 16 + 4, "T");
  assert_near(V, 20 + 3 * cos(0.5), "V");
  dae_model_free(model);
}

static void test_constraints(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "coord x = 3 rate 1, y = 4 rate 2\n"
                          "kinetic x'^2 + y'^2\n"
                          "let r2 = x^2 + y^2, vx = x'\n"
                          "constraint rod: r2 = (1 + t)^2\n"
                          "constraint vx*y = y'*x + t\n"
                          "output o = lambda(rod)\n"
                          "simulate from 2 to 3\n");
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  const dae_start from = dae_model_start(model);
  dae_mechanical_at at = {.t = 2, .q = from.y, .v = from.y + 2};
  double g, G[2], g_t, gamma, k, K[2], kappa;
  assert_int_equal(p->ng, 1);
  assert_int_equal(p->nk, 1);
  assert_string_equal(p->g_names[0], "rod");
  assert_int_equal(p->g(p->user, &at, &g) | p->G(p->user, &at, G) | p->g_t(p->user, &at, &g_t), 0);
  assert_int_equal(p->gamma(p->user, &at, &gamma) | p->k(p->user, &at, &k), 0);
  assert_int_equal(p->K(p->user, &at, K) | p->kappa(p->user, &at, &kappa), 0);
  assert_near(g, 25 - 9, "g");
  assert_near(G[0], 6, "G1");
  assert_near(G[1], 8, "G2");
  assert_near(g_t, -6, "g_t");
  assert_near(gamma, 2 * (1 + 4) - 2, "gamma");
  assert_near(k, 4 - 6 - 2, "k");
  assert_near(K[0], 4, "K1");
  assert_near(K[1], -3, "K2");
  assert_near(kappa, 1 * 2 - 2 * 1 - 1, "kappa");
  dae_model_free(model);
}

/* coordinates without mass are determined by constraints */
static void test_coordinates_without_mass(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "coord x = 1, y = 1, z = 1, w = 1\n"
                          "kinetic x'^2\n"
                          "constraint y = x\nconstraint y + z = 2*x\nconstraint w' = z' - x\n");
  dae_model_counts n = dae_model_count(model);
  assert_int_equal(n.holonomic, 2);
  assert_int_equal(n.nonholonomic, 1);
  dae_model_free(model);
}

static void test_multipliers_by_their_labels(void **unused)
{
  (void)unused;
  dae_model *model =
      load("model m\n"
           "coord x[1..3], y\nfor i in 1..3 { kinetic x[i]'^2 }\nkinetic y'^2\n"
           "output o[1..2] = lambda(rod[i]), p = psi(roll) + psi(s[2,1]), far = lambda(A.rod)\n"
           "output h = lambda(hinge[2]) + 10*lambda(last)\n"
           "for i in 1..3 { constraint rod[i]: x[i] = i }\n"
           "constraint roll: x[1]' = y'\n"
           "for i in 2..2 { constraint s[i, i - 1]: y' = t }\n"
           "system A { coord z; kinetic z'^2; constraint rod: z = 0; output own = lambda(rod) }\n"
           "for i in 1..2 { joint hinge[i]: A.z = i*y }\njoint last: A.z = x[1]\n");
  dae_run_plan plan = plan_of(model);
  int size = dae_problem_extended_size(&plan.problem);
  double *y = calloc((size_t)size, sizeof *y), *out = outputs_of(&plan);
  for (int i = 0; i < size; i++)
    y[i] = i;
  assert_int_equal(plan.output(plan.output_user, 0, y, out), 0);
  const struct {
    const char *output, *column, *second;
    double factor;
  } table[] = {{"o[1]", "lambda(rod[1])", NULL, 0},           {"o[2]", "lambda(rod[2])", NULL, 0},
               {"p", "psi(roll)", "psi(s[2,1])", 1},          {"far", "lambda(A.rod)", NULL, 0},
               {"h", "lambda(hinge[2])", "lambda(last)", 10}, {"A.own", "lambda(A.rod)", NULL, 0}};
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    double expected = entry(model, table[k].column);
    if (table[k].second)
      expected += table[k].factor * entry(model, table[k].second);
    for (int i = 0; i < plan.outputs; i++)
      if (!strcmp(plan.output_names[i], table[k].output))
        assert_near(out[i], expected, table[k].output);
  }
  free(out);
  free(y);
  dae_model_free(model);
}

static void test_joints(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "system A { coord x = 2, y = 3; kinetic x'^2 + y'^2 }\n"
                          "system B { coord z = 5; kinetic z'^2 }\n"
                          "joint A.y*B.z = 7 + A.x^2\n"
                          "joint tie: A.x = sin(t)\n");
  const dae_coupled *c = dae_model_problem(model)->coupled;
  assert_int_equal(c->joints, 2);
  const dae_joint *j = &c->joint[0];
  const dae_start from = dae_model_start(model);
  const int first[] = {0, 4};
  double z[3], g, G[3];
  assert_int_equal(j->nz, 3);
  assert_true(j->time_free);
  for (int i = 0; i < 3; i++)
    z[i] = from.y[first[j->z[i].part] + j->z[i].variable];
  assert_int_equal(j->g(j->user, 0, z, &g) | j->G(j->user, 0, z, G), 0);
  assert_near(g, 15 - 11, "g");
  assert_near(G[0] + G[1] + G[2], -4 + 5 + 3, "G");
  assert_string_equal(c->joint[1].name, "tie");
  assert_false(c->joint[1].time_free);
  dae_model_free(model);
}

static void test_energies_in_outputs(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "system A { coord x = 2 rate 3; kinetic x'^2; potential x\n"
                          "  output e = kinetic + 10*potential }\n"
                          "system B { coord x = 4 rate 5; kinetic x'^2/5; potential 3*x\n"
                          "  output e = kinetic + 10*potential }\n"
                          "output T = kinetic, V = potential\n"
                          "event e: kinetic - 1\n");
  assert_near(output(model, "A.e"), 9 + 20, "A.e");
  assert_near(output(model, "B.e"), 5 + 120, "B.e");
  assert_near(output(model, "T"), 14, "T");
  assert_near(output(model, "V"), 14, "V");
  dae_model_free(model);
}

/* ---- first-order equations ---- */

static void test_explicit_equations(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nstate x = 2, y = 3\nalg z = 5, w = 7\n"
                          "x' = y*z\nx - w = z + t\nz*w = y\n-x = y'\n");
  const dae_semi_explicit *p = dae_model_problem(model)->semi_explicit;
  const dae_start from = dae_model_start(model);
  dae_semi_explicit_at at = {.t = 1, .x = from.y, .y = from.y + 2};
  double f[2], F[2], F_t[2];
  assert_int_equal(p->nx, 2);
  assert_int_equal(p->ny, 2);
  assert_null(p->M);
  assert_int_equal(p->f(p->user, &at, f) | p->F(p->user, &at, F) | p->F_t(p->user, &at, F_t), 0);
  assert_near(f[0], 15, "f1");
  assert_near(f[1], -2, "f2");
  assert_near(F[0], 2 - 7 - 6, "F1");
  assert_near(F[1], 35 - 3, "F2");
  assert_near(F_t[0], -1, "F_t");
  dae_model_free(model);
}

/* M x' - f, up to a factor -1 of each equation */
static void test_quasilinear_equations(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nparam c = 2\n"
                          "state u = 3, w = 4, v = 5\nalg z = 6\n"
                          "c*(u' - w') = -u + z\n"
                          "w*v' + u' = t\n"
                          "0 = u + w\n"
                          "z = v\n");
  const dae_semi_explicit *p = dae_model_problem(model)->semi_explicit;
  const dae_start from = dae_model_start(model);
  dae_semi_explicit_at at = {.t = 1, .x = from.y, .y = from.y + 3};
  double M[9], f[3], F;
  assert_int_equal(p->nx, 3);
  assert_int_equal(p->ny, 1);
  assert_false(p->constant_mass);
  assert_int_equal(p->M(p->user, &at, M) | p->f(p->user, &at, f) | p->F(p->user, &at, &F), 0);
  const double rows[3][4] = {{2, -2, 0, 3}, {1, 0, 4, 1}, {0, 0, 0, -7}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++)
      assert_near(M[i + 3 * j], rows[i][j], "M");
    assert_near(i < 2 ? f[i] : -fabs(f[i]), rows[i][3], "f");
  }
  assert_near(fabs(F), 1, "F");
  dae_model_free(model);
}

/* algebraic variables in M: the system is M(x) x' = f in all of them */
static void test_algebraic_variables_in_the_mass(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nstate u = 3\nalg z = 2\nz*u' = 5\nz = 7*u\n");
  const dae_semi_explicit *p = dae_model_problem(model)->semi_explicit;
  const dae_start from = dae_model_start(model);
  dae_semi_explicit_at at = {.x = from.y, .y = from.y + p->nx};
  double M[4], f[2];
  assert_int_equal(p->nx, 2);
  assert_int_equal(p->ny, 0);
  assert_int_equal(p->M(p->user, &at, M) | p->f(p->user, &at, f), 0);
  assert_near(M[0], 2, "M11");
  assert_near(fabs(M[1]) + fabs(M[2]) + fabs(M[3]), 0, "the rest of M");
  assert_near(f[0], 5, "f1");
  assert_near(fabs(f[1]), 19, "f2");
  assert_int_equal(dae_model_count(model).algebraic, 1);
  dae_model_free(model);
}

/* a variable that is the rate of a state, or follows from it */
static void test_rates_as_variables(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nstate x = 3\nalg a = 1, b = 1\na = x'\n2*x' = b\nx' = -5*x\n");
  const dae_semi_explicit *p = dae_model_problem(model)->semi_explicit;
  const dae_start from = dae_model_start(model);
  dae_semi_explicit_at at = {.x = from.y, .y = from.y + 1};
  double f, F[2];
  assert_int_equal(p->nx, 1);
  assert_int_equal(p->ny, 2);
  assert_int_equal(p->f(p->user, &at, &f) | p->F(p->user, &at, F), 0);
  assert_near(f, -15, "x'");
  assert_near(fabs(F[0]), 16, "a");
  assert_near(fabs(F[1]), 31, "b");
  dae_model_free(model);
}

/* c*u' = E with a number c gives the rate as u' = E does */
static void test_scaled_rates(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nparam L = 2, R = 3\n"
                          "coord q = 1 rate 5\nkinetic q'^2/2\nforce q = u\n"
                          "state u = 7, s = 1\nalg z = 11\n"
                          "L*u' + R*u + q' = z\n0 = u - s'/2\nz = 13*t\noutput o = u' + 100*s'\n");
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  const dae_start from = dae_model_start(model);
  dae_mechanical_at at = {.q = from.y, .v = from.y + 1, .u = from.y + 2, .w = from.y + 4};
  double s[2], c;
  assert_int_equal(p->nu, 2);
  assert_int_equal(p->nw, 1);
  assert_int_equal(p->s(p->user, &at, s) | p->c(p->user, &at, &c), 0);
  assert_near(s[0], (11 - 21 - 5) / 2., "u'");
  assert_near(s[1], 14, "s'");
  assert_near(fabs(c), 11, "c");
  assert_near(output(model, "o"), 1392.5, "o");
  dae_model_free(model);
}

/* in a mechanical system other states get algebraic variables for their rates, without a name */
static void test_quasilinear_states_beside_coordinates(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "coord q = 1 rate 5\nkinetic q'^2/2\nforce q = u\n"
                          "state u = 7, s = 2\nalg z = 11\n"
                          "u' + s' = z\nu' - s' = u*q'\nz = 13*t\n");
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  assert_int_equal(p->nu, 2);
  assert_int_equal(p->nw, 3);
  assert_int_equal(dae_model_count(model).algebraic, 1);
  assert_int_equal(dae_model_count(model).states, 2);
  const double y[] = {1, 5, 7, 2, 11, 17, 100}; /* the last ones stand for u' and s' */
  dae_mechanical_at at = {.t = 1, .q = y, .v = y + 1, .u = y + 2, .w = y + 4};
  double s[2], c[3];
  assert_int_equal(p->s(p->user, &at, s) | p->c(p->user, &at, c), 0);
  assert_near(s[0], 17, "u'");
  assert_near(s[1], 100, "s'");
  assert_near(fabs(c[0]), 117 - 11, "c1");
  assert_near(fabs(c[1]), 83 + 35, "c2");
  assert_near(fabs(c[2]), 2, "c3");
  assert_int_equal(plan_of(model).column_count, 5);
  dae_model_free(model);
}

/* ---- discretes and events ---- */

static void test_events(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "coord h = 3 rate -2, x = 1\nkinetic h'^2 + x'^2\n"
                          "state u = 5\nu' = -u\ndiscrete m = 7\nalg z = 1\nz = h\n"
                          "event bounce: h - t falling { h' = -h'; x = h + m; u = x; m = u + z }\n"
                          "event other: h*u\n"
                          "event last: m - 9 stop rising\n"
                          "for i in 1..2 { event level[i]: h - i { m = m + i } }\n"
                          "simulate to 1 from 0.5\n");
  dae_run_plan plan = plan_of(model);
  const dae_event *e = plan.events;
  static const char *const names[] = {"bounce", "other", "last", "level[1]", "level[2]"};
  assert_int_equal(plan.event_count, 5);
  for (int i = 0; i < 5; i++)
    assert_string_equal(e[i].name, names[i]);
  assert_int_equal(e[0].direction, -1);
  assert_int_equal(e[1].direction, 0);
  assert_int_equal(e[2].direction, 1);
  assert_true(e[2].stop && !e[0].stop && !e[1].stop);
  assert_true(e[0].action && !e[1].action && !e[2].action);
  int size = dae_problem_extended_size(&plan.problem);
  double *after = calloc((size_t)size, sizeof *after), *dy = calloc((size_t)size, sizeof *dy);
  double value, rate;
  memcpy(after, plan.start.y, (size_t)size * sizeof *after);
  dy[entry(model, "h")] = -2;
  dy[entry(model, "u")] = -5;
  assert_int_equal(e[0].value(e[0].user, 0.5, plan.start.y, &value), 0);
  assert_near(value, 2.5, "h - t");
  assert_int_equal(e[0].rate(e[0].user, 0.5, plan.start.y, dy, &rate), 0);
  assert_near(rate, -3, "(h - t)'");
  assert_int_equal(e[1].rate(e[1].user, 0.5, plan.start.y, dy, &rate), 0);
  assert_near(rate, -25, "(h u)'");
  /* all are computed from the values before */
  assert_int_equal(e[0].action(e[0].user, 0.5, plan.start.y, after), 0);
  assert_near(after[entry(model, "der(h)")], 2, "h'");
  assert_near(after[entry(model, "h")], 3, "h");
  assert_near(after[entry(model, "x")], 10, "x");
  assert_near(after[entry(model, "u")], 1, "u");
  assert_near(after[entry(model, "m")], 6, "m");
  free(dy);
  free(after);
  dae_model_free(model);
}

static void test_events_in_systems(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\n"
                          "system S[k in 1..2] { discrete m = k; state x = m; x' = -m*x\n"
                          "  event low: x - k/2 falling { m = 0 } }\n"
                          "event all: S[1].x + S[2].x - 1 { S[1].x = S[2].m; S[2].x = 4 }\n");
  dae_run_plan plan = plan_of(model);
  int size = dae_problem_extended_size(&plan.problem);
  double *after = calloc((size_t)size, sizeof *after), value;
  int all = -1;
  for (int i = 0; i < plan.event_count; i++)
    if (!strcmp(plan.events[i].name, "all"))
      all = i;
    else
      assert_non_null(strstr("S[1].low S[2].low", plan.events[i].name));
  assert_int_equal(plan.event_count, 3);
  assert_in_range(all, 0, 2);
  const dae_event *e = &plan.events[all];
  assert_int_equal(e->value(e->user, 0, plan.start.y, &value), 0);
  assert_near(value, 2, "all");
  assert_int_equal(e->action(e->user, 0, plan.start.y, after), 0);
  assert_near(after[entry(model, "S[1].x")], 2, "S[1].x");
  assert_near(after[entry(model, "S[2].x")], 4, "S[2].x");
  free(after);
  dae_model_free(model);
}

/* a discrete variable is a held value, no unknown */
static void test_discretes(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nstate x = 1\ndiscrete d = 3\nx' = -d*x\n");
  const dae_semi_explicit *p = dae_model_problem(model)->semi_explicit;
  const dae_start from = dae_model_start(model);
  const dae_held *held = &dae_model_problem(model)->held;
  dae_semi_explicit_at at = {.x = from.y};
  double f;
  assert_int_equal(p->nx, 1);
  assert_int_equal(held->count, 1);
  assert_string_equal(held->names[0], "d");
  assert_near(from.held[0], 3, "d");
  for (int k = 3; k < 5; k++) {
    held->value[0] = k;
    assert_int_equal(p->f(p->user, &at, &f), 0);
    assert_near(f, -k, "x'");
  }
  assert_int_equal(dae_model_count(model).discretes, 1);
  dae_model_free(model);
}

/* ---- columns ---- */

static void check_columns(const char *text, const char *const *names, int count)
{
  dae_model *model = load(text);
  dae_run_plan plan = plan_of(model);
  int size = dae_problem_extended_size(&plan.problem);
  bool *seen = calloc((size_t)size, sizeof *seen);
  assert_int_equal(plan.column_count, count);
  for (int i = 0; i < count; i++) {
    assert_string_equal(plan.columns[i].name, names[i]);
    assert_in_range(plan.columns[i].entry, 0, size - 1);
    assert_false(seen[plan.columns[i].entry]);
    seen[plan.columns[i].entry] = true;
  }
  free(seen);
  dae_model_free(model);
}

static void test_columns(void **unused)
{
  (void)unused;
  static const char *const one[] = {"u",         "q[1]",      "q[2]",      "z",
                                    "m",         "r",         "v",         "der(q[1])",
                                    "der(q[2])", "der(r)",    "lambda[1]", "lambda(rod[2])",
                                    "lambda[2]", "psi(roll)", "psi[1]"};
  check_columns("model m\n"
                "state u\ncoord q[1..2]\nalg z\ndiscrete m\ncoord r\nstate v\n"
                "for i in 1..2 { kinetic q[i]'^2 }\nkinetic r'^2\n"
                "u' = 1\nv' = 2\nz = u\n"
                "constraint q[1] = 0\nconstraint rod[2]: q[2] = 0\n"
                "constraint roll: q[1]' = 0\nconstraint q[2]' = 0\nconstraint r = 0\n",
                one, (int)(sizeof one / sizeof *one));
  static const char *const many[] = {"A.x",         "A.u",          "S[1].x",      "S[2].x",
                                     "der(A.x)",    "der(S[1].x)",  "der(S[2].x)", "lambda(A.rod)",
                                     "A.lambda[1]", "A.psi[1]",     "S[1].psi[1]", "S[2].psi[1]",
                                     "lambda[1]",   "lambda(hinge)"};
  check_columns("model m\n"
                "joint A.x = S[1].x\n"
                "system A { coord x; state u; u' = x; kinetic x'^2; constraint rod: x = 0\n"
                "  constraint 2*x = 0; constraint x' = 0 }\n"
                "system S[k in 1..2] { coord x; kinetic x'^2; constraint k*x' = 0 }\n"
                "joint hinge: A.x = S[2].x\n",
                many, (int)(sizeof many / sizeof *many));
}

/* those of the model, then those of its systems */
static void test_outputs_come_in_order(void **unused)
{
  (void)unused;
  static const char *const names[] = {"b", "a[1]", "a[2]", "d", "A.c"};
  dae_model *model = load("model m\noutput b = 1, a[1..2] = i\n"
                          "system A { state x; x' = 1; output c = x + 4 }\n"
                          "output d = b + a[2] + A.c\n");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(plan.outputs, 5);
  for (int i = 0; i < 5; i++)
    assert_string_equal(plan.output_names[i], names[i]);
  assert_near(output(model, "d"), 7, "d");
  dae_model_free(model);
}

/* ---- settings, drawings ---- */

static void assert_setting(const dae_model_setting *s, const char *system, const char *name,
                           const char *text, double value)
{
  assert_non_null(s);
  assert_string_equal(s->name, name);
  if (system)
    assert_string_equal(s->system, system);
  else
    assert_null(s->system);
  if (text)
    assert_string_equal(s->text, text);
  if (isnan(value))
    assert_true(isnan(s->value));
  else
    assert_near(s->value, value, name);
}

static double atol_of(const dae_model *model, const char *column)
{
  return dae_model_problem(model)->atol[entry(model, column)];
}

static void test_absolute_tolerances_of_variables(void **unused)
{
  (void)unused;
  dae_model *model = load("model m\nparam small = 1e-12\n"
                          "coord x = 1 atol small, y = 2 rate 3 fixed atol 1e-10 atol 1e-9\n"
                          "coord z atol 1e-8 fixed rate 1 atol 1e-7, free = 1\n"
                          "kinetic x'^2 + y'^2 + z'^2 + free'^2\n"
                          "state u[k in 1..2] = k atol k*small\nfor k in 1..2 { u[k]' = -u[k] }\n"
                          "alg a = 0 atol 2*small\na = x\n");
  assert_true(atol_of(model, "x") == 1e-12 && atol_of(model, "der(x)") == 1e-12);
  assert_true(atol_of(model, "y") == 1e-10 && atol_of(model, "der(y)") == 1e-9);
  assert_true(atol_of(model, "z") == 1e-8 && atol_of(model, "der(z)") == 1e-7);
  assert_true(atol_of(model, "free") == 0 && atol_of(model, "der(free)") == 0);
  assert_true(atol_of(model, "u[1]") == 1e-12 && atol_of(model, "u[2]") == 2e-12);
  assert_true(atol_of(model, "a") == 2e-12);
  assert_near(start(model, "der(y)"), 3, "der(y)");
  dae_model_free(model);
  model = load("model m\nsystem S[k in 1..2] { state x = 1 atol k*1e-9\n x' = -x }\n");
  assert_true(atol_of(model, "S[1].x") == 1e-9 && atol_of(model, "S[2].x") == 2e-9);
  dae_model_free(model);
  model = load("model m\nstate x = 1\nx' = -x\n");
  assert_null(dae_model_problem(model)->atol);
  dae_model_free(model);
}

static void test_settings(void **unused)
{
  (void)unused;
  const dae_model_setting *s;
  dae_model *model = load("model m\nparam T = 5\n"
                          "system S[k in 1..2] { state x; x' = 1; method bdf-ggl; step 0.1*k }\n"
                          "system B { state x; x' = 1; atol 1e-9\n rtol 1/10^6 }\n"
                          "simulate from -1 to 2*T rtol 1e-6 method gauss-seidel-2 window T/50,\n"
                          "  output every 0.05 order 3 update frozen\n");
  assert_int_equal(dae_model_settings(model, &s), 14);
  assert_setting(&s[0], NULL, "from", "-1", -1);
  assert_setting(&s[1], NULL, "to", "10", 10);
  assert_setting(&s[2], NULL, "rtol", "1e-06", 1e-6);
  assert_setting(&s[3], NULL, "method", "gauss-seidel-2", NAN);
  assert_setting(&s[4], NULL, "window", "0.1", 0.1);
  assert_setting(&s[5], NULL, "every", "0.05", 0.05);
  assert_setting(&s[6], NULL, "order", "3", 3);
  assert_setting(&s[7], NULL, "update", "frozen", NAN);
  assert_setting(&s[8], "S[1]", "method", "bdf-ggl", NAN);
  assert_setting(&s[9], "S[1]", "step", NULL, 0.1);
  assert_setting(&s[11], "S[2]", "step", NULL, 0.2);
  assert_setting(&s[12], "B", "atol", NULL, 1e-9);
  assert_setting(&s[13], "B", "rtol", NULL, 1e-6);
  assert_ptr_equal(dae_model_find_setting(model, "to"), &s[1]);
  assert_null(dae_model_find_setting(model, "step"));
  dae_run_plan plan = plan_of(model);
  assert_near(plan.to, 10, "to");
  assert_near(plan.every, 0.05, "every");
  assert_near(plan.start.t, -1, "from");
  dae_error err;
  assert_int_equal(dae_model_fail(model, s[6].place, "no such order", &err), DAE_ERROR_MODEL);
  assert_int_equal(err.line, 7);
  assert_int_equal(err.column, 21);
  assert_string_equal(err.text, "no such order");
  dae_model_free(model);
}

static void test_no_settings(void **unused)
{
  (void)unused;
  const dae_model_setting *s;
  dae_model *model = load("model m\nstate x\nx' = 1");
  dae_run_plan plan = plan_of(model);
  assert_int_equal(dae_model_settings(model, &s), 0);
  assert_null(dae_model_find_setting(model, "to"));
  assert_true(isnan(plan.to) && isnan(plan.every)); /* left alone */
  assert_near(plan.start.t, 0, "t");
  dae_model_free(model);
}

static void test_drawings(void **unused)
{
  (void)unused;
  dae_model_free(load("model m\ncoord x[1..2] = i\nfor i in 1..2 { kinetic x[i]'^2 }\n"
                      "constraint rod: x[1] = 1\nstate u\nu' = x[1]\n"
                      "draw line (0, 0) (x[1], x[2])\ndraw line (0,0)(1,1) (x[1], lambda(rod))\n"
                      "draw point (x[1], x[2]') \"a label\"\ndraw point (u', kinetic)\n"
                      "draw circle (0, x[1]) radius 2*x[2]\n"
                      "for i in 1..2 { draw circle (x[i], 0) radius 1 \"disc\" }\n"));
  dae_model_free(load("model m\nsystem A { state x; x' = 1; draw point (x, A.x) }\n"
                      "draw line (A.x, 0) (0, A.x)"));
}

/* ---- imports ---- */

static char folder[64];

static void path_of(const char *name, char *path, size_t size)
{
  snprintf(path, size, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text)
{
  char path[256];
  path_of(name, path, sizeof path);
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(text, 1, strlen(text), out), strlen(text));
  assert_int_equal(fclose(out), 0);
}

static int make_folder(void **unused)
{
  (void)unused;
  char path[256];
  strcpy(folder, "/tmp/daedal_import_XXXXXX");
  if (!mkdtemp(folder))
    return -1;
  path_of("parts", path, sizeof path);
  return mkdir(path, 0700);
}

static int remove_folder(void **unused)
{
  (void)unused;
  static const char *const names[] = {"main.dae", "common.dae", "parts/a.dae", "parts/b.dae"};
  char path[256];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    path_of(names[i], path, sizeof path);
    unlink(path);
  }
  path_of("parts", path, sizeof path);
  return rmdir(path) || rmdir(folder);
}

static void test_imports(void **unused)
{
  (void)unused;
  char path[256];
  dae_error err;
  dae_model *model = NULL;
  write_file("main.dae", "model main\nimport \"parts/a.dae\"; import \"common.dae\"\n"
                         "import \"./parts/../common.dae\"\n"
                         "system B { state y = a + c; y' = area(y) }\n"
                         "output o = A.x + B.y + area(1)\nsimulate to 3\n");
  write_file("common.dae", "model common \"ignored\"\nparam c = 2\nsimulate to 99 rtol 1\n");
  write_file("parts/a.dae", "import \"b.dae\"\nimport \"../common.dae\"\n"
                            "param a = 10*c\nsystem A { state x = a\n x' = -x\n output s = x }");
  write_file("parts/b.dae", "# a comment\n\nlet area(r) = c*r^2\n");
  path_of("main.dae", path, sizeof path);
  if (dae_model_load(path, NULL, NULL, &model, &err))
    fail_msg("%s:%d:%d: %s", err.file, err.line, err.column, err.text);
  assert_string_equal(dae_model_name(model), "main");
  assert_string_equal(dae_model_title(model), "");
  assert_near(output(model, "o"), 20 + 22 + 2, "o");
  assert_near(output(model, "A.s"), 20, "A.s");
  assert_near(plan_of(model).to, 3, "to");
  dae_model_free(model);
}

/* ---- errors of a run ---- */

static void test_errors_are_located(void **unused)
{
  (void)unused;
  static const struct {
    const char *equation;
    int line, column;
  } table[] = {{"x", 2, 7},      {"der(x)", 2, 7},        {"lambda(rod)", 5, 1},
               {"line 6", 6, 1}, {"equation of u", 3, 7}, {"constraint rod", 5, 1},
               {"A.y", 8, 18},   {"nothing", 0, 0},       {"", 0, 0}};
  dae_model *model = load("model m\ncoord x\nstate u\nkinetic x'^2\nconstraint rod: x = 1\n"
                          "constraint x' = 0\nu' = x\nsystem A { state y; y' = x }\n");
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    dae_error err = dae_error_none();
    snprintf(err.equation, sizeof err.equation, "%s", table[i].equation);
    dae_model_locate(model, &err);
    if (err.line != table[i].line || err.column != table[i].column)
      fail_msg("%s: %d:%d", table[i].equation, err.line, err.column);
  }
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_precedence),
      cmocka_unit_test(test_functions),
      cmocka_unit_test(test_where_statements_end),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_words_that_may_be_names),
      cmocka_unit_test(test_any_order_of_declarations),
      cmocka_unit_test(test_lets),
      cmocka_unit_test(test_rates_of_lets),
      cmocka_unit_test(test_arrays),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_systems),
      cmocka_unit_test(test_wires),
      cmocka_unit_test(test_a_model_beside_its_systems),
      cmocka_unit_test(test_params_can_be_set),
      cmocka_unit_test(test_all_elements_can_be_set),
      cmocka_unit_test(test_start_values),
      cmocka_unit_test(test_fixed),
      cmocka_unit_test(test_motion),
      cmocka_unit_test(test_constraints),
      cmocka_unit_test(test_coordinates_without_mass),
      cmocka_unit_test(test_multipliers_by_their_labels),
      cmocka_unit_test(test_joints),
      cmocka_unit_test(test_energies_in_outputs),
      cmocka_unit_test(test_explicit_equations),
      cmocka_unit_test(test_quasilinear_equations),
      cmocka_unit_test(test_algebraic_variables_in_the_mass),
      cmocka_unit_test(test_rates_as_variables),
      cmocka_unit_test(test_scaled_rates),
      cmocka_unit_test(test_quasilinear_states_beside_coordinates),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_events_in_systems),
      cmocka_unit_test(test_discretes),
      cmocka_unit_test(test_columns),
      cmocka_unit_test(test_outputs_come_in_order),
      cmocka_unit_test(test_absolute_tolerances_of_variables),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_no_settings),
      cmocka_unit_test(test_drawings),
      cmocka_unit_test_setup_teardown(test_imports, make_folder, remove_folder),
      cmocka_unit_test(test_errors_are_located),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
