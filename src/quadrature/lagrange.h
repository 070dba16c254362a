/* Lagrange polynomials on [0,1], and Hermite interpolation with derivatives at both ends:
 *
 *   u(x) = sum_i l_i(x) u_i + N(x) (a + b x),   N = 0 at both ends,
 *
 * where both ends are nodes, and a and b follow from the given h u'(0) and h u'(1). With
 * N = prod (x - x_i) this is the Hermite polynomial of least degree. */
#ifndef DAEDAL_QUADRATURE_LAGRANGE_H
#define DAEDAL_QUADRATURE_LAGRANGE_H

#include "core/arena.h"
#include "quadrature/nodes.h"

/* Weight of the value at node i in the value at x of the polynomial through n nodes. */
double dae__lagrange_weight(int n, const double *node, int i, double x);
/* Weight of the value at node i in the derivative at node k of the polynomial through n nodes. */
double dae__lagrange_derivative_weight(int n, const double *node, int i, int k);

#define DAE__HERMITE_NODES (2 * DAE_SPARK_MAX_STAGES)

typedef struct dae__hermite {
  int nodes;
  const double *node; /* nodes in ascending order, from 0 to 1 */
  /* index of the vector of values of each node; NULL: in the order of the nodes */
  const int *at;
  double *start, *end; /* weights of the values in the derivatives of sum_i l_i u_i at 0 and at 1 */
  bool integrated;     /* whether N is an integral, evaluated by `rule` */
  dae__rule rule;
  double start_slope, end_slope; /* derivatives N'(0), N'(1) */
} dae__hermite;

/* Creates a Hermite polynomial with N = prod (x - x_i) over all nodes or, if integrated, N =
 * int_0^x of the product over the inner nodes, which vanishes at 1. The arrays node and at must
 * live as long as the polynomial. */
void dae__hermite_create(dae__arena *arena, int nodes, const double *node, const int *at,
                         bool integrated, dae__hermite *out);

/* Weights at x of the values at all nodes, followed by the weights of h u' at both ends. */
void dae__hermite_weights(const dae__hermite *c, double x, double w[DAE__HERMITE_NODES + 2]);

/* Data of a Hermite polynomial: vectors of values at the nodes, and derivatives at both ends. */
typedef struct dae__hermite_data {
  double h;
  const double *values, *start_rate, *end_rate;
} dae__hermite_data;

/* Value out = u(x) for vectors of length n, by the weights at x. */
void dae__hermite_eval(const dae__hermite *c, const double *w, int n, const dae__hermite_data *data,
                       double *out);

#endif
