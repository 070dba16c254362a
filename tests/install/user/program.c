/* A falling point, integrated: needs the headers, the library and all it links to. */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static int weight(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = -9.81;
  return 0;
}

int main(void)
{
  const dae_mechanical fall = {.nq = 1, .M = mass, .f = weight, .constant_mass = true};
  const dae_problem problem = dae_problem_mechanical(&fall);
  const double rest[] = {0, 0};
  const dae_start start = {.y = rest};
  dae_integrator *it;
  dae_error err = dae_error_none();
  double y[2] = {0};
  dae_status status = dae_bdf_create(&problem, &start, NULL, NULL, &it, &err);
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  if (status == DAE_END)
    status = dae_integrator_interpolate(it, 1, y, NULL, &err);
  if (status < 0) {
    fprintf(stderr, "%s\n", err.text);
    return 1;
  }
  dae_integrator_free(it);
  printf("daedal %s: fell to %.6f\n", dae_version(), y[0]);
  return fabs(y[0] + 9.81 / 2) < 1e-5 ? 0 : 1;
}
