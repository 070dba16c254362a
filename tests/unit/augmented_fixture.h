/* Members made in the arena of a test, and what their tests share. */
#ifndef DAEDAL_TEST_AUGMENTED_FIXTURE_H
#define DAEDAL_TEST_AUGMENTED_FIXTURE_H

#include "wave/subsystems/augmented.h"

#include "arena_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void assert_close(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance * (1 + fabs(b))))
    fail_msg("%.12g is not near %.12g", a, b);
}

static inline dae__augmented *augmented_of(const dae_coupled *c, int part, const bool *carried)
{
  dae__augmented *m = NULL;
  dae_error err = dae_error_none();
  int eliminated_in[8];
  assert_true(c->joints <= 8);
  for (int j = 0; j < c->joints; j++)
    eliminated_in[j] = carried && carried[j] ? part : -1;
  dae__augmented_options opts = {.eliminated_in = eliminated_in};
  if (dae__augmented_create(arena, c, part, &opts, &m, &err))
    fail_msg("%s", err.text);
  return m;
}

/* first input of a joint; -1: it is not attached */
static inline int joint_inputs(const dae__augmented *m, int joint)
{
  for (int k = 0; k < m->joints; k++)
    if (m->joint[k].number == joint)
      return m->joint[k].first;
  return -1;
}

/* values of a matrix as a dense one, column-major; pattern NULL: they are that already */
static inline void spread(const dae_pattern *pattern, int rows, int cols, const double *values,
                          double *A)
{
  memset(A, 0, sizeof *A * (size_t)(rows * cols));
  if (!pattern)
    memcpy(A, values, sizeof *A * (size_t)(rows * cols));
  for (int j = 0; pattern && j < cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      A[pattern->row[e] + rows * j] = values[e];
}

static const dae__output accelerations[] = {
    {DAE__OUTPUT_ACCELERATION, 0}, {DAE__OUTPUT_ACCELERATION, 1}, {DAE__OUTPUT_MULTIPLIER, 0}};

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
