/* What spark-lobatto keeps by itself, with every hat and every member, and what SPARK methods keep
 * of problems in the momentum form: every constraint at every grid point, without projection; and
 * the energy, which a symplectic method only lets oscillate. */
#include "support.h"
#include "text_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- constraints, of both forms ---- */

typedef struct worst {
  const test_problem *p;
  double position, velocity; /* |g|; |gdot|, |k| */
  long rows;
} worst;

/* gdot = g_t + g_y v for problems that give g_y */
static void drift(const dae_momentum *m, double t, const double *state, double *position,
                  double *velocity)
{
  dae_momentum_at at = {.t = t, .y = state, .z = state + m->ny};
  double g[4] = {0}, gdot[4] = {0}, k[4] = {0}, g_y[16], v[16];
  assert_true(m->ng <= 4 && m->nk <= 4 && m->ny <= 16 && m->ng * m->ny <= 16 && m->time_free_g);
  m->g(m->user, &at, g);
  m->g_y(m->user, &at, g_y);
  m->v(m->user, &at, v);
  if (m->k)
    m->k(m->user, &at, k);
  *position = *velocity = 0;
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < m->ny && i < m->ng; j++)
      gdot[i] += g_y[j * m->ng + i] * v[j];
    *position = fmax(*position, fabs(g[i]));
    *velocity = fmax(*velocity, fmax(fabs(gdot[i]), fabs(k[i])));
  }
}

static void take(void *user, double t, const double *y)
{
  worst *w = user;
  double position, velocity;
  if (w->p->problem.mechanical)
    support_drift(w->p->problem.mechanical, t, y, &position, &velocity);
  else
    drift(w->p->problem.momentum, t, y, &position, &velocity);
  w->rows++;
  if (!(position <= w->position)) /* negated: a NaN counts */
    w->position = position;
  if (!(velocity <= w->velocity))
    w->velocity = velocity;
}

static void check(const char *method, const test_problem *p, const dae_spark_options *opts,
                  double every, double bound)
{
  worst w = {.p = p};
  assert_int_equal(support_run_with(method, p, opts, every, take, &w, NULL, NULL), DAE_OK);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s %-16s s = %d member %d hat %d %4ld rows: |g| %.1e, |gdot|, |k| %.1e\n",
                  method, p->name, opts->stages, (int)opts->member, (int)opts->hat, w.rows,
                  w.position, w.velocity);
  if (!(w.position < bound && w.velocity < bound) || w.rows < 3)
    fail_msg("%s, %s, s = %d, member %d, hat %d, %ld rows: |g| %.2e, |gdot|, |k| %.2e", method,
             p->name, opts->stages, (int)opts->member, (int)opts->hat, w.rows, w.position,
             w.velocity);
}

static dae_spark_options fixed_steps(int s, double h)
{
  dae_spark_options opts = dae_spark_defaults();
  opts.stages = s;
  opts.step = h;
  opts.project = false; /* what is kept is kept by the step itself */
  return opts;
}

/* members with each of their hats */
static const struct {
  dae_spark_member member;
  dae_spark_hat hat;
} kinds[] = {{DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_B},      {DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_C},
             {DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_C_STAR}, {DAE_SPARK_MEMBER_AB, DAE_SPARK_HAT_D},
             {DAE_SPARK_MEMBER_C, DAE_SPARK_HAT_SAME},    {DAE_SPARK_MEMBER_D, DAE_SPARK_HAT_SAME}};
#define KINDS (sizeof kinds / sizeof *kinds)

static test_problem (*const constrained[])(void) = {
    test_pendulum_light, test_rheonomic_length, test_knife_edge,   test_sleigh,
    test_cylinder_skate, test_curvilinear,      test_slider_crank, test_parallel_bars};
#define CONSTRAINED (sizeof constrained / sizeof *constrained)

static void test_fixed_lobatto_steps_keep_all_constraints_without_projection(void **state)
{
  (void)state;
  for (size_t i = 0; i < CONSTRAINED * KINDS; i++)
    for (int s = 2; s <= 4; s++) {
      test_problem p = constrained[i / KINDS]();
      dae_spark_options opts = fixed_steps(s, p.to / 80);
      opts.member = kinds[i % KINDS].member;
      opts.hat = kinds[i % KINDS].hat;
      check("spark-lobatto", &p, &opts, 0, 1e-13);
    }
}

static void test_variable_lobatto_steps_keep_all_constraints_at_and_between_steps(void **state)
{
  (void)state;
  for (size_t i = 0; i < CONSTRAINED * KINDS; i++)
    for (int digits = 4; digits <= 6; digits += 2) {
      test_problem p = constrained[i / KINDS]();
      dae_spark_options opts = dae_spark_defaults();
      opts.rtol = opts.atol = pow(10, -digits);
      opts.member = kinds[i % KINDS].member;
      opts.hat = kinds[i % KINDS].hat;
      check("spark-lobatto", &p, &opts, 0, 1e-10);
      check("spark-lobatto", &p, &opts, p.to / 97.3, 1e-10);
    }
}

static void test_fixed_steps_keep_the_constraints_of_the_momentum_form(void **state)
{
  (void)state;
  const test_problem all[] = {test_curv_ham(true), test_curv_lag(true), test_mixed(true)};
  for (int i = 0; i < 3; i++)
    for (int s = 1; s <= 4; s++) {
      dae_spark_options opts = fixed_steps(s, all[i].to / 80);
      check("spark-gauss", &all[i], &opts, 0, 1e-13);
      check("spark-radau", &all[i], &opts, 0, 1e-13);
      if (s > 1)
        check("spark-lobatto", &all[i], &opts, 0, 1e-13);
    }
}

static void test_variable_steps_keep_the_constraints_of_the_momentum_form(void **state)
{
  (void)state;
  static const char *const methods[] = {"spark-gauss", "spark-radau", "spark-lobatto"};
  const test_problem all[] = {test_curv_ham(true), test_curv_lag(true), test_mixed(true)};
  for (int i = 0; i < 9; i++)
    for (int digits = 4; digits <= 8; digits += 2) {
      const test_problem *p = &all[i / 3];
      dae_spark_options opts = dae_spark_defaults();
      opts.rtol = opts.atol = pow(10, -digits);
      check(methods[i % 3], p, &opts, 0, 1e-10);
      check(methods[i % 3], p, &opts, p->to / 97.3, 1e-10);
    }
}

/* ---- energy ---- */

/* unit mass and gravity on the unit circle, pulled to x = 1/2 */
static const char springy[] = "model springy\n"
                              "coord x = 1, y = 0\n"
                              "kinetic (x'^2 + y'^2)/2\n"
                              "potential y + (x - 0.5)^2\n"
                              "constraint rod: (x^2 + y^2 - 1)/2 = 0\n";

/* the change of the energy over the steps, and a line through it; the weights of the fit vanish at
 * both ends, where the ripple is cut off at any phase */
typedef struct energy {
  double first, last; /* largest |change| in the first and the last tenth */
  double w, wx, wxx, wh, wxh;
} energy;

static double slope_of(const energy *e)
{
  return (e->w * e->wxh - e->wx * e->wh) / (e->w * e->wxx - e->wx * e->wx);
}

static double total(const test_problem *p, const double *y)
{
  const dae_mechanical *m = p->problem.mechanical;
  const dae_momentum *h = p->problem.momentum;
  double T = 0, V = 0;
  if (m)
    m->energy(m->user, &(dae_mechanical_at){.q = y, .v = y + m->nq}, &T, &V);
  else
    h->energy(h->user, &(dae_momentum_at){.y = y, .z = y + h->ny}, &T);
  return T + V;
}

static energy energy_of(const char *method, const test_problem *p, const dae_spark_options *opts,
                        long steps)
{
  const double pi = 3.14159265358979323846;
  dae_integrator *it;
  energy e = {0};
  double y[16], start = total(p, p->start.y), to = opts->step * (double)steps;
  assert_int_equal(
      dae_method_find(method, NULL)->create(&p->problem, &p->start, opts, NULL, &it, NULL), DAE_OK);
  for (long n = 1; n <= steps; n++) {
    assert_true(dae_integrator_step(it, to, NULL) >= 0);
    support_state(it, y, NULL);
    double change = total(p, y) - start, t = (double)n * opts->step - to / 2;
    double w = pow(sin(pi * (double)n / (double)steps), 4);
    if (n <= steps / 10)
      e.first = fmax(e.first, fabs(change));
    if (n > steps - steps / 10)
      e.last = fmax(e.last, fabs(change));
    e.w += w, e.wx += w * t, e.wxx += w * t * t, e.wh += w * change, e.wxh += w * t * change;
  }
  dae_integrator_free(it);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%s %-10s s = %d hat %d, %ld steps of %g: %.3e, at the end %.3e, slope %.1e\n",
                  method, p->name, opts->stages, (int)opts->hat, steps, opts->step, e.first, e.last,
                  slope_of(&e));
  return e;
}

/* fewer steps where sanitizers make them slow */
static long steps_of(long steps)
{
#ifdef NDEBUG
  return steps;
#else
  return getenv("DAEDAL_LONG") ? steps : steps / 10;
#endif
}

/* the change of the last tenth is not above that of the first, which is h^(2s-2) small */
static void test_energy_does_not_drift_with_hat_b(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(springy, NULL, 0, 1, &p);
  for (int s = 2; s <= 4; s++) {
    dae_spark_options opts = fixed_steps(s, 0.1);
    opts.hat = DAE_SPARK_HAT_B;
    energy e = energy_of("spark-lobatto", &p, &opts, steps_of(20000));
    assert_true(e.first > 0 && e.first < pow(0.1, 2 * s - 2));
    assert_true(e.last < 1.01 * e.first);
    assert_true(fabs(slope_of(&e)) < 1e-6 * e.first);
  }
  dae_model_free(model);
}

static void test_energy_of_a_hamiltonian_system_does_not_drift(void **state)
{
  (void)state;
  test_problem p = test_curv_ham(true);
  for (int s = 1; s <= 3; s++) {
    dae_spark_options opts = fixed_steps(s, 0.1);
    energy e = energy_of("spark-gauss", &p, &opts, steps_of(20000));
    assert_true(e.first > 0 && e.first < pow(0.1, 2 * s - 1));
    assert_true(e.last < 1.01 * e.first);
    assert_true(fabs(slope_of(&e)) < 1e-6 * e.first);
  }
}

/* the test above could see a drift: IIIC takes energy */
static void test_energy_falls_with_member_c(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(springy, NULL, 0, 1, &p);
  dae_spark_options opts = fixed_steps(3, 0.1);
  opts.member = DAE_SPARK_MEMBER_C;
  energy e = energy_of("spark-lobatto", &p, &opts, steps_of(20000));
  assert_true(e.last > 2 * e.first && slope_of(&e) < -1e-6 * e.first);
  dae_model_free(model);
}

/* IIIA (IIIx - IIIB) = 0: the hat matters to forces that depend on velocities, and to psi */
static void test_hats_are_the_same_for_forces_that_depend_on_positions_only(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(springy, NULL, 0, 2, &p);
  for (int s = 2; s <= 5; s++) {
    double y[2][5];
    for (int hat = DAE_SPARK_HAT_B; hat <= DAE_SPARK_HAT_D; hat++) {
      dae_spark_options opts = fixed_steps(s, 0.1);
      opts.hat = (dae_spark_hat)hat;
      assert_int_equal(support_run_with("spark-lobatto", &p, &opts, 0, NULL, NULL,
                                        y[hat > DAE_SPARK_HAT_B], NULL),
                       DAE_OK);
      for (int i = 0; i < 4 && hat > DAE_SPARK_HAT_B; i++)
        assert_true(fabs(y[1][i] - y[0][i]) < 1e-12);
    }
  }
  dae_model_free(model);
}

/* The multiplier of a redundant constraint is 0 in the stages, where it would else enter the
 * derivatives of the constraint forces: the motion is that of two bars. */
static void test_redundant_constraints_do_not_change_lobatto_steps(void **state)
{
  (void)state;
  static const char *const bars[] = {"1..3", "1..2"};
  double y[2][10];
  for (int i = 0; i < 2; i++) {
    char text[512];
    (void)snprintf(text, sizeof text,
                   "model platform \"\"\ncoord x = 0.6, y = -0.8, phi = 0\n"
                   "kinetic x'^2 + y'^2 + phi'^2/4\npotential 19.62*y\n"
                   "for i in %s {\n"
                   "  let dx = x + (i - 2)*(cos(phi) - 1), dy = y + (i - 2)*sin(phi)\n"
                   "  constraint bar[i]: (dx^2 + dy^2 - 1)/2 = 0\n}\n",
                   bars[i]);
    test_problem p;
    dae_model *model = text_problem(text, NULL, 0, 3, &p);
    dae_spark_options opts = dae_spark_defaults();
    assert_int_equal(support_run_with("spark-lobatto", &p, &opts, 0, NULL, NULL, y[i], NULL),
                     DAE_OK);
    dae_model_free(model);
  }
  for (int i = 0; i < 6; i++)
    assert_true(fabs(y[1][i] - y[0][i]) < 1e-5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_fixed_lobatto_steps_keep_all_constraints_without_projection),
      cmocka_unit_test(test_variable_lobatto_steps_keep_all_constraints_at_and_between_steps),
      cmocka_unit_test(test_fixed_steps_keep_the_constraints_of_the_momentum_form),
      cmocka_unit_test(test_variable_steps_keep_the_constraints_of_the_momentum_form),
      cmocka_unit_test(test_energy_does_not_drift_with_hat_b),
      cmocka_unit_test(test_energy_of_a_hamiltonian_system_does_not_drift),
      cmocka_unit_test(test_energy_falls_with_member_c),
      cmocka_unit_test(test_hats_are_the_same_for_forces_that_depend_on_positions_only),
      cmocka_unit_test(test_redundant_constraints_do_not_change_lobatto_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
