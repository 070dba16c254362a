/* A semi-explicit problem as the methods see it: every quantity can be evaluated, whatever the user
 * gave, and results of callbacks are checked.
 *
 *   M(t,x) x' = f(t,x,y,in),   0 = F(t,x,y,in),   z = (x, y) the state vector
 *
 * Rows of F without y are of index 2 where M is regular; dae__semi_classify sets hidden. Rows of
 * index 2 with y of index 1 are replaced by rows without y (semi_mixed.c). */
#ifndef DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_H
#define DAEDAL_PROBLEM_SEMI_EXPLICIT_SEMI_H

#include "core/arena.h"
#include "linalg/pattern.h"
#include "problem/difference.h"
#include <daedal/problem.h>

typedef struct dae__semi {
  const dae_semi_explicit *p;
  int nx, ny, n;        /* states, algebraic variables, n = nx + ny */
  dae_pattern M, J, Ms; /* patterns in use: the user's, else dense; diagonal for M = 1 */
  bool sparse;          /* the user gave a pattern of J */
  bool constant_mass;   /* M is the identity, or does not change */
  long *evaluations;    /* number of evaluations of f; saved state */
  bool *hidden;         /* ny: whether a row of F contains no y, and is of index 2 */
  int hidden_count;
  bool classified; /* dae__semi_classify has set hidden and hidden_count */
  bool *mixed;     /* saved: some rows `hidden` contain y of index 1, which other rows determine */
  int *pivot; /* saved, for mixed rows: by row of F the y it determines, -1: a row of index 2 */
  struct dae__semi_mixed *reduction; /* workspace of mixed rows, NULL: none so far */
  dae__block J_user; /* the user's J in the pattern J, if that has more entries for mixed rows */
  double *J_values;  /* values of the user's J in its own pattern, NULL: the same as J */

  dae__arena *arena;
  const dae_env *stop; /* environment that may stop the work, NULL: none may */
  int (*input)(void *user, double t, double *in);
  void *input_user;
  const dae_error *why; /* error that callbacks report, see dae_problem */
  double *in;
  dae__difference dJ, dMs; /* differences for J and Ms_x, where the user gave none */
  double *M_values;        /* scratch of the differences dMs: values of M */
} dae__semi;

/* Validates a semi-explicit problem and prepares its evaluations; all memory is the arena's. */
dae_status dae__semi_create(dae__arena *arena, const dae_problem *problem, dae__semi **out,
                            dae_error *err);

/* Names of row i of (f, F), and of entry i of (x, y), for messages. */
const char *dae__semi_equation_name(const dae_semi_explicit *p, int i, char *text, size_t size);
const char *dae__semi_variable_name(const dae_semi_explicit *p, int i, char *text, size_t size);

/* Updates the inputs s->in to time t; the evaluations below do so themselves. */
dae_status dae__semi_inputs(dae__semi *s, double t, dae_error *err);

/* Evaluations at the state vector z; fF = (f, F). A callback that refuses and a result that is not
 * finite are DAE_ERROR_RECOVERABLE, with the equation named; a callback that fails is
 * DAE_ERROR_CALLBACK. */
dae_status dae__semi_rhs(dae__semi *s, double t, const double *z, double *fF, dae_error *err);
/* F alone; rows i with wanted[i] are checked for finite values, NULL: all rows */
dae_status dae__semi_F(dae__semi *s, double t, const double *z, const bool *wanted, double *F,
                       dae_error *err);
/* F_t at fixed x, y and inputs, by the user's callback, which must be given; wanted as in
 * dae__semi_F */
dae_status dae__semi_F_t(dae__semi *s, double t, const double *z, const bool *wanted, double *F_t,
                         dae_error *err);
dae_status dae__semi_M(dae__semi *s, double t, const double *z, double *M, dae_error *err);
/* J at z: the user's, or by the differences d (NULL: those of second order) */
dae_status dae__semi_J(dae__semi *s, dae__difference *d, double t, const double *z, double *J,
                       dae_error *err);
/* Ms = d(M a)/dx with a fixed vector a */
dae_status dae__semi_Ms(dae__semi *s, double t, const double *z, const double *a, double *Ms,
                        dae_error *err);

/* Iteration matrix c M + (M a)_x - J of implicit methods, for the residual (M x' - f, -F). */
typedef struct dae__semi_matrix {
  dae_pattern pattern;
  dae__block M, Ms, J;
  double *values;
} dae__semi_matrix;

/* Out of memory shows in dae__arena_failed, not in the result. */
dae__semi_matrix dae__semi_matrix_create(dae__arena *arena, const dae__semi *s);
/* values = c M + Ms - J; terms M and Ms that are NULL are left out */
void dae__semi_matrix_fill(dae__semi_matrix *matrix, double c, const double *M, const double *Ms,
                           const double *J);

/* Mass matrix for repeated products in iterations: products with a constant M skip its zeros, which
 * are many in a dense pattern. */
typedef struct dae__semi_mass_entry {
  double value;
  int row, col, at; /* at: index of the entry in the pattern of M */
} dae__semi_mass_entry;

typedef struct dae__semi_mass {
  dae__semi *s;
  double *values; /* values of M in the order of its pattern */
  bool known;     /* M is constant and has been evaluated */
  int count;      /* number of nonzero entries of M, where it is known */
  dae__semi_mass_entry *entry;
} dae__semi_mass;

/* Out of memory shows in dae__arena_failed, not in the result. */
dae__semi_mass dae__semi_mass_create(dae__arena *arena, dae__semi *s);
/* Evaluates M at z into m->values; a constant M at the first call only. */
dae_status dae__semi_mass_at(dae__semi_mass *m, double t, const double *z, dae_error *err);
/* r += a M x with the values of dae__semi_mass_at */
void dae__semi_mass_times(const dae__semi_mass *m, double a, const double *x, double *r);
/* matrix += a M, where block is the position of M in the matrix */
void dae__semi_mass_add(const dae__semi_mass *m, double a, const dae__block *block, double *matrix);

/* Finds the rows of F without y and sets hidden and hidden_count, at the first call only. J: values
 * at z on entry and return; d: differences as in dae__semi_J; scratch: 3 n entries. */
dae_status dae__semi_classify(dae__semi *s, dae__difference *d, double t, const double *z,
                              double *J, double *scratch, dae_error *err);

/* Second stage of the classification, for a singular matrix of the slopes: finds rows of index 2
 * that contain y of index 1, and sets hidden, hidden_count and mixed; scratch: 3 n entries. */
dae_status dae__semi_classify_mixed(dae__semi *s, dae__difference *d, double t, const double *z,
                                    double *J, double *scratch, bool *found, dae_error *err);
/* Point near z at which a derivative is tested for zeros; states whose rate depends on nothing, J
 * being the values at z, are not moved. */
void dae__semi_near(const dae__semi *s, const double *J, const double *z, double *near);
/* Replace the rows of index 2 in F, F_t and J of the user at z, where s->mixed. */
dae_status dae__semi_mixed_F(dae__semi *s, double t, const double *z, double *F, dae_error *err);
dae_status dae__semi_mixed_F_t(dae__semi *s, double t, const double *z, double *F_t,
                               dae_error *err);
dae_status dae__semi_mixed_J(dae__semi *s, dae__difference *d, double t, const double *z, double *J,
                             dae_error *err);

/* Consistent start of a semi-explicit problem: makes the state vector y consistent in place and
 * computes the derivative dy, which is zero for the algebraic variables. fixed (values that do not
 * move) and find may be NULL. Works in temporary memory. A problem of index 3 is refused, with
 * find->index set. */
dae_status dae__semi_consistent(dae__semi *s, double t, const bool *fixed, double *y, double *dy,
                                dae_diagnosis *find, dae_error *err);

#endif
