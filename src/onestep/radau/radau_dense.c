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
 * Discontinuities within a step: the guard of smoothness.h by estimates e_(s-d) of the polynomials
 * through the first s - d stages. A bend of a force makes one of them zero for some places of the
 * bend, seldom two in a row. With rho_d = e_(s-d) / max(e_(s-d-1), e_(s-d-2)), d = 0 ... 3,
 *
 *   e = max_d e_(s-d) rho_d^d,   rho = max_d rho_d,   e rho^(s-1) <= tolerance;
 *
 * for smooth forces e = O(h^(s+1)), rho = O(h). Stiff components of e contain the error at the
 * start, the same for all d. Filtered once more, it decreases by 1/(h mu |lambda|) [HW96 IV.8]. The
 * error of the start is many tolerances where a variable goes to zero and its tolerance with it,
 * and a smaller step does not help. Where the error of a second attempt from one start is not
 * smaller in proportion to h, it is therefore the estimate filtered twice, and its bound for stiff
 * components e_s - e_(s-1), which is free of it.
 * The weights of the last nodes in p(0) are small: a bend before the end shows in the slope there
 * beside its extrapolation from the stages before, by the same rule with one power of rho more.
 *
 * Order reduction in stiff components: along a slow solution y the stages have the errors of
 * interpolation through start and nodes, and their polynomial p the slope error
 * (x pi(x))' h^s y^(s+1)/(s+1)!, pi the product of the x - c_j: at the start, where the estimate
 * sees it, pi(0), at the end pi'(1) = s pi(0). With the filter F = 1/(1 - mu z), z = h lambda, the
 * error is |F e| for large z times s, and falls faster than |(1 - F)^(s-1) F e| for z -> 0, where
 * the order is 2s - 1. For real z it is at most 3, 5, 7 times |(1 - F)^p F e| with p = 2 for 3
 * stages, 4 for 5 and 7. This bound must be below the tolerance, too.
 *
 * Index 2: y of the last stage has an error of order s, which e contains, and y that follows from
 * the time derivative of the constraints at the end the error of x times the stiffness. Within a
 * step the constraints turn, and with them errors of x out of the directions in which F removes
 * them. The difference of both values of y beyond the estimate of the first therefore is the error
 * of the second and is added.
 *
 * Dense output is the polynomial of the stages, whose states have errors of order s + 1, and on
 * request a refined one with the order of the ends. The refined polynomial solves
 *
 *   R(t0 + c_i h, Z_i, K_i) = 0
 *
 * at more nodes by sweeps K_i -= B(h mu)\R_i with the real block of the step. Each sweep raises the
 * order of nonstiff components by one. Stiff components are accurate in the stages, not within the
 * step, and for them the sweeps need not converge. States then come from the polynomials of m equal
 * pieces of the step, each solved as a step of its own: errors of order s + 1 decrease by m^(s+1),
 * and m is the least that leaves a tenth of the tolerance of the error estimate.
 *
 * The error within the step of a stiff component lambda is up to w |lambda| times that of its end.
 * Where sweeps have not converged, and with index 2, where y follows from the time derivative of
 * the constraints and shows an error of x times lambda, the state z = (q, v, u) is therefore that
 * of one implicit Euler step from the polynomial p,
 *
 *   z = p + w (z' - p'),   R(t, z, k) = 0,   w = h mu:
 *
 * errors decrease by 1/(1 - w lambda) in stiff components and keep their order in others. */
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include "onestep/host/polynomial.h"
#include "onestep/host/share.h"
#include "onestep/host/smoothness.h"
#include "onestep/host/sums.h"
#include "onestep/radau/radau.h"
#include "step/norm.h"
#include "step/smooth/smooth.h"
#include <math.h>

/* ---- error estimate ---- */

/* The w of the error filter: h mu; of the smooth motion not below the time scale of the slow
 * motion, so that no step, however small, sees what is fast. */
static double radau_error_w(const dae__radau *o, const dae__radau_rule *rule, double h)
{
  return rule->mu * (o->smooth ? fmax(h, dae__smooth_cut(o->smooth)) : h);
}

/* Solves B(w) rhs = P0 e - w P2 e_q; e and e_q are replaced by the filtered ones. */
static void radau_error_filter(dae__radau *o, double w)
{
  const dae__reduced *r = o->r;
  dae__reduced_filter(r, w, o->e, o->e_q, o->rhs);
  dae__solver_solve(r->real, o->rhs);
  dae__axpy(r->n2, DAE__MUTATE(radau_position_sign, w, -w), o->rhs, o->e_q);
  dae__copy(r->n2 + r->n1, o->rhs, o->e);
}

/* Filtered difference of the error estimates of the polynomials through all stages and through all
 * but the last one: without the slope at the start, and with it the error of the start. */
static void radau_error_difference(dae__radau *o, const dae__radau_rule *rule, double h)
{
  const dae__reduced *r = o->r;
  int n = r->n, n2 = r->n2, dynamic = n2 + r->n1, size = n2 + n;
  double w = h * rule->mu;
  dae__zero(dynamic, o->e);
  dae__zero(n2, o->e_q);
  for (int i = 0; i < rule->s; i++) {
    double weight = w * ((i < rule->s - 1 ? rule->start[1][i] : 0) - rule->start[0][i]);
    dae__axpy(dynamic, weight, o->K + (size_t)i * (size_t)n, o->e);
    dae__axpy(n2, weight, o->Z + (size_t)i * (size_t)size + n2, o->e_q);
  }
  radau_error_filter(o, w);
}

/* Filtered error estimates e and e_q of the polynomial through the first s - d stages. */
static void radau_error_filtered(dae__radau *o, const dae__radau_rule *rule, int d,
                                 const dae_step *step)
{
  const dae__reduced *r = o->r;
  int n = r->n, n2 = r->n2, dynamic = n2 + r->n1, size = n2 + n;
  double w = step->h * rule->mu, filter = radau_error_w(o, rule, step->h);
  dae__add_rows(rule->s - d, rule->start[d], -1, dynamic, n, o->K, step->from.dz + n2, o->e);
  dae__add_rows(rule->s - d, rule->start[d], -1, n2, size, o->Z + n2, step->from.z + n2, o->e_q);
  dae__scale(dynamic, w, o->e);
  dae__scale(n2, w, o->e_q);
  radau_error_filter(o, filter);
}

/* Norm of n entries of e relative to the tolerance itself, not to the mapped one. */
static double radau_error_unmapped(const dae__radau *o, const dae__radau_rule *rule, int n,
                                   const double *e)
{
  return rule->tolerance.rtol / o->rtol * dae__norm(n, e, o->weight + o->r->n2);
}

/* Bound of the error of stiff components, |(1 - F)^p F e|, p = 2 or 4, after the first filter,
 * which left its solution in rhs and e_q; *twice: |F^2 e|. Modes may cancel in velocities, but not
 * in the coordinates at the same time: the larger norm counts. */
static double radau_error_stiff(dae__radau *o, const dae__radau_rule *rule, double h, double *twice)
{
  static const double few[] = {1, -2, 1}, many[] = {1, -4, 6, -4, 1};
  const double *binomial = rule->s > 3 ? many : few;
  int n2 = o->r->n2, dynamic = n2 + o->r->n1, p = rule->s > 3 ? 4 : 2;
  double *e_q = o->e_stiff + dynamic;
  dae__zero(dynamic + n2, o->e_stiff);
  for (int i = 0; i <= p; i++) {
    dae__axpy(dynamic, binomial[i], o->rhs, o->e_stiff);
    dae__axpy(n2, binomial[i], o->e_q, e_q);
    if (i < p)
      radau_error_filter(o, h * rule->mu);
    if (i == 0)
      *twice = radau_error_unmapped(o, rule, dynamic, o->e);
  }
  double q = rule->tolerance.rtol / o->rtol * dae__norm(n2, e_q, o->weight);
  return fmax(q, radau_error_unmapped(o, rule, dynamic, o->e_stiff));
}

/* Bound of the error over a discontinuity by the smallness and decrease rho of the estimates. */
static double radau_error_nonsmooth(int s, int power, double estimate, double rho)
{
  bool nonsmooth = rho > DAE__RADAU_NONSMOOTH_RATIO;
  estimate *= (nonsmooth ? DAE__RADAU_NONSMOOTH_FACTOR : 1) *
              DAE__MUTATE(radau_nonsmooth, dae__smoothness(power, rho, 1), 1e-6);
  /* error over a bend: proportional to h^2, not to h^(s+1) */
  return nonsmooth && estimate > 1 ? pow(estimate, 0.5 * (s + 1)) : estimate;
}

/* Difference of the slope at the end and its extrapolation from the stages before, times h mu, in
 * o->e; returns its norm, and *rho of the extrapolations from the stages d to s - 2. */
static double radau_error_defect(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                                 double *rho)
{
  enum { COUNT = DAE__RADAU_END_ESTIMATES };
  int s = rule->s, n = o->r->n, dynamic = o->r->n2 + o->r->n1;
  const double *weight = o->weight + o->r->n2, *K = o->K;
  double sum[COUNT] = {0}, w = step->h * rule->mu;
  for (int i = 0; i < dynamic; i++) {
    double defect[COUNT], scale = w / weight[i];
    for (int d = 0; d < COUNT; d++)
      defect[d] = K[(s - 1) * n + i];
    for (int j = 0; j < s - 1; j++)
      for (int d = 0; d < COUNT; d++)
        defect[d] -= rule->end[j][d] * K[j * n + i];
    o->e[i] = w * defect[0];
    for (int d = 0; d < COUNT; d++)
      sum[d] += scale * defect[d] * (scale * defect[d]);
  }
  *rho = 0;
  for (int d = 0; d < 2; d++)
    *rho = fmax(*rho, fmin(1, sqrt(sum[d] / fmax(sum[d + 1], sum[d + 2]))));
  return rule->tolerance.rtol / o->rtol * sqrt(sum[0] / (dynamic > 0 ? dynamic : 1));
}

/* The same bound by the slope at the end beside its extrapolations; the error estimate is filtered
 * where it matters. */
static double radau_error_end(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  int s = rule->s, dynamic = o->r->n2 + o->r->n1;
  double rho;
  if (s < DAE__RADAU_END_STAGES)
    return 0;
  double defect = radau_error_defect(o, rule, step, &rho);
  double bound = radau_error_nonsmooth(s, s + 1, defect, rho);
  if (bound <= 1)
    return bound;
  dae__zero(o->r->n2, o->e_q);
  for (int i = 0; i < 2; i++)
    radau_error_filter(o, step->h * rule->mu);
  return radau_error_nonsmooth(s, s + 1, radau_error_unmapped(o, rule, dynamic, o->e), rho);
}

/* Tests that an error of a step is that of its start: the attempt before failed from the same
 * start, and its error was not larger in proportion to h, as an error of the step is at least. */
static bool radau_error_is_of_start(const dae__radau *o, const dae_step *step, double error)
{
  const dae__radau_memory *m = o->memory;
  return error > 1 && step->t == m->rejected.t &&
         error * m->rejected.h > m->rejected.error * step->h;
}

/* Number of ratios of estimates of a rule. */
static int radau_error_ratios(const dae__radau_rule *rule)
{
  return rule->s - 1 < DAE__RADAU_RATIOS ? rule->s - 1 : DAE__RADAU_RATIOS;
}

/* Bound of the error over a discontinuity by the estimates e_(s-d), d = 0 ... ratios + 1. */
static double radau_error_guard(const dae__radau_rule *rule, int ratios, const double *e)
{
  double estimate = 0, rho = 0;
  for (int d = 0; d < ratios; d++) {
    double ratio = fmin(1, e[d] / fmax(e[d + 1], e[d + 2]));
    estimate = fmax(estimate, e[d] * pow(ratio, d));
    rho = fmax(rho, ratio);
  }
  return radau_error_nonsmooth(rule->s, rule->s, estimate, rho);
}

/* Error of a step relative to the tolerance that does not follow from the mapped tolerance: of
 * stiff components, and over discontinuities; o->e receives its entries. */
static double radau_error_reduced_order(dae__radau *o, const dae__radau_rule *rule,
                                        const dae_step *step)
{
  int ratios = radau_error_ratios(rule), dynamic = o->r->n2 + o->r->n1;
  double e[DAE__RADAU_RATIOS + 2];
  double stiff = radau_error_stiff(o, rule, step->h, &e[0]);
  if (rule->s > 1 && radau_error_is_of_start(o, step, stiff)) {
    double ignored;
    radau_error_difference(o, rule, step->h);
    stiff = fmin(stiff, radau_error_stiff(o, rule, step->h, &ignored));
  }
  for (int d = 1; d <= ratios + 1; d++) {
    radau_error_filtered(o, rule, d, step);
    radau_error_filter(o, step->h * rule->mu);
    e[d] = radau_error_unmapped(o, rule, dynamic, o->e);
  }
  double estimate = radau_error_guard(rule, ratios, e);
  double *entries = o->e_stiff; /* of this estimate; the next one overwrites o->e */
  if (!(stiff > estimate))
    dae__copy(dynamic, o->e, entries);
  double end = radau_error_end(o, rule, step);
  dae__copy(dynamic, entries, o->e);
  return fmax(fmax(stiff, estimate), end);
}

/* |d|, the low-order difference, of entry i of the rows X_j, which are `stride` apart */
static double radau_error_low_order(const dae__radau_rule *rule, int stride, const double *X, int i)
{
  double d = 0;
  for (int j = 0; j < rule->s; j++)
    d += rule->low_order[j] * X[(size_t)j * (size_t)stride + (size_t)i];
  return fabs(d);
}

/* Adds the low-order difference d to the error of variables that time drives. */
static void radau_error_add_driven(dae__radau *o, const dae__radau_rule *rule)
{
  const dae__reduced *r = o->r;
  double s = rule->s, rtol = rule->tolerance.rtol;
  if (o->adapter->singular) {
    double weight = s > 3 ? DAE__RADAU_SINGULAR_MASS_WEIGHT : DAE__RADAU_SINGULAR_MASS_WEIGHT_3;
    for (int i = 0; i < r->n; i++) /* entries of x and y in the stage states */
      o->e[i] = fabs(o->e[i]) + weight * radau_error_low_order(rule, r->n, o->Z, i);
    return;
  }
  double weight = s > 3 ? DAE__RADAU_DRIVEN_WEIGHT : DAE__RADAU_DRIVEN_WEIGHT_3;
  for (int i = r->n2 + r->n1; i < r->n; i++) {
    double size = o->weight[r->n2 + i] / rtol;
    double d = weight * radau_error_low_order(rule, r->n, o->K, i);
    o->e[i] += size * pow(d / size, (s + 1) / (s - 1));
  }
}

/* Size of the error estimates relative to the mapped tolerance, and the largest entry. */
static double radau_error_size(const dae__radau *o, const dae__radau_rule *rule, int *largest)
{
  const dae__reduced *r = o->r;
  double sum = 0, most = 0;
  int count = r->n2;
  for (int i = 0; i < r->n2; i++) {
    double e = o->e_q[i] / o->weight[i];
    sum += e * e;
    if (e * e > most)
      most = e * e, *largest = i;
  }
  for (int i = 0; i < r->n; i++) {
    double e = o->e[i] / o->weight[r->n2 + i];
    sum += DAE__MUTATE(radau_tested, r->tested[i] ? e * e : 0, 0.0);
    count += r->tested[i];
    if (r->tested[i] && e * e > most)
      most = e * e, *largest = r->n2 + i;
  }
  /* in few large steps of the smooth motion single entries of hundreds may have all of the error */
  double error = o->smooth ? sqrt(most) : sqrt(sum / (count > 0 ? count : 1));
  if (r->n2 > 0) /* estimate of order s + 1, error of order 2s */
    error *= pow(dae__step_share(o->memory->steps), -(rule->s + 1) / (2. * rule->s));
  return error;
}

/* Norm of the filtered estimates e and e_q relative to the tolerance of the stages. */
static double radau_error_norm(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  const dae__reduced *r = o->r;
  double w = step->h * rule->mu;
  for (int i = r->n2 + r->n1; i < r->n; i++) /* error of algebraic variables, from B(w) */
    o->e[i] = r->index_2 ? o->rhs[i] : fabs(o->rhs[i] / w);
  if (DAE__MUTATE(radau_unseen, (r->algebraic || o->adapter->singular) && !r->index_2, false))
    radau_error_add_driven(o, rule);
  return radau_error_size(o, rule, &o->adapter->limiting->error);
}

/* Factors the real block at one end of the step. */
static dae_status radau_error_factor(dae__radau *o, const dae__radau_rule *rule,
                                     const dae_step *step, bool end)
{
  dae__reduced *r = o->r;
  int n = r->n, dynamic = r->n2 + r->n1, last = rule->s - 1;
  dae__reduced_at at = {.t = step->t, .z = step->from.z, .k = o->rhs};
  dae__copy(dynamic, step->from.dz + r->n2, o->rhs);
  dae__copy(n - dynamic, step->from.z + r->n2 + dynamic, o->rhs + dynamic);
  if (end)
    at = (dae__reduced_at){.t = step->t + step->h,
                           .z = o->Z + (size_t)last * (size_t)(r->n2 + n),
                           .k = o->K + (size_t)last * (size_t)n};
  o->memory->matrix_h = 0;
  r->memory->jacobians++;
  DAE__TRY(r->table->linearise(r->self, &at, NULL));
  return dae__reduced_factor(r, radau_error_w(o, rule, step->h), 0, NULL, NULL);
}

/* Error of a step of the smooth motion. What is fast in the slope at the start lies in the fast
 * directions there, and stiff directions that turn within the step show a part of it as slow to
 * every other matrix: all estimates are filtered first by the matrix of the start, then by that of
 * the end. A step whose matrices are singular is rejected. */
static double radau_error_damped(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  const dae__reduced *r = o->r;
  int dynamic = r->n2 + r->n1, size = r->n2 + dynamic, ratios = radau_error_ratios(rule);
  int *largest = &o->adapter->limiting->error, first = *largest, end = ratios + 2;
  double e[DAE__RADAU_RATIOS + 3], w = radau_error_w(o, rule, step->h), error = 0, rho = 0;
  if (radau_error_factor(o, rule, step, false))
    return INFINITY;
  for (int d = 0; d <= end; d++) {
    if (d < end) {
      radau_error_filtered(o, rule, d, step);
    } else { /* at the end of the step */
      radau_error_defect(o, rule, step, &rho);
      dae__zero(r->n2, o->e_q);
      radau_error_filter(o, w);
    }
    dae__copy(r->n2, o->e_q, o->e_begin + d * size);
    dae__copy(dynamic, o->e, o->e_begin + d * size + r->n2);
  }
  if (radau_error_factor(o, rule, step, true))
    return INFINITY;
  for (int d = 0; d <= end; d++) {
    dae__copy(r->n2, o->e_begin + d * size, o->e_q);
    dae__copy(dynamic, o->e_begin + d * size + r->n2, o->e);
    radau_error_filter(o, w);
    e[d] = radau_error_unmapped(o, rule, dynamic, o->e);
    if (d == 0) {
      error = radau_error_norm(o, rule, step);
      first = *largest;
    }
  }
  *largest = first;
  o->memory->inner = error;
  if (!(error <= 1))
    return error;
  error = fmax(error, radau_error_guard(rule, ratios, e));
  return rule->s < DAE__RADAU_END_STAGES
             ? error
             : fmax(error, radau_error_nonsmooth(rule->s, rule->s + 1, e[end], rho));
}

/* Error of a step by the filtered estimates, without what the algebraic equations say. */
static double radau_error_of_step(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  const dae__reduced *r = o->r;
  double w = step->h * rule->mu;
  int dynamic = r->n2 + r->n1;
  if (o->smooth && o->full[dae__radau_rule_of(rule->s)])
    return radau_error_damped(o, rule, step);
  radau_error_filtered(o, rule, 0, step);
  double error = radau_error_norm(o, rule, step);
  if (radau_error_is_of_start(o, step, error)) {
    int other;
    radau_error_filter(o, w);
    double twice = radau_error_size(o, rule, &other);
    radau_error_filtered(o, rule, 0, step);
    error = twice <= 1 ? twice : error;
  }
  o->memory->inner = error;
  for (int i = dynamic; r->index_2 && i < r->n; i++) /* y itself, not its integral */
    o->memory->inner = fmax(o->memory->inner, fabs(o->rhs[i] / w) / o->weight[r->n2 + i]);
  if (!(error <= 1) || o->adapter->singular) /* rejected; no guard with singular M */
    return error;
  double reduced = radau_error_reduced_order(o, rule, step);
  if (reduced > error)
    o->adapter->limiting->error = r->n2 + dae__largest(dynamic, o->e, o->weight + r->n2);
  return fmax(error, reduced);
}

double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae_step *step)
{
  double error = radau_error_of_step(o, rule, step);
  o->memory->rejected.t = error <= 1 ? NAN : step->t;
  o->memory->rejected.h = step->h;
  o->memory->rejected.error = error;
  return error;
}

double dae__radau_error_algebraic(const dae__radau *o, const dae__radau_rule *rule,
                                  const dae_step *step)
{
  int size = o->r->n2 + o->r->n, first = o->r->n2 + o->r->n1;
  const double *stage = o->Z + (size_t)(rule->s - 1) * (size_t)size;
  double most = 0;
  int worst = first;
  for (int i = first; i < size; i++) {
    double difference = fabs(step->to.z[i] - stage[i]) / o->weight[i];
    if (difference > most)
      most = difference, worst = i;
  }
  double ratio = DAE__RADAU_ALGEBRAIC_WEIGHT * rule->tolerance.rtol / o->rtol;
  double error = ratio * (most - o->memory->inner);
  if (error > 1)
    o->adapter->limiting->error = worst;
  return error;
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
  bool converged = false;
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
  for (int i = 0; i < DAE__RADAU_REFINE_SWEEPS && !converged; i++) {
    double before = last;
    last = change;
    dae_status status = radau_refine_sweep(o, c, step, &change, err);
    if (status)
      return dae__can_retry(status) ? DAE_OK : status;
    /* the error left, by the contraction of the last sweep; one sweep has none */
    double left = i > 0 && change < last ? change * change / (last - change) : change;
    converged = (change <= DAE__RADAU_REFINE_CHANGE && left <= DAE__RADAU_REFINE_CHANGE) ||
                fmax(change, last) <= DAE__RADAU_REFINE_ROUND_OFF / rtol;
    if (!converged && !(change < fmax(before, last))) /* divergence */
      return DAE_OK;
  }
  radau_dense_evaluate(o, c, o->fine_polynomial, step, 1, o->z);
  for (int i = 0; i < size; i++)
    o->fine_shift[i] = step->to.z[i] - o->z[i];
  o->memory->refined = true;
  o->memory->pieces = converged ? 1 : 0;
  return DAE_OK;
}

/* ---- pieces of a step ---- */

/* Piece j of m of a step, from the state z. */
static dae_step radau_piece(const dae_step *step, int j, int m, double *z)
{
  return (dae_step){.t = step->t + j * step->h / m, .h = step->h / m, .from = {.z = z}};
}

/* Solves the pieces of the last step, if stiff components have an error within it; where an
 * iteration fails, dense output by the stages of the step remains. */
static dae_status radau_pieces_solve(const dae__radau_stepper *self, const dae_step *step,
                                     dae_error *err)
{
  dae__radau *o = self->radau;
  dae__radau_memory *m = o->memory;
  const dae__radau_rule *rule = dae__radau_rule_at(o, self->rule);
  int s = rule->s, n = o->r->n, size = o->r->n2 + n;
  double ratio = m->inner * rule->tolerance.rtol / (DAE__RADAU_PIECE_ERROR * o->rtol);
  double wanted = ceil(pow(ratio, 1.0 / (s + !o->r->index_2))), w[DAE__COLLOCATION_STAGES_MAX];
  int count = wanted < DAE__RADAU_PIECES ? (int)wanted : DAE__RADAU_PIECES;
  dae_status status = DAE_OK;
  m->pieces = 1;
  if (o->fixed || !(wanted > 1))
    return DAE_OK;
  dae__radau_memory before = *m;
  m->linearised = true; /* Jacobians of the last step, other factors */
  m->matrix_h = 0;
  dae__reduced_other_solvers(o->r, true);
  dae__copy(size, step->from.z, o->piece_start);
  for (int j = 0; j < count && !status; j++) {
    double *start = o->piece_start + (size_t)j * (size_t)size;
    dae_step piece = radau_piece(step, j, count, start);
    for (int i = 0; i < s; i++) {
      dae__nodal_values(&rule->c->nodes, (j + rule->c->c[i]) / count, w);
      dae__sum_rows(s, w, n, n, o->polynomial, o->K + (size_t)i * (size_t)n);
    }
    status = dae__radau_solve_piece(o, rule, &piece, err);
    dae__copy(s * n, o->K, o->piece_polynomial + (size_t)j * (size_t)(s * n));
    dae__copy(size, o->Z + (size_t)(s - 1) * (size_t)size, start + size);
  }
  dae__reduced_other_solvers(o->r, false);
  *m = before;
  if (status)
    return dae__can_retry(status) ? DAE_OK : status;
  double *end = o->piece_start + (size_t)count * (size_t)size; /* becomes the shift of the end */
  for (int i = 0; i < size; i++)
    end[i] = step->to.z[i] - end[i];
  m->pieces = count;
  return DAE_OK;
}

/* Unknowns k and state z = p + w (z' - p') of the filter after the change -D of k; p' has the
 * unknowns o->e, and p is o->z. */
static void radau_filter_update(const dae__radau *o, double w, double *k, double *z)
{
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1;
  const double *p = o->z;
  dae__axpy(n, -1, o->D, k);
  for (int j = 0; j < dynamic; j++)
    z[n2 + j] = p[n2 + j] + w * (k[j] - o->e[j]);
  for (int j = 0; j < n2; j++)
    z[j] = p[j] + w * (z[n2 + j] - p[n2 + j]);
  dae__copy(n - dynamic, k + dynamic, z + n2 + dynamic);
}

/* Replaces z, dense output at t with unknowns k, by the solution of z = p + w (z' - p'), R = 0;
 * unchanged where the iteration does not converge. */
static dae_status radau_filter_stiff(dae__radau *o, const dae__radau_rule *rule, double t,
                                     const double *from, double *k, double *z, dae_error *err)
{
  const dae__reduced *r = o->r;
  int n2 = r->n2, dynamic = n2 + r->n1, size = n2 + r->n;
  double w = o->memory->matrix_h * rule->mu, last = INFINITY, change = INFINITY;
  if (w == 0)
    return DAE_OK;
  dae__weights(size, o->rtol, o->atol, o->adapter->atol_scale, from, o->weight);
  dae__copy(dynamic, k, o->e);
  dae__copy(size, z, o->z);
  dae__copy(r->n - dynamic, z + n2 + dynamic, k + dynamic);
  for (int i = 0; i < DAE__RADAU_REFINE_SWEEPS && change > DAE__RADAU_FILTER_CHANGE; i++) {
    dae__reduced_at at = {.t = t, .z = z, .k = k, .refactor = true};
    dae_status status = r->table->residual(r->self, &at, o->D, err);
    if (status && !dae__can_retry(status))
      return status;
    if (!status) {
      dae__solver_solve(r->real, o->D);
      radau_filter_update(o, w, k, z);
      dae__scale(dynamic, w, o->D);
    }
    last = change;
    change = status ? INFINITY : dae__norm(r->index_2 ? r->n : dynamic, o->D, o->weight + n2);
    if (!(change < last)) { /* divergence */
      dae__copy(size, o->z, z);
      return DAE_OK;
    }
  }
  return DAE_OK;
}

dae_status dae__radau_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                   const dae_point *out, dae_error *err)
{
  const dae__radau_stepper *stepper = self;
  dae__radau *o = stepper->radau;
  dae__radau_memory *m = o->memory;
  int n = o->r->n, size = o->r->n2 + n, j = 0;
  double value[DAE__COLLOCATION_STAGES_MAX];
  bool refinable = dae__radau_fine_nodes(m->s) > m->s, output = accuracy == DAE_DENSE_OUTPUT;
  if (accuracy != DAE_DENSE_RAW && refinable && !m->checked)
    DAE__TRY(radau_refine(stepper, step, err));
  if (output && refinable && m->pieces == 0)
    DAE__TRY(radau_pieces_solve(stepper, step, err));
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  bool pieces = output && m->pieces > 1, refined = m->refined && !pieces;
  const dae__collocation_rule *c = refined ? dae__radau_fine_rule(o, rule->s) : rule->c;
  const double *K = refined ? o->fine_polynomial : o->polynomial;
  const double *shift = refined ? o->fine_shift : o->shift;
  dae_step part = *step;
  double at = x;
  if (pieces) {
    j = (int)fmin(x * m->pieces, m->pieces - 1);
    part = radau_piece(step, j, m->pieces, o->piece_start + (size_t)j * (size_t)size);
    at = x * m->pieces - j;
    K = o->piece_polynomial + (size_t)j * (size_t)(c->s * n);
    shift = o->piece_start + (size_t)m->pieces * (size_t)size;
  }
  radau_dense_evaluate(o, c, K, &part, at, out->z);
  dae__axpy(size, x, shift, out->z);
  dae__nodal_values(&c->nodes, at, value);
  bool stiff = o->r->index_2 || (!refined && !o->fixed && !o->smooth);
  if (output && refinable && stiff && !o->adapter->singular) {
    dae__sum_rows(c->s, value, o->r->n2 + o->r->n1, n, K, o->rhs);
    return radau_filter_stiff(o, rule, step->t + x * step->h, step->from.z, o->rhs, out->z, err);
  }
  if (!out->dz)
    return DAE_OK;
  dae__zero(o->adapter->size, out->dz);
  double *rate = out->dz + o->r->n2; /* of v and u */
  dae__sum_rows(c->s, value, o->r->n2 + o->r->n1, n, K, rate);
  /* q' is v without its share of the shift */
  for (int i = 0; i < o->r->n2; i++)
    out->dz[i] = out->z[o->r->n2 + i] - x * shift[o->r->n2 + i];
  if (accuracy == DAE_DENSE_RAW)
    dae__axpy(2 * o->r->n2 + o->r->n1, 1 / step->h, shift, out->dz);
  return DAE_OK;
}
