/* The parser: one token at hand and one ahead. */
#ifndef DAEDAL_MODEL_TEXT_PARSE_H
#define DAEDAL_MODEL_TEXT_PARSE_H

#include "model/text/tree.h"

typedef struct dae__parser {
  dae__load *l;
  dae__names *names;
  dae__lexer lexer;
  dae__token at, ahead;
  int depth;  /* of nested expressions and blocks */
  int blocks; /* that are open */
  bool imported;
} dae__parser;

dae__parser dae__parser_create(dae__load *l, dae__names *names, int file);

void dae__parser_advance(dae__parser *p);
static inline bool dae__parser_at(const dae__parser *p, dae__token_kind kind)
{
  return p->at.kind == kind && !p->l->status;
}
/* The token at hand is this word. */
bool dae__parser_at_word(const dae__parser *p, const char *word);
/* Takes the token if it is of this kind. */
static inline bool dae__parser_accept(dae__parser *p, dae__token_kind kind)
{
  bool there = dae__parser_at(p, kind);
  if (there)
    dae__parser_advance(p);
  return there;
}
bool dae__parser_accept_word(dae__parser *p, const char *word);
/* Takes the token or complains: "expected ) ..., found ...". */
bool dae__parser_expect(dae__parser *p, dae__token_kind kind, const char *where);
/* The bracket that closes the one opened in a line. */
bool dae__parser_expect_close(dae__parser *p, dae__token_kind close, int line);
/* Complains about the token at hand. */
void dae__parser_unexpected(dae__parser *p, const char *expected);
/* The name at hand, taken; what it is for stands in the complaint. */
const char *dae__parser_name(dae__parser *p, const char *what);
/* A name that is declared: reserved words are refused. */
const char *dae__parser_new_name(dae__parser *p, const char *what);
/* Text of the token at hand. */
const char *dae__parser_text(const dae__parser *p);

/* One level deeper; false, with the complaint made, beyond the limit. */
bool dae__parser_nest(dae__parser *p);

/* NULL after a mistake. */
dae__expr *dae__parser_expression(dae__parser *p);
/* E, E, ... up to the closing token, which is taken. Their number goes to count. */
dae__expr *dae__parser_list(dae__parser *p, dae__token_kind close, int *count);

/* Pieces of statements: parse_declaration.c, parse_setting.c. */
void dae__parser_range(dae__parser *p, dae__range *range);              /* A..B */
void dae__parser_ranges(dae__parser *p, dae__declaration *d, int most); /* k in A..B, C..D ] */
dae__declaration *dae__parser_new_declaration(dae__parser *p,
                                              const char *what);  /* the name alone */
void dae__parser_declarations(dae__parser *p, dae__statement *s); /* x = 1 rate 2, ... */
void dae__parser_settings(dae__parser *p, dae__statement *s);     /* rtol 1e-6, ... */
bool dae__parser_ends_statement(const dae__parser *p);

#endif
