/* Backend for sparse matrices of dae__solver and dae__zsolver. With a plan (fronts/plan.h) the
 * matrix is factored by fronts, without exchange of pivots, as long as pivots keep enough digits.
 * All other matrices are solved by KLU: S A = P L U Q after a permutation to block triangular form,
 * COLAMD within the blocks, S the reciprocal largest entries of the rows [DP10].
 *
 * The pivot order of a full factorisation is reused (refactor) as long as neither the ratio of the
 * pivots nor the growth of U is much worse than in the full factorisation. Factors therefore depend
 * on two sets of values: those of the last full factorisation, which chose the pivots, and those of
 * the last refactorisation. Both are state of the arena; factoring both again after a load gives
 * the same factors bit by bit. */
#include "linalg/backend.h"
#include "linalg/fronts/fronts.h"
#include "linalg/pattern.h"
#include "linalg/saddle/schur_small.h"
#include <float.h>
#include <klu.h>
#include <string.h>

/* Smallest pivot ratio and reciprocal growth of a refactorisation, over those of the full
 * factorisation, at which it is accepted: at most three digits are lost, which costs one more
 * Newton iteration. Chosen, not measured. */
#define REFACTOR_LOSS_MAX 1e-3

/* Number of factorisations by KLU, after one in which fronts have lost too many digits, before
 * fronts are tried again. Chosen: a trial costs at most a third of a factorisation by KLU. */
#define PIVOTED_FACTORISATIONS 20

/* Functions of KLU for real or for complex numbers; symbolic analysis and release are common to
 * both. */
typedef struct field {
  int width; /* doubles of a number: 1 real, 2 complex */
  klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
  int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
  int (*solve)(klu_symbolic *, klu_numeric *, int, int, double *, klu_common *);
  int (*rcond)(klu_symbolic *, klu_numeric *, klu_common *);
  int (*growth)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
} field;

static const field reals = {1, klu_factor, klu_refactor, klu_solve, klu_rcond, klu_rgrowth};
static const field complexes = {2,           klu_z_factor, klu_z_refactor,
                                klu_z_solve, klu_z_rcond,  klu_z_rgrowth};

typedef struct memory {
  int fronts;           /* whether the factors are those of fronts, of the values `first` */
  int pivoted;          /* number of coming factorisations without a trial of fronts */
  int factored;         /* whether factors exist, computed from the values `first` */
  int refactored;       /* whether the factors were then recomputed from the values `second` */
  double rcond, growth; /* pivot ratio and reciprocal growth of the full factorisation */
} memory;

typedef struct sparse {
  const field *field;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int n, count; /* numbers of unknowns, and of doubles of the matrix values */
  int *start, *row;
  const dae_pattern *pattern;
  double rcond;
  dae__fronts fronts; /* plan = NULL: every matrix is factored by KLU */
  memory *memory;     /* saved state */
  /* saved state: matrix values of the last full factorisation, and of the last
   * refactorisation */
  double *first, *second;
  double *b; /* right side of a complex system, as pairs of real and imaginary part */
  double *right, *residual; /* of a solution by fronts: right side; residual, then its correction */
} sparse;

static void klu_solver_free(void *state)
{
  sparse *s = state;
  klu_free_numeric(&s->numeric, &s->common);
  klu_free_symbolic(&s->symbolic, &s->common);
}

static dae__reload klu_solver_reload;

static dae_status klu_solver_create(dae__arena *arena, const dae_pattern *p, const field *numbers,
                                    void **state)
{
  sparse *s = DAE__ALLOC(arena, sparse, 1);
  int count = numbers->width * dae__pattern_count(p);
  memory *remembered = DAE__STATE(arena, memory, 1);
  double *first = DAE__STATE(arena, double, count), *second = DAE__STATE(arena, double, count);
  dae__arena_on_load(arena, klu_solver_reload, s);
  double *b = numbers->width > 1 ? DAE__ALLOC(arena, double, 2 * p->cols) : NULL;
  if (dae__arena_failed(arena))
    return DAE_ERROR_MEMORY;
  *s = (sparse){.field = numbers,
                .count = count,
                .memory = remembered,
                .first = first,
                .second = second,
                .b = b};
  /* cast: KLU's interface lacks const, but does not write to the pattern */
  s->start = (int *)p->start;
  s->row = (int *)p->row;
  /* defaults of KLU: block triangular form, pivot tolerance 0.001, halt if singular */
  klu_defaults(&s->common);
  /* COLAMD instead of AMD, which relies on diagonal pivots: saddle matrices lack them (a chain of
   * 100 links: 0.09 against 1.3 ms a step) */
  s->common.ordering = 1;
  s->common.scale = 2; /* scaling of rows by their largest entry */
  s->n = p->cols;
  s->pattern = p;
  DAE__LIMIT_TRUTH(arena, &remembered->fronts, 1);
  DAE__LIMIT(arena, &remembered->pivoted, 1, 0, PIVOTED_FACTORISATIONS);
  *state = s;
  return dae__arena_status(arena, NULL);
}

static void klu_solver_set_plan(dae__arena *arena, const dae__fronts_plan *plan, void *state)
{
  sparse *s = state;
  dae__fronts_create(arena, plan, s->field->width, &s->fronts);
  s->right = DAE__UNINIT(arena, double, s->n);
  s->residual = DAE__UNINIT(arena, double, s->n);
}

static dae_status klu_solver_create_real(dae__arena *arena, const dae_pattern *p, void **state)
{
  return klu_solver_create(arena, p, &reals, state);
}

static dae_status klu_solver_create_complex(dae__arena *arena, const dae_pattern *p, void **state)
{
  return klu_solver_create(arena, p, &complexes, state);
}

/* Estimates of the loss of accuracy of the factors of A: pivot ratio, and reciprocal pivot growth
 * in *growth. */
static void klu_solver_measure(sparse *s, double *A, double *growth)
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
  *s->memory = (memory){.pivoted = s->memory->pivoted};
  if (!s->symbolic)
    s->symbolic = klu_analyze(s->n, s->start, s->row, &s->common);
  if (!s->symbolic)
    return s->common.status == KLU_INVALID ? DAE_ERROR_USAGE : DAE_ERROR_MEMORY;
  s->numeric = s->field->factor(s->start, s->row, s->first, s->symbolic, &s->common);
  if (!s->numeric && s->common.status != KLU_SINGULAR)
    return DAE_ERROR_MEMORY;
  /* singular column in the numbering of A; KLU gives -1 or n for an unknown one */
  if (!s->numeric) {
    int j = s->common.singular_col;
    *column = j >= 0 && j < s->n ? j : -1;
    return DAE_ERROR_SINGULAR;
  }
  s->memory->factored = 1;
  klu_solver_measure(s, s->first, &s->memory->growth);
  s->memory->rcond = s->rcond;
  return DAE_OK;
}

/* Refactors the values `second` with the pivots of the values `first`; false: the loss of digits
 * exceeds REFACTOR_LOSS_MAX. */
static bool klu_solver_refactor_second(sparse *s)
{
  if (!s->field->refactor(s->start, s->row, s->second, s->symbolic, s->numeric, &s->common) ||
      s->common.status != KLU_OK)
    return false;
  double growth;
  klu_solver_measure(s, s->second, &growth);
  return s->rcond >= REFACTOR_LOSS_MAX * s->memory->rcond && s->rcond >= DBL_EPSILON &&
         growth >= REFACTOR_LOSS_MAX * s->memory->growth;
}

/* Whether mirror entries differ by no more than round-off. */
static bool klu_solver_is_symmetric(const dae__fronts_plan *plan, const dae_pattern *p,
                                    const double *A)
{
  const double most = DAE__SCHUR_ASYMMETRY * DAE__SCHUR_ASYMMETRY;
  for (int k = 0; k < plan->pairs; k++) {
    int e = plan->pair[2 * k], f = plan->pair[2 * k + 1];
    double d = A[e] - A[f], m = A[plan->diagonal[p->row[e]]] * A[plan->diagonal[p->row[f]]];
    if (!(d * d <= most * m))
      return false;
  }
  return true;
}

/* Factors the values `first` by fronts; false: a pivot is too small, or they are not symmetric. */
static bool klu_solver_factor_fronts(sparse *s)
{
  const dae__fronts_plan *plan = s->fronts.plan;
  if (s->field->width > 1)
    s->rcond = dae__zfronts_factor(&s->fronts, s->first);
  else if (!plan->symmetric)
    s->rcond = dae__fronts_factor(&s->fronts, s->first);
  else
    s->rcond = klu_solver_is_symmetric(plan, s->pattern, s->first)
                   ? dae__sfronts_factor(&s->fronts, s->first)
                   : 0;
  *s->memory =
      (memory){.fronts = s->rcond > 0, .pivoted = s->rcond > 0 ? 0 : PIVOTED_FACTORISATIONS};
  return s->rcond > 0;
}

static dae_status klu_solver_factor(void *state, const double *values, int *column)
{
  sparse *s = state;
  size_t bytes = (size_t)s->count * sizeof *values;
  if (s->fronts.plan && s->memory->pivoted == 0) {
    memcpy(s->first, values, bytes);
    return klu_solver_factor_fronts(s) ? DAE_OK : klu_solver_factor_first(s, column);
  }
  s->memory->pivoted -= s->memory->pivoted > 0;
  if (s->numeric && s->memory->factored && s->memory->rcond >= DBL_EPSILON) {
    memcpy(s->second, values, bytes);
    if (klu_solver_refactor_second(s)) {
      s->memory->refactored = 1;
      return DAE_OK;
    }
  }
  memcpy(s->first, values, bytes);
  return klu_solver_factor_first(s, column);
}

/* Number of refinements after which no digit is lost to the smallest pivot: two gain all for one
 * just above DAE__FRONTS_TINY. Complex systems are those of iterations, whose increments need few
 * digits. */
static int klu_solver_refinements(const sparse *s, bool real)
{
  return !real || s->rcond >= DAE__LDL_SMALL ? 0 : s->rcond >= DAE__LDL_TINY ? 1 : 2;
}

/* Solution by fronts, refined with the residual of the matrix [S80]. */
static void klu_solver_solve_fronts(sparse *s, double *x, double *y)
{
  size_t bytes = (size_t)s->n * sizeof *x;
  int refinements = klu_solver_refinements(s, !y);
  void (*solve)(const dae__fronts *, double *) =
      s->fronts.plan->symmetric ? dae__sfronts_solve : dae__fronts_solve;
  if (y) {
    dae__zfronts_solve(&s->fronts, x, y);
    return;
  }
  if (refinements > 0)
    memcpy(s->right, x, bytes);
  solve(&s->fronts, x);
  for (int k = 0; k < refinements; k++) {
    memcpy(s->residual, s->right, bytes);
    dae__matrix_times(s->pattern, s->first, -1, x, s->residual);
    solve(&s->fronts, s->residual);
    for (int i = 0; i < s->n; i++)
      x[i] += s->residual[i];
  }
}

static void klu_solver_solve(void *state, double *x, double *y)
{
  sparse *s = state;
  int n = s->n;
  if (s->memory->fronts) {
    klu_solver_solve_fronts(s, x, y);
    return;
  }
  for (int i = 0; y && i < n; i++) {
    s->b[2 * i] = x[i];
    s->b[2 * i + 1] = y[i];
  }
  s->field->solve(s->symbolic, s->numeric, n, 1, y ? s->b : x, &s->common);
  for (int i = 0; y && i < n; i++) {
    x[i] = s->b[2 * i];
    y[i] = s->b[2 * i + 1];
  }
}

static double klu_solver_rcond(const void *state)
{
  return ((const sparse *)state)->rcond;
}

/* Rebuilds the factors, identical bit by bit, after a load of the arena. */
static dae_status klu_solver_reload(void *state)
{
  sparse *s = state;
  memory was = *s->memory;
  int column;
  if (was.fronts && s->fronts.plan) {
    klu_solver_factor_fronts(s);
    return DAE_OK;
  }
  if (!was.factored) {
    klu_free_numeric(&s->numeric, &s->common);
    return DAE_OK;
  }
  dae_status status = klu_solver_factor_first(s, &column);
  if (status == DAE_OK && was.refactored) {
    klu_solver_refactor_second(s);
    s->memory->refactored = 1;
  }
  return status;
}

static void klu_solver_reset(void *state)
{
  sparse *s = state;
  s->memory->factored = s->memory->pivoted = 0;
}

#define KLU_VERBS                                                                                  \
  .factor = klu_solver_factor, .solve = klu_solver_solve, .rcond = klu_solver_rcond,               \
  .reset = klu_solver_reset, .set_plan = klu_solver_set_plan, .free = klu_solver_free
const dae__backend dae__backend_klu = {.kind = "klu", .create = klu_solver_create_real, KLU_VERBS};
const dae__backend dae__backend_zklu = {
    .kind = "klu", .create = klu_solver_create_complex, KLU_VERBS};
