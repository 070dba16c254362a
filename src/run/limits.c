#include "run/limits.h"

#include "core/number.h"
#include "core/text.h"

#define LISTED 5 /* number of variables listed */

/* Numbers of passed and failed tests that variable i limited: of steps, or of iterations. */
typedef struct tally {
  long passed, failed;
} tally;

static tally limits_of(const dae_integrator *it, int i, bool iterations)
{
  dae_limits n = dae_integrator_limits(it, i);
  return iterations ? (tally){n.iterations, n.failed} : (tally){n.steps, n.rejected};
}

static void limits_write(const dae_integrator *it, const dae_problem *problem, bool iterations,
                         char *out, size_t size)
{
  dae__text lines = dae__text_in(out, size);
  int n = dae_problem_size(problem), listed[LISTED];
  tally all = {0, 0};
  for (int i = 0; i < n; i++) {
    tally own = limits_of(it, i, iterations);
    all.passed += own.passed;
    all.failed += own.failed;
  }
  for (int k = 0; k < LISTED; k++) {
    tally best = {0, 0};
    listed[k] = -1;
    for (int i = 0; i < n; i++) {
      tally own = limits_of(it, i, iterations);
      bool known = false;
      for (int j = 0; j < k; j++)
        known = known || listed[j] == i;
      if (!known && own.passed + own.failed > best.passed + best.failed)
        best = own, listed[k] = i;
    }
    if (listed[k] < 0)
      return;
    char name[64];
    dae_problem_variable(problem, listed[k], name, sizeof name);
    double passed = all.passed > 0 ? (double)best.passed / (double)all.passed : 0;
    double failed = all.failed > 0 ? (double)best.failed / (double)all.failed : 0;
    dae__text_add(&lines, "%s\t%s\t%s\n", name, dae__number_text(passed, 2).text,
                  dae__number_text(failed, 2).text);
  }
}

void dae__list_limits(const dae_integrator *it, const dae_problem *problem, dae_summary *s)
{
  if (!it)
    return;
  limits_write(it, problem, false, s->limits, sizeof s->limits);
  limits_write(it, problem, true, s->iteration_limits, sizeof s->iteration_limits);
}
