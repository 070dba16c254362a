/* Prediction of a step from the last one, by polynomials through its stages. */
#include "core/vec.h"
#include "onestep/spark/stages.h"
#include "quadrature/lagrange.h"

/* out = sum_i l_i(x) values_i, l_i the Lagrange polynomials of the count nodes in `at`; which:
 * vectors of values to take, NULL: one after the other */
static void spark_evaluate(const double *at, const int *which, int count, double x, int n,
                           const double *values, double *out)
{
  dae__zero(n, out);
  for (int i = 0; i < count; i++)
    dae__axpy(n, dae__lagrange_weight(count, at, i, x),
              values + (size_t)(which ? which[i] : i) * (size_t)n, out);
}

/* Where a stage is at an end of the step, it is not the value there: the nodes are both ends and
 * the stages inside. */
void dae__stages_prepare(dae__stages *st)
{
  int s = st->s;
  const double *c = st->tableau->c;
  st->nodes = 0;
  for (int i = 0; i <= s + 1; i++)
    if (i == 0 || i > s || (c[i - 1] > 0 && c[i - 1] < 1)) {
      st->node[st->nodes] = i == 0 ? 0 : i > s ? 1 : c[i - 1];
      st->at[st->nodes++] = i;
    }
}

void dae__stages_begin(dae__stages *st, const double *lambda, const double *psi)
{
  st->memory->h = 0;
  st->lambda = lambda;
  st->psi = psi;
}

/* a step so many times as long as the last one is not predicted from it: that was cut short */
#define FARTHEST 10

/* all values as they are at the beginning of the step */
static void spark_stay(dae__stages *st)
{
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk;
  for (int i = 1; i <= s + 1; i++)
    dae__copy(nz, st->now.Z, dae__stage_vector(st->now.Z, i, nz));
  for (int i = 0; i < st->nt; i++)
    dae__copy(ng, st->lambda, dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    dae__copy(nk, st->psi, dae__stage_vector(st->now.Psi, i, nk));
}

/* Z, L and Psi extrapolated; constant in the first step, and where forces are stiff: Gauss does not
 * damp, so that the polynomials of stiff components swing widely */
void dae__stages_predict(dae__stages *st)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk;
  bool stiff = st->transform && st->way != DAE__STAGES_SIMPLIFIED;
  const dae__stage_values *from = st->halfway ? &st->half : &st->last;
  double before = st->halfway ? st->h : st->memory->h, q = st->h / before;
  if (stiff || !(q <= FARTHEST)) {
    spark_stay(st);
    return;
  }
  for (int i = 1; i <= s + 1; i++)
    spark_evaluate(st->node, st->at, st->nodes, 1 + q * (i <= s ? T->c[i - 1] : 1), nz, from->Z,
                   dae__stage_vector(st->now.Z, i, nz));
  for (int i = 0; i < st->nt; i++)
    spark_evaluate(T->ct, NULL, st->nt, 1 + q * T->ct[i], ng, from->L,
                   dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    spark_evaluate(T->c, NULL, s, 1 + q * T->c[i], nk, from->Psi,
                   dae__stage_vector(st->now.Psi, i, nk));
}
