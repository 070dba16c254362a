/* The inside of a dynamic iteration, shared by its files:
 *   sweep.c     one sweep: every subsystem over the window
 *   update.c    the next waveforms out of what came out
 *   grid.c      where windows end, and the nodes of the exchange
 *   judge.c     converged, going on, diverging
 *   window.c    sweeps until they converge; what is tried where they do not
 *   project.c   states onto the joints
 *   diagnose.c     rho along a run, messages
 *   report.c    the contraction report
 *   integrator.c  the verbs
 *   wave.c, subsystems.c  creation */
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

/* What the next window depends on, besides the waveforms and the subsystems' memory. */
typedef struct dae__wave_memory {
  double t, t_previous; /* of the last window */
  double window;        /* size to try, 0: not chosen yet */
  int intervals;        /* of the exchange grid */
  int nodes;            /* of the grid of the last window; 1: none, the motion starts at t */
  double rate;          /* observed in the last window, for the first sweep of the next */
  double noise;         /* error of interpolants that finer grids do not make smaller */
  double origin;        /* fixed windows: origin + k window */
  long done;
  long sweeps; /* all of them */
  int most_sweeps;
  double observed; /* largest rate, NaN: none */
  double rho;      /* largest along the windows */
  double rho_last; /* at the last node looked at */
  int last_sweeps; /* in the last window, with what was observed there */
  double last_observed;
  dae_stats stats;
} dae__wave_memory;

/* What became of the sweeps over a window. */
typedef enum dae__sweep_outcome {
  DAE__SWEEP_CONVERGED,
  DAE__SWEEP_CONTINUE,
  DAE__SWEEP_COARSE_GRID, /* the exchange grid does not resolve the waveforms */
  DAE__SWEEP_EVENT,       /* a subsystem has met an event: the window is to end there */
  DAE__SWEEP_DIVERGED,    /* the changes grow */
  DAE__SWEEP_CYCLE,       /* they repeat every second sweep */
  DAE__SWEEP_LIMIT,       /* too many sweeps */
  DAE__SWEEP_FAILED       /* a subsystem could not go on */
} dae__sweep_outcome;

/* A window being iterated. */
typedef struct dae__trial_window {
  int sweep;
  dae_wave_update update; /* in force */
  int max_sweeps;
  double change, last;        /* norms of the changes of this sweep and the one before */
  double first_change, least; /* of the first one, and of the smallest */
  double rate, last_rate;     /* ratios of changes */
  double worst_rate;          /* of changes that are not noise, NaN: none */
  int growing, cycling;       /* sweeps in a row that did not contract, that repeated each other */
  bool new_feedthrough;       /* those of this sweep are new */
  bool want_feedthrough;      /* the next sweep is to find them */
  double reached;             /* time of an event */
} dae__trial_window;

typedef struct dae__wave {
  dae__integrator_table table;
  dae_wave_options opts;
  bool jacobi;
  dae__interface *f;
  dae__coupling coupling; /* parts of a problem; parts = 0: subsystems of the user's */
  dae_wave_terms terms;   /* where they are not the user's own */
  int *order;             /* of the subsystems; kept */
  int *rank;              /* place of each in it; multipliers: systems; kept */
  dae__workers *workers;
  const dae_env *env;
  dae__wave_memory *m; /* kept */
  int size;            /* of the state vector */
  int capacity;        /* nodes of a grid at most */

  /* waveforms of all unknowns on the grid */
  double *grid;                 /* kept: that of the last window, or of the one being tried */
  dae_waveform given, computed; /* of the sweep; computed is kept */
  dae_waveform *past;           /* given to the sweeps before, the last one first */
  int pasts;
  double *accepted, *accepted_t; /* kept: values and grid of the last window, to be continued */
  double *start;                 /* kept: unknowns where the window begins */
  dae_waveform *in, *out;        /* of each subsystem, in memory of their own */
  bool *fed;                     /* unknowns that a sweep takes from what it is given; kept */
  double *scale;                 /* of each unknown over the window: largest |z| */
  double *change;                /* of all unknowns at all nodes in this sweep, */
  double *last_change, *earlier_change; /* in the one before, and before that */
  double *before, *before_slope;        /* scratch of that size */
  double *end_before; /* unknowns at the end of the window after the sweep before */
  double *delta;      /* Newton's correction of the direct unknowns at all nodes */
  double omega;       /* of relax */
  double *mode;       /* of the unknowns: the slowest of a plain sweep, */
  double defect;      /* of the interpolants between nodes, relative to the tolerance */

  /* gains and the linear systems at the nodes */
  int feedthrough_sets; /* nodes that have gains of their own, 1: all share those of the last one */
  double *feedthrough;
  double *G, *rhs;
  dae__solver *solver;
  dae__accelerate accelerate;
  double *flat_z, *flat_hat, *flat_weight; /* unknowns that are accelerated, at all nodes */

  char **snapshot;    /* kept: memory of each subsystem at the beginning of the window */
  bool at_start;      /* the subsystems stand there */
  int failed;         /* subsystem that could not go on */
  dae_status *status; /* of each subsystem in a sweep, and why */
  dae_error *why;
  double *reached;
  dae__trial_window trial;

  /* rows */
  dae__assembly *assembly; /* NULL: nothing is projected */
  dae__mech *mech;
  dae__motion *motion, *shown; /* of the children; of rows, which must not influence them */
  double *y, *dy, *assembled, *assembled_rate, *z;
} dae__wave;

static inline double *dae__wave_at(const dae_waveform *w, int node)
{
  return w->value + (size_t)node * (size_t)w->width;
}

/* the gains of all subsystems at a node */
static inline const double *dae__wave_feedthrough(const dae__wave *w, int node)
{
  const dae__interface *f = w->f;
  return w->feedthrough +
         (w->feedthrough_sets > 1 ? (size_t)node * (size_t)f->first_D[f->systems] : 0);
}

/* sweep.c */
/* Integrates every subsystem over the grid with the waveforms given. */
dae__sweep_outcome dae__wave_sweep(dae__wave *w, dae_error *err);
/* Memory of all subsystems at the beginning of the window, to and fro. */
dae_status dae__wave_save_all(dae__wave *w, dae_error *err);
dae_status dae__wave_load_all(dae__wave *w, dae_error *err);

/* update.c */
/* What the multipliers of joints come out as, and the change of all unknowns. */
dae_status dae__wave_compare(dae__wave *w, dae_error *err);
/* The waveforms of the next sweep. */
dae_status dae__wave_update(dae__wave *w, dae_error *err);
/* G at a node of the grid, factored. */
dae_status dae__wave_factor(dae__wave *w, int node, dae_error *err);

/* grid.c */
/* A window to begin with. */
double dae__wave_first_window(const dae__wave *w, double t_stop);
/* The end of the next window, at most t_stop. */
double dae__wave_end(dae__wave *w, double t_stop);
/* The exchange grid of a window that ends there. */
void dae__wave_place_grid(dae__wave *w, double end);
/* Whether a subsystem chooses its own steps, so that its waveforms may need a finer grid. */
bool dae__wave_is_variable(const dae__wave *w, int p);

/* judge.c */
dae__sweep_outcome dae__wave_test_convergence(dae__wave *w);

/* window.c */
/* The subsystems stand at t, nothing is known of the time before. */
void dae__wave_reset(dae__wave *w);
/* The next window, which does not pass t_stop. */
dae_status dae__wave_window(dae__wave *w, double t_stop, dae_error *err);

/* project.c */
dae_status dae__wave_project_create(dae__wave *w, dae__arena *arena, dae_error *err);
/* The coupled state at t in the last window, projected, with the multipliers that belong to it. */
dae_status dae__wave_state(dae__wave *w, double t, double *y, double *dy, dae_error *err);
/* Puts the children onto the joints at the end of a window. */
dae_status dae__wave_project_joints(dae__wave *w, dae_error *err);
/* The same as dae__wave_state, not projected. */
void dae__wave_interpolate_raw(const dae__wave *w, double t, double *y);

/* wave.c */
/* A new one without its subsystems; NULL: out of memory. */
dae__wave *dae__wave_new(dae__arena *arena, const char *method, const dae_wave_options *opts,
                         bool jacobi);
/* All that follows from the interface w->f: memory, order, the start at t. */
dae_status dae__wave_finish(dae__wave *w, dae__arena *arena, double t, const double *unknowns,
                            dae_error *err);
/* Starts anew at t from the consistent state in w->y and w->dy. */
dae_status dae__wave_begin_at(dae__wave *w, double t, dae_error *err);

/* report.c */
/* The order of the parts that contracts best at a consistent state. */
dae_status dae__wave_best_order(const dae_problem *problem, double t, const double *y,
                                const double *dy, const dae_env *env, int *order, dae_error *err);

/* diagnose.c */
void dae__wave_loop_names(const dae__wave *w, char *text, size_t size);
/* largest change of an unknown, in its own unit */
double dae__wave_plain_change(const dae__wave *w);
dae_status dae__wave_diagnose(dae__wave *w, dae__sweep_outcome verdict, dae_error *err);
/* rho at a node with gains, into the memory. */
void dae__wave_estimate_contraction(dae__wave *w, int node);

/* integrator.c */
extern const dae__integrator_table dae__wave_verbs;
void dae__wave_release(dae__wave *w);

#endif
