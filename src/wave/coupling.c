/* Which variables of a part are outputs, and which unknowns its inputs are.
 *
 * Outputs of a part: the variables that others are wired to; of every coordinate in a joint itself,
 * its rate and its acceleration; the multipliers of joints that the part carries. */
#include "wave/coupling.h"
#include "core/error.h"
#include "core/vec.h"

#include <daedal/bdf.h>
#include <stdio.h>
#include <string.h>

#define NAME 96

static dae_problem part_problem(const dae_part *part)
{
  return (dae_problem){.mechanical = part->mechanical, .semi_explicit = part->semi_explicit};
}

static int nq_of(const dae__coupling *c, int part)
{
  return c->problem->coupled->part[part].mechanical->nq;
}

/* ---- outputs ---- */

static int find_answer(const dae__coupling *c, int part, dae__answer_kind kind, int index)
{
  for (int i = 0; i < c->answer_count[part]; i++)
    if (c->answers[part][i].kind == kind && c->answers[part][i].index == index)
      return i;
  return -1;
}

static void add_answer(dae__coupling *c, int part, dae__answer_kind kind, int index)
{
  if (find_answer(c, part, kind, index) < 0)
    c->answers[part][c->answer_count[part]++] = (dae__answer){kind, index};
}

static int unknown(const dae__coupling *c, int part, dae__answer_kind kind, int index)
{
  return c->f->first[part] + find_answer(c, part, kind, index);
}

static int extras(const dae__form *form)
{
  return form->inputs - dae__member_inputs(form->member);
}

/* room for the outputs of each part */
static void take_answers(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  int *most = DAE__TAKE(arena, int, c->parts);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < p->wires; i++)
    most[p->wire[i].from.part]++;
  for (int i = 0; i < c->parts; i++)
    for (int j = 0; j < extras(&c->form[i]); j++)
      if (c->form[i].extra[j].part >= 0)
        most[c->form[i].extra[j].part]++;
  for (int j = 0; j < p->joints; j++) {
    for (int i = 0; i < p->joint[j].nz; i++)
      most[p->joint[j].z[i].part] += 3;
    if (c->carrier[j] >= 0)
      most[c->carrier[j]] += p->joint[j].ng;
  }
  for (int i = 0; i < c->parts; i++)
    c->answers[i] = DAE__TAKE(arena, dae__answer, most[i]);
}

static void find_answers(dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  for (int i = 0; i < p->wires; i++)
    add_answer(c, p->wire[i].from.part, DAE__ANSWER_VARIABLE, p->wire[i].from.variable);
  for (int j = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].nz; i++) {
      dae_port z = p->joint[j].z[i];
      add_answer(c, z.part, DAE__ANSWER_VARIABLE, z.variable);
      add_answer(c, z.part, DAE__ANSWER_VARIABLE, nq_of(c, z.part) + z.variable);
      add_answer(c, z.part, DAE__ANSWER_ACCELERATION, z.variable);
    }
  for (int i = 0; i < c->parts; i++)
    for (int j = 0; j < extras(&c->form[i]); j++)
      if (c->form[i].extra[j].part >= 0)
        add_answer(c, c->form[i].extra[j].part, DAE__ANSWER_VARIABLE, c->form[i].extra[j].variable);
  for (int i = 0; i < c->parts; i++) {
    int carried = 0;
    for (int j = 0; j < p->joints; j++)
      for (int k = 0; k < p->joint[j].ng && c->carrier[j] == i; k++)
        add_answer(c, i, DAE__ANSWER_MULTIPLIER, carried++);
  }
}

/* number of the first multiplier of joint j among those its carrier carries */
static int carried_before(const dae__coupling *c, int j)
{
  int n = 0;
  for (int k = 0; k < j; k++)
    if (c->carrier[k] == c->carrier[j])
      n += c->problem->coupled->joint[k].ng;
  return n;
}

/* the unknown that multiplier i of joint j is */
static int multiplier_unknown(const dae__coupling *c, int j, int i)
{
  if (c->carrier[j] >= 0)
    return unknown(c, c->carrier[j], DAE__ANSWER_MULTIPLIER, carried_before(c, j) + i);
  int n = c->f->first[c->parts] + i;
  for (int k = 0; k < j; k++)
    n += c->carrier[k] < 0 ? c->problem->coupled->joint[k].ng : 0;
  return n;
}

/* ---- names and kinds of unknowns ---- */

/* entry of the coupled state vector that an output is or belongs to */
static int entry_of(const dae__coupling *c, int part, dae__answer a)
{
  return c->first_state[part] + a.index;
}

static const char *store(dae__arena *arena, const char *text)
{
  size_t length = strlen(text) + 1;
  char *own = DAE__TAKE(arena, char, length);
  if (own)
    memcpy(own, text, length);
  return own;
}

static void describe_output(dae__arena *arena, dae__coupling *c, int part, int i)
{
  dae__interface *f = c->f;
  const dae_semi_explicit *semi = c->problem->coupled->part[part].semi_explicit;
  dae__answer a = c->answers[part][i];
  char text[NAME + 2] = "the force of a joint";
  int u = f->first[part] + i;
  dae_variable_kind kind = DAE_VARIABLE_MULTIPLIER;
  if (a.kind != DAE__ANSWER_MULTIPLIER)
    kind = dae_problem_variable(c->problem, entry_of(c, part, a), text, NAME);
  if (a.kind == DAE__ANSWER_ACCELERATION)
    strcat(text, "''");
  f->name[u] = store(arena, text);
  f->owner[u] = part;
  f->direct[u] = a.kind != DAE__ANSWER_VARIABLE || kind == DAE_VARIABLE_ALGEBRAIC ||
                 kind == DAE_VARIABLE_MULTIPLIER || (semi && semi->M);
  f->steady[u] = a.kind != DAE__ANSWER_ACCELERATION && kind != DAE_VARIABLE_RATE;
}

static void describe_multipliers(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0, entry = c->first_state[c->parts]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++) {
      char text[NAME];
      int u = multiplier_unknown(c, j, i);
      dae_problem_variable(c->problem, entry, text, sizeof text);
      c->f->name[u] = store(arena, text);
      c->f->direct[u] = c->f->steady[u] = true;
      c->f->owner[u] = c->carrier[j] >= 0 ? c->carrier[j] : c->parts;
    }
}

/* ---- inputs ---- */

/* Of z those of other parts; their rates and accelerations are for the part that carries the joint,
 * the multipliers for those that do not. */
static void find_joint_sources(dae__coupling *c, int part, int j)
{
  const dae_joint *joint = &c->problem->coupled->joint[j];
  int at = dae__member_joint_inputs(c->form[part].member, j), nz = joint->nz, ng = joint->ng;
  bool carries = c->carrier[j] == part;
  if (at < 0)
    return;
  int *source = c->f->source + c->f->first_input[part] + at;
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    if (z.part == part)
      continue;
    source[i] = unknown(c, z.part, DAE__ANSWER_VARIABLE, z.variable);
    if (!carries)
      continue;
    source[nz + i] = unknown(c, z.part, DAE__ANSWER_VARIABLE, nq_of(c, z.part) + z.variable);
    source[2 * nz + ng + i] = unknown(c, z.part, DAE__ANSWER_ACCELERATION, z.variable);
  }
  for (int i = 0; i < ng && !carries; i++)
    source[2 * nz + i] = multiplier_unknown(c, j, i);
}

/* Further inputs of forms; those that repeat inputs of the member come after these are known. */
static void find_extra_sources(dae__coupling *c, int part)
{
  const dae__form *form = &c->form[part];
  int first = c->f->first_input[part], own = dae__member_inputs(form->member);
  for (int i = 0; i < extras(form); i++) {
    dae__extra e = form->extra[i];
    int *source = c->f->source + first;
    source[own + i] =
        e.part >= 0 ? unknown(c, e.part, DAE__ANSWER_VARIABLE, e.variable) : source[e.variable];
    c->f->age[first + own + i] = e.age;
  }
}

static void find_sources(dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  for (int i = 0; i < f->first_input[c->parts]; i++) {
    f->source[i] = -1;
    f->age[i] = 1;
  }
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    f->source[f->first_input[w->part] + w->input] =
        unknown(c, w->from.part, DAE__ANSWER_VARIABLE, w->from.variable);
  }
  for (int part = 0; part < c->parts; part++) {
    for (int j = 0; j < p->joints; j++)
      find_joint_sources(c, part, j);
    find_extra_sources(c, part);
  }
}

/* ---- joints with multipliers of their own ---- */

static dae_status create_joint(dae__arena *arena, dae__coupling *c, int j, dae__link_joint *out,
                               dae_error *err)
{
  const dae_joint *joint = &c->problem->coupled->joint[j];
  int ng = joint->ng, nz = joint->nz;
  out->ng = ng;
  out->nz = nz;
  out->first = multiplier_unknown(c, j, 0);
  out->z = DAE__TAKE(arena, int, nz);
  out->zdot = DAE__TAKE(arena, int, nz);
  out->zddot = DAE__TAKE(arena, int, nz);
  out->part = DAE__TAKE(arena, int, nz);
  out->at = DAE__TAKE(arena, double, nz);
  out->rate = DAE__TAKE(arena, double, nz);
  out->acceleration = DAE__TAKE(arena, double, nz);
  out->G = DAE__TAKE(arena, double, ng *nz);
  out->gamma = DAE__TAKE(arena, double, ng);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    out->part[i] = z.part;
    out->z[i] = unknown(c, z.part, DAE__ANSWER_VARIABLE, z.variable);
    out->zdot[i] = unknown(c, z.part, DAE__ANSWER_VARIABLE, nq_of(c, z.part) + z.variable);
    out->zddot[i] = unknown(c, z.part, DAE__ANSWER_ACCELERATION, z.variable);
  }
  return dae__element_joint(arena, joint, joint->name ? joint->name : "joint", &out->element, err);
}

static dae_status create_joints(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  dae_status status = DAE_OK;
  c->f->joint = DAE__TAKE(arena, dae__link_joint, p->joints);
  if (!c->f->joint)
    return dae__out_of_memory(err);
  for (int j = 0; j < p->joints && !status; j++)
    if (c->carrier[j] < 0)
      status = create_joint(arena, c, j, &c->f->joint[c->f->joints++], err);
  return status;
}

/* ---- members and children ---- */

static dae_status create_form(dae__arena *arena, const dae__coupling_recipe *r, dae__coupling *c,
                              int part, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  bool *carried = DAE__TAKE(arena, bool, p->joints);
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
static dae_status take_scratch(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  for (int i = 0; i < c->parts; i++) {
    dae__child *child = &c->child[i];
    child->member = c->form[i].member;
    child->scratch_in = DAE__TAKE(arena, double, c->form[i].inputs);
    child->answer_values = DAE__TAKE(arena, double, c->answer_count[i]);
  }
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae_status bdf_create(const dae_problem *problem, const dae_start *start, const void *opts,
                             const dae_env *env, dae_integrator **out, dae_error *err)
{
  return dae_bdf_create(problem, start, opts, env, out, err);
}

static dae_status bdf_ggl_create(const dae_problem *problem, const dae_start *start,
                                 const void *opts, const dae_env *env, dae_integrator **out,
                                 dae_error *err)
{
  return dae_bdf_ggl_create(problem, start, opts, env, out, err);
}

/* What integrates a part that was given no method. */
static const dae_method *usual_method(const dae_part *part)
{
  static const dae_method bdf = {
      .name = "bdf", .options = &dae_bdf_option_table, .create = bdf_create};
  static const dae_method ggl = {
      .name = "bdf-ggl", .options = &dae_bdf_option_table, .create = bdf_ggl_create};
  const dae_mechanical *m = part->mechanical;
  return m && m->ng + m->nk > 0 ? &ggl : &bdf;
}

static dae_status create_child(dae__arena *arena, const dae__coupling_recipe *r, dae__coupling *c,
                               int part, const double *z, dae_error *err)
{
  const dae__interface *f = c->f;
  const dae_part *p = &c->problem->coupled->part[part];
  dae_wave_child how = r->children ? r->children[part] : (dae_wave_child){0};
  dae_bdf_options *usual = DAE__TAKE(arena, dae_bdf_options, 1);
  const dae__form *form = &c->form[part];
  double *in = DAE__TAKE(arena, double, form->inputs);
  double *y = DAE__TAKE(arena, double, dae_problem_size(form->problem));
  bool *fixed = r->fixed ? DAE__TAKE(arena, bool, dae_problem_size(form->problem)) : NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *usual = dae_bdf_defaults();
  usual->rtol = fmax(r->rtol, 1e-14);
  usual->atol = r->atol;
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
                              .method = how.method ? how.method : usual_method(p),
                              .options = how.method ? how.options : usual,
                              .t = r->t,
                              .y = y,
                              .in = in,
                              .fixed = fixed,
                              .capacity = r->capacity};
  dae_status status = dae__child_create(arena, &recipe, &c->child[part], err);
  return status < 0 ? status : DAE_OK;
}

/* ---- the whole ---- */

static void find_carriers(dae__coupling *c, dae_wave_splitting splitting)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0; j < p->joints; j++) {
    const dae_joint *joint = &p->joint[j];
    c->carrier[j] = splitting == DAE_WAVE_SPLIT_FIRST    ? joint->z[0].part
                    : splitting == DAE_WAVE_SPLIT_SECOND ? joint->z[joint->nz - 1].part
                                                         : -1;
  }
}

static dae_status create_locks(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  int joints = c->problem->coupled->joints;
  c->locks = DAE__TAKE(arena, dae__lock *, joints);
  for (int j = 0; c->locks && j < joints; j++)
    c->locks[j] = dae__lock_create(arena);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static void take_memory(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  int parts = c->parts;
  c->form = DAE__TAKE(arena, dae__form, parts);
  c->child = DAE__TAKE(arena, dae__child, parts);
  c->first_state = DAE__TAKE(arena, int, parts + 1);
  c->answers = DAE__TAKE(arena, dae__answer *, parts);
  c->answer_count = DAE__TAKE(arena, int, parts);
  c->carrier = DAE__TAKE(arena, int, p->joints);
  c->f = DAE__TAKE(arena, dae__interface, 1);
}

static void take_interface(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  f->systems = c->parts;
  f->sub = DAE__TAKE(arena, const dae_subsystem *, c->parts);
  f->first = DAE__TAKE(arena, int, c->parts + 1);
  f->first_input = DAE__TAKE(arena, int, c->parts + 1);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < c->parts; i++) {
    f->sub[i] = &c->child[i].subsystem;
    f->first[i + 1] = f->first[i] + c->answer_count[i];
    f->first_input[i + 1] = f->first_input[i] + c->form[i].inputs;
  }
  for (int j = 0; j < p->joints; j++)
    f->multipliers += c->carrier[j] < 0 ? p->joint[j].ng : 0;
  f->unknowns = f->first[c->parts] + f->multipliers;
  f->source = DAE__TAKE(arena, int, f->first_input[c->parts]);
  f->age = DAE__TAKE(arena, int, f->first_input[c->parts]);
  f->owner = DAE__TAKE(arena, int, f->unknowns);
  f->direct = DAE__TAKE(arena, bool, f->unknowns);
  f->steady = DAE__TAKE(arena, bool, f->unknowns);
  f->name = DAE__TAKE(arena, const char *, f->unknowns);
}

static dae_status describe(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  take_interface(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int part = 0; part < c->parts; part++)
    for (int i = 0; i < c->answer_count[part]; i++)
      describe_output(arena, c, part, i);
  describe_multipliers(arena, c);
  find_sources(c);
  return create_joints(arena, c, err);
}

/* the sizes that the interface asks for, where there are no integrators */
static void describe_subsystems(dae__coupling *c)
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
  take_memory(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < c->parts; i++) {
    dae_problem part = part_problem(&p->part[i]);
    c->first_state[i + 1] = c->first_state[i] + dae_problem_size(&part);
  }
  find_carriers(c, r->splitting);
  dae_status status = r->jacobi ? create_locks(arena, c, err) : DAE_OK;
  for (int i = 0; i < c->parts && !status; i++)
    status = create_form(arena, r, c, i, err);
  if (status)
    return status;
  take_answers(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  find_answers(c);
  status = take_scratch(arena, c, err);
  if (!status)
    status = describe(arena, c, err);
  double *z = !status ? DAE__TAKE(arena, double, c->f->unknowns) : NULL;
  if (!status && !z)
    status = dae__out_of_memory(err);
  if (!status)
    dae__coupling_unknowns(c, r->y, r->dy, z);
  describe_subsystems(c);
  for (int i = 0; i < c->parts && !status && r->with_children; i++)
    status = create_child(arena, r, c, i, z, err);
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
      int entry = entry_of(c, part, a);
      if (a.kind == DAE__ANSWER_VARIABLE)
        z[c->f->first[part] + i] = y[entry];
      else if (a.kind == DAE__ANSWER_ACCELERATION)
        z[c->f->first[part] + i] = dy[entry + nq_of(c, part)];
    }
  for (int j = 0, entry = c->first_state[c->parts]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++)
      z[multiplier_unknown(c, j, i)] = y[entry];
}

void dae__coupling_multipliers(const dae__coupling *c, const double *z, double *lambda)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0, n = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, n++)
      lambda[n] = z[multiplier_unknown(c, j, i)];
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
