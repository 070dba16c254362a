/* A mechanical problem as the methods see it: every quantity can be evaluated, whatever the user
 * gave; results of callbacks are checked; dependent constraints are masked.
 *
 *   M v' + G' lambda + K' psi = f,   0 = g,   0 = gdot = g_t + G v,   0 = k,   u' = s,   0 = c
 *
 * Where the user gave directions B of the constraint forces, B' (lambda, psi) stands in place of G'
 * lambda + K' psi.
 *
 * Constraint rows i with active[i] false (rows of g first, then of k) are masked: their values
 * and Jacobian rows are evaluated as zero, and the methods give their multipliers the equation
 * "multiplier = 0". Sizes and patterns never change, so that another independent subset can be
 * selected at no cost. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_MECH_H
#define DAEDAL_PROBLEM_MECHANICAL_MECH_H

#include "core/arena.h"
#include "linalg/pattern.h"
#include "problem/difference.h"
#include <daedal/problem.h>

/* Offsets of q, v, u, w, lambda, psi in a mechanical state vector. */
typedef struct dae__mech_layout {
  int v, u, w, lambda, psi, size; /* offsets, where q has 0; size of the vector */
} dae__mech_layout;

dae__mech_layout dae__mech_layout_of(const dae_mechanical *p);

/* Derivatives besides J: of M s, G's, K's, B's with a fixed vector s, of gdot and of k. */
typedef enum dae__mech_part {
  DAE__MS_QV,
  DAE__GTS_Q,
  DAE__GDOT_Q,
  DAE__K_Q,
  DAE__KTS_QV,
  DAE__BTS_QV,
  DAE__MECH_PARTS
} dae__mech_part;

typedef struct dae__mech_counts {
  long evaluations; /* evaluations of f */
  int dependent;    /* number of constraint rows masked as dependent */
} dae__mech_counts;

typedef struct dae__mech {
  const dae_mechanical *p;
  dae__mech_layout at;
  int nq, ng, nk, nu, nw, nc;               /* sizes; nc = ng + nk constraint rows */
  int nr;                                   /* rows of (f, s, c) */
  bool *active;                             /* nc: rows not masked as dependent; saved state */
  dae_pattern M, G, K, J, Ms, Gts, kq, Kts; /* patterns in use: the user's, or defaults */
  bool directed;                            /* the user gave directions of the constraint forces */
  dae_pattern B, Bts;                       /* their patterns; empty without them */
  bool sparse;                              /* the user gave a pattern of M */
  bool eval_all;                            /* the fused callback eval gives every quantity */
  dae__mech_counts *count;                  /* saved state: counters */

  const dae_env *stop; /* environment that may stop the work, NULL: none may */
  int (*input)(void *user, double t, double *in);
  void *input_user;
  const dae_error *why; /* error that callbacks report, see dae_problem */
  double *in;
  /* finite differences of quantities that the user left out */
  dae__difference dM, dG, dK, dJ, dprate, difference[DAE__MECH_PARTS];
  dae__block J_in_J, prate_in_J; /* terms of J = d(F,s,c) - d(p_rate), given p and F */
  dae_pattern J_user, dprate_pattern;
  double *J_values, *prate_values;    /* values of d(F,s,c) and of d(p_rate) */
  double *shifted, *sample, *product; /* scratch: q moved along v; one value; M v or p_rate */
  double *z;                          /* scratch: (q, v, u, w) */
  double *M_values, *G_values, *K_values, *B_values; /* scratch of M s, G's, K's, B's */
} dae__mech;

/* Validates a mechanical problem and prepares its evaluations; all memory is the arena's. */
dae_status dae__mech_create(dae__arena *arena, const dae_problem *problem, dae__mech **out,
                            dae_error *err);

/* Point (t, q, v, u, w) of a state vector. */
static inline dae_mechanical_at dae__mech_at(const dae__mech *m, double t, const double *y)
{
  return (dae_mechanical_at){
      .t = t, .q = y, .v = y + m->at.v, .u = y + m->at.u, .w = y + m->at.w, .in = m->in};
}

/* Name of constraint row `row` of (g, k), for messages. */
const char *dae__mech_constraint_name(const dae_mechanical *p, int row, char *text, size_t size);

/* Evaluates all members of wanted that are not NULL, by the user's fused callback eval where there
 * is one. A callback that refuses and a result that is not finite are DAE_ERROR_RECOVERABLE, with
 * the equation named. A wanted gdot needs G in wanted too. */
dae_status dae__mech_eval(dae__mech *m, const dae_mechanical_at *at,
                          const dae_mechanical_wanted *wanted, dae_error *err);

/* Evaluates like dae__mech_eval, with results unchecked; members without rows must be NULL. */
dae_status dae__mech_eval_unchecked(dae__mech *m, const dae_mechanical_at *at,
                                    const dae_mechanical_wanted *wanted, dae_error *err);

/* Zeroes the entries of a constraint matrix in rows that are not active. */
void dae__mech_mask_rows(const dae__mech *m, const bool *active, const dae_pattern *p,
                         double *values);

/* Evaluations of single quantities; fsc = (f, s, c). */
dae_status dae__mech_rhs(dae__mech *m, const dae_mechanical_at *at, double *fsc, dae_error *err);
dae_status dae__mech_M(dae__mech *m, const dae_mechanical_at *at, double *M, dae_error *err);
dae_status dae__mech_g(dae__mech *m, const dae_mechanical_at *at, double *g, dae_error *err);
dae_status dae__mech_G(dae__mech *m, const dae_mechanical_at *at, double *G, dae_error *err);
/* gdot = g_t + G v, where G must hold the Jacobian at the same point */
dae_status dae__mech_gdot(dae__mech *m, const dae_mechanical_at *at, const double *G, double *gdot,
                          dae_error *err);
/* Error of gdot relative to G q per unit time: 0 where G is the user's, else the error of
 * differences. */
double dae__mech_gdot_error(const dae__mech *m, const dae_mechanical_at *at);
dae_status dae__mech_k(dae__mech *m, const dae_mechanical_at *at, double *k, dae_error *err);
dae_status dae__mech_K(dae__mech *m, const dae_mechanical_at *at, double *K, dae_error *err);
/* gamma and kappa, one after the other: G v' = -gamma, K v' = -kappa */
dae_status dae__mech_gamma(dae__mech *m, const dae_mechanical_at *at, double *gamma,
                           dae_error *err);

/* Derivatives by the user's callbacks or by differences; values in the order of the patterns of
 * dae__mech. */
dae_status dae__mech_J(dae__mech *m, const dae_mechanical_at *at, double *J, dae_error *err);
/* s: fixed vector of M s, G's, K's, else unused. A derivative that is zero, of a constant M or
 * without constraints, is left alone. */
dae_status dae__mech_derivative(dae__mech *m, dae__mech_part part, const dae_mechanical_at *at,
                                const double *s, double *values, dae_error *err);

/* True where a quantity in a residual has to be formed by differences. */
bool dae__mech_differenced(const dae_mechanical *p);

/* Updates the inputs m->in to time t. */
dae_status dae__mech_inputs(dae__mech *m, double t, dae_error *err);

/* Momenta p, their rate p_rate = p_t + p_q v at fixed v, and their forces F = f + p_rate. */
dae_status dae__mech_p(dae__mech *m, const dae_mechanical_at *at, double *p, dae_error *err);
dae_status dae__mech_p_rate(dae__mech *m, const dae_mechanical_at *at, double *p_rate,
                            dae_error *err);
dae_status dae__mech_F(dae__mech *m, const dae_mechanical_at *at, double *F, dae_error *err);

/* Kinetic energy T and potential energy V; without the user's energy T = v.p/2, V = 0 and
 * *has_potential is false. */
dae_status dae__mech_energy(dae__mech *m, const dae_mechanical_at *at, double *T, double *V,
                            bool *has_potential, dae_error *err);
/* Rates of T and V at fixed v by the user's energy_rate, which must be given; in_rate: rates of the
 * inputs. */
dae_status dae__mech_energy_rate(dae__mech *m, const dae_mechanical_at *at, const double *in_rate,
                                 double *T_rate, double *V_rate, dae_error *err);

#endif
