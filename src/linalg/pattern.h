/* Patterns: making, checking, transposing and merging them. All memory comes from the arena. */
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

/* Offsets from 0 rising, row indices in range and rising within each column, of the given size.
 * Refuses with DAE_ERROR_PROBLEM naming the field. */
dae_status dae__pattern_validate(const dae_pattern *p, int rows, int cols, const char *field,
                                 dae_error *err);

/* Out of memory shows in dae__arena_failed; the result is then not to be used. */
dae_pattern dae__pattern_dense(dae__arena *arena, int rows, int cols);
dae_pattern dae__pattern_empty(dae__arena *arena, int rows, int cols);
dae_pattern dae__pattern_diagonal(dae__arena *arena, int n);
/* n x n times the square pattern p, side by side. Entry e of column j of p is in tile (k, l) the
 * entry start[l p->cols + j] + k (entries of that column) + e - p->start[j]. */
dae_pattern dae__pattern_tiles(dae__arena *arena, const dae_pattern *p, int n);
/* Transposed pattern; map[e] (may be NULL) = position in the transpose of entry e of p. */
dae_pattern dae__pattern_transpose(dae__arena *arena, const dae_pattern *p, int *map);
/* Pattern of A' A for A with pattern p: coordinates that share a row. */
dae_pattern dae__pattern_gram(dae__arena *arena, const dae_pattern *p);
/* Pattern of A B. */
dae_pattern dae__pattern_product(dae__arena *arena, const dae_pattern *A, const dae_pattern *B);

/* A matrix put together from blocks that may overlap; entry e of a block's values is added to
 * entry map[e] of the matrix. */
typedef struct dae__block {
  int row, col;               /* where the block's upper left corner goes */
  const dae_pattern *pattern; /* of the block as its values are ordered */
  bool transposed;            /* the transpose of the block goes there */
  int *map;                   /* set by dae__blocks_merge */
} dae__block;

/* Pattern of the union of the blocks. */
dae_pattern dae__blocks_merge(dae__arena *arena, int rows, int cols, dae__block *blocks, int count);
/* matrix += factor * block */
void dae__block_add(const dae__block *block, double factor, const double *values, double *matrix);

/* y += a A x and y += a A' x */
void dae__matrix_times(const dae_pattern *p, const double *A, double a, const double *x, double *y);
void dae__matrix_transposed_times(const dae_pattern *p, const double *A, double a, const double *x,
                                  double *y);
/* C = A B in a pattern that has room for it; work has A's number of rows. */
typedef struct dae__factor {
  const dae_pattern *pattern;
  const double *values;
} dae__factor;
void dae__matrix_product(dae__factor A, dae__factor B, const dae_pattern *pattern, double *work,
                         double *C);

/* Column colouring for differences: columns of one colour share no row. colour has p->cols
 * entries; returns the number of colours (0 if the arena failed). */
int dae__pattern_colour(dae__arena *arena, const dae_pattern *p, int *colour);

#endif
