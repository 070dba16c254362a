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

/* Appends a text formatted as by printf, with %s, and with %d for numbers that are not negative. */
__attribute__((format(printf, 2, 3))) void dae__put(dae__source *s, const char *format, ...);

/* ---- stages of native compilation ---- */

/* A tape of a model, with its system and quantities for comments in the emitted source. */
typedef struct dae__tape_note {
  dae__tape *tape;
  const char *system, *what;
  bool frequent; /* evaluated in every stage or step */
  bool native;   /* selected for native code */
} dae__tape_note;

/* symbol of the table of native functions, by number of the tape */
#define DAE__NATIVE_TABLE "daedal_tapes"

/* Largest number of instructions of a tape that becomes one function, which is 5 % faster than
 * several and takes the compiler as long. A longer tape becomes several functions, which exchange
 * values in registers of the tape. */
#define DAE__NATIVE_WHOLE 1000
/* Emits the source file: declarations, the functions of all selected tapes, and the table of
 * functions, 0 for the others. */
void dae__native_emit(dae__source *s, const char *model, const dae__tape_note *notes, int count);

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
/* Sets the paths of a text in the cache, and tests that the cache contains a complete library
 * compiled from exactly this text. */
bool dae__native_find(dae__native_place *place, const char *model, const dae__source *text);
/* Moves a library into the cache, together with the text it was compiled from and a checksum. */
dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err);
/* Deletes the files of the cache that were used longest ago, until all others together take at most
 * this many bytes; those of `place` stay. */
void dae__native_trim(const dae__native_place *place, size_t most, const dae__source *text);

/* Appends the command line of the compiler to the source, as a comment that makes it part of the
 * key; runs the compiler. */
void dae__native_put_command(dae__source *s, const dae_native_options *options);
dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err);
double dae__native_now(void); /* monotonic clock, in seconds */

#endif
