/* One axis of a plot: its range, the position of a value, its ticks and their labels. For all
 * finite values the ends of an axis differ and the number of its ticks is bounded. */
#ifndef DAEDAL_OUTPUT_PLOT_AXIS_H
#define DAEDAL_OUTPUT_PLOT_AXIS_H

#include <stdbool.h>

typedef struct dae__axis {
  bool log;
  double low, high; /* ends of the axis, on a logarithmic axis as decimal logarithms */
} dae__axis;

/* Returns whether an axis can show the value: finite, and positive on a logarithmic axis. */
bool dae__axis_takes(bool log, double value);

/* Returns an axis for values from least to most, extended at both ends by margin times the range.
 * Values that differ by rounding only count as one value. least > most: there are no values. */
dae__axis dae__axis_fit(bool log, double least, double most, double margin);

/* Returns the position of a value as a fraction of the axis: 0 at the low end, 1 at the high
 * end. */
double dae__axis_share(const dae__axis *axis, double value);

/* Widens one of two axes, with the same midpoint, so that a unit has the same length on both in a
 * box of this size. */
void dae__axis_equal(dae__axis *x, dae__axis *y, double width, double height);

#define DAE__TICKS 128

typedef struct dae__tick {
  double share;   /* position as a fraction of the axis, 0 to 1 */
  char label[24]; /* label; empty for a minor tick */
} dae__tick;

typedef struct dae__ticks {
  int count;
  dae__tick at[DAE__TICKS]; /* ticks from the low end to the high end */
  char base[32];            /* base that labels are differences from, such as -4.905; empty: 0 */
} dae__ticks;

/* Finds ticks at round numbers. At most `most` + 2 of them (most: 2 to 32) have labels, and at
 * least two, for which up to six may be needed. */
void dae__axis_ticks(const dae__axis *axis, int most, dae__ticks *out);
/* Returns whether tick labels may have a base, which has to be part of the axis name. */
bool dae__axis_needs_name(const dae__axis *axis);

#endif
