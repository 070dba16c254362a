/* Strongly connected components of the graph of a square pattern, an entry (i, j) being an edge
 * from j to i. */
#ifndef DAEDAL_LINALG_COMPONENTS_H
#define DAEDAL_LINALG_COMPONENTS_H

#include "core/arena.h"
#include <daedal/pattern.h>

/* component[i]: number of the component of i, from 0; size[k]: vertices of component k. Both have
 * p->cols entries; size is zero on entry. Returns the number of components, 0 if the arena failed.
 */
int dae__components(dae__arena *arena, const dae_pattern *p, int *component, int *size);

#endif
