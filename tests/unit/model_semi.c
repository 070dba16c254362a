/* What a semi-explicit system derives out of its equations. */
#include "model_site.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- equations as they were written ---- */

static void set_rates(const site *c, const double *rates)
{
  base *b = c->b;
  for (int i = 0; i < c->u->u.count; i++)
    if (b->x.leaf_kind.item[c->u->u.item[i]] == DAE__LEAF_STATE)
      b->value[base_rate(b, c->u->u.item[i])] = rates ? rates[i] : 0;
}

void check_equations(const site *c, const double *rates, const double *algebraic)
{
  set_rates(c, rates);
  for (int i = 0, row = 0; i < c->own->equations.count; i++) {
    const dae__equation *e = &c->own->equations.item[i];
    double left = (double)d0(c, e->a), right = (double)d0(c, e->b), rest = left - right;
    if (e->rate_leaf >= 0)
      site_compare(c->model, e->name, 1, 1, &left, &right);
    else
      site_compare(c->model, e->name, 1, 1, &algebraic[row++], &rest);
  }
}

/* ---- quasi-linear systems ---- */

/* the equation of a row by its name; NULL: that of a discrete variable, m' = 0 */
static const dae__equation *equation_of(const site *c, const char *name)
{
  for (int i = 0; name && i < c->own->equations.count; i++)
    if (!strcmp(c->own->equations.item[i].name, name))
      return &c->own->equations.item[i];
  return NULL;
}

/* M_ij and d(M s)_i/dx_j out of the equation as it was written: its derivative by the rate of x_j,
 * and by the rates in the direction s and x_j */
static long double mass_entry(const site *c, const char *name, int i, int j, bool contracted)
{
  base *b = c->b;
  const dae__equation *e = equation_of(c, name);
  int column = c->u->u.item[j];
  long double sides[2];
  if (!e)
    return i == j && !contracted;
  for (int k = 0; k < 2; k++)
    base_clear(b, k);
  for (int k = 0; k < c->u->u.count; k++) {
    int state = c->u->u.item[k];
    if (b->x.leaf_kind.item[state] == DAE__LEAF_STATE)
      base_toward(b, 0, base_rate(b, state), contracted ? c->s[k] : k == j);
  }
  base_toward(b, 1, column, 1);
  for (int side = 0; side < 2; side++)
    sides[side] = base_derivative(b, side ? e->b : e->a, contracted ? 2 : 1);
  return sides[0] - sides[1];
}

/* f out of the equation as it was written, without its rates */
static long double row_value(const site *c, const char *name)
{
  const dae__equation *e = equation_of(c, name);
  return e ? d0(c, e->b) - d0(c, e->a) : 0;
}

/* M x' = f row by row, and d(M s)/dx */
static void check_quasilinear(const site *c, const dae_semi_explicit *p, const double *f)
{
  int nx = p->nx;
  double *M = site_unwritten(p->M_pattern, nx, nx), *Ms = site_unwritten(p->Ms_pattern, nx, nx);
  double *want = site_vector(nx * nx), *want_s = site_vector(nx * nx), *want_f = site_vector(nx);
  set_rates(c, NULL);
  for (int i = 0; i < nx; i++) {
    want_f[i] = (double)row_value(c, p->f_names[i]);
    for (int j = 0; j < nx; j++) {
      want[j * nx + i] = (double)mass_entry(c, p->f_names[i], i, j, false);
      want_s[j * nx + i] = (double)mass_entry(c, p->f_names[i], i, j, true);
    }
  }
  site_compare(c->model, "f", nx, 1, f, want_f);
  assert_int_equal(p->M(p->user, &c->semi, M), 0);
  double *full = site_full(p->M_pattern, nx, nx, M);
  site_compare(c->model, "M", nx, nx, full, want);
  free(full);
  if (p->Ms_x)
    assert_int_equal(p->Ms_x(p->user, &c->semi, c->s, Ms), 0);
  full = p->Ms_x ? site_full(p->Ms_pattern, nx, nx, Ms) : site_vector(nx * nx);
  site_compare(c->model, "Ms_x", nx, nx, full, want_s);
  free(full), free(M), free(Ms), free(want), free(want_s), free(want_f);
}

/* ---- the rows, and their derivatives ---- */

static dae__node row_of(const site *c, int i)
{
  int nx = c->u->s.count;
  return i < nx ? c->u->s.item[i] : c->u->c.item[i - nx];
}

static long double want_J(const site *c, int i, int j)
{
  return d1(c, row_of(c, i), column_of(c, j));
}

static long double want_J_in(const site *c, int i, int j)
{
  return d1(c, row_of(c, i), c->u->in.item[j]);
}

static long double want_F_t(const site *c, int i, int j)
{
  (void)j;
  return d1(c, c->u->c.item[i], 0);
}

static void check_fn(const site *c, const dae_semi_explicit *p, const char *what,
                     dae_semi_explicit_fn *fn, const dae_pattern *pattern, int rows, int cols,
                     entry_fn *entry)
{
  if (!fn)
    return;
  double *values = site_unwritten(pattern, rows, cols);
  assert_int_equal(fn(p->user, &c->semi, values), 0);
  site_check(c, what, rows, cols, pattern, values, entry);
  free(values);
}

/* nothing is left to differences */
static void check_complete(const dae_semi_explicit *p)
{
  assert_non_null(p->f);
  assert_non_null(p->J);
  assert_true(p->nin == 0 || p->J_in);
  assert_true(p->ny == 0 || (p->F && p->F_t));
  assert_true(p->constant_mass || p->Ms_x);
}

void check_semi(const site *c, const dae_semi_explicit *p)
{
  int n = p->nx + p->ny;
  double *f = site_unwritten(NULL, p->nx, 1), *F = site_unwritten(NULL, p->ny, 1);
  assert_int_equal(c->u->sparse, p->J_pattern != NULL);
  check_complete(p);
  assert_int_equal(p->f(p->user, &c->semi, f), 0);
  if (p->ny > 0)
    assert_int_equal(p->F(p->user, &c->semi, F), 0);
  if (p->M)
    check_quasilinear(c, p, f);
  else
    check_equations(c, f, F);
  check_fn(c, p, "J", p->J, p->J_pattern, n, n, want_J);
  check_fn(c, p, "J_in", p->J_in, p->J_in_pattern, n, p->nin, want_J_in);
  check_fn(c, p, "F_t", p->F_t, NULL, p->ny, 1, want_F_t);
  free(f), free(F);
}
