/* Pictures of a motion that no statement describes. */
#ifndef DAEDAL_MODEL_PICTURE_PICTURE_H
#define DAEDAL_MODEL_PICTURE_PICTURE_H

#include "model/model.h"

/* Builds the automatic picture of point masses and rods; no shapes: nothing is recognised. Adds
 * nodes to the graph, which may exceed a limit (dae__bind_exceeded). */
void dae__picture_points(dae__binder *b, const dae__layout *layout, dae__picture *out);

/* Adds the bodies, joints, rods and springs of the model to a picture; false: it has no bodies. */
bool dae__picture_bodies(dae__expander *x, dae__picture *out);
/* Tests for a body in space. */
bool dae__picture_in_space(dae__expander *x);

#endif
