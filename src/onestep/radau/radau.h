/* Radau IIA with s = 3, 5 or 7 stages, order 2s - 1, on the reduced form of a problem (reduced.h).
 * All numbers of stages share one memory; each has steppers of its own, and a stepper continues
 * where another one has stopped. The files:
 *   radau.c         steppers, creation
 *   radau_solve.c   predictor and simplified Newton iteration of the stages
 *   radau_full.c    one matrix of all stages, each with its own Jacobian
 *   radau_dense.c   error estimate, dense output
 *   radau_select.c  selection of the number of stages and of the iteration matrix
 *   radau_rule.c    coefficients, linear maps of the stages */
#ifndef DAEDAL_ONESTEP_RADAU_RADAU_H
#define DAEDAL_ONESTEP_RADAU_RADAU_H

#include "onestep/host/stepper.h"
#include "onestep/radau/reduced.h"
#include "quadrature/collocation.h"
#include <float.h>

#define DAE__RADAU_STAGES 7 /* largest number */
#define DAE__RADAU_RULES 3  /* 3, 5, 7 stages */
#define DAE__RADAU_STEPPERS (2 * DAE__RADAU_RULES)

/* ---- tuning constants: chosen, not measured, where no source is given ---- */

/* Largest number of iterations: variable steps, with 9 the problems of bench_engines take a fifth
 * more time; fixed steps, where a smaller step is no way out. */
#define DAE__RADAU_MAX_ITERATIONS 15
#define DAE__RADAU_MAX_ITERATIONS_FIXED 40
#define DAE__RADAU_DIVERGENT_CONTRACTION 0.99
/* Iterations of a fixed step whose increments may grow: the weight of a component near zero is far
 * smaller than the others. */
#define DAE__RADAU_GROWING_ITERATIONS 8
/* First increment, relative to the stopping tolerance, after which one iteration is enough. */
#define DAE__RADAU_ONE_ITERATION_INCREMENT 1e-3
/* Relative increments: round-off, and stagnation at round-off, which the eigenvectors of 7 stages
 * amplify by about a thousand. */
#define DAE__RADAU_ROUND_OFF (16 * DBL_EPSILON)
#define DAE__RADAU_STAGNATION (1e4 * DBL_EPSILON)
/* Attempts in a row at which the preconditioned iteration may fail before the iteration on all
 * unknowns takes over, which contracts better where stiff directions turn. */
#define DAE__RADAU_PRECONDITIONED_FAILURES 2
/* Preconditioned iteration that fails by round-off: decrease of increments, last contraction. */
#define DAE__RADAU_NOISE_DECREASE 1e-4
#define DAE__RADAU_NOISE_CONTRACTION 0.5
/* Contraction above which the matrix of all stages is updated within an iteration. */
#define DAE__RADAU_FULL_UPDATE_CONTRACTION 0.3
/* Contraction above which the next step evaluates its own Jacobians. 0.02 to 0.05 make little
 * difference; this value takes the fewest evaluations on Akzo Nobel with differenced Jacobians. */
#define DAE__RADAU_REFRESH_CONTRACTION 0.03
/* Amplified error of the extrapolated predictor, relative to the tolerance of the stages: without a
 * bound 7 stages carry the noise of tiny steps on for ever (tests/laws). */
#define DAE__RADAU_PREDICTOR_NOISE 30
/* Matrix of all stages: rows, beyond which factors cost hundreds of evaluations; step growth,
 * beyond which the predictor is bad and iterations fail. */
#define DAE__RADAU_FULL_ROWS 300
#define DAE__RADAU_FULL_GROWTH 1.5
#define DAE__RADAU_KEPT_GROWTH 1.2 /* step growth that is not used, RADAU5 [HW96 IV.8] */

/* Weights of the low-order difference d in the error of algebraic variables driven by time. A
 * rectifier misses no pulse with 0.03 to 10. With these values it takes as many steps as with an
 * estimate linear in d (3 stages: up to 13 times fewer), output rows are off by up to 12
 * tolerances, and the steps of Akzo Nobel do not change. */
#define DAE__RADAU_DRIVEN_WEIGHT 3
#define DAE__RADAU_DRIVEN_WEIGHT_3 0.3 /* of 3 stages */
/* Weights of d for singular M. Output rows of the transistor amplifier are off by 0.3 to 8
 * tolerances, without them by 10 to 9000, for the same number of evaluations. */
#define DAE__RADAU_SINGULAR_MASS_WEIGHT 0.1
#define DAE__RADAU_SINGULAR_MASS_WEIGHT_3 0.03 /* of 3 stages, where d would limit the step */

#define DAE__RADAU_REFINE_SWEEPS 8   /* of the refined dense output, at most */
#define DAE__RADAU_REFINE_CHANGE 0.1 /* change that ends them, relative to the tolerance */
#define DAE__RADAU_REFINE_ROUND_OFF (1e3 * DBL_EPSILON) /* relative change that is round-off */

#define DAE__RADAU_SMALL_ERROR 1e-3 /* over the tolerance: steps could be three times as large */
#define DAE__RADAU_LARGE_ERROR 0.1  /* over the tolerance: errors limit the step */
#define DAE__RADAU_SELECT_STEPS 8   /* in a row with such errors, before a change */
#define DAE__RADAU_TRIAL_STEPS 10   /* of a trial */
#define DAE__RADAU_TRIAL_WAIT 40    /* steps from the first failed trial to the next one */
#define DAE__RADAU_BLOCKS_AGAIN 200 /* steps with one matrix before the blocks are tried again */
/* Work in evaluations, estimated for 5 to 15 unknowns: Jacobians at a point, factors of blocks. */
#define DAE__RADAU_JACOBIAN_WORK 4
#define DAE__RADAU_REAL_BLOCK_WORK 1
#define DAE__RADAU_COMPLEX_BLOCK_WORK 4

/* ---- linear maps of the stages ---- */

/* s x s coefficients, each in both lanes of a vector. */
typedef struct dae__radau_map {
  dae__pair m[DAE__RADAU_STAGES][DAE__RADAU_STAGES];
} dae__radau_map;

/* to_i = sum_j m_ij X_j, i = 1 ... s, s = 3, 5 or 7, for `count` entries of rows of X that are n
 * apart and rows of `to` that are `stride` apart. */
void dae__radau_map_rows(int s, const dae__radau_map *map, int count, const double *X, int n,
                         double *to, int stride);

/* The integral of stages:
 *
 *   to_i = base + at_i slope + factor sum_j m_ij X_j,   i = 1 ... s,
 *
 * for `count` entries; slope and at are both given or both NULL. */
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
  double rtol, atol; /* of the error estimate of order s + 1 */
  double stop;       /* iteration error to be reached, relative to these */
  double stagnation; /* increment accepted where the iteration stagnates, relative to these */
  bool fixed;        /* fixed steps: iterate to round-off */
} dae__radau_tolerance;

/* A = T diag(mu) T^-1: the real eigenvalue mu, and one of each complex pair, zmu. */
typedef struct dae__radau_rule {
  const dae__collocation_rule *c;
  int s, pairs;
  double mu;
  double complex zmu[DAE__REDUCED_PAIRS];
  /* T^-1 and T in real numbers: rows of to_eigen, columns of from_eigen belong to the real
   * eigenvalue, then to real and imaginary part of each pair */
  dae__radau_map to_eigen, from_eigen;
  dae__radau_map A, A2;            /* matrices of c */
  double start[DAE__RADAU_STAGES]; /* l_j(0) */
  /* difference at 0 of the stage polynomial and the low-order one without the first stage */
  double low_order[DAE__RADAU_STAGES];
  dae__radau_tolerance tolerance; /* set by dae__radau_rule_at */
} dae__radau_rule;

dae__radau_rule dae__radau_rule_create(int stages);

struct dae__radau;
/* Rule i, created at its first use. */
const dae__radau_rule *dae__radau_rule_at(const struct dae__radau *o, int i);
/* Nodes of the refined dense output of s stages: order s' + 1 of its states in v is 2s - 1, limited
 * by DAE__COLLOCATION_STAGES_MAX. */
int dae__radau_fine_nodes(int s);
/* Collocation rule of these nodes, created where the last one asked for had others. */
const dae__collocation_rule *dae__radau_fine_rule(const struct dae__radau *o, int s);

/* ---- the method ---- */

/* State of the selection of stages and matrices. */
typedef struct dae__radau_selection {
  int small_errors, large_errors; /* steps in a row with such errors */
  long steps;                     /* by the current stepper */
  bool trial;
  int before;              /* stepper before the trial */
  int failed_trials;       /* in a row */
  long wait, wait_length;  /* steps to the next trial: left, and in all */
  double t, work;          /* at the start of the measured span */
  double work_rate_before; /* work per time before the trial */
} dae__radau_selection;

typedef struct dae__radau_memory {
  int s;            /* stages of the polynomial of the last step; 0: none */
  double h;         /* size of the last step */
  bool linearised;  /* Jacobians exist */
  bool fresh;       /* Jacobians belong to the current step */
  double matrix_h;  /* step size of the factored matrix, 0: none */
  int matrix_s;     /* stages of the factored matrix */
  bool matrix_full; /* the factored matrix is the one of all stages */
  double theta;     /* contraction of the last iteration */
  int failed;       /* failures in a row of the preconditioned iteration */
  bool refined;     /* dense output of the last step has the order of its ends */
  long iterations, full_steps;
  double error; /* of the last step */
  double work;  /* so far, in evaluations, dense output not included */
  dae__radau_selection selection;
} dae__radau_memory;

typedef struct dae__radau_full dae__radau_full;

typedef struct dae__radau {
  const dae__rk_adapter *adapter;
  dae__reduced *r;
  double rtol, atol;
  bool fixed;                              /* step size */
  dae__radau_rule *rule[DAE__RADAU_RULES]; /* s = 0: not created yet */
  dae__collocation_rule *fine_rule;        /* s = 0: not created yet */
  dae__radau_memory *memory;               /* saved */
  double *polynomial;                      /* saved: s x n, K of the last step */
  double *shift;                           /* saved: projection of the end of that step */
  double *fine_polynomial, *fine_shift;    /* saved: both for the refined dense output */
  double *fine_R, *z;                      /* residuals at its nodes; a state */
  /* current step */
  double *K, *D, *R;                       /* s x n: unknowns, increments, residuals */
  double *Z;                               /* s x size: states */
  double *W;                               /* s x n: increments in the eigenvectors of A */
  double *scale;                           /* n: reciprocal weights of increments */
  double *weight;                          /* size: weights of states */
  double *end_increment;                   /* size: change of the end by the last iteration */
  double *e, *e_q, *rhs;                   /* n, n2, n: error estimate */
  dae__radau_full *full[DAE__RADAU_RULES]; /* NULL: not used */
} dae__radau;

/* One stepper: a number of stages with one kind of iteration matrix. */
typedef struct dae__radau_stepper {
  dae__radau *radau;
  int rule;
  bool full;  /* one matrix of all stages, else blocks */
  bool owner; /* counts for, reloads and frees the shared memory */
} dae__radau_stepper;

/* Steppers for rules first ... last (3, 5, 7 stages: 0, 1, 2) with blocks and then, for small
 * mechanical systems, with one matrix of all stages; *count of them in out. */
dae_status dae__radau_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int first, int last, dae__stepper *out,
                             int *count, dae_error *err);

/* Verb of the stepper table: selects stages and matrix of the next step. */
void dae__radau_select(struct dae__rk *o, int first);

/* Stages of a step by a Newton iteration: K, Z and end_increment. */
dae_status dae__radau_solve(dae__radau *o, const dae__radau_stepper *stepper,
                            const dae__rk_step *step, dae_error *err);
/* z at node i of a rule, by K at its nodes. */
void dae__radau_stage_state(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                            const dae__rk_step *step, int i, double *z);

/* Error of the step relative to the tolerance of the stages. */
double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step);
/* Verbs of the stepper table. */
void dae__radau_dense_output(void *self, const dae__rk_step *step, double x, double *z);
void dae__radau_rate(void *self, const dae__rk_step *step, double x, double *dz);
dae_status dae__radau_refine(void *self, const dae__rk_step *step, dae_error *err);

/* ---- one matrix of all stages ---- */

/* For s stages. Small systems share the memory of `other` (NULL: none yet), which has room for
 * max_stages. */
dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s, int max_stages,
                                  const dae__radau_full *other, dae__radau_full **out,
                                  dae_error *err);
void dae__radau_full_free(dae__radau_full *f); /* NULL is allowed */
dae_status dae__radau_full_reload(dae__radau_full *f);
/* Factors the matrix at the iterate K, Z; r keeps the Jacobians of the middle stage. */
dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae__rk_step *step, dae_error *err);
/* D = J\R */
void dae__radau_full_solve(dae__radau *o, dae__radau_full *f);

/* The same for up to DAE__SMALL_N unknowns of a stage with dense Jacobians; nothing is saved. */
typedef struct dae__radau_small dae__radau_small;

dae_status dae__radau_small_create(dae__arena *arena, const dae__reduced *r, int max_stages,
                                   dae__radau_small **out, dae_error *err);
/* Assembles the rows of stage i from the Jacobians of r: -1, or the unknown at which they are
 * singular. */
int dae__radau_small_add(dae__radau_small *f, const dae__reduced *r, const dae__collocation_rule *c,
                         double h, int i);
/* Factors the assembled matrix; *column: the unknown at which it is singular, or -1. */
dae_status dae__radau_small_factor(dae__radau_small *f, int *column);
/* D = J\D, of all stages */
void dae__radau_small_solve(const dae__radau_small *f, double *D);

#endif
