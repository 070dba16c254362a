/* The assembled semi-explicit problem: x of all parts, then y of all parts; M = diag(M_i), the
 * identity for parts without M, or no M where no part has one. Parts are evaluated at the assembled
 * point in the form of a mechanical one, with u = x and w = y. */
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/coupled/assembly_private.h"

/* The assembled point in the form of a mechanical one, with u = x and w = y. */
static dae_mechanical_at assembly_semi_point(const dae_semi_explicit_at *at)
{
  return (dae_mechanical_at){.t = at->t, .u = at->x, .w = at->y};
}

/* f and F, or F_t, of all parts; NULL: not evaluated. F_t is at fixed inputs, which are variables
 * of other parts. */
static int assembly_semi_eval_rows(dae__assembly *a, const dae_semi_explicit_at *at, double *f,
                                   double *F, double *F_t)
{
  dae_mechanical_at all = assembly_semi_point(at);
  dae_status status = DAE_OK;
  for (int i = 0; i < a->parts && !status; i++) {
    dae__element *e = &a->element[i];
    dae_mechanical_at here = dae__element_at(e, &all);
    dae__element_inputs(e, &a->total, &all);
    status = dae__element_semi(e, &here, dae__sub(f, e->at.u), dae__sub(F, e->at.w),
                               dae__sub(F_t, e->at.w), &a->last);
    status = dae__element_diagnose(a, e, status);
  }
  return dae__callback_code(status);
}

#define EVAL_ROWS(name, f, F, F_t)                                                                 \
  static int assembly_semi_eval_##name(void *user, const dae_semi_explicit_at *at, double *out)    \
  {                                                                                                \
    return assembly_semi_eval_rows(user, at, f, F, F_t);                                           \
  }
EVAL_ROWS(f, out, NULL, NULL)
EVAL_ROWS(F, NULL, out, NULL)
EVAL_ROWS(F_t, NULL, NULL, out)
#undef EVAL_ROWS

static int assembly_semi_eval_J(void *user, const dae_semi_explicit_at *at, double *out)
{
  dae_mechanical_at all = assembly_semi_point(at);
  return dae__assembly_J(user, &all, out);
}

/* out = M, or (M s)_x where s is not NULL. */
static int assembly_semi_eval_mass(dae__assembly *a, const dae_semi_explicit_at *at,
                                   const double *s, dae__mosaic *m, double *out)
{
  dae_mechanical_at all = assembly_semi_point(at);
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&m->pattern), out);
  for (int i = 0; i < a->parts && !status; i++) {
    dae__element *e = &a->element[i];
    dae_mechanical_at here = dae__element_at(e, &all);
    const double *xy = dae__element_xy(e, &here);
    status = s ? dae__semi_Ms(e->semi, at->t, xy, s + e->at.u, m->values, &a->last)
               : dae__semi_M(e->semi, at->t, xy, m->values, &a->last);
    status = dae__element_diagnose(a, e, status);
    if (!status)
      dae__mosaic_add(m, i, out);
  }
  return dae__callback_code(status);
}

static int assembly_semi_eval_M(void *user, const dae_semi_explicit_at *at, double *out)
{
  dae__assembly *a = user;
  return assembly_semi_eval_mass(a, at, NULL, &a->M, out);
}

static int assembly_semi_eval_Ms(void *user, const dae_semi_explicit_at *at, const double *s,
                                 double *out)
{
  dae__assembly *a = user;
  return assembly_semi_eval_mass(a, at, s, &a->Ms, out);
}

/* ---- the assembled problem ---- */

static void assembly_semi_create_matrices(dae__assembly *a, dae__arena *arena)
{
  int nx = a->total.u;
  dae__mosaic_alloc(a, arena, 1, &a->M);
  dae__mosaic_alloc(a, arena, 1, &a->Ms);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < a->parts; i++) {
    const dae__element *e = &a->element[i];
    a->M.piece[i] = (dae__piece){&e->semi->M, e->z, e->z, NULL};
    a->Ms.piece[i] = (dae__piece){&e->semi->Ms, e->z, e->z, NULL};
  }
  dae__mosaic_merge(a, arena, nx, nx, 1, &a->M);
  dae__mosaic_merge(a, arena, nx, nx, 1, &a->Ms);
  dae__assembly_J_pieces(a, arena);
}

void dae__assembly_semi(dae__assembly *a, dae__arena *arena)
{
  dae_semi_explicit *p = &a->semi_explicit;
  assembly_semi_create_matrices(a, arena);
  *p = (dae_semi_explicit){.name = a->coupled->name,
                           .nx = a->total.u,
                           .ny = a->total.w,
                           .index = 1,
                           .user = a,
                           .f = assembly_semi_eval_f,
                           .F = assembly_semi_eval_F,
                           .F_t = assembly_semi_eval_F_t,
                           .J = assembly_semi_eval_J,
                           .constant_mass = true};
  for (int i = 0; i < a->parts; i++) {
    const dae_semi_explicit *own = a->element[i].semi->p;
    /* the largest index declared, if it is above 1; else 0, unknown, where a part declares none or
     * wires may raise it */
    if (own->index > 1)
      p->index = own->index > p->index ? own->index : p->index;
    else if (p->index == 1 && (own->index == 0 || a->coupled->wires > 0))
      p->index = 0;
    if (own->M)
      p->M = assembly_semi_eval_M;
    if (own->M && !own->constant_mass)
      p->constant_mass = false, p->Ms_x = assembly_semi_eval_Ms;
    if (own->ny > 0 && !own->F_t)
      p->F_t = NULL;
  }
  p->x_names = dae__assembly_names(a, arena, 'u');
  p->y_names = dae__assembly_names(a, arena, 'w');
  p->f_names = dae__assembly_names(a, arena, 'f');
  p->F_names = dae__assembly_names(a, arena, 'F');
  if (a->sparse) {
    p->J_pattern = &a->J.pattern;
    p->M_pattern = p->M ? &a->M.pattern : NULL;
    p->Ms_pattern = p->M ? &a->Ms.pattern : NULL;
  }
  a->problem.semi_explicit = p;
}
