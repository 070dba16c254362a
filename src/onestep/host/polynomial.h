/* Dense output by collocation polynomials: x is the integral of the polynomial through slopes k_j
 * at nodes x_j of the step,
 *
 *   v(x) = v0 + h sum_j k_j int_0^x l_j,   q(x) = q0 + x h v0 + h^2 sum_j k_j int_0^x (x - tau)
 * l_j,
 *
 * plus the end defect, x1 minus that integral at the end of the step, times x^2 (3 - 2x): dense
 * output passes through both ends.
 *
 * The slopes are those of the step, or refined ones at Chebyshev points x_i, both ends among them,
 * by functional iteration (Picard sweeps),
 *
 *   k_i <- k(t0 + x_i h, X_i),   X_i by the newest slopes of all points,
 *
 * which raises the order by one per sweep. In stiff steps the sweeps do not contract, and the
 * slopes of the step remain in use. */
#ifndef DAEDAL_ONESTEP_HOST_POLYNOMIAL_H
#define DAEDAL_ONESTEP_HOST_POLYNOMIAL_H

#include "core/arena.h"
#include "quadrature/collocation.h"
#include <daedal/stepper.h>

/* State of the last step, saved with the integrator. */
typedef struct dae__polynomial_memory {
  bool checked;    /* refinement has been tried, or was not necessary */
  bool refined;    /* F holds slopes at the fine nodes */
  bool has_defect; /* `defect` belongs to the slopes in use */
} dae__polynomial_memory;

typedef struct dae__polynomial {
  const dae_adapter *adapter;
  int n2;                         /* number of coordinates q, x = (q, v, u) with q' = v */
  size_t stride;                  /* distance of two rows of slopes, in doubles */
  dae__nodal fine;                /* nodes of the refined slopes */
  dae__polynomial_memory *memory; /* saved */
  double *F;                      /* saved: slopes at the fine nodes */
  double *defect;                 /* saved: end defect */
  double *z, *k, *p;              /* workspace: state, and two slopes */
} dae__polynomial;

/* Slopes at nodes: row j of K, `stride` doubles apart, of which the entries from n2 on are used. */
typedef struct dae__slopes {
  const dae__nodal *nodes;
  const double *K;
} dae__slopes;

/* End of the sweeps. The change of a slope is h |k_new - k| times inverse_weight. */
typedef struct dae__polynomial_goal {
  const double *inverse_weight;
  double tolerance; /* change at which the sweeps end */
  int max_sweeps;
  bool predict; /* sweeps end one earlier, at the change expected of the next one */
} dae__polynomial_goal;

/* Creates the polynomial with these fine nodes; rows of slopes are `stride` doubles apart. Memory
 * failures are kept by the arena. */
void dae__polynomial_create(dae__arena *arena, const dae_adapter *adapter, const dae__nodal *fine,
                            size_t stride, dae__polynomial *out);

/* Forgets the last step: called when a step is completed. */
void dae__polynomial_begin(dae__polynomial *o);

/* z = dense output at x, by the refined slopes or, without them, by those of the step. */
void dae__polynomial_output(dae__polynomial *o, const dae_step *step, const dae__slopes *slopes,
                            double x, double *z);

/* Tests at two fine nodes whether the polynomial through the slopes of the step is accurate: the
 * change of slopes there is at most `tolerance`. */
dae_status dae__polynomial_check(dae__polynomial *o, const dae_step *step,
                                 const dae__slopes *slopes, const dae__polynomial_goal *goal,
                                 bool *accurate, dae_error *err);

/* Refines the slopes from their guess in F; step->from.z has the guess of y. Failures from which a
 * step could recover leave the slopes of the step in use. */
dae_status dae__polynomial_refine(dae__polynomial *o, const dae_step *step,
                                  const dae__polynomial_goal *goal, dae_error *err);

/* F = the polynomial through the slopes of the step at the fine nodes, a guess of the refinement.
 */
void dae__polynomial_guess(dae__polynomial *o, const dae__slopes *slopes);

#endif
