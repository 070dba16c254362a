/* Loading of a model from its text: parse, expand, differentiate, compile. */
#include "model/model.h"
#include "core/env.h"
#include "core/error.h"
#include "model/tape/tape_code.h"
#include <stdio.h>
#include <string.h>

dae_model_options dae_model_defaults(void)
{
  return (dae_model_options){
      .max_bytes = 4000000, .max_depth = 200, .max_work = 30000000, .max_nodes = 20000000};
}

/* Default limit of the cache of native code: seven thousand models like the pendulum, of 35 kB with
 * their source, or a few dozen with the largest number of instructions. */
#define CACHE_BYTES ((size_t)256 * 1024 * 1024)

/* Default limit of instructions: gcc 12 takes 0.2 ms for an instruction, some seconds for 30000. */
dae_native_options dae_native_defaults(void)
{
  return (dae_native_options){.cache_bytes = CACHE_BYTES, .seconds = 60, .instructions = 30000};
}

/* ---- loading ---- */

/* Largest graph, in nodes, that is kept in memory (two megabytes) to compile tapes at their first
 * run. */
#define LAZY_MAX_NODES 50000

bool dae__tapes_compile(dae__tape_set *tapes, const dae_env *env)
{
  bool made = true;
  tapes->instructions = 0;
  for (int i = 0; i < tapes->notes.count && made; i++) {
    made = dae__tape_compile(tapes->notes.item[i].tape);
    tapes->instructions += tapes->notes.item[i].tape->length;
  }
  if (made) {
    dae__tape_workspace_free(&tapes->workspace, env);
    dae__graph_free(tapes->graph);
    tapes->graph = NULL;
  }
  return made;
}

/* Runs all stages of loading, from the opened text to the model. */
static dae_status model_build(dae__load *l, dae__expander *x, int file, dae_model *model)
{
  dae__parsed parsed;
  dae__binder b = {.x = x, .arena = model->arena, .tapes = model->tapes};
  dae__layout layout;
  DAE__TRY(dae__parse(l, file, &parsed));
  x->names = &parsed.names;
  for (int r = 0; r < DAE__RANK; r++)
    x->index_name[r] = dae__name(l, x->names, &"ijk"[r], 1);
  DAE__TRY(dae__declare_symbols(x, parsed.first));
  DAE__TRY(dae__read_overrides(x));
  DAE__TRY(dae__resolve_ranges(x));
  DAE__TRY(dae__read_inputs(x));
  DAE__TRY(dae__build_settings(x, model));
  DAE__TRY(dae__expand_motion(x));
  DAE__TRY(dae__expand_results(x));
  model->name = parsed.first->declared->name;
  model->title = parsed.first->text ? parsed.first->text : "";
  b.lazy = x->systems == 1 && x->graph->count <= LAZY_MAX_NODES;
  dae_status status = dae__build_problem(&b, model, &layout);
  if (!status)
    status = dae__build_results(&b, model, &layout);
  if (!status)
    status = dae__build_drawing(&b, model, &layout);
  if (!status)
    status = dae__describe_data(x, model);
  if (!status && b.lazy)
    model->problem.why = &model->tapes->why;
  if (!status && x->graph->missing)
    status =
        dae__fail(l->err, DAE_ERROR_OPTION, x->graph->missing->name,
                  "the equations need derivative %d of the input %s, which its function does not "
                  "know: a constraint or an event follows it",
                  x->graph->missing_order, x->graph->missing->name);
  model->count.nodes = x->graph->count;
  if (b.lazy && model->count.nodes <= LAZY_MAX_NODES)
    model->tapes->graph = x->graph;
  else if (!status && !dae__tapes_compile(model->tapes, dae__arena_env(model->arena)))
    status = dae__out_of_memory(l->err);
  const dae_coupled *coupled = model->problem.coupled;
  int size = status ? 0 : dae_problem_size(&model->problem);
  for (int i = 0; !status && model->count.discretes > 0 && i < (coupled ? coupled->parts : 1);
       i++) {
    const dae_semi_explicit *semi =
        coupled ? coupled->part[i].semi_explicit : model->problem.semi_explicit;
    if (semi && semi->index == 1)
      dae__bind_semi_event_index(l->scratch, model, (dae_semi_explicit *)semi,
                                 coupled ? coupled->offset[i] : 0, size);
  }
  return status;
}

static dae_status model_create(const char *path, const char *text, size_t length,
                               const dae_model_options *options, const dae_env *env,
                               dae_model **out, dae_error *err)
{
  dae__pool *keep = dae__pool_create(env);
  dae_model *model = keep ? DAE__NEW(keep, dae_model) : NULL;
  dae__tape_set *tapes = model ? DAE__NEW(keep, dae__tape_set) : NULL;
  dae__arena *arena = tapes ? dae__arena_create(env) : NULL;
  *out = NULL;
  if (err)
    *err = dae_error_none();
  if (!arena) {
    dae__pool_free(keep);
    return dae__env_status(env, dae__out_of_memory(err), err);
  }
  model->keep = keep;
  model->arena = arena;
  model->tapes = tapes;
  dae__load l = {.keep = keep, .err = err};
  l.limits = options ? *options : dae_model_defaults();
  l.scratch = dae__pool_create(env);
  dae__expander x = {.l = &l, .graph = dae__graph_create(env, l.limits.max_nodes)};
  x.walker = x.graph ? dae__walker_create(x.graph, env) : NULL;
  l.graph = x.graph;
  l.walker = x.walker;
  if (!l.scratch || !x.walker)
    l.status = dae__out_of_memory(err);
  int file = l.status ? -1
             : text   ? dae__open_text(&l, -1, path, text, length)
                      : dae__open_file(&l, -1, path, path);
  if (file >= 0)
    l.status = model_build(&l, &x, file, model);
  model->files = l.files;
  dae__walker_free(x.walker);
  if (!model->tapes->graph)
    dae__graph_free(x.graph);
  dae__pool_free(l.scratch);
  if (l.status)
    dae_model_free(model);
  else
    *out = model;
  return dae__env_status(env, l.status, err);
}

dae_status dae_model_load(const char *path, const dae_model_options *options, const dae_env *env,
                          dae_model **out, dae_error *err)
{
  return model_create(path, NULL, 0, options, env, out, err);
}

dae_status dae_model_parse(const char *name, const char *text, size_t length,
                           const dae_model_options *options, const dae_env *env, dae_model **out,
                           dae_error *err)
{
  return model_create(name, text, length, options, env, out, err);
}

void dae_model_free(dae_model *model)
{
  if (!model)
    return;
  dae__native_unload(model);
  dae__tape_workspace_free(&model->tapes->workspace, dae__arena_env(model->arena));
  dae__graph_free(model->tapes->graph);
  dae__arena_free(model->arena);
  /* the pool contains the model itself */
  dae__pool_free(model->keep);
}

/* ---- queries ---- */

const char *dae_model_name(const dae_model *model)
{
  return model->name;
}

const char *dae_model_title(const dae_model *model)
{
  return model->title;
}

const char *dae_model_source(const dae_model *model, int i, const char **name)
{
  if (i < 0 || i >= model->files.count)
    return NULL;
  if (name)
    *name = model->files.item[i].name;
  return model->files.item[i].text;
}

const dae_problem *dae_model_problem(const dae_model *model)
{
  return &model->problem;
}

dae_start dae_model_start(const dae_model *model)
{
  return (dae_start){.t = model->t_start,
                     .y = model->y,
                     .fixed = model->fixed,
                     .given = model->given,
                     .held = model->y + dae_problem_size(&model->problem)};
}

dae_native dae_model_native(const dae_model *model)
{
  return model->native;
}

dae_model_counts dae_model_count(const dae_model *model)
{
  dae_model_counts count = model->count;
  dae__tapes_compile(model->tapes, dae__arena_env(model->arena));
  count.instructions = model->tapes->instructions;
  return count;
}

int dae_model_settings(const dae_model *model, const dae_model_setting **settings)
{
  *settings = model->settings.item;
  return model->settings.count;
}

const dae_model_setting *dae_model_find_setting(const dae_model *model, const char *name)
{
  for (int i = 0; i < model->settings.count; i++)
    if (!model->settings.item[i].system && !strcmp(model->settings.item[i].name, name))
      return &model->settings.item[i];
  return NULL;
}

static int model_write_outputs(void *user, double t, const double *y, double *out)
{
  return dae__result_run(user, t, y, NULL, out);
}

void dae_model_plan(const dae_model *model, dae_run_plan *plan)
{
  const dae_model_setting *to = dae_model_find_setting(model, "to");
  const dae_model_setting *every = dae_model_find_setting(model, "every");
  plan->problem = model->problem;
  plan->start = dae_model_start(model);
  plan->columns = model->columns.item;
  plan->column_count = model->columns.count;
  plan->outputs = model->count.outputs;
  plan->output_names = model->output_names;
  plan->output = model_write_outputs;
  plan->output_user = (void *)&model->outputs;
  plan->events = model->events;
  plan->event_count = model->event_count;
  plan->unwatched = model->unwatched;
  plan->inputs = model->inputs;
  plan->units = model->units;
  plan->provenance = model->provenance;
  plan->stops = model->stops ? dae__stops_find : NULL;
  plan->stops_user = model->stops;
  plan->stops_held = model->stops && dae__stops_are_held(model->stops);
  plan->native = model->native;
  if (to)
    plan->to = to->value;
  if (every)
    plan->every = every->value;
}

dae_model_event dae_model_event_at(const dae_model *model, int i)
{
  return i >= 0 && i < model->event_count ? model->event_text[i] : (dae_model_event){.place = -1};
}

/* ---- errors ---- */

dae_status dae_model_fail(const dae_model *model, int place, const char *text, dae_error *err)
{
  dae__fail(err, DAE_ERROR_MODEL, NULL, "%s", text);
  dae__locate_error(&model->files, place, err);
  return DAE_ERROR_MODEL;
}

/* Tells a motion that is not determined by the body of its coordinate: r.e1. */
static void model_name_body(dae_error *err)
{
  const char *dot = strrchr(err->equation, '.');
  int length = dot ? (int)(dot - err->equation) : 0;
  if (!strstr(err->text, "determine the motion of") || !dot)
    return;
  bool turns = dot[1] == 'e' || dot[1] == 'a';
  snprintf(err->text, sizeof err->text,
           turns ? "body %.*s turns freely about a direction in which it has no inertia, and no "
                   "joint holds it there: give it a box or a cylinder (coordinate %s)"
                 : "body %.*s moves freely without mass: give it mass, or a joint that holds it "
                   "(coordinate %s)",
           length, err->equation, err->equation);
}

/* Sets the place of an error to that of a name; false: unknown. */
static bool model_locate_name(const dae_model *model, const char *name, dae_error *err)
{
  for (int i = 0; i < model->name_places.count; i++)
    if (!strncmp(model->name_places.item[i].name, name, sizeof err->equation - 1)) {
      dae__locate_error(&model->files, model->name_places.item[i].place, err);
      if (model->name_places.item[i].body)
        model_name_body(err);
      return true;
    }
  return false;
}

void dae_model_locate(const dae_model *model, dae_error *err)
{
  static const char *const before[] = {"equation of ", "constraint ", "der(", "lambda(", "psi("};
  char name[sizeof err->equation];
  if (!err || err->line > 0 || !err->equation[0] || model_locate_name(model, err->equation, err))
    return;
  /* name of an equation: "equation of x", der(x), lambda(rod) */
  const char *equation = err->equation;
  for (size_t i = 0; i < sizeof before / sizeof *before; i++)
    if (!strncmp(equation, before[i], strlen(before[i])))
      equation += strlen(before[i]);
  snprintf(name, sizeof name, "%s", equation);
  size_t length = strlen(name);
  if (length > 0 && name[length - 1] == ')')
    name[length - 1] = 0;
  model_locate_name(model, name, err);
}
