/* Coordinates without kinetic energy: the constraints must determine their motion.
 *
 * Such a coordinate needs a constraint of its own. A matching of these coordinates with the
 * constraints that hold them is looked for by augmenting paths, depth first without recursion;
 * where there is none the saddle matrix [M G'; G 0] is singular whatever the values are. */
#include "model/bind/bind.h"

typedef struct matching {
  int *start, *row; /* constraint rows, of g and then of k, that hold each coordinate */
  int *owner;       /* by row: the coordinate that has it, or -1 */
  int *seen;        /* by row: the last coordinate whose search came by */
  int *at, *next;   /* the path: coordinates, and the rows to try next */
} matching;

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

/* start and row out of G and K */
static void determined_list_rows(const dae__triplets *const *m, int nq, matching *out)
{
  int *end = out->start + 1;
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < m[k]->entries.count; i++)
      end[m[k]->entries.item[i].col + 1]++;
  for (int j = 0; j < nq; j++)
    end[j + 1] += end[j];
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < m[k]->entries.count; i++) {
      const dae__triplet *e = &m[k]->entries.item[i];
      out->row[end[e->col]++] = e->row + (k ? m[0]->rows : 0);
    }
}

static bool determined_prepare(dae__binder *b, int nq, const dae__triplets *G,
                               const dae__triplets *K, matching *m)
{
  dae__pool *pool = b->x->l->scratch;
  int nc = G->rows + K->rows;
  m->start = DAE__NEW_ARRAY(pool, int, nq + 2);
  m->row = DAE__NEW_ARRAY(pool, int, G->entries.count + K->entries.count);
  m->owner = DAE__NEW_ARRAY(pool, int, nc);
  m->seen = DAE__NEW_ARRAY(pool, int, nc);
  m->at = DAE__NEW_ARRAY(pool, int, nq + 1);
  m->next = DAE__NEW_ARRAY(pool, int, nq + 1);
  if (!dae__bind_ok(b))
    return false;
  for (int i = 0; i < nc; i++)
    m->owner[i] = -1;
  determined_list_rows((const dae__triplets *const[]){G, K}, nq, m);
  return true;
}

void dae__check_determined(dae__binder *b, const dae__unit *u, const dae__triplets *M,
                           const dae__triplets *G, const dae__triplets *K)
{
  dae__expander *x = b->x;
  matching m;
  bool *has_mass = DAE__NEW_ARRAY(x->l->scratch, bool, u->q.count);
  if (!determined_prepare(b, u->q.count, G, K, &m))
    return;
  for (int i = 0; i < M->entries.count; i++)
    has_mass[M->entries.item[i].row] = true;
  for (int j = 0; j < u->q.count && !x->l->status; j++) {
    if (has_mass[j] || determined_find_row(&m, j))
      continue;
    int leaf = u->q.item[j];
    dae__complain(
        x->l, x->symbols.item[x->leaves.item[leaf].symbol].d->place,
        "nothing determines the motion of %s: it has no kinetic energy, and no constraint "
        "of its own; give it mass, or make it a state or algebraic variable",
        dae__leaf_name(x, leaf));
  }
}
