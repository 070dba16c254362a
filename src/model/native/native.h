/* Native code of the tapes of a model: emit C source, find its library in the cache or compile it,
 * load the library.
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
  char *text; /* source text, without a terminating zero */
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

/* Appends a number that is not negative. */
static inline void dae__put_number(dae__source *s, int number)
{
  char digits[16];
  size_t at = sizeof digits;
  do
    digits[--at] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  dae__put_bytes(s, digits + at, sizeof digits - at);
}

/* Appends a text, a number and a text, such as "x", 3, "; ". */
static inline void dae__put_numbered(dae__source *s, const char *before, int number,
                                     const char *after)
{
  dae__put(s, before);
  dae__put_number(s, number);
  dae__put(s, after);
}

/* ---- stages of native compilation ---- */

/* A tape of a model, with its system and quantities for comments in the emitted source. */
typedef struct dae__tape_note {
  dae__tape *tape;
  const char *system, *what;
} dae__tape_note;

/* symbol of the table of native functions, by number of the tape */
#define DAE__NATIVE_TABLE "daedal_tapes"

/* Tests that a tape is short enough to become one function. A longer tape becomes several
 * functions, which exchange values in registers of the tape. */
bool dae__native_whole(const dae__tape *tape);
/* Emits the function, or functions, of the tape with the given number. */
void dae__native_emit(dae__source *s, const dae__tape_note *note, int number);
/* Emit the declarations before the functions, and the table after them. */
void dae__native_emit_head(dae__source *s, const char *model);
void dae__native_emit_table(dae__source *s, int count);

/* Paths of a model in the cache: <folder>/<model>-<key>, where the key is a hash of the source
 * text. */
enum { DAE__NATIVE_PATH = 512 };
typedef struct dae__native_place {
  char folder[DAE__NATIVE_PATH];
  char library[DAE__NATIVE_PATH + 128], source[DAE__NATIVE_PATH + 128];
} dae__native_place;

/* Finds or creates the cache folder, which must belong to the user alone, since its files are
 * executed. */
dae_status dae__native_folder(const char *wished, dae__native_place *place, dae_error *err);
void dae__native_name(dae__native_place *place, const char *model, const dae__source *text);
/* Tests that the cache contains a complete library compiled from exactly this text. */
bool dae__native_find(const dae__native_place *place, const dae__source *text);
/* Moves a library into the cache, together with the text it was compiled from and a checksum. */
dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err);

/* Appends the command line of the compiler to the source, as a comment that makes it part of the
 * key; runs the compiler. */
void dae__native_put_command(dae__source *s, const dae_native_options *options);
dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err);
double dae__native_now(void); /* monotonic clock, in seconds */

#endif
