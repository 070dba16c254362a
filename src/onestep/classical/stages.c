/* Newton for all stages at once, with the matrix
 *
 *   [ d_ij/h M(X_i) + delta_ij ((M k_i)_x - J_i) ],   J = d(f,F)/d(x,y),
 *
 * which is kept from step to step as long as it serves. */
#include "onestep/classical/stages.h"
#include "core/error.h"
#include "core/vec.h"
#include "onestep/host/iterate.h"

/* ---- creation ---- */

static void classical_stages_merge_blocks(dae__rk_stages *o, dae__arena *arena)
{
  const dae__semi *s = o->s;
  int count = 0, stages = o->scheme->stages;
  dae__block blocks[DAE__RK_STAGES * (DAE__RK_STAGES + 2)];
  for (int i = 0; i < stages; i++) {
    for (int j = 0; j < stages; j++)
      blocks[count++] = (dae__block){.row = i * s->n, .col = j * s->n, .pattern = &s->M};
    blocks[count++] = (dae__block){.row = i * s->n, .col = i * s->n, .pattern = &s->Ms};
    blocks[count++] = (dae__block){.row = i * s->n, .col = i * s->n, .pattern = &s->J};
  }
  o->pattern = dae__blocks_merge(arena, stages * s->n, stages * s->n, blocks, count);
  for (int i = 0, at = 0; i < stages; i++) {
    for (int j = 0; j < stages; j++)
      o->M_at[i][j] = blocks[at++];
    o->Ms_at[i] = blocks[at++];
    o->J_at[i] = blocks[at++];
  }
}

dae_status dae__rk_stages_create(dae__arena *arena, const dae__rk_scheme *scheme, dae__semi *s,
                                 const dae_rk_options *opts, dae__rk_stages *out, dae_error *err)
{
  dae__rk_stages *o = out;
  size_t stages = (size_t)scheme->stages, n = (size_t)s->n, nx = (size_t)s->nx;
  *o = (dae__rk_stages){.scheme = scheme, .s = s, .rtol = opts->rtol, .atol = opts->atol};
  o->memory = DAE__STATE(arena, dae__rk_stages_memory, 1);
  o->Z = DAE__ALLOC(arena, double, stages *n);
  o->K = DAE__ALLOC(arena, double, stages *nx);
  o->R = DAE__ALLOC(arena, double, stages *n);
  o->M = DAE__ALLOC(arena, double, stages *(size_t)dae__pattern_count(&s->M));
  o->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  o->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  classical_stages_merge_blocks(o, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  o->matrix = DAE__ALLOC(arena, double, dae__pattern_count(&o->pattern));
  return dae__arena_failed(arena) ? dae__out_of_memory(err)
                                  : dae__solver_create(arena, &o->pattern, &o->solver, err);
}

void dae__rk_stages_free(dae__rk_stages *o)
{
  dae__solver_free(o->solver);
}

dae_status dae__rk_stages_reload(dae__rk_stages *o)
{
  return o->memory->factored ? dae__solver_reload(o->solver) : DAE_OK;
}

/* ---- residual and matrix ---- */

static double *classical_stages_mass_of(const dae__rk_stages *o, int i)
{
  return o->M + (size_t)i * (size_t)dae__pattern_count(&o->s->M);
}

static double classical_stages_time_of(const dae__rk_stages *o, int i)
{
  return o->t + o->scheme->c[i] * o->h;
}

/* k_i = sum_j d_ij (X_j - x0)/h + e k_0 */
static void classical_stages_find_slopes(dae__rk_stages *o)
{
  int nx = o->s->nx, stages = o->scheme->stages;
  for (int i = 0; i < stages; i++) {
    double *k = dae__rk_stage_slope(o, i);
    for (int l = 0; l < nx; l++) {
      double sum = 0;
      for (int j = 0; j < stages; j++)
        sum += o->scheme->a[i][j] * (dae__rk_stage(o, j)[l] - o->z0[l]);
      k[l] = sum / o->h + (o->scheme->e != 0 ? o->scheme->e * o->k0[l] : 0);
    }
  }
}

/* R_i = (M(X_i) k_i - f, -F) */
static dae_status classical_stages_residual(dae__rk_stages *o, dae_error *err)
{
  dae__semi *s = o->s;
  dae_status status = DAE_OK;
  classical_stages_find_slopes(o);
  for (int i = 0; i < o->scheme->stages && !status; i++) {
    double *R = o->R + (size_t)i * (size_t)s->n, *z = dae__rk_stage(o, i),
           *M = classical_stages_mass_of(o, i);
    status = dae__semi_rhs(s, classical_stages_time_of(o, i), z, R, err);
    if (!status)
      status = dae__semi_M(s, classical_stages_time_of(o, i), z, M, err);
    if (status)
      break;
    dae__scale(s->n, -1, R);
    dae__matrix_times(&s->M, M, 1, dae__rk_stage_slope(o, i), R);
  }
  return status;
}

static dae_status classical_stages_singular(const dae__rk_stages *o, dae_error *err)
{
  const dae__semi *s = o->s;
  int column = dae__solver_column(o->solver);
  char name[64] = "";
  if (column >= 0)
    dae__semi_variable_name(s->p, column % s->n, name, sizeof name);
  return dae__fail(err, DAE_ERROR_SINGULAR, name[0] ? name : NULL,
                   "the matrix of the step is singular%s%s: the equations do not determine it, or "
                   "the step size hits an eigenvalue",
                   name[0] ? " at " : "", name);
}

/* the matrix at the iterate, for which residual has been called */
static dae_status classical_stages_factor(dae__rk_stages *o, dae_error *err)
{
  dae__semi *s = o->s;
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&o->pattern), o->matrix);
  for (int i = 0; i < o->scheme->stages && !status; i++) {
    const double *z = dae__rk_stage(o, i);
    status = dae__semi_J(s, classical_stages_time_of(o, i), z, o->J, err);
    if (!status && !s->constant_mass)
      status =
          dae__semi_Ms(s, classical_stages_time_of(o, i), z, dae__rk_stage_slope(o, i), o->Ms, err);
    DAE__TRY(status);
    for (int j = 0; j < o->scheme->stages; j++)
      dae__block_add(&o->M_at[i][j], o->scheme->a[i][j] / o->h, classical_stages_mass_of(o, i),
                     o->matrix);
    if (!s->constant_mass)
      dae__block_add(&o->Ms_at[i], 1, o->Ms, o->matrix);
    dae__block_add(&o->J_at[i], -1, o->J, o->matrix);
  }
  status = dae__solver_factor(o->solver, o->matrix);
  o->memory->factored = status == DAE_OK;
  o->memory->h = o->h;
  o->memory->jacobians++;
  o->memory->factorisations++;
  if (status == DAE_ERROR_MEMORY)
    return dae__out_of_memory(err);
  return status == DAE_ERROR_SINGULAR ? classical_stages_singular(o, err) : status;
}

/* ---- the iteration ---- */

static dae_status classical_stages_not_converged(const dae__rk_stages *o, int worst, dae_error *err)
{
  char name[64];
  dae__semi_equation_name(o->s->p, worst % o->s->n, name, sizeof name);
  return dae__fail(err, DAE_ERROR_STEP, name,
                   "Newton's method does not converge with step size %.3g, worst in the equation "
                   "of %s",
                   o->h, name);
}

static dae_status classical_stages_newton(dae__rk_stages *o, bool fresh, dae_error *err)
{
  int size = o->scheme->stages * o->s->n, worst = 0;
  dae__rk_verdict verdict = fresh ? DAE__RK_REFRESH : DAE__RK_GO_ON;
  dae__rk_iteration it = dae__rk_iteration_begin(o->rtol, o->atol, fresh);
  while (verdict < DAE__RK_DONE) {
    dae_status status = classical_stages_residual(o, err);
    if (!status && verdict == DAE__RK_REFRESH)
      status = classical_stages_factor(o, err);
    DAE__TRY(status);
    it.fresh = it.fresh || verdict == DAE__RK_REFRESH;
    dae__solver_solve(o->solver, o->R);
    dae__axpy(size, -1, o->R, o->Z);
    o->memory->iterations++;
    verdict = dae__rk_iteration_test(&it, dae__rk_change(&it, size, o->R, o->Z, &worst));
  }
  classical_stages_find_slopes(o);
  return verdict == DAE__RK_DONE ? DAE_OK : classical_stages_not_converged(o, worst, err);
}

/* along the slope at the start, or standing still */
static void classical_stages_predict(dae__rk_stages *o, bool moving)
{
  for (int i = 0; i < o->scheme->stages; i++) {
    double *z = dae__rk_stage(o, i);
    dae__copy(o->s->n, o->z0, z);
    if (moving)
      dae__axpy(o->s->nx, o->scheme->c[i] * o->h, o->k0, z);
  }
}

dae_status dae__rk_stages_solve(dae__rk_stages *o, double t, double h, const double *z0,
                                const double *k0, dae_error *err)
{
  dae_error why = dae_error_none();
  bool fresh = !o->memory->factored || fabs(h / o->memory->h - 1) > 1e-6;
  o->t = t, o->h = h, o->z0 = z0, o->k0 = k0;
  classical_stages_predict(o, true);
  dae_status status = classical_stages_newton(o, fresh, &why);
  if (!status)
    return DAE_OK;
  if (status == DAE_ERROR_CALLBACK || status == DAE_ERROR_MEMORY) {
    if (err)
      *err = why;
    return status;
  }
  classical_stages_predict(o, false);
  return classical_stages_newton(o, true, err);
}
