/* Problem with right sides at earlier iterates. With X_j, In_j the points of the terms, f the rows
 * (f, s), with momenta (F, s), and c the algebraic rows, which are not replaced,
 *
 *   f = sum_j b_j f(X_j, w, In_j) + theta f_x (x - x^(n-1)),    theta = linear
 *
 *   J    = [ sum_j b_j own_0j f_x(X_j) + theta f_x   sum_j b_j f_w(X_j) ]
 *          [ c_x                                     c_w                ]
 *   J_in = [ sum_j b_j others_ij f_in(X_j)   sum_j b_j own_ij f_x(X_j) - theta f_x (i = 1) ]
 *          [ c_in (i = 1)                    0                                             ]
 *
 * f_x of the linear part is evaluated at x^(n-1), the point of the only term; derivatives of f_x
 * are omitted. All other callbacks are forwarded with the inputs in^(n-1), which come first among
 * the inputs. */
#include "wave/variants/iterates.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include <stdio.h>
#include <string.h>

/* rounding of weights that were computed, as by an extrapolation */
#define WEIGHT_SUM_TOLERANCE 1e-12
#define MAX_SIZE 1e8 /* limit of inputs and entries, as in problem/validate.c */
#define NAME_SIZE 80

/* ---- weights ---- */

static dae_status iterates_check_sum(int n, const double *w, const char *what, int term,
                                     dae_error *err)
{
  double sum = 0, size = 0;
  char of_term[32] = "";
  for (int i = 0; i < n; i++)
    sum += w[i], size += fabs(w[i]);
  if (fabs(sum - 1) <= WEIGHT_SUM_TOLERANCE * size)
    return DAE_OK;
  if (term >= 0)
    snprintf(of_term, sizeof of_term, " of term %d", term + 1);
  return dae__fail(err, DAE_ERROR_OPTION, what, "terms: the weights %s%s sum up to %.15g, not to 1",
                   what, of_term, sum);
}

dae_status dae__iterates_validate(const dae_wave_terms *w, dae_error *err)
{
  if (w->ages < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d, but in^(n-1) is needed",
                     w->ages);
  if (w->terms < 1)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms = %d: at least 1 is needed", w->terms);
  if (!w->b || !w->own || !w->others)
    return dae__fail(err, DAE_ERROR_OPTION, "terms", "terms: the weights %s are missing",
                     !w->b     ? "b"
                     : !w->own ? "own"
                               : "others");
  size_t ages = (size_t)w->ages;
  DAE__TRY(iterates_check_sum(w->terms, w->b, "b", -1, err));
  for (int j = 0; j < w->terms; j++) {
    DAE__TRY(iterates_check_sum(w->ages + 1, w->own + (size_t)j * (ages + 1), "own", j, err));
    DAE__TRY(iterates_check_sum(w->ages, w->others + (size_t)j * ages, "others", j, err));
  }
  /* whether there is a single term, at x^(n-1) */
  bool last = w->terms == 1 && w->own[1] == 1;
  for (int i = 0; i <= w->ages && last; i++)
    last = i == 1 || w->own[i] == 0;
  if (!(w->linear >= 0 && w->linear <= 1))
    return dae__fail(err, DAE_ERROR_OPTION, "linear", "linear = %g is not in 0 ... 1", w->linear);
  if (w->linear > 0 && !last)
    return dae__fail(err, DAE_ERROR_OPTION, "linear",
                     "linear is part of the linearisation about the last iterate: it needs one "
                     "term at that iterate, own = (0, 1)");
  return DAE_OK;
}

/* ---- points of the terms ---- */

/* it->x = weight (q, v, u) of the present point */
static void iterates_gather(dae__iterates *it, const dae_mechanical_at *at, double weight)
{
  int nq = it->e.n.q;
  dae__copy(nq, at->q, it->x);
  dae__copy(nq, at->v, it->x + nq);
  dae__copy(it->e.n.u, at->u, it->x + 2 * nq);
  if (weight != 1)
    dae__scale(it->count, weight, it->x);
}

/* Point (X_j, w, In_j) of term j; iterates of weight 0 are not read. */
static dae_mechanical_at iterates_point(dae__iterates *it, const dae_mechanical_at *at, int j)
{
  int nq = it->e.n.q, nin = it->e.nin, ages = it->terms.ages;
  const double *own = it->terms.own + (size_t)j * ((size_t)ages + 1);
  const double *others = it->terms.others + (size_t)j * (size_t)ages, *x = it->x;
  iterates_gather(it, at, own[0]);
  dae__zero(nin, it->e.in);
  for (int i = 1; i <= ages; i++) {
    if (own[i] != 0)
      dae__axpy(it->count, own[i], at->in + ages * nin + (i - 1) * it->count, it->x);
    if (others[i - 1] != 0)
      dae__axpy(nin, others[i - 1], at->in + (i - 1) * nin, it->e.in);
  }
  return (dae_mechanical_at){at->t, x, x + nq, x + 2 * nq, at->w, it->e.in};
}

/* ---- matrices of the base ---- */

/* Status for the return code of a callback of the base. */
static dae_status iterates_status(dae__iterates *it, int code, const char *callback, double t)
{
  dae__forward_result(&it->forward, code, callback, t);
  return code == 0 ? DAE_OK : code > 0 ? DAE_ERROR_RECOVERABLE : DAE_ERROR_CALLBACK;
}

/* it->J = d(f,s,c) of the base, with momenta d(F,s,c) */
static dae_status iterates_base_J(dae__iterates *it, const dae_mechanical_at *here)
{
  const dae_mechanical *m = it->base.mechanical;
  bool momenta = m && !m->f;
  if (!momenta)
    return dae__element_J(&it->e, here, it->J, &it->forward.last);
  if (m->J)
    return iterates_status(it, m->J(m->user, here, it->J), "J", here->t);
  dae_status status = dae__mech_J(it->e.m, here, it->J_forces, &it->forward.last);
  /* derivatives without p_rate */
  dae__copy(dae__pattern_count(it->J_base), it->e.m->J_values, it->J);
  return status;
}

/* it->J_in_base = d(f,s,c)/d(in) of the base */
static dae_status iterates_base_J_in(dae__iterates *it, const dae_mechanical_at *here)
{
  const dae_mechanical *m = it->base.mechanical;
  const dae_semi_explicit *s = it->base.semi_explicit;
  dae_semi_explicit_at at = {here->t, here->u, here->w, here->in};
  if (it->e.nin == 0)
    return DAE_OK;
  if (m && m->J_in)
    return iterates_status(it, m->J_in(m->user, here, it->J_in_base), "J_in", here->t);
  if (s && s->J_in)
    return iterates_status(it, s->J_in(s->user, &at, it->J_in_base), "J_in", here->t);
  return dae__element_J_in(&it->e, here, it->J_in_base, &it->forward.last);
}

/* ---- right sides ---- */

/* out += theta f_x (x - x^(n-1)), rows first ... first + n - 1 */
static int iterates_add_linear(dae__iterates *it, const dae_mechanical_at *at, int first, int n,
                               double *out)
{
  const dae_pattern *p = it->J_base;
  dae_mechanical_at here = iterates_point(it, at, 0);
  dae_status status = iterates_base_J(it, &here);
  if (status)
    return dae__forward_code(status);
  iterates_gather(it, at, 1);
  dae__axpy(it->count, -1, at->in + it->terms.ages * it->e.nin, it->x);
  for (int c = 0; c < it->count; c++)
    for (int e = p->start[c]; e < p->start[c + 1]; e++)
      if (p->row[e] >= first && p->row[e] < first + n)
        out[p->row[e] - first] += it->terms.linear * it->J[e] * it->x[c];
  return 0;
}

/* Rows s (states = true), or f, of the right sides at iterates; F for a base with momenta. */
static int iterates_rows(dae__iterates *it, const dae_mechanical_at *at, bool states, double *out)
{
  const dae_mechanical *m = it->base.mechanical;
  const dae_semi_explicit *s = it->base.semi_explicit;
  int first = states ? it->e.n.q : 0, n = states ? it->e.n.u : it->e.n.q;
  const char *name = s || (!states && m->f) ? "f" : states ? "s" : "F";
  dae__zero(n, out);
  for (int j = 0; j < it->terms.terms; j++) {
    if (it->terms.b[j] == 0)
      continue;
    dae_mechanical_at here = iterates_point(it, at, j);
    dae_semi_explicit_at semi = {here.t, here.u, here.w, here.in};
    int code = s        ? s->f(s->user, &semi, it->term)
               : states ? m->s(m->user, &here, it->term)
               : m->f   ? m->f(m->user, &here, it->term)
                        : m->F(m->user, &here, it->term);
    if (dae__forward_result(&it->forward, code, name, at->t))
      return code;
    dae__axpy(n, it->terms.b[j], it->term, out);
  }
  return it->terms.linear > 0 ? iterates_add_linear(it, at, first, n, out) : 0;
}

#define ROWS(name, states)                                                                         \
  static int iterates_##name(void *user, const dae_mechanical_at *at, double *out)                 \
  {                                                                                                \
    return iterates_rows(user, at, states, out);                                                   \
  }
ROWS(f, false)
ROWS(s, true)

/* Combined callback: f and s from iterates, everything else from one call of the base's eval. */
static int iterates_eval_all(void *user, const dae_mechanical_at *at,
                             const dae_mechanical_wanted *wanted)
{
  dae__forward *w = user;
  const dae_mechanical_wanted none = {0};
  dae_mechanical_wanted rest = *wanted;
  int code = 0;
  rest.f = rest.s = NULL;
  if (memcmp(&rest, &none, sizeof none) != 0)
    code = dae__forward_result(w, w->to->eval(w->to->user, at, &rest), "eval", at->t);
  if (!code && wanted->f)
    code = iterates_rows(user, at, false, wanted->f);
  if (!code && wanted->s)
    code = iterates_rows(user, at, true, wanted->s);
  return code;
}

/* ---- J and J_in ---- */

/* A range of columns in a matrix of the base, and the begin of each in the result's values. */
typedef struct columns {
  const dae_pattern *from;
  int first, count;
  const int *start;
} columns;

/* Adds factor times the rows (f, s) of the base to the result: they come first in every column. */
static void iterates_add_rows(const dae__iterates *it, columns c, double factor,
                              const double *values, double *out)
{
  for (int k = 0; factor != 0 && k < c.count; k++) {
    int begin = c.from->start[c.first + k], end = c.from->start[c.first + k + 1];
    for (int e = begin; e < end && c.from->row[e] < it->rows; e++)
      out[c.start[k] + e - begin] += factor * values[e];
  }
}

/* Copies the algebraic rows, whose entries have the same indices in the base and in the result. */
static void iterates_put_algebraic(const dae__iterates *it, const dae_pattern *p,
                                   const double *values, double *out)
{
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (p->row[e] >= it->rows)
      out[e] = values[e];
}

static int iterates_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__iterates *it = user;
  const dae_pattern *p = it->J_base;
  columns of_x = {p, 0, it->count, p->start};
  columns of_w = {p, it->count, it->e.n.w, p->start + it->count};
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(p), J);
  for (int j = 0; j < it->terms.terms && !status; j++) {
    double own = it->terms.own[(size_t)j * ((size_t)it->terms.ages + 1)];
    double b = it->terms.b[j], slope = own + it->terms.linear;
    if (b == 0 || (slope == 0 && it->e.n.w == 0))
      continue;
    dae_mechanical_at here = iterates_point(it, at, j);
    status = iterates_base_J(it, &here);
    iterates_add_rows(it, of_x, b * slope, it->J, J);
    iterates_add_rows(it, of_w, b, it->J, J);
  }
  if (!status && it->e.n.w > 0) {
    dae_mechanical_at here = {at->t, at->q, at->v, at->u, at->w, it->e.in};
    dae__copy(it->e.nin, at->in, it->e.in); /* present point (x, w, in^(n-1)) */
    status = iterates_base_J(it, &here);
    iterates_put_algebraic(it, p, it->J, J);
  }
  return dae__forward_code(status);
}

static int iterates_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__iterates *it = user;
  int ages = it->terms.ages, nin = it->e.nin;
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&it->J_in), J_in);
  for (int j = 0; j < it->terms.terms && !status; j++) {
    const double *own = it->terms.own + (size_t)j * ((size_t)ages + 1);
    const double *others = it->terms.others + (size_t)j * (size_t)ages;
    double b = it->terms.b[j];
    if (b == 0)
      continue;
    dae_mechanical_at here = iterates_point(it, at, j);
    status = iterates_base_J(it, &here);
    if (!status)
      status = iterates_base_J_in(it, &here);
    for (int i = 1; i <= ages; i++) {
      const int *start = it->J_in.start;
      columns of_in = {&it->e.J_in, 0, nin, start + (i - 1) * nin};
      columns of_x = {it->J_base, 0, it->count, start + ages * nin + (i - 1) * it->count};
      double slope = own[i] - (i == 1 ? it->terms.linear : 0);
      iterates_add_rows(it, of_in, b * others[i - 1], it->J_in_base, J_in);
      iterates_add_rows(it, of_x, b * slope, it->J, J_in);
    }
  }
  if (!status && it->e.n.w > 0 && nin > 0) {
    dae_mechanical_at here = {at->t, at->q, at->v, at->u, at->w, it->e.in};
    dae__copy(it->e.nin, at->in, it->e.in); /* present point (x, w, in^(n-1)) */
    status = iterates_base_J_in(it, &here);
    iterates_put_algebraic(it, &it->e.J_in, it->J_in_base, J_in);
  }
  return dae__forward_code(status);
}

DAE__SEMI_CALLBACK(iterates_semi_f, iterates_s)
DAE__SEMI_CALLBACK(iterates_semi_J, iterates_J)
DAE__SEMI_CALLBACK(iterates_semi_J_in, iterates_J_in)

/* ---- inputs and patterns ---- */

/* Names of the inputs, such as "speed^(n-1)". */
static void iterates_name_inputs(dae__iterates *it)
{
  const dae_problem *p = &it->base;
  const char *const *names = p->mechanical ? p->mechanical->in_names : p->semi_explicit->in_names;
  int nin = it->e.nin, ages = it->terms.ages, total = ages * (nin + it->count);
  char *text = DAE__ALLOC(it->arena, char, (size_t)total *NAME_SIZE);
  char name[64];
  it->in_names = DAE__ALLOC(it->arena, const char *, total);
  for (int i = 0; i < total && !dae__arena_failed(it->arena); i++, text += NAME_SIZE) {
    bool input = i < ages * nin;
    int n = input ? nin : it->count, k = input ? i : i - ages * nin;
    if (!input) /* differential variables come first in a state vector */
      dae_problem_variable(p, k % n, name, sizeof name);
    else if (names && names[k % n])
      snprintf(name, sizeof name, "%s", names[k % n]);
    else
      snprintf(name, sizeof name, "in[%d]", k % n + 1);
    snprintf(text, NAME_SIZE, "%.60s^(n-%d)", name, k / n + 1);
    it->in_names[i] = text;
  }
}

static void iterates_create_J_in(dae__iterates *it)
{
  int ages = it->terms.ages, nin = it->e.nin, cols = ages * (nin + it->count), count = 0;
  int entries = ages * (dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base));
  int *start = DAE__ALLOC(it->arena, int, cols + 1), *row = DAE__ALLOC(it->arena, int, entries);
  if (dae__arena_failed(it->arena))
    return;
  for (int col = 0; col < cols; col++) {
    bool input = col < ages * nin;
    const dae_pattern *p = input ? &it->e.J_in : it->J_base;
    int j = input ? col % nin : (col - ages * nin) % it->count;
    int rows = col < nin ? it->e.nr : it->rows; /* all rows for in^(n-1) */
    for (int e = p->start[j]; e < p->start[j + 1] && p->row[e] < rows; e++)
      row[count++] = p->row[e];
    start[col + 1] = count;
  }
  it->J_in = (dae_pattern){it->e.nr, cols, start, row};
}

/* ---- creation ---- */

/* Describes the problem. Where a mechanical base gives both f and F, only f is given: F = f +
 * p_rate is evaluated by the caller, with p_rate at the present point. J is given for linear > 0,
 * since differences of a linear part that is itself computed by differences would be noise.
 * energy_rate is given without extra states only: the base's holds for u' = s at the present point.
 */
static void iterates_describe(dae__iterates *it)
{
  dae_mechanical *m = &it->mechanical;
  dae_semi_explicit *p = &it->semi_explicit;
  if (!it->base.mechanical) {
    *p = *it->base.semi_explicit;
    dae__forward_semi(p);
    p->user = it;
    p->nin = it->J_in.cols;
    p->in_names = it->in_names;
    p->f = p->f ? iterates_semi_f : NULL;
    p->J = p->J || it->terms.linear > 0 ? iterates_semi_J : NULL;
    p->J_in = iterates_semi_J_in;
    p->J_in_pattern = &it->J_in;
    it->problem = (dae_problem){.semi_explicit = p, .why = &it->forward.last};
    return;
  }
  *m = *it->base.mechanical;
  dae__forward_mechanical(m);
  m->user = it;
  m->nin = it->J_in.cols;
  m->in_names = it->in_names;
  m->F = m->f ? NULL : iterates_f;
  m->f = m->f ? iterates_f : NULL;
  m->s = m->s ? iterates_s : NULL;
  m->J = m->J || it->terms.linear > 0 ? iterates_J : NULL;
  m->J_in = iterates_J_in;
  m->J_in_pattern = &it->J_in;
  m->eval = m->eval ? iterates_eval_all : NULL;
  m->energy_rate = m->nu == 0 ? m->energy_rate : NULL;
  it->problem = (dae_problem){.mechanical = m, .why = &it->forward.last};
}

/* Creates the element that evaluates the base, with the error details of the base. */
static dae_status iterates_create_base(dae__iterates *it, dae_error *err)
{
  dae_part part = {.mechanical = it->base.mechanical, .semi_explicit = it->base.semi_explicit};
  DAE__TRY(dae__element_part(it->arena, &part, "", &it->e, err));
  if (it->e.m)
    it->e.m->why = it->base.why;
  else
    it->e.semi->why = it->base.why;
  it->count = 2 * it->e.n.q + it->e.n.u;
  it->rows = it->e.n.q + it->e.n.u;
  it->J_base = it->e.m ? &it->e.m->J_user : &it->e.semi->J;
  double ages = it->terms.ages, inputs = (double)it->e.nin + it->count;
  double entries = (double)dae__pattern_count(&it->e.J_in) + dae__pattern_count(it->J_base);
  if (ages * inputs > MAX_SIZE || ages * entries > MAX_SIZE)
    return dae__fail(err, DAE_ERROR_OPTION, "ages", "terms: ages = %d makes too many inputs",
                     it->terms.ages);
  return DAE_OK;
}

dae_status dae__iterates_create(dae__arena *arena, const dae_problem *base, const dae_wave_terms *w,
                                dae__iterates **out, dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae__iterates_validate(w, err));
  if (!base->mechanical == !base->semi_explicit)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "terms",
                     "right sides at earlier iterates are for mechanical and semi-explicit "
                     "systems");
  size_t terms = (size_t)w->terms, own = terms * ((size_t)w->ages + 1), others = own - terms;
  dae__iterates *it = DAE__ALLOC(arena, dae__iterates, 1);
  double *weights = DAE__ALLOC(arena, double, terms + own + others);
  DAE__TRY(dae__arena_status(arena, err));
  *it = (dae__iterates){
      .arena = arena,
      .base = *base,
      .terms = {w->ages, w->terms, weights, weights + terms, weights + terms + own, w->linear},
      .forward = {.to = base->mechanical,
                  .to_semi = base->semi_explicit,
                  .name = "",
                  .why = base->why,
                  .last = dae_error_none()}};
  memcpy(weights, w->b, terms * sizeof *weights);
  memcpy(weights + terms, w->own, own * sizeof *weights);
  memcpy(weights + terms + own, w->others, others * sizeof *weights);
  DAE__TRY(iterates_create_base(it, err));
  it->x = DAE__ALLOC(arena, double, it->count);
  it->term = DAE__ALLOC(arena, double, it->rows);
  it->J = DAE__ALLOC(arena, double, dae__pattern_count(it->J_base));
  it->J_in_base = DAE__ALLOC(arena, double, dae__pattern_count(&it->e.J_in));
  it->J_forces = DAE__ALLOC(arena, double, dae__pattern_count(it->e.J));
  iterates_name_inputs(it);
  iterates_create_J_in(it);
  DAE__TRY(dae__arena_status(arena, err));
  iterates_describe(it);
  *out = it;
  return DAE_OK;
}
