/* Column colouring for difference Jacobians: columns of one colour share no row, so one evaluation
 * with all of them perturbed gives their entries. Greedy in natural order, which is what
 * Curtis, Powell and Reid do; for a banded matrix it is optimal. */
#include "linalg/pattern.h"
#include <stdint.h>

/* The smallest colour that no earlier column sharing a row with column j has. */
static int colour_smallest_free(const dae_pattern *p, const dae_pattern *t, int j,
                                const int *colour, int *taken)
{
  for (int e = p->start[j]; e < p->start[j + 1]; e++) {
    int i = p->row[e];
    for (int d = t->start[i]; t->row[d] < j; d++) /* ends at column j itself */
      taken[colour[t->row[d]]] = j;
  }
  int c = 0;
  while (taken[c] == j)
    c++;
  return c;
}

int dae__pattern_colour(dae__arena *arena, const dae_pattern *p, int *colour)
{
  if (dae__arena_failed(arena))
    return 0;
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  int colours = 0;
  if (scratch) {
    dae_pattern t = dae__pattern_transpose(scratch, p, NULL);
    int *taken = DAE__ALLOC(scratch, int, (size_t)p->cols + 1);
    if (dae__arena_failed(scratch)) {
      dae__arena_free(scratch);
      scratch = NULL;
    } else {
      for (int j = 0; j <= p->cols; j++)
        taken[j] = -1;
      for (int j = 0; j < p->cols; j++) {
        colour[j] = colour_smallest_free(p, &t, j, colour, taken);
        colours = colour[j] < colours ? colours : colour[j] + 1;
      }
    }
  }
  if (!scratch) /* makes the failure known in the caller's arena */
    (void)dae__arena_alloc(arena, SIZE_MAX, 2);
  dae__arena_free(scratch);
  return colours;
}
