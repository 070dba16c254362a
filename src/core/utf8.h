/* Characters of a text in UTF-8. */
#ifndef DAEDAL_CORE_UTF8_H
#define DAEDAL_CORE_UTF8_H

#include "core/text.h"

#define DAE__UTF8_INVALID 0xfffd /* the replacement character of Unicode */

/* Returns the next character, as dae_text_next, with blanks for tabs and line ends. */
int dae__utf8_next(const char **text);

/* Returns the number of characters of a UTF-8 text. */
int dae__utf8_length(const char *text);

void dae__utf8_add(dae__text *text, int character);

#endif
