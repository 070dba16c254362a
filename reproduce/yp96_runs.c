/* One run of [YP96] section 5: BDF of order 2 at most in DASSL, with the paper's error tests. GGL
 * and GGL* test q (and v), CS and CM, and GGL* on the bushing, the independent coordinates of their
 * split (and velocities).
 */
#include "yp96.h"

#include <daedal/bdf.h>
#include <daedal/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- problems ---- */

static const char *const models[] = {
    [YP96_POINT] = "point", [YP96_SPRING] = "spring", [YP96_BUSHING] = "bushing"};

dae_status yp96_model(const yp96_setting *setting, const yp96_case *run, dae_model **out,
                      dae_error *err)
{
  char eps[32];
  const char *set[] = {eps, setting->set};
  dae_model_options options = dae_model_defaults();
  snprintf(eps, sizeof eps, "eps=%s", run->eps);
  options.set = set;
  options.set_count = setting->set ? 2 : 1;
  return rep_model_load(models[setting->problem], &options, out, err);
}

/* ---- methods ---- */

static const struct {
  const char *name, *method;
  bool split_test; /* error test on the independent coordinates */
  int multipliers, projector;
} iterations[] = {
    [YP96_GGL] = {"GGL", "bdf-ggl", false, DAE_BDF_MULTIPLIERS_SPLIT, DAE_BDF_PROJECTOR_STALE},
    [YP96_GGL_STAR] = {"GGL*", "bdf-ggl-star", false, DAE_BDF_MULTIPLIERS_SPLIT,
                       DAE_BDF_PROJECTOR_STALE},
    [YP96_CS] = {"CS", "bdf-cs", true, DAE_BDF_MULTIPLIERS_SPLIT, DAE_BDF_PROJECTOR_STALE},
    [YP96_CM] = {"CM", "bdf-cm", true, DAE_BDF_MULTIPLIERS_SPLIT, DAE_BDF_PROJECTOR_STALE},
    [YP96_CS_LSQ] = {"CS, lsq", "bdf-cs", true, DAE_BDF_MULTIPLIERS_LEAST_SQUARES,
                     DAE_BDF_PROJECTOR_STALE},
    [YP96_CM_FRESH] = {"CM, fresh", "bdf-cm", true, DAE_BDF_MULTIPLIERS_SPLIT,
                       DAE_BDF_PROJECTOR_FRESH},
};

const char *yp96_name(yp96_iteration iteration)
{
  return iterations[iteration].name;
}

static dae_bdf_options options_of(const yp96_setting *setting, const yp96_case *run)
{
  bool star = run->iteration == YP96_GGL_STAR && setting->problem == YP96_BUSHING;
  bool split = iterations[run->iteration].split_test || star, v = setting->velocities;
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = strtod(run->tolerance, NULL) * (1 + setting->shift);
  opts.rules = DAE_BDF_RULES_DASSL;
  opts.order = setting->order;
  opts.project = false;
  opts.filter = false;
  if (split)
    opts.error_test = v ? DAE_BDF_TEST_XV : DAE_BDF_TEST_X;
  else
    opts.error_test = v ? DAE_BDF_TEST_QV : DAE_BDF_TEST_Q;
  opts.multipliers = iterations[run->iteration].multipliers;
  opts.projector = iterations[run->iteration].projector;
  opts.independent = setting->bad_split ? 4 : 0; /* index among x1, y1, th1, x2 */
  return opts;
}

/* Initial step size of DASSL: at most a thousandth of the time span, with h |y'| half of the
 * tolerance, over positions and velocities, independent of the error test. It matters for fast
 * velocities. */
static dae_status first_step(const dae_model *model, const yp96_setting *setting,
                             dae_bdf_options *opts, dae_error *err)
{
  const dae_problem *problem = dae_model_problem(model);
  size_t size = (size_t)dae_problem_size(problem);
  int n = 2 * dae_model_count(model).coordinates;
  double *y = calloc(2 * size, sizeof *y), sum = 0;
  dae_start start = dae_model_start(model);
  opts->first_step = 1e-3 * setting->to;
  if (!y) {
    *err = dae_error_none();
    return err->status = DAE_ERROR_MEMORY;
  }
  dae_status status = dae_consistent_start(problem, &start, NULL, y, y + size, NULL, err);
  for (int i = 0; i < n; i++)
    sum += pow(y[size + (size_t)i] / (opts->rtol * fabs(y[i]) + opts->atol), 2);
  if (!setting->bad_split)
    opts->first_step = fmin(opts->first_step, 0.5 / sqrt(sum / n));
  free(y);
  return status;
}

/* ---- rows ---- */

typedef struct pick {
  const yp96_watch *watch;
  int column[4];
} pick;

static dae_status pick_open(void *self, int columns, const char *const *names, dae_error *err)
{
  pick *p = self;
  for (int i = 0; i < p->watch->count; i++) {
    int k = 0;
    while (k < columns && strcmp(names[k], p->watch->columns[i]) != 0)
      k++;
    p->column[i] = k;
    if (k < columns)
      continue;
    *err = dae_error_none();
    snprintf(err->text, sizeof err->text, "there is no column %s", p->watch->columns[i]);
    return err->status = DAE_ERROR_USAGE;
  }
  return DAE_OK;
}

static dae_status pick_row(void *self, const dae_row *row, dae_error *err)
{
  const pick *p = self;
  double picked[4];
  (void)err;
  for (int i = 0; i < p->watch->count; i++)
    picked[i] = row->values[p->column[i]];
  p->watch->row(p->watch->user, picked);
  return DAE_OK;
}

dae_status yp96_integrate(const yp96_setting *setting, const yp96_case *run,
                          const yp96_watch *watch, bool (*progress)(void *user, double t),
                          void *user, dae_summary *summary, dae_error *err)
{
  dae_model *model;
  dae_status status = yp96_model(setting, run, &model, err);
  if (status < 0)
    return status;
  dae_bdf_options opts = options_of(setting, run);
  status = first_step(model, setting, &opts, err);
  if (status >= 0) {
    pick picked = {.watch = watch};
    dae_sink sink = {.self = &picked, .open = pick_open, .row = pick_row};
    dae_run_plan plan = {.method = dae_method_find(iterations[run->iteration].method, err),
                         .options = &opts,
                         .sinks = &sink,
                         .sink_count = watch ? 1 : 0,
                         .progress = progress,
                         .progress_user = user};
    dae_model_plan(model, &plan);
    plan.to = setting->to;
    plan.every = 0;
    status = dae_run(&plan, NULL, summary, err);
    summary->problem =
        models[setting->problem]; /* name of the problem, which outlives that of the model */
  }
  dae_model_free(model);
  return status;
}
