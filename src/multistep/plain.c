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

/* Smallest tolerance of a step, limited by the round-off of residuals: at rtol 1e-10 with 1e-13 the
 * transistor amplifier takes 2.5 times the steps and loses 4 digits. */
#define TOLERANCE_FLOOR 3e-13

typedef struct memory {
  long jacobians, factorisations, projections;
} memory;

typedef struct plain {
  dae__semi *s;
  dae__semi_index_2 *index_2; /* rows F2 of the last consistent start; NULL: none */
  dae__semi_index_2 *slopes;  /* x' and y at x: index_2, or without rows F2; NULL: not needed */
  bool searches;              /* for undeclared discontinuities, by slopes */
  bool *hidden;               /* saved: s->hidden of the last consistent start */
  bool constrained;           /* there are rows F2 */
  unsigned char *role;
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
  dae__surface_memory *count = c->index_2->surface->memory;
  count->projections = count->factorisations = 0;
  dae_status status = dae__semi_index_2_project(c->index_2, t, Y, err);
  c->m->projections += count->projections;
  c->m->factorisations += count->factorisations;
  return status;
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
  if (c->index_2) {
    dae__copy(c->s->n, dY, c->slope);
    slope = c->slope;
    if (c->project)
      status = dae__semi_index_2_project(c->index_2, t, y, err);
    dae__solver_reset(c->index_2->slopes.newton.solver);
    if (!status)
      status = dae__semi_slopes_solve(&c->index_2->slopes, t, y, c->slope, err);
  }
  if (dy)
    dae__copy(c->s->n, slope, dy);
  return status == DAE_ERROR_SINGULAR || status == DAE_ERROR_START ? DAE_OK : status;
}

/* Follows a new classification of the rows in s->hidden: data of index 2 and roles. */
static dae_status plain_follow_index(plain *c, dae_error *err)
{
  dae__semi *s = c->s;
  dae__semi_index_2 *created = NULL;
  bool constrained = s->hidden_count > 0;
  dae_status status =
      constrained || c->searches ? dae__semi_index_2_create(s, &created, err) : DAE_OK;
  if (status)
    return status;
  dae__semi_index_2_free(c->slopes);
  c->slopes = created;
  c->index_2 = constrained ? created : NULL;
  c->constrained = constrained;
  for (int i = 0; i < s->ny; i++) {
    c->hidden[i] = s->hidden[i];
    c->role[s->nx + i] = constrained ? DAE__TEST_MULTIPLIER : DAE__TEST_FULL;
  }
  return DAE_OK;
}

/* Whether the rows are classified as when the data of index 2 were created. */
static bool plain_same_index(const plain *c)
{
  bool same = true;
  for (int i = 0; i < c->s->ny; i++)
    same = same && c->hidden[i] == c->s->hidden[i];
  return same;
}

static void plain_restore_hidden(plain *c)
{
  c->s->hidden_count = 0;
  for (int i = 0; i < c->s->ny; i++)
    c->s->hidden_count += c->s->hidden[i] = c->hidden[i];
}

static dae_status plain_reload(void *self)
{
  plain *c = self;
  bool same = plain_same_index(c);
  plain_restore_hidden(c);
  return same ? DAE_OK : plain_follow_index(c, NULL);
}

/* Consistent start or restart; the rows of F are classified anew, since events may change them. */
static dae_status plain_consistent(void *self, double t, const bool *fixed, double *y, double *dy,
                                   dae_error *err)
{
  plain *c = self;
  c->s->classified = false;
  dae_status status = dae__semi_consistent(c->s, t, fixed, y, dy, NULL, err);
  if (!status && !plain_same_index(c))
    status = plain_follow_index(c, err);
  if (status)
    plain_restore_hidden(c);
  return status;
}

/* Consistent state near y with the same rows F2, without allocation. */
static dae_status plain_slopes(void *self, double t, double *y, double *dy, dae_error *err)
{
  plain *c = self;
  dae__zero(c->s->n, dy);
  DAE__TRY(dae__semi_index_2_project(c->slopes, t, y, err));
  dae__solver_reset(c->slopes->slopes.newton.solver);
  return dae__semi_slopes_solve(&c->slopes->slopes, t, y, dy, err);
}

static void plain_stats(const void *self, dae_stats *out)
{
  const plain *c = self;
  out->evaluations += *c->s->evaluations;
  out->jacobians += c->m->jacobians;
  out->factorisations += c->m->factorisations;
  out->projections += c->m->projections;
}

static void plain_release(void *self)
{
  plain *c = self;
  dae__solver_free(c->solver);
  dae__semi_index_2_free(c->slopes);
}

static const dae__corrector_table plain_table = {.start = plain_start,
                                                 .setup = plain_setup,
                                                 .increment = plain_increment,
                                                 .project = plain_project,
                                                 .output = plain_output,
                                                 .consistent = plain_consistent,
                                                 .slopes = plain_slopes,
                                                 .stats = plain_stats,
                                                 .free = plain_release};

/* ---- creation ---- */

dae_status dae__plain_create(dae__arena *arena, const dae_problem *problem, const dae_start *from,
                             const dae_bdf_options *opts, double *y, double *dy,
                             dae__corrector *out, dae_error *err)
{
  plain *c = DAE__ALLOC(arena, plain, 1);
  dae_diagnosis find = {0};
  DAE__TRY(dae__arena_status(arena, err));
  c->project = opts->project;
  c->searches = opts->step == 0 && problem->semi_explicit && !problem->semi_explicit->M;
  if (!problem->semi_explicit)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "bdf", "bdf takes semi-explicit problems");
  DAE__TRY(dae__semi_create(arena, problem, &c->s, err));
  const dae__semi *s = c->s;
  dae__copy(s->n, from->y, y);
  dae_status status = dae__semi_consistent(c->s, from->t, from->fixed, y, dy, &find, err);
  if (status == DAE_ERROR_START && find.index == 3)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, "bdf",
                     "bdf takes semi-explicit problems of index 1 and 2; this one has index 3: "
                     "give it in the mechanical form, or differentiate its constraints once");
  DAE__TRY(status);
  c->role = DAE__ALLOC(arena, unsigned char, s->n); /* zero: DAE__TEST_FULL */
  c->hidden = DAE__STATE(arena, bool, s->ny);
  c->slope = DAE__ALLOC(arena, double, s->n);
  c->m = DAE__STATE(arena, memory, 1);
  c->M = dae__semi_mass_create(arena, c->s);
  c->Ms = DAE__ALLOC(arena, double, dae__pattern_count(&s->Ms));
  c->J = DAE__ALLOC(arena, double, dae__pattern_count(&s->J));
  c->matrix = dae__semi_matrix_create(arena, s);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__LIMIT_COUNTER(arena, &c->m->jacobians, 3);
  DAE__LIMIT_TRUTH(arena, c->hidden, s->ny);
  dae__arena_on_load(arena, plain_reload, c);
  status = dae__semi_mass_at(&c->M, from->t, y, err);
  if (!status)
    status = dae__solver_create_iteration(arena, &c->matrix.pattern, &c->solver, err);
  if (!status)
    status = plain_follow_index(c, err);
  if (status) {
    plain_release(c);
    return status;
  }
  *out = (dae__corrector){.table = &plain_table,
                          .self = c,
                          .n = s->n,
                          .size = s->n,
                          .role = c->role,
                          .projects = &c->constrained,
                          .floor = TOLERANCE_FLOOR};
  return DAE_OK;
}
