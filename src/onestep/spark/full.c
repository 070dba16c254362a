#include "onestep/spark/full.h"
#include "core/error.h"
#include "core/vec.h"
#include "quadrature/nodes.h"
#include "quadrature/small_matrix.h"

/* where derivatives are taken */
typedef enum place { AT_STAGE, AT_TILDE, AT_END, CONSTANT } place;

/* a block of the matrix gets weight h^power times a derivative at a point */
typedef struct term {
  place place;
  int point; /* stage, or tilde node, from 0 */
  dae__momentum_part part;
  double weight;
  int power;
  int block;
} term;

struct dae__full {
  const dae_spark_tableau *tableau;
  const dae__face *face;
  int s, nt, n;
  int z, L, Psi;  /* where their unknowns, and rows R5, R6, R7 begin */
  double *B;      /* nt x s */
  double *moment; /* (s - 1) x s: weights of k */
  dae_pattern pattern, unit_y, unit_g, unit_k;
  dae__block *block;
  dae__momentum_part *block_part; /* DAE__MOMENTUM_PARTS: a unit */
  term *term;
  int blocks, terms;
  double *matrix, *x;
  double *values[DAE__MOMENTUM_PARTS]; /* of one point */
  dae__solver *solver;
};

/* ---- creation: what the matrix is made of ---- */

/* the block of a part at this place of the matrix; counted only while there is no memory */
static int full_newton_block_at(dae__full *o, int row, int col, dae__momentum_part part,
                                const dae_pattern *pattern)
{
  for (int i = 0; o->block && i < o->blocks; i++)
    if (o->block[i].row == row && o->block[i].col == col && o->block_part[i] == part)
      return i;
  if (o->block) {
    o->block[o->blocks] = (dae__block){row, col, pattern, false, NULL};
    o->block_part[o->blocks] = part;
  }
  return o->blocks++;
}

static void full_newton_add(dae__full *o, place where, int point, dae__momentum_part part, int row,
                            int col, double weight, int power)
{
  if (weight == 0 || o->face->pattern[part].start[o->face->pattern[part].cols] == 0)
    return;
  int block = full_newton_block_at(o, row, col, part, &o->face->pattern[part]);
  if (o->term)
    o->term[o->terms] = (term){where, point, part, weight, power, block};
  o->terms++;
}

static void full_newton_add_unit(dae__full *o, int row, int col, const dae_pattern *unit)
{
  int block = full_newton_block_at(o, row, col, DAE__MOMENTUM_PARTS, unit);
  if (o->term)
    o->term[o->terms] = (term){CONSTANT, 0, DAE__MOMENTUM_PARTS, 1, 0, block};
  o->terms++;
}

/* rows R4_i and R5_i of stage i, s: the end */
static void full_newton_list_stage_rows(dae__full *o, int i)
{
  const dae_spark_tableau *T = o->tableau;
  int s = o->s, nt = o->nt, ny = o->face->ny, nz = o->face->nz, ng = o->face->ng, nk = o->face->nk;
  const double *a = i < s ? T->A + i * s : T->b, *ah = i < s ? T->Ah + i * s : T->bh;
  const double *at = i < s ? T->At + i * nt : T->bt;
  int y_row = i * ny, p_row = o->z + i * nz;
  full_newton_add_unit(o, y_row, i * ny, &o->unit_y);
  full_newton_add(o, i < s ? AT_STAGE : AT_END, i, DAE__P_Y, p_row, i * ny, 1, 0);
  full_newton_add(o, i < s ? AT_STAGE : AT_END, i, DAE__P_Z, p_row, o->z + i * nz, 1, 0);
  for (int j = 0; j < s; j++) {
    full_newton_add(o, AT_STAGE, j, DAE__V_Y, y_row, j * ny, -a[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__V_Z, y_row, o->z + j * nz, -a[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_Y, p_row, j * ny, -ah[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_Z, p_row, o->z + j * nz, -ah[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_PSI, p_row, o->Psi + j * nk, -ah[j], 1);
  }
  for (int j = 0; j < nt; j++) {
    full_newton_add(o, AT_TILDE, j, DAE__R_LAMBDA, p_row, o->L + j * ng, -at[j], 1);
    for (int l = 0; l < s; l++)
      full_newton_add(o, AT_TILDE, j, DAE__R_Y, p_row, l * ny, -at[j] * o->B[j * s + l], 1);
  }
}

/* rows R6 and R7 */
static void full_newton_list_constraint_rows(dae__full *o)
{
  int s = o->s, nt = o->nt, ny = o->face->ny, nz = o->face->nz, ng = o->face->ng, nk = o->face->nk;
  for (int i = 1; i < nt; i++)
    for (int l = 0; l < s; l++)
      full_newton_add(o, AT_TILDE, i, DAE__G_Y, o->L + (i - 1) * ng, l * ny, o->B[i * s + l], -1);
  full_newton_add(o, AT_END, s, DAE__GDOT_Y, o->L + (nt - 1) * ng, s * ny, 1, 0);
  full_newton_add(o, AT_END, s, DAE__GDOT_Z, o->L + (nt - 1) * ng, o->z + s * nz, 1, 0);
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++) {
      full_newton_add(o, AT_STAGE, j, DAE__K_Y, o->Psi + i * nk, j * ny, o->moment[i * s + j], 0);
      full_newton_add(o, AT_STAGE, j, DAE__K_Z, o->Psi + i * nk, o->z + j * nz,
                      o->moment[i * s + j], 0);
    }
  full_newton_add(o, AT_END, s, DAE__K_Y, o->Psi + (s - 1) * nk, s * ny, 1, 0);
  full_newton_add(o, AT_END, s, DAE__K_Z, o->Psi + (s - 1) * nk, o->z + s * nz, 1, 0);
  for (int i = 0; i < nt && o->face->active; i++) /* multipliers of rows that were taken out */
    full_newton_add_unit(o, o->L + i * ng, o->L + i * ng, &o->unit_g);
  for (int i = 0; i < s && o->face->active; i++)
    full_newton_add_unit(o, o->Psi + i * nk, o->Psi + i * nk, &o->unit_k);
}

static void full_newton_list(dae__full *o)
{
  o->blocks = o->terms = 0;
  for (int i = 0; i <= o->s; i++)
    full_newton_list_stage_rows(o, i);
  full_newton_list_constraint_rows(o);
}

/* B, and the weights of k */
static void full_newton_find_weights(dae__full *o)
{
  const dae_spark_tableau *T = o->tableau;
  int s = o->s;
  dae__small B = dae__small_identity(s);
  if (o->nt > s) {
    dae__small A = dae__small_of(s, s, T->A), Ab = dae__small_of(o->nt, s, T->Ab), A_inv;
    dae__small_inverse(&A, &A_inv);
    B = dae__small_times(&Ab, &A_inv);
  }
  dae__small_round(&B, o->B);
  for (int j = 0; j < s * o->nt; j++) /* structural zeros, as in its first row */
    o->B[j] = fabs(o->B[j]) < 1e-15 ? 0 : o->B[j];
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++) {
      long double P, dP;
      dae__legendre(i, 2 * (long double)T->c[j] - 1, &P, &dP);
      o->moment[i * s + j] = T->b[j] * (double)P;
    }
}

static dae_status full_newton_alloc_memory(dae__full *o, dae__arena *arena, dae_error *err)
{
  const dae__face *face = o->face;
  o->B = DAE__ALLOC(arena, double, o->nt * o->s);
  o->moment = DAE__ALLOC(arena, double, o->s * o->s);
  o->x = DAE__ALLOC(arena, double, o->n);
  o->unit_y = dae__pattern_diagonal(arena, face->ny);
  o->unit_g = dae__pattern_diagonal(arena, face->ng);
  o->unit_k = dae__pattern_diagonal(arena, face->nk);
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    o->values[part] = DAE__ALLOC(arena, double, dae__pattern_count(&face->pattern[part]));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  full_newton_find_weights(o);
  full_newton_list(o); /* how many there are */
  dae__block *block = DAE__ALLOC(arena, dae__block, o->blocks);
  o->block_part = DAE__ALLOC(arena, dae__momentum_part, o->blocks);
  term *terms = DAE__ALLOC(arena, term, o->terms);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->block = block;
  o->term = terms;
  full_newton_list(o);
  return DAE_OK;
}

dae_status dae__full_create(dae__arena *arena, const dae_spark_tableau *tableau,
                            const dae__face *face, dae__full **out, dae_error *err)
{
  int s = tableau->s, nt = tableau->nt;
  dae__full *o = DAE__ALLOC(arena, dae__full, 1);
  *out = NULL;
  if (!o)
    return dae__out_of_memory(err);
  *o = (dae__full){.tableau = tableau, .face = face, .s = s, .nt = nt};
  o->z = (s + 1) * face->ny;
  o->L = o->z + (s + 1) * face->nz;
  o->Psi = o->L + nt * face->ng;
  o->n = o->Psi + s * face->nk;
  DAE__TRY(full_newton_alloc_memory(o, arena, err));
  o->pattern = dae__blocks_merge(arena, o->n, o->n, o->block, o->blocks);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__solver_create(arena, &o->pattern, &o->solver, err);
  if (!status)
    *out = o;
  return status;
}

void dae__full_free(dae__full *o)
{
  if (o)
    dae__solver_free(o->solver);
}

dae_status dae__full_reload(dae__full *o)
{
  return dae__solver_reload(o->solver);
}

void dae__full_forget(dae__full *o)
{
  dae__solver_forget(o->solver);
}

/* ---- the matrix ---- */

static const dae__momentum_part of_stage[] = {DAE__V_Y, DAE__V_Z,   DAE__P_Y, DAE__P_Z, DAE__F_Y,
                                              DAE__F_Z, DAE__F_PSI, DAE__K_Y, DAE__K_Z};
static const dae__momentum_part of_tilde[] = {DAE__R_Y, DAE__R_LAMBDA, DAE__G_Y};
static const dae__momentum_part of_end[] = {DAE__P_Y,    DAE__P_Z, DAE__GDOT_Y,
                                            DAE__GDOT_Z, DAE__K_Y, DAE__K_Z};

#define COUNT(full_newton_list) ((int)(sizeof(full_newton_list) / sizeof *(full_newton_list)))

/* adds what the derivatives at one point contribute */
static dae_status full_newton_add_point(dae__full *o, const dae__stages *st, place where, int point,
                                        const dae__face_at *at, const double *multiplier,
                                        dae_error *err)
{
  dae__face_parts wanted = {0};
  const dae__momentum_part *parts = where == AT_STAGE   ? of_stage
                                    : where == AT_TILDE ? of_tilde
                                                        : of_end;
  int count = where == AT_STAGE   ? COUNT(of_stage)
              : where == AT_TILDE ? COUNT(of_tilde)
                                  : COUNT(of_end);
  for (int i = 0; i < count; i++)
    wanted.of[parts[i]] = o->values[parts[i]];
  dae_status status = o->face->table->linearise(o->face->self, at, multiplier, &wanted, err);
  for (int i = 0; i < o->terms && !status; i++) {
    const term *e = &o->term[i];
    double weight = e->power > 0 ? e->weight * st->h : e->power < 0 ? e->weight / st->h : e->weight;
    if (e->place == where && e->point == point)
      dae__block_add(&o->block[e->block], weight, o->values[e->part], o->matrix);
  }
  return status;
}

static void full_newton_add_units(dae__full *o)
{
  const dae__face *face = o->face;
  for (int i = 0; i < o->terms; i++) {
    const dae__block *block = &o->block[o->term[i].block];
    if (o->term[i].place != CONSTANT)
      continue;
    const bool *active = block->pattern == &o->unit_g   ? face->active
                         : block->pattern == &o->unit_k ? face->active + face->ng
                                                        : NULL;
    for (int e = 0; e < block->pattern->cols; e++)
      o->matrix[block->map[e]] += active && active[e] ? 0 : 1;
  }
}

/* names what a singular column belongs to */
static dae_status full_newton_singular(const dae__full *o, dae_error *err)
{
  const dae__face *face = o->face;
  int column = dae__solver_column(o->solver), i = -1;
  if (column >= o->Psi)
    i = face->nz + face->ng + (column - o->Psi) % face->nk;
  else if (column >= o->L)
    i = face->nz + (column - o->L) % face->ng;
  else if (column >= o->z)
    i = (column - o->z) % face->nz;
  return dae__face_singular(face, "the Jacobian of the stages", i, err);
}

dae_status dae__full_factor(dae__full *o, dae__stages *st, dae_error *err)
{
  const dae__face *c = o->face;
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  full_newton_add_units(o);
  for (int i = 0; i <= o->s && !status; i++) {
    dae__face_at at = dae__stages_at(st, i + 1);
    const double *psi = i < o->s ? dae__stage_vector(st->now.Psi, i, c->nk) : NULL;
    status = full_newton_add_point(o, st, i < o->s ? AT_STAGE : AT_END, i, &at, psi, err);
  }
  for (int i = 0; i < o->nt && !status && c->ng > 0; i++) {
    dae__face_at at = {.t = st->t + o->tableau->ct[i] * st->h, .y = st->Yt};
    dae__full_tilde(o, st, i, st->Yt);
    status =
        full_newton_add_point(o, st, AT_TILDE, i, &at, dae__stage_vector(st->now.L, i, c->ng), err);
  }
  DAE__TRY(status);
  status = dae__solver_factor(o->solver, o->matrix);
  if (status == DAE_ERROR_SINGULAR)
    return full_newton_singular(o, err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* ---- the iteration ---- */

void dae__full_tilde(const dae__full *o, const dae__stages *st, int i, double *Yt)
{
  int ny = o->face->ny;
  const double *y0 = st->now.Y;
  for (int n = 0; n < ny; n++) {
    double sum = 0;
    for (int l = 0; l < o->s; l++)
      sum += o->B[i * o->s + l] * (st->now.Y[(l + 1) * ny + n] - y0[n]);
    Yt[n] = y0[n] + sum;
  }
}

/* x = -(R4, R5, R6, R7) */
static void full_newton_residual(dae__full *o, const dae__stages *st)
{
  const dae_spark_tableau *T = o->tableau;
  const dae__face *c = o->face;
  int s = o->s, nt = o->nt, ny = c->ny, ng = c->ng, nk = c->nk;
  for (int i = 0; i <= s; i++) {
    const double *a = i < s ? T->A + i * s : T->b;
    double *R4 = o->x + (size_t)i * (size_t)ny;
    for (int n = 0; n < ny; n++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += a[j] * st->V[j * ny + n];
      R4[n] = st->now.Y[n] + st->h * sum - st->now.Y[(i + 1) * ny + n];
    }
    double *R5 = o->x + o->z + (size_t)i * (size_t)c->nz;
    dae__stages_residual5(st, i, R5);
    dae__scale(c->nz, -1, R5);
  }
  double *R6 = o->x + o->L, *R7 = o->x + o->Psi;
  for (int i = 1; i < nt; i++)
    for (int n = 0; n < ng; n++)
      R6[(i - 1) * ng + n] = -st->g[i * ng + n] / st->h;
  for (int n = 0; n < ng; n++)
    R6[(nt - 1) * ng + n] = -st->g[n]; /* gdot */
  dae__zero((s - 1) * nk, R7);
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++)
      dae__axpy(nk, -o->moment[i * s + j], st->k + (size_t)j * (size_t)nk,
                R7 + (size_t)i * (size_t)nk);
  for (int n = 0; n < nk; n++)
    R7[(s - 1) * nk + n] = -st->k[s * nk + n];
}

/* adds x to values; the largest change of each entry relative to its weight */
static double full_newton_move(int count, int n, const double *x, const double *weight,
                               double *values)
{
  double change = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++) {
      double d = x[i * n + k];
      values[i * n + k] += d;
      if (weight && !(fabs(d) / weight[k] <= change) && !isnan(change)) /* a NaN has to show */
        change = fabs(d) / weight[k];
    }
  return change;
}

double dae__full_increment(dae__full *o, dae__stages *st, const dae__stages_goal *goal)
{
  const dae__face *c = o->face;
  full_newton_residual(o, st);
  dae__solver_solve(o->solver, o->x);
  double y = full_newton_move(o->s + 1, c->ny, o->x, goal->y_weight, st->now.Y + c->ny);
  double z = full_newton_move(o->s + 1, c->nz, o->x + o->z, goal->z_weight, st->now.Z + c->nz);
  full_newton_move(o->nt, c->ng, o->x + o->L, NULL, st->now.L);
  full_newton_move(o->s, c->nk, o->x + o->Psi, NULL, st->now.Psi);
  return isnan(z) || z > y ? z : y;
}

/* entry of the largest among count vectors of length n; *most: how large it is */
static int full_newton_largest(int count, int n, const double *x, double *most)
{
  int worst = 0;
  for (int i = 0; i < count * n; i++)
    if (fabs(x[i]) > *most) {
      *most = fabs(x[i]);
      worst = i % n;
    }
  return worst;
}

int dae__full_worst(const dae__full *o)
{
  const dae__face *c = o->face;
  double of_L = -1, of_psi = -1, of_z = -1;
  int lambda = full_newton_largest(o->nt, c->ng, o->x + o->L, &of_L);
  int psi = full_newton_largest(o->s, c->nk, o->x + o->Psi, &of_psi);
  if (c->ng + c->nk == 0)
    return full_newton_largest(o->s + 1, c->nz, o->x + o->z, &of_z);
  return of_psi > of_L ? c->nz + c->ng + psi : c->nz + lambda;
}
