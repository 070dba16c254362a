#include "motion.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 16 }; /* unknowns of reduced equations, columns of which values are known */

/* ---- rows ---- */

static dae_status keep_names(void *self, int columns, const char *const *names, dae_error *err)
{
  motion *m = self;
  (void)err;
  m->columns = columns;
  m->names = calloc((size_t)columns, sizeof *m->names);
  assert_non_null(m->names);
  for (int i = 0; i < columns; i++)
    m->names[i] = strdup(names[i]);
  return DAE_OK;
}

static dae_status keep_row(void *self, const dae_row *row, dae_error *err)
{
  motion *m = self;
  (void)err;
  if (m->rows == m->room) {
    m->room = 2 * m->room + 64;
    m->values = realloc(m->values, (size_t)(m->room * row->columns) * sizeof *m->values);
    assert_non_null(m->values);
  }
  memcpy(m->values + m->rows++ * row->columns, row->values,
         (size_t)row->columns * sizeof *row->values);
  return DAE_OK;
}

/* ---- the run ---- */

static void fail_with(const char *path, const dae_error *err)
{
  char text[1200];
  dae_error_text(err, text, sizeof text);
  fail_msg("%s: %s", path, text);
}

/* what simulate says, but for what is no option of a method; then the tolerance that is wanted */
static void *options_of(const dae_model *model, const dae_method *method, double tolerance)
{
  static const char *const others[] = {"to", "from", "every", "method"};
  const dae_model_setting *settings;
  int count = dae_model_settings(model, &settings);
  char number[40];
  dae_error err;
  void *opts = calloc(1, method->options_size);
  assert_non_null(opts);
  method->defaults(opts);
  for (int i = 0; i < count; i++) {
    bool other = settings[i].system != NULL;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
      other = other || !strcmp(settings[i].name, others[k]);
    snprintf(number, sizeof number, "%.17g", settings[i].value);
    if (!other && dae_options_set(method->options, opts, settings[i].name,
                                  isnan(settings[i].value) ? settings[i].text : number, &err))
      fail_with(dae_model_name(model), &err);
  }
  snprintf(number, sizeof number, "%.17g", tolerance);
  if (tolerance > 0 && (dae_options_set(method->options, opts, "rtol", number, &err) ||
                        dae_options_set(method->options, opts, "atol", number, &err)))
    fail_with(dae_model_name(model), &err);
  return opts;
}

motion motion_of(const char *path, motion_plan wanted)
{
  motion m = {.rows = 0};
  dae_error err;
  dae_model_options load = dae_model_defaults();
  load.set = &wanted.set;
  load.set_count = wanted.set != NULL;
  if (dae_model_load(path, &load, NULL, &m.model, &err) != DAE_OK)
    fail_with(path, &err);
  dae_sink sink = {.self = &m, .open = keep_names, .row = keep_row};
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  dae_model_plan(m.model, &plan);
  const dae_model_setting *named = dae_model_find_setting(m.model, "method");
  const char *method = wanted.method ? wanted.method : named ? named->text : NULL;
  plan.method =
      method ? dae_method_find(method, &err) : dae_method_choose(&plan.problem, NULL, 0, &err);
  if (!plan.method)
    fail_with(path, &err);
  void *opts = options_of(m.model, plan.method, wanted.tolerance);
  plan.options = opts;
  m.status = dae_run(&plan, NULL, &m.summary, &err);
  free(opts);
  if (m.status < 0)
    fail_with(path, &err);
  return m;
}

void motion_free(motion *m)
{
  for (int i = 0; i < m->columns; i++)
    free(m->names[i]);
  free(m->names);
  free(m->values);
  dae_model_free(m->model);
}

double motion_at(const motion *m, long row, const char *column)
{
  for (int i = 0; i < m->columns; i++)
    if (!strcmp(m->names[i], column))
      return m->values[row * m->columns + i];
  fail_msg("%s has no column %s", dae_model_name(m->model), column);
  return NAN;
}

double motion_end(const motion *m, const char *column)
{
  return motion_at(m, m->rows - 1, column);
}

/* ---- distances ---- */

double apart(double a, double b)
{
  return fabs(a - b) / (1 + fabs(b));
}

double worse(double a, double b)
{
  return a >= b || isnan(a) ? a : b;
}

double apart_from_reference(const motion *m, const test_problem *p, const char *const *columns)
{
  double worst = 0;
  assert_true(fabs(motion_end(m, "t") - p->to) < 1e-12);
  for (int i = 0; columns[i]; i++) {
    assert_true(i < p->size);
    if (!isnan(p->reference[i]))
      worst = worse(worst, apart(motion_end(m, columns[i]), p->reference[i]));
  }
  return worst;
}

static long row_at(const motion *m, double t)
{
  for (long row = 0; row < m->rows; row++)
    if (fabs(motion_at(m, row, "t") - t) < 1e-9)
      return row;
  fail_msg("%s has no row at t = %g", dae_model_name(m->model), t);
  return -1;
}

static double apart_in_row(const motion *m, long row, const coupled_model *known,
                           const double *value)
{
  double worst = 0;
  for (int i = 0; i < known->columns; i++)
    worst = worse(worst, apart(motion_at(m, row, known->column[i]), value[i]));
  return worst;
}

double apart_from_known(const motion *m, const coupled_model *known)
{
  double value[MOST], worst = 0;
  assert_true(known->columns <= MOST);
  assert_true(fabs(motion_end(m, "t") - known->to) < 1e-12);
  for (int k = 0; k < known->times; k++)
    worst = worse(worst, apart_in_row(m, row_at(m, known->time[k]), known,
                                      known->value + k * known->columns));
  for (long row = 0; known->exact && row < m->rows; row++) {
    known->exact(motion_at(m, row, "t"), value);
    worst = worse(worst, apart_in_row(m, row, known, value));
  }
  return worst;
}

double apart_from_start(const motion *m, const char *column)
{
  double worst = 0, first = motion_at(m, 0, column);
  for (long row = 0; row < m->rows; row++)
    worst = worse(worst, apart(motion_at(m, row, column), first));
  return worst;
}

/* ---- reduced equations ---- */

static void advance(const reduced *ode, double t, double h, double *y)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double k[MOST] = {0}, z[MOST], sum[MOST] = {0};
  for (int stage = 0; stage < 4; stage++) {
    for (int i = 0; i < ode->n; i++)
      z[i] = y[i] + h * at[stage] * k[i];
    ode->rates(t + h * at[stage], z, k);
    for (int i = 0; i < ode->n; i++)
      sum[i] += h * weight[stage] * k[i] / 6;
  }
  for (int i = 0; i < ode->n; i++)
    y[i] += sum[i];
}

double apart_from_reduced(const motion *m, const reduced *ode)
{
  double y[MOST], t = motion_at(m, 0, "t"), worst;
  assert_true(ode->n <= MOST);
  memcpy(y, ode->start, (size_t)ode->n * sizeof *y);
  worst = ode->compare(m, 0, y);
  for (long row = 1; row < m->rows; row++) {
    double distance = motion_at(m, row, "t") - t, h;
    int steps = (int)ceil(distance / ode->step);
    h = steps > 0 ? distance / steps : 0;
    for (int i = 0; i < steps; i++)
      advance(ode, t + i * h, h, y);
    t += distance;
    worst = worse(worst, ode->compare(m, row, y));
  }
  return worst;
}
