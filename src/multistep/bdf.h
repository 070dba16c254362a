/* The BDF family: correctors, the interface between them and the host, constructors.
 *
 * The host keeps the history of a vector Y of n unknowns. At a point (t, Y, dY), where dY is the
 * backward difference Y' = cj Y + const, a corrector computes Newton increments of its residual
 * R(t, Y, dY) = 0 with the matrix dR/dY + cj dR/dY' of its last setup. */
#ifndef DAEDAL_MULTISTEP_BDF_H
#define DAEDAL_MULTISTEP_BDF_H

#include "core/arena.h"
#include <daedal/bdf.h>
#include <daedal/integrator.h>
#include <stdbool.h>

typedef struct dae__corrector_table {
  /* Converts a consistent state vector and its derivative to the unknowns Y and dY. */
  void (*start)(void *self, const double *y, const double *dy, double *Y, double *dY);
  /* Processes every prediction before it is corrected; may change the multipliers in Y. NULL: not
   * needed. */
  dae_status (*predict)(void *self, double t, double *Y, double *dY, dae_error *err);
  /* Evaluates and factors the iteration matrix. */
  dae_status (*setup)(void *self, double t, const double *Y, const double *dY, double cj,
                      dae_error *err);
  /* Computes the Newton increment delta from Y to the next iterate. The rows of the dynamics, not
   * the rows of the constraints, are scaled by factor, which compensates a change of cj since
   * setup. */
  dae_status (*increment)(void *self, double t, const double *Y, const double *dY, double cj,
                          double factor, double *delta, dae_error *err);
  /* Filters an error e: out = its part that the dynamics do not damp within a step; NULL: no
   * filter. */
  void (*filter)(void *self, double cj, const double *e, double *out);
  /* Projects Y onto the constraints; NULL: no constraints. */
  dae_status (*project)(void *self, double t, double *Y, dae_error *err);
  /* Computes the output state vector and its derivative, on the constraints and with consistent
   * multipliers. Must not change later steps. */
  dae_status (*output)(void *self, double t, const double *Y, const double *dY, double *y,
                       double *dy, dae_error *err);
  /* Finds a consistent state near y, in place, and its derivative dy, for starts and restarts. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *y, double *dy,
                           dae_error *err);
  /* The same without allocation, while the index does not change; semi-explicit problems without M
   * and with variable steps. */
  dae_status (*slopes)(void *self, double t, double *y, double *dy, dae_error *err);
  /* Test for a constraint that is nearly dependent on the others at Y, with its name; NULL: none.
   */
  bool (*rank)(void *self, double t, const double *Y, char *name, size_t size);
  /* Adds the evaluation counts of the corrector to the statistics. */
  void (*stats)(const void *self, dae_stats *stats);
  /* Frees the memory of the corrector outside the arena. */
  void (*free)(void *self);
} dae__corrector_table;

/* Role of an unknown in the Newton test and the error test of the host. */
typedef enum dae__test_role {
  DAE__TEST_FULL,   /* unknown in the Newton test and in the error test */
  DAE__TEST_NEWTON, /* unknown in the Newton test only */
  /* unknown in the Newton test only, weighted by the step size like its effect on x */
  DAE__TEST_MULTIPLIER,
  DAE__TEST_NONE
} dae__test_role;

typedef struct dae__corrector {
  const dae__corrector_table *table;
  void *self;
  int n;               /* number of unknowns */
  int size;            /* entries of the state vector, which is the beginning of Y */
  unsigned char *role; /* dae__test_role of each unknown */
  /* whether accepted values are projected; NULL: if the table has a projection */
  const bool *projects;
  double floor; /* smallest tolerance, limited by the round-off of residuals */
  /* ends of the positions and of the velocities, at the beginning of Y, whose round-off constraints
   * mix; 0: none */
  int positions, velocities;
  /* Data set by the caller of the constructor. */
  const char *method;  /* name of the method, such as "bdf-ggl" */
  dae_problem problem; /* problem, for the names of variables in messages */
} dae__corrector;

/* Checks whether the method supports the problem; the reason for a refusal is in err. */
dae_status dae__bdf_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_star_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cs_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cm_accepts(const dae_problem *problem, dae_error *err);

/* Creates the integrator of a corrector, from the consistent state y with derivative dy. The arena
 * is that of the corrector; the integrator owns corrector and arena afterwards. On failure they
 * stay with the caller. */
dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const double *y,
                                const double *dy, dae_integrator **out, dae_error *err);

/* Constructor of a corrector: makes the start consistent; y and dy have the size of the state
 * vector. */
typedef dae_status dae__corrector_create(dae__arena *arena, const dae_problem *problem,
                                         const dae_start *start, const dae_bdf_options *opts,
                                         double *y, double *dy, dae__corrector *out,
                                         dae_error *err);
dae__corrector_create dae__ggl_create, dae__ggl_star_create, dae__cs_create, dae__cm_create,
    dae__plain_create;

#endif
