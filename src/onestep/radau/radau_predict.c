/* Where the iteration of the stages begins. */
#include "core/vec.h"
#include "onestep/host/sums.h"
#include "onestep/radau/radau.h"
#include "quadrature/lagrange.h"
#include <math.h>

/* errors of a start that may come from extrapolation, relative to the tolerance of stages: without
 * a bound 7 stages carry the noise of tiny steps on for ever (tests/laws) */
#define NOISE 30

static double *radau_row(double *X, int n, int i)
{
  return X + (size_t)i * (size_t)n;
}

/* weights of the last d stages of a rule in the polynomial through them at x; their sum of moduli
 */
static double radau_last_weights(const dae__collocation_rule *c, int d, double x, double *w)
{
  const double *node = c->c + c->s - d;
  double sum = 0;
  if (d == c->s)
    dae__collocation_values(c, x, w);
  else
    for (int i = 0; i < d; i++)
      w[i] = dae__lagrange_weight(d, node, i, x);
  for (int i = 0; i < d; i++)
    sum += fabs(w[i]);
  return sum;
}

/* Stages of the last step to go on with: extrapolation to x makes errors of the size at which the
 * iteration has ended larger, and should not make them larger than the tolerance. */
static int radau_useful(const dae__collocation_rule *last, double x, double stop)
{
  double w[DAE__COLLOCATION_STAGES];
  int d = last->s;
  while (d > 1 && radau_last_weights(last, d, x, w) * stop > NOISE)
    d--;
  return d;
}

/* the same by all of as many stages */
static void radau_go_on_with_all(dae__radau *o, const dae__radau_rule *rule, double ratio)
{
  dae__radau_map map;
  double w[DAE__COLLOCATION_STAGES];
  int s = rule->s, n = o->r->n;
  for (int i = 0; i < s; i++) {
    dae__collocation_values(rule->c, 1 + rule->c->c[i] * ratio, w);
    for (int j = 0; j < s; j++)
      map.m[i][j] = (dae__pair){w[j], w[j]};
  }
  dae__radau_map_rows(s, &map, n, o->polynomial, n, o->K, n);
}

/* K = the polynomial of the last step, gone on with */
void dae__radau_extrapolate(dae__radau *o, const dae__radau_rule *rule, double h, double stop)
{
  const dae__radau_memory *m = o->memory;
  const dae__collocation_rule *last = dae__radau_rule_at(o, (m->s - 3) / 2)->c;
  double w[DAE__COLLOCATION_STAGES], ratio = h / m->h;
  int n = o->r->n, d = radau_useful(last, 1 + ratio, stop);
  if (d == rule->s && last == rule->c) {
    radau_go_on_with_all(o, rule, ratio);
    return;
  }
  const double *polynomial = radau_row(o->polynomial, n, last->s - d);
  for (int i = 0; i < rule->s; i++) {
    radau_last_weights(last, d, 1 + rule->c->c[i] * ratio, w);
    dae__sum_rows(d, w, n, n, polynomial, radau_row(o->K, n, i));
  }
}

/* K = what is known at the start */
void dae__radau_stay(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step)
{
  const dae__reduced *r = o->r;
  int n = r->n, dynamic = r->n2 + r->n1;
  for (int i = 0; i < rule->s; i++) {
    double *K = radau_row(o->K, n, i);
    dae__copy(dynamic, step->from.dz + r->n2, K);
    dae__copy(n - dynamic, step->from.z + r->n2 + dynamic, K + dynamic);
  }
}
