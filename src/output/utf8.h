/* Texts of others, character by character: names and titles may hold anything. */
#ifndef DAEDAL_OUTPUT_UTF8_H
#define DAEDAL_OUTPUT_UTF8_H

#include "output/text.h"

#define DAE__UTF8_WRONG 0xfffd

/* The next character, which *text is moved behind; 0 at the end. A tab or the end of a line is a
 * blank; DAE__UTF8_WRONG stands for other control characters and for bytes that are not UTF-8. */
int dae__utf8_next(const char **text);

/* Characters of the text. */
int dae__utf8_length(const char *text);

/* Adds a character. */
void dae__utf8_add(dae__text *text, int character);

#endif
