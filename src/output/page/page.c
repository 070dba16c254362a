/* Pages: the file, its head and foot, escaped text. Content is written as it comes; the list of
 * contents is complete at the end only, and the style moves it to the top. */
#include "output/page/page.h"

#include "core/error.h"
#include "core/number.h"
#include "page_files.inc" /* assets of page/ and uPlot, made by the build */

#include <daedal/version.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#define PAGE_BUFFER_BYTES ((size_t)1 << 16) /* chosen, not measured */

/* ---- output ---- */

void dae__page_fail(dae_page *page, dae_status status, const char *format, ...)
{
  if (page->error.status != DAE_OK)
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
  if (page->error.status != DAE_OK)
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
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a text of the page is too long", page->path);
  else
    dae__page_write(page, text, (size_t)length);
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
    char c = *text++;
    dae__page_put(page, c == '&'   ? "&amp;"
                        : c == '<' ? "&lt;"
                        : c == '>' ? "&gt;"
                        : c == '"' ? "&quot;"
                                   : "&#39;");
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
    if (c < 0x20 || c == '"' || c == '\\' || c == '<') /* <: could end the script element */
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

/* ---- head and foot ---- */

typedef struct asset {
  const unsigned char *bytes;
  size_t length;
} asset;

#define ASSET(name)                                                                                \
  {                                                                                                \
    name##_bytes, sizeof name##_bytes - 1                                                          \
  } /* without the 0 at the end */

static const asset page_css = ASSET(page_css), page_script = ASSET(page_script);
static const asset uplot_css = ASSET(uplot_css), uplot_script = ASSET(uplot_script),
                   uplot_licence = ASSET(uplot_licence); /* empty in a build without uPlot */

static void page_write_asset(dae_page *page, asset a)
{
  dae__page_write(page, a.bytes, a.length);
}

/* Writes the head. Its content security policy forbids the browser to load anything. */
static void page_write_head(dae_page *page, const char *title)
{
  dae__page_put(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
                      "base-uri 'none'; form-action 'none'\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>");
  dae__page_escape(page, title);
  dae__page_put(page, "</title>\n<style>\n");
  page_write_asset(page, uplot_css);
  page_write_asset(page, page_css);
  dae__page_put(page, "</style>\n</head>\n<body>\n<header><h1>");
  dae__page_escape(page, title);
  dae__page_print(page,
                  "</h1></header>\n<main>\n<noscript><p class=\"note\">%s and downloads need "
                  "JavaScript, which is switched off; the rest does not.</p></noscript>\n",
                  page->uplot ? "Plots, motions" : "Motions, plots to zoom");
}

/* Writes the list of contents, which the style moves to the top, the footer and the scripts. */
static void page_write_foot(dae_page *page)
{
  bool uplot = page->plots && page->uplot;
  dae__page_put(page, page->sections > 0 ? "</section>\n</main>\n" : "</main>\n");
  if (page->sections >= 2) {
    dae__page_put(page, "<nav aria-label=\"Contents\">\n<ol>\n");
    int number = 0;
    for (const dae__page_section *s = page->first_section; s; s = s->next) {
      dae__page_print(page, "<li><a href=\"#s%d\">", ++number);
      dae__page_escape(page, s->text);
      dae__page_put(page, "</a></li>\n");
    }
    dae__page_put(page, "</ol>\n</nav>\n");
  }
  dae__page_print(page, "<footer><p>Written by daedal %s.", dae_version());
  if (uplot)
    dae__page_put(page, " Plots by uPlot (MIT licence, in the source of this page).");
  dae__page_put(page, "</p></footer>\n");
  if (uplot) {
    dae__page_put(page, "<script>\n/*\n");
    page_write_asset(page, uplot_licence);
    dae__page_put(page, "*/\n");
    page_write_asset(page, uplot_script);
    dae__page_put(page, "\n</script>\n");
  }
  dae__page_put(page, "<script type=\"module\">\n");
  page_write_asset(page, page_script);
  dae__page_put(page, "</script>\n</body>\n</html>\n");
}

dae_status dae_page_create(const char *path, const char *title, const dae_env *env, dae_page **out,
                           dae_error *err)
{
  *out = NULL;
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the page has no file name");
  dae__arena *arena = dae__arena_create(env);
  dae_page *page = arena ? DAE__ALLOC(arena, dae_page, 1) : NULL;
  char *own_path = page ? DAE__ALLOC(arena, char, strlen(path) + 1) : NULL;
  char *buffer = own_path ? DAE__ALLOC(arena, char, PAGE_BUFFER_BYTES) : NULL;
  if (!buffer) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the page");
  }
  memcpy(own_path, path, strlen(path) + 1);
  *page = (dae_page){.arena = arena, .path = own_path, .buffer = buffer, .error = dae_error_none()};
  page->last_section = &page->first_section;
  page->uplot = uplot_script.length > 0;
  errno = 0;
  page->file = fopen(path, "wb");
  if (!page->file) {
    const char *why = errno ? strerror(errno) : "unknown reason";
    dae__fail(err, DAE_ERROR_FILE, path, "%s could not be created: %s", path, why);
    dae__arena_free(arena);
    return DAE_ERROR_FILE;
  }
  setvbuf(page->file, page->buffer, _IOFBF, PAGE_BUFFER_BYTES);
  page_write_head(page, title && *title ? title : path);
  *out = page;
  return DAE_OK;
}

dae_status dae_page_close(dae_page *page, dae_error *err)
{
  if (!page)
    return DAE_OK;
  if (page->columns > 0)
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a table has no end", page->path);
  page_write_foot(page);
  errno = 0;
  if (fclose(page->file) != 0)
    dae__page_fail(page, DAE_ERROR_FILE, "%s could not be written: %s", page->path,
                   errno ? strerror(errno) : "unknown reason");
  dae_status status = page->error.status;
  if (status != DAE_OK && err)
    *err = page->error;
  dae__arena_free(page->arena);
  return status;
}
