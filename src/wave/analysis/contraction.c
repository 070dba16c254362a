/* rho(T), the distance of 1 - T from singular matrices, and the slowest mode, all from the gains
 * 1 + C = Gd^-1 G of the unknowns in loops. Gd, and with it G0 in any order, is singular where one
 * of its blocks is. */
#include "wave/analysis/contraction.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "linalg/spectrum.h"
#include "wave/analysis/gains.h"
#include "wave/analysis/splitting.h"
#include <math.h>

#define DENSE 120            /* as for eigenvalues */
#define MOST_ITERATIONS 1000 /* for the margin of large loops */
#define SETTLED 1e-8         /* relative change of its inverse square */

dae_status dae__contraction_radius(const dae_env *env, const dae__loop *loop, const int *order,
                                   double *rho, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__gains gains;
  dae_status status = arena ? dae__gains_create(arena, loop, &gains, err) : dae__out_of_memory(err);
  *rho = INFINITY;
  if (!status) {
    dae__splitting s = dae__splitting_create(arena, &gains);
    if (dae__arena_failed(arena)) {
      status = dae__out_of_memory(err);
    } else {
      dae__splitting_order(&s, order);
      status = dae__splitting_radius(&s, env, rho, err);
    }
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* 1 + C dense */
static dae_status contraction_dense_margin(dae__arena *arena, const dae__gains *g, double *margin,
                                           dae_error *err)
{
  const dae_pattern *p = &g->pattern;
  double *A = DAE__ALLOC(arena, double, (size_t)g->n *(size_t)g->n);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int j = 0; j < g->n; j++) {
    A[j + j * g->n] = 1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      A[p->row[e] + j * g->n] = g->values[e];
  }
  return dae__spectrum_smallest(dae__arena_env(arena), g->n, A, margin, err);
}

/* 1 + C, or 1 + C', with its factors. DAE_ERROR_SINGULAR has no message. */
typedef struct factored {
  dae_pattern pattern;
  dae__solver *solver;
} factored;

static dae_status contraction_factor(dae__arena *arena, const dae_pattern *p, const double *C,
                                     factored *out, dae_error *err)
{
  dae_pattern diagonal = dae__pattern_diagonal(arena, p->cols);
  dae__block block[] = {{.pattern = &diagonal}, {.pattern = p}};
  if (!dae__arena_failed(arena))
    out->pattern = dae__blocks_merge(arena, p->rows, p->cols, block, 2);
  double *one = DAE__ALLOC(arena, double, p->cols), *A = NULL;
  if (!dae__arena_failed(arena))
    A = DAE__ALLOC(arena, double, dae__pattern_count(&out->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < p->cols; i++)
    one[i] = 1;
  dae__block_add(&block[0], 1, one, A);
  dae__block_add(&block[1], 1, C, A);
  dae_status status = dae__solver_create(arena, &out->pattern, &out->solver, err);
  if (!status)
    status = dae__solver_factor(out->solver, A);
  return status == DAE_ERROR_MEMORY ? dae__out_of_memory(err) : status;
}

/* |A^-1 A^-T x| -> sigma^-2 */
static double contraction_inverse_iteration(const factored *A, const factored *At, int n, double *x)
{
  double inverse = 0;
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.7 * sin(2.3 * i + 0.4);
  for (int k = 0; k < MOST_ITERATIONS; k++) {
    double before = inverse;
    dae__scale(n, 1 / sqrt(dae__dot(n, x, x)), x);
    dae__solver_solve(At->solver, x);
    dae__solver_solve(A->solver, x);
    inverse = sqrt(dae__dot(n, x, x));
    if (!isfinite(inverse))
      return 0;
    if (fabs(inverse - before) <= SETTLED * inverse)
      break;
  }
  return 1 / sqrt(inverse);
}

static dae_status contraction_sparse_margin(dae__arena *arena, const dae__gains *g, double *margin,
                                            dae_error *err)
{
  factored A = {.solver = NULL}, At = {.solver = NULL};
  double *x = DAE__ALLOC(arena, double, g->n);
  dae_status status = dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
  if (!status)
    status = contraction_factor(arena, &g->pattern, g->values, &A, err);
  if (!status)
    status = contraction_factor(arena, &g->transposed, g->transposed_values, &At, err);
  if (!status)
    *margin = contraction_inverse_iteration(&A, &At, g->n, x);
  dae__solver_free(A.solver);
  dae__solver_free(At.solver);
  return status;
}

dae_status dae__contraction_margin(const dae_env *env, const dae__loop *loop, double *margin,
                                   dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__gains gains;
  dae_status status = arena ? dae__gains_create(arena, loop, &gains, err) : dae__out_of_memory(err);
  *margin = 0;
  if (!status && gains.n == 0)
    *margin = 1;
  else if (!status)
    status = (gains.n <= DENSE ? contraction_dense_margin
                               : contraction_sparse_margin)(arena, &gains, margin, err);
  if (!status && gains.n < loop->pattern->cols)
    *margin = fmin(*margin, 1);
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

dae_status dae__contraction_mode(const dae_env *env, const dae__loop *loop, const int *order,
                                 double *weight, dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__gains gains;
  dae_status status = arena ? dae__gains_create(arena, loop, &gains, err) : dae__out_of_memory(err);
  dae__zero(loop->pattern->cols, weight);
  if (!status && gains.n > 0) {
    double *part = DAE__ALLOC(arena, double, gains.n);
    dae__splitting s = dae__splitting_create(arena, &gains);
    if (dae__arena_failed(arena)) {
      status = dae__out_of_memory(err);
    } else {
      dae__splitting_order(&s, order);
      status = dae__splitting_mode(&s, env, part, err);
    }
    for (int i = 0; i < gains.n && !status; i++)
      weight[gains.unknown[i]] = part[i];
  }
  dae__arena_free(arena);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}
