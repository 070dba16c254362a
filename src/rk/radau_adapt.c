/* The number of stages, from the one that suits the tolerance downwards.
 *
 * Where the iteration limits the steps, errors are far below the tolerance and fewer stages make
 * the same steps for less: after SLACK such steps the next smaller number is tried, for TRIAL
 * steps. It stays if its work per time is less than what was needed before; else the larger number
 * goes on, and the next trial has to wait twice as long. Where errors limit the steps of a smaller
 * number, the larger one comes back at once. */
#include "rk/integrator.h"
#include "rk/radau.h"

#define SMALL 1e-3 /* an error that would allow steps three times as large, */
#define LARGE 0.1  /* and one that steers them */
#define SLACK 8
#define TRIAL 10
#define WAIT 40 /* steps after a trial that failed the first time */

/* work so far in evaluations, see dae__radau_work */
#define REAL_BLOCK 1 /* a factorisation; a complex one takes four times as long */
#define PAIR_BLOCK 4
#define MATRICES 4 /* derivatives of all parts */

double dae__radau_work(const dae__radau *o)
{
  return o->memory->work;
}

void dae__radau_charge(dae__radau *o, const dae__radau_rule *rule, bool matrices, bool blocks)
{
  o->memory->work +=
      (matrices ? MATRICES : 0) + (blocks ? REAL_BLOCK + PAIR_BLOCK * rule->pairs : 0);
}

static void begin_span(dae__rk *o, dae__radau *radau)
{
  dae__radau_adapt *a = &radau->memory->adapt;
  a->t = o->march.memory->t;
  a->work = dae__radau_work(radau);
}

static double rate_of_span(const dae__rk *o, const dae__radau *radau)
{
  const dae__radau_adapt *a = &radau->memory->adapt;
  double time = o->march.memory->t - a->t;
  return time > 0 ? (dae__radau_work(radau) - a->work) / time : 0;
}

static void go_over(dae__rk *o, dae__radau *radau, int by, bool trial)
{
  dae__radau_adapt *a = &radau->memory->adapt;
  dae__rk_shift(o, o->memory->current + by);
  a->slack = a->large = 0;
  a->steps = 0;
  a->trial = trial;
  begin_span(o, radau);
}

/* the end of a trial: less work than before, or back */
static void judge(dae__rk *o, dae__radau *radau)
{
  dae__radau_adapt *a = &radau->memory->adapt;
  double rate = rate_of_span(o, radau);
  a->trial = false;
  if (rate <= a->rate)
    return;
  a->patience = a->patience > 0 ? 2 * a->patience : WAIT;
  a->wait = a->patience;
  go_over(o, radau, 1, false);
}

void dae__radau_adapt_stages(dae__rk *o, int first, int last)
{
  const dae__radau_stepper *self = o->stepper[o->memory->current].self;
  dae__radau *radau = self->radau;
  dae__radau_adapt *a = &radau->memory->adapt;
  double error = radau->memory->error;
  int current = o->memory->current;
  if (o->march.memory->t_previous < a->t) /* it has begun anew, at an earlier time */
    begin_span(o, radau);
  a->steps++;
  a->wait -= a->wait > 0;
  a->slack = error < SMALL ? a->slack + 1 : 0;
  a->large = error > LARGE ? a->large + 1 : 0;
  if (a->trial && a->steps >= TRIAL) {
    judge(o, radau);
  } else if (current < last && a->large >= SLACK) {
    go_over(o, radau, 1, false);
  } else if (current > first && a->slack >= SLACK && a->wait == 0 && !a->trial) {
    a->rate = rate_of_span(o, radau);
    go_over(o, radau, -1, true);
  } else if (!a->trial && a->slack == 0) {
    begin_span(o, radau);
  }
}
