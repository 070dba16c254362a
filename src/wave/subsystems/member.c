/* Putting a member together: the part and the joints that touch it as elements, its problem, what
 * its answers need. */
#include "wave/subsystems/member.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include "wave/subsystems/member_parts.h"
#include <stdio.h>

/* ---- creating ---- */

static bool member_touches(const dae__member *m, const dae_joint *joint)
{
  for (int i = 0; i < joint->nz; i++)
    if (&m->coupled->part[joint->z[i].part] == m->given)
      return true;
  return false;
}

static dae_status member_check(const dae_coupled *coupled, int part,
                               const dae__member_options *opts, dae_error *err)
{
  DAE__TRY(dae__coupled_validate(coupled, err));
  if (part < 0 || part >= coupled->parts)
    return dae__fail(err, DAE_ERROR_USAGE, "part", "the coupled problem has no part %d", part + 1);
  for (int j = 0; opts->carried && j < coupled->joints; j++) {
    const dae_joint *joint = &coupled->joint[j];
    bool there = false;
    for (int i = 0; i < joint->nz; i++)
      there = there || joint->z[i].part == part;
    if (opts->carried[j] && !there)
      return dae__fail(err, DAE_ERROR_USAGE, joint->name,
                       "the joint %s is to be carried by a part that it does not touch",
                       joint->name ? joint->name : "without a name");
  }
  return DAE_OK;
}

static dae_status member_create_part(dae__member *m, int part, dae_error *err)
{
  char *name = DAE__ALLOC(m->arena, char, 32);
  if (!name)
    return dae__out_of_memory(err);
  snprintf(name, 32, "part[%d]", part + 1);
  m->pass.name = m->given->name ? m->given->name : name;
  dae_status status = dae__element_part(m->arena, m->given, m->pass.name, &m->part, err);
  m->inputs = m->part.nin;
  return dae__pass_diagnose(m->pass.name, status, err);
}

static dae_status member_create_hinges(dae__member *m, const bool *carried, dae_error *err)
{
  dae_status status = DAE_OK;
  m->hinge = DAE__ALLOC(m->arena, dae__hinge, m->coupled->joints);
  if (!m->hinge)
    return dae__out_of_memory(err);
  for (int j = 0; j < m->coupled->joints && !status; j++)
    if (member_touches(m, &m->coupled->joint[j]))
      status = dae__hinge_create(m, j, carried && carried[j], &m->hinge[m->hinges++], err);
  return status;
}

static void member_take_range(dae__member *m)
{
  int n = m->part.nz > m->inputs ? m->part.nz : m->inputs;
  n = n > m->part.n.g + m->part.n.k ? n : m->part.n.g + m->part.n.k;
  m->range = DAE__ALLOC(m->arena, int, n);
  for (int i = 0; m->range && i < n; i++)
    m->range[i] = i;
}

static dae_status member_create_mechanical(dae__member *m, dae_error *err)
{
  const dae__mech *own = m->part.m;
  dae_status status = dae__balance_create(m, err);
  m->f = DAE__ALLOC(m->arena, double, own->nq);
  if (!status)
    status = dae__inner_create(m, own->nw, own->nq + own->nu, own->at.w, err);
  m->problem = (dae_problem){.mechanical = own->p, .why = m->pass.why};
  return !status && m->hinges > 0 ? dae__member_describe(m, err) : status;
}

static dae_status member_create_semi(dae__member *m, dae_error *err)
{
  const dae__semi *own = m->part.semi;
  dae_status status = dae__inner_create(m, own->ny, own->nx, own->nx, err);
  m->problem = (dae_problem){.semi_explicit = own->p, .why = m->pass.why};
  return status ? status : dae__limit_create(m, err);
}

static dae_status member_create(dae__member *m, int part, const bool *carried, dae_error *err)
{
  DAE__TRY(member_create_part(m, part, err));
  DAE__TRY(member_create_hinges(m, carried, err));
  member_take_range(m);
  m->J_values = DAE__ALLOC(m->arena, double, dae__pattern_count(m->part.J));
  m->J_in_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&m->part.J_in));
  m->dw = DAE__ALLOC(m->arena, double, m->part.n.w);
  m->asked = DAE__ALLOC(m->arena, bool, m->part.nz + m->part.n.g + m->part.n.k);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  dae_status status = m->part.m ? member_create_mechanical(m, err) : member_create_semi(m, err);
  return !status && dae__arena_failed(m->arena) ? dae__out_of_memory(err) : status;
}

dae_status dae__member_create(dae__arena *arena, const dae_coupled *coupled, int part,
                              const dae__member_options *opts, dae__member **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(member_check(coupled, part, opts, err));
  dae__member *m = DAE__ALLOC(arena, dae__member, 1);
  if (!m)
    return dae__out_of_memory(err);
  /* what factorisations keep between calls is no part of what the owner of the arena saves */
  *m = (dae__member){
      .arena = dae__arena_create(dae__arena_env(arena)),
      .coupled = coupled,
      .given = &coupled->part[part],
      .lagged = opts->lagged,
      .locks = opts->locks,
      .pass = {.to = coupled->part[part].mechanical, .why = opts->why, .last = dae_error_none()}};
  if (!m->arena)
    return dae__out_of_memory(err);
  dae_status status = member_create(m, part, opts->carried, err);
  if (status)
    dae__member_free(m);
  else
    *out = m;
  return status;
}

void dae__member_free(dae__member *m)
{
  if (!m)
    return;
  dae__solver_free(m->balance.solver);
  dae__solver_free(m->inner.solver);
  dae__solver_free(m->limit.solver);
  dae__solver_free(m->limit.mass);
  dae__arena_free(m->arena);
}

/* ---- what it is ---- */

const dae_problem *dae__member_problem(const dae__member *m)
{
  return &m->problem;
}

int dae__member_inputs(const dae__member *m)
{
  return m->inputs;
}

int dae__member_joint_inputs(const dae__member *m, int joint)
{
  for (int k = 0; k < m->hinges; k++)
    if (m->hinge[k].number == joint)
      return m->hinge[k].first;
  return -1;
}
