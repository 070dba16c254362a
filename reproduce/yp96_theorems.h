/* What the tables of the theorems of [YP96] share. */
#ifndef DAEDAL_REPRODUCE_YP96_THEOREMS_H
#define DAEDAL_REPRODUCE_YP96_THEOREMS_H

#include "yp96_newton.h"

/* Curves to which the problems are confined. */
typedef enum yp96_curve { YP96_CURVE_CIRCLE, YP96_CURVE_BUSHING, YP96_CURVE_WIRE } yp96_curve;

#define YP96_X2 3 /* index of the coordinate x2 of the bushing */

/* Model with a value of a param, NULL: none; NULL after a failure. */
dae_model *yp96_theorem_model(rep_report *report, const char *name, const char *set);
const dae_mechanical *yp96_theorem_problem(const dae_model *model);
/* State on a curve, at an angle with its rate. */
void yp96_set_place(yp96_curve on, double angle, double rate, double *z);
/* Moves the position (z[x], z[x + 1]) by delta on its circle, with the same velocity. */
void yp96_turn(int x, double delta, double *z);

rep_value yp96_shown(double ours);
rep_value yp96_near(double ours, double reference, double bound);

/* ---- yp96_rates.c ---- */

void yp96_rates_4_1(rep_report *report);
void yp96_rates_4_2(rep_report *report);

/* ---- yp96_motions.c ---- */

/* Whole motions by all iterations, or by one of them, by its name. */
void yp96_motions(rep_report *report, const char *only);

#endif
