/* Names: one pointer for equal names, and the words that belong to the language. */
#include "model/tree.h"
#include <string.h>

static unsigned hash(const char *text, int length)
{
  unsigned h = 2166136261u; /* FNV-1a */
  for (int i = 0; i < length; i++)
    h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h;
}

static void insert(dae__names *names, const char *name)
{
  unsigned i = hash(name, (int)strlen(name)) & (unsigned)(names->room - 1);
  while (names->slot[i])
    i = (i + 1) & (unsigned)(names->room - 1);
  names->slot[i] = name;
}

static bool make_room(dae__load *l, dae__names *names)
{
  if (2 * names->count < names->room)
    return true;
  dae__names larger = {.room = names->room > 0 ? 2 * names->room : 256, .count = names->count};
  larger.slot = DAE__NEW_ARRAY(l->scratch, const char *, larger.room);
  if (!dae__load_ok(l))
    return false;
  for (int i = 0; i < names->room; i++)
    if (names->slot[i])
      insert(&larger, names->slot[i]);
  *names = larger;
  return true;
}

const char *dae__name(dae__load *l, dae__names *names, const char *text, int length)
{
  if (!make_room(l, names))
    return "";
  unsigned i = hash(text, length) & (unsigned)(names->room - 1);
  for (; names->slot[i]; i = (i + 1) & (unsigned)(names->room - 1))
    if (!strncmp(names->slot[i], text, (size_t)length) && names->slot[i][length] == 0)
      return names->slot[i];
  names->slot[i] = dae__pool_text(l->keep, text, (size_t)length);
  names->count++;
  return dae__load_ok(l) ? names->slot[i] : "";
}

static const struct {
  const char *name;
  int arguments;
} builtins[] = {{"sin", 1},  {"cos", 1},   {"tan", 1},   {"asin", 1},  {"acos", 1}, {"atan", 1},
                {"sinh", 1}, {"cosh", 1},  {"tanh", 1},  {"exp", 1},   {"log", 1},  {"log10", 1},
                {"sqrt", 1}, {"abs", 1},   {"sign", 1},  {"floor", 1}, {"min", 2},  {"max", 2},
                {"mod", 2},  {"hypot", 2}, {"atan2", 2}, {"if", 3}};

int dae__builtin(const char *name)
{
  for (int i = 0; i < (int)(sizeof builtins / sizeof *builtins); i++)
    if (builtins[i].name[0] == name[0] && !strcmp(builtins[i].name, name))
      return i;
  return -1;
}

int dae__builtin_arguments(int builtin)
{
  return builtins[builtin].arguments;
}

const char *dae__builtin_name(int builtin)
{
  return builtin < (int)(sizeof builtins / sizeof *builtins) ? builtins[builtin].name : NULL;
}

bool dae__is_reserved(const char *name)
{
  static const char *const words[] = {
#define DAE__STATEMENT_WORD(enumerator, word) word,
      DAE__STATEMENT_LIST(DAE__STATEMENT_WORD)
#undef DAE__STATEMENT_WORD
          "in",
      "sum", "t", "pi"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i][0] == name[0] && !strcmp(words[i], name))
      return true;
  return dae__builtin(name) >= 0;
}
