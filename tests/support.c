#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

dae_bdf_options support_options(double tolerance)
{
  dae_bdf_options opts = dae_bdf_defaults();
  opts.rtol = opts.atol = tolerance;
  return opts;
}

const dae_method *support_method(const dae_problem *problem)
{
  const dae_method *plain = dae_method_find("bdf", NULL);
  if (plain->accepts(problem, NULL) == DAE_OK)
    return plain;
  return dae_method_find("bdf-ggl", NULL);
}

/* ---- runs ---- */

typedef struct watch {
  int size;
  double *y; /* the state vector of the row */
  support_row *each;
  void *user;
} watch;

static dae_status watch_open(void *self, int columns, const char *const *names, dae_error *err)
{
  const watch *w = self;
  (void)names, (void)err;
  assert_int_equal(columns, 1 + w->size);
  return DAE_OK;
}

static dae_status watch_row(void *self, const dae_row *row, dae_error *err)
{
  watch *w = self;
  (void)err;
  memcpy(w->y, row->y, (size_t)w->size * sizeof *w->y);
  if (w->each)
    w->each(w->user, row->values[0], w->y);
  return DAE_OK;
}

dae_status support_run(const test_problem *p, const dae_bdf_options *opts, double every,
                       support_row *each, void *user, double *end, dae_summary *summary)
{
  return support_run_with(support_method(&p->problem)->name, p, opts, every, each, user, end,
                          summary);
}

dae_status support_run_with(const char *method, const test_problem *p, const void *opts,
                            double every, support_row *each, void *user, double *end,
                            dae_summary *summary)
{
  watch w = {p->size, calloc((size_t)p->size, sizeof(double)), each, user};
  assert_non_null(w.y);
  dae_sink sink = {.self = &w, .open = watch_open, .row = watch_row};
  dae_run_plan plan = {.problem = p->problem,
                       .start = p->start,
                       .method = dae_method_find(method, NULL),
                       .options = opts,
                       .to = p->to,
                       .every = every,
                       .events = p->events,
                       .event_count = p->event_count,
                       .sinks = &sink,
                       .sink_count = 1};
  dae_error err;
  dae_status status = dae_run(&plan, NULL, summary, &err);
  if (status < 0)
    print_message("%s: %s\n", p->name, err.text);
  if (end)
    memcpy(end, w.y, (size_t)p->size * sizeof *end);
  free(w.y);
  return status;
}

double support_error_of(const test_problem *p, const double *y, int from, int to)
{
  double max = 0;
  for (int i = from; i < to; i++) {
    double ref = p->reference[i];
    if (isnan(ref))
      continue;
    double error = fabs(y[i] - ref) / (1 + fabs(ref));
    if (!(error <= max)) /* negated: a NaN counts */
      max = error;
  }
  return max;
}

double support_error(const test_problem *p, const double *y)
{
  return support_error_of(p, y, 0, p->size);
}

void support_state(dae_integrator *it, double *y, double *dy)
{
  assert_int_equal(dae_integrator_interpolate(it, dae_integrator_view(it).t, y, dy, NULL), DAE_OK);
}

/* ---- variants ---- */

bool support_bare(const test_problem *p, support_variant *memory, test_problem *out)
{
  const dae_mechanical *m = p->problem.mechanical;
  const dae_semi_explicit *s = p->problem.semi_explicit;
  *out = *p;
  if (m) {
    bool forces = m->f != NULL;
    memory->mechanical = (dae_mechanical){.name = m->name,
                                          .nq = m->nq,
                                          .ng = m->ng,
                                          .nk = m->nk,
                                          .nu = m->nu,
                                          .nw = m->nw,
                                          .nin = m->nin,
                                          .user = m->user,
                                          .M = forces ? m->M : NULL,
                                          .f = m->f,
                                          .p = m->p,
                                          .F = m->F,
                                          .s = m->s,
                                          .c = m->c,
                                          .g = m->g,
                                          .k = m->k,
                                          .M_pattern = m->M_pattern,
                                          .G_pattern = m->G_pattern,
                                          .K_pattern = m->K_pattern,
                                          .J_pattern = m->J_pattern,
                                          .Ms_pattern = m->Ms_pattern,
                                          .Gts_pattern = m->Gts_pattern};
    out->problem.mechanical = &memory->mechanical;
  } else if (s) {
    memory->semi_explicit = (dae_semi_explicit){.name = s->name,
                                                .nx = s->nx,
                                                .ny = s->ny,
                                                .nin = s->nin,
                                                .user = s->user,
                                                .f = s->f,
                                                .F = s->F,
                                                .M = s->M,
                                                .M_pattern = s->M_pattern,
                                                .J_pattern = s->J_pattern,
                                                .Ms_pattern = s->Ms_pattern};
    out->problem.semi_explicit = &memory->semi_explicit;
  }
  return m || s;
}

/* ---- equations ---- */

/* offsets of the parts of a mechanical state vector */
typedef struct layout {
  int v, u, w, lambda, psi;
} layout;

static layout layout_of(const dae_mechanical *p)
{
  int u = 2 * p->nq, w = u + p->nu, lambda = w + p->nw;
  return (layout){p->nq, u, w, lambda, lambda + p->ng};
}

static dae_mechanical_at point(const dae_mechanical *p, double t, const double *y)
{
  layout o = layout_of(p);
  return (dae_mechanical_at){.t = t, .q = y, .v = y + o.v, .u = y + o.u, .w = y + o.w};
}

static double *vector(int n)
{
  double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
  assert_non_null(x);
  return x;
}

/* a matrix as a full one, column-major; absent: zero */
static double *matrix(const dae_mechanical *p, dae_mechanical_fn *fn, const dae_pattern *pattern,
                      int rows, const dae_mechanical_at *at)
{
  int cols = p->nq;
  double *full = vector(rows * cols), *values = vector(rows * cols);
  if (rows > 0)
    assert_int_equal(fn(p->user, at, pattern ? values : full), 0);
  for (int j = 0; pattern && j < cols; j++)
    for (int e = pattern->start[j]; e < pattern->start[j + 1]; e++)
      full[j * rows + pattern->row[e]] = values[e];
  free(values);
  return full;
}

void support_drift(const dae_mechanical *p, double t, const double *y, double *position,
                   double *velocity)
{
  dae_mechanical_at at = point(p, t, y);
  double *g = vector(p->ng), *gdot = vector(p->ng), *k = vector(p->nk);
  double *G = matrix(p, p->G, p->G_pattern, p->ng, &at);
  *position = *velocity = 0;
  if (p->ng > 0)
    p->g(p->user, &at, g);
  if (p->g_t)
    p->g_t(p->user, &at, gdot);
  if (p->nk > 0)
    p->k(p->user, &at, k);
  for (int i = 0; i < p->ng; i++) {
    for (int j = 0; j < p->nq; j++)
      gdot[i] += G[j * p->ng + i] * at.v[j];
    *position = fmax(*position, fabs(g[i]));
    *velocity = fmax(*velocity, fabs(gdot[i]));
  }
  for (int i = 0; i < p->nk; i++)
    *velocity = fmax(*velocity, fabs(k[i]));
  free(g), free(gdot), free(k), free(G);
}

typedef struct row {
  double sum, largest;
} row;

static void add(row *r, double term)
{
  r->sum += term;
  r->largest = fmax(r->largest, fabs(term));
}

/* M v' + G' lambda + K' psi - f, where f may be F - p_rate */
static double force_residual(const dae_mechanical *p, const dae_mechanical_at *at, const double *y,
                             const double *dy)
{
  layout o = layout_of(p);
  int nq = p->nq;
  double *M = matrix(p, p->M, p->M_pattern, nq, at);
  double *G = matrix(p, p->G, p->G_pattern, p->ng, at);
  double *K = matrix(p, p->K, p->K_pattern, p->nk, at);
  double *f = vector(nq), *rate = vector(nq), worst = 0;
  assert_int_equal((p->f ? p->f : p->F)(p->user, at, f), 0);
  if (!p->f)
    assert_int_equal(p->p_rate(p->user, at, rate), 0);
  for (int i = 0; i < nq; i++) {
    row r = {0, 1};
    add(&r, -f[i]);
    add(&r, rate[i]);
    for (int j = 0; j < nq; j++)
      add(&r, M[j * nq + i] * dy[o.v + j]);
    for (int j = 0; j < p->ng; j++)
      add(&r, G[i * p->ng + j] * y[o.lambda + j]);
    for (int j = 0; j < p->nk; j++)
      add(&r, K[i * p->nk + j] * y[o.psi + j]);
    worst = fmax(worst, fabs(r.sum) / r.largest);
  }
  free(M), free(G), free(K), free(f), free(rate);
  return worst;
}

/* rows of A v' + a, A = G or K with its gamma or kappa */
static double level_residual(const dae_mechanical *p, const dae_mechanical_at *at, bool holonomic,
                             const double *dv)
{
  int rows = holonomic ? p->ng : p->nk;
  dae_mechanical_fn *matrix_fn = holonomic ? p->G : p->K, *fn = holonomic ? p->gamma : p->kappa;
  double worst = 0;
  if (rows == 0 || !fn)
    return 0;
  double *A = matrix(p, matrix_fn, holonomic ? p->G_pattern : p->K_pattern, rows, at);
  double *a = vector(rows);
  assert_int_equal(fn(p->user, at, a), 0);
  for (int i = 0; i < rows; i++) {
    row r = {0, 1};
    add(&r, a[i]);
    for (int j = 0; j < p->nq; j++)
      add(&r, A[j * rows + i] * dv[j]);
    worst = fmax(worst, fabs(r.sum) / r.largest);
  }
  free(A), free(a);
  return worst;
}

void support_residual(const dae_mechanical *p, double t, const double *y, const double *dy,
                      double *motion, double *algebraic)
{
  layout o = layout_of(p);
  dae_mechanical_at at = point(p, t, y);
  double *s = vector(p->nu), *c = vector(p->nw);
  *motion = force_residual(p, &at, y, dy);
  *motion = fmax(*motion, level_residual(p, &at, true, dy + o.v));
  *motion = fmax(*motion, level_residual(p, &at, false, dy + o.v));
  *algebraic = 0;
  if (p->nu > 0)
    p->s(p->user, &at, s);
  if (p->nw > 0)
    p->c(p->user, &at, c);
  for (int i = 0; i < p->nq; i++)
    *motion = fmax(*motion, fabs(dy[i] - y[o.v + i]) / (1 + fabs(dy[i])));
  for (int i = 0; i < p->nu; i++)
    *motion = fmax(*motion, fabs(dy[o.u + i] - s[i]) / (1 + fabs(s[i])));
  for (int i = 0; i < p->nw; i++)
    *algebraic = fmax(*algebraic, fabs(c[i]));
  free(s), free(c);
}
