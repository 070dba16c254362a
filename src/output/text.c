#include "output/text.h"

#include <math.h>

void dae__text_quote(dae__text *text, const char *s, size_t length)
{
  if (!s) {
    dae__text_add(text, "null");
    return;
  }
  dae__text_add(text, "\"");
  for (size_t i = 0; i < length && s[i]; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c == '"' || c == '\\')
      dae__text_add(text, "\\%c", c);
    else if (c == '\n')
      dae__text_add(text, "\\n");
    else if (c == '\t')
      dae__text_add(text, "\\t");
    else if (c < 0x20 || c == 0x7f)
      dae__text_add(text, "\\u%04x", c);
    else
      dae__text_add(text, "%c", c);
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

/* ---- UTF-8 ---- */

int dae__utf8_next(const char **text)
{
  /* smallest code point encoded in 0 to 4 bytes */
  static const int smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)*text;
  int c = *at, bytes = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 1;
  if (c == 0)
    return 0;
  if (bytes == 1) {
    ++*text;
    if (c == '\t' || c == '\n' || c == '\r')
      return ' ';
    return c < 0x20 || c >= 0x7f ? DAE__UTF8_INVALID : c;
  }
  int code = c & (0xff >> (bytes + 1));
  for (int i = 1; i < bytes; i++) {
    if ((at[i] & 0xc0) != 0x80) { /* incomplete character, even at the end of the text */
      *text += i;
      return DAE__UTF8_INVALID;
    }
    code = code << 6 | (at[i] & 0x3f);
  }
  *text += bytes;
  bool surrogate = code >= 0xd800 && code <= 0xdfff, control = code < 0xa0;
  bool valid = code >= smallest[bytes] && code <= 0x10ffff && code != 0xfffe && code != 0xffff;
  return valid && !surrogate && !control ? code : DAE__UTF8_INVALID;
}

int dae__utf8_length(const char *text)
{
  int length = 0;
  while (dae__utf8_next(&text))
    length++;
  return length;
}

void dae__utf8_add(dae__text *text, int c)
{
  if (c < 0x80)
    dae__text_add(text, "%c", c);
  else if (c < 0x800)
    dae__text_add(text, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
  else if (c < 0x10000)
    dae__text_add(text, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 0x3f), 0x80 | (c & 0x3f));
  else
    dae__text_add(text, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 0x3f), 0x80 | (c >> 6 & 0x3f),
                  0x80 | (c & 0x3f));
}
