/* The codes that daedal is measured against, called as their manuals say. Each runs a form from t
 * to `to` with rtol = atol = tol. y and dy come in as the consistent start and its derivative; y
 * goes out as the end. */
#ifndef DAEDAL_BENCH_PEER_H
#define DAEDAL_BENCH_PEER_H

#include "form.h"

/* SUNDIALS IDA: order 1 to 5, algebraic variables out of the error test, dense or banded
 * direct solver. */
peer_counts peer_ida(const peer_form *form, double t, double to, double tol, double *y, double *dy);

/* RADAU5 [HW96]: Radau IIA of order 5, its own tuning. */
peer_counts peer_radau5(const peer_form *form, double t, double to, double tol, double *y,
                        double *dy);

/* DOP853 [HNW93]: explicit Runge-Kutta method of order 8, its own tuning. It is there if its module
 * can be loaded. */
bool peer_dop853_present(void);
peer_counts peer_dop853(const peer_form *form, double t, double to, double tol, double *y,
                        double *dy);

/* DVODE [BBH89]: Adams methods of order 1 to 12, functional iteration. */
peer_counts peer_dvode(const peer_form *form, double t, double to, double tol, double *y,
                       double *dy);

#endif
