#include "sheet.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void print_cells(const sheet *s)
{
  for (int i = 0; i < s->columns; i++)
    printf("| %-*s ", s->width[i], i < s->filled ? s->cell[i] : "");
  printf("|\n");
}

/* cuts the header into cells; blanks at their ends count for the width only */
static void split(sheet *s, const char *header)
{
  s->columns = 0;
  for (const char *at = header; at && s->columns < MOST_COLUMNS; s->columns++) {
    size_t length = strcspn(at, "|"), kept = length;
    while (kept > 0 && at[kept - 1] == ' ')
      kept--;
    snprintf(s->cell[s->columns], CELL, "%.*s", (int)kept, at);
    s->width[s->columns] = (int)length;
    at = at[length] ? at + length + 1 : NULL;
  }
  s->filled = s->columns;
}

void sheet_begin(sheet *s, const char *title, const char *header)
{
  const char *cells[MOST_COLUMNS];
  split(s, header);
  for (int i = 0; i < s->columns; i++)
    cells[i] = s->cell[i];
  if (s->page)
    dae_page_table_begin(s->page, title, s->columns, cells);
  else {
    printf("\n%s\n\n", title);
    print_cells(s);
    for (int i = 0; i < s->columns; i++)
      printf("|---");
    printf("|\n");
  }
  s->filled = 0;
}

void sheet_add(sheet *s, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  if (s->filled < s->columns)
    vsnprintf(s->cell[s->filled++], CELL, format, arguments);
  va_end(arguments);
}

void sheet_row(sheet *s, dae_page_mood mood)
{
  const char *cells[MOST_COLUMNS];
  for (int i = 0; i < s->columns; i++)
    cells[i] = i < s->filled ? s->cell[i] : "";
  if (s->page)
    dae_page_table_row(s->page, mood, cells);
  else
    print_cells(s);
  s->filled = 0;
}

void sheet_end(sheet *s)
{
  if (s->page)
    dae_page_table_end(s->page);
  fflush(stdout);
}

void sheet_text(sheet *s, const char *text)
{
  if (s->page)
    dae_page_text(s->page, text);
  else
    printf("\n%s\n", text);
}
