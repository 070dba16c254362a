/* Integrators of the systems of a coupled model as children of a dynamic iteration, by the settings
 * of each system. The children and their option structs lie in one piece of memory. */
#include "core/env.h"
#include "core/error.h"
#include "wave/iteration/create.h"

#include <daedal/model.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALIGNMENT 64 /* alignment of option structs in bytes */

/* Settings of all systems of a model, and the name of the current system. */
typedef struct reader {
  const dae_model *model;
  const dae_model_setting *setting;
  int count;
  const char *system;
} reader;

static bool children_is_own(const reader *r, int i)
{
  return r->setting[i].system && strcmp(r->setting[i].system, r->system) == 0;
}

/* Setting of the current system with this name (name = NULL: its first setting); NULL: there is
 * none. */
static const dae_model_setting *children_setting(const reader *r, const char *name)
{
  for (int i = 0; i < r->count; i++)
    if (children_is_own(r, i) && (!name || strcmp(r->setting[i].name, name) == 0))
      return &r->setting[i];
  return NULL;
}

/* Refuses setting s with the message "system A: " and the reason, at the place of the setting in
 * the model file. */
static dae_status children_refuse(const reader *r, const dae_model_setting *s, const char *why,
                                  dae_error *err)
{
  char text[sizeof err->text];
  snprintf(text, sizeof text, "system %.60s: %.400s", r->system, why);
  return dae_model_fail(r->model, s->place, text, err);
}

/* ---- method of a system ---- */

static int children_no_input(void *user, double t, double *in)
{
  (void)user, (void)t, (void)in;
  return -1;
}

/* Finds the method of a system; *out = NULL: the system has no settings. */
static dae_status children_find_method(const reader *r, const dae_part *part,
                                       const dae_method **out, dae_error *err)
{
  const dae_model_setting *any = children_setting(r, NULL), *named = children_setting(r, "method");
  dae_problem alone = {.mechanical = part->mechanical,
                       .semi_explicit = part->semi_explicit,
                       .input = children_no_input};
  dae_error why = dae_error_none();
  *out = NULL;
  if (!any)
    return DAE_OK;
  bool usual = !named || strcmp(named->text, "auto") == 0;
  *out = dae_method_find(usual ? dae__wave_default_method(part)->name : named->text, &why);
  if (*out && (*out)->accepts && (*out)->accepts(&alone, &why) < 0)
    *out = NULL;
  if (!*out)
    return children_refuse(r, named ? named : any, why.text, err);
  if ((*out)->fixed_step && !children_setting(r, "step"))
    return children_refuse(r, named ? named : any, "the method takes fixed steps: add `step H`",
                           err);
  return DAE_OK;
}

/* ---- options of a system ---- */

/* Sets the options of a child: tolerances from those of the iteration, within the limits of the
 * options, then the settings of the system. */
static dae_status children_set_options(const reader *r, const dae_method *method, double rtol,
                                       double atol, void *opts, dae_error *err)
{
  dae_option_table table = *method->options;
  dae_error why;
  table.owner = method->name;
  method->defaults(opts);
  for (int i = 0; i < table.count; i++) {
    const dae_option *o = &table.options[i];
    bool relative = strcmp(o->name, "rtol") == 0;
    double value = DAE__CHILD_TOLERANCE_RATIO * (relative ? rtol : atol);
    if (o->type != DAE_OPTION_DOUBLE || !(relative || strcmp(o->name, "atol") == 0))
      continue;
    value = fmin(fmax(value, o->min), o->max);
    memcpy((char *)opts + o->offset, &value, sizeof value);
  }
  for (int i = 0; i < r->count; i++) {
    const dae_model_setting *s = &r->setting[i];
    if (!children_is_own(r, i) || strcmp(s->name, "method") == 0)
      continue;
    if (dae_options_set(&table, opts, s->name, s->text, &why) < 0)
      return children_refuse(r, s, why.text, err);
  }
  return DAE_OK;
}

/* ---- children of all systems ---- */

static size_t children_aligned(size_t size)
{
  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Fills in the children and their options, which follow them; child = NULL: finds only the size of
 * both in bytes, 0 if no system has settings. */
static dae_status children_fill(reader *r, const dae_coupled *c, double rtol, double atol,
                                dae_wave_child *child, size_t *size, dae_error *err)
{
  size_t first = children_aligned((size_t)c->parts * sizeof *child), next = first;
  for (int i = 0; i < c->parts; i++) {
    dae_wave_child one = {0};
    r->system = c->part[i].name;
    DAE__TRY(children_find_method(r, &c->part[i], &one.method, err));
    if (one.method && child) {
      one.options = (char *)child + next;
      DAE__TRY(children_set_options(r, one.method, rtol, atol, (char *)child + next, err));
    }
    if (child)
      child[i] = one;
    next += one.method ? children_aligned(one.method->options_size) : 0;
  }
  *size = next > first ? next : 0;
  return DAE_OK;
}

dae_status dae_model_children(const dae_model *model, double rtol, double atol, const dae_env *env,
                              dae_wave_child **out, dae_error *err)
{
  const dae_coupled *c = dae_model_problem(model)->coupled;
  dae_env own = dae__env_of(env);
  reader r = {.model = model};
  size_t size = 0;
  *out = NULL;
  r.count = dae_model_settings(model, &r.setting);
  dae_status status = c ? children_fill(&r, c, rtol, atol, NULL, &size, err) : DAE_OK;
  if (status < 0 || size == 0)
    return status;
  dae_wave_child *child = own.allocate(own.user, size);
  if (!child)
    return dae__out_of_memory(err);
  status = children_fill(&r, c, rtol, atol, child, &size, err);
  if (status < 0)
    own.release(own.user, child);
  else
    *out = child;
  return status;
}

void dae_model_children_free(dae_wave_child *children, const dae_env *env)
{
  dae_env own = dae__env_of(env);
  if (children)
    own.release(own.user, children);
}
