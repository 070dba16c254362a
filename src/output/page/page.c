/* Pages: the file, its head and its foot. Content goes to the file as it comes; the list of
 * contents is known last, stands at the end, and is put in its place by the style. */
#include "output/page/page.h"

#include "core/error.h"

#include <daedal/version.h>
#include <errno.h>
#include <string.h>

#define BUFFER ((size_t)1 << 16)

static void page_write_file(dae_page *page, dae__page_file file)
{
  dae__page_write(page, file.bytes, file.length);
}

/* Nothing is loaded from anywhere: the policy forbids it to the browser as well. */
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
  page_write_file(page, dae__uplot_css);
  page_write_file(page, dae__page_css);
  dae__page_put(page, "</style>\n</head>\n<body>\n<header><h1>");
  dae__page_escape(page, title);
  dae__page_print(page,
                  "</h1></header>\n<main>\n<noscript><p class=\"note\">%s and downloads need "
                  "JavaScript, which is switched off; the rest does not.</p></noscript>\n",
                  page->uplot ? "Plots, motions" : "Motions, plots to zoom");
}

static void page_write_contents(dae_page *page)
{
  if (page->sections < 2)
    return;
  dae__page_put(page, "<nav aria-label=\"Contents\">\n<ol>\n");
  int number = 0;
  for (const dae__page_section *s = page->first_section; s; s = s->next) {
    dae__page_print(page, "<li><a href=\"#s%d\">", ++number);
    dae__page_escape(page, s->text);
    dae__page_put(page, "</a></li>\n");
  }
  dae__page_put(page, "</ol>\n</nav>\n");
}

static void page_write_scripts(dae_page *page)
{
  if (page->plots && page->uplot) {
    dae__page_put(page, "<script>\n/*\n");
    page_write_file(page, dae__uplot_licence);
    dae__page_put(page, "*/\n");
    page_write_file(page, dae__uplot_script);
    dae__page_put(page, "\n</script>\n");
  }
  dae__page_put(page, "<script type=\"module\">\n");
  page_write_file(page, dae__page_script);
  dae__page_put(page, "</script>\n");
}

static void page_write_foot(dae_page *page)
{
  if (page->sections > 0)
    dae__page_put(page, "</section>\n");
  dae__page_put(page, "</main>\n");
  page_write_contents(page);
  dae__page_print(page, "<footer><p>Written by daedal %s.", dae_version());
  if (page->plots && page->uplot)
    dae__page_put(page, " Plots by uPlot (MIT licence, in the source of this page).");
  dae__page_put(page, "</p></footer>\n");
  page_write_scripts(page);
  dae__page_put(page, "</body>\n</html>\n");
}

static dae_page *page_take(dae__arena *arena, const char *path)
{
  dae_page *page = DAE__ALLOC(arena, dae_page, 1);
  char *own = DAE__ALLOC(arena, char, strlen(path) + 1);
  char *buffer = DAE__ALLOC(arena, char, BUFFER);
  if (dae__arena_failed(arena))
    return NULL;
  memcpy(own, path, strlen(path) + 1);
  *page = (dae_page){.arena = arena, .path = own, .buffer = buffer, .error = dae_error_none()};
  page->last_section = &page->first_section;
  page->uplot = dae__uplot_script.length > 0;
  return page;
}

dae_status dae_page_create(const char *path, const char *title, const dae_env *env, dae_page **out,
                           dae_error *err)
{
  *out = NULL;
  if (!path || !*path)
    return dae__fail(err, DAE_ERROR_USAGE, "path", "the page has no file name");
  dae__arena *arena = dae__arena_create(env);
  dae_page *page = arena ? page_take(arena, path) : NULL;
  if (!page) {
    dae__arena_free(arena);
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "no memory for the page");
  }
  errno = 0;
  page->file = fopen(path, "wb");
  if (!page->file) {
    const char *why = errno ? strerror(errno) : "unknown reason";
    dae__fail(err, DAE_ERROR_FILE, path, "%s could not be created: %s", path, why);
    dae__arena_free(arena);
    return DAE_ERROR_FILE;
  }
  setvbuf(page->file, page->buffer, _IOFBF, BUFFER);
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
