/* The error of a step: k at its start, as it is and as the polynomial of the stages has it there,
 *
 *   e = h mu (k0 - p(0)),   e_q = h mu (v0 - p_v(0)),
 *
 * which is of order s + 1 [HW96 IV.8], filtered by the real block so that stiff components do not
 * count: B(w) e' = P0 e - w P2 e_q, w = h mu, and e_q' = e_q + w e'.
 *
 * What algebraic variables get of this comes from e alone. They may move where no derivative does,
 * driven by time, as where a diode blocks. What the first stage adds to the polynomial of the
 * others shows that, d = O(h^(s-1)), and counts as (c d)^((s+1)/(s-1)), relative to the size of
 * the variable: of order s + 1 as the rest, it does not steer tight tolerances. It is no error of
 * what is shown, since y is found anew wherever a row is. Not so where M is singular, and nobody
 * knows which of x are algebraic: there a small part of d counts for all of them. */
#include "core/vec.h"
#include "onestep/radau/radau.h"
#include <math.h>

/* A rectifier passes no pulse by with 0.03 to 10. With these parts it takes as many steps as with
 * one that is linear in d (3 stages: up to 13 times less), rows are off by up to 12 tolerances, and
 * Akzo Nobel takes the steps that it would take without. */
#define DRIVEN 3
#define DRIVEN_OF_3 0.3
/* Of singular M. With them rows between the steps of the transistor amplifier are off by 0.3 to 8
 * tolerances, without by 10 to 9000, for the same number of evaluations; of order s - 1, it would
 * steer 3 stages. */
#define ROUGH 0.1
#define ROUGH_OF_3 0.03

static void radau_raw(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step)
{
  const dae__reduced *r = o->r;
  int n = r->n, n2 = r->n2, dynamic = n2 + r->n1, size = n2 + n;
  double w = step->h * rule->mu;
  dae__copy(dynamic, step->from.dz + n2, o->e);
  dae__copy(n2, step->from.z + n2, o->e_q);
  for (int i = 0; i < rule->s; i++) {
    dae__axpy(dynamic, -rule->start[i], o->K + (size_t)i * (size_t)n, o->e);
    dae__axpy(n2, -rule->start[i], o->Z + (size_t)i * (size_t)size + n2, o->e_q);
  }
  dae__scale(dynamic, w, o->e);
  dae__scale(n2, w, o->e_q);
}

/* e' and e_q' in place of e and e_q; algebraic variables come with them */
static void radau_filter(dae__radau *o, const dae__radau_rule *rule, double h)
{
  const dae__reduced *r = o->r;
  int dynamic = r->n2 + r->n1;
  double w = h * rule->mu;
  dae__reduced_filter(r, w, o->e, o->e_q, o->rhs);
  dae__solver_solve(r->real, o->rhs);
  dae__axpy(r->n2, w, o->rhs, o->e_q);
  dae__copy(dynamic, o->rhs, o->e);
  for (int i = dynamic; i < r->n; i++)
    o->e[i] = r->index_2 ? o->rhs[i] : fabs(o->rhs[i] / w);
}

/* what the first stage adds to the polynomial of the others in entry i of rows that are `stride`
 * apart */
static double radau_added(const dae__radau_rule *rule, int stride, const double *X, int i)
{
  double d = 0;
  for (int j = 0; j < rule->s; j++)
    d += rule->rough[j] * X[(size_t)j * (size_t)stride + (size_t)i];
  return fabs(d);
}

/* what e does not show of algebraic variables */
static void radau_add_driven(dae__radau *o, const dae__radau_rule *rule)
{
  const dae__reduced *r = o->r;
  double s = rule->s, rtol = rule->goal.rtol, part = s > 3 ? DRIVEN : DRIVEN_OF_3;
  for (int i = r->n2 + r->n1; i < r->n; i++) {
    double size = o->weight[r->n2 + i] / rtol, d = part * radau_added(rule, r->n, o->K, i);
    o->e[i] += size * pow(d / size, (s + 1) / (s - 1));
  }
}

/* what it does not show where M is singular */
static void radau_add_unseen(dae__radau *o, const dae__radau_rule *rule)
{
  const dae__reduced *r = o->r;
  double part = rule->s > 3 ? ROUGH : ROUGH_OF_3;
  for (int i = 0; i < r->n; i++) /* x, and y as the stages have it */
    o->e[i] = fabs(o->e[i]) + part * radau_added(rule, r->n, o->Z, i);
}

static double radau_norm(const dae__radau *o)
{
  const dae__reduced *r = o->r;
  double sum = 0;
  int count = r->n2;
  for (int i = 0; i < r->n2; i++)
    sum += (o->e_q[i] / o->weight[i]) * (o->e_q[i] / o->weight[i]);
  for (int i = 0; i < r->n; i++) {
    double e = o->e[i] / o->weight[r->n2 + i];
    sum += r->tested[i] ? e * e : 0;
    count += r->tested[i];
  }
  return sqrt(sum / (count > 0 ? count : 1));
}

double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step)
{
  radau_raw(o, rule, step);
  radau_filter(o, rule, step->h);
  if (o->adapter->singular && !o->r->index_2)
    radau_add_unseen(o, rule);
  else if (o->r->cautious && !o->r->index_2)
    radau_add_driven(o, rule);
  return radau_norm(o);
}
