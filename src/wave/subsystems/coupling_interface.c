/* Which variables of a part are outputs, and which unknowns its inputs are.
 *
 * Outputs of a part: the variables that others are wired to; of every coordinate in a joint itself,
 * its rate and its acceleration; the multipliers of joints that the part eliminates. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/subsystems/coupling.h"

#include <stdio.h>
#include <string.h>

#define NAME 96

/* ---- outputs ---- */

static int coupling_find_answer(const dae__coupling *c, int part, dae__output_kind kind, int index)
{
  for (int i = 0; i < c->output_count[part]; i++)
    if (c->outputs[part][i].kind == kind && c->outputs[part][i].index == index)
      return i;
  return -1;
}

static void coupling_add_answer(dae__coupling *c, int part, dae__output_kind kind, int index)
{
  if (coupling_find_answer(c, part, kind, index) < 0)
    c->outputs[part][c->output_count[part]++] = (dae__output){kind, index};
}

static int coupling_unknown(const dae__coupling *c, int part, dae__output_kind kind, int index)
{
  return c->f->first[part] + coupling_find_answer(c, part, kind, index);
}

static int coupling_extras(const dae__child_problem *form)
{
  return form->inputs - dae__augmented_inputs(form->member);
}

/* room for the outputs of each part */
static void coupling_take_answers(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  int *most = DAE__ALLOC(arena, int, c->systems);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < p->wires; i++)
    most[p->wire[i].from.part]++;
  for (int i = 0; i < c->systems; i++)
    for (int j = 0; j < coupling_extras(&c->child_problem[i]); j++)
      if (c->child_problem[i].extra[j].part >= 0)
        most[c->child_problem[i].extra[j].part]++;
  for (int j = 0; j < p->joints; j++) {
    for (int i = 0; i < p->joint[j].nz; i++)
      most[p->joint[j].z[i].part] += 3;
    if (c->eliminated_in[j] >= 0)
      most[c->eliminated_in[j]] += p->joint[j].ng;
  }
  for (int i = 0; i < c->systems; i++)
    c->outputs[i] = DAE__ALLOC(arena, dae__output, most[i]);
}

static void coupling_find_all(dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  for (int i = 0; i < p->wires; i++)
    coupling_add_answer(c, p->wire[i].from.part, DAE__OUTPUT_VARIABLE, p->wire[i].from.variable);
  for (int j = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].nz; i++) {
      dae_port z = p->joint[j].z[i];
      coupling_add_answer(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
      coupling_add_answer(c, z.part, DAE__OUTPUT_VARIABLE,
                          dae__coupling_nq(c, z.part) + z.variable);
      coupling_add_answer(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
    }
  for (int i = 0; i < c->systems; i++)
    for (int j = 0; j < coupling_extras(&c->child_problem[i]); j++)
      if (c->child_problem[i].extra[j].part >= 0)
        coupling_add_answer(c, c->child_problem[i].extra[j].part, DAE__OUTPUT_VARIABLE,
                            c->child_problem[i].extra[j].variable);
  for (int i = 0; i < c->systems; i++) {
    int eliminated = 0;
    for (int j = 0; j < p->joints; j++)
      for (int k = 0; k < p->joint[j].ng && c->eliminated_in[j] == i; k++)
        coupling_add_answer(c, i, DAE__OUTPUT_MULTIPLIER, eliminated++);
  }
}

dae_status dae__coupling_answers(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  coupling_take_answers(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  coupling_find_all(c);
  return DAE_OK;
}

/* number of the first multiplier of joint j among those its eliminated_in eliminates */
static int coupling_carried_before(const dae__coupling *c, int j)
{
  int n = 0;
  for (int k = 0; k < j; k++)
    if (c->eliminated_in[k] == c->eliminated_in[j])
      n += c->problem->coupled->joint[k].ng;
  return n;
}

/* the unknown that multiplier i of joint j is */
int dae__coupling_multiplier(const dae__coupling *c, int j, int i)
{
  if (c->eliminated_in[j] >= 0)
    return coupling_unknown(c, c->eliminated_in[j], DAE__OUTPUT_MULTIPLIER,
                            coupling_carried_before(c, j) + i);
  int n = c->f->first[c->systems] + i;
  for (int k = 0; k < j; k++)
    n += c->eliminated_in[k] < 0 ? c->problem->coupled->joint[k].ng : 0;
  return n;
}

/* ---- names and kinds of unknowns ---- */

static const char *coupling_store(dae__arena *arena, const char *text)
{
  size_t length = strlen(text) + 1;
  char *own = DAE__ALLOC(arena, char, length);
  if (own)
    memcpy(own, text, length);
  return own;
}

static void coupling_describe_output(dae__arena *arena, dae__coupling *c, int part, int i)
{
  dae__interface *f = c->f;
  const dae_semi_explicit *semi = c->problem->coupled->part[part].semi_explicit;
  dae__output a = c->outputs[part][i];
  char text[NAME + 2] = "the force of a joint";
  int u = f->first[part] + i;
  dae_variable_kind kind = DAE_VARIABLE_MULTIPLIER;
  if (a.kind != DAE__OUTPUT_MULTIPLIER)
    kind = dae_problem_variable(c->problem, dae__coupling_entry(c, part, a), text, NAME);
  if (a.kind == DAE__OUTPUT_ACCELERATION)
    strcat(text, "''");
  f->name[u] = coupling_store(arena, text);
  f->owner[u] = part;
  f->direct[u] = a.kind != DAE__OUTPUT_VARIABLE || kind == DAE_VARIABLE_ALGEBRAIC ||
                 kind == DAE_VARIABLE_MULTIPLIER || (semi && semi->M);
  f->steady[u] = a.kind != DAE__OUTPUT_ACCELERATION && kind != DAE_VARIABLE_RATE;
}

static void coupling_describe_multipliers(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  for (int j = 0, entry = c->first_state[c->systems]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++) {
      char text[NAME];
      int u = dae__coupling_multiplier(c, j, i);
      dae_problem_variable(c->problem, entry, text, sizeof text);
      c->f->name[u] = coupling_store(arena, text);
      c->f->direct[u] = c->f->steady[u] = true;
      c->f->owner[u] = c->eliminated_in[j] >= 0 ? c->eliminated_in[j] : c->systems;
    }
}

/* ---- inputs ---- */

/* Of z those of other parts; their rates and accelerations are for the part that eliminates the
 * joint, the multipliers for those that do not. */
static void coupling_find_joint_sources(dae__coupling *c, int part, int j)
{
  const dae_joint *joint = &c->problem->coupled->joint[j];
  int at = dae__augmented_joint_inputs(c->child_problem[part].member, j), nz = joint->nz,
      ng = joint->ng;
  bool eliminates = c->eliminated_in[j] == part;
  if (at < 0)
    return;
  int *source = c->f->source + c->f->first_input[part] + at;
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    if (z.part == part)
      continue;
    source[i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
    if (!eliminates)
      continue;
    source[nz + i] =
        coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, dae__coupling_nq(c, z.part) + z.variable);
    source[2 * nz + ng + i] = coupling_unknown(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
  }
  for (int i = 0; i < ng && !eliminates; i++)
    source[2 * nz + i] = dae__coupling_multiplier(c, j, i);
}

/* Further inputs of forms; those that repeat inputs of the member come after these are known. */
static void coupling_find_extra_sources(dae__coupling *c, int part)
{
  const dae__child_problem *form = &c->child_problem[part];
  int first = c->f->first_input[part], own = dae__augmented_inputs(form->member);
  for (int i = 0; i < coupling_extras(form); i++) {
    dae__extra e = form->extra[i];
    int *source = c->f->source + first;
    source[own + i] = e.part >= 0 ? coupling_unknown(c, e.part, DAE__OUTPUT_VARIABLE, e.variable)
                                  : source[e.variable];
    c->f->age[first + own + i] = e.age;
  }
}

static void coupling_find_sources(dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  for (int i = 0; i < f->first_input[c->systems]; i++) {
    f->source[i] = -1;
    f->age[i] = 1;
  }
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    f->source[f->first_input[w->part] + w->input] =
        coupling_unknown(c, w->from.part, DAE__OUTPUT_VARIABLE, w->from.variable);
  }
  for (int part = 0; part < c->systems; part++) {
    for (int j = 0; j < p->joints; j++)
      coupling_find_joint_sources(c, part, j);
    coupling_find_extra_sources(c, part);
  }
}

/* ---- joints with multipliers of their own ---- */

static dae_status coupling_create_joint(dae__arena *arena, dae__coupling *c, int j,
                                        dae__link_joint *out, dae_error *err)
{
  const dae_joint *joint = &c->problem->coupled->joint[j];
  int ng = joint->ng, nz = joint->nz;
  out->ng = ng;
  out->nz = nz;
  out->first = dae__coupling_multiplier(c, j, 0);
  out->z = DAE__ALLOC(arena, int, nz);
  out->zdot = DAE__ALLOC(arena, int, nz);
  out->zddot = DAE__ALLOC(arena, int, nz);
  out->part = DAE__ALLOC(arena, int, nz);
  out->at = DAE__ALLOC(arena, double, nz);
  out->rate = DAE__ALLOC(arena, double, nz);
  out->acceleration = DAE__ALLOC(arena, double, nz);
  out->G = DAE__ALLOC(arena, double, ng *nz);
  out->gamma = DAE__ALLOC(arena, double, ng);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    out->part[i] = z.part;
    out->z[i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
    out->zdot[i] =
        coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, dae__coupling_nq(c, z.part) + z.variable);
    out->zddot[i] = coupling_unknown(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
  }
  return dae__element_joint(arena, joint, joint->name ? joint->name : "joint", &out->element, err);
}

static dae_status coupling_create_joints(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  dae_status status = DAE_OK;
  c->f->joint = DAE__ALLOC(arena, dae__link_joint, p->joints);
  if (!c->f->joint)
    return dae__out_of_memory(err);
  for (int j = 0; j < p->joints && !status; j++)
    if (c->eliminated_in[j] < 0)
      status = coupling_create_joint(arena, c, j, &c->f->joint[c->f->joints++], err);
  return status;
}

/* ---- the whole ---- */

static void coupling_take_interface(dae__arena *arena, dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  f->systems = c->systems;
  f->sub = DAE__ALLOC(arena, const dae_subsystem *, c->systems);
  f->first = DAE__ALLOC(arena, int, c->systems + 1);
  f->first_input = DAE__ALLOC(arena, int, c->systems + 1);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < c->systems; i++) {
    f->sub[i] = &c->child[i].subsystem;
    f->first[i + 1] = f->first[i] + c->output_count[i];
    f->first_input[i + 1] = f->first_input[i] + c->child_problem[i].inputs;
  }
  for (int j = 0; j < p->joints; j++)
    f->multipliers += c->eliminated_in[j] < 0 ? p->joint[j].ng : 0;
  f->unknowns = f->first[c->systems] + f->multipliers;
  f->source = DAE__ALLOC(arena, int, f->first_input[c->systems]);
  f->age = DAE__ALLOC(arena, int, f->first_input[c->systems]);
  f->owner = DAE__ALLOC(arena, int, f->unknowns);
  f->direct = DAE__ALLOC(arena, bool, f->unknowns);
  f->steady = DAE__ALLOC(arena, bool, f->unknowns);
  f->name = DAE__ALLOC(arena, const char *, f->unknowns);
}

dae_status dae__coupling_describe(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  coupling_take_interface(arena, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  for (int part = 0; part < c->systems; part++)
    for (int i = 0; i < c->output_count[part]; i++)
      coupling_describe_output(arena, c, part, i);
  coupling_describe_multipliers(arena, c);
  coupling_find_sources(c);
  return coupling_create_joints(arena, c, err);
}
