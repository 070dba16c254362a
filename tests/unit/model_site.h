/* A system of a model at a point, the derivatives of its own expressions there, and comparisons
 * with what its callbacks give. */
#ifndef DAEDAL_TESTS_MODEL_SITE_H
#define DAEDAL_TESTS_MODEL_SITE_H

#include "model_base.h"

#include <daedal/daedal.h>

#define SITE_AGREE 1e-12 /* relative to the largest entry of a row, or to 1 */

typedef struct site {
  const char *model;
  base *b;
  const dae__system *u;
  const dae__instance *own;  /* what its statements say */
  const double *s, *in_rate; /* the vector of contractions, the rates of inputs */
  dae_mechanical_at mechanical;
  dae_semi_explicit_at semi;
} site;

/* Directions that are no leaf: along t and the coordinates, with the inputs besides; s in the
 * rates. */
enum { MOTION = -1, MOTION_IN = -2, CONTRACTED = -3 };

/* Derivatives of a node in up to three directions: leaves, or one of the above. */
long double d0(const site *c, dae__node node);
long double d1(const site *c, dae__node node, int first);
long double d2(const site *c, dae__node node, int first, int second);
long double d3(const site *c, dae__node node, int first, int second, int third);

/* Leaves: coordinate i, its rate, column j of (q, v, u, w), which is (x, y) of a semi-explicit
 * system. */
int q_of(const site *c, int i);
int v_of(const site *c, int i);
int column_of(const site *c, int j);

/* ---- numbers ---- */

/* Random numbers, the same ones after every begin. */
void site_begin(void);
double site_random(double low, double high);
/* To be freed: zeros, random numbers in [-1, 1], the values of leaves. */
double *site_vector(int n);
double *site_random_vector(int n);
double *site_values(const base *b, const dae__ints *leaves);
/* Room for the values of a matrix, none of which is a number yet. pattern NULL: dense. */
double *site_unwritten(const dae_pattern *pattern, int rows, int cols);
/* Values in a pattern as a full matrix, column-major. */
double *site_full(const dae_pattern *pattern, int rows, int cols, const double *values);

/* Fails the test where two matrices, column-major, differ; what names them. */
void site_compare(const char *model, const char *what, int rows, int cols, const double *got,
                  const double *want);
/* The same for values of a callback, and a function for the entries they should have. */
typedef long double entry_fn(const site *c, int i, int j);
void site_check(const site *c, const char *what, int rows, int cols, const dae_pattern *pattern,
                const double *values, entry_fn *entry);

/* How many entries were compared, and how far apart the worst of them were, since the last call. */
long site_record(double *worst);

/* ---- everything that is derived: model_mechanical.c, model_semi.c, model_results.c ---- */

/* Every callback that the form has is given, and right. */
void check_mechanical(const site *c, const dae_mechanical *p);
void check_semi(const site *c, const dae_semi_explicit *p);
/* With the rates of its states, the equations of a system hold that give a rate; the others have
 * the residuals given. */
void check_equations(const site *c, const double *rates, const double *algebraic);
void check_joint(const char *model, base *b, int number, const dae_joint *p);
/* y: the state vector where b stands */
void check_events(const char *model, base *b, const dae_run_plan *plan, const double *y);
void check_outputs(const char *model, base *b, const dae_run_plan *plan, const double *y);
void check_lets(const char *model, base *b);

#endif
