/* A static picture while it is made: facets of shapes, seen along the first view of a motion. */
#ifndef DAEDAL_OUTPUT_PAGE_STILL_H
#define DAEDAL_OUTPUT_PAGE_STILL_H

#include "output/page/motion.h"

enum { STILL_SIDES = 16, STILL_FACET_POINTS = 32, STILL_SHADES = 4 };

typedef enum dae__still_style { STILL_FACE, STILL_LINE, STILL_DOT } dae__still_style;

/* Polygon, line or dot on the picture. */
typedef struct dae__still_facet {
  double depth;
  dae__still_style style;
  int group, shade, count;
  double at[STILL_FACET_POINTS][2]; /* right and up */
} dae__still_facet;

typedef struct dae__still {
  const dae__motion *m;
  double axis[3][3]; /* right, up, and towards the eye, in space */
  double size;       /* largest extent of the scene */
  int sides;
  dae__still_facet *facets; /* memory of the arena */
  int count, room;
} dae__still;

/* Finds the axes of the view. */
void dae__still_look(dae__still *s);
/* Adds the facets of a shape; value: its values. */
void dae__still_shape(dae__still *s, const dae_shape *shape, const double *value);
/* Largest number of facets of a shape; of a solid those that look towards the eye, and one more. */
int dae__still_facets_of(const dae__still *s, const dae_shape *shape);

#endif
