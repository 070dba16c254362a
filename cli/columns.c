/* Which columns of a table are meant: by name, by pattern, by a name that is near. */
#include "cli.h"

#include <string.h>

/* * stands for any text, ? for a character; brackets stand for themselves, as in x[3] */
static bool matches(const char *pattern, const char *name)
{
  const char *star = NULL, *retry = NULL; /* the last *, and where the name went on behind it */
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

static int find(const cli_table *table, const char *name)
{
  for (int i = 0; i < table->columns; i++)
    if (strcmp(table->names[i], name) == 0)
      return i;
  return -1;
}

/* "t, x, y and 12 more" */
static void list_names(const cli_table *table, char *text, size_t size)
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

static dae_status no_column(const cli_table *table, const char *name, dae_error *err)
{
  char names[300] = "";
  const char *near = cli_nearest(name, (const char *const *)table->names, table->columns);
  list_names(table, names, sizeof names);
  if (near)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "there is no column '%.60s': did you mean %.60s? There are %s", name, near,
                    names);
  return cli_fail(err, DAE_ERROR_USAGE, "%s '%.60s'; there are %s",
                  strpbrk(name, "*?") ? "no column matches" : "there is no column", name, names);
}

dae_status cli_column(const cli_table *table, const char *name, int *column, dae_error *err)
{
  *column = find(table, name);
  return *column < 0 ? no_column(table, name, err) : DAE_OK;
}

static void add(int column, int *chosen, int *count)
{
  for (int i = 0; i < *count; i++)
    if (chosen[i] == column)
      return;
  chosen[(*count)++] = column;
}

dae_status cli_columns_add(const cli_table *table, const char *pattern, int but, int *chosen,
                           int *count, dae_error *err)
{
  int column = find(table, pattern), matched = column >= 0;
  if (column >= 0)
    add(column, chosen, count);
  for (int i = 0; i < table->columns && column < 0; i++)
    if (i != but && matches(pattern, table->names[i])) {
      add(i, chosen, count);
      matched++;
    }
  return matched > 0 ? DAE_OK : no_column(table, pattern, err);
}
