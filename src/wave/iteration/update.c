/* Changes zhat - z of a sweep, and the waveforms z of the next sweep. Unknowns without direct
 * feedthrough are taken from zhat: their coupling is of Volterra type and converges without
 * correction. Updates of the direct unknowns at every node:
 *
 *   plain     zhat
 *   schur     z + d,   G d = G0 (zhat - z)                      any number of subsystems
 *   relax     z + omega (zhat - z) for unknowns that are fed back, zhat for the others
 *   aitken, anderson   over all nodes at once for unknowns that are fed back, see accelerate.h
 *
 * G0 is the splitting of G by a sweep: 1, and in Gauss-Seidel the blocks with earlier subsystems.
 * Multipliers of joints: lambdahat = lambda + W r with the residual r = J z'' + gamma of zhat and
 *
 *   W^-1 = S1 + S2 + ...,  S_p = -J_p D_p  (mobilities G M^-1 G' of the systems)
 *
 * computed by solving with G, whose rows for the joints are [J, 0], J restricted to one system for
 * its mobility S_p. Variants of both: variants.h. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

/* ---- linear system at a node ---- */

dae_status dae__wave_factor(dae__wave *w, double t, dae_error *err)
{
  dae_status status = dae__solver_factor(w->solver, w->G);
  if (status && status != DAE_ERROR_SINGULAR)
    return dae__fail(err, DAE_ERROR_COUPLING, NULL,
                     "a derivative of an output with respect to an input is not finite");
  if (!status)
    return DAE_OK;
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

dae_status dae__wave_factor_at(dae__wave *w, int node, int system, dae_error *err)
{
  const dae__interface *f = w->f;
  DAE__TRY(dae__interface_matrix(w->f, w->grid[node], dae__wave_feedthrough(w, node),
                                 dae__wave_at(&w->computed, node), w->G, err));
  int first = f->directs - f->multipliers;
  for (int c = 0; c < f->directs && system >= 0; c++)
    for (int e = f->G.start[c]; e < f->G.start[c + 1]; e++)
      if (f->G.row[e] >= first && f->owner[f->unknown_of[c]] != system)
        w->G[e] = 0;
  return dae__wave_factor(w, w->grid[node], err);
}

/* Joint rows of rhs: -r, from the accelerations given to the sweep or computed by it. */
static dae_status update_residual(dae__wave *w, int node, bool as_given, double *rhs,
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

/* Newton correction d = G^-1 [G0 (zhat - z); -r] at a node */
static dae_status update_newton_at(dae__wave *w, int node, const double *change, double *d,
                                   dae_error *err)
{
  const dae__interface *f = w->f;
  const double *D = dae__wave_feedthrough(w, node);
  DAE__TRY(dae__wave_factor_at(w, node, -1, err));
  for (int k = 0; k < f->directs - f->multipliers; k++) {
    int i = f->unknown_of[k], p = f->owner[i];
    int outputs = f->sub[p]->outputs, row = i - f->first[p];
    d[k] = change[i];
    for (int j = 0; j < f->sub[p]->inputs && !w->jacobi; j++) {
      int u = f->source[f->first_input[p] + j];
      if (u >= 0 && f->direct[u] && w->rank[f->owner[u]] < w->rank[p])
        d[k] -= D[f->first_D[p] + row + j * outputs] * change[u];
    }
  }
  DAE__TRY(update_residual(w, node, true, d, err));
  dae__solver_solve(w->solver, d);
  return DAE_OK;
}

dae_status dae__wave_add_multipliers(dae__wave *w, int node, int system, double weight, double *d,
                                     dae_error *err)
{
  DAE__TRY(dae__wave_factor_at(w, node, system, err));
  dae__zero(w->f->directs, w->rhs);
  DAE__TRY(update_residual(w, node, false, w->rhs, err));
  dae__solver_solve(w->solver, w->rhs);
  dae__axpy(w->f->directs, weight, w->rhs, d);
  return DAE_OK;
}

/* ---- changes of a sweep ---- */

dae_status dae__wave_compare(dae__wave *w, dae_error *err)
{
  dae__interface *f = w->f;
  bool newton = w->trial.update == DAE_WAVE_SCHUR || w->variant.newton;
  for (int k = 0; k < w->given.nodes; k++) {
    const double *z = dae__wave_at(&w->given, k);
    double *zhat = dae__wave_at(&w->computed, k);
    double *change = w->change + (size_t)k * (size_t)f->unknowns;
    double *d = w->delta + (size_t)k * (size_t)f->directs;
    for (int i = 0; i < f->first[f->systems]; i++)
      change[i] = zhat[i] - z[i];
    if (newton && f->directs > 0) {
      DAE__TRY(update_newton_at(w, k, change, d, err));
    } else if (f->multipliers > 0) {
      dae__zero(f->directs, d);
      DAE__TRY(w->variant.multipliers ? w->variant.multipliers(w, k, d, err)
                                      : dae__wave_add_multipliers(w, k, -1, 1, d, err));
    }
    for (int i = f->first[f->systems]; i < f->unknowns; i++) { /* multipliers of joints */
      change[i] = d[f->direct_of[i]];
      zhat[i] = z[i] + change[i];
    }
  }
  return DAE_OK;
}

/* ---- waveforms of the next sweep ---- */

/* Direct unknowns of the next sweep by the updates plain, schur and relax. */
static void update_direct(dae__wave *w, dae_wave_update update)
{
  const dae__interface *f = w->f;
  for (int k = 0; k < w->given.nodes; k++) {
    double *z = dae__wave_at(&w->given, k);
    const double *zhat = dae__wave_at(&w->computed, k);
    for (int d = 0; d < f->directs; d++) {
      int i = f->unknown_of[d];
      if (update == DAE_WAVE_SCHUR)
        z[i] += w->delta[(size_t)k * (size_t)f->directs + (size_t)d];
      else if (update == DAE_WAVE_RELAX)
        z[i] += (w->fed_back[i] ? w->omega : 1) *
                w->change[(size_t)k * (size_t)f->unknowns + (size_t)i];
      else
        z[i] = zhat[i];
    }
  }
}

/* Whether unknown i is accelerated. Without joints: all unknowns that are fed back, since samples
 * of the direct unknowns alone contradict each other while the others change. With joints: the
 * direct unknowns alone, since positions and velocities are integrals of the accelerations and add
 * no information. */
static bool update_is_accelerated(const dae__wave *w, int i)
{
  bool joints = w->coupling.problem && w->coupling.problem->coupled->joints > 0;
  return w->fed_back[i] && (w->f->direct[i] || !joints);
}

static void update_accelerate(dae__wave *w)
{
  int n = 0, unknowns = w->f->unknowns;
  for (int k = 0; k < w->given.nodes; k++)
    for (int i = 0; i < unknowns; i++) {
      if (!update_is_accelerated(w, i))
        continue;
      w->flat_z[n] = dae__wave_at(&w->given, k)[i];
      w->flat_hat[n] = dae__wave_at(&w->computed, k)[i];
      w->flat_weight[n++] = w->opts.rtol * w->scale[i] + w->atol[i];
    }
  if (w->trial.sweep == 1)
    dae__accelerate_begin(&w->accelerate, n);
  if (w->trial.update == DAE_WAVE_AITKEN)
    dae__accelerate_aitken(&w->accelerate, w->flat_hat, w->flat_weight, w->flat_z);
  else
    dae__accelerate_anderson(&w->accelerate, w->flat_hat, w->flat_weight, w->flat_z);
  update_direct(w, DAE_WAVE_PLAIN);
  n = 0;
  for (int k = 0; k < w->given.nodes; k++)
    for (int i = 0; i < unknowns; i++)
      if (update_is_accelerated(w, i))
        dae__wave_at(&w->given, k)[i] = w->flat_z[n++];
}

dae_status dae__wave_update(dae__wave *w, dae_error *err)
{
  dae__interface *f = w->f;
  dae_wave_update update = w->trial.update;
  bool accelerated = update == DAE_WAVE_AITKEN || update == DAE_WAVE_ANDERSON;
  int all = w->given.nodes * f->unknowns;
  dae_status status = DAE_OK;
  dae__copy(all, w->given.value, w->previous);
  dae__copy(all, w->given.slope, w->previous_slope);
  if (accelerated)
    update_accelerate(w);
  else if (w->variant.update)
    status = w->variant.update(w, err);
  else
    update_direct(w, update);
  for (int age = w->past_count - 1; age > 0; age--) {
    dae__copy(all, w->past[age - 1].value, w->past[age].value);
    dae__copy(all, w->past[age - 1].slope, w->past[age].slope);
  }
  dae__copy(all, w->previous, w->past[0].value);
  dae__copy(all, w->previous_slope, w->past[0].slope);
  for (int i = 0; i < f->unknowns; i++)
    if (f->direct[i] || (accelerated && update_is_accelerated(w, i)))
      dae__waveform_slopes(&w->given, i);
    else
      for (int k = 0; k < w->given.nodes; k++) {
        size_t at = (size_t)k * (size_t)f->unknowns + (size_t)i;
        w->given.value[at] = w->computed.value[at];
        w->given.slope[at] = w->computed.slope[at];
      }
  return status;
}
