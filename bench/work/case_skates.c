/* Nonholonomic constraints, see tests/problems/nonholonomic.c: the knife edge on a slope, and the
 * skate on a cylinder, which has a holonomic one besides. daedal gets the constraints as they are
 * declared; the peers get them written out, as equation of index 2 with a multiplier, or
 * differentiated and eliminated. */
#include "cases.h"
#include "mech_callbacks.h"
#include "mech_forms.h"

#include <math.h>

ALWAYS_INLINE void unit_solve3(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  for (int r = 0; r < 3; r++)
    a[r] = b[r];
}
ALWAYS_INLINE void unit_solve4(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  for (int r = 0; r < 4; r++)
    a[r] = b[r];
}

/* ---- knife edge: q = (x, y, phi) ---- */

ALWAYS_INLINE void knife_terms(double t, const double *q, const double *v, mech_terms *x)
{
  double c = cos(q[2]), s = sin(q[2]);
  (void)t;
  x->f[0] = 1;
  x->f[1] = x->f[2] = 0;
  x->gdot[0] = v[0] * s - v[1] * c;
  x->gamma[0] = (v[0] * c + v[1] * s) * v[2];
  x->G[0][0] = s;
  x->G[0][1] = -c;
  x->G[0][2] = 0;
}

ALWAYS_INLINE void knife_slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double c = cos(q[2]), s = sin(q[2]);
  (void)t;
  d->G_q[0][0][2] = c;
  d->G_q[0][1][2] = s;
  d->gdot_q[0][2] = d->gamma_v[0][2] = v[0] * c + v[1] * s;
  d->gamma_q[0][2] = (v[1] * c - v[0] * s) * v[2];
  d->gamma_v[0][0] = c * v[2];
  d->gamma_v[0][1] = s * v[2];
}

ALWAYS_INLINE void knife_mass(const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < 9; i++)
    M[i] = i % 4 == 0;
}

static const mech_model knife_model = {3, 0, 1, knife_terms, knife_slopes, unit_solve3};
static const double knife_q_v[] = {0, 0, 0, 0, 0, 1.3};
MECH_FORMS(knife)
MECH_JACOBIANS(knife)
MECH_EVAL(knife)

static const peer_form knife_forms[] = {
    MECH_INDEX1_FORM(knife, 3, NULL),
    MECH_INDEX1_FORM(knife, 3, knife_index1_jac),
    MECH_GGL_FORM(knife, "index 2", 3, 0, 1, NULL),
    MECH_GGL_FORM(knife, "index 2", 3, 0, 1, knife_ggl_jac),
};

bench_case case_knife_edge(void)
{
  static dae_mechanical ours;
  bench_case c = {.title = "knife edge",
                  .kind = NON_STIFF,
                  .problem = test_knife_edge(),
                  .scored = 6,
                  .forms = knife_forms,
                  .form_count = sizeof knife_forms / sizeof *knife_forms};
  ours = *c.problem.problem.mechanical;
  ours.eval = knife_eval;
  c.problem.problem.mechanical = &ours;
  return c;
}

/* ---- skate on a cylinder: q = (x, Y, w, phi), x^2 + w^2 = 1 ---- */

ALWAYS_INLINE void skate_terms(double t, const double *q, const double *v, mech_terms *x)
{
  double c = cos(q[3]), s = sin(q[3]);
  (void)t;
  x->f[0] = x->f[2] = x->f[3] = 0;
  x->f[1] = 1;
  x->g[0] = (q[0] * q[0] + q[2] * q[2] - 1) / 2;
  x->gdot[0] = q[0] * v[0] + q[2] * v[2];
  x->gdot[1] = q[2] * c * v[0] + s * v[1] - q[0] * c * v[2];
  x->gamma[0] = v[0] * v[0] + v[2] * v[2];
  x->gamma[1] = (c * v[1] + s * (q[0] * v[2] - q[2] * v[0])) * v[3];
  x->G[0][0] = q[0];
  x->G[0][2] = q[2];
  x->G[0][1] = x->G[0][3] = 0;
  x->G[1][0] = q[2] * c;
  x->G[1][1] = s;
  x->G[1][2] = -q[0] * c;
  x->G[1][3] = 0;
}

ALWAYS_INLINE void skate_slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  double c = cos(q[3]), s = sin(q[3]), slide = c * v[1] + s * (q[0] * v[2] - q[2] * v[0]);
  (void)t;
  d->G_q[0][0][0] = d->G_q[0][2][2] = 1;
  d->gdot_q[0][0] = v[0];
  d->gdot_q[0][2] = v[2];
  d->gamma_v[0][0] = 2 * v[0];
  d->gamma_v[0][2] = 2 * v[2];
  d->G_q[1][0][2] = c;
  d->G_q[1][0][3] = -q[2] * s;
  d->G_q[1][1][3] = c;
  d->G_q[1][2][0] = -c;
  d->G_q[1][2][3] = q[0] * s;
  d->gdot_q[1][0] = -c * v[2];
  d->gdot_q[1][2] = c * v[0];
  d->gdot_q[1][3] = d->gamma_v[1][3] = slide;
  d->gamma_q[1][0] = s * v[2] * v[3];
  d->gamma_q[1][2] = -s * v[0] * v[3];
  d->gamma_q[1][3] = (c * (q[0] * v[2] - q[2] * v[0]) - s * v[1]) * v[3];
  d->gamma_v[1][0] = -q[2] * s * v[3];
  d->gamma_v[1][1] = c * v[3];
  d->gamma_v[1][2] = q[0] * s * v[3];
}

ALWAYS_INLINE void skate_mass(const double *q, double *M)
{
  (void)q;
  for (int i = 0; i < 16; i++)
    M[i] = i % 5 == 0;
}

static const mech_model skate_model = {4, 1, 1, skate_terms, skate_slopes, unit_solve4};
static const double skate_q_v[] = {1, 0, 0, 0, 0, 0, 0, 1.3};
MECH_FORMS(skate)
MECH_JACOBIANS(skate)
MECH_EVAL(skate)

static const peer_form skate_forms[] = {
    MECH_INDEX1_FORM(skate, 4, NULL),
    MECH_INDEX1_FORM(skate, 4, skate_index1_jac),
    MECH_GGL_FORM(skate, "GGL and index 2", 4, 1, 1, NULL),
    MECH_GGL_FORM(skate, "GGL and index 2", 4, 1, 1, skate_ggl_jac),
};

bench_case case_cylinder_skate(void)
{
  static dae_mechanical ours;
  bench_case c = {.title = "skate on a cylinder",
                  .kind = NON_STIFF,
                  .problem = test_cylinder_skate(),
                  .scored = 8,
                  .forms = skate_forms,
                  .form_count = sizeof skate_forms / sizeof *skate_forms};
  ours = *c.problem.problem.mechanical;
  ours.eval = skate_eval;
  c.problem.problem.mechanical = &ours;
  return c;
}
