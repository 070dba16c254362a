/* The pendulum: q = (x, y), x^2 + y^2 = 1. */
#include "cases.h"
#include "mech_forms.h"

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  (void)t;
  x->f[0] = 0;
  x->f[1] = -9.81;
  x->g[0] = q[0] * q[0] + q[1] * q[1] - 1;
  x->gdot[0] = 2 * (q[0] * v[0] + q[1] * v[1]);
  x->gamma[0] = 2 * (v[0] * v[0] + v[1] * v[1]);
  x->G[0][0] = 2 * q[0];
  x->G[0][1] = 2 * q[1];
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  (void)t, (void)q;
  for (int r = 0; r < 2; r++) {
    d->G_q[0][r][r] = 2;
    d->gdot_q[0][r] = 2 * v[r];
    d->gamma_v[0][r] = 4 * v[r];
  }
}

ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *a)
{
  (void)x;
  a[0] = b[0];
  a[1] = b[1];
}

static const mech_model pendulum_model = {2, 1, 0, terms, slopes, solve};
static const double pendulum_q_v[] = {1, 0, 0, 0};
MECH_FORMS_3(pendulum)
MECH_JACOBIANS_3(pendulum)

static const peer_form forms[] = {
    MECH_INDEX1_FORM(pendulum, 2, NULL),
    MECH_INDEX1_FORM(pendulum, 2, pendulum_index1_jac),
    MECH_GGL_FORM(pendulum, "GGL", 2, 1, 0, NULL),
    MECH_GGL_FORM(pendulum, "GGL", 2, 1, 0, pendulum_ggl_jac),
    MECH_INDEX3_FORM(pendulum, 2, 1, NULL),
    MECH_INDEX3_FORM(pendulum, 2, 1, pendulum_index3_jac),
};

bench_case case_pendulum(void)
{
  bench_case c = {.title = "pendulum",
                  .kind = NON_STIFF,
                  .problem = test_pendulum_eval(),
                  .model = "pendulum",
                  .scored = 4,
                  .forms = forms,
                  .form_count = sizeof forms / sizeof *forms};
  c.problem.name = "pendulum";
  return c;
}
