/* A joint: one constraint 0 = g(t, z) between coordinates of several systems, with all its
 * derivatives. */
#include "model/bind/bind.h"

enum { Q_g, Q_g_t, Q_G, Q_gamma, Q_gdot_z, Q_Gts_z, Q_COUNT };

typedef struct joint_tapes {
  dae__tape *tape[Q_COUNT];
  const double *held; /* held values */
} joint_tapes;

/* ---- callbacks ---- */

static int bind_joint_run(const void *user, int quantity, double t, const double *z,
                          const double *zdot, const double *s, double *out)
{
  const joint_tapes *h = user;
  const double *in[DAE__CLASSES] = {[DAE__CLASS_T] = &t,
                                    [DAE__CLASS_Q] = z,
                                    [DAE__CLASS_V] = zdot,
                                    [DAE__CLASS_S] = s,
                                    [DAE__CLASS_D] = h->held};
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

/* Builds the tapes of a joint, whose coordinates z are those of the system `of`. */
static void bind_joint_build(dae__binder *b, dae__node g, const dae__system *of, joint_tapes *h)
{
  dae__graph *graph = b->x->graph;
  dae__gradient d = dae__bind_gradient(b, g, DAE__BIT(T));
  dae__node g_t = d.count > 0 ? d.value[0] : DAE__ZERO, gdot = g_t;
  dae__nodes g_row = {.item = &g, .count = 1}, g_t_row = {.item = &g_t, .count = 1};
  dae__triplets G = dae__bind_jacobian(b, of, &g_row, DAE__BIT(Q));
  for (int i = 0; i < G.entries.count; i++) {
    dae__node v = b->x->leaf_rate.item[of->q.item[G.entries.item[i].col]];
    gdot = DAE__ADD(graph, gdot, DAE__MUL(graph, G.entries.item[i].node, v));
  }
  dae__nodes gdot_row = {.item = &gdot, .count = 1};
  dae__nodes Gts = dae__bind_contract(b, &G, false);
  h->tape[Q_g] = dae__bind_vector_tape(b, "g", &g_row);
  h->tape[Q_g_t] = dae__bind_vector_tape(b, "g_t", &g_t_row);
  h->tape[Q_G] = dae__bind_matrix_tape(b, "G", &G);
  dae__node gamma = dae__bind_rate(b, gdot);
  dae__nodes gamma_row = {.item = &gamma, .count = 1};
  h->tape[Q_gamma] = dae__bind_vector_tape(b, "gamma", &gamma_row);
  dae__triplets gdot_z = dae__bind_jacobian(b, of, &gdot_row, DAE__BIT(Q));
  h->tape[Q_gdot_z] = dae__bind_matrix_tape(b, "gdot_z", &gdot_z);
  dae__triplets Gts_z = dae__bind_jacobian(b, of, &Gts, DAE__BIT(Q));
  h->tape[Q_Gts_z] = dae__bind_matrix_tape(b, "Gts_z", &Gts_z);
}

bool dae__bind_joint(dae__binder *b, const dae__constraint *g, const int *system_of_instance,
                     const dae__system *systems, dae_joint *out)
{
  dae__expander *x = b->x;
  if (!dae__binder_leaves(b, 1))
    return false;
  dae__leaves below = dae__leaves_below(x->walker, 1, &g->node);
  bool timed = below.count > 0 && below.leaf[0] == 0;
  int nz = 0;
  for (int i = 0; i < below.count; i++)
    nz += x->leaf_kind.item[below.leaf[i]] == DAE__LEAF_COORD;
  dae__system of = {.q = {.item = DAE__NEW_ARRAY(x->l->scratch, int, nz), .count = nz}};
  dae_port *z = DAE__ALLOC(b->arena, dae_port, nz);
  joint_tapes *h = DAE__ALLOC(b->arena, joint_tapes, 1);
  if (!dae__bind_ok(b))
    return false;
  h->held = b->held_value;
  for (int i = 0, k = 0; k < below.count; k++) {
    int leaf = below.leaf[k];
    if (x->leaf_kind.item[leaf] != DAE__LEAF_COORD)
      continue;
    int system = system_of_instance[dae__leaf_home(x, leaf)];
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
    of.q.item[i] = leaf;
    z[i++] = (dae_port){system, from};
  }
  if ((long)nz * nz > x->l->limits.max_nodes)
    dae__load_fail(x->l, g->place, "a joint with %d coordinates is too large", nz);
  if (x->l->status)
    return false;
  dae__system_place(b, &of, true);
  bind_joint_build(b, g->node, &of, h);
  dae__system_place(b, &of, false);
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
