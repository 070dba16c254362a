/* The coordinate-split correctors against their definition, which this file forms densely:
 *
 *   P(q) r1 = 0,  P(q) r2 = 0,  gdot = 0,  g = 0,   r1 = q' - v,  r2 = M v' - f     [YP96 (2.12)]
 *   q = X q_x + Y q_y,   Q = (G Y)\(G X),   P = X' - Q' Y',   P G' = 0
 *   d(P r)/dq = P H(s),  H(s) = d(G' s)/dq,  s = -(G Y)^-T Y' r                [YP96 Lemma 2.2]
 *
 * and the two forms of the method that are wrong: the algorithm as printed, which commutes P with
 * the inverse of the iteration matrix, and directions frozen at an earlier point. */
#include "projected_step.h"

/* ---- the increment ---- */

/* Y moved by up to `by`, its rates accordingly */
static void move(const one_step *s, double by, double *Y, double *dY)
{
  for (int i = 0; i < 2 * s->nq; i++) {
    double d = by * uniform();
    Y[i] += d;
    dY[i] += s->cj * d;
  }
}

static void compare_increment(const one_step *s)
{
  double y[SIZE], dy[SIZE], Y[SIZE], dY[SIZE], delta[SIZE];
  dae_bdf_options opts = dae_bdf_defaults();
  opts.multipliers = DAE_BDF_MULTIPLIERS_SPLIT;
  dae__corrector c = create(dae__cs_create, s, &opts, y, dy);
  dae__copy(SIZE, s->predicted, Y);
  rates(s, Y, dY);
  move(s, 1e-2, Y, dY);
  assert_int_equal(c.table->setup(c.self, 0, Y, dY, s->cj, NULL), DAE_OK);
  kept k = keep(s->m, Y, dY, s->cj);
  move(s, 1e-2, Y, dY);
  for (int i = 2 * s->nq; i < c.n; i++)
    Y[i] = 1e3 * uniform(); /* multipliers do not enter */
  assert_int_equal(c.table->increment(c.self, 0, Y, dY, s->cj, 1, delta, NULL), DAE_OK);
  place at = place_at(s->m, Y, dY, s->cj);
  matrix d = qv(s, delta), expected = projected(&k, &at);
  assert_above(largest(expected), 1e-4, s->name);
  assert_below(distance(d, expected) / largest(expected), 1e-12, s->name);
  assert_below(distance(d, reduced(&k, &at)) / largest(expected), 1e-12, s->name);
  /* multipliers become their estimates: lambda, then mu */
  matrix now = column(2 * s->ng, Y + 2 * s->nq),
         multipliers = stacked(split_estimate(k.z, at.G, at.r2), split_estimate(k.z, at.G, at.r1));
  add(&now, 0, 0, 1, column(2 * s->ng, delta + 2 * s->nq));
  assert_below(distance(now, multipliers) / (1 + largest(multipliers)), 1e-12, s->name);
  c.table->free(c.self);
}

static void test_increment_is_newton_for_the_projected_equations(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++) {
    test_problem p = problem_at(i);
    for (int trial = 0; trial < 10; trial++) {
      one_step s = step_of(&p, 0.02, 0.3);
      compare_increment(&s);
    }
  }
}

static void test_projector_annihilates_constraint_forces(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++) {
    test_problem p = problem_at(i);
    one_step s = step_of(&p, 0.02, 0.3);
    place at = place_of(&s, s.predicted);
    split z = split_at(s.m, s.predicted);
    matrix P = projector(z, at.G), PX = times(P, z.X), r = stacked(at.r1, at.r2);
    assert_below(largest(times(P, transposed(at.G))), 1e-14, s.name);
    assert_below(distance(PX, identity(s.nq - s.ng)), 1e-14, s.name);
    /* r + G' s = X P r */
    r = part(r, s.nq, 0, s.nq, 1);
    matrix rest = r;
    add(&rest, 0, 0, 1, times(transposed(at.G), split_estimate(z, at.G, r)));
    assert_below(distance(rest, times(z.X, times(P, r))), 1e-14 * (1 + largest(r)), s.name);
  }
}

/* d(P r)/dq = P H(s) with r held, by central differences */
static void test_derivative_of_the_projector_is_the_curvature(void **state)
{
  (void)state;
  const double step = 1e-5;
  for (int i = 0; i < PROBLEMS; i++) {
    test_problem p = problem_at(i);
    one_step s = step_of(&p, 0.02, 0.3);
    split z = split_at(s.m, s.predicted);
    matrix r = zeros(s.nq, 1), differenced = zeros(s.nq - s.ng, s.nq);
    for (int j = 0; j < s.nq; j++)
      r.at[j][0] = uniform();
    for (int j = 0; j < s.nq; j++)
      for (int side = -1; side <= 1; side += 2) {
        double Y[SIZE];
        dae__copy(SIZE, s.predicted, Y);
        Y[j] += side * step;
        add(&differenced, 0, j, side / (2 * step), times(projector(z, place_of(&s, Y).G), r));
      }
    matrix G = place_of(&s, s.predicted).G;
    matrix H = curvature(s.m, s.predicted, split_estimate(z, G, r));
    assert_below(distance(differenced, times(projector(z, G), H)), 1e-7, s.name);
  }
}

/* ---- the fixed point ---- */

/* P r = 0 with the directions G, and the constraints, to round-off */
static void assert_solves(const one_step *s, const double *Y, split z, matrix G)
{
  place at = place_of(s, Y);
  matrix P = projector(z, G);
  assert_below(largest(times(P, at.r1)), 1e-12, s->name);
  assert_below(largest(times(P, at.r2)), 1e-12 * (1 + largest(at.r2)), s->name);
  assert_below(largest(at.g), 1e-14, s->name);
  assert_below(largest(at.gdot), 1e-13, s->name);
}

static void test_fixed_point_is_that_of_ggl_for_every_estimate(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++) {
    test_problem p = problem_at(i);
    one_step s = step_of(&p, 0.01, 0.1);
    double solution[SIZE], Y[SIZE];
    solve_ggl(&s, solution);
    assert_above(apart(&s, s.predicted, solution), 1e-5, s.name);
    for (int kind = 0; kind <= DAE_BDF_MULTIPLIERS_QR; kind++) {
      dae_bdf_options opts = dae_bdf_defaults();
      opts.multipliers = kind;
      iterate(dae__cs_create, &s, &opts, (looks){NULL, s.predicted}, Y);
      assert_solves(&s, Y, split_at(s.m, Y), place_of(&s, Y).G);
      assert_below(apart(&s, Y, solution), 1e-12, s.name);
    }
  }
}

/* ---- the estimates ---- */

static int unused(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  return -1;
}

static void random_numbers(int n, double *x)
{
  for (int i = 0; i < n; i++)
    x[i] = uniform();
}

/* estimates for the two residuals by one kind: lambda, then mu */
static void estimate(dae__mech *m, int kind, const double *G, double (*r)[MAX], matrix *s)
{
  double y[MAX], mu[MAX];
  dae__multipliers e = estimates_by(m, kind);
  assert_int_equal(dae__multipliers_select_split(&e, G, NULL, NULL), DAE_OK);
  assert_int_equal(dae__multipliers_factor(&e, G, NULL, NULL), DAE_OK);
  dae__multipliers_estimate(&e, r[1], r[0], y, mu);
  s[0] = column(m->ng, y);
  s[1] = column(m->ng, mu);
  dae__multipliers_free(&e);
}

/* A (r + G' s) */
static matrix rest(matrix A, const double *r, matrix G, matrix s)
{
  matrix sum = column(G.cols, r);
  add(&sum, 0, 0, 1, times(transposed(G), s));
  return times(A, sum);
}

static void compare_estimates(dae__mech *m)
{
  double values[VALUES], r[2][MAX], in_range[2][MAX];
  matrix s[3][2], same[3][2], chosen[2];
  random_numbers(dae__pattern_count(&m->G), values);
  for (int i = 0; i < m->ng; i++) /* one large entry a row, in columns of their own: regular */
    values[(7 * i + 3) % m->nq * m->ng + i] += m->ng;
  random_numbers(m->nq, r[0]);
  random_numbers(m->nq, r[1]);
  matrix G = spread(&m->G, values);
  for (int j = 0; j < 2; j++) { /* r = -G' chosen */
    double x[MAX];
    random_numbers(m->ng, x);
    chosen[j] = column(m->ng, x);
    matrix Gts = times(transposed(G), chosen[j]);
    for (int i = 0; i < m->nq; i++)
      in_range[j][i] = -Gts.at[i][0];
  }
  for (int kind = 0; kind < 3; kind++) {
    estimate(m, kind, values, r, s[kind]);
    estimate(m, kind, values, in_range, same[kind]);
  }
  matrix Yt = transposed(split_by(m, values).Y);
  for (int j = 0; j < 2; j++) {
    matrix lsq = s[DAE_BDF_MULTIPLIERS_LEAST_SQUARES][j], qr = s[DAE_BDF_MULTIPLIERS_QR][j];
    matrix by_split = s[DAE_BDF_MULTIPLIERS_SPLIT][j];
    double size = 1 + largest(lsq);
    assert_below(distance(qr, lsq), 1e-12 * size, "random G");
    assert_below(largest(rest(G, r[j], G, lsq)), 1e-12 * size, "random G");
    assert_below(largest(rest(G, r[j], G, qr)), 1e-12 * size, "random G");
    assert_below(largest(rest(Yt, r[j], G, by_split)), 1e-12 * (1 + largest(by_split)), "random G");
    for (int kind = 0; kind < 3; kind++)
      assert_below(distance(same[kind][j], chosen[j]), 1e-12 * size, "random G");
  }
}

/* what the estimates need of a problem: its sizes */
static dae__mech *sizes(int nq, int ng)
{
  dae_mechanical *p = DAE__ALLOC(arena, dae_mechanical, 1);
  dae__mech *m;
  assert_non_null(p);
  *p = (dae_mechanical){.nq = nq, .ng = ng, .M = unused, .f = unused, .g = unused};
  dae_problem problem = {.mechanical = p};
  assert_int_equal(dae__mech_create(arena, &problem, &m, NULL), DAE_OK);
  return m;
}

static void test_estimates_meet_their_definitions_and_agree_in_the_range(void **state)
{
  (void)state;
  const int all[][2] = {{1, 1}, {2, 1}, {3, 2}, {5, 4}, {8, 3}, {9, 9}, {20, 7}, {20, 19}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int trial = 0; trial < 5; trial++)
      compare_estimates(sizes(all[i][0], all[i][1]));
}

static void test_rows_taken_out_have_no_multiplier_and_do_not_disturb_others(void **state)
{
  (void)state;
  enum { NQ = 4, ROWS = 7, LEFT = 3 };
  const int left[LEFT] = {1, 3, 6};
  dae__mech *all = sizes(NQ, ROWS), *few = sizes(NQ, LEFT);
  double G[NQ * ROWS] = {0}, G_few[NQ * LEFT], r[2][MAX];
  random_numbers(NQ * LEFT, G_few);
  for (int i = 0; i < LEFT; i++)
    G_few[(i + 1) * LEFT + i] += LEFT;
  random_numbers(NQ, r[0]);
  random_numbers(NQ, r[1]);
  for (int i = 0; i < ROWS; i++)
    all->active[i] = false;
  for (int i = 0; i < LEFT; i++) {
    all->active[left[i]] = true;
    for (int j = 0; j < NQ; j++)
      G[j * ROWS + left[i]] = G_few[j * LEFT + i];
  }
  for (int kind = 0; kind <= DAE_BDF_MULTIPLIERS_QR; kind++) {
    matrix s[2], s_few[2];
    estimate(all, kind, G, r, s);
    estimate(few, kind, G_few, r, s_few);
    for (int j = 0; j < 2; j++) {
      matrix expected = zeros(ROWS, 1);
      for (int i = 0; i < LEFT; i++)
        expected.at[left[i]][0] = s_few[j].at[i][0];
      assert_below(distance(s[j], expected), 1e-12 * (1 + largest(expected)), "random G");
    }
  }
}

/* ---- what is wrong ---- */

static void test_printed_algorithm_converges_to_a_wrong_point(void **state)
{
  (void)state;
  test_problem p = problem_at(2); /* the spring */
  const double h[] = {1e-3, 3e-3, 1e-2};
  for (int i = 0; i < 3; i++) {
    one_step s = step_of(&p, h[i], 0);
    double solution[SIZE], Y[SIZE], wrong[SIZE], dY[SIZE];
    solve_ggl(&s, solution);
    iterate_dense(projected, &s, Y);
    assert_below(apart(&s, Y, solution), 1e-12, s.name);
    iterate_dense(reduced, &s, Y);
    assert_below(apart(&s, Y, solution), 1e-12, s.name);
    iterate_dense(printed, &s, wrong);
    assert_above(apart(&s, wrong, solution), 0.5 * apart(&s, s.predicted, solution), s.name);
    assert_above(apart(&s, wrong, solution), 1e-5, s.name);
    /* it has converged, to P J1\r = 0 */
    rates(&s, s.predicted, dY);
    kept k = keep(s.m, s.predicted, dY, s.cj);
    place at = place_of(&s, wrong);
    matrix P = twice(projector(k.z, at.G)), r = stacked(at.r1, at.r2);
    assert_below(largest(times(P, solve(k.J1, r))), 1e-12, s.name);
    assert_above(largest(times(P, r)), 1e-3, s.name);
  }
}

static void test_printed_algorithm_is_right_where_the_matrix_commutes(void **state)
{
  (void)state;
  test_problem p = problem_at(0); /* the pendulum: blocks of J1 are multiples of the identity */
  for (int trial = 0; trial < 5; trial++) {
    one_step s = step_of(&p, 0.01, 0.3);
    double solution[SIZE], Y[SIZE], dY[SIZE];
    rates(&s, s.predicted, dY);
    kept k = keep(s.m, s.predicted, dY, s.cj);
    place at = place_of(&s, s.predicted);
    matrix exact = projected(&k, &at);
    assert_above(largest(exact), 1e-5, s.name);
    assert_below(distance(printed(&k, &at), exact), 1e-12 * largest(exact), s.name);
    solve_ggl(&s, solution);
    iterate_dense(printed, &s, Y);
    assert_below(apart(&s, Y, solution), 1e-12, s.name);
  }
}

static void compare_frozen(const one_step *s, int multipliers)
{
  double solution[SIZE], elsewhere[SIZE], Y[SIZE];
  dae_bdf_options fresh = dae_bdf_defaults(), stale;
  fresh.multipliers = multipliers;
  stale = fresh;
  stale.projector = DAE_BDF_PROJECTOR_STALE;
  solve_ggl(s, solution);
  dae__copy(SIZE, s->predicted, elsewhere);
  for (int i = 0; i < s->nq; i++)
    elsewhere[i] += 0.05;
  /* directions of another point: the constraint force is G(q0)' lambda */
  iterate(dae__cm_create, s, &stale, (looks){NULL, elsewhere}, Y);
  assert_solves(s, Y, split_at(s->m, elsewhere), place_of(s, elsewhere).G);
  assert_above(apart(s, Y, solution), 1e-5, s->name);
  /* directions of the solution, with its matrix and with another one */
  iterate(dae__cm_create, s, &stale, (looks){NULL, solution}, Y);
  assert_below(apart(s, Y, solution), 1e-12, s->name);
  iterate(dae__cm_create, s, &fresh, (looks){solution, elsewhere}, Y);
  assert_below(apart(s, Y, solution), 1e-12, s->name);
}

static void test_frozen_directions_are_right_only_at_the_solution(void **state)
{
  (void)state;
  for (int i = 0; i < PROBLEMS; i++) {
    test_problem p = problem_at(i);
    p.start.y = p.reference; /* in motion, under constraint forces */
    one_step s = step_of(&p, 0.01, 0);
    for (int kind = 0; kind <= DAE_BDF_MULTIPLIERS_QR; kind++)
      compare_frozen(&s, kind);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_increment_is_newton_for_the_projected_equations, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_projector_annihilates_constraint_forces, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_derivative_of_the_projector_is_the_curvature, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_fixed_point_is_that_of_ggl_for_every_estimate, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_estimates_meet_their_definitions_and_agree_in_the_range,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(
          test_rows_taken_out_have_no_multiplier_and_do_not_disturb_others, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_printed_algorithm_converges_to_a_wrong_point, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_printed_algorithm_is_right_where_the_matrix_commutes,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_frozen_directions_are_right_only_at_the_solution, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
