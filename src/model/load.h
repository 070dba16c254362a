/* The state shared by all stages of loading a model: memory, the text, limits, and the first error.
 *
 * Errors are sticky: dae__load_fail records the first one and ignores later ones, so that a stage
 * may go on to its next check of l->status. A loop count or an index is valid only after such a
 * check.
 */
#ifndef DAEDAL_MODEL_LOAD_H
#define DAEDAL_MODEL_LOAD_H

#include "model/pool.h"
#include <daedal/model.h>

/* A file of the model. A place is the number of a byte of all files: first + i of a file. */
typedef struct dae__file {
  const char *name; /* in messages */
  const char *path; /* NULL: text from memory */
  const char *text; /* ended by a zero */
  int length, first;
  bool canonical; /* first file: links in its path are resolved */
  bool open;      /* being parsed */
} dae__file;

typedef DAE__LIST(dae__file) dae__files;

typedef struct dae__load {
  dae__pool *keep;    /* lives as long as the model */
  dae__pool *scratch; /* released after loading */
  dae__files files;
  dae_model_options limits;
  long work;                        /* units of work done */
  long records;                     /* number of variables, rates, equations, constraints, ... */
  const struct dae__graph *graph;   /* for its failure */
  const struct dae__walker *walker; /* for its failure */
  dae_status status;
  dae_error *err;
} dae__load;

/* Records an error at a place. Returns l->status. */
__attribute__((format(printf, 3, 4))) dae_status dae__load_fail(dae__load *l, int place,
                                                                const char *format, ...);
/* False after an error; running out of memory in any pool, graph or walker becomes one. */
bool dae__load_ok(dae__load *l);
/* Counts work; false, with the error recorded, beyond the limit. */
enum { DAE__LOOP_WORK = 10 }; /* work of one turn of a loop without its statements */
dae_status dae__load_fail_work(dae__load *l, int place);
static inline bool dae__load_work(dae__load *l, int place, int cost)
{
  l->work += cost;
  return !(l->work > l->limits.max_work ? dae__load_fail_work(l, place) : l->status);
}

/* Counts a record, with the memory of DAE__RECORD_NODES nodes; false beyond the limit. */
enum { DAE__RECORD_NODES = 10 };
bool dae__load_record(dae__load *l, int place);

/* Sets file, line, column and text of the line of an error. */
void dae__locate_error(const dae__files *files, int place, dae_error *err);
/* Line number of a place. */
int dae__line_of(const dae__files *files, int place);

/* The number of a new file, or of an imported one that is known; -1 with the error recorded, at the
 * place of an import. An imported path is relative to the file that holds place. */
int dae__open_text(dae__load *l, const char *name, const char *text, size_t length);
int dae__open_file(dae__load *l, const char *path);
int dae__open_import(dae__load *l, int place, const char *path);

#endif
