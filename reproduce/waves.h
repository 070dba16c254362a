/* One run of a dynamic iteration, watched: for papers about coupled systems. */
#ifndef DAEDAL_REPRODUCE_WAVES_H
#define DAEDAL_REPRODUCE_WAVES_H

#include "reproduce.h"

#include <daedal/wave.h>
#include <math.h>

typedef enum waves_model {
  WAVES_CIRCUITS,     /* two index-1 systems: [E07] example 3.7 */
  WAVES_CIRCUITS_ODE, /* the same without algebraic variables */
  WAVES_THREE,        /* three index-1 systems */
  WAVES_THREE_CLOSE,  /* the same, close to a higher index */
  WAVES_DIODE,        /* how strongly they are coupled depends on the state */
  WAVES_PENDULA,      /* accelerations against a force */
  WAVES_STRUCTURES,   /* two structures and a joint: [WHM11 (19)] */
  WAVES_PRINTED,      /* what the printed scheme of [WHM11] solves */
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
  WAVES_ONE /* nothing is taken apart: the first child's method has the whole problem */
} waves_kind;

#define WAVES_PARTS 3
#define WAVES_STATES 16 /* no model has more */

/* How a part is integrated. */
typedef struct waves_child {
  const char *method; /* NULL: as the first part, or by default */
  double step;        /* fixed */
} waves_child;

typedef struct waves_case {
  waves_model model;
  const char *set; /* "name=value", NULL: the model's own */
  waves_kind kind;
  double to;
  waves_child child[WAVES_PARTS];
  dae_wave_options options;
  int from;      /* sweeps are counted by the changes of unknowns from this one on, */
  double factor; /* times this (0: 1), until they are at most atol */
  void (*look)(void *user, const dae_wave_sweep *sweep);   /* NULL: nobody looks */
  void (*stop)(void *user, double t, const double *state); /* after a window, or NULL */
  void *user;
} waves_case;

typedef struct waves_result {
  bool failed;                   /* the iteration, or a method in it, gave up */
  double sweeps;                 /* most in a window as counted, NaN: it failed */
  double most, last;             /* made in a window at most, in the last one */
  long total;                    /* made in all windows */
  double rate;                   /* of the last two changes above round-off */
  double state[WAVES_STATES];    /* at the end */
  double unknowns[WAVES_STATES]; /* of the iteration, at the end as the last sweep has them */
} waves_result;

/* As papers do it: windows of a fixed size that begin with constant waveforms, changes below the
 * tolerance end the sweeps, systems in the order given, nothing is projected. */
dae_wave_options waves_plain(double tolerance, double window);
/* As daedal does it, to a tolerance that errors are measured against. */
dae_wave_options waves_accurate(void);

/* False if the report is at its end. */
bool waves_run(rep_report *report, const waves_case *run, waves_result *result);

/* What the derivatives say at the start of a model. */
bool waves_contraction(rep_report *report, waves_model model, dae_contraction *out);

/* ---- values of tables ---- */

rep_value waves_shown(double ours);
rep_value waves_near(double ours, double reference, double bound);
/* The same with the paper's value; NaN: it does not say. */
rep_value waves_beside(double paper, double ours, double reference, double bound);
/* Sweeps: slack of them more or less; reference NaN: shown, WAVES_FAILS: the run has to fail. */
rep_value waves_count(double paper, double ours, double reference, double slack);
#define WAVES_FAILS INFINITY
/* ours < limit */
rep_value waves_below(double ours, double limit);

#endif
