/* Switching between methods for non-stiff problems, gauss and the explicit pairs, and radau.
 *
 * gauss is the default: it takes the least time for the digits it reaches. Where convergence rather
 * than accuracy limits its steps, so that the iteration soon fails again, explicit steps take over;
 * gauss returns after a series of explicit steps far below their stability limit.
 *
 * To radau: the explicit pair measures its step size over the stability limit by two slopes at the
 * same time [HNW93, HW96 IV.2]. Steps near the limit count as stiff; after STIFF_STEPS of them
 * without NONSTIFF_STEPS others in a row radau takes over. That is a trial: its work per time is
 * compared with that of the stiff steps, and if it is larger explicit steps return, and the next
 * trial waits twice as long as the last one did.
 *
 * Back to explicit steps: radau's steps tell nothing about stability, so the spectral radius rho of
 * the Jacobian J of the slopes is followed by power iteration, two evaluations at a time,
 *
 *   d1 = J d,  d2 = J d1,   rho = sqrt(|d2| / |d|),
 *
 * which gives the modulus of complex pairs of eigenvalues, too. Explicit steps of
 * min(limit / rho, a part of radau's step) must be cheaper by a margin, several times in a row.
 *
 * At the start no step has been made. The same power iteration gives rho; where it is far
 * above the rate of change of the solution, and explicit steps would be many, radau starts, on
 * trial against the work that these would take.
 *
 * Work is counted in evaluations, with factorisations in the same unit: the selection depends
 * neither on clocks nor on dense output. */
#include "onestep/switching/switching.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include <float.h>

/* ---- constants ---- */

#define STIFF_STEPS 15   /* steps near the limit before a trial; [HW96 IV.2], as in DOPRI5 */
#define NONSTIFF_STEPS 6 /* other steps in a row that clear the count; [HW96 IV.2] */
/* Step size over the stability limit above which a step counts as stiff: step sizes of stiff
 * problems fluctuate there. Chosen, not measured: tests/laws/test_switching.c. */
#define NEAR_LIMIT 0.6
#define TRIAL_STEPS                                                                                \
  12 /* of radau before its work is compared, the first half not counted; chosen */
#define FIRST_TRIAL_WAIT (4 * STIFF_STEPS) /* steps after the first failed trial; chosen */

/* Return from radau to explicit steps; chosen, not measured: tests/laws/test_switching.c. */
#define RATE_CHECK_INTERVAL 5   /* steps of radau between two power iterations */
#define CONFIRMATIONS 3         /* checks in a row in favour of explicit steps */
#define COST_MARGIN 1.5         /* ratio of radau's work to that of explicit steps */
#define EXPLICIT_STEP_RATIO 0.6 /* explicit step of the same accuracy over radau's step */

/* Start with radau: slider cranks with springs of 1e8 N/m and chains from 40 links on do (up to 20
 * times faster), the car axis does not. */
#define STIFFNESS_RATIO 30      /* rho over the rate of change of the solution, at least */
#define MIN_LIMITED_STEPS 30    /* explicit steps at the stability limit up to t_stop, at least */
#define START_STABILITY_LIMIT 6 /* of the pair of order 8 */
#define START_ITERATIONS 2      /* power iterations */
/* Least part of rho in the first power iteration: its direction contains a thousandth of each
 * component. */
#define FIRST_ITERATION_PART 0.03
/* Size of x above which radau starts: large systems hardly ever lack fast modes; explicit steps of
 * a hanging chain of N links are limited to 0.7/N. Measured: radau is ten times faster there from
 * 100 links on, and where it is not the return is soon. */
#define LARGE_SYSTEM 300

/* gauss: no smooth mechanism fails twice in 12 steps, hanging chains from 10 links on do; its first
 * step times rho may be 1 to 4 (tests/laws/test_switching.c). */
#define GAUSS_MAX_RTOL 1e-2  /* tolerance above which gauss is not used */
#define GAUSS_FIRST_STEP 2.0 /* first step times rho, within which its iteration converges */
/* Steps within which a second failure of the iteration makes explicit steps take over; the first 8
 * have a bounded size after the first failure (create.c). */
#define GAUSS_FAILURE_STEPS 12
/* Step size over the stability limit, and explicit steps in a row below it, after which gauss
 * returns; three times as many each time. */
#define FAR_BELOW_LIMIT 0.15
#define GAUSS_RETURN_STEPS 30

/* ---- memory ---- */

/* Index of a stepper; RADAU and larger ones: radau with 3, 5, 7 stages. */
enum { GAUSS, EXPLICIT, RADAU };

typedef struct memory {
  int stiff, nonstiff;     /* counts of explicit steps */
  long wait;               /* steps before the next trial */
  long next_wait;          /* steps after the next trial if it fails */
  long steps;              /* of the current stepper since it took over */
  double t, work;          /* start of the span over which work is measured */
  double explicit_rate;    /* work per time of the stiff explicit steps; 0: not known */
  int confirmations;       /* checks in favour of explicit steps */
  double rho;              /* spectral radius of J */
  long failures;           /* of the iteration of gauss so far */
  long since_failure;      /* steps of gauss */
  long steps_below;        /* explicit steps in a row far below the stability limit */
  long extra_return_steps; /* of them before gauss returns, beyond GAUSS_RETURN_STEPS */
} memory;

typedef struct selection {
  memory *memory; /* saved */
  double *d;      /* saved: direction of the power iteration */
  double *z, *k0, *k1;
  double evaluations;     /* of an explicit attempt */
  double stability_limit; /* of explicit steps */
  int first_radau;        /* stepper of radau that suits the tolerance */
} selection;

/* ---- work ---- */

/* work of the current stepper so far, which is not gauss; only differences count */
static double switching_work(const dae__rk *o)
{
  const selection *c = o->selection;
  const dae_stats *m = &o->driver.memory->stats;
  const dae__stepper *s = &o->stepper[o->memory->current];
  if (s->table->work)
    return s->table->work(s->self);
  return c->evaluations * (double)(m->steps + m->rejected_by_error + m->rejected_by_convergence);
}

static void switching_begin_span(dae__rk *o)
{
  memory *m = ((selection *)o->selection)->memory;
  m->t = o->driver.memory->t;
  m->work = switching_work(o);
}

static double switching_work_rate(const dae__rk *o)
{
  const memory *m = ((const selection *)o->selection)->memory;
  double time = o->driver.memory->t - m->t;
  return time > 0 ? (switching_work(o) - m->work) / time : 0;
}

/* ---- change of method ---- */

/* between gauss and explicit steps: not counted as a switch */
static void switching_change_stepper(dae__rk *o, int to, double h)
{
  memory *m = ((selection *)o->selection)->memory;
  dae__rk_switch_stepper(o, to);
  o->driver.memory->h = h;
  o->driver.memory->bounded = 0;
  m->steps = m->stiff = m->nonstiff = m->confirmations = 0;
  m->steps_below = 0;
  switching_begin_span(o);
}

/* to and from radau */
static void switching_switch_method(dae__rk *o, int to, double h)
{
  dae__log(o->driver.env, DAE_LOG_INFO, "t = %.10g: %s", o->driver.memory->t,
           to >= RADAU ? "stiffness detected: switching to radau"
                       : "no stiffness detected: switching to explicit steps");
  o->memory->switches++;
  switching_change_stepper(o, to, h);
}

/* ---- spectral radius ---- */

static double switching_norm(const dae__rk *o, const double *d)
{
  double sum = 0, floor = o->opts.atol / o->opts.rtol;
  for (int i = 0; i < o->adapter.nx; i++) {
    double x = d[i] / (fabs(o->now.z[i]) + floor);
    sum += x * x;
  }
  return sqrt(sum);
}

/* out = J d by a difference of slopes; false where it fails */
static bool switching_apply_jacobian(dae__rk *o, const double *d, double *out)
{
  selection *c = o->selection;
  const dae__rk_adapter *adapter = &o->adapter;
  double t = o->driver.memory->t, size = switching_norm(o, d), scale = sqrt(DBL_EPSILON) / size;
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

/* memory->rho by one power iteration; c->k0 are the slopes at `now` */
static bool switching_power_iteration(dae__rk *o)
{
  selection *c = o->selection;
  const dae__rk_adapter *adapter = &o->adapter;
  double before = switching_norm(o, c->d);
  if (!(before > 0)) { /* first direction: the slopes, and some of every component */
    dae__copy(adapter->nx, o->now.dz, c->d);
    for (int i = 0; i < adapter->nx; i++)
      c->d[i] += (1e-3 * (1 + i % 7)) * (fabs(o->now.z[i]) + o->opts.atol / o->opts.rtol);
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

/* Whether explicit steps, of size *h, would be cheaper than radau's by the margin. */
static bool switching_explicit_is_cheaper(dae__rk *o, double *h)
{
  selection *c = o->selection;
  const dae__rk_adapter *adapter = &o->adapter;
  double t = o->driver.memory->t, step = t - o->driver.memory->t_previous;
  double rate = switching_work_rate(o);
  dae__copy(adapter->size, o->now.z, c->z);
  if (adapter->table->slopes(adapter->self, false, t, c->z, c->k0, NULL) ||
      !switching_power_iteration(o))
    return false;
  *h = fmin(EXPLICIT_STEP_RATIO * step, NEAR_LIMIT * c->stability_limit / c->memory->rho);
  return COST_MARGIN * c->evaluations / *h < rate;
}

/* ---- monitoring, after every step ---- */

/* gauss: to explicit steps where convergence limits the step size */
static void switching_monitor_gauss(dae__rk *o)
{
  memory *m = ((selection *)o->selection)->memory;
  long failures = o->driver.memory->stats.rejected_by_convergence;
  bool failed = failures > m->failures,
       again = failed && m->failures > 0 && m->since_failure < GAUSS_FAILURE_STEPS;
  m->since_failure = failed ? 0 : m->since_failure + 1;
  m->failures = failures;
  if (again)
    switching_change_stepper(o, EXPLICIT, o->driver.memory->h);
}

/* explicit steps: to gauss far below the stability limit, to radau near it */
static void switching_monitor_explicit(dae__rk *o)
{
  selection *c = o->selection;
  memory *m = c->memory;
  const dae__stepper *s = &o->stepper[EXPLICIT];
  double stiffness = s->table->stiffness(s->self);
  m->steps_below = stiffness < FAR_BELOW_LIMIT ? m->steps_below + 1 : 0;
  if (o->opts.rtol <= GAUSS_MAX_RTOL &&
      m->steps_below >= GAUSS_RETURN_STEPS + m->extra_return_steps) {
    m->extra_return_steps = 2 * GAUSS_RETURN_STEPS + 3 * m->extra_return_steps;
    m->failures = o->driver.memory->stats.rejected_by_convergence;
    m->since_failure = GAUSS_FAILURE_STEPS;
    switching_change_stepper(o, GAUSS, o->driver.memory->h);
    return;
  }
  if (m->wait > 0)
    m->wait--;
  else if (stiffness > NEAR_LIMIT)
    m->stiff++, m->nonstiff = 0;
  else if (++m->nonstiff >= NONSTIFF_STEPS)
    m->stiff = 0;
  if (m->stiff == 0)
    switching_begin_span(o);
  if (m->stiff >= STIFF_STEPS) {
    m->explicit_rate = switching_work_rate(o);
    switching_switch_method(o, c->first_radau, o->driver.memory->h);
  }
}

/* radau: to explicit steps after a failed trial, or where these are cheaper */
static void switching_monitor_radau(dae__rk *o)
{
  memory *m = ((selection *)o->selection)->memory;
  double h = 0;
  if (m->steps == TRIAL_STEPS / 2)
    switching_begin_span(o);
  if (m->steps == TRIAL_STEPS && m->explicit_rate > 0 &&
      switching_work_rate(o) > m->explicit_rate) {
    m->next_wait = m->next_wait > 0 ? 2 * m->next_wait : FIRST_TRIAL_WAIT;
    m->wait = m->next_wait;
    switching_switch_method(o, EXPLICIT, o->driver.memory->h);
    return;
  }
  /* the number of stages stays during a trial, except for that of the start */
  if (m->steps > TRIAL_STEPS || o->memory->switches == 0)
    o->stepper[RADAU].table->select(o, RADAU);
  if (m->steps < TRIAL_STEPS || m->steps % RATE_CHECK_INTERVAL != 0)
    return;
  m->confirmations = switching_explicit_is_cheaper(o, &h) ? m->confirmations + 1 : 0;
  switching_begin_span(o);
  if (m->confirmations >= CONFIRMATIONS)
    switching_switch_method(o, EXPLICIT, h);
}

void dae__switching_select_stepper(dae__rk *o)
{
  memory *m = ((selection *)o->selection)->memory;
  m->steps++;
  if (o->driver.memory->t_previous < m->t) /* restarted at an earlier time */
    switching_begin_span(o);
  if (o->memory->current == GAUSS)
    switching_monitor_gauss(o);
  else if (o->memory->current == EXPLICIT)
    switching_monitor_explicit(o);
  else
    switching_monitor_radau(o);
}

/* ---- start ---- */

void dae__switching_start(dae__rk *o, double t_stop)
{
  const selection *c = o->selection;
  memory *m = c->memory;
  const dae__driver *driver = &o->driver;
  o->driver.largest_first = 0;
  if (o->memory->current >= RADAU)
    return;
  dae__copy(o->adapter.nx, o->now.dz, c->k0);
  double rate = driver->table->rate(driver->self, 1, o->opts.atol / o->opts.rtol, NULL, 0);
  for (int i = 0;
       i < START_ITERATIONS && (i == 0 || m->rho > FIRST_ITERATION_PART * STIFFNESS_RATIO * rate);
       i++)
    if (!switching_power_iteration(o))
      return;
  double limit = START_STABILITY_LIMIT / m->rho, left = t_stop - driver->memory->t;
  if (!(m->rho > STIFFNESS_RATIO * rate) || left < MIN_LIMITED_STEPS * limit) {
    o->driver.largest_first = o->memory->current == GAUSS ? GAUSS_FIRST_STEP / m->rho : 0;
    return;
  }
  dae__log(driver->env, DAE_LOG_INFO, "t = %.10g: stiffness detected: starting with radau",
           driver->memory->t);
  o->memory->current = c->first_radau;
  m->steps = 0;
  m->explicit_rate = c->evaluations * m->rho / c->stability_limit;
  switching_begin_span(o);
}

/* ---- creation ---- */

dae_status dae__switching_create(dae__rk *o, dae__arena *arena, dae_error *err)
{
  selection *c = DAE__ALLOC(arena, selection, 1);
  if (!c)
    return dae__out_of_memory(err);
  o->selection = c;
  c->memory = DAE__STATE(arena, memory, 1);
  c->d = DAE__STATE(arena, double, o->adapter.size);
  c->z = DAE__ALLOC(arena, double, o->adapter.size);
  c->k0 = DAE__ALLOC(arena, double, o->adapter.size);
  c->k1 = DAE__ALLOC(arena, double, o->adapter.size);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

void dae__switching_select_first(dae__rk *o, double evaluations, double stability_limit)
{
  selection *c = o->selection;
  DAE__ASSERT(o->steppers > RADAU && o->memory->current >= RADAU);
  DAE__ASSERT(o->stepper[EXPLICIT].table->stiffness && o->stepper[RADAU].table->select);
  c->evaluations = evaluations;
  c->stability_limit = stability_limit;
  c->first_radau = o->memory->current;
  o->memory->current = o->adapter.nx > LARGE_SYSTEM    ? c->first_radau
                       : o->opts.rtol > GAUSS_MAX_RTOL ? EXPLICIT
                                                       : GAUSS;
}
