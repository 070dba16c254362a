/* Our integrators as subsystems: the inputs of a part are waveforms, its outputs are read off the
 * integrator's dense output at the nodes of the exchange grid. */
#include "wave/subsystems/child.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/integrator.h"

#include <float.h>
#include <string.h>

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

/* From now on the inputs are constant. */
static void child_hold_inputs(dae__child *c, const double *in)
{
  c->in = NULL;
  dae__copy(c->subsystem.inputs, in, c->in_nodes);
}

/* ---- the motion ---- */

static double *child_at_node(double *values, int width, int node)
{
  return values + (size_t)node * (size_t)width;
}

/* the part's own variables out of the integrator's */
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

/* States at the nodes from *node on and at the middles from *middle on that the last step has
 * reached. */
static dae_status child_record(dae__child *c, const dae_waveform *out, int *node, int *middle,
                               dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  int last = out->nodes - 1;
  dae_status status = DAE_OK;
  while (*node <= last && out->t[*node] <= t && !status) {
    status = child_state_at(c, out->t[*node], child_at_node(c->trace.y, c->size, *node),
                            child_at_node(c->trace.dy, c->size, *node), err);
    ++*node;
  }
  while (*middle < last && (out->t[*middle] + out->t[*middle + 1]) / 2 <= t && !status) {
    double between = (out->t[*middle] + out->t[*middle + 1]) / 2;
    status = c->has_algebraic
                 ? dae__integrator_interpolate_unprojected(c->it, between, c->inner_y, err)
                 : dae__integrator_interpolate_raw(c->it, between, c->inner_y, err);
    child_pick(c, c->inner_y, child_at_node(c->trace.middle, c->size, *middle));
    ++*middle;
  }
  return status;
}

/* work += what the integrator has done since */
static void child_count_work(dae__child *c, const dae_stats *before)
{
  dae_stats now = dae_integrator_stats(c->it);
#define COUNT(name, text) c->work->name += now.name - before->name;
  DAE_STATS_LIST(COUNT)
#undef COUNT
}

static dae_status child_integrate(dae__child *c, const dae_waveform *out, dae_error *err)
{
  int node = 0, middle = 0;
  double end = out->t[out->nodes - 1];
  dae_stats before = dae_integrator_stats(c->it);
  dae_status status = child_record(c, out, &node, &middle, err);
  while (node < out->nodes && status >= 0) {
    status = dae_integrator_step(c->it, end, err);
    if (status >= 0)
      status = child_record(c, out, &node, &middle, err);
  }
  child_count_work(c, &before);
  return status < 0 ? status : DAE_OK;
}

/* Slopes of what has no derivative of its own, by differences over the nodes. */
static void child_complete_slopes(dae__child *c, int nodes, const double *t)
{
  dae_waveform states = {nodes, c->size, t, c->trace.y, c->trace.dy};
  for (int i = 0; i < c->size; i++)
    if (c->algebraic[i])
      dae__waveform_slopes(&states, i);
}

/* ---- outputs ---- */

static bool child_variables_only(const dae__child *c)
{
  for (int i = 0; i < c->subsystem.outputs; i++)
    if (c->outputs[i].kind != DAE__OUTPUT_VARIABLE)
      return false;
  return true;
}

static dae_status child_write_outputs(dae__child *c, const dae_waveform *out, dae_error *err)
{
  int n = c->subsystem.outputs;
  bool plain = child_variables_only(c);
  dae_status status = DAE_OK;
  for (int k = 0; k < out->nodes && !status; k++) {
    const double *y = child_at_node(c->trace.y, c->size, k),
                 *dy = child_at_node(c->trace.dy, c->size, k);
    double *value = child_at_node(out->value, n, k), *slope = child_at_node(out->slope, n, k);
    if (!plain)
      status = dae__augmented_outputs(c->member, out->t[k], y,
                                      child_at_node(c->in_nodes, c->subsystem.inputs, k), n,
                                      c->outputs, value, NULL, err);
    for (int i = 0; i < n; i++) {
      bool variable = c->outputs[i].kind == DAE__OUTPUT_VARIABLE;
      if (variable)
        value[i] = y[c->outputs[i].index];
      slope[i] = variable ? dy[c->outputs[i].index] : 0;
    }
  }
  return status;
}

static dae_status child_advance(void *self, const dae_waveform *in, dae_interpolation rule,
                                dae_waveform *out, double *reached, dae_error *err)
{
  dae__child *c = self;
  c->in = in;
  c->rule = rule;
  *c->nodes = out->nodes;
  dae__copy(out->nodes, out->t, c->t);
  for (int k = 0; k < out->nodes; k++)
    dae_waveform_at(in, DAE_INTERPOLATION_LINEAR, out->t[k],
                    child_at_node(c->in_nodes, c->subsystem.inputs, k));
  dae_status status = child_integrate(c, out, err);
  if (!status) {
    child_complete_slopes(c, out->nodes, out->t);
    status = child_write_outputs(c, out, err);
  }
  *reached = out->t[out->nodes - 1];
  return status;
}

/* what is given beyond the member's own inputs are earlier iterates, which answer to nothing */
static dae_status child_gain(void *self, int node, double *D, dae_error *err)
{
  dae__child *c = self;
  int outputs = c->subsystem.outputs, own = dae__augmented_inputs(c->member);
  dae__zero(outputs * (c->subsystem.inputs - own), D + (size_t)outputs * (size_t)own);
  return dae__augmented_outputs(c->member, c->t[node], child_at_node(c->trace.y, c->size, node),
                                child_at_node(c->in_nodes, c->subsystem.inputs, node),
                                c->subsystem.outputs, c->outputs, c->output_values, D, err);
}

/* largest |y| of each entry over the nodes */
static void child_find_sizes(const dae__child *c, double *size)
{
  dae__zero(c->size, size);
  for (int k = 0; k < *c->nodes; k++)
    for (int i = 0; i < c->size; i++)
      size[i] = fmax(size[i], fabs(child_at_node(c->trace.y, c->size, k)[i]));
}

static double child_defect(void *self, double rtol, double atol)
{
  dae__child *c = self;
  double worst = 0;
  child_find_sizes(c, c->sizes);
  for (int k = 0; k + 1 < *c->nodes; k++) {
    const double *middle = child_at_node(c->trace.middle, c->size, k);
    dae__child_state(c, (c->t[k] + c->t[k + 1]) / 2, c->scratch, NULL);
    for (int i = 0; i < c->size; i++)
      if (!c->multiplier[i])
        worst = fmax(worst, fabs(c->scratch[i] - middle[i]) / (rtol * c->sizes[i] + atol));
  }
  return worst;
}

/* ---- memory ---- */

static dae_status child_save(void *self, void *buffer, dae_error *err)
{
  dae__child *c = self;
  return dae_integrator_save(c->it, buffer, c->subsystem.save_size, err);
}

static dae_status child_load(void *self, const void *buffer, dae_error *err)
{
  dae__child *c = self;
  return dae_integrator_load(c->it, buffer, c->subsystem.save_size, err);
}

dae_status dae__child_adjust(dae__child *c, const double *y, dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  dae_status status = dae_integrator_interpolate(c->it, t, c->inner_y, NULL, err);
  for (int i = 0; i < c->size; i++)
    c->inner_y[c->entry ? c->entry[i] : i] = y[i];
  return status < 0 ? status : dae__integrator_adjust(c->it, c->inner_y, err);
}

dae_status dae__child_restart(dae__child *c, double t, const double *y, const double *in,
                              dae_error *err)
{
  child_hold_inputs(c, in);
  dae_status status = dae_integrator_restart(c->it, t, y, err);
  return status < 0 ? status : dae__child_reset(c, err);
}

dae_status dae__child_reset(dae__child *c, dae_error *err)
{
  double t = dae_integrator_view(c->it).t;
  *c->nodes = 1;
  c->t[0] = t;
  return child_state_at(c, t, c->trace.y, c->trace.dy, err);
}

void dae__child_state(const dae__child *c, double t, double *y, double *dy)
{
  int k = 0, last = *c->nodes - 1, n = c->size;
  while (k + 1 < last && c->t[k + 1] <= t)
    k++;
  if (last == 0 || t >= c->t[last])
    k = last;
  const double *y0 = child_at_node(c->trace.y, n, k), *dy0 = child_at_node(c->trace.dy, n, k);
  if (k < last && t > c->t[k]) {
    dae__span span = {c->t[k], c->t[k + 1], y0, dy0, y0 + n, dy0 + n};
    dae__span_at(&span, n, t, y, dy);
    return;
  }
  dae__copy(n, y0, y);
  if (dy)
    dae__copy(n, dy0, dy);
}

/* ---- creation ---- */

static void child_alloc_memory(dae__arena *arena, const dae__child_setup *r, dae__child *c)
{
  int capacity = r->capacity, inputs = r->inputs, inner = dae_problem_size(&c->problem);
  c->inner_y = DAE__ALLOC(arena, double, inner);
  c->inner_dy = DAE__ALLOC(arena, double, inner);
  c->scratch = DAE__ALLOC(arena, double, c->size);
  c->sizes = DAE__ALLOC(arena, double, c->size);
  c->nodes = DAE__STATE(arena, int, 1);
  c->work = DAE__STATE(arena, dae_stats, 1);
  c->t = DAE__STATE(arena, double, capacity);
  c->in_nodes = DAE__STATE(arena, double, (size_t)capacity *(size_t)inputs);
  c->trace.y = DAE__STATE(arena, double, (size_t)capacity *(size_t)c->size);
  c->trace.dy = DAE__STATE(arena, double, (size_t)capacity *(size_t)c->size);
  c->trace.middle = DAE__ALLOC(arena, double, (size_t)capacity *(size_t)c->size);
  c->algebraic = DAE__ALLOC(arena, bool, c->size);
  c->multiplier = DAE__ALLOC(arena, bool, c->size);
}

/* Where there is a mass matrix, which may be singular, states may be algebraic in truth. */
static void child_classify(dae__child *c)
{
  char name[8];
  bool quasilinear = c->problem.semi_explicit && c->problem.semi_explicit->M;
  for (int i = 0; i < c->size; i++) {
    int entry = c->entry ? c->entry[i] : i;
    dae_variable_kind kind = dae_problem_variable(&c->problem, entry, name, sizeof name);
    c->multiplier[i] = kind == DAE_VARIABLE_MULTIPLIER;
    c->has_algebraic = c->has_algebraic || kind == DAE_VARIABLE_ALGEBRAIC;
    c->algebraic[i] = c->multiplier[i] || kind == DAE_VARIABLE_ALGEBRAIC || quasilinear;
  }
}

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

static void child_describe(const dae__child_setup *r, dae__child *c)
{
  c->subsystem = (dae_subsystem){.name = r->name,
                                 .inputs = r->inputs,
                                 .outputs = r->outputs,
                                 .input_names = r->input_names,
                                 .output_names = r->output_names,
                                 .direct = r->direct,
                                 .self = c,
                                 .advance = child_advance,
                                 .save = child_save,
                                 .load = child_load,
                                 .gain = child_gain,
                                 .defect = child_defect};
}

dae_status dae__child_create(dae__arena *arena, const dae__child_setup *r, dae__child *c,
                             dae_error *err)
{
  c->member = r->member;
  c->problem = *r->problem;
  c->entry = r->entry;
  c->outputs = r->answer;
  c->step = dae__method_step(r->method, r->options);
  c->size = r->size;
  c->problem.input = child_inputs_at;
  c->problem.input_user = c;
  child_describe(r, c);
  child_alloc_memory(arena, r, c);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  child_classify(c);
  child_hold_inputs(c, r->in);
  dae_start start = {.t = r->t, .y = r->y, .fixed = r->fixed};
  dae_status status =
      r->method->create(&c->problem, &start, r->options, dae__arena_env(arena), &c->it, err);
  if (status < 0)
    return status;
  c->subsystem.save_size = dae_integrator_save_size(c->it);
  return dae__child_reset(c, err);
}

void dae__child_free(dae__child *c)
{
  dae_integrator_free(c->it);
  c->it = NULL;
}
