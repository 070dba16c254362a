/* The error record as a person reads it. */
#include <daedal/status.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Text into a buffer that may be too small; length is what would be needed. */
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

__attribute__((format(printf, 2, 3))) static void error_add(writer *w, const char *format, ...)
{
  bool room = w->length < w->size;
  va_list args;
  va_start(args, format);
  int n =
      vsnprintf(room ? w->text + w->length : NULL, room ? w->size - w->length : 0, format, args);
  va_end(args);
  w->length += n > 0 ? (size_t)n : 0;
}

/* "pendulum.dae:6:23: ", as compilers say it, so that editors find the place */
static void error_add_place(writer *w, const dae_error *err)
{
  if (err->file[0])
    error_add(w, "%s:", err->file);
  else if (err->line > 0)
    error_add(w, "line ");
  if (err->line > 0)
    error_add(w, "%d:", err->line);
  if (err->line > 0 && err->column > 0)
    error_add(w, "%d:", err->column);
  if (w->length > 0)
    error_add(w, " ");
}

/* The line, and a mark under its byte `caret`: tabs stay tabs, so that the mark stands right
 * whatever their width, and a character of several bytes counts once. */
static void error_add_source(writer *w, const dae_error *err)
{
  const char *source = err->source;
  error_add(w, "\n  %s\n  ", source);
  for (int i = 0; i < err->caret && source[i]; i++) {
    bool continues = ((unsigned char)source[i] & 0xC0) == 0x80;
    if (!continues)
      error_add(w, "%c", source[i] == '\t' ? '\t' : ' ');
  }
  error_add(w, "^");
}

size_t dae_error_text(const dae_error *err, char *text, size_t size)
{
  writer w = {.text = text, .size = size};
  if (size > 0)
    text[0] = '\0';
  if (!err)
    return 0;
  error_add_place(&w, err);
  error_add(&w, "%s", err->text[0] ? err->text : dae_status_text(err->status));
  if (err->source[0])
    error_add_source(&w, err);
  return w.length;
}
