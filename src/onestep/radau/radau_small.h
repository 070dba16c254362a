/* The matrix of all stages of radau where these have few unknowns, and full derivatives. */
#ifndef DAEDAL_ONESTEP_RADAU_RADAU_SMALL_H
#define DAEDAL_ONESTEP_RADAU_RADAU_SMALL_H

#include "onestep/radau/radau.h"

typedef struct dae__radau_small dae__radau_small;

/* For at most so many stages of up to DAE__SMALL_N unknowns, where the pattern of r is full.
 * Nothing of it is kept: a step makes its own. */
dae_status dae__radau_small_create(dae__arena *arena, const dae__reduced *r, int most,
                                   dae__radau_small **out, dae_error *err);

/* A matrix of s stages. */
void dae__radau_small_begin(dae__radau_small *f, int s);
/* The rows of stage i, by the derivatives of r: -1, or the unknown at which they are singular. */
int dae__radau_small_add(dae__radau_small *f, const dae__reduced *r, const dae__collocation_rule *c,
                         double h, int i);
/* The factors, after the rows of all stages; *column as above. */
dae_status dae__radau_small_factor(dae__radau_small *f, int *column);
/* D = J\D, of all stages */
void dae__radau_small_solve(const dae__radau_small *f, double *D);

#endif
