#include "step/controller.h"

#include <math.h>

#define LUCKY 1e-4 /* errors below it are taken as this one, and its logarithm */
#define LOG_LUCKY (-9.2103403719761827)

dae__controller_options dae__controller_defaults(int order)
{
  return (dae__controller_options){
      .order = order,
      .safety = 0.9,     /* [HW96 IV.8], as in RADAU5 */
      .beta = 0.4,       /* [HW96 IV.2]: alpha = 0.7/k, beta = 0.4/k */
      .min_factor = 0.2, /* [HNW93 II.4], as in DOPRI5 up to its 10 */
      .max_factor = 5,
  };
}

void dae__controller_reset(dae__controller *c, const dae__controller_options *opts)
{
  *c = (dae__controller){.opts = *opts, .pull = pow(opts->safety, 1 - 1.75 * opts->beta)};
}

static double controller_clamp(double x, double low, double high)
{
  return fmin(fmax(x, low), high);
}

/* h_next/h = safety err^(-1/k), and not more than what the change of the error foretells */
static double controller_predicted_factor(const dae__controller *c, double h, double err)
{
  const dae__controller_options *o = &c->opts;
  double e = fmax(err, 1e-10), factor = o->safety * pow(e, -1.0 / o->order);
  if (c->previous > 0 && err <= 1)
    factor = fmin(factor, o->safety * h / c->h * pow(c->previous / (e * e), 1.0 / o->order));
  return controller_clamp(factor, o->min_factor, o->max_factor);
}

/* factor from h to the next size, before the rules about rejections */
static double controller_wanted_factor(const dae__controller *c, double h, double err, double log_e)
{
  if (c->opts.predictive)
    return controller_predicted_factor(c, h, err);
  const dae__controller_options *o = &c->opts;
  bool memory = c->previous > 0 && o->beta > 0 && err <= 1 && !c->rejected;
  double k = o->order;
  double factor =
      memory ? c->pull * exp((o->beta * c->log_previous - (1 - 0.75 * o->beta) * log_e) / k)
             : o->safety * exp(-log_e / k);
  return controller_clamp(factor, o->min_factor, o->max_factor);
}

bool dae__controller_propose(dae__controller *c, double h, double err, double *h_next)
{
  bool accepted = err <= 1; /* false for NaN */
  /* errors far below the tolerance say nothing more than "grow" */
  double log_e = c->opts.predictive ? 0 : log(fmax(err, 1e-10));
  double factor = isfinite(err) ? controller_wanted_factor(c, h, err, log_e) : c->opts.min_factor;
  if (c->rejected || !accepted || (factor > 1 && factor < c->opts.kept_up_to))
    factor = fmin(factor, 1);
  *h_next = h * factor;
  if (c->opts.max_step > 0)
    *h_next = fmin(*h_next, c->opts.max_step);
  if (accepted) {
    /* [HNW93 II.4], [HW96 IV.8]: one lucky step must not hold the next back */
    c->previous = fmax(err, c->opts.predictive ? 1e-2 : LUCKY);
    c->log_previous = fmax(log_e, LOG_LUCKY);
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
