#include "ida_session.h"

#define MAX_STEPS 500000

static void quiet(int code, const char *module, const char *function, char *text, void *user)
{
  (void)code, (void)module, (void)function, (void)text, (void)user;
}

void ida_session_open(ida_session *s, int n, int differential, double *y, double *dy)
{
  *s = (ida_session){.n = n, .differential = differential};
  SUNContext_Create(NULL, &s->context);
  s->y = N_VMake_Serial(n, y, s->context);
  s->dy = N_VMake_Serial(n, dy, s->context);
  s->id = N_VNew_Serial(n, s->context);
  for (int i = 0; i < n; i++)
    NV_Ith_S(s->id, i) = i < differential;
}

void ida_session_start(ida_session *s, IDAResFn residual, IDALsJacFn jacobian, void *user, double t,
                       double to)
{
  s->ida = IDACreate(s->context);
  IDAInit(s->ida, residual, t, s->y, s->dy);
  IDASetUserData(s->ida, user);
  IDASetErrHandlerFn(s->ida, quiet, NULL);
  IDASetLinearSolver(s->ida, s->solver, s->A);
  if (jacobian)
    IDASetJacFn(s->ida, jacobian);
  IDASetMaxNumSteps(s->ida, MAX_STEPS);
  IDASetStopTime(s->ida, to);
  IDASetId(s->ida, s->id);
  IDASetSuppressAlg(s->ida, s->differential < s->n);
}

peer_counts ida_session_solve(ida_session *s, double t, double to)
{
  peer_counts out = {0};
  long differences = 0;
  out.reached = IDASolve(s->ida, to, &t, s->y, s->dy, IDA_NORMAL) >= 0;
  IDAGetNumSteps(s->ida, &out.steps);
  IDAGetNumErrTestFails(s->ida, &out.rejected);
  IDAGetNumResEvals(s->ida, &out.evaluations);
  IDAGetNumLinResEvals(s->ida, &differences);
  IDAGetNumLinSolvSetups(s->ida, &out.factorisations);
  IDAGetNumJacEvals(s->ida, &out.jacobians);
  out.evaluations += differences;
  return out;
}

void ida_session_close(ida_session *s)
{
  IDAFree(&s->ida);
  SUNLinSolFree(s->solver);
  SUNMatDestroy(s->A);
  N_VDestroy(s->id);
  N_VDestroy(s->dy);
  N_VDestroy(s->y);
  SUNContext_Free(&s->context);
}
