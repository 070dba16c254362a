/* The saddle system
 *
 *   [ M + D1   G'  K' ]
 *   [ G        D2     ]      D the diagonal that may be added
 *   [ K            D3 ]
 *
 * Small systems are eliminated without pivoting where their values allow it (saddle_way.h). All
 * others, and small ones whose M is singular or not symmetric, whose rows depend on each other or
 * whose D has signs that do not go with that, are one matrix for dae__solver, whose pattern always
 * has the whole diagonal. */
#include "linalg/saddle/saddle.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/saddle/saddle_backend.h"
#include "linalg/solver.h"
#include <string.h>

enum { BLOCK_M, BLOCK_D, BLOCK_G, BLOCK_G_T, BLOCK_K, BLOCK_K_T, BLOCKS };

/* without pivoting: where M's values are diagonal, and else */
enum { DIAGONAL, FULL, WAYS, NONE = WAYS };

typedef struct way {
  const dae__saddle_backend *table; /* NULL: it does not fit */
  void *state;
} way;

struct dae__saddle {
  dae__saddle_fused quick; /* first, as dae__saddle_solve_fused has it */
  int n, m;                /* coordinates, rows of G and K */
  dae__block block[BLOCKS];
  dae_pattern diagonal, pattern;
  double *values, *work;
  dae__solver *solver;
  bool dense_mass; /* M's pattern has more than the diagonal */
  bool plain;      /* the last factorisation had no diagonal added */
  way way[WAYS];   /* without pivoting, those that fit the patterns */
  int *last;       /* kept: which made the last factorisation; NONE: the solver */
};

static bool saddle_is_diagonal(const dae_pattern *M)
{
  for (int j = 0; j < M->cols; j++)
    for (int e = M->start[j]; e < M->start[j + 1]; e++)
      if (M->row[e] != j)
        return false;
  return true;
}

/* bench/kernels.c: elimination without pivoting beats dense LU, own or LAPACK's, at all sizes it
 * was measured at, 1.6 to 10 times. KLU takes about 12 ns for an entry of the matrix and its
 * solution, elimination 0.24 ns for a product. */
#define LARGEST 200
#define PRODUCTS_PER_ENTRY 50

static bool saddle_beats_klu(const dae__saddle *s, bool diagonal)
{
  double n = s->n, m = s->m, all = n + m;
  double products = diagonal ? n * m * m + m * m * m / 3 : all * all * all / 6;
  return products <= PRODUCTS_PER_ENTRY * (double)dae__pattern_count(&s->pattern);
}

/* The ways without pivoting that fit. */
static dae_status saddle_create_backends(dae__arena *arena, const dae__saddle_patterns *patterns,
                                         dae__saddle *s)
{
  bool sparse = strcmp(dae__solver_kind(s->solver), "klu") == 0;
  if (s->n == 0 || s->n + s->m > LARGEST || (sparse && !saddle_beats_klu(s, !s->dense_mass)))
    return DAE_OK;
  s->way[DIAGONAL].table = s->m == 1 || s->m == 2 ? &dae__saddle_small : &dae__saddle_schur;
  s->way[FULL].table = s->dense_mass ? &dae__saddle_full : NULL;
  for (int i = 0; i < WAYS; i++)
    if (s->way[i].table && s->way[i].table->create(arena, patterns, &s->way[i].state) < 0)
      return DAE_ERROR_MEMORY;
  return DAE_OK;
}

static dae_status saddle_no_memory(dae_error *err)
{
  return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for the saddle system");
}

/* what is factored: with the patterns known, the solver, the ways and what is kept */
static dae_status saddle_make_factors(dae__arena *arena, dae__saddle *s, dae_error *err)
{
  const dae__saddle_patterns patterns = {s->block[BLOCK_M].pattern, s->block[BLOCK_G].pattern,
                                         s->block[BLOCK_K].pattern};
  s->last = DAE__STATE(arena, int, 1);
  if (dae__arena_failed(arena))
    return saddle_no_memory(err);
  *s->last = NONE;
  s->quick = (dae__saddle_fused){0};
  dae_status status = dae__solver_create(arena, &s->pattern, &s->solver, err);
  if (status < 0 || saddle_create_backends(arena, &patterns, s) == DAE_OK)
    return status;
  dae__solver_free(s->solver);
  return saddle_no_memory(err);
}

/* the patterns, as one matrix */
static void saddle_merge(dae__arena *arena, dae__saddle *s, const dae__saddle_patterns *p)
{
  const dae_pattern *M = p->M, *G = p->G, *K = p->K;
  int n = s->n = M->cols, size = n + G->rows + K->rows, k = n + G->rows;
  s->m = G->rows + K->rows;
  s->dense_mass = !saddle_is_diagonal(M);
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
}

dae_status dae__saddle_create(dae__arena *arena, const dae_pattern *M, const dae_pattern *G,
                              const dae_pattern *K, dae__saddle **out, dae_error *err)
{
  *out = NULL;
  dae__saddle *s = DAE__ALLOC(arena, dae__saddle, 1);
  if (!s)
    return saddle_no_memory(err);
  saddle_merge(arena, s, &(dae__saddle_patterns){M, G, K});
  dae_status status = saddle_make_factors(arena, s, err);
  if (!status)
    *out = s;
  return status;
}

dae_status dae__saddle_create_another(dae__arena *arena, const dae__saddle *first,
                                      dae__saddle **out, dae_error *err)
{
  *out = NULL;
  dae__saddle *s = DAE__ALLOC(arena, dae__saddle, 1);
  if (!s)
    return saddle_no_memory(err);
  *s = *first;
  memset(s->way, 0, sizeof s->way);
  s->plain = false;
  dae_status status = saddle_make_factors(arena, s, err);
  if (!status)
    *out = s;
  return status;
}

static dae_status saddle_factor_pivoted(dae__saddle *s, const dae__saddle_values *values)
{
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

/* M may be diagonal though its pattern is not: users give M dense */
static inline bool saddle_has_diagonal_values(const dae__saddle *s, const double *M)
{
  const dae_pattern *p = s->block[BLOCK_M].pattern;
  for (int j = 0; s->dense_mass && j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      if (M[e] != 0 && p->row[e] != j)
        return false;
  return true;
}

static dae__saddle_fused saddle_fused_of(const way *w)
{
  return w->table->quick ? w->table->quick(w->state) : (dae__saddle_fused){0};
}

static dae_status saddle_factor_by(dae__saddle *s, int which, const dae__saddle_values *values)
{
  const way *w = &s->way[which];
  bool done = w->table && w->table->factor(w->state, values);
  *s->last = done ? which : NONE;
  s->quick = done && which == DIAGONAL && s->plain ? saddle_fused_of(w) : (dae__saddle_fused){0};
  return done ? DAE_OK : saddle_factor_pivoted(s, values);
}

dae_status dae__saddle_factor(dae__saddle *s, const double *M, const double *G, const double *K,
                              const double *diagonal)
{
  dae__saddle_values values = {.M = M, .G = G, .K = K, .diagonal = diagonal};
  s->plain = !diagonal;
  return saddle_factor_by(s, saddle_has_diagonal_values(s, M) ? DIAGONAL : FULL, &values);
}

void dae__saddle_solve(dae__saddle *s, double *top, double *bottom)
{
  if (*s->last != NONE) {
    const way *w = &s->way[*s->last];
    w->table->solve(w->state, top, bottom);
    return;
  }
  double *z = s->work;
  dae__copy(s->n, top, z);
  dae__copy(s->m, bottom, z + s->n);
  dae__solver_solve(s->solver, z); /* [x; y] = A\[a; b] */
  dae__copy(s->n, z, top);
  dae__copy(s->m, z + s->n, bottom);
}

dae_status dae__saddle_factor_solve(dae__saddle *s, const double *M, bool same_mass,
                                    const double *G, const double *K, double *top, double *bottom)
{
  bool same = same_mass && s->plain && *s->last != NONE;
  dae__saddle_values values = {.M = M, .G = G, .K = K, .same_mass = same};
  s->plain = true;
  int which = same ? *s->last : saddle_has_diagonal_values(s, M) ? DIAGONAL : FULL;
  dae_status status = saddle_factor_by(s, which, &values);
  if (!status)
    dae__saddle_solve(s, top, bottom);
  return status;
}

bool dae__saddle_solve_fused_new(dae__saddle *s, const double *M, const dae__saddle_forces *of)
{
  const way *w = &s->way[saddle_has_diagonal_values(s, M) ? DIAGONAL : FULL];
  bool taken = w->table && w->table->take_masses && w->table->take_masses(w->state, M);
  dae__saddle_fused quick = taken ? saddle_fused_of(w) : (dae__saddle_fused){0};
  bool done = quick.pass && quick.pass(quick.state, of);
  s->quick = done ? quick : (dae__saddle_fused){0};
  return done;
}

int dae__saddle_column(const dae__saddle *s)
{
  return *s->last != NONE ? -1 : dae__solver_column(s->solver);
}

double dae__saddle_rcond(const dae__saddle *s)
{
  if (*s->last == NONE)
    return dae__solver_rcond(s->solver);
  return s->way[*s->last].table->rcond(s->way[*s->last].state);
}

const char *dae__saddle_kind(const dae__saddle *s)
{
  return *s->last != NONE ? s->way[*s->last].table->kind : dae__solver_kind(s->solver);
}

dae_status dae__saddle_reload(dae__saddle *s)
{
  s->plain = false;
  s->quick = (dae__saddle_fused){0};
  return dae__solver_reload(s->solver);
}

void dae__saddle_free(dae__saddle *s)
{
  if (s)
    dae__solver_free(s->solver);
}
