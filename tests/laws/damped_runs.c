#include "damped_runs.h"
#include "support.h"

#include <daedal/model.h>
#include <daedal/run.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static dae_status damped_row(void *self, const dae_row *row, dae_error *err)
{
  damped_run *r = self;
  (void)err;
  memcpy(r->rows++ == 0 ? r->first : r->last, row->y, (size_t)r->kept * sizeof *row->y);
  return DAE_OK;
}

static void damped_set(const dae_method *method, void *opts, const char *name, double value)
{
  char text[40];
  snprintf(text, sizeof text, "%.17g", value);
  assert_int_equal(dae_options_set(method->options, opts, name, text, NULL), DAE_OK);
}

void damped_go(damped_run *r)
{
  dae_model_options load = dae_model_defaults();
  dae_model *model;
  char opts[512];
  dae_sink sink = {.self = r, .row = damped_row};
  dae_run_plan plan = {0};
  const dae_method *method = dae_method_find(r->method ? r->method : "radau", NULL);
  load.set = r->set;
  load.set_count = r->sets;
  load.inputs = r->input;
  load.input_count = r->input ? 1 : 0;
  if (dae_model_parse("damped", r->text, strlen(r->text), &load, NULL, &model, &r->err))
    fail_msg("%s", r->err.text);
  dae_model_plan(model, &plan);
  dae_model_counts n = dae_model_count(model);
  r->kept = 2 * n.coordinates + n.states;
  r->rows = 0;
  assert_true(r->kept <= SIZE && method->options_size <= sizeof opts);
  method->defaults(opts);
  damped_set(method, opts, "rtol", r->tolerance);
  damped_set(method, opts, "atol", r->atol > 0 ? r->atol : r->tolerance);
  if (!r->follow) {
    assert_int_equal(dae_options_set(method->options, opts, "damp", "on", NULL), DAE_OK);
    damped_set(method, opts, "damp_time", r->damp_time);
  }
  plan.method = method;
  plan.options = opts;
  plan.sinks = &sink;
  plan.sink_count = 1;
  r->err = dae_error_none();
  r->status = dae_run(&plan, NULL, &r->summary, &r->err);
  r->summary.problem = "model"; /* the model's own name goes with it */
  dae_model_free(model);
}

void damped_succeeds(damped_run *r)
{
  damped_go(r);
  if (r->status < 0)
    fail_msg("%s", r->err.text);
}

double damped_difference(const damped_run *a, const damped_run *b, int from, int count)
{
  double most = 0;
  for (int i = from; i < from + count; i++)
    most = fmax(most, fabs(a->last[i] - b->last[i]) / (a->tolerance * (1 + fabs(b->last[i]))));
  return most;
}

bool damped_tells(const damped_run *r, const char *words)
{
  char text[8192];
  assert_true(dae_summary_text(&r->summary, text, sizeof text) < sizeof text);
  for (char *c = text; *c; c++) /* lines are wrapped */
    if (*c == '\n')
      while (c[1] == ' ')
        memmove(c + 1, c + 2, strlen(c + 1));
  for (char *c = text; *c; c++)
    *c = *c == '\n' ? ' ' : *c;
  return strstr(text, words) != NULL;
}
