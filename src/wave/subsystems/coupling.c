/* Creation and restart of the children of a coupled problem: their problems and integrators. */
#include "wave/subsystems/coupling.h"
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/create.h"
#include "wave/variants/variants.h"
#include <daedal/bdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MIN_CHILD_RTOL 1e-14 /* smallest relative tolerance of a child in double precision */

/* ---- problems of the children ---- */

static dae_status coupling_create_problem(dae__arena *arena, const dae__coupling_setup *r,
                                          dae__coupling *c, int system, dae_error *err)
{
  const dae_coupled *coupled = c->problem->coupled;
  dae__child_problem *p = &c->child_problem[system];
  dae__augmented_options opts = {.eliminated_in = c->eliminated_in, .locks = c->locks};
  *p = (dae__child_problem){.ages = 1};
  DAE__TRY(dae__augmented_create(arena, coupled, system, &opts, &p->augmented, err));
  p->problem = &p->augmented->problem;
  p->inputs = p->augmented->inputs;
  DAE__TRY(dae__variant_extend(arena, r, c, system, err));
  c->ages = p->ages > c->ages ? p->ages : c->ages;
  return DAE_OK;
}

/* Start values of a child's problem from a coupled state. */
static void coupling_start_of(const dae__coupling *c, int system, const double *coupled, double *y)
{
  const dae__child_problem *p = &c->child_problem[system];
  const int *first = c->first_state;
  int size = first[system + 1] - first[system];
  for (int i = 0; i < size; i++)
    y[p->entry ? p->entry[i] : i] = coupled[first[system] + i];
  for (int i = 0; i < p->added; i++)
    y[p->first_added + i] = coupled[first[p->added_from[i].part] + p->added_from[i].variable];
}

/* ---- default method of a system ---- */

static void coupling_bdf_defaults(void *opts)
{
  *(dae_bdf_options *)opts = dae_bdf_defaults();
}

#define METHOD(id, text)                                                                           \
  static dae_status coupling_##id##_create(const dae_problem *problem, const dae_start *start,     \
                                           const void *opts, const dae_env *env,                   \
                                           dae_integrator **out, dae_error *err)                   \
  {                                                                                                \
    return dae_##id##_create(problem, start, opts, env, out, err);                                 \
  }                                                                                                \
  static const dae_method coupling_##id = {.name = text,                                           \
                                           .options = &dae_bdf_option_table,                       \
                                           .options_size = sizeof(dae_bdf_options),                \
                                           .defaults = coupling_bdf_defaults,                      \
                                           .create = coupling_##id##_create};
METHOD(bdf, "bdf")
METHOD(bdf_ggl, "bdf-ggl")

const dae_method *dae__wave_default_method(const dae_part *part)
{
  const dae_mechanical *m = part->mechanical;
  return m && m->ng + m->nk > 0 ? &coupling_bdf_ggl : &coupling_bdf;
}

/* Default options of a method, with the tolerances of children. */
static const void *coupling_default_options(dae__arena *arena, const dae_method *method,
                                            const dae__coupling_setup *r)
{
  const char *const name[] = {"rtol", "atol"};
  const double value[] = {fmax(r->rtol, MIN_CHILD_RTOL), r->atol};
  void *opts = dae_arena_alloc(arena, 1, method->options_size);
  if (!opts || !method->defaults)
    return NULL;
  method->defaults(opts);
  for (int i = 0; i < 2; i++) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value[i]);
    /* a method without this option is no error */
    dae_options_set(method->options, opts, name[i], text, NULL);
  }
  return opts;
}

/* ---- children ---- */

static dae_status coupling_create_child(dae__arena *arena, const dae__coupling_setup *r,
                                        dae__coupling *c, int system, const double *z,
                                        dae_error *err)
{
  const dae__interface *f = c->f;
  const dae_part *part = &c->problem->coupled->part[system];
  const dae__child_problem *p = &c->child_problem[system];
  dae__child *child = &c->child[system];
  dae_wave_child how = r->children ? r->children[system] : (dae_wave_child){0};
  how.method = how.method ? how.method : dae__wave_default_method(part);
  how.options = how.options ? how.options : coupling_default_options(arena, how.method, r);
  int total = dae_problem_size(p->problem);
  double *y = DAE__ALLOC(arena, double, total), *atol = NULL;
  if (c->problem->atol)
    atol = DAE__ALLOC(arena, double, total);
  bool *fixed = r->fixed ? DAE__ALLOC(arena, bool, total) : NULL;
  DAE__TRY(dae__arena_status(arena, err));
  child->problem = *p->problem;
  child->problem.atol = atol;
  child->size = c->first_state[system + 1] - c->first_state[system];
  child->entry = p->entry;
  child->outputs = c->outputs[system];
  child->subsystem.output_names = f->name + f->first[system];
  child->subsystem.direct = f->direct + f->first[system];
  dae__interface_inputs(f, system, z, child->scratch_in);
  coupling_start_of(c, system, r->y, y);
  for (int i = 0; fixed && i < child->size; i++)
    fixed[p->entry ? p->entry[i] : i] = r->fixed[c->first_state[system] + i];
  for (int i = 0; atol && i < child->size; i++)
    atol[p->entry ? p->entry[i] : i] =
        DAE__CHILD_TOLERANCE_RATIO * c->problem->atol[c->first_state[system] + i];
  dae_start start = {.t = r->t, .y = y, .fixed = fixed};
  dae_status status = dae__child_create(arena, child, &how, &start, r->capacity, err);
  if (status < 0 && status != DAE_ERROR_MEMORY && err && part->name && part->name[0]) {
    char text[sizeof err->text];
    snprintf(text, sizeof text, "system %.60s: %.440s", part->name, err->text);
    memcpy(err->text, text, sizeof text);
  }
  return status < 0 ? status : DAE_OK;
}

/* ---- creation ---- */

static dae_status coupling_alloc_memory(dae__arena *arena, const dae__coupling_setup *r,
                                        dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = r->problem->coupled;
  c->child_problem = DAE__ALLOC(arena, dae__child_problem, c->systems);
  c->child = DAE__ALLOC(arena, dae__child, c->systems);
  c->first_state = DAE__ALLOC(arena, int, c->systems + 1);
  c->outputs = DAE__ALLOC(arena, dae__output *, c->systems);
  c->output_count = DAE__ALLOC(arena, int, c->systems);
  c->eliminated_in = DAE__ALLOC(arena, int, p->joints);
  c->eliminated_before = DAE__ALLOC(arena, int, p->joints);
  c->f = DAE__ALLOC(arena, dae__interface, 1);
  if (r->jacobi)
    c->locks = DAE__ALLOC(arena, dae__lock *, p->joints);
  for (int j = 0; c->locks && j < p->joints; j++)
    c->locks[j] = dae__lock_create(arena);
  return dae__arena_status(arena, err);
}

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_setup *r, dae__coupling *c,
                                dae_error *err)
{
  const dae_coupled *p = r->problem->coupled;
  *c = (dae__coupling){.problem = r->problem, .systems = p->parts};
  DAE__TRY(coupling_alloc_memory(arena, r, c, err));
  for (int i = 0; i < c->systems; i++) {
    dae_problem own = {.mechanical = p->part[i].mechanical,
                       .semi_explicit = p->part[i].semi_explicit};
    c->first_state[i + 1] = c->first_state[i] + dae_problem_size(&own);
  }
  for (int j = 0; j < p->joints; j++) {
    const dae_joint *joint = &p->joint[j];
    c->eliminated_in[j] = r->splitting == DAE_WAVE_SPLIT_FIRST    ? joint->z[0].part
                          : r->splitting == DAE_WAVE_SPLIT_SECOND ? joint->z[joint->nz - 1].part
                                                                  : -1;
  }
  for (int i = 0; i < c->systems; i++)
    DAE__TRY(coupling_create_problem(arena, r, c, i, err));
  DAE__TRY(dae__coupling_find_outputs(arena, c, err));
  for (int i = 0; i < c->systems; i++) {
    c->child[i].augmented = c->child_problem[i].augmented;
    c->child[i].scratch_in = DAE__ALLOC(arena, double, c->child_problem[i].inputs);
    c->child[i].output_values = DAE__ALLOC(arena, double, c->output_count[i]);
    /* number of inputs and outputs for the interface, needed without integrators, too */
    c->child[i].subsystem = (dae_subsystem){.name = p->part[i].name,
                                            .inputs = c->child_problem[i].inputs,
                                            .outputs = c->output_count[i]};
  }
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__coupling_describe(arena, c, err));
  double *z = DAE__ALLOC(arena, double, c->f->unknowns);
  DAE__TRY(dae__arena_status(arena, err));
  dae__coupling_unknowns(c, r->y, r->dy, z);
  for (int i = 0; i < c->systems && r->with_children; i++)
    DAE__TRY(coupling_create_child(arena, r, c, i, z, err));
  return dae__interface_complete(arena, c->f, err);
}

void dae__coupling_free(dae__coupling *c)
{
  for (int i = 0; c->child && c->child_problem && i < c->systems; i++) {
    dae_integrator_free(c->child[i].it);
    dae__augmented_free(c->child_problem[i].augmented);
  }
  for (int j = 0; c->locks && j < c->problem->coupled->joints; j++)
    dae__lock_free(c->locks[j]);
}

/* ---- unknowns, restarts, feedthrough matrices ---- */

void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z)
{
  const dae_coupled *p = c->problem->coupled;
  for (int system = 0; system < c->systems; system++)
    for (int i = 0; i < c->output_count[system]; i++) {
      dae__output output = c->outputs[system][i];
      int entry = c->first_state[system] + output.index, u = c->f->first[system] + i;
      if (output.kind == DAE__OUTPUT_VARIABLE)
        z[u] = y[entry];
      else if (output.kind == DAE__OUTPUT_ACCELERATION)
        z[u] = dy[entry + p->part[system].mechanical->nq];
    }
  for (int j = 0, entry = c->first_state[c->systems]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++)
      z[dae__coupling_multiplier(c, j, i)] = y[entry];
}

dae_status dae__coupling_restart(dae__coupling *c, double t, const double *y, const double *z,
                                 dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < c->systems && status >= 0; i++) {
    dae__child *child = &c->child[i];
    child->in = NULL; /* inputs constant until the next advance */
    dae__interface_inputs(c->f, i, z, child->in_nodes);
    coupling_start_of(c, i, y, child->inner_dy);
    status = dae_integrator_restart(child->it, t, child->inner_dy, err);
    if (status >= 0)
      status = dae__child_reset(child, err);
  }
  return status < 0 ? status : DAE_OK;
}

dae_status dae__coupling_feedthrough(dae__coupling *c, double t, const double *y, const double *z,
                                     double *feedthrough, dae_error *err)
{
  for (int i = 0; i < c->systems; i++) {
    dae__child *child = &c->child[i];
    double *D = feedthrough + c->f->first_D[i];
    dae__zero(c->output_count[i] * c->child_problem[i].inputs, D);
    dae__interface_inputs(c->f, i, z, child->scratch_in);
    DAE__TRY(dae__augmented_outputs(child->augmented, t, y + c->first_state[i], child->scratch_in,
                                    c->output_count[i], c->outputs[i], child->output_values, D,
                                    err));
  }
  return DAE_OK;
}
