/* The bordered system that the correctors for constrained mechanics share: the stabilised index-2
 * form of Gear, Gupta and Leimkuhler [GGL85], with nonholonomic and rheonomic constraints, extra
 * states and algebraic variables.
 *
 *   unknowns  q v u w lambda psi mu
 *
 *   0 = q' - v + G' mu                              (q)
 *   0 = M v' - f + G' lambda + K' psi               (v)
 *   0 = u' - s                                      (u)
 *   0 = -c                                          (w)
 *   0 = g_t + G v                                   (lambda)
 *   0 = k                                           (psi)
 *   0 = g                                           (mu)
 *
 * mu vanishes on exact solutions and absorbs the drift of the discretisation. Without constraints
 * this is the plain first-order form of M q'' = f. The iteration matrix, with H(s) = d(G' s)/dq, D
 * = d(M v' + K' psi - f)/d(q,v), J = d(f,s,c)/d(q,v,u,w):
 *
 *   [ cj I + H(mu)         -I                                 G' ]
 *   [ H(lambda) + D_q       cj M + D_v   -f_u -f_w  G'   K'       ]
 *   [ -s_q                  -s_v     cj I - s_u -s_w              ]
 *   [ -c_q                  -c_v         -c_u -c_w                ]
 *   [ d(gdot)/dq            G                                     ]
 *   [ k_q                   K                                     ]
 *   [ G                                                           ]
 *
 * With directions B of the constraint forces B' (lambda, psi) stands in place of G' lambda + K'
 * psi. Rows of dependent constraints hold "multiplier = 0" instead. Correctors differ in the source
 * of the multipliers in residual and matrix: unknowns or estimates. The structure of a corrector
 * begins with a dae__bordered, so that its table may contain the functions below. */
#ifndef DAEDAL_MULTISTEP_BORDERED_H
#define DAEDAL_MULTISTEP_BORDERED_H

#include "linalg/solver.h"
#include "multistep/bdf.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"

enum {
  DAE__BLOCK_ONE_Q, /* cj I in rows (q) */
  DAE__BLOCK_ONE_V, /* -I in rows (q) */
  DAE__BLOCK_ONE_U, /* cj I in rows (u) */
  DAE__BLOCK_H_MU,
  DAE__BLOCK_GT_MU,
  DAE__BLOCK_J,
  DAE__BLOCK_M,
  DAE__BLOCK_MS,
  DAE__BLOCK_H_LAMBDA,
  DAE__BLOCK_KTS,
  DAE__BLOCK_GT_LAMBDA,
  DAE__BLOCK_KT_PSI,
  DAE__BLOCK_BT, /* directions of the forces, in place of GT_LAMBDA and KT_PSI */
  DAE__BLOCK_BTS,
  DAE__BLOCK_GDOT_Q,
  DAE__BLOCK_G_V,
  DAE__BLOCK_K_Q,
  DAE__BLOCK_K_V,
  DAE__BLOCK_G_Q,
  DAE__BLOCK_DEPENDENT, /* unit diagonal for the multipliers of dependent constraints */
  DAE__BLOCKS
};

typedef struct dae__bordered_counts {
  long jacobians, factorisations;
} dae__bordered_counts;

typedef struct dae__bordered {
  dae__mech *m;
  dae__motion *motion;       /* projection of accepted states */
  dae__motion *output;       /* projection of output states, with its own factorisations */
  dae__algebraic *algebraic; /* solver for w in output states; NULL: no w */
  bool project;
  bool has_M; /* whether M has been evaluated */
  /* whether the iteration matrix contains H and d(K' psi)/d(q,v) */
  bool with_H;
  dae__bordered_counts *count; /* saved with the integrator */
  int mu, n;                   /* index of the first mu in Y; number of unknowns */
  dae_pattern none, one_q, one_u, one_y;
  dae__block block[DAE__BLOCKS];
  dae_pattern pattern;
  dae__solver *solver;
  double *matrix, *ones;
  double *scratch;     /* scratch vector of length n */
  unsigned char *role; /* dae__test_role of each of the n unknowns */
  int error_test;      /* option error_test, a dae_bdf_test: variables in the error test */
  double *M, *G, *K, *B, *J, *Ms, *H, *gdot_q, *k_q, *Kts, *Bts, *fsc;
} dae__bordered;

/* Creates the bordered system s, whose other members have to be zero, a consistent start (y, dy),
 * and the corrector around s, with roles by the options and the given role of multipliers. with_H
 * is true afterwards. On failure s is freed. */
dae_status dae__bordered_create(dae__arena *arena, const dae_problem *problem,
                                const dae_start *start, const dae_bdf_options *opts, double *y,
                                double *dy, dae__bordered *s, dae_error *err);
dae_status dae__bordered_corrector(dae__bordered *s, const dae__corrector_table *table,
                                   const dae_bdf_options *opts, dae__test_role multipliers,
                                   dae__arena *arena, dae__corrector *out, dae_error *err);

/* Evaluates and factors the iteration matrix at (t, Y, dY), with the multipliers in Y. */
dae_status dae__bordered_setup(void *self, double t, const double *Y, const double *dY, double cj,
                               dae_error *err);
/* Evaluates M, f, s, c, G, K at Y, and stores the constraint rows of the residual in R. */
dae_status dae__bordered_evaluate(dae__bordered *s, double t, const double *Y, double *R,
                                  dae_error *err);
/* Computes rows (q) and (v) of the residual R without multipliers: r1 = q' - v, r2 = M v' - f. */
void dae__bordered_add_inertia(const dae__bordered *s, const double *Y, const double *dY,
                               double *R);
/* Adds the constraint forces to R: R[q] += G' mu, R[v] += G' lambda + K' psi, with y = (lambda,
 * psi). */
void dae__bordered_add_forces(const dae__bordered *s, const double *G, const double *K,
                              const double *y, const double *mu, double *R);
/* Solves delta = -B^-1 R. On entry delta holds rows (q), (v) and the constraint rows of R; the
 * function adds rows (u) and (w), scales the rows of the dynamics by factor, and sets "multiplier =
 * 0", for the multipliers in Y, in the rows of dependent constraints. */
void dae__bordered_solve(dae__bordered *s, const double *Y, const double *dY, double factor,
                         double *delta);

/* Error filter, out = B^-1 cj (e_q, M e_v, e_u, 0): equal to e where the dynamic part dominates B,
 * near zero in directions that are stiff within a step. */
void dae__bordered_filter(void *self, double cj, const double *e, double *out);

/* Computes the Newton increment with the multipliers among the unknowns, in ggl.c. */
dae_status dae__ggl_increment(void *self, double t, const double *Y, const double *dY, double cj,
                              double factor, double *delta, dae_error *err);

/* Functions for the table of a corrector. */
void dae__bordered_start(void *self, const double *y, const double *dy, double *Y, double *dY);
dae_status dae__bordered_project(void *self, double t, double *Y, dae_error *err);
dae_status dae__bordered_output(void *self, double t, const double *Y, const double *dY, double *y,
                                double *dy, dae_error *err);
dae_status dae__bordered_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                    dae_error *err);
bool dae__bordered_rank(void *self, double t, const double *Y, char *name, size_t size);
void dae__bordered_stats(const void *self, dae_stats *stats);
void dae__bordered_free(void *self);

#endif
