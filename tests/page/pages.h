/* Pages that the tests look at: in the file (test_page_file.c) and in a browser (test_page.mjs). */
#ifndef TESTS_PAGE_PAGES_H
#define TESTS_PAGE_PAGES_H

#include <daedal/page.h>

typedef struct page_maker {
  const char *name; /* of the file, without .html */
  void (*fill)(dae_page *page);
} page_maker;

/* Every element as a report uses it, with and without uPlot; texts that mean harm; data that is
 * hardly there; data that is large. Ends with a name of NULL. */
extern const page_maker page_makers[];

/* Writes the page of this maker into the file. */
dae_status make_page(const page_maker *maker, const char *path, const dae_env *env, dae_error *err);

/* The numbers of the large page: column i of row k. */
enum { LARGE_ROWS = 10000, LARGE_COLUMNS = 10 };
double large_value(int column, long row);

/* A text that would do anything but be shown, if it were not escaped. */
extern const char hostile_text[];

#endif
