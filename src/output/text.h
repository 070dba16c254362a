/* Text in a caller's buffer, whose needed length is counted as by snprintf; characters in UTF-8;
 * numbers with a decimal point in every locale. */
#ifndef DAEDAL_OUTPUT_TEXT_H
#define DAEDAL_OUTPUT_TEXT_H

#include <daedal/native.h>
#include <stddef.h>

typedef struct dae__text {
  char *at;
  size_t size;   /* size of the buffer in bytes */
  size_t length; /* length of the whole text in bytes, even if it exceeds the buffer */
} dae__text;

/* Returns an empty text in a buffer, which may be NULL with size 0. */
dae__text dae__text_in(char *buffer, size_t size);

__attribute__((format(printf, 2, 3))) void dae__text_add(dae__text *text, const char *format, ...);

/* Adds a JSON string, from s up to a 0 or to this many bytes; null if s is NULL. */
void dae__text_quote(dae__text *text, const char *s, size_t length);
/* Adds a JSON number, the shortest that reads back as the same double; null for NaN and inf. */
void dae__text_number(dae__text *text, double value);
/* Adds a JSON object that describes native code; null where all equations are interpreted. */
void dae__native_json(dae__text *text, const dae_native *native);

/* Writes a number with this many significant digits and a decimal point in every locale; nan,
 * inf. */
void dae__number_text(double value, int digits, char text[40]);

/* Replaces the decimal separator of the locale by a point, in a finite number that printf wrote. */
void dae__number_point(char *text);

/* Appends an item to a comma-separated list; the list is unchanged if the whole item does not
 * fit. */
void dae__list_add(char *list, size_t size, const char *item);

/* ---- UTF-8 ---- */

#define DAE__UTF8_INVALID 0xfffd /* the replacement character of Unicode */

/* Returns the next character and advances *text beyond it; 0 at the end. Tabs and line ends become
 * blanks; other control characters and invalid UTF-8 become DAE__UTF8_INVALID. */
int dae__utf8_next(const char **text);

/* Returns the number of characters of a UTF-8 text. */
int dae__utf8_length(const char *text);

void dae__utf8_add(dae__text *text, int character);

#endif
