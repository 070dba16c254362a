/* daedal check: what a model is, before anything is run. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a start value that changed by less, relative to 1 + |value|, was not moved; as in a run */
#define MOVED 1e-12
#define LISTED 12 /* names or values in one list, then "and ... more" */

typedef struct findings {
  const dae_model *model;
  const dae_problem *problem;
  dae_start start;
  double *y; /* the consistent start */
  dae_diagnosis find;
} findings;

static const char *plural(int count)
{
  return count == 1 ? "" : "s";
}

/* ---- what it has ---- */

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
      {n->events, "event"},
      {n->outputs, "output"},
  };
  size_t used = 0;
  text[0] = '\0';
  for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
    if (parts[i].count > 0)
      used += (size_t)snprintf(text + used, size - used, "%s%d %s%s", used ? ", " : "",
                               parts[i].count, parts[i].name, plural(parts[i].count));
}

static const char *form_of(const dae_mechanical *mechanical, const dae_semi_explicit *semi)
{
  return mechanical ? "mechanical" : semi && semi->M ? "quasi-linear" : "semi-explicit";
}

static void print_form(const dae_problem *problem)
{
  const dae_coupled *c = problem->coupled;
  if (!c) {
    cli_row("form", "%s", form_of(problem->mechanical, problem->semi_explicit));
    return;
  }
  cli_row("form", "coupled out of %d system%s", c->parts, plural(c->parts));
  for (int i = 0; i < c->parts && i < LISTED; i++)
    cli_row("", "%s: %s", c->part[i].name[0] ? c->part[i].name : "the model itself",
            form_of(c->part[i].mechanical, c->part[i].semi_explicit));
  if (c->parts > LISTED)
    cli_row("", "... and %d more", c->parts - LISTED);
}

/* ---- what the diagnosis found ---- */

/* Velocities are the degrees of freedom of mechanics, alone or assembled; otherwise states are. */
static bool is_mechanical(const dae_problem *problem)
{
  bool mechanical = problem->mechanical != NULL;
  for (int i = 0; problem->coupled && i < problem->coupled->parts; i++)
    mechanical = mechanical || problem->coupled->part[i].mechanical;
  return mechanical;
}

static void print_diagnosis(const findings *f)
{
  const dae_diagnosis *d = &f->find;
  bool mechanical = is_mechanical(f->problem);
  /* discrete variables are states whose rate is zero: nothing is free about them */
  int dof = d->dof - (mechanical ? 0 : dae_model_count(f->model).discretes);
  const char *what = mechanical            ? ""
                     : d->constraints == 1 ? " algebraic equation"
                                           : " algebraic equations";
  cli_row("index", "%d", d->index);
  cli_row("freedom", "%d degree%s of freedom", dof, plural(dof));
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

/* whether entry i of the start was given, not guessed, and moved; its name */
static bool was_moved(const findings *f, int i, char *name, size_t size)
{
  dae_variable_kind kind = dae_problem_variable(f->problem, i, name, size);
  bool guess = kind == DAE_VARIABLE_ALGEBRAIC || kind == DAE_VARIABLE_MULTIPLIER;
  double from = f->start.y[i], to = f->y[i];
  return !guess && fabs(to - from) > MOVED * (1 + fabs(from));
}

static void print_moves(const findings *f)
{
  char name[256];
  int size = dae_problem_size(f->problem), moved = 0, width = 0, listed = 0;
  for (int i = 0; i < size; i++)
    if (was_moved(f, i, name, sizeof name)) {
      moved++;
      width = (int)strlen(name) > width ? (int)strlen(name) : width;
    }
  if (moved == 0) {
    cli_row("start", "consistent as given");
    return;
  }
  cli_row("start", "%d value%s to be moved to make it consistent; `fixed` holds a value:", moved,
          moved == 1 ? " has" : "s have");
  for (int i = 0; i < size && listed < LISTED; i++)
    if (was_moved(f, i, name, sizeof name)) {
      printf("%17s%-*s  %.12g -> %.12g\n", "", width, name, f->start.y[i], f->y[i]);
      listed++;
    }
  if (moved > listed)
    cli_row("", "  ... and %d more", moved - listed);
}

/* ---- how it can be run ---- */

static void print_simulate(const dae_model *model)
{
  const dae_model_setting *to = dae_model_find_setting(model, "to");
  const dae_model_setting *method = dae_model_find_setting(model, "method");
  double from = dae_model_start(model).t;
  dae_error err;
  if (to)
    cli_row("simulate", "t = %.10g to %.10g", from, to->value);
  else
    cli_row("simulate", "from t = %.10g; the end has to be given with --to", from);
  if (method && strcmp(method->text, "auto") != 0 && !dae_method_find(method->text, &err))
    cli_row("", "%s", err.text);
}

static void print_methods(const dae_problem *problem)
{
  char why[256];
  dae_error err;
  int width = 0;
  const dae_method *method, *chosen = dae_method_choose(problem, why, sizeof why, &err);
  for (int i = 0; (method = dae_method_at(i)); i++)
    width = (int)strlen(method->name) > width ? (int)strlen(method->name) : width;
  printf("  methods\n");
  for (int i = 0; (method = dae_method_at(i)); i++) {
    int column = printf("    %-*s  ", width, method->name);
    char text[sizeof err.text + 64] = "applies";
    if (cli_accepts(method, problem, &err) < 0)
      snprintf(text, sizeof text, "does not: %s", err.text);
    else if (method == chosen)
      snprintf(text, sizeof text, "applies; auto takes it: %s", why);
    cli_wrap(stdout, column, column, text);
  }
}

static void print_head(const dae_model *model)
{
  char counts[512];
  dae_model_counts n = dae_model_count(model);
  cli_counts_text(&n, counts, sizeof counts);
  cli_print_title(model);
  cli_row("has", "%s", counts[0] ? counts : "nothing");
}

/* ---- the command ---- */

/* The method that simulate names, where it can leave a start that does not determine every
 * variable; NULL: it cannot. */
static const dae_method *method_that_starts(const findings *f)
{
  const dae_model_setting *named = dae_model_find_setting(f->model, "method");
  dae_error err;
  dae_integrator *it = NULL;
  const dae_method *method = named ? dae_method_find(named->text, &err) : NULL;
  if (!method || method->create(f->problem, &f->start, NULL, NULL, &it, &err) < 0)
    return NULL;
  dae_status status = dae_integrator_interpolate(it, f->start.t, f->y, NULL, &err);
  dae_integrator_free(it);
  return status < 0 ? NULL : method;
}

static dae_status examine_start(findings *f, dae_error *err)
{
  dae_status status = dae_consistent_start(f->problem, &f->start, NULL, f->y, NULL, &f->find, err);
  const dae_method *method = status == DAE_ERROR_START ? method_that_starts(f) : NULL;
  if (status < 0 && !method) {
    cli_row("start", "cannot be made consistent");
    return status;
  }
  print_diagnosis(f);
  print_moves(f);
  if (method)
    cli_row("", "%s goes on from it", method->name);
  return DAE_OK;
}

static dae_status examine(const dae_model *model, dae_error *err)
{
  findings f = {.model = model, .problem = dae_model_problem(model)};
  f.start = dae_model_start(model);
  f.y = calloc((size_t)dae_problem_size(f.problem) + 1, sizeof *f.y);
  if (!f.y)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  print_head(model);
  print_form(f.problem);
  dae_status status = examine_start(&f, err);
  print_simulate(model);
  print_methods(f.problem);
  cli_print_coupling(f.problem, f.start.t, status >= 0 ? f.y : f.start.y);
  free(f.y);
  return status;
}

cli_exit cli_check(const cli_arguments *args)
{
  dae_model *model = NULL;
  dae_error err = dae_error_none();
  dae_status status = cli_load(args, NULL, &model, &err);
  if (status >= 0) {
    status = examine(model, &err);
    if (status < 0)
      dae_model_locate(model, &err);
    dae_model_free(model);
  }
  return status < 0 ? cli_report("check", &err) : CLI_OK;
}
