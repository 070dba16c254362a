/* Selection of columns of a table by name or pattern, with suggestions for a mistyped name. */
#include "cli.h"

#include <string.h>

/* glob match with * and ?; brackets are literal, as in x[3] */
static bool columns_match(const char *pattern, const char *name)
{
  const char *star = NULL, *retry = NULL; /* pattern after the last *, name at its retry */
  while (*name) {
    if (*pattern == '*') {
      star = ++pattern;
      retry = name;
    } else if (*pattern == '?' || *pattern == *name) {
      pattern++;
      name++;
    } else if (star) {
      pattern = star;
      name = ++retry;
    } else {
      return false;
    }
  }
  return pattern[strspn(pattern, "*")] == '\0';
}

static int columns_find(const cli_table *table, const char *name)
{
  for (int i = 0; i < table->columns; i++)
    if (strcmp(table->names[i], name) == 0)
      return i;
  return -1;
}

/* "t, x, y and 12 more" */
static void columns_list(const cli_table *table, char *text, size_t size)
{
  size_t length = 0;
  for (int i = 0; i < table->columns; i++) {
    int left = table->columns - i;
    if (length + strlen(table->names[i]) + 24 > size) {
      snprintf(text + length, size - length, " and %d more", left);
      return;
    }
    length +=
        (size_t)snprintf(text + length, size - length, "%s%s", i > 0 ? ", " : "", table->names[i]);
  }
}

static dae_status columns_refuse(const cli_table *table, const char *name, dae_error *err)
{
  char names[300] = "";
  const char *near = cli_nearest(name, (const char *const *)table->names, table->columns);
  columns_list(table, names, sizeof names);
  if (near)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "there is no column '%.60s': did you mean %.60s? There are %s", name, near,
                    names);
  return cli_fail(err, DAE_ERROR_USAGE, "%s '%.60s'; there are %s",
                  strpbrk(name, "*?") ? "no column matches" : "there is no column", name, names);
}

dae_status cli_column(const cli_table *table, const char *name, int *column, dae_error *err)
{
  *column = columns_find(table, name);
  return *column < 0 ? columns_refuse(table, name, err) : DAE_OK;
}

static void columns_add_once(int column, int *chosen, int *count)
{
  for (int i = 0; i < *count; i++)
    if (chosen[i] == column)
      return;
  chosen[(*count)++] = column;
}

dae_status cli_columns_add(const cli_table *table, const char *pattern, int but, int *chosen,
                           int *count, dae_error *err)
{
  int column = columns_find(table, pattern), matched = column >= 0;
  if (column >= 0)
    columns_add_once(column, chosen, count);
  for (int i = 0; i < table->columns && column < 0; i++)
    if (i != but && columns_match(pattern, table->names[i])) {
      columns_add_once(i, chosen, count);
      matched++;
    }
  return matched > 0 ? DAE_OK : columns_refuse(table, pattern, err);
}
