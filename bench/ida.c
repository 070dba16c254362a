/* IDA as a user of it would set it up by hand: algebraic variables out of the error test (index 2
 * needs that), and
 *
 *   mechanical      the stabilised index-2 form, see ida_ggl.c. Sparse problems have KLU and an
 *                   analytic iteration matrix, small and dense ones as below
 *   quasi-linear    0 = M x' - f, dense, IDA's own difference Jacobian
 *   semi-explicit   0 = x' - f, 0 = F, likewise
 *
 * Coupled problems, inputs, and what ida_ggl.c leaves out are refused. */
#include "ida.h"

#include "core/vec.h"
#include "ida_ggl.h"
#include "linalg/pattern.h"
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#define MAX_STEPS 500000

/* M x' - f, F */
typedef struct semi {
  const dae_semi_explicit *p;
  dae_pattern M;
  double *M_values;
  bool has_M; /* a constant M is evaluated once */
} semi;

typedef struct peer {
  dae__arena *arena;
  ida_ggl *ggl;           /* or NULL, then */
  semi *semi;             /* this */
  int n, differential;    /* unknowns; those before this one have a derivative */
  const dae_pattern *jac; /* of the iteration matrix; NULL: dense, by differences */
  SUNContext context;
  N_Vector y, dy, id, atol;
  SUNMatrix A;
  SUNLinearSolver solver;
  void *ida;
} peer;

/* ---- what IDA calls ---- */

static int residual_semi(semi *s, double t, const double *y, const double *dy, double *R)
{
  const dae_semi_explicit *p = s->p;
  dae_semi_explicit_at at = {.t = t, .x = y, .y = y + p->nx};
  bool wants_M = p->M && !(s->has_M && p->constant_mass);
  int refused = p->f(p->user, &at, R) || (p->F && p->F(p->user, &at, R + p->nx)) ||
                (wants_M && p->M(p->user, &at, s->M_values));
  if (refused)
    return refused;
  s->has_M = true;
  for (int i = 0; i < p->nx; i++)
    R[i] = p->M ? -R[i] : dy[i] - R[i];
  if (p->M)
    dae__matrix_times(&s->M, s->M_values, 1, dy, R);
  return 0;
}

static int residual(double t, N_Vector y, N_Vector dy, N_Vector R, void *user)
{
  const peer *o = user;
  const double *Y = NV_DATA_S(y), *dY = NV_DATA_S(dy);
  return o->ggl ? ida_ggl_residual(o->ggl, t, Y, dY, NV_DATA_S(R))
                : residual_semi(o->semi, t, Y, dY, NV_DATA_S(R));
}

/* IDA has cleared A, its pattern included */
static int jacobian(double t, double cj, N_Vector y, N_Vector dy, N_Vector R, SUNMatrix A,
                    void *user, N_Vector work1, N_Vector work2, N_Vector work3)
{
  const peer *o = user;
  (void)R, (void)work1, (void)work2, (void)work3;
  for (int j = 0; j <= o->n; j++)
    SM_INDEXPTRS_S(A)[j] = o->jac->start[j];
  for (int e = 0; e < dae__pattern_count(o->jac); e++)
    SM_INDEXVALS_S(A)[e] = o->jac->row[e];
  return ida_ggl_matrix(o->ggl, t, cj, NV_DATA_S(y), NV_DATA_S(dy), SM_DATA_S(A));
}

static void quiet(int code, const char *module, const char *function, char *text, void *user)
{
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

/* ---- construction ---- */

static semi *create_semi(dae__arena *arena, const dae_semi_explicit *p)
{
  semi *s = p->nin == 0 ? DAE__TAKE(arena, semi, 1) : NULL;
  if (!s)
    return NULL;
  s->p = p;
  if (!p->M)
    return s;
  s->M = p->M_pattern ? *p->M_pattern : dae__pattern_dense(arena, p->nx, p->nx);
  s->M_values = s->M.start ? DAE__TAKE(arena, double, dae__pattern_count(&s->M)) : NULL;
  return dae__arena_failed(arena) ? NULL : s;
}

/* the equations; false: refused */
static bool write_out(peer *o, const dae_problem *problem, bool analytic)
{
  const dae_mechanical *m = problem->mechanical;
  const dae_semi_explicit *p = problem->semi_explicit;
  o->arena = dae__arena_create(NULL);
  if (o->arena && m && (o->ggl = ida_ggl_create(o->arena, m, analytic))) {
    o->n = 2 * (m->nq + m->ng);
    o->differential = 2 * m->nq;
    o->jac = ida_ggl_pattern(o->ggl);
  }
  if (o->arena && p && (o->semi = create_semi(o->arena, p))) {
    o->n = p->nx + p->ny;
    o->differential = p->nx;
  }
  return o->ggl || o->semi;
}

/* mu, which comes last, starts at zero */
static void make_vectors(peer *o, const ida_settings *set, int size, const double *y,
                         const double *dy)
{
  o->y = N_VNew_Serial(o->n, o->context);
  o->dy = N_VClone(o->y);
  o->id = N_VClone(o->y);
  o->atol = N_VClone(o->y);
  for (int i = 0; i < o->n; i++) {
    NV_Ith_S(o->y, i) = i < size ? y[i] : 0;
    NV_Ith_S(o->dy, i) = i < o->differential ? dy[i] : 0;
    NV_Ith_S(o->id, i) = i < o->differential;
    NV_Ith_S(o->atol, i) = i < o->differential ? set->atol : set->algebraic_atol;
  }
}

static void make_solver(peer *o)
{
  if (o->jac) {
    o->A = SUNSparseMatrix(o->n, o->n, dae__pattern_count(o->jac), CSC_MAT, o->context);
    o->solver = SUNLinSol_KLU(o->y, o->A, o->context);
  } else {
    o->A = SUNDenseMatrix(o->n, o->n, o->context);
    o->solver = SUNLinSol_Dense(o->y, o->A, o->context);
  }
}

static void make_ida(peer *o, const ida_settings *set, const test_problem *p)
{
  o->ida = IDACreate(o->context);
  IDAInit(o->ida, residual, p->start.t, o->y, o->dy);
  IDASVtolerances(o->ida, set->rtol, o->atol);
  IDASetMaxOrd(o->ida, set->order);
  IDASetUserData(o->ida, o);
  IDASetErrHandlerFn(o->ida, quiet, NULL);
  IDASetLinearSolver(o->ida, o->solver, o->A);
  if (o->jac)
    IDASetJacFn(o->ida, jacobian);
  IDASetMaxNumSteps(o->ida, MAX_STEPS);
  IDASetStopTime(o->ida, p->to);
  IDASetId(o->ida, o->id);
  IDASetSuppressAlg(o->ida, o->differential < o->n);
}

static void release(peer *o)
{
  IDAFree(&o->ida);
  SUNLinSolFree(o->solver);
  SUNMatDestroy(o->A);
  N_VDestroy(o->atol);
  N_VDestroy(o->id);
  N_VDestroy(o->dy);
  N_VDestroy(o->y);
  SUNContext_Free(&o->context);
}

/* ---- the run ---- */

static ida_result integrate(const peer *o, const test_problem *p)
{
  ida_result out = {0};
  double t = p->start.t;
  long differences = 0;
  out.reached = IDASolve(o->ida, p->to, &t, o->y, o->dy, IDA_NORMAL) >= 0;
  IDAGetNumSteps(o->ida, &out.steps);
  IDAGetNumErrTestFails(o->ida, &out.rejected);
  IDAGetNumResEvals(o->ida, &out.evaluations);
  IDAGetNumLinResEvals(o->ida, &differences);
  IDAGetNumJacEvals(o->ida, &out.jacobians);
  out.evaluations += differences;
  return out;
}

ida_result ida_run_with(const test_problem *p, const ida_settings *set, double *y, const double *dy)
{
  ida_result out = {0};
  peer o = {0};
  if (write_out(&o, &p->problem, set->analytic)) {
    SUNContext_Create(NULL, &o.context);
    make_vectors(&o, set, p->size, y, dy);
    make_solver(&o);
    make_ida(&o, set, p);
    out = integrate(&o, p);
    dae__copy(p->size, NV_DATA_S(o.y), y);
    release(&o);
  }
  dae__arena_free(o.arena);
  return out;
}

ida_result ida_run(const test_problem *p, double tol, double *y, const double *dy)
{
  return ida_run_with(p, &(ida_settings){tol, tol, tol, 5, false}, y, dy);
}
