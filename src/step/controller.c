#include "step/controller.h"
#include "core/mutant.h"
#include "core/vec.h"

#include <math.h>

/* Smallest value of the previous error in the formulas of the PI and of the predictive controller:
 * one step of accidentally small error must not limit the next one [HNW93 II.4], [HW96 IV.8]. */
#define MIN_PREVIOUS_ERROR 1e-4
#define LOG_MIN_PREVIOUS_ERROR (-9.2103403719761827) /* logarithm of MIN_PREVIOUS_ERROR */
#define MIN_PREVIOUS_ERROR_PREDICTIVE 1e-2
#define LOG_MIN_PREVIOUS_ERROR_PREDICTIVE (-4.6051701859880914)
/* Smallest error in the formula of the controller; growth of the step size is limited by max_factor
 * anyway. Chosen. */
#define MIN_ERROR 1e-10

dae__controller_options dae__controller_defaults(int order)
{
  return (dae__controller_options){
      .order = order,
      .safety = 0.9, /* value of RADAU5 [HW96 IV.8] */
      .beta = 0.4,   /* alpha = 0.7/k, b = 0.4/k [HW96 IV.2] */
      .min_factor = DAE__CONTROLLER_MIN_FACTOR,
      .max_factor = 5, /* chosen; DOPRI5 has 10 */
  };
}

void dae__controller_reset(dae__controller *c, const dae__controller_options *opts)
{
  *c = (dae__controller){.opts = *opts, .pull = pow(opts->safety, 1 - 1.75 * opts->beta)};
}

/* Ratio h_next / h before the limits that follow a rejection. */
static double controller_factor(const dae__controller *c, double h, double err, double log_e)
{
  const dae__controller_options *o = &c->opts;
  double k = o->order, factor;
  /* predictive controller: safety err^(-1/k), limited by the predicted change of the error, or
   * exceeded by it up to the lookahead */
  if (o->predictive) {
    factor = o->safety * exp(-log_e / k);
    if (c->previous > 0 && err <= 1)
      factor = fmin(factor * fmax(o->lookahead, 1),
                    o->safety * h / c->h * exp((c->log_previous - 2 * log_e) / k));
  } else if (c->previous > 0 && o->beta > 0 && err <= 1 && !c->rejected) {
    factor = c->pull * exp((o->beta * c->log_previous - (1 - 0.75 * o->beta) * log_e) / k);
  } else {
    factor = o->safety * exp(DAE__MUTATE(controller_order, -log_e / k, log_e / k));
  }
  factor = dae__larger(factor, o->min_factor);
  return factor < o->max_factor ? factor : o->max_factor;
}

bool dae__controller_propose(dae__controller *c, double h, double err, double *h_next)
{
  const dae__controller_options *o = &c->opts;
  bool accepted = DAE__MUTATE(controller_accepts, err <= 1,
                              err <= 10); /* acceptance; false if the error is NaN */
  double log_e = log(dae__larger(err, MIN_ERROR));
  double factor = isfinite(err) ? controller_factor(c, h, err, log_e) : o->min_factor;
  if (DAE__MUTATE(controller_grows, c->rejected || !accepted, false) ||
      (factor > 1 && factor < o->kept_up_to))
    factor = fmin(factor, 1);
  *h_next = h * factor;
  if (o->max_step > 0)
    *h_next = fmin(*h_next, o->max_step);
  if (accepted) {
    c->previous =
        dae__larger(err, o->predictive ? MIN_PREVIOUS_ERROR_PREDICTIVE : MIN_PREVIOUS_ERROR);
    c->log_previous = dae__larger(log_e, o->predictive ? LOG_MIN_PREVIOUS_ERROR_PREDICTIVE
                                                       : LOG_MIN_PREVIOUS_ERROR);
    c->h = h;
  }
  c->rejected = !accepted;
  return accepted;
}

double dae__controller_failed(dae__controller *c, double h, double factor)
{
  c->rejected = true;
  return h * factor;
}
