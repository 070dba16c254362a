/** @file
 * Dynamic iteration: systems that each keep their own solver, coupled by waveforms [E07, WHM11].
 *
 * The run goes from window to window. Within a window every subsystem is integrated with the
 * others' variables given as functions of time, waveforms, and that is repeated, sweep by sweep,
 * until the waveforms no longer change. gauss-seidel goes through the subsystems in turn, jacobi
 * integrates all of them at once (in threads), joint is for mechanical parts held together by
 * joints.
 *
 * The handle is an integrator like any other whose step is a window. Its state vector is that of
 * the coupled problem; for subsystems that are not parts of a problem, the outputs of all of them.
 */
#ifndef DAEDAL_WAVE_H
#define DAEDAL_WAVE_H

#include <daedal/integrator.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- waveforms ---- */

/** A vector-valued function of time on a window, by its values and slopes at nodes: entry i at node
 * k is value[k * width + i]. Plain arrays: an exchange can send them. */
typedef struct dae_waveform {
  int nodes;       /**< two or more */
  int width;       /**< entries at a node */
  const double *t; /**< ascending; the first and the last are the ends of the window */
  double *value;   /**< at the nodes */
  double *slope;   /**< derivatives in time at the nodes */
} dae_waveform;

/** How a waveform is read between its nodes. */
typedef enum dae_interpolation {
  DAE_INTERPOLATION_HERMITE,   /**< cubic, from values and slopes: order 4 */
  DAE_INTERPOLATION_QUADRATIC, /**< from both values and the slope at the left one: order 3 */
  DAE_INTERPOLATION_LINEAR,    /**< from both values: order 2 */
  DAE_INTERPOLATION_HOLD       /**< the value at the left node: order 1 */
} dae_interpolation;

/** The values at t; before the first node those of the first, past the last those of the last. */
void dae_waveform_at(const dae_waveform *w, dae_interpolation kind, double t, double *value);

/* ---- subsystems ---- */

/** What the iteration knows of a subsystem: a table that our integrators fill in for parts of a
 * problem, and that a user fills in for a solver of his own. */
typedef struct dae_subsystem {
  const char *name;                /**< in messages */
  int inputs;                      /**< their number */
  int outputs;                     /**< their number */
  const char *const *input_names;  /**< NULL: in[1], ... */
  const char *const *output_names; /**< NULL: out[1], ... */
  /** for each output whether it depends on inputs at the same time (an algebraic variable, a
   * force), not only on their past; NULL: all do */
  const bool *direct;
  void *self; /**< handed to every function */

  /** Integrates from out->t[0], where it stands, to the last node, and writes values and slopes of
   * the outputs at all nodes; slopes of direct outputs are not used. The inputs are in, to be
   * interpolated by the given rule. DAE_OK; DAE_EVENT where something happened at *reached before
   * the end, which all windows are then to end at. Called again for every sweep, after load. */
  dae_status (*advance)(void *self, const dae_waveform *in, dae_interpolation rule,
                        dae_waveform *out, double *reached, dae_error *err);
  size_t save_size; /**< bytes of its memory */
  /** The whole memory into a buffer of that size. */
  dae_status (*save)(void *self, void *buffer, dae_error *err);
  /** And back. */
  dae_status (*load)(void *self, const void *buffer, dae_error *err);
  /** Derivatives of the outputs with respect to the inputs at the same time, outputs x inputs by
   * columns, at a node of the last advance; rows of outputs that are not direct are zero. NULL: not
   * known, and the iteration is accelerated without them. */
  dae_status (*gain)(void *self, int node, double *D, dae_error *err);
  /** An estimate of how far the interpolant of the outputs is off between the nodes of the last
   * advance, relative to the tolerances given; NULL: taken to be fine. */
  double (*defect)(void *self, double rtol, double atol);
} dae_subsystem;

/** Input `input` of subsystem `to` is output `output` of subsystem `from`. */
typedef struct dae_link {
  int to;     /**< subsystem */
  int input;  /**< of that one */
  int from;   /**< subsystem */
  int output; /**< of that one */
} dae_link;

/* ---- options ---- */

/** How the waveforms that a sweep is given follow from the last one. */
typedef enum dae_wave_update {
  DAE_WAVE_AUTO,  /**< schur, or anderson where derivatives are not known, and what else it takes */
  DAE_WAVE_PLAIN, /**< what came out goes in */
  DAE_WAVE_XI,    /**< the regularisation of [E07] Theorems 3.1 and 3.4, two subsystems */
  DAE_WAVE_SLACK, /**< the slack forms of [E07] Remarks 3.2 and 3.6 */
  DAE_WAVE_SCHUR, /**< z + Gz^-1 G0 (zhat - z) at every node, any number of subsystems */
  DAE_WAVE_RELAX, /**< z + omega (zhat - z) */
  DAE_WAVE_AITKEN,  /**< the same, omega from the last two sweeps */
  DAE_WAVE_ANDERSON /**< least squares over the last `depth` sweeps */
} dae_wave_update;

/** How the multipliers of joints are corrected by the residuals r of the joints. */
typedef enum dae_wave_splitting {
  DAE_WAVE_SPLIT_OPTIMAL, /**< lambda + (S1 + S2)^-1 r */
  DAE_WAVE_SPLIT_FIRST,   /**< the constraint on the first system of each joint: x in [WHM11] */
  DAE_WAVE_SPLIT_SECOND,  /**< on the last one: y in [WHM11] */
  DAE_WAVE_SPLIT_WEIGHTED /**< lambda + (theta S2^-1 + (1 - theta) S1^-1) r */
} dae_wave_splitting;

/** What the first sweep over a window is given. */
typedef enum dae_wave_begin {
  DAE_WAVE_BEGIN_EXTRAPOLATE, /**< the waveforms of the last window continued; at first constant */
  DAE_WAVE_BEGIN_CONSTANT     /**< the values at its beginning */
} dae_wave_begin;

/** What has to be below the tolerance. */
typedef enum dae_wave_stop {
  DAE_WAVE_STOP_ERROR,     /**< q/(1 - q) times the change over the whole window */
  DAE_WAVE_STOP_INCREMENT, /**< the change itself */
  DAE_WAVE_STOP_END        /**< its value at the end of the window alone, [WHM11 (10)] */
} dae_wave_stop;

/** Right sides evaluated at several iterates [E07 Lemma 2.1]: with x the variables of a part, in
 * its inputs, n the sweep,
 *
 *     x'   = sum_j b[j] f(t, X_j, In_j)
 *     X_j  = sum_i own[i + j (ages + 1)] x^(n-i)        i = 0 ... ages
 *     In_j = sum_i others[i - 1 + j ages] in^(n-i)      i = 1 ... ages */
typedef struct dae_wave_terms {
  int ages;             /**< earlier iterates */
  int terms;            /**< of the sum over j */
  const double *b;      /**< terms */
  const double *own;    /**< (ages + 1) x terms, by columns */
  const double *others; /**< ages x terms, by columns */
  double linear;        /**< part of the linearisation added to f(x^(n-1)), see dae_wave_options */
} dae_wave_terms;

/** How one part is integrated. */
typedef struct dae_wave_child {
  const dae_method *method; /**< NULL: bdf, or bdf-ggl for constrained mechanics */
  const void *options;      /**< the method's; NULL: defaults, a thirtieth of rtol, atol */
} dae_wave_child;

/** What a sweep has found, for those who watch: the unknowns are the outputs of all subsystems,
 * then the multipliers of joints. */
typedef struct dae_wave_sweep {
  int window;                   /**< from 1 */
  int sweep;                    /**< in this window, from 1 */
  const dae_waveform *given;    /**< what went into the sweep */
  const dae_waveform *computed; /**< what came out */
  double change;                /**< norm of the difference, relative to the tolerances */
  double rate;                  /**< of the last two changes; NaN in the first sweep */
} dae_wave_sweep;

/** Options of gauss-seidel, jacobi and joint. */
typedef struct dae_wave_options {
  double rtol;            /**< relative tolerance of the coupled waveforms */
  double atol;            /**< absolute tolerance of the coupled waveforms */
  double window;          /**< fixed size of the windows, 0: chosen */
  double max_window;      /**< largest one, 0: no limit */
  int nodes;              /**< intervals of the exchange grid in a window, 0: chosen */
  int max_sweeps;         /**< over one window; 0: 200, with update auto 40 */
  int sweeps;             /**< exactly so many sweeps without a test, 0: until they converge */
  dae_wave_update update; /**< from sweep to sweep */
  dae_wave_splitting splitting; /**< of joints */
  double theta;                 /**< of the weighted splitting */
  double omega;                 /**< of relax; 0: 2/(2 + mu1 + mu2) from the contraction */
  int depth;                    /**< of anderson */
  bool picard;                  /**< own variables too are taken from the last sweep */
  bool lagged;          /**< nonlinear terms are taken from the last sweep, [WHM11] section 6 */
  double linear;        /**< lagged: part of the linearised forces that is not, 0 to 1 */
  bool reorder;         /**< subsystems in the order that contracts best */
  dae_wave_begin begin; /**< what a window begins with */
  dae_wave_stop stop;   /**< when it is done */
  dae_interpolation interpolation; /**< of inputs */
  bool project; /**< positions and velocities onto the joints at the end of a window */
  int workers;  /**< threads of jacobi, 0: as many as there are processors */

  /* in C only */
  const dae_wave_child *children; /**< one for each part, NULL: defaults */
  const dae_wave_terms *terms;    /**< NULL: right sides at the present variables */
  const int *order;               /**< of the subsystems, NULL: as given, or by reorder */
  void (*watch)(void *user, const dae_wave_sweep *sweep); /**< called after a sweep, or NULL */
  /** a reduced model to begin with: values of the unknowns at t. NULL: see begin */
  int (*guess)(void *user, double t, double *unknowns);
  void *user; /**< of watch and guess */
} dae_wave_options;

/** The options as they are without further words. */
dae_wave_options dae_wave_defaults(void);
extern const dae_option_table dae_gauss_seidel_option_table; /**< of gauss-seidel */
extern const dae_option_table dae_jacobi_option_table;       /**< these, and workers */
extern const dae_option_table dae_joint_option_table;        /**< of joint */

/** An integrator `gauss-seidel`; makes the start consistent. opts NULL: defaults, here and below.
 */
dae_status dae_gauss_seidel_create(const dae_problem *problem, const dae_start *start,
                                   const dae_wave_options *opts, const dae_env *env,
                                   dae_integrator **out, dae_error *err);
/** An integrator `jacobi`. */
dae_status dae_jacobi_create(const dae_problem *problem, const dae_start *start,
                             const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                             dae_error *err);
/** An integrator `joint`. */
dae_status dae_joint_create(const dae_problem *problem, const dae_start *start,
                            const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                            dae_error *err);

/** Subsystems of any kind, which stand at t with the given outputs. They must outlive the handle. A
 * restart is refused: their owner restarts them. */
dae_status dae_wave_create(const dae_subsystem *subsystems, int count, const dae_link *links,
                           int link_count, double t, const double *outputs, bool jacobi,
                           const dae_wave_options *opts, const dae_env *env, dae_integrator **out,
                           dae_error *err);

/* ---- contraction ---- */

/** What the derivatives say about the iteration at one point, and what the run has seen. */
typedef struct dae_contraction {
  double
      gauss_seidel; /**< factor by which a plain sweep contracts, subsystems in the given order */
  double best;      /**< in the best order */
  double jacobi;    /**< all subsystems at once */
  double margin;    /**< smallest singular value of 1 - T: near 0 the coupled index is above 1 */
  double on_first;  /**< with joints on their first system; NaN: no joints */
  double on_second; /**< with joints on their last system; NaN: no joints */
  double first_growth;   /**< what windows of length W add to on_first, over W^2: gamma of
                            [WHM11 (54)] */
  double second_growth;  /**< the same for on_second */
  double observed;       /**< largest ratio of changes in a run, NaN: none seen */
  int most_sweeps;       /**< in one window */
  int last_sweeps;       /**< in the last window of a run */
  double last_observed;  /**< as observed, there */
  double last_predicted; /**< as gauss_seidel (or jacobi), there */
  long windows;          /**< of a run */
  long sweeps;           /**< of a run */
  char order[256];       /**< the best order, by names */
  char loop[256];        /**< the variables that make up the loop, by names */
} dae_contraction;

/** At a state y of a coupled problem, which is made consistent; where it cannot be, at y itself. */
dae_status dae_contraction_at(const dae_problem *problem, double t, const double *y,
                              const dae_env *env, dae_contraction *out, dae_error *err);
/** Of a run: the largest factors along the windows so far. DAE_ERROR_USAGE for other methods. */
dae_status dae_contraction_of(const dae_integrator *it, dae_contraction *out, dae_error *err);

#ifdef __cplusplus
}
#endif
#endif
