/* Problems with a known solution, made so that every term of the one-step methods counts: inputs
 * that vary in time, nonlinear algebraic equations, mass matrices that depend on everything they
 * may. */
#ifndef DAEDAL_TEST_RK_MADE_H
#define DAEDAL_TEST_RK_MADE_H

#include "problems/problems.h"

/* x' = -x^2 + y + in1, 0 = y^3 + y - x - in2: x = 2 + cos t, y = sin t */
test_problem rk_made_index1(void);
/* M(t,x) x' = f, 0 = F: x = (cos t, 2 + sin 2t), y = x1 x2 + in */
test_problem rk_made_quasilinear(void);
/* the same with a third row, 0 x3' = x3 + x3^3 - x1 - in2: M is singular */
test_problem rk_made_singular(void);
/* M(q,v) v' = f(q,v,u,w,in), u' = s, 0 = c, no constraints */
test_problem rk_made_mechanical(void);

/* The solution of each at t. */
void rk_made_exact(const test_problem *p, double t, double *y);

#endif
