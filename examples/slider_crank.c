/* A slider crank under gravity. The coordinates are redundant on purpose: crank angle a, centre
 * (x, y) and angle b of the rod, position s of the slider; four constraints leave one freedom. */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>

static const double l1 = 0.5, l2 = 1.25, m1 = 1, m2 = 2, m3 = 3, gravity = 9.81;

static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  const double diagonal[] = {m1 * l1 * l1 / 3, m2, m2, m2 * l2 * l2 / 12, m3};
  (void)user, (void)at;
  for (int i = 0; i < 25; i++)
    M[i] = i % 6 == 0 ? diagonal[i / 6] : 0;
  return 0;
}

static int force(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -m1 * gravity * l1 / 2 * cos(at->q[0]);
  f[1] = f[3] = f[4] = 0, f[2] = -m2 * gravity;
  return 0;
}

/* the rod's ends: one on the crank's pin, the other on the slider */
static int closure(void *user, const dae_mechanical_at *at, double *g)
{
  double a = at->q[0], x = at->q[1], y = at->q[2], b = at->q[3], s = at->q[4];
  (void)user;
  g[0] = x - l2 / 2 * cos(b) - l1 * cos(a);
  g[1] = y - l2 / 2 * sin(b) - l1 * sin(a);
  g[2] = x + l2 / 2 * cos(b) - s, g[3] = y + l2 / 2 * sin(b);
  return 0;
}

int main(void)
{
  const char *q_names[] = {"a", "x", "y", "b", "s"};
  const char *g_names[] = {"pin x", "pin y", "slide x", "slide y"};
  dae_mechanical model = {.name = "slider crank", .nq = 5, .ng = 4, .M = mass, .f = force};
  model.g = closure, model.q_names = q_names, model.g_names = g_names;
  /* stretched out, crank at 4 rad/s; the rod's rates are left out on purpose: daedal finds them */
  const double start[14] = {[1] = 1.125, [4] = 1.75, [5] = 4};
  const bool fixed[14] = {[0] = true, [5] = true}; /* but the crank must not be moved */
  dae_error err;
  dae_sink csv;
  if (dae_csv_sink("slider_crank.csv", NULL, &csv, &err) < 0)
    return fprintf(stderr, "%s\n", err.text), 1;
  dae_run_plan plan = {.problem = dae_problem_mechanical(&model), .to = 2, .every = 0.005};
  plan.start.y = start, plan.start.fixed = fixed, plan.sinks = &csv, plan.sink_count = 1;
  plan.method = dae_method_find("bdf-ggl", &err);
  dae_summary summary;
  char text[8192];
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_summary_text(&summary, text, sizeof text); /* lists the start values that were moved */
  fputs(text, stdout);
  csv.free(csv.self);
  return status < 0;
}
