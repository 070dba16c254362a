/* Models and memory: whichever allocation is refused while a model is loaded, the outcome is a
 * clean error and nothing is left behind; so it is when an equation is evaluated for the first
 * time, which is when its tape is made, and later times allocate nothing. */
#include "counting_env.h"

#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* something of everything */
static const char mechanism[] =
    "model mechanism \"a bit of everything\"\n"
    "param N = 20, L = 1/N, c[1..2] = i\n"
    "let f(a, b) = a*sin(b), r[k in 1..N] = sqrt(x[k]^2 + y[k]^2)\n"
    "coord x[1..N] = i*L, y[1..N] = 0 rate c[1]*0\n"
    "state u = f(1, 2)\n"
    "alg z = 0\n"
    "discrete m = 1\n"
    "for i in 1..N { let v2 = x[i]'^2 + y[i]'^2; kinetic v2*(1 + x[i]^2)/2; potential 9.81*y[i] }\n"
    "force x[1] = -m*u + if(z > 0, z, 0)\n"
    "u' = -u + r[1]'\n"
    "0 = z - x[2]\n"
    "constraint first: x[1]^2 + y[1]^2 = L^2\n"
    "for i in 2..N { constraint link[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = L^2 }\n"
    "event low: y[N] + 0.5 falling { m = 2 }\n"
    "output energy = kinetic + potential, tension = lambda(first)\n"
    "draw line (0, 0) (x[1], y[1])\n"
    "simulate to 1 method bdf-ggl\n";

static const char coupled[] = "model coupled\n"
                              "system S[k in 1..3] {\n"
                              "  param mass = k\n"
                              "  coord x = k rate 0, phi = 0\n"
                              "  kinetic mass*x'^2/2 + phi'^2/2\n"
                              "  potential x^2/2\n"
                              "  constraint roll: x' = phi'\n"
                              "  force x = -circuit.i\n"
                              "}\n"
                              "system circuit {\n"
                              "  state i = 0, q = 0\n"
                              "  2*i' + 3*q' = S[1].x\n"
                              "  i' - q' = 0\n"
                              "  rtol 1e-5\n"
                              "}\n"
                              "joint S[1].x + 1 = S[2].x + 0*t\n"
                              "output total = S[1].x + S[3].x'\n"
                              "simulate to 1\n";

static const char quasilinear[] = "model circuit\n"
                                  "state y[1..40] = i, z = 0\n"
                                  "for i in 1..39 { (1 + t^2)*(y[i]' - y[i+1]') = -y[i] }\n"
                                  "y[40]' + z' = 1 - y[40]^2\n"
                                  "z' = y[1]*sin(t)\n"
                                  "simulate to 1\n";

/* nothing is drawn: a picture is made up */
static const char rods[] = "model rods\n"
                           "param N = 12\n"
                           "coord x[1..N] = i, y[1..N] = 0, bob_x = 1, bob_y = 0\n"
                           "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2 }\n"
                           "kinetic bob_x'^2 + bob_y'^2\n"
                           "constraint hypot(x[1] - sin(t), y[1]) = 1\n"
                           "for i in 2..N { constraint hypot(x[i] - x[i-1], y[i] - y[i-1]) = 1 }\n"
                           "simulate to 1\n";

static const char bodies[] =
    "model bodies\n"
    "gravity (0, 0, -9.81)\n"
    "param p[1..2] = [(0, 0, 1), (1, 0, 0)]\n"
    "let f(v) = dot(v, unit(v))\n"
    "coord r = (0, 0, 1) rate (f(p[1]), 0, 0)\n"
    "kinetic norm(r')^2\n"
    "constraint L: r = (0, t, 1)\n"
    "body A box (1, 1, 1) mass 1 at (0, 0, 1) turned 0.3 about (1, 0, 0)\n"
    "body B[k in 1..2] rod from (k, 0, 0) to (k, 1, 0) mass 1 omega (0, 0, 1)\n"
    "revolute J: ground, A axis p[1]\n"
    "for k in 1..2 { revolute K[k]: A, B[k] at B[k].point(0.5, 0, 0) axis (0, 0, 1) }\n"
    "body C disk 1 mass 1 at (5, 0, 0)\n"
    "revolute M: ground, C axis (0, 0, 1) = C.ex driven 3\n"
    "body E sphere 1 mass 1 at (6, 0, 0)\nrevolute O: C, E axis (0, 0, 1)\n"
    "constraint O.angle = 2*M.angle\n"
    "part leg(on, c = 2) {\n"
    "  spring S: (0, 0, 0) to on.pos stiffness c damping 1\n"
    "  bushing D: A, on stiffness 1 turning 1\n"
    "}\n"
    "part legs[i in 1..2] = leg(B[i])\n"
    "force (1, 0, 0) at A.point(0, 1, 0)\n"
    "torque (1, 0, 0) on A\n"
    "output a = J.angle, F = K[1].force, m = lambda(L), s = legs[2].S.pull\n"
    "draw line r to A.pos\n"
    "draw bodies\ndraw box (1, 2, 3) on A at (0, 0, 1) turned 1 about (1, 0, 0)\n"
    "draw circle (1, 2) radius 1\ncamera from (3, 2, 1) to r up (0, 0, 1)\n"
    "simulate to 1\n";

static const char trees[] = "model trees\n"
                            "gravity (0, 0, -9.81)\n"
                            "body A box (1, 1, 1) mass 1 velocity (1, 0, 0)\n"
                            "body B[k in 1..3] box (1, 1, 1) mass 1 at (k, 0, 0) omega (0, 0, 1)\n"
                            "revolute J: A, B[1] at (0.5, 0, 0) axis (0, 1, 0) relative\n"
                            "spherical K: A, B[2] at (1, 0, 0) relative\n"
                            "universal L: B[1], B[3] axes (1, 0, 0), (0, 1, 0) relative\n"
                            "rod R: B[2].pos to B[3].pos\n"
                            "spring S: A.point(0, 0, 1) to B[3].pos stiffness 1\n"
                            "mass 2 at B[3].point(1, 0, 0)\n"
                            "torque (1, 0, 0) on B[3] from A\n"
                            "output p = B[3].pos, a = J.angle, s = S.pull\n"
                            "simulate to 1\n";

static const char *const texts[] = {mechanism, coupled, quasilinear, rods, bodies, trees};
enum { TEXTS = sizeof texts / sizeof *texts };

static dae_status parse(const char *text, const dae_env *env, dae_model **model, dae_error *err)
{
  return dae_model_parse("memory", text, strlen(text), NULL, env, model, err);
}

static void test_a_model_that_runs_out_of_memory_leaves_nothing(void **state)
{
  (void)state;
  for (int i = 0; i < TEXTS; i++) {
    counting_env count = {0};
    dae_env env = counting_env_of(&count);
    dae_model *model;
    dae_error err;
    dae_status status = parse(texts[i], &env, &model, &err);
    if (status)
      fail_msg("%d: %s", i, err.text);
    long calls = count.calls;
    dae_model_free(model);
    assert_int_equal(count.live, 0);
    assert_true(calls > 20);
    for (long n = 1; n <= calls; n++) {
      count = (counting_env){.fail_at = n};
      status = parse(texts[i], &env, &model, &err);
      if (status != DAE_ERROR_MEMORY || model || count.live != 0)
        fail_msg("text %d, allocation %ld of %ld: status %d (%s), %ld left", i, n, calls, status,
                 err.text, count.live);
    }
  }
}

static void test_wrong_models_leave_nothing(void **state)
{
  (void)state;
  for (int i = 0; i < TEXTS; i++)
    for (size_t cut = 0; cut < strlen(texts[i]); cut += 7) {
      counting_env count = {0};
      dae_env env = counting_env_of(&count);
      dae_model *model;
      dae_error err;
      if (dae_model_parse("cut", texts[i], cut, NULL, &env, &model, &err) == DAE_OK)
        dae_model_free(model);
      else
        assert_null(model);
      assert_int_equal(count.live, 0);
    }
}

/* the results of all callbacks, below 0 where one refused */
static int evaluate(const dae_model *model)
{
  const dae_mechanical *p = dae_model_problem(model)->mechanical;
  dae_start start = dae_model_start(model);
  dae_drawing drawing = dae_model_drawing(model);
  dae_run_plan plan = {0};
  dae_model_plan(model, &plan);
  dae_mechanical_at at = {.q = start.y, .v = start.y + p->nq, .u = start.y + 2 * p->nq};
  at.w = at.u + p->nu;
  double f[40], g[20], out[2], value, T, V, picture[4];
  assert_int_equal(p->nq, 40);
  assert_int_equal(drawing.values, 4);
  int results[] = {p->f(p->user, &at, f),
                   p->eval(p->user, &at, &(dae_mechanical_wanted){.f = f, .g = g}),
                   p->energy(p->user, &at, &T, &V),
                   plan.output(plan.output_user, 0, start.y, out),
                   plan.events[0].value(plan.events[0].user, 0, start.y, &value),
                   drawing.eval(drawing.user, 0, start.y, picture)};
  int sum = 0;
  for (size_t i = 0; i < sizeof results / sizeof *results; i++)
    sum += results[i];
  return sum;
}

static void test_evaluating_a_model_again_allocates_nothing(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_model *model;
  dae_error err;
  assert_int_equal(parse(mechanism, &env, &model, &err), DAE_OK);
  assert_int_equal(evaluate(model), 0);
  long calls = count.calls;
  assert_int_equal(evaluate(model), 0);
  assert_int_equal(count.calls, calls);
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_counting_and_evaluating_agree_about_what_is_made(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_model *model;
  dae_error err;
  assert_int_equal(parse(mechanism, &env, &model, &err), DAE_OK);
  long instructions = dae_model_count(model).instructions, calls = count.calls;
  assert_true(instructions > 1000);
  assert_int_equal(evaluate(model), 0);
  assert_int_equal(dae_model_count(model).instructions, instructions);
  assert_int_equal(count.calls, calls); /* nothing was left to be made */
  dae_model_free(model);
  assert_int_equal(count.live, 0);
}

static void test_a_first_evaluation_without_memory_refuses(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_model *model;
  dae_error err;
  assert_int_equal(parse(mechanism, &env, &model, &err), DAE_OK);
  long loaded = count.calls;
  assert_int_equal(evaluate(model), 0);
  long calls = count.calls - loaded;
  dae_model_free(model);
  assert_true(calls > 10);
  for (long n = 1; n <= calls; n++) {
    count = (counting_env){.fail_at = loaded + n};
    assert_int_equal(parse(mechanism, &env, &model, &err), DAE_OK);
    if (evaluate(model) >= 0)
      fail_msg("allocation %ld of %ld: nothing refused", n, calls);
    dae_model_free(model);
    assert_int_equal(count.live, 0);
  }
}

/* Whatever is made late, in the middle of a run, too: the run fails for a lack of memory, not by a
 * callback. */
static void test_a_run_without_memory_says_so(void **state)
{
  (void)state;
  counting_env count = {0};
  dae_env env = counting_env_of(&count);
  dae_model *model;
  dae_error err;
  int failed = 0;
  for (long n = 0, all = 0; n <= all; n += 1 + n / 50) {
    count = (counting_env){0};
    assert_int_equal(parse(mechanism, &env, &model, &err), DAE_OK);
    long loaded = count.calls;
    count.fail_at = n > 0 ? loaded + n : 0;
    dae_run_plan plan = {.method = dae_method_find("bdf-ggl", &err)};
    dae_model_plan(model, &plan);
    plan.to = 0.01;
    dae_status status = dae_run(&plan, NULL, NULL, &err);
    if (n == 0)
      all = count.calls - loaded;
    if (status < 0) {
      failed++;
      if (status != DAE_ERROR_MEMORY)
        fail_msg("allocation %ld of %ld: %s, %s", n, all, dae_status_name(status), err.text);
    }
    dae_model_free(model);
    assert_int_equal(count.live, 0);
  }
  assert_true(failed > 5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_model_that_runs_out_of_memory_leaves_nothing),
      cmocka_unit_test(test_wrong_models_leave_nothing),
      cmocka_unit_test(test_evaluating_a_model_again_allocates_nothing),
      cmocka_unit_test(test_counting_and_evaluating_agree_about_what_is_made),
      cmocka_unit_test(test_a_first_evaluation_without_memory_refuses),
      cmocka_unit_test(test_a_run_without_memory_says_so)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
