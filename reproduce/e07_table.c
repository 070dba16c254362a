/* Table 1 of [E07], its dependence on settings, and stopping tests. */
#include "e07.h"

#include <math.h>
#include <string.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define ALPHAS 5

static const double alphas[ALPHAS] = {0.3, 0.5, 0.7, 0.9, 1.1};

/* ---- Table 1 ---- */

typedef struct column {
  const char *curve;
  waves_kind kind;
  dae_wave_update update;
  e07_test test;
  double paper[ALPHAS], reference[ALPHAS];
  double slack; /* bound in sweeps */
} column;

#define NOTHING                                                                                    \
  {                                                                                                \
    NAN, NAN, NAN, NAN, NAN                                                                        \
  }

static const column gauss_seidel[] = {
    {"gauss-seidel plain",
     WAVES_GAUSS_SEIDEL,
     DAE_WAVE_PLAIN,
     E07_LARGEST,
     {10, 11, 23, 81, NAN},
     {9, 11, 22, 78, WAVES_FAILS},
     1},
    {NULL, WAVES_GAUSS_SEIDEL, DAE_WAVE_PLAIN, E07_SUM, NOTHING, {9, 12, 23, 81, WAVES_FAILS}, 1},
    {"gauss-seidel xi",
     WAVES_GAUSS_SEIDEL,
     DAE_WAVE_XI,
     E07_LARGEST,
     {10, 10, 11, 10, 11},
     {9, 10, 10, 10, 10},
     1},
    {NULL, WAVES_GAUSS_SEIDEL, DAE_WAVE_XI, E07_SUM, NOTHING, NOTHING, 1},
    {NULL, WAVES_GAUSS_SEIDEL, DAE_WAVE_SLACK, E07_LARGEST, NOTHING, {9, 10, 10, 10, 10}, 1},
};

static const rep_claim gauss_seidel_claims[] = {
    {.text = "plain sweeps diverge at alpha = 1.1",
     .rows = "1.1",
     .quantity = "plain",
     .relation = REP_DIVERGES},
    {.text = "regularised sweeps do not depend on alpha",
     .item = "Theorem 3.1",
     .quantity = "Xi",
     .relation = REP_IS_NEAR,
     .factor = 10,
     .bound = 0.1},
    {.text = "a slack variable performs the regularisation",
     .item = "Remark 3.2",
     .quantity = "slack",
     .relation = REP_IS_NEAR,
     .factor = 1,
     .bound = 0.11,
     .other_quantity = "Xi"},
    {0},
};

static const rep_table gauss_seidel_text = {
    .name = "Table 1",
    .title = "sweeps until the error is below 1e-6, Gauss-Seidel",
    .setting = "example 3.7 on [0, pi] in one window, constant start; subsystems solved to 1e-9",
    .label = "alpha",
    .quantities = COUNT(gauss_seidel),
    .quantity = {"plain", "sum norm", "Xi", "sum norm", "slack"},
    .reason =
        "One sweep beside the paper, plain at 0.9 three, in the largest error over all four "
        "variables; with the sum of their errors 12, 23, 81 as printed except for one. The paper "
        "states neither its norm nor its solver. -: divergence, as in the paper. Xi: (25), "
        "correctly "
        "g2z2^-1 g2z1 g1z1^-1 g1z2; the updated z2 is z2_old + (1 - Xi)^-1 (z2 - z2_old)."
        " slack: remark 3.2. Bounds are one sweep.",
    .item = "Table 1",
    .claims = gauss_seidel_claims,
};

static const column jacobi[] = {
    {"jacobi plain",
     WAVES_JACOBI,
     DAE_WAVE_PLAIN,
     E07_LARGEST,
     NOTHING,
     {16, 21, 43, 154, WAVES_FAILS},
     3},
    {"jacobi xi", WAVES_JACOBI, DAE_WAVE_XI, E07_LARGEST, NOTHING, {17, 18, 18, 18, 18}, 1},
    {NULL, WAVES_JACOBI, DAE_WAVE_SLACK, E07_LARGEST, NOTHING, {17, 18, 18, 18, 18}, 1},
    {NULL, WAVES_JACOBI, DAE_WAVE_SCHUR, E07_LARGEST, NOTHING, {16, 16, 17, 17, 17}, 1},
};

static const rep_claim jacobi_claims[] = {
    {.text = "regularised sweeps do not depend on alpha",
     .quantity = "Xi",
     .relation = REP_IS_NEAR,
     .factor = 18,
     .bound = 0.1},
    {.text = "slack variables perform the regularisation",
     .item = "Remark 3.6",
     .reading = "superscripts of y exchanged",
     .quantity = "slack",
     .relation = REP_IS_NEAR,
     .factor = 1,
     .bound = 0.1,
     .other_quantity = "Xi"},
    {0},
};

static const rep_table jacobi_text = {
    .name = "Table 1, Jacobi",
    .title = "the same for Jacobi, without numbers in the paper",
    .setting = "Xi: (28) in every second sweep; slack: remark 3.6; Schur: in every sweep z_old + "
               "Gz^-1 G0 (z - z_old)",
    .label = "alpha",
    .quantities = COUNT(jacobi),
    .quantity = {"plain", "Xi", "slack", "Schur"},
    .reason = "In remark 3.6 the superscripts of y have to be exchanged, in (27) the first block "
              "ends with g2z1. The rate of plain sweeps is the square root, so that their number "
              "is twice as large; with two processors only regularised sweeps gain time. Bounds "
              "are one sweep, plain three.",
    .item = "Theorem 3.4",
    .reading = "first block of (27) ending with g2z1",
    .claims = jacobi_claims,
};

/* One run per update: columns that differ only in the test share it. first: result of column 0. */
static bool fill(rep_report *report, const column *columns, int count, int row, rep_file *history,
                 rep_value *values, e07_result *first)
{
  e07_result r = {0};
  for (int i = 0; i < count; i++) {
    const column *c = &columns[i];
    bool same = i > 0 && c->update == columns[i - 1].update && c->kind == columns[i - 1].kind;
    e07_case run = {.alpha = alphas[row], .kind = c->kind, .update = c->update, .curve = c->curve};
    if (!same && !e07_iterate(report, &run, history, &r))
      return false;
    if (i == 0)
      *first = r;
    values[i] = waves_count(c->paper[row], r.sweeps[c->test], c->reference[row], c->slack);
  }
  return true;
}

static void show_table(rep_report *report, const rep_table *text, const column *columns,
                       rep_file *history, e07_result first[ALPHAS])
{
  rep_table_begin(report, text);
  for (int row = 0; row < ALPHAS; row++) {
    rep_value values[REP_QUANTITIES];
    char label[16];
    if (!fill(report, columns, text->quantities, row, history, values, &first[row]))
      break;
    snprintf(label, sizeof label, "%g", alphas[row]);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- rates ---- */

static const rep_table rate_text = {
    .name = "Rate",
    .title = "contraction rate of a sweep: alpha^2",
    .setting = "last two sweeps with changes above round-off; 30 sweeps at most",
    .label = "alpha",
    .quantities = 3,
    .quantity = {"plain", "Jacobi, squared", "Xi"},
    .reason = "The paper: alpha^2. At 0.3 the error of y, which shrinks like that of a power "
              "series, dominates that of z for longer. Bounds are 1 %, for Jacobi 3 %.",
    .item = "Example 3.7, rate alpha^2",
};

static bool rate_of(rep_report *report, double alpha, waves_kind kind, dae_wave_update update,
                    double *rate)
{
  e07_case run = {.alpha = alpha, .kind = kind, .update = update, .sweeps = 30};
  e07_result r;
  bool good = e07_iterate(report, &run, NULL, &r);
  *rate = r.rate;
  return good;
}

static void show_rates(rep_report *report)
{
  rep_table_begin(report, &rate_text);
  for (int i = 0; i < ALPHAS; i++) {
    double alpha = alphas[i], rate[3], square = alpha * alpha;
    char label[16];
    if (!rate_of(report, alpha, WAVES_GAUSS_SEIDEL, DAE_WAVE_PLAIN, &rate[0]) ||
        !rate_of(report, alpha, WAVES_JACOBI, DAE_WAVE_PLAIN, &rate[1]) ||
        !rate_of(report, alpha, WAVES_GAUSS_SEIDEL, DAE_WAVE_XI, &rate[2]))
      break;
    bool slow = alpha > 0.4;
    rep_value values[] = {waves_beside(square, rate[0], slow ? square : NAN, 0.01),
                          waves_near(rate[1] * rate[1], slow ? square : NAN, 0.03),
                          waves_below(rate[2], 0.05)};
    snprintf(label, sizeof label, "%g", alpha);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- dependence of Table 1 on settings ---- */

static const int turned[2] = {1, 0};

typedef struct variant {
  const char *label;
  e07_test test;
  e07_case run;
  double reference[ALPHAS];
  bool same; /* same run as the preceding row, for the first one as the plain one of Table 1 */
} variant;

#define PLAIN .kind = WAVES_GAUSS_SEIDEL, .update = DAE_WAVE_PLAIN

static const variant variants[] = {
    {"error below 5e-7", E07_HALF, {PLAIN}, {9, 12, 23, 81, WAVES_FAILS}, true},
    {"error below 2e-6", E07_DOUBLE, {PLAIN}, {9, 11, 21, 75, WAVES_FAILS}, true},
    {"relative error", E07_RELATIVE, {PLAIN}, {NAN, NAN, NAN, 69, WAVES_FAILS}, true},
    {"increment below 1e-6", E07_INCREMENT, {PLAIN}, {10, 12, 22, 71, WAVES_FAILS}, true},
    {"error of y alone", E07_Y, {PLAIN}, {9, 9, 9, 9, WAVES_FAILS}, true},
    {"order 2, 1", E07_LARGEST, {PLAIN, .order = turned}, {8, 11, 22, 77, WAVES_FAILS}, false},
    {"(1 - Xi) z + Xi z_old",
     E07_LARGEST,
     {.kind = WAVES_GAUSS_SEIDEL, .update = DAE_WAVE_RELAX},
     {9, 18, 50, WAVES_FAILS, NAN},
     false},
    {"Xi, z1 renewed, too",
     E07_UPDATED,
     {.kind = WAVES_GAUSS_SEIDEL, .update = DAE_WAVE_SCHUR},
     {9, 9, 9, 9, 9},
     false},
    {"trapezoid, 5000 steps",
     E07_LARGEST,
     {PLAIN, .child = {"trapezoid", E07_PI / 5000}},
     {9, 11, 22, 81, WAVES_FAILS},
     false},
};

static const rep_claim variant_claims[] = {
    {.text = "sweeps with the substitution do not depend on alpha",
     .rows = "(1 - Xi) z + Xi z_old",
     .relation = REP_IS_NEAR,
     .factor = 10,
     .bound = 0.1},
    {0},
};

static const rep_table variant_text = {
    .name = "Table 1, dependence",
    .title = "on norm, tolerance, order and solver; Gauss-Seidel",
    .setting = "sweeps until the largest error is below 1e-6, unless stated otherwise; "
               "columns: alpha",
    .label = "",
    .quantities = ALPHAS,
    .quantity = {"0.3", "0.5", "0.7", "0.9", "1.1"},
    .reason = "With the error of the trapezoidal rule, which is near 5e-7 at 0.9, the printed 81 "
              "also results for the largest error. (1 - Xi) z + Xi z_old: the substitution of "
              "theorem 3.1 interpreted as a damping, which slows down the convergence, with more "
              "than 400 sweeps at 0.9. Bounds are one sweep.",
    .item = "Example 3.7, substitution",
    .reading = "as a damping, as printed",
    .claims = variant_claims,
    .why = "the printed substitution damps; (1 - Xi)^-1 is what regularises",
};

static bool iterate_variant(rep_report *report, const variant *v, e07_result results[ALPHAS])
{
  for (int i = 0; i < ALPHAS; i++) {
    e07_case run = v->run;
    run.alpha = alphas[i];
    if (run.update == DAE_WAVE_RELAX)
      run.omega = 1 - run.alpha * run.alpha;
    results[i].sweeps[v->test] = NAN;
    if (run.omega >= 0 && !e07_iterate(report, &run, NULL, &results[i]))
      return false;
  }
  return true;
}

static void show_variants(rep_report *report, const e07_result plain[ALPHAS])
{
  e07_result results[ALPHAS];
  memcpy(results, plain, sizeof results);
  rep_table_begin(report, &variant_text);
  for (int i = 0; i < COUNT(variants); i++) {
    const variant *v = &variants[i];
    rep_value values[ALPHAS];
    if (rep_quick(report) && v->run.child.method)
      continue;
    if (!v->same && !iterate_variant(report, v, results))
      break;
    for (int k = 0; k < ALPHAS; k++)
      values[k] = waves_count(NAN, results[k].sweeps[v->test], v->reference[k], 1);
    rep_table_row(report, v->label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- stopping tests ---- */

typedef struct stop_row {
  double alpha;
  double increment, error; /* references of increment and error */
} stop_row;

static const stop_row stop_rows[] = {{0.9, 9.95e-7, 4.243e-6}, {0.97, 9.6e-7, 1.535e-5}};

static const rep_table stop_text = {
    .name = "Stopping test",
    .title = "an increment is not an error: plain sweeps until it is below 1e-6",
    .setting = "of y2 and z2, which are fed back; q: the last increment over the one before",
    .label = "alpha",
    .quantities = 3,
    .quantity = {"increment", "error", "q/(1-q) incr."},
    .reason = "daedal tests the third quantity. Bounds are 1 %.",
};

/* the plain run, which Table 1 has for its values of alpha */
static bool stop_run(rep_report *report, double alpha, const e07_result plain[ALPHAS],
                     e07_result *r)
{
  e07_case run = {PLAIN, .alpha = alpha};
  for (int i = 0; i < ALPHAS; i++)
    if (alphas[i] == alpha) {
      *r = plain[i];
      return true;
    }
  return e07_iterate(report, &run, NULL, r);
}

static void show_stops(rep_report *report, const e07_result plain[ALPHAS])
{
  rep_table_begin(report, &stop_text);
  for (int i = 0; i < COUNT(stop_rows); i++) {
    const stop_row *row = &stop_rows[i];
    e07_result r;
    char label[16];
    if (!stop_run(report, row->alpha, plain, &r))
      break;
    double q = r.increment / r.before;
    rep_value values[] = {waves_near(r.increment, row->increment, 0.01),
                          waves_near(r.error, row->error, 0.01),
                          waves_near(q / (1 - q) * r.increment, row->error, 0.01)};
    snprintf(label, sizeof label, "%g", row->alpha);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

void e07_table(rep_report *report)
{
  static const rep_figure figure = {.title = "Convergence of Table 1",
                                    .x = "sweep",
                                    .log = {"change", "error"},
                                    .style = DAE_CURVE_BOTH};
  e07_result plain[ALPHAS] = {{0}}, unused[ALPHAS];
  rep_file *history = rep_file_open(report, "convergence", E07_HISTORY, &figure);
  show_table(report, &gauss_seidel_text, gauss_seidel, history, plain);
  show_table(report, &jacobi_text, jacobi, history, unused);
  rep_file_close(history);
  show_rates(report);
  show_variants(report, plain);
  show_stops(report, plain);
}
