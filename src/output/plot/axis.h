/* One axis of a plot: the range it shows, where a value lies on it, its ticks and what they are
 * called. Whatever finite numbers it is made from, its ends differ and its ticks are few. */
#ifndef DAEDAL_OUTPUT_PLOT_AXIS_H
#define DAEDAL_OUTPUT_PLOT_AXIS_H

#include <stdbool.h>

typedef struct dae__axis {
  bool log;
  double low, high; /* its ends; of a logarithmic axis their decimal logarithms */
} dae__axis;

/* Whether the value has a place on such an axis: finite, and on a logarithmic one positive. */
bool dae__axis_takes(bool log, double value);

/* An axis for values from least to most, widened by this share of it on either side. Values that
 * differ in nothing but rounding are one value, and get some room. least > most: there are no
 * values. */
dae__axis dae__axis_fit(bool log, double least, double most, double margin);

/* Where a value lies: 0 at the low end, 1 at the high one. */
double dae__axis_share(const dae__axis *axis, double value);

/* Makes the axis this many times as long, to both sides. */
void dae__axis_widen(dae__axis *axis, double times);

#define DAE__TICKS 128

typedef struct dae__tick {
  double share;   /* where it is, as above */
  char label[24]; /* empty: a lesser tick, between those with numbers */
} dae__tick;

typedef struct dae__ticks {
  int count;
  dae__tick at[DAE__TICKS]; /* from low to high */
  /* Where values differ in late digits only, labels tell the distance from this number, such as
   * -4.905; else empty. */
  char base[32];
} dae__ticks;

/* Ticks at round numbers, this many (2 to 32) of them with labels, or two more, at most; at least
 * two, even if they cannot be had with fewer than six. */
void dae__axis_ticks(const dae__axis *axis, int most, dae__ticks *out);
/* Whether they may have a base: without its name such an axis would tell wrong numbers. */
bool dae__axis_needs_name(const dae__axis *axis);

#endif
