/* Interface between the files that evaluate expressions and the files that expand statements. */
#ifndef DAEDAL_MODEL_EXPAND_VALUE_H
#define DAEDAL_MODEL_EXPAND_VALUE_H

#include "model/expand/expand.h"

/* Value of an expression: a node, with a flag for truth values. */
typedef struct dae__value {
  dae__node node;
  bool truth;
} dae__value;

static inline dae__value dae__as_number(dae__node node)
{
  return (dae__value){node, false};
}

#define DAE__NO_VALUE ((dae__value){DAE__ZERO, false}) /* value after an error */

/* Symbol of a name in the current scope, else in the model; -1: none. instance: set to the instance
 * of the symbol. */
int dae__lookup_symbol(const dae__context *c, const char *name, int *instance);
/* Symbol of a dotted name x, A.x or S[k].x; an unknown name is an error. instance: set to the
 * instance of the symbol. */
int dae__lookup_path(const dae__context *c, const dae__expr *e, int *instance);
/* Node of lambda(rod) or psi(rod), where rod is a label of a constraint expanded before; node 0
 * after an error. */
dae__node dae__multiplier_node(const dae__context *c, const dae__expr *e);
/* Reports an error for unknown names in the body of a function, which may never be called. indices:
 * the indices of enclosing sums. */
void dae__check_function(const dae__context *c, const dae__expr *e, const dae__declaration *d,
                         const dae__local *indices);
/* Interned text of a label, such as "rod[3]". */
const char *dae__label_text(const dae__context *c, const dae__expr *label);
/* Adds a label to the table of labels; a duplicate is an error. */
void dae__label_add(dae__expander *x, dae__label label);
/* Node of the start value of an element; expr NULL: start value 0. */
dae__node dae__start_node(dae__expander *x, int symbol, int instance, int element,
                          const dae__expr *expr);
/* Value of a constant that belongs to a variable, evaluated for one of its elements, which may
 * enter by its indices; what: its name in messages. */
double dae__element_constant(dae__expander *x, const dae__leaf_info *element, const dae__expr *expr,
                             const char *what);
/* Context for expressions of an instance, with the index of its system as a local name. */
dae__context dae__context_of(dae__expander *x, int instance, dae__local *index);

/* Kinds of leaves permitted in an expression: variables of its own instance, and of others. */
typedef struct dae__allowed {
  unsigned own, other;
  const char *what, *holds;
} dae__allowed;
void dae__check_leaves(const dae__context *c, dae__node node, int place, const dae__allowed *may);
/* Name of a statement in messages, such as "line 9" or "line 9, i = 3". */
const char *dae__statement_name(const dae__context *c, const dae__statement *s);
/* Functions of equations.c. */
void dae__add_equation(const dae__context *c, const dae__statement *s);
void dae__find_explicit_rates(dae__expander *x);
/* Set of the kinds of all leaves in the expression of a node. */
unsigned dae__kinds_below(dae__expander *x, dae__node node);
/* Function to be called for every statement of every instance, with loops unrolled. */
typedef void dae__handle_fn(const dae__context *c, const dae__statement *s);
void dae__walk_instances(dae__expander *x, dae__handle_fn *handle);

#endif
