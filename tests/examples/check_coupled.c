/* Models to be iterated: values and closed forms of problems/coupled_models.h, all systems solved
 * as one. */
#include "checks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

double check_coupled(const motion *m)
{
  const coupled_model *known = coupled_model_find(dae_model_name(m->model));
  assert_non_null(known);
  return apart_from_known(m, known);
}

/* the bar keeps its length to the tolerance, though nothing but its acceleration is given */
double check_two_pendula(const motion *m)
{
  return worse(check_coupled(m), apart_from_start(m, "bar"));
}

/* the motion repeats after five lines */
double check_circuits_ring(const motion *m)
{
  double worst = check_coupled(m);
  for (int k = 6; k <= dae_model_count(m->model).systems; k++) {
    char name[32], first[32];
    snprintf(name, sizeof name, "line[%d].z", k);
    snprintf(first, sizeof first, "line[%d].z", (k - 1) % 5 + 1);
    worst = worse(worst, apart(motion_end(m, name), motion_end(m, first)));
  }
  return worst;
}
