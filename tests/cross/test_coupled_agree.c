/* Coupled models by gauss-seidel and jacobi as they come, with nothing but a tolerance given, agree
 * with the same models solved as one system at a hundredth of it: all variables, within ten times
 * rtol |y| + atol, inside windows and at the end. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TIMES 8
#define ALLOWED 10 /* times the tolerance */

typedef struct sample {
  const char *model;
  const char *set; /* a param with another value */
  double to;
} sample;

static const sample samples[] = {
    {"two_circuits", NULL, 3.14159265358979},
    {"three_circuits", NULL, 4},
    {"diode", NULL, 10},
    {"two_pendula", NULL, 2},
    {"circuits_ring", "N=5", 2.5},
    {"linked_pendula", NULL, 2},
    {"structures_joint", NULL, 10},
    {"two_chains", NULL, 5},
    {"moving_joint", NULL, 6},
    {"nonlinear_joint", NULL, 6},
    {"two_structures", NULL, 5},
    {"drive_train", NULL, 2},
    {"train", NULL, 10},
    {"ring", NULL, 4},
};

/* states at the times to k / TIMES, k = 1 ... TIMES */
static void states_of(dae_integrator *it, const wave_case *c, double to, double *y)
{
  dae_error err = dae_error_none();
  for (int k = 1; k <= TIMES; k++) {
    double t = to * k / TIMES;
    while (dae_integrator_view(it).t < t)
      if (dae_integrator_step(it, to, &err) < 0)
        fail_msg("%s: %s", dae_model_name(c->model), err.text);
    if (dae_integrator_interpolate(it, t, y + (size_t)(k - 1) * (size_t)c->size, NULL, &err))
      fail_msg("%s: %s", dae_model_name(c->model), err.text);
  }
}

static void solve_as_one(const wave_case *c, double rtol, double to, double *y)
{
  dae_error err = dae_error_none();
  dae_bdf_options opts = dae_bdf_defaults();
  dae_integrator *it = NULL;
  opts.rtol = rtol;
  opts.atol = rtol / 100;
  if (wave_as_one(c)->create(c->problem, &c->start, &opts, NULL, &it, &err) != DAE_OK)
    fail_msg("%s: %s", dae_model_name(c->model), err.text);
  states_of(it, c, to, y);
  dae_integrator_free(it);
}

typedef struct distance {
  double worst[DAE_VARIABLE_MULTIPLIER + 1]; /* by kind of variable, in units of the tolerance */
} distance;

static distance compare(const wave_case *c, double rtol, const double *y, const double *one)
{
  distance d = {{0}};
  char name[96];
  for (int i = 0; i < c->size; i++) {
    dae_variable_kind kind = dae_problem_variable(c->problem, i, name, sizeof name);
    for (int k = 0; k < TIMES; k++) {
      size_t at = (size_t)k * (size_t)c->size + (size_t)i;
      double apart = fabs(y[at] - one[at]) / (rtol * fabs(one[at]) + rtol / 100);
      if (!(apart <= d.worst[kind]))
        d.worst[kind] = apart;
    }
  }
  return d;
}

static void show(const char *what, const distance *d)
{
  print_message("  %-12s", what);
  for (int k = 0; k <= DAE_VARIABLE_MULTIPLIER; k++)
    print_message(" %8.2g", d->worst[k]);
  print_message("\n");
}

static bool agrees(const distance *d)
{
  bool fine = true;
  for (int k = 0; k <= DAE_VARIABLE_MULTIPLIER; k++)
    fine = fine && d->worst[k] <= ALLOWED;
  return fine;
}

static void check(const sample *s, double rtol)
{
  static const char *const methods[] = {"gauss-seidel", "jacobi"};
  static double y[TIMES * WAVE_SIZE], one[TIMES * WAVE_SIZE];
  wave_case c;
  char path[400];
  snprintf(path, sizeof path, "%s/%s.dae", MODELS, s->model);
  wave_open(&c, path, s->set);
  c.opts = dae_wave_defaults();
  c.opts.rtol = rtol;
  c.opts.atol = rtol / 100;
  solve_as_one(&c, rtol / 100, s->to, one);
  solve_as_one(&c, rtol, s->to, y);
  distance own = compare(&c, rtol, y, one);
  print_message("%s, rtol = %.0e: coordinates, rates, states, algebraic variables, multipliers\n",
                s->model, rtol);
  show("as one", &own);
  for (int i = 0; i < 2; i++) {
    c.method = methods[i];
    dae_integrator *it = wave_create(&c);
    states_of(it, &c, s->to, y);
    dae_integrator_free(it);
    distance d = compare(&c, rtol, y, one);
    show(methods[i], &d);
    if (!agrees(&d))
      fail_msg("%s, %s, rtol = %.0e: too far", s->model, methods[i], rtol);
  }
  wave_close(&c);
}

static void test_iterations_agree_with_one_system(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
    check(&samples[i], 1e-4);
    check(&samples[i], 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_iterations_agree_with_one_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
