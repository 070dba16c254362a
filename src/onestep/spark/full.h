/* Newton's iteration on the stage system with its full Jacobian,
 *
 *   R4_i = Y_i - y0 - h sum_j a_ij v_j                                          i = 1 ... s, end
 *   R5_i = p_i - p0 - h sum_j ah_ij f_j - h sum_j at_ij r_j                     i = 1 ... s, end
 *   R6_i = g(Tt_i, Yt_i) / h,  and gdot at the end
 *   R7_i = sum_j b_j P_i(2 c_j - 1) k_j, P_i the polynomials of Legendre up to degree s - 2,
 *          and k at the end
 *
 * in the unknowns Y, y1, Z, z1, L, Psi, as one sparse matrix, each point with its own derivatives.
 * The tilde points are combinations of the stages: Yt = y0 + B (Y - y0) with B = Ab A^-1, or B = 1
 * where the tilde points are the stages. It is the only iteration for tableaux whose A is singular,
 * and the last resort of the others. */
#ifndef DAEDAL_ONESTEP_SPARK_FULL_H
#define DAEDAL_ONESTEP_SPARK_FULL_H

#include "linalg/solver.h"
#include "onestep/spark/stages.h"

typedef struct dae__full dae__full;

dae_status dae__full_create(dae__arena *arena, const dae_spark_tableau *tableau,
                            const dae__face *face, dae__full **out, dae_error *err);
void dae__full_free(dae__full *full); /* what is not in the arena; NULL is allowed */
dae_status dae__full_reload(dae__full *full);
/* Pivots are not remembered any more. */
void dae__full_forget(dae__full *full);

/* Evaluates and factors the Jacobian at the iterate st->now. */
dae_status dae__full_factor(dae__full *full, dae__stages *st, dae_error *err);
/* Point i of the tilde nodes. */
void dae__full_tilde(const dae__full *full, const dae__stages *st, int i, double *Yt);
/* From what was evaluated at the iterate: moves it; returns the largest change of Y and Z relative
 * to the weights. */
double dae__full_increment(dae__full *full, dae__stages *st, const dae__stages_goal *goal);
/* The multiplier that it moved most, or where there are none the variable: entry of (z, lambda,
 * psi). */
int dae__full_worst(const dae__full *full);

#endif
