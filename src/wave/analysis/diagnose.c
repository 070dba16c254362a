/* Spectral radius of a plain sweep during a run, and messages for an iteration that fails.
 *
 * A sweep linearised at one time maps the direct unknowns by the iteration matrix T, which applies
 * the feedthrough matrix D of every subsystem in turn. The spectral radius rho(T) is found here by
 * power iteration, without further memory; before a run contraction.c computes it from
 * eigenvalues. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"
#include <stdio.h>
#include <string.h>

/* Tuning constants; chosen, not measured. */
#define POWER_ITERATIONS 40   /* products by T to converge, and again to average the growth */
#define MAX_LISTED_NAMES 6    /* variables of a loop that a message names */
#define UNDERFLOW_SIZE 1e-280 /* norm of T^k z below which T counts as nilpotent */
/* norm of (T - shift) z over that of z: shift is the only eigenvalue */
#define NEGLIGIBLE_SIZE 1e-12

/* ---- spectral radius of a plain sweep ---- */

/* z = T z for one plain sweep; unknowns without direct feedthrough stay 0 */
static void diagnose_apply_T(const dae__wave *w, const double *feedthrough, double *z, double *old)
{
  const dae__interface *f = w->f;
  dae__copy(f->unknowns, z, old);
  for (int place = 0; place < f->systems; place++) {
    int p = w->order[place], outputs = f->sub[p]->outputs;
    const double *D = feedthrough + f->first_D[p], *from = w->jacobi ? old : z;
    for (int i = 0; i < outputs; i++) {
      double sum = 0;
      for (int j = 0; j < f->sub[p]->inputs; j++) {
        int u = f->source[f->first_input[p] + j];
        sum += u >= 0 && f->direct[u] ? D[i + j * outputs] * from[u] : 0;
      }
      z[f->first[p] + i] = f->direct[f->first[p] + i] ? sum : 0;
    }
  }
}

/* Mean growth per product in the power iteration z = T z / |T z|; 0: T^k z vanishes. */
static double diagnose_growth(const dae__wave *w, const double *feedthrough, double *z, double *old)
{
  double growth = 0; /* sum of logarithms */
  for (int i = 0; i < POWER_ITERATIONS; i++) {
    diagnose_apply_T(w, feedthrough, z, old);
    double size = dae__max_abs(w->f->unknowns, z);
    if (!(size > UNDERFLOW_SIZE))
      return 0;
    growth += log(size);
    dae__scale(w->f->unknowns, 1 / size, z);
  }
  return exp(growth / POWER_ITERATIONS);
}

/* Eigenvalue of T, restricted to the unknowns that are fed back, farthest from shift; shift itself
 * where T has no other eigenvalue. */
static double diagnose_farthest(dae__wave *w, const double *feedthrough, double shift)
{
  const dae__interface *f = w->f;
  int n = f->unknowns;
  double value = 0, *z = w->mode, *before = w->previous;
  for (int i = 0; i < n; i++)
    z[i] = w->fed_back[i] && f->direct[i] ? 1 + 0.5 * sin(1.0 + i) : 0;
  for (int k = 0; k < POWER_ITERATIONS; k++) {
    dae__copy(n, z, before);
    diagnose_apply_T(w, feedthrough, z, w->z);
    for (int i = 0; i < n; i++)
      z[i] = w->fed_back[i] ? z[i] - shift * before[i] : 0;
    value = dae__dot(n, z, before) / fmax(dae__dot(n, before, before), 1e-300);
    double size = dae__max_abs(n, z);
    if (!(size > NEGLIGIBLE_SIZE))
      return shift;
    dae__scale(n, 1 / size, z);
  }
  return shift + value;
}

void dae__wave_estimate_contraction(dae__wave *w, int node)
{
  const dae__interface *f = w->f;
  const double *D = dae__wave_feedthrough(w, node);
  if (w->opts.update == DAE_WAVE_RELAX && w->opts.omega == 0) {
    /* optimal omega = 2/(2 + mu1 + mu2) for a real spectrum of T between -mu1 and -mu2 */
    double one = diagnose_farthest(w, D, 0), other = diagnose_farthest(w, D, one);
    w->omega = 2 / (2 - one - other);
  }
  if (f->multipliers > 0 && w->variant.multipliers) {
    /* rho depends on the weights of the multipliers, too: not estimated */
    w->m->rho = w->m->rho_last = NAN;
    return;
  }
  for (int i = 0; i < f->unknowns; i++) /* start vector without symmetries */
    w->mode[i] = f->direct[i] && f->owner[i] < f->systems ? 1 + 0.5 * sin(1.0 + i) : 0;
  bool any = diagnose_growth(w, D, w->mode, w->z) > 0;
  double rho = any ? diagnose_growth(w, D, w->mode, w->z) : 0;
  w->m->rho_last = rho;
  w->m->rho = fmax(w->m->rho, rho);
}

/* ---- messages ---- */

void dae__wave_loop_names(const dae__wave *w, char *text, size_t size)
{
  const dae__interface *f = w->f;
  double most = dae__max_abs(f->unknowns, w->mode);
  size_t used = 0;
  int listed = 0;
  text[0] = '\0';
  for (int i = 0; i < f->unknowns && used < size; i++) {
    if (!(most > 0) || fabs(w->mode[i]) < DAE__LOOP_SHARE * most)
      continue;
    if (listed++ == MAX_LISTED_NAMES) {
      snprintf(text + used, size - used, ", ...");
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", f->name[i]);
  }
}

/* Message for sweeps that do not converge: the loop, the order of the subsystems, the contraction
 * rate, and the unknown with the largest change. */
static dae_status diagnose_sweeps(dae__wave *w, const char *what, dae_error *err)
{
  const dae__interface *f = w->f;
  dae_wave_update update = w->opts.update;
  const char *advice =
      update == DAE_WAVE_AUTO || update == DAE_WAVE_SCHUR
          ? "Try a shorter window, or solve the systems of the loop as one"
      : !(w->m->rho >= 1)
          ? "Try a shorter window, or the update `schur`, which is the default"
          : "A shorter window does not help; the update `schur`, which is the default, takes the "
            "loop into account";
  char loop[160], order[120], rho[64] = "";
  double most = -1;
  int worst = 0;
  for (int k = 0; k < w->computed.nodes; k++)
    for (int i = 0; i < f->unknowns; i++) {
      double a = fabs(w->change[(size_t)k * (size_t)f->unknowns + (size_t)i]) /
                 (w->opts.rtol * w->scale[i] + w->atol[i]);
      if (a > most || isnan(a)) {
        most = isnan(a) ? INFINITY : a;
        worst = i;
      }
    }
  dae__wave_loop_names(w, loop, sizeof loop);
  dae__order_names(f, w->order, order, sizeof order);
  if (f->has_feedthrough && f->directs > 0 && !isnan(w->m->rho))
    snprintf(rho, sizeof rho, "; the derivatives predict %.4g", w->m->rho);
  dae__fail(err, DAE_ERROR_COUPLING, f->name[worst],
            "%s in the loop of %s: a sweep%s%s multiplies changes by %.4g%s. %s", what,
            loop[0] ? loop : f->name[worst], w->jacobi ? "" : " in the order ",
            w->jacobi ? "" : order, w->trial.rate, rho, advice);
  return DAE_ERROR_COUPLING;
}

dae_status dae__wave_diagnose(dae__wave *w, dae__sweep_outcome outcome, dae_error *err)
{
  char what[96] = "the iteration diverges";
  bool failed = outcome == DAE__SWEEP_FAILED || outcome == DAE__SWEEP_EVENT ||
                outcome == DAE__SWEEP_COARSE_GRID;
  dae_status status = err && err->status < 0 ? err->status : DAE_ERROR_COUPLING;
  if (outcome == DAE__SWEEP_CYCLE)
    snprintf(what, sizeof what, "the iteration falls into a %s, changes stay at %.6g",
             w->jacobi ? "cycle of four sweeps" : "2-cycle",
             dae__max_abs(w->computed.nodes * w->f->unknowns, w->change));
  if (outcome == DAE__SWEEP_LIMIT)
    snprintf(what, sizeof what, "the iteration has not converged in %d sweeps", w->trial.sweep);
  if (!failed)
    status = diagnose_sweeps(w, what, err);
  else if (!err || err->status >= 0)
    dae__fail(err, status, NULL,
              "the exchange grid does not resolve the waveforms, however short the window: loosen "
              "the tolerance");
  else if (w->failed >= 0) { /* message of the subsystem, with its name */
    const char *name = w->f->sub[w->failed]->name;
    bool named = name && name[0];
    char text[sizeof err->text];
    snprintf(text, sizeof text, "%.380s (in %s%.60s, window from t = %.6g)", err->text,
             named ? "system " : "the model itself", named ? name : "", w->m->t);
    memcpy(err->text, text, sizeof text);
    if (named && err->equation[0] && !strchr(err->equation, '.')) {
      snprintf(text, sizeof err->equation, "%.31s.%.31s", name, err->equation);
      memcpy(err->equation, text, sizeof err->equation);
    }
  }
  dae__fail_at(err, w->m->t, w->grid[w->given.nodes - 1] - w->m->t);
  return status;
}
