#include "step/crossing.h"

#include "core/error.h"
#include "core/vec.h"
#include <math.h>

/* Error of a step relative to the tolerance; errors of the jumps of a run add up. Chosen. */
#define CROSSING_ERROR 0.1
/* Smallest jump times h, in tolerances; smaller ones do not make an attempt fail. */
#define SMALLEST_JUMP 1
/* Distance of the point of the difference x'', relative to h: a jump before it is not located. */
#define DIFFERENCE_PART (1.0 / 64)
/* Bisections after which a smooth change is an eighth of the first one, and a jump is not; and the
 * largest number, from h to its round-off. */
#define LEAST_BISECTIONS 3
#define MOST_BISECTIONS 50
/* Reduction of a step away from a jump that is not accurate, and number of attempts: from the size
 * of a parabola to that of a stiff component at the smallest tolerance. With order 3 and an
 * estimate of order 2 such steps are 200 times as long at 1e-10 as Heun's, which did not leave the
 * range of differences: errors of up to 1e4 tolerances behind friction. */
#define LEAVING_FACTOR 0.1
#define LEAVING_ATTEMPTS 6

/* A point t + s on the parabola. */
typedef struct crossing_point {
  double s, *z, *dz;
} crossing_point;

/* Vector i of the workspace: weights of errors, x'' with y' behind it, points. */
enum { WEIGHTS, CURVATURE, POINTS };

static double *crossing_vector(const dae__crossing *c, int i)
{
  return c->work + (size_t)i * (size_t)c->size;
}

static crossing_point crossing_point_at(const dae__crossing *c, int i)
{
  return (crossing_point){.z = crossing_vector(c, POINTS + 2 * i),
                          .dz = crossing_vector(c, POINTS + 2 * i + 1)};
}

/* Difference of a and b beside a smooth change, h |x'_a - x'_b| and |y_a - y_b| in tolerances;
 * rates: of x' alone. */
static double crossing_distance(const dae__crossing *c, double h, const crossing_point *a,
                                const crossing_point *b, bool rates)
{
  const double *w = crossing_vector(c, WEIGHTS), *curvature = crossing_vector(c, CURVATURE);
  double largest = 0;
  for (int i = 0; i < (rates ? c->nx : c->size); i++) {
    double change = i < c->nx ? a->dz[i] - b->dz[i] : a->z[i] - b->z[i];
    change = fabs(change - (a->s - b->s) * curvature[i]) * (i < c->nx ? h : 1) / w[i];
    largest = change <= largest ? largest : change;
  }
  return largest;
}

/* Evaluates p at t + s. */
static dae_status crossing_evaluate(const dae__crossing *c, double t, double s,
                                    const crossing_point *from, crossing_point *p, dae_error *err)
{
  p->s = s;
  dae__copy(c->size, from->z, p->z);
  dae__axpy(c->nx, s, from->dz, p->z);
  dae__axpy(c->nx, s * s / 2, crossing_vector(c, CURVATURE), p->z);
  return c->complete(c->self, t + s, p->z, p->dz, err);
}

/* The point z with slope dz, and its weights and curvature; h: size of the difference, 0: none. */
static dae_status crossing_begin(const dae__crossing *c, double t, double h, const double *z,
                                 const double *dz, crossing_point *from, dae_error *err)
{
  double *w = crossing_vector(c, WEIGHTS), *curvature = crossing_vector(c, CURVATURE);
  crossing_point near = crossing_point_at(c, 1);
  *from = crossing_point_at(c, 0);
  from->s = 0;
  dae__copy(c->size, z, from->z);
  dae__copy(c->nx, dz, from->dz);
  dae__zero(c->size, curvature);
  for (int i = 0; i < c->size; i++)
    w[i] = c->rtol * fabs(z[i]) + c->atol * c->atol_scale[i];
  if (h == 0)
    return DAE_OK;
  DAE__TRY(crossing_evaluate(c, t, h, from, &near, err));
  for (int i = 0; i < c->size; i++)
    curvature[i] = (i < c->nx ? near.dz[i] - dz[i] : near.z[i] - z[i]) / h;
  return DAE_OK;
}

/* Bisects (a, b) for the jump; *found: whether the difference is one. The start of the parabola,
 * the first a, is kept. */
static dae_status crossing_bisect(const dae__crossing *c, double t, double h,
                                  const crossing_point *from, crossing_point *a, crossing_point *b,
                                  bool *found, dae_error *err)
{
  crossing_point middle = crossing_point_at(c, 2);
  double first = crossing_distance(c, h, a, b, false);
  *found = false;
  for (int i = 0; i < MOST_BISECTIONS && first > SMALLEST_JUMP; i++) {
    double part = (b->s - a->s) / h;
    if (i == LEAST_BISECTIONS && !(crossing_distance(c, h, a, b, false) > first / 2))
      return DAE_OK;
    *found = i >= LEAST_BISECTIONS && part * crossing_distance(c, h, a, b, true) <= CROSSING_ERROR;
    if (*found)
      return DAE_OK;
    DAE__TRY(crossing_evaluate(c, t, (a->s + b->s) / 2, from, &middle, err));
    bool before =
        crossing_distance(c, h, a, &middle, false) < crossing_distance(c, h, &middle, b, false);
    crossing_point *side = before ? a : b, replaced = *side;
    *side = middle;
    middle = replaced;
    if (replaced.z == from->z)
      middle = crossing_point_at(c, 3);
  }
  return DAE_OK;
}

bool dae__crossing_possible(const dae__crossing *c, double h, const double *z, const double *dz)
{
  double rate = 0;
  for (int i = 0; i < c->nx; i++)
    rate = fmax(rate, fabs(dz[i]) / (c->rtol * fabs(z[i]) + c->atol * c->atol_scale[i]));
  /* error of the parabola, (h x'/x)^3/6, within the tolerance */
  return c->nx > 0 && h * rate * c->rtol <= cbrt(6 * CROSSING_ERROR * c->rtol);
}

dae_status dae__crossing_locate(const dae__crossing *c, double t, double h, const double *z,
                                const double *dz, double *size, double *z1, dae_error *err)
{
  crossing_point from, a, b = crossing_point_at(c, 1);
  bool found;
  *size = 0;
  if (!dae__crossing_possible(c, h, z, dz))
    return DAE_OK;
  DAE__TRY(crossing_begin(c, t, DIFFERENCE_PART * h, z, dz, &from, err));
  DAE__TRY(crossing_evaluate(c, t, h, &from, &b, err));
  a = from;
  DAE__TRY(crossing_bisect(c, t, h, &from, &a, &b, &found, err));
  if (!found || !(crossing_distance(c, a.s / 3, &a, &from, true) <= CROSSING_ERROR))
    return DAE_OK;
  dae__copy(c->size, b.z, z1);
  *size = b.s;
  return DAE_OK;
}

/* Stage p at t + s of a Runge-Kutta step of size h: x = x0 + h sum_j a_j x'_j over points 0 ... j.
 */
static dae_status crossing_stage(const dae__crossing *c, double t, double s, double h,
                                 const double *a, int count, crossing_point *p, dae_error *err)
{
  p->s = s;
  dae__copy(c->size, crossing_point_at(c, 0).z, p->z);
  for (int j = 0; j < count; j++)
    dae__axpy(c->nx, h * a[j], crossing_point_at(c, j).dz, p->z);
  return c->complete(c->self, t + s, p->z, p->dz, err);
}

dae_status dae__crossing_leave(const dae__crossing *c, double t, double h, const double *z,
                               const double *dz, double *size, double *z1, dae_error *err)
{
  /* order 3 with an estimate of order 2 [BS89] */
  static const double nodes[] = {0.5, 0.75, 1},
                      weights[3][3] = {{0.5}, {0, 0.75}, {2. / 9, 1. / 3, 4. / 9}};
  static const double estimate[] = {-5. / 72, 1. / 12, 1. / 9, -1. / 8};
  crossing_point from;
  const double *w = crossing_vector(c, WEIGHTS);
  *size = 0;
  DAE__TRY(crossing_begin(c, t, 0, z, dz, &from, err));
  for (int i = 0; i < LEAVING_ATTEMPTS; i++, h *= LEAVING_FACTOR) {
    double error = 0;
    for (int j = 0; j < 3; j++) {
      crossing_point p = crossing_point_at(c, j + 1);
      DAE__TRY(crossing_stage(c, t, nodes[j] * h, h, weights[j], j + 1, &p, err));
    }
    for (int k = 0; k < c->nx; k++) {
      double e = 0;
      for (int j = 0; j < 4; j++)
        e += h * estimate[j] * crossing_point_at(c, j).dz[k];
      error = fabs(e) / w[k] <= error ? error : fabs(e) / w[k];
    }
    if (!(error <= CROSSING_ERROR))
      continue;
    dae__copy(c->size, crossing_point_at(c, 3).z, z1);
    *size = h;
    return DAE_OK;
  }
  return DAE_OK;
}

void dae__crossing_interpolate(const dae__crossing *c, const dae_step *step, double s, double *z,
                               double *dz)
{
  const double *a = step->from.z, *b = step->to.z, *slope = step->from.dz;
  for (int i = 0; i < c->size; i++) {
    double line = i < c->nx ? step->h * slope[i] : 0;
    z[i] = a[i] + s * line + s * s * (b[i] - a[i] - line);
    if (dz)
      dz[i] = i < c->nx ? (line + 2 * s * (b[i] - a[i] - line)) / step->h : 0;
  }
}
