/* Whether two runs have the same events: rows of runs with different numbers of events, or of
 * changes of branches, can be close all the same, as after a grazing contact that one of them
 * missed. */
#ifndef DAEDAL_RUN_EVENT_COUNTS_H
#define DAEDAL_RUN_EVENT_COUNTS_H

#include <stdbool.h>
#include <stddef.h>

/* Numbers of a run: the list of its summary, and the sums over all events and branches. */
typedef struct dae__event_counts {
  const char *list;
  long events, switchings;
} dae__event_counts;

/* An event or a branch whose number differs, with the numbers of both runs. */
typedef struct dae__event_difference {
  char name[104];
  long number[2];
} dae__event_difference;

/* Finds the first event or branch whose number differs; false: there is none. */
bool dae__event_counts_differ(const dae__event_counts *a, const dae__event_counts *b,
                              dae__event_difference *out);

#endif
