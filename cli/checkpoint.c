#include "checkpoint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Default distance of checkpoints in seconds; chosen. */
#define CHECKPOINT_EVERY 60
/* Least CPU time between two checkpoints over that of one: they take at most 1 % of a run. */
#define CHECKPOINT_SHARE 100

/* ---- options ---- */

/* Seconds of a text such as 60, 60s, 500ms, 5min, 2h. */
static bool checkpoint_read_seconds(const char *text, double *seconds)
{
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"", 1}};
  size_t length = strspn(text, "0123456789.eE+");
  char number[64];
  if (length == 0 || length >= sizeof number)
    return false;
  memcpy(number, text, length);
  number[length] = '\0';
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(text + length, units[i].name) == 0 && cli_parse_number(number, seconds)) {
      *seconds *= units[i].seconds;
      return true;
    }
  return false;
}

/* Absolute name of a file that may not exist yet. */
static char *checkpoint_absolute(const char *path)
{
  char folder[2048];
  bool relative = path[0] != '/' && getcwd(folder, sizeof folder) != NULL;
  size_t size = strlen(path) + sizeof folder + 2;
  char *whole = malloc(size);
  if (whole)
    snprintf(whole, size, "%s%s%s", relative ? folder : "", relative ? "/" : "", path);
  return whole;
}

dae_status cli_checkpoint_begin(const cli_arguments *args, cli_checkpoint *out, dae_error *err)
{
  const char *path = cli_value(args, "checkpoint"), *every = cli_value(args, "checkpoint-every");
  *out = (cli_checkpoint){.every = CHECKPOINT_EVERY};
  if (every && !path)
    return cli_fail(err, DAE_ERROR_USAGE, "--checkpoint-every belongs to --checkpoint FILE");
  if (every && !checkpoint_read_seconds(every, &out->every))
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--checkpoint-every %.60s: expected a time such as 60s, 500ms, 5min, 2h",
                    every);
  if (!path)
    return DAE_OK;
  if (!dae_checkpoint_replaces(path))
    return cli_fail(err, DAE_ERROR_USAGE,
                    "--checkpoint %.200s: the file is no checkpoint and is not overwritten", path);
  out->path = checkpoint_absolute(path);
  return out->path ? DAE_OK : cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
}

/* ---- what a checkpoint is of ---- */

/* Adds a text with its end. */
static void checkpoint_put(FILE *out, const char *text)
{
  fwrite(text, 1, strlen(text) + 1, out);
}

/* Lines that two runs must have in common: origin of the problem, method, options. */
static void checkpoint_put_origin(FILE *out, const dae_run_plan *plan)
{
  const dae_option_table *table = plan->method->options;
  char value[64];
  fprintf(out, "%smethod\t\t%s\n", plan->provenance ? plan->provenance : "", plan->method->name);
  for (int i = 0; table && plan->options && i < table->count; i++) {
    dae_options_get(table, plan->options, i, value, sizeof value);
    fprintf(out, "option\t%s\t%s\n", table->options[i].name, value);
  }
  fputc('\0', out);
}

/* The words of the command line; an option and its value are one word. */
static void checkpoint_put_words(FILE *out, const cli_arguments *args)
{
  for (int i = 0; i < args->count; i++) {
    const cli_given *given = &args->given[i];
    fprintf(out, "%s%s%s", cli_dashes(given->name).text, given->value ? "=" : "",
            given->value ? given->value : "");
    fputc('\0', out);
  }
  checkpoint_put(out, "--");
  checkpoint_put(out, args->operand);
}

dae_status cli_checkpoint_describe(cli_checkpoint *c, const cli_arguments *args,
                                   const dae_run_plan *plan, dae_error *err)
{
  char folder[2048];
  FILE *out = open_memstream(&c->about, &c->about_bytes);
  if (!out)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  checkpoint_put(out, getcwd(folder, sizeof folder) ? folder : ".");
  checkpoint_put_origin(out, plan);
  checkpoint_put_words(out, args);
  return fclose(out) == 0 ? DAE_OK : cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
}

/* ---- writing ---- */

static double checkpoint_cpu_time(void)
{
  struct timespec now = {0};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

dae_status cli_checkpoint_write(cli_checkpoint *c, dae_simulation *run, dae_error *err)
{
  size_t size = dae_simulation_save_size(run);
  if (size > c->room) {
    free(c->state);
    c->room = size + size / 4;
    c->state = malloc(c->room);
  }
  if (!c->state) {
    c->room = 0;
    return cli_fail(err, DAE_ERROR_MEMORY, "no memory for a checkpoint of %zu bytes", size);
  }
  const dae_checkpoint file = {
      .about = c->about, .about_bytes = c->about_bytes, .state = c->state, .state_bytes = size};
  double begin = checkpoint_cpu_time();
  dae_status status = dae_simulation_save(run, c->state, size, err);
  if (status >= 0)
    status = dae_checkpoint_write(c->path, &file, NULL, err);
  c->worked = checkpoint_cpu_time();
  c->spent = c->worked - begin;
  c->written = cli_wall_time();
  return status;
}

/* Whether it is time for the next checkpoint: also those of large systems must be a small part of
 * the work. */
static bool checkpoint_is_due(const cli_checkpoint *c)
{
  return cli_wall_time() - c->written >= c->every &&
         checkpoint_cpu_time() - c->worked >= CHECKPOINT_SHARE * c->spent;
}

void cli_checkpoint_tick(cli_checkpoint *c, dae_simulation *run, bool now)
{
  dae_error err;
  if (!c->path || !(now || checkpoint_is_due(c)))
    return;
  bool failed = cli_checkpoint_write(c, run, &err) < 0;
  if (failed && !c->failing)
    cli_note("%s; the run goes on, the last checkpoint stays", err.text);
  c->failing = failed;
}

void cli_checkpoint_end(cli_checkpoint *c, bool complete)
{
  if (complete && c->path)
    dae_checkpoint_remove(c->path);
  free(c->path);
  free(c->about);
  free(c->state);
  *c = (cli_checkpoint){0};
}

/* ---- resuming ---- */

/* Name of the file to which a resumed run writes: that of the last checkpoint, also if the one
 * before it is resumed. */
static char *resumed_path(const char *path)
{
  char *whole = checkpoint_absolute(path);
  size_t length = whole ? strlen(whole) : 0;
  if (length > 4 && strcmp(whole + length - 4, ".old") == 0)
    whole[length - 4] = '\0';
  return whole;
}

dae_status cli_resumed_read(const char *path, cli_resumed *out, dae_error *err)
{
  *out = (cli_resumed){0};
  dae_status status = dae_checkpoint_read(path, NULL, &out->file, err);
  if (status < 0)
    return status;
  const char *at = out->file.about, *end = at + out->file.about_bytes;
  int room = 0;
  for (const char *c = at; c < end; c++)
    room += *c == '\0';
  out->words = calloc((size_t)room + 1, sizeof *out->words);
  out->path = resumed_path(path);
  if (!out->words || !out->path)
    return cli_fail(err, DAE_ERROR_MEMORY, "out of memory");
  if (room < 4 || end[-1] != '\0')
    return cli_fail(err, DAE_ERROR_FILE, "%.300s was not written by daedal run", path);
  out->folder = at;
  out->origin = at + strlen(at) + 1;
  for (at = out->origin + strlen(out->origin) + 1; at < end; at += strlen(at) + 1)
    out->words[out->count++] = (char *)at; /* in memory of the checkpoint, which may be cut */
  if (chdir(out->folder) != 0)
    cli_note("the run was begun in %.300s, which is not there: its files are looked for here",
             out->folder);
  return DAE_OK;
}

void cli_resumed_free(cli_resumed *resumed)
{
  free(resumed->words);
  free(resumed->path);
  dae_checkpoint_free(&resumed->file, NULL);
}

/* First line in which two texts differ. */
static const char *resumed_difference(const char *a, const char *b)
{
  const char *line = a;
  for (; *a && *a == *b; a++, b++)
    line = *a == '\n' ? a + 1 : line;
  return line;
}

dae_status cli_resumed_check(const cli_resumed *resumed, const cli_checkpoint *now, dae_error *err)
{
  const char *origin = now->about + strlen(now->about) + 1;
  if (strcmp(origin, resumed->origin) == 0)
    return DAE_OK;
  const char *line = resumed_difference(resumed->origin, origin);
  char kind[16] = "", name[200] = "";
  sscanf(line, "%15[^\t]\t%199[^\t]", kind, name);
  if (strcmp(kind, "model") == 0 || strcmp(kind, "import") == 0)
    return cli_fail(err, DAE_ERROR_PROBLEM,
                    "the checkpoint %.200s is of another model: the text of %.150s has changed",
                    resumed->path, name);
  return cli_fail(err, DAE_ERROR_PROBLEM,
                  "the checkpoint %.200s is of another run: %.15s %.100s differs", resumed->path,
                  kind[0] ? kind : "something", name);
}
