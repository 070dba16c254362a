/* Coupled problems: two circuits that exchange variables, two structures that share a joint. */
#include "problems/problems.h"

#include <stddef.h>

/* -- two circuits [E07 example 3.7]: y1' = -y2, 0 = y1 - z1 + a z2; y2' = y1, 0 = y2 - z2 + a z1.
 *    The inputs of each are the other's (y, z). y = (cos t, sin t), z1 = (y1 + a y2)/(1 - a^2),
 *    z2 = (y2 + a y1)/(1 - a^2) -- */

typedef struct circuit_params {
  double sign, a;
} circuit_params;

static const circuit_params circuit_one = {-1, 0.9}, circuit_two = {1, 0.9};

static int circuit_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const circuit_params *p = user;
  f[0] = p->sign * at->in[0];
  return 0;
}

static int circuit_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  const circuit_params *p = user;
  F[0] = at->x[0] - at->y[0] + p->a * at->in[1];
  return 0;
}

static int circuit_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user, (void)at;
  J[0] = J[2] = 0;
  J[1] = 1;
  J[3] = -1;
  return 0;
}

static int circuit_J_in(void *user, const dae_semi_explicit_at *at, double *J)
{
  const circuit_params *p = user;
  (void)at;
  J[0] = p->sign;
  J[1] = J[2] = 0;
  J[3] = p->a;
  return 0;
}

#define CIRCUIT(label, params)                                                                     \
  {                                                                                                \
    .name = label, .nx = 1, .ny = 1, .nin = 2, .index = 1, .user = (void *)&(params),              \
    .x_names = circuit_x, .y_names = circuit_y, .in_names = circuit_in, .f = circuit_f,            \
    .F = circuit_F, .J = circuit_J, .J_in = circuit_J_in                                           \
  }

static const char *const circuit_x[] = {"y"}, *const circuit_y[] = {"z"};
static const char *const circuit_in[] = {"other.y", "other.z"};
static const dae_semi_explicit one = CIRCUIT("one", circuit_one), two = CIRCUIT("two", circuit_two);

test_problem test_two_circuits(void)
{
  static const dae_part parts[] = {{.name = "one", .semi_explicit = &one},
                                   {.name = "two", .semi_explicit = &two}};
  static const dae_wire wires[] = {{0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};
  static const dae_coupled circuits = {
      .name = "two_circuits", .parts = 2, .wires = 4, .part = parts, .wire = wires};
  static const double start[] = {1, 1 / (1 - 0.81), 0, 0.9 / (1 - 0.81)};
  static const double end[] = {-1, -1 / (1 - 0.81), 0, -0.9 / (1 - 0.81)};
  return (test_problem){.name = "two_circuits",
                        .problem = {.coupled = &circuits},
                        .start = {.y = start},
                        .to = 3.14159265358979323846,
                        .size = 4,
                        .reference = end,
                        .accuracy = 1e-15,
                        .consistent = true};
}

/* -- two structures [WHM11 (19), signs corrected]: A x'' + C x + B lambda = r for each, joint
 *    x2 = 2 y1. Here M = A, f = r - C x, and the joint's G = (1, -2) on z = (x2, y1) is B'.
 *    Closed form in cosh(t sqrt(7/15)), cosh and sinh(t/sqrt 2): references/references.py -- */

typedef struct structure_params {
  double A[4], minus_C[4], r[2]; /* column-major */
} structure_params;

static const structure_params structure_x = {{4, 1, 1, 3}, {2, 1, 1, 2}, {6, 7}};
static const structure_params structure_y = {{5, 2, 2, 4}, {1, 0, 2, 2}, {10, 4}};

static int structure_M(void *user, const dae_mechanical_at *at, double *M)
{
  const structure_params *p = user;
  (void)at;
  for (int i = 0; i < 4; i++)
    M[i] = p->A[i];
  return 0;
}

static int structure_f(void *user, const dae_mechanical_at *at, double *f)
{
  const structure_params *p = user;
  const double *q = at->q;
  for (int i = 0; i < 2; i++)
    f[i] = p->r[i] + p->minus_C[i] * q[0] + p->minus_C[2 + i] * q[1];
  return 0;
}

static int structure_J(void *user, const dae_mechanical_at *at, double *J)
{
  const structure_params *p = user;
  (void)at;
  for (int i = 0; i < 4; i++) {
    J[i] = p->minus_C[i];
    J[4 + i] = 0;
  }
  return 0;
}

static int joint_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t;
  g[0] = z[0] - 2 * z[1];
  return 0;
}

static int joint_G(void *user, double t, const double *z, double *G)
{
  (void)user, (void)t, (void)z;
  G[0] = 1;
  G[1] = -2;
  return 0;
}

#define STRUCTURE(label, params)                                                                   \
  {                                                                                                \
    .name = label, .nq = 2, .user = (void *)&(params), .q_names = structure_names,                 \
    .M = structure_M, .f = structure_f, .J = structure_J, .constant_mass = true                    \
  }

static const char *const structure_names[] = {"q1", "q2"};
static const dae_mechanical first = STRUCTURE("x", structure_x);
static const dae_mechanical second = STRUCTURE("y", structure_y);

test_problem test_structures(void)
{
  static const dae_part parts[] = {{.name = "x", .mechanical = &first},
                                   {.name = "y", .mechanical = &second}};
  static const dae_port ports[] = {{0, 1}, {1, 0}};
  static const dae_joint joints[] = {{.name = "link",
                                      .ng = 1,
                                      .nz = 2,
                                      .z = ports,
                                      .g = joint_g,
                                      .G = joint_G,
                                      .time_free = true}};
  static const dae_coupled structures = {
      .name = "structures", .parts = 2, .joints = 1, .part = parts, .joint = joints};
  static const double start[9] = {0};
  static const double end[] = {
      6.792343938756235327,  17.484349610509343199,   6.8802265617285145817,
      16.418197563560769325, 8.7421748052546715996,   0.6205261724404885295,
      8.2090987817803846626, -0.55426556693632352884, 4.1653519849169661559};
  return (test_problem){.name = "structures",
                        .problem = {.coupled = &structures},
                        .start = {.y = start},
                        .to = 3,
                        .size = 9,
                        .reference = end,
                        .accuracy = 1e-16,
                        .consistent = true};
}
