/* Stepper of the Lie-group method: composition, error estimate, dense output.
 *
 * A step of order 4 is composed of five steps of order 2, with the sizes g, g, 1 - 4g, g, g times
 * h, g = 1/(4 - 4^(1/3)) [Suzuki]; constraints hold at the end of each of these steps. The error of
 * a variable step is estimated by step doubling; the two steps h/2 are accepted:
 *
 *   err = (fine - coarse) / (2^p - 1),   |err| <= tol_local = c tol^(1 + 1/p)
 *
 * N = K tol_local^(-1/(p+1)) such steps have the sum of errors K tol_local^(p/(p+1)), which is
 * proportional to tol.
 *
 * Index 2: y follows from the time derivative of the constraints at x, where an error of x in a
 * stiff component appears times its rate. The difference of y of both solutions over 3, since
 * errors of stiff components are of order 2, must be within the tolerance, too; dense output, by
 * the slopes that belong to y, is right only then.
 *
 * Discontinuity check: with x and its derivative at the start, in the middle and at the end,
 *
 *   D = x1 - x0 - h/6 (x0' + 4 xm' + x1') = O(h^5),     |P^-1 M D| <= 100 tol_local,
 *
 * D contains the forces at both ends, which the substeps do not evaluate: a force that jumps in the
 * first or last tenth of a step changes D only. P is the matrix of the last substep, M - gamma h J:
 * it removes the fast components, h J times as large in D as in x, from the defect of stiff steps.
 *
 * Damping: the midpoint rule does not damp fast components. In stiff steps without constraints on x
 *
 *   x1 <- x1 + gamma (1 - P^-1 M)^2 P^-1 M (h x1' - (x0 - 4 xm + 3 x1))
 *
 * sets fast components to zero, so that the step is L-stable, and changes slow ones by O(h^5).
 *
 * Dense output of x is the Hermite polynomial of values and derivatives at both ends of a step, of
 * degree 3, or at both ends and the middle, of degree 5. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/step.h"
#include "step/norm.h"

/* Largest ratio of the step sizes of two successive steps. Chosen, not measured. */
#define MAX_STEP_FACTOR 4
/* Size of the outer substeps of order 4, relative to the step [Suzuki]. */
#define SUZUKI (1 / (4 - cbrt(4)))
/* Factor c of the local tolerance. The global error is K c^(p/(p+1)) tol, with K = 0.3 ... 32 at
 * order 4 and 1.8 ... 39 at order 2, measured with c = 1 on nine problems. */
#define LOCAL_SHARE 0.1
/* Largest defect of Simpson's rule in units of the local tolerance. The defect is 1 to 60 times the
 * error estimate of smooth steps (medians of 16 problems). A force that jumps or bends at any place
 * of a step has an error of at most 115 local tolerances with this bound, computed for x' = f(t).
 */
#define MAX_SIMPSON_DEFECT 100
/* Difference of both solutions of step doubling over the error of the finer one, by the order 2 of
 * steps in stiff components. */
#define STIFF_RATIO 3
/* Ratio of the defects with and without P^-1 M below which a step is stiff: a rate lambda with
 * h gamma lambda = -10. Damping is stable there: the amplification of order 4 is below 0.05 on the
 * negative real axis, 0.23 on the imaginary axis. */
#define STIFF_REDUCTION 0.1

typedef struct stepper {
  const dae_adapter *adapter;
  dae__lie_step step;
  int order;
  bool halves;        /* variable steps, of two halves */
  double rtol, atol;  /* local tolerance */
  double share;       /* local tolerance over the tolerance */
  double gamma;       /* coefficient of P = M - gamma h J; 0: no damping */
  bool *undetermined; /* saved: whether y is undetermined at the end of the last step */
  dae_point middle;   /* saved: x and its derivative in the middle of the last step of two halves */
  double *y;          /* saved: unknown y of the step of order 2 that ends at the last point */
  /* attempted step: its middle, and its end without step doubling */
  dae_point half, coarse;
  double *y_half, *y_next; /* unknowns y of the steps that end at its middle and at its end */
  double *weight;
} stepper;

/* ---- steps ---- */

/* One step of order 2 or 4; y0, y1: unknown y of the step before, and of this one. The derivative
 * at the end is the mean slope of the last substep. */
static dae_status lie_advance(stepper *o, const dae_step *step, const double *y0, double *y1,
                              dae_error *err)
{
  const dae__semi *s = o->step.s;
  const double g = SUZUKI, sizes[5] = {g, g, 1 - 4 * g, g, g};
  int count = o->order == 4 ? 5 : 1;
  double t = step->t, *x = step->to.z, *slope = step->to.dz;
  dae__copy(s->nx, step->from.z, x);
  dae__copy(s->nx, step->from.dz, slope);
  dae__copy(s->ny, y0, y1);
  for (int i = 0; i < count; i++) {
    double substep = count == 1 ? step->h : sizes[i] * step->h;
    dae_status status = dae__lie_step_solve(&o->step, t, substep, x, slope, y1, err);
    o->adapter->limiting->change = o->step.worst;
    DAE__TRY(status);
    /* mean slope of the substep, for the prediction of the next one */
    for (int k = 0; k < s->nx; k++) {
      slope[k] = (o->step.z1[k] - x[k]) / substep;
      x[k] = o->step.z1[k];
    }
    dae__copy(s->ny, o->step.z1 + s->nx, y1);
    t += substep;
  }
  dae__copy(o->adapter->size - s->nx, y1, x + s->nx);
  return DAE_OK;
}

/* Defect of Simpson's rule, d = P^-1 M (x1 - x0 - h/6 (x0' + 4 xm' + x1')), in the weighted norm.
 * Returns whether the step is stiff: P^-1 M reduces the defect. */
static bool lie_simpson_defect(stepper *o, const dae_step *step, double *norm)
{
  int nx = o->adapter->nx;
  double *d = o->coarse.z;
  for (int i = 0; i < nx; i++)
    d[i] = step->to.z[i] - step->from.z[i] -
           step->h / 6 * (step->from.dz[i] + 4 * o->half.dz[i] + step->to.dz[i]);
  double unfiltered = dae__norm(nx, d, o->weight);
  dae__lie_filter(&o->step, d);
  *norm = dae__norm(nx, d, o->weight);
  return *norm < STIFF_REDUCTION * unfiltered;
}

/* Derivative and y at the end of a step. With index 2, *error: error of y there relative to the
 * tolerance, by y at the end without step doubling, which o->coarse.z has as its difference; y
 * follows from the time derivative of the constraints, where an error of x in a stiff component
 * appears times its rate. */
static dae_status lie_solve_end(stepper *o, const dae_step *step, double *error, dae_error *err)
{
  const dae_adapter *a = o->adapter;
  const dae_point *coarse = &o->coarse;
  double t = step->t + step->h;
  bool estimates = a->forms->undetermined && o->step.s->hidden_count > 0 && !a->forms->m;
  *error = 0;
  if (estimates) {
    dae__axpy(a->nx, 1, step->to.z, coarse->z);
    dae__copy(a->size - a->nx, step->to.z + a->nx, coarse->z + a->nx);
    DAE__TRY(a->table->slopes(a->self, false, t, coarse->z, coarse->dz, err));
    estimates = !*a->forms->undetermined;
  }
  DAE__TRY(a->table->slopes(a->self, false, t, step->to.z, step->to.dz, err));
  for (int i = a->nx; estimates && i < a->size && !*a->forms->undetermined; i++) {
    double weight = (o->rtol * fabs(step->to.z[i]) + o->atol * a->atol_scale[i]) / o->share;
    double e = fabs(coarse->z[i] - step->to.z[i]) / weight / STIFF_RATIO;
    if (e > *error)
      *error = e, a->limiting->error = i;
  }
  return DAE_OK;
}

/* Derivative at the end of a step that passes the error test, discontinuity check, damping. */
static dae_status lie_check_end(stepper *o, const dae_step *step, double *error, dae_error *err)
{
  const dae_adapter *a = o->adapter;
  double t = step->t + step->h, defect, of_y;
  int largest = a->limiting->error;
  DAE__TRY(lie_solve_end(o, step, &of_y, err));
  if (of_y > *error)
    *error = of_y;
  else
    a->limiting->error = largest;
  if (a->forms->undetermined && (*o->undetermined || *a->forms->undetermined))
    return DAE_OK;
  bool stiff = lie_simpson_defect(o, step, &defect);
  if (!(defect <= MAX_SIMPSON_DEFECT * *error)) {
    *error = defect / MAX_SIMPSON_DEFECT;
    a->limiting->error = dae__largest(a->nx, o->coarse.z, o->weight);
  }
  if (!stiff || o->gamma == 0 || o->step.s->hidden_count > 0 || !(*error <= 1))
    return DAE_OK;
  /* Removes the fast components from x1 in a stiff step */
  int nx = o->adapter->nx;
  double *d = o->coarse.z, *filtered = o->coarse.dz;
  for (int i = 0; i < nx; i++)
    d[i] = step->h * step->to.dz[i] - (step->from.z[i] - 4 * o->half.z[i] + 3 * step->to.z[i]);
  dae__lie_filter(&o->step, d);
  for (int k = 0; k < 2; k++) {
    dae__copy(nx, d, filtered);
    dae__lie_filter(&o->step, filtered);
    dae__axpy(nx, -1, filtered, d);
  }
  dae__axpy(nx, o->gamma, d, step->to.z);
  return a->table->slopes(a->self, false, t, step->to.z, step->to.dz, err);
}

static dae_status lie_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  stepper *o = self;
  const dae_adapter *a = o->adapter;
  int nx = a->nx;
  double t = step->t, h = step->h;
  if (!o->halves)
    return lie_advance(o, step, o->y, o->y_next, err);
  const dae_step whole = {t, h, step->from, o->coarse};
  const dae_step first = {t, h / 2, step->from, o->half};
  const dae_step second = {t + h / 2, h / 2, o->half, step->to};
  DAE__TRY(lie_advance(o, &whole, o->y, o->y_next, err));
  DAE__TRY(lie_advance(o, &first, o->y, o->y_half, err));
  DAE__TRY(a->table->slopes(a->self, false, second.t, o->half.z, o->half.dz, err));
  DAE__TRY(lie_advance(o, &second, o->y_half, o->y_next, err));
  dae__weights(nx, o->rtol, o->atol, a->atol_scale, step->from.z, o->weight);
  dae__axpy(nx, -1, step->to.z, o->coarse.z);
  *error = dae__norm(nx, o->coarse.z, o->weight) / (pow(2, o->order) - 1);
  a->limiting->error = dae__largest(nx, o->coarse.z, o->weight);
  return *error <= 1 ? lie_check_end(o, step, error, err) : DAE_OK;
}

/* y may be undetermined at a single point, as at the start, but not at two in a row. */
static dae_status lie_complete(void *self, const dae_step *step, dae_error *err)
{
  stepper *o = self;
  const dae_adapter *a = o->adapter;
  const dae__semi *s = o->step.s;
  if (!o->halves)
    DAE__TRY(a->table->slopes(a->self, false, step->t + step->h, step->to.z, step->to.dz, err));
  bool undetermined = a->forms->undetermined && *a->forms->undetermined;
  if (undetermined && *o->undetermined) {
    char name[64] = "y";
    int row = 0;
    while (row < s->ny - 1 && !s->hidden[row])
      row++;
    if (s->ny > 0)
      dae__semi_equation_name(s->p, s->nx + row, name, sizeof name);
    return dae__fail(err, DAE_ERROR_SINGULAR, name,
                     "F_x f_y is singular, so that the algebraic variables are not determined, as "
                     "in the equation of %s: the index is higher than 2",
                     name);
  }
  if (!dae__all_finite(a->size, step->to.z))
    return dae__fail(err, DAE_ERROR_STEP, NULL, "the end of the step is not finite");
  *o->undetermined = undetermined;
  dae__copy(s->ny, o->y_next, o->y);
  dae__copy(s->nx, o->half.z, o->middle.z);
  dae__copy(s->nx, o->half.dz, o->middle.dz);
  return DAE_OK;
}

/* The multipliers mu of the GGL form, after the state vector, are zero at the ends of steps. */
static void lie_begin(void *self, double t, const dae_point *start)
{
  stepper *o = self;
  const dae_adapter *a = o->adapter;
  dae__zero(o->step.s->ny, o->y);
  dae__copy(a->size - a->nx, start->z + a->nx, o->y);
  *o->undetermined = false;
  if (!a->forms->undetermined)
    return;
  dae__copy(a->size, start->z, o->coarse.z);
  dae_status status = a->table->slopes(a->self, false, t, o->coarse.z, o->coarse.dz, NULL);
  *o->undetermined = !status && *a->forms->undetermined;
}

static dae_status lie_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                   const dae_point *out, dae_error *err)
{
  const stepper *o = self;
  const dae_point *end = &step->to, *points[3] = {&step->from, end, &o->middle};
  const double at[3] = {0, 1, 0.5};
  int count = o->halves ? 3 : 2;
  (void)err;
  dae__copy(o->adapter->size, end->z, out->z);
  bool rates = out->dz && accuracy == DAE_DENSE_RAW;
  if (rates)
    dae__zero(o->adapter->size, out->dz);
  for (int k = 0; k < count; k++) {
    /* Lagrange polynomial k at x, its derivative there, and that at its own node */
    double l = 1, dl = 0, rate = 0;
    for (int j = 0; j < count; j++)
      if (j != k) {
        double d = at[k] - at[j];
        dl = dl * (x - at[j]) / d + l / d;
        l *= (x - at[j]) / d;
        rate += 1 / d;
      }
    double from = x - at[k], value = (1 - 2 * rate * from) * l * l, slope = from * l * l;
    double dvalue = 2 * l * ((1 - 2 * rate * from) * dl - rate * l),
           dslope = l * (l + 2 * from * dl);
    /* sum of differences to the end of the step, so that a constant x keeps its value exactly */
    for (int i = 0; i < o->adapter->nx; i++)
      out->z[i] += value * (points[k]->z[i] - end->z[i]) + step->h * slope * points[k]->dz[i];
    for (int i = 0; rates && i < o->adapter->nx; i++)
      out->dz[i] += dvalue / step->h * (points[k]->z[i] - end->z[i]) + dslope * points[k]->dz[i];
  }
  return DAE_OK;
}

/* ---- statistics, reload, release ---- */

static void lie_count(const void *self, dae_stats *stats)
{
  const dae__lie_memory *m = ((const stepper *)self)->step.memory;
  stats->iterations += m->iterations;
  stats->sweeps += m->sweeps;
  stats->jacobians += m->jacobians;
  stats->factorisations += m->factorisations;
}

static void lie_release(void *self)
{
  dae__solver_free(((stepper *)self)->step.solver);
}

static const dae_stepper_table lie_table = {.begin = lie_begin,
                                            .attempt = lie_attempt,
                                            .complete = lie_complete,
                                            .dense_output = lie_dense_output,
                                            .count = lie_count,
                                            .free = lie_release};

/* ---- creation ---- */

/* Refuses a singular M at the start, which a mechanical problem may have, for the nested iteration:
 * its sweeps apply M^-1. */
static dae_status lie_check_mass(const stepper *o, const dae__onestep *host, dae_error *err)
{
  dae__semi *s = o->step.s;
  char name[64] = "";
  int column;
  if (o->step.iteration != DAE_LIE_NESTED || !s->p->M)
    return DAE_OK;
  DAE__TRY(dae__semi_M(s, host->driver->t, host->now.z, o->step.M, err));
  dae_status status = dae__solver_check_regular(host->env, &s->M, o->step.M, &column, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  if (column >= 0)
    dae__semi_variable_name(s->p, column, name, sizeof name);
  return dae__fail(
      err, DAE_ERROR_UNSUPPORTED, "lie",
      "the nested iteration needs a regular mass matrix; this one is singular%s%s: use "
      "Newton's",
      name[0] ? " at " : "", name);
}

dae_status dae__lie_create_stepper(dae__onestep *host, dae__arena *arena, dae_error *err)
{
  const dae_adapter *a = &host->adapter;
  const dae_lie_options *opts = host->descriptor.options;
  size_t size = (size_t)a->size, ny = (size_t)a->forms->s->ny;
  stepper *o = DAE__ALLOC(arena, stepper, 1);
  DAE__TRY(dae__arena_status(arena, err));
  int order = opts->theta == 0.5 ? opts->order : 1;
  double share = LOCAL_SHARE * pow(opts->rtol, 1.0 / order);
  *o = (stepper){.adapter = a,
                 .order = order,
                 .halves = opts->step == 0,
                 .share = share,
                 .rtol = share * opts->rtol,
                 .atol = share * opts->atol,
                 .gamma = order == 1   ? 0
                          : order == 2 ? 0.25
                                       : SUZUKI / 4};
  o->undetermined = DAE__STATE(arena, bool, 1);
  o->middle.z = DAE__STATE(arena, double, size);
  o->middle.dz = DAE__STATE(arena, double, size);
  o->y = DAE__STATE(arena, double, ny);
  double **vectors[] = {&o->half.z, &o->half.dz, &o->coarse.z, &o->coarse.dz, &o->weight};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, size);
  DAE__VECTORS(arena, ny, &o->y_half, &o->y_next);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_TRUTH(arena, o->undetermined, 1);
  dae_status status = dae__lie_step_create(arena, a->forms, opts, &o->step, err);
  if (!status)
    status = lie_check_mass(o, host, err);
  if (status) {
    lie_release(o);
    return status;
  }
  dae__stepper created = {.table = &lie_table,
                          .self = o,
                          .order = o->order,
                          .control = dae__controller_defaults(o->order + 1)};
  if (o->order < 4) /* step sizes of the reference solutions of [L13] */
    created.control.beta = 0;
  created.control.max_factor = MAX_STEP_FACTOR;
  dae__onestep_add_stepper(host, &created);
  return DAE_OK;
}
