/* Text in a caller's buffer, whose needed length is counted as snprintf counts it; characters in
 * UTF-8; numbers in every locale. */
#ifndef DAEDAL_OUTPUT_TEXT_H
#define DAEDAL_OUTPUT_TEXT_H

#include <daedal/native.h>
#include <stddef.h>

typedef struct dae__text {
  char *at;
  size_t size;   /* of the buffer, in bytes */
  size_t length; /* bytes of the whole text, whether they fit into the buffer or not */
} dae__text;

/* Returns an empty text in a buffer, which may be NULL with size 0. */
dae__text dae__text_in(char *buffer, size_t size);

__attribute__((format(printf, 2, 3))) void dae__text_add(dae__text *text, const char *format, ...);

/* Adds a JSON string, from s up to a 0 or this many bytes; null for NULL. */
void dae__text_quote(dae__text *text, const char *s, size_t length);
/* Adds a JSON number, the shortest that reads back as the same double; null for NaN and inf. */
void dae__text_number(dae__text *text, double value);
/* Adds a JSON object that describes native code; null where all equations are interpreted. */
void dae__native_json(dae__text *text, const dae_native *native);

/* Writes a number with this many significant digits, in every locale with a point; nan, inf. */
void dae__number_text(double value, int digits, char text[40]);

/* Puts a decimal point in place of the locale's into a finite number that printf wrote. */
void dae__number_point(char *text);

/* Appends an item to a comma-separated list; a list without room for the whole item stays. */
void dae__list_add(char *list, size_t size, const char *item);

/* ---- UTF-8 ---- */

#define DAE__UTF8_INVALID 0xfffd /* the replacement character of Unicode */

/* Returns the next character and moves *text behind it; 0 at the end. Tabs and line ends become
 * blanks; other control characters and invalid UTF-8 become DAE__UTF8_INVALID. */
int dae__utf8_next(const char **text);

/* Returns the number of characters. */
int dae__utf8_length(const char *text);

void dae__utf8_add(dae__text *text, int character);

#endif
