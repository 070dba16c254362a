/* The stages of a problem at its start, for tests that solve them directly. */
#ifndef DAEDAL_TESTS_STAGE_FIXTURE_H
#define DAEDAL_TESTS_STAGE_FIXTURE_H

#include "core/arena.h"
#include "core/vec.h"
#include "onestep/spark/stages.h"
#include "problems/problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define STAGE_MOST 16 /* entries of a state vector */

typedef struct stage_fixture {
  dae__arena *arena;
  dae_adapter adapter;
  dae__spark_equations equations;
  dae_spark_tableau *tableau;
  dae__spark_transform transform;
  dae__stages stages;
  int s, ny, nz;
  double state[STAGE_MOST];            /* at the start; the stages read its multipliers */
  double y[STAGE_MOST], z[STAGE_MOST]; /* where the next step starts */
} stage_fixture;

/* Gauss with s stages. */
static inline void stage_set_up(const test_problem *p, int s, stage_fixture *o)
{
  double *state = o->state, rate[STAGE_MOST];
  assert_true(p->size <= STAGE_MOST);
  *o = (stage_fixture){.s = s, .arena = dae__arena_create(NULL)};
  assert_int_equal(
      dae_spark_tableau_create(DAE_SPARK_GAUSS, DAE_SPARK_HAT_SAME, s, NULL, &o->tableau, NULL),
      DAE_OK);
  assert_int_equal(dae__spark_transform_create(o->arena, o->tableau, &o->transform, NULL), DAE_OK);
  const dae__onestep_needs needs = {.method = "spark-gauss", .singular = true};
  const dae_step_options control = {.rtol = 1e-6, .atol = 1e-8, .project = true};
  bool mechanical = p->problem.mechanical;
  assert_int_equal((mechanical ? dae__adapter_mechanical : dae__adapter_momentum)(
                       o->arena, &p->problem, &needs, &control, &o->adapter, NULL),
                   DAE_OK);
  dae__copy(p->size, p->start.y, state);
  assert_int_equal(
      o->adapter.table->consistent(o->adapter.self, p->start.t, NULL, state, rate, NULL), DAE_OK);
  dae__spark_equations *eq = &o->equations;
  assert_int_equal((mechanical ? dae__spark_mechanical_create
                               : dae__spark_momentum_create)(o->arena, &o->adapter, true, eq, NULL),
                   DAE_OK);
  assert_int_equal(dae__stages_create(o->arena, o->tableau, &o->transform, eq, &o->stages, NULL),
                   DAE_OK);
  o->stages.lambda = state + eq->lambda;
  o->stages.psi = state + eq->psi;
  dae__spark_split(eq, state, o->y, o->z);
  o->ny = eq->ny;
  o->nz = eq->nz;
}

static inline void stage_tear_down(stage_fixture *o)
{
  dae__stages_free(&o->stages);
  o->equations.table->free(o->equations.self);
  o->adapter.table->free(o->adapter.self);
  dae_spark_tableau_free(o->tableau);
  dae__arena_free(o->arena);
}

/* One step from (t, y, z), changes of Y and Z below goal (1 + |z|); not accepted yet. */
static inline void stage_solve(stage_fixture *o, double t, double h, double goal)
{
  double weight[STAGE_MOST];
  for (int i = 0; i < STAGE_MOST; i++)
    weight[i] = 1 + dae__max_abs(o->nz, o->z);
  const dae__stages_goal far = {.y_weight = weight,
                                .z_weight = weight,
                                .tolerance = goal,
                                .stagnation_tolerance = 1e-10,
                                .max_iterations = 100,
                                .allow_full = true};
  assert_int_equal(dae__stages_solve(&o->stages, t, h, o->y, o->z, &far, NULL), DAE_OK);
}

/* The step that was solved is taken. */
static inline void stage_take(stage_fixture *o)
{
  dae__copy(o->ny, o->stages.now.Y + (o->s + 1) * o->ny, o->y);
  dae__copy(o->nz, o->stages.now.Z + (o->s + 1) * o->nz, o->z);
  dae__stages_accept(&o->stages, false);
}

#endif
