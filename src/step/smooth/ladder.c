/* The ladder of passes. */
#include "step/smooth/ladder.h"
#include "core/error.h"
#include "core/vec.h"

/* A move of this many tolerances is none. */
#define LADDER_QUIET 0.1
/* The same on the way down: a stiff force of a tenth of a tolerance may be larger than all others,
 * and stiffens the slow motion in the matrices. Chosen. */
#define LADDER_CLEAN 1e-4
/* Move at which passes at one rung are not repeated any more: what is left of the fast motion
 * limits the first steps. Chosen. */
#define LADDER_STILL 1e-3
/* A move of this many tolerances is one. */
#define LADDER_MOVED 1
/* Least move of a rung, relative to the largest one below it, at which the fast motion is removed
 * though the slow one, or what the stiff forces make of it, moves by more than a tolerance: tight
 * tolerances resolve more than the time scales separate. Chosen. */
#define LADDER_SEPARATED 1e-3
/* Ratio of neighbouring rungs: each mode meets rungs that leave 0.5, 0.04 and 0.004 of it. */
#define LADDER_RATIO 3.1622776601683795
/* Highest H relative to the time scale: a pass leaves 0.67 of an oscillation with 11 periods in 30
 * time scales. */
#define LADDER_HIGHEST 2.6
/* rate times H of the lowest rung, where a pass leaves 1 - 2e-7 of a mode */
#define LADDER_LOWEST 0.8
/* rate times H of the lowest rung on the way down */
#define LADDER_LOWEST_DOWN 10
/* Passes at a rung while each moves at most half as far as the one before */
#define LADDER_REPEATS 12
#define LADDER_DECREASE 0.5
/* Passes at the highest rung while each moves at most this part: oscillations with more than 11
 * periods in thirty times H* are removed there. */
#define LADDER_TOP_REPEATS 40
#define LADDER_TOP_DECREASE 0.7

/* Power iteration for the fastest rate: iterations at one H, and the ratio above which it does not
 * tell the rate. */
#define RATE_ITERATIONS 8
#define RATE_RESOLVED 0.9
#define RATE_SHRINK 1e-2
#define RATE_SIZES 12
/* Ratio that may be round-off. */
#define RATE_NOISE 1e-9

dae_status dae__ladder_create(dae__arena *arena, dae__smooth_form *form, dae__ladder *out,
                              dae_error *err)
{
  int n = form->n;
  *out = (dae__ladder){0};
  DAE__TRY(dae__smooth_pass_create(arena, form, DAE__SMOOTH_STAGES, &out->pass, err));
  DAE__TRY(dae__smooth_pass_create(arena, form, 2, &out->probe, err));
  out->rate = DAE__STATE(arena, double, 1);
  for (int i = 0; i < DAE__LADDER_RUNGS; i++)
    out->z[i] = DAE__ALLOC(arena, double, n);
  DAE__VECTORS(arena, n, &out->before, &out->a, &out->b, &out->state, &out->rates, &out->start,
               &out->kept, &out->at);
  DAE__TRY(dae__arena_status(arena, err));
  return dae__smooth_matrix_create(arena, form, 1, &out->euler, err);
}

void dae__ladder_free(dae__ladder *o)
{
  dae__smooth_pass_free(&o->pass);
  dae__smooth_pass_free(&o->probe);
  dae__solver_free(o->euler.solver);
}

/* ---- the filter, and the fastest rate ---- */

dae_status dae__ladder_factor(dae__ladder *o, double t, double H, const double *z, const double *dz,
                              dae_error *err)
{
  double c = 1 / H;
  DAE__TRY(dae__smooth_form_linearise(o->pass.form, t, z, dz, err));
  dae__smooth_matrix_add(&o->euler, o->pass.form, 0, &c);
  o->pass.work->factorisations++;
  return dae__solver_factor(o->euler.solver, o->euler.values);
}

void dae__ladder_filter(dae__ladder *o, double H, const double *x, double *out)
{
  const dae__smooth_form *form = o->pass.form;
  dae__zero(form->n, out);
  dae__matrix_times(&form->s->M, form->M, 1 / H, x, out);
  dae__solver_solve(o->euler.solver, out);
}

/* Whether a status ends the run, and is not that of a step that can be tried again. */
static bool ladder_fatal(dae_status status)
{
  return status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY;
}

/* Mean ratio |x - F x| / |x| of a power iteration x <- F (x - F x) at H: of a mode of rate w,
 * w H / sqrt(1 + (w H)^2) for oscillations. The second filter takes off what round-off leaves
 * beside the constraints, which x - F x alone amplifies by 1/(w H). 0: not found. */
static double ladder_power_iteration(dae__ladder *o, double H, const double *z)
{
  const dae__smooth_form *form = o->pass.form;
  int n = form->n;
  double sum = 0;
  for (int i = 0; i < n; i++) /* any vector with a part in every mode */
    o->state[i] = (i % 2 ? -1 : 1) * (1 + 0.5 * sin(i + 1.));
  for (int i = 0; i < 2 * RATE_ITERATIONS; i++) {
    dae__ladder_filter(o, H, o->state, o->a);
    double norm = dae__smooth_form_norm(form, o->a, z);
    if (!isfinite(norm) || norm == 0)
      return 0;
    dae__scale(n, 1 / norm, o->a);
    dae__ladder_filter(o, H, o->a, o->b);
    dae__copy(n, o->a, o->state);
    dae__axpy(n, -1, o->b, o->state);
    sum += i < RATE_ITERATIONS ? 0 : log(dae__smooth_form_norm(form, o->state, z));
  }
  return exp(sum / RATE_ITERATIONS);
}

/* Fastest rate, the largest one that power iterations find at sizes H from that of slow motion
 * down: each finds the mode with a rate near 1/H, or the fastest one where all are slower. 0: none
 * is found. Fails for lack of memory only. */
static dae_status ladder_fastest_rate(dae__ladder *o, double t, double H, const double *z,
                                      const double *dz, double *rate)
{
  *rate = 0;
  for (int size = 0; size < RATE_SIZES; size++, H *= RATE_SHRINK) {
    dae_status status = dae__ladder_factor(o, t, H, z, dz, NULL);
    if (status)
      return ladder_fatal(status) ? status : DAE_OK;
    double ratio = ladder_power_iteration(o, H, z);
    if (!(ratio > RATE_NOISE && isfinite(ratio)))
      return DAE_OK;
    *rate = fmax(*rate, ratio < RATE_RESOLVED ? ratio / sqrt(1 - ratio * ratio) / H : 1 / H);
  }
  return DAE_OK;
}

/* Rate at which the motion leaves its place: of coordinates of size |q| with velocities v and
 * accelerations a. A pendulum released from the horizontal has no other one, as its linearised
 * motion is free there. */
static double ladder_travel_rate(const dae__ladder *o, const double *z, const double *dz)
{
  int nq = o->pass.form->nq;
  double size = dae__max_abs(nq, z);
  return size > 0 ? fmax(dae__max_abs(nq, dz) / size, sqrt(dae__max_abs(nq, dz + nq) / size)) : 0;
}

/* ---- the ladder ---- */

/* Accelerations at z, in the entries of the velocities of out; x' of other problems without M, else
 * 0. */
static dae_status ladder_accelerate(dae__ladder *o, double t, const double *z, double *out)
{
  dae__smooth_form *form = o->pass.form;
  dae__zero(form->n, out);
  if (!form->motion) {
    dae_status status = form->s->p->M ? DAE_OK : dae__semi_rhs(form->s, t, z, out, NULL);
    dae__zero(form->n - form->nx, out + form->nx);
    return status;
  }
  dae__copy(form->n, z, o->state);
  DAE__TRY(dae__motion_accelerate(form->motion, t, o->state, out, NULL));
  dae__zero(form->nq, out);
  dae__zero(form->n - 2 * form->nq, out + 2 * form->nq);
  return DAE_OK;
}

dae_status dae__ladder_measure(dae__ladder *o, double t, const double *from, const double *z,
                               double *moved)
{
  const dae__smooth_form *form = o->pass.form;
  int n = form->n;
  DAE__TRY(ladder_accelerate(o, t, z, o->a));
  DAE__TRY(ladder_accelerate(o, t, from, o->rates));
  dae__axpy(n, -1, o->rates, o->a);
  dae__scale(n, *o->rate > 0 ? 1 / *o->rate : 0, o->a);
  double later = dae__smooth_form_norm(form, o->a, o->at);
  dae__copy(n, z, o->a);
  dae__axpy(n, -1, from, o->a);
  *moved = fmax(later, dae__smooth_form_norm(form, o->a, o->at));
  if (*moved <= dae__smooth_form_noise(form, *o->rate, o->at))
    *moved = 0;
  return DAE_OK;
}

/* One pass at rung H; *moved in tolerances; a pass that fails leaves z as it is. */
static dae_status ladder_pass(dae__ladder *o, dae__smooth_pass *pass, double t, double H, double *z,
                              double *moved)
{
  int n = o->pass.form->n;
  dae__copy(n, z, o->before);
  dae_status status = dae__smooth_pass_make(pass, t, H, z, NULL);
  if (!status)
    status = dae__ladder_measure(o, t, o->before, z, moved);
  if (status)
    dae__copy(n, o->before, z);
  return status;
}

/* Further passes at a rung while each moves at most `decrease` of the one before; one that does not
 * is undone. */
static dae_status ladder_repeat(dae__ladder *o, double t, dae__ladder_rung *rung, int most,
                                double decrease, double *z)
{
  for (int i = 0; i < most && rung->last > LADDER_STILL; i++) {
    double moved = INFINITY;
    dae_status status = ladder_pass(o, &o->pass, t, rung->H, z, &moved);
    if (ladder_fatal(status))
      return status;
    if (status)
      break;
    if (!(moved <= decrease * rung->last)) {
      dae__copy(o->pass.form->n, o->before, z);
      break;
    }
    rung->last = moved;
  }
  return DAE_OK;
}

/* From the smallest H beside this rate up to `top`, as far as passes converge. */
static dae_status ladder_up(dae__ladder *o, double t, double top, double rate, double *z)
{
  int count = 0;
  o->rungs = 0;
  while (count < DAE__LADDER_RUNGS && rate * top * pow(LADDER_RATIO, -count) >= LADDER_LOWEST)
    count++;
  for (int k = count - 1; k >= 0; k--) {
    dae__ladder_rung *rung = &o->rung[o->rungs];
    *rung = (dae__ladder_rung){.H = top * pow(LADDER_RATIO, -k)};
    dae_status status = ladder_pass(o, &o->pass, t, rung->H, z, &rung->first);
    if (ladder_fatal(status))
      return status;
    if (status)
      break;
    rung->last = rung->first;
    DAE__TRY(ladder_repeat(o, t, rung, LADDER_REPEATS, LADDER_DECREASE, z));
    dae__copy(o->pass.form->n, z, o->z[o->rungs++]);
  }
  return DAE_OK;
}

/* Rung of the least move; -1: it is not small beside those of the rungs below. */
static int ladder_separated(const dae__ladder *o)
{
  int least = 0;
  double removed = 0;
  for (int i = 1; i < o->rungs; i++)
    least = o->rung[i].last < o->rung[least].last ? i : least;
  for (int i = 0; i <= least; i++)
    removed = fmax(removed, o->rung[i].first);
  return o->rung[least].last <= LADDER_SEPARATED * removed ? least : -1;
}

/* Selects the rung up to which the state is slow; -1: the start as it was. */
static dae_status ladder_cut(dae__ladder *o, double t, bool given, double *z, int *cut,
                             dae__ladder_end *end)
{
  int top = o->rungs - 1, quiet = top;
  dae__ladder_rung *highest = &o->rung[top];
  bool removed = false;
  while (quiet >= 0 && o->rung[quiet].last > LADDER_QUIET)
    quiet--;
  for (int i = 0; i < quiet; i++)
    removed = removed || o->rung[i].first > LADDER_MOVED;
  *cut = top;
  *end = DAE__LADDER_QUIET;
  if (quiet == top)
    return DAE_OK;
  *end = DAE__LADDER_GAP;
  *cut = quiet;
  if (removed && !given)
    return DAE_OK;
  DAE__TRY(ladder_repeat(o, t, highest, LADDER_TOP_REPEATS, LADDER_TOP_DECREASE, z));
  bool all = highest->last <= LADDER_QUIET;
  *end = all ? DAE__LADDER_ALL : highest->last <= 1 ? DAE__LADDER_SLOW : DAE__LADDER_NO_GAP;
  if (*end != DAE__LADDER_NO_GAP) {
    *cut = top;
    dae__copy(o->pass.form->n, z, o->z[top]);
  } else if (quiet < 0 && ladder_separated(o) >= 0) {
    *end = DAE__LADDER_GAP;
    *cut = ladder_separated(o);
    if (*cut == top)
      dae__copy(o->pass.form->n, z, o->z[top]);
  }
  return DAE_OK;
}

dae_status dae__ladder_descend(dae__ladder *o, double t, double top, double *z, bool *moved,
                               dae_error *err)
{
  double least = LADDER_LOWEST_DOWN / *o->rate;
  int count = top >= least ? 1 + (int)(log(top / least) / log(LADDER_RATIO)) : 0;
  *moved = false;
  dae__copy(o->pass.form->n, z, o->at);
  for (int k = count - 1; k >= 0; k--) {
    dae__ladder_rung rung = {.H = least * pow(LADDER_RATIO, k)};
    bool lowest = k == 0;
    dae_status status = ladder_pass(o, &o->pass, t, rung.H, z, &rung.last);
    *moved = *moved || !status;
    if (!status && lowest)
      status = ladder_repeat(o, t, &rung, LADDER_TOP_REPEATS, LADDER_TOP_DECREASE, z);
    if (ladder_fatal(status))
      return dae__fail(err, status, "damp", "the slow motion is not found at t = %.10g", t);
    if (!status && rung.last <= LADDER_CLEAN) /* a smaller pass may converge where one does not */
      break;
  }
  return DAE_OK;
}

/* *rate: of what the state z holds that is not far slower than the time scale, by the ratio of two
 * moves of the passes by 2 stages; 0: nothing, or not known. A smaller ratio is that of what stiff
 * forces make of slow motion. */
static dae_status ladder_probe(dae__ladder *o, double t, double H, const double *z, double *rate)
{
  double moved[2] = {0};
  *rate = 0;
  dae__copy(o->pass.form->n, z, o->kept);
  for (int i = 0; i < 2; i++) {
    dae_status status = ladder_pass(o, &o->probe, t, H, o->kept, &moved[i]);
    if (status)
      return ladder_fatal(status) ? status : DAE_OK;
  }
  if (moved[0] > LADDER_QUIET && moved[1] > LADDER_TOP_DECREASE * moved[0])
    *rate = dae__smooth_pass_resolve(moved[1] / moved[0]) / H;
  return DAE_OK;
}

dae_status dae__ladder_climb(dae__ladder *o, double t, double top, bool given, const double *dz,
                             double *z, dae__ladder_result *out, dae_error *err)
{
  int n = o->pass.form->n, cut = -1;
  bool moved;
  *out = (dae__ladder_result){.end = DAE__LADDER_NONE, .cut = top, .slowest = 0};
  double linear;
  dae_status status = ladder_fastest_rate(o, t, top, z, dz, &linear);
  double rate = fmax(linear, ladder_travel_rate(o, z, dz));
  *o->rate = fmax(linear, LADDER_LOWEST / (LADDER_HIGHEST * top));
  dae__copy(n, z, o->start);
  dae__copy(n, z, o->at);
  o->rungs = 0;
  if (!status)
    status = ladder_up(o, t, LADDER_HIGHEST * top, rate, z);
  if (!status && o->rungs > 0)
    status = ladder_cut(o, t, given, z, &cut, &out->end);
  for (int i = 0; i <= cut; i++)
    if (o->rung[i].first > LADDER_MOVED)
      out->slowest = o->rung[i].H / LADDER_HIGHEST;
  if (!status && out->end != DAE__LADDER_GAP && out->end != DAE__LADDER_ALL)
    status = ladder_probe(o, t, top, cut >= 0 ? o->z[cut] : o->start, &out->above);
  if ((cut < 0 || out->end == DAE__LADDER_NO_GAP) && out->above == 0)
    out->above = linear; /* also where no pass converges: nothing is known to be slow */
  dae__copy(n, cut >= 0 ? o->z[cut] : o->start, z);
  if (o->rungs > 0) /* without a cut all that moves is kept */
    out->cut = o->rung[cut >= 0 ? cut : 0].H / LADDER_HIGHEST;
  if (!status && cut >= 0)
    status = dae__ladder_descend(o, t, o->rung[cut].H / LADDER_RATIO, z, &moved, NULL);
  return status ? dae__fail(err, status, "damp", "the slow motion is not found at t = %.10g", t)
                : DAE_OK;
}
