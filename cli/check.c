/* daedal check: analysis of a model without a run. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* smallest change of a start value, relative to 1 + |value|, that is listed, as in a run */
#define MOVED 1e-12
#define LISTED 12  /* names or values in one list, followed by "and ... more" */
#define INSTANTS 4 /* instants of a time event in the list of events */

typedef struct findings {
  const dae_model *model;
  const dae_problem *problem;
  dae_start start;
  double *y; /* the consistent start */
  dae_diagnosis find;
} findings;

static const char *check_plural(int count)
{
  return count == 1 ? "" : "s";
}

/* ---- contents ---- */

void cli_counts_text(const dae_model_counts *n, char *text, size_t size)
{
  const struct {
    int count;
    const char *name;
  } parts[] = {
      {n->systems, "system"},
      {n->coordinates, "coordinate"},
      {n->states, "state"},
      {n->algebraic, "algebraic variable"},
      {n->discretes, "discrete variable"},
      {n->holonomic, "holonomic constraint"},
      {n->nonholonomic, "nonholonomic constraint"},
      {n->joints, "joint"},
      {n->guards, "guard"},
      {n->events, "event"},
      {n->outputs, "output"},
  };
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
    if (parts[i].count > 0)
      used += (size_t)snprintf(text + used, size - used, "%s%d %s%s", used ? ", " : "",
                               parts[i].count, parts[i].name, check_plural(parts[i].count));
}

static const char *check_form_name(const dae_mechanical *mechanical, const dae_semi_explicit *semi)
{
  return mechanical ? "mechanical" : semi && semi->M ? "quasi-linear" : "semi-explicit";
}

static void check_print_form(const dae_problem *problem)
{
  const dae_coupled *c = problem->coupled;
  if (!c) {
    cli_row("form", "%s", check_form_name(problem->mechanical, problem->semi_explicit));
    return;
  }
  cli_row("form", "coupled, %d system%s", c->parts, check_plural(c->parts));
  for (int i = 0; i < c->parts && i < LISTED; i++)
    cli_row("", "%s: %s", c->part[i].name[0] ? c->part[i].name : "the model itself",
            check_form_name(c->part[i].mechanical, c->part[i].semi_explicit));
  if (c->parts > LISTED)
    cli_row("", "... and %d more", c->parts - LISTED);
}

/* ---- diagnosis ---- */

/* Whether degrees of freedom are counted by velocities, as in mechanics, or by states. */
static bool check_is_mechanical(const dae_problem *problem)
{
  bool mechanical = problem->mechanical != NULL;
  for (int i = 0; problem->coupled && i < problem->coupled->parts; i++)
    mechanical = mechanical || problem->coupled->part[i].mechanical;
  return mechanical;
}

static void check_print_diagnosis(const findings *f)
{
  const dae_diagnosis *d = &f->find;
  bool mechanical = check_is_mechanical(f->problem);
  const char *what = mechanical            ? ""
                     : d->constraints == 1 ? " algebraic equation"
                                           : " algebraic equations";
  cli_row("index", "%d", d->index);
  cli_row("freedom", "%d degree%s of freedom", d->dof, check_plural(d->dof));
  if (d->constraints == 0)
    cli_row("constraints", "none");
  else if (d->rank < d->constraints)
    cli_row("constraints", "%d%s, of which %d independent: %d redundant", d->constraints, what,
            d->rank, d->constraints - d->rank);
  else
    cli_row("constraints", "%d%s, rank %d: no redundancy", d->constraints, what, d->rank);
  for (const char *line = d->text; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (*line != '\n')
      cli_row("", "%.*s", (int)strcspn(line, "\n"), line);
}

/* whether the consistent start changes entry i, not counting initial guesses; name of the entry */
static bool check_was_moved(const findings *f, int i, char *name, size_t size)
{
  dae_variable_kind kind = dae_problem_variable(f->problem, i, name, size);
  bool guess = kind == DAE_VARIABLE_ALGEBRAIC || kind == DAE_VARIABLE_MULTIPLIER;
  double from = f->start.y[i], to = f->y[i];
  return !guess && fabs(to - from) > MOVED * (1 + fabs(from));
}

static void check_print_moves(const findings *f)
{
  char name[256];
  int size = dae_problem_size(f->problem), moved = 0, width = 0, listed = 0, given = 0;
  for (int i = 0; i < size; i++)
    if (check_was_moved(f, i, name, sizeof name)) {
      moved++;
      given += !f->start.given || f->start.given[i];
      width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
  if (moved == 0) {
    cli_row("start", "consistent as given");
    return;
  }
  cli_row("start", "%d value%s to be moved to make it consistent; %s:", moved,
          moved == 1 ? " has" : "s have",
          given > 0 ? "`fixed` holds a value" : "no given value is changed");
  for (int i = 0; i < size && listed < LISTED; i++)
    if (check_was_moved(f, i, name, sizeof name)) {
      cli_put_name(17, name, width);
      printf("%.12g -> %.12g\n", f->start.y[i], f->y[i]);
      listed++;
    }
  if (moved > listed)
    cli_row("", "  ... and %d more", moved - listed);
}

/* ---- events, guards ---- */

typedef struct check_words {
  char text[256];
} check_words;

/* Line of an event in the text, with the file where it is not the model itself. */
static check_words check_place(const dae_model *model, int i)
{
  const char *own = NULL;
  check_words w = {""};
  dae_error at = dae_error_none();
  int place = dae_model_event_at(model, i).place;
  dae_model_source(model, 0, &own);
  if (place < 0)
    return w;
  dae_model_fail(model, place, "", &at);
  snprintf(w.text, sizeof w.text, "line %d%s%s", at.line, strcmp(at.file, own) ? " of " : "",
           strcmp(at.file, own) ? at.file : "");
  return w;
}

/* Period of a time event, or its first instants with the values of the start. */
static check_words check_instants(const findings *f, int i, const dae_event *event)
{
  const dae_model_setting *to = dae_model_find_setting(f->model, "to");
  dae_model_event text = dae_model_event_at(f->model, i);
  double t = nextafter(f->start.t, -INFINITY), next = t;
  check_words w = {"at times known in advance"};
  if (text.period > 0)
    snprintf(w.text, sizeof w.text, "every %.10g from %.10g", text.period, text.first);
  if (text.period > 0 || !to)
    return w;
  size_t used = 0;
  for (int k = 0; k <= INSTANTS && used < sizeof w.text; k++, t = next) {
    if (event->next(event->user, t, to->value, f->start.y, &next) != 0 || !isfinite(next))
      break;
    used += (size_t)(k == INSTANTS ? snprintf(w.text + used, sizeof w.text - used, ", ...")
                                   : snprintf(w.text + used, sizeof w.text - used, "%s%.10g",
                                              k > 0 ? ", " : "at t = ", next));
  }
  if (used == 0)
    snprintf(w.text, sizeof w.text, "at no time, with the values of the start");
  return w;
}

static check_words check_event_text(const findings *f, int i, const dae_event *event)
{
  static const char *const ways[] = {"falling", "at every zero", "rising"};
  check_words w = {""}, place = check_place(f->model, i);
  const dae_contact *contact = event->contact;
  const char *how = event->kind == DAE_EVENT_CONDITION ? "when a condition becomes true"
                    : !contact                         ? ways[1 + event->direction]
                    : !contact->holds                  ? "impact"
                    : contact->slides > 0              ? "contact with friction"
                                                       : "contact";
  snprintf(w.text, sizeof w.text, "%.160s%s%s%.60s",
           event->next ? check_instants(f, i, event).text : how, event->stop ? ", stop" : "",
           place.text[0] ? "; " : "", place.text);
  return w;
}

/* Lists the events, or the guards; floor(w) has one guard for either direction. */
static void check_print_event_kind(const findings *f, const dae_run_plan *plan, bool guards)
{
  int width = 0, listed = 0, count = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1 && count > 0)
      cli_row(guards ? "guards" : "events", "%d", count);
    for (int i = 0; i < plan->event_count; i++) {
      const dae_event *event = &plan->events[i];
      bool guard = event->kind == DAE_EVENT_GUARD;
      if (guard != guards || event->rubs > 0 ||
          (guard && i > 0 && event->name == plan->events[i - 1].name))
        continue;
      if (pass == 0) {
        int length = (int)strlen(event->name);
        width = count++ < LISTED && length > width ? length : width;
      } else if (listed++ < LISTED) {
        int column = cli_put_name(17, event->name, width);
        cli_wrap(stdout, column, column,
                 guard ? check_place(f->model, i).text : check_event_text(f, i, event).text);
      }
    }
  }
  if (listed > LISTED)
    cli_row("", "  ... and %d more", listed - LISTED);
}

static void check_print_events(const findings *f)
{
  dae_run_plan plan = {0};
  dae_model_plan(f->model, &plan);
  check_print_event_kind(f, &plan, false);
  check_print_event_kind(f, &plan, true);
  if (plan.unwatched > 0)
    cli_row("not watched", "%d condition%s in noevent", plan.unwatched,
            check_plural(plan.unwatched));
}

/* Inputs: interpolation, and the file of their data. */
static void check_print_inputs(const dae_model *model)
{
  dae_run_plan plan = {0};
  const char *label = "inputs";
  dae_model_plan(model, &plan);
  for (const char *line = plan.inputs ? plan.inputs : ""; *line;
       line += strcspn(line, "\n"), line += *line == '\n') {
    const char *how = line + strcspn(line, "\t") + 1, *source = how + strcspn(how, "\t") + 1;
    int size = (int)strcspn(source, "\t");
    cli_row(label, "%.*s: %.*s, %s%.*s", (int)(how - line) - 1, line, (int)(source - how) - 1, how,
            size > 0 ? "data of " : "the value of the model", size, source);
    label = "";
  }
}

/* ---- settings and methods ---- */

static void check_print_simulate(const dae_model *model)
{
  const dae_model_setting *to = dae_model_find_setting(model, "to");
  const dae_model_setting *method = dae_model_find_setting(model, "method");
  double from = dae_model_start(model).t;
  dae_error err;
  if (to)
    cli_row("simulate", "t = %.10g to %.10g", from, to->value);
  else
    cli_row("simulate", "from t = %.10g; give the end time with --to", from);
  if (method && strcmp(method->text, "auto") != 0 && !dae_method_find(method->text, &err))
    cli_row("", "%s", err.text);
}

static void check_print_methods(const dae_model *model, const dae_start *start)
{
  const dae_problem *problem = dae_model_problem(model);
  char why[256];
  dae_error err;
  int width = 0;
  const dae_method *method, *chosen = dae_model_choose(model, why, sizeof why, &err);
  for (int i = 0; (method = dae_method_at(i)); i++)
    width = (int)strlen(method->name) > width ? (int)strlen(method->name) : width;
  printf("  methods\n");
  for (int i = 0; (method = dae_method_at(i)) && !cli_interrupted(); i++) {
    int column = printf("    %-*s  ", width, method->name);
    char text[sizeof err.text + 64] = "applies";
    cli_choice with;
    dae_status status = cli_choose_options(model, method, &with, &err);
    if (status >= 0)
      status = dae_method_check(method, problem, start, with.options, cli_env(), &err);
    cli_choice_free(&with);
    if (status == DAE_ERROR_INTERRUPTED)
      snprintf(text, sizeof text, "not examined: interrupted");
    else if (status < 0)
      snprintf(text, sizeof text, "does not apply: %s", err.text);
    else if (method == chosen)
      snprintf(text, sizeof text, "applies; selected by auto: %s", why);
    cli_wrap(stdout, column, column, text);
  }
}

/* ---- the command ---- */

/* Method of simulate if it accepts a start that does not determine every variable, NULL: it does
 * not. */
static const dae_method *check_starting_method(const findings *f)
{
  const dae_model_setting *named = dae_model_find_setting(f->model, "method");
  dae_error err;
  dae_integrator *it = NULL;
  const dae_method *method = named ? dae_method_find(named->text, &err) : NULL;
  if (!method || method->create(f->problem, &f->start, NULL, cli_env(), &it, &err) < 0)
    return NULL;
  dae_status status = dae_integrator_interpolate(it, f->start.t, f->y, NULL, &err);
  dae_integrator_free(it);
  return status < 0 ? NULL : method;
}

static dae_status check_start(findings *f, dae_error *err)
{
  dae_status status =
      dae_consistent_start(f->problem, &f->start, cli_env(), f->y, NULL, &f->find, err);
  const dae_method *method = status == DAE_ERROR_START ? check_starting_method(f) : NULL;
  if (status < 0 && !method) {
    cli_row("start", "cannot be made consistent");
    return status;
  }
  check_print_diagnosis(f);
  check_print_moves(f);
  if (method)
    cli_row("", "%s accepts it", method->name);
  return DAE_OK;
}

static dae_status check_model(const dae_model *model, dae_error *err)
{
  findings f = {.model = model, .problem = dae_model_problem(model)};
  char counts[512];
  dae_model_counts n = dae_model_count(model);
  f.start = dae_model_start(model);
  f.y = calloc((size_t)dae_problem_size(f.problem) + 1, sizeof *f.y);
  if (!f.y)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  cli_print_title(model);
  cli_counts_text(&n, counts, sizeof counts);
  cli_row("has", "%s", counts[0] ? counts : "nothing");
  check_print_form(f.problem);
  dae_status status = check_start(&f, err);
  check_print_events(&f);
  check_print_inputs(model);
  check_print_simulate(model);
  dae_start start = {.t = f.start.t, .y = status >= 0 ? f.y : f.start.y, .fixed = f.start.fixed};
  check_print_methods(model, &start);
  cli_print_coupling(f.problem, f.start.t, status >= 0 ? f.y : f.start.y);
  free(f.y);
  if (cli_interrupted())
    return cli_fail(err, DAE_ERROR_INTERRUPTED, "interrupted");
  return status;
}

cli_exit cli_check(const cli_arguments *args)
{
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  cli_interrupt_catch();
  dae_status status = cli_load(args, cli_env(), &model, &err);
  if (status >= 0) {
    status = check_model(model, &err);
    if (status < 0)
      dae_model_locate(model, &err);
    dae_model_free(model);
  }
  return status < 0 ? cli_report("check", &err) : CLI_OK;
}
