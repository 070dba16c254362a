/* All stages in one system, each with derivatives of its own: rows i, columns j of
 *
 *   delta_ij P0_i + h a_ij P1_i + h^2 (A A)_ij P2_i.
 *
 * The simplified iteration, which takes one set of derivatives for all stages, is limited where
 * stiff directions turn within a step: with a stiffness k on a mass m and an angle phi it contracts
 * by about h sqrt(k/m) phi. This one does not mind, at about s^3 times the price of a block. */
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/pattern.h"
#include "onestep/radau/radau_small.h"

struct dae__radau_full {
  int s, n;
  dae__radau_small *few; /* NULL: they are not few, or their derivatives sparse */
  dae_pattern pattern;   /* s x s tiles */
  double *values;
  dae__solver *solver;
};

static bool radau_full_is_small(const dae__reduced *r)
{
  return r->n <= DAE__SMALL_N && dae__pattern_count(&r->pattern) == r->n * r->n;
}

static dae_status radau_full_create_tiles(dae__arena *arena, const dae__reduced *r,
                                          dae__radau_full *f, dae_error *err)
{
  f->pattern = dae__pattern_tiles(arena, &r->pattern, f->s);
  if (!dae__arena_failed(arena))
    f->values = DAE__ALLOC(arena, double, dae__pattern_count(&f->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  return dae__solver_create(arena, &f->pattern, &f->solver, err);
}

dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s, int most,
                                  const dae__radau_full *other, dae__radau_full **out,
                                  dae_error *err)
{
  dae__radau_full *f = DAE__ALLOC(arena, dae__radau_full, 1);
  *out = f;
  if (!f)
    return dae__out_of_memory(err);
  *f = (dae__radau_full){.s = s, .n = r->n, .few = other ? other->few : NULL};
  if (f->few)
    return DAE_OK;
  return radau_full_is_small(r) ? dae__radau_small_create(arena, r, most, &f->few, err)
                                : radau_full_create_tiles(arena, r, f, err);
}

void dae__radau_full_free(dae__radau_full *f)
{
  if (f)
    dae__solver_free(f->solver);
}

dae_status dae__radau_full_reload(dae__radau_full *f)
{
  return f->few ? DAE_OK : dae__solver_reload(f->solver);
}

/* the row of stage i, from the derivatives there; -1, or the unknown at which it is singular */
static int radau_full_add_row(dae__radau_full *f, const dae__reduced *r,
                              const dae__collocation_rule *c, double h, int i)
{
  const int *start = r->pattern.start;
  if (f->few)
    return dae__radau_small_add(f->few, r, c, h, i);
  for (int j = 0; j < f->s; j++) {
    double part[3] = {i == j, h * c->A[i][j], h * h * c->A2[i][j]};
    for (int col = 0; col < f->n; col++) {
      int first = start[col], count = start[col + 1] - first;
      dae__reduced_combine(r, first, count, part,
                           f->values + f->pattern.start[j * f->n + col] + i * count);
    }
  }
  return -1;
}

/* *column: the unknown of a stage at which it is singular, or -1 */
static dae_status radau_full_factor(dae__radau_full *f, int *column)
{
  if (f->few)
    return dae__radau_small_factor(f->few, column);
  dae_status status = dae__solver_factor(f->solver, f->values);
  int failed = dae__solver_column(f->solver);
  *column = failed < 0 ? -1 : failed % f->n;
  return status;
}

dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae__rk_step *step, dae_error *err)
{
  dae__reduced *r = o->r;
  int middle = rule->s / 2, n = r->n, size = r->n2 + n;
  int column = -1;
  char name[64] = "";
  if (f->few)
    dae__radau_small_begin(f->few, rule->s);
  for (int k = 1; k <= rule->s; k++) { /* the middle comes last: its derivatives stay */
    int i = (middle + k) % rule->s;
    dae__reduced_at at = {.t = step->t + rule->c->c[i] * step->h,
                          .z = o->Z + (size_t)i * (size_t)size,
                          .k = o->K + (size_t)i * (size_t)n};
    dae_status status = r->table->linearise(r->self, &at, err);
    DAE__TRY(status);
    int failed = radau_full_add_row(f, r, rule->c, step->h, i);
    column = column < 0 ? failed : column;
  }
  r->memory->jacobians += rule->s;
  r->memory->factorisations++;
  dae__radau_charge(o, rule, DAE__RADAU_FULL);
  dae_status status = column < 0 ? radau_full_factor(f, &column) : DAE_ERROR_SINGULAR;
  if (status == DAE_ERROR_SINGULAR && column >= 0)
    r->table->name(r->self, column, name, sizeof name);
  return status ? dae__fail(err, status, name[0] ? name : NULL,
                            "the matrix of all stages cannot be factored%s%s",
                            name[0] ? ": it is singular at " : "", name)
                : DAE_OK;
}

void dae__radau_full_solve(dae__radau *o, dae__radau_full *f)
{
  dae__copy(f->s * f->n, o->R, o->D);
  if (f->few)
    dae__radau_small_solve(f->few, o->D);
  else
    dae__solver_solve(f->solver, o->D);
}
