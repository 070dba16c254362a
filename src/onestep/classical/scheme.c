/* The classical methods [HNW93 II.1] and Radau IIA [HW96 IV.5], whose A^-1 is the differentiation
 * matrix of the polynomial through 0, c_1, ..., c_s. */
#include "onestep/classical/scheme.h"
#include <math.h>

dae__rk_scheme dae__rk_euler(void)
{
  return (dae__rk_scheme){.name = "euler", .stages = 1, .order = 1, .b = {1}};
}

dae__rk_scheme dae__rk_heun(void)
{
  return (dae__rk_scheme){
      .name = "heun", .stages = 2, .order = 2, .c = {0, 1}, .a = {{0}, {1}}, .b = {0.5, 0.5}};
}

dae__rk_scheme dae__rk_classical(void)
{
  return (dae__rk_scheme){.name = "rk4",
                          .stages = 4,
                          .order = 4,
                          .c = {0, 0.5, 0.5, 1},
                          .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                          .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};
}

dae__rk_scheme dae__rk_trapezoid(void)
{
  return (dae__rk_scheme){.name = "trapezoid",
                          .stages = 1,
                          .order = 2,
                          .implicit = true,
                          .c = {1},
                          .a = {{2}},
                          .e = -1};
}

void dae__rk_collocation(const dae__rk_scheme *scheme, double x, double *value, double *slope)
{
  double node[DAE__RK_STAGES + 1] = {0};
  int count = scheme->stages + 1;
  for (int i = 1; i < count; i++)
    node[i] = scheme->c[i - 1];
  for (int j = 0; j < count; j++) {
    value[j] = 1;
    slope[j] = 0;
    for (int k = 0; k < count; k++) { /* the product rule, factor by factor */
      if (k == j)
        continue;
      double factor = (x - node[k]) / (node[j] - node[k]);
      slope[j] = slope[j] * factor + value[j] / (node[j] - node[k]);
      value[j] *= factor;
    }
  }
}

dae__rk_scheme dae__rk_radau_iia(int stages)
{
  double value[DAE__RK_STAGES + 1], slope[DAE__RK_STAGES + 1];
  dae__rk_scheme r = {
      .name = "radau-iia", .stages = stages, .order = 2 * stages - 1, .implicit = true};
  if (stages == 2)
    r.c[0] = 1.0 / 3;
  if (stages == 3) {
    r.c[0] = (4 - sqrt(6)) / 10;
    r.c[1] = (4 + sqrt(6)) / 10;
  }
  r.c[stages - 1] = 1;
  for (int i = 0; i < stages; i++) {
    dae__rk_collocation(&r, r.c[i], value, slope);
    for (int j = 0; j < stages; j++)
      r.a[i][j] = slope[j + 1];
  }
  return r;
}
