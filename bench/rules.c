/* The option `rules` of bdf and bdf-ggl: the tests of DASSL to the letter against the default
 * ones, which are more accurate. Prints the table of docs/methods/bdf.md; see there for what the
 * rules say.
 *
 * mescd counts the correct digits of all entries of the state vector at the end; evaluations are
 * those of f, differences included. A run that fails says where instead. */
#include "measure.h"

#include <daedal/daedal.h>

#define LARGEST 16
static const char *const words[] = {"accurate", "dassl"};

static dae_status run(const test_problem *p, const char *method, const dae_bdf_options *opts,
                      dae_stats *stats, double *y, dae_error *err)
{
  dae_integrator *it;
  const dae_method *m = dae_method_find(method, err);
  dae_status status = m ? m->create(&p->problem, &p->start, opts, NULL, &it, err) : DAE_ERROR_USAGE;
  if (status < 0)
    return status;
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, err);
  *stats = dae_integrator_stats(it);
  if (status >= 0)
    status = dae_integrator_interpolate(it, p->to, y, NULL, err);
  dae_integrator_free(it);
  return status;
}

static void print(const test_problem *p, const char *method)
{
  for (int digits = 4; digits <= 10; digits++) {
    printf("| %s | 1e-%d |", p->name, digits);
    for (int rules = 0; rules < 2; rules++) {
      dae_bdf_options opts = dae_bdf_defaults();
      dae_stats stats = {0};
      dae_error err;
      double y[LARGEST];
      opts.rtol = opts.atol = pow(10, -digits);
      bench_check(dae_options_set(&dae_bdf_option_table, &opts, "rules", words[rules], &err),
                  "rules", &err);
      dae_status status = run(p, method, &opts, &stats, y, &err);
      printf(" %ld | %ld | %ld |", stats.steps, stats.rejected_by_error, stats.evaluations);
      if (status < 0)
        printf(" failed at t = %g |", err.t);
      else
        printf(" %.2f |", bench_mescd(p, p->size, y));
    }
    printf("\n");
  }
}

int main(void)
{
  const struct {
    test_problem problem;
    const char *method;
  } all[] = {{test_pendulum(), "bdf-ggl"},
             {test_car_axis(), "bdf-ggl"},
             {test_transistor_amplifier(), "bdf"}};
  printf("| problem | rtol = atol |");
  for (int i = 0; i < 2; i++)
    printf(" %s: steps | failed | evaluations | mescd |", words[i]);
  printf("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    print(&all[i].problem, all[i].method);
  return 0;
}
