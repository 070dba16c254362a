/* Creation, factorisation and solution of the blocks of the decoupled iteration. */
#include "onestep/spark/decoupled.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"

static const dae__momentum_part needed[] = {DAE__V_Y, DAE__V_Z,      DAE__P_Y,   DAE__P_Z,
                                            DAE__F_Y, DAE__F_Z,      DAE__F_PSI, DAE__K_Y,
                                            DAE__K_Z, DAE__R_LAMBDA, DAE__G_Y};
enum { NEEDED = sizeof needed / sizeof *needed };

/* ---- creation ---- */

/* adds rows and columns `range` of a derivative to the block, with the first entry at (row, col) */
static void decoupled_add_term(dae__decoupled *o, dae__arena *arena, dae__momentum_part part,
                               const int *range, int row, int col, double factor, int power)
{
  dae__decoupled_term *term = &o->term[o->terms++];
  DAE__ASSERT(o->terms <= DAE__DECOUPLED_TERMS);
  *term = (dae__decoupled_term){.part = part, .factor = factor, .power = power};
  term->sub = dae__submatrix_create(arena, &o->adapter->pattern[part], range);
  term->block[0] = (dae__block){row, col, &term->sub.pattern, false, NULL};
}

/* lists the terms of a block for the unknowns W, D, lambda, psi; where W = D is eliminated, its
 * columns are added to the columns of D */
static void decoupled_list_terms(dae__decoupled *o, dae__arena *arena)
{
  const dae__spark_adapter *a = o->adapter;
  int ny = a->ny, nz = a->nz, ng = a->ng, nk = a->nk, nq = o->nq;
  int D = o->nw, L = D + nz, psi = L + ng;
  const int wide_W[] = {0, nz, nq, ny}, wide_D[] = {0, nz, 0, nq};
  o->term[o->terms++] =
      (dae__decoupled_term){.part = DAE__MOMENTUM_PARTS, .block = {{.pattern = &o->unit_w}}};
  decoupled_add_term(o, arena, DAE__V_Y, (int[]){nq, ny, nq, ny}, 0, 0, -1, 1);
  decoupled_add_term(o, arena, DAE__V_Y, (int[]){nq, ny, 0, nq}, 0, D, -1, 1);
  decoupled_add_term(o, arena, DAE__V_Z, (int[]){nq, ny, 0, nz}, 0, D, -1, 0);
  decoupled_add_term(o, arena, DAE__P_Y, wide_W, D, 0, 1, 1);
  decoupled_add_term(o, arena, DAE__P_Y, wide_D, D, D, 1, 1);
  decoupled_add_term(o, arena, DAE__P_Z, (int[]){0, nz, 0, nz}, D, D, 1, 0);
  decoupled_add_term(o, arena, DAE__F_Y, wide_W, D, 0, -1, 2);
  decoupled_add_term(o, arena, DAE__F_Y, wide_D, D, D, -1, 2);
  decoupled_add_term(o, arena, DAE__F_Z, (int[]){0, nz, 0, nz}, D, D, -1, 1);
  decoupled_add_term(o, arena, DAE__R_LAMBDA, (int[]){0, nz, 0, ng}, D, L, -1, 0);
  decoupled_add_term(o, arena, DAE__F_PSI, (int[]){0, nz, 0, nk}, D, psi, -1, 0);
  decoupled_add_term(o, arena, DAE__G_Y, (int[]){0, ng, nq, ny}, L, 0, 1, 0);
  decoupled_add_term(o, arena, DAE__G_Y, (int[]){0, ng, 0, nq}, L, D, 1, 0);
  decoupled_add_term(o, arena, DAE__K_Y, (int[]){0, nk, nq, ny}, psi, 0, 1, 1);
  decoupled_add_term(o, arena, DAE__K_Y, (int[]){0, nk, 0, nq}, psi, D, 1, 1);
  decoupled_add_term(o, arena, DAE__K_Z, (int[]){0, nk, 0, nz}, psi, D, 1, 0);
  o->term[o->terms++] = (dae__decoupled_term){
      .part = DAE__MOMENTUM_PARTS, .block = {{.row = L, .col = L, .pattern = &o->unit_c}}};
}

dae_status dae__decoupled_create(dae__arena *arena, const dae__spark_adapter *adapter, int nq,
                                 int count, dae__decoupled *out, dae_error *err)
{
  dae__decoupled *o = out;
  dae__block blocks[4 * DAE__DECOUPLED_TERMS];
  int nc = adapter->ng + adapter->nk;
  *o = (dae__decoupled){.adapter = adapter, .nq = nq, .nw = adapter->ny - nq};
  o->n = o->nw + adapter->nz + nc;
  o->solver = DAE__ALLOC(arena, dae__solver *, count);
  o->unit_w = dae__pattern_diagonal(arena, o->nw);
  o->unit_c = dae__pattern_diagonal(arena, nc);
  for (int i = 0; i < NEEDED; i++)
    o->values[needed[i]] =
        DAE__ALLOC(arena, double, dae__pattern_count(&adapter->pattern[needed[i]]));
  o->x = DAE__ALLOC(arena, double, 2 * o->n);
  o->d = DAE__ALLOC(arena, double complex, adapter->ny);
  o->W = DAE__ALLOC(arena, double complex, adapter->ny);
  o->delta = DAE__ALLOC(arena, double complex, adapter->nz);
  decoupled_list_terms(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  /* pattern of the real matrix of twice the size, with all terms in each of its four quarters */
  for (int i = 0; i < 4 * o->terms; i++) {
    blocks[i] = o->term[i / 4].block[0];
    blocks[i].row += i % 4 / 2 * o->n;
    blocks[i].col += i % 4 % 2 * o->n;
  }
  o->pattern = dae__blocks_merge(arena, 2 * o->n, 2 * o->n, blocks, 4 * o->terms);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < 4 * o->terms; i++)
    o->term[i / 4].block[i % 4] = blocks[i];
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  /* o->count is the number of solvers that the caller frees after a failure */
  for (; o->count < count; o->count++)
    DAE__TRY(dae__solver_create(arena, &o->pattern, &o->solver[o->count], err));
  return DAE_OK;
}

void dae__decoupled_free(dae__decoupled *o)
{
  for (int i = 0; i < o->count; i++)
    dae__solver_free(o->solver[i]);
}

dae_status dae__decoupled_reload(dae__decoupled *o)
{
  for (int i = 0; i < o->count; i++)
    DAE__TRY(dae__solver_reload(o->solver[i]));
  return DAE_OK;
}

/* ---- factorisation ---- */

dae_status dae__decoupled_linearise(dae__decoupled *o, const dae_momentum_at *at,
                                    const double *lambda, const double *psi, dae_error *err)
{
  const dae__spark_adapter *a = o->adapter;
  dae__spark_derivatives of_r = {0}, others = {0};
  for (int i = 0; i < NEEDED; i++)
    others.of[needed[i]] = o->values[needed[i]];
  of_r.of[DAE__R_LAMBDA] = o->values[DAE__R_LAMBDA];
  others.of[DAE__R_LAMBDA] = NULL;
  DAE__TRY(a->table->linearise(a->self, at, psi, &others, err));
  if (a->ng > 0)
    DAE__TRY(a->table->linearise(a->self, at, lambda, &of_r, err));
  for (int i = 0; i < o->terms; i++)
    if (o->term[i].part != DAE__MOMENTUM_PARTS)
      dae__submatrix_gather(&o->term[i].sub, o->values[o->term[i].part]);
  return DAE_OK;
}

dae_status dae__decoupled_factor(dae__decoupled *o, int i, double complex hmu, dae_error *err)
{
  const double complex power[] = {1, hmu, hmu * hmu};
  const bool *active = o->adapter->active;
  DAE__ASSERT(i < o->count);
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  for (int k = 0; k < o->terms; k++) {
    const dae__decoupled_term *term = &o->term[k];
    double complex factor = term->factor * power[term->power];
    /* unit entries: diagonal of W, and multipliers of redundant constraint rows */
    if (term->part == DAE__MOMENTUM_PARTS) {
      bool of_W = term->block[0].pattern == &o->unit_w;
      for (int e = 0; (of_W || active) && e < term->block[0].pattern->cols; e++) {
        o->matrix[term->block[0].map[e]] += !of_W && active[e] ? 0 : 1;
        o->matrix[term->block[3].map[e]] += !of_W && active[e] ? 0 : 1;
      }
      continue;
    }
    dae__block_add(&term->block[0], creal(factor), term->sub.values, o->matrix);
    dae__block_add(&term->block[3], creal(factor), term->sub.values, o->matrix);
    if (term->power > 0) {
      dae__block_add(&term->block[1], -cimag(factor), term->sub.values, o->matrix);
      dae__block_add(&term->block[2], cimag(factor), term->sub.values, o->matrix);
    }
  }
  dae_status status = dae__solver_factor(o->solver[i], o->matrix);
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status)
    dae__fail(err, status, NULL, "a block of the decoupled Newton iteration is singular");
  return status;
}

/* ---- solution ---- */

/* out += factor * derivative * x, with the derivative `part` */
static void decoupled_multiply_add(const dae__decoupled *o, dae__momentum_part part,
                                   double complex factor, const double complex *x,
                                   double complex *out)
{
  const dae_pattern *p = &o->adapter->pattern[part];
  const double *values = o->values[part];
  for (int j = 0; j < p->cols; j++)
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += factor * values[i] * x[j];
}

void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x)
{
  const dae__spark_adapter *a = o->adapter;
  int n = o->n, nw = o->nw, ny = a->ny, nz = a->nz;
  double complex *W = o->W, *d = o->d; /* d includes the factor w: w v_z delta */
  double *re = o->x, *im = o->x + n;
  for (int k = 0; k < ny; k++)
    W[k] = d[k] = 0;
  for (int k = 0; k < nz; k++)
    o->delta[k] = w * delta[k];
  decoupled_multiply_add(o, DAE__V_Z, 1, o->delta, d);
  decoupled_multiply_add(o, DAE__V_Y, -hmu, d, W);
  decoupled_multiply_add(o, DAE__V_Y, 1, e, W);
  decoupled_multiply_add(o, DAE__P_Y, hmu, d, x);
  decoupled_multiply_add(o, DAE__F_Z, -hmu, o->delta, x);
  decoupled_multiply_add(o, DAE__F_Y, -hmu * hmu, d, x);
  decoupled_multiply_add(o, DAE__K_Y, hmu, d, x + nz + a->ng);
  for (int k = 0; k < n; k++) {
    double complex value = k < nw ? W[o->nq + k] : x[k - nw];
    re[k] = creal(value), im[k] = cimag(value);
  }
  dae__solver_solve(o->solver[i], o->x);
  for (int k = nw; k < n; k++)
    x[k - nw] = re[k] + im[k] * I;
  for (int k = 0; k < o->nq; k++)
    W[k] = x[k];
  for (int k = 0; k < nw; k++)
    W[o->nq + k] = re[k] + im[k] * I;
  for (int k = 0; k < ny; k++)
    e[k] = hmu * (W[k] - d[k]);
}
