/* Between the ends of its steps: the order of what is shown, constraints and multipliers there;
 * events; and starting anew where a row of F comes to contain y, or no longer does. */
#include "lie_fixture.h"
#include "lie_tracks.h"
#include "support.h"

#include <daedal/lie.h>
#include <stdlib.h>
#include <string.h>

static bool verbose(void)
{
  return getenv("DAEDAL_VERBOSE") != NULL;
}

/* a first step of size h that is taken whatever its error; variable: by halves */
static dae_integrator *first_step(const test_problem *p, dae_lie_options opts, double h,
                                  bool variable)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (variable) {
    opts.first_step = h;
    opts.rtol = opts.atol = 1;
  } else
    opts.step = h;
  if (dae_lie_create(&p->problem, &p->start, &opts, NULL, &it, &err) ||
      dae_integrator_step(it, 10, &err))
    fail_msg("%s: %s", p->name, err.text);
  assert_true(fabs(dae_integrator_view(it).t - p->start.t - h) < 1e-12);
  return it;
}

/* ---- order ---- */

static int linear_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[0];
  return 0;
}

/* steps are exact here: what is left is the error of the polynomial */
static double of_the_polynomial(double h, bool variable)
{
  static const dae_semi_explicit p = {.name = "linear", .nx = 1, .f = linear_f};
  static const double start[] = {1};
  test_problem linear = {
      .name = "linear", .problem = {.semi_explicit = &p}, .start = {.y = start}, .size = 1};
  dae_lie_options opts = dae_lie_defaults();
  double most = 0;
  opts.kappa = 0;
  dae_integrator *it = first_step(&linear, opts, h, variable);
  for (int i = 0; i <= 32; i++) {
    double t = i * h / 32, z[1];
    assert_int_equal(dae_integrator_interpolate(it, t, z, NULL, NULL), DAE_OK);
    most = fmax(most, fabs(z[0] - exp(t)));
    if (i % (variable ? 16 : 32) == 0)
      assert_true(fabs(z[0] - exp(t)) < 1e-14);
  }
  dae_integrator_free(it);
  return most;
}

static void test_polynomials_are_cubic_and_by_halves_quintic(void **state)
{
  (void)state;
  for (int variable = 0; variable < 2; variable++) {
    double h = variable ? 0.5 : 0.25;
    double coarse = of_the_polynomial(h, variable), fine = of_the_polynomial(h / 2, variable);
    double found = log2(coarse / fine);
    if (verbose())
      print_message("%s: %.1e, %.1e, order %.2f\n", variable ? "by halves" : "in one", coarse, fine,
                    found);
    assert_true(fabs(found - (variable ? 6 : 4)) < 0.3);
  }
}

/* F_x x' + F_t, x' - f and F of what is shown */
static void check_equations(const test_problem *p, double t, const double *z, const double *dz,
                            double scale)
{
  const dae_semi_explicit *s = p->problem.semi_explicit;
  double J[36], f[LIE_MOST], F_t[4] = {0};
  dae_semi_explicit_at at = {.t = t, .x = z, .y = z + s->nx};
  int n = s->nx + s->ny;
  s->f(NULL, &at, f);
  for (int i = 0; i < s->nx; i++)
    assert_true(fabs(dz[i] - f[i]) < 1e-11 * scale);
  if (s->ny == 0)
    return;
  s->J(NULL, &at, J);
  if (s->F_t)
    s->F_t(NULL, &at, F_t);
  for (int i = 0; i < s->ny; i++) {
    for (int j = 0; j < s->nx; j++)
      F_t[i] += J[j * n + s->nx + i] * dz[j];
    assert_true(fabs(F_t[i]) < 1e-9 * scale * scale);
  }
  assert_true(lie_F(p, t, z) < 1e-11 * scale * scale);
}

/* the largest error of x within a first step of size h from the exact state at t = 0.7 */
static double inside(l13_example which, double h, int order, bool variable)
{
  test_problem p = l13_problem(which, true);
  double start[LIE_MOST], z[LIE_MOST], dz[LIE_MOST], exact[LIE_MOST], most = 0;
  dae_lie_options opts = dae_lie_defaults();
  l13_exact(which, 0.7, start);
  p.start = (dae_start){.t = 0.7, .y = start};
  opts.order = order;
  dae_integrator *it = first_step(&p, opts, h, variable);
  for (int i = 1; i < 16; i++) {
    double t = 0.7 + i * h / 16;
    assert_int_equal(dae_integrator_interpolate(it, t, z, dz, NULL), DAE_OK);
    l13_exact(which, t, exact);
    for (int k = 0; k < p.problem.semi_explicit->nx; k++)
      most = fmax(most, fabs(z[k] - exact[k]));
    check_equations(&p, t, z, dz, which == L13_PLASTIC ? 200 : 1);
  }
  dae_integrator_free(it);
  return most;
}

/* p + 1 of a single step; the cubic polynomial has no more than 4 */
static void test_what_is_shown_is_as_good_as_the_steps_and_meets_all_equations(void **state)
{
  (void)state;
  static const l13_example all[] = {L13_PLASTIC, L13_HESSENBERG, L13_TRACK, L13_TRACK_GGL, L13_ODE};
  for (int w = 0; w < 5; w++)
    for (int order = 2; order <= 4; order += 2)
      for (int variable = 0; variable < 2; variable++) {
        double coarse = inside(all[w], 0.05, order, variable);
        double fine = inside(all[w], 0.025, order, variable), found = log2(coarse / fine);
        double least = order == 2 ? 3 : variable ? 5 : 4;
        if (verbose())
          print_message("%-10s order %d, %s: %.1e, %.1e, order %.2f\n",
                        l13_problem(all[w], true).name, order, variable ? "by halves" : "in one",
                        coarse, fine, found);
        assert_true(found > least - 0.2);
      }
}

static void check_mechanical(test_problem p, dae_lie_form form, bool fixed)
{
  dae_lie_options opts = dae_lie_defaults();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  double worst = 0, c_worst = 0, off[2] = {0, 0};
  opts.form = form;
  opts.step = fixed ? p.to / 200 : 0;
  assert_int_equal(dae_lie_create(&p.problem, &p.start, &opts, NULL, &it, &err), DAE_OK);
  for (int i = 0; i < 40 && status == DAE_OK; i++) {
    status = dae_integrator_step(it, p.to, &err);
    dae_view view = dae_integrator_view(it);
    for (int k = 0; k <= 5; k++) {
      double t = view.t_previous + k * (view.t - view.t_previous) / 5, y[32], dy[32];
      double motion, c, position, velocity;
      if (k == 5)
        t = view.t;
      assert_int_equal(dae_integrator_interpolate(it, t, y, dy, &err), DAE_OK);
      support_residual(p.problem.mechanical, t, y, dy, &motion, &c);
      support_drift(p.problem.mechanical, t, y, &position, &velocity);
      worst = fmax(worst, motion);
      c_worst = fmax(c_worst, c);
      off[0] = fmax(off[0], position);
      off[1] = fmax(off[1], velocity);
    }
  }
  assert_true(status >= 0);
  if (verbose())
    print_message("%-17s %s, %s: motion %.1e, c %.1e, g %.1e, gdot %.1e\n", p.name,
                  form ? "weak" : "ggl", fixed ? "fixed" : "variable", worst, c_worst, off[0],
                  off[1]);
  assert_true(worst < 1e-9 && c_worst < 1e-10);
  assert_true(off[1] < 1e-11);
  assert_true(form == DAE_LIE_WEAK || off[0] < 1e-11);
  dae_integrator_free(it);
}

static void test_mechanical_states_that_are_shown_meet_all_equations(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    check_mechanical(test_cylinder_skate(), (dae_lie_form)(i % 2), i / 2);
    check_mechanical(test_slider_crank(), (dae_lie_form)(i % 2), i / 2);
    check_mechanical(test_motor(), (dae_lie_form)(i % 2), i / 2);
    check_mechanical(test_rheonomic_length(), (dae_lie_form)(i % 2), i / 2);
  }
}

/* ---- events ---- */

static void test_events_are_located_and_gone_on_from(void **state)
{
  (void)state;
  test_problem all[] = {test_bouncing_ball(), test_pendulum_wall()};
  for (int i = 0; i < 2; i++)
    for (int order = 2; order <= 4; order += 2) {
      dae_lie_options opts = dae_lie_defaults();
      dae_summary summary;
      double y[16];
      opts.rtol = opts.atol = 1e-9;
      opts.order = order;
      assert_int_equal(support_run_with("lie", &all[i], &opts, 0, NULL, NULL, y, &summary), DAE_OK);
      if (verbose())
        print_message("%-17s order %d: %ld events, error %.1e, %ld steps\n", all[i].name, order,
                      summary.events, support_error(&all[i], y), summary.stats.steps);
      assert_int_equal(summary.events, all[i].hits);
      assert_true(support_error(&all[i], y) < 1e-5);
    }
}

/* ---- rows of F that change ---- */

static int leaves(void *user, double t, const double *z, double *value)
{
  (void)user, (void)t;
  *value = z[1] - 0.5;
  return 0;
}

static int arrives(void *user, double t, const double *z, double *value)
{
  (void)user, (void)t;
  *value = z[0] * z[0] + z[1] * z[1] - 1.44;
  return 0;
}

static int leave(void *user, double t, const double *before, double *after)
{
  (void)t, (void)before, (void)after;
  *(lie_track *)user = (lie_track){false, 0};
  return 0;
}

static int arrive(void *user, double t, const double *before, double *after)
{
  (void)t, (void)before, (void)after;
  *(lie_track *)user = (lie_track){true, 1.2};
  return 0;
}

typedef struct seen {
  double t_leave, t_arrive, worst;
  int rows[3];
} seen;

static void compare(void *user, double t, const double *z)
{
  seen *o = user;
  int phase = t < o->t_leave - 1e-6 ? 0 : t < o->t_arrive - 1e-6 ? 1 : 2;
  if (fabs(t - o->t_leave) < 1e-5 || fabs(t - o->t_arrive) < 1e-5)
    return; /* y jumps here */
  double r = phase == 0 ? 1 : phase == 1 ? exp(0.3 * (t - o->t_leave)) : 1.2;
  double y = phase == 1 ? 0 : -0.3;
  o->rows[phase]++;
  o->worst = fmax(o->worst, fabs(z[0] - r * cos(t)));
  o->worst = fmax(o->worst, fabs(z[1] - r * sin(t)));
  o->worst = fmax(o->worst, fabs(z[2] - y));
}

static void test_a_row_of_F_may_lose_its_y_and_get_it_at_an_event(void **state)
{
  (void)state;
  static const double start[] = {1, 0, 0};
  for (int i = 0; i < 4; i++) {
    lie_track o = {true, 1};
    seen s = {.t_leave = asin(0.5), .t_arrive = asin(0.5) + log(1.2) / 0.3};
    dae_semi_explicit d = lie_track_of(&o);
    const dae_event events[] = {
        {.name = "leaves", .direction = 1, .user = &o, .value = leaves, .action = leave},
        {.name = "arrives", .direction = 1, .user = &o, .value = arrives, .action = arrive}};
    test_problem p = {.name = "track",
                      .problem = {.semi_explicit = &d},
                      .start = {.y = start},
                      .to = 2.2,
                      .size = 3,
                      .events = events,
                      .event_count = 2};
    dae_lie_options opts = dae_lie_defaults();
    dae_summary summary;
    opts.order = 4;
    opts.rtol = opts.atol = 1e-9;
    opts.step = i % 2 ? 0.02 : 0;
    opts.lie_iteration = i / 2 ? DAE_LIE_NESTED : DAE_LIE_NEWTON;
    assert_int_equal(support_run_with("lie", &p, &opts, 0.05, compare, &s, NULL, &summary), DAE_OK);
    if (verbose())
      print_message("%d %d %d rows, %ld events, error %.1e\n", s.rows[0], s.rows[1], s.rows[2],
                    summary.events, s.worst);
    assert_int_equal(summary.events, 2);
    assert_true(s.rows[0] > 5 && s.rows[1] > 5 && s.rows[2] > 5);
    assert_true(s.worst < 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomials_are_cubic_and_by_halves_quintic),
      cmocka_unit_test(test_what_is_shown_is_as_good_as_the_steps_and_meets_all_equations),
      cmocka_unit_test(test_mechanical_states_that_are_shown_meet_all_equations),
      cmocka_unit_test(test_events_are_located_and_gone_on_from),
      cmocka_unit_test(test_a_row_of_F_may_lose_its_y_and_get_it_at_an_event),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
