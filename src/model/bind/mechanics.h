/* The tapes of a mechanical system: one for each quantity, and programs, which are tapes of several
 * quantities. */
#ifndef DAEDAL_MODEL_BIND_MECHANICS_H
#define DAEDAL_MODEL_BIND_MECHANICS_H

#include "model/tape/tape.h"
#include <daedal/mechanical.h>

/* X(name): the members of dae_mechanical_wanted, in their order. */
#define DAE__WANTED(X) X(M) X(f) X(s) X(c) X(g) X(gdot) X(G) X(gamma) X(k) X(K) X(kappa) X(B)
/* X(name): quantities that are evaluated one at a time. */
#define DAE__SINGLE(X)                                                                             \
  X(g_t) X(p) X(F) X(p_rate) X(J) X(J_in) X(gdot_q) X(k_q) X(Ms_qv) X(Gts_q) X(Kts_qv) X(Bts_qv)

enum {
#define DAE__QUANTITY_ENUM(name) DAE__Q_##name,
  DAE__WANTED(DAE__QUANTITY_ENUM) DAE__SINGLE(DAE__QUANTITY_ENUM) DAE__QUANTITIES,
#undef DAE__QUANTITY_ENUM
  DAE__WANTED_COUNT = DAE__Q_g_t
};

typedef struct dae__program {
  unsigned mask; /* set of quantities: bit i for quantity i of DAE__WANTED */
  dae__tape *tape;
} dae__program;

enum { DAE__PROGRAMS = 8 };

/* Groups of outputs of the tapes of accelerations; those of the projection from DAE__MOTION_Q on.
 */
enum {
  DAE__MOTION_RATES,
  DAE__MOTION_MULTIPLIERS,
  /* sum of (reference / pivot)^2 of the elimination, not finite where a result is not */
  DAE__MOTION_GROWTH,
  DAE__MOTION_Q,
  DAE__MOTION_V,
  DAE__MOTION_PIVOTS,
  DAE__MOTION_SIZES,
  DAE__MOTION_RESIDUAL,       /* of the rows A v' + (gamma, kappa) */
  DAE__MOTION_RESIDUAL_TERMS, /* sum of the sizes of its terms */
  DAE__MOTION_GROUPS,
  DAE__MOTION_GROUPS_PLAIN = DAE__MOTION_Q
};

typedef struct dae__mechanical_tapes {
  dae__tape *single[DAE__QUANTITIES];  /* by quantity: its tape; NULL: an empty quantity */
  unsigned present;                    /* set of the quantities of DAE__WANTED that are not empty */
  dae__program program[DAE__PROGRAMS]; /* tapes of several quantities, the largest set first */
  int programs;
  dae__tape *energy, *energy_rate;
  /* accelerations and multipliers by elimination, with and without the projection of the point;
   * NULL: not available */
  dae__tape *accelerate, *project;
  int rows;                   /* number of constraints */
  double *residual, *summand; /* by row: residual and sum of the sizes of its terms */
  const double *held;         /* held values */
} dae__mechanical_tapes;

/* Set of quantities of a program, with its name, in a system where no quantity is empty. */
typedef struct dae__program_plan {
  unsigned mask;
  const char *what;
} dae__program_plan;
extern const dae__program_plan dae__mechanics_programs[DAE__PROGRAMS];
extern const char *const dae__quantity_names[];
/* Sets the user pointer and the callbacks of all quantities that are not empty. */
void dae__mechanics_callbacks(dae__mechanical_tapes *m, dae_mechanical *p);

#endif
