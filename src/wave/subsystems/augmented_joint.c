/* The joints of a part, each at the point z of its coordinates: the part's own ones from its state
 * (unless lagged), those of others from the inputs. With
 *
 *   M v' + ... + G_z,own' lambda = f,   r = gamma(t,z,z') + G_z z'' = 0  where the joint is
 * eliminated,
 *
 * a change of z, z', lambda, z'' changes the right sides by
 *
 *   df = -(G_z,own' lambda)_z dz - G_z,own' dlambda,   d(-r) = -r_z dz - 2 gdot_z dz' - G_z dz''.
 */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "wave/subsystems/augmented_internal.h"
#include <stdio.h>

/* ---- creating ---- */

static void augmented_find_own(const dae__augmented *m, dae__attached_joint *h)
{
  const dae_joint *joint = h->joint;
  h->count = 0;
  for (int i = 0; i < joint->nz; i++) {
    bool own = &m->coupled->part[joint->z[i].part] == m->given;
    h->own[i] = own ? joint->z[i].variable : -1;
    if (own) {
      h->coordinate[h->count] = joint->z[i].variable;
      h->entry[h->count++] = i;
    }
  }
}

static void augmented_take_values(dae__arena *arena, dae__attached_joint *h)
{
  int nz = h->joint->nz, ng = h->joint->ng, side = nz + ng;
  h->a = DAE__ALLOC(arena, double, nz);
  h->G = DAE__ALLOC(arena, double, ng *nz);
  h->gamma = DAE__ALLOC(arena, double, ng);
  h->Gts = DAE__ALLOC(arena, double, nz *nz);
  h->gdot_z = DAE__ALLOC(arena, double, ng *nz);
  h->r_z = DAE__ALLOC(arena, double, ng *nz);
  h->G_a = DAE__ALLOC(arena, double, ng *nz);
  h->block = DAE__ALLOC(arena, double, side *side);
}

/* places of its forces and their derivatives */
static void augmented_take_blocks(const dae__augmented *m, dae__attached_joint *h)
{
  int nz = h->joint->nz, ng = h->joint->ng, columns = nz + (h->eliminated ? 0 : ng);
  int own = m->lagged ? 0 : h->count;
  h->G_block = dae__pattern_dense(m->arena, ng, h->count);
  h->J_block = dae__pattern_dense(m->arena, own, own);
  h->J_in_block = dae__pattern_dense(m->arena, h->count, columns);
  h->J_in_col = DAE__ALLOC(m->arena, int, columns);
  for (int i = 0; h->J_in_col && i < columns; i++)
    h->J_in_col[i] = h->first + (i < nz ? i : i + nz); /* z, lambda */
}

dae_status dae__attached_joint_create(dae__augmented *m, int number, bool eliminated,
                                      dae__attached_joint *h, dae_error *err)
{
  const dae_joint *joint = &m->coupled->joint[number];
  int nz = joint->nz;
  char *name = DAE__ALLOC(m->arena, char, 32);
  *h = (dae__attached_joint){
      .joint = joint, .number = number, .eliminated = eliminated, .first = m->inputs};
  h->own = DAE__ALLOC(m->arena, int, nz);
  h->coordinate = DAE__ALLOC(m->arena, int, nz);
  h->entry = DAE__ALLOC(m->arena, int, nz);
  augmented_take_values(m->arena, h);
  if (dae__arena_failed(m->arena))
    return dae__out_of_memory(err);
  snprintf(name, 32, "joint[%d]", number + 1);
  h->name = joint->name ? joint->name : name;
  h->lambda = eliminated ? m->eliminated : -1;
  m->eliminated += eliminated ? joint->ng : 0;
  m->inputs += 3 * nz + joint->ng;
  augmented_find_own(m, h);
  augmented_take_blocks(m, h);
  DAE__TRY(dae__element_joint(m->arena, joint, h->name, &h->e, err));
  /* where gamma is itself differenced, differences of it have to be wide */
  h->d_r = dae__difference_create(m->arena, &h->e.m->G, !joint->G || !joint->gamma);
  return dae__arena_failed(m->arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- evaluations ---- */

typedef struct vary {
  dae__attached_joint *h;
  dae_mechanical_at at;
} vary;

/* gamma(t,z,z') + G(t,z) a */
static dae_status augmented_r_of_z(void *context, const double *z, double *out, dae_error *err)
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

static dae_status augmented_derivatives(dae__attached_joint *h, const dae_mechanical_at *at,
                                        const double *lambda, dae_error *err)
{
  dae_status status = dae__mech_Gts(h->e.m, at, lambda, h->Gts, err);
  if (status || !h->eliminated)
    return status;
  status = dae__mech_gdot_q(h->e.m, at, h->gdot_z, err);
  if (!status)
    status =
        dae__difference_jacobian(&h->d_r, augmented_r_of_z, &(vary){h, *at}, at->q, h->r_z, err);
  return status;
}

/* The only place where callbacks of a joint are called: members of other threads may share it. */
static dae_status augmented_evaluate(dae__augmented *m, dae__attached_joint *h, double t,
                                     const dae__attached_joint_wanted *want, dae_error *err)
{
  dae_mechanical_at at = {.t = t, .q = h->e.q, .v = h->e.v};
  dae_mechanical_wanted values = {.G = want->G ? h->G : NULL,
                                  .gamma = want->gamma ? h->gamma : NULL};
  if (m->locks)
    dae__lock_lock(m->locks[h->number]);
  dae_status status = dae__mech_eval(h->e.m, &at, &values, err);
  if (!status && want->lambda)
    status = augmented_derivatives(h, &at, want->lambda, err);
  if (m->locks)
    dae__lock_unlock(m->locks[h->number]);
  return dae__forward_diagnose(h->name, status, err);
}

static void augmented_set_point(const dae__augmented *m, dae__attached_joint *h,
                                const dae_mechanical_at *at)
{
  const double *z = at->in + h->first, *zdot = z + h->joint->nz;
  for (int i = 0; i < h->joint->nz; i++) {
    bool own = h->own[i] >= 0 && !m->lagged;
    h->e.q[i] = own ? at->q[h->own[i]] : z[i];
    h->e.v[i] = own ? at->v[h->own[i]] : zdot[i];
  }
}

dae_status dae__augmented_point(dae__augmented *m, const dae_mechanical_at *at, dae_error *err)
{
  dae_status status = DAE_OK;
  dae__copy(m->part.nin, at->in, m->part.in);
  for (int i = 0; i < m->joints && !status; i++) {
    dae__attached_joint *h = &m->joint[i];
    augmented_set_point(m, h, at);
    status = augmented_evaluate(
        m, h, at->t, &(dae__attached_joint_wanted){.G = true, .gamma = h->eliminated}, err);
  }
  return status;
}

dae_status dae__augmented_derivatives(dae__augmented *m, const dae_mechanical_at *at,
                                      dae_error *err)
{
  const dae__kkt *b = &m->kkt;
  dae_status status = DAE_OK;
  for (int k = 0; k < m->joints && !status; k++) {
    dae__attached_joint *h = &m->joint[k];
    int nz = h->joint->nz;
    const double *lambda = at->in + h->first + 2 * nz, *zddot = lambda + h->joint->ng;
    for (int i = 0; h->eliminated && i < nz; i++)
      h->a[i] = h->own[i] >= 0 ? b->v_dot[h->own[i]] : zddot[i];
    if (h->eliminated)
      lambda = b->y + b->nc + h->lambda;
    status = augmented_evaluate(m, h, at->t, &(dae__attached_joint_wanted){.lambda = lambda}, err);
  }
  return status;
}

/* ---- forces ---- */

static void augmented_subtract(const dae__attached_joint *h, const double *lambda, double *f)
{
  int ng = h->joint->ng;
  for (int c = 0; c < h->count; c++)
    f[h->coordinate[c]] -= dae__dot(ng, h->G + ng * h->entry[c], lambda);
}

void dae__augmented_input_forces(const dae__augmented *m, const double *in, double *f)
{
  for (int k = 0; k < m->joints; k++)
    if (!m->joint[k].eliminated)
      augmented_subtract(&m->joint[k], in + m->joint[k].first + 2 * m->joint[k].joint->nz, f);
}

void dae__augmented_carried_forces(const dae__augmented *m, const double *y, double *f)
{
  for (int k = 0; k < m->joints; k++)
    if (m->joint[k].eliminated)
      augmented_subtract(&m->joint[k], y + m->kkt.nc + m->joint[k].lambda, f);
}

/* ---- columns of derivatives ---- */

typedef enum quantity { POSITION, RATE, MULTIPLIER, ACCELERATION } quantity;

/* with respect to entry i of one of the four */
static void augmented_column(const dae__attached_joint *h, quantity of, int i, double *top,
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
  if (m->lagged || j >= 2 * nq)
    return;
  for (int k = 0; k < m->joints; k++) {
    const dae__attached_joint *h = &m->joint[k];
    for (int c = 0; c < h->count; c++)
      if (h->coordinate[c] == j % nq)
        augmented_column(h, j < nq ? POSITION : RATE, h->entry[c], top, bottom + nc);
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
  /* own coordinates are not taken from the inputs, own accelerations never */
  if (of != MULTIPLIER && h->own[i] >= 0 && (of == ACCELERATION || !m->lagged))
    return;
  augmented_column(h, of, i, top, bottom + m->kkt.nc);
}
