/* The stabilised index-2 form of a mechanical problem as a user of IDA writes it out by hand:
 * residual, and iteration matrix where the problem is sparse. */
#ifndef DAEDAL_BENCH_IDA_GGL_H
#define DAEDAL_BENCH_IDA_GGL_H

#include "core/arena.h"
#include <daedal/mechanical.h>

typedef struct ida_ggl ida_ggl;

/* NULL: out of memory, or the problem has parts that are not written out. analytic: with the
 * iteration matrix even where the problem is small. */
ida_ggl *ida_ggl_create(dae__arena *arena, const dae_mechanical *p, bool analytic);

/* R(t, y, y'); as the callbacks, 0 or not. */
int ida_ggl_residual(ida_ggl *s, double t, const double *y, const double *dy, double *R);

/* Pattern of the iteration matrix. NULL: there is none, or the problem lacks a derivative. */
const dae_pattern *ida_ggl_pattern(const ida_ggl *s);

/* The values of dR/dy + cj dR/dy' in the order of the pattern; as the callbacks, 0 or not. */
int ida_ggl_matrix(ida_ggl *s, double t, double cj, const double *y, const double *dy,
                   double *matrix);

#endif
