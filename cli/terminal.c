/* What the standard output can show. */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define ROWS 24

static const char *variable(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

/* COLUMNS and LINES */
static int number_of(const char *name, int fallback)
{
  const char *text = variable(name);
  long number = text ? strtol(text, NULL, 10) : 0;
  return number > 0 && number < 10000 ? (int)number : fallback;
}

/* The locale decides, as far as there is one: without, as in most containers, UTF-8 is what
 * terminals and files have these days. The console of Linux has UTF-8 but no braille. */
static bool takes_braille(bool terminal)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  const char *locale = NULL, *type = variable("TERM");
  if (terminal && type && (strcmp(type, "linux") == 0 || strcmp(type, "dumb") == 0))
    return false;
  for (int i = 0; i < 3 && !locale; i++)
    locale = variable(names[i]);
  const char *charset = locale ? strchr(locale, '.') : NULL;
  return !locale || (charset && (strncasecmp(charset + 1, "utf-8", 5) == 0 ||
                                 strncasecmp(charset + 1, "utf8", 4) == 0));
}

dae_plot_terminal cli_terminal(void)
{
  bool terminal = isatty(STDOUT_FILENO);
  const char *type = variable("TERM");
  dae_plot_terminal t = {.columns = number_of("COLUMNS", CLI_WIDTH),
                         .rows = number_of("LINES", ROWS)};
  struct winsize size;
  if (terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    t.columns = size.ws_col;
    t.rows = size.ws_row > 0 ? size.ws_row : ROWS;
  }
  t.ascii = !takes_braille(terminal);
  t.colour = terminal && !variable("NO_COLOR") && !(type && strcmp(type, "dumb") == 0);
  return t;
}
