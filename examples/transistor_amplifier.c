/* A circuit, M y' = f(t, y): two transistors, eight node voltages. M, the capacitances, is singular
 * and not diagonal, so this is a DAE of index 1; daedal takes it as it stands. */
#include <daedal/daedal.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static int capacitances(void *user, const dae_semi_explicit_at *at, double *M)
{
  /* five capacitors of 1 to 5 uF, each between two nodes, or from one node to earth */
  static const int node[5][2] = {{0, 1}, {2, 2}, {3, 4}, {5, 5}, {6, 7}};
  (void)user, (void)at;
  memset(M, 0, 64 * sizeof *M);
  for (int i = 0; i < 5; i++) {
    int a = node[i][0], b = node[i][1];
    M[a + 8 * b] = M[b + 8 * a] = (i + 1) * 1e-6; /* row a, column b */
    M[a + 8 * a] = M[b + 8 * b] = -(i + 1) * 1e-6;
  }
  return 0;
}

static int currents(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *y = at->x, ub = 6, r0 = 1000, r = 9000, alpha = 0.99;
  double Ue = 0.1 * sin(200 * acos(-1) * at->t); /* the signal, 100 Hz */
  double F1 = 1e-6 * expm1((y[1] - y[2]) / 0.026), F2 = 1e-6 * expm1((y[4] - y[5]) / 0.026);
  (void)user;
  f[0] = (y[0] - Ue) / r0;
  f[1] = y[1] / r + (y[1] - ub) / r + (1 - alpha) * F1;
  f[2] = y[2] / r - F1;
  f[3] = (y[3] - ub) / r + alpha * F1;
  f[4] = y[4] / r + (y[4] - ub) / r + (1 - alpha) * F2;
  f[5] = y[5] / r - F2;
  f[6] = (y[6] - ub) / r + alpha * F2;
  f[7] = y[7] / r;
  return 0;
}

int main(void)
{
  const char *names[] = {"y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8"};
  dae_semi_explicit model = {.name = "amplifier", .nx = 8, .f = currents, .M = capacitances};
  model.x_names = names;
  const double start[] = {0, 3, 3, 6, 3, 3, 6, 0};
  dae_error err;
  dae_sink csv;
  if (dae_csv_sink("transistor_amplifier.csv", NULL, &csv, &err) < 0)
    return fprintf(stderr, "%s\n", err.text), 1;
  dae_run_plan plan = {.to = 0.2, .every = 1e-4, .sinks = &csv, .sink_count = 1};
  plan.problem = dae_problem_semi_explicit(&model);
  plan.start.y = start;
  plan.method = dae_method_find("bdf", &err);
  dae_summary summary;
  char text[8192];
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_summary_text(&summary, text, sizeof text);
  fputs(text, stdout);
  csv.free(csv.self);
  return status < 0;
}
