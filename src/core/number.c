/* Numbers as text. The decimal digits of a value, an integer d with
 *
 *   |value| = d 10^(k - digits + 1),   10^(digits - 1) <= d < 10^digits,
 *
 * are x = |value| 10^p, p = digits - 1 - k, rounded to nearest, ties to even. With integers M and P
 * of 64 bits, |value| = M 2^(e - 64) and 10^p = P 2^(b - 63), where 2^b is the power of two below
 * 10^p,
 *
 *   x = M P / 2^s,   s = 127 - e - b.
 *
 * P is exact up to 10^27, since 5^27 has 63 bits. Beyond, P is too small by less than 1, and x by
 * less than 2^64 / 2^s: if a tie is nearer than that, rounding is undecided and printf is used. */
#include "core/number.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_POWER 27 /* largest exponent p whose mantissa P is exact */
/* largest exponent p whose mantissa P is a product of two exact mantissas */
#define LARGEST_POWER (2 * EXACT_POWER)
#define DIGITS_MAX 17 /* number of digits that identify a double */

/* powers of five up to EXACT_POWER */
static const uint64_t five_to[EXACT_POWER + 1] = {1u,
                                                  5u,
                                                  25u,
                                                  125u,
                                                  625u,
                                                  3125u,
                                                  15625u,
                                                  78125u,
                                                  390625u,
                                                  1953125u,
                                                  9765625u,
                                                  48828125u,
                                                  244140625u,
                                                  1220703125u,
                                                  6103515625u,
                                                  30517578125u,
                                                  152587890625u,
                                                  762939453125u,
                                                  3814697265625u,
                                                  19073486328125u,
                                                  95367431640625u,
                                                  476837158203125u,
                                                  2384185791015625u,
                                                  11920928955078125u,
                                                  59604644775390625u,
                                                  298023223876953125u,
                                                  1490116119384765625u,
                                                  7450580596923828125u};

/* Product of two unsigned integers of 64 bits. */
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

/* Exponent b of the power of two below 10^p: 217706 / 2^16 is log2(10) to the digits that p <= 54
 * needs. */
static int decimal_binary_power(int p)
{
  return (p * 217706) >> 16;
}

/* Mantissa P of 10^p, an integer of 64 bits. */
static uint64_t decimal_mantissa(int p)
{
  if (p <= EXACT_POWER)
    return five_to[p] << (63 - decimal_binary_power(p) + p);
  wide product = decimal_times(decimal_mantissa(EXACT_POWER), decimal_mantissa(p - EXACT_POWER));
  return product.high >> 63 ? product.high : product.high << 1 | product.low >> 63;
}

/* Integer x = |value| 10^p, rounded to nearest; false: the rounding is undecided. */
static bool decimal_scale(uint64_t M, int e, int p, uint64_t *x)
{
  if (p < 0 || p > LARGEST_POWER)
    return false;
  wide product = decimal_times(M, decimal_mantissa(p));
  int s = 127 - e - decimal_binary_power(p) - 64; /* shift of the upper half of the product */
  uint64_t middle = (uint64_t)1 << (s - 1), rest = product.high & (2 * middle - 1);
  *x = product.high >> s;
  if (p > EXACT_POWER && (rest == middle || rest + 1 == middle))
    return false;
  bool tie = rest == middle && product.low == 0;
  *x += tie ? *x & 1 : rest >= middle;
  return true;
}

/* Decimal digits d and exponent k of a positive value; false: the rounding is undecided. */
static bool decimal_find_digits(double value, int digits, uint64_t *d, int *k)
{
  int e;
  uint64_t M = (uint64_t)ldexp(frexp(value, &e), 64), end = five_to[digits] << digits;
  *k = (int)floor((e - 1) * 0.30102999566398120); /* decimal exponent: exact, or too small by 1 */
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

/* Writes this many digits, zeros for from = NULL; returns the address after them. */
static char *decimal_put(char *to, const char *from, int count)
{
  if (from)
    memcpy(to, from, (size_t)count);
  else
    memset(to, '0', (size_t)count);
  return to + count;
}

/* Writes `count` digits with the decimal exponent k, in fixed notation where it has at most
 * `most` digits before the point: 12.34, 1200, 0.0012, else 1.2e-05. Returns the length. */
static size_t decimal_write(bool negative, const char *digit, int count, int k, int most,
                            char *text)
{
  char *begin = text;
  if (negative)
    *text++ = '-';
  bool fixed = k >= -4 && k < most;
  int whole = !fixed ? 1 : k < 0 ? 0 : count <= k ? count : k + 1, size = k < 0 ? -k : k;
  text = decimal_put(text, digit, whole);
  if (fixed)
    text = decimal_put(text, NULL, k < 0 ? 1 : k + 1 - whole);
  if (count > whole)
    *text++ = '.';
  if (fixed && k < 0)
    text = decimal_put(text, NULL, -k - 1);
  text = decimal_put(text, digit + whole, count - whole);
  if (!fixed) {
    *text++ = 'e';
    *text++ = k < 0 ? '-' : '+';
    if (size >= 100)
      *text++ = (char)('0' + size / 100);
    *text++ = (char)('0' + size / 10 % 10);
    *text++ = (char)('0' + size % 10);
  }
  *text = 0;
  return (size_t)(text - begin);
}

bool dae__decimal(double value, int digits, char text[40])
{
  char digit[DIGITS_MAX];
  uint64_t d = 0;
  int k = 0, count = digits;
  if (!isfinite(value) || digits < 1 || digits > DIGITS_MAX ||
      (value != 0 && !decimal_find_digits(fabs(value), digits, &d, &k)))
    return false;
  for (int i = digits - 1; i >= 0; i--, d /= 10)
    digit[i] = (char)('0' + d % 10);
  while (count > 1 && digit[count - 1] == '0')
    count--;
  decimal_write(signbit(value), digit, count, k, digits, text);
  return true;
}

/* ---- shortest text ---- */

/* Integers least <= d <= most for which d 10^-p is nearer to value than to any other double, with
 * 17 or 18 digits, and x, value 10^p rounded down. The neighbours of M 2^(e - 64) are M + 2^11 and
 * M - 2^11, or M - 2^10 if M is a power of two. False: they are undecided. */
static bool decimal_interval(double value, uint64_t *least, uint64_t *most, uint64_t *x, int *p)
{
  int e;
  uint64_t M = (uint64_t)ldexp(frexp(value, &e), 64);
  *p = DIGITS_MAX - 1 - (int)floor((e - 1) * 0.30102999566398120);
  if (*p < 0 || *p > LARGEST_POWER)
    return false;
  uint64_t P = decimal_mantissa(*p);
  int s = 127 - e - decimal_binary_power(*p) - 64, half = M << 1 ? 10 : 9;
  wide product = decimal_times(M, P), low = product, high = product;
  high.low += P << 10;
  high.high += (P >> 54) + (high.low < product.low);
  low.low -= P << half;
  low.high -= (P >> (64 - half)) + (low.low > product.low);
  /* P is too small by less than 1, so that the ends may be higher by one unit */
  if (*p > EXACT_POWER &&
      (low.high >> s != (low.high + 1) >> s || high.high >> s != (high.high + 1) >> s))
    return false;
  bool whole = (high.high & (((uint64_t)1 << s) - 1)) == 0 && high.low == 0;
  *least = (low.high >> s) + 1;
  *most = (high.high >> s) - whole;
  *x = product.high >> s;
  return *least <= *most;
}

/* Writes the digits of d < 10^18, with zeros in front; two of them at a time, and the two halves
 * independently of each other, since every one waits for the one after it. */
static void decimal_eighteen(uint64_t d, char to[18])
{
  static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                              "25262728293031323334353637383940414243444546474849"
                              "50515253545556575859606162636465666768697071727374"
                              "75767778798081828384858687888990919293949596979899";
  const uint64_t eight = 100000000, top = d / eight;
  uint32_t high = (uint32_t)(top % eight), low = (uint32_t)(d % eight);
  memcpy(to, pairs + 2 * (top / eight), 2);
  for (int i = 3; i >= 0; i--, high /= 100, low /= 100) {
    memcpy(to + 2 + 2 * i, pairs + 2 * (size_t)(high % 100), 2);
    memcpy(to + 10 + 2 * i, pairs + 2 * (size_t)(low % 100), 2);
  }
}

size_t dae__decimal_shortest(double value, char text[40])
{
  char digit[18];
  uint64_t least = 0, most = 0, x = 0, last = 0;
  int p = 0, zeros = 0;
  if (!isfinite(value) || (value != 0 && !decimal_interval(fabs(value), &least, &most, &x, &p)))
    return 0;
  for (; value != 0 && (least + 9) / 10 <= most / 10; p--) {
    least = (least + 9) / 10;
    most /= 10;
    last = x % 10;
    x /= 10;
  }
  x += last >= 5;
  x = x < least ? least : x > most ? most : x;
  decimal_eighteen(x, digit);
  while (zeros < 17 && digit[zeros] == '0')
    zeros++;
  int count = 18 - zeros;
  return decimal_write(signbit(value), digit + zeros, count, value == 0 ? 0 : count - 1 - p,
                       DIGITS_MAX, text);
}

/* ---- reading ---- */

/* Appends the digits of a text to the integer w; stops before w has more than 15 digits. */
static const char *decimal_read_digits(const char *text, uint64_t *w)
{
  for (; *text >= '0' && *text <= '9' && *w < 100000000000000u; text++)
    *w = 10 * *w + (uint64_t)(*text - '0');
  return text;
}

/* Value of a decimal text: its digits and its power of ten are exact doubles, so that their product
 * or quotient is rounded once. */
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
  if (some && (*end == 'e' || *end == 'E')) {
    uint64_t exponent = 0;
    bool down = end[1] == '-';
    first = end + 1 + (down || end[1] == '+');
    end = decimal_read_digits(first, &exponent);
    power += down ? -(int)exponent : (int)exponent;
    if (end == first || exponent >= 1000)
      return false;
  }
  if (!some || *end || power < -largest || power > largest || FLT_EVAL_METHOD != 0)
    return false;
  double size = power < 0 ? (double)w / ten_to[-power] : (double)w * ten_to[power];
  *value = negative ? -size : size;
  return true;
}

/* ---- numbers in any locale ---- */

void dae__number_point(char *text)
{
  /* the decimal point of the locale may have several bytes */
  size_t whole = strspn(text, "+-0123456789"), point = strcspn(text + whole, "0123456789e");
  if (point == 0)
    return;
  text[whole] = '.';
  memmove(text + whole + 1, text + whole + point, strlen(text + whole + point) + 1);
}

dae__number dae__number_text(double value, int digits)
{
  dae__number number = {"nan"}; /* a fixed text, since printf may print a sign with nan */
  if (isnan(value) || dae__decimal(value, digits, number.text))
    return number;
  snprintf(number.text, sizeof number.text, "%.*g", digits, value);
  if (!isinf(value))
    dae__number_point(number.text);
  return number;
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
  /* decimal point of the locale, which strtod expects */
  for (char *point = copy; (point = strchr(point, '.')); point++)
    *point = localeconv()->decimal_point[0];
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

size_t dae__number_shortest(double value, char text[40])
{
  size_t length = dae__decimal_shortest(value, text);
  if (length == 0)
    dae__format_double(value, text, 40);
  return length > 0 ? length : strlen(text);
}

void dae__format_double(double value, char *text, size_t size)
{
  dae__number full = {""};
  double back;
  bool same = false;
  for (int digits = 15; digits <= 17 && !same; digits++) {
    full = dae__number_text(value, digits);
    same = dae__parse_double(full.text, &back) && back == value;
  }
  snprintf(text, size, "%s", full.text);
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
