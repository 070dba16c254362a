/* daedal run: loads a model, selects the method, integrates, prints the summary; daedal resume: the
 * same from a checkpoint. */
#include "checkpoint.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One run from the command line to the exit code. */
typedef struct session {
  const cli_arguments *args;
  bool quiet, verbose;
  dae_env env;
  dae_model *model;
  cli_choice choice;
  const char **out; /* file names of the rows */
  int out_count;
  char csv[512];      /* the default one */
  char page[512];     /* default file name of the report */
  const char *report; /* file name of the report, NULL: none */
  char *command;      /* command line in the report */
  dae_run_plan plan;
  dae_sink *sinks;
  cli_progress progress;
  const cli_resumed *resumed; /* NULL: the run begins at its start */
  cli_checkpoint checkpoint;
  dae_simulation *run;
  dae_trust trust; /* verdict of the summary */
} session;

/* ---- callbacks of the library ---- */

static void run_on_log(void *user, dae_log_level level, const char *line)
{
  (void)user;
  static const char *const names[] = {"debug", "info", "warning"};
  fprintf(stderr, "daedal: %s: ", names[level]);
  cli_put_clean(stderr, line);
  fputc('\n', stderr);
}

static bool run_on_step(void *user, double t)
{
  session *s = user;
  bool interrupted = cli_interrupted();
  cli_progress_draw(&s->progress, t);
  cli_checkpoint_tick(&s->checkpoint, s->run, interrupted);
  return !interrupted;
}

/* ---- the model ---- */

static dae_status run_load(session *s, dae_error *err)
{
  double begin = cli_wall_time();
  dae_status status = cli_load(s->args, &s->env, &s->model, err);
  if (status < 0 || !s->verbose)
    return status;
  char counts[512];
  dae_model_counts n = dae_model_count(s->model);
  cli_counts_text(&n, counts, sizeof counts);
  cli_note("%s loaded in %.3g s: %s; %ld nodes, %ld instructions", s->args->operand,
           cli_wall_time() - begin, counts, n.nodes, n.instructions);
  return status;
}

/* ---- the plan ---- */

static dae_status run_set_grid(session *s, dae_error *err)
{
  static const char wanted[] = "the interval of rows is negative; 0 gives a row at every step";
  const dae_model_setting *every = dae_model_find_setting(s->model, "every");
  bool given = cli_value(s->args, "every") != NULL;
  s->plan.every = cli_number(s->args, "every", s->plan.every);
  if (s->plan.every >= 0)
    return DAE_OK;
  return given || !every ? cli_fail(err, DAE_ERROR_USAGE, "--every: %s", wanted)
                         : dae_model_fail(s->model, every->place, wanted, err);
}

static dae_status run_make_plan(session *s, dae_error *err)
{
  dae_status status = cli_choose(s->model, s->args, &s->choice, err);
  if (status < 0)
    return status;
  dae_model_plan(s->model, &s->plan);
  s->plan.progress = run_on_step;
  s->plan.progress_user = s;
  s->plan.method = s->choice.method;
  s->plan.options = s->choice.options;
  s->plan.verify = cli_flag(s->args, "verify");
  s->plan.check_error = cli_flag(s->args, "check-error");
  status = cli_set_end(s->model, s->args, &s->plan, err);
  return status < 0 ? status : run_set_grid(s, err);
}

/* ---- files ---- */

static dae_status run_check_files(const session *s, dae_error *err)
{
  static const char *const others[] = {"json", "report"};
  const char *const paths[] = {cli_value(s->args, "json"), s->report};
  const char *model = s->args->operand;
  for (int i = 0; i < s->out_count; i++) {
    if (cli_same_file(s->out[i], model))
      return cli_fail(err, DAE_ERROR_USAGE,
                      "the results would overwrite the model: name another file with --out");
    for (int k = 0; k < i; k++)
      if (cli_same_file(s->out[i], s->out[k]))
        return cli_fail(err, DAE_ERROR_USAGE, "--out names %.200s twice", s->out[i]);
  }
  for (int i = 0; i < 2; i++) {
    const char *path = paths[i];
    if (path && cli_same_file(path, model))
      return cli_fail(err, DAE_ERROR_USAGE, "--%s %.200s would overwrite the model", others[i],
                      path);
    for (int k = 0; path && k < s->out_count; k++)
      if (cli_same_file(path, s->out[k]))
        return cli_fail(err, DAE_ERROR_USAGE,
                        "--%s and the results need different files, not %.200s", others[i], path);
  }
  if (paths[0] && paths[1] && cli_same_file(paths[0], paths[1]))
    return cli_fail(err, DAE_ERROR_USAGE, "--json and --report need different files, not %.200s",
                    paths[0]);
  return DAE_OK;
}

/* Whether rows go to the standard output. */
static bool run_to_stdout(const session *s)
{
  for (int i = 0; i < s->out_count; i++)
    if (cli_is_stdout(s->out[i]))
      return true;
  return false;
}

static dae_status add_sink(session *s, dae_status status)
{
  s->plan.sink_count += status >= 0;
  return status;
}

static dae_status run_add_report(session *s, dae_error *err)
{
  s->command = cli_command_text(s->args);
  if (!s->command)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  const dae_report_options options = {.plan = &s->plan,
                                      .model = s->model,
                                      .command = s->command,
                                      .why = s->choice.automatic ? s->choice.why : NULL};
  return add_sink(
      s, dae_report_sink(s->report, &options, &s->env, &s->sinks[s->plan.sink_count], err));
}

/* File names of results and report, by default that of the model. */
static dae_status run_name_files(session *s, dae_error *err)
{
  const char *name = dae_model_name(s->model);
  int length = snprintf(s->csv, sizeof s->csv, "%s.csv", name);
  s->out = calloc((size_t)s->args->count + 1, sizeof *s->out);
  s->sinks = calloc((size_t)s->args->count + 3, sizeof *s->sinks);
  if (!s->out || !s->sinks)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  s->out_count = cli_values(s->args, "out", s->out);
  if (s->out_count == 0)
    s->out[s->out_count++] = s->csv;
  int page = snprintf(s->page, sizeof s->page, "%s.html", name);
  s->report = cli_page(s->args, "report", s->page);
  if (length >= (int)sizeof s->csv || page >= (int)sizeof s->page)
    return cli_fail(err, DAE_ERROR_USAGE, "the name of the result file is too long");
  return run_check_files(s, err);
}

static dae_status run_make_sinks(session *s, dae_error *err)
{
  const char *json = cli_value(s->args, "json");
  dae_status status = run_name_files(s, err);
  s->plan.sinks = s->sinks;
  for (int i = 0; i < s->out_count && status >= 0; i++)
    status = add_sink(s, dae_results_sink(s->out[i], &s->env, &s->sinks[s->plan.sink_count], err));
  if (status >= 0 && s->report)
    status = run_add_report(s, err);
  if (status >= 0 && json)
    status = add_sink(s, dae_json_sink(json, &s->env, &s->sinks[s->plan.sink_count], err));
  return status;
}

/* ---- the run ---- */

/* Whether title and summary are printed: not between the rows. */
static bool run_prints(const session *s)
{
  return !s->quiet && !run_to_stdout(s);
}

static void run_print_head(const session *s)
{
  if (!run_prints(s))
    return;
  cli_print_title(s->model);
  if (s->choice.automatic) {
    int column = printf("method %s (auto): ", s->choice.method->name);
    cli_wrap(stdout, column, 2, s->choice.why);
  }
  fflush(stdout);
}

/* Closing summary, unless the run has no rows. */
static void run_print_summary(const session *s, const dae_summary *summary)
{
  if (!run_prints(s) || summary->rows == 0)
    return;
  size_t size = dae_summary_text(summary, NULL, 0) + 1;
  char *text = malloc(size);
  if (!text)
    return;
  dae_summary_text(summary, text, size);
  cli_put_clean(stdout, text);
  free(text);
}

/* Variables that limited steps or iterations, with --verbose. */
static void run_print_limits(const session *s, const char *what, const char *line)
{
  bool steps = strcmp(what, "step size") == 0;
  for (; s->verbose && *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const char *first = line + strcspn(line, "\t"), *second = first + 1 + strcspn(first + 1, "\t");
    cli_note("%s limited by %.*s: share of %s %.*s, of %s %.*s", what, (int)(first - line), line,
             steps ? "steps" : "iterations", (int)(second - first - 1), first + 1,
             steps ? "rejected attempts" : "failed iterations", (int)strcspn(second + 1, "\n"),
             second + 1);
  }
}

/* Convergence rates of Newton's iteration, with --verbose. */
static void run_print_rates(const session *s, const dae_stats *n)
{
  long all = n->rates_0_01 + n->rates_0_1 + n->rates_0_5 + n->rates_1;
  if (s->verbose && all > 0)
    cli_note(
        "Newton convergence rates: %ld measured, %.0f %% below 0.01, %.0f %% to 0.1, %.0f %% to "
        "0.5, %.0f %% above",
        all, 100.0 * (double)n->rates_0_01 / (double)all,
        100.0 * (double)n->rates_0_1 / (double)all, 100.0 * (double)n->rates_0_5 / (double)all,
        100.0 * (double)n->rates_1 / (double)all);
}

/* Whether the rows go to a closed pipe, as after `| head`. */
static bool run_reader_closed(const session *s)
{
  struct pollfd gone = {.fd = STDOUT_FILENO};
  return run_to_stdout(s) && poll(&gone, 1, 0) > 0 && (gone.revents & POLLERR);
}

/* Goes to the state of the checkpoint. */
static dae_status run_load_checkpoint(session *s, dae_error *err)
{
  const dae_checkpoint *file = &s->resumed->file;
  dae_status status = dae_simulation_load(s->run, file->state, file->state_bytes, err);
  if (status == DAE_ERROR_USAGE) {
    dae_error why = *err;
    return cli_fail(err, DAE_ERROR_PROBLEM, "the checkpoint %.150s is of another run: %.300s",
                    s->resumed->path, why.text);
  }
  if (status >= 0 && run_prints(s))
    printf("resumed at t = %.10g\n", dae_simulation_time(s->run));
  return status;
}

/* Writes the first row and the first checkpoint, so that a run that cannot be resumed is refused at
 * once. */
static dae_status run_first_checkpoint(session *s, dae_error *err)
{
  if (!s->checkpoint.path)
    return DAE_OK;
  dae_status status = dae_simulation_advance(s->run, s->plan.start.t, err);
  return status < 0 ? status : cli_checkpoint_write(&s->checkpoint, s->run, err);
}

/* The run without its head and its summary. */
static dae_status run_to_its_end(session *s, dae_summary *summary, dae_error *err)
{
  *summary = (dae_summary){0};
  dae_status status = dae_simulation_create(&s->plan, &s->env, &s->run, err);
  if (status < 0)
    return status;
  status = s->resumed ? run_load_checkpoint(s, err) : run_first_checkpoint(s, err);
  if (status >= 0) {
    dae_simulation_advance(s->run, s->plan.to, err);
    status = dae_simulation_finish(s->run, summary, err);
  }
  dae_simulation_free(s->run);
  s->run = NULL;
  return status;
}

static dae_status run_integrate(session *s, dae_error *err)
{
  dae_summary summary;
  run_print_head(s);
  s->progress = cli_progress_start(s->plan.start.t, s->plan.to, !s->quiet && !s->verbose);
  dae_status status = run_to_its_end(s, &summary, err);
  cli_progress_erase(&s->progress);
  if (status == DAE_ERROR_FILE && run_reader_closed(s))
    return DAE_OK;
  run_print_summary(s, &summary);
  run_print_limits(s, "step size", summary.limits);
  run_print_limits(s, "iteration", summary.iteration_limits);
  run_print_rates(s, &summary.stats);
  s->trust = summary.trust;
  if (status < 0)
    status = cli_locate_setting(s->model, s->args, status, err);
  if (status < 0)
    dae_model_locate(s->model, err);
  return status;
}

static void run_free(session *s)
{
  for (int i = 0; i < s->plan.sink_count; i++)
    s->sinks[i].free(s->sinks[i].self);
  free(s->sinks);
  free(s->out);
  free(s->command);
  cli_choice_free(&s->choice);
  if (s->model)
    dae_model_free(s->model);
}

/* What the checkpoints are of, and whether the one that is resumed is of the same run. */
static dae_status run_prepare_checkpoints(session *s, dae_error *err)
{
  cli_checkpoint *c = &s->checkpoint;
  dae_status status = cli_checkpoint_begin(s->args, c, err);
  if (status >= 0 && s->resumed) {
    free(c->path);
    c->path = strdup(s->resumed->path);
  }
  if (status < 0 || !c->path)
    return status;
  status = cli_checkpoint_describe(c, s->args, &s->plan, err);
  return status >= 0 && s->resumed ? cli_resumed_check(s->resumed, c, err) : status;
}

/* The files of the run are named; its checkpoints are none of them. */
static dae_status run_check_checkpoint(const session *s, dae_error *err)
{
  const char *const paths[] = {s->report, cli_value(s->args, "json"), s->args->operand};
  for (int i = 0; s->checkpoint.path && i < 3 + s->out_count; i++) {
    const char *path = i < 3 ? paths[i] : s->out[i - 3];
    if (path && cli_same_file(path, s->checkpoint.path))
      return cli_fail(err, DAE_ERROR_USAGE, "--checkpoint and %.200s are the same file", path);
  }
  return DAE_OK;
}

/* The run of a command line, from its start or from a checkpoint. */
static cli_exit run_session(const cli_arguments *args, const cli_resumed *resumed, bool quiet)
{
  session s = {.args = args, .resumed = resumed, .env = *cli_env()};
  dae_error err = dae_error_none();
  cli_interrupt_catch();
  s.quiet = quiet || cli_flag(args, "quiet");
  s.verbose = cli_flag(args, "verbose");
  if (s.verbose)
    s.env.log = run_on_log;

  dae_status status = run_load(&s, &err);
  if (status >= 0)
    status = cli_compile(args, s.model, &err);
  if (status >= 0)
    status = run_make_plan(&s, &err);
  if (status >= 0)
    status = run_prepare_checkpoints(&s, &err);
  if (status >= 0)
    cli_interrupt_keep();
  if (status >= 0)
    status = run_make_sinks(&s, &err);
  if (status >= 0)
    status = run_check_checkpoint(&s, &err);
  if (status >= 0)
    status = run_integrate(&s, &err);
  if (status == DAE_ERROR_INTERRUPTED && (resumed || s.checkpoint.written > 0))
    cli_note("daedal resume %s continues the run", s.checkpoint.path);
  cli_checkpoint_end(&s.checkpoint, status >= 0);
  cli_exit code = status < 0 ? cli_report(resumed ? "resume" : "run", &err) : CLI_OK;
  if (code == CLI_OK && s.trust == DAE_TRUST_RED && cli_flag(args, "strict"))
    code = CLI_TRUST;
  run_free(&s);
  return code;
}

cli_exit cli_run(const cli_arguments *args)
{
  return run_session(args, NULL, false);
}

cli_exit cli_resume(const cli_arguments *args)
{
  cli_resumed resumed;
  cli_arguments words = {0};
  dae_error err = dae_error_none();
  cli_exit code = CLI_OK;
  dae_status status = cli_resumed_read(args->operand, &resumed, &err);
  if (status >= 0)
    status = cli_arguments_read(cli_syntax_find("run"), resumed.count, resumed.words, &words, &err);
  code = status < 0 ? cli_report("resume", &err)
                    : run_session(&words, &resumed, cli_flag(args, "quiet"));
  cli_arguments_free(&words);
  cli_resumed_free(&resumed);
  return code;
}
