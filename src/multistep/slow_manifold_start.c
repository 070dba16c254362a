/* The start of a damped run, moved onto the slow manifold, which is free of fast oscillations.
 *
 * With J the Jacobian of the motion y' = f(y) on the constraints and F = (I - H J)^-1, which the
 * iteration matrix for cj = 1/H offers as a filter, let
 *
 *   D_m = H F (I - F)^m y'.
 *
 * A fast component, deviating from the slow manifold by d, has y' = J d + ..., F = -1/(H J), so
 * that D_m = -d up to d/(H J): adding it removes the oscillation. A slow component has
 * I - F = -H J, so that D_m is of size H (H J)^m y', nearly zero. The difference
 *
 *   D_2 - D_3 = H F^2 (I - F)^2 y'
 *
 * is small for both, d/(H J) and H (H J)^2 y', and large for components of time scale H. Over H
 * from small to large it therefore rises and falls with every time scale present. Beyond the first
 * one D_3 is the deviation of the fastest oscillation, if a slower motion exists: a second rise, or
 * a filtered rate that covers a large distance. Otherwise the start does not change. A correction
 * leaves 1/(H J) of the deviation and is repeated a few times. The fast component removed is that
 * of the motion frozen at the start; the slow one changes by the oscillation times the ratio of the
 * two rates. */
#include "core/log.h"
#include "core/vec.h"
#include "multistep/host.h"

typedef struct slow_manifold_start {
  dae__bdf *s;
  double t;
  double *D;         /* D_3, deviation of the start from the slow manifold */
  double difference; /* norm |D_2 - D_3|, large for components of time scale H */
  double travel;     /* norm |H F y'|, distance covered by the slow motion in time H */
} slow_manifold_start;

/* computes D_3 and its difference from D_2 at s->Y with time scale H; false: the matrix is
 * singular */
static bool slow_start_deviation(slow_manifold_start *o, double H)
{
  dae__bdf *s = o->s;
  const dae__corrector *c = &s->corrector;
  double *z = s->e, *Fz = s->delta;
  if (dae__bdf_setup(s, o->t, 1 / H))
    return false;
  dae__copy(c->n, s->dY, z);
  for (int m = 0; m < 2; m++) {
    c->table->filter(c->self, 1 / H, z, Fz);
    o->travel = m == 0 ? H * dae__bdf_error_norm(s, Fz) : o->travel;
    dae__axpy(c->n, -1, Fz, z); /* now z = (I - F)^(m+1) y' */
  }
  c->table->filter(c->self, 1 / H, z, Fz);
  c->table->filter(c->self, 1 / H, Fz, o->D);
  o->difference = H * dae__bdf_error_norm(s, o->D);
  dae__axpy(c->n, -1, o->D, Fz); /* now Fz = F (I - F)^3 y' */
  dae__copy(c->n, Fz, o->D);
  dae__scale(c->n, H, o->D);
  return dae__all_finite(c->n, o->D);
}

/* smallest H well above the fastest time scale; 0: time scales are not separated, or the
 * oscillation is the only motion */
static double slow_start_find_scale(slow_manifold_start *o)
{
  const dae__bdf *s = o->s;
  double rate = dae__bdf_error_norm(s, s->dY), size = dae__bdf_error_norm(s, s->Y);
  double H =
      DAE__BDF_LARGEST_SCALE * fmax(size, 1) / rate * pow(DAE__BDF_SCALE_RATIO, -DAE__BDF_SCALES);
  double best = 0, least = INFINITY, most = 0;
  for (int i = 0; rate > 0 && i <= DAE__BDF_SCALES; i++, H *= DAE__BDF_SCALE_RATIO) {
    if (!slow_start_deviation(o, H))
      return 0;
    if (best == 0)
      most = fmax(most, o->difference);
    if (most > DAE__BDF_START_NEGLIGIBLE && best == 0 &&
        o->difference < DAE__BDF_SCALE_SEPARATION * most)
      best = H;
    least = fmin(least, best > 0 ? o->difference : INFINITY);
    bool another = o->difference > least / DAE__BDF_SCALE_SEPARATION ||
                   o->travel > DAE__BDF_SLOW_DISTANCE * dae__bdf_error_norm(s, o->D);
    if (best > 0 && another)
      return best;
  }
  return 0;
}

dae_status dae__bdf_slow_manifold_start(dae__bdf *s, double t, const bool *fixed, double *y,
                                        double *dy, dae_error *err)
{
  slow_manifold_start o = {.s = s, .t = t, .D = s->filtered};
  const dae__corrector *c = &s->corrector;
  int size = c->size;
  double before = INFINITY, moved = 0;
  dae__copy(size, y, s->state);
  dae__copy(size, dy, s->rate);
  dae__bdf_set_state(s, y, dy);
  double H = s->opts.damp_time > 0 ? s->opts.damp_time : slow_start_find_scale(&o);
  for (int round = 0; H > 0 && round < DAE__BDF_START_ITERATIONS && slow_start_deviation(&o, H);
       round++) {
    moved = dae__bdf_error_norm(s, o.D);
    if (moved <= DAE__BDF_START_NEGLIGIBLE || moved >= before)
      break;
    for (int i = 0; i < size; i++)
      if (c->role[i] != DAE__TEST_NONE && !(fixed && fixed[i]))
        y[i] += o.D[i];
    if (c->table->consistent(c->self, t, fixed, y, dy, &s->last))
      break;
    before = moved;
    dae__bdf_set_state(s, y, dy);
  }
  s->m->has_matrix = false;
  if (H > 0 && moved <= DAE__BDF_START_NEGLIGIBLE)
    return DAE_OK;
  /* the given start is restored: it has no fast oscillations, or their time scale is not separated
   * from others */
  dae__log(s->env, DAE_LOG_INFO, "damp: the start is not moved%s",
           H > 0 ? ": the slow-manifold iteration does not converge" : "");
  dae__copy(size, s->state, y);
  dae__copy(size, s->rate, dy);
  return c->table->consistent(c->self, t, fixed, y, dy, err);
}
