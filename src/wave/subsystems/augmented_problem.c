/* The problem of a mechanical part with joints. f (or F, or both) is the part's minus the forces of
 * the joints; everything else is passed on. With P = G_z' L, L the rows of lambda and the columns
 * of f in the inverse of the matrix of augmented_balance.c,
 *
 *   d(f - G_z' lambda) = df - (G_z' lambda)_z dz - P (...)
 *
 * where the last term is there for joints that are eliminated: it is found column by column. What
 * is left out of J are derivatives of M and of the part's own constraints under P. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/augmented_internal.h"

static const dae_mechanical *augmented_part_of(const dae__augmented *m)
{
  return m->forward.to;
}

static int augmented_said(dae__augmented *m, int code, const char *callback, double t)
{
  return dae__forward_result(&m->forward, code, callback, t);
}

/* ---- passed on ---- */

static int augmented_pass_s(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = augmented_part_of(user);
  return augmented_said(user, p->s(p->user, at, out), "s", at->t);
}

static int augmented_pass_c(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_mechanical *p = augmented_part_of(user);
  return augmented_said(user, p->c(p->user, at, out), "c", at->t);
}

static int augmented_pass_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const dae_mechanical *p = augmented_part_of(user);
  return augmented_said(user, p->energy(p->user, at, T, V), "energy", at->t);
}

static int augmented_pass_energy_rate(void *user, const dae_mechanical_at *at,
                                      const double *in_rate, double *T_rate, double *V_rate)
{
  const dae_mechanical *p = augmented_part_of(user);
  const double *own = p->nin > 0 ? in_rate : NULL;
  return augmented_said(user, p->energy_rate(p->user, at, own, T_rate, V_rate), "energy_rate",
                        at->t);
}

/* ---- forces ---- */

/* f -= G_z' lambda of the joints eliminated; of momenta, f is F = f + p_rate */
static dae_status augmented_eliminate(dae__augmented *m, const dae_mechanical_at *at, bool momenta,
                                      double *f)
{
  dae_status status = DAE_OK;
  int nq = m->kkt.nq;
  dae__copy(nq, f, m->f);
  if (momenta) {
    status = dae__mech_p_rate(m->part.m, at, m->p_rate, &m->forward.last);
    dae__axpy(nq, -1, m->p_rate, m->f);
  }
  if (!status)
    status = dae__kkt_solve(m, at, m->f, &m->forward.last);
  if (!status)
    dae__augmented_carried_forces(m, m->kkt.y, f);
  return status;
}

static int augmented_add_joints(dae__augmented *m, const dae_mechanical_at *at, bool momenta,
                                double *f)
{
  if (!dae__all_finite(m->kkt.nq, f)) /* the caller finds it, and names the equation */
    return 0;
  dae_status status = dae__augmented_point(m, at, &m->forward.last);
  if (!status)
    dae__augmented_input_forces(m, at->in, f);
  if (!status && m->eliminated > 0)
    status = augmented_eliminate(m, at, momenta, f);
  return dae__forward_code(status);
}

static int augmented_eval_f(void *user, const dae_mechanical_at *at, double *f)
{
  const dae_mechanical *p = augmented_part_of(user);
  int code = augmented_said(user, p->f(p->user, at, f), "f", at->t);
  return code ? code : augmented_add_joints(user, at, false, f);
}

static int augmented_eval_F(void *user, const dae_mechanical_at *at, double *F)
{
  const dae_mechanical *p = augmented_part_of(user);
  int code = augmented_said(user, p->F(p->user, at, F), "F", at->t);
  return code ? code : augmented_add_joints(user, at, true, F);
}

static int augmented_eval_all(void *user, const dae_mechanical_at *at,
                              const dae_mechanical_wanted *wanted)
{
  const dae_mechanical *p = augmented_part_of(user);
  int code = augmented_said(user, p->eval(p->user, at, wanted), "eval", at->t);
  return code || !wanted->f ? code : augmented_add_joints(user, at, false, wanted->f);
}

/* ---- J and J_in ---- */

/* point, multipliers and derivatives of the joints */
static dae_status augmented_prepare(dae__augmented *m, const dae_mechanical_at *at)
{
  dae_status status = dae__augmented_point(m, at, &m->forward.last);
  if (!status && m->eliminated > 0) {
    status = dae__mech_eval(m->part.m, at, &(dae_mechanical_wanted){.f = m->f}, &m->forward.last);
    status = dae__forward_diagnose(m->forward.name, status, &m->forward.last);
    DAE__TRY(status);
    dae__augmented_input_forces(m, at->in, m->f);
    status = dae__kkt_solve(m, at, m->f, &m->forward.last);
  }
  return status ? status : dae__augmented_derivatives(m, at, &m->forward.last);
}

/* -P (top, bottom) on the coordinates of the joints eliminated */
static void augmented_carried_column(dae__augmented *m, double *values)
{
  dae__kkt *b = &m->kkt;
  bool zero = dae__max_abs(b->nq, b->top) == 0 && dae__max_abs(b->rows, b->bottom) == 0;
  if (!zero)
    dae__kkt_column(b);
  dae__zero(b->nq, b->top);
  if (!zero)
    dae__augmented_carried_forces(m, b->bottom, b->top);
  for (int i = 0; i < m->touched_count; i++)
    values[i] = b->top[m->touched[i]];
}

/* top = rows of f in column j of a matrix of (f, s, c) */
static void augmented_start_column(dae__kkt *b, const dae_pattern *p, const double *values, int j)
{
  dae__zero(b->nq, b->top);
  dae__zero(b->rows, b->bottom);
  for (int e = j < p->cols ? p->start[j] : 0; j < p->cols && e < p->start[j + 1]; e++)
    if (p->row[e] < b->nq)
      b->top[p->row[e]] = values[e];
}

/* -(G_z,own' lambda)_z on own coordinates */
static void augmented_add_J_block(dae__augmented *m, int k, double *J)
{
  dae__attached_joint *h = &m->joint[k];
  int nz = h->joint->nz, n = h->J_block.cols;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      h->block[i + n * j] = -h->Gts[h->entry[i] + nz * h->entry[j]];
  dae__piece_add(&m->J_piece[1 + k], 1, h->block, J);
}

static dae_status augmented_add_carried_J(dae__augmented *m, const dae_mechanical_at *at, double *J)
{
  dae_status status = dae__mech_J(m->part.m, at, m->J_values, &m->forward.last);
  if (status)
    return dae__forward_diagnose(m->forward.name, status, &m->forward.last);
  for (int j = 0; j < m->part.nz; j++) {
    augmented_start_column(&m->kkt, m->part.J, m->J_values, j);
    dae__augmented_column_z(m, j, m->kkt.top, m->kkt.bottom);
    augmented_carried_column(m, m->carried_values + m->touched_count * j);
  }
  dae__piece_add(&m->J_piece[1 + m->joints], 1, m->carried_values, J);
  return DAE_OK;
}

static int augmented_eval_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__augmented *m = user;
  const dae_mechanical *p = augmented_part_of(m);
  int code = augmented_said(m, p->J(p->user, at, m->J_user_values), "J", at->t);
  if (code)
    return code;
  dae__zero(dae__pattern_count(&m->J), J);
  dae__piece_add(&m->J_piece[0], 1, m->J_user_values, J);
  if (m->lagged && m->eliminated == 0)
    return 0;
  dae_status status = augmented_prepare(m, at);
  if (status)
    return dae__forward_code(status);
  for (int k = 0; k < m->joints && !m->lagged; k++)
    augmented_add_J_block(m, k, J);
  if (m->eliminated > 0)
    status = augmented_add_carried_J(m, at, J);
  return dae__forward_code(status);
}

/* columns z and, where the joint is not eliminated, lambda */
static void augmented_add_J_in_block(dae__augmented *m, int k, double *J_in)
{
  dae__attached_joint *h = &m->joint[k];
  int nz = h->joint->nz, ng = h->joint->ng;
  for (int j = 0; j < h->J_in_block.cols; j++)
    for (int i = 0; i < h->count; i++) {
      bool live = j >= nz || m->lagged || h->own[j] < 0;
      double value = j < nz ? h->Gts[h->entry[i] + nz * j] : h->G[j - nz + ng * h->entry[i]];
      h->block[i + h->count * j] = live ? -value : 0;
    }
  dae__piece_add(&m->J_in_piece[1 + k], 1, h->block, J_in);
}

static void augmented_add_carried_J_in(dae__augmented *m, double *J_in)
{
  for (int j = 0; j < m->inputs; j++) {
    augmented_start_column(&m->kkt, &m->part.J_in, m->J_in_values, j);
    dae__augmented_column_in(m, j, m->kkt.top, m->kkt.bottom);
    augmented_carried_column(m, m->carried_values + m->touched_count * j);
  }
  dae__piece_add(&m->J_in_piece[1 + m->joints], 1, m->carried_values, J_in);
}

static int augmented_eval_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__augmented *m = user;
  dae_status status = augmented_prepare(m, at);
  if (!status && m->part.nin > 0)
    status = dae__forward_diagnose(
        m->forward.name, dae__element_J_in(&m->part, at, m->J_in_values, &m->forward.last),
        &m->forward.last);
  if (status)
    return dae__forward_code(status);
  dae__zero(dae__pattern_count(&m->J_in), J_in);
  dae__piece_add(&m->J_in_piece[0], 1, m->J_in_values, J_in);
  for (int k = 0; k < m->joints; k++)
    augmented_add_J_in_block(m, k, J_in);
  if (m->eliminated > 0)
    augmented_add_carried_J_in(m, J_in);
  return 0;
}

/* ---- the description ---- */

/* coordinates in joints that are eliminated */
static void augmented_find_touched(dae__augmented *m)
{
  bool *mark = DAE__ALLOC(m->arena, bool, m->kkt.nq);
  m->touched = DAE__ALLOC(m->arena, int, m->kkt.nq);
  if (dae__arena_failed(m->arena))
    return;
  for (int k = 0; k < m->joints; k++)
    for (int c = 0; m->joint[k].eliminated && c < m->joint[k].count; c++)
      mark[m->joint[k].coordinate[c]] = true;
  for (int i = 0; i < m->kkt.nq; i++)
    if (mark[i])
      m->touched[m->touched_count++] = i;
}

static void augmented_create_patterns(dae__augmented *m)
{
  const dae__mech *own = m->part.m;
  const dae_mechanical *p = augmented_part_of(m);
  int last = 1 + m->joints;
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
  for (int k = 0; k < m->joints; k++) {
    const dae__attached_joint *h = &m->joint[k];
    m->J_piece[1 + k] = (dae__piece){&h->J_block, h->coordinate, h->coordinate, NULL};
    m->J_in_piece[1 + k] = (dae__piece){&h->J_in_block, h->coordinate, h->J_in_col, NULL};
  }
  m->J = dae__pieces_merge(m->arena, own->nr, m->part.nz, !p->J_pattern, m->J_piece, last + 1);
  m->J_in = dae__pieces_merge(m->arena, own->nr, m->inputs, false, m->J_in_piece, last + 1);
}

static void augmented_alloc_scratch(dae__augmented *m)
{
  int columns = m->inputs > m->part.nz ? m->inputs : m->part.nz;
  m->J_user_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&m->part.m->J_user));
  m->carried_values = DAE__ALLOC(m->arena, double, (size_t)m->touched_count *(size_t)columns);
  m->p_rate = DAE__ALLOC(m->arena, double, m->kkt.nq);
}

/* input names of the part; those of joints have none */
static const char *const *augmented_names_of(dae__augmented *m)
{
  const dae_mechanical *p = augmented_part_of(m);
  const char **names = p->in_names ? DAE__ALLOC(m->arena, const char *, m->inputs) : NULL;
  for (int i = 0; names && i < p->nin; i++)
    names[i] = p->in_names[i];
  return names;
}

dae_status dae__augmented_describe(dae__augmented *m, dae_error *err)
{
  dae_mechanical *p = &m->mechanical;
  *p = *augmented_part_of(m);
  augmented_find_touched(m);
  if (!dae__arena_failed(m->arena))
    augmented_create_patterns(m);
  if (!dae__arena_failed(m->arena))
    augmented_alloc_scratch(m);
  p->in_names = augmented_names_of(m);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  p->user = m;
  p->nin = m->inputs;
  p->f = p->f ? augmented_eval_f : NULL;
  p->F = p->F ? augmented_eval_F : NULL;
  p->J = p->J ? augmented_eval_J : NULL;
  p->J_in = augmented_eval_J_in;
  p->eval = p->eval ? augmented_eval_all : NULL;
  p->s = p->s ? augmented_pass_s : NULL;
  p->c = p->c ? augmented_pass_c : NULL;
  p->energy = p->energy ? augmented_pass_energy : NULL;
  p->energy_rate = p->energy_rate ? augmented_pass_energy_rate : NULL;
  dae__forward_callbacks(p);
  p->J_pattern = p->J_pattern ? &m->J : NULL;
  p->J_in_pattern = &m->J_in;
  m->problem = (dae_problem){.mechanical = p, .why = &m->forward.last};
  return DAE_OK;
}
