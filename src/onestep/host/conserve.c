#include "onestep/host/conserve.h"
#include "core/error.h"
#include "core/mutant.h"
#include "core/vec.h"
#include <float.h>
#include <math.h>

/* Least v.M v, relative to the largest one, at which velocities are corrected: where they are
 * small, a correction of the energy by them alone is a large change of the phase. Chosen: half the
 * largest velocity. */
#define LEAST_KINETIC 0.25
/* Error of E by rounding, relative to the sum of its parts. Chosen. */
#define ROUND_OFF (4 * DBL_EPSILON)

dae_status dae__conserve_create(dae__arena *arena, dae__mech *m, const dae_step_options *control,
                                const double *atol_scale, dae__conserve *out, dae_error *err)
{
  *out = (dae__conserve){.rtol = control->rtol, .atol = control->atol, .atol_scale = atol_scale};
  if (!m || !m->p->conservative || control->step > 0)
    return DAE_OK;
  out->m = m;
  out->memory = DAE__STATE(arena, dae__conserve_memory, 1);
  DAE__VECTORS(arena, m->nq, &out->p, &out->back);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_TRUTH(arena, &out->memory->known, 2);
  return DAE_OK;
}

/* The energy of a state. */
typedef struct conserve_energy {
  double E, vMv;
  double rounding; /* error of E by rounding */
} conserve_energy;

/* Whether p is M v, without a part b(q): then v.p is twice T, a form in M. */
static bool conserve_is_homogeneous(const dae__conserve *o, double vp, double T)
{
  return !o->m->p->p || fabs(vp - 2 * T) <= ROUND_OFF * (fabs(vp) + fabs(T));
}

/* The energy of a state; DAE_ERROR_RECOVERABLE: it is not known there. p may have a part b(q)
 * beside M v, as in a frame that turns: v.M v is half of v.(p(v) - p(-v)). */
static dae_status conserve_measure(dae__conserve *o, double t, const double *z,
                                   conserve_energy *out, dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(o->m, t, z);
  double T, V;
  bool has;
  DAE__TRY(dae__mech_energy(o->m, &at, &T, &V, &has, err));
  DAE__TRY(dae__mech_p(o->m, &at, o->p, err));
  double vp = dae__dot(o->m->nq, at.v, o->p);
  out->E = vp - T + V;
  out->vMv = vp;
  out->rounding = ROUND_OFF * (fabs(vp) + fabs(T) + fabs(V));
  if (conserve_is_homogeneous(o, vp, T))
    return DAE_OK;
  for (int i = 0; i < o->m->nq; i++)
    o->back[i] = -at.v[i];
  at.v = o->back;
  DAE__TRY(dae__mech_p(o->m, &at, o->p, err));
  out->vMv = (vp + dae__dot(o->m->nq, o->back, o->p)) / 2;
  return DAE_OK;
}

/* largest change of a velocity by the factor 1 + r, in tolerances */
static double conserve_size(const dae__conserve *o, const double *z, double r)
{
  double most = 0;
  for (int i = o->m->at.v; i < o->m->at.v + o->m->nq; i++)
    most = dae__larger(fabs(r * z[i]) / (o->rtol * fabs(z[i]) + o->atol * o->atol_scale[i]), most);
  return most;
}

/* Corrects the end of a step, given the level at its start. */
static dae_status conserve_correct(dae__conserve *o, const dae_step *step, double *supplied,
                                   dae_error *err)
{
  dae__conserve_memory *k = o->memory;
  conserve_energy from, to;
  if (!k->known) {
    DAE__TRY(conserve_measure(o, step->t, step->from.z, &from, err));
    k->level = from.E;
    k->largest = from.vMv;
  }
  k->known = true;
  DAE__TRY(conserve_measure(o, step->t + step->h, step->to.z, &to, err));
  k->largest = dae__larger(to.vMv, k->largest);
  double missing = k->level - to.E, size = conserve_size(o, step->to.z, missing / to.vMv);
  if (fabs(missing) <= to.rounding || !(to.vMv > LEAST_KINETIC * k->largest))
    return DAE_OK;
  k->refuted = DAE__MUTATE(conserve_limit, !(size <= 1), false);
  if (k->refuted)
    return DAE_OK;
  *supplied = missing;
  dae__scale(o->m->nq, DAE__MUTATE(conserve_sign, 1 + missing / to.vMv, 1 - missing / to.vMv),
             step->to.z + o->m->at.v);
  return DAE_OK;
}

dae_status dae__conserve_step(dae__conserve *o, const dae_step *step, bool conserves,
                              double *supplied, dae_error *err)
{
  dae_error why;
  dae_status status = DAE_OK;
  *supplied = 0;
  if (!o->m || o->memory->refuted)
    return DAE_OK;
  if (conserves) {
    dae__error_clear(&why);
    status = conserve_correct(o, step, supplied, &why);
  }
  if (!conserves || status) /* a level of its own: the step damps, or its energy is not known */
    o->memory->known = false;
  if (!status || status == DAE_ERROR_RECOVERABLE)
    return DAE_OK;
  *err = why;
  return status;
}

void dae__conserve_restart(dae__conserve *o)
{
  if (o->memory)
    o->memory->known = false;
}
