/* The saddle system
 *
 *   [ M + D1   G'  K' ]
 *   [ G        D2     ]      D the diagonal that may be added
 *   [ K            D3 ]
 *
 * as one matrix for dae__solver. The pattern always has the whole diagonal. */
#include "linalg/saddle.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include <stddef.h>

enum { BLOCK_M, BLOCK_D, BLOCK_G, BLOCK_G_T, BLOCK_K, BLOCK_K_T, BLOCKS };

struct dae__saddle {
  int n, m; /* coordinates, rows of G and K */
  dae__block block[BLOCKS];
  dae_pattern diagonal, pattern;
  double *values, *work;
  dae__solver *solver;
};

dae_status dae__saddle_create(dae__arena *arena, const dae_pattern *M, const dae_pattern *G,
                              const dae_pattern *K, dae__saddle **out, dae_error *err)
{
  *out = NULL;
  dae__saddle *s = DAE__TAKE(arena, dae__saddle, 1);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for the saddle system");
  int n = s->n = M->cols, size = n + G->rows + K->rows, k = n + G->rows;
  s->m = G->rows + K->rows;
  s->diagonal = dae__pattern_diagonal(arena, size);
  s->block[BLOCK_M] = (dae__block){0, 0, M, false, NULL};
  s->block[BLOCK_D] = (dae__block){0, 0, &s->diagonal, false, NULL};
  s->block[BLOCK_G] = (dae__block){n, 0, G, false, NULL};
  s->block[BLOCK_G_T] = (dae__block){0, n, G, true, NULL};
  s->block[BLOCK_K] = (dae__block){k, 0, K, false, NULL};
  s->block[BLOCK_K_T] = (dae__block){0, k, K, true, NULL};
  s->pattern = dae__blocks_merge(arena, size, size, s->block, BLOCKS);
  if (!dae__arena_failed(arena))
    s->values = DAE__TAKE(arena, double, dae__pattern_count(&s->pattern));
  s->work = DAE__TAKE(arena, double, size);
  if (dae__arena_failed(arena))
    return dae__fail(err, DAE_ERROR_MEMORY, NULL, "out of memory for the saddle system");
  dae_status status = dae__solver_create(arena, &s->pattern, &s->solver, err);
  if (status == DAE_OK)
    *out = s;
  return status;
}

dae_status dae__saddle_factor(dae__saddle *s, const double *M, const double *G, const double *K,
                              const double *diagonal)
{
  double *A = s->values;
  dae__zero(dae__pattern_count(&s->pattern), A);
  dae__block_add(&s->block[BLOCK_M], 1, M, A);   /* A = [M  .  .] */
  dae__block_add(&s->block[BLOCK_G], 1, G, A);   /*     [G  .  .] */
  dae__block_add(&s->block[BLOCK_K], 1, K, A);   /*     [K  .  .] */
  dae__block_add(&s->block[BLOCK_G_T], 1, G, A); /*   + [.  G' .] */
  dae__block_add(&s->block[BLOCK_K_T], 1, K, A); /*   + [.  . K'] */
  if (diagonal)
    dae__block_add(&s->block[BLOCK_D], 1, diagonal, A); /* + D */
  return dae__solver_factor(s->solver, A);
}

void dae__saddle_solve(dae__saddle *s, double *top, double *bottom)
{
  double *z = s->work;
  dae__copy(s->n, top, z);
  dae__copy(s->m, bottom, z + s->n);
  dae__solver_solve(s->solver, z); /* [x; y] = A\[a; b] */
  dae__copy(s->n, z, top);
  dae__copy(s->m, z + s->n, bottom);
}

void dae__saddle_solve_many(dae__saddle *s, int count, double *ab)
{
  for (int k = 0; k < count; k++)
    dae__solver_solve(s->solver, ab + (ptrdiff_t)k * (s->n + s->m));
}

int dae__saddle_column(const dae__saddle *s)
{
  return dae__solver_column(s->solver);
}

double dae__saddle_rcond(const dae__saddle *s)
{
  return dae__solver_rcond(s->solver);
}

dae_status dae__saddle_reload(dae__saddle *s)
{
  return dae__solver_reload(s->solver);
}

void dae__saddle_free(dae__saddle *s)
{
  if (s)
    dae__solver_free(s->solver);
}
