/* Dynamic iterations that fail on their way: the system that went wrong, or the variables of the
 * loop, are named; what was computed before is intact, and the handle goes on where the cause is
 * gone. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void show(const dae_error *err)
{
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s [%s] t = %g: %s\n", dae_status_name(err->status), err->equation, err->t,
                  err->text);
}

/* ---- callbacks ----
 *
 *   pump:  y' = -tank.y,  0 = y - z + a tank.z
 *   tank:  y' = pump.y,   0 = y - z + a pump.z        y = cos t, sin t
 *
 * where the tank goes wrong after a while. */

#define A 0.5
#define BREAKS 0.7

typedef enum manner { FINE, REFUSES, FAILS, IS_NAN } manner;
static manner now;
static bool in_F; /* else in f */

static int spoil(const dae_semi_explicit_at *at, bool F, bool tank, double *out)
{
  if (!tank || F != in_F || now == FINE || at->t <= BREAKS)
    return 0;
  if (now == IS_NAN)
    out[0] = NAN;
  return now == REFUSES ? 1 : now == FAILS ? -1 : 0;
}

static int f(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = user ? at->in[0] : -at->in[0];
  return spoil(at, false, user != NULL, out);
}

static int F(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->x[0] - at->y[0] + A * at->in[1];
  return spoil(at, true, user != NULL, out);
}

static const char *const y_names[] = {"z"}, *const x_names[] = {"y"};
static const dae_semi_explicit pump = {.name = "pump",
                                       .nx = 1,
                                       .ny = 1,
                                       .nin = 2,
                                       .x_names = x_names,
                                       .y_names = y_names,
                                       .f = f,
                                       .F = F},
                               tank = {.name = "tank",
                                       .nx = 1,
                                       .ny = 1,
                                       .nin = 2,
                                       .x_names = x_names,
                                       .y_names = y_names,
                                       .f = f,
                                       .F = F,
                                       .user = &now};
static const dae_part parts[] = {{"pump", NULL, &pump}, {"tank", NULL, &tank}};
static const dae_wire wires[] = {{0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};
static const dae_coupled circuit = {
    .name = "circuit", .parts = 2, .part = parts, .wires = 4, .wire = wires};

static double error_at(double t, const double *y)
{
  double d = 1 - A * A,
         exact[4] = {cos(t), (cos(t) + A * sin(t)) / d, sin(t), (sin(t) + A * cos(t)) / d};
  double most = 0;
  for (int i = 0; i < 4; i++)
    most = fabs(y[i] - exact[i]) <= most ? most : fabs(y[i] - exact[i]);
  return most;
}

/* runs into the fault: rows before it are right, the state there is intact, and it goes on */
static dae_error run_into(bool jacobi, double window, manner how, bool algebraic)
{
  static const double start[4] = {1, 1, 0, 0};
  const dae_problem problem = dae_problem_coupled(&circuit);
  const dae_start at = {.y = start};
  dae_wave_options opts = dae_wave_defaults();
  dae_integrator *it;
  dae_error err = dae_error_none();
  dae_status status;
  double y[4];
  opts.rtol = 1e-4;
  opts.atol = 1e-6;
  opts.window = window;
  now = FINE;
  in_F = algebraic;
  assert_int_equal(
      (jacobi ? dae_jacobi_create : dae_gauss_seidel_create)(&problem, &at, &opts, NULL, &it, &err),
      DAE_OK);
  now = how;
  do {
    status = dae_integrator_step(it, 3, &err);
    dae_view view = dae_integrator_view(it);
    for (int k = 0; k <= 4; k++) {
      double t = view.t - k * (view.t - view.t_previous) / 4;
      assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
      assert_true(error_at(t, y) < 1e-3);
    }
  } while (status == DAE_OK);
  show(&err);
  assert_true(status < 0);
  double t = dae_integrator_view(it).t;
  assert_true(t <= BREAKS + 1e-9);
  now = FINE; /* as if nothing had been */
  while ((status = dae_integrator_step(it, 3, &err)) == DAE_OK)
    ;
  assert_int_equal(status, DAE_END);
  assert_int_equal(dae_integrator_interpolate(it, 3, y, NULL, NULL), DAE_OK);
  assert_true(error_at(3, y) < 1e-3);
  dae_integrator_free(it);
  return err;
}

static void test_a_system_that_goes_wrong_is_named_and_what_was_is_kept(void **state)
{
  (void)state;
  for (int i = 0; i < 6; i++) {
    manner how = (manner)(1 + i % 3);
    dae_error err = run_into(i % 2, i < 3 ? 0.5 : 0, how, i >= 3);
    assert_non_null(strstr(err.text, "tank"));
    assert_int_equal(err.status, how == FAILS ? DAE_ERROR_CALLBACK : DAE_ERROR_STEP);
  }
}

/* ---- loops ----
 *
 * one.z = one.y + a two.z, two.z = two.y + a one.z: with a = 1 they do not determine z, though each
 * does its own; plain sweeps contract by a^2. */

static const char loop[] = "model loop\n"
                           "param a = 0.5, later = 0, most = 10\n"
                           "let gain = noevent(min(most, a + later*max(0, t - 1)))\n"
                           "system one {\n"
                           "  state y = 1\n"
                           "  alg z = 0\n"
                           "  y' = -two.y\n"
                           "  0 = y - z + gain*two.z\n"
                           "}\n"
                           "system two {\n"
                           "  state y = 0\n"
                           "  alg z = 0\n"
                           "  y' = one.y\n"
                           "  0 = y - z + gain*one.z\n"
                           "}\n";

static void open_loop(wave_case *c, const char *first, const char *second)
{
  const char *const set[] = {first, second};
  dae_model_options given = dae_model_defaults();
  wave_parse(c, loop);
  wave_close(c);
  given.set = set;
  given.set_count = second ? 2 : 1;
  assert_int_equal(dae_model_parse("loop", loop, sizeof loop - 1, &given, NULL, &c->model, NULL),
                   DAE_OK);
  c->problem = dae_model_problem(c->model);
  c->start = dae_model_start(c->model);
}

static void test_a_loop_of_higher_index_is_refused_at_the_start(void **state)
{
  (void)state;
  static const char *const methods[] = {"gauss-seidel", "jacobi"};
  wave_case c;
  dae_contraction seen;
  dae_error err = dae_error_none();
  const double y[] = {1, 0, 0, 0};
  open_loop(&c, "a=1", NULL);
  for (int i = 0; i < 2; i++) {
    c.method = methods[i];
    dae_integrator *it = (dae_integrator *)&c; /* must be overwritten */
    assert_int_equal(wave_try(&c, NULL, &it, &err), DAE_ERROR_START);
    assert_null(it);
    assert_non_null(strstr(err.text, "index"));
  }
  assert_true(dae_contraction_at(c.problem, 0, y, NULL, &seen, &err) < 0 || seen.margin < 1e-12);
  wave_close(&c);
}

/* the gain rises from 1/2 after a while, and passes 1 */
static void test_a_loop_that_stops_to_contract_keeps_what_was(void **state)
{
  (void)state;
  wave_case c;
  open_loop(&c, "later=0.5", NULL);
  for (int jacobi = 0; jacobi < 2; jacobi++) {
    c.method = jacobi ? "jacobi" : "gauss-seidel";
    c.opts.update = DAE_WAVE_PLAIN;
    c.opts.window = jacobi ? 0.1 : 0;
    c.opts.max_sweeps = 60;
    wave_run r = wave_go(&c, 4);
    show(&r.err);
    assert_int_equal(r.status, DAE_ERROR_COUPLING);
    assert_non_null(strstr(r.err.text, "one.z"));
    assert_non_null(strstr(r.err.text, "two.z"));
    assert_true(r.t > 1.5 && r.t < 2.1); /* the gain is 1 at t = 2 */
    assert_true(fabs(r.y[0] - cos(r.t)) < 1e-4 && fabs(r.y[2] - sin(r.t)) < 1e-4);
  }
  wave_close(&c);
}

/* the gain comes to 1 and stays there, unnoticed by children with fixed steps */
static void test_a_loop_that_comes_to_a_higher_index_is_named(void **state)
{
  (void)state;
  wave_case c;
  open_loop(&c, "later=0.5", "most=1");
  c.opts.window = 0.5;
  wave_children(&c, "trapezoid", 0.05);
  for (int jacobi = 0; jacobi < 2; jacobi++) {
    c.method = jacobi ? "jacobi" : "gauss-seidel";
    wave_run r = wave_go(&c, 4);
    show(&r.err);
    assert_int_equal(r.status, DAE_ERROR_COUPLING);
    assert_non_null(strstr(r.err.text, "higher index"));
    assert_non_null(strstr(r.err.text, ".z"));
    assert_true(r.t > 1.4 && r.t <= 2);
    assert_true(fabs(r.y[0] - cos(r.t)) < 1e-2 && fabs(r.y[2] - sin(r.t)) < 1e-2);
  }
  wave_close(&c);
}

static int no_guess(void *user, double t, double *unknowns)
{
  (void)user, (void)unknowns;
  return t > 0.5 ? 3 : -1;
}

static void test_a_reduced_model_that_fails_ends_the_run(void **state)
{
  (void)state;
  wave_case c;
  wave_open(&c, coupled_model_find("two_circuits")->path, NULL);
  c.opts.guess = no_guess;
  wave_run r = wave_go(&c, 3);
  show(&r.err);
  assert_int_equal(r.status, DAE_ERROR_CALLBACK);
  assert_non_null(strstr(r.err.text, "reduced model"));
  assert_true(r.t == 0);
  wave_close(&c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_system_that_goes_wrong_is_named_and_what_was_is_kept),
      cmocka_unit_test(test_a_loop_of_higher_index_is_refused_at_the_start),
      cmocka_unit_test(test_a_loop_that_stops_to_contract_keeps_what_was),
      cmocka_unit_test(test_a_loop_that_comes_to_a_higher_index_is_named),
      cmocka_unit_test(test_a_reduced_model_that_fails_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
