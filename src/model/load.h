/* What all stages of loading a model share: memory, the text, limits, and the first mistake found.
 *
 * Mistakes are sticky: dae__complain records the first one and later ones are not heard, so that a
 * stage may go on to its next check of l->status. Whoever reads a loop count or an index looks at
 * l->status first. */
#ifndef DAEDAL_MODEL_LOAD_H
#define DAEDAL_MODEL_LOAD_H

#include "model/pool.h"
#include <daedal/model.h>

/* A file of the model. Places number the bytes of all files together: byte i of a file has the
 * place first + i. */
typedef struct dae__file {
  const char *name; /* as it is shown to the user */
  const char *path; /* NULL for text that came from memory */
  const char *text; /* followed by a zero */
  int length, first;
  bool canonical; /* of the model's own file: links in its path were resolved */
  bool open;      /* being parsed */
} dae__file;

typedef DAE__LIST(dae__file) dae__files;

typedef struct dae__load {
  dae__pool *keep;    /* lives as long as the model */
  dae__pool *scratch; /* released when loading is done */
  dae__files files;
  dae_model_options limits;
  long work;                      /* visited so far */
  long records;                   /* variables, rates, equations, constraints, ... so far */
  const struct dae__graph *graph; /* expressions, and walks over them: whose memory may run out */
  const struct dae__walker *walker;
  dae_status status;
  dae_error *err;
} dae__load;

/* Records a mistake at a place; says what would be right. Returns l->status. */
__attribute__((format(printf, 3, 4))) dae_status dae__complain(dae__load *l, int place,
                                                               const char *format, ...);
/* Out of memory, wherever it happened, becomes the status. */
bool dae__load_ok(dae__load *l);
/* Counts work; false once the limit is passed (with the complaint made). */
enum { DAE__TURN = 10 }; /* the work of a turn of a loop beside what its statements take */
dae_status dae__complain_work(dae__load *l, int place);
static inline bool dae__load_work(dae__load *l, int place, int cost)
{
  l->work += cost;
  return !(l->work > l->limits.max_work ? dae__complain_work(l, place) : l->status);
}

/* Counts something that takes as much memory as DAE__RECORD nodes; false beyond the limit. */
enum { DAE__RECORD = 10 };
bool dae__load_record(dae__load *l, int place);

/* Fills in file, line, column and the line itself. */
void dae__point_at(const dae__files *files, int place, dae_error *err);
/* Line number of a place. */
int dae__line_of(const dae__files *files, int place);

/* Adds a file; its number, or -1 with the complaint made at place (of the import; -1: none). An
 * imported path is taken relative to the file that holds place. A file that is already there gives
 * its number. */
int dae__open_text(dae__load *l, const char *name, const char *text, size_t length);
int dae__open_file(dae__load *l, const char *path);
int dae__open_import(dae__load *l, int place, const char *path);

#endif
