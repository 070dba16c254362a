/* What the length of a window adds to the contraction of a joint iteration, gamma in [WHM11 (54)].
 *
 * A change of an input moves the accelerations of a part by A at once, and so its coordinates by
 * A W^2/2 at the end of a window of length W, to which its outputs answer by
 *
 *   K = d(outputs)/dq A.
 *
 * A sweep with the gains |D| + W^2/2 |K| in the place of D contracts by rho + growth W^2 + ...;
 * [WHM11]'s model has 4/11 + (E + F/16) W^2 with E = 13/121, F = 4/11. */
#include "wave/analysis/growth.h"
#include "core/error.h"
#include "core/vec.h"
#include "wave/analysis/contraction.h"

#define STEP 6e-6  /* of central differences: the third root of the unit round-off */
#define SMALL 1e-6 /* |K| W^2/2 relative to |D|, from which the slope is taken */

typedef struct growth {
  dae__coupling coupling;
  const double *y;
  double *z, *D, *K, *mixed, *G; /* gains of all parts, and what is made of them */
  double *A;                     /* accelerations of one part for its inputs */
  double *moved, *high, *low;    /* its state, and its outputs there */
  dae__answer *accelerations;
  int *order, *owner;
} growth;

/* ---- K ---- */

static dae_status growth_answer(growth *g, double t, int p, const double *y, double *value,
                                double *D, dae_error *err)
{
  dae__coupling *c = &g->coupling;
  return dae__member_answer(c->form[p].member, t, y, c->child[p].scratch_in, c->answer_count[p],
                            c->answers[p], value, D, err);
}

/* column of K for one input: central difference along its accelerations */
static dae_status growth_find_column(growth *g, double t, int p, const double *A, double *K,
                                     dae_error *err)
{
  const dae__coupling *c = &g->coupling;
  const double *y = g->y + c->first_state[p];
  int nq = c->problem->coupled->part[p].mechanical->nq;
  int size = c->first_state[p + 1] - c->first_state[p], count = c->answer_count[p];
  double speed = dae__max_abs(nq, A), reach = STEP * (1 + dae__max_abs(nq, y));
  dae__zero(count, K);
  if (!(speed > 0))
    return DAE_OK;
  dae_status status = DAE_OK;
  for (int side = 1; side >= -1 && !status; side -= 2) {
    dae__copy(size, y, g->moved);
    dae__axpy(nq, side * reach / speed, A, g->moved);
    status = growth_answer(g, t, p, g->moved, side > 0 ? g->high : g->low, NULL, err);
  }
  for (int i = 0; i < count && !status; i++)
    K[i] = c->answers[p][i].kind == DAE__ANSWER_VARIABLE
               ? 0
               : (g->high[i] - g->low[i]) * speed / (2 * reach);
  return status;
}

static dae_status growth_find_part(growth *g, double t, int p, dae_error *err)
{
  dae__coupling *c = &g->coupling;
  const dae_mechanical *m = c->problem->coupled->part[p].mechanical;
  int count = c->answer_count[p], inputs = c->form[p].inputs, first = c->f->first_gain[p];
  const double *y = g->y + c->first_state[p];
  dae__interface_inputs(c->f, p, g->z, c->child[p].scratch_in);
  dae_status status = growth_answer(g, t, p, y, g->high, g->D + first, err);
  dae__zero(count * inputs, g->K + first);
  if (status || !m)
    return status;
  for (int i = 0; i < m->nq; i++)
    g->accelerations[i] = (dae__answer){DAE__ANSWER_ACCELERATION, i};
  status = dae__member_answer(c->form[p].member, t, y, c->child[p].scratch_in, m->nq,
                              g->accelerations, g->high, g->A, err);
  for (int j = 0; j < inputs && !status; j++)
    status = growth_find_column(g, t, p, g->A + (size_t)j * (size_t)m->nq,
                                g->K + first + (size_t)j * (size_t)count, err);
  return status;
}

/* ---- memory ---- */

static dae_status growth_alloc_memory(dae__arena *arena, growth *g, dae_error *err)
{
  const dae__coupling *c = &g->coupling;
  const dae__interface *f = c->f;
  int total = f->first_gain[f->systems], most = 0, inputs = 0, outputs = 0;
  for (int p = 0; p < c->parts; p++) {
    int size = c->first_state[p + 1] - c->first_state[p];
    most = size > most ? size : most;
    inputs = c->form[p].inputs > inputs ? c->form[p].inputs : inputs;
    outputs = c->answer_count[p] > outputs ? c->answer_count[p] : outputs;
  }
  outputs = outputs > most ? outputs : most; /* accelerations of all coordinates are asked for */
  g->z = DAE__ALLOC(arena, double, f->unknowns);
  g->D = DAE__ALLOC(arena, double, total);
  g->K = DAE__ALLOC(arena, double, total);
  g->mixed = DAE__ALLOC(arena, double, total);
  g->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  g->A = DAE__ALLOC(arena, double, (size_t)most *(size_t)inputs);
  g->moved = DAE__ALLOC(arena, double, most);
  g->high = DAE__ALLOC(arena, double, outputs);
  g->low = DAE__ALLOC(arena, double, outputs);
  g->accelerations = DAE__ALLOC(arena, dae__answer, most);
  g->order = DAE__ALLOC(arena, int, f->systems);
  g->owner = DAE__ALLOC(arena, int, f->directs);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

/* ---- the slope ---- */

/* rho with the gains |D| + s |K| */
static dae_status growth_radius(growth *g, const dae_env *env, double t, double s, double *rho,
                                dae_error *err)
{
  dae__interface *f = g->coupling.f;
  for (int i = 0; i < f->first_gain[f->systems]; i++)
    g->mixed[i] = fabs(g->D[i]) + s * fabs(g->K[i]);
  dae_status status = dae__interface_matrix(f, t, g->mixed, g->z, g->G, err);
  dae__loop loop = {f->systems, g->owner, &f->G, g->G};
  return status ? status : dae__contraction_radius(env, &loop, g->order, rho, err);
}

static dae_status growth_slope(growth *g, const dae_env *env, double t, double *out, dae_error *err)
{
  dae__interface *f = g->coupling.f;
  int total = f->first_gain[f->systems];
  double D = dae__max_abs(total, g->D), K = dae__max_abs(total, g->K), rho[2];
  *out = 0;
  if (!(K > 0) || f->directs == 0)
    return DAE_OK;
  double s = SMALL * D / K;
  dae_status status = growth_radius(g, env, t, 0, &rho[0], err);
  if (!status)
    status = growth_radius(g, env, t, s, &rho[1], err);
  if (!status)
    *out = (rho[1] - rho[0]) / (2 * s); /* s = W^2/2 */
  return status;
}

dae_status dae__joint_growth(const dae__growth_at *at, const dae_env *env, double *out,
                             dae_error *err)
{
  growth g = {.y = at->y};
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae__coupling_recipe recipe = {.problem = at->problem,
                                 .splitting =
                                     at->last ? DAE_WAVE_SPLIT_SECOND : DAE_WAVE_SPLIT_FIRST,
                                 .t = at->t,
                                 .y = at->y,
                                 .dy = at->dy};
  dae_status status = dae__coupling_create(arena, &recipe, &g.coupling, err);
  if (!status)
    status = growth_alloc_memory(arena, &g, err);
  if (!status)
    dae__coupling_unknowns(&g.coupling, at->y, at->dy, g.z);
  for (int p = 0; p < g.coupling.parts && !status; p++)
    status = growth_find_part(&g, at->t, p, err);
  for (int i = 0; !status && i < g.coupling.parts; i++)
    g.order[i] = i;
  for (int i = 0; !status && i < g.coupling.f->directs; i++)
    g.owner[i] = g.coupling.f->owner[g.coupling.f->unknown_of[i]];
  if (!status)
    status = growth_slope(&g, env, at->t, out, err);
  dae__coupling_free(&g.coupling);
  dae__arena_free(arena);
  return status;
}
