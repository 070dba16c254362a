/* Radau IIA: creation and function table of its steppers. */
#include "onestep/radau/radau.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "step/smooth/smooth.h"
#include <math.h>

/* ---- steps ---- */

/* Index of the equations at present: an event may have switched them, or a load. */
static void radau_follow_index(dae__radau *o)
{
  if (o->adapter->problem->semi_explicit)
    o->r->index_2 = o->adapter->forms->s->hidden_count > 0;
}

static void radau_begin(void *self, double t, const dae_point *start)
{
  (void)t, (void)start;
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  dae__radau_memory *m = o->memory;
  radau_follow_index(o);
  m->s = 0;
  m->linearised = false;
  m->failed = 0;
}

/* Index 2: x at the end is projected onto its constraints, y and x' follow from their time
 * derivatives; the stages determine y with order s only. */
static bool radau_solves_algebraic(const dae__radau *o)
{
  return o->r->index_2 && !o->adapter->singular;
}

static dae_status radau_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  const dae__radau_stepper *stepper = self;
  dae__radau *o = stepper->radau;
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  int n = o->r->n, size = o->r->n2 + n, last = rule->s - 1;
  DAE__TRY(dae__radau_solve(o, stepper, step, err));
  *error = o->fixed ? 0 : dae__radau_error(o, rule, step);
  dae__copy(size, o->Z + (size_t)last * (size_t)size, step->to.z);
  if (radau_solves_algebraic(o) && *error <= 1) {
    dae__copy(o->r->n1, o->K + (size_t)last * (size_t)n, step->to.dz);
    DAE__TRY(dae__adapter_complete(o->adapter, step->t + step->h, step->to.z, step->to.dz, err));
    if (!o->fixed)
      *error = fmax(*error, dae__radau_error_algebraic(o, rule, step));
  }
  o->memory->error = *error;
  return DAE_OK;
}

/* Moves the end of a step back onto the slow motion, with multipliers and slopes. */
static dae_status radau_correct_smooth(dae__radau *o, const dae_step *step, dae_error *err)
{
  bool moved;
  double t = step->t + step->h;
  DAE__TRY(dae__smooth_correct(o->smooth, t, step->to.z, &moved, err));
  return moved ? dae__adapter_complete(o->adapter, t, step->to.z, step->to.dz, err) : DAE_OK;
}

static dae_status radau_complete_step(void *self, const dae_step *step, dae_error *err)
{
  const dae__radau_stepper *stepper = self;
  dae__radau *o = stepper->radau;
  dae__radau_memory *m = o->memory;
  const dae_adapter *adapter = o->adapter;
  const dae__radau_rule *rule = dae__radau_rule_at(o, stepper->rule);
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1, size = n2 + n;
  const double *end = o->Z + (size_t)(rule->s - 1) * (size_t)size;
  double t = step->t + step->h, *z = step->to.z, *dz = step->to.dz;
  if (o->r->table->correct_end)
    DAE__TRY(o->r->table->correct_end(o->r->self, t, o->end_increment, z, err));
  dae__copy(n2, z + n2, dz);
  if (!radau_solves_algebraic(o))
    dae__copy(dynamic, o->K + (size_t)(rule->s - 1) * (size_t)n, dz + n2);
  if (o->smooth && !adapter->singular) /* with singular M slopes follow from steps alone */
    DAE__TRY(radau_correct_smooth(o, step, err));
  /* dependent constraints: computes multipliers of minimum norm and checks the dependence */
  if (adapter->forms->m && adapter->forms->m->count->dependent > 0) {
    if (adapter->table->project)
      DAE__TRY(adapter->table->project(adapter->self, false, t, z, err));
    DAE__TRY(adapter->table->slopes(adapter->self, false, t, z, dz, err));
  }
  if (adapter->forms->motion)
    DAE__TRY(dae__motion_check_end(adapter->forms->motion, t, z, err));
  if (!dae__all_finite(n2 + dynamic, z))
    return dae__fail(err, DAE_ERROR_STEP, NULL, "the end of the step is not finite");
  for (int i = 0; i < size; i++)
    o->shift[i] = z[i] - end[i];
  dae__copy(rule->s * n, o->K, o->polynomial);
  m->s = rule->s;
  m->h = step->h;
  m->refined = m->checked = false;
  m->pieces = 0;
  m->full_steps += stepper->full;
  m->steps++;
  if (m->theta > DAE__RADAU_REFRESH_CONTRACTION || stepper->full)
    m->linearised = false;
  return DAE_OK;
}

/* ---- statistics, reload, release ---- */

static void radau_count(const void *self, dae_stats *stats)
{
  const dae__radau_stepper *stepper = self;
  const dae__radau *o = stepper->radau;
  if (!stepper->owner)
    return;
  stats->iterations += o->memory->iterations;
  stats->full += o->memory->full_steps;
  stats->jacobians += o->r->memory->jacobians;
  stats->factorisations += o->r->memory->factorisations;
}

static dae_status radau_reload_index(void *self, dae_error *err)
{
  (void)err;
  radau_follow_index(((dae__radau_stepper *)self)->radau);
  return DAE_OK;
}

/* Forgets, after a load, the polynomial of a number of stages that no stepper has. */
static dae_status radau_reload(void *self)
{
  const dae__radau *o = self;
  bool known = false;
  for (int i = 0; i < DAE__RADAU_RULES; i++)
    known = known || (o->rule[i] && dae__radau_stages_of(i) == o->memory->s);
  o->memory->s = known ? o->memory->s : 0;
  return DAE_OK;
}

static void radau_release_matrices(dae__radau *o)
{
  dae__reduced_free(o->r);
  for (int i = 0; i < DAE__RADAU_RULES; i++)
    dae__radau_full_free(o->full[i]);
}

static void radau_release(void *self)
{
  if (((dae__radau_stepper *)self)->owner)
    radau_release_matrices(((dae__radau_stepper *)self)->radau);
}

/* Limits of the saved integers and truth values. */
static void radau_limit_memory(dae__radau *o, dae__arena *arena, int stages)
{
  dae__radau_memory *m = o->memory;
  dae__radau_selection *c = &m->selection;
  dae__arena_on_load(arena, radau_reload, o);
  DAE__LIMIT(arena, &m->s, 1, 0, stages);
  DAE__LIMIT(arena, &m->matrix_s, 1, 0, stages);
  DAE__LIMIT_TRUTH(arena, &m->linearised, 2);
  DAE__LIMIT_TRUTH(arena, &m->matrix_full, 1);
  DAE__LIMIT_COUNTER(arena, &m->failed, 1);
  DAE__LIMIT_TRUTH(arena, &m->refined, 2);
  DAE__LIMIT(arena, &m->pieces, 1, 0, DAE__RADAU_PIECES);
  DAE__LIMIT_COUNTER(arena, &m->iterations, 3);
  DAE__LIMIT_COUNTER(arena, &c->small_errors, 2);
  DAE__LIMIT_COUNTER(arena, &c->steps, 2); /* and since_failure */
  DAE__LIMIT_TRUTH(arena, &c->trial, 1);
  DAE__LIMIT(arena, &c->before, 1, 0, DAE__MAX_STEPPERS - 1);
  DAE__LIMIT_COUNTER(arena, &c->failed_trials, 1);
  DAE__LIMIT_COUNTER(arena, &c->wait, 2);
}

static const dae_stepper_table radau_verbs = {.begin = radau_begin,
                                              .reload = radau_reload_index,
                                              .attempt = radau_attempt,
                                              .complete = radau_complete_step,
                                              .dense_output = dae__radau_dense_output,
                                              .count = radau_count,
                                              .free = radau_release};

/* ---- creation ---- */

/* Creates the matrices and memory shared by the rules first ... last. */
static dae_status radau_create_shared(dae__radau *o, dae__arena *arena, int first, int last,
                                      dae_error *err)
{
  int stages = dae__radau_stages_of(last), nodes = dae__radau_fine_nodes(stages);
  DAE__TRY(dae__reduced_create(arena, o->adapter, stages / 2, &o->r, err));
  int n = o->r->n, size = o->r->n2 + n;
  for (int i = first; i <= last; i++)
    o->rule[i] = DAE__UNINIT(arena, dae__radau_rule, 1);
  o->fine_rule = DAE__UNINIT(arena, dae__collocation_rule, 1);
  o->memory = DAE__STATE(arena, dae__radau_memory, 1);
  o->polynomial = DAE__STATE(arena, double, (size_t)stages *(size_t)n);
  o->shift = DAE__STATE(arena, double, size);
  o->fine_polynomial = DAE__STATE(arena, double, (size_t)nodes *(size_t)n);
  o->fine_shift = DAE__STATE(arena, double, size);
  o->piece_polynomial = DAE__STATE(arena, double, (size_t)(DAE__RADAU_PIECES * stages) * (size_t)n);
  o->piece_start = DAE__STATE(arena, double, (size_t)(DAE__RADAU_PIECES + 1) * (size_t)size);
  o->fine_R = DAE__UNINIT(arena, double, (size_t)nodes *(size_t)n);
  double **stage_vectors[] = {&o->K, &o->D, &o->R, &o->W};
  for (size_t i = 0; i < sizeof stage_vectors / sizeof *stage_vectors; i++)
    *stage_vectors[i] = DAE__UNINIT(arena, double, (size_t)stages *(size_t)n);
  o->Z = DAE__UNINIT(arena, double, (size_t)stages *(size_t)size);
  double **vectors[] = {&o->z, &o->scale, &o->weight, &o->end_increment,
                        &o->e, &o->e_q,   &o->rhs,    &o->e_stiff};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
    *vectors[i] = DAE__UNINIT(arena, double, size);
  if (o->smooth)
    o->e_begin = DAE__UNINIT(arena, double, (DAE__RADAU_RATIOS + 3) * size);
  DAE__TRY(dae__arena_status(arena, err));
  o->memory->rejected.t = NAN;
  o->memory->selection.since_failure = DAE__RADAU_SELECT_STEPS;
  radau_limit_memory(o, arena, stages);
  for (int i = first; i <= last; i++)
    o->rule[i]->s = 0;
  o->fine_rule->s = 0;
  /* no matrix of all stages for circuits: at their discontinuities it converges no better and costs
   * more */
  if (o->fixed || !o->adapter->forms->m || (o->r->algebraic && !o->smooth))
    return DAE_OK;
  for (int i = first; i <= last; i++)
    if (o->smooth || dae__radau_stages_of(i) * n <= DAE__RADAU_FULL_ROWS)
      DAE__TRY(dae__radau_full_create(arena, o->r, dae__radau_stages_of(i), stages, o->full[first],
                                      &o->full[i], err));
  return DAE_OK;
}

static double radau_block_work(const dae__radau *o)
{
  const dae__mech *m = o->adapter->forms->m;
  double size = (double)o->r->n / DAE__RADAU_SMALL_BLOCK;
  return m && m->nc > DAE__RADAU_SCHUR_ROWS
             ? 1
             : fmax(1, fmin(size * size, DAE__RADAU_SPARSE_BLOCK_WORK));
}

dae_status dae__radau_create(dae__arena *arena, const dae_adapter *adapter,
                             const dae_step_options *opts, struct dae__smooth *smooth, int first,
                             int last, dae__stepper *out, int *count, dae_error *err)
{
  DAE__ASSERT(0 <= first && first <= last && last < DAE__RADAU_RULES);
  dae__radau *o = DAE__ALLOC(arena, dae__radau, 1);
  dae__radau_stepper *self = DAE__ALLOC(arena, dae__radau_stepper, DAE__RADAU_STEPPERS);
  *count = 0;
  DAE__TRY(dae__arena_status(arena, err));
  *o = (dae__radau){.adapter = adapter,
                    .rtol = opts->rtol,
                    .atol = opts->atol,
                    .fixed = opts->step > 0,
                    .smooth = smooth};
  dae_status status = radau_create_shared(o, arena, first, last, err);
  if (status) {
    radau_release_matrices(o);
    return status;
  }
  o->block_work = radau_block_work(o);
  for (int full = 0; full < 2; full++)
    for (int i = first; i <= last; i++) {
      int s = dae__radau_stages_of(i);
      dae__controller_options control = dae__controller_defaults(s + 1);
      control.predictive = true;
      control.kept_up_to = DAE__RADAU_KEPT_GROWTH;
      if (full)
        control.max_factor = o->smooth ? DAE__RADAU_SMOOTH_GROWTH : DAE__RADAU_FULL_GROWTH;
      if (full ? !o->full[i] : o->smooth && o->full[i])
        continue;
      self[*count] =
          (dae__radau_stepper){.radau = o, .rule = i, .full = full, .owner = *count == 0};
      out[*count] = (dae__stepper){.table = &radau_verbs,
                                   .self = &self[*count],
                                   .order = 2 * s - 1,
                                   .second_order = true,
                                   .work = &o->memory->work,
                                   .shared_steps = o->r->n2 > 0 ? &o->memory->steps : NULL,
                                   .control = control};
      ++*count;
    }
  return DAE_OK;
}
