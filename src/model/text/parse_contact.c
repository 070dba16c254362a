/* Parsing of contacts:
 *
 *   impact NAME: E [restitution e] [friction mu along S] [{ actions }]
 *   contact NAME: E >= 0 [restitution e] [friction mu [static mus] along S] [{ actions }] */
#include "model/text/parse.h"
#include <daedal/options.h>

int dae__parser_at_contact(const dae__parser *p)
{
  bool label = p->ahead.kind == DAE__TOKEN_NAME;
  return label && dae__parser_at_word(p, "impact")    ? DAE__STATEMENT_IMPACT
         : label && dae__parser_at_word(p, "contact") ? DAE__STATEMENT_CONTACT
                                                      : -1;
}

static const char *contact_word(const void *words, int i)
{
  return ((const char *const *)words)[i];
}

const char *dae__parser_suggest_contact(const char *word)
{
  static const char *const words[] = {"impact", "contact"};
  return dae_suggest(word, 2, contact_word, words);
}

/* Parses one clause, such as restitution 0.8; false: none begins here. */
static bool contact_clause(dae__parser *p, dae__clause **last)
{
  static const char *const words[] = {"restitution", "friction", "static", "along"};
  enum { WORDS = sizeof words / sizeof *words };
  int k = 0;
  while (k < WORDS && !dae__parser_at_word(p, words[k]))
    k++;
  if (k == WORDS)
    return false;
  dae__clause *c = DAE__NEW(p->l->scratch, dae__clause);
  if (!c)
    return false;
  *c = (dae__clause){.word = words[k], .place = p->at.place};
  dae__parser_advance(p);
  c->a = dae__parser_expression(p);
  *last = c;
  return true;
}

static void contact_refuse_repeated(dae__parser *p, const dae__clause *first)
{
  for (const dae__clause *a = first; a && !p->l->status; a = a->next)
    for (const dae__clause *b = a->next; b && !p->l->status; b = b->next)
      if (a->word == b->word)
        dae__load_fail(p->l, b->place, "%s may be given once", b->word);
}

void dae__parser_contact(dae__parser *p, dae__statement *s)
{
  dae__clause **last = &s->clause;
  dae__parser_label(p, s);
  if (!p->l->status && !s->label) {
    dae__load_fail(p->l, s->place,
                   s->kind == DAE__STATEMENT_IMPACT
                       ? "an impact needs a name: impact floor: y restitution 0.8"
                       : "a contact needs a name: contact floor: y >= 0 restitution 0.8");
    return;
  }
  if (!p->l->status)
    s->a = dae__parser_expression(p);
  while (!p->l->status && contact_clause(p, last))
    last = &(*last)->next;
  contact_refuse_repeated(p, s->clause);
  if (dae__parser_at(p, DAE__TOKEN_OPEN_BLOCK))
    s->body = dae__parser_block(p, "around the actions of the contact");
}
