/* Creation of a system with slack variables: its algebraic loops with other systems, the donors of
 * equations, and the places of the donors' variables and inputs in the extended problem.
 *
 * Loops follow from patterns and wires. The algebraic equations of a system fall into blocks that
 * dF/dy connects: an input that enters a block affects all its variables, and no others. A wire
 * from an algebraic variable leads from its block to the blocks of the equations that contain the
 * input. A block is in a loop with the system if it can be reached from a block of the system, and
 * that block from it. */
#include "wave/variants/slack.h"
#include "core/error.h"
#include "linalg/pattern.h"
#include "problem/problem.h"
#include <stdio.h>
#include <string.h>

static dae__system_sizes slack_sizes_of(const dae_part *part)
{
  const dae_mechanical *m = part->mechanical;
  const dae_semi_explicit *s = part->semi_explicit;
  return m ? (dae__system_sizes){m->nq, m->nu, m->nw, m->nin}
           : (dae__system_sizes){0, s->nx, s->ny, s->nin};
}

/* ---- blocks of algebraic variables and equations ---- */

/* Block of algebraic variable i, or of algebraic equation i, of a system. */
static int slack_block(const dae__slack *s, int system, int i, bool equation)
{
  int *block_of = s->loops.block_of;
  i += s->loops.first[system] + (equation ? s->loops.first[s->coupled->parts] : 0);
  while (block_of[i] != i)
    i = block_of[i] = block_of[block_of[i]];
  return i;
}

/* Whether algebraic variable i, or equation i, of another system is in a loop with the extended
 * system. */
static bool slack_takes(const dae__slack *s, int system, int i, bool equation)
{
  return system != s->system && s->loops.taken[slack_block(s, system, i, equation)];
}

/* Next algebraic equation with an entry in column j of a matrix of (f, s, c), from entry *k on;
 * without a pattern every algebraic equation; -1: none is left. */
static int slack_next_equation(const dae__slack *s, int system, const dae_pattern *p, int j, int *k)
{
  dae__system_sizes n = slack_sizes_of(&s->coupled->part[system]);
  int first = n.q + n.u;
  if (!p)
    return *k < n.w ? (*k)++ : -1;
  while (p->start[j] + *k < p->start[j + 1]) {
    int row = p->row[p->start[j] + (*k)++];
    if (row >= first)
      return row - first;
  }
  return -1;
}

/* ---- loops ---- */

/* Marks the blocks reached along a wire, or against it; true: a block was newly reached. */
static bool slack_follow(const dae__slack *s, const dae_wire *wire, bool against, bool *reached)
{
  const dae_part *to = &s->coupled->part[wire->part];
  const dae_pattern *J_in =
      to->mechanical ? to->mechanical->J_in_pattern : to->semi_explicit->J_in_pattern;
  dae__system_sizes n = slack_sizes_of(&s->coupled->part[wire->from.part]);
  int algebraic = wire->from.variable - (2 * n.q + n.u);
  bool moved = false;
  if (!s->from[wire->part] || !s->from[wire->from.part] || algebraic < 0 || algebraic >= n.w)
    return false;
  int from = slack_block(s, wire->from.part, algebraic, false);
  for (int k = 0, i; (i = slack_next_equation(s, wire->part, J_in, wire->input, &k)) >= 0;) {
    int block = slack_block(s, wire->part, i, true);
    int before = against ? block : from, after = against ? from : block;
    if (reached[before] && !reached[after])
      reached[after] = moved = true;
  }
  return moved;
}

static void slack_reach(const dae__slack *s, int start, bool against, bool *reached)
{
  memset(reached, 0, sizeof *reached * 2 * (size_t)s->loops.first[s->coupled->parts]);
  reached[start] = true;
  for (bool moved = true; moved;) {
    moved = false;
    for (int i = 0; i < s->coupled->wires; i++)
      moved = slack_follow(s, &s->coupled->wire[i], against, reached) || moved;
  }
}

/* Checks that each block taken from a donor has as many equations as variables. */
static dae_status slack_check_square(const dae__slack *s, dae__arena *scratch, dae_error *err)
{
  const dae_coupled *c = s->coupled;
  int *excess = DAE__ALLOC(scratch, int, 2 * s->loops.first[s->coupled->parts]);
  DAE__TRY(dae__arena_status(scratch, err));
  for (int p = 0; p < c->parts; p++)
    for (int i = 0; i < slack_sizes_of(&c->part[p]).w; i++) {
      excess[slack_block(s, p, i, false)]++;
      excess[slack_block(s, p, i, true)]--;
    }
  for (int p = 0; p < c->parts; p++)
    for (int k = 0; k < 2 * slack_sizes_of(&c->part[p]).w; k++) {
      const char *name = c->part[p].name && c->part[p].name[0] ? c->part[p].name : "another system";
      if (slack_takes(s, p, k / 2, k % 2) && excess[slack_block(s, p, k / 2, k % 2)] != 0)
        return dae__fail(err, DAE_ERROR_UNSUPPORTED, c->part[p].name,
                         "the algebraic equations of %s do not determine its algebraic variables, "
                         "so that slack variables cannot replace them: its index is higher than 1",
                         name);
    }
  return DAE_OK;
}

static dae_status slack_find_loops(dae__slack *s, dae__arena *scratch, dae_error *err)
{
  dae__loops *l = &s->loops;
  int systems = s->coupled->parts;
  l->first = DAE__ALLOC(s->arena, int, systems + 1);
  DAE__TRY(dae__arena_status(s->arena, err));
  for (int p = 0; p < systems; p++)
    l->first[p + 1] = l->first[p] + slack_sizes_of(&s->coupled->part[p]).w;
  int n = 2 * s->loops.first[s->coupled->parts];
  l->block_of = DAE__ALLOC(s->arena, int, n);
  l->taken = DAE__ALLOC(s->arena, bool, n);
  bool *ahead = DAE__ALLOC(scratch, bool, n), *behind = DAE__ALLOC(scratch, bool, n);
  if (dae__arena_failed(s->arena) || dae__arena_failed(scratch))
    return dae__out_of_memory(err);
  for (int i = 0; i < n; i++)
    l->block_of[i] = i;
  for (int p = 0; p < systems; p++) {
    const dae_part *part = &s->coupled->part[p];
    const dae_pattern *J =
        part->mechanical ? part->mechanical->J_pattern : part->semi_explicit->J_pattern;
    dae__system_sizes size = slack_sizes_of(part);
    for (int j = 0; j < size.w && s->from[p]; j++) /* dF/dy connects blocks */
      for (int k = 0, i; (i = slack_next_equation(s, p, J, 2 * size.q + size.u + j, &k)) >= 0;)
        l->block_of[slack_block(s, p, i, true)] = slack_block(s, p, j, false);
  }
  for (int i = 0; i < s->n.w; i++) {
    int start = slack_block(s, s->system, i, false);
    slack_reach(s, start, false, ahead);
    slack_reach(s, start, true, behind);
    for (int b = 0; b < n; b++)
      l->taken[b] = l->taken[b] || (ahead[b] && behind[b]);
  }
  return slack_check_square(s, scratch, err);
}

/* ---- places in the extended problem ---- */

/* Index of a port in a list; the length of the list if it is absent. */
static int slack_find_port(int count, const dae_port *list, dae_port port)
{
  int k = 0;
  while (k < count && (list[k].part != port.part || list[k].variable != port.variable))
    k++;
  return k;
}

/* Place of a variable in the extended problem: slack variable, own variable, or input; a missing
 * input is added. */
static int slack_place_of(dae__slack *s, dae_port port)
{
  int k = slack_find_port(s->count, s->variable, port);
  if (k < s->count)
    return s->nz + k;
  bool own = port.part == s->system && port.variable < s->nz;
  if (own && (!s->lagged || port.variable >= s->nz - s->n.w))
    return port.variable;
  k = slack_find_port(s->inputs, s->port, port);
  if (k == s->inputs)
    s->port[s->inputs++] = port;
  return -1 - (s->n.in + k);
}

/* Places of a donor's equations, variables and inputs; the base is the first donor, and slack
 * variables replace those of its inputs that are wired to them. */
static void slack_place(dae__slack *s, dae__donor *d, int *next_row)
{
  bool base = d == s->donor;
  int algebraic = d->e.nr - d->e.n.w, wired = slack_sizes_of(&s->coupled->part[d->system]).in;
  for (int i = 0; i < d->e.nr; i++) {
    bool taken = i >= algebraic && slack_takes(s, d->system, i - algebraic, true);
    d->row[i] = base ? i : taken ? (*next_row)++ : -1;
  }
  for (int i = 0; i < d->e.nz; i++)
    d->z[i] = base ? i : slack_place_of(s, (dae_port){d->system, i});
  for (int i = 0; i < d->e.nin; i++) {
    const dae_wire *wire = s->coupled->wire;
    while (i < wired && (wire->part != d->system || wire->input != i))
      wire++;
    dae_port from = i < wired ? wire->from : (dae_port){-1, -1};
    int k = base ? slack_find_port(s->count, s->variable, from) : 0;
    d->in[i] = !base ? slack_place_of(s, from) : k < s->count ? s->nz + k : -1 - i;
  }
}

/* ---- donors ---- */

static dae_status slack_create_donors(dae__slack *s, dae_error *err)
{
  const dae_coupled *c = s->coupled;
  dae_part base = {c->part[s->system].name, s->base.mechanical, s->base.semi_explicit};
  int row = s->nz - s->n.q, capacity = 0;
  s->donor = DAE__ALLOC(s->arena, dae__donor, c->parts);
  DAE__TRY(dae__arena_status(s->arena, err));
  s->donor[s->donors++].system = s->system;
  for (int k = 0; k < s->count; k++)
    if (s->donor[s->donors - 1].system != s->variable[k].part)
      s->donor[s->donors++].system = s->variable[k].part;
  for (int i = 0; i < s->donors; i++) {
    dae__donor *d = &s->donor[i];
    const dae_part *part = i == 0 ? &base : &c->part[d->system];
    char *number = DAE__ALLOC(s->arena, char, 32);
    DAE__TRY(dae__arena_status(s->arena, err));
    snprintf(number, 32, "part[%d]", d->system + 1);
    const char *name = part->name ? part->name : number;
    dae_status status = dae__element_part(s->arena, part, name, &d->e, err);
    DAE__TRY(dae__forward_diagnose(name, status, err));
    bool momenta = part->mechanical && !part->mechanical->f;
    d->J_pattern = momenta && i == 0 ? &d->e.m->J_user : d->e.J;
    d->row = DAE__ALLOC(s->arena, int, d->e.nr);
    d->z = DAE__ALLOC(s->arena, int, d->e.nz);
    d->in = DAE__ALLOC(s->arena, int, d->e.nin);
    d->z_values = DAE__ALLOC(s->arena, double, d->e.nz);
    d->rows = DAE__ALLOC(s->arena, double, d->e.n.w);
    d->J = DAE__ALLOC(s->arena, double, dae__pattern_count(d->J_pattern));
    d->J_in = DAE__ALLOC(s->arena, double, dae__pattern_count(&d->e.J_in));
    capacity += d->e.nz + d->e.nin;
  }
  s->port = DAE__ALLOC(s->arena, dae_port, capacity);
  DAE__TRY(dae__arena_status(s->arena, err));
  for (int i = 0; i < s->donors; i++)
    slack_place(s, &s->donor[i], &row);
  return DAE_OK;
}

/* ---- creation ---- */

dae_status dae__slack_create(dae__arena *arena, const dae_coupled *coupled, int system,
                             const dae__slack_options *opts, dae__slack **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae__coupled_validate(coupled, err));
  if (system < 0 || system >= coupled->parts)
    return dae__fail(err, DAE_ERROR_USAGE, "part", "the coupled problem has no system %d",
                     system + 1);
  dae__slack *s = DAE__ALLOC(arena, dae__slack, 1);
  bool *from = DAE__ALLOC(arena, bool, coupled->parts);
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < coupled->parts; p++)
    from[p] = p == system || !opts->from || opts->from[p];
  const dae_part *part = &coupled->part[system];
  dae_problem itself = {
      .mechanical = part->mechanical, .semi_explicit = part->semi_explicit, .why = opts->why};
  *s = (dae__slack){.arena = arena,
                    .coupled = coupled,
                    .system = system,
                    .from = from,
                    .lagged = opts->lagged,
                    .unused = opts->unused,
                    .base = opts->base ? *opts->base : itself,
                    .n = slack_sizes_of(part)};
  s->nz = 2 * s->n.q + s->n.u + s->n.w;
  s->n.in = s->base.mechanical ? s->base.mechanical->nin : s->base.semi_explicit->nin;
  s->forward = (dae__forward){.to = s->base.mechanical,
                              .to_semi = s->base.semi_explicit,
                              .name = part->name ? part->name : "",
                              .why = s->base.why,
                              .last = dae_error_none()};
  s->problem = s->base;
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  dae_status status = slack_find_loops(s, scratch, err);
  dae__arena_free(scratch);
  DAE__TRY(status);
  s->variable = DAE__ALLOC(arena, dae_port, s->loops.first[coupled->parts]);
  DAE__TRY(dae__arena_status(arena, err));
  for (int p = 0; p < coupled->parts; p++) {
    dae__system_sizes n = slack_sizes_of(&coupled->part[p]);
    for (int i = 0; i < n.w; i++)
      if (slack_takes(s, p, i, false))
        s->variable[s->count++] = (dae_port){p, 2 * n.q + n.u + i};
  }
  if (s->count > 0) {
    DAE__TRY(slack_create_donors(s, err));
    DAE__TRY(dae__slack_describe(s, err));
  }
  *out = s;
  return DAE_OK;
}
