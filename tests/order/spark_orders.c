#include "spark_orders.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUND_OFF 1e-13 /* smaller errors say nothing of the order */
#define FIT 3           /* so many of the finest runs above round-off tell the order */

static const char *const kind_names[KINDS] = {"coordinates", "rates", "lambda", "psi"};

void spark_run(const char *method, const test_problem *p, const dae_spark_options *opts, double *y)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_status status =
      dae_method_find(method, NULL)->create(&p->problem, &p->start, opts, NULL, &it, &err);
  assert_true(p->size <= SPARK_MOST);
  while (status == DAE_OK)
    status = dae_integrator_step(it, p->to, &err);
  if (status != DAE_END)
    fail_msg("%s, %s, s = %d: %s", method, p->name, opts->stages, err.text);
  support_state(it, y, NULL);
  dae_integrator_free(it);
}

/* largest error of each kind at the end after n steps */
static void errors_of(const char *method, const test_problem *p, const dae_spark_options *which,
                      int n, double error[KINDS])
{
  dae_spark_options opts = *which;
  const dae_mechanical *m = p->problem.mechanical;
  const dae_momentum *f = p->problem.momentum;
  int y_end = m ? m->nq : f->ny, z_end = m ? 2 * m->nq : f->ny + f->nz;
  int ng = m ? m->ng : f->ng, nk = m ? m->nk : f->nk;
  const int end[KINDS] = {y_end, z_end, z_end + ng, z_end + ng + nk};
  double y[SPARK_MOST];
  opts.step = p->to / n;
  opts.project = false; /* the method's own */
  spark_run(method, p, &opts, y);
  for (int kind = 0, i = 0; kind < KINDS; kind++) {
    error[kind] = 0;
    for (; i < end[kind]; i++)
      error[kind] = fmax(error[kind], fabs(y[i] - p->reference[i]));
  }
}

/* slope of log error over log h by least squares */
static double slope(int count, const double *h, const double *error)
{
  double x = 0, y = 0, xy = 0, xx = 0;
  for (int i = 0; i < count; i++) {
    x += log(h[i]) / count;
    y += log(error[i]) / count;
  }
  for (int i = 0; i < count; i++) {
    xy += (log(h[i]) - x) * (log(error[i]) - y);
    xx += (log(h[i]) - x) * (log(h[i]) - x);
  }
  return xy / xx;
}

/* step numbers tried, in eighths of the table's */
static const int eighths[] = {8, 7, 6, 5, 4, 3, 2};
#define SIZES ((int)(sizeof eighths / sizeof *eighths))

typedef struct measured {
  const char *method, *problem;
  int s, order;
  const spark_row *tabulated;
  double error[SIZES][KINDS];
} measured;

static void check_order(const measured *m, int kind)
{
  double h[FIT], error[FIT], band = m->s <= 3 ? 0.15 : 0.3;
  int count = 0;
  for (int i = 0; i < SIZES && count < FIT; i++)
    if (m->error[i][kind] > ROUND_OFF) {
      h[count] = 1.0 / eighths[i];
      error[count++] = m->error[i][kind];
    }
  assert_true(count >= 2);
  double found = slope(count, h, error);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-11s %-16s s = %d %-11s order %.2f, error %.2e (%.2f of the table's)\n",
                  m->method, m->problem, m->s, kind_names[kind], found, m->error[0][kind],
                  m->error[0][kind] / m->tabulated->error[kind]);
  if (!(fabs(found - m->order) <= band))
    fail_msg("%s, %s, s = %d: order %.2f of %s", m->method, m->problem, m->s, found,
             kind_names[kind]);
}

static void check_error(const measured *m, int kind)
{
  double error = m->error[0][kind], tabulated = m->tabulated->error[kind];
  double bound = tabulated == EXACT ? 1e-13 : 1.2 * tabulated + 1e-13;
  if (!(error <= bound))
    fail_msg("%s, %s, s = %d, %d steps: error %.2e of %s", m->method, m->problem, m->s,
             m->tabulated->n, error, kind_names[kind]);
}

void spark_check(const char *method, const test_problem *p, const dae_spark_options *opts,
                 int order, const spark_row *r)
{
  measured m = {
      .method = method, .problem = p->name, .s = opts->stages, .order = order, .tabulated = r};
  for (int i = 0; i < SIZES; i++)
    errors_of(method, p, opts, r->n * eighths[i] / 8, m.error[i]);
  for (int kind = 0; kind < KINDS; kind++) {
    if (r->error[kind] != NONE)
      check_error(&m, kind);
    if (r->error[kind] > 0 && order > 0)
      check_order(&m, kind);
  }
}
