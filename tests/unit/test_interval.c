/* Ranges by interval arithmetic: they hold the values of every operator, and of random functions
 * of time, at random points in extended precision; and they are no wider than rounding at one
 * point. */
#include "expressions.h"
#include "model/graph/formula.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* ---- operators in extended precision, written independently ---- */

static long double exact(dae__op op, long double a, long double b, long double c, int power)
{
  switch (op) {
  case DAE__OP_ADD:
    return a + b;
  case DAE__OP_SUB:
    return a - b;
  case DAE__OP_MUL:
    return a * b;
  case DAE__OP_DIV:
    return a / b;
  case DAE__OP_NEG:
    return -a;
  case DAE__OP_POW:
    return powl(a, b);
  case DAE__OP_POWI:
    return powl(a, power);
  case DAE__OP_SIN:
    return sinl(a);
  case DAE__OP_COS:
    return cosl(a);
  case DAE__OP_TAN:
    return tanl(a);
  case DAE__OP_ASIN:
    return asinl(a);
  case DAE__OP_ACOS:
    return acosl(a);
  case DAE__OP_ATAN:
    return atanl(a);
  case DAE__OP_ATAN2:
    return atan2l(a, b);
  case DAE__OP_SINH:
    return sinhl(a);
  case DAE__OP_COSH:
    return coshl(a);
  case DAE__OP_TANH:
    return tanhl(a);
  case DAE__OP_EXP:
    return expl(a);
  case DAE__OP_LOG:
    return logl(a);
  case DAE__OP_LOG10:
    return log10l(a);
  case DAE__OP_SQRT:
    return sqrtl(a);
  case DAE__OP_ABS:
    return fabsl(a);
  case DAE__OP_SIGN:
    return (a > 0) - (a < 0);
  case DAE__OP_HYPOT:
    return hypotl(a, b);
  case DAE__OP_FLOOR:
    return floorl(a);
  case DAE__OP_LESS:
    return a < b;
  case DAE__OP_LESS_EQUAL:
    return a <= b;
  case DAE__OP_EQUAL:
    return a == b;
  case DAE__OP_AND:
    return a != 0 && b != 0;
  case DAE__OP_OR:
    return a != 0 || b != 0;
  case DAE__OP_NOT:
    return a == 0;
  case DAE__OP_IF:
    return a != 0 ? b : c;
  default:
    fail();
    return 0;
  }
}

static dae__interval some_interval(void)
{
  double scale = pow(10, draw_real(-6, 4)), x = draw_real(-1, 1) * scale;
  double y = draw(3) == 0 ? x : draw_real(-1, 1) * scale;
  if (draw(4) == 0) { /* whole numbers, and zero at an end */
    x = (double)draw(9) - 4;
    y = draw(3) == 0 ? x : (double)draw(9) - 4;
  }
  return (dae__interval){fmin(x, y), fmax(x, y), DAE__CONTINUOUS};
}

static double point_of(const dae__interval *x)
{
  unsigned k = draw(4);
  return k == 0 ? x->lo : k == 1 ? x->hi : fmin(x->hi, x->lo + draw_real(0, 1) * (x->hi - x->lo));
}

/* A value is inside of the range of its operator; where there is none the range says so. */
static void test_operators_stay_in_their_range(void **state)
{
  (void)state;
  long inside = 0;
  for (int op = DAE__OP_ADD; op < DAE__OP_COUNT; op++)
    for (int k = dae__op_has_word(op) && op != DAE__OP_POWI ? 20000 : 0; k < 20000; k++) {
      dae__interval a = some_interval(), b = some_interval(), c = some_interval();
      int power = 2 + (int)draw(5);
      dae__interval r = dae__interval_of((dae__op)op, &a, &b, &c, power);
      for (int i = 0; i < 4; i++) {
        double x = point_of(&a), y = point_of(&b), z = point_of(&c);
        long double value = exact((dae__op)op, x, y, z, power);
        if (isnan(value) && r.regularity != DAE__UNDEFINED_SOMEWHERE)
          fail_msg("operator %d is not defined at %.17g, %.17g", op, x, y);
        if (isnan(value) || isinf(value))
          continue;
        inside++;
        if (!(value >= r.lo && value <= r.hi))
          fail_msg("operator %d of %.17g, %.17g, %.17g: %.21Lg is not in [%.17g, %.17g]", op, x, y,
                   z, value, r.lo, r.hi);
      }
    }
  assert_true(inside > 1000000);
}

/* At one point sums, products, quotients and roots are within two units, others within sixteen. */
static void test_ranges_of_points_are_rounding(void **state)
{
  (void)state;
  long checked = 0;
  for (int op = DAE__OP_ADD; op < DAE__OP_LESS; op++)
    for (int k = 0; k < 5000; k++) {
      double x = point_of(&(dae__interval){-3, 3, DAE__CONTINUOUS}), y = draw_real(-3, 3);
      dae__interval a = dae__interval_point(x), b = dae__interval_point(y);
      dae__interval r = dae__interval_of((dae__op)op, &a, &b, &a, 3);
      if (r.regularity != DAE__CONTINUOUS)
        continue;
      bool rounded = op == DAE__OP_ADD || op == DAE__OP_SUB || op == DAE__OP_MUL ||
                     op == DAE__OP_DIV || op == DAE__OP_SQRT;
      double units = (r.hi - r.lo) / (DBL_EPSILON * fmax(fabs(r.lo), fabs(r.hi)) + 1e-300);
      if (!(units <= (rounded ? 2 : 16)))
        fail_msg("operator %d at %.17g, %.17g: %g units wide", op, x, y, units);
      checked++;
    }
  assert_true(checked > 80000);
}

/* Exact results stay exact, so that a zero is seen as one. */
static void test_exact_results_have_no_width(void **state)
{
  (void)state;
  const dae__interval five = dae__interval_point(5), zero = dae__interval_point(0),
                      tenth = dae__interval_point(0.1);
  struct {
    dae__op op;
    dae__interval a, b;
    double value;
  } exact_ones[] = {{DAE__OP_SUB, five, five, 0},   {DAE__OP_MUL, zero, tenth, 0},
                    {DAE__OP_MUL, five, five, 25},  {DAE__OP_SQRT, five, five, NAN},
                    {DAE__OP_SIN, zero, zero, 0},   {DAE__OP_DIV, five, five, 1},
                    {DAE__OP_ADD, tenth, zero, 0.1}};
  for (size_t i = 0; i < sizeof exact_ones / sizeof *exact_ones; i++) {
    dae__interval r =
        dae__interval_of(exact_ones[i].op, &exact_ones[i].a, &exact_ones[i].b, NULL, 0);
    bool has_value = !isnan(exact_ones[i].value);
    assert_int_equal(r.lo == r.hi && r.lo == exact_ones[i].value, has_value);
  }
}

/* Continuity is claimed for no interval with a jump. */
static void test_jumps_are_seen(void **state)
{
  (void)state;
  const dae__interval across = {-1, 2, DAE__CONTINUOUS}, beside = {0.25, 0.75, DAE__CONTINUOUS},
                      half = dae__interval_point(0.5);
  const dae__op jumps[] = {DAE__OP_FLOOR, DAE__OP_SIGN, DAE__OP_LESS, DAE__OP_LESS_EQUAL};
  for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++)
    assert_int_equal(dae__interval_of(jumps[i], &across, &half, NULL, 0).regularity, DAE__DEFINED);
  assert_int_equal(dae__interval_of(DAE__OP_FLOOR, &beside, NULL, NULL, 0).regularity,
                   DAE__CONTINUOUS);
  dae__interval root = dae__interval_of(DAE__OP_SQRT, &across, NULL, NULL, 0);
  assert_int_equal(root.regularity, DAE__UNDEFINED_SOMEWHERE);
  assert_int_equal(dae__interval_of(DAE__OP_LESS, &root, &across, NULL, 0).regularity,
                   DAE__UNDEFINED_SOMEWHERE);
}

/* ---- functions of time and held values ---- */

/* Value at a time; subexpressions of held values alone are numbers of double precision. */
static long double value_of(const dae__graph *g, dae__node node, long double t, const double *held)
{
  long double *value = calloc((size_t)node + 1, sizeof *value), result;
  bool *varies = calloc((size_t)node + 1, sizeof *varies);
  for (dae__node i = 0; i <= node; i++) {
    dae__node_view v = dae__node_at(g, i);
    bool curve = dae__op_has_word((int)v.op) && v.op != DAE__OP_POWI;
    bool power = v.op == DAE__OP_POWI, leaf = v.op == DAE__OP_LEAF;
    long double b = power ? 0 : value[v.b];
    varies[i] = leaf ? v.leaf == 0
                     : dae__op_operands(v.op) > 0 &&
                           (varies[v.a] || (!power && varies[v.b]) || varies[v.c]);
    if (leaf || v.op == DAE__OP_CONSTANT)
      value[i] = !leaf ? (long double)v.value : v.leaf == 0 ? t : (long double)held[v.leaf];
    else if (varies[i])
      value[i] = curve ? curve_exact(g->curves.item, v.op, v.word, value[v.a], value[v.b])
                       : exact(v.op, value[v.a], b, value[v.c], v.b);
    else
      value[i] = dae__op_value_with(
          g->curves.item, v.op, v.word,
          (double[]){(double)value[v.a], power ? v.b : (double)b, (double)value[v.c]});
  }
  result = value[node];
  free(value);
  free(varies);
  return result;
}

static void test_functions_stay_in_their_range(void **state)
{
  (void)state;
  const double held[LEAVES] = {0, 0.5, -1.25, 3, 0.1};
  const int entry[LEAVES] = {DAE__FORMULA_TIME, 1, 2, 3, 4};
  const unsigned char kind[LEAVES] = {1, 0, 0, 0, 0};
  long inside = 0, continuous = 0;
  for (int k = 0; k < 1500; k++) {
    dae__graph *g = dae__graph_create(NULL, 100000);
    dae__walker *walker = dae__walker_create(g, NULL);
    dae__arena *arena = dae__arena_create(NULL);
    dae__node e = random_expression(g, 1 + (int)draw(40));
    dae__gradient d = dae__gradient_of(walker, e, (dae__kinds){kind, 1});
    dae__node rate = d.count > 0 ? d.value[0] : DAE__ZERO;
    dae__formula *f = dae__formula_create(walker, arena, e, rate, entry);
    dae__formula_hold(f, held);
    for (int i = 0; i < 20; i++) {
      double l = draw_real(-3, 3), r = l + pow(10, draw_real(-8, 1));
      dae__interval range, rates;
      bool whole = isinf(dae__formula_enter(f, l, r));
      dae__formula_range(f, l, r, &range, &rates);
      for (int j = 0; j < 5; j++) {
        double t = l + draw_real(0.001, 0.999) * (r - l);
        long double v = value_of(g, e, t, held), v1 = value_of(g, rate, t, held);
        if (!(fabsl(v) < 1e300L))
          continue;
        inside++;
        continuous += whole && range.regularity == DAE__CONTINUOUS;
        /* the selected branch of an `if` may be a number of double precision for the formula */
        long double margin = 4 * DBL_EPSILON * (fabsl(v) + 1e-3L);
        if (!(v >= range.lo - margin && v <= range.hi + margin))
          fail_msg("%.21Lg at %.17g is not in [%.17g, %.17g]", v, t, range.lo, range.hi);
        margin = 4 * DBL_EPSILON * (fabsl(v1) + 1e-3L);
        if (range.regularity == DAE__CONTINUOUS && fabsl(v1) < 1e300L)
          assert_true(v1 >= rates.lo - margin && v1 <= rates.hi + margin);
      }
    }
    dae__arena_free(arena);
    dae__walker_free(walker);
    dae__graph_free(g);
  }
  assert_true(inside > 50000 && continuous > inside / 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operators_stay_in_their_range),
      cmocka_unit_test(test_ranges_of_points_are_rounding),
      cmocka_unit_test(test_exact_results_have_no_width),
      cmocka_unit_test(test_jumps_are_seen),
      cmocka_unit_test(test_functions_stay_in_their_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
