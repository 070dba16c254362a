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

/* A file of the model. A place is a position in the text of all files together: byte i of a file is
 * the place first + i. */
typedef struct dae__file {
  const char *name; /* name of the file in messages */
  const char *path; /* path of the file; NULL: text from memory */
  const char *text; /* zero-terminated text of the file */
  int length, first;
  bool canonical; /* links in the path are resolved; for the first file only */
  bool open;      /* the file is being parsed */
} dae__file;

typedef DAE__LIST(dae__file) dae__files;

typedef struct dae__load {
  dae__pool *keep;    /* memory that lives as long as the model */
  dae__pool *scratch; /* memory that is released after loading */
  dae__files files;
  dae_model_options limits;
  long work; /* work done so far, compared with limits.max_work */
  long ask;  /* work at which a request to stop is looked for */
  /* number of records: variables, rates, equations, constraints, ... */
  long records;
  const struct dae__graph *graph;   /* graph whose failure becomes an error */
  const struct dae__walker *walker; /* walker whose failure becomes an error */
  dae_status status;
  dae_error *err;
} dae__load;

/* Records an error at a place in the text, unless there is an error already. Returns l->status. */
__attribute__((format(printf, 3, 4))) dae_status dae__load_fail(dae__load *l, int place,
                                                                const char *format, ...);
/* False after an error; records exhausted memory of any pool, graph or walker as an error. */
bool dae__load_ok(dae__load *l);
/* Adds to the work done, in limits.max_work units; false, with the error recorded, beyond the
 * limit, or after a request to stop. */
enum { DAE__LOOP_WORK = 10 }; /* work of one iteration of a loop without its statements */
dae_status dae__load_check_work(dae__load *l, int place); /* the limit and a request to stop */
static inline bool dae__load_work(dae__load *l, int place, int cost)
{
  l->work += cost;
  bool ask = l->work > l->ask || l->work > l->limits.max_work;
  return !(ask ? dae__load_check_work(l, place) : l->status);
}

/* Counts a record, which takes the memory of DAE__RECORD_NODES nodes; false beyond the limit. */
enum { DAE__RECORD_NODES = 10 };
bool dae__load_record(dae__load *l, int place);

/* Sets file, line, column and source line of an error from a place in the text. */
void dae__locate_error(const dae__files *files, int place, dae_error *err);
/* Line number of a place in the text. */
int dae__line_of(const dae__files *files, int place);

/* Number of a new file, or of a file imported before; -1, with the error recorded at the import
 * statement, after an error. place: place of the import statement, or -1; an imported path is
 * relative to the file that contains it. */
int dae__open_text(dae__load *l, int place, const char *name, const char *text, size_t length);
int dae__open_file(dae__load *l, int place, const char *name, const char *path);
int dae__open_import(dae__load *l, int place, const char *path);
/* False, with the error recorded, for a file that is not regular: a pipe might block for ever. */
bool dae__load_regular(dae__load *l, int place, const char *name, const char *path);
/* Resolved path, in scratch memory, of a file named in the text, below the folder of the model;
 * NULL after an error. what, done: "an import", "imported"; shown: set to its name in messages. */
const char *dae__resolve_path(dae__load *l, int place, const char *path, const char *what,
                              const char *done, const char **shown);

#endif
