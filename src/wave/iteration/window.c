/* One window: sweeps until the waveforms no longer change, and what is tried where they do.
 *
 *   a grid that does not resolve the waveforms   is refined, then the window shortened
 *   an event in a subsystem                      ends the window there
 *   a subsystem that fails                       begins from constant waveforms, then shorter
 *   sweeps that do not converge                  update auto: a shorter window, then anderson;
 *                                                otherwise a shorter one where that can help
 *
 * Shortening helps against growth over time (Volterra), which is not seen in rho; it does not help
 * where the sweep itself does not contract, rho >= 1 [E07]. */
#include "core/error.h"
#include "core/log.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

#define COARSE 0.1   /* error of the interpolants, relative to the tolerance, */
#define RESOLVED 0.3 /* unless a finer grid does not make it smaller by this: it is noise */
#define LOUDEST 1    /* up to here; beyond, the waveform has a singularity that no grid resolves */
#define FEW 4        /* sweeps below which windows grow, */
#define MANY 12      /* above which they are halved */
#define GROWTH 1.5
#define FAR 2.5        /* windows of the length of the last one that it is continued over */
#define SHORTEST 1e-12 /* window, relative to t */
#define RETRIES 14     /* shortened windows in a row before giving up */
#define REFRESH 0.1    /* rate above which gains are found anew */

/* ---- the first waveforms ---- */

static dae_status window_begin_at(dae__wave *w, int node, bool constant, dae_error *err)
{
  double *z = dae__wave_at(&w->given, node);
  dae_waveform accepted = {w->m->nodes, w->f->unknowns, w->accepted_t, w->accepted, NULL};
  if (node == 0 || constant)
    dae__copy(w->f->unknowns, w->start, z);
  else if (w->opts.guess) {
    int code = w->opts.guess(w->opts.user, w->grid[node], z);
    return code ? dae__fail(err, DAE_ERROR_CALLBACK, NULL, "the reduced model returned %d", code)
                : DAE_OK;
  } else
    dae__waveform_continue(&accepted, w->grid[node], z);
  return DAE_OK;
}

static dae_status window_begin(dae__wave *w, bool constant, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int k = 0; k < w->given.nodes && !status; k++)
    status = window_begin_at(w, k, constant, err);
  for (int i = 0; i < w->f->unknowns; i++)
    dae__waveform_slopes(&w->given, i);
  dae__copy(w->f->unknowns, dae__wave_at(&w->given, w->given.nodes - 1), w->end_before);
  for (int i = 0; i < w->pasts; i++) {
    dae__copy(w->given.nodes * w->f->unknowns, w->given.value, w->past[i].value);
    dae__copy(w->given.nodes * w->f->unknowns, w->given.slope, w->past[i].slope);
  }
  return status;
}

/* ---- sweeps ---- */

/* last: the error on the grid before, which was coarser */
static bool window_too_coarse(dae__wave *w, double last)
{
  double worst = 0;
  if (w->opts.nodes > 0 || w->opts.sweeps > 0) /* nothing is tested then */
    return false;
  for (int p = 0; p < w->f->systems; p++) {
    const dae_subsystem *s = w->f->sub[p];
    if (s->defect && dae__wave_is_variable(w, p))
      worst = fmax(worst, s->defect(s->self, w->opts.rtol, w->opts.atol));
  }
  w->defect = worst;
  bool noise = worst > RESOLVED * last && worst < LOUDEST;
  return worst > fmax(COARSE, w->m->noise) && !noise;
}

static void window_tell(dae__wave *w)
{
  if (!w->opts.watch)
    return;
  dae_wave_sweep sweep = {.window = (int)w->m->stats.steps + 1,
                          .sweep = w->trial.sweep,
                          .given = &w->given,
                          .computed = &w->computed,
                          .change = w->trial.change,
                          .rate = w->trial.rate};
  w->opts.watch(w->opts.user, &sweep);
}

/* what couples the systems could not be evaluated or solved for */
static dae__sweep_outcome window_broken(dae__wave *w)
{
  w->failed = -1;
  return DAE__SWEEP_FAILED;
}

/* The sweeps of one window. */
static dae__sweep_outcome window_iterate(dae__wave *w, double last_defect, dae_error *err)
{
  dae__trial_window *o = &w->trial;
  for (o->sweep = 1;; o->sweep++) {
    dae__sweep_outcome verdict = dae__wave_sweep(w, err);
    if (verdict != DAE__SWEEP_CONTINUE)
      return verdict;
    if (o->sweep == 1 && window_too_coarse(w, last_defect))
      return DAE__SWEEP_COARSE_GRID;
    dae_status status = dae__wave_compare(w, err);
    if (status)
      return window_broken(w);
    if (o->new_feedthrough)
      dae__wave_estimate_contraction(w, w->given.nodes - 1);
    verdict = dae__wave_test_convergence(w);
    window_tell(w);
    if (verdict == DAE__SWEEP_CONVERGED && window_too_coarse(w, last_defect))
      return DAE__SWEEP_COARSE_GRID;
    if (verdict != DAE__SWEEP_CONTINUE)
      return verdict;
    o->want_feedthrough = w->f->has_feedthrough && o->rate > REFRESH;
    status = dae__wave_update(w, err);
    if (status)
      return window_broken(w);
  }
}

static dae_wave_update window_usual_update(const dae__wave *w)
{
  if (w->opts.update != DAE_WAVE_AUTO)
    return w->opts.update;
  if (w->f->multipliers > 0 && w->opts.splitting == DAE_WAVE_SPLIT_WEIGHTED)
    return DAE_WAVE_PLAIN;
  return w->f->has_feedthrough ? DAE_WAVE_SCHUR : DAE_WAVE_ANDERSON;
}

static void window_begin_trial(dae__wave *w, dae_wave_update update)
{
  bool automatic = w->opts.update == DAE_WAVE_AUTO;
  int usual = automatic ? 40 : 200;
  w->trial = (dae__trial_window){.update = update,
                                 .max_sweeps = w->opts.max_sweeps > 0 ? w->opts.max_sweeps : usual,
                                 .change = NAN,
                                 .last = NAN,
                                 .rate = NAN,
                                 .worst_rate = NAN,
                                 .want_feedthrough = w->f->has_feedthrough};
}

/* ---- what is tried next ---- */

/* What a window that was given up is tried again with. */
typedef struct plan {
  double end;
  bool constant; /* waveforms to begin with */
  dae_wave_update update;
  double defect; /* of the grid that was too coarse */
  int shortened;
  int who;       /* subsystem that failed last, */
  dae_error why; /* and what it said; no error: none has */
} plan;

static bool window_shorten(dae__wave *w, plan *p)
{
  double length = (p->end - w->m->t) / 2;
  p->end = w->m->t + length;
  w->m->window = length;
  return ++p->shortened <= RETRIES && length > SHORTEST * fabs(w->m->t);
}

/* sweeps did not converge: false where nothing is left to try */
static bool window_try_otherwise(dae__wave *w, dae__sweep_outcome verdict, plan *p)
{
  dae_wave_update update = w->opts.update;
  bool automatic = update == DAE_WAVE_AUTO;
  bool plain = update == DAE_WAVE_PLAIN || update == DAE_WAVE_RELAX;
  bool steady = verdict == DAE__SWEEP_LIMIT && w->trial.rate < 1; /* it contracts as rho says */
  bool useless = plain && (verdict == DAE__SWEEP_CYCLE || steady || !(w->m->rho < 1));
  if (!automatic && (w->opts.window > 0 || useless))
    return false;
  if (automatic && p->shortened >= RETRIES / 2 && p->update == DAE_WAVE_SCHUR)
    p->update = DAE_WAVE_ANDERSON;
  return window_shorten(w, p);
}

/* a failure that no other window cures */
static bool window_is_final(const dae__wave *w)
{
  dae_status status = w->failed >= 0 ? w->status[w->failed] : DAE_OK;
  return status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY;
}

static bool window_try_again(dae__wave *w, dae__sweep_outcome verdict, plan *p)
{
  switch (verdict) {
  case DAE__SWEEP_COARSE_GRID:
    p->defect = w->defect;
    if (2 * w->m->intervals < w->capacity) {
      w->m->intervals *= 2;
      return true;
    }
    return window_shorten(w, p);
  case DAE__SWEEP_EVENT:
    p->end = w->trial.reached;
    return p->end > w->m->t;
  case DAE__SWEEP_FAILED:
    if (window_is_final(w))
      return false;
    if (!p->constant && !w->opts.guess) {
      p->constant = true;
      return true;
    }
    return window_shorten(w, p);
  default:
    return window_try_otherwise(w, verdict, p);
  }
}

/* ---- acceptance ---- */

static void choose_window(dae__wave *w, const plan *p)
{
  static const double growth[FEW] = {4, 4, 2, GROWTH};
  dae__wave_memory *m = w->m;
  int sweeps = w->trial.sweep;
  if (w->opts.window > 0)
    m->window = m->window < w->opts.window ? fmin(GROWTH * m->window, w->opts.window) : m->window;
  else if (sweeps > MANY)
    m->window /= 2;
  else if (sweeps < FEW && p->shortened == 0)
    m->window = fmax(m->window, growth[sweeps] * fmin(p->end - m->t_previous, m->window));
  if (w->opts.max_window > 0)
    m->window = fmin(m->window, w->opts.max_window);
}

static void window_count(dae__wave *w)
{
  dae__wave_memory *m = w->m;
  /* what finer grids did not cure is expected of the next window, too */
  m->noise =
      w->defect > COARSE ? fmin(fmax(2 * w->defect, 0.9 * m->noise), LOUDEST) : 0.9 * m->noise;
  const dae__trial_window *o = &w->trial;
  m->stats.steps++;
  m->most_sweeps = o->sweep > m->most_sweeps ? o->sweep : m->most_sweeps;
  if (!isnan(o->rate))
    m->rate = fmin(fmax(o->rate, 0.05), 1);
  m->observed = fmax(m->observed, o->worst_rate); /* a NaN is left behind */
  m->last_sweeps = o->sweep;
  m->last_observed = o->worst_rate;
}

static dae_status window_accept(dae__wave *w, const plan *p, dae_error *err)
{
  dae__wave_memory *m = w->m;
  int nodes = w->computed.nodes, last = nodes - 1;
  m->t_previous = m->t;
  m->t = p->end;
  m->nodes = nodes;
  double planned = m->origin + (double)(m->done + 1) * w->opts.window;
  if (w->opts.window > 0 && p->end >= planned - 1e-9 * w->opts.window)
    m->done++;
  dae__copy(nodes * w->f->unknowns, w->computed.value, w->accepted);
  dae__copy(nodes, w->grid, w->accepted_t);
  dae__copy(w->f->unknowns, dae__wave_at(&w->computed, last), w->start);
  window_count(w);
  choose_window(w, p);
  dae_status status = dae__wave_project_joints(w, err);
  dae_status saved = dae__wave_save_all(w, status ? NULL : err); /* they stand there in any case */
  return status ? status : saved;
}

/* ---- the window ---- */

void dae__wave_reset(dae__wave *w)
{
  w->m->t_previous = w->m->t;
  w->m->nodes = 1;
  w->grid[0] = w->accepted_t[0] = w->m->t;
  dae__copy(w->f->unknowns, w->start, w->computed.value);
  dae__copy(w->f->unknowns, w->start, w->accepted);
}

/* What is said is the last failure of a subsystem, where there was one, not what became of a
 * shorter window. */
static dae_status window_give_up(dae__wave *w, dae__sweep_outcome verdict, const plan *p,
                                 dae_error *err)
{
  bool failed = verdict == DAE__SWEEP_COARSE_GRID || verdict == DAE__SWEEP_FAILED;
  dae_status status = dae__wave_load_all(w, err);
  for (int i = 0; i < w->coupling.systems && !status; i++)
    status = dae__child_reset(&w->coupling.child[i], err);
  DAE__TRY(status);
  dae__wave_reset(w);
  w->failed = p->who;
  if (err)
    *err = failed ? p->why : dae_error_none();
  return dae__wave_diagnose(w, verdict, err);
}

dae_status dae__wave_window(dae__wave *w, double t_stop, dae_error *err)
{
  dae__wave_memory *m = w->m;
  if (!(m->window > 0))
    m->window = w->opts.window > 0 ? w->opts.window : dae__wave_first_window(w, t_stop);
  plan p = {.end = dae__wave_end(w, t_stop),
            .constant = w->opts.begin == DAE_WAVE_BEGIN_CONSTANT || m->nodes < 2,
            .update = window_usual_update(w),
            .defect = INFINITY,
            .who = -1,
            .why = dae_error_none()};
  /* a continuation leads far astray where the window before was much shorter */
  if (p.end - m->t > FAR * (m->t - m->t_previous))
    p.constant = true;
  for (;;) {
    dae_error why = dae_error_none();
    dae__wave_place_grid(w, p.end);
    window_begin_trial(w, p.update);
    bool begun = window_begin(w, p.constant && !w->opts.guess, &why) == DAE_OK;
    dae__sweep_outcome verdict = begun ? window_iterate(w, p.defect, &why) : window_broken(w);
    if (verdict == DAE__SWEEP_CONVERGED)
      break;
    if (verdict == DAE__SWEEP_FAILED) {
      p.who = w->failed;
      p.why = why;
    }
    if (!begun || !window_try_again(w, verdict, &p))
      return window_give_up(w, verdict, &p, err);
    w->at_start = false;
    dae__log(w->env, DAE_LOG_DEBUG, "window at t = %g given up, next try to t = %g", m->t, p.end);
  }
  dae_status status = window_accept(w, &p, err);
  return status ? status : m->t >= t_stop ? DAE_END : DAE_OK;
}

/* ---- iteration/grid.c ---- */
/* Where windows end, and the nodes at which waveforms are exchanged: equidistant, and finer where a
 * subsystem's waveform needs it; where subsystems have fixed steps, at these. */

#include <float.h>
#include <math.h>

/* time in which the state changes by its own size */
static double grid_time_scale(const dae__wave *w)
{
  double least = INFINITY;
  for (int p = 0; p < w->coupling.systems; p++) {
    const dae__child *c = &w->coupling.child[p];
    double y = 0, dy = 0;
    for (int i = 0; i < c->size; i++)
      if (!c->algebraic[i]) {
        y = fmax(y, fabs(c->trace.y[i]));
        dy = fmax(dy, fabs(c->trace.dy[i]));
      }
    if (dy > 0)
      least = fmin(least, fmax(y, w->opts.atol / fmax(w->opts.rtol, DBL_MIN)) / dy);
  }
  return least;
}

double dae__wave_first_window(const dae__wave *w, double t_stop)
{
  double length = fmin(grid_time_scale(w) / 4, (t_stop - w->m->t) / 10);
  return w->opts.max_window > 0 ? fmin(length, w->opts.max_window) : length;
}

double dae__wave_end(dae__wave *w, double t_stop)
{
  dae__wave_memory *m = w->m;
  if (w->opts.window > 0 && m->window >= w->opts.window) {
    double end = m->origin + (double)(m->done + 1) * w->opts.window;
    return end > t_stop - 1e-9 * w->opts.window ? t_stop : end;
  }
  double goal = w->opts.window > 0 ? m->origin + (double)(m->done + 1) * w->opts.window : t_stop;
  goal = fmin(goal, t_stop);
  double left = goal - m->t;
  if (left <= m->window * (1 + 1e-9))
    return goal;
  return m->t + (left < 2 * m->window ? left / 2 : m->window);
}

bool dae__wave_is_variable(const dae__wave *w, int p)
{
  return p >= w->coupling.systems || !(w->coupling.child[p].step > 0);
}

static bool grid_any_variable(const dae__wave *w)
{
  for (int p = 0; p < w->f->systems; p++)
    if (dae__wave_is_variable(w, p))
      return true;
  return false;
}

/* intervals that meet all steps of subsystems with fixed steps, 0: there are none */
static int grid_fixed_intervals(const dae__wave *w, double length)
{
  double least = INFINITY;
  for (int p = 0; p < w->coupling.systems; p++)
    if (!dae__wave_is_variable(w, p))
      least = fmin(least, w->coupling.child[p].step);
  double count = ceil(length / least - 1e-6);
  return isinf(least) ? 0 : (int)fmin(fmax(count, 1), w->capacity - 1);
}

/* a multiple of those, where there are others as well */
static int grid_choose_intervals(const dae__wave *w, double length)
{
  int fixed = grid_fixed_intervals(w, length), wanted = w->m->intervals;
  if (w->opts.nodes > 0)
    return w->opts.nodes;
  if (fixed == 0 || !grid_any_variable(w))
    return fixed > 0 ? fixed : wanted;
  int n = fixed * ((wanted + fixed - 1) / fixed);
  return n < w->capacity ? n : fixed;
}

void dae__wave_place_grid(dae__wave *w, double end)
{
  double from = w->m->t;
  int n = grid_choose_intervals(w, end - from);
  for (int k = 0; k <= n; k++)
    w->grid[k] = k == n ? end : from + k * ((end - from) / n);
  w->given.nodes = w->computed.nodes = n + 1;
  for (int i = 0; i < w->pasts; i++)
    w->past[i].nodes = n + 1;
}
