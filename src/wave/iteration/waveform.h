/* Waveforms on the exchange grid: slopes by differences, extrapolation into the next window. */
#ifndef DAEDAL_WAVE_ITERATION_WAVEFORM_H
#define DAEDAL_WAVE_ITERATION_WAVEFORM_H

#include <daedal/wave.h>

/* Slopes of entry i at all nodes: derivatives of the polynomials through up to five neighbouring
 * nodes, of order 4. */
void dae__waveform_slopes(dae_waveform *w, int i);

/* Cubic extrapolation to a time t beyond the window, through four nodes spread over the window. */
void dae__waveform_extrapolate(const dae_waveform *w, double t, double *value);

/* Interpolation y at t between the nodes k and k + 1, and the derivative dy of the cubic Hermite
 * interpolation (may be NULL). */
void dae__waveform_interval(const dae_waveform *w, int k, dae_interpolation kind, double t,
                            double *y, double *dy);

#endif
