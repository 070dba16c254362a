/* A page while it is written.
 *
 * All output goes through dae__page_write, which remembers the first failure and does nothing after
 * it, so that nobody on the way needs to ask.
 *
 * What the browser draws is an element of class "chart", "phase", "motion" or "download" that holds
 * a description in JSON. Numbers stand apart, in base64, in elements of their own with the ids a0,
 * a1, ...: descriptions refer to them by number. page/ has the code that reads all this. */
#ifndef DAEDAL_OUTPUT_PAGE_PAGE_H
#define DAEDAL_OUTPUT_PAGE_PAGE_H

#include "core/arena.h"

#include <daedal/page.h>
#include <stdint.h>
#include <stdio.h>

/* A section, for the list of contents. */
typedef struct dae__page_section {
  struct dae__page_section *next;
  char *text;
} dae__page_section;

/* An array that the page has: the same content is not written again. */
typedef struct dae__page_array {
  struct dae__page_array *next;
  uint64_t hash; /* of its numbers as double */
  long count;
  bool single; /* kept as float */
  int id;
} dae__page_array;

struct dae_page {
  dae__arena *arena;
  char *path, *buffer;
  FILE *file;
  dae_error error; /* the first failure */
  dae__page_section *first_section, **last_section;
  int sections;
  dae__page_array *arrays;
  int array_count;
  int columns;   /* of the table that is open, 0: none is */
  char **header; /* of it, until it is written with the first row */
  bool uplot;    /* plots are drawn with it, where they can be */
  bool plots;    /* there are any */
};

/* The page is given up: the first failure is kept. */
__attribute__((format(printf, 3, 4))) void dae__page_fail(dae_page *page, dae_status status,
                                                          const char *format, ...);
bool dae__page_failed(const dae_page *page);

/* Bytes and HTML as they are; dae__page_print has no place for numbers with a point, which would
 * follow the locale. */
void dae__page_write(dae_page *page, const void *bytes, size_t length);
void dae__page_put(dae_page *page, const char *html);
__attribute__((format(printf, 2, 3))) void dae__page_print(dae_page *page, const char *format, ...);

/* A text as HTML, safe between tags and in quoted attributes; NULL: nothing. */
void dae__page_escape(dae_page *page, const char *text);

/* A text as JSON, safe within a script element; NULL: null. */
void dae__page_json(dae_page *page, const char *text);
/* A number as HTML, JSON and SVG read it; in JSON null where it is not finite. */
void dae__page_number(dae_page *page, double value);

/* The class of an element in this mood. */
const char *dae__page_mood_name(dae_page_mood mood);

/* A copy in the page's arena; NULL: out of memory, which is remembered. */
char *dae__page_copy(dae_page *page, const char *text);

/* Base64, written as it comes. */
typedef struct dae__base64 {
  dae_page *page;
  size_t length;
  unsigned char bytes[3072]; /* whole groups of three */
} dae__base64;

void dae__base64_begin(dae__base64 *out, dae_page *page);
void dae__base64_add(dae__base64 *out, uint64_t number, int bytes); /* little-endian */
void dae__base64_end(dae__base64 *out);

/* The start and end of an element with an array of numbers of this type, "f8", "f4" or "u2".
 * Returns its number. */
int dae__page_array_begin(dae_page *page, const char *type);
void dae__page_array_end(dae_page *page);

typedef enum dae__page_precision {
  DAE__EXACT, /* as double */
  DAE__SEVEN, /* as float, if the page does not have it as double */
  DAE__EITHER /* as the page has it, else as double */
} dae__page_precision;

/* The number of an array with this content, which is written unless the page has it. */
int dae__page_array_of(dae_page *page, const double *values, long count,
                       dae__page_precision precision);

/* Files of page/, and of uPlot where the build has it (otherwise of length 0). */
typedef struct dae__page_file {
  const unsigned char *bytes;
  size_t length;
} dae__page_file;

extern const dae__page_file dae__page_css, dae__page_script;
extern const dae__page_file dae__uplot_css, dae__uplot_script, dae__uplot_licence;

#endif
