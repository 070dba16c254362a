/* Recursive descent parser with one token of lookahead. */
#ifndef DAEDAL_MODEL_TEXT_PARSE_H
#define DAEDAL_MODEL_TEXT_PARSE_H

#include "model/text/tree.h"

typedef struct dae__parser {
  dae__load *l;
  dae__names *names;
  dae__lexer lexer;
  dae__token at, ahead;
  int depth;     /* depth of nested expressions and blocks */
  int blocks;    /* number of open blocks */
  bool imported; /* the file being parsed is imported */
  bool points;   /* in a list of points: a name and a bracket after a space are two points */
} dae__parser;

dae__parser dae__parser_create(dae__load *l, dae__names *names, int file);

void dae__parser_advance(dae__parser *p);
static inline bool dae__parser_at(const dae__parser *p, dae__token_kind kind)
{
  return p->at.kind == kind && !p->l->status;
}
/* Tests that the current token is a given word. */
bool dae__parser_at_word(const dae__parser *p, const char *word);
/* The same of the token after it. */
bool dae__parser_ahead_word(const dae__parser *p, const char *word);
/* Consumes the current token if it has a given kind; true: consumed. */
static inline bool dae__parser_accept(dae__parser *p, dae__token_kind kind)
{
  bool there = dae__parser_at(p, kind);
  if (there)
    dae__parser_advance(p);
  return there;
}
bool dae__parser_accept_word(dae__parser *p, const char *word);
/* Consumes a token of a given kind; any other token is an error, "expected ) ..., found ...". */
bool dae__parser_expect(dae__parser *p, dae__token_kind kind, const char *where);
/* Consumes a closing bracket, whose opening bracket is in a given line; any other token is an
 * error. */
bool dae__parser_expect_close(dae__parser *p, dae__token_kind close, int line);
/* Records an error at an unexpected current token. */
void dae__parser_unexpected(dae__parser *p, const char *expected);
/* Consumes a name; what: use of the name, for the error message. */
const char *dae__parser_name(dae__parser *p, const char *what);
/* Consumes a name to be declared, which must not be a keyword; what: use of the name, for the error
 * message. */
const char *dae__parser_new_name(dae__parser *p, const char *what);
/* Interned text of the current token. */
const char *dae__parser_text(const dae__parser *p);

/* Enters a level of nesting; false, with the error recorded, beyond limits.max_depth. */
bool dae__parser_nest(dae__parser *p);

/* Parses an expression; NULL after an error. */
dae__expr *dae__parser_expression(dae__parser *p);
/* Parses a list E, E, ... with its closing token; count: number of expressions. */
dae__expr *dae__parser_list(dae__parser *p, dae__token_kind close, int *count);

/* Parsers of parts of statements (parse_declaration.c). */
void dae__parser_range(dae__parser *p, dae__range *range); /* parses A..B */
/* Parses the ranges k in A..B, C..D ] of an array; most: largest number of ranges. */
void dae__parser_ranges(dae__parser *p, dae__declaration *d, int most);
/* Parses the name to be declared; what: use of the name, for the error message. */
dae__declaration *dae__parser_new_declaration(dae__parser *p, const char *what);
void dae__parser_declarations(dae__parser *p, dae__statement *s); /* parses x = 1 rate 2, ... */
void dae__parser_settings(dae__parser *p, dae__statement *s);     /* parses rtol 1e-6, ... */
/* Parsers of parse_data.c: statements table and input, and unit texts. */
int dae__parser_at_data(const dae__parser *p); /* kind of the statement that begins here, or -1 */
const char *dae__parser_suggest_data(const char *word); /* nearest of their words, or NULL */
void dae__parser_data(dae__parser *p, dae__statement *s);
bool dae__parser_unit(dae__parser *p, dae__declaration *d); /* accepts the text of a unit */
/* Parsers of contacts (parse_contact.c). */
int dae__parser_at_contact(
    const dae__parser *p); /* kind of the statement that begins here, or -1 */
/* Parses impact NAME: E restitution e friction mu along S { ... }. */
void dae__parser_contact(dae__parser *p, dae__statement *s);
const char *dae__parser_suggest_contact(const char *word); /* nearest of their words, or NULL */
/* Parsers of the picture (parse_draw.c). */
void dae__parser_string(dae__parser *p, dae__statement *s); /* parses an optional "text" */
void dae__parser_draw(dae__parser *p, dae__statement *s);   /* parses line (0, 0) (x, y), ... */
void dae__parser_camera(dae__parser *p, dae__statement *s); /* parses from P to Q up U */
bool dae__token_ends_statement(dae__token_kind kind);
/* Parses the label NAME: or NAME[i]: of a statement, unless it has none: then s->a is the
 * expression found in its place. */
void dae__parser_label(dae__parser *p, dae__statement *s);
/* Parses a block { ... }; where: its place, for the error message (parse_statement.c). */
dae__statement *dae__parser_block(dae__parser *p, const char *where);

/* Statements on bodies, whose first words are not reserved (parse_space.c). */
/* Kind of the statement that begins at the current token; -1: none of them. */
int dae__parser_space_statement(const dae__parser *p);
void dae__parser_space(dae__parser *p, dae__statement *s);
/* Parses `along s`, `at P` after force F; false: neither follows. */
bool dae__parser_virtual_force(dae__parser *p, dae__statement *s);
/* Word of the statements above nearest to a misspelt one; NULL: none. */
const char *dae__parser_suggest_space(const char *word);

#endif
