/* The closing block says what has to be said, and the JSON can be read. */
#include "run/trust.h"
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

static dae_summary pendulum(void)
{
  return (dae_summary){
      .problem = "pendulum",
      .method = "bdf-ggl",
      .rtol = 1e-6,
      .atol = 1e-8,
      .t_end = 10,
      .order = 5,
      .stats = {.steps = 1234,
                .rejected_by_error = 12,
                .evaluations = 3456,
                .jacobians = 78,
                .factorisations = 90,
                .iterations = 2345,
                .projections = 1234},
      .diagnosis = {.index = 3, .dof = 1, .constraints = 1, .rank = 1},
      .rows = 1235,
      .seconds = 0.01,
      .position_drift = 1.25e-13,
      .velocity_drift = 3.5e-13,
      .energy_start = -9.81,
      .energy_change = 2e-7,
      .energy_balance = 1.5e-7,
      .energy_has_potential = true,
      .moved = 2,
      .moved_given = 1,
      .moves = "x\t1.1\t1\nder(x)\t0.25\t0\n",
      .files = "pendulum.csv",
  };
}

static const char *text_of(const dae_summary *summary)
{
  static char text[8192];
  assert_true(dae_summary_text(summary, text, sizeof text) < sizeof text);
  return text;
}

static const char *json_of(const dae_summary *summary)
{
  static char text[65536];
  assert_true(dae_summary_json(summary, text, sizeof text) < sizeof text);
  return text;
}

#define SAYS(text, piece) assert_non_null(strstr(text, piece))
#define SAYS_NOT(text, piece) assert_null(strstr(text, piece))

static void test_block_says_everything(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  const char *text = text_of(&summary);
  const char *const pieces[] = {"pendulum",
                                "bdf-ggl",
                                "t = 0 to 10",
                                "order up to 5",
                                "rtol 1e-06",
                                "1234 taken",
                                "12 by the error test",
                                "3456 eval",
                                "78 Jacobians",
                                "90 factor",
                                "2345 iterations",
                                "1.25e-13",
                                "3.5e-13",
                                "-9.81",
                                "2e-07",
                                "1.5e-07",
                                "1.1 -> 1",
                                "0.25 -> 0",
                                "der(x)",
                                "`fixed`",
                                "pendulum.csv",
                                "1235 rows",
                                "index 3",
                                "1 degree of freedom"};
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
    if (!strstr(text, pieces[i]))
      fail_msg("'%s' is not in\n%s", pieces[i], text);
  SAYS_NOT(text, "nan");
  SAYS_NOT(text, "kinetic energy only");
  SAYS_NOT(text, "callback");
}

static void test_switches_are_told_where_there_were_some(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  SAYS_NOT(text_of(&summary), "switch");
  SAYS(json_of(&summary), "\"switches\": 0");
  summary.stats.switches = 1;
  SAYS(text_of(&summary), "1 switch between explicit and implicit steps\n");
  SAYS(json_of(&summary), "\"switches\": 1");
  summary.stats.switches = 2;
  SAYS(text_of(&summary), "2 switches between");
}

static void test_lines_are_short_and_without_trailing_blanks(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.energy_has_potential = false;
  for (const char *line = text_of(&summary); *line;) {
    size_t length = strcspn(line, "\n");
    assert_true(length > 0 && length <= 100 && line[length - 1] != ' ');
    line += length + 1;
  }
}

static void test_what_does_not_apply_is_left_out(void **state)
{
  (void)state;
  dae_summary summary = {.problem = "circuit",
                         .method = "bdf",
                         .rtol = NAN,
                         .atol = NAN,
                         .order = 2,
                         .position_drift = NAN,
                         .velocity_drift = NAN,
                         .energy_start = NAN,
                         .energy_change = NAN,
                         .energy_balance = NAN};
  const char *text = text_of(&summary);
  SAYS_NOT(text, "nan");
  SAYS_NOT(text, "energy");
  SAYS_NOT(text, "tol");
  SAYS_NOT(text, "moved");
  SAYS_NOT(text, "constraints"); /* without rows nothing was measured */
  SAYS(text, "rejected: none");
  summary.rows = 1;
  SAYS(text_of(&summary), "constraints  none");
}

static void test_an_energy_that_was_not_measured_all_along_is_said_to(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.energy_balance = NAN;
  SAYS(text_of(&summary), "balance not known");
  SAYS(text_of(&summary), "changed by 2e-07");
  SAYS_NOT(text_of(&summary), "nan");
  summary.energy_change = NAN;
  SAYS(text_of(&summary), "-9.81 at the start, but not known all along");
  SAYS_NOT(text_of(&summary), "nan");
}

static void test_kinetic_energy_alone_is_explained(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.energy_has_potential = false;
  SAYS(text_of(&summary), "kinetic energy only");
}

/* three circuits, iterated and verified */
static dae_summary circuits(void)
{
  dae_summary s = {
      .problem = "circuits",
      .method = "gauss-seidel",
      .rtol = 1e-7,
      .atol = 1e-8,
      .t_end = 4,
      .order = 5,
      .stats = {.steps = 20, .rejected_by_error = 9, .inner_steps = 6573, .sweeps = 144},
      .diagnosis = {.index = 1, .dof = 3, .constraints = 3, .rank = 3},
      .rows = 21,
      .position_drift = 1e-9,
      .velocity_drift = NAN,
      .energy_start = NAN,
      .systems = 3,
      .contraction = {.gauss_seidel = 0.2121,
                      .observed = 0.0315,
                      .windows = 20,
                      .sweeps = 144,
                      .most_sweeps = 9,
                      .order = "one, three, two",
                      .loop = "one.z, two.z"},
      .verification = {.method = "bdf", .rows = 21},
  };
  for (int i = 0; i < DAE_VARIABLE_KINDS; i++)
    s.verification.most[i].tolerances = NAN;
  s.verification.most[DAE_VARIABLE_STATE] =
      (dae_difference){.tolerances = 1.5, .absolute = 2e-8, .t = 2.5, .name = "two.y"};
  return s;
}

static void test_an_iteration_tells_windows_sweeps_and_contraction(void **state)
{
  (void)state;
  dae_summary s = circuits();
  const char *text = text_of(&s);
  SAYS(text, "coupling     3 systems in the order one, three, two\n");
  SAYS(text, "20 windows, 144 sweeps: 7.2 in a window, 9 at most");
  SAYS(text, "of a plain sweep, by the derivatives: up to 0.212, in the loop of\n");
  SAYS(text, "               one.z, two.z\n");
  SAYS(text, "observed, with the update in use: up to 0.0315");
  SAYS(text, "steps        6573 taken by the systems in all sweeps; rejected: 9 by the error test");
  SAYS(text, "verified     by bdf on all systems as one, 21 rows");
  SAYS(text, "states               1.5 (two.y, at t = 2.5: 2e-08)");
  SAYS_NOT(text, "positions");
  SAYS_NOT(text, "nan");
  snprintf(s.verification.message, sizeof s.verification.message, "a rod broke");
  SAYS(text_of(&s), "not to the end: a rod broke");
  s.contraction.loop[0] = '\0';
  s.contraction.gauss_seidel = 0;
  SAYS(text_of(&s), "no algebraic loop: sweeps converge faster than geometrically");
  s.contraction.gauss_seidel = NAN; /* joints: not told by a plain sweep */
  SAYS(text_of(&s), "contraction  observed, with the update in use: up to 0.0315");
  s.contraction.observed = NAN;
  SAYS_NOT(text_of(&s), "contraction");
}

static void test_names_of_many_systems_are_cut(void **state)
{
  (void)state;
  dae_summary s = circuits();
  s.contraction.order[0] = s.contraction.loop[0] = '\0';
  for (int i = 1; i <= 20; i++) {
    char *order = s.contraction.order, *loop = s.contraction.loop;
    size_t used = strlen(order), length = strlen(loop);
    snprintf(order + used, sizeof s.contraction.order - used, "%ssystem[%d]", i > 1 ? ", " : "", i);
    snprintf(loop + length, sizeof s.contraction.loop - length, "%ssystem[%d].z", i > 1 ? ", " : "",
             i);
  }
  SAYS(text_of(&s), "in the order system[1], system[2], system[3], system[4], ...\n");
  for (const char *line = text_of(&s); *line;) {
    size_t length = strcspn(line, "\n");
    assert_true(length > 0 && length <= 100);
    line += length + 1;
  }
}

static void test_failure_and_redundancy_are_told(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.status = DAE_ERROR_STEP;
  snprintf(summary.message, sizeof summary.message, "rod breaks");
  summary.diagnosis.constraints = 3;
  summary.diagnosis.rank = 2;
  snprintf(summary.diagnosis.text, sizeof summary.diagnosis.text, "bar c depends on a, b\n");
  const char *text = text_of(&summary);
  SAYS(text, "not finished");
  SAYS(text, "rod breaks");
  SAYS(text, "3 constraints, 2 of them independent");
  SAYS(text, "bar c depends on a, b");
}

static void test_length_is_counted_as_snprintf_does(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  size_t (*const write[])(const dae_summary *, char *, size_t) = {dae_summary_text,
                                                                  dae_summary_json};
  for (int i = 0; i < 2; i++) {
    size_t length = write[i](&summary, NULL, 0);
    char *text = malloc(length + 1), *part = malloc(length + 1);
    assert_int_equal(write[i](&summary, text, length + 1), length);
    assert_int_equal(strlen(text), length);
    for (size_t size = 1; size <= length; size += 7) {
      assert_int_equal(write[i](&summary, part, size), length);
      assert_int_equal(strlen(part), size - 1);
      assert_memory_equal(part, text, size - 1);
    }
    free(text);
    free(part);
  }
}

/* A reader of JSON that accepts what the grammar accepts, and nothing else. */
static const char *skip_value(const char *s);

static const char *skip_space(const char *s)
{
  return s + strspn(s, " \n\r\t");
}

static const char *skip_string(const char *s)
{
  assert_int_equal(*s++, '"');
  for (; *s != '"'; s++) {
    assert_true((unsigned char)*s >= 0x20);
    if (*s != '\\')
      continue;
    s++;
    assert_non_null(strchr("\"\\/bfnrtu", *s));
    assert_true(*s != '\0');
  }
  return s + 1;
}

static const char *skip_list(const char *s, char end)
{
  s = skip_space(s + 1);
  while (*s != end) {
    if (end == '}') {
      s = skip_space(skip_string(s));
      assert_int_equal(*s++, ':');
    }
    s = skip_space(skip_value(s));
    if (*s == end)
      break;
    assert_int_equal(*s, ',');
    s = skip_space(s + 1);
    assert_true(*s != end);
  }
  return s + 1;
}

static const char *skip_value(const char *s)
{
  s = skip_space(s);
  if (*s == '{' || *s == '[')
    return skip_list(s, *s == '{' ? '}' : ']');
  if (*s == '"')
    return skip_string(s);
  const char *const words[] = {"null", "true", "false"};
  for (int i = 0; i < 3; i++)
    if (strncmp(s, words[i], strlen(words[i])) == 0)
      return s + strlen(words[i]);
  assert_non_null(strchr("-0123456789", *s));
  char *end;
  strtod(s, &end);
  assert_true(end > s);
  return end;
}

static void assert_is_json(const char *text)
{
  assert_string_equal(skip_space(skip_value(text)), "");
}

/* the verdict, its reasons and the differences to a second run, as text and as JSON */
static void test_verdict_and_second_run_are_told(void **state)
{
  (void)state;
  dae_summary s = pendulum();
  SAYS(text_of(&s), "trust:       green\n");
  SAYS(json_of(&s), "\"trust\": {\"verdict\": \"green\", \"reasons\": []}");
  SAYS(json_of(&s), "\"check_error\": null");
  s.trust = DAE_TRUST_RED;
  snprintf(s.reasons, sizeof s.reasons, "the energy is lost\nx is off by many tolerances, %s\n",
           "and this reason is so long that it does not fit into a line of the closing summary");
  s.check = (dae_error_check){.method = "radau", .rtol = 1e-7, .rows = 12};
  s.check.most.tolerances = 2e3;
  snprintf(s.check.columns, sizeof s.check.columns, "x\t2000\t0.002\t1.5\nder(x)\tnan\tinf\t1\n");
  const char *text = text_of(&s);
  SAYS(text, "trust:       red: the energy is lost\n               x is off by many");
  SAYS(text, "error check  by radau at rtol 1e-07, 12 rows");
  SAYS(text, "x                    2000 (at t = 1.5: 0.002)");
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    assert_true(strcspn(line, "\n") <= 100);
  text = json_of(&s);
  assert_is_json(text);
  SAYS(text, "\"trust\": {\"verdict\": \"red\", \"reasons\": [\"the energy is lost\", \"x is");
  SAYS(text, "\"x\": {\"tolerances\": 2000, \"absolute\": 0.002, \"t\": 1.5}");
  SAYS(text, "\"der(x)\": {\"tolerances\": null, \"absolute\": null, \"t\": 1}");
}

/* in a run of years, with 100 events in a second */
static void test_counters_beyond_32_bit_are_told(void **state)
{
  (void)state;
  dae_summary s = pendulum();
  s.action_moved = 3000000000;
  s.damped = true;
  s.damping = (dae_damping){.kind = DAE_DAMPING_REMOVED, .restarts = 5000000000};
  SAYS(text_of(&s), "3000000000 values were moved to make states after events consistent");
  SAYS(text_of(&s), "removed after 5000000000 events");
  SAYS(json_of(&s), "\"action_moved\": 3000000000");
  SAYS(json_of(&s), "\"restarts\": 5000000000");
}

static void test_phase_of_a_long_run_is_told(void **state)
{
  (void)state;
  dae_summary s = pendulum();
  SAYS_NOT(text_of(&s), "phase");
  s.oscillations = 10000;
  s.phase_error = 0.25;
  SAYS(text_of(&s),
       "about 1e+04 oscillations; phase error by the energy balance: about 0.25 rad\n");
  SAYS(text_of(&s), "--conserve");
  s.phase_error = NAN;
  SAYS(text_of(&s), "not known");
}

/* phase errors above 1.5 rtol for each of 10 or more oscillations are amber, but for motions
 * without freedom */
static void test_phase_error_of_many_tolerances_is_amber(void **state)
{
  (void)state;
  const struct {
    double oscillations, phase_error;
    int dof;
    dae_trust trust;
  } all[] = {{12, 41e-6, 2, DAE_TRUST_AMBER}, {12, 15e-6, 2, DAE_TRUST_GREEN},
             {50, 41e-6, 2, DAE_TRUST_GREEN}, {8, 41e-6, 2, DAE_TRUST_GREEN},
             {12, 41e-6, 0, DAE_TRUST_GREEN}, {500, 2, 2, DAE_TRUST_RED},
             {12, NAN, 2, DAE_TRUST_GREEN}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    dae_summary s = pendulum();
    dae__trust_facts facts = {0};
    s.rtol = 1e-6;
    s.step = 0;
    s.oscillations = all[i].oscillations;
    s.phase_error = all[i].phase_error;
    s.diagnosis.dof = all[i].dof;
    dae__trust_judge(&s, &facts);
    assert_int_equal(s.trust, all[i].trust);
    if (s.trust != DAE_TRUST_GREEN)
      SAYS(s.reasons, "oscillations is off by about");
  }
}

/* energy errors above 3 tolerances are amber, above 30 red, but for round-off, for motions without
 * freedom, and where energy is removed on purpose */
static void test_energy_error_of_many_tolerances_is_told(void **state)
{
  (void)state;
  const struct {
    double error, start;
    int dof;
    bool damped;
    dae_trust trust;
  } all[] = {{2.9e-6, 1, 1, false, DAE_TRUST_GREEN}, {3.1e-6, 1, 1, false, DAE_TRUST_AMBER},
             {29e-6, 1, 1, false, DAE_TRUST_AMBER},  {31e-6, 1, 1, false, DAE_TRUST_RED},
             {1, 1, 1, false, DAE_TRUST_RED},        {31e-6, 1, 0, false, DAE_TRUST_GREEN},
             {31e-6, 1, 1, true, DAE_TRUST_GREEN},   {31e-6, 1e8, 1, false, DAE_TRUST_GREEN},
             {NAN, 1, 1, false, DAE_TRUST_GREEN}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    dae_summary s = pendulum();
    dae__trust_facts facts = {0};
    s.energy_tolerance = 1e-6;
    s.energy_error = all[i].error;
    s.energy_start = all[i].start;
    s.diagnosis.dof = all[i].dof;
    s.damped = all[i].damped;
    dae__trust_judge(&s, &facts);
    assert_int_equal(s.trust, all[i].trust);
    if (s.trust != DAE_TRUST_GREEN)
      SAYS(s.reasons, "the energy balance is off by");
  }
}

static void test_json_can_be_read(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  const char *text = json_of(&summary);
  assert_is_json(text);
  SAYS(text, "\"status\": \"DAE_OK\"");
  SAYS(text, "\"rejected_by_error\": 12");
  SAYS(text, "{\"name\": \"der(x)\", \"from\": 0.25, \"to\": 0}");
  SAYS(text, "\"message\": null");
}

static void test_json_of_an_iteration_can_be_read(void **state)
{
  (void)state;
  dae_summary s = pendulum();
  SAYS(json_of(&s), "\"systems\": 0");
  SAYS(json_of(&s), "\"contraction\": null");
  SAYS(json_of(&s), "\"verification\": null");
  s = circuits();
  const char *text = json_of(&s);
  assert_is_json(text);
  SAYS(text, "\"contraction\": {\"windows\": 20, \"sweeps\": 144, \"most_sweeps\": 9, "
             "\"predicted\": 0.2121, \"observed\": 0.0315, \"order\": \"one, three, two\"");
  SAYS(text, "\"verification\": {\"method\": \"bdf\", \"rows\": 21, \"message\": null");
  SAYS(text, "\"states\": {\"name\": \"two.y\", \"tolerances\": 1.5, ");
  SAYS(text, "\"multipliers\": null");
  s.contraction.observed = NAN;
  s.contraction.gauss_seidel = INFINITY;
  assert_is_json(json_of(&s));
  SAYS(json_of(&s), "\"predicted\": null, \"observed\": null");
}

static void test_json_escapes_and_has_no_nan(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.problem = "a \"quoted\" \\ name\x01";
  summary.method = NULL;
  summary.rtol = NAN;
  summary.energy_balance = INFINITY;
  snprintf(summary.moves, sizeof summary.moves, "x\t1\t2\n... and 3 more\n");
  snprintf(summary.diagnosis.text, sizeof summary.diagnosis.text, "one\n\ttwo\n");
  const char *text = json_of(&summary);
  assert_is_json(text);
  SAYS(text, "\"a \\\"quoted\\\" \\\\ name\\u0001\"");
  SAYS(text, "\"rtol\": null");
  SAYS(text, "\"energy_balance\": null");
  SAYS(text, "\"method\": null");
}

static void test_json_sink_writes_the_account(void **state)
{
  (void)state;
  const char *path = "test_summary.tmp";
  dae_summary summary = pendulum();
  dae_sink sink;
  assert_int_equal(dae_json_sink(path, NULL, &sink, NULL), DAE_OK);
  assert_int_equal(sink.close(sink.self, &summary, NULL), DAE_OK);
  sink.free(sink.self);
  assert_string_equal(summary.files, "pendulum.csv, test_summary.tmp");
  char text[8192];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  remove(path);
  text[length] = '\0';
  assert_string_equal(text, json_of(&summary));
}

static void test_json_sink_names_what_it_cannot_write(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  dae_error err;
  dae_sink sink;
  dae_json_sink("no/such/folder/x.json", NULL, &sink, &err);
  assert_int_equal(sink.close(sink.self, &summary, &err), DAE_ERROR_FILE);
  SAYS(err.text, "no/such/folder/x.json");
  sink.free(sink.self);
}

/* ---- names that are kept for one version ---- */

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void test_deprecated_fields_are_the_present_ones(void **state)
{
  (void)state;
  dae_summary summary = {.stats = {.richer = 3, .full = 4}, .energy_settled = 0.25};
  assert_int_equal(summary.stats.decoupled, 3);
  assert_int_equal(summary.stats.full, 4);
  assert_true(summary.energy_removed_at_start == 0.25);
  summary.stats.decoupled = 5;
  assert_int_equal(summary.stats.richer, 5);
}

#pragma GCC diagnostic pop

static void test_json_has_present_and_deprecated_names(void **state)
{
  (void)state;
  dae_summary summary = pendulum();
  summary.stats.decoupled = 3, summary.energy_removed_at_start = 0.25;
  const char *json = json_of(&summary);
  SAYS(json, "\"decoupled\": 3");
  SAYS(json, "\"richer\": 3");
  SAYS(json, "\"energy_removed_at_start\": 0.25");
  SAYS(json, "\"energy_settled\": 0.25");
}

static void test_list_of_statistics_has_all_fields_in_their_order(void **state)
{
  (void)state;
#define OFFSET(name, text) offsetof(dae_stats, name),
  const size_t offsets[] = {DAE_STATS_LIST(OFFSET)};
#undef OFFSET
  const size_t count = sizeof offsets / sizeof *offsets;
  for (size_t i = 0; i < count; i++)
    assert_int_equal(offsets[i], i * sizeof(long));
  assert_int_equal(sizeof(dae_stats), count * sizeof(long));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_block_says_everything),
      cmocka_unit_test(test_switches_are_told_where_there_were_some),
      cmocka_unit_test(test_lines_are_short_and_without_trailing_blanks),
      cmocka_unit_test(test_what_does_not_apply_is_left_out),
      cmocka_unit_test(test_an_energy_that_was_not_measured_all_along_is_said_to),
      cmocka_unit_test(test_kinetic_energy_alone_is_explained),
      cmocka_unit_test(test_an_iteration_tells_windows_sweeps_and_contraction),
      cmocka_unit_test(test_names_of_many_systems_are_cut),
      cmocka_unit_test(test_json_of_an_iteration_can_be_read),
      cmocka_unit_test(test_failure_and_redundancy_are_told),
      cmocka_unit_test(test_length_is_counted_as_snprintf_does),
      cmocka_unit_test(test_verdict_and_second_run_are_told),
      cmocka_unit_test(test_counters_beyond_32_bit_are_told),
      cmocka_unit_test(test_phase_of_a_long_run_is_told),
      cmocka_unit_test(test_phase_error_of_many_tolerances_is_amber),
      cmocka_unit_test(test_energy_error_of_many_tolerances_is_told),
      cmocka_unit_test(test_json_can_be_read),
      cmocka_unit_test(test_json_escapes_and_has_no_nan),
      cmocka_unit_test(test_json_sink_writes_the_account),
      cmocka_unit_test(test_json_sink_names_what_it_cannot_write),
      cmocka_unit_test(test_deprecated_fields_are_the_present_ones),
      cmocka_unit_test(test_json_has_present_and_deprecated_names),
      cmocka_unit_test(test_list_of_statistics_has_all_fields_in_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
