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

#endif
