/* Bodies: their coordinates, the nodes of their pose, energies and constraint.
 *
 * In space: coordinates x y z e0 e1 e2 e3, with w the angular velocity in the axes of the body,
 *
 *   T = m |c'|^2 / 2 + w.J w / 2 + 2 Jr (e.e')^2,   c = pos + R centre,   0 = e.e - 1
 *
 * The last term of T makes the mass matrix regular, and is zero, with its forces, wherever e.e = 1.
 * In the plane: coordinates x y angle, T = m |c'|^2 / 2 + J angle'^2 / 2. */
#include "model/space/space.h"
#include <string.h>

dae__body *dae__ground(dae__expander *x)
{
  return &x->space->ground[0];
}

bool dae__body_is_plane(const dae__context *c, const dae__statement *s)
{
  const dae__clause *at = dae__clause_of(s, "at"), *rod = dae__clause_of(s, "rod");
  const dae__clause *box = dae__clause_of(s, "box"), *v = dae__clause_of(s, "velocity");
  if (dae__clause_of(s, "plane"))
    return true;
  if (at || rod)
    return dae__size_of(c, at ? at->a : rod->a) == 2;
  return (box && dae__size_of(c, box->a) == 2) || (v && dae__size_of(c, v->a) == 2);
}

void dae__bodies_create(dae__expander *x, int symbol, int instance, dae__elements *e)
{
  e->body = DAE__NEW_ARRAY(x->l->scratch, dae__body, e->count);
  for (int i = 0; e->body && i < e->count; i++) {
    dae__body *b = &e->body[i];
    b->s = x->symbols.item[symbol].statement;
    b->symbol = symbol;
    b->instance = instance;
    b->element = i;
    b->plane = e->width == 3;
    b->leaf = x->leaves.count + i * e->width;
    b->rate = b->leaf + e->count * e->width;
    const char *first = dae__element_name(x, symbol, instance, i * e->width);
    if (first)
      b->name = dae__pool_text(x->l->keep, first, strlen(first) - strlen(".x"));
  }
}

dae__body *dae__body_of_leaf(dae__expander *x, int leaf, int *component)
{
  dae__leaf_info info = x->leaves.item[leaf];
  const dae__elements *e = dae__elements_slot(x, info.symbol, info.instance);
  *component = info.element % e->width;
  return &e->body[info.element / e->width];
}

dae__context dae__body_context(dae__expander *x, const dae__body *b, dae__local *frame, int *index)
{
  return dae__element_context(x, b->symbol, b->instance, b->element, frame, index);
}

/* ---- nodes ---- */

dae__value dae__euler_product(dae__graph *g, dae__node a0, dae__value a, dae__node b0, dae__value b,
                              dae__node *scalar)
{
  *scalar = DAE__SUB(g, DAE__MUL(g, a0, b0), dae__vector_dot(g, a, b));
  return dae__vector_add(
      g, dae__vector_add(g, dae__vector_scale(g, a0, b), dae__vector_scale(g, b0, a)),
      dae__vector_cross(g, a, b));
}

/* 2 (a b + c d), or 2 (a b - c d). */
static dae__node body_twice(dae__graph *g, dae__node ab, dae__node cd, bool minus)
{
  return DAE__MUL(g, dae__constant(g, 2), minus ? DAE__SUB(g, ab, cd) : DAE__ADD(g, ab, cd));
}

/* Columns of R = I + 2 e0 [v] + 2 [v]^2. */
void dae__turn_axes(dae__graph *g, dae__node e0, const dae__node *v, dae__value axis[3])
{
  for (int j = 0; j < 3; j++) {
    int k = (j + 1) % 3, l = (j + 2) % 3;
    dae__node kk = dae__powi(g, v[k], 2), ll = dae__powi(g, v[l], 2);
    dae__node jk = DAE__MUL(g, v[j], v[k]), jl = DAE__MUL(g, v[j], v[l]);
    axis[j].size = 3;
    axis[j].at[j] = DAE__SUB(g, dae__constant(g, 1), body_twice(g, kk, ll, false));
    axis[j].at[k] = body_twice(g, jk, DAE__MUL(g, e0, v[l]), false);
    axis[j].at[l] = body_twice(g, jl, DAE__MUL(g, e0, v[k]), true);
  }
}

static dae__value body_rates(dae__expander *x, const dae__body *b, int first, int count)
{
  dae__value out = {.size = count};
  for (int i = 0; i < count; i++)
    out.at[i] = dae__leaf(x->graph, b->rate + first + i);
  return out;
}

/* 2 (e0 v' - e0' v + v x v') in space; own: - v x v'. */
dae__value dae__turn_omega(dae__graph *g, const dae__node *e, const dae__node *rate, bool own)
{
  dae__value v = {.at = {e[1], e[2], e[3]}, .size = 3};
  dae__value dv = {.at = {rate[1], rate[2], rate[3]}, .size = 3};
  dae__value turn = dae__vector_cross(g, v, dv);
  dae__value w =
      dae__vector_sub(g, dae__vector_scale(g, e[0], dv), dae__vector_scale(g, rate[0], v));
  w = own ? dae__vector_sub(g, w, turn) : dae__vector_add(g, w, turn);
  return dae__vector_scale(g, dae__constant(g, 2), w);
}

dae__value dae__body_omega(dae__expander *x, const dae__body *b, bool own)
{
  dae__node e[4] = {b->e0}, rate[4];
  for (int i = 0; i < 4; i++) {
    rate[i] = dae__leaf(x->graph, b->rate + 3 + i);
    e[i] = i > 0 ? b->turn_node.at[i - 1] : e[0];
  }
  return dae__turn_omega(x->graph, e, rate, own);
}

bool dae__is_derived(dae__expander *x, int leaf)
{
  dae__leaf_info info = x->leaves.item[leaf];
  const dae__symbol *s = info.symbol < 0 ? NULL : &x->symbols.item[info.symbol];
  if (!s || s->kind != DAE__STATEMENT_BODY)
    return s && s->derived;
  const dae__elements *e = dae__elements_slot(x, info.symbol, info.instance);
  return e && e->body[info.element / e->width].carrier; /* NULL: out of memory */
}

/* Nodes of the axes and of the angular velocity of a body of a tree of relative joints: leaves. The
 * rate of an axis is W x axis. */
static void body_tree_nodes(dae__expander *x, dae__body *b)
{
  dae__graph *g = x->graph;
  b->omega_node.size = 3;
  for (int i = 0; i < 3; i++)
    b->omega_node.at[i] = x->leaf_rate.item[b->turning_leaf + i];
  for (int j = 0; j < 3; j++) {
    b->axis[j].size = 3;
    for (int i = 0; i < 3; i++)
      b->axis[j].at[i] = dae__leaf(g, b->axes_leaf + 3 * j + i);
    dae__value rate = dae__vector_cross(g, b->omega_node, b->axis[j]);
    for (int i = 0; i < 3; i++)
      x->leaf_rate.item[b->axes_leaf + 3 * j + i] = rate.at[i];
  }
}

static void body_ground_nodes(dae__graph *g, dae__body *b)
{
  int size = b->plane ? 2 : 3;
  for (int j = 0; j < size; j++) {
    double axis[3] = {0};
    axis[j] = 1;
    b->axis[j] = dae__vector(g, size, axis);
  }
  b->pos = (dae__value){.size = size};
  b->omega_node = (dae__value){.size = b->plane ? 1 : 3};
  b->turn_node = (dae__value){.size = 3};
  b->e0 = dae__constant(g, 1);
}

void dae__body_nodes(dae__expander *x, dae__body *b)
{
  dae__graph *g = x->graph;
  int size = b->plane ? 2 : 3;
  if (b->made)
    return;
  b->made = true;
  if (!b->s) {
    body_ground_nodes(g, b);
    return;
  }
  b->pos.size = size;
  for (int i = 0; i < size; i++)
    b->pos.at[i] = dae__leaf(g, b->leaf + i);
  if (b->plane) {
    b->angle = dae__leaf(g, b->leaf + 2);
    dae__node c = dae__unary(g, DAE__OP_COS, b->angle), s = dae__unary(g, DAE__OP_SIN, b->angle);
    b->axis[0] = (dae__value){.at = {c, s}, .size = 2};
    b->axis[1] = (dae__value){.at = {DAE__NEG(g, s), c}, .size = 2};
    b->omega_node = dae__as_number(dae__leaf(g, b->rate + 2));
    return;
  }
  b->e0 = dae__leaf(g, b->leaf + 3);
  b->turn_node.size = 3;
  for (int i = 0; i < 3; i++)
    b->turn_node.at[i] = dae__leaf(g, b->leaf + 4 + i);
  if (b->axes_leaf) {
    body_tree_nodes(x, b);
    return;
  }
  dae__turn_axes(g, b->e0, b->turn_node.at, b->axis);
  b->omega_node = dae__body_omega(x, b, false);
}

dae__value dae__body_dir(dae__expander *x, dae__body *b, dae__value v)
{
  dae__graph *g = x->graph;
  if (!b->s)
    return v;
  dae__body_nodes(x, b);
  dae__value out = dae__vector_scale(g, v.at[0], b->axis[0]);
  for (int i = 1; i < v.size; i++)
    out = dae__vector_add(g, out, dae__vector_scale(g, v.at[i], b->axis[i]));
  return out;
}

dae__value dae__body_point(dae__expander *x, dae__body *b, dae__value v)
{
  if (!b->s)
    return v;
  dae__body_nodes(x, b);
  return dae__vector_add(x->graph, b->pos, dae__body_dir(x, b, v));
}

dae__value dae__body_local(dae__expander *x, dae__body *b, dae__value v)
{
  dae__value out = {.size = v.size};
  if (!b->s)
    return v;
  dae__body_nodes(x, b);
  for (int i = 0; i < v.size; i++)
    out.at[i] = dae__vector_dot(x->graph, b->axis[i], v);
  return out;
}

dae__value dae__body_velocity(dae__expander *x, const dae__body *b)
{
  int size = b->plane ? 2 : 3;
  return b->s ? body_rates(x, b, 0, size) : (dae__value){.size = size};
}

/* ---- expansion ---- */

dae__node dae__body_turning_energy(dae__expander *x, const dae__body *b, dae__value w)
{
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  dae__graph *g = x->graph;
  dae__value Jw = {.size = 3};
  if (b->plane)
    return DAE__MUL(g, dae__constant(g, b->inertia[2] / 2), dae__powi(g, w.node, 2));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      Jw.at[i] =
          DAE__ADD(g, Jw.at[i], DAE__MUL(g, dae__constant(g, b->inertia[at[i][j]]), w.at[j]));
  return DAE__MUL(g, dae__constant(g, 0.5), dae__vector_dot(g, w, Jw));
}

dae__node dae__body_moving_energy(dae__expander *x, const dae__body *b, dae__value velocity)
{
  dae__graph *g = x->graph;
  dae__node half = dae__constant(g, b->mass / 2), square = DAE__ZERO;
  for (int i = 0; i < velocity.size; i++)
    square = DAE__ADD(g, square, dae__powi(g, velocity.at[i], 2));
  return DAE__MUL(g, half, square);
}

/* The constraint e.e = 1; returns 2 Jr (e.e')^2. */
static dae__node body_expand_unit(dae__expander *x, const dae__context *c, dae__body *b)
{
  dae__graph *g = x->graph;
  dae__value e = b->turn_node, rate = body_rates(x, b, 4, 3);
  dae__node along =
      DAE__ADD(g, DAE__MUL(g, b->e0, dae__leaf(g, b->rate + 3)), dae__vector_dot(g, e, rate));
  dae__node T = DAE__MUL(g, dae__constant(g, 2 * b->moment), dae__powi(g, along, 2));
  dae__node square = dae__powi(g, b->e0, 2);
  for (int i = 0; i < 3; i++)
    square = DAE__ADD(g, square, dae__powi(g, e.at[i], 2));
  const char *label = dae__pool_print(x->l->scratch, "%s.unit", b->name);
  if (!dae__load_ok(x->l))
    return T;
  /* the label within the instance, without the names of system and part */
  const char *own = label + (x->instances.item[c->instance].name[0]
                                 ? strlen(x->instances.item[c->instance].name) + 1
                                 : 0);
  dae__residual unit = {.node = DAE__SUB(g, square, dae__constant(g, 1)),
                        .place = b->s->place,
                        .label_place = b->s->place,
                        .derived = true,
                        .group = ""};
  unit.label = unit.name = dae__name(x->l, x->names, own, (int)strlen(own));
  dae__add_constraint(c, &unit);
  return T;
}

void dae__body_expand(dae__expander *x, dae__body *b)
{
  dae__graph *g = x->graph;
  dae__context c = dae__context_of(x, b->instance);
  dae__body_find_rates(x, b);
  dae__body_find_mass(x, b);
  dae__body_nodes(x, b);
  if (x->l->status)
    return;
  int place = b->s->place, size = b->plane ? 2 : 3;
  dae__value com = b->pos, velocity = dae__body_velocity(x, b);
  if (b->has_centre) {
    com = dae__body_point(x, b, dae__vector(g, size, b->centre));
    velocity = dae__vector_rate(x, com, place, "the centre of mass");
  }
  dae__node m = dae__constant(g, b->mass);
  if (!b->carrier) {
    dae__value w = b->plane ? b->omega_node : dae__body_omega(x, b, true);
    dae__node T = dae__body_turning_energy(x, b, w);
    if (!b->plane)
      T = DAE__ADD(g, T, body_expand_unit(x, &c, b));
    T = DAE__ADD(g, T, dae__body_moving_energy(x, b, velocity));
    dae__add_energy(&c, true, T, place);
  }
  dae__weight_expand(&c, m, com, place, b->name);
}

void dae__weight_expand(const dae__context *c, dae__node mass, dae__value point, int place,
                        const char *name)
{
  dae__expander *x = c->x;
  int i = c->instance;
  while (i >= 0 && !x->instances.item[i].gravity)
    i = x->instances.item[i].parent >= 0 ? x->instances.item[i].parent : x->instances.item[i].outer;
  if (i < 0)
    return;
  const dae__statement *s = x->instances.item[i].gravity;
  dae__context own = dae__context_of(x, i);
  dae__value gravity = dae__evaluate_value(&own, s->a);
  if (!x->l->status && gravity.size == 1)
    dae__load_fail(
        x->l, s->a->place,
        "gravity needs a vector: gravity (0, 0, -9.81), in the plane gravity (0, -9.81)");
  if (!x->l->status && gravity.size != point.size)
    dae__load_fail(x->l, s->a->place, "gravity is %s, but %s moves in %s",
                   dae__size_text(gravity.size), name, point.size == 2 ? "the plane" : "space");
  dae__node V =
      DAE__NEG(x->graph, DAE__MUL(x->graph, mass, dae__vector_dot(x->graph, gravity, point)));
  dae__check_energy(c, false, V, place);
  dae__add_energy(c, false, V, place);
}
