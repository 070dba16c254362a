/* The semi-explicit form of a problem for its slow motion: evaluations and matrices. */
#include "step/smooth/form.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/mechanical/view.h"
#include "problem/problem.h"
#include "step/norm.h"

#include <float.h>

/* Round-off of a stiff force, relative to the coordinates it is a function of. */
#define FORM_ROUND_OFF (16 * DBL_EPSILON)

dae_status dae__smooth_form_create(dae__arena *arena, const dae_problem *problem, double rtol,
                                   double atol, dae__smooth_form *out, dae_error *err)
{
  dae__smooth_form f = {.problem = *problem,
                        .view = *problem,
                        .size = dae_problem_size(problem),
                        .rtol = rtol,
                        .atol = atol};
  *out = f;
  if (problem->mechanical) {
    DAE__TRY(dae__view_semi(arena, problem, DAE__VIEW_GGL, &f.view, err));
    DAE__TRY(dae__motion_create(arena, dae__view_mech(&f.view), &f.motion, err));
    f.nq = f.motion->m->nq;
    *out = f;
  }
  DAE__TRY(dae__semi_create(arena, &f.view, &f.s, err));
  f.n = f.s->n;
  f.nx = f.s->nx;
  f.atol_scale = DAE__ALLOC(arena, double, f.n);
  f.M = DAE__ALLOC(arena, double, dae__pattern_count(&f.s->M));
  f.Ms = DAE__ALLOC(arena, double, dae__pattern_count(&f.s->Ms));
  f.J = DAE__ALLOC(arena, double, dae__pattern_count(&f.s->J));
  f.fF = DAE__ALLOC(arena, double, f.n);
  f.algebraic = dae__pattern_diagonal(arena, f.n - f.nx);
  f.masked = DAE__ALLOC(arena, double, f.n - f.nx);
  *out = f;
  DAE__TRY(dae__arena_status(arena, err));
  dae__problem_atol_scale(problem, atol, f.n, f.atol_scale);
  return DAE_OK;
}

void dae__smooth_form_free(dae__smooth_form *form)
{
  dae__motion_free(form->motion);
}

/* Marks the rows of dependent constraints. */
static void form_mask(dae__smooth_form *form)
{
  const dae__mech *m = form->motion ? form->motion->m : NULL;
  dae__zero(form->n - form->nx, form->masked);
  for (int i = 0; m && i < m->nc; i++)
    if (!m->active[i]) {
      form->masked[m->nw + i] = 1;
      if (i < m->ng)
        form->masked[m->nw + m->nc + i] = 1;
    }
}

dae_status dae__smooth_form_consistent(dae__smooth_form *form, double t, const bool *fixed,
                                       double *z, double *dz, dae_error *err)
{
  const dae__mech *m = form->motion ? form->motion->m : NULL;
  dae__zero(form->n - form->size, z + form->size);
  dae__zero(form->n, dz);
  if (!m)
    return dae__semi_consistent(form->s, t, fixed, z, dz, NULL, err);
  DAE__TRY(dae__mech_inputs(form->motion->m, t, err));
  DAE__TRY(dae__mech_consistent(form->motion, t, fixed, z, dz, NULL, err));
  dae__zero(form->n - form->nx, dz + form->nx);
  form_mask(form);
  return DAE_OK;
}

dae_status dae__smooth_form_select(dae__smooth_form *form, double t, const double *z,
                                   dae_error *err)
{
  if (form->motion && form->motion->m->count->dependent > 0)
    DAE__TRY(dae__motion_select_independent(form->motion, t, z, NULL, 0, err));
  form_mask(form);
  return DAE_OK;
}

dae_status dae__smooth_form_residual(dae__smooth_form *form, double t, const double *z,
                                     const double *k, double *r, dae_error *err)
{
  int n = form->n, nx = form->nx;
  DAE__TRY(dae__semi_rhs(form->s, t, z, r, err));
  DAE__TRY(dae__semi_M(form->s, t, z, form->M, err));
  dae__scale(n, -1, r);
  dae__matrix_times(&form->s->M, form->M, 1, k, r);
  for (int i = 0; i < n - nx; i++)
    if (form->masked[i] != 0)
      r[nx + i] = z[nx + i];
  return DAE_OK;
}

dae_status dae__smooth_form_linearise(dae__smooth_form *form, double t, const double *z,
                                      const double *k, dae_error *err)
{
  DAE__TRY(dae__semi_M(form->s, t, z, form->M, err));
  DAE__TRY(dae__semi_Ms(form->s, t, z, k, form->Ms, err));
  return dae__semi_J(form->s, NULL, t, z, form->J, err);
}

double dae__smooth_form_norm(const dae__smooth_form *form, const double *x, const double *at)
{
  double sum = 0;
  for (int i = 0; i < form->nx; i++) {
    double e = x[i] / (form->rtol * fabs(at[i]) + form->atol * form->atol_scale[i]);
    sum += e * e;
  }
  return form->nx > 0 ? sqrt(sum / form->nx) : 0;
}

double dae__smooth_form_noise(const dae__smooth_form *form, double rate, const double *at)
{
  double sum = 0, v = FORM_ROUND_OFF * rate * dae__max_abs(form->nq, at);
  for (int i = form->nq; i < 2 * form->nq; i++) {
    double e = v / (form->rtol * fabs(at[i]) + form->atol * form->atol_scale[i]);
    sum += e * e;
  }
  return form->nx > 0 ? sqrt(sum / form->nx) : 0;
}

/* ---- matrices ---- */

dae_status dae__smooth_matrix_create(dae__arena *arena, const dae__smooth_form *form, int s,
                                     dae__smooth_matrix *out, dae_error *err)
{
  dae__block blocks[DAE__SMOOTH_STAGES * (3 + DAE__SMOOTH_STAGES)];
  int n = form->n, nx = form->nx, count = 0;
  *out = (dae__smooth_matrix){.s = s};
  for (int i = 0; i < s; i++) {
    blocks[count++] = (dae__block){.row = i * n, .col = i * n, .pattern = &form->s->J};
    blocks[count++] = (dae__block){.row = i * n, .col = i * n, .pattern = &form->s->Ms};
    blocks[count++] =
        (dae__block){.row = i * n + nx, .col = i * n + nx, .pattern = &form->algebraic};
    for (int j = 0; j < s; j++)
      blocks[count++] = (dae__block){.row = i * n, .col = j * n, .pattern = &form->s->M};
  }
  out->pattern = dae__blocks_merge(arena, s * n, s * n, blocks, count);
  DAE__TRY(dae__arena_status(arena, err));
  count = 0;
  for (int i = 0; i < s; i++) {
    out->J[i] = blocks[count++];
    out->Ms[i] = blocks[count++];
    out->masked[i] = blocks[count++];
    for (int j = 0; j < s; j++)
      out->M[i * s + j] = blocks[count++];
  }
  out->values = DAE__ALLOC(arena, double, dae__pattern_count(&out->pattern));
  DAE__TRY(dae__arena_status(arena, err));
  return dae__solver_create(arena, &out->pattern, &out->solver, err);
}

void dae__smooth_matrix_add(dae__smooth_matrix *matrix, const dae__smooth_form *form, int i,
                            const double *c)
{
  int s = matrix->s;
  double *values = matrix->values;
  if (i == 0)
    dae__zero(dae__pattern_count(&matrix->pattern), values);
  dae__block_add(&matrix->J[i], -1, form->J, values);
  dae__block_add(&matrix->masked[i], 1, form->masked, values);
  if (!form->s->constant_mass)
    dae__block_add(&matrix->Ms[i], 1, form->Ms, values);
  for (int j = 0; j < s; j++)
    dae__block_add(&matrix->M[i * s + j], c[j], form->M, values);
}
