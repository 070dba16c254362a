/* Rows of a run on their way into a format that is written by columns: a file of doubles, row by
 * row, which is read again at the end. */
#ifndef DAEDAL_OUTPUT_RESULTS_SPOOL_H
#define DAEDAL_OUTPUT_RESULTS_SPOOL_H

#include "core/arena.h"

#include <daedal/file.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct dae__spool {
  dae_file *file; /* NULL: not open */
  const dae_env *env;
  int columns;
} dae__spool;

/* Receives values of one column, from row `first` on. */
typedef dae_status dae__column_part(void *user, int column, long first, long count,
                                    const double *values, dae_error *err);

long dae__spool_count(const dae__spool *spool); /* number of rows */
dae_status dae__spool_row(dae__spool *spool, const double *values, dae_error *err);
/* Reads so many rows from row `first` on; false: a failure, with errno. */
bool dae__spool_read(const dae__spool *spool, int fd, long first, long count, double *values);
int dae__spool_reopen(const dae__spool *spool); /* descriptor for reading, -1: a failure */
/* Gives all rows, in blocks. */
typedef dae_status dae__row_block(void *user, long rows, const double *values, dae_error *err);
dae_status dae__spool_rows(dae__spool *spool, dae__row_block *block, void *user, dae_error *err);
/* Gives all columns, one after the other, each in parts by rising rows. */
dae_status dae__spool_columns(dae__spool *spool, dae__column_part *part, void *user,
                              dae_error *err);

#endif
