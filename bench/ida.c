/* IDA on the stabilised index-2 form of a mechanical problem, see ida_ggl.c, with its sparse
 * iteration matrix written out and solved by KLU. */
#include "ida.h"

#include "core/vec.h"
#include "ida_ggl.h"
#include "ida_session.h"
#include "linalg/pattern.h"
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

/* ---- what IDA calls ---- */

static int residual(double t, N_Vector y, N_Vector dy, N_Vector R, void *user)
{
  return ida_ggl_residual(user, t, NV_DATA_S(y), NV_DATA_S(dy), NV_DATA_S(R));
}

/* IDA has cleared A, its pattern included */
static int jacobian(double t, double cj, N_Vector y, N_Vector dy, N_Vector R, SUNMatrix A,
                    void *user, N_Vector work1, N_Vector work2, N_Vector work3)
{
  const dae_pattern *p = ida_ggl_pattern(user);
  (void)R, (void)work1, (void)work2, (void)work3;
  for (int j = 0; j <= p->cols; j++)
    SM_INDEXPTRS_S(A)[j] = p->start[j];
  for (int e = 0; e < dae__pattern_count(p); e++)
    SM_INDEXVALS_S(A)[e] = p->row[e];
  return ida_ggl_matrix(user, t, cj, NV_DATA_S(y), NV_DATA_S(dy), SM_DATA_S(A));
}

/* ---- the run ---- */

static peer_counts run(ida_ggl *ggl, const test_problem *p, const ida_settings *set, double *y,
                       double *dy)
{
  const dae_pattern *jac = ida_ggl_pattern(ggl);
  ida_session s;
  ida_session_open(&s, jac->cols, 2 * p->problem.mechanical->nq, y, dy);
  s.A = SUNSparseMatrix(jac->rows, jac->cols, dae__pattern_count(jac), CSC_MAT, s.context);
  s.solver = SUNLinSol_KLU(s.y, s.A, s.context);
  ida_session_start(&s, residual, jacobian, ggl, p->start.t, p->to);
  N_Vector atol = N_VClone(s.y);
  for (int i = 0; i < s.n; i++)
    NV_Ith_S(atol, i) = i < s.differential ? set->atol : set->algebraic_atol;
  IDASVtolerances(s.ida, set->rtol, atol);
  IDASetMaxOrd(s.ida, set->order);
  peer_counts out = ida_session_solve(&s, p->start.t, p->to);
  N_VDestroy(atol);
  ida_session_close(&s);
  return out;
}

peer_counts ida_run(const test_problem *p, const ida_settings *set, double *y, const double *dy)
{
  peer_counts out = {0};
  const dae_mechanical *m = p->problem.mechanical;
  dae__arena *arena = m ? dae__arena_create(NULL) : NULL;
  ida_ggl *ggl = arena ? ida_ggl_create(arena, m) : NULL;
  if (ggl) {
    int n = ida_ggl_pattern(ggl)->cols;
    double *Y = DAE__ALLOC(arena, double, 2 * n), *dY = Y + n; /* mu, which comes last, is zero */
    if (Y) {
      dae__copy(p->size, y, Y);
      dae__copy(2 * m->nq, dy, dY);
      out = run(ggl, p, set, Y, dY);
      dae__copy(p->size, Y, y);
    }
  }
  dae__arena_free(arena);
  return out;
}
