/* From expressions to problems: for each system the leaves it depends on, the equations as rows of
 * a problem form, their derivatives, and tapes that evaluate them. */
#ifndef DAEDAL_MODEL_BIND_BIND_H
#define DAEDAL_MODEL_BIND_BIND_H

#include "model/bind/triplets.h"
#include "model/expand/expand.h"
#include "model/native/native.h"

/* Classes of inputs of the tapes of a system; as kinds of leaves the class k is the bit 1 << k. */
enum {
  DAE__CLASS_T,
  DAE__CLASS_Q, /* coordinates; those of a joint */
  DAE__CLASS_V,
  DAE__CLASS_U, /* states and discretes: u, or x of a semi-explicit system */
  DAE__CLASS_W, /* algebraic variables: w, or y */
  DAE__CLASS_IN,
  DAE__CLASS_S, /* the vector of a contraction */
  DAE__CLASSES
};
#define DAE__BIT(class) (1u << DAE__CLASS_##class)

typedef DAE__LIST(int) dae__ints;
typedef DAE__LIST(dae__node) dae__nodes;

/* A system while it is bound. Lists of leaves in the order of the problem form. */
typedef struct dae__unit {
  int instance;
  bool mechanical, sparse;
  dae__ints q, u, w, in;
  int hidden;            /* of w: the last ones stand for rates of states and have no name */
  dae__nodes s, c;       /* u' = s, 0 = c; or M x' = s, 0 = c */
  dae__triplets mass;    /* of a quasi-linear system, else no rows */
  dae__triplets inertia; /* M of a mechanical system, once it is bound */
  const char **s_names, **c_names;
} dae__unit;

typedef DAE__LIST(dae__tape_note) dae__tape_notes;

typedef struct dae__binder {
  dae__expander *x;
  dae__arena *arena;             /* of the model */
  dae__tape_notes *tapes;        /* of the model: all that were made */
  unsigned char *kind;           /* by leaf, for the system at hand: DAE__BIT */
  int *index;                    /* by leaf: its index in its class */
  dae__tape_input *input;        /* by leaf: the same for tapes */
  dae__node *by;                 /* by leaf: what it is replaced by, -1 between uses */
  int leaves;                    /* of the three arrays */
  const char *system;            /* at hand, as tapes are noted; the model where there is none */
  dae__tape_marks *marks;        /* of the model: scratch of the compiler of tapes */
  bool late;                     /* tapes are made when they are first run */
  const dae__tape_input *placed; /* for these: input as it is now, kept; NULL: not yet */
  dae__ints s;                   /* leaves of the vector of contractions */
  bool coordinates;              /* some system of the model has coordinates */
  long entries;                  /* of all matrices so far */
} dae__binder;

/* Makes the arrays as long as there are leaves, with count leaves for contractions among them. */
bool dae__binder_leaves(dae__binder *b, int count);
/* The leaf is entry `index` of a class, for the system at hand; -1: no longer. */
void dae__binder_place(dae__binder *b, int leaf, int class, int index);

/* Gradient with respect to the classes in mask; derivative along the motion by t and q. */
dae__gradient dae__bind_gradient(dae__binder *b, dae__node node, unsigned mask);
dae__node dae__bind_rate(dae__binder *b, dae__node node);
/* The matrix of derivatives of nodes by the classes in mask: column = index + offset of the
 * class. */
typedef struct dae__columns_of {
  unsigned mask;
  int offset[DAE__CLASSES];
  int cols;
} dae__columns_of;
dae__triplets dae__bind_jacobian(dae__binder *b, const dae__nodes *rows, const dae__columns_of *by);
/* node_j = sum over rows i of A_ij s_i, or, by rows, node_i = sum over j of A_ij s_j. */
dae__nodes dae__bind_contract(dae__binder *b, const dae__triplets *A, bool by_rows);

/* A tape with groups outputs, which what it computes is noted of; zeroed may be NULL. NULL after a
 * failure. The tapes of a small model of one system are made when they are first run (tape.h): a
 * run asks for few of them. A large one would have to keep its graph for that; and of several
 * systems each may run in a thread of its own, where the model's memory is not to be taken from. */
dae__tape *dae__bind_tape(dae__binder *b, const char *what, const dae__outputs *outputs, int groups,
                          const int *zeroed);
void dae__bind_vector(dae__binder *b, const dae__nodes *nodes, int group, dae__outputs *out);
/* True while neither memory nor a limit has run out; complains. */
bool dae__bind_ok(dae__binder *b);
/* The same for limits alone; does not complain. */
bool dae__bind_fits(const dae__binder *b);

/* The lists of leaves and rows of an instance, and what has to fit together: unit.c. */
dae_status dae__unit_create(dae__binder *b, int instance, dae__unit *unit);
/* Places the leaves of a unit, or takes them away. */
void dae__unit_place(dae__binder *b, const dae__unit *unit, bool there);

/* Complains about coordinates whose motion neither M nor the constraints determine. */
void dae__check_determined(dae__binder *b, const dae__unit *unit, const dae__triplets *M,
                           const dae__triplets *G, const dae__triplets *K);

/* The problem forms, in the arena's memory: bind_mechanical.c, bind_semi.c, bind_joint.c. */
const dae_mechanical *dae__bind_mechanical(dae__binder *b, dae__unit *unit, const char *name);
const dae_semi_explicit *dae__bind_semi(dae__binder *b, dae__unit *unit, const char *name);
/* offset: of the units' state vectors; the ports are (unit, variable) */
bool dae__bind_joint(dae__binder *b, const dae__constraint *g, const int *unit_of_instance,
                     const dae__unit *units, dae_joint *out);

#endif
