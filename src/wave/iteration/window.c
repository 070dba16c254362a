/* One window of a dynamic iteration [E07, WHM11]:
 *
 *   place the exchange grid; extrapolate the waveforms of the last window onto it
 *   repeat: sweep over all subsystems, compare zhat with z, test convergence, update z
 *   accept: project the children onto the joints, save their memory, choose the next length
 *
 * Remedies for sweeps that do not succeed:
 *
 *   grid that does not resolve the waveforms   finer grid, then a shorter window
 *   event in a subsystem                       window that ends at the event
 *   failure of a subsystem                     constant first waveforms, then a shorter window
 *   no convergence                             shorter window; update auto: then anderson
 *
 * A shorter window reduces growth over time (Volterra terms), which rho does not contain; it is
 * useless for a sweep that does not contract, rho >= 1 [E07]. */
#include "core/assert.h"
#include "core/env.h"
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"
#include <float.h>
#include <math.h>

/* Tuning constants; chosen, not measured. */
#define MAX_INTERPOLATION_ERROR 0.1 /* largest error between nodes over the tolerance */
#define REFINEMENT_REDUCTION 0.3    /* error ratio of a finer grid above which the error is noise */
#define MAX_NOISE 1                 /* noise over the tolerance; larger errors: a singularity */
#define NOISE_DECAY 0.9             /* decay of the expected noise per window */
#define GROW_BELOW_SWEEPS 4         /* number of sweeps below which windows grow */
#define HALVE_ABOVE_SWEEPS 12       /* number of sweeps above which windows are halved */
#define WINDOW_GROWTH 1.5           /* growth of a shortened window back to its fixed length */
#define MAX_EXTRAPOLATION 2.5       /* longest extrapolation in lengths of the last window */
#define MIN_RELATIVE_WINDOW 1e-12   /* smallest window length over |t| */
#define MAX_SHORTENINGS 14          /* largest number of halvings of one window */
#define FEEDTHROUGH_RATE 0.1        /* contraction rate above which D is evaluated anew */
#define MIN_ASSUMED_RATE 0.05       /* smallest contraction rate assumed in the next window */
#define WINDOW_ROUND_OFF 1e-9       /* round-off of window ends over the window length */
#define FIXED_STEP_ROUND_OFF 1e-6   /* round-off of the number of fixed steps */
/* default max_sweeps of update auto, which can switch to anderson */
#define AUTO_MAX_SWEEPS 40
#define DEFAULT_MAX_SWEEPS 200 /* default max_sweeps of the other updates */

/* ---- exchange grid ---- */

/* Length of the first window: a quarter of the time in which the state changes by its own size, at
 * most a tenth of the time to t_stop. */
static double window_first_length(const dae__wave *w, double t_stop)
{
  double time_scale = INFINITY;
  for (int p = 0; p < w->coupling.systems; p++) {
    const dae__child *c = &w->coupling.child[p];
    double y = 0, dy = 0;
    for (int i = 0; i < c->size; i++)
      if (!c->algebraic[i]) {
        y = fmax(y, fabs(c->y[i]));
        dy = fmax(dy, fabs(c->dy[i]));
      }
    if (dy > 0)
      time_scale = fmin(time_scale, fmax(y, w->opts.atol / fmax(w->opts.rtol, DBL_MIN)) / dy);
  }
  double length = fmin(time_scale / 4, (t_stop - w->m->t) / 10);
  return w->opts.max_window > 0 ? fmin(length, w->opts.max_window) : length;
}

/* End of the next window; the last two windows before t_stop are of equal length. */
static double window_end(const dae__wave *w, double t_stop)
{
  const dae__wave_memory *m = w->m;
  double fixed = m->origin + (double)(m->windows_done + 1) * w->opts.window;
  if (w->opts.window > 0 && m->window >= w->opts.window)
    return fixed > t_stop - WINDOW_ROUND_OFF * w->opts.window ? t_stop : fixed;
  double goal = fmin(w->opts.window > 0 ? fixed : t_stop, t_stop), left = goal - m->t;
  if (left <= m->window * (1 + WINDOW_ROUND_OFF))
    return goal;
  return m->t + (left < 2 * m->window ? left / 2 : m->window);
}

/* Number of grid intervals in a window; a multiple of the number of steps where a subsystem has
 * fixed steps. */
static int window_intervals(const dae__wave *w, double length)
{
  double step = INFINITY;
  bool variable = w->coupling.systems < w->f->systems;
  for (int p = 0; p < w->coupling.systems; p++)
    if (w->coupling.child[p].step > 0)
      step = fmin(step, w->coupling.child[p].step);
    else
      variable = true;
  int wanted = w->m->intervals;
  if (w->opts.nodes > 0)
    return w->opts.nodes;
  if (isinf(step))
    return wanted;
  int fixed = (int)fmin(fmax(ceil(length / step - FIXED_STEP_ROUND_OFF), 1), w->capacity - 1);
  int n = fixed * ((wanted + fixed - 1) / fixed);
  return variable && n < w->capacity ? n : fixed;
}

/* ---- sweeps ---- */

/* Parameters of one attempt at a window. */
typedef struct plan {
  double end;
  bool constant; /* waveforms of the first sweep constant, not extrapolated */
  dae_wave_update update;
  double interpolation_error; /* error between nodes on the grid that was too coarse */
  int shortened;              /* number of halvings of the window */
  int failed;                 /* number of the subsystem that failed last */
  dae_error error;            /* message of that failure; empty: no subsystem has failed */
} plan;

/* Waveforms of the first sweep: from a reduced model, extrapolated from the last window, or
 * constant. */
static dae_status window_extrapolate(dae__wave *w, bool constant, dae_error *err)
{
  int n = w->f->unknowns, all = w->given.nodes * n;
  dae_waveform last = {w->m->nodes, n, w->accepted_t, w->accepted, NULL};
  int code = 0;
  for (int k = 0; k < w->given.nodes && !code; k++) {
    double *z = dae__wave_at(&w->given, k);
    if (k > 0 && w->opts.guess)
      code = w->opts.guess(w->opts.user, w->grid[k], z);
    else if (k == 0 || constant)
      dae__copy(n, w->start, z);
    else
      dae__waveform_extrapolate(&last, w->grid[k], z);
  }
  for (int i = 0; i < n; i++)
    dae__waveform_slopes(&w->given, i);
  dae__copy(n, dae__wave_at(&w->given, w->given.nodes - 1), w->previous_end);
  for (int i = 0; i < w->past_count; i++) {
    dae__copy(all, w->given.value, w->past[i].value);
    dae__copy(all, w->given.slope, w->past[i].slope);
  }
  return code ? dae__fail(err, DAE_ERROR_CALLBACK, NULL, "the reduced model (guess) returned %d",
                          code)
              : DAE_OK;
}

/* Whether the exchange grid does not resolve the waveforms; last_error is the interpolation error
 * on the coarser grid tried before. */
static bool window_is_coarse(dae__wave *w, double last_error)
{
  double error = 0;
  if (w->opts.nodes > 0 || w->opts.sweeps > 0) /* fixed grid, or a fixed number of sweeps */
    return false;
  for (int p = 0; p < w->f->systems; p++) {
    const dae_subsystem *s = w->f->sub[p];
    bool fixed = p < w->coupling.systems && w->coupling.child[p].step > 0;
    if (s->defect && !fixed)
      error = fmax(error, s->defect(s->self, w->opts.rtol, w->opts.atol));
  }
  w->interpolation_error = error;
  bool noise = error > REFINEMENT_REDUCTION * last_error && error < MAX_NOISE;
  return error > fmax(MAX_INTERPOLATION_ERROR, w->m->noise) && !noise;
}

/* Iterates over one window until convergence or failure. */
static dae__sweep_outcome window_iterate(dae__wave *w, double last_error, dae_error *err)
{
  dae__trial_window *o = &w->trial;
  for (o->sweep = 1;; o->sweep++) {
    dae__sweep_outcome outcome = dae__wave_sweep(w, err);
    if (outcome != DAE__SWEEP_CONTINUE)
      return outcome;
    if (o->sweep == 1 && window_is_coarse(w, last_error))
      return DAE__SWEEP_COARSE_GRID;
    w->failed = -1; /* later failures are those of the coupling equations */
    if (dae__wave_compare(w, err))
      return DAE__SWEEP_FAILED;
    if (o->new_feedthrough)
      dae__wave_estimate_contraction(w, w->given.nodes - 1);
    outcome = dae__wave_test_convergence(w);
    if (w->opts.watch)
      w->opts.watch(w->opts.user, &(dae_wave_sweep){.window = (int)w->m->stats.steps + 1,
                                                    .sweep = o->sweep,
                                                    .given = &w->given,
                                                    .computed = &w->computed,
                                                    .change = o->change,
                                                    .rate = o->rate});
    if (outcome == DAE__SWEEP_CONVERGED && window_is_coarse(w, last_error))
      return DAE__SWEEP_COARSE_GRID;
    if (outcome != DAE__SWEEP_CONTINUE)
      return outcome;
    o->want_feedthrough = w->f->has_feedthrough && o->rate > FEEDTHROUGH_RATE;
    if (dae__wave_update(w, err))
      return DAE__SWEEP_FAILED;
  }
}

static dae__sweep_outcome window_try(dae__wave *w, const plan *p, dae_error *err)
{
  int max_sweeps = w->opts.update == DAE_WAVE_AUTO ? AUTO_MAX_SWEEPS : DEFAULT_MAX_SWEEPS;
  double from = w->m->t;
  int n = window_intervals(w, p->end - from); /* exchange grid */
  DAE__ASSERT(n >= 1 && n < w->capacity);
  for (int k = 0; k <= n; k++)
    w->grid[k] = k == n ? p->end : from + k * ((p->end - from) / n);
  w->given.nodes = w->computed.nodes = n + 1;
  for (int i = 0; i < w->past_count; i++)
    w->past[i].nodes = n + 1;
  w->trial =
      (dae__trial_window){.update = p->update,
                          .max_sweeps = w->opts.max_sweeps > 0 ? w->opts.max_sweeps : max_sweeps,
                          .change = NAN,
                          .last_change = NAN,
                          .rate = NAN,
                          .worst_rate = NAN,
                          .want_feedthrough = w->f->has_feedthrough};
  if (window_extrapolate(w, p->constant, err) == DAE_OK)
    return window_iterate(w, p->interpolation_error, err);
  w->failed = -1;
  return DAE__SWEEP_FAILED;
}

/* ---- retries ---- */

/* Halves the window; false: the window is too short. */
static bool window_shorten(dae__wave *w, plan *p)
{
  double length = (p->end - w->m->t) / 2;
  p->end = w->m->t + length;
  w->m->window = length;
  return ++p->shortened <= MAX_SHORTENINGS && length > MIN_RELATIVE_WINDOW * fabs(w->m->t);
}

/* Parameters of the next attempt; false: the window is given up. */
static bool window_retry(dae__wave *w, dae__sweep_outcome outcome, plan *p)
{
  dae_status status = w->failed >= 0 ? w->status[w->failed] : DAE_OK;
  dae_wave_update update = w->opts.update;
  bool automatic = update == DAE_WAVE_AUTO;
  bool plain = update == DAE_WAVE_PLAIN || update == DAE_WAVE_RELAX;
  /* slow contraction, as rho predicts */
  bool slow = outcome == DAE__SWEEP_LIMIT && w->trial.rate < 1;
  bool useless = plain && (outcome == DAE__SWEEP_CYCLE || slow || !(w->m->rho < 1));
  switch (outcome) {
  case DAE__SWEEP_COARSE_GRID:
    p->interpolation_error = w->interpolation_error;
    if (2 * w->m->intervals >= w->capacity)
      return window_shorten(w, p);
    w->m->intervals *= 2;
    return true;
  case DAE__SWEEP_EVENT:
    p->end = w->trial.event_t;
    return p->end > w->m->t;
  case DAE__SWEEP_FAILED:
    if (status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY)
      return false;
    if (p->constant || w->opts.guess)
      return window_shorten(w, p);
    p->constant = true;
    return true;
  default: /* no convergence */
    if (!automatic && (w->opts.window > 0 || useless))
      return false;
    if (automatic && p->shortened >= MAX_SHORTENINGS / 2 && p->update == DAE_WAVE_SCHUR)
      p->update = DAE_WAVE_ANDERSON;
    return window_shorten(w, p);
  }
}

/* ---- acceptance ---- */

void dae__wave_reset(dae__wave *w)
{
  w->m->t_previous = w->m->t;
  w->m->nodes = 1;
  w->grid[0] = w->accepted_t[0] = w->m->t;
  dae__copy(w->f->unknowns, w->start, w->computed.value);
  dae__copy(w->f->unknowns, w->start, w->accepted);
}

/* Length of the next window, from the number of sweeps in the last one. */
static void window_next_length(dae__wave *w, const plan *p)
{
  static const double growth[GROW_BELOW_SWEEPS] = {4, 4, 2, 1.5}; /* index: number of sweeps */
  dae__wave_memory *m = w->m;
  int sweeps = w->trial.sweep;
  if (w->opts.window > 0)
    m->window =
        m->window < w->opts.window ? fmin(WINDOW_GROWTH * m->window, w->opts.window) : m->window;
  else if (sweeps > HALVE_ABOVE_SWEEPS)
    m->window /= 2;
  else if (sweeps < GROW_BELOW_SWEEPS && p->shortened == 0)
    m->window = fmax(m->window, growth[sweeps] * fmin(p->end - m->t_previous, m->window));
  if (w->opts.max_window > 0)
    m->window = fmin(m->window, w->opts.max_window);
}

static dae_status window_accept(dae__wave *w, const plan *p, dae_error *err)
{
  dae__wave_memory *m = w->m;
  const dae__trial_window *o = &w->trial;
  int nodes = w->computed.nodes, n = w->f->unknowns;
  DAE__ASSERT(dae__all_finite(nodes * n, w->computed.value));
  m->t_previous = m->t;
  m->t = p->end;
  m->nodes = nodes;
  double planned = m->origin + (double)(m->windows_done + 1) * w->opts.window;
  if (w->opts.window > 0 && p->end >= planned - WINDOW_ROUND_OFF * w->opts.window)
    m->windows_done++;
  dae__copy(nodes * n, w->computed.value, w->accepted);
  dae__copy(nodes, w->grid, w->accepted_t);
  dae__copy(n, dae__wave_at(&w->computed, nodes - 1), w->start);
  /* noise that finer grids did not reduce is expected in the next window, too */
  m->noise *= NOISE_DECAY;
  if (w->interpolation_error > MAX_INTERPOLATION_ERROR)
    m->noise = fmin(fmax(2 * w->interpolation_error, m->noise), MAX_NOISE);
  m->stats.steps++;
  w->limits.now.wanted = true; /* a window is long, and every one is counted */
  dae__limits_count_accepted(&w->limits);
  m->most_sweeps = o->sweep > m->most_sweeps ? o->sweep : m->most_sweeps;
  if (!isnan(o->rate))
    m->rate = fmin(fmax(o->rate, MIN_ASSUMED_RATE), 1);
  m->observed = fmax(m->observed, o->worst_rate); /* fmax ignores NaN */
  m->last_sweeps = o->sweep;
  m->last_observed = o->worst_rate;
  window_next_length(w, p);
  dae_status status = dae__wave_project_joints(w, err);
  /* memory is saved after a failure, too */
  dae_status saved = dae__wave_save_all(w, true, status ? NULL : err);
  return status ? status : saved;
}

dae_status dae__wave_return(dae__wave *w, dae_error *err)
{
  dae_status status = dae__wave_save_all(w, false, err);
  for (int p = 0; p < w->coupling.systems && !status; p++)
    status = dae__child_reset(&w->coupling.child[p], err);
  dae__wave_reset(w);
  return status;
}

dae_status dae__wave_window(void *self, double t_stop, dae_error *err)
{
  dae__wave *w = self;
  dae__wave_memory *m = w->m;
  if (!(m->window > 0))
    m->window = w->opts.window > 0 ? w->opts.window : window_first_length(w, t_stop);
  dae_wave_update update = w->opts.update;
  if (update == DAE_WAVE_AUTO)
    update = w->f->multipliers > 0 && w->variant.multipliers ? DAE_WAVE_PLAIN
             : w->f->has_feedthrough                         ? DAE_WAVE_SCHUR
                                                             : DAE_WAVE_ANDERSON;
  plan p = {.end = window_end(w, t_stop),
            .update = update,
            .interpolation_error = INFINITY,
            .failed = -1,
            .error = dae_error_none()};
  p.constant = w->opts.begin == DAE_WAVE_BEGIN_CONSTANT || m->nodes < 2 ||
               p.end - m->t > MAX_EXTRAPOLATION * (m->t - m->t_previous);
  for (;;) {
    dae_error why = dae_error_none();
    DAE__TRY(dae__env_proceed(w->env, err));
    dae__limits_begin(&w->limits);
    dae__sweep_outcome outcome = window_try(w, &p, &why);
    if (outcome == DAE__SWEEP_CONVERGED)
      break;
    if (outcome == DAE__SWEEP_FAILED) {
      p.failed = w->failed;
      p.error = why;
    }
    dae__limits_count_failed(&w->limits, outcome == DAE__SWEEP_DIVERGED ||
                                             outcome == DAE__SWEEP_CYCLE ||
                                             outcome == DAE__SWEEP_LIMIT);
    bool guess_failed = outcome == DAE__SWEEP_FAILED && w->trial.sweep == 0;
    if (guess_failed || !window_retry(w, outcome, &p)) {
      /* after a failure, or on a grid that stays too coarse, the message is that of the subsystem
       * that failed last, if any */
      bool failed = outcome == DAE__SWEEP_COARSE_GRID || outcome == DAE__SWEEP_FAILED;
      DAE__TRY(dae__wave_return(w, err));
      w->failed = p.failed;
      if (err)
        *err = failed ? p.error : dae_error_none();
      return dae__wave_diagnose(w, outcome, err);
    }
    w->at_start = false;
    dae__log(w->env, DAE_LOG_DEBUG, "window at t = %g rejected, next attempt to t = %g", m->t,
             p.end);
  }
  dae_status status = window_accept(w, &p, err);
  return status ? status : m->t >= t_stop ? DAE_END : DAE_OK;
}
