/* Patterns in compressed columns: every routine is linear in the entries it reads and writes.
 * Sorting is by counting: transposing a pattern sorts it, merging sorts by row and then, keeping
 * that order, by column. Where a matrix is small or well filled, merging marks its cells instead.
 * Work space is an arena of its own, released before the return. */
#include "linalg/pattern.h"
#include "core/error.h"
#include <limits.h>
#include <stdint.h>
#include <string.h>

static const dae_pattern none = {0, 0, NULL, NULL};

/* Makes the arena's failure known where the memory ran out elsewhere. */
static dae_pattern pattern_fail(dae__arena *arena)
{
  (void)dae__arena_alloc(arena, SIZE_MAX, 2);
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
                         "%s: row[%d] = %d in column %d follows row %d; row indices must rise",
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

static bool pattern_is_dense(const dae_pattern *p)
{
  return (int64_t)p->rows * p->cols == dae__pattern_count(p);
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
  for (int l = 1; l < n; l++) { /* the other columns of tiles are the same */
    memcpy(row + l * at, row, (size_t)at * sizeof *row);
    for (int j = 0; j < size; j++)
      start[l * size + j + 1] = l * at + start[j + 1];
  }
  return (dae_pattern){n * size, n * size, start, row};
}

/* counts in start[1..n] -> offsets in start[0..n] */
static void pattern_add_up(int n, int *start)
{
  for (int j = 0; j < n; j++)
    start[j + 1] += start[j];
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
  pattern_add_up(p->rows, start);
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      int to = start[p->row[e]]++;
      row[to] = j;
      if (map)
        map[e] = to;
    }
  for (int i = p->rows; i > 0; i--) /* start[i] has moved on to the end of i */
    start[i] = start[i - 1];
  start[0] = 0;
  return (dae_pattern){p->cols, p->rows, start, row};
}

/* Rows of column j of t p, each once, in no order; returns how many. mark[k] = j for those that
 * were seen. into NULL: counts only. */
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

/* t p with the rows of each column in no order, in the arena; none where that failed */
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
  if (pattern_is_dense(p))
    return dae__pattern_dense(arena, p->cols, p->cols);
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  if (!scratch)
    return pattern_fail(arena);
  dae_pattern result = none, product = none, t = dae__pattern_transpose(scratch, p, NULL);
  if (t.start)
    product = pattern_unsorted_product(scratch, &t, p);
  /* symmetric, so the transpose is the same pattern in order */
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

/* The entries of all blocks in a row, as places in the merged matrix, of which several may be the
 * same: number[e] is the entry that e becomes part of. */
typedef struct places {
  int count;
  int *row, *col, *number;
} places;

static void pattern_list_places(const dae__block *blocks, int count, places *at)
{
  int *row = at->row, *col = at->col;
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
}

/* Stable counting sort of `from` by key[] < keys; next has keys + 1 zeroed entries. */
static void pattern_sort_by(int keys, const int *key, int count, const int *from, int *next,
                            int *to)
{
  for (int e = 0; e < count; e++)
    next[key[e] + 1]++;
  pattern_add_up(keys, next);
  for (int i = 0; i < count; i++) {
    int e = from ? from[i] : i;
    to[next[key[e]]++] = e;
  }
}

static bool pattern_take_maps(dae__arena *arena, dae__block *blocks, int count, int64_t *total)
{
  *total = 0;
  if (dae__arena_failed(arena))
    return false;
  for (int b = 0; b < count; b++) {
    int entries = dae__pattern_count(blocks[b].pattern);
    blocks[b].map = DAE__ALLOC(arena, int, entries);
    *total += entries;
  }
  return !dae__arena_failed(arena) && *total <= INT_MAX;
}

/* Numbers runs of equal places in the sorted order; returns how many there are. */
static int pattern_number_runs(const places *at, const int *order)
{
  int entries = 0;
  for (int i = 0; i < at->count; i++) {
    int e = order[i], d = i > 0 ? order[i - 1] : e;
    entries += i == 0 || at->row[e] != at->row[d] || at->col[e] != at->col[d];
    at->number[e] = entries - 1;
  }
  return entries;
}

/* numbers places in the order of columns; -1: out of memory */
static int pattern_number_by_sorting(dae__arena *scratch, int rows, int cols, const places *at)
{
  int *next_row = DAE__ALLOC(scratch, int, (size_t)rows + 1);
  int *next_col = DAE__ALLOC(scratch, int, (size_t)cols + 1);
  int *by_row = DAE__ALLOC(scratch, int, at->count), *order = DAE__ALLOC(scratch, int, at->count);
  if (dae__arena_failed(scratch))
    return -1;
  pattern_sort_by(rows, at->row, at->count, NULL, next_row, by_row);
  pattern_sort_by(cols, at->col, at->count, by_row, next_col, order);
  return pattern_number_runs(at, order);
}

/* the same, by a mark for every cell of the matrix */
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

/* cells that take as long as sorting an entry does: an estimate */
#define CELLS 4

static int pattern_number(dae__arena *scratch, int rows, int cols, const places *at)
{
  int64_t cells = (int64_t)rows * cols;
  return cells <= INT_MAX && cells <= (int64_t)CELLS * at->count
             ? pattern_number_by_cells(scratch, rows, cols, at)
             : pattern_number_by_sorting(scratch, rows, cols, at);
}

/* The pattern of the numbered places. */
static dae_pattern pattern_join(dae__arena *arena, int rows, int cols, int entries,
                                const places *at)
{
  int *start = DAE__ALLOC(arena, int, (size_t)cols + 1);
  int *row = DAE__ALLOC(arena, int, entries);
  if (dae__arena_failed(arena))
    return none;
  for (int e = 0; e < at->count; e++) {
    int i = at->number[e], *end = &start[at->col[e] + 1];
    row[i] = at->row[e];
    *end = i + 1 > *end ? i + 1 : *end;
  }
  for (int j = 0; j < cols; j++) /* empty columns end where the one before ends */
    if (start[j + 1] < start[j])
      start[j + 1] = start[j];
  return (dae_pattern){rows, cols, start, row};
}

dae_pattern dae__blocks_merge(dae__arena *arena, int rows, int cols, dae__block *blocks, int count)
{
  int64_t total;
  if (!pattern_take_maps(arena, blocks, count, &total))
    return pattern_fail(arena);
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  if (!scratch)
    return pattern_fail(arena);
  dae_pattern result = none;
  places at = {(int)total, DAE__ALLOC(scratch, int, total), DAE__ALLOC(scratch, int, total),
               DAE__ALLOC(scratch, int, total)};
  if (!dae__arena_failed(scratch)) {
    pattern_list_places(blocks, count, &at);
    int entries = pattern_number(scratch, rows, cols, &at);
    if (entries >= 0)
      result = pattern_join(arena, rows, cols, entries, &at);
    const int *of_block = at.number;
    for (int b = 0; result.start && b < count; b++) {
      size_t entries_of = (size_t)dae__pattern_count(blocks[b].pattern);
      memcpy(blocks[b].map, of_block, entries_of * sizeof *of_block);
      of_block += entries_of;
    }
  }
  dae__arena_free(scratch);
  return result.start ? result : pattern_fail(arena);
}
