/* The semi-explicit view of mechanical problems: its right side, its Jacobian, its pattern. */
#include "linalg/pattern.h"
#include "parts.h"
#include "problem/mechanical/view.h"
#include "problem/semi_explicit/semi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_the_view_holds_at_an_exact_state(void **state)
{
  (void)state;
  const double angle = 0.7, omega = 1.3, s = sin(angle), c = cos(angle);
  /* q = (sin, -cos); v' + q lambda = (0, -10) and q.v' = -|v|^2: lambda = omega^2 + 10 cos */
  const double lambda = omega * omega + 10 * c;
  const double z[] = {s, -c, omega * c, omega * s, lambda, 0};
  const double dz[] = {omega * c, omega * s, -lambda * s, lambda * c - 10};
  dae_problem problem = dae_problem_mechanical(&pendulum);
  for (int kind = DAE__VIEW_POSITION; kind <= DAE__VIEW_GGL; kind++) {
    dae__arena *arena = dae__arena_create(NULL);
    dae_problem seen;
    dae__semi *view = NULL;
    assert_int_equal(dae__view_semi(arena, &problem, (dae__view_kind)kind, &seen, NULL), DAE_OK);
    assert_int_equal(dae__semi_create(arena, &seen, &view, NULL), DAE_OK);
    assert_int_equal(view->n, kind == DAE__VIEW_GGL ? 6 : 5);
    assert_int_equal(seen.semi_explicit->index, kind == DAE__VIEW_POSITION ? 3 : 2);
    assert_string_equal(seen.semi_explicit->x_names[2], "der(q[1])");
    double f[6], M[16], residual[6];
    assert_int_equal(dae__semi_rhs(view, 0, z, f, NULL), DAE_OK);
    assert_int_equal(dae__semi_M(view, 0, z, M, NULL), DAE_OK);
    for (int i = 0; i < view->n; i++)
      residual[i] = -f[i];
    dae__matrix_times(&view->M, M, 1, dz, residual);
    for (int i = 0; i < view->n; i++)
      assert_near(residual[i], 0, 1e-10);
    dae__arena_free(arena);
  }
}

/* J of a semi-explicit problem against central differences */
static void check_semi_J(dae__semi *s, double t, double *z, double tolerance)
{
  double J[400], plus[20], minus[20], dense[400] = {0};
  const double d = 1e-5;
  assert_true(s->n <= 20);
  assert_int_equal(dae__semi_J(s, NULL, t, z, J, NULL), DAE_OK);
  for (int j = 0; j < s->n; j++)
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      dense[s->J.row[e] + s->n * j] = J[e];
  for (int j = 0; j < s->n; j++) {
    double keep = z[j];
    z[j] = keep + d;
    assert_int_equal(dae__semi_rhs(s, t, z, plus, NULL), DAE_OK);
    z[j] = keep - d;
    assert_int_equal(dae__semi_rhs(s, t, z, minus, NULL), DAE_OK);
    z[j] = keep;
    for (int i = 0; i < s->n; i++)
      assert_near(dense[i + s->n * j], (plus[i] - minus[i]) / (2 * d), tolerance);
  }
}

static void test_the_view_gives_the_jacobian_of_its_right_side(void **state)
{
  (void)state;
  /* of the problem itself, and of its assembly */
  const dae_part part[] = {{.name = "A", .mechanical = &full}};
  dae_coupled coupled = {.parts = 1, .part = part};
  for (int kind = DAE__VIEW_POSITION; kind <= DAE__VIEW_GGL; kind++) {
    dae__arena *arena = dae__arena_create(NULL);
    dae_problem problem = dae_problem_mechanical(&full), seen;
    const dae_problem *assembled = dae__assembly_problem(assemble(arena, &coupled));
    double z[11] = {1, 2, 3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.7, 1.9, 2.3};
    for (int through = 0; through < 2; through++) {
      dae__semi *view = NULL;
      assert_int_equal(
          dae__view_semi(arena, through ? assembled : &problem, (dae__view_kind)kind, &seen, NULL),
          DAE_OK);
      assert_int_equal(dae__semi_create(arena, &seen, &view, NULL), DAE_OK);
      check_semi_J(view, 0.3, z, 1e-4); /* d(g_t + G v)/dq: differences of differences */
      double a[7] = {1, 2, 3, 4, 5, 6, 7}, Ms[49];
      assert_int_equal(dae__semi_Ms(view, 0.3, z, a, Ms, NULL), DAE_OK);
      assert_near(Ms[3 + 7], 2 * z[1] * a[3], 1e-5);     /* d(M a)_1 / dq_2 */
      assert_near(Ms[5 + 7 * 3], 2 * z[3] * a[5], 1e-5); /* d(M a)_3 / dv_1 */
    }
    dae__arena_free(arena);
  }
}

static void test_the_view_of_a_sparse_assembly_is_sparse(void **state)
{
  (void)state;
  static ring r;
  dae_coupled coupled;
  make_ring_of_pendula(&r, RING, &coupled);
  dae__arena *arena = dae__arena_create(NULL);
  dae_problem seen;
  const dae_problem *problem = dae__assembly_problem(assemble(arena, &coupled));
  assert_int_equal(dae__view_semi(arena, problem, DAE__VIEW_GGL, &seen, NULL), DAE_OK);
  assert_int_equal(dae_problem_validate(&seen, NULL), DAE_OK);
  assert_true(dae__pattern_count(seen.semi_explicit->J_pattern) < 80 * RING);
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_the_view_holds_at_an_exact_state),
      cmocka_unit_test(test_the_view_gives_the_jacobian_of_its_right_side),
      cmocka_unit_test(test_the_view_of_a_sparse_assembly_is_sparse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
