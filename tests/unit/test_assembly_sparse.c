/* Large assemblies are sparse, their derivatives are those of the parts, and memory that is refused
 * on the way is a clean error. */
#include "counting_env.h"
#include "linalg/pattern.h"
#include "parts.h"
#include "problem/mechanical/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- a ring of many small parts ---- */

static void test_a_ring_of_circuits_is_sparse(void **state)
{
  (void)state;
  static ring r;
  circuit c = {0.5, -1};
  dae_semi_explicit p = circuit_of(&c, true);
  for (int i = 0; i < RING; i++) {
    int next = (i + 1) % RING;
    r.part[i] = (dae_part){.semi_explicit = &p};
    r.wire[2 * i] = (dae_wire){i, 0, {next, 0}};
    r.wire[2 * i + 1] = (dae_wire){i, 1, {next, 1}};
  }
  dae_coupled coupled = {.parts = RING, .wires = 2 * RING, .part = r.part, .wire = r.wire};
  dae__arena *arena = dae__arena_create(NULL);
  const dae_semi_explicit *all = dae__assembly_problem(assemble(arena, &coupled))->semi_explicit;
  assert_non_null(all->J_pattern);
  assert_int_equal(dae__pattern_count(all->J_pattern), 8 * RING);
  assert_null(all->M_pattern);

  double z[2 * RING], out[8 * RING], sum[2 * RING] = {0}, f[2 * RING];
  for (int i = 0; i < 2 * RING; i++)
    z[i] = sin(i);
  /* linear: J z = rhs */
  dae_semi_explicit_at at = {.x = z, .y = z + RING};
  assert_int_equal(all->J(all->user, &at, out), 0);
  dae__matrix_times(all->J_pattern, out, 1, z, sum);
  assert_int_equal(all->f(all->user, &at, f), 0);
  assert_int_equal(all->F(all->user, &at, f + RING), 0);
  assert_all_near(2 * RING, sum, f, 1e-14);
  dae__arena_free(arena);
}

static void test_a_ring_of_pendula_is_sparse(void **state)
{
  (void)state;
  static ring r;
  dae_coupled coupled;
  make_ring_of_pendula(&r, RING, &coupled);
  dae__arena *arena = dae__arena_create(NULL);
  const dae_mechanical *all = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_string_equal(all->g_names[RING], "joint[1][1]");
  assert_int_equal(dae__pattern_count(all->M_pattern), 4 * RING);
  assert_int_equal(dae__pattern_count(all->J_pattern), 8 * RING);
  assert_int_equal(dae__pattern_count(all->G_pattern), 2 * RING + 8 * RING / 2);
  assert_int_equal(dae__pattern_count(all->Gts_pattern), 16 * RING / 2);
  dae__mech *m = mech_of(arena, all);
  static double y[(4 + 2) * RING], G[6 * RING], gdot[2 * RING], moved[2 * RING], g[2 * RING];
  for (int i = 0; i < 4 * RING; i++)
    y[i] = sin(i);
  dae_mechanical_at at = dae__mech_at(m, 1, y);
  dae_mechanical_wanted w = {.G = G, .gdot = gdot};
  assert_int_equal(dae__mech_eval(m, &at, &w, NULL), DAE_OK);
  /* g_t + G v = d/dt g(t, q + t v) */
  const double h = 1e-4;
  for (int side = -1; side <= 1; side += 2) {
    at.t = 1 + side * h;
    for (int i = 0; i < 2 * RING; i++)
      y[i] += side * (side > 0 ? 2 : 1) * h * y[2 * RING + i];
    assert_int_equal(dae__mech_g(m, &at, side < 0 ? moved : g, NULL), DAE_OK);
  }
  for (int i = 0; i < 2 * RING; i++)
    assert_near((g[i] - moved[i]) / (2 * h), gdot[i], 1e-7);
  dae__arena_free(arena);
}

/* ---- parts with everything, in a sparse assembly ---- */

static void test_all_derivatives_of_a_sparse_assembly_are_those_of_its_parts(void **state)
{
  (void)state;
  enum { N = 4 };
  dae_part part[N];
  for (int i = 0; i < N; i++)
    part[i] = (dae_part){.mechanical = &full};
  dae_coupled coupled = {.parts = N, .part = part};
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly = assemble(arena, &coupled);
  dae__mech *all = mech_of(arena, dae__assembly_problem(assembly)->mechanical);
  dae__mech *one = mech_of(arena, &full);
  assert_true(all->sparse);
  double y[10 * N], assembled[10 * N];
  for (int i = 0; i < 10 * N; i++)
    y[i] = 1 + sin(i);
  dae__assembly_gather(assembly, y, assembled);
  dae_mechanical_at at = dae__mech_at(all, 0.3, assembled);
  const double a[3 * N] = {0, 0, 0, 1, 2, 3};
  const double psi[N] = {0, 2};
  dae_mechanical_at here = dae__mech_at(one, 0.3, y + 10);
  double own[40];
  static double values[40 * N];
  /* the block of the second part comes after that of the first */
  assert_int_equal(dae__mech_derivative(one, DAE__MS_QV, &here, a + 3, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_derivative(all, DAE__MS_QV, &at, a, values, NULL), DAE_OK);
  assert_all_near(9, values + 9, own, 1e-6);
  assert_all_near(9, values + 9 * N + 9, own + 9, 1e-6);
  assert_int_equal(dae__mech_derivative(one, DAE__KTS_QV, &here, psi + 1, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_derivative(all, DAE__KTS_QV, &at, psi, values, NULL), DAE_OK);
  assert_all_near(9, values + 9, own, 1e-6);
  assert_int_equal(dae__mech_J(one, &here, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_J(all, &at, values, NULL), DAE_OK);
  assert_all_near(15, values + 15, own, 1e-6);
  assert_int_equal(dae__mech_K(one, &here, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_K(all, &at, values, NULL), DAE_OK);
  assert_all_near(3, values + 3, own, 1e-10);
  assert_int_equal(dae__mech_derivative(one, DAE__K_Q, &here, NULL, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_derivative(all, DAE__K_Q, &at, NULL, values, NULL), DAE_OK);
  assert_all_near(3, values + 3, own, 1e-6);
  /* gamma and kappa */
  double rates[2 * N], pair[2];
  assert_int_equal(dae__mech_gamma(all, &at, rates, NULL), DAE_OK);
  assert_int_equal(dae__mech_gamma(one, &here, pair, NULL), DAE_OK);
  assert_near(rates[1], pair[0], 1e-12);
  assert_near(rates[N + 1], pair[1], 1e-12);
  dae__arena_free(arena);
}

/* ---- memory ---- */

static void test_every_failing_allocation_is_a_clean_error(void **state)
{
  (void)state;
  static ring r;
  circuit c = {0.5, 1};
  dae_semi_explicit plain = circuit_of(&c, false);
  const dae_part circuits[] = {{.semi_explicit = &plain}, {.semi_explicit = &plain}};
  dae_coupled coupled[2] = {{0}, {.parts = 2, .wires = 4, .part = circuits, .wire = circuit_wires}};
  make_ring_of_pendula(&r, 12, &coupled[0]);
  for (int k = 0; k < 2; k++) {
    dae_problem problem = dae_problem_coupled(&coupled[k]);
    dae_status status = DAE_ERROR_MEMORY;
    for (long n = 1; status == DAE_ERROR_MEMORY; n++) {
      counting_env count = {.fail_at = n};
      dae_env env = counting_env_of(&count);
      dae__arena *arena = dae__arena_create(&env);
      if (!arena)
        continue;
      dae__assembly *a;
      dae_problem seen;
      status = dae__assembly_create(arena, &problem, &a, NULL);
      if (!status && k == 0)
        status = dae__view_semi(arena, dae__assembly_problem(a), DAE__VIEW_GGL, &seen, NULL);
      dae__arena_free(arena);
      assert_int_equal(count.live, 0);
    }
    assert_int_equal(status, DAE_OK);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_ring_of_circuits_is_sparse),
      cmocka_unit_test(test_a_ring_of_pendula_is_sparse),
      cmocka_unit_test(test_all_derivatives_of_a_sparse_assembly_are_those_of_its_parts),
      cmocka_unit_test(test_every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
