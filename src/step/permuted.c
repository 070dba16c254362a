/* Every verb is the child's; state vectors are put in order on the way. The method's name is the
 * child's too. */
#include "step/permuted.h"
#include "core/error.h"
#include "step/integrator.h"
#include <string.h>

typedef struct permuted {
  dae__integrator_table table;
  dae_integrator *child;
  int size;
  int *order;
  double *y, *dy; /* scratch: the child's */
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

/* each entry exactly once */
static bool permuted_is_permutation(const int *order, int size, int *seen)
{
  for (int i = 0; i < size; i++) {
    if (order[i] < 0 || order[i] >= size || seen[order[i]])
      return false;
    seen[order[i]] = 1;
  }
  return true;
}

dae_status dae__permuted_create(dae__arena *arena, dae_integrator *child, const int *order,
                                int size, dae_integrator **out, dae_error *err)
{
  permuted *p = DAE__ALLOC(arena, permuted, 1);
  int *own = DAE__ALLOC(arena, int, size), *seen = DAE__ALLOC(arena, int, size);
  double *y = DAE__ALLOC(arena, double, size), *dy = DAE__ALLOC(arena, double, size);
  dae_view view = dae_integrator_view(child);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  if (view.size != size || !permuted_is_permutation(order, size, seen))
    return dae__fail(err, DAE_ERROR_USAGE, "order",
                     "the order is not a permutation of the %d variables of the integrator",
                     view.size);
  memcpy(own, order, (size_t)size * sizeof *own);
  *p = (permuted){.table = {.method = view.method,
                            .step = permuted_step,
                            .view = permuted_view,
                            .interpolate = permuted_interpolate,
                            .restart = permuted_restart,
                            .stats = permuted_stats,
                            .free = permuted_free,
                            .child = permuted_child},
                  .child = child,
                  .size = size,
                  .order = own,
                  .y = y,
                  .dy = dy};
  dae_status status = dae__integrator_create(arena, &p->table, p, out);
  return status ? dae__out_of_memory(err) : DAE_OK;
}
