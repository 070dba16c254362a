#include "core/number.h"

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* text with every `from` replaced by `to`; strtod and printf follow the locale, we do not */
static void replace(char *text, char from, char to)
{
  for (; *text; text++)
    if (*text == from)
      *text = to;
}

static char decimal_point(void)
{
  return localeconv()->decimal_point[0];
}

bool dae__parse_double(const char *text, double *value)
{
  char copy[128];
  size_t length = strlen(text);
  if (length == 0 || length >= sizeof copy || strspn(text, "0123456789+-.eE") != length)
    return false;
  memcpy(copy, text, length + 1);
  replace(copy, '.', decimal_point());
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

void dae__format_double(double value, char *text, size_t size)
{
  if (size == 0)
    return;
  for (int digits = 15; digits <= 17; digits++) {
    char full[32];
    snprintf(full, sizeof full, "%.*g", digits, value);
    bool same = strtod(full, NULL) == value;
    replace(full, decimal_point(), '.');
    snprintf(text, size, "%s", full);
    if (same)
      return;
  }
}
