/* The state of a dynamic iteration, shared by the files of one window in the order of a reader:
 *
 *   integrator.c    verbs of the integrator; coupled states, projected onto the joints
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
#include "wave/analysis/contraction.h"
#include "wave/iteration/accelerate.h"
#include "wave/iteration/workers.h"
#include "wave/subsystems/coupling.h"

/* Scalars that the next window depends on (state). */
typedef struct dae__wave_memory {
  double t, t_previous; /* end and begin of the last window */
  double window;        /* length of the next window, 0: not chosen yet */
  int intervals;        /* of the exchange grid */
  int nodes;            /* of the last window's grid; 1: no window since the start at t */
  double rate;          /* contraction rate of the last window, assumed in the next first sweep */
  double noise;         /* interpolation error that finer grids do not reduce */
  double origin;        /* fixed windows end at origin + k window */
  long windows_done;    /* k of the last fixed window */
  long sweeps;          /* in all windows */
  int most_sweeps;      /* in one window */
  double observed;      /* largest contraction rate so far, NaN: none */
  double rho;           /* largest spectral radius of the plain sweep so far */
  double rho_last;      /* spectral radius at the node evaluated last */
  int last_sweeps;      /* sweeps of the last window */
  double last_observed; /* largest contraction rate of the last window */
  dae_stats stats;
} dae__wave_memory;

/* Outcome of a sweep, and of all sweeps over a window. */
typedef enum dae__sweep_outcome {
  DAE__SWEEP_CONVERGED,
  DAE__SWEEP_CONTINUE,
  DAE__SWEEP_COARSE_GRID, /* the exchange grid does not resolve the waveforms */
  DAE__SWEEP_EVENT,       /* event in a subsystem: the window has to end there */
  DAE__SWEEP_DIVERGED,    /* growing changes */
  DAE__SWEEP_CYCLE,       /* changes that repeat every second sweep */
  DAE__SWEEP_LIMIT,       /* max_sweeps without convergence */
  DAE__SWEEP_FAILED       /* failure of a subsystem, or of the coupling equations */
} dae__sweep_outcome;

/* The window being iterated. Changes are norms of zhat - z, rates are ratios of changes. */
typedef struct dae__trial_window {
  int sweep;              /* from 1 */
  dae_wave_update update; /* in force */
  int max_sweeps;
  double change, last_change;
  double first_change, min_change;
  double rate, last_rate;
  double worst_rate;     /* largest rate of changes above the noise, NaN: none */
  int growing, cycling;  /* sweeps in a row that did not contract; that repeated each other */
  bool new_feedthrough;  /* feedthrough matrices were evaluated in this sweep */
  bool want_feedthrough; /* feedthrough matrices are to be evaluated in the next sweep */
  double event_t;        /* time of the earliest event */
} dae__trial_window;

typedef struct dae__wave {
  dae__integrator_table table;
  dae_wave_options opts;
  bool jacobi;
  dae__interface *f;
  dae__coupling coupling; /* of a coupled problem; systems = 0: user subsystems */
  dae_wave_terms terms;   /* of the options picard and lagged */
  int *order;             /* subsystems in the order of a sweep (state) */
  int *rank;              /* position of each subsystem in the order; multipliers last (state) */
  dae__workers *workers;
  const dae_env *env;
  dae__wave_memory *m; /* state */
  int size;            /* of the state vector */
  int capacity;        /* largest number of nodes */

  /* waveforms of all unknowns on the exchange grid */
  double *grid;                       /* of the last window, or of the one being tried (state) */
  dae_waveform given, computed;       /* z and zhat; computed is state */
  dae_waveform *past;                 /* z of earlier sweeps, latest first */
  int past_count;                     /* number of earlier sweeps remembered */
  double *accepted, *accepted_t;      /* values and grid of the last window (state) */
  double *start;                      /* unknowns at the begin of the window (state) */
  dae_waveform *in, *out;             /* inputs and outputs of each subsystem */
  bool *fed_back;                     /* unknowns that a sweep reads from z (state) */
  double *scale;                      /* largest |z| over the window, of each unknown */
  double *change;                     /* zhat - z at all nodes, of this sweep */
  double *last_change, *older_change; /* zhat - z one and two sweeps before */
  double *previous, *previous_slope;  /* scratch: waveforms of all unknowns */
  double *previous_end;               /* zhat at the end of the window, one sweep before */
  double *delta;                      /* Newton correction of the direct unknowns at all nodes */
  double omega;                       /* relaxation factor */
  double *mode;                       /* eigenvector of the plain sweep to its spectral radius */
  double interpolation_error;         /* between nodes, relative to the tolerance */

  /* feedthrough matrices and the linear system G at the nodes */
  int feedthrough_sets; /* nodes with matrices of their own, 1: those of the last node for all */
  double *feedthrough;
  double *G, *rhs;
  dae__solver *solver;
  dae__accelerate accelerate;
  double *flat_z, *flat_hat, *flat_weight; /* accelerated unknowns at all nodes, and weights */

  char **snapshot;    /* saved memory of each subsystem at the begin of the window (state) */
  bool at_start;      /* all subsystems are at the begin of the window */
  int failed;         /* subsystem that failed, -1: the coupling equations */
  dae_status *status; /* of each subsystem in a sweep */
  dae_error *error;   /* of each subsystem in a sweep */
  double *reached;    /* time that each subsystem has reached */
  dae__trial_window trial;

  /* coupled states, projected onto the joints */
  dae__assembly *assembly; /* NULL: no joints, no projection */
  dae__mech *mech;
  dae__motion *motion;        /* for the children */
  dae__motion *output_motion; /* for output, which must not influence the children */
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

/* Integrates every subsystem over the grid with the waveforms given. */
dae__sweep_outcome dae__wave_sweep(dae__wave *w, dae_error *err);
/* Memory of all subsystems at the begin of the window. */
dae_status dae__wave_save_all(dae__wave *w, dae_error *err);
dae_status dae__wave_load_all(dae__wave *w, dae_error *err);

/* ---- update.c ---- */

/* Multipliers of joints from their residuals, and the change of all unknowns. */
dae_status dae__wave_compare(dae__wave *w, dae_error *err);
/* Waveforms of the next sweep. */
dae_status dae__wave_update(dae__wave *w, dae_error *err);

/* ---- convergence.c ---- */

dae__sweep_outcome dae__wave_test_convergence(dae__wave *w);

/* ---- window.c ---- */

/* All subsystems are at m->t, without a window before. */
void dae__wave_reset(dae__wave *w);
/* The next window, which ends at t_stop or before. */
dae_status dae__wave_window(dae__wave *w, double t_stop, dae_error *err);

/* ---- integrator.c ---- */

extern const dae__integrator_table dae__wave_verbs;
void dae__wave_release(void *self);
dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err);
/* Projects the children onto the joints at the end of a window. */
dae_status dae__wave_project_joints(dae__wave *w, dae_error *err);

/* ---- wave.c ---- */

/* A dynamic iteration without subsystems; NULL: out of memory. */
dae__wave *dae__wave_new(dae__arena *arena, const char *method, const dae_wave_options *opts,
                         bool jacobi);
/* Memory, order and start at t of an iteration whose interface w->f is complete. */
dae_status dae__wave_finish(dae__wave *w, dae__arena *arena, double t, const double *unknowns,
                            dae_error *err);
/* Restarts at t from the consistent state in w->y and w->dy. */
dae_status dae__wave_begin_at(dae__wave *w, double t, dae_error *err);

/* ---- analysis/report.c ---- */

/* The order of the systems with the smallest contraction factor at a consistent state. */
dae_status dae__wave_best_order(const dae_problem *problem, double t, const double *y,
                                const double *dy, const dae_env *env, int *order, dae_error *err);

/* ---- analysis/diagnose.c ---- */

/* Names of the variables in the slowest mode of a sweep: "one.z, two.z". */
void dae__wave_loop_names(const dae__wave *w, char *text, size_t size);
/* Error message for sweeps over a window that did not converge. */
dae_status dae__wave_diagnose(dae__wave *w, dae__sweep_outcome outcome, dae_error *err);
/* Spectral radius of the plain sweep by power iteration, from the feedthrough matrices at a node;
 * stored in the memory. */
void dae__wave_estimate_contraction(dae__wave *w, int node);

#endif
