/* Loads damaged saved states: bits flipped, extreme numbers, pieces cleared, exchanged or cut off,
 * buffers of other methods and problems; for every problem and method that takes it, variable and
 * fixed steps. Each load is refused, or the motion after it has the bits of the undisturbed one; a
 * refused load changes nothing. Buffers with a repaired checksum pass as undamaged: they must not
 * crash, whatever they do. The mutants are the same in every run.
 *
 *   fuzz_saved [COUNT [CASE]]
 *
 * COUNT mutants of each kind for each case, CASE: one case only. A crash or a load that does not
 * end names its case and mutant. */
#include "core/hash.h"
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COUNT = 12, BEFORE = 9, AFTER = 3, CHECKSUM = 64, HEADER = 176, SECONDS = 20 };

/* ---- numbers that are the same everywhere ---- */

static uint64_t state;

static uint64_t draw(void) /* splitmix64 */
{
  uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static size_t below(size_t limit)
{
  return limit > 0 ? (size_t)(draw() % limit) : 0;
}

/* ---- a case: a problem, a method with its options, and a state saved in the middle ---- */

typedef struct set_up {
  test_problem p;
  const dae_method *method;
  _Alignas(max_align_t) char opts[1024];
  size_t size;
  unsigned char *saved, *bad;
  uint64_t motion; /* hash of the steps after the save */
} set_up;

static long current_case = -1, current_mutant = -1, foreign, refused, same, different, repaired;
static const char *current_method = "", *current_problem = "";

static const set_up *current_set_up; /* the set up of the mutant at hand */

static void name_current(int signal_number)
{
  const set_up *s = current_set_up;
  size_t at = CHECKSUM + sizeof(uint64_t);
  while (s && at < s->size && s->bad[at] == s->saved[at])
    at++;
  fprintf(stderr,
          "fuzz_saved: %s: case %ld (%s, %s), mutant %ld, changed from byte %zu of %zu on\n",
          signal_number == SIGALRM ? "a load or step does not end" : "a crash", current_case,
          current_problem, current_method, current_mutant, at, s ? s->size : 0);
  if (signal_number == SIGALRM)
    _exit(1);
}

/* the sanitizers ask for these: what they find ends in SIGABRT, so that the mutant can be named */
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);

const char *__asan_default_options(void)
{
  return "abort_on_error=1";
}

const char *__ubsan_default_options(void)
{
  return "abort_on_error=1";
}

static dae_integrator *create(const set_up *s)
{
  dae_integrator *it = NULL;
  s->method->create(&s->p.problem, &s->p.start, s->opts, NULL, &it, NULL);
  return it;
}

/* Hash of times and states of the next steps. */
static uint64_t step_on(const set_up *s, dae_integrator *it, int steps)
{
  double y[512];
  uint64_t h = DAE__HASH_START;
  for (int i = 0; i < steps && dae_integrator_view(it).t < s->p.to; i++) {
    dae_status status = dae_integrator_step(it, s->p.to, NULL);
    dae_view view = dae_integrator_view(it);
    double middle = (view.t + view.t_previous) / 2;
    h = dae__hash(dae__hash(h, &status, sizeof status), &view.t, sizeof view.t);
    for (int k = 0; k < 2; k++)
      if (dae_integrator_interpolate(it, k ? view.t : middle, y, NULL, NULL) == DAE_OK)
        h = dae__hash(h, y, (size_t)view.size * sizeof *y);
  }
  return h;
}

/* ---- damage ---- */

static void flip_bits(const set_up *s, size_t from)
{
  for (size_t i = 1 + below(3); i > 0; i--)
    s->bad[from + below(s->size - from)] ^= (unsigned char)(1u << below(8));
}

static void extreme_number(const set_up *s, size_t from)
{
  static const int ints[] = {0, 1, 2, 7, 255, -1, 65536, INT_MAX, INT_MIN, 0x01010101};
  static const long longs[] = {0, 1, -1, LONG_MAX, LONG_MIN, 1L << 40};
  const double doubles[] = {0, -0.0, 1, -1, NAN, INFINITY, -INFINITY, 1e308, 5e-324, -1e-300};
  size_t kind = below(3), bytes = kind == 0 ? sizeof(int) : sizeof(double);
  size_t at = (from + below(s->size - from)) / bytes * bytes;
  if (at + bytes > s->size || at < from)
    return;
  const void *value = kind == 0   ? (const void *)&ints[below(sizeof ints / sizeof *ints)]
                      : kind == 1 ? (const void *)&longs[below(sizeof longs / sizeof *longs)]
                                  : &doubles[below(sizeof doubles / sizeof *doubles)];
  memcpy(s->bad + at, value, bytes);
}

/* a piece cleared, filled, or copied from another place */
static void overwrite_piece(const set_up *s, size_t from)
{
  size_t bytes = 1 + below(64), at = from + below(s->size - from), other = from;
  bytes = bytes < s->size - at ? bytes : s->size - at;
  other += below(s->size - from - bytes + 1);
  size_t kind = below(3);
  if (kind == 2)
    memmove(s->bad + at, s->saved + other, bytes);
  else
    memset(s->bad + at, kind ? 0xff : 0, bytes);
}

static void damage(const set_up *s, size_t from)
{
  current_set_up = s;
  static void (*const kinds[])(const set_up *, size_t) = {flip_bits, extreme_number, extreme_number,
                                                          overwrite_piece};
  memcpy(s->bad, s->saved, s->size);
  kinds[below(sizeof kinds / sizeof *kinds)](s, from);
}

static void repair(const set_up *s)
{
  uint64_t sum = dae__hash(DAE__HASH_START, s->bad, CHECKSUM);
  sum = dae__hash_large(sum, s->bad + CHECKSUM + sizeof sum, s->size - CHECKSUM - sizeof sum);
  memcpy(s->bad + CHECKSUM, &sum, sizeof sum);
}

/* ---- one case ---- */

static bool is_saved(const set_up *s, size_t size)
{
  return size == s->size && memcmp(s->bad, s->saved, size) == 0;
}

static void fail_load(const set_up *s, const char *what)
{
  different++;
  fprintf(stderr, "fuzz_saved: case %ld (%s, %s), mutant %ld: %s\n", current_case, s->p.name,
          s->method->name, current_mutant, what);
}

static void damaged_loads(const set_up *s, dae_integrator *it, long count)
{
  for (current_mutant = 0; current_mutant < count; current_mutant++) {
    state = (uint64_t)(current_case * 1000003 + current_mutant) * 0x2545F4914F6CDD1Du;
    damage(s, 0);
    size_t size = below(8) == 0 ? below(s->size) : s->size; /* cut off */
    alarm(SECONDS);
    if (dae_integrator_load(it, s->bad, size, NULL) != DAE_OK)
      refused++;
    else if (step_on(s, it, AFTER) == s->motion && is_saved(s, size))
      same++;
    else
      fail_load(s, "a damaged state was loaded");
  }
  /* refused loads have left the integrator where it was */
  if (dae_integrator_load(it, s->saved, s->size, NULL) != DAE_OK ||
      step_on(s, it, AFTER) != s->motion)
    fail_load(s, "an undamaged state gives another motion");
}

static void repaired_loads(const set_up *s, long count)
{
  dae_integrator *it = create(s);
  for (current_mutant = count; it && current_mutant < 2 * count; current_mutant++) {
    state = (uint64_t)(current_case * 1000003 + current_mutant) * 0x2545F4914F6CDD1Du;
    damage(s, HEADER);
    repair(s);
    alarm(SECONDS);
    if (dae_integrator_load(it, s->bad, s->size, NULL) == DAE_OK)
      repaired++;
    step_on(s, it, AFTER); /* after a refusal, too */
    dae_integrator_load(it, s->saved, s->size, NULL);
  }
  dae_integrator_free(it);
}

static bool prepare(set_up *s, double step)
{
  char text[40];
  dae_error err;
  if (s->method->accepts(&s->p.problem, NULL) != DAE_OK || s->method->options_size > sizeof s->opts)
    return false;
  s->method->defaults(s->opts);
  snprintf(text, sizeof text, "%.17g", step);
  dae_options_set(s->method->options, s->opts, "rtol", "1e-6", &err);
  dae_options_set(s->method->options, s->opts, "atol", "1e-6", &err);
  if (dae_options_set(s->method->options, s->opts, s->method->iterates ? "window" : "step", text,
                      &err) != DAE_OK &&
      step > 0)
    return false;
  dae_integrator *it = create(s);
  if (!it)
    return false;
  step_on(s, it, BEFORE);
  s->size = dae_integrator_save_size(it);
  s->saved = malloc(s->size);
  s->bad = malloc(s->size);
  if (!s->saved || !s->bad || dae_integrator_save(it, s->saved, s->size, NULL) != DAE_OK)
    abort();
  s->motion = step_on(s, it, AFTER);
  dae_integrator_free(it);
  return true;
}

static void run_case(set_up *s, double step, long count, const set_up *before)
{
  if (!prepare(s, step))
    return;
  dae_integrator *it = create(s), *other = before->saved ? create(before) : NULL;
  current_problem = s->p.name;
  current_method = s->method->name;
  if (dae_integrator_load(it, s->saved, s->size, NULL) != DAE_OK)
    fail_load(s, "an undamaged state is refused");
  else
    damaged_loads(s, it, count);
  if (other && dae_integrator_load(other, s->saved, s->size, NULL) == DAE_OK)
    fail_load(s, "another method, problem or step size takes the state");
  foreign += other != NULL;
  repaired_loads(s, count);
  alarm(0);
  current_set_up = NULL;
  dae_integrator_free(it);
  dae_integrator_free(other);
}

static test_problem mixed(void)
{
  return test_mixed(true);
}

static test_problem curv_lag(void)
{
  return test_curv_lag(false);
}

static test_problem sparse_chain(void)
{
  return test_chain(30, TEST_CHAIN_MODE);
}

static test_problem (*const makers[])(void) = {test_pendulum,
                                               test_slider_crank,
                                               test_parallel_bars,
                                               test_cylinder_skate,
                                               test_motor,
                                               test_bouncing_ball,
                                               mixed,
                                               curv_lag,
                                               test_hessenberg2,
                                               test_transistor_amplifier,
                                               test_van_der_pol,
                                               test_car_axis,
                                               sparse_chain,
                                               test_two_circuits,
                                               test_structures};

int main(int argc, char **argv)
{
  long count = argc > 1 ? strtol(argv[1], NULL, 10) : COUNT, cases = 0;
  long only = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
  set_up sets[2] = {0}, *s = &sets[0], *before = &sets[1];
  signal(SIGABRT, name_current);
  signal(SIGSEGV, name_current);
  signal(SIGALRM, name_current);
  for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
    for (int m = 0; dae_method_at(m); m++)
      for (int fixed = 0; fixed < 2; fixed++) {
        current_case++;
        if (only >= 0 && current_case != only)
          continue;
        free(s->saved), free(s->bad);
        test_problem_free(&s->p);
        *s = (set_up){.p = makers[i](), .method = dae_method_at(m)};
        run_case(s, fixed ? (s->p.to - s->p.start.t) / 20000 : 0, count, before);
        if (!s->saved)
          continue;
        cases++;
        set_up *swap = s;
        s = before;
        before = swap;
      }
  for (int i = 0; i < 2; i++) {
    free(sets[i].saved), free(sets[i].bad);
    test_problem_free(&sets[i].p);
  }
  printf(
      "fuzz_saved: %ld cases, %ld damaged loads: %ld refused, %ld without a change, %ld silently "
      "different; %ld foreign states; %ld repaired ones, %ld of them loaded\n",
      cases, cases * count, refused, same, different, foreign, cases * count, repaired);
  return different > 0;
}
