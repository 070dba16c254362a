/** @file
 * Drawings: what a picture of a motion shows in the plane. Models have them by `draw`
 * (dae_model_drawing); in C the table is filled in by hand. */
#ifndef DAEDAL_DRAWING_H
#define DAEDAL_DRAWING_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a shape is. */
typedef enum dae_shape_kind {
  DAE_SHAPE_LINE,  /**< through its points */
  DAE_SHAPE_POINT, /**< of a fixed size on the screen */
  DAE_SHAPE_CIRCLE /**< around its point */
} dae_shape_kind;

/** A shape takes its place from the values of the drawing: from the entry `first` on stand x and y
 * of each of its points, and last the radius of a circle. Shapes may share
 * values. */
typedef struct dae_shape {
  dae_shape_kind kind; /**< what it is */
  int points;          /**< 1, of a line 2 or more */
  int first;           /**< entry of the values */
  const char *label;   /**< NULL: none */
} dae_shape;

/** Shapes, and where they are. */
typedef struct dae_drawing {
  int shapes;             /**< 0: there is nothing to show */
  const dae_shape *shape; /**< all of them */
  int values;             /**< numbers that eval writes */
  /** values at time t and state vector y; not 0: there is no picture at this point */
  int (*eval)(void *user, double t, const double *y, double *values);
  void *user;   /**< handed to eval */
  bool guessed; /**< nobody drew it: made up from the constraints */
} dae_drawing;

#ifdef __cplusplus
}
#endif
#endif
