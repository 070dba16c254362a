/* Search for crossings along functions with a known number of them: random sums of sines, bumps,
 * pairs of near crossings and fast oscillations. The crossings are counted by signs on a fine grid,
 * which shares nothing with the search. */
#include "step/search.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define SINES 4
#define STEPS 12
#define PI 3.14159265358979323846

typedef struct function {
  int family;
  double amplitude[SINES], frequency[SINES], phase[SINES];
  double offset, centre[2], width;
} function;

static uint64_t seed = 88172645463325252u;

static double uniform(double low, double high)
{
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

enum { SUM_OF_SINES, BUMP, PAIR, FAST };

/* Functions on steps of length 1; bumps with standard deviations from `narrow` to `wide` steps. */
static function draw(int family, double narrow, double wide)
{
  function f = {.family = family};
  double turns = family == FAST ? uniform(4, 118) : uniform(0.2, 3.7);
  for (int k = 0; k < SINES; k++) {
    f.amplitude[k] = uniform(0.1, 1);
    f.frequency[k] = 2 * PI * turns * (k == 0 ? 1 : uniform(0.1, 1));
    f.phase[k] = uniform(0, 2 * PI);
  }
  f.offset = uniform(-1, 1);
  f.width = uniform(narrow, wide);
  f.centre[0] = uniform(0, STEPS);
  f.centre[1] = f.centre[0] + pow(10, uniform(log10(6e-5), log10(0.6)));
  return f;
}

static dae_status sample(void *user, dae__sample *s, dae_error *err)
{
  const function *f = user;
  double t = s->t;
  (void)err;
  s->value = s->rate = 0;
  if (f->family == BUMP) {
    double x = (t - f->centre[0]) / f->width, e = exp(-x * x / 2);
    s->value = 0.5 + 0.2 * sin(t) - e;
    s->rate = 0.2 * cos(t) + x / f->width * e;
  } else if (f->family == PAIR) {
    double a = t - f->centre[0], b = t - f->centre[1], g = 2 + sin(t + f->phase[0]);
    s->value = a * b * g;
    s->rate = (a + b) * g + a * b * cos(t + f->phase[0]);
  } else {
    s->value = f->offset;
    for (int k = 0; k < (f->family == FAST ? 2 : SINES); k++) {
      s->value += f->amplitude[k] * sin(f->frequency[k] * t + f->phase[k]);
      s->rate += f->amplitude[k] * f->frequency[k] * cos(f->frequency[k] * t + f->phase[k]);
    }
  }
  return DAE_OK;
}

static int crossings_on_grid(function *f)
{
  if (f->family == PAIR)
    return (f->centre[0] > 0 && f->centre[0] < STEPS) + (f->centre[1] > 0 && f->centre[1] < STEPS);
  int count = 0, points = STEPS * (f->family == FAST ? 6000 : f->family == BUMP ? 400 : 2000);
  dae__sample s = {.t = 0};
  sample(f, &s, NULL);
  bool positive = s.value > 0;
  for (int i = 1; i <= points; i++) {
    s.t = (double)STEPS * i / points;
    sample(f, &s, NULL);
    count += (s.value > 0) != positive;
    positive = s.value > 0;
  }
  return count;
}

/* Number of crossings that the search finds over all steps. */
static int crossings_found(function *f, long *samples)
{
  dae__watch w = {0};
  dae__sample at = {.t = 0};
  int count = 0;
  sample(f, &at, NULL);
  dae__watch_start(&w, at, 0);
  for (int step = 1; step <= STEPS;) {
    dae__search s = {.sample = sample, .user = f, .end = step, .step = 1, .limit = 20000};
    dae__found found;
    assert_int_equal(dae__search_interval(&s, &w, &found, NULL), DAE_OK);
    *samples += found.samples;
    assert_false(found.too_many || found.lost);
    if (!found.crossing) {
      step++;
      continue;
    }
    assert_true(found.bracket.fa * found.bracket.fb <= 0 && found.bracket.fa != 0);
    assert_true(found.bracket.a < found.bracket.b);
    /* search on from the zero, by bisection */
    double a = found.bracket.a, b = found.bracket.b;
    while (b - a > 1e-14) {
      at.t = (a + b) / 2;
      sample(f, &at, NULL);
      if ((at.value > 0) == (found.bracket.fa > 0))
        a = at.t;
      else
        b = at.t;
    }
    at.t = b;
    sample(f, &at, NULL);
    double width = w.width;
    dae__watch_start(&w, at, fabs(at.value));
    w.width = width;
    count++;
  }
  return count;
}

/* Bumps with a full width at half maximum of a tenth of a step have a standard deviation of 0.0425
 * steps, those with that width at 1/e of it 0.035. `allowed`: largest number of missed crossings of
 * a million; `functions` have about 3,000 crossings (fast: 2,000), a hundred times as many in the
 * long form. */
static const struct {
  const char *name;
  int family;
  double narrow, wide;
  int functions;
  double allowed;
} drawn[] = {{"sums of sines", SUM_OF_SINES, 0.1, 1, 100, 0},
             {"bumps", BUMP, 0.035, 1, 1500, 1e6 / 3000},
             {"bumps of a tenth of a step", BUMP, 0.0425, 0.0425, 1500, 1e6 / 3000},
             {"pairs", PAIR, 0.1, 1, 1500, 0},
             {"fast", FAST, 0.1, 1, 1, 1e6 / 40000}};

static void test_crossings_of_random_functions_are_found(void **state)
{
  (void)state;
  int more = getenv("DAEDAL_LONG") ? 100 : 1;
  const char *other = getenv("DAEDAL_SEED");
  seed ^= other ? strtoull(other, NULL, 10) * 0x9E3779B97F4A7C15u : 0;
  for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++) {
    long all = 0, missed = 0, samples = 0;
    int functions = drawn[k].functions * more;
    for (int i = 0; i < functions; i++) {
      function f = draw(drawn[k].family, drawn[k].narrow, drawn[k].wide);
      int expected = crossings_on_grid(&f), found = crossings_found(&f, &samples);
      all += expected;
      missed += expected > found ? expected - found : 0;
    }
    print_message("%s: %ld of %ld crossings missed, %.1f samples a step\n", drawn[k].name, missed,
                  all, (double)samples / functions / STEPS);
    /* of a short sample one miss is within the rates that are allowed at all */
    if (missed > (long)ceil(drawn[k].allowed * (double)all / 1e6))
      fail_msg("%s: %ld of %ld crossings missed", drawn[k].name, missed, all);
  }
}

static void test_an_interval_cleared_as_a_whole_is_one_without_divisions(void **state)
{
  (void)state;
  long cleared = 0, plain = 0;
  for (int i = 0; i < 3000; i++) {
    function f = draw(i % 2 ? BUMP : SUM_OF_SINES, 0.035, 1);
    dae__watch w = {0};
    dae__sample at = {.t = 0};
    f.offset += i % 3 == 0 ? 0 : i % 3 == 1 ? 20 : -20;
    sample(&f, &at, NULL);
    dae__watch_start(&w, at, 0);
    for (int step = 1; step <= STEPS; step++) {
      double fourth = 0, end = w.left.t + 1 + 0.3 * sin(step);
      dae__search s = {.sample = sample,
                       .user = &f,
                       .end = end,
                       .step = end - w.left.t,
                       .near_tol = 1e-6,
                       .limit = 20000};
      dae__places places = dae__search_places(w.left.t, end);
      dae__samples e;
      dae__watch searched = w, passed = w;
      dae__found found;
      for (int k = 0; k <= DAE__SEARCH_INNER; k++) {
        dae__sample one = {.t = places.t[k]};
        sample(&f, &one, NULL);
        e.value[k] = one.value;
        e.rate[k] = one.rate;
      }
      assert_int_equal(dae__search_interval(&s, &searched, &found, NULL), DAE_OK);
      bool clears = dae__search_clears(&s, &places, &w, &e, &fourth);
      plain += found.samples == DAE__SEARCH_INNER + 1 && !found.crossing;
      cleared += clears;
      if (clears) {
        assert_true(!found.crossing && found.samples == DAE__SEARCH_INNER + 1);
        dae__search_pass(&places, &passed, &e, fourth);
        assert_true(passed.left.t == searched.left.t && passed.before.t == searched.before.t);
        assert_true(passed.left.value == searched.left.value);
        assert_true(passed.sided.t == searched.sided.t && passed.side == searched.side);
        assert_true(passed.near == searched.near && passed.scale == searched.scale);
        assert_true(fabs(passed.width - searched.width) <= 1e-12 * searched.width);
        assert_true(fabs(passed.fourth - searched.fourth) <= 1e-6 * searched.fourth + 1e-12);
      }
      if (found.crossing)
        break;
      w = searched;
    }
  }
  /* and most of those without divisions, far from zero */
  assert_true(cleared > plain / 2 && cleared > 1000);
}

static void test_extrema_near_zero_are_counted(void **state)
{
  (void)state;
  /* 1 + offset + sin: an extremum at offset above zero each turn */
  const double offsets[] = {5e-6, 5e-4};
  for (int k = 0; k < 2; k++) {
    function f = {.family = SUM_OF_SINES, .offset = 1 + offsets[k], .amplitude = {1}};
    f.frequency[0] = 2 * PI / 3;
    dae__watch w = {0};
    dae__sample at = {.t = 0};
    sample(&f, &at, NULL);
    dae__watch_start(&w, at, 0);
    for (int step = 1; step <= STEPS; step++) {
      dae__search s = {
          .sample = sample, .user = &f, .end = step, .step = 1, .near_tol = 1e-6, .limit = 20000};
      dae__found found;
      assert_int_equal(dae__search_interval(&s, &w, &found, NULL), DAE_OK);
      assert_false(found.crossing);
    }
    assert_int_equal(w.near, k == 0 ? STEPS / 3 : 0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_crossings_of_random_functions_are_found),
      cmocka_unit_test(test_an_interval_cleared_as_a_whole_is_one_without_divisions),
      cmocka_unit_test(test_extrema_near_zero_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
