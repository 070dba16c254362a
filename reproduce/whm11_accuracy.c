/* Tables 2, 3 and 4 of [WHM11], two different methods, and errors against the exact solution. */
#include "whm11.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define END 10 /* end time of all runs of the paper */

/* ---- orders: Tables 2 and 4 ---- */

typedef struct order_row {
  const char *label, *item, *reading;
  whm11_case run; /* first of three runs; window and step are halved */
  double paper[3], reference[3];
  bool full; /* omitted in quick reproductions */
} order_row;

#define NOTHING                                                                                    \
  {                                                                                                \
    NAN, NAN, NAN                                                                                  \
  }
#define ITERATED(signs, dt, M)                                                                     \
  .printed = signs, .window = dt, .step = 1.0 * (dt) / (M), .tolerance = 1e-6
#define ALONE(signs, h) .printed = signs, .window = h, .step = h, .tolerance = 1e-6, .sweeps = 1

static const order_row table_2[] = {
    {"a 1.0",
     "Table 2-a",
     "(19)",
     {ITERATED(false, 1, 10)},
     {4.11, 4.11, 4.03},
     {4.010, 4.011, 4.011},
     false},
    {"a 1.0   printed",
     "Table 2-a",
     "signs as printed",
     {ITERATED(true, 1, 10)},
     {4.11, 4.11, 4.03},
     {4.010, 4.010, 4.010},
     false},
    {"a 0.1",
     "Table 2-a",
     "(19)",
     {ITERATED(false, 0.1, 10)},
     {4.00, 4.00, 4.00},
     {4.000, 4.000, 4.000},
     true},
    {"a 0.1   printed",
     "Table 2-a",
     "signs as printed",
     {ITERATED(true, 0.1, 10)},
     {4.00, 4.00, 4.00},
     {4.000, 4.001, 4.000},
     true},
    {"b 1.0/M",
     "Table 2-b",
     "(19)",
     {ALONE(false, 0.1)},
     {1.99, 2.01, 2.01},
     {2.408, 1.428, 1.815},
     false},
    {"b 1.0/M printed",
     "Table 2-b",
     "signs as printed",
     {ALONE(true, 0.1)},
     {1.99, 2.01, 2.01},
     {2.400, 0.555, 1.773},
     false},
    {"b 0.1/M",
     "Table 2-b",
     "(19)",
     {ALONE(false, 0.01)},
     {2.00, 2.00, 2.03},
     {2.045, 1.953, 1.982},
     false},
    {"b 0.1/M printed",
     "Table 2-b",
     "signs as printed",
     {ALONE(true, 0.01)},
     {2.00, 2.00, 2.03},
     {2.043, 1.908, 1.978},
     true},
    {"b 1.0/M as one",
     "Table 2-b",
     "(19) as one system",
     {.whole = true, .step = 0.1},
     {1.99, 2.01, 2.01},
     {4.01, 4.01, 4.01},
     false},
    {"b 0.1/M as one",
     "Table 2-b",
     "(19) as one system",
     {.whole = true, .step = 0.01},
     {2.00, 2.00, 2.03},
     {4.00, 4.00, 4.00},
     false},
};

static const rep_table table_2_text = {
    .name = "Table 2",
    .title = "R at t = 10: 4 for order 2, 2 for order 1",
    .setting = "a: trapezoidal rule with iterations, tolerance 1e-6; b: without",
    .label = "  dt",
    .quantities = 3,
    .quantity = {"R_x", "R_y", "R_lambda"},
    .reason =
        "b has the order of the paper if \"the trapezoidal rule alone\" "
        "means one sweep per step. Applied to (19) as one system the rule has second order. R: "
        "Euclidean norms of differences; the order is log2 R, not its square root. Bounds are "
        "0.5 %.",
};

#define HEUN(signs, M) ITERATED(signs, 1, M), .x = "heun"

static const order_row table_4[] = {
    {"20", "Table 4", "(19)", {HEUN(false, 20)}, {4.34, 4.04, 3.56}, {3.93, 3.93, 3.93}, false},
    {"20  printed",
     "Table 4",
     "signs as printed",
     {HEUN(true, 20)},
     {4.34, 4.04, 3.56},
     {3.93, 3.93, 3.93},
     true},
    {"200", "Table 4", "(19)", {HEUN(false, 200)}, {4.68, 4.36, 3.87}, {3.99, 3.99, 3.99}, true},
    {"200 printed",
     "Table 4",
     "signs as printed",
     {HEUN(true, 200)},
     {4.68, 4.36, 3.87},
     {3.99, 3.99, 3.99},
     true},
};

static const rep_table table_4_text = {
    .name = "Table 4",
    .title = "the same for an explicit Runge-Kutta method of order 2, dt = 1",
    .setting = "Heun's method; midpoint rule and Ralston's method give the same R",
    .label = "M",
    .quantities = 3,
    .quantity = {"R_x", "R_y", "R_lambda"},
    .reason = "The order is 2, the digits differ: 4.68 at h = 0.005 cannot come from a "
              "method of order 2 whose iteration has converged. Bounds are 0.5 %.",
};

#define EULER(signs) ITERATED(signs, 0.1, 10), .x = "euler", .y = "trapezoid"

static const order_row mixed[] = {
    {"0.1",
     "Section 5, Euler/trapezoid",
     "(19)",
     {EULER(false)},
     {4.14, 4.09, 4.02},
     {1.97, 1.98, 1.97},
     true},
    {"0.1 printed",
     "Section 5, Euler/trapezoid",
     "signs as printed",
     {EULER(true)},
     {4.14, 4.09, 4.02},
     {1.97, 1.98, 1.97},
     true},
};

static const rep_table mixed_text = {
    .name = "Euler and trapezoid",
    .title = "R at t = 10, Euler's method for x",
    .setting = "trapezoidal rule for y, tolerance 1e-6",
    .label = "dt",
    .quantities = 3,
    .quantity = {"R_x", "R_y", "R_lambda"},
    .reason = "The limit of the iteration has the order 1 of Euler's method in x, "
              "as the table of errors shows. Bounds are 0.5 %.",
    .why = "the limit of the iteration has order 1 in x",
};

static bool find_quotients(rep_report *report, const whm11_case *first, double R[3])
{
  whm11_result runs[3];
  whm11_case run = *first;
  run.to = END;
  for (int i = 0; i < 3; i++) {
    if (!whm11_iterate(report, &run, &runs[i]))
      return false;
    run.window /= 2;
    run.step /= 2;
  }
  whm11_quotients(runs, R);
  return true;
}

static void show_orders(rep_report *report, const rep_table *text, const order_row *rows, int count)
{
  rep_table_begin(report, text);
  for (int i = 0; i < count; i++) {
    rep_value values[3];
    double R[3];
    if (rows[i].full && rep_quick(report))
      continue;
    if (!find_quotients(report, &rows[i].run, R))
      break;
    for (int k = 0; k < 3; k++)
      values[k] = waves_beside(rows[i].paper[k], R[k], rows[i].reference[k], 0.005);
    rep_table_add(report, &(rep_row){.label = rows[i].label,
                                     .values = values,
                                     .item = rows[i].item,
                                     .reading = rows[i].reading});
  }
  rep_table_end(report);
}

/* ---- the constraint: Table 3 ---- */

typedef struct violation {
  whm11_case run; /* case without its step sizes */
  bool frozen;    /* frozen over windows of 1 */
  double reference[4];
} violation;

#define ROWS 4

static const double table_3a_paper[ROWS] = {3.6e-8, 1.1e-8, 2.9e-9};

static const violation table_3a[] = {
    {{.tolerance = 1e-6}, false, {1e-6, 1e-6, 1e-6}},
    {{.printed = true, .tolerance = 1e-6}, false, {1e-6, 1e-6, 1e-6}},
    {{.tolerance = 1e-12}, false, {1e-9, 1e-9, 1e-9}},
};

static const rep_claim table_3a_claims[] = {
    {.text = "the constraint holds within the tolerance",
     .reading = "(19)",
     .quantity = "(19)",
     .relation = REP_IS_LESS,
     .factor = 1e-6},
    {0},
};

static const rep_table table_3a_text = {
    .name = "Table 3 a",
    .title = "|x2 - 2 y1| at t = 10 with iterations",
    .setting = "tolerance 1e-6; the last one 1e-12",
    .label = "dt",
    .quantities = COUNT(table_3a),
    .quantity = {"(19)", "printed", "1e-12"},
    .reason = "The size is that of the tolerance, independent of dt: x2 and "
              "2 y1 integrate the same accelerations by the same rule.",
    .item = "Table 3-a",
    .readings = {"(19)", "signs as printed", "(19), tolerance 1e-12"},
    .claims = table_3a_claims,
    .why = "the violation is that of the stopping test, not one of order 2",
};

static const double table_3b_paper[ROWS] = {689.5, 744.8, 774.5, 784.8};

static const violation table_3b[] = {
    {{.sweeps = 1}, false, {10.38, 5.17, 2.58, 1.29}},
    {{.sweeps = 1, .printed = true}, false, {6.83, 3.40, 1.70, 0.85}},
    {{.sweeps = 1}, true, {1218.8, 1218.8, 1218.8, NAN}},
    {{.sweeps = 1, .printed = true}, true, {819.3, 819.2, 819.2, NAN}},
    {{.sweeps = 1, .printed = true, .x = "euler", .y = "trapezoid"},
     true,
     {766.1, 792.3, 805.7, NAN}},
};

static const rep_table table_3b_text = {
    .name = "Table 3 b",
    .title = "x2 - 2 y1 at t = 10 without iterations",
    .setting = "one sweep for each step h; frozen: for windows of 1, in which x2'' of their start "
               "is used; Euler: for x, the same",
    .label = "h",
    .quantities = COUNT(table_3b),
    .quantity = {"(19)", "printed", "frozen", "frozen, pr.", "Euler, pr."},
    .reason = "Growth to a limit for h to 0 implies another limit than (19): the "
              "printed signs with a force frozen over unit windows are closest in size and trend. "
              "The trapezoidal rule for (19) as one system satisfies the constraint to round-off, "
              "see the table of errors. Bounds are 1 %.",
    .item = "Table 3-b",
    .readings = {"(19)", "signs as printed", "(19), force frozen", "signs as printed, force frozen",
                 "signs as printed, force frozen, Euler's method for x"},
    .why = "one sweep of the trapezoidal rule converges to (19)",
};

static bool find_violation(rep_report *report, const violation *v, bool iterated, double size,
                           double *out)
{
  whm11_result r;
  whm11_case run = v->run;
  run.to = END;
  run.window = v->frozen ? 1 : size;
  run.step = iterated ? size / 10 : size;
  if (run.sweeps > 0)
    run.tolerance = 1e-6;
  bool good = whm11_iterate(report, &run, &r);
  *out = r.violation;
  return good;
}

static void show_violations(rep_report *report, const rep_table *text, const violation *columns,
                            double largest, const double *paper)
{
  bool iterated = columns == table_3a;
  bool quick = rep_quick(report);
  int rows = iterated ? (quick ? 0 : 3) : quick ? 1 : ROWS;
  rep_table_begin(report, text);
  for (int i = 0; i < rows; i++) {
    rep_value values[REP_QUANTITIES];
    double size = ldexp(largest, -i), out;
    char label[16];
    for (int k = 0; k < text->quantities; k++) {
      if (!find_violation(report, &columns[k], iterated, size, &out))
        return;
      double reference = columns[k].reference[i];
      values[k] = iterated ? waves_below(fabs(out), reference) : waves_near(out, reference, 0.01);
      values[k].paper = paper[i];
    }
    snprintf(label, sizeof label, "%g", size);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- errors ---- */

typedef struct error_row {
  const char *label;
  whm11_case run;
  double x, lambda, violation; /* references, NaN: none; 0: round-off */
  bool full;                   /* omitted in quick reproductions */
} error_row;

static const error_row error_rows[] = {
    {"trapezoid  1", {ITERATED(false, 1, 10)}, 15.04, 10.43, 0, false},
    {"trapezoid  0.5", {ITERATED(false, 0.5, 10)}, 3.753, 2.601, 0, false},
    {"trapezoid  0.25", {ITERATED(false, 0.25, 10)}, 0.9377, 0.6499, 0, false},
    {"trapezoid  0.1", {ITERATED(false, 0.1, 10)}, 0.1500, 0.1040, 0, true},
    {"as one     0.1", {.whole = true, .step = 0.1}, NAN, NAN, 0, false},
    {"as one     0.01", {.whole = true, .step = 0.01}, NAN, NAN, 0, false},
    {"heun       1", {HEUN(false, 20)}, NAN, NAN, 1.99, false},
    {"heun       0.5", {ITERATED(false, 0.5, 20), .x = "heun"}, NAN, NAN, 0.51, false},
    {"heun       0.25", {ITERATED(false, 0.25, 20), .x = "heun"}, NAN, NAN, 0.13, false},
    {"Euler      0.1", {EULER(false)}, 118.7, NAN, 31.7, false},
    {"Euler      0.05",
     {ITERATED(false, 0.05, 10), .x = "euler", .y = "trapezoid"},
     59.9,
     NAN,
     16.0,
     true},
    {"Euler      0.025",
     {ITERATED(false, 0.025, 10), .x = "euler", .y = "trapezoid"},
     30.1,
     NAN,
     8.07,
     true},
};

static const rep_table error_text = {
    .name = "Errors",
    .title = "largest of x, that of lambda, and x2 - 2 y1, at t = 10",
    .setting = "tolerance 1e-9; as one: the trapezoidal rule for (19) as one system with steps of "
               "that size; heun: M = 20; Euler: for x, trapezoidal rule for y",
    .label = "           dt",
    .quantities = 3,
    .quantity = {"x", "lambda", "|x2 - 2 y1|"},
    .reason = "Where stages are not nodes, as with Heun's method, or the two methods differ, the "
              "constraint drifts. Bounds are 1.5 %.",
};

static void show_errors(rep_report *report)
{
  double exact[WHM11_VALUES];
  whm11_exact(END, exact);
  rep_table_begin(report, &error_text);
  for (int i = 0; i < COUNT(error_rows); i++) {
    const error_row *row = &error_rows[i];
    whm11_case run = row->run;
    whm11_result r;
    if (row->full && rep_quick(report))
      continue;
    run.to = END;
    run.tolerance = 1e-9;
    if (!whm11_iterate(report, &run, &r))
      break;
    double x = fmax(fabs(r.values[0] - exact[0]), fabs(r.values[1] - exact[1]));
    double drift = fabs(r.violation);
    rep_value values[] = {
        waves_near(x, row->x, 0.015), waves_near(fabs(r.values[4] - exact[4]), row->lambda, 0.015),
        row->violation == 0 ? waves_below(drift, 1e-8) : waves_near(drift, row->violation, 0.015)};
    rep_table_row(report, row->label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- the solution ---- */

static const rep_table solution_text = {
    .name = "Solution",
    .title = "of (19), not available according to the paper",
    .setting = "ours: joint with rtol = atol = 1e-11, default options; ref: cosh and sinh of "
               "t sqrt(7/15), t/sqrt 2, and t sinh(t/sqrt 2)",
    .label = "t",
    .quantities = WHM11_VALUES,
    .quantity = {"x1", "x2", "y1", "y2", "lambda"},
    .reason = "The printed signs give other values of x2 and y2. Bounds are 1e-8.",
};

static void show_solution(rep_report *report)
{
  static const double times[] = {2, 3, 10};
  static const int entry[WHM11_VALUES] = {0, 1, 4, 5, 8};
  rep_table_begin(report, &solution_text);
  for (int i = 0; i < 2 * COUNT(times); i++) {
    bool printed = i >= COUNT(times);
    double t = times[i % COUNT(times)], exact[WHM11_VALUES];
    rep_value values[WHM11_VALUES];
    waves_result r;
    char label[24];
    waves_case run = {.model = printed ? WAVES_PRINTED : WAVES_STRUCTURES,
                      .kind = WAVES_JOINT,
                      .to = t,
                      .options = waves_accurate()};
    if (!waves_run(report, &run, &r))
      break;
    (printed ? whm11_exact_printed : whm11_exact)(t, exact);
    for (int k = 0; k < WHM11_VALUES; k++)
      values[k] = waves_near(r.state[entry[k]], exact[k], 1e-8);
    snprintf(label, sizeof label, "%-2g%s", t, printed ? " pr." : "");
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

void whm11_accuracy(rep_report *report)
{
  show_orders(report, &table_2_text, table_2, COUNT(table_2));
  show_violations(report, &table_3a_text, table_3a, 0.1, table_3a_paper);
  show_violations(report, &table_3b_text, table_3b, 0.01, table_3b_paper);
  show_orders(report, &table_4_text, table_4, COUNT(table_4));
  show_orders(report, &mixed_text, mixed, COUNT(mixed));
  show_errors(report);
  show_solution(report);
}
