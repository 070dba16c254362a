/* Full Newton iteration of the stage system,
 *
 *   R4_i = Y_i - y0 - h sum_j a_ij v_j                                          i = 1 ... s, end
 *   R5_i = p_i - p0 - h sum_j ah_ij f_j - h sum_j at_ij r_j                     i = 1 ... s, end
 *   R6_i = g(Tt_i, Yt_i) / h,  and gdot at the end
 *   R7_i = sum_j b_j P_i(2 c_j - 1) k_j, P_i the Legendre polynomials up to degree s - 2,
 *          and k at the end
 *
 * in the unknowns Y, y1, Z, z1, L, Psi, with one sparse Jacobian of derivatives at all points of
 * the step. The tilde points are combinations of the stages: Yt = y0 + B (Y - y0) with B = Ab A^-1,
 * or B = 1 where the tilde points are the stages. Full Newton is the only iteration for tableaux
 * with singular A, and the most expensive one, tried last, for the others. */
#ifndef DAEDAL_ONESTEP_SPARK_FULL_NEWTON_H
#define DAEDAL_ONESTEP_SPARK_FULL_NEWTON_H

#include "linalg/solver.h"
#include "onestep/spark/stages.h"

typedef struct dae__full_newton {
  const dae_spark_tableau *tableau;
  const dae__spark_equations *equations;
  int s, nt, n;
  int z, L, Psi;  /* first index of the unknowns Z, L, Psi, and of the rows R5, R6, R7 */
  double *B;      /* B = Ab A^-1 of the tilde points, nt x s */
  double *moment; /* weights of k in the rows R7, (s - 1) x s */
  /* the Jacobian; group of constant terms: 0, at stage i, 1 ... s: i, at the end of the step: s +
   * 1, at tilde node j, 0 ... nt - 1: s + 2 + j */
  dae__terms terms;
  double *x; /* right side and solution */
  dae__solver *solver;
  bool factored;
} dae__full_newton;

/* Creates the iteration; its solver is freed by the caller. */
dae_status dae__full_newton_create(dae__arena *arena, const dae_spark_tableau *tableau,
                                   const dae__spark_equations *eq, dae__full_newton **out,
                                   dae_error *err);

/* Evaluates and factors the Jacobian at the iterate st->now. */
dae_status dae__full_newton_factor(dae__full_newton *full, dae__stages *st, dae_error *err);
/* Computes the value of y at tilde node i, Yt = y0 + row i of B (Y - y0). */
void dae__full_newton_tilde(const dae__full_newton *full, const dae__stages *st, int i, double *Yt);
/* Makes one Newton iteration; *change: largest change of Y and Z relative to the weights. */
dae_status dae__full_newton_iterate(dae__full_newton *full, dae__stages *st,
                                    const dae__stages_goal *goal, double *change, dae_error *err);
/* Returns the entry of (z, lambda, psi) with the largest increment: of a multiplier, or of z in a
 * problem without constraints. */
int dae__full_newton_worst(const dae__full_newton *full);

#endif
