#include "onestep/radau/radau.h"
#include "core/error.h"
#include "core/vec.h"

/* the matrices are formed anew where the last iteration contracted by less; 0.02 to 0.05 make
 * little difference, and this takes fewest evaluations of Akzo Nobel where derivatives are
 * differences */
#define REFRESH 0.03
/* rows up to which all stages may be solved in one matrix: beyond, a factorisation is worth
 * hundreds of evaluations */
#define FULL_SIZE 300
/* growth of steps with that matrix: beyond, the last polynomial is no good start, and iterations
 * fail */
#define FULL_GROWTH 1.5

static const dae__radau_rule *radau_rule_of(const dae__radau_stepper *self)
{
  return dae__radau_rule_at(self->radau, self->rule);
}

/* ---- steps ---- */

static void radau_begin(void *self)
{
  dae__radau_memory *m = ((dae__radau_stepper *)self)->radau->memory;
  m->s = 0;
  m->linearised = false;
  m->failed = 0;
}

static dae_status radau_attempt(void *self, const dae__rk_step *step, double *error, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  const dae__radau_rule *rule = radau_rule_of(self);
  int n = o->r->n, n2 = o->r->n2, last = rule->s - 1;
  DAE__TRY(dae__radau_solve(o, self, step, err));
  *error = o->fixed ? 0 : dae__radau_error(o, rule, step);
  o->memory->error = *error;
  dae__copy(n2 + n, o->Z + (size_t)last * (size_t)(n2 + n), step->to.z);
  return DAE_OK;
}

/* where constraints depend on each other: the multipliers of least norm, and whether they still do
 */
static dae_status radau_dependent_rows(dae__radau *o, const dae__rk_step *step, dae_error *err)
{
  const dae__rk_adapter *adapter = o->adapter;
  double t = step->t + step->h;
  if (!adapter->m || adapter->m->count->dependent == 0)
    return DAE_OK;
  dae_status status = adapter->table->project(adapter->self, false, t, step->to.z, err);
  return status ? status
                : adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
}

static dae_status radau_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  dae__radau_memory *m = o->memory;
  const dae__radau_rule *rule = radau_rule_of(self);
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1, size = n2 + n;
  const double *end = o->Z + (size_t)(rule->s - 1) * (size_t)size;
  dae_status status = DAE_OK;
  if (o->r->table->land)
    status = o->r->table->land(o->r->self, step->t + step->h, o->moved, step->to.z, err);
  DAE__TRY(status);
  dae__copy(n2, step->to.z + n2, step->to.dz);
  dae__copy(dynamic, o->K + (size_t)(rule->s - 1) * (size_t)n, step->to.dz + n2);
  DAE__TRY(radau_dependent_rows(o, step, err));
  for (int i = 0; i < size; i++)
    o->shift[i] = step->to.z[i] - end[i];
  dae__copy(rule->s * n, o->K, o->polynomial);
  m->s = rule->s;
  m->h = step->h;
  m->fine = false;
  m->full_steps += ((const dae__radau_stepper *)self)->full;
  if (m->theta > REFRESH || ((const dae__radau_stepper *)self)->full)
    m->linearised = false;
  return DAE_OK;
}

/* ---- between the ends ---- */

static void radau_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  dae__radau_dense_output(((dae__radau_stepper *)self)->radau, radau_rule_of(self), step, x, z);
}

static void radau_rate(void *self, const dae__rk_step *step, double x, double *dz)
{
  (void)step;
  dae__radau_rate(((dae__radau_stepper *)self)->radau, radau_rule_of(self), x, dz);
}

static dae_status radau_refine(void *self, const dae__rk_step *step, dae_error *err)
{
  return dae__radau_refine(((dae__radau_stepper *)self)->radau, radau_rule_of(self), step, err);
}

/* ---- the other verbs ---- */

static void radau_count(const void *self, dae_stats *stats)
{
  const dae__radau *o = ((const dae__radau_stepper *)self)->radau;
  if (!((const dae__radau_stepper *)self)->first)
    return;
  stats->iterations += o->memory->iterations;
  stats->full += o->memory->full_steps;
  stats->jacobians += o->r->memory->jacobians;
  stats->factorisations += o->r->memory->factorisations;
}

static dae_status radau_reload(void *self, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  if (!((dae__radau_stepper *)self)->first)
    return DAE_OK;
  /* all of them: the next factorisation depends on the pivots of the last one */
  dae_status status = dae__reduced_reload(o->r);
  for (int i = 0; i < DAE__RADAU_RULES && !status; i++)
    status = o->full[i] ? dae__radau_full_reload(o->full[i]) : DAE_OK;
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void radau_release_all(dae__radau *o)
{
  dae__reduced_free(o->r);
  for (int i = 0; i < DAE__RADAU_RULES; i++)
    dae__radau_full_free(o->full[i]);
}

static void radau_release(void *self)
{
  if (((dae__radau_stepper *)self)->first)
    radau_release_all(((dae__radau_stepper *)self)->radau);
}

static double radau_work(const void *self)
{
  return ((const dae__radau_stepper *)self)->radau->memory->work;
}

static const dae__stepper_table radau_verbs = {.begin = radau_begin,
                                               .attempt = radau_attempt,
                                               .complete = radau_complete_step,
                                               .dense_output = radau_dense_output,
                                               .rate = radau_rate,
                                               .refine = radau_refine,
                                               .work = radau_work,
                                               .select = dae__radau_adapt,
                                               .count = radau_count,
                                               .reload = radau_reload,
                                               .free = radau_release};

/* ---- creation ---- */

static int radau_stages_of(int rule)
{
  return 3 + 2 * rule;
}

static void radau_take_rules(dae__radau *o, dae__arena *arena, int first, int last)
{
  for (int i = first; i <= last; i++) {
    o->rule[i] = DAE__UNINIT(arena, dae__radau_rule, 1);
    if (o->rule[i])
      o->rule[i]->s = 0;
  }
  o->finer = DAE__UNINIT(arena, dae__collocation_rule, 1);
  if (o->finer)
    o->finer->s = 0;
}

static dae_status radau_alloc_memory(dae__radau *o, dae__arena *arena, int stages, dae_error *err)
{
  size_t n = (size_t)o->r->n, n2 = (size_t)o->r->n2, s = (size_t)stages;
  size_t finer = (size_t)dae__radau_finer(stages);
  o->memory = DAE__STATE(arena, dae__radau_memory, 1);
  o->polynomial = DAE__STATE(arena, double, s *n);
  o->shift = DAE__STATE(arena, double, n + n2);
  o->fine = DAE__STATE(arena, double, finer *n);
  o->fine_shift = DAE__STATE(arena, double, n + n2);
  o->fine_R = DAE__UNINIT(arena, double, finer *n);
  o->z = DAE__UNINIT(arena, double, n + n2);
  o->K = DAE__UNINIT(arena, double, s *n);
  o->D = DAE__UNINIT(arena, double, s *n);
  o->R = DAE__UNINIT(arena, double, s *n);
  o->Z = DAE__UNINIT(arena, double, s *(n + n2));
  o->W = DAE__UNINIT(arena, double, s *n);
  o->scale = DAE__UNINIT(arena, double, n);
  o->weight = DAE__UNINIT(arena, double, n + n2);
  o->moved = DAE__UNINIT(arena, double, n + n2);
  o->e = DAE__UNINIT(arena, double, n);
  o->e_q = DAE__UNINIT(arena, double, n2);
  o->rhs = DAE__UNINIT(arena, double, n);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae__stepper radau_stepper_of(const dae__radau_stepper *self)
{
  int s = radau_stages_of(self->rule);
  dae__controller_options control = dae__controller_defaults(s + 1);
  control.predictive = true;
  control.kept_up_to = 1.2; /* [HW96 IV.8], as in RADAU5 */
  if (self->full)
    control.max_factor = FULL_GROWTH;
  return (dae__stepper){
      .table = &radau_verbs, .self = (void *)self, .order = 2 * s - 1, .control = control};
}

/* the matrices of all stages, for as many stages as they are of use */
static dae_status radau_make_full(dae__radau *o, dae__arena *arena, int first, int last,
                                  dae_error *err)
{
  dae_status status = DAE_OK;
  for (int i = first; i <= last && !status; i++)
    if (radau_stages_of(i) * o->r->n <= FULL_SIZE)
      status = dae__radau_full_create(arena, o->r, radau_stages_of(i), radau_stages_of(last),
                                      o->full[first], &o->full[i], err);
  return status;
}

static dae_status radau_make(dae__radau *o, dae__arena *arena, int first, int last, dae_error *err)
{
  int stages = radau_stages_of(last);
  dae_status status = dae__reduced_create(arena, o->adapter, (stages - 1) / 2, &o->r, err);
  radau_take_rules(o, arena, first, last);
  if (!status)
    status = radau_alloc_memory(o, arena, stages, err);
  /* circuits: at their sharp corners it has no better rates, and costs more */
  if (!status && !o->fixed && o->adapter->m && !o->r->cautious)
    status = radau_make_full(o, arena, first, last, err);
  return status;
}

dae_status dae__radau_create(dae__arena *arena, const dae__rk_adapter *adapter,
                             const dae_rk_options *opts, int first, int last, dae__stepper *out,
                             int *count, dae_error *err)
{
  dae__radau *o = DAE__ALLOC(arena, dae__radau, 1);
  dae__radau_stepper *self = DAE__ALLOC(arena, dae__radau_stepper, DAE__RADAU_STEPPERS);
  *count = 0;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *o = (dae__radau){
      .adapter = adapter, .rtol = opts->rtol, .atol = opts->atol, .fixed = opts->step > 0};
  dae_status status = radau_make(o, arena, first, last, err);
  if (status) {
    radau_release_all(o);
    return status;
  }
  for (int full = 0; full < 2; full++)
    for (int i = first; i <= last; i++) {
      if (full && !o->full[i])
        continue;
      self[*count] =
          (dae__radau_stepper){.radau = o, .rule = i, .full = full, .first = *count == 0};
      out[*count] = radau_stepper_of(&self[*count]);
      ++*count;
    }
  return DAE_OK;
}
