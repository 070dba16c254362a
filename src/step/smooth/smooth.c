/* Starts and restarts of a damped run, ends of its steps, the report. */
#include "step/smooth/smooth.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/smooth/fixed.h"
#include "step/smooth/follow.h"

#include <stdio.h>

/* H* over the length of the run: oscillations with more than 11 periods in it are fast. */
#define SMOOTH_PART (1. / 30)
/* Largest move that is none, in tolerances. */
#define SMOOTH_MOVED 1
/* Distance that the slow motion covers in the run, in tolerances, below which it is rest; chosen.
 */
#define SMOOTH_REST 10
/* Amplitude of the fast motion, relative to the largest coordinate, above which it is no vibration
 * about a configuration but the motion itself; chosen. */
#define SMOOTH_SMALL 0.1
/* Rate times H of a rung that removes most of a mode. */
#define SMOOTH_REMOVING 3
/* H of the passes at the end of a step, relative to the time scale up to which the start was made
 * slow. They move slow components by 1e-6 (rate H)^8: the first value leaves less than 1e-9 of
 * those with 5 periods in the run. Where the fastest rate is near, its passes take a larger H, of
 * which the ladder has found that it moves nothing else. */
#define SMOOTH_CUT 0.3
#define SMOOTH_CUT_MOST 2.6
/* The same: rate times H at which a pass leaves 0.07 of a mode. */
#define SMOOTH_REMOVED 16

typedef struct smooth_memory {
  double cut;
  dae_damping report;
} smooth_memory;

struct dae__smooth {
  dae__smooth_options opts;
  dae__smooth_form form;
  dae__ladder ladder;
  dae__follow follow;
  smooth_memory *memory;  /* saved */
  double *z, *dz, *start; /* n each */
};

/* ---- creation ---- */

dae_status dae__smooth_create(dae__arena *arena, const dae_problem *problem,
                              const dae__smooth_options *opts, dae__smooth **out, dae_error *err)
{
  dae__smooth *o = DAE__ALLOC(arena, dae__smooth, 1);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  o->opts = *opts;
  if (opts->time == 0 && !(opts->to > opts->from))
    return dae__fail(err, DAE_ERROR_OPTION, "damp",
                     "damp needs the length of the motion, from which it takes what is fast: give "
                     "the end of the motion with the start (dae_start.to), or damp_time");
  dae_status status =
      dae__smooth_form_create(arena, problem, opts->rtol, opts->atol, &o->form, err);
  if (!status)
    status = dae__ladder_create(arena, &o->form, &o->ladder, err);
  if (!status)
    status = dae__follow_create(arena, &o->ladder, &o->follow, err);
  o->memory = DAE__STATE(arena, smooth_memory, 1);
  DAE__VECTORS(arena, o->form.n, &o->z, &o->dz, &o->start);
  if (!status)
    status = dae__arena_status(arena, err);
  if (status) {
    dae__smooth_free(o);
    return status;
  }
  DAE__LIMIT_COUNTER(arena, &o->memory->report.restarts, 1);
  *out = o;
  return DAE_OK;
}

void dae__smooth_free(dae__smooth *o)
{
  if (!o)
    return;
  dae__follow_free(&o->follow);
  dae__ladder_free(&o->ladder);
  dae__smooth_form_free(&o->form);
}

/* ---- starts ---- */

static double smooth_scale(const dae__smooth *o)
{
  return o->opts.time > 0 ? o->opts.time : SMOOTH_PART * (o->opts.to - o->opts.from);
}

static dae_status smooth_consistent(dae__smooth *o, double t, const bool *fixed, dae_error *err)
{
  o->form.s->classified = false;
  return dae__smooth_form_consistent(&o->form, t, fixed, o->z, o->dz, err);
}

/* Largest entry of the displacement by the removal, its index, and the amplitude of what was
 * removed relative to the largest coordinate. */
static double smooth_amplitude(const dae__smooth *o, double slowest, int *largest)
{
  int count = o->form.nq > 0 ? o->form.nq : o->form.nx;
  double size = 0, amplitude = 0, most = -1;
  for (int i = 0; i < count; i++) {
    double d = fabs(o->z[i] - o->start[i]);
    double later = o->form.nq > 0 ? fabs(o->z[count + i] - o->start[count + i]) : 0;
    if (d > most)
      most = d, *largest = i;
    size = fmax(size, fmax(fabs(o->z[i]), fabs(o->start[i])));
    amplitude = fmax(amplitude, fmax(d, later * slowest / SMOOTH_REMOVING));
  }
  return amplitude > 0 ? amplitude / size : 0;
}

/* *rest: whether the slow motion that is left covers no distance in the run. */
static dae_status smooth_find_rest(dae__smooth *o, double t, double cut, bool *rest)
{
  double length =
      o->opts.to > o->opts.from ? o->opts.to - o->opts.from : smooth_scale(o) / SMOOTH_PART;
  dae_status status = dae__ladder_factor(&o->ladder, t, cut, o->z, o->dz, NULL);
  *rest = false;
  if (status)
    return status == DAE_ERROR_MEMORY ? status : DAE_OK;
  dae__ladder_filter(&o->ladder, cut, o->dz, o->ladder.a);
  *rest = length * dae__smooth_form_norm(&o->form, o->ladder.a, o->z) <= SMOOTH_REST;
  return DAE_OK;
}

static dae_damping smooth_describe(const dae__smooth *o, const dae__ladder_result *result,
                                   bool held, bool rest, double amount, double *amplitude)
{
  dae_damping r = {.scale = smooth_scale(o), .cut = result->cut, .period = {NAN, NAN}};
  double period = result->above > 0 ? 2 * acos(-1) / result->above : 0;
  double length = o->opts.to > o->opts.from ? o->opts.to - o->opts.from : r.scale / SMOOTH_PART;
  int largest = 0;
  *amplitude = smooth_amplitude(o, result->slowest, &largest);
  r.kept = length > period ? period : 0;
  r.amount = amount;
  if (held)
    r.kind = DAE_DAMPING_FIXED;
  else if (amount > SMOOTH_MOVED)
    r.kind = rest ? DAE_DAMPING_ALL : DAE_DAMPING_REMOVED;
  else
    r.kind = r.kept > 0 ? DAE_DAMPING_KEPT : DAE_DAMPING_NONE;
  r.distance = fabs(o->z[largest] - o->start[largest]);
  (void)dae_problem_variable(&o->form.problem, largest, r.name, sizeof r.name);
  return r;
}

/* Moves o->z at t onto the slow motion. */
static dae_status smooth_move(dae__smooth *o, double t, const bool *fixed,
                              dae__ladder_result *result, bool *held, double *amount,
                              dae_error *err)
{
  int n = o->form.n;
  *held = false;
  DAE__TRY(smooth_consistent(o, t, fixed, err));
  dae__copy(n, o->z, o->start);
  DAE__TRY(dae__ladder_climb(&o->ladder, t, smooth_scale(o), o->opts.time > 0, o->dz, o->z, result,
                             err));
  if (result->slowest == 0) /* nothing is fast: the start as it was */
    dae__copy(n, o->start, o->z);
  else if (fixed)
    DAE__TRY(dae__smooth_keep_fixed(&o->ladder, t, result->cut, fixed, o->start, o->z, held, err));
  if (*held)
    dae__copy(n, o->start, o->z);
  DAE__TRY(smooth_consistent(o, t, fixed, err));
  return dae__ladder_measure(&o->ladder, t, o->start, o->z, amount);
}

/* Begins to follow what was removed; slowest = 0: nothing was. */
static dae_status smooth_follow_start(dae__smooth *o, double t, double slowest, dae_error *err)
{
  dae__axpy(o->form.n, -1, o->z, o->start);
  dae_status status =
      dae__follow_start(&o->follow, t, o->z, o->dz, o->start, slowest, &o->memory->report);
  return status ? dae__fail(err, status, "damp", "what damp removed cannot be followed") : DAE_OK;
}

dae_status dae__smooth_start(dae__smooth *o, double t, const bool *fixed, double *y, dae_error *err)
{
  dae__ladder_result result;
  bool held, rest;
  double amount = 0, amplitude;
  dae__copy(o->form.size, y, o->z);
  DAE__TRY(smooth_move(o, t, fixed, &result, &held, &amount, err));
  if (smooth_find_rest(o, t, result.cut, &rest))
    return dae__out_of_memory(err);
  o->memory->cut = held ? 1 / *o->ladder.rate : result.cut;
  o->memory->report = smooth_describe(o, &result, held, rest, amount, &amplitude);
  if (o->memory->report.kind == DAE_DAMPING_ALL && amplitude > SMOOTH_SMALL && o->opts.time == 0) {
    dae__fail(err, DAE_ERROR_STEP, "damp",
              "all motion of the start is faster than %.3g, a thirtieth of the run: what is left "
              "is rest. Follow it without damp, end the run earlier, or say by damp_time what is "
              "fast",
              o->memory->report.scale);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_STEP;
  }
  dae__copy(o->form.size, o->z, y);
  return smooth_follow_start(
      o, t, o->memory->report.kind == DAE_DAMPING_REMOVED ? result.slowest : 0, err);
}

dae_status dae__smooth_restart(dae__smooth *o, double t, double *y, dae_error *err)
{
  dae__ladder_result result;
  bool held;
  double amount = 0;
  dae__copy(o->form.size, y, o->z);
  DAE__TRY(smooth_move(o, t, NULL, &result, &held, &amount, err));
  o->memory->cut = result.cut;
  dae__copy(o->form.size, o->z, y);
  if (!(amount > SMOOTH_MOVED))
    return DAE_OK;
  dae_damping *r = &o->memory->report, before = *r;
  r->restarts++;
  DAE__TRY(smooth_follow_start(o, t, result.slowest, err));
  if (before.kind != DAE_DAMPING_REMOVED && before.restarts == 0)
    return DAE_OK;
  dae__copy(2, before.period, r->period);
  for (int i = 0; i < 2; i++) /* NaN: something was lost */
    r->frequency[i] = isnan(r->frequency[i]) ? NAN : before.frequency[i];
  r->exchange = isnan(r->exchange) ? NAN : before.exchange;
  r->drift = isnan(r->drift) ? NAN : before.drift;
  return DAE_OK;
}

/* ---- ends of steps ---- */

dae_status dae__smooth_follow(dae__smooth *o, double t, const double *y, dae_error *err)
{
  dae_status status = dae__follow_step(&o->follow, t, y, &o->memory->report);
  return status ? dae__fail(err, status, "damp", "what damp removed cannot be followed") : DAE_OK;
}

bool dae__smooth_follows(const dae__smooth *o)
{
  return o->follow.memory->modes > 0 && !o->follow.memory->lost;
}

dae_status dae__smooth_correct(dae__smooth *o, double t, double *y, bool *moved, dae_error *err)
{
  dae__smooth_form *form = &o->form;
  dae__zero(form->n, o->z);
  dae__copy(form->size, y, o->z);
  DAE__TRY(dae__smooth_form_select(form, t, o->z, err));
  /* independent of corrections elsewhere, as of output */
  dae__solver_reset(o->ladder.pass.matrix.solver);
  double cut = o->memory->cut, least = SMOOTH_REMOVED / *o->ladder.rate;
  double top = fmax(SMOOTH_CUT * cut, fmin(SMOOTH_CUT_MOST * cut, least));
  DAE__TRY(dae__ladder_descend(&o->ladder, t, top, o->z, moved, err));
  if (*moved)
    dae__copy(form->size, o->z, y);
  return DAE_OK;
}

double dae__smooth_cut(const dae__smooth *o)
{
  return o->memory->cut;
}

dae_damping dae__smooth_report(const dae__smooth *o)
{
  return o->memory->report;
}

void dae__smooth_count(const dae__smooth *o, dae_stats *stats)
{
  stats->iterations += o->ladder.pass.work->iterations;
  stats->factorisations += o->ladder.pass.work->factorisations;
  stats->evaluations += *o->form.s->evaluations;
}
