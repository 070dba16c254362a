/* Full Newton iteration: assembly of the sparse Jacobian from derivatives at the points of a step.
 */
#include "onestep/spark/full_newton.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "quadrature/nodes.h"
#include "quadrature/small_matrix.h"

/* Size below which entries of B = Ab A^-1 are structural zeros, such as its first row. Chosen: a
 * few units of round-off. */
#define STRUCTURAL_ZERO 1e-15

/* kinds of points at which derivatives are evaluated; CONSTANT: unit matrices, at no point */
typedef enum place { AT_STAGE, AT_TILDE, AT_END, CONSTANT } place;

/* term of the Jacobian: weight h^power times a derivative at one point of the step */
typedef struct term {
  place place;
  int point; /* index of the stage or of the tilde node, from 0 */
  dae__momentum_part part;
  double weight;
  int power;
  int block;
} term;

struct dae__full_newton {
  const dae_spark_tableau *tableau;
  const dae__spark_adapter *adapter;
  int s, nt, n;
  int z, L, Psi;  /* first index of the unknowns Z, L, Psi, and of the rows R5, R6, R7 */
  double *B;      /* B = Ab A^-1 of the tilde points, nt x s */
  double *moment; /* weights of k in the rows R7, (s - 1) x s */
  dae_pattern pattern, unit_y, unit_g, unit_k;
  dae__block *block;
  dae__momentum_part *block_part; /* derivative in each block; DAE__MOMENTUM_PARTS: unit matrix */
  term *term;
  int blocks, terms;
  double *matrix, *x;
  /* values of the derivatives at the current point */
  double *values[DAE__MOMENTUM_PARTS];
  dae__solver *solver;
  bool factored;
};

/* ---- terms of the Jacobian ---- */

/* adds a term of the Jacobian; terms of the same derivative at the same (row, col) share a block.
 * While block and term are NULL, blocks and terms are only counted. */
static void full_newton_add_term(dae__full_newton *o, term added, int row, int col,
                                 const dae_pattern *pattern)
{
  added.block = o->blocks;
  for (int i = 0; o->block && i < o->blocks && added.block == o->blocks; i++)
    if (o->block[i].row == row && o->block[i].col == col && o->block_part[i] == added.part)
      added.block = i;
  if (o->block && added.block == o->blocks) {
    o->block[o->blocks] = (dae__block){row, col, pattern, false, NULL};
    o->block_part[o->blocks] = added.part;
  }
  o->blocks += added.block == o->blocks;
  if (o->term)
    o->term[o->terms] = added;
  o->terms++;
}

static void full_newton_add(dae__full_newton *o, place where, int point, dae__momentum_part part,
                            int row, int col, double weight, int power)
{
  const dae_pattern *pattern = &o->adapter->pattern[part];
  if (weight != 0 && dae__pattern_count(pattern) > 0)
    full_newton_add_term(o, (term){where, point, part, weight, power, 0}, row, col, pattern);
}

static void full_newton_add_unit(dae__full_newton *o, int row, int col, const dae_pattern *unit)
{
  full_newton_add_term(o, (term){CONSTANT, 0, DAE__MOMENTUM_PARTS, 1, 0, 0}, row, col, unit);
}

/* lists the terms of rows R4_i and R5_i of stage i; i = s: of the end of the step */
static void full_newton_list_stage_rows(dae__full_newton *o, int i)
{
  const dae_spark_tableau *T = o->tableau;
  const dae__spark_adapter *a = o->adapter;
  int s = o->s, nt = o->nt, ny = a->ny, nz = a->nz, ng = a->ng, nk = a->nk;
  const double *Ai = i < s ? T->A + i * s : T->b, *Ahi = i < s ? T->Ah + i * s : T->bh;
  const double *Ati = i < s ? T->At + i * nt : T->bt;
  int y_row = i * ny, p_row = o->z + i * nz;
  full_newton_add_unit(o, y_row, i * ny, &o->unit_y);
  full_newton_add(o, i < s ? AT_STAGE : AT_END, i, DAE__P_Y, p_row, i * ny, 1, 0);
  full_newton_add(o, i < s ? AT_STAGE : AT_END, i, DAE__P_Z, p_row, o->z + i * nz, 1, 0);
  for (int j = 0; j < s; j++) {
    full_newton_add(o, AT_STAGE, j, DAE__V_Y, y_row, j * ny, -Ai[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__V_Z, y_row, o->z + j * nz, -Ai[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_Y, p_row, j * ny, -Ahi[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_Z, p_row, o->z + j * nz, -Ahi[j], 1);
    full_newton_add(o, AT_STAGE, j, DAE__F_PSI, p_row, o->Psi + j * nk, -Ahi[j], 1);
  }
  for (int j = 0; j < nt; j++) {
    full_newton_add(o, AT_TILDE, j, DAE__R_LAMBDA, p_row, o->L + j * ng, -Ati[j], 1);
    for (int l = 0; l < s; l++)
      full_newton_add(o, AT_TILDE, j, DAE__R_Y, p_row, l * ny, -Ati[j] * o->B[j * s + l], 1);
  }
}

/* lists the terms of all rows; while no memory for them exists, blocks and terms are only
 * counted */
static void full_newton_list(dae__full_newton *o)
{
  const dae__spark_adapter *a = o->adapter;
  int s = o->s, nt = o->nt, ny = a->ny, nz = a->nz, ng = a->ng, nk = a->nk;
  o->blocks = o->terms = 0;
  for (int i = 0; i <= s; i++)
    full_newton_list_stage_rows(o, i);
  for (int i = 1; i < nt; i++) /* rows R6: g at the tilde points */
    for (int l = 0; l < s; l++)
      full_newton_add(o, AT_TILDE, i, DAE__G_Y, o->L + (i - 1) * ng, l * ny, o->B[i * s + l], -1);
  full_newton_add(o, AT_END, s, DAE__GDOT_Y, o->L + (nt - 1) * ng, s * ny, 1, 0);
  full_newton_add(o, AT_END, s, DAE__GDOT_Z, o->L + (nt - 1) * ng, o->z + s * nz, 1, 0);
  for (int i = 0; i < s - 1; i++) /* rows R7: moments of k */
    for (int j = 0; j < s; j++) {
      double weight = o->moment[i * s + j];
      full_newton_add(o, AT_STAGE, j, DAE__K_Y, o->Psi + i * nk, j * ny, weight, 0);
      full_newton_add(o, AT_STAGE, j, DAE__K_Z, o->Psi + i * nk, o->z + j * nz, weight, 0);
    }
  full_newton_add(o, AT_END, s, DAE__K_Y, o->Psi + (s - 1) * nk, s * ny, 1, 0);
  full_newton_add(o, AT_END, s, DAE__K_Z, o->Psi + (s - 1) * nk, o->z + s * nz, 1, 0);
  /* unit rows for the multipliers of redundant constraints */
  for (int i = 0; i < nt && a->active; i++)
    full_newton_add_unit(o, o->L + i * ng, o->L + i * ng, &o->unit_g);
  for (int i = 0; i < s && a->active; i++)
    full_newton_add_unit(o, o->Psi + i * nk, o->Psi + i * nk, &o->unit_k);
}

/* ---- creation ---- */

/* computes B = Ab A^-1, and the weights of k in the rows R7 */
static void full_newton_find_weights(dae__full_newton *o)
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
  for (int j = 0; j < s * o->nt; j++)
    o->B[j] = fabs(o->B[j]) < STRUCTURAL_ZERO ? 0 : o->B[j];
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++) {
      long double P, dP;
      dae__legendre(i, 2 * (long double)T->c[j] - 1, &P, &dP);
      o->moment[i * s + j] = T->b[j] * (double)P;
    }
}

dae_status dae__full_newton_create(dae__arena *arena, const dae_spark_tableau *tableau,
                                   const dae__spark_adapter *a, dae__full_newton **out,
                                   dae_error *err)
{
  int s = tableau->s, nt = tableau->nt;
  dae__full_newton *o = DAE__ALLOC(arena, dae__full_newton, 1);
  *out = NULL;
  if (!o)
    return dae__out_of_memory(err);
  *o = (dae__full_newton){.tableau = tableau, .adapter = a, .s = s, .nt = nt};
  o->z = (s + 1) * a->ny;
  o->L = o->z + (s + 1) * a->nz;
  o->Psi = o->L + nt * a->ng;
  o->n = o->Psi + s * a->nk;
  o->B = DAE__ALLOC(arena, double, nt *s);
  o->moment = DAE__ALLOC(arena, double, s *s);
  o->x = DAE__ALLOC(arena, double, o->n);
  o->unit_y = dae__pattern_diagonal(arena, a->ny);
  o->unit_g = dae__pattern_diagonal(arena, a->ng);
  o->unit_k = dae__pattern_diagonal(arena, a->nk);
  for (int part = 0; part < DAE__MOMENTUM_PARTS; part++)
    o->values[part] = DAE__ALLOC(arena, double, dae__pattern_count(&a->pattern[part]));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  full_newton_find_weights(o);
  full_newton_list(o); /* first call: counts blocks and terms */
  dae__block *block = DAE__ALLOC(arena, dae__block, o->blocks);
  o->block_part = DAE__ALLOC(arena, dae__momentum_part, o->blocks);
  term *terms = DAE__ALLOC(arena, term, o->terms);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->block = block;
  o->term = terms;
  full_newton_list(o);
  o->pattern = dae__blocks_merge(arena, o->n, o->n, o->block, o->blocks);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY(dae__solver_create(arena, &o->pattern, &o->solver, err));
  *out = o;
  return DAE_OK;
}

void dae__full_newton_free(dae__full_newton *o)
{
  if (o)
    dae__solver_free(o->solver);
}

dae_status dae__full_newton_reload(dae__full_newton *o)
{
  return dae__solver_reload(o->solver);
}

void dae__full_newton_forget(dae__full_newton *o)
{
  dae__solver_reset(o->solver);
}

/* ---- the Jacobian ---- */

static const dae__momentum_part of_stage[] = {DAE__V_Y, DAE__V_Z,   DAE__P_Y, DAE__P_Z, DAE__F_Y,
                                              DAE__F_Z, DAE__F_PSI, DAE__K_Y, DAE__K_Z};
static const dae__momentum_part of_tilde[] = {DAE__R_Y, DAE__R_LAMBDA, DAE__G_Y};
static const dae__momentum_part of_end[] = {DAE__P_Y,    DAE__P_Z, DAE__GDOT_Y,
                                            DAE__GDOT_Z, DAE__K_Y, DAE__K_Z};

/* evaluates the derivatives at one point and adds their terms to the Jacobian */
static dae_status full_newton_add_point(dae__full_newton *o, const dae__stages *st, place where,
                                        int point, const dae_momentum_at *at,
                                        const double *multiplier, dae_error *err)
{
  static const struct {
    const dae__momentum_part *parts;
    size_t count;
  } lists[] = {[AT_STAGE] = {of_stage, sizeof of_stage / sizeof *of_stage},
               [AT_TILDE] = {of_tilde, sizeof of_tilde / sizeof *of_tilde},
               [AT_END] = {of_end, sizeof of_end / sizeof *of_end}};
  dae__spark_derivatives wanted = {0};
  for (size_t i = 0; i < lists[where].count; i++)
    wanted.of[lists[where].parts[i]] = o->values[lists[where].parts[i]];
  DAE__TRY(o->adapter->table->linearise(o->adapter->self, at, multiplier, &wanted, err));
  for (int i = 0; i < o->terms; i++) {
    const term *e = &o->term[i];
    double weight = e->power > 0 ? e->weight * st->h : e->power < 0 ? e->weight / st->h : e->weight;
    if (e->place == where && e->point == point)
      dae__block_add(&o->block[e->block], weight, o->values[e->part], o->matrix);
  }
  return DAE_OK;
}

/* entry of (z, lambda, psi) that an unknown of the stage system is a value of; -1: a value of y */
static int full_newton_entry(const dae__full_newton *o, int unknown)
{
  const dae__spark_adapter *a = o->adapter;
  return unknown >= o->Psi && a->nk > 0 ? a->nz + a->ng + (unknown - o->Psi) % a->nk
         : unknown >= o->L && a->ng > 0 ? a->nz + (unknown - o->L) % a->ng
         : unknown >= o->z && a->nz > 0 ? (unknown - o->z) % a->nz
                                        : -1;
}

dae_status dae__full_newton_factor(dae__full_newton *o, dae__stages *st, dae_error *err)
{
  const dae__spark_adapter *a = o->adapter;
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  for (int i = 0; i < o->terms; i++) {
    const dae__block *block = &o->block[o->term[i].block];
    const bool *active = block->pattern == &o->unit_g   ? a->active
                         : block->pattern == &o->unit_k ? a->active + a->ng
                                                        : NULL;
    for (int e = 0; o->term[i].place == CONSTANT && e < block->pattern->cols; e++)
      o->matrix[block->map[e]] += active && active[e] ? 0 : 1;
  }
  for (int i = 0; i <= o->s; i++) {
    dae_momentum_at at = dae__stages_at(st, i + 1);
    const double *psi = i < o->s ? dae__stage_vector(st->now.Psi, i, a->nk) : NULL;
    DAE__TRY(full_newton_add_point(o, st, i < o->s ? AT_STAGE : AT_END, i, &at, psi, err));
  }
  for (int i = 0; i < o->nt && a->ng > 0; i++) {
    dae_momentum_at at = {.t = st->t + o->tableau->ct[i] * st->h, .y = st->Yt};
    const double *lambda = dae__stage_vector(st->now.L, i, a->ng);
    dae__full_newton_tilde(o, st, i, st->Yt);
    DAE__TRY(full_newton_add_point(o, st, AT_TILDE, i, &at, lambda, err));
  }
  dae_status status = dae__solver_factor(o->solver, o->matrix);
  o->factored = !status;
  if (status == DAE_ERROR_SINGULAR)
    return dae__spark_adapter_singular(a, "the Jacobian of the stage system",
                                       full_newton_entry(o, dae__solver_column(o->solver)), err);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* ---- the iteration ---- */

void dae__full_newton_tilde(const dae__full_newton *o, const dae__stages *st, int i, double *Yt)
{
  int ny = o->adapter->ny;
  const double *y0 = st->now.Y;
  for (int n = 0; n < ny; n++) {
    double sum = 0;
    for (int l = 0; l < o->s; l++)
      sum += o->B[i * o->s + l] * (st->now.Y[(l + 1) * ny + n] - y0[n]);
    Yt[n] = y0[n] + sum;
  }
}

/* right side of the Newton system, x = -(R4, R5, R6, R7) */
static void full_newton_residual(dae__full_newton *o, const dae__stages *st)
{
  const dae_spark_tableau *T = o->tableau;
  const dae__spark_adapter *a = o->adapter;
  int s = o->s, nt = o->nt, ny = a->ny, ng = a->ng, nk = a->nk;
  for (int i = 0; i <= s; i++) {
    const double *Ai = i < s ? T->A + i * s : T->b;
    double *R4 = o->x + (size_t)i * (size_t)ny;
    for (int n = 0; n < ny; n++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += Ai[j] * st->V[j * ny + n];
      R4[n] = st->now.Y[n] + st->h * sum - st->now.Y[(i + 1) * ny + n];
    }
    double *R5 = o->x + o->z + (size_t)i * (size_t)a->nz;
    dae__stages_residual5(st, i, R5);
    dae__scale(a->nz, -1, R5);
  }
  double *R6 = o->x + o->L, *R7 = o->x + o->Psi;
  for (int i = 1; i < nt; i++)
    for (int n = 0; n < ng; n++)
      R6[(i - 1) * ng + n] = -st->g[i * ng + n] / st->h;
  for (int n = 0; n < ng; n++)
    /* row of gdot at the end, which is stored in place of g at the first tilde node */
    R6[(nt - 1) * ng + n] = -st->g[n];
  dae__zero((s - 1) * nk, R7);
  for (int i = 0; i < s - 1; i++)
    for (int j = 0; j < s; j++)
      dae__axpy(nk, -o->moment[i * s + j], st->k + (size_t)j * (size_t)nk,
                R7 + (size_t)i * (size_t)nk);
  for (int n = 0; n < nk; n++)
    R7[(s - 1) * nk + n] = -st->k[s * nk + n];
}

/* adds the increments x to values; returns the largest change relative to its weight, NaN if an
 * increment is NaN */
static double full_newton_move(int count, int n, const double *x, const double *weight,
                               double *values)
{
  double change = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++) {
      double d = x[i * n + k];
      values[i * n + k] += d;
      if (weight && !(fabs(d) / weight[k] <= change) && !isnan(change))
        change = fabs(d) / weight[k];
    }
  return change;
}

dae_status dae__full_newton_iterate(dae__full_newton *o, dae__stages *st,
                                    const dae__stages_goal *goal, double *change, dae_error *err)
{
  const dae__spark_adapter *a = o->adapter;
  DAE__ASSERT(o->factored);
  DAE__TRY(dae__stages_v(st, err));
  DAE__TRY(dae__stages_evaluate(st, err));
  full_newton_residual(o, st);
  dae__solver_solve(o->solver, o->x);
  double y = full_newton_move(o->s + 1, a->ny, o->x, goal->y_weight, st->now.Y + a->ny);
  double z = full_newton_move(o->s + 1, a->nz, o->x + o->z, goal->z_weight, st->now.Z + a->nz);
  full_newton_move(o->nt, a->ng, o->x + o->L, NULL, st->now.L);
  full_newton_move(o->s, a->nk, o->x + o->Psi, NULL, st->now.Psi);
  *change = isnan(z) || z > y ? z : y;
  return DAE_OK;
}

int dae__full_newton_worst(const dae__full_newton *o)
{
  bool constrained = o->adapter->ng + o->adapter->nk > 0;
  int worst = constrained ? o->L : o->z, end = constrained ? o->n : o->L;
  double largest = -1;
  for (int i = worst; i < end; i++)
    if (fabs(o->x[i]) > largest)
      largest = fabs(o->x[i]), worst = i;
  return full_newton_entry(o, worst);
}
