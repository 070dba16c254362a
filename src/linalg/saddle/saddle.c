/* The saddle system
 *
 *   [ M + D1   G'  K' ]
 *   [ G        D2     ]      D the optional diagonal
 *   [ K            D3 ]
 *
 * Small systems are eliminated without pivoting where their values allow it (saddle_schur.h). All
 * others, and small ones whose M is singular or not symmetric, whose rows depend on each other or
 * whose D has the wrong signs, are one matrix for dae__solver, whose pattern contains the whole
 * diagonal. */
#include "linalg/saddle/saddle.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/fronts/plan.h"
#include "linalg/pattern.h"
#include "linalg/saddle/saddle_schur.h"
#include "linalg/solver.h"
#include <math.h>

/* Limits of elimination without pivoting: number of unknowns, and number of products for each entry
 * of a sparse matrix. Measured by bench/kernels.c: elimination is 1.6 to 10 times faster than dense
 * LU, own or LAPACK's, at all sizes. KLU takes about 12 ns for an entry of the matrix and its
 * solution, elimination 0.24 ns for a product. */
#define UNPIVOTED_N_MAX 200
#define UNPIVOTED_PRODUCTS_PER_ENTRY 50

enum { BLOCK_M, BLOCK_D, BLOCK_G, BLOCK_G_T, BLOCK_K, BLOCK_K_T, BLOCKS };
enum { PIVOTED, SCHUR, SCHUR_SMALL };

struct dae__saddle_system {
  int n, m; /* number of coordinates; number of rows of G and K */
  dae__block block[BLOCKS];
  dae_pattern diagonal, pattern;
  double *values, *work;
  dae__solver *solver;
  dae__fronts_plan *plan;   /* order of its elimination by fronts; NULL: none */
  bool dense_mass;          /* whether the pattern of M has entries off the diagonal */
  bool no_diagonal;         /* whether the last factorisation had no diagonal added */
  dae__saddle_schur *schur; /* elimination without pivoting; NULL: not for these patterns */
  int *backend;             /* saved state: backend of the last factorisation */
  /* Elimination of few rows without a diagonal added, by the kernels of schur_kernel.h. */
  const dae__schur_kernel *kernel; /* NULL: the last factorisation is another one */
  dae__schur_mass mass;            /* saved state */
  dae__schur *factors;             /* factors of A and mass; NULL: too many rows, or none */
  double *A;                       /* saved state: [G; K], dense by columns */
};

/* ---- construction ---- */

/* Factors A of few rows with the mass of the last dae__schur_mass_set; false: pivoting is needed.
 */
static bool saddle_factor_small(dae__saddle_system *s)
{
  s->kernel = dae__schur_kernel_for(&s->mass, s->m);
  return s->kernel->factor(&s->mass, DAE__LDL_TINY, s->A, NULL, s->factors);
}

/* After a load: the factors of few rows are formed again from saved values, other data of the last
 * factorisation that is not saved is forgotten. */
static dae_status saddle_reload(void *self)
{
  dae__saddle *saddle = self;
  dae__saddle_system *s = saddle->system;
  s->no_diagonal = false;
  s->kernel = NULL;
  saddle->fused = NULL;
  if (!s->schur || (*s->backend == SCHUR_SMALL && !s->factors)) /* not for these patterns */
    *s->backend = PIVOTED;
  if (*s->backend == SCHUR_SMALL) {
    *s->mass.diagonal = *s->mass.diagonal || !s->mass.L;
    saddle_factor_small(s);
  }
  return DAE_OK;
}

static dae_status saddle_no_memory(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for the saddle system");
}

static dae_status saddle_check_memory(dae__saddle_system *s, dae__arena *arena, dae_error *err)
{
  if (!dae__arena_failed(arena))
    return DAE_OK;
  dae__solver_free(s->solver);
  return saddle_no_memory(err);
}

/* Creates solver, elimination and fused solution once the patterns are known. */
static dae_status saddle_create_factors(dae__arena *arena, dae__saddle *saddle, dae_error *err)
{
  dae__saddle_system *s = saddle->system;
  const dae_pattern *M = s->block[BLOCK_M].pattern;
  s->schur = NULL;
  s->kernel = NULL;
  s->factors = NULL;
  s->backend = DAE__STATE(arena, int, 1);
  DAE__LIMIT(arena, s->backend, 1, PIVOTED, SCHUR_SMALL);
  dae__arena_on_load(arena, saddle_reload, saddle);
  if (dae__arena_failed(arena))
    return saddle_no_memory(err);
  DAE__TRY(dae__solver_create(arena, &s->pattern, &s->solver, err));
  double n = s->n, m = s->m, all = n + m;
  double products = s->dense_mass ? all * all * all / 6 : n * m * m + m * m * m / 3;
  double entries = dae__pattern_count(&s->pattern);
  bool sparse = dae__solver_takes_plan(s->solver);
  if (s->n == 0 || s->n + s->m > UNPIVOTED_N_MAX ||
      (sparse && products > UNPIVOTED_PRODUCTS_PER_ENTRY * entries)) {
    if (sparse && !s->plan)
      s->plan = dae__fronts_plan_create(arena, &s->pattern, s->n, true);
    dae__solver_set_plan(arena, s->plan, s->solver);
    return saddle_check_memory(s, arena, err);
  }
  s->schur =
      dae__saddle_schur_create(arena, M, s->block[BLOCK_G].pattern, s->block[BLOCK_K].pattern);
  if (s->m > 0 && s->m <= DAE__SCHUR_ROWS) {
    bool dense = s->dense_mass && s->n <= DAE__SMALL_N;
    dae__schur_mass_create(arena, s->n, dense, &saddle->mass);
    saddle->factors = dae__schur_create(arena, s->n, s->m, 1);
    dae__schur_mass_create(arena, s->n, dense, &s->mass);
    s->factors = dae__schur_create(arena, s->n, s->m, 1);
    s->A = DAE__STATE(arena, double, s->n * s->m);
    if (s->factors)
      s->factors->A = s->A;
  }
  return saddle_check_memory(s, arena, err);
}

dae_status dae__saddle_create(dae__arena *arena, const dae_pattern *M, const dae_pattern *G,
                              const dae_pattern *K, dae__saddle **out, dae_error *err)
{
  int n = M->cols, size = n + G->rows + K->rows, k = n + G->rows;
  *out = NULL;
  dae__saddle *saddle = DAE__ALLOC(arena, dae__saddle, 1);
  dae__saddle_system *s = DAE__ALLOC(arena, dae__saddle_system, 1);
  if (!s)
    return saddle_no_memory(err);
  saddle->system = s;
  s->n = n;
  s->m = G->rows + K->rows;
  for (int j = 0; j < n; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      s->dense_mass = s->dense_mass || M->row[e] != j;
  s->diagonal = dae__pattern_diagonal(arena, size);
  s->block[BLOCK_M] = (dae__block){0, 0, M, false, NULL};
  s->block[BLOCK_D] = (dae__block){0, 0, &s->diagonal, false, NULL};
  s->block[BLOCK_G] = (dae__block){n, 0, G, false, NULL};
  s->block[BLOCK_G_T] = (dae__block){0, n, G, true, NULL};
  s->block[BLOCK_K] = (dae__block){k, 0, K, false, NULL};
  s->block[BLOCK_K_T] = (dae__block){0, k, K, true, NULL};
  s->pattern = dae__blocks_merge(arena, size, size, s->block, BLOCKS);
  if (!dae__arena_failed(arena))
    s->values = DAE__ALLOC(arena, double, dae__pattern_count(&s->pattern));
  s->work = DAE__ALLOC(arena, double, size);
  DAE__TRY(saddle_create_factors(arena, saddle, err));
  *out = saddle;
  return DAE_OK;
}

dae_status dae__saddle_create_sharing(dae__arena *arena, const dae__saddle *first,
                                      dae__saddle **out, dae_error *err)
{
  *out = NULL;
  dae__saddle *saddle = DAE__ALLOC(arena, dae__saddle, 1);
  dae__saddle_system *s = DAE__ALLOC(arena, dae__saddle_system, 1);
  if (!s)
    return saddle_no_memory(err);
  *s = *first->system;
  s->no_diagonal = false;
  saddle->system = s;
  DAE__TRY(saddle_create_factors(arena, saddle, err));
  *out = saddle;
  return DAE_OK;
}

/* ---- factorisation and solution ---- */

/* Backend that factors the values without pivoting; PIVOTED: the values need pivoting. */
static int saddle_factor_unpivoted(dae__saddle_system *s, const dae__saddle_values *values)
{
  if (s->factors && !values->diagonal) {
    const dae_pattern *G = s->block[BLOCK_G].pattern;
    dae__schur_put_rows(G, values->G, 0, s->m, s->A);
    dae__schur_put_rows(s->block[BLOCK_K].pattern, values->K, G->rows, s->m, s->A);
    bool same = values->same_mass && *s->backend == SCHUR_SMALL;
    if ((same || dae__schur_mass_set(&s->mass, s->block[BLOCK_M].pattern, values->M)) &&
        saddle_factor_small(s))
      return SCHUR_SMALL;
  }
  s->kernel = NULL;
  dae__saddle_values general = *values;
  general.same_mass = values->same_mass && *s->backend == SCHUR;
  return s->schur && dae__saddle_schur_factor(s->schur, &general) ? SCHUR : PIVOTED;
}

/* Factors without pivoting, or by pivoted LU where the values need it. */
static dae_status saddle_factor_values(dae__saddle *saddle, const dae__saddle_values *values)
{
  dae__saddle_system *s = saddle->system;
  *s->backend = saddle_factor_unpivoted(s, values);
  if (!values->same_mass)
    saddle->fused = NULL;
  if (*s->backend != PIVOTED)
    return DAE_OK;
  double *A = s->values;
  dae__zero(dae__pattern_count(&s->pattern), A);
  dae__block_add(&s->block[BLOCK_M], 1, values->M, A);   /* A = [M  .  .] */
  dae__block_add(&s->block[BLOCK_G], 1, values->G, A);   /*     [G  .  .] */
  dae__block_add(&s->block[BLOCK_K], 1, values->K, A);   /*     [K  .  .] */
  dae__block_add(&s->block[BLOCK_G_T], 1, values->G, A); /*   + [.  G' .] */
  dae__block_add(&s->block[BLOCK_K_T], 1, values->K, A); /*   + [.  . K'] */
  if (values->diagonal)
    dae__block_add(&s->block[BLOCK_D], 1, values->diagonal, A); /* + D */
  return dae__solver_factor(s->solver, A);
}

dae_status dae__saddle_factor(dae__saddle *saddle, const double *M, const double *G,
                              const double *K, const double *diagonal)
{
  dae__saddle_values values = {.M = M, .G = G, .K = K, .diagonal = diagonal};
  saddle->system->no_diagonal = !diagonal;
  return saddle_factor_values(saddle, &values);
}

void dae__saddle_solve(dae__saddle *saddle, double *top, double *bottom)
{
  dae__saddle_system *s = saddle->system;
  if (s->kernel) {
    s->kernel->solve(&s->mass, s->factors, top, bottom);
    return;
  }
  if (*s->backend == SCHUR) {
    dae__saddle_schur_solve(s->schur, top, bottom);
    return;
  }
  double *z = s->work;
  dae__copy(s->n, top, z);
  dae__copy(s->m, bottom, z + s->n);
  dae__solver_solve(s->solver, z); /* [x; y] = A\[a; b] */
  dae__copy(s->n, z, top);
  dae__copy(s->m, z + s->n, bottom);
}

dae_status dae__saddle_factor_solve(dae__saddle *saddle, const double *M, bool same_mass,
                                    const double *G, const double *K, double *top, double *bottom)
{
  dae__saddle_system *s = saddle->system;
  bool same = same_mass && s->no_diagonal && *s->backend != PIVOTED;
  dae__saddle_values values = {.M = M, .G = G, .K = K, .same_mass = same};
  s->no_diagonal = true;
  DAE__TRY(saddle_factor_values(saddle, &values));
  dae__saddle_solve(saddle, top, bottom);
  return DAE_OK;
}

bool dae__saddle_solve_fused_with(dae__saddle *saddle, const double *M,
                                  const dae__saddle_forces *of)
{
  const dae__saddle_system *s = saddle->system;
  saddle->fused = NULL;
  if (!saddle->factors || !dae__schur_mass_set(&saddle->mass, s->block[BLOCK_M].pattern, M))
    return false;
  const dae__schur_kernel *kernel = dae__schur_kernel_for(&saddle->mass, s->m);
  if (!kernel->solve_fused(&saddle->mass, saddle->factors, of))
    return false;
  saddle->fused = kernel;
  return true;
}

/* ---- properties of the last factorisation ---- */

int dae__saddle_column(const dae__saddle *saddle)
{
  const dae__saddle_system *s = saddle->system;
  return *s->backend != PIVOTED ? -1 : dae__solver_column(s->solver);
}

double dae__saddle_rcond(const dae__saddle *saddle)
{
  const dae__saddle_system *s = saddle->system;
  if (s->kernel)
    return dae__schur_rcond(&s->mass, s->factors, s->m);
  return *s->backend == SCHUR ? dae__saddle_schur_rcond(s->schur) : dae__solver_rcond(s->solver);
}

double dae__saddle_margin_fused(const dae__saddle *saddle, const double *size)
{
  double least = INFINITY;
  for (int i = 0; i < saddle->system->m; i++) {
    double ratio = 1 / (saddle->factors->r[i] * size[i] * size[i]);
    least = ratio < least ? ratio : least;
  }
  return least;
}

const char *dae__saddle_kind(const dae__saddle *saddle)
{
  const dae__saddle_system *s = saddle->system;
  return *s->backend != PIVOTED ? "schur" : dae__solver_kind(s->solver);
}

void dae__saddle_free(dae__saddle *saddle)
{
  if (saddle)
    dae__solver_free(saddle->system->solver);
}
