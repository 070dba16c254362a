/* Comparison of methods: runs of every method over tolerances or step sizes (compare_series.c), a
 * reference from the two runs that agree best (compare_reference.c), the errors of all runs against
 * it, ranking and recommendation (compare_rank.c). */
#include "run/compare/compare.h"

#include "core/env.h"
#include "core/error.h"
#include "run/plan.h"

#include <math.h>
#include <string.h>

#define STEP_SIZES_MIN 6 /* smallest number of step sizes of a fixed-step method; chosen */

static const double decades[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10};

dae_compare_plan dae_compare_defaults(const dae_run_plan *plan)
{
  return (dae_compare_plan){.plan = plan,
                            .rtol = decades,
                            .rtol_count = sizeof decades / sizeof *decades,
                            .atol_ratio = 0.01,
                            .wanted = 1e-6,
                            .seconds = 2,
                            .times = 64};
}

/* ---- validation ---- */

static dae_status compare_check(const dae_compare_plan *plan, dae_error *err)
{
  const dae_status usage = DAE_ERROR_USAGE;
  if (!plan->plan)
    return dae__fail(err, usage, "plan", "there is no plan of what is to be run");
  if (plan->rtol_count < 1 || !plan->rtol)
    return dae__fail(err, usage, "rtol", "a comparison needs one tolerance at least");
  for (int i = 0; i < plan->rtol_count; i++) {
    if (!(plan->rtol[i] > 0 && plan->rtol[i] <= 1))
      return dae__fail(err, usage, "rtol", "the tolerance %g is not between 0 and 1",
                       plan->rtol[i]);
    if (i > 0 && !(plan->rtol[i] < plan->rtol[i - 1]))
      return dae__fail(err, usage, "rtol", "the tolerances do not descend: %g comes after %g",
                       plan->rtol[i], plan->rtol[i - 1]);
  }
  if (!(isfinite(plan->atol_ratio) && plan->atol_ratio > 0))
    return dae__fail(err, usage, "atol_ratio", "atol/rtol = %g is not positive", plan->atol_ratio);
  if (!(plan->wanted > 0 && plan->wanted <= 1))
    return dae__fail(err, usage, "wanted", "the tolerance %g is not between 0 and 1", plan->wanted);
  if (!(plan->seconds >= 0))
    return dae__fail(err, usage, "seconds", "the limit of %g s is negative", plan->seconds);
  if (plan->times < 1)
    return dae__fail(err, usage, "times", "at least one row must be compared");
  return DAE_OK;
}

/* ---- series ---- */

/* Method number i of the comparison, NULL past the last one. */
static const dae_method *compare_method_at(const dae_compare_plan *plan, int i)
{
  if (!plan->methods)
    return dae_method_at(i);
  return i < plan->method_count ? plan->methods[i] : NULL;
}

/* Creates a series for every method that accepts the problem; a method named in the plan gets one
 * in any case, whose runs then report why it does not accept the problem. */
static dae_status compare_make_series(dae__compare *c, dae_error *err)
{
  const dae_compare_plan *plan = c->plan;
  int count = 0;
  size_t options = 1;
  while (compare_method_at(plan, count))
    count++;
  c->width = plan->rtol_count > STEP_SIZES_MIN ? plan->rtol_count : STEP_SIZES_MIN;
  c->series = DAE__ALLOC(c->scratch, dae__series, count);
  for (int i = 0; c->series && i < count; i++) {
    const dae_method *method = compare_method_at(plan, i);
    bool refused = method->accepts && method->accepts(&plan->plan->problem, NULL) < 0;
    if (!plan->methods && refused)
      continue;
    c->series[c->series_count++] =
        (dae__series){.method = method, .run = DAE__ALLOC(c->scratch, dae_compare_run, c->width)};
    options = method->options_size > options ? method->options_size : options;
    /* runs with and without rows, in rounds, and one more for a candidate */
    c->total += (method->fixed_step ? c->width : plan->rtol_count) * (1 + DAE__ROUNDS) + 1;
  }
  c->options = dae_arena_alloc(c->scratch, 1, options);
  DAE__TRY(dae__arena_status(c->scratch, err));
  if (c->series_count > 0)
    return DAE_OK;
  /* reason from the method that `auto` prefers: why it does not accept the problem */
  dae_status status = dae_method_choose(&plan->plan->problem, NULL, 0, err) ? DAE_OK : err->status;
  return status < 0 ? status : dae__fail(err, DAE_ERROR_USAGE, "methods", "no method was named");
}

static dae_status compare_prepare(dae__compare *c, dae_error *err)
{
  char name[8];
  DAE__TRY(compare_check(c->plan, err));
  const dae_run_plan *plan = c->plan->plan;
  DAE__TRY(dae_problem_validate(&plan->problem, err));
  dae_summary known = dae__plan_summary(plan);
  *c->out = (dae_comparison){.problem = known.problem,
                             .from = plan->start.t,
                             .to = plan->to,
                             .wanted = c->plan->wanted,
                             .atol_ratio = c->plan->atol_ratio,
                             .native = plan->native,
                             .reference = {.agreement = INFINITY}};
  DAE__TRY(compare_make_series(c, err));
  c->n = dae_problem_size(&plan->problem);
  c->kind = DAE__ALLOC(c->scratch, dae_variable_kind, c->n);
  c->scale = DAE__ALLOC(c->scratch, double, c->n);
  c->times = DAE__ALLOC(c->scratch, double, c->plan->times);
  DAE__TRY(dae__arena_status(c->scratch, err));
  for (int j = 0; j < c->n; j++)
    c->kind[j] = dae_problem_variable(&plan->problem, j, name, sizeof name);
  return DAE_OK;
}

/* ---- the result ---- */

typedef struct result {
  dae_comparison comparison; /* first member: the caller holds a pointer to it */
  dae__arena *arena;
} result;

/* Runs the comparison, copies the runs of all series, one after the other, into the result, and
 * recommends a method. */
static dae_status compare_run_all(dae__compare *c, dae_error *err)
{
  dae_comparison *out = c->out;
  int count = 0;
  DAE__TRY(compare_prepare(c, err));
  dae_status status = dae__compare_series(c, err);
  if (status >= 0)
    status = dae__compare_reference(c, err);
  if (status >= 0)
    status = dae__compare_errors(c, err);
  if (status >= 0)
    status = dae__compare_rounds(c, err);
  if (status < 0 && status != DAE_ERROR_INTERRUPTED)
    return status;
  for (int i = 0; i < c->series_count; i++)
    count += c->series[i].count;
  dae_compare_run *run = DAE__ALLOC(c->arena, dae_compare_run, count);
  const dae_method **methods = DAE__ALLOC(c->arena, const dae_method *, c->series_count);
  const dae_method **order = DAE__ALLOC(c->scratch, const dae_method *, c->series_count);
  if (dae__arena_failed(c->arena) || !order)
    return dae__out_of_memory(err);
  out->run = run;
  out->methods = methods;
  out->method_count = c->series_count;
  for (int i = 0; i < c->series_count; i++) {
    memcpy(run + out->runs, c->series[i].run, (size_t)c->series[i].count * sizeof *run);
    out->runs += c->series[i].count;
    methods[i] = c->series[i].method;
  }
  dae__compare_recommend(out, status < 0, order);
  return status;
}

dae_status dae_compare(const dae_compare_plan *plan, const dae_env *env, dae_comparison **out,
                       dae_error *err)
{
  dae_error own_error;
  err = err ? err : &own_error;
  *err = dae_error_none();
  *out = NULL;
  dae_env own = dae__env_unstopped(env); /* an interrupted comparison has results */
  dae__compare c = {.plan = plan, .env = env, .arena = dae__arena_create(&own)};
  result *r = DAE__ALLOC(c.arena, result, 1);
  c.scratch = r ? dae__arena_create(&own) : NULL;
  dae_status status = c.scratch ? DAE_OK : dae__out_of_memory(err);
  if (status >= 0) {
    r->arena = c.arena;
    c.out = &r->comparison;
    status = compare_run_all(&c, err);
  }
  dae__arena_free(c.scratch);
  if (status >= 0 || (status == DAE_ERROR_INTERRUPTED && c.out->run))
    *out = c.out;
  else
    dae__arena_free(c.arena);
  return status;
}

void dae_comparison_free(dae_comparison *comparison)
{
  if (comparison)
    dae__arena_free(((result *)comparison)->arena);
}
