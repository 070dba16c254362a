/* Gains of semi-explicit members: the circuits of [E07], a diode, singular masses, constraints of
 * index 2. */
#include "augmented_fixture.h"
#include "problems/problems.h"

/* ---- semi-explicit parts ---- */

typedef struct semi_case {
  dae_semi_explicit p;
  dae_part part[2];
  dae_wire wire[2];
  dae_coupled coupled;
} semi_case;

static int feed_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 0;
  return 0;
}

/* p with its inputs wired to a part that gives them */
static dae__augmented *semi_member(semi_case *c)
{
  static const dae_semi_explicit feed = {.nx = 1, .f = feed_f};
  c->part[0] = (dae_part){.name = "part", .semi_explicit = &c->p};
  c->part[1] = (dae_part){.name = "feed", .semi_explicit = &feed};
  for (int i = 0; i < c->p.nin; i++)
    c->wire[i] = (dae_wire){0, i, {1, 0}};
  c->coupled = (dae_coupled){.parts = 2, .wires = c->p.nin, .part = c->part, .wire = c->wire};
  return augmented_of(&c->coupled, 0, NULL);
}

static void variables(int n, dae__output *answers)
{
  for (int i = 0; i < n; i++)
    answers[i] = (dae__output){DAE__OUTPUT_VARIABLE, i};
}

static void test_gains_of_the_circuits(void **state)
{
  (void)state;
  const dae_coupled *c = test_two_circuits().problem.coupled;
  const double y[2] = {1, 5}, in[2] = {0.2, 0.4}, known[] = {0, 0, 0, 0.9};
  double value[2], D[4];
  dae__output answers[2];
  dae__augmented *m = augmented_of(c, 0, NULL);
  variables(2, answers);
  assert_ptr_equal(m->problem.semi_explicit, c->part[0].semi_explicit);
  assert_int_equal(m->inputs, 2);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 2, answers, value, D, NULL), DAE_OK);
  assert_memory_equal(value, y, sizeof y);
  for (int i = 0; i < 4; i++)
    assert_close(D[i], known[i], 1e-15);
  dae__augmented_free(m);
}

/* y2' = 2 ((z2 - y2) - y2/10), 0 = z1 - 1e-3 (exp(10 z2) - 1) - (z2 - y2) */
static int diode_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = 2 * (at->y[0] - 1.1 * at->x[0]);
  return 0;
}

static int diode_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->in[0] - 1e-3 * (exp(10 * at->y[0]) - 1) - (at->y[0] - at->x[0]);
  return 0;
}

static void test_gain_of_a_diode_depends_on_the_state(void **state)
{
  (void)state;
  semi_case c = {.p = {.nx = 1, .ny = 1, .nin = 1, .f = diode_f, .F = diode_F}};
  dae__augmented *m = semi_member(&c);
  dae__output answers[2];
  variables(2, answers);
  for (int k = 0; k < 5; k++) {
    double z = 0.2 * k, y[2] = {0.1, z}, in = 1, value[2], D[2];
    assert_int_equal(dae__augmented_outputs(m, 0, y, &in, 2, answers, value, D, NULL), DAE_OK);
    assert_true(D[0] == 0);
    assert_close(D[1], 1 / (1e-2 * exp(10 * z) + 1), 1e-6);
  }
  dae__augmented_free(m);
}

/* C (x1 - x2)' = in - x1, -C (x1 - x2)' = -x2: a capacitor between two resistors */
static int coupled_M(void *user, const dae_semi_explicit_at *at, double *M)
{
  double C = *(const double *)user;
  (void)at;
  M[0] = M[3] = C;
  M[1] = M[2] = -C;
  return 0;
}

static int coupled_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = 1e3 * (at->in[0] - at->x[0]) + 5 * at->in[1];
  f[1] = -2e3 * at->x[1];
  return 0;
}

static void test_gains_where_the_mass_matrix_is_singular(void **state)
{
  (void)state;
  double C = 1e-6;
  semi_case c = {
      .p = {.nx = 2, .nin = 2, .user = &C, .M = coupled_M, .f = coupled_f, .constant_mass = true}};
  dae__augmented *m = semi_member(&c);
  dae__output answers[2];
  const double y[2] = {0.2, 0.3}, in[2] = {1, 2};
  double value[2], D[4];
  variables(2, answers);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 2, answers, value, D, NULL), DAE_OK);
  for (int i = 0; i < 2; i++) { /* x1 - x2 stands, x1 + 2 x2 = in_1 + in_2/200 */
    assert_close(D[i], 1. / 3, 1e-8);
    assert_close(D[i + 2], 5e-3 / 3, 1e-8);
  }
  dae__augmented_free(m);
}

/* x1' = x2 + in_1, x2' = y + in_2, 0 = x2 - in_3 */
static int hidden_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = at->x[1] + at->in[0];
  f[1] = 4 * at->y[0] + at->in[1] - 3 * at->x[0];
  return 0;
}

static int hidden_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  F[0] = at->x[1] - *(const double *)user * at->in[0];
  return 0;
}

static void test_inputs_of_constraints_of_index_2_are_refused_by_name(void **state)
{
  (void)state;
  static const char *const names[] = {"level", "force"}, *const y_names[] = {"valve"};
  double factor = 0, value[3], D[6];
  semi_case c = {.p = {.nx = 2,
                       .ny = 1,
                       .nin = 2,
                       .user = &factor,
                       .in_names = names,
                       .y_names = y_names,
                       .f = hidden_f,
                       .F = hidden_F}};
  dae__augmented *m = semi_member(&c);
  dae__output answers[3];
  const double y[3] = {0.2, 0.3, 0.1}, in[2] = {1, 2}, known[] = {0, 0, 0, 0, 0, -0.25};
  dae_error err = dae_error_none();
  variables(3, answers);
  /* an input that is only a force moves y at once */
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 3, answers, value, D, &err), DAE_OK);
  for (int i = 0; i < 6; i++)
    assert_close(D[i], known[i], 1e-9);
  /* one in the constraint moves x2 at once, and y by its derivative */
  factor = 0.5;
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 2, answers, value, D, &err), DAE_OK);
  assert_close(D[1], 0.5, 1e-9);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 3, answers, value, D, &err),
                   DAE_ERROR_UNSUPPORTED);
  assert_string_equal(err.equation, "valve");
  assert_non_null(strstr(err.text, "level"));
  assert_non_null(strstr(err.text, "in part:"));
  dae__augmented_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_gains_of_the_circuits),
      TEST(test_gain_of_a_diode_depends_on_the_state),
      TEST(test_gains_where_the_mass_matrix_is_singular),
      TEST(test_inputs_of_constraints_of_index_2_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
