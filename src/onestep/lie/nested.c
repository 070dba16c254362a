/* Nested iteration of [L13]. Inner iteration: x1 by fixed-point sweeps for a given y (17),
 *
 *   a = f/|xb|,  b = xb/|xb|,  c = a.b,  d = x0.b,  eta = (e^(ch) - 1)/c,  x1 <- x0 + eta d a,
 *
 * with the augmented vector (x, kappa) in place of x. Outer iteration: y <- y - B^-1 F with B = F_x
 * dx1/dy + F_y, where xb is constant in the derivative (19), (31):
 *
 *   dx1/dy = d (eta a' + eta' a),   a' = f_y/|xb|,  c' = b.a',
 *   eta' = c' ((hc - 1) e^(hc) + 1) / c^2
 *
 * Deviations: rows that contain y are enforced at xb, so that their derivative contains theta
 * dx1/dy. The paper's test |dy| < eps cannot be met for small h, where y is accurate to round-off/h
 * only: the test here is h |dy| < eps. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "onestep/lie/step.h"

/* Tuning constants; chosen, not measured. */
#define MAX_INNER_SWEEPS 500
#define MAX_OUTER_ITERATIONS 50
/* Relative change of x1 at which an inner iteration is accepted although its changes are no longer
 * halved. */
#define INNER_STAGNATION_TOLERANCE 1e-13
/* |hc| below which eta and its derivative come from their series. */
#define ETA_SERIES_BELOW 1e-4

/* coefficients of the fixed-point update of x1 */
typedef struct coefficients {
  double size, c, d; /* size = |xb|, c = a.b, d = x0.b */
  double eta, eta_c; /* eta and its derivative with respect to c */
} coefficients;

static coefficients lie_nested_coefficients(const dae__lie_step *o)
{
  int nx = o->s->nx;
  double kappa2 = o->kappa * o->kappa, h = o->h;
  coefficients w = {.size = sqrt(dae__dot(nx, o->zb, o->zb) + kappa2)};
  w.c = dae__dot(nx, o->f, o->zb) / (w.size * w.size);
  w.d = (dae__dot(nx, o->x0, o->zb) + kappa2) / w.size;
  double u = h * w.c;
  if (fabs(u) < ETA_SERIES_BELOW) {
    w.eta = h * (1 + u / 2 * (1 + u / 3 * (1 + u / 4)));
    w.eta_c = h * h * (0.5 + u * (1.0 / 3 + u / 8));
  } else {
    w.eta = expm1(u) / w.c;
    w.eta_c = ((u - 1) * exp(u) + 1) / (w.c * w.c);
  }
  return w;
}

/* inner iteration for x1; R = (change of x1, 0) */
static dae_status lie_nested_inner(dae__lie_step *o, dae_error *err)
{
  const dae__semi *s = o->s;
  int nx = s->nx;
  double before = INFINITY;
  dae__zero(s->ny, o->R + nx);
  for (int i = 0; i < MAX_INNER_SWEEPS; i++) {
    dae__lie_middle(o);
    DAE__TRY(dae__lie_evaluate(o, err));
    if (o->solver && (i == 0 || !s->constant_mass))
      DAE__TRY(dae__lie_factor(o, "M", o->M, err));
    if (o->solver)
      dae__solver_solve(o->solver, o->f);
    coefficients w = lie_nested_coefficients(o);
    for (int k = 0; k < nx; k++) {
      double x1 = o->x0[k] + w.eta * w.d * o->f[k] / w.size;
      o->R[k] = x1 - o->z1[k];
      o->z1[k] = x1;
    }
    o->memory->sweeps++;
    double change = dae__lie_change(o);
    if (change <= o->inner_tol || (change > before / 2 && change <= INNER_STAGNATION_TOLERANCE))
      return DAE_OK;
    if (!isfinite(change))
      break;
    before = change;
  }
  return dae__lie_failed(o, "inner iteration does not converge",
                         ": it contracts where h |f_x| < 2 only; use Newton's", err);
}

/* computes dx1/dy, and B = F_x dx1/dy + F_y by rows */
static void lie_nested_form_B(dae__lie_step *o)
{
  const dae__semi *s = o->s;
  int nx = s->nx, m = s->ny;
  coefficients w = lie_nested_coefficients(o);
  dae__zero(nx * s->ny, o->columns);
  for (int j = 0; j < s->ny; j++) {
    double *x = o->columns + (size_t)j * (size_t)nx;
    for (int e = s->J.start[nx + j]; e < s->J.start[nx + j + 1]; e++)
      if (s->J.row[e] < nx)
        x[s->J.row[e]] = o->J_mid[e];
    if (o->solver)
      dae__solver_solve(o->solver, x);
    double c_y = dae__dot(nx, x, o->zb) / (w.size * w.size);
    for (int k = 0; k < nx; k++)
      x[k] = w.d * (w.eta * x[k] + c_y * w.eta_c * o->f[k]) / w.size;
  }
  dae__zero(m * m, o->B);
  for (int j = 0; j < s->n; j++)
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      int i = s->J.row[e] - nx;
      if (i < 0)
        continue;
      double value = s->hidden[i] ? o->J_end[e] : o->J_mid[e] * (j < nx ? o->theta : 1);
      if (j >= nx)
        o->B[i * m + j - nx] += value;
      for (int k = 0; j < nx && k < m; k++)
        o->B[i * m + k] += value * o->columns[(size_t)k * (size_t)nx + (size_t)j];
    }
  for (int i = 0; o->active && i < m; i++)
    if (!o->active[i])
      o->B[i * m + i] = 1;
}

/* correction of the outer iteration: y <- y + dy, B dy = -F; R = (0, dy) */
static dae_status lie_nested_correct(dae__lie_step *o, dae_error *err)
{
  const dae__semi *s = o->s;
  double *dy = o->R + s->nx;
  dae__lie_middle(o); /* F at the x1 of the inner iteration */
  DAE__TRY(dae__lie_evaluate(o, err));
  if (o->solver)
    dae__solver_solve(o->solver, o->f);
  DAE__TRY(dae__lie_linearise(o, err));
  lie_nested_form_B(o);
  o->memory->jacobians++;
  dae__zero(s->nx, o->R);
  for (int i = 0; i < s->ny; i++)
    dy[i] = o->active && !o->active[i] ? -o->z1[s->nx + i]
            : s->hidden[i]             ? -o->F_end[i]
                                       : -o->f[s->nx + i];
  if (dae__lu_factor(s->ny, o->B, o->pivot)) /* factors of B', since B is stored by rows */
    return dae__lie_failed(o,
                           "outer iteration has a singular matrix F_x dx/dy + F_y: the index may "
                           "be higher than declared;",
                           "", err);
  dae__lu_solve_transposed(s->ny, o->B, o->pivot, dy);
  dae__axpy(s->ny, 1, dy, o->z1 + s->nx);
  o->memory->iterations++;
  return DAE_OK;
}

dae_status dae__lie_nested(dae__lie_step *o, dae_error *err)
{
  double before = INFINITY;
  for (int i = 0; i < MAX_OUTER_ITERATIONS; i++) {
    DAE__TRY(lie_nested_inner(o, err));
    if (o->s->ny == 0)
      return DAE_OK;
    DAE__TRY(lie_nested_correct(o, err));
    double change = dae__lie_change(o);
    if (change <= o->outer_tol || (change > before / 2 && change <= DAE__LIE_STAGNATION_TOLERANCE))
      return lie_nested_inner(o, err); /* inner iteration for the last y */
    if (!isfinite(change) || (i > 3 && change > 2 * before))
      break;
    before = change;
  }
  return dae__lie_failed(o, "outer iteration does not converge", "", err);
}
