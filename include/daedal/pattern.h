/** @file
 * Sparsity patterns of the matrices that callbacks fill in.
 *
 * A callback writes the values of a matrix in the order of its pattern: column by column, row
 * indices rising within a column (compressed columns). A matrix without a pattern is dense and
 * is written column-major, which is the same rule for the full pattern. */
#ifndef DAEDAL_PATTERN_H
#define DAEDAL_PATTERN_H

#ifdef __cplusplus
extern "C" {
#endif

/** Compressed columns: entries start[j] ... start[j + 1] - 1 are those of column j. */
typedef struct dae_pattern {
  int rows;         /**< of the matrix */
  int cols;         /**< of the matrix */
  const int *start; /**< cols + 1 offsets into row */
  const int *row;   /**< row index of each entry */
} dae_pattern;

#ifdef __cplusplus
}
#endif
#endif
