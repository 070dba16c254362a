/* Interned names: equal names are equal pointers. The words of the language are interned first, and
 * recognised by their address. */
#include "model/text/tree.h"
#include <stdint.h>
#include <string.h>

const dae__word dae__words[DAE__WORDS] = {
#define KEYWORD(enumerator, word) {word, 0},
    DAE__STATEMENT_LIST(KEYWORD)
#undef KEYWORD
        {"in", 0},
    {"sum", 0},
    {"t", 0},
    {"pi", 0}, /* last word before the builtin functions */
    {"sin", 1},
    {"cos", 1},
    {"tan", 1},
    {"asin", 1},
    {"acos", 1},
    {"atan", 1},
    {"sinh", 1},
    {"cosh", 1},
    {"tanh", 1},
    {"exp", 1},
    {"log", 1},
    {"log10", 1},
    {"sqrt", 1},
    {"abs", 1},
    {"sign", 1},
    {"floor", 1},
    {"min", 2},
    {"max", 2},
    {"mod", 2},
    {"hypot", 2},
    {"atan2", 2},
    {"if", 3}};

int dae__word_of(const char *name)
{
  uintptr_t offset = (uintptr_t)name - (uintptr_t)dae__words;
  return offset < sizeof dae__words ? (int)(offset / sizeof dae__words[0]) : -1;
}

const char *dae__word_text(const void *first, int i)
{
  return ((const dae__word *)first)[i].text;
}

static unsigned names_hash(const char *text, int length)
{
  unsigned h = 2166136261u; /* FNV-1a hash */
  for (int i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

const char *dae__name(dae__load *l, dae__names *names, const char *text, int length)
{
  if (2 * names->count >= names->room) { /* a hash table is at most half full */
    dae__names larger = {.room = 256, .count = DAE__WORDS};
    if (names->room > 0)
      larger = (dae__names){.room = 2 * names->room, .count = names->count};
    larger.slot = DAE__NEW_ARRAY(l->scratch, const char *, larger.room);
    if (!dae__load_ok(l))
      return "";
    int known = names->room > 0 ? names->room : DAE__WORDS; /* a new table holds the words */
    for (int i = 0; i < known; i++) {
      const char *name = names->room > 0 ? names->slot[i] : dae__words[i].text;
      if (!name)
        continue;
      unsigned at = names_hash(name, (int)strlen(name)) & (unsigned)(larger.room - 1);
      while (larger.slot[at])
        at = (at + 1) & (unsigned)(larger.room - 1);
      larger.slot[at] = name;
    }
    *names = larger;
  }
  unsigned i = names_hash(text, length) & (unsigned)(names->room - 1);
  for (; names->slot[i]; i = (i + 1) & (unsigned)(names->room - 1))
    if (!strncmp(names->slot[i], text, (size_t)length) && names->slot[i][length] == 0)
      return names->slot[i];
  const char *name = dae__pool_text(l->keep, text, (size_t)length);
  if (!name) {
    dae__load_ok(l);
    return "";
  }
  names->count++;
  return names->slot[i] = name;
}
