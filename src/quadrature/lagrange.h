/* Polynomials on [0,1] through values at nodes.
 *
 *   u(x) = sum_i l_i(x) u_i + N(x) (a + b x),   N = 0 at both ends,
 *
 * where both ends are among the nodes, and a and b are such that h u'(0) and h u'(1), which are
 * given, are right. With N = prod (x - x_i) this is Hermite's polynomial of as few terms. */
#ifndef DAEDAL_QUADRATURE_LAGRANGE_H
#define DAEDAL_QUADRATURE_LAGRANGE_H

#include "core/arena.h"
#include "quadrature/nodes.h"

/* Weight of the value at node i in that of the polynomial through n of them at x, */
double dae__lagrange_weight(int n, const double *node, int i, double x);
/* and in its derivative at node k. */
double dae__derivative_weight(int n, const double *node, int i, int k);

#define DAE__CURVE_NODES (2 * DAE_SPARK_MAX_STAGES)

typedef struct dae__curve {
  int nodes;
  const double *node;  /* 0 ... 1 */
  const int *at;       /* which vectors of values belong to them; NULL: one after the other */
  double *start, *end; /* weights of the values in the derivatives of the sum at both ends */
  bool integrated;     /* N is an integral, by this rule */
  dae__rule rule;
  double start_slope, end_slope; /* N'(0), N'(1) */
} dae__curve;

/* N = prod (x - x_i) over all nodes or, `integrated`, int_0^x of the product over those inside,
 * which has to vanish at 1. node and at have to stay. */
void dae__curve_create(dae__arena *arena, int nodes, const double *node, const int *at,
                       bool integrated, dae__curve *out);

/* Weights at x of the values at all nodes, and then of h u' at both ends. */
void dae__curve_weights(const dae__curve *c, double x, double w[DAE__CURVE_NODES + 2]);

/* Vectors of values, and derivatives at both ends. */
typedef struct dae__curve_data {
  double h;
  const double *values, *start_rate, *end_rate;
} dae__curve_data;

/* out = u(x), vectors of length n, by the weights at x. */
void dae__curve_eval(const dae__curve *c, const double *w, int n, const dae__curve_data *data,
                     double *out);

#endif
