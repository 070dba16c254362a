/* An HTML page during its output.
 *
 * All output goes through dae__page_write, which records the first failure and writes nothing after
 * it, so that callers need not check.
 *
 * Elements of class "chart", "phase", "motion" and "download" hold a description in JSON, which the
 * scripts of this folder draw. Arrays of numbers are elements of their own, in base64, with the ids
 * a0, a1, ...: descriptions refer to them by number. */
#ifndef DAEDAL_OUTPUT_PAGE_PAGE_H
#define DAEDAL_OUTPUT_PAGE_PAGE_H

#include "core/arena.h"

#include <daedal/file.h>
#include <daedal/page.h>
#include <stdint.h>
#include <stdio.h>

/* Section in the table of contents. */
typedef struct dae__page_section {
  struct dae__page_section *next;
  char *text;
} dae__page_section;

/* Array of numbers in the page, recorded so that equal arrays are written once. */
typedef struct dae__page_array {
  struct dae__page_array *next;
  uint64_t hash; /* hash of the numbers as doubles */
  long count;
  bool single; /* whether the array is written as float */
  int id;
} dae__page_array;

struct dae_page {
  dae__arena *arena;
  char *path;
  dae_file *file;
  dae_error error; /* first failure while making the page, but those of the file */
  dae__page_section *first_section, **last_section;
  int sections;
  dae__page_array *arrays;
  int array_count;
  int columns;   /* number of columns of the open table; 0: no table is open */
  char **header; /* header of the open table; NULL: already written */
  bool uplot;    /* whether uPlot is part of this build */
  bool plots;    /* whether the page has plots */
};

/* Records the first failure, after which nothing is written. */
__attribute__((format(printf, 3, 4))) void dae__page_fail(dae_page *page, dae_status status,
                                                          const char *format, ...);

/* Write bytes and HTML without escapes. dae__page_print must not format doubles, whose decimal
 * point depends on the locale. */
void dae__page_write(dae_page *page, const void *bytes, size_t length);
void dae__page_put(dae_page *page, const char *html);
__attribute__((format(printf, 2, 3))) void dae__page_print(dae_page *page, const char *format, ...);

/* Writes a text as HTML, safe between tags and in quoted attributes; NULL: nothing. */
void dae__page_escape(dae_page *page, const char *text);
/* Writes an element with this text, followed by `end`; tag: name of the element, which attributes
 * may follow. */
void dae__page_element(dae_page *page, const char *tag, const char *text, const char *end);

/* Writes a text as JSON, safe within a script element; NULL: null. */
void dae__page_json(dae_page *page, const char *text);
/* Writes a number for HTML, JSON and SVG; null where it is not finite. */
void dae__page_number(dae_page *page, double value);

/* Returns a copy in the page's arena; NULL: out of memory, recorded as a failure of the page. */
char *dae__page_copy(dae_page *page, const char *text);

/* Element with an array of numbers in base64, written in pieces. */
typedef struct dae__base64 {
  dae_page *page;
  size_t length;
  /* buffer, whole groups of three bytes */
  unsigned char bytes[3072];
} dae__base64;

/* Begins an array of type "f8", "f4" or "u2"; returns the number of the array in the page. */
int dae__base64_begin(dae__base64 *out, dae_page *page, const char *type);
/* Adds a number of this many bytes, in little-endian order. */
void dae__base64_add(dae__base64 *out, uint64_t number, int bytes);
void dae__base64_end(dae__base64 *out);

typedef enum dae__page_precision {
  DAE__EXACT, /* array written as double */
  DAE__SEVEN, /* array written as float, unless the page contains it as double */
  DAE__EITHER /* array in the precision that the page contains it in, else as double */
} dae__page_precision;

/* Returns the number of the array with these values, and writes it unless the page contains it
 * already. */
int dae__page_array_of(dae_page *page, const double *values, long count,
                       dae__page_precision precision);

#endif
