/* Gauss collocation of order 2s by functional iteration. Its files:
 *   gauss.c         the stepper
 *   gauss_move.c    states by slopes
 *   gauss_predict.c where sweeps begin
 *   gauss_converge.c where they end
 *   gauss_error.c   what a step is worth
 *   gauss_dense.c   between the ends of its steps
 *   gauss_nodes.c   where slopes are known there */
#ifndef DAEDAL_ONESTEP_GAUSS_GAUSS_H
#define DAEDAL_ONESTEP_GAUSS_GAUSS_H

#include "linalg/pair.h"
#include "onestep/host/adapter.h"
#include "onestep/host/stepper.h"
#include "quadrature/collocation.h"
#include <math.h>

/* stages: 1 to DAE__COLLOCATION_STAGES, 0: those that suit the tolerance. adapter has to stay where
 * it is. */
dae_status dae__gauss_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int stages, dae__stepper *out,
                             dae_error *err);

/* Stages that suit a tolerance. */
int dae__gauss_stages(double rtol);

/* ---- between its files ---- */

typedef struct dae__gauss_memory {
  double h;           /* of the step settled last; 0: there is none to begin from */
  double beta, delta; /* over h^2, see gauss_converge.c; delta = 0: not known */
  int last;           /* the slopes of that step */
  bool fine;          /* those at more nodes are there, */
  bool missed;        /* and what they miss of its end */
  long iterations;
} dae__gauss_memory;

/* How x at some point of a step follows from some slopes: h k in v and u; h v0 and h^2 k in q. */
typedef struct dae__gauss_point {
  int count;
  size_t at[DAE__NODAL_MOST];                                /* where they are in K */
  double x;                                                  /* weight of h v0 in q */
  dae__pair single[DAE__NODAL_MOST], twice[DAE__NODAL_MOST]; /* of h k, and of h^2 k in q, twice */
} dae__gauss_point;

typedef struct dae__gauss dae__gauss;

/* x of the state z, which is not x0; K_0 begins with v0 */
typedef void dae__gauss_move(const dae__gauss *o, double h, const double *x0, const double *K,
                             const dae__gauss_point *p, double *z);

struct dae__gauss {
  const dae__rk_adapter *adapter;
  int s, n2;         /* q in mechanics: entries of x whose slopes are the next n2 of x */
  size_t stride;     /* from slope to slope */
  double rtol, atol; /* of variable steps */
  bool fixed;        /* step size */
  dae__gauss_point stage[DAE__COLLOCATION_STAGES], end, start; /* start: h (k_0 - p(0)) */
  double c[DAE__COLLOCATION_STAGES];
  int near;                  /* stages at the beginning of a step */
  double stop;               /* of the iteration, relative to the tolerance */
  double gamma, scale;       /* of the estimate, relative to the tolerance, and to the mapped one */
  dae__gauss_memory *memory; /* kept */
  double *K[2];              /* kept: slopes at 0, c_1 ... c_s, 1 of two steps */
  dae__nodal wide, fine;     /* nodes 0, c_1 ... c_s, 1, and more of them */
  dae__pair node[DAE__NODAL_MOST];                /* the former, twice, */
  double apart[DAE__NODAL_MOST][DAE__NODAL_MOST]; /* and 1 / (x_i - x_j) */
  double at_end[DAE__COLLOCATION_STAGES];         /* p(1) */
  /* the same of polynomials through d = 1 and 2 stages less: k_0 - p(0) by K_0 ... K_(s-d), and
   * p(1) by K_(d+1) ... K_s */
  double rough_start[2][DAE__COLLOCATION_STAGES], rough_end[2][DAE__COLLOCATION_STAGES];
  double *F;                /* kept: slopes at these */
  double *missed;           /* kept: of the end, by the nodes in use */
  double *z;                /* where slopes are evaluated */
  double *before, *inverse; /* x1 of the iterate before, 1 / weights */
  double *change;           /* of x1 by the last sweep, relative to the tolerance, */
  double share;             /* and 1 / its size */
  double *zero, *error;
  dae__gauss_move *move, *move_start; /* by as many slopes as there are stages, and by one more */
};

static inline double *dae__gauss_slope(const dae__gauss *o, double *K, int j)
{
  return K + (size_t)j * o->stride;
}

/* The point x = x0 + ..., by n slopes, K_first and those after it. That of the weights single[last]
 * and twice[last] is evaluated after all the others. */
void dae__gauss_point_create(const dae__gauss *o, int first, int n, int last, double x,
                             const double *single, const double *twice, dae__gauss_point *out);

/* The kernel of so many slopes, and of any number. */
dae__gauss_move *dae__gauss_mover(const dae__gauss *o, int n);
dae__gauss_move dae__gauss_move_by_any;

/* K_0, and K_1 ... K_s by the last step, or (false) all as at the start. */
bool dae__gauss_predict(dae__gauss *o, const dae__rk_step *step, double *K);

/* The sweeps of a step so far. */
typedef struct dae__gauss_sweeps {
  int count;
  double change, before; /* of x1 by the last one and the one before, relative to the tolerance: */
  double along;          /* means of squares, and of products of the two */
  double beta;           /* the next change over the last one; 0: not known */
} dae__gauss_sweeps;

/* One more, which leads to x1: whether they are enough for a step of size h. DAE_ERROR_STEP: they
 * never will be. */
dae_status dae__gauss_test_convergence(dae__gauss *o, double h, const double *x1,
                                       dae__gauss_sweeps *now, bool *enough, dae_error *err);
/* x1, which they have led to, by what further ones would add. */
void dae__gauss_add_rest(const dae__gauss *o, const dae__gauss_sweeps *now, double *x1);

/* Relative to the mapped tolerance, or where forces are not smooth to the tolerance. */
double dae__gauss_estimate(dae__gauss *o, double h, const double *K);
/* Whether k at the end is not what the stages led to expect. */
bool dae__gauss_surprises(dae__gauss *o, double h, const double *dz);

/* |x - y| by weights: the root of the mean square. */
static inline double dae__gauss_norm(int n, const double *x, const double *y, const double *inverse)
{
  dae__pair sum = {0, 0};
  int i = 0;
  for (; i + 2 <= n; i += 2) {
    dae__pair d = (dae__pair_from_anywhere(x + i) - dae__pair_from_anywhere(y + i)) *
                  dae__pair_from_anywhere(inverse + i);
    sum += d * d;
  }
  double rest = i < n ? (x[i] - y[i]) * inverse[i] : 0;
  return n > 0 ? sqrt((dae__pair_sum(sum) + rest * rest) / n) : 0;
}

/* sum_j w_j K_j of n slopes, without what they have of q'. */
void dae__gauss_combine(const dae__gauss *o, int n, const double *w, const double *K, double *k);

/* o->inverse, by the tolerance at x, or by round-off of fixed steps. */
void dae__gauss_weigh(dae__gauss *o, const double *x);

/* As the verbs of a stepper. */
void dae__gauss_dense_output(void *self, const dae__rk_step *step, double x, double *z);
dae_status dae__gauss_refine(void *self, const dae__rk_step *step, dae_error *err);

#endif
