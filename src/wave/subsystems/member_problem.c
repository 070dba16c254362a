/* The problem of a mechanical part with joints. f (or F, or both) is the part's minus the forces of
 * the joints; everything else is passed on. With P = G_z' L, L the rows of lambda and the columns
 * of f in the inverse of the matrix of member_balance.c,
 *
 *   d(f - G_z' lambda) = df - (G_z' lambda)_z dz - P (...)
 *
 * where the last term is there for joints that are carried: it is found column by column. What is
 * left out of J are derivatives of M and of the part's own constraints under P. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/member_parts.h"

static const dae_mechanical *member_part_of(const dae__member *m)
{
  return m->pass.to;
}

static int member_said(dae__member *m, int code, const char *callback, double t)
{
  return dae__pass_said(&m->pass, code, callback, t);
}

/* ---- passed on ---- */

static int member_pass_s(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = member_part_of(user);
  return member_said(user, p->s(p->user, at, out), "s", at->t);
}

static int member_pass_c(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = member_part_of(user);
  return member_said(user, p->c(p->user, at, out), "c", at->t);
}

static int member_pass_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const dae_mechanical *p = member_part_of(user);
  return member_said(user, p->energy(p->user, at, T, V), "energy", at->t);
}

static int member_pass_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                                   double *T_rate, double *V_rate)
{
  const dae_mechanical *p = member_part_of(user);
  const double *own = p->nin > 0 ? in_rate : NULL;
  return member_said(user, p->energy_rate(p->user, at, own, T_rate, V_rate), "energy_rate", at->t);
}

/* ---- forces ---- */

/* f -= G_z' lambda of the joints carried; of momenta, f is F = f + p_rate */
static dae_status member_eliminate(dae__member *m, const dae_mechanical_at *at, bool momenta,
                                   double *f)
{
  dae_status status = DAE_OK;
  int nq = m->balance.nq;
  dae__copy(nq, f, m->f);
  if (momenta) {
    status = dae__mech_p_rate(m->part.m, at, m->p_rate, &m->pass.last);
    dae__axpy(nq, -1, m->p_rate, m->f);
  }
  if (!status)
    status = dae__balance_solve(m, at, m->f, &m->pass.last);
  if (!status)
    dae__member_carried_forces(m, m->balance.y, f);
  return status;
}

static int member_add_joints(dae__member *m, const dae_mechanical_at *at, bool momenta, double *f)
{
  if (!dae__all_finite(m->balance.nq, f)) /* the caller finds it, and names the equation */
    return 0;
  dae_status status = dae__member_point(m, at, &m->pass.last);
  if (!status)
    dae__member_input_forces(m, at->in, f);
  if (!status && m->carried > 0)
    status = member_eliminate(m, at, momenta, f);
  return dae__pass_code(status);
}

static int member_eval_f(void *user, const dae_mechanical_at *at, double *f)
{
  const dae_mechanical *p = member_part_of(user);
  int code = member_said(user, p->f(p->user, at, f), "f", at->t);
  return code ? code : member_add_joints(user, at, false, f);
}

static int member_eval_F(void *user, const dae_mechanical_at *at, double *F)
{
  const dae_mechanical *p = member_part_of(user);
  int code = member_said(user, p->F(p->user, at, F), "F", at->t);
  return code ? code : member_add_joints(user, at, true, F);
}

static int member_eval_all(void *user, const dae_mechanical_at *at,
                           const dae_mechanical_wanted *wanted)
{
  const dae_mechanical *p = member_part_of(user);
  int code = member_said(user, p->eval(p->user, at, wanted), "eval", at->t);
  return code || !wanted->f ? code : member_add_joints(user, at, false, wanted->f);
}

/* ---- J and J_in ---- */

/* point, multipliers and derivatives of the joints */
static dae_status member_prepare(dae__member *m, const dae_mechanical_at *at)
{
  dae_status status = dae__member_point(m, at, &m->pass.last);
  if (!status && m->carried > 0) {
    status = dae__mech_eval(m->part.m, at, &(dae_mechanical_wanted){.f = m->f}, &m->pass.last);
    status = dae__pass_diagnose(m->pass.name, status, &m->pass.last);
    DAE__TRY(status);
    dae__member_input_forces(m, at->in, m->f);
    status = dae__balance_solve(m, at, m->f, &m->pass.last);
  }
  return status ? status : dae__member_derivatives(m, at, &m->pass.last);
}

/* -P (top, bottom) on the coordinates of the joints carried */
static void member_carried_column(dae__member *m, double *values)
{
  dae__balance *b = &m->balance;
  bool zero = dae__max_abs(b->nq, b->top) == 0 && dae__max_abs(b->rows, b->bottom) == 0;
  if (!zero)
    dae__balance_column(b);
  dae__zero(b->nq, b->top);
  if (!zero)
    dae__member_carried_forces(m, b->bottom, b->top);
  for (int i = 0; i < m->touched_count; i++)
    values[i] = b->top[m->touched[i]];
}

/* top = rows of f in column j of a matrix of (f, s, c) */
static void member_start_column(dae__balance *b, const dae_pattern *p, const double *values, int j)
{
  dae__zero(b->nq, b->top);
  dae__zero(b->rows, b->bottom);
  for (int e = j < p->cols ? p->start[j] : 0; j < p->cols && e < p->start[j + 1]; e++)
    if (p->row[e] < b->nq)
      b->top[p->row[e]] = values[e];
}

/* -(G_z,own' lambda)_z on own coordinates */
static void member_add_J_block(dae__member *m, int k, double *J)
{
  dae__hinge *h = &m->hinge[k];
  int nz = h->joint->nz, n = h->J_block.cols;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      h->block[i + n * j] = -h->Gts[h->entry[i] + nz * h->entry[j]];
  dae__piece_add(&m->J_piece[1 + k], 1, h->block, J);
}

static dae_status member_add_carried_J(dae__member *m, const dae_mechanical_at *at, double *J)
{
  dae_status status = dae__mech_J(m->part.m, at, m->J_values, &m->pass.last);
  if (status)
    return dae__pass_diagnose(m->pass.name, status, &m->pass.last);
  for (int j = 0; j < m->part.nz; j++) {
    member_start_column(&m->balance, m->part.J, m->J_values, j);
    dae__member_column_z(m, j, m->balance.top, m->balance.bottom);
    member_carried_column(m, m->carried_values + m->touched_count * j);
  }
  dae__piece_add(&m->J_piece[1 + m->hinges], 1, m->carried_values, J);
  return DAE_OK;
}

static int member_eval_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__member *m = user;
  const dae_mechanical *p = member_part_of(m);
  int code = member_said(m, p->J(p->user, at, m->J_user_values), "J", at->t);
  if (code)
    return code;
  dae__zero(dae__pattern_count(&m->J), J);
  dae__piece_add(&m->J_piece[0], 1, m->J_user_values, J);
  if (m->lagged && m->carried == 0)
    return 0;
  dae_status status = member_prepare(m, at);
  if (status)
    return dae__pass_code(status);
  for (int k = 0; k < m->hinges && !m->lagged; k++)
    member_add_J_block(m, k, J);
  if (m->carried > 0)
    status = member_add_carried_J(m, at, J);
  return dae__pass_code(status);
}

/* columns z and, where the joint is not carried, lambda */
static void member_add_J_in_block(dae__member *m, int k, double *J_in)
{
  dae__hinge *h = &m->hinge[k];
  int nz = h->joint->nz, ng = h->joint->ng;
  for (int j = 0; j < h->J_in_block.cols; j++)
    for (int i = 0; i < h->count; i++) {
      bool live = j >= nz || m->lagged || h->own[j] < 0;
      double value = j < nz ? h->Gts[h->entry[i] + nz * j] : h->G[j - nz + ng * h->entry[i]];
      h->block[i + h->count * j] = live ? -value : 0;
    }
  dae__piece_add(&m->J_in_piece[1 + k], 1, h->block, J_in);
}

static void member_add_carried_J_in(dae__member *m, double *J_in)
{
  for (int j = 0; j < m->inputs; j++) {
    member_start_column(&m->balance, &m->part.J_in, m->J_in_values, j);
    dae__member_column_in(m, j, m->balance.top, m->balance.bottom);
    member_carried_column(m, m->carried_values + m->touched_count * j);
  }
  dae__piece_add(&m->J_in_piece[1 + m->hinges], 1, m->carried_values, J_in);
}

static int member_eval_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__member *m = user;
  dae_status status = member_prepare(m, at);
  if (!status && m->part.nin > 0)
    status = dae__pass_diagnose(m->pass.name,
                                dae__element_J_in(&m->part, at, m->J_in_values, &m->pass.last),
                                &m->pass.last);
  if (status)
    return dae__pass_code(status);
  dae__zero(dae__pattern_count(&m->J_in), J_in);
  dae__piece_add(&m->J_in_piece[0], 1, m->J_in_values, J_in);
  for (int k = 0; k < m->hinges; k++)
    member_add_J_in_block(m, k, J_in);
  if (m->carried > 0)
    member_add_carried_J_in(m, J_in);
  return 0;
}

/* ---- the description ---- */

/* coordinates in joints that are carried */
static void member_find_touched(dae__member *m)
{
  bool *mark = DAE__ALLOC(m->arena, bool, m->balance.nq);
  m->touched = DAE__ALLOC(m->arena, int, m->balance.nq);
  if (dae__arena_failed(m->arena))
    return;
  for (int k = 0; k < m->hinges; k++)
    for (int c = 0; m->hinge[k].carried && c < m->hinge[k].count; c++)
      mark[m->hinge[k].coordinate[c]] = true;
  for (int i = 0; i < m->balance.nq; i++)
    if (mark[i])
      m->touched[m->touched_count++] = i;
}

static void member_create_patterns(dae__member *m)
{
  const dae__mech *own = m->part.m;
  const dae_mechanical *p = member_part_of(m);
  int last = 1 + m->hinges;
  m->J_piece = DAE__ALLOC(m->arena, dae__piece, last + 1);
  m->J_in_piece = DAE__ALLOC(m->arena, dae__piece, last + 1);
  m->J_carried = dae__pattern_dense(m->arena, m->touched_count, m->part.nz);
  m->J_in_carried = dae__pattern_dense(m->arena, m->touched_count, m->inputs);
  if (dae__arena_failed(m->arena))
    return;
  m->J_piece[0] = (dae__piece){&own->J_user, m->range, m->range, NULL};
  m->J_in_piece[0] = (dae__piece){&m->part.J_in, m->range, m->range, NULL};
  m->J_piece[last] = (dae__piece){&m->J_carried, m->touched, m->range, NULL};
  m->J_in_piece[last] = (dae__piece){&m->J_in_carried, m->touched, m->range, NULL};
  for (int k = 0; k < m->hinges; k++) {
    const dae__hinge *h = &m->hinge[k];
    m->J_piece[1 + k] = (dae__piece){&h->J_block, h->coordinate, h->coordinate, NULL};
    m->J_in_piece[1 + k] = (dae__piece){&h->J_in_block, h->coordinate, h->J_in_col, NULL};
  }
  m->J = dae__pieces_merge(m->arena, own->nr, m->part.nz, !p->J_pattern, m->J_piece, last + 1);
  m->J_in = dae__pieces_merge(m->arena, own->nr, m->inputs, false, m->J_in_piece, last + 1);
}

static void member_alloc_scratch(dae__member *m)
{
  int columns = m->inputs > m->part.nz ? m->inputs : m->part.nz;
  m->J_user_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&m->part.m->J_user));
  m->carried_values = DAE__ALLOC(m->arena, double, (size_t)m->touched_count *(size_t)columns);
  m->p_rate = DAE__ALLOC(m->arena, double, m->balance.nq);
}

/* input names of the part; those of joints have none */
static const char *const *member_names_of(dae__member *m)
{
  const dae_mechanical *p = member_part_of(m);
  const char **names = p->in_names ? DAE__ALLOC(m->arena, const char *, m->inputs) : NULL;
  for (int i = 0; names && i < p->nin; i++)
    names[i] = p->in_names[i];
  return names;
}

dae_status dae__member_describe(dae__member *m, dae_error *err)
{
  dae_mechanical *p = &m->mechanical;
  *p = *member_part_of(m);
  member_find_touched(m);
  if (!dae__arena_failed(m->arena))
    member_create_patterns(m);
  if (!dae__arena_failed(m->arena))
    member_alloc_scratch(m);
  p->in_names = member_names_of(m);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  p->user = m;
  p->nin = m->inputs;
  p->f = p->f ? member_eval_f : NULL;
  p->F = p->F ? member_eval_F : NULL;
  p->J = p->J ? member_eval_J : NULL;
  p->J_in = member_eval_J_in;
  p->eval = p->eval ? member_eval_all : NULL;
  p->s = p->s ? member_pass_s : NULL;
  p->c = p->c ? member_pass_c : NULL;
  p->energy = p->energy ? member_pass_energy : NULL;
  p->energy_rate = p->energy_rate ? member_pass_energy_rate : NULL;
  dae__pass_on(p);
  p->J_pattern = p->J_pattern ? &m->J : NULL;
  p->J_in_pattern = &m->J_in;
  m->problem = (dae_problem){.mechanical = p, .why = &m->pass.last};
  return DAE_OK;
}
