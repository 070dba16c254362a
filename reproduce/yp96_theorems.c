/* Theorem 3.1 of [YP96] on the distance of the solutions of CS and CM, Remark 3.1 on problems with
 * a mass matrix, Algorithms 2.1 and 3.1 as printed, and what the tables of its theorems share. */
#include "yp96_theorems.h"
#include "yp96.h"

#include <daedal/model.h>
#include <daedal/problem.h>
#include <math.h>
#include <string.h>

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

/* ---- points of the problems ---- */

/* Loads a model with a param; NULL after a failure. */
dae_model *yp96_theorem_model(rep_report *report, const char *name, const char *set)
{
  dae_model *model = NULL;
  dae_error err;
  dae_model_options options = dae_model_defaults();
  options.set = &set;
  options.set_count = set ? 1 : 0;
  if (rep_good(report) && rep_model_load(name, &options, &model, &err) < 0)
    rep_fail(report, &err);
  return model;
}

const dae_mechanical *yp96_theorem_problem(const dae_model *model)
{
  return dae_model_problem(model)->mechanical;
}

/* State on the constraints at an angle with its rate. */
void yp96_set_place(yp96_curve on, double angle, double rate, double *z)
{
  memset(z, 0, YP96_Z * sizeof *z);
  if (on == YP96_CURVE_WIRE) {
    z[0] = 1 + 0.3 * cos(angle), z[1] = angle;
    z[2] = -0.3 * sin(angle) * rate, z[3] = rate;
    return;
  }
  int n = on == YP96_CURVE_CIRCLE ? 2 : 6, x = on == YP96_CURVE_CIRCLE ? 0 : YP96_X2;
  z[x] = cos(angle), z[x + 1] = sin(angle);
  z[n + x] = -sin(angle) * rate, z[n + x + 1] = cos(angle) * rate;
}

/* The position moved by delta on its circle, with the same velocity. */
void yp96_turn(int x, double delta, double *z)
{
  double c = z[x], s = z[x + 1];
  z[x] = cos(delta) * c - sin(delta) * s;
  z[x + 1] = sin(delta) * c + cos(delta) * s;
}

rep_value yp96_shown(double ours)
{
  return (rep_value){NAN, ours, NAN, REP_SHOWN, 0};
}

rep_value yp96_near(double ours, double reference, double bound)
{
  return (rep_value){NAN, ours, reference, REP_NEAR, bound};
}

/* ---- Theorem 3.1 ---- */

typedef struct start {
  const char *label, *model, *set;
  yp96_curve on;
  double angle, rate;
} start;

static const start starts[] = {
    {"pendulum", "pendulum", NULL, YP96_CURVE_CIRCLE, -0.8, 2},
    {"spring 1e-2", "spring", "eps=1e-2", YP96_CURVE_CIRCLE, -1.5, 1},
    {"spring 1e-4", "spring", "eps=1e-4", YP96_CURVE_CIRCLE, -1.5, 1},
    {"bushing 1e-3", "bushing", "eps=1e-3", YP96_CURVE_BUSHING, -0.1, 0.1},
    {"bushing 1e-6", "bushing", "eps=1e-6", YP96_CURVE_BUSHING, -0.1, 0.1},
    {"bead", "bead", NULL, YP96_CURVE_WIRE, -0.7, 2},
};

/* Step of order 1 from a start, its prediction and its solution. */
static bool begin(rep_report *report, const start *s, const dae_mechanical *p, double h,
                  yp96_step *step, double *predicted, double *solution)
{
  dae_error err;
  double past[YP96_Z];
  yp96_set_place(s->on, s->angle, s->rate, past);
  if (yp96_step_begin(p, 1 / h, past, past, -1, step, &err) < 0) {
    rep_fail(report, &err);
    return false;
  }
  memcpy(predicted, past, YP96_Z * sizeof *predicted);
  for (int i = 0; i < step->n; i++)
    predicted[i] += h * past[step->n + i];
  memcpy(solution, predicted, YP96_Z * sizeof *solution);
  if (yp96_step_solve(step, solution, NULL))
    return true;
  err = dae_error_none();
  err.status = DAE_ERROR_STEP;
  snprintf(err.text, sizeof err.text, "%s: the step has no solution", s->label);
  rep_fail(report, &err);
  return false;
}

static const rep_claim claims_3_1[] = {
    {.text = "the constant of (3.7) is moderate",
     .quantity = "quotient",
     .relation = REP_IS_LESS,
     .factor = 10},
    {.text = "CM solves the same equations as CS",
     .item = "Section 3.1, CM for (2.12)",
     .rows = "spring*0.01",
     .quantity = "distance",
     .relation = REP_IS_LESS,
     .factor = 1e-8},
    {0},
};

static const rep_table text_3_1 = {
    .name = "Theorem 3.1",
    .title = "distance of the solutions of CM and CS, in positions",
    .setting = "one step h = 0.01; d: distance of q0, at which P is frozen, from the solution; "
               "bound: the bracket of (3.7)",
    .label = "             d",
    .quantities = 4,
    .quantity = {"distance", "bound", "quotient", "|Y'r|"},
    .reason = "The theorem holds. Its bound is no small number: the distance grows with d itself, "
              "so that frozen directions change the solution by more than a tolerance.",
    .item = "Theorem 3.1",
    .claims = claims_3_1,
    .why = "with frozen directions the solution is another one",
};

static bool show_distance(rep_report *report, const start *s, const yp96_step *step,
                          const double *solution, double d)
{
  double q0[YP96_Z], frozen[YP96_Z];
  char label[48];
  int n = step->n;
  memcpy(q0, solution, sizeof q0);
  if (s->on == YP96_CURVE_WIRE)
    yp96_set_place(YP96_CURVE_WIRE, solution[1] + d, 0, q0);
  else
    yp96_turn(s->on == YP96_CURVE_CIRCLE ? 0 : YP96_X2, d, q0);
  memcpy(frozen, solution, sizeof frozen);
  bool solved = yp96_step_solve(step, frozen, q0);
  double size = yp96_distance(solution, q0, n), other = yp96_distance(frozen, q0, n);
  double force = yp96_step_dependent(step, solution);
  double bound = force * size + size * size + other * other;
  double distance = solved ? yp96_distance(frozen, solution, n) : NAN;
  rep_value values[] = {yp96_shown(distance), yp96_shown(bound), yp96_shown(distance / bound),
                        yp96_shown(force)};
  snprintf(label, sizeof label, "%-12s %g", s->label, d);
  rep_table_row(report, label, values, NULL);
  return rep_good(report);
}

static void show_3_1(rep_report *report)
{
  static const double sizes[] = {1e-1, 1e-2, 1e-3};
  rep_table_begin(report, &text_3_1);
  for (int i = 0; i < COUNT(starts) && rep_good(report); i++) {
    dae_model *model = yp96_theorem_model(report, starts[i].model, starts[i].set);
    yp96_step step;
    double predicted[YP96_Z], solution[YP96_Z];
    bool good = model && begin(report, &starts[i], yp96_theorem_problem(model), 0.01, &step,
                               predicted, solution);
    for (int k = 0; k < COUNT(sizes) && good; k++)
      good = show_distance(report, &starts[i], &step, solution, sizes[k]);
    dae_model_free(model);
  }
  rep_table_end(report);
}

/* ---- Algorithms 2.1 and 3.1 ---- */

#define REACHES(text_, item_, reading_, what)                                                      \
  {                                                                                                \
    .text = text_, .item = item_, .reading = reading_, .quantity = what, .relation = REP_IS_LESS,  \
    .factor = 1e-9                                                                                 \
  }

static const rep_claim algorithm_claims[] = {
    REACHES("Newton's iteration converges to the solution of (2.12)", "Equation (2.13)", "",
            "(2.13)"),
    REACHES("it converges to the solution of (2.12)", "Algorithm 2.1", "(2.23), sign corrected",
            "2.1, (2.23)"),
    REACHES("it converges to the solution of (2.12)", "Algorithm 2.1", "(2.25), sign corrected",
            "(2.25)"),
    REACHES("it converges to the solution of (2.12)", "Algorithm 2.1", "to the letter", "printed"),
    REACHES("it converges to the solution of (3.2)", "Algorithm 3.1", "(2.23), sign corrected",
            "3.1"),
    {0},
};

static const rep_table algorithm_text = {
    .name = "Algorithms 2.1, 3.1",
    .title = "error of the positions after 30 iterations",
    .setting = "spring, bushing: eps; one step h = 0.01 from the prediction, with its matrices. "
               "Against the solution of (2.12); 3.1 against that of (3.2)",
    .label = "",
    .quantities = 6,
    .quantity = {"prediction", "(2.13)", "2.1, (2.23)", "(2.25)", "printed", "3.1"},
    .reason = "Algorithms 2.1 and 3.1 solve P J1^-1 r = 0 instead of P r = 0: (2.17), (2.18) "
              "exchange P and J1^-1, which is right only if J1 maps the range of G' into itself, "
              "as for the pendulum. Elsewhere they stop at the size of the prediction's error. "
              "(2.25) lacks the factor (1 + Q'Q)^-1, which the pendulum shows.",
    .claims = algorithm_claims,
    .why = "its fixed point solves P J1^-1 r = 0",
};

static double error_after(const yp96_step *step, yp96_variant variant, const double *predicted,
                          const double *solution)
{
  double z[YP96_Z];
  memcpy(z, predicted, sizeof z);
  yp96_step_iterate(step, variant, 30, z);
  double error = yp96_distance(z, solution, step->n);
  for (int i = 0; i < 2 * step->n; i++)
    error = isfinite(z[i]) && fabs(z[i]) < 1e6 ? error : NAN;
  return error;
}

static void show_algorithms(rep_report *report)
{
  rep_table_begin(report, &algorithm_text);
  for (int i = 0; i < COUNT(starts) && rep_good(report); i++) {
    dae_model *model = yp96_theorem_model(report, starts[i].model, starts[i].set);
    yp96_step s;
    double predicted[YP96_Z], solution[YP96_Z], frozen[YP96_Z];
    if (model &&
        begin(report, &starts[i], yp96_theorem_problem(model), 0.01, &s, predicted, solution)) {
      memcpy(frozen, solution, sizeof frozen);
      yp96_step_solve(&s, frozen, predicted);
      rep_value values[] = {yp96_shown(yp96_distance(predicted, solution, s.n)),
                            yp96_shown(error_after(&s, YP96_EXACT, predicted, solution)),
                            yp96_shown(error_after(&s, YP96_ALGORITHM, predicted, solution)),
                            yp96_shown(error_after(&s, YP96_CHEAP, predicted, solution)),
                            yp96_shown(error_after(&s, YP96_PRINTED, predicted, solution)),
                            yp96_shown(error_after(&s, YP96_CM_PRINTED, predicted, frozen))};
      rep_table_row(report, starts[i].label, values, NULL);
    }
    dae_model_free(model);
  }
  rep_table_end(report);
}

/* ---- Remark 3.1 ---- */

static const rep_claim remark_claims[] = {
    {.text = "rho v - M^-1 f can replace M rho v - f",
     .rows = "*as printed",
     .quantity = "order",
     .relation = REP_IS_NEAR,
     .factor = 2,
     .bound = 0.1},
    {0},
};

static const rep_table remark_text = {
    .name = "Remark 3.1",
    .title = "bead on a wire, M = diag(1, r^2): error of q at t = 2",
    .setting = "BDF of order 2 with N equal steps, Newton's iteration to the end",
    .label = "",
    .quantities = 4,
    .quantity = {"N = 200", "N = 400", "N = 800", "order"},
    .reason = "P annihilates G' lambda, not M^-1 G' lambda, which r2 of the remark leaves behind: "
              "the error does not become smaller with the step. With P M it is the same as M rho v "
              "- f.",
    .item = "Remark 3.1",
    .claims = remark_claims,
    .why = "P does not annihilate M^-1 G' lambda",
};

/* Solution of the bead at t = 2, by an integration with 34 digits. */
static const double bead_end[] = {1.25425356659849054, -0.559516409257662505};

/* Error at t = 2 with equal steps; NaN if a step has no solution. */
static double bead_error(rep_report *report, const dae_mechanical *p, yp96_residual residual,
                         int steps)
{
  yp96_step step;
  dae_error err;
  double h = 2.0 / steps, z[YP96_Z], before[YP96_Z], past[YP96_Z];
  yp96_set_place(YP96_CURVE_WIRE, 0, 0, z);
  for (int k = 0; k < steps; k++) {
    for (int i = 0; i < YP96_Z; i++)
      past[i] = k == 0 ? z[i] : (4 * z[i] - before[i]) / 3;
    memcpy(before, z, sizeof z);
    if (yp96_step_begin(p, (k == 0 ? 1 : 1.5) / h, past, z, -1, &step, &err) < 0) {
      rep_fail(report, &err);
      return NAN;
    }
    step.residual = residual;
    for (int i = 0; i < step.n; i++)
      z[i] += h * z[step.n + i];
    if (!yp96_step_solve(&step, z, NULL))
      return NAN;
  }
  return yp96_distance(z, bead_end, 2);
}

static void show_remark(rep_report *report)
{
  static const char *const labels[] = {"M rho v - f", "rho v - M^-1 f, as printed",
                                       "rho v - M^-1 f, with P M"};
  static const yp96_residual residuals[] = {YP96_R_FORCE, YP96_R_MASS, YP96_R_MASS_P};
  static const int steps[] = {200, 400, 800};
  dae_model *model = yp96_theorem_model(report, "bead", NULL);
  rep_table_begin(report, &remark_text);
  for (int i = 0; i < COUNT(labels) && rep_good(report); i++) {
    rep_value values[COUNT(steps) + 1];
    for (int k = 0; k < COUNT(steps); k++)
      values[k] =
          yp96_shown(bead_error(report, yp96_theorem_problem(model), residuals[i], steps[k]));
    values[COUNT(steps)] = yp96_shown(log2(values[1].ours / values[2].ours));
    if (i != 1)
      values[COUNT(steps)] = yp96_near(values[COUNT(steps)].ours, 2, 0.05);
    rep_table_row(report, labels[i], values, NULL);
  }
  rep_table_end(report);
  dae_model_free(model);
}

void yp96_theorems(rep_report *report)
{
  void (*const tables[])(rep_report *) = {show_3_1, yp96_rates_4_1, yp96_rates_4_2, show_remark,
                                          show_algorithms};
  for (int i = 0; i < COUNT(tables) && rep_good(report); i++)
    tables[i](report);
}
