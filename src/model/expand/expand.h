/* From the syntax tree to expressions: names are resolved, arrays and loops unrolled, lets
 * inserted.
 *
 * A scope is the model itself or a system statement; it has one instance, or one for each value of
 * the system's index. A symbol is a declared name of a scope; in each instance it has its own
 * elements (one, or those of an array). Elements are evaluated at their first use, so that
 * declarations may come in any order; an element that needs itself is a cyclic definition. */
#ifndef DAEDAL_MODEL_EXPAND_EXPAND_H
#define DAEDAL_MODEL_EXPAND_EXPAND_H

#include "model/graph/graph.h"
#include "model/graph/walk.h"
#include "model/text/tree.h"

/* ---- leaves of the expression graph ---- */

/* Kinds of leaves, as bits. */
enum {
  DAE__LEAF_TIME = 1,
  DAE__LEAF_COORD = 2,
  DAE__LEAF_COORD_RATE = 4,
  DAE__LEAF_STATE = 8,
  DAE__LEAF_ALG = 16,
  DAE__LEAF_DISCRETE = 32,
  DAE__LEAF_STATE_RATE = 64,
  DAE__LEAF_MULTIPLIER = 128,
  DAE__LEAF_VALUES = DAE__LEAF_COORD | DAE__LEAF_STATE | DAE__LEAF_ALG | DAE__LEAF_DISCRETE
};

typedef struct dae__leaf_info {
  int instance;
  int symbol;  /* -1: time, or a multiplier */
  int element; /* of the symbol; of a multiplier the number of the constraint */
} dae__leaf_info;

/* ---- names ---- */

/* The elements of a symbol in one instance of its scope: one, or those of an array. */
typedef struct dae__elements {
  enum { DAE__ELEMENTS_UNRESOLVED, DAE__ELEMENTS_RESOLVING, DAE__ELEMENTS_RESOLVED } stage;
  int from[DAE__RANK], to[DAE__RANK];
  int count;
  int leaf;        /* of variables: the first leaf; rates of coords and states follow the values */
  dae__node *node; /* of params, lets, outputs; -1: not evaluated, -2: being evaluated */
} dae__elements;

typedef struct dae__symbol {
  dae__statement_kind kind; /* of its declaration */
  const dae__declaration *d;
  int scope;
  int next;          /* next symbol of the scope, -1: none */
  int body;          /* of a system: its own scope */
  dae__elements *in; /* by instance of the scope */
  bool busy;         /* function: being evaluated */
} dae__symbol;

typedef struct dae__scope {
  const char *name; /* "" for the model */
  const dae__statement *body;
  const dae__declaration *d; /* of the system, NULL for the model */
  int symbol;                /* of the system, -1 for the model */
  int first, last;           /* list of its symbols, -1: none */
  int instance, instances;   /* first instance and number of instances */
  int index;                 /* index of the first instance */
} dae__scope;

/* Hash table of numbers by owner (a scope or an instance) and interned name. */
typedef struct dae__table {
  struct dae__table_slot {
    const char *name; /* NULL: empty */
    int owner, number;
  } * slot;
  int slots, count;
} dae__table;

/* The kind of statement with a label. */
typedef enum dae__label_kind {
  DAE__LABEL_HOLONOMIC, /* constraints and joints */
  DAE__LABEL_NONHOLONOMIC,
  DAE__LABEL_EVENT
} dae__label_kind;

/* A label of a constraint, joint or event in an instance: its name with indices. */
typedef struct dae__label {
  const char *text; /* "rod[3]", interned */
  int instance, place;
  dae__label_kind kind;
  int leaf; /* of the multiplier */
} dae__label;

typedef struct dae__constraint {
  dae__node node;    /* A - B */
  const char *label; /* NULL: none */
  int place;
  int leaf;         /* of the multiplier */
  const char *name; /* in messages */
} dae__constraint;

typedef struct dae__equation {
  dae__node a, b;
  int place;
  int rate_leaf; /* leaf of the rate of a state, for u' = E with E = rhs; else -1 */
  bool second;   /* written E = u' or c*u' = E: gives the rate if no equation u' = E does */
  dae__node rhs;
  const char *name; /* in messages */
} dae__equation;

typedef struct dae__force {
  int leaf;
  dae__node node;
} dae__force;

typedef DAE__LIST(dae__constraint) dae__constraints;

/* One instance of a scope, with its energies, forces, constraints and equations. */
typedef struct dae__instance {
  const char *name; /* "A", "S[2]", "" */
  int scope, number;
  int unknowns;     /* number of states and algebraic variables */
  int energy_place; /* place of the first energy or constraint; 0: none */
  dae__node kinetic, potential;
  DAE__LIST(dae__force) forces;
  dae__constraints holonomic, nonholonomic;
  DAE__LIST(dae__equation) equations;
} dae__instance;

typedef struct dae__result {
  const char *name;
  dae__node node;
  int place;
} dae__result;

typedef struct dae__action {
  int leaf;
  dae__node node;
} dae__action;

typedef struct dae__expanded_event {
  const char *name;
  int place, direction;
  bool stop;
  dae__node node;
  DAE__LIST(dae__action) actions;
} dae__expanded_event;

/* Shapes of a drawing, and the nodes of their values. */
typedef struct dae__picture {
  DAE__LIST(dae_shape) shapes; /* lives as long as the model */
  DAE__LIST(dae__node) values;
} dae__picture;

/* An overriding value of a param, for all instances and elements, or those with these indices. */
typedef struct dae__override {
  int symbol, place;
  bool one_system;
  int system;
  int rank, index[DAE__RANK];
  const dae__expr *value;
  bool used;
} dae__override;

typedef struct dae__expander {
  dae__load *l;
  dae__graph *graph;
  dae__walker *walker;
  dae__names *names;
  const char *index_name[DAE__RANK]; /* i, j */
  DAE__LIST(dae__scope) scopes;
  DAE__LIST(dae__symbol) symbols;
  dae__table symbol_table; /* by scope and name */
  DAE__LIST(dae__instance) instances;
  DAE__LIST(dae__leaf_info) leaves;
  DAE__LIST(unsigned char) leaf_kind;
  DAE__LIST(unsigned char) node_kinds; /* by node, computed on demand: kinds of leaves below it */
  DAE__LIST(dae__node) leaf_rate;      /* by leaf: node of its rate; 0: none */
  DAE__LIST(dae__override) overrides;
  DAE__LIST(dae__label) labels;
  dae__table label_table; /* by instance and text */
  int depth;              /* of nested evaluations */
  /* of the whole model */
  dae__constraints joints;
  DAE__LIST(dae__result) outputs;
  DAE__LIST(dae__expanded_event) events;
  dae__picture picture; /* of the draw statements */
  const dae__statement *simulate;
  dae__node *no_state_rates; /* by leaf: 0 for the rate of a state, else -1 */
  dae__node *explicit_rate;  /* by leaf of u': E of the equation u' = E, else -1 */
} dae__expander;

/* ---- scopes and symbols: scope.c, settings.c ---- */

int dae__table_find(const dae__table *table, int owner, const char *name); /* -1: none */
void dae__table_add(dae__load *l, dae__table *table, int owner, const char *name, int number);

/* Registers all names. */
dae_status dae__declare_symbols(dae__expander *x, const dae__statement *first);
/* Reads overrides of params, "A.k[2]=3*pi". */
dae_status dae__read_overrides(dae__expander *x);
/* Finds the instances of systems and the elements of arrays; variables get their leaves. */
dae_status dae__resolve_ranges(dae__expander *x);
/* The overriding value of a param, or NULL. */
const dae__expr *dae__override_of(dae__expander *x, int symbol, int instance, const int *index);

/* The elements of a symbol in an instance, resolved at their first use; NULL after an error. */
dae__elements *dae__elements_resolve(dae__expander *x, int symbol, int instance, int place);
static inline dae__elements *dae__elements_of(dae__expander *x, int symbol, int instance, int place)
{
  dae__elements *in = x->symbols.item[symbol].in;
  dae__elements *e = in ? &in[x->instances.item[instance].number] : NULL;
  bool done = e && e->stage == DAE__ELEMENTS_RESOLVED && !x->l->status;
  return done ? e : dae__elements_resolve(x, symbol, instance, place);
}
/* The leaf of the rate of a coordinate or state. */
static inline int dae__rate_leaf(const dae__expander *x, int leaf)
{
  return dae__node_at(x->graph, x->leaf_rate.item[leaf]).leaf;
}
/* The place of the declaration of a variable's leaf. */
static inline int dae__declared_at(const dae__expander *x, int leaf)
{
  return x->symbols.item[x->leaves.item[leaf].symbol].d->place;
}
/* Name of an element: "A.x[3]". */
const char *dae__element_name(dae__expander *x, int symbol, int instance, int element);
/* Name of a variable inside its system: x[3], or x[3]' for its rate. */
const char *dae__local_name(dae__expander *x, int leaf, bool rate);
/* Name of a leaf: x, x', A.z. */
const char *dae__leaf_name(dae__expander *x, int leaf);
int dae__add_leaf(dae__expander *x, unsigned kind, dae__leaf_info info);

/* ---- expressions: value.c ---- */

/* A local name with its value: an index, an argument, a let of a loop. */
typedef struct dae__local {
  const char *name;
  dae__node node;
  bool index;
  const struct dae__local *outer;
} dae__local;

/* The surroundings of an expression: instance, local names, permitted quantities. */
typedef struct dae__context {
  dae__expander *x;
  int instance;
  const dae__local *frame;
  bool constant;    /* params and indices only */
  bool results;     /* multipliers, energies and outputs are permitted */
  const char *what; /* in messages: "an array bound" */
  bool in_loop;
  int lets; /* number of lets of the loops around */
} dae__context;

/* The node of a number; 0, with the error recorded, after an error. */
dae__node dae__evaluate(const dae__context *c, const dae__expr *e);
/* The value of a constant, of a whole number. */
double dae__evaluate_constant(const dae__context *c, const dae__expr *e);
int dae__evaluate_whole(const dae__context *c, const dae__expr *e);
/* The ends of a range. */
bool dae__evaluate_range(const dae__context *c, const dae__range *range, int *from, int *to);
/* The node of an element of a param, let or output. */
dae__node dae__element_node(dae__expander *x, int symbol, int instance, int element, int place);
/* A NAME with indices: symbol, instance, element. */
typedef struct dae__element {
  int symbol, instance, element;
} dae__element;
bool dae__lookup_element(const dae__context *c, const dae__expr *e, dae__element *out);
/* Total time derivative of a node; what: its name in messages. */
dae__node dae__total_rate(dae__expander *x, dae__node node, int place, const char *what);

/* ---- statements: statements.c, results.c, start.c ---- */

/* Energies, forces, constraints, equations, joints. */
dae_status dae__expand_motion(dae__expander *x);
/* Outputs, events, drawings. */
dae_status dae__expand_results(dae__expander *x);
/* Start values of all leaves of variables and of rates of coordinates at time t, in scratch memory;
 * NULL after an error. */
const double *dae__start_values(dae__expander *x, double t);

#endif
