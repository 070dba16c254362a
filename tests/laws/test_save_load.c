/* Stepping on after load gives the same bits as stepping on after save: times, states, statistics;
 * in the same handle, in a fresh one, and in one that has been elsewhere; for every problem, every
 * method that takes it, variable and fixed steps, dense and sparse. */
#include "reference/stiff_cranks.h"
#include "same_bits.h"
#include "text_problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* what a method does not take may only show in the values at the start, as a singular M; and some
 * have no variable steps */
static bool refused(const same_set_up *s)
{
  dae_integrator *it = NULL;
  dae_status status = s->method->create(&s->p->problem, &s->p->start, &s->opts, NULL, &it, NULL);
  dae_integrator_free(it);
  return status == DAE_ERROR_UNSUPPORTED || (s->step == 0 && status == DAE_ERROR_OPTION);
}

/* steps of that size are too large for explicit methods where the problem is stiff */
static bool unstable(const same_set_up *s)
{
  const char *name = s->method->name;
  return strcmp(s->p->name, "van_der_pol") == 0 &&
         (strcmp(name, "euler") == 0 || strcmp(name, "heun") == 0 || strcmp(name, "rk4") == 0 ||
          (s->step > 0 && (strcmp(name, "explicit") == 0 || strcmp(name, "gauss") == 0)));
}

static void check_problem(const test_problem *p, double step_size)
{
  const dae_method *method;
  int methods = 0;
  for (int i = 0; (method = dae_method_at(i)); i++) {
    if (method->accepts(&p->problem, NULL) != DAE_OK)
      continue;
    same_set_up s = same_set_up_of(p, method, step_size);
    if (refused(&s) || unstable(&s) || (step_size > 0 && s.variable_only))
      continue;
    same_check(&s, 0);
    same_check(&s, 1); /* with fixed steps: among the start values */
    same_check(&s, 17);
    methods++;
  }
  assert_true(methods > 0);
}

static void test_variable_steps_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_problem(&p, 0);
    test_problem_free(&p);
  }
}

static void test_fixed_steps_go_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_problem(&p, (p.to - p.start.t) / 20000); /* small enough for akzo_nobel's start */
    test_problem_free(&p);
  }
}

static void test_a_sparse_chain_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  test_problem p = test_chain(60, TEST_CHAIN_MODE);
  check_problem(&p, 0);
  check_problem(&p, 1e-3);
  test_problem_free(&p);
}

/* radau before it solves all stages in one matrix, while it does, and where it changes its ways */
static void test_radau_goes_on_with_the_same_bits_in_one_matrix(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(stiff_bushing, NULL, 0, 1, &p);
  same_set_up s = same_set_up_of(&p, dae_method_find("radau", NULL), 0);
  dae_integrator *it = same_create(&s);
  same_step_on(&s, it, 40);
  assert_true(dae_integrator_stats(it).full > 0);
  dae_integrator_free(it);
  for (int after = 5; after < 45; after += 5)
    same_check(&s, after);
  dae_model_free(model);
}

/* of another problem, of another method for the same problem, cut off, and nonsense */
static void test_foreign_and_cut_buffers_change_nothing(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum(), car = test_car_axis(), ball = test_bouncing_ball();
  const dae_method *ggl = dae_method_find("bdf-ggl", NULL), *bdf = dae_method_find("bdf", NULL);
  same_set_up s = same_set_up_of(&pendulum, ggl, 0), other = same_set_up_of(&car, ggl, 0);
  same_set_up by_ggl = same_set_up_of(&ball, ggl, 0), by_bdf = same_set_up_of(&ball, bdf, 0);
  dae_integrator *it = same_create(&s), *foreign = same_create(&other);
  dae_integrator *a = same_create(&by_ggl), *b = same_create(&by_bdf);
  same_step_on(&s, it, 9);
  same_step_on(&other, foreign, 9);
  size_t size, foreign_size, other_size;
  void *saved = same_save(it, &size), *theirs = same_save(foreign, &foreign_size);
  void *method = same_save(b, &other_size);
  dae_error err = dae_error_none();
  const size_t cut[] = {0, 1, 40, size / 2, size - 1};
  for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
    assert_int_equal(dae_integrator_load(it, saved, cut[i], &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(it, theirs, foreign_size, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_integrator_load(a, method, other_size, &err), DAE_ERROR_USAGE);
  memset(theirs, 0x5a, foreign_size);
  assert_int_equal(dae_integrator_load(it, theirs, foreign_size, &err), DAE_ERROR_USAGE);
  assert_string_equal(err.equation, "buffer");
  size_t size_after;
  void *after = same_save(it, &size_after);
  assert_int_equal(size_after, size);
  assert_memory_equal(after, saved, size);
  free(after), free(saved), free(theirs), free(method);
  dae_integrator_free(it);
  dae_integrator_free(foreign);
  dae_integrator_free(a);
  dae_integrator_free(b);
}

/* from the same state twice, after different pasts */
static void check_restart(const test_problem *p)
{
  same_set_up s = same_set_up_of(p, support_method(&p->problem), 0);
  dae_integrator *it = same_create(&s);
  double *y = calloc((size_t)p->size, sizeof *y);
  assert_non_null(y);
  same_step_on(&s, it, 20);
  double t = dae_integrator_view(it).t;
  support_state(it, y, NULL);
  same_record r[2];
  for (int i = 0; i < 2; i++) {
    dae_error err = dae_error_none();
    if (dae_integrator_restart(it, t, y, &err) != DAE_OK)
      fail_msg("%s: %s", p->name, err.text);
    assert_true(dae_integrator_view(it).t == t);
    r[i] = same_record_steps(&s, it);
  }
  assert_int_equal(r[1].stats.restarts, 2);
  r[1].stats = r[0].stats; /* they count on */
  same_assert(&s, &r[0], r[1], "a second restart");
  free(r[0].values);
  free(y);
  dae_integrator_free(it);
}

static void test_a_restart_forgets_the_past(void **state)
{
  (void)state;
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    check_restart(&p);
    test_problem_free(&p);
  }
}

/* a run with rows between the steps and one without them */
static void look_at(const test_problem *p, const dae_method *method)
{
  same_set_up s = same_set_up_of(p, method, 0);
  if (refused(&s))
    return;
  dae_integrator *seen = same_create(&s), *unseen = same_create(&s);
  double *a = calloc((size_t)(2 * p->size), sizeof *a), *b = a + p->size;
  assert_non_null(a);
  for (int j = 0; j < 60 && same_step(&s, seen); j++) {
    dae_view view = dae_integrator_view(seen);
    for (int k = 1; k < 4; k++)
      assert_int_equal(
          dae_integrator_interpolate(seen, view.t_previous + k * (view.t - view.t_previous) / 4, a,
                                     NULL, NULL),
          DAE_OK);
    same_step(&s, unseen);
  }
  support_state(seen, a, NULL);
  support_state(unseen, b, NULL);
  bool same = memcmp(a, b, (size_t)p->size * sizeof *a) == 0;
  free(a);
  dae_integrator_free(seen);
  dae_integrator_free(unseen);
  if (!same)
    fail_msg("%s, %s: the bits differ", p->name, method->name);
}

static void test_looking_does_not_change_the_motion(void **state)
{
  (void)state;
  const char *const names[] = {"explicit", "gauss", "radau", "rosenbrock", "switching"};
  test_problem p;
  for (int i = 0; test_problem_at(i, &p); i++) {
    look_at(&p, support_method(&p.problem));
    for (int k = 0; k < 5; k++) {
      const dae_method *method = dae_method_find(names[k], NULL);
      if (method->accepts(&p.problem, NULL) == DAE_OK)
        look_at(&p, method);
    }
    test_problem_free(&p);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_variable_steps_go_on_with_the_same_bits),
      cmocka_unit_test(test_fixed_steps_go_on_with_the_same_bits),
      cmocka_unit_test(test_a_sparse_chain_goes_on_with_the_same_bits),
      cmocka_unit_test(test_radau_goes_on_with_the_same_bits_in_one_matrix),
      cmocka_unit_test(test_foreign_and_cut_buffers_change_nothing),
      cmocka_unit_test(test_a_restart_forgets_the_past),
      cmocka_unit_test(test_looking_does_not_change_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
