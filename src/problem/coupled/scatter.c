/* Pattern of a matrix assembled from pieces: their entries are sorted by column, two transpositions
 * sort the rows within each column, and equal entries become one. All steps are linear in the
 * number of entries. */
#include "problem/coupled/scatter.h"
#include "linalg/pattern.h"
#include <limits.h>
#include <stdint.h>

static const dae_pattern none = {0, 0, NULL, NULL};

/* Marks the arena as failed after a failure elsewhere, by an allocation that cannot succeed. */
static dae_pattern scatter_fail(dae__arena *arena)
{
  (void)dae_arena_alloc(arena, SIZE_MAX, 2);
  return none;
}

/* Entries of all pieces sorted by column; place[n]: sorted position of the n-th entry. */
typedef struct sorted {
  int *start, *row, *place;
} sorted;

/* Pattern of all entries by column, with rows of a column unsorted and repeated. */
static dae_pattern scatter_by_column(int rows, int cols, const dae__piece *piece, int count,
                                     sorted *s)
{
  for (int b = 0; b < count; b++)
    for (int j = 0; j < piece[b].pattern->cols; j++)
      s->start[piece[b].col[j] + 1] += piece[b].pattern->start[j + 1] - piece[b].pattern->start[j];
  for (int j = 0; j < cols; j++)
    s->start[j + 1] += s->start[j];
  for (int b = 0, n = 0; b < count; b++) {
    const dae_pattern *p = piece[b].pattern;
    for (int j = 0; j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++, n++) {
        s->place[n] = s->start[piece[b].col[j]]++;
        s->row[s->place[n]] = piece[b].row[p->row[e]];
      }
  }
  for (int j = cols; j > 0; j--) /* each offset has been advanced to the end of its column */
    s->start[j] = s->start[j - 1];
  s->start[0] = 0;
  return (dae_pattern){rows, cols, s->start, s->row};
}

/* Pattern p, sorted, with repeated entries joined; number[e] = entry of the result for entry e of
 * p. */
static dae_pattern scatter_join(dae__arena *arena, const dae_pattern *p, int *number)
{
  int entries = 0;
  for (int j = 0; j < p->cols; j++)
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      entries += e == p->start[j] || p->row[e] != p->row[e - 1];
      number[e] = entries - 1;
    }
  int *start = DAE__ALLOC(arena, int, (size_t)p->cols + 1);
  int *row = DAE__ALLOC(arena, int, entries);
  if (dae__arena_failed(arena))
    return none;
  for (int j = 0; j < p->cols; j++) {
    start[j + 1] = start[j];
    for (int e = p->start[j]; e < p->start[j + 1]; e++) {
      row[number[e]] = p->row[e];
      start[j + 1] = number[e] + 1;
    }
  }
  return (dae_pattern){p->rows, p->cols, start, row};
}

static dae_pattern scatter_merge(dae__arena *arena, dae__arena *scratch, int rows, int cols,
                                 dae__piece *piece, int count, int total)
{
  sorted s = {DAE__ALLOC(scratch, int, (size_t)cols + 1), DAE__ALLOC(scratch, int, total),
              DAE__ALLOC(scratch, int, total)};
  int *turn = DAE__ALLOC(scratch, int, total), *back = DAE__ALLOC(scratch, int, total);
  int *number = DAE__ALLOC(scratch, int, total);
  if (dae__arena_failed(scratch))
    return none;
  dae_pattern loose = scatter_by_column(rows, cols, piece, count, &s);
  dae_pattern turned = dae__pattern_transpose(scratch, &loose, turn);
  if (dae__arena_failed(scratch))
    return none;
  dae_pattern tidy = dae__pattern_transpose(scratch, &turned, back);
  if (dae__arena_failed(scratch))
    return none;
  dae_pattern result = scatter_join(arena, &tidy, number);
  for (int b = 0, n = 0; result.start && b < count; b++)
    for (int e = 0; e < dae__pattern_count(piece[b].pattern); e++)
      piece[b].map[e] = number[back[turn[s.place[n++]]]];
  return result;
}

dae_pattern dae__pieces_merge(dae__arena *arena, int rows, int cols, bool dense, dae__piece *piece,
                              int count)
{
  int64_t total = 0;
  if (dae__arena_failed(arena))
    return none;
  for (int b = 0; b < count; b++) {
    piece[b].map = DAE__ALLOC(arena, int, dae__pattern_count(piece[b].pattern));
    total += dae__pattern_count(piece[b].pattern);
  }
  if (dae__arena_failed(arena) || total > INT_MAX)
    return scatter_fail(arena);
  for (int b = 0; dense && b < count; b++) { /* no sorting: the index in a dense pattern is known */
    const dae_pattern *p = piece[b].pattern;
    for (int j = 0; j < p->cols; j++)
      for (int e = p->start[j]; e < p->start[j + 1]; e++)
        piece[b].map[e] = piece[b].row[p->row[e]] + rows * piece[b].col[j];
  }
  if (dense)
    return dae__pattern_dense(arena, rows, cols);
  dae__arena *scratch = dae__arena_create(dae__arena_env(arena));
  if (!scratch)
    return scatter_fail(arena);
  dae_pattern result = scatter_merge(arena, scratch, rows, cols, piece, count, (int)total);
  dae__arena_free(scratch);
  return result.start ? result : scatter_fail(arena);
}

void dae__piece_add(const dae__piece *piece, double factor, const double *values, double *matrix)
{
  int count = dae__pattern_count(piece->pattern);
  for (int e = 0; e < count; e++)
    matrix[piece->map[e]] += factor * values[e];
}
