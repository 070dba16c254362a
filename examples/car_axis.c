/* The car axis of the classical test set: a constraint that moves with time, and options for the
 * method. q = (xl, yl, xr, yr), the ends of the axis. */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static const double L = 1, L0 = 0.5, k = 10 * 1e-4 / 2; /* lengths of axis and springs, mass */

static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0 ? k : 0;
  return 0;
}

static int force(void *user, const dae_mechanical_at *at, double *f)
{
  double yb = 0.1 * sin(10 * at->t), xb = sqrt(L * L - yb * yb); /* the road under the right end */
  double xl = at->q[0], yl = at->q[1], dx = at->q[2] - xb, dy = at->q[3] - yb;
  double left = L0 / hypot(xl, yl) - 1, right = L0 / hypot(dx, dy) - 1;
  (void)user;
  f[0] = left * xl, f[1] = left * yl - k;
  f[2] = right * dx, f[3] = right * dy - k;
  return 0;
}

static int rods(void *user, const dae_mechanical_at *at, double *g)
{
  double yb = 0.1 * sin(10 * at->t), xb = sqrt(L * L - yb * yb); /* constraints may use the time */
  double xl = at->q[0], yl = at->q[1], dx = xl - at->q[2], dy = yl - at->q[3];
  (void)user;
  g[0] = xl * xb + yl * yb;
  g[1] = dx * dx + dy * dy - L * L;
  return 0;
}

int main(void)
{
  const char *q_names[] = {"xl", "yl", "xr", "yr"}, *g_names[] = {"wheel", "axis"};
  dae_mechanical model = {.name = "car axis", .nq = 4, .ng = 2, .M = mass, .f = force, .g = rods};
  model.q_names = q_names, model.g_names = g_names;
  const double start[10] = {0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0}; /* q, q', lambda */
  dae_error err;
  dae_sink csv;
  if (dae_csv_sink("car_axis.csv", NULL, &csv, &err) < 0)
    return fprintf(stderr, "%s\n", err.text), 1;
  dae_bdf_options options = dae_bdf_defaults(); /* change what you need, keep the rest */
  options.rtol = options.atol = 1e-7;
  dae_run_plan plan = {.problem = dae_problem_mechanical(&model), .start = {.y = start}, .to = 3};
  plan.options = &options, plan.sinks = &csv, plan.sink_count = 1;
  plan.method = dae_method_find("bdf-ggl", &err);
  dae_summary summary;
  char text[8192];
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_summary_text(&summary, text, sizeof text);
  fputs(text, stdout);
  csv.free(csv.self);
  return status < 0;
}
