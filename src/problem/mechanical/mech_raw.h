/* The quantities of a mechanical problem one by one, unchecked and unmasked; inputs are up to date.
 * Everything else uses mech.h. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_MECH_RAW_H
#define DAEDAL_PROBLEM_MECHANICAL_MECH_RAW_H

#include "problem/problem.h"
#include "problem/mechanical/mech.h"

/* Zeroes the entries of rows that are not active. */
void dae__mask_rows(const dae__mech *m, const bool *active, const dae_pattern *p, double *values);

typedef dae_status dae__raw_fn(dae__mech *m, const dae_mechanical_at *at, double *out,
                               dae_error *err);
dae__raw_fn dae__raw_M, dae__raw_f, dae__raw_g, dae__raw_G, dae__raw_gamma, dae__raw_k, dae__raw_K,
    dae__raw_kappa, dae__raw_p, dae__raw_p_rate;
/* G must hold the Jacobian at the same point */
dae_status dae__raw_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                         dae_error *err);

#endif
