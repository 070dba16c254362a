#include "output/utf8.h"

#include <stdbool.h>

/* whether a character of this many bytes is written with as few as can be, and is one at all */
static bool utf8_is_character(int code, int bytes)
{
  static const int least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= least[bytes] && code <= 0x10ffff && !surrogate && code != 0xfffe && code != 0xffff;
}

static int utf8_single(unsigned char c)
{
  if (c == '\t' || c == '\n' || c == '\r')
    return ' ';
  return c < 0x20 || c >= 0x7f ? DAE__UTF8_WRONG : c;
}

int dae__utf8_next(const char **text)
{
  const unsigned char *at = (const unsigned char *)*text;
  if (!*at)
    return 0;
  int bytes = *at < 0xc0 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf8 ? 4 : 1;
  int code = bytes == 1 ? utf8_single(*at) : *at & (0xff >> (bytes + 1));
  for (int i = 1; i < bytes; i++) {
    if ((at[i] & 0xc0) != 0x80) { /* cut short: the zero at the end, too, ends here */
      *text += i;
      return DAE__UTF8_WRONG;
    }
    code = code << 6 | (at[i] & 0x3f);
  }
  *text += bytes;
  bool control = code >= 0x80 && code < 0xa0;
  return (bytes == 1 || utf8_is_character(code, bytes)) && !control ? code : DAE__UTF8_WRONG;
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
