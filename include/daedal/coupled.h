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

/* One subsystem: exactly one of the two pointers is set. The variables of a part are named
 * part.variable in columns and messages; those of a part whose name is "" have no prefix. */
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

/* ng constraints 0 = g(t, z) on nz coordinates. Derivatives left NULL are differenced. Matrices are
 * column-major; z' stands for the rates of the coordinates z. */
typedef struct dae_joint {
  const char *name;
  int ng, nz;
  const dae_port *z;          /* coordinates of mechanical parts */
  const char *const *g_names; /* one for each constraint; NULL, or a NULL entry: by the joint's */
  void *user;
  int (*g)(void *user, double t, const double *z, double *g);
  int (*g_t)(void *user, double t, const double *z, double *g_t); /* NULL with time_free: zero */
  int (*G)(void *user, double t, const double *z, double *G);     /* ng x nz */
  /* ng: g_tt + 2 G_t z' + (G z')_z z' */
  int (*gamma)(void *user, double t, const double *z, const double *zdot, double *gamma);
  /* ng x nz: d(g_t + G z')/dz */
  int (*gdot_z)(void *user, double t, const double *z, const double *zdot, double *gdot_z);
  /* nz x nz: d(G' s)/dz */
  int (*Gts_z)(void *user, double t, const double *z, const double *s, double *Gts_z);
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
