/* Text that grows in a caller's buffer, as snprintf counts it. */
#ifndef DAEDAL_OUTPUT_TEXT_H
#define DAEDAL_OUTPUT_TEXT_H

#include <stddef.h>

typedef struct dae__text {
  char *at;
  size_t size;   /* of the buffer */
  size_t length; /* needed so far, whether it fits or not */
} dae__text;

/* An empty text in a buffer, which may be NULL with size 0. */
dae__text dae__text_in(char *buffer, size_t size);

/* Adds a formatted piece. */
__attribute__((format(printf, 2, 3))) void dae__text_add(dae__text *text, const char *format, ...);

/* As JSON: the text up to a 0 or this many bytes, in quotes (NULL: null); the shortest number that
 * reads back as the same one, null where it is not finite. */
void dae__text_quote(dae__text *text, const char *s, size_t length);
void dae__text_number(dae__text *text, double value);

/* A number with this many significant digits and a decimal point in every locale; nan, inf. */
void dae__number_text(double value, int digits, char text[40]);

/* A finite number as printf wrote it, which follows the locale, gets a decimal point. */
void dae__number_point(char *text);

/* ", " between them and a path added to a comma-separated list, unless it does not fit whole. */
void dae__list_add(char *list, size_t size, const char *item);

#endif
