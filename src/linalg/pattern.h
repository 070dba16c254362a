/* Sparsity patterns and matrices in compressed columns. All memory comes from the arena. */
#ifndef DAEDAL_LINALG_PATTERN_H
#define DAEDAL_LINALG_PATTERN_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <daedal/status.h>
#include <stdbool.h>

static inline int dae__pattern_count(const dae_pattern *p)
{
  return p->start[p->cols];
}

/* Checks size, offsets (from 0, increasing) and row indices (in range, increasing within each
 * column) of a pattern; DAE_ERROR_PROBLEM names the field. */
dae_status dae__pattern_validate(const dae_pattern *p, int rows, int cols, const char *field,
                                 dae_error *err);

/* Full, empty and diagonal pattern; undefined after a failure of the arena. */
dae_pattern dae__pattern_dense(dae__arena *arena, int rows, int cols);
dae_pattern dae__pattern_empty(dae__arena *arena, int rows, int cols);
dae_pattern dae__pattern_diagonal(dae__arena *arena, int n);
/* Block matrix of n x n copies of the square pattern p. Entry e of column j of p is, in block (k,
 * l), the entry start[l p->cols + j] + k (entries of column j) + e - p->start[j]. */
dae_pattern dae__pattern_tiles(dae__arena *arena, const dae_pattern *p, int n);
/* Transposed pattern; map[e] (may be NULL) = position in the transpose of entry e of p. */
dae_pattern dae__pattern_transpose(dae__arena *arena, const dae_pattern *p, int *map);
/* Pattern of A' A for A with pattern p. */
dae_pattern dae__pattern_gram(dae__arena *arena, const dae_pattern *p);
/* Pattern of A B. */
dae_pattern dae__pattern_product(dae__arena *arena, const dae_pattern *A, const dae_pattern *B);

/* Block of a matrix assembled from blocks that may overlap; entry e of the block's values is added
 * to entry map[e] of the matrix. */
typedef struct dae__block {
  int row, col;               /* upper left corner of the block */
  const dae_pattern *pattern; /* pattern of the block, before transposition */
  bool transposed;            /* whether the transpose of the block is added */
  /* entry of the matrix for each entry of the block; set by dae__blocks_merge */
  int *map;
} dae__block;

/* Pattern of the union of the blocks; sets the map of every block. */
dae_pattern dae__blocks_merge(dae__arena *arena, int rows, int cols, dae__block *blocks, int count);
/* matrix += factor * block */
void dae__block_add(const dae__block *block, double factor, const double *values, double *matrix);

/* products y += a A x and y += a A' x */
void dae__matrix_times(const dae_pattern *p, const double *A, double a, const double *x, double *y);
void dae__matrix_transposed_times(const dae_pattern *p, const double *A, double a, const double *x,
                                  double *y);
/* Factor of a product C = A B. The pattern of C contains that of A B; work has as many entries as A
 * has rows. */
typedef struct dae__factor {
  const dae_pattern *pattern;
  const double *values;
} dae__factor;
void dae__matrix_product(dae__factor A, dae__factor B, const dae_pattern *pattern, double *work,
                         double *C);

/* Column colouring for difference Jacobians: columns of one colour share no row, so that one
 * evaluation with all of them perturbed gives their entries. colour has p->cols entries; returns
 * the number of colours, 0 if the arena failed. */
int dae__pattern_colour(dae__arena *arena, const dae_pattern *p, int *colour);

#endif
