/* M of a semi-explicit problem where it is multiplied with: in iterations, again and again. The
 * zeros of one that does not change, of which a dense pattern is full, are left out. */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_MASS_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_MASS_H

#include "problem/semi_explicit/semi.h"

typedef struct dae__semi_mass_entry {
  double value;
  int row, col, at; /* at: among the values of the pattern */
} dae__semi_mass_entry;

typedef struct dae__semi_mass {
  dae__semi *s;
  double *values; /* of the pattern */
  bool known;     /* a constant one has been evaluated, */
  int count;      /* and has so many entries that are not zero */
  dae__semi_mass_entry *entry;
} dae__semi_mass;

/* Out of memory shows in dae__arena_failed. */
dae__semi_mass dae__semi_mass_create(dae__arena *arena, dae__semi *s);
/* M there: values. A constant one is evaluated at the first point. */
dae_status dae__semi_mass_at(dae__semi_mass *m, double t, const double *z, dae_error *err);
/* r += a M x */
void dae__semi_mass_times(const dae__semi_mass *m, double a, const double *x, double *r);
/* matrix += a M, where M is a block of it */
void dae__semi_mass_add(const dae__semi_mass *m, double a, const dae__block *block, double *matrix);

#endif
