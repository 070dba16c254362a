/* Strongly connected parts of a square pattern, an entry (i, j) leading from j to i. */
#ifndef DAEDAL_LINALG_COMPONENTS_H
#define DAEDAL_LINALG_COMPONENTS_H

#include "core/arena.h"
#include <daedal/pattern.h>

/* component[i] numbers the parts from 0, size[k] counts the members of part k; both have p->cols
 * entries, and size comes in as zeros. Returns the number of parts, 0 if the arena failed. */
int dae__components(dae__arena *arena, const dae_pattern *p, int *component, int *size);

#endif
