/* The syntax tree of a model, with places in the text. Names are interned: equal names are equal
 * pointers. */
#ifndef DAEDAL_MODEL_TEXT_TREE_H
#define DAEDAL_MODEL_TEXT_TREE_H

#include "model/graph/curve.h"
#include "model/text/lex.h"
#include <daedal/drawing.h>

typedef enum dae__expr_kind {
  DAE__EXPR_NUMBER,
  DAE__EXPR_NAME,     /* x, x[i, j], A.x, S[k].x[i], or a rate such as x' */
  DAE__EXPR_CALL,     /* calls f(a, b), A.f(a), B.point(v).x */
  DAE__EXPR_UNARY,    /* operators - and ! */
  DAE__EXPR_BINARY,   /* arithmetic, comparisons, && and || */
  DAE__EXPR_SUM,      /* sum(i in A..B, E) with arguments A, B, E and name i */
  DAE__EXPR_VECTOR,   /* (a, b) or (a, b, c) */
  DAE__EXPR_LIST,     /* [a, b, ...], the values of an array */
  DAE__EXPR_COMPONENT /* component `name` of the argument: (a + b).x, r'.x */
} dae__expr_kind;

typedef struct dae__expr {
  dae__expr_kind kind;
  int place;
  dae__token_kind op; /* operator of UNARY and BINARY */
  bool rate;          /* a prime follows the name or call */
  bool call;          /* of a component of a name: the arguments are those of a call */
  double value;
  const char *name;
  int count; /* number of operands, indices, or arguments of a call */
  struct dae__expr *argument;
  struct dae__expr *member; /* in A.x: the component x; name and arguments are those of A */
  struct dae__expr *next;   /* next argument of the same expression */
  /* operation with this expression as left operand, for loops over long chains */
  struct dae__expr *up;
} dae__expr;

/* Range of an index, such as [k in 1..N]. */
typedef struct dae__range {
  const char *name; /* name of the index; NULL: i of the first, j, k of the next indices */
  int place;
  const dae__expr *from, *to;
} dae__range;

enum { DAE__RANK = 3 }; /* largest number of indices of an array */

/* Samples of a table, or how those of an input are interpolated. */
typedef struct dae__data {
  const dae__expr *point; /* x1, y1, x2, y2, ...; NULL: those of a file */
  const char *file;
  int file_place;
  const char *column[2]; /* names of the columns for x and y; NULL: the first two */
  int column_place[2];
  dae__interpolation how;
  bool chosen, periodic;
} dae__data;

/* The declaration of one name. */
typedef struct dae__declaration {
  const char *name;
  int place;
  int rank;
  dae__range range[DAE__RANK];
  int parameters; /* number of parameters of a function or part; -1: neither */
  const char *const *parameter;
  const dae__expr **standard;    /* by parameter of a part: its default; NULL: none */
  const dae__expr *value, *rate; /* value or start value, and start rate; NULL: none */
  bool fixed, rate_fixed;
  /* absolute tolerances of the variable, and of the rate of a coordinate; NULL: none, for the rate
   * that of the coordinate */
  const dae__expr *atol, *rate_atol;
  const char *unit;      /* text of the unit; NULL: none */
  const dae__data *data; /* of a table or input */
  struct dae__declaration *next;
} dae__declaration;

/* X(enumerator, keyword) */
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
  DAE__STATEMENT_EQUATION, /* equation A = B */
  DAE__STATEMENT_SETTING,  /* setting of a system: method NAME, step H, ... */
  DAE__STATEMENT_TABLE,    /* statements whose words are no keywords: names in other places */
  DAE__STATEMENT_INPUT,
  DAE__STATEMENT_IMPACT,
  DAE__STATEMENT_CONTACT,
#define DAE__STATEMENT_ENUM(name, word) DAE__STATEMENT_##name,
  DAE__STATEMENT_LIST(DAE__STATEMENT_ENUM)
#undef DAE__STATEMENT_ENUM
  /* statements whose words are not reserved (parse_space.c) */
  DAE__STATEMENT_BODY,
  DAE__STATEMENT_GRAVITY,
  DAE__STATEMENT_MASS,
  DAE__STATEMENT_CONNECTOR, /* joints, rod, rolling, spring, damper, bushing */
  DAE__STATEMENT_TORQUE,
  DAE__STATEMENT_DISSIPATION,
  DAE__STATEMENT_TEMPLATE, /* part NAME(..) { .. } */
  DAE__STATEMENT_PART,     /* part NAME = NAME(..) */
  DAE__STATEMENT_ALONG,    /* force F along s */
  DAE__STATEMENT_AT,       /* force F at P */
  DAE__STATEMENT_CAMERA    /* camera from P to Q up U */
} dae__statement_kind;

/* Kinds of connectors, X(enumerator, word): joints first. */
#define DAE__CONNECTOR_LIST(X)                                                                     \
  X(SPHERICAL, "spherical")                                                                        \
  X(REVOLUTE, "revolute")                                                                          \
  X(UNIVERSAL, "universal")                                                                        \
  X(CYLINDRICAL, "cylindrical")                                                                    \
  X(PRISMATIC, "prismatic")                                                                        \
  X(PLANAR, "planar")                                                                              \
  X(WELD, "weld")                                                                                  \
  X(PIN, "pin")                                                                                    \
  X(ROLLING, "rolling")                                                                            \
  X(BUSHING, "bushing")                                                                            \
  X(ROD, "rod")                                                                                    \
  X(SPRING, "spring")                                                                              \
  X(DAMPER, "damper")

typedef enum dae__connector_kind {
#define DAE__CONNECTOR_ENUM(name, word) DAE__CONNECTOR_##name,
  DAE__CONNECTOR_LIST(DAE__CONNECTOR_ENUM)
#undef DAE__CONNECTOR_ENUM
      DAE__CONNECTORS
} dae__connector_kind;

/* One clause of a body or connector: a word, its value, and a second one: turned A about V. */
typedef struct dae__clause {
  const char *word;
  int place;
  const dae__expr *a, *b; /* NULL: none */
  struct dae__clause *next;
} dae__clause;

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
  dae__declaration *declared; /* declared names; for a system its name and range */
  /* label of constraint, joint or event: a NAME with indices; NULL: none */
  const dae__expr *label;
  /* both sides of A = B; coordinate and E of a force; kinetic, potential, event: a only */
  const dae__expr *a, *b;
  dae__range range;            /* range of a `for` loop */
  struct dae__statement *body; /* statements of a `for` loop or system, actions of an event */
  int direction;               /* direction of an event: +1 rising, -1 falling */
  /* instants of an event: every a from b (NULL: none), at point, when a becomes true */
  enum { DAE__EVENT_ZERO, DAE__EVENT_EVERY, DAE__EVENT_AT, DAE__EVENT_WHEN } trigger;
  const char *word; /* the word of the trigger as a name; by_spaces: at -1, every (x), which spaces
                       alone tell from an expression with this name */
  bool by_spaces;
  bool stop;
  dae__setting *setting; /* settings of simulate, or a setting of a system */
  /* points of draw and of camera (from, to, up); of draw the radius is in a, the axis of a circle
   * in b; of a shape on a body the size is in a and b; instants of an event */
  const dae__expr *point;
  dae_shape_kind shape; /* kind of the shape of draw */
  bool bodies;          /* draw bodies */
  const char *text;     /* title of model, or label of draw */
  dae__connector_kind connector;
  /* clauses of a body, connector or impact; arguments of a part, by name or not */
  dae__clause *clause;
  struct dae__statement *next;
} dae__statement;

/* Hash table of interned names. */
typedef struct dae__names {
  const char **slot;
  int count, room;
} dae__names;

const char *dae__name(dae__load *l, dae__names *names, const char *text, int length);

/* Words of the language, which cannot be declared: the keywords of statements, in their order, then
 * other words, then the builtin functions. */
typedef struct dae__word {
  char text[12];
  int arguments; /* number of arguments of a function */
} dae__word;

enum {
  DAE__KEYWORDS = DAE__STATEMENT_IMPORT - DAE__STATEMENT_MODEL + 1,
  DAE__FIRST_FUNCTION = DAE__KEYWORDS + 4,
  DAE__WORDS = DAE__FIRST_FUNCTION + 22
};
extern const dae__word dae__words[DAE__WORDS];
/* Index in dae__words of an interned name; -1: not a word of the language. */
int dae__word_of(const char *name);
/* Text of the i-th of an array of words, for dae_suggest. */
const char *dae__word_text(const void *first, int i);

/* Statements of a file and of its imports, in order, and all names; first is NULL without
 * statements or after an error. */
typedef struct dae__parsed {
  dae__statement *first;
  dae__names names;
} dae__parsed;

dae_status dae__parse(dae__load *l, int file, dae__parsed *out);
/* Parses a text that consists of one expression, for overrides of params (--set). */
const dae__expr *dae__parse_expression(dae__load *l, dae__names *names, int file);

#endif
