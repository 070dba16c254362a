/* Matrices assembled from pieces whose rows and columns go to places of their own, not next to
 * each other as those of a dae__block do: entry (i, j) of a piece is added to entry
 * (row[i], col[j]) of the matrix. */
#ifndef DAEDAL_PROBLEM_COUPLED_SCATTER_H
#define DAEDAL_PROBLEM_COUPLED_SCATTER_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <stdbool.h>

typedef struct dae__piece {
  const dae_pattern *pattern;
  const int *row, *col; /* place of each row and column of the piece */
  int *map;             /* entry of the matrix for each entry of the piece; set by merge */
} dae__piece;

/* The union of the pieces, or the dense pattern. Out of memory shows in
 * dae__arena_failed. */
dae_pattern dae__pieces_merge(dae__arena *arena, int rows, int cols, bool dense, dae__piece *piece,
                              int count);

/* matrix += factor * piece */
void dae__piece_add(const dae__piece *piece, double factor, const double *values, double *matrix);

#endif
