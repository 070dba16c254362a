/* Text in 80 columns. Continuation bytes of UTF-8 take no column. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

#define LABEL 15             /* columns before the text of a row */
#define TEXT_REPLACED 0xfffd /* of dae_text_next: not to be shown */

/* width of n bytes in columns */
static int text_width(const char *text, size_t n)
{
  int width = 0;
  for (size_t i = 0; i < n; i++)
    width += ((unsigned char)text[i] & 0xc0) != 0x80;
  return width;
}

/* Writes n bytes of a text, '?' in place of what could control the terminal. */
static void text_put_clean(FILE *out, const char *text, size_t n)
{
  const char *end = text + n;
  for (const char *from = text; from < end; from = text)
    if (dae_text_next(&text) == TEXT_REPLACED || *from == '\r')
      fputc('?', out);
    else
      fwrite(from, 1, (size_t)(text - from), out);
}

void cli_put_clean(FILE *out, const char *text)
{
  text_put_clean(out, text, strlen(text));
}

int cli_put_name(int indent, const char *name, int width)
{
  size_t length = strlen(name);
  int own = text_width(name, length), blanks = width > own ? width - own : 0;
  printf("%*s", indent, "");
  text_put_clean(stdout, name, length);
  return indent + own + printf("%*s", blanks + 2, "");
}

void cli_wrap(FILE *out, int column, int indent, const char *text)
{
  bool first = true;
  for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
    size_t length = strcspn(text, " ");
    int width = text_width(text, length);
    if (!first && column + 1 + width > CLI_WIDTH) {
      fprintf(out, "\n%*s", indent, "");
      column = indent;
    } else if (!first) {
      fputc(' ', out);
      column++;
    }
    text_put_clean(out, text, length);
    column += width;
    text += length;
    first = false;
  }
  fputc('\n', out);
}

void cli_row(const char *label, const char *format, ...)
{
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  printf("  %-*s", LABEL - 2, label);
  cli_wrap(stdout, LABEL, LABEL, text);
}

void cli_print_title(const dae_model *model)
{
  const char *title = dae_model_title(model);
  printf("model ");
  cli_put_clean(stdout, dae_model_name(model));
  printf("%s", title[0] ? ": " : "");
  cli_put_clean(stdout, title);
  putchar('\n');
}
