#include "trio.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

const int trio_first[PARTS] = {0, 10, 14}, trio_size[PARTS] = {ARM_SIZE, DISC_SIZE, CART_SIZE};
const int trio_lambda[JOINTS] = {18, 19};

#define FUNCTION(name)                                                                             \
  static void name##_at(double t, const double *q, const double *v, const double *u,               \
                        const double *w, const double *in, double *out);                           \
  static int name(void *user, const dae_mechanical_at *at, double *out)                            \
  {                                                                                                \
    (void)user;                                                                                    \
    name##_at(at->t, at->q, at->v, at->u, at->w, at->in, out);                                     \
    return 0;                                                                                      \
  }                                                                                                \
  static void name##_at(double t, const double *q, const double *v, const double *u,               \
                        const double *w, const double *in, double *out)
#define UNUSED (void)t, (void)q, (void)v, (void)u, (void)w, (void)in

static void clear(int n, double *x)
{
  memset(x, 0, (size_t)n * sizeof *x);
}

/* ---- arm ---- */

FUNCTION(arm_M)
{
  UNUSED;
  clear(9, out);
  out[0] = 2 + q[1] * q[1];
  out[1] = out[3] = 0.1 * q[2];
  out[4] = 3;
  out[8] = 1.5;
}

FUNCTION(arm_f)
{
  UNUSED;
  out[0] = -q[0] - 0.3 * v[0] + u[0] + in[0];
  out[1] = -w[0] * q[2] + sin(t);
  out[2] = -q[2] * q[2] * q[2] + in[0] * q[0];
}

FUNCTION(arm_s)
{
  UNUSED;
  out[0] = q[0] - u[0] * w[0] + in[0];
}

FUNCTION(arm_c)
{
  UNUSED;
  out[0] = w[0] + 0.1 * w[0] * w[0] * w[0] - v[0] * q[1] - in[0];
}

FUNCTION(arm_g)
{
  UNUSED;
  out[0] = (q[0] * q[0] + q[1] * q[1] - 2 - 0.1 * sin(t)) / 2;
}

FUNCTION(arm_k)
{
  UNUSED;
  out[0] = v[2] - q[0] * v[1] - 0.2 * sin(t);
}

/* rows f, s, c; columns q, v, u, w */
FUNCTION(arm_J)
{
  UNUSED;
  clear(40, out);
  out[0 + 5 * 0] = -1;
  out[0 + 5 * 3] = -0.3;
  out[0 + 5 * 6] = 1;
  out[1 + 5 * 2] = -w[0];
  out[1 + 5 * 7] = -q[2];
  out[2 + 5 * 0] = in[0];
  out[2 + 5 * 2] = -3 * q[2] * q[2];
  out[3 + 5 * 0] = 1;
  out[3 + 5 * 6] = -w[0];
  out[3 + 5 * 7] = -u[0];
  out[4 + 5 * 1] = -v[0];
  out[4 + 5 * 3] = -q[1];
  out[4 + 5 * 7] = 1 + 0.3 * w[0] * w[0];
}

FUNCTION(arm_J_in)
{
  UNUSED;
  const double known[] = {1, 0, q[0], 1, -1};
  memcpy(out, known, sizeof known);
}

/* ---- disc ---- */

FUNCTION(disc_p)
{
  UNUSED;
  out[0] = 1.5 * v[0];
  out[1] = (1 + q[0] * q[0]) * v[1];
}

FUNCTION(disc_F)
{
  UNUSED;
  out[0] = -2 * q[0] + q[0] * v[1] * v[1];
  out[1] = -6 * q[1] + in[0] * in[0];
}

FUNCTION(disc_p_rate)
{
  UNUSED;
  out[0] = 0;
  out[1] = 2 * q[0] * v[0] * v[1];
}

FUNCTION(disc_M)
{
  UNUSED;
  out[0] = 1.5;
  out[1] = out[2] = 0;
  out[3] = 1 + q[0] * q[0];
}

FUNCTION(disc_J)
{
  UNUSED;
  const double known[] = {-2 + v[1] * v[1], 0, 0, -6, 0, 0, 2 * q[0] * v[1], 0};
  memcpy(out, known, sizeof known);
}

FUNCTION(disc_J_in)
{
  UNUSED;
  out[0] = 0;
  out[1] = 2 * in[0];
}

/* ---- cart ---- */

FUNCTION(cart_M)
{
  UNUSED;
  out[0] = 2;
  out[1] = out[2] = 0.5;
  out[3] = 1;
}

FUNCTION(cart_f)
{
  UNUSED;
  out[0] = -3 * q[0] + 0.2 * v[1];
  out[1] = -q[1] * q[1] - v[1];
}

FUNCTION(cart_J)
{
  UNUSED;
  const double known[] = {-3, 0, 0, -2 * q[1], 0, 0, 0.2, -1};
  memcpy(out, known, sizeof known);
}

/* ---- hook ---- */

static int hook_g(void *user, double t, const double *z, double *g)
{
  (void)user;
  g[0] = z[1] - z[0] - 0.3 * z[0] * z[0] * z[2] - 0.1 * sin(t);
  return 0;
}

static int hook_G(void *user, double t, const double *z, double *G)
{
  (void)user, (void)t;
  G[0] = -1 - 0.6 * z[0] * z[2];
  G[1] = 1;
  G[2] = -0.3 * z[0] * z[0];
  return 0;
}

static int hook_g_t(void *user, double t, const double *z, double *g_t)
{
  (void)user, (void)z;
  g_t[0] = -0.1 * cos(t);
  return 0;
}

static int hook_gamma(void *user, double t, const double *z, const double *zdot, double *gamma)
{
  (void)user;
  gamma[0] = 0.1 * sin(t) - 0.6 * z[2] * zdot[0] * zdot[0] - 1.2 * z[0] * zdot[0] * zdot[2];
  return 0;
}

static int hook_gdot_z(void *user, double t, const double *z, const double *zdot, double *gdot_z)
{
  (void)user, (void)t;
  gdot_z[0] = -0.6 * (zdot[0] * z[2] + z[0] * zdot[2]);
  gdot_z[1] = 0;
  gdot_z[2] = -0.6 * z[0] * zdot[0];
  return 0;
}

static int hook_Gts_z(void *user, double t, const double *z, const double *s, double *Gts_z)
{
  (void)user, (void)t;
  clear(9, Gts_z);
  Gts_z[0] = -0.6 * z[2] * s[0];
  Gts_z[2] = Gts_z[6] = -0.6 * z[0] * s[0];
  return 0;
}

/* ---- rail ---- */

static int rail_g(void *user, double t, const double *z, double *g)
{
  (void)user;
  g[0] = z[0] * z[2] - z[1] + z[3] * z[3] - t / 5;
  return 0;
}

/* ---- together ---- */

static const char *const arm_q[] = {"a", "b", "c"}, *const arm_u[] = {"u"}, *const arm_w[] = {"w"};
static const char *const disc_q[] = {"d", "e"}, *const cart_q[] = {"x", "y"};
static const char *const arm_gs[] = {"circle"}, *const arm_ks[] = {"blade"};
static const dae_port hook_z[] = {{ARM, 2}, {DISC, 0}, {ARM, 0}};
static const dae_port rail_z[] = {{ARM, 1}, {DISC, 1}, {CART, 0}, {CART, 1}};
static const dae_wire wires[] = {{ARM, 0, {DISC, 1}}, {DISC, 0, {ARM, 7}}};

static void take_derivatives(trio *t)
{
  t->arm.J = arm_J;
  t->arm.J_in = arm_J_in;
  t->disc.M = disc_M;
  t->disc.p_rate = disc_p_rate;
  t->disc.J = disc_J;
  t->disc.J_in = disc_J_in;
  t->cart.J = cart_J;
  dae_joint *hook = &t->joint[HOOK];
  hook->G = hook_G;
  hook->g_t = hook_g_t;
  hook->gamma = hook_gamma;
  hook->gdot_z = hook_gdot_z;
  hook->Gts_z = hook_Gts_z;
}

void make_trio(trio *t, bool derivatives)
{
  t->arm = (dae_mechanical){.name = "arm",
                            .nq = 3,
                            .ng = 1,
                            .nk = 1,
                            .nu = 1,
                            .nw = 1,
                            .nin = 1,
                            .q_names = arm_q,
                            .u_names = arm_u,
                            .M = arm_M,
                            .f = arm_f,
                            .s = arm_s,
                            .c = arm_c,
                            .g = arm_g,
                            .k = arm_k,
                            .w_names = arm_w,
                            .g_names = arm_gs,
                            .k_names = arm_ks};
  t->disc = (dae_mechanical){
      .name = "disc", .nq = 2, .nin = 1, .q_names = disc_q, .p = disc_p, .F = disc_F};
  t->cart = (dae_mechanical){
      .name = "cart", .nq = 2, .q_names = cart_q, .M = cart_M, .f = cart_f, .constant_mass = true};
  t->part[ARM] = (dae_part){.name = "arm", .mechanical = &t->arm};
  t->part[DISC] = (dae_part){.name = "disc", .mechanical = &t->disc};
  t->part[CART] = (dae_part){.name = "cart", .mechanical = &t->cart};
  t->joint[HOOK] = (dae_joint){.name = "hook", .ng = 1, .nz = 3, .z = hook_z, .g = hook_g};
  t->joint[RAIL] = (dae_joint){.name = "rail", .ng = 1, .nz = 4, .z = rail_z, .g = rail_g};
  t->coupled = (dae_coupled){.name = "trio",
                             .parts = PARTS,
                             .wires = 2,
                             .joints = JOINTS,
                             .part = t->part,
                             .wire = wires,
                             .joint = t->joint};
  if (derivatives)
    take_derivatives(t);
}

void trio_state(const trio *t, double time, double *y, double *dy)
{
  const double guess[TRIO_SIZE] = {1, 1,   0.3, 0.2, -0.2, 0.1, 0.4, 0.2, 0,
                                   0, 0.5, 0.8, 0.1, 0.3,  0.7, 0.5, 0.3, 0.1};
  dae_problem problem = dae_problem_coupled(&t->coupled);
  dae_start start = {.t = time, .y = guess};
  dae_error err = dae_error_none();
  assert_int_equal(dae_problem_size(&problem), TRIO_SIZE);
  if (dae_consistent_start(&problem, &start, NULL, y, dy, NULL, &err))
    fail_msg("%s", err.text);
}
