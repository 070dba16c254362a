/* Problems in the momentum form in the arena of a test. */
#ifndef DAEDAL_TESTS_MOMENTUM_FIXTURE_H
#define DAEDAL_TESTS_MOMENTUM_FIXTURE_H

#include "arena_fixture.h"
#include "problem/momentum/momentum_motion.h"
#include "problems/problems.h"

static dae__momentum *create(const dae_momentum *description)
{
  dae_problem problem = dae_problem_momentum(description);
  dae_error err = dae_error_none();
  dae__momentum *m;
  if (dae__momentum_create(arena, &problem, &m, &err))
    fail_msg("%s", err.text);
  return m;
}

static dae__momentum_motion *create_motion(const dae_momentum *description)
{
  dae_error err = dae_error_none();
  dae__momentum_motion *motion;
  if (dae__momentum_motion_create(arena, create(description), &motion, &err))
    fail_msg("%s", err.text);
  return motion;
}

typedef test_problem maker(bool derivatives);
static maker *const makers[] = {test_curv_ham, test_curv_lag, test_mixed};
#define MAKERS (sizeof makers / sizeof *makers)

#endif
