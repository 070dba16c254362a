/* Some rows and columns of a matrix, as a matrix. */
#ifndef DAEDAL_ONESTEP_SPARK_SUBMATRIX_H
#define DAEDAL_ONESTEP_SPARK_SUBMATRIX_H

#include "linalg/pattern.h"

typedef struct dae__pick {
  dae_pattern pattern;
  int *entry; /* of the whole */
  double *values;
} dae__pick;

/* Rows [row0, row1) and columns [col0, col1); sticky failure in the arena. */
dae__pick dae__pick_create(dae__arena *arena, const dae_pattern *whole, int row0, int row1,
                           int col0, int col1);
/* The values from those of the whole. */
void dae__pick_fill(const dae__pick *pick, const double *whole);

#endif
