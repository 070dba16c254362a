/* Poses and rates of bodies at the start, from their clauses, as numbers.
 *
 * turned A about V turns a body by A about V, given in the axes that the body has by then. z along
 * V is the shortest turn that points an axis along V; a second axis is turned about the first, as
 * near to its direction as it can be. */
#include "model/space/space.h"
#include <math.h>
#include <string.h>

double dae__dot3(const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void dae__cross3(const double *a, const double *b, double *out)
{
  for (int i = 0; i < 3; i++)
    out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

bool dae__normalise(double *v)
{
  double length = sqrt(dae__dot3(v, v));
  for (int i = 0; i < 3 && length > 0; i++)
    v[i] /= length;
  return length > 0;
}

void dae__turn_product(const double *a, const double *b, double *out)
{
  double c[3], scalar = a[0] * b[0] - dae__dot3(a + 1, b + 1);
  dae__cross3(a + 1, b + 1, c);
  for (int i = 0; i < 3; i++)
    c[i] += a[0] * b[1 + i] + b[0] * a[1 + i];
  out[0] = scalar;
  memcpy(out + 1, c, sizeof c);
}

void dae__turn_apply(const double *e, const double *v, double *out)
{
  double c[3], cc[3];
  dae__cross3(e + 1, v, c);
  dae__cross3(e + 1, c, cc);
  for (int i = 0; i < 3; i++)
    out[i] = v[i] + 2 * (e[0] * c[i] + cc[i]);
}

void dae__square_to(const double *u, double *n)
{
  int least = 0;
  for (int i = 1; i < 3; i++)
    least = fabs(u[i]) < fabs(u[least]) ? i : least;
  double axis[3] = {0};
  axis[least] = 1;
  dae__cross3(u, axis, n);
  dae__normalise(n);
}

void dae__turn_about(double angle, const double *u, double *e)
{
  e[0] = cos(angle / 2);
  for (int i = 0; i < 3; i++)
    e[1 + i] = sin(angle / 2) * u[i];
}

void dae__turn_shortest(const double *from, const double *to, double *out)
{
  double axis[3], c = dae__dot3(from, to);
  dae__cross3(from, to, axis);
  double s = sqrt(dae__dot3(axis, axis));
  if (!dae__normalise(axis))
    dae__square_to(from, axis);
  dae__turn_about(atan2(s, c), axis, out);
}

/* ---- clauses ---- */

const dae__clause *dae__clause_of(const dae__statement *s, const char *word)
{
  for (const dae__clause *c = s ? s->clause : NULL; c; c = c->next)
    if (c->word && !strcmp(c->word, word))
      return c;
  return NULL;
}

int dae__clause_numbers(const dae__context *c, const dae__expr *e, int size, const char *what,
                        double *value)
{
  dae__expander *x = c->x;
  dae__value nodes = dae__evaluate_value(c, e);
  if (!x->l->status && (size ? nodes.size != size : nodes.size == 1))
    dae__load_fail(x->l, e->place, "%s needs %s, found %s", what, dae__size_text(size ? size : 3),
                   dae__size_text(nodes.size));
  for (int i = 0; i < nodes.size && !x->l->status; i++)
    value[i] = dae__start_value(x, nodes.at[i], e->place);
  return nodes.size;
}

double dae__clause_number(const dae__context *c, const dae__expr *e, const char *what)
{
  double value = 0;
  dae__clause_numbers(c, e, 1, what, &value);
  return value;
}

/* Unit vector of a clause. */
static void pose_direction(const dae__context *c, const dae__expr *e, const char *what,
                           double *value)
{
  dae__clause_numbers(c, e, 3, what, value);
  if (!c->x->l->status && !dae__normalise(value))
    dae__load_fail(c->x->l, e->place, "%s has length 0", what);
}

/* ---- poses ---- */

static void pose_add_turn(const dae__context *c, const dae__clause *at, double *turn)
{
  double u[3] = {0}, e[4];
  double angle = dae__clause_number(c, at->a, "the angle of turned");
  pose_direction(c, at->b, "the axis of turned", u);
  dae__turn_about(angle, u, e);
  dae__turn_product(turn, e, turn);
}

/* Points an axis of the body along a direction. first: axis pointed before, which stays; -1: none.
 */
static void pose_point_axis(const dae__context *c, const dae__clause *at, int first, double *turn)
{
  double unit[3] = {0}, own[3], to[3] = {0}, kept[3], e[4];
  int axis = dae__component_of(at->word);
  pose_direction(c, at->a, "the direction of an axis", to);
  if (c->x->l->status)
    return;
  unit[axis] = 1;
  dae__turn_apply(turn, unit, own);
  if (first >= 0) {
    double fixed[3] = {0};
    fixed[first] = 1;
    dae__turn_apply(turn, fixed, kept);
    double along = dae__dot3(to, kept);
    for (int i = 0; i < 3; i++)
      to[i] -= along * kept[i];
    if (sqrt(dae__dot3(to, to)) < 1e-9 || !dae__normalise(to)) {
      dae__load_fail(c->x->l, at->a->place, "both axes of the body would have one direction");
      return;
    }
    double turned[3];
    dae__cross3(own, to, turned);
    dae__turn_about(atan2(dae__dot3(turned, kept), dae__dot3(own, to)), kept, e);
  } else {
    dae__turn_shortest(own, to, e);
  }
  dae__turn_product(e, turn, turn);
}

/* Pose in space by the clauses in their order. */
static void pose_find_turn(dae__expander *x, const dae__context *c, dae__body *b)
{
  bool rod = dae__clause_of(b->s, "rod"); /* its x axis is known */
  int first = rod ? 0 : -1, axes = rod;
  for (const dae__clause *at = b->s->clause; at && !x->l->status; at = at->next) {
    bool axis = dae__component_of(at->word) >= 0;
    if (!strcmp(at->word, "angle"))
      dae__load_fail(x->l, at->place,
                     "%s is a body in space, which has no single angle: turned A about V",
                     b->s->declared->name);
    if (!strcmp(at->word, "turned"))
      pose_add_turn(c, at, b->turn);
    if (axis && ++axes > 2)
      dae__load_fail(x->l, at->place, "two axes give the turn of a body; leave one out");
    if (axis && !x->l->status)
      pose_point_axis(c, at, first, b->turn);
    if (axis && !rod)
      first = dae__component_of(at->word);
    b->turn_given = b->turn_given || axis || !strcmp(at->word, "turned");
  }
}

static void pose_find_angle(dae__expander *x, const dae__context *c, dae__body *b)
{
  for (const dae__clause *at = b->s->clause; at && !x->l->status; at = at->next) {
    if (!strcmp(at->word, "turned") || dae__component_of(at->word) >= 0)
      dae__load_fail(x->l, at->place, "%s is a body in the plane, which is turned by angle A",
                     b->s->declared->name);
    if (strcmp(at->word, "angle") != 0)
      continue;
    b->turn[0] = dae__clause_number(c, at->a, "an angle");
    b->turn_given = true;
  }
}

/* Clauses that the ends of a rod exclude. */
static const char *const pose_of_rod[] = {"at", "x", "angle"};
enum { POSE_OF_ROD = sizeof pose_of_rod / sizeof *pose_of_rod };

/* Pose of a rod: its middle, and the direction of its x axis. */
static void pose_find_rod(dae__expander *x, const dae__context *c, dae__body *b)
{
  const dae__clause *rod = dae__clause_of(b->s, "rod");
  double p[3] = {0}, q[3] = {0}, d[3] = {0}, ex[3] = {1, 0, 0}, length = 0;
  int size = b->plane ? 2 : 3;
  if (!rod || x->l->status)
    return;
  for (int i = 0; i < POSE_OF_ROD; i++) {
    const dae__clause *other = dae__clause_of(b->s, pose_of_rod[i]);
    if (other)
      dae__load_fail(x->l, other->place,
                     "the ends of the rod give its place and its x axis; leave out %s",
                     other->word);
  }
  dae__clause_numbers(c, rod->a, size, "an end of a rod", p);
  dae__clause_numbers(c, rod->b, size, "an end of a rod", q);
  for (int i = 0; i < 3; i++) {
    b->position[i] = (p[i] + q[i]) / 2;
    d[i] = q[i] - p[i];
  }
  length = sqrt(dae__dot3(d, d));
  b->form = DAE__FORM_ROD;
  b->size[0] = length;
  b->position_given = b->turn_given = true;
  if (!x->l->status && !dae__normalise(d))
    dae__load_fail(x->l, rod->place, "the rod has length 0");
  if (b->plane) {
    b->turn[0] = atan2(d[1], d[0]);
  } else {
    dae__turn_shortest(ex, d, b->turn);
  }
}

void dae__body_find_pose(dae__expander *x, dae__body *b)
{
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  if (b->pose_stage == 1)
    dae__load_fail(x->l, b->s->place, "cyclic start of %s: its pose depends on itself", b->name);
  if (b->pose_stage != 0 || x->l->status)
    return;
  b->pose_stage = 1;
  dae__context c = dae__body_context(x, b, frame, index);
  if (!b->plane)
    b->turn[0] = 1;
  pose_find_rod(x, &c, b);
  const dae__clause *at = dae__clause_of(b->s, "at"), *centre = dae__clause_of(b->s, "centre");
  if (at && !x->l->status) {
    dae__clause_numbers(&c, at->a, b->plane ? 2 : 3, "the place of a body", b->position);
    b->position_given = true;
  }
  if (b->plane)
    pose_find_angle(x, &c, b);
  else
    pose_find_turn(x, &c, b);
  if (centre && !x->l->status) {
    dae__clause_numbers(&c, centre->a, b->plane ? 2 : 3, "the centre of mass", b->centre);
    b->has_centre = true;
  }
  b->fixed = dae__clause_of(b->s, "fixed");
  b->pose_stage = 2;
}

void dae__body_find_rates(dae__expander *x, dae__body *b)
{
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  if (b->rate_stage == 1)
    dae__load_fail(x->l, b->s->place, "cyclic start of %s: its velocity depends on itself",
                   b->name);
  if (b->rate_stage != 0 || x->l->status)
    return;
  b->rate_stage = 1;
  dae__body_find_pose(x, b);
  dae__context c = dae__body_context(x, b, frame, index);
  const dae__clause *v = dae__clause_of(b->s, "velocity"), *w = dae__clause_of(b->s, "omega");
  if (v && !x->l->status)
    dae__clause_numbers(&c, v->a, b->plane ? 2 : 3, "the velocity of a body", b->velocity);
  if (w && !x->l->status)
    dae__clause_numbers(&c, w->a, b->plane ? 1 : 3, "omega", b->omega);
  b->velocity_given = v;
  b->omega_given = w;
  b->rate_stage = 2;
}

/* ---- start values of the coordinates ---- */

dae__node dae__body_start(dae__expander *x, int leaf)
{
  int component;
  dae__body *b = dae__body_of_leaf(x, leaf, &component);
  bool rate = x->leaf_kind.item[leaf] == DAE__LEAF_COORD_RATE;
  int places = b->plane ? 2 : 3;
  if (++x->depth > 400)
    dae__load_fail(x->l, b->s->place,
                   "the start of a body depends on too many others; declare each body after those "
                   "it depends on");
  if (rate)
    dae__body_find_rates(x, b);
  else
    dae__body_find_pose(x, b);
  x->depth--;
  double value = 0;
  if (component < places) {
    value = rate ? b->velocity[component] : b->position[component];
  } else if (b->plane) {
    value = rate ? b->omega[0] : b->turn[0];
  } else if (rate) { /* e' = (0, W) e / 2 */
    double w[4] = {0, b->omega[0], b->omega[1], b->omega[2]}, out[4];
    dae__turn_product(w, b->turn, out);
    value = out[component - places] / 2 + b->turn_rate[component - places];
  } else {
    value = b->turn[component - places];
  }
  return dae__constant(x->graph, value);
}

void dae__body_held(dae__expander *x, int leaf, bool *given, bool *fixed)
{
  int component;
  const dae__body *b = dae__body_of_leaf(x, leaf, &component);
  bool rate = x->leaf_kind.item[leaf] == DAE__LEAF_COORD_RATE;
  bool place = component < (b->plane ? 2 : 3);
  if (rate)
    *given = place ? b->velocity_given : b->omega_given;
  else
    *given = place ? b->position_given : b->turn_given;
  *fixed = b->fixed && !rate;
}

void dae__body_local_at_start(dae__expander *x, dae__body *b, const double *v, double *local)
{
  if (b->s)
    dae__body_find_pose(x, b);
  memcpy(local, v, 3 * sizeof *v);
  if (b->s && b->plane) {
    double c = cos(b->turn[0]), s = sin(b->turn[0]);
    local[0] = c * v[0] + s * v[1];
    local[1] = c * v[1] - s * v[0];
  } else if (b->s) {
    double back[4] = {b->turn[0], -b->turn[1], -b->turn[2], -b->turn[3]};
    dae__turn_apply(back, v, local);
  }
}

void dae__body_local_point_at_start(dae__expander *x, dae__body *b, const double *p, double *local)
{
  double d[3] = {p[0], p[1], p[2]};
  if (b->s)
    dae__body_find_pose(x, b);
  for (int i = 0; i < 3 && b->s; i++)
    d[i] -= b->position[i];
  dae__body_local_at_start(x, b, d, local);
}
