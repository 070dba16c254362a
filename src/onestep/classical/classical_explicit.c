/* The steps of classical explicit methods,
 *
 *   k_i = k(t0 + c_i h, x0 + h sum_(j<i) a_ij k_j),   x1 = x0 + h sum_i b_i k_i,
 *
 * and Hermite's cubic between their ends. */
#include "onestep/classical/classical_explicit.h"
#include "core/error.h"
#include "core/vec.h"

typedef struct simple {
  const dae__rk_adapter *adapter;
  dae__rk_scheme scheme;
  double *K; /* slopes of the stages */
} simple;

static dae_status classical_attempt(void *self, const dae__rk_step *step, double *error,
                                    dae_error *err)
{
  simple *o = self;
  const dae__rk_adapter *adapter = o->adapter;
  const dae__rk_scheme *scheme = &o->scheme;
  size_t size = (size_t)adapter->size;
  double *z = step->to.z, *K = o->K, h = step->h;
  *error = 0; /* fixed steps */
  dae__copy(adapter->size, step->from.dz, K);
  dae__copy(adapter->size, step->from.z, z);
  for (int i = 1; i < scheme->stages; i++) {
    dae__copy(adapter->nx, step->from.z, z); /* y stays: a guess */
    for (int j = 0; j < i; j++)
      dae__axpy(adapter->nx, h * scheme->a[i][j], K + (size_t)j * size, z);
    DAE__TRY(adapter->table->slopes(adapter->self, false, step->t + scheme->c[i] * h, z,
                                    K + (size_t)i * size, err));
  }
  dae__copy(adapter->nx, step->from.z, z);
  for (int i = 0; i < scheme->stages; i++)
    dae__axpy(adapter->nx, h * scheme->b[i], K + (size_t)i * size, z);
  return DAE_OK;
}

static dae_status classical_complete_step(void *self, const dae__rk_step *step, dae_error *err)
{
  const dae__rk_adapter *adapter = ((simple *)self)->adapter;
  double t = step->t + step->h;
  dae_status status = adapter->table->project
                          ? adapter->table->project(adapter->self, false, t, step->to.z, err)
                          : DAE_OK;
  return status ? status
                : adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
}

static void classical_dense_output(void *self, const dae__rk_step *step, double x, double *z)
{
  dae__rk_hermite(((simple *)self)->adapter, step, x, z);
}

static const dae__stepper_table classical_verbs = {.attempt = classical_attempt,
                                                   .complete = classical_complete_step,
                                                   .dense_output = classical_dense_output};

dae_status dae__simple_create(dae__arena *arena, const dae__rk_adapter *adapter,
                              const dae__rk_scheme *scheme, dae__stepper *out, dae_error *err)
{
  simple *o = DAE__ALLOC(arena, simple, 1);
  double *K = DAE__ALLOC(arena, double, (size_t)(scheme->stages * adapter->size));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *o = (simple){.adapter = adapter, .scheme = *scheme, .K = K};
  *out = (dae__stepper){.table = &classical_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  return DAE_OK;
}
