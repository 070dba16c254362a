/* A model's own expressions, before anything is derived from them, and their derivatives by
 * hyper-dual numbers: the stages of loading up to the lists of variables, done a second time with
 * the expression graph kept alive. */
#ifndef DAEDAL_TESTS_MODEL_BASE_H
#define DAEDAL_TESTS_MODEL_BASE_H

#include "hyperdual.h"
#include "model/model.h"
#include "model/text/parse.h"

enum { BASE_DIRECTIONS = 3 };

typedef struct base {
  dae_model model; /* of this second pass; only its memory is used */
  dae__load load;
  dae__expander x;
  dae__parsed parsed;
  dae__layout layout;
  double *value;                      /* by leaf: where expressions are evaluated */
  long double *seed[BASE_DIRECTIONS]; /* by leaf: the directions */
  hyper *node;                        /* values of nodes */
  bool *needed;
} base;

/* From a file, or from a text (path NULL); fails the test where that does not work. */
void base_open(base *b, const char *path, const char *text, const dae_model_options *options);
void base_close(base *b);

/* The leaf of the rate of a coordinate or state. */
int base_rate(const base *b, int leaf);

/* Direction k becomes zero; gets a component. */
void base_clear(base *b, int k);
void base_toward(base *b, int k, int leaf, long double amount);

/* The derivative of a node in the first `order` directions; order 0: its value. */
long double base_derivative(base *b, dae__node node, int order);

#endif
