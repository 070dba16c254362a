#include "rk/reduced.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"

/* ---- terms ---- */

/* columns first to end - 1, whose entries are those of p from p->start[first] on */
static dae_pattern columns(dae__arena *arena, const dae_pattern *p, int first, int end)
{
  int *start = DAE__ROOM(arena, int, end - first + 1);
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
    t->pattern = columns(arena, pattern, place.col0, place.col1);
    t->values += pattern->start[place.col0];
  }
  t->block = (dae__block){.row = place.row, .col = place.col, .transposed = place.transposed};
}

/* the union of all terms */
static dae_pattern merged(dae__arena *arena, dae__reduced_terms *terms, int n)
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
  r->whole.n = r->n;
  r->whole.pattern =
      r->n <= DAE__FEW ? dae__pattern_dense(arena, r->n, r->n) : merged(arena, terms, r->n);
}

/* y += a x */
static inline void add(int n, double a, const double *x, double *restrict y)
{
  int i = 0;
  for (; i + 2 <= n; i += 2)
    dae__pair_to(y + i, dae__pair_from_anywhere(y + i) + a * dae__pair_from_anywhere(x + i));
  if (i < n)
    y[i] += a * x[i];
}

/* P += a term, P with all entries of n rows */
static void add_to_all(const dae__reduced_term *t, int n, double *restrict P)
{
  const dae_pattern *p = &t->pattern;
  double *corner = P + t->block.col * n + t->block.row;
  bool full = dae__pattern_count(p) == p->rows * p->cols;
  for (int j = 0; j < p->cols; j++) {
    if (full && !t->block.transposed) {
      add(p->rows, t->factor, t->values + j * p->rows, corner + j * n);
      continue;
    }
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      corner[t->block.transposed ? p->row[e] * n + j : j * n + p->row[e]] +=
          t->factor * t->values[e];
  }
}

void dae__reduced_gather(const dae__reduced_terms *terms, dae__reduced *r)
{
  double *const *P = r->whole.P;
  for (int p = 0; p < r->powers; p++)
    dae__zero(dae__pattern_count(&r->whole.pattern), P[p]);
  for (int i = 0; i < terms->count; i++) {
    const dae__reduced_term *t = &terms->at[i];
    if (r->n <= DAE__FEW)
      add_to_all(t, r->n, P[t->power]);
    else
      dae__block_add(&(dae__block){.pattern = &t->pattern, .map = t->block.map}, t->factor,
                     t->values, P[t->power]);
  }
}

/* ---- what has rates ---- */

/* P0\P1 and P0\P2 */
static void divide_columns(const dae__reduced *r, int power, int count)
{
  int n = r->n, d = r->rates.n, m = n - d;
  double x[DAE__FEW];
  for (int j = 0; j < count; j++) {
    dae__copy(n, r->whole.P[power] + j * n, x);
    if (dae__max_abs(n, x) != 0) /* not all coordinates stand in forces and second derivatives */
      r->table->divide(r->self, x);
    dae__copy(d, x, r->rates.P[power] + j * d);
    dae__copy(m, x + d, r->follow[power] + j * m);
  }
}

void dae__reduced_use(dae__reduced *r, bool rates)
{
  r->memory->solved = rates && r->rates.n > 0 && r->table->prepare(r->self);
  if (!r->memory->solved)
    return;
  divide_columns(r, 1, r->rates.n);
  divide_columns(r, 2, r->n2);
}

void dae__reduced_follow(const dae__reduced *r, const double *dz, double *y)
{
  int d = r->rates.n, m = r->n - d;
  for (int j = 0; j < r->n2; j++)
    dae__axpy(m, -dz[j], r->follow[2] + j * m, y);
  for (int j = 0; j < d; j++)
    dae__axpy(m, -dz[r->n2 + j], r->follow[1] + j * m, y);
}

/* ---- blocks ---- */

static dae_status not_factored(const dae__reduced *r, dae_status status, int column, dae_error *err)
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
static void fill(dae__reduced *r, const dae__reduced_blocks *b, double w)
{
  int count = dae__pattern_count(&b->pattern);
  const double *restrict P0 = b->P[0], *restrict P1 = b->P[1], *restrict P2 = b->P[2];
  double *restrict to = r->values, square = w * w;
  if (r->powers == 2)
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e];
  else
    for (int e = 0; e < count; e++)
      to[e] = P0[e] + w * P1[e] + square * P2[e];
}

/* zvalues = B(w), real and imaginary parts in turn */
static void fill_pair(dae__reduced *r, const dae__reduced_blocks *used, double complex w)
{
  int count = dae__pattern_count(&used->pattern);
  const double *restrict P0 = used->P[0], *restrict P1 = used->P[1], *restrict P2 = used->P[2];
  double *restrict z = (double *)r->zvalues;
  double a = creal(w), b = cimag(w), a2 = a * a - b * b, b2 = 2 * a * b;
  if (r->powers == 2)
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
  const dae__reduced_blocks *b = dae__reduced_used(r);
  fill(r, b, real);
  dae_status status = dae__solver_factor(b->real, r->values);
  r->memory->factorisations++;
  if (status)
    return not_factored(r, status, dae__solver_column(b->real), err);
  for (int i = 0; i < pairs; i++) {
    fill_pair(r, b, pair[i]);
    status = dae__zsolver_factor(b->pair[i], r->zvalues);
    r->memory->factorisations++;
    if (status)
      return not_factored(r, status, dae__zsolver_column(b->pair[i]), err);
  }
  return DAE_OK;
}

/* out = P0 e - w P2 e_q, of matrices with all entries */
static void filter_all(const dae__reduced *r, double w, const double *e, const double *e_q,
                       double *out)
{
  const dae__reduced_blocks *b = dae__reduced_used(r);
  int n = b->n, dynamic = r->n2 + r->n1;
  for (int j = 0; j < dynamic; j++)
    add(n, e[j], b->P[0] + j * n, out);
  for (int j = 0; j < r->n2; j++)
    add(n, -w * e_q[j], b->P[2] + j * n, out);
}

/* the same of others */
static void filter_some(const dae__reduced *r, double w, const double *e, const double *e_q,
                        double *out)
{
  const dae_pattern *p = &r->whole.pattern;
  double *const *P = r->whole.P;
  int dynamic = r->n2 + r->n1;
  for (int j = 0; j < dynamic; j++) {
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += P[0][i] * e[j];
    for (int i = p->start[j]; j < r->n2 && i < p->start[j + 1]; i++)
      out[p->row[i]] -= P[2][i] * (w * e_q[j]);
  }
}

void dae__reduced_filter(const dae__reduced *r, double w, const double *e, const double *e_q,
                         double *out)
{
  int dynamic = r->n2 + r->n1;
  dae__zero(r->n, out);
  if (r->n <= DAE__FEW)
    filter_all(r, w, e, e_q, out);
  else
    filter_some(r, w, e, e_q, out);
  dae__zero(r->n - dynamic, out + dynamic);
}

/* ---- creation ---- */

static dae_status make_blocks(const dae__reduced *r, dae__arena *arena, dae__reduced_blocks *b,
                              dae_error *err)
{
  for (int p = 0; p < r->powers; p++)
    b->P[p] = DAE__KEEP(arena, double, dae__pattern_count(&b->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__solver_create_iteration(arena, &b->pattern, &b->real, err);
  for (int i = 0; i < r->pairs && !status; i++)
    status = dae__zsolver_create(arena, &b->pattern, &b->pair[i], err);
  return status;
}

static dae_status make_rates(dae__reduced *r, dae__arena *arena, dae_error *err)
{
  int d = r->n2 + r->n1, m = r->n - d;
  r->rates.n = d;
  r->rates.pattern = dae__pattern_dense(arena, d, d);
  r->follow[1] = DAE__KEEP(arena, double, m *d);
  r->follow[2] = DAE__KEEP(arena, double, m * r->n2);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = make_blocks(r, arena, &r->rates, err);
  for (int j = 0; j < d && !status; j++)
    r->rates.P[0][j * d + j] = 1;
  return status;
}

static dae_status make_all(dae__reduced *r, dae__arena *arena, dae_error *err)
{
  int count = dae__pattern_count(&r->whole.pattern);
  r->values = DAE__TAKE(arena, double, count);
  r->zvalues = DAE__TAKE(arena, double complex, count);
  r->memory = DAE__KEEP(arena, dae__reduced_memory, 1);
  dae_status status = make_blocks(r, arena, &r->whole, err);
  return status || !r->table->prepare ? status : make_rates(r, arena, err);
}

dae_status dae__reduced_create(dae__arena *arena, const dae__rk_body *body, int pairs,
                               dae__reduced **out, dae_error *err)
{
  dae__reduced *r = DAE__TAKE(arena, dae__reduced, 1);
  *out = NULL;
  if (!r)
    return dae__out_of_memory(err);
  r->pairs = pairs;
  dae_status status = body->m ? dae__reduced_mechanical(arena, body, r, err)
                              : dae__reduced_semi(arena, body, r, err);
  for (int i = 0; !status && i < r->n; i++)
    r->tested_count += r->tested[i];
  if (!status)
    status = make_all(r, arena, err);
  if (status)
    dae__reduced_free(r);
  else
    *out = r;
  return status;
}

static void free_blocks(const dae__reduced *r, const dae__reduced_blocks *b)
{
  dae__solver_free(b->real);
  for (int i = 0; i < r->pairs; i++)
    dae__zsolver_free(b->pair[i]);
}

void dae__reduced_free(dae__reduced *r)
{
  if (!r)
    return;
  free_blocks(r, &r->whole);
  free_blocks(r, &r->rates);
}

static dae_status reload_blocks(const dae__reduced *r, const dae__reduced_blocks *b)
{
  dae_status status = dae__solver_reload(b->real);
  for (int i = 0; i < r->pairs && !status; i++)
    status = dae__zsolver_reload(b->pair[i]);
  return status;
}

dae_status dae__reduced_reload(dae__reduced *r)
{
  dae_status status = reload_blocks(r, &r->whole);
  return status || r->rates.n == 0 ? status : reload_blocks(r, &r->rates);
}
