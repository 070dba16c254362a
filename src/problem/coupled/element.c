/* Evaluations of one part or joint by dae__mech and dae__semi. Derivatives by inputs are the
 * user's, or coloured differences. */
#include "problem/coupled/element.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/problem.h"

/* Input callback of a part: in = e->now. */
static int element_wired_inputs(void *user, double t, double *in)
{
  const dae__element *e = user;
  (void)t;
  dae__copy(e->nin, e->now, in);
  return 0;
}

/* ---- creation ---- */

static void element_alloc_memory(dae__arena *arena, const dae_pattern *J_in, bool given,
                                 dae__element *e)
{
  e->z = DAE__ALLOC(arena, int, e->nz);
  e->row = DAE__ALLOC(arena, int, e->nr);
  e->g = DAE__ALLOC(arena, int, e->n.g);
  e->k = DAE__ALLOC(arena, int, e->n.k);
  e->source = DAE__ALLOC(arena, int, e->nin);
  e->in = DAE__ALLOC(arena, double, e->nin);
  e->now = e->in;
  e->local = DAE__ALLOC(arena, double, e->nz);
  e->J_in = J_in ? *J_in : dae__pattern_dense(arena, e->nr, e->nin);
  if (!dae__arena_failed(arena) && e->nin > 0 && !given)
    e->dJ_in = dae__difference_create(arena, &e->J_in, false);
}

static dae_status element_create_mechanical(dae__arena *arena, const dae_mechanical *p,
                                            dae__element *e, dae_error *err)
{
  dae_problem problem = {.mechanical = p, .input = element_wired_inputs, .input_user = e};
  DAE__TRY(dae__mech_create(arena, &problem, &e->m, err));
  e->n = (dae__sizes){p->nq, p->nu, p->nw, p->ng, p->nk};
  e->nz = 2 * p->nq + p->nu + p->nw;
  e->nr = p->nq + p->nu + p->nw;
  e->nin = p->nin;
  e->J = &e->m->J;
  element_alloc_memory(arena, p->J_in_pattern, p->J_in != NULL, e);
  return DAE_OK;
}

dae_status dae__element_part(dae__arena *arena, const dae_part *part, const char *name,
                             dae__element *e, dae_error *err)
{
  const dae_semi_explicit *p = part->semi_explicit;
  e->name = name;
  if (part->mechanical) {
    DAE__TRY(element_create_mechanical(arena, part->mechanical, e, err));
  } else {
    dae_problem problem = {.semi_explicit = p, .input = element_wired_inputs, .input_user = e};
    DAE__TRY(dae__semi_create(arena, &problem, &e->semi, err));
    e->n = (dae__sizes){.u = p->nx, .w = p->ny};
    e->nz = e->nr = p->nx + p->ny;
    e->nin = p->nin;
    e->J = &e->semi->J;
    element_alloc_memory(arena, p->J_in_pattern, p->J_in != NULL, e);
  }
  return dae__arena_status(arena, err);
}

/* ---- a joint as a mechanical problem without mass and forces ---- */

static int element_joint_f(void *user, const dae_mechanical_at *at, double *out)
{
  const dae_joint *joint = user;
  (void)at;
  dae__zero(joint->nz, out);
  return 0;
}

/* Callback of a joint's M and J, which have no entries. */
static int element_joint_nothing(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  return 0;
}

/* Callback of the mechanical problem by the joint's callback of the same name. */
#define JOINT(name, ...)                                                                           \
  static int element_joint_##name(void *user, const dae_mechanical_at *at, double *out)            \
  {                                                                                                \
    const dae_joint *joint = user;                                                                 \
    return joint->name(joint->user, at->t, __VA_ARGS__, out);                                      \
  }
JOINT(g, at->q)
JOINT(g_t, at->q)
JOINT(G, at->q)
JOINT(gamma, at->q, at->v)
JOINT(gdot_z, at->q, at->v)
#undef JOINT

static int element_joint_Gts_z(void *user, const dae_mechanical_at *at, const double *s,
                               double *out)
{
  const dae_joint *joint = user;
  return joint->Gts_z(joint->user, at->t, at->q, s, out);
}

dae_status dae__element_joint(dae__arena *arena, const dae_joint *joint, const char *name,
                              dae__element *e, dae_error *err)
{
  dae_mechanical *p = DAE__ALLOC(arena, dae_mechanical, 1);
  dae_joint *own = DAE__ALLOC(arena, dae_joint, 1);
  dae_pattern *pattern = DAE__ALLOC(arena, dae_pattern, 3);
  DAE__TRY(dae__arena_status(arena, err));
  int nz = joint->nz;
  pattern[0] = dae__pattern_empty(arena, nz, nz);
  pattern[1] = dae__pattern_empty(arena, nz, 2 * nz);
  pattern[2] = dae__pattern_dense(arena, joint->ng, nz);
  DAE__TRY(dae__arena_status(arena, err));
  *own = *joint;
  *p = (dae_mechanical){.nq = nz,
                        .ng = joint->ng,
                        .user = own,
                        .g_names = joint->g_names,
                        .M = element_joint_nothing,
                        .f = element_joint_f,
                        .J = element_joint_nothing,
                        .g = element_joint_g,
                        .g_t = joint->g_t ? element_joint_g_t : NULL,
                        .G = joint->G ? element_joint_G : NULL,
                        .gamma = joint->gamma ? element_joint_gamma : NULL,
                        .gdot_q = joint->gdot_z ? element_joint_gdot_z : NULL,
                        .Gts_q = joint->Gts_z ? element_joint_Gts_z : NULL,
                        .M_pattern = &pattern[0],
                        .J_pattern = &pattern[1],
                        .G_pattern = &pattern[2],
                        .constant_mass = true,
                        .time_free_g = joint->time_free};
  e->name = name;
  e->joint = joint;
  dae_status status = element_create_mechanical(arena, p, e, err);
  DAE__VECTORS(arena, nz, &e->q, &e->v);
  if (!status && dae__arena_failed(arena))
    status = dae__out_of_memory(err);
  return status;
}

/* ---- point and inputs of an element ---- */

dae_mechanical_at dae__element_at(dae__element *e, const dae_mechanical_at *at)
{
  if (!e->joint)
    return (dae_mechanical_at){at->t,
                               at->q ? at->q + e->at.q : NULL,
                               at->v ? at->v + e->at.q : NULL,
                               at->u ? at->u + e->at.u : NULL,
                               at->w ? at->w + e->at.w : NULL,
                               e->in};
  for (int i = 0; i < e->n.q; i++) {
    e->q[i] = at->q[e->z[i]];
    e->v[i] = at->v ? at->v[e->z[i]] : 0;
  }
  return (dae_mechanical_at){.t = at->t, .q = e->q, .v = e->v};
}

void dae__element_inputs(dae__element *e, const dae__sizes *total, const dae_mechanical_at *at)
{
  int nq = total->q, nu = total->u;
  for (int i = 0; i < e->nin; i++) {
    int z = e->source[i];
    e->in[i] = z < nq            ? at->q[z]
               : z < 2 * nq      ? at->v[z - nq]
               : z < 2 * nq + nu ? at->u[z - 2 * nq]
                                 : at->w[z - 2 * nq - nu];
  }
}

const double *dae__element_xy(dae__element *e, const dae_mechanical_at *at)
{
  dae__copy(e->n.u, at->u, e->local);
  dae__copy(e->n.w, at->w, e->local + e->n.u);
  return e->local;
}

/* ---- evaluations ---- */

dae_status dae__element_semi(dae__element *e, const dae_mechanical_at *at, double *f, double *F,
                             double *F_t, dae_error *err)
{
  const dae_semi_explicit *p = e->semi->p;
  dae_semi_explicit_at here = {at->t, at->u, at->w, e->now};
  dae_status status = DAE_OK;
  if (f && p->nx > 0)
    status = dae__callback_status(NULL, p->f(p->user, &here, f), "f", at->t, err);
  if (F && p->ny > 0 && !status)
    status = dae__callback_status(NULL, p->F(p->user, &here, F), "F", at->t, err);
  if (F_t && p->ny > 0 && !status)
    status = dae__callback_status(NULL, p->F_t(p->user, &here, F_t), "F_t", at->t, err);
  return status;
}

dae_status dae__element_J(dae__element *e, const dae_mechanical_at *at, double *J, dae_error *err)
{
  if (e->semi)
    return dae__semi_J(e->semi, NULL, at->t, dae__element_xy(e, at), J, err);
  return dae__mech_J(e->m, at, J, err);
}

typedef struct vary {
  dae__element *e;
  const dae_mechanical_at *at;
} vary;

static dae_status element_rhs_of_in(void *context, const double *in, double *out, dae_error *err)
{
  const vary *c = context;
  dae__element *e = c->e;
  e->now = in;
  dae_status status = e->semi ? dae__element_semi(e, c->at, out, out + e->n.u, NULL, err)
                              : dae__mech_rhs(e->m, c->at, out, err);
  e->now = e->in;
  return status;
}

dae_status dae__element_J_in(dae__element *e, const dae_mechanical_at *at, double *J_in,
                             dae_error *err)
{
  if (e->semi && e->semi->p->J_in) {
    const dae_semi_explicit *p = e->semi->p;
    dae_semi_explicit_at here = {at->t, at->u, at->w, e->in};
    return dae__callback_status(NULL, p->J_in(p->user, &here, J_in), "J_in", at->t, err);
  }
  if (e->m && e->m->p->J_in) {
    dae_mechanical_at here = *at;
    here.in = e->in;
    return dae__callback_status(NULL, e->m->p->J_in(e->m->p->user, &here, J_in), "J_in", at->t,
                                err);
  }
  return dae__difference_jacobian(&e->dJ_in, element_rhs_of_in, &(vary){e, at}, e->in, J_in, err);
}
