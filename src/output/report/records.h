/* Records of numbers in bounded memory: when it is full every second one is dropped, so that those
 * kept are evenly spread over all that came. The first and the last are always among them. */
#ifndef DAEDAL_OUTPUT_REPORT_RECORDS_H
#define DAEDAL_OUTPUT_REPORT_RECORDS_H

#include "core/arena.h"

typedef struct dae__records {
  int width; /* numbers in a record */
  long room; /* records */
  long count;
  long seen;     /* all that came */
  long stride;   /* every so many-th is kept */
  double *value; /* record i from value[i * width] on */
  double *last;  /* the last one that came */
} dae__records;

/* Memory for at least two records; whether it was to be had, dae__arena_failed says. */
dae__records dae__records_create(dae__arena *arena, int width, long room);
void dae__records_add(dae__records *all, const double *record);
/* Nothing more comes: the last one is kept, too. */
void dae__records_end(dae__records *all);

#endif
