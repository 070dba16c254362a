/* The extended problem of a system with slack variables: the base with slack variables in place of
 * inputs, then the equations of the donors,
 *
 *   0 = c(t, own variables, s, in),   J = [ J_own  J_own,in ]     J_in = [ J_own,in       ]
 *                                         [ J_p,in J_p      ]            [ J_p    J_p,in  ]
 *
 * with every entry of the donors' matrices in either J or J_in. A semi-explicit system is treated
 * as a mechanical one with x = u, y = w and neither q nor v. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/problem.h"
#include "wave/variants/slack.h"
#include <stdio.h>

#define NAME_SIZE 128

/* ---- points of the donors ---- */

/* Value of the variable or input at a place. */
static double slack_value_at(const dae__slack *s, const dae_mechanical_at *at, int place)
{
  const dae__system_sizes *n = &s->n;
  if (place < 0)
    return at->in[-1 - place];
  if (place < n->q)
    return at->q[place];
  if (place < 2 * n->q)
    return at->v[place - n->q];
  place -= 2 * n->q;
  return place < n->u ? at->u[place] : at->w[place - n->u];
}

/* Point at which donor k is evaluated; the base is donor 0, and its variables come first in all
 * vectors. */
static dae_mechanical_at slack_point_of(dae__slack *s, int k, const dae_mechanical_at *at)
{
  dae__donor *d = &s->donor[k];
  const dae__sizes *n = &d->e.n;
  const double *z = d->z_values, *in = d->e.in;
  bool given = k == 0 && s->unused && *s->unused;
  for (int i = 0; i < d->e.nin; i++)
    d->e.in[i] = given ? at->in[i] : slack_value_at(s, at, d->in[i]);
  if (k == 0)
    return (dae_mechanical_at){at->t, at->q, at->v, at->u, at->w, in};
  for (int i = 0; i < d->e.nz; i++)
    d->z_values[i] = slack_value_at(s, at, d->z[i]);
  return (dae_mechanical_at){at->t, z, z + n->q, z + 2 * n->q, z + 2 * n->q + n->u, in};
}

static const double *slack_base_inputs(dae__forward *forward, const dae_mechanical_at *at)
{
  return slack_point_of((dae__slack *)forward, 0, at).in;
}

/* ---- equations of the donors ---- */

/* Residuals of the algebraic equations taken from the donors, the rows of the slack variables. */
static int slack_donor_rows(dae__slack *s, const dae_mechanical_at *at, double *out)
{
  dae_error *err = &s->forward.last;
  int first = s->nz - s->n.q;
  for (int k = 1; k < s->donors; k++) {
    dae__donor *d = &s->donor[k];
    dae_mechanical_at here = slack_point_of(s, k, at);
    dae_mechanical_wanted want = {.c = d->rows};
    dae_status status = d->e.semi ? dae__element_semi(&d->e, &here, NULL, d->rows, NULL, err)
                                  : dae__mech_eval(d->e.m, &here, &want, err);
    if (status)
      return dae__forward_code(dae__forward_diagnose(d->e.name, status, err));
    const int *row = d->row + d->e.nr - d->e.n.w;
    for (int i = 0; i < d->e.n.w; i++)
      if (row[i] >= 0)
        out[row[i] - first] = d->rows[i];
  }
  return 0;
}

/* ---- matrices ---- */

enum { J_IN_J, IN_IN_J, J_IN_IN, IN_IN_IN };

static void slack_add_submatrix(dae__slack *s, const dae__submatrix *x, const dae__piece *piece,
                                const double *values, double *matrix)
{
  for (int e = 0; e < dae__pattern_count(&x->pattern); e++)
    s->submatrix_values[e] = values[x->entry[e]];
  dae__piece_add(piece, 1, s->submatrix_values, matrix);
}

/* Assembles J (of_J = J_IN_J) or J_in (of_J = J_IN_IN) from two submatrices of each donor. */
static int slack_assemble(dae__slack *s, const dae_mechanical_at *at, int of_J,
                          const dae__piece *piece, double *matrix)
{
  dae_error *err = &s->forward.last;
  dae__zero(dae__pattern_count(of_J == J_IN_J ? &s->J : &s->J_in), matrix);
  for (int k = 0; k < s->donors; k++) {
    dae__donor *d = &s->donor[k];
    const dae__submatrix *x = &d->submatrix[of_J];
    dae_mechanical_at here = slack_point_of(s, k, at);
    dae_status status = DAE_OK;
    const dae_mechanical *p = d->e.m ? d->e.m->p : NULL;
    bool momenta = d == s->donor && p && !p->f; /* J of a base with momenta is dF */
    if (momenta && dae__pattern_count(&x[0].pattern) > 0) {
      int code = dae__forward_result(&s->forward, p->J(p->user, &here, d->J), "J", here.t);
      if (code)
        return code;
    } else if (dae__pattern_count(&x[0].pattern) > 0) {
      status = dae__forward_diagnose(d->e.name, dae__element_J(&d->e, &here, d->J, err), err);
    }
    if (!status && dae__pattern_count(&x[1].pattern) > 0)
      status = dae__forward_diagnose(d->e.name, dae__element_J_in(&d->e, &here, d->J_in, err), err);
    if (status)
      return dae__forward_code(status);
    slack_add_submatrix(s, &x[0], &piece[2 * k], d->J, matrix);
    if (!(s->unused && *s->unused && k == 0 && of_J == J_IN_J))
      slack_add_submatrix(s, &x[1], &piece[2 * k + 1], d->J_in, matrix);
  }
  return 0;
}

/* ---- callbacks ---- */

static int slack_c(void *user, const dae_mechanical_at *at, double *c)
{
  dae__slack *s = user;
  dae_mechanical_at here = slack_point_of(s, 0, at);
  dae_semi_explicit_at semi = {at->t, at->u, at->w, here.in};
  const dae_mechanical *m = s->base.mechanical;
  const dae_semi_explicit *p = s->base.semi_explicit;
  int code = s->n.w == 0 ? 0 : m ? m->c(m->user, &here, c) : p->F(p->user, &semi, c);
  return dae__forward_result(&s->forward, code, m ? "c" : "F", at->t)
             ? code
             : slack_donor_rows(s, at, c + s->n.w);
}

static int slack_eval_all(void *user, const dae_mechanical_at *at,
                          const dae_mechanical_wanted *wanted)
{
  dae__slack *s = user;
  dae_mechanical_at here = slack_point_of(s, 0, at);
  dae_mechanical_wanted own = *wanted;
  const dae_mechanical *p = s->base.mechanical;
  if (p->nw == 0)
    own.c = NULL;
  int code = dae__forward_result(&s->forward, p->eval(p->user, &here, &own), "eval", at->t);
  return code || !wanted->c ? code : slack_donor_rows(s, at, wanted->c + s->n.w);
}

static int slack_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__slack *s = user;
  return slack_assemble(s, at, J_IN_J, s->J_piece, J);
}

static int slack_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__slack *s = user;
  return slack_assemble(s, at, J_IN_IN, s->J_in_piece, J_in);
}

DAE__SEMI_CALLBACK(slack_semi_F, slack_c)
DAE__SEMI_CALLBACK(slack_semi_J, slack_J)
DAE__SEMI_CALLBACK(slack_semi_J_in, slack_J_in)

/* ---- patterns and names ---- */

/* Submatrix of a donor's matrix: taken rows, and columns whose place is an input (input = true) or
 * a variable. */
static void slack_create_submatrix(dae__slack *s, const dae__donor *d, const dae_pattern *p,
                                   const int *place, bool input, dae__submatrix *x)
{
  int count = 0, all = dae__pattern_count(p);
  int *start = DAE__ALLOC(s->arena, int, p->cols + 1), *row = DAE__ALLOC(s->arena, int, all);
  x->entry = DAE__ALLOC(s->arena, int, all);
  x->col = DAE__ALLOC(s->arena, int, p->cols);
  if (dae__arena_failed(s->arena))
    return;
  for (int j = 0; j < p->cols; j++) {
    x->col[j] = input ? -1 - place[j] : place[j];
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (d->row[p->row[e]] >= 0 && (place[j] < 0) == input)
        row[count] = p->row[e], x->entry[count++] = e;
    start[j + 1] = count;
  }
  x->pattern = (dae_pattern){p->rows, p->cols, start, row};
}

static void slack_create_matrices(dae__slack *s)
{
  int rows = s->nz - s->n.q + s->count, largest = 0, pieces = 2 * s->donors;
  s->J_piece = DAE__ALLOC(s->arena, dae__piece, pieces);
  s->J_in_piece = DAE__ALLOC(s->arena, dae__piece, pieces);
  for (int k = 0; k < s->donors; k++) {
    dae__donor *d = &s->donor[k];
    for (int i = 0; i < 4 && !dae__arena_failed(s->arena); i++) {
      bool of_J = i % 2 == 0;
      const dae_pattern *p = of_J ? d->J_pattern : &d->e.J_in;
      slack_create_submatrix(s, d, p, of_J ? d->z : d->in, i >= 2, &d->submatrix[i]);
      dae__piece *piece = (i < 2 ? s->J_piece : s->J_in_piece) + 2 * k + i % 2;
      *piece = (dae__piece){&d->submatrix[i].pattern, d->row, d->submatrix[i].col, NULL};
      largest = dae__pattern_count(p) > largest ? dae__pattern_count(p) : largest;
    }
  }
  s->submatrix_values = DAE__ALLOC(s->arena, double, largest);
  if (dae__arena_failed(s->arena))
    return;
  s->J = dae__pieces_merge(s->arena, rows, s->nz + s->count, false, s->J_piece, pieces);
  s->J_in = dae__pieces_merge(s->arena, rows, s->n.in + s->inputs, false, s->J_in_piece, pieces);
}

/* List of n given names (may be NULL), followed by names of ports, as "system.variable". */
static const char *const *slack_names_with(dae__slack *s, const char *const *given, int n,
                                           const dae_port *port, int count)
{
  const char **names = DAE__ALLOC(s->arena, const char *, n + count);
  char *text = DAE__ALLOC(s->arena, char, (size_t)count *NAME_SIZE), own[64];
  for (int i = 0; names && given && i < n; i++)
    names[i] = given[i];
  for (int i = 0; names && text && i < count; i++, text += NAME_SIZE) {
    const dae_part *p = &s->coupled->part[port[i].part];
    dae_problem problem = dae__problem_of_part(p);
    dae_problem_variable(&problem, port[i].variable, own, sizeof own);
    snprintf(text, NAME_SIZE, "%.60s%s%s", p->name ? p->name : "", p->name && p->name[0] ? "." : "",
             own);
    names[n + i] = text;
  }
  return names;
}

static void slack_describe_mechanical(dae__slack *s, const char *const *names,
                                      const char *const *in_names)
{
  dae_mechanical *p = &s->mechanical;
  *p = *s->base.mechanical;
  dae__forward_mechanical(p);
  p->user = s;
  p->nw += s->count;
  p->nin += s->inputs;
  p->w_names = names;
  p->in_names = in_names;
  p->c = slack_c;
  p->J = p->f || p->J ? slack_J : NULL;
  p->J_in = slack_J_in;
  p->J_pattern = &s->J;
  p->J_in_pattern = &s->J_in;
  p->eval = p->eval ? slack_eval_all : NULL;
  p->energy_rate = NULL;
  s->problem = (dae_problem){.mechanical = p, .why = &s->forward.last};
}

static void slack_describe_semi(dae__slack *s, const char *const *names, const char *const *F_names,
                                const char *const *in_names)
{
  dae_semi_explicit *p = &s->semi_explicit;
  *p = *s->base.semi_explicit;
  dae__forward_semi(p);
  p->user = s;
  p->ny += s->count;
  p->nin += s->inputs;
  p->y_names = names;
  p->in_names = in_names;
  p->F_names = F_names;
  p->F = slack_semi_F;
  p->F_t = NULL;
  p->J = slack_semi_J;
  p->J_in = slack_semi_J_in;
  p->J_pattern = &s->J;
  p->J_in_pattern = &s->J_in;
  s->problem = (dae_problem){.semi_explicit = p, .why = &s->forward.last};
}

dae_status dae__slack_describe(dae__slack *s, dae_error *err)
{
  const dae_mechanical *m = s->base.mechanical;
  const dae_semi_explicit *p = s->base.semi_explicit;
  DAE__ASSERT(s->count > 0 && s->donors > 1);
  s->forward.inputs = slack_base_inputs;
  slack_create_matrices(s);
  const char *const *names =
      slack_names_with(s, m ? m->w_names : p->y_names, s->n.w, s->variable, s->count);
  const char *const *in_names =
      slack_names_with(s, m ? m->in_names : p->in_names, s->n.in, s->port, s->inputs);
  const char *const *F_names =
      p && p->F_names ? slack_names_with(s, p->F_names, s->n.w, s->variable, s->count) : NULL;
  DAE__TRY(dae__arena_status(s->arena, err));
  if (m)
    slack_describe_mechanical(s, names, in_names);
  else
    slack_describe_semi(s, names, F_names, in_names);
  return DAE_OK;
}
