/* Consistent start of a semi-explicit problem with regular M, and its index.
 *
 * Rows F2 of F without y are constraints of x alone and of index 2. x is projected onto them with
 * the least change; then y and the slopes follow (dae__semi_slopes).
 *
 * Where the matrix of the slopes is singular, all rows are of the kind F2, F_x M^-1 f_y = 0 and F_x
 * M^-1 f_x M^-1 f_y is regular, the index is 3. That product is not formed: it is regular with the
 * matrix
 *
 *   [ M            -f_y ]
 *   [ -f_x    M         ]   (the block F_x that stands below -f_x multiplies F_x M^-1 f_y = 0)
 *   [        F_x        ]
 *
 * A singular M is the case of semi_quasilinear.c. */
#include "core/error.h"
#include "core/vec.h"
#include "problem/consistent.h"
#include "problem/semi_explicit/semi_newton.h"
#include <stdio.h>

/* Change of a fixed value by the consistent start, relative to the largest value of its kind, that
 * counts as round-off. Chosen, not measured. */
#define FIXED_TOLERANCE 1e-9
/* Size of an entry of F_x M^-1 f_y, relative to its terms, below which it counts as zero. Chosen,
 * not measured. */
#define VANISHING_PRODUCT 1e-8

typedef struct work {
  dae__semi *s;
  double t;
  double *z; /* state vector (x, y) that is made consistent */
  dae__arena *arena;
  double *scratch; /* 3 n entries */
  dae__surface *surface;
  dae_pattern J_x; /* pattern of d(f,F)/dx, the first nx columns of J */
  dae__semi_slopes slopes;
  dae__semi_newton mass;
} work;

/* ---- is M regular? ---- */

static dae_status semi_start_factor_mass(work *w, bool *regular, dae_error *err)
{
  dae__semi *s = w->s;
  *regular = true;
  if (!s->p->M)
    return DAE_OK;
  DAE__TRY(dae__semi_M(s, w->t, w->z, w->slopes.M, err));
  DAE__TRY(dae__semi_newton_create(w->arena, &s->M, s->nx, &w->mass, err));
  w->mass.tolerance = DAE__SEMI_SINGULAR;
  dae__copy(dae__pattern_count(&s->M), w->slopes.M, w->mass.values);
  dae_status status = dae__semi_newton_factor(&w->mass, err);
  *regular = status == DAE_OK;
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* ---- index 3 ---- */

/* True where F_x M^-1 f_y = 0, tested by its product with a generic vector. */
static bool semi_start_product_vanishes(work *w)
{
  dae__semi *s = w->s;
  double *b = w->scratch, *F_b = b + s->n, *size = F_b + s->n, *direction = w->slopes.u;
  for (int j = 0; j < s->ny; j++)
    direction[j] = 1 + 0.5 * sin(j + 1);
  dae__zero(s->n, b);
  dae__matrix_times(&w->slopes.J_y, w->slopes.J + s->J.start[s->nx], 1, direction, b);
  if (w->s->p->M)
    dae__semi_newton_apply(&w->mass, 1, b, b);
  dae__zero(s->ny, F_b);
  dae__matrix_times(&w->surface->A, w->surface->A_values, 1, b, F_b);
  dae__row_scale(&w->surface->A, w->surface->A_values, b, size);
  for (int i = 0; i < s->ny; i++)
    if (fabs(F_b[i]) > VANISHING_PRODUCT * size[i])
      return false;
  return true;
}

static dae_status semi_start_is_index_3(work *w, bool *yes, dae_error *err)
{
  dae__semi *s = w->s;
  int nx = s->nx, size = 2 * nx + s->ny;
  dae__semi_newton newton = {0};
  *yes = false;
  if (!w->surface || s->hidden_count < s->ny || !semi_start_product_vanishes(w))
    return DAE_OK;
  dae__block blocks[5] = {{.pattern = &s->M},
                          {.col = 2 * nx, .pattern = &w->slopes.J_y},
                          {.row = nx, .pattern = &w->J_x},
                          {.row = nx, .col = nx, .pattern = &s->M},
                          {.row = 2 * nx, .col = nx, .pattern = &w->surface->A}};
  const double *values[5] = {w->slopes.M, w->slopes.J + s->J.start[nx], w->slopes.J, w->slopes.M,
                             w->surface->A_values};
  const double sign[5] = {1, -1, -1, 1, 1};
  dae_pattern pattern = dae__blocks_merge(w->arena, size, size, blocks, 5);
  DAE__TRY(dae__arena_status(w->arena, err));
  dae_status status = dae__semi_newton_create(w->arena, &pattern, nx, &newton, err);
  newton.tolerance = DAE__SEMI_SINGULAR;
  for (int i = 0; i < 5 && !status; i++)
    dae__block_add(&blocks[i], sign[i], values[i], newton.values);
  if (!status)
    status = dae__semi_newton_factor(&newton, err);
  *yes = status == DAE_OK;
  dae__semi_newton_free(&newton);
  return status == DAE_ERROR_SINGULAR ? DAE_OK : status;
}

/* ---- diagnosis ---- */

static void semi_start_diagnose(const dae__semi *s, dae_diagnosis *find)
{
  char name[64];
  *find = (dae_diagnosis){.index = s->hidden_count > 0 ? 2
                                   : s->ny > 0         ? 1
                                                       : 0,
                          .dof = s->nx - s->hidden_count,
                          .constraints = s->ny,
                          .rank = s->ny};
  for (int i = 0; i < s->ny; i++)
    if (s->hidden[i])
      dae__append(find->text, sizeof find->text, "constraint %s has no algebraic variable %s\n",
                  dae__semi_equation_name(s->p, s->nx + i, name, sizeof name),
                  *s->mixed ? "of its own: index 2" : "in it: index 2");
  if (s->p->index > 0 && s->p->index != find->index)
    dae__append(find->text, sizeof find->text,
                "the problem declares index %d along its motion, the start finds %d\n", s->p->index,
                find->index);
}

/* ---- messages ---- */

static dae_status semi_start_refuse_singular(work *w, dae_diagnosis *find, dae_error *err)
{
  dae__semi *s = w->s;
  char name[64];
  bool index_3;
  int column = w->slopes.newton.singular > 0 ? w->slopes.newton.singular : 0;
  DAE__TRY(semi_start_is_index_3(w, &index_3, err));
  dae__semi_variable_name(s->p, column, name, sizeof name);
  if (index_3) {
    if (find) {
      *find = (dae_diagnosis){
          .index = 3, .dof = s->nx - 2 * s->ny, .constraints = s->ny, .rank = s->ny};
      snprintf(find->text, sizeof find->text,
               "index 3: the algebraic variables appear only in the second time derivative of the "
               "constraints\n");
    }
    dae__semi_variable_name(s->p, column >= s->nx ? column : s->nx, name, sizeof name);
    dae__fail(err, DAE_ERROR_START, name,
              "the problem is of index 3: the constraints and their first time derivative do not "
              "determine %s. Give it in the mechanical form, or differentiate the constraint once "
              "by hand",
              name);
  } else if (s->hidden_count > 0) {
    if (find) {
      semi_start_diagnose(s, find);
      dae__append(find->text, sizeof find->text, "the start does not determine %s\n", name);
    }
    dae__fail(
        err, DAE_ERROR_START, name,
        "the equations and the time derivative of the constraints do not determine %s: the index "
        "is higher than the rows suggest (3 or more), constraints depend on each other, or F_y is "
        "nonzero but singular. Use the mechanical form, or differentiate the constraint by hand",
        name);
  } else {
    dae__fail(err, DAE_ERROR_START, name,
              "the equations F = 0 do not determine %s: F_y is nonzero but singular at the start, "
              "so the index is higher than 1 there. Give another start value of the algebraic "
              "variables, or differentiate the constraint by hand",
              name);
  }
  dae__fail_at(err, w->t, NAN);
  return DAE_ERROR_START;
}

static dae_status semi_start_refuse_newton(const work *w, dae_error *err)
{
  const dae__semi *s = w->s;
  char name[64];
  int worst = 0;
  for (int j = 1; j < s->n; j++)
    if (fabs(w->slopes.newton.step[j]) / w->slopes.newton.weight[j] >
        fabs(w->slopes.newton.step[worst]) / w->slopes.newton.weight[worst])
      worst = j;
  dae__semi_variable_name(s->p, worst, name, sizeof name);
  dae__fail(
      err, DAE_ERROR_START, name,
      "Newton's method for the algebraic variables does not converge, worst in %s: give better "
      "start values",
      name);
  dae__fail_at(err, w->t, NAN);
  return DAE_ERROR_START;
}

/* Restores fixed values that changed by round-off, and refuses larger changes. */
static dae_status semi_start_check_fixed(const dae__semi *s, double t, const bool *fixed,
                                         const double *before, double *z, dae_error *err)
{
  char name[64];
  for (int part = 0; fixed && part < 2; part++) {
    int from = part ? s->nx : 0, to = part ? s->n : s->nx;
    double size = dae__max_abs(to - from, z + from);
    for (int j = from; j < to; j++) {
      if (!fixed[j])
        continue;
      if (!(fabs(z[j] - before[j]) <= FIXED_TOLERANCE * size)) {
        dae__semi_variable_name(s->p, j, name, sizeof name);
        dae__fail(err, DAE_ERROR_START, name,
                  "the start cannot be made consistent: %s is fixed at %.10g, but the equations "
                  "ask for %.10g. Release it, or change other start values",
                  name, before[j], z[j]);
        dae__fail_at(err, t, NAN);
        return DAE_ERROR_START;
      }
      z[j] = before[j];
    }
  }
  return DAE_OK;
}

/* ---- consistent start ---- */

static dae_status semi_start_make_consistent(work *w, const bool *fixed, double *dy,
                                             dae_diagnosis *find, dae_error *err)
{
  dae__semi *s = w->s;
  bool regular = true;
  w->scratch = DAE__ALLOC(w->arena, double, 3 * s->n);
  w->J_x = (dae_pattern){s->n, s->nx, s->J.start, s->J.row};
  DAE__TRY(dae__semi_slopes_prepare(w->arena, s, &w->slopes, err));
  /* f and F come before J, since their check names the equation of a value that is not finite */
  DAE__TRY(dae__semi_rhs(s, w->t, w->z, w->scratch, err));
  DAE__TRY(dae__semi_J(s, &w->slopes.fine, w->t, w->z, w->slopes.J, err));
  DAE__TRY(semi_start_factor_mass(w, &regular, err));
  if (!regular) {
    dae__semi_quasilinear q = {s, w->arena, &w->slopes.fine, w->slopes.M, w->slopes.J};
    return dae__semi_quasilinear_consistent(&q, w->t, w->z, dy, find, err);
  }
  DAE__TRY(dae__semi_classify(s, &w->slopes.fine, w->t, w->z, w->slopes.J, w->scratch, err));
  dae_status status = DAE_OK;
  for (bool again = true; again;) {
    if (s->hidden_count > 0) {
      DAE__TRY(dae__surface_create(w->arena, s, &w->surface, err));
      DAE__TRY(dae__surface_start(w->surface, w->t, fixed, w->z, err));
    }
    DAE__TRY(dae__semi_slopes_create(w->arena, w->surface, &w->slopes, err));
    status = dae__semi_slopes_solve(&w->slopes, w->t, w->z, dy, err);
    again = status == DAE_ERROR_SINGULAR && !*s->mixed;
    if (again)
      DAE__TRY(dae__semi_classify_mixed(s, &w->slopes.fine, w->t, w->z, w->slopes.J, w->scratch,
                                        &again, err));
    if (again) {
      dae__surface_free(w->surface);
      w->surface = NULL;
      dae__semi_newton_free(&w->slopes.newton);
      w->slopes.newton.solver = NULL;
    }
  }
  if (status == DAE_ERROR_SINGULAR)
    return semi_start_refuse_singular(w, find, err);
  if (status)
    return status == DAE_ERROR_START ? semi_start_refuse_newton(w, err) : status;
  if (find)
    semi_start_diagnose(s, find);
  return DAE_OK;
}

dae_status dae__semi_consistent(dae__semi *s, double t, const bool *fixed, double *y, double *dy,
                                dae_diagnosis *find, dae_error *err)
{
  dae__arena *arena = dae__arena_create(dae__arena_env(s->arena));
  work w = {.s = s, .t = t, .arena = arena};
  double *z = DAE__ALLOC(arena, double, s->n), *slope = DAE__ALLOC(arena, double, s->n);
  dae_status status = dae__arena_status(arena, err);
  if (!status) {
    dae__copy(s->n, y, z);
    w.z = z;
    status = semi_start_make_consistent(&w, fixed, slope, find, err);
  }
  if (!status)
    status = semi_start_check_fixed(s, t, fixed, y, z, err);
  if (!status) {
    dae__copy(s->n, z, y);
    dae__copy(s->n, slope, dy);
  }
  dae__surface_free(w.surface);
  dae__semi_newton_free(&w.slopes.newton);
  dae__semi_newton_free(&w.mass);
  dae__arena_free(arena);
  return status;
}
