/* daedal help: the tables of commands and options as text, and a first model. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN 20 /* first column of explanations */

static const char introduction[] =
    "daedal simulates constrained dynamics: a model consists of energies, forces and\n"
    "constraints; daedal computes a motion that satisfies the constraints, and\n"
    "reports its accuracy. A complete model, pendulum.dae:\n"
    "\n"
    "  model pendulum \"a point mass on a rigid rod\"\n"
    "  param m = 1, L = 1, g = 9.81\n"
    "  coord x = L, y = 0\n"
    "  kinetic    m*(x'^2 + y'^2)/2\n"
    "  potential  m*g*y\n"
    "  constraint rod: x^2 + y^2 = L^2\n"
    "  output energy = kinetic + potential\n"
    "  simulate to 10 rtol 1e-6\n"
    "\n"
    "To try it:\n"
    "\n"
    "  daedal new pendulum          writes the model, with comments\n"
    "  daedal check pendulum.dae    reports the kind of problem\n"
    "  daedal run pendulum.dae      integrates it, with results in pendulum.csv\n"
    "  daedal plot pendulum.csv     plots the results in the terminal\n";

/* row of a name and its explanation */
static void help_print_entry(FILE *out, const char *name, const char *text)
{
  int column = fprintf(out, "  %s", name);
  if (column > COLUMN - 2) {
    fprintf(out, "\n");
    column = 0;
  }
  fprintf(out, "%*s", COLUMN - column, "");
  cli_wrap(out, COLUMN, COLUMN, text);
}

static void help_print_options(FILE *out, const cli_syntax *syntax)
{
  for (int i = 0; i < syntax->count; i++) {
    const cli_option *option = &syntax->options[i];
    char name[64];
    if (option->group)
      fprintf(out, "\n%s\n", option->group);
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    help_print_entry(out, name, option->help);
  }
}

static void help_print_exit_codes(FILE *out)
{
#define ENTRY(name, code, text) help_print_entry(out, #code, text);
  fprintf(out, "\nExit codes\n");
  CLI_EXIT_LIST(ENTRY)
#undef ENTRY
}

static void help_print_command(FILE *out, const cli_syntax *syntax)
{
  fprintf(out, "daedal %s%s%s", syntax->command, syntax->operand ? " " : "",
          syntax->operand ? syntax->operand : "");
  if (syntax->others)
    fprintf(out, " [%s ...]", syntax->others);
  fprintf(out, " [options]\n\n%s", syntax->text);
  help_print_options(out, syntax);
  if (strcmp(syntax->command, "run") == 0)
    help_print_exit_codes(out);
  fprintf(out, "\nExamples\n%s", syntax->examples);
}

static void help_print_all(FILE *out)
{
  fprintf(out, "%s\nCommands\n", introduction);
  for (int i = 0; cli_syntax_at(i); i++) {
    const cli_syntax *syntax = cli_syntax_at(i);
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", syntax->command, syntax->operand ? " " : "",
             syntax->operand ? syntax->operand : "");
    help_print_entry(out, name, syntax->summary);
  }
  fprintf(out, "\n");
  help_print_entry(out, "--help", "this text; after a command, its options");
  help_print_entry(out, "--version", "the version");
}

void cli_help_print(FILE *out, const cli_syntax *syntax)
{
  if (syntax)
    help_print_command(out, syntax);
  else
    help_print_all(out);
}

dae_status cli_no_command(const char *typed, dae_error *err)
{
  const char *words[16];
  int count = 0;
  for (; cli_syntax_at(count) && count < 16; count++)
    words[count] = cli_syntax_at(count)->command;
  const char *near = cli_nearest(typed, words, count), *dot = strrchr(typed, '.');
  if (near)
    return cli_fail(err, DAE_ERROR_USAGE, "there is no command '%.60s': did you mean %s?", typed,
                    near);
  if (dot && strcmp(dot, ".dae") == 0)
    return cli_fail(err, DAE_ERROR_USAGE,
                    "'%.60s' is not a command: did you mean `daedal run %.60s`?", typed, typed);
  return cli_fail(err, DAE_ERROR_USAGE, "there is no command '%.60s'", typed);
}

cli_exit cli_help(const cli_arguments *args)
{
  const cli_syntax *syntax = args->operand ? cli_syntax_find(args->operand) : NULL;
  dae_error err;
  if (args->operand && !syntax) {
    cli_no_command(args->operand, &err);
    return cli_report(NULL, &err);
  }
  cli_help_print(stdout, syntax);
  return CLI_OK;
}
