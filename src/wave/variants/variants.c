/* Selection of the variants, problems of the children with slack variables or earlier iterates, and
 * the updates of xi and of weighted joints. */
#include "wave/variants/variants.h"
#include "core/error.h"
#include "wave/iteration/wave.h"
#include "wave/variants/iterates.h"
#include "wave/variants/slack.h"

/* ---- problems of the children ---- */

/* Adds slack variables to the problem of a system. Gauss-Seidel: with equations of the systems
 * earlier in the order [E07 Remark 3.2]. Jacobi: with equations of all other systems, and the
 * system's own differential variables of two sweeps ago, in every second sweep [E07 Remark 3.6,
 * corrected]. */
static dae_status variant_add_slack(dae__arena *arena, const dae__coupling_setup *r,
                                    dae__coupling *c, int system, dae_error *err)
{
  dae__child_problem *p = &c->child_problem[system];
  int size = c->first_state[system + 1] - c->first_state[system];
  bool *from = DAE__ALLOC(arena, bool, c->systems);
  int *entry = DAE__ALLOC(arena, int, size);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < c->systems; i++)
    from[i] = i != system && (r->jacobi || r->rank[i] < r->rank[system]);
  dae__slack *s;
  dae__slack_options opts = {
      .from = from, .lagged = r->jacobi, .base = p->problem, .unused = &c->first_of_pair};
  DAE__TRY(dae__slack_create(arena, c->problem->coupled, system, &opts, &s, err));
  p->problem = &s->problem;
  p->extras = s->inputs;
  p->inputs += p->extras;
  p->extra = DAE__ALLOC(arena, dae__extra_input, p->extras);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < p->extras; i++) {
    int age = s->port[i].part == system ? 2 : 1;
    p->extra[i] = (dae__extra_input){s->port[i].part, s->port[i].variable, age};
    p->ages = age > p->ages ? age : p->ages;
  }
  for (int i = 0; i < size; i++)
    entry[i] = i < s->nz ? i : i + s->count;
  p->entry = entry;
  p->first_added = s->nz;
  p->added = s->count;
  p->added_from = s->variable;
  return DAE_OK;
}

static dae_status variant_add_iterates(dae__arena *arena, const dae_wave_terms *terms, int system,
                                       dae__child_problem *p, dae_error *err)
{
  dae__iterates *it;
  DAE__TRY(dae__iterates_create(arena, p->problem, terms, &it, err));
  int own = p->inputs;
  p->problem = &it->problem;
  p->inputs = terms->ages * (own + it->count);
  p->ages = terms->ages;
  p->extras = p->inputs - own;
  p->extra = DAE__ALLOC(arena, dae__extra_input, p->extras);
  DAE__TRY(dae__arena_status(arena, err));
  dae__extra_input *e = p->extra;
  for (int age = 2; age <= terms->ages; age++)
    for (int i = 0; i < own; i++)
      *e++ = (dae__extra_input){-1, i, age};
  for (int age = 1; age <= terms->ages; age++)
    for (int i = 0; i < it->count; i++) /* differential variables come first in a state vector */
      *e++ = (dae__extra_input){system, i, age};
  return DAE_OK;
}

dae_status dae__variant_extend(dae__arena *arena, const dae__coupling_setup *r, dae__coupling *c,
                               int system, dae_error *err)
{
  static const double one[1] = {1}, last[2] = {0, 1};
  const dae_wave_options *opts = r->options;
  if (opts && opts->update == DAE_WAVE_SLACK)
    return variant_add_slack(arena, r, c, system, err);
  if (!opts || !(opts->terms || opts->picard || opts->lagged))
    return DAE_OK;
  dae_wave_terms terms = {.ages = 1, .terms = 1, .b = one, .own = last, .others = one};
  terms.linear = opts->picard ? 0 : opts->linear;
  return variant_add_iterates(arena, opts->terms ? opts->terms : &terms, system,
                              &c->child_problem[system], err);
}

/* ---- xi ---- */

/* z2 + (1 - T^2)^-1 (zhat - z2) at a node, with z2 of the sweep before, T = 1 - G and 1 - T^2 = G
 * (2 - G) [E07 (28)] */
static dae_status variant_xi_at(dae__wave *w, int node, dae_error *err)
{
  const dae__interface *f = w->f;
  const double *z2 = dae__wave_at(&w->past[0], node), *zhat = dae__wave_at(&w->computed, node);
  double *d = w->delta + (size_t)node * (size_t)f->directs, *z = dae__wave_at(&w->given, node);
  for (int i = 0; i < f->directs; i++)
    d[i] = zhat[f->unknown_of[i]] - z2[f->unknown_of[i]];
  DAE__TRY(dae__wave_factor_at(w, node, -1, err));
  dae__solver_solve(w->solver, d);
  for (int c = 0; c < f->directs; c++)
    for (int e = f->G.start[c]; e < f->G.start[c + 1]; e++)
      w->G[e] = (f->G.row[e] == c ? 2 : 0) - w->G[e];
  DAE__TRY(dae__wave_factor(w, w->grid[node], err));
  dae__solver_solve(w->solver, d);
  for (int i = 0; i < f->directs; i++)
    z[f->unknown_of[i]] = z2[f->unknown_of[i]] + d[i];
  return DAE_OK;
}

/* Gauss-Seidel: Newton correction for the last subsystem, zhat for the first [E07 (25)]. Jacobi:
 * zhat, and after every second sweep a step from the z of the sweep before. */
static dae_status variant_xi_update(dae__wave *w, dae_error *err)
{
  const dae__interface *f = w->f;
  for (int k = 0; k < w->given.nodes; k++) {
    double *z = dae__wave_at(&w->given, k);
    const double *zhat = dae__wave_at(&w->computed, k);
    if (w->jacobi && w->trial.sweep % 2 == 0) {
      DAE__TRY(variant_xi_at(w, k, err));
      continue;
    }
    for (int d = 0; d < f->directs; d++) {
      int i = f->unknown_of[d];
      bool corrected = !w->jacobi && w->rank[f->owner[i]] == f->systems - 1;
      z[i] = corrected ? z[i] + w->delta[(size_t)k * (size_t)f->directs + (size_t)d] : zhat[i];
    }
  }
  return DAE_OK;
}

/* ---- weighted joints ---- */

/* Multipliers with W = theta S2^-1 + (1 - theta) S1^-1, S1 and S2 the mobilities of both systems.
 */
static dae_status variant_weighted_multipliers(dae__wave *w, int node, double *d, dae_error *err)
{
  const dae__link_joint *j = &w->f->joint[0];
  DAE__TRY(dae__wave_add_multipliers(w, node, j->system[j->nz - 1], w->opts.theta, d, err));
  return dae__wave_add_multipliers(w, node, j->system[0], 1 - w->opts.theta, d, err);
}

/* ---- selection ---- */

dae_status dae__variant_select(const dae__wave *w, dae__variant *out, dae_error *err)
{
  const dae__interface *f = w->f;
  dae_wave_update update = w->opts.update;
  bool xi = update == DAE_WAVE_XI, slack = update == DAE_WAVE_SLACK;
  bool weighted = w->opts.splitting == DAE_WAVE_SPLIT_WEIGHTED;
  *out = (dae__variant){.newton = xi && !w->jacobi,
                        .plain = slack,
                        .pairs = (xi || slack) && w->jacobi,
                        .one_thread = slack,
                        .update = xi ? variant_xi_update : NULL,
                        .multipliers = weighted ? variant_weighted_multipliers : NULL};
  if (xi && (f->systems != 2 || f->joints > 0))
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "update",
                     "the update xi is for two systems without joints; schur is its "
                     "generalisation");
  if (slack && w->coupling.systems == 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "update",
                     "the update slack needs the equations of the subsystems, which only systems "
                     "of a coupled problem have; anderson does not need them");
  if (slack && (w->opts.terms || w->opts.picard || w->opts.lagged))
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "update",
                     "the update slack cannot be combined with right sides at earlier iterates "
                     "(terms, picard, lagged)");
  if (weighted && update == DAE_WAVE_SCHUR)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "splitting",
                     "the update schur has the optimal weight; give the weighted splitting the "
                     "update plain, relax, aitken or anderson");
  if (weighted && f->joints > 0 && f->systems != 2)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "splitting",
                     "the weighted splitting is for two systems; optimal takes any number");
  return DAE_OK;
}
