/* Whether two runs of a comparison have the same events. */
#include "run/compare/compare.h"
#include "run/event_counts.h"

#include <stdio.h>

bool dae__compare_events_differ(const dae_compare_run *a, const dae__track *x,
                                const dae_compare_run *b, const dae__track *y,
                                char text[DAE__DIFFERENCE_SIZE])
{
  const dae__event_counts first = {x->events, a->events, a->switchings},
                          second = {y->events, b->events, b->switchings};
  dae__event_difference d;
  char asked[2][32];
  text[0] = '\0';
  if (!dae__event_counts_differ(&first, &second, &d))
    return false;
  dae_compare_asked(a, asked[0], sizeof asked[0]);
  dae_compare_asked(b, asked[1], sizeof asked[1]);
  snprintf(text, DAE__DIFFERENCE_SIZE, "%.80s: %ld in %.20s at %s, %ld in %.20s at %s", d.name,
           d.number[0], a->method->name, asked[0], d.number[1], b->method->name, asked[1]);
  return true;
}
