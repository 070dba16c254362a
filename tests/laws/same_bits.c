#include "same_bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS 12 /* after the save */

same_set_up same_set_up_of(const test_problem *p, const dae_method *method, double step)
{
  same_set_up s = {.p = p, .method = method, .step = step};
  char text[40];
  dae_error err;
  assert_true(method->options_size <= sizeof s.opts);
  method->defaults(&s.opts);
  snprintf(text, sizeof text, "%.17g", step);
  assert_int_equal(dae_options_set(method->options, &s.opts, "rtol", "1e-6", &err), DAE_OK);
  assert_int_equal(dae_options_set(method->options, &s.opts, "atol", "1e-6", &err), DAE_OK);
  const char *size = method->iterates ? "window" : "step";
  s.variable_only = dae_options_set(method->options, &s.opts, size, text, &err) != DAE_OK;
  const char *order = strcmp(method->name, "explicit") == 0 ? "5" : "4";
  if (step > 0) /* of those that have it */
    dae_options_set(method->options, &s.opts, "order", order, &err);
  return s;
}

dae_integrator *same_create(const same_set_up *s)
{
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  if (s->method->create(&s->p->problem, &s->p->start, &s->opts, NULL, &it, &err) != DAE_OK)
    fail_msg("%s: %s", s->p->name, err.text);
  return it;
}

bool same_step(const same_set_up *s, dae_integrator *it)
{
  dae_error err = dae_error_none();
  if (dae_integrator_view(it).t >= s->p->to)
    return false;
  if (dae_integrator_step(it, s->p->to, &err) < 0)
    fail_msg("%s, %s: %s", s->p->name, s->method->name, err.text);
  return true;
}

void same_step_on(const same_set_up *s, dae_integrator *it, int steps)
{
  while (steps-- > 0 && same_step(s, it))
    ;
}

/* t, y, dy, and y at a third and at five sixths of the last step */
static void look(dae_integrator *it, int size, double *at)
{
  dae_view view = dae_integrator_view(it);
  double h = view.t - view.t_previous;
  at[0] = view.t;
  support_state(it, at + 1, at + 1 + size);
  for (int i = 0; i < 2; i++)
    assert_int_equal(dae_integrator_interpolate(it, view.t_previous + (2 + 3 * i) * h / 6,
                                                at + 1 + (2 + i) * size, NULL, NULL),
                     DAE_OK);
}

same_record same_record_steps(const same_set_up *s, dae_integrator *it)
{
  int size = s->p->size, row = 1 + 4 * size;
  same_record r = {.size = row, .values = calloc((size_t)((STEPS + 1) * row), sizeof(double))};
  assert_non_null(r.values);
  do
    look(it, size, r.values + r.steps++ * row);
  while (r.steps <= STEPS && same_step(s, it));
  r.stats = dae_integrator_stats(it);
  return r;
}

void same_assert(const same_set_up *s, const same_record *a, same_record b, const char *what)
{
  assert_int_equal(a->steps, b.steps);
  bool values = memcmp(a->values, b.values, (size_t)(a->steps * a->size) * sizeof(double)) == 0;
  bool stats = memcmp(&a->stats, &b.stats, sizeof a->stats) == 0;
  free(b.values);
  if (!values || !stats)
    fail_msg("%s, %s, step %g, in %s: %s differ", s->p->name, s->method->name, s->step, what,
             values ? "statistics" : "states");
}

void *same_save(dae_integrator *it, size_t *size)
{
  *size = dae_integrator_save_size(it);
  void *saved = malloc(*size);
  assert_non_null(saved);
  assert_int_equal(dae_integrator_save(it, saved, *size, NULL), DAE_OK);
  return saved;
}

static void load(dae_integrator *it, const void *saved, size_t size)
{
  assert_int_equal(dae_integrator_load(it, saved, size, NULL), DAE_OK);
  void *again = malloc(size);
  assert_non_null(again);
  assert_int_equal(dae_integrator_save(it, again, size, NULL), DAE_OK);
  assert_memory_equal(saved, again, size);
  free(again);
}

static void free_all(dae_integrator *a, dae_integrator *b, dae_integrator *c)
{
  dae_integrator_free(a);
  dae_integrator_free(b);
  dae_integrator_free(c);
}

void same_check(const same_set_up *s, int before)
{
  size_t size;
  dae_integrator *it = same_create(s), *fresh = same_create(s), *elsewhere = same_create(s);
  same_step_on(s, it, before);
  if (before > 1 && dae_integrator_view(it).t >= s->p->to) { /* it did not need so many steps */
    free_all(it, fresh, elsewhere);
    return;
  }
  void *saved = same_save(it, &size);
  same_record first = same_record_steps(s, it);
  assert_true(first.steps > 1);
  load(it, saved, size);
  same_assert(s, &first, same_record_steps(s, it), "the same handle");
  load(fresh, saved, size);
  same_assert(s, &first, same_record_steps(s, fresh), "a fresh handle");
  same_step_on(s, elsewhere, 5);
  load(elsewhere, saved, size);
  same_assert(s, &first, same_record_steps(s, elsewhere), "a handle that was elsewhere");
  free(first.values);
  free(saved);
  free_all(it, fresh, elsewhere);
}
