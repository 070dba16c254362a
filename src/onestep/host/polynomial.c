#include "onestep/host/polynomial.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/integrator.h"
#include <math.h>

/* Largest ratio of h |k - p| after the first sweep to its value before, measured on five mechanisms
 * at tolerances from 1e-3 to 1e-10. */
#define FIRST_SWEEP_RATE 0.25
/* Ratio of two successive changes above which the sweeps end; tests/order/test_engines_order.c
 * checks that dense output is within 2 rtol. */
#define SLOWEST_SWEEP_RATE 0.7
/* Ratio of the last change to the first below which the refined slopes are used although the
 * tolerance is not reached; checked by tests/order/test_engines_order.c. */
#define USEFUL_REDUCTION 0.5

void dae__polynomial_create(dae__arena *arena, const dae_adapter *adapter, const dae__nodal *fine,
                            size_t stride, dae__polynomial *out)
{
  const dae__mech *m = adapter->forms->m;
  *out = (dae__polynomial){.adapter = adapter,
                           .n2 = m ? m->nq : 0,
                           .stride = stride,
                           .fine = *fine,
                           .memory = DAE__STATE(arena, dae__polynomial_memory, 1),
                           .F = DAE__STATE(arena, double, (size_t)fine->n *stride),
                           .defect = DAE__STATE(arena, double, adapter->nx),
                           .z = DAE__ALLOC(arena, double, adapter->size),
                           .k = DAE__ALLOC(arena, double, adapter->size),
                           .p = DAE__ALLOC(arena, double, stride)};
  if (!dae__arena_failed(arena))
    DAE__LIMIT_TRUTH(arena, &out->memory->checked, 3);
}

void dae__polynomial_begin(dae__polynomial *o)
{
  *o->memory = (dae__polynomial_memory){0};
}

/* ---- states ---- */

/* z = integral of the polynomial from the start of the step to x, without the end defect */
static void polynomial_integrate(const dae__polynomial *o, const dae_step *step,
                                 const dae__slopes *slopes, double x, double *restrict z)
{
  const dae__nodal *nodes = slopes->nodes;
  int n2 = o->n2, nx = o->adapter->nx;
  double single[DAE__NODAL_MAX], twice[DAE__NODAL_MAX], h = step->h;
  const double *x0 = step->from.z;
  dae__nodal_integrals(nodes, x, single, twice);
  dae__copy(nx, x0, z);
  dae__axpy(n2, h * x, x0 + n2, z);
  for (int j = 0; j < nodes->n; j++) {
    const double *k = slopes->K + (size_t)j * o->stride + n2;
    double a = h * single[j], b = h * h * twice[j];
    for (int i = 0; i < n2; i++)
      z[i] += b * k[i];
    for (int i = 0; i < nx - n2; i++)
      z[n2 + i] += a * k[i];
  }
}

static void polynomial_find_defect(dae__polynomial *o, const dae_step *step,
                                   const dae__slopes *slopes)
{
  polynomial_integrate(o, step, slopes, 1, o->k);
  for (int i = 0; i < o->adapter->nx; i++)
    o->defect[i] = step->to.z[i] - o->k[i];
}

static void polynomial_state(const dae__polynomial *o, const dae_step *step,
                             const dae__slopes *slopes, double x, double *z)
{
  polynomial_integrate(o, step, slopes, x, z);
  dae__axpy(o->adapter->nx, x * x * (3 - 2 * x), o->defect, z);
}

void dae__polynomial_output(dae__polynomial *o, const dae_step *step, const dae__slopes *slopes,
                            double x, double *z)
{
  const dae_adapter *a = o->adapter;
  dae__slopes fine = {&o->fine, o->F};
  const dae__slopes *best = o->memory->refined ? &fine : slopes;
  if (!o->memory->has_defect)
    polynomial_find_defect(o, step, best);
  o->memory->has_defect = true;
  polynomial_state(o, step, best, x, z);
  for (int i = a->nx; i < a->size; i++)
    z[i] = step->from.z[i] + x * (step->to.z[i] - step->from.z[i]);
}

/* ---- refinement ---- */

/* p = polynomial through the slopes at x, entries from n2 on */
static void polynomial_slope(const dae__polynomial *o, const dae__slopes *slopes, double x,
                             double *p)
{
  double w[DAE__NODAL_MAX];
  int n2 = o->n2, n = o->adapter->nx - n2;
  dae__nodal_values(slopes->nodes, x, w);
  dae__zero(n, p + n2);
  for (int j = 0; j < slopes->nodes->n; j++)
    dae__axpy(n, w[j], slopes->K + (size_t)j * o->stride + n2, p + n2);
}

void dae__polynomial_guess(dae__polynomial *o, const dae__slopes *slopes)
{
  for (int i = 0; i < o->fine.n; i++)
    polynomial_slope(o, slopes, o->fine.x[i], o->F + (size_t)i * o->stride);
}

/* o->k = slope of the state at x; *change = max(*change, largest h |k - p| times the weight) */
static dae_status polynomial_evaluate(dae__polynomial *o, const dae_step *step,
                                      const dae__slopes *slopes, double x, const double *p,
                                      const dae__polynomial_goal *goal, double *change,
                                      dae_error *err)
{
  const dae_adapter *a = o->adapter;
  polynomial_state(o, step, slopes, x, o->z);
  DAE__TRY(a->table->slopes(a->self, true, step->t + x * step->h, o->z, o->k, err));
  for (int j = o->n2; j < a->nx; j++) {
    double d = step->h * fabs(o->k[j] - p[j]) * goal->inverse_weight[j];
    *change = d <= *change ? *change : d; /* a NaN is kept */
  }
  return DAE_OK;
}

dae_status dae__polynomial_check(dae__polynomial *o, const dae_step *step,
                                 const dae__slopes *slopes, const dae__polynomial_goal *goal,
                                 bool *accurate, dae_error *err)
{
  double change = 0;
  *accurate = false;
  dae__copy(o->adapter->size, step->from.z, o->z);
  polynomial_find_defect(o, step, slopes);
  for (int i = o->fine.n / 2 - 2; i <= o->fine.n / 2; i += 2) {
    polynomial_slope(o, slopes, o->fine.x[i], o->p);
    DAE__TRY(polynomial_evaluate(o, step, slopes, o->fine.x[i], o->p, goal, &change, err));
  }
  *accurate = change <= goal->tolerance;
  o->memory->has_defect = o->memory->checked = *accurate;
  return DAE_OK;
}

dae_status dae__polynomial_refine(dae__polynomial *o, const dae_step *step,
                                  const dae__polynomial_goal *goal, dae_error *err)
{
  int nx = o->adapter->nx, last = o->fine.n - 1;
  dae__slopes fine = {&o->fine, o->F};
  double first = 0, previous = 0, change = 0, next = INFINITY;
  dae_status status = DAE_OK;
  dae__copy(o->adapter->size, step->from.z, o->z);
  for (int sweep = 0; sweep < goal->max_sweeps && next > goal->tolerance && !status; sweep++) {
    change = 0;
    polynomial_find_defect(o, step, &fine);
    for (int i = 1; i < last && !status; i++) {
      double *k = o->F + (size_t)i * o->stride;
      status = polynomial_evaluate(o, step, &fine, o->fine.x[i], k, goal, &change, err);
      if (!status)
        dae__copy(nx, o->k, k);
    }
    if (status || (sweep > 0 && !(change < SLOWEST_SWEEP_RATE * previous)))
      break;
    first = sweep == 0 ? change : first;
    next = !goal->predict ? change : change * (sweep == 0 ? FIRST_SWEEP_RATE : change / previous);
    previous = change;
  }
  *o->memory = (dae__polynomial_memory){
      .checked = true,
      .refined = !status && (next <= goal->tolerance || change < USEFUL_REDUCTION * first)};
  return dae__can_retry(status) ? DAE_OK : status;
}
