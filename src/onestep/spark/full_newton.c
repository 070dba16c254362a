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

/* Factor of a term of the Jacobian: 1/h, 1 or h. */
enum { OVER_H, PLAIN, TIMES_H };

/* ---- terms of the Jacobian ---- */

/* adds a term of the Jacobian, unless it is zero */
static void full_newton_add(dae__full_newton *o, dae__arena *arena, int row, int col,
                            dae__term term)
{
  const dae_pattern *pattern = &o->equations->pattern[term.source];
  if (term.weight != 0 && !dae__arena_failed(arena) && dae__pattern_count(pattern) > 0)
    dae__terms_list(&o->terms, arena, term, (dae__block){row, col, pattern, false, NULL}, NULL);
}

/* lists the terms of rows R4_i and R5_i of stage i; i = s: of the end of the step */
static void full_newton_list_stage_rows(dae__full_newton *o, dae__arena *arena, int i)
{
  const dae_spark_tableau *T = o->tableau;
  const dae__spark_equations *eq = o->equations;
  int s = o->s, nt = o->nt, ny = eq->ny, nz = eq->nz, ng = eq->ng, nk = eq->nk;
  const double *Ai = i < s ? T->A + i * s : T->b, *Ahi = i < s ? T->Ah + i * s : T->bh;
  const double *Ati = i < s ? T->At + i * nt : T->bt;
  int R4 = i * ny, R5 = o->z + i * nz;
  full_newton_add(o, arena, R4, i * ny, (dae__term){DAE__SPARK_ONE, 0, 1, PLAIN});
  full_newton_add(o, arena, R5, i * ny, (dae__term){DAE__P_Y, i + 1, 1, PLAIN});
  full_newton_add(o, arena, R5, o->z + i * nz, (dae__term){DAE__P_Z, i + 1, 1, PLAIN});
  for (int j = 0; j < s; j++) {
    int Z = o->z + j * nz, Psi = o->Psi + j * nk;
    full_newton_add(o, arena, R4, j * ny, (dae__term){DAE__V_Y, j + 1, -Ai[j], TIMES_H});
    full_newton_add(o, arena, R4, Z, (dae__term){DAE__V_Z, j + 1, -Ai[j], TIMES_H});
    full_newton_add(o, arena, R5, j * ny, (dae__term){DAE__F_Y, j + 1, -Ahi[j], TIMES_H});
    full_newton_add(o, arena, R5, Z, (dae__term){DAE__F_Z, j + 1, -Ahi[j], TIMES_H});
    full_newton_add(o, arena, R5, Psi, (dae__term){DAE__F_PSI, j + 1, -Ahi[j], TIMES_H});
  }
  for (int j = 0; j < nt; j++) {
    int L = o->L + j * ng, at = s + 2 + j;
    full_newton_add(o, arena, R5, L, (dae__term){DAE__R_LAMBDA, at, -Ati[j], TIMES_H});
    for (int l = 0; l < s; l++)
      full_newton_add(o, arena, R5, l * ny,
                      (dae__term){DAE__R_Y, at, -Ati[j] * o->B[j * s + l], TIMES_H});
  }
}

static void full_newton_list(dae__full_newton *o, dae__arena *arena)
{
  const dae__spark_equations *eq = o->equations;
  int s = o->s, nt = o->nt, ny = eq->ny, nz = eq->nz, ng = eq->ng, nk = eq->nk, end = s + 1;
  int gdot = o->L + (nt - 1) * ng, last = o->Psi + (s - 1) * nk;
  for (int i = 0; i <= s; i++)
    full_newton_list_stage_rows(o, arena, i);
  for (int i = 1; i < nt; i++) /* rows R6: g at the tilde points */
    for (int l = 0; l < s; l++)
      full_newton_add(o, arena, o->L + (i - 1) * ng, l * ny,
                      (dae__term){DAE__G_Y, s + 2 + i, o->B[i * s + l], OVER_H});
  full_newton_add(o, arena, gdot, s * ny, (dae__term){DAE__GDOT_Y, end, 1, PLAIN});
  full_newton_add(o, arena, gdot, o->z + s * nz, (dae__term){DAE__GDOT_Z, end, 1, PLAIN});
  for (int i = 0; i < s - 1; i++) /* rows R7: moments of k */
    for (int j = 0; j < s; j++) {
      double weight = o->moment[i * s + j];
      int R7 = o->Psi + i * nk;
      full_newton_add(o, arena, R7, j * ny, (dae__term){DAE__K_Y, j + 1, weight, PLAIN});
      full_newton_add(o, arena, R7, o->z + j * nz, (dae__term){DAE__K_Z, j + 1, weight, PLAIN});
    }
  full_newton_add(o, arena, last, s * ny, (dae__term){DAE__K_Y, end, 1, PLAIN});
  full_newton_add(o, arena, last, o->z + s * nz, (dae__term){DAE__K_Z, end, 1, PLAIN});
  /* unit rows for the multipliers of redundant constraints */
  for (int L = o->L; L < o->Psi && eq->active; L += ng)
    full_newton_add(o, arena, L, L, (dae__term){DAE__SPARK_REDUNDANT_G, 0, 1, PLAIN});
  for (int Psi = o->Psi; Psi < o->n && eq->active; Psi += nk)
    full_newton_add(o, arena, Psi, Psi, (dae__term){DAE__SPARK_REDUNDANT_K, 0, 1, PLAIN});
}

/* ---- creation ---- */

dae_status dae__full_newton_create(dae__arena *arena, const dae_spark_tableau *tableau,
                                   const dae__spark_equations *eq, dae__full_newton **out,
                                   dae_error *err)
{
  int s = tableau->s, nt = tableau->nt;
  dae__full_newton *o = DAE__ALLOC(arena, dae__full_newton, 1);
  *out = NULL;
  DAE__TRY(dae__arena_status(arena, err));
  *o = (dae__full_newton){.tableau = tableau, .equations = eq, .s = s, .nt = nt};
  o->z = (s + 1) * eq->ny;
  o->L = o->z + (s + 1) * eq->nz;
  o->Psi = o->L + nt * eq->ng;
  o->n = o->Psi + s * eq->nk;
  o->B = DAE__ALLOC(arena, double, nt *s);
  o->moment = DAE__ALLOC(arena, double, s *s);
  o->x = DAE__ALLOC(arena, double, o->n);
  /* number of terms: rows R4 and R5, R6, R7, unit rows */
  o->terms = dae__terms_create(arena, (s + 1) * (3 + 5 * s + nt * (s + 1)) + (nt * s + 2) +
                                          (2 * s * s + 2) + nt + s);
  DAE__TRY(dae__arena_status(arena, err));
  dae__small B = dae__small_identity(s);
  if (nt > s) {
    dae__small A = dae__small_of(s, s, tableau->A), Ab = dae__small_of(nt, s, tableau->Ab), A_inv;
    dae__small_inverse(&A, &A_inv);
    B = dae__small_times(&Ab, &A_inv);
  }
  dae__small_round(&B, o->B);
  for (int j = 0; j < s * nt; j++)
    o->B[j] = fabs(o->B[j]) < STRUCTURAL_ZERO ? 0 : o->B[j];
  for (int i = 0; i < (s - 1) * s; i++) {
    long double P, dP;
    dae__legendre(i / s, 2 * (long double)tableau->c[i % s] - 1, &P, &dP);
    o->moment[i] = tableau->b[i % s] * (double)P;
  }
  full_newton_list(o, arena);
  DAE__TRY(dae__terms_merge(&o->terms, arena, o->n, o->n, err));
  DAE__TRY(dae__solver_create(arena, &o->terms.pattern, &o->solver, err));
  *out = o;
  return DAE_OK;
}

/* ---- the Jacobian ---- */

/* entry of (z, lambda, psi) that an unknown of the stage system is a value of; -1: a value of y */
static int full_newton_entry(const dae__full_newton *o, int unknown)
{
  const dae__spark_equations *eq = o->equations;
  return unknown >= o->Psi && eq->nk > 0 ? eq->nz + eq->ng + (unknown - o->Psi) % eq->nk
         : unknown >= o->L && eq->ng > 0 ? eq->nz + (unknown - o->L) % eq->ng
         : unknown >= o->z && eq->nz > 0 ? (unknown - o->z) % eq->nz
                                         : -1;
}

dae_status dae__full_newton_factor(dae__full_newton *o, dae__stages *st, dae_error *err)
{
  const unsigned of_end = DAE__SPARK_SET(DAE__P_Y) | DAE__SPARK_SET(DAE__P_Z) |
                          DAE__SPARK_SET(DAE__K_Y) | DAE__SPARK_SET(DAE__K_Z);
  const unsigned of_gdot = DAE__SPARK_SET(DAE__GDOT_Y) | DAE__SPARK_SET(DAE__GDOT_Z);
  const unsigned of_stage = of_end | DAE__SPARK_SET(DAE__V_Y) | DAE__SPARK_SET(DAE__V_Z) |
                            DAE__SPARK_SET(DAE__F_Y) | DAE__SPARK_SET(DAE__F_Z) |
                            DAE__SPARK_SET(DAE__F_PSI);
  const unsigned of_tilde =
      DAE__SPARK_SET(DAE__R_Y) | DAE__SPARK_SET(DAE__R_LAMBDA) | DAE__SPARK_SET(DAE__G_Y);
  const dae__spark_equations *eq = o->equations;
  const double scale[] = {[OVER_H] = 1 / st->h, [PLAIN] = 1, [TIMES_H] = st->h};
  int s = o->s, points = s + 1 + (eq->ng > 0 ? o->nt : 0);
  st->memory->whole = true;
  st->memory->jacobians++;
  st->memory->factorisations++;
  dae__terms_add(&o->terms, 0, scale, eq->values);
  for (int i = 0; i < points; i++) {
    int tilde = i - s - 1;
    dae_momentum_at at = {.y = st->Yt};
    const double *multiplier = i < s ? dae__stage_vector(st->now.Psi, i, eq->nk) : NULL;
    unsigned parts = i < s ? of_stage : i == s ? of_end | of_gdot : of_tilde;
    if (tilde < 0)
      at = dae__stages_at(st, i + 1);
    else {
      at.t = st->t + o->tableau->ct[tilde] * st->h;
      dae__full_newton_tilde(o, st, tilde, st->Yt);
      multiplier = dae__stage_vector(st->now.L, tilde, eq->ng);
    }
    DAE__TRY(eq->table->linearise(eq->self, &at, multiplier, parts, err));
    dae__terms_add(&o->terms, i + 1, scale, eq->values);
  }
  dae_status status = dae__solver_factor(o->solver, o->terms.values);
  o->factored = !status;
  return dae__spark_factored(eq, status, "the Jacobian of the stage system",
                             full_newton_entry(o, dae__solver_column(o->solver)), err);
}

/* ---- the iteration ---- */

void dae__full_newton_tilde(const dae__full_newton *o, const dae__stages *st, int i, double *Yt)
{
  int ny = o->equations->ny;
  const double *y0 = st->now.Y;
  for (int n = 0; n < ny; n++) {
    double sum = 0;
    for (int l = 0; l < o->s; l++)
      sum += o->B[i * o->s + l] * (st->now.Y[(l + 1) * ny + n] - y0[n]);
    Yt[n] = y0[n] + sum;
  }
}

/* adds the increments x to values; returns the largest change relative to its weight, NaN if an
 * increment is NaN, and its entry in *worst */
static double full_newton_move(int count, int n, const double *x, const double *weight,
                               double *values, int *worst)
{
  double change = 0;
  for (int i = 0; i < count; i++)
    for (int k = 0; k < n; k++) {
      double d = x[i * n + k];
      values[i * n + k] += d;
      if (!(fabs(d) / weight[k] <= change) && !isnan(change))
        change = fabs(d) / weight[k], *worst = k;
    }
  return change;
}

dae_status dae__full_newton_iterate(dae__full_newton *o, dae__stages *st,
                                    const dae__stages_goal *goal, double *change, dae_error *err)
{
  const dae_spark_tableau *T = o->tableau;
  const dae__spark_equations *eq = o->equations;
  int s = o->s, ny = eq->ny, nz = eq->nz, ng = eq->ng, nk = eq->nk;
  double *x = o->x, *R6 = x + o->L, *R7 = x + o->Psi;
  DAE__ASSERT(o->factored);
  DAE__TRY(dae__stages_v(st, err));
  DAE__TRY(dae__stages_evaluate(st, err));
  /* right side x = -(R4, R5, R6, R7); gdot is stored in place of g at the first tilde node */
  for (int i = 0; i <= s; i++) {
    const double *Ai = i < s ? T->A + i * s : T->b;
    double *R4 = dae__stage_vector(x, i, ny), *R5 = dae__stage_vector(x + o->z, i, nz);
    dae__copy(ny, st->now.Y, R4);
    dae__axpy(ny, -1, dae__stage_vector(st->now.Y, i + 1, ny), R4);
    for (int j = 0; j < s; j++)
      dae__axpy(ny, st->h * Ai[j], dae__stage_vector(st->V, j, ny), R4);
    dae__stages_residual5(st, i, R5);
    dae__scale(nz, -1, R5);
  }
  for (int i = 0; i < o->nt * ng; i++)
    R6[i] = i < (o->nt - 1) * ng ? -st->g[i + ng] / st->h : -st->g[i - (o->nt - 1) * ng];
  dae__zero(s * nk, R7);
  for (int i = 0; i < (s - 1) * s; i++)
    dae__axpy(nk, -o->moment[i], dae__stage_vector(st->k, i % s, nk),
              dae__stage_vector(R7, i / s, nk));
  dae__axpy(nk, -1, dae__stage_vector(st->k, s, nk), dae__stage_vector(R7, s - 1, nk));
  /* rows of redundant constraints: multiplier 0 */
  for (int i = 0; i < o->nt * ng && eq->active; i++)
    R6[i] = eq->active[i % ng] ? R6[i] : -st->now.L[i];
  for (int i = 0; i < s * nk && eq->active; i++)
    R7[i] = eq->active[ng + i % nk] ? R7[i] : -st->now.Psi[i];
  dae__solver_solve(o->solver, x);
  int y_worst = 0, z_worst = 0;
  double y = full_newton_move(s + 1, ny, x, goal->y_weight, st->now.Y + ny, &y_worst);
  double z = full_newton_move(s + 1, nz, x + o->z, goal->z_weight, st->now.Z + nz, &z_worst);
  dae__axpy(o->nt * ng, 1, x + o->L, st->now.L);
  dae__axpy(s * nk, 1, x + o->Psi, st->now.Psi);
  *change = isnan(z) || z > y ? z : y;
  st->worst = isnan(z) || z > y ? ny + z_worst : y_worst;
  return DAE_OK;
}

int dae__full_newton_worst(const dae__full_newton *o)
{
  bool constrained = o->equations->ng + o->equations->nk > 0;
  int worst = constrained ? o->L : o->z, end = constrained ? o->n : o->L;
  double largest = -1;
  for (int i = worst; i < end; i++)
    if (fabs(o->x[i]) > largest)
      largest = fabs(o->x[i]), worst = i;
  return full_newton_entry(o, worst);
}
