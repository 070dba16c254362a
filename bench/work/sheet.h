/* A table, as Markdown on stdout or on a page: one way to write both. */
#ifndef DAEDAL_BENCH_SHEET_H
#define DAEDAL_BENCH_SHEET_H

#include <daedal/page.h>

#define MOST_COLUMNS 16
#define CELL 96

typedef struct sheet {
  dae_page *page; /* NULL: stdout */
  int columns, filled;
  int width[MOST_COLUMNS]; /* on stdout, at least */
  char cell[MOST_COLUMNS][CELL];
} sheet;

/* header: the cells of the first row, separated by |; as wide as its cells are the columns */
void sheet_begin(sheet *s, const char *title, const char *header);
/* The next cell of a row, as printf. */
void sheet_add(sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Ends the row. */
void sheet_row(sheet *s, dae_page_mood mood);
void sheet_end(sheet *s);
/* A line of text outside of tables. */
void sheet_text(sheet *s, const char *text);

#endif
