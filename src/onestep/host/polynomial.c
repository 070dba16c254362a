#include "onestep/host/polynomial.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/integrator.h"
#include "onestep/host/sums.h"
#include "step/norm.h"
#include <float.h>
#include <math.h>

/* Largest number of sweeps of a variable step, and least limit of a fixed step: two sweeps show
 * whether they contract. Chosen, not measured. */
#define MAX_SWEEPS 10
#define MIN_FIXED_SWEEPS 2
/* Largest h |k - p| of accurate dense output: relative to the tolerance, where 2 is an error of x
 * of 0.4 tolerances; with fixed steps in units of round-off. The error is about a fifth of h |k -
 * p| at two fine nodes, measured on five mechanisms at tolerances from 1e-3 to 1e-10. */
#define TOLERANCE 2
#define TOLERANCE_FIXED 8
/* Number of slopes of a collocation polynomial from which on they may be accurate without
 * refinement. */
#define CHECKED_SLOPES 5
/* Largest ratio of h |k - p| after the first sweep to its value before, measured on five mechanisms
 * at tolerances from 1e-3 to 1e-10. */
#define FIRST_SWEEP_RATE 0.25
/* Ratio of two successive changes above which the sweeps end; tests/order/test_engines_order.c
 * checks that dense output is within 2 rtol. */
#define SLOWEST_SWEEP_RATE 0.7
/* Ratio of the last change to the first below which the refined slopes are used although the
 * tolerance is not reached; checked by tests/order/test_engines_order.c. */
#define USEFUL_REDUCTION 0.5

void dae__polynomial_create(dae__arena *arena, const dae_adapter *adapter,
                            const dae_step_options *opts, int order, const dae__dense_nodes *nodes,
                            int stride, dae__polynomial *out)
{
  const dae__mech *m = adapter->forms->m;
  bool fixed = opts->step > 0;
  int raised = order + 1 - nodes->wide.n; /* orders that the sweeps have to gain */
  *out = (dae__polynomial){.adapter = adapter,
                           .n2 = m ? m->nq : 0,
                           .stride = stride,
                           .nodes = *nodes,
                           .fixed = fixed,
                           .rtol = fixed ? 0 : opts->rtol,
                           .atol = opts->atol,
                           .max_sweeps = !fixed                      ? MAX_SWEEPS
                                         : raised > MIN_FIXED_SWEEPS ? raised
                                                                     : MIN_FIXED_SWEEPS,
                           .memory = DAE__STATE(arena, dae__polynomial_memory, 1),
                           .F = DAE__STATE(arena, double, nodes->fine.n *stride),
                           .defect = DAE__STATE(arena, double, adapter->nx),
                           .z = DAE__ALLOC(arena, double, adapter->size),
                           .k = DAE__ALLOC(arena, double, adapter->size),
                           .p = DAE__ALLOC(arena, double, stride),
                           .inverse_weight = DAE__ALLOC(arena, double, adapter->nx)};
  if (!dae__arena_failed(arena))
    DAE__LIMIT_TRUTH(arena, &out->memory->checked, 3);
}

/* ---- states ---- */

/* z = integral up to x with the integrals of the Lagrange basis up to there */
static void polynomial_add_slopes(const dae__slopes *slopes, int n2, int nx, const dae_step *step,
                                  double x, const double *single, const double *twice,
                                  double *restrict z)
{
  double h = step->h;
  const double *x0 = step->from.z, *k = slopes->K;
  int n = slopes->nodes->n;
  dae__add_rows(n, twice, h * h, n2, slopes->stride, k, x0, z);
  dae__axpy(n2, h * x, x0 + n2, z);
  dae__add_rows(n, single, h, nx - n2, slopes->stride, k, x0 + n2, z + n2);
}

void dae__slopes_integrate(const dae__slopes *slopes, int n2, int nx, const dae_step *step,
                           double x, double *restrict z)
{
  double single[DAE__NODAL_MAX], twice[DAE__NODAL_MAX];
  dae__nodal_integrals(slopes->nodes, x, single, twice);
  polynomial_add_slopes(slopes, n2, nx, step, x, single, twice, z);
}

/* Weights at x, from the table or computed in `own`. */
static dae__place_weights *polynomial_weights(dae__polynomial *o, const dae__slopes *slopes,
                                              double x, dae__place_weights *own)
{
  static const double usual[] = {DAE__SEARCH_FIRST, DAE__SEARCH_SECOND, 1};
  dae__place_weights *table = slopes->nodes == &o->nodes.wide ? o->wide_weights : o->fine_weights;
  own->known = own->valued = false;
  for (int k = 0; k <= DAE__SEARCH_INNER; k++)
    own = x == usual[k] ? &table[k] : own;
  if (!own->known)
    dae__nodal_integrals(slopes->nodes, x, own->single, own->twice);
  own->known = true;
  return own;
}

static void polynomial_find_defect(dae__polynomial *o, const dae_step *step,
                                   const dae__slopes *slopes)
{
  dae__place_weights own;
  const dae__place_weights *w = polynomial_weights(o, slopes, 1, &own);
  polynomial_add_slopes(slopes, o->n2, o->adapter->nx, step, 1, w->single, w->twice, o->k);
  for (int i = 0; i < o->adapter->nx; i++)
    o->defect[i] = step->to.z[i] - o->k[i];
}

static void polynomial_state(const dae__polynomial *o, const dae_step *step,
                             const dae__slopes *slopes, double x, const dae__place_weights *w,
                             double *z)
{
  polynomial_add_slopes(slopes, o->n2, o->adapter->nx, step, x, w->single, w->twice, z);
  dae__axpy(o->adapter->nx, x * x * (3 - 2 * x), o->defect, z);
}

/* slopes at the fine nodes (K = NULL) or slopes K of the step */
static dae__slopes polynomial_slopes(const dae__polynomial *o, const double *K)
{
  return (dae__slopes){K ? &o->nodes.wide : &o->nodes.fine, (K ? K : o->F) + o->n2, o->stride};
}

/* p = polynomial through the slopes at x with weights w, entries from n2 on */
static void polynomial_slope(const dae__polynomial *o, const dae__slopes *slopes, double x,
                             dae__place_weights *w, double *p)
{
  if (!w->valued)
    dae__nodal_values(slopes->nodes, x, w->value);
  w->valued = true;
  dae__sum_rows(slopes->nodes->n, w->value, o->adapter->nx - o->n2, slopes->stride, slopes->K,
                p + o->n2);
}

void dae__polynomial_output(dae__polynomial *o, const dae_step *step, const double *K, double x,
                            double *z, double *dz)
{
  const dae_adapter *a = o->adapter;
  const dae__slopes best = polynomial_slopes(o, o->memory->refined ? NULL : K);
  dae__place_weights own, *w = polynomial_weights(o, &best, x, &own);
  if (!o->memory->has_defect)
    polynomial_find_defect(o, step, &best);
  o->memory->has_defect = true;
  polynomial_state(o, step, &best, x, w, z);
  for (int i = a->nx; i < a->size; i++)
    z[i] = step->from.z[i] + x * (step->to.z[i] - step->from.z[i]);
  if (!dz)
    return;
  /* q' is v without its share of the defect */
  double share = x * x * (3 - 2 * x), rate = 6 * x * (1 - x) / step->h;
  polynomial_slope(o, &best, x, w, dz);
  for (int i = 0; i < o->n2; i++)
    dz[i] = z[o->n2 + i] - share * o->defect[o->n2 + i];
  dae__axpy(a->nx, rate, o->defect, dz);
}

/* ---- refinement ---- */

/* o->k = slope of the state at x; *change = max(*change, largest h |k - p| times the weight) */
static dae_status polynomial_evaluate(dae__polynomial *o, const dae_step *step,
                                      const dae__slopes *slopes, double x, const double *p,
                                      double *change, dae_error *err)
{
  const dae_adapter *a = o->adapter;
  dae__place_weights own;
  polynomial_state(o, step, slopes, x, polynomial_weights(o, slopes, x, &own), o->z);
  DAE__TRY(a->table->slopes(a->self, true, step->t + x * step->h, o->z, o->k, err));
  for (int j = o->n2; j < a->nx; j++) {
    double d = step->h * fabs(o->k[j] - p[j]) * o->inverse_weight[j];
    *change = d <= *change ? *change : d; /* a NaN is kept */
  }
  return DAE_OK;
}

/* Tests at two fine nodes whether the polynomial through the slopes of the step is accurate. */
static dae_status polynomial_check(dae__polynomial *o, const dae_step *step,
                                   const dae__slopes *slopes, bool *accurate, dae_error *err)
{
  double change = 0;
  int middle = o->nodes.fine.n / 2;
  polynomial_find_defect(o, step, slopes);
  for (int i = middle - 2; i <= middle; i += 2) {
    double x = o->nodes.fine.x[i];
    dae__place_weights w = {.valued = false};
    polynomial_slope(o, slopes, x, &w, o->p);
    DAE__TRY(polynomial_evaluate(o, step, slopes, x, o->p, &change, err));
  }
  *accurate = o->memory->has_defect = change <= TOLERANCE;
  return DAE_OK;
}

/* Picard sweeps from the guess in F; *useful: F is to be used. */
static dae_status polynomial_sweep(dae__polynomial *o, const dae_step *step, bool *useful,
                                   dae_error *err)
{
  const dae__slopes fine = polynomial_slopes(o, NULL);
  double first = 0, previous = 0, change = 0, next = INFINITY;
  double tolerance = o->fixed ? TOLERANCE_FIXED : TOLERANCE;
  for (int sweep = 0; sweep < o->max_sweeps && next > tolerance; sweep++) {
    change = 0;
    polynomial_find_defect(o, step, &fine);
    for (int i = 1; i < o->nodes.fine.n - 1; i++) {
      double *k = o->F + (size_t)i * (size_t)o->stride;
      DAE__TRY(polynomial_evaluate(o, step, &fine, o->nodes.fine.x[i], k, &change, err));
      dae__copy(o->adapter->nx, o->k, k);
    }
    if (sweep > 0 && !(change < SLOWEST_SWEEP_RATE * previous))
      break;
    first = sweep == 0 ? change : first;
    /* variable steps end one sweep earlier, at the change expected of the next one */
    double first_rate = o->collocated ? FIRST_SWEEP_RATE : 1;
    next = o->fixed ? change : change * (sweep == 0 ? first_rate : change / previous);
    previous = change;
  }
  *useful = next <= tolerance || change < USEFUL_REDUCTION * first;
  return DAE_OK;
}

dae_status dae__polynomial_refine(dae__polynomial *o, const dae_step *step, const double *K,
                                  dae_error *err)
{
  const dae__slopes slopes = polynomial_slopes(o, K);
  const double *x0 = step->from.z;
  bool accurate = false, useful = false;
  int nx = o->adapter->nx;
  double unit = o->fixed ? DBL_EPSILON * (1 + dae__max_abs(nx, x0)) : o->atol;
  dae_status status = DAE_OK;
  if (o->memory->checked)
    return DAE_OK;
  *o->memory = (dae__polynomial_memory){.checked = true};
  dae__inverse_weights(nx, o->rtol, unit, o->fixed ? NULL : o->adapter->atol_scale, x0,
                       o->inverse_weight);
  dae__copy(o->adapter->size, x0, o->z);
  if (o->collocated && !o->fixed && slopes.nodes->n >= CHECKED_SLOPES)
    status = polynomial_check(o, step, &slopes, &accurate, err);
  if (!status && !accurate) {
    for (int i = 0; i < o->nodes.fine.n; i++) {
      dae__place_weights w = {.valued = false};
      polynomial_slope(o, &slopes, o->nodes.fine.x[i], &w, o->F + (size_t)i * (size_t)o->stride);
    }
    dae__copy(o->adapter->size, x0, o->z);
    status = polynomial_sweep(o, step, &useful, err);
    o->memory->refined = useful;
  }
  return dae__can_retry(status) ? DAE_OK : status;
}
