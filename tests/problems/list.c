/* The list of all problems. */
#include "problems/problems.h"

#include <stddef.h>
#include <stdlib.h>

static test_problem chain_mode(void)
{
  return test_chain(10, TEST_CHAIN_MODE);
}
static test_problem chain_horizontal(void)
{
  return test_chain(4, TEST_CHAIN_HORIZONTAL);
}

static test_problem (*const makers[])(void) = {
    test_pendulum,
    test_pendulum_bare,
    test_pendulum_eval,
    test_pendulum2,
    test_bead,
    test_spring,
    test_curvilinear,
    test_slider_crank,
    test_parallel_bars,
    test_rheonomic_length,
    test_car_axis,
    test_car_axis_bare,
    test_knife_edge,
    test_sleigh,
    test_cylinder_skate,
    test_motor,
    test_bouncing_ball,
    test_pendulum_wall,
    test_transistor_amplifier,
    test_akzo_nobel,
    test_hessenberg2,
    test_van_der_pol,
    test_two_circuits,
    test_structures,
    chain_mode,
    chain_horizontal,
    test_pendulum_light,
    test_track,
};

bool test_problem_at(int i, test_problem *out)
{
  if (i < 0 || (size_t)i >= sizeof makers / sizeof *makers)
    return false;
  *out = makers[i]();
  return true;
}

void test_problem_free(test_problem *problem)
{
  free(problem->memory);
  problem->memory = NULL;
}
