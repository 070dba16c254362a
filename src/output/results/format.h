/* The formats of result files: each writes a whole file from the rows of a run and reads one. */
#ifndef DAEDAL_OUTPUT_RESULTS_FORMAT_H
#define DAEDAL_OUTPUT_RESULTS_FORMAT_H

#include "core/arena.h"
#include "output/results/spool.h"

#include <daedal/results.h>
#include <stdint.h>

/* What a file is made of. */
typedef struct dae__results_source {
  const char *path;
  const char *const *names;
  const char *const *units; /* of the columns; "": none */
  const char *provenance;   /* JSON */
  int columns;
  long rows;
  dae__spool *spool;
} dae__results_source;

/* A file in memory, and what is read from it, in memory of the arena. */
typedef struct dae__results_input {
  const char *path;
  const unsigned char *bytes;
  size_t size;
  dae__arena *arena;
  dae_results *out;
} dae__results_input;

/* One format; suffixes end with NULL. */
typedef struct dae__results_format {
  const char *suffix[3], *name;
  bool reads_itself;                                     /* read takes the path, not the bytes */
  dae_status (*check)(const char *path, dae_error *err); /* before the run; NULL: always possible */
  dae_status (*write)(const dae__results_source *source, dae_file *file, dae_error *err);
  dae_status (*read)(const dae__results_input *in, dae_error *err);
} dae__results_format;

extern const dae__results_format dae__format_mat, dae__format_npz, dae__format_hdf5;

/* Refuses a file that is damaged, or of another kind. */
dae_status dae__results_refuse(const dae__results_input *in, const char *why, dae_error *err);
/* Memory for the names and values of so many columns and rows, within what the file can hold. */
dae_status dae__results_room(const dae__results_input *in, long columns, long rows,
                             const char ***names, double **values, dae_error *err);

#endif
