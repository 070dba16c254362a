/* The modified Newton iteration in its Gauss-Seidel form [J09 section 3]: Y is
 * refreshed before the residuals; with the transformation Q the increments of Z, L and Psi come
 * from s solves with matrix (2) and one with matrix (3), factored once, at the predicted midpoint.
 */
#include "spark/stages.h"
#include "core/error.h"
#include "core/vec.h"
#include <float.h>

/* ---- creation ---- */

static dae__stage_values keep_values(dae__arena *arena, size_t s, const dae__face *face)
{
  return (dae__stage_values){.Y = DAE__KEEP(arena, double, (s + 2) * (size_t)face->ny),
                             .Z = DAE__KEEP(arena, double, (s + 2) * (size_t)face->nz),
                             .L = DAE__KEEP(arena, double, (s + 1) * (size_t)face->ng),
                             .Psi = DAE__KEEP(arena, double, s *(size_t)face->nk)};
}

dae_status dae__stages_create(dae__arena *arena, const dae_spark_tableau *tableau,
                              const dae__spark_transform *transform, const dae__face *face,
                              dae__stages *out, dae_error *err)
{
  size_t s = (size_t)tableau->s, ny = (size_t)face->ny, nz = (size_t)face->nz;
  size_t ng = (size_t)face->ng, nk = (size_t)face->nk;
  dae__stages *st = out;
  *st = (dae__stages){.tableau = tableau, .transform = transform, .face = *face, .s = tableau->s};
  st->memory = DAE__KEEP(arena, dae__stages_memory, 1);
  st->last = keep_values(arena, s, face);
  st->now = keep_values(arena, s, face);
  const struct {
    double **values;
    size_t count;
  } all[] = {{&st->V, s * ny},
             {&st->p0, nz},
             {&st->p, (s + 1) * nz},
             {&st->f, s * nz},
             {&st->r, (s + 1) * nz},
             {&st->g, (s + 1) * ng},
             {&st->k, (s + 1) * nk},
             {&st->Yt, ny},
             {&st->R5, (s + 1) * nz},
             {&st->R6, (s + 1) * ng},
             {&st->R7, (s + 1) * nk},
             {&st->x, (s + 1) * (nz + ng + nk)},
             {&st->node, s + 2},
             {&st->start_weight, s + 2},
             {&st->end_weight, s + 2},
             {&st->shape, s + 2},
             {&st->D, s * (nz + ng + nk)}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    *all[i].values = DAE__TAKE(arena, double, all[i].count);
  st->xi = DAE__TAKE(arena, double complex, nz + ng + nk);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__stages_prepare(st);
  return DAE_OK;
}

/* ---- evaluation ---- */

/* where stage i is, 1 ... s, and s + 1 for the end of the step */
static dae__face_at stage(const dae__stages *st, int i)
{
  return (dae__face_at){.t = st->t + dae__stages_node(st, i) * st->h,
                        .y = dae__stage_vector(st->now.Y, i, st->face.ny),
                        .z = dae__stage_vector(st->now.Z, i, st->face.nz)};
}

/* Y, y1 = y0 + h alpha v; *change: the largest change relative to the weights (NULL: not wanted) */
static dae_status refresh(dae__stages *st, const double *weight, double *change, dae_error *err)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, ny = st->face.ny;
  dae_status status = DAE_OK;
  for (int j = 1; j <= s && !status; j++) {
    dae__face_at at = stage(st, j);
    status = st->face.table->v(st->face.self, &at, dae__stage_vector(st->V, j - 1, ny), err);
  }
  for (int i = 1; i <= s + 1 && !status; i++) {
    const double *a = i <= s ? T->A + (i - 1) * s : T->b;
    double *Y = dae__stage_vector(st->now.Y, i, ny);
    for (int n = 0; n < ny; n++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += a[j] * st->V[j * ny + n];
      double next = st->now.Y[n] + st->h * sum;
      if (change)
        *change = fmax(*change, fabs(next - Y[n]) / weight[n]);
      Y[n] = next;
    }
  }
  return status;
}

/* r and g at the tilde nodes */
static dae_status evaluate_tilde(dae__stages *st, dae_error *err)
{
  const dae_spark_tableau *T = st->tableau;
  const dae__face *c = &st->face;
  dae_status status = DAE_OK;
  for (int i = 0; i <= st->s && !status; i++) {
    dae__face_at at = {.t = st->t + T->ct[i] * st->h, .y = st->Yt};
    dae__copy(c->ny, st->now.Y, st->Yt);
    for (int j = 0; j < st->s; j++)
      dae__axpy(c->ny, st->h * T->Ab[i * st->s + j], dae__stage_vector(st->V, j, c->ny), st->Yt);
    status =
        c->table->rg(c->self, &at, dae__stage_vector(st->now.L, i, c->ng),
                     dae__stage_vector(st->r, i, c->nz), dae__stage_vector(st->g, i, c->ng), err);
  }
  return status;
}

/* p, f and k at the stages and at the end; g[0], which nobody asks for, becomes gdot there */
static dae_status evaluate_stages(dae__stages *st, dae_error *err)
{
  const dae__face *c = &st->face;
  dae_status status = DAE_OK;
  for (int i = 1; i <= st->s + 1 && !status; i++) {
    dae__face_at at = stage(st, i);
    status = c->table->p(c->self, &at, dae__stage_vector(st->p, i - 1, c->nz), err);
    if (!status && i <= st->s)
      status = c->table->f(c->self, &at, dae__stage_vector(st->now.Psi, i - 1, c->nk),
                           dae__stage_vector(st->f, i - 1, c->nz), err);
    if (!status && c->nk > 0)
      status = c->table->k(c->self, &at, dae__stage_vector(st->k, i - 1, c->nk), err);
    if (!status && i > st->s && c->ng > 0)
      status = c->table->gdot(c->self, &at, st->g, err);
  }
  return status;
}

/* ---- residuals and increments ---- */

/* row i of [J09 (5)]: p_i - p0 - h sum ah_ij f_j - h sum at_ij r_j */
static void residual5(const dae__stages *st, int i, double *R)
{
  const dae_spark_tableau *T = st->tableau;
  int s = st->s, nz = st->face.nz;
  const double *ah = i < s ? T->Ah + i * s : T->bh, *at = i < s ? T->At + i * (s + 1) : T->bt;
  for (int n = 0; n < nz; n++)
    R[n] = st->p[i * nz + n] - st->p0[n];
  for (int j = 0; j < s; j++)
    dae__axpy(nz, -st->h * ah[j], dae__stage_vector(st->f, j, nz), R);
  for (int j = 0; j <= s; j++)
    dae__axpy(nz, -st->h * at[j], dae__stage_vector(st->r, j, nz), R);
}

/* out = row . R, vectors of length n */
static void combine(const double *row, int count, int n, const double *R, double *out)
{
  dae__zero(n, out);
  for (int j = 0; j < count; j++)
    dae__axpy(n, row[j], R + (size_t)j * (size_t)n, out);
}

/* right sides -(q5, q6, q7) of the transformed rows */
static void right_sides(dae__stages *st)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  int s = st->s, nz = c->nz, ng = c->ng, nk = c->nk, width = nz + ng + nk;
  for (int i = 0; i <= s; i++)
    residual5(st, i, dae__stage_vector(st->R5, i, nz));
  for (int i = 0; i < s; i++) { /* g / h, then gdot */
    dae__copy(ng, dae__stage_vector(st->g, i + 1, ng), dae__stage_vector(st->R6, i, ng));
    dae__scale(ng, 1 / st->h, dae__stage_vector(st->R6, i, ng));
  }
  dae__copy(ng, st->g, dae__stage_vector(st->R6, s, ng));
  for (int i = 0; i <= s; i++) {
    double *x = dae__stage_vector(st->x, i, width);
    combine(tr->Q + i * (s + 1), s + 1, nz, st->R5, x);
    combine(tr->Qc + i * (s + 1), s + 1, ng, st->R6, x + nz);
    if (i < s)
      combine(tr->Qt + i * (s + 1), s + 1, nk, st->k, x + nz + ng);
    dae__scale(i < s ? width : nz + ng, -1, x);
  }
}

/* the rows but the last by the blocks of A = T diag(mu) Ti; the last one, delta, is solved */
static void solve_richly(dae__stages *st)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  int s = st->s, width = c->nz + c->ng + c->nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  dae__zero(s * width, st->D);
  for (int k = 0; k < tr->blocks; k++) {
    double complex w = 0;
    for (int n = 0; n < width; n++)
      st->xi[n] = 0;
    for (int j = 0; j < s; j++) {
      double complex t = tr->Ti[k * s + j];
      w += t * tr->w[j];
      for (int n = 0; n < width; n++)
        st->xi[n] += t * st->x[j * width + n];
    }
    c->table->move(c->self, st->h * tr->mu[k], w, delta, st->xi);
    c->table->solve_block(c->self, k, st->xi);
    for (int i = 0; i < s; i++)
      for (int n = 0; n < width; n++)
        st->D[i * width + n] +=
            (k < tr->reals ? 1 : 2) * creal(tr->T[i * tr->blocks + k] * st->xi[n]);
  }
  dae__copy(s * width, st->D, st->x);
}

static void solve_rows(dae__stages *st)
{
  const dae__face *c = &st->face;
  int s = st->s, width = c->nz + c->ng + c->nk;
  c->table->solve3(c->self, dae__stage_vector(st->x, s, width));
  if (st->rich)
    solve_richly(st);
  for (int i = 0; i < s && !st->rich; i++)
    c->table->solve2(c->self, dae__stage_vector(st->x, i, width));
}

/* Z, L and Psi move by the solutions; the largest change of Z relative to the weights */
static double increment(dae__stages *st, const double *weight)
{
  const dae__spark_transform *tr = st->transform;
  int s = st->s, nz = st->face.nz, ng = st->face.ng, nk = st->face.nk, width = nz + ng + nk;
  const double *delta = dae__stage_vector(st->x, s, width);
  double change = 0;
  for (int n = 0; n < nz; n++) {
    double last = delta[n]; /* dz1 = delta + b' A^-1 dZ = delta - gamma dZ */
    for (int i = 0; i < s; i++) {
      double dZ = st->x[i * width + n] - tr->w[i] * delta[n];
      st->now.Z[(i + 1) * nz + n] += dZ;
      last -= tr->gamma[i] * dZ;
      change = fmax(change, fabs(dZ) / weight[n]);
    }
    st->now.Z[(s + 1) * nz + n] += last;
    change = fmax(change, fabs(last) / weight[n]);
  }
  for (int i = 0; i <= s; i++)
    for (int j = 0; j <= s; j++)
      dae__axpy(ng, tr->Qat_inv[i * (s + 1) + j] / st->h, dae__stage_vector(st->x, j, width) + nz,
                dae__stage_vector(st->now.L, i, ng));
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      dae__axpy(nk, tr->Qah_inv[i * s + j] / st->h, dae__stage_vector(st->x, j, width) + nz + ng,
                dae__stage_vector(st->now.Psi, i, nk));
  return change;
}

/* ---- the iteration ---- */

/* so many iterations without halving the change have come to round-off: fewer would take the
 * complex eigenvalues of A for it */
#define STAGNATION 3

/* the middle of the step, as it is known */
static dae__face_at middle(dae__stages *st)
{
  const dae__face *c = &st->face;
  double *y = st->Yt, *z = st->x;
  for (int n = 0; n < c->ny; n++)
    y[n] = (st->now.Y[n] + st->now.Y[(st->s + 1) * c->ny + n]) / 2;
  for (int n = 0; n < c->nz; n++)
    z[n] = (st->now.Z[n] + st->now.Z[(st->s + 1) * c->nz + n]) / 2;
  return (dae__face_at){st->t + st->h / 2, y, z};
}

/* both matrices, at the middle of the predicted step */
static dae_status factor(dae__stages *st, dae_error *err)
{
  dae__face_at at = middle(st);
  st->memory->factorisations++;
  st->memory->jacobians++;
  return st->face.table->factor(st->face.self, &at, err);
}

/* from here on the richer iteration, whose blocks know f_y, f_z and k_y */
static dae_status enrich(dae__stages *st, dae_error *err)
{
  const dae__spark_transform *tr = st->transform;
  const dae__face *c = &st->face;
  dae__face_at at = middle(st);
  dae_status status = c->table->derive(c->self, &at, err);
  st->memory->jacobians++;
  for (int k = 0; k < tr->blocks && !status; k++) {
    status = c->table->factor_block(c->self, k, st->h * tr->mu[k], err);
    st->memory->factorisations++;
  }
  st->rich = status == DAE_OK;
  st->memory->enriched = st->memory->enriched || st->rich;
  return status;
}

static dae_status start(dae__stages *st, double t, double h, const double *y0, const double *z0,
                        dae_error *err)
{
  const dae__face *c = &st->face;
  st->t = t;
  st->h = h;
  dae__copy(c->ny, y0, st->now.Y);
  dae__copy(c->nz, z0, st->now.Z);
  dae__stages_predict(st);
  for (int i = 1; i <= st->s + 1; i++)
    dae__copy(c->ny, y0, dae__stage_vector(st->now.Y, i, c->ny));
  dae__face_at at = {t, y0, z0};
  dae_status status = c->table->p(c->self, &at, st->p0, err);
  for (int sweep = 0; sweep < 2 && !status; sweep++)
    status = refresh(st, NULL, NULL, err);
  if (!status)
    status = factor(st, err);
  st->rich = false;
  if (!status && st->memory->rich_left > 0)
    status = enrich(st, err);
  return status;
}

/* one iteration; *change: of Y and Z */
static dae_status iterate(dae__stages *st, const dae__stages_goal *goal, double *change,
                          dae_error *err)
{
  *change = 0;
  dae_status status = refresh(st, goal->y_weight, change, err);
  if (!status)
    status = evaluate_tilde(st, err);
  if (!status)
    status = evaluate_stages(st, err);
  if (status)
    return status;
  right_sides(st);
  solve_rows(st);
  *change = fmax(*change, increment(st, goal->z_weight));
  st->memory->iterations++;
  return DAE_OK;
}

/* the change has to shrink by this factor in two iterations, or the richer iteration is called; by
 * then the iterates may be far off, and begin anew */
#define TOO_SLOW 0.25
/* steps that begin with it once it was needed */
#define STAYS_RICH 20

static bool can_be_richer(const dae__stages *st)
{
  return !st->rich && st->face.table->derive && st->transform->blocks > 0;
}

/* iterates until the goal is reached; DAE_ERROR_STEP: it is too slow, or diverges */
static dae_status converge(dae__stages *st, const dae__stages_goal *goal, dae_error *err)
{
  double best = INFINITY, before[2] = {INFINITY, INFINITY}, change;
  int since = 0; /* the best was halved */
  for (int i = 0; i < goal->most; i++) {
    dae_status status = iterate(st, goal, &change, err);
    if (status)
      return status;
    since = change <= best / 2 ? 0 : since + 1;
    best = fmin(best, change);
    bool stagnates = since >= STAGNATION && best <= goal->bearable;
    if (change <= goal->goal || stagnates) /* y1 belongs to the last Z */
      return refresh(st, NULL, NULL, err);
    bool slow = change > TOO_SLOW * before[0] && change > goal->bearable && can_be_richer(st);
    if (slow || !isfinite(change) || change > 1e3 * fmax(best, 1))
      break;
    before[0] = before[1];
    before[1] = change;
  }
  return dae__fail(err, DAE_ERROR_STEP, NULL,
                   "the iteration of the stages does not converge with step size %.3g", st->h);
}

dae_status dae__stages_solve(dae__stages *st, double t, double h, const double *y0,
                             const double *z0, const dae__stages_goal *goal, dae_error *err)
{
  dae__stages_memory *m = st->memory;
  dae_status status = start(st, t, h, y0, z0, err);
  if (!status)
    status = converge(st, goal, err);
  bool again = (status == DAE_ERROR_STEP || status == DAE_ERROR_RECOVERABLE) && can_be_richer(st);
  if (again) {
    m->rich_left = STAYS_RICH + 1;
    status = start(st, t, h, y0, z0, err);
    if (!status)
      status = converge(st, goal, err);
  }
  m->rich_left -= m->rich_left > 0;
  return status;
}

void dae__stages_accept(dae__stages *st)
{
  size_t s = (size_t)st->s;
  const dae__face *c = &st->face;
  dae__copy((int)(s + 2) * c->ny, st->now.Y, st->last.Y);
  dae__copy((int)(s + 2) * c->nz, st->now.Z, st->last.Z);
  dae__copy((int)(s + 1) * c->ng, st->now.L, st->last.L);
  dae__copy((int)s * c->nk, st->now.Psi, st->last.Psi);
  st->memory->h = st->h;
  st->memory->rich_steps += st->rich;
}
