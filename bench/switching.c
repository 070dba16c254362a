/* A spring that stiffens a millionfold half-way (examples/models/stiffening.dae): what it costs not
 * to know beforehand.
 *
 *   explicit    as far as it is not stiff; the rest would need its steps to be 2e-3
 *   radau       the better single method for the whole, and for the first part beside explicit
 *   switching   the whole
 *
 * CPU time of the steps, least of some rounds in which the runs take turns; evaluations; the
 * largest error of a coordinate at the end against radau at 1e-12. The last column is what to look
 * at: the time of switching over that of the better single method. */
#include "measure.h"

#include <daedal/daedal.h>

enum { ROUNDS = 200, COORDINATES = 3 };

static const double free_until = 9; /* k is 1.2 there, and 1e6 at 11 */

typedef struct row {
  const char *method;
  bool whole;
} row;

enum { EXPLICIT, RADAU_FIRST, RADAU, SWITCHING, ROWS };
static const row rows[ROWS] = {
    [EXPLICIT] = {"explicit", false},
    [RADAU_FIRST] = {"radau", false},
    [RADAU] = {"radau", true},
    [SWITCHING] = {"switching", true},
};

typedef struct result {
  double seconds, error;
  dae_stats stats;
} result;

/* ---- one run ---- */

static result run(const test_problem *p, const char *name, double tolerance, double to, double *y)
{
  dae_error err;
  dae_integrator *it;
  dae_rk_options opts = dae_rk_adaptive_defaults();
  const dae_method *method = dae_method_find(name, &err);
  opts.rtol = opts.atol = tolerance;
  bench_check(method->create(&p->problem, &p->start, &opts, NULL, &it, &err), name, &err);
  double begin = bench_now();
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, to, &err);
  result out = {.seconds = bench_now() - begin, .stats = dae_integrator_stats(it)};
  bench_check(status, name, &err);
  bench_check(dae_integrator_interpolate(it, to, y, NULL, &err), name, &err);
  dae_integrator_free(it);
  return out;
}

static void compare(const test_problem *p, double tolerance, double *y)
{
  double reference[2][COORDINATES], to[2] = {free_until, p->to};
  result best[ROWS];
  for (int whole = 0; whole < 2; whole++) {
    run(p, "radau", 1e-12, to[whole], y);
    for (int i = 0; i < COORDINATES; i++)
      reference[whole][i] = y[i];
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int r = 0; r < ROWS; r++) {
      result one = run(p, rows[r].method, tolerance, to[rows[r].whole], y);
      for (int i = 0; i < COORDINATES; i++)
        one.error = fmax(one.error, fabs(y[i] - reference[rows[r].whole][i]));
      if (round > 0)
        one.seconds = fmin(one.seconds, best[r].seconds);
      best[r] = one;
    }
  for (int r = 0; r < ROWS; r++) {
    const dae_stats *n = &best[r].stats;
    printf("%9.0e %-10s %4.0f %7ld %11ld %9ld %9.3f %9.1e", tolerance, rows[r].method,
           to[rows[r].whole], n->steps, n->evaluations, n->switches, 1e3 * best[r].seconds,
           best[r].error);
    if (r == SWITCHING)
      printf(" %8.2f", best[r].seconds / best[RADAU].seconds);
    printf("\n");
  }
}

int main(void)
{
  dae_error err;
  dae_model *model;
  bench_check(dae_model_load(EXAMPLES "/stiffening.dae", NULL, NULL, &model, &err), "load", &err);
  test_problem p = {
      .problem = *dae_model_problem(model), .start = dae_model_start(model), .to = 20};
  double *y = malloc((size_t)dae_problem_size(&p.problem) * sizeof *y);
  if (!y)
    exit(1);
  printf("%9s %-10s %4s %7s %11s %9s %9s %9s %8s\n", "tolerance", "method", "to", "steps",
         "evaluations", "switches", "ms", "error", "ratio");
  for (double tolerance = 1e-4; tolerance > 1e-9; tolerance /= 100)
    compare(&p, tolerance, y);
  free(y);
  dae_model_free(model);
  return 0;
}
