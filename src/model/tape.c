/* The compiler of tapes.
 *
 *   order     the nodes below the outputs, by a depth-first walk from each output in turn: a value
 *             is computed shortly before it is used
 *   select    an instruction per node, or one for several: a product that is used once, in a sum,
 *             is computed there; a store follows the value it stores
 *   allocate  a register per value, taken when it is computed and given back after its last use;
 *             inputs and constants keep theirs
 *   encode    instructions as words
 *
 * Values are numbered as they are met. All scratch memory is released; the tape is the arena's. */
#include "model/nodes.h"
#include "model/tape_code.h"

#include "core/env.h"
#include "model/grow.h"

#include <math.h>

typedef struct value {
  dae__node node;
  int uses;      /* still to come */
  int in;        /* register; -1: none yet */
  int output;    /* first output that stores it, -1: none */
  bool absorbed; /* computed by the instruction that uses it */
} value;

/* An instruction before it has registers. */
typedef struct step {
  int op, d;                 /* the value computed; -1: none */
  int read[DAE__TAPE_READS]; /* values */
  int reads, number;
} step;

typedef struct compiler {
  dae_env env;
  const dae__tape_plan *plan;
  const dae__graph *graph;
  bool failed;
  int *place;       /* by node: value + 1; 0: not met, -1: its operands are being visited */
  int *next_output; /* by output: the next one that stores the same value, -1: none */
  dae__node *stack;
  value *value;
  step *step;
  int depth, values, steps;
  int stack_capacity, value_capacity, step_capacity;
  int leaves, constants;
} compiler;

static void *take(compiler *c, int count, size_t size)
{
  size_t bytes = (size_t)(count > 0 ? count : 1) * size;
  void *memory = c->failed ? NULL : c->env.allocate(c->env.user, bytes);
  if (memory)
    memset(memory, 0, bytes);
  c->failed = !memory;
  return memory;
}

static void give_back(compiler *c, void *memory)
{
  if (memory)
    c->env.release(c->env.user, memory);
}

/* Room for `more` items after the first count; memory as it is where there is none. */
static void *reserve(compiler *c, void *memory, int *capacity, int count, int more, size_t size)
{
  if (count <= *capacity - more || c->failed)
    return memory;
  void *larger = count <= INT_MAX - more
                     ? dae__grown(&c->env, memory, capacity, count, count + more, size)
                     : NULL;
  c->failed = !larger;
  return larger ? larger : memory;
}

/* ---- order ---- */

static void add_value(compiler *c, dae__node node)
{
  c->value = reserve(c, c->value, &c->value_capacity, c->values, 1, sizeof *c->value);
  if (c->failed)
    return;
  c->value[c->values++] = (value){.node = node, .in = -1, .output = -1};
  c->place[node] = c->values;
}

/* The operands that were not met go onto the stack, the first one on top. */
static void open_node(compiler *c, dae__node node)
{
  dae__node operand[3];
  int count = dae__entry_operands(&c->graph->entry[node], operand);
  c->place[node] = -1;
  c->stack = reserve(c, c->stack, &c->stack_capacity, c->depth, 3, sizeof *c->stack);
  for (int i = count - 1; i >= 0 && !c->failed; i--)
    if (c->place[operand[i]] == 0)
      c->stack[c->depth++] = operand[i];
}

static void order_below(compiler *c, dae__node root)
{
  c->stack = reserve(c, c->stack, &c->stack_capacity, 0, 1, sizeof *c->stack);
  if (c->failed)
    return;
  c->depth = 1;
  c->stack[0] = root;
  while (c->depth > 0 && !c->failed) {
    dae__node node = c->stack[c->depth - 1];
    if (c->place[node] == 0) {
      open_node(c, node);
    } else {
      c->depth--;
      if (c->place[node] < 0)
        add_value(c, node);
    }
  }
}

/* Constant zeros in places that are set to zero anyway. */
static bool is_left_out(const dae__tape_plan *plan, const dae__tape_output *output)
{
  return plan->zeroed && output->node == DAE__ZERO && output->index < plan->zeroed[output->group];
}

static void order_all(compiler *c)
{
  const dae__tape_plan *plan = c->plan;
  for (int i = 0; i < plan->outputs && !c->failed; i++) {
    if (is_left_out(plan, &plan->output[i]))
      continue;
    if (c->place[plan->output[i].node] == 0)
      order_below(c, plan->output[i].node);
    if (c->failed)
      return;
    value *v = &c->value[c->place[plan->output[i].node] - 1];
    c->next_output[i] = v->output;
    v->output = i;
    v->uses++;
  }
}

/* ---- select ---- */

static const dae__entry *entry_of(const compiler *c, int v)
{
  return &c->graph->entry[c->value[v].node];
}

static void count_uses(compiler *c)
{
  for (int v = 0; v < c->values; v++) {
    dae__node operand[3];
    int count = dae__entry_operands(entry_of(c, v), operand);
    for (int i = 0; i < count; i++)
      c->value[c->place[operand[i]] - 1].uses++;
  }
}

/* Products that are used once, in a sum or difference, are computed there. */
static void absorb_products(compiler *c)
{
  for (int v = 0; v < c->values; v++) {
    const dae__entry *e = entry_of(c, v);
    if (e->op != DAE__OP_ADD && e->op != DAE__OP_SUB)
      continue;
    const dae__node operand[2] = {e->a, e->b};
    for (int i = 0; i < 2; i++) {
      value *x = &c->value[c->place[operand[i]] - 1];
      const dae__entry *f = &c->graph->entry[x->node];
      x->absorbed = x->uses == 1 &&
                    (f->op == DAE__OP_MUL || (f->op == DAE__OP_POWI && f->b == 2));
    }
  }
}

static step *add_step(compiler *c, int op, int d)
{
  c->step = reserve(c, c->step, &c->step_capacity, c->steps, 1, sizeof *c->step);
  if (c->failed)
    return NULL;
  step *s = &c->step[c->steps++];
  *s = (step){.op = op, .d = d};
  return s;
}

/* The two factors of an absorbed product, or the value itself: how many. */
static int read_factors(const compiler *c, int v, int read[2])
{
  const dae__entry *e = entry_of(c, v);
  read[0] = v;
  if (!c->value[v].absorbed)
    return 1;
  read[0] = c->place[e->a] - 1;
  read[1] = e->op == DAE__OP_MUL ? c->place[e->b] - 1 : read[0];
  return 2;
}

/* A sum or difference with its products. */
static void select_sum(const compiler *c, step *s, const dae__entry *e)
{
  int a = c->place[e->a] - 1, b = c->place[e->b] - 1;
  bool sum = e->op == DAE__OP_ADD, first = c->value[a].absorbed, second = c->value[b].absorbed;
  if (first && second) {
    s->op = sum ? DAE__TAPE_MUL_ADD_MUL : DAE__TAPE_MUL_SUB_MUL;
  } else if (first) {
    s->op = sum ? DAE__TAPE_MUL_ADD : DAE__TAPE_MUL_SUB;
  } else if (second) {
    s->op = sum ? DAE__TAPE_MUL_ADD : DAE__TAPE_SUB_MUL;
    int other = a; /* the product is read first */
    a = b;
    b = other;
  } else
    s->op = sum ? DAE__TAPE_ADD : DAE__TAPE_SUB;
  int count = read_factors(c, a, s->read);
  s->reads = count + read_factors(c, b, s->read + count);
}

static void select_step(compiler *c, int v)
{
  const dae__entry *e = entry_of(c, v);
  dae__node operand[3];
  int count = dae__entry_operands(e, operand);
  if (count == 0 || c->value[v].absorbed)
    return;
  step *s = add_step(c, e->op, v);
  if (!s)
    return;
  s->reads = count;
  for (int i = 0; i < count; i++)
    s->read[i] = c->place[operand[i]] - 1;
  if (e->op == DAE__OP_ADD || e->op == DAE__OP_SUB)
    select_sum(c, s, e);
  if (e->op == DAE__OP_POWI && e->b == 2)
    s->op = DAE__TAPE_SQUARE;
  if (e->op == DAE__OP_MUL) s->op = DAE__TAPE_MUL;
  if (e->op == DAE__OP_DIV) s->op = DAE__TAPE_DIV;
  if (e->op == DAE__OP_NEG) s->op = DAE__TAPE_NEG;
  if (e->op == DAE__OP_SQRT) s->op = DAE__TAPE_SQRT;
  if (e->op == DAE__OP_POWI)
    s->number = e->b;
}

static const struct { int base, form[4]; } forms[] = {
 {DAE__TAPE_ADD, {DAE__TAPE_ADD_L, DAE__TAPE_ADD_L,0,0}},
 {DAE__TAPE_SUB, {DAE__TAPE_SUB_L, DAE__TAPE_SUB_R,0,0}},
 {DAE__TAPE_MUL, {DAE__TAPE_MUL_L, DAE__TAPE_MUL_L,0,0}},
 {DAE__TAPE_DIV, {DAE__TAPE_DIV_L, DAE__TAPE_DIV_R,0,0}},
 {DAE__TAPE_NEG, {DAE__TAPE_NEG_L,0,0,0}},
 {DAE__TAPE_SQUARE, {DAE__TAPE_SQUARE_L,0,0,0}},
 {DAE__TAPE_SQRT, {DAE__TAPE_SQRT_L,0,0,0}},
 {DAE__TAPE_MUL_ADD, {DAE__TAPE_MUL_ADD_L,DAE__TAPE_MUL_ADD_L,DAE__TAPE_MUL_ADD_R,0}},
 {DAE__TAPE_MUL_SUB, {DAE__TAPE_MUL_SUB_L,DAE__TAPE_MUL_SUB_L,DAE__TAPE_MUL_SUB_R,0}},
 {DAE__TAPE_SUB_MUL, {DAE__TAPE_SUB_MUL_L,DAE__TAPE_SUB_MUL_L,DAE__TAPE_SUB_MUL_R,0}},
 {DAE__TAPE_MUL_ADD_MUL, {DAE__TAPE_MUL_ADD_MUL_L,DAE__TAPE_MUL_ADD_MUL_L,0,0}},
 {DAE__TAPE_MUL_SUB_MUL, {DAE__TAPE_MUL_SUB_MUL_L,DAE__TAPE_MUL_SUB_MUL_L,DAE__TAPE_MUL_SUB_MUL_R,DAE__TAPE_MUL_SUB_MUL_R}},
};

static void use_last(step *s, int last)
{
  if (s->op == DAE__TAPE_MUL_ADD_MUL && s->read[0]!=last && s->read[1]!=last) {
    int a=s->read[0],b=s->read[1]; s->read[0]=s->read[2];s->read[1]=s->read[3];s->read[2]=a;s->read[3]=b; }
  for (size_t k = 0; k < sizeof forms/sizeof forms[0]; k++) if (forms[k].base==s->op)
    for (int i = 0; i < s->reads; i++) if (s->read[i]==last && forms[k].form[i]) {
      s->op = forms[k].form[i]; s->reads--; for (int j = i; j < s->reads; j++) s->read[j]=s->read[j+1]; return; }
}

static void select_all(compiler *c)
{
  count_uses(c);
  absorb_products(c);
  for (int v = 0; v < c->values && !c->failed; v++)
    select_step(c, v);
  for (int i = 1; i < c->steps && !c->failed; i++)
    use_last(&c->step[i], c->step[i-1].d);
}

/* ---- allocate ---- */

/* Inputs in the order of their leaves, then constants: they keep their registers. */
static int allocate_fixed(compiler *c, dae__tape *tape, dae__arena *arena)
{
  int leaves = 0, registers = 0;
  for (int v = 0; v < c->values; v++)
    if (entry_of(c, v)->op == DAE__OP_LEAF && entry_of(c, v)->a >= leaves)
      leaves = entry_of(c, v)->a + 1;
  int *by_leaf = take(c, leaves, sizeof *by_leaf); /* value + 1 */
  if (c->failed)
    return 0;
  for (int v = 0; v < c->values; v++)
    if (entry_of(c, v)->op == DAE__OP_LEAF)
      by_leaf[entry_of(c, v)->a] = v + 1;
  dae__tape_load *load = NULL;
  int capacity = 0;
  for (int leaf = 0; leaf < leaves && !c->failed; leaf++) {
    if (by_leaf[leaf] == 0)
      continue;
    dae__tape_input in = c->plan->input[leaf];
    if (in.class < 0)
      continue;
    c->value[by_leaf[leaf] - 1].in = registers++;
    dae__tape_load *last = tape->loads > 0 ? &load[tape->loads - 1] : NULL;
    if (last && last->class == in.class && last->first + last->count == in.index) {
      last->count++;
      continue;
    }
    load = reserve(c, load, &capacity, tape->loads, 1, sizeof *load);
    if (!c->failed)
      load[tape->loads++] = (dae__tape_load){in.class, in.index, 1};
  }
  dae__tape_load *own = DAE__TAKE(arena, dae__tape_load, tape->loads);
  if (own && tape->loads > 0)
    memcpy(own, load, (size_t)tape->loads * sizeof *own);
  tape->load = own;
  give_back(c, load);
  give_back(c, by_leaf);
  for (int v = 0; v < c->values; v++) {
    bool leaf = entry_of(c, v)->op == DAE__OP_LEAF && c->value[v].in < 0;
    if (leaf || entry_of(c, v)->op == DAE__OP_CONSTANT)
      c->value[v].in = registers++;
  }
  return registers;
}

static void allocate_temporaries(compiler *c, dae__tape *tape)
{
  int *stack = NULL, capacity = 0, spare = 0, fixed = tape->registers;
  for (int v = 0; v < c->values; v++)
    c->value[v].uses = 0;
  for (int i = 0; i < c->steps; i++)
    for (int j = 0; j < c->step[i].reads; j++)
      c->value[c->step[i].read[j]].uses++;
  for (int i = 0; i < c->steps && !c->failed; i++) {
    step *s = &c->step[i];
    for (int j = 0; j < s->reads; j++) {
      value *v = &c->value[s->read[j]];
      s->read[j] = v->in;
      if (--v->uses > 0 || v->in < fixed)
        continue;
      stack = reserve(c, stack, &capacity, spare, 1, sizeof *stack);
      if (!c->failed)
        stack[spare++] = v->in;
    }
    value *v = &c->value[s->d];
    if (c->failed) break;
    if (s->op > DAE__TAPE_FIRST && v->uses == 0 && v->output >= 0) continue;
    v->in = spare > 0 ? stack[spare-1] : tape->registers++;
    if (v->uses > 0 && spare > 0) spare--;
    else if (v->uses == 0 && spare == 0) {
      stack = reserve(c, stack, &capacity, spare, 1, sizeof *stack);
      if (!c->failed)
        stack[spare++] = v->in;
    }
  }
  give_back(c, stack);
}

/* ---- encode ---- */
static int *put_stores(const compiler *c, int *code, int o, int op, int reg)
{
  for (; o >= 0; o = c->next_output[o]) {
    *code++ = op; *code++ = c->plan->output[o].group; *code++ = c->plan->output[o].index; if (reg>=0) *code++ = reg;
  }
  return code;
}
static int *encode(const compiler *c, int *code)
{
  for (int v = 0; v < c->values; v++) if (dae__op_operands((dae__op)entry_of(c,v)->op)==0)
    code = put_stores(c, code, c->value[v].output, DAE__TAPE_STORE, c->value[v].in);
  for (int i = 0; i < c->steps; i++) {
    const step *s = &c->step[i];
    const value *v = &c->value[s->d];
    int o = v->output;
    if (v->in < 0) {
      *code++ = s->op+1;
      *code++ = c->plan->output[o].group; *code++ = c->plan->output[o].index;
      o = c->next_output[o];
    } else {
    *code++ = s->op;
      *code++ = v->in;
    }
    for (int j = 0; j < s->reads; j++)
      *code++ = s->read[j];
    if (s->op == DAE__OP_POWI)
      *code++ = s->number;
    code = put_stores(c, code, o, DAE__TAPE_STORE_L, -1);
  }
  *code++ = DAE__TAPE_END;
  return code;
}

static void set_constants(const compiler *c, double *r)
{
  for (int v = 0; v < c->values; v++) {
    const dae__entry *e = entry_of(c, v);
    if (e->op == DAE__OP_CONSTANT)
      r[c->value[v].in] = dae__entry_value(e);
    else if (e->op == DAE__OP_LEAF && c->plan->input[e->a].class < 0)
      r[c->value[v].in] = NAN;
  }
}

static void finish(compiler *c, dae__arena *arena, dae__tape *tape)
{
  size_t words = 8*(size_t)c->steps+4*(size_t)c->plan->outputs+1;
  tape->length = c->steps;
  int *code = DAE__TAKE(arena, int, words);
  tape->r = DAE__TAKE(arena, double, tape->registers);
  tape->groups = c->plan->groups;
  int *zeroed = c->plan->zeroed ? DAE__TAKE(arena, int, tape->groups) : NULL;
  if (dae__arena_failed(arena))
    return;
  encode(c, code);
  set_constants(c, tape->r);
  tape->code = code;
  for (int i = 0; zeroed && i < tape->groups; i++)
    zeroed[i] = c->plan->zeroed[i];
  tape->zeroed = zeroed;
}

dae__tape *dae__tape_create(dae__arena *arena, const dae__tape_plan *plan)
{
  compiler c = {.env = *dae__arena_env(arena), .plan = plan, .graph = plan->graph};
  dae__tape *tape = DAE__TAKE(arena, dae__tape, 1);
  c.failed = !tape;
  c.place = take(&c, plan->graph->count, sizeof *c.place);
  c.next_output = take(&c, plan->outputs, sizeof *c.next_output);
  if (!c.failed)
    order_all(&c);
  if (!c.failed)
    select_all(&c);
  if (!c.failed)
    tape->registers = allocate_fixed(&c, tape, arena);
  if (!c.failed)
    allocate_temporaries(&c, tape);
  if (!c.failed)
    finish(&c, arena, tape);
  give_back(&c, c.place);
  give_back(&c, c.next_output);
  give_back(&c, c.stack);
  give_back(&c, c.value);
  give_back(&c, c.step);
  return c.failed || dae__arena_failed(arena) ? NULL : tape;
}
