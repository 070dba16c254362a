/* The three problem forms in one program: an armature circuit (semi-explicit), a rotor
 * (mechanical), and the motor that the two make (coupled). Each part sees the other through an
 * input. */
#include <daedal/daedal.h>
#include <stdio.h>

/* L i' = U - R i - c w: one state, one input (the speed w) */
static int circuit(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double L = 0.01, R = 2, c = 0.5, U = 24;
  (void)user;
  f[0] = (U - R * at->x[0] - c * at->in[0]) / L;
  return 0;
}

static int inertia(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 0.005;
  return 0;
}

/* J phi'' = c i - d phi': one coordinate, one input (the current i) */
static int torque(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = 0.5 * at->in[0] - 0.02 * at->v[0];
  return 0;
}

int main(void)
{
  const char *i_name[] = {"i"}, *phi_name[] = {"phi"};
  dae_semi_explicit armature = {.nx = 1, .nin = 1, .f = circuit, .x_names = i_name};
  dae_mechanical rotor = {.nq = 1, .nin = 1, .M = inertia, .f = torque, .q_names = phi_name};
  dae_part parts[] = {{.name = "armature", .semi_explicit = &armature},
                      {.name = "rotor", .mechanical = &rotor}};
  /* input 0 of part 0 is variable 1 (der(phi)) of part 1, and input 0 of part 1 is i of part 0 */
  dae_wire wires[] = {{0, 0, {1, 1}}, {1, 0, {0, 0}}};
  dae_coupled motor = {.name = "motor", .parts = 2, .part = parts, .wires = 2, .wire = wires};
  const double start[] = {0, 0, 0}; /* i; phi, der(phi) */
  dae_error err;
  dae_sink csv;
  if (dae_csv_sink("motor.csv", NULL, &csv, &err) < 0)
    return fprintf(stderr, "%s\n", err.text), 1;
  dae_run_plan plan = {.problem = dae_problem_coupled(&motor), .start = {.y = start}, .to = 1};
  plan.every = 0.001, plan.sinks = &csv, plan.sink_count = 1;
  plan.method = dae_method_find("bdf-ggl", &err);
  dae_summary summary;
  char text[8192];
  dae_status status = dae_run(&plan, NULL, &summary, &err);
  dae_summary_text(&summary, text, sizeof text);
  fputs(text, stdout);
  csv.free(csv.self);
  return status < 0;
}
