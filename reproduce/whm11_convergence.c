/* Table 1 of [WHM11], the bound of section 4, and observed rates. */
#include "whm11.h"

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

/* ---- iterations ---- */

typedef struct count_row {
  const char *label;
  bool printed;
  double window;
  double paper[3], reference[3];
} count_row;

static const count_row count_rows[] = {
    {"1.0", false, 1, {8, 11, 8}, {14, 18, 19}},
    {"1.0 printed", true, 1, {8, 11, 8}, {13, 18, 19}},
    {"0.5", false, 0.5, {2, 3, 3}, {13, 17, 18}},
    {"0.5 printed", true, 0.5, {2, 3, 3}, {12, 17, 18}},
};

static const rep_table count_text = {
    .name = "Table 1, iterations",
    .title = "until (10) holds in the window before t",
    .setting = "start (23), trapezoidal rule; t = 2 and 3, tolerances 1e-4 and 1e-6",
    .label = "dt",
    .quantities = 3,
    .quantity = {"t 2, 1e-4", "t 2, 1e-6", "t 3, 1e-6"},
    .reason =
        "The counts contradict the ratios: by (23) the first change of x is |x(2) - x(1.5)| = "
        "3.0 for dt = 0.5, and the ratios of the paper reduce it to 3.0 x 0.0016 x 0.57 = 2.7e-3 "
        "after three iterations, not 1e-6. An extrapolated start reproduces the first ratio of the "
        "paper, but not the counts. Bounds are one iteration.",
    .item = "Section 5, iterations",
    .why = "the counts contradict the printed ratios and (23)",
};

static bool count(rep_report *report, const count_row *row, double to, double tolerance,
                  double *sweeps)
{
  whm11_result r;
  whm11_case run = {.printed = row->printed,
                    .to = to,
                    .window = row->window,
                    .step = row->window / 10,
                    .tolerance = tolerance};
  bool good = whm11_iterate(report, &run, &r);
  *sweeps = r.sweeps;
  return good;
}

static void show_counts(rep_report *report)
{
  rep_table_begin(report, &count_text);
  for (int i = 0; i < COUNT(count_rows); i++) {
    const count_row *row = &count_rows[i];
    rep_value values[3];
    double sweeps[3];
    if (!count(report, row, 2, 1e-4, &sweeps[0]) || !count(report, row, 2, 1e-6, &sweeps[1]) ||
        !count(report, row, 3, 1e-6, &sweeps[2]))
      break;
    for (int k = 0; k < 3; k++)
      values[k] = waves_count(row->paper[k], sweeps[k], row->reference[k], 1);
    rep_table_add(report, &(rep_row){.label = row->label,
                                     .values = values,
                                     .reading = row->printed ? "signs as printed" : "(19)"});
  }
  rep_table_end(report);
}

/* ---- ratios ---- */

#define RATIOS 10

typedef struct history {
  rep_file *file;
  const char *signs;
  double window;
  int last; /* number of the observed window */
  int count;
  double before[WHM11_LAMBDA + 1]; /* unknowns at its end after the preceding sweep */
  double change[2 * RATIOS + 20];  /* changes of x2 */
} history;

static double take(history *h, const dae_wave_sweep *sweep, int i)
{
  const dae_waveform *out = sweep->computed;
  size_t at = (size_t)(out->nodes - 1) * (size_t)out->width + (size_t)i;
  double before = sweep->sweep == 1 ? sweep->given->value[at] : h->before[i];
  h->before[i] = out->value[at];
  return fabs(out->value[at] - before);
}

static void look(void *user, const dae_wave_sweep *sweep)
{
  static const int shown[] = {WHM11_X2, WHM11_Y1, WHM11_LAMBDA};
  history *h = user;
  if (sweep->window != h->last)
    return;
  rep_file_text(h->file, h->signs);
  rep_file_number(h->file, h->window);
  rep_file_number(h->file, sweep->sweep);
  for (int k = 0; k < COUNT(shown); k++) {
    double change = take(h, sweep, shown[k]);
    rep_file_number(h->file, change);
    if (k == 0 && h->count < COUNT(h->change))
      h->change[h->count++] = change;
  }
  rep_file_record(h->file);
}

typedef struct ratio_column {
  const char *signs;
  bool printed;
  double window;
  double paper[RATIOS], reference[RATIOS]; /* values of paper and reference, 0: none */
} ratio_column;

static const ratio_column ratio_columns[] = {
    {"(19)",
     false,
     1,
     {0.014, 0.50, 0.45, 0.42, 0.40, 0.37, 0.35, 0.31, 0.25, 0.25},
     {0.0383, 0.3718, 0.3717, 0.3716}},
    {"printed", true, 1, {0}, {0.0295, 0.3761, 0.3759}},
    {"(19)", false, 0.5, {0.0016, 0.57}, {0.0110, 0.3658, 0.3658}},
    {"printed", true, 0.5, {0}, {0.0084, 0.3669}},
};
#define COLUMNS COUNT(ratio_columns)

static const rep_table ratio_text = {
    .name = "Table 1, ratios",
    .title = "ratios of changes of x at t = 2, tolerance 1e-6",
    .setting = "change i + 1 over change i; x2, the larger of the two components",
    .label = "i",
    .quantities = COLUMNS,
    .quantity = {"1.0", "1.0 printed", "0.5", "0.5 printed"},
    .reason = "From the second ratio on the rate is 4/11 = 0.3636, up to transients, and constant: "
              "ratios that decrease to 0.25 are not those of (3), (4). Bounds are 1 %.",
    .item = "Table 1",
    .readings = {"(19)", "signs as printed", "(19)", "signs as printed"},
    .why = "the rate of (3), (4) is constant, 4/11",
};

static bool find_ratios(rep_report *report, const ratio_column *c, rep_file *file, double *ratio)
{
  whm11_result r;
  history h = {.file = file, .signs = c->signs, .window = c->window};
  h.last = (int)lround(2 / c->window);
  whm11_case run = {.printed = c->printed,
                    .to = 2,
                    .window = c->window,
                    .step = c->window / 10,
                    .tolerance = 1e-6,
                    .look = look,
                    .user = &h};
  bool good = whm11_iterate(report, &run, &r);
  for (int i = 0; i < RATIOS; i++)
    ratio[i] = i + 1 < h.count ? h.change[i + 1] / h.change[i] : NAN;
  return good;
}

static void show_ratios(rep_report *report)
{
  double ratio[COLUMNS][RATIOS];
  static const rep_figure figure = {.title = "Changes from sweep to sweep",
                                    .x = "sweep",
                                    .log = {"x2", "y1", "lambda"},
                                    .style = DAE_CURVE_BOTH};
  rep_file *file = rep_file_open(report, "convergence", "signs,window,sweep,x2,y1,lambda", &figure);
  bool good = true;
  for (int k = 0; k < COLUMNS && good; k++)
    good = find_ratios(report, &ratio_columns[k], file, ratio[k]);
  rep_file_close(file);
  rep_table_begin(report, &ratio_text);
  for (int i = 0; i < RATIOS && good; i++) {
    rep_value values[COLUMNS];
    char label[16];
    for (int k = 0; k < COLUMNS; k++) {
      double paper = ratio_columns[k - k % 2].paper[i];
      double reference = ratio_columns[k].reference[i];
      values[k] =
          waves_beside(paper > 0 ? paper : NAN, ratio[k][i], reference > 0 ? reference : NAN, 0.01);
    }
    snprintf(label, sizeof label, "%d", i + 1);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- the bound ---- */

#define SMALL 1e-3 /* window at which the series are evaluated */

static const rep_table bound_text = {
    .name = "Section 4",
    .title = "constants of the bound gamma, from (43) and (49), (50)",
    .setting = "beta = 8 + b dt^2, gamma = F + g dt^2; corrected: with the correct integral before "
               "(34), which gives 1/32 instead of 1/64 in (36)",
    .label = "",
    .quantities = 2,
    .quantity = {"value", "corrected"},
    .reason =
        "E and b of the paper are wrong, its gamma is correct; F is exactly 4/11, S1/S2 with the "
        "mobilities S = D A^-1 B of the two sides. Bounds are 0.1 %.",
    .item = "Equation (54)",
    .readings = {"integral as printed", "integral corrected"},
    .why = "E and the coefficient of beta are wrong",
};

static void show_bound(rep_report *report)
{
  whm11_bound a = whm11_bound_of(SMALL, 64), b = whm11_bound_of(SMALL, 32);
  const double h2 = SMALL * SMALL;
  const struct {
    const char *label;
    double paper, printed, corrected, reference[2];
  } rows[] = {
      {"E", 0.12, a.E, b.E, {13.0 / 121, 13.0 / 121}},
      {"F", 0.36, a.F, b.F, {4.0 / 11, 4.0 / 11}},
      {"b", -1.20, (a.beta - 8) / h2, (b.beta - 8) / h2, {-1, -2}},
      {"g", 0.13, (a.gamma - a.F) / h2, (b.gamma - b.F) / h2, {0.1301653, 0.1301653}},
  };
  rep_table_begin(report, &bound_text);
  for (int i = 0; i < COUNT(rows); i++) {
    rep_value values[] = {
        waves_beside(rows[i].paper, rows[i].printed, rows[i].reference[0], 1e-3),
        waves_beside(rows[i].paper, rows[i].corrected, rows[i].reference[1], 1e-3)};
    rep_table_row(report, rows[i].label, values, NULL);
  }
  rep_table_end(report);
}

/* ---- rates ---- */

typedef struct rate_row {
  double window;
  double on_x;  /* reference */
  double bound; /* bound of the check */
} rate_row;

static const rate_row rate_rows[] = {
    {1, 2.8162, 5e-3}, {0.1, 2.75079, 1e-4}, {0.01, 2.750008, 1e-5}, {0.001, 2.75000008, 1e-5}};

static const rep_claim rate_claims[] = {
    {.text = "the rate on y does not exceed the bound gamma",
     .item = "Equation (53)",
     .quantity = "gamma",
     .relation = REP_IS_AT_LEAST,
     .factor = 1,
     .other_quantity = "on y"},
    {.text = "(55), (56) can be implemented in the same way",
     .item = "Section 6, (55) and (56)",
     .quantity = "on x",
     .relation = REP_IS_LESS,
     .factor = 1},
    {0},
};

static const rep_table rate_text = {
    .name = "Rates",
    .title = "of changes of lambda, constraint on y (3, 4) and on x (55, 56)",
    .setting = "first window, tenth sweep; gamma: the bound (50)",
    .label = "dt",
    .quantities = 3,
    .quantity = {"gamma", "on y", "on x"},
    .reason =
        "On any window the spectrum is that of S2^-1 S1, 4/11 on y and 11/4 on x, independent "
        "of dt, C and r: (55, 56) diverges on the example of the paper, and the constraint "
        "belongs on the lighter side. Bounds on y are 7 %.",
    .item = "Equation (54), gamma",
    .claims = rate_claims,
    .why = "(55), (56) diverges by 11/4 on the example of the paper",
};

static bool rate_of(rep_report *report, double window, double theta, double *rate)
{
  waves_result r;
  waves_case run = {.model = WAVES_STRUCTURES,
                    .kind = WAVES_JOINT,
                    .to = window,
                    .child = {{"trapezoid", window / 10}},
                    .options = waves_plain(1e-10, window),
                    .from = WHM11_LAMBDA};
  run.options.splitting = DAE_WAVE_SPLIT_WEIGHTED;
  run.options.theta = theta;
  run.options.sweeps = 10;
  bool good = waves_run(report, &run, &r);
  *rate = r.rate;
  return good;
}

static void show_rates(rep_report *report)
{
  rep_table_begin(report, &rate_text);
  for (int i = 0; i < COUNT(rate_rows); i++) {
    const rate_row *row = &rate_rows[i];
    double on_y, on_x, h2 = row->window * row->window;
    double gamma = whm11_bound_of(row->window, 64).gamma;
    char label[16];
    if (!rate_of(report, row->window, 1, &on_y) || !rate_of(report, row->window, 0, &on_x))
      break;
    rep_value values[] = {waves_beside(0.36 + 0.13 * h2, gamma, 4.0 / 11 + 0.1301653 * h2, 0.02),
                          waves_near(on_y, 4.0 / 11, 0.07),
                          waves_near(on_x, row->on_x, row->bound)};
    snprintf(label, sizeof label, "%g", row->window);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

void whm11_convergence(rep_report *report)
{
  show_counts(report);
  show_ratios(report);
  show_bound(report);
  show_rates(report);
}
