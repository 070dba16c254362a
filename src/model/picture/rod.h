/* Constraints that keep the distance of two points. */
#ifndef DAEDAL_MODEL_PICTURE_ROD_H
#define DAEDAL_MODEL_PICTURE_ROD_H

#include "model/bind/bind.h"

enum { DAE__ROD_AXES = 3 };

/* Along each axis the difference of the points is q - r - offset, where q and r are coordinates;
 * or q - offset, and the other point moves with time alone. */
typedef struct dae__rod {
  int axes; /* 2, 3; 0: the constraint is none */
  struct {
    int q, r; /* leaves, q < r; r = -1: there is no second one */
    dae__node offset;
  } along[DAE__ROD_AXES]; /* by rising q */
} dae__rod;

/* What the constraint 0 = node is. Writes nodes to the graph. */
dae__rod dae__rod_of(dae__binder *b, dae__node node);

#endif
