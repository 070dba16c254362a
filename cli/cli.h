/* The command `daedal`: declarations shared by its files.
 *
 * One command line flows through arguments.c (options and operands), settings.c (method and
 * options: the command line overrides the model, which overrides the defaults), one file for each
 * command, and status.c (messages and exit codes). The command uses only the public interface of
 * the library. */
#ifndef DAEDAL_CLI_H
#define DAEDAL_CLI_H

#include "syntax.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <stdbool.h>
#include <stdio.h>

/* X(enumerator, exit code, condition) */
#define CLI_EXIT_LIST(X)                                                                           \
  X(CLI_OK, 0, "success, also of a run that ends at a stop event")                                 \
  X(CLI_USAGE, 1, "the command line is not valid")                                                 \
  X(CLI_MODEL, 2, "the model is not valid")                                                        \
  X(CLI_START, 3, "the start values cannot be made consistent")                                    \
  X(CLI_STEP, 4, "the integration fails, or memory is exhausted")                                  \
  X(CLI_COUPLING, 5, "the iteration of coupled systems diverges")                                  \
  X(CLI_CHECK, 6, "a required check fails")                                                        \
  X(CLI_FILE, 7, "a file cannot be read or written")                                               \
  X(CLI_TRUST, 8, "the verdict on the results is red and --strict is given")                       \
  X(CLI_INTERRUPTED, 130, "interrupted; the results so far are kept")

typedef enum cli_exit {
#define CLI_EXIT_ENUM(name, code, text) name = code,
  CLI_EXIT_LIST(CLI_EXIT_ENUM)
#undef CLI_EXIT_ENUM
} cli_exit;

/* ---- arguments.c: the command line ---- */

/* One option of the command line. */
typedef struct cli_given {
  const cli_option *option; /* entry of the command's table, NULL: an option of a method */
  const char *name;         /* name in the table, or as typed */
  const char *value;        /* NULL for a flag */
} cli_given;

typedef struct cli_arguments {
  const cli_syntax *syntax;
  const char *operand; /* FILE or NAME, NULL: none */
  const char **others; /* further operands */
  int other_count;
  cli_given *given;
  int count;
} cli_arguments;

/* Reads the words after the command. Free with cli_arguments_free, also after a failure. */
dae_status cli_arguments_read(const cli_syntax *syntax, int argc, char **argv, cli_arguments *out,
                              dae_error *err);
void cli_arguments_free(cli_arguments *args);

/* Last value of an option of the command's table, NULL: not given. */
const char *cli_value(const cli_arguments *args, const char *name);
/* Writes the values of an option that may be repeated, at most args->count; returns their number.
 */
int cli_values(const cli_arguments *args, const char *name, const char **out);
/* Whether an option of the command's table is given. */
bool cli_flag(const cli_arguments *args, const char *name);
/* File name of a page, fallback for the option without a name, NULL: not given. */
const char *cli_page(const cli_arguments *args, const char *name, const char *fallback);
/* Value of a numeric option, checked by cli_arguments_read; fallback: not given. */
double cli_number(const cli_arguments *args, const char *name, double fallback);

/* Loads the model of the operand, with --set, --set-from and --input. */
dae_status cli_load(const cli_arguments *args, const dae_env *env, dae_model **out, dae_error *err);

/* native.c: compiles the model if --jit is given. A failed compilation is a note, not an error: the
 * model is then interpreted. An interrupt is an error. */
dae_status cli_compile(const cli_arguments *args, dae_model *model, dae_error *err);

/* command.c: the command line, quoted for a shell, allocated by malloc. NULL: out of memory. */
char *cli_command_text(const cli_arguments *args);

/* ---- names.c: names and words ---- */

/* Equality of names, with '-' equal to '_'. */
bool cli_same_name(const char *a, const char *b);
/* Index of the name in the option table of a method, -1: none. */
int cli_option_index(const dae_option_table *table, const char *name);
/* Nearest of the words to a mistyped one, NULL: none is near. */
const char *cli_nearest(const char *typed, const char *const *words, int count);
/* Nearest option of the command and of a method (NULL: of all methods) to a mistyped one. */
const char *cli_nearest_option(const cli_syntax *syntax, const dae_method *method,
                               const char *typed);
/* Option with dashes: --error-test for error_test. */
typedef struct cli_typed {
  char text[72];
} cli_typed;
cli_typed cli_dashes(const char *name);
/* Finite number from the whole text, with a decimal point in every locale. */
bool cli_parse_number(const char *text, double *value);

/* ---- settings.c: method and options of a run ---- */

typedef struct cli_choice {
  const dae_method *method;
  bool from_command;        /* method set by --method or --conserve */
  bool automatic;           /* method selected by auto */
  bool quiet;               /* no notes on settings that are ignored */
  char why[256];            /* reason of auto */
  void *options;            /* option struct of the method */
  dae_wave_child *children; /* solvers of the systems of a dynamic iteration, or NULL */
  int *order;               /* order of the systems in a sweep, or NULL */
} cli_choice;

/* Whether a method applies to a problem: DAE_OK, or DAE_ERROR_UNSUPPORTED with the reason. */
dae_status cli_accepts(const dae_method *method, const dae_problem *problem, dae_error *err);

/* Method and options: the command line overrides simulate, which overrides the defaults. Free with
 * cli_choice_free, also after a failure. */
dae_status cli_choose(const dae_model *model, const cli_arguments *args, cli_choice *out,
                      dae_error *err);
/* Options that a run with --method NAME and nothing else has; freed as those of cli_choose. */
dae_status cli_choose_options(const dae_model *model, const dae_method *method, cli_choice *out,
                              dae_error *err);
void cli_choice_free(cli_choice *choice);

/* End time of the run: --to, or that of simulate. */
dae_status cli_set_end(const dae_model *model, const cli_arguments *args, dae_run_plan *plan,
                       dae_error *err);
/* Value of a setting as text for dae_options_set: a word, or the shortest text of the number. */
const char *cli_setting_text(const dae_model_setting *setting, char number[40]);

/* Turns a refusal caused by a setting of the model into an error of the model, with its place. */
dae_status cli_locate_setting(const dae_model *model, const cli_arguments *args, dae_status status,
                              dae_error *err);

/* ---- coupling.c: coupled models ---- */

/* Sets solvers of the systems and order of --sweep in the options of a dynamic iteration. */
dae_status cli_choose_coupling(const dae_model *model, const cli_arguments *args,
                               cli_choice *choice, dae_error *err);
/* Prints the contraction of the dynamic iteration at a consistent state; nothing for one system. */
void cli_print_coupling(const dae_problem *problem, double t, const double *y);

/* ---- table.c, columns.c: tables of numbers from CSV files ---- */

typedef struct cli_table {
  const char *path; /* file name, or - */
  char *text;
  size_t length;
  int columns;
  char **names;
  size_t body;         /* offset of the first row in the text */
  int body_line;       /* line number of the first row */
  dae_results *binary; /* contents of a binary file, in place of a text */
} cli_table;

/* Reads the file, or for - the standard input, and the names in its first line. Free with
 * cli_table_free, also after a failure. */
dae_status cli_table_read(const char *path, cli_table *out, dae_error *err);
void cli_table_free(cli_table *table);

/* Columns of numbers: entry k of column i is values[i * stride + k]. Missing values and values that
 * are not finite are NaN. */
typedef struct cli_numbers {
  long rows, stride;
  double *values; /* allocated by malloc */
} cli_numbers;

/* Numbers of the given columns, each listed once. */
dae_status cli_table_numbers(const cli_table *table, int count, const int *columns,
                             cli_numbers *out, dae_error *err);

/* Column with exactly this name. */
dae_status cli_column(const cli_table *table, const char *name, int *column, dae_error *err);
/* Adds the columns that match a name or a pattern with * and ? to a list without duplicates; a
 * pattern does not match the column `but`. The size of chosen is the number of columns. */
dae_status cli_columns_add(const cli_table *table, const char *pattern, int but, int *chosen,
                           int *count, dae_error *err);

/* ---- terminal.c, files.c: output ---- */

/* Capabilities of the standard output: size, by default 80 x 24, braille, colours. */
dae_plot_terminal cli_terminal(void);

/* Whether two paths name the same regular file. */
bool cli_same_file(const char *a, const char *b);
/* Whether a file can be written, as a check before the run; the file itself is not touched. */
dae_status cli_try_file(const char *path, dae_error *err);
/* Whether the path is "-" or names the file of the standard output. */
bool cli_is_stdout(const char *path);
/* Writes a whole file. */
dae_status cli_write_file(const char *path, const char *text, dae_error *err);

/* ---- progress.c, interrupt.c: during a run ---- */

typedef struct cli_progress {
  bool shown;      /* the standard error is a terminal */
  double from, to; /* time span of the run */
  double started;  /* wall time of the start */
  double drawn;    /* wall time of the last redraw */
  double share;    /* covered share of the time span at the last redraw */
  double rate;     /* smoothed share per second */
  int length;      /* characters on the line */
  char label[48];  /* text in place of the time t; empty: t */
} cli_progress;

double cli_wall_time(void);
cli_progress cli_progress_start(double from, double to, bool wanted);
void cli_progress_draw(cli_progress *progress, double t);
void cli_progress_erase(cli_progress *progress);

/* Environment of long work in the library: it ends when a signal has come. */
const dae_env *cli_env(void);
/* Installs a handler by which the first SIGINT, SIGTERM or SIGHUP sets a flag; the next one ends
 * the process. */
void cli_interrupt_catch(void);
/* From here on there are results to complete after a signal: without them the process ends half a
 * second later, whatever it is doing. */
void cli_interrupt_keep(void);
/* Ends the process, unless there are results to complete: releasing a large model takes time. */
void cli_interrupt_end(void);
bool cli_interrupted(void);

/* ---- status.c: messages and exit codes ---- */

/* Fills in an error record and returns its status. */
__attribute__((format(printf, 3, 4))) dae_status cli_fail(dae_error *err, dae_status status,
                                                          const char *format, ...);
cli_exit cli_exit_code(dae_status status);
/* Prints the error on stderr, for a usage error with a hint to the help; returns the exit code. */
cli_exit cli_report(const char *command, const dae_error *err);
/* Prints a note on stderr. */
__attribute__((format(printf, 1, 2))) void cli_note(const char *format, ...);

/* ---- text.c: text in 80 columns ---- */

#define CLI_WIDTH 80

/* Prints words from the given column on, with further lines indented, and a newline. */
void cli_wrap(FILE *out, int column, int indent, const char *text);
/* "  label        text" with the text wrapped, as in the closing summary; label "": none. */
__attribute__((format(printf, 2, 3))) void cli_row(const char *label, const char *format, ...);
/* Prints a text of a model, with '?' for what could control the terminal (dae_text_next). */
void cli_put_clean(FILE *out, const char *text);
/* Prints a name of a model behind `indent` blanks, in at least `width` columns and two blanks;
 * returns the number of columns. */
int cli_put_name(int indent, const char *name, int width);

/* ---- the commands ---- */

/* "2 coordinates, 1 holonomic constraint" */
void cli_counts_text(const dae_model_counts *counts, char *text, size_t size);
/* "model pendulum: a point mass on a rigid rod" */
void cli_print_title(const dae_model *model);

cli_exit cli_run(const cli_arguments *args);
cli_exit cli_resume(const cli_arguments *args);
cli_exit cli_check(const cli_arguments *args);
cli_exit cli_compare(const cli_arguments *args);
cli_exit cli_plot(const cli_arguments *args);
cli_exit cli_reproduce(const cli_arguments *args);
cli_exit cli_methods(const cli_arguments *args);
cli_exit cli_new(const cli_arguments *args);
cli_exit cli_help(const cli_arguments *args);

/* Prints the help of a command, NULL: of all commands. */
void cli_help_print(FILE *out, const cli_syntax *syntax);
/* Usage error for an unknown command. */
dae_status cli_no_command(const char *typed, dae_error *err);

#endif
