/* Putting a slack form together: who lends equations, and where its variables and inputs are found
 * in the extended problem. */
#include "wave/variants/slack.h"
#include "core/error.h"
#include "linalg/pattern.h"
#include "problem/validate.h"
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

/* ---- donors ---- */

static dae_status slack_take_lender(dae__slack *s, const dae_part *part, dae__donor *l,
                                    dae_error *err)
{
  char *name = DAE__ALLOC(s->arena, char, 32);
  if (!name)
    return dae__out_of_memory(err);
  snprintf(name, 32, "part[%d]", l->part + 1);
  dae_status status = dae__element_part(s->arena, part, part->name ? part->name : name, &l->e, err);
  if (status)
    return dae__forward_diagnose(part->name ? part->name : name, status, err);
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
static void slack_place_base(dae__slack *s, dae__donor *l)
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

static void slack_place_lender(dae__slack *s, dae__donor *l, int *next_row)
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
  s->donor = DAE__ALLOC(s->arena, dae__donor, c->parts);
  if (!s->donor)
    return dae__out_of_memory(err);
  s->donor[s->donors++].part = s->part;
  for (int k = 0; k < s->count; k++)
    if (s->donor[s->donors - 1].part != s->variable[k].part)
      s->donor[s->donors++].part = s->variable[k].part;
  for (int i = 0; i < s->donors; i++) {
    dae__donor *l = &s->donor[i];
    DAE__TRY(slack_take_lender(s, i == 0 ? &base : &c->part[l->part], l, err));
    capacity += l->e.nz + l->e.nin;
  }
  s->port = DAE__ALLOC(s->arena, dae_port, capacity);
  if (!s->port)
    return dae__out_of_memory(err);
  slack_place_base(s, &s->donor[0]);
  for (int i = 1; i < s->donors; i++)
    slack_place_lender(s, &s->donor[i], &row);
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
  s->forward = (dae__forward){.to = s->base.mechanical,
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

/* ---- variants/slack_loop.c ---- */
/* Algebraic loops between a part and others, from patterns and wires.
 *
 * The algebraic equations of a part fall into blocks that dF/dy connects: what enters a block by an
 * input is felt by all its variables, and by no others. A wire from an algebraic variable leads
 * from its block to those in whose equations the input stands. Blocks that can be reached from a
 * block of the part, and from which that can be reached, are in a loop with it. */
#include <string.h>

dae__part_sizes dae__part_sizes_of(const dae_part *part)
{
  const dae_mechanical *m = part->mechanical;
  const dae_semi_explicit *s = part->semi_explicit;
  return m ? (dae__part_sizes){m->nq, m->nu, m->nw, m->nin}
           : (dae__part_sizes){0, s->nx, s->ny, s->nin};
}

static bool slack_involved(const dae__slack *s, int part)
{
  return part == s->part || !s->from || s->from[part];
}

/* ---- blocks: sets of variables and equations, each with one of them as its number ---- */

static int slack_block(int *block_of, int i)
{
  while (block_of[i] != i)
    i = block_of[i] = block_of[block_of[i]];
  return i;
}

static int slack_total(const dae__slack *s)
{
  return s->loops.first[s->coupled->parts];
}

static int slack_block_of_variable(const dae__slack *s, int part, int i)
{
  return slack_block(s->loops.block_of, s->loops.first[part] + i);
}

static int slack_block_of_row(const dae__slack *s, int part, int i)
{
  return slack_block(s->loops.block_of, slack_total(s) + s->loops.first[part] + i);
}

bool dae__slack_takes(const dae__slack *s, int part, int algebraic)
{
  return part != s->part && s->loops.taken[slack_block_of_variable(s, part, algebraic)];
}

bool dae__slack_takes_row(const dae__slack *s, int part, int row)
{
  return part != s->part && s->loops.taken[slack_block_of_row(s, part, row)];
}

/* An algebraic equation of a part in which something stands. */
typedef void row_fn(dae__slack *s, int part, int row, void *context);

/* those in column j of a matrix of (f, s, c) with this pattern */
static void slack_each_row(dae__slack *s, int part, const dae_pattern *p, int j, row_fn *fn,
                           void *context)
{
  dae__part_sizes n = dae__part_sizes_of(&s->coupled->part[part]);
  int first = n.q + n.u;
  for (int i = 0; !p && i < n.w; i++)
    fn(s, part, i, context);
  for (int e = p ? p->start[j] : 0; p && e < p->start[j + 1]; e++)
    if (p->row[e] >= first)
      fn(s, part, p->row[e] - first, context);
}

static void slack_join(dae__slack *s, int part, int row, void *context)
{
  int variable = *(const int *)context;
  s->loops.block_of[slack_block_of_row(s, part, row)] = slack_block_of_variable(s, part, variable);
}

static void slack_join_blocks(dae__slack *s, int part)
{
  const dae_part *p = &s->coupled->part[part];
  dae__part_sizes n = dae__part_sizes_of(p);
  const dae_pattern *J = p->mechanical ? p->mechanical->J_pattern : p->semi_explicit->J_pattern;
  for (int j = 0; j < n.w; j++)
    slack_each_row(s, part, J, 2 * n.q + n.u + j, slack_join, &j);
}

/* ---- paths ---- */

/* Blocks reached along wires, or against them, and the wire that is gone along. */
typedef struct walk {
  bool *reached;
  bool against, moved;
  int from; /* block in which the wire begins */
} walk;

static void slack_step(dae__slack *s, int part, int row, void *context)
{
  walk *w = context;
  int to = slack_block_of_row(s, part, row);
  int before = w->against ? to : w->from, after = w->against ? w->from : to;
  if (w->reached[before] && !w->reached[after])
    w->reached[after] = w->moved = true;
}

/* one wire, where it begins in an algebraic variable */
static void slack_go_along(dae__slack *s, const dae_wire *wire, walk *w)
{
  const dae_part *to = &s->coupled->part[wire->part];
  dae__part_sizes n = dae__part_sizes_of(&s->coupled->part[wire->from.part]);
  int algebraic = wire->from.variable - (2 * n.q + n.u);
  if (!slack_involved(s, wire->part) || !slack_involved(s, wire->from.part) || algebraic < 0 ||
      algebraic >= n.w)
    return;
  w->from = slack_block_of_variable(s, wire->from.part, algebraic);
  slack_each_row(s, wire->part,
                 to->mechanical ? to->mechanical->J_in_pattern : to->semi_explicit->J_in_pattern,
                 wire->input, slack_step, w);
}

static void slack_walk_all(dae__slack *s, int start, bool against, bool *reached)
{
  walk w = {.reached = reached, .against = against, .moved = true};
  memset(reached, 0, sizeof *reached * 2 * (size_t)slack_total(s));
  reached[start] = true;
  while (w.moved) {
    w.moved = false;
    for (int i = 0; i < s->coupled->wires; i++)
      slack_go_along(s, &s->coupled->wire[i], &w);
  }
}

/* ---- together ---- */

/* as many equations as variables in each block that is taken from another part */
static dae_status slack_check_square(const dae__slack *s, dae__arena *scratch, dae_error *err)
{
  const dae_coupled *c = s->coupled;
  int *excess = DAE__ALLOC(scratch, int, 2 * slack_total(s));
  if (!excess)
    return dae__out_of_memory(err);
  for (int p = 0; p < c->parts; p++)
    for (int i = 0; i < dae__part_sizes_of(&c->part[p]).w; i++) {
      excess[slack_block_of_variable(s, p, i)]++;
      excess[slack_block_of_row(s, p, i)]--;
    }
  for (int p = 0; p < c->parts; p++)
    for (int i = 0; i < dae__part_sizes_of(&c->part[p]).w; i++) {
      bool uneven = (dae__slack_takes(s, p, i) && excess[slack_block_of_variable(s, p, i)] != 0) ||
                    (dae__slack_takes_row(s, p, i) && excess[slack_block_of_row(s, p, i)] != 0);
      const char *name = c->part[p].name && c->part[p].name[0] ? c->part[p].name : "another part";
      if (uneven)
        return dae__fail(err, DAE_ERROR_UNSUPPORTED, c->part[p].name,
                         "the algebraic equations of %s do not determine its algebraic variables, "
                         "so that slack variables cannot stand for them: its index is higher than "
                         "1",
                         name);
    }
  return DAE_OK;
}

static dae_status slack_find(dae__slack *s, dae__arena *scratch, dae_error *err)
{
  dae__loops *l = &s->loops;
  int n = 2 * slack_total(s), own = dae__part_sizes_of(&s->coupled->part[s->part]).w;
  bool *ahead = DAE__ALLOC(scratch, bool, n), *behind = DAE__ALLOC(scratch, bool, n);
  if (dae__arena_failed(scratch))
    return dae__out_of_memory(err);
  for (int p = 0; p < s->coupled->parts; p++)
    if (slack_involved(s, p))
      slack_join_blocks(s, p);
  for (int i = 0; i < own; i++) {
    int start = slack_block_of_variable(s, s->part, i);
    slack_walk_all(s, start, false, ahead);
    slack_walk_all(s, start, true, behind);
    for (int b = 0; b < n; b++)
      l->taken[b] = l->taken[b] || (ahead[b] && behind[b]);
  }
  return slack_check_square(s, scratch, err);
}

dae_status dae__slack_find(dae__slack *s, dae_error *err)
{
  dae__loops *l = &s->loops;
  int parts = s->coupled->parts;
  l->first = DAE__ALLOC(s->arena, int, parts + 1);
  if (!l->first)
    return dae__out_of_memory(err);
  for (int p = 0; p < parts; p++)
    l->first[p + 1] = l->first[p] + dae__part_sizes_of(&s->coupled->part[p]).w;
  l->block_of = DAE__ALLOC(s->arena, int, 2 * slack_total(s));
  l->taken = DAE__ALLOC(s->arena, bool, 2 * slack_total(s));
  dae__arena *scratch = dae__arena_create(dae__arena_env(s->arena));
  if (dae__arena_failed(s->arena) || !scratch) {
    dae__arena_free(scratch);
    return dae__out_of_memory(err);
  }
  for (int i = 0; i < 2 * slack_total(s); i++)
    l->block_of[i] = i;
  dae_status status = slack_find(s, scratch, err);
  dae__arena_free(scratch);
  return status;
}
