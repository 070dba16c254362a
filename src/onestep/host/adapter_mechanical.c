/* A mechanical problem for one-step methods: x = (q, v, u), y = (w, lambda, psi), with slopes from
 *
 *   q' = v,   [ M  A' ] [ v'             ]   [  f              ]
 *             [ A  0  ] [ (lambda, psi)  ] = [ -(gamma, kappa) ],   u' = s,   c = 0 for w.
 *
 * Implicit classical methods, which admit no constraints, use the semi-explicit form of the
 * problem.
 */
#include "core/error.h"
#include "core/tolerances.h"
#include "core/vec.h"
#include "onestep/host/adapter.h"
#include "problem/consistent.h"
#include "problem/mechanical/algebraic.h"
#include "problem/mechanical/view.h"

typedef struct mechanical {
  dae_problem view; /* semi-explicit form of the problem */
  dae__forms forms;
  dae__mech *m;
  dae__motion *motion[2];    /* accelerations and projection: [0] for steps, [1] for dense output */
  dae__algebraic *algebraic; /* solver of c = 0 for w; NULL: problem without w */
  bool velocity_only;        /* projection of the velocities only */
  bool *active;              /* independent rows of F of the semi-explicit form: c, gdot, k, g */
  double *force;             /* nc: multipliers of a correction */
} mechanical;

static dae_status mechanical_consistent(void *self, double t, const bool *fixed, double *z,
                                        double *dz, dae_error *err)
{
  mechanical *o = self;
  const dae__mech *m = o->m;
  dae_status status = dae__mech_consistent(o->motion[0], t, fixed, z, dz, NULL, err);
  for (int i = 0; o->active && i < o->forms.s->ny; i++) /* independent rows of F */
    o->active[i] = i < m->nw || m->active[(i - m->nw) % m->nc];
  return status ? status : dae__motion_reserve_dependent(o->motion[1], err);
}

/* Solves c = 0 for w, independent of earlier factorisations. */
static dae_status mechanical_solve_w(mechanical *o, double t, double *z, dae_error *err)
{
  dae__solver_reset(o->algebraic->c_w.solver);
  return dae__algebraic_solve(o->algebraic, t, z, err);
}

/* Slopes of a problem with w; noinline, so that the common case without w saves no registers. */
static __attribute__((noinline)) dae_status
mechanical_slopes_with_w(mechanical *o, bool dense, double t, double *z, double *dz, dae_error *err)
{
  DAE__TRY(mechanical_solve_w(o, t, z, err));
  return dae__motion_slopes(o->motion[dense], t, z, dz, err);
}

static dae_status mechanical_slopes(void *self, bool dense, double t, double *z, double *dz,
                                    dae_error *err)
{
  mechanical *o = self;
  return o->algebraic ? mechanical_slopes_with_w(o, dense, t, z, dz, err)
                      : dae__motion_slopes(o->motion[dense], t, z, dz, err);
}

static dae_status mechanical_project(void *self, bool dense, double t, double *z, dae_error *err)
{
  mechanical *o = self;
  dae__motion *motion = o->motion[dense];
  double *v = z + o->m->at.v;
  if (dense) /* dense output must not depend on earlier dense output */
    motion->memory->factored = false;
  if (o->velocity_only)
    return dae__motion_project_velocity(motion, t, z, v, err);
  DAE__TRY(dae__motion_project(motion, t, z, v, NULL, err));
  return dae__motion_check_dependent(motion, t, z, v, err);
}

static dae_status mechanical_project_and_accelerate(void *self, double t, double *z, double *dz,
                                                    dae_error *err)
{
  mechanical *o = self;
  if (o->algebraic)
    DAE__TRY(mechanical_solve_w(o, t, z, err));
  DAE__TRY(dae__motion_project_and_accelerate(o->motion[0], t, z, dz, err));
  return dae__motion_check_dependent(o->motion[0], t, z, z + o->m->at.v, err);
}

static dae_status mechanical_residual(void *self, double t, const double *z, double *g,
                                      dae_error *err)
{
  mechanical *o = self;
  dae_mechanical_at at = dae__mech_at(o->m, t, z);
  return dae__mech_g(o->m, &at, g, err);
}

static dae_status mechanical_correct(void *self, double t, const double *z, const double *r,
                                     double *d, dae_error *err)
{
  mechanical *o = self;
  dae__motion *motion = o->motion[0];
  const dae__mech *m = o->m;
  if (z) {
    dae_mechanical_at at = dae__mech_at(m, t, z);
    dae_mechanical_wanted want = {.M = motion->M, .G = motion->G, .K = motion->K};
    DAE__TRY(dae__mech_eval(o->m, &at, &want, err));
    DAE__TRY(dae__level_factor(&motion->velocity, 0, err));
  }
  dae__zero(m->nq, d);
  for (int i = 0; i < m->nc; i++)
    o->force[i] = i < m->ng && m->active[i] ? r[i] : 0;
  dae__saddle_solve(motion->saddle, d, o->force);
  return DAE_OK;
}

static dae_status mechanical_inputs(void *self, double t, const double **in, dae_error *err)
{
  mechanical *o = self;
  *in = o->m->in;
  return dae__mech_inputs(o->m, t, err);
}

static bool mechanical_rank(void *self, double t, const double *z, double remainder, char *name,
                            size_t size)
{
  mechanical *o = self;
  return dae__motion_nearly_dependent(o->motion[1], t, z, remainder, name, size);
}

static void mechanical_count(const void *self, dae_stats *stats)
{
  const mechanical *o = self;
  stats->evaluations += o->m->count->evaluations;
  stats->projections += o->motion[0]->memory->projections;
  for (int i = 0; i < 2; i++)
    stats->factorisations += o->motion[i]->memory->factorisations;
}

static void mechanical_free(void *self)
{
  mechanical *o = self;
  for (int i = 0; i < 2; i++)
    dae__motion_free(o->motion[i]);
  dae__algebraic_free(o->algebraic);
}

#define MECHANICAL_VERBS                                                                           \
  .consistent = mechanical_consistent, .slopes = mechanical_slopes,                                \
  .residual = mechanical_residual, .correct = mechanical_correct, .inputs = mechanical_inputs,     \
  .rank = mechanical_rank, .count = mechanical_count, .free = mechanical_free
/* Tables of problems without and with projection, and with projection of the velocities only. */
static const dae_adapter_table mechanical_free_verbs = {MECHANICAL_VERBS};
static const dae_adapter_table mechanical_velocity_verbs = {MECHANICAL_VERBS,
                                                            .project = mechanical_project};
static const dae_adapter_table mechanical_verbs = {MECHANICAL_VERBS, .project = mechanical_project,
                                                   .project_and_accelerate =
                                                       mechanical_project_and_accelerate};

/* The semi-explicit form of the problem, whose rows without w are those of the constraints. */
static dae_status mechanical_create_form(mechanical *o, dae__arena *arena,
                                         const dae_problem *problem, dae__adapter_form form,
                                         dae_error *err)
{
  dae__view_kind kind = form == DAE__FORM_GGL ? DAE__VIEW_GGL : DAE__VIEW_VELOCITY;
  DAE__TRY(dae__view_semi(arena, problem, kind, &o->view, err));
  o->m = dae__view_mech(&o->view);
  DAE__TRY(dae__semi_create(arena, &o->view, &o->forms.s, err));
  dae__semi *s = o->forms.s;
  o->active = DAE__ALLOC(arena, bool, s->ny);
  DAE__TRY(dae__arena_status(arena, err));
  for (int i = 0; i < s->ny; i++)
    s->hidden[i] = i >= o->m->nw;
  s->hidden_count = s->ny - o->m->nw;
  s->classified = true;
  return DAE_OK;
}

static dae_status mechanical_create(mechanical *o, dae__arena *arena, const dae_problem *problem,
                                    dae__adapter_form form, dae_error *err)
{
  DAE__TRY(form == DAE__FORM_MECHANICAL ? dae__mech_create(arena, problem, &o->m, err)
                                        : mechanical_create_form(o, arena, problem, form, err));
  o->force = DAE__ALLOC(arena, double, o->m->nc);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(dae__motion_create(arena, o->m, &o->motion[0], err));
  DAE__TRY(dae__motion_create_second(arena, o->motion[0], &o->motion[1], err));
  return o->m->nw > 0 ? dae__algebraic_create(arena, o->m, &o->algebraic, err) : DAE_OK;
}

dae_status dae__adapter_mechanical(dae__arena *arena, const dae_problem *problem,
                                   const dae__onestep_needs *needs, const dae_step_options *control,
                                   dae_adapter *out, dae_error *err)
{
  mechanical *o = DAE__ALLOC(arena, mechanical, 1);
  DAE__TRY(dae__arena_status(arena, err));
  o->velocity_only = needs->form == DAE__FORM_VELOCITY;
  dae_status status = mechanical_create(o, arena, problem, needs->form, err);
  if (status) {
    mechanical_free(o);
    return status;
  }
  bool project = control->project && o->m->nc > 0;
  o->forms.m = o->m;
  o->forms.motion = o->motion[0];
  o->forms.active = o->active;
  *out = (dae_adapter){.table = !project           ? &mechanical_free_verbs
                                : o->velocity_only ? &mechanical_velocity_verbs
                                                   : &mechanical_verbs,
                       .self = o,
                       .problem = problem,
                       .nx = o->m->at.w,
                       .size = o->m->at.size,
                       .inputs = problem->input ? o->m->p->nin : 0,
                       .atol_scale = out->atol_scale,
                       .forms = &o->forms};
  return DAE_OK;
}
