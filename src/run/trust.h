/* Verdict on the results of a run, by quantities that are known at its end: docs/accuracy.md has
 * the limits and their error rates. */
#ifndef DAEDAL_RUN_TRUST_H
#define DAEDAL_RUN_TRUST_H

#include "run/monitor.h"
#include <daedal/run.h>

/* Tolerances by which results of fixed steps, which have none, are judged; chosen. */
#define DAE__FIXED_STEP_RTOL 1e-4
#define DAE__FIXED_STEP_ATOL 1e-6

/* Facts collected along a run that are not part of the summary. */
typedef struct dae__trust_facts {
  double kinetic;        /* largest kinetic energy */
  double drift;          /* largest drift off the constraints in tolerances */
  long rows_missing;     /* additional rows whose dense output failed */
  double largest;        /* largest |value| of the state vector in a row; NaN counts as infinite */
  char name[64];         /* its variable */
  double event_t;        /* time of the last restart by an event */
  double interval;       /* interval of the last two such events */
  double first_interval; /* interval at which the present series of shrinking intervals began */
  long shrinking;        /* length of the series */
  double accumulation_t; /* time near which events accumulate; valid if accumulates */
  bool accumulates;
} dae__trust_facts;

/* Whether the steps of the run have no error control. */
bool dae__trust_fixed_steps(const dae_summary *s);

/* Phase error of an oscillation, in radians, by the energy errors of the run, the largest kinetic
 * energy and the number of oscillations; NaN: not known. */
double dae__trust_phase(const dae_summary *s, const dae__monitor *m);

/* Takes note of an event at t that restarted the integrator. */
void dae__trust_event(dae__trust_facts *facts, double t);
/* Takes note of a row. */
void dae__trust_row(dae__trust_facts *facts, const dae_problem *problem, const double *y);

/* Sets the verdict and its reasons. */
void dae__trust_judge(dae_summary *s, const dae__trust_facts *facts);

#endif
