/* Where windows end, and the nodes at which waveforms are exchanged: equidistant, and finer where a
 * subsystem's waveform needs it; where subsystems have fixed steps, at these. */
#include "wave/iteration/wave.h"

#include <float.h>
#include <math.h>

/* time in which the state changes by its own size */
static double grid_time_scale(const dae__wave *w)
{
  double least = INFINITY;
  for (int p = 0; p < w->coupling.parts; p++) {
    const dae__child *c = &w->coupling.child[p];
    double y = 0, dy = 0;
    for (int i = 0; i < c->size; i++)
      if (!c->algebraic[i]) {
        y = fmax(y, fabs(c->trace.y[i]));
        dy = fmax(dy, fabs(c->trace.dy[i]));
      }
    if (dy > 0)
      least = fmin(least, fmax(y, w->opts.atol / fmax(w->opts.rtol, DBL_MIN)) / dy);
  }
  return least;
}

double dae__wave_first_window(const dae__wave *w, double t_stop)
{
  double length = fmin(grid_time_scale(w) / 4, (t_stop - w->m->t) / 10);
  return w->opts.max_window > 0 ? fmin(length, w->opts.max_window) : length;
}

double dae__wave_end(dae__wave *w, double t_stop)
{
  dae__wave_memory *m = w->m;
  if (w->opts.window > 0 && m->window >= w->opts.window) {
    double end = m->origin + (double)(m->done + 1) * w->opts.window;
    return end > t_stop - 1e-9 * w->opts.window ? t_stop : end;
  }
  double goal = w->opts.window > 0 ? m->origin + (double)(m->done + 1) * w->opts.window : t_stop;
  goal = fmin(goal, t_stop);
  double left = goal - m->t;
  if (left <= m->window * (1 + 1e-9))
    return goal;
  return m->t + (left < 2 * m->window ? left / 2 : m->window);
}

bool dae__wave_is_variable(const dae__wave *w, int p)
{
  return p >= w->coupling.parts || !(w->coupling.child[p].step > 0);
}

static bool grid_any_variable(const dae__wave *w)
{
  for (int p = 0; p < w->f->systems; p++)
    if (dae__wave_is_variable(w, p))
      return true;
  return false;
}

/* intervals that meet all steps of subsystems with fixed steps, 0: there are none */
static int grid_fixed_intervals(const dae__wave *w, double length)
{
  double least = INFINITY;
  for (int p = 0; p < w->coupling.parts; p++)
    if (!dae__wave_is_variable(w, p))
      least = fmin(least, w->coupling.child[p].step);
  double count = ceil(length / least - 1e-6);
  return isinf(least) ? 0 : (int)fmin(fmax(count, 1), w->capacity - 1);
}

/* a multiple of those, where there are others as well */
static int grid_choose_intervals(const dae__wave *w, double length)
{
  int fixed = grid_fixed_intervals(w, length), wanted = w->m->intervals;
  if (w->opts.nodes > 0)
    return w->opts.nodes;
  if (fixed == 0 || !grid_any_variable(w))
    return fixed > 0 ? fixed : wanted;
  int n = fixed * ((wanted + fixed - 1) / fixed);
  return n < w->capacity ? n : fixed;
}

void dae__wave_place_grid(dae__wave *w, double end)
{
  double from = w->m->t;
  int n = grid_choose_intervals(w, end - from);
  for (int k = 0; k <= n; k++)
    w->grid[k] = k == n ? end : from + k * ((end - from) / n);
  w->given.nodes = w->computed.nodes = n + 1;
  for (int i = 0; i < w->pasts; i++)
    w->past[i].nodes = n + 1;
}
