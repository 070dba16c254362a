/* The classical methods: what they conserve and damp, where their steps end, what they show between
 * them, and that save and load, sparse matrices and coupled problems do not change them. */
#include "lie_tracks.h"
#include "problems/rk_made.h"
#include "same_bits.h"
#include "step/integrator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MOST 256 /* entries of a state vector */

static const char *const names[] = {"euler", "heun", "rk4", "trapezoid", "radau-iia"};
#define ALL ((int)(sizeof names / sizeof *names))
#define EXPLICIT 3 /* the first so many */

static dae_integrator *create(const char *name, const test_problem *p, dae_rk_options opts)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  const dae_method *method = dae_method_find(name, &err);
  assert_non_null(method);
  if (method->create(&p->problem, &p->start, &opts, NULL, &it, &err))
    fail_msg("%s, %s: %s", p->name, name, err.text);
  return it;
}

static dae_rk_options of_step(double step, int stages)
{
  dae_rk_options opts = dae_rk_defaults();
  opts.step = step;
  opts.stages = stages;
  return opts;
}

static void go(dae_integrator *it, double to)
{
  dae_error err = dae_error_none();
  while (dae_integrator_view(it).t < to)
    if (dae_integrator_step(it, to, &err) < 0)
      fail_msg("%s: %s", dae_integrator_view(it).method, err.text);
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= most)) /* negated: a NaN counts */
      most = fabs(a[i] - b[i]);
  return most;
}

/* ---- energy and decay ---- */

static int oscillator_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 2;
  return 0;
}

static int oscillator_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -8 * at->q[0];
  return 0;
}

static const dae_mechanical oscillator = {
    .name = "oscillator", .nq = 1, .M = oscillator_M, .f = oscillator_f, .constant_mass = true};

static void test_trapezoid_keeps_the_energy_of_a_linear_oscillator(void **state)
{
  (void)state;
  static const double start[] = {1, 0.5};
  const test_problem p = {.name = "oscillator",
                          .problem = {.mechanical = &oscillator},
                          .start = {.y = start},
                          .size = 2};
  dae_integrator *it = create("trapezoid", &p, of_step(0.1, 1));
  double y[2], energy = 4 + 0.25;
  for (int i = 1; i <= 5000; i++) {
    go(it, 0.1 * i);
    support_state(it, y, NULL);
    assert_true(fabs(4 * y[0] * y[0] + y[1] * y[1] - energy) < 1e-11);
  }
  assert_int_equal(dae_integrator_stats(it).steps, 5000);
  dae_integrator_free(it);
}

static int decay_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -1e6 * (at->x[0] - cos(at->t)) - sin(at->t);
  return 0;
}

static const dae_semi_explicit decay = {.name = "decay", .nx = 1, .f = decay_f};

static void test_radau_iia_damps_stiff_decay_at_once(void **state)
{
  (void)state;
  static const double start[] = {2};
  const test_problem p = {
      .name = "decay", .problem = {.semi_explicit = &decay}, .start = {.y = start}, .size = 1};
  for (int stages = 1; stages <= 3; stages++) {
    dae_integrator *it = create("radau-iia", &p, of_step(0.1, stages));
    double y;
    go(it, 0.5);
    support_state(it, &y, NULL);
    assert_true(fabs(y - cos(0.5)) < 1e-6);
    dae_integrator_free(it);
  }
}

/* one with a singular M, both stiff */
static void test_radau_iia_follows_stiff_problems(void **state)
{
  (void)state;
  const test_problem all[] = {test_transistor_amplifier(), test_akzo_nobel()};
  for (int i = 0; i < 2; i++) {
    double y[MOST];
    dae_integrator *it = create("radau-iia", &all[i], of_step(all[i].to / 2000, 3));
    go(it, all[i].to);
    support_state(it, y, NULL);
    dae_stats stats = dae_integrator_stats(it);
    if (getenv("DAEDAL_VERBOSE"))
      print_message("%s: error %.2e, %ld iterations, %ld matrices in %ld steps\n", all[i].name,
                    support_error(&all[i], y), stats.iterations, stats.jacobians, stats.steps);
    assert_true(support_error(&all[i], y) < 1e-5);
    assert_true(stats.jacobians < stats.steps); /* matrices serve for many steps */
    dae_integrator_free(it);
  }
}

/* ---- where steps end ---- */

static void test_steps_end_at_windows_and_go_on_along_the_same_grid(void **state)
{
  (void)state;
  test_problem p = rk_made_index1();
  p.start.t = 0;
  for (int m = 0; m < ALL; m++) {
    dae_integrator *it = create(names[m], &p, of_step(0.1, 2));
    for (int k = 1; k <= 20; k++) { /* windows of five steps, given in other ways */
      double end = k % 2 ? k * 0.5 : k / 2.0;
      go(it, end);
      assert_true(dae_integrator_view(it).t == end);
      assert_int_equal(dae_integrator_stats(it).steps, 5 * k);
    }
    go(it, 10.03); /* cut short: the next one ends where it would have */
    assert_int_equal(dae_integrator_stats(it).steps, 101);
    assert_true(dae_integrator_step(it, 12, NULL) == DAE_OK);
    assert_true(dae_integrator_view(it).t == 101 * 0.1);
    dae_integrator_free(it);
  }
}

static void test_a_restart_gives_the_grid_a_new_origin(void **state)
{
  (void)state;
  test_problem p = rk_made_mechanical();
  double y[MOST];
  for (int m = 0; m < ALL; m++) {
    dae_integrator *it = create(names[m], &p, of_step(0.1, 2));
    go(it, 0.25);
    rk_made_exact(&p, 0.33, y);
    assert_int_equal(dae_integrator_restart(it, 0.33, y, NULL), DAE_OK);
    assert_int_equal(dae_integrator_step(it, 2, NULL), DAE_OK);
    assert_true(dae_integrator_view(it).t == 0.33 + 0.1);
    assert_int_equal(dae_integrator_stats(it).restarts, 1);
    dae_integrator_free(it);
  }
}

static void test_an_adjusted_state_goes_on_along_the_same_grid(void **state)
{
  (void)state;
  test_problem made[] = {rk_made_quasilinear(), rk_made_mechanical()};
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < 2; i++) {
      dae_integrator *a = create(names[m], &made[i], of_step(0.1, 2));
      dae_integrator *b = create(names[m], &made[i], of_step(0.1, 2));
      double y[MOST], moved[MOST], t = 3 * 0.1;
      go(a, t);
      support_state(a, y, NULL);
      y[0] += 1e-3;
      assert_int_equal(dae__integrator_adjust(a, y, NULL), DAE_OK);
      assert_int_equal(dae_integrator_restart(b, t, y, NULL), DAE_OK);
      assert_int_equal(dae_integrator_step(a, 2, NULL), DAE_OK);
      assert_true(dae_integrator_view(a).t == 4 * 0.1);
      go(b, 4 * 0.1);
      support_state(a, y, NULL);
      support_state(b, moved, NULL);
      assert_true(distance(made[i].size, y, moved) < 1e-13);
      assert_int_equal(dae_integrator_stats(a).restarts, 0);
      dae_integrator_free(a);
      dae_integrator_free(b);
    }
}

/* a very short step: its slope must not be round-off divided by its size */
static void test_steps_cut_very_short_do_no_harm(void **state)
{
  (void)state;
  test_problem made[] = {rk_made_index1(), rk_made_mechanical()};
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < 2; i++) {
      dae_integrator *a = create(names[m], &made[i], of_step(0.01, 2));
      dae_integrator *b = create(names[m], &made[i], of_step(0.01, 2));
      double y[MOST], cut[MOST];
      go(a, 0.1);
      go(b, 0.05);
      go(b, 0.05 + 2e-10);
      go(b, 0.1);
      support_state(a, y, NULL);
      support_state(b, cut, NULL);
      assert_true(distance(made[i].size, y, cut) < 1e-11);
      assert_int_equal(dae_integrator_stats(b).steps, 11);
      dae_integrator_free(a);
      dae_integrator_free(b);
    }
}

/* ---- inputs ---- */

static double shift;

static int shifted_input(void *user, double t, double *in)
{
  const test_problem *p = user;
  p->problem.input(p->problem.input_user, t, in);
  in[0] += shift * (1 + t);
  return 0;
}

/* as from sweep to sweep of a dynamic iteration: after load the inputs are others */
static void test_inputs_may_change_between_steps(void **state)
{
  (void)state;
  const test_problem made[] = {rk_made_index1(), rk_made_quasilinear(), rk_made_mechanical()};
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < 3; i++) {
      test_problem p = made[i], own = made[i];
      double first[MOST], again[MOST], fresh[MOST];
      size_t size;
      p.problem.input = shifted_input;
      p.problem.input_user = &own;
      shift = 0;
      dae_integrator *it = create(names[m], &p, of_step(0.02, 2));
      void *saved = same_save(it, &size);
      go(it, 0.1);
      support_state(it, first, NULL);
      shift = 0.5;
      dae_integrator *other = create(names[m], &p, of_step(0.02, 2));
      go(other, 0.1);
      support_state(other, fresh, NULL);
      assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
      go(it, 0.1);
      support_state(it, again, NULL);
      assert_true(distance(p.size, again, fresh) < 1e-13);
      assert_true(distance(p.size, again, first) > 1e-3);
      free(saved);
      dae_integrator_free(it);
      dae_integrator_free(other);
    }
}

/* ---- constraints ---- */

static double drift_of(dae_integrator *it, const test_problem *p, double t)
{
  double y[MOST], position, velocity;
  assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
  support_drift(p->problem.mechanical, t, y, &position, &velocity);
  return fmax(position, velocity);
}

static void test_states_are_on_their_constraints_unless_they_are_not_projected(void **state)
{
  (void)state;
  const test_problem all[] = {test_pendulum(), test_car_axis(), test_cylinder_skate(),
                              test_parallel_bars()};
  for (int m = 0; m < EXPLICIT; m++)
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      dae_rk_options opts = of_step(all[i].to / 500, 2);
      dae_integrator *on = create(names[m], &all[i], opts);
      opts.project = false;
      dae_integrator *off = create(names[m], &all[i], opts);
      for (int k = 1; k <= 50; k++) {
        go(on, k * opts.step);
        assert_true(drift_of(on, &all[i], dae_integrator_view(on).t) < 1e-11);
        assert_true(drift_of(on, &all[i], (k - 0.5) * opts.step) < 1e-11);
      }
      go(off, 50 * opts.step);
      double drift = drift_of(off, &all[i], dae_integrator_view(off).t);
      assert_true(drift > 1e-12 && drift < 1);
      dae_integrator_free(on);
      dae_integrator_free(off);
    }
}

/* ---- coupled, sparse, saved ---- */

static void test_coupled_problems_run_as_one(void **state)
{
  (void)state;
  test_problem circuits = test_two_circuits(), structures = test_structures();
  for (int m = 2; m < ALL; m++) {
    double y[MOST];
    dae_integrator *it = create(names[m], &circuits, of_step(circuits.to / 1000, 3));
    go(it, circuits.to);
    support_state(it, y, NULL);
    assert_true(support_error(&circuits, y) < (m == 3 ? 1e-5 : 1e-10));
    dae_integrator_free(it);
  }
  double y[MOST];
  dae_integrator *it = create("rk4", &structures, of_step(structures.to / 400, 1));
  go(it, structures.to);
  support_state(it, y, NULL);
  assert_true(support_error(&structures, y) < 1e-8);
  dae_integrator_free(it);
}

static void test_sparse_and_dense_matrices_give_the_same_motion(void **state)
{
  (void)state;
  static const double start[LIE_ROD + 1];
  static lie_rod rod = {.end_given = false};
  dae_semi_explicit sparse = lie_rod_of(&rod), dense = sparse;
  dense.J_pattern = NULL;
  test_problem a = {.name = "rod",
                    .problem = {.semi_explicit = &sparse},
                    .start = {.y = start},
                    .size = LIE_ROD + 1};
  test_problem b = a;
  b.problem.semi_explicit = &dense;
  for (int m = 0; m < ALL; m++) {
    double y[2][LIE_ROD + 1];
    dae_integrator *it[2] = {create(names[m], &a, of_step(1e-5, 3)),
                             create(names[m], &b, of_step(1e-5, 3))};
    for (int i = 0; i < 2; i++) {
      go(it[i], 1e-3);
      support_state(it[i], y[i], NULL);
      dae_integrator_free(it[i]);
    }
    assert_true(distance(LIE_ROD + 1, y[0], y[1]) < 1e-12);
    assert_true(dae_method_find(names[m], NULL) != NULL && fabs(y[0][0]) < 1e6);
  }
}

static void test_save_and_load_keep_the_bits_with_inputs(void **state)
{
  (void)state;
  const test_problem made[] = {rk_made_index1(), rk_made_quasilinear(), rk_made_mechanical(),
                               rk_made_singular()};
  for (int m = 0; m < ALL; m++)
    for (int i = 0; i < (m == ALL - 1 ? 4 : 3); i++) {
      same_set_up s = same_set_up_of(&made[i], dae_method_find(names[m], NULL), 0.03);
      same_check(&s, 0);
      same_check(&s, 7);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_trapezoid_keeps_the_energy_of_a_linear_oscillator),
      cmocka_unit_test(test_radau_iia_damps_stiff_decay_at_once),
      cmocka_unit_test(test_radau_iia_follows_stiff_problems),
      cmocka_unit_test(test_steps_end_at_windows_and_go_on_along_the_same_grid),
      cmocka_unit_test(test_a_restart_gives_the_grid_a_new_origin),
      cmocka_unit_test(test_an_adjusted_state_goes_on_along_the_same_grid),
      cmocka_unit_test(test_steps_cut_very_short_do_no_harm),
      cmocka_unit_test(test_inputs_may_change_between_steps),
      cmocka_unit_test(test_states_are_on_their_constraints_unless_they_are_not_projected),
      cmocka_unit_test(test_coupled_problems_run_as_one),
      cmocka_unit_test(test_sparse_and_dense_matrices_give_the_same_motion),
      cmocka_unit_test(test_save_and_load_keep_the_bits_with_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
