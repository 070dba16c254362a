/* Registers of values, and the words of the instructions.
 *
 * Inputs come first, in the order of their leaves, so that neighbours are loaded together; then
 * constants, which are set once. They keep their registers. All others are temporaries: a register
 * is taken when the value is computed, the one given back last first, and given back when the last
 * instruction that reads it takes its result. A value that is only an output, or only read by the
 * instruction behind it, needs none; instructions that have no form without get one they share. */
#include "model/tape/tape_compiler.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static bool tape_is_input(const dae__tape_compiler *c, int v)
{
  const dae__entry *e = dae__tape_entry(c, v);
  return e->op == DAE__OP_LEAF && c->plan->input[e->a].class >= 0;
}

typedef struct input {
  int leaf, value;
} input;

static int tape_by_leaf(const void *a, const void *b)
{
  const input *x = a, *y = b;
  return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

/* Sorts by leaf: each occurs once, in [first, first + range). */
static void tape_sort_inputs(dae__tape_compiler *c, int count, input *inputs, int first, int range)
{
  if (range > 8 * (long)count) { /* few of many: those of one system in a large model */
    qsort(inputs, (size_t)count, sizeof *inputs, tape_by_leaf);
    return;
  }
  int *value = dae__tape_scratch(c, range, sizeof *value), n = 0;
  for (int i = 0; i < count && value; i++)
    value[inputs[i].leaf - first] = inputs[i].value + 1;
  for (int i = 0; i < range && value; i++)
    if (value[i] > 0)
      inputs[n++] = (input){first + i, value[i] - 1};
  dae__tape_release(c, value);
}

/* The values that are inputs, by rising leaf. */
static input *tape_list_inputs(dae__tape_compiler *c, int *count)
{
  int first = INT_MAX, last = 0, n = 0;
  *count = 0;
  for (int v = 0; v < c->values; v++)
    *count += tape_is_input(c, v);
  input *inputs = dae__tape_scratch(c, *count, sizeof *inputs);
  for (int v = 0; v < c->values && inputs; v++) {
    if (!tape_is_input(c, v))
      continue;
    int leaf = dae__tape_entry(c, v)->a;
    inputs[n++] = (input){leaf, v};
    first = leaf < first ? leaf : first;
    last = leaf > last ? leaf : last;
  }
  if (n > 0)
    tape_sort_inputs(c, n, inputs, first, last - first + 1);
  return inputs;
}

/* Registers of the inputs, and how many loads they take; loads are written where load is given. */
static int tape_load_inputs(dae__tape_compiler *c, int count, const input *inputs, dae__tape *tape,
                            dae__tape_load *load)
{
  dae__tape_load last = {-1, 0, 0};
  int loads = 0;
  tape->registers = 0;
  for (int i = 0; i < count; i++) {
    dae__tape_input in = c->plan->input[inputs[i].leaf];
    c->value[inputs[i].value].in = tape->registers++;
    if (in.class == last.class && in.index == last.first + last.count) {
      last.count++;
    } else {
      last = (dae__tape_load){in.class, in.index, 1};
      loads++;
    }
    if (load)
      load[loads - 1] = last;
  }
  return loads;
}

static void tape_allocate_inputs(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  int count;
  input *inputs = tape_list_inputs(c, &count);
  if (!c->failed)
    tape->loads = tape_load_inputs(c, count, inputs, tape, NULL);
  dae__tape_load *load = c->failed ? NULL : DAE__ALLOC(arena, dae__tape_load, tape->loads);
  if (load)
    tape_load_inputs(c, count, inputs, tape, load);
  tape->load = load;
  dae__tape_release(c, inputs);
}

/* Constants, and leaves that are not available. */
static void tape_allocate_constants(dae__tape_compiler *c, dae__tape *tape)
{
  for (int v = 0; v < c->values; v++)
    if (dae__op_operands((dae__op)dae__tape_entry(c, v)->op) == 0 && !tape_is_input(c, v))
      c->value[v].in = tape->registers++;
}

/* Registers that are free again. */
typedef struct spares {
  int *item, count, capacity;
} spares;

static void tape_registers_give_back(dae__tape_compiler *c, spares *s, int in)
{
  s->item = dae__tape_reserve(c, s->item, &s->capacity, s->count, 1, sizeof *s->item);
  if (!c->failed)
    s->item[s->count++] = in;
}

/* Does the step write to an output instead of a register? */
static bool tape_writes_output(const dae__tape_compiler *c, const dae__tape_step *s)
{
  const dae__tape_value *v = &c->value[s->result];
  return s->op > DAE__TAPE_NONE && v->uses == 0 && v->output >= 0;
}

/* The values read become the registers they are in. */
static void tape_allocate_step(dae__tape_compiler *c, dae__tape *tape, dae__tape_step *s, int fixed,
                               spares *spare)
{
  dae__tape_value *result = &c->value[s->result];
  bool output = tape_writes_output(c, s);
  for (int j = 0; j < s->reads; j++) {
    dae__tape_value *v = &c->value[s->read[j]];
    s->read[j] = v->in;
    if (--v->uses == 0 && v->in >= fixed)
      tape_registers_give_back(c, spare, v->in);
  }
  if (output || c->failed)
    return;
  result->in = spare->count > 0 ? spare->item[--spare->count] : tape->registers++;
  if (result->uses == 0)
    tape_registers_give_back(c, spare, result->in);
}

void dae__tape_allocate(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  spares spare = {0};
  tape_allocate_inputs(c, arena, tape);
  if (c->failed)
    return;
  tape_allocate_constants(c, tape);
  for (int i = 0, fixed = tape->registers; i < c->steps && !c->failed; i++)
    tape_allocate_step(c, tape, &c->step[i], fixed, &spare);
  dae__tape_release(c, spare.item);
}

typedef struct writer {
  int *code;
  size_t words;
  int instructions;
} writer;

static void tape_put(writer *w, int word)
{
  w->code[w->words++] = word;
}

static void tape_put_place(writer *w, const dae__tape_output *output)
{
  tape_put(w, output->group);
  tape_put(w, output->index);
}

/* The value goes to its outputs from the given one on. */
static void tape_put_stores(const dae__tape_compiler *c, writer *w, int op, int in, int output)
{
  for (; output >= 0; output = c->next_output[output]) {
    w->instructions++;
    tape_put(w, op);
    tape_put_place(w, &c->plan->output[output]);
    if (op == DAE__TAPE_STORE)
      tape_put(w, in);
  }
}

static void tape_put_step(const dae__tape_compiler *c, writer *w, const dae__tape_step *s)
{
  const dae__tape_value *v = &c->value[s->result];
  int output = v->output;
  w->instructions++;
  if (v->in >= 0) {
    tape_put(w, s->op);
    tape_put(w, v->in);
  } else {
    tape_put(w, s->op + 1); /* its form ..._OUT */
    tape_put_place(w, &c->plan->output[output]);
    output = c->next_output[output];
  }
  for (int j = 0; j < s->reads; j++)
    tape_put(w, s->read[j]);
  if (s->op == DAE__OP_POWI)
    tape_put(w, s->power);
  tape_put_stores(c, w, DAE__TAPE_STORE_L, 0, output);
}

/* words of an instruction, and of one that only stores, at most */
#define STEP_WORDS (3 + DAE__TAPE_READS + 1)
#define STORE_WORDS 4

static void tape_put_all(const dae__tape_compiler *c, writer *w)
{
  for (int v = 0; v < c->values; v++)
    if (dae__op_operands((dae__op)dae__tape_entry(c, v)->op) == 0)
      tape_put_stores(c, w, DAE__TAPE_STORE, c->value[v].in, c->value[v].output);
  for (int i = 0; i < c->steps; i++)
    tape_put_step(c, w, &c->step[i]);
  tape_put(w, DAE__TAPE_END);
}

static void tape_set_constants(const dae__tape_compiler *c, double *r)
{
  for (int v = 0; v < c->values; v++) {
    const dae__entry *e = dae__tape_entry(c, v);
    if (e->op == DAE__OP_CONSTANT)
      r[c->value[v].in] = dae__entry_value(e);
    else if (e->op == DAE__OP_LEAF && !tape_is_input(c, v))
      r[c->value[v].in] = NAN;
  }
}

void dae__tape_encode(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  size_t most = (size_t)c->steps * STEP_WORDS + (size_t)c->plan->outputs * STORE_WORDS + 1;
  writer w = {.code = dae__tape_memory(c, 1, most * sizeof *w.code)};
  if (!w.code)
    return;
  tape_put_all(c, &w);
  int *code = DAE__ALLOC(arena, int, w.words);
  tape->r = DAE__ALLOC(arena, double, tape->registers);
  tape->length = w.instructions;
  if (!dae__arena_failed(arena)) {
    memcpy(code, w.code, w.words * sizeof *code);
    tape_set_constants(c, tape->r);
    tape->code = code;
  }
  dae__tape_release(c, w.code);
}
