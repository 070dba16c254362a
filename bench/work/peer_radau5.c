/* RADAU5 of Hairer and Wanner from the shared object of R's package deSolve. No session of R is
 * needed: of R it calls nothing but Rprintf, where it gives up, and that is defined here.
 *
 * Unlike the original the Jacobian gets its bandwidths, too. */
#include "peer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS 100000 /* as by default */
#define PARAMETERS 20    /* at the head of work and iwork */
/* The first step that it takes where none is given. Its drivers often begin with the tolerance. */
#define OWN_H 1e-6

typedef void fcn(const int *n, const double *t, const double *y, double *f, void *form, int *count);
typedef void jac(const int *n, const double *t, const double *y, const int *ml, const int *mu,
                 double *J, const int *ld, void *form, int *count);
typedef void mas(const int *n, double *A, const int *ld, void *form, int *count);
typedef void solout(void);

void radau5_(const int *n, fcn *f, double *t, double *y, const double *to, double *h, double *rtol,
             double *atol, const int *itol, jac *J, const int *ijac, int *mljac, int *mujac, mas *A,
             const int *imas, int *mlmas, int *mumas, solout *out, const int *iout, double *work,
             const int *lwork, int *iwork, const int *liwork, void *form, int *count, int *idid);

/* takes the place of R's: what RADAU5 has to say is in its return code */
void Rprintf(const char *format, ...);
void Rprintf(const char *format, ...)
{
  (void)format;
}

/* a point without values cannot be refused, but NaN makes it halve the step */
static void phi(const int *n, const double *t, const double *y, double *f, void *form, int *count)
{
  const peer_form *o = form;
  ++*count;
  if (o->phi(*t, y, f))
    for (int i = 0; i < *n; i++)
      f[i] = NAN;
}

static void jacobian(const int *n, const double *t, const double *y, const int *ml, const int *mu,
                     double *J, const int *ld, void *form, int *count)
{
  const peer_form *o = form;
  (void)ml, (void)count;
  memset(J, 0, (size_t)*ld * (size_t)*n * sizeof *J);
  /* entry (i, j) of a band is at (i - j + mu, j) */
  int refused = o->banded ? o->jac(*t, y, J + *mu, *ld - 1) : o->jac(*t, y, J, *ld);
  if (refused)
    J[0] = NAN;
}

static void mass(const int *n, double *A, const int *ld, void *form, int *count)
{
  const peer_form *o = form;
  (void)count;
  for (int j = 0; j < *n; j++)
    for (int k = 0; k < *ld; k++)
      A[k + j * *ld] = o->mass ? o->mass[k + j * *ld] : j + o->second_order < o->differential;
}

static void no_output(void) {}

peer_counts peer_radau5(const peer_form *form, double t, double to, double tol, double *y,
                        double *dy)
{
  (void)dy;
  const int n = form->n, width = 2 * form->mass_width + 1, rest = n - form->second_order;
  const int ldjac = form->banded ? form->lower + form->upper + 1 : rest;
  const int lde = form->banded ? form->lower + ldjac : rest;
  const int lwork = n * (ldjac + 12) + rest * (width + 3 * lde) + PARAMETERS;
  const int liwork = 3 * n + PARAMETERS;
  const int itol = 0, iout = 0, ijac = form->jac != NULL;
  const int imas = form->mass || form->differential < n;
  int ml = form->banded ? form->lower : rest, mu = form->banded ? form->upper : rest;
  int mlmas = form->mass_width, mumas = form->mass_width, evaluations = 0, idid = 0;
  double rtol = tol, atol = tol, h = tol > OWN_H ? tol : OWN_H;
  double *work = calloc((size_t)lwork, sizeof *work);
  int *iwork = calloc((size_t)liwork, sizeof *iwork);
  if (!work || !iwork)
    exit(1);
  iwork[1] = MAX_STEPS;
  memcpy(&iwork[4], form->index, sizeof form->index);
  iwork[8] = iwork[9] = form->second_order;
  radau5_(&n, phi, &t, y, &to, &h, &rtol, &atol, &itol, jacobian, &ijac, &ml, &mu, mass, &imas,
          &mlmas, &mumas, no_output, &iout, work, &lwork, iwork, &liwork, (void *)form,
          &evaluations, &idid);
  peer_counts out = {.steps = iwork[16],
                     .rejected = iwork[17],
                     .evaluations = evaluations,
                     .jacobians = iwork[14],
                     .factorisations = iwork[18],
                     .reached = idid > 0};
  free(work);
  free(iwork);
  return out;
}
