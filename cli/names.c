/* Names of options and methods, suggestions for mistyped names, and numbers. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char name_fold(char c)
{
  return c == '_' ? '-' : c;
}

bool cli_same_name(const char *a, const char *b)
{
  for (; *a && *b; a++, b++)
    if (name_fold(*a) != name_fold(*b))
      return false;
  return *a == *b;
}

int cli_option_index(const dae_option_table *table, const char *name)
{
  for (int i = 0; table && i < table->count; i++)
    if (cli_same_name(table->options[i].name, name))
      return i;
  return -1;
}

static const char *name_word_at(const void *words, int i)
{
  return ((const char *const *)words)[i];
}

const char *cli_nearest(const char *typed, const char *const *words, int count)
{
  return dae_suggest(typed, count, name_word_at, words);
}

/* list of the options of a command, followed by those of a method, or of all methods */
typedef struct all_options {
  const cli_syntax *syntax;
  const dae_method *method;
} all_options;

static const char *name_option_at(const void *list, int i)
{
  const all_options *all = list;
  if (i < all->syntax->count)
    return all->syntax->options[i].name;
  i -= all->syntax->count;
  if (all->method)
    return i < all->method->options->count ? all->method->options->options[i].name : NULL;
  for (int m = 0; dae_method_at(m) && all->syntax->takes_method_options; m++) {
    const dae_option_table *table = dae_method_at(m)->options;
    if (i < table->count)
      return table->options[i].name;
    i -= table->count;
  }
  return NULL;
}

const char *cli_nearest_option(const cli_syntax *syntax, const dae_method *method,
                               const char *typed)
{
  all_options all = {syntax, method};
  int count = 0;
  while (name_option_at(&all, count))
    count++;
  return dae_suggest(typed, count, name_option_at, &all);
}

cli_typed cli_dashes(const char *name)
{
  cli_typed typed;
  snprintf(typed.text, sizeof typed.text, "--%s", name);
  for (char *c = typed.text; *c; c++)
    *c = name_fold(*c);
  return typed;
}

/* strtod depends on the locale, which is "C" in this program */
bool cli_parse_number(const char *text, double *value)
{
  if (!*text || strspn(text, "0123456789+-.eE") != strlen(text))
    return false;
  char *end;
  double number = strtod(text, &end);
  if (*end || end == text || !isfinite(number))
    return false;
  *value = number;
  return true;
}
