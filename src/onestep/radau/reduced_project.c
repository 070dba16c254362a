#include "onestep/radau/reduced_project.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/backend.h"
#include "linalg/dense.h"

void dae__landing_take(dae__landing *o, dae__arena *arena)
{
  const dae__mech *m = o->m;
  o->end = DAE__ALLOC(arena, double, m->ng + m->nc);
  o->b = DAE__ALLOC(arena, double, m->nc);
  o->x = DAE__ALLOC(arena, double, 2 * o->r->n);
  if (o->r->n > DAE__SMALL_N)
    return;
  o->X = DAE__UNINIT(arena, double, m->nc * m->nq);
  o->AX = DAE__UNINIT(arena, double, m->nc * m->nc);
  o->exchanged = DAE__UNINIT(arena, int, m->nc);
}

/* part of a correction that may be left: it is a small part of the state, and has round-off of its
 * own */
#define SOLVED 1e-8

/* y += a A x, of all constraints */
static void reduced_add_rates(const dae__landing *o, double a, const double *x, double *y)
{
  const dae__mech *m = o->m;
  if (m->ng > 0)
    dae__matrix_times(&m->G, o->G, a, x, y);
  if (m->nk > 0)
    dae__matrix_times(&m->K, o->K, a, x, y + m->ng);
}

/* x = B(w)\(0, b) with A x = b on the constraint rows, where B has A + w R: b is met by going on
 * with what is left */
static void reduced_go_on(dae__landing *o, double *b, double *x)
{
  const dae__mech *m = o->m;
  int first = m->nq + m->nu + m->nw, n = o->r->n;
  double before = INFINITY;
  dae__zero(m->nq, x);
  for (int i = 0; i < 8; i++) {
    double left = dae__max_abs(m->nc, b);
    if (!(left < 0.5 * before) || left == 0)
      return;
    before = left;
    dae__zero(n, o->x);
    dae__copy(m->nc, b, o->x + first);
    dae__solver_solve(o->r->real, o->x);
    dae__axpy(m->nq, 1, o->x, x);
    reduced_add_rates(o, -1, o->x, b);
  }
}

/* The corrections x = X y with X = B(w)\(0, I): A x = b is (A X) y = b. */

/* X and the factors of A X; false where they are not to be had. Rows of dependent constraints are
 * zero, as their b is. */
static bool reduced_find_X(dae__landing *o)
{
  const dae__mech *m = o->m;
  int first = m->nq + m->nu + m->nw, nc = m->nc;
  if (!o->X)
    return false;
  for (int c = 0; c < nc; c++) {
    double *AX = o->AX + c * nc;
    dae__zero(o->r->n, o->x);
    dae__zero(nc, AX);
    o->x[first + c] = 1;
    if (o->r->memory->solved)
      o->r->table->divide(o->r->self, o->x);
    dae__solver_solve(o->r->real, o->x);
    dae__copy(m->nq, o->x, o->X + c * m->nq);
    reduced_add_rates(o, 1, o->x, AX);
    if (!m->active[c])
      AX[c] = 1;
  }
  return dae__lu_factor(nc, o->AX, o->exchanged) == 0;
}

/* x with A x = b; once more where A X was near to singular */
static void reduced_go_by_X(dae__landing *o, double *b, double *x)
{
  const dae__mech *m = o->m;
  double *y = o->x + m->nq, enough = SOLVED * dae__max_abs(m->nc, b);
  dae__zero(m->nq, x);
  for (int i = 0; i < 2; i++) {
    dae__copy(m->nc, b, y);
    dae__lu_solve(m->nc, o->AX, o->exchanged, y);
    dae__zero(m->nq, o->x);
    for (int c = 0; c < m->nc; c++)
      dae__axpy(m->nq, y[c], o->X + c * m->nq, o->x);
    dae__axpy(m->nq, 1, o->x, x);
    reduced_add_rates(o, -1, o->x, b);
    if (dae__max_abs(m->nc, b) <= enough)
      return;
  }
}

static void reduced_correction(dae__landing *o, bool found, double *b, double *x)
{
  if (found)
    reduced_go_by_X(o, b, x);
  else
    reduced_go_on(o, b, x);
}

/* those of the matrices are not good enough: they belong to another point of the step */
static dae_status reduced_velocity_derivatives(dae__landing *o, double t, const double *z,
                                               dae_error *err)
{
  dae_mechanical_at at = dae__mech_at(o->m, t, z);
  dae_status status = o->m->ng > 0 ? dae__mech_gdot_q(o->m, &at, o->gdot_q, err) : DAE_OK;
  return status || o->m->nk == 0 ? status : dae__mech_k_q(o->m, &at, o->k_q, err);
}

dae_status dae__land(dae__landing *o, double t, const double *dz, double *z, dae_error *err)
{
  dae__mech *m = o->m;
  const double *dv = dz + m->nq;
  double *g = o->end, *gdot = g + m->ng, *k = gdot + m->ng, *b = o->b;
  double *x = o->x + o->r->n;
  DAE__TRY(reduced_velocity_derivatives(o, t, z, err));
  /* g, gdot and k where the step ends, by their derivatives */
  dae__matrix_times(&m->G, o->G, 1, dz, g);
  dae__matrix_times(&m->G, o->G, 1, dv, gdot);
  dae__matrix_times(&m->G, o->gdot_q, 1, dz, gdot);
  dae__matrix_times(&m->K, o->K, 1, dv, k);
  dae__matrix_times(&m->kq, o->k_q, 1, dz, k);
  dae__zero(m->nc, b);
  dae__copy(m->ng, g, b);
  bool found = reduced_find_X(o);
  reduced_correction(o, found, b, x);
  dae__axpy(m->nq, -1, x, z); /* q -= x */
  dae__matrix_times(&m->G, o->gdot_q, -1, x, gdot);
  dae__matrix_times(&m->kq, o->k_q, -1, x, k);
  dae__copy(m->ng, gdot, b);
  dae__copy(m->nk, k, b + m->ng);
  reduced_correction(o, found, b, x);
  dae__axpy(m->nq, -1, x, z + m->nq); /* v -= x */
  return DAE_OK;
}
