/* The coupled form: subsystems of either form, inputs wired to variables of other subsystems, and
 * joints, which are holonomic constraints between coordinates of mechanical subsystems with
 * multipliers of their own: 0 = g(t, z), z a list of coordinates. */
#ifndef DAEDAL_COUPLED_H
#define DAEDAL_COUPLED_H

#include <daedal/mechanical.h>
#include <daedal/semi_explicit.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One subsystem: exactly one of the two pointers is set. */
typedef struct dae_part {
  const char *name;
  const dae_mechanical *mechanical;
  const dae_semi_explicit *semi_explicit;
} dae_part;

/* A variable of a subsystem: an index into the state vector of the part (see problem.h). */
typedef struct dae_port {
  int part, variable;
} dae_port;

/* input `input` of part `part` is variable `from` */
typedef struct dae_wire {
  int part, input;
  dae_port from;
} dae_wire;

/* ng constraints 0 = g(t, z) on nz coordinates. Derivatives left NULL are differenced. */
typedef struct dae_joint {
  const char *name;
  int ng, nz;
  const dae_port *z; /* coordinates of mechanical parts */
  void *user;
  int (*g)(void *user, double t, const double *z, double *g);
  int (*g_t)(void *user, double t, const double *z, double *g_t); /* NULL with time_free: zero */
  int (*G)(void *user, double t, const double *z, double *G);     /* ng x nz, column-major */
  bool time_free;
} dae_joint;

typedef struct dae_coupled {
  const char *name;
  int parts, wires, joints;
  const dae_part *part;
  const dae_wire *wire;
  const dae_joint *joint;
} dae_coupled;

#ifdef __cplusplus
}
#endif
#endif
