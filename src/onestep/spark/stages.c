/* Stage system: creation, prediction, evaluation. */
#include "onestep/spark/stages.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/decoupled.h"
#include "onestep/spark/full_newton.h"
#include "quadrature/nodes.h"

/* Ratio of step sizes above which the polynomial of the last step is not extrapolated: the last
 * step was cut short, as at an output time. Chosen, not measured. */
#define LARGEST_EXTRAPOLATION 10

/* ---- creation ---- */

dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__spark_equations *eq,
                              dae__stages *out, dae_error *err)
{
  size_t s = (size_t)tableau->s, nt = (size_t)tableau->nt, ny = (size_t)eq->ny, nz = (size_t)eq->nz;
  size_t ng = (size_t)eq->ng, nk = (size_t)eq->nk;
  dae__stages *st = out;
  *st = (dae__stages){.tableau = tableau,
                      .transform = transform,
                      .equations = eq,
                      .s = tableau->s,
                      .nt = tableau->nt,
                      .env = dae__arena_env(arena)};
  st->memory = DAE__STATE(arena, dae__stages_memory, 1);
  st->size = (int)((s + 2) * (ny + nz) + nt * ng + s * nk);
  dae__stage_values *values[] = {&st->last, &st->half, &st->now};
  for (int i = 0; i < 3; i++) {
    double *all = DAE__STATE(arena, double, st->size);
    if (all)
      *values[i] = (dae__stage_values){.Y = all,
                                       .Z = all + (s + 2) * ny,
                                       .L = all + (s + 2) * (ny + nz),
                                       .Psi = all + (s + 2) * (ny + nz) + nt * ng};
  }
  DAE__VECTORS(arena, s * ny, &st->V, &st->refresh_change);
  st->p0 = DAE__ALLOC(arena, double, nz);
  DAE__VECTORS(arena, (s + 1) * nz, &st->p, &st->r, &st->R5);
  st->f = DAE__ALLOC(arena, double, s *nz);
  DAE__VECTORS(arena, (s + 1) * ng, &st->g, &st->R6);
  DAE__VECTORS(arena, (s + 1) * nk, &st->k, &st->R7);
  st->Yt = DAE__ALLOC(arena, double, ny);
  st->x = DAE__ALLOC(arena, double, (s + 1) * (nz + ng + nk));
  st->node = DAE__ALLOC(arena, double, s + 2);
  st->D = DAE__ALLOC(arena, double, s *(nz + ng + nk + ny));
  st->xi = DAE__ALLOC(arena, double complex, nz + ng + nk + ny);
  st->node_index = DAE__ALLOC(arena, int, s + 2);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_TRUTH(arena, &st->memory->factored, 3);
  DAE__LIMIT(arena, &st->memory->first_strategy, 1, 0, DAE__STAGES_FULL);
  DAE__LIMIT_COUNTER(arena, &st->memory->first_strategy_steps, 1);
  DAE__LIMIT_COUNTER(arena, &st->memory->contraction_steps, 1);
  DAE__LIMIT_COUNTER(arena, &st->memory->iterations, 3 + DAE__STAGES_FULL + 1);
  /* interpolation nodes: both ends of the step and the inner stages; a stage at an end of the step
   * differs from the value there, and is no node */
  const double *c = tableau->c;
  for (int i = 0; i <= st->s + 1; i++)
    if (i == 0 || i > st->s || (c[i - 1] > 0 && c[i - 1] < 1)) {
      st->node[st->nodes] = i == 0 ? 0 : i > st->s ? 1 : c[i - 1];
      st->node_index[st->nodes++] = i;
    }
  if (!transform)
    return dae__full_newton_create(arena, tableau, eq, &st->full, err);
  return transform->blocks > 0
             ? dae__decoupled_create(arena, eq, transform->blocks, &st->decoupled, err)
             : DAE_OK;
}

void dae__stages_free(dae__stages *st)
{
  for (int i = 0; i < st->decoupled.count; i++)
    dae__zsolver_free(st->decoupled.solver[i]);
  if (st->full)
    dae__solver_free(st->full->solver);
  dae__arena_free(st->full_arena);
}

/* ---- prediction ---- */

/* Predicts Z, L and Psi by extrapolation of the last step; by constant values in the first step and
 * with stiff forces, where Gauss methods do not damp and the polynomials of stiff components
 * oscillate. */
void dae__stages_predict(dae__stages *st)
{
  const dae_spark_tableau *T = st->tableau;
  const dae__spark_equations *eq = st->equations;
  const dae__stage_values *from = st->second_half ? &st->half : &st->last, *to = &st->now;
  bool stiff = st->transform && st->strategy != DAE__STAGES_SIMPLIFIED;
  double q = st->h / (st->second_half ? st->h : st->memory->h);
  bool constant = stiff || !(q <= LARGEST_EXTRAPOLATION);
  const struct {
    int count, n; /* number of vectors, and their length */
    double *to;
    const double *constant, *at; /* constant value, and relative times of the vectors */
    int nodes;
    const double *node, *from; /* polynomial through the vectors `from` at the nodes */
    const int *index;          /* vector of each node; NULL: in sequence */
  } of[] = {{st->s + 1, eq->nz, to->Z + eq->nz, to->Z, T->c, st->nodes, st->node, from->Z,
             st->node_index},
            {st->nt, eq->ng, to->L, st->lambda, T->ct, st->nt, T->ct, from->L, NULL},
            {st->s, eq->nk, to->Psi, st->psi, T->c, st->s, T->c, from->Psi, NULL}};
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < of[k].count; i++) {
      double *out = of[k].to + (size_t)i * (size_t)of[k].n;
      double x = 1 + q * (k == 0 && i == st->s ? 1 : of[k].at[i]);
      if (constant)
        dae__copy(of[k].n, of[k].constant, out);
      else
        dae__zero(of[k].n, out);
      for (int j = 0; j < of[k].nodes && !constant; j++)
        dae__axpy(of[k].n, dae__lagrange_weight(of[k].nodes, of[k].node, j, x),
                  of[k].from + (of[k].index ? of[k].index[j] : j) * of[k].n, out);
    }
}

/* ---- evaluation ---- */

dae_momentum_at dae__stages_at(const dae__stages *st, int i)
{
  DAE__ASSERT(i >= 1 && i <= st->s + 1);
  return (dae_momentum_at){.t = st->t + (i <= st->s ? st->tableau->c[i - 1] : 1) * st->h,
                           .y = dae__stage_vector(st->now.Y, i, st->equations->ny),
                           .z = dae__stage_vector(st->now.Z, i, st->equations->nz)};
}

dae_status dae__stages_v(dae__stages *st, dae_error *err)
{
  const dae__spark_equations *eq = st->equations;
  for (int j = 1; j <= st->s; j++) {
    dae_momentum_at at = dae__stages_at(st, j);
    dae__spark_wanted wanted = {.v = dae__stage_vector(st->V, j - 1, eq->ny)};
    DAE__TRY(eq->table->eval(eq->self, &at, NULL, &wanted, err));
  }
  return DAE_OK;
}

dae_status dae__stages_refresh(dae__stages *st, const double *weight, double *change,
                               dae_error *err)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, ny = st->equations->ny;
  DAE__TRY(dae__stages_v(st, err));
  for (int i = 1; i <= s + 1; i++) {
    const double *a = i <= s ? T->A + (i - 1) * s : T->b;
    double *Y = dae__stage_vector(st->now.Y, i, ny);
    for (int n = 0; n < ny; n++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += a[j] * st->V[j * ny + n];
      double next = st->now.Y[n] + st->h * sum;
      if (change && fabs(next - Y[n]) / weight[n] > *change)
        *change = fabs(next - Y[n]) / weight[n], st->worst = n;
      if (i <= s)
        st->refresh_change[(i - 1) * ny + n] = next - Y[n];
      Y[n] = next;
    }
  }
  return DAE_OK;
}

dae_status dae__stages_evaluate(dae__stages *st, dae_error *err)
{
  const dae__spark_equations *eq = st->equations;
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, ny = eq->ny, nz = eq->nz, ng = eq->ng, nk = eq->nk;
  /* y at the tilde nodes: from v, or in the full Newton iteration from Y */
  for (int i = 0; i < st->nt; i++) {
    if (st->strategy == DAE__STAGES_FULL)
      dae__full_newton_tilde(st->full, st, i, st->Yt);
    else
      dae__copy(ny, st->now.Y, st->Yt);
    for (int j = 0; j < s && st->strategy != DAE__STAGES_FULL; j++)
      dae__axpy(ny, st->h * T->Ab[i * s + j], dae__stage_vector(st->V, j, ny), st->Yt);
    dae_momentum_at at = {.t = st->t + T->ct[i] * st->h, .y = st->Yt};
    dae__spark_wanted wanted = {.r = dae__stage_vector(st->r, i, nz),
                                .g = dae__stage_vector(st->g, i, ng)};
    DAE__TRY(eq->table->eval(eq->self, &at, dae__stage_vector(st->now.L, i, ng), &wanted, err));
  }
  for (int i = 0; i <= s; i++) {
    dae_momentum_at at = dae__stages_at(st, i + 1);
    dae__spark_wanted wanted = {.p = dae__stage_vector(st->p, i, nz),
                                .f = i < s ? dae__stage_vector(st->f, i, nz) : NULL,
                                .k = nk > 0 ? dae__stage_vector(st->k, i, nk) : NULL,
                                .gdot = i == s && ng > 0 ? st->g : NULL};
    const double *psi = i < s ? dae__stage_vector(st->now.Psi, i, nk) : NULL;
    DAE__TRY(eq->table->eval(eq->self, &at, psi, &wanted, err));
  }
  return DAE_OK;
}

void dae__stages_residual5(const dae__stages *st, int i, double *R)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->equations->nz;
  const double *ah = i < s ? T->Ah + i * s : T->bh, *at = i < s ? T->At + i * st->nt : T->bt;
  for (int n = 0; n < nz; n++)
    R[n] = st->p[i * nz + n] - st->p0[n];
  for (int j = 0; j < s; j++)
    dae__axpy(nz, -st->h * ah[j], dae__stage_vector(st->f, j, nz), R);
  for (int j = 0; j < st->nt; j++)
    dae__axpy(nz, -st->h * at[j], dae__stage_vector(st->r, j, nz), R);
}

void dae__stages_accept(dae__stages *st, bool first_half)
{
  dae__copy(st->size, st->now.Y, (first_half ? &st->half : &st->last)->Y);
  if (first_half) {
    st->second_half = true;
    return;
  }
  st->memory->h = st->h;
  st->memory->steps[st->strategy]++;
  st->memory->contraction_steps -= st->memory->contraction_steps > 0;
}
