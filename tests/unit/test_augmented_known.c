/* Members with known answers: the model of [WHM11]; parts with patterns and without. */
#include "augmented_fixture.h"
#include "problems/problems.h"

#include <daedal/daedal.h>

/* ---- two structures [WHM11 (19)]: S1 = 4/11, S2 = 1 ---- */

enum { LAMBDA = 4, ZDDOT = 5 }; /* inputs of a joint with two coordinates and one constraint */

static void test_mobilities_of_the_structures(void **state)
{
  (void)state;
  const dae_coupled *c = test_structures().problem.coupled;
  const double y[4] = {0.3, -0.2, 0.1, 0.5}, in[7] = {0.3, 0.1, 0, 0, 2, 0.7, 0.7};
  double value[3], D[3 * 7];
  dae__augmented *m = augmented_of(c, 0, NULL);
  assert_int_equal(m->inputs, 7);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 2, accelerations, value, D, NULL), DAE_OK);
  assert_close(-D[1 + 2 * LAMBDA], 4. / 11, 1e-14); /* S1 = D1 A1^-1 B1 */
  dae__augmented_free(m);
  m = augmented_of(c, 1, NULL);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 2, accelerations, value, D, NULL), DAE_OK);
  assert_close(2 * D[0 + 2 * LAMBDA], 1, 1e-14); /* S2 = D2 A2^-1 B2 */
  dae__augmented_free(m);
}

/* y1'' = x2''/2, y2'' = y2/2 + 1 - x2''/4, lambda = -y1/2 - y2/2 - 4 + x2'' */
static void test_elimination_of_the_structures(void **state)
{
  (void)state;
  const dae_coupled *c = test_structures().problem.coupled;
  const bool carried[] = {true};
  const double y[4] = {0.3, -0.2, 0.1, 0.5}, in[7] = {0.6, 0.3, 0, 0, 99, 0.7, 99};
  double value[3], D[3 * 7];
  dae__augmented *m = augmented_of(c, 1, carried);
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 3, accelerations, value, D, NULL), DAE_OK);
  assert_close(value[0], 0.35, 1e-14);
  assert_close(value[1], -0.1 + 1 - 0.175, 1e-14);
  assert_close(value[2], -0.15 + 0.1 - 4 + 0.7, 1e-14);
  const double gains[3] = {0.5, -0.25, 1};
  for (int j = 0; j < 7; j++)
    for (int i = 0; i < 3; i++)
      assert_close(D[i + 3 * j], j == ZDDOT ? gains[i] : 0, 1e-13);
  dae__augmented_free(m);
}

/* the first structure driven by the exact lambda of the coupled motion */
static int exact_inputs(void *user, double t, double *in)
{
  double c1 = cosh(t * sqrt(7. / 15)), c2 = cosh(t / sqrt(2)), s2 = sinh(t / sqrt(2));
  (void)user;
  memset(in, 0, 7 * sizeof *in);
  in[LAMBDA] = 368. / 15 * c1 - 24 * c2 + 5 * sqrt(2) / 8 * t * s2 - 2;
  return 0;
}

static void test_a_member_is_integrated_as_the_whole(void **state)
{
  (void)state;
  dae__augmented *m = augmented_of(test_structures().problem.coupled, 0, NULL);
  dae_problem problem = m->problem;
  const double start[4] = {0};
  dae_bdf_options opts = dae_bdf_defaults();
  dae_integrator *it = NULL;
  double y[4];
  problem.input = exact_inputs;
  opts.rtol = opts.atol = 1e-10;
  assert_int_equal(dae_bdf_create(&problem, &(dae_start){.y = start}, &opts, NULL, &it, NULL),
                   DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 2, NULL);
  assert_int_equal(status, DAE_END);
  assert_int_equal(dae_integrator_interpolate(it, 2, y, NULL, NULL), DAE_OK);
  assert_close(y[0], 2.238952564992517669321, 1e-8);
  assert_close(y[1], 6.157915564349035103381, 1e-8);
  dae_integrator_free(it);
  dae__augmented_free(m);
}

/* ---- a chain of masses with patterns, and without ---- */

enum { N = 60 };

typedef struct springs {
  bool sparse;
} springs;

static int chain_M(void *user, const dae_mechanical_at *at, double *M)
{
  bool sparse = ((const springs *)user)->sparse;
  (void)at;
  if (!sparse)
    memset(M, 0, sizeof *M * N * N);
  for (int i = 0; i < N; i++)
    M[sparse ? i : i * (N + 1)] = 1 + 0.01 * i;
  return 0;
}

static int chain_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  for (int i = 0; i < N; i++) {
    double left = i > 0 ? at->q[i - 1] : 0, right = i + 1 < N ? at->q[i + 1] : 0;
    f[i] = 50 * (left - 2 * at->q[i] + right) - pow(at->q[i], 3) + (i == 7 ? at->in[0] : 0);
  }
  return 0;
}

static int chain_J(void *user, const dae_mechanical_at *at, double *J)
{
  bool sparse = ((const springs *)user)->sparse;
  if (!sparse)
    memset(J, 0, sizeof *J * 2 * N * N);
  for (int j = 0, e = 0; j < N; j++)
    for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++)
      J[sparse ? e++ : i + j * N] = i == j ? -100 - 3 * at->q[j] * at->q[j] : 50;
  return 0;
}

static int chain_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  bool sparse = ((const springs *)user)->sparse;
  (void)at;
  if (!sparse)
    memset(J_in, 0, sizeof *J_in * N);
  J_in[sparse ? 0 : 7] = 1;
  return 0;
}

/* the last two masses and the first: q_n q_1 + sin q_(n-1) - z */
static int clasp_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t;
  g[0] = z[0] * z[1] + sin(z[2]) - z[3];
  return 0;
}

static int clasp_G(void *user, double t, const double *z, double *G)
{
  (void)user, (void)t;
  G[0] = z[1];
  G[1] = z[0];
  G[2] = cos(z[2]);
  G[3] = -1;
  return 0;
}

typedef struct chain {
  int diagonal[N + 1], tri[2 * N + 1], tri_row[3 * N], one[2];
  int rows[N], seven;
  dae_pattern M, J, J_in;
  dae_mechanical p;
  dae_part part[2];
  dae_coupled coupled;
} chain;

static void make_patterns(chain *c)
{
  int e = 0;
  for (int j = 0; j < N; j++) {
    c->rows[j] = c->diagonal[j] = j;
    c->tri[j] = e;
    for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < N; i++)
      c->tri_row[e++] = i;
  }
  c->diagonal[N] = N;
  for (int j = N; j <= 2 * N; j++)
    c->tri[j] = e;
  c->one[0] = 0, c->one[1] = 1, c->seven = 7;
  c->M = (dae_pattern){N, N, c->diagonal, c->rows};
  c->J = (dae_pattern){N, 2 * N, c->tri, c->tri_row};
  c->J_in = (dae_pattern){N, 1, c->one, &c->seven};
}

static dae__augmented *chain_member(chain *c, springs *s, bool carries)
{
  static const dae_mechanical mass = {.nq = 2, .M = chain_M, .f = chain_f}; /* is never evaluated */
  static const dae_port z[] = {{0, N - 1}, {0, 0}, {0, N - 2}, {1, 0}};
  static const dae_joint clasp = {
      .name = "clasp", .ng = 1, .nz = 4, .z = z, .g = clasp_g, .G = clasp_G, .time_free = true};
  static const dae_wire wire = {0, 0, {1, 0}};
  make_patterns(c);
  c->p = (dae_mechanical){.nq = N,
                          .nin = 1,
                          .user = s,
                          .M = chain_M,
                          .f = chain_f,
                          .J = chain_J,
                          .J_in = chain_J_in,
                          .constant_mass = true};
  if (s->sparse) {
    c->p.M_pattern = &c->M;
    c->p.J_pattern = &c->J;
    c->p.J_in_pattern = &c->J_in;
  }
  c->part[0] = (dae_part){.name = "chain", .mechanical = &c->p};
  c->part[1] = (dae_part){.name = "mass", .mechanical = &mass};
  c->coupled = (dae_coupled){
      .parts = 2, .joints = 1, .wires = 1, .part = c->part, .joint = &clasp, .wire = &wire};
  return augmented_of(&c->coupled, 0, &carries);
}

/* J, J_in, answers and gains of the chain one after the other */
enum { CHAIN_ALL = 2 * N * N + N * 14 + 3 + 3 * 14 };
static void chain_numbers(bool sparse, bool carries, double *out)
{
  static double values[2 * N * N];
  chain c;
  springs s = {sparse};
  dae__augmented *m = chain_member(&c, &s, carries);
  const dae_mechanical *p = m->problem.mechanical;
  const dae__output answers[] = {{DAE__OUTPUT_ACCELERATION, 0},
                                 {DAE__OUTPUT_ACCELERATION, N - 1},
                                 {carries ? DAE__OUTPUT_MULTIPLIER : DAE__OUTPUT_VARIABLE, 0}};
  double y[2 * N], in[14];
  for (int i = 0; i < 2 * N; i++)
    y[i] = sin(3. * i + 1);
  for (int i = 0; i < 14; i++)
    in[i] = cos(2. * i + 1);
  assert_int_equal(m->inputs, 14);
  dae_mechanical_at at = {.q = y, .v = y + N, .in = in};
  assert_int_equal(p->J(p->user, &at, values), 0);
  spread(p->J_pattern, N, 2 * N, values, out);
  assert_int_equal(p->J_in(p->user, &at, values), 0);
  spread(p->J_in_pattern, N, 14, values, out + 2 * N * N);
  double *value = out + 2 * N * N + N * 14;
  assert_int_equal(dae__augmented_outputs(m, 0, y, in, 3, answers, value, value + 3, NULL), DAE_OK);
  dae__augmented_free(m);
}

static void test_patterns_change_nothing(void **state)
{
  (void)state;
  static double sparse[CHAIN_ALL], dense[CHAIN_ALL];
  for (int carries = 0; carries < 2; carries++) {
    chain_numbers(true, carries, sparse);
    chain_numbers(false, carries, dense);
    for (int i = 0; i < CHAIN_ALL; i++)
      assert_close(sparse[i], dense[i], 1e-11);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_mobilities_of_the_structures),
      TEST(test_elimination_of_the_structures),
      TEST(test_a_member_is_integrated_as_the_whole),
      TEST(test_patterns_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
