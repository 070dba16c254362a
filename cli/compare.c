/* daedal compare: all methods over a range of tolerances, with a table, a recommendation, a page.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TOLERANCES 32
#define MOST_METHODS 64

/* One comparison from the command line to the exit code. */
typedef struct session {
  const cli_arguments *args;
  dae_model *model;
  dae_run_plan plan;
  dae_compare_plan compare;
  const dae_method *methods[MOST_METHODS];
  double rtol[MOST_TOLERANCES];
  dae_wave_child *children; /* solvers of the systems in the current run, or NULL */
  char page_name[512];
  const char *report, *json, *csv; /* file names, NULL: not written */
  dae_page *page;
  cli_progress progress;
  int shown; /* finished runs at the last update of the progress line */
} session;

/* ---- methods and tolerances ---- */

/* --methods: "bdf,radau" */
static dae_status compare_read_methods(session *s, dae_error *err)
{
  const char *text = cli_value(s->args, "methods");
  dae_status status = DAE_OK;
  int count = 0;
  for (const char *at = text; at && status >= 0; at = *at ? at + 1 : NULL) {
    char name[64];
    size_t length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), at);
    const dae_method *method = dae_method_find(name, err);
    status = method ? cli_accepts(method, dae_model_problem(s->model), err) : err->status;
    for (int i = 0; i < count && status >= 0; i++)
      if (s->methods[i] == method)
        status = cli_fail(err, DAE_ERROR_USAGE, "--methods names %s twice", name);
    if (status >= 0 && count == MOST_METHODS)
      status = cli_fail(err, DAE_ERROR_USAGE, "--methods: more than %d", MOST_METHODS);
    if (status >= 0)
      s->methods[count++] = method;
    at += length;
  }
  s->compare.methods = text ? s->methods : NULL;
  s->compare.method_count = count;
  return status;
}

static dae_status compare_add_tolerance(session *s, double rtol, dae_error *err)
{
  int *count = &s->compare.rtol_count, at = *count;
  if (!(rtol > 0 && rtol <= 1))
    return cli_fail(err, DAE_ERROR_USAGE, "--rtol: %g is not between 0 and 1", rtol);
  if (*count == MOST_TOLERANCES)
    return cli_fail(err, DAE_ERROR_USAGE, "--rtol: more than %d tolerances", MOST_TOLERANCES);
  for (int i = 0; i < *count; i++)
    if (fabs(s->rtol[i] - rtol) < 1e-6 * rtol)
      return DAE_OK;
  for (; at > 0 && s->rtol[at - 1] < rtol; at--)
    s->rtol[at] = s->rtol[at - 1];
  s->rtol[at] = rtol;
  ++*count;
  return DAE_OK;
}

/* decades from a to b, both ends included */
static dae_status compare_add_decades(session *s, double a, double b, dae_error *err)
{
  double loose = fmax(a, b), tight = fmin(a, b);
  dae_status status = compare_add_tolerance(s, tight, err);
  for (int i = 0; status >= 0; i++) {
    double rtol = loose * pow(10, -i);
    if (rtol < tight * (1 + 1e-6))
      break;
    status = compare_add_tolerance(s, rtol, err);
  }
  return status;
}

/* --rtol: "1e-6", "1e-4,1e-6", "1e-3..1e-10" */
static dae_status compare_read_tolerances(session *s, const char *text, dae_error *err)
{
  dae_status status = DAE_OK;
  s->compare.rtol = s->rtol;
  s->compare.rtol_count = 0;
  for (const char *at = text; at && status >= 0; at = *at ? at + 1 : NULL) {
    char item[64];
    double a, b;
    size_t length = strcspn(at, ",");
    snprintf(item, sizeof item, "%.*s", (int)(length < 63 ? length : 63), at);
    char *dots = strstr(item, "..");
    if (dots)
      *dots = '\0';
    if (!cli_parse_number(item, &a) || (dots && !cli_parse_number(dots + 2, &b)))
      return cli_fail(err, DAE_ERROR_USAGE,
                      "--rtol %.60s: expected a tolerance, a list or a range, as in 1e-6, "
                      "1e-4,1e-8 or 1e-3..1e-10",
                      text);
    status = dots ? compare_add_decades(s, a, b, err) : compare_add_tolerance(s, a, err);
    at += length;
  }
  return status;
}

/* Error of the recommendation: a single --rtol, or else the rtol of simulate; ratio atol/rtol of
 * simulate. */
static void compare_select_goal(session *s)
{
  const dae_model_setting *rtol = dae_model_find_setting(s->model, "rtol");
  const dae_model_setting *atol = dae_model_find_setting(s->model, "atol");
  double relative = rtol && rtol->value > 0 ? rtol->value : s->compare.wanted;
  s->compare.wanted = s->compare.rtol_count == 1 ? s->compare.rtol[0] : relative;
  if (atol && atol->value > 0)
    s->compare.atol_ratio = atol->value / relative;
}

/* ---- callbacks of the comparison ---- */

/* Whether a setting of simulate applies to a method: that of simulate, or without one any method
 * with this option. Tolerances and step sizes are varied by the comparison. */
static bool compare_setting_applies(const session *s, const dae_method *method,
                                    const dae_model_setting *setting)
{
  static const char *const others[] = {"to", "from", "every", "method", "rtol", "atol", "step"};
  const dae_model_setting *named = dae_model_find_setting(s->model, "method");
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (cli_same_name(setting->name, others[i]))
      return false;
  if (setting->system || cli_option_index(method->options, setting->name) < 0)
    return false;
  return !named || strcmp(named->text, "auto") == 0 || strcmp(named->text, method->name) == 0;
}

static dae_status compare_fill_options(void *user, const dae_method *method, double rtol,
                                       double atol, void *opts, dae_error *err)
{
  session *s = user;
  const dae_model_setting *settings;
  int count = dae_model_settings(s->model, &settings);
  dae_status status = DAE_OK;
  for (int i = 0; i < count && status >= 0; i++) {
    char number[40];
    if (compare_setting_applies(s, method, &settings[i]))
      status = dae_options_set(method->options, opts, settings[i].name,
                               cli_setting_text(&settings[i], number), err);
  }
  if (status < 0 || !method->iterates)
    return status;
  /* solvers of the systems */
  dae_model_children_free(s->children, NULL);
  s->children = NULL;
  status = dae_model_children(s->model, rtol, atol, NULL, &s->children, err);
  ((dae_wave_options *)opts)->children = s->children;
  return status;
}

static bool compare_on_progress(void *user, const dae_compare_run *run, int done, int total)
{
  session *s = user;
  if (done != s->shown) {
    snprintf(s->progress.label, sizeof s->progress.label, "%s, %s", run->method->name,
             compare_asked(run).text);
    s->progress.to = total > done ? total : done + 1;
    s->shown = done;
  }
  cli_progress_draw(&s->progress, done);
  return !cli_interrupted();
}

/* ---- files ---- */

static dae_status compare_name_files(session *s, dae_error *err)
{
  const char *name = dae_model_name(s->model);
  if (snprintf(s->page_name, sizeof s->page_name, "%s_compared.html", name) >=
      (int)sizeof s->page_name)
    return cli_fail(err, DAE_ERROR_USAGE, "the name of the model is too long for a file");
  s->report = cli_page(s->args, "report", s->page_name);
  s->json = cli_value(s->args, "json");
  s->csv = cli_value(s->args, "out");
  const char *const options[] = {"report", "json", "out"};
  const char *const paths[] = {s->report, s->json, s->csv};
  for (int i = 0; i < 3; i++) {
    if (paths[i] && cli_same_file(paths[i], s->args->operand))
      return cli_fail(err, DAE_ERROR_USAGE, "--%s %.200s would overwrite the model", options[i],
                      paths[i]);
    for (int k = 0; k < i; k++)
      if (paths[i] && paths[k] && cli_same_file(paths[i], paths[k]))
        return cli_fail(err, DAE_ERROR_USAGE, "--%s and --%s need different files, not %.200s",
                        options[k], options[i], paths[i]);
  }
  return DAE_OK;
}

/* Checks before the runs that all files can be written. */
static dae_status compare_open_files(session *s, dae_error *err)
{
  char title[300];
  dae_status status = compare_name_files(s, err);
  if (status >= 0 && s->json)
    status = cli_try_file(s->json, err);
  if (status >= 0 && s->csv)
    status = cli_try_file(s->csv, err);
  if (status < 0 || !s->report)
    return status;
  snprintf(title, sizeof title, "Methods compared: %.250s", dae_model_name(s->model));
  return dae_page_create(s->report, title, NULL, &s->page, err);
}

typedef size_t text_fn(const dae_comparison *c, char *text, size_t size);

static dae_status compare_write_text(const char *path, const dae_comparison *c, text_fn *make,
                                     dae_error *err)
{
  size_t size = make(c, NULL, 0) + 1;
  char *text = malloc(size);
  if (!text)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  make(c, text, size);
  dae_status status = cli_write_file(path, text, err);
  free(text);
  return status;
}

static dae_status compare_write_files(session *s, const dae_comparison *c, dae_error *err)
{
  dae_status status = DAE_OK;
  if (s->csv)
    status = compare_write_text(s->csv, c, dae_comparison_csv, err);
  if (status >= 0 && s->json)
    status = compare_write_text(s->json, c, dae_comparison_json, err);
  if (status >= 0 && s->page) {
    char *command = cli_command_text(s->args);
    status = compare_write_page(s->page, c, s->model, command, err);
    s->page = NULL;
    free(command);
  }
  return status;
}

/* ---- the comparison ---- */

static dae_status compare_make_plan(session *s, dae_error *err)
{
  const char *rtol = cli_value(s->args, "rtol");
  dae_model_plan(s->model, &s->plan);
  s->compare = dae_compare_defaults(&s->plan);
  s->compare.seconds = cli_number(s->args, "seconds", s->compare.seconds);
  s->compare.options = compare_fill_options;
  s->compare.progress = compare_on_progress;
  s->compare.user = s;
  if (!(s->compare.seconds > 0))
    return cli_fail(err, DAE_ERROR_USAGE, "--seconds: expected a positive number");
  dae_status status = cli_set_end(s->model, s->args, &s->plan, err);
  if (status >= 0)
    status = compare_read_methods(s, err);
  if (status >= 0 && rtol)
    status = compare_read_tolerances(s, rtol, err);
  compare_select_goal(s);
  return status;
}

/* DAE_OK if any run succeeded, otherwise the failure of the first run. */
static dae_status compare_outcome(const dae_comparison *c, dae_error *err)
{
  for (int i = 0; i < c->runs; i++)
    if (c->run[i].status >= 0)
      return DAE_OK;
  dae_status why = c->run[0].status;
  return cli_fail(err, why == DAE_ERROR_INTERRUPTED ? DAE_ERROR_STEP : why,
                  "all methods fail; %s: %s", c->run[0].method->name, c->run[0].message);
}

static dae_status compare_methods(session *s, dae_error *err)
{
  bool quiet = cli_flag(s->args, "quiet");
  dae_comparison *c;
  dae_error later = dae_error_none();
  if (!quiet)
    cli_print_title(s->model);
  fflush(stdout);
  s->progress = cli_progress_start(0, 1, !quiet);
  dae_status status = dae_compare(&s->compare, cli_env(), &c, err);
  cli_progress_erase(&s->progress);
  if (!c)
    return status;
  if (!quiet)
    compare_print(c, s->model, s->args);
  dae_status written = compare_write_files(s, c, &later);
  if (status >= 0 && written < 0) {
    *err = later;
    status = written;
  }
  if (status >= 0)
    status = compare_outcome(c, err);
  dae_comparison_free(c);
  return status;
}

cli_exit cli_compare(const cli_arguments *args)
{
  session s = {.args = args, .shown = -1};
  dae_error err = dae_error_none();
  cli_interrupt_catch();
  dae_status status = cli_load(args, cli_env(), &s.model, &err);
  if (status >= 0)
    status = cli_compile(args, s.model, &err);
  if (status >= 0)
    status = compare_make_plan(&s, &err);
  if (status >= 0)
    cli_interrupt_keep();
  if (status >= 0)
    status = compare_open_files(&s, &err);
  if (status >= 0)
    status = compare_methods(&s, &err);
  if (status < 0 && s.model)
    dae_model_locate(s.model, &err);
  cli_exit code = status < 0 ? cli_report("compare", &err) : CLI_OK;
  dae_page_discard(s.page);
  dae_model_children_free(s.children, NULL);
  dae_model_free(s.model);
  return code;
}
