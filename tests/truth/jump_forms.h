/* One motion s'' = a(t, s, s') in seven problem forms:
 *
 *   free    mechanical, one coordinate
 *   helix   mechanical, x = cos z, y = sin z, z = s: two constraints
 *   ode     semi-explicit, s' = v, v' = a
 *   index1  s' = v, v' = y, 0 = y - a
 *   index2  s' = v, v' = 2 a + y, z' = -y, 0 = v - z: y = -a jumps with the force
 *   cam     mechanical, w = s^2/2: one constraint, inertia 1 + s^2
 *   stiff   s' = v, v' = a, z' = -1000 (z - a): the rate of a stiff component jumps
 *
 * The last two, and the laws of two jumps, are held back: no method was tuned on them but for the
 * cost of the search.
 *
 * Callbacks are the required ones, and G and gamma of the helix, whose differences would limit the
 * accuracy to 1e-6; derivatives of the force are formed by differences. */
#ifndef DAEDAL_TEST_JUMP_FORMS_H
#define DAEDAL_TEST_JUMP_FORMS_H

#include "jump_laws.h"

#include <daedal/daedal.h>

enum { JUMP_SIZE = 8 }; /* entries of the largest state vector */

typedef struct jump_form {
  const char *name;
  bool held;              /* held back */
  int position, velocity; /* entries of s and s' in the state vector */
  /* start at (s, v) */
  void (*start)(double s, double v, double *y);
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
} jump_form;

/* Form i with the law as user pointer; false past the last one. */
bool jump_form_at(int i, const jump_law *law, jump_form *out);
/* The form as a problem. */
dae_problem jump_form_problem(const jump_form *form);

#endif
