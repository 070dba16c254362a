/* Start values that must not change, on the slow motion.
 *
 * The passes change fixed values too: of two masses joined by a stiff spring, one of them fixed in
 * its velocity, the slow motion keeps the momentum. Other slow motions have these values: with
 * P = F^2 (3 - 2 F), which leaves slow components to second order and 3 F^2 of the fast ones, and S
 * the fixed entries, the change
 *
 *   z += P_:S a,   P_SS a = z0_S - z_S
 *
 * follows the slow motion up to second order, and passes at small H do the rest. Where P_SS is
 * singular, only a fast component can change a fixed value. Velocities are scaled by the time H of
 * F there: fast components of rate w then have entries of P of about 6/(w H)^2. */
#include "step/smooth/fixed.h"
#include "core/arena.h"
#include "core/error.h"
#include "core/vec.h"

/* Rounds, and difference to a fixed value, in tolerances, that is put back without another one. */
#define FIXED_ROUNDS 8
#define FIXED_NEAR 0.1
/* Pivot of P_SS below which the rest of its rows is fast, in units of 1/(w H)^2, and at least: slow
 * ones are the share of what is fixed in the masses that move together. Chosen. */
#define FIXED_FAST 12
#define FIXED_SLOW 1e-4

typedef struct fixed_set {
  int count;
  int *entry;             /* fixed entries of x */
  double *a, *P, *column; /* count; count x count by columns; n */
  double least;           /* smallest pivot of slow components */
} fixed_set;

/* Difference of the fixed entries to their values, in set->a; returns its norm in tolerances. */
static double fixed_difference(const dae__ladder *o, const fixed_set *set, const double *start,
                               const double *z)
{
  const dae__smooth_form *form = o->pass.form;
  double most = 0;
  for (int i = 0; i < set->count; i++) {
    int e = set->entry[i];
    set->a[i] = start[e] - z[e];
    most = fmax(most,
                fabs(set->a[i]) / (form->rtol * fabs(start[e]) + form->atol * form->atol_scale[e]));
  }
  return most;
}

/* Scale of an entry of x: the time H of F for velocities. */
static double fixed_scale(const dae__ladder *o, int entry, double cut)
{
  int nq = o->pass.form->nq;
  return entry >= nq && entry < 2 * nq ? cut : 1;
}

/* out = P e, e with scaled entries a in the set */
static void fixed_project(dae__ladder *o, const fixed_set *set, double cut, const double *a,
                          double *out)
{
  int n = o->pass.form->n;
  dae__zero(n, o->a);
  for (int i = 0; i < set->count; i++)
    o->a[set->entry[i]] = a[i] / fixed_scale(o, set->entry[i], cut);
  for (int i = 0; i < 2; i++) {
    dae__ladder_filter(o, cut, o->a, out);
    dae__copy(n, out, o->a);
  }
  dae__scale(n, 3, out);
  dae__ladder_filter(o, cut, o->a, o->b);
  dae__axpy(n, -2, o->b, out);
}

/* Solution a = P_SS\a by complete pivoting; unknowns behind the last pivot that is slow are 0. */
static void fixed_solve(const fixed_set *set)
{
  int n = set->count, rank = 0;
  double *P = set->P, *a = set->a;
  int *order = set->entry + n; /* columns in pivot order */
  for (int j = 0; j < n; j++)
    order[j] = j;
  for (; rank < n; rank++) {
    int row = rank, col = rank;
    for (int j = rank; j < n; j++)
      for (int i = rank; i < n; i++)
        if (fabs(P[order[j] * n + i]) > fabs(P[order[col] * n + row]))
          row = i, col = j;
    if (!(fabs(P[order[col] * n + row]) > set->least))
      break;
    int c = order[col];
    order[col] = order[rank];
    order[rank] = c;
    for (int j = 0; j < n; j++) {
      double x = P[j * n + row];
      P[j * n + row] = P[j * n + rank];
      P[j * n + rank] = x;
    }
    double x = a[row];
    a[row] = a[rank];
    a[rank] = x;
    for (int i = rank + 1; i < n; i++) {
      double factor = P[c * n + i] / P[c * n + rank];
      for (int j = rank; j < n; j++)
        P[order[j] * n + i] -= factor * P[order[j] * n + rank];
      a[i] -= factor * a[rank];
    }
  }
  double *x = set->column;
  for (int i = 0; i < n; i++)
    x[i] = 0;
  for (int k = rank - 1; k >= 0; k--) {
    double sum = a[k];
    for (int j = k + 1; j < rank; j++)
      sum -= P[order[j] * n + k] * x[order[j]];
    x[order[k]] = sum / P[order[k] * n + k];
  }
  dae__copy(n, x, a);
}

/* One round: moves z along the slow motion towards the fixed values. */
static dae_status fixed_round(dae__ladder *o, const fixed_set *set, double t, double cut,
                              const double *start, double *z)
{
  int n = o->pass.form->n, count = set->count;
  bool moved;
  dae__zero(n, o->state);
  DAE__TRY(dae__ladder_factor(o, t, cut, z, o->state, NULL));
  for (int j = 0; j < count; j++) {
    for (int i = 0; i < count; i++)
      set->a[i] = i == j;
    fixed_project(o, set, cut, set->a, set->column);
    for (int i = 0; i < count; i++)
      set->P[j * count + i] = set->column[set->entry[i]] * fixed_scale(o, set->entry[i], cut);
  }
  fixed_difference(o, set, start, z);
  for (int i = 0; i < count; i++)
    set->a[i] *= fixed_scale(o, set->entry[i], cut);
  fixed_solve(set);
  fixed_project(o, set, cut, set->a, set->column);
  dae__axpy(o->pass.form->nx, 1, set->column, z);
  return dae__ladder_descend(o, t, cut, z, &moved, NULL);
}

dae_status dae__smooth_keep_fixed(dae__ladder *o, double t, double cut, const bool *fixed,
                                  const double *start, double *z, bool *held, dae_error *err)
{
  const dae__smooth_form *form = o->pass.form;
  dae__arena *arena = dae__arena_create(dae__arena_env(form->s->arena));
  fixed_set set = {0};
  for (int i = 0; i < form->nx; i++)
    set.count += fixed[i];
  set.entry = DAE__ALLOC(arena, int, 2 * set.count);
  set.a = DAE__ALLOC(arena, double, set.count);
  set.P = DAE__ALLOC(arena, double, (size_t)set.count *(size_t)set.count);
  set.column = DAE__ALLOC(arena, double, form->n);
  dae_status status = dae__arena_status(arena, err);
  double fast = cut * *o->rate;
  set.least = fmax(FIXED_SLOW, fmin(0.5, FIXED_FAST / (fast * fast)));
  *held = false;
  for (int i = 0, k = 0; !status && i < form->nx; i++)
    if (fixed[i])
      set.entry[k++] = i;
  double off = status ? 0 : fixed_difference(o, &set, start, z);
  for (int round = 0; !status && off > FIXED_NEAR && !*held; round++) {
    dae_status tried =
        round < FIXED_ROUNDS ? fixed_round(o, &set, t, cut, start, z) : DAE_ERROR_STEP;
    if (tried == DAE_ERROR_CALLBACK || tried == DAE_ERROR_MEMORY)
      status = dae__fail(err, tried, "damp", "the slow motion is not found at t = %.10g", t);
    *held = tried != DAE_OK;
    off = fixed_difference(o, &set, start, z);
  }
  for (int i = 0; !status && i < set.count; i++)
    z[set.entry[i]] = start[set.entry[i]];
  dae__arena_free(arena);
  return status;
}
