/* KLU behind dae__solver and dae__zsolver: S A = P L U Q after a permutation to block triangular
 * form, COLAMD within the blocks, S the reciprocal largest entries of the rows [DP10].
 *
 * The pivot order of a full factorisation is used again (refactor) as long as neither the ratio of
 * the pivots nor the growth of U is much worse than it was then; otherwise the matrix is factored
 * anew. Factors therefore depend on two sets of values: those of the last full factorisation,
 * which chose the pivots, and those of the last refactorisation. Both are kept in the arena, and
 * going through them again after a load gives the same factors bit by bit. */
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include <float.h>
#include <klu.h>
#include <string.h>

/* A refactorisation is taken if its pivot ratio and its growth are at least WORSE times those of
 * the full factorisation: it then costs at most three digits, and one more Newton iteration. */
#define WORSE 1e-3

/* KLU's verbs for real and for complex numbers; analysis and release are the same for both. */
typedef struct field {
  int width; /* doubles of a number */
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
  int (*rcond)(klu_symbolic *, klu_numeric *, klu_common *);
  int (*growth)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
} field;

static const field reals = {1, klu_factor, klu_refactor, klu_solve, klu_rcond, klu_rgrowth};
static const field complexes = {2,           klu_z_factor, klu_z_refactor,
                                klu_z_solve, klu_z_rcond,  klu_z_rgrowth};

typedef struct kept {
  int factored;         /* there are factors, from first */
  int refactored;       /* and then from second */
  double rcond, growth; /* of the full factorisation */
} kept;

typedef struct sparse {
  const field *field;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int count; /* doubles of the values */
  int *start, *row;
  double rcond;
  kept *kept;
  double *first, *second;
} sparse;

static void klu_solver_release(void *state)
{
  sparse *s = state;
  klu_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
}

static dae_status klu_solver_create(dae__arena *arena, const dae_pattern *p, const field *numbers,
                                    void **state)
{
  sparse *s = DAE__ALLOC(arena, sparse, 1);
  int count = numbers->width * dae__pattern_count(p);
  kept *remembered = DAE__STATE(arena, kept, 1);
  double *first = DAE__STATE(arena, double, count), *second = DAE__STATE(arena, double, count);
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *s = (sparse){
      .field = numbers, .count = count, .kept = remembered, .first = first, .second = second};
  s->start = (int *)p->start; /* KLU's interface lacks const; it does not write to them */
  s->row = (int *)p->row;
  klu_defaults(&s->common); /* block triangular form, pivot tolerance 0.001, halt if singular */
  s->common.ordering = 1;   /* COLAMD: AMD counts on diagonal pivots, which saddle matrices lack (a
                               chain of 100 links: 0.09 against 1.3 ms a step) */
  s->common.scale = 2;      /* rows by their largest entry */
  s->symbolic = klu_analyze(p->cols, s->start, s->row, &s->common);
  if (!s->symbolic)
    return s->common.status == KLU_INVALID ? DAE_ERROR_USAGE : DAE_ERROR_MEMORY;
  *state = s;
  return DAE_OK;
}

static dae_status klu_solver_create_real(dae__arena *arena, const dae_pattern *p, void **state)
{
  return klu_solver_create(arena, p, &reals, state);
}

static dae_status klu_solver_create_complex(dae__arena *arena, const dae_pattern *p, void **state)
{
  return klu_solver_create(arena, p, &complexes, state);
}

static dae_status klu_solver_failure(const sparse *s, int *column)
{
  if (s->common.status != KLU_SINGULAR)
    return DAE_ERROR_MEMORY;
  /* KLU gives the column in A's own numbering, -1 or n where it does not know */
  int j = s->common.singular_col;
  *column = j >= 0 && j < s->symbolic->n ? j : -1;
  return DAE_ERROR_SINGULAR;
}

/* Pivot ratio and reciprocal growth of the factors of A. */
static void klu_solver_judge(sparse *s, double *A, double *growth)
{
  s->field->rcond(s->symbolic, s->numeric, &s->common);
  s->rcond = s->common.rcond;
  s->field->growth(s->start, s->row, A, s->symbolic, s->numeric, &s->common);
  *growth = s->common.rgrowth;
}

static dae_status klu_solver_factor_first(sparse *s, int *column)
{
  klu_free_numeric(&s->numeric, &s->common);
  s->rcond = 0;
  *s->kept = (kept){0};
  s->numeric = s->field->factor(s->start, s->row, s->first, s->symbolic, &s->common);
  if (!s->numeric)
    return klu_solver_failure(s, column);
  s->kept->factored = 1;
  klu_solver_judge(s, s->first, &s->kept->growth);
  s->kept->rcond = s->rcond;
  return DAE_OK;
}

/* Whether the old pivots will do for the values in second. */
static bool klu_solver_refactor_second(sparse *s)
{
  if (!s->field->refactor(s->start, s->row, s->second, s->symbolic, s->numeric, &s->common) ||
      s->common.status != KLU_OK)
    return false;
  double growth;
  klu_solver_judge(s, s->second, &growth);
  return s->rcond >= WORSE * s->kept->rcond && s->rcond >= DBL_EPSILON &&
         growth >= WORSE * s->kept->growth;
}

static dae_status klu_solver_factor(void *state, const double *values, int *column)
{
  sparse *s = state;
  size_t bytes = (size_t)s->count * sizeof *values;
  if (s->numeric && s->kept->factored && s->kept->rcond >= DBL_EPSILON) {
    memcpy(s->second, values, bytes);
    if (klu_solver_refactor_second(s)) {
      s->kept->refactored = 1;
      return DAE_OK;
    }
  }
  memcpy(s->first, values, bytes);
  return klu_solver_factor_first(s, column);
}

static void klu_solver_solve(void *state, double *b)
{
  sparse *s = state;
  s->field->solve(s->symbolic, s->numeric, s->symbolic->n, 1, b, &s->common);
}

static double klu_solver_rcond(const void *state)
{
  return ((const sparse *)state)->rcond;
}

static dae_status klu_solver_reload(void *state)
{
  sparse *s = state;
  kept was = *s->kept;
  int column;
  if (!was.factored) {
    klu_free_numeric(&s->numeric, &s->common);
    return DAE_OK;
  }
  dae_status status = klu_solver_factor_first(s, &column);
  if (status == DAE_OK && was.refactored) {
    klu_solver_refactor_second(s);
    s->kept->refactored = 1;
  }
  return status;
}

static void klu_solver_forget(void *state)
{
  sparse *s = state;
  s->kept->factored = 0;
}

const dae__backend dae__backend_klu = {"klu",
                                       klu_solver_create_real,
                                       klu_solver_factor,
                                       klu_solver_solve,
                                       klu_solver_rcond,
                                       klu_solver_reload,
                                       klu_solver_forget,
                                       klu_solver_release};
const dae__backend dae__backend_zklu = {"klu",
                                        klu_solver_create_complex,
                                        klu_solver_factor,
                                        klu_solver_solve,
                                        klu_solver_rcond,
                                        klu_solver_reload,
                                        klu_solver_forget,
                                        klu_solver_release};
