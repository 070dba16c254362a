/* A model's run, kept row by row, and what the checks of models compare it with. */
#ifndef DAEDAL_TEST_MOTION_H
#define DAEDAL_TEST_MOTION_H

#include "problems/coupled_models.h"
#include "problems/problems.h"

#include <daedal/daedal.h>

typedef struct motion {
  dae_model *model;
  dae_status status;
  dae_summary summary;
  int columns;
  char **names;
  long rows, room;
  double *values; /* row by row */
} motion;

/* How a model is run; zeros: as its simulate statement says, by the method it names or the one that
 * auto stands for. */
typedef struct motion_plan {
  double tolerance; /* rtol and atol */
  const char *set;  /* a param with another value */
  const char *method;
} motion_plan;

/* Loads and runs; fails the test where either does not work. */
motion motion_of(const char *path, motion_plan plan);
void motion_free(motion *m);

/* A value by the name of its column; the last row is motion_end. An unknown name fails the test. */
double motion_at(const motion *m, long row, const char *column);
double motion_end(const motion *m, const char *column);

/* |a - b| / (1 + |b|) */
double apart(double a, double b);
/* The larger one; a NaN counts as larger. */
double worse(double a, double b);

/* The largest distance of columns, in the order of the state vector, from the reference at the end
 * of a problem; names end with NULL. */
double apart_from_reference(const motion *m, const test_problem *p, const char *const *columns);
/* The largest distance from what is known of a coupled model; from a closed form over all rows. */
double apart_from_known(const motion *m, const coupled_model *known);
/* The largest distance of a column from its first value. */
double apart_from_start(const motion *m, const char *column);

/* y' = f(t, y), followed from row to row by the classical Runge-Kutta method with steps so small
 * that its error does not count; compare gives the distance of a row from y, the largest of which
 * is returned. */
typedef struct reduced {
  int n;
  const double *start;
  void (*rates)(double t, const double *y, double *dy);
  double (*compare)(const motion *m, long row, const double *y);
  double step;
} reduced;
double apart_from_reduced(const motion *m, const reduced *ode);

#endif
