/* The method that `auto` stands for. */
#ifndef DAEDAL_RUN_AUTO_H
#define DAEDAL_RUN_AUTO_H

#include <daedal/integrator.h>

/* What `auto` stands for where a coupled problem is to be integrated as one system; NULL: the
 * method does not take it, err says why. */
const dae_method *dae__method_for_one(const dae_problem *problem, dae_error *err);

#endif
