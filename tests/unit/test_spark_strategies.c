/* Simplified, decoupled and full Newton iterations find the same step: stages and ends to
 * round-off, multipliers to round-off over h. */
#include "stage_fixture.h"

#include <math.h>
#include <stdlib.h>

enum { STRATEGIES = DAE__STAGES_FULL + 1, STEPS = 10 };
static const double h = 0.1;

static double difference(int n, const double *a, const double *b)
{
  double largest = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(a[i] - b[i]) <= largest)) /* negated: a NaN counts */
      largest = fabs(a[i] - b[i]);
  return largest;
}

typedef struct distance {
  double stages, multipliers;
} distance;

/* Y_1 ... Y_s, y1 and Z_1 ... Z_s, z1; L and Psi */
static distance between(const stage_fixture *a, const stage_fixture *b)
{
  const dae__stages *x = &a->stages, *y = &b->stages;
  int count = a->s + 2;
  return (distance){.stages = fmax(difference(count * a->ny, x->now.Y, y->now.Y),
                                   difference(count * a->nz, x->now.Z, y->now.Z)),
                    .multipliers =
                        fmax(difference(x->nt * x->equations->ng, x->now.L, y->now.L),
                             difference(a->s * x->equations->nk, x->now.Psi, y->now.Psi))};
}

/* every step of all strategies from the end of the one by simplified Newton */
static void check(const test_problem *p, int s, double bound)
{
  stage_fixture o[STRATEGIES];
  distance worst = {0, 0};
  for (int strategy = 0; strategy < STRATEGIES; strategy++) {
    stage_set_up(p, s, &o[strategy]);
    o[strategy].stages.memory->first_strategy = (dae__stages_strategy)strategy;
    o[strategy].stages.memory->first_strategy_steps = 1000;
  }
  for (int n = 0; n < STEPS; n++) {
    for (int strategy = 0; strategy < STRATEGIES; strategy++) {
      dae__copy(o[0].ny, o[0].y, o[strategy].y);
      dae__copy(o[0].nz, o[0].z, o[strategy].z);
      stage_solve(&o[strategy], p->start.t + n * h, h, 4e-16);
      assert_int_equal(o[strategy].stages.strategy, strategy); /* by no other */
      distance d = between(&o[0], &o[strategy]);
      worst.stages = fmax(worst.stages, d.stages);
      worst.multipliers = fmax(worst.multipliers, d.multipliers);
    }
    for (int strategy = STRATEGIES - 1; strategy >= 0; strategy--)
      stage_take(&o[strategy]);
  }
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-16s s = %d: stages %.1e, multipliers %.1e; iterations %ld, %ld, %ld\n",
                  p->name, s, worst.stages, worst.multipliers, o[0].stages.memory->iterations,
                  o[1].stages.memory->iterations, o[2].stages.memory->iterations);
  for (int strategy = 0; strategy < STRATEGIES; strategy++)
    stage_tear_down(&o[strategy]);
  if (!(worst.stages < bound && worst.multipliers < 1000 * bound))
    fail_msg("%s, s = %d: stages differ by %.2e, multipliers by %.2e", p->name, s, worst.stages,
             worst.multipliers);
}

static void check_all(test_problem p, double bound)
{
  for (int s = 1; s <= 4; s++)
    check(&p, s, bound);
}

static void test_all_strategies_agree_on_mechanical_problems(void **state)
{
  (void)state;
  check_all(test_pendulum_light(), 1e-13);
  check_all(test_cylinder_skate(), 1e-13);
  check_all(test_curvilinear(), 1e-13);
  check_all(test_knife_edge(), 1e-13);
  check_all(test_sleigh(), 1e-13);
  check_all(test_rheonomic_length(), 1e-13);
}

static void test_all_strategies_agree_on_the_momentum_form(void **state)
{
  (void)state;
  check_all(test_curv_ham(true), 1e-13);
  check_all(test_curv_lag(true), 1e-13);
  check_all(test_mixed(true), 1e-13);
}

/* g_y, and with it gdot, is then good to 1e-12 only */
static void test_all_strategies_agree_without_derivatives(void **state)
{
  (void)state;
  check_all(test_curv_ham(false), 1e-11);
  check_all(test_curv_lag(false), 1e-11);
  check_all(test_mixed(false), 1e-11);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_all_strategies_agree_on_mechanical_problems),
      cmocka_unit_test(test_all_strategies_agree_on_the_momentum_form),
      cmocka_unit_test(test_all_strategies_agree_without_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
