/* Between the ends of a step: the polynomial of the stages, whose states have errors of order
 * s + 1, and a finer one that is as good as the ends. The finer one solves
 *
 *   R(t0 + c_i h, Z_i, K_i) = 0
 *
 * at more nodes, by sweeps K_i -= B(h mu)\R_i with the real block of the step: where nothing is
 * stiff each sweep gains an order, and stiff components, which the stages have well, stay put. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/radau/radau.h"
#include "step/driver.h"
#include "step/norm.h"
#include <float.h>

#define SWEEPS 8
#define GOOD 0.1 /* change relative to the tolerance at which it is fine enough */
#define ROUND_OFF (1e3 * DBL_EPSILON) /* a change that need not fall any more */

/* nodes of the finer polynomial, whose states have an error of order s' + 1 in v, so that it is
 * 2s - 1; all of them for 7 stages */
int dae__radau_finer(int s)
{
  int wanted = 2 * s - 2;
  return wanted < DAE__COLLOCATION_STAGES ? wanted : DAE__COLLOCATION_STAGES;
}

/* z at x of the step that k with these nodes makes, up to the shift of its end */
static void radau_polynomial(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                             const dae__rk_step *step, double x, double *z)
{
  const double *z0 = step->from.z;
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1;
  double value[DAE__COLLOCATION_STAGES], once[DAE__COLLOCATION_STAGES],
      twice[DAE__COLLOCATION_STAGES], h = step->h;
  dae__collocation_values(c, x, value);
  dae__collocation_integrals(c, x, once, twice);
  dae__copy(n2 + dynamic, z0, z);
  dae__zero(n - dynamic, z + n2 + dynamic);
  dae__axpy(n2, x * h, z0 + n2, z);
  for (int j = 0; j < c->s; j++) {
    const double *k = K + (size_t)j * (size_t)n;
    dae__axpy(n2, h * h * twice[j], k, z);
    dae__axpy(dynamic, h * once[j], k, z + n2);
    dae__axpy(n - dynamic, value[j], k + dynamic, z + n2 + dynamic);
  }
}

static const dae__collocation_rule *radau_shown(const dae__radau *o, const dae__radau_rule *rule,
                                                const double **K)
{
  *K = o->memory->fine ? o->fine : o->polynomial;
  return o->memory->fine ? dae__radau_finer_at(o, (rule->s - 3) / 2) : rule->c;
}

void dae__radau_dense_output(const dae__radau *o, const dae__radau_rule *rule,
                             const dae__rk_step *step, double x, double *z)
{
  const double *K;
  const dae__collocation_rule *c = radau_shown(o, rule, &K);
  radau_polynomial(o, c, K, step, x, z);
  dae__axpy(o->r->n2 + o->r->n, x, o->memory->fine ? o->fine_shift : o->shift, z);
}

void dae__radau_rate(const dae__radau *o, const dae__radau_rule *rule, double x, double *dz)
{
  const double *K;
  const dae__collocation_rule *c = radau_shown(o, rule, &K);
  double value[DAE__COLLOCATION_STAGES];
  dae__collocation_values(c, x, value);
  dae__zero(o->adapter->size, dz);
  for (int j = 0; j < c->s; j++)
    dae__axpy(o->r->n1, value[j], K + (size_t)j * (size_t)o->r->n, dz);
}

/* K at the finer nodes as the stages have it */
static void radau_begin_fine(dae__radau *o, const dae__radau_rule *rule)
{
  const dae__collocation_rule *c = dae__radau_finer_at(o, (rule->s - 3) / 2);
  int n = o->r->n;
  double w[DAE__COLLOCATION_STAGES];
  for (int i = 0; i < c->s; i++) {
    double *K = o->fine + (size_t)i * (size_t)n;
    dae__collocation_values(rule->c, c->c[i], w);
    dae__zero(n, K);
    for (int j = 0; j < rule->s; j++)
      dae__axpy(n, w[j], o->polynomial + (size_t)j * (size_t)n, K);
  }
}

/* all nodes once; the largest change of what is integrated, relative to the tolerance */
static dae_status radau_sweep(dae__radau *o, const dae__collocation_rule *c,
                              const dae__rk_step *step, double *change, dae_error *err)
{
  int n = o->r->n, dynamic = o->r->n2 + o->r->n1;
  *change = 0;
  for (int i = 0; i < c->s; i++) { /* R_i, all of the same iterate */
    dae__reduced_at at = {.t = step->t + c->c[i] * step->h,
                          .z = o->z,
                          .k = o->fine + (size_t)i * (size_t)n,
                          .anew = true};
    dae__radau_state(o, c, o->fine, step, i, o->z);
    dae_status status =
        o->r->table->residual(o->r->self, &at, o->fine_R + (size_t)i * (size_t)n, err);
    DAE__TRY(status);
  }
  for (int i = 0; i < c->s; i++) {
    double *K = o->fine + (size_t)i * (size_t)n, *D = o->fine_R + (size_t)i * (size_t)n;
    dae__solver_solve(o->r->real, D);
    dae__axpy(n, -1, D, K);
    dae__scale(dynamic, step->h, D);
    *change = fmax(*change, dae__norm(dynamic, D, o->weight + o->r->n2));
  }
  return DAE_OK;
}

dae_status dae__radau_refine(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step,
                             dae_error *err)
{
  const dae__collocation_rule *c = dae__radau_finer_at(o, (rule->s - 3) / 2);
  int size = o->r->n2 + o->r->n;
  double rtol = o->fixed ? 1e-15 : o->rtol, last = INFINITY, change = INFINITY;
  dae__weights(size, rtol, rtol * o->atol / o->rtol, step->from.z, o->weight);
  radau_begin_fine(o, rule);
  o->memory->fine = false;
  for (int i = 0; i < SWEEPS; i++) {
    double before = last;
    last = change;
    dae_status status = radau_sweep(o, c, step, &change, err);
    if (status)
      return dae__driver_can_retry(status) ? DAE_OK : status;
    if (change <= GOOD || fmax(change, last) <= ROUND_OFF / rtol)
      break;
    if (!(change < fmax(before, last))) /* it does not converge: the stages are what there is */
      return DAE_OK;
  }
  radau_polynomial(o, c, o->fine, step, 1, o->z);
  for (int i = 0; i < size; i++)
    o->fine_shift[i] = step->to.z[i] - o->z[i];
  o->memory->fine = true;
  return DAE_OK;
}
