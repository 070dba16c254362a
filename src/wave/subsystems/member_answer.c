/* Answers of a mechanical member and their derivatives with respect to the inputs. Coordinates,
 * velocities and extra states do not move at once;
 *
 *   c_w dw = -c_in din,   [ M A'; A 0 ] (dv', dy) = (f_in din + f_w dw, d(-r))
 *
 * with the matrix of member_balance.c, and in the right side what the joints contribute. */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/member_parts.h"

/* ---- dc/dw and dF/dy ---- */

dae_status dae__inner_create(dae__member *m, int n, int first_row, int first_col, dae_error *err)
{
  dae__inner *inner = &m->inner;
  const dae_pattern *J = m->part.J;
  int all = dae__pattern_count(J), count = 0;
  int *start = DAE__ALLOC(m->arena, int, n + 1), *row = DAE__ALLOC(m->arena, int, all);
  *inner = (dae__inner){.n = n, .first_row = first_row, .first_col = first_col};
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

dae_status dae__inner_factor(dae__inner *inner, const double *J)
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
static dae_status member_linearise(dae__member *m, const dae_mechanical_at *at, dae_error *err)
{
  char name[64];
  dae_status status = DAE_OK;
  if (m->part.nin > 0)
    status = dae__element_J_in(&m->part, at, m->J_in_values, err);
  if (!status && m->inner.n > 0)
    status = dae__mech_J(m->part.m, at, m->J_values, err);
  if (status || m->inner.n == 0)
    return dae__pass_diagnose(m->pass.name, status, err);
  status = dae__inner_factor(&m->inner, m->J_values);
  if (status != DAE_ERROR_SINGULAR)
    return status ? dae__fail(err, status, NULL, "dc/dw: %s", dae_status_text(status)) : DAE_OK;
  int column = dae__solver_column(m->inner.solver);
  dae_problem_variable(&(dae_problem){.mechanical = m->part.m->p},
                       m->part.m->at.w + (column > 0 ? column : 0), name, sizeof name);
  dae__fail(err, status, name,
            "the algebraic equations do not determine %s: dc/dw is singular, so the index is "
            "higher than 1 there",
            name);
  return dae__pass_diagnose(m->pass.name, status, err);
}

/* top += f_in e_j + f_w dw,  dw = -c_w \ c_in e_j */
static void member_input_column(dae__member *m, int j, double *top)
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
  dae__solver_solve(m->inner.solver, m->dw);
  for (int k = 0; k < own->nw; k++)
    for (int e = J->start[own->at.w + k]; e < J->start[own->at.w + k + 1]; e++)
      if (J->row[e] < own->nq)
        top[J->row[e]] += m->J_values[e] * m->dw[k];
}

static double member_derivative_of(const dae__member *m, const dae__answer *answer)
{
  const dae__balance *b = &m->balance;
  const dae__mech_layout *at = &m->part.m->at;
  int i = answer->index;
  if (answer->kind == DAE__ANSWER_ACCELERATION)
    return b->top[i];
  if (answer->kind == DAE__ANSWER_MULTIPLIER)
    return b->bottom[b->nc + i];
  return i < at->w ? 0 : i < at->lambda ? m->dw[i - at->w] : b->bottom[i - at->lambda];
}

static double member_value_of(const dae__member *m, const dae__answer *answer, const double *y)
{
  const dae__balance *b = &m->balance;
  switch (answer->kind) {
  case DAE__ANSWER_ACCELERATION:
    return b->v_dot[answer->index];
  case DAE__ANSWER_MULTIPLIER:
    return b->y[b->nc + answer->index];
  default:
    return y[answer->index];
  }
}

/* whether the balance has to be solved */
static bool member_is_force(const dae__member *m, const dae__answer *answer, bool derivative)
{
  return answer->kind != DAE__ANSWER_VARIABLE ||
         (derivative && answer->index >= m->part.m->at.lambda);
}

static dae_status member_balance_at(dae__member *m, const dae_mechanical_at *at, dae_error *err)
{
  dae_status status = dae__mech_eval(m->part.m, at, &(dae_mechanical_wanted){.f = m->f}, err);
  if (status)
    return dae__pass_diagnose(m->pass.name, status, err);
  dae__member_input_forces(m, at->in, m->f);
  return dae__balance_solve(m, at, m->f, err);
}

/* multipliers of dependent constraints are not unique */
static dae_status member_check_unique(const dae__member *m, int count, const dae__answer *answers,
                                      dae_error *err)
{
  char name[64];
  for (int i = 0; m->balance.dependent > 0 && i < count; i++)
    if (answers[i].kind == DAE__ANSWER_VARIABLE && answers[i].index >= m->part.m->at.lambda) {
      dae_problem_variable(&m->problem, answers[i].index, name, sizeof name);
      dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                "%s is not unique, since constraints of the part depend on each other: it cannot "
                "be an input of another part",
                name);
      return dae__pass_diagnose(m->pass.name, DAE_ERROR_UNSUPPORTED, err);
    }
  return DAE_OK;
}

static dae_status member_gains(dae__member *m, const dae_mechanical_at *at, int count,
                               const dae__answer *answers, bool forces, double *D, dae_error *err)
{
  dae__balance *b = &m->balance;
  dae_status status = member_linearise(m, at, err);
  if (!status && forces)
    status = dae__member_derivatives(m, at, err);
  if (!status)
    status = member_check_unique(m, count, answers, err);
  for (int j = 0; j < m->inputs && !status; j++) {
    dae__zero(b->nq, b->top);
    dae__zero(b->rows, b->bottom);
    member_input_column(m, j, b->top);
    if (forces) {
      dae__member_column_in(m, j, b->top, b->bottom);
      dae__balance_column(b);
    }
    for (int i = 0; i < count; i++)
      D[i + count * j] = member_derivative_of(m, &answers[i]);
  }
  return status;
}

static dae_status member_answer_mechanical(dae__member *m, double t, const double *y,
                                           const double *in, int count, const dae__answer *answers,
                                           double *value, double *D, dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(m->part.m, t, y);
  bool forces = false;
  at.in = in;
  for (int i = 0; i < count; i++)
    forces = forces || member_is_force(m, &answers[i], D != NULL);
  dae_status status = dae__member_point(m, &at, err);
  if (!status && forces)
    status = member_balance_at(m, &at, err);
  for (int i = 0; i < count && !status; i++)
    value[i] = member_value_of(m, &answers[i], y);
  return status || !D ? status : member_gains(m, &at, count, answers, forces, D, err);
}

/* ---- a semi-explicit part ---- */

static dae_status member_answer_semi(dae__member *m, double t, const double *y, const double *in,
                                     int count, const dae__answer *answers, double *value,
                                     double *D, dae_error *err)
{
  int n = m->part.nz;
  const double *X;
  dae__copy(m->inputs, in, m->part.in);
  for (int i = 0; i < n; i++)
    m->asked[i] = false;
  for (int i = 0; i < count; i++) {
    value[i] = y[answers[i].index];
    m->asked[answers[i].index] = true;
  }
  if (!D || m->inputs == 0)
    return DAE_OK;
  dae_status status = dae__limit_gains(m, t, y, m->asked, &X, err);
  for (int j = 0; j < m->inputs && !status; j++)
    for (int i = 0; i < count; i++)
      D[i + count * j] = X[answers[i].index + n * j];
  return dae__pass_diagnose(m->pass.name, status, err);
}

/* ---- both ---- */

static dae_status member_answer_check(const dae__member *m, const dae__answer *answer,
                                      dae_error *err)
{
  int limit = dae_problem_size(&m->problem);
  if (answer->kind == DAE__ANSWER_ACCELERATION)
    limit = m->part.n.q;
  if (answer->kind == DAE__ANSWER_MULTIPLIER)
    limit = m->carried;
  if (answer->index >= 0 && answer->index < limit)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_USAGE, m->pass.name,
                   "the part %s has no answer number %d of this kind", m->pass.name,
                   answer->index + 1);
}

dae_status dae__member_answer(dae__member *m, double t, const double *y, const double *in,
                              int count, const dae__answer *answers, double *value, double *D,
                              dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < count && !status; i++)
    status = member_answer_check(m, &answers[i], err);
  DAE__TRY(status);
  return m->part.m ? member_answer_mechanical(m, t, y, in, count, answers, value, D, err)
                   : member_answer_semi(m, t, y, in, count, answers, value, D, err);
}
