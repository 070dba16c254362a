/* Windows, and interpolation between systems with different meshes. */
#include "e07.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

/* ---- differential equations: shorter windows help ---- */

typedef struct ode_row {
  const char *label;
  int windows; /* number of windows of [0, 8 pi] */
  double gauss_seidel, jacobi;
} ode_row;

static const ode_row ode_rows[] = {
    {"pi/8", 64, 6, 10}, {"pi/4", 32, 8, 13}, {"pi/2", 16, 9, 16}, {"pi", 8, 12, 22},
    {"2 pi", 4, 18, 33}, {"4 pi", 2, 27, 51}, {"8 pi", 1, 45, 87},
};

static const rep_claim ode_claims[] = {
    {.text = "coupled ODEs converge on any window", .relation = REP_IS_LESS, .factor = 1000},
    {0},
};

static const rep_table ode_text = {
    .name = "Windows, ODEs",
    .title = "y1' = -y2, y2' = y1 on [0, 8 pi]: most sweeps per window",
    .setting = "until increments are below 1e-10; exchanges: sweeps of all windows",
    .label = "window",
    .quantities = 4,
    .quantity = {"Gauss-Seidel", "exchanges", "Jacobi", "exchanges"},
    .reason = "Coupled ODEs converge superlinearly on any window (lemma 2.1). Small windows take "
              "less arithmetic, large ones fewer exchanges. Bounds are one sweep.",
    .item = "Lemma 2.1",
    .claims = ode_claims,
};

static bool run_ode(rep_report *report, const ode_row *row, waves_kind kind, waves_result *r)
{
  waves_case run = {.model = WAVES_CIRCUITS_ODE,
                    .kind = kind,
                    .to = 8 * E07_PI,
                    .child = {{"radau-iia", E07_PI / 80}},
                    .options = waves_plain(1e-10, 8 * E07_PI / row->windows)};
  return waves_run(report, &run, r);
}

static void show_ode(rep_report *report)
{
  rep_table_begin(report, &ode_text);
  for (int i = 0; i < COUNT(ode_rows); i++) {
    const ode_row *row = &ode_rows[i];
    waves_result gs, jacobi;
    if (!run_ode(report, row, WAVES_GAUSS_SEIDEL, &gs) ||
        !run_ode(report, row, WAVES_JACOBI, &jacobi))
      break;
    rep_value values[] = {
        waves_count(NAN, gs.sweeps, row->gauss_seidel, 1), waves_shown((double)gs.total),
        waves_count(NAN, jacobi.sweeps, row->jacobi, 1), waves_shown((double)jacobi.total)};
    rep_table_row(report, row->label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- differential-algebraic equations: shorter windows help only if regularised ---- */

typedef struct circuit_row {
  const char *label;
  int windows;
  double plain, xi;
} circuit_row;

static const circuit_row circuit_rows[] = {
    {"1", 1, 93, 11}, {"2", 2, 92, 8}, {"4", 4, 89, 7}, {"8", 8, 86, 6}};

static const rep_table dae_text = {
    .name = "Windows, DAEs",
    .title = "example 3.7 with alpha = 0.9, [0, pi]: most sweeps per window",
    .setting = "until increments of y2 and z2, which are fed back, are below 1e-8",
    .label = "windows",
    .quantities = 2,
    .quantity = {"plain", "Xi"},
    .reason =
        "rho(G0^-1 G1) is a property of each point in time: shorter windows do not help plain "
        "sweeps, but regularised ones. Bounds are one sweep.",
};

static bool run_dae(rep_report *report, int windows, dae_wave_update update, waves_result *r)
{
  waves_case run = {.model = WAVES_CIRCUITS,
                    .kind = WAVES_GAUSS_SEIDEL,
                    .to = E07_PI,
                    .child = {{"radau-iia", E07_PI / 80}},
                    .options = waves_plain(1e-8, E07_PI / windows),
                    .from = 2};
  run.options.update = update;
  return waves_run(report, &run, r);
}

static void show_dae(rep_report *report)
{
  rep_table_begin(report, &dae_text);
  for (int i = 0; i < COUNT(circuit_rows); i++) {
    const circuit_row *row = &circuit_rows[i];
    waves_result plain, xi;
    if (!run_dae(report, row->windows, DAE_WAVE_PLAIN, &plain) ||
        !run_dae(report, row->windows, DAE_WAVE_XI, &xi))
      break;
    rep_value values[] = {waves_count(NAN, plain.sweeps, row->plain, 1),
                          waves_count(NAN, xi.sweeps, row->xi, 1)};
    rep_table_row(report, row->label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- interpolation ---- */

#define SIZES 3 /* number of step sizes h = pi/48 ... pi/192 */

typedef struct mesh_row {
  const char *label, *method;
  dae_interpolation rule;
  double order;
} mesh_row;

static const mesh_row mesh_rows[] = {
    {"rk4   hold", "rk4", DAE_INTERPOLATION_HOLD, 1},
    {"rk4   linear", "rk4", DAE_INTERPOLATION_LINEAR, 2},
    {"rk4   quadratic", "rk4", DAE_INTERPOLATION_QUADRATIC, 3},
    {"rk4   Hermite", "rk4", DAE_INTERPOLATION_HERMITE, 4},
    {"heun  hold", "heun", DAE_INTERPOLATION_HOLD, 1},
    {"heun  linear", "heun", DAE_INTERPOLATION_LINEAR, 2},
};

static const rep_table mesh_text = {
    .name = "Interpolation",
    .title = "y1' = -y2 with steps h, y2' = y1 with steps 2h/3, up to pi",
    .setting = "errors at the end, and the order between the two smallest steps",
    .label = "",
    .quantities = 4,
    .quantity = {"pi/48", "pi/96", "pi/192", "order"},
    .reason = "Order p requires interpolation of the inputs with degree p - 1. Bounds are 2 %.",
};

static bool run_meshes(rep_report *report, const mesh_row *row, double h, double *error)
{
  waves_result r;
  waves_case run = {.model = WAVES_CIRCUITS_ODE,
                    .kind = WAVES_GAUSS_SEIDEL,
                    .to = E07_PI,
                    .child = {{row->method, h}, {row->method, 2 * h / 3}},
                    .options = waves_plain(1e-13, E07_PI)};
  run.options.nodes = (int)lround(E07_PI / h);
  run.options.interpolation = row->rule;
  bool good = waves_run(report, &run, &r);
  *error = fmax(fabs(r.state[0] + 1), fabs(r.state[1]));
  return good;
}

static void show_meshes(rep_report *report)
{
  rep_table_begin(report, &mesh_text);
  for (int i = 0; i < COUNT(mesh_rows); i++) {
    double error[SIZES];
    for (int k = 0; k < SIZES; k++)
      if (!run_meshes(report, &mesh_rows[i], ldexp(E07_PI / 48, -k), &error[k]))
        return;
    rep_value values[] = {waves_shown(error[0]), waves_shown(error[1]), waves_shown(error[2]),
                          waves_near(log2(error[1] / error[2]), mesh_rows[i].order, 0.02)};
    rep_table_row(report, mesh_rows[i].label, values, NULL);
  }
  rep_table_end(report);
}

void e07_windows(rep_report *report)
{
  show_ode(report);
  show_dae(report);
  show_meshes(report);
}
