/* Absolute tolerances of single variables: a small fast oscillation beside a large slow one is
 * resolved by every method with variable steps if it has a tolerance of its own, and is lost with
 * that of the options; and the default of the options, rtol/100. */
#include "text_problem.h"

#include <daedal/integrator.h>
#include <daedal/run.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SMALL 1e-9 /* amplitude of the small oscillation, below the default tolerance 1e-8 */
#define OWN 1e-15  /* its own absolute tolerance */
#define FREQUENCY 15.0
#define END 6.0

/* Each has x = cos t and y = SMALL cos(FREQUENCY t), and further small variables named y... */
static const char mechanical[] = "model mechanical\n"
                                 "coord x = 1, y = 1e-9\n"
                                 "kinetic (x'^2 + y'^2)/2\n"
                                 "potential (x^2 + 225*y^2)/2\n";
static const char constrained[] = "model constrained\n"
                                  "coord x = 1, y = 1e-9, y2 = 2e-9\n"
                                  "kinetic (x'^2 + 0.2*y'^2 + 0.2*y2'^2)/2\n"
                                  "potential (x^2 + 225*y^2)/2\n"
                                  "constraint tie: y2 = 2*y\n";
static const char states[] = "model states\n"
                             "state x = 1, v = 0, y = 1e-9, yv = 0\n"
                             "x' = v\n"
                             "v' = -x\n"
                             "y' = yv\n"
                             "yv' = -225*y\n";
static const char semi_explicit[] = "model semi\n"
                                    "state x = 1, v = 0, y = 1e-9, yv = 0\n"
                                    "alg ya = 0\n"
                                    "x' = v\n"
                                    "v' = -x\n"
                                    "y' = yv\n"
                                    "yv' = ya\n"
                                    "ya + 225*y = 0\n";
/* y is driven: y'' = -225 y + SMALL (225 - 1) cos t has the part SMALL cos t beside the free one */
static const char coupled[] = "model coupled\n"
                              "system A { coord x = 1\n kinetic x'^2/2\n potential x^2/2 }\n"
                              "system B { coord y = 2e-9\n kinetic y'^2/2\n potential 225*y^2/2\n"
                              "  force y = 224e-9*A.x }\n";

static double small_motion(const test_problem *p, double t)
{
  return SMALL * (cos(FREQUENCY * t) + (p->problem.coupled ? cos(t) : 0));
}

static int entry_of(const test_problem *p, const char *name)
{
  char text[64];
  for (int i = 0; i < p->size; i++) {
    dae_problem_variable(&p->problem, i, text, sizeof text);
    if (strcmp(text, name) == 0)
      return i;
  }
  fail_msg("%s has no %s", p->name, name);
  return -1;
}

/* Tolerances of a state vector: OWN for the small variables, 0 for the others. */
static double *small_tolerances(const test_problem *p)
{
  double *atol = calloc((size_t)p->size, sizeof *atol);
  char text[64];
  assert_non_null(atol);
  for (int i = 0; i < p->size; i++)
    if (dae_problem_variable(&p->problem, i, text, sizeof text) != DAE_VARIABLE_MULTIPLIER &&
        strchr(text, 'y'))
      atol[i] = OWN;
  return atol;
}

static dae_integrator *create(const test_problem *p, const dae_method *method, const char *rtol,
                              const char *atol)
{
  double opts[64] = {0};
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  assert_true(method->options_size <= sizeof opts);
  method->defaults(opts);
  assert_int_equal(dae_options_set(method->options, opts, "rtol", rtol, &err), DAE_OK);
  if (atol)
    assert_int_equal(dae_options_set(method->options, opts, "atol", atol, &err), DAE_OK);
  dae_status status = method->create(&p->problem, &p->start, opts, NULL, &it, &err);
  if (status && status != DAE_ERROR_UNSUPPORTED && status != DAE_ERROR_OPTION)
    fail_msg("%s, %s: %s", p->name, method->name, err.text);
  return it;
}

/* Largest error of y at the ends of all steps, relative to SMALL; -1: the method does not apply, or
 * has fixed steps only. */
static double error_of(const test_problem *p, const dae_method *method)
{
  double y[32], error = 0;
  int entry = entry_of(p, p->problem.coupled ? "B.y" : "y");
  dae_error err = dae_error_none();
  dae_integrator *it = create(p, method, "1e-6", NULL);
  dae_status status = it ? DAE_OK : DAE_END;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, END, &err);
    double t = dae_integrator_view(it).t;
    if (status < 0 || dae_integrator_interpolate(it, t, y, NULL, &err))
      fail_msg("%s, %s: %s", p->name, method->name, err.text);
    error = fmax(error, fabs(y[entry] - small_motion(p, t)) / SMALL);
  }
  error = it ? error : -1;
  dae_integrator_free(it);
  return error;
}

/* Every method that applies resolves y with its own tolerance; returns their number. */
static int check_methods(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, END, &p);
  const dae_method *method;
  int methods = 0;
  double *atol = small_tolerances(&p);
  for (int i = 0; (method = dae_method_at(i)); i++) {
    if (method->accepts(&p.problem, NULL) != DAE_OK)
      continue;
    p.problem.atol = NULL;
    double lost = error_of(&p, method);
    p.problem.atol = atol;
    double resolved = error_of(&p, method);
    if (lost < 0)
      continue;
    if (!(resolved < 1e-3 && lost > 20 * resolved && lost > 1e-3))
      fail_msg("%s, %s: error %g with its own tolerance, %g without", p.name, method->name,
               resolved, lost);
    methods++;
  }
  free(atol);
  dae_model_free(model);
  return methods;
}

static void test_a_small_variable_is_resolved_by_its_own_tolerance(void **state)
{
  (void)state;
  /* explicit, gauss, radau, switching, bdf, three of spark, lie */
  assert_true(check_methods(mechanical) >= 9);
  /* without bdf, and with bdf-ggl, -ggl-star, -cs, -cm */
  assert_true(check_methods(constrained) >= 12);
  /* explicit, gauss, radau, rosenbrock, switching, bdf, lie */
  assert_true(check_methods(states) >= 7);
  /* radau, rosenbrock, bdf, lie */
  assert_true(check_methods(semi_explicit) >= 4);
  /* those of the assembled system, gauss-seidel and jacobi */
  assert_true(check_methods(coupled) >= 11);
}

/* ---- defaults ---- */

static void state_at_end(const test_problem *p, const dae_method *method, const char *rtol,
                         const char *atol, double *y)
{
  dae_integrator *it = create(p, method, rtol, atol);
  dae_status status = it ? DAE_OK : DAE_END;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, NULL);
  assert_int_equal(status, DAE_END);
  if (it)
    assert_int_equal(dae_integrator_interpolate(it, 1, y, NULL, NULL), DAE_OK);
  dae_integrator_free(it);
}

static void test_default_atol_is_a_hundredth_of_rtol(void **state)
{
  (void)state;
  static const char *const texts[] = {mechanical, constrained, semi_explicit, coupled};
  const dae_method *method;
  for (int k = 0; k < 4; k++) {
    test_problem p;
    dae_model *model = text_problem(texts[k], NULL, 0, END, &p);
    for (int i = 0; (method = dae_method_at(i)); i++) {
      double a[32] = {0}, b[32] = {0}, other[32] = {0};
      if (method->accepts(&p.problem, NULL) != DAE_OK || error_of(&p, method) < 0)
        continue;
      state_at_end(&p, method, "1e-8", NULL, a);
      state_at_end(&p, method, "1e-8", "1e-10", b);
      state_at_end(&p, method, "1e-8", "1e-8", other);
      assert_memory_equal(a, b, sizeof a);
      assert_memory_not_equal(a, other, sizeof a);
    }
    dae_model_free(model);
  }
}

/* ---- equal tolerances, refusals, saved states ---- */

static void test_tolerances_equal_to_that_of_the_options_change_no_bit(void **state)
{
  (void)state;
  static const char *const texts[] = {mechanical, constrained, semi_explicit};
  const dae_method *method;
  for (int k = 0; k < 3; k++) {
    test_problem p;
    dae_model *model = text_problem(texts[k], NULL, 0, END, &p);
    double same[32], none[32] = {0};
    for (int i = 0; i < 32; i++)
      same[i] = 1e-7;
    for (int i = 0; (method = dae_method_at(i)); i++) {
      double y[3][32] = {{0}};
      if (method->accepts(&p.problem, NULL) != DAE_OK || error_of(&p, method) < 0)
        continue;
      const double *const given[] = {NULL, none, same};
      for (int j = 0; j < 3; j++) {
        p.problem.atol = given[j];
        state_at_end(&p, method, "1e-5", "1e-7", y[j]);
        assert_memory_equal(y[0], y[j], sizeof y[j]);
      }
      p.problem.atol = NULL;
    }
    dae_model_free(model);
  }
}

static void test_tolerances_that_are_negative_or_not_finite_are_refused_by_name(void **state)
{
  (void)state;
  static const double bad[] = {-1e-9, (double)NAN, (double)INFINITY};
  const dae_method *method;
  test_problem p;
  dae_model *model = text_problem(mechanical, NULL, 0, END, &p);
  double atol[4] = {0};
  p.problem.atol = atol;
  for (int i = 0; (method = dae_method_at(i)); i++)
    for (int k = 0; k < 3; k++) {
      double opts[64] = {0};
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      method->defaults(opts);
      atol[3] = 0;
      dae_status sound = method->create(&p.problem, &p.start, opts, NULL, &it, NULL);
      dae_integrator_free(it);
      it = NULL;
      atol[3] = bad[k];
      dae_status status = method->create(&p.problem, &p.start, opts, NULL, &it, &err);
      if (sound)
        continue;
      if (status != DAE_ERROR_PROBLEM || strcmp(err.equation, "der(y)") != 0)
        fail_msg("%s: %s, %s", method->name, dae_status_name(status), err.text);
      assert_null(it);
    }
  dae_model_free(model);
}

static void test_a_saved_state_knows_the_tolerances(void **state)
{
  (void)state;
  static const char *const names[] = {"gauss", "bdf", "gauss-seidel"};
  for (int i = 0; i < 3; i++) {
    const dae_method *method = dae_method_find(names[i], NULL);
    test_problem p;
    dae_model *model = text_problem(i < 2 ? mechanical : coupled, NULL, 0, END, &p);
    double *own = small_tolerances(&p), *other = small_tolerances(&p);
    other[entry_of(&p, i < 2 ? "der(y)" : "der(B.y)")] = 1e-14;
    p.problem.atol = own;
    dae_integrator *a = create(&p, method, "1e-6", NULL), *b = create(&p, method, "1e-6", NULL);
    p.problem.atol = other;
    dae_integrator *c = create(&p, method, "1e-6", NULL);
    size_t size = dae_integrator_save_size(a);
    void *buffer = malloc(size);
    assert_int_equal(dae_integrator_step(a, END, NULL), DAE_OK);
    assert_int_equal(dae_integrator_save(a, buffer, size, NULL), DAE_OK);
    assert_int_equal(dae_integrator_load(b, buffer, size, NULL), DAE_OK);
    assert_int_equal(dae_integrator_load(c, buffer, size, NULL), DAE_ERROR_USAGE);
    free(buffer);
    dae_integrator_free(a);
    dae_integrator_free(b);
    dae_integrator_free(c);
    free(own);
    free(other);
    dae_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_small_variable_is_resolved_by_its_own_tolerance),
      cmocka_unit_test(test_default_atol_is_a_hundredth_of_rtol),
      cmocka_unit_test(test_tolerances_equal_to_that_of_the_options_change_no_bit),
      cmocka_unit_test(test_tolerances_that_are_negative_or_not_finite_are_refused_by_name),
      cmocka_unit_test(test_a_saved_state_knows_the_tolerances)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
