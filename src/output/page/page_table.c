/* Tables of a page. The header waits for the first row, which tells the columns of numbers: their
 * header stands right as they do. */
#include "output/page/page.h"

#include <ctype.h>
#include <string.h>

/* -1.5e-7, 12,345, 3 %, nan, or a dash in place of a number: what people line up at the right. */
static bool page_table_looks_like_a_number(const char *cell)
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

static void page_table_write_cell(dae_page *page, const char *tag, bool number, const char *text)
{
  dae__page_print(page, number ? "<%s class=\"number\">" : "<%s>", tag);
  dae__page_escape(page, text);
  dae__page_print(page, "</%s>", tag);
}

static void page_table_write_header(dae_page *page, const char *const *cells)
{
  if (!page->header)
    return;
  dae__page_put(page, "<thead><tr>");
  for (int i = 0; i < page->columns; i++)
    page_table_write_cell(page, "th", cells && page_table_looks_like_a_number(cells[i]),
                          page->header[i]);
  dae__page_put(page, "</tr></thead>\n<tbody>\n");
  page->header = NULL;
}

void dae_page_table_begin(dae_page *page, const char *caption, int columns,
                          const char *const *header)
{
  if (columns < 1 || page->columns > 0) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: %s", page->path,
                   columns < 1 ? "a table has no columns" : "a table within a table");
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
  if (caption && *caption) {
    dae__page_put(page, "<caption>");
    dae__page_escape(page, caption);
    dae__page_put(page, "</caption>\n");
  }
}

void dae_page_table_row(dae_page *page, dae_page_mood mood, const char *const *cells)
{
  if (page->columns < 1) {
    dae__page_fail(page, DAE_ERROR_USAGE, "%s: a row without a table", page->path);
    return;
  }
  page_table_write_header(page, cells);
  dae__page_print(page, "<tr class=\"%s\">", dae__page_mood_name(mood));
  for (int i = 0; i < page->columns; i++)
    page_table_write_cell(page, "td", page_table_looks_like_a_number(cells[i]), cells[i]);
  dae__page_put(page, "</tr>\n");
}

void dae_page_table_end(dae_page *page)
{
  page_table_write_header(page, NULL);
  if (page->columns > 0)
    dae__page_put(page, "</tbody></table></div>\n");
  page->columns = 0;
}
