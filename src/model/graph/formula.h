/* A function e of time and held values and its time derivative, as a list of operators that is
 * independent of the graph: ranges over intervals of time, by interval arithmetic with outward
 * rounding.
 *
 * With given held values a node is constant, affine in t, or any other function. The operators with
 * jumps (floor, sign, comparisons) of affine operands jump at instants known in closed form, t =
 * (k P - w0) / w1 for floor((w0 + w1 t) / P), so that their value between two such instants is
 * exact, up to the instants themselves. */
#ifndef DAEDAL_MODEL_GRAPH_FORMULA_H
#define DAEDAL_MODEL_GRAPH_FORMULA_H

#include "core/arena.h"
#include "model/graph/interval.h"
#include "model/graph/walk.h"

typedef struct dae__formula dae__formula;

/* Formula of e and of its derivative with respect to time. entry: by leaf, the index of its held
 * value, or DAE__FORMULA_TIME. In the arena; NULL: failure of the walker or of the
 * arena. */
enum { DAE__FORMULA_TIME = -1 };
dae__formula *dae__formula_create(dae__walker *walker, dae__arena *arena, dae__node e,
                                  dae__node rate, const int *entry);

/* Takes the held values; false: they are those of the last call. */
bool dae__formula_hold(dae__formula *f, const double *held);
/* True: e = w0 + w1 t with the held values. */
bool dae__formula_is_affine(const dae__formula *f, double *w0, double *w1);

/* Makes [l, r] the interval of the ranges to come. Returns the first known instant of a jump
 * strictly between l and r; infinity: none, jumps of affine operands are decided in [l, r]. */
double dae__formula_enter(dae__formula *f, double l, double r);
/* Ranges of e, and of its derivative (unless NULL), on [a, b] within the interval; at its ends
 * they are limits from within. */
void dae__formula_range(dae__formula *f, double a, double b, dae__interval *e, dae__interval *rate);

#endif
