/* Options by name. A field of an option struct is converted to a double, in which integers, truth
 * values and indices of choices are exact. Fields are read and checked; texts are parsed, checked
 * and written to fields. */
#include "core/error.h"
#include "core/number.h"

#include <daedal/options.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- fields ---- */

static double options_read_field(const dae_option *option, const void *opts)
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

/* Text of the valid range: "at least 0", "greater than 0 and at most 1", "from 1 to 5". */
static void options_range_text(const dae_option *option, char *text, size_t size)
{
  char min[32], max[32];
  dae__format_double(option->min, min, sizeof min);
  dae__format_double(option->max, max, sizeof max);
  bool positive = option->min > 0 && option->min <= DBL_MIN;
  bool below = option->max<DBL_MAX, above = option->min> - DBL_MAX;
  if (positive && below)
    snprintf(text, size, "greater than 0 and at most %s", max);
  else if (positive)
    snprintf(text, size, "greater than 0");
  else if (above && below)
    snprintf(text, size, "from %s to %s", min, max);
  else if (above)
    snprintf(text, size, "at least %s", min);
  else if (below)
    snprintf(text, size, "at most %s", max);
  else
    snprintf(text, size, "a finite number");
}

static dae_status options_refuse(const dae_option_table *table, const dae_option *option,
                                 const char *value, dae_error *err)
{
  char wanted[256] = "on or off";
  size_t size = sizeof wanted, used;
  switch (option->type) {
  case DAE_OPTION_DOUBLE:
    options_range_text(option, wanted, size);
    break;
  case DAE_OPTION_INT:
    used = (size_t)snprintf(wanted, size, "a whole number ");
    options_range_text(option, wanted + used, size - used);
    break;
  case DAE_OPTION_CHOICE:
    used = (size_t)snprintf(wanted, size, "one of ");
    for (int i = 0; option->choices[i] && used < size; i++)
      used +=
          (size_t)snprintf(wanted + used, size - used, "%s%s", i ? ", " : "", option->choices[i]);
    break;
  case DAE_OPTION_BOOL:
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
    double value = options_read_field(option, opts);
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
  char all[384] = "";
  size_t used = 0;
  for (int i = 0; i < table->count && used < sizeof all; i++)
    used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "",
                             table->options[i].name);
  return dae__fail(err, DAE_ERROR_OPTION, name, "%s has no option '%.60s': it has %s", table->owner,
                   name, table->count ? all : "none");
}

void dae_options_get(const dae_option_table *table, const void *opts, int i, char *text,
                     size_t size)
{
  const dae_option *option = &table->options[i];
  double value = options_read_field(option, opts);
  if (option->type == DAE_OPTION_BOOL)
    snprintf(text, size, "%s", value != 0 ? "on" : "off");
  else if (option->type == DAE_OPTION_CHOICE && options_accepts(option, value))
    snprintf(text, size, "%s", option->choices[(int)value]);
  else
    dae__format_double(value, text, size);
}
