/* Recursive descent parser: the current token and one ahead. */
#ifndef DAEDAL_MODEL_TEXT_PARSE_H
#define DAEDAL_MODEL_TEXT_PARSE_H

#include "model/text/tree.h"

typedef struct dae__parser {
  dae__load *l;
  dae__names *names;
  dae__lexer lexer;
  dae__token at, ahead;
  int depth;     /* of nested expressions and blocks */
  int blocks;    /* number of open blocks */
  bool imported; /* the file is imported */
} dae__parser;

dae__parser dae__parser_create(dae__load *l, dae__names *names, int file);

void dae__parser_advance(dae__parser *p);
static inline bool dae__parser_at(const dae__parser *p, dae__token_kind kind)
{
  return p->at.kind == kind && !p->l->status;
}
/* Is the current token this word? */
bool dae__parser_at_word(const dae__parser *p, const char *word);
/* Consumes the current token if it is of this kind. */
static inline bool dae__parser_accept(dae__parser *p, dae__token_kind kind)
{
  bool there = dae__parser_at(p, kind);
  if (there)
    dae__parser_advance(p);
  return there;
}
bool dae__parser_accept_word(dae__parser *p, const char *word);
/* Consumes a token of this kind; any other is an error: "expected ) ..., found ...". */
bool dae__parser_expect(dae__parser *p, dae__token_kind kind, const char *where);
/* The same for the bracket that closes one opened in a line. */
bool dae__parser_expect_close(dae__parser *p, dae__token_kind close, int line);
/* Records an error about the current token. */
void dae__parser_unexpected(dae__parser *p, const char *expected);
/* Consumes a name; what: its use, in the error. */
const char *dae__parser_name(dae__parser *p, const char *what);
/* The same for a name that is declared: keywords are refused. */
const char *dae__parser_new_name(dae__parser *p, const char *what);
/* Text of the current token, interned. */
const char *dae__parser_text(const dae__parser *p);

/* Enters a level of nesting; false, with the error recorded, beyond the limit. */
bool dae__parser_nest(dae__parser *p);

/* An expression; NULL after an error. */
dae__expr *dae__parser_expression(dae__parser *p);
/* E, E, ... up to and with the closing token; count: their number. */
dae__expr *dae__parser_list(dae__parser *p, dae__token_kind close, int *count);

/* Pieces of statements: parse_declaration.c. */
void dae__parser_range(dae__parser *p, dae__range *range);              /* A..B */
void dae__parser_ranges(dae__parser *p, dae__declaration *d, int most); /* k in A..B, C..D ] */
dae__declaration *dae__parser_new_declaration(dae__parser *p, const char *what); /* of a name */
void dae__parser_declarations(dae__parser *p, dae__statement *s); /* x = 1 rate 2, ... */
void dae__parser_settings(dae__parser *p, dae__statement *s);     /* rtol 1e-6, ... */
bool dae__parser_ends_statement(const dae__parser *p);

#endif
