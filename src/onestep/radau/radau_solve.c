/* The stages of a step,
 *
 *   R(t0 + c_i h, Z_i, K_i) = 0,   V_i = v0 + h sum_j a_ij K_j,  Q_i = q0 + c_i h v0 + h^2 sum_j
 *   (A A)_ij K_j,
 *
 * by a simplified Newton iteration: with W = T^-1 dK every block B(h mu) W = -(T^-1 R) is solved by
 * itself. It begins with the polynomial of the last step and the matrices at its middle. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/sums.h"
#include "onestep/radau/radau.h"
#include "step/norm.h"
#include <float.h>

#define MOST 15       /* iterations; with 9 the problems of bench_engines take a fifth more time */
#define MOST_FIXED 40 /* where a smaller step is no way out */
#define DIVERGES 0.99 /* contraction from which on it is given up */
/* iterations of a fixed step that may grow: where a component is near zero its weight is far
 * smaller than those of the others */
#define EARLY 8
#define SMALL_FIRST 1e-3 /* of the goal: one iteration will do */
#define ROUND_OFF (16 * DBL_EPSILON)
/* a change that no longer shrinks is round-off if it is below this, relative, and about within the
 * tolerance: the eigenvectors of 7 stages make it about a thousand times larger than it is */
#define STAGNANT (1e4 * DBL_EPSILON)
/* attempts in a row at which an iteration on what has rates may fail. Where stiff directions turn
 * it contracts worse than that on all unknowns, which goes on then. */
#define FAILURES 2
/* part of the first change to which an iteration on what has rates has come where it is round-off
 * that makes it fail, and contraction there */
#define NOISE 1e-4
#define NOISY 0.5
/* contraction at which the matrix of all stages is formed anew in mid-iteration */
#define ANEW 0.3

static double *radau_solve_row(double *X, int n, int i)
{
  return X + (size_t)i * (size_t)n;
}

dae__radau_goal dae__radau_goal_of(const dae__radau *o, int stages)
{
  double s = stages, part = (s + 1) / (2 * s);
  double rtol = 0.1 * pow(o->rtol, part);
  return (dae__radau_goal){.rtol = rtol,
                           .atol = rtol * o->atol / o->rtol,
                           .stop = pow(rtol, 1 / part - 1),
                           .bearable = fmin(10 * o->rtol, STAGNANT) / rtol,
                           .fixed = o->fixed};
}

/* ---- weights ---- */

/* scale_i turns a change of K_i into one of what it is integrated to, relative to the tolerance */
static void radau_take_scales(dae__radau *o, const dae__radau_goal *goal, const dae__rk_step *step)
{
  const dae__reduced *r = o->r;
  int n2 = r->n2, dynamic = n2 + r->n1;
  double h = step->h, *w = o->weight;
  dae__weights(n2 + r->n, goal->rtol, goal->atol, step->from.z, w);
  for (int i = 0; i < r->n; i++) {
    double factor = i < dynamic || r->index_2 ? h : 1;
    o->scale[i] = r->tested[i] ? factor / w[n2 + i] : 0;
    if (i < n2)
      o->scale[i] = fmax(o->scale[i], h * h / (2 * w[i]));
  }
}

/* ---- states ---- */

void dae__radau_state(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                      const dae__rk_step *step, int i, double *z)
{
  const dae__reduced *r = o->r;
  int n2 = r->n2, n = r->n, dynamic = n2 + r->n1;
  double h = step->h;
  const double *z0 = step->from.z;
  dae__add_rows(c->s, c->A2[i], h * h, n2, n, K, z0, z);
  dae__axpy(n2, c->c[i] * h, z0 + n2, z);
  dae__add_rows(c->s, c->A[i], h, dynamic, n, K, z0 + n2, z + n2);
  dae__copy(n - dynamic, K + (size_t)i * (size_t)n + dynamic, z + n2 + dynamic);
}

/* of all stages of the step at hand */
static void radau_states(const dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step)
{
  const dae__reduced *r = o->r;
  int s = rule->s, n2 = r->n2, n = r->n, dynamic = n2 + r->n1, size = n2 + n;
  double h = step->h, at[DAE__RADAU_STAGES];
  for (int i = 0; i < s; i++)
    at[i] = rule->c->c[i] * h;
  dae__radau_integral q = {&rule->A2, h * h, step->from.z, step->from.z + n2, at, n2};
  dae__radau_integral v = {&rule->A, h, step->from.z + n2, NULL, NULL, dynamic};
  if (n2 > 0)
    dae__radau_integrate(s, &q, n, o->K, size, o->Z);
  dae__radau_integrate(s, &v, n, o->K, size, o->Z + n2);
  for (int i = 0; i < s; i++)
    dae__copy(n - dynamic, radau_solve_row(o->K, n, i) + dynamic,
              radau_solve_row(o->Z, size, i) + n2 + dynamic);
}

/* change of the end that belongs to the change D of K */
static void radau_end_moves(dae__radau *o, const dae__radau_rule *rule, double h)
{
  const dae__reduced *r = o->r;
  int n2 = r->n2, last = rule->s - 1;
  dae__sum_rows(rule->s, rule->c->A2[last], n2, r->n, o->D, o->moved);
  dae__scale(n2, -h * h, o->moved);
  dae__sum_rows(rule->s, rule->c->A[last], n2 + r->n1, r->n, o->D, o->moved + n2);
  dae__scale(n2 + r->n1, -h, o->moved + n2);
  dae__zero(r->n - n2 - r->n1, o->moved + 2 * n2 + r->n1);
}

/* ---- matrices ---- */

/* At the middle of the step as it is expected to be or, where that is not to be relied upon, at its
 * start. Far off the motion derivatives may be so large that every change looks small: with a diode
 * in a circuit iterations end where equations do not hold. */
static dae_status radau_linearise(dae__radau *o, const dae__radau_rule *rule,
                                  const dae__rk_step *step, bool start, dae_error *err)
{
  int middle = rule->s / 2, n2 = o->r->n2, n = o->r->n, dynamic = n2 + o->r->n1;
  dae__reduced_at at = {.t = step->t, .z = step->from.z, .k = o->rhs};
  dae__copy(dynamic, step->from.dz + n2, o->rhs);
  dae__copy(n - dynamic, step->from.z + n2 + dynamic, o->rhs + dynamic);
  if (!start) {
    dae__radau_state(o, rule->c, o->K, step, middle, radau_solve_row(o->Z, n2 + n, middle));
    at = (dae__reduced_at){.t = step->t + rule->c->c[middle] * step->h,
                           .z = radau_solve_row(o->Z, o->r->n2 + n, middle),
                           .k = radau_solve_row(o->K, n, middle)};
  }
  dae_status status = o->r->table->linearise(o->r->self, &at, err);
  if (!status) /* a fixed step goes to round-off */
    dae__reduced_solve_for(o->r, !o->fixed && o->memory->failed < FAILURES);
  o->memory->linearised = !status;
  o->memory->matrix_h = 0;
  o->r->memory->jacobians++;
  dae__radau_charge(o, rule, DAE__RADAU_MATRICES);
  return status;
}

static dae_status radau_factor(dae__radau *o, const dae__radau_rule *rule, double h, dae_error *err)
{
  dae__radau_memory *m = o->memory;
  double complex w[DAE__REDUCED_PAIRS];
  if (m->matrix_h == h && m->matrix_s == rule->s && !m->matrix_full)
    return DAE_OK;
  for (int p = 0; p < rule->pairs; p++)
    w[p] = h * rule->zmu[p];
  m->matrix_h = 0;
  DAE__TRY(dae__reduced_factor(o->r, h * rule->mu, rule->pairs, w, err));
  m->matrix_h = h;
  m->matrix_s = rule->s;
  m->matrix_full = false;
  dae__radau_charge(o, rule, DAE__RADAU_BLOCKS);
  return DAE_OK;
}

/* ---- the iteration ---- */

/* first: of an iteration. R_k of that serves the others as well as their own would: there are no
 * more of them. */
static dae_status radau_residuals(dae__radau *o, const dae__radau_rule *rule,
                                  const dae__rk_step *step, bool first, dae_error *err)
{
  int n = o->r->n, size = o->r->n2 + n;
  radau_states(o, rule, step);
  for (int i = 0; i < rule->s; i++) {
    dae__reduced_at at = {.t = step->t + rule->c->c[i] * step->h,
                          .z = radau_solve_row(o->Z, size, i),
                          .k = radau_solve_row(o->K, n, i),
                          .stage = i,
                          .anew = first,
                          .end = i == rule->s - 1};
    DAE__TRY(o->r->table->residual(o->r->self, &at, radau_solve_row(o->R, n, i), err));
  }
  return DAE_OK;
}

/* D = J\R in the eigenvectors of A */
static void radau_solve_blocks(dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, s = rule->s, rows = dae__reduced_rows(o->r);
  dae__radau_map_rows(s, &rule->forth, rows, o->R, n, o->W, rows);
  dae__solver_solve(o->r->real, o->W);
  for (int p = 0; p < rule->pairs; p++)
    dae__zsolver_solve(o->r->pair[p], radau_solve_row(o->W, rows, 1 + 2 * p),
                       radau_solve_row(o->W, rows, 2 + 2 * p));
  dae__radau_map_rows(s, &rule->back, rows, o->W, rows, o->D, n);
  for (int i = 0; rows < n && i < s; i++) /* what has no rates, as it is at the iterate */
    dae__copy(n - rows, radau_solve_row(o->R, n, i) + rows, radau_solve_row(o->D, n, i) + rows);
}

/* K -= D; the norm of D */
static double radau_correct(dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, tested = o->r->tested_count;
  dae__pair sum = {0, 0};
  for (int i = 0; i < rule->s; i++) {
    double *K = radau_solve_row(o->K, n, i), *D = radau_solve_row(o->D, n, i);
    int j = 0;
    for (; j + 2 <= n; j += 2) {
      dae__pair d = dae__pair_from_anywhere(D + j), e = d * dae__pair_of(o->scale + j);
      dae__pair_to(K + j, dae__pair_from_anywhere(K + j) - d);
      sum += e * e;
    }
    if (j < n) {
      double e = D[j] * o->scale[j];
      K[j] -= D[j];
      sum[0] += e * e;
    }
  }
  return sqrt(dae__pair_sum(sum) / (rule->s * (tested > 0 ? tested : 1)));
}

/* the entry that D changes most */
static int radau_worst_of(const dae__radau *o, const dae__radau_rule *rule)
{
  int n = o->r->n, worst = 0;
  double most = -1;
  for (int i = 0; i < rule->s * n; i++) {
    double d = fabs(o->D[i] * o->scale[i % n]);
    if (!(d <= most))
      most = d, worst = i % n;
  }
  return worst;
}

typedef enum verdict { GO_ON, DONE, FAILED } verdict;

typedef struct iteration {
  double first, norm; /* changes: the first and the last, */
  double theta;       /* contraction so far, */
  double rate;        /* and that of the last two changes */
  int count;
} iteration;

/* x^n, n > 0 */
static double radau_power(double x, int n)
{
  double product = 1;
  for (; n > 0; n /= 2, x *= x)
    product *= n % 2 ? x : 1;
  return product;
}

static verdict radau_solve_judge(iteration *it, const dae__radau_goal *goal, double norm)
{
  double before = it->norm, round_off = ROUND_OFF / goal->rtol;
  int most = goal->fixed ? MOST_FIXED : MOST, left = most - 1 - it->count;
  if (!isfinite(norm))
    return FAILED;
  it->norm = norm;
  if (it->count++ == 0) {
    it->first = norm;
    return norm <= (goal->fixed ? round_off : SMALL_FIRST * goal->stop) ? DONE : GO_ON;
  }
  double now = it->rate = norm / before;
  it->theta = it->count == 2 ? now : sqrt(it->theta * now);
  if (norm <= round_off)
    return DONE;
  if (now > 0.3 && norm <= goal->bearable) /* round-off is all that is left */
    return DONE;
  /* at a fixed step: the same round-off may be a larger part of the weight near zero */
  if (goal->fixed && now > 0.9 && norm <= 0.01 * goal->stop)
    return DONE;
  if (left <= 0)
    return FAILED;
  if (it->theta >= DIVERGES)
    return goal->fixed && it->count < EARLY ? GO_ON : FAILED;
  double error = it->theta / (1 - it->theta) * norm, stop = goal->fixed ? 0 : goal->stop;
  if (error <= stop)
    return DONE;
  if (!goal->fixed && error * radau_power(it->theta, left) > stop)
    return FAILED;
  return GO_ON;
}

/* the matrix of all stages at the iterate, and the real block of its middle for what comes after */
static dae_status radau_factor_full(dae__radau *o, const dae__radau_rule *rule,
                                    dae__radau_full *full, const dae__rk_step *step, dae_error *err)
{
  dae__radau_memory *m = o->memory;
  m->matrix_h = 0;
  dae_status status = dae__radau_full_factor(o, full, rule, step, err);
  if (!status)
    status = dae__reduced_factor(o->r, step->h * rule->mu, 0, NULL, err);
  m->linearised = !status;
  DAE__TRY(status);
  m->matrix_h = step->h;
  m->matrix_s = rule->s;
  m->matrix_full = true;
  return DAE_OK;
}

/* D = J\R, by the blocks or by the one matrix, which is formed anew where it did not serve well */
static dae_status radau_solve_solve(dae__radau *o, const dae__radau_rule *rule,
                                    dae__radau_full *full, const dae__rk_step *step,
                                    const iteration *it, dae_error *err)
{
  const dae__radau_memory *m = o->memory;
  bool kept = m->linearised && m->matrix_full && m->matrix_h == step->h && m->matrix_s == rule->s;
  dae_status status = DAE_OK;
  if (!full) {
    radau_solve_blocks(o, rule);
    return DAE_OK;
  }
  if (!kept || it->rate > ANEW)
    status = radau_factor_full(o, rule, full, step, err);
  if (!status)
    dae__radau_full_solve(o, full);
  return status;
}

static dae_status radau_iterate(dae__radau *o, const dae__radau_rule *rule, dae__radau_full *full,
                                const dae__rk_step *step, const dae__radau_goal *goal,
                                dae_error *err)
{
  iteration it = {0};
  verdict v = GO_ON;
  char name[64] = "";
  while (v == GO_ON) {
    DAE__TRY(radau_residuals(o, rule, step, it.count == 0, err));
    DAE__TRY(radau_solve_solve(o, rule, full, step, &it, err));
    o->memory->iterations++;
    o->memory->work += rule->s;
    v = radau_solve_judge(&it, goal, radau_correct(o, rule));
  }
  o->memory->theta = it.theta;
  if (v == DONE)
    return DAE_OK;
  if (o->r->memory->solved && it.rate > NOISY && it.norm <= NOISE * it.first)
    o->memory->failed = FAILURES;
  o->r->table->name(o->r->self, radau_worst_of(o, rule), name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "the iteration of the stages does not converge, worst in %s", name);
}

static dae_status radau_try_once(dae__radau *o, const dae__radau_stepper *how,
                                 const dae__rk_step *step, const dae__radau_goal *goal, bool flat,
                                 dae_error *err)
{
  const dae__radau_rule *rule = dae__radau_rule_at(o, how->rule);
  dae_status status = DAE_OK;
  if (flat)
    dae__radau_stay(o, rule, step);
  else
    dae__radau_extrapolate(o, rule, step->h, goal->stop);
  o->memory->fresh = !o->memory->linearised;
  if (how->full) {
    dae__reduced_solve_for(o->r, false);
    return radau_iterate(o, rule, o->full[how->rule], step, goal, err);
  }
  if (!o->memory->linearised)
    status = radau_linearise(o, rule, step, flat || o->r->cautious, err);
  if (!status)
    status = radau_factor(o, rule, step->h, err);
  return status ? status : radau_iterate(o, rule, NULL, step, goal, err);
}

/* not: what is evaluated has been refused */
static bool radau_has_failed(dae_status status)
{
  return status == DAE_ERROR_STEP || status == DAE_ERROR_SINGULAR;
}

dae_status dae__radau_solve(dae__radau *o, const dae__radau_stepper *how, const dae__rk_step *step,
                            dae_error *err)
{
  const dae__radau_rule *rule = dae__radau_rule_at(o, how->rule);
  const dae__radau_goal *goal = &rule->goal;
  bool flat = o->memory->s == 0;
  radau_take_scales(o, goal, step);
  dae_status status = radau_try_once(o, how, step, goal, flat, err);
  bool fresh = o->memory->fresh, noisy = o->memory->failed >= FAILURES && o->r->memory->solved;
  if (radau_has_failed(status) && (noisy || !(fresh && flat))) {
    /* once more, with matrices of this step, from where it stands */
    o->memory->linearised = o->memory->linearised && fresh && !how->full && !noisy;
    status = radau_try_once(o, how, step, goal, true, err);
  }
  if (o->r->memory->solved)
    o->memory->failed = radau_has_failed(status) ? o->memory->failed + 1 : 0;
  if (status) {
    o->memory->linearised = false;
    return status;
  }
  radau_end_moves(o, rule, step->h);
  if (o->r->memory->solved)
    dae__reduced_follow(o->r, o->moved,
                        radau_solve_row(o->K, o->r->n, rule->s - 1) + o->r->rates.cols);
  radau_states(o, rule, step);
  return DAE_OK;
}
