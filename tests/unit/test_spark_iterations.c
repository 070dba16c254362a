/* Iterations of the stage system down to 1e-12: at most one above those of an independent
 * implementation of the Gauss-Seidel form with the midpoint Jacobian. */
#include "core/arena.h"
#include "core/vec.h"
#include "problems/problems.h"
#include "spark/body.h"
#include "spark/stages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define S 3
#define MOST 16

/* the stages of a problem at its start */
typedef struct fixture {
  dae__arena *arena;
  dae__body body;
  dae_spark_tableau *tableau;
  dae__spark_transform transform;
  dae__stages stages;
  double state[MOST], y[MOST], z[MOST];
} fixture;

static void set_up(const test_problem *p, fixture *o)
{
  double *state = o->state, rate[MOST];
  o->arena = dae__arena_create(NULL);
  assert_int_equal(
      dae_spark_tableau_create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, S, NULL, &o->tableau, NULL),
      DAE_OK);
  dae__spark_transform_create(o->arena, o->tableau, &o->transform);
  dae__body_needs needs = {.matrices = true, .blocks = o->transform.blocks};
  assert_int_equal(dae__body_mechanical(o->arena, &p->problem, &needs, &o->body, NULL), DAE_OK);
  const dae__face *face = &o->body.face;
  dae__copy(p->size, p->start.y, state);
  assert_int_equal(o->body.table->consistent(o->body.self, p->start.t, NULL, state, rate, NULL),
                   DAE_OK);
  assert_int_equal(dae__stages_create(o->arena, o->tableau, &o->transform, face, &o->stages, NULL),
                   DAE_OK);
  dae__stages_begin(&o->stages, state + face->lambda, state + face->psi);
  dae__face_split(face, state, o->y, o->z);
}

static void tear_down(fixture *o)
{
  dae__stages_free(&o->stages);
  o->body.table->free(o->body.self);
  dae_spark_tableau_free(o->tableau);
  dae__arena_free(o->arena);
}

/* iterations of each of the steps to t = 2, changes below 1e-12 (1 + |z0|) */
static double iterations(const test_problem *p, double h)
{
  fixture o;
  int steps = (int)lround(2 / h);
  set_up(p, &o);
  int nq = o.body.face.nz;
  for (int n = 0; n < steps; n++) {
    double weight[MOST];
    for (int i = 0; i < nq; i++)
      weight[i] = 1 + dae__max_abs(nq, o.z);
    const dae__stages_goal goal = {
        .y_weight = weight, .z_weight = weight, .goal = 1e-12, .bearable = 1e-10, .most = 100};
    assert_int_equal(dae__stages_solve(&o.stages, n * h, h, o.y, o.z, &goal, NULL), DAE_OK);
    dae__copy(nq, o.stages.now.Y + (S + 1) * nq, o.y);
    dae__copy(nq, o.stages.now.Z + (S + 1) * nq, o.z);
    dae__stages_accept(&o.stages);
  }
  double each = (double)o.stages.memory->iterations / steps;
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-14s h = %-5g: %.2f iterations a step\n", p->name, h, each);
  tear_down(&o);
  return each;
}

static void check(test_problem p, const double tabulated[4])
{
  for (int i = 0; i < 4; i++)
    assert_true(iterations(&p, 0.2 / (1 << i)) <= tabulated[i] + 1);
}

static void test_iterations_are_those_of_the_reference(void **state)
{
  (void)state;
  check(test_pendulum_light(), (const double[]){10.8, 7.6, 5.8, 4.5});
  check(test_cylinder_skate(), (const double[]){12.3, 8.8, 6.4, 5.0});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations_are_those_of_the_reference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
