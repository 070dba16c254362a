/* Rates of trees of relative joints at the start. Rates that clauses of bodies give hold, as far as
 * the joints permit; all others are next to 0 in the norm of the mass matrix, as for bodies with a
 * pose of their own, whose rates v, from the given ones v0 and 0 on, are projected in this norm:
 *
 *   min sum (v - v0).M_B (v - v0)/2 = min q'.M q'/2 + b.q' + ..,   C q' = d
 *
 * for the rates q' of the coordinates of joints and roots, with the rows C of given velocities and
 * of unit Euler parameters. With orthonormal rows Q of the space of C, from a row after the other,
 * and Z square to them, q' = Q'y + Z'z, (Z M Z') z = -Z (M Q'y + b). */
#include "core/log.h"
#include "model/space/space.h"
#include <math.h>
#include <string.h>

/* Part of a row that is left beside the rows before it, relative to the row, that is a rounding
 * error; differences of given rates, relative to their size, that are worth a warning. */
static const double DEPENDENT = 1e-10, DIFFER = 1e-6;

typedef struct rates {
  dae__expander *x;
  const void *tree; /* its root, or its first joint where that is the ground */
  int n;            /* number of unknown rates */
  int *unknown;     /* by leaf: 1 + number of an unknown rate; 0: none */
  int *leaf;        /* by unknown rate: its leaf */
  double *basis;    /* rows Q, then Z, of length n */
  double *y;        /* by row of Q: its coefficient */
  int rank;         /* number of rows of Q */
  double *M, *b, *q;
} rates;

/* Tree of a joint. */
static const void *rates_tree(const dae__connector *k)
{
  while (k->a->carrier)
    k = k->a->carrier;
  return k->a->s ? (const void *)k->a : k;
}

static bool rates_has_joint(const rates *r, const dae__connector *k)
{
  return rates_tree(k) == r->tree;
}

static double rates_dot(int n, const double *a, const double *b)
{
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* ---- the unknowns ---- */

static void rates_add_unknown(rates *r, int leaf)
{
  r->leaf[r->n] = leaf;
  r->unknown[leaf] = ++r->n;
}

static bool rates_list_unknowns(rates *r)
{
  dae__expander *x = r->x;
  const dae__space *space = x->space;
  dae__pool *pool = x->l->scratch;
  int most = 7 * space->roots.count + DAE__RELATIVE * space->relative.count;
  r->leaf = DAE__NEW_ARRAY(pool, int, most);
  r->unknown = DAE__NEW_ARRAY(pool, int, x->leaves.count);
  if (!dae__load_ok(x->l))
    return false;
  for (int i = 0; i < space->roots.count; i++) {
    const dae__body *b = space->roots.item[i];
    for (int j = 0; j < 7 && b == r->tree; j++)
      if (j < 3 ? !b->velocity_given : !b->omega_given)
        rates_add_unknown(r, b->rate + j);
  }
  for (int i = 0; i < space->relative.count; i++) {
    const dae__connector *k = space->relative.item[i];
    for (int j = 0; j < DAE__RELATIVE && k->coordinate[j] && rates_has_joint(r, k); j++)
      rates_add_unknown(r, dae__rate_leaf(x, k->coordinate[j]));
  }
  size_t n = (size_t)r->n;
  r->basis = dae__pool_alloc(pool, n * n, sizeof *r->basis);
  r->M = dae__pool_alloc(pool, n * n, sizeof *r->M);
  r->y = DAE__NEW_ARRAY(pool, double, r->n);
  r->b = DAE__NEW_ARRAY(pool, double, r->n);
  r->q = DAE__NEW_ARRAY(pool, double, r->n);
  return dae__load_ok(x->l);
}

/* Derivatives of a node by rates, in memory that stays. */
static dae__gradient rates_gradient(const rates *r, dae__node node)
{
  dae__expander *x = r->x;
  dae__kinds kinds = {x->leaf_kind.item, DAE__LEAF_COORD_RATE};
  dae__gradient d = dae__gradient_of(x->walker, node, kinds);
  int *leaf = DAE__NEW_ARRAY(x->l->scratch, int, d.count);
  dae__node *value = DAE__NEW_ARRAY(x->l->scratch, dae__node, d.count);
  if (!dae__load_ok(x->l) || d.count == 0)
    return (dae__gradient){0};
  memcpy(leaf, d.leaf, (size_t)d.count * sizeof *leaf);
  memcpy(value, d.value, (size_t)d.count * sizeof *value);
  return (dae__gradient){d.count, leaf, value};
}

/* ---- rows ---- */

/* Adds a row square to those before it, if there is one. */
static void rates_add_row(rates *r, double *row, double d)
{
  double before = sqrt(rates_dot(r->n, row, row)), left;
  for (int pass = 0; pass < 2; pass++) /* the second time for what rounding left */
    for (int k = 0; k < r->rank; k++) {
      const double *Q = r->basis + (size_t)k * (size_t)r->n;
      double along = rates_dot(r->n, Q, row);
      for (int i = 0; i < r->n; i++)
        row[i] -= along * Q[i];
      d -= along * r->y[k];
    }
  left = sqrt(rates_dot(r->n, row, row));
  if (r->rank == r->n || !(left > DEPENDENT * before))
    return;
  double *Q = r->basis + (size_t)r->rank * (size_t)r->n;
  for (int i = 0; i < r->n; i++)
    Q[i] = row[i] / left;
  r->y[r->rank++] = d / left;
}

/* Adds the row that a node, linear in rates, has the value d. */
static void rates_add_node(rates *r, dae__node node, double d)
{
  dae__expander *x = r->x;
  double *row = DAE__NEW_ARRAY(x->l->scratch, double, r->n);
  dae__gradient g = rates_gradient(r, node);
  for (int i = 0; row && i < g.count && !x->l->status; i++) {
    double value = dae__start_value(x, g.value[i], -1);
    int number = r->unknown[g.leaf[i]];
    if (number > 0)
      row[number - 1] = value;
    else
      d -= value * dae__start_value(x, dae__leaf(x->graph, g.leaf[i]), -1);
  }
  if (dae__load_ok(x->l))
    rates_add_row(r, row, d);
}

/* Row e.e' = 0 of four coordinates in a row of leaves. */
static void rates_add_unit(rates *r, const int *leaf)
{
  dae__graph *g = r->x->graph;
  dae__node sum = DAE__ZERO;
  for (int i = 0; i < 4; i++)
    sum = DAE__ADD(g, sum, DAE__MUL(g, dae__leaf(g, leaf[i]), r->x->leaf_rate.item[leaf[i]]));
  rates_add_node(r, sum, 0);
}

static void rates_add_given(rates *r, const dae__body *b)
{
  dae__expander *x = r->x;
  for (int i = 0; i < 3 && b->omega_given; i++)
    rates_add_node(r, dae__relative_reduced(x, b->omega_node.at[i]), b->omega[i]);
  for (int i = 0; i < 3 && b->velocity_given; i++)
    rates_add_node(r, dae__relative_reduced(x, dae__leaf(x->graph, b->rate + i)), b->velocity[i]);
}

static void rates_add_rows(rates *r)
{
  const dae__space *space = r->x->space;
  for (int i = 0; i < space->roots.count; i++) {
    const dae__body *b = space->roots.item[i];
    const int e[4] = {b->leaf + 3, b->leaf + 4, b->leaf + 5, b->leaf + 6};
    if (!b->omega_given && b == r->tree)
      rates_add_unit(r, e);
  }
  for (int i = 0; i < space->relative.count; i++) {
    const dae__connector *k = space->relative.item[i];
    if (k->kind == DAE__CONNECTOR_SPHERICAL && rates_has_joint(r, k))
      rates_add_unit(r, k->coordinate);
  }
  for (int i = 0; i < space->relative.count; i++)
    if (rates_has_joint(r, space->relative.item[i]))
      rates_add_given(r, space->relative.item[i]->b);
}

/* ---- the norm of the mass matrix ---- */

/* Adds -F.v to b, for the velocity v of a point of a body, given in its axes, at a start with the
 * momentum F = m v0; -L.W for an angular momentum L in space. */
static void rates_add_momentum(rates *r, dae__body *b, const double *at, double m, const double *L)
{
  dae__expander *x = r->x;
  dae__graph *g = x->graph;
  double arm[3], v[3], turn[3];
  dae__turn_apply(b->turn, at, arm);
  dae__cross3(b->omega, arm, v);
  for (int i = 0; i < 3; i++)
    v[i] = m * ((b->velocity_given ? b->velocity[i] : 0) + (b->omega_given ? v[i] : 0));
  dae__cross3(arm, v, turn);
  dae__node sum = DAE__ZERO;
  for (int i = 0; i < 3; i++) {
    dae__node origin = dae__relative_reduced(x, dae__leaf(g, b->rate + i));
    dae__node turning = dae__relative_reduced(x, b->omega_node.at[i]);
    double moment = turn[i] + (L ? L[i] : 0);
    sum = DAE__ADD(g, sum, DAE__MUL(g, dae__constant(g, v[i]), origin));
    sum = DAE__ADD(g, sum, DAE__MUL(g, dae__constant(g, moment), turning));
  }
  dae__gradient d = rates_gradient(r, sum);
  for (int i = 0; i < d.count && !x->l->status; i++)
    if (r->unknown[d.leaf[i]] > 0)
      r->b[r->unknown[d.leaf[i]] - 1] -= dae__start_value(x, d.value[i], -1);
}

static void rates_add_body_momentum(rates *r, dae__body *b)
{
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  const double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]};
  double w[3], L[3] = {0};
  dae__turn_apply(back, b->omega, w);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3 && b->omega_given; j++)
      L[i] += b->inertia[at[i][j]] * w[j];
  dae__turn_apply(b->turn, L, L);
  if (b->omega_given || b->velocity_given)
    rates_add_momentum(r, b, b->centre, b->mass, L);
}

static void rates_find_momentum(rates *r)
{
  dae__expander *x = r->x;
  const dae__space *space = x->space;
  for (int i = 0; i < space->roots.count; i++)
    if (space->roots.item[i] == r->tree)
      rates_add_body_momentum(r, space->roots.item[i]);
  for (int i = 0; i < space->relative.count; i++)
    if (rates_has_joint(r, space->relative.item[i]))
      rates_add_body_momentum(r, space->relative.item[i]->b);
  for (int i = 0; i < space->masses.count && !x->l->status; i++) {
    const dae__load_point *p = &space->masses.item[i];
    double at[3];
    if (!rates_has_joint(r, p->body->carrier))
      continue;
    for (int j = 0; j < 3; j++)
      at[j] = dae__start_value(x, p->at.at[j], -1);
    rates_add_momentum(r, p->body, at, dae__start_value(x, p->mass, -1), NULL);
  }
}

static void rates_find_mass(rates *r)
{
  dae__expander *x = r->x;
  for (int s = 0; s < x->systems && !x->l->status; s++) {
    dae__gradient p = rates_gradient(r, x->instances.item[s].kinetic);
    dae__node *momentum = DAE__NEW_ARRAY(x->l->scratch, dae__node, r->n);
    for (int i = 0; momentum && i < p.count; i++)
      if (r->unknown[p.leaf[i]] > 0)
        momentum[r->unknown[p.leaf[i]] - 1] = p.value[i];
    for (int i = 0; momentum && i < r->n && !x->l->status; i++) {
      dae__gradient m = rates_gradient(r, momentum[i]);
      for (int j = 0; j < m.count && !x->l->status; j++) {
        int number = r->unknown[m.leaf[j]];
        double value = dae__start_value(x, m.value[j], -1);
        if (number > 0)
          r->M[i * r->n + number - 1] += value;
        else /* a given rate of a root */
          r->b[i] += value * dae__start_value(x, dae__leaf(x->graph, m.leaf[j]), -1);
      }
    }
  }
}

/* Solves S z = b by Cholesky's method; where a pivot vanishes, z is 0. */
static void rates_solve_definite(int n, double *S, double *b)
{
  for (int j = 0; j < n; j++) {
    double size = S[j * n + j];
    double pivot = size - rates_dot(j, S + j * n, S + j * n);
    bool none = !(pivot > 1e-13 * size);
    S[j * n + j] = none ? INFINITY : sqrt(pivot);
    for (int i = j + 1; i < n; i++)
      S[i * n + j] = (S[i * n + j] - rates_dot(j, S + i * n, S + j * n)) / S[j * n + j];
    b[j] = (b[j] - rates_dot(j, S + j * n, b)) / S[j * n + j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int i = j + 1; i < n; i++)
      b[j] -= S[i * n + j] * b[i];
    b[j] /= S[j * n + j];
  }
}

static void rates_find_free(rates *r)
{
  dae__pool *pool = r->x->l->scratch;
  int n = r->n, given = r->rank;
  for (int i = 0; i < n; i++) { /* rows Z */
    double *unit = DAE__NEW_ARRAY(pool, double, n);
    if (!unit)
      return;
    unit[i] = 1;
    rates_add_row(r, unit, 0);
  }
  int free = n - given;
  double *S = dae__pool_alloc(pool, (size_t)free * (size_t)free, sizeof *S);
  double *z = DAE__NEW_ARRAY(pool, double, free), *MZ = DAE__NEW_ARRAY(pool, double, n);
  const double *Z = r->basis + given * n;
  if (!dae__load_ok(r->x->l) || r->rank < n)
    return;
  for (int k = 0; k < free; k++) {
    for (int i = 0; i < n; i++)
      MZ[i] = rates_dot(n, r->M + i * n, Z + k * n);
    z[k] = -rates_dot(n, MZ, r->q) - rates_dot(n, r->b, Z + k * n);
    for (int l = 0; l < free; l++)
      S[k * free + l] = rates_dot(n, MZ, Z + l * n);
  }
  rates_solve_definite(free, S, z);
  for (int k = 0; k < free; k++)
    for (int i = 0; i < n; i++)
      r->q[i] += z[k] * Z[k * n + i];
}

/* ---- results ---- */

static void rates_keep(rates *r, int determined)
{
  dae__expander *x = r->x;
  const dae__space *space = x->space;
  for (int i = 0; i < space->roots.count; i++) {
    dae__body *b = space->roots.item[i];
    for (int j = 0; j < 7; j++) {
      int number = r->unknown[b->rate + j];
      if (number > 0)
        *(j < 3 ? &b->velocity[j] : &b->turn_rate[j - 3]) = r->q[number - 1];
    }
  }
  for (int i = 0; i < space->relative.count; i++) {
    dae__connector *k = space->relative.item[i];
    for (int j = 0; j < DAE__RELATIVE && k->coordinate[j] && rates_has_joint(r, k); j++) {
      int number = r->unknown[dae__rate_leaf(x, k->coordinate[j])] - 1;
      double share = 0;
      for (int l = 0; l < determined; l++)
        share += r->basis[l * r->n + number] * r->basis[l * r->n + number];
      k->start_rate[j] = r->q[number];
      k->rate_given[j] = share > 1 - DEPENDENT;
    }
  }
  dae__start_forget(x);
}

/* Warns of given rates that the joints do not permit. */
static void rates_check(dae__expander *x, const dae__body *b, bool omega)
{
  double off = 0, size = 1, now[3];
  const double *given = omega ? b->omega : b->velocity;
  for (int i = 0; i < 3; i++) {
    dae__node node = omega ? b->omega_node.at[i] : dae__leaf(x->graph, b->rate + i);
    now[i] = dae__start_value(x, dae__relative_reduced(x, node), b->s->place);
    off += fabs(now[i] - given[i]);
    size += fabs(given[i]);
  }
  if (off > DIFFER * size && !x->l->status)
    dae__log(&x->graph->env, DAE_LOG_WARNING,
             "line %d: the %s of %s does not fit its relative joint %s and the rates of the bodies "
             "before it: it starts with (%.6g, %.6g, %.6g)",
             dae__line_of(&x->l->files, b->s->place), omega ? "omega" : "velocity", b->name,
             b->carrier->name, now[0], now[1], now[2]);
}

/* Finds the rates of one tree; without given ones all are 0. */
static void rates_find_tree(dae__expander *x, const void *tree)
{
  const dae__space *space = x->space;
  rates r = {.x = x, .tree = tree};
  bool given = false;
  for (int i = 0; i < space->roots.count && !x->l->status; i++) {
    dae__body *b = space->roots.item[i];
    dae__body_find_rates(x, b);
    given = given || (b == tree && (b->omega_given || b->velocity_given));
  }
  for (int i = 0; i < space->relative.count; i++) {
    const dae__connector *k = space->relative.item[i];
    given = given || (rates_has_joint(&r, k) && (k->b->omega_given || k->b->velocity_given));
  }
  if (!given || !rates_list_unknowns(&r))
    return;
  rates_add_rows(&r);
  int determined = r.rank;
  for (int k = 0; k < determined; k++)
    for (int i = 0; i < r.n; i++)
      r.q[i] += r.y[k] * r.basis[k * r.n + i];
  rates_find_momentum(&r);
  rates_find_mass(&r);
  if (dae__load_ok(x->l))
    rates_find_free(&r);
  if (dae__load_ok(x->l))
    rates_keep(&r, determined);
}

void dae__relative_find_rates(dae__expander *x)
{
  const dae__space *space = x->space;
  for (int i = 0; i < space->relative.count && !x->l->status; i++) {
    const dae__connector *k = space->relative.item[i];
    if (k->depth == 1 && (!k->a->s || k->first))
      rates_find_tree(x, rates_tree(k));
  }
  for (int i = 0; i < space->relative.count && !x->l->status; i++) {
    const dae__body *b = space->relative.item[i]->b;
    if (b->omega_given)
      rates_check(x, b, true);
    if (b->velocity_given)
      rates_check(x, b, false);
  }
}
