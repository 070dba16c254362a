/* Shared by the files that evaluate expressions: value.c and lookup.c. */
#ifndef DAEDAL_MODEL_VALUE_H
#define DAEDAL_MODEL_VALUE_H

#include "model/expand.h"

/* A node, and whether it is a truth value. */
typedef struct dae__value {
  dae__node node;
  bool truth;
} dae__value;

/* The symbol that a name means in a scope: its own, then the model's; -1: none. instance becomes
 * the one that the symbol belongs to. */
int dae__look_up(const dae__context *c, const char *name, int *instance);
/* The same for x, A.x, S[k].x; complains. */
int dae__look_up_path(const dae__context *c, const dae__expr *e, int *instance);
/* Leaf of the multiplier of a labelled constraint; complains and gives -1. */
int dae__find_multiplier(const dae__context *c, const dae__expr *label, bool psi);
/* kinetic and potential in an output. */
dae__node dae__energy_node(const dae__context *c, const dae__expr *e);
/* "rod[3]": the text of a label, interned. */
const char *dae__label_text(const dae__context *c, const dae__expr *label);
/* Adds a label; one that is there already is a mistake. */
void dae__label_add(dae__expander *x, dae__label label);
const dae__label *dae__label_find(const dae__expander *x, int instance, const char *text);
/* A context in an instance, with its index as frame where it has one. */
dae__context dae__context_of(dae__expander *x, int instance, dae__frame *index);

/* Kinds of all leaves below a node. */
unsigned dae__kinds_below(dae__expander *x, dae__node node);
/* Calls handle for every statement of every instance, loops unrolled. */
typedef void dae__handle_fn(const dae__context *c, const dae__statement *s);
void dae__walk_instances(dae__expander *x, dae__handle_fn *handle);

#endif
