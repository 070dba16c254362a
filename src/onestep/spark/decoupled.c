#include "onestep/spark/decoupled.h"
#include "core/error.h"
#include "core/vec.h"

/* ---- creation ---- */

/* rows [row0, row1) and columns [col0, col1) of a part go to (row, col) */
static void decoupled_add(dae__decoupled *o, dae__arena *arena, dae__momentum_part part,
                          const int *range, int row, int col, double factor, int power)
{
  dae__decoupled_term *term = &o->term[o->terms++];
  *term = (dae__decoupled_term){.part = part, .factor = factor, .power = power};
  term->pick =
      dae__pick_create(arena, &o->face->pattern[part], range[0], range[1], range[2], range[3]);
  term->block[0] = (dae__block){row, col, &term->pick.pattern, false, NULL};
}

static void decoupled_add_ones(dae__decoupled *o, const dae_pattern *unit, int at)
{
  o->term[o->terms++] = (dae__decoupled_term){.part = DAE__MOMENTUM_PARTS,
                                              .block = {{.row = at, .col = at, .pattern = unit}}};
}

/* unknowns W, D, lambda, psi; what belongs to a y that is left out goes to its z */
static void decoupled_list_terms(dae__decoupled *o, dae__arena *arena)
{
  const dae__face *c = o->face;
  int ny = c->ny, nz = c->nz, ng = c->ng, nk = c->nk, same = o->same;
  int D = o->nw, L = D + nz, psi = L + ng;
  const int wide_W[] = {0, nz, same, ny}, wide_D[] = {0, nz, 0, same};
  decoupled_add_ones(o, &o->unit_w, 0);
  decoupled_add(o, arena, DAE__V_Y, (int[]){same, ny, same, ny}, 0, 0, -1, 1);
  decoupled_add(o, arena, DAE__V_Y, (int[]){same, ny, 0, same}, 0, D, -1, 1);
  decoupled_add(o, arena, DAE__V_Z, (int[]){same, ny, 0, nz}, 0, D, -1, 0);
  decoupled_add(o, arena, DAE__P_Y, wide_W, D, 0, 1, 1);
  decoupled_add(o, arena, DAE__P_Y, wide_D, D, D, 1, 1);
  decoupled_add(o, arena, DAE__P_Z, (int[]){0, nz, 0, nz}, D, D, 1, 0);
  decoupled_add(o, arena, DAE__F_Y, wide_W, D, 0, -1, 2);
  decoupled_add(o, arena, DAE__F_Y, wide_D, D, D, -1, 2);
  decoupled_add(o, arena, DAE__F_Z, (int[]){0, nz, 0, nz}, D, D, -1, 1);
  decoupled_add(o, arena, DAE__R_LAMBDA, (int[]){0, nz, 0, ng}, D, L, -1, 0);
  decoupled_add(o, arena, DAE__F_PSI, (int[]){0, nz, 0, nk}, D, psi, -1, 0);
  decoupled_add(o, arena, DAE__G_Y, (int[]){0, ng, same, ny}, L, 0, 1, 0);
  decoupled_add(o, arena, DAE__G_Y, (int[]){0, ng, 0, same}, L, D, 1, 0);
  decoupled_add(o, arena, DAE__K_Y, (int[]){0, nk, same, ny}, psi, 0, 1, 1);
  decoupled_add(o, arena, DAE__K_Y, (int[]){0, nk, 0, same}, psi, D, 1, 1);
  decoupled_add(o, arena, DAE__K_Z, (int[]){0, nk, 0, nz}, psi, D, 1, 0);
  decoupled_add_ones(o, &o->unit_c, L);
}

/* all terms in each quarter of the doubled matrix */
static void decoupled_merge(dae__decoupled *o, dae__arena *arena)
{
  dae__block blocks[4 * DAE__DECOUPLED_TERMS];
  for (int i = 0; i < 4 * o->terms; i++) {
    blocks[i] = o->term[i / 4].block[0];
    blocks[i].row += i % 4 / 2 * o->n;
    blocks[i].col += i % 4 % 2 * o->n;
  }
  o->pattern = dae__blocks_merge(arena, 2 * o->n, 2 * o->n, blocks, 4 * o->terms);
  for (int i = 0; i < 4 * o->terms; i++)
    o->term[i / 4].block[i % 4] = blocks[i];
}

static const dae__momentum_part needed[] = {DAE__V_Y, DAE__V_Z,      DAE__P_Y,   DAE__P_Z,
                                            DAE__F_Y, DAE__F_Z,      DAE__F_PSI, DAE__K_Y,
                                            DAE__K_Z, DAE__R_LAMBDA, DAE__G_Y};
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

dae_status dae__decoupled_create(dae__arena *arena, const dae__face *face, int same, int count,
                                 dae__decoupled *out, dae_error *err)
{
  dae__decoupled *o = out;
  int nc = face->ng + face->nk;
  *o = (dae__decoupled){.face = face, .same = same, .nw = face->ny - same};
  o->n = o->nw + face->nz + nc;
  o->solver = DAE__ALLOC(arena, dae__solver *, count);
  o->unit_w = dae__pattern_diagonal(arena, o->nw);
  o->unit_c = dae__pattern_diagonal(arena, nc);
  for (int i = 0; i < COUNT(needed); i++)
    o->values[needed[i]] = DAE__ALLOC(arena, double, dae__pattern_count(&face->pattern[needed[i]]));
  o->x = DAE__ALLOC(arena, double, 2 * o->n);
  o->d = DAE__ALLOC(arena, double complex, face->ny);
  o->W = DAE__ALLOC(arena, double complex, face->ny);
  o->delta = DAE__ALLOC(arena, double complex, face->nz);
  if (!dae__arena_failed(arena))
    decoupled_list_terms(o, arena);
  if (!dae__arena_failed(arena))
    decoupled_merge(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (; o->count < count; o->count++) {
    dae_status status = dae__solver_create(arena, &o->pattern, &o->solver[o->count], err);
    if (status)
      return status; /* the caller frees those that are there */
  }
  return DAE_OK;
}

void dae__decoupled_free(dae__decoupled *o)
{
  for (int i = 0; i < o->count; i++)
    dae__solver_free(o->solver[i]);
}

dae_status dae__decoupled_reload(dae__decoupled *o)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < o->count && !status; i++)
    status = dae__solver_reload(o->solver[i]);
  return status;
}

/* ---- values ---- */

dae_status dae__decoupled_derive(dae__decoupled *o, const dae__face_at *at,
                                 const dae__face_multipliers *with, dae_error *err)
{
  const dae__face *c = o->face;
  dae__face_parts of_r = {0}, others = {0};
  for (int i = 0; i < COUNT(needed); i++)
    others.of[needed[i]] = o->values[needed[i]];
  of_r.of[DAE__R_LAMBDA] = o->values[DAE__R_LAMBDA];
  others.of[DAE__R_LAMBDA] = NULL;
  dae_status status = c->table->linearise(c->self, at, with->psi, &others, err);
  if (!status && c->ng > 0)
    status = c->table->linearise(c->self, at, with->lambda, &of_r, err);
  for (int i = 0; i < o->terms && !status; i++)
    if (o->term[i].part != DAE__MOMENTUM_PARTS)
      dae__pick_fill(&o->term[i].pick, o->values[o->term[i].part]);
  return status;
}

static double complex decoupled_power_of(double complex hmu, int power)
{
  return power == 0 ? 1 : power == 1 ? hmu : hmu * hmu;
}

static void decoupled_add_ones_of(const dae__decoupled *o, const dae__decoupled_term *term)
{
  const bool *active = term->block[0].pattern == &o->unit_c ? o->face->active : NULL;
  bool all = term->block[0].pattern == &o->unit_c && !active;
  for (int e = 0; e < term->block[0].pattern->cols && !all; e++)
    for (int quarter = 0; quarter < 4; quarter += 3)
      o->matrix[term->block[quarter].map[e]] += active && active[e] ? 0 : 1;
}

dae_status dae__decoupled_factor(dae__decoupled *o, int i, double complex hmu, dae_error *err)
{
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  for (int k = 0; k < o->terms; k++) {
    const dae__decoupled_term *term = &o->term[k];
    double complex factor = term->factor * decoupled_power_of(hmu, term->power);
    if (term->part == DAE__MOMENTUM_PARTS) {
      decoupled_add_ones_of(o, term);
      continue;
    }
    dae__block_add(&term->block[0], creal(factor), term->pick.values, o->matrix);
    dae__block_add(&term->block[3], creal(factor), term->pick.values, o->matrix);
    if (term->power > 0) {
      dae__block_add(&term->block[1], -cimag(factor), term->pick.values, o->matrix);
      dae__block_add(&term->block[2], cimag(factor), term->pick.values, o->matrix);
    }
  }
  dae_status status = dae__solver_factor(o->solver[i], o->matrix);
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  if (status)
    dae__fail(err, status, NULL, "a block of the richer iteration of the stages is singular");
  return status;
}

/* out += factor part x */
static void decoupled_add_complex(const dae__decoupled *o, dae__momentum_part part,
                                  double complex factor, const double complex *x,
                                  double complex *out)
{
  const dae_pattern *p = &o->face->pattern[part];
  const double *values = o->values[part];
  for (int j = 0; j < p->cols; j++)
    for (int i = p->start[j]; i < p->start[j + 1]; i++)
      out[p->row[i]] += factor * values[i] * x[j];
}

/* out = what is solved for, W of the y that are left out being D */
static void decoupled_take_solution(const dae__decoupled *o, double complex *W, double complex *x)
{
  int n = o->n, nw = o->nw;
  const double *re = o->x, *im = o->x + n;
  for (int k = nw; k < n; k++)
    x[k - nw] = re[k] + im[k] * I;
  for (int k = 0; k < o->same; k++)
    W[k] = x[k];
  for (int k = 0; k < nw; k++)
    W[o->same + k] = re[k] + im[k] * I;
}

void dae__decoupled_solve(dae__decoupled *o, int i, double complex hmu, double complex w,
                          const double *delta, double complex *e, double complex *x)
{
  const dae__face *c = o->face;
  int n = o->n, nw = o->nw, ny = c->ny, nz = c->nz;
  double complex *W = o->W, *d = o->d; /* d = w v_z delta */
  for (int k = 0; k < ny; k++)
    W[k] = d[k] = 0;
  for (int k = 0; k < nz; k++)
    o->delta[k] = w * delta[k];
  decoupled_add_complex(o, DAE__V_Z, 1, o->delta, d);
  decoupled_add_complex(o, DAE__V_Y, -hmu, d, W);
  decoupled_add_complex(o, DAE__V_Y, 1, e, W);
  decoupled_add_complex(o, DAE__P_Y, hmu, d, x);
  decoupled_add_complex(o, DAE__F_Z, -hmu, o->delta, x);
  decoupled_add_complex(o, DAE__F_Y, -hmu * hmu, d, x);
  decoupled_add_complex(o, DAE__K_Y, hmu, d, x + nz + c->ng);
  for (int k = 0; k < n; k++) {
    double complex value = k < nw ? W[o->same + k] : x[k - nw];
    o->x[k] = creal(value), o->x[n + k] = cimag(value);
  }
  dae__solver_solve(o->solver[i], o->x);
  decoupled_take_solution(o, W, x);
  for (int k = 0; k < ny; k++)
    e[k] = hmu * (W[k] - d[k]);
}
