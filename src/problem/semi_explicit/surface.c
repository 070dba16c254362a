/* Projection of x onto the surface F2(t,x) = 0 by minimum-norm corrections
 *
 *   [ I   G'     ] [ e ]   [  0   ]
 *   [ G  -delta I] [ . ] = [ -D r ],   G = D A S,  A = dF2/dx,  r = F2,   x += S e
 *
 * where S_j = max(|x_j|, root mean square of x) and D makes the largest entry of each row of G one.
 * Near the surface delta is at round-off and an existing factorisation is reused while it
 * converges. For starts these are Levenberg-Marquardt steps, delta proportional to |r|^2, which end
 * at the least-squares point where rows contradict each other. Columns of fixed values are zero. */
#include "problem/semi_explicit/surface.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include <float.h>

/* ---- creation ---- */

static void surface_alloc_memory(dae__surface *u, dae__arena *arena)
{
  const dae__semi *s = u->s;
  int nx = s->nx, ny = s->ny, all = s->J.start[nx], count = 0;
  int *start = DAE__ALLOC(arena, int, nx + 1), *row = DAE__ALLOC(arena, int, all);
  u->entry = DAE__ALLOC(arena, int, all);
  u->unit = dae__pattern_diagonal(arena, nx);
  u->none = dae__pattern_empty(arena, 0, nx);
  u->memory = DAE__STATE(arena, dae__surface_memory, 1);
  u->stretch = DAE__STATE(arena, double, nx);
  u->row_size = DAE__STATE(arena, double, ny);
  double **vectors[] = {&u->residual, &u->scale, &u->bottom,   &u->row_rate, &u->z,
                        &u->diagonal, &u->trial, &u->identity, &u->top};
  int sizes[] = {ny, ny, ny, ny, s->n, s->n, nx, nx, nx};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__ALLOC(arena, double, sizes[i]);
  if (dae__arena_failed(arena))
    return;
  DAE__LIMIT_TRUTH(arena, &u->memory->evaluated, 2);
  DAE__LIMIT_COUNTER(arena, &u->memory->projections, 2);
  /* pattern of dF2/dx: the rows F2 and columns x of J */
  for (int j = 0; j < nx; j++) {
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++)
      if (s->J.row[e] >= nx && s->hidden[s->J.row[e] - nx])
        row[count] = s->J.row[e] - nx, u->entry[count++] = e;
    start[j + 1] = count;
  }
  u->A = (dae_pattern){ny, nx, start, row};
  u->A_values = DAE__STATE(arena, double, count);
  u->scaled = DAE__ALLOC(arena, double, count);
  if (s->p->J)
    u->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  else
    u->dA = dae__difference_create(arena, &u->A, true);
}

dae_status dae__surface_create(dae__arena *arena, dae__semi *s, dae__surface **out, dae_error *err)
{
  dae__surface *u = DAE__ALLOC(arena, dae__surface, 1);
  *out = NULL;
  if (!dae__arena_failed(arena)) {
    u->s = s;
    surface_alloc_memory(u, arena);
  }
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int j = 0; j < s->nx; j++)
    u->identity[j] = 1;
  dae_status status = dae__saddle_create(arena, &u->unit, &u->A, &u->none, &u->saddle, err);
  if (!status)
    *out = u;
  return status;
}

void dae__surface_free(dae__surface *u)
{
  if (u)
    dae__saddle_free(u->saddle);
}

/* ---- evaluations ---- */

dae_status dae__surface_residual(dae__surface *u, double t, const double *z, double *F2,
                                 dae_error *err)
{
  const dae__semi *s = u->s;
  dae_status status = dae__semi_F(u->s, t, z, s->hidden, F2, err);
  for (int i = 0; i < s->ny; i++)
    if (!s->hidden[i])
      F2[i] = 0;
  return status;
}

/* Context of differences: the surface, and the time at which x is varied. */
typedef struct vary {
  dae__surface *u;
  double t;
} vary;

static dae_status surface_F2_of_x(void *context, const double *x, double *out, dae_error *err)
{
  vary *c = context;
  dae__copy(c->u->s->nx, x, c->u->z);
  return dae__surface_residual(c->u, c->t, c->u->z, out, err);
}

dae_status dae__surface_jacobian(dae__surface *u, double t, const double *z, dae_error *err)
{
  dae__semi *s = u->s;
  u->memory->evaluated = true;
  if (!s->p->J) {
    dae__copy(s->n, z, u->z);
    return dae__difference_jacobian(&u->dA, surface_F2_of_x, &(vary){u, t}, z, u->A_values, err);
  }
  dae_status status = dae__semi_J(s, t, z, u->J, err);
  for (int e = 0; e < dae__pattern_count(&u->A) && !status; e++)
    u->A_values[e] = u->J[u->entry[e]];
  return status;
}

/* F2_t by central differences of fourth order. The time scale is not known: increments over five
 * decades are tried, powers of two, by which t can be moved exactly, and each row takes the
 * estimate that differs least from the one with the increment before. */
static dae_status surface_differenced_rate(dae__surface *u, double t, const double *z, double *F2_t,
                                           dae_error *err)
{
  static const double where[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  int ny = u->s->ny, found = 0;
  double *change = u->scale, *before = u->bottom, *now = u->row_rate;
  for (int k = 7; k <= 23; k += 2) {
    double d = ldexp(1, -k);
    dae_status status = DAE_OK;
    dae__zero(ny, now);
    for (int i = 0; i < 4 && !status; i++) {
      status = dae__surface_residual(u, t + where[i] * d, z, u->residual, NULL);
      dae__axpy(ny, weight[i] / (12 * d), u->residual, now);
    }
    if (status)
      continue;
    for (int i = 0; i < ny; i++) {
      double differs = fabs(now[i] - before[i]);
      if (found < 2 || differs < change[i])
        F2_t[i] = now[i], change[i] = differs;
    }
    dae__copy(ny, now, before);
    found++;
  }
  if (found > 0)
    return DAE_OK;
  dae__zero(ny, F2_t);
  return dae__surface_residual(u, t, z, u->residual, err); /* the callback's error at t */
}

dae_status dae__surface_rate(dae__surface *u, double t, const double *z, double *F2_t,
                             dae_error *err)
{
  dae__semi *s = u->s;
  if (!s->p->F_t || s->p->nin > 0) /* the user's F_t is at fixed inputs, which may change */
    return surface_differenced_rate(u, t, z, F2_t, err);
  dae_status status = dae__semi_F_t(s, t, z, s->hidden, F2_t, err);
  for (int i = 0; i < s->ny; i++)
    if (!s->hidden[i])
      F2_t[i] = 0;
  return status;
}

/* ---- minimum-norm corrections ---- */

/* Factors [I G'; G -shift I], with S in stretch, 1/D in row_size and G in scaled; columns of fixed
 * entries are zero. */
static dae_status surface_factor(dae__surface *u, const bool *fixed, double shift, const double *x)
{
  const dae__semi *s = u->s;
  const dae_pattern *A = &u->A;
  int nx = A->cols;
  double typical = nx > 0 ? sqrt(dae__dot(nx, x, x) / nx) : 0;
  dae__zero(A->rows, u->row_size);
  for (int j = 0; j < nx; j++) {
    u->stretch[j] = fmax(fabs(x[j]), typical > 0 ? typical : 1);
    for (int e = A->start[j]; e < A->start[j + 1]; e++) {
      u->scaled[e] = fixed && fixed[j] ? 0 : u->A_values[e] * u->stretch[j];
      u->row_size[A->row[e]] = fmax(u->row_size[A->row[e]], fabs(u->scaled[e]));
    }
  }
  for (int i = 0; i < A->rows; i++)
    if (u->row_size[i] == 0)
      u->row_size[i] = 1;
  for (int e = 0; e < dae__pattern_count(A); e++)
    u->scaled[e] /= u->row_size[A->row[e]];
  dae__zero(s->nx, u->diagonal);
  for (int i = 0; i < s->ny; i++)
    u->diagonal[s->nx + i] = s->hidden[i] ? -shift : 1;
  dae_status status = dae__saddle_factor(u->saddle, u->identity, u->scaled, NULL, u->diagonal);
  u->memory->factored = status == DAE_OK;
  u->memory->factorisations++;
  return status;
}

/* u->top = S e, the correction of x for the current residual. */
static void surface_find_step(dae__surface *u)
{
  const dae__semi *s = u->s;
  dae__zero(s->nx, u->top);
  for (int i = 0; i < s->ny; i++)
    u->bottom[i] = -u->residual[i] / u->row_size[i];
  dae__saddle_solve(u->saddle, u->top, u->bottom);
  for (int j = 0; j < s->nx; j++)
    u->top[j] *= u->stretch[j];
}

/* Largest residual relative to the terms of its row; *row: that row. */
static double surface_worst(const dae__surface *u, int *row)
{
  double max = 0;
  for (int i = 0; i < u->s->ny; i++) {
    double terms = u->scale[i] + fabs(u->residual[i]);
    double ratio = terms > 0 ? fabs(u->residual[i]) / terms : 0;
    if (ratio > max)
      max = ratio, *row = i;
  }
  return max;
}

/* ---- projection near the surface ---- */

dae_status dae__surface_project(dae__surface *u, double t, double *z, dae_error *err)
{
  dae__semi *s = u->s;
  double before = INFINITY;
  int row = 0;
  char name[64];
  for (int i = 0; i < DAE__PROJECTION_ITERATIONS; i++) {
    DAE__TRY(dae__surface_residual(u, t, z, u->residual, err));
    if (!u->memory->evaluated)
      DAE__TRY(dae__surface_jacobian(u, t, z, err));
    dae__row_scale(&u->A, u->A_values, z, u->scale);
    double now = surface_worst(u, &row);
    if (now <= DAE__ON_CONSTRAINT)
      return DAE_OK;
    /* an existing factorisation is reused as long as it reduces the residual well */
    if (!u->memory->factored || now > DAE__PROJECTION_REDUCTION * before) {
      DAE__TRY(dae__surface_jacobian(u, t, z, err));
      DAE__TRY(surface_factor(u, NULL, DAE__START_MIN_SHIFT, z));
    }
    surface_find_step(u);
    dae__axpy(s->nx, 1, u->top, z);
    if (i == 0)
      u->memory->projections++;
    if (dae__max_abs(s->nx, u->top) <= 4 * DBL_EPSILON * dae__max_abs(s->nx, z))
      return DAE_OK;
    before = now;
  }
  dae__semi_equation_name(s->p, s->nx + row, name, sizeof name);
  return dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                   "the projection onto the constraint %s does not converge", name);
}

/* ---- consistent start ---- */

/* Evaluates residual, scale and Jacobian at z; *size: largest relative residual. */
static dae_status surface_measure(dae__surface *u, double t, const double *z, double *size,
                                  dae_error *err)
{
  int row;
  DAE__TRY(dae__surface_residual(u, t, z, u->residual, err));
  DAE__TRY(dae__surface_jacobian(u, t, z, err));
  dae__row_scale(&u->A, u->A_values, z, u->scale);
  *size = surface_worst(u, &row);
  return DAE_OK;
}

/* Fails with DAE_ERROR_START, naming the constraints that are not satisfied. */
static dae_status surface_refuse(const dae__surface *u, double t, const bool *fixed, double size,
                                 dae_error *err)
{
  const dae__semi *s = u->s;
  char names[256] = "", name[64], first[64] = "";
  int count = 0;
  bool held = false;
  for (int i = 0; i < s->ny; i++)
    if (fabs(u->residual[i]) > DAE__START_MET * (u->scale[i] + fabs(u->residual[i]))) {
      dae__semi_equation_name(s->p, s->nx + i, name, sizeof name);
      dae__append(names, sizeof names, "%s%s", count ? ", " : "", name);
      if (count++ == 0)
        memcpy(first, name, sizeof first);
    }
  for (int j = 0; fixed && j < s->nx; j++)
    held = held || fixed[j];
  dae__fail(err, DAE_ERROR_START, first,
            "the start cannot be made consistent: the constraint%s %s cannot be met%s (relative "
            "residual %.2g). Check %s, %sor give better start values",
            count > 1 ? "s" : "", names, held ? " with the values that are fixed" : "", size,
            count > 1 ? "them" : "it", held ? "release fixed values, " : "");
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_START;
}

dae_status dae__surface_start(dae__surface *u, double t, const bool *fixed, double *z,
                              dae_error *err)
{
  int nx = u->s->nx;
  double size, next, damping = 1;
  bool stagnates = false;
  dae_status status = surface_measure(u, t, z, &size, err);
  for (int i = 0; i < DAE__START_ITERATIONS && !status && !stagnates && size > 4 * DBL_EPSILON;
       i++) {
    status =
        surface_factor(u, fixed, fmax(damping * fmin(1, size * size), DAE__START_MIN_SHIFT), z);
    if (status)
      break;
    dae__copy(nx, z, u->trial);
    surface_find_step(u);
    dae__axpy(nx, 1, u->top, z);
    stagnates = dae__max_abs(nx, u->top) <= DBL_EPSILON * dae__max_abs(nx, u->trial);
    status = surface_measure(u, t, z, &next, err);
    if (status == DAE_OK && next < size) {
      damping = fmax(damping / 10, DAE__START_MIN_DAMPING);
      stagnates = stagnates || (next > 0.5 * size && size < DAE__START_MET);
      size = next;
    } else if (status == DAE_OK || status == DAE_ERROR_RECOVERABLE) {
      dae__copy(nx, u->trial, z);
      status = surface_measure(u, t, z, &size, err);
      damping *= 10;
      stagnates = stagnates || size < DAE__START_MET || damping > DAE__START_MAX_DAMPING;
    }
  }
  u->memory->factored = false; /* the factors are those of a shifted matrix without fixed columns */
  return status || size <= DAE__START_MET ? status : surface_refuse(u, t, fixed, size, err);
}
