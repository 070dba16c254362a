/* Status codes and the caller's error record. */
#include "core/error.h"
#include "core/utf8.h"

#include <daedal/text.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

dae_status dae_error_set(dae_error *err, dae_status status, const char *name, const char *format,
                         ...)
{
  if (!err)
    return status;
  dae_error record = dae_error_none(); /* new record: the arguments may point into *err */
  va_list args;
  record.status = status;
  if (name)
    snprintf(record.equation, sizeof record.equation, "%s", name);
  va_start(args, format);
  vsnprintf(record.text, sizeof record.text, format, args);
  va_end(args);
  *err = record;
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

dae_status dae__fail_file(dae_error *err, const char *path, const char *what)
{
  return dae__fail(err, DAE_ERROR_FILE, path, "%s could not be %s: %s", path, what,
                   errno ? strerror(errno) : "unknown reason");
}

/* ---- error record as text ---- */

/* Adds a text of a model as it may be shown on a terminal. */
static void error_add_clean(dae__text *t, const char *text)
{
  for (int c; (c = dae_text_next(&text)) != 0;)
    dae__utf8_add(t, c);
}

/* Text of an error record: place in the form of compilers, "pendulum.dae:6:23: ", message, and the
 * source line with a mark under its byte `caret`. Tabs stay tabs, so that the mark is in place for
 * any tab width, and a character of several bytes counts once. */
size_t dae_error_text(const dae_error *err, char *text, size_t size)
{
  dae__text t = dae__text_in(text, size);
  if (!err)
    return 0;
  if (err->file[0]) {
    error_add_clean(&t, err->file);
    dae__text_add(&t, ":");
  } else if (err->line > 0)
    dae__text_add(&t, "line ");
  if (err->line > 0)
    dae__text_add(&t, "%d:", err->line);
  if (err->line > 0 && err->column > 0)
    dae__text_add(&t, "%d:", err->column);
  dae__text_add(&t, "%s", t.length > 0 ? " " : "");
  error_add_clean(&t, err->text[0] ? err->text : dae_status_text(err->status));
  if (!err->source[0])
    return t.length;
  dae__text_add(&t, "\n  ");
  error_add_clean(&t, err->source);
  dae__text_add(&t, "\n  ");
  for (const char *at = err->source; at < err->source + err->caret && *at;)
    dae__text_add(&t, "%c", dae_text_next(&at) == '\t' ? '\t' : ' ');
  dae__text_add(&t, "^");
  return t.length;
}
