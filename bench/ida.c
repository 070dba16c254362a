/* IDA as a user of it would set it up by hand: dense linear algebra, its own difference Jacobian,
 * algebraic variables out of the error test (index 2 needs that).
 *
 *   mechanical      the stabilised index-2 form, unknowns q v lambda mu, written out below:
 *                   0 = q' - v + G' mu,  0 = M v' - f + G' lambda,  0 = g_t + G v,  0 = g
 *   quasi-linear    0 = M x' - f
 *   semi-explicit   0 = x' - f, 0 = F */
#include "ida.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define LARGEST 8 /* coordinates, states */
#define MAX_STEPS 500000

/* out += A x, or A' x, for a dense column-major A */
static void add_times(int rows, int cols, const double *A, const double *x, double *out)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      out[i] += A[i + j * rows] * x[j];
}

static void add_transposed(int rows, int cols, const double *A, const double *x, double *out)
{
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      out[j] += A[i + j * rows] * x[i];
}

static int residual_mechanical(double t, const dae_mechanical *p, const double *y, const double *dy,
                               double *R)
{
  int nq = p->nq, ng = p->ng;
  const double *v = y + nq, *lambda = v + nq, *mu = lambda + ng;
  double M[LARGEST * LARGEST], G[LARGEST * LARGEST], f[LARGEST];
  double *Rq = R, *Rv = R + nq, *gdot = Rv + nq, *g = gdot + ng;
  dae_mechanical_at at = {.t = t, .q = y, .v = v};
  memset(gdot, 0, (size_t)ng * sizeof *gdot);
  int refused = p->M(p->user, &at, M) || p->f(p->user, &at, f) || p->g(p->user, &at, g) ||
                p->G(p->user, &at, G) || (p->g_t && p->g_t(p->user, &at, gdot));
  for (int i = 0; i < nq; i++) {
    Rq[i] = dy[i] - v[i];
    Rv[i] = -f[i];
  }
  add_transposed(ng, nq, G, mu, Rq);
  add_times(nq, nq, M, dy + nq, Rv);
  add_transposed(ng, nq, G, lambda, Rv);
  add_times(ng, nq, G, v, gdot);
  return refused;
}

static int residual_semi(double t, const dae_semi_explicit *p, const double *y, const double *dy,
                         double *R)
{
  double M[LARGEST * LARGEST];
  dae_semi_explicit_at at = {.t = t, .x = y, .y = y + p->nx};
  int refused = p->f(p->user, &at, R) || (p->F && p->F(p->user, &at, R + p->nx)) ||
                (p->M && p->M(p->user, &at, M));
  for (int i = 0; i < p->nx; i++)
    R[i] = p->M ? -R[i] : dy[i] - R[i];
  if (p->M)
    add_times(p->nx, p->nx, M, dy, R);
  return refused;
}

static int residual(double t, N_Vector y, N_Vector dy, N_Vector R, void *user)
{
  const dae_problem *p = user;
  const double *Y = NV_DATA_S(y), *dY = NV_DATA_S(dy);
  return p->mechanical ? residual_mechanical(t, p->mechanical, Y, dY, NV_DATA_S(R))
                       : residual_semi(t, p->semi_explicit, Y, dY, NV_DATA_S(R));
}

static void quiet(int code, const char *module, const char *function, char *text, void *user)
{
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

static ida_result integrate(void *ida, const test_problem *p, N_Vector y, N_Vector dy)
{
  ida_result out = {0};
  double t = p->start.t;
  long differences = 0;
  out.reached = IDASolve(ida, p->to, &t, y, dy, IDA_NORMAL) >= 0;
  IDAGetNumSteps(ida, &out.steps);
  IDAGetNumErrTestFails(ida, &out.rejected);
  IDAGetNumResEvals(ida, &out.evaluations);
  IDAGetNumLinResEvals(ida, &differences);
  IDAGetNumJacEvals(ida, &out.jacobians);
  out.evaluations += differences;
  return out;
}

ida_result ida_run(const test_problem *p, double tol, double *y0, const double *dy0)
{
  const dae_mechanical *mechanical = p->problem.mechanical;
  int n = p->size + (mechanical ? mechanical->ng : 0); /* mu comes last */
  int differential = mechanical ? 2 * mechanical->nq : p->problem.semi_explicit->nx;
  bool suppress = differential < n;
  SUNContext context;
  SUNContext_Create(NULL, &context);
  N_Vector y = N_VNew_Serial(n, context), dy = N_VClone(y), id = N_VClone(y);
  SUNMatrix A = SUNDenseMatrix(n, n, context);
  SUNLinearSolver solver = SUNLinSol_Dense(y, A, context);
  void *ida = IDACreate(context);
  for (int i = 0; i < n; i++) {
    NV_Ith_S(y, i) = i < p->size ? y0[i] : 0;
    NV_Ith_S(dy, i) = i < differential ? dy0[i] : 0;
    NV_Ith_S(id, i) = i < differential;
  }
  IDAInit(ida, residual, p->start.t, y, dy);
  IDASStolerances(ida, tol, tol);
  IDASetUserData(ida, (void *)&p->problem);
  IDASetErrHandlerFn(ida, quiet, NULL);
  IDASetLinearSolver(ida, solver, A);
  IDASetMaxNumSteps(ida, MAX_STEPS);
  IDASetStopTime(ida, p->to);
  IDASetId(ida, id);
  IDASetSuppressAlg(ida, suppress);
  ida_result out = integrate(ida, p, y, dy);
  memcpy(y0, NV_DATA_S(y), (size_t)p->size * sizeof *y0);
  IDAFree(&ida);
  SUNLinSolFree(solver);
  SUNMatDestroy(A);
  N_VDestroy(id);
  N_VDestroy(dy);
  N_VDestroy(y);
  SUNContext_Free(&context);
  return out;
}
