/* The modes of the removed oscillation along the run, and the deviation that they cause. */
#include "step/smooth/follow.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

/* Dimension of the Krylov space of what was removed, and the relative remainder at which it is
 * complete. */
#define FOLLOW_SPACE (2 * DAE__FOLLOW_MODES)
#define FOLLOW_COMPLETE 1e-4
/* Smallest energy of a mode relative to the largest one. */
#define FOLLOW_SHARE 1e-3
/* Inverse iteration: distance of the shift from the last eigenvalue, relative to it; solutions at
 * one point; change of a frequency between two of them that is converged, and that is near enough
 * where frequencies nearly cross; largest change between two points. */
#define FOLLOW_SHIFT 0.01
#define FOLLOW_ITERATIONS 6
#define FOLLOW_CONVERGED 1e-3
#define FOLLOW_NEAR 0.03
#define FOLLOW_LARGEST_CHANGE 0.5
/* Decay or growth of a mode, relative to its rate, that is no error of its eigenvalue. */
#define FOLLOW_DAMPED 0.01
/* Energy relative to that without damping at which a mode is not followed any more. */
#define FOLLOW_DECAYED 1e-6
/* The same at which it has grown, and has not only been turned by slow motion. Chosen. */
#define FOLLOW_GROWN 100
/* Displacement of the second differences, relative to the largest coordinate. */
#define FOLLOW_DISPLACEMENT 1e-4

dae_status dae__follow_create(dae__arena *arena, dae__ladder *ladder, dae__follow *out,
                              dae_error *err)
{
  int n = ladder->pass.form->n;
  *out = (dae__follow){.ladder = ladder};
  out->memory = DAE__STATE(arena, dae__follow_memory, 1);
  for (int i = 0; i < DAE__FOLLOW_MODES; i++) {
    out->re[i] = DAE__STATE(arena, double, n);
    out->im[i] = DAE__STATE(arena, double, n);
  }
  out->drift = DAE__STATE(arena, double, n);
  out->largest = DAE__STATE(arena, double, n);
  DAE__VECTORS(arena, n, &out->z, &out->dz, &out->x, &out->y, &out->a, &out->sum);
  out->values = DAE__ALLOC(arena, double complex, dae__pattern_count(&ladder->euler.pattern));
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, &out->memory->modes, 1, 0, DAE__FOLLOW_MODES);
  DAE__LIMIT_TRUTH(arena, &out->memory->decays, 1);
  DAE__LIMIT_TRUTH(arena, &out->memory->lost, 1);
  return dae__zsolver_create(arena, &ladder->euler.pattern, &out->solver, err);
}

void dae__follow_free(dae__follow *f)
{
  dae__zsolver_free(f->solver);
}

/* ---- modes ---- */

/* Kinetic energy of a mode x + i y, averaged, twice: the energy of its oscillation. */
static double follow_energy(dae__follow *f, const double *x, const double *y)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  int nq = form->nq;
  double energy = 0;
  for (int part = 0; part < 2; part++) {
    const double *v = part ? y : x;
    dae__zero(form->n, f->sum);
    dae__matrix_times(&form->s->M, form->M, 1, v, f->sum);
    energy += 2 * dae__dot(nq, v + nq, f->sum + nq);
  }
  return energy;
}

/* Krylov space of F for the removed displacement, by columns of V; H: Hessenberg matrix by columns
 * of FOLLOW_SPACE. Velocities are scaled by the fastest rate. Returns its dimension. */
static int follow_space(dae__follow *f, double h, double *V, double H[][FOLLOW_SPACE], double *size)
{
  dae__ladder *ladder = f->ladder;
  const dae__smooth_form *form = ladder->pass.form;
  int n = form->n, nx = form->nx, nq = form->nq;
  double left = 0;
  for (int j = 0; j <= FOLLOW_SPACE; j++) {
    double *v = V + j * n, norm = 0;
    for (int i = 0; i < nx; i++) {
      double scale = i >= nq && i < 2 * nq ? 1 / *ladder->rate : 1;
      norm += v[i] * scale * (v[i] * scale);
    }
    norm = sqrt(norm);
    if (j == 0)
      *size = norm;
    else if (j < FOLLOW_SPACE)
      H[j - 1][j] = norm;
    if (j == FOLLOW_SPACE || !(norm > (j == 0 ? 0 : FOLLOW_COMPLETE * left)))
      return j;
    dae__scale(n, 1 / norm, v);
    double *next = v + n;
    dae__ladder_filter(ladder, h, v, next);
    dae__zero(n - nx, next + nx);
    dae__axpy(nx, -1, v, next); /* F - 1, whose eigenvalues of slow components are small */
    left = 0;
    for (int i = 0; i < nx; i++) {
      double scale = i >= nq && i < 2 * nq ? 1 / *ladder->rate : 1;
      left += next[i] * scale * (next[i] * scale);
    }
    left = sqrt(left);
    for (int twice = 0; twice < 2; twice++)
      for (int k = 0; k <= j; k++) {
        double dot = 0;
        for (int i = 0; i < nx; i++) {
          double scale = i >= nq && i < 2 * nq ? 1 / *ladder->rate : 1;
          dot += V[k * n + i] * scale * (next[i] * scale);
        }
        H[j][k] += dot;
        dae__axpy(nx, -dot, V + k * n, next);
      }
  }
  return FOLLOW_SPACE;
}

/* Adds the mode re + i im with eigenvalue lambda, unless those kept have more energy; modes are in
 * the order of their energy. */
static void follow_add(dae__follow *f, double complex lambda, double energy, const double *re,
                       const double *im)
{
  dae__follow_memory *m = f->memory;
  int n = f->ladder->pass.form->n, at = m->modes;
  if (at == DAE__FOLLOW_MODES) {
    at = 0;
    for (int i = 1; i < m->modes; i++)
      at = m->action[i] * m->rate[i] < m->action[at] * m->rate[at] ? i : at;
    if (m->action[at] * m->rate[at] >= energy)
      return;
  } else {
    m->modes++;
  }
  m->rate[at] = m->first[at] = cimag(lambda);
  m->left[at] = 1;
  m->decay[at] = -creal(lambda);
  m->action[at] = energy / cimag(lambda);
  dae__copy(n, re, f->re[at]);
  dae__copy(n, im, f->im[at]);
}

/* Coefficients c of the eigenvectors of the Hessenberg matrix whose sum is size e_1: real and
 * imaginary parts of pairs. */
static bool follow_coefficients(int dim, const double *X, double size, double *c)
{
  double A[FOLLOW_SPACE * FOLLOW_SPACE];
  int pivot[FOLLOW_SPACE];
  dae__copy(dim * dim, X, A);
  for (int i = 0; i < dim; i++)
    c[i] = i == 0 ? size : 0;
  if (dae__lu_factor(dim, A, pivot))
    return false;
  dae__lu_solve(dim, A, pivot, c);
  return dae__all_finite(dim, c);
}

/* Splits what was removed into modes: eigenvectors of the Hessenberg matrix of its Krylov space. */
static dae_status follow_split(dae__follow *f, double h, int dim, const double *V,
                               const double H[][FOLLOW_SPACE], double size, double slowest)
{
  enum { N = FOLLOW_SPACE };
  const dae__smooth_form *form = f->ladder->pass.form;
  const dae_env *env = dae__arena_env(form->s->arena);
  int n = form->n;
  double A[N * N], re[N], im[N], X[N * N], c[N];
  for (int j = 0; j < dim; j++)
    for (int i = 0; i < dim; i++)
      A[j * dim + i] = H[j][i];
  DAE__TRY(dae__spectrum_values(env, dim, A, re, im, NULL));
  for (int k = 0, col = 0; k < dim && col < dim; k++) {
    if (im[k] < 0)
      continue;
    bool pair = im[k] > 0;
    if (pair && col + 2 > dim)
      return DAE_ERROR_STEP;
    double y[N];
    DAE__TRY(dae__spectrum_vector(env, dim, A, re[k], im[k], X + col * dim, y, NULL));
    if (pair)
      dae__copy(dim, y, X + (col + 1) * dim);
    re[col] = re[k];
    im[col] = im[k];
    if (pair)
      re[col + 1] = NAN; /* second column of a pair */
    col += pair ? 2 : 1;
  }
  if (!follow_coefficients(dim, X, size, c))
    return DAE_ERROR_STEP;
  for (int col = 0; col < dim; col++) {
    if (isnan(re[col]))
      continue;
    if (im[col] == 0) {
      double rate = (1 - 1 / (1 + re[col])) / h;
      f->memory->decays = f->memory->decays || rate * slowest < -1;
      continue;
    }
    /* c_re X_re + c_im X_im = 2 Re(z (X_re + i X_im)), z = (c_re - i c_im) / 2 */
    double complex z = (c[col] - I * c[col + 1]) / 2, mu = 1 + re[col] + I * im[col];
    double complex lambda = (1 - 1 / mu) / h;
    dae__zero(n, f->x);
    dae__zero(n, f->y);
    for (int k = 0; k < dim; k++) {
      double complex w = z * (X[col * dim + k] + I * X[(col + 1) * dim + k]);
      dae__axpy(n, creal(w), V + k * n, f->x);
      dae__axpy(n, cimag(w), V + k * n, f->y);
    }
    if (cimag(lambda) < 0) {
      lambda = conj(lambda);
      dae__scale(n, -1, f->y);
    }
    if (cimag(lambda) * slowest > 1 && fabs(creal(lambda)) < cimag(lambda))
      follow_add(f, lambda, follow_energy(f, f->x, f->y), f->x, f->y);
    else if (creal(lambda) * slowest < -1)
      f->memory->decays = true;
  }
  return DAE_OK;
}

/* Drops the modes with little energy. */
static void follow_drop_small(dae__follow *f)
{
  dae__follow_memory *m = f->memory;
  int n = f->ladder->pass.form->n, kept = 0;
  double most = 0;
  for (int i = 0; i < m->modes; i++)
    most = fmax(most, m->action[i] * m->rate[i]);
  for (int i = 0; i < m->modes; i++) {
    if (m->action[i] * m->rate[i] < FOLLOW_SHARE * most)
      continue;
    m->rate[kept] = m->first[kept] = m->rate[i];
    m->decay[kept] = m->decay[i];
    m->left[kept] = 1;
    m->action[kept] = m->action[i];
    dae__copy(n, f->re[i], f->re[kept]);
    dae__copy(n, f->im[i], f->im[kept++]);
  }
  m->modes = kept;
}

dae_status dae__follow_start(dae__follow *f, double t, const double *z, const double *dz,
                             const double *removed, double slowest, dae_damping *report)
{
  dae__ladder *ladder = f->ladder;
  const dae__smooth_form *form = ladder->pass.form;
  dae__follow_memory *m = f->memory;
  int n = form->n;
  *m = (dae__follow_memory){.t = t};
  report->period[0] = report->period[1] = NAN;
  report->frequency[0] = report->frequency[1] = report->exchange = report->drift = NAN;
  dae__zero(n, f->drift);
  dae__copy(n, z, f->largest);
  if (!form->motion || !(slowest > 0))
    return DAE_OK;
  dae__arena *arena = dae__arena_create(dae__arena_env(form->s->arena));
  double *V = DAE__ALLOC(arena, double, (size_t)(FOLLOW_SPACE + 1) * (size_t)n);
  double H[FOLLOW_SPACE][FOLLOW_SPACE] = {{0}}, size = 0, h = 1 / *ladder->rate;
  dae_status status = V ? DAE_OK : DAE_ERROR_MEMORY;
  if (!status)
    status = dae__ladder_factor(ladder, t, slowest, z, dz, NULL);
  if (!status) { /* the fast part of what was removed */
    dae__copy(form->nx, removed, V);
    for (int i = 0; i < 2; i++) {
      dae__ladder_filter(ladder, slowest, V, f->x);
      dae__axpy(form->nx, -1, f->x, V);
    }
    status = dae__ladder_factor(ladder, t, h, z, dz, NULL);
  }
  if (!status) {
    int dim = follow_space(f, h, V, H, &size);
    status = DAE_ERROR_STEP;
    for (; dim > 0 && status && status != DAE_ERROR_MEMORY; dim--) /* the last ones may be noise */
      status = follow_split(f, h, dim, V, (const double(*)[FOLLOW_SPACE])H, size, slowest);
  }
  dae__arena_free(arena);
  m->lost = status != DAE_OK || (m->modes == 0 && !m->decays);
  if (status == DAE_ERROR_MEMORY || m->lost)
    return status == DAE_ERROR_MEMORY ? status : DAE_OK;
  report->frequency[0] = report->frequency[1] = 1;
  report->exchange = report->drift = 0;
  if (m->modes == 0) /* it decays at once and drives nothing */
    return DAE_OK;
  follow_drop_small(f);
  double fastest = 0, least = INFINITY;
  for (int i = 0; i < m->modes; i++) {
    fastest = fmax(fastest, m->rate[i]);
    least = fmin(least, m->rate[i]);
  }
  report->period[0] = 2 * acos(-1) / fastest;
  report->period[1] = 2 * acos(-1) / least;
  return DAE_OK;
}

/* ---- along the run ---- */

/* Factors lambda M + (M z')_x - J at f->z. */
static dae_status follow_factor(dae__follow *f, double complex lambda)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  dae__smooth_matrix *euler = &f->ladder->euler;
  int count = dae__pattern_count(&euler->pattern);
  double none = 0, one = 1;
  dae__smooth_matrix_add(euler, form, 0, &none);
  for (int i = 0; i < count; i++)
    f->values[i] = euler->values[i];
  dae__smooth_matrix_add(euler, form, 0, &one);
  for (int i = 0; i < count; i++)
    f->values[i] += lambda * (euler->values[i] - creal(f->values[i]));
  return dae__zsolver_factor(f->solver, f->values);
}

/* Lets a mode decay, or grow, over h; returns the mean energy there, relative to that without.
 */
static double follow_decay(dae__follow_memory *m, int i, double h)
{
  double x = 2 * m->decay[i] * h, before = m->left[i];
  if (!(fabs(m->decay[i]) > FOLLOW_DAMPED * m->rate[i]))
    return before;
  m->left[i] *= exp(-x);
  return before * -expm1(-x) / x;
}

/* Mode i at f->z by inverse iteration from the one before, h earlier; false: it is lost. */
static bool follow_mode(dae__follow *f, int i, double h)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  dae__follow_memory *m = f->memory;
  int n = form->n, nx = form->nx;
  double complex old = -m->decay[i] + I * m->rate[i], lambda = old;
  double complex shift = old + FOLLOW_SHIFT * cabs(old);
  double change = INFINITY;
  f->share[i] = 0;
  if (m->left[i] < FOLLOW_DECAYED)
    return true;
  if (follow_factor(f, shift))
    return false;
  for (int k = 0; k < FOLLOW_ITERATIONS && !(change < FOLLOW_CONVERGED); k++) {
    double complex dot = 0;
    double size = 0;
    dae__zero(n, f->x);
    dae__zero(n, f->y);
    dae__matrix_times(&form->s->M, form->M, 1, f->re[i], f->x);
    dae__matrix_times(&form->s->M, form->M, 1, f->im[i], f->y);
    dae__zsolver_solve(f->solver, f->x, f->y);
    for (int e = form->nq; e < 2 * form->nq; e++) {
      dot += (f->re[i][e] - I * f->im[i][e]) * (f->x[e] + I * f->y[e]);
      size += f->re[i][e] * f->re[i][e] + f->im[i][e] * f->im[i][e];
    }
    double complex next = shift - size / dot;
    change = cabs(next - lambda) / cabs(old);
    lambda = next;
    double norm = 0;
    for (int e = form->nq; e < 2 * form->nq; e++)
      norm += f->x[e] * f->x[e] + f->y[e] * f->y[e];
    double factor = sqrt(size / norm);
    if (!isfinite(factor) || !isfinite(cabs(lambda)))
      return false;
    for (int e = 0; e < nx; e++) {
      f->re[i][e] = factor * f->x[e];
      f->im[i][e] = factor * f->y[e];
    }
  }
  if (!(change < FOLLOW_NEAR) || !(fabs(cimag(lambda) / m->rate[i] - 1) < FOLLOW_LARGEST_CHANGE))
    return false;
  m->rate[i] = cimag(lambda);
  m->decay[i] = -creal(lambda);
  f->share[i] = follow_decay(m, i, h);
  double factor = sqrt(m->action[i] * m->rate[i] / follow_energy(f, f->re[i], f->im[i]));
  dae__scale(n, factor, f->re[i]);
  dae__scale(n, factor, f->im[i]);
  return isfinite(factor);
}

/* Accelerations at z + factor d, projected onto the constraints, added to sum. */
static dae_status follow_add_acceleration(dae__follow *f, double t, double factor, const double *d,
                                          double weight)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  dae__copy(form->n, f->z, f->x);
  dae__axpy(form->nx, factor, d, f->x);
  DAE__TRY(dae__motion_project(form->motion, t, f->x, f->x + form->nq, NULL, NULL));
  dae__zero(form->n, f->y);
  DAE__TRY(dae__motion_accelerate(form->motion, t, f->x, f->y, NULL));
  dae__axpy(form->nq, weight, f->y + form->nq, f->a + form->nq);
  return DAE_OK;
}

/* f->a: mean acceleration by all modes. */
static dae_status follow_mean_acceleration(dae__follow *f, double t)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  int nq = form->nq;
  double size = fmax(dae__max_abs(nq, f->z), form->atol);
  dae__zero(form->n, f->a);
  for (int i = 0; i < f->memory->modes; i++)
    for (int part = 0; part < 2; part++) {
      const double *d = part ? f->im[i] : f->re[i];
      double displaced = 2 * dae__max_abs(nq, d);
      if (!(displaced > 0) || f->share[i] == 0)
        continue;
      double s = fmax(1, FOLLOW_DISPLACEMENT * size / displaced);
      double weight = 0.25 * f->share[i] / (s * s);
      DAE__TRY(follow_add_acceleration(f, t, 2 * s, d, weight));
      DAE__TRY(follow_add_acceleration(f, t, -2 * s, d, weight));
      DAE__TRY(follow_add_acceleration(f, t, 0, d, -2 * weight));
    }
  return DAE_OK;
}

/* Implicit Euler step of the linearised slow motion, driven by f->a. */
static dae_status follow_drive(dae__follow *f, double t, double h, dae_damping *report)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  int nx = form->nx;
  DAE__TRY(dae__ladder_factor(f->ladder, t, h, f->z, f->dz, NULL));
  dae__axpy(nx, h, f->a, f->drift);
  dae__ladder_filter(f->ladder, h, f->drift, f->x);
  dae__copy(nx, f->x, f->drift);
  for (int i = 0; i < nx; i++) {
    f->largest[i] = fmax(fabs(f->largest[i]), fabs(f->z[i]));
    double size =
        fabs(f->drift[i]) / (form->rtol * f->largest[i] + form->atol * form->atol_scale[i]);
    if (size > report->drift) {
      report->drift = size;
      report->drift_size = fabs(f->drift[i]);
      (void)dae_problem_variable(&form->problem, i, report->drift_name, sizeof report->drift_name);
    }
  }
  /* growth to what is as large as the motion itself: linear motions tell no more */
  for (int i = 0; i < f->memory->modes; i++)
    if (f->memory->left[i] > FOLLOW_GROWN && report->drift * form->rtol > 1)
      f->memory->modes = 0;
  return DAE_OK;
}

static void follow_report(const dae__follow_memory *m, dae_damping *report)
{
  double energy = 0, first = 0;
  for (int i = 0; i < m->modes; i++) {
    double ratio = m->rate[i] / m->first[i];
    report->frequency[0] = fmin(report->frequency[0], ratio);
    report->frequency[1] = fmax(report->frequency[1], ratio);
    energy += m->action[i] * m->rate[i];
    first += m->action[i] * m->first[i];
  }
  report->exchange = fmax(report->exchange, fabs(energy - first) / first);
}

dae_status dae__follow_step(dae__follow *f, double t, const double *y, dae_damping *report)
{
  const dae__smooth_form *form = f->ladder->pass.form;
  dae__follow_memory *m = f->memory;
  double h = t - m->t;
  if (m->modes == 0 || m->lost || !(h > 0))
    return DAE_OK;
  dae__zero(form->n, f->z);
  dae__zero(form->n, f->dz);
  dae__copy(form->size, y, f->z);
  dae_status status = dae__motion_accelerate(form->motion, t, f->z, f->dz, NULL);
  dae__zero(form->n - form->nx, f->dz + form->nx);
  if (!status)
    status = dae__smooth_form_linearise(f->ladder->pass.form, t, f->z, f->dz, NULL);
  for (int i = 0; !status && i < m->modes && !m->lost; i++)
    m->lost = !follow_mode(f, i, h);
  if (!status && !m->lost)
    status = follow_mean_acceleration(f, t);
  if (!status && !m->lost)
    status = follow_drive(f, t, h, report);
  m->t = t;
  m->lost = m->lost || status != DAE_OK || !isfinite(report->drift);
  if (status == DAE_ERROR_MEMORY || status == DAE_ERROR_CALLBACK)
    return status;
  if (m->lost)
    report->frequency[0] = report->frequency[1] = report->exchange = report->drift = NAN;
  else
    follow_report(m, report);
  return DAE_OK;
}
