#include "spark/rich_blocks.h"
#include "core/error.h"
#include "core/vec.h"

enum { OF_M, OF_FV, OF_FQ, OF_GT, OF_KT, OF_G, OF_K, OF_KQ, OF_ONE, PARTS };

/* ---- creation ---- */

/* the rows of f and nq columns of J from `first` on */
static dae__rich_part part_of_J(dae__arena *arena, const dae__mech *m, int first)
{
  int nq = m->nq, count = 0;
  int *start = DAE__TAKE(arena, int, nq + 1);
  int *row = DAE__TAKE(arena, int, dae__pattern_count(&m->J));
  int *entry = DAE__TAKE(arena, int, dae__pattern_count(&m->J));
  if (dae__arena_failed(arena))
    return (dae__rich_part){0};
  for (int j = 0; j < nq; j++) {
    for (int e = m->J.start[first + j]; e < m->J.start[first + j + 1]; e++)
      if (m->J.row[e] < nq)
        row[count] = m->J.row[e], entry[count++] = e;
    start[j + 1] = count;
  }
  return (dae__rich_part){
      .pattern = {nq, nq, start, row}, .entry = entry, .values = DAE__TAKE(arena, double, count)};
}

/* all parts in each quarter of the doubled matrix */
static void merge(dae__rich_blocks *b, dae__arena *arena)
{
  const dae__mech *m = b->m;
  int nq = m->nq, g = nq, k = nq + m->ng;
  const dae__block parts[PARTS] = {
      [OF_M] = {0, 0, &m->M, false, NULL},           [OF_FV] = {0, 0, &b->fv.pattern, false, NULL},
      [OF_FQ] = {0, 0, &b->fq.pattern, false, NULL}, [OF_GT] = {0, g, &m->G, true, NULL},
      [OF_KT] = {0, k, &m->K, true, NULL},           [OF_G] = {g, 0, &m->G, false, NULL},
      [OF_K] = {k, 0, &m->K, false, NULL},           [OF_KQ] = {k, 0, &m->kq, false, NULL},
      [OF_ONE] = {nq, nq, &b->one, false, NULL}};
  for (int quarter = 0; quarter < 4; quarter++)
    for (int i = 0; i < PARTS; i++) {
      dae__block *block = &b->block[quarter * PARTS + i];
      *block = parts[i];
      block->row += quarter / 2 * b->n;
      block->col += quarter % 2 * b->n;
    }
  b->pattern = dae__blocks_merge(arena, 2 * b->n, 2 * b->n, b->block, 4 * PARTS);
}

dae_status dae__rich_blocks_create(dae__arena *arena, dae__mech *m, int count,
                                   dae__rich_blocks *out, dae_error *err)
{
  dae__rich_blocks *b = out;
  *b = (dae__rich_blocks){.m = m, .n = m->nq + m->nc};
  b->solver = DAE__TAKE(arena, dae__solver *, count);
  b->fq = part_of_J(arena, m, 0);
  b->fv = part_of_J(arena, m, m->nq);
  b->one = dae__pattern_diagonal(arena, m->nc);
  b->block = DAE__TAKE(arena, dae__block, 4 * PARTS);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  merge(b, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  b->J = DAE__TAKE(arena, double, dae__pattern_count(&m->J));
  b->M = DAE__TAKE(arena, double, dae__pattern_count(&m->M));
  b->G = DAE__TAKE(arena, double, dae__pattern_count(&m->G));
  b->K = DAE__TAKE(arena, double, dae__pattern_count(&m->K));
  b->kq = DAE__TAKE(arena, double, dae__pattern_count(&m->kq));
  b->matrix = DAE__TAKE(arena, double, dae__pattern_count(&b->pattern));
  b->x = DAE__TAKE(arena, double, 2 * b->n);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (dae_status status = DAE_OK; b->count < count; b->count++) {
    status = dae__solver_create(arena, &b->pattern, &b->solver[b->count], err);
    if (status)
      return status; /* the caller frees those that are there */
  }
  return DAE_OK;
}

void dae__rich_blocks_free(dae__rich_blocks *b)
{
  for (int i = 0; i < b->count; i++)
    dae__solver_free(b->solver[i]);
}

/* ---- values ---- */

dae_status dae__rich_blocks_derive(dae__rich_blocks *b, const dae_mechanical_at *at, dae_error *err)
{
  dae__mech *m = b->m;
  dae_mechanical_wanted want = {.M = b->M, .G = b->G, .K = b->K};
  dae_status status = dae__mech_eval(m, at, &want, err);
  if (!status)
    status = dae__mech_J(m, at, b->J, err);
  if (!status)
    status = dae__mech_k_q(m, at, b->kq, err);
  if (status)
    return status;
  dae__rich_part *parts[] = {&b->fq, &b->fv};
  for (int i = 0; i < 2; i++)
    for (int e = 0; e < dae__pattern_count(&parts[i]->pattern); e++)
      parts[i]->values[e] = b->J[parts[i]->entry[e]];
  return DAE_OK;
}

/* one quarter: what is multiplied by 1, h mu and (h mu)^2, of each its real or imaginary part */
static void add_quarter(dae__rich_blocks *b, int quarter, double one, double first, double second)
{
  const dae__block *at = b->block + quarter * PARTS;
  dae__block_add(&at[OF_M], one, b->M, b->matrix);
  dae__block_add(&at[OF_FV], -first, b->fv.values, b->matrix);
  dae__block_add(&at[OF_FQ], -second, b->fq.values, b->matrix);
  dae__block_add(&at[OF_GT], one, b->G, b->matrix);
  dae__block_add(&at[OF_KT], one, b->K, b->matrix);
  dae__block_add(&at[OF_G], one, b->G, b->matrix);
  dae__block_add(&at[OF_K], one, b->K, b->matrix);
  dae__block_add(&at[OF_KQ], first, b->kq, b->matrix);
  for (int i = 0; i < b->m->nc && one != 0; i++)
    if (!b->m->active[i])
      b->matrix[at[OF_ONE].map[i]] = 1;
}

dae_status dae__rich_blocks_factor(dae__rich_blocks *b, int i, double complex hmu, dae_error *err)
{
  double complex square = hmu * hmu;
  dae__zero(dae__pattern_count(&b->pattern), b->matrix);
  add_quarter(b, 0, 1, creal(hmu), creal(square));
  add_quarter(b, 1, 0, -cimag(hmu), -cimag(square));
  add_quarter(b, 2, 0, cimag(hmu), cimag(square));
  add_quarter(b, 3, 1, creal(hmu), creal(square));
  dae_status status = dae__solver_factor(b->solver[i], b->matrix);
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status)
    dae__fail(err, status, NULL, "a block of the richer iteration of the stages is singular");
  return status;
}

void dae__rich_blocks_solve(dae__rich_blocks *b, int i, double complex *x)
{
  for (int k = 0; k < b->n; k++)
    b->x[k] = creal(x[k]), b->x[b->n + k] = cimag(x[k]);
  dae__solver_solve(b->solver[i], b->x);
  for (int k = 0; k < b->n; k++)
    x[k] = b->x[k] + b->x[b->n + k] * I;
}

void dae__rich_blocks_move(const dae__rich_blocks *b, double complex hmu, double complex w,
                           const double *delta, double complex *out)
{
  const dae__mech *m = b->m;
  double *moved = b->x;
  dae__zero(m->nq, moved);
  dae__matrix_times(&b->fv.pattern, b->fv.values, 1, delta, moved);
  for (int i = 0; i < m->nq; i++)
    out[i] -= hmu * w * moved[i];
  dae__zero(m->nq, moved);
  dae__matrix_times(&b->fq.pattern, b->fq.values, 1, delta, moved);
  for (int i = 0; i < m->nq; i++)
    out[i] -= hmu * hmu * w * moved[i];
  dae__zero(m->nk, moved);
  dae__matrix_times(&m->kq, b->kq, 1, delta, moved);
  for (int i = 0; i < m->nk; i++)
    out[m->nq + m->ng + i] += hmu * w * moved[i];
}
