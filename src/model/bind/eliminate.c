/* Elimination L D L' of [M A'; A 0] as expressions, so that entries that are zero, constant or
 * shared cost nothing at run time.
 *
 * Order of pivots: coordinates, then rows, each by minimum degree. The pivots of rows are those of
 * the Schur complement A M^-1 A', which is definite where M is and the rows are independent, so
 * that no pivot on the diagonal needs an exchange; small ones show in `growth`.
 *
 * M may be singular in a block of coordinates that it couples, as that of a thin rod that turns
 * about its axis: rows A_i that hold such motions are added to M,
 *
 *   (M + c A_i'A_i) x + A'y = a,   A x = b   has the same x, and y_i smaller by c b_i.
 *
 * Whether a block is singular is tested by its values at a point in general position. */
#include "model/bind/eliminate.h"
#include <float.h>
#include <math.h>

/* Pivot of a block of M, relative to the diagonal entry, below which the block is singular. */
#define SINGULAR_PIVOT 1e-9
#define NULL_ITERATIONS 3 /* number of inverse iterations of a null vector */
/* Part of a row along the null vector of a block, relative to the row, above which it is added;
 * chosen, not measured. */
#define ALONG_NULL_VECTOR 1e-3
/* Largest number of unknowns, by the memory of the matrix of expressions: a megabyte. */
#define SIZE_MAX_UNKNOWNS 500

/* Place of an entry in the lower triangle of a matrix by rows. */
static size_t eliminate_place(const dae__elimination *e, int i, int j)
{
  return i > j ? (size_t)i * (size_t)e->size + (size_t)j : (size_t)j * (size_t)e->size + (size_t)i;
}

#define AT(matrix, i, j) (matrix)[eliminate_place(e, (i), (j))]

static void eliminate_fill(dae__elimination *e, const dae__triplets *m, int first)
{
  for (int k = 0; k < m->entries.count; k++) {
    const dae__triplet *t = &m->entries.item[k];
    if (first > 0 || t->row >= t->col)
      AT(e->K, first + t->row, t->col) = t->node;
  }
}

/* ---- singular blocks of M ---- */

/* Values of all entries of K at a point in general position, by rows. */
static double *eliminate_values(const dae__elimination *e)
{
  const dae__graph *graph = e->b->x->graph;
  dae__walker *walker = e->b->x->walker;
  dae__pool *pool = e->b->x->l->scratch;
  int entries = e->size * e->size;
  double *value = DAE__NEW_ARRAY(pool, double, entries);
  if (!value || !dae__walk_below(walker, entries, e->K, DAE__WALK_ALL))
    return NULL;
  double *of = DAE__NEW_ARRAY(pool, double, walker->visit.count);
  for (int i = 0; of && i < walker->visit.count; i++) {
    const dae__entry *entry = &graph->entry[walker->visit.item[i].node];
    dae__node operand[3];
    double x[3] = {0, 0, 0};
    int count = dae__entry_operands(entry, operand);
    for (int k = 0; k < count; k++)
      x[k] = of[dae__slot_of(walker, operand[k])];
    if (entry->op == DAE__OP_CONSTANT)
      of[i] = dae__entry_value(entry);
    else if (entry->op == DAE__OP_LEAF)
      of[i] = 0.3 + 0.6 * fmod(entry->a * 0.6180339887498949, 1); /* equidistributed */
    else
      of[i] = dae__op_value_with(graph->curves.item, (dae__op)entry->op,
                                 dae__op_has_word(entry->op) ? dae__entry_word(entry) : 0, x);
  }
  for (int i = 0; of && i < entries; i++)
    value[i] = of[dae__slot_of(walker, e->K[i])];
  return of ? value : NULL;
}

/* Numbers the blocks of coordinates that M couples: block[j] is the first coordinate of that of j.
 */
static void eliminate_find_blocks(const dae__elimination *e, int *block)
{
  for (int i = 0; i < e->n; i++)
    block[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < e->n; i++)
      for (int j = 0; j < i; j++)
        if (AT(e->K, i, j) != DAE__ZERO && block[i] != block[j]) {
          block[i] = block[j] = block[i] < block[j] ? block[i] : block[j];
          changed = true;
        }
  }
}

/* Values of the matrix at a point in general position, and the blocks of M. */
typedef struct blocks {
  double *value; /* by rows */
  int *of;       /* by coordinate: first coordinate of its block */
  /* the current block: its coordinates, its factors by rows, and its null vector by coordinate, 0
   * for coordinates of other blocks */
  int count, *member;
  double *D, *null;
} blocks;

/* Factors the values of block `first` of M, with a shift of the diagonal relative to it; false: it
 * is singular, or not finite. */
static bool eliminate_factor_block(const dae__elimination *e, blocks *b, int first, double shift)
{
  double *D = b->D;
  bool regular = true;
  b->count = 0;
  for (int i = first; i < e->n; i++)
    if (b->of[i] == first)
      b->member[b->count++] = i;
  int n = b->count;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      D[i * n + j] = AT(b->value, b->member[i], b->member[j]) * (i == j ? 1 + shift : 1);
  for (int p = 0; p < n; p++) {
    double d = D[p * n + p], whole = AT(b->value, b->member[p], b->member[p]);
    regular = regular && d > SINGULAR_PIVOT * whole && isfinite(d);
    for (int i = p + 1; i < n; i++)
      for (int j = p + 1; j <= i; j++)
        D[i * n + j] -= D[i * n + p] * D[j * n + p] / d;
  }
  return regular;
}

/* Sets the null vector of the singular block `first` by inverse iteration. */
static void eliminate_find_null(const dae__elimination *e, blocks *b, int first)
{
  eliminate_factor_block(e, b, first, sqrt(DBL_EPSILON));
  int n = b->count;
  double *D = b->D, *x = D + (size_t)n * (size_t)n;
  for (int i = 0; i < n; i++)
    x[i] = cos(1 + i * i);
  for (int k = 0; k < NULL_ITERATIONS; k++) {
    double size = 0;
    for (int p = 0; p < n; p++) /* x = L\x */
      for (int i = p + 1; i < n; i++)
        x[i] -= D[i * n + p] / D[p * n + p] * x[p];
    for (int p = n - 1; p >= 0; p--) { /* x = L'\(D\x) */
      x[p] /= D[p * n + p];
      for (int i = p + 1; i < n; i++)
        x[p] -= D[i * n + p] / D[p * n + p] * x[i];
    }
    for (int i = 0; i < n; i++)
      size = fmax(size, fabs(x[i]));
    for (int i = 0; i < n; i++)
      x[i] /= size;
  }
  for (int i = 0; i < e->n; i++)
    b->null[i] = 0;
  for (int i = 0; i < n; i++)
    b->null[b->member[i]] = x[i];
}

/* Whether row i holds the motion along the null vector of block `first`; within: only rows of no
 * other block do. */
static bool eliminate_holds(const dae__elimination *e, const blocks *b, int i, int first,
                            bool within)
{
  double along = 0, size = 0;
  for (int j = 0; j < e->n; j++) {
    double a = AT(b->value, e->n + i, j);
    if (within && b->of[j] != first && AT(e->K, e->n + i, j) != DAE__ZERO)
      return false;
    along += a * b->null[j];
    size += fabs(a * b->null[j]) + fabs(a) * ALONG_NULL_VECTOR * (b->of[j] == first);
  }
  return fabs(along) > ALONG_NULL_VECTOR * size;
}

/* Adds c A_i'A_i to M and to its values, c such that both have the same trace in the coordinates of
 * the row. */
static void eliminate_add_row(dae__elimination *e, const blocks *b, int i)
{
  dae__graph *graph = e->b->x->graph;
  double mass = 0, length = 0;
  int row = e->n + i, exponent;
  for (int j = 0; j < e->n; j++)
    if (AT(e->K, row, j) != DAE__ZERO) {
      length += AT(b->value, row, j) * AT(b->value, row, j);
      mass += AT(b->value, j, j);
    }
  double c = mass / length;
  if (!(c > 0 && isfinite(c)) || e->added[i] != 0)
    return;
  frexp(c, &exponent);
  e->added[i] = c = ldexp(1, exponent); /* a power of two: no further rounding */
  for (int j = 0; j < e->n; j++)
    for (int k = 0; k <= j; k++) {
      dae__node x = AT(e->K, row, j), y = AT(e->K, row, k), *to = &AT(e->K, j, k);
      dae__node term = DAE__MUL(graph, DAE__MUL(graph, dae__constant(graph, c), x), y);
      *to = DAE__ADD(graph, *to, term);
      AT(b->value, j, k) += c * AT(b->value, row, j) * AT(b->value, row, k);
    }
}

/* Adds rows to the singular block `first`, those of no other block if they suffice; false: it stays
 * singular. */
static bool eliminate_regularise_block(dae__elimination *e, blocks *b, int first)
{
  bool regular = false;
  for (int within = 1; within >= 0 && !regular; within--) {
    eliminate_find_null(e, b, first);
    for (int i = 0; i < e->m; i++)
      if (eliminate_holds(e, b, i, first, within))
        eliminate_add_row(e, b, i);
    eliminate_find_blocks(e, b->of);
    regular = eliminate_factor_block(e, b, b->of[first], 0);
  }
  return regular;
}

/* Adds rows to the singular blocks of M; false: a block stays singular. */
static bool eliminate_regularise(dae__elimination *e)
{
  dae__pool *pool = e->b->x->l->scratch;
  blocks b = {.value = eliminate_values(e),
              .of = DAE__NEW_ARRAY(pool, int, e->n),
              .member = DAE__NEW_ARRAY(pool, int, e->n),
              .D = DAE__NEW_ARRAY(pool, double, e->n *(e->n + 1)),
              .null = DAE__NEW_ARRAY(pool, double, e->n)};
  if (!dae__load_ok(e->b->x->l) || !b.value)
    return false;
  eliminate_find_blocks(e, b.of);
  for (int first = 0; first < e->n; first++)
    if (b.of[first] == first && !eliminate_factor_block(e, &b, first, 0) &&
        !eliminate_regularise_block(e, &b, first))
      return false;
  return true;
}

/* ---- order of the pivots ---- */

/* Selects the order by minimum degree; false: more products than the limit. */
static bool eliminate_select_order(dae__elimination *e, long products)
{
  dae__pool *pool = e->b->x->l->scratch;
  int size = e->size;
  bool *joined = DAE__NEW_ARRAY(pool, bool, size *size), *done = DAE__NEW_ARRAY(pool, bool, size);
  int *degree = DAE__NEW_ARRAY(pool, int, size), *of = DAE__NEW_ARRAY(pool, int, size);
  if (!dae__load_ok(e->b->x->l))
    return false;
  for (int i = 0; i < size; i++)
    for (int j = 0; j < i; j++)
      if (AT(e->K, i, j) != DAE__ZERO)
        AT(joined, i, j) = true, degree[i]++, degree[j]++;
  for (int k = 0; k < size; k++) {
    int first = k < e->n ? 0 : e->n, end = k < e->n ? e->n : size, p = -1, count = 0;
    for (int i = first; i < end; i++)
      if (!done[i] && (p < 0 || degree[i] < degree[p]))
        p = i;
    e->order[k] = p;
    done[p] = true;
    for (int i = 0; i < size; i++)
      if (!done[i] && AT(joined, i, p))
        of[count++] = i, degree[i]--;
    e->below[p] = DAE__NEW_ARRAY(pool, int, count + 1);
    if (!e->below[p])
      return false;
    memcpy(e->below[p], of, (size_t)count * sizeof *of);
    e->count[p] = count;
    products -= (long)count * (count + 1) / 2;
    if (products < 0)
      return false;
    for (int i = 0; i < count; i++)
      for (int j = 0; j < i; j++)
        if (!AT(joined, of[i], of[j]))
          AT(joined, of[i], of[j]) = true, degree[of[i]]++, degree[of[j]]++;
  }
  return true;
}

/* ---- elimination ---- */

dae__node dae__reciprocal(dae__graph *graph, dae__node a)
{
  double value;
  if (dae__is_constant(graph, a, &value))
    return dae__constant(graph, 1 / value);
  if (graph->entry[a].op == DAE__OP_NEG)
    return DAE__NEG(graph, dae__reciprocal(graph, graph->entry[a].a));
  return dae__intern(graph, (dae__entry){DAE__OP_POWI, a, -1, 0});
}

/* Adds (reference / pivot)^2 to the growth. */
static void eliminate_test_pivot(dae__elimination *e, int p, dae__node reference)
{
  dae__graph *graph = e->b->x->graph;
  if (reference != AT(e->K, p, p))
    e->growth =
        DAE__ADD(graph, e->growth, dae__powi(graph, DAE__MUL(graph, reference, e->r[p]), 2));
}

/* Eliminates pivot k of the order; false: it is zero. */
static bool eliminate_pivot(dae__elimination *e, int k)
{
  dae__graph *graph = e->b->x->graph;
  int p = e->order[k];
  dae__node d = AT(e->K, p, p);
  double value;
  if (dae__is_constant(graph, d, &value) && !(isfinite(1 / value) && value != 0))
    return false;
  e->r[p] = dae__reciprocal(graph, d);
  const int *row = e->below[p];
  for (int i = 0; i < e->count[p]; i++)
    AT(e->L, row[i], p) = DAE__MUL(graph, AT(e->K, row[i], p), e->r[p]);
  for (int i = 0; i < e->count[p]; i++)
    for (int j = 0; j <= i; j++) {
      dae__node *to = &AT(e->K, row[i], row[j]);
      *to = DAE__SUB(graph, *to, DAE__MUL(graph, AT(e->L, row[i], p), AT(e->K, row[j], p)));
    }
  return true;
}

bool dae__eliminate(dae__binder *b, const dae__triplets *M, const dae__triplets *G,
                    const dae__triplets *K, long products, dae__elimination *out)
{
  dae__pool *pool = b->x->l->scratch;
  dae__elimination *e = out;
  int n = M->cols, m = G->rows + K->rows, size = n + m;
  *e = (dae__elimination){.b = b, .n = n, .m = m, .size = size, .growth = DAE__ZERO};
  if (n == 0 || size > SIZE_MAX_UNKNOWNS)
    return false;
  e->order = DAE__NEW_ARRAY(pool, int, size);
  e->count = DAE__NEW_ARRAY(pool, int, size);
  e->below = DAE__NEW_ARRAY(pool, int *, size);
  e->K = DAE__NEW_ARRAY(pool, dae__node, size * size);
  e->L = DAE__NEW_ARRAY(pool, dae__node, size * size);
  e->r = DAE__NEW_ARRAY(pool, dae__node, size);
  e->added = DAE__NEW_ARRAY(pool, double, m);
  dae__node *reference = DAE__NEW_ARRAY(pool, dae__node, size);
  if (!dae__load_ok(b->x->l))
    return false;
  eliminate_fill(e, M, 0);
  eliminate_fill(e, G, n);
  eliminate_fill(e, K, n + G->rows);
  if (!eliminate_regularise(e) || !eliminate_select_order(e, products))
    return false;
  for (int k = 0; k < size; k++) {
    for (int i = 0; i < size && (k == 0 || k == n); i++) /* M, and the Schur complement */
      reference[i] = AT(e->K, i, i);
    if (!eliminate_pivot(e, k))
      return false;
    eliminate_test_pivot(e, e->order[k], reference[e->order[k]]);
  }
  return dae__bind_ok(b);
}

/* ---- solution ---- */

void dae__elimination_solve(const dae__elimination *e, dae__node *z)
{
  dae__graph *graph = e->b->x->graph;
  dae__node *term = DAE__NEW_ARRAY(e->b->x->l->scratch, dae__node, e->m);
  for (int i = 0; term && i < e->m; i++)
    term[i] = DAE__MUL(graph, dae__constant(graph, e->added[i]), z[e->n + i]);
  for (int k = 0; k < e->size; k++) { /* z = L\z */
    int p = e->order[k];
    const int *row = e->below[p];
    for (int i = 0; i < e->count[p]; i++)
      z[row[i]] = DAE__SUB(graph, z[row[i]], DAE__MUL(graph, AT(e->L, row[i], p), z[p]));
  }
  for (int k = e->size - 1; k >= 0; k--) { /* z = L'\(D\z) */
    int p = e->order[k];
    const int *row = e->below[p];
    z[p] = DAE__MUL(graph, z[p], e->r[p]);
    for (int i = 0; i < e->count[p]; i++)
      z[p] = DAE__SUB(graph, z[p], DAE__MUL(graph, AT(e->L, row[i], p), z[row[i]]));
  }
  for (int i = 0; term && i < e->m; i++)
    z[e->n + i] = DAE__ADD(graph, z[e->n + i], term[i]);
}
