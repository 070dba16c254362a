/* What is refused of right sides at earlier iterates, and how: weights, points, memory. */
#include "wave/variants/iterates.h"

#include "augmented_fixture.h"
#include "counting_env.h"
#include "trio.h"
#include "works.h"

#define MAX 16

static const double one[] = {1}, present[] = {1, 0}, last[] = {0, 1};
static const dae_wave_terms mixed = {.ages = 2,
                                     .terms = 2,
                                     .b = (const double[]){1.5, -0.5},
                                     .own = (const double[]){0.3, 0.9, -0.2, -0.4, 0.6, 0.8},
                                     .others = (const double[]){2, -1, 0.25, 0.75}};

static void test_a_problem_in_momentum_form_is_not_a_part(void **state)
{
  (void)state;
  dae_momentum momentum = {0};
  dae__iterates *it = NULL;
  dae_error err = dae_error_none();
  dae_problem base = dae_problem_momentum(&momentum);
  assert_int_equal(dae__iterates_create(arena, &base, &mixed, &it, &err), DAE_ERROR_UNSUPPORTED);
  assert_null(it);
}

/* ---- weights ---- */

static void assert_refused(dae_wave_terms terms, const char *field, const char *text)
{
  dae_error err = dae_error_none();
  assert_int_equal(dae__iterates_validate(&terms, &err), DAE_ERROR_OPTION);
  assert_string_equal(err.equation, field);
  if (!strstr(err.text, text))
    fail_msg("%s", err.text);
}

static void test_weights_that_do_not_sum_up_to_one_are_refused(void **state)
{
  (void)state;
  const double ones[] = {1, 1}, thirds[] = {1. / 3, 1. / 3, 1. / 3},
               halves[] = {0.5, 0.5, 0.5, 0.4};
  const double unknown[] = {NAN}, tenth[] = {0.1, 0.9, 1e3, -999 + 1e-8};
  dae_wave_terms two = {1, 2, halves, halves, ones, 0}, three = {2, 1, one, thirds, halves, 0};
  assert_int_equal(dae__iterates_validate(&three, NULL), DAE_OK);
  assert_refused(two, "own", "own of term 2 sum up to 0.9");
  two.own = tenth;
  assert_refused(two, "own", "own of term 2");
  two.b = thirds;
  assert_refused(two, "b", "b sum up to 0.66");
  assert_refused((dae_wave_terms){1, 1, one, present, halves, 0}, "others", "others of term 1");
  assert_refused((dae_wave_terms){1, 1, unknown, present, one, 0}, "b", "nan");
  assert_refused((dae_wave_terms){0, 1, one, one, one, 0}, "ages", "ages = 0");
  assert_refused((dae_wave_terms){1, 0, one, one, one, 0}, "terms", "terms = 0");
  assert_refused((dae_wave_terms){1, 1, one, present, NULL, 0}, "terms", "others are missing");
}

static void test_a_linear_part_needs_the_last_iterate_alone(void **state)
{
  (void)state;
  const double ones[] = {1, 1}, mean[] = {0.5, 0.5}, half[] = {0.5, 0.5}, both[] = {0, 1, 0, 1};
  assert_refused((dae_wave_terms){1, 1, one, present, one, 0.5}, "linear", "own = (0, 1)");
  assert_refused((dae_wave_terms){1, 1, one, mean, one, 0.5}, "linear", "own = (0, 1)");
  assert_refused((dae_wave_terms){1, 2, half, both, ones, 0.5}, "linear", "one term");
  assert_refused((dae_wave_terms){1, 1, one, last, one, -0.5}, "linear", "0 ... 1");
  assert_refused((dae_wave_terms){1, 1, one, last, one, NAN}, "linear", "0 ... 1");
}

/* ---- the base, and memory ---- */

static int refuses(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  return 1;
}

static void test_a_base_that_refuses_is_heard(void **state)
{
  (void)state;
  trio t;
  double z[MAX] = {0}, in[MAX] = {0}, out[MAX * MAX];
  make_trio(&t, true);
  dae_problem base = {.mechanical = &t.arm};
  dae__iterates *it = NULL;
  assert_int_equal(dae__iterates_create(arena, &base, &mixed, &it, NULL), DAE_OK);
  const dae_problem *p = &it->problem;
  dae_mechanical_at at = {0, z, z + 3, z + 6, z + 7, in};
  t.arm.f = t.arm.J = t.arm.J_in = refuses;
  assert_int_equal(p->mechanical->f(p->mechanical->user, &at, out), 1);
  assert_non_null(strstr(p->why->text, "callback f"));
  assert_int_equal(p->mechanical->J(p->mechanical->user, &at, out), 1);
  assert_non_null(strstr(p->why->text, "callback J"));
  assert_int_equal(p->mechanical->J_in(p->mechanical->user, &at, out), 1);
}

static bool build(const dae_env *env)
{
  works w;
  make_works(&w, true, false);
  dae__arena *memory = dae__arena_create(env);
  dae__iterates *it = NULL;
  dae_error err = dae_error_none();
  if (memory &&
      dae__iterates_create(memory, &(dae_problem){.mechanical = &w.machine}, &mixed, &it, &err))
    assert_int_equal(err.status, DAE_ERROR_MEMORY);
  dae__arena_free(memory);
  return it != NULL;
}

static void test_without_memory_it_says_so(void **state)
{
  (void)state;
  assert_int_equal(counting_env_fault(build), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_problem_in_momentum_form_is_not_a_part),
      TEST(test_weights_that_do_not_sum_up_to_one_are_refused),
      TEST(test_a_linear_part_needs_the_last_iterate_alone),
      TEST(test_a_base_that_refuses_is_heard),
      TEST(test_without_memory_it_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
