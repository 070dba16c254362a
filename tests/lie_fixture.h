/* Single steps of the Lie-group method with what they leave inside, for tests that look at the y of
 * a step, which is that in its middle; and the exact motions of the examples of [L13] at any time.
 */
#ifndef DAEDAL_TESTS_LIE_FIXTURE_H
#define DAEDAL_TESTS_LIE_FIXTURE_H

#include "core/arena.h"
#include "core/vec.h"
#include "onestep/lie/step.h"
#include "problems/l13.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LIE_MOST 32 /* entries of a state vector */

typedef struct lie_fixture {
  dae__arena *arena;
  dae_adapter adapter;
  dae__lie_step step;
  int nx, ny;
  double t;
  double z[LIE_MOST], dz[LIE_MOST]; /* x with the y and the slopes that belong to it */
  double y[LIE_MOST];               /* of the last step */
} lie_fixture;

static inline void lie_set_up(const test_problem *p, const dae_lie_options *opts, lie_fixture *o)
{
  dae_error err = dae_error_none();
  *o = (lie_fixture){.arena = dae__arena_create(NULL), .t = p->start.t};
  assert_non_null(o->arena);
  const dae__onestep_needs needs = {.method = "lie",
                                    .form = opts->form == DAE_LIE_WEAK ? DAE__FORM_VELOCITY
                                                                       : DAE__FORM_GGL,
                                    .index = 2,
                                    .index_2_slopes = true,
                                    .undetermined_start = true};
  const dae_step_options control = {.rtol = opts->rtol, .atol = opts->atol, .project = true};
  dae_status status =
      p->problem.mechanical
          ? dae__adapter_mechanical(o->arena, &p->problem, &needs, &control, &o->adapter, &err)
          : dae__adapter_semi(o->arena, &p->problem, &needs, &control, &o->adapter, &err);
  if (!status)
    status = dae__lie_step_create(o->arena, o->adapter.forms, opts, &o->step, &err);
  assert_true(o->adapter.forms && o->adapter.forms->s->n <= LIE_MOST);
  dae__copy(o->adapter.size, p->start.y, o->z);
  if (!status)
    status = o->adapter.table->consistent(o->adapter.self, o->t, NULL, o->z, o->dz, &err);
  if (status)
    fail_msg("%s: %s", p->name, err.text);
  o->nx = o->adapter.forms->s->nx;
  o->ny = o->adapter.forms->s->ny;
  dae__copy(o->ny, o->z + o->nx, o->y);
}

/* One step to t; where the slopes at its end are not determined, the last ones stay. */
static inline dae_status lie_step_to(lie_fixture *o, double t, dae_error *err)
{
  double x0[LIE_MOST];
  dae__copy(o->nx, o->z, x0);
  dae_status status = dae__lie_step_solve(&o->step, o->t, t - o->t, x0, o->dz, o->y, err);
  if (status)
    return status;
  dae__copy(o->nx + o->ny, o->step.z1, o->z);
  dae__copy(o->ny, o->step.z1 + o->nx, o->y);
  o->t = t;
  return o->adapter.table->slopes(o->adapter.self, false, t, o->z, o->dz, err);
}

static inline void lie_tear_down(lie_fixture *o)
{
  dae__solver_free(o->step.solver);
  o->adapter.table->free(o->adapter.self);
  dae__arena_free(o->arena);
}

/* ---- exact motions ---- */

/* The pendulum is followed in its angle, hence at times that do not fall only. */
typedef struct lie_truth {
  l13_example which;
  double t, phi, omega;
} lie_truth;

static inline void lie_truth_at(lie_truth *o, double t, double *z)
{
  if (o->which != L13_PENDULUM) {
    l13_exact(o->which, t, z);
    return;
  }
  int n = (int)ceil((t - o->t) / 5e-4);
  double h = n > 0 ? (t - o->t) / n : 0, *phi = &o->phi, *w = &o->omega;
  for (int i = 0; i < n; i++) { /* phi'' = -cos phi by RK4 */
    double k1 = *w, l1 = -cos(*phi), k2 = *w + h / 2 * l1, l2 = -cos(*phi + h / 2 * k1);
    double k3 = *w + h / 2 * l2, l3 = -cos(*phi + h / 2 * k2);
    double k4 = *w + h * l3, l4 = -cos(*phi + h * k3);
    *phi += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    *w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
  o->t = t;
  z[0] = cos(*phi);
  z[1] = sin(*phi);
  z[2] = -sin(*phi) * *w;
  z[3] = cos(*phi) * *w;
  z[4] = *w * *w - z[1];
  z[5] = 0;
}

/* The largest |F|, in the units F has. */
static inline double lie_F(const test_problem *p, double t, const double *z)
{
  const dae_semi_explicit *s = p->problem.semi_explicit;
  double F[4], most = 0;
  if (s->ny == 0)
    return 0;
  s->F(s->user, &(dae_semi_explicit_at){.t = t, .x = z, .y = z + s->nx}, F);
  for (int i = 0; i < s->ny; i++)
    most = fmax(most, fabs(F[i]));
  return most;
}

#endif
