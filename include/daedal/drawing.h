/** @file
 * Drawings: plane shapes of an animation. Models define them by `draw` (dae_model_drawing),
 * programs by a dae_drawing. */
#ifndef DAEDAL_DRAWING_H
#define DAEDAL_DRAWING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kind of a shape. */
typedef enum dae_shape_kind {
  DAE_SHAPE_LINE,  /**< line through its points */
  DAE_SHAPE_POINT, /**< point of fixed size on the screen */
  DAE_SHAPE_CIRCLE /**< circle around its point */
} dae_shape_kind;

/** A shape. Its coordinates are values of the drawing from the entry `first` on: x and y of each of
 * its points, then the radius of a circle. Shapes may share values. */
typedef struct dae_shape {
  dae_shape_kind kind; /**< kind of the shape */
  int points;          /**< number of points: 1, of a line at least 2 */
  int first;           /**< first entry of its values */
  const char *label;   /**< label, NULL: none */
} dae_shape;

/** Shapes, and a function for their coordinates. */
typedef struct dae_drawing {
  int shapes;             /**< number of shapes, 0: empty */
  const dae_shape *shape; /**< all of them */
  int values;             /**< number of values */
  /** values at time t and state vector y; not 0: no drawing at this point */
  int (*eval)(void *user, double t, const double *y, double *values);
  void *user;   /**< argument of eval */
  bool guessed; /**< automatic drawing from the constraints */
} dae_drawing;

#ifdef __cplusplus
}
#endif
#endif
