/* A semi-explicit system M(t,x) x' = f, 0 = F from its equations. */
#include "model/bind/bind.h"
#include "model/expand/value.h"

enum { Q_f, Q_F, Q_F_t, Q_M, Q_J, Q_J_in, Q_Ms_x, Q_COUNT };

static const char *const quantities[] = {"f", "F", "F_t", "M", "J", "J_in", "Ms_x"};

typedef struct semi_tapes {
  dae__tape *tape[Q_COUNT];
} semi_tapes;

/* ---- callbacks ---- */

static int bind_semi_run(const void *user, int quantity, const dae_semi_explicit_at *at,
                         const double *s, double *out)
{
  const semi_tapes *c = user;
  const double *in[DAE__CLASSES] = {[DAE__CLASS_T] = &at->t,
                                    [DAE__CLASS_U] = at->x,
                                    [DAE__CLASS_W] = at->y,
                                    [DAE__CLASS_IN] = at->in,
                                    [DAE__CLASS_S] = s};
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

/* ---- construction of the tapes ---- */

typedef struct build {
  dae__binder *b;
  const dae__system *u;
  semi_tapes *c;
} build;

static void bind_semi_vector_tape(build *a, int quantity, const dae__nodes *nodes)
{
  dae__outputs out = {0};
  dae__bind_vector(a->b, nodes, 0, &out);
  a->c->tape[quantity] = dae__bind_tape(a->b, quantities[quantity], &out, 1, NULL);
}

/* Builds the tape of a matrix; returns its sparsity pattern if the system is sparse. */
static const dae_pattern *bind_semi_matrix_tape(build *a, int quantity, const dae__triplets *m)
{
  dae__outputs out = {0};
  int zeroed = a->u->sparse ? 0 : m->rows * m->cols;
  dae__triplets_outputs(a->b->x->l->scratch, m, a->u->sparse, 0, &out);
  a->c->tape[quantity] = dae__bind_tape(a->b, quantities[quantity], &out, 1, &zeroed);
  return a->u->sparse ? dae__triplets_pattern(a->b->arena, m) : NULL;
}

static void bind_semi_build_jacobians(build *a, dae_semi_explicit *p)
{
  const dae__system *u = a->u;
  dae__nodes rows = {0};
  for (int i = 0; i < u->s.count + u->c.count; i++)
    *DAE__PUSH(a->b->x->l->scratch, &rows) =
        i < u->s.count ? u->s.item[i] : u->c.item[i - u->s.count];
  dae__columns_of by = {.mask = DAE__BIT(U) | DAE__BIT(W), .cols = u->u.count + u->w.count};
  by.offset[DAE__CLASS_W] = u->u.count;
  dae__triplets J = dae__bind_jacobian(a->b, &rows, &by);
  p->J_pattern = bind_semi_matrix_tape(a, Q_J, &J);
  p->J = bind_semi_eval_J;
  /* Structural index: 1 if every equation of F contains an algebraic variable, else 0 for unknown;
   * the consistent start refines it. */
  int with_y = 0, nx = u->u.count;
  bool *seen = DAE__NEW_ARRAY(a->b->x->l->scratch, bool, J.rows);
  for (int k = 0; seen && k < J.entries.count; k++) {
    dae__triplet e = J.entries.item[k];
    if (e.row < nx || e.col < nx || seen[e.row])
      continue;
    seen[e.row] = true;
    with_y++;
  }
  p->index = u->c.count > 0 && with_y == u->c.count ? 1 : 0;
  if (u->in.count == 0)
    return;
  dae__columns_of by_in = {.mask = DAE__BIT(IN), .cols = u->in.count};
  dae__triplets J_in = dae__bind_jacobian(a->b, &rows, &by_in);
  p->J_in_pattern = bind_semi_matrix_tape(a, Q_J_in, &J_in);
  p->J_in = bind_semi_eval_J_in;
}

static void bind_semi_build_mass(build *a, dae_semi_explicit *p)
{
  dae__triplets M = a->u->mass;
  dae__triplets_sort(a->b->x->l->scratch, &M);
  p->M_pattern = bind_semi_matrix_tape(a, Q_M, &M);
  p->M = bind_semi_eval_M;
  p->constant_mass = dae__triplets_constant(a->b->x->graph, &M);
  if (p->constant_mass)
    return;
  dae__nodes Ms = dae__bind_contract(a->b, &M, true);
  dae__columns_of by = {.mask = DAE__BIT(U), .cols = a->u->u.count};
  dae__triplets Ms_x = dae__bind_jacobian(a->b, &Ms, &by);
  p->Ms_pattern = bind_semi_matrix_tape(a, Q_Ms_x, &Ms_x);
  p->Ms_x = bind_semi_eval_Ms_x;
}

static void bind_semi_build_time_derivative(build *a, dae_semi_explicit *p)
{
  dae__nodes F_t = {0};
  for (int i = 0; i < a->u->c.count; i++) {
    dae__node F = a->u->c.item[i], rate_leaf = DAE__ZERO;
    if (dae__kinds_below(a->b->x, F) & DAE__LEAF_TIME) {
      dae__gradient d = dae__bind_gradient(a->b, F, DAE__BIT(T));
      rate_leaf = d.count > 0 ? d.value[0] : DAE__ZERO;
    }
    *DAE__PUSH(a->b->x->l->scratch, &F_t) = rate_leaf;
  }
  bind_semi_vector_tape(a, Q_F_t, &F_t);
  p->F_t = bind_semi_eval_F_t;
}

static const char *const *bind_semi_equation_names(build *a, const char *const *names, int count)
{
  const char **copy = DAE__ALLOC(a->b->arena, const char *, count);
  for (int i = 0; copy && names && i < count; i++)
    copy[i] = names[i];
  return copy;
}

const dae_semi_explicit *dae__bind_semi(dae__binder *b, dae__system *u, const char *name)
{
  dae_semi_explicit *p = DAE__ALLOC(b->arena, dae_semi_explicit, 1);
  build a = {.b = b, .u = u, .c = DAE__ALLOC(b->arena, semi_tapes, 1)};
  if (!dae__bind_ok(b))
    return NULL;
  *p = (dae_semi_explicit){.name = name,
                           .nx = u->u.count,
                           .ny = u->w.count,
                           .nin = u->in.count,
                           .user = a.c,
                           .f = bind_semi_eval_f,
                           .constant_mass = true};
  dae__system_place(b, u, true);
  bind_semi_vector_tape(&a, Q_f, &u->s);
  if (u->w.count > 0) {
    bind_semi_vector_tape(&a, Q_F, &u->c);
    p->F = bind_semi_eval_F;
    bind_semi_build_time_derivative(&a, p);
  }
  bind_semi_build_jacobians(&a, p);
  if (u->mass.rows > 0)
    bind_semi_build_mass(&a, p);
  dae__system_place(b, u, false);
  p->x_names = dae__bind_names(b, &u->u, u->u.count);
  p->y_names = dae__bind_names(b, &u->w, u->w.count - u->hidden);
  p->f_names = u->s_names ? bind_semi_equation_names(&a, u->s_names, u->u.count) : NULL;
  p->F_names = bind_semi_equation_names(&a, u->c_names, u->w.count);
  return dae__bind_ok(b) ? p : NULL;
}
