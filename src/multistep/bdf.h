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
  /* Unknowns and their derivatives from a consistent state vector and its derivative. */
  void (*start)(void *self, const double *y, const double *dy, double *Y, double *dY);
  /* Called with every prediction before it is corrected; may change its multipliers. NULL: nothing
   * to do. */
  dae_status (*predict)(void *self, double t, double *Y, double *dY, dae_error *err);
  /* Evaluates and factors the iteration matrix. */
  dae_status (*setup)(void *self, double t, const double *Y, const double *dY, double cj,
                      dae_error *err);
  /* delta such that Y + delta is the next iterate. The rows of the dynamics, not those of the
   * constraints, are scaled by factor, which compensates a change of cj since setup. */
  dae_status (*increment)(void *self, double t, const double *Y, const double *dY, double cj,
                          double factor, double *delta, dae_error *err);
  /* out = part of the error e that the dynamics do not damp within a step; NULL: no filter. */
  void (*filter)(void *self, double cj, const double *e, double *out);
  /* Projects Y onto the constraints; NULL: no constraints. */
  dae_status (*project)(void *self, double t, double *Y, dae_error *err);
  /* Output state vector and derivative: on the constraints, with consistent multipliers. Must not
   * change later steps. */
  dae_status (*output)(void *self, double t, const double *Y, const double *dY, double *y,
                       double *dy, dae_error *err);
  /* Consistent state near y (in place) and its derivative, for starts and restarts. */
  dae_status (*consistent)(void *self, double t, const bool *fixed, double *y, double *dy,
                           dae_error *err);
  void (*stats)(const void *self, dae_stats *stats); /* adds the counts of the corrector */
  dae_status (*reload)(void *self);                  /* after load */
  void (*free)(void *self);                          /* memory outside the arena */
} dae__corrector_table;

/* Role of an unknown in the tests of the host. */
typedef enum dae__test_role {
  DAE__TEST_FULL,       /* in the Newton test and in the error test */
  DAE__TEST_NEWTON,     /* in the Newton test only */
  DAE__TEST_MULTIPLIER, /* in the Newton test, weighted by the step size: its effect on x */
  DAE__TEST_NONE
} dae__test_role;

typedef struct dae__corrector {
  const dae__corrector_table *table;
  void *self;
  int n;               /* unknowns */
  int size;            /* entries of the state vector, which the first unknowns are */
  unsigned char *role; /* dae__test_role of each unknown */
  double floor;        /* smallest tolerance, limited by the noise of residuals */
  /* set by the caller of the constructor */
  const char *method;  /* "bdf-ggl" */
  dae_problem problem; /* for names in messages */
} dae__corrector;

/* Whether the method takes the problem; the reason in err. */
dae_status dae__bdf_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_ggl_star_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cs_accepts(const dae_problem *problem, dae_error *err);
dae_status dae__bdf_cm_accepts(const dae_problem *problem, dae_error *err);

/* Integrator of a corrector, from the consistent state y with derivative dy. A damped run moves
 * both, except fixed entries (NULL: none). The arena is that of the corrector; the integrator owns
 * both afterwards. On failure they stay with the caller. */
dae_status dae__bdf_host_create(dae__arena *arena, const dae__corrector *corrector,
                                const dae_bdf_options *opts, double t, const bool *fixed, double *y,
                                double *dy, dae_integrator **out, dae_error *err);

/* Constructor of a corrector: makes the start consistent, y and dy of the size of the state. */
typedef dae_status dae__corrector_create(dae__arena *arena, const dae_problem *problem,
                                         const dae_start *start, const dae_bdf_options *opts,
                                         double *y, double *dy, dae__corrector *out,
                                         dae_error *err);
dae__corrector_create dae__ggl_create, dae__ggl_star_create, dae__cs_create, dae__cm_create,
    dae__plain_create;

#endif
