/* Radau IIA with s = 3, 5 or 7 stages in the reduced form, order 2s - 1. One memory serves all
 * numbers of stages: each has a stepper of its own, and one can go on where another has stopped.
 * Its files:
 *   radau.c          the steppers
 *   radau_solve.c    the stages of a step
 *   radau_error.c    what they are worth
 *   radau_dense.c    between their ends
 *   radau_adapt.c    how many
 *   radau_rule.c     coefficients */
#ifndef DAEDAL_RK_RADAU_H
#define DAEDAL_RK_RADAU_H

#include "rk/collocation.h"
#include "rk/reduced.h"
#include "rk/stepper.h"

#define DAE__RADAU_STAGES 7
#define DAE__RADAU_RULES 3 /* 3, 5, 7 stages */

/* A = T diag(mu) Ti: the real eigenvalue, and one of each complex pair. */
typedef struct dae__radau_rule {
  dae__collocation_rule c;
  int s, pairs;
  double mu, T[DAE__RADAU_STAGES], Ti[DAE__RADAU_STAGES];
  double complex zmu[DAE__REDUCED_PAIRS];
  double complex zT[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES];
  double complex zTi[DAE__REDUCED_PAIRS][DAE__RADAU_STAGES];
  double start[DAE__RADAU_STAGES]; /* l_j(0) */
  dae__collocation_rule finer;     /* for what is shown between the ends of a step */
} dae__radau_rule;

dae__radau_rule dae__radau_rule_create(int stages);

/* What the choice of stages remembers. */
typedef struct dae__radau_adapt {
  int slack, large; /* steps in a row whose errors were small, or large */
  long steps;       /* with this number of stages */
  bool trial;
  long wait, patience; /* steps before the next one */
  double t, work;      /* where the span began */
  double rate;         /* work per time before the trial */
} dae__radau_adapt;

typedef struct dae__radau_memory {
  int s;           /* of the polynomial that the last step has left; 0: none */
  double h;        /* of that step */
  bool linearised; /* there are matrices, */
  bool fresh;      /* of the step at hand, */
  double matrix_h; /* factored for this size, 0: not yet, */
  int matrix_s;    /* and this number of stages */
  double theta;    /* contraction of the last iteration; */
  int count;       /* its length */
  bool fine;       /* the last step is known between its ends as well as there */
  long iterations;
  double error; /* of the last step */
  double work;  /* so far, in evaluations; what was shown does not count */
  dae__radau_adapt adapt;
} dae__radau_memory;

/* The iteration of a step ends at: */
typedef struct dae__radau_goal {
  double rtol, atol; /* of stages: errors are measured by these */
  double stop;       /* changes that are small enough, in units of these, */
  double bearable;   /* and those that will do where they do not get smaller */
  bool fixed;        /* to round-off */
} dae__radau_goal;

typedef struct dae__radau {
  const dae__rk_body *body;
  dae__reduced *r;
  double rtol, atol;
  bool fixed; /* step size */
  dae__radau_rule rule[DAE__RADAU_RULES];
  dae__radau_memory *memory; /* kept */
  double *polynomial;        /* kept: s x n, k at the stages of the last step */
  double *shift;             /* kept: by which its end was moved */
  double *fine, *fine_shift; /* kept: both at the nodes of the finer rule */
  double *fine_R, *z;        /* residuals there; a state */
  /* the step at hand */
  double *K, *D, *R;     /* s x n: unknowns, their change, residuals */
  double *Z;             /* s x size: states */
  double complex *zx;    /* n */
  double *x, *scale;     /* n */
  double *weight;        /* size */
  double *moved;         /* size: change of the end in the last iteration */
  double *e, *e_q, *rhs; /* n, n2, n */
} dae__radau;

/* One stage count of it. */
typedef struct dae__radau_stepper {
  dae__radau *radau;
  int rule;
} dae__radau_stepper;

/* Steppers for rules first ... last (3, 5, 7 stages: 0, 1, 2), out: that many. */
double dae__radau_work(const dae__radau *o);
dae_status dae__radau_create(dae__arena *arena, const dae__rk_body *body,
                             const dae_rk_options *opts, int first, int last, dae__stepper *out,
                             dae_error *err);

/* In place of recipe.choose, or in it: steppers first ... last of the integrator are those of
 * radau, with ascending numbers of stages; the last one is that of the tolerance. */
struct dae__rk;
void dae__radau_adapt_stages(struct dae__rk *o, int first, int last);

/* ---- between its files ---- */

void dae__radau_charge(dae__radau *o, const dae__radau_rule *rule, bool matrices, bool blocks);

dae__radau_goal dae__radau_goal_of(const dae__radau *o, const dae__radau_rule *rule);
/* The stages of a step, by Newton's iteration: K, Z, and moved. */
dae_status dae__radau_solve(dae__radau *o, const dae__radau_rule *rule, const dae__rk_leg *leg,
                            dae_error *err);
/* Error of the step relative to the tolerance of stages. */
double dae__radau_error(dae__radau *o, const dae__radau_rule *rule, const dae__rk_leg *leg);

/* Stages to be as good between the ends as s have it there. */
dae__collocation_rule dae__radau_finer(int s);
/* As the verbs of a stepper. */
void dae__radau_between(const dae__radau *o, const dae__radau_rule *rule, const dae__rk_leg *leg,
                        double x, double *z);
void dae__radau_rate(const dae__radau *o, const dae__radau_rule *rule, double x, double *dz);
dae_status dae__radau_refine(dae__radau *o, const dae__radau_rule *rule, const dae__rk_leg *leg,
                             dae_error *err);

#endif
