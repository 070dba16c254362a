/* The stabilised index-2 form of a mechanical problem as a user of IDA writes it out by hand:
 * residual and iteration matrix. */
#ifndef DAEDAL_BENCH_IDA_GGL_H
#define DAEDAL_BENCH_IDA_GGL_H

#include "core/arena.h"
#include <daedal/mechanical.h>

typedef struct ida_ggl ida_ggl;

/* NULL: out of memory, or the problem has parts that are not written out, or lacks a derivative. */
ida_ggl *ida_ggl_create(dae__arena *arena, const dae_mechanical *p);

/* R(t, y, y'); as the callbacks, 0 or not. */
int ida_ggl_residual(ida_ggl *s, double t, const double *y, const double *dy, double *R);

/* Pattern of the iteration matrix. */
const dae_pattern *ida_ggl_pattern(const ida_ggl *s);

/* The values of dR/dy + cj dR/dy' in the order of the pattern; as the callbacks, 0 or not. */
int ida_ggl_matrix(ida_ggl *s, double t, double cj, const double *y, const double *dy,
                   double *matrix);

#endif
