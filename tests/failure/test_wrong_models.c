/* Wrong models are refused with the place of the mistake, the line itself, and what would be right.
 *
 * Each entry is a model without its first line, which is "model m", the line and column that the
 * message names, and words that stand in it. The line and the place of the caret are worked out
 * from the text a second time. */
#include "counting_env.h"
#include "refusal.h"

static void check_wrong(const wrong *w)
{
  char text[4096];
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_error err;
  dae_model *model = NULL;
  int length = snprintf(text, sizeof text, HEAD "%s", w->text);
  assert_in_range(length, 1, (int)sizeof text - 1);
  dae_status status = dae_model_parse("wrong.dae", text, (size_t)length, NULL, &env, &model, &err);
  if (status != DAE_ERROR_MODEL || err.status != status || model)
    complain(text, "it is not refused as a model", &err);
  else
    check_error(text, "wrong.dae", w, &err);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void check_table(const wrong *table, size_t size)
{
  failures = 0;
  for (size_t i = 0; i < size; i++)
    check_wrong(&table[i]);
  assert_int_equal(failures, 0);
}

#define CHECK(table) check_table(table, sizeof table / sizeof *table)

/* ---- characters, numbers, strings ---- */

static void test_characters(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x\nx' = 1.5x", 3, 9, "write * between factors"},
      {"state x\nx' = 3e", 3, 7, "write * between factors"},
      {"state x\nx' = 1e999", 3, 6, "overflows double precision"},
      {"param a = 1234567890123456789012345678901234567890123456789012345678901234", 2, 11,
       "more than 63 characters"},
      {"state x\nx' = if(x > 0 & x < 1, 1, 2)", 3, 15, "write &&"},
      {"state x\nx' = if(x > 0 | x < 1, 1, 2)", 3, 15, "write ||"},
      {"state x\nx' = 1 $ 2", 3, 8, "unexpected character $"},
      {"state x\nx' = 5 % 2", 3, 8, "mod(a, b)"},
      {"state x\nx' = 1 \001 2", 3, 8, "control character (code 1)"},
      {"state x\n\x7Fx' = 1", 3, 1, "control character (code 127)"},
      {"state _x", 2, 7, "a name must start with a letter"},
      {"draw point (0, 0) \"bob\nstate x", 2, 19, "a \" is missing"},
      {"state größe\nü' = 1 $ 2", 3, 8, "unexpected character $"},
      {"state x\r\nx' = 1 $ 2\r\n", 3, 8, "unexpected character $"},
      {"state x\r\nx' = \r\n", 4, 1, "expected an expression"},
      {"state x\r\nx + 1\r\n", 3, 6, "expected ="},
  };
  CHECK(table);
}

/* ---- impacts, contacts, constraints that switch ---- */

#define CONTACT "coord x = 1, y = 1\nkinetic (x'^2 + y'^2)/2\ndiscrete n = 0\n"

static void test_contacts(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {CONTACT "impact floor y", 5, 1, "an impact needs a name"},
      {CONTACT "impact floor: 3", 5, 15, "the gap contains no coordinate"},
      {CONTACT "impact floor: y'", 5, 15, "may depend on t and coordinates"},
      {CONTACT "impact floor: y + n", 5, 17, "not on n"},
      {CONTACT "impact floor: y restitution 1.5", 5, 29, "between 0 and 1"},
      {CONTACT "impact floor: y restitution 0.5 restitution 0.6", 5, 33, "given once"},
      {CONTACT "impact floor: y friction -1 along x", 5, 26, "not negative"},
      {CONTACT "impact floor: y friction 0.2", 5, 17, "along a sliding coordinate"},
      {CONTACT "impact floor: y along x", 5, 17, "along without friction"},
      {CONTACT "impact floor: y friction 0.2 along (x, y, x)", 5, 36, "two in space"},
      {CONTACT "impact floor: y { y' = 1 }", 5, 19, "sets the velocities itself"},
      {CONTACT "contact floor: y", 5, 16, "contact floor: y >= 0"},
      {CONTACT "contact floor: y > 0", 5, 18, "contact floor: y >= 0"},
      {CONTACT "contact floor: n >= 0", 5, 18, "not on n"},
      {CONTACT "contact floor: y >= 0 friction 0.2", 5, 23, "along a sliding coordinate"},
      {CONTACT "contact floor: y >= 0 along x", 5, 23, "along without friction"},
      {CONTACT "contact floor: y >= 0 friction 0.2 along (x, y)", 5, 42, "not supported yet"},
      {CONTACT "contact floor: y >= 0 friction 0.2 along x'", 5, 42,
       "may depend on t and coordinates"},
      {CONTACT "state s = 1\ns' = 0\ncontact floor: y >= 0 friction s along x", 7, 32, "not on s"},
      {CONTACT "contact floor: y >= 0 friction 0.3 static 0.2 along x", 5, 43,
       "at least the friction"},
      {CONTACT "contact floor: y >= 0 static 0.2", 5, 23, "contact with friction"},
      {CONTACT "impact floor: y friction 0.1 static 0.2 along x", 5, 30, "contact with friction"},
      {CONTACT "constraint c: y = 1 acts x", 5, 26, "acts (x: E, y: E), or acts along s"},
      {CONTACT "constraint c: y = 1 acts (n: 1)", 5, 27, "a coordinate of its own system"},
      {CONTACT "constraint c: y = 1 acts (x 1)", 5, 29, "after the coordinate"},
      {CONTACT "constraint c: y = 1 acts along n", 5, 21, "not on n"},
      {CONTACT "constraint c: y = 1 acts along 2", 5, 32, "contains no coordinate"},
      {CONTACT "constraint c: y = 1\nforce x = lambda(c)^2", 6, 1, "linearly"},
      {CONTACT "constraint c: y = 1\nforce x = lambda(d)", 6, 18, "no constraint has the label d"},
      {CONTACT "contact floor: y >= 0 { x = 2 }", 5, 25, "sets the velocities itself"},
      {CONTACT "contct floor: y >= 0", 5, 1, "did you mean contact?"},
      {CONTACT "constraint c when x > 0: y = 1", 5, 21, "t, params and discretes"},
      {CONTACT "constraint c when n == 1 y = 1", 5, 26, "after the condition"},
  };
  CHECK(table);
}

/* ---- signs and words where others are expected ---- */

static void test_syntax(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"cooord x = 1", 2, 1, "unknown statement cooord; did you mean coord?"},
      {"Kinetik x'^2", 2, 1, "did you mean kinetic?"},
      {"frobnicate x", 2, 1, "an equation A = B"},
      {"state x\nx + 1", 3, 6, "expected ="},
      {"state x\nx' == 1", 3, 4, "one ="},
      {"coord x\nkinetic x'^2\nconstraint x == 1", 4, 14, "one ="},
      {"coord x\nkinetic x'^2\nconstraint x", 4, 13, "A = B"},
      {"state x = \nx' = 1", 3, 4, "the end of the statement, found ="},
      {"state x\nx' = ", 3, 6, "expected an expression, found the end of the file"},
      {"state x\nx' = 1)", 3, 7, "found )"},
      {"state x\nx' = 1]", 3, 7, "found ]"},
      {"state x\nx' = 1\n}", 4, 1, "}"},
      {"state x\nx' = +1", 3, 6, "leave it out"},
      {"state x\nx' = 2 */ 3", 3, 9, "expected an expression, found /"},
      {"state x\nx' = x ** 2", 3, 9, "a power is written with ^"},
      {"coord x 1", 2, 9, "expected = before the start value"},
      {"state x\nx' = 2 x", 3, 8, "* between factors"},
      {"param a", 2, 8, "expected = and its value"},
      {"let a", 2, 6, "expected = and its value"},
      {"param p[1..2 = 3", 2, 14, "expected ]"},
      {"param p[1, 2] = 3", 2, 10, "1..N"},
      {"param p[2] = 3", 2, 10, "1..N"},
      {"param p[1..2, 1..2, 1..2, 1..2] = 3", 2, 27, "one to three indices"},
      {"param p[k of 1..2] = 3", 2, 11, "[k in 1..N]"},
      {"param p[] = 3", 2, 9, "expected an expression"},
      {"state x[1..2]\nx[]' = 1", 3, 1, "index of x is missing"},
      {"let f(a = 1", 2, 9, "expected ) after the arguments"},
      {"let f() = 1", 2, 7, "the name of an argument"},
      {"let f(a, a) = 1", 2, 10, "duplicate argument a of f"},
      {"for i = 1..2 { }", 2, 7, "for i in 1..N"},
      {"for 3 in 1..2 { }", 2, 5, "for i in 1..N"},
      {"for i in 1 { }", 2, 12, "1..N"},
      {"for i in 1..2\nstate x", 2, 14, "expected {"},
      {"system A\n{ }", 2, 9, "expected {"},
      {"system 1", 2, 8, "the name of a system"},
      {"system A[1..2, 1..2] { }", 2, 16, "one index"},
      {"state x\nx' = sum(x)", 3, 11, "sum(i in 1..N, E)"},
      {"state x\nx' = sum(i = 1..2, 1)", 3, 12, "sum(i in 1..N, E)"},
      {"state x\nx' = sum(i in 1..2)", 3, 19, "after the range of the sum"},
      {"state x\nx' = sum(i in 1, x)", 3, 16, "between the ends of the range"},
      {"state x\nx' = sum(i in 1..2, x", 3, 22, "end of the sum"},
      {"state x\nx' = sum(3, x)", 3, 10, "sum(i in 1..N, E)"},
      {"state x\nx' = sin(x", 3, 11, "expected )"},
      {"import parts", 2, 8, "import \"parts.dae\""},
      {"system A { import \"p.dae\"; state x; x' = 1 }", 2, 12, "outside of systems"},
      {"state x\nx' = 1\n  + 2", 4, 3, "put the operator at its end"},
      {"coord x\nkinetic = x'^2", 3, 9, "unexpected = after an energy"},
      {"coord x\nkinetic x'^2\nconstraint rod x = 2", 4, 16, "missing colon after the label"},
      {"state x\nx' = 1\nevent e: x {x = 0} stop", 4, 20, "must precede the {"},
      {"system A { coord x; kinetic x'^2; constraint rod: x = 1 }\noutput o = A.lambda(rod)", 3, 12,
       "lambda(A.rod)"},
      {"state x\nx' = 1\n  * 2", 4, 3, "put the operator at its end"},
      {"state x\nx' = 1\nlet f(a) = nobody*a", 4, 12, "unknown name nobody"},
      {"state x\nx' = 1\nlet f(a) = sum(k in 1..k, a)", 4, 24, "unknown name k"},
      {"coord x\nkinetic x'^2\nconstraint r[1,2,3,4]: x = 1", 4, 12, "one to three indices"},
      {"draw square (0, 0)", 2, 6, "line, point, circle, sphere, spring"},
      {"draw line (0, 0)", 2, 1, "at least two points"},
      {"draw point (0, 0, 1, 2)", 2, 12, "two or three components"},
      {"state x\nx' = 1\ndraw point x", 4, 12, "(E, E)"},
      {"draw point 0, 0", 2, 12, "(E, E)"},
      {"draw circle (0, 0)", 2, 19, "radius E"},
      {"state x\nx' = 1\nevent x - 1", 4, 1, "event bounce: E"},
      {"state x\nx' = 1\nevent 3: x - 1", 4, 7, "a label must be a name"},
      {"state x\nx' = 1\nevent e: x rising falling", 4, 19, "leave both out"},
      {"coord x\nkinetic x'^2\nconstraint x': x = 1", 4, 12, "a label must be a name"},
      {"coord x\nkinetic x'^2\nforce x' = 1", 4, 7, "force x = E"},
      {"coord x\nkinetic x'^2\nforce 2*x = 1", 4, 8, "force x = E"},
      {"coord x\nkinetic x'^2\nforce x 1", 4, 9, "force x = E"},
      {"coord x' = 1", 2, 8, "rate 2"},
      {"coord x = 1 rate 2 rate 3", 2, 20, "duplicate start rate of x"},
      {"state x = 1 rate 2", 2, 13, "only a coord has a start rate"},
      {"param a = 1 fixed", 2, 13, "coord, state and alg only"},
      {"discrete a = 1 fixed", 2, 16, "coord, state and alg only"},
      {"param a = 1 atol 1e-9", 2, 13, "atol applies to coord, state and alg only"},
      {"discrete a = 1 atol 1e-9", 2, 16, "atol applies to coord, state and alg only"},
      {"let a = 1 atol 1e-9", 2, 11, "atol applies to coord, state and alg only"},
      {"state u = 1 atol -1e-9\nu' = 1", 2, 18,
       "the absolute tolerance -1e-09 of u is not positive"},
      {"state u = 1\n  atol 0\nu' = 1", 3, 3, "inside a system"},
      {"coord x[1..3] atol 2 - i\nkinetic sum(i in 1..3, x[i]'^2)", 2, 22,
       "the absolute tolerance 0 of x[2] is not positive"},
      {"coord x = 1 atol x\nkinetic x'^2", 2, 18, "constant"},
      {"coord x = 1 atol 1/0\nkinetic x'^2", 2, 19, "an absolute tolerance is not a finite number"},
      {"coord x = 1 atol\nkinetic x'^2", 2, 17, "expression"},
      {"state u = 1 atol 1 atol 2\nu' = 1", 2, 20, "duplicate atol of u"},
      {"coord x = 1 atol 1 rate 0 atol 2 atol 3\nkinetic x'^2", 2, 34, "duplicate atol of x"},
      {"system A { state x; x' = 1 }\nsystem B { state y; y' = A.x.y }", 3, 30, "no component y"},
      {"system A { state x; x' = 1 }\nsystem B { state y; y' = A(1).x }", 3, 26, "found a call"},
  };
  CHECK(table);
}

/* ---- brackets and blocks that are not closed: the message says which ---- */

static void test_unclosed(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x = (1 + 2\nx' = 1", 3, 1, "line 2"},
      {"state x[1..2\nx' = 1", 3, 1, "expected ]"},
      {"state x\nx' = sin(x\nsimulate to 1", 4, 1, "line 3"},
      {"system A {\n  state x\n  x' = 1", 2, 10, "a } is missing"},
      {"for i in 1..2 {", 2, 15, "a } is missing"},
      {"state x\nx' = 1\nevent e: x {", 4, 12, "a } is missing"},
  };
  CHECK(table);
}

/* ---- names ---- */

static void test_unknown_names(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"coord pos = 1\nkinetic pso'^2", 3, 9, "unknown name pso; did you mean pos?"},
      {"state x = 1\nx' = -xx", 3, 7, "did you mean x?"},
      {"state length\nlength' = lenght[1]", 3, 11, "did you mean length?"},
      {"state x\nx' = velocity", 3, 6, "declare it with param, let, coord, state or alg"},
      {"state x\nx' = sine(x)", 3, 6, "unknown function sine; did you mean sin?"},
      {"state x\nlet area(r) = pi*r^2\nx' = aera(x)", 4, 6, "did you mean area?"},
      {"state x\nx' = f(x)", 3, 6, "unknown function f"},
      {"let a = b\nstate x\nx' = 1", 2, 9, "unknown name b"},
      {"param a = b", 2, 11, "unknown name b"},
      {"state x = b\nx' = 1", 2, 11, "unknown name b"},
      {"coord x rate b\nkinetic x'^2", 2, 14, "unknown name b"},
      {"state x\nx' = 1\noutput o = b", 4, 12, "unknown name b"},
      {"state x\nx' = 1\nevent e: b", 4, 10, "unknown name b"},
      {"state x\nx' = 1\nevent e: x { b = 1 }", 4, 14, "unknown name b"},
      {"state x\nx' = 1\nsimulate to 2*b", 4, 15, "unknown name b"},
      {"state x\nx' = 1\nsimulate to b", 4, 13, "b"},
      {"state x\nx' = 1\ndraw circle (0, 0) radius b", 4, 27, "unknown name b"},
      {"state x\nx' = 1\nfor i in 1..b { }", 4, 13, "unknown name b"},
      {"state x\nx' = sum(i in 1..2, x*j)", 3, 23, "unknown name j"},
      {"coord x\nkinetic x'^2\nforce y = 1", 4, 7, "unknown name y"},
      {"state x\nx' = A.x", 3, 6, "unknown"},
      {"state x\nx' = x.y", 3, 8,
       "expected the name of a vector, body, joint, part or system before the dot"},
      {"system A { state xyz; xyz' = 1 }\nsystem B { state y; y' = A.xyy }", 3, 28,
       "system A has no xyy; did you mean xyz?"},
      {"system A { state x; x' = 1 }\nsystem B { state y; y' = A.foobar }", 3, 28,
       "system A has no foobar"},
      {"system A { state x; x' = 1 }\noutput o = x", 3, 12, "unknown name x"},
      {"system A { state x; x' = 1 }\nsystem B { state y; y' = A }", 3, 26, "A.x"},
  };
  CHECK(table);
}

static void test_words_of_the_language(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"param sin = 1", 2, 7, "choose another name"},
      {"state t = 1", 2, 7, "choose another name"},
      {"coord pi", 2, 7, "choose another name"},
      {"alg in", 2, 5, "choose another name"},
      {"discrete if", 2, 10, "choose another name"},
      {"let sum = 1", 2, 5, "choose another name"},
      {"let force(a) = 1", 2, 5, "choose another name"},
      {"let f(t) = 1", 2, 7, "choose another name"},
      {"output kinetic = 1", 2, 8, "choose another name"},
      {"system model { }", 2, 8, "choose another name"},
      {"for max in 1..2 { }", 2, 5, "choose another name"},
      {"param p[state in 1..2] = 1", 2, 9, "choose another name"},
      {"state x\nx' = sum(t in 1..2, 1)", 3, 10, "choose another name"},
      {"state x\nx' = coord", 3, 6, "coord is a keyword"},
      {"state x\nx' = sin + 1", 3, 6, "sin"},
      {"coord x\nkinetic x'^2\nparam lambda = 1\nconstraint x = 1", 4, 7, "lambda"},
      {"coord x\nkinetic x'^2\nconstraint x' = 1\nparam psi = 1", 5, 7, "psi"},
  };
  CHECK(table);
}

static void test_declared_twice(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x = 1\ncoord x = 2", 3, 7, "duplicate declaration of x; the first one is in line 2"},
      {"param a = 1, a = 2", 2, 14, "duplicate declaration of"},
      {"let f(a) = 1\nlet f = 1", 3, 5, "duplicate declaration of"},
      {"state x\nx' = 1\noutput x = 2", 4, 8, "duplicate declaration of"},
      {"state x[1..2]\nalg x", 3, 5, "duplicate declaration of"},
      {"system A { state x; x' = 1 }\nsystem A { state y; y' = 1 }", 3, 8,
       "duplicate declaration of"},
      {"param A = 1\nsystem A { state y; y' = 1 }", 3, 8, "duplicate declaration of"},
      {"system A { state x; param x = 1; x' = 1 }", 2, 27, "duplicate declaration of"},
      {"coord x, y\nkinetic x'^2 + y'^2\nconstraint a: x = 1\nconstraint a: y = 1", 5, 12,
       "duplicate label a; the first one is in line 4"},
      {"coord x\nkinetic x'^2\nfor i in 1..2 { constraint a: x = i }", 4, 28, "duplicate label"},
      {"coord x\nkinetic x'^2\nconstraint a[1]: x = 1\nfor i in 1..2 { constraint a[i]: x = 1 }", 5,
       28, "duplicate label a[1]; the first one is in line 4"},
      {"state x\nx' = 1\nevent e: x - 1\nevent e: x - 2", 5, 7, "duplicate label"},
      {"state x\nx' = 1\nsimulate to 1\nsimulate to 2", 5, 1, "the first one is in line 4"},
  };
  CHECK(table);
}

static void test_cycles(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"param a = b, b = c, c = a\nstate x\nx' = a", 2, 25, "cyclic definition"},
      {"param a = a", 2, 11, "cyclic definition"},
      {"let a = b + x, b = 2*a\nstate x\nx' = a", 2, 22, "cyclic definition"},
      {"let a[1..2] = a[3-i]\nstate x\nx' = 1", 2, 15, "cyclic definition"},
      {"let f(y) = f(y)\nstate x\nx' = f(x)", 2, 12, "f"},
      {"let f(y) = g(y), g(y) = f(y)\nstate x\nx' = f(x)", 2, 25, "f"},
      {"output a = b, b = a\nstate x\nx' = 1", 2, 19, "cyclic definition"},
      {"coord x = y, y = x\nkinetic x'^2 + y'^2", 2, 7, "cyclic start value of x"},
      {"state x = 2*x\nx' = 1", 2, 7, "cyclic start value of x"},
      {"coord x rate x'\nkinetic x'^2", 2, 7, "cyclic start value of x"},
      {"let s = x + 1\nstate x = s\nx' = 1", 3, 7, "cyclic start value of x"},
      {"param p[1..p[1]] = 1", 2, 12, "depends on p itself"},
      {"state x[1..x]", 2, 12, "depends on x itself"},
      {"param n = p[1], p[1..n] = 1", 2, 11, "depends on p itself"},
  };
  CHECK(table);
}

/* ---- rates ---- */

static void test_rates_of_what_has_none(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"param a = 1\nstate x\nx' = a'", 4, 6, "a param, a constant, and has no rate"},
      {"state x\nalg z\nx' = z'\n0 = z - x", 4, 6, "algebraic and has no rate"},
      {"discrete d\nstate x\nx' = d'", 4, 6, "it changes at events only"},
      {"state x\nfor i in 1..1 { x' = i' }", 3, 22, "an index and has no rate"},
      {"state x\nx' = sum(i in 1..2, i')", 3, 21, "an index and has no rate"},
      {"state x\nx' = t'", 3, 6, "t"},
      {"state x\nx' = pi'", 3, 6, "pi"},
      {"state x\nx' = 2'", 3, 7, "write let r = ... and then r'"},
      {"state x\n(x + 1)' = 1", 3, 8, "write let r = ... and then r'"},
      {"state x\nx' = sum(i in 1..2, x)'", 3, 23, "write let r = ... and then r'"},
      {"state x\nx'' = 1", 3, 3, "a second state"},
      {"coord x\nkinetic x''^2", 3, 11, "use coord"},
      {"coord x\nlet r = x'\nkinetic r'^2", 4, 9, "second derivatives are not supported"},
      {"coord x\nkinetic x'^2\nlet f(a) = a*x'\noutput o = f(x)'", 5, 12, "second derivatives"},
      {"alg z\nstate x\nlet r = z*x\nx' = r'\n0 = z - x", 5, 6,
       "the rate of z, which is algebraic"},
      {"coord x\nkinetic x'^2\noutput o = kinetic'", 4, 12, "kinetic"},
      {"state x = y', y\nx' = 1\ny' = 1", 2, 7, "a start value cannot depend on y'"},
      {"state x, y\nx' + y' = 1\nx' - y' = 1\noutput o = x'", 5, 12,
       "no equation gives it as x' = E"},
      {"state x, y\nx' + y' = 1\nx' - y' = 1\nevent e: x' - 1", 5, 13, "x' = E"},
  };
  CHECK(table);
}

/* ---- indices and ranges ---- */

static void test_indices(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x[1..3]\nfor i in 1..4 { x[i]' = 1 }", 3, 19,
       "the index 4 of x is out of range 1..3"},
      {"state x[1..3]\nx[0]' = 1", 3, 3, "the index 0 of x is out of range 1..3"},
      {"param p[1..2, 5..6] = 1\nstate x\nx' = p[1, 4]", 4, 11, "out of range 5..6"},
      {"state x[1..3]\nx' = 1", 3, 1, "one index: [i]"},
      {"state x[1..3]\nx[1,2]' = 1", 3, 1, "one index: [i]"},
      {"state x[1..3, 1..2]\nx[1]' = 1", 3, 1, "two indices: [i, j]"},
      {"state x\nx[1]' = 1", 3, 1, "x is a scalar and has no index"},
      {"state x\nfor i in 1..1 { x' = i[1] }", 3, 22, "i is a scalar and has no index"},
      {"state x[1..3]\nx[1.5]' = 1", 3, 3, "an index must be a whole number, not 1.5"},
      {"state x[1..3]\nx[x[1]]' = 1", 3, 3,
       "an index is a constant and cannot depend on the variable x"},
      {"state x[1..3]\nx[t]' = 1", 3, 3, "an index is a constant and cannot depend on the time t"},
      {"state x[1..3]\nlet k = x[1]\nx[k]' = 1", 4, 3, "k depends on variables"},
      {"state x[1..3]\nx[1/0]' = 1", 3, 4, "an index is not a finite number"},
      {"state x[1..y], y\nx[1]' = 1", 2, 12, "a constant and cannot depend on the variable y"},
      {"state x[1..t]", 2, 12, "a constant and cannot depend on the time t"},
      {"state x[1..2.5]", 2, 12, "a whole number, not 2.5"},
      {"state x[1..1e10]", 2, 12, "a whole number"},
      {"state x\nfor i in 1..x { x' = 1 }", 3, 13, "cannot depend on the variable x"},
      {"state x\nx' = sum(i in 1..x, 1)", 3, 18, "cannot depend on the variable x"},
      {"system S[k in 1..0] { state x; x' = 1 }", 2, 8, "the range of S is empty: 1..0"},
      {"system S[1..2] { state x; x' = 1 }\nsystem B { state y; y' = S.x }", 3, 26,
       "an array of systems and needs one index"},
      {"system S[1..2] { state x; x' = 1 }\nsystem B { state y; y' = S[3].x }", 3, 28,
       "the index 3 of S is out of range 1..2"},
      {"system S { state x; x' = 1 }\nsystem B { state y; y' = S[1].x }", 3, 26,
       "one system and has no index"},
      {"system S[k in 1..2] { state x; x' = S[k-1].x }", 2, 40, "the index 0 of S is out of range"},
      {"coord x\nkinetic x'^2\nconstraint r[x]: x = 1", 4, 14, "an index is a constant"},
  };
  CHECK(table);
}

/* ---- numbers and truth values, functions ---- */

static void test_kinds_of_values(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x\nx' = x > 0", 3, 8, "if(condition, a, b)"},
      {"state x\nx' = 1 + (x > 0)", 3, 13, "if(condition, a, b)"},
      {"state x\nx' = (x > 0) + 1", 3, 9, "expected a number, found a condition"},
      {"state x\nx' = -(x > 0)", 3, 10, "if(condition, a, b)"},
      {"state x\nx' = sin(x > 0)", 3, 12, "if(condition, a, b)"},
      {"state x\nx' = min(x, x > 0)", 3, 15, "if(condition, a, b)"},
      {"state x\nx' = if(x, 1, 2)", 3, 9, "expected a condition, such as x > 0"},
      {"state x\nx' = if(x > 0, x > 1, 2)", 3, 18, "if(condition, a, b)"},
      {"state x\nx' = if(x && x > 0, 1, 2)", 3, 9, "expected a condition, such as x > 0"},
      {"state x\nx' = if(x > 0 || x, 1, 2)", 3, 18, "expected a condition"},
      {"state x\nx' = if(!x, 1, 2)", 3, 10, "expected a condition"},
      {"state x\nx' = if(1 < x < 3, 1, 2)", 3, 11, "expected a number, found a condition"},
      {"state x\nx' = if((x > 1) == (x < 2), 1, 2)", 3, 12, "expected a number, found a condition"},
      {"param a = 1 > 0", 2, 13, "if(condition, a, b)"},
      {"let a = x > 0\nstate x\nx' = 1", 2, 11, "if(condition, a, b)"},
      {"let f(c) = c\nstate x\nx' = f(x > 0)", 4, 10, "if(condition, a, b)"},
      {"let f(c) = c > 0\nstate x\nx' = if(f(x), 1, 2)", 2, 14, "if(condition, a, b)"},
      {"state x[1..2]\nx[1 > 0]' = 1", 3, 5, "if(condition, a, b)"},
      {"state x\nx' = sum(i in 1..2, i > 1)", 3, 23, "if(condition, a, b)"},
      {"state x\nx' = 1\nevent e: x > 1", 4, 12, "if(condition, a, b)"},
      {"state x\nx' = 1\ndraw point (0, x > 1)", 4, 18, "if(condition, a, b)"},
      {"state x\nx' = 1\nsimulate to 1 > 0", 4, 15, "if(condition, a, b)"},
      {"state x\nlet f(a, b) = a + b\nx' = f(1)", 4, 6, "f takes 2 arguments, not 1"},
      {"state x\nx' = sin(1, 2)", 3, 6, "sin takes 1 argument, not 2"},
      {"state x\nx' = sin()", 3, 6, "sin takes 1 argument, not 0"},
      {"state x\nx' = if(x > 0, 1)", 3, 6, "if takes 3 arguments, not 2"},
      {"state x\nx' = atan2(x)", 3, 6, "atan2 takes 2 arguments, not 1"},
      {"let f(a) = a\nstate x\nx' = f", 4, 6, "needs its arguments: f(...)"},
      {"let f = 1\nstate x\nx' = f(2)", 4, 6, "f is not a function; write f without parentheses"},
      {"state x\nx' = x(2)", 3, 6, "write * between factors"},
      {"state x\nlet f[1..2](a) = a", 3, 12, "expected ="},
  };
  CHECK(table);
}

static void test_constants(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"param a = x\nstate x\nx' = 1", 2, 11,
       "a param is a constant and cannot depend on the variable x"},
      {"param a = t", 2, 11, "a param is a constant and cannot depend on the time t"},
      {"param a = b\nlet b = x\nstate x\nx' = 1", 2, 11, "b depends on variables or the time"},
      {"param a = 1/0", 2, 12, "a division by zero"},
      {"param a = 0, b = 1/a", 2, 19, "a division by zero"},
      {"param a = sqrt(-1)", 2, 11, "a root or logarithm of a negative number"},
      {"param p[1..3] = 1/(i - 2)", 2, 18, "a division by zero"},
      {"state x = 1/0\nx' = 1", 2, 7, "the start value of x is not a finite number"},
      {"state x[1..3] = log(2 - i)\nfor i in 1..3 { x[i]' = 1 }", 2, 7,
       "the start value of x[2] is not a finite number"},
      {"coord x rate 1/0\nkinetic x'^2", 2, 7, "the start value of x' is not a finite number"},
      {"state x = 1/t\nx' = 1", 2, 7, "not a finite number"},
      {"state x\nx' = 1\nsimulate to x", 4, 13, "a constant and cannot depend on the variable x"},
      {"state x\nx' = 1\nsimulate to t", 4, 13, "a constant and cannot depend on the time t"},
      {"state x\nx' = 1\nsimulate to 1/0", 4, 14, "a division by zero"},
      {"system A { state x; x' = 1; rtol x }", 2, 34,
       "a constant and cannot depend on the variable x"},
  };
  CHECK(table);
}

/* ---- equations ---- */

static void test_equations(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"state x, y\nx' = 1", 2, 10, "2 states and algebraic variables together, but 1 equation;"},
      {"state x\nx' = 1\n0 = x", 4, 1, "too many equations"},
      {"state x\nalg z\nx' = z", 3, 5, "each algebraic variable an equation A = B"},
      {"alg z", 2, 5, "but 0 equations"},
      {"system A { state x; x' = 1; 0 = x }", 2, 29, "too many equations"},
      {"system S[1..2] { state x; x' = 1; 0 = x }", 2, 35, "too many equations"},
      {"state x\nalg z\nx' = 1\nx' = 2*z", 5, 1, "two equations give x'"},
      {"state x\nalg z\nx' = z\nx' = z", 5, 1, "two equations give x'"},
      {"coord q\nkinetic q'^2\nstate x\nalg z\nx' = z\nx' = 2*z", 7, 1, "two equations give x'"},
      {"state x\nalg z\nx' = 1\n0 = x - 2", 3, 5, "z is in no equation"},
      {"state x, y\nx' = 1\n0 = x - 2", 2, 10, "y is in no equation"},
      {"state x\nx' = 1\n1 = 1", 4, 1, "contains no unknown"},
      {"param a = 1\nstate x\nx' = 1\na = 2", 5, 1, "param a = 1"},
      {"coord q\nkinetic q'^2\n0 = q", 4, 1, "no state or algebraic variable"},
      {"state x\nx' = 1\n0 = t", 4, 1, "contains no unknown"},
      {"state u, w\nu'^2 = 1\nw' = 1", 3, 1, "not linear in the rates of states"},
      {"state u, w\nu'*w' = 1\nw' + u' = 2", 3, 1, "not linear in the rates of states"},
      {"state u, w\nsin(u') = w\nw' = 1", 3, 1, "not linear in the rates of states"},
      {"coord q\nstate u\nkinetic q'^2\nu'^2 = q", 5, 1, "not linear in the rates of states"},
      {"state x\nx' = if(x' > 0, 1, 2)", 3, 1, "not linear in the rates of states"},
      {"state x\nx' = 1 + sign(x')", 3, 1, "not linear in the rates of states"},
      {"state u, w\nu' + w' = floor(u')\nu' - w' = 1", 3, 1, "not linear in the rates of states"},
      {"system A { state u, w; u'*B.x = 1; w' = 1 }\nsystem B { state x; x' = 1 }", 2, 24,
       "may not depend on B.x"},
      {"system A { coord x; kinetic x'^2 }\nsystem B { state y; y' = A.x' }", 3, 21,
       "A.x', which is a rate of another system"},
      {"system A { state x; x' = 1 }\nsystem B { state y; A.x' = y }", 3, 21,
       "A.x', which is a rate of another system"},
      {"state x\nx' = o\noutput o = 2", 3, 6, "name the expression with let"},
      {"", 1, 1, "declare coord, state or alg"},
      {"param a = 1", 1, 1, "declare coord, state or alg"},
      {"state x[1..0]", 1, 1, "declare coord, state or alg"},
      {"system A { param a = 1 }", 2, 8, "declare coord, state or alg"},
  };
  CHECK(table);
}

/* ---- mechanics ---- */

static void test_mechanics(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"coord x, y\nkinetic x'^2", 2, 10, "the motion of y is not determined"},
      {"coord x, y, z\nkinetic x'^2\nconstraint y + z = x", 2, 13, "give it mass"},
      {"coord x, y\nkinetic x'^2\npotential x*y", 2, 10, "the motion of y is not determined"},
      {"coord x\nkinetic x'^2\npotential x*x'", 4, 12, "x', which is a rate"},
      {"coord x\nkinetic x'^2\nlet v = x'\npotential v", 5, 11, "x', which is a rate"},
      {"coord x\nstate u\nkinetic x'^2\npotential x*u\nu' = 1", 5, 12, "u, which is a state"},
      {"coord x\nalg u\nkinetic x'^2\npotential x*u\nu = 1", 5, 12, "an algebraic variable"},
      {"coord x\nstate u\nkinetic u*x'^2\nu' = 1", 4, 10, "u, which is a state"},
      {"coord x\ndiscrete u\nkinetic u*x'^2", 4, 10, "a discrete variable"},
      {"coord x\nstate u\nkinetic x'^2\nconstraint x = u\nu' = 1", 5, 1, "u, which is a state"},
      {"coord x\nstate u\nkinetic x'^2\nconstraint x' = u'\nu' = 1", 5, 1, "which is a rate"},
      {"coord x\nkinetic x'^2\nconstraint 1 = t", 4, 1, "contains no coordinate"},
      {"coord x\nparam y = 1\nkinetic x'^2\nforce y = 1", 5, 7, "a force acts on a coordinate"},
      {"coord x\nstate u\nkinetic x'^2\nforce x = u'\nu' = 1", 5, 11, "which is a rate"},
      {"coord x\nkinetic x'^2\njoint x = 1", 4, 1, "write constraint"},
  };
  CHECK(table);
}

static void test_systems(void **unused)
{
  (void)unused;
#define TWO "system A { coord x; kinetic x'^2 }\nsystem B { coord y; kinetic y'^2 }\n"
#define SECOND "system A { coord x; kinetic x'^2 }\nsystem B { coord y; kinetic y'^2; "
  static const wrong table[] = {
      {TWO "joint A.x' = B.y", 4, 1, "A.x', which is a rate"},
      {TWO "joint A.x = B.y'", 4, 1, "B.y', which is a rate"},
      {TWO "joint 1 = t", 4, 1, "the joint contains no coordinate"},
      {TWO "system C { state u; u' = 1 }\njoint A.x = C.u", 5, 1, "C.u, which is a state"},
      {SECOND "kinetic y'^2*A.x }", 3, 47, "A.x, which is a coordinate of another system"},
      {SECOND "constraint y = A.x }", 3, 35, "use joint between systems"},
      {SECOND "potential y*A.x' }", 3, 46, "A.x', which is a rate of another system"},
      {SECOND "force A.x = 1 }", 3, 41, "in the system of x"},
      {SECOND "joint y = A.x }", 3, 35, "a joint connects systems and must be outside of them"},
      {TWO "force A.x = 1", 4, 7, "in the system of x"},
      {TWO "kinetic A.x'^2", 4, 13, "a rate of another system"},
      {TWO "potential A.x^2", 4, 1, "must be in a system"},
      {TWO "0 = A.x", 4, 1, "equation"},
      {TWO "constraint A.x = 1", 4, 1, "use joint between systems"},
      {"system A { state x; x' = 1; system B { state y; y' = 1 } }", 2, 29, "systems do not nest"},
      {"for i in 1..2 { system B { state y; y' = 1 } }", 2, 17, "system S[k in 1..N]"},
      {"system A { model n }", 2, 12, "the first statement"},
      {"system A { state x; x' = 1; simulate to 1 }", 2, 29, "simulate is not allowed in a system"},
      {"system A { for i in 1..2 { joint x = 1 } }", 2, 28, "must be outside of them"},
      {"system A { for i in 1..2 { rtol 1 } }", 2, 28, "inside a system"},
  };
#undef TWO
#undef SECOND
  CHECK(table);
}

static void test_loops(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"for i in 1..2 { state x }", 2, 17, "declare an array outside, x[1..N]"},
      {"for i in 1..2 { param a = 1 }", 2, 17, "declare an array"},
      {"state x\nx' = 1\nfor i in 1..2 { output o = 1 }", 4, 17, "declare an array"},
      {"for i in 1..2 { let a[1..2] = 1 }", 2, 21, "a single name"},
      {"for i in 1..2 { for j in 1..2 { let f(a) = 1 } }", 2, 37, "a single name"},
      {"for i in 1..2 { model n }", 2, 17, "the first statement"},
      {"for i in 1..2 { simulate to 1 }", 2, 17, "simulate is not allowed in a for loop"},
      {"for i in 1..2 { step 1 }", 2, 17, "inside a system"},
  };
  CHECK(table);
}

/* ---- multipliers and energies ---- */

static void test_multipliers(void **unused)
{
  (void)unused;
#define ROD "coord x\nkinetic x'^2\nconstraint rod: x = 1\n"
  static const wrong table[] = {
      {ROD "output o = lambda(rood)", 5, 19, "no constraint has the label rood; did you mean rod?"},
      {ROD "output o = psi(rod)", 5, 16, "lambda(rod)"},
      {"coord x\nkinetic x'^2\nconstraint k: x' = 1\noutput o = lambda(k)", 5, 19, "psi(k)"},
      {ROD "event e: x\noutput o = lambda(e)", 6, 19, "no constraint has the label e"},
      {ROD "output o = lambda(1)", 5, 12, "needs the label of a constraint"},
      {ROD "output o = lambda(rod, rod)", 5, 12, "needs the label of a constraint"},
      {ROD "output o = lambda(rod')", 5, 12, "needs the label of a constraint"},
      {ROD "output o = lambda(rod[1])", 5, 19, "no constraint has the label rod[1]"},
      {ROD "output o = lambda(A.rod)", 5, 19, "unknown"},
      {ROD "let l = lambda(rod)", 5, 9, "in forces, outputs"},
      {ROD "kinetic lambda(rod)*x'^2", 5, 9, "in forces, outputs"},
      {"coord x = lambda(rod)\nkinetic x'^2\nconstraint rod: x = 1", 2, 11, "in forces, outputs"},
      {ROD "force x = kinetic", 5, 11, "kinetic is available in outputs"},
      {ROD "let e = kinetic + potential", 5, 9, "kinetic is available in outputs"},
      {ROD "force x = potential", 5, 11, "potential is available in outputs"},
      {ROD "output o = kinetic[1]", 5, 12, "kinetic"},
  };
#undef ROD
  CHECK(table);
}

/* ---- events ---- */

static void test_events(void **unused)
{
  (void)unused;
#define X "state x\nalg z\nx' = 1\nz = x\n"
  static const wrong table[] = {
      {X "event e: 1", 6, 10, "never crosses zero"},
      {X "param a = 2\nevent e: a - 1", 7, 12, "never crosses zero"},
      {X "event e: x { z = 1 }", 6, 14, "z is none of these"},
      {X "event e: x { x' = 1 }", 6, 14, "x' is none of these"},
      {X "param p = 1\nevent e: x { p = 1 }", 7, 14, "p is none of these"},
      {X "let l = x\nevent e: x { l = 1 }", 7, 14, "l is none of these"},
      {X "event e: x { x = 1; x = 2 }", 6, 21, "x is set twice"},
      {X "event e: x { x = 1; for i in 1..2 { x = 2 } }", 6, 21, "an event set variables"},
      {X "event e: x { 2*x = 1 }", 6, 14, "an event set variables"},
      {X "event e: x { state y }", 6, 14, "an event set variables"},
      {X "event e: x { simulate to 3 }", 6, 14, "an event set variables"},
      {X "event e: x { x + 1 }", 6, 20, "expected ="},
      {X "event e: x { x = x > 1 }", 6, 20, "if(condition, a, b)"},
      {X "for i in 1..2 { event e[i]: x { 1 = x } }", 6, 33, "an event set variables"},
  };
#undef X
  CHECK(table);
}

/* ---- settings ---- */

static void test_settings(void **unused)
{
  (void)unused;
#define X "state x\nx' = 1\n"
  static const wrong table[] = {
      {X "simulate", 4, 1, "simulate to 10"},
      {X "simulate 10", 4, 10, "such as to 10"},
      {X "simulate to", 4, 12, "a value after to"},
      {X "simulate to 1 rtol", 4, 19, "a value after rtol"},
      {X "simulate to 1 to 2", 4, 15, "duplicate setting to"},
      {X "simulate to 1 method 3", 4, 22, "the name of a method"},
      {X "simulate to 1 method", 4, 21, "a value after method"},
      {X "simulate from soon to 2", 4, 15, "soon"},
      {X "simulate to 1 output 3", 4, 22, "every"},
      {"rtol 1e-3\n" X, 2, 1, "inside a system, or in the line simulate"},
      {"method bdf\n" X, 2, 1, "inside a system, or in the line simulate"},
      {"system A { "
       "state x; x' = 1; rtol 1; rtol 2 }",
       2, 37, "duplicate setting rtol"},
  };
#undef X
  CHECK(table);
}

/* ---- the head of the file ---- */

static void check_text(const char *text, size_t length, const dae_model_options *options,
                       const wrong *w)
{
  dae_error err;
  dae_model *model = NULL;
  dae_status status = dae_model_parse("wrong.dae", text, length, options, NULL, &model, &err);
  if (status != DAE_ERROR_MODEL || err.status != status || model)
    complain(text, "it is not refused as a model", &err);
  else
    check_error(text, "wrong.dae", w, &err);
  dae_model_free(model);
}

static void test_the_first_statement(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"", 1, 1, "model NAME"},
      {"\n\n", 1, 1, "model NAME"},
      {"# nothing but a comment\n", 1, 1, "model NAME"},
      {"param a = 1\n", 1, 1, "model NAME"},
      {"state x\nmodel m\n", 1, 1, "model NAME"},
      {"modl m\n", 1, 1, "did you mean model?"},
      {"model\n", 1, 6, "the name of the model"},
      {"model 3\n", 1, 7, "the name of the model"},
      {"model \"title\"\n", 1, 7, "the name of the model"},
      {"model event\n", 1, 7, "choose another name"},
      {"model m 3\n", 1, 9, "the end of the statement"},
      {"model m\nmodel n\n", 2, 1, "the first statement of the file"},
  };
  failures = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    check_text(table[i].text, strlen(table[i].text), NULL, &table[i]);
  assert_int_equal(failures, 0);
}

static void test_zero_bytes_are_refused(void **unused)
{
  (void)unused;
  static const char text[] = "model m\nstate x\0 = 1\n";
  dae_error err;
  dae_model *model = NULL;
  dae_status status = dae_model_parse("wrong.dae", text, sizeof text - 1, NULL, NULL, &model, &err);
  assert_int_equal(status, DAE_ERROR_MODEL);
  assert_int_equal(err.line, 2);
  assert_int_equal(err.column, 8);
  assert_non_null(strstr(err.text, "zero byte"));
}

static void test_the_record_may_be_missing(void **unused)
{
  (void)unused;
  static const char text[] = "model m\nstate x\nx' = y\n";
  dae_model *model = NULL;
  assert_int_equal(dae_model_parse("wrong.dae", text, sizeof text - 1, NULL, NULL, &model, NULL),
                   DAE_ERROR_MODEL);
  assert_int_equal(dae_model_load("no/such/file.dae", NULL, NULL, &model, NULL), DAE_ERROR_FILE);
  assert_null(model);
}

/* ---- params set from outside ---- */

static void test_params_set_wrongly(void **unused)
{
  (void)unused;
  static const char text[] = "model m\nparam mass = 1, c[1..3] = i, d[1..2, 1..2] = 1\nstate x\n"
                             "let l = 1\nx' = mass\nsystem A { param k = 1; state x; x' = k }\n"
                             "system S[k in 1..2] { param k2 = 1; state x; x' = k2 }\n";
  static const struct {
    const char *set;
    int column;
    const char *says;
  } table[] = {
      {"mas=2", 1, "did you mean mass?"},
      {"zzzzz=2", 1, "the model has no param zzzzz"},
      {"x=2", 1, "x is not a param"},
      {"l=2", 1, "l is not a param"},
      {"A.kk=2", 3, "no param kk"},
      {"B.k=2", 1, "the model has no system B"},
      {"mass", 1, "write NAME=VALUE"},
      {"mass=", 1, "expected an expression"},
      {"=2", 1, "expected an expression"},
      {"mass'=2", 1, "expected the name of a param before ="},
      {"2*mass=2", 2, "expected the name of a param before ="},
      {"mass=2 3", 3, "the end of the value"},
      {"mass=x", 1, "constant"},
      {"mass=t", 1, "constant"},
      {"mass=1/0", 2, "finite"},
      {"mass=foo", 1, "unknown name foo"},
      {"mass=(1", 3, "expected )"},
      {"mass=1 > 0", 3, "if(condition, a, b)"},
      {"c[4]=2", 1, "no element with this index"},
      {"c[1,2]=2", 1, "1 indices, not 2"},
      {"d[1]=2", 1, "2 indices, not 1"},
      {"mass[1]=2", 1, "0 indices, not 1"},
      {"c[1.5]=2", 3, "a whole number"},
      {"S[3].k2=2", 1, "no element with this index"},
      {"mass==2", 1, "expected an expression"},
  };
  failures = 0;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    dae_model_options options = dae_model_defaults();
    dae_error err;
    dae_model *model = NULL;
    options.set = &table[i].set;
    options.set_count = 1;
    dae_status status =
        dae_model_parse("wrong.dae", text, sizeof text - 1, &options, NULL, &model, &err);
    if (status != DAE_ERROR_MODEL || err.column != table[i].column ||
        !strstr(err.text, table[i].says))
      complain(table[i].set, table[i].says, &err);
    dae_model_free(model);
  }
  assert_int_equal(failures, 0);
}

static void test_text_cannot_import(void **unused)
{
  (void)unused;
  static const wrong table[] = {
      {"import \"parts.dae\"", 2, 8, "not read from a file cannot import files"}};
  CHECK(table);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_characters),
      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_syntax),
      cmocka_unit_test(test_unclosed),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_words_of_the_language),
      cmocka_unit_test(test_declared_twice),
      cmocka_unit_test(test_cycles),
      cmocka_unit_test(test_rates_of_what_has_none),
      cmocka_unit_test(test_indices),
      cmocka_unit_test(test_kinds_of_values),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_equations),
      cmocka_unit_test(test_mechanics),
      cmocka_unit_test(test_systems),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_multipliers),
      cmocka_unit_test(test_events),
      cmocka_unit_test(test_settings),
      cmocka_unit_test(test_the_first_statement),
      cmocka_unit_test(test_zero_bytes_are_refused),
      cmocka_unit_test(test_the_record_may_be_missing),
      cmocka_unit_test(test_params_set_wrongly),
      cmocka_unit_test(test_text_cannot_import),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
