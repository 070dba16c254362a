/* Gauss collocation of order 2s by functional iteration. Its files:
 *   gauss.c            stepper: attempt, error estimate, dense output, creation
 *   gauss_iteration.c  functional iteration and its convergence test
 *   gauss_kernel.c     kernels: states by slopes, extrapolation of slopes
 *   gauss_lanes.h      the same for one, two and four entries at once */
#ifndef DAEDAL_ONESTEP_GAUSS_GAUSS_H
#define DAEDAL_ONESTEP_GAUSS_GAUSS_H

#include "linalg/pair.h"
#include "onestep/host/integrator.h"
#include "onestep/host/polynomial.h"
#include "quadrature/collocation.h"

/* Creates the stepper with 1 to DAE__COLLOCATION_STAGES_MAX stages, 0: selected by the tolerance.
 * The adapter must outlive the stepper and keep its address. */
dae_status dae__gauss_create(dae__arena *arena, const dae_adapter *adapter,
                             const dae_step_options *opts, int stages, dae__stepper *out,
                             dae_error *err);

/* Number of stages selected by the tolerance. */
int dae__gauss_stages(double rtol);

/* ---- shared by the files of this folder ---- */

#define DAE__GAUSS_NODES (DAE__COLLOCATION_STAGES_MAX + 2) /* 0, c_1 ... c_s, 1 */

/* Weights of the state at one point of a step: x0 + h sum_j single_j k_j for v and u, q0 + x h v0 +
 * h^2 sum_j twice_j k_j for q. */
typedef struct dae__gauss_point {
  int count;                   /* number of slopes k_j */
  size_t at[DAE__GAUSS_NODES]; /* offset of each slope in K */
  double x;                    /* weight of h v0 in q */
  /* weights by slope: `twice`, then `single`, each in both lanes of a pair */
  _Alignas(32) dae__pair weight[DAE__GAUSS_NODES][2];
} dae__gauss_point;

/* Coefficients of s stages; p is the polynomial through k_1 ... k_s. */
typedef struct dae__gauss_rule {
  double c[DAE__COLLOCATION_STAGES_MAX];
  dae__gauss_point stage[DAE__COLLOCATION_STAGES_MAX], end;
  dae__gauss_point start_defect;                 /* weights of h (k_0 - p(0)) by k_0 ... k_s */
  double end_value[DAE__COLLOCATION_STAGES_MAX]; /* weights of p(1) by k_1 ... k_s */
  /* Weights for polynomials p with d = 1 and 2 stages fewer: k_0 - p(0) by k_0 ... k_(s-d), p(1) by
   * k_(d+1) ... k_s. */
  double low_order_start[2][DAE__COLLOCATION_STAGES_MAX],
      low_order_end[2][DAE__COLLOCATION_STAGES_MAX];
  double gamma;                  /* factor |det A|^(1/s) of the error estimate */
  int early_stages;              /* number of stages with c_i < EARLY_NODE */
  double node[DAE__GAUSS_NODES]; /* nodes 0, c_1 ... c_s, 1 */
  double inverse_distance[DAE__GAUSS_NODES][DAE__GAUSS_NODES]; /* 1 / (x_i - x_j) */
} dae__gauss_rule;

/* Scalars of the saved state. */
typedef struct dae__gauss_memory {
  double h; /* size of the last accepted step; 0: no step to extrapolate from */
  /* contraction of the sweeps and step size at which it was measured; 0: not known */
  double rate, measured_h;
  int last; /* index in K of the slopes of the last accepted step */
  /* sweeps of the last attempt relative to their limit, up to the error that the iteration of the
   * first step may leave */
  double stiffness;
  long iterations;
  long steps;  /* number of completed steps, by which the stop value decreases */
  double work; /* work in evaluations, without dense output */
} dae__gauss_memory;

typedef struct dae__gauss dae__gauss;

/* Kernel: z = state at point p by the slopes K, whose first entries are v0; z and x0 must not
 * overlap. */
typedef void dae__gauss_kernel(const dae__gauss *o, double h, const double *x0, const double *K,
                               const dae__gauss_point *p, double *z);

/* Kernel: K_1 ... K_s extrapolated from the last step, and psi (dae__gauss_predict); q: ratio of
 * the step size to its size. */
typedef void dae__gauss_extrapolation(const dae__gauss *o, double q, double *K, double *psi);

struct dae__gauss {
  const dae_adapter *adapter;
  int s;
  int n2;        /* size of q in a mechanical problem, x = (q, v, u) with q' = v; 0: x = u */
  size_t stride; /* distance of two slopes in K, in doubles */
  dae__gauss_rule rule;
  dae__gauss_kernel *state, *state_start; /* kernels for s and for s + 1 slopes */
  dae__gauss_extrapolation *extrapolate;

  double rtol, atol; /* tolerances of variable steps */
  bool fixed;        /* steps of fixed size */
  double stop;       /* iteration error at which sweeps of the first step end / tolerance */
  double round_off;  /* smallest stop value / tolerance */
  double scale;      /* gamma times the ratio of the tolerance to the mapped tolerance */

  dae__gauss_memory *memory; /* state saved with the integrator */
  double *K[2];              /* saved: slopes at these nodes, last step and attempt */
  dae__polynomial dense;     /* dense output, refined at 2s Chebyshev points */

  double *z;              /* state at which slopes are evaluated */
  double *previous_end;   /* x1 before the last sweep */
  double *inverse_weight; /* reciprocal weights 1 / (rtol |x0_i| + atol_i) */
  double inverse_nx;
  double *zero, *error;
  double *evaluated; /* slope of a stage whose predicted slope is still in K */
};

static inline double *dae__gauss_slope(const dae__gauss *o, double *K, int j)
{
  return K + (size_t)j * o->stride;
}

/* Creates the weights of the state at x for the n slopes from K_first on. The slope of weights
 * single[last] and twice[last] is the one evaluated last: kernels add it last. */
void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out);

/* Selects the kernels for the numbers of stages and of entries, and for the processor, of at most
 * `most` entries at once. Their results are the same bits. */
void dae__gauss_select_kernels(dae__gauss *o, int most);

/* Predictor of an attempt: K_0 at its start, and K_1 ... K_s extrapolated from the last step (true)
 * or all equal to K_0 (false). psi: at node c_i, the product of its distances from the nodes of the
 * last step, to which the error of K_i is proportional; set where slopes are extrapolated. */
bool dae__gauss_predict(dae__gauss *o, const dae_step *step, double *K, double *psi);

/* Adds the node of stage i, counted from 0, to those extrapolated from: K_(i+1) = o->evaluated, and
 * its change, scaled as psi, corrects the slopes of later stages. */
void dae__gauss_correct(const dae__gauss *o, int i, double *psi, double *K);

/* Solves the equations of the stages: K and step->to.z. Ends early where the error estimate is
 * certain to exceed the tolerance. */
dae_status dae__gauss_iterate(dae__gauss *o, const dae_step *step, double *K, dae_error *err);

/* Error estimate e_s relative to the mapped tolerance, by the slopes K; o->error = e_s / gamma. */
double dae__gauss_mapped_error(dae__gauss *o, double h, const double *K);

#endif
