#include "output/text.h"

#include "core/mutant.h"
#include "core/utf8.h"

#include <daedal/text.h>

#include <math.h>

void dae__text_quote(dae__text *text, const char *s, size_t length)
{
  if (!s) {
    dae__text_add(text, "null");
    return;
  }
  dae__text_add(text, "\"");
  for (const char *at = s, *end = s + length; at < end && *at;) {
    unsigned char byte = (unsigned char)*at;
    int c = dae_text_next(&at);
    if (DAE__MUTATE(json_backslash, c == '"' || c == '\\', c == '"'))
      dae__text_add(text, "\\%c", c);
    else if (c == '\n')
      dae__text_add(text, "\\n");
    else if (c == '\t')
      dae__text_add(text, "\\t");
    else if (byte < 0x20 || byte == 0x7f)
      dae__text_add(text, "\\u%04x", byte);
    else
      dae__utf8_add(text, c);
  }
  dae__text_add(text, "\"");
}

void dae__text_number(dae__text *text, double value)
{
  char number[40] = "null"; /* JSON has no NaN and no infinity */
  if (isfinite(value))
    dae__format_double(value, number, sizeof number);
  dae__text_add(text, "%s", number);
}

void dae__native_json(dae__text *text, const dae_native *native)
{
  if (native->instructions == 0) {
    dae__text_add(text, "null");
    return;
  }
  dae__text_add(text, "{\"instructions\": %ld, \"interpreted\": %ld, \"cached\": %s, \"seconds\": ",
                native->instructions, native->interpreted, native->cached ? "true" : "false");
  dae__text_number(text, native->seconds);
  dae__text_add(text, "}");
}
