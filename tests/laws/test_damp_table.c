/* The smooth motion in large steps: steps and errors of `radau` with `damp` and no other option, at
 * 1e-3 and 1e-4, on the problems of Tables 5.1, 5.2 and 5.4 of YP96 and on others with stiff
 * forces, within 1.5 times the steps and twice the errors (or one tolerance) of the prototype that
 * the method was found with. References: rest, or the stiff force replaced by a constraint, at
 * 1e-10. DAEDAL_VERBOSE prints the rows of docs/methods/smooth-motion.md. */
#include "damped_runs.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STEPS_ALLOWED 1.5
#define ERRORS_ALLOWED 2

typedef struct table_row {
  const char *name, *text, *rigid; /* rigid NULL: the slow motion is rest */
  const char *set[4];
  int sets, coordinates;
  double rest[2];
  /* of the prototype, at 1e-3 and 1e-4; 0 steps: no row of it, `most` steps are allowed */
  double steps[2], q[2], v[2];
  double most;
} table_row;

/* Runs the reference of a row; rest: its place, without a run. */
static void table_reference(const table_row *row, damped_run *out)
{
  *out = (damped_run){.text = row->rigid, .tolerance = 1e-10, .follow = true, .sets = row->sets};
  memcpy(out->set, row->set, sizeof row->set);
  if (row->rigid) {
    damped_succeeds(out);
    return;
  }
  out->kept = 2 * row->coordinates;
  for (int i = 0; i < row->coordinates; i++)
    out->last[i] = row->rest[i];
}

/* Largest error of the rates of the coordinates at the end, in tolerances. */
static double table_error_of_rates(const table_row *row, const damped_run *r,
                                   const damped_run *reference)
{
  double most = 0;
  for (int i = 0; i < row->coordinates; i++) { /* coordinates, states, then rates */
    double at = reference->last[reference->kept / 2 + i];
    most = fmax(most, fabs(r->last[r->kept / 2 + i] - at) / (r->tolerance * (1 + fabs(at))));
  }
  return most;
}

static void table_check(const table_row *rows, size_t count)
{
  static damped_run r, reference; /* too large for the stack of a test */
  for (size_t k = 0; k < count; k++)
    for (int i = 0; i < 2; i++) {
      const table_row *row = &rows[k];
      if (i == 0)
        table_reference(row, &reference);
      r = (damped_run){.text = row->text, .tolerance = i ? 1e-4 : 1e-3, .sets = row->sets};
      memcpy(r.set, row->set, sizeof row->set);
      damped_succeeds(&r);
      double q = damped_difference(&r, &reference, 0, row->coordinates);
      double v = table_error_of_rates(row, &r, &reference);
      double most = row->steps[i] > 0 ? STEPS_ALLOWED * row->steps[i] : row->most;
      long steps = r.summary.stats.steps;
      if (getenv("DAEDAL_VERBOSE"))
        print_message("| %s | %g | %ld of %g | %.1g, %.1g |\n", row->name, r.tolerance, steps, most,
                      q, v);
      if ((double)steps > most || q > fmax(1, ERRORS_ALLOWED * row->q[i]) ||
          v > fmax(1, ERRORS_ALLOWED * row->v[i]))
        fail_msg("%s at %g: %ld steps of %g, errors %g and %g", row->name, r.tolerance, steps, most,
                 q, v);
    }
}

#define TABLE_CHECK(rows) table_check(rows, sizeof(rows) / sizeof *(rows))

static void test_tables_of_yp96(void **state)
{
  (void)state;
#define YP96(title, model, e, x, y, ...)                                                           \
  {                                                                                                \
    .name = title ", eps " e, .text = model, .set = {"eps=" e}, .sets = 1, .coordinates = 2,       \
    .rest = {x, y}, .steps = {                                                                     \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
#define POINT(e, ...) YP96("point on a circle", damped_point, e, 0, -1, __VA_ARGS__)
#define SPRING(e, ...) YP96("spring", damped_spring, e, 0, -1, __VA_ARGS__)
#define BUSHING(e, ...) YP96("bushing", damped_bushing, e, 1, 0, __VA_ARGS__)
  static const table_row rows[] = {
      POINT("1e-5", 5, 15),   POINT("1e-6", 4, 4),   POINT("1e-7", 4, 4),   POINT("1e-8", 3, 3),
      SPRING("1e-4", 13, 23), SPRING("1e-5", 3, 3),  SPRING("1e-6", 3, 3),  SPRING("1e-8", 3, 3),
      BUSHING("1e-5", 3, 3),  BUSHING("1e-6", 3, 3), BUSHING("1e-8", 3, 3),
  };
  TABLE_CHECK(rows);
}

static void test_starts_at_rest(void **state)
{
  (void)state;
#define AT_REST(title, model, e, x, y, n, ...)                                                     \
  {                                                                                                \
    .name = title " at rest, eps " e, .text = model, .set = {"eps=" e, __VA_ARGS__}, .sets = n,    \
    .coordinates = 2, .rest = {x, y}, .steps = {                                                   \
      3,                                                                                           \
      3                                                                                            \
    }                                                                                              \
  }
#define POINT_AT_REST(e) AT_REST("point", damped_point, e, 0, -1, 2, "vx=0")
#define SPRING_AT_REST(e) AT_REST("spring", damped_spring, e, 0, -1, 3, "x0=0", "y0=-1")
#define BUSHING_AT_REST(e) AT_REST("bushing", damped_bushing, e, 1, 0, 2, "start=0")
  static const table_row rows[] = {
      POINT_AT_REST("1e-4"),   POINT_AT_REST("1e-6"),   POINT_AT_REST("1e-8"),
      SPRING_AT_REST("1e-4"),  SPRING_AT_REST("1e-6"),  SPRING_AT_REST("1e-8"),
      BUSHING_AT_REST("1e-4"), BUSHING_AT_REST("1e-6"), BUSHING_AT_REST("1e-8"),
  };
  TABLE_CHECK(rows);
}

static void test_pendulums_on_stiff_rods(void **state)
{
  (void)state;
  static const table_row rows[] = {
      {"pendulum beside an excited spring of 1e8",
       damped_beside,
       damped_pendulum,
       {0},
       0,
       2,
       {0},
       .steps = {9, 16},
       {0.15, 0.09},
       {0.2, 0.12}},
      {"elastic pendulum, k = 1e8, at rest",
       damped_elastic,
       damped_pendulum,
       {"k=1e8"},
       1,
       2,
       {0},
       .steps = {12, 20},
       {0.04, 0.03},
       {0.9, 0.6}},
      {"k = 1e12",
       damped_elastic,
       damped_pendulum,
       {"k=1e12"},
       1,
       2,
       {0},
       .steps = {12, 20},
       {0.04, 0.04},
       {0.9, 0.6}},
      {"k = 1e8, turning with 3 rad/s, radial 1 m/s",
       damped_elastic,
       damped_pendulum,
       {"vt=3", "vr=1"},
       2,
       2,
       {0},
       .steps = {11, 20},
       {0.08, 0.3},
       {10, 1.9}},
      {"rod on a moving support (rheonomic)",
       damped_support_stiff,
       damped_support_rigid,
       {0},
       0,
       3,
       {0},
       .most = 20},
      {"rod with a fast state and an algebraic variable",
       damped_valve,
       damped_valve_rigid,
       {0},
       0,
       2,
       {0},
       .most = 20},
  };
  TABLE_CHECK(rows);
}

static void test_bushings(void **state)
{
  (void)state;
  static const table_row rows[] = {
      {"crank, bushing 1e8, slider pushed by 0.5 m/s",
       damped_crank,
       damped_crank_rigid,
       {"push=0.5"},
       1,
       5,
       {0},
       .steps = {23, 36},
       {0.09, 0.04},
       {1, 0.6}},
      {"crank, not pushed",
       damped_crank,
       damped_crank_rigid,
       {"push=0"},
       1,
       5,
       {0},
       .steps = {23, 36},
       {0.09, 0.04},
       {1, 0.6}},
      {"turning bushing of two free bodies, eps 1e-6",
       damped_turning,
       damped_turning_rigid,
       {0},
       0,
       6,
       {0},
       .steps = {19, 32},
       {0.03, 0.3},
       {2, 16}},
      {"the same, off by 1e-3",
       damped_turning,
       damped_turning_rigid,
       {"off=1e-3"},
       1,
       6,
       {0},
       .steps = {19, 32},
       {0.2, 2.1},
       {7, 70}},
      {"the same, eps 1e-8, off by 1e-3",
       damped_turning,
       damped_turning_rigid,
       {"off=1e-3", "eps=1e-8"},
       2,
       6,
       {0},
       .steps = {21, 33},
       {0.2, 1.9},
       {5, 52}},
      {"bushing in space, Euler parameters, k = 1e6, off by 1e-3",
       damped_rotor,
       damped_rotor_rigid,
       {"k=1e6", "off=1e-3"},
       2,
       7,
       {0},
       .steps = {6, 7},
       {0.7, 7.2},
       {1.8, 23}},
      {"k = 1e10, off by 1e-4",
       damped_rotor,
       damped_rotor_rigid,
       {"k=1e10", "off=1e-4"},
       2,
       7,
       {0},
       .steps = {6, 9},
       {0.03, 0.2},
       {0.08, 1}},
      {"skate and trolley on redundant rails, 1e8, off by 1e-5",
       damped_rails,
       damped_rails_rigid,
       {0},
       0,
       6,
       {0},
       .steps = {3, 4}},
      {"the same, trolley kicked by 0.1 m/s",
       damped_rails,
       damped_rails_rigid,
       {"off=0", "kick=0.1"},
       2,
       6,
       {0},
       .steps = {3, 3},
       {0},
       {0.01, 0.12}},
      {"the same, 1e5",
       damped_rails,
       damped_rails_rigid,
       {"off=0", "kick=0.1", "k=1e5"},
       3,
       6,
       {0},
       .steps = {3, 3},
       {0},
       {0.01, 0.12}},
  };
  TABLE_CHECK(rows);
}

static void test_chains(void **state)
{
  (void)state;
  static const table_row rows[] = {
      {"chain of 10 links, k = 1e8, alternately stretched by 1e-5",
       damped_chain,
       damped_chain_rigid,
       {"N=10"},
       1,
       20,
       {0},
       .steps = {14, 29},
       {0.4, 1},
       {7, 28}},
      {"chain of 20 links",
       damped_chain,
       damped_chain_rigid,
       {"N=20"},
       1,
       40,
       {0},
       .steps = {18, 29},
       {0.3, 1},
       {12, 28}},
  };
  TABLE_CHECK(rows);
}

/* Mechanisms outside the table: bodies in the plane and in space, events, an input. At 1e-6 they
 * are as near to the rigid ones as a stiffness of 1e6 and more allows. */
static void test_other_mechanisms(void **state)
{
  (void)state;
  static const double t[] = {0, 0.2, 0.4, 0.6, 0.8, 1};
  static const double f[] = {0, 5, 2, -3, 4, 0};
  const dae_model_input input = {.name = "f", .count = 6, .t = t, .value = f};
  static damped_run r, rigid;
  for (int i = 0; i < damped_mechanism_count; i++) {
    const damped_pair *m = &damped_mechanisms[i];
    bool driven = strstr(m->stiff, "input") != NULL;
    rigid = (damped_run){.text = m->rigid, .tolerance = 1e-10, .follow = true};
    rigid.input = driven ? &input : NULL;
    damped_succeeds(&rigid);
    for (double tolerance = 1e-3; tolerance > 3e-7; tolerance /= 10) {
      r = (damped_run){.text = m->stiff, .tolerance = tolerance, .atol = 1e-2 * tolerance};
      r.input = rigid.input;
      damped_succeeds(&r);
      double most = 0;
      for (int k = 0; k < m->coordinates; k++)
        most = fmax(most, fabs(r.last[k] - rigid.last[k]));
      if (getenv("DAEDAL_VERBOSE"))
        print_message("| %s | %g | %ld | %.1g |\n", m->name, tolerance, r.summary.stats.steps,
                      most);
      if (most > 2 * tolerance + 2e-4 || r.summary.stats.steps > 100)
        fail_msg("%s at %g: %ld steps, %g", m->name, tolerance, r.summary.stats.steps, most);
    }
  }
}

/* Large models, and many swings of a pendulum that is itself slower than the time scale. */
static void test_long_rows(void **state)
{
  (void)state;
  static const table_row rows[] = {
      {"chain of 100 links, stretched by 1e-6",
       damped_chain,
       damped_chain_rigid,
       {"N=100", "off=1e-6"},
       2,
       200,
       {0},
       .steps = {26, 35},
       {0.22, 0.22},
       {0.22, 0.22}},
      {"elastic pendulum, k = 1e8, 20 s",
       damped_elastic,
       damped_pendulum,
       {"to=20"},
       1,
       2,
       {0},
       .steps = {221, 400},
       {1.6, 1.6},
       {10, 10}},
  };
  if (getenv("DAEDAL_LONG"))
    TABLE_CHECK(rows);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables_of_yp96),
                                     cmocka_unit_test(test_starts_at_rest),
                                     cmocka_unit_test(test_pendulums_on_stiff_rods),
                                     cmocka_unit_test(test_bushings),
                                     cmocka_unit_test(test_chains),
                                     cmocka_unit_test(test_other_mechanisms),
                                     cmocka_unit_test(test_long_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
