/* The three ways to solve the stage system, and when which. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "onestep/spark/full.h"
#include "onestep/spark/simplified.h"
#include <float.h>

/* ---- the three ways ---- */

/* the middle of the step, as it is known */
static dae__face_at spark_middle(dae__stages *st)
{
  const dae__face *c = &st->face;
  double *y = st->Yt, *z = st->x;
  for (int n = 0; n < c->ny; n++)
    y[n] = (st->now.Y[n] + st->now.Y[(st->s + 1) * c->ny + n]) / 2;
  for (int n = 0; n < c->nz; n++)
    z[n] = (st->now.Z[n] + st->now.Z[(st->s + 1) * c->nz + n]) / 2;
  return (dae__face_at){st->t + st->h / 2, y, z};
}

/* the mean of count vectors */
static const double *spark_mean(int count, int n, const double *values, double *out)
{
  dae__zero(n, out);
  for (int i = 0; i < count; i++)
    dae__axpy(n, 1.0 / count, values + (size_t)i * (size_t)n, out);
  return out;
}

static dae__face_multipliers spark_multipliers(dae__stages *st)
{
  const dae__face *c = &st->face;
  return (dae__face_multipliers){
      .lambda = spark_mean(st->nt, c->ng, st->now.L, st->R6),
      .psi = spark_mean(st->s, c->nk, st->now.Psi, st->R7),
  };
}

/* matrices (2) and (3), at the middle of the predicted step */
static dae_status spark_factor_matrices(dae__stages *st, dae_error *err)
{
  dae__face_at at = spark_middle(st);
  dae__face_multipliers with = spark_multipliers(st);
  st->memory->factored = true;
  st->memory->factorisations++;
  st->memory->jacobians++;
  return st->face.matrices->factor(st->face.self, &at, &with, err);
}

/* the blocks of the richer iteration, which know f_y, f_z and k_y */
static dae_status spark_factor_blocks(dae__stages *st, dae_error *err)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  dae__face_at at = spark_middle(st);
  dae__face_multipliers with = spark_multipliers(st);
  dae_status status = dae__decoupled_derive(c->richer, &at, &with, err);
  st->memory->blocks = true;
  st->memory->jacobians++;
  for (int k = 0; k < tr->blocks && !status; k++) {
    status = dae__decoupled_factor(c->richer, k, st->h * tr->mu[k], err);
    st->memory->factorisations++;
  }
  return status;
}

/* the whole Jacobian, at the iterate */
static dae_status spark_factor_full(dae__stages *st, dae_error *err)
{
  st->memory->whole = true;
  st->memory->jacobians++;
  st->memory->factorisations++;
  return dae__full_factor(st->full, st, err);
}

/* the full Jacobian, if it is not there yet; in memory of its own, since most never need it */
static dae_status spark_make_full(dae__stages *st, dae_error *err)
{
  if (!st->full) {
    dae__arena_free(st->full_arena);
    st->full_arena = dae__arena_create(st->env);
    if (!st->full_arena)
      return dae__out_of_memory(err);
    DAE__TRY(dae__full_create(st->full_arena, st->tableau, &st->face, &st->full, err));
  }
  if (st->full_arena) /* what is loaded has not seen its pivots */
    dae__full_forget(st->full);
  return DAE_OK;
}

static dae_status spark_factor(dae__stages *st, dae_error *err)
{
  if (st->way == DAE__STAGES_FULL)
    return spark_factor_full(st, err);
  dae_status status = spark_factor_matrices(st, err);
  if (!status && st->way == DAE__STAGES_DECOUPLED)
    status = spark_factor_blocks(st, err);
  return status;
}

static dae_status spark_start(dae__stages *st, double t, double h, const double *y0,
                              const double *z0, dae_error *err)
{
  const dae__face *c = &st->face;
  st->t = t;
  st->h = h;
  dae__copy(c->ny, y0, st->now.Y);
  dae__copy(c->nz, z0, st->now.Z);
  dae__stages_predict(st);
  for (int i = 1; i <= st->s + 1; i++)
    dae__copy(c->ny, y0, dae__stage_vector(st->now.Y, i, c->ny));
  dae__face_at at = {t, y0, z0};
  dae_status status = c->table->p(c->self, &at, st->p0, err);
  int sweeps = st->way == DAE__STAGES_SIMPLIFIED || !st->transform ? 2 : 1; /* v may be stiff */
  for (int sweep = 0; sweep < sweeps && !status; sweep++)
    status = dae__stages_refresh(st, NULL, NULL, err);
  return status ? status : spark_factor(st, err);
}

/* one iteration; *change: of Y and Z */
static dae_status spark_iterate(dae__stages *st, const dae__stages_goal *goal, double *change,
                                dae_error *err)
{
  bool full = st->way == DAE__STAGES_FULL;
  *change = 0;
  dae_status status =
      full ? dae__stages_v(st, err) : dae__stages_refresh(st, goal->y_weight, change, err);
  if (!status)
    status = dae__stages_evaluate(st, err);
  DAE__TRY(status);
  *change = full ? dae__full_increment(st->full, st, goal)
                 : fmax(*change, dae__simplified_increment(st, goal->z_weight));
  st->memory->iterations++;
  return DAE_OK;
}

/* ---- convergence ---- */

/* so many iterations without halving the change have come to round-off: fewer would take the
 * complex eigenvalues of A for it */
#define STAGNATION 3
/* the change has to shrink by this factor in three iterations, and not to grow in two, or the next
 * way is taken; by then the iterates may be far off, and begin anew */
#define TOO_SLOW 0.5
/* or where more than so many modified iterations are to be expected */
#define PATIENCE 20
/* the full Jacobian is evaluated anew where the change shrinks by less than this */
#define REFRESHED 0.3
/* steps that begin with a way once it was needed */
#define STAYS 20
/* the richer way has to contract better than the modified one by this, or it is not worth it */
#define WORTH 0.5
/* steps for which it is then left alone */
#define TRUSTED 50
/* whether the richer way, as it was last seen, is worth its factorisations */
static bool spark_decoupled_is_worth(const dae__stages_memory *m)
{
  const double *c = m->contraction;
  return m->trusted > 0 && c[DAE__STAGES_DECOUPLED] < WORTH * c[DAE__STAGES_SIMPLIFIED];
}

static bool spark_has_blocks(const dae__stages *st)
{
  return st->transform && st->transform->blocks > 0 && st->face.richer;
}

static bool spark_offers(const dae__stages *st, const dae__stages_goal *goal,
                         dae__stages_strategy way)
{
  if (way == DAE__STAGES_FULL)
    return goal->full || !st->transform;
  if (way == DAE__STAGES_DECOUPLED)
    return spark_has_blocks(st) &&
           (goal->full || st->memory->trusted == 0 || spark_decoupled_is_worth(st->memory));
  return st->transform;
}

/* the next way after this one; false: there is none */
static bool spark_next_strategy(const dae__stages *st, const dae__stages_goal *goal,
                                dae__stages_strategy *way)
{
  for (dae__stages_strategy next = *way; next < DAE__STAGES_FULL;)
    if (spark_offers(st, goal, ++next)) {
      *way = next;
      return true;
    }
  return false;
}

/* remembers how the changes shrank, from `first` to `last` in so many iterations */
static void spark_observe(dae__stages *st, double first, double last, int iterations)
{
  if (st->way == DAE__STAGES_FULL || iterations < 2 || !isfinite(last) || !(first > 0))
    return;
  double rate = pow(fmax(last / first, DBL_MIN), 1.0 / (iterations - 1));
  st->memory->contraction[st->way] = rate / st->h;
  if (st->way == DAE__STAGES_DECOUPLED)
    st->memory->trusted = TRUSTED;
}

/* names the constraint whose multiplier changes most, or where there are none the variable */
static dae_status spark_not_converged(const dae__stages *st, dae_error *err)
{
  const dae__face *c = &st->face;
  bool full = st->way == DAE__STAGES_FULL;
  char name[64];
  dae__face_name(c, full ? dae__full_worst(st->full) : dae__simplified_worst(st), name,
                 sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the iteration of the stages does not converge with step size %.3g, worst at %s",
                   st->h, name);
}

/* iterates until the goal is reached; DAE_ERROR_STEP: it is too slow, or diverges */
static dae_status spark_converge(dae__stages *st, const dae__stages_goal *goal, dae_error *err)
{
  double best = INFINITY, before[3] = {INFINITY, INFINITY, INFINITY}, first = 0, change = 0;
  dae__stages_strategy beyond = st->way;
  bool full = st->way == DAE__STAGES_FULL, last = !spark_next_strategy(st, goal, &beyond);
  bool moves_y = st->way != DAE__STAGES_SIMPLIFIED;
  int since = 0, i; /* since: the best was halved */
  for (i = 0; i < goal->most; i++) {
    dae_status status = spark_iterate(st, goal, &change, err);
    DAE__TRY(status);
    first = i == 0 ? change : first;
    since = change <= best / 2 ? 0 : since + 1;
    best = fmin(best, change);
    bool stagnates = since >= STAGNATION && best <= goal->bearable;
    if (change <= goal->goal || stagnates) {
      if (!stagnates)
        spark_observe(st, first, change, i + 1);
      return moves_y
                 ? DAE_OK
                 : dae__stages_refresh(st, NULL, NULL, err); /* y1 has to belong to the last Z */
    }
    double rate = i > 3 && !moves_y && goal->full ? pow(change / first, 1.0 / i) : 0;
    bool slow = change > TOO_SLOW * before[0] || change > before[1] ||
                i + log(goal->goal / change) / log(rate) > PATIENCE;
    slow = slow && change > goal->bearable;
    if ((slow && !last) || !isfinite(change) || change > 1e3 * fmax(best, 1))
      break;
    if (full && change > REFRESHED * before[2] && change > goal->bearable)
      status = spark_factor_full(st, err);
    DAE__TRY(status);
    before[0] = before[1];
    before[1] = before[2];
    before[2] = change;
  }
  spark_observe(st, first, change, i < goal->most ? i + 1 : i);
  return spark_not_converged(st, err);
}

dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err)
{
  dae__stages_memory *m = st->memory;
  dae_status status;
  bool again, changed = m->stays == 1;
  st->way = m->stays > 0 ? m->begin : DAE__STAGES_SIMPLIFIED;
  if (!spark_offers(st, goal, st->way))
    spark_next_strategy(st, goal, &st->way);
  do {
    status = st->way == DAE__STAGES_FULL ? spark_make_full(st, err) : DAE_OK;
    if (!status)
      status = spark_start(st, t, h, y0, z0, err);
    if (!status)
      status = spark_converge(st, goal, err);
    again = (status == DAE_ERROR_STEP || status == DAE_ERROR_RECOVERABLE) &&
            spark_next_strategy(st, goal, &st->way);
    changed = changed || again;
  } while (again);
  m->stays -= m->stays > 0;
  if (changed) {
    bool idle = st->way == DAE__STAGES_DECOUPLED && !goal->full && !spark_decoupled_is_worth(m);
    m->begin = st->way;
    m->stays = idle ? 0 : STAYS;
  }
  return status;
}

double dae__stages_contraction(const dae__stages *st)
{
  return st->way < DAE__STAGES_FULL ? st->memory->contraction[st->way] * st->h : 0;
}
