/* JSON values and characters in UTF-8, added to a text in a caller's buffer. */
#ifndef DAEDAL_OUTPUT_TEXT_H
#define DAEDAL_OUTPUT_TEXT_H

#include "core/number.h"
#include "core/text.h"

#include <daedal/native.h>

/* Adds a JSON string, from s up to a 0 or to this many bytes; null if s is NULL. */
void dae__text_quote(dae__text *text, const char *s, size_t length);
/* Adds a JSON number, the shortest that reads back as the same double; null for NaN and inf. */
void dae__text_number(dae__text *text, double value);
/* Adds a JSON object that describes native code; null where all equations are interpreted. */
void dae__native_json(dae__text *text, const dae_native *native);

/* ---- UTF-8 ---- */

#define DAE__UTF8_INVALID 0xfffd /* the replacement character of Unicode */

/* Returns the next character and advances *text beyond it; 0 at the end. Tabs and line ends become
 * blanks; other control characters and invalid UTF-8 become DAE__UTF8_INVALID. */
int dae__utf8_next(const char **text);

/* Returns the number of characters of a UTF-8 text. */
int dae__utf8_length(const char *text);

void dae__utf8_add(dae__text *text, int character);

#endif
