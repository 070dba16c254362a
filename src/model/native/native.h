/* The stages that make native code out of the tapes of a model: emit, find or compile, load.
 *
 * The source holds no numbers of the model: constants stay in the registers of the tape, so that
 * runs with other values of the params use the same code. */
#ifndef DAEDAL_MODEL_NATIVE_NATIVE_H
#define DAEDAL_MODEL_NATIVE_NATIVE_H

#include "model/native/native_text.h"
#include "model/tape/tape.h"
#include <daedal/native.h>
#include <daedal/status.h>

/* A tape of a model, and what it computes, for people. */
typedef struct dae__tape_note {
  dae__tape *tape;
  const char *system, *what;
} dae__tape_note;

#define DAE__NATIVE_TABLE "daedal_tapes" /* the functions by tape */

/* Is a tape of this length one function? It is else several, which pass on values in registers. */
bool dae__native_whole(const dae__tape *tape);
/* The function of the tape with this number. */
void dae__native_emit(dae__source *s, const dae__tape_note *note, int number);
/* What stands before the functions, and the table after them. */
void dae__native_emit_head(dae__source *s, const char *model);
void dae__native_emit_table(dae__source *s, int count);

/* A place in the cache: <folder>/<model>-<key>, where key is a number made of the text. */
enum { DAE__NATIVE_PATH = 512 };
typedef struct dae__native_place {
  char folder[DAE__NATIVE_PATH];
  char library[DAE__NATIVE_PATH + 128], source[DAE__NATIVE_PATH + 128];
} dae__native_place;

/* Finds or makes the folder, which has to be the user's alone: what lies in it is run. */
dae_status dae__native_folder(const char *wished, dae__native_place *place, dae_error *err);
void dae__native_name(dae__native_place *place, const char *model, const dae__source *text);
/* Is the library there, whole, and made of this very text? */
bool dae__native_find(const dae__native_place *place, const dae__source *text);
/* Puts a library that was compiled from text into its place, with what find looks for. */
dae_status dae__native_keep(const dae__native_place *place, const char *compiled,
                            const dae__source *text, dae_error *err);

/* The command: what the compiler is called with, as one text for the key; then runs it. */
void dae__native_put_command(dae__source *s, const dae_native_options *options);
dae_status dae__native_build(const dae__native_place *place, const dae_native_options *options,
                             const dae__source *text, dae_error *err);

#endif
