/* Figures 1 to 4 of [L13]: largest errors over a run, by the iteration of the paper. */
#include "l13.h"

#include <limits.h>
#include <math.h>

/* ---- measured quantities ---- */

typedef enum kind {
  X,    /* error of x */
  END,  /* error of the step's y against the end of the step */
  MID,  /* error of the step's y against the midpoint of the step */
  GRID, /* error of the y consistent with x */
  KEPT  /* residual of a constraint */
} kind;
#define KINDS (KEPT + 1)
#define MOST 4 /* largest number of quantities of a kind */

typedef struct meter {
  l13_solution solution;
  rep_file *figure;
  const char *curve;
  long every, done;
  double worst[KINDS][MOST];
  long inner, passes;           /* totals */
  long inner_least, inner_most; /* range per step */
  long least, most;             /* range of outer iterations per step */
} meter;

/* constraints, and I1 and I2 of the paper */
static void find_kept(l13_problem problem, const l13_point *at, double kept[MOST])
{
  const double *x = at->x;
  switch (problem) {
  case L13_PLASTIC:
    kept[0] = hypot(x[0], x[1]) - 200;
    return;
  case L13_HESSENBERG:
    kept[0] = x[0] + at->t * x[1] - log1p(at->t) - at->t * at->t / (1 + at->t);
    return;
  case L13_PENDULUM:
    kept[0] = x[0] * x[0] + x[1] * x[1] - 1;
    kept[1] = x[0] * x[2] + x[1] * x[3];
    return;
  default:
    kept[0] = x[0] * x[1] + x[2] * x[3];
    kept[1] = x[0] * x[0] + x[2] * x[2] - 1;
    kept[2] = (at->ny ? at->y_step[0] : NAN) + x[1] * x[1] + x[3] * x[3];
    kept[3] = (at->ny ? at->y[0] : NAN) + x[1] * x[1] + x[3] * x[3];
  }
}

static void draw(meter *m, const l13_point *at, double now[KINDS][MOST])
{
  static const int constraints[] = {1, 1, 3, 2, 2};
  if (!m->figure || ++m->done % m->every)
    return;
  rep_file_text(m->figure, m->curve);
  rep_file_number(m->figure, at->t);
  for (int i = 0; i < at->nx; i++)
    rep_file_number(m->figure, now[X][i]);
  for (int i = 0; i < at->ny; i++)
    rep_file_number(m->figure, now[END][i]);
  for (int i = 0; i < constraints[m->solution.problem]; i++)
    rep_file_number(m->figure, now[KEPT][i]);
  rep_file_number(m->figure, (double)at->inner);
  rep_file_number(m->figure, (double)at->outer);
  rep_file_record(m->figure);
}

static void measure(void *user, const l13_point *at)
{
  meter *m = user;
  double x[L13_X], y[L13_Y], middle[L13_Y], now[KINDS][MOST] = {0};
  l13_solution_at(&m->solution, at->t - at->h / 2, x, middle);
  l13_solution_at(&m->solution, at->t, x, y);
  for (int i = 0; i < at->nx; i++)
    now[X][i] = at->x[i] - x[i];
  for (int i = 0; i < at->ny; i++) {
    now[END][i] = at->y_step[i] - y[i];
    now[MID][i] = at->y_step[i] - middle[i];
    now[GRID][i] = at->y[i] - y[i];
  }
  find_kept(m->solution.problem, at, now[KEPT]);
  draw(m, at, now);
  for (int k = 0; k < KINDS; k++)
    for (int i = 0; i < MOST; i++)
      m->worst[k][i] = fmax(m->worst[k][i], fabs(now[k][i]));
  m->inner += at->inner;
  m->passes += at->passes;
  m->inner_least = at->inner < m->inner_least ? at->inner : m->inner_least;
  m->inner_most = at->inner > m->inner_most ? at->inner : m->inner_most;
  m->least = at->outer < m->least ? at->outer : m->least;
  m->most = at->outer > m->most ? at->outer : m->most;
}

/* ---- the figures ---- */

typedef struct setting {
  double h, eps1, eps2, kappa;
} setting;

typedef struct row {
  const char *label;
  kind kind;
  int i;
  double reference[2]; /* references of both settings, NaN: none */
  bool limit;          /* the reference is an upper bound */
} row;

typedef struct figure {
  l13_problem problem;
  double to, size; /* end time, size of x */
  setting settings[2];
  int count; /* number of settings */
  rep_table text;
  const char *file, *header;
  row rows[12];
} figure;

/* ---- statements of the paper ---- */

#define SMALL(text_, item_, rows_, limit)                                                          \
  {                                                                                                \
    .text = text_, .item = item_, .rows = rows_, .relation = REP_IS_LESS, .factor = limit          \
  }

static const rep_claim claims_1[] = {
    SMALL("the errors of Q are small (1e-5 of Q0)", "Figure 1(a, b)", "Q?", 2e-3),
    SMALL("the consistency condition is retained very well", "Figure 1(c)", "| |Q| - Q0 |", 2e-6),
    {0},
};

static const rep_claim claims_2[] = {
    SMALL("the errors of x are very small", "Figure 2(a)", "x?", 1e-6),
    SMALL("the constraint is almost zero", "Figure 2(b)", "|x1*", 1e-11),
    {0},
};

static const rep_claim claims_3[] = {
    {.text = "u1, u2 have the order of h^2",
     .item = "Figure 3(a)",
     .rows = "u[12]",
     .quantity = "h = 1e-3",
     .relation = REP_IS_NEAR,
     .factor = 100,
     .bound = 0.05,
     .other_quantity = "h = 1e-4"},
    SMALL("|I1| is almost zero", "Figure 3(b)", "I1*", 1e-10),
    SMALL("|I2| is almost zero", "Figure 3(b)", "I2 =*", 1e-10),
    {0},
};

static const rep_claim claims_4[] = {
    SMALL("the solution is accurate (1e-5)", "Figure 4(a)", "x?", 1e-5),
    SMALL("|I1| and |I2| are almost zero", "Figure 4(b)", "I?*", 1e-13),
    {0},
};

static const rep_claim claims_45[] = {
    {.text = "no general integrator satisfies the constraint",
     .item = "Equation (48)",
     .rows = "I1*",
     .relation = REP_IS_AT_LEAST,
     .factor = 1e-9},
    {0},
};

static const figure figures[] = {
    {.problem = L13_PLASTIC,
     .to = 10,
     .size = 200,
     .settings = {{1e-3, 1e-8, 1e-8, 0}, {1e-3, 1e-12, 1e-12, 0}},
     .count = 2,
     .text = {.name = "Figure 1",
              .title = "example 1, perfect plasticity: largest errors up to t = 10",
              .setting = "h = 1e-3, |Q| = 200; nested iteration until x changes by less than eps, "
                         "and y by less than eps",
              .label = "",
              .quantities = 2,
              .quantity = {"eps 1e-8", "eps 1e-12"},
              .reason = "The paper: \"the LGDAE can retain the consistency condition very well\". "
                        "The multiplier of a step is that of its midpoint, and has first "
                        "order at its end. The one consistent with Q has second order. Bounds are "
                        "20 %; constraints, and here the multiplier at the midpoint, must be at "
                        "most twice the reference: in the paper Q belongs to the last but one y, "
                        "daedal takes one more sweep.",
              .claims = claims_1},
     .file = "figure-1",
     .header = "run,t,Q1,Q2,lambda,consistency,inner,outer",
     .rows = {{"Q1", X, 0, {3.89e-5, 3.90e-5}, false},
              {"Q2", X, 1, {2.17e-5, 2.18e-5}, false},
              {"lambda of the step, at its end", END, 0, {1.0e-6, 1.0e-6}, false},
              {"lambda of the step, at its midpoint", MID, 0, {1.0e-8, 5.5e-10}, true},
              {"lambda consistent with Q", GRID, 0, {NAN, NAN}, false},
              {"| |Q| - Q0 |", KEPT, 0, {2e-6, 2e-10}, true}}},
    {.problem = L13_HESSENBERG,
     .to = 1,
     .size = 1,
     .settings = {{1e-3, 1e-10, 1e-10, 1}, {1e-4, 1e-10, 1e-10, 1}},
     .count = 2,
     .text = {.name = "Figure 2",
              .title = "example 2, index 2 from x = 0: largest errors up to t = 1",
              .setting = "eps1 = eps2 = 1e-10, kappa = 1",
              .label = "",
              .quantities = 2,
              .quantity = {"h = 1e-3", "h = 1e-4"},
              .reason =
                  "As printed the method cannot leave x = 0 (d = 0, and then 0/0): x gets an "
                  "additional component kappa. At t = 0 lambda is undetermined, which affects the "
                  "first step; otherwise all errors have second order. The paper: "
                  "errors \"very accurate\", the constraint \"almost zero\", the exponent "
                  "unreadable.",
              .reading = "kappa = 1",
              .claims = claims_2},
     .file = "figure-2",
     .header = "run,t,x1,x2,lambda,constraint,inner,outer",
     .rows = {{"x1", X, 0, {1.83e-8, 1.83e-10}, false},
              {"x2", X, 1, {2.52e-8, 2.52e-10}, false},
              {"lambda of the step, at its end", END, 0, {4.8e-4, 4.9e-5}, false},
              {"lambda of the step, at its midpoint", MID, 0, {1.7e-4, 1.7e-5}, false},
              {"lambda consistent with x", GRID, 0, {NAN, NAN}, false},
              {"|x1 + t x2 + g3|", KEPT, 0, {1.9e-13, 6.3e-15}, true}}},
    {.problem = L13_TRACK,
     .to = 1,
     .size = 1,
     .settings = {{1e-3, 1e-10, 1e-9, 0}, {1e-4, 1e-10, 1e-9, 0}},
     .count = 2,
     .text = {.name = "Figure 3",
              .title = "example 3, the track in the weak form: largest errors up to t = 1",
              .setting = "eps1 = 1e-10, eps2 = 1e-9",
              .label = "",
              .quantities = 2,
              .quantity = {"h = 1e-3", "h = 1e-4"},
              .reason =
                  "The paper: u1, u2 in the order of h^2, which they are, and |I1|, |I2| "
                  "\"almost zero\", which they are not: only the weak form is enforced. By an "
                  "identity of the step, I1 is -(h^2/4) |v|^2 = -h^2 t^2, depending on |v|. I2 "
                  "with the multiplier of the step is 4 h t; with the one consistent with x it is "
                  "|v|^2 I1. A mechanical problem in the GGL form satisfies "
                  "both.",
              .claims = claims_3,
              .why = "the step leaves I1 = -h^2 t^2, I2 = 4 h t"},
     .file = "figure-3",
     .header = "run,t,u1,du1,u2,du2,lambda,weak,I1,I2,inner,outer",
     .rows = {{"u1", X, 0, {4.84e-7, 4.84e-9}, false},
              {"u1'", X, 1, {1.41e-7, 1.41e-9}, false},
              {"u2", X, 2, {2.15e-7, 2.15e-9}, false},
              {"u2'", X, 3, {5.07e-7, 5.07e-9}, false},
              {"lambda of the step, at its end", END, 0, {4.0e-3, 4e-4}, false},
              {"lambda of the step, at its midpoint", MID, 0, {2.2e-6, 2.2e-8}, false},
              {"lambda consistent with x", GRID, 0, {NAN, NAN}, false},
              {"weak form x1 x2 + x3 x4", KEPT, 0, {1e-12, 1e-15}, true},
              {"I1 = x1^2 + x3^2 - 1", KEPT, 1, {1.0e-6, 1.0e-8}, false},
              {"I2 = lambda + x2^2 + x4^2", KEPT, 2, {4.0e-3, 4.0e-4}, false},
              {"I2, lambda consistent with x", KEPT, 3, {NAN, NAN}, false}}},
    {.problem = L13_PENDULUM,
     .to = 10,
     .size = 1,
     .settings = {{1e-3, 1e-12, 1e-12, 0}},
     .count = 1,
     .text = {.name = "Figure 4",
              .title = "example 4, the pendulum: largest errors up to t = 10",
              .setting = "h = 1e-3, eps1 = eps2 = 1e-12",
              .label = "",
              .quantities = 1,
              .quantity = {"h = 1e-3"},
              .reason = "The paper: |I1| and |I2| \"almost zero\", both exponents unreadable. "
                        "lambda2 has the size of the error of the step.",
              .claims = claims_4},
     .file = "figure-4",
     .header = "run,t,x1,x2,x3,x4,lambda1,lambda2,I1,I2,inner,outer",
     .rows = {{"x1", X, 0, {8.7e-7}, false},
              {"x2", X, 1, {6.1e-7}, false},
              {"x3", X, 2, {1.1e-6}, false},
              {"x4", X, 3, {1.2e-6}, false},
              {"lambda1 of the step, at its end", END, 0, {1.3e-3}, false},
              {"lambda1 of the step, at its midpoint", MID, 0, {2.0e-6}, false},
              {"lambda1 consistent with x", GRID, 0, {NAN}, false},
              {"lambda2 of the step", END, 1, {2.2e-7}, false},
              {"I1 = x1^2 + x2^2 - 1", KEPT, 0, {1.8e-15}, true},
              {"I2 = x1 x3 + x2 x4", KEPT, 1, {1.0e-15}, true}}},
    {.problem = L13_ODE,
     .to = 1,
     .size = 1,
     .settings = {{1e-3, 1e-12, 1e-12, 0}, {1e-4, 1e-12, 1e-12, 0}},
     .count = 2,
     .text = {.name = "Equation (45)",
              .title = "example 3 as an ordinary differential equation: largest errors",
              .setting = "up to t = 1, inner iteration alone, eps1 = 1e-12",
              .label = "",
              .quantities = 2,
              .quantity = {"h = 1e-3", "h = 1e-4"},
              .reason = "\"There exists no general numerical integrator which can automatically "
                        "satisfy (48)\": I1 also decreases with h^2, but the track is not a "
                        "constraint. I2 is zero by (46), which computes lambda from it.",
              .claims = claims_45},
     .file = "equation-45",
     .header = "run,t,u1,du1,u2,du2,weak,I1,inner,outer",
     .rows = {{"u1", X, 0, {NAN, NAN}, false},
              {"u1'", X, 1, {NAN, NAN}, false},
              {"u2", X, 2, {NAN, NAN}, false},
              {"u2'", X, 3, {NAN, NAN}, false},
              {"weak form x1 x2 + x3 x4", KEPT, 0, {NAN, NAN}, false},
              {"I1 = x1^2 + x3^2 - 1", KEPT, 1, {NAN, NAN}, false}}},
};
#define FIGURES ((int)(sizeof figures / sizeof *figures))

typedef struct outcome {
  meter meter[2];
  char trouble[256];
} outcome;

static bool run_figure(rep_report *report, const figure *f, outcome *o)
{
  const rep_figure drawn = {
      .title = f->text.name, .x = "t", .log = {"consistency", "constraint", "weak", "I1", "I2"}};
  rep_file *file = rep_file_open(report, f->file, f->header, &drawn);
  bool good = true;
  o->trouble[0] = '\0';
  for (int k = 0; k < f->count && good; k++) {
    const setting *s = &f->settings[k];
    l13_case run = {f->problem, NULL, f->to, l13_nested(s->h, f->size, s->eps1, s->eps2)};
    run.options.kappa = s->kappa;
    char trouble[256];
    o->meter[k] = (meter){.solution = l13_begin(f->problem),
                          .figure = file,
                          .curve = f->text.quantity[k],
                          .every = lround(f->to / s->h) / 1000,
                          .inner_least = LONG_MAX,
                          .least = LONG_MAX};
    good = l13_case_run(report, &run, measure, &o->meter[k], NULL, trouble);
    if (trouble[0])
      snprintf(o->trouble, sizeof o->trouble, "%.255s", trouble);
  }
  rep_file_close(file);
  return good;
}

static rep_value value_of(const row *r, double ours, double reference)
{
  if (isnan(reference))
    return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
  if (r->limit)
    return (rep_value){NAN, ours, reference, REP_AT_MOST, 1};
  return (rep_value){NAN, ours, reference, REP_NEAR, 0.2};
}

static void show_figure(rep_report *report, const figure *f, const outcome *o)
{
  rep_table_begin(report, &f->text);
  for (const row *r = f->rows; r->label; r++) {
    rep_value values[2];
    for (int k = 0; k < f->count; k++)
      values[k] = value_of(r, o->meter[k].worst[r->kind][r->i], r->reference[k]);
    rep_table_row(report, r->label, values, o->trouble[0] ? o->trouble : NULL);
  }
  rep_table_end(report);
}

/* ---- iterations ---- */

/* columns: mean of sweeps per pass, smallest and largest number per step; smallest and largest
 * number of outer iterations */
#define COUNTS 5

typedef struct count_row {
  const char *label, *item, *reading;
  int figure, setting;
  double paper[COUNTS];
  double pass, least, most; /* references: sweeps per pass, range of outer iterations */
} count_row;

#define NOT_SAID                                                                                   \
  {                                                                                                \
    NAN, NAN, NAN, NAN, NAN                                                                        \
  }

static const count_row counts[] = {
    {"1, 1e-8", NULL, NULL, 0, 0, NOT_SAID, 3, 1, 2},
    {"1, 1e-12", NULL, NULL, 0, 1, NOT_SAID, 4, 1, 3},
    {"2, h 1e-3", "Figure 2(c)", "h = 1e-3", 1, 0, {NAN, 3, 6, 2, 3}, 3, 2, 3},
    {"2, h 1e-4", "Figure 2(c)", "h = 1e-4", 1, 1, {NAN, 3, 6, 2, 3}, 2, 2, 3},
    {"3, h 1e-3", "Figure 3(c)", "h = 1e-3", 2, 0, {NAN, 3, 3, 2, 2}, 3, 2, 3},
    {"3, h 1e-4", "Figure 3(c)", "h = 1e-4", 2, 1, {NAN, 3, 3, 2, 2}, 2, 2, 2},
    {"4, h 1e-3", "Figure 4(c)", "h = 1e-3", 3, 0, {NAN, 3, 3, 2, 2}, 4, 3, 5},
};

static const rep_table counts_text = {
    .name = "Iterations",
    .title = "figures 2(c), 3(c), 4(c)",
    .setting = "inner: sweeps for x, mean per pass, smallest and largest number per step; outer: "
               "corrections of y per step, smallest and largest number",
    .label = "example",
    .quantities = COUNTS,
    .quantity = {"inner a pass", "least", "most", "outer least", "most"},
    .reason =
        "The paper does not say whether its inner counts are those of a pass or of a step, "
        "and its h is unreadable for examples 2 to 4. References of passes and of the largest "
        "outer numbers are the upper ends of the reference's ranges. daedal takes one more "
        "sweep after the last correction, so that x is consistent with y.",
    .missing = "step size, unreadable; whether inner counts are of a pass or of a step",
};

static void show_count(rep_report *report, const count_row *r, const outcome *o)
{
  const meter *m = &o->meter[r->setting];
  const double *paper = r->paper;
  rep_value values[COUNTS] = {
      {paper[0], round(100 * (double)m->inner / (double)m->passes) / 100, r->pass, REP_AT_MOST, 0},
      {paper[1], (double)m->inner_least, NAN, REP_SHOWN, 0},
      {paper[2], (double)m->inner_most, NAN, REP_SHOWN, 0},
      {paper[3], (double)m->least, r->least, REP_NEAR, 0},
      {paper[4], (double)m->most, r->most, REP_AT_MOST, 0},
  };
  rep_table_add(report, &(rep_row){.label = r->label,
                                   .values = values,
                                   .item = r->item,
                                   .reading = r->reading,
                                   .trouble = o->trouble[0] ? o->trouble : NULL});
}

static void show_counts(rep_report *report, const outcome *outcomes)
{
  rep_table_begin(report, &counts_text);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
    show_count(report, &counts[i], &outcomes[counts[i].figure]);
  rep_table_end(report);
}

void l13_figures(rep_report *report)
{
  outcome outcomes[FIGURES];
  for (int i = 0; i < FIGURES; i++) {
    if (!run_figure(report, &figures[i], &outcomes[i]))
      return;
    show_figure(report, &figures[i], &outcomes[i]);
  }
  show_counts(report, outcomes);
}
