/* A point mass on a rigid rod, in Cartesian coordinates: forces, a constraint, and no derivatives.
 *
 *     cc pendulum.c -ldaedal -lm && ./a.out        writes pendulum.csv */
#include <daedal/daedal.h>
#include <stdio.h>

/* M, the mass matrix, by columns. The point has mass 1. */
static int mass(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = M[3] = 1, M[1] = M[2] = 0;
  return 0;
}

/* f, the applied force: gravity. The force in the rod is found by daedal. */
static int force(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user, (void)at;
  f[0] = 0, f[1] = -9.81;
  return 0;
}

/* g = 0 is the constraint: the rod has length 1. */
static int rod(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1;
  return 0;
}

/* Kinetic and potential energy. Optional: the closing block then says what became of their sum. */
static int energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  (void)user;
  *T = (at->v[0] * at->v[0] + at->v[1] * at->v[1]) / 2;
  *V = 9.81 * at->q[1];
  return 0;
}

int main(void)
{
  const char *coordinates[] = {"x", "y"}, *constraints[] = {"rod"};
  dae_mechanical model = {.name = "pendulum", .nq = 2, .ng = 1, .M = mass, .f = force, .g = rod};
  model.energy = energy, model.q_names = coordinates, model.g_names = constraints;
  const double start[] = {1, 0, 0, 0, 0}; /* x, y, their rates, and a guess of the multiplier */
  dae_error err;
  dae_sink csv;
  if (dae_csv_sink("pendulum.csv", NULL, &csv, &err) < 0)
    return fprintf(stderr, "%s\n", err.text), 1;
  dae_run_plan plan = {.problem = dae_problem_mechanical(&model), .start = {.y = start}, .to = 10};
  plan.every = 0.01, plan.sinks = &csv, plan.sink_count = 1;
  plan.method = dae_method_find("bdf-ggl", &err);
  dae_summary summary;
  char text[8192];
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_summary_text(&summary, text, sizeof text); /* what was done, and how good it is */
  fputs(text, stdout);
  csv.free(csv.self);
  return status < 0;
}
