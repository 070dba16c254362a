/* One axis of a plot: its range, the place of a value, its ticks and their labels. For all finite
 * values the ends of an axis differ and its ticks are few. */
#ifndef DAEDAL_OUTPUT_PLOT_AXIS_H
#define DAEDAL_OUTPUT_PLOT_AXIS_H

#include <stdbool.h>

typedef struct dae__axis {
  bool log;
  double low, high; /* ends; decimal logarithms of the ends where log */
} dae__axis;

/* Returns whether the value has a place on such an axis: finite, and positive where log. */
bool dae__axis_takes(bool log, double value);

/* Returns an axis for values from least to most, extended on either side by margin times the range.
 * Values that differ by rounding only count as one value. least > most: no values. */
dae__axis dae__axis_fit(bool log, double least, double most, double margin);

/* Returns the place of a value: 0 at the low end, 1 at the high end. */
double dae__axis_share(const dae__axis *axis, double value);

/* Multiplies the length of the axis, with the same middle. */
void dae__axis_widen(dae__axis *axis, double times);

#define DAE__TICKS 128

typedef struct dae__tick {
  double share;   /* place on the axis, as by dae__axis_share */
  char label[24]; /* empty: a minor tick */
} dae__tick;

typedef struct dae__ticks {
  int count;
  dae__tick at[DAE__TICKS]; /* from low to high */
  char base[32];            /* number that labels are relative to, such as -4.905; empty: 0 */
} dae__ticks;

/* Finds ticks at round numbers. At most `most` + 2 have labels (most: 2 to 32); at least two have,
 * even if that takes up to six. */
void dae__axis_ticks(const dae__axis *axis, int most, dae__ticks *out);
/* Returns whether ticks may have a base, which the name of the axis has to state. */
bool dae__axis_needs_name(const dae__axis *axis);

#endif
