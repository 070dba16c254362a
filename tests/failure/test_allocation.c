/* Memory that runs out: whichever allocation is refused, in whichever constructor, the outcome is
 * a clean error and nothing is left behind. And none is asked for between constructor and free. */
#include "counting_env.h"
#include "klu_memory.h"
#include "problems/problems.h"

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

#define CSV "test_allocation.tmp.csv"
#define JSON "test_allocation.tmp.json"

/* ---- a sparse semi-explicit problem: a heated rod, its end temperature prescribed by y ---- */

#define ROD 60

static int rod_start[ROD + 2], rod_row[3 * ROD + 3];
static double rod_values[ROD + 1];
static dae_pattern rod_pattern;

static int rod_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  for (int i = 0; i < ROD; i++)
    f[i] = (i > 0 ? at->x[i - 1] : 0) - 2 * at->x[i] + (i < ROD - 1 ? at->x[i + 1] : at->y[0]);
  return 0;
}

static int rod_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] - cos(at->t);
  return 0;
}

static test_problem heated_rod(void)
{
  static const dae_semi_explicit rod = {
      .name = "heated_rod", .nx = ROD, .ny = 1, .f = rod_f, .F = rod_F, .J_pattern = &rod_pattern};
  int count = 0;
  for (int j = 0; j <= ROD; j++) {
    for (int i = j - 1; i <= j + 1 && i <= ROD; i++)
      if (i >= 0 && !(i == ROD && j == ROD - 1))
        rod_row[count++] = i;
    rod_start[j + 1] = count;
  }
  rod_pattern = (dae_pattern){ROD + 1, ROD + 1, rod_start, rod_row};
  rod_values[ROD] = 1;
  return (test_problem){.name = "heated_rod",
                        .problem = {.semi_explicit = &rod},
                        .start = {.y = rod_values},
                        .to = 1,
                        .size = ROD + 1};
}

static test_problem chain(void)
{
  return test_chain(20, TEST_CHAIN_MODE);
}

static test_problem curv_ham(void)
{
  return test_curv_ham(true);
}

static test_problem curv_lag_bare(void)
{
  return test_curv_lag(false);
}

static test_problem mixed(void)
{
  return test_mixed(true);
}

static test_problem mixed_bare(void)
{
  return test_mixed(false);
}

/* ---- every constructor on every kind of problem ---- */

typedef enum variant { PLAIN, DAMP, DOUBLING, MEMBER_C } variant;

typedef struct sample {
  test_problem (*make)(void);
  const char *method;
  double step; /* 0: variable */
  variant variant;
} sample;

#define GGL "bdf-ggl"
#define STAR "bdf-ggl-star"
#define CS "bdf-cs"
#define CM "bdf-cm"
#define BDF "bdf"
#define GAUSS "spark-gauss"
#define RADAU "spark-radau"
#define LOBATTO "spark-lobatto"

static const sample samples[] = {
    {test_pendulum, GGL, 0, PLAIN},
    {test_pendulum_bare, GGL, 0, PLAIN}, /* every derivative differenced */
    {test_pendulum_eval, GGL, 0.01, PLAIN},
    {test_curvilinear, GGL, 0, PLAIN}, /* momenta */
    {test_slider_crank, GGL, 0, PLAIN},
    {test_parallel_bars, GGL, 0, PLAIN}, /* a dependent row */
    {test_car_axis_bare, GGL, 0, PLAIN},
    {test_cylinder_skate, GGL, 0, PLAIN}, /* g and k */
    {test_motor, GGL, 0.01, PLAIN},       /* u and w */
    {test_bouncing_ball, BDF, 0, PLAIN},  /* mechanical without constraints */
    {test_akzo_nobel, BDF, 0, PLAIN},
    {test_hessenberg2, BDF, 0, PLAIN},
    {test_transistor_amplifier, BDF, 0, PLAIN},
    {test_van_der_pol, BDF, 0, PLAIN},
    {test_two_circuits, BDF, 0, PLAIN},
    {test_structures, GGL, 0.01, PLAIN},
    {heated_rod, BDF, 0, PLAIN}, /* sparse */
    {chain, GGL, 0, PLAIN},      /* sparse */
    {test_slider_crank, STAR, 0, PLAIN},
    {test_parallel_bars, CS, 0, PLAIN},
    {test_cylinder_skate, CS, 0, PLAIN},
    {chain, CS, 0, PLAIN},
    {test_cylinder_skate, CS, 0, DAMP},
    {chain, CM, 0, DAMP},
    {test_motor, "radau", 0, DAMP}, /* u and w */
    {test_spring, "radau", 0, DAMP},
    {test_cylinder_skate, CM, 0, PLAIN},
    {test_pendulum, GAUSS, 0, PLAIN},
    {test_pendulum_bare, GAUSS, 0.01, PLAIN},
    {test_curvilinear, GAUSS, 0, PLAIN},
    {test_parallel_bars, GAUSS, 0, PLAIN},
    {test_cylinder_skate, GAUSS, 0, PLAIN},
    {test_spring, GAUSS, 0.05, PLAIN}, /* the decoupled iteration */
    {test_structures, GAUSS, 0, PLAIN},
    {chain, GAUSS, 0, PLAIN},
    {test_cylinder_skate, RADAU, 0.01, PLAIN},
    {test_cylinder_skate, LOBATTO, 0, PLAIN},
    {test_parallel_bars, LOBATTO, 0.01, PLAIN},
    {test_cylinder_skate, LOBATTO, 0, MEMBER_C},
    {chain, LOBATTO, 0, PLAIN},
    {test_structures, LOBATTO, 0.01, PLAIN},
    {curv_ham, GAUSS, 0, PLAIN}, /* the momentum form */
    {curv_lag_bare, GAUSS, 0.05, PLAIN},
    {mixed, GAUSS, 0, DOUBLING},
    {mixed, LOBATTO, 0, PLAIN},
    {mixed_bare, RADAU, 0, PLAIN},
    {test_pendulum, GAUSS, 0, DOUBLING},
    {chain, GAUSS, 0, DOUBLING},
    {test_cylinder_skate, LOBATTO, 0, DOUBLING},
};

#define SAMPLES (sizeof samples / sizeof *samples)

/* options of any method */
typedef union options {
  dae_bdf_options bdf;
  dae_spark_options spark;
  dae_rk_options rk;
} options;

static const dae_method *method_of(const sample *s)
{
  return dae_method_find(s->method, NULL);
}

static options options_of(const sample *s)
{
  options opts;
  const dae_method *method = method_of(s);
  assert_true(method->options_size <= sizeof opts);
  method->defaults(&opts);
  if (strncmp(s->method, "spark", 5) == 0) {
    opts.spark.step = s->step;
    opts.spark.stages = s->step > 0 ? 2 : 0;
    if (s->variant == DOUBLING)
      opts.spark.estimate = DAE_SPARK_ESTIMATE_DOUBLING;
    if (s->variant == MEMBER_C)
      opts.spark.member = DAE_SPARK_MEMBER_C;
  } else {
    opts.bdf.step = s->step;
  }
  if (s->variant == DAMP) {
    assert_int_equal(dae_options_set(method->options, &opts, "damp", "on", NULL), DAE_OK);
    assert_int_equal(dae_options_set(method->options, &opts, "damp_time", "0.01", NULL), DAE_OK);
  }
  return opts;
}

static dae_status create(const sample *s, const test_problem *p, const dae_start *start,
                         const dae_env *env, dae_integrator **out, dae_error *err)
{
  options opts = options_of(s);
  return method_of(s)->create(&p->problem, start, &opts, env, out, err);
}

/* integration is short: what is tested is memory */
static double end_of(const sample *s, const test_problem *p)
{
  return p->start.t + (s->step > 0 ? fmin(20 * s->step, p->to) : 0.1 * p->to);
}

static void assert_refused_cleanly(const char *name, long n, dae_status status,
                                   const dae_error *err, const counting_env *count)
{
  if (status != DAE_ERROR_MEMORY || err->status != status)
    fail_msg("%s, allocation %ld refused: status %s, record %s", name, n, dae_status_name(status),
             dae_status_name(err->status));
  if (err->text[0] == '\0')
    fail_msg("%s, allocation %ld refused: no message", name, n);
  if (count->live != 0 || klu_live != 0)
    fail_msg("%s, allocation %ld refused: %ld pieces left behind", name, n, count->live + klu_live);
}

/* refuses each allocation of a constructor in turn */
static void refuse_all(const sample *s, const test_problem *p)
{
  bool fixed[256] = {false};
  dae_start start = p->start;
  start.fixed = fixed;
  long n = 1;
  for (;; n++) {
    counting_env count = {.fail_at = n};
    dae_env env = counting_env_of(&count);
    dae_integrator *it = (dae_integrator *)&count; /* must be overwritten */
    dae_error err = dae_error_none();
    dae_status status = create(s, p, &start, &env, &it, &err);
    if (count.calls < n) {
      assert_int_equal(status, DAE_OK);
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      break;
    }
    assert_null(it);
    assert_refused_cleanly(p->name, n, status, &err, &count);
  }
  assert_true(n > 2); /* something was refused */
}

static void test_every_refused_allocation_of_a_constructor_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    refuse_all(&samples[i], &p);
    test_problem_free(&p);
  }
}

/* memory is taken in chunks: with the size of the problem, the places where one is needed wander
 * through the constructor */
static void test_refused_allocations_are_clean_errors_wherever_a_chunk_ends(void **state)
{
  (void)state;
  for (int n = 5; n <= 50; n++) {
    test_problem p = test_chain(n, TEST_CHAIN_MODE);
    refuse_all(&(sample){NULL, GGL, n % 2 ? 0.01 : 0, PLAIN}, &p);
    refuse_all(&(sample){NULL, GAUSS, n % 2 ? 0.01 : 0, PLAIN}, &p);
    refuse_all(&(sample){NULL, LOBATTO, n % 2 ? 0.01 : 0, PLAIN}, &p);
    test_problem_free(&p);
  }
}

static void test_every_refused_allocation_of_a_consistent_start_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    long n = 1;
    for (;; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      double y[128], dy[128];
      dae_diagnosis find;
      dae_error err = dae_error_none();
      dae_status status = dae_consistent_start(&p.problem, &p.start, &env, y, dy, &find, &err);
      assert_int_equal(count.live, 0);
      if (count.calls < n) {
        assert_int_equal(status, DAE_OK);
        break;
      }
      assert_refused_cleanly(p.name, n, status, &err, &count);
    }
    assert_true(n > 2);
    test_problem_free(&p);
  }
}

/* sinks and run, all from one environment */
static dae_status run_once(const sample *s, const test_problem *p, const dae_env *env,
                           dae_summary *summary, dae_error *err)
{
  options opts = options_of(s);
  dae_sink sinks[2] = {{0}, {0}};
  dae_run_plan plan = {.problem = p->problem,
                       .start = p->start,
                       .method = method_of(s),
                       .options = &opts,
                       .to = p->event_count > 0 ? p->to : end_of(s, p),
                       .events = p->events,
                       .event_count = p->event_count,
                       .sinks = sinks,
                       .sink_count = 2};
  dae_status status = dae_csv_sink(CSV, env, &sinks[0], err);
  if (!status)
    status = dae_json_sink(JSON, env, &sinks[1], err);
  if (!status)
    status = dae_run(&plan, env, summary, err);
  for (int i = 0; i < 2; i++)
    if (sinks[i].free)
      sinks[i].free(sinks[i].self);
  return status;
}

static void test_every_refused_allocation_of_a_run_is_a_clean_error(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    test_problem p = samples[i].make();
    for (long n = 1;; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae_summary summary = {0};
      dae_error err = dae_error_none();
      dae_status status = run_once(&samples[i], &p, &env, &summary, &err);
      assert_int_equal(count.live, 0);
      if (count.calls < n) {
        assert_int_equal(status, DAE_OK);
        break;
      }
      assert_refused_cleanly(p.name, n, status, &err, &count);
      if (summary.problem) { /* the run was reached */
        assert_int_equal(summary.status, DAE_ERROR_MEMORY);
        assert_true(summary.message[0] != '\0');
      }
    }
    test_problem_free(&p);
  }
  remove(CSV);
  remove(JSON);
}

/* ---- nothing is asked for in the step loop ---- */

/* steps to the end, every step looked into, memory saved and brought back halfway */
static void use_all_verbs(dae_integrator *it, dae_integrator *other, double to, void *buffer)
{
  double y[128], dy[128];
  size_t size = dae_integrator_save_size(it);
  dae_status status = DAE_OK;
  for (long steps = 1; status == DAE_OK; steps++) {
    status = dae_integrator_step(it, to, NULL);
    assert_true(status >= 0);
    dae_view view = dae_integrator_view(it);
    double middle = (view.t_previous + view.t) / 2;
    assert_int_equal(dae_integrator_interpolate(it, middle, y, dy, NULL), DAE_OK);
    assert_int_equal(dae_integrator_interpolate(it, view.t, y, NULL, NULL), DAE_OK);
    if (steps % 7 == 0) {
      assert_int_equal(dae_integrator_save(it, buffer, size, NULL), DAE_OK);
      assert_int_equal(dae_integrator_load(it, buffer, size, NULL), DAE_OK);
      assert_int_equal(dae_integrator_load(other, buffer, size, NULL), DAE_OK);
    }
  }
  assert_int_equal(status, DAE_END);
}

static void test_nothing_is_allocated_between_constructor_and_free(void **state)
{
  (void)state;
  for (size_t i = 0; i < SAMPLES; i++) {
    const sample *s = &samples[i];
    test_problem p = s->make();
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_integrator *it, *other;
    assert_int_equal(create(s, &p, &p.start, &env, &it, NULL), DAE_OK);
    assert_int_equal(create(s, &p, &p.start, &env, &other, NULL), DAE_OK);
    void *buffer = malloc(dae_integrator_save_size(it));
    long calls = count.calls, live = count.live;
    use_all_verbs(it, other, end_of(s, &p), buffer);
    if (count.calls != calls || count.live != live)
      fail_msg("%s: %ld allocations in the step loop", p.name, count.calls - calls);
    free(buffer);
    dae_integrator_free(it);
    dae_integrator_free(other);
    assert_int_equal(count.live, 0);
    test_problem_free(&p);
  }
}

static void test_the_number_of_steps_does_not_change_what_a_run_allocates(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const sample s = {test_pendulum, GGL, 0, PLAIN};
  long calls[2], steps[2];
  for (int i = 0; i < 2; i++) {
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_summary summary;
    p.to = i ? 20 : 2;
    assert_int_equal(run_once(&s, &p, &env, &summary, NULL), DAE_OK);
    calls[i] = count.calls;
    steps[i] = summary.stats.steps;
  }
  assert_true(steps[1] > 2 * steps[0]);
  assert_int_equal(calls[0], calls[1]);
  remove(CSV);
  remove(JSON);
}

/* ---- KLU's own memory ---- */

#ifdef DAE_WITH_KLU
static const sample sparse[] = {
    {heated_rod, BDF, 0, PLAIN}, {chain, GGL, 0, PLAIN}, {chain, LOBATTO, 0, PLAIN}};
static const sample fronts = {chain, GAUSS, 0, PLAIN};

#define SPARSE ((int)(sizeof sparse / sizeof *sparse))

static void test_every_refused_allocation_of_klu_in_a_constructor_is_a_clean_error(void **state)
{
  (void)state;
  for (int i = 0; i < SPARSE; i++) {
    test_problem p = sparse[i].make();
    int refused = 0;
    for (long n = 1;; n++) {
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_integrator *it = (dae_integrator *)&count;
      dae_error err = dae_error_none();
      klu_calls = 0;
      klu_fail_at = n;
      dae_status status = create(&sparse[i], &p, &p.start, &env, &it, &err);
      bool reached = klu_calls >= n;
      klu_fail_at = 0;
      if (status) {
        assert_null(it);
        assert_refused_cleanly(p.name, n, status, &err, &count);
        refused++;
      }
      dae_integrator_free(it);
      assert_int_equal(count.live, 0);
      assert_int_equal(klu_live, 0);
      if (!reached) {
        assert_int_equal(status, DAE_OK);
        break;
      }
    }
    assert_true(refused > 5 || p.problem.mechanical); /* whose start is solved for by fronts */
    test_problem_free(&p);
  }
}

static void test_a_refused_allocation_of_klu_in_a_step_is_an_error_of_memory(void **state)
{
  (void)state;
  for (int i = 0; i < SPARSE; i++) {
    test_problem p = sparse[i].make();
    int refused = 0;
    for (long n = 1; n < 10; n++) {
      dae_integrator *it;
      dae_error err = dae_error_none();
      double y[128];
      klu_fail_at = 0;
      assert_int_equal(create(&sparse[i], &p, &p.start, NULL, &it, &err), DAE_OK);
      klu_fail_at = klu_calls + n; /* the first step factors for the first time */
      dae_status status = dae_integrator_step(it, p.to, &err);
      klu_fail_at = 0;
      if (status < 0) {
        refused++;
        if (status != DAE_ERROR_MEMORY || !strstr(err.text, "memory"))
          fail_msg("%s: %s %s", p.name, dae_status_name(status), err.text);
        assert_int_equal(dae_integrator_interpolate(it, p.start.t, y, NULL, &err), DAE_OK);
        assert_memory_equal(y, p.start.y, sizeof *y);          /* the state is intact */
        assert_true(dae_integrator_step(it, p.to, &err) >= 0); /* and goes on */
      }
      dae_integrator_free(it);
      assert_int_equal(klu_live, 0);
    }
    assert_true(refused > 5);
    test_problem_free(&p);
  }
}

static void test_klu_allocates_for_full_factorisations_only(void **state)
{
  (void)state;
  for (int i = 0; i < SPARSE; i++) {
    test_problem p = sparse[i].make();
    dae_integrator *it;
    assert_int_equal(create(&sparse[i], &p, &p.start, NULL, &it, NULL), DAE_OK);
    long before = klu_calls;
    dae_status status;
    do
      status = dae_integrator_step(it, p.to, NULL);
    while (status == DAE_OK);
    assert_int_equal(status, DAE_END);
    dae_stats stats = dae_integrator_stats(it);
    long calls = klu_calls - before;
    /* a full factorisation asks for 17 pieces; were all of them full, there would be far more */
    assert_true(stats.factorisations > 10);
    assert_true(calls > 0 && calls < 3 * stats.factorisations);
    dae_integrator_free(it);
    assert_int_equal(klu_live, 0);
    test_problem_free(&p);
  }
}

static void test_a_chain_is_solved_without_klu(void **state)
{
  (void)state;
  test_problem p = fronts.make();
  dae_integrator *it;
  assert_int_equal(create(&fronts, &p, &p.start, NULL, &it, NULL), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p.to, NULL);
  assert_int_equal(status, DAE_END);
  assert_true(dae_integrator_stats(it).factorisations > 10);
  assert_int_equal(klu_calls, 0);
  dae_integrator_free(it);
  test_problem_free(&p);
}
#endif

#ifdef DAE_WITH_KLU
#define TEST(name) cmocka_unit_test_setup_teardown(name, count_klu_memory, restore_klu_memory)
#else
#define TEST(name) cmocka_unit_test(name)
#endif

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_every_refused_allocation_of_a_constructor_is_a_clean_error),
      TEST(test_refused_allocations_are_clean_errors_wherever_a_chunk_ends),
      TEST(test_every_refused_allocation_of_a_consistent_start_is_a_clean_error),
      TEST(test_every_refused_allocation_of_a_run_is_a_clean_error),
      TEST(test_nothing_is_allocated_between_constructor_and_free),
      TEST(test_the_number_of_steps_does_not_change_what_a_run_allocates),
#ifdef DAE_WITH_KLU
      TEST(test_every_refused_allocation_of_klu_in_a_constructor_is_a_clean_error),
      TEST(test_a_refused_allocation_of_klu_in_a_step_is_an_error_of_memory),
      TEST(test_klu_allocates_for_full_factorisations_only),
      TEST(test_a_chain_is_solved_without_klu),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
