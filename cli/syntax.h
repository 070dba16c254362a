/* The commands and their options as tables. Reading the command line, help, the manual page and the
 * completions agree with them; the tests see to it. */
#ifndef DAEDAL_CLI_SYNTAX_H
#define DAEDAL_CLI_SYNTAX_H

#include <stdbool.h>

typedef enum cli_kind {
  CLI_FLAG,
  CLI_TEXT,
  CLI_PAGE, /* a file that ends in .html, which may be left out: the command has a name for it */
  CLI_NUMBER,
  CLI_METHOD /* a number that is handed to the method, under the same name */
} cli_kind;

typedef struct cli_option {
  const char *name;     /* without the dashes */
  const char *argument; /* what stands for the value, NULL: a flag */
  cli_kind kind;
  const char *group; /* headline above it in the help, NULL: the one before */
  const char *help;
} cli_option;

typedef struct cli_syntax {
  const char *command;
  const char *operand; /* NULL: none */
  bool needs_operand;
  const char *others;  /* any number of further ones, NULL: there is one at most */
  const char *summary; /* one line */
  const char *text;    /* what it does */
  const char *examples;
  const cli_option *options;
  int count;
  bool takes_method_options;
} cli_syntax;

/* All commands, in the order they are listed; NULL past the last one. */
const cli_syntax *cli_syntax_at(int i);
const cli_syntax *cli_syntax_find(const char *command);
/* An option of the command, NULL: it has none of that name. */
const cli_option *cli_syntax_option(const cli_syntax *syntax, const char *name);

#endif
