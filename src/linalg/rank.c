/* Independent rows of A: left-looking sparse LU of A' in the natural order of A's rows
 * [GP88]. For each row a_i, scaled to largest entry 1,
 *
 *   x = L\a_i              over the coordinates that the earlier pivots reach, found depth first
 *   max |x_c| <= tol       over coordinates c without a pivot: the row depends on earlier ones
 *   L(:,i) = x / x_p       otherwise, with pivot coordinate p
 *
 * Two measures keep the fill-in low. First, a row with a coordinate that no other row has is
 * independent of the others: such rows are peeled off before, one after the other, which solves
 * chains and trees. Second, references are counted: among the entries above a threshold the pivot
 * is the coordinate with the fewest later rows and columns of L that reach it again. A coordinate
 * with none is never eliminated with, needs no column in L, and is accepted far below the threshold
 * once L has filled in. */
#include "linalg/rank.h"
#include "core/arena.h"
#include "core/env.h"
#include "linalg/pattern.h"
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Entry of a column of L. */
typedef struct entry {
  int coordinate;
  double value;
} entry;

typedef struct work {
  int rows, cols;
  const dae_env *env;
  dae_pattern by_row; /* pattern of A': column i holds row i of A */
  double *a;          /* values of A' */
  entry *L;
  size_t size, used; /* number of entries of L allocated, and in use */
  size_t *start;     /* offsets of the columns of L, rows + 1 of them */
  int columns;
  int *column_of; /* column of L for each pivot coordinate; -1: not a pivot yet */
  int *refs;      /* number of later rows and used columns of L that contain each coordinate */
  bool *peeled;   /* whether each row is peeled off */
  double *x;
  int *reach; /* reach[top .. cols-1]: coordinates of x in the order of elimination */
  int *stack;
  size_t *next; /* next entry of L to follow, for each level of the stack */
  int *mark;    /* row in whose elimination each coordinate was last reached */
} work;

static bool rank_prepare(work *w, dae__arena *arena, const dae_pattern *p, const double *A,
                         const bool *active)
{
  int count = dae__pattern_count(p), n = p->cols;
  int *map = DAE__ALLOC(arena, int, count);
  if (dae__arena_failed(arena))
    return false;
  w->by_row = dae__pattern_transpose(arena, p, map);
  w->a = DAE__ALLOC(arena, double, count);
  w->start = DAE__ALLOC(arena, size_t, (size_t)p->rows + 1);
  w->column_of = DAE__ALLOC(arena, int, n);
  w->refs = DAE__ALLOC(arena, int, n);
  w->peeled = DAE__ALLOC(arena, bool, p->rows);
  w->x = DAE__ALLOC(arena, double, n);
  w->reach = DAE__ALLOC(arena, int, n);
  w->stack = DAE__ALLOC(arena, int, n);
  w->next = DAE__ALLOC(arena, size_t, n);
  w->mark = DAE__ALLOC(arena, int, n);
  if (dae__arena_failed(arena))
    return false;
  for (int e = 0; e < count; e++)
    w->a[map[e]] = A[e];
  for (int c = 0; c < n; c++) {
    w->column_of[c] = w->mark[c] = -1;
    for (int e = p->start[c]; e < p->start[c + 1]; e++)
      w->refs[c] += active[p->row[e]] && A[e] != 0;
  }
  return true;
}

/* Enlarges the memory of L by `more` entries; false: out of memory. */
static bool rank_reserve(work *w, size_t more)
{
  if (w->used + more <= w->size)
    return true;
  size_t size = 2 * (w->used + more);
  if (size > SIZE_MAX / sizeof(entry))
    return false;
  entry *L = w->env->allocate(w->env->user, size * sizeof *L);
  if (!L)
    return false;
  if (w->used > 0)
    memcpy(L, w->L, w->used * sizeof *L);
  if (w->L)
    w->env->release(w->env->user, w->L);
  w->L = L;
  w->size = size;
  return true;
}

/* Depth-first search from coordinate c: puts c and the fill-in of its elimination in front of
 * reach[top]; returns the new top. */
static int rank_visit(work *w, int row, int c, int top)
{
  int depth = 0;
  w->stack[0] = c;
  w->mark[c] = row;
  w->next[0] = w->column_of[c] < 0 ? 0 : w->start[w->column_of[c]];
  while (depth >= 0) {
    c = w->stack[depth];
    size_t end = w->column_of[c] < 0 ? 0 : w->start[w->column_of[c] + 1];
    while (w->next[depth] < end && w->mark[w->L[w->next[depth]].coordinate] == row)
      w->next[depth]++;
    if (w->next[depth] >= end) { /* all coordinates below this one are listed */
      w->reach[--top] = c;
      depth--;
      continue;
    }
    int child = w->L[w->next[depth]++].coordinate;
    w->mark[child] = row;
    w->stack[++depth] = child;
    w->next[depth] = w->column_of[child] < 0 ? 0 : w->start[w->column_of[child]];
  }
  return top;
}

/* Elimination x = L\(a_row / largest entry); reach[top..] are the coordinates of its entries.
 * Returns top, or -1 for a row that is not finite. */
static int rank_eliminate(work *w, int row)
{
  const dae_pattern *p = &w->by_row;
  double largest = 0;
  int top = w->cols;
  for (int e = p->start[row]; e < p->start[row + 1]; e++) {
    if (!isfinite(w->a[e]))
      return -1;
    largest = fmax(largest, fabs(w->a[e]));
  }
  for (int e = p->start[row]; e < p->start[row + 1]; e++) {
    if (w->a[e] == 0)
      continue;
    w->x[p->row[e]] = w->a[e] / largest;
    if (w->mark[p->row[e]] != row)
      top = rank_visit(w, row, p->row[e], top);
  }
  for (int i = top; i < w->cols; i++) {
    int c = w->reach[i], k = w->column_of[c];
    double x = w->x[c];
    for (size_t e = k < 0 ? 0 : w->start[k]; k >= 0 && e < w->start[k + 1]; e++)
      w->x[w->L[e].coordinate] -= w->L[e].value * x; /* x -= L(:,k) x_c */
  }
  return top;
}

/* Removes the references of a row to its coordinates; the column of L of a pivot without references
 * goes out of use. */
static void rank_release_row(work *w, int row)
{
  const dae_pattern *p = &w->by_row;
  int depth = 0;
  for (int e = p->start[row]; e < p->start[row + 1]; e++)
    if (w->a[e] != 0 && --w->refs[p->row[e]] == 0 && w->column_of[p->row[e]] >= 0)
      w->stack[depth++] = p->row[e];
  while (depth > 0) {
    int k = w->column_of[w->stack[--depth]];
    for (size_t e = w->start[k]; e < w->start[k + 1]; e++) {
      int c = w->L[e].coordinate;
      if (--w->refs[c] == 0 && w->column_of[c] >= 0)
        w->stack[depth++] = c;
    }
  }
}

/* Smallest pivot relative to the largest candidate, a threshold usual in sparse LU. */
#define PIVOT_THRESHOLD 0.1
/* Smallest pivot relative to the largest candidate for coordinates without later references, once L
 * holds FILL_FACTOR times the entries of A: well above round-off. Chosen, not measured. */
#define UNREFERENCED_THRESHOLD 1e-6
#define FILL_FACTOR 8

static int rank_choose_pivot(const work *w, int top, double max)
{
  bool filled = w->used > FILL_FACTOR * (size_t)dae__pattern_count(&w->by_row);
  int best = -1;
  for (int i = top; i < w->cols; i++) {
    int c = w->reach[i];
    double threshold = filled && w->refs[c] == 0 ? UNREFERENCED_THRESHOLD : PIVOT_THRESHOLD;
    if (w->column_of[c] >= 0 || fabs(w->x[c]) < threshold * max)
      continue;
    if (best < 0 || w->refs[c] < w->refs[best] ||
        (w->refs[c] == w->refs[best] && fabs(w->x[c]) > fabs(w->x[best])))
      best = c;
  }
  return best;
}

/* Appends the column L(:,k) = x / x_p. Entries at rounding level are left out: a straight chain
 * would fill in otherwise. */
static bool rank_append_column(work *w, int top, int p)
{
  const double noise = 8 * DBL_EPSILON;
  if (w->refs[p] > 0 && !rank_reserve(w, (size_t)(w->cols - top)))
    return false;
  for (int i = top; i < w->cols && w->refs[p] > 0; i++) {
    int c = w->reach[i];
    if (c == p || w->column_of[c] >= 0 || fabs(w->x[c]) <= noise)
      continue;
    w->L[w->used++] = (entry){c, w->x[c] / w->x[p]};
    w->refs[c]++;
  }
  w->column_of[p] = w->columns++;
  w->start[w->columns] = w->used;
  return true;
}

/* Coordinate of the largest entry in a row among the coordinates of no other row, if the entry is
 * above the threshold; otherwise -1. */
static int rank_own_coordinate(const work *w, int row)
{
  const dae_pattern *p = &w->by_row;
  int best = -1;
  double largest = 0, own = 0;
  for (int e = p->start[row]; e < p->start[row + 1]; e++) {
    double a = fabs(w->a[e]);
    if (!isfinite(a))
      return -1;
    largest = fmax(largest, a);
    if (w->refs[p->row[e]] == 1 && a > own) {
      own = a;
      best = p->row[e];
    }
  }
  return own >= PIVOT_THRESHOLD * largest ? best : -1;
}

/* Peels off rows with a coordinate that no other remaining row has, one after the other. */
static void rank_peel(work *w, const dae_pattern *p, const double *A, const bool *active,
                      int *pivot)
{
  int *queue = w->reach, count = 0;
  for (int c = 0; c < w->cols; c++)
    if (w->refs[c] == 1)
      queue[count++] = c;
  for (int i = 0; i < count; i++) {
    int c = queue[i], row = -1;
    for (int e = p->start[c]; e < p->start[c + 1] && w->refs[c] == 1; e++)
      if (A[e] != 0 && active[p->row[e]] && !w->peeled[p->row[e]])
        row = p->row[e];
    int own = row < 0 ? -1 : rank_own_coordinate(w, row);
    if (own < 0)
      continue;
    w->peeled[row] = true;
    w->column_of[own] = w->columns++; /* empty column of L: no later row contains this coordinate */
    if (pivot)
      pivot[row] = own;
    for (int e = w->by_row.start[row]; e < w->by_row.start[row + 1]; e++)
      if (w->a[e] != 0 && --w->refs[w->by_row.row[e]] == 1)
        queue[count++] = w->by_row.row[e];
  }
}

static dae_status rank_find_independent(work *w, double tol, bool *active, int *pivot,
                                        double *margin)
{
  for (int row = 0; row < w->rows; row++) {
    if (!active[row] || w->peeled[row])
      continue;
    int top = rank_eliminate(w, row);
    if (top < 0)
      return DAE_ERROR_RECOVERABLE;
    rank_release_row(w, row);
    double max = 0; /* largest |x_c| over coordinates c without a pivot */
    for (int i = top; i < w->cols; i++)
      if (w->column_of[w->reach[i]] < 0)
        max = fmax(max, fabs(w->x[w->reach[i]]));
    active[row] = max > tol;
    if (active[row]) {
      int p = rank_choose_pivot(w, top, max);
      if (!rank_append_column(w, top, p))
        return DAE_ERROR_MEMORY;
      *margin = fmin(*margin, max);
      if (pivot)
        pivot[row] = p;
    }
    for (int i = top; i < w->cols; i++)
      w->x[w->reach[i]] = 0;
  }
  return DAE_OK;
}

/* Rank of a matrix with one active row: 0 only if the row is 0. */
static dae_status rank_single_row(const dae_pattern *pattern, const double *A, bool *active,
                                  int *pivot, int *rank)
{
  double largest = 0;
  int best = -1;
  for (int c = 0; *active && c < pattern->cols; c++)
    for (int e = pattern->start[c]; e < pattern->start[c + 1]; e++) {
      if (!isfinite(A[e]))
        return DAE_ERROR_RECOVERABLE;
      if (fabs(A[e]) > largest)
        largest = fabs(A[e]), best = c;
    }
  *active = best >= 0;
  *rank = *active;
  if (pivot)
    *pivot = best;
  return DAE_OK;
}

dae_status dae__rank_rows(const dae_pattern *pattern, const double *A, double tol,
                          const dae_env *env, bool *active, int *pivot, int *rank, double *margin)
{
  if (pattern->rows == 1) {
    if (margin)
      *margin = 1;
    return rank_single_row(pattern, A, active, pivot, rank);
  }
  dae_env own = dae__env_of(env);
  work w = {.rows = pattern->rows, .cols = pattern->cols, .env = &own};
  dae__arena *arena = dae__arena_create(w.env);
  dae_status status = DAE_ERROR_MEMORY;
  double smallest = 1;
  for (int i = 0; pivot && i < w.rows; i++)
    pivot[i] = -1;
  if (arena && rank_prepare(&w, arena, pattern, A, active)) {
    rank_peel(&w, pattern, A, active, pivot);
    status = rank_find_independent(&w, tol, active, pivot, &smallest);
  }
  if (w.L)
    w.env->release(w.env->user, w.L);
  dae__arena_free(arena);
  *rank = w.columns;
  if (margin)
    *margin = smallest;
  return status;
}
