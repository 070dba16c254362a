/* Putting a member together: the part and the joints that touch it as elements, its problem, what
 * its outputs need. */
#include "wave/subsystems/augmented.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/validate.h"
#include "wave/subsystems/augmented_internal.h"
#include <stdio.h>

/* ---- creating ---- */

static bool augmented_touches(const dae__augmented *m, const dae_joint *joint)
{
  for (int i = 0; i < joint->nz; i++)
    if (&m->coupled->part[joint->z[i].part] == m->given)
      return true;
  return false;
}

static dae_status augmented_check(const dae_coupled *coupled, int part,
                                  const dae__augmented_options *opts, dae_error *err)
{
  DAE__TRY(dae__coupled_validate(coupled, err));
  if (part < 0 || part >= coupled->parts)
    return dae__fail(err, DAE_ERROR_USAGE, "part", "the coupled problem has no part %d", part + 1);
  for (int j = 0; opts->eliminated && j < coupled->joints; j++) {
    const dae_joint *joint = &coupled->joint[j];
    bool there = false;
    for (int i = 0; i < joint->nz; i++)
      there = there || joint->z[i].part == part;
    if (opts->eliminated[j] && !there)
      return dae__fail(err, DAE_ERROR_USAGE, joint->name,
                       "the joint %s is to be eliminated by a part that it does not touch",
                       joint->name ? joint->name : "without a name");
  }
  return DAE_OK;
}

static dae_status augmented_create_part(dae__augmented *m, int part, dae_error *err)
{
  char *name = DAE__ALLOC(m->arena, char, 32);
  if (!name)
    return dae__out_of_memory(err);
  snprintf(name, 32, "part[%d]", part + 1);
  m->forward.name = m->given->name ? m->given->name : name;
  dae_status status = dae__element_part(m->arena, m->given, m->forward.name, &m->part, err);
  m->inputs = m->part.nin;
  return dae__forward_diagnose(m->forward.name, status, err);
}

static dae_status augmented_create_hinges(dae__augmented *m, const bool *eliminated, dae_error *err)
{
  dae_status status = DAE_OK;
  m->joint = DAE__ALLOC(m->arena, dae__attached_joint, m->coupled->joints);
  if (!m->joint)
    return dae__out_of_memory(err);
  for (int j = 0; j < m->coupled->joints && !status; j++)
    if (augmented_touches(m, &m->coupled->joint[j]))
      status = dae__attached_joint_create(m, j, eliminated && eliminated[j], &m->joint[m->joints++],
                                          err);
  return status;
}

static void augmented_take_range(dae__augmented *m)
{
  int n = m->part.nz > m->inputs ? m->part.nz : m->inputs;
  n = n > m->part.n.g + m->part.n.k ? n : m->part.n.g + m->part.n.k;
  m->range = DAE__ALLOC(m->arena, int, n);
  for (int i = 0; m->range && i < n; i++)
    m->range[i] = i;
}

static dae_status augmented_create_mechanical(dae__augmented *m, dae_error *err)
{
  const dae__mech *own = m->part.m;
  dae_status status = dae__kkt_create(m, err);
  m->f = DAE__ALLOC(m->arena, double, own->nq);
  if (!status)
    status = dae__algebraic_block_create(m, own->nw, own->nq + own->nu, own->at.w, err);
  m->problem = (dae_problem){.mechanical = own->p, .why = m->forward.why};
  return !status && m->joints > 0 ? dae__augmented_describe(m, err) : status;
}

static dae_status augmented_create_semi(dae__augmented *m, dae_error *err)
{
  const dae__semi *own = m->part.semi;
  dae_status status = dae__algebraic_block_create(m, own->ny, own->nx, own->nx, err);
  m->problem = (dae_problem){.semi_explicit = own->p, .why = m->forward.why};
  return status ? status : dae__limit_create(m, err);
}

static dae_status augmented_create(dae__augmented *m, int part, const bool *eliminated,
                                   dae_error *err)
{
  DAE__TRY(augmented_create_part(m, part, err));
  DAE__TRY(augmented_create_hinges(m, eliminated, err));
  augmented_take_range(m);
  m->J_values = DAE__ALLOC(m->arena, double, dae__pattern_count(m->part.J));
  m->J_in_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&m->part.J_in));
  m->dw = DAE__ALLOC(m->arena, double, m->part.n.w);
  m->asked = DAE__ALLOC(m->arena, bool, m->part.nz + m->part.n.g + m->part.n.k);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  dae_status status =
      m->part.m ? augmented_create_mechanical(m, err) : augmented_create_semi(m, err);
  return !status && dae__arena_failed(m->arena) ? dae__out_of_memory(err) : status;
}

dae_status dae__augmented_create(dae__arena *arena, const dae_coupled *coupled, int part,
                                 const dae__augmented_options *opts, dae__augmented **out,
                                 dae_error *err)
{
  *out = NULL;
  DAE__TRY(augmented_check(coupled, part, opts, err));
  dae__augmented *m = DAE__ALLOC(arena, dae__augmented, 1);
  if (!m)
    return dae__out_of_memory(err);
  /* what factorisations keep between calls is no part of what the owner of the arena saves */
  *m = (dae__augmented){.arena = dae__arena_create(dae__arena_env(arena)),
                        .coupled = coupled,
                        .given = &coupled->part[part],
                        .lagged = opts->lagged,
                        .locks = opts->locks,
                        .forward = {.to = coupled->part[part].mechanical,
                                    .why = opts->why,
                                    .last = dae_error_none()}};
  if (!m->arena)
    return dae__out_of_memory(err);
  dae_status status = augmented_create(m, part, opts->eliminated, err);
  if (status)
    dae__augmented_free(m);
  else
    *out = m;
  return status;
}

void dae__augmented_free(dae__augmented *m)
{
  if (!m)
    return;
  dae__solver_free(m->kkt.solver);
  dae__solver_free(m->algebraic.solver);
  dae__solver_free(m->limit.solver);
  dae__solver_free(m->limit.mass);
  dae__arena_free(m->arena);
}

/* ---- what it is ---- */

const dae_problem *dae__augmented_problem(const dae__augmented *m)
{
  return &m->problem;
}

int dae__augmented_inputs(const dae__augmented *m)
{
  return m->inputs;
}

int dae__augmented_joint_inputs(const dae__augmented *m, int joint)
{
  for (int k = 0; k < m->joints; k++)
    if (m->joint[k].number == joint)
      return m->joint[k].first;
  return -1;
}

/* ---- subsystems/augmented_answer.c ---- */
/* Answers of a mechanical member and their derivatives with respect to the inputs. Coordinates,
 * velocities and extra states do not move at once;
 *
 *   c_w dw = -c_in din,   [ M A'; A 0 ] (dv', dy) = (f_in din + f_w dw, d(-r))
 *
 * with the matrix of augmented_balance.c, and in the right side what the joints contribute. */
#include "core/tolerances.h"
#include "linalg/pattern.h"

/* ---- dc/dw and dF/dy ---- */

dae_status dae__algebraic_block_create(dae__augmented *m, int n, int first_row, int first_col,
                                       dae_error *err)
{
  dae__algebraic_block *inner = &m->algebraic;
  const dae_pattern *J = m->part.J;
  int all = dae__pattern_count(J), count = 0;
  int *start = DAE__ALLOC(m->arena, int, n + 1), *row = DAE__ALLOC(m->arena, int, all);
  *inner = (dae__algebraic_block){.n = n, .first_row = first_row, .first_col = first_col};
  inner->entry = DAE__ALLOC(m->arena, int, all);
  inner->values = DAE__ALLOC(m->arena, double, all);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  for (int j = 0; j < n; j++) {
    for (int e = J->start[first_col + j]; e < J->start[first_col + j + 1]; e++)
      if (J->row[e] >= first_row)
        row[count] = J->row[e] - first_row, inner->entry[count++] = e;
    start[j + 1] = count;
  }
  inner->pattern = (dae_pattern){n, n, start, row};
  return n > 0 ? dae__solver_create(m->arena, &inner->pattern, &inner->solver, err) : DAE_OK;
}

dae_status dae__algebraic_block_factor(dae__algebraic_block *inner, const double *J)
{
  if (inner->n == 0)
    return DAE_OK;
  for (int e = 0; e < dae__pattern_count(&inner->pattern); e++)
    inner->values[e] = J[inner->entry[e]];
  dae__solver_forget(inner->solver);
  dae_status status = dae__solver_factor(inner->solver, inner->values);
  bool poor = !status && dae__solver_rcond(inner->solver) < DAE__SINGULAR_RCOND;
  return poor ? DAE_ERROR_SINGULAR : status;
}

/* ---- a mechanical part ---- */

/* J, J_in and the factors of dc/dw */
static dae_status augmented_linearise(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err)
{
  char name[64];
  dae_status status = DAE_OK;
  if (m->part.nin > 0)
    status = dae__element_J_in(&m->part, at, m->J_in_values, err);
  if (!status && m->algebraic.n > 0)
    status = dae__mech_J(m->part.m, at, m->J_values, err);
  if (status || m->algebraic.n == 0)
    return dae__forward_diagnose(m->forward.name, status, err);
  status = dae__algebraic_block_factor(&m->algebraic, m->J_values);
  if (status != DAE_ERROR_SINGULAR)
    return status ? dae__fail(err, status, NULL, "dc/dw: %s", dae_status_text(status)) : DAE_OK;
  int column = dae__solver_column(m->algebraic.solver);
  dae_problem_variable(&(dae_problem){.mechanical = m->part.m->p},
                       m->part.m->at.w + (column > 0 ? column : 0), name, sizeof name);
  dae__fail(err, status, name,
            "the algebraic equations do not determine %s: dc/dw is singular, so the index is "
            "higher than 1 there",
            name);
  return dae__forward_diagnose(m->forward.name, status, err);
}

/* top += f_in e_j + f_w dw,  dw = -c_w \ c_in e_j */
static void augmented_input_column(dae__augmented *m, int j, double *top)
{
  const dae__mech *own = m->part.m;
  const dae_pattern *J = m->part.J, *J_in = &m->part.J_in;
  dae__zero(own->nw, m->dw);
  if (j >= m->part.nin)
    return;
  for (int e = J_in->start[j]; e < J_in->start[j + 1]; e++) {
    int row = J_in->row[e], w = row - own->nq - own->nu;
    if (row < own->nq)
      top[row] += m->J_in_values[e];
    else if (w >= 0)
      m->dw[w] = -m->J_in_values[e];
  }
  if (own->nw == 0)
    return;
  dae__solver_solve(m->algebraic.solver, m->dw);
  for (int k = 0; k < own->nw; k++)
    for (int e = J->start[own->at.w + k]; e < J->start[own->at.w + k + 1]; e++)
      if (J->row[e] < own->nq)
        top[J->row[e]] += m->J_values[e] * m->dw[k];
}

static double augmented_derivative_of(const dae__augmented *m, const dae__output *answer)
{
  const dae__kkt *b = &m->kkt;
  const dae__mech_layout *at = &m->part.m->at;
  int i = answer->index;
  if (answer->kind == DAE__OUTPUT_ACCELERATION)
    return b->top[i];
  if (answer->kind == DAE__OUTPUT_MULTIPLIER)
    return b->bottom[b->nc + i];
  return i < at->w ? 0 : i < at->lambda ? m->dw[i - at->w] : b->bottom[i - at->lambda];
}

static double augmented_value_of(const dae__augmented *m, const dae__output *answer,
                                 const double *y)
{
  const dae__kkt *b = &m->kkt;
  switch (answer->kind) {
  case DAE__OUTPUT_ACCELERATION:
    return b->v_dot[answer->index];
  case DAE__OUTPUT_MULTIPLIER:
    return b->y[b->nc + answer->index];
  default:
    return y[answer->index];
  }
}

/* whether the balance has to be solved */
static bool augmented_is_force(const dae__augmented *m, const dae__output *answer, bool derivative)
{
  return answer->kind != DAE__OUTPUT_VARIABLE ||
         (derivative && answer->index >= m->part.m->at.lambda);
}

static dae_status augmented_balance_at(dae__augmented *m, const dae_mechanical_at *at,
                                       dae_error *err)
{
  dae_status status = dae__mech_eval(m->part.m, at, &(dae_mechanical_wanted){.f = m->f}, err);
  if (status)
    return dae__forward_diagnose(m->forward.name, status, err);
  dae__augmented_input_forces(m, at->in, m->f);
  return dae__kkt_solve(m, at, m->f, err);
}

/* multipliers of dependent constraints are not unique */
static dae_status augmented_check_unique(const dae__augmented *m, int count,
                                         const dae__output *outputs, dae_error *err)
{
  char name[64];
  for (int i = 0; m->kkt.dependent > 0 && i < count; i++)
    if (outputs[i].kind == DAE__OUTPUT_VARIABLE && outputs[i].index >= m->part.m->at.lambda) {
      dae_problem_variable(&m->problem, outputs[i].index, name, sizeof name);
      dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                "%s is not unique, since constraints of the part depend on each other: it cannot "
                "be an input of another part",
                name);
      return dae__forward_diagnose(m->forward.name, DAE_ERROR_UNSUPPORTED, err);
    }
  return DAE_OK;
}

static dae_status augmented_gains(dae__augmented *m, const dae_mechanical_at *at, int count,
                                  const dae__output *outputs, bool forces, double *D,
                                  dae_error *err)
{
  dae__kkt *b = &m->kkt;
  dae_status status = augmented_linearise(m, at, err);
  if (!status && forces)
    status = dae__augmented_derivatives(m, at, err);
  if (!status)
    status = augmented_check_unique(m, count, outputs, err);
  for (int j = 0; j < m->inputs && !status; j++) {
    dae__zero(b->nq, b->top);
    dae__zero(b->rows, b->bottom);
    augmented_input_column(m, j, b->top);
    if (forces) {
      dae__augmented_column_in(m, j, b->top, b->bottom);
      dae__kkt_column(b);
    }
    for (int i = 0; i < count; i++)
      D[i + count * j] = augmented_derivative_of(m, &outputs[i]);
  }
  return status;
}

static dae_status augmented_answer_mechanical(dae__augmented *m, double t, const double *y,
                                              const double *in, int count,
                                              const dae__output *outputs, double *value, double *D,
                                              dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(m->part.m, t, y);
  bool forces = false;
  at.in = in;
  for (int i = 0; i < count; i++)
    forces = forces || augmented_is_force(m, &outputs[i], D != NULL);
  dae_status status = dae__augmented_point(m, &at, err);
  if (!status && forces)
    status = augmented_balance_at(m, &at, err);
  for (int i = 0; i < count && !status; i++)
    value[i] = augmented_value_of(m, &outputs[i], y);
  return status || !D ? status : augmented_gains(m, &at, count, outputs, forces, D, err);
}

/* ---- a semi-explicit part ---- */

static dae_status augmented_answer_semi(dae__augmented *m, double t, const double *y,
                                        const double *in, int count, const dae__output *outputs,
                                        double *value, double *D, dae_error *err)
{
  int n = m->part.nz;
  const double *X;
  dae__copy(m->inputs, in, m->part.in);
  for (int i = 0; i < n; i++)
    m->asked[i] = false;
  for (int i = 0; i < count; i++) {
    value[i] = y[outputs[i].index];
    m->asked[outputs[i].index] = true;
  }
  if (!D || m->inputs == 0)
    return DAE_OK;
  dae_status status = dae__limit_feedthrough(m, t, y, m->asked, &X, err);
  for (int j = 0; j < m->inputs && !status; j++)
    for (int i = 0; i < count; i++)
      D[i + count * j] = X[outputs[i].index + n * j];
  return dae__forward_diagnose(m->forward.name, status, err);
}

/* ---- both ---- */

static dae_status augmented_answer_check(const dae__augmented *m, const dae__output *answer,
                                         dae_error *err)
{
  int limit = dae_problem_size(&m->problem);
  if (answer->kind == DAE__OUTPUT_ACCELERATION)
    limit = m->part.n.q;
  if (answer->kind == DAE__OUTPUT_MULTIPLIER)
    limit = m->eliminated;
  if (answer->index >= 0 && answer->index < limit)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_USAGE, m->forward.name,
                   "the part %s has no answer number %d of this kind", m->forward.name,
                   answer->index + 1);
}

dae_status dae__augmented_outputs(dae__augmented *m, double t, const double *y, const double *in,
                                  int count, const dae__output *outputs, double *value, double *D,
                                  dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < count && !status; i++)
    status = augmented_answer_check(m, &outputs[i], err);
  DAE__TRY(status);
  return m->part.m ? augmented_answer_mechanical(m, t, y, in, count, outputs, value, D, err)
                   : augmented_answer_semi(m, t, y, in, count, outputs, value, D, err);
}
