/* All stages in one system, each with derivatives of its own: rows i, columns j of
 *
 *   delta_ij P0_i + h a_ij P1_i + h^2 (A A)_ij P2_i.
 *
 * The simplified iteration, which takes one set of derivatives for all stages, is limited where
 * stiff directions turn within a step: with a stiffness k on a mass m and an angle phi it contracts
 * by about h sqrt(k/m) phi. This one does not mind, at about s^3 times the price of a block. */
#include "core/error.h"
#include "core/vec.h"
#include "rk/radau.h"

struct dae__radau_full {
  int s, n;
  dae_pattern pattern; /* s x s tiles */
  double *values;
  dae__solver *solver;
};

dae_status dae__radau_full_create(dae__arena *arena, const dae__reduced *r, int s,
                                  dae__radau_full **out, dae_error *err)
{
  dae__radau_full *f = DAE__TAKE(arena, dae__radau_full, 1);
  *out = NULL;
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *f = (dae__radau_full){.s = s, .n = r->n, .pattern = dae__pattern_tiles(arena, &r->pattern, s)};
  if (!dae__arena_failed(arena))
    f->values = DAE__TAKE(arena, double, dae__pattern_count(&f->pattern));
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  *out = f;
  return dae__solver_create(arena, &f->pattern, &f->solver, err);
}

void dae__radau_full_free(dae__radau_full *f)
{
  if (f)
    dae__solver_free(f->solver);
}

dae_status dae__radau_full_reload(dae__radau_full *f)
{
  return dae__solver_reload(f->solver);
}

/* the row of stage i, from the derivatives there */
static void add_row(dae__radau_full *f, const dae__reduced *r, const dae__collocation_rule *c,
                    double h, int i)
{
  const int *start = r->pattern.start;
  for (int j = 0; j < f->s; j++) {
    double a = h * c->A[i][j], b = h * h * c->A2[i][j], one = i == j;
    for (int col = 0; col < f->n; col++) {
      int first = start[col], count = start[col + 1] - first;
      double *to = f->values + f->pattern.start[j * f->n + col] + i * count;
      const double *P0 = r->P[0] + first, *P1 = r->P[1] + first, *P2 = r->P[2] + first;
      for (int e = 0; e < count; e++)
        to[e] = one * P0[e] + a * P1[e] + b * P2[e];
    }
  }
}

dae_status dae__radau_full_factor(dae__radau *o, dae__radau_full *f, const dae__radau_rule *rule,
                                  const dae__rk_leg *leg, dae_error *err)
{
  dae__reduced *r = o->r;
  int middle = rule->s / 2, n = r->n, size = r->n2 + n;
  char name[64] = "";
  for (int k = 1; k <= rule->s; k++) { /* the middle comes last: its derivatives stay */
    int i = (middle + k) % rule->s;
    dae__reduced_at at = {.t = leg->t + rule->c.c[i] * leg->h,
                          .z = o->Z + (size_t)i * (size_t)size,
                          .k = o->K + (size_t)i * (size_t)n};
    dae_status status = r->table->linearise(r->self, &at, err);
    if (status)
      return status;
    add_row(f, r, &rule->c, leg->h, i);
  }
  r->memory->jacobians += rule->s;
  r->memory->factorisations++;
  dae__radau_charge(o, rule, DAE__RADAU_FULL);
  dae_status status = dae__solver_factor(f->solver, f->values);
  int column = dae__solver_column(f->solver);
  if (status == DAE_ERROR_SINGULAR && column >= 0)
    r->table->name(r->self, column % n, name, sizeof name);
  return status ? dae__fail(err, status, name[0] ? name : NULL,
                            "the matrix of all stages cannot be factored%s%s",
                            name[0] ? ": it is singular at " : "", name)
                : DAE_OK;
}

void dae__radau_full_solve(dae__radau *o, dae__radau_full *f)
{
  dae__copy(f->s * f->n, o->R, o->D);
  dae__solver_solve(f->solver, o->D);
}
