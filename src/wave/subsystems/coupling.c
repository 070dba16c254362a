/* Parts, what is integrated for them, and by whom. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/create.h"
#include "wave/subsystems/coupling_parts.h"

#include <daedal/bdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dae_problem coupling_part_problem(const dae_part *part)
{
  return (dae_problem){.mechanical = part->mechanical, .semi_explicit = part->semi_explicit};
}

/* ---- members and children ---- */

static dae_status coupling_create_form(dae__arena *arena, const dae__coupling_recipe *r,
                                       dae__coupling *c, int part, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  bool *carried = DAE__ALLOC(arena, bool, p->joints);
  if (!carried)
    return dae__out_of_memory(err);
  for (int j = 0; j < p->joints; j++)
    carried[j] = c->carrier[j] == part;
  dae__form_recipe recipe = {.coupled = p,
                             .part = part,
                             .carried = carried,
                             .locks = c->locks,
                             .slack = r->slack,
                             .jacobi = r->jacobi,
                             .rank = r->rank,
                             .terms = r->terms};
  dae_status status = dae__form_create(arena, &recipe, &c->form[part], err);
  c->ages = c->form[part].ages > c->ages ? c->form[part].ages : c->ages;
  return status;
}

/* scratch of the members' evaluations */
static dae_status coupling_alloc_scratch(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  for (int i = 0; i < c->parts; i++) {
    dae__child *child = &c->child[i];
    child->member = c->form[i].member;
    child->scratch_in = DAE__ALLOC(arena, double, c->form[i].inputs);
    child->answer_values = DAE__ALLOC(arena, double, c->answer_count[i]);
  }
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae_status coupling_bdf_create(const dae_problem *problem, const dae_start *start,
                                      const void *opts, const dae_env *env, dae_integrator **out,
                                      dae_error *err)
{
  return dae_bdf_create(problem, start, opts, env, out, err);
}

static dae_status coupling_bdf_ggl_create(const dae_problem *problem, const dae_start *start,
                                          const void *opts, const dae_env *env,
                                          dae_integrator **out, dae_error *err)
{
  return dae_bdf_ggl_create(problem, start, opts, env, out, err);
}

static void coupling_bdf_defaults(void *opts)
{
  *(dae_bdf_options *)opts = dae_bdf_defaults();
}

/* What integrates a part that was given no method. */
const char *dae__wave_usual_method(const dae_part *part)
{
  const dae_mechanical *m = part->mechanical;
  return m && m->ng + m->nk > 0 ? "bdf-ggl" : "bdf";
}

static const dae_method *coupling_usual_method(const dae_part *part)
{
  static const dae_method bdf = {.name = "bdf",
                                 .options = &dae_bdf_option_table,
                                 .options_size = sizeof(dae_bdf_options),
                                 .defaults = coupling_bdf_defaults,
                                 .create = coupling_bdf_create};
  static const dae_method ggl = {.name = "bdf-ggl",
                                 .options = &dae_bdf_option_table,
                                 .options_size = sizeof(dae_bdf_options),
                                 .defaults = coupling_bdf_defaults,
                                 .create = coupling_bdf_ggl_create};
  return strcmp(dae__wave_usual_method(part), ggl.name) == 0 ? &ggl : &bdf;
}

/* defaults with the tolerances of children */
static const void *coupling_usual_options(dae__arena *arena, const dae_method *method,
                                          const dae__coupling_recipe *r)
{
  const struct {
    const char *name;
    double value;
  } set[] = {{"rtol", fmax(r->rtol, 1e-14)}, {"atol", r->atol}};
  void *opts = dae__arena_alloc(arena, 1, method->options_size);
  if (!opts || !method->defaults)
    return NULL;
  method->defaults(opts);
  for (int i = 0; i < 2; i++) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", set[i].value);
    dae_options_set(method->options, opts, set[i].name, text, NULL); /* not all have them */
  }
  return opts;
}

static dae_status coupling_create_child(dae__arena *arena, const dae__coupling_recipe *r,
                                        dae__coupling *c, int part, const double *z, dae_error *err)
{
  const dae__interface *f = c->f;
  const dae_part *p = &c->problem->coupled->part[part];
  dae_wave_child how = r->children ? r->children[part] : (dae_wave_child){0};
  const dae_method *method = how.method ? how.method : coupling_usual_method(p);
  const void *opts = how.options ? how.options : coupling_usual_options(arena, method, r);
  const dae__form *form = &c->form[part];
  double *in = DAE__ALLOC(arena, double, form->inputs);
  double *y = DAE__ALLOC(arena, double, dae_problem_size(form->problem));
  bool *fixed = r->fixed ? DAE__ALLOC(arena, bool, dae_problem_size(form->problem)) : NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__interface_inputs(f, part, z, in);
  dae__form_start(form, part, c->first_state, r->y, y);
  int size = c->first_state[part + 1] - c->first_state[part];
  for (int i = 0; fixed && i < size; i++)
    fixed[form->entry ? form->entry[i] : i] = r->fixed[c->first_state[part] + i];
  dae__child_recipe recipe = {.name = p->name,
                              .member = form->member,
                              .problem = form->problem,
                              .inputs = form->inputs,
                              .size = size,
                              .entry = form->entry,
                              .answers = c->answer_count[part],
                              .answer = c->answers[part],
                              .output_names = f->name + f->first[part],
                              .direct = f->direct + f->first[part],
                              .method = method,
                              .options = opts,
                              .t = r->t,
                              .y = y,
                              .in = in,
                              .fixed = fixed,
                              .capacity = r->capacity};
  dae_status status = dae__child_create(arena, &recipe, &c->child[part], err);
  if (status < 0 && status != DAE_ERROR_MEMORY && err && p->name && p->name[0]) {
    char text[sizeof err->text];
    snprintf(text, sizeof text, "system %.60s: %.440s", p->name, err->text);
    memcpy(err->text, text, sizeof text);
  }
  return status < 0 ? status : DAE_OK;
}

/* ---- the whole ---- */

static void coupling_find_carriers(dae__coupling *c, dae_wave_splitting splitting)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0; j < p->joints; j++) {
    const dae_joint *joint = &p->joint[j];
    c->carrier[j] = splitting == DAE_WAVE_SPLIT_FIRST    ? joint->z[0].part
                    : splitting == DAE_WAVE_SPLIT_SECOND ? joint->z[joint->nz - 1].part
                                                         : -1;
  }
}

static dae_status coupling_create_locks(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  int joints = c->problem->coupled->joints;
  c->locks = DAE__ALLOC(arena, dae__lock *, joints);
  for (int j = 0; c->locks && j < joints; j++)
    c->locks[j] = dae__lock_create(arena);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static void coupling_alloc_memory(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  int parts = c->parts;
  c->form = DAE__ALLOC(arena, dae__form, parts);
  c->child = DAE__ALLOC(arena, dae__child, parts);
  c->first_state = DAE__ALLOC(arena, int, parts + 1);
  c->answers = DAE__ALLOC(arena, dae__answer *, parts);
  c->answer_count = DAE__ALLOC(arena, int, parts);
  c->carrier = DAE__ALLOC(arena, int, p->joints);
  c->f = DAE__ALLOC(arena, dae__interface, 1);
}

/* the sizes that the interface asks for, where there are no integrators */
static void coupling_describe_subsystems(dae__coupling *c)
{
  for (int i = 0; i < c->parts; i++)
    c->child[i].subsystem = (dae_subsystem){.name = c->problem->coupled->part[i].name,
                                            .inputs = c->form[i].inputs,
                                            .outputs = c->answer_count[i]};
}

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_recipe *r, dae__coupling *c,
                                dae_error *err)
{
  const dae_coupled *p = r->problem->coupled;
  *c = (dae__coupling){.problem = r->problem, .parts = p->parts};
  coupling_alloc_memory(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < c->parts; i++) {
    dae_problem part = coupling_part_problem(&p->part[i]);
    c->first_state[i + 1] = c->first_state[i] + dae_problem_size(&part);
  }
  coupling_find_carriers(c, r->splitting);
  dae_status status = r->jacobi ? coupling_create_locks(arena, c, err) : DAE_OK;
  for (int i = 0; i < c->parts && !status; i++)
    status = coupling_create_form(arena, r, c, i, err);
  DAE__TRY(status);
  status = dae__coupling_answers(arena, c, err);
  if (!status)
    status = coupling_alloc_scratch(arena, c, err);
  if (!status)
    status = dae__coupling_describe(arena, c, err);
  double *z = !status ? DAE__ALLOC(arena, double, c->f->unknowns) : NULL;
  if (!status && !z)
    status = dae__out_of_memory(err);
  if (!status)
    dae__coupling_unknowns(c, r->y, r->dy, z);
  coupling_describe_subsystems(c);
  for (int i = 0; i < c->parts && !status && r->with_children; i++)
    status = coupling_create_child(arena, r, c, i, z, err);
  return status ? status : dae__interface_complete(arena, c->f, err);
}

void dae__coupling_free(dae__coupling *c)
{
  for (int i = 0; c->child && i < c->parts; i++) {
    dae__child_free(&c->child[i]);
    dae__member_free(c->form[i].member);
  }
  for (int j = 0; c->locks && j < c->problem->coupled->joints; j++)
    dae__lock_free(c->locks[j]);
}

/* ---- at work ---- */

void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z)
{
  const dae_coupled *p = c->problem->coupled;
  for (int part = 0; part < c->parts; part++)
    for (int i = 0; i < c->answer_count[part]; i++) {
      dae__answer a = c->answers[part][i];
      int entry = dae__coupling_entry(c, part, a);
      if (a.kind == DAE__ANSWER_VARIABLE)
        z[c->f->first[part] + i] = y[entry];
      else if (a.kind == DAE__ANSWER_ACCELERATION)
        z[c->f->first[part] + i] = dy[entry + dae__coupling_nq(c, part)];
    }
  for (int j = 0, entry = c->first_state[c->parts]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++)
      z[dae__coupling_multiplier(c, j, i)] = y[entry];
}

void dae__coupling_multipliers(const dae__coupling *c, const double *z, double *lambda)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0, n = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, n++)
      lambda[n] = z[dae__coupling_multiplier(c, j, i)];
}

dae_status dae__coupling_restart(dae__coupling *c, double t, const double *y, const double *z,
                                 dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < c->parts && status >= 0; i++) {
    dae__child *child = &c->child[i];
    dae__interface_inputs(c->f, i, z, child->scratch_in);
    dae__form_start(&c->form[i], i, c->first_state, y, child->inner_dy);
    status = dae__child_restart(child, t, child->inner_dy, child->scratch_in, err);
  }
  return status < 0 ? status : DAE_OK;
}

dae_status dae__coupling_gains(dae__coupling *c, double t, const double *y, const double *z,
                               double *gains, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < c->parts && !status; i++) {
    dae__child *child = &c->child[i];
    double *D = gains + c->f->first_gain[i];
    dae__zero(c->answer_count[i] * c->form[i].inputs, D);
    dae__interface_inputs(c->f, i, z, child->scratch_in);
    status = dae__member_answer(child->member, t, y + c->first_state[i], child->scratch_in,
                                c->answer_count[i], c->answers[i], child->answer_values, D, err);
  }
  return status;
}
