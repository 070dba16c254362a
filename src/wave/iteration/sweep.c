/* One sweep over a window: every subsystem is integrated from the beginning of the window, with its
 * inputs as they are known by then.
 *
 *   Jacobi         all inputs from the waveforms given to the sweep
 *   Gauss-Seidel   those of subsystems that were integrated before as they have just come out */
#include "core/error.h"
#include "core/vec.h"
#include "wave/iteration/wave.h"

/* ---- inputs and outputs ---- */

/* the iterate that input j of subsystem p is taken from */
static const dae_waveform *sweep_where(const dae__wave *w, int p, int j)
{
  const dae__interface *f = w->f;
  int input = f->first_input[p] + j, owner = f->owner[f->source[input]];
  if (f->age && f->age[input] > 1)
    return &w->past[f->age[input] - 2];
  return !w->jacobi && w->rank[owner] < w->rank[p] ? &w->computed : &w->given;
}

static void sweep_gather(dae__wave *w, int p)
{
  const dae__interface *f = w->f;
  dae_waveform *in = &w->in[p];
  const int *source = f->source + f->first_input[p];
  in->nodes = w->given.nodes;
  for (int j = 0; j < in->width; j++) {
    const dae_waveform *from = source[j] >= 0 ? sweep_where(w, p, j) : NULL;
    for (int k = 0; k < in->nodes; k++) {
      size_t to = (size_t)k * (size_t)in->width + (size_t)j;
      size_t at = from ? (size_t)k * (size_t)from->width + (size_t)source[j] : 0;
      in->value[to] = from ? from->value[at] : 0;
      in->slope[to] = from ? from->slope[at] : 0;
    }
  }
}

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

/* ---- one subsystem ---- */

static dae_status sweep_find_gains(dae__wave *w, int p, dae_error *err)
{
  const dae_subsystem *s = w->f->sub[p];
  const dae__interface *f = w->f;
  int nodes = w->given.nodes, total = f->first_D[f->systems];
  dae_status status = DAE_OK;
  if (!s->gain)
    return DAE_OK;
  for (int k = 0; k < (w->feedthrough_sets > 1 ? nodes : 1) && !status; k++) {
    int node = w->feedthrough_sets > 1 ? k : nodes - 1;
    status = s->gain(s->self, node,
                     w->feedthrough + (size_t)k * (size_t)total + (size_t)f->first_D[p], err);
  }
  return status;
}

/* refuses outputs that are not finite, naming the first */
static dae_status sweep_check_outputs(const dae__wave *w, int p, dae_error *err)
{
  const dae_waveform *out = &w->out[p];
  for (int i = 0; i < out->nodes * out->width; i++)
    if (!isfinite(out->value[i])) {
      const char *name = w->f->name[w->f->first[p] + i % out->width];
      return dae__fail(err, DAE_ERROR_STEP, name, "%s is not a finite number at t = %.10g", name,
                       w->grid[i / out->width]);
    }
  return DAE_OK;
}

static dae_status sweep_integrate(dae__wave *w, int p, dae_error *err)
{
  const dae_subsystem *s = w->f->sub[p];
  dae_waveform *out = &w->out[p];
  dae_status status = w->at_start ? DAE_OK : s->load(s->self, w->snapshot[p], err);
  sweep_gather(w, p);
  out->nodes = w->given.nodes;
  w->reached[p] = w->grid[out->nodes - 1];
  if (status >= 0)
    status = s->advance(s->self, &w->in[p], w->opts.interpolation, out, &w->reached[p], err);
  if (status > 0 && w->reached[p] >= w->grid[out->nodes - 1])
    status = DAE_OK; /* an event at the end of the window changes nothing */
  if (status == DAE_OK)
    status = sweep_check_outputs(w, p, err);
  if (status == DAE_OK && w->trial.want_feedthrough)
    status = sweep_find_gains(w, p, err);
  if (status == DAE_OK)
    sweep_scatter(w, p);
  return status;
}

static void sweep_task(void *context, int i)
{
  dae__wave *w = context;
  int p = w->order[i];
  w->why[p] = dae_error_none();
  w->status[p] = sweep_integrate(w, p, &w->why[p]);
}

/* ---- all of them ---- */

static void sweep_run_in_turn(dae__wave *w)
{
  for (int i = 0; i < w->f->systems; i++) {
    sweep_task(w, i);
    if (w->status[w->order[i]] != DAE_OK)
      break;
  }
}

/* the first subsystem in order that failed, or the earliest event */
static dae__sweep_outcome sweep_outcome(dae__wave *w, dae_error *err)
{
  double earliest = INFINITY;
  for (int i = 0; i < w->f->systems; i++) {
    int p = w->order[i];
    if (w->status[p] < 0) {
      if (err)
        *err = w->why[p];
      w->failed = p;
      return DAE__SWEEP_FAILED;
    }
    if (w->status[p] == DAE_EVENT)
      earliest = fmin(earliest, w->reached[p]);
  }
  if (isinf(earliest))
    return DAE__SWEEP_CONTINUE;
  w->trial.reached = earliest;
  return DAE__SWEEP_EVENT;
}

/* Jacobi uses slack variables in every second sweep, when there is one two sweeps ago to refer to
 */
static void sweep_set_slack(dae__wave *w)
{
  for (int p = 0; p < w->coupling.systems; p++)
    if (w->coupling.child_problem[p].slack)
      dae__slack_use(w->coupling.child_problem[p].slack, !w->jacobi || w->trial.sweep % 2 == 0);
}

dae__sweep_outcome dae__wave_sweep(dae__wave *w, dae_error *err)
{
  sweep_set_slack(w);
  for (int p = 0; p < w->f->systems; p++)
    w->status[p] = DAE_OK;
  w->computed.nodes = w->given.nodes;
  if (w->jacobi)
    dae__workers_run(w->workers, w->f->systems, sweep_task, w);
  else
    sweep_run_in_turn(w);
  w->at_start = false;
  w->trial.new_feedthrough = w->trial.want_feedthrough;
  w->trial.want_feedthrough = false;
  w->m->sweeps++;
  return sweep_outcome(w, err);
}

/* ---- memory ---- */

dae_status dae__wave_save_all(dae__wave *w, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int p = 0; p < w->f->systems && status >= 0; p++)
    status = w->f->sub[p]->save(w->f->sub[p]->self, w->snapshot[p], err);
  w->at_start = status >= 0;
  return status < 0 ? status : DAE_OK;
}

dae_status dae__wave_load_all(dae__wave *w, dae_error *err)
{
  dae_status status = DAE_OK;
  for (int p = 0; p < w->f->systems && status >= 0; p++)
    status = w->f->sub[p]->load(w->f->sub[p]->self, w->snapshot[p], err);
  w->at_start = status >= 0;
  return status < 0 ? status : DAE_OK;
}
