/* Interface between the files that evaluate expressions and the files that expand statements. */
#ifndef DAEDAL_MODEL_EXPAND_VALUE_H
#define DAEDAL_MODEL_EXPAND_VALUE_H

#include "model/expand/expand.h"

static inline dae__value dae__as_number(dae__node node)
{
  return (dae__value){.node = node, .size = 1};
}

#define DAE__NO_VALUE ((dae__value){.size = 1}) /* value after an error */

/* Name of a component of a vector: "x", "y", "z"; number of a name, -1: none. */
const char *dae__component_name(int component);
int dae__component_of(const char *name);

/* Value of a name or of a call of a let function (value_name.c). */
dae__value dae__name_value(const dae__context *c, const dae__expr *e);
/* Component of a value by its name; at: its place. */
dae__value dae__value_component(const dae__context *c, dae__value value, const dae__expr *at,
                                const char *name);

/* ---- vectors of nodes (vector.c) ---- */

dae__value dae__vector(dae__graph *graph, int size, const double *value);
dae__value dae__vector_add(dae__graph *graph, dae__value a, dae__value b);
dae__value dae__vector_sub(dae__graph *graph, dae__value a, dae__value b);
dae__value dae__vector_scale(dae__graph *graph, dae__node c, dae__value a);
dae__value dae__vector_over(dae__graph *graph, dae__value a, dae__node c);
dae__value dae__vector_neg(dae__graph *graph, dae__value a);
dae__node dae__vector_dot(dae__graph *graph, dae__value a, dae__value b);
/* A vector in space, a number in the plane. */
dae__value dae__vector_cross(dae__graph *graph, dae__value a, dae__value b);
dae__node dae__vector_norm(dae__graph *graph, dae__value a);
/* Total time derivatives of the components. */
dae__value dae__vector_rate(dae__expander *x, dae__value a, int place, const char *what);
/* "a number", "a vector of 3 components", for messages. */
const char *dae__size_text(int size);
/* Value of one of the functions dot, cross, norm, unit; false: e is another call. */
bool dae__vector_function(const dae__context *c, const dae__expr *e, dae__value *out);

/* ---- names (find.c, label.c, lookup.c) ---- */

/* What a name stands for. */
typedef struct dae__found {
  enum {
    DAE__FOUND_NOTHING,
    DAE__FOUND_VALUE,   /* a local name with a value */
    DAE__FOUND_ELEMENT, /* an element of a variable, param, let or output */
    DAE__FOUND_FUNCTION,
    DAE__FOUND_BODY,
    DAE__FOUND_CONNECTOR,
    DAE__FOUND_INSTANCE /* a system or part without a component */
  } kind;
  int symbol, instance, element;
  dae__local *local;
  struct dae__body *body;
  struct dae__connector *connector;
  const dae__expr *last; /* last component of the name that belongs to it */
  const dae__expr *rest; /* components after it; NULL: none */
} dae__found;

/* Finds what a dotted name stands for; an unknown name is an error, and false. */
bool dae__find(const dae__context *c, const dae__expr *e, dae__found *out);
/* The same without errors and without evaluating indices: the first element stands for all. */
bool dae__find_any(const dae__context *c, const dae__expr *e, dae__found *out);
/* Instance of the system or part that a component of a name stands for, in the instance `within`,
 * -1: in the scope of c and those around it; *at becomes the next component. -1: neither. */
int dae__find_owner(const dae__context *c, int within, const dae__expr **at);
/* Leaves of coordinates, states, ... that a name stands for, with their number, 1, 2 or 3; rates:
 * of their rates. -1, with the error recorded: none. what: "an event can set", for the message. */
int dae__find_leaves(const dae__context *c, const dae__expr *e, dae__found *found, int *count);
/* Value of a local name. */
dae__value dae__local_value(dae__expander *x, dae__local *local, int place);
/* Context in which the expression of a local name is evaluated. */
dae__context dae__local_context(dae__expander *x, const dae__local *local);

/* Number of components of the elements of an output, by evaluating the first one (lookup.c). */
int dae__output_width(dae__expander *x, int symbol, int instance, const dae__elements *e);
/* Number of components of an expression, without evaluating it: 1, 2 or 3 (shape.c). */
int dae__size_of(const dae__context *c, const dae__expr *e);
/* Number of components of an element of a symbol: of its value, or coordinates of a body. */
int dae__width_of(dae__expander *x, int symbol, int instance);

/* Symbol of a name in the current scope, then in those around it; -1: none. instance: set to the
 * instance of the symbol. */
int dae__lookup_symbol(const dae__context *c, const char *name, int *instance);
/* Value of lambda(rod) or psi(rod), where rod is a label of a constraint expanded before. */
dae__value dae__multiplier_value(const dae__context *c, const dae__expr *e);
/* Reports an error for unknown names in the body of a function, which may never be called. indices:
 * the indices of enclosing sums. */
void dae__check_function(const dae__context *c, const dae__expr *e, const dae__declaration *d,
                         dae__local *indices);
/* Interned text of a label, such as "rod[3]". */
const char *dae__label_text(const dae__context *c, const dae__expr *label);
/* Adds a label to the table of labels; a duplicate is an error. */
void dae__label_add(dae__expander *x, dae__label label);
/* Value of the start of an element; expr NULL: start value 0. */
dae__value dae__start_expr(dae__expander *x, int symbol, int instance, int element,
                           const dae__expr *expr);
/* Value of a constant that belongs to a variable, evaluated for one of its elements, which may
 * enter by its indices; what: its name in messages. */
double dae__element_constant(dae__expander *x, const dae__leaf_info *element, const dae__expr *expr,
                             const char *what);
/* Context for expressions of an instance, with the index of its system, or the arguments of its
 * part, as local names. */
dae__context dae__context_of(dae__expander *x, int instance);
/* Context for the expressions of an element of a symbol, with its indices as local names in frame
 * and their values in index, both of length DAE__RANK. */
dae__context dae__element_context(dae__expander *x, int symbol, int instance, int element,
                                  dae__local *frame, int *index);
/* Tests for a name that is a word with a value: t, pi. */
static inline bool dae__word_is_value(const dae__expr *e)
{
  return !e->member && dae__word_of(e->name) >= 0;
}

/* Kinds of leaves permitted in an expression: variables of its own instance, and of others. */
typedef struct dae__allowed {
  unsigned own, other;
  const char *what, *holds;
} dae__allowed;
void dae__check_leaves(const dae__context *c, dae__node node, int place, const dae__allowed *may);
/* Name of a statement in messages, such as "line 9" or "line 9, i = 3". */
const char *dae__statement_name(const dae__context *c, const dae__statement *s);
/* Adds coordinates that no statement declares by name, such as the angle of a connector; returns
 * the first leaf, 0 after an error (scope.c). like: what they belong to. */
int dae__add_coordinates(dae__expander *x, int instance, const char *name, const dae__statement *s,
                         int width, const dae__symbol *like);
/* Value of an expression of an output, event or drawing, without rates of states (results.c). */
dae__value dae__evaluate_result(const dae__context *c, const dae__expr *e);
/* Functions of drawing.c: the statements draw and camera. */
void dae__expand_shape(const dae__context *c, const dae__statement *s);
void dae__expand_camera(const dae__context *c, const dae__statement *s);
/* Functions of equations.c. */
void dae__add_equation(const dae__context *c, const dae__statement *s);
void dae__find_explicit_rates(dae__expander *x);
/* Set of the kinds of all leaves in the expression of a node. */
unsigned dae__kinds_below(dae__expander *x, dae__node node);
/* Function to be called for every statement of every instance, with loops unrolled. */
typedef void dae__handle_fn(const dae__context *c, const dae__statement *s);
/* names_only: without evaluating the lets of loops. */
void dae__walk_instances(dae__expander *x, dae__handle_fn *handle, bool names_only);
/* Creates the instances of all parts (part.c). */
void dae__create_parts(dae__expander *x);
/* Symbol of the template that a part statement of a scope names, and the scope that declares it;
 * -1, with the error recorded: none. */
int dae__part_template(dae__expander *x, int scope, const dae__statement *s, int *owner);
/* Name of an instance of a part within its system, "FL" of "A.FL". */
const char *dae__part_name(dae__expander *x, int instance);
/* Instance of the system to which the statements of a context belong. */
dae__instance *dae__home_of(const dae__context *c);
/* Expands a contact into a row -E = 0 of the constraints that its state switches (contacts.c). */
void dae__add_contact(const dae__context *c, const dae__statement *s);
/* Clause of a statement that a word begins; NULL: none. */
const dae__clause *dae__find_clause(const dae__statement *s, const char *word);

/* Adds the residual of a constraint of the home of c to its system, with its multiplier, whose node
 * is returned. label: its text, "rod" or "J.x"; NULL: none. */
typedef struct dae__residual {
  dae__node node;
  const char *label, *name;
  int place, label_place;
  bool joint, nonholonomic;
  bool derived;  /* from a body or connector, not written by the user */
  bool switched; /* held values may switch it off */
  const char *group;
} dae__residual;
dae__node dae__add_constraint(const dae__context *c, const dae__residual *r);
/* Adds a node to the force on a coordinate of the home of c. */
void dae__add_force(const dae__context *c, int leaf, dae__node node, int place);
/* Adds an energy to the home of c; may be checked before by dae__check_energy. */
void dae__add_energy(const dae__context *c, bool kinetic, dae__node node, int place);
void dae__check_energy(const dae__context *c, bool kinetic, dae__node node, int place);
/* Checks the quantities in a force. */
void dae__check_force(const dae__context *c, dae__node node, int place);

#endif
