/* Orders of SPARK methods: errors at the end of runs with N steps, and log2 of their ratio for N/2
 * and N. Multipliers are those of the derived equations at the final state, not the internal ones
 * of a step, whose order is s. Tables for positions and velocities, and for multipliers, share the
 * runs. */
#include "j09.h"

#include <math.h>

enum { Y, Z, LAMBDA, PSI, KINDS };

typedef struct order_row {
  j09_problem problem;
  int stages, steps;
  int order;
  double error[KINDS]; /* references, NaN: no such multiplier */
} order_row;

/* method and observed orders of a row, for tables of several methods or without asymptotic order */
typedef struct observation {
  j09_method method;
  double order[KINDS]; /* orders of the reference */
} observation;

static const order_row gauss[] = {
    {J09_PENDULUM, 1, 160, 2, {6.64e-05, 8.26e-05, 1.54e-04, NAN}},
    {J09_PENDULUM, 2, 80, 4, {6.18e-09, 8.43e-09, 4.37e-09, NAN}},
    {J09_PENDULUM, 3, 40, 6, {1.06e-11, 1.38e-11, 1.52e-11, NAN}},
    {J09_PENDULUM, 4, 16, 8, {1.29e-12, 1.73e-12, 1.28e-12, NAN}},
    {J09_SAND, 1, 160, 2, {5.77e-05, 2.94e-04, 1.19e-03, NAN}},
    {J09_SAND, 2, 80, 4, {2.01e-08, 6.90e-08, 1.56e-07, NAN}},
    {J09_SAND, 3, 40, 6, {3.92e-11, 1.27e-10, 2.46e-10, NAN}},
    {J09_SAND, 4, 16, 8, {5.16e-12, 1.60e-11, 2.66e-11, NAN}},
    {J09_RHEO_LENGTH, 1, 160, 2, {3.01e-05, 3.01e-05, 1.44e-15, NAN}},
    {J09_RHEO_LENGTH, 2, 80, 4, {7.49e-10, 7.49e-10, 2.22e-16, NAN}},
    {J09_RHEO_LENGTH, 3, 40, 6, {4.00e-13, 4.00e-13, 2.11e-15, NAN}},
    {J09_RHEO_LENGTH, 4, 8, 8, {5.55e-12, 5.55e-12, 3.33e-16, NAN}},
    {J09_KNIFE, 1, 160, 2, {2.81e-05, 1.50e-05, NAN, 2.27e-05}},
    {J09_KNIFE, 2, 80, 4, {1.56e-09, 1.40e-09, NAN, 2.13e-09}},
    {J09_KNIFE, 3, 40, 6, {2.45e-11, 1.32e-12, NAN, 2.00e-12}},
    {J09_KNIFE, 4, 16, 8, {2.83e-12, 6.84e-14, NAN, 1.04e-13}},
    {J09_SLEIGH, 1, 160, 2, {1.55e-06, 3.53e-06, NAN, 1.18e-06}},
    {J09_SLEIGH, 2, 80, 4, {3.05e-10, 7.13e-11, NAN, 5.44e-11}},
    {J09_SLEIGH, 3, 40, 6, {5.19e-13, 1.42e-13, NAN, 3.89e-14}},
    {J09_SLEIGH, 4, 8, 8, {4.68e-12, 1.48e-12, NAN, 3.50e-13}},
    {J09_MIXED, 1, 160, 2, {2.64e-05, 1.49e-05, 3.67e-06, 2.26e-05}},
    {J09_MIXED, 2, 80, 4, {1.38e-09, 1.57e-09, 3.87e-10, 2.38e-09}},
    {J09_MIXED, 3, 40, 6, {2.73e-11, 5.49e-12, 5.50e-13, 3.39e-12}},
    {J09_MIXED, 4, 16, 8, {4.90e-12, 1.09e-12, 6.10e-14, 3.76e-13}},
    {J09_CURV_LAG, 1, 160, 2, {5.82e-05, 1.15e-04, 1.54e-04, NAN}},
    {J09_CURV_LAG, 2, 80, 4, {4.22e-09, 6.48e-09, 5.23e-09, NAN}},
    {J09_CURV_LAG, 3, 40, 6, {6.76e-12, 1.04e-11, 6.21e-12, NAN}},
    {J09_CURV_LAG, 4, 16, 8, {3.56e-13, 8.60e-13, 3.91e-12, NAN}},
    {J09_CURV_HAM, 1, 160, 2, {5.82e-05, 6.83e-05, 1.54e-04, NAN}},
    {J09_CURV_HAM, 2, 80, 4, {4.22e-09, 3.91e-09, 5.23e-09, NAN}},
    {J09_CURV_HAM, 3, 40, 6, {6.76e-12, 6.86e-12, 6.21e-12, NAN}},
    {J09_CURV_HAM, 4, 16, 8, {3.56e-13, 1.54e-12, 3.91e-12, NAN}},
};

static const order_row radau[] = {
    {J09_PENDULUM, 1, 160, 1, {8.61e-03, 1.20e-02, 1.86e-03, NAN}},
    {J09_PENDULUM, 2, 80, 4, {6.18e-09, 8.43e-09, 4.37e-09, NAN}},
    {J09_PENDULUM, 3, 40, 6, {1.06e-11, 1.39e-11, 1.52e-11, NAN}},
    {J09_KNIFE, 1, 160, 1, {1.53e-02, 1.97e-02, NAN, 2.99e-02}},
    {J09_KNIFE, 2, 80, 3, {2.22e-06, 1.56e-06, NAN, 2.37e-06}},
    {J09_KNIFE, 3, 40, 5, {3.45e-09, 1.10e-09, NAN, 1.67e-09}},
    {J09_MIXED, 1, 160, 1, {1.19e-02, 1.97e-02, 4.70e-03, 2.99e-02}},
    {J09_MIXED, 2, 80, 3, {2.33e-06, 1.90e-06, 4.67e-07, 2.88e-06}},
    {J09_MIXED, 3, 40, 5, {4.19e-09, 2.26e-09, 5.55e-10, 3.43e-09}},
};

static const order_row lobatto[] = {
    {J09_PENDULUM, 2, 40, 2, {1.06e-03, 1.32e-03, 2.46e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {7.26e-04, 1.20e-04, NAN, 1.82e-04}},
    {J09_MIXED, 2, 40, 2, {6.81e-04, 1.84e-04, 2.94e-05, 1.82e-04}},
    {J09_PENDULUM, 3, 20, 4, {1.58e-06, 2.16e-06, 1.11e-06, NAN}},
    {J09_KNIFE, 3, 20, 4, {2.45e-06, 1.35e-07, NAN, 2.05e-07}},
    {J09_MIXED, 3, 20, 4, {2.04e-06, 3.94e-07, 3.31e-08, 2.04e-07}},
    {J09_PENDULUM, 2, 40, 2, {1.06e-03, 1.32e-03, 2.46e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {2.28e-03, 1.55e-04, NAN, 2.35e-04}},
    {J09_MIXED, 2, 40, 2, {1.90e-03, 3.79e-04, 3.76e-05, 2.32e-04}},
    {J09_PENDULUM, 3, 20, 4, {1.58e-06, 2.16e-06, 1.11e-06, NAN}},
    {J09_KNIFE, 3, 20, 4, {7.78e-06, 5.40e-07, NAN, 8.20e-07}},
    {J09_MIXED, 3, 20, 4, {6.12e-06, 1.22e-06, 1.19e-07, 7.32e-07}},
    {J09_PENDULUM, 2, 40, 2, {1.06e-03, 1.32e-03, 2.46e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {2.43e-03, 3.24e-04, NAN, 4.91e-04}},
    {J09_MIXED, 2, 40, 2, {2.02e-03, 4.80e-04, 8.02e-05, 4.94e-04}},
    {J09_PENDULUM, 3, 20, 4, {1.58e-06, 2.16e-06, 1.11e-06, NAN}},
    {J09_KNIFE, 3, 20, 4, {7.70e-06, 5.40e-07, NAN, 8.20e-07}},
    {J09_MIXED, 3, 20, 4, {6.13e-06, 1.27e-06, 1.46e-07, 9.02e-07}},
    {J09_PENDULUM, 2, 40, 2, {1.06e-03, 1.32e-03, 2.46e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {2.35e-03, 2.39e-04, NAN, 3.63e-04}},
    {J09_MIXED, 2, 40, 2, {1.96e-03, 4.30e-04, 5.89e-05, 3.63e-04}},
    {J09_PENDULUM, 3, 20, 4, {1.58e-06, 2.16e-06, 1.11e-06, NAN}},
    {J09_KNIFE, 3, 20, 4, {7.73e-06, 5.37e-07, NAN, 8.15e-07}},
    {J09_MIXED, 3, 20, 4, {6.12e-06, 1.24e-06, 1.32e-07, 8.13e-07}},
    {J09_PENDULUM, 2, 40, 2, {2.11e-03, 2.64e-03, 4.91e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {2.28e-03, 1.55e-04, NAN, 2.35e-04}},
    {J09_MIXED, 2, 40, 2, {1.63e-03, 3.32e-04, 3.49e-05, 2.15e-04}},
    {J09_PENDULUM, 3, 32, 4, {4.61e-07, 6.13e-07, 5.26e-07, NAN}},
    {J09_KNIFE, 3, 32, 4, {1.18e-06, 8.23e-08, NAN, 1.25e-07}},
    {J09_MIXED, 3, 32, 4, {8.67e-07, 1.78e-07, 1.95e-08, 1.21e-07}},
    {J09_PENDULUM, 2, 40, 2, {2.11e-03, 2.64e-03, 4.91e-03, NAN}},
    {J09_KNIFE, 2, 40, 2, {2.35e-03, 2.39e-04, NAN, 3.63e-04}},
    {J09_MIXED, 2, 40, 2, {1.70e-03, 3.89e-04, 5.92e-05, 3.65e-04}},
    {J09_PENDULUM, 3, 32, 4, {4.61e-07, 6.13e-07, 5.26e-07, NAN}},
    {J09_KNIFE, 3, 32, 4, {1.18e-06, 8.22e-08, NAN, 1.25e-07}},
    {J09_MIXED, 3, 32, 4, {8.70e-07, 1.83e-07, 2.20e-08, 1.36e-07}},
};

static const observation lobatto_observed[] = {
    {J09_AB_B, {2.01, 2.00, 2.00, NAN}},       {J09_AB_B, {2.00, 2.00, NAN, 2.00}},
    {J09_AB_B, {2.01, 2.00, 2.00, 2.00}},      {J09_AB_B, {4.00, 4.00, 3.98, NAN}},
    {J09_AB_B, {4.00, 4.00, NAN, 4.00}},       {J09_AB_B, {3.99, 4.00, 4.00, 4.00}},
    {J09_AB_C, {2.01, 2.00, 2.00, NAN}},       {J09_AB_C, {1.95, 0.86, NAN, 0.86}},
    {J09_AB_C, {1.96, 1.90, 0.78, 0.78}},      {J09_AB_C, {4.00, 4.00, 3.98, NAN}},
    {J09_AB_C, {4.01, 4.01, NAN, 4.01}},       {J09_AB_C, {4.00, 3.97, 3.84, 3.84}},
    {J09_AB_C_STAR, {2.01, 2.00, 2.00, NAN}},  {J09_AB_C_STAR, {2.05, 2.34, NAN, 2.34}},
    {J09_AB_C_STAR, {2.05, 2.15, 2.35, 2.34}}, {J09_AB_C_STAR, {4.00, 4.00, 3.98, NAN}},
    {J09_AB_C_STAR, {3.99, 4.01, NAN, 4.01}},  {J09_AB_C_STAR, {4.00, 4.03, 4.13, 4.13}},
    {J09_AB_D, {2.01, 2.00, 2.00, NAN}},       {J09_AB_D, {2.00, 2.00, NAN, 2.00}},
    {J09_AB_D, {2.01, 2.00, 2.00, 2.00}},      {J09_AB_D, {4.00, 4.00, 3.98, NAN}},
    {J09_AB_D, {3.99, 3.99, NAN, 3.99}},       {J09_AB_D, {3.99, 3.99, 3.99, 3.99}},
    {J09_IIIC, {1.98, 1.99, 1.99, NAN}},       {J09_IIIC, {1.95, 0.86, NAN, 0.86}},
    {J09_IIIC, {1.94, 1.88, 0.24, 0.24}},      {J09_IIIC, {3.99, 3.99, 3.99, NAN}},
    {J09_IIIC, {4.01, 4.00, NAN, 4.00}},       {J09_IIIC, {3.99, 3.95, 3.80, 3.80}},
    {J09_IIID, {1.98, 1.99, 1.99, NAN}},       {J09_IIID, {2.00, 2.00, NAN, 2.00}},
    {J09_IIID, {2.00, 2.00, 2.00, 2.00}},      {J09_IIID, {3.99, 3.99, 3.99, NAN}},
    {J09_IIID, {4.00, 3.99, NAN, 3.99}},       {J09_IIID, {4.00, 3.99, 3.99, 3.99}},
};

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))
#define MOST COUNT(lobatto)

typedef struct family {
  j09_method method;
  const order_row *rows;
  const observation *observed; /* one per row, NULL: the method and its order */
  int count;
  int names; /* width of the names of the problems */
  rep_table states, multipliers;
} family;

static const family families[] = {
    {
        .rows = gauss,
        .count = COUNT(gauss),
        .names = 11,
        .states = {.name = "Orders, Gauss",
                   .title = "positions y and velocities z",
                   .setting = "largest error at the end, and its order between N/2 and N steps",
                   .label = "            s   N",
                   .quantities = 4,
                   .quantity = {"error y", "order y", "error z", "order z"},
                   .reason = "Errors may exceed the reference by 20 % and 1e-13. Orders must be "
                             "within 0.15 of 2s, with four stages within 0.3; for errors below "
                             "1e-12, which contain round-off, they are not checked."},
        .multipliers =
            {.name = "Orders, Gauss, multipliers",
             .title = "lambda (holonomic) and psi (nonholonomic)",
             .setting = "the same runs; multipliers consistent with the final state",
             .label = "            s   N",
             .quantities = 4,
             .quantity = {"error lam", "order lam", "error psi", "order psi"},
             .reason = "rheo_length: lambda = (|z|^2 - 1)/(1 + t^2) depends only on the angular "
                       "momentum, which the method conserves: the error is round-off, without an "
                       "order."},
    },
    {
        .method = J09_RADAU,
        .rows = radau,
        .count = COUNT(radau),
        .names = 8,
        .states = {.name = "Orders, Radau",
                   .title = "positions y and velocities z",
                   .setting = "as above; the order is 2s - 1",
                   .label = "         s   N",
                   .quantities = 4,
                   .quantity = {"error y", "order y", "error z", "order z"},
                   .reason = "The force on the pendulum is constant. With two stages and more the "
                             "results then are those of Gauss, of order 2s."},
        .multipliers = {.name = "Orders, Radau, multipliers",
                        .title = "lambda (holonomic) and psi (nonholonomic)",
                        .setting = "the same runs",
                        .label = "         s   N",
                        .quantities = 4,
                        .quantity = {"error lam", "order lam", "error psi", "order psi"}},
    },
    {
        .rows = lobatto,
        .observed = lobatto_observed,
        .count = COUNT(lobatto),
        .names = 8,
        .states = {.name = "Orders, Lobatto",
                   .title = "positions y and velocities z",
                   .setting = "as above; the order is 2s - 2; N = 40 for s = 2, 20 for s = 3, 32 "
                              "for s = 3 of IIIC and IIID",
                   .label = "                s",
                   .quantities = 4,
                   .quantity = {"error y", "order y", "error z", "order z"},
                   .reason = "A-x-B is Lobatto IIIA-x-IIIB, with g at its s nodes, RATTLE for "
                             "s = 2; IIIC and IIID have g at s + 1 Lobatto nodes. x are the "
                             "coefficients of the forces, without effect on forces that depend "
                             "only on positions, as of the pendulum. With two stages the error of "
                             "IIIC and of x = C, C* changes its sign with h, which hides its "
                             "order; orders must be within 0.02 of those of the reference."},
        .multipliers = {.name = "Orders, Lobatto, multipliers",
                        .title = "lambda (holonomic) and psi (nonholonomic)",
                        .setting = "the same runs",
                        .label = "                s",
                        .quantities = 4,
                        .quantity = {"error lam", "order lam", "error psi", "order psi"}},
    },
};

/* ---- errors of one run ---- */

typedef struct ending {
  const j09_exact *exact;
  double error[KINDS]; /* errors at the current state */
} ending;

static double distance(int n, const double *a, const double *b)
{
  double largest = n > 0 ? 0 : NAN;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

static void take_errors(void *user, const j09_point *at)
{
  ending *e = user;
  const double *exact = e->exact->values;
  e->error[Y] = distance(at->n, at->y, exact);
  e->error[Z] = distance(at->n, at->z, exact + at->n);
  e->error[LAMBDA] = distance(at->ng, at->lambda, exact + 2 * at->n);
  e->error[PSI] = distance(at->nk, at->psi, exact + 2 * at->n + at->ng);
}

/* ---- a row ---- */

typedef struct outcome {
  double error[KINDS], order[KINDS];
  char trouble[256];
} outcome;

static bool run_row(rep_report *report, const family *f, int i, outcome *o)
{
  const order_row *row = &f->rows[i];
  j09_method method = f->observed ? f->observed[i].method : f->method;
  const j09_exact exact = j09_solution(row->problem);
  ending coarse = {.exact = &exact}, fine = {.exact = &exact};
  j09_case run = {row->problem, method, row->stages, exact.t / row->steps, row->steps};
  if (!j09_case_run(report, &run, take_errors, &fine, o->trouble))
    return false;
  run.steps /= 2;
  run.step *= 2;
  if (!o->trouble[0] && !j09_case_run(report, &run, take_errors, &coarse, o->trouble))
    return false;
  for (int kind = 0; kind < KINDS; kind++) {
    o->error[kind] = fine.error[kind];
    o->order[kind] = log2(coarse.error[kind] / fine.error[kind]);
  }
  return true;
}

static rep_value error_value(double ours, double reference)
{
  if (isnan(reference))
    return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
  return (rep_value){NAN, ours, reference, REP_AT_MOST, 0.2 + 1e-13 / reference};
}

/* round-off dominates the order of small errors, and hides it for errors of its own size */
static rep_value order_value(double ours, const order_row *row, int kind)
{
  if (!(row->error[kind] >= 1e-12))
    return (rep_value){NAN, row->error[kind] >= 1e-14 ? ours : NAN, NAN, REP_SHOWN, 0};
  return (rep_value){NAN, ours, row->order, REP_NEAR, (row->stages < 4 ? 0.15 : 0.3) / row->order};
}

/* observed order, rounded as the reference */
static rep_value observed_value(double ours, double reference)
{
  if (isnan(reference))
    return (rep_value){NAN, NAN, NAN, REP_SHOWN, 0};
  return (rep_value){NAN, round(100 * ours) / 100, reference, REP_NEAR, 0.021 / reference};
}

/* label, aligned with the headline */
static void label_of(const family *f, int i, char *text, size_t size)
{
  const order_row *row = &f->rows[i];
  const char *name = j09_name(row->problem);
  if (f->observed) /* no room for N */
    snprintf(text, size, "%-6s %-*s %d", j09_method_name(f->observed[i].method), f->names, name,
             row->stages);
  else
    snprintf(text, size, "%-*s %d %3d", f->names, name, row->stages, row->steps);
}

/* table of the kinds first and first + 1 */
static void show_table(rep_report *report, const family *f, const rep_table *table, int first,
                       const outcome *outcomes, int count)
{
  rep_table_begin(report, table);
  for (int i = 0; i < count; i++) {
    const order_row *row = &f->rows[i];
    const outcome *o = &outcomes[i];
    char label[48];
    rep_value values[4];
    for (int k = 0; k < 2; k++) {
      int kind = first + k;
      values[2 * k] = error_value(o->error[kind], row->error[kind]);
      values[2 * k + 1] = f->observed ? observed_value(o->order[kind], f->observed[i].order[kind])
                                      : order_value(o->order[kind], row, kind);
    }
    label_of(f, i, label, sizeof label);
    rep_table_row(report, label, values, o->trouble[0] ? o->trouble : NULL);
  }
  rep_table_end(report);
}

static void show_family(rep_report *report, const family *f)
{
  outcome outcomes[MOST];
  int count = 0;
  while (count < f->count && run_row(report, f, count, &outcomes[count]))
    count++;
  show_table(report, f, &f->states, Y, outcomes, count);
  show_table(report, f, &f->multipliers, LAMBDA, outcomes, count);
}

void j09_orders(rep_report *report)
{
  for (int i = 0; i < COUNT(families) && rep_good(report); i++)
    show_family(report, &families[i]);
}
