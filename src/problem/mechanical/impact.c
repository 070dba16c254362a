#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "problem/mechanical/impact_private.h"

#include <float.h>

/* Share of a gradient that the constraints leave, below which they determine the rate of its gap.
 * Chosen: far above the round-off of the saddle system. */
#define DETERMINED 1e-10
/* Largest share of the change of the velocities that may be round-off, where it adds energy.
 * Chosen.
 */
#define ANSWER_NOISE 1e-6

/* ---- compliance ---- */

/* Column of the compliance of a gradient D: x of M x + A'y = D', A x = 0; returns the share |M x| /
 * |D| that the constraints leave. */
static double impact_comply(dae__motion *motion, const double *D, double *x)
{
  const dae__mech *m = motion->m;
  double *left = motion->top, *y = motion->bottom, size = dae__max_abs(m->nq, D);
  dae__copy(m->nq, D, x);
  dae__zero(m->nc, y);
  dae__copy(m->nq, D, left);
  if (motion->directed) {
    dae__motion_respond_directed(motion, x, y);
    dae__matrix_transposed_times(&m->B, motion->B, -1, y, left);
    return size > 0 ? dae__max_abs(m->nq, left) / size : 0;
  }
  dae__saddle_solve(motion->saddle, x, y);
  if (m->ng > 0)
    dae__matrix_transposed_times(&m->G, motion->G, -1, y, left);
  if (m->nk > 0)
    dae__matrix_transposed_times(&m->K, motion->K, -1, y + m->ng, left);
  return size > 0 ? dae__max_abs(m->nq, left) / size : 0;
}

/* H = D X, by the entries of D that are not zero: a gap contains few coordinates. */
static void impact_multiply(dae__impact_system *s)
{
  double rate;
  dae__zero(s->rows * s->rows, s->H);
  for (int i = 0; i < s->contacts; i++)
    for (int r = s->first[i]; r < s->first[i + 1]; r++) {
      const double *D = dae__impact_row(s, i, r - s->first[i], &rate);
      for (int k = 0; k < s->nq; k++)
        for (int c = 0; c < s->rows && D[k] != 0; c++)
          s->H[c * s->rows + r] += D[k] * s->X[(size_t)c * (size_t)s->nq + (size_t)k];
    }
}

/* Forms X, H, the speeds before and the scales; fails where a gap closes at a rate that the
 * constraints determine. */
static dae_status impact_prepare(dae__impact_system *s, dae__motion *motion, double t,
                                 const double *v, dae_error *err)
{
  double fastest = 0, rate;
  for (int i = 0; i < s->contacts; i++)
    for (int r = s->first[i]; r < s->first[i + 1]; r++) {
      const double *D = dae__impact_row(s, i, r - s->first[i], &rate);
      double share = impact_comply(motion, D, s->X + (size_t)r * (size_t)s->nq);
      s->scale[r] = share > DETERMINED;
      s->before[r] = dae__dot(s->nq, D, v) + rate;
      fastest = fmax(fastest, fabs(s->before[r]));
    }
  impact_multiply(s);
  for (int i = 0; i < s->contacts; i++) {
    int n = s->first[i], end = s->first[i + 1];
    double most = 0;
    for (int r = n + 1; r < end; r++)
      most = fmax(most, s->scale[r] > 0 ? s->H[r * s->rows + r] : 0);
    for (int r = n; r < end; r++) {
      double h = r == n ? s->H[r * s->rows + r] : most;
      s->scale[r] = s->scale[r] > 0 && h > 0 ? 1 / sqrt(h) : 0;
    }
    if (s->scale[n] == 0 && s->before[n] < -1e3 * DETERMINED * fastest) {
      dae__fail(err, DAE_ERROR_STEP, s->contact[i].name,
                "'%s' closes at t = %.10g at a speed of %.4g that the constraints determine: no "
                "impulse can stop it. Give the mechanism a freedom there, or a stop that moves",
                s->contact[i].name, t, -s->before[n]);
      return dae__fail_at(err, t, NAN), DAE_ERROR_STEP;
    }
  }
  return DAE_OK;
}

/* ---- energy ---- */

double dae__impact_after(const dae__impact_system *s, const double *impulse, int r)
{
  double after = s->before[r];
  for (int c = 0; c < s->rows; c++)
    after += s->H[c * s->rows + r] * impulse[c];
  return after;
}

/* Energy that impulses take away: -sum P (before + after)/2; *noise: its round-off. */
static double impact_loss(const dae__impact_system *s, const double *impulse, double *noise)
{
  double loss = 0;
  *noise = 0;
  for (int r = 0; r < s->rows; r++) {
    double after = dae__impact_after(s, impulse, r);
    loss -= impulse[r] * (s->before[r] + after) / 2;
    *noise += fabs(impulse[r]) * (fabs(s->before[r]) + fabs(after));
  }
  *noise *= 4 * DBL_EPSILON;
  return loss;
}

/* Largest th in [0, 1] at which plastic + th (impulse - plastic) loses no negative energy: the loss
 * is concave in th, and not negative at 0. Replaces impulse by that combination. */
static double impact_reduce(const dae__impact_system *s, const double *plastic, double *impulse)
{
  double noise, a = 0, b = 0, c = impact_loss(s, plastic, &noise);
  for (int r = 0; r < s->rows; r++) {
    double p = plastic[r], dp = impulse[r] - p, after = dae__impact_after(s, plastic, r);
    double da = dae__impact_after(s, impulse, r) - after;
    a -= dp * da / 2;
    b -= (p * da + dp * (s->before[r] + after)) / 2;
  }
  double root = sqrt(fmax(b * b - 4 * a * fmax(c, 0), 0));
  double th = a < 0 ? (b + root) / (-2 * a) : 0;
  th = fmin(fmax(th, 0), 1);
  for (int r = 0; r < s->rows; r++)
    impulse[r] = plastic[r] + th * (impulse[r] - plastic[r]);
  return th;
}

/* ---- the impact ---- */

static dae_status impact_create(dae__arena *arena, int nq, int count,
                                const dae__impact_contact *contact, dae__impact_system *s,
                                dae_error *err)
{
  int unknowns = 0, rows = 0;
  *s = (dae__impact_system){.contacts = count, .contact = contact, .nq = nq};
  s->first = DAE__ALLOC(arena, int, count + 1);
  for (int i = 0; s->first && i < count; i++) {
    s->first[i] = rows;
    rows += 1 + contact[i].slides;
    unknowns += dae__impact_unknowns(&contact[i]);
    s->first[i + 1] = rows;
  }
  s->rows = rows;
  s->X = DAE__ALLOC(arena, double, (size_t)rows *(size_t)nq);
  s->H = DAE__ALLOC(arena, double, rows *rows);
  DAE__VECTORS(arena, rows, &s->before, &s->scale, &s->impulse, &s->plastic);
  DAE__VECTORS(arena, unknowns, &s->q, &s->z);
  s->M = DAE__ALLOC(arena, double, unknowns *unknowns);
  s->unknown = DAE__ALLOC(arena, dae__impact_unknown, unknowns);
  s->sliding = DAE__ALLOC(arena, bool, count);
  dae__lcp_create(arena, unknowns, &s->lcp);
  DAE__VECTORS(arena, (size_t)count * (size_t)nq, &s->basis, &s->dual);
  DAE__VECTORS(arena, count, &s->beta, &s->p);
  s->E = DAE__ALLOC(arena, double, count *count);
  dae__nnls_create(arena, count, count, &s->nnls);
  return dae__arena_status(arena, err);
}

/* Impulses by a law; false: there is no answer. The last law always has one. */
static bool impact_obey(dae__impact_system *s, dae__impact_law law, const double *v,
                        double *impulse)
{
  bool restitution = law == DAE__IMPACT_AS_GIVEN || law == DAE__IMPACT_SMOOTH;
  if (law == DAE__IMPACT_PLASTIC_SMOOTH)
    dae__impact_rest(s, v, impulse);
  return law == DAE__IMPACT_PLASTIC_SMOOTH ||
         dae__impact_solve(s, restitution, law < DAE__IMPACT_SMOOTH, impulse);
}

/* Takes the first law that has an answer without a gain of energy; with one that gains energy, the
 * answer without restitution of the same friction is mixed in. */
static void impact_select(dae__impact_system *s, const double *v, dae__impact_outcome *out)
{
  double noise, *p = s->impulse;
  for (int law = DAE__IMPACT_AS_GIVEN; law <= DAE__IMPACT_PLASTIC_SMOOTH; law++) {
    dae__impact_law plastic =
        law == DAE__IMPACT_SMOOTH ? DAE__IMPACT_PLASTIC_SMOOTH : DAE__IMPACT_PLASTIC;
    out->law = (dae__impact_law)law;
    out->reduced = 1;
    if (!impact_obey(s, out->law, v, p))
      continue;
    out->lost = impact_loss(s, p, &noise);
    if (out->lost >= -noise || law == DAE__IMPACT_PLASTIC_SMOOTH)
      return;
    if (law == DAE__IMPACT_PLASTIC || !impact_obey(s, plastic, v, s->plastic) ||
        impact_loss(s, s->plastic, &noise) < -noise)
      continue;
    out->reduced = impact_reduce(s, s->plastic, p);
    out->lost = impact_loss(s, p, &noise);
    return;
  }
}

/* Whether no contact and no constraint moves by itself, so that the impact does no work. */
static bool impact_is_still(const dae__impact_system *s, const dae__motion *motion, const double *v)
{
  const dae__mech *m = motion->m;
  bool still = true;
  for (int i = 0; i < s->contacts; i++)
    for (int r = 0; r <= s->contact[i].slides; r++)
      still = still && (r == 0 ? s->contact[i].normal_t : s->contact[i].slide_t[r - 1]) == 0;
  dae__zero(m->nc, motion->bottom);
  dae__matrix_times(&m->G, motion->G, 1, v, motion->bottom);
  dae__matrix_times(&m->K, motion->K, 1, v, motion->bottom + m->ng);
  return still && dae__max_abs(m->nc, motion->bottom) <= DETERMINED * dae__max_abs(m->nq, v);
}

/* v += change by the impulses: without the round-off of large impulses that cancel across the
 * constraints, and without the energy that it adds. *lost: of bodies that do not move by
 * themselves that of the velocities, where large impulses cancel more exact than by them. */
static void impact_change(dae__impact_system *s, dae__motion *motion, double *v, double *lost)
{
  const dae__mech *m = motion->m;
  double *change = s->basis, *momentum = s->dual;
  bool still = impact_is_still(s, motion, v);
  dae__zero(m->nq, change);
  for (int r = 0; r < s->rows; r++)
    dae__axpy(m->nq, s->impulse[r], s->X + (size_t)r * (size_t)m->nq, change);
  for (int twice = 0; twice < 2; twice++) {
    dae__zero(m->nq, momentum);
    dae__matrix_times(&m->M, motion->M, 1, change, momentum);
    if (twice == 0)
      impact_comply(motion, momentum, change);
  }
  /* T(v + a change) - T(v) = a change'M v + a^2 change'M change/2 */
  double linear = dae__dot(m->nq, momentum, v), square = dae__dot(m->nq, momentum, change);
  double share = square > 0 ? -2 * linear / square : 1;
  bool noise = share < 1 && share > 1 - ANSWER_NOISE;
  double part = still && noise ? share : 1;
  if (still)
    *lost = -part * (linear + part * square / 2);
  dae__axpy(m->nq, part, change, v);
}

dae_status dae__impact_begin(dae__motion *motion, dae__arena *arena, double t, const double *y,
                             int count, const dae__impact_contact *contact, const double *v,
                             dae__impact_system *s, dae_error *err)
{
  const dae__mech *m = motion->m;
  double *state = DAE__ALLOC(arena, double, m->at.size),
         *dy = DAE__ALLOC(arena, double, m->at.size);
  DAE__TRY(impact_create(arena, m->nq, count, contact, s, err));
  /* accelerations leave the saddle matrix factored */
  dae__copy(m->at.size, y, state);
  DAE__TRY(dae__motion_accelerate(motion, t, state, dy, err));
  s->acceleration = dy + m->at.v;
  return impact_prepare(s, motion, t, v, err);
}

/* Refuses impacts where the force of a constraint that is on has a direction of its own: its
 * impulse does work, which the laws of impacts do not account for. */
static dae_status impact_check_directions(dae__motion *motion, double t, const double *y,
                                          dae_error *err)
{
  dae__mech *m = motion->m;
  const dae_mechanical_at at = dae__mech_at(m, t, y);
  const dae_mechanical_wanted want = {.G = motion->G, .K = motion->K, .B = motion->B};
  double *right = motion->residual, *left = motion->scale;
  char name[64];
  if (!motion->directed)
    return DAE_OK;
  DAE__TRY(dae__mech_eval(m, &at, &want, err));
  for (int j = 0; j < m->nq; j++) { /* columns of B and of [G; K] */
    dae__zero(m->nc, right);
    dae__zero(m->nc, left);
    for (int e = m->B.start[j]; e < m->B.start[j + 1]; e++)
      left[m->B.row[e]] += motion->B[e];
    for (int e = m->G.start[j]; e < m->G.start[j + 1]; e++)
      right[m->G.row[e]] += motion->G[e];
    for (int e = m->K.start[j]; e < m->K.start[j + 1]; e++)
      right[m->ng + m->K.row[e]] += motion->K[e];
    for (int i = 0; i < m->nc; i++)
      if (m->active[i] && fabs(left[i] - right[i]) > DETERMINED * fabs(right[i]))
        return dae__fail(
            err, DAE_ERROR_STEP, dae__mech_constraint_name(m->p, i, name, sizeof name),
            "an impact at t = %.10g in a mechanism where the force of constraint %s has "
            "a direction of its own: what its impulse would be is not known. Let the "
            "bodies touch at rest, or give %s the direction of its gradient: leave out "
            "acts, and its multiplier in forces",
            t, name, name);
  }
  return DAE_OK;
}

dae_status dae__motion_impact(dae__motion *motion, dae__arena *arena, double t, const double *y,
                              int count, const dae__impact_contact *contact, double *v,
                              dae__impact_outcome *out, dae_error *err)
{
  const dae__mech *m = motion->m;
  dae__impact_system s;
  DAE__TRY(impact_check_directions(motion, t, y, err));
  DAE__TRY(dae__impact_begin(motion, arena, t, y, count, contact, v, &s, err));
  impact_select(&s, v, out);
  impact_change(&s, motion, v, &out->lost);
  for (int i = 0; i < count; i++) {
    double rate;
    out->impulse[i] = s.impulse[s.first[i]];
    out->before[i] = s.before[s.first[i]];
    out->after[i] = dae__dot(m->nq, dae__impact_row(&s, i, 0, &rate), v) + contact[i].normal_t;
  }
  return DAE_OK;
}
