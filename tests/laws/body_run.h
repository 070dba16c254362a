/* Runs of models of bodies from texts, with all their rows. */
#ifndef DAEDAL_TESTS_LAWS_BODY_RUN_H
#define DAEDAL_TESTS_LAWS_BODY_RUN_H

#include <daedal/daedal.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_COLUMNS = 400, MOST_ROWS = 400 };

typedef struct run {
  dae_summary summary;
  int columns, rows;
  char names[MOST_COLUMNS][48];
  double values[MOST_ROWS][MOST_COLUMNS];
} run;

static dae_status keep_names(void *self, int columns, const char *const *names, dae_error *err)
{
  run *r = self;
  (void)err;
  assert_in_range(columns, 1, MOST_COLUMNS);
  r->columns = columns;
  for (int i = 0; i < columns; i++)
    snprintf(r->names[i], sizeof r->names[i], "%s", names[i]);
  return DAE_OK;
}

static dae_status keep_row(void *self, const dae_row *row, dae_error *err)
{
  run *r = self;
  (void)err;
  assert_in_range(r->rows, 0, MOST_ROWS - 1);
  memcpy(r->values[r->rows++], row->values, (size_t)r->columns * sizeof(double));
  return DAE_OK;
}

static dae_model *load(const char *text, const char *set)
{
  dae_model *model;
  dae_model_options options = dae_model_defaults();
  dae_error err = dae_error_none();
  options.set = &set;
  options.set_count = set != NULL;
  if (dae_model_parse("motion", text, strlen(text), &options, NULL, &model, &err))
    fail_msg("%s\n%d:%d: %s", text, err.line, err.column, err.text);
  return model;
}

/* Runs a model by a method; NULL: its default method. */
static run *run_by(const char *method, const char *text, const char *set, const char *rtol)
{
  dae_model *model = load(text, set);
  run *r = calloc(1, sizeof *r);
  assert_non_null(r);
  dae_error err = dae_error_none();
  dae_sink sink = {.self = r, .open = keep_names, .row = keep_row};
  dae_run_plan plan = {.sinks = &sink, .sink_count = 1};
  dae_model_plan(model, &plan);
  plan.method =
      method ? dae_method_find(method, &err) : dae_method_choose(&plan.problem, NULL, 0, &err);
  assert_non_null(plan.method);
  void *options = calloc(1, plan.method->options_size);
  assert_non_null(options);
  plan.method->defaults(options);
  assert_int_equal(dae_options_set(plan.method->options, options, "rtol", rtol, &err), DAE_OK);
  assert_int_equal(dae_options_set(plan.method->options, options, "atol", rtol, &err), DAE_OK);
  plan.options = options;
  if (dae_run(&plan, NULL, &r->summary, &err) < 0)
    fail_msg("%s\n%s", text, err.text);
  free(options);
  dae_model_free(model);
  return r;
}

static inline run *run_of(const char *text, const char *set, const char *rtol)
{
  return run_by(NULL, text, set, rtol);
}

static double at(const run *r, int row, const char *name)
{
  for (int i = 0; i < r->columns; i++)
    if (!strcmp(r->names[i], name))
      return r->values[row][i];
  fail_msg("no column %s", name);
  return NAN;
}

static double end(const run *r, const char *name)
{
  return at(r, r->rows - 1, name);
}

#endif
