/* What a mechanical system derives out of its energies, forces and constraints. */
#include "model_site.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- what the quantities are: entry i, j ---- */

static long double want_p(const site *c, int i, int j)
{
  (void)j;
  return d1(c, c->own->kinetic, v_of(c, i));
}

static long double want_M(const site *c, int i, int j)
{
  return d2(c, c->own->kinetic, v_of(c, i), v_of(c, j));
}

static long double want_p_rate(const site *c, int i, int j)
{
  (void)j;
  return d2(c, c->own->kinetic, v_of(c, i), MOTION);
}

static long double want_F(const site *c, int i, int j)
{
  long double F = d1(c, c->own->kinetic, q_of(c, i)) - d1(c, c->own->potential, q_of(c, i));
  (void)j;
  for (int k = 0; k < c->own->forces.count; k++)
    if (c->own->forces.item[k].leaf == q_of(c, i))
      F += d0(c, c->own->forces.item[k].node);
  return F;
}

static long double want_f(const site *c, int i, int j)
{
  return want_F(c, i, j) - want_p_rate(c, i, j);
}

/* row i of (f, s, c) by a leaf; j: its number if it is a rate, else -1 */
static long double row_by(const site *c, int i, int leaf, int j)
{
  dae__node T = c->own->kinetic;
  int nq = c->u->q.count, nu = c->u->u.count;
  if (i >= nq)
    return d1(c, i < nq + nu ? c->u->s.item[i - nq] : c->u->c.item[i - nq - nu], leaf);
  long double f = d2(c, T, q_of(c, i), leaf) - d2(c, c->own->potential, q_of(c, i), leaf);
  for (int k = 0; k < c->own->forces.count; k++)
    if (c->own->forces.item[k].leaf == q_of(c, i))
      f += d1(c, c->own->forces.item[k].node, leaf);
  f -= d3(c, T, v_of(c, i), MOTION, leaf);
  return j < 0 ? f : f - d2(c, T, v_of(c, i), q_of(c, j)); /* the motion goes along v */
}

static long double want_J(const site *c, int i, int j)
{
  int nq = c->u->q.count;
  return row_by(c, i, column_of(c, j), j >= nq && j < 2 * nq ? j - nq : -1);
}

static long double want_J_in(const site *c, int i, int j)
{
  return row_by(c, i, c->u->in.item[j], -1);
}

static long double want_Ms_qv(const site *c, int i, int j)
{
  return d3(c, c->own->kinetic, v_of(c, i), CONTRACTED, column_of(c, j));
}

static long double want_s(const site *c, int i, int j)
{
  (void)j;
  return d0(c, c->u->s.item[i]);
}

static long double want_c(const site *c, int i, int j)
{
  (void)j;
  return d0(c, c->u->c.item[i]);
}

static long double want_g(const site *c, int i, int j)
{
  (void)j;
  return d0(c, c->own->holonomic.item[i].node);
}

static long double want_gdot(const site *c, int i, int j)
{
  (void)j;
  return d1(c, c->own->holonomic.item[i].node, MOTION);
}

static long double want_G(const site *c, int i, int j)
{
  return d1(c, c->own->holonomic.item[i].node, q_of(c, j));
}

static long double want_g_t(const site *c, int i, int j)
{
  (void)j;
  return d1(c, c->own->holonomic.item[i].node, 0);
}

static long double want_gamma(const site *c, int i, int j)
{
  (void)j;
  return d2(c, c->own->holonomic.item[i].node, MOTION, MOTION);
}

static long double want_gdot_q(const site *c, int i, int j)
{
  return d2(c, c->own->holonomic.item[i].node, MOTION, q_of(c, j));
}

static long double want_Gts_q(const site *c, int i, int j)
{
  long double sum = 0;
  for (int k = 0; k < c->own->holonomic.count; k++)
    sum += c->s[k] * d2(c, c->own->holonomic.item[k].node, q_of(c, i), q_of(c, j));
  return sum;
}

static long double want_k(const site *c, int i, int j)
{
  (void)j;
  return d0(c, c->own->nonholonomic.item[i].node);
}

static long double want_K(const site *c, int i, int j)
{
  return d1(c, c->own->nonholonomic.item[i].node, v_of(c, j));
}

static long double want_k_q(const site *c, int i, int j)
{
  return d1(c, c->own->nonholonomic.item[i].node, q_of(c, j));
}

static long double want_kappa(const site *c, int i, int j)
{
  (void)j;
  return d1(c, c->own->nonholonomic.item[i].node, MOTION);
}

static long double want_Kts_qv(const site *c, int i, int j)
{
  long double sum = 0;
  for (int k = 0; k < c->own->nonholonomic.count; k++)
    sum += c->s[k] * d2(c, c->own->nonholonomic.item[k].node, v_of(c, i), column_of(c, j));
  return sum;
}

/* ---- comparisons ---- */

static void check_fn(const site *c, const dae_mechanical *p, const char *what,
                     dae_mechanical_fn *fn, const dae_pattern *pattern, int rows, int cols,
                     entry_fn *entry)
{
  if (!fn)
    return;
  double *values = site_unwritten(pattern, rows, cols);
  assert_int_equal(fn(p->user, &c->mechanical, values), 0);
  site_check(c, what, rows, cols, pattern, values, entry);
  free(values);
}

static void check_fn_s(const site *c, const dae_mechanical *p, const char *what,
                       dae_mechanical_fn_s *fn, const dae_pattern *pattern, int rows, int cols,
                       entry_fn *entry)
{
  if (!fn)
    return;
  double *values = site_unwritten(pattern, rows, cols);
  assert_int_equal(fn(p->user, &c->mechanical, c->s, values), 0);
  site_check(c, what, rows, cols, pattern, values, entry);
  free(values);
}

static void check_singles(const site *c, const dae_mechanical *p)
{
  int nq = p->nq, ng = p->ng, nk = p->nk, nu = p->nu, nw = p->nw;
  int rows = nq + nu + nw, cols = 2 * nq + nu + nw;
#define CHECK(name, pattern, rows, cols)                                                           \
  check_fn(c, p, #name, p->name, pattern, rows, cols, want_##name)
#define CHECK_S(name, pattern, rows, cols)                                                         \
  check_fn_s(c, p, #name, p->name, pattern, rows, cols, want_##name)
  CHECK(p, NULL, nq, 1);
  CHECK(M, p->M_pattern, nq, nq);
  CHECK(p_rate, NULL, nq, 1);
  CHECK(F, NULL, nq, 1);
  CHECK(f, NULL, nq, 1);
  CHECK(s, NULL, nu, 1);
  CHECK(c, NULL, nw, 1);
  CHECK(J, p->J_pattern, rows, cols);
  CHECK(J_in, p->J_in_pattern, rows, p->nin);
  CHECK_S(Ms_qv, p->Ms_pattern, nq, 2 * nq);
  CHECK(g, NULL, ng, 1);
  CHECK(G, p->G_pattern, ng, nq);
  CHECK(g_t, NULL, ng, 1);
  CHECK(gamma, NULL, ng, 1);
  CHECK(gdot_q, p->G_pattern, ng, nq);
  CHECK_S(Gts_q, p->Gts_pattern, nq, nq);
  CHECK(k, NULL, nk, 1);
  CHECK(K, p->K_pattern, nk, nq);
  CHECK(k_q, p->k_q_pattern, nk, nq);
  CHECK(kappa, NULL, nk, 1);
  CHECK_S(Kts_qv, p->Kts_pattern, nq, 2 * nq);
#undef CHECK
#undef CHECK_S
}

/* everything in one call, in random company */
static void check_eval(const site *c, const dae_mechanical *p)
{
  int nq = p->nq;
  const struct {
    const char *name;
    size_t member;
    const dae_pattern *pattern;
    int rows, cols;
    entry_fn *entry;
  } all[] = {
#define MEMBER(name, pattern, rows, cols)                                                          \
  {#name, offsetof(dae_mechanical_wanted, name), pattern, rows, cols, want_##name}
      MEMBER(M, p->M_pattern, nq, nq),    MEMBER(f, NULL, nq, 1),
      MEMBER(s, NULL, p->nu, 1),          MEMBER(c, NULL, p->nw, 1),
      MEMBER(g, NULL, p->ng, 1),          MEMBER(gdot, NULL, p->ng, 1),
      MEMBER(G, p->G_pattern, p->ng, nq), MEMBER(gamma, NULL, p->ng, 1),
      MEMBER(k, NULL, p->nk, 1),          MEMBER(K, p->K_pattern, p->nk, nq),
      MEMBER(kappa, NULL, p->nk, 1),
#undef MEMBER
  };
  enum { ALL = sizeof all / sizeof *all };
  for (int round = 0; round < 3; round++) {
    double *values[ALL];
    dae_mechanical_wanted wanted_here = {0};
    for (int i = 0; i < ALL; i++) {
      bool asked = all[i].rows > 0 && (round == 0 || site_random(0, 1) < 0.5);
      values[i] = asked ? site_unwritten(all[i].pattern, all[i].rows, all[i].cols) : NULL;
      memcpy((char *)&wanted_here + all[i].member, &values[i], sizeof values[i]);
    }
    assert_int_equal(p->eval(p->user, &c->mechanical, &wanted_here), 0);
    for (int i = 0; i < ALL; i++)
      if (values[i]) {
        site_check(c, all[i].name, all[i].rows, all[i].cols, all[i].pattern, values[i],
                   all[i].entry);
        free(values[i]);
      }
  }
}

static void check_energy(const site *c, const dae_mechanical *p)
{
  double got[4] = {NAN, NAN, NAN, NAN};
  const double want[4] = {(double)d0(c, c->own->kinetic), (double)d0(c, c->own->potential),
                          (double)d1(c, c->own->kinetic, MOTION),
                          (double)d1(c, c->own->potential, MOTION_IN)};
  assert_int_equal(p->energy(p->user, &c->mechanical, &got[0], &got[1]), 0);
  assert_int_equal(p->energy_rate(p->user, &c->mechanical, c->in_rate, &got[2], &got[3]), 0);
  site_compare(c->model, "energy", 4, 1, got, want);
}

/* nothing is left to differences */
static void check_complete(const dae_mechanical *p)
{
  assert_non_null(p->M);
  assert_non_null(p->f);
  assert_non_null(p->p);
  assert_non_null(p->F);
  assert_non_null(p->p_rate);
  assert_non_null(p->J);
  assert_non_null(p->eval);
  assert_non_null(p->energy);
  assert_non_null(p->energy_rate);
  assert_true(p->constant_mass || p->Ms_qv);
  assert_true(p->nin == 0 || p->J_in);
  assert_true(p->nu == 0 || p->s);
  assert_true(p->nw == 0 || p->c);
  if (p->ng > 0) {
    assert_true(p->g && p->G && p->gamma && p->Gts_q && p->gdot_q);
    assert_true(p->time_free_g || p->g_t);
  }
  if (p->nk > 0)
    assert_true(p->k && p->K && p->kappa && p->k_q && p->Kts_qv);
}

void check_mechanical(const site *c, const dae_mechanical *p)
{
  double *s = site_unwritten(NULL, p->nu, 1), *algebraic = site_unwritten(NULL, p->nw, 1);
  assert_int_equal(c->u->sparse, p->J_pattern != NULL);
  check_complete(p);
  check_singles(c, p);
  check_eval(c, p);
  check_energy(c, p);
  if (p->nu > 0)
    assert_int_equal(p->s(p->user, &c->mechanical, s), 0);
  if (p->nw > 0)
    assert_int_equal(p->c(p->user, &c->mechanical, algebraic), 0);
  check_equations(c, s, algebraic);
  free(s), free(algebraic);
}
