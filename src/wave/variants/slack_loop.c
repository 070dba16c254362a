/* Algebraic loops between a part and others, from patterns and wires.
 *
 * The algebraic equations of a part fall into blocks that dF/dy connects: what enters a block by an
 * input is felt by all its variables, and by no others. A wire from an algebraic variable leads
 * from its block to those in whose equations the input stands. Blocks that can be reached from a
 * block of the part, and from which that can be reached, are in a loop with it. */
#include "core/error.h"
#include "wave/variants/slack_parts.h"
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
