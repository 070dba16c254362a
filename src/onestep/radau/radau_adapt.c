/* How radau goes on: with how many stages, from 3 to what suits the tolerance, and whether they are
 * solved by blocks or in one matrix.
 *
 * Where the iteration limits the steps, errors are far below the tolerance. Then the one matrix,
 * which allows larger steps, or fewer stages, which make the same steps for less, may be cheaper:
 * after SLACK such steps one or the other is tried, in turn, for TRIAL steps. It stays if its work
 * per time is less than what was needed before; else things go on as they were, and the next trial
 * has to wait, twice as long each time. Where errors limit the steps, more stages come back at
 * once; and now and then the blocks are tried again. */
#include "onestep/host/integrator.h"
#include "onestep/radau/radau.h"

#define SMALL 1e-3 /* an error that would allow steps three times as large, */
#define LARGE 0.1  /* and one that steers them */
#define SLACK 8
#define TRIAL 10
#define WAIT 40   /* steps after a trial that failed the first time */
#define AGAIN 200 /* steps with the one matrix before the blocks are tried again */

/* work in evaluations, roughly, for 5 to 15 unknowns */
#define MATRICES 4 /* derivatives of all parts at a point */
#define REAL_BLOCK 1
#define PAIR_BLOCK 4 /* complex */

void dae__radau_charge(dae__radau *o, const dae__radau_rule *rule, dae__radau_work_kind kind)
{
  double s = rule->s;
  o->memory->work += kind == DAE__RADAU_MATRICES ? MATRICES
                     : kind == DAE__RADAU_BLOCKS ? REAL_BLOCK + PAIR_BLOCK * rule->pairs
                                                 : s * MATRICES + s * s * s / 4;
}

static const dae__radau_stepper *radau_way(const dae__rk *o, int i)
{
  return o->stepper[i].self;
}

static void radau_begin_span(dae__rk *o, dae__radau *radau)
{
  dae__radau_choice *c = &radau->memory->choice;
  c->t = o->driver.memory->t;
  c->work = radau->memory->work;
}

static double radau_rate_of_span(const dae__rk *o, const dae__radau *radau)
{
  const dae__radau_choice *c = &radau->memory->choice;
  double time = o->driver.memory->t - c->t;
  return time > 0 ? (radau->memory->work - c->work) / time : 0;
}

/* the stepper with so many more stages, with or without the one matrix; -1: there is none */
static int radau_find(const dae__rk *o, int first, int more, bool full)
{
  int rule = radau_way(o, o->memory->current)->rule + more;
  for (int i = first; i < o->steppers; i++)
    if (radau_way(o, i)->rule == rule && radau_way(o, i)->full == full)
      return i;
  return -1;
}

static void radau_go_over(dae__rk *o, dae__radau *radau, int to)
{
  dae__radau_choice *c = &radau->memory->choice;
  dae__rk_shift(o, to);
  o->driver.memory->bounded = 0;
  radau->memory->linearised = false;
  c->slack = c->large = 0;
  c->steps = 0;
  c->trial = false;
  radau_begin_span(o, radau);
}

static void radau_begin_trial(dae__rk *o, dae__radau *radau, int to)
{
  dae__radau_choice *c = &radau->memory->choice;
  c->rate = radau_rate_of_span(o, radau);
  c->from = o->memory->current;
  radau_go_over(o, radau, to);
  c->trial = true;
}

/* the end of a trial: less work than before, or back */
static void radau_judge(dae__rk *o, dae__radau *radau)
{
  dae__radau_choice *c = &radau->memory->choice;
  if (radau_rate_of_span(o, radau) <= c->rate) {
    c->trial = false;
    c->failed = 0;
    c->patience = 0;
    return;
  }
  c->failed++;
  c->patience = c->patience > 0 ? 2 * c->patience : WAIT;
  c->wait = c->patience;
  radau_go_over(o, radau, c->from);
}

/* what to try where errors are small: the one matrix and fewer stages in turn */
static int radau_candidate(const dae__rk *o, int first, const dae__radau_choice *c)
{
  bool full = radau_way(o, o->memory->current)->full;
  int one = full ? -1 : radau_find(o, first, 0, true), fewer = radau_find(o, first, -1, full);
  return one >= 0 && (fewer < 0 || c->failed % 2 == 0) ? one : fewer;
}

static void radau_watch(dae__rk *o, dae__radau *radau, int first)
{
  dae__radau_choice *c = &radau->memory->choice;
  bool full = radau_way(o, o->memory->current)->full;
  int more = radau_find(o, first, 1, full), other = -1;
  if (c->trial) {
    if (c->steps >= TRIAL)
      radau_judge(o, radau);
    return;
  }
  if (more >= 0 && c->large >= SLACK) {
    radau_go_over(o, radau, more);
    return;
  }
  if (c->slack >= SLACK && c->wait == 0)
    other = radau_candidate(o, first, c);
  else if (full && c->steps >= AGAIN && c->wait == 0)
    other = radau_find(o, first, 0, false);
  if (other >= 0)
    radau_begin_trial(o, radau, other);
  else if (c->slack == 0 && c->steps % TRIAL == 0)
    radau_begin_span(o, radau);
}

void dae__radau_adapt(dae__rk *o, int first)
{
  dae__radau *radau = radau_way(o, o->memory->current)->radau;
  dae__radau_choice *c = &radau->memory->choice;
  double error = radau->memory->error;
  if (o->driver.memory->t_previous < c->t) /* it has begun anew, at an earlier time */
    radau_begin_span(o, radau);
  c->steps++;
  c->wait -= c->wait > 0;
  c->slack = error < SMALL ? c->slack + 1 : 0;
  c->large = error > LARGE ? c->large + 1 : 0;
  radau_watch(o, radau, first);
}
