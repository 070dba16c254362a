/* Patterns in compressed columns: every routine is linear in the entries it reads and writes.
 * Sorting is by counting: transposing a pattern sorts it, merging sorts by row and then, stably, by
 * column. For a small or well filled matrix, merging marks its cells instead. Work space is a
 * temporary arena. */
#include "linalg/pattern.h"
#include "core/env.h"
#include "core/error.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>

static const dae_pattern none = {0, 0, NULL, NULL};

/* Marks the arena as failed after a failed allocation in another arena. */
static dae_pattern pattern_fail(dae__arena *arena)
{
  (void)dae_arena_alloc(arena, SIZE_MAX, 2);
  return none;
}

dae_status dae__pattern_validate(const dae_pattern *p, int rows, int cols, const char *field,
                                 dae_error *err)
{
  const dae_status bad = DAE_ERROR_PROBLEM;
  if (p->rows != rows || p->cols != cols)
    return dae__fail(err, bad, field, "%s is %d x %d but must be %d x %d", field, p->rows, p->cols,
                     rows, cols);
  if (!p->start || (!p->row && p->start[cols] != 0))
    return dae__fail(err, bad, field, "%s: start or row is NULL", field);
  if (p->start[0] != 0)
    return dae__fail(err, bad, field, "%s: start[0] is %d but must be 0", field, p->start[0]);
  for (int j = 0; j < cols; j++)
    if (p->start[j + 1] < p->start[j])
      return dae__fail(err, bad, field, "%s: start[%d] = %d is less than start[%d] = %d", field,
                       j + 1, p->start[j + 1], j, p->start[j]);
  for (int j = 0; j < cols; j++) {
    int last = -1;
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      if (p->row[e] < 0 || p->row[e] >= rows)
        return dae__fail(err, bad, field, "%s: row[%d] = %d in column %d is not in 0 ... %d", field,
                         e, p->row[e], j, rows - 1);
      if (p->row[e] <= last)
        return dae__fail(err, bad, field,
                         "%s: row[%d] = %d in column %d follows row %d; row indices must increase",
                         field, e, p->row[e], j, last);
      last = p->row[e];
    }
  }
  return DAE_OK;
}

dae_pattern dae__pattern_dense(dae__arena *arena, int rows, int cols)
{
  if ((int64_t)rows * cols > INT_MAX)
    return pattern_fail(arena);
  int *start = DAE__ALLOC(arena, int, cols + 1);
  int *row = DAE__ALLOC(arena, int, rows *cols);
  if (dae__arena_failed(arena))
    return none;
  for (int j = 0; j <= cols; j++)
    start[j] = j * rows;
  for (int j = 0; j < cols; j++)
    for (int i = 0; i < rows; i++)
      row[start[j] + i] = i;
  return (dae_pattern){rows, cols, start, row};
}

dae_pattern dae__pattern_empty(dae__arena *arena, int rows, int cols)
{
  return (dae_pattern){rows, cols, DAE__ALLOC(arena, int, (size_t)cols + 1),
                       DAE__ALLOC(arena, int, 0)};
}

dae_pattern dae__pattern_diagonal(dae__arena *arena, int n)
{
  int *start = DAE__ALLOC(arena, int, (size_t)n + 1);
  int *row = DAE__ALLOC(arena, int, n);
  if (dae__arena_failed(arena))
    return none;
  for (int j = 0; j < n; j++)
    start[j] = row[j] = j;
  start[n] = n;
  return (dae_pattern){n, n, start, row};
}

dae_pattern dae__pattern_tiles(dae__arena *arena, const dae_pattern *p, int n)
{
  int size = p->cols, count = dae__pattern_count(p);
  if ((int64_t)count * n * n > INT_MAX)
    return pattern_fail(arena);
  int *start = DAE__ALLOC(arena, int, (size_t)n *(size_t)size + 1);
  int *row = DAE__ALLOC(arena, int, (size_t)count *(size_t)n *(size_t)n);
  if (dae__arena_failed(arena))
    return none;
  int at = 0;
  for (int j = 0; j < size; j++) {
    for (int k = 0; k < n; k++)
      for (int e = p->start[j], end = p->start[j + 1]; e < end; e++)
        row[at++] = k * size + p->row[e];
    start[j + 1] = at;
  }
  for (int l = 1; l < n; l++) { /* row indices of block column l, the same in every block column */
    memcpy(row + l * at, row, (size_t)at * sizeof *row);
    for (int j = 0; j < size; j++)
      start[l * size + j + 1] = l * at + start[j + 1];
  }
  return (dae_pattern){n * size, n * size, start, row};
}

dae_pattern dae__pattern_transpose(dae__arena *arena, const dae_pattern *p, int *map)
{
  if (dae__arena_failed(arena))
    return none;
  int count = dae__pattern_count(p);
  int *start = DAE__ALLOC(arena, int, (size_t)p->rows + 1);
  int *row = DAE__ALLOC(arena, int, count);
  if (dae__arena_failed(arena))
    return none;
  for (int e = 0; e < count; e++)
    start[p->row[e] + 1]++;
  for (int i = 0; i < p->rows; i++) /* offsets from counts */
    start[i + 1] += start[i];
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      int to = start[p->row[e]]++;
      row[to] = j;
      if (map)
        map[e] = to;
    }
  for (int i = p->rows; i > 0; i--) /* shift of the offsets: start[i] is now the end of row i */
    start[i] = start[i - 1];
  start[0] = 0;
  return (dae_pattern){p->cols, p->rows, start, row};
}

/* Row indices of column j of the product t p, each once, unordered; returns their number. mark[k] =
 * j for rows already listed. into = NULL: rows are counted only. */
static int pattern_product_column(const dae_pattern *p, const dae_pattern *t, int j, int *mark,
                                  int *into)
{
  int count = 0;
  for (int e = p->start[j]; e < p->start[j + 1]; e++) {
    int i = p->row[e];
    for (int d = t->start[i]; d < t->start[i + 1]; d++) {
      int k = t->row[d];
      if (mark[k] == j)
        continue;
      mark[k] = j;
      if (into)
        into[count] = k;
      count++;
    }
  }
  return count;
}

/* Pattern of the product t p with unordered rows in each column; an empty pattern (start = NULL):
 * out of memory. */
static dae_pattern pattern_unsorted_product(dae__arena *arena, const dae_pattern *t,
                                            const dae_pattern *p)
{
  int n = p->cols, m = t->rows;
  int *mark = DAE__ALLOC(arena, int, m), *start = DAE__ALLOC(arena, int, (size_t)n + 1);
  int64_t total = 0;
  if (dae__arena_failed(arena))
    return none;
  for (int i = 0; i < m; i++)
    mark[i] = -1;
  for (int j = 0; j < n && total <= INT_MAX; j++) {
    total += pattern_product_column(p, t, j, mark, NULL);
    start[j + 1] = (int)total;
  }
  int *row = total > INT_MAX ? NULL : DAE__ALLOC(arena, int, total);
  if (!row)
    return none;
  for (int i = 0; i < m; i++)
    mark[i] = -1;
  for (int j = 0; j < n; j++)
    pattern_product_column(p, t, j, mark, row + start[j]);
  return (dae_pattern){m, n, start, row};
}

dae_pattern dae__pattern_gram(dae__arena *arena, const dae_pattern *p)
{
  if (dae__arena_failed(arena))
    return none;
  if (dae__pattern_count(p) == 0)
    return dae__pattern_empty(arena, p->cols, p->cols);
  if ((int64_t)p->rows * p->cols == dae__pattern_count(p))
    return dae__pattern_dense(arena, p->cols, p->cols);
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  if (!scratch)
    return pattern_fail(arena);
  dae_pattern result = none, product = none, t = dae__pattern_transpose(scratch, p, NULL);
  if (t.start)
    product = pattern_unsorted_product(scratch, &t, p);
  /* a symmetric pattern equals its transpose, and transposing sorts it */
  if (product.start)
    result = dae__pattern_transpose(arena, &product, NULL);
  dae__arena_free(scratch);
  return result.start ? result : pattern_fail(arena);
}

dae_pattern dae__pattern_product(dae__arena *arena, const dae_pattern *A, const dae_pattern *B)
{
  dae__arena *scratch = dae__arena_failed(arena) ? NULL : dae__arena_create(dae__arena_env(arena));
  if (!scratch)
    return pattern_fail(arena);
  dae_pattern result = none, product = pattern_unsorted_product(scratch, A, B), t = none;
  if (product.start)
    t = dae__pattern_transpose(scratch, &product, NULL);
  if (t.start)
    result = dae__pattern_transpose(arena, &t, NULL);
  dae__arena_free(scratch);
  return result.start ? result : pattern_fail(arena);
}

/* ---- merging blocks ---- */

/* Row and column of the entries of all blocks in the merged matrix, where several may coincide:
 * number[e] is the entry of the merged matrix to which block entry e is added. */
typedef struct places {
  int count;
  int *row, *col, *number;
} places;

/* Stable counting sort of the indices `from` by key[], with 0 <= key < keys; next has keys + 1
 * zeroed entries. */
static void pattern_sort_by(int keys, const int *key, int count, const int *from, int *next,
                            int *to)
{
  for (int e = 0; e < count; e++)
    next[key[e] + 1]++;
  for (int k = 0; k < keys; k++) /* offsets from counts */
    next[k + 1] += next[k];
  for (int i = 0; i < count; i++) {
    int e = from ? from[i] : i;
    to[next[key[e]]++] = e;
  }
}

/* Numbers the distinct places of block entries by column, then row; returns how many there are, -1:
 * out of memory, or a request to stop, which is asked for between the passes: each takes a tenth of
 * a second for the matrices of 10^5 bodies. */
static int pattern_number_by_sorting(dae__arena *scratch, int rows, int cols, const places *at)
{
  const dae_env *env = dae__arena_env(scratch);
  int *next_row = DAE__ALLOC(scratch, int, (size_t)rows + 1);
  int *next_col = DAE__ALLOC(scratch, int, (size_t)cols + 1), entries = 0;
  int *by_row = DAE__ALLOC(scratch, int, at->count), *order = DAE__ALLOC(scratch, int, at->count);
  if (dae__arena_failed(scratch))
    return -1;
  pattern_sort_by(rows, at->row, at->count, NULL, next_row, by_row);
  if (dae__env_stopped(env))
    return -1;
  pattern_sort_by(cols, at->col, at->count, by_row, next_col, order);
  if (dae__env_stopped(env))
    return -1;
  for (int i = 0; i < at->count; i++) {
    int e = order[i], d = i > 0 ? order[i - 1] : e;
    entries += i == 0 || at->row[e] != at->row[d] || at->col[e] != at->col[d];
    at->number[e] = entries - 1;
  }
  return entries;
}

/* Numbering of pattern_number_by_sorting by means of a mark for every cell of the matrix. */
static int pattern_number_by_cells(dae__arena *scratch, int rows, int cols, const places *at)
{
  int *cell = DAE__ALLOC(scratch, int, rows *cols), entries = 0;
  if (!cell)
    return -1;
  for (int e = 0; e < at->count; e++)
    cell[at->row[e] + rows * at->col[e]] = 1;
  for (int i = 0; i < rows * cols; i++)
    if (cell[i])
      cell[i] = entries++;
  for (int e = 0; e < at->count; e++)
    at->number[e] = cell[at->row[e] + rows * at->col[e]];
  return entries;
}

/* Number of cells that take as long to mark as one entry takes to sort; an estimate. */
#define CELLS_PER_ENTRY 4

/* Merged pattern of all block entries, whose places it numbers; an empty pattern (start = NULL):
 * out of memory. */
static dae_pattern pattern_join(dae__arena *arena, dae__arena *scratch, int rows, int cols,
                                const places *at)
{
  int64_t cells = (int64_t)rows * cols;
  bool mark = cells <= INT_MAX && cells <= (int64_t)CELLS_PER_ENTRY * at->count;
  int entries = mark ? pattern_number_by_cells(scratch, rows, cols, at)
                     : pattern_number_by_sorting(scratch, rows, cols, at);
  if (entries < 0)
    return none;
  int *start = DAE__ALLOC(arena, int, (size_t)cols + 1);
  int *row = DAE__ALLOC(arena, int, entries);
  if (dae__arena_failed(arena))
    return none;
  for (int e = 0; e < at->count; e++) {
    int i = at->number[e], *end = &start[at->col[e] + 1];
    row[i] = at->row[e];
    *end = i + 1 > *end ? i + 1 : *end;
  }
  for (int j = 0; j < cols; j++) /* offset of an empty column: end of the column before */
    if (start[j + 1] < start[j])
      start[j + 1] = start[j];
  return (dae_pattern){rows, cols, start, row};
}

/* Whether a block alone has all entries of the matrix. */
static bool blocks_have_all(int rows, int cols, const dae__block *blocks, int count)
{
  bool all = false;
  for (int k = 0; k < count; k++)
    all = all || dae__pattern_count(blocks[k].pattern) == rows * cols;
  return all;
}

/* dae__blocks_merge for a matrix with all entries: the place of each follows from row and column.
 */
static dae_pattern blocks_merge_dense(dae__arena *arena, int rows, int cols, dae__block *blocks,
                                      int count)
{
  for (int k = 0; k < count; k++) {
    const dae__block *b = &blocks[k];
    const dae_pattern *p = b->pattern;
    int by_row = b->transposed ? rows : 1, by_col = b->transposed ? 1 : rows;
    for (int j = 0; j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        b->map[e] = b->col * rows + b->row + p->row[e] * by_row + j * by_col;
  }
  return dae__pattern_dense(arena, rows, cols);
}

dae_pattern dae__blocks_merge(dae__arena *arena, int rows, int cols, dae__block *blocks, int count)
{
  if (dae__arena_failed(arena))
    return pattern_fail(arena);
  int64_t total = 0;
  for (int k = 0; k < count; k++) {
    int entries = dae__pattern_count(blocks[k].pattern);
    blocks[k].map = DAE__ALLOC(arena, int, entries);
    total += entries;
  }
  bool fits = !dae__arena_failed(arena) && total <= INT_MAX;
  if (fits && (int64_t)rows * cols <= INT_MAX && blocks_have_all(rows, cols, blocks, count))
    return blocks_merge_dense(arena, rows, cols, blocks, count);
  dae__arena *scratch = fits ? dae__arena_create(dae__arena_env(arena)) : NULL;
  if (!scratch)
    return pattern_fail(arena);
  dae_pattern result = none;
  places at = {(int)total, DAE__ALLOC(scratch, int, total), DAE__ALLOC(scratch, int, total),
               DAE__ALLOC(scratch, int, total)};
  if (!dae__arena_failed(scratch)) {
    int *row = at.row, *col = at.col;
    for (int k = 0; k < count; k++) {
      const dae__block b = blocks[k];
      const dae_pattern p = *b.pattern;
      int *of_row = b.transposed ? col : row, first_row = b.transposed ? b.col : b.row;
      int *of_col = b.transposed ? row : col, first_col = b.transposed ? b.row : b.col;
      for (int j = 0; j < p.cols; j++)
        for (int e = p.start[j], end = p.start[j + 1]; e < end; e++) {
          of_row[e] = first_row + p.row[e];
          of_col[e] = first_col + j;
        }
      row += dae__pattern_count(&p);
      col += dae__pattern_count(&p);
    }
    result = pattern_join(arena, scratch, rows, cols, &at);
    if (dae__env_stopped(dae__arena_env(arena)))
      result = none;
    const int *number = at.number;
    for (int k = 0; result.start && k < count; k++) {
      size_t entries = (size_t)dae__pattern_count(blocks[k].pattern);
      memcpy(blocks[k].map, number, entries * sizeof *number);
      number += entries;
    }
  }
  dae__arena_free(scratch);
  return result.start ? result : pattern_fail(arena);
}

/* ---- colouring ---- */

/* Greedy colouring in natural order (Curtis, Powell and Reid); optimal for a banded matrix. */
int dae__pattern_colour(dae__arena *arena, const dae_pattern *p, int *colour)
{
  dae__arena *scratch = dae__arena_failed(arena) ? NULL : dae__arena_create(dae__arena_env(arena));
  dae_pattern t = scratch ? dae__pattern_transpose(scratch, p, NULL) : none;
  int *taken = scratch ? DAE__ALLOC(scratch, int, (size_t)p->cols + 1) : NULL, colours = 0;
  if (!taken || !t.start) {
    dae__arena_free(scratch);
    (void)pattern_fail(arena);
    return 0;
  }
  for (int j = 0; j <= p->cols; j++)
    taken[j] = -1;
  /* colour of column j: the smallest that no earlier column with a common row has */
  for (int j = 0; j < p->cols; j++) {
    int c = 0;
    for (int e = p->start[j]; e < p->start[j + 1]; e++)
      /* columns d of the same row before j; the row contains column j itself, which ends the
       * loop */
      for (int d = t.start[p->row[e]]; t.row[d] < j; d++)
        taken[colour[t.row[d]]] = j;
    while (taken[c] == j)
      c++;
    colour[j] = c;
    colours = c < colours ? colours : c + 1;
  }
  dae__arena_free(scratch);
  return colours;
}
