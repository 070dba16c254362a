/* Damped runs of models, and models with fast and slow motion beside each other. */
#ifndef DAEDAL_TESTS_LAWS_DAMPED_RUNS_H
#define DAEDAL_TESTS_LAWS_DAMPED_RUNS_H

#include <daedal/model.h>
#include <daedal/run.h>
#include <stdbool.h>

enum { SIZE = 1300 };

/* A run by a model, and its result. */
typedef struct damped_run {
  const char *text, *method;
  double tolerance, damp_time;
  double atol;                  /* 0: tolerance */
  bool follow;                  /* without damp */
  const dae_model_input *input; /* NULL: none */
  const char *set[4];
  int sets;
  double first[SIZE], last[SIZE];
  int rows, kept; /* kept: coordinates, rates and states */
  dae_summary summary;
  dae_status status;
  dae_error err;
  char names[40][32];
} damped_run;

/* Runs r to its end; a refusal is kept in r->status. */
void damped_go(damped_run *r);
/* The same, and fails the test where the run fails. */
void damped_succeeds(damped_run *r);
/* Largest difference of the last rows of two runs with the same coordinates in the first `count`
 * entries from `from` on, in tolerances TOL (1 + |x|). */
double damped_difference(const damped_run *a, const damped_run *b, int from, int count);
/* Whether the summary has these words, across lines. */
bool damped_tells(const damped_run *r, const char *words);

extern const char damped_point[];
extern const char damped_spring[];
/* the two bodies of section 5.2 of YP96, of which body 1 is held: one angle, and a damped bushing
 */
extern const char damped_bushing[];
extern const char damped_beside[];
extern const char damped_elastic[];
extern const char damped_pendulum[];
extern const char damped_crank[];
extern const char damped_crank_rigid[];
extern const char damped_turning[];
extern const char damped_turning_rigid[];
extern const char damped_rotor[];
extern const char damped_rotor_rigid[];
extern const char damped_rails[];
extern const char damped_rails_rigid[];
extern const char damped_support_stiff[];
extern const char damped_support_rigid[];
/* a fast state and an algebraic variable beside the coordinates: w = 2 y in the slow motion */
extern const char damped_valve[];
extern const char damped_valve_rigid[];
extern const char damped_chain[];
extern const char damped_chain_rigid[];

/* pairs of models with stiff forces and with constraints in their place */
typedef struct damped_pair {
  const char *name, *stiff, *rigid;
  int coordinates;
} damped_pair;
extern const damped_pair damped_mechanisms[];
extern const int damped_mechanism_count;

#endif
