/* Reading SVG back: whether it is XML at all, and where its curves run. */
#ifndef DAEDAL_TESTS_SVG_READER_H
#define DAEDAL_TESTS_SVG_READER_H

#include <stdbool.h>

/* NULL: well-formed; else where it is not. Knows what plots are made of: elements, attributes,
 * texts, the five named entities. */
const char *svg_mistake(const char *svg);

typedef struct svg_point {
  double x, y;
  bool draw; /* a line leads here from the one before */
} svg_point;

#define SVG_POINTS 100000
typedef struct svg_path {
  int count, pieces, dots; /* points; how often it begins, and with a dot */
  svg_point at[SVG_POINTS];
  double left, right, top, bottom; /* around all of them */
} svg_path;

/* The path number `which` of the group that has this title: 0 its line, 1 its points. False: there
 * is none, or it is not one of M, l and h0. */
bool svg_path_read(const char *svg, const char *title, int which, svg_path *out);

/* The box of the axes. */
typedef struct svg_box {
  double left, right, top, bottom;
} svg_box;
bool svg_box_read(const char *svg, svg_box *out);

#endif
