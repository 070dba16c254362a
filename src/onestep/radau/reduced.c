/* The reduced form: assembly of its matrices, preconditioning, blocks and their factors. */
#include "onestep/radau/reduced.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/fronts/plan.h"
#include "onestep/host/sums.h"

/* ---- terms ---- */

void dae__reduced_term_add(dae__arena *arena, dae__reduced_terms *terms, dae__reduced_place place,
                           const dae_pattern *pattern, const double *values)
{
  if (dae__arena_failed(arena))
    return;
  DAE__ASSERT(terms->count < DAE__REDUCED_TERMS);
  dae__reduced_term *t = &terms->at[terms->count++];
  *t = (dae__reduced_term){
      .power = place.power, .factor = place.factor, .values = values, .pattern = *pattern};
  if (place.col1 > 0) { /* pattern of the columns col0 ... col1 - 1 only */
    int first = pattern->start[place.col0], cols = place.col1 - place.col0;
    int *start = DAE__UNINIT(arena, int, cols + 1);
    for (int j = 0; start && j <= cols; j++)
      start[j] = pattern->start[place.col0 + j] - first;
    t->pattern = (dae_pattern){pattern->rows, cols, start, pattern->row + first};
    t->values += first;
  }
  t->block = (dae__block){.row = place.row, .col = place.col, .transposed = place.transposed};
}

void dae__reduced_merge(dae__arena *arena, dae__reduced_terms *terms, dae__reduced *r)
{
  dae__block blocks[DAE__REDUCED_TERMS + 1];
  int count = terms->count;
  dae_pattern all;
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < count; i++) {
    blocks[i] = terms->at[i].block;
    blocks[i].pattern = &terms->at[i].pattern;
  }
  if (r->n <= DAE__SMALL_N) { /* dense pattern for the dense solvers of small systems */
    all = dae__pattern_dense(arena, r->n, r->n);
    blocks[count++] = (dae__block){.pattern = &all};
    if (dae__arena_failed(arena))
      return;
  }
  r->pattern = dae__blocks_merge(arena, r->n, r->n, blocks, count);
  for (int i = 0; i < terms->count; i++)
    terms->at[i].block = blocks[i];
  if (dae__arena_failed(arena))
    return;
  for (int p = 0; p < r->powers; p++)
    r->P[p] = DAE__STATE(arena, double, dae__pattern_count(&r->pattern));
}

void dae__reduced_gather(const dae__reduced_terms *terms, dae__reduced *r)
{
  for (int p = 0; p < r->powers; p++)
    dae__zero(dae__pattern_count(&r->pattern), r->P[p]);
  for (int i = 0; i < terms->count; i++) {
    const dae__reduced_term *t = &terms->at[i];
    dae__block_add(&(dae__block){.pattern = &t->pattern, .map = t->block.map}, t->factor, t->values,
                   r->P[t->power]);
  }
}

/* ---- preconditioning ---- */

/* P = P0\P in the first `count` columns */
static void reduced_precondition_columns(const dae__reduced *r, int count, double *P)
{
  for (int j = 0; j < count; j++, P += r->n)
    /* skips zero columns: most coordinates occur in no force or second derivative */
    if (dae__max_abs(r->n, P) != 0)
      r->table->precondition(r->self, P);
}

static dae_status reduced_set_patterns(void *self)
{
  const dae__reduced *r = self;
  const dae_pattern *pattern = r->memory->preconditioned ? &r->differential : &r->pattern;
  dae__solver_set_pattern(r->real, pattern);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_set_pattern(r->pair[i], pattern);
  return DAE_OK;
}

void dae__reduced_precondition(dae__reduced *r, bool wanted)
{
  bool on = wanted && r->differential.cols > 0 && r->table->factor_preconditioner(r->self);
  if (on) {
    reduced_precondition_columns(r, r->n2 + r->n1, r->P[1]);
    reduced_precondition_columns(r, r->n2, r->P[2]);
  }
  if (on == r->memory->preconditioned)
    return;
  r->memory->preconditioned = on;
  reduced_set_patterns(r);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_reset(r->pair[i]);
}

void dae__reduced_update_algebraic(const dae__reduced *r, const double *dz, double *y)
{
  int n = r->n, d = r->n2 + r->n1;
  DAE__ASSERT(r->memory->preconditioned);
  for (int j = 0; j < r->n2; j++)
    dae__axpy(n - d, -dz[j], r->P[2] + j * n + d, y);
  for (int j = 0; j < d; j++)
    dae__axpy(n - d, -dz[r->n2 + j], r->P[1] + j * n + d, y);
}

/* ---- blocks ---- */

/* values = entries of B(w) */
static void reduced_fill(dae__reduced *r, double w)
{
  int n = r->n, d = dae__reduced_rows(r), count = dae__pattern_count(&r->pattern);
  const double *restrict P0 = r->P[0], *restrict P1 = r->P[1], *restrict P2 = r->P[2];
  double *restrict to = r->values, square = w * w;
  if (r->memory->preconditioned)
    for (int j = 0; j < d; j++, P1 += n, P2 += n, to += d) { /* P0 = 1 by preconditioning */
      for (int i = 0; i < d; i++)
        to[i] = w * P1[i] + w * w * P2[i];
      to[j] += 1;
    }
  else if (r->powers == 2)
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e];
  else
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e] + square * P2[e];
}

/* zvalues = entries of B(w), real and imaginary parts alternating */
static void reduced_fill_pair(dae__reduced *r, double complex w)
{
  int n = r->n, d = dae__reduced_rows(r), count = dae__pattern_count(&r->pattern);
  const double *restrict P0 = r->P[0], *restrict P1 = r->P[1], *restrict P2 = r->P[2];
  double *restrict z = (double *)r->zvalues;
  double a = creal(w), b = cimag(w), a2 = a * a - b * b, b2 = 2 * a * b;
  if (r->memory->preconditioned)
    for (int j = 0; j < d; j++, P1 += n, P2 += n, z += 2 * d) { /* P0 = 1 by preconditioning */
      for (int i = 0; i < d; i++) {
        z[2 * i] = a * P1[i] + a2 * P2[i];
        z[2 * i + 1] = b * P1[i] + b2 * P2[i];
      }
      z[2 * j] += 1;
    }
  else if (r->powers == 2)
    for (int e = 0; e < count; e++) {
      z[2 * e] = P0[e] + a * P1[e];
      z[2 * e + 1] = b * P1[e];
    }
  else
    for (int e = 0; e < count; e++) {
      z[2 * e] = P0[e] + a * P1[e] + a2 * P2[e];
      z[2 * e + 1] = b * P1[e] + b2 * P2[e];
    }
}

static dae_status reduced_not_factored(const dae__reduced *r, dae_status status, int column,
                                       dae_error *err)
{
  char name[64] = "";
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "no memory for a factorisation with other pivots");
  if (status == DAE_ERROR_RECOVERABLE)
    return dae__fail(err, status, NULL, "an entry of the iteration matrix is not finite");
  if (column >= 0)
    r->table->name(r->self, column, name, sizeof name);
  return dae__fail(err, status, name[0] ? name : NULL,
                   "the iteration matrix of the stages is singular%s%s: an equation is missing, or "
                   "the constraints are linearly dependent at this point",
                   name[0] ? " at " : "", name);
}

dae_status dae__reduced_factor(dae__reduced *r, double real, int pairs, const double complex *pair,
                               dae_error *err)
{
  reduced_fill(r, real);
  dae_status status = dae__solver_factor(r->real, r->values);
  r->memory->factorisations++;
  if (status)
    return reduced_not_factored(r, status, dae__solver_column(r->real), err);
  for (int i = 0; i < pairs; i++) {
    reduced_fill_pair(r, pair[i]);
    status = dae__zsolver_factor(r->pair[i], r->zvalues);
    r->memory->factorisations++;
    if (status)
      return reduced_not_factored(r, status, dae__zsolver_column(r->pair[i]), err);
  }
  return DAE_OK;
}

/* The same with dense matrices P. */
static void reduced_filter_dense(const dae__reduced *r, double w, const double *e,
                                 const double *e_q, double *out)
{
  int n = r->n, dynamic = r->n2 + r->n1;
  double P0_e[DAE__SMALL_N];
  if (!r->memory->preconditioned) { /* else P0 = 1 by preconditioning */
    dae__sum_rows(dynamic, e, dynamic, n, r->P[0], P0_e);
    e = P0_e;
  }
  if (r->n2 > 0)
    dae__add_rows(r->n2, e_q, -w, dynamic, n, r->P[2], e, out);
  else
    dae__copy(dynamic, e, out);
}

void dae__reduced_filter(const dae__reduced *r, double w, const double *e, const double *e_q,
                         double *out)
{
  const dae_pattern *p = &r->pattern;
  int n = r->n, dynamic = r->n2 + r->n1;
  dae__zero(n, out);
  if (n <= DAE__SMALL_N)
    reduced_filter_dense(r, w, e, e_q, out);
  for (int j = 0; n > DAE__SMALL_N && j < dynamic; j++) { /* sparse matrices P */
    const double *P0 = r->P[0], *P2 = j < r->n2 ? r->P[2] : P0, a = e[j];
    const double b = j < r->n2 ? w * e_q[j] : 0;
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += P0[i] * a - P2[i] * b;
  }
  dae__zero(n - dynamic, out + dynamic);
}

/* ---- second set of solvers ---- */

static void reduced_exchange_solvers(dae__reduced *r)
{
  dae__solver *real = r->real;
  r->real = r->other_real;
  r->other_real = real;
  for (int i = 0; i < r->pairs; i++) {
    dae__zsolver *pair = r->pair[i];
    r->pair[i] = r->other_pair[i];
    r->other_pair[i] = pair;
  }
}

void dae__reduced_other_solvers(dae__reduced *r, bool other)
{
  reduced_exchange_solvers(r);
  if (!other)
    return;
  if (r->differential.cols > 0)
    reduced_set_patterns(r);
  dae__solver_reset(r->real);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_reset(r->pair[i]);
}

/* ---- creation ---- */

/* All blocks have the same pattern, and are factored in the same order. */
static void reduced_set_plan(dae__reduced *r, dae__arena *arena)
{
  const dae__fronts_plan *plan = dae__fronts_plan_create(arena, &r->pattern, r->late, false);
  for (int set = 0; set < 2; set++) {
    dae__solver_set_plan(arena, plan, r->real);
    for (int i = 0; i < r->pairs; i++)
      dae__solver_set_plan(arena, plan, r->pair[i]);
    reduced_exchange_solvers(r);
  }
}

static dae_status reduced_create_problem(dae__reduced *r, dae__arena *arena,
                                         const dae_adapter *adapter, dae_error *err)
{
  if (adapter->forms->m)
    DAE__TRY(dae__reduced_mechanical(arena, adapter, r, err));
  else
    DAE__TRY(dae__reduced_semi(arena, adapter, r, err));
  DAE__ASSERT(!r->table->factor_preconditioner == !r->table->precondition);
  for (int i = 0; i < r->n; i++)
    r->tested_count += r->tested[i];
  if (r->table->factor_preconditioner)
    r->differential = dae__pattern_dense(arena, r->n2 + r->n1, r->n2 + r->n1);
  int count = dae__pattern_count(&r->pattern);
  r->values = DAE__ALLOC(arena, double, count);
  r->zvalues = DAE__ALLOC(arena, double complex, count);
  r->memory = DAE__STATE(arena, dae__reduced_memory, 1);
  DAE__TRY(dae__arena_status(arena, err));
  if (r->differential.cols > 0)
    dae__arena_on_load(arena, reduced_set_patterns, r);
  DAE__LIMIT_COUNTER(arena, &r->memory->jacobians, 2);
  DAE__LIMIT(arena, &r->memory->preconditioned, 1, 0, r->differential.cols > 0);
  for (int set = 0; set < 2; set++) {
    DAE__TRY(dae__solver_create_iteration(arena, &r->pattern, &r->real, err));
    for (int i = 0; i < r->pairs; i++)
      DAE__TRY(dae__zsolver_create(arena, &r->pattern, &r->pair[i], err));
    reduced_exchange_solvers(r);
  }
  if (r->late > 0 && dae__solver_takes_plan(r->real))
    reduced_set_plan(r, arena);
  return dae__arena_status(arena, err);
}

dae_status dae__reduced_create(dae__arena *arena, const dae_adapter *adapter, int pairs,
                               dae__reduced **out, dae_error *err)
{
  dae__reduced *r = DAE__ALLOC(arena, dae__reduced, 1);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  r->pairs = pairs;
  dae_status status = reduced_create_problem(r, arena, adapter, err);
  if (status)
    dae__reduced_free(r);
  else
    *out = r;
  return status;
}

void dae__reduced_free(dae__reduced *r)
{
  if (!r)
    return;
  for (int set = 0; set < 2; set++) {
    dae__solver_free(r->real);
    for (int i = 0; i < r->pairs; i++)
      dae__zsolver_free(r->pair[i]);
    reduced_exchange_solvers(r);
  }
}
