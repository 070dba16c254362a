/* Axes and their ticks.
 *
 * Ticks of a linear axis are multiples of 1, 2 or 5 times a power of ten. Ticks of a logarithmic
 * axis are powers of ten, all or every nth; where these are too few, also twice and five times
 * them; within a fraction of a decade those of a linear axis. */
#include "output/plot/axis.h"
#include "output/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants of axes and ticks: chosen, not measured. */
#define AXIS_RELATIVE_ROUNDING 1e-13 /* relative difference of values that count as equal */
/* largest range that counts as 0: tick steps are normal numbers */
#define AXIS_SMALLEST_RANGE 1e-300
#define AXIS_SINGLE_VALUE_MARGIN 0.05 /* margin around a single value, relative to the value */
#define TICK_LABEL_DIGITS 7           /* largest number of digits of a label without a base */
/* smallest number of the range, up to FIXED_POINT_HIGH, of labels without an exponent */
#define FIXED_POINT_LOW 1e-3
#define FIXED_POINT_HIGH 1e6
/* length in decades, that of 1 to 5, up to which a logarithmic axis has linear ticks */
#define LINEAR_TICK_DECADES 0.7
#define MINOR_TICK_DECADES 10.0 /* length in decades up to which an axis has minor ticks */
/* tolerance for ticks at the ends of an axis, relative to the tick step */
#define TICK_SLACK 1e-10

bool dae__axis_takes(bool log, double value)
{
  return isfinite(value) && (!log || value > 0);
}

/* Returns half of the range, which is finite even if the whole range overflows. */
static double axis_half_range(double low, double high)
{
  return high / 2 - low / 2;
}

/* Moves both ends of the axis outwards by this distance. */
static void axis_extend(dae__axis *axis, double distance)
{
  axis->low = fmin(fmax(axis->low - distance, -DBL_MAX), DBL_MAX);
  axis->high = fmin(fmax(axis->high + distance, -DBL_MAX), DBL_MAX);
}

dae__axis dae__axis_fit(bool log, double least, double most, double margin)
{
  dae__axis axis = {.log = log, .low = least, .high = most};
  if (!(least <= most))
    return (dae__axis){.log = log, .low = 0, .high = 1};
  if (log) {
    axis.low = log10(least);
    axis.high = log10(most);
  }
  double half = axis_half_range(axis.low, axis.high);
  /* whether all values are equal up to rounding; subnormal numbers have few digits */
  bool single;
  if (log)
    single = half <= AXIS_RELATIVE_ROUNDING || (most < AXIS_SMALLEST_RANGE && half < 0.5);
  else
    single = half <= AXIS_RELATIVE_ROUNDING * fmax(fabs(least), fabs(most)) ||
             half <= AXIS_SMALLEST_RANGE;
  if (!single) {
    axis_extend(&axis, 2 * margin * half);
    return axis;
  }
  double middle = axis.low / 2 + axis.high / 2, size = fabs(middle);
  bool zero = size < AXIS_SMALLEST_RANGE / AXIS_RELATIVE_ROUNDING;
  axis.low = axis.high = middle;
  axis_extend(&axis, log ? 0.5 : zero ? 1 : AXIS_SINGLE_VALUE_MARGIN * size);
  return axis;
}

double dae__axis_share(const dae__axis *axis, double value)
{
  double at = axis->log ? log10(value) : value;
  return axis_half_range(axis->low, at) / axis_half_range(axis->low, axis->high);
}

void dae__axis_equal(dae__axis *x, dae__axis *y, double width, double height)
{
  double across = axis_half_range(x->low, x->high), down = axis_half_range(y->low, y->high);
  double x_unit = across / width, y_unit = down / height;
  if (x_unit < y_unit)
    axis_extend(x, (y_unit / x_unit - 1) * across);
  else
    axis_extend(y, (x_unit / y_unit - 1) * down);
}

/* ---- round numbers and labels ---- */

/* A step between ticks: digit * 10^exponent. */
typedef struct tick_step {
  double digit;
  int exponent;
} tick_step;

/* Returns value * 10^exponent, exact if the result is a double. */
static double ticks_scaled(double value, int exponent)
{
  if (exponent > 300)
    return value * 1e300 * pow(10, exponent - 300);
  if (exponent >= 0)
    return value * pow(10, exponent);
  if (exponent >= -300)
    return value / pow(10, -exponent);
  return value / 1e300 / pow(10, -exponent - 300);
}

static int ticks_exponent_of(double value)
{
  return value == 0 ? 0 : (int)floor(log10(fabs(value)));
}

/* Returns the smallest step 1, 2 or 5 times a power of ten that is at least `least`. */
static tick_step ticks_round_step(double least)
{
  tick_step s = {1, ticks_exponent_of(least)};
  double digits = ticks_scaled(least, -s.exponent) * (1 - TICK_SLACK);
  if (digits > 5)
    s.exponent++;
  else if (digits > 2)
    s.digit = 5;
  else if (digits > 1)
    s.digit = 2;
  return s;
}

/* Writes a number with its digits down to 10^last; exponents are shortened: 1.5e-8, not
 * 1.50e-08. */
static void ticks_number_label(double value, int last, bool fixed_point, char *text, size_t size)
{
  if (value == 0) {
    snprintf(text, size, "0");
    return;
  }
  char number[340];
  int places = fixed_point ? -last : ticks_exponent_of(value) - last;
  snprintf(number, sizeof number, fixed_point ? "%.*f" : "%.*e", places > 0 ? places : 0, value);
  dae__number_point(number);
  if (!fixed_point) {
    char *e = strchr(number, 'e'), *end = e;
    int exponent = (int)strtol(e + 1, NULL, 10);
    if (memchr(number, '.', (size_t)(e - number))) {
      while (end[-1] == '0')
        end--;
      end -= end[-1] == '.';
    }
    snprintf(end, 16, "e%d", exponent);
  }
  snprintf(text, size, "%.*s", (int)size - 1, number);
}

/* Adds a tick without a label; returns NULL for a tick outside the axis. */
static dae__tick *ticks_add_tick(dae__ticks *out, double share)
{
  if (out->count == DAE__TICKS || share < -TICK_SLACK || share > 1 + TICK_SLACK)
    return NULL;
  dae__tick *tick = &out->at[out->count++];
  tick->share = fmin(fmax(share, 0), 1);
  tick->label[0] = '\0';
  return tick;
}

/* ---- ticks of a linear scale ---- */

/* Adds ticks at evenly spaced numbers from low to high, on a linear or logarithmic axis. Long
 * labels are replaced by differences from a base, the number with the fewest digits from low to
 * high. */
static void ticks_add_linear(const dae__axis *axis, double low, double high, int most,
                             dae__ticks *out)
{
  tick_step s = ticks_round_step((high / 2 - low / 2) / (most / 2.0));
  double largest = fmax(fabs(low), fabs(high)), base = 0;
  if (ticks_exponent_of(largest) - s.exponent >= TICK_LABEL_DIGITS) {
    int e = ticks_exponent_of(largest) + 1;
    for (int last = e - 18; e >= last; e--) {
      base = ticks_scaled(ceil(ticks_scaled(low, -e)), e);
      if (base >= low && base <= high)
        break;
    }
    ticks_number_label(base, e, largest >= FIXED_POINT_LOW && largest < FIXED_POINT_HIGH, out->base,
                       sizeof out->base);
    largest = fmax(fabs(low - base), fabs(high - base));
  }
  bool fixed_point = largest >= FIXED_POINT_LOW && largest < FIXED_POINT_HIGH;
  /* number of the first multiple of the step, without a division by the step itself, which may be
   * tiny */
  double first = ceil(ticks_scaled(low - base, -s.exponent) / s.digit - TICK_SLACK);
  double last = floor(ticks_scaled(high - base, -s.exponent) / s.digit + TICK_SLACK);
  for (double k = first; k <= last; k++) {
    double distance = ticks_scaled(k * s.digit, s.exponent);
    dae__tick *tick = ticks_add_tick(out, dae__axis_share(axis, base + distance));
    if (tick)
      ticks_number_label(distance, s.exponent, fixed_point, tick->label, sizeof tick->label);
  }
}

/* ---- ticks of a logarithmic scale ---- */

/* Adds a tick every n decades, n = 1, 2, 3, 5, 10, 20, 50, ...; for n = 1 also minor ticks at 2 to
 * 9 times a power of ten, with labels at 2 and 5 if there is room. */
static void ticks_add_logarithmic(const dae__axis *axis, int most, dae__ticks *out)
{
  bool fixed_point =
      axis->low >= log10(FIXED_POINT_LOW) - 1 && axis->high <= log10(FIXED_POINT_HIGH);
  double decades = axis->high - axis->low;
  tick_step s = ticks_round_step(fmax(decades / most, 1));
  int n = (int)lround(ticks_scaled(s.digit, s.exponent));
  n = n == 5 && decades / 3 <= most ? 3 : n;
  int digits = n == 1 && decades <= MINOR_TICK_DECADES ? 9 : 1;
  for (int d = (int)floor(axis->low); d <= (int)floor(axis->high + TICK_SLACK); d++)
    for (int digit = 1; digit <= digits; digit++) {
      double share = (d + log10(digit) - axis->low) / decades;
      dae__tick *tick = digit > 1 || d % n == 0 ? ticks_add_tick(out, share) : NULL;
      bool named = digit == 1 || (3 * decades <= most && (digit == 2 || digit == 5));
      if (!tick || !named)
        continue;
      if (fixed_point)
        ticks_number_label(ticks_scaled(digit, d), d, true, tick->label, sizeof tick->label);
      else if (d == 0)
        snprintf(tick->label, sizeof tick->label, "%d", digit);
      else
        snprintf(tick->label, sizeof tick->label, "%de%d", digit, d);
    }
}

/* Finds the ticks of an axis. A single label would show no scale: `most` is raised, up to 6, until
 * at least two ticks have labels. */
void dae__axis_ticks(const dae__axis *axis, int most, dae__ticks *out)
{
  int labels = 0;
  most = most < 2 ? 2 : most > 32 ? 32 : most;
  do {
    out->count = 0;
    out->base[0] = '\0';
    if (!axis->log)
      ticks_add_linear(axis, axis->low, axis->high, most, out);
    else if (axis->high - axis->low > LINEAR_TICK_DECADES)
      ticks_add_logarithmic(axis, most, out);
    else
      ticks_add_linear(axis, pow(10, axis->low), fmin(pow(10, axis->high), DBL_MAX), most, out);
    most++;
    labels = 0;
    for (int i = 0; i < out->count; i++)
      labels += out->at[i].label[0] != '\0';
  } while (labels < 2 && most <= 6);
}

bool dae__axis_needs_name(const dae__axis *axis)
{
  dae__ticks ticks;
  /* largest number of ticks, because smaller steps need labels with more digits */
  dae__axis_ticks(axis, 32, &ticks);
  return ticks.base[0] != '\0';
}
