/** @file
 * Where the entries of a problem's iteration matrix are: the matrix that an implicit step solves
 * with, [M + ... G'; G 0] for mechanics, by blocks of unknowns.
 *
 *     mechanical      q, u, w, lambda, psi; v is a multiple of q there
 *     semi-explicit   x, y
 *     momentum        y, z, lambda, psi
 *     coupled         solved as one system: the unknowns of each part, those of each joint */
#ifndef DAEDAL_SPARSITY_H
#define DAEDAL_SPARSITY_H

#include <daedal/pattern.h>
#include <daedal/problem.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A matrix for a picture. */
typedef struct dae_sparsity {
  dae_pattern pattern;      /**< square */
  int blocks;               /**< of unknowns */
  const int *block;         /**< unknowns in each */
  const char *const *names; /**< "q", "u", "lambda"; of a coupled problem its parts and joints */
  bool dense;               /**< the problem gives no patterns: entries are known by their values */
} dae_sparsity;

/** By the patterns of the derivatives that the problem gives. A matrix that has none has entries
 * where its values at (t, y), a consistent state, or at a point close by are not zero. Blocks
 * without unknowns are left out. A coupled problem that cannot be solved as one system is
 * DAE_ERROR_UNSUPPORTED. Free with dae_sparsity_free. */
dae_status dae_sparsity_create(const dae_problem *problem, double t, const double *y,
                               const dae_env *env, dae_sparsity **out, dae_error *err);
/** NULL is allowed. */
void dae_sparsity_free(dae_sparsity *sparsity);

#ifdef __cplusplus
}
#endif
#endif
