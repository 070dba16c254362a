/** @file
 * Drawings: shapes of an animation, in the plane or in space. Models define them by `draw`
 * (dae_model_drawing), programs by a dae_drawing. */
#ifndef DAEDAL_DRAWING_H
#define DAEDAL_DRAWING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kind of a shape. A drawing in the plane has lines, points, circles and springs only. */
typedef enum dae_shape_kind {
  DAE_SHAPE_LINE,      /**< line through its points */
  DAE_SHAPE_POINT,     /**< point of fixed size on the screen */
  DAE_SHAPE_CIRCLE,    /**< circle around its point */
  DAE_SHAPE_SPRING,    /**< zigzag between its two points; size[0]: its width */
  DAE_SHAPE_SPHERE,    /**< sphere around its point */
  DAE_SHAPE_BOX,       /**< box; size: its edges along x, y, z */
  DAE_SHAPE_CYLINDER,  /**< cylinder along z; size: radius, length */
  DAE_SHAPE_ELLIPSOID, /**< ellipsoid; size: its semi-axes along x, y, z */
  DAE_SHAPE_BALL,      /**< symbol of a ball joint; size[0]: its radius */
  DAE_SHAPE_HINGE,     /**< symbol of a hinge along z; size[0]: its length */
  DAE_SHAPE_SLIDER     /**< symbol of a sliding joint along z; size[0]: its length */
} dae_shape_kind;

/** A shape. Its coordinates are values of the drawing from the entry `first` on, as many as
 * dae_shape_values returns; shapes may share values:
 * - line, point, spring: x and y, in space x, y and z, of each of its points;
 * - circle, sphere: those of its point, then the radius, then of a circle in space a vector along
 *   its axis;
 * - other kinds: a pose, which is x, y and z of an origin and the Euler parameters e0, e1, e2, e3
 * of a rotation, of any length but 0. `place` and `turn` put the shape into the axes of the pose,
 * so that the shapes of one body share its pose.
 *
 * The width of a spring, the radius of a cylinder and the size of the symbol of a joint are 0 if
 * they follow from the size of the drawing. */
typedef struct dae_shape {
  dae_shape_kind kind; /**< kind of the shape */
  int points;          /**< number of points: 1, of a line at least 2, of a spring 2 */
  int first;           /**< first entry of its values */
  const char *label;   /**< label, NULL: none */
  double size[3];      /**< size, see its kind */
  double place[3];     /**< centre of a shape with a pose, in the axes of the pose */
  double turn[4]; /**< Euler parameters of its own axes in those of the pose; all 0: the same */
  int group;      /**< shapes of the same group > 0 have the same colour; 0: that of the kind */
} dae_shape;

/** First view of a drawing in space. All 0: a view of all shapes from an elevated corner. */
typedef struct dae_camera {
  double from[3]; /**< position of the eye */
  double to[3];   /**< the point in the middle of the picture */
  double up[3];   /**< direction that is vertical on the screen; all 0: z */
} dae_camera;

/** Shapes, and a function for their coordinates. */
typedef struct dae_drawing {
  int shapes;             /**< number of shapes, 0: empty */
  const dae_shape *shape; /**< all of them */
  int values;             /**< number of values */
  /** values at time t and state vector y; not 0: no drawing at this point */
  int (*eval)(void *user, double t, const double *y, double *values);
  void *user;        /**< argument of eval */
  bool guessed;      /**< automatic drawing from the constraints */
  bool space;        /**< points have three coordinates */
  dae_camera camera; /**< first view in space */
} dae_drawing;

/** Number of values of a shape in a drawing in the plane or in space. */
int dae_shape_values(const dae_shape *shape, bool space);

#ifdef __cplusplus
}
#endif
#endif
