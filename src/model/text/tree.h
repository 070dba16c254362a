/* The syntax tree of a model, with places in the text. Names are interned: equal names are equal
 * pointers. */
#ifndef DAEDAL_MODEL_TEXT_TREE_H
#define DAEDAL_MODEL_TEXT_TREE_H

#include "model/text/lex.h"

typedef enum dae__expr_kind {
  DAE__EXPR_NUMBER,
  DAE__EXPR_NAME,   /* x, x[i, j], A.x, S[k].x[i], each optionally with ' */
  DAE__EXPR_CALL,   /* f(a, b), A.f(a) */
  DAE__EXPR_UNARY,  /* - ! */
  DAE__EXPR_BINARY, /* arithmetic, comparisons, && || */
  DAE__EXPR_SUM     /* sum(i in A..B, E): arguments A, B, E; name i */
} dae__expr_kind;

typedef struct dae__expr {
  dae__expr_kind kind;
  int place;
  dae__token_kind op; /* of UNARY and BINARY */
  bool rate;          /* ' after a name or call */
  double value;
  const char *name;
  int count; /* number of operands, indices, or arguments of a call */
  struct dae__expr *argument;
  struct dae__expr *member; /* A.x: the name x; name and arguments are those of A */
  struct dae__expr *next;   /* next argument of the same expression */
  struct dae__expr *up;     /* left operand: its operation, to climb long chains in a loop */
} dae__expr;

/* A range of an index: [k in 1..N]. */
typedef struct dae__range {
  const char *name; /* NULL: i of the first, j of the second index */
  int place;
  const dae__expr *from, *to;
} dae__range;

enum { DAE__RANK = 2 }; /* largest number of indices of an array */

/* The declaration of one name. */
typedef struct dae__declaration {
  const char *name;
  int place;
  int rank;
  dae__range range[DAE__RANK];
  int parameters; /* number of arguments of a function, else -1 */
  const char **parameter;
  const dae__expr *value, *rate; /* NULL: none */
  bool fixed, rate_fixed;
  struct dae__declaration *next;
} dae__declaration;

/* X(enumerator, word) */
#define DAE__STATEMENT_LIST(X)                                                                     \
  X(MODEL, "model")                                                                                \
  X(PARAM, "param")                                                                                \
  X(LET, "let")                                                                                    \
  X(COORD, "coord")                                                                                \
  X(STATE, "state")                                                                                \
  X(ALG, "alg")                                                                                    \
  X(DISCRETE, "discrete")                                                                          \
  X(OUTPUT, "output")                                                                              \
  X(KINETIC, "kinetic")                                                                            \
  X(POTENTIAL, "potential")                                                                        \
  X(FORCE, "force")                                                                                \
  X(CONSTRAINT, "constraint")                                                                      \
  X(JOINT, "joint")                                                                                \
  X(EVENT, "event")                                                                                \
  X(FOR, "for")                                                                                    \
  X(SYSTEM, "system")                                                                              \
  X(SIMULATE, "simulate")                                                                          \
  X(DRAW, "draw")                                                                                  \
  X(IMPORT, "import")

typedef enum dae__statement_kind {
  DAE__STATEMENT_EQUATION, /* A = B */
  DAE__STATEMENT_SETTING,  /* of a system: method NAME, step H, ... */
#define DAE__STATEMENT_ENUM(name, word) DAE__STATEMENT_##name,
  DAE__STATEMENT_LIST(DAE__STATEMENT_ENUM)
#undef DAE__STATEMENT_ENUM
} dae__statement_kind;

/* One setting of simulate, or of a system: either a word or an expression. */
typedef struct dae__setting {
  const char *name;
  int place;
  const char *word;
  const dae__expr *value;
  struct dae__setting *next;
} dae__setting;

typedef struct dae__statement {
  dae__statement_kind kind;
  int place, line;
  dae__declaration *declared;  /* declarations; of a system its name and range */
  const dae__expr *label;      /* of constraint, joint, event: a NAME with indices, or NULL */
  const dae__expr *a, *b;      /* A = B; force: coordinate and E; kinetic, potential, event: a */
  dae__range range;            /* of for */
  struct dae__statement *body; /* of for and system; the actions of an event */
  int direction;               /* of an event: +1 rising, -1 falling */
  bool stop;
  dae__setting *setting;  /* of simulate, of SETTING */
  const dae__expr *point; /* of draw: x1, y1, x2, y2, ...; a: radius */
  const char *text;       /* of model: the title; of draw: the label */
  struct dae__statement *next;
} dae__statement;

/* Hash table of interned names. */
typedef struct dae__names {
  const char **slot;
  int count, room;
} dae__names;

const char *dae__name(dae__load *l, dae__names *names, const char *text, int length);

/* Is an interned name a word of the language, which cannot be declared? */
bool dae__is_reserved(const char *name);
/* The kind of statement of a keyword, or -1. */
int dae__keyword(const char *name);
/* The number of a builtin function, sin, min, ..., or -1; the number of its arguments; its name. */
int dae__builtin(const char *name);
int dae__builtin_arguments(int builtin);
const char *dae__builtin_name(int builtin); /* NULL after the last one */

/* The statements of a file and of its imports, in order; NULL: none, or an error. */
typedef struct dae__parsed {
  dae__statement *first;
  dae__names names;
} dae__parsed;

dae_status dae__parse(dae__load *l, int file, dae__parsed *out);
/* The expression of a file that holds nothing else, for --set. */
const dae__expr *dae__parse_expression(dae__load *l, dae__names *names, int file);

#endif
