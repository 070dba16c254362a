/* What the derivatives say about a plain sweep, and messages where an iteration fails.
 *
 * A sweep linearised at one time maps the direct unknowns by T: every subsystem in turn outputs by
 * its gains. rho(T) is found by applying T again and again, without memory of its own; exactly, for
 * those who ask before a run, in contraction.c. */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

#include <stdio.h>
#include <string.h>

#define POWERS 40      /* applications of T before and while the growth is measured */
#define LOOP_SHARE 0.2 /* variables that make up a loop: this much of the largest in its mode */
#define LISTED 6

/* ---- rho ---- */

/* z = T z, z the unknowns; those that are not direct stay 0 */
static void wave_apply_sweep(const dae__wave *w, const double *gains, double *z, double *old)
{
  const dae__interface *f = w->f;
  dae__copy(f->unknowns, z, old);
  for (int place = 0; place < f->systems; place++) {
    int p = w->order[place], outputs = f->sub[p]->outputs;
    const double *D = gains + f->first_D[p], *from = w->jacobi ? old : z;
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

/* growth of z under `POWERS` applications, z scaled to 1; 0: nothing is left of it */
static double wave_grow(const dae__wave *w, const double *gains, double *z, double *old)
{
  double growth = 0; /* logarithm */
  for (int i = 0; i < POWERS; i++) {
    wave_apply_sweep(w, gains, z, old);
    double size = dae__max_abs(w->f->unknowns, z);
    if (!(size > 1e-280))
      return 0;
    growth += log(size);
    dae__scale(w->f->unknowns, 1 / size, z);
  }
  return exp(growth / POWERS);
}

/* eigenvalue of T, over the unknowns that are fed back, that lies farthest from shift; shift itself
 * where there is no other */
static double wave_farthest(dae__wave *w, const double *gains, double shift)
{
  const dae__interface *f = w->f;
  int n = f->unknowns;
  double value = 0, *z = w->mode, *before = w->before;
  for (int i = 0; i < n; i++)
    z[i] = w->fed[i] && f->direct[i] ? 1 + 0.5 * sin(1.0 + i) : 0;
  for (int k = 0; k < POWERS; k++) {
    dae__copy(n, z, before);
    wave_apply_sweep(w, gains, z, w->z);
    for (int i = 0; i < n; i++)
      z[i] = w->fed[i] ? z[i] - shift * before[i] : 0;
    value = dae__dot(n, z, before) / fmax(dae__dot(n, before, before), 1e-300);
    double size = dae__max_abs(n, z);
    if (!(size > 1e-12))
      return shift;
    dae__scale(n, 1 / size, z);
  }
  return shift + value;
}

/* relaxation that suits the eigenvalues -mu1 and -mu2 of T at the ends of its spectrum, where that
 * is real: 2/(2 + mu1 + mu2) */
static double wave_find_omega(dae__wave *w, const double *gains)
{
  double one = wave_farthest(w, gains, 0), other = wave_farthest(w, gains, one);
  return 2 / (2 - one - other);
}

void dae__wave_estimate_contraction(dae__wave *w, int node)
{
  const dae__interface *f = w->f;
  const double *gains = dae__wave_feedthrough(w, node);
  if (w->opts.update == DAE_WAVE_RELAX && w->opts.omega == 0)
    w->omega = wave_find_omega(w, gains);
  if (f->multipliers > 0 && w->opts.splitting == DAE_WAVE_SPLIT_WEIGHTED) {
    w->m->rho = w->m->rho_last = NAN; /* not a matter of the gains alone */
    return;
  }
  for (int i = 0; i < f->unknowns; i++) /* any vector that is not special */
    w->mode[i] = f->direct[i] && f->owner[i] < f->systems ? 1 + 0.5 * sin(1.0 + i) : 0;
  bool any = wave_grow(w, gains, w->mode, w->z) > 0;
  double rho = any ? wave_grow(w, gains, w->mode, w->z) : 0;
  w->m->rho_last = rho;
  w->m->rho = fmax(w->m->rho, rho);
}

/* ---- messages ---- */

/* "one.z, two.z": the variables that take part in the slowest mode of a sweep */
void dae__wave_loop_names(const dae__wave *w, char *text, size_t size)
{
  const dae__interface *f = w->f;
  double most = dae__max_abs(f->unknowns, w->mode);
  size_t used = 0;
  int listed = 0;
  text[0] = '\0';
  for (int i = 0; i < f->unknowns && used < size; i++) {
    if (!(most > 0) || fabs(w->mode[i]) < LOOP_SHARE * most)
      continue;
    if (listed++ == LISTED) {
      snprintf(text + used, size - used, ", ...");
      return;
    }
    used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", f->name[i]);
  }
}

/* the unknown that changes most */
static const char *wave_worst(const dae__wave *w)
{
  const dae__interface *f = w->f;
  double most = -1;
  int at = 0;
  for (int k = 0; k < w->computed.nodes; k++)
    for (int i = 0; i < f->unknowns; i++) {
      double a = fabs(w->change[(size_t)k * (size_t)f->unknowns + (size_t)i]) /
                 (w->opts.rtol * w->scale[i] + w->opts.atol);
      if (a > most || isnan(a)) {
        most = isnan(a) ? INFINITY : a;
        at = i;
      }
    }
  return f->name[at];
}

/* what to try */
static const char *wave_advice(const dae__wave *w)
{
  dae_wave_update update = w->opts.update;
  if (update == DAE_WAVE_AUTO || update == DAE_WAVE_SCHUR)
    return "Try a shorter window, or solve the systems of the loop as one (--method bdf, or "
           "bdf-ggl for mechanics)";
  if (!(w->m->rho >= 1))
    return "Try a shorter window, or the update `schur`, which is the default";
  return "A shorter window does not help; the update `schur`, which is the default, takes the loop "
         "into account";
}

static dae_status wave_diagnose_growth(dae__wave *w, const char *what, dae_error *err)
{
  char loop[160], order[120], rho[64] = "";
  dae__wave_loop_names(w, loop, sizeof loop);
  dae__order_names(w->f, w->order, order, sizeof order);
  const char *name = wave_worst(w);
  if (w->f->has_feedthrough && w->f->directs > 0 && !isnan(w->m->rho))
    snprintf(rho, sizeof rho, "; the derivatives say %.4g", w->m->rho);
  dae__fail(err, DAE_ERROR_COUPLING, name,
            "%s in the loop of %s: a sweep%s%s multiplies changes by %.4g%s. %s", what,
            loop[0] ? loop : name, w->jacobi ? "" : " in the order ", w->jacobi ? "" : order,
            w->trial.rate, rho, wave_advice(w));
  return DAE_ERROR_COUPLING;
}

/* a subsystem that could not go on: what it said, and which one it is */
static dae_status wave_diagnose_system(const dae__wave *w, dae_error *err)
{
  char text[sizeof err->text];
  if (!err || w->failed < 0)
    return err ? err->status : DAE_ERROR_STEP;
  const char *name = w->f->sub[w->failed]->name;
  bool named = name && name[0];
  snprintf(text, sizeof text, "%.380s (in %s%.60s, window from t = %.6g)", err->text,
           named ? "system " : "the model itself", named ? name : "", w->m->t);
  memcpy(err->text, text, sizeof text);
  if (named && err->equation[0] && !strchr(err->equation, '.')) {
    snprintf(text, sizeof err->equation, "%.31s.%.31s", name, err->equation);
    memcpy(err->equation, text, sizeof err->equation);
  }
  return err->status;
}

dae_status dae__wave_diagnose(dae__wave *w, dae__sweep_outcome verdict, dae_error *err)
{
  char what[96];
  dae_status status;
  switch (verdict) {
  case DAE__SWEEP_FAILED:
  case DAE__SWEEP_EVENT:
  case DAE__SWEEP_COARSE_GRID:
    status = err && err->status < 0 ? wave_diagnose_system(w, err)
                                    : dae__fail(err, DAE_ERROR_COUPLING, NULL,
                                                "the exchange grid does not resolve the waveforms, "
                                                "however short the window: loosen the tolerance");
    break;
  case DAE__SWEEP_CYCLE:
    snprintf(what, sizeof what, "the iteration falls into a %s, changes stay at %.6g",
             w->jacobi ? "cycle of four sweeps" : "2-cycle", dae__wave_plain_change(w));
    status = wave_diagnose_growth(w, what, err);
    break;
  case DAE__SWEEP_LIMIT:
    snprintf(what, sizeof what, "the iteration has not converged in %d sweeps", w->trial.sweep);
    status = wave_diagnose_growth(w, what, err);
    break;
  default:
    status = wave_diagnose_growth(w, "the iteration diverges", err);
    break;
  }
  dae__fail_at(err, w->m->t, w->grid[w->given.nodes - 1] - w->m->t);
  return status;
}

double dae__wave_plain_change(const dae__wave *w)
{
  return dae__max_abs(w->computed.nodes * w->f->unknowns, w->change);
}
