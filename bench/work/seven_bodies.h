/* Seven bars in a plane with one degree of freedom: the end P of a crank and its coupler is held by
 * a rocker, and by two chains of two bars. All angles are absolute, so that the mass matrix has
 * blocks for (crank, coupler), rocker, and each chain. The start is crank angle 0. */
#ifndef DAEDAL_BENCH_SEVEN_BODIES_H
#define DAEDAL_BENCH_SEVEN_BODIES_H

/* lengths of crank, coupler, rocker, and of the chains from their pins */
#define SEVEN_LENGTHS                                                                              \
  {                                                                                                \
    0.3, 1, 0.9, 0.9, 1, 0.9, 1                                                                    \
  }
#define SEVEN_RHO 2      /* mass per length */
#define SEVEN_KAPPA 30   /* of a torsion spring at the rocker's pin, */
#define SEVEN_RELAXED 2  /* without torque at this angle */
#define SEVEN_TORQUE 0.5 /* on the crank */
#define SEVEN_RATE 15    /* of the crank at the start */
#define SEVEN_GRAVITY 9.81
/* pins of rocker and chains, x and y */
#define SEVEN_PINS                                                                                 \
  {                                                                                                \
    {1.1, 0}, {-0.6, 1.2},                                                                         \
    {                                                                                              \
      1.9, 1.3                                                                                     \
    }                                                                                              \
  }

#endif
