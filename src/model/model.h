/* The inside of a model, shared by the files that build it. */
#ifndef DAEDAL_MODEL_MODEL_H
#define DAEDAL_MODEL_MODEL_H

#include "model/bind/bind.h"

/* Where something that errors of a run may name stands in the text. */
typedef struct dae__landmark {
  const char *name;
  int place;
} dae__landmark;

/* What the callbacks of an event work with. */
typedef struct dae__trigger {
  dae__tape *value, *rate, *action;
} dae__trigger;

struct dae_model {
  dae__pool *keep;   /* text and names */
  dae__arena *arena; /* problem and tapes */
  dae__files files;
  const char *name, *title;
  dae_problem problem;
  dae_coupled coupled;
  dae_model_counts count;
  double t_start;
  double *y;          /* start values */
  bool *fixed, *held; /* held: discretes */
  DAE__LIST(dae_model_setting) settings;
  DAE__LIST(dae_column) columns;
  dae__tape *outputs;
  const char **output_names;
  dae_event *events;
  dae_drawing drawing;
  DAE__LIST(dae__landmark) landmarks;
  dae__tape_notes tapes; /* all there are */
  dae__graph *graph;     /* of tapes that are not made yet; NULL: they all are */
  dae__tape_marks marks; /* scratch of those that make them */
  void *library;         /* of native code; NULL: all tapes are interpreted */
  dae_native native;
};

/* Makes the tapes that were postponed. False: out of memory. */
bool dae__make_tapes(dae_model *model);

/* The interpreter takes over again; nothing to do where it never went. */
void dae__native_unload(dae_model *model);

/* The problem: units, wires, joints. unit_of_instance and units are in scratch memory. */
typedef struct dae__units {
  dae__unit *unit;
  int count;
  int *of_instance; /* -1: none */
  int *entry;       /* by leaf: its entry in the state vector; -1: none */
  int leaves, size; /* of entry; of the state vector */
} dae__units;

dae_status dae__build_problem(dae__binder *b, dae_model *model, dae__units *out);
/* Columns, start values, outputs, events, landmarks: what is read off the state vector, which is
 * left placed as class Q. */
dae_status dae__build_results(dae__binder *b, dae_model *model, const dae__units *units);
/* The drawing; after all else, since it may be a guess. */
dae_status dae__build_drawing(dae__binder *b, dae_model *model, const dae__units *units);
/* simulate and the settings of systems. */
dae_status dae__build_settings(dae__expander *x, dae_model *model);

#endif
