/* Forces that jump or bend where nobody declares it: the error of every method with variable steps,
 * in tolerances, with the jump at every phase of a step.
 *
 * A run without the jump finds the step of the method that contains JUMP_MIDDLE. Until the jump the
 * run with the jump has the same steps, so that the jump lies at a chosen fraction of that step:
 * fractions sin^2, which are dense at both ends.
 *
 *   test_jumps                       short form with the limits below, exit 1 where one is exceeded
 *   test_jumps --check long          long form with the same limits: all tolerances and forms
 *   test_jumps --method gauss ...    figures of one method, all tolerances
 *
 * Options: --method NAME (several; default all, "auto" included), --form NAME, --law NAME, --rtol
 * 1e-3,1e-6, --fractions N, --csv FILE (one line per run), --worst N (the N worst runs of a
 * method), --size X and --at FRACTION (one jump, with the log of its attempts). The error is max |y
 * - exact|/(1 + |exact|) of position and velocity at the end; runs that the summary calls red are
 * counted apart. */
#include "jump_forms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- limits: errors in rtol ----
 *
 * Of every method 99 % of the runs end, and in the short form none ends with an error above 300
 * rtol that the summary does not call red. In the long form 3 or 4 of 28,800 do: bends of a force
 * by 0.01 behind the last stages but one, and two jumps between two stages. The 95th percentiles
 * are about three times those measured. */

#define LEAST_ENDED 0.99

typedef struct limit {
  const char *method;
  double p95;  /* largest 95th percentile of the errors */
  long beyond; /* largest number of errors above 300 rtol, not red, in the long form */
} limit;

static const limit limits[] = {
    {"auto", 3, 8},          {"bdf", 3, 0},        {"bdf-ggl", 3, 0},     {"bdf-ggl-star", 3, 0},
    {"bdf-cs", 3, 0},        {"bdf-cm", 3, 0},     {"spark-gauss", 3, 0}, {"spark-radau", 3, 0},
    {"spark-lobatto", 3, 0}, {"lie", 3, 0},        {"explicit", 3, 5},    {"gauss", 3, 0},
    {"radau", 3, 8},         {"rosenbrock", 3, 0}, {"switching", 3, 5},
};

/* ---- one run ---- */

typedef struct outcome {
  double error; /* in rtol; INFINITY: the run did not end */
  bool red;
  long evaluations;
  double fraction, size, rtol;
  const char *form, *law;
} outcome;

typedef struct recorder {
  double y[JUMP_SIZE];
  double from, h; /* step that contains JUMP_MIDDLE */
  long steps;
  bool logged;
} recorder;

static dae_status recorder_row(void *self, const dae_row *row, dae_error *err)
{
  recorder *r = self;
  (void)err;
  memcpy(r->y, row->y, (size_t)(row->columns - 1) * sizeof *r->y);
  return DAE_OK;
}

static dae_status recorder_step(void *self, const dae_step_record *step, dae_error *err)
{
  recorder *r = self;
  (void)err;
  if (step->t - step->h <= JUMP_MIDDLE && step->t > JUMP_MIDDLE)
    r->from = step->t - step->h, r->h = step->h;
  return DAE_OK;
}

/* a run of more than 50,000 steps counts as one that does not end */
static bool recorder_progress(void *user, double t)
{
  (void)t;
  return ++((recorder *)user)->steps <= 50000;
}

static const dae_method *method_named(const char *name, const dae_problem *problem)
{
  if (strcmp(name, "auto") == 0)
    return dae_method_choose(problem, NULL, 0, NULL);
  const dae_method *method = dae_method_find(name, NULL);
  return method && method->accepts(problem, NULL) == DAE_OK ? method : NULL;
}

/* whether the summary distrusts the results: member "trust" of its JSON form */
static bool summary_is_red(const dae_summary *summary)
{
  static char text[1 << 16];
  dae_summary_json(summary, text, sizeof text);
  const char *trust = strstr(text, "\"trust\"");
  const char *red = trust ? strstr(trust, "\"red\"") : NULL;
  return red && red - trust < 64;
}

static void print_log(void *user, dae_log_level level, const char *text)
{
  (void)user, (void)level;
  fprintf(stderr, "%s\n", text);
}

/* runs the form from its start to the end of its law; false: the method does not take it */
static bool run_form(const char *name, const jump_form *form, const jump_law *law, double rtol,
                     recorder *record, outcome *out)
{
  dae_problem problem = jump_form_problem(form);
  const dae_method *method = method_named(name, &problem);
  if (!method)
    return false;
  double y[JUMP_SIZE], s, v;
  char text[32];
  void *options = malloc(method->options_size);
  if (!options)
    abort();
  jump_exact(law, 0, &s, &v);
  form->start(s, v, y);
  method->defaults(options);
  snprintf(text, sizeof text, "%g", rtol);
  dae_options_set(method->options, options, "rtol", text, NULL);
  dae_options_set(method->options, options, "atol", text, NULL);

  dae_sink sink = {.self = record, .row = recorder_row, .step = recorder_step};
  dae_run_plan plan = {.problem = problem,
                       .start = {.t = 0, .y = y},
                       .method = method,
                       .options = options,
                       .to = law->kind->to,
                       .sinks = &sink,
                       .sink_count = 1,
                       .progress = recorder_progress,
                       .progress_user = record};
  dae_summary summary;
  dae_env env = {.log = print_log};
  dae_error err = dae_error_none();
  dae_status status = dae_run(&plan, record->logged ? &env : NULL, &summary, &err);
  if (record->logged)
    fprintf(stderr, "%s\n", err.text);
  free(options);

  const double exact_is_unknown = NAN;
  out->error = exact_is_unknown;
  if (jump_exact(law, law->kind->to, &s, &v)) {
    double ds = fabs(record->y[form->position] - s) / (1 + fabs(s));
    double dv = fabs(record->y[form->velocity] - v) / (1 + fabs(v));
    out->error = ds <= dv ? dv / rtol : ds / rtol;
    if (status < 0 || isnan(out->error))
      out->error = INFINITY;
  }
  out->red = status >= 0 && summary_is_red(&summary);
  out->evaluations = summary.stats.evaluations;
  return true;
}

/* ---- a sweep: all laws, forms, tolerances and fractions by one method ---- */

typedef struct sweep {
  const char *form, *law; /* NULL: all */
  double rtol[16];
  int tolerances, fractions, worst;
  double size, at; /* 0, -1: all */
  bool held;       /* forms held back, too */
  FILE *csv;
  outcome *outcomes;
  long count, room;
} sweep;

static void sweep_add(sweep *sw, const char *method, const outcome *o)
{
  if (sw->count == sw->room) {
    sw->room = 2 * sw->room + 1024;
    sw->outcomes = realloc(sw->outcomes, (size_t)sw->room * sizeof *sw->outcomes);
    if (!sw->outcomes)
      abort();
  }
  sw->outcomes[sw->count++] = *o;
  if (sw->csv)
    fprintf(sw->csv, "%s,%s,%s,%g,%g,%.9f,%.4g,%s,%ld\n", method, o->form, o->law, o->size, o->rtol,
            o->fraction, o->error, o->red ? "red" : "", o->evaluations);
}

/* jumps over one step of the method; fractions begin at an offset that differs from case to case */
static void sweep_step(sweep *sw, const char *method, int form_index, const jump_kind *kind,
                       double size, double rtol)
{
  const double pi = 3.14159265358979323846, golden = 0.6180339887498949;
  jump_form form;
  jump_law law = jump_law_smooth(kind, size);
  outcome o = {.size = size, .rtol = rtol, .law = kind->name};
  recorder record = {.h = 0};
  jump_form_at(form_index, &law, &form);
  o.form = form.name;
  if (!run_form(method, &form, &law, rtol, &record, &o))
    return;
  double from = record.from, h = record.h, offset = fmod((double)sw->count * golden, 1);
  int ends = sw->fractions > 2 ? 2 : 0; /* jumps in the first and last thousandth of the step */
  for (int i = 0; i < sw->fractions + ends && h > 0; i++) {
    double angle = pi / 2 * (i + offset) / sw->fractions;
    o.fraction = sw->at >= 0 ? sw->at : sin(angle) * sin(angle);
    if (i >= sw->fractions)
      o.fraction = i > sw->fractions ? 1 - 1e-3 * offset : 1e-3 * offset;
    law = jump_law_at(kind, size, from + o.fraction * h);
    record = (recorder){.logged = sw->at >= 0};
    if (law.place > 0 && run_form(method, &form, &law, rtol, &record, &o) && !isnan(o.error))
      sweep_add(sw, method, &o);
  }
}

static void sweep_method(sweep *sw, const char *method)
{
  jump_form form;
  const jump_kind *kind;
  sw->count = 0;
  for (int f = 0; jump_form_at(f, NULL, &form); f++)
    for (int k = 0; (kind = jump_kind_at(k)); k++) {
      bool wanted = (sw->form ? strcmp(sw->form, form.name) == 0 : sw->held || !form.held) &&
                    (!sw->law || strcmp(sw->law, kind->name) == 0);
      for (int j = 0; wanted && j < JUMP_SIZES && kind->sizes[j] != 0; j++)
        for (int i = 0; i < sw->tolerances && (sw->size == 0 || sw->size == kind->sizes[j]); i++)
          sweep_step(sw, method, f, kind, kind->sizes[j], sw->rtol[i]);
    }
}

/* ---- figures ---- */

typedef struct figures {
  long runs, ended, beyond_30, beyond_300, beyond_1000, red; /* beyond: those not red */
  double median, p95, worst, evaluations;
} figures;

static int outcome_order(const void *a, const void *b)
{
  double x = ((const outcome *)a)->error, y = ((const outcome *)b)->error;
  return (x > y) - (x < y);
}

/* figures of a sweep, whose outcomes are sorted by their error */
static figures sweep_figures(sweep *sw)
{
  figures f = {.runs = sw->count};
  qsort(sw->outcomes, (size_t)sw->count, sizeof *sw->outcomes, outcome_order);
  for (long i = 0; i < sw->count; i++) {
    const outcome *o = &sw->outcomes[i];
    f.evaluations += (double)o->evaluations;
    if (!isfinite(o->error))
      continue;
    f.ended++, f.worst = o->error, f.red += o->red;
    f.beyond_30 += !o->red && o->error > 30;
    f.beyond_300 += !o->red && o->error > 300;
    f.beyond_1000 += !o->red && o->error > 1000;
  }
  if (f.ended > 0) {
    f.median = sw->outcomes[f.ended / 2].error;
    f.p95 = sw->outcomes[(long)(0.95 * (double)(f.ended - 1))].error;
  }
  return f;
}

static void print_figures(const char *method, const sweep *sw, const figures *f)
{
  printf("%-14s %7ld %7.2f%% %8.3g %8.3g %9.3g %7.2f%% %7.2f%% %7.2f%% %6ld %10.0f\n", method,
         f->runs, 100.0 * (double)f->ended / (double)f->runs, f->median, f->p95, f->worst,
         100.0 * (double)f->beyond_30 / (double)f->ended,
         100.0 * (double)f->beyond_300 / (double)f->ended,
         100.0 * (double)f->beyond_1000 / (double)f->ended, f->red,
         f->evaluations / (double)f->runs);
  for (long i = sw->count - 1; i >= 0 && i >= sw->count - sw->worst; i--) {
    const outcome *o = &sw->outcomes[i];
    printf("    %9.3g rtol%s: --form %s --law %s --rtol %g, size %g, at %.6f of the step\n",
           o->error, o->red ? " (red)" : "", o->form, o->law, o->rtol, o->size, o->fraction);
  }
  fflush(stdout);
}

/* number of limits that the figures exceed */
static int check_figures(const char *method, const figures *f, bool all)
{
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
    const limit *l = &limits[i];
    if (strcmp(l->method, method) != 0)
      continue;
    double ended = (double)f->ended / (double)f->runs;
    long most = all ? l->beyond : 0;
    if (ended >= LEAST_ENDED && f->p95 <= l->p95 && f->beyond_300 <= most)
      return 0;
    printf(
        "FAILED: %s: ended %.3f (at least %g), 95th percentile %.3g (at most %g), %ld beyond 300 "
        "rtol (at most %ld)\n",
        method, ended, LEAST_ENDED, f->p95, l->p95, f->beyond_300, most);
    return 1;
  }
  printf("FAILED: %s has no limits\n", method);
  return 1;
}

/* ---- command ---- */

typedef struct command {
  sweep sweep;
  const char *methods[32];
  int count;
  bool check, all; /* whether limits are checked; long form */
} command;

static void command_tolerances(sweep *sw, char *list)
{
  sw->tolerances = 0;
  for (char *word = strtok(list, ","); word && sw->tolerances < 16; word = strtok(NULL, ","))
    sw->rtol[sw->tolerances++] = strtod(word, NULL);
}

static bool command_option(command *c, const char *name, char *value)
{
  if (strcmp(name, "--method") == 0 && c->count < 32)
    c->methods[c->count++] = value;
  else if (strcmp(name, "--form") == 0)
    c->sweep.form = value;
  else if (strcmp(name, "--law") == 0)
    c->sweep.law = value;
  else if (strcmp(name, "--rtol") == 0)
    command_tolerances(&c->sweep, value);
  else if (strcmp(name, "--fractions") == 0)
    c->sweep.fractions = (int)strtol(value, NULL, 10);
  else if (strcmp(name, "--worst") == 0)
    c->sweep.worst = (int)strtol(value, NULL, 10);
  else if (strcmp(name, "--check") == 0 && strcmp(value, "long") == 0)
    c->check = c->all = true;
  else if (strcmp(name, "--size") == 0)
    c->sweep.size = strtod(value, NULL);
  else if (strcmp(name, "--at") == 0)
    c->sweep.at = strtod(value, NULL), c->sweep.fractions = 1;
  else if (strcmp(name, "--csv") == 0)
    return (c->sweep.csv = fopen(value, "w")) != NULL;
  else
    return false;
  return true;
}

/* auto and all methods with variable steps for single systems */
static void command_all_methods(command *c)
{
  const dae_method *method;
  c->methods[c->count++] = "auto";
  for (int i = 0; (method = dae_method_at(i)) && c->count < 32; i++)
    if (!method->iterates && !method->fixed_step)
      c->methods[c->count++] = method->name;
}

int main(int argc, char **argv)
{
  static char all[] = "1e-3,1e-4,1e-5,1e-6,1e-7,1e-8,1e-9,1e-10", few[] = "1e-4,1e-7";
  command c = {.check = argc == 1};
  int failures = 0;
  c.sweep.fractions = c.check ? 2 : 10;
  c.sweep.at = -1;
  c.sweep.held = !c.check;
  command_tolerances(&c.sweep, c.check ? few : all);
  for (int i = 1; i < argc; i += 2)
    if (i + 1 >= argc || !command_option(&c, argv[i], argv[i + 1])) {
      fprintf(stderr, "%s: not understood; the head of test_jumps.c has the options\n", argv[i]);
      return 2;
    }
  if (c.count == 0)
    command_all_methods(&c);
  printf("%-14s %7s %8s %8s %8s %9s %8s %8s %8s %6s %10s\n", "errors in rtol", "runs", "ended",
         "median", "95 %", "worst", "> 30", "> 300", "> 1000", "red", "f/run");
  for (int i = 0; i < c.count; i++) {
    sweep_method(&c.sweep, c.methods[i]);
    figures f = sweep_figures(&c.sweep);
    if (f.runs == 0)
      continue;
    print_figures(c.methods[i], &c.sweep, &f);
    if (c.check)
      failures += check_figures(c.methods[i], &f, c.all);
  }
  if (c.sweep.csv)
    fclose(c.sweep.csv);
  free(c.sweep.outcomes);
  return failures > 0;
}
