/* The command `daedal`: what its files share.
 *
 * One command line flows through arguments.c (what was asked), settings.c (method and options,
 * command line over model over defaults), one file for each command, and status.c (what the shell
 * is told). Everything is done with the public interface of the library. */
#ifndef DAEDAL_CLI_H
#define DAEDAL_CLI_H

#include "syntax.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <stdbool.h>
#include <stdio.h>

/* X(enumerator, exit code, when) */
#define CLI_EXIT_LIST(X)                                                                           \
  X(CLI_OK, 0, "all went well; a stop event, too, is a good end")                                  \
  X(CLI_USAGE, 1, "the command line does not make sense")                                          \
  X(CLI_MODEL, 2, "the model is not valid")                                                        \
  X(CLI_START, 3, "the start values cannot be made consistent")                                    \
  X(CLI_STEP, 4, "the integration cannot go on, or memory is out")                                 \
  X(CLI_COUPLING, 5, "the iteration of coupled systems diverged")                                  \
  X(CLI_CHECK, 6, "a required check failed")                                                       \
  X(CLI_FILE, 7, "a file could not be read or written")                                            \
  X(CLI_INTERRUPTED, 130, "interrupted; the results so far are kept")

typedef enum cli_exit {
#define CLI_EXIT_ENUM(name, code, text) name = code,
  CLI_EXIT_LIST(CLI_EXIT_ENUM)
#undef CLI_EXIT_ENUM
} cli_exit;

/* ---- arguments.c: the command line ---- */

/* One option as it was given. */
typedef struct cli_given {
  const cli_option *option; /* NULL: one of the methods' own */
  const char *name;         /* as in the table, or as typed */
  const char *value;        /* NULL for a flag */
} cli_given;

typedef struct cli_arguments {
  const cli_syntax *syntax;
  const char *operand; /* FILE or NAME, NULL where there is none */
  const char **others; /* operands behind it */
  int other_count;
  cli_given *given;
  int count;
} cli_arguments;

/* Reads what follows the command. Free with cli_arguments_free, after a failure too. */
dae_status cli_arguments_read(const cli_syntax *syntax, int argc, char **argv, cli_arguments *out,
                              dae_error *err);
void cli_arguments_free(cli_arguments *args);

/* The last value given for an option of the table, NULL: not given; of a flag whether it was. */
const char *cli_value(const cli_arguments *args, const char *name);
bool cli_flag(const cli_arguments *args, const char *name);
/* The file of a page, fallback where it was asked for without a name; NULL: not asked for. */
const char *cli_page(const cli_arguments *args, const char *name, const char *fallback);
/* The same as a number, which reading has checked; fallback: not given. */
double cli_number(const cli_arguments *args, const char *name, double fallback);

/* Loads the model that the arguments name; without env silently. */
dae_status cli_load(const cli_arguments *args, const dae_env *env, dae_model **out, dae_error *err);

/* native.c: compiles the model where --jit asks for it. What prevents that is told, and no error:
 * the model is interpreted then. An interrupt is one. */
dae_status cli_compile(const cli_arguments *args, dae_model *model, dae_error *err);

/* command.c: the command line, quoted for a shell; to be freed. NULL: out of memory. */
char *cli_command_text(const cli_arguments *args);

/* ---- names.c: names and words ---- */

/* '-' and '_' are the same. */
bool cli_same_name(const char *a, const char *b);
/* Entry of this name in the table of a method's options, -1: none. */
int cli_option_index(const dae_option_table *table, const char *name);
/* The nearest of the words to what was typed, NULL: none is near. */
const char *cli_nearest(const char *typed, const char *const *words, int count);
/* The nearest option of the command and of a method (NULL: of all methods). */
const char *cli_nearest_option(const cli_syntax *syntax, const dae_method *method,
                               const char *typed);
/* An option as it is typed: --error-test for error_test. */
typedef struct cli_typed {
  char text[72];
} cli_typed;
cli_typed cli_dashes(const char *name);
/* A whole text as a finite number, with a point in every locale. */
bool cli_parse_number(const char *text, double *value);

/* ---- settings.c: method and options of a run ---- */

typedef struct cli_choice {
  const dae_method *method;
  bool from_command; /* --method named it, or asked for auto; or --conserve did */
  bool automatic;
  char why[256]; /* the reason of auto */
  void *options; /* the method's, filled in */
  /* of a method that iterates between systems, or NULL */
  dae_wave_child *children; /* solvers of the systems */
  int *order;               /* of the systems in a sweep */
} cli_choice;

/* DAE_OK, or DAE_ERROR_UNSUPPORTED with the reason. */
dae_status cli_accepts(const dae_method *method, const dae_problem *problem, dae_error *err);

/* Command line over simulate over defaults. Free with cli_choice_free, after a failure too. */
dae_status cli_choose(const dae_model *model, const cli_arguments *args, cli_choice *out,
                      dae_error *err);
void cli_choice_free(cli_choice *choice);

/* When the run ends: --to, or what simulate says. */
dae_status cli_set_end(const dae_model *model, const cli_arguments *args, dae_run_plan *plan,
                       dae_error *err);
/* The value of a setting as the option tables read it: a word, or the shortest text of the number.
 */
const char *cli_setting_text(const dae_model_setting *setting, char number[40]);

/* What a run refused because of a setting of the model becomes an error of the model, at its place.
 */
dae_status cli_blame(const dae_model *model, const cli_arguments *args, dae_status status,
                     dae_error *err);

/* ---- coupling.c: coupled models ---- */

/* What the systems say of themselves, and --sweep, into the options of a method that iterates. */
dae_status cli_choose_coupling(const dae_model *model, const cli_arguments *args,
                               cli_choice *choice, dae_error *err);
/* How an iteration between the systems contracts at a consistent state; nothing for one system. */
void cli_print_coupling(const dae_problem *problem, double t, const double *y);

/* ---- table.c, columns.c: tables of numbers from CSV files ---- */

typedef struct cli_table {
  const char *path; /* as it was given */
  char *text;
  size_t length;
  int columns;
  char **names;
  size_t body;   /* offset of the rows */
  int body_line; /* and their line */
} cli_table;

/* Reads the file, or for - the standard input, and the names in its first line. Free with
 * cli_table_free, after a failure too. */
dae_status cli_table_read(const char *path, cli_table *out, dae_error *err);
void cli_table_free(cli_table *table);

/* Columns of numbers: entry k of the i-th is values[i * stride + k]. What is missing or not finite
 * is NaN. */
typedef struct cli_numbers {
  long rows, stride;
  double *values; /* to be freed */
} cli_numbers;

/* The numbers in these columns, each of them named once; what stands in others does not matter. */
dae_status cli_table_numbers(const cli_table *table, int count, const int *columns,
                             cli_numbers *out, dae_error *err);

/* The column of this very name. */
dae_status cli_column(const cli_table *table, const char *name, int *column, dae_error *err);
/* Adds the columns that a name or a pattern with * and ? stands for to a list, once; a pattern
 * leaves out the column `but`. chosen has room for all columns. */
dae_status cli_columns_add(const cli_table *table, const char *pattern, int but, int *chosen,
                           int *count, dae_error *err);

/* ---- terminal.c, files.c: where things are written to ---- */

/* What the standard output can show: its size, or 80 x 24; whether it takes braille and colours. */
dae_plot_terminal cli_terminal(void);

/* Writing one would destroy the other: the same name, or two names of a file. Devices are no
 * files in this sense. */
bool cli_same_file(const char *a, const char *b);
/* Whether a file that is written last can be written is better known before the work is done. */
dae_status cli_try_file(const char *path, dae_error *err);
/* The path is another name of where the standard output goes. */
bool cli_is_stdout(const char *path);
/* Writes a whole file. */
dae_status cli_write_file(const char *path, const char *text, dae_error *err);

/* ---- progress.c, interrupt.c: during a run ---- */

typedef struct cli_progress {
  bool shown;            /* there is someone to see it */
  double from, to;       /* of the run */
  double started, drawn; /* wall time; drawn: of the last redraw */
  double share, rate;    /* covered at the last redraw; smoothed, per second */
  int length;            /* characters on the line */
  char label[48];        /* what goes on; empty: t */
} cli_progress;

double cli_wall_time(void);
cli_progress cli_progress_start(double from, double to, bool wanted);
void cli_progress_draw(cli_progress *progress, double t);
void cli_progress_erase(cli_progress *progress);

/* From now on SIGINT and SIGTERM only raise a flag, once: the next one ends the process. */
void cli_interrupt_catch(void);
bool cli_interrupted(void);

/* ---- status.c: what the user and the shell are told ---- */

/* Fills in an error record and returns its status. */
__attribute__((format(printf, 3, 4))) dae_status cli_fail(dae_error *err, dae_status status,
                                                          const char *format, ...);
cli_exit cli_exit_code(dae_status status);
/* Tells the error on stderr; with a usage error, where help is. The exit code. */
cli_exit cli_report(const char *command, const dae_error *err);
/* A line on stderr that is no error. */
__attribute__((format(printf, 1, 2))) void cli_note(const char *format, ...);

/* ---- text.c: text in 80 columns ---- */

#define CLI_WIDTH 80

/* Words from the given column on; further lines are indented. Ends the line. */
void cli_wrap(FILE *out, int column, int indent, const char *text);
/* "  label        text" with the text wrapped, as in the closing block of a run; label "": none. */
__attribute__((format(printf, 2, 3))) void cli_row(const char *label, const char *format, ...);
/* The text without characters that would control a terminal. */
void cli_put_clean(FILE *out, const char *text);

/* ---- the commands ---- */

/* "2 coordinates, 1 holonomic constraint" */
void cli_counts_text(const dae_model_counts *counts, char *text, size_t size);
/* "model pendulum: a point mass on a rigid rod" */
void cli_print_title(const dae_model *model);

cli_exit cli_run(const cli_arguments *args);
cli_exit cli_check(const cli_arguments *args);
cli_exit cli_compare(const cli_arguments *args);
cli_exit cli_plot(const cli_arguments *args);
cli_exit cli_reproduce(const cli_arguments *args);
cli_exit cli_methods(const cli_arguments *args);
cli_exit cli_new(const cli_arguments *args);
cli_exit cli_help(const cli_arguments *args);

/* Help for the command, NULL: for all of them. */
void cli_help_print(FILE *out, const cli_syntax *syntax);
/* A command that does not exist, as a usage error. */
dae_status cli_no_command(const char *typed, dae_error *err);

#endif
