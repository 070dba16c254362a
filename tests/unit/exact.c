#include "exact.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/integrator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MOST 3 /* entries of a state vector */

/* ---- problems ---- */

static int unit_mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static int weight(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = -GRAVITY;
  return 0;
}

static int spring(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -at->q[0];
  return 0;
}

static int ball_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = at->v[0] * at->v[0] / 2;
  *V = GRAVITY * at->q[0];
  return 0;
}

static const char *const ball_names[] = {"height"};
static const char *const oscillator_names[] = {"q"};

const dae_mechanical exact_ball = {.name = "ball",
                                   .nq = 1,
                                   .q_names = ball_names,
                                   .M = unit_mass,
                                   .f = weight,
                                   .energy = ball_energy,
                                   .constant_mass = true};

const dae_mechanical exact_oscillator = {.name = "oscillator",
                                         .nq = 1,
                                         .q_names = oscillator_names,
                                         .M = unit_mass,
                                         .f = spring,
                                         .constant_mass = true};

static int pin(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] - 1;
  return 0;
}

static const char *const pin_names[] = {"pin"};

const dae_mechanical exact_pin = {.name = "pinned",
                                  .nq = 1,
                                  .ng = 1,
                                  .g_names = pin_names,
                                  .M = unit_mass,
                                  .f = weight,
                                  .g = pin,
                                  .constant_mass = true,
                                  .time_free_g = true};

void exact_ball_flow(double tau, const double *y0, double *y, double *dy)
{
  double q = y0[0], v = y0[1];
  y[0] = q + tau * (v - GRAVITY / 2 * tau);
  y[1] = v - GRAVITY * tau;
  if (dy) {
    dy[0] = y[1];
    dy[1] = -GRAVITY;
  }
}

void exact_oscillator_flow(double tau, const double *y0, double *y, double *dy)
{
  double q = y0[0], v = y0[1];
  y[0] = q * cos(tau) + v * sin(tau);
  y[1] = v * cos(tau) - q * sin(tau);
  if (dy) {
    dy[0] = y[1];
    dy[1] = -y[0];
  }
}

void exact_pin_flow(double tau, const double *y0, double *y, double *dy)
{
  (void)tau;
  for (int i = 0; i < 3; i++) {
    y[i] = y0[i];
    if (dy)
      dy[i] = 0;
  }
}

/* ---- the method ---- */

typedef struct memory {
  double t0, y0[MOST]; /* where the motion started */
  double t, t_previous;
  dae_stats stats;
} memory;

typedef struct exact {
  exact_options opts;
  int size;
  memory *m;
} exact;

static dae_status exact_step(void *self, double t_stop, dae_error *err)
{
  exact *x = self;
  memory *m = x->m;
  double t = m->t + x->opts.step < t_stop ? m->t + x->opts.step : t_stop;
  if (x->opts.fails_at > 0 && t > x->opts.fails_at)
    return dae__fail(err, DAE_ERROR_STEP, NULL, "no step beyond t = %g", x->opts.fails_at);
  m->t_previous = m->t;
  m->t = t;
  m->stats.steps++;
  return t == t_stop ? DAE_END : DAE_OK;
}

static dae_view exact_view(const void *self)
{
  const exact *x = self;
  return (dae_view){.t = x->m->t,
                    .t_previous = x->m->t_previous,
                    .h_next = x->opts.step,
                    .order = 3,
                    .size = x->size};
}

static dae_status exact_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  exact *x = self;
  (void)err;
  x->opts.flow(t - x->m->t0, x->m->y0, y, dy);
  return DAE_OK;
}

static dae_status exact_restart(void *self, double t, const double *y, dae_error *err)
{
  exact *x = self;
  memory *m = x->m;
  (void)err;
  m->t0 = m->t = m->t_previous = t;
  dae__copy(x->size, y, m->y0);
  m->stats.restarts++;
  return DAE_OK;
}

static dae_stats exact_stats(const void *self)
{
  return ((const exact *)self)->m->stats;
}

static const dae__integrator_table table = {.method = "exact",
                                            .step = exact_step,
                                            .view = exact_view,
                                            .interpolate = exact_interpolate,
                                            .restart = exact_restart,
                                            .stats = exact_stats};

static dae_status create(const dae_problem *problem, const dae_start *start, const void *opts,
                         const dae_env *env, dae_integrator **out, dae_error *err)
{
  (void)err;
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return DAE_ERROR_MEMORY;
  exact *x = DAE__ALLOC(arena, exact, 1);
  memory *m = DAE__STATE(arena, memory, 1);
  if (!dae__arena_failed(arena)) {
    *x = (exact){.opts = *(const exact_options *)opts, .size = dae_problem_size(problem), .m = m};
    *m = (memory){.t0 = start->t, .t = start->t, .t_previous = start->t};
    dae__copy(x->size, start->y, m->y0);
    if (dae__integrator_create(arena, &table, x, out) == DAE_OK)
      return DAE_OK;
  }
  dae__arena_free(arena);
  return DAE_ERROR_MEMORY;
}

static const dae_option options[] = {{.name = "rtol",
                                      .type = DAE_OPTION_DOUBLE,
                                      .offset = offsetof(exact_options, rtol),
                                      .min = 0,
                                      .max = 1,
                                      .help = "is shown, and of no effect"}};
static const dae_option_table option_table = {.owner = "exact", .options = options, .count = 1};

const dae_method exact_method = {.name = "exact",
                                 .summary = "closed-form motions",
                                 .options = &option_table,
                                 .options_size = sizeof(exact_options),
                                 .create = create};

dae_integrator *exact_create(const dae_mechanical *mechanical, exact_flow *flow, double step,
                             double t, double q, double v)
{
  dae_problem problem = dae_problem_mechanical(mechanical);
  double y[MOST] = {q, v, 0};
  dae_start start = {.t = t, .y = y};
  exact_options opts = {.step = step, .flow = flow};
  dae_integrator *it = NULL;
  assert_int_equal(create(&problem, &start, &opts, NULL, &it, NULL), DAE_OK);
  return it;
}
