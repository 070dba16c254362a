/* Integrators of daedal as subsystems: the inputs of a system are waveforms, its outputs are taken
 * from the integrator's dense output at the nodes of the exchange grid. */
#include "wave/subsystems/child.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/integrator.h"
#include "wave/iteration/create.h"
#include <string.h>

static double *child_at_node(double *values, int width, int node)
{
  return values + (size_t)node * (size_t)width;
}

/* ---- inputs ---- */

static int child_inputs_at(void *user, double t, double *in)
{
  dae__child *c = user;
  if (c->in)
    dae_waveform_at(c->in, c->rule, t, in);
  else
    dae__copy(c->subsystem.inputs, c->in_nodes, in);
  return 0;
}

/* ---- states at the nodes ---- */

/* Selects the system's variables from the integrator's state vector. */
static void child_pick(const dae__child *c, const double *inner, double *own)
{
  for (int i = 0; i < c->size; i++)
    own[i] = inner[c->entry ? c->entry[i] : i];
}

static dae_status child_state_at(dae__child *c, double t, double *y, double *dy, dae_error *err)
{
  dae_status status = dae_integrator_interpolate(c->it, t, c->inner_y, c->inner_dy, err);
  child_pick(c, c->inner_y, y);
  child_pick(c, c->inner_dy, dy);
  return status;
}

/* Records the states at the nodes from *node on, and at the midpoints from *middle on, up to the
 * end of the last step. */
static dae_status child_record(dae__child *c, const dae_waveform *out, int *node, int *middle,
                               dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  int last = out->nodes - 1;
  dae_status status = DAE_OK;
  for (; *node <= last && out->t[*node] <= t && !status; ++*node)
    status = child_state_at(c, out->t[*node], child_at_node(c->y, c->size, *node),
                            child_at_node(c->dy, c->size, *node), err);
  for (; *middle < last && !status; ++*middle) {
    double midpoint = (out->t[*middle] + out->t[*middle + 1]) / 2;
    if (midpoint > t)
      break;
    status = c->has_algebraic
                 ? dae__integrator_interpolate_unprojected(c->it, midpoint, c->inner_y, err)
                 : dae__integrator_interpolate_raw(c->it, midpoint, c->inner_y, NULL, err);
    child_pick(c, c->inner_y, child_at_node(c->middle, c->size, *middle));
  }
  return status;
}

/* ---- verbs of the subsystem ---- */

static dae_status child_write_outputs(dae__child *c, const dae_waveform *out, dae_error *err)
{
  int n = c->subsystem.outputs;
  bool variables = true;
  for (int i = 0; i < n; i++)
    variables = variables && c->outputs[i].kind == DAE__OUTPUT_VARIABLE;
  for (int k = 0; k < out->nodes; k++) {
    const double *y = child_at_node(c->y, c->size, k);
    const double *dy = child_at_node(c->dy, c->size, k);
    const double *in = child_at_node(c->in_nodes, c->subsystem.inputs, k);
    double *value = child_at_node(out->value, n, k), *slope = child_at_node(out->slope, n, k);
    if (!variables)
      DAE__TRY(
          dae__augmented_outputs(c->augmented, out->t[k], y, in, n, c->outputs, value, NULL, err));
    for (int i = 0; i < n; i++) {
      bool variable = c->outputs[i].kind == DAE__OUTPUT_VARIABLE;
      if (variable)
        value[i] = y[c->outputs[i].index];
      slope[i] = variable ? dy[c->outputs[i].index] : 0;
    }
  }
  return DAE_OK;
}

static dae_status child_advance(void *self, const dae_waveform *in, dae_interpolation rule,
                                dae_waveform *out, double *reached, dae_error *err)
{
  dae__child *c = self;
  int node = 0, middle = 0;
  double end = *reached = out->t[out->nodes - 1];
  DAE__ASSERT(in->nodes == out->nodes && in->width == c->subsystem.inputs);
  c->in = in;
  c->rule = rule;
  *c->nodes = out->nodes;
  dae__copy(out->nodes, out->t, c->t);
  for (int k = 0; k < out->nodes; k++)
    dae_waveform_at(in, DAE_INTERPOLATION_LINEAR, out->t[k],
                    child_at_node(c->in_nodes, c->subsystem.inputs, k));
  dae_stats before = dae_integrator_stats(c->it);
  dae_status status = child_record(c, out, &node, &middle, err);
  while (node < out->nodes && status >= 0) {
    status = dae_integrator_step(c->it, end, err);
    if (status >= 0)
      status = child_record(c, out, &node, &middle, err);
  }
  dae_stats now = dae_integrator_stats(c->it);
#define COUNT(name, text) c->work->name += now.name - before.name;
  DAE_STATS_LIST(COUNT)
#undef COUNT
  if (status < 0)
    return status;
  /* slopes of algebraic entries by differences over the nodes */
  dae_waveform states = {out->nodes, c->size, out->t, c->y, c->dy};
  for (int i = 0; i < c->size; i++)
    if (c->algebraic[i])
      dae__waveform_slopes(&states, i);
  return child_write_outputs(c, out, err);
}

/* Feedthrough matrix at a node; zero for inputs beyond those of the augmented system, which are
 * earlier iterates. */
static dae_status child_feedthrough(void *self, int node, double *D, dae_error *err)
{
  dae__child *c = self;
  int outputs = c->subsystem.outputs, own = c->augmented->inputs;
  dae__zero(outputs * (c->subsystem.inputs - own), D + (size_t)outputs * (size_t)own);
  return dae__augmented_outputs(c->augmented, c->t[node], child_at_node(c->y, c->size, node),
                                child_at_node(c->in_nodes, c->subsystem.inputs, node), outputs,
                                c->outputs, c->output_values, D, err);
}

/* Largest interpolation error at the midpoints, in units of the tolerances. */
static double child_defect(void *self, double rtol, double atol)
{
  dae__child *c = self;
  double worst = 0;
  dae__zero(c->size, c->sizes); /* sizes: largest |y_i| over the nodes */
  for (int k = 0; k < *c->nodes; k++)
    for (int i = 0; i < c->size; i++)
      c->sizes[i] = fmax(c->sizes[i], fabs(child_at_node(c->y, c->size, k)[i]));
  for (int k = 0; k + 1 < *c->nodes; k++) {
    const double *middle = child_at_node(c->middle, c->size, k);
    dae__child_state(c, (c->t[k] + c->t[k + 1]) / 2, c->scratch, NULL);
    for (int i = 0; i < c->size; i++) {
      double own = c->problem.atol ? c->problem.atol[c->entry ? c->entry[i] : i] : 0,
             weight = rtol * c->sizes[i] + (own > 0 ? own / DAE__CHILD_TOLERANCE_RATIO : atol);
      if (!c->multiplier[i])
        worst = fmax(worst, fabs(c->scratch[i] - middle[i]) / weight);
    }
  }
  return worst;
}

static dae_status child_save(void *self, void *buffer, dae_error *err)
{
  dae__child *c = self;
  (void)err;
  dae__integrator_copy_state(c->it, buffer);
  return DAE_OK;
}

static dae_status child_load(void *self, const void *buffer, dae_error *err)
{
  dae__child *c = self;
  return dae__integrator_restore_state(c->it, buffer, err);
}

/* ---- adjustment, restart and state ---- */

dae_status dae__child_adjust(dae__child *c, const double *y, dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  dae_status status = dae_integrator_interpolate(c->it, t, c->inner_y, NULL, err);
  for (int i = 0; i < c->size; i++)
    c->inner_y[c->entry ? c->entry[i] : i] = y[i];
  return status < 0 ? status : dae__integrator_adjust(c->it, c->inner_y, err);
}

dae_status dae__child_reset(dae__child *c, dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  *c->nodes = 1;
  c->t[0] = t;
  return child_state_at(c, t, c->y, c->dy, err);
}

void dae__child_state(const dae__child *c, double t, double *y, double *dy)
{
  int k = 0, last = *c->nodes - 1, n = c->size;
  while (k + 1 < last && c->t[k + 1] <= t)
    k++;
  if (last == 0 || t >= c->t[last])
    k = last;
  const double *y0 = child_at_node(c->y, n, k), *dy0 = child_at_node(c->dy, n, k);
  if (k < last && t > c->t[k]) {
    dae_waveform states = {*c->nodes, n, c->t, c->y, c->dy};
    dae__waveform_interval(&states, k, DAE_INTERPOLATION_HERMITE, t, y, dy);
    return;
  }
  dae__copy(n, y0, y);
  if (dy)
    dae__copy(n, dy0, dy);
}

/* ---- creation ---- */

double dae__method_step(const dae_method *method, const void *options)
{
  for (int i = 0; options && i < method->options->count; i++) {
    const dae_option *o = &method->options->options[i];
    double step;
    if (strcmp(o->name, "step") != 0 || o->type != DAE_OPTION_DOUBLE)
      continue;
    memcpy(&step, (const char *)options + o->offset, sizeof step);
    return step;
  }
  return 0;
}

dae_status dae__child_create(dae__arena *arena, dae__child *c, const dae_wave_child *how,
                             const dae_start *start, int capacity, dae_error *err)
{
  int inputs = c->subsystem.inputs, inner = dae_problem_size(&c->problem);
  c->problem.input = child_inputs_at;
  c->problem.input_user = c;
  c->step = dae__method_step(how->method, how->options);
  c->subsystem.self = c;
  c->subsystem.advance = child_advance;
  c->subsystem.save = child_save;
  c->subsystem.load = child_load;
  c->subsystem.gain = child_feedthrough;
  c->subsystem.defect = child_defect;
  DAE__VECTORS(arena, inner, &c->inner_y, &c->inner_dy);
  DAE__VECTORS(arena, c->size, &c->scratch, &c->sizes);
  c->nodes = DAE__STATE(arena, int, 1);
  c->work = DAE__STATE(arena, dae_stats, 1);
  c->t = DAE__STATE(arena, double, capacity);
  c->in_nodes = DAE__STATE(arena, double, (size_t)capacity *(size_t)inputs);
  c->y = DAE__STATE(arena, double, (size_t)capacity *(size_t)c->size);
  c->dy = DAE__STATE(arena, double, (size_t)capacity *(size_t)c->size);
  c->middle = DAE__ALLOC(arena, double, (size_t)capacity *(size_t)c->size);
  c->algebraic = DAE__ALLOC(arena, bool, c->size);
  c->multiplier = DAE__ALLOC(arena, bool, c->size);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT(arena, c->nodes, 1, 1, capacity);
  DAE__LIMIT_STATS(arena, c->work);
  bool quasilinear = c->problem.semi_explicit && c->problem.semi_explicit->M;
  for (int i = 0; i < c->size; i++) {
    char name[8];
    int entry = c->entry ? c->entry[i] : i;
    dae_variable_kind kind = dae_problem_variable(&c->problem, entry, name, sizeof name);
    c->multiplier[i] = kind == DAE_VARIABLE_MULTIPLIER;
    c->has_algebraic = c->has_algebraic || kind == DAE_VARIABLE_ALGEBRAIC;
    /* states of a semi-explicit problem with a mass matrix may be algebraic, since M may be
     * singular */
    c->algebraic[i] = c->multiplier[i] || kind == DAE_VARIABLE_ALGEBRAIC || quasilinear;
  }
  dae__copy(inputs, c->scratch_in, c->in_nodes);
  dae_status status =
      how->method->create(&c->problem, start, how->options, dae__arena_env(arena), &c->it, err);
  if (status < 0)
    return status;
  c->subsystem.save_size = dae__integrator_state_size(c->it);
  return dae__child_reset(c, err);
}
