/* Rows of closing joints that the joints of a tree meet already, such as those of the second hinge
 * of a door: as functions of the coordinates they vanish but for rounding errors, so that no method
 * could tell their rank. They become the row 0 = 0, whose multiplier is 0. A row vanishes if its
 * derivatives do at the start and at several other positions of all joints, to rounding errors of
 * lengths in the model; functions of sines and cosines that vanish there vanish everywhere. */
#include "model/space/space.h"
#include <math.h>

/* Rounding errors of a row, relative to 1 + the size of the model: far below what a joint that
 * moves has, a unit or a length, and far above the sum of some hundred roundings. */
static const double ROUNDING = 1e-12;

enum { POSITIONS = 3 };

/* Tests that the derivatives of a row vanish at the start values as they are now. */
static bool rows_vanish(dae__expander *x, const dae__gradient *d, double scale)
{
  double most = 0;
  for (int i = 0; i < d->count && !x->l->status; i++)
    most = fmax(most, fabs(dae__start_value(x, d->value[i], -1)));
  return most <= ROUNDING * scale;
}

/* Moves all joints of all trees to other positions; number 0: to the start. */
static void rows_move(dae__expander *x, double start[][DAE__RELATIVE], int number)
{
  const dae__space *space = x->space;
  for (int i = 0; i < space->relative.count; i++) {
    dae__connector *k = space->relative.item[i];
    double square = 0;
    for (int j = 0; j < DAE__RELATIVE; j++) {
      double away = fmod(0.754877666 * (4 * i + j + 1) + 0.569840296 * number, 1) - 0.5;
      k->start[j] = start[i][j] + (number > 0 ? 2 * away : 0);
      square += k->start[j] * k->start[j];
    }
    for (int j = 0; j < DAE__RELATIVE && k->kind == DAE__CONNECTOR_SPHERICAL && number > 0; j++)
      k->start[j] /= sqrt(square);
  }
  dae__start_forget(x);
}

static double rows_model_size(const dae__expander *x)
{
  double most = 0;
  for (int i = 0; i < x->space->relative.count; i++)
    for (int j = 0; j < 3; j++)
      most = fmax(most, fabs(x->space->relative.item[i]->b->position[j]));
  return 1 + most;
}

/* A row, by its constraint, with its derivatives. */
typedef struct row {
  dae__constraint *g;
  dae__gradient d;
  bool vanishes;
} row;

typedef DAE__LIST(row) rows;

/* Lists the rows of joints and rods with their derivatives, in memory that stays. */
static void rows_list(dae__expander *x, rows *out)
{
  dae__kinds kinds = {x->leaf_kind.item, DAE__LEAF_COORD};
  for (int s = 0; s < x->systems; s++) {
    dae__constraints *all = &x->instances.item[s].holonomic;
    for (int i = 0; i < all->count && dae__load_ok(x->l); i++) {
      dae__constraint *g = &all->item[i];
      bool joint = g->derived && g->group && g->group[0];
      /* a drive may ask for what no coordinate gives */
      if (!joint || dae__kinds_below(x, g->node) & ~(unsigned)DAE__LEAF_COORD)
        continue;
      dae__gradient d = dae__gradient_of(x->walker, g->node, kinds);
      dae__node *value = DAE__NEW_ARRAY(x->l->scratch, dae__node, d.count);
      for (int k = 0; value && k < d.count; k++)
        value[k] = d.value[k];
      *DAE__PUSH(x->l->scratch, out) = (row){g, {d.count, NULL, value}, value != NULL};
    }
  }
}

void dae__relative_drop_rows(dae__expander *x)
{
  const dae__space *space = x->space;
  int count = space->relative.count;
  rows all = {0};
  if (count == 0)
    return;
  double(*start)[DAE__RELATIVE] = dae__pool_alloc(x->l->scratch, (size_t)count, sizeof *start);
  rows_list(x, &all);
  if (!dae__load_ok(x->l) || all.count == 0)
    return;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < DAE__RELATIVE; j++)
      start[i][j] = space->relative.item[i]->start[j];
  double scale = rows_model_size(x);
  for (int number = 1; number <= POSITIONS + 1; number++) {
    rows_move(x, start, number % (POSITIONS + 1));
    for (int i = 0; i < all.count && !x->l->status; i++)
      all.item[i].vanishes = all.item[i].vanishes && rows_vanish(x, &all.item[i].d, scale);
  }
  for (int i = 0; i < all.count && !x->l->status; i++) {
    row *r = &all.item[i];
    if (r->vanishes && fabs(dae__start_value(x, r->g->node, r->g->place)) <= ROUNDING * scale)
      r->g->node = DAE__ZERO;
  }
}
