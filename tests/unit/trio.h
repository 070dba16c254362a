/* Three mechanical parts, two joints and two wires, with everything that a part may have:
 *
 *   arm    q = (a, b, c), u, w, in   M(q), g(t,q), k(t,q,v); forces that depend on u, w and in
 *   disc   q = (d, e), in            by momenta
 *   cart   q = (x, y)                constant M
 *   hook   0 = d - c - 3/10 c^2 a - sin(t)/10       on (c, d, a)
 *   rail   0 = b x - e + y^2 - t/5                  on (b, e, x, y)
 *
 * in of the arm is e, in of the disc is w. */
#ifndef DAEDAL_TEST_TRIO_H
#define DAEDAL_TEST_TRIO_H

#include <daedal/problem.h>

enum { ARM, DISC, CART, PARTS };
enum { HOOK, RAIL, JOINTS };
enum { ARM_SIZE = 10, DISC_SIZE = 4, CART_SIZE = 4, TRIO_SIZE = 20 };

/* derivatives: as many as possible are given; else none. */
typedef struct trio {
  dae_mechanical arm, disc, cart;
  dae_part part[PARTS];
  dae_joint joint[JOINTS];
  dae_coupled coupled;
} trio;
void make_trio(trio *t, bool derivatives);

/* A consistent state, and its derivative. */
void trio_state(const trio *t, double time, double *y, double *dy);

/* First entry of a part in the state vector; size of its state; first multiplier of a joint. */
extern const int trio_first[PARTS], trio_size[PARTS], trio_lambda[JOINTS];

#endif
