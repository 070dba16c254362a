/* Outputs of the systems of a coupled problem, and the unknown behind each of their inputs.
 *
 * Outputs of a system are the variables wired to inputs of other systems; value, rate and
 * acceleration of every coordinate in a joint; and the multipliers of joints eliminated in the
 * system. */
#include "core/error.h"
#include "wave/subsystems/coupling.h"
#include <string.h>

#define NAME_SIZE 98

/* ---- outputs ---- */

static int coupling_find_output(const dae__coupling *c, int system, dae__output_kind kind,
                                int index)
{
  for (int i = 0; i < c->output_count[system]; i++)
    if (c->outputs[system][i].kind == kind && c->outputs[system][i].index == index)
      return i;
  return -1;
}

static void coupling_add_output(dae__coupling *c, int system, dae__output_kind kind, int index)
{
  if (coupling_find_output(c, system, kind, index) < 0)
    c->outputs[system][c->output_count[system]++] = (dae__output){kind, index};
}

static int coupling_unknown(const dae__coupling *c, int system, dae__output_kind kind, int index)
{
  return c->f->first[system] + coupling_find_output(c, system, kind, index);
}

dae_status dae__coupling_find_outputs(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  /* number of multipliers that each system eliminates; after the last system, that none does */
  int *eliminated = DAE__ALLOC(arena, int, c->systems + 1);
  for (int j = 0; eliminated && j < p->joints; j++) {
    int *count = &eliminated[c->eliminated_in[j] >= 0 ? c->eliminated_in[j] : c->systems];
    c->eliminated_before[j] = *count;
    *count += p->joint[j].ng;
  }
  for (int i = 0; eliminated && i < c->systems; i++) {
    int size = c->first_state[i + 1] - c->first_state[i];
    int accelerations = p->part[i].mechanical ? p->part[i].mechanical->nq : 0;
    c->outputs[i] = DAE__ALLOC(arena, dae__output, size + accelerations + eliminated[i]);
  }
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < p->wires; i++)
    coupling_add_output(c, p->wire[i].from.part, DAE__OUTPUT_VARIABLE, p->wire[i].from.variable);
  for (int j = 0; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].nz; i++) {
      dae_port z = p->joint[j].z[i];
      int rate = p->part[z.part].mechanical->nq + z.variable;
      coupling_add_output(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
      coupling_add_output(c, z.part, DAE__OUTPUT_VARIABLE, rate);
      coupling_add_output(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
    }
  for (int i = 0; i < c->systems; i++)
    for (int j = 0; j < c->child_problem[i].extras; j++) {
      dae__extra_input e = c->child_problem[i].extra[j];
      if (e.system >= 0)
        coupling_add_output(c, e.system, DAE__OUTPUT_VARIABLE, e.variable);
    }
  for (int i = 0; i < c->systems; i++)
    for (int k = 0; k < eliminated[i]; k++)
      coupling_add_output(c, i, DAE__OUTPUT_MULTIPLIER, k);
  return DAE_OK;
}

int dae__coupling_multiplier(const dae__coupling *c, int j, int i)
{
  int system = c->eliminated_in[j], before = c->eliminated_before[j];
  return system >= 0 ? coupling_unknown(c, system, DAE__OUTPUT_MULTIPLIER, before + i)
                     : c->f->first[c->systems] + before + i;
}

/* ---- names and kinds of unknowns ---- */

static dae_status coupling_describe_unknowns(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  char *text = DAE__ALLOC(arena, char, (size_t)f->unknowns *NAME_SIZE);
  DAE__TRY(dae__arena_status(arena, err));
  for (int u = 0; u < f->unknowns; u++)
    f->name[u] = text + u * NAME_SIZE;
  for (int system = 0; system < c->systems; system++)
    for (int i = 0; i < c->output_count[system]; i++) {
      const dae_semi_explicit *semi = p->part[system].semi_explicit;
      dae__output output = c->outputs[system][i];
      int u = f->first[system] + i, entry = c->first_state[system] + output.index;
      dae_variable_kind kind = DAE_VARIABLE_MULTIPLIER;
      if (output.kind != DAE__OUTPUT_MULTIPLIER)
        kind = dae_problem_variable(c->problem, entry, text + u * NAME_SIZE, NAME_SIZE - 2);
      if (output.kind == DAE__OUTPUT_ACCELERATION)
        strcat(text + u * NAME_SIZE, "''");
      f->entry[u] = output.kind == DAE__OUTPUT_MULTIPLIER ? -1
                    : output.kind == DAE__OUTPUT_ACCELERATION
                        ? entry + p->part[system].mechanical->nq
                        : entry;
      f->owner[u] = system;
      f->direct[u] = output.kind != DAE__OUTPUT_VARIABLE || kind == DAE_VARIABLE_ALGEBRAIC ||
                     kind == DAE_VARIABLE_MULTIPLIER || (semi && semi->M);
      f->in_end_norm[u] = output.kind != DAE__OUTPUT_ACCELERATION && kind != DAE_VARIABLE_RATE;
    }
  for (int j = 0, entry = c->first_state[c->systems]; j < p->joints; j++)
    for (int i = 0; i < p->joint[j].ng; i++, entry++) {
      int u = dae__coupling_multiplier(c, j, i);
      dae_problem_variable(c->problem, entry, text + u * NAME_SIZE, NAME_SIZE - 2);
      f->direct[u] = f->in_end_norm[u] = true;
      f->entry[u] = entry;
      f->owner[u] = c->eliminated_in[j] >= 0 ? c->eliminated_in[j] : c->systems;
    }
  return DAE_OK;
}

/* ---- inputs ---- */

/* Sources of the inputs of a system from an attached joint: coordinates z of other systems; with
 * elimination in this system also their rates and accelerations, else the multipliers. */
static void coupling_find_joint_sources(dae__coupling *c, int system,
                                        const dae__attached_joint *attached)
{
  const dae_joint *joint = attached->joint;
  int nz = joint->nz, ng = joint->ng;
  bool eliminates = attached->eliminated;
  int *source = c->f->source + c->f->first_input[system] + attached->first;
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    if (z.part == system)
      continue;
    source[i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
    if (!eliminates)
      continue;
    int rate = c->problem->coupled->part[z.part].mechanical->nq + z.variable;
    source[nz + i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, rate);
    source[2 * nz + ng + i] = coupling_unknown(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
  }
  for (int i = 0; i < ng && !eliminates; i++)
    source[2 * nz + i] = dae__coupling_multiplier(c, attached->number, i);
}

static void coupling_find_sources(dae__coupling *c)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  for (int i = 0; i < p->wires; i++) {
    const dae_wire *w = &p->wire[i];
    f->source[f->first_input[w->part] + w->input] =
        coupling_unknown(c, w->from.part, DAE__OUTPUT_VARIABLE, w->from.variable);
  }
  for (int system = 0; system < c->systems; system++) {
    const dae__child_problem *child = &c->child_problem[system];
    int first = f->first_input[system], own = child->augmented->inputs;
    for (int k = 0; k < child->augmented->joints; k++)
      coupling_find_joint_sources(c, system, &child->augmented->joint[k]);
    for (int i = 0; i < child->extras; i++) {
      dae__extra_input e = child->extra[i];
      f->source[first + own + i] =
          e.system >= 0 ? coupling_unknown(c, e.system, DAE__OUTPUT_VARIABLE, e.variable)
                        : f->source[first + e.variable];
      f->age[first + own + i] = e.age;
    }
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
  out->system = DAE__ALLOC(arena, int, nz);
  DAE__VECTORS(arena, nz, &out->at, &out->rate, &out->acceleration);
  out->G = DAE__ALLOC(arena, double, ng *nz);
  out->gamma = DAE__ALLOC(arena, double, ng);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < nz; i++) {
    dae_port z = joint->z[i];
    int rate = c->problem->coupled->part[z.part].mechanical->nq + z.variable;
    out->system[i] = z.part;
    out->z[i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, z.variable);
    out->zdot[i] = coupling_unknown(c, z.part, DAE__OUTPUT_VARIABLE, rate);
    out->zddot[i] = coupling_unknown(c, z.part, DAE__OUTPUT_ACCELERATION, z.variable);
  }
  return dae__element_joint(arena, joint, joint->name ? joint->name : "joint", &out->element, err);
}

/* ---- the interface ---- */

dae_status dae__coupling_describe(dae__arena *arena, dae__coupling *c, dae_error *err)
{
  const dae_coupled *p = c->problem->coupled;
  dae__interface *f = c->f;
  int multipliers = 0;
  f->sub = DAE__ALLOC(arena, const dae_subsystem *, c->systems);
  f->joint = DAE__ALLOC(arena, dae__link_joint, p->joints);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < c->systems; i++)
    f->sub[i] = &c->child[i].subsystem;
  for (int j = 0; j < p->joints; j++)
    multipliers += c->eliminated_in[j] < 0 ? p->joint[j].ng : 0;
  DAE__TRY(dae__interface_alloc(arena, f, c->systems, multipliers, err));
  DAE__TRY(coupling_describe_unknowns(arena, c, err));
  coupling_find_sources(c);
  for (int j = 0; j < p->joints; j++)
    if (c->eliminated_in[j] < 0)
      DAE__TRY(coupling_create_joint(arena, c, j, &f->joint[f->joints++], err));
  return DAE_OK;
}
