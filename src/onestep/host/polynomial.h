/* Dense output by collocation polynomials: x is the integral of the polynomial through slopes k_j
 * at nodes x_j of the step,
 *
 *   v(x) = v0 + h sum_j k_j int_0^x l_j,   q(x) = q0 + x h v0 + h^2 sum_j k_j int_0^x (x - tau)
 * l_j,
 *
 * plus the end defect, x1 minus that integral at the end of the step, times x^2 (3 - 2x): dense
 * output passes through both ends.
 *
 * The slopes are those of the step at both ends and at its inner stages, or refined ones at
 * Chebyshev points x_i, both ends among them, by functional iteration (Picard sweeps),
 *
 *   k_i <- k(t0 + x_i h, X_i),   X_i by the newest slopes of all points,
 *
 * which raises the order by one per sweep. With variable steps the sweeps end at the tolerances,
 * with fixed steps when the order of the steps is reached. In stiff steps they do not contract, and
 * the slopes of the step remain in use. */
#ifndef DAEDAL_ONESTEP_HOST_POLYNOMIAL_H
#define DAEDAL_ONESTEP_HOST_POLYNOMIAL_H

#include "core/arena.h"
#include "quadrature/collocation.h"
#include "step/search.h"
#include <daedal/stepper.h>

/* State of the last step, saved with the integrator; all false when a step is completed. */
typedef struct dae__polynomial_memory {
  bool checked;    /* refinement has been tried, or was not necessary */
  bool refined;    /* F holds slopes at the fine nodes */
  bool has_defect; /* `defect` belongs to the slopes in use */
} dae__polynomial_memory;

/* Nodes with slopes K, entries of which are v' and u' of x = (q, v, u); rows of K are `stride`
 * doubles apart. */
typedef struct dae__slopes {
  const dae__nodal *nodes;
  const double *K;
  int stride;
} dae__slopes;

/* Integrals of a Lagrange basis up to a place in the step, and its values there. */
typedef struct dae__place_weights {
  bool known;  /* the integrals are known */
  bool valued; /* the values are */
  double single[DAE__NODAL_MAX], twice[DAE__NODAL_MAX], value[DAE__NODAL_MAX];
} dae__place_weights;

/* Weights at the places of each step at which dense output is asked for: samples of events and the
 * end. Computed at the first use. */
typedef dae__place_weights dae__usual_weights[DAE__SEARCH_INNER + 1];

typedef struct dae__polynomial {
  const dae_adapter *adapter;
  int n2;                 /* number of coordinates q, x = (q, v, u) with q' = v */
  int stride;             /* distance of two rows of slopes, in doubles */
  dae__dense_nodes nodes; /* nodes of the slopes of the step, and of the refined ones */
  dae__usual_weights wide_weights, fine_weights; /* of these nodes */
  bool collocated;   /* slopes of the step are those of a collocation polynomial at its stages */
  bool fixed;        /* steps of fixed size */
  double rtol, atol; /* tolerances of variable steps */
  int max_sweeps;    /* largest number of Picard sweeps */
  dae__polynomial_memory *memory; /* saved */
  double *F;                      /* saved: slopes at the fine nodes */
  double *defect;                 /* saved: end defect */
  double *z, *k, *p;              /* workspace: state, and two slopes */
  double *inverse_weight;         /* workspace: reciprocal weights of changes of x */
} dae__polynomial;

/* Integral z of the polynomial through the slopes from the start of the step to x, for nx entries
 * x = (q, v, u) with n2 coordinates q. */
void dae__slopes_integrate(const dae__slopes *slopes, int n2, int nx, const dae_step *step,
                           double x, double *restrict z);

/* Creates the dense output of a method of this order; rows of slopes are `stride` doubles apart.
 * Memory failures are kept by the arena. */
void dae__polynomial_create(dae__arena *arena, const dae_adapter *adapter,
                            const dae_step_options *opts, int order, const dae__dense_nodes *nodes,
                            int stride, dae__polynomial *out);

/* Refines the slopes K of the step, once, where dense output by them is not accurate; step->from.z
 * has the guess of y. Failures from which a step could recover leave the slopes of the step in
 * use. */
dae_status dae__polynomial_refine(dae__polynomial *o, const dae_step *step, const double *K,
                                  dae_error *err);

/* z = dense output at x, by the refined slopes or, without them, by the slopes K of the step; dz
 * (may be NULL) = its time derivative. */
void dae__polynomial_output(dae__polynomial *o, const dae_step *step, const double *K, double x,
                            double *z, double *dz);

#endif
