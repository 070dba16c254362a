#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ---- cases ---- */

static void prepare(wave_case *c, dae_status status, const dae_error *err)
{
  if (status != DAE_OK)
    fail_msg("%s", err->text);
  c->problem = dae_model_problem(c->model);
  c->start = dae_model_start(c->model);
  c->size = dae_problem_size(c->problem);
  c->parts = c->problem->coupled->parts;
  c->method = "gauss-seidel";
  c->opts = dae_wave_defaults();
  c->opts.rtol = 0;
  c->opts.atol = 1e-6;
  c->opts.reorder = false;
  assert_true(c->parts <= WAVE_PARTS && c->size <= WAVE_SIZE);
}

void wave_open(wave_case *c, const char *path, const char *set)
{
  dae_error err = dae_error_none();
  dae_model_options given = dae_model_defaults();
  given.set = &set;
  given.set_count = set != NULL;
  *c = (wave_case){0};
  prepare(c, dae_model_load(path, &given, NULL, &c->model, &err), &err);
}

void wave_parse(wave_case *c, const char *text)
{
  dae_error err = dae_error_none();
  *c = (wave_case){0};
  prepare(c, dae_model_parse("model", text, strlen(text), NULL, NULL, &c->model, &err), &err);
}

void wave_close(wave_case *c)
{
  dae_model_free(c->model);
}

void wave_child(wave_case *c, int part, const char *method, double step)
{
  c->rk[part] = dae_rk_defaults();
  c->rk[part].step = step;
  c->rk[part].stages = 3;
  c->child[part] = (dae_wave_child){dae_method_find(method, NULL), &c->rk[part]};
  c->opts.children = c->child;
}

void wave_children(wave_case *c, const char *method, double step)
{
  for (int part = 0; part < c->parts; part++)
    wave_child(c, part, method, step);
}

/* ---- runs ---- */

dae_status wave_try(const wave_case *c, const dae_env *env, dae_integrator **out, dae_error *err)
{
  bool jacobi = !strcmp(c->method, "jacobi"), joint = !strcmp(c->method, "joint");
  return (jacobi  ? dae_jacobi_create
          : joint ? dae_joint_create
                  : dae_gauss_seidel_create)(c->problem, &c->start, &c->opts, env, out, err);
}

dae_integrator *wave_create(const wave_case *c)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (wave_try(c, NULL, &it, &err) != DAE_OK)
    fail_msg("%s: %s", dae_model_name(c->model), err.text);
  return it;
}

const dae_method *wave_as_one(const wave_case *c)
{
  const dae_method *bdf = dae_method_find("bdf", NULL);
  return bdf->accepts(c->problem, NULL) == DAE_OK ? bdf : dae_method_find("bdf-ggl", NULL);
}

void wave_state(dae_integrator *it, double *y, double *dy)
{
  dae_error err = dae_error_none();
  if (dae_integrator_interpolate(it, dae_integrator_view(it).t, y, dy, &err) != DAE_OK)
    fail_msg("%s", err.text);
}

/* the changes of the last unknown in this sweep and the one before */
typedef struct last_unknown {
  double change, before;
} last_unknown;

static void watch_last(void *user, const dae_wave_sweep *sweep)
{
  last_unknown *last = user;
  const dae_waveform *given = sweep->given, *computed = sweep->computed;
  last->before = sweep->sweep > 1 ? last->change : NAN;
  last->change = 0;
  for (int k = 0; k < given->nodes; k++) {
    int at = (k + 1) * given->width - 1;
    last->change = fmax(last->change, fabs(computed->value[at] - given->value[at]));
  }
}

wave_run wave_go(wave_case *c, double to)
{
  wave_run r = {.err = dae_error_none()};
  last_unknown last = {NAN, NAN};
  bool mine = !c->opts.watch;
  if (mine) {
    c->opts.watch = watch_last;
    c->opts.user = &last;
  }
  dae_integrator *it = wave_create(c);
  do
    r.status = dae_integrator_step(it, to, &r.err);
  while (r.status == DAE_OK);
  r.t = dae_integrator_view(it).t;
  r.stats = dae_integrator_stats(it);
  r.late_rate = last.change / last.before;
  wave_state(it, r.y, r.dy);
  assert_int_equal(dae_contraction_of(it, &r.seen, NULL), DAE_OK);
  dae_integrator_free(it);
  if (mine)
    c->opts.watch = NULL;
  return r;
}

/* ---- variables ---- */

int wave_entry(const wave_case *c, const char *name)
{
  char own[96];
  for (int i = 0; i < c->size; i++) {
    dae_problem_variable(c->problem, i, own, sizeof own);
    if (!strcmp(own, name))
      return i;
  }
  fail_msg("%s has no variable %s", dae_model_name(c->model), name);
  return -1;
}

double wave_apart(const wave_case *c, const double *y, const coupled_model *known,
                  const double *value, int from, int to)
{
  double most = 0;
  for (int i = from; i < to; i++) {
    double apart = fabs(y[wave_entry(c, known->column[i])] - value[i]);
    most = apart <= most ? most : apart; /* a NaN counts */
  }
  return most;
}
