/* The steps of classical explicit methods,
 *
 *   k_i = k(t0 + c_i h, x0 + h sum_(j<i) a_ij k_j),   x1 = x0 + h sum_i b_i k_i,
 *
 * and Hermite's cubic between their ends. */
#include "onestep/classical/classical_explicit.h"
#include "core/error.h"
#include "core/vec.h"

typedef struct simple {
  const dae__rk_body *body;
  dae__rk_scheme scheme;
  double *K; /* slopes of the stages */
} simple;

static dae_status classical_attempt(void *self, const dae__rk_leg *leg, double *error,
                                    dae_error *err)
{
  simple *o = self;
  const dae__rk_body *body = o->body;
  const dae__rk_scheme *scheme = &o->scheme;
  size_t size = (size_t)body->size;
  double *z = leg->to.z, *K = o->K, h = leg->h;
  *error = 0; /* fixed steps */
  dae__copy(body->size, leg->from.dz, K);
  dae__copy(body->size, leg->from.z, z);
  for (int i = 1; i < scheme->stages; i++) {
    dae__copy(body->nx, leg->from.z, z); /* y stays: a guess */
    for (int j = 0; j < i; j++)
      dae__axpy(body->nx, h * scheme->a[i][j], K + (size_t)j * size, z);
    DAE__TRY(body->table->slopes(body->self, false, leg->t + scheme->c[i] * h, z,
                                 K + (size_t)i * size, err));
  }
  dae__copy(body->nx, leg->from.z, z);
  for (int i = 0; i < scheme->stages; i++)
    dae__axpy(body->nx, h * scheme->b[i], K + (size_t)i * size, z);
  return DAE_OK;
}

static dae_status classical_settle(void *self, const dae__rk_leg *leg, dae_error *err)
{
  const dae__rk_body *body = ((simple *)self)->body;
  double t = leg->t + leg->h;
  dae_status status =
      body->table->project ? body->table->project(body->self, false, t, leg->to.z, err) : DAE_OK;
  return status ? status : body->table->slopes(body->self, false, t, leg->to.z, leg->to.dz, err);
}

static void classical_between(void *self, const dae__rk_leg *leg, double x, double *z)
{
  dae__rk_hermite(((simple *)self)->body, leg, x, z);
}

static const dae__stepper_table classical_verbs = {
    .attempt = classical_attempt, .settle = classical_settle, .between = classical_between};

dae_status dae__simple_create(dae__arena *arena, const dae__rk_body *body,
                              const dae__rk_scheme *scheme, dae__stepper *out, dae_error *err)
{
  simple *o = DAE__ALLOC(arena, simple, 1);
  double *K = DAE__ALLOC(arena, double, (size_t)(scheme->stages * body->size));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *o = (simple){.body = body, .scheme = *scheme, .K = K};
  *out = (dae__stepper){.table = &classical_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  return DAE_OK;
}
