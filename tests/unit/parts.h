/* Parts of coupled problems that several tests assemble, and what they need to do so. */
#ifndef DAEDAL_TEST_PARTS_H
#define DAEDAL_TEST_PARTS_H

#include "problem/coupled/assembly.h"
#include "problem/mechanical/mech.h"

void assert_near(double a, double b, double tolerance);
void assert_all_near(int n, const double *a, const double *b, double tolerance);

/* The assembled problem of valid parts, and a mechanical problem made ready; both must succeed. */
dae__assembly *assemble(dae__arena *arena, const dae_coupled *coupled);
dae__mech *mech_of(dae__arena *arena, const dae_mechanical *p);

/* Two circuits: y' = sign * y of the other, 0 = y - z + a z of the other. */
typedef struct circuit {
  double a, sign;
} circuit;
dae_semi_explicit circuit_of(circuit *c, bool derivatives);
extern const dae_wire circuit_wires[4];

/* A mass on a line; a mass of 1 in the plane, and the same on a rod. */
dae_mechanical_fn body_M, mass_M, mass_f;
extern const dae_mechanical pendulum;

/* A joint: a bar between (z0, z1) and (z2, z3) whose length changes, the same height of both ends.
 */
int bar_g(void *user, double t, const double *z, double *g);
int bar_G(void *user, double t, const double *z, double *G);
int bar_g_t(void *user, double t, const double *z, double *g_t);
int bar_gamma(void *user, double t, const double *z, const double *zdot, double *gamma);
int bar_gdot_z(void *user, double t, const double *z, const double *zdot, double *gdot_z);
int bar_Gts_z(void *user, double t, const double *z, const double *s, double *Gts_z);

/* M(q,v), g(t,q), k(q,v), u and w, no derivatives. */
extern const dae_mechanical full;

/* Many small parts. */
enum { RING = 200 };
typedef struct ring {
  dae_part part[RING];
  dae_wire wire[2 * RING];
  dae_joint joint[RING / 2];
  dae_port z[RING][4];
} ring;
/* n pendula, a bar between every other pair of neighbours. */
void make_ring_of_pendula(ring *r, int n, dae_coupled *coupled);

#endif
