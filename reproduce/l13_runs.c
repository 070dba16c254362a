/* One run of the method, observed after every step. */
#include "l13.h"

#include <daedal/model.h>
#include <daedal/run.h>
#include <math.h>
#include <string.h>

/* ---- problems ---- */

static const char *const models[L13_PROBLEMS] = {
    [L13_PLASTIC] = "plastic",       [L13_HESSENBERG] = "hessenberg", [L13_TRACK] = "track_weak",
    [L13_PENDULUM] = "pendulum_ggl", [L13_ODE] = "track_ode",         [L13_STRAIGHT] = "straight",
    [L13_STIFF] = "stiff",
};

/* ---- options ---- */

dae_lie_options l13_newton(double h, int order)
{
  dae_lie_options o = dae_lie_defaults();
  o.step = h;
  o.order = order;
  return o;
}

/* the bounds of the paper are absolute, the options relative; the option of y bounds h times its
 * change */
dae_lie_options l13_nested(double h, double size, double eps1, double eps2)
{
  dae_lie_options o = l13_newton(h, 2);
  o.lie_iteration = DAE_LIE_NESTED;
  o.kappa = 0;
  o.inner_tol = eps1 / (1 + size);
  o.outer_tol = h * eps2;
  return o;
}

/* ---- the multiplier of a step ---- */

/* u from s as in the step: e^u = (1 + s/2)/(1 - s/2), sigma = s/u */
static double sigma_of(double s)
{
  return fabs(s) < 1e-5 ? 1 - s * s / 12 : s / log1p(s / (1 - s / 2));
}

/* least squares for (x1 - x0)/(h sigma) = f(xb, y, tb), with f affine in y */
static bool find_multiplier(const dae_semi_explicit *p, double kappa, double t0, double h,
                            const double *x0, const double *x1, double *y)
{
  double xb[L13_X], f[1 + L13_Y][L13_X], r[L13_X], none[L13_Y] = {0}, s = 0, q = kappa * kappa;
  for (int i = 0; i < p->nx; i++) {
    xb[i] = (x0[i] + x1[i]) / 2;
    s += (x1[i] - x0[i]) * xb[i];
    q += xb[i] * xb[i];
  }
  for (int j = 0; j <= p->ny; j++) {
    double unit[L13_Y] = {j == 1, j == 2};
    dae_semi_explicit_at at = {.t = t0 + h / 2, .x = xb, .y = j ? unit : none};
    if (p->f(p->user, &at, f[j]))
      return false;
  }
  double a = 0, b = 0, c = 0, u = 0, v = 0; /* [a b; b c] y = (u, v) */
  for (int i = 0; i < p->nx; i++) {
    double first = f[1][i] - f[0][i], second = p->ny > 1 ? f[2][i] - f[0][i] : 0;
    r[i] = (x1[i] - x0[i]) / (h * sigma_of(s / q)) - f[0][i];
    a += first * first, b += first * second, c += second * second;
    u += first * r[i], v += second * r[i];
  }
  y[0] = p->ny > 1 ? (c * u - b * v) / (a * c - b * b) : u / a;
  y[1] = p->ny > 1 ? (a * v - b * u) / (a * c - b * b) : NAN;
  return true;
}

/* ---- the run ---- */

typedef struct journey {
  dae_model *model;
  dae_run_plan plan;
  dae_integrator *it;
  double before[L13_X], z[L13_X + L13_Y], y_step[L13_Y];
  dae_stats stats; /* statistics before the step */
} journey;

static dae_status create(journey *j, const l13_case *run, dae_error *err)
{
  dae_model_options load = dae_model_defaults();
  load.set = &run->set;
  load.set_count = run->set != NULL;
  dae_status status = rep_model_load(models[run->problem], &load, &j->model, err);
  if (status < 0)
    return status;
  dae_model_plan(j->model, &j->plan);
  status = dae_lie_create(&j->plan.problem, &j->plan.start, &run->options, NULL, &j->it, err);
  if (status >= 0)
    status = dae_integrator_interpolate(j->it, 0, j->z, NULL, err);
  if (status >= 0)
    j->stats = dae_integrator_stats(j->it);
  return status;
}

static dae_status look_around(journey *j, const l13_case *run, l13_look *look, void *user,
                              dae_error *err)
{
  const dae_semi_explicit *p = j->plan.problem.semi_explicit;
  dae_view view = dae_integrator_view(j->it);
  dae_stats stats = dae_integrator_stats(j->it);
  memcpy(j->before, j->z, (size_t)p->nx * sizeof *j->z);
  dae_status status = dae_integrator_interpolate(j->it, view.t, j->z, NULL, err);
  if (status < 0)
    return status;
  l13_point at = {.t = view.t,
                  .h = view.t - view.t_previous,
                  .nx = p->nx,
                  .ny = p->ny,
                  .x = j->z,
                  .y = j->z + p->nx,
                  .y_step = j->y_step,
                  .inner = stats.sweeps - j->stats.sweeps,
                  .outer = stats.iterations - j->stats.iterations};
  at.passes = at.outer + 1; /* one more pass over x for the last y */
  j->stats = stats;
  j->y_step[0] = j->y_step[1] = NAN;
  if (p->ny > 0 &&
      !find_multiplier(p, run->options.kappa, view.t_previous, at.h, j->before, j->z, j->y_step))
    return DAE_ERROR_CALLBACK;
  look(user, &at);
  return DAE_OK;
}

static dae_status travel(journey *j, rep_report *report, const l13_case *run, l13_look *look,
                         void *user, dae_error *err)
{
  dae_status status = DAE_OK;
  while (status >= 0 && status != DAE_END && rep_good(report)) {
    status = dae_integrator_step(j->it, run->to, err);
    dae_status seen = status >= 0 ? look_around(j, run, look, user, err) : DAE_OK;
    status = seen < 0 ? seen : status;
  }
  return status;
}

bool l13_case_run(rep_report *report, const l13_case *run, l13_look *look, void *user,
                  dae_stats *stats, char trouble[256])
{
  journey j = {0};
  dae_error err = dae_error_none();
  trouble[0] = '\0';
  if (!rep_good(report))
    return false;
  dae_status status = create(&j, run, &err);
  if (status >= 0)
    status = travel(&j, report, run, look, user, &err);
  if (stats && j.it)
    *stats = dae_integrator_stats(j.it);
  if (status == DAE_ERROR_STEP || status == DAE_ERROR_SINGULAR || status == DAE_ERROR_START)
    snprintf(trouble, 256, "%.255s", err.text);
  else if (status < 0)
    rep_fail(report, &err);
  dae_integrator_free(j.it);
  dae_model_free(j.model);
  return rep_good(report);
}
