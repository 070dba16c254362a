/* Constraints that depend on each other, and what members refuse, by name. */
#include "augmented_fixture.h"
#include "problems/problems.h"
#include "trio.h"

#include <stdlib.h>

/* ---- constraints that depend on each other ---- */

static int pair_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  memset(M, 0, 9 * sizeof *M);
  M[0] = 1, M[4] = 2, M[8] = 3;
  return 0;
}

static int pair_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 1, f[1] = -2, f[2] = 0.5;
  return 0;
}

/* the second constraint is twice the first */
static int pair_g(void *user, const dae_mechanical_at *at, double *g)
{
  for (int i = 0; i < *(const int *)user; i++)
    g[i] = (1 + i) * (at->q[0] * at->q[1] - 1);
  return 0;
}

static int sum_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t;
  g[0] = z[0] + 3 * z[1] * z[1] + z[2];
  return 0;
}

typedef struct pair {
  int constraints;
  dae_mechanical p;
  dae_part part[2];
  dae_joint joint;
  dae_coupled coupled;
} pair;

static const dae_port pair_z[] = {{0, 0}, {0, 2}, {1, 0}}, dull_z[] = {{0, 0}, {0, 1}, {1, 0}};

static void make_pair(pair *c, int constraints)
{
  static const char *const names[] = {"first", "second"};
  static const dae_mechanical mass = {.nq = 3, .M = pair_M, .f = pair_f, .constant_mass = true};
  c->p = mass;
  c->p.ng = c->constraints = constraints;
  c->p.user = &c->constraints;
  c->p.g = pair_g;
  c->p.g_names = names;
  c->part[0] = (dae_part){.name = "pair", .mechanical = &c->p};
  c->part[1] = (dae_part){.name = "mass", .mechanical = &mass};
  c->joint = (dae_joint){.name = "sum", .ng = 1, .nz = 3, .z = pair_z, .g = sum_g};
  c->coupled = (dae_coupled){.parts = 2, .joints = 1, .part = c->part, .joint = &c->joint};
}

static void test_redundant_constraints_of_a_part_are_taken_out(void **state)
{
  (void)state;
  const bool carried[] = {true};
  const double y[8] = {2, 0.5, 0.3, 0.1, -0.025, 0.4};
  const double in[10] = {0, 0, 1, 0, 0, 0.2, 0, 0, 0, 0.7};
  double value[2][3], D[2][30];
  const dae__output own = {DAE__OUTPUT_VARIABLE, 6};
  dae_error err = dae_error_none();
  pair c;
  for (int k = 0; k < 2; k++) {
    double lambda, gain[10];
    make_pair(&c, 1 + k);
    dae__augmented *m = augmented_of(&c.coupled, 0, carried);
    assert_int_equal(dae__augmented_outputs(m, 0, y, in, 3, accelerations, value[k], D[k], NULL),
                     DAE_OK);
    /* multipliers of dependent constraints are not unique */
    assert_int_equal(dae__augmented_outputs(m, 0, y, in, 1, &own, &lambda, gain, &err),
                     k == 0 ? DAE_OK : DAE_ERROR_UNSUPPORTED);
    dae__augmented_free(m);
  }
  assert_string_equal(err.equation, "lambda(first)");
  for (int i = 0; i < 3; i++)
    assert_close(value[0][i], value[1][i], 1e-12);
  for (int i = 0; i < 30; i++)
    assert_close(D[0][i], D[1][i], 1e-9);
}

static void test_a_joint_that_a_part_cannot_carry_is_named(void **state)
{
  (void)state;
  const bool carried[] = {true};
  /* G = (q1, q0), G_z = (1, 6 q1): dependent where q0 = 6 q1^2 */
  const double there[7] = {6, 1, 0.3}, in[10] = {0};
  double value[3];
  dae_error err = dae_error_none();
  pair c;
  make_pair(&c, 1);
  c.joint.z = dull_z;
  dae__augmented *m = augmented_of(&c.coupled, 0, carried);
  assert_int_equal(dae__augmented_outputs(m, 0, there, in, 3, accelerations, value, NULL, &err),
                   DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "sum");
  assert_non_null(strstr(err.text, "pair"));
  /* the integrators see a point that is refused, with the same message */
  const dae_problem *p = &m->problem;
  double f[3], v[3] = {0};
  dae_mechanical_at at = {.q = there, .v = v, .in = in};
  assert_true(p->mechanical->f(p->mechanical->user, &at, f) > 0);
  assert_string_equal(p->why->equation, "sum");
  dae__augmented_free(m);
  /* the arm of the trio has one degree of freedom: it cannot carry two joints */
  trio t;
  double state_y[TRIO_SIZE], inputs[32] = {0};
  const bool both[] = {true, true};
  make_trio(&t, true);
  trio_state(&t, 0, state_y, NULL);
  m = augmented_of(&t.coupled, ARM, both);
  assert_int_equal(
      dae__augmented_outputs(m, 0, state_y, inputs, 3, accelerations, value, NULL, &err),
      DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "rail");
  dae__augmented_free(m);
}

/* ---- what is refused ---- */

static void test_wrong_members_are_refused(void **state)
{
  (void)state;
  const dae_coupled *c = test_structures().problem.coupled;
  const int in_cart[] = {CART, CART};
  dae__augmented *m;
  dae_error err = dae_error_none();
  dae__augmented_options opts = {0};
  assert_int_equal(dae__augmented_create(arena, c, 2, &opts, &m, &err), DAE_ERROR_USAGE);
  assert_null(m);
  trio t;
  make_trio(&t, true);
  opts.eliminated_in = in_cart;
  assert_int_equal(dae__augmented_create(arena, &t.coupled, CART, &opts, &m, &err),
                   DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "hook"));
  m = augmented_of(c, 0, NULL);
  double y[4] = {0}, in[7] = {0}, value[1];
  const dae__output wrong[] = {{DAE__OUTPUT_MULTIPLIER, 0},
                               {DAE__OUTPUT_ACCELERATION, 2},
                               {DAE__OUTPUT_VARIABLE, 4},
                               {DAE__OUTPUT_VARIABLE, -1}};
  for (int i = 0; i < 4; i++)
    assert_int_equal(dae__augmented_outputs(m, 0, y, in, 1, &wrong[i], value, NULL, &err),
                     DAE_ERROR_USAGE);
  assert_int_equal(joint_inputs(m, 1), -1);
  dae__augmented_free(m);
  dae__augmented_free(NULL);
}

static int no_w(void *user, const dae_mechanical_at *at, double *c)
{
  (void)user;
  c[0] = at->v[0] - at->in[0];
  return 0;
}

static void test_singular_algebraic_equations_name_the_variable(void **state)
{
  (void)state;
  trio t;
  double y[TRIO_SIZE], in[32] = {0}, value, D[32];
  const dae__output w = {DAE__OUTPUT_VARIABLE, 7};
  dae_error err = dae_error_none();
  make_trio(&t, true);
  trio_state(&t, 0, y, NULL);
  t.arm.c = no_w;
  t.arm.J = NULL;
  dae__augmented *m = augmented_of(&t.coupled, ARM, NULL);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 1, &w, &value, D, &err), DAE_ERROR_SINGULAR);
  assert_string_equal(err.equation, "w");
  assert_non_null(strstr(err.text, "in arm:"));
  dae__augmented_free(m);
}

static int joint_refuses(void *user, double t, const double *z, double *G)
{
  (void)user, (void)t, (void)z, (void)G;
  return 1;
}

static int part_fails(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at, (void)f;
  return -1;
}

static void test_what_fails_is_named(void **state)
{
  (void)state;
  trio t;
  double y[TRIO_SIZE], in[32] = {0}, value, out[8];
  dae_error err = dae_error_none();
  make_trio(&t, true);
  trio_state(&t, 0, y, NULL);
  t.joint[HOOK].G = joint_refuses;
  dae__augmented *m = augmented_of(&t.coupled, ARM, NULL);
  const dae_problem *p = &m->problem;
  dae_mechanical_at at = {0, y, y + 3, y + 6, y + 7, in};
  assert_int_equal(p->mechanical->f(p->mechanical->user, &at, out), 1);
  assert_non_null(strstr(p->why->text, "in hook:"));
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 1, accelerations, &value, NULL, &err),
                   DAE_ERROR_RECOVERABLE);
  assert_non_null(strstr(err.text, "in hook:"));
  dae__augmented_free(m);
  t.arm.f = part_fails;
  m = augmented_of(&t.coupled, ARM, NULL);
  p = &m->problem;
  assert_int_equal(p->mechanical->f(p->mechanical->user, &at, out), -1);
  assert_non_null(strstr(p->why->text, "in arm:"));
  dae__augmented_free(m);
}

/* ---- memory ---- */

static void *scarce(void *user, size_t bytes)
{
  return --*(int *)user < 0 ? NULL : malloc(bytes);
}

static void release(void *user, void *memory)
{
  (void)user;
  free(memory);
}

static void test_a_member_without_memory_says_so(void **state)
{
  (void)state;
  trio t;
  const int eliminated_in[] = {ARM, -1};
  dae_status status = DAE_ERROR_MEMORY;
  make_trio(&t, false);
  for (int n = 1; status == DAE_ERROR_MEMORY; n++) {
    int left = n;
    dae_env env = {.allocate = scarce, .release = release, .user = &left};
    dae__arena *memory = dae__arena_create(&env);
    dae__augmented *m = NULL;
    dae_error err = dae_error_none();
    dae__augmented_options opts = {.eliminated_in = eliminated_in};
    status = memory ? dae__augmented_create(memory, &t.coupled, ARM, &opts, &m, &err) : status;
    if (memory && status)
      assert_int_equal(err.status, DAE_ERROR_MEMORY);
    dae__augmented_free(m);
    dae__arena_free(memory);
    assert_true(n < 1000);
  }
  assert_int_equal(status, DAE_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_redundant_constraints_of_a_part_are_taken_out),
      TEST(test_a_joint_that_a_part_cannot_carry_is_named),
      TEST(test_wrong_members_are_refused),
      TEST(test_singular_algebraic_equations_name_the_variable),
      TEST(test_what_fails_is_named),
      TEST(test_a_member_without_memory_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
