/* List scheduling of the instructions of a tape, within windows of some hundred instructions.
 *
 * The change from one kind of instruction to another costs 1.4 ns where the processor predicts the
 * branch, and 10 ns where it does not: branch patterns of up to about a thousand instructions are
 * predicted (bench/tape.c).
 * Instructions of the same kind are therefore put in a row as far as their operands allow: a kind
 * with ready instructions is selected and runs until none of it is ready. The kind with the largest
 * ready fraction comes first, so that it need not be selected again; kinds that write only outputs
 * come last.
 *
 * An instruction without a neighbour of the same kind then takes an operand from the previous
 * instruction, if its operator has a form for that. */
#include "model/tape/tape_code.h"

/* Number of instructions in a scheduling window: long windows have fewer changes of kind, short
 * ones fewer registers. 400000 random instructions take 10.9 ns each without
 * windows, 7.2, 3.7, 2.7, 2.0 with windows of 64, 256, 512, 1024 (bench/tape.c). */
#define WINDOW 512
#define KINDS DAE__TAPE_END

/* An instruction of the window, with its dependences. */
typedef struct place {
  dae__tape_step step;
  int kind;
  int missing;                    /* number of operands not computed yet */
  int user;                       /* first use of the result: step * DAE__TAPE_READS + operand */
  int next_user[DAE__TAPE_READS]; /* by operand: next use of the same value; -1: none */
  int next;                       /* next ready step of the same kind */
} place;

typedef struct window {
  int ready[KINDS], remaining[KINDS]; /* by kind: numbers of ready and of all remaining steps */
  int first[KINDS], end[KINDS];       /* by kind: first and last of the list of ready steps */
  int present[KINDS], kinds;          /* kinds in the window, in rising order */
  place at[];                         /* steps of the window, at most WINDOW */
} window;

/* Kind of a step: its operator, in the form ..._OUT if the result is only an output. */
static int tape_kind_of(const dae__tape_compiler *c, const dae__tape_step *s)
{
  return s->op + (s->op > DAE__TAPE_NONE && c->value[s->result].uses == 0);
}

static void tape_make_ready(window *w, int i)
{
  int kind = w->at[i].kind;
  if (w->ready[kind]++ == 0)
    w->first[kind] = i;
  else
    w->at[w->end[kind]].next = i;
  w->end[kind] = i;
}

/* Lists the steps of a window. computed_by: by value, 1 + the step that computes it; 0 for inputs
 * and constants. */
static void tape_open_window(const dae__tape_compiler *c, window *w, int *computed_by, int from,
                             int count)
{
  memset(w->ready, 0, sizeof w->ready);
  memset(w->remaining, 0, sizeof w->remaining);
  for (int i = 0; i < count; i++) {
    place *p = &w->at[i];
    p->step = c->step[from + i];
    computed_by[p->step.result] = from + i + 1;
    p->kind = tape_kind_of(c, &p->step);
    p->user = -1;
    p->missing = 0;
    for (int j = 0; j < p->step.reads; j++) {
      int operand = computed_by[p->step.read[j]] - 1 - from;
      if (operand < 0)
        continue;
      p->missing++;
      p->next_user[j] = w->at[operand].user;
      w->at[operand].user = i * DAE__TAPE_READS + j;
    }
    w->remaining[p->kind]++;
    if (p->missing == 0)
      tape_make_ready(w, i);
  }
  w->kinds = 0;
  for (int kind = 0; kind < KINDS; kind++)
    if (w->remaining[kind] > 0)
      w->present[w->kinds++] = kind;
}

static int tape_select_kind(const window *w)
{
  int best = -1;
  double best_score = 0;
  for (int i = 0; i < w->kinds; i++) {
    int kind = w->present[i];
    bool out = kind > DAE__TAPE_NONE && (kind - DAE__TAPE_NONE) % 2 == 0;
    if (w->ready[kind] == 0)
      continue;
    double score = (double)w->ready[kind] / w->remaining[kind] + 1e-3 * w->ready[kind];
    if (out)
      score -= WINDOW;
    if (best < 0 || score > best_score) {
      best = kind;
      best_score = score;
    }
  }
  return best;
}

/* Removes the first ready step of a kind from the window; users of its result may become ready. */
static dae__tape_step tape_take_step(window *w, int kind)
{
  const place *p = &w->at[w->first[kind]];
  w->first[kind] = p->next;
  w->ready[kind]--;
  w->remaining[kind]--;
  for (int use = p->user; use >= 0;) {
    place *user = &w->at[use / DAE__TAPE_READS];
    if (--user->missing == 0)
      tape_make_ready(w, use / DAE__TAPE_READS);
    use = user->next_user[use % DAE__TAPE_READS];
  }
  return p->step;
}

/* Replaces an operand that is the result of the previous step by `last`, if the operator has such a
 * form. */
static void tape_use_last(dae__tape_compiler *c, dae__tape_step *s, int last)
{
#define FORM(name) DAE__TAPE_##name
  /* by operator and operand i: form with `last` as operand i */
  static const int form[DAE__TAPE_END][DAE__TAPE_READS] = {
      [FORM(ADD)] = {FORM(ADD_L), FORM(ADD_L)},
      [FORM(SUB)] = {FORM(SUB_L), FORM(SUB_R)},
      [FORM(MUL)] = {FORM(MUL_L), FORM(MUL_L)},
      [FORM(DIV)] = {FORM(DIV_L), FORM(DIV_R)},
      [FORM(NEG)] = {FORM(NEG_L)},
      [FORM(SQUARE)] = {FORM(SQUARE_L)},
      [FORM(SQRT)] = {FORM(SQRT_L)},
      [FORM(MUL_ADD)] = {FORM(MUL_ADD_L), FORM(MUL_ADD_L), FORM(MUL_ADD_R)},
      [FORM(MUL_SUB)] = {FORM(MUL_SUB_L), FORM(MUL_SUB_L), FORM(MUL_SUB_R)},
      [FORM(SUB_MUL)] = {FORM(SUB_MUL_L), FORM(SUB_MUL_L), FORM(SUB_MUL_R)},
      [FORM(MUL_MUL)] = {FORM(MUL_MUL_L), FORM(MUL_MUL_L), FORM(MUL_MUL_R)},
      [FORM(MUL_DIV)] = {FORM(MUL_DIV_L), FORM(MUL_DIV_L), FORM(MUL_DIV_R)},
      [FORM(NEG_MUL)] = {FORM(NEG_MUL_L), FORM(NEG_MUL_L)},
      [FORM(MUL_ADD_MUL)] = {FORM(MUL_ADD_MUL_L), FORM(MUL_ADD_MUL_L)},
      [FORM(MUL_SUB_MUL)] = {FORM(MUL_SUB_MUL_L), FORM(MUL_SUB_MUL_L), FORM(MUL_SUB_MUL_R),
                             FORM(MUL_SUB_MUL_R)},
      [FORM(LENGTH)] = {FORM(LENGTH_L), FORM(LENGTH_L)},
  };
#undef FORM
  bool symmetric = s->op == DAE__TAPE_MUL_ADD_MUL || s->op == DAE__TAPE_LENGTH;
  if (symmetric && s->read[0] != last && s->read[1] != last) {
    const int read[] = {s->read[2], s->read[3], s->read[0], s->read[1]};
    memcpy(s->read, read, sizeof read);
  }
  for (int i = 0; i < s->reads; i++) {
    if (s->read[i] != last || form[s->op][i] == 0)
      continue;
    s->op = form[s->op][i];
    s->reads--;
    c->value[last].uses--;
    for (int j = i; j < s->reads; j++)
      s->read[j] = s->read[j + 1];
    return;
  }
}

void dae__tape_group(dae__tape_compiler *c)
{
  /* From here on `uses` is the number of reads of a register. */
  for (int v = 0; v < c->values; v++)
    c->value[v].uses = 0;
  for (int i = 0; i < c->steps; i++)
    for (int j = 0; j < c->step[i].reads; j++)
      c->value[c->step[i].read[j]].uses++;
  int most = c->steps < WINDOW ? c->steps : WINDOW;
  window *w = dae__tape_memory(c, 1, sizeof *w + (size_t)most * sizeof *w->at, false);
  int *computed_by = dae__tape_memory(c, c->values, sizeof *computed_by, true);
  for (int from = 0; c->steps > 1 && from < c->steps && !c->failed; from += WINDOW) {
    int count = c->steps - from < WINDOW ? c->steps - from : WINDOW;
    tape_open_window(c, w, computed_by, from, count);
    for (int i = 0, selected = -1; i < count; i++) {
      if (selected < 0 || w->ready[selected] == 0)
        selected = tape_select_kind(w);
      c->step[from + i] = tape_take_step(w, selected);
    }
  }
  dae__tape_release(c, computed_by);
  dae__tape_release(c, w);
  if (c->failed)
    return;
  /* Steps of the same kind as a neighbour keep their form, since they run in a loop. */
  int before = -1, kind = c->steps > 0 ? tape_kind_of(c, &c->step[0]) : -1;
  for (int i = 0; i < c->steps; i++) {
    int after = i + 1 < c->steps ? tape_kind_of(c, &c->step[i + 1]) : -1;
    if (i > 0 && kind != before && kind != after)
      tape_use_last(c, &c->step[i], c->step[i - 1].result);
    before = kind;
    kind = after;
  }
}
