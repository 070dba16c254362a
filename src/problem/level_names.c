/* Names of constraint rows, and of what they belong to, in messages. */
#include "core/tolerances.h"
#include "core/vec.h"
#include "problem/level.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Group of a row; NULL: none. */
static const char *names_group(const dae__level *l, int row)
{
  return l->table->group ? l->table->group(l, row) : NULL;
}

static bool names_same(const char *a, const char *b)
{
  return a && b && !strcmp(a, b);
}

/* Tests that a row has the group of the row before it. */
static bool names_goes_on(const dae__level *l, int row)
{
  return row > 0 && names_same(names_group(l, row), names_group(l, row - 1));
}

/* Name of the group of a row, else of the row itself. */
static const char *names_of(const dae__level *l, int row, char *text, size_t size)
{
  const char *group = names_group(l, row);
  return group && group[0] ? group : l->table->name(l, l->n + row, text, size);
}

dae__level_names dae__level_list(const dae__level *l, int rows, const double *value, double tol,
                                 const double *size)
{
  dae__level_names list = {0};
  const char *before = NULL;
  char name[64];
  for (int i = 0; i < rows; i++) {
    const char *group = names_group(l, i);
    if (!(fabs(value[i]) > tol * (size ? size[i] : 1)) || (group && names_same(group, before)))
      continue;
    before = group;
    dae__append(list.text, sizeof list.text, "%s%s", list.count > 0 ? ", " : "",
                names_of(l, i, name, sizeof name));
    list.first = list.count++ ? list.first : i;
  }
  return list;
}

double dae__level_gap(const dae__level *l, int row, char *text, size_t size)
{
  const char *group = names_group(l, row);
  double square = 0;
  for (int i = 0; i < l->rows; i++)
    if (i == row || (group && names_same(names_group(l, i), group)))
      square += l->residual[i] * l->residual[i];
  snprintf(text, size, "%s", names_of(l, row, text, size));
  return sqrt(square);
}

/* ---- dependent rows ---- */

/* Appends the groups of rows with |value_i| > tol, other than one group: "A, B", or "A to E" where
 * they follow each other. */
static void names_append_groups(const dae__level *l, const double *value, double tol,
                                const char *other, char *text, size_t size)
{
  int all = l->G->rows + l->K->rows, count = 0;
  bool skipped = false, broken = false;
  char list[256] = "", first[64] = "", last[64] = "", name[64];
  for (int i = 0; i < all;) {
    const char *group = names_group(l, i);
    int from = i++;
    double most = fabs(value[from]);
    for (; i < all && group && names_goes_on(l, i); i++)
      most = fmax(most, fabs(value[i]));
    if (group && (!group[0] || names_same(group, other)))
      continue;
    skipped = skipped || (count > 0 && !(most > tol));
    if (!(most > tol))
      continue;
    broken = broken || skipped;
    snprintf(last, sizeof last, "%s", names_of(l, from, name, sizeof name));
    if (count++ == 0)
      memcpy(first, last, sizeof first);
    dae__append(list, sizeof list, "%s%s", list[0] ? ", " : "", last);
  }
  if (count > 2 && !broken)
    dae__append(text, size, "%s to %s", first, last);
  else
    dae__append(text, size, "%s", count > 0 ? list : "nothing that can move");
}

/* Appends one line for all dependent rows of a group. */
static void names_describe_group(const dae__level *l, const char *group, const bool *active,
                                 char *text, size_t size)
{
  int all = l->G->rows + l->K->rows, rows = 0, dependent = 0;
  double *c = l->d + l->n, *most = l->terms;
  dae__zero(all, most);
  for (int i = 0; i < all; i++) {
    if (!names_same(names_group(l, i), group))
      continue;
    rows++;
    if (active[i])
      continue;
    dependent++;
    dae__level_combination(l, i, c);
    double scale = dae__max_abs(all, c);
    for (int j = 0; j < all && scale > 0; j++)
      most[j] = fmax(most[j], fabs(c[j]) / scale);
  }
  dae__append(text, size, "%s repeats %d of %d condition%s that ", group, dependent, rows,
              rows == 1 ? "" : "s");
  names_append_groups(l, most, DAE__NAMED_COEFFICIENT, group, text, size);
  dae__append(text, size, " already set; its force and torque are those of least size");
}

int dae__level_describe(const dae__level *l, int i, const bool *active, char *text, size_t size)
{
  const char *group = names_group(l, i);
  double *c = l->d + l->n;
  int all = l->G->rows + l->K->rows;
  char name[64];
  for (int j = 0; j < i && group; j++)
    if (!active[j] && names_same(names_group(l, j), group))
      return -1;
  if (group && group[0]) {
    names_describe_group(l, group, active, text, size);
    return 1;
  }
  dae__level_combination(l, i, c);
  dae__level_names list =
      dae__level_list(l, all, c, DAE__NAMED_COEFFICIENT * dae__max_abs(all, c), NULL);
  dae__append(text, size, "constraint %s depends on %s",
              l->table->name(l, l->n + i, name, sizeof name), list.text);
  return list.count;
}
