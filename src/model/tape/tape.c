/* The compiler of tapes.
 *
 *   order     the nodes below the outputs, by a depth-first walk from each output in turn, so that
 *             a value is computed shortly before it is used
 *   select    an instruction for each node, or for several nodes (tape_select.c)
 *   group     the instructions of the same kind (tape_group.c)
 *   allocate  a register to each value, from its computation to its last use (tape_registers.c)
 *   encode    the instructions as words (tape_registers.c)
 *
 * The tape is in the arena, the workspace of the compiler in memory of its own. */
#include "core/env.h"
#include "core/error.h"
#include "model/tape/tape_code.h"

#include "model/pool.h"

#include <stdint.h>

void *dae__tape_memory(dae__tape_compiler *c, int count, size_t size, bool zeroed)
{
  size_t bytes = (size_t)(count > 0 ? count : 1) * size;
  void *memory = c->failed ? NULL : c->env.allocate(c->env.user, bytes);
  c->failed = !memory;
  return memory && zeroed ? memset(memory, 0, bytes) : memory;
}

void dae__tape_release(dae__tape_compiler *c, void *memory)
{
  if (memory)
    c->env.release(c->env.user, memory);
}

void *dae__tape_grow(dae__tape_compiler *c, void *memory, int *capacity, int count, int more,
                     size_t size)
{
  void *larger = NULL;
  if (c->failed)
    return memory;
  if (count <= INT_MAX - more)
    larger = dae__array_grow(&c->env, memory, capacity, count, count + more, size);
  c->failed = !larger;
  return larger ? larger : memory;
}

/* Numbers the values below a root in an order of evaluation. As in walk.c, a node is opened at its
 * first visit (its operands are pushed, the first one on top), and numbered at its second visit. */
static void tape_order_below(dae__tape_compiler *c, dae__node root)
{
  int depth = 0;
  c->stack = dae__tape_reserve(c, c->stack, &c->stack_capacity, depth, 1, sizeof *c->stack);
  if (!c->failed)
    c->stack[depth++] = root;
  while (depth > 0 && !c->failed) {
    dae__node node = c->stack[depth - 1], operand[3];
    if (c->place[node] == 0) {
      int count = dae__entry_operands(&c->graph->entry[node], operand);
      c->place[node] = -1;
      c->stack = dae__tape_reserve(c, c->stack, &c->stack_capacity, depth, 3, sizeof *c->stack);
      for (int i = count - 1; i >= 0 && !c->failed; i--)
        if (c->place[operand[i]] == 0)
          c->stack[depth++] = operand[i];
      continue;
    }
    depth--;
    if (c->place[node] > 0)
      continue;
    c->value = dae__tape_reserve(c, c->value, &c->value_capacity, c->values, 1, sizeof *c->value);
    if (c->failed)
      return;
    c->value[c->values++] = (dae__tape_value){.node = node, .in = -1, .output = -1};
    c->place[node] = c->values;
  }
}

/* Tests that an output is the constant zero and among the entries that are zeroed beforehand. */
static bool tape_is_left_out(const dae__tape_plan *plan, const dae__tape_output *output)
{
  return plan->zeroed && output->node == DAE__ZERO && output->index < plan->zeroed[output->group];
}

/* Numbers the values of all outputs, and lists the outputs of each value. */
static void tape_order_all(dae__tape_compiler *c)
{
  const dae__tape_plan *plan = c->plan;
  for (int i = 0; i < plan->outputs; i++) {
    dae__node node = plan->output[i].node;
    if (tape_is_left_out(plan, &plan->output[i]))
      continue;
    if (c->place[node] == 0)
      tape_order_below(c, node);
    if (c->failed)
      return;
    dae__tape_value *v = &c->value[dae__tape_value_of(c, node)];
    c->next_output[i] = v->output;
    v->output = i;
    v->uses++;
  }
}

void dae__tape_workspace_free(dae__tape_workspace *workspace, const dae_env *env)
{
  if (workspace->place)
    env->release(env->user, workspace->place);
  if (workspace->buffer)
    env->release(env->user, workspace->buffer);
  *workspace = (dae__tape_workspace){.place = NULL};
}

/* Memory of one compilation; requests beyond its size are allocated from `outside`. */
typedef struct dae__tape_buffer {
  dae_env outside;
  size_t used;
  _Alignas(16) char memory[16 * 1024]; /* enough for a tape of fifty instructions */
} buffer;

static void *tape_buffer_allocate(void *user, size_t bytes)
{
  buffer *b = user;
  size_t piece = (bytes + 15) / 16 * 16;
  if (bytes > sizeof b->memory - b->used || piece > sizeof b->memory - b->used)
    return b->outside.allocate(b->outside.user, bytes);
  b->used += piece;
  return b->memory + b->used - piece;
}

static void tape_buffer_release(void *user, void *memory)
{
  buffer *b = user;
  uintptr_t offset = (uintptr_t)memory - (uintptr_t)b->memory;
  if (offset >= sizeof b->memory)
    b->outside.release(b->outside.user, memory);
}

/* Provides marks for all nodes, with half as many in reserve, and the buffer as memory of the
 * compiler. */
static void tape_open_workspace(dae__tape_compiler *c, dae__tape_workspace *workspace)
{
  int count = c->graph->count;
  if (workspace->capacity < count) {
    dae__tape_release(c, workspace->place);
    workspace->place = dae__tape_memory(c, count + count / 2, sizeof *workspace->place, true);
    workspace->capacity = workspace->place ? count + count / 2 : 0;
  }
  c->place = workspace->place;
  if (!workspace->buffer) {
    workspace->buffer = dae__tape_memory(c, 1, sizeof *workspace->buffer, false);
    if (!workspace->buffer)
      return;
    workspace->buffer->outside = c->env;
  }
  workspace->buffer->used = 0;
  c->env = (dae_env){
      .user = workspace->buffer, .allocate = tape_buffer_allocate, .release = tape_buffer_release};
}

/* Whether the compiler goes on: no memory has failed, and nothing wants it to stop. A phase takes
 * less than a tenth of a second for 10^5 bodies. */
static bool tape_goes_on(dae__tape_compiler *c, const dae__arena *arena)
{
  c->failed = c->failed || dae__env_stopped(dae__arena_env(arena));
  return !c->failed;
}

bool dae__tape_compile(dae__tape *tape)
{
  if (tape->code)
    return true;
  const dae__tape_plan *plan = tape->plan;
  dae__arena *arena = tape->arena;
  dae__tape made = {.code = NULL};
  dae__tape_compiler c = {.env = *dae__arena_env(arena), .plan = plan, .graph = plan->graph};
  dae__tape_workspace own = {.place = NULL}, *workspace = plan->workspace ? plan->workspace : &own;
  tape_open_workspace(&c, workspace);
  c.next_output = dae__tape_memory(&c, plan->outputs, sizeof *c.next_output, true);
  if (!c.failed)
    tape_order_all(&c);
  if (tape_goes_on(&c, arena))
    dae__tape_select(&c);
  if (tape_goes_on(&c, arena))
    dae__tape_group(&c);
  if (tape_goes_on(&c, arena))
    dae__tape_allocate(&c, arena, &made);
  if (tape_goes_on(&c, arena)) {
    dae__tape_encode(&c, arena, &made);
    /* Lists the groups with zeroed entries that no output writes */
    dae__tape_zeros *zeros = plan->zeroed ? DAE__ALLOC(arena, dae__tape_zeros, plan->groups) : NULL;
    for (int group = 0; zeros && group < plan->groups; group++) {
      int unwritten = plan->zeroed[group];
      for (int i = 0; i < plan->outputs && unwritten > 0; i++)
        unwritten -= plan->output[i].group == group &&
                     plan->output[i].index < plan->zeroed[group] &&
                     !tape_is_left_out(plan, &plan->output[i]);
      if (unwritten > 0)
        zeros[made.zeroed++] = (dae__tape_zeros){group, plan->zeroed[group]};
    }
    made.zeros = zeros;
    made.groups = plan->groups;
    made.curves = plan->graph->curves.item;
  }
  for (int v = 0; c.place && v < c.values; v++)
    c.place[c.value[v].node] = 0;
  void *scratch[] = {c.next_output, c.stack, c.value, c.step};
  for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++)
    dae__tape_release(&c, scratch[i]);
  bool compiled = !c.failed && !dae__arena_failed(arena);
  if (!compiled || workspace == &own) /* a failed compilation leaves marks that are not 0 */
    dae__tape_workspace_free(workspace, dae__arena_env(arena));
  if (compiled)
    *tape = made;
  else if (plan->why)
    dae__out_of_memory(plan->why);
  return compiled;
}

dae__tape *dae__tape_create(dae__arena *arena, const dae__tape_plan *plan)
{
  dae__tape *tape = DAE__ALLOC(arena, dae__tape, 1);
  if (!tape)
    return NULL;
  *tape = (dae__tape){.plan = plan, .arena = arena};
  return plan->lazy || dae__tape_compile(tape) ? tape : NULL;
}
