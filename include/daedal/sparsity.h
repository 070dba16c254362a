/** @file
 * Sparsity of the iteration matrix of a problem, the matrix of an implicit step, by blocks of
 * unknowns; for mechanics [M + ... G'; G 0].
 *
 *     mechanical      q, u, w, lambda, psi; v is eliminated
 *     semi-explicit   x, y
 *     momentum        y, z, lambda, psi
 *     coupled         the unknowns of each part and of each joint, assembled into one system */
#ifndef DAEDAL_SPARSITY_H
#define DAEDAL_SPARSITY_H

#include <daedal/pattern.h>
#include <daedal/problem.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Sparsity of a matrix with blocks. */
typedef struct dae_sparsity {
  dae_pattern pattern;      /**< square pattern */
  int blocks;               /**< number of blocks of unknowns */
  const int *block;         /**< number of unknowns in each block */
  const char *const *names; /**< names of the blocks: "q", "u", "lambda", or parts and joints */
  bool dense;               /**< the problem has no patterns: entries follow from values */
} dae_sparsity;

/** Creates the sparsity from the patterns of the derivatives. A matrix without a pattern has
 * entries where its values at (t, y), a consistent state, or at a nearby point are not zero. Blocks
 * without unknowns are omitted. A coupled problem that cannot be assembled is
 * DAE_ERROR_UNSUPPORTED. Free with dae_sparsity_free. */
dae_status dae_sparsity_create(const dae_problem *problem, double t, const double *y,
                               const dae_env *env, dae_sparsity **out, dae_error *err);
/** Frees a sparsity; NULL is allowed. */
void dae_sparsity_free(dae_sparsity *sparsity);

#ifdef __cplusplus
}
#endif
#endif
