/* Private declarations of the assembly, shared by its source files. */
#ifndef DAEDAL_PROBLEM_COUPLED_ASSEMBLY_PRIVATE_H
#define DAEDAL_PROBLEM_COUPLED_ASSEMBLY_PRIVATE_H

#include "problem/coupled/assembly.h"
#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"
#include "problem/problem.h"

/* One matrix of the assembled problem as a sum of pieces, one for each element in the order of the
 * elements. J has a second set of pieces, for derivatives by inputs. */
typedef struct dae__mosaic {
  dae_pattern pattern;
  dae__piece *piece;
  double *values; /* scratch: values of one piece */
} dae__mosaic;

struct dae__assembly {
  const dae_coupled *coupled;
  dae_problem problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  int parts, elements; /* number of parts; of elements, which are the parts, then the joints */
  dae__element *element;
  dae__sizes total;
  bool sparse;
  dae__mosaic M, G, K, J, Ms, Gts, kq, Kts;
  double *zero_v;  /* scratch: zero velocities */
  double *s;       /* scratch: rates of the extra states */
  double *in_rate; /* scratch: rates of the inputs of one part */
  int size;
  int *order;
  dae_error last; /* error of the element that failed last */
};

/* Set a->problem to the assembled mechanical or semi-explicit problem; out of memory shows in
 * dae__arena_failed. */
void dae__assembly_mechanical(dae__assembly *a, dae__arena *arena);
void dae__assembly_semi(dae__assembly *a, dae__arena *arena);

/* Creation of a matrix in two stages: _alloc allocates one or two sets of pieces, which the caller
 * describes; _merge then forms the pattern and allocates scratch. */
void dae__mosaic_alloc(dae__assembly *a, dae__arena *arena, int sets, dae__mosaic *m);
void dae__mosaic_merge(dae__assembly *a, dae__arena *arena, int rows, int cols, int sets,
                       dae__mosaic *m);
/* matrix += piece i, whose values are in m->values */
void dae__mosaic_add(const dae__mosaic *m, int i, double *matrix);

/* J of the assembled problem, for both forms (user: the assembly): the sum of J of the elements and
 * of their derivatives by inputs, in the columns of the variables that the inputs are wired to. */
void dae__assembly_J_pieces(dae__assembly *a, dae__arena *arena);
int dae__assembly_J(void *user, const dae_mechanical_at *at, double *J);

/* Names "part.variable" of one class of variables or equations: 'q', 'u', 'w', 'g', 'k', or 'f',
 * 'F' (equations of semi-explicit parts). NULL if the class is empty. */
const char *const *dae__assembly_names(const dae__assembly *a, dae__arena *arena, char which);

/* Adds the name of the element to a->last, the error of its failed evaluation; returns status. */
dae_status dae__element_diagnose(dae__assembly *a, const dae__element *e, dae_status status);

#endif
