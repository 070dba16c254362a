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
/* Share of the largest friction at which a contact slides; what is left of it is round-off. Chosen.
 */
#define CONE_NOISE 1e-9
/* Gap acceleration by the force of a contact that slides, relative to that without friction, below
 * which its force has no bound. Chosen: far above round-off. */
#define JAMMED 1e-10

/* Whether the normals of the contacts are dependent, by a pivot of their scaled compliance; of
 * dependent contacts a basic solution of the complementarity problem closes independent ones. */
static bool press_is_dependent(const dae__impact_system *s)
{
  int n = s->contacts;
  double *L = s->E;
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      int a = s->first[i], b = s->first[j];
      L[j * n + i] = s->scale[a] * s->H[b * s->rows + a] * s->scale[b];
      for (int k = 0; k < j; k++)
        L[j * n + i] -= L[k * n + i] * L[k * n + j];
    }
    if (!(L[j * n + j] > DEPENDENT))
      return true;
    double root = sqrt(L[j * n + j]);
    for (int i = j; i < n; i++)
      L[j * n + i] /= root;
  }
  return false;
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
    const dae__impact_contact *c = &s->contact[i];
    int n = s->first[i];
    if (c->slip == 0 || s->scale[n] == 0)
      continue;
    double own = s->H[n * s->rows + n], by_friction = s->H[(n + 1) * s->rows + n];
    if (own - c->friction * c->slip * by_friction <= JAMMED * own)
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

/* Friction of contact i by its forces: given where it slides. */
static double press_friction(const dae__impact_contact *c, const dae__press_force *of)
{
  return c->slip != 0 ? -c->friction * c->slip * of->normal : of->friction;
}

/* Whether the given forces are those of contacts that press, within their cones of friction. */
static bool press_holds(const dae__impact_system *s, const dae__press_force *force)
{
  bool holds = !press_is_dependent(s);
  for (int i = 0; i < s->contacts; i++) {
    const dae__impact_contact *c = &s->contact[i];
    bool sticks = c->slides > 0 && c->slip == 0;
    holds = holds && force[i].normal > press_noise(s, i) &&
            !(sticks && fabs(force[i].friction) > c->friction * force[i].normal);
  }
  return holds;
}

/* The forces of the solution. */
static void press_store(const dae__impact_system *s, int i, dae__press_force *of)
{
  const dae__impact_contact *c = &s->contact[i];
  double normal = s->impulse[s->first[i]];
  dae__press_force found = {.normal = normal > press_noise(s, i) ? normal : 0, .slip = c->slip};
  bool sticks = c->slides > 0 && c->slip == 0;
  if (sticks) {
    found.friction = s->impulse[s->first[i] + 1];
    if (fabs(found.friction) >= (1 - CONE_NOISE) * c->friction * normal)
      found.slip = found.friction > 0 ? -1 : 1;
  }
  found.changed = (of->normal > 0) != (found.normal > 0) || found.slip != of->slip;
  *of = found;
}

dae_status dae__motion_press(dae__motion *motion, dae__arena *arena, double t, const double *y,
                             int count, const dae__impact_contact *contact, const double *v,
                             dae__press_force *force, dae_error *err)
{
  dae__impact_system s;
  bool friction = false;
  dae__impact_contact *pressing = DAE__ALLOC(arena, dae__impact_contact, count);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < count; i++) {
    pressing[i] = contact[i];
    pressing[i].slip = force[i].slip;
    if (force[i].slip == 0)
      pressing[i].friction = contact[i].rest_friction;
    friction = friction || (contact[i].slides > 0 && force[i].slip == 0);
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
  for (int i = 0; i < count; i++)
    force[i].changed = false;
  if (press_holds(&s, force))
    return DAE_OK;
  if (!dae__impact_solve(&s, false, friction, s.impulse))
    return press_fail(&s, t, err);
  for (int i = 0; i < count; i++)
    press_store(&s, i, &force[i]);
  return DAE_OK;
}
