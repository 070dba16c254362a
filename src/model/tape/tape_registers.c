/* Register allocation, and encoding of the instructions as words.
 *
 * Inputs come first, in the order of their leaves, so that neighbours are loaded together; then
 * constants, which are set once; then the intervals of curves, found by a search that begins with
 * the one found by the run before. All these keep their registers. All other values are
 * temporaries: a register is allocated when the value is computed (the register released last is
 * reused first), and released by the last instruction that reads it, before the register of the
 * result of that instruction is allocated. A value that is only an output, or read only by the next
 * instruction, needs no register; an operator without a form for that gets a register for one
 * instruction. */
#include "model/tape/tape_code.h"

#include "core/assert.h"

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

/* Lists the values that are inputs by rising leaf: by a counting sort, or by qsort if they are few
 * of many leaves, as for one system of a large model. */
static input *tape_list_inputs(dae__tape_compiler *c, int *count)
{
  int first = INT_MAX, last = 0, n = 0;
  *count = 0;
  for (int v = 0; v < c->values; v++)
    *count += tape_is_input(c, v);
  input *inputs = dae__tape_memory(c, *count, sizeof *inputs, false);
  for (int v = 0; v < c->values && inputs; v++) {
    if (!tape_is_input(c, v))
      continue;
    int leaf = dae__tape_entry(c, v)->a;
    inputs[n++] = (input){leaf, v};
    first = leaf < first ? leaf : first;
    last = leaf > last ? leaf : last;
  }
  int range = n > 0 ? last - first + 1 : 0;
  if (range > 8 * (long)n) {
    qsort(inputs, (size_t)n, sizeof *inputs, tape_by_leaf);
    return inputs;
  }
  int *value = range > 0 ? dae__tape_memory(c, range, sizeof *value, true) : NULL;
  for (int i = 0; i < n && value; i++)
    value[inputs[i].leaf - first] = inputs[i].value + 1;
  n = 0;
  for (int i = 0; i < range && value; i++)
    if (value[i] > 0)
      inputs[n++] = (input){first + i, value[i] - 1};
  dae__tape_release(c, value);
  return inputs;
}

/* Allocates the registers of inputs, and lists their loads. */
static void tape_allocate_inputs(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  int count;
  input *inputs = tape_list_inputs(c, &count);
  dae__tape_load *load = NULL;
  for (int pass = 0; pass < 2 && !c->failed; pass++) { /* first pass: counts the loads */
    dae__tape_load last = {-1, 0, 0};
    tape->registers = tape->loads = 0;
    for (int i = 0; i < count; i++) {
      dae__tape_input in = c->plan->input[inputs[i].leaf];
      c->value[inputs[i].value].in = tape->registers++;
      if (in.class == last.class && in.index == last.first + last.count) {
        last.count++;
      } else {
        last = (dae__tape_load){in.class, in.index, 1};
        tape->loads++;
      }
      if (load)
        load[tape->loads - 1] = last;
    }
    if (pass == 0 && !(load = DAE__ALLOC(arena, dae__tape_load, tape->loads)))
      break;
  }
  tape->load = load;
  dae__tape_release(c, inputs);
}

void dae__tape_allocate(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  tape_allocate_inputs(c, arena, tape);
  int *spare =
      dae__tape_memory(c, c->steps, sizeof *spare, false); /* stack of released registers */
  if (c->failed) {
    dae__tape_release(c, spare);
    return;
  }
  for (int v = 0; v < c->values; v++) { /* constants, leaves without a source, intervals */
    int op = dae__tape_entry(c, v)->op;
    if (op == DAE__OP_INTERVAL || (dae__op_operands((dae__op)op) == 0 && !tape_is_input(c, v)))
      c->value[v].in = tape->registers++;
  }
  int fixed = tape->registers, spares = 0;
  for (int i = 0; i < c->steps; i++) {
    dae__tape_step *s = &c->step[i];
    dae__tape_value *result = &c->value[s->result];
    bool output = s->op > DAE__TAPE_NONE && result->uses == 0 && result->output >= 0;
    for (int j = 0; j < s->reads; j++) { /* replaces values by their registers */
      dae__tape_value *v = &c->value[s->read[j]];
      s->read[j] = v->in;
      if (--v->uses == 0 && v->in >= fixed)
        spare[spares++] = v->in;
    }
    if (output || result->in >= 0)
      continue;
    result->in = spares > 0 ? spare[--spares] : tape->registers++;
    if (result->uses == 0)
      spare[spares++] = result->in;
  }
  dae__tape_release(c, spare);
}

/* Appends the stores of a value to its outputs, starting with the given output; returns the end of
 * the code. */
static int *tape_put_stores(const dae__tape_compiler *c, dae__tape *tape, int *code, int op, int in,
                            int output)
{
  for (; output >= 0; output = c->next_output[output]) {
    tape->length++;
    *code++ = op;
    *code++ = c->plan->output[output].group;
    *code++ = c->plan->output[output].index;
    if (op == DAE__TAPE_STORE)
      *code++ = in;
  }
  return code;
}

/* Largest number of words of an instruction, and of a store instruction. */
#define STEP_WORDS (3 + DAE__TAPE_READS + 1)
#define STORE_WORDS 4

/* Appends all instructions to the code; returns the number of words. */
static size_t tape_put_all(const dae__tape_compiler *c, dae__tape *tape, int *code)
{
  int *p = code;
  for (int v = 0; v < c->values; v++)
    if (dae__op_operands((dae__op)dae__tape_entry(c, v)->op) == 0)
      p = tape_put_stores(c, tape, p, DAE__TAPE_STORE, c->value[v].in, c->value[v].output);
  for (int i = 0; i < c->steps; i++) {
    const dae__tape_step *s = &c->step[i];
    const dae__tape_value *v = &c->value[s->result];
    int output = v->output;
    tape->length++;
    if (v->in >= 0) {
      *p++ = s->op;
      *p++ = v->in;
    } else {
      *p++ = s->op + 1; /* operator in the form ..._OUT */
      *p++ = c->plan->output[output].group;
      *p++ = c->plan->output[output].index;
      output = c->next_output[output];
    }
    for (int j = 0; j < s->reads; j++)
      *p++ = s->read[j];
    if (dae__op_has_word(s->op))
      *p++ = s->word;
    p = tape_put_stores(c, tape, p, DAE__TAPE_STORE_L, 0, output);
  }
  *p++ = DAE__TAPE_END;
  return (size_t)(p - code);
}

void dae__tape_encode(dae__tape_compiler *c, dae__arena *arena, dae__tape *tape)
{
  size_t most = (size_t)c->steps * STEP_WORDS + (size_t)c->plan->outputs * STORE_WORDS + 1;
  int *scratch = dae__tape_memory(c, 1, most * sizeof *scratch, false);
  if (!scratch)
    return;
  size_t words = tape_put_all(c, tape, scratch);
  DAE__ASSERT(words <= most);
  int *code = DAE__ALLOC(arena, int, words);
  tape->r = DAE__ALLOC(arena, double, tape->registers);
  if (!dae__arena_failed(arena)) {
    memcpy(code, scratch, words * sizeof *code);
    for (int v = 0; v < c->values; v++) {
      const dae__entry *e = dae__tape_entry(c, v);
      if (e->op == DAE__OP_CONSTANT)
        tape->r[c->value[v].in] = dae__entry_value(e);
      else if (e->op == DAE__OP_LEAF && !tape_is_input(c, v))
        tape->r[c->value[v].in] = NAN;
    }
    tape->code = code;
  }
  dae__tape_release(c, scratch);
}
