/* One step of BDF for (1.4), the nonlinear system (2.12) of [YP96], and Newton-type iterations on
 * it, with small dense matrices: apart from the library's own iterations.
 *
 * Unknowns z = (q, v) of n coordinates; rho q = c (q - a_q), rho v = c (v - a_v). */
#ifndef DAEDAL_REPRODUCE_YP96_NEWTON_H
#define DAEDAL_REPRODUCE_YP96_NEWTON_H

#include "reproduce.h"

#define YP96_MOST 6            /* largest number of coordinates */
#define YP96_Z (2 * YP96_MOST) /* largest number of unknowns */

typedef enum yp96_residual {
  YP96_R_FORCE, /* r2 = M rho v - f */
  YP96_R_MASS,  /* rho v - M^-1 f with P, as in Remark 3.1 */
  YP96_R_MASS_P /* rho v - M^-1 f with P M */
} yp96_residual;

typedef struct yp96_step {
  const dae_mechanical *problem;
  int n, m;
  double c;                       /* leading coefficient over h */
  double past[YP96_Z];            /* (a_q, a_v) */
  int x[YP96_MOST], y[YP96_MOST]; /* independent and dependent coordinates */
  yp96_residual residual;
} yp96_step;

/* Step of a problem; the split by elimination of G' with row pivoting (2.2) at q, or with a given
 * independent coordinate (negative: none). Refuses problems that are too large. */
dae_status yp96_step_begin(const dae_mechanical *problem, double c, const double *past,
                           const double *q, int independent, yp96_step *step, dae_error *err);

/* (P r1, P r2, G v, g) at z, with P at the coordinates p_at, NULL: at z. */
void yp96_step_residual(const yp96_step *step, const double *z, const double *p_at, double *out);
/* Its derivative by central differences, 2n x 2n by rows. */
void yp96_step_jacobian(const yp96_step *step, const double *z, const double *p_at, double *J);
/* Newton's iteration from z, with a new matrix in every iteration; false if it fails. */
bool yp96_step_solve(const yp96_step *step, double *z, const double *p_at);
/* Norm of Y' (r1, r2) at z. */
double yp96_step_dependent(const yp96_step *step, const double *z);
/* Asymptotic rate of simplified Newton's iteration with the matrix of start at the solution: the
 * spectral radius of 1 - J(start)^-1 J(solution). */
double yp96_step_rate(const yp96_step *step, const double *start, const double *start_p,
                      const double *solution, const double *solution_p);

/* Variants of one iteration with the matrix at the start. */
typedef enum yp96_variant {
  YP96_EXACT,     /* simplified Newton's iteration for (2.12) */
  YP96_ALGORITHM, /* Algorithm 2.1 with (2.23), (2.24), its misprinted signs corrected */
  YP96_CHEAP,     /* Algorithm 2.1 with (2.25), signs corrected, without (1 + Q'Q)^-1 */
  YP96_PRINTED,   /* Algorithm 2.1 to the letter: (2.25) with the printed signs */
  YP96_CM_EXACT,  /* simplified Newton's iteration for (3.2) */
  YP96_CM_PRINTED /* Algorithm 3.1 with (2.23), (2.24), signs corrected */
} yp96_variant;

/* count iterations from z, which receives the result. */
void yp96_step_iterate(const yp96_step *step, yp96_variant variant, int count, double *z);

/* max |a - b| of count entries */
double yp96_distance(const double *a, const double *b, int count);

#endif
