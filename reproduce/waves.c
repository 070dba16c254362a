/* One observed run of a dynamic iteration. */
#include "waves.h"

#include <daedal/model.h>
#include <daedal/rk.h>

/* ---- models ---- */

static const char *const models[WAVES_MODELS] = {
    [WAVES_CIRCUITS] = "two_circuits",
    [WAVES_CIRCUITS_ODE] = "circuits_ode",
    [WAVES_THREE] = "three_circuits",
    [WAVES_THREE_CLOSE] = "circuits_close",
    [WAVES_DIODE] = "diode",
    [WAVES_PENDULA] = "two_pendula",
    [WAVES_STRUCTURES] = "structures_joint",
    [WAVES_PRINTED] = "structures_printed",
    [WAVES_WHOLE] = "structures_whole",
    [WAVES_CHAINS] = "two_chains",
    [WAVES_MOVING] = "moving_joint",
    [WAVES_NONLINEAR] = "nonlinear_joint",
};

static dae_status load(waves_model model, const char *set, dae_model **out, dae_error *err)
{
  dae_model_options options = dae_model_defaults();
  options.set = &set;
  options.set_count = set ? 1 : 0;
  return rep_model_load(models[model], &options, out, err);
}

/* ---- options ---- */

dae_wave_options waves_plain(double tolerance, double window)
{
  dae_wave_options o = dae_wave_defaults();
  o.rtol = 0;
  o.atol = tolerance;
  o.window = window;
  o.max_sweeps = 400;
  o.update = DAE_WAVE_PLAIN;
  o.begin = DAE_WAVE_BEGIN_CONSTANT;
  o.stop = DAE_WAVE_STOP_INCREMENT;
  o.reorder = o.project = false;
  return o;
}

dae_wave_options waves_accurate(void)
{
  dae_wave_options o = dae_wave_defaults();
  o.rtol = o.atol = 1e-11;
  return o;
}

/* ---- sweeps ---- */

#define ROUND_OFF 1e-12 /* smallest resolvable change, relative to the values */

typedef struct journey {
  const waves_case *run;
  waves_result *result;
  dae_model *model;
  dae_integrator *it;
  dae_rk_options rk[WAVES_PARTS];
  dae_wave_child children[WAVES_PARTS];
  int enough; /* sweeps of the current window counted so far */
} journey;

/* largest change of the counted unknowns; *size: largest value of an unknown */
static double change_of(const waves_case *run, const dae_wave_sweep *sweep, double *size)
{
  const dae_waveform *in = sweep->given, *out = sweep->computed;
  double most = 0;
  *size = 0;
  for (int i = 0; i < out->nodes * out->width; i++) {
    *size = fmax(*size, fabs(out->value[i]));
    if (i % out->width >= run->from)
      most = fmax(most, fabs(out->value[i] - in->value[i]));
  }
  return most * (run->factor > 0 ? run->factor : 1);
}

static void watch(void *user, const dae_wave_sweep *sweep)
{
  journey *j = user;
  waves_result *r = j->result;
  const dae_waveform *out = sweep->computed;
  double size, change = change_of(j->run, sweep, &size);
  if (sweep->sweep == 1)
    j->enough = 1;
  if (!(change <= j->run->options.atol))
    j->enough = sweep->sweep + 1;
  if (change > ROUND_OFF * size)
    r->rate = sweep->rate;
  r->last = sweep->sweep;
  r->most = fmax(r->most, r->last);
  for (int i = 0; i < out->width && i < WAVES_STATES; i++)
    r->unknowns[i] = out->value[(size_t)(out->nodes - 1) * (size_t)out->width + (size_t)i];
  if (j->run->look)
    j->run->look(j->run->user, sweep);
}

/* ---- one run ---- */

static dae_status find_children(journey *j, dae_error *err)
{
  const waves_child *first = &j->run->child[0];
  for (int i = 0; i < WAVES_PARTS; i++) {
    const waves_child *c = j->run->child[i].method ? &j->run->child[i] : first;
    j->rk[i] = dae_rk_defaults();
    j->rk[i].step = c->step;
    j->rk[i].stages = 3;
    j->children[i] = (dae_wave_child){dae_method_find(c->method, err), &j->rk[i]};
    if (!j->children[i].method)
      return err->status;
  }
  return DAE_OK;
}

static dae_status create(journey *j, dae_error *err)
{
  const waves_case *run = j->run;
  dae_wave_options o = run->options;
  dae_status status = load(run->model, run->set, &j->model, err);
  if (status >= 0 && run->child[0].method)
    status = find_children(j, err);
  if (status < 0)
    return status;
  const dae_problem *problem = dae_model_problem(j->model);
  dae_start start = dae_model_start(j->model);
  o.children = run->child[0].method ? j->children : NULL;
  o.watch = watch;
  o.user = j;
  switch (run->kind) {
  case WAVES_GAUSS_SEIDEL:
    return dae_gauss_seidel_create(problem, &start, &o, NULL, &j->it, err);
  case WAVES_JACOBI:
    return dae_jacobi_create(problem, &start, &o, NULL, &j->it, err);
  case WAVES_JOINT:
    return dae_joint_create(problem, &start, &o, NULL, &j->it, err);
  case WAVES_ONE:
  default:
    return j->children[0].method->create(problem, &start, &j->rk[0], NULL, &j->it, err);
  }
}

static dae_status look_around(journey *j, dae_error *err)
{
  waves_result *r = j->result;
  dae_view view = dae_integrator_view(j->it);
  dae_status status = dae_integrator_interpolate(j->it, view.t, r->state, NULL, err);
  if (status >= 0 && j->run->stop)
    j->run->stop(j->run->user, view.t, r->state);
  return status;
}

static dae_status travel(journey *j, rep_report *report, dae_error *err)
{
  dae_status status = DAE_OK;
  while (status != DAE_END && rep_good(report)) {
    status = dae_integrator_step(j->it, j->run->to, err);
    if (status < 0)
      return status;
    j->result->sweeps = fmax(j->result->sweeps, j->enough);
    dae_status seen = look_around(j, err);
    if (seen < 0)
      return seen;
  }
  return status;
}

bool waves_run(rep_report *report, const waves_case *run, waves_result *result)
{
  journey j = {.run = run, .result = result};
  dae_error err = dae_error_none();
  *result = (waves_result){.rate = NAN};
  if (!rep_good(report))
    return false;
  dae_status status = create(&j, &err);
  if (status >= 0)
    status = travel(&j, report, &err);
  if (j.it)
    result->total = dae_integrator_stats(j.it).sweeps;
  result->failed = status < 0;
  if (result->failed)
    result->sweeps = NAN;
  if (result->failed && status != DAE_ERROR_COUPLING && status != DAE_ERROR_STEP)
    rep_fail(report, &err);
  dae_integrator_free(j.it);
  dae_model_free(j.model);
  return rep_good(report);
}

bool waves_contraction(rep_report *report, waves_model model, dae_contraction *out)
{
  dae_model *m = NULL;
  dae_error err = dae_error_none();
  *out = (dae_contraction){0};
  if (!rep_good(report))
    return false;
  dae_status status = load(model, NULL, &m, &err);
  if (status >= 0) {
    dae_start start = dae_model_start(m);
    status = dae_contraction_at(dae_model_problem(m), start.t, start.y, NULL, out, &err);
  }
  if (status < 0)
    rep_fail(report, &err);
  dae_model_free(m);
  return rep_good(report);
}

/* ---- values of tables ---- */

rep_value waves_beside(double paper, double ours, double reference, double bound)
{
  return (rep_value){paper, ours, reference, isnan(reference) ? REP_SHOWN : REP_NEAR, bound};
}

rep_value waves_near(double ours, double reference, double bound)
{
  return waves_beside(NAN, ours, reference, bound);
}

rep_value waves_shown(double ours)
{
  return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
}

rep_value waves_count(double paper, double ours, double reference, double slack)
{
  if (reference == WAVES_FAILS)
    return (rep_value){paper, ours, NAN, REP_FAILS, 0};
  return waves_beside(paper, ours, reference, 1.0001 * slack / reference);
}

rep_value waves_below(double ours, double limit)
{
  return (rep_value){NAN, ours, limit, REP_BELOW, 0};
}
