/* Forces of closed contacts that press, and those that slide: the complementarity problem of an
 * impact with accelerations in place of velocities. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/mechanical/impact_private.h"

/* Pivot of the scaled compliance of contacts at which they count as dependent. Chosen. */
#define DEPENDENT 1e-10
/* Acceleration by the force of a contact, relative to the terms of the acceleration of its gap,
 * that is round-off. Chosen. */
#define FORCE_NOISE 1e-11
/* Friction that a contact at the end of its friction at rest is without, relative to it or to a
 * small friction, so that it breaks loose, unless others hold it: more than the error of a
 * solution. Chosen.
 */
#define BREAKS 1e-6
#define SMALL_FRICTION 0.01
/* Gap acceleration by the force of a contact that slides, relative to that without friction, below
 * which its force has no bound. Chosen: far above round-off. */
#define JAMMED 1e-10

/* Whether the gradient of row r is independent of those of the `rank` rows of the basis, by its
 * pivot in the Cholesky factorisation of their scaled compliance, whose next row it then is. */
static bool press_is_independent(const dae__impact_system *s, int r, int rank, const int *basis)
{
  double *L = s->M, *own = L + (size_t)rank * (size_t)s->rows, size = s->scale[r];
  for (int j = 0; j <= rank; j++) {
    int other = j < rank ? basis[j] : r;
    const double *row = j < rank ? L + (size_t)j * (size_t)s->rows : own;
    own[j] = s->scale[r] * s->H[other * s->rows + r] * s->scale[other];
    for (int k = 0; k < j; k++)
      own[j] -= own[k] * row[k];
    if (j < rank)
      own[j] /= row[j];
  }
  if (!(size > 0 && own[rank] > DEPENDENT))
    return false;
  own[rank] = sqrt(own[rank]);
  return true;
}

/* Whether the normals of the contacts are dependent; of dependent contacts a basic solution of the
 * complementarity problem closes independent ones. */
static bool press_is_dependent(const dae__impact_system *s, int *basis)
{
  int rank = 0;
  while (rank < s->contacts && press_is_independent(s, s->first[rank], rank, basis)) {
    basis[rank] = s->first[rank];
    rank++;
  }
  return rank < s->contacts;
}

/* Round-off of the force of a contact: that of the terms of the acceleration of its gap. */
static double press_noise(const dae__impact_system *s, int i)
{
  double rate, size = 0, h = s->H[s->first[i] * s->rows + s->first[i]];
  const double *D = dae__impact_row(s, i, 0, &rate);
  for (int k = 0; k < s->nq; k++)
    size += fabs(D[k] * s->acceleration[k]);
  return h > 0 ? FORCE_NOISE * size / h : INFINITY;
}

/* A contact that friction jams: the force that it adds by its friction presses it more than it
 * opens it, and the accelerations have no solution, or several. */
static dae_status press_fail_jammed(const dae__impact_system *s, int i, double t, dae_error *err)
{
  const dae__impact_contact *c = &s->contact[i];
  int n = s->first[i];
  double safe = s->H[n * s->rows + n] / fabs(s->H[(n + 1) * s->rows + n]);
  dae__fail(
      err, DAE_ERROR_STEP, c->name,
      "'%s' jams at t = %.10g: sliding with friction %.6g it has no motion, or more than one, "
      "since friction presses it more than its force opens it. Friction below %.6g is safe "
      "there; or give its bodies compliance",
      c->name, t, c->friction, safe);
  return dae__fail_at(err, t, NAN), DAE_ERROR_STEP;
}

/* Refuses a contact that slides where its own force would not open it. */
static dae_status press_check_sliding(const dae__impact_system *s, double t, dae_error *err)
{
  for (int i = 0; i < s->contacts; i++) {
    if (dae__impact_own_share(s, i) <= JAMMED)
      return press_fail_jammed(s, i, t, err);
  }
  return DAE_OK;
}

static dae_status press_fail(const dae__impact_system *s, double t, dae_error *err)
{
  const char *name = s->contact[0].name;
  dae__fail(err, DAE_ERROR_STEP, name,
            "no forces of the closed contacts fit each other at t = %.10g, '%s' among them: with "
            "friction there may be no motion, or more than one. Smaller friction is safe",
            t, name);
  return dae__fail_at(err, t, NAN), DAE_ERROR_STEP;
}

/* Friction of a contact by its forces: given where it slides. */
static double press_friction(const dae__impact_contact *c, const dae__press_force *of)
{
  return of->sticks ? of->friction : -c->friction * of->slip * of->normal;
}

/* Whether the given forces are those of contacts that press, within their cones of friction. */
static bool press_holds(const dae__impact_system *s, const dae__press_force *force, int *basis)
{
  bool holds = !press_is_dependent(s, basis);
  for (int i = 0; i < s->contacts; i++) {
    const dae__impact_contact *c = &s->contact[i];
    bool sticks = force[i].sticks;
    holds = holds && force[i].normal > press_noise(s, i) && force[i].gap == 0 &&
            (!sticks ||
             (force[i].slide == 0 && fabs(force[i].friction) <= c->friction * force[i].normal));
  }
  return holds;
}

/* Solves the problem. Contacts whose friction at rest does not hold them have that of sliding, with
 * which the problem is solved again. */
static bool press_solve(dae__impact_system *s, dae__impact_contact *pressing,
                        const dae__impact_contact *contact, bool friction)
{
  bool again = true;
  for (int round = 0; again && round <= s->contacts; round++) {
    if (!dae__impact_solve(s, false, friction, s->impulse))
      return false;
    again = false;
    for (int i = 0; i < s->contacts; i++)
      if (s->sliding[i] && pressing[i].friction > contact[i].friction) {
        pressing[i].friction = contact[i].friction;
        again = true;
      }
  }
  return true;
}

/* The forces of the solution. */
static void press_store(const dae__impact_system *s, int i, dae__press_force *of)
{
  double normal = s->impulse[s->first[i]];
  dae__press_force found = {.normal = normal > press_noise(s, i) ? normal : 0, .slip = of->slip};
  if (of->sticks) {
    found.friction = s->impulse[s->first[i] + 1];
    /* against its friction, or without friction as it accelerates */
    double along =
        found.friction != 0 ? -found.friction : dae__impact_after(s, s->impulse, s->first[i] + 1);
    found.slip = !s->sliding[i] ? 0 : along < 0 ? -1 : 1;
    found.sticks = !s->sliding[i];
  }
  found.changed = (of->normal > 0) != (found.normal > 0) || found.sticks != of->sticks;
  *of = found;
}

/* Friction at rest that a contact has left; without friction of sliding it has no share. */
static double press_left(const dae__impact_contact *c, const dae__press_force *of)
{
  return c->friction > 0 ? c->rest_friction * of->normal - fabs(of->friction) : INFINITY;
}

/* Of sticking contacts whose rows depend on each other those that have most friction left keep
 * their rows, and the others the share of friction that they have in the solution. */
static void press_share(dae__impact_system *s, const dae__impact_contact *contact, int *basis,
                        dae__press_force *force)
{
  int rank = 0, best;
  for (int i = 0; i < s->contacts; i++)
    if (force[i].normal > 0 && press_is_independent(s, s->first[i], rank, basis))
      basis[rank++] = s->first[i];
  for (int i = 0; i < s->contacts; i++)
    s->sliding[i] = !(force[i].normal > 0 && force[i].sticks); /* done */
  do {
    best = -1;
    for (int i = 0; i < s->contacts; i++)
      if (!s->sliding[i] && (best < 0 || press_left(&contact[i], &force[i]) >
                                             press_left(&contact[best], &force[best])))
        best = i;
    if (best < 0)
      return;
    dae__press_force *of = &force[best];
    s->sliding[best] = true;
    if (press_is_independent(s, s->first[best] + 1, rank, basis)) {
      basis[rank++] = s->first[best] + 1;
    } else if (contact[best].friction > 0) {
      of->sticks = false;
      of->shares = true;
      of->slip = -of->friction / (contact[best].friction * of->normal);
      of->changed = true;
    }
  } while (best >= 0);
}

dae_status dae__motion_press(dae__motion *motion, dae__arena *arena, double t, const double *y,
                             int count, const dae__impact_contact *contact, const double *v,
                             dae__press_force *force, dae_error *err)
{
  dae__impact_system s;
  bool friction = false;
  dae__impact_contact *pressing = DAE__ALLOC(arena, dae__impact_contact, count);
  int *basis = DAE__ALLOC(arena, int, 2 * count);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < count; i++) {
    pressing[i] = contact[i];
    pressing[i].slip = force[i].slip > 0 ? 1 : force[i].slip < 0 ? -1 : 0;
    if (force[i].sticks)
      pressing[i].friction = contact[i].rest_friction;
    pressing[i].breaks = force[i].breaks;
    if (force[i].sticks && force[i].breaks)
      pressing[i].friction =
          fmax(pressing[i].friction - BREAKS * fmax(pressing[i].friction, SMALL_FRICTION), 0);
    if (!force[i].sticks && pressing[i].slip == 0)
      pressing[i].slides = 0;
    friction = friction || force[i].sticks;
  }
  DAE__TRY(dae__impact_begin(motion, arena, t, y, count, pressing, v, &s, err));
  DAE__TRY(press_check_sliding(&s, t, err));
  /* accelerations without the forces, -H times those that hold all contacts, instead of the speeds
   */
  for (int r = 0; r < s.rows; r++)
    s.before[r] = s.impulse[r] = 0;
  for (int i = 0; i < count; i++) {
    s.impulse[s.first[i]] = -force[i].normal;
    if (pressing[i].slides > 0)
      s.impulse[s.first[i] + 1] = -press_friction(&pressing[i], &force[i]);
  }
  for (int r = 0; r < s.rows; r++)
    s.plastic[r] = dae__impact_after(&s, s.impulse, r);
  dae__copy(s.rows, s.plastic, s.before);
  for (int i = 0; i < count; i++) {
    force[i].changed = false;
    s.before[s.first[i]] += force[i].gap;
    if (force[i].sticks)
      s.before[s.first[i] + 1] += force[i].slide;
  }
  if (press_holds(&s, force, basis))
    return DAE_OK;
  if (!press_solve(&s, pressing, contact, friction))
    return press_fail(&s, t, err);
  for (int i = 0; i < count; i++)
    press_store(&s, i, &force[i]);
  press_share(&s, contact, basis, force);
  return DAE_OK;
}
