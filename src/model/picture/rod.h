/* Distance constraints between two points. */
#ifndef DAEDAL_MODEL_PICTURE_ROD_H
#define DAEDAL_MODEL_PICTURE_ROD_H

#include "model/bind/bind.h"

enum { DAE__ROD_AXES = 3 };

/* Along each axis the difference of the points is q - r - offset with coordinates q and r; or
 * q - offset, and the other point depends on time only. */
typedef struct dae__rod {
  int axes; /* 2, 3; 0: not a rod */
  struct {
    int q, r; /* leaves, q < r; r = -1: none */
    dae__node offset;
  } along[DAE__ROD_AXES]; /* by rising q */
} dae__rod;

/* The rod of a constraint 0 = node. Adds nodes to the graph. */
dae__rod dae__rod_of(dae__binder *b, dae__node node);

#endif
