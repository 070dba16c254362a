/* The ways by which text gets into a page, and what becomes of failures. */
#include "core/error.h"
#include "core/number.h"
#include "output/page/page.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

bool dae__page_failed(const dae_page *page)
{
  return page->error.status != DAE_OK;
}

void dae__page_fail(dae_page *page, dae_status status, const char *format, ...)
{
  if (dae__page_failed(page))
    return;
  char text[sizeof page->error.text];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  dae__fail(&page->error, status, page->path, "%s", text);
}

void dae__page_write(dae_page *page, const void *bytes, size_t length)
{
  if (dae__page_failed(page))
    return;
  errno = 0;
  if (fwrite(bytes, 1, length, page->file) != length)
    dae__page_fail(page, DAE_ERROR_FILE, "%s could not be written: %s", page->path,
                   errno ? strerror(errno) : "unknown reason");
}

void dae__page_put(dae_page *page, const char *html)
{
  dae__page_write(page, html, strlen(html));
}

void dae__page_print(dae_page *page, const char *format, ...)
{
  char text[512];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0 || (size_t)length >= sizeof text)
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a piece of the page is too long", page->path);
  else
    dae__page_write(page, text, (size_t)length);
}

static const char *page_entity(char c)
{
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  default:
    return "&#39;";
  }
}

void dae__page_escape(dae_page *page, const char *text)
{
  if (!text)
    return;
  for (;;) {
    size_t plain = strcspn(text, "&<>\"'");
    dae__page_write(page, text, plain);
    text += plain;
    if (!*text)
      return;
    dae__page_put(page, page_entity(*text++));
  }
}

void dae__page_json(dae_page *page, const char *text)
{
  if (!text) {
    dae__page_put(page, "null");
    return;
  }
  dae__page_put(page, "\"");
  for (const char *at = text; *at; at++) {
    unsigned char c = (unsigned char)*at;
    if (c < 0x20 || c == '"' || c == '\\' || c == '<') /* <: nothing ends a script element */
      dae__page_print(page, "\\u%04x", c);
    else
      dae__page_write(page, at, 1);
  }
  dae__page_put(page, "\"");
}

void dae__page_number(dae_page *page, double value)
{
  char text[40] = "null";
  if (isfinite(value))
    dae__format_double(value, text, sizeof text);
  dae__page_put(page, text);
}

char *dae__page_copy(dae_page *page, const char *text)
{
  size_t size = strlen(text ? text : "") + 1;
  char *copy = DAE__ALLOC(page->arena, char, size);
  if (copy)
    memcpy(copy, text ? text : "", size);
  else
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
  return copy;
}
