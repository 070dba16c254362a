/* Theorems 4.1 and 4.2 of [YP96] measured: convergence rates of CS and CM over eps, h and delta. */
#include "yp96.h"
#include "yp96_theorems.h"

#include <daedal/model.h>
#include <daedal/problem.h>
#include <math.h>
#include <string.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

/* ---- Theorems 4.1 and 4.2 ---- */

/* Rates of simplified Newton's iteration on the slow motion of the bushing, for a start that is
 * delta away from the solution of the step. */
typedef struct rates {
  double cs, cs_bad, cm; /* rates of CS, of CS with x2 independent, of CM */
} rates;

static bool rates_split(rep_report *report, const dae_mechanical *p, double eps, double h,
                        double delta, bool bad, rates *out)
{
  yp96_step step;
  dae_error err;
  double past[YP96_Z], near[YP96_Z], solution[YP96_Z], start[YP96_Z], frozen[YP96_Z];
  yp96_set_place(YP96_CURVE_BUSHING, -9.81 * eps, 0, past); /* at rest with gravity, up to eps^2 */
  yp96_set_place(YP96_CURVE_BUSHING, -9.81 * eps + delta, 0, near);
  if (yp96_step_begin(p, 1 / h, past, near, bad ? YP96_X2 : -1, &step, &err) < 0) {
    rep_fail(report, &err);
    return false;
  }
  memcpy(solution, past, sizeof solution);
  yp96_step_solve(&step, solution, NULL);
  memcpy(start, solution, sizeof start);
  yp96_turn(YP96_X2, delta, start);
  memcpy(frozen, solution, sizeof frozen);
  yp96_step_solve(&step, frozen, start);
  double cs = yp96_step_rate(&step, start, NULL, solution, NULL);
  if (bad)
    out->cs_bad = cs;
  else
    out->cs = cs, out->cm = yp96_step_rate(&step, start, start, frozen, start);
  return true;
}

static bool rates_of(rep_report *report, double eps, double h, double delta, rates *out)
{
  char set[32];
  snprintf(set, sizeof set, "eps=%g", eps);
  dae_model *model = yp96_theorem_model(report, "bushing", set);
  bool good = model &&
              rates_split(report, yp96_theorem_problem(model), eps, h, delta, false, out) &&
              rates_split(report, yp96_theorem_problem(model), eps, h, delta, true, out);
  dae_model_free(model);
  return good;
}

static const rep_claim claims_4_1[] = {
    {.text = "CS converges for h^2 <= eps/10",
     .rows = "*, 0.1",
     .quantity = "CS",
     .relation = REP_IS_LESS,
     .factor = 1},
    {.text = "CS with x2 independent converges for h^2 <= eps/10",
     .rows = "*, 0.1",
     .quantity = "CS, x2 indep.",
     .relation = REP_IS_LESS,
     .factor = 1},
    {.text = "beyond, the step has to be reduced to converge",
     .item = "Theorem 4.1, converse",
     .reading = "y2 independent",
     .rows = "*, 100",
     .quantity = "CS",
     .relation = REP_IS_AT_LEAST,
     .factor = 1},
    {.text = "beyond, the step has to be reduced to converge",
     .item = "Theorem 4.1, converse",
     .reading = "x2 independent",
     .rows = "*, 100",
     .quantity = "CS, x2 indep.",
     .relation = REP_IS_AT_LEAST,
     .factor = 1},
    {0},
};

static const rep_table text_4_1 = {
    .name = "Theorem 4.1",
    .title = "rate of the iterations, start h^2 away from the solution",
    .setting = "bushing, one step h of order 1 on the slow motion; rate: spectral radius of "
               "1 - J(start)^-1 J(solution), below 1: convergence",
    .label = "eps, h^2/eps",
    .quantities = 4,
    .quantity = {"h", "CS", "CS, x2 indep.", "CM"},
    .reason = "The condition h^2 <= c eps is that of a bad split: with x2 independent the rate "
              "passes 1 near h^2 = 10 eps. With y2 independent, the choice of the pivots, it is "
              "h^2, and every step converges.",
    .item = "Theorem 4.1",
    .claims = claims_4_1,
    .why = "a well conditioned split converges for every h",
};

void yp96_rates_4_1(rep_report *report)
{
  static const double eps[] = {1e-4, 1e-6}, quotients[] = {0.1, 1, 10, 100};
  rep_table_begin(report, &text_4_1);
  for (int i = 0; i < COUNT(eps) * COUNT(quotients); i++) {
    double e = eps[i / COUNT(quotients)], quotient = quotients[i % COUNT(quotients)];
    double h = sqrt(quotient * e);
    char label[48];
    rates r;
    if (!rates_of(report, e, h, h * h, &r))
      break;
    rep_value values[] = {yp96_shown(h), yp96_near(r.cs, h * h, 0.05), yp96_shown(r.cs_bad),
                          yp96_shown(r.cm)};
    snprintf(label, sizeof label, "%g, %g", e, quotient);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
}

static const rep_table text_rates = {
    .name = "Theorem 4.2",
    .title = "rates over eps, h and delta, the distance of the start",
    .setting = "as in Theorem 4.1; paper: delta h/eps + h for CS, h for CM",
    .label = "eps, h, delta",
    .quantities = 4,
    .quantity = {"paper, CS", "CS", "CS, x2 indep.", "CM"},
    .reason = "CS with the pivoted split converges by delta, CM by delta^2/2, both independent of "
              "eps and h: J0^-1 is of the size eps in the stiff directions, which the proof "
              "leaves out. With x2 independent the rate grows with (delta/eps)^2.",
};

typedef struct point {
  double eps, h, delta;
} point;

/* a centre, and one parameter at a time smaller and larger */
static const point points[] = {
    {1e-5, 1e-3, 1e-2}, {1e-4, 1e-3, 1e-2}, {1e-6, 1e-3, 1e-2}, {1e-5, 1e-2, 1e-2},
    {1e-5, 1e-4, 1e-2}, {1e-5, 1e-3, 1e-1}, {1e-5, 1e-3, 1e-3},
};

static bool show_rates(rep_report *report, rates *all)
{
  bool good = true;
  rep_table_begin(report, &text_rates);
  for (int i = 0; i < COUNT(points) && good; i++) {
    const point *p = &points[i];
    char label[48];
    good = rates_of(report, p->eps, p->h, p->delta, &all[i]);
    if (!good)
      break;
    rep_value values[] = {yp96_shown(p->delta * p->h / p->eps + p->h),
                          yp96_near(all[i].cs, p->delta, 0.02), yp96_shown(all[i].cs_bad),
                          yp96_near(all[i].cm, p->delta * p->delta / 2, 0.05)};
    snprintf(label, sizeof label, "%g, %g, %g", p->eps, p->h, p->delta);
    rep_table_row(report, label, values, NULL);
  }
  rep_table_end(report);
  return good;
}

#define EXPONENT(text_, item_, reading_, row, what, value)                                         \
  {                                                                                                \
    .text = text_, .item = item_, .reading = reading_, .rows = row, .quantity = what,              \
    .relation = REP_IS_NEAR, .factor = value, .bound = 0.25                                        \
  }

static const rep_claim claims_4_2[] = {
    EXPONENT("the rate of CS grows with 1/eps", "Theorem 4.2, CS", "y2 independent", "CS", "eps",
             -1),
    EXPONENT("the rate of CS falls with h", "Theorem 4.2, CS", "y2 independent", "CS", "h", 1),
    EXPONENT("the rate of CS falls with delta", "Theorem 4.2, CS", "y2 independent", "CS", "delta",
             1),
    EXPONENT("the rate of CS grows with 1/eps", "Theorem 4.2, CS", "x2 independent", "CS, x2*",
             "eps", -1),
    EXPONENT("the rate of CS falls with h", "Theorem 4.2, CS", "x2 independent", "CS, x2*", "h", 1),
    EXPONENT("the rate of CS falls with delta", "Theorem 4.2, CS", "x2 independent", "CS, x2*",
             "delta", 1),
    EXPONENT("the rate of CM falls with h", "Theorem 4.2, CM", "", "CM", "h", 1),
    {.text = "CM converges faster than CS",
     .item = "Theorem 4.2, comparison",
     .rows = "CM",
     .quantity = "rate",
     .relation = REP_IS_LESS,
     .factor = 1,
     .other_row = "CS"},
    {0},
};

static const rep_table text_4_2 = {
    .name = "Theorem 4.2, exponents",
    .title = "of eps, h and delta in the rates above",
    .setting = "between the smallest and the largest value; rate: in the centre. The paper: -1, 1, "
               "1 for CS, 0, 1, 0 for CM",
    .label = "",
    .quantities = 4,
    .quantity = {"eps", "h", "delta", "rate"},
    .reason = "Neither rate depends on h. In the reading of the paper's Table 5.4, x2 independent, "
              "CS is far worse than the theorem says, otherwise far better.",
    .claims = claims_4_2,
    .why = "the rates are delta, (delta/eps)^2 and delta^2/2, independent of h",
};

static double exponent(double small, double large, double quotient)
{
  return log(large / small) / log(quotient);
}

void yp96_rates_4_2(rep_report *report)
{
  static const char *const labels[] = {"CS", "CS, x2 independent", "CM"};
  rates all[COUNT(points)];
  if (!show_rates(report, all))
    return;
  rep_table_begin(report, &text_4_2);
  for (int i = 0; i < COUNT(labels); i++) {
    double r[COUNT(points)];
    for (int k = 0; k < COUNT(points); k++)
      r[k] = i == 0 ? all[k].cs : i == 1 ? all[k].cs_bad : all[k].cm;
    rep_value values[] = {yp96_shown(exponent(r[2], r[1], 1e2)),
                          yp96_shown(exponent(r[4], r[3], 1e2)),
                          yp96_shown(exponent(r[6], r[5], 1e2)), yp96_shown(r[0])};
    rep_table_row(report, labels[i], values, NULL);
  }
  rep_table_end(report);
}
