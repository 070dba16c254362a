#include "run/limits.h"

#include "core/number.h"
#include "core/text.h"
#include "core/vec.h"

#include <math.h>

#define LISTED 5 /* number of variables listed */

void dae__limits_create(dae__arena *arena, const dae_problem *problem, dae__limits *out)
{
  int n = dae_problem_size(problem);
  char name[8];
  *out = (dae__limits){.n = n,
                       .counts = DAE__ALLOC(arena, bool, n),
                       .steps = DAE__ALLOC(arena, long, n),
                       .rejected = DAE__ALLOC(arena, long, n)};
  for (int i = 0; i < DAE__LIMITS_STATES; i++)
    out->y[i] = DAE__ALLOC(arena, double, n);
  for (int i = 0; !dae__arena_failed(arena) && i < n; i++)
    out->counts[i] = dae_problem_variable(problem, i, name, sizeof name) != DAE_VARIABLE_MULTIPLIER;
}

/* Third divided difference of entry i over the states kept. */
static double limits_difference(const dae__limits *l, int i)
{
  double d[DAE__LIMITS_STATES];
  for (int k = 0; k < DAE__LIMITS_STATES; k++)
    d[k] = l->y[k][i];
  for (int order = 1; order < DAE__LIMITS_STATES; order++)
    for (int k = 0; k + order < DAE__LIMITS_STATES; k++)
      d[k] = (d[k] - d[k + 1]) / (l->t[k] - l->t[k + order]);
  return d[0];
}

void dae__limits_step(dae__limits *l, double t, const double *y, double rtol, double atol,
                      const dae_stats *stats)
{
  if (l->n == 0 || (l->count > 0 && !(t > l->t[0])))
    return;
  double *oldest = l->y[DAE__LIMITS_STATES - 1], largest = 0;
  int worst = -1;
  for (int k = DAE__LIMITS_STATES - 1; k > 0; k--) {
    l->y[k] = l->y[k - 1];
    l->t[k] = l->t[k - 1];
  }
  dae__copy(l->n, y, oldest);
  l->y[0] = oldest;
  l->t[0] = t;
  l->count += l->count < DAE__LIMITS_STATES;
  long rejected =
      stats->rejected_by_error + stats->rejected_by_convergence + stats->rejected_by_callback;
  long fresh = rejected - l->seen;
  l->seen = rejected;
  if (l->count < DAE__LIMITS_STATES)
    return;
  for (int i = 0; i < l->n; i++) {
    double scaled = l->counts[i] ? fabs(limits_difference(l, i)) / (rtol * fabs(y[i]) + atol) : 0;
    if (scaled > largest)
      largest = scaled, worst = i;
  }
  if (worst < 0)
    return;
  l->steps[worst]++;
  l->rejected[worst] += fresh;
  l->all_steps++;
  l->all_rejected += fresh;
}

void dae__limits_list(const dae__limits *l, const dae_problem *problem, dae_summary *s)
{
  dae__text lines = dae__text_in(s->limits, sizeof s->limits);
  int listed[LISTED];
  for (int k = 0; k < LISTED; k++) {
    int best = -1;
    for (int i = 0; i < l->n; i++) {
      bool known = false;
      for (int j = 0; j < k; j++)
        known = known || listed[j] == i;
      if (!known && l->steps[i] > 0 && (best < 0 || l->steps[i] > l->steps[best]))
        best = i;
    }
    if (best < 0)
      return;
    char name[64];
    listed[k] = best;
    dae_problem_variable(problem, best, name, sizeof name);
    double steps = (double)l->steps[best] / (double)l->all_steps;
    double rejected = l->all_rejected > 0 ? (double)l->rejected[best] / (double)l->all_rejected : 0;
    dae__text_add(&lines, "%s\t%s\t%s\n", name, dae__number_text(steps, 2).text,
                  dae__number_text(rejected, 2).text);
  }
}
