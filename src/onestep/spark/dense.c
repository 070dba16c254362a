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
  size_t ny = (size_t)eq->ny, nz = (size_t)eq->nz;
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
    size_t saved = k == 0 || !fixed ? (size_t)n : 0;
    d->values[k].Y = DAE__STATE(arena, double, saved *ny);
    d->values[k].Z = DAE__STATE(arena, double, saved *nz);
    d->y_rate[k] = DAE__ALLOC(arena, double, ny);
    d->z_rate[k] = DAE__ALLOC(arena, double, nz);
  }
  d->V = DAE__ALLOC(arena, double, (size_t)n *ny);
  d->A = DAE__ALLOC(arena, double, (size_t)n *nz);
  d->state = DAE__ALLOC(arena, double, adapter->size);
  d->rate = DAE__ALLOC(arena, double, adapter->size);
  d->y_weight = DAE__ALLOC(arena, double, ny);
  d->z_weight = DAE__ALLOC(arena, double, nz);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
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
                           double *y, double *z)
{
  const dae__spark_equations *eq = d->equations;
  bool refined = d->memory->refined[step->first_half];
  const dae__hermite *c = refined ? &d->refined : &d->low_order;
  const dae__stage_values *values = refined ? &d->values[step->first_half] : step->stages;
  double w[DAE__HERMITE_NODES + 2];
  dae__spark_split(eq, step->start_rate, d->y_rate[0], d->z_rate[0]);
  dae__spark_split(eq, step->end_rate, d->y_rate[1], d->z_rate[1]);
  dae__hermite_data of_y = {step->h, values->Y, d->y_rate[0], d->y_rate[1]};
  dae__hermite_data of_z = {step->h, values->Z, d->z_rate[0], d->z_rate[1]};
  dae__hermite_weights(c, x, w);
  dae__hermite_eval(c, w, eq->ny, &of_y, y);
  dae__hermite_eval(c, w, eq->nz, &of_z, z);
}

/* ---- sweeps ---- */

/* Picard sweep for u, y or z as vectors of length n at all nodes: new values at the inner nodes
 * from the values at both ends and the derivatives at all nodes; returns the largest change
 * relative to the weights. */
static double spark_dense_integrate(const dae__spark_dense *d, double h, int n, const double *rate,
                                    const double *weight, double *u)
{
  int nodes = d->refined.nodes, last = nodes - 1;
  double largest = 0;
  for (int k = 0; k < n; k++) {
    double defect = 0;
    for (int i = last; i > 0; i--) { /* last node first: its defect corrects the inner nodes */
      double x = d->refined.node[i], sum = 0, *value = &u[i * n + k];
      for (int j = 0; j < nodes; j++)
        sum += d->W[i * nodes + j] * rate[j * n + k];
      double next = u[k] + h * sum;
      if (i == last) {
        defect = *value - next;
        continue;
      }
      next += x * x * (3 - 2 * x) * defect;
      double change = fabs(next - *value) / weight[k];
      largest = isfinite(change) ? fmax(largest, change) : INFINITY;
      *value = next;
    }
  }
  return largest;
}

/* one Picard sweep over all inner nodes, with the derivatives V and A at both ends given */
static dae_status spark_dense_sweep(dae__spark_dense *d, const dae__spark_dense_step *step,
                                    dae__stage_values *values, double *change, dae_error *err)
{
  const dae__spark_equations *eq = d->equations;
  int ny = eq->ny, nz = eq->nz, last = d->refined.nodes - 1;
  for (int i = 1; i < last; i++) {
    double t = step->t + d->refined.node[i] * step->h;
    dae__spark_join(eq, dae__stage_vector(values->Y, i, ny), dae__stage_vector(values->Z, i, nz),
                    d->state);
    DAE__TRY(d->adapter->table->slopes(d->adapter->self, true, t, d->state, d->rate, err));
    dae__spark_split(eq, d->rate, dae__stage_vector(d->V, i, ny), dae__stage_vector(d->A, i, nz));
  }
  *change = spark_dense_integrate(d, step->h, nz, d->A, d->z_weight, values->Z);
  for (int i = 1; i < last; i++) {
    dae_momentum_at at = {step->t + d->refined.node[i] * step->h,
                          dae__stage_vector(values->Y, i, ny), dae__stage_vector(values->Z, i, nz)};
    dae__spark_wanted wanted = {.v = dae__stage_vector(d->V, i, ny)};
    DAE__TRY(eq->table->eval(eq->self, &at, NULL, &wanted, err));
  }
  *change = fmax(*change, spark_dense_integrate(d, step->h, ny, d->V, d->y_weight, values->Y));
  return DAE_OK;
}

/* weights of the error norm for the changes of a sweep, from the values at both ends of the step */
static void spark_dense_weights(const dae__spark_dense *d, int n, const double *start,
                                const double *end, double *weight)
{
  double size = 1 + fmax(dae__max_abs(n, start), dae__max_abs(n, end));
  for (int k = 0; k < n; k++)
    weight[k] = d->fixed ? ROUND_OFF_UNITS * DBL_EPSILON * size
                         : d->rtol * fmax(fabs(start[k]), fabs(end[k])) + d->atol;
}

dae_status dae__spark_dense_refine(dae__spark_dense *d, const dae__spark_dense_step *step,
                                   dae_error *err)
{
  const dae__spark_equations *eq = d->equations;
  dae__spark_dense_memory *m = d->memory;
  int k = step->first_half, ny = eq->ny, nz = eq->nz, last = d->refined.nodes - 1;
  dae__stage_values *u = &d->values[k];
  double first = 0, before = INFINITY, change = INFINITY;
  if (m->attempted[k])
    return DAE_OK;
  m->attempted[k] = true;
  dae__copy(d->adapter->size, step->state, d->state);
  for (int i = 0; i <= last; i++)
    dae__spark_dense_eval(d, step, d->refined.node[i], dae__stage_vector(u->Y, i, ny),
                          dae__stage_vector(u->Z, i, nz));
  dae__spark_split(eq, step->start_rate, d->V, d->A);
  dae__spark_split(eq, step->end_rate, dae__stage_vector(d->V, last, ny),
                   dae__stage_vector(d->A, last, nz));
  spark_dense_weights(d, ny, u->Y, dae__stage_vector(u->Y, last, ny), d->y_weight);
  spark_dense_weights(d, nz, u->Z, dae__stage_vector(u->Z, last, nz), d->z_weight);
  for (int i = 0; i < d->max_sweeps && change > 1; i++) {
    DAE__TRY(spark_dense_sweep(d, step, u, &change, err));
    first = i == 0 ? change : first;
    if (change >= SLOW_CONTRACTION * before)
      break;
    before = change;
  }
  m->refined[k] = change <= 1 || change < USEFUL_REDUCTION * first;
  return DAE_OK;
}
