/* A semi-explicit system M(t,x) x' = f, 0 = F from its equations. */
#include "model/bind/bind.h"
#include "model/expand/value.h"
#include "model/model.h"
#include <math.h>

enum { Q_f, Q_F, Q_F_t, Q_M, Q_J, Q_J_in, Q_Ms_x, Q_COUNT };

typedef struct semi_tapes {
  dae__tape *tape[Q_COUNT];
  const double *held; /* held values */
} semi_tapes;

/* ---- callbacks ---- */

static int bind_semi_run(const void *user, int quantity, const dae_semi_explicit_at *at,
                         const double *s, double *out)
{
  const semi_tapes *c = user;
  const double *in[DAE__CLASSES] = {
      [DAE__CLASS_T] = &at->t,  [DAE__CLASS_U] = at->x, [DAE__CLASS_W] = at->y,
      [DAE__CLASS_IN] = at->in, [DAE__CLASS_S] = s,     [DAE__CLASS_D] = c->held};
  return dae__tape_run(c->tape[quantity], in, &out) ? 0 : -1;
}

#define CALLBACK(name)                                                                             \
  static int bind_semi_eval_##name(void *user, const dae_semi_explicit_at *at, double *out)        \
  {                                                                                                \
    return bind_semi_run(user, Q_##name, at, NULL, out);                                           \
  }
CALLBACK(f)
CALLBACK(F)
CALLBACK(F_t)
CALLBACK(M)
CALLBACK(J)
CALLBACK(J_in)
#undef CALLBACK

static int bind_semi_eval_Ms_x(void *user, const dae_semi_explicit_at *at, const double *s,
                               double *out)
{
  return bind_semi_run(user, Q_Ms_x, at, s, out);
}

/* ---- structural index ---- */

/* largest number of modes of an equation whose combinations are all tried; chosen, not measured */
#define MAX_MODES 6

/* Whether an equation of F contains an algebraic variable with every combination of the modes of
 * its guards. */
static bool bind_semi_has_y_in_all_modes(dae__binder *b, dae__node F)
{
  dae__expander *x = b->x;
  int mode[MAX_MODES], count = 0;
  dae__leaves below = dae__leaves_below(x->walker, 1, &F);
  for (int i = 0; i < below.count && count < MAX_MODES; i++) {
    const dae__leaf_info *leaf = &x->leaves.item[below.leaf[i]];
    bool two = x->leaf_kind.item[below.leaf[i]] == DAE__LEAF_DISCRETE && leaf->symbol < 0 &&
               x->guards.item[leaf->element].op == DAE__OP_LESS;
    if (two)
      mode[count++] = below.leaf[i];
  }
  bool has = true;
  for (int set = 0; count > 0 && set < 1 << count && has && dae__bind_ok(b); set++) {
    for (int i = 0; i < count; i++)
      b->by[mode[i]] = dae__constant(x->graph, set >> i & 1);
    dae__node frozen = dae__replace_leaves(x->walker, F, b->by);
    has = dae__bind_gradient(b, frozen, DAE__BIT(W)).count > 0;
  }
  for (int i = 0; i < count; i++)
    b->by[mode[i]] = -1;
  return has;
}

/* ---- construction of the tapes ---- */

static void bind_semi_build_jacobians(dae__binder *b, const dae__system *u, semi_tapes *c,
                                      dae_semi_explicit *p)
{
  dae__nodes rows = {0};
  for (int i = 0; i < u->s.count + u->c.count; i++)
    *DAE__PUSH(b->x->l->scratch, &rows) = i < u->s.count ? u->s.item[i] : u->c.item[i - u->s.count];
  dae__triplets J = dae__bind_jacobian(b, u, &rows, DAE__BIT(U) | DAE__BIT(W));
  c->tape[Q_J] = dae__bind_matrix_tape(b, "J", &J);
  p->J_pattern = dae__triplets_pattern(b->arena, &J);
  p->J = bind_semi_eval_J;
  /* Structural index: 1 if every equation of F contains an algebraic variable and every algebraic
   * variable is in F, else 0 for unknown; the consistent start refines it. */
  int seen_count = 0, nx = u->u.count;
  bool *seen = DAE__NEW_ARRAY(b->x->l->scratch, bool, 2 * J.rows);
  for (int k = 0; seen && k < J.entries.count; k++) {
    dae__triplet e = J.entries.item[k];
    if (e.row < nx || e.col < nx)
      continue;
    seen_count += !seen[e.row] + !seen[J.rows + e.col];
    seen[e.row] = seen[J.rows + e.col] = true;
  }
  p->index = u->c.count > 0 && seen_count == 2 * u->c.count ? 1 : 0;
  for (int i = 0; i < u->c.count && p->index == 1; i++)
    p->index = bind_semi_has_y_in_all_modes(b, u->c.item[i]) ? 1 : 2;
  if (u->in.count == 0)
    return;
  dae__triplets J_in = dae__bind_jacobian(b, u, &rows, DAE__BIT(IN));
  c->tape[Q_J_in] = dae__bind_matrix_tape(b, "J_in", &J_in);
  p->J_in_pattern = dae__triplets_pattern(b->arena, &J_in);
  p->J_in = bind_semi_eval_J_in;
}

static void bind_semi_build_mass(dae__binder *b, const dae__system *u, semi_tapes *c,
                                 dae_semi_explicit *p)
{
  dae__triplets M = u->mass;
  dae__triplets_sort(b->x->l->scratch, &M);
  c->tape[Q_M] = dae__bind_matrix_tape(b, "M", &M);
  p->M_pattern = dae__triplets_pattern(b->arena, &M);
  p->M = bind_semi_eval_M;
  p->constant_mass = dae__triplets_constant(b->x->graph, &M);
  if (p->constant_mass)
    return;
  dae__nodes Ms = dae__bind_contract(b, &M, true);
  dae__triplets Ms_x = dae__bind_jacobian(b, u, &Ms, DAE__BIT(U));
  c->tape[Q_Ms_x] = dae__bind_matrix_tape(b, "Ms_x", &Ms_x);
  p->Ms_pattern = dae__triplets_pattern(b->arena, &Ms_x);
  p->Ms_x = bind_semi_eval_Ms_x;
}

/* Whether rows of F contain y at the variables z of the system, and at others near them: dF/dy may
 * vanish at a single point. */
static bool bind_semi_contains_y(const dae_semi_explicit *p, double t, const double *in, double *z,
                                 double *J, bool *contains)
{
  const dae_pattern *at = p->J_pattern; /* NULL: J is dense */
  int n = p->nx + p->ny, from = at ? at->start[p->nx] : p->nx * n, to = at ? at->start[n] : n * n;
  for (int i = 0; i < p->ny; i++)
    contains[i] = false;
  for (int point = 0; point < 2; point++) {
    for (int j = 0; point && j < n; j++)
      z[j] += 0.01 * (1 + 0.5 * sin(j + 1)) * (z[j] != 0 ? fabs(z[j]) : 1);
    if (p->J(p->user, &(dae_semi_explicit_at){.t = t, .x = z, .y = z + p->nx, .in = in}, J) != 0)
      return false;
    for (int e = from; e < to; e++) {
      int row = at ? at->row[e] : e % n;
      if (row >= p->nx && J[e] != 0)
        contains[row - p->nx] = true;
    }
  }
  return true;
}

void dae__bind_semi_event_index(dae__pool *scratch, const dae_model *model, dae_semi_explicit *p,
                                int first, int size)
{
  const dae_event *own = model->events + model->event_count - model->count.events;
  const dae_held *held = &model->problem.held;
  int n = p->nx + p->ny, count = model->count.events, all = size + held->count;
  size_t bytes = (size_t)all * sizeof(double), held_bytes = (size_t)held->count * sizeof(double);
  double *once = DAE__NEW_ARRAY(scratch, double, 2 * all + p->nin), *twice = once + all;
  double *J = DAE__NEW_ARRAY(scratch, double, p->J_pattern ? p->J_pattern->start[n] : n *n);
  double *in = once + 2 * all; /* any values: the wires are not known here */
  bool *contains = DAE__NEW_ARRAY(scratch, bool, p->ny);
  if (!once || !J || !contains)
    return;
  for (int i = 0; i < p->nin; i++)
    in[i] = 1 + 0.1 * sin(i + 1);
  /* from the start by one event, and by a second one after it */
  for (int i = 0; i < count * (count + 1); i++) {
    const dae_event *event = &own[i / (count + 1)];
    const dae_event *second = i % (count + 1) ? &own[i % (count + 1) - 1] : NULL;
    if (!event->action || (second && !second->action))
      continue;
    memcpy(once, model->y, bytes);
    if (event->action(event->user, model->t_start, model->y, once) != 0)
      continue;
    memcpy(twice, once, bytes);
    if (second && second->action(second->user, model->t_start, once, twice) != 0)
      continue;
    memcpy(held->value, twice + size, held_bytes);
    if (bind_semi_contains_y(p, model->t_start, in, twice + first, J, contains))
      for (int k = 0; k < p->ny; k++)
        p->index = contains[k] ? p->index : 2;
  }
  memcpy(held->value, model->y + size, held_bytes);
}

/* Whether no equation depends on time or inputs. */
static bool bind_semi_time_free(dae__binder *b, const dae__system *u)
{
  unsigned kinds = u->in.count > 0 ? DAE__LEAF_TIME : 0;
  for (int i = 0; i < u->s.count; i++)
    kinds |= dae__kinds_below(b->x, u->s.item[i]);
  for (int i = 0; i < u->c.count; i++)
    kinds |= dae__kinds_below(b->x, u->c.item[i]);
  for (int i = 0; i < u->mass.entries.count; i++)
    kinds |= dae__kinds_below(b->x, u->mass.entries.item[i].node);
  return !(kinds & DAE__LEAF_TIME);
}

const dae_semi_explicit *dae__bind_semi(dae__binder *b, dae__system *u, const char *name)
{
  dae_semi_explicit *p = DAE__ALLOC(b->arena, dae_semi_explicit, 1);
  semi_tapes *c = DAE__ALLOC(b->arena, semi_tapes, 1);
  if (!dae__bind_ok(b))
    return NULL;
  c->held = b->held_value;
  *p = (dae_semi_explicit){.name = name,
                           .nx = u->u.count,
                           .ny = u->w.count,
                           .nin = u->in.count,
                           .user = c,
                           .f = bind_semi_eval_f,
                           .constant_mass = true,
                           .time_free = bind_semi_time_free(b, u)};
  dae__system_place(b, u, true);
  c->tape[Q_f] = dae__bind_vector_tape(b, "f", &u->s);
  if (u->w.count > 0) {
    /* Builds the tapes of F and of its partial derivative by time */
    dae__nodes F_t = {0};
    c->tape[Q_F] = dae__bind_vector_tape(b, "F", &u->c);
    for (int i = 0; i < u->c.count; i++) {
      dae__node F = u->c.item[i], rate = DAE__ZERO;
      if (dae__kinds_below(b->x, F) & DAE__LEAF_TIME) {
        dae__gradient d = dae__bind_gradient(b, F, DAE__BIT(T));
        rate = d.count > 0 ? d.value[0] : DAE__ZERO;
      }
      *DAE__PUSH(b->x->l->scratch, &F_t) = rate;
    }
    c->tape[Q_F_t] = dae__bind_vector_tape(b, "F_t", &F_t);
    p->F = bind_semi_eval_F;
    p->F_t = bind_semi_eval_F_t;
  }
  bind_semi_build_jacobians(b, u, c, p);
  if (u->mass.rows > 0)
    bind_semi_build_mass(b, u, c, p);
  dae__system_place(b, u, false);
  p->x_names = dae__bind_names(b, &u->u, u->u.count);
  p->y_names = dae__bind_names(b, &u->w, u->w.count - u->hidden);
  p->f_names = u->s_names;
  p->F_names = u->c_names;
  return dae__bind_ok(b) ? p : NULL;
}
