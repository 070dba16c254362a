/* The monolithic assembly of mechanical parts with wires and joints, against the equations written
 * by hand. */
#include "linalg/dense.h"
#include "parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- two structures and a joint [WHM11 (19)]: A z'' + C z + B lambda = r ---- */

typedef struct structure {
  double A[4], C[4], r[2];
} structure;

static int structure_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)at;
  memcpy(out, ((const structure *)user)->A, 4 * sizeof *out);
  return 0;
}

static int structure_f(void *user, const dae_mechanical_at *at, double *out)
{
  const structure *s = user;
  for (int i = 0; i < 2; i++)
    out[i] = s->r[i] - s->C[i] * at->q[0] - s->C[i + 2] * at->q[1];
  return 0;
}

static int structure_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const double *A = ((const structure *)user)->A, *v = at->v;
  *T = (A[0] * v[0] * v[0] + 2 * A[1] * v[0] * v[1] + A[3] * v[1] * v[1]) / 2;
  *V = at->q[0];
  return 0;
}

static int link_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t;
  g[0] = z[0] - 2 * z[1];
  return 0;
}

static structure structures[2] = {
    {.A = {4, 1, 1, 3}, .C = {-2, -1, -1, -2}, .r = {6, 7}},
    {.A = {5, 2, 2, 4}, .C = {-1, 0, -2, -2}, .r = {10, 4}}, /* column-major */
};

static const dae_port link_z[] = {{0, 1}, {1, 0}};
static const dae_joint link_joint = {
    .name = "link", .ng = 1, .nz = 2, .z = link_z, .g = link_g, .time_free = true};

static dae_mechanical structure_of(int i)
{
  return (dae_mechanical){.nq = 2,
                          .user = &structures[i],
                          .M = structure_M,
                          .f = structure_f,
                          .energy = structure_energy,
                          .constant_mass = true};
}

static void test_two_structures_and_a_joint_start_as_known(void **state)
{
  (void)state;
  dae_mechanical x = structure_of(0), y = structure_of(1);
  const dae_part part[] = {{.name = "X", .mechanical = &x}, {.name = "Y", .mechanical = &y}};
  dae_coupled coupled = {.parts = 2, .joints = 1, .part = part, .joint = &link_joint};
  dae__arena *arena = dae__arena_create(NULL);
  const dae_mechanical *p = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_non_null(p);
  assert_true(p->constant_mass && p->time_free_g);
  assert_string_equal(p->g_names[0], "link");
  dae__mech *m = mech_of(arena, p);

  /* [M G'; G 0] (v', lambda) = (f, -gamma) at rest */
  double M[16], G[4], f[4], gamma[1], K[25] = {0}, b[5];
  int pivot[5];
  const double zero[9] = {0}, G_known[] = {0, 1, -2, 0};
  dae_mechanical_at at = dae__mech_at(m, 0, zero);
  dae_mechanical_wanted w = {.M = M, .G = G, .f = f, .gamma = gamma};
  assert_int_equal(dae__mech_eval(m, &at, &w, NULL), DAE_OK);
  assert_all_near(4, G, G_known, 1e-12);
  for (int j = 0; j < 4; j++) {
    for (int i = 0; i < 4; i++)
      K[i + 5 * j] = M[i + 4 * j];
    K[4 + 5 * j] = K[j + 20] = G[j];
    b[j] = f[j];
  }
  b[4] = -gamma[0];
  assert_int_equal(dae__lu_factor(5, K, pivot), 0);
  dae__lu_solve(5, K, pivot, b);
  assert_near(b[1], 38. / 15, 1e-11);
  assert_near(b[2], 19. / 15, 1e-11);
  assert_near(b[4], -22. / 15, 1e-11);

  /* energies add up */
  const double y0[9] = {1, 2, 3, 4, 1, 1, 1, 1};
  double T, V;
  bool potential;
  at = dae__mech_at(m, 0, y0);
  assert_int_equal(dae__mech_energy(m, &at, &T, &V, &potential, NULL), DAE_OK);
  assert_near(T, (9 + 13) / 2., 1e-15);
  assert_near(V, 4, 1e-15);
  dae__arena_free(arena);
}

/* ---- two bodies with a spring and a damper between them ---- */

/* inputs: position and velocity of the other */
static int body_f(void *user, const dae_mechanical_at *at, double *out)
{
  double d = at->q[0] - at->in[0];
  (void)user;
  out[0] = -3 * d - d * d * d - 0.5 * (at->v[0] - at->in[1]);
  return 0;
}

static int body_J_in(void *user, const dae_mechanical_at *at, double *out)
{
  double d = at->q[0] - at->in[0];
  (void)user;
  out[0] = 3 + 3 * d * d;
  out[1] = 0.5;
  return 0;
}

static const dae_mechanical body = {
    .nq = 1, .nin = 2, .M = body_M, .f = body_f, .constant_mass = true};

static void test_wires_enter_the_jacobian_at_their_variables(void **state)
{
  (void)state;
  dae_mechanical a = body, b = body;
  a.J_in = body_J_in; /* b's is differenced */
  const dae_part part[] = {{.name = "A", .mechanical = &a}, {.name = "B", .mechanical = &b}};
  const dae_wire wire[] = {{0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};
  dae_coupled coupled = {.parts = 2, .wires = 4, .part = part, .wire = wire};
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly = assemble(arena, &coupled);
  dae__mech *m = mech_of(arena, dae__assembly_problem(assembly)->mechanical);
  const double y[] = {1, 3, 0.5, -0.25}, k = 3 + 3 * 4; /* q of A, B, v of A, B; d = -2 */
  const double J[] = {-k, k, k, -k, -0.5, 0.5, 0.5, -0.5};
  double out[8];
  dae_mechanical_at at = dae__mech_at(m, 0, y);
  assert_int_equal(dae__mech_rhs(m, &at, out, NULL), DAE_OK);
  assert_near(out[0], 6 + 8 - 0.5 * 0.75, 1e-15);
  assert_near(out[1], -out[0], 1e-15);
  assert_int_equal(dae__mech_J(m, &at, out, NULL), DAE_OK);
  assert_all_near(8, out, J, 1e-6);

  /* A.q, A.v, B.q, B.v and back */
  const int order[] = {0, 2, 1, 3};
  double coupled_y[4], back[4];
  assert_memory_equal(dae__assembly_order(assembly), order, sizeof order);
  dae__assembly_scatter(assembly, y, coupled_y);
  assert_true(coupled_y[1] == 0.5 && coupled_y[2] == 3);
  dae__assembly_gather(assembly, coupled_y, back);
  assert_memory_equal(back, y, sizeof y);
  dae__arena_free(arena);
}

static int body_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = at->v[0] * at->v[0];
  *V = at->q[0] * at->in[0];
  return 0;
}

static int body_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                            double *T_rate, double *V_rate)
{
  (void)user;
  assert_true(isnan(in_rate[1])); /* nobody knows the acceleration */
  *T_rate = 0;
  *V_rate = at->v[0] * at->in[0] + at->q[0] * in_rate[0];
  return 0;
}

static void test_energies_see_the_inputs_and_their_rates(void **state)
{
  (void)state;
  dae_mechanical a = body, b = body;
  a.energy = b.energy = body_energy;
  a.energy_rate = b.energy_rate = body_energy_rate;
  const dae_part part[] = {{.name = "A", .mechanical = &a}, {.name = "B", .mechanical = &b}};
  const dae_wire wire[] = {{0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};
  dae_coupled coupled = {.parts = 2, .wires = 4, .part = part, .wire = wire};
  dae__arena *arena = dae__arena_create(NULL);
  const double q[] = {2, 3}, v[] = {5, 7};
  double T, V;
  /* a fresh assembly for each, so that no inputs are left over */
  const dae_mechanical *p = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_int_equal(p->energy(p->user, &(dae_mechanical_at){.q = q, .v = v}, &T, &V), 0);
  assert_true(T == 25 + 49 && V == 2 * (2 * 3));
  p = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_int_equal(p->energy_rate(p->user, &(dae_mechanical_at){.q = q, .v = v}, NULL, &T, &V), 0);
  assert_true(T == 0 && V == 2 * (5 * 3 + 2 * 7));
  /* one that does not give it: the whole does not */
  b.energy_rate = NULL;
  p = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_true(p->energy && !p->energy_rate);
  dae__arena_free(arena);
}

/* ---- pendula with a bar between them ---- */

static int mass_p(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[0];
  out[1] = at->v[1];
  return 0;
}

static const dae_port bar_z[] = {{0, 0}, {0, 1}, {2, 0}, {2, 1}};

enum { NOTHING, JACOBIAN, EVERYTHING }; /* what is given of the bar's derivatives */

static void check_bar(int given)
{
  dae_mechanical momenta = pendulum; /* the second one is given by the other face */
  momenta.M = NULL;
  momenta.f = NULL;
  momenta.p = mass_p;
  momenta.F = mass_f;
  circuit c = {0, 1};
  dae_semi_explicit between = circuit_of(&c, true);
  const dae_part part[] = {{.name = "A", .mechanical = &pendulum},
                           {.name = "C", .semi_explicit = &between},
                           {.name = "B", .mechanical = &momenta}};
  const dae_wire wire[] = {{1, 0, {0, 0}}, {1, 1, {2, 1}}};
  dae_joint bar = {.name = "bar", .ng = 2, .nz = 4, .z = bar_z, .g = bar_g};
  if (given >= JACOBIAN)
    bar.G = bar_G;
  if (given == EVERYTHING) {
    bar.g_t = bar_g_t;
    bar.gamma = bar_gamma;
    bar.gdot_z = bar_gdot_z;
    bar.Gts_z = bar_Gts_z;
  }
  dae_coupled coupled = {
      .parts = 3, .wires = 2, .joints = 1, .part = part, .wire = wire, .joint = &bar};
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly = assemble(arena, &coupled);
  const dae_mechanical *p = dae__assembly_problem(assembly)->mechanical;
  dae__mech *m = mech_of(arena, p);
  assert_true(p->ng == 4 && p->nu == 1 && p->nw == 1 && !p->time_free_g && !p->energy);
  assert_string_equal(p->g_names[1], "B.g[1]");
  assert_string_equal(p->g_names[3], "bar[2]");
  assert_string_equal(p->q_names[3], "B.q[2]");
  assert_string_equal(p->u_names[0], "C.y");

  const double t = 0.5, q[] = {1, 2, 3, 5}, v[] = {7, 11, 13, 17};
  const double dx = -2, dy = -3, dvx = -6, dvy = -6;
  double y[14] = {1, 2, 3, 5, 7, 11, 13, 17, 19, 23};
  dae_mechanical_at at = dae__mech_at(m, t, y);
  double g[4], gdot[4], gamma[4], G[16], M[16], fsc[6], out[16];
  dae_mechanical_wanted w = {.M = M, .g = g, .gdot = gdot, .G = G, .gamma = gamma};
  assert_int_equal(dae__mech_eval(m, &at, &w, NULL), DAE_OK);
  const double g_known[] = {2, 16.5, (dx * dx + dy * dy) / 2 - cos(t), 9};
  const double gdot_known[] = {q[0] * v[0] + q[1] * v[1], q[2] * v[2] + q[3] * v[3],
                               dx * dvx + dy * dvy + sin(t), v[1] * q[3] + q[1] * v[3]};
  const double gamma_known[] = {v[0] * v[0] + v[1] * v[1], v[2] * v[2] + v[3] * v[3],
                                dvx * dvx + dvy * dvy + cos(t), 2 * v[1] * v[3]};
  const double G_known[] = {1, 0, dx, 0, 2, 0, dy, 5, 0, 3, -dx, 0, 0, 5, -dy, 2};
  assert_all_near(4, g, g_known, 1e-14);
  assert_all_near(4, gdot, gdot_known, 1e-9);
  assert_all_near(4, gamma, gamma_known, 1e-7);
  assert_all_near(16, G, G_known, 1e-11);
  for (int i = 0; i < 16; i++)
    assert_near(M[i], i % 5 == 0, 1e-11);

  /* f of both faces, then s = in[0] and c = x - y + 0 */
  const double fsc_known[] = {0, -10, 0, -10, q[0], 19 - 23};
  assert_int_equal(dae__mech_rhs(m, &at, fsc, NULL), DAE_OK);
  assert_all_near(6, fsc, fsc_known, 1e-9);

  /* d(G' s)/dq is symmetric and known, and so is d(g_t + G v)/dq */
  const double s[] = {2, 3, 5, 7};
  const double Gts[] = {2 + 5, 0, -5, 0, 0, 2 + 5, 0, 7 - 5, -5, 0, 3 + 5, 0, 0, 7 - 5, 0, 3 + 5};
  const double gdot_q[] = {7, 0, dvx, 0, 11, 0, dvy, 17, 0, 13, -dvx, 0, 0, 17, -dvy, 11};
  assert_int_equal(dae__mech_derivative(m, DAE__GTS_Q, &at, s, out, NULL), DAE_OK);
  assert_all_near(16, out, Gts, 1e-4); /* differences of differences */
  assert_int_equal(dae__mech_derivative(m, DAE__GDOT_Q, &at, NULL, out, NULL), DAE_OK);
  assert_all_near(16, out, gdot_q, 1e-4);

  /* A: q v lambda, C: x y, B: q v lambda, bar: lambda */
  const int order[] = {0, 1, 4, 5, 10, 8, 9, 2, 3, 6, 7, 11, 12, 13};
  assert_int_equal(dae_problem_size(dae__assembly_problem(assembly)), COUNT(order));
  assert_memory_equal(dae__assembly_order(assembly), order, sizeof order);
  dae__arena_free(arena);
}

static void test_a_bar_between_pendula_is_a_further_constraint(void **state)
{
  (void)state;
  check_bar(NOTHING);
  check_bar(JACOBIAN);
  check_bar(EVERYTHING);
}

/* free masses, so that all constraints are the bar's */
static void test_derivatives_of_a_joint_are_used_as_they_are(void **state)
{
  (void)state;
  const dae_mechanical mass = {.nq = 2, .M = mass_M, .f = mass_f, .constant_mass = true};
  const dae_part part[] = {{.name = "A", .mechanical = &mass}, {.name = "B", .mechanical = &mass}};
  const dae_port z[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  dae_joint bar = {.ng = 2,
                   .nz = 4,
                   .z = z,
                   .g = bar_g,
                   .g_t = bar_g_t,
                   .G = bar_G,
                   .gamma = bar_gamma,
                   .gdot_z = bar_gdot_z,
                   .Gts_z = bar_Gts_z};
  dae_coupled coupled = {.parts = 2, .joints = 1, .part = part, .joint = &bar};
  dae__arena *arena = dae__arena_create(NULL);
  dae__mech *m = mech_of(arena, dae__assembly_problem(assemble(arena, &coupled))->mechanical);
  const double t = 0.5, y[10] = {1, 2, 3, 5, 7, 11, 13, 17}, s[] = {3, 5};
  double out[16], known[16];
  dae_mechanical_at at = dae__mech_at(m, t, y);
  assert_int_equal(dae__mech_gamma(m, &at, out, NULL), DAE_OK);
  bar_gamma(NULL, t, y, y + 4, known);
  assert_memory_equal(out, known, 2 * sizeof *out);
  assert_int_equal(dae__mech_derivative(m, DAE__GDOT_Q, &at, NULL, out, NULL), DAE_OK);
  bar_gdot_z(NULL, t, y, y + 4, known);
  for (int i = 0; i < 8; i++) /* += turns -0 into 0 */
    assert_true(out[i] == known[i]);
  assert_int_equal(dae__mech_derivative(m, DAE__GTS_Q, &at, s, out, NULL), DAE_OK);
  bar_Gts_z(NULL, t, y, s, known);
  for (int i = 0; i < 16; i++)
    assert_true(out[i] == known[i]);
  dae__arena_free(arena);
}

/* ---- names ---- */

static void assert_variable(const dae_coupled *c, int i, const char *name)
{
  dae_problem problem = dae_problem_coupled(c);
  char text[64];
  dae_problem_variable(&problem, i, text, sizeof text);
  assert_string_equal(text, name);
}

static void test_names_of_joints_and_of_a_part_without_a_name(void **state)
{
  (void)state;
  static const char *const q[] = {"x", NULL}, *const bars[] = {"length", NULL},
                           *const g[] = {"rod"};
  dae_mechanical main = pendulum, other = pendulum;
  main.q_names = q;
  main.g_names = g;
  const dae_part part[] = {{.name = "", .mechanical = &main}, {.name = "B", .mechanical = &other}};
  const dae_port z[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}};
  const dae_joint joints[] = {
      {.name = "bar", .ng = 2, .nz = 4, .z = z, .g = bar_g, .G = bar_G, .g_names = bars},
      {.name = "bar2", .ng = 2, .nz = 4, .z = z, .g = bar_g, .G = bar_G}};
  dae_coupled coupled = {.parts = 2, .joints = 2, .part = part, .joint = joints};
  assert_variable(&coupled, 0, "x");
  assert_variable(&coupled, 1, "q[2]");
  assert_variable(&coupled, 2, "der(x)");
  assert_variable(&coupled, 4, "lambda(rod)");
  assert_variable(&coupled, 5, "B.q[1]");
  assert_variable(&coupled, 10, "lambda(length)");
  assert_variable(&coupled, 11, "lambda(bar[2])");
  assert_variable(&coupled, 12, "lambda(bar2[1])");
  dae__arena *arena = dae__arena_create(NULL);
  const dae_mechanical *p = dae__assembly_problem(assemble(arena, &coupled))->mechanical;
  assert_string_equal(p->q_names[0], "x");
  assert_string_equal(p->q_names[1], "q[2]");
  assert_string_equal(p->q_names[2], "B.q[1]");
  assert_string_equal(p->g_names[0], "rod");
  assert_string_equal(p->g_names[2], "length");
  assert_string_equal(p->g_names[3], "bar[2]");
  assert_string_equal(p->g_names[5], "bar2[2]");
  dae__arena_free(arena);
}

static int failing_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  return -1;
}

static void test_a_part_without_a_name_is_not_mentioned(void **state)
{
  (void)state;
  dae_mechanical failing = pendulum;
  failing.f = failing_f;
  dae_part part = {.name = "", .mechanical = &failing};
  dae_coupled coupled = {.parts = 1, .part = &part};
  for (int named = 0; named < 2; named++) {
    dae__arena *arena = dae__arena_create(NULL);
    const dae_problem *problem = dae__assembly_problem(assemble(arena, &coupled));
    dae__mech *m = NULL;
    dae_error err;
    double f[2];
    const double y[5] = {0};
    assert_int_equal(dae__mech_create(arena, problem, &m, &err), DAE_OK);
    dae_mechanical_at at = dae__mech_at(m, 0, y);
    assert_int_equal(dae__mech_rhs(m, &at, f, &err), DAE_ERROR_CALLBACK);
    assert_string_equal(err.equation, named ? "A.f" : "f");
    assert_string_equal(err.text, named ? "in A: the callback f failed" : "the callback f failed");
    dae__arena_free(arena);
    part.name = "A";
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_structures_and_a_joint_start_as_known),
      cmocka_unit_test(test_wires_enter_the_jacobian_at_their_variables),
      cmocka_unit_test(test_energies_see_the_inputs_and_their_rates),
      cmocka_unit_test(test_a_bar_between_pendula_is_a_further_constraint),
      cmocka_unit_test(test_derivatives_of_a_joint_are_used_as_they_are),
      cmocka_unit_test(test_names_of_joints_and_of_a_part_without_a_name),
      cmocka_unit_test(test_a_part_without_a_name_is_not_mentioned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
