/* Robertson's reactions to t = 40, with the sum of the concentrations as algebraic equation. The
 * end is from references_rows.c. */
#include "cases.h"

#include <daedal/semi_explicit.h>

ALWAYS_INLINE void rates(const double *x, double c, double *f)
{
  double slow = 0.04 * x[0], back = 1e4 * x[1] * c, fast = 3e7 * x[1] * x[1];
  f[0] = back - slow;
  f[1] = slow - back - fast;
}

ALWAYS_INLINE void slopes(const double *x, double c, double *J, int ld)
{
  double fast_x = 6e7 * x[1], back_x = 1e4 * c, back_c = 1e4 * x[1];
  J[0] = -0.04;
  J[1] = 0.04;
  J[ld] = back_x;
  J[ld + 1] = -back_x - fast_x;
  J[2 * ld] = back_c;
  J[2 * ld + 1] = -back_c;
  for (int j = 0; j < 3; j++)
    J[2 + j * ld] = 1;
}

/* ---- the peers: index 1, and three rates ---- */

static int dae_phi(double t, const double *y, double *phi)
{
  (void)t;
  rates(y, y[2], phi);
  phi[2] = y[0] + y[1] + y[2] - 1;
  return 0;
}
static int dae_jac(double t, const double *y, double *J, int ld)
{
  (void)t;
  slopes(y, y[2], J, ld);
  return 0;
}

static int ode_phi(double t, const double *y, double *phi)
{
  (void)t;
  rates(y, y[2], phi);
  phi[2] = -phi[0] - phi[1];
  return 0;
}
static int ode_jac(double t, const double *y, double *J, int ld)
{
  (void)t;
  slopes(y, y[2], J, ld);
  for (int j = 0; j < 3; j++)
    J[2 + j * ld] = -J[j * ld] - J[1 + j * ld];
  return 0;
}

static void start(double *y, double *dy)
{
  y[0] = 1;
  y[1] = y[2] = 0;
  ode_phi(0, y, dy);
}

#define ROBERTSON(title, unknowns, f, jacobian)                                                    \
  {                                                                                                \
    .name = title, .n = 3, .differential = unknowns, .index = {3}, .phi = f, .jac = jacobian,      \
    .start = start                                                                                 \
  }
static const peer_form forms[] = {
    ROBERTSON("index 1", 2, dae_phi, NULL),
    ROBERTSON("index 1", 2, dae_phi, dae_jac),
    ROBERTSON("three rates", 3, ode_phi, NULL),
    ROBERTSON("three rates", 3, ode_phi, ode_jac),
};

/* ---- daedal's side ---- */

static int robertson_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  rates(at->x, at->y[0], f);
  return 0;
}
static int robertson_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] + at->x[1] + at->y[0] - 1;
  return 0;
}
static int robertson_J(void *user, const dae_semi_explicit_at *at, double *J)
{
  (void)user;
  slopes(at->x, at->y[0], J, 3);
  return 0;
}

static const char text[] = "model robertson\n"
                           "state a = 1, b = 0\n"
                           "alg c = 0\n"
                           "a' = 1e4*b*c - 0.04*a\n"
                           "b' = 0.04*a - 1e4*b*c - 3e7*b^2\n"
                           "a + b + c = 1\n";

bench_case case_robertson(void)
{
  static const dae_semi_explicit ours = {.name = "robertson",
                                         .nx = 2,
                                         .ny = 1,
                                         .index = 1,
                                         .f = robertson_f,
                                         .F = robertson_F,
                                         .J = robertson_J,
                                         .time_free = true};
  static const double from[] = {1, 0, 0};
  static const double end[] = {0.71582706871940516, 9.1855347645577643e-06, 0.28416374574583037};
  return (bench_case){.title = "Robertson",
                      .kind = INDEX_1,
                      .problem = {.name = "robertson",
                                  .problem = {.semi_explicit = &ours},
                                  .start = {.y = from},
                                  .to = 40,
                                  .size = 3,
                                  .reference = end},
                      .text = text,
                      .scored = 3,
                      .forms = forms,
                      .form_count = sizeof forms / sizeof *forms};
}
