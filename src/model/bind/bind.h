/* From expressions to problems: for each system its leaves, its equations as rows of a problem
 * form, their derivatives, and tapes that evaluate them. */
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
  DAE__CLASS_Q,  /* coordinates of a system or joint; the state vector of the model */
  DAE__CLASS_V,  /* rates of coordinates */
  DAE__CLASS_U,  /* states and discretes: u, or x of a semi-explicit system */
  DAE__CLASS_W,  /* algebraic variables: w, or y of a semi-explicit system */
  DAE__CLASS_IN, /* variables of other systems */
  DAE__CLASS_S,  /* vector that a matrix is multiplied by */
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
  DAE__LIST(dae__triplet) entries; /* by rising row */
} dae__triplets;

typedef DAE__LIST(dae__tape_output) dae__outputs;

/* Sorts the entries by columns. */
void dae__triplets_sort(dae__pool *pool, dae__triplets *m);
/* The pattern of sorted entries, in the arena's memory. */
const dae_pattern *dae__triplets_pattern(dae__arena *arena, const dae__triplets *m);
/* Sorted entries as outputs of a group: in the order of the pattern, or dense, by columns. */
void dae__triplets_outputs(dae__pool *pool, const dae__triplets *m, bool sparse, int group,
                           dae__outputs *out);
bool dae__triplets_constant(const dae__graph *graph, const dae__triplets *m);

/* ---- systems and leaves ---- */

typedef DAE__LIST(int) dae__ints;
typedef DAE__LIST(dae__node) dae__nodes;

/* A bound system: an instance as lists of leaves and rows, in the order of the problem form. */
typedef struct dae__system {
  int instance;
  bool mechanical, sparse;
  dae__ints q, u, w, in;
  int first;             /* its first entry in the state vector of the model */
  int hidden;            /* number of rates of states among w: the last ones, without a name */
  dae__nodes s, c;       /* u' = s, 0 = c; or M x' = s, 0 = c */
  dae__triplets mass;    /* M of a quasi-linear system, else without rows */
  dae__triplets inertia; /* M of a mechanical system, after dae__bind_mechanical */
  const char **s_names, **c_names;
} dae__system;

/* The tapes of a model, of which lazy ones are compiled at their first run or all together. */
typedef struct dae__tape_set {
  DAE__LIST(dae__tape_note) notes;
  dae__graph *graph;             /* of tapes that are not compiled yet; NULL: all are */
  dae__tape_workspace workspace; /* of their compiler */
  long instructions;             /* of all tapes, after dae__tapes_compile */
} dae__tape_set;

typedef struct dae__binder {
  dae__expander *x;
  dae__arena *arena;                 /* of the model */
  dae__tape_set *tapes;              /* of the model */
  unsigned char *kind;               /* by leaf, for the current system: DAE__BIT of its class */
  int *index;                        /* by leaf: index in its class */
  dae__tape_input *input;            /* by leaf: class and index */
  dae__node *by;                     /* by leaf: substitution, -1 between uses */
  int leaves;                        /* length of these arrays */
  const char *system;                /* name of the current system, or of the model */
  bool lazy;                         /* tapes are compiled at their first run */
  const dae__tape_input *lazy_input; /* of lazy tapes: a copy of input; NULL: out of date */
  dae__ints s;                       /* leaves of class S */
  bool coordinates;                  /* a system of the model has coordinates */
  long entries;                      /* number of entries of all matrices */
} dae__binder;

/* Extends the arrays to the number of leaves, with at least count leaves of class S among them. */
bool dae__binder_leaves(dae__binder *b, int count);
/* Makes a leaf entry `index` of a class for the current system; class -1: of none. */
void dae__binder_place(dae__binder *b, int leaf, int class, int index);

/* Gradient with respect to the classes in mask; total derivative d/dt + v d/dq. */
dae__gradient dae__bind_gradient(dae__binder *b, dae__node node, unsigned mask);
dae__node dae__bind_rate(dae__binder *b, dae__node node);
/* Jacobian of nodes with respect to the classes in mask: column = index + offset of the class. */
typedef struct dae__columns_of {
  unsigned mask;
  int offset[DAE__CLASSES];
  int cols;
} dae__columns_of;
dae__triplets dae__bind_jacobian(dae__binder *b, const dae__nodes *rows, const dae__columns_of *by);
/* A' s, or, by rows, A s, with the vector s of class S. */
dae__nodes dae__bind_contract(dae__binder *b, const dae__triplets *A, bool by_rows);

/* A tape of the outputs in `groups` groups; what: its name in native code; zeroed may be NULL. NULL
 * after a failure. The tapes of a small model of one system are compiled at their first run: a run
 * needs few of them. A large model would have to keep its graph for that; and several systems may
 * run in threads of their own, which must not allocate from the memory of the model. */
dae__tape *dae__bind_tape(dae__binder *b, const char *what, const dae__outputs *outputs, int groups,
                          const int *zeroed);
void dae__bind_vector(dae__binder *b, const dae__nodes *nodes, int group, dae__outputs *out);
/* False after an error, one of them being memory or a limit that is exhausted. */
bool dae__bind_ok(dae__binder *b);
/* False beyond a limit, without an error. */
bool dae__bind_fits(const dae__binder *b);

/* Lists the leaves and rows of an instance and checks their numbers: system.c. */
dae_status dae__system_create(dae__binder *b, int instance, dae__system *u);
/* Gives the leaves of a system their classes, or removes them. */
void dae__system_place(dae__binder *b, const dae__system *u, bool there);

/* Refuses coordinates whose motion neither M nor the constraints determine. */
void dae__check_determined(dae__binder *b, const dae__system *u, const dae__triplets *M,
                           const dae__triplets *G, const dae__triplets *K);

/* Names of variables inside their system, in the arena; from `rates` on names of rates. */
const char *const *dae__bind_names(dae__binder *b, const dae__ints *leaves, int rates);

/* The problem forms, in the arena: bind_mechanical.c, bind_semi.c, bind_joint.c. */
const dae_mechanical *dae__bind_mechanical(dae__binder *b, dae__system *u, const char *name);
const dae_semi_explicit *dae__bind_semi(dae__binder *b, dae__system *u, const char *name);
/* Ports are (system, variable). */
bool dae__bind_joint(dae__binder *b, const dae__constraint *g, const int *system_of_instance,
                     const dae__system *layout, dae_joint *out);

#endif
