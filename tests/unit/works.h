/* Two parts with an algebraic loop:
 *
 * machine   2 q'' = -q + w1 u + in/2, u' = w2 - u     0 = w1 + w1^3/5 - in/2 - q,  0 = w2 - q' - u
 * plant     x' = -x + y1 y3                          0 = y1 + y2 - in1,  0 = y1 - 2 y2 - sin(x),
 *                                                    0 = y3 + y3^3 - x - in2
 *
 * in = y1, in1 = w1, in2 = w2: w1, y1 and y2 are in a loop, w2 and y3 are not. A third one, load,
 * may be joined to the machine: belt, 0 = q - z - z^2/10. */
#ifndef DAEDAL_TEST_WORKS_H
#define DAEDAL_TEST_WORKS_H

#include <daedal/problem.h>

typedef struct works {
  dae_mechanical machine, load;
  dae_semi_explicit plant;
  dae_part part[3];
  dae_joint belt;
  dae_coupled coupled;
} works;

/* momenta: the machine by (p, F); belt: with the load. */
void make_works(works *w, bool momenta, bool belt);

#endif
