/* Ticks at round numbers and their labels.
 *
 * On a linear axis they are multiples of 1, 2 or 5 times a power of ten. On a logarithmic one they
 * are powers of ten, all or every so many; where these are too few, their 2- and 5-fold, too; and
 * within a fraction of a decade those of a linear axis. */
#include "output/plot/axis.h"
#include "output/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 7      /* digits of a label; beyond them it tells the distance from a base */
#define PLAIN_LOW 1e-3 /* between these labels have no exponent */
#define PLAIN_HIGH 1e6
#define LINEAR 0.7  /* decades (1 to 5) up to which a logarithmic axis is marked as a linear one */
#define MINOR 10.0  /* decades up to which lesser ticks are shown */
#define SLACK 1e-10 /* of a step: ticks at the very ends are on the axis */

/* digit * 10^exponent */
typedef struct step {
  double digit;
  int exponent;
} step;

/* value * 10^exponent, exact where it can be */
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

/* The smallest step of a round size that is not below `least`. */
static step ticks_round_step(double least)
{
  step s = {1, ticks_exponent_of(least)};
  double digits = ticks_scaled(least, -s.exponent) * (1 - SLACK);
  if (digits > 5)
    s.exponent++;
  else if (digits > 2)
    s.digit = 5;
  else if (digits > 1)
    s.digit = 2;
  return s;
}

/* 1.50e-08 -> 1.5e-8; there is room for the text as it was */
static void ticks_shorten_exponent(char *text)
{
  char *e = strchr(text, 'e'), *end = e;
  int exponent = (int)strtol(e + 1, NULL, 10);
  if (memchr(text, '.', (size_t)(e - text))) {
    while (end[-1] == '0')
      end--;
    end -= end[-1] == '.';
  }
  snprintf(end, 16, "e%d", exponent);
}

/* A number whose last digit that counts is that of 10^last; plain: without an exponent. */
static void ticks_number_label(double value, int last, bool plain, char *text, size_t size)
{
  if (value == 0) {
    snprintf(text, size, "0");
    return;
  }
  char number[340];
  int places = plain ? -last : ticks_exponent_of(value) - last;
  snprintf(number, sizeof number, plain ? "%.*f" : "%.*e", places > 0 ? places : 0, value);
  dae__number_point(number);
  if (!plain)
    ticks_shorten_exponent(number);
  snprintf(text, size, "%.*s", (int)size - 1, number);
}

static bool ticks_is_plain(double size)
{
  return size >= PLAIN_LOW && size < PLAIN_HIGH;
}

static dae__tick *ticks_add_tick(dae__ticks *out, double share)
{
  if (out->count == DAE__TICKS || share < -SLACK || share > 1 + SLACK)
    return NULL;
  dae__tick *tick = &out->at[out->count++];
  tick->share = fmin(fmax(share, 0), 1);
  tick->label[0] = '\0';
  return tick;
}

/* ---- linear ---- */

/* The roundest number from low to high. */
static double ticks_roundest(double low, double high, char *text, size_t size)
{
  double biggest = fmax(fabs(low), fabs(high)), base = 0;
  int e = ticks_exponent_of(biggest) + 1;
  for (int last = e - 18; e >= last; e--) {
    base = ticks_scaled(ceil(ticks_scaled(low, -e)), e);
    if (base >= low && base <= high)
      break;
  }
  ticks_number_label(base, e, ticks_is_plain(biggest), text, size);
  return base;
}

/* Ticks at evenly spaced numbers from low to high, on an axis of either kind. */
static void linear_ticks(const dae__axis *axis, double low, double high, int most, dae__ticks *out)
{
  step s = ticks_round_step((high / 2 - low / 2) / (most / 2.0));
  double biggest = fmax(fabs(low), fabs(high)), base = 0;
  if (ticks_exponent_of(biggest) - s.exponent >= LONGEST) {
    base = ticks_roundest(low, high, out->base, sizeof out->base);
    biggest = fmax(fabs(low - base), fabs(high - base));
  }
  /* multiples of the step, without dividing by it: it may be tiny */
  double first = ceil(ticks_scaled(low - base, -s.exponent) / s.digit - SLACK);
  double last = floor(ticks_scaled(high - base, -s.exponent) / s.digit + SLACK);
  for (double k = first; k <= last; k++) {
    double distance = ticks_scaled(k * s.digit, s.exponent);
    dae__tick *tick = ticks_add_tick(out, dae__axis_share(axis, base + distance));
    if (tick)
      ticks_number_label(distance, s.exponent, ticks_is_plain(biggest), tick->label,
                         sizeof tick->label);
  }
}

/* ---- logarithmic ---- */

/* decades between two ticks: 1, 2, 3, 5, 10, 20, 50, 100, ... */
static int ticks_decade_step(double decades, int most)
{
  step s = ticks_round_step(fmax(decades / most, 1));
  int n = (int)lround(ticks_scaled(s.digit, s.exponent));
  return n == 5 && decades / 3 <= most ? 3 : n;
}

static void ticks_decade_label(const dae__axis *axis, int decade, double digit, dae__tick *tick)
{
  bool plain = axis->low >= log10(PLAIN_LOW) - 1 && axis->high <= log10(PLAIN_HIGH);
  if (plain)
    ticks_number_label(ticks_scaled(digit, decade), decade, true, tick->label, sizeof tick->label);
  else if (decade == 0)
    snprintf(tick->label, sizeof tick->label, "%.0f", digit);
  else
    snprintf(tick->label, sizeof tick->label, "%.0fe%d", digit, decade);
}

/* lesser ticks at 2 to 9 times a power of ten, with labels at some of them where there is room */
static void ticks_of_decade(const dae__axis *axis, int decade, bool labels, dae__ticks *out)
{
  for (int digit = 2; digit <= 9; digit++) {
    double at = (decade + log10(digit) - axis->low) / (axis->high - axis->low);
    dae__tick *tick = ticks_add_tick(out, at);
    if (tick && labels && (digit == 2 || digit == 5))
      ticks_decade_label(axis, decade, digit, tick);
  }
}

static void log_ticks(const dae__axis *axis, int most, dae__ticks *out)
{
  double decades = axis->high - axis->low;
  int n = ticks_decade_step(decades, most);
  for (int d = (int)floor(axis->low); d <= (int)floor(axis->high + SLACK); d++) {
    dae__tick *tick = d % n == 0 ? ticks_add_tick(out, (d - axis->low) / decades) : NULL;
    if (tick)
      ticks_decade_label(axis, d, 1, tick);
    if (n == 1 && decades <= MINOR)
      ticks_of_decade(axis, d, 3 * decades <= most, out);
  }
}

static void make_ticks(const dae__axis *axis, int most, dae__ticks *out)
{
  out->count = 0;
  out->base[0] = '\0';
  if (!axis->log)
    linear_ticks(axis, axis->low, axis->high, most, out);
  else if (axis->high - axis->low > LINEAR)
    log_ticks(axis, most, out);
  else
    linear_ticks(axis, pow(10, axis->low), fmin(pow(10, axis->high), DBL_MAX), most, out);
}

static int ticks_count_labels(const dae__ticks *ticks)
{
  int count = 0;
  for (int i = 0; i < ticks->count; i++)
    count += ticks->at[i].label[0] != '\0';
  return count;
}

/* a single label says nothing of the scale: rather a few more than were asked for */
void dae__axis_ticks(const dae__axis *axis, int most, dae__ticks *out)
{
  most = most < 2 ? 2 : most > 32 ? 32 : most;
  do
    make_ticks(axis, most++, out);
  while (ticks_count_labels(out) < 2 && most <= 6);
}

bool dae__axis_needs_name(const dae__axis *axis)
{
  dae__ticks ticks;
  dae__axis_ticks(axis, 32, &ticks); /* the smaller the step, the later the digits */
  return ticks.base[0] != '\0';
}
