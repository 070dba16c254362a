/** @file
 * Dynamic iteration: systems with their own solvers, coupled by waveforms [E07, WHM11].
 *
 * A run is a sequence of time windows. Within a window every subsystem is integrated with the
 * variables of the other subsystems given as functions of time (waveforms), and these sweeps are
 * repeated until the waveforms converge. gauss-seidel integrates the subsystems in turn, jacobi in
 * parallel threads, joint is for mechanical parts connected by joints.
 *
 * The handle is an integrator whose step is a window. Its state vector is that of the coupled
 * problem, or for subsystems of dae_wave_create the outputs of all subsystems. */
#ifndef DAEDAL_WAVE_H
#define DAEDAL_WAVE_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- waveforms ---- */

/** Vector-valued function of time on a window, by values and slopes at nodes: entry i at node k is
 * value[k * width + i]. */
typedef struct dae_waveform {
  int nodes;       /**< number of nodes, two or more */
  int width;       /**< number of entries at a node */
  const double *t; /**< ascending times of the nodes, from start to end of the window */
  double *value;   /**< values at the nodes */
  double *slope;   /**< time derivatives at the nodes */
} dae_waveform;

/** Interpolation of a waveform between its nodes. */
typedef enum dae_interpolation {
  DAE_INTERPOLATION_HERMITE,   /**< cubic Hermite interpolation of values and slopes: order 4 */
  DAE_INTERPOLATION_QUADRATIC, /**< quadratic, by both values and the left slope: order 3 */
  DAE_INTERPOLATION_LINEAR,    /**< linear, by both values: order 2 */
  DAE_INTERPOLATION_HOLD       /**< constant, the value at the left node: order 1 */
} dae_interpolation;

/** Values at t; constant extrapolation outside of the nodes. */
void dae_waveform_at(const dae_waveform *w, dae_interpolation kind, double t, double *value);

/* ---- subsystems ---- */

/** Interface of a subsystem, provided by the library for parts of a problem, and by the user for an
 * external solver. */
typedef struct dae_subsystem {
  const char *name;                /**< name in messages */
  int inputs;                      /**< number of inputs */
  int outputs;                     /**< number of outputs */
  const char *const *input_names;  /**< NULL: in[1], ... */
  const char *const *output_names; /**< NULL: out[1], ... */
  /** direct feedthrough of each output: it depends on inputs at the same time (an algebraic
   * variable, a force), not only on their past; NULL: true for all */
  const bool *direct;
  void *self; /**< argument of every function */

  /** Integrates from out->t[0], its current time, to the last node, and writes values and slopes of
   * the outputs at all nodes; slopes of outputs with direct feedthrough are ignored. The inputs are
   * the waveforms in, interpolated by the given rule. Returns DAE_OK, or DAE_EVENT for an event at
   * *reached before the end, at which the window of all subsystems ends. Called in every sweep,
   * after load. */
  dae_status (*advance)(void *self, const dae_waveform *in, dae_interpolation rule,
                        dae_waveform *out, double *reached, dae_error *err);
  size_t save_size; /**< size of the saved state in bytes */
  /** Writes the whole state into a buffer of save_size bytes. */
  dae_status (*save)(void *self, void *buffer, dae_error *err);
  /** Restores the state from a buffer. */
  dae_status (*load)(void *self, const void *buffer, dae_error *err);
  /** Feedthrough matrix: derivatives of the outputs with respect to the inputs at the same time,
   * outputs x inputs by columns, at a node of the last advance; rows of outputs without direct
   * feedthrough are zero. NULL: unknown; the update is then anderson. */
  dae_status (*gain)(void *self, int node, double *D, dae_error *err);
  /** Estimated error of the interpolant of the outputs between the nodes of the last advance,
   * relative to the given tolerances; NULL: the grid counts as fine enough. */
  double (*defect)(void *self, double rtol, double atol);
} dae_subsystem;

/** Input `input` of subsystem `to` is output `output` of subsystem `from`. */
typedef struct dae_link {
  int to;     /**< subsystem with the input */
  int input;  /**< index of the input */
  int from;   /**< subsystem with the output */
  int output; /**< index of the output */
} dae_link;

/* ---- options ---- */

/** Update of the waveforms between two sweeps, with the input z and the result zhat of a sweep. */
typedef enum dae_wave_update {
  DAE_WAVE_AUTO,    /**< schur, or anderson without feedthrough matrices, with fallbacks */
  DAE_WAVE_PLAIN,   /**< zhat */
  DAE_WAVE_XI,      /**< the regularisation of [E07] Theorems 3.1 and 3.4, two subsystems */
  DAE_WAVE_SLACK,   /**< the slack forms of [E07] Remarks 3.2 and 3.6 */
  DAE_WAVE_SCHUR,   /**< z + Gz^-1 G0 (zhat - z) at every node, any number of subsystems */
  DAE_WAVE_RELAX,   /**< z + omega (zhat - z) */
  DAE_WAVE_AITKEN,  /**< z + omega (zhat - z), omega from the last two sweeps */
  DAE_WAVE_ANDERSON /**< least squares over the last `depth` sweeps */
} dae_wave_update;

/** Correction of the multipliers of joints by the residuals r of the joints. */
typedef enum dae_wave_splitting {
  DAE_WAVE_SPLIT_OPTIMAL, /**< lambda + (S1 + S2)^-1 r */
  DAE_WAVE_SPLIT_FIRST,   /**< the constraint on the first system of each joint: x in [WHM11] */
  DAE_WAVE_SPLIT_SECOND,  /**< the constraint on the last system of each joint: y in [WHM11] */
  DAE_WAVE_SPLIT_WEIGHTED /**< lambda + (theta S2^-1 + (1 - theta) S1^-1) r */
} dae_wave_splitting;

/** Predictor: input of the first sweep over a window. */
typedef enum dae_wave_begin {
  DAE_WAVE_BEGIN_EXTRAPOLATE, /**< extrapolation of the last window; constant in the first one */
  DAE_WAVE_BEGIN_CONSTANT     /**< values at the start of the window */
} dae_wave_begin;

/** Quantity in the stopping test of the sweeps. */
typedef enum dae_wave_stop {
  DAE_WAVE_STOP_ERROR,     /**< q/(1 - q) times the change over the whole window */
  DAE_WAVE_STOP_INCREMENT, /**< the change over the whole window */
  DAE_WAVE_STOP_END        /**< the change at the end of the window, [WHM11 (10)] */
} dae_wave_stop;

/** Right-hand sides evaluated at several iterates [E07 Lemma 2.1]: with x the variables of a part,
 * in its inputs, n the sweep,
 *
 *     x'   = sum_j b[j] f(t, X_j, In_j)
 *     X_j  = sum_i own[i + j (ages + 1)] x^(n-i)        i = 0 ... ages
 *     In_j = sum_i others[i - 1 + j ages] in^(n-i)      i = 1 ... ages */
typedef struct dae_wave_terms {
  int ages;             /**< number of earlier iterates */
  int terms;            /**< number of terms of the sum over j */
  const double *b;      /**< weights, terms */
  const double *own;    /**< weights of own iterates, (ages + 1) x terms, by columns */
  const double *others; /**< weights of inputs, ages x terms, by columns */
  double linear; /**< fraction of the linearisation added to f(x^(n-1)), see dae_wave_options */
} dae_wave_terms;

/** Solver of one part. */
typedef struct dae_wave_child {
  const dae_method *method; /**< method, NULL: bdf, or bdf-ggl for constrained mechanics */
  const void *options; /**< options of the method; NULL: defaults with a thirtieth of rtol, atol */
} dae_wave_child;

/** Result of a sweep, for the callback watch. The unknowns are the outputs of all subsystems, then
 * the multipliers of joints. */
typedef struct dae_wave_sweep {
  int window;                   /**< number of the window, from 1 */
  int sweep;                    /**< number of the sweep in the window, from 1 */
  const dae_waveform *given;    /**< input of the sweep */
  const dae_waveform *computed; /**< result of the sweep */
  double change;                /**< norm of the difference, relative to the tolerances */
  double rate;                  /**< ratio of the last two changes; NaN in the first sweep */
} dae_wave_sweep;

/** Options of gauss-seidel, jacobi and joint. */
typedef struct dae_wave_options {
  double rtol;            /**< relative tolerance of the coupled waveforms */
  double atol;            /**< absolute tolerance of the coupled waveforms; 0: rtol/100 */
  double window;          /**< fixed length of the windows, 0: automatic */
  double max_window;      /**< largest window, 0: no limit */
  int nodes;              /**< intervals of the exchange grid in a window, 0: automatic */
  int max_sweeps;         /**< largest number of sweeps in a window; 0: 200, with update auto 40 */
  int sweeps;             /**< fixed number of sweeps without a test, 0: until convergence */
  dae_wave_update update; /**< update between sweeps */
  dae_wave_splitting splitting; /**< splitting of joints */
  double theta;                 /**< weight of the weighted splitting */
  double omega;  /**< relaxation factor of relax; 0: 2/(2 + mu1 + mu2) from the contraction */
  int depth;     /**< number of sweeps in the history of anderson */
  bool picard;   /**< own variables also from the last sweep */
  bool lagged;   /**< nonlinear terms from the last sweep, [WHM11] section 6 */
  double linear; /**< lagged: fraction of the linearisation at the current iterate, 0 to 1 */
  bool reorder;  /**< subsystems in the order with the smallest contraction factor */
  dae_wave_begin begin;            /**< predictor of a window */
  dae_wave_stop stop;              /**< stopping test */
  dae_interpolation interpolation; /**< interpolation of inputs */
  bool project;                    /**< projection onto the joints at the end of a window */
  int workers;                     /**< threads of jacobi, 0: number of processors */

  /* in C only */
  const dae_wave_child *children; /**< solvers of the parts, NULL: defaults */
  const dae_wave_terms *terms; /**< several iterates in right-hand sides, NULL: the current one */
  const int *order;            /**< order of the subsystems, NULL: as given, or by reorder */
  void (*watch)(void *user, const dae_wave_sweep *sweep); /**< called after a sweep, or NULL */
  /** initial waveforms by a reduced model: values of the unknowns at t. NULL: see begin */
  int (*guess)(void *user, double t, double *unknowns);
  void *user; /**< argument of watch and guess */
} dae_wave_options;

/** Default options. */
dae_wave_options dae_wave_defaults(void);
extern const dae_option_table dae_gauss_seidel_option_table; /**< options of gauss-seidel */
extern const dae_option_table dae_jacobi_option_table;       /**< options of jacobi */
extern const dae_option_table dae_joint_option_table;        /**< options of joint */

/** An integrator `gauss-seidel`, with a consistent start. opts NULL: defaults. */
dae_status dae_gauss_seidel_create(const dae_problem *problem, const dae_start *start,
                                   const dae_wave_options *opts, const dae_env *env,
                                   dae_integrator **out, dae_error *err);
/** An integrator `jacobi`, with a consistent start. opts NULL: defaults. */
dae_status dae_jacobi_create(const dae_problem *problem, const dae_start *start,
                             const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);
/** An integrator `joint`, with a consistent start. opts NULL: defaults. */
dae_status dae_joint_create(const dae_problem *problem, const dae_start *start,
                            const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);

/** An integrator of user-defined subsystems, at time t with the given outputs. The subsystems must
 * outlive the handle. A restart is refused: it is the responsibility of the caller. */
dae_status dae_wave_create(const dae_subsystem *subsystems, int count, const dae_link *links,
                           int link_count, double t, const double *outputs, bool jacobi,
                           const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err);

/* ---- contraction ---- */

/** Contraction of the dynamic iteration, from the derivatives at one point and observed in a run.
 */
typedef struct dae_contraction {
  double gauss_seidel; /**< contraction factor of a plain sweep in the given order */
  double best;         /**< contraction factor in the best order */
  double jacobi;       /**< contraction factor of all subsystems in parallel */
  double margin;       /**< smallest singular value of 1 - T: near 0 the coupled index is above 1 */
  double on_first;     /**< contraction factor with joints on their first system; NaN: no joints */
  double on_second;    /**< contraction factor with joints on their last system; NaN: no joints */
  double first_growth; /**< growth of on_first with windows of length W, over W^2: gamma of [WHM11
                          (54)] */
  double second_growth;  /**< growth of on_second with windows of length W, over W^2 */
  double observed;       /**< largest ratio of changes in a run, NaN: none */
  int most_sweeps;       /**< largest number of sweeps in one window */
  int last_sweeps;       /**< number of sweeps in the last window of a run */
  double last_observed;  /**< largest ratio of changes in the last window */
  double last_predicted; /**< predicted contraction factor of the method in the last window */
  long windows;          /**< number of windows of a run */
  long sweeps;           /**< number of sweeps of a run */
  char order[256];       /**< names of the systems in the best order */
  char loop[256];        /**< names of the variables in the algebraic loop */
} dae_contraction;

/** Contraction at a state y of a coupled problem, which is made consistent if possible. */
dae_status dae_contraction_at(const dae_problem *problem, double t, const double *y,
                              const dae_env *env, dae_contraction *out, dae_error *err);
/** Contraction of a run: the largest factors over the windows so far. DAE_ERROR_USAGE for other
 * methods. */
dae_status dae_contraction_of(const dae_integrator *it, dae_contraction *out, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
