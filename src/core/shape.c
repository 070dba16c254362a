/* Number of values of the shapes of a drawing. */
#include <daedal/drawing.h>

int dae_shape_values(const dae_shape *shape, bool space)
{
  const int axes = space ? 3 : 2, pose = 7;
  switch (shape->kind) {
  case DAE_SHAPE_LINE:
  case DAE_SHAPE_POINT:
  case DAE_SHAPE_SPRING:
    return axes * shape->points;
  case DAE_SHAPE_CIRCLE:
    return space ? axes + 4 : axes + 1; /* with the axis of the circle */
  case DAE_SHAPE_SPHERE:
    return axes + 1;
  default:
    return pose;
  }
}
