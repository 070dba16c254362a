#include "jump_forms.h"

#include <math.h>
#include <stddef.h>

/* ---- mechanical: free, helix ---- */

static int free_mass(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 1;
  return 0;
}

static int free_force(void *user, const dae_mechanical_at *at, double *out)
{
  out[0] = jump_force(user, at->t, at->q[0], at->v[0]);
  return 0;
}

static void free_start(double s, double v, double *y)
{
  y[0] = s, y[1] = v;
}

static int helix_mass(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  for (int i = 0; i < 9; i++)
    out[i] = i % 4 == 0;
  return 0;
}

/* along z, with the inertia 2 of the motion on the helix */
static int helix_force(void *user, const dae_mechanical_at *at, double *out)
{
  out[0] = out[1] = 0;
  out[2] = 2 * jump_force(user, at->t, at->q[2], at->v[2]);
  return 0;
}

static int helix_constraint(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[0] - cos(at->q[2]);
  out[1] = at->q[1] - sin(at->q[2]);
  return 0;
}

static int helix_gradient(void *user, const dae_mechanical_at *at, double *out)
{
  const double G[6] = {1, 0, 0, 1, sin(at->q[2]), -cos(at->q[2])}; /* by columns */
  (void)user;
  for (int i = 0; i < 6; i++)
    out[i] = G[i];
  return 0;
}

static int helix_gamma(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = cos(at->q[2]) * at->v[2] * at->v[2];
  out[1] = sin(at->q[2]) * at->v[2] * at->v[2];
  return 0;
}

static void helix_start(double s, double v, double *y)
{
  y[0] = cos(s), y[1] = sin(s), y[2] = s;
  y[3] = -sin(s) * v, y[4] = cos(s) * v, y[5] = v;
  y[6] = y[7] = 0;
}

/* ---- mechanical: cam ---- */

static int cam_mass(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = out[3] = 1, out[1] = out[2] = 0;
  return 0;
}

/* (1 + s^2) s'' + s s'^2 = f */
static int cam_force(void *user, const dae_mechanical_at *at, double *out)
{
  double s = at->q[0], v = at->v[0];
  out[0] = (1 + s * s) * jump_force(user, at->t, s, v) + s * v * v;
  out[1] = 0;
  return 0;
}

static int cam_constraint(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = at->q[1] - at->q[0] * at->q[0] / 2;
  return 0;
}

static int cam_gradient(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -at->q[0], out[1] = 1;
  return 0;
}

static int cam_gamma(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user;
  out[0] = -at->v[0] * at->v[0];
  return 0;
}

static void cam_start(double s, double v, double *y)
{
  y[0] = s, y[1] = s * s / 2, y[2] = v, y[3] = s * v, y[4] = 0;
}

/* ---- semi-explicit: ode, index1, index2, stiff ---- */

static int stiff_rates(void *user, const dae_semi_explicit_at *at, double *out)
{
  double a = jump_force(user, at->t, at->x[0], at->x[1]);
  out[0] = at->x[1];
  out[1] = a;
  out[2] = -1000 * (at->x[2] - a);
  return 0;
}

static void stiff_start(double s, double v, double *y)
{
  y[0] = s, y[1] = v, y[2] = 0;
}

static int ode_rates(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->x[1];
  out[1] = jump_force(user, at->t, at->x[0], at->x[1]);
  return 0;
}

static int index1_rates(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->x[1];
  out[1] = at->y[0];
  return 0;
}

static int index1_equation(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->y[0] - jump_force(user, at->t, at->x[0], at->x[1]);
  return 0;
}

static void index1_start(double s, double v, double *y)
{
  y[0] = s, y[1] = v, y[2] = 0;
}

static int index2_rates(void *user, const dae_semi_explicit_at *at, double *out)
{
  out[0] = at->x[1];
  out[1] = 2 * jump_force(user, at->t, at->x[0], at->x[1]) + at->y[0];
  out[2] = -at->y[0];
  return 0;
}

static int index2_equation(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user;
  out[0] = at->x[1] - at->x[2];
  return 0;
}

static void index2_start(double s, double v, double *y)
{
  y[0] = s, y[1] = v, y[2] = v, y[3] = 0;
}

/* ---- list ---- */

static const jump_form forms[] = {
    {"free", .position = 0, .velocity = 1, .start = free_start,
     .mechanical = {.nq = 1, .M = free_mass, .f = free_force, .constant_mass = true}},
    {"helix", .position = 2, .velocity = 5, .start = helix_start,
     .mechanical = {.nq = 3,
                    .ng = 2,
                    .M = helix_mass,
                    .f = helix_force,
                    .g = helix_constraint,
                    .G = helix_gradient,
                    .gamma = helix_gamma,
                    .constant_mass = true,
                    .time_free_g = true}},
    {"ode", .position = 0, .velocity = 1, .start = free_start,
     .semi_explicit = {.nx = 2, .f = ode_rates}},
    {"index1", .position = 0, .velocity = 1, .start = index1_start,
     .semi_explicit = {.nx = 2, .ny = 1, .f = index1_rates, .F = index1_equation}},
    {"index2", .position = 0, .velocity = 1, .start = index2_start,
     .semi_explicit = {.nx = 3, .ny = 1, .f = index2_rates, .F = index2_equation}},
    {"cam", .position = 0, .velocity = 2, .start = cam_start, .held = true,
     .mechanical = {.nq = 2,
                    .ng = 1,
                    .M = cam_mass,
                    .f = cam_force,
                    .g = cam_constraint,
                    .G = cam_gradient,
                    .gamma = cam_gamma,
                    .constant_mass = true,
                    .time_free_g = true}},
    {"stiff", .position = 0, .velocity = 1, .start = stiff_start, .held = true,
     .semi_explicit = {.nx = 3, .f = stiff_rates}},
};

bool jump_form_at(int i, const jump_law *law, jump_form *out)
{
  if (i >= (int)(sizeof forms / sizeof *forms))
    return false;
  *out = forms[i];
  out->mechanical.name = out->semi_explicit.name = out->name;
  out->mechanical.user = out->semi_explicit.user = (void *)law; /* read only */
  return true;
}

dae_problem jump_form_problem(const jump_form *form)
{
  return form->mechanical.nq > 0 ? dae_problem_mechanical(&form->mechanical)
                                 : dae_problem_semi_explicit(&form->semi_explicit);
}
