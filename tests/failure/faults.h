/* Problems of every form whose callbacks go wrong on demand, and runs of them. */
#ifndef DAEDAL_TEST_FAULTS_H
#define DAEDAL_TEST_FAULTS_H

#include <daedal/daedal.h>
#include <stdbool.h>

#define TO 1.5
#define BREAKS 0.7 /* where lasting faults begin */

typedef enum manner { FINE, REFUSES, IS_NAN, FAILS } manner;
typedef enum place { FAR_OFF, LATE, EVERYWHERE } place;

/* What is wrong: one callback, by name ("f"; "semi.f", "part.f", "joint.g" in the other forms), and
 * how often it went wrong since. */
typedef struct fault_state {
  const char *callback;
  manner manner;
  place place;
  long hits;
} fault_state;
extern fault_state fault;
void set_fault(const char *callback, manner how, place where);

/* The problems. FULL gives every derivative, BARE none, MOMENTA the other face, JOINTLY one call
 * for everything; PLAIN has no algebraic variable. */
enum { FULL, BARE, MOMENTA, JOINTLY, COUPLED, SEMI, PLAIN, SETTINGS };
typedef struct setting {
  const char *name;
  dae_problem problem;
  const double *y;
  const char *method;
} setting;
extern const setting settings[SETTINGS];

typedef struct outcome {
  dae_status status;
  dae_error err;
  dae_summary summary;
  /* of the CSV file */
  long rows;
  double t_last, value_last;
  bool finite; /* nothing in it that is not a number */
} outcome;

/* A run of settings[which] with the fault that is set; first_step 0: chosen. */
outcome run_with_fault(int which, double first_step);
/* The same by another method than its own, with its options. */
outcome run_by(const char *method, const void *opts, int which);

#endif
