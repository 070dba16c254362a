/* Equations of a problem in the momentum form, which is the form of SPARK itself. Matrices (2) and
 * (3) are assembled from its derivatives. */
#include "core/error.h"
#include "core/vec.h"
#include "onestep/spark/equations.h"

/* Derivatives in matrix (2) that depend on psi, or on no multiplier. */
#define SET_PSI                                                                                    \
  (DAE__SPARK_SET(DAE__P_Z) | DAE__SPARK_SET(DAE__GDOT_Z) | DAE__SPARK_SET(DAE__F_PSI) |           \
   DAE__SPARK_SET(DAE__K_Z))

typedef struct matrix {
  const char *name;
  dae__terms terms;
  dae__solver *solver;
} matrix;

typedef struct momentum {
  dae__momentum *m;
  dae__spark_equations *eq;
  /* matrices (2) and (3); without k they are equal, and the second one has no solver */
  matrix matrix[2];
} momentum;

static dae_status spark_momentum_eval(void *self, const dae_momentum_at *at,
                                      const double *multiplier, const dae__spark_wanted *w,
                                      dae_error *err)
{
  dae__momentum *m = ((momentum *)self)->m;
  if (w->v)
    DAE__TRY(dae__momentum_eval(m, DAE__V, at, NULL, w->v, err));
  if (w->p)
    DAE__TRY(dae__momentum_eval(m, DAE__P, at, NULL, w->p, err));
  if (w->f)
    DAE__TRY(dae__momentum_eval(m, DAE__F, at, multiplier, w->f, err));
  if (w->r)
    DAE__TRY(dae__momentum_eval(m, DAE__R, at, multiplier, w->r, err));
  if (w->r && m->ng > 0)
    DAE__TRY(dae__momentum_eval(m, DAE__G, at, NULL, w->g, err));
  if (w->k)
    DAE__TRY(dae__momentum_eval(m, DAE__K, at, NULL, w->k, err));
  return w->gdot ? dae__momentum_eval(m, DAE__GDOT, at, NULL, w->gdot, err) : DAE_OK;
}

static dae_status spark_momentum_linearise(void *self, const dae_momentum_at *at,
                                           const double *multiplier, unsigned parts, dae_error *err)
{
  momentum *o = self;
  for (int i = 0; i < DAE__MOMENTUM_PARTS; i++)
    if ((parts & DAE__SPARK_SET(i)) && dae__pattern_count(&o->m->pattern[i]) > 0)
      DAE__TRY(dae__momentum_jacobian(o->m, (dae__momentum_part)i, at, multiplier, o->eq->values[i],
                                      err));
  return DAE_OK;
}

/* ---- matrices (2) and (3) ---- */

static dae_status spark_momentum_factor(void *self, const dae_momentum_at *at, const double *lambda,
                                        const double *psi, dae_error *err)
{
  momentum *o = self;
  DAE__TRY(spark_momentum_linearise(o, at, psi, SET_PSI, err));
  DAE__TRY(spark_momentum_linearise(o, at, lambda, DAE__SPARK_SET(DAE__R_LAMBDA), err));
  for (int i = 0; i < 2 && o->matrix[i].solver; i++) {
    const matrix *A = &o->matrix[i];
    dae__terms_add(&A->terms, 0, &(double){1}, o->eq->values);
    dae_status status = dae__solver_factor(A->solver, A->terms.values);
    DAE__TRY(dae__spark_factored(o->eq, status, A->name, dae__solver_column(A->solver), err));
  }
  return DAE_OK;
}

static void spark_momentum_solve(void *self, bool with_psi, double *x)
{
  momentum *o = self;
  dae__solver_solve(o->matrix[!with_psi && o->matrix[1].solver ? 1 : 0].solver, x);
}

static void spark_momentum_release(void *self)
{
  momentum *o = self;
  dae__solver_free(o->matrix[0].solver);
  dae__solver_free(o->matrix[1].solver);
}

static const dae__spark_equations_table spark_momentum_table = {.eval = spark_momentum_eval,
                                                                .linearise =
                                                                    spark_momentum_linearise,
                                                                .factor = spark_momentum_factor,
                                                                .solve = spark_momentum_solve,
                                                                .free = spark_momentum_release};

/* ---- creation ---- */

static dae_status spark_momentum_create_matrix(const momentum *o, dae__arena *arena, bool with_psi,
                                               matrix *A, dae_error *err)
{
  const dae_pattern *pattern = o->m->pattern;
  int nz = o->m->nz, psi = nz + o->m->ng, n = psi + (with_psi ? o->m->nk : 0);
  const struct {
    dae__momentum_part part;
    int row, col;
    double weight;
  } terms[] = {{DAE__P_Z, 0, 0, 1},
               {DAE__R_LAMBDA, 0, nz, -1},
               {DAE__GDOT_Z, nz, 0, 1},
               {DAE__F_PSI, 0, psi, -1},
               {DAE__K_Z, psi, 0, 1}};
  A->name = with_psi ? "matrix (2) of the stage system" : "matrix (3) of the stage system";
  A->terms = dae__terms_create(arena, 5);
  for (int i = 0; i < (with_psi ? 5 : 3); i++)
    dae__terms_list(&A->terms, arena, (dae__term){(int)terms[i].part, 0, terms[i].weight, 0},
                    (dae__block){terms[i].row, terms[i].col, &pattern[terms[i].part], false, NULL},
                    NULL);
  DAE__TRY(dae__terms_merge(&A->terms, arena, n, n, err));
  return dae__solver_create(arena, &A->terms.pattern, &A->solver, err);
}

dae_status dae__spark_momentum_create(dae__arena *arena, const dae_adapter *adapter, bool matrices,
                                      dae__spark_equations *out, dae_error *err)
{
  dae__momentum *m = adapter->forms->momentum;
  momentum *o = DAE__ALLOC(arena, momentum, 1);
  DAE__TRY(dae__arena_status(arena, err));
  *o = (momentum){.m = m, .eq = out};
  *out = (dae__spark_equations){.table = &spark_momentum_table,
                                .self = o,
                                .problem = adapter->problem,
                                .ny = m->ny,
                                .nz = m->nz,
                                .ng = m->ng,
                                .nk = m->nk,
                                .split = m->ny,
                                .z = m->at.z,
                                .lambda = m->at.lambda,
                                .psi = m->at.psi};
  for (int i = 0; i < DAE__MOMENTUM_PARTS; i++)
    out->pattern[i] = m->pattern[i];
  DAE__TRY(dae__spark_equations_create_values(arena, out, err));
  if (!matrices)
    return DAE_OK;
  DAE__TRY(spark_momentum_create_matrix(o, arena, true, &o->matrix[0], err));
  return m->nk > 0 ? spark_momentum_create_matrix(o, arena, false, &o->matrix[1], err) : DAE_OK;
}
