/* Interface between the files that evaluate expressions and those that expand statements. */
#ifndef DAEDAL_MODEL_EXPAND_VALUE_H
#define DAEDAL_MODEL_EXPAND_VALUE_H

#include "model/expand/expand.h"

/* A node, and whether it is a truth value. */
typedef struct dae__value {
  dae__node node;
  bool truth;
} dae__value;

static inline dae__value dae__as_number(dae__node node)
{
  return (dae__value){node, false};
}

#define DAE__NO_VALUE ((dae__value){DAE__ZERO, false}) /* after an error */

/* The symbol of a name: of the own scope, else of the model; -1: none. instance: that of the
 * symbol.
 */
int dae__lookup_symbol(const dae__context *c, const char *name, int *instance);
/* The same for x, A.x, S[k].x; an unknown name is an error. */
int dae__lookup_path(const dae__context *c, const dae__expr *e, int *instance);
/* Leaf of the multiplier of a labelled constraint; -1 after an error. */
int dae__lookup_multiplier(const dae__context *c, const dae__expr *label, bool psi);
/* The value of kinetic or potential in an output. */
dae__node dae__energy_node(const dae__context *c, const dae__expr *e);
/* Refuses unknown names in an expression of the body of a function, which may never be called;
 * indices: of the sums around it. */
void dae__check_function(const dae__context *c, const dae__expr *e, const dae__declaration *d,
                         const dae__local *indices);
/* "rod[3]": the text of a label, interned. */
const char *dae__label_text(const dae__context *c, const dae__expr *label);
/* Adds a label; a duplicate is an error. */
void dae__label_add(dae__expander *x, dae__label label);
/* The start value of an element as a node; expr NULL: 0. */
dae__node dae__start_node(dae__expander *x, int symbol, int instance, int element,
                          const dae__expr *expr);
/* The context of an instance, with the index of its system as a local name. */
dae__context dae__context_of(dae__expander *x, int instance, dae__local *index);

/* The kinds of leaves an expression may hold, of its own instance and of others. */
typedef struct dae__allowed {
  unsigned own, other;
  const char *what, *holds;
} dae__allowed;
void dae__check_leaves(const dae__context *c, dae__node node, int place, const dae__allowed *may);
/* The name of a statement in messages: "line 9", "line 9, i = 3". */
const char *dae__statement_name(const dae__context *c, const dae__statement *s);
/* Equations: equations.c. */
void dae__add_equation(const dae__context *c, const dae__statement *s);
void dae__prepare_state_rates(dae__expander *x);
void dae__find_explicit_rates(dae__expander *x);
/* The kinds of all leaves below a node. */
unsigned dae__kinds_below(dae__expander *x, dae__node node);
/* Calls handle for every statement of every instance, loops unrolled. */
typedef void dae__handle_fn(const dae__context *c, const dae__statement *s);
void dae__walk_instances(dae__expander *x, dae__handle_fn *handle);

#endif
