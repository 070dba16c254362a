/* Evaluations of a semi-explicit problem: what the user gave is called and checked, what is missing
 * is formed by coloured differences. */
#include "problem/semi_explicit/semi.h"
#include "core/error.h"
#include "core/vec.h"
#include "problem/problem.h"
#include <float.h>
#include <stdio.h>

/* ---- creation ---- */

static dae_pattern semi_given_or_dense(dae__arena *arena, const dae_pattern *given, int rows,
                                       int cols)
{
  return given ? *given : dae__pattern_dense(arena, rows, cols);
}

static void semi_choose_patterns(dae__semi *s, dae__arena *arena)
{
  const dae_semi_explicit *p = s->p;
  int nx = s->nx;
  s->M = p->M ? semi_given_or_dense(arena, p->M_pattern, nx, nx) : dae__pattern_diagonal(arena, nx);
  s->J = semi_given_or_dense(arena, p->J_pattern, s->n, s->n);
  if (s->constant_mass)
    s->Ms = dae__pattern_empty(arena, nx, nx);
  else
    s->Ms = semi_given_or_dense(arena, p->Ms_pattern, nx, nx);
}

static void semi_prepare(dae__semi *s, dae__arena *arena)
{
  s->evaluations = DAE__STATE(arena, long, 1);
  s->in = DAE__ALLOC(arena, double, s->p->nin);
  s->hidden = DAE__ALLOC(arena, bool, s->ny);
  semi_choose_patterns(s, arena);
  if (dae__arena_failed(arena))
    return;
  s->M_values = DAE__ALLOC(arena, double, dae__pattern_count(&s->M));
  if (!s->p->J)
    s->dJ = dae__difference_create(arena, &s->J, false);
  if (!s->constant_mass && !s->p->Ms_x)
    s->dMs = dae__difference_create(arena, &s->Ms, false);
}

dae_status dae__semi_create(dae__arena *arena, const dae_problem *problem, dae__semi **out,
                            dae_error *err)
{
  const dae_semi_explicit *p = problem->semi_explicit;
  dae_status status = dae_problem_validate(problem, err);
  dae__semi *s = DAE__ALLOC(arena, dae__semi, 1);
  *out = NULL;
  DAE__TRY(status);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *s = (dae__semi){.p = p,
                   .nx = p->nx,
                   .ny = p->ny,
                   .n = p->nx + p->ny,
                   .sparse = p->J_pattern != NULL,
                   .constant_mass = !p->M || p->constant_mass,
                   .arena = arena,
                   .input = problem->input,
                   .input_user = problem->input_user,
                   .why = problem->why};
  semi_prepare(s, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = s;
  return DAE_OK;
}

/* ---- names ---- */

const char *dae__semi_variable_name(const dae_semi_explicit *p, int i, char *text, size_t size)
{
  bool algebraic = i >= p->nx;
  const char *const *names = algebraic ? p->y_names : p->x_names;
  int k = algebraic ? i - p->nx : i;
  if (names && names[k])
    snprintf(text, size, "%s", names[k]);
  else
    snprintf(text, size, "%s[%d]", algebraic ? "y" : "x", k + 1);
  return text;
}

const char *dae__semi_equation_name(const dae_semi_explicit *p, int i, char *text, size_t size)
{
  bool algebraic = i >= p->nx;
  const char *const *names = algebraic ? p->F_names : p->f_names;
  int k = algebraic ? i - p->nx : i;
  if (!names || !names[k])
    return dae__semi_variable_name(p, i, text, size);
  snprintf(text, size, "%s", names[k]);
  return text;
}

/* ---- calling the user ---- */

/* row `first + i` of (f, F) for entry i */
static dae_status semi_check_rows(const dae__semi *s, int n, const double *out, int first,
                                  const bool *wanted, double t, dae_error *err)
{
  char name[64];
  if (dae__all_finite(n, out))
    return DAE_OK;
  for (int i = 0; i < n; i++) {
    if (isfinite(out[i]) || (wanted && !wanted[i]))
      continue;
    dae__semi_equation_name(s->p, first + i, name, sizeof name);
    dae__fail(err, DAE_ERROR_RECOVERABLE, name,
              "the %s of the equation of %s is not a finite "
              "number",
              first + i < s->nx ? "right side" : "residual", name);
    dae__fail_at(err, t, NAN);
    return DAE_ERROR_RECOVERABLE;
  }
  return DAE_OK;
}

static dae_status semi_check_matrix(const dae_pattern *p, const double *values, const char *what,
                                    double t, dae_error *err)
{
  if (dae__all_finite(dae__pattern_count(p), values))
    return DAE_OK;
  dae__fail(err, DAE_ERROR_RECOVERABLE, what,
            "the matrix %s has an entry that is not a finite "
            "number",
            what);
  dae__fail_at(err, t, NAN);
  return DAE_ERROR_RECOVERABLE;
}

dae_status dae__semi_inputs(dae__semi *s, double t, dae_error *err)
{
  return s->input ? dae__callback_status(s->why, s->input(s->input_user, t, s->in), "input", t, err)
                  : DAE_OK;
}

static dae_semi_explicit_at semi_point(const dae__semi *s, double t, const double *z)
{
  return (dae_semi_explicit_at){.t = t, .x = z, .y = z + s->nx, .in = s->in};
}

dae_status dae__semi_F(dae__semi *s, double t, const double *z, const bool *wanted, double *F,
                       dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = dae__semi_inputs(s, t, err);
  if (!status && s->ny > 0)
    status = dae__callback_status(s->why, s->p->F(s->p->user, &at, F), "F", t, err);
  return status ? status : semi_check_rows(s, s->ny, F, s->nx, wanted, t, err);
}

dae_status dae__semi_F_t(dae__semi *s, double t, const double *z, const bool *wanted, double *F_t,
                         dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = dae__semi_inputs(s, t, err);
  if (!status)
    status = dae__callback_status(s->why, s->p->F_t(s->p->user, &at, F_t), "F_t", t, err);
  char name[64];
  for (int i = 0; i < s->ny && !status; i++)
    if (!isfinite(F_t[i]) && (!wanted || wanted[i])) {
      dae__semi_equation_name(s->p, s->nx + i, name, sizeof name);
      status =
          dae__fail(err, DAE_ERROR_RECOVERABLE, name,
                    "the time derivative F_t of the equation of %s is not a finite number", name);
      dae__fail_at(err, t, NAN);
    }
  return status;
}

dae_status dae__semi_rhs(dae__semi *s, double t, const double *z, double *fF, dae_error *err)
{
  const dae_semi_explicit *p = s->p;
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = s->input ? dae__semi_inputs(s, t, err) : DAE_OK;
  ++*s->evaluations;
  DAE__TRY(status);
  int code = s->nx > 0 ? p->f(p->user, &at, fF) : 0;
  if (code)
    return dae__callback_status(s->why, code, "f", t, err);
  code = s->ny > 0 ? p->F(p->user, &at, fF + s->nx) : 0;
  if (code)
    return dae__callback_status(s->why, code, "F", t, err);
  return dae__each_finite(s->n, fF) ? DAE_OK : semi_check_rows(s, s->n, fF, 0, NULL, t, err);
}

dae_status dae__semi_M(dae__semi *s, double t, const double *z, double *M, dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = dae__semi_inputs(s, t, err);
  if (!status && s->p->M)
    status = dae__callback_status(s->why, s->p->M(s->p->user, &at, M), "M", t, err);
  for (int i = 0; i < s->nx && !s->p->M; i++)
    M[i] = 1;
  return status ? status : semi_check_matrix(&s->M, M, "M", t, err);
}

/* ---- derivatives ---- */

/* A point at which z is varied, and the vector of a contraction. */
typedef struct vary {
  dae__semi *s;
  double t;
  const double *a;
} vary;

static dae_status semi_rhs_of_z(void *context, const double *z, double *out, dae_error *err)
{
  vary *c = context;
  return dae__semi_rhs(c->s, c->t, z, out, err);
}

dae_status dae__semi_J_by(dae__semi *s, dae__difference *d, double t, const double *z, double *J,
                          dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = dae__semi_inputs(s, t, err);
  if (!status && s->p->J)
    status = dae__callback_status(s->why, s->p->J(s->p->user, &at, J), "J", t, err);
  else if (!status)
    status = dae__difference_jacobian(d, semi_rhs_of_z, &(vary){s, t, NULL}, z, J, err);
  return status ? status : semi_check_matrix(&s->J, J, "J", t, err);
}

dae_status dae__semi_J(dae__semi *s, double t, const double *z, double *J, dae_error *err)
{
  return dae__semi_J_by(s, &s->dJ, t, z, J, err);
}

/* M does not depend on y, so that only x is varied */
static dae_status semi_Ma_of_x(void *context, const double *x, double *out, dae_error *err)
{
  vary *c = context;
  dae_status status = dae__semi_M(c->s, c->t, x, c->s->M_values, err);
  dae__zero(c->s->nx, out);
  dae__matrix_times(&c->s->M, c->s->M_values, 1, c->a, out);
  return status;
}

dae_status dae__semi_Ms(dae__semi *s, double t, const double *z, const double *a, double *Ms,
                        dae_error *err)
{
  dae_semi_explicit_at at = semi_point(s, t, z);
  dae_status status = DAE_OK;
  if (s->constant_mass)
    return DAE_OK;
  if (s->p->Ms_x)
    status = dae__callback_status(s->why, s->p->Ms_x(s->p->user, &at, a, Ms), "Ms_x", t, err);
  else
    status = dae__difference_jacobian(&s->dMs, semi_Ma_of_x, &(vary){s, t, a}, z, Ms, err);
  return status ? status : semi_check_matrix(&s->Ms, Ms, "Ms_x", t, err);
}

/* ---- the iteration matrix ---- */

dae__semi_matrix dae__semi_matrix_create(dae__arena *arena, const dae__semi *s)
{
  dae__block blocks[3] = {{.pattern = &s->M}, {.pattern = &s->Ms}, {.pattern = &s->J}};
  dae__semi_matrix matrix = {0};
  matrix.pattern = dae__blocks_merge(arena, s->n, s->n, blocks, 3);
  matrix.M = blocks[0];
  matrix.Ms = blocks[1];
  matrix.J = blocks[2];
  if (!dae__arena_failed(arena))
    matrix.values = DAE__ALLOC(arena, double, dae__pattern_count(&matrix.pattern));
  return matrix;
}

void dae__semi_matrix_fill(dae__semi_matrix *matrix, double c, const double *M, const double *Ms,
                           const double *J)
{
  int count = dae__pattern_count(&matrix->pattern);
  if (dae__pattern_count(matrix->J.pattern) == count) { /* J has all entries, in this order */
    for (int e = 0; e < count; e++)
      matrix->values[e] = -J[e];
  } else {
    dae__zero(count, matrix->values);
    dae__block_add(&matrix->J, -1, J, matrix->values);
  }
  if (M)
    dae__block_add(&matrix->M, c, M, matrix->values);
  if (Ms)
    dae__block_add(&matrix->Ms, 1, Ms, matrix->values);
}

/* ---- rows of F without y ---- */

/* hidden[i] stays true where row i of F_y is zero */
static void semi_keep_zero_rows(const dae__semi *s, const double *J, double *scratch)
{
  double *in_x = scratch, *in_y = scratch + s->n; /* largest entries of each row */
  dae__zero(2 * s->n, scratch);
  for (int j = 0; j < s->n; j++)
    for (int e = s->J.start[j]; e < s->J.start[j + 1]; e++) {
      double *size = j < s->nx ? in_x : in_y;
      size[s->J.row[e]] = fmax(size[s->J.row[e]], fabs(J[e]));
    }
  for (int i = 0; i < s->ny; i++)
    s->hidden[i] = s->hidden[i] && in_y[s->nx + i] <= 10 * DBL_EPSILON * in_x[s->nx + i];
}

static int semi_count_hidden(const dae__semi *s)
{
  int count = 0;
  for (int i = 0; i < s->ny; i++)
    count += s->hidden[i];
  return count;
}

/* near = z moved by about a hundredth */
static void semi_move_a_little(const dae__semi *s, const double *z, double *near)
{
  for (int part = 0; part < 2; part++) {
    int from = part ? s->nx : 0, to = part ? s->n : s->nx;
    double size = dae__max_abs(to - from, z + from);
    for (int j = from; j < to; j++)
      near[j] = z[j] + 0.01 * (1 + 0.5 * sin(j + 1)) * (size > 0 ? size : 1);
  }
}

/* F_y may vanish at this point only, as that of y^2 = x does at y = 0: rows that are nonzero close
 * by contain y */
dae_status dae__semi_classify(dae__semi *s, dae__difference *d, double t, const double *z,
                              double *J, double *scratch, dae_error *err)
{
  double *near = scratch + 2 * s->n;
  dae_status status = DAE_OK;
  if (s->classified)
    return DAE_OK;
  for (int i = 0; i < s->ny; i++)
    s->hidden[i] = true;
  semi_keep_zero_rows(s, J, scratch);
  if (semi_count_hidden(s) > 0) {
    semi_move_a_little(s, z, near);
    if (dae__semi_J_by(s, d, t, near, J, NULL) == DAE_OK)
      semi_keep_zero_rows(s, J, scratch);
    status = dae__semi_J_by(s, d, t, z, J, err);
  }
  s->hidden_count = semi_count_hidden(s);
  s->classified = status == DAE_OK;
  return status;
}
