/* The monolithic assembly with semi-explicit parts, against the equations written by hand, and what
 * an assembly refuses. */
#include "parts.h"
#include "problem/semi_explicit/semi.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- two circuits ---- */

static void check_two_circuits(bool first_given, bool second_given)
{
  const double a = 0.9;
  circuit c[2] = {{a, -1}, {a, 1}};
  dae_semi_explicit one = circuit_of(&c[0], first_given), two = circuit_of(&c[1], second_given);
  const dae_part part[] = {{.name = "one", .semi_explicit = &one},
                           {.name = "two", .semi_explicit = &two}};
  dae_coupled coupled = {.parts = 2, .wires = 4, .part = part, .wire = circuit_wires};
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly = assemble(arena, &coupled);
  const dae_semi_explicit *p = dae__assembly_problem(assembly)->semi_explicit;
  assert_non_null(p);
  assert_null(p->M);
  assert_null(p->J_pattern);
  assert_string_equal(p->x_names[1], "two.y");
  assert_string_equal(p->y_names[0], "one.z");

  dae__semi *s = NULL;
  assert_int_equal(dae__semi_create(arena, dae__assembly_problem(assembly), &s, NULL), DAE_OK);
  const double z[] = {1, 2, 3, 5}; /* one.y, two.y, one.z, two.z */
  const double rhs[] = {-2, 1, 1 - 3 + a * 5, 2 - 5 + a * 3};
  const double J[] = {0, 1, 1, 0, -1, 0, 0, 1, 0, 0, -1, a, 0, 0, a, -1};
  double out[16];
  assert_int_equal(dae__semi_rhs(s, 0, z, out, NULL), DAE_OK);
  assert_all_near(4, out, rhs, 1e-15);
  assert_int_equal(dae__semi_J(s, NULL, 0, z, out, NULL), DAE_OK);
  assert_all_near(16, out, J, first_given && second_given ? 1e-15 : 1e-7);
  dae__arena_free(arena);
}

static void test_two_circuits_are_the_monolithic_problem(void **state)
{
  (void)state;
  check_two_circuits(true, true);
  check_two_circuits(true, false);
  check_two_circuits(false, false);
}

/* ---- constraints that move: 0 = x - w t in ---- */

static int moving_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->y[0];
  return 0;
}

static int moving_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->x[0] - *(const double *)user * at->t * at->in[0];
  return 0;
}

static int moving_F_t(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = -*(const double *)user * at->in[0];
  return 0;
}

static void test_time_derivatives_of_parts_are_those_of_the_whole(void **state)
{
  (void)state;
  double w[] = {3, 5};
  dae_semi_explicit p = {.nx = 1, .ny = 1, .nin = 1, .f = moving_f, .F = moving_F};
  dae_semi_explicit one = p, two = p, none = {.nx = 1, .nin = 1, .f = moving_f};
  one.user = &w[0], one.F_t = moving_F_t;
  two.user = &w[1], two.F_t = moving_F_t;
  const dae_part part[] = {{.name = "one", .semi_explicit = &one},
                           {.name = "none", .semi_explicit = &none}, /* has no F to differentiate */
                           {.name = "two", .semi_explicit = &two}};
  const dae_wire wire[] = {{0, 0, {2, 0}}, {1, 0, {0, 0}}, {2, 0, {0, 0}}};
  dae_coupled coupled = {.parts = 3, .wires = 3, .part = part, .wire = wire};
  dae__arena *arena = dae__arena_create(NULL);
  const dae_semi_explicit *whole = dae__assembly_problem(assemble(arena, &coupled))->semi_explicit;
  const double x[] = {7, 11, 13}, y[] = {17, 19};
  double F_t[2];
  assert_non_null(whole->F_t);
  assert_int_equal(whole->F_t(whole->user, &(dae_semi_explicit_at){2, x, y, NULL}, F_t), 0);
  assert_true(F_t[0] == -3 * 13 && F_t[1] == -5 * 7);
  /* one that does not give it: the whole does not */
  two.F_t = NULL;
  assert_null(dae__assembly_problem(assemble(arena, &coupled))->semi_explicit->F_t);
  dae__arena_free(arena);
}

/* ---- quasi-linear parts: (1 + x1) x' = -x + in ---- */

static int quasi_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = -at->x[0] + at->in[0];
  out[1] = -at->x[1];
  return 0;
}

static int quasi_M(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = 1 + at->x[1] * at->x[1];
  out[1] = at->x[0];
  out[2] = 0;
  out[3] = 2;
  return 0;
}

static void test_a_part_without_mass_gets_the_identity(void **state)
{
  (void)state;
  circuit c = {0.5, 1};
  dae_semi_explicit quasi = {.nx = 2, .nin = 1, .f = quasi_f, .M = quasi_M};
  dae_semi_explicit plain = circuit_of(&c, true);
  const dae_part part[] = {{.semi_explicit = &quasi}, {.semi_explicit = &plain}};
  const dae_wire wire[] = {{0, 0, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};
  dae_coupled coupled = {.parts = 2, .wires = 3, .part = part, .wire = wire};
  dae__arena *arena = dae__arena_create(NULL);
  const dae_problem *problem = dae__assembly_problem(assemble(arena, &coupled));
  assert_string_equal(problem->semi_explicit->x_names[1], "part[1].x[2]");
  dae__semi *s = NULL;
  assert_int_equal(dae__semi_create(arena, problem, &s, NULL), DAE_OK);
  const double z[] = {2, 3, 5, 7}, a[] = {1, 10, 100};
  const double M[] = {10, 2, 0, 0, 2, 0, 0, 0, 1};
  const double Ms[] = {0, 1, 0, 6, 0, 0, 0, 0, 0}; /* d(M a)/dx, a = (1, 10, 100) */
  double out[9];
  assert_int_equal(dae__semi_M(s, 0, z, out, NULL), DAE_OK);
  assert_all_near(9, out, M, 1e-15);
  assert_int_equal(dae__semi_Ms(s, 0, z, a, out, NULL), DAE_OK);
  assert_all_near(9, out, Ms, 1e-6);
  dae__arena_free(arena);
}

/* ---- a controller on a body ---- */

static int driven_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -at->in[0];
  return 0;
}

/* x' = position, 0 = y - 4 position - 3 speed - 2 x */
static int pid_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->in[0];
  return 0;
}

static int pid_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->y[0] - 4 * at->in[0] - 3 * at->in[1] - 2 * at->x[0];
  return 0;
}

static const dae_mechanical driven = {
    .nq = 1, .nin = 1, .M = body_M, .f = driven_f, .constant_mass = true};
static const dae_semi_explicit pid = {
    .nx = 1, .ny = 1, .nin = 2, .index = 1, .f = pid_f, .F = pid_F};
static const dae_wire pid_wires[] = {{1, 0, {0, 1}}, {0, 0, {1, 0}}, {0, 1, {1, 1}}};

static void test_a_controller_joins_a_body(void **state)
{
  (void)state;
  const dae_part part[] = {{.name = "pid", .semi_explicit = &pid},
                           {.name = "cart", .mechanical = &driven}};
  dae_coupled coupled = {.parts = 2, .wires = 3, .part = part, .wire = pid_wires};
  dae__arena *arena = dae__arena_create(NULL);
  dae__mech *m = mech_of(arena, dae__assembly_problem(assemble(arena, &coupled))->mechanical);
  const double y[] = {1, 2, 3, 5}; /* q v u w */
  const double J[] = {0, 1, -4, 0, 0, -3, 0, 0, -2, -1, 0, 1}, rhs[] = {-5, 1, 5 - 4 - 6 - 6};
  double out[12];
  dae_mechanical_at at = dae__mech_at(m, 0, y);
  assert_int_equal(dae__mech_rhs(m, &at, out, NULL), DAE_OK);
  assert_all_near(3, out, rhs, 1e-15);
  assert_int_equal(dae__mech_J(m, &at, out, NULL), DAE_OK);
  assert_all_near(12, out, J, 1e-6);
  dae__arena_free(arena);
}

/* ---- refusals ---- */

static void assert_refused(const dae_coupled *coupled, const char *part, const char *word)
{
  dae_problem problem = dae_problem_coupled(coupled);
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *a = NULL;
  dae_error err = dae_error_none();
  assert_int_equal(dae__assembly_create(arena, &problem, &a, &err), DAE_ERROR_UNSUPPORTED);
  assert_null(a);
  assert_string_equal(err.equation, part);
  assert_non_null(strstr(err.text, part));
  assert_non_null(strstr(err.text, word));
  dae__arena_free(arena);
}

static void test_refusals_name_the_part(void **state)
{
  (void)state;
  dae_semi_explicit quasi = {.nx = 2, .nin = 1, .f = quasi_f, .M = quasi_M};
  dae_semi_explicit high = pid;
  high.index = 2;
  const dae_part with_mass[] = {{.name = "tank", .semi_explicit = &quasi},
                                {.name = "rod", .mechanical = &pendulum}};
  const dae_part with_index[] = {{.name = "valve", .semi_explicit = &high},
                                 {.name = "cart", .mechanical = &driven}};
  const dae_part sensor[] = {{.name = "cart", .mechanical = &driven},
                             {.name = "rod", .mechanical = &pendulum}};
  const dae_wire to_tank[] = {{0, 0, {1, 0}}}, force[] = {{0, 0, {1, 4}}};
  assert_refused(&(dae_coupled){.parts = 2, .wires = 1, .part = with_mass, .wire = to_tank}, "tank",
                 "mass matrix");
  assert_refused(&(dae_coupled){.parts = 2, .wires = 3, .part = with_index, .wire = pid_wires},
                 "valve", "index 2");
  assert_refused(&(dae_coupled){.parts = 2, .wires = 1, .part = sensor, .wire = force}, "cart",
                 "multiplier of rod");
}

static int refusing_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)at;
  out[0] = NAN;
  return *(const int *)user;
}

static void test_what_a_part_returns_comes_through(void **state)
{
  (void)state;
  int code = 0;
  dae_mechanical bad = {
      .nq = 1, .user = &code, .M = body_M, .f = refusing_f, .constant_mass = true};
  const dae_part part[] = {{.name = "good", .mechanical = &pendulum},
                           {.name = "bad", .mechanical = &bad}};
  dae_coupled coupled = {.parts = 2, .part = part};
  dae__arena *arena = dae__arena_create(NULL);
  dae__mech *m = mech_of(arena, dae__assembly_problem(assemble(arena, &coupled))->mechanical);
  const double y[7] = {1};
  double f[3];
  dae_error err = dae_error_none();
  dae_mechanical_at at = dae__mech_at(m, 0, y);
  assert_int_equal(dae__mech_rhs(m, &at, f, &err), DAE_ERROR_RECOVERABLE);
  assert_non_null(strstr(err.text, "bad.q[1]"));
  code = 1;
  assert_int_equal(dae__mech_rhs(m, &at, f, &err), DAE_ERROR_RECOVERABLE);
  code = -1;
  assert_int_equal(dae__mech_rhs(m, &at, f, &err), DAE_ERROR_CALLBACK);
  dae__arena_free(arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_circuits_are_the_monolithic_problem),
      cmocka_unit_test(test_time_derivatives_of_parts_are_those_of_the_whole),
      cmocka_unit_test(test_a_part_without_mass_gets_the_identity),
      cmocka_unit_test(test_a_controller_joins_a_body),
      cmocka_unit_test(test_refusals_name_the_part),
      cmocka_unit_test(test_what_a_part_returns_comes_through),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
