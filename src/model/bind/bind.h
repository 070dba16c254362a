/* Binding of expressions to problem forms: for each system its leaves, its equations as rows of a
 * problem form, their derivatives, and tapes that evaluate them. */
#ifndef DAEDAL_MODEL_BIND_BIND_H
#define DAEDAL_MODEL_BIND_BIND_H

#include "core/arena.h"
#include "model/expand/expand.h"
#include "model/native/native.h"
#include "model/tape/tape.h"
#include <daedal/pattern.h>

/* Classes of inputs of the tapes of a system; as a kind of leaf, class k is the bit 1 << k. */
enum {
  DAE__CLASS_T,
  DAE__CLASS_Q,  /* coordinates of a system or joint, or the state vector of the model */
  DAE__CLASS_V,  /* velocities, the rates of coordinates */
  DAE__CLASS_U,  /* states: u, or x of a semi-explicit system */
  DAE__CLASS_W,  /* algebraic variables: w, or y of a semi-explicit system */
  DAE__CLASS_IN, /* inputs: variables of other systems */
  DAE__CLASS_S,  /* vector s in products of a matrix and a vector */
  DAE__CLASS_D,  /* held values: discrete variables and modes of guards */
  DAE__CLASSES
};
#define DAE__BIT(class) (1u << DAE__CLASS_##class)

/* ---- matrices of expressions ---- */

typedef struct dae__triplet {
  int row, col;
  dae__node node;
} dae__triplet;

typedef struct dae__triplets {
  int rows, cols;
  bool sparse; /* tapes write the entries in the order of the sparsity pattern, else dense */
  /* entries in rising order of their rows, before dae__triplets_sort */
  DAE__LIST(dae__triplet) entries;
} dae__triplets;

typedef DAE__LIST(dae__tape_output) dae__outputs;

/* Sorts the entries of a matrix by column, and by row within a column. */
void dae__triplets_sort(dae__pool *pool, dae__triplets *m);
/* Sparsity pattern of a sorted matrix, in memory of the arena; NULL for a dense one. */
const dae_pattern *dae__triplets_pattern(dae__arena *arena, const dae__triplets *m);
/* Appends the entries of a sorted matrix to the outputs of a tape: in the order of the sparsity
 * pattern, or dense by columns. Returns the number of entries to be zeroed before. */
int dae__triplets_outputs(dae__pool *pool, const dae__triplets *m, int group, dae__outputs *out);
bool dae__triplets_constant(const dae__graph *graph, const dae__triplets *m);

/* ---- systems and leaves ---- */

typedef DAE__LIST(int) dae__ints;
typedef DAE__LIST(dae__node) dae__nodes;

/* A bound system: an instance as lists of leaves and rows, in the order of the problem form. */
typedef struct dae__system {
  int instance;
  bool mechanical, sparse;
  dae__ints q, u, w, in;
  int first;             /* first entry of the system in the state vector of the model */
  int hidden;            /* number of unnamed rates of states at the end of w */
  dae__nodes s, c;       /* right sides of u' = s, 0 = c, or of M x' = s, 0 = c */
  dae__triplets mass;    /* M of a quasi-linear system; without rows for other systems */
  dae__triplets inertia; /* M of a mechanical system, set by dae__bind_mechanical */
  const char **s_names, **c_names;
} dae__system;

/* The tapes of a model. Lazy tapes are compiled at their first run, or all together. */
typedef struct dae__tape_set {
  DAE__LIST(dae__tape_note) notes;
  /* graph that lazy tapes are compiled from; NULL: all tapes are compiled */
  dae__graph *graph;
  dae__tape_workspace workspace; /* workspace of the tape compiler */
  /* number of instructions of all tapes, set by dae__tapes_compile */
  long instructions;
  dae_error why; /* lack of memory at the first run of a lazy tape */
} dae__tape_set;

typedef struct dae__binder {
  dae__expander *x;
  dae__arena *arena;                 /* arena of the model */
  dae__tape_set *tapes;              /* tapes of the model */
  unsigned char *kind;               /* by leaf: DAE__BIT of its class in the current system */
  int *index;                        /* by leaf: index in its class */
  dae__tape_input *input;            /* by leaf: class and index as input of a tape */
  dae__node *by;                     /* by leaf: node substituted for it; -1 between uses */
  int leaves;                        /* length of the arrays by leaf */
  dae__ints held;                    /* leaves of class D, the held values */
  double *held_value;                /* their current values, read by the tapes of the motion */
  const char *system;                /* name of the current system, or of the model */
  bool lazy;                         /* tapes are compiled at their first run */
  const dae__tape_input *lazy_input; /* copy of `input` for lazy tapes; NULL: out of date */
  dae__ints s;                       /* leaves of class S, the vector s */
  bool coordinates;                  /* the model has a coordinate */
  bool sparse;                       /* matrices have patterns: the systems of a model alike */
  long entries;                      /* number of entries of all matrices built so far */
} dae__binder;

/* Extends the arrays by leaf of a binder to all leaves, and class S to at least `count` leaves. */
bool dae__binder_leaves(dae__binder *b, int count);
/* Makes all leaves of held values the class D. */
void dae__bind_held(dae__binder *b);
/* Makes a leaf the entry `index` of a class of inputs in the current system; class -1: no class. */
void dae__binder_place(dae__binder *b, int leaf, int class, int index);

/* Gradient of a node with respect to the leaves of the classes in mask, and total time derivative
 * d/dt + v d/dq of a node. */
dae__gradient dae__bind_gradient(dae__binder *b, dae__node node, unsigned mask);
dae__node dae__bind_rate(dae__binder *b, dae__node node);
/* Jacobian with respect to the leaves of a system in the classes of mask, among Q, V, U, W and IN:
 * its columns are those of the classes, in this order. */
dae__triplets dae__bind_jacobian(dae__binder *b, const dae__system *u, const dae__nodes *rows,
                                 unsigned mask);
/* Product A' s with the vector s of class S; by_rows: A s. */
dae__nodes dae__bind_contract(dae__binder *b, const dae__triplets *A, bool by_rows);

/* Tape of outputs in a number of groups. what: name of the tape in native code; zeroed: see
 * dae__tape_plan, may be NULL. Returns NULL after a failure. The tapes of a small model of one
 * system are compiled at their first run, since a run needs few of them. A large model would have
 * to keep its graph for that; and several systems may run in threads of their own, which must not
 * allocate from the memory of the model. */
dae__tape *dae__bind_tape(dae__binder *b, const char *what, const dae__outputs *outputs, int groups,
                          const int *zeroed);
void dae__bind_vector(dae__binder *b, const dae__nodes *nodes, int group, dae__outputs *out);
/* Tape of one vector, and of one matrix. */
dae__tape *dae__bind_vector_tape(dae__binder *b, const char *what, const dae__nodes *nodes);
dae__tape *dae__bind_matrix_tape(dae__binder *b, const char *what, const dae__triplets *m);
/* False after any error; records exhausted memory or an exceeded limit as an error. */
bool dae__bind_ok(dae__binder *b);
/* Describes the limit that a model exceeds; NULL within all limits. limit: set to its value; may be
 * NULL. */
const char *dae__bind_exceeded(const dae__binder *b, long *limit);

/* Lists the leaves and rows of an instance and checks the number of equations (system.c). */
dae_status dae__system_create(dae__binder *b, int instance, dae__system *u);
/* Assigns the classes of inputs to the leaves of a system; there = false: removes the classes. */
void dae__system_place(dae__binder *b, const dae__system *u, bool there);

/* Reports an error for coordinates whose motion neither M nor the constraints determine. */
void dae__check_determined(dae__binder *b, const dae__system *u, const dae__triplets *M,
                           const dae__triplets *G, const dae__triplets *K);

/* Names of variables without the name of their system, in the arena; from index `rates` on the
 * names of their rates. */
const char *const *dae__bind_names(dae__binder *b, const dae__ints *leaves, int rates);

/* Descriptions of the problem forms, in the arena (bind_mechanical.c, bind_semi.c). */
const dae_mechanical *dae__bind_mechanical(dae__binder *b, dae__system *u, const char *name);
const dae_semi_explicit *dae__bind_semi(dae__binder *b, dae__system *u, const char *name);
/* Describes a joint whose ports are pairs of system and coordinate (bind_joint.c). */
bool dae__bind_joint(dae__binder *b, const dae__constraint *g, const int *system_of_instance,
                     const dae__system *layout, dae_joint *out);

#endif
