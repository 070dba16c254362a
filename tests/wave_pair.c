#include "wave_pair.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SUBSTEPS 4 /* of the solver between two nodes */

/* ---- a solver ---- */

static double rate(const wave_solver *s, const dae_waveform *in, dae_interpolation rule, double t)
{
  double value[2];
  dae_waveform_at(in, rule, t, value);
  return s->sign * value[0] + (s->now.pushed ? 1 : 0);
}

/* y' depends on the inputs only, for which the method is Simpson's rule */
static double step(const wave_solver *s, const dae_waveform *in, dae_interpolation rule, double t,
                   double h)
{
  return s->now.y +
         h / 6 *
             (rate(s, in, rule, t) + 4 * rate(s, in, rule, t + h / 2) + rate(s, in, rule, t + h));
}

/* where y falls below the mark within a step that it does so in */
static double event_in(const wave_solver *s, const dae_waveform *in, dae_interpolation rule,
                       double t, double h)
{
  double from = 0, to = h;
  while (to - from > 1e-13) {
    double middle = (from + to) / 2;
    *(step(s, in, rule, t, middle) > s->mark ? &from : &to) = middle;
  }
  return t + to;
}

static void write(const wave_solver *s, const dae_waveform *in, dae_interpolation rule, int node,
                  dae_waveform *out)
{
  double value[2], t = out->t[node];
  dae_waveform_at(in, rule, t, value);
  out->value[2 * node] = s->now.y;
  out->value[2 * node + 1] = s->now.y + s->a * value[1];
  out->slope[2 * node] = rate(s, in, rule, t);
  out->slope[2 * node + 1] = 0;
  if (s->fails_by == DAE_OK && t > s->fails_from)
    out->value[2 * node + 1] = NAN;
}

/* from node to node + 1; DAE_EVENT: at *reached the mark was passed */
static dae_status cross(wave_solver *s, const dae_waveform *in, dae_interpolation rule, int node,
                        const dae_waveform *out, double *reached)
{
  double h = (out->t[node + 1] - out->t[node]) / SUBSTEPS;
  for (int i = 0; i < SUBSTEPS; i++) {
    double t = out->t[node] + i * h, y = step(s, in, rule, t, h);
    if (!s->now.pushed && y < s->mark - 1e-11) {
      *reached = event_in(s, in, rule, t, h);
      return DAE_EVENT;
    }
    s->now.y = y;
  }
  return DAE_OK;
}

static dae_status advance(void *self, const dae_waveform *in, dae_interpolation rule,
                          dae_waveform *out, double *reached, dae_error *err)
{
  wave_solver *s = self;
  s->now.pushed = s->now.pushed || s->now.y < s->mark + 1e-10;
  for (int k = 0; k < out->nodes; k++) {
    dae_status status = k > 0 ? cross(s, in, rule, k - 1, out, reached) : DAE_OK;
    if (status == DAE_OK && s->fails_by < 0 && out->t[k] > s->fails_from) {
      *err = dae_error_none();
      strcpy(err->text, "the pipe has burst");
      status = err->status = s->fails_by;
    }
    if (status != DAE_OK)
      return status;
    write(s, in, rule, k, out);
  }
  *reached = out->t[out->nodes - 1];
  return DAE_OK;
}

static dae_status save(void *self, void *buffer, dae_error *err)
{
  (void)err;
  memcpy(buffer, &((wave_solver *)self)->now, sizeof(wave_memory));
  return DAE_OK;
}

static dae_status load(void *self, const void *buffer, dae_error *err)
{
  (void)err;
  memcpy(&((wave_solver *)self)->now, buffer, sizeof(wave_memory));
  return DAE_OK;
}

static dae_status gain(void *self, int node, double *D, dae_error *err)
{
  (void)node, (void)err;
  D[0] = D[1] = D[2] = 0;
  D[3] = ((wave_solver *)self)->a;
  return DAE_OK;
}

/* ---- two of them ---- */

static const char *const names[] = {"y", "z"};
static const bool direct[] = {false, true};
static const dae_link links[] = {{0, 0, 1, 0}, {0, 1, 1, 1}, {1, 0, 0, 0}, {1, 1, 0, 1}};

void wave_pair_set_up(wave_pair *p, double a)
{
  static const char *const names_of[] = {"pump", "tank"};
  *p = (wave_pair){.a = a, .opts = dae_wave_defaults()};
  for (int i = 0; i < 2; i++) {
    memset(&p->solver[i], 0, sizeof p->solver[i]);
    p->solver[i].now.y = i == 0 ? 1 : 0;
    p->solver[i].sign = i == 0 ? -1 : 1;
    p->solver[i].a = a;
    p->solver[i].mark = -INFINITY;
    p->solver[i].fails_from = INFINITY;
    p->subsystem[i] = (dae_subsystem){.name = names_of[i],
                                      .inputs = 2,
                                      .outputs = 2,
                                      .output_names = names,
                                      .direct = direct,
                                      .self = &p->solver[i],
                                      .advance = advance,
                                      .save_size = sizeof(wave_memory),
                                      .save = save,
                                      .load = load,
                                      .gain = gain};
  }
  p->opts.window = 0.25;
  p->opts.nodes = 20;
  p->opts.reorder = false;
}

dae_status wave_pair_try(wave_pair *p, const dae_env *env, dae_integrator **it, dae_error *err)
{
  double d = 1 - p->a * p->a;
  const double outputs[] = {1, 1 / d, 0, p->a / d};
  return dae_wave_create(p->subsystem, 2, links, 4, 0, outputs, p->jacobi, &p->opts, env, it, err);
}

dae_integrator *wave_pair_create(wave_pair *p)
{
  dae_integrator *it;
  dae_error err = dae_error_none();
  if (wave_pair_try(p, NULL, &it, &err) != DAE_OK)
    fail_msg("%s", err.text);
  return it;
}

void wave_pair_exact(double a, double t, double t_event, double *out)
{
  double d = 1 - a * a, s = fmax(t - t_event, 0), e = fmin(t, t_event);
  double C = sin(e) - 1, D = cos(e);
  double one = t <= t_event ? cos(t) : D * cos(s) - C * sin(s);
  double two = t <= t_event ? sin(t) : 1 + C * cos(s) + D * sin(s);
  out[0] = one;
  out[1] = (one + a * two) / d;
  out[2] = two;
  out[3] = (two + a * one) / d;
}

double wave_pair_error(dae_integrator *it, double a, double t_event)
{
  dae_view view = dae_integrator_view(it);
  double worst = 0;
  for (int k = 0; k <= 7; k++) {
    double y[4], right[4], t = view.t - k * (view.t - view.t_previous) / 7;
    assert_int_equal(dae_integrator_interpolate(it, t, y, NULL, NULL), DAE_OK);
    wave_pair_exact(a, t, t_event, right);
    for (int i = 0; i < 4; i++) {
      double apart = fabs(y[i] - right[i]) / (1 + fabs(right[i]));
      worst = apart <= worst ? worst : apart; /* a NaN counts */
    }
  }
  return worst;
}

double wave_pair_run(dae_integrator *it, double a, double to, double t_event)
{
  dae_error err = dae_error_none();
  dae_status status = DAE_OK;
  double worst = 0;
  while (status == DAE_OK) {
    status = dae_integrator_step(it, to, &err);
    if (status < 0)
      fail_msg("%s", err.text);
    worst = fmax(worst, wave_pair_error(it, a, t_event));
  }
  return worst;
}
