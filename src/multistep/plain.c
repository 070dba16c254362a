/* The plain corrector: semi-explicit problems of index 1 and 2, and quasi-linear ones.
 *
 *   unknowns   Y = (x, y)
 *   residual   R = (M(t,x) x' - f(t,x,y), -F(t,x,y))
 *   matrix     dR/dY + cj dR/dY' = [cj M + (M x')_x  0; 0  0] - d(f,F)/d(x,y)
 *
 * M may be singular. For index 2, with rows F2(t,x) = 0 without y, the algebraic variables are not
 * in the error test [BCP96 5.4] and accepted x are projected onto F2. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/solver.h"
#include "multistep/bdf.h"
#include "problem/semi_explicit/semi.h"
#include "problem/semi_explicit/semi_newton.h"

/* Smallest tolerance, limited by the round-off of residuals; chosen, not measured. */
#define TOLERANCE_FLOOR 1e-13

typedef struct memory {
  long jacobians, factorisations;
} memory;

typedef struct plain {
  dae__semi *s;
  /* Data of problems of index 2. */
  dae__surface *surface;   /* projection of accepted states */
  dae__surface *output;    /* projection of output states */
  dae__semi_slopes slopes; /* solver for y and x' of output states */
  double *slope;
  bool project;
  memory *m; /* saved with the integrator */
  dae__semi_mass M;
  double *Ms, *J; /* values of (M x')_x and of d(f,F)/d(x,y) */
  dae__semi_matrix matrix;
  dae__solver *solver;
} plain;

static void plain_start(void *self, const double *y, const double *dy, double *Y, double *dY)
{
  const plain *c = self;
  dae__copy(c->s->n, y, Y);
  dae__copy(c->s->n, dy, dY);
}

static dae_status plain_setup(void *self, double t, const double *Y, const double *dY, double cj,
                              dae_error *err)
{
  plain *c = self;
  DAE__TRY(dae__semi_mass_at(&c->M, t, Y, err));
  DAE__TRY(dae__semi_Ms(c->s, t, Y, dY, c->Ms, err));
  DAE__TRY(dae__semi_J(c->s, NULL, t, Y, c->J, err));
  dae__semi_matrix_fill(&c->matrix, cj, NULL, c->s->constant_mass ? NULL : c->Ms, c->J);
  dae__semi_mass_add(&c->M, cj, &c->matrix.M, c->matrix.values);
  dae_status status = dae__solver_factor(c->solver, c->matrix.values);
  c->m->jacobians++;
  c->m->factorisations++;
  if (status == DAE_ERROR_RECOVERABLE)
    return dae__fail(err, status, NULL, "an entry of the iteration matrix is not finite");
  if (status == DAE_ERROR_MEMORY)
    return dae__fail(err, status, NULL, "no memory for a factorisation with other pivots");
  if (!status)
    return DAE_OK;
  char name[64] = "one of the variables";
  int column = dae__solver_column(c->solver);
  if (column >= 0)
    dae__semi_variable_name(c->s->p, column, name, sizeof name);
  dae__fail(err, DAE_ERROR_SINGULAR, column >= 0 ? name : NULL,
            "the equations of a step do not determine %s: %s", name,
            column >= c->s->nx ? "F_y is singular at this point, or the index is higher than 2"
                               : "its equations have become dependent, or the index has changed");
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_SINGULAR;
}

static dae_status plain_increment(void *self, double t, const double *Y, const double *dY,
                                  double cj, double factor, double *delta, dae_error *err)
{
  plain *c = self;
  const dae__semi *s = c->s;
  (void)cj;
  DAE__TRY(dae__semi_mass_at(&c->M, t, Y, err));
  DAE__TRY(dae__semi_rhs(c->s, t, Y, delta, err)); /* delta = (f, F) */
  dae__semi_mass_times(&c->M, -1, dY, delta);      /* delta = (f - M x', F) = -R */
  if (factor != 1)
    dae__scale(s->nx, factor, delta);
  dae__solver_solve(c->solver, delta);
  return DAE_OK;
}

static dae_status plain_project(void *self, double t, double *Y, dae_error *err)
{
  plain *c = self;
  return dae__surface_project(c->surface, t, Y, err);
}

/* output state; for index 2 y is the solution of the hidden constraint at x, or, where that fails,
 * the value of the last step with its discretisation error */
static dae_status plain_output(void *self, double t, const double *Y, const double *dY, double *y,
                               double *dy, dae_error *err)
{
  plain *c = self;
  const double *slope = dY;
  dae_status status = DAE_OK;
  dae__copy(c->s->n, Y, y);
  if (c->output) {
    dae__copy(c->s->n, dY, c->slope);
    slope = c->slope;
    if (c->project)
      status = dae__surface_project(c->output, t, y, err);
    if (!status)
      status = dae__semi_slopes_solve(&c->slopes, t, y, c->slope, err);
  }
  if (dy)
    dae__copy(c->s->n, slope, dy);
  return status == DAE_ERROR_SINGULAR || status == DAE_ERROR_START ? DAE_OK : status;
}

static dae_status plain_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                   dae_error *err)
{
  plain *c = self;
  return dae__semi_consistent(c->s, t, fixed, y, dy, NULL, err);
}

static void plain_stats(const void *self, dae_stats *out)
{
  const plain *c = self;
  out->evaluations += *c->s->evaluations;
  out->jacobians += c->m->jacobians;
  out->factorisations += c->m->factorisations;
  if (c->surface) {
    out->factorisations += c->surface->memory->factorisations;
    out->projections += c->surface->memory->projections;
  }
}

static void plain_release(void *self)
{
  plain *c = self;
  dae__solver_free(c->solver);
  dae__surface_free(c->surface);
  dae__surface_free(c->output);
  dae__semi_newton_free(&c->slopes.newton);
}

#define VERBS                                                                                      \
  .start = plain_start, .setup = plain_setup, .increment = plain_increment,                        \
  .output = plain_output, .consistent = plain_consistent, .stats = plain_stats,                    \
  .free = plain_release

static const dae__corrector_table index_1_table = {VERBS};
static const dae__corrector_table index_2_table = {VERBS, .project = plain_project};

/* ---- creation ---- */

/* creates matrices and solvers at the consistent start */
static dae_status plain_create_solvers(plain *c, dae__arena *arena, double t, const double *y,
                                       int index, dae_error *err)
{
  DAE__TRY(dae__semi_mass_at(&c->M, t, y, err));
  DAE__TRY(dae__solver_create_iteration(arena, &c->matrix.pattern, &c->solver, err));
  if (index < 2)
    return DAE_OK;
  DAE__TRY(dae__surface_create(arena, c->s, &c->surface, err));
  DAE__TRY(dae__surface_create(arena, c->s, &c->output, err));
  c->slope = DAE__ALLOC(arena, double, c->s->n);
  DAE__TRY(dae__semi_slopes_prepare(arena, c->s, &c->slopes, err));
  return dae__semi_slopes_create(arena, c->output, &c->slopes, err);
}

dae_status dae__plain_create(dae__arena *arena, const dae_problem *problem, const dae_start *from,
                             const dae_bdf_options *opts, double *y, double *dy,
                             dae__corrector *out, dae_error *err)
{
  plain *c = DAE__ALLOC(arena, plain, 1);
  dae_diagnosis find = {0};
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  c->project = opts->project;
  if (!problem->semi_explicit)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "bdf", "bdf takes semi-explicit problems");
  DAE__TRY(dae__semi_create(arena, problem, &c->s, err));
  const dae__semi *s = c->s;
  dae__copy(s->n, from->y, y);
  dae_status status = dae__semi_consistent(c->s, from->t, from->fixed, y, dy, &find, err);
  int index = find.index;
  if (status == DAE_ERROR_START && index == 3)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "bdf",
                     "bdf takes semi-explicit problems of index 1 and 2; this one has index 3: "
                     "give it in the mechanical form, or differentiate its constraints once");
  DAE__TRY(status);
  unsigned char *role = DAE__ALLOC(arena, unsigned char, s->n);
  c->m = DAE__STATE(arena, memory, 1);
  c->M = dae__semi_mass_create(arena, c->s);
  c->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  c->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  c->matrix = dae__semi_matrix_create(arena, s);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  DAE__LIMIT_COUNTER(arena, &c->m->jacobians, 2);
  for (int i = 0; i < s->n; i++)
    role[i] = i >= s->nx && index == 2 ? DAE__TEST_MULTIPLIER : DAE__TEST_FULL;
  status = plain_create_solvers(c, arena, from->t, y, index, err);
  if (status) {
    plain_release(c);
    return status;
  }
  *out = (dae__corrector){.table = index == 2 ? &index_2_table : &index_1_table,
                          .self = c,
                          .n = s->n,
                          .size = s->n,
                          .role = role,
                          .floor = TOLERANCE_FLOOR};
  return DAE_OK;
}
