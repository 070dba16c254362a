/* The assembly as its files share it. */
#ifndef DAEDAL_PROBLEM_COUPLED_ASSEMBLY_PRIVATE_H
#define DAEDAL_PROBLEM_COUPLED_ASSEMBLY_PRIVATE_H

#include "problem/coupled/assembly.h"
#include "problem/coupled/element.h"
#include "problem/coupled/scatter.h"

/* One matrix of the assembled problem: a piece for each element, in the order of the elements. J
 * has a second set of pieces for the inputs. */
typedef struct dae__mosaic {
  dae_pattern pattern;
  dae__piece *piece;
  double *values; /* scratch: those of one piece */
} dae__mosaic;

struct dae__assembly {
  const dae_coupled *coupled;
  dae_problem problem;
  dae_mechanical mechanical;
  dae_semi_explicit semi_explicit;
  int parts, elements; /* elements are the parts, then the joints */
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

/* Fill in the assembled problem; out of memory shows in dae__arena_failed. */
void dae__assembly_mechanical(dae__assembly *a, dae__arena *arena);
void dae__assembly_semi(dae__assembly *a, dae__arena *arena);

/* Memory for the pieces, one set or two; then, with the pieces described, pattern and scratch. */
void dae__mosaic_alloc(dae__assembly *a, dae__arena *arena, int sets, dae__mosaic *m);
void dae__mosaic_merge(dae__assembly *a, dae__arena *arena, int rows, int cols, int sets,
                       dae__mosaic *m);
/* matrix += values of piece i, which are in m->values */
void dae__mosaic_add(const dae__mosaic *m, int i, double *matrix);

/* J at a point of the assembled problem (user: the assembly), the same for both forms: J of the
 * elements, and columns of the variables that inputs are wired to. */
void dae__assembly_J_pieces(dae__assembly *a, dae__arena *arena);
int dae__assembly_J(void *user, const dae_mechanical_at *at, double *J);

/* Return value of a callback of the assembled problem: 0, 1 to refuse the point, -1. */
int dae__assembly_code(dae_status status);

/* Names "part.variable" of one class: 'q', 'u', 'w', 'g', 'k', or 'f', 'F' (equations of
 * semi-explicit parts). NULL if it is empty. */
const char *const *dae__assembly_names(const dae__assembly *a, dae__arena *arena, char which);

/* Adds the name of the part to a->last, the error of a failed evaluation. */
dae_status dae__element_diagnose(dae__assembly *a, const dae__element *e, dae_status status);

#endif
