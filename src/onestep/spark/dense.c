/* Dense output.
 *
 * Rough: the polynomial through the stages and the derivatives at both ends. The stages of a
 * collocation method are off by a multiple of N(x) = int_0^x prod (tau - c_j), which vanishes at
 * both ends, and how much is seen in the derivatives there. Where a stage is at an end of the step
 * it is not the value there (Z_1 and Z_s of Lobatto's and Radau's nodes differ from z0 and z1): the
 * polynomial goes through the ends and the stages inside, and N vanishes at all of them. It costs
 * nothing, and is of order s + 2 where the step is of order 2s.
 *
 * Fine: the motion solves y' = v(t,y,z), z' = a(t,y,z), where a are the accelerations that keep the
 * constraints. From the rough values at n Chebyshev points x_i, both ends among them, sweeps
 *
 *   a_i = a(t_i, y_i, z_i),   z_i <- z0 + h sum_j W_ij a_j + x_i^2 (3 - 2 x_i) d
 *   v_i = v(t_i, y_i, z_i),   y_i <- y0 + h sum_j W_ij v_j + x_i^2 (3 - 2 x_i) e
 *
 * lead to better ones: W_ij = int_0^(x_i) l_j, and d and e are what the sums miss of z1 and y1, so
 * that the ends stay where the step has put them. This is Picard's iteration. Each sweep gains an
 * order of h, up to the n + 1 of interpolation, and n = order - 1 makes that the order of the step.
 * Where the step is stiff the sweeps do not contract, and the rough values stay.
 *
 * With variable steps the sweeps end when the last change is within the tolerances, with a fixed
 * step when the order is reached. They use the factorisations of what is shown: the steps do not
 * depend on whether somebody looks. Nobody pays who does not look. */
#include "onestep/spark/dense.h"
#include "core/error.h"
#include "core/vec.h"
#include "quadrature/nodes.h"
#include <float.h>

#define PI 3.14159265358979323846264338327950288L
#define MOST 10     /* sweeps of a variable step; the examples need 1 to 3, hanging_chain 6 */
#define LEAST 2     /* of a fixed one: two tell whether they contract */
#define SLOW 0.7    /* where a change is more than this part of the one before, sweeping ends, */
#define WORTH 0.5   /* and was of use if it has become this part of the first */
#define ROUND_OFF 8 /* changes of so many units in the last place are none */

/* ---- creation ---- */

/* nodes of the sweeps, and W */
static void spark_make_fine(dae__arena *arena, int n, dae__dense *d)
{
  double *node = DAE__ALLOC(arena, double, n);
  d->W = DAE__ALLOC(arena, double, n *n);
  if (dae__arena_failed(arena))
    return;
  long double c[DAE__CURVE_NODES], w[DAE__CURVE_NODES];
  for (int i = 0; i < n; i++)
    c[i] = (1 - cosl(PI * i / (n - 1))) / 2;
  for (int i = 0; i < n; i++) {
    node[i] = (double)c[i];
    dae__lagrange_integrals(n, c, c[i], w);
    for (int j = 0; j < n; j++)
      d->W[i * n + j] = (double)w[j];
  }
  dae__curve_create(arena, n, node, NULL, false, &d->fine);
}

dae_status dae__dense_create(dae__arena *arena, const dae__dense_options *opts,
                             const dae__body *body, const dae__stages *stages, dae__dense *out,
                             dae_error *err)
{
  dae__dense *d = out;
  size_t ny = (size_t)body->face.ny, nz = (size_t)body->face.nz;
  int n = opts->order < 4 ? 3 : opts->order - 1;
  bool inside = stages->nodes == stages->s + 2; /* all stages are */
  int gained = opts->order - stages->s - (inside ? 2 : 1);
  *d = (dae__dense){.body = body, .opts = *opts};
  d->sweeps = !opts->fixed ? MOST : gained > LEAST ? gained : LEAST;
  dae__curve_create(arena, stages->nodes, stages->node, stages->at, inside, &d->rough);
  spark_make_fine(arena, n, d);
  d->memory = DAE__STATE(arena, dae__dense_memory, 1);
  for (int k = 0; k < 2; k++) {
    size_t kept = k == 0 || opts->halves ? (size_t)n : 0;
    d->values[k].Y = DAE__STATE(arena, double, kept *ny);
    d->values[k].Z = DAE__STATE(arena, double, kept *nz);
    d->y_rate[k] = DAE__ALLOC(arena, double, ny);
    d->z_rate[k] = DAE__ALLOC(arena, double, nz);
  }
  d->V = DAE__ALLOC(arena, double, (size_t)n *ny);
  d->A = DAE__ALLOC(arena, double, (size_t)n *nz);
  d->state = DAE__STATE(arena, double, body->size); /* its multipliers are guesses */
  d->rate = DAE__ALLOC(arena, double, body->size);
  d->y_weight = DAE__ALLOC(arena, double, ny);
  d->z_weight = DAE__ALLOC(arena, double, nz);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- evaluation ---- */

/* y and z at x by one of the two polynomials through these values */
static void spark_eval(dae__dense *d, const dae__curve *c, const dae__stage_values *values,
                       const dae__dense_piece *piece, double x, double *y, double *z)
{
  const dae__face *face = &d->body->face;
  double w[DAE__CURVE_NODES + 2];
  dae__face_split(face, piece->start_rate, d->y_rate[0], d->z_rate[0]);
  dae__face_split(face, piece->end_rate, d->y_rate[1], d->z_rate[1]);
  dae__curve_data of_y = {piece->h, values->Y, d->y_rate[0], d->y_rate[1]};
  dae__curve_data of_z = {piece->h, values->Z, d->z_rate[0], d->z_rate[1]};
  dae__curve_weights(c, x, w);
  dae__curve_eval(c, w, face->ny, &of_y, y);
  dae__curve_eval(c, w, face->nz, &of_z, z);
}

void dae__dense_eval(dae__dense *d, const dae__dense_piece *piece, double t, double *y, double *z)
{
  int k = piece->first;
  double x = (t - piece->t) / piece->h;
  if (d->memory->step[k] == piece->step && d->memory->fine[k])
    spark_eval(d, &d->fine, &d->values[k], piece, x, y, z);
  else
    spark_eval(d, &d->rough, piece->stages, piece, x, y, z);
}

/* ---- sweeps ---- */

/* The values u at the nodes inside, n each, from those at both ends and the derivatives at all
 * nodes; returns the largest change relative to the weights. */
static double spark_integrate(const dae__dense *d, double h, int n, const double *rate,
                              const double *weight, double *u)
{
  int nodes = d->fine.nodes, last = nodes - 1;
  double most = 0;
  for (int k = 0; k < n; k++) {
    double missed = 0;
    for (int i = last; i > 0; i--) { /* the end comes first */
      double x = d->fine.node[i], sum = 0, *value = &u[i * n + k];
      for (int j = 0; j < nodes; j++)
        sum += d->W[i * nodes + j] * rate[j * n + k];
      double next = u[k] + h * sum;
      if (i == last) {
        missed = *value - next;
        continue;
      }
      next += x * x * (3 - 2 * x) * missed;
      double change = fabs(next - *value) / weight[k];
      most = isfinite(change) ? fmax(most, change) : INFINITY;
      *value = next;
    }
  }
  return most;
}

/* one sweep; V and A at both ends are there */
static dae_status spark_sweep(dae__dense *d, const dae__dense_piece *piece,
                              dae__stage_values *values, double *change, dae_error *err)
{
  const dae__body *body = d->body;
  const dae__face *face = &body->face;
  int ny = face->ny, nz = face->nz, last = d->fine.nodes - 1;
  dae_status status = DAE_OK;
  for (int i = 1; i < last && !status; i++) {
    double t = piece->t + d->fine.node[i] * piece->h;
    dae__face_join(face, dae__stage_vector(values->Y, i, ny), dae__stage_vector(values->Z, i, nz),
                   d->state);
    status = body->table->accelerate(body->self, true, t, d->state, d->rate, err);
    dae__face_split(face, d->rate, dae__stage_vector(d->V, i, ny), dae__stage_vector(d->A, i, nz));
  }
  DAE__TRY(status);
  *change = spark_integrate(d, piece->h, nz, d->A, d->z_weight, values->Z);
  for (int i = 1; i < last && !status; i++) {
    dae__face_at at = {piece->t + d->fine.node[i] * piece->h, dae__stage_vector(values->Y, i, ny),
                       dae__stage_vector(values->Z, i, nz)};
    status = face->table->v(face->self, &at, dae__stage_vector(d->V, i, ny), err);
  }
  if (!status)
    *change = fmax(*change, spark_integrate(d, piece->h, ny, d->V, d->y_weight, values->Y));
  return status;
}

/* changes that do not matter, from the values at both ends */
static void spark_weigh(const dae__dense *d, int n, const double *start, const double *end,
                        double *weight)
{
  const dae__dense_options *o = &d->opts;
  double size = 1 + fmax(dae__max_abs(n, start), dae__max_abs(n, end));
  for (int k = 0; k < n; k++)
    weight[k] = o->fixed ? ROUND_OFF * DBL_EPSILON * size
                         : o->rtol * fmax(fabs(start[k]), fabs(end[k])) + o->atol;
}

/* values at the nodes by the rough polynomial, derivatives at both ends, weights */
static void spark_start_sweeps(dae__dense *d, const dae__dense_piece *piece,
                               dae__stage_values *values)
{
  const dae__face *face = &d->body->face;
  int ny = face->ny, nz = face->nz, last = d->fine.nodes - 1;
  for (int i = 0; i <= last; i++)
    spark_eval(d, &d->rough, piece->stages, piece, d->fine.node[i],
               dae__stage_vector(values->Y, i, ny), dae__stage_vector(values->Z, i, nz));
  dae__face_split(face, piece->start_rate, d->V, d->A);
  dae__face_split(face, piece->end_rate, dae__stage_vector(d->V, last, ny),
                  dae__stage_vector(d->A, last, nz));
  spark_weigh(d, ny, values->Y, dae__stage_vector(values->Y, last, ny), d->y_weight);
  spark_weigh(d, nz, values->Z, dae__stage_vector(values->Z, last, nz), d->z_weight);
}

dae_status dae__dense_refine(dae__dense *d, const dae__dense_piece *piece, dae_error *err)
{
  dae__dense_memory *m = d->memory;
  int k = piece->first;
  double first = 0, before = INFINITY, change = INFINITY;
  if (m->step[k] == piece->step)
    return DAE_OK;
  m->step[k] = piece->step;
  m->fine[k] = false;
  spark_start_sweeps(d, piece, &d->values[k]);
  for (int i = 0; i < d->sweeps && change > 1; i++) {
    DAE__TRY(spark_sweep(d, piece, &d->values[k], &change, err));
    first = i == 0 ? change : first;
    if (change >= SLOW * before)
      break;
    before = change;
  }
  m->fine[k] = change <= 1 || change < WORTH * first;
  return DAE_OK;
}
