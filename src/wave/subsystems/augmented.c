/* Creation of an augmented system, its outputs and their feedthrough matrix.
 *
 * Feedthrough of a mechanical system, zero for coordinates, velocities and extra states:
 *
 *   c_w dw = -c_in din,   [ M A'; A 0 ] (dv', dy) = (f_in din + f_w dw, d(-r))
 *
 * with the KKT matrix, and the contribution of the joints on the right side. The feedthrough of a
 * semi-explicit system is a limit, see augmented_limit.c. */
#include "wave/subsystems/augmented.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/mechanical/algebraic.h"
#include "problem/problem.h"
#include <stdio.h>

/* ---- dc/dw or dF/dy ---- */

dae_status dae__augmented_factor_algebraic(dae__augmented *m)
{
  dae__block_solver *block = &m->algebraic;
  if (!block->solver)
    return DAE_OK;
  dae__solver_reset(block->solver);
  DAE__TRY(dae__block_solver_factor(block, m->J_values));
  return dae__solver_rcond(block->solver) < DAE__SINGULAR_RCOND ? DAE_ERROR_SINGULAR : DAE_OK;
}

/* ---- creation ---- */

static bool augmented_has_joint(const dae_coupled *coupled, int system, int joint)
{
  for (int i = 0; i < coupled->joint[joint].nz; i++)
    if (coupled->joint[joint].z[i].part == system)
      return true;
  return false;
}

/* Creates the elements that evaluate the system and its joints, and vectors of its size. */
static dae_status augmented_create_elements(dae__augmented *m, int system, const int *eliminated_in,
                                            dae_error *err)
{
  dae__element *e = &m->element;
  char *name = DAE__ALLOC(m->arena, char, 32);
  int attached = 0;
  for (int j = 0; j < m->coupled->joints; j++)
    attached += augmented_has_joint(m->coupled, system, j);
  m->joint = DAE__ALLOC(m->arena, dae__attached_joint, attached);
  DAE__TRY(dae__arena_status(m->arena, err));
  snprintf(name, 32, "part[%d]", system + 1);
  m->forward.name = m->part->name ? m->part->name : name;
  dae_status status = dae__element_part(m->arena, m->part, m->forward.name, e, err);
  DAE__TRY(dae__forward_diagnose(m->forward.name, status, err));
  m->inputs = e->nin;
  for (int j = 0; j < m->coupled->joints; j++)
    if (augmented_has_joint(m->coupled, system, j))
      DAE__TRY(dae__attached_joint_create(m, j, eliminated_in && eliminated_in[j] == system,
                                          &m->joint[m->joints++], err));
  int constraints = e->n.g + e->n.k, rows = constraints + m->eliminated;
  int n = e->nz > m->inputs ? e->nz : m->inputs;
  n = n > rows ? n : rows;
  m->range = DAE__ALLOC(m->arena, int, n);
  for (int i = 0; m->range && i < n; i++)
    m->range[i] = i;
  m->J_values = DAE__ALLOC(m->arena, double, dae__pattern_count(e->J));
  m->J_in_values = DAE__ALLOC(m->arena, double, dae__pattern_count(&e->J_in));
  m->f = DAE__ALLOC(m->arena, double, e->n.q);
  m->dw = DAE__ALLOC(m->arena, double, e->n.w);
  m->wanted = DAE__ALLOC(m->arena, bool, e->nz + constraints);
  return dae__arena_status(m->arena, err);
}

static dae_status augmented_create(dae__augmented *m, int system, const int *eliminated_in,
                                   dae_error *err)
{
  DAE__TRY(augmented_create_elements(m, system, eliminated_in, err));
  m->problem.why = m->forward.why;
  if (!m->element.m) {
    const dae__semi *semi = m->element.semi;
    m->problem.semi_explicit = semi->p;
    DAE__TRY(
        dae__block_solver_create(m->arena, m->element.J, semi->nx, semi->ny, &m->algebraic, err));
    return dae__limit_create(m, err);
  }
  const dae__mech *mech = m->element.m;
  m->problem.mechanical = mech->p;
  DAE__TRY(dae__kkt_create(m, err));
  DAE__TRY(dae__block_solver_create(m->arena, m->element.J, mech->nq + mech->nu, mech->nw,
                                    &m->algebraic, err));
  return m->joints > 0 ? dae__augmented_describe(m, err) : DAE_OK;
}

dae_status dae__augmented_create(dae__arena *arena, const dae_coupled *coupled, int system,
                                 const dae__augmented_options *opts, dae__augmented **out,
                                 dae_error *err)
{
  *out = NULL;
  if (system < 0 || system >= coupled->parts)
    return dae__fail(err, DAE_ERROR_USAGE, "part", "the coupled problem has no system %d",
                     system + 1);
  for (int j = 0; opts->eliminated_in && j < coupled->joints; j++)
    if (opts->eliminated_in[j] == system && !augmented_has_joint(coupled, system, j))
      return dae__fail(err, DAE_ERROR_USAGE, coupled->joint[j].name,
                       "the joint %s cannot be eliminated in a system that it is not attached to",
                       coupled->joint[j].name ? coupled->joint[j].name : "without a name");
  dae__augmented *m = DAE__ALLOC(arena, dae__augmented, 1);
  DAE__TRY(dae__arena_status(arena, err));
  /* the augmented system has an arena of its own: factorisations are not saved with the owner of
   * `arena` */
  *m = (dae__augmented){.arena = dae__arena_create(dae__arena_env(arena)),
                        .coupled = coupled,
                        .part = &coupled->part[system],
                        .locks = opts->locks,
                        .forward = {.to = coupled->part[system].mechanical,
                                    .why = opts->why,
                                    .last = dae_error_none()}};
  if (!m->arena)
    return dae__out_of_memory(err);
  dae_status status = augmented_create(m, system, opts->eliminated_in, err);
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

/* ---- feedthrough of a mechanical system ---- */

/* Evaluates J and J_in and factors dc/dw. */
static dae_status augmented_linearise(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err)
{
  dae_status status = DAE_OK;
  if (m->element.nin > 0)
    status = dae__element_J_in(&m->element, at, m->J_in_values, err);
  if (!status && m->algebraic.solver)
    status = dae__mech_J(m->element.m, at, m->J_values, err);
  if (!status) {
    status = dae__augmented_factor_algebraic(m);
    if (status)
      dae__algebraic_not_factored(m->element.m, m->algebraic.solver, status, err);
  }
  return dae__forward_diagnose(m->forward.name, status, err);
}

/* top += f_in e_j + f_w dw,  dw = -c_w \ c_in e_j */
static void augmented_input_column(dae__augmented *m, int j, double *top)
{
  const dae__mech *own = m->element.m;
  const dae_pattern *J = m->element.J, *J_in = &m->element.J_in;
  dae__zero(own->nw, m->dw);
  if (j >= m->element.nin)
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

static dae_status augmented_feedthrough(dae__augmented *m, const dae_mechanical_at *at, int count,
                                        const dae__output *outputs, bool forces, double *D,
                                        dae_error *err)
{
  dae__kkt *b = &m->kkt;
  const dae__mech_layout *entry = &m->element.m->at;
  DAE__TRY(augmented_linearise(m, at, err));
  if (forces)
    DAE__TRY(dae__augmented_derivatives(m, at, err));
  for (int i = 0; b->dependent > 0 && i < count; i++)
    if (outputs[i].kind == DAE__OUTPUT_VARIABLE && outputs[i].index >= entry->lambda) {
      char name[64];
      dae_problem_variable(&m->problem, outputs[i].index, name, sizeof name);
      dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                "%s is not unique, since constraints of the system depend on each other: it cannot "
                "be an input of another system",
                name);
      return dae__forward_diagnose(m->forward.name, DAE_ERROR_UNSUPPORTED, err);
    }
  for (int j = 0; j < m->inputs; j++) {
    dae__zero(b->nq, b->top);
    dae__zero(b->rows, b->bottom);
    augmented_input_column(m, j, b->top);
    if (forces) {
      dae__augmented_column_in(m, j, b->top, b->bottom);
      dae__kkt_solve(b, b->top, b->bottom);
    }
    for (int o = 0; o < count; o++) {
      int i = outputs[o].index;
      D[o + count * j] = outputs[o].kind == DAE__OUTPUT_ACCELERATION ? b->top[i]
                         : outputs[o].kind == DAE__OUTPUT_MULTIPLIER ? b->bottom[b->nc + i]
                         : i < entry->w                              ? 0
                         : i < entry->lambda                         ? m->dw[i - entry->w]
                                                                     : b->bottom[i - entry->lambda];
    }
  }
  return DAE_OK;
}

/* ---- outputs ---- */

static dae_status augmented_mechanical_outputs(dae__augmented *m, double t, const double *y,
                                               const double *in, int count,
                                               const dae__output *outputs, double *value, double *D,
                                               dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(m->element.m, t, y);
  const dae__kkt *b = &m->kkt;
  bool forces = false; /* whether outputs require a solution of the KKT system */
  at.in = in;
  for (int i = 0; i < count; i++)
    forces = forces || outputs[i].kind != DAE__OUTPUT_VARIABLE ||
             (D && outputs[i].index >= m->element.m->at.lambda);
  DAE__TRY(dae__augmented_point(m, &at, err));
  if (forces)
    DAE__TRY(dae__augmented_accelerate(m, &at, err));
  for (int o = 0; o < count; o++) {
    int i = outputs[o].index;
    value[o] = outputs[o].kind == DAE__OUTPUT_ACCELERATION ? b->v_dot[i]
               : outputs[o].kind == DAE__OUTPUT_MULTIPLIER ? b->y[b->nc + i]
                                                           : y[i];
  }
  return D ? augmented_feedthrough(m, &at, count, outputs, forces, D, err) : DAE_OK;
}

dae_status dae__augmented_outputs(dae__augmented *m, double t, const double *y, const double *in,
                                  int count, const dae__output *outputs, double *value, double *D,
                                  dae_error *err)
{
  for (int i = 0; i < count; i++) {
    dae__output output = outputs[i];
    int limit = output.kind == DAE__OUTPUT_ACCELERATION ? m->element.n.q
                : output.kind == DAE__OUTPUT_MULTIPLIER ? m->eliminated
                                                        : dae_problem_size(&m->problem);
    if (output.index < 0 || output.index >= limit)
      return dae__fail(err, DAE_ERROR_USAGE, m->forward.name,
                       "the system %s has no output number %d of this kind", m->forward.name,
                       output.index + 1);
  }
  if (m->element.m)
    return augmented_mechanical_outputs(m, t, y, in, count, outputs, value, D, err);
  int n = m->element.nz;
  const double *X;
  dae__copy(m->inputs, in, m->element.in);
  for (int i = 0; i < n; i++)
    m->wanted[i] = false;
  for (int i = 0; i < count; i++) {
    value[i] = y[outputs[i].index];
    m->wanted[outputs[i].index] = true;
  }
  if (!D || m->inputs == 0)
    return DAE_OK;
  dae_status status = dae__limit_feedthrough(m, t, y, m->wanted, &X, err);
  for (int j = 0; j < m->inputs && !status; j++)
    for (int i = 0; i < count; i++)
      D[i + count * j] = X[outputs[i].index + n * j];
  return dae__forward_diagnose(m->forward.name, status, err);
}
