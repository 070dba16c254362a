/* Energy over long times with fixed steps: bounded oscillation for a symplectic method, decay for
 * a dissipative one. The figure shows the range of the change per interval of time, since single
 * values at large intervals would show a spurious beat. */
#include "j09.h"

#include <math.h>

#define QUICK 2000 /* largest number of steps of a quick run */
#define PIECES 500 /* number of intervals of a curve in the figure */

typedef struct energy_row {
  j09_case run;
  double first, last; /* references: largest |change| in the first and the last tenth */
  double slope;       /* reference of the slope, NaN: none */
} energy_row;

/* rows of Gauss; the figure shows the first DRAWN ones */
static const energy_row gauss[] = {
    {{J09_SPRING_PENDULUM, J09_GAUSS, 1, 0.1, 1000000}, 3.018e-3, 3.018e-3, NAN},
    {{J09_SPRING_PENDULUM, J09_GAUSS, 2, 0.1, 1000000}, 2.549e-6, 2.549e-6, NAN},
    {{J09_SPRING_PENDULUM, J09_GAUSS, 3, 0.1, 1000000}, 3.551e-9, 3.547e-9, NAN},
    {{J09_SPRING_PENDULUM, J09_GAUSS, 4, 0.1, 1000000}, 2.37e-12, 3.27e-12, NAN},
    {{J09_SPRING_PENDULUM, J09_GAUSS, 2, 0.2, 100000}, 4.29e-5, 4.29e-5, NAN},
    {{J09_SPRING_PENDULUM, J09_GAUSS, 2, 0.05, 100000}, 1.57e-7, 1.57e-7, NAN},
};
#define DRAWN 4

static const energy_row nonholonomic[] = {
    {{J09_NHPARTICLE, J09_GAUSS, 1, 0.1, 20000}, 1.850e-4, 1.850e-4, NAN},
    {{J09_NHPARTICLE, J09_GAUSS, 2, 0.1, 20000}, 1.175e-7, 1.175e-7, NAN},
    {{J09_MIXED, J09_GAUSS, 2, 0.05, 10000}, 9.269e-8, 9.269e-8, NAN},
    {{J09_KNIFE, J09_GAUSS, 2, 0.1, 10000}, 1.568e-6, 1.568e-6, NAN},
};

static const energy_row radau[] = {
    {{J09_SPRING_PENDULUM, J09_RADAU, 1, 0.1, 100000}, 1.165, 1.165, NAN},
    {{J09_SPRING_PENDULUM, J09_RADAU, 2, 0.1, 100000}, 0.108, 0.778, 7.7e-5},
    {{J09_SPRING_PENDULUM, J09_RADAU, 3, 0.1, 100000}, 6.8e-5, 6.8e-4, 6.8e-8},
    {{J09_NHPARTICLE, J09_RADAU, 2, 0.1, 20000}, 4.589e-3, 4.433e-2, 2.2e-5},
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define ROWS (COUNT(gauss) + COUNT(nonholonomic) + COUNT(radau))

/* ---- one run ---- */

typedef struct meter {
  rep_file *figure; /* file of the figure, NULL: none */
  const char *curve;
  long steps, done;
  double start, half;           /* initial energy; half of the time */
  double first, last;           /* largest |change| in the first and the last tenth */
  double moment, weight, slope; /* sums of the linear fit */
  double lowest, highest;       /* range of the change since the last record of the figure */
  double g, gdot, k;            /* largest residuals, NaN: no such constraint */
} meter;

static double larger(double a, double b)
{
  b = fabs(b);
  return isnan(a) || b > a ? b : a;
}

static void draw(meter *m, double t)
{
  long before = (m->done - 1) * PIECES / m->steps, now = m->done * PIECES / m->steps;
  if (!m->figure || now == before)
    return;
  rep_file_text(m->figure, m->curve);
  rep_file_number(m->figure, t);
  rep_file_number(m->figure, m->lowest);
  rep_file_number(m->figure, m->highest);
  rep_file_record(m->figure);
  m->lowest = INFINITY;
  m->highest = -INFINITY;
}

static void measure(void *user, const j09_point *at)
{
  meter *m = user;
  if (m->done == 0)
    m->start = at->energy;
  double change = at->energy - m->start, t = at->t - m->half;
  if (m->done <= m->steps / 10)
    m->first = fmax(m->first, fabs(change));
  if (m->done >= m->steps - m->steps / 10)
    m->last = fmax(m->last, fabs(change));
  m->moment += t * change; /* linear fit over evenly spaced times, with t from their middle */
  m->weight += t * t;
  m->lowest = fmin(m->lowest, change);
  m->highest = fmax(m->highest, change);
  m->g = larger(m->g, at->g);
  m->gdot = larger(m->gdot, at->gdot);
  m->k = larger(m->k, at->k);
  if (m->done > 0)
    draw(m, at->t);
  m->done++;
}

/* ---- texts of the tables ---- */

typedef enum slope_check {
  OSCILLATES, /* energy change below a limit; not checked in quick runs */
  FALLS       /* energy change near the reference; not checked in quick runs */
} slope_check;

typedef struct group {
  const energy_row *rows;
  int count;
  slope_check slope;
  double quick_bound; /* relative bound of the changes in quick runs; 1 % in full runs */
  rep_table text;
  const char *quick_setting, *quick_reason;
} group;

#define QUANTITIES .quantities = 3, .quantity = {"first", "last", "|slope|"}

static const group groups[] = {
    {
        .rows = gauss,
        .count = COUNT(gauss),
        .slope = OSCILLATES,
        .quick_bound = 0.01,
        .text = {.name = "Energy, Gauss",
                 .title = "spring pendulum, N steps of size h",
                 .setting = "largest |change| in the first and the last tenth of the steps; "
                            "|slope|: of the line fitted to all changes, per unit of time",
                 .label = "s h          N",
                 QUANTITIES,
                 .reason = "There is no drift: bounds are 1 %, and with four stages, at round-off "
                           "level, twice the reference. A line fitted to an oscillation has a "
                           "slope that decreases with the square of the time T. The limit is "
                           "1e-13 (1e5/T)^2."},
        .quick_setting = "quick: 2000 steps, beside the references of the full runs",
        .quick_reason = "Bounds are those of the full runs. Slopes are not checked: that of a line "
                        "fitted to an oscillation decreases with the square of the time.",
    },
    {
        .rows = nonholonomic,
        .count = COUNT(nonholonomic),
        .slope = OSCILLATES,
        .quick_bound = 0.1,
        .text = {.name = "Energy, Gauss, nonholonomic",
                 .title = "the same for constraints on velocities",
                 .setting = "nhparticle: 20000 steps of 0.1; mixed: 10000 of 0.05; knife: 10000 of "
                            "0.1",
                 .label = "           s",
                 QUANTITIES,
                 .reason = "As above."},
        .quick_setting = "quick: 2000 steps of 0.1, mixed: of 0.05",
        .quick_reason = "Bounds are 10 %: the oscillation of nhparticle has several periods, and "
                        "some of its peaks are later.",
    },
    {
        .rows = radau,
        .count = COUNT(radau),
        .slope = FALLS,
        .text = {.name = "Energy, Radau",
                 .title = "the same for the dissipative method",
                 .setting = "spring_pendulum: 100000 steps of 0.1; nhparticle: 20000 of 0.1",
                 .label = "                s",
                 QUANTITIES,
                 .reason =
                     "The method is suited only to damped motion: with one stage the pendulum "
                     "is at rest within the first tenth. Bounds are 1 %."},
        .quick_setting = "quick: 2000 steps of 0.1",
        .quick_reason = "There are no references for shortened runs.",
    },
};

static const rep_claim constraint_claims[] = {
    {.text = "g = 0 at the end of a step",
     .rows = "*pendulum*",
     .quantity = "|g|",
     .relation = REP_IS_LESS,
     .factor = 1e-13},
    {.text = "g_t + g_y v = 0 at the end of a step",
     .rows = "*pendulum*",
     .quantity = "|gdot|",
     .relation = REP_IS_LESS,
     .factor = 1e-13},
    {.text = "k = 0 at the end of a step",
     .rows = "*nhparticle*",
     .quantity = "|k|",
     .relation = REP_IS_LESS,
     .factor = 1e-13},
    {0},
};

static const rep_table constraint_text = {
    .name = "Constraints",
    .title = "largest residuals after the steps of these runs",
    .setting = "without projection: the steps themselves satisfy the constraints",
    .label = "                   h",
    .quantities = 3,
    .quantity = {"|g|", "|gdot|", "|k|"},
    .item = "Section 2, constraints at t1",
    .claims = constraint_claims,
};

/* ---- tables ---- */

typedef struct outcome {
  const energy_row *row;
  j09_case run; /* case as run */
  meter meter;
  char trouble[256];
} outcome;

static rep_value change_value(const group *of, const outcome *o, bool quick, double ours,
                              double reference)
{
  double bound = quick ? of->quick_bound : 0.01;
  if (!(bound > 0))
    return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
  if (o->run.stages == 4)
    return (rep_value){NAN, ours, reference, REP_AT_MOST, 1};
  return (rep_value){NAN, ours, reference, REP_NEAR, bound};
}

static rep_value slope_value(const group *of, const outcome *o, bool quick)
{
  double ours = fabs(o->meter.slope), T = o->run.step * (double)o->run.steps;
  if (quick || (of->slope == FALLS && isnan(o->row->slope)))
    return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
  if (of->slope == FALLS)
    return (rep_value){NAN, ours, o->row->slope, REP_NEAR, 0.01};
  return (rep_value){NAN, ours, 1e-13 * pow(1e5 / T, 2), REP_BELOW, 0};
}

/* label, aligned with the headline */
static void label_of(const group *of, const j09_case *run, char *text, size_t size)
{
  if (of->rows == gauss)
    snprintf(text, size, "%d %-4g %7ld", run->stages, run->step, run->steps);
  else
    snprintf(text, size, "%-*s %d", of->rows == radau ? 15 : 10, j09_name(run->problem),
             run->stages);
}

static void show_row(rep_report *report, const group *of, const outcome *o)
{
  char label[48];
  bool quick = rep_quick(report);
  rep_value values[] = {change_value(of, o, quick, o->meter.first, o->row->first),
                        change_value(of, o, quick, o->meter.last, o->row->last),
                        slope_value(of, o, quick)};
  label_of(of, &o->run, label, sizeof label);
  rep_table_row(report, label, values, o->trouble[0] ? o->trouble : NULL);
}

static rep_value residual_value(double ours)
{
  if (isnan(ours))
    return (rep_value){NAN, NAN, NAN, REP_SHOWN, 0};
  return (rep_value){NAN, ours, 1e-13, REP_BELOW, 0};
}

static void show_constraints(rep_report *report, const outcome *outcomes, int count)
{
  rep_table_begin(report, &constraint_text);
  rep_quick(report); /* the runs may be shortened */
  for (int i = 0; i < count; i++) {
    const j09_case *run = &outcomes[i].run;
    const meter *m = &outcomes[i].meter;
    char label[48];
    rep_value values[] = {residual_value(m->g), residual_value(m->gdot), residual_value(m->k)};
    snprintf(label, sizeof label, "%c%d %-15s %g", run->method == J09_RADAU ? 'R' : 'G',
             run->stages, j09_name(run->problem), run->step);
    rep_table_row(report, label, values, outcomes[i].trouble[0] ? outcomes[i].trouble : NULL);
  }
  rep_table_end(report);
}

/* ---- all runs ---- */

static bool run_row(rep_report *report, const energy_row *row, rep_file *figure, outcome *o)
{
  static const char *const curves[] = {"", "s = 1", "s = 2", "s = 3", "s = 4"};
  o->row = row;
  o->run = row->run;
  if (rep_quick(report) && o->run.steps > QUICK)
    o->run.steps = QUICK;
  o->meter = (meter){.figure = figure,
                     .curve = curves[row->run.stages],
                     .steps = o->run.steps,
                     .half = o->run.step * (double)o->run.steps / 2,
                     .lowest = INFINITY,
                     .highest = -INFINITY,
                     .g = NAN,
                     .gdot = NAN,
                     .k = NAN};
  bool good = j09_case_run(report, &o->run, measure, &o->meter, o->trouble);
  o->meter.slope = o->meter.moment / o->meter.weight;
  return good;
}

/* Number of computed rows. */
static int show_group(rep_report *report, const group *of, rep_file *figure, outcome *outcomes)
{
  rep_table table = of->text;
  int i = 0;
  if (rep_quick(report)) {
    table.setting = of->quick_setting;
    table.reason = of->quick_reason;
  }
  rep_table_begin(report, &table);
  for (; i < of->count; i++) {
    bool drawn = of->rows == gauss && i < DRAWN;
    if (!run_row(report, &of->rows[i], drawn ? figure : NULL, &outcomes[i]))
      break;
    show_row(report, of, &outcomes[i]);
  }
  rep_table_end(report);
  return i;
}

void j09_energies(rep_report *report)
{
  outcome outcomes[ROWS];
  int count = 0;
  static const rep_figure drawn = {.title = "Energy of long runs", .x = "t"};
  rep_file *figure = rep_file_open(report, "figure-energy", "method,t,lowest,highest", &drawn);
  for (int i = 0; i < COUNT(groups) && rep_good(report); i++)
    count += show_group(report, &groups[i], figure, outcomes + count);
  rep_file_close(figure);
  if (rep_good(report))
    show_constraints(report, outcomes, count);
}
