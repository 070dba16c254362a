/* A dynamic iteration between user subsystems: any solver or simulator behind dae_subsystem. */
#include "core/error.h"
#include "core/hash.h"
#include "core/options.h"
#include "wave/iteration/create.h"
#include "wave/iteration/wave.h"
#include <math.h>
#include <stdio.h>

#define NAME_SIZE 160

typedef struct request {
  const dae_subsystem *subsystem;
  int count;
  const dae_link *link;
  int links;
  double t;
  const double *outputs; /* start values of all outputs */
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

/* ---- creation ---- */

/* Describes the interface of the subsystems and starts the iteration. */
static dae_status subsystems_begin(dae__wave *w, dae__arena *arena, const void *context,
                                   dae_error *err)
{
  const request *r = context;
  dae__interface *f = w->f = DAE__ALLOC(arena, dae__interface, 1);
  const dae_subsystem **sub = DAE__ALLOC(arena, const dae_subsystem *, r->count);
  w->m = DAE__STATE(arena, dae__wave_memory, 1);
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < r->count; p++)
    sub[p] = &r->subsystem[p];
  f->sub = sub;
  DAE__TRY(dae__interface_alloc(arena, f, r->count, 0, err));
  char *text = DAE__ALLOC(arena, char, (size_t)f->unknowns *NAME_SIZE), number[32];
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < r->count; p++)
    for (int i = 0; i < sub[p]->outputs; i++, text += NAME_SIZE) {
      const char *own = sub[p]->output_names ? sub[p]->output_names[i] : NULL;
      const char *name = sub[p]->name;
      int u = f->first[p] + i;
      f->owner[u] = p;
      f->direct[u] = !sub[p]->direct || sub[p]->direct[i];
      f->in_end_norm[u] = true;
      f->entry[u] = u;
      snprintf(number, sizeof number, "out[%d]", i + 1);
      snprintf(text, NAME_SIZE, "%s%s%s", name ? name : "", name ? "." : "", own ? own : number);
      f->name[u] = text;
    }
  for (int i = 0; i < r->links; i++)
    f->source[f->first_input[r->link[i].to] + r->link[i].input] =
        f->first[r->link[i].from] + r->link[i].output;
  DAE__TRY(dae__interface_complete(arena, f, err));
  w->size = f->unknowns;
  return dae__wave_finish(w, arena, r->t, r->outputs, err);
}

/* Hash of names, sizes and links of the subsystems. */
static uint64_t subsystems_hash(const request *r)
{
  uint64_t h = DAE__HASH_START;
  for (int i = 0; i < r->count; i++) {
    const dae_subsystem *s = &r->subsystem[i];
    const int sizes[] = {s->inputs, s->outputs};
    h = dae__hash(dae__hash_text(h, s->name), sizes, sizeof sizes);
    for (int k = 0; s->output_names && k < s->outputs; k++)
      h = dae__hash_text(h, s->output_names[k]);
  }
  for (int i = 0; i < r->links; i++) {
    const int ends[] = {r->link[i].to, r->link[i].input, r->link[i].from, r->link[i].output};
    h = dae__hash(h, ends, sizeof ends);
  }
  return h;
}

dae_status dae_wave_create(const dae_subsystem *subsystems, int count, const dae_link *links,
                           int link_count, double t, const double *outputs, bool jacobi,
                           const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err)
{
  request r = {subsystems, count, links, link_count, t, outputs};
  dae_wave_options own = opts ? *opts : dae_wave_defaults();
  *out = NULL;
  const dae_option_table *table =
      jacobi ? &dae_jacobi_option_table : &dae_gauss_seidel_option_table;
  DAE__TRY(dae_options_validate(table, &own, err));
  own.atol = dae__options_atol(own.rtol, own.atol);
  DAE__TRY(subsystems_check(&r, err));
  if (!outputs || !isfinite(t))
    return dae__fail(err, DAE_ERROR_USAGE, "outputs", "the iteration has no start values");
  dae__wave_setup setup = {.method = jacobi ? "jacobi" : "gauss-seidel",
                           .opts = &own,
                           .jacobi = jacobi,
                           .begin = subsystems_begin,
                           .context = &r,
                           .table = table,
                           .other = subsystems_hash(&r)};
  return dae__wave_create(&setup, env, out, err);
}
