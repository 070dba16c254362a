#include "works.h"

#include <math.h>
#include <string.h>

static int machine_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 2;
  return 0;
}

static int machine_p(void *user, const dae_mechanical_at *at, double *p)
{
  (void)user;
  p[0] = 2 * at->v[0];
  return 0;
}

static int machine_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -at->q[0] + at->w[0] * at->u[0] + at->in[0] / 2;
  return 0;
}

static int machine_s(void *user, const dae_mechanical_at *at, double *s)
{
  (void)user;
  s[0] = at->w[1] - at->u[0];
  return 0;
}

static int machine_c(void *user, const dae_mechanical_at *at, double *c)
{
  (void)user;
  c[0] = at->w[0] + pow(at->w[0], 3) / 5 - at->in[0] / 2 - at->q[0];
  c[1] = at->w[1] - at->v[0] - at->u[0];
  return 0;
}

/* columns q, v, u, w1, w2; rows f, s, c1, c2 */
static const int machine_start[] = {0, 2, 3, 6, 8, 10};
static const int machine_row[] = {0, 2, 3, 0, 1, 3, 0, 2, 1, 3};
static const dae_pattern machine_pattern = {4, 5, machine_start, machine_row};
static const int machine_in_start[] = {0, 2}, machine_in_row[] = {0, 2};
static const dae_pattern machine_in_pattern = {4, 1, machine_in_start, machine_in_row};

static int machine_J(void *user, const dae_mechanical_at *at, double *J)
{
  (void)user;
  const double known[] = {-1, -1, -1, at->w[0], -1, -1, at->u[0], 1 + 0.6 * at->w[0] * at->w[0],
                          1,  1};
  memcpy(J, known, sizeof known);
  return 0;
}

static int plant_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0] + at->y[0] * at->y[2];
  return 0;
}

static int plant_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->y[0] + at->y[1] - at->in[0];
  F[1] = at->y[0] - 2 * at->y[1] - sin(at->x[0]);
  F[2] = at->y[2] + pow(at->y[2], 3) - at->x[0] - at->in[1];
  return 0;
}

/* columns x, y1, y2, y3; rows f, F1, F2, F3 */
static const int plant_start[] = {0, 3, 6, 8, 10};
static const int plant_row[] = {0, 2, 3, 0, 1, 2, 1, 2, 0, 3};
static const dae_pattern plant_pattern = {4, 4, plant_start, plant_row};
static const int plant_in_start[] = {0, 1, 2}, plant_in_row[] = {1, 3};
static const dae_pattern plant_in_pattern = {4, 2, plant_in_start, plant_in_row};

static int belt_g(void *user, double t, const double *z, double *g)
{
  (void)user, (void)t;
  g[0] = z[0] - z[1] - 0.1 * z[1] * z[1];
  return 0;
}

static int belt_G(void *user, double t, const double *z, double *G)
{
  (void)user, (void)t;
  G[0] = 1;
  G[1] = -1 - 0.2 * z[1];
  return 0;
}

static int belt_gamma(void *user, double t, const double *z, const double *zdot, double *gamma)
{
  (void)user, (void)t, (void)z;
  gamma[0] = -0.2 * zdot[1] * zdot[1];
  return 0;
}

static int load_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 1;
  return 0;
}

void make_works(works *w, bool momenta, bool belt)
{
  static const dae_wire wires[] = {{0, 0, {1, 1}}, {1, 0, {0, 3}}, {1, 1, {0, 4}}};
  static const dae_port z[] = {{0, 0}, {2, 0}};
  w->machine = (dae_mechanical){.nq = 1,
                                .nu = 1,
                                .nw = 2,
                                .nin = 1,
                                .f = momenta ? NULL : machine_f,
                                .M = machine_M,
                                .p = momenta ? machine_p : NULL,
                                .F = momenta ? machine_f : NULL,
                                .s = machine_s,
                                .c = machine_c,
                                .J = machine_J,
                                .J_pattern = &machine_pattern,
                                .J_in_pattern = &machine_in_pattern,
                                .constant_mass = true};
  w->plant = (dae_semi_explicit){.nx = 1,
                                 .ny = 3,
                                 .nin = 2,
                                 .f = plant_f,
                                 .F = plant_F,
                                 .J_pattern = &plant_pattern,
                                 .J_in_pattern = &plant_in_pattern};
  w->load = (dae_mechanical){.nq = 1, .M = machine_M, .f = load_f, .constant_mass = true};
  w->part[0] = (dae_part){.name = "machine", .mechanical = &w->machine};
  w->part[1] = (dae_part){.name = "plant", .semi_explicit = &w->plant};
  w->part[2] = (dae_part){.name = "load", .mechanical = &w->load};
  w->belt = (dae_joint){.name = "belt",
                        .ng = 1,
                        .nz = 2,
                        .z = z,
                        .g = belt_g,
                        .G = belt_G,
                        .gamma = belt_gamma,
                        .time_free = true};
  w->coupled = (dae_coupled){.parts = belt ? 3 : 2,
                             .wires = 3,
                             .joints = belt,
                             .part = w->part,
                             .wire = wires,
                             .joint = &w->belt};
}
