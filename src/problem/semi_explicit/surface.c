/* The level of x on the surface F2(t,x) = 0, with minimum-norm corrections
 *
 *   [ I   G'     ] [ e ]   [  0   ]
 *   [ G  -delta I] [ . ] = [ -D r ],   G = D A S,  A = dF2/dx,  r = F2,   x += S e
 *
 * where S_j = max(|x_j|, root mean square of x) and D makes the largest entry of each row of G one.
 * Near the surface delta is at round-off. */
#include "problem/semi_explicit/surface.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"

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

/* dF2/dx at x, into u->A_values; y is that of u->z. */
static dae_status surface_jacobian_of_x(dae__surface *u, double t, const double *x, dae_error *err)
{
  dae__semi *s = u->s;
  u->memory->evaluated = true;
  if (!s->p->J)
    return dae__difference_jacobian(&u->dA, surface_F2_of_x, &(vary){u, t}, x, u->A_values, err);
  dae__copy(s->nx, x, u->z);
  dae_status status = dae__semi_J(s, NULL, t, u->z, u->J, err);
  for (int e = 0; e < dae__pattern_count(&u->A) && !status; e++)
    u->A_values[e] = u->J[u->entry[e]];
  return status;
}

dae_status dae__surface_jacobian(dae__surface *u, double t, const double *z, dae_error *err)
{
  dae__copy(u->s->ny, z + u->s->nx, u->z + u->s->nx);
  return surface_jacobian_of_x(u, t, z, err);
}

/* F2_t by central differences of fourth order. The time scale is not known: increments over five
 * decades are tried, powers of two, by which t can be moved exactly, and each row takes the
 * estimate that differs least from the one with the increment before. */
static dae_status surface_differenced_rate(dae__surface *u, double t, const double *z, double *F2_t,
                                           dae_error *err)
{
  static const double where[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
  int ny = u->s->ny, found = 0;
  double *change = u->change, *before = u->before, *now = u->row_rate;
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

/* ---- level ---- */

static const char *surface_name(const dae__level *l, int i, char *text, size_t size)
{
  const dae__semi *s = ((const dae__surface *)l->self)->s;
  return i < l->n ? dae__semi_variable_name(s->p, i, text, size)
                  : dae__semi_equation_name(s->p, i, text, size);
}

static dae_status surface_level_residual(dae__level *l, const double *x, bool scaled,
                                         dae_error *err)
{
  dae__surface *u = l->self;
  dae__copy(l->n, x, u->z);
  DAE__TRY(dae__surface_residual(u, l->t, u->z, l->residual, err));
  if (!scaled)
    return DAE_OK;
  if (l->start || !u->memory->evaluated)
    DAE__TRY(surface_jacobian_of_x(u, l->t, x, err));
  dae__row_scale(&u->A, u->A_values, x, l->scale);
  return DAE_OK;
}

/* A at x, scaled by S and D; columns of fixed entries are zero, and do not count for D. */
static dae_status surface_level_jacobian(dae__level *l, const double *x, dae_error *err)
{
  dae__surface *u = l->self;
  const dae_pattern *A = &u->A;
  int nx = l->n;
  double typical = nx > 0 ? sqrt(dae__dot(nx, x, x) / nx) : 0;
  if (!l->start)
    DAE__TRY(surface_jacobian_of_x(u, l->t, x, err));
  dae__zero(A->rows, u->row_size);
  for (int j = 0; j < nx; j++) {
    u->stretch[j] = fmax(fabs(x[j]), typical > 0 ? typical : 1);
    for (int e = A->start[j]; e < A->start[j + 1]; e++) {
      u->scaled[e] = l->fixed && l->fixed[j] ? 0 : u->A_values[e] * u->stretch[j];
      u->row_size[A->row[e]] = fmax(u->row_size[A->row[e]], fabs(u->scaled[e]));
    }
  }
  for (int i = 0; i < A->rows; i++)
    if (u->row_size[i] == 0)
      u->row_size[i] = 1;
  for (int e = 0; e < dae__pattern_count(A); e++)
    u->scaled[e] /= u->row_size[A->row[e]];
  return DAE_OK;
}

static const dae__level_table surface_table = {surface_level_residual, surface_level_jacobian,
                                               surface_name, NULL};

static dae__level *surface_level_at(dae__surface *u, double t, const bool *fixed, double *z)
{
  dae__copy(u->s->n, z, u->z);
  u->level.t = t;
  u->level.x = z;
  u->level.fixed = fixed;
  return &u->level;
}

dae_status dae__surface_project(dae__surface *u, double t, double *z, dae_error *err)
{
  bool moved = false;
  dae_status status = dae__level_project(surface_level_at(u, t, NULL, z), &moved, err);
  u->memory->projections += moved;
  return status;
}

dae_status dae__surface_start(dae__surface *u, double t, const bool *fixed, double *z,
                              dae_error *err)
{
  return dae__level_start(surface_level_at(u, t, fixed, z), err);
}

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
  double **vectors[] = {&u->residual, &u->change, &u->before, &u->row_rate, &u->z, &u->identity};
  int sizes[] = {ny, ny, ny, ny, s->n, nx};
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
  DAE__TRY(dae__arena_status(arena, err));
  for (int j = 0; j < s->nx; j++)
    u->identity[j] = 1;
  DAE__TRY(dae__saddle_create(arena, &u->unit, &u->A, &u->none, &u->saddle, err));
  u->level = (dae__level){.table = &surface_table,
                          .self = u,
                          .where = "",
                          .n = u->s->nx,
                          .rows = u->s->ny,
                          .saddle = u->saddle,
                          .M = &u->unit,
                          .G = &u->A,
                          .K = &u->none,
                          .M_values = u->identity,
                          .G_values = u->scaled,
                          .stretch = u->stretch,
                          .row_size = u->row_size,
                          .active = u->s->hidden,
                          .shift = DAE__START_MIN_SHIFT,
                          .factored = &u->memory->factored,
                          .factorisations = &u->memory->factorisations};
  dae__level_alloc(arena, &u->level);
  *out = u;
  return dae__arena_status(arena, err);
}

void dae__surface_free(dae__surface *u)
{
  if (u)
    dae__saddle_free(u->saddle);
}
