#include "output/plot/axis.h"

#include <float.h>
#include <math.h>

#define SAME 1e-13  /* relative: what differs by less differs in rounding */
#define TINY 1e-300 /* what differs by less is the same, so that steps stay normal numbers */
#define ROOM 0.05   /* around a single value, of its size */

bool dae__axis_takes(bool log, double value)
{
  return isfinite(value) && (!log || value > 0);
}

/* Half of the range, which is finite where the whole need not be. */
static double axis_half_of(double low, double high)
{
  return high / 2 - low / 2;
}

static double axis_clamp(double value)
{
  return fmin(fmax(value, -DBL_MAX), DBL_MAX);
}

/* room around a single value: a share of its size; around 0 one, on a logarithmic axis half a
 * decade */
static void axis_surround(dae__axis *axis)
{
  double middle = axis->low / 2 + axis->high / 2, size = fabs(middle), room = ROOM * size;
  if (axis->log)
    room = 0.5;
  else if (size < TINY / SAME)
    room = 1;
  axis->low = axis_clamp(middle - room);
  axis->high = axis_clamp(middle + room);
}

/* whether what the axis shows is a single value, as far as numbers can tell */
static bool axis_is_one(const dae__axis *axis, double least, double most)
{
  double half = axis_half_of(axis->low, axis->high);
  if (axis->log)
    return half <= SAME || (most < TINY && half < 0.5); /* below, numbers have few digits */
  return half <= SAME * fmax(fabs(least), fabs(most)) || half <= TINY;
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
  double half = axis_half_of(axis.low, axis.high);
  if (axis_is_one(&axis, least, most)) {
    axis_surround(&axis);
    return axis;
  }
  axis.low = axis_clamp(axis.low - 2 * margin * half);
  axis.high = axis_clamp(axis.high + 2 * margin * half);
  return axis;
}

double dae__axis_share(const dae__axis *axis, double value)
{
  double at = axis->log ? log10(value) : value;
  return axis_half_of(axis->low, at) / axis_half_of(axis->low, axis->high);
}

void dae__axis_widen(dae__axis *axis, double times)
{
  double more = (times - 1) * axis_half_of(axis->low, axis->high);
  axis->low = axis_clamp(axis->low - more);
  axis->high = axis_clamp(axis->high + more);
}
