/* Options by name. A field of an option struct is converted to a double, in which integers, truth
 * values and indices of choices are exact. Fields are read and checked; texts are parsed, checked
 * and written to fields. */
#include "core/options.h"

#include "core/error.h"
#include "core/number.h"
#include "core/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- fields ---- */

double dae__options_value(const dae_option *option, const void *opts)
{
  const char *field = (const char *)opts + option->offset;
  if (option->type == DAE_OPTION_DOUBLE) {
    double value;
    memcpy(&value, field, sizeof value);
    return value;
  }
  if (option->type == DAE_OPTION_BOOL) {
    unsigned char byte; /* byte of a bool: an uninitialised one may hold any value */
    memcpy(&byte, field, sizeof byte);
    return byte;
  }
  int value;
  memcpy(&value, field, sizeof value);
  return value;
}

static bool options_accepts(const dae_option *option, double value)
{
  int choices = 0;
  switch (option->type) {
  case DAE_OPTION_DOUBLE:
  case DAE_OPTION_INT:
    return isfinite(value) && value >= option->min && value <= option->max;
  case DAE_OPTION_BOOL:
    return value == 0 || value == 1;
  case DAE_OPTION_CHOICE:
    while (option->choices[choices])
      choices++;
    return value >= 0 && value < choices;
  }
  return false;
}

/* ---- messages about invalid values ---- */

/* Adds the valid range: "at least 0", "greater than 0 and at most 1", "from 1 to 5". */
static void options_add_range(dae__text *t, const dae_option *option)
{
  char min[32], max[32];
  dae__format_double(option->min, min, sizeof min);
  dae__format_double(option->max, max, sizeof max);
  bool positive = option->min > 0 && option->min <= DBL_MIN;
  bool below = option->max<DBL_MAX, above = option->min> - DBL_MAX;
  if (positive && below)
    dae__text_add(t, "greater than 0 and at most %s", max);
  else if (positive)
    dae__text_add(t, "greater than 0");
  else if (above && below)
    dae__text_add(t, "from %s to %s", min, max);
  else if (above)
    dae__text_add(t, "at least %s", min);
  else if (below)
    dae__text_add(t, "at most %s", max);
  else
    dae__text_add(t, "a finite number");
}

static dae_status options_refuse(const dae_option_table *table, const dae_option *option,
                                 const char *value, dae_error *err)
{
  char wanted[256];
  dae__text t = dae__text_in(wanted, sizeof wanted);
  switch (option->type) {
  case DAE_OPTION_INT:
    dae__text_add(&t, "a whole number ");
    options_add_range(&t, option);
    break;
  case DAE_OPTION_DOUBLE:
    options_add_range(&t, option);
    break;
  case DAE_OPTION_CHOICE:
    for (int i = 0; option->choices[i]; i++)
      dae__text_add(&t, "%s%s", i ? ", " : "one of ", option->choices[i]);
    break;
  case DAE_OPTION_BOOL:
    dae__text_add(&t, "on or off");
    break;
  }
  return dae__fail(err, DAE_ERROR_OPTION, option->name,
                   "%s: %s = %.60s is not valid, it must be %s (%s)", table->owner, option->name,
                   value, wanted, option->help ? option->help : "no description");
}

dae_status dae_options_validate(const dae_option_table *table, const void *opts, dae_error *err)
{
  for (int i = 0; i < table->count; i++) {
    const dae_option *option = &table->options[i];
    double value = dae__options_value(option, opts);
    if (options_accepts(option, value))
      continue;
    char text[32];
    dae__format_double(value, text, sizeof text);
    return options_refuse(table, option, text, err);
  }
  return DAE_OK;
}

static const char *options_option_name(const void *list, int i)
{
  return ((const dae_option_table *)list)->options[i].name;
}

/* ---- values from text ---- */

/* Equality of option names, - and _ being the same. */
static bool options_same_name(const char *a, const char *b)
{
  for (; *a && *b; a++, b++)
    if ((*a == '-' ? '_' : *a) != (*b == '-' ? '_' : *b))
      return false;
  return *a == *b;
}

/* Words of choices that have another one now, and are accepted for one minor version
 * (docs/compatibility.md). */
static const struct {
  const char *option, *word, *now;
} deprecated_words[] = {{"rules", "strict", "accurate"}};

static const char *options_word(const dae_option *option, const char *word)
{
  for (size_t i = 0; i < sizeof deprecated_words / sizeof *deprecated_words; i++)
    if (strcmp(option->name, deprecated_words[i].option) == 0 &&
        options_same_name(word, deprecated_words[i].word))
      return deprecated_words[i].now;
  return word;
}

static bool options_parse(const dae_option *option, const char *text, double *value)
{
  static const char *const truth[] = {"off", "on", "false", "true", "no", "yes", "0", "1", NULL};
  int number = 0, i = 0;
  bool found = false;
  switch (option->type) {
  case DAE_OPTION_DOUBLE:
    return dae__parse_double(text, value);
  case DAE_OPTION_INT:
    found = dae__parse_int(text, &number);
    break;
  case DAE_OPTION_BOOL:
    while (truth[i] && strcmp(text, truth[i]) != 0)
      i++;
    found = truth[i];
    number = i % 2;
    break;
  case DAE_OPTION_CHOICE:
    text = options_word(option, text);
    while (option->choices[i] && !options_same_name(text, option->choices[i]))
      i++;
    found = option->choices[i];
    number = i;
    break;
  }
  *value = number;
  return found;
}

dae_status dae_options_set(const dae_option_table *table, void *opts, const char *name,
                           const char *value, dae_error *err)
{
  for (int i = 0; i < table->count; i++) {
    const dae_option *option = &table->options[i];
    if (!options_same_name(name, option->name))
      continue;
    double number;
    if (!options_parse(option, value, &number) || !options_accepts(option, number))
      return options_refuse(table, option, value, err);
    char *field = (char *)opts + option->offset;
    bool on = number != 0;
    int whole = option->type == DAE_OPTION_DOUBLE ? 0 : (int)number;
    if (option->type == DAE_OPTION_DOUBLE)
      memcpy(field, &number, sizeof number);
    else if (option->type == DAE_OPTION_BOOL)
      memcpy(field, &on, sizeof on);
    else
      memcpy(field, &whole, sizeof whole);
    return DAE_OK;
  }
  const char *near = dae_suggest(name, table->count, options_option_name, table);
  if (near)
    return dae__fail(err, DAE_ERROR_OPTION, name, "%s has no option '%.60s': did you mean '%s'?",
                     table->owner, name, near);
  char all[384];
  dae__text t = dae__text_in(all, sizeof all);
  for (int i = 0; i < table->count; i++)
    dae__text_add(&t, "%s%s", i ? ", " : "", table->options[i].name);
  return dae__fail(err, DAE_ERROR_OPTION, name, "%s has no option '%.60s': it has %s", table->owner,
                   name, table->count ? all : "none");
}

double dae__options_number(const dae_option_table *table, const void *opts, const char *name)
{
  for (int i = 0; i < table->count; i++)
    if (strcmp(table->options[i].name, name) == 0)
      return dae__options_value(&table->options[i], opts);
  return NAN;
}

dae_status dae__options_set_number(const dae_option_table *table, void *opts, const char *name,
                                   double value, dae_error *err)
{
  return isnan(dae__options_number(table, opts, name))
             ? DAE_OK
             : dae_options_set(table, opts, name, dae__number_text(value, 17).text, err);
}

void dae_options_get(const dae_option_table *table, const void *opts, int i, char *text,
                     size_t size)
{
  const dae_option *option = &table->options[i];
  double value = dae__options_value(option, opts);
  if (option->type == DAE_OPTION_BOOL)
    snprintf(text, size, "%s", value != 0 ? "on" : "off");
  else if (option->type == DAE_OPTION_CHOICE && options_accepts(option, value))
    snprintf(text, size, "%s", option->choices[(int)value]);
  else
    dae__format_double(value, text, size);
}
