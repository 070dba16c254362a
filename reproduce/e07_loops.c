/* Further algebraic loops: three systems, a loop with state-dependent gain, accelerations against
 * forces. These problems are not in the paper; references are those of a prototype, solutions
 * those of other methods with tolerances of at most 1e-12. */
#include "e07.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

/* ---- sweeps ---- */

typedef enum update { PLAIN, SCHUR, ANDERSON, UPDATES } update;

typedef struct problem {
  waves_model model;
  double to, window, step;
} problem;

static const problem three = {WAVES_THREE, 4, 1, 0.02};
static const problem three_close = {WAVES_THREE_CLOSE, 4, 1, 0.02};
static const problem diode = {WAVES_DIODE, 10, 0.5, 0.025};
static const problem pendula = {WAVES_PENDULA, 2, 0.1, 0.01};
static const problem structures = {WAVES_STRUCTURES, 3, 1, 0.1};

static const int order_132[] = {0, 2, 1};

typedef struct loop_row {
  const char *label;
  const problem *problem;
  waves_kind kind;
  const int *order;
  double rho;             /* contraction factor at the start */
  double sweeps[UPDATES]; /* references of sweeps */
  double slack[UPDATES];
  double omega; /* relaxation factor of plain sweeps, 0: none */
} loop_row;

#define FAILS WAVES_FAILS

static const loop_row loop_rows[] = {
    {"three    GS 1 2 3", &three, WAVES_GAUSS_SEIDEL, NULL, 1.384526, {FAILS, 8, 12}, {0, 1, 1}, 0},
    {"three    GS 1 3 2",
     &three,
     WAVES_GAUSS_SEIDEL,
     order_132,
     0.212132,
     {14, 7, NAN},
     {1, 1, 0},
     0},
    {"three    Jacobi", &three, WAVES_JACOBI, NULL, 1.067594, {FAILS, 9, 17}, {0, 1, 1}, 0},
    {"three    GS omega .5", &three, WAVES_GAUSS_SEIDEL, NULL, NAN, {52, NAN, NAN}, {1, 0, 0}, 0.5},
    {"close    GS 1 2 3",
     &three_close,
     WAVES_GAUSS_SEIDEL,
     NULL,
     NAN,
     {FAILS, 19, NAN},
     {0, 1, 0},
     0},
    {"close    Jacobi", &three_close, WAVES_JACOBI, NULL, NAN, {FAILS, 20, NAN}, {0, 1, 0}, 0},
    {"diode    GS", &diode, WAVES_GAUSS_SEIDEL, NULL, 1.980198, {FAILS, 8, 20}, {0, 1, 3}, 0},
    {"diode    Jacobi", &diode, WAVES_JACOBI, NULL, 1.407195, {FAILS, 11, 33}, {0, 1, 3}, 0},
    {"pendula  GS", &pendula, WAVES_GAUSS_SEIDEL, NULL, 1.3832, {FAILS, 7, 12}, {0, 1, 1}, 0},
    {"pendula  Jacobi", &pendula, WAVES_JACOBI, NULL, 1.1761, {FAILS, 13, 24}, {0, 1, 1}, 0},
    {"joint    GS", &structures, WAVES_GAUSS_SEIDEL, NULL, 0.363636, {22, 6, 6}, {1, 1, 1}, 0},
    {"joint    Jacobi", &structures, WAVES_JACOBI, NULL, 0.603023, {45, 6, 11}, {1, 1, 1}, 0},
};

static const rep_table loop_text = {
    .name = "Loops",
    .title = "rho(G0^-1 G1) at the start, and largest number of sweeps in a window",
    .setting = "trapezoidal rule; until increments are below 1e-8",
    .label = "",
    .quantities = 1 + UPDATES,
    .quantity = {"rho", "plain", "Schur", "Anderson"},
    .reason =
        "three: three_circuits.dae, 0 = y_i - z_i + sum C_ij z_j; close: the same with other C, "
        "where the smallest singular value of 1 - T is 0.11; diode, pendula: diode.dae, "
        "two_pendula.dae; joint: the structures of [WHM11] with z1 = x2'', z2 = lambda. -: it "
        "diverges. Bounds are one sweep, three for Anderson on the diode, whose derivatives "
        "change.",
};

static bool sweeps_of(rep_report *report, const loop_row *row, update u, double *sweeps)
{
  static const dae_wave_update updates[UPDATES] = {DAE_WAVE_PLAIN, DAE_WAVE_SCHUR,
                                                   DAE_WAVE_ANDERSON};
  const problem *p = row->problem;
  waves_result r;
  waves_case run = {.model = p->model,
                    .kind = row->kind,
                    .to = p->to,
                    .child = {{"trapezoid", p->step}},
                    .options = waves_plain(1e-8, p->window)};
  run.options.order = row->order;
  run.options.update = row->omega > 0 ? DAE_WAVE_RELAX : updates[u];
  run.options.omega = row->omega;
  run.options.splitting = DAE_WAVE_SPLIT_SECOND;
  *sweeps = NAN;
  if (row->omega > 0 && u != PLAIN)
    return true;
  bool good = waves_run(report, &run, &r);
  *sweeps = r.sweeps;
  return good;
}

static bool rho_of(rep_report *report, const loop_row *row, double *rho)
{
  dae_contraction c;
  bool good = waves_contraction(report, row->problem->model, &c);
  *rho = row->kind == WAVES_JACOBI ? c.jacobi : row->order ? c.best : c.gauss_seidel;
  return good;
}

static void show_loops(rep_report *report)
{
  rep_table_begin(report, &loop_text);
  for (int i = 0; i < COUNT(loop_rows); i++) {
    const loop_row *row = &loop_rows[i];
    rep_value values[1 + UPDATES];
    double rho, sweeps;
    if (!rho_of(report, row, &rho))
      break;
    values[0] = waves_near(rho, row->rho, 1e-4);
    for (update u = PLAIN; u < UPDATES; u++) {
      if (!sweeps_of(report, row, u, &sweeps))
        return;
      values[1 + u] = waves_count(NAN, sweeps, row->sweeps[u], row->slack[u]);
    }
    rep_table_row(report, row->label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- solutions ---- */

#define VALUES 6

typedef struct solution_row {
  const char *label;
  waves_model model;
  double t;
  int count;
  int entry[VALUES]; /* indices in the state vector */
  double value[VALUES];
} solution_row;

static const solution_row solution_rows[] = {
    {"three    t = 1",
     WAVES_THREE,
     1,
     6,
     {0, 1, 2, 3, 4, 5},
     {0.768404099818202295, 0.696143336955166535, -0.123063639730883125, 0.104658502025750733,
      0.0891273713099036056, -0.48507238093687091}},
    {"three    t = 4",
     WAVES_THREE,
     4,
     6,
     {0, 1, 2, 3, 4, 5},
     {-0.00982087324311113534, -0.0433575105735217056, -0.0432753463878140581,
      -0.0639471079777037859, 0.0303729219859559574, 0.0374211275132735995}},
    {"diode    t = 10",
     WAVES_DIODE,
     10,
     4,
     {0, 1, 2, 3},
     {0.0783583090948, -0.1807758193293, 0.3539277826058, 0.1687462187594}},
    {"pendula  t = 2",
     WAVES_PENDULA,
     2,
     6,
     {0, 1, 2, 3, 4, 6},
     {0.448176127689, 0.939683446744, -2.00474375823, 0.125039863719, 0.498417197188,
      1.69371871709}},
};

static const rep_table solution_text = {
    .name = "Loops, solutions",
    .title = "largest error at the end",
    .setting = "rtol = atol = 1e-11, default options; sweeps: largest number in a window",
    .label = "",
    .quantities = 4,
    .quantity = {"Gauss-Seidel", "sweeps", "Jacobi", "sweeps"},
    .reason = "The limit is a thousand tolerances: errors of all windows accumulate.",
};

static bool error_of(rep_report *report, const solution_row *row, waves_kind kind, double *error,
                     double *sweeps)
{
  waves_result r;
  waves_case run = {.model = row->model, .kind = kind, .to = row->t, .options = waves_accurate()};
  bool good = waves_run(report, &run, &r);
  *error = 0;
  for (int i = 0; i < row->count; i++)
    *error = fmax(*error, fabs(r.state[row->entry[i]] - row->value[i]));
  *sweeps = r.most;
  return good;
}

static void show_solutions(rep_report *report)
{
  rep_table_begin(report, &solution_text);
  for (int i = 0; i < COUNT(solution_rows); i++) {
    const solution_row *row = &solution_rows[i];
    double error[2], sweeps[2];
    if (row->model == WAVES_PENDULA && rep_quick(report))
      continue;
    if (!error_of(report, row, WAVES_GAUSS_SEIDEL, &error[0], &sweeps[0]) ||
        !error_of(report, row, WAVES_JACOBI, &error[1], &sweeps[1]))
      break;
    rep_value values[] = {waves_below(error[0], 1e-8), waves_shown(sweeps[0]),
                          waves_below(error[1], 1e-8), waves_shown(sweeps[1])};
    rep_table_row(report, row->label, values, NULL);
  }
  rep_table_end(report);
}

void e07_loops(rep_report *report)
{
  show_loops(report);
  show_solutions(report);
}
