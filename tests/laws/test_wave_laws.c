/* Systems that are coupled by their states alone: every rule of sweeps converges, on windows short
 * and long, and superlinearly, errors fall faster than by any factor [E07 Lemma 2.1]. */
#include "wave_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NODES 40    /* intervals of a window */
#define SWEEPS 120  /* at most */
#define SMALL 0.1   /* errors of states of size 1 */
#define NOISE 1e-10 /* errors below are round-off */

/* ---- systems ---- */

static const char oscillator[] = "model oscillator\n"
                                 "system one { state x = 1\n x' = -0.2*x + two.v }\n"
                                 "system two { state v = 0\n v' = -one.x - 0.1*v }\n";

static const char hunters[] = "model hunters\n"
                              "system prey { state u = 1\n u' = u*(1 - hunter.v)/2 }\n"
                              "system hunter { state v = 0.5\n v' = v*(prey.u - 1)/2 }\n";

static const char four[] = "model four\n"
                           "system s[k in 1..4] {\n"
                           "  state x = k/4\n"
                           "  x' = -x + sin(s[mod(k, 4) + 1].x) + sin(t + k)\n"
                           "}\n";

static const char *const models[] = {oscillator, hunters, four};

/* ---- rules of sweeps ---- */

/* Weights: one term at x^n, at x^(n-1), between them; two terms; the others extrapolated; three
 * terms of three ages. */
static const double one[] = {1}, half[] = {0.5, 0.5}, thirds[] = {0.5, 0.25, 0.25};
static const double own_now[] = {1, 0}, own_last[] = {0, 1}, own_mixed[] = {0.5, 0.5};
static const double own_two[] = {1, 0, 0, 1}, others_two[] = {1, 1};
static const double own_now_2[] = {1, 0, 0}, ahead[] = {1.5, -0.5};
static const double own_three[] = {1, 0, 0, 0, /**/ 0, 1, 0, 0, /**/ 0.5, 0, 0.25, 0.25};
static const double others_three[] = {1, 0, 0, /**/ 0, 1, 0, /**/ 0.5, 0.25, 0.25};

static const dae_wave_terms terms[] = {
    {.ages = 1, .terms = 1, .b = one, .own = own_now, .others = one},
    {.ages = 1, .terms = 1, .b = one, .own = own_last, .others = one},
    {.ages = 1, .terms = 1, .b = one, .own = own_mixed, .others = one},
    {.ages = 1, .terms = 2, .b = half, .own = own_two, .others = others_two},
    {.ages = 2, .terms = 1, .b = one, .own = own_now_2, .others = ahead},
    {.ages = 3, .terms = 3, .b = thirds, .own = own_three, .others = others_three},
};

typedef struct rule {
  const char *name;
  bool jacobi, picard, lagged;
  double linear;
  const dae_wave_terms *terms;
} rule;

static const rule rules[] = {
    {"gauss-seidel", false, false, false, 0, NULL},
    {"jacobi", true, false, false, 0, NULL},
    {"picard, gauss-seidel", false, true, false, 0, NULL},
    {"picard, jacobi", true, true, false, 0, NULL},
    {"lagged", false, false, true, 0, NULL},
    {"lagged, half linear", false, false, true, 0.5, NULL},
    {"lagged, linear", false, false, true, 1, NULL},
    {"lagged, linear, jacobi", true, false, true, 1, NULL},
    {"terms 1", false, false, false, 0, &terms[0]},
    {"terms 2", true, false, false, 0, &terms[1]},
    {"terms 3", false, false, false, 0, &terms[2]},
    {"terms 4", false, false, false, 0, &terms[3]},
    {"terms 5", true, false, false, 0, &terms[4]},
    {"terms 6", false, false, false, 0, &terms[5]},
    {"terms 6, jacobi", true, false, false, 0, &terms[5]},
};

/* ---- errors by sweeps ---- */

typedef struct history {
  int sweeps, size;
  double *last;             /* waveforms of the last sweep */
  const double *limit;      /* NULL: not known yet */
  double error[SWEEPS + 1]; /* after each sweep */
} history;

static void keep(void *user, const dae_wave_sweep *sweep)
{
  history *h = user;
  const dae_waveform *w = sweep->computed;
  h->sweeps = sweep->sweep;
  h->size = w->nodes * w->width;
  assert_true(h->sweeps <= SWEEPS && h->size <= 2000);
  memcpy(h->last, w->value, (size_t)h->size * sizeof *h->last);
  double worst = 0;
  for (int i = 0; h->limit && i < h->size; i++)
    worst = fmax(worst, fabs(w->value[i] - h->limit[i]));
  h->error[h->sweeps] = worst;
}

static history errors_of(const char *model, const rule *r, const int *order, double window)
{
  static double last[2000], limit[2000];
  history h = {.last = limit};
  wave_case c;
  wave_parse(&c, model);
  c.method = r->jacobi ? "jacobi" : "gauss-seidel";
  c.opts.update = DAE_WAVE_PLAIN;
  c.opts.window = window;
  c.opts.atol = 1e-10; /* sweeps end at a hundredth of it */
  c.opts.max_sweeps = SWEEPS;
  c.opts.picard = r->picard;
  c.opts.lagged = r->lagged;
  c.opts.linear = r->linear;
  c.opts.terms = r->terms;
  c.opts.order = order;
  c.opts.workers = 1;
  c.opts.watch = keep;
  c.opts.user = &h;
  wave_children(&c, "rk4", window / NODES);
  for (int i = 0; i < 2; i++) { /* the limit, then the errors */
    wave_run run = wave_go(&c, window);
    if (run.status != DAE_END)
      fail_msg("%s: %s", r->name, run.err.text);
    h.last = last;
    h.limit = limit;
  }
  wave_close(&c);
  return h;
}

/* ---- superlinear ---- */

/* mean factor of the sweeps from ... to */
static double mean_rate(const history *h, int from, int to)
{
  return pow(h->error[to] / h->error[from], 1.0 / (to - from));
}

/* From where errors are small, and no longer a matter of what is not linear, on to round-off, the
 * last third of the sweeps contracts more than the first. */
static void assert_superlinear(const char *name, const history *h, double window)
{
  int first = 1, last = h->sweeps;
  while (last > 1 && !(h->error[last] > NOISE))
    last--;
  for (int n = 1; n <= last; n++)
    first = h->error[n] > SMALL ? n : first;
  int third = last - first > 5 ? (last - first) / 3 : 1;
  if (last - first < 2) /* there already */
    return;
  double early = mean_rate(h, first, first + third), late = mean_rate(h, last - third, last);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-24s window %g: %d sweeps to %.0e, %.3f at first, %.3f at last\n", name, window,
                  last, NOISE, early, late);
  if (!(late < 0.9 * early))
    fail_msg("%s, window %g: %g at first, %g at last", name, window, early, late);
}

static void test_every_rule_converges_superlinearly(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++)
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
      for (double window = 1; window < 5; window *= 2) {
        history h = errors_of(models[m], &rules[i], NULL, window);
        assert_superlinear(rules[i].name, &h, window);
      }
}

static void test_every_order_converges_superlinearly(void **state)
{
  (void)state;
  for (int code = 0; code < 256; code++) {
    int order[4], seen = 0;
    for (int i = 0; i < 4; i++) {
      order[i] = code >> (2 * i) & 3;
      seen |= 1 << order[i];
    }
    if (seen != 15) /* no permutation */
      continue;
    history h = errors_of(four, &rules[0], order, 2);
    assert_superlinear("gauss-seidel", &h, 2);
  }
  for (int m = 0; m < 2; m++) {
    static const int back[2] = {1, 0};
    history h = errors_of(models[m], &rules[0], back, 2);
    assert_superlinear("gauss-seidel, backwards", &h, 2);
  }
}

/* ---- limits ---- */

/* own variables of earlier sweeps are interpolated: a difference of the order of the solver */
static void test_all_rules_have_one_limit(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    double first[2000];
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
      history h = errors_of(models[m], &rules[i], NULL, 1);
      double apart = 0;
      for (int k = 0; i > 0 && k < h.size; k++)
        apart = fmax(apart, fabs(h.last[k] - first[k]));
      if (i == 0)
        memcpy(first, h.last, (size_t)h.size * sizeof *first);
      if (!(apart < 1e-6))
        fail_msg("%s: %.2e apart from gauss-seidel", rules[i].name, apart);
    }
  }
}

static void assert_equal_histories(const rule *a, const rule *b)
{
  for (int m = 0; m < 3; m++) {
    history first = errors_of(models[m], a, NULL, 2), other = errors_of(models[m], b, NULL, 2);
    assert_int_equal(first.sweeps, other.sweeps);
    for (int n = 1; n <= first.sweeps; n++)
      if (!(fabs(first.error[n] - other.error[n]) < 1e-12))
        fail_msg("%s and %s differ in sweep %d", a->name, b->name, n);
  }
}

/* x' = f(x) is one term at x^n, Picard's iteration one at x^(n-1), which lagged is too */
static void test_known_rules_are_special_terms(void **state)
{
  (void)state;
  assert_equal_histories(&rules[0], &(rule){.name = "x", .terms = &terms[0]});
  assert_equal_histories(&rules[2], &(rule){.name = "x^(n-1)", .terms = &terms[1]});
  assert_equal_histories(&rules[2], &(rule){.name = "lagged", .lagged = true});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_rule_converges_superlinearly),
      cmocka_unit_test(test_every_order_converges_superlinearly),
      cmocka_unit_test(test_all_rules_have_one_limit),
      cmocka_unit_test(test_known_rules_are_special_terms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
