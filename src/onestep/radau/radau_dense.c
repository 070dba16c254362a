/* Error estimate and dense output of a step.
 *
 * The error estimate is the difference at the start of the step between k and the polynomial p of
 * the stages,
 *
 *   e = h mu (k0 - p(0)),   e_q = h mu (v0 - p_v(0)),
 *
 * of order s + 1 [HW96 IV.8], filtered by the real block so that stiff components are damped:
 * B(w) e' = P0 e - w P2 e_q, w = h mu, and e_q' = e_q + w e'.
 *
 * The error estimate of algebraic variables follows from e alone, while they may vary within a step
 * in which no derivative does, driven by time, as at a diode that starts to block. This variation
 * is measured by the difference d = O(h^(s-1)) of the stage polynomial and the one without the
 * first stage. It is added as (c d)^((s+1)/(s-1)) relative to the size of the variable, a term of
 * order s + 1, and does not limit the step at tight tolerances. Output is not affected, since y is
 * solved for at each output point. With singular M, where it is not known which entries of x are
 * algebraic, a small multiple of d is added for all of x.
 *
 * Dense output is the polynomial of the stages, whose states have errors of order s + 1, and on
 * request a refined one with the order of the ends. The refined polynomial solves
 *
 *   R(t0 + c_i h, Z_i, K_i) = 0
 *
 * at more nodes by sweeps K_i -= B(h mu)\R_i with the real block of the step. Each sweep raises the
 * order of nonstiff components by one; stiff components, which are accurate in the stages, do not
 * change. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/polynomial.h"
#include "onestep/radau/radau.h"
#include "step/norm.h"
#include <math.h>

/* ---- error estimate ---- */

/* Filtered error estimates e and e_q; e of algebraic variables follows from B(w). */
static void radau_error_filtered(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
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
  dae__reduced_filter(r, w, o->e, o->e_q, o->rhs);
  dae__solver_solve(r->real, o->rhs);
  dae__axpy(n2, w, o->rhs, o->e_q);
  dae__copy(dynamic, o->rhs, o->e);
  for (int i = dynamic; i < n; i++)
    o->e[i] = r->index_2 ? o->rhs[i] : fabs(o->rhs[i] / w);
}

/* |d|, the low-order difference, of entry i of the rows X_j, which are `stride` apart */
static double radau_error_low_order(const dae__radau_rule *rule, int stride, const double *X, int i)
{
  double d = 0;
  for (int j = 0; j < rule->s; j++)
    d += rule->low_order[j] * X[(size_t)j * (size_t)stride + (size_t)i];
  return fabs(d);
}

double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  const dae__reduced *r = o->r;
  double s = rule->s, rtol = rule->tolerance.rtol, sum = 0;
  int count = r->n2;
  radau_error_filtered(o, rule, step);
  if (o->adapter->singular && !r->index_2) {
    double weight = s > 3 ? DAE__RADAU_SINGULAR_MASS_WEIGHT : DAE__RADAU_SINGULAR_MASS_WEIGHT_3;
    for (int i = 0; i < r->n; i++) /* entries of x and y in the stage states */
      o->e[i] = fabs(o->e[i]) + weight * radau_error_low_order(rule, r->n, o->Z, i);
  } else if (r->algebraic && !r->index_2) {
    double weight = s > 3 ? DAE__RADAU_DRIVEN_WEIGHT : DAE__RADAU_DRIVEN_WEIGHT_3;
    for (int i = r->n2 + r->n1; i < r->n; i++) {
      double size = o->weight[r->n2 + i] / rtol;
      double d = weight * radau_error_low_order(rule, r->n, o->K, i);
      o->e[i] += size * pow(d / size, (s + 1) / (s - 1));
    }
  }
  for (int i = 0; i < r->n2; i++)
    sum += (o->e_q[i] / o->weight[i]) * (o->e_q[i] / o->weight[i]);
  for (int i = 0; i < r->n; i++) {
    double e = o->e[i] / o->weight[r->n2 + i];
    sum += r->tested[i] ? e * e : 0;
    count += r->tested[i];
  }
  return sqrt(sum / (count > 0 ? count : 1));
}

/* ---- dense output ---- */

/* State z at t0 + x h of the polynomial with unknowns K at the nodes of c, without the shift of the
 * end. The algebraic part is interpolated through its values at the start and at the nodes. */
static void radau_dense_evaluate(const dae__radau *o, const dae__collocation_rule *c,
                                 const double *K, const dae_step *step, double x, double *z)
{
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1, nx = n2 + dynamic;
  double value[DAE__COLLOCATION_STAGES_MAX];
  double start = 1; /* Lagrange polynomial of the node 0 */
  for (int j = 0; j < c->s; j++)
    start *= 1 - x / c->c[j];
  dae__slopes_integrate(&(dae__slopes){&c->nodes, K, n}, n2, nx, step, x, z);
  dae__nodal_values(&c->nodes, x, value);
  dae__copy(n - dynamic, step->from.z + nx, z + nx);
  dae__scale(n - dynamic, start, z + nx);
  for (int j = 0; j < c->s; j++, K += n)
    dae__axpy(n - dynamic, value[j] * x / c->c[j], K + dynamic, z + nx);
}

/* ---- refinement ---- */

/* One sweep over all nodes; *change: largest change of the differential part, relative to the
 * tolerance. */
static dae_status radau_refine_sweep(dae__radau *o, const dae__collocation_rule *c,
                                     const dae_step *step, double *change, dae_error *err)
{
  int n = o->r->n, dynamic = o->r->n2 + o->r->n1;
  *change = 0;
  for (int i = 0; i < c->s; i++) { /* residuals of all nodes at the same iterate */
    dae__reduced_at at = {.t = step->t + c->c[i] * step->h,
                          .z = o->z,
                          .k = o->fine_polynomial + (size_t)i * (size_t)n,
                          .refactor = true};
    dae__radau_stage_state(o, c, o->fine_polynomial, step, i, o->z);
    DAE__TRY(o->r->table->residual(o->r->self, &at, o->fine_R + (size_t)i * (size_t)n, err));
  }
  for (int i = 0; i < c->s; i++) {
    double *D = o->fine_R + (size_t)i * (size_t)n;
    dae__solver_solve(o->r->real, D);
    dae__axpy(n, -1, D, o->fine_polynomial + (size_t)i * (size_t)n);
    dae__scale(dynamic, step->h, D);
    *change = fmax(*change, dae__norm(dynamic, D, o->weight + o->r->n2));
  }
  return DAE_OK;
}

/* Refines dense output; where the sweeps do not converge, dense output by the stages remains. */
static dae_status radau_refine(const dae__radau_stepper *self, const dae_step *step, dae_error *err)
{
  dae__radau *o = self->radau;
  const dae__radau_rule *rule = dae__radau_rule_at(o, self->rule);
  const dae__collocation_rule *c = dae__radau_fine_rule(o, rule->s);
  int n = o->r->n, size = o->r->n2 + n;
  double rtol = o->fixed ? 1e-15 : o->rtol, last = INFINITY, change = INFINITY;
  double w[DAE__COLLOCATION_STAGES_MAX];
  dae__weights(size, rtol, rtol * o->atol / o->rtol, o->adapter->atol_scale, step->from.z,
               o->weight);
  for (int i = 0; i < c->s; i++) { /* initial iterate: polynomial of the stages */
    double *K = o->fine_polynomial + (size_t)i * (size_t)n;
    dae__nodal_values(&rule->c->nodes, c->c[i], w);
    dae__zero(n, K);
    for (int j = 0; j < rule->s; j++)
      dae__axpy(n, w[j], o->polynomial + (size_t)j * (size_t)n, K);
  }
  o->memory->refined = false;
  o->memory->checked = true;
  for (int i = 0; i < DAE__RADAU_REFINE_SWEEPS; i++) {
    double before = last;
    last = change;
    dae_status status = radau_refine_sweep(o, c, step, &change, err);
    if (status)
      return dae__can_retry(status) ? DAE_OK : status;
    if (change <= DAE__RADAU_REFINE_CHANGE ||
        fmax(change, last) <= DAE__RADAU_REFINE_ROUND_OFF / rtol)
      break;
    if (!(change < fmax(before, last))) /* divergence: dense output by the stages is kept */
      return DAE_OK;
  }
  radau_dense_evaluate(o, c, o->fine_polynomial, step, 1, o->z);
  for (int i = 0; i < size; i++)
    o->fine_shift[i] = step->to.z[i] - o->z[i];
  o->memory->refined = true;
  return DAE_OK;
}

dae_status dae__radau_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                   const dae_point *out, dae_error *err)
{
  const dae__radau_stepper *stepper = self;
  const dae__radau *o = stepper->radau;
  double value[DAE__COLLOCATION_STAGES_MAX];
  bool refinable = dae__radau_fine_nodes(o->memory->s) > o->memory->s;
  if (accuracy != DAE_DENSE_RAW && refinable && !o->memory->checked)
    DAE__TRY(radau_refine(stepper, step, err));
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  bool refined = o->memory->refined;
  const dae__collocation_rule *c = refined ? dae__radau_fine_rule(o, rule->s) : rule->c;
  const double *K = refined ? o->fine_polynomial : o->polynomial;
  radau_dense_evaluate(o, c, K, step, x, out->z);
  dae__axpy(o->r->n2 + o->r->n, x, refined ? o->fine_shift : o->shift, out->z);
  if (!out->dz)
    return DAE_OK;
  dae__nodal_values(&c->nodes, x, value);
  dae__zero(o->adapter->size, out->dz);
  for (int j = 0; j < c->s; j++)
    dae__axpy(o->r->n1, value[j], K + (size_t)j * (size_t)o->r->n, out->dz);
  return DAE_OK;
}
