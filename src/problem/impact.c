#include "problem/impact.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/coupled/assembly.h"
#include <stdio.h>

/* What is asked for: velocities after an impact, into y, forces that press, or the distance from
 * switched rows. */
typedef struct question {
  double t, *y;
  int count;
  const dae__impact_contact *contact;
  dae__impact_outcome *out; /* NULL: forces, or the distance */
  dae__press_force *force;
  double *distance;
  char *name; /* row of the largest distance, of the given size */
  size_t size;
} question;

/* Largest |g_i|/|G_i| over the switched rows. */
static dae_status impact_distance(dae__mech *m, dae__arena *arena, const question *ask,
                                  dae_error *err)
{
  double *g = DAE__ALLOC(arena, double, m->ng), *norm = DAE__ALLOC(arena, double, m->ng);
  double *G = DAE__ALLOC(arena, double, dae__pattern_count(&m->G));
  DAE__TRY(dae__arena_status(arena, err));
  const dae_mechanical_at at = dae__mech_at(m, ask->t, ask->y);
  DAE__TRY(dae__mech_eval(m, &at, &(dae_mechanical_wanted){.g = g, .G = G}, err));
  for (int e = 0; e < dae__pattern_count(&m->G); e++)
    norm[m->G.row[e]] += G[e] * G[e];
  for (int i = 0; i < m->ng; i++) {
    double distance = norm[i] > 0 ? fabs(g[i]) / sqrt(norm[i]) : 0;
    if (!m->p->switched[i] || distance <= *ask->distance)
      continue;
    char text[64];
    *ask->distance = distance;
    snprintf(ask->name, ask->size, "%s", dae__mech_constraint_name(m->p, i, text, sizeof text));
  }
  return DAE_OK;
}

static dae_status impact_mechanical(dae__arena *arena, const dae_problem *problem,
                                    const question *ask, dae_error *err)
{
  dae__mech *m;
  dae__motion *motion;
  const char *name = ask->count > 0 ? ask->contact[0].name : "contact";
  bool switches = problem->mechanical && problem->mechanical->switched;
  if (ask->distance && !switches)
    return DAE_OK;
  if (!problem->mechanical)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "'%s': contacts need a mechanism, a problem with coordinates and masses",
                     name);
  DAE__TRY(dae__mech_create(arena, problem, &m, err));
  if (ask->distance)
    return impact_distance(m, arena, ask, err);
  DAE__TRY(dae__motion_create(arena, m, &motion, err));
  for (int i = 0; i < m->nc; i++)
    m->active[i] = true;
  dae_status status = dae__motion_select_independent(motion, ask->t, ask->y, NULL, 0, err);
  if (!status && ask->out)
    status = dae__motion_impact(motion, arena, ask->t, ask->y, ask->count, ask->contact,
                                ask->y + m->at.v, ask->out, err);
  else if (!status)
    status = dae__motion_press(motion, arena, ask->t, ask->y, ask->count, ask->contact,
                               ask->y + m->at.v, ask->force, err);
  dae__motion_free(motion);
  return status;
}

/* The contacts with gradients in the order of the assembled state vector. */
static dae_status impact_gather(dae__arena *arena, const dae__assembly *assembly, int size,
                                const question *ask, dae__impact_contact *out, dae_error *err)
{
  for (int i = 0; i < ask->count; i++) {
    const dae__impact_contact *c = &ask->contact[i];
    out[i] = *c;
    for (int r = 0; r <= c->slides; r++) {
      double *row = DAE__ALLOC(arena, double, size);
      if (!row)
        break;
      dae__assembly_gather(assembly, r == 0 ? c->normal : c->slide[r - 1], row);
      *(r == 0 ? &out[i].normal : &out[i].slide[r - 1]) = row;
    }
  }
  return dae__arena_status(arena, err);
}

static dae_status impact_coupled(dae__arena *arena, const dae_problem *problem, const question *ask,
                                 dae_error *err)
{
  dae__assembly *assembly;
  int size = dae_problem_size(problem);
  question inner = *ask;
  dae__impact_contact *contact = DAE__ALLOC(arena, dae__impact_contact, ask->count);
  inner.y = DAE__ALLOC(arena, double, size);
  inner.contact = contact;
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__assembly_create(arena, problem, &assembly, err));
  DAE__TRY(impact_gather(arena, assembly, size, ask, contact, err));
  dae__assembly_gather(assembly, ask->y, inner.y);
  dae_status status = impact_mechanical(arena, dae__assembly_problem(assembly), &inner, err);
  if (!status && ask->out)
    dae__assembly_scatter(assembly, inner.y, ask->y);
  return status;
}

static dae_status impact_answer(const dae_problem *problem, const dae_env *env, const question *ask,
                                dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  if (!arena)
    return dae__out_of_memory(err);
  dae_status status = problem->coupled ? impact_coupled(arena, problem, ask, err)
                                       : impact_mechanical(arena, problem, ask, err);
  dae__arena_free(arena);
  return status;
}

dae_status dae__impact(const dae_problem *problem, double t, double *y, int count,
                       const dae__impact_contact *contact, const dae_env *env,
                       dae__impact_outcome *out, dae_error *err)
{
  const question ask = {.t = t, .y = y, .count = count, .contact = contact, .out = out};
  return impact_answer(problem, env, &ask, err);
}

dae_status dae__press(const dae_problem *problem, double t, double *y, int count,
                      const dae__impact_contact *contact, const dae_env *env,
                      dae__press_force *force, dae_error *err)
{
  const question ask = {.t = t, .y = y, .count = count, .contact = contact, .force = force};
  return impact_answer(problem, env, &ask, err);
}

dae_status dae__switched_distance(const dae_problem *problem, double t, double *y,
                                  const dae_env *env, double *distance, char *name, size_t size,
                                  dae_error *err)
{
  const question ask = {.t = t, .y = y, .distance = distance, .name = name, .size = size};
  *distance = 0;
  return impact_answer(problem, env, &ask, err);
}
