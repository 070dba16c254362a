/* Instruction selection. A product that is used once is absorbed by the instruction that uses it,
 * if a combined instruction exists: a b + c, a b c, a b / c, ... A square is a product too. */
#include "model/tape/tape_code.h"

/* Tests that a node is a product of two factors that is used once. */
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

/* Finds the products that other instructions absorb, from the outputs downwards: an absorbed
 * product absorbs no others. */
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
    } else if (e->op == DAE__OP_SQRT) { /* sqrt(a b + c d) with a sum that is used once */
      const dae__entry *sum = &c->graph->entry[e->a];
      dae__tape_value *value = &c->value[dae__tape_value_of(c, e->a)];
      if (sum->op != DAE__OP_ADD || value->uses != 1 || !tape_is_product(c, sum->a) ||
          !tape_is_product(c, sum->b))
        continue;
      value->absorbed = true;
      tape_absorb(c, sum->a);
      tape_absorb(c, sum->b);
    }
  }
}

/* Selects the instruction of a value. Its operands are those of the node, with the two factors in
 * place of an absorbed product, first. */
static void tape_select_step(const dae__tape_compiler *c, dae__tape_step *s, const dae__entry *e)
{
  /* by operator and absorbed operands: none, the first, the second, both */
  static const int combined[][4] = {
      [DAE__OP_ADD] = {DAE__TAPE_ADD, DAE__TAPE_MUL_ADD, DAE__TAPE_MUL_ADD, DAE__TAPE_MUL_ADD_MUL},
      [DAE__OP_SUB] = {DAE__TAPE_SUB, DAE__TAPE_MUL_SUB, DAE__TAPE_SUB_MUL, DAE__TAPE_MUL_SUB_MUL},
      [DAE__OP_MUL] = {DAE__TAPE_MUL, DAE__TAPE_MUL_MUL, DAE__TAPE_MUL_MUL, DAE__TAPE_NONE},
      [DAE__OP_DIV] = {DAE__TAPE_DIV, DAE__TAPE_MUL_DIV, DAE__TAPE_NONE, DAE__TAPE_NONE},
      [DAE__OP_NEG] = {DAE__TAPE_NEG, DAE__TAPE_NEG_MUL}};
  dae__node operand[3];
  int count = dae__entry_operands(e, operand);
  bool first = c->value[dae__tape_value_of(c, e->a)].absorbed;
  s->op = e->op;
  if (e->op >= DAE__OP_ADD && e->op <= DAE__OP_NEG) {
    bool second = count == 2 && c->value[dae__tape_value_of(c, e->b)].absorbed;
    s->op = combined[e->op][first + 2 * second];
    if (second && !first) {
      operand[0] = e->b;
      operand[1] = e->a;
    }
  } else if (e->op == DAE__OP_SQRT) {
    s->op = first ? DAE__TAPE_LENGTH : DAE__TAPE_SQRT;
    if (first)
      count = dae__entry_operands(&c->graph->entry[e->a], operand);
  } else if (dae__op_has_word(e->op)) {
    s->op = e->op == DAE__OP_POWI && e->b == 2 ? DAE__TAPE_SQUARE : e->op;
    s->word = dae__entry_word(e);
  }
  for (int i = 0; i < count; i++) {
    int v = dae__tape_value_of(c, operand[i]);
    const dae__entry *node = dae__tape_entry(c, v);
    bool product = c->value[v].absorbed; /* a product or a square */
    s->read[s->reads++] = product ? dae__tape_value_of(c, node->a) : v;
    if (product)
      s->read[s->reads++] = dae__tape_value_of(c, node->op == DAE__OP_MUL ? node->b : node->a);
  }
}

void dae__tape_select(dae__tape_compiler *c)
{
  for (int v = 0; v < c->values; v++) {
    dae__node operand[3];
    int count = dae__entry_operands(dae__tape_entry(c, v), operand);
    for (int i = 0; i < count; i++)
      c->value[dae__tape_value_of(c, operand[i])].uses++;
  }
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
