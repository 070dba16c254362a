/* The two steps of a pass, by Newton's method for the states Z of all stages,
 *
 *   M(X_i) K_i = f(t_i, X_i, Y_i),   0 = F(t_i, X_i, Y_i),   K = A^-1 (X - x0) / H,
 *
 * with the matrix of every iterate: a stiff force that turns within the step changes direction with
 * the iterates, and a frozen matrix contracts by H sqrt(k/m) times the angle, which is no
 * contraction at the H of the slow motion. Far from the slow motion increments may grow at first: a
 * stretched stiff rod under its tension is stiff across itself. */
#include "step/smooth/pass.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "quadrature/collocation.h"

/* Largest number of iterations, and the number of those whose increments may grow. With a matrix of
 * its own an iteration takes 3 to 6, whatever the stiffness. */
#define PASS_ITERATIONS 12
#define PASS_GROWING 6
/* Last increment in tolerances, and one that stagnates at round-off; chosen. */
#define PASS_STOP 1e-3
#define PASS_STAGNATION 0.05

/* A^-1 of the rule, by rows. */
static void pass_invert(const dae__collocation_rule *rule, double inverse[][DAE__SMOOTH_STAGES])
{
  int s = rule->s, pivot[DAE__SMOOTH_STAGES];
  double A[DAE__SMOOTH_STAGES * DAE__SMOOTH_STAGES], column[DAE__SMOOTH_STAGES];
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++)
      A[j * s + i] = rule->A[i][j];
  (void)dae__lu_factor(s, A, pivot); /* regular */
  for (int j = 0; j < s; j++) {
    for (int i = 0; i < s; i++)
      column[i] = i == j;
    dae__lu_solve(s, A, pivot, column);
    for (int i = 0; i < s; i++)
      inverse[i][j] = column[i];
  }
}

dae_status dae__smooth_pass_create(dae__arena *arena, dae__smooth_form *form, int s,
                                   dae__smooth_pass *out, dae_error *err)
{
  int n = form->n;
  const dae__collocation_rule rule = dae__collocation_create(s, true);
  *out = (dae__smooth_pass){.form = form, .s = s};
  dae__copy(s, rule.c, out->c);
  pass_invert(&rule, out->inverse);
  DAE__VECTORS(arena, s * n, &out->Z, &out->R);
  out->K = DAE__ALLOC(arena, double, s * form->nx);
  out->back = DAE__ALLOC(arena, double, n);
  out->work = DAE__STATE(arena, dae__smooth_work, 1);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_COUNTER(arena, &out->work->iterations, 2);
  return dae__smooth_matrix_create(arena, form, s, &out->matrix, err);
}

void dae__smooth_pass_free(dae__smooth_pass *pass)
{
  dae__solver_free(pass->matrix.solver);
}

/* K = A^-1 (X - x0) / H */
static void pass_set_rates(dae__smooth_pass *o, const double *z0, double H)
{
  int n = o->form->n, nx = o->form->nx, s = o->s;
  for (int i = 0; i < s; i++)
    for (int e = 0; e < nx; e++) {
      double sum = 0;
      for (int j = 0; j < s; j++)
        sum += o->inverse[i][j] * (o->Z[j * n + e] - z0[e]);
      o->K[i * nx + e] = sum / H;
    }
}

/* One iteration with the matrix of the iterate; *norm: the increment in tolerances. */
static dae_status pass_iterate(dae__smooth_pass *o, double t, double H, const double *z0,
                               double *norm, dae_error *err)
{
  dae__smooth_form *form = o->form;
  int n = form->n, nx = form->nx, s = o->s;
  pass_set_rates(o, z0, H);
  for (int i = 0; i < s; i++) {
    double at = t + o->c[i] * H, c[DAE__SMOOTH_STAGES];
    for (int j = 0; j < s; j++)
      c[j] = o->inverse[i][j] / H;
    const double *z = o->Z + i * n, *k = o->K + i * nx;
    DAE__TRY(dae__smooth_form_residual(form, at, z, k, o->R + i * n, err));
    DAE__TRY(dae__smooth_form_linearise(form, at, z, k, err));
    dae__smooth_matrix_add(&o->matrix, form, i, c);
  }
  o->work->iterations++;
  o->work->factorisations++;
  DAE__TRY(dae__solver_factor(o->matrix.solver, o->matrix.values));
  dae__solver_solve(o->matrix.solver, o->R);
  dae__axpy(s * n, -1, o->R, o->Z);
  *norm = 0;
  for (int i = 0; i < s; i++) {
    double stage = dae__smooth_form_norm(form, o->R + i * n, z0);
    *norm = stage <= *norm ? *norm : stage; /* also a NaN */
  }
  return DAE_OK;
}

/* Step of size H, of either sign, from z0 at t; z receives the end. */
static dae_status pass_step(dae__smooth_pass *o, double t, double H, const double *z0, double *z,
                            dae_error *err)
{
  int n = o->form->n;
  double norm = INFINITY, before;
  double stagnation = fmax(PASS_STAGNATION, dae__smooth_form_noise(o->form, 1 / fabs(H), z0));
  for (int i = 0; i < o->s; i++)
    dae__copy(n, z0, o->Z + i * n);
  for (int i = 0; i < PASS_ITERATIONS; i++) {
    before = norm;
    DAE__TRY(pass_iterate(o, t, H, z0, &norm, err));
    if (!isfinite(norm))
      break;
    if (norm <= PASS_STOP || (norm > before / 2 && norm <= stagnation)) {
      dae__copy(n, o->Z + (o->s - 1) * n, z);
      return DAE_OK;
    }
    if (i >= PASS_GROWING && norm > before)
      break;
  }
  return dae__fail(err, DAE_ERROR_STEP, NULL,
                   "a step of %.3g from t = %.10g towards the slow motion does not converge", H, t);
}

dae_status dae__smooth_pass_make(dae__smooth_pass *pass, double t, double H, double *z,
                                 dae_error *err)
{
  DAE__TRY(pass_step(pass, t, H, z, pass->back, err));
  return pass_step(pass, t + H, -H, pass->back, z, err);
}

double dae__smooth_pass_resolve(double ratio)
{
  double low = 0, high = 100;
  if (!(ratio < 1))
    return 0;
  for (int i = 0; i < 60; i++) {
    double x = (low + high) / 2, top = 1 + x * x / 9;
    if (top / (top + x * x * x * x / 36) > ratio)
      low = x;
    else
      high = x;
  }
  return low;
}
