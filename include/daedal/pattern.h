/** @file
 * Sparsity patterns of the matrices that callbacks write.
 *
 * A callback writes the values of a matrix in the order of its pattern: column by column, with
 * ascending row indices within a column (compressed columns). A matrix without a pattern is dense
 * and column-major. */
#ifndef DAEDAL_PATTERN_H
#define DAEDAL_PATTERN_H

#ifdef __cplusplus
extern "C" {
#endif

/** Compressed columns: column j has the entries start[j] ... start[j + 1] - 1. */
typedef struct dae_pattern {
  int rows;         /**< number of rows of the matrix */
  int cols;         /**< number of columns of the matrix */
  const int *start; /**< cols + 1 offsets into row */
  const int *row;   /**< row index of each entry */
} dae_pattern;

#ifdef __cplusplus
}
#endif
#endif
