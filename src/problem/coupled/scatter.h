/* Matrices assembled from pieces with arbitrary row and column indices, unlike a dae__block: entry
 * (i, j) of a piece is added to entry (row[i], col[j]) of the matrix. */
#ifndef DAEDAL_PROBLEM_COUPLED_SCATTER_H
#define DAEDAL_PROBLEM_COUPLED_SCATTER_H

#include "core/arena.h"
#include <daedal/pattern.h>
#include <stdbool.h>

typedef struct dae__piece {
  const dae_pattern *pattern;
  const int *row, *col; /* matrix index of each row and column of the piece */
  int *map; /* entry of the matrix for each entry of the piece; set by dae__pieces_merge */
} dae__piece;

/* Pattern of a matrix assembled from pieces: their union, or dense. Sets the maps of the pieces.
 * Out of memory shows in dae__arena_failed. */
dae_pattern dae__pieces_merge(dae__arena *arena, int rows, int cols, bool dense, dae__piece *piece,
                              int count);

/* matrix += factor * piece, whose entries are in values */
void dae__piece_add(const dae__piece *piece, double factor, const double *values, double *matrix);

#endif
