/* Parts, what is integrated for them, and by whom. */
#include "wave/subsystems/coupling.h"
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/create.h"

#include <daedal/bdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dae_problem coupling_part_problem(const dae_part *part)
{
  return (dae_problem){.mechanical = part->mechanical, .semi_explicit = part->semi_explicit};
}

/* ---- members and children ---- */

static dae_status coupling_create_form(dae__arena *arena, const dae__coupling_setup *r,
                                       dae__coupling *c, int part, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  bool *eliminated = DAE__ALLOC(arena, bool, p->joints);
  if (!eliminated)
    return dae__out_of_memory(err);
  for (int j = 0; j < p->joints; j++)
    eliminated[j] = c->eliminated_in[j] == part;
  dae__child_problem_setup setup = {.coupled = p,
                                    .part = part,
                                    .eliminated = eliminated,
                                    .locks = c->locks,
                                    .slack = r->slack,
                                    .jacobi = r->jacobi,
                                    .rank = r->rank,
                                    .terms = r->terms};
  dae_status status = dae__child_problem_create(arena, &setup, &c->child_problem[part], err);
  c->ages = c->child_problem[part].ages > c->ages ? c->child_problem[part].ages : c->ages;
  return status;
}

/* scratch of the members' evaluations */
static dae_status coupling_alloc_scratch(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  for (int i = 0; i < c->systems; i++) {
    dae__child *child = &c->child[i];
    child->member = c->child_problem[i].member;
    child->scratch_in = DAE__ALLOC(arena, double, c->child_problem[i].inputs);
    child->output_values = DAE__ALLOC(arena, double, c->output_count[i]);
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
                                          const dae__coupling_setup *r)
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

static dae_status coupling_create_child(dae__arena *arena, const dae__coupling_setup *r,
                                        dae__coupling *c, int part, const double *z, dae_error *err)
{
  const dae__interface *f = c->f;
  const dae_part *p = &c->problem->coupled->part[part];
  dae_wave_child how = r->children ? r->children[part] : (dae_wave_child){0};
  const dae_method *method = how.method ? how.method : coupling_usual_method(p);
  const void *opts = how.options ? how.options : coupling_usual_options(arena, method, r);
  const dae__child_problem *form = &c->child_problem[part];
  double *in = DAE__ALLOC(arena, double, form->inputs);
  double *y = DAE__ALLOC(arena, double, dae_problem_size(form->problem));
  bool *fixed = r->fixed ? DAE__ALLOC(arena, bool, dae_problem_size(form->problem)) : NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  dae__interface_inputs(f, part, z, in);
  dae__child_problem_start(form, part, c->first_state, r->y, y);
  int size = c->first_state[part + 1] - c->first_state[part];
  for (int i = 0; fixed && i < size; i++)
    fixed[form->entry ? form->entry[i] : i] = r->fixed[c->first_state[part] + i];
  dae__child_setup setup = {.name = p->name,
                            .member = form->member,
                            .problem = form->problem,
                            .inputs = form->inputs,
                            .size = size,
                            .entry = form->entry,
                            .outputs = c->output_count[part],
                            .answer = c->outputs[part],
                            .output_names = f->name + f->first[part],
                            .direct = f->direct + f->first[part],
                            .method = method,
                            .options = opts,
                            .t = r->t,
                            .y = y,
                            .in = in,
                            .fixed = fixed,
                            .capacity = r->capacity};
  dae_status status = dae__child_create(arena, &setup, &c->child[part], err);
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
    c->eliminated_in[j] = splitting == DAE_WAVE_SPLIT_FIRST    ? joint->z[0].part
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
  int parts = c->systems;
  c->child_problem = DAE__ALLOC(arena, dae__child_problem, parts);
  c->child = DAE__ALLOC(arena, dae__child, parts);
  c->first_state = DAE__ALLOC(arena, int, parts + 1);
  c->outputs = DAE__ALLOC(arena, dae__output *, parts);
  c->output_count = DAE__ALLOC(arena, int, parts);
  c->eliminated_in = DAE__ALLOC(arena, int, p->joints);
  c->f = DAE__ALLOC(arena, dae__interface, 1);
}

/* the sizes that the interface asks for, where there are no integrators */
static void coupling_describe_subsystems(dae__coupling *c)
{
  for (int i = 0; i < c->systems; i++)
    c->child[i].subsystem = (dae_subsystem){.name = c->problem->coupled->part[i].name,
                                            .inputs = c->child_problem[i].inputs,
                                            .outputs = c->output_count[i]};
}

dae_status dae__coupling_create(dae__arena *arena, const dae__coupling_setup *r, dae__coupling *c,
                                dae_error *err)
{
  const dae_coupled *p = r->problem->coupled;
  *c = (dae__coupling){.problem = r->problem, .systems = p->parts};
  coupling_alloc_memory(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < c->systems; i++) {
    dae_problem part = coupling_part_problem(&p->part[i]);
    c->first_state[i + 1] = c->first_state[i] + dae_problem_size(&part);
  }
  coupling_find_carriers(c, r->splitting);
  dae_status status = r->jacobi ? coupling_create_locks(arena, c, err) : DAE_OK;
  for (int i = 0; i < c->systems && !status; i++)
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
  for (int i = 0; i < c->systems && !status && r->with_children; i++)
    status = coupling_create_child(arena, r, c, i, z, err);
  return status ? status : dae__interface_complete(arena, c->f, err);
}

void dae__coupling_free(dae__coupling *c)
{
  for (int i = 0; c->child && i < c->systems; i++) {
    dae__child_free(&c->child[i]);
    dae__augmented_free(c->child_problem[i].member);
  }
  for (int j = 0; c->locks && j < c->problem->coupled->joints; j++)
    dae__lock_free(c->locks[j]);
}

/* ---- at work ---- */

void dae__coupling_unknowns(const dae__coupling *c, const double *y, const double *dy, double *z)
{
  const dae_coupled *p = c->problem->coupled;
  for (int part = 0; part < c->systems; part++)
    for (int i = 0; i < c->output_count[part]; i++) {
      dae__output a = c->outputs[part][i];
      int entry = dae__coupling_entry(c, part, a);
      if (a.kind == DAE__OUTPUT_VARIABLE)
        z[c->f->first[part] + i] = y[entry];
      else if (a.kind == DAE__OUTPUT_ACCELERATION)
        z[c->f->first[part] + i] = dy[entry + dae__coupling_nq(c, part)];
    }
  for (int j = 0, entry = c->first_state[c->systems]; j < p->joints; j++)
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
  for (int i = 0; i < c->systems && status >= 0; i++) {
    dae__child *child = &c->child[i];
    dae__interface_inputs(c->f, i, z, child->scratch_in);
    dae__child_problem_start(&c->child_problem[i], i, c->first_state, y, child->inner_dy);
    status = dae__child_restart(child, t, child->inner_dy, child->scratch_in, err);
  }
  return status < 0 ? status : DAE_OK;
}

dae_status dae__coupling_feedthrough(dae__coupling *c, double t, const double *y, const double *z,
                                     double *gains, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < c->systems && !status; i++) {
    dae__child *child = &c->child[i];
    double *D = gains + c->f->first_D[i];
    dae__zero(c->output_count[i] * c->child_problem[i].inputs, D);
    dae__interface_inputs(c->f, i, z, child->scratch_in);
    status =
        dae__augmented_outputs(child->member, t, y + c->first_state[i], child->scratch_in,
                               c->output_count[i], c->outputs[i], child->output_values, D, err);
  }
  return status;
}

/* ---- subsystems/form.c ---- */

static int form_part_size(const dae_coupled *coupled, int part)
{
  dae_problem problem = {.mechanical = coupled->part[part].mechanical,
                         .semi_explicit = coupled->part[part].semi_explicit};
  return dae_problem_size(&problem);
}

/* ---- slack ---- */

/* Gauss-Seidel: equations of the parts that come before [E07 Remark 3.2]. Jacobi: of all others,
 * with the part's own differential variables of two sweeps ago [E07 Remark 3.6, corrected]. */
static dae_status form_make_slack(dae__arena *arena, const dae__child_problem_setup *r,
                                  dae__child_problem *form, dae_error *err)
{
  const dae_coupled *c = r->coupled;
  bool *from = DAE__ALLOC(arena, bool, c->parts);
  int *entry = DAE__ALLOC(arena, int, form_part_size(c, r->part));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < c->parts; i++)
    from[i] = i != r->part && (r->jacobi || r->rank[i] < r->rank[r->part]);
  dae__slack_options opts = {.from = from, .lagged = r->jacobi, .base = form->problem};
  DAE__TRY(dae__slack_create(arena, c, r->part, &opts, &form->slack, err));
  int base = form->inputs, ports = dae__slack_inputs(form->slack);
  form->problem = dae__slack_problem(form->slack);
  form->inputs = base + ports;
  form->extra = DAE__ALLOC(arena, dae__extra, ports);
  if (!form->extra)
    return dae__out_of_memory(err);
  for (int i = 0; i < ports; i++) {
    dae_port port = dae__slack_ports(form->slack)[i];
    int age = port.part == r->part ? 2 : 1;
    form->extra[i] = (dae__extra){port.part, port.variable, age};
    form->ages = age > form->ages ? age : form->ages;
  }
  for (int i = 0; i < form_part_size(c, r->part); i++)
    entry[i] = dae__slack_entry(form->slack, i);
  form->entry = entry;
  return DAE_OK;
}

/* ---- earlier iterates ---- */

static dae_status form_make_iterates(dae__arena *arena, const dae__child_problem_setup *r,
                                     dae__child_problem *form, dae_error *err)
{
  DAE__TRY(dae__iterates_create(arena, form->problem, r->terms, &form->iterates, err));
  int own = form->inputs, ages = r->terms->ages, count = dae__iterates_count(form->iterates);
  form->problem = dae__iterates_problem(form->iterates);
  form->inputs = ages * (own + count);
  form->ages = ages;
  form->extra = DAE__ALLOC(arena, dae__extra, form->inputs - own);
  if (!form->extra)
    return dae__out_of_memory(err);
  dae__extra *e = form->extra;
  for (int age = 2; age <= ages; age++)
    for (int i = 0; i < own; i++)
      *e++ = (dae__extra){-1, i, age};
  for (int age = 1; age <= ages; age++)
    for (int i = 0; i < count; i++)
      *e++ = (dae__extra){r->part, dae__iterates_entries(form->iterates)[i], age};
  return DAE_OK;
}

dae_status dae__child_problem_create(dae__arena *arena, const dae__child_problem_setup *r,
                                     dae__child_problem *form, dae_error *err)
{
  dae__augmented_options opts = {.eliminated = r->eliminated, .locks = r->locks};
  *form = (dae__child_problem){.ages = 1};
  dae_status status = dae__augmented_create(arena, r->coupled, r->part, &opts, &form->member, err);
  DAE__TRY(status);
  form->problem = dae__augmented_problem(form->member);
  form->inputs = dae__augmented_inputs(form->member);
  if (r->slack)
    status = form_make_slack(arena, r, form, err);
  else if (r->terms)
    status = form_make_iterates(arena, r, form, err);
  return status;
}

void dae__child_problem_start(const dae__child_problem *form, int part, const int *first,
                              const double *coupled, double *y)
{
  int size = first[part + 1] - first[part];
  for (int i = 0; i < size; i++)
    y[form->entry ? form->entry[i] : i] = coupled[first[part] + i];
  if (!form->slack)
    return;
  /* the slack variables stand where no entry of the part's own does */
  int total = dae_problem_size(form->problem), next = 0;
  for (int at = 0, i = 0; at < total; at++) {
    while (i < size && form->entry[i] < at)
      i++;
    if (i < size && form->entry[i] == at)
      continue;
    dae_port port = dae__slack_variables(form->slack)[next++];
    y[at] = coupled[first[port.part] + port.variable];
  }
}
