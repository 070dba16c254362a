/* Selection of the method for `auto`. */
#ifndef DAEDAL_RUN_AUTO_H
#define DAEDAL_RUN_AUTO_H

#include <daedal/integrator.h>

/* Method of `auto` for a problem that is integrated as one system, a coupled one by its assembly,
 * with a relative tolerance; NULL: the method does not accept the problem, err has the reason. */
const dae_method *dae__method_for_one(const dae_problem *problem, double rtol, dae_error *err);

#endif
