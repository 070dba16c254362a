/* Shared by the files that evaluate expressions and expand statements. */
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

/* after a mistake */
static inline dae__value dae__no_value(void)
{
  return (dae__value){DAE__ZERO, false};
}

/* Evaluates an expression; complains where it is not a number, or not a truth value. */
dae__value dae__number_of(const dae__context *c, const dae__expr *e);
dae__value dae__truth_of(const dae__context *c, const dae__expr *e);
/* A call: call.c. */
dae__value dae__evaluate_call(const dae__context *c, const dae__expr *e);

/* The symbol that a name means in a scope: its own, then the model's; -1: none. instance becomes
 * the one that the symbol belongs to. */
int dae__look_up(const dae__context *c, const char *name, int *instance);
/* The same for x, A.x, S[k].x; complains. */
int dae__look_up_path(const dae__context *c, const dae__expr *e, int *instance);
/* Leaf of the multiplier of a labelled constraint; complains and gives -1. */
int dae__find_multiplier(const dae__context *c, const dae__expr *label, bool psi);
/* kinetic and potential in an output. */
dae__node dae__energy_node(const dae__context *c, const dae__expr *e);
/* Complains about an unknown name in the body of a function, which nothing may ever call. */
void dae__check_function(const dae__context *c, const dae__declaration *d);
/* "rod[3]": the text of a label, interned. */
const char *dae__label_text(const dae__context *c, const dae__expr *label);
/* Adds a label; one that is there already is a mistake. */
void dae__label_add(dae__expander *x, dae__label label);
const dae__label *dae__label_find(const dae__expander *x, int instance, const char *text);
/* A context in an instance, with its index as frame where it has one. */
dae__context dae__context_of(dae__expander *x, int instance, dae__frame *index);

/* What an expression may hold: kinds of leaves of its own instance and of others; complains. */
typedef struct dae__allowed {
  unsigned own, other;
  const char *what, *holds;
} dae__allowed;
void dae__check_leaves(const dae__context *c, dae__node node, int place, const dae__allowed *may);
/* "line 9", "line 9, i = 3": a statement in messages. */
const char *dae__statement_name(const dae__context *c, const dae__statement *s);
/* Equations: equations.c. */
void dae__add_equation(const dae__context *c, const dae__statement *s);
void dae__prepare_no_slopes(dae__expander *x);
void dae__find_explicit_rates(dae__expander *x);
/* Kinds of all leaves below a node. */
unsigned dae__kinds_below(dae__expander *x, dae__node node);
/* Calls handle for every statement of every instance, loops unrolled. */
typedef void dae__handle_fn(const dae__context *c, const dae__statement *s);
void dae__walk_instances(dae__expander *x, dae__handle_fn *handle);

#endif
