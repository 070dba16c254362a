/** @file
 * Models: text in the language of .dae files, turned into a problem with exact derivatives.
 *
 *     dae_model *model;
 *     if (dae_model_load("pendulum.dae", NULL, NULL, &model, &err) == DAE_OK) {
 *       dae_run_plan plan = {.method = dae_method_find("bdf-ggl", &err)};
 *       dae_model_plan(model, &plan);
 *       ...
 *
 * Loading parses, expands arrays and loops, differentiates, and finds the sparsity. Every mistake
 * is DAE_ERROR_MODEL with file, line, column and the line itself in the error record. Untrusted
 * text is safe: depth, work and memory are bounded, only files below the model's own folder are
 * read, and no code is run. See docs/model_language.md. */
#ifndef DAEDAL_MODEL_H
#define DAEDAL_MODEL_H

#include <daedal/drawing.h>
#include <daedal/env.h>
#include <daedal/native.h>
#include <daedal/problem.h>
#include <daedal/run.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A model that was read. */
typedef struct dae_model dae_model;

/** Params, and bounds for text from strangers. */
typedef struct dae_model_options {
  const char *const *set; /**< params that get another value: "a=3", "A.k=2*pi", "c[2]=0.1" */
  int set_count;          /**< of these */
  size_t max_bytes;       /**< of all files together */
  int max_depth;          /**< of nested parentheses, blocks, lets */
  long max_work;          /**< names and operators that expansion may visit */
  long max_nodes;         /**< of the expression graph, which takes about 30 bytes a node */
} dae_model_options;

/** No param set, and bounds for models of a hundred thousand links. */
dae_model_options dae_model_defaults(void);

/** Reads a model from a file. options and env may be NULL, here and below. */
dae_status dae_model_load(const char *path, const dae_model_options *options, const dae_env *env,
                          dae_model **out, dae_error *err);
/** Reads one from text that is called name in messages (and cannot import). */
dae_status dae_model_parse(const char *name, const char *text, size_t length,
                           const dae_model_options *options, const dae_env *env, dae_model **out,
                           dae_error *err);
/** NULL is allowed. */
void dae_model_free(dae_model *model);

/** As the model statement gives it. */
const char *dae_model_name(const dae_model *model);
/** Its title; "" where there is none. */
const char *dae_model_title(const dae_model *model);

/** The text of the model's files, the model itself first, then what it imports, and (unless NULL)
 * their names; NULL past the last one. */
const char *dae_model_source(const dae_model *model, int i, const char **name);

/** The problem, which lives as long as the model. Its callbacks work in memory of the model: a
 * subsystem belongs to one thread at a time. A small model without systems compiles what it is
 * asked for when that happens first; where there is no memory for it, the callback returns -1. */
const dae_problem *dae_model_problem(const dae_model *model);
/** Its start values, as the model gives them. */
dae_start dae_model_start(const dae_model *model);

/** What the model has, after expansion. */
typedef struct dae_model_counts {
  int systems;       /**< 0: the model has no system statement */
  int coordinates;   /**< coord */
  int states;        /**< state */
  int algebraic;     /**< alg */
  int discretes;     /**< discrete */
  int holonomic;     /**< constraints without rates */
  int nonholonomic;  /**< constraints with rates */
  int joints;        /**< joint */
  int outputs;       /**< output */
  int events;        /**< event */
  long nodes;        /**< of the expression graph */
  long instructions; /**< of all tapes */
} dae_model_counts;

/** Counts them. Tapes that nothing has asked for yet are made for it. */
dae_model_counts dae_model_count(const dae_model *model);

/** Makes native code of the model's equations: they are written out as C, compiled by the system's
 * compiler and loaded, and take the place of the interpreter, with the same results to the last
 * bit. What was compiled once is kept in a folder and found there by later runs, of other values of
 * the params too. options may be NULL. Only while nothing works with the problem of the model.
 *
 * After a failure the model is interpreted as before, and the error says what was missing: a
 * compiler, a folder, support by this build (DAE_ERROR_UNSUPPORTED). */
dae_status dae_model_compile(dae_model *model, const dae_native_options *options, dae_error *err);
/** What became of it. */
dae_native dae_model_native(const dae_model *model);

/** One setting of the simulate statement, or of a system: `rtol 1e-6`, `method bdf`. */
typedef struct dae_model_setting {
  const char *system; /**< NULL: simulate */
  const char *name;   /**< "to", "from", "rtol", "method", "every", ... */
  const char *text;   /**< the value: a word, or a number */
  double value;       /**< NaN for a word */
  int place;          /**< for dae_model_fail */
} dae_model_setting;

/** All settings, in the order of the text; returns their number. */
int dae_model_settings(const dae_model *model, const dae_model_setting **settings);
/** The setting of simulate with this name, or NULL. */
const dae_model_setting *dae_model_find_setting(const dae_model *model, const char *name);

/** Fills in what the model knows of a run: problem, start, columns, outputs, events, `to`, `every`,
 * and native. The rest of the plan is left alone. */
void dae_model_plan(const dae_model *model, dae_run_plan *plan);

/** What a picture of the motion shows: the draw statements, or where there are none point masses
 * and the rods between them, as far as they are recognised in the constraints. It lives as long as
 * the model; eval works in memory of the model and belongs to one thread at a time. */
dae_drawing dae_model_drawing(const dae_model *model);

/** How an iteration with these tolerances is to integrate the systems of a coupled model, by what
 * they say of themselves: `method`, `step`, `rtol`, `atol` and other options of the method. A
 * system without tolerances of its own gets a thirtieth of those of the iteration, one without a
 * method the one that `auto` stands for on it. *out is for dae_wave_options.children, NULL where no
 * system says anything; release it with dae_model_children_free and the same env, when the run is
 * over. What does not fit is DAE_ERROR_MODEL at its place. */
dae_status dae_model_children(const dae_model *model, double rtol, double atol, const dae_env *env,
                              dae_wave_child **out, dae_error *err);
/** NULL is allowed. */
void dae_model_children_free(dae_wave_child *children, const dae_env *env);

/** Fills in an error that points at a place in the text: DAE_ERROR_MODEL. */
dae_status dae_model_fail(const dae_model *model, int place, const char *text, dae_error *err);

/** Adds file, line, column and the line itself to an error of a run whose equation or variable
 * stands in the model; leaves others alone. */
void dae_model_locate(const dae_model *model, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
