/* A coupled model under a dynamic iteration: its children, its options, and a run with what its
 * sweeps have shown. Sweeps end at a hundredth of the tolerance: atol = 1e-6, rtol = 0 stand for an
 * iteration to 1e-8. */
#ifndef DAEDAL_TESTS_WAVE_FIXTURE_H
#define DAEDAL_TESTS_WAVE_FIXTURE_H

#include "problems/coupled_models.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <daedal/rk.h>
#include <daedal/wave.h>

enum { WAVE_PARTS = 20, WAVE_SIZE = 640 };

typedef struct wave_case {
  dae_model *model;
  const dae_problem *problem;
  dae_start start;
  int size, parts;
  const char *method; /* gauss-seidel, jacobi or joint */
  dae_wave_options opts;
  dae_wave_child child[WAVE_PARTS];
  dae_rk_options rk[WAVE_PARTS];
} wave_case;

/* What a run came to. */
typedef struct wave_run {
  dae_status status; /* of the last window */
  dae_error err;
  double t, y[WAVE_SIZE], dy[WAVE_SIZE];
  dae_contraction seen;
  dae_stats stats;
  double late_rate; /* of the last two sweeps, by the changes of the last unknown */
} wave_run;

/* gauss-seidel, order as given, atol = 1e-6, rtol = 0, default children; set: a param with another
 * value, or NULL. The case must stay where it is. */
void wave_open(wave_case *c, const char *path, const char *set);
void wave_parse(wave_case *c, const char *text);
void wave_close(wave_case *c);

/* The method of one part, or of all of them, and its step size. */
void wave_child(wave_case *c, int part, const char *method, double step);
void wave_children(wave_case *c, const char *method, double step);

/* Fails the test where it cannot be created. */
dae_integrator *wave_create(const wave_case *c);
dae_status wave_try(const wave_case *c, const dae_env *env, dae_integrator **out, dae_error *err);
/* To t = to, or to the failure. */
wave_run wave_go(wave_case *c, double to);

/* What solves the problem as one system: bdf, or bdf-ggl where there are constraints. */
const dae_method *wave_as_one(const wave_case *c);

/* Where an integrator stands. */
void wave_state(dae_integrator *it, double *y, double *dy);
/* Entry of the state vector by its name as a result column. */
int wave_entry(const wave_case *c, const char *name);

/* The largest |y - value| over columns of a known model from ... to - 1. */
double wave_apart(const wave_case *c, const double *y, const coupled_model *known,
                  const double *value, int from, int to);

#endif
