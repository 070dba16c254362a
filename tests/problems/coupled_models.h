/* The coupled models of examples/models and what is known of them: values of columns by their names
 * as results have them, closed forms, and how plain iterations between the systems contract. The
 * values come from references/coupled.py and references/circuits_ring.c. */
#ifndef DAEDAL_TEST_COUPLED_MODELS_H
#define DAEDAL_TEST_COUPLED_MODELS_H

typedef struct coupled_model {
  const char *name; /* of the model, and with .dae that of its file */
  const char *path;
  double to; /* the end of its simulate statement */
  int columns;
  const char *const *column;
  int times;
  const double *time;                     /* ascending; the last one is `to` */
  const double *value;                    /* of all columns at one time after the other */
  double accuracy;                        /* of these values, relative to 1 + |value| */
  void (*exact)(double t, double *value); /* all columns at any t; NULL: not known */

  /* factors of plain sweeps at the start, NaN: not known or none. Variables of the systems: in the
   * order of the model, in the best order, all at once. Joints: their forces found by the first
   * system, by the last */
  double gauss_seidel, best, jacobi;
  double on_first, on_second;
} coupled_model;

/* NULL past the last one. */
const coupled_model *coupled_model_at(int i);
/* By its name; NULL if it is none of them. */
const coupled_model *coupled_model_find(const char *name);

#endif
