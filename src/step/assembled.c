#include "step/assembled.h"
#include "core/error.h"
#include "problem/consistent.h"
#include "problem/coupled/assembly.h"
#include "step/integrator.h"
#include <string.h>

/* ---- permuted integrator: functions of the child, with state vectors in another order ---- */

typedef struct permuted {
  dae__integrator_table table;
  dae_integrator *child;
  int size;
  int *order;
  double *y, *dy; /* workspace: state vector of the child, and its derivative */
} permuted;

static dae_status permuted_step(void *self, double t_stop, dae_error *err)
{
  permuted *p = self;
  return dae_integrator_step(p->child, t_stop, err);
}

static dae_view permuted_view(const void *self)
{
  const permuted *p = self;
  return dae_integrator_view(p->child);
}

static dae_status permuted_interpolate(void *self, double t, double *y, double *dy, dae_error *err)
{
  permuted *p = self;
  dae_status status = dae_integrator_interpolate(p->child, t, p->y, dy ? p->dy : NULL, err);
  for (int i = 0; i < p->size && status >= 0; i++) {
    y[i] = p->y[p->order[i]];
    if (dy)
      dy[i] = p->dy[p->order[i]];
  }
  return status;
}

static void permuted_interpolate_raw(void *self, double t, double *y, double *dy)
{
  permuted *p = self;
  p->child->table->interpolate_raw(p->child->self, t, p->y, dy ? p->dy : NULL);
  for (int i = 0; i < p->size; i++) {
    y[i] = p->y[p->order[i]];
    if (dy)
      dy[i] = p->dy[p->order[i]];
  }
}

static dae_status permuted_restart(void *self, double t, const double *y, dae_error *err)
{
  permuted *p = self;
  for (int i = 0; i < p->size; i++)
    p->y[p->order[i]] = y[i];
  return dae_integrator_restart(p->child, t, p->y, err);
}

static dae_stats permuted_stats(const void *self)
{
  const permuted *p = self;
  return dae_integrator_stats(p->child);
}

static dae_limits permuted_limits(const void *self, int i)
{
  const permuted *p = self;
  return dae_integrator_limits(p->child, p->order[i]);
}

static void permuted_free(void *self)
{
  permuted *p = self;
  dae_integrator_free(p->child);
}

static dae_integrator *permuted_child(const void *self, int i)
{
  const permuted *p = self;
  return i == 0 ? p->child : NULL;
}

dae_status dae__permuted_create(dae__arena *arena, dae_integrator *child, const int *order,
                                int size, dae_integrator **out, dae_error *err)
{
  permuted *p = DAE__ALLOC(arena, permuted, 1);
  int *own = DAE__ALLOC(arena, int, size), *seen = DAE__ALLOC(arena, int, size);
  double *y = DAE__ALLOC(arena, double, size), *dy = DAE__ALLOC(arena, double, size);
  dae_view view = dae_integrator_view(child);
  DAE__TRY(dae__arena_status(arena, err));
  bool valid = view.size == size;
  for (int i = 0; i < size && valid; i++) {
    valid = order[i] >= 0 && order[i] < size && !seen[order[i]];
    if (valid)
      seen[order[i]] = 1;
  }
  if (!valid)
    return dae__fail(err, DAE_ERROR_USAGE, "order",
                     "the order is not a permutation of the %d variables of the integrator",
                     view.size);
  memcpy(own, order, (size_t)size * sizeof *own);
  *p = (permuted){
      .table = {.method = view.method,
                .step = permuted_step,
                .view = permuted_view,
                .interpolate = permuted_interpolate,
                .interpolate_raw = child->table->interpolate_raw ? permuted_interpolate_raw : NULL,
                .restart = permuted_restart,
                .stats = permuted_stats,
                .limits = permuted_limits,
                .free = permuted_free,
                .child = permuted_child},
      .child = child,
      .size = size,
      .order = own,
      .y = y,
      .dy = dy};
  return dae__integrator_create(arena, &p->table, p, out) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- assembled problems ---- */

dae_status dae__assembled_check_problem(const dae_problem *problem, dae__problem_check *check,
                                        const void *method, dae_error *err)
{
  DAE__TRY(dae_problem_validate(problem, err));
  if (!problem->coupled)
    return check(method, problem, err);
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly;
  dae_status status = dae__assembly_create(arena, problem, &assembly, err);
  if (!status)
    status = check(method, dae__assembly_problem(assembly), err);
  dae__arena_free(arena);
  return status;
}

static dae_status assembled_create_at(const dae_problem *problem, const dae_start *start,
                                      dae__create_single *create, const void *request,
                                      const dae_env *env, dae_integrator **out, dae_error *err)
{
  if (!problem->coupled)
    return create(request, problem, start, env, out, err);
  dae__arena *arena = dae__arena_create(env);
  int size = dae_problem_size(problem);
  double *y = DAE__ALLOC(arena, double, size);
  bool *fixed = start->fixed ? DAE__ALLOC(arena, bool, size) : NULL;
  dae__assembly *assembly;
  dae_integrator *child = NULL;
  dae_status status = dae__assembly_create(arena, problem, &assembly, err);
  if (status)
    goto fail;
  const int *order = dae__assembly_order(assembly);
  for (int i = 0; i < size; i++) {
    y[order[i]] = start->y[i];
    if (fixed)
      fixed[order[i]] = start->fixed[i];
  }
  dae_start inner = {.t = start->t, .y = y, .fixed = fixed, .to = start->to};
  status = create(request, dae__assembly_problem(assembly), &inner, env, &child, err);
  if (!status)
    status = dae__permuted_create(arena, child, order, size, out, err);
  if (!status)
    return DAE_OK;
fail:
  dae_integrator_free(child);
  dae__arena_free(arena);
  return status;
}

dae_status dae__assembled_create(const dae_problem *problem, const dae_start *start,
                                 dae__create_single *create, const void *request,
                                 const dae_env *env, dae_integrator **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae_problem_validate(problem, err));
  DAE__TRY(dae__start_begin(problem, start, err));
  if (!start->given)
    return assembled_create_at(problem, start, create, request, env, out, err);
  dae_start from = {.t = start->t, .y = start->y, .fixed = start->fixed, .to = start->to};
  if (dae__start_is_met(problem, start, env))
    return assembled_create_at(problem, &from, create, request, env, out, err);
  /* given values outweigh the others; a start refused here may still be one for the method */
  dae__arena *arena = dae__arena_create(env);
  double *y = DAE__ALLOC(arena, double, dae_problem_size(problem));
  dae_status status =
      y ? dae_consistent_start(problem, start, env, y, NULL, NULL, err) : dae__out_of_memory(err);
  if (!status)
    from.y = y;
  if (!status || status == DAE_ERROR_START)
    status = assembled_create_at(problem, &from, create, request, env, out, err);
  dae__arena_free(arena);
  return status;
}
