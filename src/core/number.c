#include "core/number.h"

#include "core/decimal.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* text with every `from` replaced by `to`; strtod and printf follow the locale, we do not */
static void number_replace(char *text, char from, char to)
{
  for (; *text; text++)
    if (*text == from)
      *text = to;
}

static char number_decimal_point(void)
{
  return localeconv()->decimal_point[0];
}

bool dae__parse_double(const char *text, double *value)
{
  char copy[128];
  if (dae__decimal_value(text, value))
    return true;
  size_t length = strlen(text);
  if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") != length)
    return false;
  memcpy(copy, text, length + 1);
  number_replace(copy, '.', number_decimal_point());
  char *end;
  double number = strtod(copy, &end);
  if (*end || !isfinite(number))
    return false;
  *value = number;
  return true;
}

bool dae__parse_int(const char *text, int *value)
{
  if (!*text || strspn(text, "0123456789+-") != strlen(text))
    return false;
  char *end;
  errno = 0;
  long number = strtol(text, &end, 10);
  if (*end || errno || number < INT_MIN || number > INT_MAX)
    return false;
  *value = (int)number;
  return true;
}

/* %.*g */
static void number_print(double value, int digits, char text[40])
{
  if (dae__decimal(value, digits, text))
    return;
  snprintf(text, 40, "%.*g", digits, value);
  number_replace(text, number_decimal_point(), '.');
}

void dae__format_double(double value, char *text, size_t size)
{
  char full[40];
  double back;
  bool same = false;
  for (int digits = 15; digits <= 17 && !same; digits++) {
    number_print(value, digits, full);
    same = dae__parse_double(full, &back) && back == value;
  }
  size_t length = strlen(full);
  if (size == 0)
    return;
  if (length >= size)
    length = size - 1;
  memcpy(text, full, length);
  text[length] = 0;
}

const char *dae__format_int(int value, char text[DAE__INT_SIZE])
{
  unsigned rest = value < 0 ? 0u - (unsigned)value : (unsigned)value;
  char *begin = text + DAE__INT_SIZE - 1;
  *begin = 0;
  do
    *--begin = (char)('0' + rest % 10);
  while (rest /= 10);
  if (value < 0)
    *--begin = '-';
  return begin;
}
