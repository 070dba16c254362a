/* Table 1 of [E07]: sweeps until two coupled circuits are within 1e-6 of their exact solution, by
 * Gauss-Seidel and Jacobi, plain and regularised, over one window of length pi. The subsystems are
 * solved to 1e-9. */
#include <daedal/daedal.h>
#include <daedal/model.h>
#include <daedal/rk.h>
#include <daedal/wave.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PI 3.14159265358979323846
#define NODES 300
#define NEVER 1000 /* the iteration diverges */

typedef struct run {
  double alpha;
  int enough[2]; /* sweeps after which the error is below 1e-6: largest, sum over components */
} run;

static void exact(double alpha, double t, double *z)
{
  double d = 1 - alpha * alpha;
  z[0] = cos(t);
  z[1] = (cos(t) + alpha * sin(t)) / d;
  z[2] = sin(t);
  z[3] = (sin(t) + alpha * cos(t)) / d;
}

static void watch(void *user, const dae_wave_sweep *sweep)
{
  run *r = user;
  const dae_waveform *w = sweep->computed;
  double worst[2] = {0, 0};
  assert_int_equal(w->width, 4);
  for (int k = 0; k < w->nodes; k++) {
    double z[4], most = 0, sum = 0;
    exact(r->alpha, w->t[k], z);
    for (int i = 0; i < 4; i++) {
      double e = fabs(w->value[4 * k + i] - z[i]);
      most = fmax(most, e);
      sum += e;
    }
    worst[0] = fmax(worst[0], most);
    worst[1] = fmax(worst[1], sum);
  }
  for (int i = 0; i < 2; i++)
    if (!(worst[i] < 1e-6))
      r->enough[i] = sweep->sweep + 1;
}

static run sweeps_of(double alpha, bool jacobi, dae_wave_update update)
{
  char set[32];
  snprintf(set, sizeof set, "a=%g", alpha);
  const char *sets[] = {set};
  dae_model_options given = dae_model_defaults();
  given.set = sets;
  given.set_count = 1;
  dae_model *model;
  dae_error err = dae_error_none();
  assert_int_equal(dae_model_load(MODELS "/two_circuits.dae", &given, NULL, &model, &err), DAE_OK);

  dae_rk_options radau = dae_rk_defaults();
  radau.step = PI / NODES;
  radau.stages = 3;
  const dae_wave_child child = {dae_method_find("radau-iia", &err), &radau};
  const dae_wave_child children[2] = {child, child};
  run r = {.alpha = alpha, .enough = {1, 1}};
  dae_wave_options opts = dae_wave_defaults();
  opts.rtol = 0;
  opts.atol = 1e-6; /* sweeps go on to a hundredth of it: 1e-8 */
  opts.window = PI;
  opts.nodes = NODES;
  opts.max_sweeps = 400;
  opts.begin = DAE_WAVE_BEGIN_CONSTANT;
  opts.update = update;
  opts.reorder = false;
  opts.children = children;
  opts.watch = watch;
  opts.user = &r;
  dae_start start = dae_model_start(model);
  dae_integrator *it;
  dae_status status = (jacobi ? dae_jacobi_create : dae_gauss_seidel_create)(
      dae_model_problem(model), &start, &opts, NULL, &it, &err);
  assert_int_equal(status, DAE_OK);
  status = dae_integrator_step(it, PI, &err);
  if (status < 0) {
    assert_int_equal(status, DAE_ERROR_COUPLING);
    r.enough[0] = r.enough[1] = NEVER;
  }
  dae_integrator_free(it);
  dae_model_free(model);
  return r;
}

typedef struct row {
  const char *name;
  bool jacobi;
  dae_wave_update update;
  int most[5], sum[5]; /* for alpha = .3 .5 .7 .9 1.1; 0: not tabulated */
  int slack[5];        /* allowed difference */
} row;

static const double alphas[5] = {0.3, 0.5, 0.7, 0.9, 1.1};

static void check(const row *r)
{
  for (int i = 0; i < 5; i++) {
    run got = sweeps_of(alphas[i], r->jacobi, r->update);
    print_message("%s, alpha = %.1f: %d and %d sweeps\n", r->name, alphas[i], got.enough[0],
                  got.enough[1]);
    if (abs(got.enough[0] - r->most[i]) > r->slack[i])
      fail_msg("%s, alpha = %g: %d sweeps, tabulated are %d", r->name, alphas[i], got.enough[0],
               r->most[i]);
    if (r->sum[i] > 0 && abs(got.enough[1] - r->sum[i]) > r->slack[i])
      fail_msg("%s, alpha = %g: %d sweeps in the sum norm, tabulated are %d", r->name, alphas[i],
               got.enough[1], r->sum[i]);
  }
}

static void test_plain_gauss_seidel(void **state)
{
  (void)state;
  check(&(row){"gauss-seidel, plain",
               false,
               DAE_WAVE_PLAIN,
               {9, 11, 22, 78, NEVER},
               {9, 12, 23, 81, NEVER},
               {1, 1, 1, 1, 0}});
}

static void test_regularised_gauss_seidel(void **state)
{
  (void)state;
  check(&(row){"gauss-seidel, xi", false, DAE_WAVE_XI, {9, 10, 10, 10, 10}, {0}, {1, 1, 1, 1, 1}});
  check(&(row){
      "gauss-seidel, slack", false, DAE_WAVE_SLACK, {9, 10, 10, 10, 10}, {0}, {1, 1, 1, 1, 1}});
  check(&(row){
      "gauss-seidel, schur", false, DAE_WAVE_SCHUR, {9, 10, 10, 10, 10}, {0}, {1, 1, 1, 1, 1}});
}

static void test_plain_jacobi(void **state)
{
  (void)state;
  check(&(row){
      "jacobi, plain", true, DAE_WAVE_PLAIN, {16, 21, 43, 154, NEVER}, {0}, {1, 1, 1, 3, 0}});
}

static void test_regularised_jacobi(void **state)
{
  (void)state;
  check(&(row){"jacobi, xi", true, DAE_WAVE_XI, {17, 18, 18, 18, 18}, {0}, {1, 1, 1, 1, 1}});
  check(&(row){"jacobi, slack", true, DAE_WAVE_SLACK, {17, 18, 18, 18, 18}, {0}, {1, 1, 1, 1, 1}});
  check(&(row){"jacobi, schur", true, DAE_WAVE_SCHUR, {16, 16, 17, 17, 17}, {0}, {1, 1, 1, 1, 1}});
}

/* the errors of the solvers alone, once the iteration has converged */
static double final_error;

static void keep_error(void *user, const dae_wave_sweep *sweep)
{
  const double alpha = *(double *)user;
  const dae_waveform *w = sweep->computed;
  final_error = 0;
  for (int k = 0; k < w->nodes; k++) {
    double z[4];
    exact(alpha, w->t[k], z);
    for (int i = 0; i < 4; i++)
      final_error = fmax(final_error, fabs(w->value[4 * k + i] - z[i]));
  }
}

static void test_solvers_are_good_to_1e_9(void **state)
{
  (void)state;
  dae_error err = dae_error_none();
  dae_model *model;
  double alpha = 0.9;
  assert_int_equal(dae_model_load(MODELS "/two_circuits.dae", NULL, NULL, &model, &err), DAE_OK);
  dae_rk_options radau = dae_rk_defaults();
  radau.step = PI / NODES;
  radau.stages = 3;
  const dae_wave_child child = {dae_method_find("radau-iia", &err), &radau};
  const dae_wave_child children[2] = {child, child};
  dae_wave_options opts = dae_wave_defaults();
  opts.rtol = 0;
  opts.atol = 1e-10;
  opts.window = PI;
  opts.nodes = NODES;
  opts.children = children;
  opts.watch = keep_error;
  opts.user = &alpha;
  dae_start start = dae_model_start(model);
  dae_integrator *it;
  assert_int_equal(
      dae_gauss_seidel_create(dae_model_problem(model), &start, &opts, NULL, &it, &err), DAE_OK);
  assert_int_equal(dae_integrator_step(it, PI, &err), DAE_END);
  print_message("solvers: %.1e\n", final_error);
  assert_true(final_error < 1e-9);
  dae_integrator_free(it);
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_plain_gauss_seidel),
      cmocka_unit_test(test_regularised_gauss_seidel),
      cmocka_unit_test(test_plain_jacobi),
      cmocka_unit_test(test_regularised_jacobi),
      cmocka_unit_test(test_solvers_are_good_to_1e_9),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
