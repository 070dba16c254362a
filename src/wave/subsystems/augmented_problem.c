/* Problem of a mechanical system with joints: the forces of the joints are subtracted from the
 * system's f (or F, or both), and all other callbacks are forwarded. With P = G_z' L, L the rows of
 * lambda and the columns of f in the inverse of the KKT matrix,
 *
 *   d(f - G_z' lambda) = df - (G_z' lambda)_z dz - P (...)
 *
 * where the last term, due to eliminated joints, is computed column by column. J omits in this term
 * the derivatives of M and of the system's own constraints. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/augmented.h"

/* ---- forces ---- */

/* Subtracts G_z' lambda of all joints from f; from F = f + p_rate of a problem with momenta. */
static int augmented_add_joints(dae__augmented *m, const dae_mechanical_at *at, bool momenta,
                                double *f)
{
  dae_error *err = &m->forward.last;
  int nq = m->kkt.nq;
  /* the caller detects values that are not finite, and names the equation */
  if (!dae__all_finite(nq, f))
    return 0;
  dae_status status = dae__augmented_point(m, at, err);
  if (!status)
    dae__augmented_input_forces(m, at->in, f);
  if (status || m->eliminated == 0)
    return dae__forward_code(status);
  dae__copy(nq, f, m->f);
  if (momenta) {
    status = dae__mech_p_rate(m->element.m, at, m->p_rate, err);
    dae__axpy(nq, -1, m->p_rate, m->f);
  }
  if (!status)
    status = dae__kkt_accelerate(m, at, m->f, err);
  if (!status)
    dae__augmented_eliminated_forces(m, m->kkt.y, f);
  return dae__forward_code(status);
}

#define FORCES(name, momenta)                                                                      \
  static int augmented_##name(void *user, const dae_mechanical_at *at, double *out)                \
  {                                                                                                \
    dae__augmented *m = user;                                                                      \
    const dae_mechanical *p = m->forward.to;                                                       \
    int code = dae__forward_result(&m->forward, p->name(p->user, at, out), #name, at->t);          \
    return code ? code : augmented_add_joints(m, at, momenta, out);                                \
  }
FORCES(f, false)
FORCES(F, true)

static int augmented_eval_all(void *user, const dae_mechanical_at *at,
                              const dae_mechanical_wanted *wanted)
{
  dae__augmented *m = user;
  const dae_mechanical *p = m->forward.to;
  int code = dae__forward_result(&m->forward, p->eval(p->user, at, wanted), "eval", at->t);
  return code || !wanted->f ? code : augmented_add_joints(m, at, false, wanted->f);
}

/* ---- J and J_in ---- */

dae_status dae__augmented_accelerate(dae__augmented *m, const dae_mechanical_at *at, dae_error *err)
{
  dae_status status = dae__mech_eval(m->element.m, at, &(dae_mechanical_wanted){.f = m->f}, err);
  DAE__TRY(dae__forward_diagnose(m->forward.name, status, err));
  dae__augmented_input_forces(m, at->in, m->f);
  return dae__kkt_accelerate(m, at, m->f, err);
}

/* Evaluates points, multipliers and derivatives of the joints. */
static dae_status augmented_prepare(dae__augmented *m, const dae_mechanical_at *at)
{
  dae_error *err = &m->forward.last;
  DAE__TRY(dae__augmented_point(m, at, err));
  if (m->eliminated > 0)
    DAE__TRY(dae__augmented_accelerate(m, at, err));
  return dae__augmented_derivatives(m, at, err);
}

/* Column j of -P (...), the derivatives of the eliminated forces, on the coordinates of eliminated
 * joints; from column j of the system's J (or J_in) and the contribution of the joints. */
static void augmented_eliminated_column(dae__augmented *m, const dae_pattern *p,
                                        const double *values, int j, bool inputs)
{
  dae__kkt *b = &m->kkt;
  double *column = m->eliminated_values + m->touched_count * j;
  dae__zero(b->nq, b->top);
  dae__zero(b->rows, b->bottom);
  for (int e = j < p->cols ? p->start[j] : 0; j < p->cols && e < p->start[j + 1]; e++)
    if (p->row[e] < b->nq)
      b->top[p->row[e]] = values[e];
  if (inputs)
    dae__augmented_column_in(m, j, b->top, b->bottom);
  else
    dae__augmented_column_z(m, j, b->top, b->bottom);
  bool zero = dae__max_abs(b->nq, b->top) == 0 && dae__max_abs(b->rows, b->bottom) == 0;
  if (!zero)
    dae__kkt_solve(b, b->top, b->bottom);
  dae__zero(b->nq, b->top);
  if (!zero)
    dae__augmented_eliminated_forces(m, b->bottom, b->top);
  for (int i = 0; i < m->touched_count; i++)
    column[i] = b->top[m->touched[i]];
}

static int augmented_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__augmented *m = user;
  const dae_mechanical *p = m->forward.to;
  dae_error *err = &m->forward.last;
  int code = dae__forward_result(&m->forward, p->J(p->user, at, m->J_user_values), "J", at->t);
  if (code)
    return code;
  dae__zero(dae__pattern_count(&m->J), J);
  dae__piece_add(&m->J_piece[0], 1, m->J_user_values, J);
  dae_status status = augmented_prepare(m, at);
  for (int k = 0; k < m->joints && !status; k++) {
    /* block -(G_z,own' lambda)_z on the system's own coordinates */
    dae__attached_joint *h = &m->joint[k];
    int nz = h->joint->nz, n = h->J_block.cols;
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        h->block[i + n * j] = -h->Gts[h->entry[i] + nz * h->entry[j]];
    dae__piece_add(&m->J_piece[1 + k], 1, h->block, J);
  }
  if (status || m->eliminated == 0)
    return dae__forward_code(status);
  status = dae__mech_J(m->element.m, at, m->J_values, err);
  if (status)
    return dae__forward_code(dae__forward_diagnose(m->forward.name, status, err));
  for (int j = 0; j < m->element.nz; j++)
    augmented_eliminated_column(m, m->element.J, m->J_values, j, false);
  dae__piece_add(&m->J_piece[1 + m->joints], 1, m->eliminated_values, J);
  return 0;
}

static int augmented_J_in(void *user, const dae_mechanical_at *at, double *J_in)
{
  dae__augmented *m = user;
  dae_error *err = &m->forward.last;
  dae_status status = augmented_prepare(m, at);
  if (!status && m->element.nin > 0)
    status = dae__forward_diagnose(m->forward.name,
                                   dae__element_J_in(&m->element, at, m->J_in_values, err), err);
  if (status)
    return dae__forward_code(status);
  dae__zero(dae__pattern_count(&m->J_in), J_in);
  dae__piece_add(&m->J_in_piece[0], 1, m->J_in_values, J_in);
  for (int k = 0; k < m->joints; k++) {
    /* columns of z and, unless the joint is eliminated, of lambda */
    dae__attached_joint *h = &m->joint[k];
    int nz = h->joint->nz, ng = h->joint->ng;
    for (int j = 0; j < h->J_in_block.cols; j++)
      for (int i = 0; i < h->count; i++) {
        bool used = j >= nz || h->own[j] < 0;
        double value = j < nz ? h->Gts[h->entry[i] + nz * j] : h->G[j - nz + ng * h->entry[i]];
        h->block[i + h->count * j] = used ? -value : 0;
      }
    dae__piece_add(&m->J_in_piece[1 + k], 1, h->block, J_in);
  }
  if (m->eliminated == 0)
    return 0;
  for (int j = 0; j < m->inputs; j++)
    augmented_eliminated_column(m, &m->element.J_in, m->J_in_values, j, true);
  dae__piece_add(&m->J_in_piece[1 + m->joints], 1, m->eliminated_values, J_in);
  return 0;
}

/* ---- description ---- */

static void augmented_create_patterns(dae__augmented *m)
{
  const dae__mech *own = m->element.m;
  int last = 1 + m->joints, nz = m->element.nz;
  bool *mark = DAE__ALLOC(m->arena, bool, m->kkt.nq);
  m->touched = DAE__ALLOC(m->arena, int, m->kkt.nq);
  m->J_piece = DAE__ALLOC(m->arena, dae__piece, last + 1);
  m->J_in_piece = DAE__ALLOC(m->arena, dae__piece, last + 1);
  if (dae__arena_failed(m->arena))
    return;
  for (int k = 0; k < m->joints; k++)
    for (int c = 0; m->joint[k].eliminated && c < m->joint[k].count; c++)
      mark[m->joint[k].coordinate[c]] = true;
  for (int i = 0; i < m->kkt.nq; i++)
    if (mark[i])
      m->touched[m->touched_count++] = i;
  m->J_eliminated = dae__pattern_dense(m->arena, m->touched_count, nz);
  m->J_in_eliminated = dae__pattern_dense(m->arena, m->touched_count, m->inputs);
  if (dae__arena_failed(m->arena))
    return;
  m->J_piece[0] = (dae__piece){&own->J_user, m->range, m->range, NULL};
  m->J_in_piece[0] = (dae__piece){&m->element.J_in, m->range, m->range, NULL};
  m->J_piece[last] = (dae__piece){&m->J_eliminated, m->touched, m->range, NULL};
  m->J_in_piece[last] = (dae__piece){&m->J_in_eliminated, m->touched, m->range, NULL};
  for (int k = 0; k < m->joints; k++) {
    const dae__attached_joint *h = &m->joint[k];
    m->J_piece[1 + k] = (dae__piece){&h->J_block, h->coordinate, h->coordinate, NULL};
    m->J_in_piece[1 + k] = (dae__piece){&h->J_in_block, h->coordinate, h->J_in_col, NULL};
  }
  bool dense = !m->forward.to->J_pattern;
  m->J = dae__pieces_merge(m->arena, own->nr, nz, dense, m->J_piece, last + 1);
  m->J_in = dae__pieces_merge(m->arena, own->nr, m->inputs, false, m->J_in_piece, last + 1);
}

dae_status dae__augmented_describe(dae__augmented *m, dae_error *err)
{
  dae_mechanical *p = &m->mechanical;
  int columns = m->inputs > m->element.nz ? m->inputs : m->element.nz;
  *p = *m->forward.to;
  dae__forward_mechanical(p);
  augmented_create_patterns(m);
  m->J_user_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&m->element.m->J_user));
  m->eliminated_values = DAE__ALLOC(m->arena, double, (size_t)m->touched_count *(size_t)columns);
  m->p_rate = DAE__ALLOC(m->arena, double, m->kkt.nq);
  const char **names = p->in_names ? DAE__ALLOC(m->arena, const char *, m->inputs) : NULL;
  DAE__TRY(dae__arena_status(m->arena, err));
  for (int i = 0; names && i < p->nin; i++) /* inputs of joints have no names */
    names[i] = p->in_names[i];
  p->in_names = names;
  p->user = m;
  p->nin = m->inputs;
  p->f = p->f ? augmented_f : NULL;
  p->F = p->F ? augmented_F : NULL;
  p->J = p->J ? augmented_J : NULL;
  p->J_in = augmented_J_in;
  p->eval = p->eval ? augmented_eval_all : NULL;
  p->J_pattern = p->J_pattern ? &m->J : NULL;
  p->J_in_pattern = &m->J_in;
  m->problem = (dae_problem){.mechanical = p, .why = &m->forward.last};
  return DAE_OK;
}
