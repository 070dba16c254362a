/* Status codes and the caller's error record. */
#include "core/error.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

const char *dae_status_name(dae_status status)
{
  switch (status) {
#define NAME(name, value, text)                                                                    \
  case name:                                                                                       \
    return #name;
    DAE_STATUS_LIST(NAME)
#undef NAME
  }
  return "unknown status";
}

const char *dae_status_text(dae_status status)
{
  switch (status) {
#define TEXT(name, value, text)                                                                    \
  case name:                                                                                       \
    return text;
    DAE_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "this status is not known to the library";
}

dae_error dae_error_none(void)
{
  return (dae_error){.status = DAE_OK, .t = NAN, .h = NAN};
}

__attribute__((format(printf, 4, 0))) static void error_record(dae_error *err, dae_status status,
                                                               const char *equation,
                                                               const char *format, va_list args)
{
  if (!err)
    return;
  dae_error record = dae_error_none(); /* new record: the arguments may point into *err */
  record.status = status;
  if (equation)
    snprintf(record.equation, sizeof record.equation, "%s", equation);
  vsnprintf(record.text, sizeof record.text, format, args);
  *err = record;
}

dae_status dae__fail(dae_error *err, dae_status status, const char *equation, const char *format,
                     ...)
{
  va_list args;
  va_start(args, format);
  error_record(err, status, equation, format, args);
  va_end(args);
  return status;
}

dae_status dae_error_set(dae_error *err, dae_status status, const char *name, const char *format,
                         ...)
{
  va_list args;
  va_start(args, format);
  error_record(err, status, name, format, args);
  va_end(args);
  return status;
}

void dae__fail_at(dae_error *err, double t, double h)
{
  if (!err)
    return;
  err->t = t;
  err->h = h;
}

dae_status dae__out_of_memory(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory");
}

/* ---- error record as text ---- */

/* Text in a buffer that may be too small; length is the length of the whole text. */
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

/* Text of an error record: place in the form of compilers, "pendulum.dae:6:23: ", message, and the
 * source line with a mark under its byte `caret`. Tabs stay tabs, so that the mark is in place for
 * any tab width, and a character of several bytes counts once. */
size_t dae_error_text(const dae_error *err, char *text, size_t size)
{
  writer w = {.text = text, .size = size};
  if (size > 0)
    text[0] = '\0';
  if (!err)
    return 0;
  if (err->file[0])
    error_add(&w, "%s:", err->file);
  else if (err->line > 0)
    error_add(&w, "line ");
  if (err->line > 0)
    error_add(&w, "%d:", err->line);
  if (err->line > 0 && err->column > 0)
    error_add(&w, "%d:", err->column);
  error_add(&w, "%s%s", w.length > 0 ? " " : "",
            err->text[0] ? err->text : dae_status_text(err->status));
  if (!err->source[0])
    return w.length;
  error_add(&w, "\n  %s\n  ", err->source);
  for (int i = 0; i < err->caret && err->source[i]; i++) {
    bool continuation_byte = ((unsigned char)err->source[i] & 0xC0) == 0x80;
    if (!continuation_byte)
      error_add(&w, "%c", err->source[i] == '\t' ? '\t' : ' ');
  }
  error_add(&w, "^");
  return w.length;
}
