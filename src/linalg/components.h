/* Strongly connected components of the graph of a square pattern, an entry (i, j) being an edge
 * from j to i. */
#ifndef DAEDAL_LINALG_COMPONENTS_H
#define DAEDAL_LINALG_COMPONENTS_H

#include "core/arena.h"
#include <daedal/pattern.h>

/* Finds the components: component[i] is the number, from 0, of the component of vertex i, size[k]
 * the number of vertices of component k. Both arrays have p->cols entries; size is zero on entry.
 * Returns the number of components, 0 if the arena failed. */
int dae__components(dae__arena *arena, const dae_pattern *p, int *component, int *size);

#endif
