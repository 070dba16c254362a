/* Selection of the number of stages, from 3 to the number selected by the tolerance, and of the
 * iteration matrix: blocks, or one matrix of all stages.
 *
 * If convergence of the iteration limits the steps, errors are far below the tolerance. Then the
 * matrix of all stages, which allows larger steps, or fewer stages, which make the same steps for
 * less work, may be cheaper: after DAE__RADAU_SELECT_STEPS such steps one of the two is tried, in
 * turn. A trial succeeds if its work per time is at most that before; otherwise the former stepper
 * returns, and the wait before the next trial doubles. If errors limit the steps, the number of
 * stages rises without a trial. The blocks are tried again from time to time.
 *
 * After two attempts by blocks within a few steps that did not converge the matrix of all stages is
 * tried at once, with the size of the second one: against the estimated work of slow iterations by
 * blocks with the largest step size that the driver allows after the failure. */
#include "onestep/host/integrator.h"
#include "onestep/radau/radau.h"

static const dae__radau_stepper *radau_select_stepper_at(const dae__onestep *o, int i)
{
  return o->stepper[i].self;
}

static void radau_select_begin_span(dae__onestep *o, dae__radau *radau)
{
  radau->memory->selection.t = o->driver->t;
  radau->memory->selection.work = radau->memory->work;
}

/* Work per time since the start of the measured span. */
static double radau_select_work_rate(const dae__onestep *o, const dae__radau *radau)
{
  const dae__radau_selection *c = &radau->memory->selection;
  double time = o->driver->t - c->t;
  return time > 0 ? (radau->memory->work - c->work) / time : 0;
}

/* Index of the stepper with two stages more (more = 1), as many (0) or two less (-1), with or
 * without the matrix of all stages; -1: none. */
static int radau_select_find(const dae__onestep *o, int first, int more, bool full)
{
  int rule = radau_select_stepper_at(o, o->memory->current)->rule + more;
  for (int i = first; i < o->steppers; i++)
    if (radau_select_stepper_at(o, i)->rule == rule && radau_select_stepper_at(o, i)->full == full)
      return i;
  return -1;
}

static void radau_select_switch_to(dae__onestep *o, dae__radau *radau, int to)
{
  dae__radau_selection *c = &radau->memory->selection;
  dae__onestep_change_variant(o, to);
  o->driver->bounded = 0;
  radau->memory->linearised = false;
  c->small_errors = c->large_errors = 0;
  c->steps = 0;
  c->trial = false;
  radau_select_begin_span(o, radau);
}

static void radau_select_end_trial(dae__onestep *o, dae__radau *radau)
{
  dae__radau_selection *c = &radau->memory->selection;
  if (radau_select_work_rate(o, radau) <= c->work_rate_before) {
    c->trial = false;
    c->failed_trials = 0;
    c->wait_length = 0;
    return;
  }
  c->failed_trials++;
  c->wait_length = c->wait_length > 0 ? 2 * c->wait_length : DAE__RADAU_TRIAL_WAIT;
  c->wait = c->wait_length;
  radau_select_switch_to(o, radau, c->before < o->steppers ? c->before : o->memory->current);
}

void dae__radau_select_after_failure(dae__onestep *o, int first, double h)
{
  const dae__radau_stepper *stepper = radau_select_stepper_at(o, o->memory->current);
  dae__radau *radau = stepper->radau;
  dae__radau_selection *c = &radau->memory->selection;
  int all = stepper->full ? -1 : radau_select_find(o, first, 0, true);
  bool again = radau->diverged && c->since_failure < DAE__RADAU_SELECT_STEPS;
  c->since_failure = radau->diverged ? 0 : c->since_failure;
  if (!again || all < 0 || c->trial || c->wait > 0)
    return;
  const int s = dae__radau_stages_of(stepper->rule), pairs = s / 2;
  const int iterations = DAE__RADAU_SLOW_ITERATIONS;
  double work =
      DAE__RADAU_JACOBIAN_WORK + iterations * s +
      radau->block_work * (DAE__RADAU_REAL_BLOCK_WORK + DAE__RADAU_COMPLEX_BLOCK_WORK * pairs);
  c->work_rate_before = work / o->driver->bound;
  c->before = o->memory->current;
  radau_select_switch_to(o, radau, all);
  c->trial = true;
  o->driver->h = h;
}

void dae__radau_select(dae__onestep *o, int first)
{
  dae__radau *radau = radau_select_stepper_at(o, o->memory->current)->radau;
  dae__radau_selection *c = &radau->memory->selection;
  bool full = radau_select_stepper_at(o, o->memory->current)->full;
  double error = radau->memory->error;
  int more = radau_select_find(o, first, 1, full), candidate = -1;
  if (o->driver->t_previous < c->t) /* restart at an earlier time */
    radau_select_begin_span(o, radau);
  c->steps++;
  c->since_failure++;
  c->wait -= c->wait > 0;
  c->small_errors = error < DAE__RADAU_SMALL_ERROR ? c->small_errors + 1 : 0;
  c->large_errors = error > DAE__RADAU_LARGE_ERROR ? c->large_errors + 1 : 0;
  if (c->trial) {
    if (c->steps >= DAE__RADAU_TRIAL_STEPS)
      radau_select_end_trial(o, radau);
    return;
  }
  if (more >= 0 && c->large_errors >= DAE__RADAU_SELECT_STEPS) {
    radau_select_switch_to(o, radau, more);
    return;
  }
  if (c->small_errors >= DAE__RADAU_SELECT_STEPS && c->wait == 0) {
    int all = full ? -1 : radau_select_find(o, first, 0, true);
    int fewer = radau_select_find(o, first, -1, full);
    candidate = all >= 0 && (fewer < 0 || c->failed_trials % 2 == 0) ? all : fewer;
  } else if (full && c->steps >= DAE__RADAU_BLOCKS_AGAIN && c->wait == 0) {
    candidate = radau_select_find(o, first, 0, false);
  }
  if (candidate >= 0) {
    c->work_rate_before = radau_select_work_rate(o, radau);
    c->before = o->memory->current;
    radau_select_switch_to(o, radau, candidate);
    c->trial = true;
  } else if (c->small_errors == 0 && c->steps % DAE__RADAU_TRIAL_STEPS == 0) {
    radau_select_begin_span(o, radau);
  }
}
