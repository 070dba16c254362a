/* Interpolation of waveforms. With theta = (t - t0)/h on the interval [t0, t0 + h]:
 *
 *   hermite    y0 + theta h y0' + theta^2 (3 d - 2 h y0' - h y1') + theta^3 (h y0' + h y1' - 2 d),
 *   quadratic  y0 + theta h y0' + theta^2 (d - h y0'),
 *   linear     y0 + theta d,      d = y1 - y0,
 *   hold       y0 */
#include "wave/iteration/waveform.h"
#include "core/mutant.h"
#include "core/vec.h"

/* nodes of a difference formula of order 4, the order of cubic interpolation */
#define STENCIL 5
#define EXTRAPOLATION_NODES 4 /* nodes, spread over the window, of cubic extrapolation */

typedef struct basis {
  double y0, y1, dy0, dy1; /* weights of values and slopes at both ends */
} basis;

static basis waveform_basis_at(dae_interpolation kind, double x, double h)
{
  switch (kind) {
  case DAE_INTERPOLATION_HERMITE:
    return (basis){(1 + 2 * x) * (1 - x) * (1 - x), x * x * (3 - 2 * x), h * x * (1 - x) * (1 - x),
                   h * x * x * (x - 1)};
  case DAE_INTERPOLATION_QUADRATIC:
    return (basis){1 - x * x, x * x, h * x * (1 - x), 0};
  case DAE_INTERPOLATION_LINEAR:
    return (basis){1 - x, x, 0, 0};
  case DAE_INTERPOLATION_HOLD:
  default:
    return (basis){x < 1, x >= 1, 0, 0};
  }
}

void dae__waveform_interval(const dae_waveform *w, int k, dae_interpolation kind, double t,
                            double *y, double *dy)
{
  int n = w->width;
  const double *y0 = w->value + (size_t)k * (size_t)n, *y1 = y0 + n;
  const double *dy0 = w->slope + (size_t)k * (size_t)n, *dy1 = dy0 + n;
  double h = w->t[k + 1] - w->t[k], x = (t - w->t[k]) / h;
  basis b = waveform_basis_at(kind, x, h);
  for (int i = 0; i < n; i++)
    y[i] = b.y0 * y0[i] + DAE__MUTATE(waveform_value, b.y1 * y1[i], b.y1 * y0[i]) +
           (b.dy0 * dy0[i] + b.dy1 * dy1[i]);
  for (int i = 0; dy && i < n; i++) {
    double d = (y1[i] - y0[i]) / h;
    dy[i] = dy0[i] * (1 - x) * (1 - 3 * x) + dy1[i] * x * (3 * x - 2) +
            DAE__MUTATE(waveform_slope, 6 * x * (1 - x) * d, 0.0);
  }
}

void dae_waveform_at(const dae_waveform *w, dae_interpolation kind, double t, double *value)
{
  int n = w->width, last = w->nodes - 1;
  if (t <= w->t[0] || last == 0) {
    dae__copy(n, w->value, value);
    return;
  }
  if (t >= w->t[last]) {
    dae__copy(n, w->value + (size_t)last * (size_t)n, value);
    return;
  }
  int k = 0, high = last; /* bisection for the last k < last with t[k] <= t */
  while (high - k > 1) {
    int middle = (k + high) / 2;
    if (w->t[middle] <= t)
      k = middle;
    else
      high = middle;
  }
  dae__waveform_interval(w, k, kind, t, value, NULL);
}

/* ---- polynomials through neighbouring nodes ---- */

/* Weights of the values in the derivative, at node `at`, of the polynomial through t[0 ... m-1]:
 * derivatives of Lagrange's basis. */
static void waveform_derivative_weights(int m, const double *t, int at, double *weight)
{
  double sum = 0;
  for (int j = 0; j < m; j++) {
    if (j == at)
      continue;
    double product = 1 / (t[j] - t[at]);
    for (int k = 0; k < m; k++)
      if (k != j && k != at)
        product *= (t[at] - t[k]) / (t[j] - t[k]);
    weight[j] = product;
    sum += product;
  }
  weight[at] = -sum; /* weights sum to 0: the derivative of a constant is 0 */
}

void dae__waveform_slopes(dae_waveform *w, int i)
{
  int m = w->nodes < STENCIL ? w->nodes : STENCIL;
  double weight[STENCIL];
  for (int k = 0; k < w->nodes; k++) {
    int first = k - m / 2;
    first = first < 0 ? 0 : first > w->nodes - m ? w->nodes - m : first;
    double slope = 0;
    waveform_derivative_weights(m, w->t + first, k - first, weight);
    for (int j = 0; j < m; j++)
      slope += weight[j] * w->value[(size_t)(first + j) * (size_t)w->width + (size_t)i];
    w->slope[(size_t)k * (size_t)w->width + (size_t)i] = m > 1 ? slope : 0;
  }
}

void dae__waveform_extrapolate(const dae_waveform *w, double t, double *value)
{
  int m = w->nodes < EXTRAPOLATION_NODES ? w->nodes : EXTRAPOLATION_NODES,
      node[EXTRAPOLATION_NODES];
  for (int j = 0; j < m; j++)
    node[j] = m > 1 ? j * (w->nodes - 1) / (m - 1) : 0;
  dae__zero(w->width, value);
  for (int j = 0; j < m; j++) {
    double product = 1;
    for (int k = 0; k < m; k++)
      if (k != j)
        product *= (t - w->t[node[k]]) / (w->t[node[j]] - w->t[node[k]]);
    dae__axpy(w->width, product, w->value + (size_t)node[j] * (size_t)w->width, value);
  }
}
