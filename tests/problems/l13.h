/* The four examples of [L13] with their exact solutions. */
#ifndef DAEDAL_TESTS_PROBLEMS_L13_H
#define DAEDAL_TESTS_PROBLEMS_L13_H

#include "problems/problems.h"

typedef enum l13_example {
  L13_PLASTIC,    /* example 1: stresses on the yield surface, index 2, to t = 10 */
  L13_HESSENBERG, /* example 2: index 2 for t > 0, starts from x = 0, to t = 1 */
  L13_TRACK,      /* example 3: Sand's track in the weak form, index 2, to t = 1 */
  L13_TRACK_GGL,  /* the same with both constraints */
  L13_PENDULUM,   /* example 4: a pendulum with both constraints, to t = 10 */
  L13_ODE,        /* example 3 as the underlying ODE (45) */
  L13_EXAMPLES
} l13_example;

test_problem l13_problem(l13_example which, bool derivatives);
/* x and y at time t; of the pendulum at t = 2 and 10 only, else NaN. */
void l13_exact(l13_example which, double t, double *z);

#endif
