/* Whether two runs of a comparison have the same events: rows of runs with different numbers of
 * events, or of changes of branches, can be close all the same, as after a grazing contact that one
 * of them missed. */
#include "run/compare/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of times that an event or a branch occurs in the list of a summary; key: its kind and name
 * with the tabs behind them. The two guards of a floor have one name. */
static long compare_count_event(const char *list, const char *key, size_t length)
{
  long count = 0;
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (strncmp(line, key, length) == 0)
      count += strtol(line + length, NULL, 10);
  return count;
}

/* One event of list whose number differs in other; false: there is none. */
static bool compare_find_event(const char *list, const char *other, const char **key,
                               size_t *length)
{
  for (const char *line = list; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    size_t kind = strcspn(line, "\t\n");
    if (line[kind] != '\t')
      continue;
    *key = line;
    *length = kind + 1 + strcspn(line + kind + 1, "\t\n") + 1;
    if (compare_count_event(list, line, *length) != compare_count_event(other, line, *length))
      return true;
  }
  return false;
}

bool dae__compare_events_differ(const dae_compare_run *a, const dae__track *x,
                                const dae_compare_run *b, const dae__track *y,
                                char text[DAE__DIFFERENCE_SIZE])
{
  const char *key = "all\tevents and branches\t";
  size_t length = strlen(key);
  char asked[2][32];
  long m = a->events + a->switchings, n = b->events + b->switchings;
  text[0] = '\0';
  if (compare_find_event(x->events, y->events, &key, &length) ||
      compare_find_event(y->events, x->events, &key, &length)) {
    m = compare_count_event(x->events, key, length);
    n = compare_count_event(y->events, key, length);
  } else if (a->events == b->events && a->switchings == b->switchings) {
    return false;
  }
  size_t kind = strcspn(key, "\t");
  dae_compare_asked(a, asked[0], sizeof asked[0]);
  dae_compare_asked(b, asked[1], sizeof asked[1]);
  snprintf(text, DAE__DIFFERENCE_SIZE, "%.*s %.*s: %ld in %.40s at %s, %ld in %.40s at %s",
           (int)kind, key, (int)(length - kind - 2 < 80 ? length - kind - 2 : 80), key + kind + 1,
           m, a->method->name, asked[0], n, b->method->name, asked[1]);
  return true;
}
