/** @file
 * Models: text in the language of .dae files, translated into a problem with exact derivatives.
 *
 *     dae_model *model;
 *     if (dae_model_load("pendulum.dae", NULL, NULL, &model, &err) == DAE_OK) {
 *       dae_run_plan plan = {.method = dae_method_find("bdf-ggl", &err)};
 *       dae_model_plan(model, &plan);
 *       ...
 *
 * Loading parses, expands arrays and loops, differentiates, and detects the sparsity. Every error
 * is DAE_ERROR_MODEL with file, line, column and the line itself in the error record. Untrusted
 * text is safe: depth, work and memory are bounded, only files below the model's own folder are
 * read, and no code is executed. See docs/model_language.md. */
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

/** Opaque handle of a model. */
typedef struct dae_model dae_model;

/** Data of an input: samples, which are interpolated as the model declares, or a function. */
typedef struct dae_model_input {
  const char *name;    /**< "u", "A.u", "u[2]" */
  int count;           /**< number of samples, at least 2 */
  const double *t;     /**< times of the samples, rising strictly; copied */
  const double *value; /**< values of the samples; copied. Outside of them they are constant */
  /** value at t (order 0) or the derivative of the given order, in place of samples; NaN refuses
   * the point, as a callback of a problem does. Smooth but for its instants. Systems in threads of
   * their own may call it at the same time. */
  double (*function)(void *user, double t, int order);
  int derivatives; /**< highest order that function knows, 0 to 3; a model that needs more is
                      refused */
  void *user;      /**< argument of function */
  /** ascending times at which function jumps or bends: steps end there, and up to there it is asked
   * for earlier times only */
  const double *instants;
  int instant_count; /**< number of them */
} dae_model_input;

/** Values of params, data of inputs, and limits for untrusted text. */
typedef struct dae_model_options {
  const char *const *set; /**< other values of params: "a=3", "A.k=2*pi", "c[2]=0.1" */
  int set_count;          /**< number of values in set */
  size_t max_bytes;       /**< limit of the size of all files together */
  int max_depth;          /**< limit of the nesting of parentheses, blocks, lets */
  long max_work;          /**< limit of names and operators visited by expansion */
  long max_nodes;         /**< limit of nodes of the expression graph, of about 30 bytes each */
  const dae_model_input *inputs;  /**< data of inputs; others have the value in the text */
  int input_count;                /**< number of inputs given */
  const char *const *input_files; /**< CSV files with a column t and columns of inputs */
  int input_file_count;           /**< number of files */
  const char *const *set_files;   /**< files with lines NAME = EXPRESSION, as in set, before it */
  int set_file_count;             /**< number of files */
} dae_model_options;

/** Default options: no param set, and limits for models of a hundred thousand links. */
dae_model_options dae_model_defaults(void);

/** Loads a model from a file. options and env may be NULL. */
dae_status dae_model_load(const char *path, const dae_model_options *options, const dae_env *env,
                          dae_model **out, dae_error *err);
/** Loads a model from text, with the given name in messages and without imports. options and env
 * may be NULL. */
dae_status dae_model_parse(const char *name, const char *text, size_t length,
                           const dae_model_options *options, const dae_env *env, dae_model **out,
                           dae_error *err);
/** Frees a model; NULL is allowed. */
void dae_model_free(dae_model *model);

/** Name in the model statement. */
const char *dae_model_name(const dae_model *model);
/** Title in the model statement, "" by default. */
const char *dae_model_title(const dae_model *model);

/** Text of file i of the model, the model itself first, then the imported files, and (unless NULL)
 * its name; NULL past the last one. */
const char *dae_model_source(const dae_model *model, int i, const char **name);

/** Problem of the model, valid as long as the model. Its callbacks use memory of the model: a
 * subsystem belongs to one thread at a time. A small model without systems translates a quantity
 * into a tape at its first evaluation; the callback returns -1 if there is no memory for it.
 *
 * The events of dae_model_plan change its held values, discrete variables and branches: dae_run
 * does so, an integrator alone stays in the branches of its start. */
const dae_problem *dae_model_problem(const dae_model *model);
/** Start values of the model. */
dae_start dae_model_start(const dae_model *model);

/** Sizes of the model after expansion. */
typedef struct dae_model_counts {
  int systems;       /**< number of systems, 0: no system statement */
  int coordinates;   /**< coord */
  int states;        /**< state */
  int algebraic;     /**< alg */
  int discretes;     /**< discrete */
  int holonomic;     /**< constraints without rates */
  int nonholonomic;  /**< constraints with rates */
  int joints;        /**< joint */
  int outputs;       /**< output */
  int events;        /**< event */
  int guards;        /**< relations of the motion and of conditions that are watched */
  long nodes;        /**< nodes of the expression graph */
  long instructions; /**< instructions of all tapes */
} dae_model_counts;

/** Sizes of the model; tapes that do not exist yet are created. */
dae_model_counts dae_model_count(const dae_model *model);

/** Compiles the model's equations to native code: they are translated to C, compiled by the
 * system's compiler and loaded in place of the interpreter, with bit-identical results. The code is
 * stored in a cache and reused by later runs, also with other values of the params. options may be
 * NULL. The problem of the model must not be in use.
 *
 * After a failure the model is interpreted, and the error names the cause: a missing compiler, a
 * missing folder, no support in this build (DAE_ERROR_UNSUPPORTED). */
dae_status dae_model_compile(dae_model *model, const dae_native_options *options, dae_error *err);
/** Native code of the model. */
dae_native dae_model_native(const dae_model *model);

/** One setting of the simulate statement, or of a system: `rtol 1e-6`, `method bdf`. */
typedef struct dae_model_setting {
  const char *system; /**< name of the system, NULL: simulate */
  const char *name;   /**< "to", "from", "rtol", "method", "every", ... */
  const char *text;   /**< the value: a word, or a number */
  double value;       /**< NaN for a word */
  int place;          /**< place for dae_model_fail */
} dae_model_setting;

/** Settings in the order of the text; returns their number. */
int dae_model_settings(const dae_model *model, const dae_model_setting **settings);
/** Setting of simulate with this name, or NULL. */
const dae_model_setting *dae_model_find_setting(const dae_model *model, const char *name);

/** Sets problem, start, columns, outputs, events, `to`, `every` and native of a plan. Other members
 * do not change. */
void dae_model_plan(const dae_model *model, dae_run_plan *plan);

/** What the text says of an event of dae_model_plan. */
typedef struct dae_model_event {
  int place;     /**< place for dae_model_fail, -1: none */
  double period; /**< distance of the instants of `every`, 0: no such event */
  double first;  /**< first instant of `every` */
} dae_model_event;

/** Event i of dae_model_plan in the text. */
dae_model_event dae_model_event_at(const dae_model *model, int i);

/** Drawing of the model: the draw statements, or without them point masses and rods recognised in
 * the constraints. It is valid as long as the model; eval uses memory of the model and belongs to
 * one thread at a time. */
dae_drawing dae_model_drawing(const dae_model *model);

/** Method that `auto` selects for a model and a relative tolerance (0: that of `simulate`, or
 * 1e-6), with the reason in why (unless NULL): gauss-seidel where a system has a setting `method`
 * or `step`, else that of dae_method_choose_at, or the first method that accepts the start of the
 * model where that one does not. */
const dae_method *dae_model_choose_at(const dae_model *model, double rtol, char *why, size_t size,
                                      dae_error *err);
/** dae_model_choose_at with the tolerance of the model. */
const dae_method *dae_model_choose(const dae_model *model, char *why, size_t size, dae_error *err);

/** Solvers of the systems of a coupled model for a dynamic iteration with these tolerances, from
 * the settings `method`, `step`, `rtol`, `atol` and other options of the systems. The default
 * tolerances of a system are a thirtieth of those of the iteration, its default method is that of
 * `auto`. *out is the value of dae_wave_options.children, NULL without settings of systems; release
 * it after the run by dae_model_children_free with the same env. A setting that does not apply is
 * DAE_ERROR_MODEL at its place. */
dae_status dae_model_children(const dae_model *model, double rtol, double atol, const dae_env *env,
                              dae_wave_child **out, dae_error *err);
/** Frees the solvers of dae_model_children; NULL is allowed. */
void dae_model_children_free(dae_wave_child *children, const dae_env *env);

/** Sets an error record DAE_ERROR_MODEL with a place in the text. */
dae_status dae_model_fail(const dae_model *model, int place, const char *text, dae_error *err);

/** Adds file, line, column and the line itself to an error of a run whose equation or variable is
 * part of the model; other errors do not change. */
void dae_model_locate(const dae_model *model, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
