/* Switching between the methods for nonstiff problems, gauss and the explicit pairs, and radau.
 *
 * gauss is the default: it takes the least time per digit of accuracy. If convergence rather than
 * accuracy limits its steps, so that its iteration fails or is slow repeatedly, radau is tried if
 * many such steps are left, else explicit steps replace it; gauss returns after a series of
 * explicit steps far below their stability limit.
 *
 * To radau: the explicit pair measures the ratio of its step size to the stability limit by two
 * slopes at the same time [HNW93, HW96 IV.2]; a spectral radius, computed now and then by the power
 * iteration below, raises it where the two stages differ along slow variables only. Steps near the
 * limit count as stiff; after STIFF_STEPS stiff steps without NONSTIFF_STEPS nonstiff ones in a row
 * radau is tried: its work per time is compared with that of the stiff explicit steps, and if it is
 * larger, explicit steps return, and the wait before the next trial is doubled. A step whose
 * spectral radius is far above the rate of change of the solution counts as a fraction of a stiff
 * one: on a slow manifold the stages of an explicit step deviate from it, and the error of that
 * limits the step size, far below the stability limit.
 *
 * Back to explicit steps: a step of radau does not measure stability, so the spectral radius rho of
 * the Jacobian J of the slopes is computed by power iteration, with two evaluations per iteration,
 *
 *   d1 = J d,  d2 = J d1,   rho = sqrt(|d2| / |d|),
 *
 * also for complex pairs of eigenvalues. Explicit steps return if steps of size min(limit / rho, a
 * fraction of radau's step) would be cheaper by a margin, at several checks in a row. Their size is
 * estimated, so every return is a trial too: where the work per time of its steps turns out to be
 * larger than that of radau before, radau goes on.
 *
 * At the start rho is computed by the same power iteration. If rho is far above the rate of change
 * of the solution and many explicit steps would be needed, radau makes the first step, in a trial
 * against the estimated work of explicit steps; also if the solution changes fast at first only,
 * along a mode that decays with a rate of the size of rho: <x', J x'> / <x', x'> near -rho.
 *
 * Singular positions: where constraints become dependent within a step, the iteration of gauss does
 * not converge and the error estimates of both nonstiff methods are amplified, so that their steps
 * shrink towards the singular position. radau, with the Jacobians of all stages, steps over it, and
 * no step ends next to it (dae__motion_check_end).
 *
 * Work is counted in evaluations, with factorisations in the same unit: the selection depends
 * neither on clocks nor on dense output. */
#include "onestep/switching/switching.h"
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/log.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "onestep/host/share.h"
#include <float.h>

/* ---- constants ---- */

#define STIFF_STEPS 15 /* stiff steps before a trial of radau; [HW96 IV.2], as in DOPRI5 */
/* Contribution of a step near the stability limit to the count of stiff steps; one on a slow
 * manifold contributes 1. Chosen, not measured: tests/laws/test_switching.c. */
#define NEAR_LIMIT_SHARE 6
/* nonstiff steps in a row that clear the count of stiff ones; [HW96 IV.2] */
#define NONSTIFF_STEPS 6
/* Ratio of the step size to the stability limit above which a step counts as stiff; step sizes of
 * stiff problems fluctuate about it. Chosen, not measured: tests/laws/test_switching.c. */
#define NEAR_LIMIT 0.4
/* Ratio of the step size to the stability limit from which a step that is short for the tolerance
 * may be on a slow manifold, and ratio of such a step size to that of accuracy; chosen. */
#define SLOW_MANIFOLD_LIMIT 0.1
#define SHORT_STEP_RATIO 0.5
#define SHORT_STEP_SHARE 3 /* contribution of such a step to the count of stiff steps */
/* number of steps in a trial of radau; its work is measured over the second half; chosen */
#define TRIAL_STEPS 12
/* growth of the step size in the second half of a trial by which a failed trial is extended: the
 * work per time halves as fast; chosen */
#define TRIAL_GROWTH 2
/* number of steps from the first failed trial to the next; chosen */
#define FIRST_TRIAL_WAIT (4 * STIFF_STEPS)

/* Constants of the return from radau to explicit steps; chosen, not measured:
 * tests/laws/test_switching.c. */
#define RATE_CHECK_INTERVAL 5 /* number of steps of radau between two power iterations */
/* number of explicit steps between two power iterations: a sixtieth of the work; chosen */
#define EXPLICIT_RATE_CHECK_INTERVAL 10
#define CONFIRMATIONS 3         /* checks in a row that find explicit steps cheaper */
#define SHORT_RETURN 200        /* number of explicit steps below which a return was in vain */
#define DOUBLINGS 6             /* largest number of doublings of CONFIRMATIONS by such returns */
#define COST_MARGIN 1.5         /* least ratio of radau's work to that of explicit steps */
#define EXPLICIT_STEP_RATIO 0.6 /* explicit step size of equal accuracy / radau's step size */

/* Constants of the start with radau: slider cranks with springs of 1e8 N/m and chains from 40 links
 * on start with it (up to 20 times faster), the car axis does not. */
/* least ratio of rho to the rate of change of the solution, also of a stiff explicit step */
#define STIFFNESS_RATIO 30
/* least number of explicit steps at the stability limit up to t_stop */
#define MIN_LIMITED_STEPS 30
/* The same after a decaying transient: a transient and a slow motion after it take radau 100 to 350
 * evaluations, as many as 8 to 30 explicit steps, of half the stability limit. */
#define MIN_TRANSIENT_STEPS 15
/* Least ratio of the rate of decay at the start to rho. At most 0.36 for an oscillation without
 * damping, in the norm with the sizes of coordinate and rate. */
#define DECAY_RATIO 0.5
#define START_STABILITY_LIMIT 6 /* stability limit of the pair of order 8 */
#define START_ITERATIONS 2      /* number of power iterations */
/* Least ratio of the first iterate of rho to rho: the initial direction contains a thousandth of
 * each component. */
#define FIRST_ITERATION_PART 0.03
/* Size of x above which radau makes the first step: large systems nearly always have fast modes;
 * explicit steps of a hanging chain of N links are limited to 0.7/N. Measured: radau is ten times
 * faster for chains from 100 links on, and for problems where it is slower explicit steps return
 * soon. */
#define LARGE_SYSTEM 300

/* Constants of gauss: its iteration fails twice in 12 steps for no smooth mechanism, but for
 * hanging chains from 10 links on; GAUSS_FIRST_STEP may be 1 to 4 (tests/laws/test_switching.c). */
#define GAUSS_MAX_RTOL 1e-2  /* tolerance above which gauss is not used */
#define GAUSS_FIRST_STEP 2.0 /* bound of the first step size times rho, for convergence */
#define GAUSS_UNPREDICTED_STEPS 2
#define GAUSS_SLOW_SWEEPS 0.6 /* share of the largest number of sweeps at which a step is slow */
/* Number of steps within which a second failure of the iteration of gauss, or a second step of more
 * than GAUSS_SLOW_SWEEPS of its sweeps, causes a change to explicit steps; the first 8
 * steps after a failure have a bounded size (create.c). */
#define GAUSS_FAILURE_STEPS 12
/* Work of explicit steps relative to that of gauss where convergence limits gauss: 0.1 to 0.7 in
 * coupled oscillators, delay lines, arms, strings of masses and trains. */
#define EXPLICIT_WORK_SHARE 0.5
/* Ratio of the step size to the stability limit, and number of explicit steps in a row below it,
 * after which gauss returns; the number is tripled by every return. */
#define FAR_BELOW_LIMIT 0.15
#define GAUSS_RETURN_STEPS 30

/* Constants of singular positions; chosen, not measured: tests/laws/test_singular_positions.c. */
#define FAILURE_SCORE 2   /* added by a failed attempt; an accepted step subtracts 1 */
#define SINGULAR_SCORE 4  /* score from which the step is searched for a singular position */
#define MARGIN_SAMPLES 8  /* number of intervals of the search */
#define PLACEMENTS 5      /* number of placements of a step over a singular position */
#define CROSSING_STEPS 20 /* largest number of steps of radau over a singular position */

/* ---- memory ---- */

/* Index of a stepper; RADAU is the first of the steppers of radau. */
enum { GAUSS, EXPLICIT, RADAU };

typedef struct memory {
  int stiff, nonstiff;     /* weighted count of stiff, and count of nonstiff explicit steps */
  long wait;               /* number of steps before the next trial of radau */
  long next_wait;          /* wait after the last failed trial, doubled by the next one; 0: none */
  long steps;              /* number of steps since the last change of stepper */
  double t, work;          /* time and work at the start of the measured span */
  double explicit_rate;    /* work per time of steps before a trial of radau; 0: no trial */
  int confirmations;       /* number of checks in a row that find explicit steps cheaper */
  double rho;              /* spectral radius of J */
  double trial_h;          /* step size of radau in the middle of a trial */
  long failures;           /* number of failed iterations of gauss */
  long since_failure;      /* number of steps of gauss since its last failed iteration */
  long steps_below;        /* number of explicit steps in a row far below the stability limit */
  long extra_return_steps; /* steps_below at which gauss returns, minus GAUSS_RETURN_STEPS */
  int score;               /* score of recent failed attempts of gauss or explicit steps */
  int crossing;            /* number of steps left to radau over a singular position; 0: none */
  int former;              /* stepper that returns after a singular position */
  double failed_t;         /* start of the last failed attempt of gauss or explicit steps */
  double failed_h;         /* size of the first failed attempt there */
  double singular;         /* time from there to the singular position */
  int placement;           /* number of failed placements of a step over it */
  int vain_returns;        /* number of returns to explicit steps in vain, one after the other */
  double t_stop;           /* end of the run, as it was at its start */
  double radau_rate;       /* work per time of radau before a return on trial; 0: no trial */
} memory;

typedef struct selection {
  memory *memory; /* state saved with the integrator */
  double *d;      /* saved: direction of the power iteration */
  double *z, *k0, *k1;
  dae__arena *arena;
  dae__switching_rest rest;
  int first_radau; /* index of the stepper of radau selected by the tolerance; 0: not created */
} selection;

/* ---- work ---- */

/* Work of the current stepper, explicit or radau, in evaluations; only differences of two values
 * are meaningful. */
static double switching_work(const dae__onestep *o)
{
  const selection *c = o->selection;
  const dae_stats *m = &o->driver->stats;
  const dae__stepper *s = &o->stepper[o->memory->current];
  if (s->work)
    return *s->work;
  return c->rest.evaluations *
         (double)(m->steps + m->rejected_by_error + m->rejected_by_convergence);
}

static void switching_begin_span(dae__onestep *o)
{
  memory *m = ((selection *)o->selection)->memory;
  m->t = o->driver->t;
  m->work = switching_work(o);
}

static double switching_work_rate(const dae__onestep *o)
{
  const memory *m = ((const selection *)o->selection)->memory;
  double time = o->driver->t - m->t;
  return time > 0 ? (switching_work(o) - m->work) / time : 0;
}

/* ---- change of method ---- */

/* Changes the stepper without counting a switch, as between gauss and explicit steps. */
static void switching_change_stepper(dae__onestep *o, int to, double h)
{
  memory *m = ((selection *)o->selection)->memory;
  dae__onestep_switch_stepper(o, to);
  o->driver->h = h;
  o->driver->bounded = 0;
  m->steps = m->stiff = m->nonstiff = m->confirmations = 0;
  m->steps_below = 0;
  switching_begin_span(o);
}

dae_status dae__switching_create_rest(dae__onestep *o, dae_error *err)
{
  selection *c = o->selection;
  int current = o->memory->current;
  if (c->first_radau > 0)
    return DAE_OK;
  dae_status status = c->rest.create(o, c->arena, c->rest.stages, c->rest.order, err);
  int first = o->memory->current;
  o->memory->current = current;
  if (!status)
    status = dae__arena_status(c->arena, err);
  if (status)
    return dae__env_status(o->env, status, err);
  DAE__ASSERT(o->stepper[EXPLICIT].stiffness && o->stepper[RADAU].work);
  c->first_radau = first;
  DAE__LIMIT(c->arena, &o->memory->current, 2, 0, o->steppers - 1);
  return dae__arena_status(c->arena, err);
}

/* Changes to radau or explicit steps, counted as a switch. */
static void switching_switch_method(dae__onestep *o, int to, double h)
{
  dae__log(o->env, DAE_LOG_INFO, "t = %.10g: %s", o->driver->t,
           to >= RADAU ? "stiffness detected: switching to radau"
                       : "no stiffness detected: switching to explicit steps");
  o->memory->switches++;
  switching_change_stepper(o, to, h);
}

/* ---- spectral radius ---- */

static double switching_norm(const dae__onestep *o, const double *d)
{
  double sum = 0, floor = o->control.atol / o->control.rtol;
  for (int i = 0; i < o->adapter.nx; i++) {
    double x = d[i] / (fabs(o->now.z[i]) + floor * o->adapter.atol_scale[i]);
    sum += x * x;
  }
  return sqrt(sum);
}

/* out = J d by a difference of slopes; false: the evaluation fails */
static bool switching_apply_jacobian(dae__onestep *o, const double *d, double *out)
{
  selection *c = o->selection;
  const dae_adapter *adapter = &o->adapter;
  double t = o->driver->t, size = switching_norm(o, d), scale = sqrt(DBL_EPSILON) / size;
  if (!(size > 0) || !isfinite(scale))
    return false;
  dae__copy(adapter->size, o->now.z, c->z);
  dae__axpy(adapter->nx, scale, d, c->z);
  if (adapter->table->slopes(adapter->self, false, t, c->z, out, NULL))
    return false;
  for (int i = 0; i < adapter->nx; i++)
    out[i] = (out[i] - c->k0[i]) / scale;
  return true;
}

/* Updates memory->rho by one power iteration; c->k0 holds the slopes at `now`. */
static bool switching_power_iteration(dae__onestep *o)
{
  selection *c = o->selection;
  const dae_adapter *adapter = &o->adapter;
  double before = switching_norm(o, c->d);
  if (!(before > 0)) { /* initial direction: the slopes plus a small multiple of every component */
    dae__copy(adapter->nx, o->now.dz, c->d);
    for (int i = 0; i < adapter->nx; i++) {
      double floor = o->control.atol / o->control.rtol * adapter->atol_scale[i];
      c->d[i] += (1e-3 * (1 + i % 7)) * (fabs(o->now.z[i]) + floor);
    }
    before = switching_norm(o, c->d);
  }
  if (!switching_apply_jacobian(o, c->d, c->k1) || !switching_apply_jacobian(o, c->k1, c->d))
    return false;
  double after = switching_norm(o, c->d);
  if (!(after > 0) || !isfinite(after))
    return false;
  c->memory->rho = sqrt(after / before);
  dae__scale(adapter->nx, 1 / after, c->d);
  return true;
}

/* Step size of the last stepper relative to that with a constant share of the tolerance, which
 * explicit steps have (share.h). */
static double switching_shared_step(const dae__onestep *o)
{
  const dae__stepper *last = &o->stepper[o->memory->last];
  return last->shared_steps ? pow(dae__step_share(*last->shared_steps), 1.0 / (last->order + 1))
                            : 1;
}

/* Test whether explicit steps would be cheaper than those of radau by the margin; *h: their
 * size. */
static bool switching_explicit_is_cheaper(dae__onestep *o, double *h)
{
  selection *c = o->selection;
  const dae_adapter *adapter = &o->adapter;
  double t = o->driver->t, step = t - o->driver->t_previous;
  double rate = switching_work_rate(o);
  dae__copy(adapter->size, o->now.z, c->z);
  if (adapter->table->slopes(adapter->self, false, t, c->z, c->k0, NULL) ||
      !switching_power_iteration(o))
    return false;
  step /= switching_shared_step(o);
  *h = fmin(EXPLICIT_STEP_RATIO * step, NEAR_LIMIT * c->rest.stability_limit / c->memory->rho);
  return COST_MARGIN * c->rest.evaluations / *h < rate;
}

/* ---- monitoring, after every step ---- */

/* Ratio of the size of the last explicit step to the stability limit: by the difference of its last
 * two stages, or by the spectral radius where that is larger. */
static double switching_stiffness(dae__onestep *o)
{
  selection *c = o->selection;
  memory *m = c->memory;
  if (m->steps % EXPLICIT_RATE_CHECK_INTERVAL == 1) {
    dae__copy(o->adapter.nx, o->now.dz, c->k0);
    if (!switching_power_iteration(o))
      m->rho = 0;
  }
  return fmax(*o->stepper[EXPLICIT].stiffness,
              m->rho * (o->driver->t - o->driver->t_previous) / c->rest.stability_limit);
}

/* Contribution of the last explicit step to the count of stiff ones; stiffness: ratio of its size
 * to the stability limit. On a slow manifold rho is far above the rate of change of the solution,
 * or the step is short for the tolerance and this rate, and not far below the stability limit. */
static int switching_stiff_share(const dae__onestep *o, double stiffness)
{
  const selection *c = o->selection;
  double h = o->driver->t - o->driver->t_previous, rtol = o->control.rtol;
  double accurate = pow(rtol, 1.0 / (o->stepper[EXPLICIT].order + 1));
  if (stiffness > NEAR_LIMIT)
    return NEAR_LIMIT_SHARE;
  double rate = dae__onestep_largest_rate(o, 1, o->control.atol / rtol, NULL, 0);
  if (stiffness > SLOW_MANIFOLD_LIMIT && rate * h < SHORT_STEP_RATIO * accurate)
    return SHORT_STEP_SHARE;
  return DAE__MUTATE(switch_to_radau,
                     stiffness * c->rest.stability_limit > STIFFNESS_RATIO * rate * h, false);
}

static dae_status switching_switch_to_radau(dae__onestep *o, dae_error *err)
{
  DAE__TRY(dae__switching_create_rest(o, err));
  switching_switch_method(o, ((selection *)o->selection)->first_radau, o->driver->h);
  return DAE_OK;
}

/* Whether explicit steps after a return from radau take more work per time than radau before, over
 * the second half of a trial; called after every step. */
static bool switching_return_failed(dae__onestep *o)
{
  memory *m = ((selection *)o->selection)->memory;
  if (m->radau_rate > 0 && m->steps == TRIAL_STEPS / 2)
    switching_begin_span(o);
  if (m->radau_rate == 0 || m->steps < TRIAL_STEPS)
    return false;
  bool failed = switching_work_rate(o) > m->radau_rate;
  m->radau_rate = 0;
  return failed;
}

/* Changes from explicit steps to gauss far below the stability limit, and to radau near it. */
static dae_status switching_monitor_explicit(dae__onestep *o, dae_error *err)
{
  selection *c = o->selection;
  memory *m = c->memory;
  if (switching_return_failed(o)) {
    m->explicit_rate = 0;
    m->vain_returns++;
    return switching_switch_to_radau(o, err);
  }
  double stiffness = switching_stiffness(o);
  int share = switching_stiff_share(o, stiffness);
  /* on a slow manifold the fast modes limit the step size of gauss */
  m->steps_below = stiffness < FAR_BELOW_LIMIT && share == 0 ? m->steps_below + 1 : 0;
  if (o->control.rtol <= GAUSS_MAX_RTOL &&
      m->steps_below >= GAUSS_RETURN_STEPS + m->extra_return_steps) {
    m->extra_return_steps = 2 * GAUSS_RETURN_STEPS + 3 * m->extra_return_steps;
    m->failures = o->driver->stats.rejected_by_convergence;
    m->since_failure = GAUSS_FAILURE_STEPS;
    switching_change_stepper(o, GAUSS, o->driver->h);
    return DAE_OK;
  }
  if (m->wait > 0)
    m->wait--;
  else if (share > 0)
    m->stiff += share, m->nonstiff = 0;
  else if (++m->nonstiff >= NONSTIFF_STEPS)
    m->stiff = 0;
  if (m->stiff == 0 && m->radau_rate == 0)
    switching_begin_span(o);
  if (m->stiff >= STIFF_STEPS * NEAR_LIMIT_SHARE) {
    m->explicit_rate = switching_work_rate(o);
    m->vain_returns = m->steps < SHORT_RETURN ? m->vain_returns + 1 : 0;
    return switching_switch_to_radau(o, err);
  }
  return DAE_OK;
}

/* Whether radau is on trial, with the number of stages constant, which it is not where it made the
 * first step. */
static bool switching_on_trial(const dae__onestep *o)
{
  const memory *m = ((const selection *)o->selection)->memory;
  return m->steps <= TRIAL_STEPS && o->memory->switches > 0;
}

/* Changes from radau to explicit steps after a failed trial, or if explicit steps are cheaper. */
static void switching_monitor_radau(dae__onestep *o)
{
  const selection *c = o->selection;
  memory *m = c->memory;
  double h = 0;
  bool failed = m->steps == TRIAL_STEPS && m->explicit_rate > 0 &&
                switching_shared_step(o) * switching_work_rate(o) > m->explicit_rate;
  if (failed && o->driver->h > TRIAL_GROWTH * m->trial_h) /* within a transient: not judged yet */
    m->steps = TRIAL_STEPS / 2;
  if (m->steps == TRIAL_STEPS / 2) {
    switching_begin_span(o);
    m->trial_h = o->driver->h;
  } else if (failed) {
    m->next_wait = m->next_wait > 0 ? 2 * m->next_wait : FIRST_TRIAL_WAIT;
    m->wait = m->next_wait;
    m->radau_rate = switching_shared_step(o) * switching_work_rate(o);
    switching_switch_method(o, EXPLICIT, o->driver->h);
    return;
  }
  if (!switching_on_trial(o))
    c->rest.select_radau(o, RADAU);
  if (m->steps < TRIAL_STEPS || m->steps % RATE_CHECK_INTERVAL != 0)
    return;
  m->confirmations = switching_explicit_is_cheaper(o, &h) ? m->confirmations + 1 : 0;
  double rate = switching_shared_step(o) * switching_work_rate(o);
  switching_begin_span(o);
  if (m->confirmations >= CONFIRMATIONS
                              << (m->vain_returns < DOUBLINGS ? m->vain_returns : DOUBLINGS)) {
    m->radau_rate = rate;
    switching_switch_method(o, EXPLICIT, h);
  }
}

/* ---- singular positions ---- */

/* Whether the constraints may become dependent within the next h, by the margin at points of the
 * extrapolated motion: it may vanish where it is below its change from one point to the next. *at:
 * time to its least value, by a parabola through three points. */
static bool switching_singular_ahead(dae__onestep *o, double h, double *at)
{
  const selection *c = o->selection;
  dae__motion *motion = o->adapter.forms->motion;
  double margin[MARGIN_SAMPLES + 1], change = 0;
  int least = 0;
  if (!motion || motion->m->nc == 0)
    return false;
  for (int k = 0; k <= MARGIN_SAMPLES; k++) {
    double s = h * k / MARGIN_SAMPLES, *q = c->z, *v = q + motion->m->at.v;
    const double *rate = o->now.dz, *acceleration = rate + motion->m->at.v;
    for (int i = 0; i < o->adapter.nx; i++)
      c->z[i] = o->now.z[i] + s * rate[i];
    for (int i = 0; i < motion->m->nq; i++)
      q[i] += s * s / 2 * acceleration[i];
    margin[k] = dae__motion_margin(motion, o->driver->t + s, q, v);
    least = margin[k] < margin[least] ? k : least;
    change = k > 0 ? fmax(change, fabs(margin[k] - margin[k - 1])) : 0;
  }
  double shift = 0;
  if (least > 0 && least < MARGIN_SAMPLES) {
    double before = margin[least - 1] - margin[least], after = margin[least + 1] - margin[least];
    shift = before + after > 0 ? (before - after) / (2 * (before + after)) : 0;
  }
  *at = h * (least + shift) / MARGIN_SAMPLES;
  return margin[least] <= change;
}

/* Stepper over a singular position: radau with the Jacobians of all stages, whose Newton iteration
 * converges where constraints change sign relative to each other within the step; where there is
 * none, explicit steps, which do not iterate, after gauss, and radau after explicit steps. */
static dae_status switching_crossing_stepper(dae__onestep *o, int *stepper, dae_error *err)
{
  const selection *c = o->selection;
  DAE__TRY(dae__switching_create_rest(o, err));
  *stepper = o->memory->current == GAUSS ? EXPLICIT : c->first_radau;
  for (int i = o->steppers - 1; i > c->first_radau; i--)
    if (o->stepper[i].order == o->stepper[c->first_radau].order)
      *stepper = i;
  return DAE_OK;
}

dae_status dae__switching_select_after_failure(dae__onestep *o, double h, dae_error *err)
{
  static const double place[PLACEMENTS] = {0.5, 0.35, 0.7, 0.25, 0.85};
  const selection *c = o->selection;
  memory *m = c->memory;
  double t = o->driver->t, at;
  int to;
  m->score += FAILURE_SCORE;
  if (m->crossing > 0 && m->failed_t == t && m->placement < PLACEMENTS && m->singular > 0) {
    o->driver->h = fmin(m->failed_h, m->singular / place[m->placement++]);
    return DAE_OK;
  }
  if (o->memory->current >= RADAU) {
    if (m->crossing == 0 && !switching_on_trial(o))
      c->rest.select_radau_after_failure(o, RADAU, h);
    return DAE_OK;
  }
  m->failed_h = m->failed_t == t ? m->failed_h : h;
  m->failed_t = t;
  if (m->score < SINGULAR_SCORE || !switching_singular_ahead(o, m->failed_h, &at))
    return DAE_OK;
  DAE__TRY(switching_crossing_stepper(o, &to, err));
  dae__log(o->env, DAE_LOG_INFO, "t = %.10g: constraints may become dependent: switching to %s", t,
           to >= RADAU ? "radau" : "explicit steps");
  m->former = m->crossing > 0 ? m->former : o->memory->current;
  m->crossing = CROSSING_STEPS;
  m->score = 0;
  m->singular = at;
  m->placement = 0;
  switching_change_stepper(o, to, m->failed_h);
  return DAE_OK;
}

/* Where convergence limits the steps of gauss, tries radau against the work of these steps, if many
 * of them are needed up to t_stop, else explicit steps. */
static dae_status switching_leave_gauss(dae__onestep *o, dae_error *err)
{
  memory *m = ((selection *)o->selection)->memory;
  double h = o->driver->t - o->driver->t_previous, rate = switching_work_rate(o);
  DAE__TRY(dae__switching_create_rest(o, err));
  if (m->wait > 0 || !(rate > 0) || m->t_stop - o->driver->t < MIN_LIMITED_STEPS * h) {
    switching_change_stepper(o, EXPLICIT, o->driver->h);
    return DAE_OK;
  }
  DAE__TRY(switching_switch_to_radau(o, err));
  m->explicit_rate = EXPLICIT_WORK_SHARE * rate;
  return DAE_OK;
}

dae_status dae__switching_select_stepper(dae__onestep *o, dae_error *err)
{
  memory *m = ((selection *)o->selection)->memory;
  m->steps++;
  m->score -= m->score > 0;
  if (m->crossing > 0) {
    double at;
    if (--m->crossing == 0 || !switching_singular_ahead(o, o->driver->h, &at)) {
      m->crossing = 0;
      m->failures = o->driver->stats.rejected_by_convergence;
      switching_change_stepper(o, m->former, o->driver->h);
    }
    return DAE_OK;
  }
  if (o->driver->t_previous < m->t) /* restart at an earlier time */
    switching_begin_span(o);
  if (o->memory->current == GAUSS) { /* explicit steps if convergence limits the step size */
    long failures = o->driver->stats.rejected_by_convergence;
    /* the first steps, without a predictor, take more sweeps */
    bool slow =
             m->steps > GAUSS_UNPREDICTED_STEPS && *o->stepper[GAUSS].stiffness > GAUSS_SLOW_SWEEPS,
         failed = slow || failures > m->failures,
         again = failed && m->since_failure < GAUSS_FAILURE_STEPS;
    m->since_failure = failed ? 0 : m->since_failure + 1;
    m->failures = failures;
    if (failed && !again)
      switching_begin_span(o);
    return again ? switching_leave_gauss(o, err) : DAE_OK;
  }
  if (o->memory->current == EXPLICIT)
    return switching_monitor_explicit(o, err);
  switching_monitor_radau(o);
  return DAE_OK;
}

/* ---- start ---- */

/* Whether the solution changes along modes that decay with a rate of the size of rho; c->k0 holds
 * the slopes at `now`. */
static bool switching_transient_decays(dae__onestep *o)
{
  selection *c = o->selection;
  double sum = 0, square = 0, floor = o->control.atol / o->control.rtol;
  if (!switching_apply_jacobian(o, c->k0, c->k1))
    return false;
  for (int i = 0; i < o->adapter.nx; i++) {
    double weight = fabs(o->now.z[i]) + floor * o->adapter.atol_scale[i];
    sum += c->k0[i] / weight * (c->k1[i] / weight);
    square += c->k0[i] / weight * (c->k0[i] / weight);
  }
  return sum <= -DECAY_RATIO * c->memory->rho * square;
}

dae_status dae__switching_start(dae__onestep *o, double t_stop, dae_error *err)
{
  const selection *c = o->selection;
  memory *m = c->memory;
  o->largest_first = 0;
  m->t_stop = t_stop;
  m->radau_rate = 0;
  if (o->memory->current >= RADAU)
    return DAE_OK;
  dae__copy(o->adapter.nx, o->now.dz, c->k0);
  double rate = dae__onestep_largest_rate(o, 1, o->control.atol / o->control.rtol, NULL, 0);
  for (int i = 0;
       i < START_ITERATIONS && (i == 0 || m->rho > FIRST_ITERATION_PART * STIFFNESS_RATIO * rate);
       i++)
    if (!switching_power_iteration(o))
      return DAE_OK;
  double limit = START_STABILITY_LIMIT / m->rho, left = t_stop - o->driver->t;
  bool stiff = m->rho > STIFFNESS_RATIO * rate && left >= MIN_LIMITED_STEPS * limit;
  if (!stiff && !(left >= MIN_TRANSIENT_STEPS * limit && switching_transient_decays(o))) {
    o->largest_first = o->memory->current == GAUSS ? GAUSS_FIRST_STEP / m->rho : 0;
    return DAE_OK;
  }
  DAE__TRY(dae__switching_create_rest(o, err));
  dae__log(o->env, DAE_LOG_INFO, "t = %.10g: stiffness detected: starting with radau",
           o->driver->t);
  o->memory->current = c->first_radau;
  m->steps = 0;
  m->explicit_rate = c->rest.evaluations * m->rho / c->rest.stability_limit;
  switching_begin_span(o);
  return DAE_OK;
}

/* ---- creation ---- */

/* Lets ends of steps next to singular positions be refused. The margin of the constraints is
 * measured in the norm of the inverse mass matrix, which must be regular. */
static dae_status switching_watch_margin(dae__onestep *o, dae__arena *arena, dae_error *err)
{
  dae__motion *motion = o->adapter.forms->motion;
  int column;
  if (!motion || motion->m->nc == 0)
    return DAE_OK;
  double *M = DAE__ALLOC(arena, double, dae__pattern_count(&motion->m->M));
  DAE__TRY(dae__arena_status(arena, err));
  dae_mechanical_at at = dae__mech_at(motion->m, o->driver->t, o->now.z);
  DAE__TRY(dae__mech_eval(motion->m, &at, &(dae_mechanical_wanted){.M = M}, err));
  dae_status status = dae__solver_check_regular(o->env, &motion->m->M, M, &column, err);
  motion->refuse_ends = status == DAE_OK;
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

dae_status dae__switching_create(dae__onestep *o, dae__arena *arena,
                                 const dae__switching_rest *rest, dae_error *err)
{
  selection *c = DAE__ALLOC(arena, selection, 1);
  DAE__TRY(dae__arena_status(arena, err));
  o->selection = c;
  c->arena = arena;
  c->rest = *rest;
  DAE__TRY(switching_watch_margin(o, arena, err));
  c->memory = DAE__STATE(arena, memory, 1);
  c->d = DAE__STATE(arena, double, o->adapter.size);
  DAE__VECTORS(arena, o->adapter.size, &c->z, &c->k0, &c->k1);
  DAE__TRY(dae__arena_status(arena, err));
  c->memory->since_failure = GAUSS_FAILURE_STEPS;
  DAE__LIMIT_COUNTER(arena, &c->memory->stiff, 2);
  DAE__LIMIT_COUNTER(arena, &c->memory->wait, 3);
  DAE__LIMIT_COUNTER(arena, &c->memory->confirmations, 1);
  DAE__LIMIT_COUNTER(arena, &c->memory->failures, 4);
  DAE__LIMIT_COUNTER(arena, &c->memory->score, 2);
  DAE__LIMIT_COUNTER(arena, &c->memory->vain_returns, 1);
  DAE__LIMIT(arena, &c->memory->former, 1, 0, EXPLICIT);
  DAE__LIMIT_COUNTER(arena, &c->memory->placement, 1);
  return DAE_OK;
}

dae_status dae__switching_select_first(dae__onestep *o, dae_error *err)
{
  const selection *c = o->selection;
  bool large = o->adapter.nx > LARGE_SYSTEM;
  DAE__ASSERT(o->steppers == EXPLICIT);
  if (!large && o->control.rtol <= GAUSS_MAX_RTOL)
    return DAE_OK; /* gauss */
  DAE__TRY(dae__switching_create_rest(o, err));
  o->memory->current = large ? c->first_radau : EXPLICIT;
  return DAE_OK;
}
