/* UTF-8 (RFC 3629): decoding with a replacement for everything that is invalid, or that controls a
 * terminal or the order of characters. */
#include "core/utf8.h"
#include "core/mutant.h"

#include <daedal/text.h>
#include <stdbool.h>

/* Characters that act instead of being shown: control characters of C0 and C1, and overrides,
 * embeddings and isolates of the bidirectional algorithm (UAX 9), by which a text can be displayed
 * in an order that it does not have. */
static bool utf8_is_control(int c)
{
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
         (c >= 0x7f && DAE__MUTATE(clean_c1, c < 0xa0, c < 0x80)) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

int dae_text_next(const char **text)
{
  /* smallest code point encoded in 0 to 4 bytes */
  static const int smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *at = (const unsigned char *)*text;
  int c = *at, bytes = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 0;
  if (c == 0)
    return 0;
  if (bytes <= 1) {
    ++*text;
    return bytes == 0 || utf8_is_control(c) ? DAE__UTF8_INVALID : c;
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
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  bool valid = code >= smallest[bytes] && code <= 0x10ffff && code != 0xfffe && code != 0xffff;
  return valid && !surrogate && !utf8_is_control(code) ? code : DAE__UTF8_INVALID;
}

int dae__utf8_next(const char **text)
{
  int c = dae_text_next(text);
  return c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
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
