/* DVODE of Brown, Byrne and Hindmarsh, from the shared object of R's package deSolve: its Adams
 * methods of order 1 to 12 with functional iteration. */
#include "peer.h"

#include <stdlib.h>

#define MAX_STEPS 100000
#define OPTIONS 20 /* at the head of rwork */
enum { ADAMS = 10, ONE_TOLERANCE = 1, TO_THE_END = 4, FIRST_CALL = 1, LIW = 30 };

typedef void fcn(const int *n, const double *t, const double *y, double *f, void *form, int *count);
typedef void jac(void);

void dvode_(fcn *f, const int *n, double *y, double *t, const double *to, const int *itol,
            const double *rtol, const double *atol, const int *itask, int *istate, const int *iopt,
            double *rwork, const int *lrw, int *iwork, const int *liw, jac *J, const int *mf,
            void *form, int *count);

static void phi(const int *n, const double *t, const double *y, double *f, void *form, int *count)
{
  (void)n;
  ++*count;
  ((const peer_form *)form)->phi(*t, y, f);
}

static void no_jacobian(void) {}

peer_counts peer_dvode(const peer_form *form, double t, double to, double tol, double *y,
                       double *dy)
{
  (void)dy;
  const int n = form->n, itol = ONE_TOLERANCE, itask = TO_THE_END, iopt = 1, mf = ADAMS;
  const int lrw = OPTIONS + 16 * n, liw = LIW;
  int iwork[LIW] = {0}, istate = FIRST_CALL, evaluations = 0;
  double *rwork = calloc((size_t)lrw, sizeof *rwork);
  if (!rwork)
    exit(1);
  rwork[0] = to; /* not to be passed */
  iwork[5] = MAX_STEPS;
  dvode_(phi, &n, y, &t, &to, &itol, &tol, &tol, &itask, &istate, &iopt, rwork, &lrw, iwork, &liw,
         no_jacobian, &mf, (void *)form, &evaluations);
  free(rwork);
  return (peer_counts){.steps = iwork[10],
                       .rejected = iwork[21],
                       .evaluations = evaluations,
                       .reached = istate == 2};
}
