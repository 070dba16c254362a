/* State of a dynamic iteration, shared by the following files:
 *
 *   integrator.c    integrator interface (verbs); coupled states, projected onto the joints
 *   window.c        one window: exchange grid, extrapolation, sweeps, retries, acceptance
 *   sweep.c         one sweep: every subsystem over the window
 *   update.c        changes of a sweep, multipliers of joints, waveforms of the next sweep
 *   convergence.c   convergence test of a sweep
 *   wave.c          creation from a coupled problem, options; subsystems.c: from user subsystems
 *
 * z are the unknowns (outputs of all subsystems, then multipliers of joints), zhat their values
 * after a sweep. Fields marked "state" are saved with the integrator. */
#ifndef DAEDAL_WAVE_ITERATION_WAVE_H
#define DAEDAL_WAVE_ITERATION_WAVE_H

#include "linalg/solver.h"
#include "problem/coupled/assembly.h"
#include "problem/mechanical/motion.h"
#include "step/integrator.h"
#include "step/limits.h"
#include "wave/analysis/contraction.h"
#include "wave/iteration/accelerate.h"
#include "wave/iteration/workers.h"
#include "wave/subsystems/coupling.h"
#include "wave/variants/variants.h"

/* Scalar state of an iteration between windows (state). */
typedef struct dae__wave_memory {
  double t, t_previous; /* end and begin of the last window */
  double window;        /* length of the next window, 0: not chosen yet */
  int intervals;        /* number of intervals of the exchange grid */
  int nodes;            /* nodes in the grid of the last window; 1: no window since the start */
  /* contraction rate of the last window, assumed in the first sweep of the next */
  double rate;
  double noise;         /* interpolation error that finer grids do not reduce */
  double origin;        /* time from which fixed windows are counted: ends at origin + k window */
  long windows_done;    /* number k of fixed windows completed */
  long sweeps;          /* number of sweeps in all windows */
  int most_sweeps;      /* largest number of sweeps in one window */
  double observed;      /* largest contraction rate so far, NaN: none */
  double rho;           /* largest spectral radius of the plain sweep so far */
  double rho_last;      /* spectral radius at the node evaluated last */
  int last_sweeps;      /* number of sweeps in the last window */
  double last_observed; /* largest contraction rate of the last window */
  dae_stats stats;
} dae__wave_memory;

/* Outcome of a sweep, and of all sweeps over a window. */
typedef enum dae__sweep_outcome {
  DAE__SWEEP_CONVERGED,
  DAE__SWEEP_CONTINUE,
  DAE__SWEEP_COARSE_GRID, /* the exchange grid does not resolve the waveforms */
  DAE__SWEEP_EVENT,       /* event in a subsystem: the window has to end there */
  DAE__SWEEP_DIVERGED,    /* growing changes zhat - z */
  DAE__SWEEP_CYCLE,       /* changes zhat - z that repeat every second sweep */
  DAE__SWEEP_LIMIT,       /* max_sweeps without convergence */
  DAE__SWEEP_FAILED       /* failure of a subsystem, or of the coupling equations */
} dae__sweep_outcome;

/* The window being iterated. Changes are norms of zhat - z, rates are ratios of changes. */
typedef struct dae__trial_window {
  int sweep;              /* number of the sweep, from 1 */
  dae_wave_update update; /* update rule in use */
  int max_sweeps;
  double change, last_change;
  double first_change, min_change;
  double rate, last_rate;
  double worst_rate;     /* largest rate among changes above the noise, NaN: none */
  int growing, cycling;  /* numbers of consecutive sweeps without contraction, and in a cycle */
  bool new_feedthrough;  /* feedthrough matrices were evaluated in this sweep */
  bool want_feedthrough; /* feedthrough matrices are to be evaluated in the next sweep */
  double event_t;        /* time of the earliest event in a subsystem */
} dae__trial_window;

typedef struct dae__wave {
  dae__integrator_table table;
  dae_wave_options opts;
  bool jacobi;
  dae__interface *f;
  dae__coupling coupling; /* systems of a coupled problem; systems = 0: user subsystems */
  /* Coupled problem as the user gave it, and, where joints depend on other constraints, without
   * these joints, which is then the problem of `coupling`: they have no forces of their own in the
   * iteration, and multipliers of minimum norm from the assembly. */
  const dae_problem *problem;
  dae_problem reduced;
  dae_coupled reduced_coupled;
  bool *kept;               /* by joint: joint of the reduced problem; NULL: all are */
  double *y_iter, *dy_iter; /* state and derivative of the problem of `coupling`; y and dy if all */
  dae__variant variant;     /* variant that the options ask for */
  int *order;               /* subsystems in the order of a sweep (state) */
  int *rank;                /* position of each subsystem in the order; multipliers last (state) */
  dae__workers *workers;
  const dae_env *env;
  dae__wave_memory *m; /* scalars between windows (state) */
  dae__limits limits;
  int size;     /* size of the coupled state vector */
  int capacity; /* largest number of nodes of the exchange grid */

  /* waveforms of all unknowns on the exchange grid */
  double *grid;                       /* nodes of the current or the last window (state) */
  dae_waveform given, computed;       /* z and zhat of a sweep (zhat: state) */
  dae_waveform *past;                 /* z of earlier sweeps, latest first */
  int past_count;                     /* number of earlier sweeps stored */
  double *accepted, *accepted_t;      /* waveforms and grid of the last window (state) */
  double *start;                      /* unknowns at the begin of the window (state) */
  dae_waveform *in, *out;             /* input and output waveforms of each subsystem */
  bool *fed_back;                     /* marks unknowns that a sweep reads from z (state) */
  double *scale;                      /* largest |z| and |zhat| of each unknown over the window */
  double *atol;                       /* absolute tolerance of each unknown */
  double *change;                     /* zhat - z of the current sweep at all nodes */
  double *last_change, *older_change; /* zhat - z one and two sweeps before */
  double *previous, *previous_slope;  /* scratch: waveforms of all unknowns */
  double *previous_end;               /* zhat of the sweep before at the end of the window */
  double *delta;                      /* Newton correction of the direct unknowns at all nodes */
  double omega;                       /* factor of the update relax */
  double *mode;                       /* dominant eigenvector of the plain sweep; saved */
  double interpolation_error;         /* error of waveforms between nodes over the tolerance */

  /* feedthrough matrices and the linear system G at the nodes */
  int feedthrough_sets; /* nodes with feedthrough matrices; 1: the last node, for all */
  double *feedthrough;
  double *G, *rhs;
  dae__solver *solver;
  dae__accelerate accelerate;
  double *flat_z, *flat_hat, *flat_weight; /* z, zhat and weights of accelerated unknowns */

  char **snapshot;    /* saved memory of each subsystem at the begin of the window (state) */
  bool at_start;      /* whether all subsystems are at the begin of the window */
  int failed;         /* subsystem that failed, -1: the coupling equations */
  dae_status *status; /* outcome of a sweep for each subsystem */
  dae_error *error;   /* message of a sweep for each subsystem */
  double *reached;    /* time that each subsystem has reached in a sweep */
  dae__trial_window trial;

  /* coupled states, projected onto the joints */
  dae__assembly *assembly; /* mechanical problem of all systems; NULL: no joints */
  dae__mech *mech;
  dae__motion *motion;        /* projection of the children's states */
  dae__motion *output_motion; /* projection of output, without influence on the children */
  double *y, *dy, *assembled, *assembled_rate, *z;
} dae__wave;

static inline double *dae__wave_at(const dae_waveform *w, int node)
{
  return w->value + (size_t)node * (size_t)w->width;
}

/* Feedthrough matrices of all subsystems at a node. */
static inline const double *dae__wave_feedthrough(const dae__wave *w, int node)
{
  const dae__interface *f = w->f;
  return w->feedthrough +
         (w->feedthrough_sets > 1 ? (size_t)node * (size_t)f->first_D[f->systems] : 0);
}

/* ---- sweep.c ---- */

/* Integrates every subsystem over the grid with inputs from the given waveforms. */
dae__sweep_outcome dae__wave_sweep(dae__wave *w, dae_error *err);
/* Saves (save = true), or restores, the memory of all subsystems at the begin of the window. */
dae_status dae__wave_save_all(dae__wave *w, bool save, dae_error *err);

/* ---- update.c ---- */

/* Computes multipliers of joints from their residuals, and the changes of all unknowns. */
dae_status dae__wave_compare(dae__wave *w, dae_error *err);
/* Computes the waveforms z of the next sweep. */
dae_status dae__wave_update(dae__wave *w, dae_error *err);
/* Factors w->G, the linear system of the direct unknowns at time t. */
dae_status dae__wave_factor(dae__wave *w, double t, dae_error *err);
/* Factors G at a node, with the joint rows of all systems (system = -1) or of one system only. */
dae_status dae__wave_factor_at(dae__wave *w, int node, int system, dae_error *err);
/* d += weight S^-1 r, S the mobility of one system, or of all systems (system = -1) */
dae_status dae__wave_add_multipliers(dae__wave *w, int node, int system, double weight, double *d,
                                     dae_error *err);

/* ---- convergence.c ---- */

dae__sweep_outcome dae__wave_test_convergence(dae__wave *w);

/* ---- window.c ---- */

/* Starts the waveforms anew at m->t, with all subsystems at m->t and no window before. */
void dae__wave_reset(dae__wave *w);
/* Iterates over the next window, which ends at t_stop or before. */
dae_status dae__wave_window(void *self, double t_stop, dae_error *err);

/* ---- integrator.c ---- */

extern const dae__integrator_table dae__wave_verbs;
void dae__wave_release(void *self);
/* Returns all subsystems to the begin of the window, without a window before. */
dae_status dae__wave_return(dae__wave *w, dae_error *err);
dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err);
/* Start w->y_iter and w->dy_iter of the iterated problem, from the consistent state w->y. */
dae_status dae__wave_iterated_start(dae__wave *w, double t, dae_error *err);
/* Projects the children's states onto the joints at the end of a window. */
dae_status dae__wave_project_joints(dae__wave *w, dae_error *err);

/* ---- wave.c ---- */

/* A dynamic iteration to be created; `begin` describes its subsystems and calls dae__wave_finish.
 */
typedef struct dae__wave_setup {
  const char *method;
  const dae_wave_options *opts;
  bool jacobi;
  dae_status (*begin)(dae__wave *w, dae__arena *arena, const void *context, dae_error *err);
  const void *context;
  const dae_problem *problem;    /* coupled problem, NULL: user subsystems */
  const dae_option_table *table; /* fields of the options */
  uint64_t other;                /* hash of the user subsystems, 0: none */
} dae__wave_setup;
dae_status dae__wave_create(const dae__wave_setup *setup, const dae_env *env, dae_integrator **out,
                            dae_error *err);
/* Allocates memory, finds the order and starts at t, from the outputs of user subsystems or the
 * coupled state in w->y and w->dy (outputs NULL); the interface w->f must be complete. */
dae_status dae__wave_finish(dae__wave *w, dae__arena *arena, double t, const double *outputs,
                            dae_error *err);
/* Starts anew at t, where all subsystems are; the coupled state is in w->y. */
dae_status dae__wave_reset_at(dae__wave *w, double t, dae_error *err);

/* ---- analysis/report.c ---- */

/* Order of the systems with the smallest contraction factor at a consistent state. */
dae_status dae__wave_best_order(const dae_problem *problem, double t, const double *y,
                                const double *dy, const dae_env *env, int *order, dae_error *err);

/* ---- analysis/diagnose.c ---- */

/* Names of the variables in the slowest mode of a plain sweep, as "one.z, two.z". */
void dae__wave_loop_names(const dae__wave *w, char *text, size_t size);
/* Error message for sweeps over a window that did not converge. */
dae_status dae__wave_diagnose(dae__wave *w, dae__sweep_outcome outcome, dae_error *err);
/* Estimates the spectral radius of the plain sweep by power iteration with the feedthrough matrices
 * at a node, and stores it in w->m. */
void dae__wave_estimate_contraction(dae__wave *w, int node);

#endif
