/* Parts of the single steps of [YP96] (yp96_newton.h): dense algebra, a problem at one point, the
 * coordinate split. */
#ifndef DAEDAL_REPRODUCE_YP96_SPLIT_H
#define DAEDAL_REPRODUCE_YP96_SPLIT_H

#include "yp96_newton.h"

/* step of differences, relative to max(1, |z|) */
#define YP96_DIFFERENCE 1e-6

/* Solves A X = B by elimination with row pivoting; B has k columns and receives X. A singular
 * matrix gives NaN. */
void yp96_dense_solve(const double *matrix, int n, double *B, int k);

typedef struct yp96_point {
  double M[YP96_MOST * YP96_MOST], G[YP96_MOST * YP96_MOST];
  double f[YP96_MOST], g[YP96_MOST], Gv[YP96_MOST];
} yp96_point;

void yp96_point_at(const yp96_step *s, const double *z, yp96_point *at);
/* (r1, r2), 2n */
void yp96_point_residual(const yp96_step *s, const double *z, const yp96_point *at, double *r);

/* (GY)', m x m, and (GX)', p x m */
void yp96_split_parts(const yp96_step *s, const double *G, double *GYt, double *GXt);
/* s = -(GY)^-T Y'r of a vector of n entries [YP96 Lemma 2.2, with (GY)^-T] */
void yp96_split_multipliers(const yp96_step *s, const double *G, const double *r, double *out);
/* P r = X'r - Q'Y'r [YP96 (2.1)], p entries */
void yp96_split_project(const yp96_step *s, const double *G, const double *r, double *out);
/* Rows of G' with the largest pivots become dependent; the given coordinate never does. */
void yp96_split_select(yp96_step *s, const double *G, int independent);

/* z -= J^-1 F(z); the size of the increment */
double yp96_step_newton(const yp96_step *s, const double *J, const double *p_at, double *z);

#endif
