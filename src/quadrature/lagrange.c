/* Interpolation by Lagrange and Hermite polynomials. */
#include "quadrature/lagrange.h"
#include "core/vec.h"

double dae__lagrange_weight(int n, const double *node, int i, double x)
{
  double l = 1;
  for (int j = 0; j < n; j++)
    if (j != i)
      l *= (x - node[j]) / (node[i] - node[j]);
  return l;
}

double dae__lagrange_derivative_weight(int n, const double *node, int i, int k)
{
  double w = i == k ? 0 : 1;
  for (int j = 0; j < n && i == k; j++)
    w += j == k ? 0 : 1 / (node[k] - node[j]);
  for (int j = 0; j < n && i != k; j++)
    if (j != i)
      w *= j == k ? 1 / (node[i] - node[k]) : (node[k] - node[j]) / (node[i] - node[j]);
  return w;
}

/* product of (x - x_i) for i = from ... to - 1 */
static double lagrange_product(const dae__hermite *c, int from, int to, double x)
{
  double N = 1;
  for (int i = from; i < to; i++)
    N *= x - c->node[i];
  return N;
}

void dae__hermite_create(dae__arena *arena, int nodes, const double *node, const int *at,
                         bool integrated, dae__hermite *out)
{
  dae__hermite *c = out;
  int last = nodes - 1;
  *c = (dae__hermite){.nodes = nodes, .node = node, .at = at, .integrated = integrated};
  c->start = DAE__ALLOC(arena, double, nodes);
  c->end = DAE__ALLOC(arena, double, nodes);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < nodes; i++) {
    c->start[i] = dae__lagrange_derivative_weight(nodes, node, i, 0);
    c->end[i] = dae__lagrange_derivative_weight(nodes, node, i, last);
  }
  if (integrated)
    c->rule = dae__rule_gauss(nodes / 2);
  c->start_slope = lagrange_product(c, 1, integrated ? last : nodes, 0);
  c->end_slope = lagrange_product(c, integrated ? 1 : 0, last, 1);
}

/* Weights by N (a + b x) = N ((1 - x) a + x (a + b)), where a N'(0) and (a + b) N'(1) are the
 * differences between the given derivatives at both ends and the derivatives of sum_i l_i u_i. */
void dae__hermite_weights(const dae__hermite *c, double x, double w[DAE__HERMITE_NODES + 2])
{
  double N = c->integrated ? 0 : lagrange_product(c, 0, c->nodes, x);
  for (int i = 0; c->integrated && i < c->rule.n; i++)
    N += x * (double)c->rule.b[i] * lagrange_product(c, 1, c->nodes - 1, x * (double)c->rule.c[i]);
  double first = N * (1 - x) / c->start_slope, second = N * x / c->end_slope;
  for (int i = 0; i < c->nodes; i++)
    w[i] = dae__lagrange_weight(c->nodes, c->node, i, x) - first * c->start[i] - second * c->end[i];
  w[c->nodes] = first;
  w[c->nodes + 1] = second;
}

void dae__hermite_eval(const dae__hermite *c, const double *w, int n, const dae__hermite_data *data,
                       double *out)
{
  dae__zero(n, out);
  for (int i = 0; i < c->nodes; i++)
    dae__axpy(n, w[i], data->values + (size_t)(c->at ? c->at[i] : i) * (size_t)n, out);
  dae__axpy(n, data->h * w[c->nodes], data->start_rate, out);
  dae__axpy(n, data->h * w[c->nodes + 1], data->end_rate, out);
}
