#include "parts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

void assert_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
    fail_msg("%.17g is not near %.17g", a, b);
}

void assert_all_near(int n, const double *a, const double *b, double tolerance)
{
  for (int i = 0; i < n; i++)
    assert_near(a[i], b[i], tolerance);
}

dae__assembly *assemble(dae__arena *arena, const dae_coupled *coupled)
{
  dae_problem problem = dae_problem_coupled(coupled);
  dae__assembly *a = NULL;
  dae_error err = dae_error_none();
  if (dae__assembly_create(arena, &problem, &a, &err))
    fail_msg("%s", err.text);
  assert_int_equal(dae_problem_size(dae__assembly_problem(a)), dae_problem_size(&problem));
  assert_int_equal(dae_problem_size(dae__assembly_problem(a)), dae_problem_size(&problem));
  assert_int_equal(dae_problem_validate(dae__assembly_problem(a), &err), DAE_OK);
  return a;
}

dae__mech *mech_of(dae__arena *arena, const dae_mechanical *p)
{
  dae_problem problem = dae_problem_mechanical(p);
  dae__mech *m = NULL;
  dae_error err = dae_error_none();
  if (dae__mech_create(arena, &problem, &m, &err))
    fail_msg("%s", err.text);
  return m;
}

/* ---- two circuits: y' = -+ y of the other, 0 = y - z + a z of the other ---- */

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
const dae_wire circuit_wires[] = {{0, 0, {1, 0}}, {0, 1, {1, 1}}, {1, 0, {0, 0}}, {1, 1, {0, 1}}};

dae_semi_explicit circuit_of(circuit *c, bool derivatives)
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

/* ---- masses ---- */

int body_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 2;
  return 0;
}

/* ---- pendula in Cartesian coordinates, mass 1 ---- */

int mass_M(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = 1;
  out[1] = out[2] = 0;
  return 0;
}

int mass_f(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 0;
  out[1] = -10;
  return 0;
}

static int rod_g(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
  return 0;
}

/* a bar between (z0, z1) and (z2, z3) whose length changes, and the same height of both ends */
int bar_g(void *user, double t, const double *z, double *g)
{
  double dx = z[0] - z[2], dy = z[1] - z[3];
  (void)user;
  g[0] = (dx * dx + dy * dy) / 2 - cos(t);
  g[1] = z[1] * z[3] - 1;
  return 0;
}

int bar_G(void *user, double t, const double *z, double *G)
{
  double dx = z[0] - z[2], dy = z[1] - z[3];
  const double known[] = {dx, 0, dy, z[3], -dx, 0, -dy, z[1]};
  (void)user, (void)t;
  memcpy(G, known, sizeof known);
  return 0;
}

int bar_g_t(void *user, double t, const double *z, double *g_t)
{
  (void)user, (void)z;
  g_t[0] = sin(t);
  g_t[1] = 0;
  return 0;
}

int bar_gamma(void *user, double t, const double *z, const double *zdot, double *gamma)
{
  double dx = zdot[0] - zdot[2], dy = zdot[1] - zdot[3];
  (void)user, (void)z;
  gamma[0] = dx * dx + dy * dy + cos(t);
  gamma[1] = 2 * zdot[1] * zdot[3];
  return 0;
}

int bar_gdot_z(void *user, double t, const double *z, const double *zdot, double *gdot_z)
{
  (void)z;
  return bar_G(user, t, zdot, gdot_z); /* G is linear in z */
}

int bar_Gts_z(void *user, double t, const double *z, const double *s, double *Gts_z)
{
  const double a = s[0], b = s[1] - s[0];
  const double known[] = {a, 0, -a, 0, 0, a, 0, b, -a, 0, a, 0, 0, b, 0, a};
  (void)user, (void)t, (void)z;
  memcpy(Gts_z, known, sizeof known);
  return 0;
}

const dae_mechanical pendulum = {.nq = 2,
                                 .ng = 1,
                                 .M = mass_M,
                                 .f = mass_f,
                                 .g = rod_g,
                                 .constant_mass = true,
                                 .time_free_g = true};

void make_ring_of_pendula(ring *r, int n, dae_coupled *coupled)
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

/* ---- a part with everything: M(q,v), g(t,q), k(q,v), u, w ---- */

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

const dae_mechanical full = {.nq = 3,
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
