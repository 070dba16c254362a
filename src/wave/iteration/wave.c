/* Creation of a dynamic iteration from a coupled problem, and its options. */
#include "wave/iteration/wave.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/option_rows.h"
#include "core/options.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/problem.h"
#include "wave/iteration/create.h"
#include <math.h>

/* Default sizes; chosen, not measured. */
#define DEFAULT_MAX_NODES 65 /* nodes of an exchange grid that is refined automatically */
#define MAX_NODES 100001     /* nodes of any exchange grid */
#define INITIAL_INTERVALS 8  /* intervals of the first exchange grid */
/* entries of feedthrough matrices above which all nodes share one set */
#define MAX_FEEDTHROUGH_NUMBERS 2e7

/* ---- options ---- */

#define OPTIONS dae_wave_options

static const char *const updates[] = {"auto",  "plain",  "xi",       "slack", "schur",
                                      "relax", "aitken", "anderson", NULL};
static const char *const splittings[] = {"optimal", "first", "second", "weighted", NULL};
static const char *const begins[] = {"extrapolate", "constant", NULL};
static const char *const stops[] = {"error", "increment", "end", NULL};
static const char *const interpolations[] = {"hermite", "quadratic", "linear", "hold", NULL};

/* clang-format off */
#define COMMON                                                                                     \
  NUMBER(rtol, 0, 1, "relative tolerance of the coupled waveforms"),                               \
  ATOL,                                                                                            \
  NUMBER(window, 0, INFINITY, "fixed size of the windows, 0: chosen"),                             \
  NUMBER(max_window, 0, INFINITY, "largest window, 0: no limit"),                                  \
  COUNT(nodes, 0, 100000,                                                                          \
      "intervals of the exchange grid in a window, 0: chosen"),                                    \
  CHOICE(update, updates, "how the next waveforms are formed"),                                    \
  CHOICE(splitting, splittings,                                                                    \
      "of joints: weight (S1 + S2)^-1, constraint on the first system, on the last, weighted"),    \
  NUMBER(theta, -1e6, 1e6, "weight of the last system, splitting weighted"),                       \
  NUMBER(omega, 0, 2, "of update relax; 0: from the contraction"),                                 \
  COUNT(depth, 1, 50, "sweeps that anderson remembers"),                                           \
  CHOICE(begin, begins, "waveforms that a window begins with"),                                    \
  CHOICE(stop, stops,                                                                              \
      "test of sweeps: q/(1 - q) times the change, the change, that at the end of the window"),    \
  COUNT(max_sweeps, 0, 100000, "in one window; 0: 40, without auto 200"),                          \
  COUNT(sweeps, 0, 100000, "exactly so many, untested; 0: until converged"),                       \
  CHOICE(interpolation, interpolations, "of waveforms between nodes"),                             \
  FLAG(picard, "own variables, too, from the last sweep"),                                         \
  FLAG(lagged, "forces from the last sweep, linearised"),                                          \
  NUMBER(linear, 0, 1, "part of the linearisation that is added, lagged"),                         \
  FLAG(project, "positions and velocities onto joints")

static const dae_option gauss_seidel_options[] = {
    COMMON,
    FLAG(reorder, "systems in the order that contracts best"),
};

static const dae_option jacobi_options[] = {
    COMMON,
    COUNT(workers, 0, 1024, "threads, 0: as many as there are processors"),
};
/* clang-format on */

const dae_option_table dae_gauss_seidel_option_table = TABLE("gauss-seidel", gauss_seidel_options);
const dae_option_table dae_jacobi_option_table = TABLE("jacobi", jacobi_options);
const dae_option_table dae_joint_option_table = TABLE("joint", gauss_seidel_options);

dae_wave_options dae_wave_defaults(void)
{
  return (dae_wave_options){
      .rtol = 1e-6, .theta = 0.5, .depth = 8, .linear = 1, .reorder = true, .project = true};
}

/* ---- problems and options that are refused ---- */

dae_status dae__wave_check_problem(const dae_problem *problem, dae_error *err)
{
  DAE__TRY(dae_problem_validate(problem, err));
  if (!problem->coupled || problem->coupled->parts < 2)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, "problem",
        "the method iterates between coupled systems; this problem is a single system");
  dae__arena *arena = dae__arena_create(NULL);
  dae__assembly *assembly;
  dae_status status = dae__assembly_create(arena, problem, &assembly, err);
  dae__arena_free(arena);
  return status;
}

dae_status dae__joint_check_problem(const dae_problem *problem, dae_error *err)
{
  DAE__TRY(dae__wave_check_problem(problem, err));
  if (problem->coupled->joints == 0)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "problem",
                     "the method iterates between systems connected by joints; this problem has "
                     "none; gauss-seidel "
                     "takes this problem");
  return DAE_OK;
}

/* ---- memory ---- */

static dae_waveform wave_alloc_waveform(dae__arena *arena, const dae__wave *w, int width,
                                        bool state)
{
  size_t count = (size_t)w->capacity * (size_t)width;
  dae_waveform form = {.nodes = 1, .width = width, .t = w->grid};
  form.value = state ? DAE__STATE(arena, double, count) : DAE__ALLOC(arena, double, count);
  form.slope = state ? DAE__STATE(arena, double, count) : DAE__ALLOC(arena, double, count);
  return form;
}

static void wave_alloc_unknowns(dae__arena *arena, dae__wave *w)
{
  const dae__interface *f = w->f;
  dae_wave_update update = w->opts.update;
  int n = f->unknowns;
  size_t nodes = (size_t)w->capacity, all = nodes * (size_t)n, D = (size_t)f->first_D[f->systems];
  w->given = wave_alloc_waveform(arena, w, n, false);
  w->computed = wave_alloc_waveform(arena, w, n, true);
  w->past_count = w->coupling.ages > 2 ? w->coupling.ages - 1 : 1;
  w->past = DAE__ALLOC(arena, dae_waveform, w->past_count);
  for (int i = 0; w->past && i < w->past_count; i++)
    w->past[i] = wave_alloc_waveform(arena, w, n, false);
  w->accepted = DAE__STATE(arena, double, all);
  w->accepted_t = DAE__STATE(arena, double, w->capacity);
  w->start = DAE__STATE(arena, double, n);
  w->fed_back = DAE__STATE(arena, bool, n);
  w->mode = DAE__STATE(arena, double, n);
  DAE__VECTORS(arena, n, &w->scale, &w->atol, &w->z, &w->previous_end);
  DAE__VECTORS(arena, all, &w->change, &w->last_change, &w->older_change, &w->previous,
               &w->previous_slope);
  w->feedthrough_sets = (double)D * w->capacity <= MAX_FEEDTHROUGH_NUMBERS ? w->capacity : 1;
  w->feedthrough = DAE__ALLOC(arena, double, D *(size_t)w->feedthrough_sets);
  w->G = DAE__ALLOC(arena, double, f->G.start[f->directs]);
  w->rhs = DAE__ALLOC(arena, double, f->directs);
  w->delta = DAE__ALLOC(arena, double, nodes *(size_t)f->directs);
  if (update != DAE_WAVE_AITKEN && update != DAE_WAVE_ANDERSON && update != DAE_WAVE_AUTO)
    return;
  DAE__VECTORS(arena, all, &w->flat_z, &w->flat_hat, &w->flat_weight);
  w->accelerate = dae__accelerate_create(arena, (int)all, w->opts.depth);
}

/* Limits of the saved integers and truth values. */
static void wave_limit_memory(dae__wave *w, dae__arena *arena)
{
  dae__wave_memory *m = w->m;
  DAE__LIMIT_FINITE(arena, &m->t, 3); /* t, t_previous, window */
  DAE__LIMIT(arena, &m->intervals, 1, 1, w->opts.nodes > 0 ? MAX_NODES : w->capacity - 1);
  DAE__LIMIT(arena, &m->nodes, 1, 1, w->capacity);
  DAE__LIMIT_COUNTER(arena, &m->windows_done, 2);
  DAE__LIMIT_COUNTER(arena, &m->most_sweeps, 1);
  DAE__LIMIT_COUNTER(arena, &m->last_sweeps, 1);
  DAE__LIMIT_STATS(arena, &m->stats);
  DAE__LIMIT_TRUTH(arena, w->fed_back, w->f->unknowns);
}

/* Largest number of nodes of an exchange grid; in a fixed window a node for each of the smallest
 * fixed steps among the methods given to the systems. */
static int wave_capacity(const dae_wave_options *opts, int systems)
{
  double smallest = INFINITY;
  for (int i = 0; opts->children && i < systems; i++) {
    const dae_wave_child *c = &opts->children[i];
    double step = c->method ? dae__method_step(c->method, c->options) : 0;
    smallest = step > 0 ? fmin(smallest, step) : smallest;
  }
  double fixed = opts->window > 0 ? opts->window / smallest + 2 : 0;
  return opts->nodes > 0 ? opts->nodes + 1 : (int)fmin(fmax(fixed, DEFAULT_MAX_NODES), MAX_NODES);
}

/* ---- order of the subsystems ---- */

/* Order of the subsystems: the given one, or the order that contracts best at the start. */
static dae_status wave_find_order(dae__wave *w, dae__arena *arena, int n, double t, dae_error *err)
{
  bool search = w->opts.reorder && !w->opts.order && !w->jacobi && w->coupling.problem && n > 1;
  w->order = DAE__STATE(arena, int, n);
  w->rank = DAE__STATE(arena, int, n + 1);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < n; i++) {
    w->order[i] = w->opts.order ? w->opts.order[i] : i;
    w->rank[i] = -1;
  }
  if (search)
    DAE__TRY(
        dae__wave_best_order(w->coupling.problem, t, w->y_iter, w->dy_iter, w->env, w->order, err));
  for (int i = 0; i < n; i++) {
    int p = w->order[i];
    if (p < 0 || p >= n || w->rank[p] >= 0)
      return dae__fail(err, DAE_ERROR_OPTION, "order",
                       "the order of the subsystems does not name each of them once");
    w->rank[p] = i;
  }
  w->rank[n] = n; /* multipliers of joints rank last */
  DAE__LIMIT(arena, w->order, n, 0, n - 1);
  DAE__LIMIT(arena, w->rank, n + 1, 0, n);
  return DAE_OK;
}

/* Finds the unknowns that are fed back: inputs of a subsystem that does not come after their owner
 * in the order, and all multipliers of joints. */
static void wave_find_fed_back(dae__wave *w)
{
  const dae__interface *f = w->f;
  for (int p = 0; p < f->systems; p++)
    for (int j = f->first_input[p]; j < f->first_input[p + 1]; j++) {
      int u = f->source[j];
      if (u >= 0 && (w->jacobi || w->rank[f->owner[u]] >= w->rank[p]))
        w->fed_back[u] = true;
    }
  for (int i = f->first[f->systems]; i < f->unknowns; i++)
    w->fed_back[i] = true;
}

/* ---- start and reset ---- */

dae_status dae__wave_reset_at(dae__wave *w, double t, dae_error *err)
{
  dae__wave_memory *m = w->m;
  m->t = m->origin = t;
  m->windows_done = 0;
  m->rate = NAN;
  m->window = w->opts.window;
  m->intervals = INITIAL_INTERVALS;
  m->noise = 0;
  dae__wave_reset(w);
  if (!w->motion)
    return dae__wave_save_all(w, true, err);
  dae__assembly_gather(w->assembly, w->y, w->assembled);
  w->motion->memory->factored = false;
  DAE__TRY(dae__motion_select_independent(w->motion, t, w->assembled, NULL, 0, err));
  DAE__TRY(dae__motion_reserve_dependent(w->output_motion, err));
  return dae__wave_save_all(w, true, err);
}

/* Absolute tolerances of the unknowns: those of the variables that they are, of the options for
 * accelerations, multipliers and user subsystems. */
static dae_status wave_set_atol(dae__wave *w, dae__arena *arena, dae_error *err)
{
  for (int i = 0; i < w->f->unknowns; i++)
    w->atol[i] = w->opts.atol;
  if (!w->problem || !w->problem->atol)
    return DAE_OK;
  double *variable = DAE__ALLOC(arena, double, w->size), *rate = DAE__ALLOC(arena, double, w->size);
  DAE__TRY(dae__arena_status(arena, err));
  dae__problem_atol_scale(w->problem, w->opts.atol, w->size, variable);
  for (int i = 0; i < w->size; i++)
    rate[i] = 1;
  dae__coupling_unknowns(&w->coupling, variable, rate, w->atol);
  dae__scale(w->f->unknowns, w->opts.atol, w->atol);
  return DAE_OK;
}

dae_status dae__wave_finish(dae__wave *w, dae__arena *arena, double t, const double *outputs,
                            dae_error *err)
{
  w->grid = DAE__STATE(arena, double, w->capacity);
  const dae__interface *f = w->f;
  int n = f->systems;
  w->in = DAE__ALLOC(arena, dae_waveform, n);
  w->out = DAE__ALLOC(arena, dae_waveform, n);
  w->snapshot = DAE__ALLOC(arena, char *, n);
  w->status = DAE__ALLOC(arena, dae_status, n);
  w->error = DAE__ALLOC(arena, dae_error, n);
  w->reached = DAE__ALLOC(arena, double, n);
  for (int p = 0; p < n && !dae__arena_failed(arena); p++) {
    w->in[p] = wave_alloc_waveform(arena, w, f->sub[p]->inputs, false);
    w->out[p] = wave_alloc_waveform(arena, w, f->sub[p]->outputs, false);
    w->snapshot[p] = DAE__STATE(arena, char, f->sub[p]->save_size);
  }
  wave_alloc_unknowns(arena, w);
  dae__limits_create(arena, w->size, &w->limits);
  DAE__TRY(dae__arena_status(arena, err));
  wave_limit_memory(w, arena);
  DAE__TRY(wave_set_atol(w, arena, err));
  if (w->f->directs > 0)
    DAE__TRY(dae__solver_create(arena, &w->f->G, &w->solver, err));
  if (!w->assembled)
    DAE__TRY(dae__wave_project_create(w, arena, err));
  if (outputs)
    dae__copy(w->f->unknowns, outputs, w->start);
  else
    dae__coupling_unknowns(&w->coupling, w->y_iter, w->dy_iter, w->start);
  w->m->observed = w->m->last_observed = NAN;
  w->m->rho = w->m->rho_last = w->f->has_feedthrough ? 0 : NAN;
  w->omega = w->opts.omega > 0 ? w->opts.omega : 1;
  w->m->t = t;
  if (!w->order)
    DAE__TRY(wave_find_order(w, arena, w->f->systems, t, err));
  DAE__TRY(dae__variant_select(w, &w->variant, err));
  if (!w->f->has_feedthrough && (w->opts.update == DAE_WAVE_SCHUR || w->variant.update ||
                                 (w->opts.update == DAE_WAVE_RELAX && w->opts.omega == 0)))
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "update",
                     "the updates schur and xi, and relax without omega, need derivatives of "
                     "outputs with respect to inputs, which a subsystem does not give; anderson "
                     "does not need them");
  wave_find_fed_back(w);
  int workers = w->variant.one_thread ? 1 : w->opts.workers;
  if (w->jacobi)
    DAE__TRY(dae__workers_create(w->env, workers, &w->workers, err));
  return dae__wave_reset_at(w, t, err);
}

/* ---- coupled problems ---- */

/* A coupled problem and its start. */
typedef struct coupled_start {
  const dae_problem *problem;
  const dae_start *start;
} coupled_start;

/* Finds joints that depend on other constraints, all rows of each, at the consistent start w->y,
 * and sets the problem of the iteration, without them, and its start. A joint of which only some
 * rows depend is refused: forces of the others would need a joint without these rows. */
static dae_status wave_drop_joints(dae__wave *w, dae__arena *arena, double t, dae_error *err)
{
  const dae_coupled *p = w->problem->coupled;
  DAE__TRY(dae__wave_project_create(w, arena, err));
  if (!w->motion)
    return DAE_OK;
  dae__assembly_gather(w->assembly, w->y, w->assembled);
  DAE__TRY(dae__motion_select_independent(w->motion, t, w->assembled, NULL, 0, err));
  if (w->mech->count->dependent == 0)
    return DAE_OK;
  const int *order = dae__assembly_order(w->assembly);
  bool *kept = DAE__ALLOC(arena, bool, p->joints);
  dae_joint *joint = DAE__ALLOC(arena, dae_joint, p->joints);
  int *offset = DAE__ALLOC(arena, int, p->parts + p->joints + 1);
  DAE__TRY(dae__arena_status(arena, err));
  int entry = w->size, count = 0;
  for (int j = 0; j < p->joints; j++)
    entry -= p->joint[j].ng;
  for (int j = 0; j < p->joints; j++) {
    int active = 0, rows = p->joint[j].ng;
    for (int i = 0; i < rows; i++, entry++)
      active += w->mech->active[order[entry] - w->mech->at.lambda];
    if (active > 0 && active < rows)
      return dae__fail(
          err, DAE_ERROR_UNSUPPORTED, p->joint[j].name,
          "%d of the %d constraints of joint %s depend on others: an iteration between "
          "the systems takes joints that depend as a whole or not at all. Make each "
          "constraint a joint, or use radau, which solves the systems as one",
          rows - active, rows, p->joint[j].name);
    kept[j] = active > 0;
    if (kept[j])
      joint[count++] = p->joint[j];
  }
  if (count == p->joints)
    return DAE_OK;
  w->kept = kept;
  w->reduced_coupled = *p;
  w->reduced_coupled.joint = joint;
  w->reduced_coupled.joints = count;
  dae_coupled_offsets(&w->reduced_coupled, offset);
  w->reduced_coupled.offset = offset;
  w->reduced = *w->problem;
  w->reduced.coupled = &w->reduced_coupled;
  w->coupling.problem = &w->reduced;
  DAE__VECTORS(arena, w->size, &w->y_iter, &w->dy_iter);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : dae__wave_iterated_start(w, t, err);
}

static dae_status wave_begin_systems(dae__wave *w, dae__arena *arena, const void *context,
                                     dae_error *err)
{
  const dae_problem *problem = ((const coupled_start *)context)->problem;
  const dae_start *start = ((const coupled_start *)context)->start;
  int systems = problem->coupled->parts;
  w->size = dae_problem_size(problem);
  w->coupling.problem = w->problem = problem;
  w->y = w->y_iter = DAE__ALLOC(arena, double, w->size);
  w->dy = w->dy_iter = DAE__ALLOC(arena, double, w->size);
  w->m = DAE__STATE(arena, dae__wave_memory, 1);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae_consistent_start(problem, start, w->env, w->y, w->dy, NULL, err));
  DAE__TRY(wave_drop_joints(w, arena, start->t, err));
  DAE__TRY(wave_find_order(w, arena, systems, start->t, err));
  w->capacity = wave_capacity(&w->opts, systems);
  dae__coupling_setup setup = {.problem = w->coupling.problem,
                               .splitting = w->opts.splitting,
                               .jacobi = w->jacobi,
                               .options = &w->opts,
                               .rank = w->rank,
                               .with_children = true,
                               .children = w->opts.children,
                               .rtol = DAE__CHILD_TOLERANCE_RATIO * w->opts.rtol,
                               .atol = DAE__CHILD_TOLERANCE_RATIO * w->opts.atol,
                               .t = start->t,
                               .y = w->y_iter,
                               .dy = w->dy_iter,
                               .fixed = start->fixed,
                               .capacity = w->capacity};
  DAE__TRY(dae__coupling_create(arena, &setup, &w->coupling, err));
  w->f = w->coupling.f;
  return dae__wave_finish(w, arena, start->t, NULL, err);
}

/* ---- creation ---- */

/* Hash of the settings in C only: solvers of the systems, and terms of several iterates; the order
 * is saved. */
static uint64_t wave_hash_settings(uint64_t h, const dae_wave_options *opts, int systems)
{
  const dae_wave_terms *t = opts->terms;
  for (int i = 0; opts->children && i < systems; i++) {
    const dae_wave_child *c = &opts->children[i];
    h = dae__hash_text(h, c->method ? c->method->name : NULL);
    if (c->method && c->options)
      h = dae__hash_options(h, c->method->options, c->options);
  }
  if (!t)
    return h;
  size_t terms = (size_t)t->terms, ages = (size_t)t->ages;
  h = dae__hash(dae__hash(h, &t->linear, sizeof t->linear), t->b, terms * sizeof *t->b);
  h = dae__hash(h, t->own, (ages + 1) * terms * sizeof *t->own);
  return dae__hash(h, t->others, ages * terms * sizeof *t->others);
}

dae_status dae__wave_create(const dae__wave_setup *r, const dae_env *env, dae_integrator **out,
                            dae_error *err)
{
  dae__arena *arena = dae__arena_create(env);
  dae__wave *w = DAE__ALLOC(arena, dae__wave, 1);
  dae_status status = w ? DAE_OK : dae__out_of_memory(err);
  if (w) {
    *w = (dae__wave){.opts = *r->opts, .jacobi = r->jacobi, .env = dae__arena_env(arena)};
    w->table = dae__wave_verbs;
    w->table.method = r->method;
    w->capacity = wave_capacity(r->opts, 0);
    status = r->begin(w, arena, r->context, err);
  }
  if (!status && dae__integrator_create(arena, &w->table, w, out))
    status = dae__out_of_memory(err);
  if (status && w)
    dae__wave_release(w);
  if (status) {
    dae__arena_free(arena);
    return status;
  }
  dae_wave_options same = *r->opts;
  same.workers = 0; /* results do not depend on the number of threads */
  uint64_t other = wave_hash_settings(r->other, r->opts, r->problem ? w->coupling.systems : 0);
  return dae__integrator_identify(out, &(dae__identity){r->problem, r->table, &same, other}, err);
}

/* Creation from a coupled problem; opts NULL: default options. */
static dae_status wave_create(const char *method, const dae_option_table *table,
                              const dae_wave_options *opts, const coupled_start *from,
                              const dae_env *env, dae_integrator **out, dae_error *err)
{
  bool jacobi = table == &dae_jacobi_option_table;
  dae_wave_options own = opts ? *opts : dae_wave_defaults();
  *out = NULL;
  DAE__TRY(dae_options_validate(table, &own, err));
  own.atol = dae__options_atol(own.rtol, own.atol);
  DAE__TRY(table == &dae_joint_option_table ? dae__joint_check_problem(from->problem, err)
                                            : dae__wave_check_problem(from->problem, err));
  DAE__TRY(dae__start_begin(from->problem, from->start, err));
  dae__wave_setup setup = {method, &own, jacobi, wave_begin_systems, from, from->problem, table, 0};
  return dae__start_status(dae__wave_create(&setup, env, out, err), err);
}

#define METHOD(id, text)                                                                           \
  dae_status dae_##id##_create(const dae_problem *problem, const dae_start *start,                 \
                               const dae_wave_options *opts, const dae_env *env,                   \
                               dae_integrator **out, dae_error *err)                               \
  {                                                                                                \
    return wave_create(text, &dae_##id##_option_table, opts, &(coupled_start){problem, start},     \
                       env, out, err);                                                             \
  }
METHOD(gauss_seidel, "gauss-seidel")
METHOD(jacobi, "jacobi")
METHOD(joint, "joint")
