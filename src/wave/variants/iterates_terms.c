/* Right sides at earlier iterates and their derivatives. With X_j, In_j the points of the terms, f
 * the rows (f, s), with momenta (F, s), and c the algebraic rows, which are not replaced,
 *
 *   f = sum_j b_j f(X_j, w, In_j) + theta f_x (x - x^(n-1)),    theta = linear
 *
 *   J    = [ sum_j b_j own_0j f_x(X_j) + theta f_x   sum_j b_j f_w(X_j) ]
 *          [ c_x                                     c_w                ]
 *   J_in = [ sum_j b_j others_ij f_in(X_j)   sum_j b_j own_ij f_x(X_j) - theta f_x (i = 1) ]
 *          [ c_in (i = 1)                    0                                             ]
 *
 * f_x of the linear part is evaluated at x^(n-1), the point of the only term; derivatives of f_x
 * are omitted. Algebraic rows are evaluated with in^(n-1), which comes first among the inputs. */
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/variants/iterates.h"

/* ---- points of the terms ---- */

/* Pointer to x^(n-age) among the inputs. */
static const double *terms_x_of_age(const dae__iterates *it, const dae_mechanical_at *at, int age)
{
  return at->in + it->terms.ages * it->e.nin + (age - 1) * it->count;
}

/* it->x = (q, v, u) of the present point */
static void terms_gather(dae__iterates *it, const dae_mechanical_at *at)
{
  int nq = it->e.n.q;
  dae__copy(nq, at->q, it->x);
  dae__copy(nq, at->v, it->x + nq);
  dae__copy(it->e.n.u, at->u, it->x + 2 * nq);
}

/* Weights own_ij of term j, i = 0 ... ages. */
static const double *terms_own_of(const dae__iterates *it, int j)
{
  return it->terms.own + (size_t)j * ((size_t)it->terms.ages + 1);
}

/* Weights others_ij of term j, i = 1 ... ages. */
static const double *terms_others_of(const dae__iterates *it, int j)
{
  return it->terms.others + (size_t)j * (size_t)it->terms.ages;
}

/* Point (X_j, w, In_j) of term j; iterates of weight 0 are not read. */
static dae_mechanical_at terms_term_point(dae__iterates *it, const dae_mechanical_at *at, int j)
{
  const double *own = terms_own_of(it, j), *others = terms_others_of(it, j), *x = it->x;
  int nq = it->e.n.q, nin = it->e.nin;
  terms_gather(it, at);
  dae__scale(it->count, own[0], it->x);
  dae__zero(nin, it->e.in);
  for (int i = 1; i <= it->terms.ages; i++) {
    if (own[i] != 0)
      dae__axpy(it->count, own[i], terms_x_of_age(it, at, i), it->x);
    if (others[i - 1] != 0)
      dae__axpy(nin, others[i - 1], at->in + (i - 1) * nin, it->e.in);
  }
  return (dae_mechanical_at){at->t, x, x + nq, x + 2 * nq, at->w, it->e.in};
}

/* Present point (x, w, in^(n-1)). */
static dae_mechanical_at terms_present_point(dae__iterates *it, const dae_mechanical_at *at)
{
  dae_mechanical_at here = *at;
  dae__copy(it->e.nin, at->in, it->e.in);
  here.in = it->e.in;
  return here;
}

/* ---- evaluation of the base ---- */

/* Status for the return code of a callback of the base. */
static dae_status terms_status_of(dae__iterates *it, int code, const char *callback, double t)
{
  dae__forward_result(&it->forward, code, callback, t);
  return code == 0 ? DAE_OK : code > 0 ? DAE_ERROR_RECOVERABLE : DAE_ERROR_CALLBACK;
}

/* it->J = d(f,s,c) of the base, with momenta d(F,s,c) */
static dae_status terms_base_J(dae__iterates *it, const dae_mechanical_at *here)
{
  const dae_mechanical *m = it->base.mechanical;
  bool momenta = m && !m->f;
  if (!momenta)
    return dae__element_J(&it->e, here, it->J, &it->forward.last);
  if (m->J)
    return terms_status_of(it, m->J(m->user, here, it->J), "J", here->t);
  dae_status status = dae__mech_J(it->e.m, here, it->J_forces, &it->forward.last);
  /* derivatives without p_rate */
  dae__copy(dae__pattern_count(it->J_base), it->e.m->J_values, it->J);
  return status;
}

static dae_status terms_base_J_in(dae__iterates *it, const dae_mechanical_at *here)
{
  const dae_mechanical *m = it->base.mechanical;
  const dae_semi_explicit *s = it->base.semi_explicit;
  dae_semi_explicit_at at = {here->t, here->u, here->w, here->in};
  if (it->e.nin == 0)
    return DAE_OK;
  if (m && m->J_in)
    return terms_status_of(it, m->J_in(m->user, here, it->J_in_base), "J_in", here->t);
  if (s && s->J_in)
    return terms_status_of(it, s->J_in(s->user, &at, it->J_in_base), "J_in", here->t);
  return dae__element_J_in(&it->e, here, it->J_in_base, &it->forward.last);
}

/* Evaluates s of the base (states = true), else f or F, whichever is given. */
static int terms_base_rows(dae__iterates *it, const dae_mechanical_at *here, bool states,
                           double *out)
{
  const dae_mechanical *m = it->base.mechanical;
  const dae_semi_explicit *s = it->base.semi_explicit;
  dae_semi_explicit_at at = {here->t, here->u, here->w, here->in};
  if (s)
    return dae__forward_result(&it->forward, s->f(s->user, &at, out), "f", here->t);
  if (states)
    return dae__forward_result(&it->forward, m->s(m->user, here, out), "s", here->t);
  if (m->f)
    return dae__forward_result(&it->forward, m->f(m->user, here, out), "f", here->t);
  return dae__forward_result(&it->forward, m->F(m->user, here, out), "F", here->t);
}

/* ---- right sides ---- */

/* out += theta f_x (x - x^(n-1)), rows first ... first + n - 1 */
static int terms_add_linear(dae__iterates *it, const dae_mechanical_at *at, int first, int n,
                            double *out)
{
  const dae_pattern *p = it->J_base;
  dae_mechanical_at here = terms_term_point(it, at, 0);
  dae_status status = terms_base_J(it, &here);
  if (status)
    return dae__forward_code(status);
  terms_gather(it, at);
  dae__axpy(it->count, -1, terms_x_of_age(it, at, 1), it->x);
  for (int c = 0; c < it->count; c++)
    for (int e = p->start[c]; e < p->start[c + 1]; e++)
      if (p->row[e] >= first && p->row[e] < first + n)
        out[p->row[e] - first] += it->terms.linear * it->J[e] * it->x[c];
  return 0;
}

int dae__iterates_rows(dae__iterates *it, const dae_mechanical_at *at, bool states, double *out)
{
  int first = states ? it->e.n.q : 0, n = states ? it->e.n.u : it->e.n.q;
  dae__zero(n, out);
  for (int j = 0; j < it->terms.terms; j++) {
    if (it->terms.b[j] == 0)
      continue;
    dae_mechanical_at here = terms_term_point(it, at, j);
    int code = terms_base_rows(it, &here, states, it->term);
    if (code)
      return code;
    dae__axpy(n, it->terms.b[j], it->term, out);
  }
  return it->terms.linear > 0 ? terms_add_linear(it, at, first, n, out) : 0;
}

/* ---- J and J_in ---- */

/* A range of columns in a matrix of the base, and the begin of each in the result's values. */
typedef struct columns {
  const dae_pattern *from;
  int first, count;
  const int *start;
} columns;

/* Adds factor times the rows (f, s) of the base to the result: they come first in every column. */
static void terms_add_rows(const dae__iterates *it, columns c, double factor, const double *values,
                           double *out)
{
  for (int k = 0; factor != 0 && k < c.count; k++) {
    int begin = c.from->start[c.first + k], end = c.from->start[c.first + k + 1];
    for (int e = begin; e < end && c.from->row[e] < it->rows; e++)
      out[c.start[k] + e - begin] += factor * values[e];
  }
}

/* Copies the algebraic rows, whose entries have the same indices in the base and in the result. */
static void terms_put_algebraic(const dae__iterates *it, const dae_pattern *p, const double *values,
                                double *out)
{
  for (int e = 0; e < dae__pattern_count(p); e++)
    if (p->row[e] >= it->rows)
      out[e] = values[e];
}

int dae__iterates_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__iterates *it = user;
  const dae_pattern *p = it->J_base;
  columns of_x = {p, 0, it->count, p->start};
  columns of_w = {p, it->count, it->e.n.w, p->start + it->count};
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(p), J);
  for (int j = 0; j < it->terms.terms && !status; j++) {
    double b = it->terms.b[j], slope = terms_own_of(it, j)[0] + it->terms.linear;
    if (b == 0 || (slope == 0 && it->e.n.w == 0))
      continue;
    dae_mechanical_at here = terms_term_point(it, at, j);
    status = terms_base_J(it, &here);
    terms_add_rows(it, of_x, b * slope, it->J, J);
    terms_add_rows(it, of_w, b, it->J, J);
  }
  if (!status && it->e.n.w > 0) {
    dae_mechanical_at here = terms_present_point(it, at);
    status = terms_base_J(it, &here);
    terms_put_algebraic(it, p, it->J, J);
  }
  return dae__forward_code(status);
}

/* Adds term j to J_in, from it->J and it->J_in_base at the point of the term. */
static void terms_add_term_J_in(const dae__iterates *it, int j, double *J_in)
{
  const double *own = terms_own_of(it, j), *others = terms_others_of(it, j);
  double b = it->terms.b[j];
  int ages = it->terms.ages, nin = it->e.nin;
  const int *start = it->J_in.start;
  for (int i = 1; i <= ages; i++) {
    columns of_in = {&it->e.J_in, 0, nin, start + (i - 1) * nin};
    columns of_x = {it->J_base, 0, it->count, start + ages * nin + (i - 1) * it->count};
    double slope = own[i] - (i == 1 ? it->terms.linear : 0);
    terms_add_rows(it, of_in, b * others[i - 1], it->J_in_base, J_in);
    terms_add_rows(it, of_x, b * slope, it->J, J_in);
  }
}

int dae__iterates_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__iterates *it = user;
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&it->J_in), J_in);
  for (int j = 0; j < it->terms.terms && !status; j++) {
    if (it->terms.b[j] == 0)
      continue;
    dae_mechanical_at here = terms_term_point(it, at, j);
    status = terms_base_J(it, &here);
    if (!status)
      status = terms_base_J_in(it, &here);
    terms_add_term_J_in(it, j, J_in);
  }
  if (!status && it->e.n.w > 0 && it->e.nin > 0) {
    dae_mechanical_at here = terms_present_point(it, at);
    status = terms_base_J_in(it, &here);
    terms_put_algebraic(it, &it->e.J_in, it->J_in_base, J_in);
  }
  return dae__forward_code(status);
}
