/* Interpolation by Lagrange polynomials. */
#include "quadrature/lagrange.h"

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
