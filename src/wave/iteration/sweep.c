/* One sweep over a window: every subsystem is integrated from the begin of the window, with inputs
 *
 *   Jacobi         from the waveforms z given to the sweep
 *   Gauss-Seidel   from zhat of the subsystems earlier in the order, from z of the others */
#include "core/error.h"
#include "wave/iteration/wave.h"
#include <math.h>

/* ---- inputs and outputs ---- */

/* Gathers the input waveforms of subsystem p. */
static void sweep_gather(dae__wave *w, int p)
{
  const dae__interface *f = w->f;
  dae_waveform *in = &w->in[p];
  in->nodes = w->given.nodes;
  for (int j = 0; j < in->width; j++) {
    int input = f->first_input[p] + j, u = f->source[input];
    const dae_waveform *from = &w->given;
    if (u >= 0 && f->age[input] > 1)
      from = &w->past[f->age[input] - 2];
    else if (u >= 0 && !w->jacobi && w->rank[f->owner[u]] < w->rank[p])
      from = &w->computed;
    for (int k = 0; k < in->nodes; k++) {
      size_t to = (size_t)k * (size_t)in->width + (size_t)j;
      in->value[to] = u >= 0 ? dae__wave_at(from, k)[u] : 0;
      in->slope[to] = u >= 0 ? from->slope[(size_t)k * (size_t)from->width + (size_t)u] : 0;
    }
  }
}

/* Copies the output waveforms of subsystem p into zhat; slopes of direct outputs by differences. */
static void sweep_scatter(dae__wave *w, int p)
{
  const dae_waveform *out = &w->out[p];
  dae_waveform *all = &w->computed;
  int first = w->f->first[p];
  for (int i = 0; i < out->width; i++) {
    for (int k = 0; k < out->nodes; k++) {
      size_t to = (size_t)k * (size_t)all->width + (size_t)(first + i);
      size_t at = (size_t)k * (size_t)out->width + (size_t)i;
      all->value[to] = out->value[at];
      all->slope[to] = out->slope[at];
    }
    if (w->f->direct[first + i])
      dae__waveform_slopes(all, first + i);
  }
}

/* ---- integration of one subsystem ---- */

static dae_status sweep_integrate(dae__wave *w, int p, dae_error *err)
{
  const dae__interface *f = w->f;
  const dae_subsystem *s = f->sub[p];
  dae_waveform *out = &w->out[p];
  out->nodes = w->given.nodes;
  double end = w->reached[p] = w->grid[out->nodes - 1];
  dae_status status = w->at_start ? DAE_OK : s->load(s->self, w->snapshot[p], err);
  sweep_gather(w, p);
  if (status >= 0)
    status = s->advance(s->self, &w->in[p], w->opts.interpolation, out, &w->reached[p], err);
  /* events at the end of the window are ignored */
  if (status < 0 || (status > 0 && w->reached[p] < end))
    return status;
  for (int i = 0; i < out->nodes * out->width; i++)
    if (!isfinite(out->value[i])) {
      const char *name = f->name[f->first[p] + i % out->width];
      return dae__fail(err, DAE_ERROR_STEP, name, "%s is not a finite number at t = %.10g", name,
                       w->grid[i / out->width]);
    }
  /* feedthrough matrices at all nodes, or at the last one */
  int sets = w->feedthrough_sets > 1 ? out->nodes : 1;
  for (int k = 0; k < sets && s->gain && w->trial.want_feedthrough; k++) {
    double *D = w->feedthrough + (size_t)k * (size_t)f->first_D[f->systems] + f->first_D[p];
    DAE__TRY(s->gain(s->self, sets > 1 ? k : out->nodes - 1, D, err));
  }
  sweep_scatter(w, p);
  return DAE_OK;
}

static void sweep_task(void *context, int i)
{
  dae__wave *w = context;
  int p = w->order[i];
  w->error[p] = dae_error_none();
  w->status[p] = sweep_integrate(w, p, &w->error[p]);
}

/* ---- sweep over all subsystems ---- */

dae__sweep_outcome dae__wave_sweep(dae__wave *w, dae_error *err)
{
  int systems = w->f->systems;
  w->coupling.first_of_pair = w->variant.pairs && w->trial.sweep % 2 == 1;
  for (int p = 0; p < systems; p++)
    w->status[p] = DAE_OK;
  w->computed.nodes = w->given.nodes;
  if (w->jacobi)
    dae__workers_run(w->workers, systems, sweep_task, w);
  else
    for (int i = 0; i < systems && (i == 0 || w->status[w->order[i - 1]] == DAE_OK); i++)
      sweep_task(w, i);
  w->at_start = false;
  w->trial.new_feedthrough = w->trial.want_feedthrough;
  w->trial.want_feedthrough = false;
  w->m->sweeps++;
  /* outcome: the first failure in the order of the subsystems, or the earliest event */
  double earliest = INFINITY;
  for (int i = 0; i < systems; i++) {
    int p = w->order[i];
    if (w->status[p] < 0) {
      if (err)
        *err = w->error[p];
      w->failed = p;
      return DAE__SWEEP_FAILED;
    }
    if (w->status[p] == DAE_EVENT)
      earliest = fmin(earliest, w->reached[p]);
  }
  if (isinf(earliest))
    return DAE__SWEEP_CONTINUE;
  w->trial.event_t = earliest;
  return DAE__SWEEP_EVENT;
}

/* ---- memory of the subsystems ---- */

dae_status dae__wave_save_all(dae__wave *w, bool save, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int p = 0; p < w->f->systems && status >= 0; p++) {
    const dae_subsystem *s = w->f->sub[p];
    status = save ? s->save(s->self, w->snapshot[p], err) : s->load(s->self, w->snapshot[p], err);
  }
  w->at_start = status >= 0;
  return status < 0 ? status : DAE_OK;
}
