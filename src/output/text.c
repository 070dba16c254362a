#include "output/text.h"

#include "core/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

dae__text dae__text_in(char *buffer, size_t size)
{
  if (size > 0)
    buffer[0] = '\0';
  return (dae__text){.at = buffer, .size = size};
}

void dae__text_add(dae__text *text, const char *format, ...)
{
  size_t room = text->length < text->size ? text->size - text->length : 0;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(room ? text->at + text->length : NULL, room, format, args);
  va_end(args);
  text->length += n > 0 ? (size_t)n : 0;
}

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

void dae__number_text(double value, int digits, char text[40])
{
  if (isnan(value)) {
    snprintf(text, 40, "nan"); /* printf may give it a sign */
    return;
  }
  if (dae__decimal(value, digits, text))
    return;
  snprintf(text, 40, "%.*g", digits, value);
  if (!isinf(value))
    dae__number_point(text);
}

/* the point of a locale may be a comma or take several bytes */
void dae__number_point(char *text)
{
  size_t whole = strspn(text, "+-0123456789"), point = strcspn(text + whole, "0123456789e");
  if (point == 0)
    return;
  text[whole] = '.';
  memmove(text + whole + 1, text + whole + point, strlen(text + whole + point) + 1);
}

void dae__list_add(char *list, size_t size, const char *item)
{
  size_t length = strlen(list);
  const char *comma = length > 0 ? ", " : "";
  if (length + strlen(comma) + strlen(item) < size)
    snprintf(list + length, size - length, "%s%s", comma, item);
}
