/* Motions s'' = a(t, s, s') whose force jumps or bends, with their exact solution.
 *
 * A law has a smooth motion until time `place`; there the force changes in its value, its slope or
 * its curvature, as a function of time, of position or of velocity. Nothing declares it: an
 * integrator sees a callback only. */
#ifndef DAEDAL_TEST_JUMP_LAWS_H
#define DAEDAL_TEST_JUMP_LAWS_H

#include <stdbool.h>

enum { JUMP_SIZES = 4 };
#define JUMP_MIDDLE 1.48 /* time about which places lie */

typedef enum jump_of { JUMP_OF_TIME, JUMP_OF_POSITION, JUMP_OF_VELOCITY } jump_of;

/* motion before the jump: sin(t - JUMP_MIDDLE), (1 + size) cos(t - JUMP_MIDDLE) - size, which is
 * that of an oscillator with friction, t/2 + t^2/2, t/2 */
typedef enum jump_base { JUMP_SINE, JUMP_COSINE, JUMP_PARABOLA, JUMP_LINE } jump_base;

/* jumps of time: one; alternating ones at intervals of 0.7; two equal ones at a distance of 0.03,
 * mostly within one step. A pulse between two nodes of a step is seen by no method, and no law. */
typedef enum jump_series { JUMP_ONCE, JUMP_MANY, JUMP_TWICE } jump_series;

typedef struct jump_kind {
  const char *name;
  jump_of of;
  int derivative; /* of the force that jumps: 0 value, 1 slope, 2 curvature */
  jump_base base;
  jump_series series;       /* of time */
  double to;                /* end time */
  double sizes[JUMP_SIZES]; /* 0: none */
} jump_kind;

typedef struct jump_law {
  const jump_kind *kind;
  double size;
  double place; /* time of the (first) jump */
  double s, v;  /* smooth motion at that time: where the force jumps */
} jump_law;

/* Kind i; NULL past the last one. */
const jump_kind *jump_kind_at(int i);
/* Law with its (first) jump at time `place`. */
jump_law jump_law_at(const jump_kind *kind, double size, double place);
/* The smooth motion: a law whose jump is never reached. */
jump_law jump_law_smooth(const jump_kind *kind, double size);
/* Acceleration a(t, s, v). */
double jump_force(const jump_law *law, double t, double s, double v);
/* Exact motion; false: none that is asked for. Motion that sticks at a jump of velocity has no
 * solution beyond it; one that grazes a jump of position stays beyond it for a moment, which lies
 * between the stages of a step. */
bool jump_exact(const jump_law *law, double t, double *s, double *v);

#endif
