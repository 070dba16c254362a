/* A dynamic iteration between user subsystems: any solver or simulator behind dae_subsystem. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/create.h"
#include "wave/iteration/wave.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 160

typedef struct request {
  const dae_subsystem *subsystem;
  int count;
  const dae_link *link;
  int links;
} request;

/* ---- validation ---- */

static dae_status subsystems_check(const request *r, dae_error *err)
{
  if (r->count < 1 || !r->subsystem || r->links < 0 || (r->links > 0 && !r->link))
    return dae__fail(err, DAE_ERROR_USAGE, "subsystems", "there are no subsystems to iterate");
  for (int i = 0; i < r->count; i++) {
    const dae_subsystem *s = &r->subsystem[i];
    char number[32];
    snprintf(number, sizeof number, "subsystem[%d]", i + 1);
    const char *name = s->name ? s->name : number;
    const char *missing = !s->advance ? "advance" : !s->save ? "save" : !s->load ? "load" : NULL;
    if (s->inputs < 0 || s->outputs < 0)
      return dae__fail(err, DAE_ERROR_PROBLEM, name, "%s has %d inputs and %d outputs", name,
                       s->inputs, s->outputs);
    if (missing)
      return dae__fail(err, DAE_ERROR_PROBLEM, name, "%s has no %s", name, missing);
  }
  for (int i = 0; i < r->links; i++) {
    const dae_link *l = &r->link[i];
    bool to = l->to >= 0 && l->to < r->count, from = l->from >= 0 && l->from < r->count;
    if (to && from && l->input >= 0 && l->input < r->subsystem[l->to].inputs && l->output >= 0 &&
        l->output < r->subsystem[l->from].outputs)
      continue;
    return dae__fail(err, DAE_ERROR_PROBLEM, "links",
                     "link %d joins input %d of subsystem %d to output %d of subsystem %d: there "
                     "is no such pair",
                     i + 1, l->input + 1, l->to + 1, l->output + 1, l->from + 1);
  }
  return DAE_OK;
}

/* ---- interface ---- */

static dae_status subsystems_describe(dae__arena *arena, const request *r, dae__interface *f,
                                      dae_error *err)
{
  f->systems = r->count;
  f->sub = DAE__ALLOC(arena, const dae_subsystem *, r->count);
  f->first = DAE__ALLOC(arena, int, r->count + 1);
  f->first_input = DAE__ALLOC(arena, int, r->count + 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int p = 0; p < r->count; p++) {
    f->sub[p] = &r->subsystem[p];
    f->first[p + 1] = f->first[p] + r->subsystem[p].outputs;
    f->first_input[p + 1] = f->first_input[p] + r->subsystem[p].inputs;
  }
  f->unknowns = f->first[r->count];
  f->source = DAE__ALLOC(arena, int, f->first_input[r->count]);
  f->owner = DAE__ALLOC(arena, int, f->unknowns);
  f->direct = DAE__ALLOC(arena, bool, f->unknowns);
  f->in_end_norm = DAE__ALLOC(arena, bool, f->unknowns);
  f->name = DAE__ALLOC(arena, const char *, f->unknowns);
  char *text = DAE__ALLOC(arena, char, (size_t)f->unknowns *NAME_SIZE), number[32];
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int p = 0; p < r->count; p++)
    for (int i = 0; i < r->subsystem[p].outputs; i++, text += NAME_SIZE) {
      const dae_subsystem *s = &r->subsystem[p];
      const char *own = s->output_names ? s->output_names[i] : NULL;
      int u = f->first[p] + i;
      f->owner[u] = p;
      f->direct[u] = !s->direct || s->direct[i];
      f->in_end_norm[u] = true;
      snprintf(number, sizeof number, "out[%d]", i + 1);
      snprintf(text, NAME_SIZE, "%s%s%s", s->name ? s->name : "", s->name ? "." : "",
               own ? own : number);
      f->name[u] = text;
    }
  for (int i = 0; i < f->first_input[r->count]; i++)
    f->source[i] = -1;
  for (int i = 0; i < r->links; i++)
    f->source[f->first_input[r->link[i].to] + r->link[i].input] =
        f->first[r->link[i].from] + r->link[i].output;
  return dae__interface_complete(arena, f, err);
}

/* ---- creation ---- */

static dae_status subsystems_create(dae__wave *w, dae__arena *arena, const request *r, double t,
                                    const double *outputs, dae_error *err)
{
  w->f = DAE__ALLOC(arena, dae__interface, 1);
  w->m = DAE__STATE(arena, dae__wave_memory, 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__TRY(subsystems_describe(arena, r, w->f, err));
  w->size = w->f->unknowns;
  return dae__wave_finish(w, arena, t, outputs, err);
}

dae_status dae_wave_create(const dae_subsystem *subsystems, int count, const dae_link *links,
                           int link_count, double t, const double *outputs, bool jacobi,
                           const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err)
{
  request r = {subsystems, count, links, link_count};
  dae_wave_options own = opts ? *opts : dae_wave_defaults();
  *out = NULL;
  DAE__TRY(dae_options_validate(jacobi ? &dae_jacobi_option_table : &dae_gauss_seidel_option_table,
                                &own, err));
  DAE__TRY(subsystems_check(&r, err));
  if (!outputs || !isfinite(t))
    return dae__fail(err, DAE_ERROR_USAGE, "outputs", "the iteration has no start values");
  dae__arena *arena = dae__arena_create(env);
  dae__wave *w =
      arena ? dae__wave_new(arena, jacobi ? "jacobi" : "gauss-seidel", &own, jacobi) : NULL;
  dae_status status =
      w ? subsystems_create(w, arena, &r, t, outputs, err) : dae__out_of_memory(err);
  if (!status && dae__integrator_create(arena, &w->table, w, out))
    status = dae__out_of_memory(err);
  if (status && w)
    dae__wave_release(w);
  if (status)
    dae__arena_free(arena);
  return status;
}
