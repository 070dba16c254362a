/* Capabilities of the standard output: size, braille, colours. */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS 24

static const char *terminal_variable(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* positive number from an environment variable: COLUMNS, LINES */
static int terminal_number(const char *name, int fallback)
{
  const char *text = terminal_variable(name);
  long number = text ? strtol(text, NULL, 10) : 0;
  return number > 0 && number < 10000 ? (int)number : fallback;
}

/* Whether braille can be shown: UTF-8 by the locale, or no locale, as in most containers. The Linux
 * console has UTF-8 but no braille. */
static bool terminal_has_braille(bool terminal)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL, *type = terminal_variable("TERM");
  if (terminal && type && (strcmp(type, "linux") == 0 || strcmp(type, "dumb") == 0))
    return false;
  for (int i = 0; i < 3 && !locale; i++)
    locale = terminal_variable(names[i]);
  const char *charset = locale ? strchr(locale, '.') : NULL;
  return !locale || (charset && (strncasecmp(charset + 1, "utf-8", 5) == 0 ||
                                 strncasecmp(charset + 1, "utf8", 4) == 0));
}

dae_plot_terminal cli_terminal(void)
{
  bool terminal = isatty(STDOUT_FILENO);
  const char *type = terminal_variable("TERM");
  dae_plot_terminal t = {.columns = terminal_number("COLUMNS", CLI_WIDTH),
                         .rows = terminal_number("LINES", ROWS)};
  struct winsize size;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    t.columns = size.ws_col;
    t.rows = size.ws_row > 0 ? size.ws_row : ROWS;
  }
  t.ascii = !terminal_has_braille(terminal);
  t.colour = terminal && !terminal_variable("NO_COLOR") && !(type && strcmp(type, "dumb") == 0);
  return t;
}
