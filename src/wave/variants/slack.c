/* Putting a slack form together: who lends equations, and where its variables and inputs are found
 * in the extended problem. */
#include "wave/variants/slack.h"
#include "core/error.h"
#include "linalg/pattern.h"
#include "problem/problem.h"
#include "wave/variants/slack_parts.h"
#include <stdio.h>

/* ---- places ---- */

/* the input that stands for a variable, a new one if there is none */
static int slack_input_for(dae__slack *s, dae_port port)
{
  int k = 0;
  while (k < s->inputs && (s->port[k].part != port.part || s->port[k].variable != port.variable))
    k++;
  if (k == s->inputs)
    s->port[s->inputs++] = port;
  return -1 - (s->n.in + k);
}

/* the slack variable that stands for a variable, -1: none does */
static int slack_for(const dae__slack *s, dae_port port)
{
  for (int k = 0; k < s->count; k++)
    if (s->variable[k].part == port.part && s->variable[k].variable == port.variable)
      return k;
  return -1;
}

static int slack_place_of(dae__slack *s, dae_port port)
{
  int k = slack_for(s, port);
  bool own = port.part == s->part && port.variable < s->nz;
  if (k >= 0)
    return s->nz + k;
  if (own && (!s->lagged || port.variable >= s->nz - s->n.w))
    return port.variable;
  return slack_input_for(s, port);
}

/* what an input is wired to */
static dae_port slack_source_of(const dae_coupled *c, int part, int input)
{
  int i = 0;
  while (c->wire[i].part != part || c->wire[i].input != input)
    i++;
  return c->wire[i].from;
}

/* ---- lenders ---- */

static dae_status slack_take_lender(dae__slack *s, const dae_part *part, dae__lender *l,
                                    dae_error *err)
{
  char *name = DAE__ALLOC(s->arena, char, 32);
  if (!name)
    return dae__out_of_memory(err);
  snprintf(name, 32, "part[%d]", l->part + 1);
  dae_status status = dae__element_part(s->arena, part, part->name ? part->name : name, &l->e, err);
  if (status)
    return dae__pass_diagnose(part->name ? part->name : name, status, err);
  bool momenta = part->mechanical && !part->mechanical->f;
  l->J_pattern = momenta && l->part == s->part ? &l->e.m->J_user : l->e.J;
  l->row = DAE__ALLOC(s->arena, int, l->e.nr);
  l->z = DAE__ALLOC(s->arena, int, l->e.nz);
  l->in = DAE__ALLOC(s->arena, int, l->e.nin);
  l->z_values = DAE__ALLOC(s->arena, double, l->e.nz);
  l->rows = DAE__ALLOC(s->arena, double, l->e.n.w);
  l->J = DAE__ALLOC(s->arena, double, dae__pattern_count(l->J_pattern));
  l->J_in = DAE__ALLOC(s->arena, double, dae__pattern_count(&l->e.J_in));
  return dae__arena_failed(s->arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* the part itself: slack variables take the place of inputs that are wired to them */
static void slack_place_base(dae__slack *s, dae__lender *l)
{
  int given = dae__part_sizes_of(&s->coupled->part[s->part]).in;
  for (int i = 0; i < l->e.nr; i++)
    l->row[i] = i;
  for (int i = 0; i < l->e.nz; i++)
    l->z[i] = i;
  for (int i = 0; i < l->e.nin; i++) {
    int k = i < given ? slack_for(s, slack_source_of(s->coupled, s->part, i)) : -1;
    l->in[i] = k >= 0 ? s->nz + k : -1 - i;
  }
}

static void slack_place_lender(dae__slack *s, dae__lender *l, int *next_row)
{
  int algebraic = l->e.nr - l->e.n.w;
  for (int i = 0; i < l->e.nr; i++) {
    bool taken = i >= algebraic && dae__slack_takes_row(s, l->part, i - algebraic);
    l->row[i] = taken ? (*next_row)++ : -1;
  }
  for (int i = 0; i < l->e.nz; i++)
    l->z[i] = slack_place_of(s, (dae_port){l->part, i});
  for (int i = 0; i < l->e.nin; i++)
    l->in[i] = slack_place_of(s, slack_source_of(s->coupled, l->part, i));
}

static dae_status slack_create_lenders(dae__slack *s, dae_error *err)
{
  const dae_coupled *c = s->coupled;
  dae_part base = {c->part[s->part].name, s->base.mechanical, s->base.semi_explicit};
  int row = s->nz - s->n.q, capacity = 0;
  s->lender = DAE__ALLOC(s->arena, dae__lender, c->parts);
  if (!s->lender)
    return dae__out_of_memory(err);
  s->lender[s->lenders++].part = s->part;
  for (int k = 0; k < s->count; k++)
    if (s->lender[s->lenders - 1].part != s->variable[k].part)
      s->lender[s->lenders++].part = s->variable[k].part;
  for (int i = 0; i < s->lenders; i++) {
    dae__lender *l = &s->lender[i];
    DAE__TRY(slack_take_lender(s, i == 0 ? &base : &c->part[l->part], l, err));
    capacity += l->e.nz + l->e.nin;
  }
  s->port = DAE__ALLOC(s->arena, dae_port, capacity);
  if (!s->port)
    return dae__out_of_memory(err);
  slack_place_base(s, &s->lender[0]);
  for (int i = 1; i < s->lenders; i++)
    slack_place_lender(s, &s->lender[i], &row);
  return DAE_OK;
}

/* ---- creating ---- */

static dae_status slack_list_variables(dae__slack *s, dae_error *err)
{
  const dae_coupled *c = s->coupled;
  s->variable = DAE__ALLOC(s->arena, dae_port, s->loops.first[c->parts]);
  if (!s->variable)
    return dae__out_of_memory(err);
  for (int p = 0; p < c->parts; p++) {
    dae__part_sizes n = dae__part_sizes_of(&c->part[p]);
    for (int i = 0; i < n.w; i++)
      if (dae__slack_takes(s, p, i))
        s->variable[s->count++] = (dae_port){p, 2 * n.q + n.u + i};
  }
  return DAE_OK;
}

static dae_status slack_check(const dae_coupled *coupled, int part, dae_error *err)
{
  dae_status status = dae__coupled_validate(coupled, err);
  if (!status && (part < 0 || part >= coupled->parts))
    status =
        dae__fail(err, DAE_ERROR_USAGE, "part", "the coupled problem has no part %d", part + 1);
  return status;
}

static dae_status slack_create(dae__slack *s, dae_error *err)
{
  dae_status status = dae__slack_find(s, err);
  if (!status)
    status = slack_list_variables(s, err);
  s->problem = s->base;
  if (status || s->count == 0)
    return status;
  status = slack_create_lenders(s, err);
  return status ? status : dae__slack_describe(s, err);
}

dae_status dae__slack_create(dae__arena *arena, const dae_coupled *coupled, int part,
                             const dae__slack_options *opts, dae__slack **out, dae_error *err)
{
  *out = NULL;
  dae_status status = slack_check(coupled, part, err);
  dae__slack *s = DAE__ALLOC(arena, dae__slack, 1);
  DAE__TRY(status);
  if (!s)
    return dae__out_of_memory(err);
  const dae_part *given = &coupled->part[part];
  dae_problem as_it_is = {
      .mechanical = given->mechanical, .semi_explicit = given->semi_explicit, .why = opts->why};
  *s = (dae__slack){.arena = arena,
                    .coupled = coupled,
                    .part = part,
                    .from = opts->from,
                    .lagged = opts->lagged,
                    .base = opts->base ? *opts->base : as_it_is,
                    .n = dae__part_sizes_of(given)};
  s->nz = 2 * s->n.q + s->n.u + s->n.w;
  s->n.in = s->base.mechanical ? s->base.mechanical->nin : s->base.semi_explicit->nin;
  s->pass = (dae__pass){.to = s->base.mechanical,
                        .name = given->name ? given->name : "",
                        .why = s->base.why,
                        .last = dae_error_none()};
  status = slack_create(s, err);
  if (!status)
    *out = s;
  return status;
}

/* ---- what it is ---- */

const dae_problem *dae__slack_problem(const dae__slack *s)
{
  return &s->problem;
}

void dae__slack_use(dae__slack *s, bool use)
{
  s->unused = !use;
}

int dae__slack_count(const dae__slack *s)
{
  return s->count;
}

const dae_port *dae__slack_variables(const dae__slack *s)
{
  return s->variable;
}

int dae__slack_inputs(const dae__slack *s)
{
  return s->inputs;
}

const dae_port *dae__slack_ports(const dae__slack *s)
{
  return s->port;
}

int dae__slack_entry(const dae__slack *s, int i)
{
  return i < s->nz ? i : i + s->count;
}
