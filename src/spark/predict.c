/* Polynomials through the stages of a step: prediction of the next one, and dense output.
 *
 * The stages of a collocation method are off by a multiple of N(x) = int_0^x prod (tau - c_j),
 * which vanishes at both ends. How much is seen in the derivatives there, which are known: with
 * N(x) (a + b x) added the polynomial has them right, and is of one or two orders more. Where a
 * stage is at an end of the step, it is not the value there: Z_1 and Z_s of Lobatto's and Radau's
 * nodes differ from z0 and z1. The polynomial then goes through the ends and the stages inside,
 * and N vanishes at all of them. */
#include "core/vec.h"
#include "spark/stages.h"

/* out = sum_i l_i(x) values_i, l_i the Lagrange polynomials of the count nodes in `at`; which:
 * vectors of values to take, NULL: one after the other */
static void evaluate(const double *at, const int *which, int count, double x, int n,
                     const double *values, double *out)
{
  dae__zero(n, out);
  for (int i = 0; i < count; i++) {
    double l = 1;
    for (int j = 0; j < count; j++)
      if (j != i)
        l *= (x - at[j]) / (at[i] - at[j]);
    dae__axpy(n, l, values + (size_t)(which ? which[i] : i) * (size_t)n, out);
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
  int s = st->s, roots = 0;
  const double *c = st->tableau->c;
  double *N = st->shape;
  st->nodes = 0;
  for (int i = 0; i <= s + 1; i++)
    if (i == 0 || i > s || (c[i - 1] > 0 && c[i - 1] < 1)) {
      st->node[st->nodes] = i == 0 ? 0 : i > s ? 1 : c[i - 1];
      st->at[st->nodes++] = i;
    }
  for (int i = 0; i < st->nodes; i++) {
    st->start_weight[i] = dae__stages_derivative_weight(st, st->nodes, i, 0);
    st->end_weight[i] = dae__stages_derivative_weight(st, st->nodes, i, st->nodes - 1);
  }
  bool inside = st->nodes == s + 2;
  dae__zero(s + 2, N); /* prod (x - root), power by power, */
  N[0] = 1;
  for (int i = inside; i < st->nodes - inside; i++, roots++)
    for (int k = roots + 1; k >= 0; k--)
      N[k] = (k > 0 ? N[k - 1] : 0) - st->node[i] * N[k];
  for (int k = s + 1; k > 0 && inside; k--) /* or its integral */
    N[k] = N[k - 1] / k;
  N[0] = inside ? 0 : N[0];
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
  double rate = 0;
  for (int k = st->s + 1; k > 0; k--)
    rate = rate * x + k * st->shape[k];
  return rate;
}

/* the polynomial through the stages plus N(x) (a + b x), so that the derivatives at both ends are
 * right */
static void interpolate(const dae__stages *st, double x, int n, const double *values,
                        const double *rate0, const double *rate1, double *out)
{
  int count = st->nodes;
  double N = shape(st, x), at_0 = shape_rate(st, 0), at_1 = shape_rate(st, 1);
  evaluate(st->node, st->at, count, x, n, values, out);
  for (int k = 0; k < n; k++) {
    double d0 = st->memory->h * rate0[k], d1 = st->memory->h * rate1[k];
    for (int i = 0; i < count; i++) {
      d0 -= st->start_weight[i] * values[st->at[i] * n + k];
      d1 -= st->end_weight[i] * values[st->at[i] * n + k];
    }
    double a = d0 / at_0, b = d1 / at_1 - a;
    out[k] += N * (a + b * x);
  }
}

void dae__stages_interpolate(const dae__stages *st, bool half, double theta,
                             const dae__stage_rates *rates, double *y, double *z)
{
  const dae__stage_values *values = half ? &st->half : &st->last;
  interpolate(st, theta, st->face.ny, values->Y, rates->y0, rates->y1, y);
  interpolate(st, theta, st->face.nz, values->Z, rates->z0, rates->z1, z);
}

void dae__stages_begin(dae__stages *st, const double *lambda, const double *psi)
{
  int ng = st->face.ng, nk = st->face.nk;
  st->memory->h = 0;
  for (int i = 0; i < st->nt; i++)
    dae__copy(ng, lambda, st->last.L + (size_t)i * (size_t)ng);
  for (int i = 0; i < st->s; i++)
    dae__copy(nk, psi, st->last.Psi + (size_t)i * (size_t)nk);
}

/* Z, L and Psi extrapolated; constant in the first step, and where forces are stiff: Gauss does not
 * damp, so that the polynomials of stiff components swing widely */
void dae__stages_predict(dae__stages *st)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk;
  bool stiff = st->transform && st->way != DAE__STAGES_MODIFIED;
  const dae__stage_values *from = st->halfway ? &st->half : &st->last;
  bool flat = (st->memory->h == 0 && !st->halfway) || stiff;
  double q = flat ? 0 : st->halfway ? 1 : st->h / st->memory->h;
  for (int i = 1; i <= s + 1; i++) {
    double *Z = dae__stage_vector(st->now.Z, i, nz);
    if (flat)
      dae__copy(nz, st->now.Z, Z);
    else
      evaluate(st->node, st->at, st->nodes, 1 + q * (i <= s ? T->c[i - 1] : 1), nz, from->Z, Z);
  }
  for (int i = 0; i < st->nt; i++)
    evaluate(T->ct, NULL, st->nt, 1 + q * T->ct[i], ng, from->L,
             dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    evaluate(T->c, NULL, s, 1 + q * T->c[i], nk, from->Psi, dae__stage_vector(st->now.Psi, i, nk));
}
