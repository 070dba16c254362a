#include "rk/radau.h"
#include "core/error.h"
#include "core/vec.h"

/* the matrices are formed anew where the last iteration contracted by less */
#define REFRESH 0.02

static const dae__radau_rule *rule_of(const dae__radau_stepper *self)
{
  return &self->radau->rule[self->rule];
}

/* ---- steps ---- */

static void begin(void *self)
{
  dae__radau_memory *m = ((dae__radau_stepper *)self)->radau->memory;
  m->s = 0;
  m->linearised = false;
}

static dae_status attempt(void *self, const dae__rk_leg *leg, double *error, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  const dae__radau_rule *rule = rule_of(self);
  int n = o->r->n, n2 = o->r->n2, last = rule->s - 1;
  dae_status status = dae__radau_solve(o, rule, leg, err);
  if (status)
    return status;
  *error = o->fixed ? 0 : dae__radau_error(o, rule, leg);
  o->memory->error = *error;
  dae__copy(n2 + n, o->Z + (size_t)last * (size_t)(n2 + n), leg->to.z);
  return DAE_OK;
}

/* where constraints depend on each other: the multipliers of least norm, and whether they still do
 */
static dae_status dependent_rows(dae__radau *o, const dae__rk_leg *leg, dae_error *err)
{
  const dae__rk_body *body = o->body;
  double t = leg->t + leg->h;
  if (!body->m || body->m->count->dependent == 0)
    return DAE_OK;
  dae_status status = body->table->project(body->self, false, t, leg->to.z, err);
  return status ? status : body->table->slopes(body->self, false, t, leg->to.z, leg->to.dz, err);
}

static dae_status settle(void *self, const dae__rk_leg *leg, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  dae__radau_memory *m = o->memory;
  const dae__radau_rule *rule = rule_of(self);
  int n = o->r->n, n2 = o->r->n2, dynamic = n2 + o->r->n1, size = n2 + n;
  const double *end = o->Z + (size_t)(rule->s - 1) * (size_t)size;
  if (o->r->table->land)
    o->r->table->land(o->r->self, o->moved, leg->to.z);
  dae__copy(n2, leg->to.z + n2, leg->to.dz);
  dae__copy(dynamic, o->K + (size_t)(rule->s - 1) * (size_t)n, leg->to.dz + n2);
  dae_status status = dependent_rows(o, leg, err);
  if (status)
    return status;
  for (int i = 0; i < size; i++)
    o->shift[i] = leg->to.z[i] - end[i];
  dae__copy(rule->s * n, o->K, o->polynomial);
  m->s = rule->s;
  m->h = leg->h;
  m->fine = false;
  if (m->theta > REFRESH)
    m->linearised = false;
  return DAE_OK;
}

/* ---- between the ends ---- */

static void between(void *self, const dae__rk_leg *leg, double x, double *z)
{
  dae__radau_between(((dae__radau_stepper *)self)->radau, rule_of(self), leg, x, z);
}

static void rate(void *self, const dae__rk_leg *leg, double x, double *dz)
{
  (void)leg;
  dae__radau_rate(((dae__radau_stepper *)self)->radau, rule_of(self), x, dz);
}

static dae_status refine(void *self, const dae__rk_leg *leg, dae_error *err)
{
  return dae__radau_refine(((dae__radau_stepper *)self)->radau, rule_of(self), leg, err);
}

/* ---- the other verbs ---- */

static bool is_first(const dae__radau_stepper *self)
{
  return self->rule == 0 || !self->radau->rule[self->rule - 1].s;
}

static void count(const void *self, dae_stats *stats)
{
  const dae__radau *o = ((const dae__radau_stepper *)self)->radau;
  if (!is_first(self))
    return;
  stats->iterations += o->memory->iterations;
  stats->jacobians += o->r->memory->jacobians;
  stats->factorisations += o->r->memory->factorisations;
}

static dae_status reload(void *self, dae_error *err)
{
  dae__radau *o = ((dae__radau_stepper *)self)->radau;
  dae_status status = is_first(self) ? dae__reduced_reload(o->r) : DAE_OK;
  return status ? dae__fail(err, status, NULL, "the factorisation could not be rebuilt") : DAE_OK;
}

static void release(void *self)
{
  if (is_first(self))
    dae__reduced_free(((dae__radau_stepper *)self)->radau->r);
}

static const dae__stepper_table verbs = {.begin = begin,
                                         .attempt = attempt,
                                         .settle = settle,
                                         .between = between,
                                         .rate = rate,
                                         .refine = refine,
                                         .count = count,
                                         .reload = reload,
                                         .free = release};

/* ---- creation ---- */

static dae_status take_memory(dae__radau *o, dae__arena *arena, const dae__radau_rule *most,
                              dae_error *err)
{
  size_t n = (size_t)o->r->n, n2 = (size_t)o->r->n2, s = (size_t)most->s;
  size_t finer = (size_t)most->finer.s;
  o->memory = DAE__KEEP(arena, dae__radau_memory, 1);
  o->polynomial = DAE__KEEP(arena, double, s *n);
  o->shift = DAE__KEEP(arena, double, n + n2);
  o->fine = DAE__KEEP(arena, double, finer *n);
  o->fine_shift = DAE__KEEP(arena, double, n + n2);
  o->fine_R = DAE__TAKE(arena, double, finer *n);
  o->z = DAE__TAKE(arena, double, n + n2);
  o->K = DAE__TAKE(arena, double, s *n);
  o->D = DAE__TAKE(arena, double, s *n);
  o->R = DAE__TAKE(arena, double, s *n);
  o->Z = DAE__TAKE(arena, double, s *(n + n2));
  o->zx = DAE__TAKE(arena, double complex, n);
  o->x = DAE__TAKE(arena, double, n);
  o->scale = DAE__TAKE(arena, double, n);
  o->weight = DAE__TAKE(arena, double, n + n2);
  o->moved = DAE__TAKE(arena, double, n + n2);
  o->e = DAE__TAKE(arena, double, n);
  o->e_q = DAE__TAKE(arena, double, n2);
  o->rhs = DAE__TAKE(arena, double, n);
  return dae__arena_failed(arena) ? dae__out_of_memory(err) : DAE_OK;
}

static dae__stepper stepper_of(const dae__radau *o, dae__radau_stepper *self, int rule)
{
  dae__controller_options control = dae__controller_defaults(o->rule[rule].s + 1);
  control.predictive = true;
  control.kept_up_to = 1.2; /* [HW96 IV.8], as in RADAU5 */
  self->rule = rule;
  return (dae__stepper){
      .table = &verbs, .self = self, .order = 2 * o->rule[rule].s - 1, .control = control};
}

dae_status dae__radau_create(dae__arena *arena, const dae__rk_body *body,
                             const dae_rk_options *opts, int first, int last, dae__stepper *out,
                             dae_error *err)
{
  dae__radau *o = DAE__TAKE(arena, dae__radau, 1);
  dae__radau_stepper *self = DAE__TAKE(arena, dae__radau_stepper, last - first + 1);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *o = (dae__radau){.body = body, .rtol = opts->rtol, .atol = opts->atol, .fixed = opts->step > 0};
  for (int i = first; i <= last; i++)
    o->rule[i] = dae__radau_rule_create(3 + 2 * i);
  dae_status status = dae__reduced_create(arena, body, o->rule[last].pairs, &o->r, err);
  if (!status)
    status = take_memory(o, arena, &o->rule[last], err);
  if (status) {
    dae__reduced_free(o->r);
    return status;
  }
  for (int i = first; i <= last; i++) {
    self[i - first].radau = o;
    out[i - first] = stepper_of(o, &self[i - first], i);
  }
  return DAE_OK;
}
