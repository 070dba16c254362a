/* Texts of a page: headings, paragraphs, verdicts, code, tables. The header of a table is written
 * with the first row, which determines the columns of numbers, so that header cells get the
 * alignment of their column. */
#include "output/page/page.h"

#include <ctype.h>
#include <string.h>

void dae_page_heading(dae_page *page, const char *text)
{
  dae__page_section *section = DAE__ALLOC(page->arena, dae__page_section, 1);
  char *copy = dae__page_copy(page, text);
  if (!section || !copy)
    return;
  section->text = copy;
  *page->last_section = section;
  page->last_section = &section->next;
  if (page->sections++ > 0)
    dae__page_put(page, "</section>\n");
  dae__page_print(page, "<section id=\"s%d\">\n", page->sections);
  dae__page_element(page, "h2", text, "\n");
}

void dae_page_subheading(dae_page *page, const char *text)
{
  dae__page_element(page, "h3", text, "\n");
}

void dae_page_text(dae_page *page, const char *text)
{
  dae__page_element(page, "p", text, "\n");
}

/* Returns the CSS class of an element in this mood. */
static const char *page_mood_name(dae_page_mood mood)
{
  static const char *const names[] = {"plain", "good", "warning", "bad"};
  return names[mood >= DAE_PAGE_PLAIN && mood <= DAE_PAGE_BAD ? mood : DAE_PAGE_PLAIN];
}

void dae_page_verdict(dae_page *page, dae_page_mood mood, const char *sentence, const char *text)
{
  dae__page_print(page, "<div class=\"verdict %s\">\n<p><strong>", page_mood_name(mood));
  dae__page_escape(page, sentence);
  dae__page_put(page, "</strong></p>\n");
  if (text && *text)
    dae__page_element(page, "p", text, "\n");
  dae__page_put(page, "</div>\n");
}

void dae_page_code(dae_page *page, const char *caption, const char *text, bool folded)
{
  bool named = caption && *caption;
  dae__page_put(page, folded ? "<details class=\"code\">\n" : "<figure class=\"code\">\n");
  if (folded)
    dae__page_element(page, "summary", named ? caption : "Show", "\n");
  else if (named)
    dae__page_element(page, "figcaption", caption, "\n");
  /* a line break after <pre>, since HTML ignores the first one */
  dae__page_put(page, "<pre tabindex=\"0\">\n");
  dae__page_escape(page, text);
  dae__page_print(page, "</pre>\n%s", folded ? "</details>\n" : "</figure>\n");
}

/* ---- tables ---- */

/* Returns whether a cell is right-aligned as a number: -1.5e-7, 12,345, 3 %, nan, or a dash for a
 * missing number. */
static bool page_table_is_number(const char *cell)
{
  if (!cell)
    return false;
  if (strcmp(cell, "-") == 0)
    return true;
  const char *at = cell + strspn(cell, "+-<> ");
  if (strcmp(at, "inf") == 0 || strcmp(at, "nan") == 0)
    return true;
  if (!isdigit((unsigned char)*at) && *at != '.')
    return false;
  at += strspn(at, "0123456789.,");
  if (*at == 'e' || *at == 'E') {
    at++;
    at += strspn(at, "+-");
    if (!isdigit((unsigned char)*at))
      return false;
    at += strspn(at, "0123456789");
  }
  return strcmp(at, "") == 0 || strcmp(at, "%") == 0 || strcmp(at, " %") == 0;
}

static void page_table_write_header(dae_page *page, const char *const *cells)
{
  if (!page->header)
    return;
  dae__page_put(page, "<thead><tr>");
  for (int i = 0; i < page->columns; i++)
    dae__page_element(page, cells && page_table_is_number(cells[i]) ? "th class=\"number\"" : "th",
                      page->header[i], "");
  dae__page_put(page, "</tr></thead>\n<tbody>\n");
  page->header = NULL;
}

void dae_page_table_begin(dae_page *page, const char *caption, int columns,
                          const char *const *header)
{
  if (columns < 1 || page->columns > 0) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: %s", page->path,
                   columns < 1 ? "a table has no columns" : "a table begins inside another table");
    return;
  }
  page->header = DAE__ALLOC(page->arena, char *, columns);
  for (int i = 0; page->header && i < columns; i++)
    page->header[i] = dae__page_copy(page, header[i]);
  if (dae__arena_failed(page->arena)) {
    dae__page_fail(page, DAE_ERROR_MEMORY, "%s: no memory for the page", page->path);
    return;
  }
  page->columns = columns;
  dae__page_put(page, "<div class=\"table\" tabindex=\"0\"><table>\n");
  if (caption && *caption)
    dae__page_element(page, "caption", caption, "\n");
}

void dae_page_table_row(dae_page *page, dae_page_mood mood, const char *const *cells)
{
  if (page->columns < 1) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a row is written outside of a table", page->path);
    return;
  }
  page_table_write_header(page, cells);
  dae__page_print(page, "<tr class=\"%s\">", page_mood_name(mood));
  for (int i = 0; i < page->columns; i++)
    dae__page_element(page, page_table_is_number(cells[i]) ? "td class=\"number\"" : "td", cells[i],
                      "");
  dae__page_put(page, "</tr>\n");
}

void dae_page_table_end(dae_page *page)
{
  page_table_write_header(page, NULL);
  if (page->columns > 0)
    dae__page_put(page, "</tbody></table></div>\n");
  page->columns = 0;
}
