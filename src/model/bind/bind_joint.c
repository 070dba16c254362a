/* A joint: one constraint 0 = g(t, z) between coordinates of several systems, with all its
 * derivatives. */
#include "model/bind/bind.h"

enum { Q_g, Q_g_t, Q_G, Q_gamma, Q_gdot_z, Q_Gts_z, Q_COUNT };

typedef struct joint_tapes {
  dae__tape *tape[Q_COUNT];
} joint_tapes;

/* ---- callbacks ---- */

static int bind_joint_run(const void *user, int quantity, double t, const double *z,
                          const double *zdot, const double *s, double *out)
{
  const joint_tapes *h = user;
  const double *in[DAE__CLASSES] = {
      [DAE__CLASS_T] = &t, [DAE__CLASS_Q] = z, [DAE__CLASS_V] = zdot, [DAE__CLASS_S] = s};
  return dae__tape_run(h->tape[quantity], in, &out) ? 0 : -1;
}

#define CALLBACK(name)                                                                             \
  static int bind_joint_eval_##name(void *user, double t, const double *z, double *out)            \
  {                                                                                                \
    return bind_joint_run(user, Q_##name, t, z, NULL, NULL, out);                                  \
  }
#define CALLBACK_OF(name, zdot, s)                                                                 \
  static int bind_joint_eval_##name(void *user, double t, const double *z, const double *x,        \
                                    double *out)                                                   \
  {                                                                                                \
    return bind_joint_run(user, Q_##name, t, z, zdot, s, out);                                     \
  }
CALLBACK(g)
CALLBACK(g_t)
CALLBACK(G)
CALLBACK_OF(gamma, x, NULL)
CALLBACK_OF(gdot_z, x, NULL)
CALLBACK_OF(Gts_z, NULL, x)
#undef CALLBACK
#undef CALLBACK_OF

/* ---- construction of the tapes ---- */

static dae__tape *bind_joint_scalar_tape(dae__binder *b, const char *what, dae__node node)
{
  dae__outputs out = {0};
  *DAE__PUSH(b->x->l->scratch, &out) = (dae__tape_output){0, 0, node};
  return dae__bind_tape(b, what, &out, 1, NULL);
}

static dae__tape *bind_joint_matrix_tape(dae__binder *b, const char *what, const dae__nodes *rows,
                                         int nz)
{
  dae__columns_of by = {.mask = DAE__BIT(Q), .cols = nz};
  dae__triplets m = dae__bind_jacobian(b, rows, &by);
  dae__outputs out = {0};
  int zeroed = m.rows * m.cols;
  dae__triplets_outputs(b->x->l->scratch, &m, false, 0, &out);
  return dae__bind_tape(b, what, &out, 1, &zeroed);
}

static void bind_joint_build(dae__binder *b, dae__node g, int nz, const int *leaves, joint_tapes *h)
{
  dae__graph *graph = b->x->graph;
  dae__columns_of by = {.mask = DAE__BIT(Q), .cols = nz};
  dae__nodes row = {.item = &g, .count = 1};
  dae__gradient d = dae__bind_gradient(b, g, DAE__BIT(T));
  dae__node g_t = d.count > 0 ? d.value[0] : DAE__ZERO, gdot = g_t;
  dae__triplets G = dae__bind_jacobian(b, &row, &by);
  for (int i = 0; i < G.entries.count; i++) {
    dae__node v = b->x->leaf_rate.item[leaves[G.entries.item[i].col]];
    gdot = DAE__ADD(graph, gdot, DAE__MUL(graph, G.entries.item[i].node, v));
  }
  dae__nodes rate = {.item = &gdot, .count = 1};
  dae__nodes Gts = dae__bind_contract(b, &G, false);
  h->tape[Q_g] = bind_joint_scalar_tape(b, "g", g);
  h->tape[Q_g_t] = bind_joint_scalar_tape(b, "g_t", g_t);
  h->tape[Q_G] = bind_joint_matrix_tape(b, "G", &row, nz);
  h->tape[Q_gamma] = bind_joint_scalar_tape(b, "gamma", dae__bind_rate(b, gdot));
  h->tape[Q_gdot_z] = bind_joint_matrix_tape(b, "gdot_z", &rate, nz);
  h->tape[Q_Gts_z] = bind_joint_matrix_tape(b, "Gts_z", &Gts, nz);
}

bool dae__bind_joint(dae__binder *b, const dae__constraint *g, const int *system_of_instance,
                     const dae__system *systems, dae_joint *out)
{
  dae__expander *x = b->x;
  if (!dae__binder_leaves(b, 1))
    return false;
  dae__leaves below = dae__leaves_below(x->walker, g->node);
  bool timed = below.count > 0 && below.leaf[0] == 0;
  int nz = below.count - timed;
  int *leaves = DAE__NEW_ARRAY(x->l->scratch, int, nz);
  dae_port *z = DAE__ALLOC(b->arena, dae_port, nz);
  joint_tapes *h = DAE__ALLOC(b->arena, joint_tapes, 1);
  if (!dae__bind_ok(b))
    return false;
  for (int i = 0; i < nz; i++) {
    int leaf = leaves[i] = below.leaf[i + timed];
    int system = system_of_instance[x->leaves.item[leaf].instance];
    /* Binary search for the leaf: coordinates of a system are in rising order of their leaves. */
    const dae__ints *q = &systems[system].q;
    int from = 0, to = q->count - 1;
    while (from < to) {
      int middle = (from + to) / 2;
      if (q->item[middle] < leaf)
        from = middle + 1;
      else
        to = middle;
    }
    z[i] = (dae_port){system, from};
  }
  if ((long)nz * nz > x->l->limits.max_nodes)
    dae__load_fail(x->l, g->place, "a joint with %d coordinates is too large", nz);
  if (x->l->status)
    return false;
  for (int pass = 0; pass < 2; pass++) { /* first pass: classes for the tapes; second: no classes */
    for (int i = 0; i < nz; i++) {
      dae__binder_place(b, leaves[i], pass == 0 ? DAE__CLASS_Q : -1, i);
      dae__binder_place(b, dae__rate_leaf(x, leaves[i]), pass == 0 ? DAE__CLASS_V : -1, i);
    }
    if (pass == 0)
      bind_joint_build(b, g->node, nz, leaves, h);
  }
  *out = (dae_joint){.name = g->name,
                     .ng = 1,
                     .nz = nz,
                     .z = z,
                     .user = h,
                     .g = bind_joint_eval_g,
                     .g_t = timed ? bind_joint_eval_g_t : NULL,
                     .G = bind_joint_eval_G,
                     .gamma = bind_joint_eval_gamma,
                     .gdot_z = bind_joint_eval_gdot_z,
                     .Gts_z = bind_joint_eval_Gts_z,
                     .time_free = !timed};
  return dae__bind_ok(b);
}
