/* The start of a damped run: moved onto the slow motion, free of fast oscillations.
 *
 * With J the Jacobian of the motion y' = f(y) on the constraints and F = (I - H J)^-1, which the
 * iteration matrix for cj = 1/H offers as a filter, let
 *
 *   D_m = H F (I - F)^m y'.
 *
 * A fast component, deviating from the slow motion by d, has y' = J d + ..., F = -1/(H J), so that
 * D_m = -d up to d/(H J): adding it removes the oscillation. A slow one has I - F = -H J, so that
 * D_m is of size H (H J)^m y', nearly nothing. The difference
 *
 *   D_2 - D_3 = H F^2 (I - F)^2 y'
 *
 * is small for both, d/(H J) and H (H J)^2 y', and large for components of time scale H. Over H
 * from small to large it therefore rises and falls with every time scale that matters. Beyond the
 * first of them D_3 is what the fastest oscillation deviates by, if there is another motion: a
 * second rise, or a state that the filtered rate leads far away. Else nothing is moved. A move
 * leaves 1/(H J) of the deviation, so that it is repeated a few times. What it removes is a fast
 * component of the motion frozen at the start, which blurs the slow one by the oscillation times
 * the ratio of the two rates. */
#include "core/log.h"
#include "core/vec.h"
#include "multistep/host.h"

#define SMALL 0.1  /* distances and moves below this part of the tolerance do not matter */
#define APART 0.02 /* depth of the valley between time scales that can be told apart */
#define FAR 10     /* slow motion leads away, by so much more than an oscillation does */
#define ROUNDS 10
#define FACTOR 3.0 /* between the scales looked at, */
#define SCALES 30  /* which are so many, */
#define LARGEST 10 /* up to this multiple of the time in which the state changes by itself */

typedef struct slow_manifold_start {
  dae__bdf *s;
  double t;
  double *D;       /* D_3 */
  double distance; /* |D_2 - D_3| */
  double travel;   /* |H F y'| */
} slow_manifold_start;

/* D_3 and its distance from D_2 at s->Y with this H; false: the matrix is singular there */
static bool slow_start_look(slow_manifold_start *o, double H)
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
    dae__axpy(c->n, -1, Fz, z); /* z = (I - F)^(m+1) y' */
  }
  c->table->filter(c->self, 1 / H, z, Fz);
  c->table->filter(c->self, 1 / H, Fz, o->D);
  o->distance = H * dae__bdf_error_norm(s, o->D);
  dae__axpy(c->n, -1, o->D, Fz); /* F (I - F)^3 y' */
  dae__copy(c->n, Fz, o->D);
  dae__scale(c->n, H, o->D);
  return dae__all_finite(c->n, o->D);
}

/* the least H that is well above the first time scale that matters, 0: another one lies too close
 * to it, or there is no other motion: then what oscillates is the motion itself */
static double slow_start_find_scale(slow_manifold_start *o)
{
  const dae__bdf *s = o->s;
  double rate = dae__bdf_error_norm(s, s->dY), size = dae__bdf_error_norm(s, s->Y);
  double H = LARGEST * fmax(size, 1) / rate * pow(FACTOR, -SCALES);
  double best = 0, least = INFINITY, most = 0;
  for (int i = 0; rate > 0 && i <= SCALES; i++, H *= FACTOR) {
    if (!slow_start_look(o, H))
      return 0;
    if (best == 0)
      most = fmax(most, o->distance);
    if (most > SMALL && best == 0 && o->distance < APART * most)
      best = H;
    least = fmin(least, best > 0 ? o->distance : INFINITY);
    bool another = o->distance > least / APART || o->travel > FAR * dae__bdf_error_norm(s, o->D);
    if (best > 0 && another)
      return best;
  }
  return 0;
}

/* y += D where it may be moved, and consistent again */
static dae_status slow_start_move(slow_manifold_start *o, const bool *fixed, double *y, double *dy)
{
  dae__bdf *s = o->s;
  const dae__corrector *c = &s->corrector;
  for (int i = 0; i < c->size; i++)
    if (c->role[i] != DAE__TEST_NONE && !(fixed && fixed[i]))
      y[i] += o->D[i];
  return c->table->consistent(c->self, o->t, fixed, y, dy, &s->last);
}

static void slow_start_take(dae__bdf *s, const double *y, const double *dy)
{
  s->corrector.table->start(s->corrector.self, y, dy, s->Y, s->dY);
  dae__bdf_look_at_roles(s);
  dae__bdf_weigh(s, s->Y);
}

dae_status dae__bdf_slow_manifold_start(dae__bdf *s, double t, const bool *fixed, double *y,
                                        double *dy, dae_error *err)
{
  slow_manifold_start o = {.s = s, .t = t, .D = s->through};
  int size = s->corrector.size;
  double before = INFINITY, moved = 0;
  dae__copy(size, y, s->state);
  dae__copy(size, dy, s->rate);
  slow_start_take(s, y, dy);
  double H = s->opts.damp_time > 0 ? s->opts.damp_time : slow_start_find_scale(&o);
  for (int round = 0; H > 0 && round < ROUNDS && slow_start_look(&o, H); round++) {
    moved = dae__bdf_error_norm(s, o.D);
    if (moved <= SMALL || moved >= before || slow_start_move(&o, fixed, y, dy))
      break;
    before = moved;
    slow_start_take(s, y, dy);
  }
  s->m->has_matrix = false;
  if (H > 0 && moved <= SMALL)
    return DAE_OK;
  /* the given start: either it has no fast oscillations, or they cannot be told from the rest */
  dae__log(s->env, DAE_LOG_INFO, "damp: the start is left as it is%s",
           H > 0 ? ", the move does not converge" : "");
  dae__copy(size, s->state, y);
  dae__copy(size, s->rate, dy);
  return s->corrector.table->consistent(s->corrector.self, t, fixed, y, dy, err);
}
