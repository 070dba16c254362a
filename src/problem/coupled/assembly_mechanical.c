/* The assembled mechanical problem: every callback evaluates all elements, each at its entries of
 * the assembled vectors, and adds their matrices at their assembled indices.
 *
 *   M = diag(M_i),   f = (f_i),   g = (g_i, g of the joints),   G = [diag(G_i); G of the joints]
 *
 * Parts given by (M, f) and by (p, F) can be mixed: dae__mech evaluates all four for either. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/coupled/assembly_private.h"

/* ---- evaluations ---- */

/* True where a wanted result of an element is not finite. The assembly ignores such a refusal: the
 * check of the assembled results finds the value, and knows the name of its equation. */
static bool assembly_has_nonfinite(const dae__sizes *n, const dae_mechanical_wanted *w)
{
  const struct {
    const double *x;
    int n;
  } all[] = {{w->f, n->q},    {w->s, n->u},     {w->c, n->w}, {w->g, n->g},
             {w->gdot, n->g}, {w->gamma, n->g}, {w->k, n->k}, {w->kappa, n->k}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (all[i].x && !dae__all_finite(all[i].n, all[i].x))
      return true;
  return false;
}

static dae_status assembly_eval_element(dae__assembly *a, int i, const dae_mechanical_at *at,
                                        const dae_mechanical_wanted *w)
{
  dae__element *e = &a->element[i];
  dae_mechanical_at here = dae__element_at(e, at);
  if (w->f || w->s || w->c)
    dae__element_inputs(e, &a->total, at);
  if (e->semi)
    return dae__element_diagnose(a, e,
                                 dae__element_semi(e, &here, dae__sub(w->s, e->at.u),
                                                   dae__sub(w->c, e->at.w), NULL, &a->last));
  dae_mechanical_wanted own = {.g = dae__sub(w->g, e->at.g),
                               .gdot = dae__sub(w->gdot, e->at.g),
                               .gamma = dae__sub(w->gamma, e->at.g),
                               .G = w->G || w->gdot ? a->G.values : NULL};
  if (!e->joint) {
    own.M = w->M ? a->M.values : NULL;
    own.f = dae__sub(w->f, e->at.q);
    own.s = dae__sub(w->s, e->at.u);
    own.c = dae__sub(w->c, e->at.w);
    own.k = dae__sub(w->k, e->at.k);
    own.K = w->K ? a->K.values : NULL;
    own.kappa = dae__sub(w->kappa, e->at.k);
  }
  dae_status status = dae__element_diagnose(a, e, dae__mech_eval(e->m, &here, &own, &a->last));
  if (status && !(status == DAE_ERROR_RECOVERABLE && assembly_has_nonfinite(&e->n, &own)))
    return status;
  if (own.M)
    dae__mosaic_add(&a->M, i, w->M);
  if (w->G)
    dae__mosaic_add(&a->G, i, w->G);
  if (own.K)
    dae__mosaic_add(&a->K, i, w->K);
  return DAE_OK;
}

static int assembly_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  dae__assembly *a = user;
  dae_status status = DAE_OK;
  if (w->M)
    dae__zero(dae__pattern_count(&a->M.pattern), w->M);
  if (w->G)
    dae__zero(dae__pattern_count(&a->G.pattern), w->G);
  if (w->K)
    dae__zero(dae__pattern_count(&a->K.pattern), w->K);
  for (int i = 0; i < a->elements && !status; i++)
    status = assembly_eval_element(a, i, at, w);
  return dae__callback_code(status);
}

#define EVAL_ONE(name)                                                                             \
  static int assembly_eval_##name(void *user, const dae_mechanical_at *at, double *out)            \
  {                                                                                                \
    return assembly_eval(user, at, &(dae_mechanical_wanted){.name = out});                         \
  }
EVAL_ONE(M)
EVAL_ONE(f)
EVAL_ONE(s)
EVAL_ONE(c)
EVAL_ONE(g)
EVAL_ONE(G)
EVAL_ONE(gamma)
EVAL_ONE(k)
EVAL_ONE(K)
EVAL_ONE(kappa)
#undef EVAL_ONE

/* g_t, as gdot = g_t + G v at v = 0. */
static int assembly_eval_g_t(void *user, const dae_mechanical_at *at, double *out)
{
  dae__assembly *a = user;
  dae_mechanical_at rest = *at;
  rest.v = a->zero_v;
  return assembly_eval(a, &rest, &(dae_mechanical_wanted){.gdot = out});
}

/* ---- derivatives ---- */

/* out = sum of a derivative over the elements, with the element's entries of s, which belong to q,
 * g or k. */
static int assembly_derivative(dae__assembly *a, dae__mech_part part, const dae_mechanical_at *at,
                               const double *s, dae__mosaic *m, double *out)
{
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&m->pattern), out);
  for (int i = 0; i < a->elements && !status; i++) {
    dae__element *e = &a->element[i];
    if (dae__pattern_count(m->piece[i].pattern) == 0)
      continue;
    dae_mechanical_at here = dae__element_at(e, at);
    int first = part == DAE__MS_QV ? e->at.q : part == DAE__GTS_Q ? e->at.g : e->at.k;
    status = dae__mech_derivative(e->m, part, &here, s ? s + first : NULL, m->values, &a->last);
    status = dae__element_diagnose(a, e, status);
    if (!status)
      dae__mosaic_add(m, i, out);
  }
  return dae__callback_code(status);
}

#define CONTRACTED(part, matrix)                                                                   \
  static int assembly_eval_##part(void *user, const dae_mechanical_at *at, const double *s,        \
                                  double *out)                                                     \
  {                                                                                                \
    dae__assembly *a = user;                                                                       \
    return assembly_derivative(a, DAE__##part, at, s, &a->matrix, out);                            \
  }
CONTRACTED(MS_QV, Ms)
CONTRACTED(GTS_Q, Gts)
CONTRACTED(KTS_QV, Kts)
#undef CONTRACTED

#define PLAIN(part, matrix)                                                                        \
  static int assembly_eval_##part(void *user, const dae_mechanical_at *at, double *out)            \
  {                                                                                                \
    dae__assembly *a = user;                                                                       \
    return assembly_derivative(a, DAE__##part, at, NULL, &a->matrix, out);                         \
  }
PLAIN(GDOT_Q, G)
PLAIN(K_Q, kq)
#undef PLAIN

static int assembly_eval_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  dae__assembly *a = user;
  dae_status status = DAE_OK;
  *T = *V = 0;
  for (int i = 0; i < a->parts && !status; i++) {
    dae__element *e = &a->element[i];
    double T_i = 0, V_i = 0;
    bool has_potential;
    if (!e->m)
      continue;
    dae_mechanical_at here = dae__element_at(e, at);
    dae__element_inputs(e, &a->total, at);
    status = dae__element_diagnose(
        a, e, dae__mech_energy(e->m, &here, &T_i, &V_i, &has_potential, &a->last));
    *T += T_i;
    *V += V_i;
  }
  return dae__callback_code(status);
}

static int assembly_eval_energy_rate(void *user, const dae_mechanical_at *at, const double *in_rate,
                                     double *T_rate, double *V_rate)
{
  dae__assembly *a = user;
  bool has_inputs = false;
  (void)in_rate; /* NULL: the assembled problem has no inputs */
  *T_rate = *V_rate = 0;
  for (int i = 0; i < a->parts; i++)
    has_inputs = has_inputs || (a->element[i].m && a->element[i].nin > 0);
  if (a->total.u > 0 && has_inputs) {
    int code = assembly_eval(a, at, &(dae_mechanical_wanted){.s = a->s});
    if (code)
      return code;
  }
  dae_status status = DAE_OK;
  for (int i = 0; i < a->parts && !status; i++) {
    dae__element *e = &a->element[i];
    double T = 0, V = 0;
    if (!e->m)
      continue;
    dae_mechanical_at here = dae__element_at(e, at);
    dae__element_inputs(e, &a->total, at);
    /* rate of an input: NaN where it is wired to a velocity, whose rate needs the accelerations, or
     * to an algebraic variable, whose rate needs the time derivative of its equations */
    for (int j = 0; j < e->nin; j++) {
      int z = e->source[j], u = z - 2 * a->total.q;
      a->in_rate[j] = z < a->total.q ? at->v[z] : u >= 0 && u < a->total.u ? a->s[u] : NAN;
    }
    status = dae__element_diagnose(
        a, e, dae__mech_energy_rate(e->m, &here, e->nin > 0 ? a->in_rate : NULL, &T, &V, &a->last));
    *T_rate += T;
    *V_rate += V;
  }
  return dae__callback_code(status);
}

/* ---- momenta ---- */

typedef dae_status momenta_fn(dae__mech *m, const dae_mechanical_at *at, double *out,
                              dae_error *err);

static int assembly_momenta(dae__assembly *a, const dae_mechanical_at *at, momenta_fn *fn,
                            double *out)
{
  dae_status status = DAE_OK;
  for (int i = 0; i < a->parts && !status; i++) {
    dae__element *e = &a->element[i];
    if (!e->m)
      continue;
    dae_mechanical_at here = dae__element_at(e, at);
    if (fn == dae__mech_F) /* p and p_rate do not depend on inputs */
      dae__element_inputs(e, &a->total, at);
    status = dae__element_diagnose(a, e, fn(e->m, &here, out + e->at.q, &a->last));
  }
  return dae__callback_code(status);
}

#define MOMENTA(name)                                                                              \
  static int assembly_eval_##name(void *user, const dae_mechanical_at *at, double *out)            \
  {                                                                                                \
    return assembly_momenta(user, at, dae__mech_##name, out);                                      \
  }
MOMENTA(p)
MOMENTA(F)
MOMENTA(p_rate)
#undef MOMENTA

/* ---- the assembled problem ---- */

static void assembly_create_matrices(dae__assembly *a, dae__arena *arena)
{
  int nq = a->total.q, ng = a->total.g, nk = a->total.k, most_inputs = 0;
  const struct {
    dae__mosaic *m;
    int rows, cols;
  } all[] = {{&a->M, nq, nq},   {&a->G, ng, nq},  {&a->K, nk, nq},      {&a->Ms, nq, 2 * nq},
             {&a->Gts, nq, nq}, {&a->kq, nk, nq}, {&a->Kts, nq, 2 * nq}};
  const size_t count = sizeof all / sizeof *all;
  for (size_t i = 0; i < count; i++)
    dae__mosaic_alloc(a, arena, 1, all[i].m);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < a->elements; i++) {
    const dae__element *e = &a->element[i];
    const dae__mech *m = e->m;
    if (!m)
      continue;
    a->M.piece[i] = (dae__piece){&m->M, e->z, e->z, NULL};
    a->G.piece[i] = (dae__piece){&m->G, e->g, e->z, NULL};
    a->K.piece[i] = (dae__piece){&m->K, e->k, e->z, NULL};
    a->Ms.piece[i] = (dae__piece){&m->Ms, e->z, e->z, NULL};
    a->Gts.piece[i] = (dae__piece){&m->Gts, e->z, e->z, NULL};
    a->kq.piece[i] = (dae__piece){&m->kq, e->k, e->z, NULL};
    a->Kts.piece[i] = (dae__piece){&m->Kts, e->z, e->z, NULL};
  }
  for (size_t i = 0; i < count; i++)
    dae__mosaic_merge(a, arena, all[i].rows, all[i].cols, 1, all[i].m);
  dae__assembly_J_pieces(a, arena);
  a->zero_v = DAE__ALLOC(arena, double, nq);
  a->s = DAE__ALLOC(arena, double, a->total.u);
  for (int i = 0; i < a->parts; i++)
    most_inputs = a->element[i].nin > most_inputs ? a->element[i].nin : most_inputs;
  a->in_rate = DAE__ALLOC(arena, double, most_inputs);
}

/* Flags and energy callbacks of the assembled problem: set where all elements have them. */
static void assembly_describe_flags(const dae__assembly *a, dae_mechanical *p)
{
  bool energy = true, energy_rate = true;
  p->constant_mass = p->time_free_g = true;
  for (int i = 0; i < a->elements; i++) {
    const dae_mechanical *own = a->element[i].m ? a->element[i].m->p : NULL;
    if (!own)
      continue;
    p->constant_mass = p->constant_mass && own->constant_mass;
    p->time_free_g = p->time_free_g && (own->ng == 0 || own->time_free_g);
    energy = energy && (a->element[i].joint || own->energy);
    energy_rate = energy_rate && (a->element[i].joint || own->energy_rate);
  }
  p->energy = energy ? assembly_eval_energy : NULL;
  p->energy_rate = energy && energy_rate ? assembly_eval_energy_rate : NULL;
  p->g_t = p->time_free_g ? NULL : assembly_eval_g_t;
}

/* Which constraints held values may switch off, of all elements; NULL: none. */
static const bool *assembly_switched(const dae__assembly *a, dae__arena *arena)
{
  bool *switched = DAE__ALLOC(arena, bool, a->total.g + a->total.k), any = false;
  for (int i = 0, g = 0, k = a->total.g; switched && i < a->elements; i++) {
    const dae_mechanical *own = a->element[i].m ? a->element[i].m->p : NULL;
    for (int j = 0; own && j < own->ng + own->nk; j++) {
      bool on = own->switched && own->switched[j];
      switched[j < own->ng ? g++ : k++] = on;
      any = any || on;
    }
  }
  return any ? switched : NULL;
}

void dae__assembly_mechanical(dae__assembly *a, dae__arena *arena)
{
  dae_mechanical *p = &a->mechanical;
  const dae__sizes *n = &a->total;
  assembly_create_matrices(a, arena);
  *p = (dae_mechanical){.name = a->coupled->name,
                        .nq = n->q,
                        .ng = n->g,
                        .nk = n->k,
                        .nu = n->u,
                        .nw = n->w,
                        .user = a,
                        .M = assembly_eval_M,
                        .f = assembly_eval_f,
                        .p = assembly_eval_p,
                        .F = assembly_eval_F,
                        .p_rate = assembly_eval_p_rate,
                        .s = assembly_eval_s,
                        .c = assembly_eval_c,
                        .g = assembly_eval_g,
                        .k = assembly_eval_k,
                        .G = assembly_eval_G,
                        .K = assembly_eval_K,
                        .gamma = assembly_eval_gamma,
                        .kappa = assembly_eval_kappa,
                        .J = dae__assembly_J,
                        .Ms_qv = assembly_eval_MS_QV,
                        .Gts_q = assembly_eval_GTS_Q,
                        .gdot_q = assembly_eval_GDOT_Q,
                        .k_q = assembly_eval_K_Q,
                        .Kts_qv = assembly_eval_KTS_QV,
                        .eval = assembly_eval};
  p->q_names = dae__assembly_names(a, arena, 'q');
  p->u_names = dae__assembly_names(a, arena, 'u');
  p->w_names = dae__assembly_names(a, arena, 'w');
  p->g_names = dae__assembly_names(a, arena, 'g');
  p->k_names = dae__assembly_names(a, arena, 'k');
  p->switched = assembly_switched(a, arena);
  assembly_describe_flags(a, p);
  if (a->sparse) {
    p->M_pattern = &a->M.pattern;
    p->G_pattern = &a->G.pattern;
    p->K_pattern = &a->K.pattern;
    p->J_pattern = &a->J.pattern;
    p->Ms_pattern = &a->Ms.pattern;
    p->Gts_pattern = &a->Gts.pattern;
    p->k_q_pattern = &a->kq.pattern;
    p->Kts_pattern = &a->Kts.pattern;
  }
  a->problem.mechanical = p;
}
