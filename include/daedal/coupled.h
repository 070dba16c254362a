/** @file
 * The coupled form: subsystems of either form, inputs wired to variables of other subsystems, and
 * joints, which are holonomic constraints between coordinates of mechanical subsystems with
 * multipliers of their own: 0 = g(t, z), z a list of coordinates. */
#ifndef DAEDAL_COUPLED_H
#define DAEDAL_COUPLED_H

#include <daedal/mechanical.h>
#include <daedal/semi_explicit.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One subsystem: exactly one of the two pointers is set. Variables of a part are named
 * part.variable in columns and messages; a part with the name "" has no prefix. */
typedef struct dae_part {
  const char *name;                       /**< name of the part, prefix of its variables */
  const dae_mechanical *mechanical;       /**< or NULL */
  const dae_semi_explicit *semi_explicit; /**< or NULL */
} dae_part;

/** A variable of a subsystem: an index into the state vector of the part (see problem.h). */
typedef struct dae_port {
  int part;     /**< index of the part, from 0 */
  int variable; /**< index into the state vector of the part */
} dae_port;

/** Input `input` of part `part` is variable `from`. */
typedef struct dae_wire {
  int part;      /**< part with the input */
  int input;     /**< index of the input, from 0 */
  dae_port from; /**< variable that is the input */
} dae_wire;

/** Joint: ng constraints 0 = g(t, z) on nz coordinates. Derivatives that are NULL are formed by
 * differences. Matrices are column-major; z' are the rates of the coordinates z. */
typedef struct dae_joint {
  const char *name;           /**< name in messages and columns */
  int ng;                     /**< number of constraints */
  int nz;                     /**< number of coordinates */
  const dae_port *z;          /**< coordinates of mechanical parts */
  const char *const *g_names; /**< names of the constraints, NULL: that of the joint */
  void *user;                 /**< argument of every callback */
  int (*g)(void *user, double t, const double *z, double *g); /**< ng */
  int (*g_t)(void *user, double t, const double *z,
             double *g_t);                                    /**< ng; NULL with time_free: zero */
  int (*G)(void *user, double t, const double *z, double *G); /**< ng x nz */
  /** ng: g_tt + 2 G_t z' + (G z')_z z' */
  int (*gamma)(void *user, double t, const double *z, const double *zdot, double *gamma);
  /** ng x nz: d(g_t + G z')/dz */
  int (*gdot_z)(void *user, double t, const double *z, const double *zdot, double *gdot_z);
  /** nz x nz: d(G' s)/dz */
  int (*Gts_z)(void *user, double t, const double *z, const double *s, double *Gts_z);
  bool time_free; /**< g does not depend on t */
} dae_joint;

/** Parts, wires and joints. */
typedef struct dae_coupled {
  const char *name;       /**< name in messages */
  int parts;              /**< number of parts */
  int wires;              /**< number of wires, one for each input */
  int joints;             /**< number of joints */
  const dae_part *part;   /**< all parts */
  const dae_wire *wire;   /**< all wires */
  const dae_joint *joint; /**< all joints */
  /** parts + joints + 1 numbers, by dae_coupled_offsets: index of the first entry of each part,
   * then of each joint, in the state vector, and its size; NULL: counted anew for every size and
   * name, which takes long for thousands of parts */
  const int *offset;
} dae_coupled;

/** Counts the offsets of all parts and joints; offset: parts + joints + 1 numbers, the value of
 * dae_coupled.offset. */
void dae_coupled_offsets(const dae_coupled *coupled, int *offset);

#ifdef __cplusplus
}
#endif
#endif
