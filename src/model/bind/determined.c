/* Structural check of coordinates without kinetic energy, whose motion the constraints must
 * determine: a bipartite matching of these coordinates with constraints that contain them, by
 * augmenting paths, depth first without recursion. Without a complete matching the saddle matrix
 * [M A'; A 0], A = [G; K], is singular for all values. */
#include "model/bind/bind.h"

typedef struct matching {
  /* by coordinate: rows of G, then of K, that contain it, row[start[i]] to row[start[i + 1] - 1] */
  int *start, *row;
  int *owner;     /* by row of [G; K]: coordinate matched with it, or -1 */
  int *seen;      /* by row of [G; K]: 1 + the last coordinate whose search visited it */
  int *at, *next; /* by depth of the path: coordinate, and the next row to try */
} matching;

/* Extends the matching by a coordinate along an augmenting path; false: no path. */
static bool determined_find_row(matching *m, int coordinate)
{
  int depth = 0;
  m->at[0] = coordinate;
  m->next[0] = m->start[coordinate];
  while (depth >= 0) {
    if (m->next[depth] == m->start[m->at[depth] + 1]) {
      depth--;
      continue;
    }
    int row = m->row[m->next[depth]++];
    if (m->seen[row] == coordinate + 1)
      continue;
    m->seen[row] = coordinate + 1;
    if (m->owner[row] < 0) {
      for (; depth >= 0; depth--)
        m->owner[m->row[m->next[depth] - 1]] = m->at[depth];
      return true;
    }
    m->at[++depth] = m->owner[row];
    m->next[depth] = m->start[m->owner[row]];
  }
  return false;
}

void dae__check_determined(dae__binder *b, const dae__system *u, const dae__triplets *M,
                           const dae__triplets *G, const dae__triplets *K)
{
  dae__expander *x = b->x;
  dae__pool *pool = x->l->scratch;
  int nq = u->q.count, nc = G->rows + K->rows;
  bool *has_mass = DAE__NEW_ARRAY(pool, bool, nq);
  matching m = {.start = DAE__NEW_ARRAY(pool, int, nq + 2),
                .row = DAE__NEW_ARRAY(pool, int, G->entries.count + K->entries.count),
                .owner = DAE__NEW_ARRAY(pool, int, nc),
                .seen = DAE__NEW_ARRAY(pool, int, nc),
                .at = DAE__NEW_ARRAY(pool, int, nq + 1),
                .next = DAE__NEW_ARRAY(pool, int, nq + 1)};
  if (!dae__bind_ok(b))
    return;
  for (int i = 0; i < nc; i++)
    m.owner[i] = -1;
  /* Counting sort of the entries of G and K by column. */
  const dae__triplets *const matrix[] = {G, K};
  int *end = m.start + 1;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < matrix[k]->entries.count; i++)
      end[matrix[k]->entries.item[i].col + 1]++;
  for (int j = 0; j < nq; j++)
    end[j + 1] += end[j];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < matrix[k]->entries.count; i++) {
      const dae__triplet *e = &matrix[k]->entries.item[i];
      m.row[end[e->col]++] = e->row + (k ? G->rows : 0);
    }
  for (int i = 0; i < M->entries.count; i++)
    has_mass[M->entries.item[i].row] = true;
  for (int j = 0; j < u->q.count && !x->l->status; j++) {
    if (has_mass[j] || determined_find_row(&m, j))
      continue;
    int leaf = u->q.item[j], symbol = x->leaves.item[leaf].symbol;
    if (symbol >= 0 && x->symbols.item[symbol].kind == DAE__STATEMENT_BODY)
      dae__load_fail(x->l, dae__declared_at(x, leaf),
                     "the motion of body %s is not determined: it has no %s, and no joint that "
                     "holds it (coordinate %s)",
                     x->symbols.item[symbol].d->name,
                     strpbrk(strrchr(dae__leaf_name(x, leaf), '.'), "ea") ? "inertia" : "mass",
                     dae__leaf_name(x, leaf));
    dae__load_fail(
        x->l, dae__declared_at(x, leaf),
        "the motion of %s is not determined: it has no kinetic energy, and no constraint of its "
        "own; give it mass, or declare it as a state or algebraic variable",
        dae__leaf_name(x, leaf));
  }
}
