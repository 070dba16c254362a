/* Coefficients of the explicit classical methods [HNW93 II.1], and their steps. */
#include "onestep/classical/classical.h"
#include "core/error.h"
#include "core/vec.h"

/* ---- coefficients ---- */

const dae__classical_scheme dae__classical_euler = {.stages = 1, .order = 1, .b = {1}};

const dae__classical_scheme dae__classical_heun = {
    .stages = 2, .order = 2, .c = {0, 1}, .a = {{0}, {1}}, .b = {0.5, 0.5}};

const dae__classical_scheme dae__classical_rk4 = {.stages = 4,
                                                  .order = 4,
                                                  .c = {0, 0.5, 0.5, 1},
                                                  .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                                  .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

/* ---- steps ---- */

typedef struct classical {
  const dae_adapter *adapter;
  const dae__classical_scheme *scheme;
  double *K; /* slopes k_i of all stages */
} classical;

static dae_status classical_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  classical *o = self;
  const dae_adapter *adapter = o->adapter;
  const dae__classical_scheme *scheme = o->scheme;
  size_t size = (size_t)adapter->size;
  double *z = step->to.z, *K = o->K, h = step->h;
  *error = 0; /* no error estimate: steps are fixed */
  dae__copy(adapter->size, step->from.dz, K);
  dae__copy(adapter->size, step->from.z, z);
  for (int i = 1; i < scheme->stages; i++) {
    dae__copy(adapter->nx, step->from.z, z); /* guess of y at the end: y of the last stage */
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

static dae_status classical_complete_step(void *self, const dae_step *step, dae_error *err)
{
  const dae_adapter *adapter = ((classical *)self)->adapter;
  double t = step->t + step->h;
  if (adapter->table->project)
    DAE__TRY(adapter->table->project(adapter->self, false, t, step->to.z, err));
  return adapter->table->slopes(adapter->self, false, t, step->to.z, step->to.dz, err);
}

dae_status dae__classical_dense_output(void *self, const dae_step *step, double x,
                                       dae_dense accuracy, const dae_point *out, dae_error *err)
{
  const dae_adapter *adapter = *(const dae_adapter **)self;
  (void)accuracy, (void)err;
  dae_hermite(adapter, step, x, out->z);
  if (out->dz && accuracy == DAE_DENSE_RAW)
    dae_hermite_rate(adapter, step, x, out->dz);
  return DAE_OK;
}

static const dae_stepper_table classical_verbs = {.attempt = classical_attempt,
                                                  .complete = classical_complete_step,
                                                  .dense_output = dae__classical_dense_output};

dae_status dae__classical_create(dae__arena *arena, const dae_adapter *adapter,
                                 const dae__classical_scheme *scheme, dae__stepper *out,
                                 dae_error *err)
{
  classical *o = DAE__ALLOC(arena, classical, 1);
  double *K = DAE__ALLOC(arena, double, (size_t)(scheme->stages * adapter->size));
  DAE__TRY(dae__arena_status(arena, err));
  *o = (classical){.adapter = adapter, .scheme = scheme, .K = K};
  *out = (dae__stepper){.table = &classical_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  return DAE_OK;
}
