/* Polynomials through the stages of a step: prediction of the next one, and dense output. */
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

void dae__stages_interpolate(const dae__stages *st, double theta, double *y, double *z)
{
  int count = nodes(st);
  for (int i = 0; i < count; i++)
    st->basis[i] = dae__stages_node(st, i);
  evaluate(st->basis, count, theta, st->face.ny, st->last.Y, y);
  evaluate(st->basis, count, theta, st->face.nz, st->last.Z, z);
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
  for (int i = 0; i < count; i++)
    st->basis[i] = dae__stages_node(st, i);
  for (int i = 1; i <= s + 1; i++) {
    double *Z = dae__stage_vector(st->now.Z, i, nz);
    if (flat)
      dae__copy(nz, st->now.Z, Z);
    else
      evaluate(st->basis, count, 1 + q * dae__stages_node(st, i), nz, st->last.Z, Z);
  }
  for (int i = 0; i <= s; i++)
    evaluate(T->ct, s + 1, 1 + q * T->ct[i], ng, st->last.L, dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    evaluate(T->c, s, 1 + q * T->c[i], nk, st->last.Psi, dae__stage_vector(st->now.Psi, i, nk));
}
