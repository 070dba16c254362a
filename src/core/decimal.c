/* The digits of value, a whole number d with
 *
 *   |value| = d 10^(k - digits + 1),   10^(digits - 1) <= d < 10^digits,
 *
 * are x = |value| 10^p, p = digits - 1 - k, rounded to the nearest, or the even one of two. With
 * whole numbers M and P of 64 bits, |value| = M 2^(e - 64) and 10^p = P 2^(b - 63), where 2^b is
 * the power of two below it,
 *
 *   x = M P / 2^s,   s = 127 - e - b.
 *
 * P is exact up to 10^27, since 5^27 has 63 bits. Beyond it is too small by less than 1, and x by
 * less than 2^64 / 2^s: where the middle between two whole numbers is nearer, nothing is said. */
#include "core/decimal.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define EXACT_POWER 27
#define LARGEST_POWER (2 * EXACT_POWER)
#define MOST_DIGITS 17

static uint64_t decimal_five_to(int p)
{
  uint64_t power = 1;
  while (p-- > 0)
    power *= 5;
  return power;
}

/* a product of two numbers of 64 bits */
typedef struct wide {
  uint64_t high, low;
} wide;

static wide decimal_times(uint64_t a, uint64_t b)
{
  const uint64_t half = 0xffffffffu;
  uint64_t low = (a & half) * (b & half), left = (a >> 32) * (b & half);
  uint64_t right = (a & half) * (b >> 32), high = (a >> 32) * (b >> 32);
  uint64_t middle = (low >> 32) + (left & half) + (right & half);
  return (wide){high + (left >> 32) + (right >> 32) + (middle >> 32),
                (middle << 32) | (low & half)};
}

/* the power of two below 10^p: 217706 / 2^16 is the logarithm well enough up to 10^54 */
static int decimal_binary_power(int p)
{
  return (p * 217706) >> 16;
}

/* P */
static uint64_t decimal_mantissa(int p)
{
  if (p <= EXACT_POWER)
    return decimal_five_to(p) << (63 - decimal_binary_power(p) + p);
  wide product = decimal_times(decimal_mantissa(EXACT_POWER), decimal_mantissa(p - EXACT_POWER));
  return product.high >> 63 ? product.high : product.high << 1 | product.low >> 63;
}

/* x rounded down, and up if that is nearer; false: it cannot be told */
static bool decimal_scale(uint64_t M, int e, int p, uint64_t *x)
{
  if (p < 0 || p > LARGEST_POWER)
    return false;
  wide product = decimal_times(M, decimal_mantissa(p));
  int s = 127 - e - decimal_binary_power(p) - 64; /* of the upper half */
  uint64_t middle = (uint64_t)1 << (s - 1), rest = product.high & (2 * middle - 1);
  *x = product.high >> s;
  if (p > EXACT_POWER && (rest == middle || rest + 1 == middle))
    return false;
  bool tie = rest == middle && product.low == 0;
  *x += tie ? *x & 1 : rest >= middle;
  return true;
}

/* d and k; false: it cannot be told */
static bool decimal_find_digits(double value, int digits, uint64_t *d, int *k)
{
  int e;
  uint64_t M = (uint64_t)ldexp(frexp(value, &e), 64), end = decimal_five_to(digits) << digits;
  *k = (int)floor((e - 1) * 0.30102999566398120); /* that of the power of two below, or 1 less */
  if (!decimal_scale(M, e, digits - 1 - *k, d))
    return false;
  if (*d < end)
    return true;
  ++*k;
  if (*d > end)
    return decimal_scale(M, e, digits - 1 - *k, d);
  *d /= 10;
  return true;
}

/* the digits as text, without zeros at the end; their number */
static int decimal_put_digits(uint64_t d, int digits, char *text)
{
  for (int i = digits - 1; i >= 0; i--, d /= 10)
    text[i] = (char)('0' + d % 10);
  while (digits > 1 && text[digits - 1] == '0')
    digits--;
  return digits;
}

static char *decimal_copy(char *to, const char *from, int count)
{
  memcpy(to, from, (size_t)count);
  return to + count;
}

static char *decimal_zeros(char *to, int count)
{
  memset(to, '0', (size_t)count);
  return to + count;
}

/* 12.34, 1200, 0.0012 */
static char *decimal_put_plain(char *to, const char *digit, int count, int k)
{
  if (k < 0) {
    to = decimal_zeros(to, 1);
    *to++ = '.';
    return decimal_copy(decimal_zeros(to, -k - 1), digit, count);
  }
  int whole = count <= k ? count : k + 1;
  to = decimal_zeros(decimal_copy(to, digit, whole), k + 1 - whole);
  if (count == whole)
    return to;
  *to++ = '.';
  return decimal_copy(to, digit + whole, count - whole);
}

/* 1.2e-05 */
static char *decimal_put_with_power(char *to, const char *digit, int count, int k)
{
  int size = k < 0 ? -k : k;
  *to++ = digit[0];
  if (count > 1) {
    *to++ = '.';
    to = decimal_copy(to, digit + 1, count - 1);
  }
  *to++ = 'e';
  *to++ = k < 0 ? '-' : '+';
  if (size >= 100)
    *to++ = (char)('0' + size / 100);
  *to++ = (char)('0' + size / 10 % 10);
  *to++ = (char)('0' + size % 10);
  return to;
}

bool dae__decimal(double value, int digits, char text[40])
{
  char digit[MOST_DIGITS];
  uint64_t d = 0;
  int k = 0;
  if (!isfinite(value) || digits < 1 || digits > MOST_DIGITS ||
      (value != 0 && !decimal_find_digits(fabs(value), digits, &d, &k)))
    return false;
  int count = decimal_put_digits(d, digits, digit);
  if (signbit(value))
    *text++ = '-';
  bool plain = k >= -4 && k < digits;
  text = plain ? decimal_put_plain(text, digit, count, k)
               : decimal_put_with_power(text, digit, count, k);
  *text = 0;
  return true;
}

/* ---- reading ---- */

/* the digits that stand here, behind those of w; some are left where there are more than 15 */
static const char *decimal_read_digits(const char *text, uint64_t *w)
{
  for (; *text >= '0' && *text <= '9' && *w < 100000000000000u; text++)
    *w = 10 * *w + (uint64_t)(*text - '0');
  return text;
}

/* e-3; NULL: there are no digits, or too many */
static const char *decimal_read_power(const char *text, int *power)
{
  uint64_t size = 0;
  bool down = text[1] == '-';
  const char *first = text + 1 + (down || text[1] == '+'), *end = decimal_read_digits(first, &size);
  *power += down ? -(int)size : (int)size;
  return end > first && size < 1000 ? end : NULL;
}

/* Digits and power of ten are doubles, exactly, and their product or quotient is rounded once. */
bool dae__decimal_value(const char *text, double *value)
{
  static const double ten_to[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const int largest = (int)(sizeof ten_to / sizeof ten_to[0]) - 1;
  uint64_t w = 0;
  int power = 0;
  bool negative = *text == '-';
  const char *first = text + negative, *end = decimal_read_digits(first, &w);
  bool some = end > first;
  if (*end == '.') {
    first = end + 1;
    end = decimal_read_digits(first, &w);
    some = some || end > first;
    power = (int)(first - end);
  }
  if (some && (*end == 'e' || *end == 'E'))
    end = decimal_read_power(end, &power);
  if (!some || !end || *end || power < -largest || power > largest || FLT_EVAL_METHOD != 0)
    return false;
  double size = power < 0 ? (double)w / ten_to[-power] : (double)w * ten_to[power];
  *value = negative ? -size : size;
  return true;
}
