/* The choice of instructions. A product that is used once is not computed by itself but by the
 * instruction that uses it, where there is one that can: a b + c, a b c, a b / c, ... A square is a
 * product too. */
#include "model/tape/tape_compiler.h"

static void tape_count_uses(dae__tape_compiler *c)
{
  for (int v = 0; v < c->values; v++) {
    dae__node operand[3];
    int count = dae__entry_operands(dae__tape_entry(c, v), operand);
    for (int i = 0; i < count; i++)
      c->value[dae__tape_value_of(c, operand[i])].uses++;
  }
}

/* A product used once, of two factors: true. */
static bool tape_is_product(const dae__tape_compiler *c, dae__node node)
{
  const dae__entry *e = &c->graph->entry[node];
  return (e->op == DAE__OP_MUL || (e->op == DAE__OP_POWI && e->b == 2)) &&
         c->value[dae__tape_value_of(c, node)].uses == 1;
}

static bool tape_absorb(dae__tape_compiler *c, dae__node node)
{
  if (!tape_is_product(c, node))
    return false;
  c->value[dae__tape_value_of(c, node)].absorbed = true;
  return true;
}

/* sqrt(a b + c d): the sum, used nowhere else, and its products */
static void tape_absorb_length(dae__tape_compiler *c, dae__node sum)
{
  const dae__entry *e = &c->graph->entry[sum];
  dae__tape_value *v = &c->value[dae__tape_value_of(c, sum)];
  if (e->op != DAE__OP_ADD || v->uses != 1 || !tape_is_product(c, e->a) ||
      !tape_is_product(c, e->b))
    return;
  v->absorbed = true;
  tape_absorb(c, e->a);
  tape_absorb(c, e->b);
}

/* From the outputs downwards: what is absorbed absorbs nothing itself. */
static void tape_absorb_products(dae__tape_compiler *c)
{
  for (int v = c->values - 1; v >= 0; v--) {
    const dae__entry *e = dae__tape_entry(c, v);
    if (c->value[v].absorbed)
      continue;
    if (e->op == DAE__OP_ADD || e->op == DAE__OP_SUB) {
      tape_absorb(c, e->a);
      tape_absorb(c, e->b);
    } else if (e->op == DAE__OP_MUL) {
      if (!tape_absorb(c, e->a))
        tape_absorb(c, e->b);
    } else if (e->op == DAE__OP_DIV || e->op == DAE__OP_NEG) {
      tape_absorb(c, e->a);
    } else if (e->op == DAE__OP_SQRT) {
      tape_absorb_length(c, e->a);
    }
  }
}

/* The step reads a node: its factors where it is absorbed. */
static void tape_read_node(const dae__tape_compiler *c, dae__tape_step *s, dae__node node)
{
  int v = dae__tape_value_of(c, node);
  const dae__entry *e = dae__tape_entry(c, v);
  if (!c->value[v].absorbed) {
    s->read[s->reads++] = v;
    return;
  }
  s->read[s->reads++] = dae__tape_value_of(c, e->a);
  s->read[s->reads++] = dae__tape_value_of(c, e->op == DAE__OP_MUL ? e->b : e->a);
}

/* Operators with two operands, by which of them are absorbed: none, the first, the second, both.
 * The one that is absorbed is read first. */
static void tape_select_pair(const dae__tape_compiler *c, dae__tape_step *s, const dae__entry *e,
                             const int op[4])
{
  bool first = c->value[dae__tape_value_of(c, e->a)].absorbed;
  bool second = c->value[dae__tape_value_of(c, e->b)].absorbed;
  s->op = op[first + 2 * second];
  tape_read_node(c, s, second && !first ? e->b : e->a);
  tape_read_node(c, s, second && !first ? e->a : e->b);
}

/* sqrt of a sum that is absorbed, and -(a b) */
static void tape_select_single(const dae__tape_compiler *c, dae__tape_step *s, const dae__entry *e)
{
  const dae__entry *below = &c->graph->entry[e->a];
  bool absorbed = c->value[dae__tape_value_of(c, e->a)].absorbed;
  if (e->op == DAE__OP_SQRT && absorbed) {
    s->op = DAE__TAPE_LENGTH;
    tape_read_node(c, s, below->a);
    tape_read_node(c, s, below->b);
    return;
  }
  s->op = e->op == DAE__OP_SQRT ? DAE__TAPE_SQRT : absorbed ? DAE__TAPE_NEG_MUL : DAE__TAPE_NEG;
  tape_read_node(c, s, e->a);
}

static void tape_select_any(const dae__tape_compiler *c, dae__tape_step *s, const dae__entry *e)
{
  dae__node operand[3];
  int count = dae__entry_operands(e, operand);
  s->op = e->op == DAE__OP_POWI && e->b == 2 ? DAE__TAPE_SQUARE : e->op;
  s->power = e->op == DAE__OP_POWI ? e->b : 0;
  for (int i = 0; i < count; i++)
    tape_read_node(c, s, operand[i]);
}

static void tape_select_step(const dae__tape_compiler *c, dae__tape_step *s, const dae__entry *e)
{
  static const int add[] = {DAE__TAPE_ADD, DAE__TAPE_MUL_ADD, DAE__TAPE_MUL_ADD,
                            DAE__TAPE_MUL_ADD_MUL};
  static const int sub[] = {DAE__TAPE_SUB, DAE__TAPE_MUL_SUB, DAE__TAPE_SUB_MUL,
                            DAE__TAPE_MUL_SUB_MUL};
  static const int mul[] = {DAE__TAPE_MUL, DAE__TAPE_MUL_MUL, DAE__TAPE_MUL_MUL, DAE__TAPE_NONE};
  static const int div[] = {DAE__TAPE_DIV, DAE__TAPE_MUL_DIV, DAE__TAPE_NONE, DAE__TAPE_NONE};
  switch (e->op) {
  case DAE__OP_ADD:
    tape_select_pair(c, s, e, add);
    break;
  case DAE__OP_SUB:
    tape_select_pair(c, s, e, sub);
    break;
  case DAE__OP_MUL:
    tape_select_pair(c, s, e, mul);
    break;
  case DAE__OP_DIV:
    tape_select_pair(c, s, e, div);
    break;
  case DAE__OP_NEG:
  case DAE__OP_SQRT:
    tape_select_single(c, s, e);
    break;
  default:
    tape_select_any(c, s, e);
  }
}

void dae__tape_select(dae__tape_compiler *c)
{
  tape_count_uses(c);
  tape_absorb_products(c);
  for (int v = 0; v < c->values; v++) {
    const dae__entry *e = dae__tape_entry(c, v);
    if (dae__op_operands((dae__op)e->op) == 0 || c->value[v].absorbed)
      continue;
    c->step = dae__tape_reserve(c, c->step, &c->step_capacity, c->steps, 1, sizeof *c->step);
    if (c->failed)
      return;
    dae__tape_step *s = &c->step[c->steps++];
    *s = (dae__tape_step){.result = v};
    tape_select_step(c, s, e);
  }
}
