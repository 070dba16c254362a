/* The command `daedal`: dispatch to its subcommands. */
#include "cli.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static const struct {
  const char *name;
  cli_exit (*main)(const cli_arguments *args);
} commands[] = {
    {"run", cli_run},         {"resume", cli_resume}, {"check", cli_check},
    {"compare", cli_compare}, {"plot", cli_plot},     {"reproduce", cli_reproduce},
    {"methods", cli_methods}, {"new", cli_new},       {"help", cli_help},
};

/* whether --help or -h is among the words before `--` */
static bool main_wants_help(int argc, char **argv)
{
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
      return true;
  return false;
}

static cli_exit main_run_command(const cli_syntax *syntax, int argc, char **argv)
{
  cli_arguments args;
  dae_error err;
  cli_exit code = CLI_USAGE;
  if (main_wants_help(argc, argv)) {
    cli_help_print(stdout, syntax);
    return CLI_OK;
  }
  if (cli_arguments_read(syntax, argc, argv, &args, &err) < 0)
    code = cli_report(syntax->command, &err);
  else
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
      if (strcmp(commands[i].name, syntax->command) == 0)
        code = commands[i].main(&args);
  cli_arguments_free(&args);
  return code;
}

static cli_exit main_dispatch(int argc, char **argv)
{
  dae_error err;
  if (argc < 2) {
    cli_help_print(stderr, NULL);
    return CLI_USAGE;
  }
  const char *word = argv[1];
  const cli_syntax *syntax = cli_syntax_find(word);
  if (syntax)
    return main_run_command(syntax, argc - 2, argv + 2);
  if (strcmp(word, "--version") == 0) {
    printf("daedal %s\n", dae_version());
    return CLI_OK;
  }
  if (main_wants_help(1, argv + 1)) {
    cli_help_print(stdout, NULL);
    return CLI_OK;
  }
  cli_no_command(word, &err);
  return cli_report(NULL, &err);
}

/* Flushes stdout: a closed pipe (head) is not a failure, a full disk is one. */
static cli_exit main_flush(cli_exit code)
{
  errno = 0;
  bool failed = ferror(stdout) != 0;
  failed = fflush(stdout) != 0 || failed;
  if (!failed || errno == EPIPE || errno == 0)
    return code;
  fprintf(stderr, "daedal: error: the output could not be written: %s\n", strerror(errno));
  return code == CLI_OK ? CLI_FILE : code;
}

int main(int argc, char **argv)
{
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a limit of file sizes is a full disk, not the end */
  return (int)main_flush(main_dispatch(argc, argv));
}
