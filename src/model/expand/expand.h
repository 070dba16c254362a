/* Expansion of the syntax tree into expressions: names are resolved, arrays and loops unrolled,
 * lets inserted.
 *
 * A scope is the model itself, a system statement, or a part with its arguments; it has one
 * instance, or one for each value of the system's index, or for each use of the part. A symbol is a
 * declared name of a scope; in each instance it has its own elements (one, or those of an array),
 * numbers or vectors. Elements are evaluated at their first use, so that declarations may come in
 * any order; an element that needs itself is a cyclic definition. What an instance of a part states
 * belongs to its home, the system it stands in. */
#ifndef DAEDAL_MODEL_EXPAND_EXPAND_H
#define DAEDAL_MODEL_EXPAND_EXPAND_H

#include "model/graph/graph.h"
#include "model/graph/walk.h"
#include "model/text/tree.h"
#include <daedal/event.h>

/* ---- leaves of the expression graph ---- */

/* Kinds of leaves of the expression graph, as bits of a set. */
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
  int symbol; /* symbol of a variable; -1: time, a multiplier or the mode of a guard */
  /* element of a variable's symbol, number of a multiplier's constraint, or number of a guard */
  int element;
} dae__leaf_info;

/* ---- values ---- */

/* Value of an expression: a number, a truth value, or a vector of two or three components. */
typedef struct dae__value {
  union {
    dae__node node;  /* a number or truth value */
    dae__node at[3]; /* components of a vector */
  };
  int size; /* 1: a number; 2, 3: a vector */
  bool truth;
} dae__value;

/* ---- names ---- */

/* The elements of a symbol in one instance of its scope: one, or those of an array. Element i has
 * the components i * width to (i + 1) * width - 1. */
typedef struct dae__elements {
  enum { DAE__ELEMENTS_UNRESOLVED, DAE__ELEMENTS_RESOLVING, DAE__ELEMENTS_RESOLVED } stage;
  int from[DAE__RANK], to[DAE__RANK];
  int count;
  /* components of an element: 1; 2, 3 of a vector; 3, 7 coordinates of a body; 0: unknown, -1:
   * being found */
  int width;
  /* first leaf of a variable; leaves of the values, then of the rates of coords and states */
  int leaf;
  /* by component of a param, let or output: its node; -1: not evaluated, -2: being evaluated */
  dae__node *node;
  struct dae__body *body; /* by element of a body */
  int instance;           /* first instance of a part */
} dae__elements;

typedef struct dae__symbol {
  dae__statement_kind kind; /* kind of the statement that declares the symbol */
  const dae__declaration *d;
  const dae__statement *statement; /* statement of a body or part; NULL for others */
  int scope;
  int next;           /* next symbol of the scope, -1: none */
  int body;           /* scope inside a symbol that is a system or a template of parts */
  dae__elements **in; /* by instance of the scope: elements of the symbol, NULL: not resolved */
  int room;           /* length of `in` */
  bool busy;          /* a function that is being evaluated */
  bool generated;     /* no statement declares it; it has one instance */
  /* stands for expressions of variables, which take its place when the motion is complete */
  bool derived;
  /* connector whose coordinate or length the symbol is, body whose axes or turning; NULL: none */
  struct dae__connector *connector;
  struct dae__body *body_of;
} dae__symbol;

typedef struct dae__scope {
  const char *name; /* name of the system; "" for the model */
  const dae__statement *body;
  const dae__declaration *d; /* declaration of the system or part; NULL for the model */
  bool part;                 /* a template of parts */
  int outer;                 /* scope in which the names of a part are looked up next */
  int symbol;                /* symbol of the system; -1 for the model */
  int first, last;           /* first and last symbol of the scope; -1: none */
  int instance, instances;   /* first instance and number of instances */
  int index;                 /* value of the system's index in the first instance */
} dae__scope;

/* Hash table with a scope or instance (owner) and an interned name as key, a number as value. */
typedef struct dae__table {
  struct dae__table_slot {
    const char *name; /* interned name; NULL: an empty slot */
    int owner, number;
  } * slot;
  int slots, count;
} dae__table;

/* Kinds of labelled statements. */
typedef enum dae__label_kind {
  DAE__LABEL_HOLONOMIC, /* labels of holonomic constraints and of joints */
  DAE__LABEL_NONHOLONOMIC,
  DAE__LABEL_EVENT
} dae__label_kind;

/* Label of a constraint, joint or event of an instance: its name with indices. */
typedef struct dae__label {
  const char *text; /* interned text of the label, such as "rod[3]" */
  int instance, place;
  dae__label_kind kind;
  int leaf; /* leaf of the constraint's multiplier */
  int grip; /* 1 + leaf of the friction of a contact that sticks; 0: none */
} dae__label;

/* Part of the direction of a constraint force: factor times the gradient of a node by coordinates,
 * or on the coordinate of a leaf. */
typedef struct dae__direction {
  dae__node factor, of;
  int leaf;      /* -1: by `of` */
  bool by_rates; /* `of` is linear in rates, whose gradient it is */
} dae__direction;

typedef struct dae__constraint {
  dae__node node; /* residual A - B of a constraint A = B */
  /* directions of its force, besides the gradient of its residual, or with `acts` without it */
  DAE__LIST(dae__direction) directions;
  bool acts;
  const char *label; /* text of the label; NULL: without a label */
  int place;
  int leaf;      /* leaf of the multiplier */
  bool derived;  /* from a body or connector, not written by the user */
  bool switched; /* held values may switch it off: the residual is zero then */
  /* name of the connector, "" for a body: what messages name; NULL: the constraint itself */
  const char *group;
  const char *name; /* name of the constraint in messages */
} dae__constraint;

typedef struct dae__equation {
  dae__node a, b;
  int place;
  int rate_leaf; /* leaf of u' if the equation gives u' = rhs; -1: an implicit equation */
  /* equation E = u' or c*u' = E, which gives the rate only if no equation u' = E does */
  bool second;
  dae__node rhs;
  const char *name; /* name of the equation in messages */
} dae__equation;

typedef struct dae__force {
  int leaf, place;
  dae__node node;
} dae__force;

typedef DAE__LIST(dae__constraint) dae__constraints;

/* A declared variable in an instance. */
struct dae__variable {
  int symbol, instance;
};

/* One instance of a scope, with its energies, forces, constraints and equations. */
typedef struct dae__instance {
  const char *name; /* name of the instance: "A", "S[2]", "A.FL"; "" for the model */
  int scope, number;
  int home;   /* instance of a system, or of the model, to which the instance belongs: itself, or
                 that of a part */
  int outer;  /* instance in which names are looked up next; -1: none */
  int parent; /* instance that holds the part; -1: not a part */
  struct dae__local *frame;                  /* arguments of a part, as local names */
  DAE__LIST(struct dae__variable) variables; /* variables of the system, with those of its parts */
  const dae__statement *gravity;             /* the statement of the scope; NULL: none */
  int unknowns;                              /* number of states and algebraic variables */
  int energy_place; /* place in the text of the first energy or constraint; 0: none */
  double atol;      /* absolute tolerance of the system's variables by its settings; 0: none */
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

typedef DAE__LIST(dae__node *) dae__node_places;

typedef struct dae__action {
  int leaf;
  dae__node node; /* value that the event sets; -1: the mode of a guard, by its relation */
} dae__action;

/* A guard: a relation of the motion, or of a condition, whose value is held as a mode (guards.c).
 */
typedef struct dae__guard {
  const char *name; /* text of the relation */
  int place;        /* place of the relation in the text; -1: unknown */
  dae__op op;       /* LESS, or FLOOR and INTERVAL with more than two modes */
  int curve;        /* curve of an INTERVAL */
  dae__node value;  /* b - a of a < b, or w of floor(w) */
  dae__node mode;   /* mode by the relation, as a function of the variables */
  int leaf;         /* leaf of the mode */
  bool motion;      /* the motion depends on the mode */
  bool bends;       /* branches agree at the border */
  bool contact;     /* the mode is the state of a contact, which no relation gives */
} dae__guard;

/* A contact that holds: its gap, and the leaves of its state and of its pressing force. With
 * friction its sliding coordinate and speed, and the leaves of the direction of sliding and of the
 * friction while it sticks. */
typedef struct dae__expanded_contact {
  dae__node gap;
  int state, force;
  const char *label;
  bool rubs;
  dae__node slide, speed;
  int slip, grip;
} dae__expanded_contact;

/* Laws of an impact, whose gap is the function of its event. */
typedef struct dae__expanded_impact {
  dae__node gap;
  int slides; /* number of sliding coordinates */
  dae__node slide[3], restitution, friction, rest_friction;
} dae__expanded_impact;

typedef struct dae__expanded_event {
  const char *name;
  dae_event_kind kind;
  int place, direction;
  bool stop;
  bool passive;          /* the motion depends on none of the values that the event sets */
  bool bends;            /* branches of a guard agree at the border */
  dae__node node;        /* function whose zeros are the instants; 0 for every and at */
  double origin, period; /* instants origin + k period, k >= least; period 0: none */
  int least;
  DAE__LIST(double) instants; /* ascending instants of `at` */
  DAE__LIST(dae__action) actions;
  const dae__expanded_impact *impact;   /* NULL: none */
  const dae__expanded_contact *contact; /* of a contact that holds; NULL: none */
  bool rubs; /* watches the friction of the contact of the event before it */
} dae__expanded_event;

/* Shapes of a drawing, and nodes of their values. */
typedef struct dae__picture {
  DAE__LIST(dae_shape) shapes; /* shapes in memory that lives as long as the model */
  DAE__LIST(dae__node) values;
  bool space;        /* points have three coordinates */
  bool bodies;       /* draw bodies: with the automatic picture of bodies */
  int camera_place;  /* place of the statement of the camera; 0: none */
  dae_camera camera; /* first view */
} dae__picture;

/* Overriding value of a param: for all instances and elements, or for one system and the given
 * indices. */
typedef struct dae__override {
  int symbol, place;
  bool one_system;
  int system;
  const char *part; /* name of the instances of a part, with or without indices; NULL: no part */
  int component;    /* component of a vector; -1: all */
  int rank, index[DAE__RANK];
  const dae__expr *value;
  bool used;
} dae__override;

/* An element of an input. */
typedef struct dae__input {
  const char *name;
  int symbol, instance, element;
  int curve; /* curve of its data; -1: its expression */
  dae__interpolation how;
  const char *source; /* name of the file; NULL: samples of the caller, a function, none */
  int count;          /* number of samples; 0: none, or a function */
  double from, to;    /* time of the first and the last one */
  bool reading;       /* a file that is being read has a column for it */
} dae__input;

typedef struct dae__expander {
  dae__load *l;
  dae__graph *graph;
  dae__walker *walker;
  dae__names *names;
  const char *index_name[DAE__RANK]; /* default names of the indices of arrays, "i", "j", "k" */
  DAE__LIST(dae__scope) scopes;
  DAE__LIST(dae__symbol) symbols;
  dae__table symbol_table;            /* symbols by scope and name */
  DAE__LIST(dae__instance) instances; /* the model, systems, then parts */
  int systems;                        /* number of instances that are not parts */
  DAE__LIST(dae__leaf_info) leaves;
  DAE__LIST(unsigned char) leaf_kind;
  /* by node: set of the kinds of leaves in its expression, computed on demand */
  DAE__LIST(unsigned char) node_kinds;
  DAE__LIST(dae__node) leaf_rate; /* by leaf: node of its rate; 0: none */
  DAE__LIST(dae__override) overrides;
  DAE__LIST(dae__label) labels;
  dae__table label_table; /* labels by instance and text */
  int depth;              /* depth of nested evaluations */
  /* joints and results of the whole model */
  dae__constraints joints;
  DAE__LIST(dae__result) outputs;
  DAE__LIST(dae__expanded_event) events; /* events of guards, then those of the text */
  int guard_events;                      /* number of events of guards */
  DAE__LIST(dae__guard) guards;
  DAE__LIST(dae__expanded_contact) contacts; /* in the order of expansion */
  int contacts_named;                        /* number of those whose events are expanded */
  dae__table guard_table;                    /* guards by their relation */
  dae__table relation_table;                 /* places in the text, by relation */
  int unwatched;                             /* number of relations of the motion within noevent */
  DAE__LIST(bool) moves;        /* by leaf: the motion depends on it; set by dae__guard_motion */
  DAE__LIST(dae__input) inputs; /* by element, those of a symbol in a row */
  dae__table input_table;       /* first input of a symbol, by instance and name */
  dae__picture picture;         /* shapes of the draw statements */
  DAE__LIST(dae__node) time_functions; /* maximal functions of time and discretes in the motion */
  bool time_functions_held;            /* some of them hold discretes */
  const dae__statement *simulate;
  double from, to;          /* start and end of the run by its settings; to = NaN: not given */
  struct dae__start *start; /* values at the start, as far as they were needed (start.c) */
  struct dae__space *space; /* bodies and connectors (space/space.h) */
  DAE__LIST(dae__node) no_state_rates; /* by leaf: 0 for the rate of a state, -1 for others */
  DAE__LIST(dae__node) explicit_rate;  /* by leaf u': node E of the equation u' = E; -1: none */
} dae__expander;

/* ---- scopes and symbols: scope.c, settings.c ---- */

/* Number stored under an owner and a name; -1: not in the table. */
int dae__table_find(const dae__table *table, int owner, const char *name);
void dae__table_add(dae__load *l, dae__table *table, int owner, const char *name, int number);

/* Registers the declared names of all scopes. */
dae_status dae__declare_symbols(dae__expander *x, const dae__statement *first);
/* Reads the overriding values of params from files and from texts such as "A.k[2]=3*pi". */
dae_status dae__read_overrides(dae__expander *x);
/* Finds the instances of systems and elements of arrays, and creates the leaves of variables. */
dae_status dae__resolve_ranges(dae__expander *x);
/* Overriding value of an element of a param, or of a component of it, after another one, NULL: the
 * first; NULL: none. */
const dae__override *dae__override_next(dae__expander *x, const dae__override *after, int symbol,
                                        int instance, const int *index);

/* Elements of a symbol in an instance, resolved at their first use; NULL after an error. */
dae__elements *dae__elements_resolve(dae__expander *x, int symbol, int instance, int place);
static inline dae__elements *dae__elements_of(dae__expander *x, int symbol, int instance, int place)
{
  const dae__symbol *s = &x->symbols.item[symbol];
  int number = s->generated ? 0 : x->instances.item[instance].number;
  dae__elements *e = number < s->room ? s->in[number] : NULL;
  bool done = e && e->stage == DAE__ELEMENTS_RESOLVED && !x->l->status;
  return done ? e : dae__elements_resolve(x, symbol, instance, place);
}
/* Elements of a symbol in an instance, of which only the width may be known. */
dae__elements *dae__elements_slot(dae__expander *x, int symbol, int instance);
/* System to which a leaf belongs, as an instance. */
static inline int dae__leaf_home(const dae__expander *x, int leaf)
{
  return x->instances.item[x->leaves.item[leaf].instance].home;
}
/* Leaf of the rate of a coordinate or state. */
static inline int dae__rate_leaf(const dae__expander *x, int leaf)
{
  return dae__node_at(x->graph, x->leaf_rate.item[leaf]).leaf;
}
/* Place in the text of the declaration of a variable, given by its leaf. */
static inline int dae__declared_at(const dae__expander *x, int leaf)
{
  return x->symbols.item[x->leaves.item[leaf].symbol].d->place;
}
/* Name with its system before a dot, such as "A.x"; system "": the name alone. */
const char *dae__name_in_system(dae__expander *x, const char *system, const char *name);
/* Full name of an element, such as "A.x[3]". */
const char *dae__element_name(dae__expander *x, int symbol, int instance, int element);
/* Name of an element without its system, such as "x[3]". */
const char *dae__local_name(dae__expander *x, int symbol, int instance, int element);
/* Full name of a leaf, such as x, x', A.z. */
const char *dae__leaf_name(dae__expander *x, int leaf);
int dae__add_leaf(dae__expander *x, unsigned kind, dae__leaf_info info);

/* ---- expressions: value.c ---- */

/* A local name and its value: an index, an argument of a function or part, or a let of a loop. */
typedef struct dae__local {
  const char *name;
  dae__value value; /* size 0: not evaluated, -1: being evaluated */
  bool index;
  struct dae__local *outer;
  /* expression of a let of a loop, or of an argument of a part; NULL: the value is known. With the
   * instance and the local names it is evaluated in */
  const dae__expr *expr;
  int instance;
  struct dae__local *frame;
} dae__local;

/* Context of the evaluation of an expression: instance, local names, permitted quantities. */
typedef struct dae__context {
  dae__expander *x;
  int instance;
  dae__local *frame;
  bool constant;    /* only params and indices are permitted */
  bool list;        /* a list may be the value, of which one element is wanted */
  bool results;     /* multipliers, energies and outputs are permitted */
  bool reactions;   /* multipliers are permitted */
  const char *what; /* name of the expression in messages, such as "an array bound" */
  bool in_loop;
  bool names_only; /* lets of loops are not evaluated before they are used */
  int lets;        /* number of lets of the enclosing loops */
} dae__context;

/* Value of an expression, a number or a vector. */
dae__value dae__evaluate_value(const dae__context *c, const dae__expr *e);
/* Node of a numerical expression; node 0, with the error recorded, after an error. */
dae__node dae__evaluate(const dae__context *c, const dae__expr *e);
/* Node of a condition. */
dae__node dae__evaluate_condition(const dae__context *c, const dae__expr *e);
/* Value of a constant expression, as a real and as a whole number. */
double dae__evaluate_constant(const dae__context *c, const dae__expr *e);
int dae__evaluate_whole(const dae__context *c, const dae__expr *e);
/* Evaluates both ends of a range. */
bool dae__evaluate_range(const dae__context *c, const dae__range *range, int *from, int *to);
/* Value of an element of a param, let or output. */
dae__value dae__element_value(dae__expander *x, int symbol, int instance, int element, int place);
/* Total time derivative of a node; what: name of the node in messages. */
dae__node dae__total_rate(dae__expander *x, dae__node node, int place, const char *what);

/* ---- tables and inputs: tables.c, inputs.c ---- */

/* Adds a curve to the graph; -1 after an error. */
int dae__add_curve(dae__expander *x, const dae__curve *curve);
/* Node of a curve at an argument. */
dae__node dae__curve_at(dae__expander *x, int number, dae__node argument, int place);
/* Curve with jumps below a node; NULL: none. */
const dae__curve *dae__held_curve_below(dae__expander *x, dae__node node);
/* Curve of a table in an instance, made at the first use; -1 after an error. */
int dae__table_curve(dae__expander *x, int symbol, int instance, int place);
/* Lists all inputs and reads the data that are given for them. */
dae_status dae__read_inputs(dae__expander *x);
/* An element of a symbol in an instance. */
typedef struct dae__element {
  int symbol, instance, element;
} dae__element;
/* Node of an input, or (rate) the check that it has one. */
dae__node dae__input_node(const dae__context *c, const dae__expr *e, dae__element at, bool rate);

/* ---- guards, functions of time: guards.c, print.c, time_functions.c ---- */

/* Lists the places of all expressions of the motion. */
void dae__list_motion(dae__expander *x, dae__node_places *out);
/* Lists the functions of time in the motion, before its relations are replaced by modes. */
void dae__list_time_functions(dae__expander *x);
/* Replaces the relations of the motion by modes of guards. */
void dae__guard_motion(dae__expander *x);
/* Node of a condition over held values: its relations replaced by modes of guards. */
dae__node dae__guard_condition(dae__expander *x, dae__node condition, int place);
/* Puts the events of all guards before those of the text, and finds out which are passive. */
void dae__guard_events(dae__expander *x);
/* Records the place in the text of a relation. */
void dae__relation_at(dae__expander *x, dae__node node, int place);
/* Records the places of relations again, after the poses of carried bodies were replaced. */
void dae__relations_reduced(dae__expander *x);
/* Text of a node as in the model language, with params and lets inserted; a text longer than size
 * ends with dots. */
void dae__print_node(dae__expander *x, dae__node node, char *text, int size);

/* ---- statements: statements.c, results.c, start.c ---- */

/* Expands energies, forces, constraints, equations and joints. */
dae_status dae__expand_motion(dae__expander *x);
/* Expands outputs, events and drawings. */
dae_status dae__expand_results(dae__expander *x);
/* By leaf: start values of variables and of rates of coordinates, in scratch memory; NULL after an
 * error. */
const double *dae__start_values(dae__expander *x);
/* Value of a node at the start of the run, by the start values of the variables in it. place: that
 * of the expression, for errors. */
double dae__start_value(dae__expander *x, dae__node node, int place);
/* Forgets all start values, which are found again at their next use. */
void dae__start_forget(dae__expander *x);

#endif
