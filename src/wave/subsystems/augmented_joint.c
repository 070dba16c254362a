/* Evaluation of the joints attached to a system. The coordinates z of a joint are taken from the
 * state for the system's own coordinates, from the inputs for other systems. With
 *
 *   M v' + ... + G_z,own' lambda = f,   r = gamma(t,z,z') + G_z z'' = 0  for eliminated joints,
 *
 * a change of z, z', lambda, z'' changes the right sides by
 *
 *   df = -(G_z,own' lambda)_z dz - G_z,own' dlambda,   d(-r) = -r_z dz - 2 gdot_z dz' - G_z dz''.
 */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/augmented.h"
#include <stdio.h>

/* ---- creation ---- */

dae_status dae__attached_joint_create(dae__augmented *m, int number, bool eliminated,
                                      dae__attached_joint *h, dae_error *err)
{
  const dae_joint *joint = &m->coupled->joint[number];
  int nz = joint->nz, ng = joint->ng, side = nz + ng, columns = eliminated ? nz : nz + ng;
  dae__arena *arena = m->arena;
  char *name = DAE__ALLOC(arena, char, 32);
  *h = (dae__attached_joint){
      .joint = joint, .number = number, .eliminated = eliminated, .first = m->inputs};
  h->own = DAE__ALLOC(arena, int, nz);
  h->coordinate = DAE__ALLOC(arena, int, nz);
  h->entry = DAE__ALLOC(arena, int, nz);
  h->a = DAE__ALLOC(arena, double, nz);
  DAE__VECTORS(arena, ng * nz, &h->G, &h->gdot_z, &h->r_z, &h->G_a);
  h->gamma = DAE__ALLOC(arena, double, ng);
  h->Gts = DAE__ALLOC(arena, double, nz *nz);
  h->block = DAE__ALLOC(arena, double, side *side);
  h->J_in_col = DAE__ALLOC(arena, int, columns);
  DAE__TRY(dae__arena_status(arena, err));
  snprintf(name, 32, "joint[%d]", number + 1);
  h->name = joint->name ? joint->name : name;
  h->lambda = eliminated ? m->eliminated : -1;
  m->eliminated += eliminated ? ng : 0;
  m->inputs += 3 * nz + ng;
  for (int i = 0; i < nz; i++) {
    bool own = &m->coupled->part[joint->z[i].part] == m->part;
    h->own[i] = own ? joint->z[i].variable : -1;
    if (own) {
      h->coordinate[h->count] = joint->z[i].variable;
      h->entry[h->count++] = i;
    }
  }
  for (int i = 0; i < columns; i++)
    h->J_in_col[i] = h->first + (i < nz ? i : i + nz); /* columns of z, then of lambda */
  h->G_block = dae__pattern_dense(arena, ng, h->count);
  h->J_block = dae__pattern_dense(arena, h->count, h->count);
  h->J_in_block = dae__pattern_dense(arena, h->count, columns);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__element_joint(arena, joint, h->name, &h->e, err));
  /* wide differences, where gamma or G is itself computed by differences */
  h->d_r = dae__difference_create(arena, &h->e.m->G, !joint->G || !joint->gamma);
  return dae__arena_status(arena, err);
}

/* ---- evaluation ---- */

typedef struct vary {
  dae__attached_joint *h;
  dae_mechanical_at at;
} vary;

/* Residual r(z) = gamma(t,z,z') + G(t,z) a, for differences in z */
static dae_status attached_r_of_z(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  dae__attached_joint *h = c->h;
  dae_mechanical_wanted want = {.G = h->G_a, .gamma = out};
  c->at.q = z;
  dae_status status = dae__mech_eval(h->e.m, &c->at, &want, err);
  if (!status)
    dae__matrix_times(&h->e.m->G, h->G_a, 1, h->a, out);
  return status;
}

/* Evaluates G, and gamma of an eliminated joint; with lambda, in place of these, the derivatives of
 * both. The joint is locked: systems in other threads may share it, and its callbacks are called
 * nowhere else. */
static dae_status attached_evaluate(dae__augmented *m, dae__attached_joint *h, double t,
                                    const double *lambda, dae_error *err)
{
  dae_mechanical_at at = {.t = t, .q = h->e.q, .v = h->e.v};
  dae_mechanical_wanted values = {.G = h->G, .gamma = h->eliminated ? h->gamma : NULL};
  if (m->locks)
    dae__lock_set(m->locks[h->number], true);
  dae_status status = lambda ? dae__mech_derivative(h->e.m, DAE__GTS_Q, &at, lambda, h->Gts, err)
                             : dae__mech_eval(h->e.m, &at, &values, err);
  if (!status && lambda && h->eliminated)
    status = dae__mech_derivative(h->e.m, DAE__GDOT_Q, &at, NULL, h->gdot_z, err);
  if (!status && lambda && h->eliminated)
    status = dae__difference_jacobian(&h->d_r, attached_r_of_z, &(vary){h, at}, at.q, h->r_z, err);
  if (m->locks)
    dae__lock_set(m->locks[h->number], false);
  return dae__forward_diagnose(h->name, status, err);
}

dae_status dae__augmented_point(dae__augmented *m, const dae_mechanical_at *at, dae_error *err)
{
  dae__copy(m->element.nin, at->in, m->element.in);
  for (int k = 0; k < m->joints; k++) {
    dae__attached_joint *h = &m->joint[k];
    const double *z = at->in + h->first, *zdot = z + h->joint->nz;
    for (int i = 0; i < h->joint->nz; i++) {
      h->e.q[i] = h->own[i] >= 0 ? at->q[h->own[i]] : z[i];
      h->e.v[i] = h->own[i] >= 0 ? at->v[h->own[i]] : zdot[i];
    }
    DAE__TRY(attached_evaluate(m, h, at->t, NULL, err));
  }
  return DAE_OK;
}

dae_status dae__augmented_derivatives(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err)
{
  const dae__kkt *b = &m->kkt;
  for (int k = 0; k < m->joints; k++) {
    dae__attached_joint *h = &m->joint[k];
    int nz = h->joint->nz;
    const double *lambda = at->in + h->first + 2 * nz, *zddot = lambda + h->joint->ng;
    for (int i = 0; h->eliminated && i < nz; i++)
      h->a[i] = h->own[i] >= 0 ? b->v_dot[h->own[i]] : zddot[i];
    if (h->eliminated)
      lambda = b->y + b->nc + h->lambda;
    DAE__TRY(attached_evaluate(m, h, at->t, lambda, err));
  }
  return DAE_OK;
}

/* ---- forces ---- */

/* f -= G_z' lambda on the coordinates of the system */
static void attached_subtract(const dae__attached_joint *h, const double *lambda, double *f)
{
  int ng = h->joint->ng;
  for (int c = 0; c < h->count; c++)
    f[h->coordinate[c]] -= dae__dot(ng, h->G + ng * h->entry[c], lambda);
}

void dae__augmented_input_forces(const dae__augmented *m, const double *in, double *f)
{
  for (int k = 0; k < m->joints; k++)
    if (!m->joint[k].eliminated)
      attached_subtract(&m->joint[k], in + m->joint[k].first + 2 * m->joint[k].joint->nz, f);
}

void dae__augmented_eliminated_forces(const dae__augmented *m, const double *y, double *f)
{
  for (int k = 0; k < m->joints; k++)
    if (m->joint[k].eliminated)
      attached_subtract(&m->joint[k], y + m->kkt.nc + m->joint[k].lambda, f);
}

/* ---- columns of derivatives ---- */

typedef enum quantity { POSITION, RATE, MULTIPLIER, ACCELERATION } quantity;

/* Adds the derivatives of (f, -r) with respect to entry i of z, z', lambda or z'' of a joint. */
static void attached_column(const dae__attached_joint *h, quantity of, int i, double *top,
                            double *bottom)
{
  int ng = h->joint->ng, nz = h->joint->nz;
  for (int c = 0; c < h->count; c++) {
    if (of == POSITION)
      top[h->coordinate[c]] -= h->Gts[h->entry[c] + nz * i];
    if (of == MULTIPLIER && !h->eliminated)
      top[h->coordinate[c]] -= h->G[i + ng * h->entry[c]];
  }
  if (!h->eliminated || of == MULTIPLIER)
    return;
  const double *r = of == POSITION ? h->r_z : of == RATE ? h->gdot_z : h->G;
  dae__axpy(ng, of == RATE ? -2 : -1, r + ng * i, bottom + h->lambda);
}

void dae__augmented_column_z(const dae__augmented *m, int j, double *top, double *bottom)
{
  int nq = m->kkt.nq, nc = m->kkt.nc;
  if (j >= 2 * nq)
    return;
  for (int k = 0; k < m->joints; k++) {
    const dae__attached_joint *h = &m->joint[k];
    for (int c = 0; c < h->count; c++)
      if (h->coordinate[c] == j % nq)
        attached_column(h, j < nq ? POSITION : RATE, h->entry[c], top, bottom + nc);
  }
}

void dae__augmented_column_in(const dae__augmented *m, int j, double *top, double *bottom)
{
  int k = m->joints - 1;
  while (k >= 0 && m->joint[k].first > j)
    k--;
  if (k < 0)
    return;
  const dae__attached_joint *h = &m->joint[k];
  int nz = h->joint->nz, ng = h->joint->ng, i = j - h->first;
  quantity of = i < nz ? POSITION : i < 2 * nz ? RATE : i < 2 * nz + ng ? MULTIPLIER : ACCELERATION;
  i -= of == POSITION ? 0 : of == RATE ? nz : of == MULTIPLIER ? 2 * nz : 2 * nz + ng;
  if (of != MULTIPLIER && h->own[i] >= 0) /* own coordinates are not inputs */
    return;
  attached_column(h, of, i, top, bottom + m->kkt.nc);
}
