#include "run/event_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of times that an event or a branch occurs in the list of a summary; key: its kind and name
 * with the tabs behind them. The two guards of a floor have one name. */
static long event_counts_of(const char *list, const char *key, size_t length)
{
  long count = 0;
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, key, length) == 0)
      count += strtol(line + length, NULL, 10);
  return count;
}

/* One event of list whose number differs in other; false: there is none. */
static bool event_counts_find(const char *list, const char *other, const char **key, size_t *length)
{
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t kind = strcspn(line, "\t\n");
    if (line[kind] != '\t')
      continue;
    *key = line;
    *length = kind + 1 + strcspn(line + kind + 1, "\t\n") + 1;
    if (event_counts_of(list, line, *length) != event_counts_of(other, line, *length))
      return true;
  }
  return false;
}

bool dae__event_counts_differ(const dae__event_counts *a, const dae__event_counts *b,
                              dae__event_difference *out)
{
  const char *key = "all\tevents and branches\t";
  size_t length = strlen(key);
  out->number[0] = a->events + a->switchings;
  out->number[1] = b->events + b->switchings;
  if (event_counts_find(a->list, b->list, &key, &length) ||
      event_counts_find(b->list, a->list, &key, &length)) {
    out->number[0] = event_counts_of(a->list, key, length);
    out->number[1] = event_counts_of(b->list, key, length);
  } else if (a->events == b->events && a->switchings == b->switchings) {
    return false;
  }
  size_t kind = strcspn(key, "\t");
  snprintf(out->name, sizeof out->name, "%.*s %.*s", (int)(kind < 20 ? kind : 20), key,
           (int)(length - kind - 2 < 80 ? length - kind - 2 : 80), key + kind + 1);
  return true;
}
