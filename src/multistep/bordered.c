/* The bordered system: its iteration matrix and its residual. */
#include "multistep/bordered.h"
#include "core/error.h"
#include "core/vec.h"

static dae_mechanical_at bordered_point(const dae__bordered *s, double t, const double *Y)
{
  return dae__mech_at(s->m, t, Y);
}

/* ---- the iteration matrix ---- */

static void bordered_add(const dae__bordered *s, int which, double factor, const double *values)
{
  dae__block_add(&s->block[which], factor, values, s->matrix);
}

/* where M is to go; a constant one is evaluated once */
static double *bordered_wanted_M(const dae__bordered *s)
{
  return s->has_M && s->m->p->constant_mass ? NULL : s->M;
}

/* rows that come from first derivatives alone */
static dae_status bordered_add_constraints(dae__bordered *s, const dae_mechanical_at *at,
                                           dae_error *err)
{
  dae_mechanical_wanted want = {.M = bordered_wanted_M(s), .G = s->G, .K = s->K};
  dae_status status = dae__mech_eval(s->m, at, &want, err);
  s->has_M = status == DAE_OK;
  if (!status)
    status = dae__mech_gdot_q(s->m, at, s->gdot_q, err);
  if (!status)
    status = dae__mech_k_q(s->m, at, s->k_q, err);
  DAE__TRY(status);
  bordered_add(s, DAE__BLOCK_GT_MU, 1, s->G);
  bordered_add(s, DAE__BLOCK_GT_LAMBDA, 1, s->G);
  bordered_add(s, DAE__BLOCK_G_V, 1, s->G);
  bordered_add(s, DAE__BLOCK_G_Q, 1, s->G);
  bordered_add(s, DAE__BLOCK_KT_PSI, 1, s->K);
  bordered_add(s, DAE__BLOCK_K_V, 1, s->K);
  bordered_add(s, DAE__BLOCK_GDOT_Q, 1, s->gdot_q);
  bordered_add(s, DAE__BLOCK_K_Q, 1, s->k_q);
  return DAE_OK;
}

/* what the change of the constraints' directions adds: H(lambda), H(mu), d(K' psi)/d(q,v) */
static dae_status bordered_add_curvature(dae__bordered *s, const dae_mechanical_at *at,
                                         const double *Y, dae_error *err)
{
  dae__mech *m = s->m;
  DAE__TRY(dae__mech_Kts(m, at, Y + m->at.psi, s->Kts, err));
  bordered_add(s, DAE__BLOCK_KTS, 1, s->Kts);
  DAE__TRY(dae__mech_Gts(m, at, Y + m->at.lambda, s->H, err));
  bordered_add(s, DAE__BLOCK_H_LAMBDA, 1, s->H);
  dae_status status = dae__mech_Gts(m, at, Y + s->mu, s->H, err);
  bordered_add(s, DAE__BLOCK_H_MU, 1, s->H);
  return status;
}

/* rows of the dynamics */
static dae_status bordered_add_dynamics(dae__bordered *s, const dae_mechanical_at *at,
                                        const double *Y, const double *dY, double cj,
                                        dae_error *err)
{
  dae__mech *m = s->m;
  bordered_add(s, DAE__BLOCK_ONE_Q, cj, s->ones);
  bordered_add(s, DAE__BLOCK_ONE_V, -1, s->ones);
  bordered_add(s, DAE__BLOCK_ONE_U, cj, s->ones);
  bordered_add(s, DAE__BLOCK_M, cj, s->M);
  DAE__TRY(dae__mech_J(m, at, s->J, err));
  DAE__TRY(dae__mech_Ms(m, at, dY + m->at.v, s->Ms, err));
  bordered_add(s, DAE__BLOCK_J, -1, s->J);
  bordered_add(s, DAE__BLOCK_MS, 1, s->Ms);
  return s->with_H ? bordered_add_curvature(s, at, Y, err) : DAE_OK;
}

/* "multiplier = 0" in the rows of dependent constraints */
static void bordered_add_taken_out(dae__bordered *s)
{
  const dae__mech *m = s->m;
  const dae__block *b = &s->block[DAE__BLOCK_TAKEN_OUT];
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      s->matrix[b->map[i]] = 1;
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      s->matrix[b->map[m->nc + i]] = 1;
}

static dae_status bordered_singular(const dae__bordered *s, dae_error *err)
{
  const dae__mech *m = s->m;
  int column = dae__solver_column(s->solver);
  char name[64] = "";
  if (column >= s->mu)
    dae__mech_constraint_name(m->p, column - s->mu, name, sizeof name);
  else if (column >= 0)
    dae_problem_variable(&(dae_problem){.mechanical = m->p}, column, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name,
                   "the iteration matrix is singular%s%s: constraints "
                   "may have become dependent, or an equation does not determine its variable",
                   name[0] ? " at " : "", name);
}

static dae_status bordered_assemble(dae__bordered *s, double t, const double *Y, const double *dY,
                                    double cj, dae_error *err)
{
  dae_mechanical_at at = bordered_point(s, t, Y);
  dae__zero(dae__pattern_count(&s->pattern), s->matrix);
  dae_status status = bordered_add_constraints(s, &at, err);
  if (!status)
    status = bordered_add_dynamics(s, &at, Y, dY, cj, err);
  bordered_add_taken_out(s);
  s->count->jacobians++;
  if (!status) {
    status = dae__solver_factor(s->solver, s->matrix);
    s->count->factorisations++;
    if (status == DAE_ERROR_MEMORY)
      dae__out_of_memory(err);
    if (status == DAE_ERROR_RECOVERABLE)
      dae__fail(err, status, NULL, "the iteration matrix has an entry that is not a finite number");
  }
  return status;
}

dae_status dae__bordered_setup(void *self, double t, const double *Y, const double *dY, double cj,
                               dae_error *err)
{
  dae__bordered *s = self;
  dae_status status = bordered_assemble(s, t, Y, dY, cj, err);
  if (status != DAE_ERROR_SINGULAR)
    return status;
  /* another independent subset of the constraints, if there is one */
  status = dae__motion_pick(s->motion, t, Y, NULL, 0, err);
  if (!status)
    status = dae__motion_follow(s->shown, err);
  if (!status)
    status = bordered_assemble(s, t, Y, dY, cj, err);
  return status == DAE_ERROR_SINGULAR ? bordered_singular(s, err) : status;
}

/* ---- the residual ---- */

dae_status dae__bordered_evaluate(dae__bordered *s, double t, const double *Y, double *R,
                                  dae_error *err)
{
  dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  dae_mechanical_at at = bordered_point(s, t, Y);
  dae_mechanical_wanted want = {.M = bordered_wanted_M(s),
                                .f = s->fsc,
                                .s = s->fsc + m->nq,
                                .c = s->fsc + m->nq + m->nu,
                                .g = R + s->mu,
                                .gdot = R + o->lambda,
                                .G = s->G,
                                .k = R + o->psi,
                                .K = s->K};
  return dae__mech_eval(m, &at, &want, err);
}

void dae__bordered_rates(const dae__bordered *s, const double *Y, const double *dY, double *R)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  for (int i = 0; i < m->nq; i++) {
    R[i] = dY[i] - Y[o->v + i]; /* q' - v */
    R[o->v + i] = -s->fsc[i];   /* -f */
  }
  dae__matrix_times(&m->M, s->M, 1, dY + o->v, R + o->v); /* + M v' */
}

void dae__bordered_add_forces(const dae__bordered *s, const double *G, const double *K,
                              const double *y, const double *mu, double *R)
{
  const dae__mech *m = s->m;
  dae__matrix_transposed_times(&m->G, G, 1, mu, R);                  /* + G' mu */
  dae__matrix_transposed_times(&m->G, G, 1, y, R + m->at.v);         /* + G' lambda */
  dae__matrix_transposed_times(&m->K, K, 1, y + m->ng, R + m->at.v); /* + K' psi */
}

void dae__bordered_finish(const dae__bordered *s, const double *Y, const double *dY, double factor,
                          double *R)
{
  const dae__mech *m = s->m;
  const dae__mech_layout *o = &m->at;
  for (int i = 0; i < m->nu; i++)
    R[o->u + i] = dY[o->u + i] - s->fsc[m->nq + i]; /* u' - s */
  for (int i = 0; i < m->nw; i++)
    R[o->w + i] = -s->fsc[m->nq + m->nu + i]; /* -c */
  dae__scale(o->w, factor, R);
  for (int i = 0; i < m->nc; i++)
    if (!m->active[i])
      R[o->lambda + i] = Y[o->lambda + i];
  for (int i = 0; i < m->ng; i++)
    if (!m->active[i])
      R[s->mu + i] = Y[s->mu + i];
}

void dae__bordered_filter(void *self, double cj, const double *e, double *out)
{
  dae__bordered *s = self;
  const dae__mech_layout *o = &s->m->at;
  dae__zero(s->n, out);
  dae__copy(s->m->nq, e, out);
  dae__matrix_times(&s->m->M, s->M, 1, e + o->v, out + o->v);
  dae__copy(s->m->nu, e + o->u, out + o->u);
  dae__scale(o->w, cj, out);
  dae__solver_solve(s->solver, out);
}
