/* Coefficients of the classical methods [HNW93 II.1] and of Radau IIA [HW96 IV.5], whose A^-1 is
 * the differentiation matrix of the polynomial through 0, c_1, ..., c_s; and the steps of the
 * explicit methods, with Hermite's cubic as dense output. */
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/classical/classical.h"
#include <math.h>

/* ---- coefficients ---- */

const dae__classical_scheme dae__classical_euler = {
    .name = "euler", .stages = 1, .order = 1, .b = {1}};

const dae__classical_scheme dae__classical_heun = {
    .name = "heun", .stages = 2, .order = 2, .c = {0, 1}, .a = {{0}, {1}}, .b = {0.5, 0.5}};

const dae__classical_scheme dae__classical_rk4 = {.name = "rk4",
                                                  .stages = 4,
                                                  .order = 4,
                                                  .c = {0, 0.5, 0.5, 1},
                                                  .a = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
                                                  .b = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}};

const dae__classical_scheme dae__classical_trapezoid = {
    .name = "trapezoid", .stages = 1, .order = 2, .implicit = true, .c = {1}, .a = {{2}}, .e = -1};

void dae__classical_collocation(const dae__classical_scheme *scheme, double x, double *value,
                                double *slope)
{
  double node[DAE__CLASSICAL_MAX_STAGES + 1] = {0};
  int count = scheme->stages + 1;
  for (int i = 1; i < count; i++)
    node[i] = scheme->c[i - 1];
  for (int j = 0; j < count; j++) {
    value[j] = 1;
    slope[j] = 0;
    /* Lagrange polynomial and its derivative by the product rule */
    for (int k = 0; k < count; k++) {
      if (k == j)
        continue;
      double factor = (x - node[k]) / (node[j] - node[k]);
      slope[j] = slope[j] * factor + value[j] / (node[j] - node[k]);
      value[j] *= factor;
    }
  }
}

dae__classical_scheme dae__classical_radau_iia(int stages)
{
  DAE__ASSERT(stages >= 1 && stages <= 3);
  double value[DAE__CLASSICAL_MAX_STAGES + 1], slope[DAE__CLASSICAL_MAX_STAGES + 1];
  dae__classical_scheme r = {
      .name = "radau-iia", .stages = stages, .order = 2 * stages - 1, .implicit = true};
  if (stages == 2)
    r.c[0] = 1.0 / 3;
  if (stages == 3) {
    r.c[0] = (4 - sqrt(6)) / 10;
    r.c[1] = (4 + sqrt(6)) / 10;
  }
  r.c[stages - 1] = 1;
  for (int i = 0; i < stages; i++) {
    dae__classical_collocation(&r, r.c[i], value, slope);
    for (int j = 0; j < stages; j++)
      r.a[i][j] = slope[j + 1];
  }
  return r;
}

/* ---- explicit steps ---- */

typedef struct classical {
  const dae_adapter *adapter;
  dae__classical_scheme scheme;
  double *K; /* slopes k_i of all stages */
} classical;

static dae_status classical_attempt(void *self, const dae_step *step, double *error, dae_error *err)
{
  classical *o = self;
  const dae_adapter *adapter = o->adapter;
  const dae__classical_scheme *scheme = &o->scheme;
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

static dae_status classical_dense_output(void *self, const dae_step *step, double x,
                                         dae_dense accuracy, const dae_point *out, dae_error *err)
{
  (void)accuracy, (void)err;
  dae_hermite(((classical *)self)->adapter, step, x, out->z);
  return DAE_OK;
}

static const dae_stepper_table classical_verbs = {.attempt = classical_attempt,
                                                  .complete = classical_complete_step,
                                                  .dense_output = classical_dense_output};

dae_status dae__classical_explicit_create(dae__arena *arena, const dae_adapter *adapter,
                                          const dae__classical_scheme *scheme, dae__stepper *out,
                                          dae_error *err)
{
  classical *o = DAE__ALLOC(arena, classical, 1);
  double *K = DAE__ALLOC(arena, double, (size_t)(scheme->stages * adapter->size));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *o = (classical){.adapter = adapter, .scheme = *scheme, .K = K};
  *out = (dae__stepper){.table = &classical_verbs,
                        .self = o,
                        .order = scheme->order,
                        .control = dae__controller_defaults(scheme->order + 1)};
  return DAE_OK;
}
