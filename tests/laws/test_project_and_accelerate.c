/* Arrival: what one evaluation and one factorisation make of a state near its constraints, checked
 * against the conditions that define it, and what steps that end by it leave of the constraints. */
#include "arena_fixture.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "step/integrator.h"
#include "support.h"
#include "uniform.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MOST 128 /* entries of a state vector */

/* a mechanical problem with constraints at its consistent start */
typedef struct started {
  test_problem p;
  dae__mech *m;
  dae__motion *motion, *other;
  double y[MOST], dy[MOST];
} started;

static bool next_started(int *i, started *s)
{
  while (test_problem_at((*i)++, &s->p)) {
    const dae_mechanical *p = s->p.problem.mechanical;
    if (p && p->ng + p->nk > 0) {
      memcpy(s->y, s->p.start.y, (size_t)s->p.size * sizeof *s->y);
      assert_int_equal(dae__mech_create(arena, &s->p.problem, &s->m, NULL), DAE_OK);
      assert_int_equal(dae__motion_create(arena, s->m, &s->motion, NULL), DAE_OK);
      assert_int_equal(dae__motion_create(arena, s->m, &s->other, NULL), DAE_OK);
      assert_int_equal(dae__mech_consistent(s->motion, s->p.start.t, NULL, s->y, s->dy, NULL, NULL),
                       DAE_OK);
      assert_int_equal(dae__motion_reserve_dependent(s->other, NULL), DAE_OK);
      return true;
    }
    test_problem_free(&s->p);
  }
  return false;
}

static void finish(started *s)
{
  dae__motion_free(s->motion);
  dae__motion_free(s->other);
  test_problem_free(&s->p);
}

/* y moved in q and v by d times the same directions */
static void move(const started *s, const double *direction, double d, double *y)
{
  memcpy(y, s->y, (size_t)s->p.size * sizeof *y);
  dae__axpy(2 * s->m->nq, d, direction, y);
}

static void some_direction(const started *s, double *direction)
{
  for (int i = 0; i < 2 * s->m->nq; i++)
    direction[i] = uniform();
}

typedef struct missed {
  double g, gdot, k;
} missed;

static missed missed_by(const started *s, const double *y)
{
  dae__mech *m = s->m;
  double g[MOST], gdot[MOST], k[MOST], G[MOST * MOST];
  dae_mechanical_at at = dae__mech_at(m, s->p.start.t, y);
  assert_int_equal(dae__mech_g(m, &at, g, NULL), DAE_OK);
  assert_int_equal(dae__mech_G(m, &at, G, NULL), DAE_OK);
  assert_int_equal(dae__mech_gdot(m, &at, G, gdot, NULL), DAE_OK);
  assert_int_equal(dae__mech_k(m, &at, k, NULL), DAE_OK);
  return (missed){dae__max_abs(m->ng, g), dae__max_abs(m->ng, gdot), dae__max_abs(m->nk, k)};
}

static void arrive(const started *s, double *y, double *dy)
{
  memcpy(dy, s->dy, (size_t)s->p.size * sizeof *dy);
  assert_int_equal(dae__motion_project_and_accelerate(s->motion, s->p.start.t, y, dy, NULL),
                   DAE_OK);
}

static double distance(int n, const double *a, const double *b)
{
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= most)) /* negated: a NaN counts */
      most = fabs(a[i] - b[i]);
  return most;
}

static double size_of(const started *s)
{
  return 1 + dae__max_abs(s->p.size, s->y) + dae__max_abs(s->p.size, s->dy);
}

static void test_one_evaluation_and_one_factorisation(void **state)
{
  (void)state;
  started s;
  double direction[MOST], y[MOST], dy[MOST];
  for (int i = 0; next_started(&i, &s); finish(&s)) {
    some_direction(&s, direction);
    move(&s, direction, 1e-6, y);
    long evaluations = s.m->count->evaluations, factored = s.motion->memory->factorisations,
         projected = s.motion->memory->projections;
    arrive(&s, y, dy);
    assert_int_equal(s.m->count->evaluations, evaluations + 1);
    assert_int_equal(s.motion->memory->factorisations, factored + 1);
    assert_int_equal(s.motion->memory->projections, projected + 1);
  }
}

/* multipliers of minimum norm among them, where constraints are dependent */
static void test_accelerations_and_multipliers_are_those_before_it_is_moved(void **state)
{
  (void)state;
  started s;
  double direction[MOST], y[MOST], dy[MOST], plain[MOST], rate[MOST];
  for (int i = 0; next_started(&i, &s); finish(&s)) {
    int nq = s.m->nq, v = s.m->at.v;
    some_direction(&s, direction);
    move(&s, direction, 1e-3, y);
    memcpy(plain, y, sizeof plain);
    memcpy(rate, s.dy, sizeof rate);
    arrive(&s, y, dy);
    assert_int_equal(dae__motion_accelerate(s.other, s.p.start.t, plain, rate, NULL), DAE_OK);
    double small = 1e-12 * size_of(&s) * size_of(&s);
    assert_true(distance(s.p.size - v, dy + v, rate + v) < small);
    assert_true(distance(s.m->nc, y + s.m->at.lambda, plain + s.m->at.lambda) < small);
    assert_true(distance(nq, dy, y + v) == 0);      /* q' = v, as it is after it is moved */
    assert_true(distance(2 * nq, y, plain) > 1e-7); /* and it is */
    assert_true(distance(s.m->nu + s.m->nw, y + s.m->at.u, plain + s.m->at.u) == 0);
  }
}

/* with the square of the distance */
static void test_what_is_missed_falls_with_the_distance(void **state)
{
  (void)state;
  started s;
  double direction[MOST], y[MOST], dy[MOST];
  for (int i = 0; next_started(&i, &s); finish(&s)) {
    missed by[2];
    some_direction(&s, direction);
    for (int k = 0; k < 2; k++) {
      move(&s, direction, k ? 1e-4 : 1e-3, y);
      arrive(&s, y, dy);
      by[k] = missed_by(&s, y);
    }
    double noise = 1e-11 * size_of(&s);
    if (by[0].g > 150 * by[1].g + noise || by[0].g < 60 * by[1].g - noise)
      fail_msg("%s: g from %g to %g", s.p.name, by[0].g, by[1].g);
    if (by[1].gdot > 1e-5 || by[1].k > 1e-5 || by[1].g > 1e-6)
      fail_msg("%s: g %g, gdot %g, k %g", s.p.name, by[1].g, by[1].gdot, by[1].k);
  }
}

/* with q on its constraints v is led onto its own at once, where they are linear in v */
static void test_velocities_alone_are_projected_at_once(void **state)
{
  (void)state;
  started s;
  double direction[MOST], y[MOST], dy[MOST];
  for (int i = 0; next_started(&i, &s); finish(&s)) {
    some_direction(&s, direction);
    dae__zero(s.m->nq, direction);
    move(&s, direction, 1e-3, y);
    missed before = missed_by(&s, y);
    arrive(&s, y, dy);
    missed by = missed_by(&s, y);
    assert_true(fmax(before.gdot, before.k) > 1e-5);
    if (fmax(by.gdot, by.k) > 2e-10 * size_of(&s)) /* differences leave 1e-10 */
      fail_msg("%s: gdot %g, k %g", s.p.name, by.gdot, by.k);
  }
}

/* the corrections are those of least mass norm: what the full projection finds, to second order */
static void test_it_ends_where_projection_ends(void **state)
{
  (void)state;
  started s;
  double direction[MOST], y[MOST], dy[MOST], full[MOST];
  for (int i = 0; next_started(&i, &s); finish(&s)) {
    double apart[2], d[2] = {1e-3, 1e-4};
    some_direction(&s, direction);
    dae__zero(s.m->nq, direction + s.m->nq);
    for (int k = 0; k < 2; k++) {
      move(&s, direction, d[k], y);
      memcpy(full, y, sizeof full);
      arrive(&s, y, dy);
      s.other->memory->factored = false; /* projected by the matrix at its own point */
      assert_int_equal(dae__motion_project(s.other, s.p.start.t, full, full + s.m->nq, NULL, NULL),
                       DAE_OK);
      apart[k] = distance(s.m->nq, y, full);
      assert_true(s.m->ng == 0 || distance(s.m->nq, full, s.y) > 1e-7);
    }
    if (apart[1] > apart[0] / 60 + 1e-11 * size_of(&s))
      fail_msg("%s: apart by %g, then %g", s.p.name, apart[0], apart[1]);
  }
}

/* ---- in a run ---- */

typedef struct drift {
  double position, velocity;
} drift;

/* the largest at the ends of steps, as they are there */
static drift drift_of(const char *name, int order, const test_problem *p)
{
  const dae_method *method = dae_method_find(name, NULL);
  dae_rk_options opts = dae_rk_adaptive_defaults();
  dae_integrator *it = NULL;
  double y[MOST];
  drift most = {0, 0}, now;
  dae_status status = DAE_OK;
  assert_non_null(method);
  opts.rtol = opts.atol = 1e-6;
  opts.order = order;
  assert_int_equal(method->create(&p->problem, &p->start, &opts, NULL, &it, NULL), DAE_OK);
  while (status == DAE_OK) {
    status = dae_integrator_step(it, p->to, NULL);
    double t = dae_integrator_view(it).t;
    assert_int_equal(dae__integrator_interpolate_raw(it, t, y, NULL, NULL), DAE_OK);
    support_drift(p->problem.mechanical, t, y, &now.position, &now.velocity);
    most.position = fmax(most.position, now.position);
    most.velocity = fmax(most.velocity, now.velocity);
    support_state(it, y, NULL); /* what is shown is there to round-off */
    support_drift(p->problem.mechanical, t, y, &now.position, &now.velocity);
    assert_true(fmax(now.position, now.velocity) < 1e-11);
  }
  assert_int_equal(status, DAE_END);
  dae_integrator_free(it);
  return most;
}

/* redundant constraints, moving ones and nonholonomic ones among them */
static void test_steps_end_on_their_constraints(void **state)
{
  (void)state;
  test_problem (*const all[])(void) = {test_pendulum,      test_car_axis,         test_knife_edge,
                                       test_parallel_bars, test_cylinder_skate,   test_slider_crank,
                                       test_curvilinear,   test_rheonomic_length, test_bead,
                                       test_sleigh};
  static const struct {
    const char *name;
    int order;
  } methods[] = {{"explicit", 5}, {"explicit", 8}, {"gauss", 0}};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
      test_problem p = all[i]();
      drift d = drift_of(methods[m].name, methods[m].order, &p);
      if (!(d.position < 5e-14 && d.velocity < 1e-11))
        fail_msg("%s, %s %d: %g, %g", p.name, methods[m].name, methods[m].order, d.position,
                 d.velocity);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_one_evaluation_and_one_factorisation),
      TEST(test_accelerations_and_multipliers_are_those_before_it_is_moved),
      TEST(test_what_is_missed_falls_with_the_distance),
      TEST(test_velocities_alone_are_projected_at_once),
      TEST(test_it_ends_where_projection_ends),
      cmocka_unit_test(test_steps_end_on_their_constraints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
