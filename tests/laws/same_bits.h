/* Stepping on after load gives the same bits as stepping on after save: times, states, what is
 * shown between the steps, statistics; in the same handle, in a fresh one, and in one that has been
 * elsewhere. */
#ifndef DAEDAL_TESTS_SAME_BITS_H
#define DAEDAL_TESTS_SAME_BITS_H

#include "support.h"

/* What is run: a problem, and a method with its options. */
typedef struct same_set_up {
  const test_problem *p;
  const dae_method *method;
  union {
    dae_bdf_options bdf;
    dae_spark_options spark;
    dae_lie_options lie;
    dae_wave_options wave;
  } opts;
  double step;        /* or window; 0: variable */
  bool variable_only; /* the method has no fixed steps */
} same_set_up;

/* rtol = atol = 1e-6, and a fixed step unless it is 0. */
same_set_up same_set_up_of(const test_problem *p, const dae_method *method, double step);

dae_integrator *same_create(const same_set_up *s);
/* One step; false: the end was reached before. */
bool same_step(const same_set_up *s, dae_integrator *it);
void same_step_on(const same_set_up *s, dae_integrator *it, int steps);

/* The last step, and those that follow it. */
typedef struct same_record {
  int steps, size;
  double *values; /* for each step t, y, dy, and y at two places within it */
  dae_stats stats;
} same_record;

/* Its values are to be freed. */
same_record same_record_steps(const same_set_up *s, dae_integrator *it);
/* Frees the values of b. */
void same_assert(const same_set_up *s, const same_record *a, same_record b, const char *what);

/* Into memory that is to be freed. */
void *same_save(dae_integrator *it, size_t *size);

/* Saved after `before` steps, and loaded. */
void same_check(const same_set_up *s, int before);

#endif
