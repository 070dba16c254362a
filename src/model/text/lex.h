/* The lexer, which splits a text into tokens. A newline that does not end a statement (inside
 * brackets, after a comma, an operator, ...) gives no token. */
#ifndef DAEDAL_MODEL_TEXT_LEX_H
#define DAEDAL_MODEL_TEXT_LEX_H

#include "model/load.h"

/* X(enumerator, text in messages) */
#define DAE__TOKEN_LIST(X)                                                                         \
  X(END, "the end of the file")                                                                    \
  X(NEWLINE, "the end of the line")                                                                \
  X(NAME, "a name")                                                                                \
  X(NUMBER, "a number")                                                                            \
  X(STRING, "a string")                                                                            \
  X(OPEN, "(")                                                                                     \
  X(CLOSE, ")")                                                                                    \
  X(OPEN_INDEX, "[")                                                                               \
  X(CLOSE_INDEX, "]")                                                                              \
  X(OPEN_BLOCK, "{")                                                                               \
  X(CLOSE_BLOCK, "}")                                                                              \
  X(COMMA, ",")                                                                                    \
  X(COLON, ":")                                                                                    \
  X(SEMICOLON, ";")                                                                                \
  X(ASSIGN, "=")                                                                                   \
  X(RANGE, "..")                                                                                   \
  X(DOT, ".")                                                                                      \
  X(RATE, "'")                                                                                     \
  X(POWER, "^")                                                                                    \
  X(PLUS, "+")                                                                                     \
  X(MINUS, "-")                                                                                    \
  X(TIMES, "*")                                                                                    \
  X(DIVIDE, "/")                                                                                   \
  X(LESS, "<")                                                                                     \
  X(LESS_EQUAL, "<=")                                                                              \
  X(MORE, ">")                                                                                     \
  X(MORE_EQUAL, ">=")                                                                              \
  X(EQUAL, "==")                                                                                   \
  X(NOT_EQUAL, "!=")                                                                               \
  X(AND, "&&")                                                                                     \
  X(OR, "||")                                                                                      \
  X(NOT, "!")

typedef enum dae__token_kind {
#define DAE__TOKEN_ENUM(name, text) DAE__TOKEN_##name,
  DAE__TOKEN_LIST(DAE__TOKEN_ENUM)
#undef DAE__TOKEN_ENUM
      DAE__TOKEN_COUNT
} dae__token_kind;

typedef struct dae__token {
  dae__token_kind kind;
  int place, length; /* place in the text and length; of a string without its quotes */
  const char *text;  /* text at this place */
  int line;
  bool spaced;  /* white space precedes the token */
  double value; /* value of a number */
} dae__token;

extern const char *const dae__token_texts[DAE__TOKEN_COUNT];

typedef struct dae__lexer {
  dae__load *l;
  const dae__file *file;
  int at, line;         /* offset in the file and line number of the next byte */
  dae__token_kind last; /* kind of the previous token */
  int depth;            /* number of open ( and [ since the last { */
  DAE__LIST(int) outer; /* by open block: bracket depth outside of it */
} dae__lexer;

dae__lexer dae__lexer_create(dae__load *l, int file);
/* Reads the next token; its kind is END after an error. */
void dae__lexer_next(dae__lexer *x, dae__token *token);

#endif
