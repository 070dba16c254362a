/* Radau IIA with s = 3, 5 or 7 stages in the reduced form, order 2s - 1. One memory serves all
 * numbers of stages: each has a stepper of its own, and one can go on where another has stopped.
 * Its files:
 *   radau.c          the steppers
 *   radau_solve.c    the stages of a step
 *   radau_predict.c  where they begin
 *   radau_full.c     the same with all stages in one matrix
 *   radau_few.c      and that of few unknowns
 *   radau_error.c    what they are worth
 *   radau_dense.c    between their ends
 *   radau_adapt.c    how many, and how they are solved
 *   radau_rule.c     coefficients
 *   radau_maps.c     sums over stages */
#ifndef DAEDAL_ONESTEP_RADAU_RADAU_H
#define DAEDAL_ONESTEP_RADAU_RADAU_H

#include "onestep/host/stepper.h"
#include "onestep/radau/radau_maps.h"
#include "onestep/radau/reduced.h"
#include "quadrature/collocation.h"

#define DAE__RADAU_RULES 3 /* 3, 5, 7 stages */
#define DAE__RADAU_STEPPERS (2 * DAE__RADAU_RULES)

/* The iteration of a step ends at: */
typedef struct dae__radau_goal {
  double rtol, atol; /* of stages: errors are measured by these */
  double stop;       /* changes that are small enough, in units of these, */
  double bearable;   /* and those that will do where they do not get smaller */
  bool fixed;        /* to round-off */
} dae__radau_goal;

/* A = T diag(mu) Ti: the real eigenvalue, and one of each complex pair. */
typedef struct dae__radau_rule {
  const dae__collocation_rule *c;
  int s, pairs;
  double mu, T[DAE__RADAU_STAGES], Ti[DAE__RADAU_STAGES];
  double complex zmu[DAE__REDUCED_PAIRS];
  double complex zT[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES];
  double complex zTi[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES];
  /* the same in real numbers: rows (columns of back) are the real one, then the real and the
   * imaginary part of each pair */
  dae__radau_map forth, back;
  dae__radau_map A, A2;            /* those of c */
  double start[DAE__RADAU_STAGES]; /* l_j(0) */
  double rough[DAE__RADAU_STAGES]; /* what the first stage adds to that of the others */
  dae__radau_goal goal;            /* by the tolerance; dae__radau_rule_at sets it */
} dae__radau_rule;

dae__radau_rule dae__radau_rule_create(int stages);

struct dae__radau;
/* Rule i, made where it is used for the first time, and its finer nodes, made where the last ones
 * asked for were others. */
const dae__radau_rule *dae__radau_rule_at(const struct dae__radau *o, int i);
const dae__collocation_rule *dae__radau_finer_at(const struct dae__radau *o, int i);

/* What the choice of stages remembers. */
typedef struct dae__radau_choice {
  int slack, large; /* steps in a row whose errors were small, or large */
  long steps;       /* by this stepper */
  bool trial;
  int from;            /* the stepper before the trial */
  int failed;          /* trials in a row that did */
  long wait, patience; /* steps before the next one */
  double t, work;      /* where the span began */
  double rate;         /* work per time before the trial */
} dae__radau_choice;

typedef struct dae__radau_memory {
  int s;            /* of the polynomial that the last step has left; 0: none */
  double h;         /* of that step */
  bool linearised;  /* there are matrices, */
  bool fresh;       /* of the step at hand, */
  double matrix_h;  /* factored for this size, 0: not yet, */
  int matrix_s;     /* and this number of stages */
  bool matrix_full; /* it is the one of all stages */
  double theta;     /* contraction of the last iteration */
  int failed;       /* iterations on what has rates alone that did, in a row */
  bool fine;        /* the last step is known between its ends as well as there */
  long iterations, full_steps;
  double error; /* of the last step */
  double work;  /* so far, in evaluations; what was shown does not count */
  dae__radau_choice choice;
} dae__radau_memory;

typedef struct dae__radau_full dae__radau_full;

typedef struct dae__radau {
  const dae__rk_adapter *adapter;
  dae__reduced *r;
  double rtol, atol;
  bool fixed;                              /* step size */
  dae__radau_rule *rule[DAE__RADAU_RULES]; /* see dae__radau_rule_at; s = 0: not made yet */
  dae__collocation_rule *finer; /* for what is shown between the ends of a step; the same */
  dae__radau_memory *memory;    /* kept */
  double *polynomial;           /* kept: s x n, k at the stages of the last step */
  double *shift;                /* kept: by which its end was moved */
  double *fine, *fine_shift;    /* kept: both at the nodes of the finer rule */
  double *fine_R, *z;           /* residuals there; a state */
  /* the step at hand */
  double *K, *D, *R;                       /* s x n: unknowns, their change, residuals */
  double *Z;                               /* s x size: states */
  double *W;                               /* s x n: in the eigenvectors of A */
  double *scale;                           /* n */
  double *weight;                          /* size */
  double *moved;                           /* size: change of the end in the last iteration */
  double *e, *e_q, *rhs;                   /* n, n2, n */
  dae__radau_full *full[DAE__RADAU_RULES]; /* NULL: not wanted */
} dae__radau;

/* One way of making steps with it. */
typedef struct dae__radau_stepper {
  dae__radau *radau;
  int rule;
  bool full;  /* all stages in one matrix */
  bool first; /* of those that share a memory */
} dae__radau_stepper;

/* Steppers for rules first ... last (3, 5, 7 stages: 0, 1, 2) and then, where the system is small
 * and there is a choice, for the same with one matrix; out: *count of them. */
dae_status dae__radau_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int first, int last, dae__stepper *out,
                             int *count, dae_error *err);

/* ---- between its files ---- */

/* The verb `select`: with how many stages, and by which matrices, radau goes on. */
void dae__radau_adapt(struct dae__rk *o, int first);

/* Work that is not evaluations of stages: derivatives at so many points, blocks factored, or the
 * matrix of all stages. */
typedef enum dae__radau_work_kind {
  DAE__RADAU_MATRICES,
  DAE__RADAU_BLOCKS,
  DAE__RADAU_FULL
} dae__radau_work_kind;
void dae__radau_charge(dae__radau *o, const dae__radau_rule *rule, dae__radau_work_kind kind);

dae__radau_goal dae__radau_goal_of(const dae__radau *o, int stages);
/* The stages of a step, by Newton's iteration: K, Z, and moved. */
dae_status dae__radau_solve(dae__radau *o, const dae__radau_stepper *how, const dae__rk_step *step,
                            dae_error *err);
/* z at node i of a rule, by K at its nodes. */
void dae__radau_state(const dae__radau *o, const dae__collocation_rule *c, const double *K,
                      const dae__rk_step *step, int i, double *z);
/* K = the polynomial of the last step, gone on with, where changes at which iterations end are
 * stop; K = what is known at the start. */
void dae__radau_extrapolate(dae__radau *o, const dae__radau_rule *rule, double h, double stop);
void dae__radau_stay(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step);
/* Error of the step relative to the tolerance of stages. */
double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step);

/* For s stages. Of few unknowns one memory serves all numbers of stages up to `most`: that of
 * `other`, unless it is NULL. */
dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s, int most,
                                  const dae__radau_full *other, dae__radau_full **out,
                                  dae_error *err);
void dae__radau_full_free(dae__radau_full *f); /* NULL is allowed */
dae_status dae__radau_full_reload(dae__radau_full *f);
/* The matrix at the iterate K, Z; of r the derivatives of the middle stage stay. */
dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae__rk_step *step, dae_error *err);
/* D = J\R */
void dae__radau_full_solve(dae__radau *o, dae__radau_full *f);

/* Nodes to be as good between the ends as s stages are there. */
int dae__radau_finer(int s);
/* As the verbs of a stepper. */
void dae__radau_dense_output(const dae__radau *o, const dae__radau_rule *rule,
                             const dae__rk_step *step, double x, double *z);
void dae__radau_rate(const dae__radau *o, const dae__radau_rule *rule, double x, double *dz);
dae_status dae__radau_refine(dae__radau *o, const dae__radau_rule *rule, const dae__rk_step *step,
                             dae_error *err);

#endif
