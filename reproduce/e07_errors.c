/* One run of example 3.7 of [E07] over one window of length pi, against its exact solution
 *
 *   y1 = cos t,  z1 = (cos t + alpha sin t)/(1 - alpha^2),
 *   y2 = sin t,  z2 = (sin t + alpha cos t)/(1 - alpha^2). */
#include "e07.h"

#include <math.h>

#define UNKNOWNS 4
#define FED 2     /* index of the first fed-back variable: y2, z2 */
#define NODES 300 /* steps of Radau IIA with three stages, for an accuracy of 1e-9 */

void e07_exact(double alpha, double t, double *z)
{
  double d = 1 - alpha * alpha;
  z[0] = cos(t);
  z[1] = (cos(t) + alpha * sin(t)) / d;
  z[2] = sin(t);
  z[3] = (sin(t) + alpha * cos(t)) / d;
}

/* ---- errors ---- */

typedef struct errors {
  double largest, sum, y; /* errors over all nodes */
  double fed;             /* error of y2 and z2 */
  double value;           /* largest value of the exact solution */
} errors;

static errors errors_of(double alpha, const dae_waveform *w)
{
  errors e = {0};
  for (int k = 0; k < w->nodes; k++) {
    double z[UNKNOWNS], sum = 0;
    e07_exact(alpha, w->t[k], z);
    for (int i = 0; i < UNKNOWNS; i++) {
      double error = fabs(w->value[(size_t)k * UNKNOWNS + (size_t)i] - z[i]);
      e.largest = fmax(e.largest, error);
      e.value = fmax(e.value, fabs(z[i]));
      if (i % 2 == 0)
        e.y = fmax(e.y, error);
      if (i >= FED)
        e.fed = fmax(e.fed, error);
      sum += error;
    }
    e.sum = fmax(e.sum, sum);
  }
  return e;
}

/* ---- sweeps ---- */

typedef struct meter {
  const e07_case *run;
  rep_file *history;
  e07_result *result;
} meter;

static void record(const meter *m, int sweep, double change, double error)
{
  if (!m->run->curve)
    return;
  rep_file_text(m->history, m->run->curve);
  rep_file_number(m->history, m->run->alpha);
  rep_file_number(m->history, sweep);
  rep_file_number(m->history, change);
  rep_file_number(m->history, error);
  rep_file_record(m->history);
}

/* first increment below 1e-6 */
static void measure(e07_result *r, const dae_wave_sweep *sweep, double error)
{
  const dae_waveform *in = sweep->given, *out = sweep->computed;
  double increment = 0;
  if (sweep->sweep > 1 && r->increment < 1e-6)
    return;
  for (int i = 0; i < out->nodes * UNKNOWNS; i++)
    if (i % UNKNOWNS >= FED)
      increment = fmax(increment, fabs(out->value[i] - in->value[i]));
  r->before = r->increment;
  r->increment = increment;
  r->error = error;
}

/* a failed test needs at least one more sweep */
static void look(void *user, const dae_wave_sweep *sweep)
{
  meter *m = user;
  e07_result *r = m->result;
  errors e = errors_of(m->run->alpha, sweep->computed);
  errors before = errors_of(m->run->alpha, sweep->given);
  double change = 1e-6 * sweep->change;
  const bool passed[E07_TESTS] = {
      [E07_LARGEST] = e.largest < 1e-6,
      [E07_SUM] = e.sum < 1e-6,
      [E07_HALF] = e.largest < 5e-7,
      [E07_DOUBLE] = e.largest < 2e-6,
      [E07_Y] = e.y < 1e-6,
      [E07_RELATIVE] = e.largest < 1e-6 * e.value,
      [E07_INCREMENT] = change < 1e-6,
  };
  for (int i = 0; i < E07_UPDATED; i++)
    if (!passed[i])
      r->sweeps[i] = sweep->sweep + 1;
  if (!(before.largest < 1e-6))
    r->sweeps[E07_UPDATED] = sweep->sweep;
  measure(r, sweep, e.fed);
  record(m, sweep->sweep, change, e.largest);
}

bool e07_iterate(rep_report *report, const e07_case *run, rep_file *history, e07_result *result)
{
  char set[32];
  meter m = {run, history, result};
  waves_result whole;
  waves_case c = {.model = WAVES_CIRCUITS,
                  .set = set,
                  .kind = run->kind,
                  .to = E07_PI,
                  .child = {run->child},
                  .options = waves_plain(1e-6, E07_PI),
                  .look = look,
                  .user = &m};
  snprintf(set, sizeof set, "a=%g", run->alpha);
  if (!run->child.method)
    c.child[0] = (waves_child){"radau-iia", E07_PI / NODES};
  c.options.stop = DAE_WAVE_STOP_ERROR; /* stop value of a hundredth of the tolerance */
  c.options.update = run->update;
  c.options.omega = run->omega;
  c.options.order = run->order;
  c.options.sweeps = run->sweeps;
  *result = (e07_result){0};
  for (int i = 0; i < E07_TESTS; i++)
    result->sweeps[i] = 1;
  bool good = waves_run(report, &c, &whole);
  result->failed = whole.failed;
  result->rate = whole.rate;
  for (int i = 0; i < E07_TESTS && whole.failed; i++)
    result->sweeps[i] = NAN;
  return good;
}
