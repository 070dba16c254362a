/* The saddle solver at work on a mechanical problem: projection onto the constraints, accelerations
 * and multipliers, choice of an independent subset of the constraints. */
#ifndef DAEDAL_PROBLEM_MECHANICAL_MOTION_H
#define DAEDAL_PROBLEM_MECHANICAL_MOTION_H

#include "linalg/saddle/saddle.h"
#include "problem/mechanical/mech.h"

typedef struct dae__motion_memory {
  bool factored;    /* the saddle holds a factorisation from some earlier point */
  long projections; /* states that had to be moved */
  long factorisations;
} dae__motion_memory;

typedef struct dae__motion {
  dae__mech *m;
  dae__saddle *saddle;
  dae__motion_memory *memory; /* kept */
  double *M, *G, *K;          /* values at the last point evaluated */
  bool mass_stays;            /* M is constant, and its values are there */
  dae_mechanical_wanted want; /* what accelerations need, and where that goes */
  bool few;                   /* rows of [G; K], at least one; */
  dae__saddle_forces forces;  /* then what the saddle is given of them: */
  bool whole;                 /* G or K is all of it, without gaps in its pattern; */
  bool fast_path;             /* and one callback gives all there is, M being constant */
  double *rows;               /* else that as a dense matrix, */
  int *place_G, *place_K;     /* and places of entries in it */
  double *s;                  /* nu: s there */
  double *moved_G;            /* G where q has been moved to */
  double *diagonal;           /* nq + nc, what is added to the saddle's diagonal */
  double *residual, *scale;   /* nc */
  double *terms;              /* nc: size of the terms of each row before it was moved */
  double *sides;              /* three right sides and solutions of nq + nc numbers, of which */
  double *top, *bottom;       /* these are the parts of the first */

  /* dependent rows */
  dae__arena *arena;
  dae_pattern A; /* [G; K] */
  dae__block G_in_A, K_in_A;
  bool *all;                         /* nc times true: no row masked */
  double *full_G, *full_K, *stacked; /* Jacobians with no row masked, and as one matrix */
  double *column;                    /* nq: one row of A as a column */
  int capacity;                      /* dependent rows there is memory for: */
  double *C;                         /* capacity x nc: their combinations of the others */
  double *S, *y_D;                   /* 1 + C C', and its right side */
  int *pivot;
} dae__motion;

dae_status dae__motion_create(dae__arena *arena, dae__mech *m, dae__motion **out, dae_error *err);
/* Another one of the same problem, for what is shown, say. It begins with nothing factored; what
 * the two have in common is that of the first, which has to live as long. */
dae_status dae__motion_create_another(dae__arena *arena, const dae__motion *first,
                                      dae__motion **out, dae_error *err);
dae_status dae__motion_reload(dae__motion *motion);
void dae__motion_free(dae__motion *motion); /* NULL is allowed */

/* Moves q onto g and v onto g_t + G v and k, in the norm of the mass matrix, where they are not
 * there already to 1e-12 of the terms of each constraint. *moved (may be NULL) says whether
 * anything was changed. */
dae_status dae__motion_project(dae__motion *motion, double t, double *q, double *v, bool *moved,
                               dae_error *err);

/* v alone, at a q that need not be on its constraints. */
dae_status dae__motion_project_velocity(dae__motion *motion, double t, double *q, double *v,
                                        dae_error *err);

/* Checks that the constraints that were taken out as dependent still hold at (q, v). */
dae_status dae__motion_check_dependent(dae__motion *motion, double t, const double *q,
                                       const double *v, dae_error *err);

/* Accelerations and multipliers at (q, v, u, w) of the state vector y: writes the multipliers into
 * y (of minimum norm where constraints are dependent) and v, v', u' into dy (may be NULL), leaving
 * the other entries of dy alone. */
dae_status dae__motion_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                  dae_error *err);

/* The same, dy included, where a factorisation is not needed afterwards: there may be none. */
dae_status dae__motion_slopes(dae__motion *motion, double t, double *y, double *dy, dae_error *err);

/* The same for a state that a step has led to near its constraints, which is moved onto them by the
 * same evaluation and factorisation: accelerations and multipliers as they are before it is moved,
 * v in dy after. q is then on g to second order of its distance d, v on g_t + G v and k to |v| d.
 */
dae_status dae__motion_project_and_accelerate(dae__motion *motion, double t, double *y, double *dy,
                                              dae_error *err);

/* Chooses an independent subset of the constraints at the state y, earlier rows preferred. text
 * (may be NULL) receives a line for each dependent row, naming the rows it depends on. */
dae_status dae__motion_pick(dae__motion *motion, double t, const double *y, char *text, size_t size,
                            dae_error *err);

/* Whether a constraint is all but dependent on the others at the state y, and the first that is. */
bool dae__motion_stuck(dae__motion *motion, double t, const double *y, char *name, size_t size);

/* Memory for the dependent rows that another motion of the same problem has found. */
dae_status dae__motion_follow(dae__motion *motion, dae_error *err);

/* Factors the saddle matrix from motion->M, G, K and diagonal; names what is singular. */
dae_status dae__motion_factor(dae__motion *motion, dae_error *err);
/* The same with the diagonal of the active rows: "multiplier = 0" for the others. */
dae_status dae__motion_factor_active(dae__motion *motion, dae_error *err);
/* Takes note of what became of a factorisation. */
dae_status dae__motion_factored(dae__motion *motion, dae_status status, dae_error *err);

/* Multipliers y (nc) of the active rows, with that factorisation, as those of minimum norm of all
 * rows that exert the same force. */
dae_status dae__motion_minimum_norm(dae__motion *motion, const dae_mechanical_at *at, double *y,
                                    dae_error *err);

/* scale_i = sum_j |A_ij| (|x_j| + 1e-3 max |x|), the size of the terms of row i */
void dae__row_scale(const dae_pattern *pattern, const double *A, const double *x, double *scale);

#endif
