/* The waveforms of the next sweep. Unknowns that are not direct are taken as they came out: their
 * coupling is of Volterra type and converges by itself. Direct ones, z, which came out as zhat, at
 * every node:
 *
 *   plain     zhat
 *   schur     z + d,   G d = G0 (zhat - z)                      any number of subsystems
 *   xi        the same for the subsystem that comes last, zhat for the other [E07 (25)]; Jacobi:
 *             z2 + (1 - T^2)^-1 (zhat - z2) in every second sweep, z2 of the sweep before [E07
 * (28)] relax     z + omega (zhat - z) aitken, anderson   over all nodes at once, see accelerate.h
 *
 * the last three for unknowns that a sweep takes from what it is given, zhat for the others.
 *
 * G0 is what a sweep keeps of G: 1, and in Gauss-Seidel the blocks with subsystems before. For the
 * multipliers of joints lambdahat = lambda + W r, where r = J z'' + gamma is what came out, and
 *
 *   optimal   W^-1 = S1 + S2 + ...,  S_p = -J_p D_p  (the mobilities G M^-1 G' of the parts)
 *   weighted  W = theta S2^-1 + (1 - theta) S1^-1
 *
 * all by solving with G, whose rows for the joints are [J, 0], or with that part of J. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

static double *update_delta_at(const dae__wave *w, int node)
{
  return w->delta + (size_t)node * (size_t)w->f->directs;
}

static double *update_change_at(const dae__wave *w, int node)
{
  return w->change + (size_t)node * (size_t)w->f->unknowns;
}

static bool update_uses_newton(const dae__wave *w)
{
  dae_wave_update u = w->trial.update;
  return u == DAE_WAVE_SCHUR || (u == DAE_WAVE_XI && !w->jacobi);
}

/* ---- the linear system at a node ---- */

/* what a singular G means */
static dae_status update_singular(const dae__wave *w, double t, dae_error *err)
{
  int column = dae__solver_column(w->solver);
  const char *name = column >= 0 ? w->f->name[w->f->unknown_of[column]] : NULL;
  dae__fail(err, DAE_ERROR_COUPLING, name,
            "the equations that couple the systems do not determine %s: the coupled problem has a "
            "higher index than its systems, and no iteration between them can converge; put the "
            "systems of this loop into one",
            name ? name : "their variables");
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_COUPLING;
}

static dae_status update_factor(dae__wave *w, double t, dae_error *err)
{
  dae_status status = dae__solver_factor(w->solver, w->G);
  if (status == DAE_ERROR_SINGULAR)
    return update_singular(w, t, err);
  return status ? dae__fail(err, DAE_ERROR_COUPLING, NULL,
                            "a derivative of an output with respect to an input is not finite")
                : DAE_OK;
}

dae_status dae__wave_factor(dae__wave *w, int node, dae_error *err)
{
  double t = w->grid[node];
  dae_status status = dae__interface_matrix(w->f, t, dae__wave_feedthrough(w, node),
                                            dae__wave_at(&w->computed, node), w->G, err);
  return status ? status : update_factor(w, t, err);
}

/* rhs = G0 (zhat - z) */
static void update_kept_part(const dae__wave *w, int node, double *rhs)
{
  const dae__interface *f = w->f;
  const double *D = dae__wave_feedthrough(w, node), *change = update_change_at(w, node);
  for (int d = 0; d < f->directs - f->multipliers; d++) {
    int i = f->unknown_of[d], p = f->owner[i];
    int outputs = f->sub[p]->outputs, row = i - f->first[p];
    const double *own = D + f->first_D[p];
    rhs[d] = change[i];
    for (int j = 0; j < f->sub[p]->inputs && !w->jacobi; j++) {
      int u = f->source[f->first_input[p] + j];
      if (u >= 0 && f->direct[u] && w->rank[f->owner[u]] < w->rank[p])
        rhs[d] -= own[row + j * outputs] * change[u];
    }
  }
}

/* -r at the end of rhs; accelerations as given, or as they came out */
static dae_status update_joint_part(dae__wave *w, int node, bool as_given, double *rhs,
                                    dae_error *err)
{
  dae__interface *f = w->f;
  double *r = rhs + f->directs - f->multipliers;
  if (f->joints == 0)
    return DAE_OK;
  dae__copy(f->unknowns, dae__wave_at(&w->computed, node), w->z);
  for (int k = 0; k < f->joints && as_given; k++)
    for (int i = 0; i < f->joint[k].nz; i++)
      w->z[f->joint[k].zddot[i]] = dae__wave_at(&w->given, node)[f->joint[k].zddot[i]];
  dae_status status = dae__interface_residual(f, w->grid[node], w->z, r, err);
  dae__scale(f->multipliers, -1, r);
  return status;
}

static dae_status update_newton_at(dae__wave *w, int node, dae_error *err)
{
  double *d = update_delta_at(w, node);
  dae_status status = dae__wave_factor(w, node, err);
  update_kept_part(w, node, d);
  if (!status)
    status = update_joint_part(w, node, true, d, err);
  if (!status)
    dae__solver_solve(w->solver, d);
  return status;
}

/* ---- multipliers of joints ---- */

/* Takes the columns of all systems but one out of the rows of the joints in G. */
static void update_keep_only(dae__wave *w, int system)
{
  const dae__interface *f = w->f;
  int first = f->directs - f->multipliers;
  for (int c = 0; c < f->directs; c++)
    for (int e = f->G.start[c]; e < f->G.start[c + 1]; e++)
      if (f->G.row[e] >= first && f->owner[f->unknown_of[c]] != system)
        w->G[e] = 0;
}

/* the two systems of joints, in the order of the first joint's coordinates */
static int update_side_of(const dae__wave *w, bool last)
{
  const dae__link_joint *j = &w->f->joint[0];
  return j->part[last ? j->nz - 1 : 0];
}

/* d += factor S^-1 r with S that of one system */
static dae_status update_add_side(dae__wave *w, int node, bool last, double factor_, double *d,
                                  dae_error *err)
{
  const dae__interface *f = w->f;
  DAE__TRY(dae__interface_matrix(w->f, w->grid[node], dae__wave_feedthrough(w, node),
                                 dae__wave_at(&w->computed, node), w->G, err));
  update_keep_only(w, update_side_of(w, last));
  dae_status status = update_factor(w, w->grid[node], err);
  dae__zero(f->directs, w->rhs);
  if (!status)
    status = update_joint_part(w, node, false, w->rhs, err);
  DAE__TRY(status);
  dae__solver_solve(w->solver, w->rhs);
  dae__axpy(f->directs, factor_, w->rhs, d);
  return DAE_OK;
}

static dae_status update_multipliers_at(dae__wave *w, int node, dae_error *err)
{
  double *d = update_delta_at(w, node), theta = w->opts.theta;
  dae__zero(w->f->directs, d);
  if (w->opts.splitting == DAE_WAVE_SPLIT_WEIGHTED) {
    dae_status status = update_add_side(w, node, true, theta, d, err);
    return status ? status : update_add_side(w, node, false, 1 - theta, d, err);
  }
  dae_status status = dae__wave_factor(w, node, err);
  if (!status)
    status = update_joint_part(w, node, false, d, err);
  if (!status)
    dae__solver_solve(w->solver, d);
  return status;
}

/* lambdahat = lambda + its part of d */
static void update_take_multipliers(dae__wave *w, int node)
{
  const dae__interface *f = w->f;
  for (int i = f->first[f->systems]; i < f->unknowns; i++) {
    double d = update_delta_at(w, node)[f->direct_of[i]];
    dae__wave_at(&w->computed, node)[i] = dae__wave_at(&w->given, node)[i] + d;
    update_change_at(w, node)[i] = d;
  }
}

/* ---- what a sweep has changed ---- */

dae_status dae__wave_compare(dae__wave *w, dae_error *err)
{
  dae__interface *f = w->f;
  int outputs = f->first[f->systems];
  bool newton = update_uses_newton(w);
  dae_status status = DAE_OK;
  for (int k = 0; k < w->given.nodes && !status; k++) {
    const double *z = dae__wave_at(&w->given, k), *zhat = dae__wave_at(&w->computed, k);
    for (int i = 0; i < outputs; i++)
      update_change_at(w, k)[i] = zhat[i] - z[i];
    if (newton && f->directs > 0)
      status = update_newton_at(w, k, err);
    else if (f->multipliers > 0)
      status = update_multipliers_at(w, k, err);
    if (!status)
      update_take_multipliers(w, k);
  }
  return status;
}

/* ---- the next waveforms ---- */

static void update_all_direct(const dae__wave *w, void (*next)(const dae__wave *, int node, int i))
{
  for (int k = 0; k < w->given.nodes; k++)
    for (int d = 0; d < w->f->directs; d++)
      next(w, k, w->f->unknown_of[d]);
}

static void update_next_plain(const dae__wave *w, int k, int i)
{
  dae__wave_at(&w->given, k)[i] = dae__wave_at(&w->computed, k)[i];
}

static void update_next_schur(const dae__wave *w, int k, int i)
{
  dae__wave_at(&w->given, k)[i] += update_delta_at(w, k)[w->f->direct_of[i]];
}

static void update_next_xi(const dae__wave *w, int k, int i)
{
  bool last = w->rank[w->f->owner[i]] == w->f->systems - 1;
  (last ? update_next_schur : update_next_plain)(w, k, i);
}

static void update_next_relax(const dae__wave *w, int k, int i)
{
  dae__wave_at(&w->given, k)[i] += (w->fed[i] ? w->omega : 1) * update_change_at(w, k)[i];
}

/* z2 + (1 - T^2)^-1 (zhat - z2) with T = 1 - G: 1 - T^2 = G (2 - G) */
static dae_status update_xi_jacobi_at(dae__wave *w, int node, dae_error *err)
{
  const dae__interface *f = w->f;
  const double *before = dae__wave_at(&w->past[0], node), *zhat = dae__wave_at(&w->computed, node);
  double *d = update_delta_at(w, node), *given = dae__wave_at(&w->given, node);
  for (int i = 0; i < f->directs; i++)
    d[i] = zhat[f->unknown_of[i]] - before[f->unknown_of[i]];
  DAE__TRY(dae__wave_factor(w, node, err));
  dae__solver_solve(w->solver, d);
  for (int c = 0; c < f->directs; c++)
    for (int e = f->G.start[c]; e < f->G.start[c + 1]; e++)
      w->G[e] = (f->G.row[e] == c ? 2 : 0) - w->G[e];
  DAE__TRY(update_factor(w, w->grid[node], err));
  dae__solver_solve(w->solver, d);
  for (int i = 0; i < f->directs; i++)
    given[f->unknown_of[i]] = before[f->unknown_of[i]] + d[i];
  return DAE_OK;
}

static dae_status update_xi_jacobi(dae__wave *w, dae_error *err)
{
  dae_status status = DAE_OK;
  if (w->trial.sweep % 2 == 1)
    update_all_direct(w, update_next_plain);
  for (int k = 0; k < w->given.nodes && !status && w->trial.sweep % 2 == 0; k++)
    status = update_xi_jacobi_at(w, k, err);
  return status;
}

/* What is accelerated: unknowns that are fed back, and not the direct ones alone, since samples
 * taken while the others move contradict each other; but for joints, whose positions and rates are
 * integrals of the accelerations and tell nothing new, these alone. */
static bool update_is_sampled(const dae__wave *w, int i)
{
  bool joints = w->coupling.problem && w->coupling.problem->coupled->joints > 0;
  return w->fed[i] && (w->f->direct[i] || !joints);
}

/* these at all nodes in one vector; returns its length */
static int update_flatten(dae__wave *w)
{
  int n = 0;
  for (int k = 0; k < w->given.nodes; k++)
    for (int i = 0; i < w->f->unknowns; i++) {
      if (!update_is_sampled(w, i))
        continue;
      w->flat_z[n] = dae__wave_at(&w->given, k)[i];
      w->flat_hat[n] = dae__wave_at(&w->computed, k)[i];
      w->flat_weight[n++] = w->opts.rtol * w->scale[i] + w->opts.atol;
    }
  return n;
}

static void update_accelerate(dae__wave *w)
{
  int n = update_flatten(w);
  if (w->trial.sweep == 1)
    dae__accelerate_begin(&w->accelerate, n);
  if (w->trial.update == DAE_WAVE_AITKEN)
    dae__accelerate_aitken(&w->accelerate, w->flat_hat, w->flat_weight, w->flat_z);
  else
    dae__accelerate_anderson(&w->accelerate, w->flat_hat, w->flat_weight, w->flat_z);
  update_all_direct(w, update_next_plain);
  n = 0;
  for (int k = 0; k < w->given.nodes; k++)
    for (int i = 0; i < w->f->unknowns; i++)
      if (update_is_sampled(w, i))
        dae__wave_at(&w->given, k)[i] = w->flat_z[n++];
}

static dae_status update_next_direct(dae__wave *w, dae_error *err)
{
  switch (w->trial.update) {
  case DAE_WAVE_SCHUR:
    update_all_direct(w, update_next_schur);
    return DAE_OK;
  case DAE_WAVE_XI:
    if (w->jacobi)
      return update_xi_jacobi(w, err);
    update_all_direct(w, update_next_xi);
    return DAE_OK;
  case DAE_WAVE_RELAX:
    update_all_direct(w, update_next_relax);
    return DAE_OK;
  case DAE_WAVE_AITKEN:
  case DAE_WAVE_ANDERSON:
    update_accelerate(w);
    return DAE_OK;
  case DAE_WAVE_AUTO:
  case DAE_WAVE_PLAIN:
  case DAE_WAVE_SLACK:
  default:
    update_all_direct(w, update_next_plain);
    return DAE_OK;
  }
}

/* The waveforms given to this sweep become the past. */
static void update_remember(dae__wave *w)
{
  int all = w->given.nodes * w->f->unknowns;
  for (int age = w->pasts - 1; age > 0; age--) {
    dae__copy(all, w->past[age - 1].value, w->past[age].value);
    dae__copy(all, w->past[age - 1].slope, w->past[age].slope);
  }
  dae__copy(all, w->before, w->past[0].value);
  dae__copy(all, w->before_slope, w->past[0].slope);
}

dae_status dae__wave_update(dae__wave *w, dae_error *err)
{
  dae__interface *f = w->f;
  int all = w->given.nodes * f->unknowns;
  dae__copy(all, w->given.value, w->before);
  dae__copy(all, w->given.slope, w->before_slope);
  dae_status status = update_next_direct(w, err);
  update_remember(w);
  bool together = w->trial.update == DAE_WAVE_AITKEN || w->trial.update == DAE_WAVE_ANDERSON;
  for (int i = 0; i < f->unknowns; i++)
    if (f->direct[i] || (together && update_is_sampled(w, i)))
      dae__waveform_slopes(&w->given, i);
    else
      for (int k = 0; k < w->given.nodes; k++) {
        size_t at = (size_t)k * (size_t)f->unknowns + (size_t)i;
        w->given.value[at] = w->computed.value[at];
        w->given.slope[at] = w->computed.slope[at];
      }
  return status;
}
