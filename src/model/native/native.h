/* Native code of the tapes of a model: emit C, find it in the cache or compile it, load.
 *
 * The source holds no numbers of the model: constants stay in the registers of the tape, so that
 * runs with other values of the params use the same code. */
#ifndef DAEDAL_MODEL_NATIVE_NATIVE_H
#define DAEDAL_MODEL_NATIVE_NATIVE_H

#include "model/pool.h"
#include "model/tape/tape.h"
#include <daedal/native.h>
#include <daedal/status.h>

/* ---- source text that grows; failure is sticky ---- */

typedef struct dae__source {
  dae_env env;
  char *text; /* without a zero at its end */
  int length, room;
  bool failed; /* out of memory */
} dae__source;

static inline void dae__put_bytes(dae__source *s, const char *bytes, size_t count)
{
  if (s->failed || count > (size_t)(INT_MAX - s->length)) {
    s->failed = true;
    return;
  }
  if ((size_t)(s->room - s->length) < count) {
    void *larger =
        dae__array_grow(&s->env, s->text, &s->room, s->length, s->length + (int)count, 1);
    s->failed = !larger;
    if (!larger)
      return;
    s->text = larger;
  }
  memcpy(s->text + s->length, bytes, count);
  s->length += (int)count;
}

static inline void dae__put(dae__source *s, const char *text)
{
  dae__put_bytes(s, text, strlen(text));
}

static inline void dae__put_number(dae__source *s, int number) /* not negative */
{
  char digits[16];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  dae__put_bytes(s, digits + at, sizeof digits - at);
}

/* before, number, after: "x", 3, "; " */
static inline void dae__put_numbered(dae__source *s, const char *before, int number,
                                     const char *after)
{
  dae__put(s, before);
  dae__put_number(s, number);
  dae__put(s, after);
}

/* ---- stages ---- */

/* A tape of a model, its system and its quantities, for comments. */
typedef struct dae__tape_note {
  dae__tape *tape;
  const char *system, *what;
} dae__tape_note;

#define DAE__NATIVE_TABLE "daedal_tapes" /* symbol of the table of functions by tape */

/* Is a tape of this length one function? Else it is several, which pass values in registers. */
bool dae__native_whole(const dae__tape *tape);
/* Emits the function of the tape with this number. */
void dae__native_emit(dae__source *s, const dae__tape_note *note, int number);
/* Emit the declarations before the functions, and the table after them. */
void dae__native_emit_head(dae__source *s, const char *model);
void dae__native_emit_table(dae__source *s, int count);

/* A place in the cache: <folder>/<model>-<key>, with a hash of the text as key. */
enum { DAE__NATIVE_PATH = 512 };
typedef struct dae__native_place {
  char folder[DAE__NATIVE_PATH];
  char library[DAE__NATIVE_PATH + 128], source[DAE__NATIVE_PATH + 128];
} dae__native_place;

/* Finds or makes the folder, which must belong to the user alone: its files are executed. */
dae_status dae__native_folder(const char *wished, dae__native_place *place, dae_error *err);
void dae__native_name(dae__native_place *place, const char *model, const dae__source *text);
/* Does the cache hold a complete library of this very text? */
bool dae__native_find(const dae__native_place *place, const dae__source *text);
/* Moves a library that was compiled from text into the cache, with text and checksum. */
dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err);

/* The command line of the compiler as a comment, which makes it part of the key; its run. */
void dae__native_put_command(dae__source *s, const dae_native_options *options);
dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err);
double dae__native_now(void); /* monotonic time in seconds */

#endif
