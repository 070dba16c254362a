/* Radau IIA with s = 3, 5 or 7 stages, and with 1 or 2 in fixed steps, order 2s - 1, on the reduced
 * form of a problem (reduced.h). All numbers of stages share one memory; each has steppers of its
 * own, so that steppers can be exchanged between steps. Its files:
 *   radau.c         steppers, creation
 *   radau_solve.c   predictor and simplified Newton iteration of the stages
 *   radau_relax.c   iterates of the smooth motion, at the equilibrium of stiff forces
 *   radau_full.c    one matrix of all stages, each with its own Jacobian
 *   radau_dense.c   error estimate, dense output
 *   radau_select.c  selection of the number of stages and of the iteration matrix
 *   radau_rule.c    coefficients, linear maps of the stages */
#ifndef DAEDAL_ONESTEP_RADAU_RADAU_H
#define DAEDAL_ONESTEP_RADAU_RADAU_H

#include "onestep/host/integrator.h"
#include "onestep/radau/reduced.h"
#include "quadrature/collocation.h"
#include <float.h>

#define DAE__RADAU_STAGES 7   /* largest number of stages */
#define DAE__RADAU_RULES 5    /* number of rules: 3, 5, 7 stages, and 1, 2 for fixed steps */
#define DAE__RADAU_STEPPERS 6 /* 3, 5, 7 stages, by blocks and by one matrix */

/* ---- tuning constants: chosen, not measured, where no source is given ---- */

/* Largest number of iterations for variable steps (with 9 the problems of bench_engines take a
 * fifth more time) and for fixed steps, which cannot be reduced. */
#define DAE__RADAU_MAX_ITERATIONS 15
#define DAE__RADAU_MAX_ITERATIONS_FIXED 40
#define DAE__RADAU_DIVERGENT_CONTRACTION 0.99
/* Number of first iterations of a fixed step in which increments may grow: the weight of a
 * component near zero is far smaller than the other weights. */
#define DAE__RADAU_GROWING_ITERATIONS 8
/* Size of the first increment, relative to the stopping tolerance, below which one iteration is
 * sufficient. */
#define DAE__RADAU_ONE_ITERATION_INCREMENT 1e-3
/* Relative size of increments that are round-off, and of increments that stagnate at round-off,
 * which the eigenvectors of 7 stages amplify by about a thousand. */
#define DAE__RADAU_ROUND_OFF (16 * DBL_EPSILON)
#define DAE__RADAU_STAGNATION (1e4 * DBL_EPSILON)
/* Number of attempts in a row with a failed preconditioned iteration after which the iteration on
 * all unknowns replaces it, which contracts better if stiff directions rotate. */
#define DAE__RADAU_PRECONDITIONED_FAILURES 2
/* Failure of the preconditioned iteration by round-off: largest ratio of the last increment to the
 * first, and least contraction of the last one. */
#define DAE__RADAU_NOISE_DECREASE 1e-4
#define DAE__RADAU_NOISE_CONTRACTION 0.5
/* Step growth of the smooth motion, whose first steps are a thirtieth of the run. */
#define DAE__RADAU_SMOOTH_GROWTH 8
/* Factor of the stopping tolerance for the smooth motion: the error that a stiff force k makes of
 * an increment d is k d^2. */
#define DAE__RADAU_SMOOTH_STOP 0.01
/* Number of first iterations of the smooth motion in which increments may grow: the first iterate
 * takes stiff forces back to their equilibrium, and their tension stiffens other directions. */
#define DAE__RADAU_DAMPED_GROWING_ITERATIONS 10
/* Contraction above which the matrix of all stages is updated within an iteration. */
#define DAE__RADAU_FULL_UPDATE_CONTRACTION 0.3
/* Contraction above which Jacobians are evaluated again in the next step. Values from 0.02 to 0.05
 * make little difference; this one takes the fewest evaluations on Akzo Nobel with differenced
 * Jacobians. */
#define DAE__RADAU_REFRESH_CONTRACTION 0.03
/* Largest amplified error of the extrapolated predictor, relative to the tolerance of the stages:
 * without a bound the noise of tiny steps persists with 7 stages (tests/laws). */
#define DAE__RADAU_PREDICTOR_NOISE 30
/* Relative difference of step sizes with the same matrix: those of fixed steps differ by the
 * round-off of time. */
#define DAE__RADAU_SAME_STEP 1e-9
/* Limits of the matrix of all stages: number of rows, beyond which a factorisation costs hundreds
 * of evaluations, and step growth, beyond which the predictor is inaccurate and iterations fail. */
#define DAE__RADAU_FULL_ROWS 300
#define DAE__RADAU_FULL_GROWTH 1.5
/* step growth below which the size is kept, RADAU5 [HW96 IV.8] */
#define DAE__RADAU_KEPT_GROWTH 1.2

/* Weights of the low-order difference d in the error of algebraic variables driven by time. A
 * rectifier misses no pulse with 0.03 to 10. With these values it takes as many steps as with an
 * estimate linear in d (3 stages: up to 13 times fewer), output values have errors of up to 12
 * tolerances, and the steps of Akzo Nobel do not change. */
#define DAE__RADAU_DRIVEN_WEIGHT 3
#define DAE__RADAU_DRIVEN_WEIGHT_3 0.3 /* weight for 3 stages */
/* Weights of the low-order difference d in the error of x with singular M. Output values of the
 * transistor amplifier have errors of 0.3 to 8 tolerances, without d 10 to 9000, for the same
 * number of evaluations. */
#define DAE__RADAU_SINGULAR_MASS_WEIGHT 0.1
/* weight of d for 3 stages: a larger one would limit the step */
#define DAE__RADAU_SINGULAR_MASS_WEIGHT_3 0.03

/* Guard for discontinuities within a step: number of ratios rho_d, ratio above which a step counts
 * as nonsmooth, factor of its error. The error of a step over a jump or bend is at most 9 times e.
 * Measured over 6000 jumps: with 2 ratios 1.4 % of the errors exceed 300 tolerances, with 4 ratios
 * 0.7 %, with a limit of 0.35 instead of 0.5 0.2 %; a factor of 10 or 30 takes 3 to 6 % more
 * evaluations in smooth problems with large changes of the step size. */
#define DAE__RADAU_RATIOS 4
#define DAE__RADAU_NONSMOOTH_RATIO 0.35
#define DAE__RADAU_NONSMOOTH_FACTOR 5
/* Estimates at the end of a step, by 2 ratios, and least number of stages for them. */
#define DAE__RADAU_END_ESTIMATES 4
#define DAE__RADAU_END_STAGES 5

/* weight of the error of algebraic variables of index 2, whose order is one less than that of x */
#define DAE__RADAU_ALGEBRAIC_WEIGHT 0.1

#define DAE__RADAU_REFINE_SWEEPS 8   /* largest number of sweeps of the refined dense output */
#define DAE__RADAU_REFINE_CHANGE 0.1 /* change relative to the tolerance at which sweeps end */
/* largest number of pieces of a step for dense output, and their error relative to the tolerance */
#define DAE__RADAU_PIECES 4
#define DAE__RADAU_PIECE_ERROR 0.1
#define DAE__RADAU_FILTER_CHANGE                                                                   \
  0.01 /* change relative to the tolerance at which the filter ends */
#define DAE__RADAU_REFINE_ROUND_OFF (1e3 * DBL_EPSILON) /* relative change at round-off level */

/* error / tolerance below which steps could be three times as large */
#define DAE__RADAU_SMALL_ERROR 1e-3
#define DAE__RADAU_LARGE_ERROR 0.1 /* error / tolerance above which errors limit the step */
#define DAE__RADAU_SELECT_STEPS 8  /* steps in a row with small or large errors before a change */
#define DAE__RADAU_TRIAL_STEPS 10  /* number of steps of a trial */
#define DAE__RADAU_TRIAL_WAIT 40   /* number of steps from the first failed trial to the next */
/* number of steps with one matrix before a trial of the blocks */
#define DAE__RADAU_BLOCKS_AGAIN 200
/* Work in evaluations, estimated for 5 to 15 unknowns: Jacobians at a point, factorisation of a
 * real block, of a complex block. */
#define DAE__RADAU_JACOBIAN_WORK 4
#define DAE__RADAU_REAL_BLOCK_WORK 1
#define DAE__RADAU_COMPLEX_BLOCK_WORK 4
/* Number of iterations of a step with blocks near the limit of convergence, half of the largest
 * one: in the estimate of their work after a failure. */
#define DAE__RADAU_SLOW_ITERATIONS (DAE__RADAU_MAX_ITERATIONS / 2)
/* Factor of the work of blocks: (n / DAE__RADAU_SMALL_BLOCK)^2 for n unknowns, as of dense matrices
 * beside sparse evaluations, up to that of sparse matrices; 1 where accelerations are solved for
 * with more than DAE__RADAU_SCHUR_ROWS multipliers, by a factorisation of their own. Instructions
 * of radau on delay lines (60 unknowns) and strings of masses (32) gave 9 and 7. */
#define DAE__RADAU_SMALL_BLOCK 12
#define DAE__RADAU_SPARSE_BLOCK_WORK 10
#define DAE__RADAU_SCHUR_ROWS 6

/* ---- linear maps of the stages ---- */

/* Matrix of s x s coefficients, each in both lanes of a pair. */
typedef struct dae__radau_map {
  dae__pair m[DAE__RADAU_STAGES][DAE__RADAU_STAGES];
} dae__radau_map;

/* Linear map of the stages, to_i = sum_j m_ij X_j, i = 1 ... s, for `count` entries
 * of each row; rows of X are n apart, rows of `to` are `stride` apart. */
void dae__radau_map_rows(int s, const dae__radau_map *map, int count, const double *X, int n,
                         double *to, int stride);

/* Integral over the stages:
 *
 *   to_i = base + at_i slope + factor sum_j m_ij X_j,   i = 1 ... s,
 *
 * for `count` entries of each row; slope and at are both given or both NULL. */
typedef struct dae__radau_integral {
  const dae__radau_map *map;
  double factor;
  const double *base, *slope, *at;
  int count;
} dae__radau_integral;
void dae__radau_integrate(int s, const dae__radau_integral *integral, int n, const double *X,
                          int stride, double *to);

/* ---- coefficients ---- */

/* Tolerances of the stages and of their iteration. */
typedef struct dae__radau_tolerance {
  double rtol, atol; /* tolerances of the error estimate, which is of order s + 1 */
  double stop;       /* stopping tolerance of the iteration error, relative to rtol and atol */
  double stagnation; /* accepted increment of a stagnating iteration, relative to rtol and atol */
  bool fixed;        /* fixed steps: iteration to round-off */
  bool damp;         /* smooth motion: the first increments may grow */
} dae__radau_tolerance;

/* Coefficients of s stages, with A = T diag(mu) T^-1: mu is the real eigenvalue, of two stages,
 * which have none, |zmu|; zmu has one eigenvalue of each complex pair. */
typedef struct dae__radau_rule {
  const dae__collocation_rule *c;
  int s, reals, pairs; /* numbers of stages, of real eigenvalues (0 or 1), of complex pairs */
  double mu;
  double complex zmu[DAE__REDUCED_PAIRS];
  /* T^-1 and T in real form: rows of to_eigen and columns of from_eigen belong to the real
   * eigenvalue, then to real and imaginary part of each complex pair. */
  dae__radau_map to_eigen, from_eigen;
  dae__radau_map A, A2; /* A and A A of the collocation rule */
  /* start[d]: Lagrange polynomials l_j(0) of the first s - d nodes, 0 at the other nodes */
  double start[DAE__RADAU_RATIOS + 2][DAE__RADAU_STAGES];
  /* end[j][d]: those at 1 of the nodes from d to the one before the last */
  double end[DAE__RADAU_STAGES][DAE__RADAU_END_ESTIMATES];
  /* weights of d, the difference at 0 of the stage polynomial and of the one without the first
   * stage */
  double low_order[DAE__RADAU_STAGES];
  dae__radau_tolerance tolerance; /* tolerances, set by dae__radau_rule_at */
} dae__radau_rule;

dae__radau_rule dae__radau_rule_create(int stages);

struct dae__radau;
/* Index of the rule with s stages, and its inverse. */
int dae__radau_rule_of(int s);
int dae__radau_stages_of(int rule);
/* Rule i, created at its first use. */
const dae__radau_rule *dae__radau_rule_at(const struct dae__radau *o, int i);
/* Number of nodes s' of the refined dense output of s stages: states in v have order s' + 1 = 2s -
 * 1, limited by DAE__COLLOCATION_STAGES_MAX; s' = s, no refinement, for 1 and 2 stages. */
int dae__radau_fine_nodes(int s);
/* Collocation rule of the refined dense output of s stages, created again if the last call had
 * another s. */
const dae__collocation_rule *dae__radau_fine_rule(const struct dae__radau *o, int s);

/* ---- state of the integrator and steppers ---- */

/* State of the selection of the number of stages and of the iteration matrix. */
typedef struct dae__radau_selection {
  int small_errors, large_errors; /* numbers of steps in a row with small and with large errors */
  long steps;                     /* number of steps of the current stepper */
  long since_failure;             /* number of steps since the last attempt that did not converge */
  bool trial;
  int before;              /* index of the stepper before the trial */
  int failed_trials;       /* number of failed trials in a row */
  long wait, wait_length;  /* steps left before the next trial, and initial value of that count */
  double t, work;          /* time and work at the start of the measured span */
  double work_rate_before; /* work per time before the trial */
} dae__radau_selection;

typedef struct dae__radau_memory {
  int s;            /* number of stages of the polynomial of the last step; 0: none */
  double h;         /* size of the last step */
  bool linearised;  /* Jacobians are evaluated */
  bool fresh;       /* Jacobians belong to the current step */
  double matrix_h;  /* step size of the factored matrix; 0: no factored matrix */
  int matrix_s;     /* number of stages of the factored matrix */
  bool matrix_full; /* factored matrix is that of all stages */
  double theta;     /* contraction of the last iteration */
  int failed;       /* number of failures in a row of the preconditioned iteration */
  bool refined;     /* dense output of the last step is refined to the order of its ends */
  bool checked;     /* refinement of the last step has been tried */
  int pieces;       /* number of pieces of dense output, 1: none needed, 0: not known */
  long iterations, full_steps, steps;
  double error; /* error estimate of the last step */
  double inner; /* error estimate of states and algebraic variables within the last step */
  /* start, size and error of the last attempt, if its error test failed; start NAN: it did not */
  struct {
    double t, h, error;
  } rejected;
  double work; /* work in evaluations, without dense output */
  dae__radau_selection selection;
} dae__radau_memory;

typedef struct dae__radau_full dae__radau_full;

typedef struct dae__radau {
  const dae_adapter *adapter;
  dae__reduced *r;
  double rtol, atol;
  bool fixed;    /* steps of fixed size */
  bool diverged; /* the iteration of the last attempt did not converge */
  /* smooth motion: large steps over stiff forces that turn within them; NULL: every motion */
  struct dae__smooth *smooth;
  double block_work;                       /* factor of the work of blocks */
  dae__radau_rule *rule[DAE__RADAU_RULES]; /* coefficients; s = 0: not created yet */
  /* nodes of the refined dense output; s = 0: not created yet */
  dae__collocation_rule *fine_rule;
  dae__radau_memory *memory; /* state saved with the integrator */
  double *polynomial;        /* saved: s x n, unknowns K of the last step */
  /* saved: correction of the end of the last step by projection */
  double *shift;
  /* saved: polynomial and shift of the refined dense output */
  double *fine_polynomial, *fine_shift;
  /* saved: polynomials of the pieces of the last step; their starts, then the shift of the end */
  double *piece_polynomial, *piece_start;
  /* residuals at the nodes of the refined dense output; a state */
  double *fine_R, *z;
  /* Arrays of the current step; their comments begin with their sizes. */
  /* s x n: unknowns, increments, residuals of the stages */
  double *K, *D, *R;
  double noise;   /* norm of increments by the round-off of coordinates; smooth motion */
  double *Z;      /* s x size: states of the stages */
  double *W;      /* s x n: increments in the eigenvectors of A */
  double *scale;  /* n: reciprocal weights of increments */
  double *weight; /* size: weights of the error norm of states */
  /* size: change of the end of the step by the last iteration */
  double *end_increment;
  /* n, n2, n: error estimates e and e_q, right side of their filter; (1 - F)^p F e */
  double *e, *e_q, *rhs, *e_stiff;
  double *e_begin; /* damp: e and e_q of all polynomials, filtered at the start of the step */
  dae__radau_full *full[DAE__RADAU_RULES]; /* matrix of all stages; NULL: not used */
} dae__radau;

/* A stepper: one number of stages with one kind of iteration matrix. */
typedef struct dae__radau_stepper {
  dae__radau *radau;
  int rule;
  bool full;  /* iteration by one matrix of all stages; false: by blocks */
  bool owner; /* stepper that counts and frees the shared memory */
} dae__radau_stepper;

/* Creates steppers for the rules first ... last with blocks and then, for variable steps of
 * small mechanical systems, with one matrix of all stages; the smooth motion of mechanical systems
 * (damp) has steppers with such matrices only. *count: number of steppers in out. */
dae_status dae__radau_create(dae__arena *arena, const dae_adapter *adapter,
                             const dae_step_options *opts, struct dae__smooth *smooth, int first,
                             int last, dae__stepper *out, int *count, dae_error *err);

/* Selects number of stages and iteration matrix of the next step, a function of the stepper
 * table. */
void dae__radau_select(struct dae__onestep *o, int first);
/* Selects the matrix of all stages for another attempt of size h after an attempt with blocks that
 * did not converge. */
void dae__radau_select_after_failure(struct dae__onestep *o, int first, double h);

/* Residuals R of all stages. first: at the first iterate of a step. */
dae_status dae__radau_residuals(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                                bool first, dae_error *err);
/* Moves the stages K back to the equilibrium of stiff forces (smooth motion); overwrites R and D.
 */
dae_status dae__radau_relax(dae__radau *o, const dae__radau_rule *rule, const dae_step *step,
                            dae_error *err);
/* Solves for the stages of a step by a Newton iteration: sets K, Z and end_increment. */
dae_status dae__radau_solve(dae__radau *o, const dae__radau_stepper *stepper, const dae_step *step,
                            dae_error *err);
/* Solves for the stages K, Z of a piece of the last step by a Newton iteration from K, with the
 * Jacobians of that step; factors matrices of the piece. */
dae_status dae__radau_solve_piece(dae__radau *o, const dae__radau_rule *rule, const dae_step *piece,
                                  dae_error *err);
/* State z at node i of a collocation rule, by the unknowns K at its nodes. */
void dae__radau_stage_state(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                            const dae_step *step, int i, double *z);

/* Error estimate of the step relative to the tolerance of the stages. */
double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae_step *step);
/* Error of algebraic variables of index 2 at the end step->to, solved for, relative to the
 * tolerance; at most 0: that of their stages. Follows dae__radau_error. */
double dae__radau_error_algebraic(const dae__radau *o, const dae__radau_rule *rule,
                                  const dae_step *step);
/* Functions of the stepper table for dense output. */
dae_status dae__radau_dense_output(void *self, const dae_step *step, double x, dae_dense accuracy,
                                   const dae_point *out, dae_error *err);

/* ---- one matrix of all stages ---- */

/* Creates the matrix of all stages for s stages. Small systems share the memory of `other` (NULL:
 * none yet), which is sized for max_stages. */
dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s, int max_stages,
                                  const dae__radau_full *other, dae__radau_full **out,
                                  dae_error *err);
void dae__radau_full_free(dae__radau_full *f); /* f may be NULL */
/* Factors the matrix of all stages at the iterate K, Z; r keeps the Jacobians of the middle
 * stage. */
dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae_step *step, dae_error *err);
/* D = J\R with the matrix J of all stages */
void dae__radau_full_solve(dae__radau *o, dae__radau_full *f);

/* Matrix of all stages for up to DAE__SMALL_N unknowns of a stage with dense Jacobians; without
 * saved state. */
typedef struct dae__radau_small dae__radau_small;

dae_status dae__radau_small_create(dae__arena *arena, const dae__reduced *r, int max_stages,
                                   dae__radau_small **out, dae_error *err);
/* Assembles the rows of stage i from the Jacobians of r; returns -1, or the unknown at which the
 * rows are singular. */
int dae__radau_small_add(dae__radau_small *f, const dae__reduced *r, const dae__collocation_rule *c,
                         double h, int i);
/* Factors the assembled matrix; *column: the unknown at which it is singular, or -1. */
dae_status dae__radau_small_factor(dae__radau_small *f, int *column);
/* D = J\D with the factored matrix J of all stages */
void dae__radau_small_solve(const dae__radau_small *f, double *D);

#endif
