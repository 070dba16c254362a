#include "onestep/radau/reduced.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"

/* ---- terms ---- */

/* columns first to end - 1, whose entries are those of p from p->start[first] on */
static dae_pattern reduced_columns(dae__arena *arena, const dae_pattern *p, int first, int end)
{
  int *start = DAE__UNINIT(arena, int, end - first + 1);
  if (start)
    for (int j = first; j <= end; j++)
      start[j - first] = p->start[j] - p->start[first];
  return (dae_pattern){p->rows, end - first, start, p->row + p->start[first]};
}

void dae__reduced_term_add(dae__arena *arena, dae__reduced_terms *terms, dae__reduced_place place,
                           const dae_pattern *pattern, const double *values)
{
  if (dae__arena_failed(arena))
    return;
  dae__reduced_term *t = &terms->at[terms->count++];
  *t = (dae__reduced_term){
      .power = place.power, .factor = place.factor, .values = values, .pattern = *pattern};
  if (place.col1 > 0) {
    t->pattern = reduced_columns(arena, pattern, place.col0, place.col1);
    t->values += pattern->start[place.col0];
  }
  t->block = (dae__block){.row = place.row, .col = place.col, .transposed = place.transposed};
}

/* the union of all terms */
static dae_pattern reduced_merged(dae__arena *arena, dae__reduced_terms *terms, int n)
{
  dae__block blocks[DAE__REDUCED_TERMS];
  for (int i = 0; i < terms->count; i++) {
    blocks[i] = terms->at[i].block;
    blocks[i].pattern = &terms->at[i].pattern;
  }
  dae_pattern pattern = dae__blocks_merge(arena, n, n, blocks, terms->count);
  for (int i = 0; i < terms->count; i++)
    terms->at[i].block = blocks[i];
  return pattern;
}

void dae__reduced_merge(dae__arena *arena, dae__reduced_terms *terms, dae__reduced *r)
{
  if (dae__arena_failed(arena))
    return;
  /* the solvers of few unknowns take all entries, and need not be told where zeros are */
  r->pattern = r->n <= DAE__SMALL_N ? dae__pattern_dense(arena, r->n, r->n)
                                    : reduced_merged(arena, terms, r->n);
  if (dae__arena_failed(arena))
    return;
  for (int p = 0; p < r->powers; p++)
    r->P[p] = DAE__STATE(arena, double, dae__pattern_count(&r->pattern));
}

/* y += a x */
static inline void reduced_add(int n, double a, const double *x, double *restrict y)
{
  int i = 0;
  for (; i + 2 <= n; i += 2)
    dae__pair_to(y + i, dae__pair_from_anywhere(y + i) + a * dae__pair_from_anywhere(x + i));
  if (i < n)
    y[i] += a * x[i];
}

/* P += a term, P with all entries of n rows */
static void reduced_add_to_all(const dae__reduced_term *t, int n, double *restrict P)
{
  const dae_pattern *p = &t->pattern;
  double *corner = P + t->block.col * n + t->block.row;
  bool full = dae__pattern_count(p) == p->rows * p->cols;
  for (int j = 0; j < p->cols; j++) {
    if (full && !t->block.transposed) {
      reduced_add(p->rows, t->factor, t->values + j * p->rows, corner + j * n);
      continue;
    }
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      corner[t->block.transposed ? p->row[e] * n + j : j * n + p->row[e]] +=
          t->factor * t->values[e];
  }
}

void dae__reduced_gather(const dae__reduced_terms *terms, dae__reduced *r)
{
  for (int p = 0; p < r->powers; p++)
    dae__zero(dae__pattern_count(&r->pattern), r->P[p]);
  for (int i = 0; i < terms->count; i++) {
    const dae__reduced_term *t = &terms->at[i];
    if (r->n <= DAE__SMALL_N)
      reduced_add_to_all(t, r->n, r->P[t->power]);
    else
      dae__block_add(&(dae__block){.pattern = &t->pattern, .map = t->block.map}, t->factor,
                     t->values, r->P[t->power]);
  }
}

/* ---- what has rates ---- */

/* P = P0\P, these columns */
static void reduced_divide_columns(const dae__reduced *r, int count, double *P)
{
  for (int j = 0; j < count; j++, P += r->n)
    if (dae__max_abs(r->n, P) != 0) /* few coordinates stand in forces and second derivatives */
      r->table->divide(r->self, P);
}

static void reduced_turn_solvers(const dae__reduced *r)
{
  const dae_pattern *pattern = r->memory->solved ? &r->rates : &r->pattern;
  dae__solver_turn_to(r->real, pattern);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_turn_to(r->pair[i], pattern);
}

void dae__reduced_solve_for(dae__reduced *r, bool rates)
{
  bool solved = rates && r->rates.cols > 0 && r->table->prepare(r->self);
  if (solved) {
    reduced_divide_columns(r, r->n2 + r->n1, r->P[1]);
    reduced_divide_columns(r, r->n2, r->P[2]);
  }
  if (solved == r->memory->solved)
    return;
  r->memory->solved = solved;
  reduced_turn_solvers(r);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_forget(r->pair[i]);
}

void dae__reduced_follow(const dae__reduced *r, const double *dz, double *y)
{
  int n = r->n, d = r->n2 + r->n1;
  for (int j = 0; j < r->n2; j++)
    dae__axpy(n - d, -dz[j], r->P[2] + j * n + d, y);
  for (int j = 0; j < d; j++)
    dae__axpy(n - d, -dz[r->n2 + j], r->P[1] + j * n + d, y);
}

/* values = B(w) of what has rates */
static void reduced_fill_rates(dae__reduced *r, double w)
{
  int n = r->n, d = dae__reduced_rows(r);
  for (int j = 0; j < d; j++) {
    const double *restrict P1 = r->P[1] + j * n, *restrict P2 = r->P[2] + j * n;
    double *restrict to = r->values + j * d;
    for (int i = 0; i < d; i++)
      to[i] = w * P1[i] + w * w * P2[i];
    to[j] += 1;
  }
}

/* zvalues = the same, real and imaginary parts in turn */
static void reduced_fill_rates_pair(dae__reduced *r, double complex w)
{
  int n = r->n, d = dae__reduced_rows(r);
  double a = creal(w), b = cimag(w), a2 = a * a - b * b, b2 = 2 * a * b;
  for (int j = 0; j < d; j++) {
    const double *restrict P1 = r->P[1] + j * n, *restrict P2 = r->P[2] + j * n;
    double *restrict z = (double *)r->zvalues + 2 * j * d;
    for (int i = 0; i < d; i++) {
      z[2 * i] = a * P1[i] + a2 * P2[i];
      z[2 * i + 1] = b * P1[i] + b2 * P2[i];
    }
    z[2 * j] += 1;
  }
}

/* ---- blocks ---- */

static dae_status reduced_not_factored(const dae__reduced *r, dae_status status, int column,
                                       dae_error *err)
{
  char name[64] = "";
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "out of memory for a new pivot order");
  if (status == DAE_ERROR_RECOVERABLE)
    return dae__fail(err, status, NULL, "the iteration matrix has an entry that is not finite");
  if (column >= 0)
    r->table->name(r->self, column, name, sizeof name);
  return dae__fail(err, status, name[0] ? name : NULL,
                   "the matrix of the stages is singular%s%s: an equation lacks, or constraints "
                   "depend on each other here",
                   name[0] ? " at " : "", name);
}

/* values = B(w) */
static void reduced_fill(dae__reduced *r, double w)
{
  int count = dae__pattern_count(&r->pattern);
  const double *restrict P0 = r->P[0], *restrict P1 = r->P[1], *restrict P2 = r->P[2];
  double *restrict to = r->values, square = w * w;
  if (r->memory->solved)
    reduced_fill_rates(r, w);
  else if (r->powers == 2)
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e];
  else
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e] + square * P2[e];
}

/* zvalues = B(w), real and imaginary parts in turn */
static void reduced_fill_pair(dae__reduced *r, double complex w)
{
  int count = dae__pattern_count(&r->pattern);
  const double *restrict P0 = r->P[0], *restrict P1 = r->P[1], *restrict P2 = r->P[2];
  double *restrict z = (double *)r->zvalues;
  double a = creal(w), b = cimag(w), a2 = a * a - b * b, b2 = 2 * a * b;
  if (r->memory->solved)
    reduced_fill_rates_pair(r, w);
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

/* out = P0 e - w P2 e_q, of matrices with all entries */
static void reduced_filter_all(const dae__reduced *r, double w, const double *e, const double *e_q,
                               double *out)
{
  int n = r->n, dynamic = r->n2 + r->n1;
  if (r->memory->solved) /* P0 = 1 */
    dae__copy(dynamic, e, out);
  for (int j = 0; !r->memory->solved && j < dynamic; j++)
    reduced_add(n, e[j], r->P[0] + j * n, out);
  for (int j = 0; j < r->n2; j++)
    reduced_add(n, -w * e_q[j], r->P[2] + j * n, out);
}

/* the same of others */
static void reduced_filter_some(const dae__reduced *r, double w, const double *e, const double *e_q,
                                double *out)
{
  const dae_pattern *p = &r->pattern;
  int dynamic = r->n2 + r->n1;
  for (int j = 0; j < dynamic; j++) {
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += r->P[0][i] * e[j];
    for (int i = p->start[j]; j < r->n2 && i < p->start[j + 1]; i++)
      out[p->row[i]] -= r->P[2][i] * (w * e_q[j]);
  }
}

void dae__reduced_filter(const dae__reduced *r, double w, const double *e, const double *e_q,
                         double *out)
{
  int dynamic = r->n2 + r->n1;
  dae__zero(r->n, out);
  if (r->n <= DAE__SMALL_N)
    reduced_filter_all(r, w, e, e_q, out);
  else
    reduced_filter_some(r, w, e, e_q, out);
  dae__zero(r->n - dynamic, out + dynamic);
}

/* ---- creation ---- */

static dae_status reduced_make_solvers(dae__reduced *r, dae__arena *arena, dae_error *err)
{
  int count = dae__pattern_count(&r->pattern);
  r->values = DAE__ALLOC(arena, double, count);
  r->zvalues = DAE__ALLOC(arena, double complex, count);
  r->memory = DAE__STATE(arena, dae__reduced_memory, 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__solver_create_iteration(arena, &r->pattern, &r->real, err);
  for (int i = 0; i < r->pairs && !status; i++)
    status = dae__zsolver_create(arena, &r->pattern, &r->pair[i], err);
  return status;
}

dae_status dae__reduced_create(dae__arena *arena, const dae__rk_adapter *adapter, int pairs,
                               dae__reduced **out, dae_error *err)
{
  dae__reduced *r = DAE__ALLOC(arena, dae__reduced, 1);
  *out = NULL;
  if (!r)
    return dae__out_of_memory(err);
  r->pairs = pairs;
  dae_status status = adapter->m ? dae__reduced_mechanical(arena, adapter, r, err)
                                 : dae__reduced_semi(arena, adapter, r, err);
  for (int i = 0; !status && i < r->n; i++)
    r->tested_count += r->tested[i];
  if (!status && r->table->prepare)
    r->rates = dae__pattern_dense(arena, r->n2 + r->n1, r->n2 + r->n1);
  if (!status)
    status = reduced_make_solvers(r, arena, err);
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
  dae__solver_free(r->real);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_free(r->pair[i]);
}

dae_status dae__reduced_reload(dae__reduced *r)
{
  if (r->rates.cols > 0)
    reduced_turn_solvers(r);
  dae_status status = dae__solver_reload(r->real);
  for (int i = 0; i < r->pairs && !status; i++)
    status = dae__zsolver_reload(r->pair[i]);
  return status;
}
