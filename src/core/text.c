#include "core/text.h"

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

void dae__list_add(char *list, size_t size, const char *item)
{
  size_t length = strlen(list);
  const char *comma = length > 0 ? ", " : "";
  if (length + strlen(comma) + strlen(item) < size)
    snprintf(list + length, size - length, "%s%s", comma, item);
}
