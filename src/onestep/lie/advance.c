/* One step of the Lie-group method after the other. A step of order 4 is five of order 2, of sizes
 * g, g, 1 - 4g, g, g times h with g = 1/(4 - 4^(1/3)) [Suzuki]; constraints hold after each of
 * them. The error of a variable step is that between one step h and two steps h/2, which are what
 * is taken:
 *
 *   err = (fine - coarse) / (2^p - 1),   h_next = h clip(0.9 err^(-1/(p+1)), 0.2, 4) */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/lie/integrator.h"
#include "step/norm.h"

/* ---- one step ---- */

/* from (t, from) by h; of the result only z and the y of the step */
static dae_status lie_advance(dae__lie *o, double t, double h, const dae__lie_point *from,
                              const dae__lie_point *to, dae_error *err)
{
  const dae__semi *s = o->adapter.s;
  const double g = 1 / (4 - cbrt(4)), parts[5] = {g, g, 1 - 4 * g, g, g};
  int count = o->driver.order == 4 ? 5 : 1;
  double *x = o->x, *slope = to->dz;
  dae__copy(s->nx, from->z, x);
  dae__copy(s->nx, from->dz, slope);
  dae__copy(s->ny, from->y, to->y);
  for (int i = 0; i < count; i++) {
    double part = count == 1 ? h : parts[i] * h;
    DAE__TRY(dae__lie_step_solve(&o->step, t, part, x, slope, to->y, err));
    for (int k = 0; k < s->nx; k++) { /* the mean slope, to predict the next one */
      slope[k] = (o->step.z1[k] - x[k]) / part;
      x[k] = o->step.z1[k];
    }
    dae__copy(s->ny, o->step.z1 + s->nx, to->y);
    t += part;
  }
  dae__copy(s->nx, x, to->z);
  dae__copy(s->ny, to->y, to->z + s->nx);
  return DAE_OK;
}

/* y and slopes that belong to x at t; where y is not determined, the step's own */
static dae_status lie_complete_step(dae__lie *o, double t, const dae__lie_point *p,
                                    bool *undetermined, dae_error *err)
{
  dae_status status = o->adapter.table->slopes(o->adapter.self, false, t, p->z, p->dz, err);
  *undetermined = status == DAE_ERROR_SINGULAR;
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* y may be undetermined at a point, as where a problem starts; but not twice in a row */
static dae_status lie_not_determined(const dae__lie *o, dae_error *err)
{
  const dae__semi *s = o->adapter.s;
  char name[64] = "y";
  int row = 0;
  while (row < s->ny - 1 && !s->hidden[row])
    row++;
  if (s->ny > 0)
    dae__semi_equation_name(s->p, s->nx + row, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "F_x f_y is singular, so that y is not determined by the equation of %s and its "
                   "like: the index is higher than 2",
                   name);
}

static void lie_copy_point(const dae__semi *s, const dae__lie_point *from, const dae__lie_point *to)
{
  dae__copy(s->n, from->z, to->z);
  dae__copy(s->n, from->dz, to->dz);
  dae__copy(s->ny, from->y, to->y);
}

/* the step that ends in `next` becomes the last one */
static dae_status lie_accept(void *self, double t, dae_error *err)
{
  dae__lie *o = self;
  bool undetermined;
  dae_status status = lie_complete_step(o, t, &o->next, &undetermined, err);
  if (!status && undetermined && o->stand->undetermined)
    return lie_not_determined(o, err);
  DAE__TRY(status);
  lie_copy_point(o->adapter.s, &o->now, &o->previous);
  lie_copy_point(o->adapter.s, &o->half, &o->middle);
  lie_copy_point(o->adapter.s, &o->next, &o->now);
  o->stand->undetermined = undetermined;
  o->stand->t_middle = o->t_half;
  return DAE_OK;
}

/* one step, and two of half the size; *error: of the two */
static dae_status lie_halves(dae__lie *o, double h, double *error, dae_error *err)
{
  const dae__semi *s = o->adapter.s;
  double t = o->driver.memory->t;
  bool undetermined;
  o->t_half = t + h / 2;
  DAE__TRY(lie_advance(o, t, h, &o->now, &o->coarse, err));
  DAE__TRY(lie_advance(o, t, h / 2, &o->now, &o->half, err));
  DAE__TRY(lie_complete_step(o, t + h / 2, &o->half, &undetermined, err));
  DAE__TRY(lie_advance(o, t + h / 2, h / 2, &o->half, &o->next, err));
  dae__weights(s->nx, o->opts.rtol, o->opts.atol, o->now.z, o->weight);
  for (int i = 0; i < s->nx; i++)
    o->x[i] = o->next.z[i] - o->coarse.z[i];
  *error = dae__norm(s->nx, o->x, o->weight) / (pow(2, o->driver.order) - 1);
  return DAE_OK;
}

static dae_status lie_attempt(void *self, double h, double *error, dae_error *err)
{
  dae__lie *o = self;
  if (o->opts.step == 0)
    return lie_halves(o, h, error, err);
  o->t_half = o->driver.memory->t;
  return lie_advance(o, o->driver.memory->t, h, &o->now, &o->next, err);
}

static double lie_largest_rate(const void *self, double rtol, double atol, char *name, size_t size)
{
  const dae__lie *o = self;
  double most = 0;
  int fastest = 0;
  for (int i = 0; i < o->adapter.s->nx; i++) {
    double rate = fabs(o->now.dz[i]) / (rtol * fabs(o->now.z[i]) + atol);
    if (!(rate <= most))
      most = rate, fastest = i;
  }
  if (name)
    dae__semi_variable_name(o->adapter.s->p, fastest, name, size);
  return most;
}

static void lie_begin(void *self)
{
  (void)self; /* it stands where it is */
}

const dae__driver_table dae__lie_driver = {
    .begin = lie_begin, .attempt = lie_attempt, .accept = lie_accept, .rate = lie_largest_rate};
