/* The kernels of a Gauss step give the same bits for any number of entries at once, and the sums
 * that they stand for. */
#include "onestep/gauss/gauss.h"

#include "uniform.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { STRIDE = 48, SLOPES = 9 };

typedef struct step {
  dae__gauss o;
  dae_adapter adapter;
  dae__gauss_memory memory;
  dae__gauss_point point;
  double x0[STRIDE], K[2][SLOPES * STRIDE];
} step;

/* A step of s stages with random numbers, n2 coordinates and nu extra states. */
static void step_fill(step *a, int s, int n2, int nu)
{
  double single[SLOPES], twice[SLOPES];
  memset(a, 0, sizeof *a);
  a->adapter.nx = 2 * n2 + nu;
  a->o.adapter = &a->adapter;
  a->o.memory = &a->memory;
  a->o.s = s;
  a->o.n2 = n2;
  a->o.stride = STRIDE;
  for (int i = 0; i < STRIDE; i++)
    a->x0[i] = uniform();
  for (int k = 0; k < 2; k++) {
    a->o.K[k] = a->K[k];
    for (int i = 0; i < SLOPES * STRIDE; i++)
      a->K[k][i] = uniform();
  }
  for (int i = 0; i < SLOPES; i++) {
    single[i] = uniform();
    twice[i] = uniform();
  }
  for (int i = 0; i < s + 2; i++) {
    double x = i / (s + 1.);
    a->o.rule.node[i] = x;
    a->o.rule.c[i < s ? i : 0] = uniform();
    for (int j = 0; j < i; j++)
      a->o.rule.inverse_distance[i][j] = (s + 1.) / (i - j);
  }
  dae__gauss_point_create(&a->o, 1, s, s - 1, 0.3, single, twice, &a->point);
}

/* State of the step, and its extrapolated slopes with their psi, by kernels of at most `most`
 * entries at once. */
static void step_run(const step *from, int most, double *z, double *K, double *psi)
{
  static step a;
  a = *from;
  a.o.adapter = &a.adapter;
  a.o.memory = &a.memory;
  a.o.K[0] = a.K[0];
  a.o.K[1] = a.K[1];
  dae__gauss_select_kernels(&a.o, most);
  for (int i = 0; i < STRIDE; i++)
    z[i] = 7;
  a.o.state(&a.o, 0.1, a.x0, a.K[1], &a.point, z);
  a.o.extrapolate(&a.o, 0.8, a.K[1], psi);
  memcpy(K, a.K[1], sizeof a.K[1]);
}

/* Entry i of the state, summed in extended precision. */
static double step_state(const step *a, int i)
{
  int n2 = a->o.n2, velocity = i < n2 ? i + n2 : i;
  long double sum = 0, h = 0.1;
  for (int j = 0; j < a->point.count; j++)
    sum += (long double)a->point.weight[j][i < n2 ? 0 : 1][0] *
           a->K[1][a->point.at[j] + (size_t)velocity];
  return (double)(i < n2 ? a->x0[i] + h * 0.3 * a->K[1][i] + h * h * sum : a->x0[i] + h * sum);
}

static void check_step(int s, int n2, int nu)
{
  static step a;
  double z[3][STRIDE], K[3][SLOPES * STRIDE], psi[3][SLOPES];
  step_fill(&a, s, n2, nu);
  for (int k = 0; k < 3; k++)
    step_run(&a, 1 << k, z[k], K[k], psi[k]);
  for (int k = 1; k < 3; k++) {
    assert_memory_equal(z[0], z[k], sizeof z[0]);
    assert_memory_equal(psi[0], psi[k], (size_t)s * sizeof *psi[0]);
    for (int j = 0; j < SLOPES; j++) /* entries of q in slopes have no meaning */
      assert_memory_equal(K[0] + j * STRIDE + n2, K[k] + j * STRIDE + n2,
                          (size_t)(a.adapter.nx - n2) * sizeof *K[0]);
  }
  for (int i = 0; i < a.adapter.nx; i++)
    assert_true(fabs(z[0][i] - step_state(&a, i)) <= 8 * DBL_EPSILON);
  for (int i = a.adapter.nx; i < STRIDE; i++) /* nothing behind the state is written to */
    assert_true(z[2][i] == 7);
}

static void test_kernels_give_the_same_bits_and_their_sums(void **state)
{
  (void)state;
  for (int s = 4; s <= 7; s++)
    for (int n2 = 0; n2 <= 13; n2++)
      for (int nu = n2 == 0; nu <= 7; nu++)
        check_step(s, n2, nu);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels_give_the_same_bits_and_their_sums),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
