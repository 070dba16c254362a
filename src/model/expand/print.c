/* Expressions of the graph as text in the model language, for names in messages. */
#include "core/number.h"
#include "model/expand/value.h"
#include <ctype.h>

#define MAX_DEPTH                                                                                  \
  40 /* deeper operands are written as dots: names are short; chosen, not measured */

typedef struct printer {
  dae__expander *x;
  char *text;
  int length, size;
  bool full;
} printer;

/* Binding strengths, as in the parser. */
enum { OR = 1, AND, EQUAL, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM };

static void print_text(printer *p, const char *text)
{
  while (*text && p->length < p->size - 1)
    p->text[p->length++] = *text++;
  p->full = p->full || *text;
  p->text[p->length] = 0;
}

static void print_node(printer *p, dae__node node, int least, int depth);

static void print_call(printer *p, const dae__entry *e, int depth)
{
  static const char *const names[] = {
#define NAME(name, operands) #name,
      DAE__OP_LIST(NAME)
#undef NAME
  };
  char name[12] = "";
  dae__node operand[3];
  if (e->op == DAE__OP_INTERVAL || e->op == DAE__OP_CURVE) {
    int word = dae__entry_word(e);
    print_text(
        p,
        p->x->graph->curves.item[e->op == DAE__OP_CURVE ? word / DAE__CURVE_ORDERS : word]->name);
    print_text(p, "(");
    print_node(p, e->a, 0, depth);
    print_text(p, ")");
    return;
  }
  int count = dae__entry_operands(e, operand);
  for (int i = 0; names[e->op][i]; i++)
    name[i] = (char)tolower(names[e->op][i]);
  print_text(p, name);
  for (int i = 0; i < count; i++) {
    print_text(p, i ? ", " : "(");
    print_node(p, operand[i], 0, depth);
  }
  print_text(p, ")");
}

/* Prints a op b; a constant on the left of a sum or comparison goes to the right. */
static void print_infix(printer *p, dae__entry e, bool negated, int strength, int depth)
{
  static const char *const signs[DAE__OP_COUNT] = {
      [DAE__OP_ADD] = " + ",   [DAE__OP_SUB] = " - ",  [DAE__OP_MUL] = "*",
      [DAE__OP_DIV] = "/",     [DAE__OP_POW] = "^",    [DAE__OP_AND] = " && ",
      [DAE__OP_OR] = " || ",   [DAE__OP_LESS] = " < ", [DAE__OP_LESS_EQUAL] = " <= ",
      [DAE__OP_EQUAL] = " == "};
  const char *sign = negated ? " != " : signs[e.op];
  dae__node a = e.a, b = e.b;
  double c;
  bool comparison = strength == COMPARISON;
  if ((comparison || e.op == DAE__OP_EQUAL || e.op == DAE__OP_ADD) &&
      dae__is_constant(p->x->graph, a, &c)) {
    sign = comparison ? e.op == DAE__OP_LESS ? " > " : " >= " : sign;
    a = e.b;
    b = e.a;
    if (e.op == DAE__OP_ADD && c < 0) {
      sign = " - ";
      b = dae__constant(p->x->graph, -c);
    }
  }
  bool left = e.op != DAE__OP_POW, associative = e.op == DAE__OP_ADD || e.op == DAE__OP_MUL;
  print_node(p, a, strength + !left, depth);
  print_text(p, sign);
  print_node(p, b, strength + (left && !associative), depth);
}

static int print_strength(int op)
{
  static const signed char strengths[DAE__OP_COUNT] = {
      [DAE__OP_OR] = OR,       [DAE__OP_AND] = AND,         [DAE__OP_EQUAL] = EQUAL,
      [DAE__OP_NOT] = SIGN,    [DAE__OP_LESS] = COMPARISON, [DAE__OP_LESS_EQUAL] = COMPARISON,
      [DAE__OP_ADD] = SUM,     [DAE__OP_SUB] = SUM,         [DAE__OP_MUL] = PRODUCT,
      [DAE__OP_DIV] = PRODUCT, [DAE__OP_NEG] = SIGN,        [DAE__OP_POW] = POWER,
      [DAE__OP_POWI] = POWER};
  return strengths[op] > 0 ? strengths[op] : ATOM;
}

/* Prints a node, in brackets where its operator binds less than `least`. */
static void print_node(printer *p, dae__node node, int least, int depth)
{
  const dae__graph *g = p->x->graph;
  dae__entry e = g->entry[node], inner = g->entry[e.op == DAE__OP_NOT ? e.a : node];
  bool unequal = e.op == DAE__OP_NOT && inner.op == DAE__OP_EQUAL;
  int strength = print_strength(inner.op == DAE__OP_EQUAL ? DAE__OP_EQUAL : e.op);
  double value = 0;
  char number[DAE__INT_SIZE];
  if (dae__is_constant(g, node, &value) && value < 0)
    strength = SIGN;
  if (p->full || depth > MAX_DEPTH) {
    p->full = true;
    return;
  }
  if (strength < least)
    print_text(p, "(");
  if (e.op == DAE__OP_CONSTANT) {
    print_text(p, dae__number_text(value, 6).text);
  } else if (e.op == DAE__OP_LEAF) {
    print_text(p, dae__leaf_name(p->x, e.a));
  } else if (e.op == DAE__OP_POWI) {
    print_node(p, e.a, POWER + 1, depth + 1);
    print_text(p, "^");
    print_text(p, dae__format_int(e.b, number));
  } else if (unequal || (strength < ATOM && e.op != DAE__OP_NEG && e.op != DAE__OP_NOT)) {
    print_infix(p, unequal ? inner : e, unequal, strength, depth + 1);
  } else if (strength < ATOM) {
    print_text(p, e.op == DAE__OP_NEG ? "-" : "!");
    print_node(p, e.a, SIGN, depth + 1);
  } else {
    print_call(p, &e, depth + 1);
  }
  if (strength < least)
    print_text(p, ")");
}

void dae__print_node(dae__expander *x, dae__node node, char *text, int size)
{
  printer p = {.x = x, .text = text, .size = size};
  text[0] = 0;
  print_node(&p, node, 0, 0);
  if (p.full) {
    p.length = p.length < size - 4 ? p.length : size - 4;
    p.full = false;
    print_text(&p, "...");
  }
}
