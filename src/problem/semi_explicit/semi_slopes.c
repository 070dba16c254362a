#include "problem/semi_explicit/semi_slopes.h"
#include "core/error.h"
#include "core/vec.h"

dae_status dae__semi_slopes_prepare(dae__arena *arena, dae__semi *s, dae__semi_slopes *out,
                                    dae_error *err)
{
  *out = (dae__semi_slopes){.s = s};
  out->M = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  out->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  out->F_t = DAE__ALLOC(arena, double, s->ny);
  out->u = DAE__ALLOC(arena, double, s->n);
  out->point = DAE__ALLOC(arena, double, s->n);
  if (!s->p->J)
    out->fine = dae__difference_create(arena, &s->J, true);
  int *start = DAE__ALLOC(arena, int, s->ny + 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int j = 0; j <= s->ny; j++)
    start[j] = s->J.start[s->nx + j] - s->J.start[s->nx];
  out->J_y = (dae_pattern){s->n, s->ny, start, s->J.row + s->J.start[s->nx]};
  return DAE_OK;
}

dae_status dae__semi_slopes_create(dae__arena *arena, dae__surface *surface,
                                   dae__semi_slopes *slopes, dae_error *err)
{
  dae__semi *s = slopes->s;
  dae__block blocks[3] = {
      {.pattern = &s->M}, {.col = s->nx, .pattern = &slopes->J_y}, {.row = s->nx}};
  slopes->surface = surface;
  blocks[2].pattern = surface ? &surface->A : NULL;
  slopes->pattern = dae__blocks_merge(arena, s->n, s->n, blocks, surface ? 3 : 2);
  slopes->M_at = blocks[0];
  slopes->J_y_at = blocks[1];
  slopes->A_at = blocks[2];
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae_status status = dae__semi_newton_create(arena, &slopes->pattern, s->nx, &slopes->newton, err);
  slopes->newton.tolerance = DAE__SEMI_SINGULAR;
  return status;
}

void dae__semi_slopes_free(dae__semi_slopes *slopes)
{
  dae__semi_newton_free(&slopes->newton);
}

static void semi_set_point(dae__semi_slopes *w, const double *u)
{
  dae__copy(w->s->nx, w->z, w->point);
  dae__copy(w->s->ny, u + w->s->nx, w->point + w->s->nx);
}

static dae_status semi_residual(void *self, const double *u, double *r, dae_error *err)
{
  dae__semi_slopes *w = self;
  dae__semi *s = w->s;
  semi_set_point(w, u);
  DAE__TRY(dae__semi_rhs(s, w->t, w->point, r, err));
  dae__scale(s->n, -1, r);
  dae__matrix_times(&s->M, w->M, 1, u, r);
  for (int i = 0; i < s->ny; i++)
    if (s->hidden[i])
      r[s->nx + i] = w->F_t[i];
  if (w->surface)
    dae__matrix_times(&w->surface->A, w->surface->A_values, 1, u, r + s->nx);
  return DAE_OK;
}

static dae_status semi_matrix(void *self, const double *u, double *values, dae_error *err)
{
  dae__semi_slopes *w = self;
  semi_set_point(w, u);
  dae_status status = dae__semi_J_by(w->s, &w->fine, w->t, w->point, w->J, err);
  dae__zero(dae__pattern_count(&w->pattern), values);
  dae__block_add(&w->M_at, 1, w->M, values);
  dae__block_add(&w->J_y_at, -1, w->J + w->s->J.start[w->s->nx], values);
  if (w->surface)
    dae__block_add(&w->A_at, 1, w->surface->A_values, values);
  return status;
}

/* M, and what the time derivative of F2 needs */
static dae_status semi_evaluate(dae__semi_slopes *w, dae_error *err)
{
  dae_status status = dae__semi_M(w->s, w->t, w->z, w->M, err);
  if (!status && w->surface)
    status = dae__surface_jacobian(w->surface, w->t, w->z, err);
  if (!status && w->surface)
    status = dae__surface_rate(w->surface, w->t, w->z, w->F_t, err);
  return status;
}

dae_status dae__semi_slopes_solve(dae__semi_slopes *slopes, double t, double *z, double *dx,
                                  dae_error *err)
{
  dae__semi *s = slopes->s;
  dae__semi_system system = {slopes, semi_residual, semi_matrix};
  slopes->t = t;
  slopes->z = z;
  dae_status status = semi_evaluate(slopes, err);
  DAE__TRY(status);
  /* without M the slopes at the guess are f: what is left to find is y */
  dae__zero(s->nx, slopes->u);
  if (!s->p->M)
    status = dae__semi_rhs(s, t, z, slopes->u, err);
  dae__copy(s->ny, z + s->nx, slopes->u + s->nx);
  DAE__TRY(status);
  DAE__TRY(dae__semi_newton_solve(&slopes->newton, &system, slopes->u, err));
  dae__copy(s->ny, slopes->u + s->nx, z + s->nx);
  dae__copy(s->nx, slopes->u, dx);
  return DAE_OK;
}
