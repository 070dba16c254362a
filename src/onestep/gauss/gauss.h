/* Gauss collocation of order 2s by functional iteration. Its files:
 *   gauss.c         stepper: iteration, convergence test, error estimate
 *   gauss_kernel.c  kernels: states by slopes, extrapolation of slopes
 *   gauss_dense.c   dense output */
#ifndef DAEDAL_ONESTEP_GAUSS_GAUSS_H
#define DAEDAL_ONESTEP_GAUSS_GAUSS_H

#include "linalg/pair.h"
#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"
#include "quadrature/collocation.h"

/* stages: 1 to DAE__COLLOCATION_STAGES_MAX, 0: by the tolerance. The adapter must outlive the
 * stepper and keep its address. */
dae_status dae__gauss_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int stages, dae__stepper *out,
                             dae_error *err);

/* Number of stages for a tolerance. */
int dae__gauss_stages(double rtol);

/* ---- shared by the files of this folder ---- */

/* Weights of a state x at one point of a step: x0 + h sum_j single_j k_j for v and u,
 * q0 + x h v0 + h^2 sum_j twice_j k_j for q. */
typedef struct dae__gauss_point {
  int count;                                               /* slopes */
  size_t at[DAE__NODAL_MAX];                               /* their offsets in K */
  double x;                                                /* weight of h v0 in q */
  dae__pair single[DAE__NODAL_MAX], twice[DAE__NODAL_MAX]; /* each weight in both lanes */
} dae__gauss_point;

/* Coefficients of s stages; p is the polynomial through k_1 ... k_s. */
typedef struct dae__gauss_rule {
  double c[DAE__COLLOCATION_STAGES_MAX];
  dae__gauss_point stage[DAE__COLLOCATION_STAGES_MAX], end;
  dae__gauss_point start_defect;                 /* h (k_0 - p(0)) */
  double end_value[DAE__COLLOCATION_STAGES_MAX]; /* p(1) by k_1 ... k_s */
  /* polynomials through d = 1 and 2 stages fewer: k_0 - p(0) by k_0 ... k_(s-d), p(1) by
   * k_(d+1) ... k_s */
  double low_order_start[2][DAE__COLLOCATION_STAGES_MAX],
      low_order_end[2][DAE__COLLOCATION_STAGES_MAX];
  double gamma;                   /* |det A|^(1/s) */
  int early_stages;               /* stages with c_i < EARLY_NODE */
  dae__nodal step_nodes;          /* 0, c_1 ... c_s, 1 */
  dae__nodal dense_nodes;         /* 2s Chebyshev points of refined dense output */
  dae__pair node[DAE__NODAL_MAX]; /* step_nodes.x, each in both lanes */
  double inverse_distance[DAE__NODAL_MAX][DAE__NODAL_MAX]; /* 1 / (x_i - x_j) of step_nodes */
} dae__gauss_rule;

/* Saved state without arrays. */
typedef struct dae__gauss_memory {
  double h;            /* size of the last accepted step; 0: no step to extrapolate from */
  double beta, delta;  /* convergence rate and its uncertainty over h^2; delta = 0: not known */
  int last;            /* index in K of the slopes of the last accepted step */
  bool refined;        /* its slopes at dense_nodes are in F */
  bool has_end_defect; /* end_defect belongs to its dense output */
  long iterations;
} dae__gauss_memory;

typedef struct dae__gauss dae__gauss;

/* Kernel: z = state at point p by the slopes K; z is not x0, and K_0 begins with v0. */
typedef void dae__gauss_kernel(const dae__gauss *o, double h, const double *x0, const double *K,
                               const dae__gauss_point *p, double *z);

struct dae__gauss {
  const dae__rk_adapter *adapter;
  int s;
  int n2;        /* size of q in mechanics: x = (q, v, u) with q' = v; 0: x = u */
  size_t stride; /* doubles from slope to slope */
  dae__gauss_rule rule;
  dae__gauss_kernel *state, *state_start; /* kernels of s and of s + 1 slopes */

  double rtol, atol; /* of variable steps */
  bool fixed;        /* fixed step size */
  double stop;       /* error left by the iteration, relative to the tolerance */
  double scale;      /* gamma over the mapped tolerance, relative to the tolerance */

  dae__gauss_memory *memory; /* saved */
  double *K[2];              /* saved: slopes at step_nodes of the last step and of the attempt */
  double *F;                 /* saved: slopes at dense_nodes of the last step */
  double *end_defect;        /* saved: x1 minus the dense output at the end */

  double *z;              /* state at which slopes are evaluated */
  double *previous_end;   /* x1 of the previous iterate */
  double *increment;      /* change of x1 by the last sweep, relative to the tolerance */
  double *inverse_weight; /* 1 / (rtol |x0| + atol) */
  double inverse_nx;
  double *zero, *error;
};

static inline double *dae__gauss_slope(const dae__gauss *o, double *K, int j)
{
  return K + (size_t)j * o->stride;
}

/* The point x by n slopes from K_first on. The slope of weights single[last] and twice[last] is the
 * one evaluated last: kernels add it last. */
void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out);

/* The kernel specialised for n slopes, and that for any number. */
dae__gauss_kernel *dae__gauss_select_kernel(const dae__gauss *o, int n);
dae__gauss_kernel dae__gauss_state_any;

/* Initial slopes of an attempt: K_0, and K_1 ... K_s extrapolated from the last step, or (false)
 * all equal to K_0. */
bool dae__gauss_predict(dae__gauss *o, const dae__rk_step *step, double *K);

/* k = sum_j w_j K_j over n slopes, entries of v' and u' only. */
void dae__gauss_combine(const dae__gauss *o, int n, const double *w, const double *K, double *k);

/* o->inverse_weight by the tolerance at x, or by round-off for fixed steps. */
void dae__gauss_set_weights(dae__gauss *o, const double *x);

/* Verbs of the stepper. */
void dae__gauss_dense_output(void *self, const dae__rk_step *step, double x, double *z);
dae_status dae__gauss_refine(void *self, const dae__rk_step *step, dae_error *err);

#endif
