/* Sparse matrices assembled from terms: weight times a matrix, or a submatrix of it, at a position
 * of the assembled matrix. */
#ifndef DAEDAL_ONESTEP_SPARK_TERMS_H
#define DAEDAL_ONESTEP_SPARK_TERMS_H

#include "linalg/pattern.h"

typedef struct dae__term {
  int source; /* index of the values of its matrix */
  int group;  /* terms of one group are added in one call; group 0 first */
  double weight;
  int scale; /* index of a further factor, which is given when the term is added */
} dae__term;

typedef struct dae__terms {
  int count;
  dae__term *term;
  dae__block *block; /* position of each term in the assembled matrix */
  /* pattern of each submatrix, and its entries among those of the source; entry NULL: the term
   * contains the whole source */
  dae_pattern *sub;
  int **entry;
  dae_pattern pattern; /* assembled matrix */
  double *values;
} dae__terms;

/* Allocates the memory of at most `capacity` terms; this function and the next one leave memory
 * failures to the arena. */
dae__terms dae__terms_create(dae__arena *arena, int capacity);
/* Lists a term; block: its position and the pattern of its source; range: rows range[0] <= i <
 * range[1] and columns range[2] <= j < range[3] of the source, NULL: all. */
void dae__terms_list(dae__terms *o, dae__arena *arena, dae__term term, dae__block block,
                     const int *range);
/* Merges the patterns of all listed terms into that of the assembled matrix, and allocates its
 * values. */
dae_status dae__terms_merge(dae__terms *o, dae__arena *arena, int rows, int cols, dae_error *err);
/* Adds the terms of one group to the assembled matrix, for group 0 after clearing it; source:
 * values of each matrix. */
void dae__terms_add(const dae__terms *o, int group, const double *scale, double *const *source);

#endif
