/* Contacts and impacts that have no motion, or none that a run can follow: the message names the
 * contact, its line, the cause and what to try, and what was computed before is kept. */
#include <daedal/daedal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct refused {
  const char *text; /* without the line of the model */
  dae_status status;
  int line;
  const char *says[4];
  double from; /* the run gets at least there */
} refused;

#define BALL "coord x = 0\nkinetic x'^2/2\n"
#define ROD                                                                                        \
  "kinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"                                          \
  "contact tip: y >= sin(th) friction 2 along x - cos(th)\n"

static double reached;

static dae_status note_open(void *self, int columns, const char *const *names, dae_error *err)
{
  (void)self, (void)columns, (void)names, (void)err;
  return DAE_OK;
}

static dae_status note_row(void *self, const dae_row *row, dae_error *err)
{
  (void)self, (void)err;
  reached = row->values[0];
  return DAE_OK;
}

static dae_status note_close(void *self, dae_summary *summary, dae_error *err)
{
  (void)self, (void)summary, (void)err;
  return DAE_OK;
}

static const dae_sink sink = {.open = note_open, .row = note_row, .close = note_close};

/* Runs a model with one method and checks what it says. */
static void check(const refused *r, const char *method)
{
  char text[1000];
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  dae_summary summary;
  snprintf(text, sizeof text, "model m\n%s", r->text);
  if (dae_model_parse("m", text, strlen(text), NULL, NULL, &model, &err))
    fail_msg("%s", err.text);
  dae_run_plan plan;
  dae_model_plan(model, &plan);
  plan.to = 5;
  plan.method = dae_method_find(method, NULL);
  plan.sinks = &sink;
  plan.sink_count = 1;
  reached = -1;
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_model_locate(model, &err);
  bool good = status == r->status && err.line == r->line && reached >= r->from;
  for (int i = 0; i < 4 && r->says[i]; i++)
    good = good && strstr(err.text, r->says[i]);
  if (!good)
    print_error("%s--- %s: %s, line %d, t = %g\n%s\n", text, method, dae_status_name(status),
                err.line, reached, err.text);
  assert_true(good);
  dae_model_free(model);
}

static const char *const methods[] = {"switching", "explicit", "gauss", "radau", "bdf-ggl", "lie"};
enum { METHODS = sizeof methods / sizeof *methods };

static void test_contacts_without_a_motion(void **state)
{
  (void)state;
  static const refused table[] = {
      {BALL "contact left: x >= 1\ncontact right: x <= 0.9\n",
       DAE_ERROR_START,
       4,
       {"'left'", "gap of -1", "inside of each other"},
       -1},
      {BALL "contact left: x >= 0.5*t - 1\ncontact right: x <= 1 - 0.5*t\n",
       DAE_ERROR_STEP,
       4,
       {"at t = 2", "left, right cannot be met", "contradict"},
       1.99},
      {"coord x = 0, y = 1\nkinetic (x'^2 + y'^2)/2\nconstraint held: y = cos(t)\n"
       "contact floor: y >= 0\n",
       DAE_ERROR_STEP,
       5,
       {"'floor' closes", "speed of 1", "no impulse can stop it", "Give the mechanism"},
       1.57},
      {"coord x = 0 rate 1, y = 1\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
       "constraint drive: x = t acts (x: 1, y: 0.3)\n"
       "contact floor: y >= 0 restitution 0.5\n",
       DAE_ERROR_STEP,
       5,
       {"force of constraint drive", "direction of its own", "touch at rest"},
       0.45},
      {"coord x = 0 rate 1\ndiscrete on = 0\nkinetic x'^2/2\n"
       "constraint hold when on == 1: x = 5\nevent couple: at 1 { on = 1 }\n",
       DAE_ERROR_STEP,
       5,
       {"hold closes at a distance of 4", "event 'couple'", "Switch it on where it is met"},
       1},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    for (int k = 0; k < METHODS; k++)
      check(&table[i], methods[k]);
}

/* Painleve's rod, with friction that its angle does not admit at the start, and one that is pulled
 * into such an angle: its force grows without bound within a step. */
static void test_friction_without_a_motion(void **state)
{
  (void)state;
  static const refused at_start = {"coord x = 0 rate -3, y = sin(1.1), th = 1.1\n" ROD,
                                   DAE_ERROR_STEP,
                                   5,
                                   {"'tip' jams at t = 0", "Friction below 1.33354 is safe"},
                                   -1};
  static const refused reaches = {"coord x = 0, y = sin(0.5), th = 0.5\n" ROD
                                  "constraint pull: x = -20*t\n",
                                  DAE_ERROR_STEP,
                                  5,
                                  {"'tip' jams at t = 0.22815", "Friction below 2", "compliance"},
                                  0.22815};
  for (int k = 0; k < METHODS; k++) {
    check(&at_start, methods[k]);
    check(&reaches, methods[k]);
  }
}

/* Impacts that come ever faster: a ball that comes to rest, where an impact cannot hold it, and a
 * body between walls that close in on it without a loss. */
static void test_impacts_without_end(void **state)
{
  (void)state;
  static const refused rests = {
      "coord y = 1\nkinetic y'^2/2\npotential 9.81*y\n"
      "impact floor: y restitution 0.8\n",
      DAE_ERROR_STEP,
      5,
      {"'floor' rebounds at ever shorter", "at t = 4.06", "contact floor:"},
      4.06};
  static const refused closes_in = {"coord x = 0 rate 1\nkinetic x'^2/2\n"
                                    "impact left: x + 1 - 0.5*t restitution 1\n"
                                    "impact right: 1 - 0.5*t - x restitution 1\n",
                                    DAE_ERROR_STEP,
                                    5,
                                    {"'right' has happened 10000 times", "t = 1.9999",
                                     "times more up to the end", "less restitution"},
                                    1.9999};
  for (int k = 0; k < METHODS; k++)
    check(&rests, methods[k]);
  check(&closes_in, "explicit");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_contacts_without_a_motion),
      cmocka_unit_test(test_friction_without_a_motion),
      cmocka_unit_test(test_impacts_without_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
