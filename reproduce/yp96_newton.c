/* The discretised equations of [YP96] and the rates of Newton's iteration, see yp96_newton.h.
 * Derivatives are central differences. */
#include "yp96_split.h"

#include <math.h>
#include <string.h>

double yp96_distance(const double *a, const double *b, int count)
{
  double most = 0;
  for (int i = 0; i < count; i++)
    most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

dae_status yp96_step_begin(const dae_mechanical *problem, double c, const double *past,
                           const double *q, int independent, yp96_step *step, dae_error *err)
{
  yp96_point at;
  *err = dae_error_none();
  if (problem->nq > YP96_MOST || problem->nk + problem->nu + problem->nw + problem->nin > 0) {
    snprintf(err->text, sizeof err->text, "%s is too large for the iterations of a single step",
             problem->name);
    return err->status = DAE_ERROR_USAGE;
  }
  *step = (yp96_step){.problem = problem, .n = problem->nq, .m = problem->ng, .c = c};
  memcpy(step->past, past, (size_t)(2 * step->n) * sizeof *past);
  double z[YP96_Z] = {0};
  memcpy(z, q, (size_t)step->n * sizeof *q);
  yp96_point_at(step, z, &at);
  yp96_split_select(step, at.G, independent);
  return DAE_OK;
}

/* ---- the nonlinear system ---- */

static void step_rows(const yp96_step *s, const yp96_point *at, const double *G, const double *r,
                      double *out)
{
  int n = s->n, p = n - s->m;
  double second[YP96_MOST];
  memcpy(second, r + n, sizeof second);
  for (int i = 0; i < n && s->residual == YP96_R_MASS_P; i++) {
    second[i] = 0;
    for (int j = 0; j < n; j++)
      second[i] += at->M[i * n + j] * r[n + j];
  }
  yp96_split_project(s, G, r, out);
  yp96_split_project(s, G, second, out + p);
  memcpy(out + 2 * p, at->Gv, (size_t)s->m * sizeof *out);
  memcpy(out + 2 * p + s->m, at->g, (size_t)s->m * sizeof *out);
}

void yp96_step_residual(const yp96_step *s, const double *z, const double *p_at, double *out)
{
  yp96_point at, frozen;
  double r[YP96_Z], z_p[YP96_Z];
  yp96_point_at(s, z, &at);
  yp96_point_residual(s, z, &at, r);
  if (!p_at) {
    step_rows(s, &at, at.G, r, out);
    return;
  }
  memcpy(z_p, z, sizeof z_p);
  memcpy(z_p, p_at, (size_t)s->n * sizeof *p_at);
  yp96_point_at(s, z_p, &frozen);
  step_rows(s, &at, frozen.G, r, out);
}

void yp96_step_jacobian(const yp96_step *s, const double *z, const double *p_at, double *J)
{
  int size = 2 * s->n;
  double at[YP96_Z], up[YP96_Z], down[YP96_Z];
  memcpy(at, z, (size_t)size * sizeof *at);
  for (int j = 0; j < size; j++) {
    double d = YP96_DIFFERENCE * fmax(1, fabs(z[j]));
    at[j] = z[j] + d;
    yp96_step_residual(s, at, p_at, up);
    at[j] = z[j] - d;
    yp96_step_residual(s, at, p_at, down);
    at[j] = z[j];
    for (int i = 0; i < size; i++)
      J[i * size + j] = (up[i] - down[i]) / (2 * d);
  }
}

/* z -= J^-1 F(z); the size of the increment */
double yp96_step_newton(const yp96_step *s, const double *J, const double *p_at, double *z)
{
  int size = 2 * s->n;
  double F[YP96_Z], most = 0;
  yp96_step_residual(s, z, p_at, F);
  yp96_dense_solve(J, size, F, 1);
  for (int i = 0; i < size; i++) {
    z[i] -= F[i];
    most = fmax(most, fabs(F[i]));
  }
  return most;
}

bool yp96_step_solve(const yp96_step *s, double *z, const double *p_at)
{
  double J[YP96_Z * YP96_Z], size = INFINITY;
  for (int k = 0; k < 60 && size > 1e-15; k++) {
    yp96_step_jacobian(s, z, p_at, J);
    double next = yp96_step_newton(s, J, p_at, z);
    if (!isfinite(next) || (next >= size && next < 1e-9))
      return isfinite(next);
    size = next;
  }
  return size < 1e-9;
}

double yp96_step_dependent(const yp96_step *s, const double *z)
{
  yp96_point at;
  double r[YP96_Z], most = 0;
  yp96_point_at(s, z, &at);
  yp96_point_residual(s, z, &at, r);
  for (int k = 0; k < s->m; k++)
    most = fmax(most, fmax(fabs(r[s->y[k]]), fabs(r[s->n + s->y[k]])));
  return most;
}

/* ---- rates ---- */

#define POWERS 400

/* Spectral radius by powers, from the growth over the second half. */
static double rate_radius(const double *E, int n)
{
  double x[YP96_Z], y[YP96_Z], growth = 0;
  for (int i = 0; i < n; i++)
    x[i] = 1 + 0.1 * i;
  for (int k = 0; k < POWERS; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j < n; j++)
        y[i] += E[i * n + j] * x[j];
      norm = fmax(norm, fabs(y[i]));
    }
    if (!(norm > 0))
      return norm;
    for (int i = 0; i < n; i++)
      x[i] = y[i] / norm;
    growth += k >= POWERS / 2 ? log(norm) : 0;
  }
  return exp(growth / (POWERS - POWERS / 2.0));
}

double yp96_step_rate(const yp96_step *s, const double *start, const double *start_p,
                      const double *solution, const double *solution_p)
{
  int n = 2 * s->n;
  double J0[YP96_Z * YP96_Z], E[YP96_Z * YP96_Z];
  yp96_step_jacobian(s, start, start_p, J0);
  yp96_step_jacobian(s, solution, solution_p, E);
  yp96_dense_solve(J0, n, E, n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      E[i * n + j] = (i == j) - E[i * n + j];
  return rate_radius(E, n);
}
