/* Dense output.
 *
 * Low-order interpolant: the polynomial through the stages and the derivatives at both ends. The
 * stages of a collocation method are in error by a multiple of N(x) = int_0^x prod (tau - c_j),
 * which vanishes at both ends, and the derivatives there determine the factor. A stage at an end of
 * the step is not the value there (Z_1 and Z_s of Lobatto's and Radau's nodes differ from z0 and
 * z1): the polynomial goes through the ends and the inner stages, and N vanishes at all of them. It
 * needs no evaluations, and is of order s + 2 where the step is of order 2s.
 *
 * Refined interpolant: the motion solves y' = v(t,y,z), z' = a(t,y,z), where a are the
 * accelerations that satisfy the constraints. From the low-order values at n Chebyshev points x_i,
 * both ends among them, Picard sweeps
 *
 *   a_i = a(t_i, y_i, z_i),   z_i <- z0 + h sum_j W_ij a_j + x_i^2 (3 - 2 x_i) d
 *   v_i = v(t_i, y_i, z_i),   y_i <- y0 + h sum_j W_ij v_j + x_i^2 (3 - 2 x_i) e
 *
 * gain one order of h per sweep, with W_ij = int_0^(x_i) l_j, and with the defects d and e of the
 * sums at z1 and y1, so that the ends keep their values. The limit is the order n + 1 of
 * interpolation, and for n = order - 1 this is the order of the step. In stiff steps the sweeps do
 * not contract, and the low-order interpolant remains.
 *
 * With variable steps the sweeps end when the last change is within the tolerances, with a fixed
 * step when the order is reached. They use the factorisations of dense output: steps do not depend
 * on output, and a run without output does not pay for it. */
#include "onestep/spark/dense.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "quadrature/nodes.h"
#include <float.h>

#define PI 3.14159265358979323846264338327950288L
/* Largest number of Picard sweeps in a variable step; the examples need 1 to 3, hanging_chain 6. */
#define MAX_SWEEPS 10
/* Smallest limit of the number of Picard sweeps in a fixed step: two show whether the sweeps
 * contract. */
#define MIN_FIXED_SWEEPS 2
/* Ratio of successive changes above which the Picard sweeps are stopped. Chosen, not measured. */
#define SLOW_CONTRACTION 0.7
/* Ratio of last to first change below which the result of sweeps without convergence is used.
 * Chosen, not measured. */
#define USEFUL_REDUCTION 0.5
/* Largest change that counts as zero in fixed steps, in units of round-off. Chosen, not
 * measured. */
#define ROUND_OFF_UNITS 8

/* ---- creation ---- */

dae_status dae__spark_dense_create(dae__arena *arena, const dae_adapter *adapter,
                                   const dae_spark_options *opts, int order,
                                   const dae__stages *stages, dae__spark_dense *out, dae_error *err)
{
  dae__spark_dense *d = out;
  const dae__spark_equations *eq = stages->equations;
  bool fixed = opts->step > 0;
  size_t size = (size_t)(eq->ny + eq->nz);
  int n = order < 4 ? 3 : order - 1;
  bool all_inner = stages->nodes == stages->s + 2;
  int gained = order - stages->s - (all_inner ? 2 : 1);
  DAE__ASSERT(n <= DAE__HERMITE_NODES);
  *d = (dae__spark_dense){
      .adapter = adapter, .equations = eq, .fixed = fixed, .rtol = opts->rtol, .atol = opts->atol};
  d->max_sweeps = !fixed ? MAX_SWEEPS : gained > MIN_FIXED_SWEEPS ? gained : MIN_FIXED_SWEEPS;
  dae__hermite_create(arena, stages->nodes, stages->node, stages->node_index, all_inner,
                      &d->low_order);
  double *node = DAE__ALLOC(arena, double, n);
  d->W = DAE__ALLOC(arena, double, n *n);
  d->memory = DAE__STATE(arena, dae__spark_dense_memory, 1);
  for (int k = 0; k < 2; k++) {
    d->U[k] = DAE__STATE(arena, double, k == 0 || !fixed ? (size_t)n * size : 0);
    d->rate[k] = DAE__ALLOC(arena, double, size);
  }
  d->F = DAE__ALLOC(arena, double, (size_t)n *size);
  d->weight = DAE__ALLOC(arena, double, size);
  d->state.z = DAE__ALLOC(arena, double, adapter->size);
  d->state.dz = DAE__ALLOC(arena, double, adapter->size);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__LIMIT_TRUTH(arena, &d->memory->attempted[0], 4);
  long double c[DAE__HERMITE_NODES], w[DAE__HERMITE_NODES];
  for (int i = 0; i < n; i++)
    c[i] = (1 - cosl(PI * i / (n - 1))) / 2;
  for (int i = 0; i < n; i++) {
    node[i] = (double)c[i];
    dae__lagrange_integrals(n, c, c[i], w);
    for (int j = 0; j < n; j++)
      d->W[i * n + j] = (double)w[j];
  }
  dae__hermite_create(arena, n, node, NULL, false, &d->refined);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- evaluation ---- */

void dae__spark_dense_eval(dae__spark_dense *d, const dae__spark_dense_step *step, double x,
                           double *u)
{
  const dae__spark_equations *eq = d->equations;
  int k = step->first_half, ny = eq->ny, nz = eq->nz;
  double w[DAE__HERMITE_NODES + 2], *start = d->rate[0], *end = d->rate[1];
  const dae__hermite_data refined = {step->h, d->U[k], start, end};
  const dae__hermite_data of_y = {step->h, step->stages->Y, start, end};
  const dae__hermite_data of_z = {step->h, step->stages->Z, start + ny, end + ny};
  dae__spark_split(eq, step->start_rate, start, start + ny);
  dae__spark_split(eq, step->end_rate, end, end + ny);
  dae__hermite_weights(d->memory->refined[k] ? &d->refined : &d->low_order, x, w);
  if (d->memory->refined[k]) {
    dae__hermite_eval(&d->refined, w, ny + nz, &refined, u);
    return;
  }
  dae__hermite_eval(&d->low_order, w, ny, &of_y, u);
  dae__hermite_eval(&d->low_order, w, nz, &of_z, u + ny);
}

/* ---- sweeps ---- */

/* Picard sweep for the entries from ... to - 1 of u = (y, z): new values at the inner nodes from
 * the values at both ends and the derivatives at all nodes; returns the largest change relative to
 * the weights. */
static double spark_dense_integrate(const dae__spark_dense *d, double h, int from, int to,
                                    double *U)
{
  int nodes = d->refined.nodes, last = nodes - 1, n = d->equations->ny + d->equations->nz;
  double largest = 0;
  for (int k = from; k < to; k++) {
    double defect = 0;
    for (int i = last; i > 0; i--) { /* last node first: its defect corrects the inner nodes */
      double x = d->refined.node[i], sum = 0, *value = &U[i * n + k];
      for (int j = 0; j < nodes; j++)
        sum += d->W[i * nodes + j] * d->F[j * n + k];
      double next = U[k] + h * sum;
      if (i == last) {
        defect = *value - next;
        continue;
      }
      next += x * x * (3 - 2 * x) * defect;
      double change = fabs(next - *value) / d->weight[k];
      largest = isfinite(change) ? fmax(largest, change) : INFINITY;
      *value = next;
    }
  }
  return largest;
}

/* one Picard sweep over all inner nodes, with the derivatives F at both ends given */
static dae_status spark_dense_sweep(dae__spark_dense *d, const dae__spark_dense_step *step,
                                    double *U, double *change, dae_error *err)
{
  const dae__spark_equations *eq = d->equations;
  const dae_adapter *adapter = d->adapter;
  int ny = eq->ny, n = ny + eq->nz, last = d->refined.nodes - 1;
  for (int i = 1; i < last; i++) {
    double t = step->t + d->refined.node[i] * step->h;
    double *u = dae__stage_vector(U, i, n), *f = dae__stage_vector(d->F, i, n);
    dae__spark_join(eq, u, u + ny, d->state.z);
    DAE__TRY(adapter->table->slopes(adapter->self, true, t, d->state.z, d->state.dz, err));
    dae__spark_split(eq, d->state.dz, f, f + ny);
  }
  *change = spark_dense_integrate(d, step->h, ny, n, U);
  for (int i = 1; i < last; i++) {
    const double *u = dae__stage_vector(U, i, n);
    dae_momentum_at at = {step->t + d->refined.node[i] * step->h, u, u + ny};
    dae__spark_wanted wanted = {.v = dae__stage_vector(d->F, i, n)};
    DAE__TRY(eq->table->eval(eq->self, &at, NULL, &wanted, err));
  }
  *change = fmax(*change, spark_dense_integrate(d, step->h, 0, ny, U));
  return DAE_OK;
}

dae_status dae__spark_dense_refine(dae__spark_dense *d, const dae__spark_dense_step *step,
                                   dae_error *err)
{
  const dae__spark_equations *eq = d->equations;
  dae__spark_dense_memory *m = d->memory;
  int k = step->first_half, n = eq->ny + eq->nz, last = d->refined.nodes - 1;
  double *U = d->U[k], first = 0, before = INFINITY, change = INFINITY;
  if (m->attempted[k])
    return DAE_OK;
  m->attempted[k] = true;
  dae__copy(d->adapter->size, step->state, d->state.z);
  for (int i = 0; i <= last; i++)
    dae__spark_dense_eval(d, step, d->refined.node[i], dae__stage_vector(U, i, n));
  const double *end = dae__stage_vector(U, last, n);
  double size = 1 + fmax(dae__max_abs(n, U), dae__max_abs(n, end));
  for (int i = 0; i < n; i++)
    d->weight[i] = d->fixed ? ROUND_OFF_UNITS * DBL_EPSILON * size
                            : d->rtol * fmax(fabs(U[i]), fabs(end[i])) + d->atol;
  dae__copy(n, d->rate[0], d->F);
  dae__copy(n, d->rate[1], dae__stage_vector(d->F, last, n));
  for (int i = 0; i < d->max_sweeps && change > 1; i++) {
    DAE__TRY(spark_dense_sweep(d, step, U, &change, err));
    first = i == 0 ? change : first;
    if (change >= SLOW_CONTRACTION * before)
      break;
    before = change;
  }
  m->refined[k] = change <= 1 || change < USEFUL_REDUCTION * first;
  return DAE_OK;
}
