/* daedal help: the tables as text, and a first model. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#define COLUMN 20 /* where explanations begin */

static const char introduction[] =
    "daedal simulates constrained dynamics: you write energies, forces and\n"
    "constraints, it finds a motion that stays on its constraints, and says how\n"
    "good it is. This is a whole model, pendulum.dae:\n"
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
    "  daedal new pendulum          writes it, with comments\n"
    "  daedal check pendulum.dae    says what kind of problem it is\n"
    "  daedal run pendulum.dae      integrates it into pendulum.csv\n"
    "  daedal plot pendulum.csv     shows the results in the terminal\n";

/* name, padding, explanation */
static void print_entry(FILE *out, const char *name, const char *text)
{
  int column = fprintf(out, "  %s", name);
  if (column > COLUMN - 2) {
    fprintf(out, "\n");
    column = 0;
  }
  fprintf(out, "%*s", COLUMN - column, "");
  cli_wrap(out, COLUMN, COLUMN, text);
}

static void print_options(FILE *out, const cli_syntax *syntax)
{
  for (int i = 0; i < syntax->count; i++) {
    const cli_option *option = &syntax->options[i];
    char name[64];
    if (option->group)
      fprintf(out, "\n%s\n", option->group);
    snprintf(name, sizeof name, "--%s%s%s", option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
    print_entry(out, name, option->help);
  }
}

static void print_exit_codes(FILE *out)
{
#define ENTRY(name, code, text) print_entry(out, #code, text);
  fprintf(out, "\nExit codes\n");
  CLI_EXIT_LIST(ENTRY)
#undef ENTRY
}

static void print_command(FILE *out, const cli_syntax *syntax)
{
  fprintf(out, "daedal %s%s%s", syntax->command, syntax->operand ? " " : "",
          syntax->operand ? syntax->operand : "");
  if (syntax->others)
    fprintf(out, " [%s ...]", syntax->others);
  fprintf(out, " [options]\n\n%s", syntax->text);
  print_options(out, syntax);
  if (strcmp(syntax->command, "run") == 0)
    print_exit_codes(out);
  fprintf(out, "\nExamples\n%s", syntax->examples);
}

static void print_all(FILE *out)
{
  fprintf(out, "%s\nCommands\n", introduction);
  for (int i = 0; cli_syntax_at(i); i++) {
    const cli_syntax *syntax = cli_syntax_at(i);
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", syntax->command, syntax->operand ? " " : "",
             syntax->operand ? syntax->operand : "");
    print_entry(out, name, syntax->summary);
  }
  fprintf(out, "\n");
  print_entry(out, "--help", "this text; after a command, its options");
  print_entry(out, "--version", "the version");
}

void cli_help_print(FILE *out, const cli_syntax *syntax)
{
  if (syntax)
    print_command(out, syntax);
  else
    print_all(out);
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
    return cli_fail(err, DAE_ERROR_USAGE, "'%.60s' is no command: did you mean `daedal run %.60s`?",
                    typed, typed);
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
