/* Waveforms on the exchange grid: slopes by differences, extrapolation into the next window. */
#ifndef DAEDAL_WAVE_ITERATION_WAVEFORM_H
#define DAEDAL_WAVE_ITERATION_WAVEFORM_H

#include <daedal/wave.h>

/* Slopes of entry i at all nodes: derivatives of the polynomials through up to five neighbouring
 * nodes, of order 4. */
void dae__waveform_slopes(dae_waveform *w, int i);

/* Cubic extrapolation to a time t beyond the window, through four nodes spread over the window. */
void dae__waveform_extrapolate(const dae_waveform *w, double t, double *value);

/* Interval between two nodes with values and slopes at its ends. dae__span_at is the cubic Hermite
 * interpolation y of n entries at t, and its derivative dy (may be NULL). */
typedef struct dae__span {
  double t0, t1;
  const double *y0, *dy0, *y1, *dy1;
} dae__span;
void dae__span_at(const dae__span *s, int n, double t, double *y, double *dy);

#endif
