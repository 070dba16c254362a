/* The callbacks of a mechanical system: they run its tapes on the arrays of the state. */
#include "model/bind/mechanics.h"
#include "model/bind/bind.h"
#include "model/tape/tape_code.h"
#include <math.h>
#include <stddef.h>

#define HAS(name) (1u << DAE__Q_##name)

/* Quantities evaluated together: in residuals of the GGL form, accelerations, projection, drift. */
const dae__program_plan dae__mechanics_programs[DAE__PROGRAMS] = {
    {HAS(M) | HAS(f) | HAS(s) | HAS(c) | HAS(g) | HAS(gdot) | HAS(G) | HAS(k) | HAS(K) | HAS(B),
     "M, f, s, c, g, gdot, G, k, K, B"},
    {HAS(f) | HAS(s) | HAS(c) | HAS(g) | HAS(gdot) | HAS(G) | HAS(k) | HAS(K) | HAS(B),
     "f, s, c, g, gdot, G, k, K, B"},
    {HAS(M) | HAS(f) | HAS(s) | HAS(G) | HAS(gamma) | HAS(K) | HAS(kappa) | HAS(B),
     "M, f, s, G, gamma, K, kappa, B"},
    {HAS(g) | HAS(gdot) | HAS(G) | HAS(k), "g, gdot, G, k"},
    {HAS(M) | HAS(G) | HAS(K) | HAS(B), "M, G, K, B"},
    {HAS(f) | HAS(s) | HAS(c), "f, s, c"},
    {HAS(g) | HAS(G), "g, G"},
    {HAS(k) | HAS(K), "k, K"}};

const char *const dae__quantity_names[] = {
#define NAME(name) #name,
    DAE__WANTED(NAME) DAE__SINGLE(NAME)
#undef NAME
};

/* ---- callbacks ---- */

static void mechanics_point(const dae__mechanical_tapes *m, const dae_mechanical_at *at,
                            const double *s, const double **in)
{
  in[DAE__CLASS_T] = &at->t;
  in[DAE__CLASS_Q] = at->q;
  in[DAE__CLASS_V] = at->v;
  in[DAE__CLASS_U] = at->u;
  in[DAE__CLASS_W] = at->w;
  in[DAE__CLASS_IN] = at->in;
  in[DAE__CLASS_S] = s;
  in[DAE__CLASS_D] = m->held;
}

static int mechanics_run(const dae__mechanical_tapes *m, dae__tape *tape,
                         const dae_mechanical_at *at, const double *s, double *out)
{
  const double *in[DAE__CLASSES];
  mechanics_point(m, at, s, in);
  return dae__tape_run(tape, in, &out) ? 0 : -1;
}

/* Quantities with a callback, X(name): CALLBACKS without, CALLBACKS_S with a vector s. g_t has a
 * callback only if it is not 0. */
#define CALLBACKS(X)                                                                               \
  X(M)                                                                                             \
  X(f)                                                                                             \
  X(s)                                                                                             \
  X(c) X(g) X(G) X(gamma) X(k) X(K) X(kappa) X(B) X(p) X(F) X(p_rate) X(J) X(J_in) X(gdot_q) X(k_q)
#define CALLBACKS_S(X) X(Ms_qv) X(Gts_q) X(Kts_qv) X(Bts_qv)

#define CALLBACK(name)                                                                             \
  static int mechanics_eval_##name(void *user, const dae_mechanical_at *at, double *out)           \
  {                                                                                                \
    const dae__mechanical_tapes *m = user;                                                         \
    return mechanics_run(m, m->single[DAE__Q_##name], at, NULL, out);                              \
  }
CALLBACKS(CALLBACK)
CALLBACK(g_t)
#undef CALLBACK

#define CALLBACK_S(name)                                                                           \
  static int mechanics_eval_##name(void *user, const dae_mechanical_at *at, const double *s,       \
                                   double *out)                                                    \
  {                                                                                                \
    const dae__mechanical_tapes *m = user;                                                         \
    return mechanics_run(m, m->single[DAE__Q_##name], at, s, out);                                 \
  }
CALLBACKS_S(CALLBACK_S)
#undef CALLBACK_S

static int mechanics_eval_energy(void *user, const dae_mechanical_at *at, double *T, double *V)
{
  const dae__mechanical_tapes *m = user;
  double out[2] = {0};
  int result = mechanics_run(m, m->energy, at, NULL, out);
  *T = out[0];
  *V = out[1];
  return result;
}

static int mechanics_eval_energy_rate(void *user, const dae_mechanical_at *at,
                                      const double *in_rate, double *T_rate, double *V_rate)
{
  const dae__mechanical_tapes *m = user;
  double out[2] = {0};
  int result = mechanics_run(m, m->energy_rate, at, in_rate, out);
  *T_rate = out[0];
  *V_rate = out[1];
  return result;
}

/* The groups of a program are the members of dae_mechanical_wanted, in the same order. */
_Static_assert(sizeof(dae_mechanical_wanted) == DAE__WANTED_COUNT * sizeof(double *),
               "members and nothing else");
#define IN_ORDER(name)                                                                             \
  _Static_assert(offsetof(dae_mechanical_wanted, name) == DAE__Q_##name * sizeof(double *), #name);
DAE__WANTED(IN_ORDER)
#undef IN_ORDER

/* Runs the programs without unwanted quantities, the largest first, then the tapes of single
 * quantities. */
static int mechanics_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *w)
{
  const dae__mechanical_tapes *m = user;
  double *const *out = &w->M;
  const double *in[DAE__CLASSES];
  unsigned wanted = 0;
  bool done = true;
#define MARK(name) wanted |= (unsigned)(w->name != NULL) << DAE__Q_##name;
  DAE__WANTED(MARK)
#undef MARK
  wanted &= m->present;
  mechanics_point(m, at, NULL, in);
  for (int i = 0; i < m->programs && wanted; i++) {
    if (m->program[i].mask & ~wanted)
      continue;
    done = dae__tape_run(m->program[i].tape, in, out) && done;
    wanted &= ~m->program[i].mask;
  }
  for (int i = 0; wanted; i++, wanted >>= 1)
    if (wanted & 1)
      done = dae__tape_run(m->single[i], in, &out[i]) && done;
  return done ? 0 : -1;
}

/* ---- accelerations ---- */

/* Growth above which a pivot may be too small: a ratio of 1e-6, as for pivots of numerical
 * elimination (linalg/saddle/schur_small.h). */
#define GROWTH_MAX 1e12
/* Residual of the rows, relative to the sizes of its terms, above which accelerations are not used:
 * some digits are left for pivots that grow. Chosen, not measured. */
#define RESIDUAL_MAX 1e-12

/* Whether the largest residual of a row is small beside the largest term, both in the norm of the
 * inverse mass matrix; sizes: squares of the sizes of the rows. */
static bool mechanics_residual_is_small(const dae__mechanical_tapes *m, const double *sizes)
{
  double residual = 0, terms = 0;
  for (int i = 0; i < m->rows; i++) {
    double r = m->residual[i] * m->residual[i] / sizes[i];
    double s = m->summand[i] * m->summand[i] / sizes[i];
    residual = r <= residual ? residual : r; /* a NaN is kept */
    terms = s > terms ? s : terms;
  }
  return residual <= RESIDUAL_MAX * RESIDUAL_MAX * terms;
}

/* Not inlined, so that the frequent call without projection has a small frame. */
static __attribute__((noinline)) int mechanics_project(const dae__mechanical_tapes *m,
                                                       const dae_mechanical_at *at,
                                                       const dae_mechanical_motion *to)
{
  const double *in[DAE__CLASSES];
  double growth = 0;
  double *const out[] = {to->rates,  to->multipliers, &growth,     to->q,     to->v,
                         to->pivots, to->sizes,       m->residual, m->summand};
  _Static_assert(sizeof out / sizeof *out == DAE__MOTION_GROUPS, "groups of outputs");
  mechanics_point(m, at, NULL, in);
  if (!dae__tape_run(m->project, in, out))
    return -1;
  return !(growth <= GROWTH_MAX && mechanics_residual_is_small(m, to->sizes));
}

static int mechanics_accelerate(void *user, const dae_mechanical_at *at,
                                const dae_mechanical_motion *to)
{
  const dae__mechanical_tapes *m = user;
  const double *in[DAE__CLASSES];
  double growth = 0;
  if (to->q)
    return mechanics_project(m, at, to);
  mechanics_point(m, at, NULL, in);
  double *const out[] = {to->rates, to->multipliers, &growth};
  _Static_assert(sizeof out / sizeof *out == DAE__MOTION_GROUPS_PLAIN, "groups of outputs");
  if (!dae__tape_run_frequent(m->accelerate, in, out))
    return -1;
  return !(growth <= GROWTH_MAX);
}

/* ---- table of callbacks ---- */

void dae__mechanics_callbacks(dae__mechanical_tapes *m, dae_mechanical *p)
{
#define SET(name) p->name = m->single[DAE__Q_##name] ? mechanics_eval_##name : NULL;
  CALLBACKS(SET)
  CALLBACKS_S(SET)
#undef SET
  p->g_t = m->single[DAE__Q_g_t] && !p->time_free_g ? mechanics_eval_g_t : NULL;
  p->user = m;
  p->eval = mechanics_eval;
  p->energy = mechanics_eval_energy;
  p->energy_rate = mechanics_eval_energy_rate;
  p->accelerate = m->accelerate && (m->rows == 0 || m->project) ? mechanics_accelerate : NULL;
}
