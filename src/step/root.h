/* Zero of a continuous function of one variable, from a bracket: inverse quadratic interpolation or
 * bisection by the criterion of Chandrupatla [C97]; the bracket shrinks from both sides. */
#ifndef DAEDAL_STEP_ROOT_H
#define DAEDAL_STEP_ROOT_H

#include <daedal/status.h>

typedef dae_status dae__root_fn(void *user, double x, double *value, dae_error *err);

/* Bracket of a zero: fa is not zero, and fb is zero or of the other sign. */
typedef struct dae__bracket {
  double a, b, fa, fb;
} dae__bracket;

/* Narrows the bracket to |b - a| <= 2 tolerance, or until f(b) = 0 exactly. */
dae_status dae__root_narrow(dae__bracket *bracket, double tolerance, dae__root_fn *f, void *user,
                            dae_error *err);

#endif
