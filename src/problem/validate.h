/* Checks of problem descriptions, one form each; see dae_problem_validate. */
#ifndef DAEDAL_PROBLEM_VALIDATE_H
#define DAEDAL_PROBLEM_VALIDATE_H

#include <daedal/problem.h>

dae_status dae__mechanical_validate(const dae_mechanical *p, dae_error *err);
dae_status dae__semi_explicit_validate(const dae_semi_explicit *p, dae_error *err);
dae_status dae__momentum_validate(const dae_momentum *p, dae_error *err);
dae_status dae__coupled_validate(const dae_coupled *p, dae_error *err);

#endif
