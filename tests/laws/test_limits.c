/* Variables that limit steps and iterations (dae_integrator_limits), by every method: one fast
 * oscillator beside slow ones limits the steps, one nonlinear equation beside linear ones the
 * iterations; the counts add up to the statistics, and are saved and loaded. */
#include "text_problem.h"

#include <daedal/run.h>
#include <stdlib.h>

#define END 4.0

/* Each has slow variables, and some named fast... that oscillate fifteen times as fast. */
static const char mechanical[] = "model mechanical\n"
                                 "coord a = 1, fast = 1, b = 1\n"
                                 "kinetic (a'^2 + fast'^2 + b'^2)/2\n"
                                 "potential (a^2 + 225*fast^2 + 0.5*b^2)/2\n";
static const char constrained[] = "model constrained\n"
                                  "coord a = 1, x = 0 rate 1, y = -1, fast = 1\n"
                                  "kinetic (a'^2 + x'^2 + y'^2 + fast'^2)/2\n"
                                  "potential (a^2 + 225*fast^2)/2 + y\n"
                                  "constraint rod: x^2 + y^2 = 1\n";
static const char states[] = "model states\n"
                             "state a = 1, v = 0, fast = 1, fastv = 0\n"
                             "a' = v\n"
                             "v' = -a\n"
                             "fast' = 15*fastv\n"
                             "fastv' = -15*fast\n";
static const char semi_explicit[] = "model semi\n"
                                    "state a = 1, v = 0, fast = 1, fastv = 0\n"
                                    "alg w = 0\n"
                                    "a' = v\n"
                                    "v' = w\n"
                                    "fast' = 15*fastv\n"
                                    "fastv' = -15*fast\n"
                                    "w + a = 0\n";
/* the fast variables come first in the assembled problem, which has all positions first */
static const char coupled[] =
    "model coupled\n"
    "system A { coord a = 1\n kinetic a'^2/2\n potential a^2/2\n force a = 0.01*B.fast }\n"
    "system B { coord fast = 1\n kinetic fast'^2/2\n potential 225*fast^2/2\n"
    "  force fast = 0.01*A.a }\n";

/* a stiff nonlinear equation, whose solution is not its first iterate, beside linear ones */
static const char nonlinear[] = "model nonlinear\n"
                                "param k = 200\n"
                                "state a = 1, b = 0, bent = 1\n"
                                "a' = -a/5\n"
                                "b' = a/10\n"
                                "bent' = -k*(bent^3 - cos(t)^3)\n";
static const char bent_spring[] = "model spring\n"
                                  "coord a = 1, b = 0.5, bent = 1\n"
                                  "kinetic (a'^2 + b'^2 + bent'^2)/2\n"
                                  "potential 0.02*a^2 + 0.01*b^2 + 20*bent^4\n";
/* the sweeps converge by the strong wire: B.bent follows A.a and acts back on it */
static const char wired[] = "model wired\n"
                            "system A { state a = 1, c = 1\n a' = -a + 0.9*B.bent\n c' = -c/4 }\n"
                            "system B { state bent = 0, d = 1\n bent' = -5*bent + 4*A.a\n"
                            "  d' = -d/4 + 0.001*A.c }\n";

typedef struct limited {
  dae_limits all, named; /* sums over all variables, and over those whose name has the word */
  bool first;            /* whether the variable with most steps, iterations has the word */
} limited;

static dae_integrator *create(const test_problem *p, const dae_method *method)
{
  double opts[64] = {0};
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  assert_true(method->options_size <= sizeof opts);
  method->defaults(opts);
  if (method->fixed_step)
    dae_options_set(method->options, opts, "step", "0.002", &err);
  dae_status status = method->create(&p->problem, &p->start, opts, NULL, &it, &err);
  if (status && status != DAE_ERROR_UNSUPPORTED && status != DAE_ERROR_OPTION)
    fail_msg("%s, %s: %s", p->name, method->name, err.text);
  return it;
}

static void advance(dae_integrator *it, double to)
{
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, to, &err);
  if (status < 0)
    fail_msg("%s: %s", dae_integrator_view(it).method, err.text);
}

static limited sums(const test_problem *p, const dae_integrator *it, const char *word)
{
  limited out = {0};
  long most = 0, steps = 0;
  for (int i = 0; i < p->size; i++)
    steps += dae_integrator_limits(it, i).steps;
  for (int i = 0; i < p->size; i++) {
    char name[64];
    dae_variable_kind kind = dae_problem_variable(&p->problem, i, name, sizeof name);
    dae_limits n = dae_integrator_limits(it, i);
    bool has = strstr(name, word) != NULL;
    long most_here = steps > 0 ? n.steps : n.iterations;
    if (kind == DAE_VARIABLE_MULTIPLIER)
      assert_int_equal(n.steps + n.rejected, 0);
    out.first = most_here > most ? has : out.first;
    most = most_here > most ? most_here : most;
    dae_limits *sum[] = {&out.all, &out.named};
    for (int k = 0; k < 1 + has; k++) {
      sum[k]->steps += n.steps;
      sum[k]->rejected += n.rejected;
      sum[k]->iterations += n.iterations;
      sum[k]->failed += n.failed;
    }
  }
  return out;
}

/* ---- steps ---- */

/* The fast variables limit the steps of every method that applies; returns their number. */
static int check_steps(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, END, &p);
  const dae_method *method;
  int methods = 0;
  for (int i = 0; (method = dae_method_at(i)); i++) {
    dae_integrator *it = method->accepts(&p.problem, NULL) ? NULL : create(&p, method);
    if (!it)
      continue;
    advance(it, END);
    limited n = sums(&p, it, "fast");
    dae_stats stats = dae_integrator_stats(it);
    if (method->fixed_step) {
      assert_int_equal(n.all.steps + n.all.rejected, 0);
    } else {
      if (!(n.first && 2 * n.named.steps > n.all.steps))
        fail_msg("%s, %s: %ld of %ld steps", p.name, method->name, n.named.steps, n.all.steps);
      if (!method->iterates && n.all.rejected >= 5 && 2 * n.named.rejected <= n.all.rejected)
        fail_msg("%s, %s: %ld of %ld rejected attempts", p.name, method->name, n.named.rejected,
                 n.all.rejected);
      methods++;
    }
    if (!method->fixed_step && !method->iterates) { /* all are counted, up to the last sample */
      assert_true(n.all.steps <= stats.steps && n.all.steps + 24 > stats.steps);
      assert_in_range(n.all.rejected, stats.rejected_by_error,
                      stats.rejected_by_error + stats.rejected_by_convergence);
      assert_true(n.all.iterations <= stats.steps && n.all.failed <= stats.rejected_by_convergence);
    }
    assert_int_equal(dae_integrator_limits(it, -1).steps, 0);
    assert_int_equal(dae_integrator_limits(it, p.size).steps, 0);
    dae_integrator_free(it);
  }
  dae_model_free(model);
  return methods;
}

static void test_a_fast_oscillator_limits_the_steps(void **state)
{
  (void)state;
  /* explicit, gauss, radau, switching, bdf, three of spark, lie */
  assert_true(check_steps(mechanical) >= 9);
  /* without bdf, and with bdf-ggl, -ggl-star, -cs, -cm */
  assert_true(check_steps(constrained) >= 12);
  /* explicit, gauss, radau, rosenbrock, switching, bdf, lie */
  assert_true(check_steps(states) >= 7);
  /* radau, rosenbrock, bdf, lie */
  assert_true(check_steps(semi_explicit) >= 4);
  /* those of the assembled system, gauss-seidel and jacobi */
  assert_true(check_steps(coupled) >= 11);
}

/* ---- iterations ---- */

/* The variable `bent` limits the iterations of every method that applies and has some; returns
 * their number. */
static int check_iterations(const char *text)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, END, &p);
  const dae_method *method;
  int methods = 0;
  for (int i = 0; (method = dae_method_at(i)); i++) {
    dae_integrator *it = method->accepts(&p.problem, NULL) ? NULL : create(&p, method);
    if (!it)
      continue;
    advance(it, END);
    limited n = sums(&p, it, "bent");
    bool none = strstr("explicit rosenbrock euler heun rk4", method->name) != NULL;
    assert_true(none == (n.all.iterations == 0));
    if (!none && !(n.first && 2 * n.named.iterations > n.all.iterations))
      fail_msg("%s, %s: %ld of %ld iterations", p.name, method->name, n.named.iterations,
               n.all.iterations);
    assert_true(n.all.failed == 0 || 2 * n.named.failed > n.all.failed);
    methods += !none;
    dae_integrator_free(it);
  }
  dae_model_free(model);
  return methods;
}

static void test_a_nonlinear_equation_limits_the_iteration(void **state)
{
  (void)state;
  /* gauss, radau, radau-iia, switching, bdf, trapezoid, lie */
  assert_true(check_iterations(nonlinear) >= 7);
  /* those, three of spark */
  assert_true(check_iterations(bent_spring) >= 10);
}

static void test_a_strong_wire_limits_the_sweeps(void **state)
{
  (void)state;
  static const char *const methods[] = {"gauss-seidel", "jacobi"};
  test_problem p;
  dae_model *model = text_problem(wired, NULL, 0, END, &p);
  for (int k = 0; k < 2; k++) {
    dae_integrator *it = create(&p, dae_method_find(methods[k], NULL));
    advance(it, END);
    limited n = sums(&p, it, "bent"), a = sums(&p, it, "A.a");
    assert_int_equal(n.all.iterations, dae_integrator_stats(it).steps);
    assert_int_equal(n.named.iterations + a.named.iterations, n.all.iterations);
    dae_integrator_free(it);
  }
  dae_model_free(model);
}

/* ---- save and load ---- */

static void test_counts_are_saved_and_loaded(void **state)
{
  (void)state;
  static const char *const texts[] = {constrained, states, coupled};
  const dae_method *method;
  for (int k = 0; k < 3; k++) {
    test_problem p;
    dae_model *model = text_problem(texts[k], NULL, 0, END, &p);
    for (int i = 0; (method = dae_method_at(i)); i++) {
      dae_integrator *it = method->accepts(&p.problem, NULL) ? NULL : create(&p, method);
      dae_integrator *other = it ? create(&p, method) : NULL;
      if (!it)
        continue;
      advance(it, 1);
      size_t size = dae_integrator_save_size(it);
      void *buffer = malloc(size);
      assert_non_null(buffer);
      assert_int_equal(dae_integrator_save(it, buffer, size, NULL), DAE_OK);
      assert_int_equal(dae_integrator_load(other, buffer, size, NULL), DAE_OK);
      advance(it, 2);
      advance(other, 2);
      for (int j = 0; j < p.size; j++) {
        dae_limits a = dae_integrator_limits(it, j), b = dae_integrator_limits(other, j);
        assert_memory_equal(&a, &b, sizeof a);
      }
      free(buffer);
      dae_integrator_free(it);
      dae_integrator_free(other);
    }
    dae_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_fast_oscillator_limits_the_steps),
      cmocka_unit_test(test_a_nonlinear_equation_limits_the_iteration),
      cmocka_unit_test(test_a_strong_wire_limits_the_sweeps),
      cmocka_unit_test(test_counts_are_saved_and_loaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
