/* Problems from the text of models beside the same by callbacks in C. */
#ifndef DAEDAL_BENCH_MODELS_H
#define DAEDAL_BENCH_MODELS_H

#include "contender.h"
#include "sheet.h"

/* Seconds of whole runs, and until a model can be run. */
typedef struct model_result {
  const char *name;
  double by_c;                /* by callbacks in C */
  double text, load;          /* from the model, interpreted */
  double first;               /* loading and the first run, which makes what it asks for */
  double first_by_c;          /* the first run, in caches that are as cold */
  double native, native_load; /* as native code, found in the cache; infinite: there is none */
} model_result;

typedef struct model_results {
  model_result result[MOST_CASES];
  int count;
  char without[sizeof((dae_error *)0)->text]; /* why there is no native code; empty: there is */
} model_results;

/* The model of a case that has one. */
dae_model *model_load(const bench_case *c);
/* Native code, kept in a folder that is removed at the exit of the program. */
dae_status model_compile(dae_model *model, dae_error *err);
/* The case with the model in place of its callbacks. */
test_problem model_problem(const bench_case *c, const dae_model *model);

/* All cases that have a model, each for so many seconds. */
void models_measure(double seconds, model_results *out);
void models_show(const model_results *r, sheet *s);

#endif
