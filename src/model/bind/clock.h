/* Clocks: the instants of time events, known in advance. Either a grid origin + k period, a list,
 * or the zeros of a function e of time, params and held values (formula.h), which are found in
 * closed form where e is affine in time, else by interval evaluation of e and of its derivative. */
#ifndef DAEDAL_MODEL_BIND_CLOCK_H
#define DAEDAL_MODEL_BIND_CLOCK_H

#include "model/bind/bind.h"

typedef struct dae__clock dae__clock;

/* Tests that a node holds time, and besides it params and held values only. */
bool dae__bind_is_clock(dae__binder *b, dae__node node);

/* Clock of the zeros of such a node, for a - b of a relation a < b too; direction: +1 rising, -1
 * falling, 0 both. A zero at the start of the run is no instant. In the arena, independent of the
 * graph; NULL after an error. */
dae__clock *dae__bind_clock(dae__binder *b, dae__node node, int direction);
/* Clocks of the instants origin + k period with k >= least, and of ascending instants, which are
 * copied. */
dae__clock *dae__bind_clock_every(dae__binder *b, double origin, double period, int least);
dae__clock *dae__bind_clock_at(dae__binder *b, int count, const double *instants);

/* First instant after t, and not after end, with the held values; infinity: none. Returns 0, or 1
 * where the instants cannot be told apart: more than CLOCK_CELLS intervals had to be looked at, or
 * a period is below the resolution of time; or 2 where more than 1e9 instants of a grid lie before
 * the end. A value that is zero to rounding at t has its instant
 * there: it does not recur. An instant within 4 units in the last place of the end is at the end.
 */
int dae__clock_next(dae__clock *clock, double t, double end, const double *held, double *next);
/* Side of zero, -1 or +1, on which the function is just after t, also where it vanishes at t
 * itself; 0: it vanishes, as far as can be seen. Returns as dae__clock_next. */
int dae__clock_side(dae__clock *clock, double t, const double *held, int *side);

#endif
