/* One observed run of a dynamic iteration, for papers about coupled systems. */
#ifndef DAEDAL_REPRODUCE_WAVES_H
#define DAEDAL_REPRODUCE_WAVES_H

#include "reproduce.h"

#include <daedal/wave.h>
#include <math.h>

typedef enum waves_model {
  WAVES_CIRCUITS,     /* two index-1 systems: [E07] example 3.7 */
  WAVES_CIRCUITS_ODE, /* [E07] example 3.7 without algebraic variables */
  WAVES_THREE,        /* three index-1 systems */
  WAVES_THREE_CLOSE,  /* three index-1 systems close to a higher index */
  WAVES_DIODE,        /* coupling that depends on the state */
  WAVES_PENDULA,      /* accelerations against a force */
  WAVES_STRUCTURES,   /* two structures and a joint: [WHM11 (19)] */
  WAVES_PRINTED,      /* problem solved by the printed scheme of [WHM11] */
  WAVES_WHOLE,        /* the structures as one system */
  WAVES_CHAINS,       /* two joints */
  WAVES_MOVING,       /* masses and a joint that depend on time */
  WAVES_NONLINEAR,    /* a joint along a curve */
  WAVES_MODELS
} waves_model;

typedef enum waves_kind {
  WAVES_GAUSS_SEIDEL,
  WAVES_JACOBI,
  WAVES_JOINT,
  WAVES_ONE /* the assembled problem by the method of the first child */
} waves_kind;

#define WAVES_PARTS 3
#define WAVES_STATES 16 /* largest number of states of a model */

/* Solver of a part. */
typedef struct waves_child {
  const char *method; /* method, NULL: that of the first part, or the default */
  double step;        /* fixed step size */
} waves_child;

typedef struct waves_case {
  waves_model model;
  const char *set; /* "name=value", NULL: no param set */
  waves_kind kind;
  double to;
  waves_child child[WAVES_PARTS];
  dae_wave_options options;
  int from;      /* first unknown whose changes are counted */
  double factor; /* factor of the changes (0: 1), compared with atol */
  void (*look)(void *user, const dae_wave_sweep *sweep);   /* called after a sweep, or NULL */
  void (*stop)(void *user, double t, const double *state); /* called after a window, or NULL */
  void *user;
} waves_case;

typedef struct waves_result {
  bool failed;                /* failure of the iteration, or of a method in it */
  double sweeps;              /* largest number of counted sweeps in a window, NaN: failed */
  double most, last;          /* largest number of sweeps in a window, number in the last window */
  long total;                 /* number of sweeps in all windows */
  double rate;                /* ratio of the last two changes above round-off */
  double state[WAVES_STATES]; /* state at the end */
  double unknowns[WAVES_STATES]; /* unknowns of the iteration at the end, from the last sweep */
} waves_result;

/* Options as in papers: windows of fixed length with constant initial waveforms, stopping test on
 * the change, systems in the given order, no projection. */
dae_wave_options waves_plain(double tolerance, double window);
/* Options of daedal, with a tolerance for accurate solutions. */
dae_wave_options waves_accurate(void);

/* Runs a case; false after a failure of the report. */
bool waves_run(rep_report *report, const waves_case *run, waves_result *result);

/* Contraction from the derivatives at the start of a model. */
bool waves_contraction(rep_report *report, waves_model model, dae_contraction *out);

/* ---- values of tables ---- */

rep_value waves_shown(double ours);
rep_value waves_near(double ours, double reference, double bound);
/* Value with the published value; NaN: none. */
rep_value waves_beside(double paper, double ours, double reference, double bound);
/* Number of sweeps, with slack as bound; reference NaN: not checked, WAVES_FAILS: the run must
 * fail. */
rep_value waves_count(double paper, double ours, double reference, double slack);
#define WAVES_FAILS INFINITY
/* ours < limit */
rep_value waves_below(double ours, double limit);

#endif
