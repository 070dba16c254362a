/* Loop matrix C = Gd^-1 G - 1 on the unknowns that close loops. Every unknown that another
 * subsystem uses has a column of C, solved for with the factors of the subsystems it enters. Only
 * the entries within strongly connected components of C are kept, and balanced. */
#include "wave/analysis/loop_matrix.h"
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "linalg/components.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include <math.h>

/* Reduction of the sum of row and column norms that a scaling by a power of two must reach, as in
 * LAPACK's xGEBAL. */
#define BALANCE_REDUCTION 0.95

/* Diagonal block of G for one subsystem, columns scaled to largest entry 1. */
typedef struct block {
  int first, used_first; /* begin of the subsystem's unknowns in `sorted`, and in `unknown` */
  dae_pattern pattern;
  double *values;
  dae__solver *solver;
  int entered; /* last column, counted from 1, with an entry in the subsystem's rows */
} block;

typedef struct work {
  const dae__loop *loop;
  int n;                  /* number of unknowns of G */
  block *blocks;          /* blocks of all subsystems, and an empty one at the end */
  int *sorted, *position; /* unknowns sorted by subsystem, and the inverse permutation */
  double *scale, *b;
  int used;     /* number of unknowns that other subsystems use */
  int *unknown; /* unknowns that other subsystems use, sorted by subsystem */
  int *entered; /* subsystems in whose rows a column has entries */
  dae_pattern C;
  double *C_values;
} work;

/* Sorts the unknowns by subsystem, and lists the unknowns that other subsystems use. */
static bool loop_sort(work *w, dae__arena *arena)
{
  const int *owner = w->loop->owner, *start = w->loop->pattern->start;
  const int *row = w->loop->pattern->row;
  int systems = w->loop->systems;
  w->blocks = DAE__ALLOC(arena, block, systems + 1);
  w->sorted = DAE__ALLOC(arena, int, w->n);
  w->position = DAE__ALLOC(arena, int, w->n);
  DAE__VECTORS(arena, w->n, &w->scale, &w->b);
  w->unknown = DAE__ALLOC(arena, int, w->n);
  w->entered = DAE__ALLOC(arena, int, systems);
  if (dae__arena_failed(arena))
    return false;
  for (int j = 0; j < w->n; j++)
    w->blocks[owner[j] + 1].first++;
  for (int k = 0; k < systems; k++)
    w->blocks[k + 1].first += w->blocks[k].first;
  /* pattern.cols is a counter here */
  for (int j = 0; j < w->n; j++) {
    block *own = &w->blocks[owner[j]];
    w->position[j] = own->first + own->pattern.cols++;
    w->sorted[w->position[j]] = j;
  }
  for (int k = 0; k <= systems; k++) {
    w->blocks[k].used_first = w->used;
    for (int i = 0; i < w->blocks[k].pattern.cols; i++) {
      int j = w->sorted[w->blocks[k].first + i];
      bool used = false;
      for (int e = start[j]; e < start[j + 1] && !used; e++)
        used = owner[row[e]] != k && w->loop->values[e] != 0;
      if (used)
        w->unknown[w->used++] = j;
    }
  }
  return true;
}

/* Diagonal blocks of Gd, columns scaled to largest entry 1. */
static bool loop_fill_blocks(work *w, dae__arena *arena)
{
  const dae_pattern *p = w->loop->pattern;
  int entries = dae__pattern_count(p), systems = w->loop->systems;
  int *start = DAE__ALLOC(arena, int, w->n + systems), *row = DAE__ALLOC(arena, int, entries);
  double *values = DAE__ALLOC(arena, double, entries);
  if (dae__arena_failed(arena))
    return false;
  for (int k = 0; k < systems; k++) {
    block *own = &w->blocks[k];
    int n = own->pattern.cols;
    for (int i = 0; i < n; i++) {
      int j = w->sorted[own->first + i], count = start[i];
      double largest = 0;
      for (int e = p->start[j]; e < p->start[j + 1]; e++) {
        if (w->loop->owner[p->row[e]] != k)
          continue;
        largest = fmax(largest, fabs(w->loop->values[e]));
        values[count] = w->loop->values[e];
        row[count++] = w->position[p->row[e]] - own->first;
      }
      w->scale[j] = largest > 0 && isfinite(largest) ? 1 / largest : 1;
      dae__scale(count - start[i], w->scale[j], values + start[i]);
      start[i + 1] = count;
    }
    own->values = values;
    own->pattern = (dae_pattern){n, n, start, row};
    row += start[n];
    values += start[n];
    start += n + 1;
  }
  return true;
}

/* b = scaled column j of G without the rows of j's own subsystem; lists the subsystems of its
 * entries, ascending, and returns their number. */
static int loop_enter(work *w, int column, int j)
{
  const dae_pattern *p = w->loop->pattern;
  int count = 0;
  for (int e = p->start[j]; e < p->start[j + 1]; e++) {
    int k = w->loop->owner[p->row[e]];
    if (k == w->loop->owner[j])
      continue;
    w->b[w->position[p->row[e]]] = w->loop->values[e] * w->scale[j];
    if (w->blocks[k].entered == column + 1)
      continue;
    w->blocks[k].entered = column + 1;
    int i = count++;
    for (; i > 0 && w->entered[i - 1] > k; i--)
      w->entered[i] = w->entered[i - 1];
    w->entered[i] = k;
  }
  return count;
}

/* Computes C on the unknowns that other subsystems use, column by column: C(:,c) = Gd \ b. */
static dae_status loop_condense(work *w, dae__arena *arena, dae_error *err)
{
  /* upper bound of the entries of C: a column fills all used unknowns of a subsystem it enters */
  size_t most = 0;
  for (int c = 0; c < w->used; c++) {
    int entered = loop_enter(w, c, w->unknown[c]);
    for (int m = 0; m < entered; m++) {
      block *k = &w->blocks[w->entered[m]];
      most += (size_t)(k[1].used_first - k->used_first);
      dae__zero(k->pattern.cols, w->b + k->first);
      k->entered = 0;
    }
  }
  int *start = DAE__ALLOC(arena, int, w->used + 1), *row = DAE__ALLOC(arena, int, most);
  w->C_values = DAE__ALLOC(arena, double, most);
  DAE__TRY(dae__arena_status(arena, err));
  for (int c = 0; c < w->used; c++) {
    int entered = loop_enter(w, c, w->unknown[c]), count = start[c];
    for (int m = 0; m < entered; m++) {
      block *k = &w->blocks[w->entered[m]];
      dae__solver_solve(k->solver, w->b + k->first);
      for (int i = k->used_first; i < k[1].used_first; i++) {
        double value = w->b[w->position[w->unknown[i]]];
        if (value == 0)
          continue;
        w->C_values[count] = value;
        row[count++] = i;
      }
      dae__zero(k->pattern.cols, w->b + k->first);
    }
    start[c + 1] = count;
  }
  w->C = (dae_pattern){w->used, w->used, start, row};
  return dae__all_finite(start[w->used], w->C_values) ? DAE_OK : DAE_ERROR_RECOVERABLE;
}

/* Extracts the unknowns in strongly connected components of more than one unknown, and the entries
 * of C within such components. */
static bool loop_extract(work *w, dae__arena *arena, dae__loop_matrix *out, double **values)
{
  /* strongly connected component of each used unknown, and their sizes */
  int *component = DAE__ALLOC(arena, int, w->used), *size = DAE__ALLOC(arena, int, w->used);
  if (dae__arena_failed(arena))
    return false;
  dae__components(arena, &w->C, component, size);
  int *number = DAE__ALLOC(arena, int, w->used), *unknown = DAE__ALLOC(arena, int, w->used);
  int *owner = DAE__ALLOC(arena, int, w->used), *start = DAE__ALLOC(arena, int, w->used + 1);
  int *row = DAE__ALLOC(arena, int, dae__pattern_count(&w->C)), n = 0, count = 0;
  *values = DAE__ALLOC(arena, double, dae__pattern_count(&w->C));
  if (dae__arena_failed(arena))
    return false;
  for (int k = 0; k < w->used; k++) {
    if (size[component[k]] < 2)
      continue;
    unknown[n] = w->unknown[k];
    owner[n] = w->loop->owner[w->unknown[k]];
    number[k] = n++;
  }
  for (int k = 0; k < w->used; k++) {
    if (size[component[k]] < 2)
      continue;
    for (int e = w->C.start[k]; e < w->C.start[k + 1]; e++)
      if (component[w->C.row[e]] == component[k]) {
        (*values)[count] = w->C_values[e];
        row[count++] = number[w->C.row[e]];
      }
    start[number[k] + 1] = count;
  }
  *out = (dae__loop_matrix){.n = n,
                            .systems = w->loop->systems,
                            .unknown = unknown,
                            .owner = owner,
                            .pattern = {n, n, start, row},
                            .values = *values};
  return true;
}

/* Scales row k of C by 2^-e and column k by 2^e so that their norms agree; false: they already do.
 * entry[t] is the index in C of entry t of C'. */
static bool loop_balance_one(const dae__loop_matrix *g, int k, const int *entry, double *C)
{
  const dae_pattern *p = &g->pattern, *q = &g->transposed;
  double row = 0, col = 0;
  for (int t = q->start[k]; t < q->start[k + 1]; t++)
    row += fabs(C[entry[t]]);
  for (int e = p->start[k]; e < p->start[k + 1]; e++)
    col += fabs(C[e]);
  int exponent = (int)lround((log2(row) - log2(col)) / 2);
  double f = ldexp(1, exponent);
  if (row / f + col * f >= BALANCE_REDUCTION * (row + col))
    return false;
  for (int t = q->start[k]; t < q->start[k + 1]; t++)
    C[entry[t]] /= f;
  for (int e = p->start[k]; e < p->start[k + 1]; e++)
    C[e] *= f;
  return true;
}

/* Balances C = D^-1 C D, D powers of two, and fills in C'. */
static bool loop_balance(dae__arena *arena, dae__loop_matrix *g, double *C)
{
  int count = dae__pattern_count(&g->pattern);
  int *map = DAE__ALLOC(arena, int, count), *entry = DAE__ALLOC(arena, int, count);
  double *transposed = DAE__ALLOC(arena, double, count);
  if (dae__arena_failed(arena))
    return false;
  g->transposed = dae__pattern_transpose(arena, &g->pattern, map);
  if (dae__arena_failed(arena))
    return false;
  for (int e = 0; e < count; e++)
    entry[map[e]] = e;
  for (bool again = true; again;) {
    again = false;
    for (int k = 0; k < g->n; k++)
      again = loop_balance_one(g, k, entry, C) || again;
  }
  for (int e = 0; e < count; e++)
    transposed[map[e]] = C[e];
  g->transposed_values = transposed;
  return true;
}

dae_status dae__loop_matrix_create(dae__arena *arena, const dae__loop *loop, dae__loop_matrix *out,
                                   dae_error *err)
{
  work w = {.loop = loop, .n = loop->pattern->cols};
  double *values;
  if (!loop_sort(&w, arena) || !loop_fill_blocks(&w, arena))
    return dae__out_of_memory(err);
  dae_status status = DAE_OK;
  for (int k = 0; k < loop->systems && !status; k++) {
    block *own = &w.blocks[k];
    status = dae__solver_create(arena, &own->pattern, &own->solver, err);
    if (status)
      break;
    status = dae__solver_factor(own->solver, own->values);
    if (status == DAE_ERROR_MEMORY)
      status = dae__out_of_memory(err);
    else if (!status && dae__solver_rcond(own->solver) < DAE__SINGULAR_RCOND)
      status = DAE_ERROR_SINGULAR;
  }
  if (!status)
    status = loop_condense(&w, arena, err);
  if (status == DAE_ERROR_RECOVERABLE)
    dae__fail(err, status, NULL, "derivatives between subsystems are not finite");
  for (int k = 0; k < loop->systems; k++)
    dae__solver_free(w.blocks[k].solver);
  if (!status && !(loop_extract(&w, arena, out, &values) && loop_balance(arena, out, values)))
    status = dae__out_of_memory(err);
  return status;
}
