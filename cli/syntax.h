/* Tables of the commands and their options. The tests check that parser, help, manual page and
 * completions agree with them. */
#ifndef DAEDAL_CLI_SYNTAX_H
#define DAEDAL_CLI_SYNTAX_H

#include <stdbool.h>

typedef enum cli_kind {
  CLI_FLAG,
  CLI_TEXT,
  CLI_PAGE, /* optional file name ending in .html, with a default of the command */
  CLI_NUMBER,
  CLI_METHOD, /* numeric option of the method, of the same name */
  CLI_SWITCH  /* switch of the method, of the same name: on without a value */
} cli_kind;

typedef struct cli_option {
  const char *name;     /* without the dashes */
  const char *argument; /* placeholder of the value, NULL: a flag */
  cli_kind kind;
  const char *group; /* headline above the option in the help, NULL: no headline */
  const char *help;
} cli_option;

typedef struct cli_syntax {
  const char *command;
  const char *operand; /* NULL: none */
  bool needs_operand;
  const char *others;  /* placeholder of further operands, NULL: one operand at most */
  const char *summary; /* one line */
  const char *text;    /* description */
  const char *examples;
  const cli_option *options;
  int count;
  bool takes_method_options;
} cli_syntax;

/* Command i in the order of the help; NULL past the last one. */
const cli_syntax *cli_syntax_at(int i);
const cli_syntax *cli_syntax_find(const char *command);
/* Option of the command by its name, NULL: none. */
const cli_option *cli_syntax_option(const cli_syntax *syntax, const char *name);

#endif
