/* A motion of a page: the values of its frames, and their roles. */
#ifndef DAEDAL_OUTPUT_PAGE_MOTION_H
#define DAEDAL_OUTPUT_PAGE_MOTION_H

#include "output/page/page.h"

/* Role of a value of a drawing; each has a scale. */
typedef enum dae__motion_role {
  DAE__ROLE_X,
  DAE__ROLE_Y,
  DAE__ROLE_Z,
  DAE__ROLE_RADIUS,
  DAE__ROLE_TURN, /* Euler parameter, or component of an axis */
  DAE__ROLES
} dae__motion_role;

/* Values of the smallest and largest integer. */
typedef struct dae__motion_scale {
  double first, last;
} dae__motion_scale;

typedef struct dae__motion {
  dae_page *page;
  const dae_drawing *drawing;
  int slots;              /* number of values of a frame in the page */
  dae__motion_role *role; /* by slot; DAE__ROLES: a value that no shape uses */
  int *source;            /* by slot: value of the drawing */
  int *first;             /* by shape: its first slot */
  dae__motion_scale scale[DAE__ROLES];
} dae__motion;

/* Largest distance between the points of a shape and its boundary; value: its values. */
double dae__motion_reach(const dae_shape *shape, const dae_drawing *drawing, const double *value);

/* Writes the static picture of a drawing in space, for browsers without scripts or WebGL; values:
 * those of the frame to show. */
void dae__motion_still(const dae__motion *m, const double *values);

#endif
