/* Polynomials through the stages of a step: prediction of the next one, and dense output.
 *
 * The stages of a collocation method are off by a multiple of N(x) = int_0^x prod (tau - c_j),
 * which vanishes at both ends. How much is seen in the derivatives there, which are known: with
 * N(x) (a + b x) added the polynomial has them right, and is of one or two orders more. */
#include "core/vec.h"
#include "spark/stages.h"

/* node i of the polynomials of Y and Z: 0, c_1 ... c_s and, where c_s is not 1, 1 */
double dae__stages_node(const dae__stages *st, int i)
{
  return i == 0 ? 0 : i <= st->s ? st->tableau->c[i - 1] : 1;
}

static int nodes(const dae__stages *st)
{
  return st->tableau->c[st->s - 1] < 1 ? st->s + 2 : st->s + 1;
}

/* out = sum_i l_i(x) values_i, l_i the Lagrange polynomials of the count nodes in `at` */
static void evaluate(const double *at, int count, double x, int n, const double *values,
                     double *out)
{
  dae__zero(n, out);
  for (int i = 0; i < count; i++) {
    double l = 1;
    for (int j = 0; j < count; j++)
      if (j != i)
        l *= (x - at[j]) / (at[i] - at[j]);
    dae__axpy(n, l, values + (size_t)i * (size_t)n, out);
  }
}

double dae__stages_derivative_weight(const dae__stages *st, int count, int i, int k)
{
  const double *at = st->node;
  double w = i == k ? 0 : 1;
  for (int j = 0; j < count && i == k; j++)
    w += j == k ? 0 : 1 / (at[k] - at[j]);
  for (int j = 0; j < count && i != k; j++)
    if (j != i)
      w *= j == k ? 1 / (at[i] - at[k]) : (at[k] - at[j]) / (at[i] - at[j]);
  return w;
}

void dae__stages_prepare(dae__stages *st)
{
  int count = nodes(st), s = st->s;
  double *N = st->shape;
  for (int i = 0; i < count; i++)
    st->node[i] = dae__stages_node(st, i);
  for (int i = 0; i < count; i++) {
    st->start_weight[i] = dae__stages_derivative_weight(st, count, i, 0);
    st->end_weight[i] = dae__stages_derivative_weight(st, count, i, count - 1);
  }
  dae__zero(s + 2, N); /* prod (x - c_j), power by power, then its integral */
  N[0] = 1;
  for (int j = 0; j < s; j++)
    for (int k = j + 1; k >= 0; k--)
      N[k] = (k > 0 ? N[k - 1] : 0) - st->tableau->c[j] * N[k];
  for (int k = s + 1; k > 0; k--)
    N[k] = N[k - 1] / k;
  N[0] = 0;
}

/* N(x), and N'(x) */
static double shape(const dae__stages *st, double x)
{
  double N = 0;
  for (int k = st->s + 1; k >= 0; k--)
    N = N * x + st->shape[k];
  return N;
}

static double shape_rate(const dae__stages *st, double x)
{
  double product = 1;
  for (int j = 0; j < st->s; j++)
    product *= x - st->tableau->c[j];
  return product;
}

/* the polynomial through the stages plus N(x) (a + b x), so that the derivatives at both ends are
 * right */
static void interpolate(const dae__stages *st, double x, int n, const double *values,
                        const double *rate0, const double *rate1, double *out)
{
  int count = nodes(st);
  double N = shape(st, x), at_0 = shape_rate(st, 0), at_1 = shape_rate(st, 1);
  evaluate(st->node, count, x, n, values, out);
  if (count < st->s + 2) /* N does not vanish at the end: that is a stage */
    return;
  for (int k = 0; k < n; k++) {
    double d0 = st->memory->h * rate0[k], d1 = st->memory->h * rate1[k];
    for (int i = 0; i < count; i++) {
      d0 -= st->start_weight[i] * values[i * n + k];
      d1 -= st->end_weight[i] * values[i * n + k];
    }
    double a = d0 / at_0, b = d1 / at_1 - a;
    out[k] += N * (a + b * x);
  }
}

void dae__stages_interpolate(const dae__stages *st, double theta, const dae__stage_rates *rates,
                             double *y, double *z)
{
  interpolate(st, theta, st->face.ny, st->last.Y, rates->y0, rates->y1, y);
  interpolate(st, theta, st->face.nz, st->last.Z, rates->z0, rates->z1, z);
}

void dae__stages_begin(dae__stages *st, const double *lambda, const double *psi)
{
  int ng = st->face.ng, nk = st->face.nk;
  st->memory->h = 0;
  for (int i = 0; i <= st->s; i++)
    dae__copy(ng, lambda, st->last.L + (size_t)i * (size_t)ng);
  for (int i = 0; i < st->s; i++)
    dae__copy(nk, psi, st->last.Psi + (size_t)i * (size_t)nk);
}

/* Z, L and Psi extrapolated; constant in the first step, and where forces are stiff: Gauss does not
 * damp, so that the polynomials of stiff components swing widely */
void dae__stages_predict(dae__stages *st)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk, count = nodes(st);
  bool flat = st->memory->h == 0 || st->memory->rich_left > 0;
  double q = flat ? 0 : st->h / st->memory->h;
  for (int i = 1; i <= s + 1; i++) {
    double *Z = dae__stage_vector(st->now.Z, i, nz);
    if (flat)
      dae__copy(nz, st->now.Z, Z);
    else
      evaluate(st->node, count, 1 + q * dae__stages_node(st, i), nz, st->last.Z, Z);
  }
  for (int i = 0; i <= s; i++)
    evaluate(T->ct, s + 1, 1 + q * T->ct[i], ng, st->last.L, dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    evaluate(T->c, s, 1 + q * T->c[i], nk, st->last.Psi, dae__stage_vector(st->now.Psi, i, nk));
}
