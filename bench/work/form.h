/* A problem as it is written out by hand for the peers, as first-order system
 *
 *   A y' = phi(t, y)        A constant, banded, perhaps singular
 *
 * A problem has several forms: of a constrained motion the index-1 form, where accelerations are
 * eliminated, the stabilised index-2 form and the index-3 form. Each may come with its Jacobian
 * written out or without, then the peer takes its own differences. */
#ifndef DAEDAL_BENCH_FORM_H
#define DAEDAL_BENCH_FORM_H

#include <stdbool.h>

/* right-hand sides are written once and put into all that use them */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* phi; not 0: there is none here */
typedef int form_phi(double t, const double *y, double *phi);
/* dphi_i/dy_j for i >= second_order into J[i - second_order + j * ld], which comes in zero */
typedef int form_jac(double t, const double *y, double *J, int ld);

typedef struct peer_form {
  const char *name;
  int n;
  int differential; /* the first unknowns; the others have no derivative in the equations */
  int index[3];     /* unknowns of index 1, 2, 3, in this order */
  int second_order; /* the first equations are y_i' = y_(i + second_order) */
  form_phi *phi;
  form_jac *jac;                        /* NULL: by differences */
  bool banded;                          /* with these diagonals below and above */
  int lower, upper;                     /* of jac, where banded */
  int mass_width;                       /* diagonals of A on either side of the main one */
  const double *mass;                   /* column by column, 2 mass_width + 1 each; NULL: 1 for the
                                           differential unknowns, 0 for the others */
  void (*start)(double *y, double *dy); /* consistent */
  const double *reference;              /* NULL: that of the problem */
} peer_form;

/* What a run has cost, and whether it came to the end with numbers. */
typedef struct peer_counts {
  long steps, rejected, evaluations, jacobians, factorisations;
  bool reached;
} peer_counts;

#endif
