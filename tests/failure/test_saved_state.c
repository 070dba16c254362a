/* A saved state is refused by every integrator but one of the same problem, method and options, and
 * after a refusal the integrator steps on with the same bits. */
#include "text_problem.h"

#include <daedal/daedal.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a pendulum of length L with damping d, in C ---- */

typedef struct pendulum {
  double L, d;
  const char *name;
} pendulum;

static int pendulum_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1, M[1] = M[2] = 0;
  return 0;
}

static int pendulum_f(void *user, const dae_mechanical_at *at, double *f)
{
  const pendulum *p = user;
  f[0] = -p->d * at->v[0];
  f[1] = -9.81 - p->d * at->v[1];
  return 0;
}

static int pendulum_g(void *user, const dae_mechanical_at *at, double *g)
{
  const pendulum *p = user;
  g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - p->L * p->L;
  return 0;
}

/* An integrator of a problem, which lives as long. */
typedef struct held {
  pendulum of;
  const char *names[1];
  dae_mechanical m;
  dae_problem problem;
  dae_integrator *it;
} held;

/* hanging: at rest in the lowest point, else released at the side */
static void create(held *h, pendulum of, const char *method, const char *rtol, bool hanging)
{
  const dae_method *by = dae_method_find(method, NULL);
  double y[5] = {hanging ? 0 : of.L, hanging ? -of.L : 0, 0, 0, 0};
  dae_start start = {.y = y};
  _Alignas(max_align_t) char opts[1024];
  dae_error err = dae_error_none();
  *h = (held){.of = of};
  h->names[0] = of.name ? of.name : "rod";
  h->m = (dae_mechanical){.name = "pendulum",
                          .nq = 2,
                          .ng = 1,
                          .user = &h->of,
                          .g_names = h->names,
                          .M = pendulum_M,
                          .f = pendulum_f,
                          .g = pendulum_g};
  h->problem = dae_problem_mechanical(&h->m);
  by->defaults(opts);
  assert_int_equal(dae_options_set(by->options, opts, "rtol", rtol, &err), DAE_OK);
  if (by->create(&h->problem, &start, opts, NULL, &h->it, &err) != DAE_OK)
    fail_msg("%s: %s", method, err.text);
}

static void *save(const dae_integrator *it, size_t *size)
{
  *size = dae_integrator_save_size(it);
  void *saved = malloc(*size);
  assert_non_null(saved);
  assert_int_equal(dae_integrator_save(it, saved, *size, NULL), DAE_OK);
  return saved;
}

static void step_on(dae_integrator *it, int steps)
{
  for (int i = 0; i < steps && dae_integrator_view(it).t < 1; i++)
    assert_true(dae_integrator_step(it, 1, NULL) >= 0);
}

/* The buffer is refused with a message that has the word, and nothing changes: the integrator steps
 * on with the bits of its twin. */
static void assert_refused(dae_integrator *it, dae_integrator *twin, const void *saved, size_t size,
                           const char *word)
{
  dae_error err = dae_error_none();
  step_on(it, 3), step_on(twin, 3);
  dae_stats before = dae_integrator_stats(it), after;
  assert_int_equal(dae_integrator_load(it, saved, size, &err), DAE_ERROR_USAGE);
  if (!strstr(err.text, word))
    fail_msg("'%s' does not name %s", err.text, word);
  after = dae_integrator_stats(it);
  assert_memory_equal(&before, &after, sizeof before);
  step_on(it, 5), step_on(twin, 5);
  size_t mine, theirs;
  void *a = save(it, &mine), *b = save(twin, &theirs);
  assert_int_equal(mine, theirs);
  assert_memory_equal(a, b, mine);
  free(a), free(b);
}

/* A state of pendulum `from` by one method is refused by another pendulum, method or tolerance. */
static void check_pendulum(const char *method, pendulum to, const char *other, const char *rtol,
                           bool hanging, const char *word)
{
  held a, b, twin, same;
  size_t size;
  create(&a, (pendulum){1, 0.1, NULL}, method, "1e-6", hanging);
  create(&same, (pendulum){1, 0.1, NULL}, method, "1e-6", !hanging);
  create(&b, to, other, rtol, hanging);
  create(&twin, to, other, rtol, hanging);
  step_on(a.it, 4);
  void *saved = save(a.it, &size);
  assert_refused(b.it, twin.it, saved, size, word);
  assert_int_equal(dae_integrator_load(same.it, saved, size, NULL), DAE_OK);
  free(saved);
  held *all[] = {&a, &b, &twin, &same};
  for (int i = 0; i < 4; i++)
    dae_integrator_free(all[i]->it);
}

static const char *const methods[] = {"bdf-ggl", "bdf-cm",   "radau",       "switching",  "gauss",
                                      "lie",     "explicit", "spark-gauss", "spark-radau"};
enum { METHODS = sizeof methods / sizeof *methods };

static void test_another_length_is_refused(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++)
    check_pendulum(methods[i], (pendulum){2, 0.1, NULL}, methods[i], "1e-6", false,
                   "another problem: g has other values");
}

static void test_another_damping_is_refused_at_rest_too(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    check_pendulum(methods[i], (pendulum){1, 0.2, NULL}, methods[i], "1e-6", false, "f has other");
    check_pendulum(methods[i], (pendulum){1, 0.2, NULL}, methods[i], "1e-6", true, "f has other");
  }
}

static void test_another_name_of_a_constraint_is_refused(void **state)
{
  (void)state;
  check_pendulum("radau", (pendulum){1, 0.1, "bar"}, "radau", "1e-6", false, "names");
}

static void test_another_tolerance_is_refused_by_name(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++)
    check_pendulum(methods[i], (pendulum){1, 0.1, NULL}, methods[i], "2e-6", false,
                   "rtol = 1e-06, this integrator has 2e-06");
}

static void test_another_method_is_refused_by_name(void **state)
{
  (void)state;
  for (int i = 0; i < METHODS; i++)
    check_pendulum(methods[i], (pendulum){1, 0.1, NULL}, methods[(i + 1) % METHODS], "1e-6", false,
                   methods[i]);
}

static void test_a_torn_buffer_is_refused(void **state)
{
  (void)state;
  held a, b, twin;
  size_t size;
  create(&a, (pendulum){1, 0.1, NULL}, "bdf-ggl", "1e-6", false);
  create(&b, (pendulum){1, 0.1, NULL}, "bdf-ggl", "1e-6", false);
  create(&twin, (pendulum){1, 0.1, NULL}, "bdf-ggl", "1e-6", false);
  step_on(a.it, 4);
  char *early = save(a.it, &size);
  step_on(a.it, 4);
  char *late = save(a.it, &size);
  memcpy(late, early, size / 2); /* written halfway over an older one */
  assert_refused(b.it, twin.it, late, size, "damaged");
  assert_refused(b.it, twin.it, early, size - 1, "cut off");
  memcpy(late, early, size);
  late[size - 1] ^= 0x40;
  assert_refused(b.it, twin.it, late, size, "damaged");
  free(early), free(late);
  dae_integrator_free(a.it);
  dae_integrator_free(b.it);
  dae_integrator_free(twin.it);
}

/* ---- models ---- */

static dae_integrator *integrator_of(const test_problem *p, const char *method, const char *option,
                                     const char *value)
{
  const dae_method *by = dae_method_find(method, NULL);
  dae_integrator *it = NULL;
  _Alignas(max_align_t) char opts[1024];
  dae_error err = dae_error_none();
  by->defaults(opts);
  if (option)
    assert_int_equal(dae_options_set(by->options, opts, option, value, &err), DAE_OK);
  if (by->create(&p->problem, &p->start, opts, NULL, &it, &err) != DAE_OK)
    fail_msg("%s", err.text);
  return it;
}

/* A state of one text is refused by another one, or by another parameter. */
static void check_models(const char *text, const char *other, const char *set, const char *method,
                         const char *word)
{
  test_problem p, q;
  size_t size;
  dae_model *model = text_problem(text, NULL, 0, 1, &p);
  dae_model *another = text_problem(other, &set, set != NULL, 1, &q);
  dae_integrator *a = integrator_of(&p, method, NULL, NULL);
  dae_integrator *b = integrator_of(&q, method, NULL, NULL);
  dae_integrator *twin = integrator_of(&q, method, NULL, NULL);
  step_on(a, 2);
  void *saved = save(a, &size);
  assert_refused(b, twin, saved, size, word);
  free(saved);
  dae_integrator_free(a);
  dae_integrator_free(b);
  dae_integrator_free(twin);
  dae_model_free(model);
  dae_model_free(another);
}

static const char mass[] = "model mass\nparam m = 1, k = 4\ncoord x = 1\n"
                           "kinetic m*x'^2/2\npotential k*x^2/2\n";
static const char weight[] = "model mass\nparam m = 1, k = 4\ncoord z = 1\n"
                             "kinetic m*z'^2/2\npotential k*z^2/2\n";
static const char two[] = "model two\nparam a = 0.5\n"
                          "system one { state x = 1\nalg z = 0\nx' = -x + two.z\n0 = z - a*x }\n"
                          "system two { state x = 0\nalg z = 0\nx' = one.z\n0 = z + x }\n";

static void test_another_parameter_of_a_model_is_refused(void **state)
{
  (void)state;
  const char *const by[] = {"bdf", "switching", "radau"};
  for (int i = 0; i < 3; i++) {
    check_models(mass, mass, "k=5", by[i], "f has other values");
    check_models(mass, mass, "m=2", by[i], "M has other values");
    check_models(mass, weight, NULL, by[i], "names");
  }
}

static void test_another_parameter_of_coupled_systems_is_refused(void **state)
{
  (void)state;
  const char *const by[] = {"gauss-seidel", "jacobi", "bdf", "radau"};
  for (int i = 0; i < 4; i++)
    check_models(two, two, "a=0.6", by[i], "F has other values");
}

static void test_the_number_of_threads_does_not_matter(void **state)
{
  (void)state;
  test_problem p;
  size_t size;
  dae_model *model = text_problem(two, NULL, 0, 1, &p);
  dae_integrator *a = integrator_of(&p, "jacobi", "workers", "1");
  dae_integrator *b = integrator_of(&p, "jacobi", "workers", "2");
  dae_integrator *c = integrator_of(&p, "jacobi", "depth", "3");
  step_on(a, 2);
  void *saved = save(a, &size);
  assert_int_equal(dae_integrator_load(b, saved, size, NULL), DAE_OK);
  assert_int_equal(dae_integrator_load(c, saved, size, NULL), DAE_ERROR_USAGE);
  free(saved);
  dae_integrator_free(a);
  dae_integrator_free(b);
  dae_integrator_free(c);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_another_length_is_refused),
      cmocka_unit_test(test_another_damping_is_refused_at_rest_too),
      cmocka_unit_test(test_another_name_of_a_constraint_is_refused),
      cmocka_unit_test(test_another_tolerance_is_refused_by_name),
      cmocka_unit_test(test_another_method_is_refused_by_name),
      cmocka_unit_test(test_a_torn_buffer_is_refused),
      cmocka_unit_test(test_another_parameter_of_a_model_is_refused),
      cmocka_unit_test(test_another_parameter_of_coupled_systems_is_refused),
      cmocka_unit_test(test_the_number_of_threads_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
