/* Accelerations and multipliers by elimination of the saddle system as expressions,
 *
 *   [ M  A' ] [ v'           ]   [  f              ]
 *   [ A  0  ] [ (lambda,psi) ] = [ -(gamma, kappa) ],   A = [G; K],
 *
 * and the projection of a point near its constraints with the same factors:
 *
 *   q1 = q - x,   M x + A'y = 0,   A x = (g, 0)
 *   v1 = v - x,   M x + A'y = 0,   A x = (gdot, k) at q1
 *
 * M, f, G, gamma share their subexpressions with the elimination. */
#include "model/bind/accelerations.h"
#include "model/bind/eliminate.h"

/* Largest number of products of the elimination: larger systems are solved by sparse factorisation.
 */
#define PRODUCTS_MAX 20000

typedef struct accelerations {
  dae__binder *b;
  const dae__system *u;
  const dae__mechanical_nodes *of;
  dae__elimination e;
  int ng;
  dae__node *z;              /* accelerations and multipliers */
  dae__node *q1, *v1;        /* projected q and v */
  dae__node *pivots, *sizes; /* by row: those of dae_mechanical_motion */
  dae__node *rest,
      *terms; /* by row: residual A v' + (gamma, kappa), sum of the sizes of its terms */
} accelerations;

static dae__node *accelerations_vector(const accelerations *a, int count)
{
  return DAE__NEW_ARRAY(a->b->x->l->scratch, dae__node, count); /* every node is DAE__ZERO */
}

/* Solution for the right sides `top` (NULL: 0) and (G part, K part) (NULL: 0). */
static dae__node *accelerations_solve(const accelerations *a, const dae__nodes *top,
                                      const dae__node *g, const dae__node *k)
{
  const dae__elimination *e = &a->e;
  dae__node *z = accelerations_vector(a, e->size);
  for (int i = 0; z && i < e->size; i++) {
    int row = i - e->n;
    if (row < 0)
      z[i] = top ? top->item[i] : DAE__ZERO;
    else if (row < a->ng)
      z[i] = g ? g[row] : DAE__ZERO;
    else
      z[i] = k ? k[row - a->ng] : DAE__ZERO;
  }
  if (z)
    dae__elimination_solve(e, z);
  return z;
}

static dae__node *accelerations_negative(const accelerations *a, const dae__nodes *of)
{
  dae__node *to = accelerations_vector(a, of->count);
  for (int i = 0; to && i < of->count; i++)
    to[i] = DAE__NEG(a->b->x->graph, of->item[i]);
  return to;
}

/* Nodes `of` with q replaced by q1. */
static dae__node *accelerations_at(const accelerations *a, const dae__nodes *of,
                                   const dae__node *q1)
{
  dae__binder *b = a->b;
  dae__node *to = accelerations_vector(a, of->count);
  for (int i = 0; i < a->e.n; i++)
    b->by[a->u->q.item[i]] = q1[i];
  for (int i = 0; to && i < of->count; i++)
    to[i] = dae__replace_leaves(b->x->walker, of->item[i], b->by);
  for (int i = 0; i < a->e.n; i++)
    b->by[a->u->q.item[i]] = -1;
  return to;
}

static bool accelerations_project(accelerations *a)
{
  dae__binder *b = a->b;
  dae__graph *graph = b->x->graph;
  int n = a->e.n;
  dae__node *q1 = a->q1 = accelerations_solve(a, NULL, a->of->g->item, NULL);
  for (int i = 0; q1 && i < n; i++)
    q1[i] = DAE__SUB(graph, dae__leaf(graph, a->u->q.item[i]), q1[i]);
  dae__node *gdot = q1 ? accelerations_at(a, a->of->gdot, q1) : NULL;
  dae__node *k = gdot ? accelerations_at(a, a->of->k, q1) : NULL;
  dae__node *v1 = a->v1 = k ? accelerations_solve(a, NULL, gdot, k) : NULL;
  for (int i = 0; v1 && i < n; i++)
    v1[i] = DAE__SUB(graph, b->x->leaf_rate.item[a->u->q.item[i]], v1[i]);
  return v1 && dae__bind_ok(b);
}

/* Pivots of the rows in the Schur complement A M^-1 A', and sum_j A_ij^2 / M_jj of each row. */
static void accelerations_measure_rows(accelerations *a, dae__node *inverse)
{
  dae__graph *graph = a->b->x->graph;
  const dae__elimination *e = &a->e;
  dae__node one = dae__constant(graph, 1);
  for (int i = 0; i < e->n; i++)
    inverse[i] = one;
  for (int i = 0; i < a->of->M->entries.count; i++) {
    const dae__triplet *t = &a->of->M->entries.item[i];
    if (t->row == t->col)
      inverse[t->row] = dae__reciprocal(graph, t->node);
  }
  const dae__triplets *A[] = {a->of->G, a->of->K};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < A[k]->entries.count; i++) {
      const dae__triplet *t = &A[k]->entries.item[i];
      dae__node *to = &a->sizes[k * a->ng + t->row];
      *to = DAE__ADD(graph, *to, DAE__MUL(graph, dae__powi(graph, t->node, 2), inverse[t->col]));
    }
  for (int i = 0; i < e->m; i++)
    a->pivots[i] = DAE__NEG(graph, e->K[(size_t)(e->n + i) * (size_t)e->size + (size_t)(e->n + i)]);
}

/* Sizes of the terms of v', |v_j'| + |f_j / M_jj|: v' is the difference of f / M and constraint
 * forces. */
static void accelerations_measure_terms(const accelerations *a, dae__node *large)
{
  dae__graph *graph = a->b->x->graph;
  for (int j = 0; j < a->e.n; j++)
    large[j] = dae__unary(graph, DAE__OP_ABS, a->z[j]);
  for (int i = 0; i < a->of->M->entries.count; i++) {
    const dae__triplet *t = &a->of->M->entries.item[i];
    dae__node *to = &large[t->row], f = a->of->f->item[t->row];
    if (t->row == t->col)
      *to = DAE__ADD(graph, *to, dae__unary(graph, DAE__OP_ABS, DAE__DIV(graph, f, t->node)));
  }
}

/* Residual A v' + (gamma, kappa) and the sum of the sizes of its terms. */
static void accelerations_form_residual(accelerations *a, const dae__node *large)
{
  dae__graph *graph = a->b->x->graph;
  const dae__nodes *known[] = {a->of->gamma, a->of->kappa};
  const dae__triplets *A[] = {a->of->G, a->of->K};
  for (int k = 0; k < 2; k++) {
    dae__node *r = a->rest + k * a->ng, *s = a->terms + k * a->ng;
    for (int i = 0; i < A[k]->entries.count; i++) {
      const dae__triplet *t = &A[k]->entries.item[i];
      dae__node size = dae__unary(graph, DAE__OP_ABS, t->node);
      r[t->row] = DAE__ADD(graph, r[t->row], DAE__MUL(graph, t->node, a->z[t->col]));
      s[t->row] = DAE__ADD(graph, s[t->row], DAE__MUL(graph, size, large[t->col]));
    }
    for (int i = 0; i < known[k]->count; i++) {
      r[i] = DAE__ADD(graph, r[i], known[k]->item[i]);
      s[i] = DAE__ADD(graph, s[i], dae__unary(graph, DAE__OP_ABS, known[k]->item[i]));
    }
  }
}

/* ---- tapes ---- */

static void accelerations_put(const accelerations *a, dae__outputs *out, int group, int first,
                              int count, const dae__node *nodes)
{
  for (int i = 0; i < count; i++)
    *DAE__PUSH(a->b->x->l->scratch, out) = (dae__tape_output){group, first + i, nodes[i]};
}

/* Sum of 0 x over nodes x: 0, or NaN where one is not finite. Made without simplification. */
static dae__node accelerations_finite(const accelerations *a, dae__node sum, int count,
                                      const dae__node *nodes)
{
  dae__graph *graph = a->b->x->graph;
  for (int i = 0; i < count; i++)
    if (graph->entry[nodes[i]].op != DAE__OP_CONSTANT)
      sum = DAE__ADD(graph, sum,
                     dae__intern(graph, (dae__entry){DAE__OP_MUL, DAE__ZERO, nodes[i], 0}));
  return sum;
}

/* Rates with the given velocities, multipliers and growth. */
static void accelerations_put_motion(const accelerations *a, dae__outputs *out, const dae__node *v)
{
  int n = a->e.n;
  const dae__nodes *s = a->of->s;
  dae__node growth = accelerations_finite(a, a->e.growth, n, a->z);
  growth = accelerations_finite(a, growth, s->count, s->item);
  if (a->q1) {
    growth = accelerations_finite(a, growth, n, a->q1);
    growth = accelerations_finite(a, growth, n, a->v1);
  }
  accelerations_put(a, out, DAE__MOTION_RATES, 0, n, v);
  accelerations_put(a, out, DAE__MOTION_RATES, n, n, a->z);
  accelerations_put(a, out, DAE__MOTION_RATES, 2 * n, s->count, s->item);
  accelerations_put(a, out, DAE__MOTION_MULTIPLIERS, 0, a->e.m, a->z + n);
  accelerations_put(a, out, DAE__MOTION_GROWTH, 0, 1, &growth);
}

static dae__tape *accelerations_tape_motion(const accelerations *a)
{
  dae__outputs out = {0};
  dae__node *v = accelerations_vector(a, a->e.n);
  for (int i = 0; v && i < a->e.n; i++)
    v[i] = a->b->x->leaf_rate.item[a->u->q.item[i]];
  if (v)
    accelerations_put_motion(a, &out, v);
  return dae__bind_tape(a->b, "accelerations", &out, DAE__MOTION_GROUPS_PLAIN, NULL);
}

static dae__tape *accelerations_tape_projection(accelerations *a)
{
  dae__outputs out = {0};
  int m = a->e.m;
  dae__node *scratch[] = {accelerations_vector(a, a->e.n), accelerations_vector(a, a->e.n)};
  a->pivots = accelerations_vector(a, m);
  a->sizes = accelerations_vector(a, m);
  a->rest = accelerations_vector(a, m);
  a->terms = accelerations_vector(a, m);
  if (!accelerations_project(a))
    return NULL;
  accelerations_measure_rows(a, scratch[0]);
  accelerations_measure_terms(a, scratch[1]);
  accelerations_form_residual(a, scratch[1]);
  accelerations_put_motion(a, &out, a->v1);
  accelerations_put(a, &out, DAE__MOTION_Q, 0, a->e.n, a->q1);
  accelerations_put(a, &out, DAE__MOTION_V, 0, a->e.n, a->v1);
  const dae__node *by_row[] = {a->pivots, a->sizes, a->rest, a->terms};
  for (int i = 0; i < 4; i++)
    accelerations_put(a, &out, DAE__MOTION_PIVOTS + i, 0, m, by_row[i]);
  return dae__bind_tape(a->b, "accelerations and projection", &out, DAE__MOTION_GROUPS, NULL);
}

/* Marks the last tape as frequent. */
static dae__tape *accelerations_mark(dae__binder *b, dae__tape *tape)
{
  if (tape)
    b->tapes->notes.item[b->tapes->notes.count - 1].frequent = true;
  return tape;
}

void dae__bind_accelerations(dae__binder *b, const dae__system *u, const dae__mechanical_nodes *of,
                             dae__mechanical_tapes *m)
{
  accelerations *a = DAE__NEW(b->x->l->scratch, accelerations);
  if (!a)
    return;
  *a = (accelerations){.b = b, .u = u, .of = of, .ng = of->G->rows};
  if (!dae__eliminate(b, of->M, of->G, of->K, PRODUCTS_MAX, &a->e))
    return;
  m->rows = a->e.m;
  DAE__VECTORS(b->arena, m->rows, &m->residual, &m->summand);
  const dae__node *gamma = accelerations_negative(a, of->gamma);
  a->z = accelerations_solve(a, of->f, gamma, accelerations_negative(a, of->kappa));
  if (!dae__bind_ok(b))
    return;
  m->accelerate = accelerations_mark(b, accelerations_tape_motion(a));
  if (m->rows > 0)
    m->project = accelerations_mark(b, accelerations_tape_projection(a));
}
