/* Functions of the public integrator handle: they check their arguments, then call the method's
 * table. */
#include "step/integrator.h"

#include "core/error.h"
#include "core/vec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct dae_integrator {
  const dae__integrator_table *table;
  void *self;
  dae__arena *arena;
};

dae_status dae__integrator_create(dae__arena *arena, const dae__integrator_table *table, void *self,
                                  dae_integrator **out)
{
  dae_integrator *it = DAE__ALLOC(arena, dae_integrator, 1);
  if (!it)
    return DAE_ERROR_MEMORY;
  *it = (dae_integrator){.table = table, .self = self, .arena = arena};
  *out = it;
  return DAE_OK;
}

void dae_integrator_free(dae_integrator *it)
{
  if (!it)
    return;
  if (it->table->free)
    it->table->free(it->self);
  dae__arena_free(it->arena); /* frees the handle, too, which lies in the arena */
}

dae_view dae_integrator_view(const dae_integrator *it)
{
  dae_view view = it->table->view(it->self);
  view.method = it->table->method;
  return view;
}

dae_stats dae_integrator_stats(const dae_integrator *it)
{
  return it->table->stats(it->self);
}

dae_status dae_integrator_step(dae_integrator *it, double t_stop, dae_error *err)
{
  double t = it->table->view(it->self).t;
  if (!(isfinite(t_stop) && t_stop > t)) /* rejects NaN, too */
    return dae__fail(err, DAE_ERROR_USAGE, "t_stop",
                     "step: t_stop = %.17g does not lie beyond the current time t = %.17g", t_stop,
                     t);
  return it->table->step(it->self, t_stop, err);
}

dae_status dae_integrator_interpolate(dae_integrator *it, double t, double *y, double *dy,
                                      dae_error *err)
{
  dae_view view = dae_integrator_view(it);
  /* tolerance for the round-off of a caller that computes t from t_previous, t and a step size */
  double slack = 16 * DBL_EPSILON * fmax(fabs(view.t), fabs(view.t_previous));
  if (!(t >= view.t_previous - slack && t <= view.t + slack))
    return dae__fail(err, DAE_ERROR_USAGE, "t",
                     "interpolate: t = %.17g lies outside the last step, [%.17g, %.17g]", t,
                     view.t_previous, view.t);
  if (!y)
    return dae__fail(err, DAE_ERROR_USAGE, "y", "interpolate: y is NULL");
  return it->table->interpolate(it->self, fmin(fmax(t, view.t_previous), view.t), y, dy, err);
}

dae_status dae__integrator_interpolate_unprojected(dae_integrator *it, double t, double *y,
                                                   dae_error *err)
{
  return it->table->interpolate_unprojected
             ? it->table->interpolate_unprojected(it->self, t, y, err)
             : dae_integrator_interpolate(it, t, y, NULL, err);
}

dae_status dae__integrator_interpolate_raw(dae_integrator *it, double t, double *y, dae_error *err)
{
  if (!it->table->interpolate_raw)
    return dae_integrator_interpolate(it, t, y, NULL, err);
  it->table->interpolate_raw(it->self, t, y);
  return DAE_OK;
}

dae_status dae_integrator_restart(dae_integrator *it, double t, const double *y, dae_error *err)
{
  if (!isfinite(t))
    return dae__fail(err, DAE_ERROR_USAGE, "t", "restart: t = %g is not a finite time", t);
  if (!y)
    return dae__fail(err, DAE_ERROR_USAGE, "y", "restart: y is NULL");
  int size = dae_integrator_view(it).size;
  for (int i = 0; i < size; i++)
    if (!isfinite(y[i]))
      return dae__fail(err, DAE_ERROR_USAGE, "y",
                       "restart: entry %d of the state vector is %g, not a finite number", i, y[i]);
  return it->table->restart(it->self, t, y, err);
}

void *dae__integrator_self(const dae_integrator *it, const dae__integrator_table **table)
{
  *table = it->table;
  return it->self;
}

dae_status dae__integrator_adjust(dae_integrator *it, const double *y, dae_error *err)
{
  if (it->table->adjust)
    return it->table->adjust(it->self, y, err);
  return dae_integrator_restart(it, dae_integrator_view(it).t, y, err);
}

/* ---- save and load ---- */

/* Header of a saved buffer: method, size, and number of bytes that follow. */
typedef struct saved_header {
  char magic[8];
  int version;
  int state_size;
  char method[32];
  size_t bytes;
} saved_header;

static dae_integrator *integrator_child(const dae_integrator *it, int i)
{
  return it->table->child ? it->table->child(it->self, i) : NULL;
}

size_t dae_integrator_save_size(const dae_integrator *it)
{
  size_t bytes = sizeof(saved_header) + dae__arena_state_size(it->arena);
  for (int i = 0; integrator_child(it, i); i++)
    bytes += dae_integrator_save_size(integrator_child(it, i));
  return bytes;
}

static saved_header integrator_header(const dae_integrator *it)
{
  saved_header header;
  memset(&header, 0, sizeof header); /* zeroed padding, so that equal states give equal bytes */
  memcpy(header.magic, "daedal\r\n", sizeof header.magic);
  header.version = 1;
  header.state_size = dae_integrator_view(it).size;
  snprintf(header.method, sizeof header.method, "%s", it->table->method);
  header.bytes = dae_integrator_save_size(it) - sizeof header;
  return header;
}

dae_status dae_integrator_save(const dae_integrator *it, void *buffer, size_t size, dae_error *err)
{
  size_t needed = dae_integrator_save_size(it);
  if (!buffer || size < needed)
    return dae__fail(err, DAE_ERROR_USAGE, "size",
                     "save: the buffer has %zu bytes, %zu are needed (dae_integrator_save_size)",
                     buffer ? size : 0, needed);
  saved_header header = integrator_header(it);
  char *to = buffer;
  memcpy(to, &header, sizeof header);
  to += sizeof header;
  dae__arena_save(it->arena, to);
  to += dae__arena_state_size(it->arena);
  for (int i = 0; integrator_child(it, i); i++) {
    size_t bytes = dae_integrator_save_size(integrator_child(it, i));
    DAE__TRY(dae_integrator_save(integrator_child(it, i), to, bytes, err));
    to += bytes;
  }
  return DAE_OK;
}

dae_status dae_integrator_load(dae_integrator *it, const void *buffer, size_t size, dae_error *err)
{
  saved_header expected = integrator_header(it), header;
  if (!buffer || size < sizeof header)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer", "load: %zu bytes cannot be a saved integrator",
                     buffer ? size : 0);
  memcpy(&header, buffer, sizeof header);
  if (memcmp(header.magic, expected.magic, sizeof expected.magic) != 0 ||
      header.version != expected.version)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer was not written by dae_integrator_save of this version");
  if (strncmp(header.method, expected.method, sizeof expected.method) != 0 ||
      header.state_size != expected.state_size || header.bytes != expected.bytes)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer holds %.31s with %d variables and %zu bytes, this is %s "
                     "with %d and %zu: problem, method and options must be the same",
                     header.method, header.state_size, header.bytes, expected.method,
                     expected.state_size, expected.bytes);
  if (size < sizeof header + header.bytes)
    return dae__fail(err, DAE_ERROR_USAGE, "buffer",
                     "load: the buffer is cut off: %zu bytes of %zu", size,
                     sizeof header + header.bytes);
  /* children first: one of them may refuse its part of the buffer */
  const char *own = (const char *)buffer + sizeof(saved_header);
  const char *from = own + dae__arena_state_size(it->arena);
  for (int i = 0; integrator_child(it, i); i++) {
    size_t bytes = dae_integrator_save_size(integrator_child(it, i));
    DAE__TRY(dae_integrator_load(integrator_child(it, i), from, bytes, err));
    from += bytes;
  }
  dae__arena_load(it->arena, own);
  return it->table->reload ? it->table->reload(it->self, err) : DAE_OK;
}
