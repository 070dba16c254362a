/* IDA on a form, with a dense solver, or a banded one where the form is. */
#include "peer.h"

#include "../ida_session.h"

#include <sunlinsol/sunlinsol_band.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_band.h>
#include <sunmatrix/sunmatrix_dense.h>

/* ---- what IDA calls ---- */

/* phi - A y' */
static int residual(double t, N_Vector y, N_Vector dy, N_Vector R, void *user)
{
  const peer_form *o = user;
  const double *dY = NV_DATA_S(dy);
  double *r = NV_DATA_S(R);
  int w = o->mass_width, refused = o->phi(t, NV_DATA_S(y), r);
  if (!o->mass)
    for (int i = 0; i < o->differential; i++)
      r[i] -= dY[i];
  else
    for (int j = 0; j < o->n; j++)
      for (int i = j > w ? j - w : 0; i <= j + w && i < o->n; i++)
        r[i] -= o->mass[i - j + w + j * (2 * w + 1)] * dY[j];
  return refused;
}

/* dphi/dy - cj A, which comes in zero; entry (i, j) is at base[i + j ld] */
static int fill(const peer_form *o, double t, double cj, const double *y, double *base, int ld)
{
  int w = o->mass_width, refused = o->jac(t, y, base + o->second_order, ld);
  for (int i = 0; i < o->second_order; i++)
    base[i + (i + o->second_order) * ld] = 1;
  if (!o->mass)
    for (int i = 0; i < o->differential; i++)
      base[i + i * ld] -= cj;
  else
    for (int j = 0; j < o->n; j++)
      for (int i = j > w ? j - w : 0; i <= j + w && i < o->n; i++)
        base[i + j * ld] -= cj * o->mass[i - j + w + j * (2 * w + 1)];
  return refused;
}

static int jacobian(double t, double cj, N_Vector y, N_Vector dy, N_Vector R, SUNMatrix A,
                    void *user, N_Vector work1, N_Vector work2, N_Vector work3)
{
  const peer_form *o = user;
  (void)dy, (void)R, (void)work1, (void)work2, (void)work3;
  if (o->banded) /* entry (i, j) is at (i - j + s_mu, j) */
    return fill(o, t, cj, NV_DATA_S(y), SM_DATA_B(A) + SM_SUBAND_B(A), (int)SM_LDIM_B(A) - 1);
  return fill(o, t, cj, NV_DATA_S(y), SM_DATA_D(A), o->n);
}

/* ---- the run ---- */

static void make_solver(ida_session *s, const peer_form *f)
{
  if (f->banded) {
    s->A = SUNBandMatrix(f->n, f->upper, f->lower, s->context);
    s->solver = SUNLinSol_Band(s->y, s->A, s->context);
  } else {
    s->A = SUNDenseMatrix(f->n, f->n, s->context);
    s->solver = SUNLinSol_Dense(s->y, s->A, s->context);
  }
}

peer_counts peer_ida(const peer_form *form, double t, double to, double tol, double *y, double *dy)
{
  ida_session s;
  ida_session_open(&s, form->n, form->differential, y, dy);
  make_solver(&s, form);
  ida_session_start(&s, residual, form->jac ? jacobian : NULL, (void *)form, t, to);
  IDASStolerances(s.ida, tol, tol);
  peer_counts out = ida_session_solve(&s, t, to);
  ida_session_close(&s);
  return out;
}
