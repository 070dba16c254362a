/* The monolithic assembly of coupled problems, and the semi-explicit view of mechanical ones. */
#include "counting_env.h"
#include "linalg/dense.h"
#include "linalg/pattern.h"
#include "problem/assembly.h"
#include "problem/mech.h"
#include "problem/semi.h"
#include "problem/view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
    fail_msg("%.17g is not near %.17g", a, b);
}

static void assert_all_near(int n, const double *a, const double *b, double tolerance)
{
  for (int i = 0; i < n; i++)
    assert_near(a[i], b[i], tolerance);
}

static dae__assembly *assemble(dae__arena *arena, const dae_coupled *coupled)
{
  dae_problem problem = dae_problem_coupled(coupled);
  dae__assembly *a = NULL;
  dae_error err = dae_error_none();
  if (dae__assembly_create(arena, &problem, &a, &err))
    fail_msg("%s", err.text);
  assert_int_equal(dae__assembly_size(a), dae_problem_size(&problem));
  assert_int_equal(dae_problem_size(dae__assembly_problem(a)), dae_problem_size(&problem));
  assert_int_equal(dae_problem_validate(dae__assembly_problem(a), &err), DAE_OK);
  return a;
}

static dae__mech *mech_of(dae__arena *arena, const dae_mechanical *p)
{
  dae_problem problem = dae_problem_mechanical(p);
  dae__mech *m = NULL;
  dae_error err = dae_error_none();
  if (dae__mech_create(arena, &problem, &m, &err))
    fail_msg("%s", err.text);
  return m;
}

/* ---- two circuits: y' = -+ y of the other, 0 = y - z + a z of the other ---- */

typedef struct circuit {
  double a, sign;
} circuit;

static int circuit_f(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = ((const circuit *)user)->sign * at->in[0];
  return 0;
}

static int circuit_F(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->x[0] - at->y[0] + ((const circuit *)user)->a * at->in[1];
  return 0;
}

static int circuit_J(void *user, const dae_semi_explicit_at *at, double *out)
{
  static const double J[4] = {0, 1, 0, -1};
  (void)user, (void)at;
  memcpy(out, J, sizeof J);
  return 0;
}

static int circuit_J_in(void *user, const dae_semi_explicit_at *at, double *out)
{
  const circuit *c = user;
  (void)at;
  out[0] = c->sign;
  out[1] = 0;
  out[2] = 0;
  out[3] = c->a;
  return 0;
}

static const char *const circuit_x[] = {"y"}, *const circuit_y[] = {"z"};
static const dae_wire circuit_wires[] = {
    {0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};

static dae_semi_explicit circuit_of(circuit *c, bool derivatives)
{
  return (dae_semi_explicit){.nx = 1,
                             .ny = 1,
                             .nin = 2,
                             .index = 1,
                             .user = c,
                             .x_names = circuit_x,
                             .y_names = circuit_y,
                             .f = circuit_f,
                             .F = circuit_F,
                             .J = derivatives ? circuit_J : NULL,
                             .J_in = derivatives ? circuit_J_in : NULL};
}

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
  assert_int_equal(dae__semi_J(s, 0, z, out, NULL), DAE_OK);
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

static int body_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 2;
  return 0;
}

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

/* ---- pendula in Cartesian coordinates, mass 1, with a bar between them ---- */

static int mass_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = 1;
  out[1] = out[2] = 0;
  return 0;
}

static int mass_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 0;
  out[1] = -10;
  return 0;
}

static int mass_p(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[0];
  out[1] = at->v[1];
  return 0;
}

static int rod_g(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  return 0;
}

/* a bar between (z0, z1) and (z2, z3) whose length changes, and the same height of both ends */
static int bar_g(void *user, double t, const double *z, double *g)
{
  double dx = z[0] - z[2], dy = z[1] - z[3];
  (void)user;
  g[0] = (dx * dx + dy * dy) / 2 - cos(t);
  g[1] = z[1] * z[3] - 1;
  return 0;
}

static int bar_G(void *user, double t, const double *z, double *G)
{
  double dx = z[0] - z[2], dy = z[1] - z[3];
  const double known[] = {dx, 0, dy, z[3], -dx, 0, -dy, z[1]};
  (void)user, (void)t;
  memcpy(G, known, sizeof known);
  return 0;
}

static const dae_port bar_z[] = {{0, 0}, {0, 1}, {2, 0}, {2, 1}};
static const dae_mechanical pendulum = {.nq = 2,
                                        .ng = 1,
                                        .M = mass_M,
                                        .f = mass_f,
                                        .g = rod_g,
                                        .constant_mass = true,
                                        .time_free_g = true};

static void check_bar(bool G_given)
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
  dae_joint bar = {
      .name = "bar", .ng = 2, .nz = 4, .z = bar_z, .g = bar_g, .G = G_given ? bar_G : NULL};
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
  assert_int_equal(dae__mech_Gts(m, &at, s, out, NULL), DAE_OK);
  assert_all_near(16, out, Gts, 1e-4); /* differences of differences */
  assert_int_equal(dae__mech_gdot_q(m, &at, out, NULL), DAE_OK);
  assert_all_near(16, out, gdot_q, 1e-4);

  /* A: q v lambda, C: x y, B: q v lambda, bar: lambda */
  const int order[] = {0, 1, 4, 5, 10, 8, 9, 2, 3, 6, 7, 11, 12, 13};
  assert_int_equal(dae__assembly_size(assembly), COUNT(order));
  assert_memory_equal(dae__assembly_order(assembly), order, sizeof order);
  dae__arena_free(arena);
}

static void test_a_bar_between_pendula_is_a_further_constraint(void **state)
{
  (void)state;
  check_bar(true);
  check_bar(false);
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

/* ---- a ring of many small parts ---- */

enum { RING = 200 };

typedef struct ring {
  dae_part part[RING];
  dae_wire wire[2 * RING];
  dae_joint joint[RING / 2];
  dae_port z[RING][4];
} ring;

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

static void make_ring_of_pendula(ring *r, int n, dae_coupled *coupled)
{
  for (int i = 0; i < n; i++) {
    r->part[i] = (dae_part){.mechanical = &pendulum};
    for (int k = 0; k < 4; k++)
      r->z[i][k] = (dae_port){(i + k / 2) % n, k % 2};
    if (i % 2 == 0)
      r->joint[i / 2] = (dae_joint){.ng = 2, .nz = 4, .z = r->z[i], .g = bar_g, .G = bar_G};
  }
  *coupled = (dae_coupled){.parts = n, .joints = n / 2, .part = r->part, .joint = r->joint};
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

/* ---- the semi-explicit view ---- */

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

/* a part with everything: M(q,v), g(t,q), k(q,v), u, w */
static int full_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  for (int i = 0; i < 9; i++)
    out[i] = 0;
  out[0] = 2 + at->q[1] * at->q[1];
  out[1] = out[3] = at->q[2] * 0.1;
  out[4] = 3;
  out[8] = 1 + at->v[0] * at->v[0];
  return 0;
}

static int full_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] * at->v[1] + at->u[0];
  out[1] = -at->w[0] * at->q[2] + sin(at->t);
  out[2] = at->v[2] * at->v[2];
  return 0;
}

static int full_s(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] - at->u[0] * at->w[0];
  return 0;
}

static int full_c(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->w[0] - at->v[0] * at->q[1];
  return 0;
}

static int full_g(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] * at->q[1] - cos(at->t);
  return 0;
}

static int full_k(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->v[0] * at->q[2] - at->v[2] + at->v[1] * at->v[1] / 2;
  return 0;
}

static const dae_mechanical full = {.nq = 3,
                                    .ng = 1,
                                    .nk = 1,
                                    .nu = 1,
                                    .nw = 1,
                                    .M = full_M,
                                    .f = full_f,
                                    .s = full_s,
                                    .c = full_c,
                                    .g = full_g,
                                    .k = full_k};

/* J of a semi-explicit problem against central differences */
static void check_semi_J(dae__semi *s, double t, double *z, double tolerance)
{
  double J[400], plus[20], minus[20], dense[400] = {0};
  const double d = 1e-5;
  assert_true(s->n <= 20);
  assert_int_equal(dae__semi_J(s, t, z, J, NULL), DAE_OK);
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
  assert_int_equal(dae__mech_Ms(one, &here, a + 3, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_Ms(all, &at, a, values, NULL), DAE_OK);
  assert_all_near(9, values + 9, own, 1e-6);
  assert_all_near(9, values + 9 * N + 9, own + 9, 1e-6);
  assert_int_equal(dae__mech_Kts(one, &here, psi + 1, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_Kts(all, &at, psi, values, NULL), DAE_OK);
  assert_all_near(9, values + 9, own, 1e-6);
  assert_int_equal(dae__mech_J(one, &here, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_J(all, &at, values, NULL), DAE_OK);
  assert_all_near(15, values + 15, own, 1e-6);
  assert_int_equal(dae__mech_K(one, &here, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_K(all, &at, values, NULL), DAE_OK);
  assert_all_near(3, values + 3, own, 1e-10);
  assert_int_equal(dae__mech_k_q(one, &here, own, NULL), DAE_OK);
  assert_int_equal(dae__mech_k_q(all, &at, values, NULL), DAE_OK);
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
      cmocka_unit_test(test_two_circuits_are_the_monolithic_problem),
      cmocka_unit_test(test_a_part_without_mass_gets_the_identity),
      cmocka_unit_test(test_two_structures_and_a_joint_start_as_known),
      cmocka_unit_test(test_wires_enter_the_jacobian_at_their_variables),
      cmocka_unit_test(test_a_bar_between_pendula_is_a_further_constraint),
      cmocka_unit_test(test_a_controller_joins_a_body),
      cmocka_unit_test(test_refusals_name_the_part),
      cmocka_unit_test(test_what_a_part_returns_comes_through),
      cmocka_unit_test(test_a_ring_of_circuits_is_sparse),
      cmocka_unit_test(test_a_ring_of_pendula_is_sparse),
      cmocka_unit_test(test_the_view_holds_at_an_exact_state),
      cmocka_unit_test(test_the_view_gives_the_jacobian_of_its_right_side),
      cmocka_unit_test(test_the_view_of_a_sparse_assembly_is_sparse),
      cmocka_unit_test(test_all_derivatives_of_a_sparse_assembly_are_those_of_its_parts),
      cmocka_unit_test(test_every_failing_allocation_is_a_clean_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
