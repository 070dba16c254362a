/* Rods: distance constraints between two points. */
#ifndef DAEDAL_MODEL_PICTURE_ROD_H
#define DAEDAL_MODEL_PICTURE_ROD_H

#include "model/bind/bind.h"

enum { DAE__ROD_AXES = 3 };

/* A rod. Along each axis the difference of its end points is q - r - offset with coordinates q and
 * r, or q - offset if one end depends on time only. */
typedef struct dae__rod {
  int axes; /* number of axes, 2 or 3; 0: not a rod */
  struct {
    int q, r; /* leaves of the coordinates, q < r; r = -1: none */
    dae__node offset;
  } along[DAE__ROD_AXES]; /* axes in rising order of q */
} dae__rod;

/* Rod of a constraint 0 = node; no axes if the constraint is not a rod. Adds nodes to the graph. */
dae__rod dae__rod_of(dae__binder *b, dae__node node);

#endif
