/* The internal structure of a model, for the files that build it. */
#ifndef DAEDAL_MODEL_MODEL_H
#define DAEDAL_MODEL_MODEL_H

#include "model/bind/bind.h"
#include "model/bind/clock.h"
#include "model/bind/stops.h"

/* A name that may occur in errors of a run, and its place in the text. */
typedef struct dae__name_place {
  const char *name;
  int place;
  bool body; /* a coordinate of a body */
} dae__name_place;

/* Tape of results on the extended state vector: its class Q is the state vector, of a given size,
 * and its class D the held values behind it. */
typedef struct dae__result_tape {
  dae__tape *tape;
  int size;
} dae__result_tape;

/* Evaluates results; dy: the derivative of the state vector as class S, may be NULL. Returns 0, or
 * -1 without memory. */
int dae__result_run(const dae__result_tape *result, double t, const double *y, const double *dy,
                    double *out);

/* Tapes of an event: event function; event function and time derivative; actions. Or its clock. */
typedef struct dae__event_tapes {
  dae__result_tape value, rate, action;
  dae__clock *clock;
  int mode; /* entry of the mode of a guard that is a clock */
  /* of an impact: gradients and rates of the gap and of sliding coordinates; coefficients */
  dae__result_tape normal, slide[DAE_SLIDES], law;
  dae_contact contact;
} dae__event_tapes;

struct dae_model {
  dae__pool *keep;   /* memory of text and names */
  dae__arena *arena; /* memory of problem and tapes */
  dae__files files;
  const char *name, *title;
  dae_problem problem;
  dae_coupled coupled;
  dae_model_counts count;
  double t_start;
  double *y;    /* start values, by entry of the extended state vector */
  bool *fixed;  /* by entry of y: fixed at the start */
  bool *given;  /* by entry of y: whether the text has a start value */
  double *atol; /* by entry of y: absolute tolerance, 0: none; NULL: none at all */
  DAE__LIST(dae_model_setting) settings;
  DAE__LIST(dae_column) columns;
  dae__result_tape outputs;
  const char **output_names;
  dae_event *events; /* those of guards, then those of the text */
  /* values of the events that are searched for: without rates; with rates, by states alone */
  dae_event_group event_group[2];
  dae__result_tape event_samples[2];
  dae_model_event *event_text; /* by event: what the text says of it */
  int event_count;
  int unwatched;                           /* number of relations of the motion within noevent */
  dae__stops *stops;                       /* narrow features of functions of time; NULL: none */
  const char *inputs, *units, *provenance; /* lines of dae_summary; NULL: none */
  dae_drawing drawing;
  DAE__LIST(dae__name_place) name_places;
  dae__tape_set *tapes;
  void *library; /* library of native code; NULL: all tapes are interpreted */
  dae_native native;
};

/* Compiles all lazy tapes and counts the instructions of all tapes. False: out of memory. */
bool dae__tapes_compile(dae__tape_set *tapes, const dae_env *env);

/* Unloads the native code of a model: all tapes are interpreted. */
void dae__native_unload(dae_model *model);

/* The bound systems and the entries of leaves in the state vector, in scratch memory. */
typedef struct dae__layout {
  dae__system *system;
  int count;
  int *of_instance; /* by instance: its bound system; -1: none */
  int *entry;       /* by leaf: its entry in the extended state vector; -1: none */
  int leaves;       /* number of leaves, the length of `entry` */
  int size;         /* length of the state vector */
} dae__layout;

dae_status dae__build_problem(dae__binder *b, dae_model *model, dae__layout *out);
/* Builds start values, columns, outputs, events, and places of names. Afterwards the class of all
 * entries of the state vector is Q. */
dae_status dae__build_results(dae__binder *b, dae_model *model, const dae__layout *layout);
/* Declares index 2 for a semi-explicit problem or part of structural index 1 where events lead to a
 * state with an equation of F without algebraic variables. Its states begin at entry `first` of the
 * state vector, which has `size`. */
void dae__bind_semi_event_index(dae__pool *scratch, const dae_model *model, dae_semi_explicit *p,
                                int first, int size);
/* Describes the data of inputs and the units. */
dae_status dae__describe_data(dae__expander *x, dae_model *model);
/* Builds the drawing, as the last stage: an automatic picture may exceed the limits. */
dae_status dae__build_drawing(dae__binder *b, dae_model *model, const dae__layout *layout);
/* Builds the settings of simulate and of systems. */
dae_status dae__build_settings(dae__expander *x, dae_model *model);

#endif
