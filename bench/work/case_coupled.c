/* Coupled systems, see tests/problems/coupled.c. daedal gets them as systems that exchange
 * variables or share a joint, and keeps a solver for each; the peers get one system written by
 * hand. */
#include "cases.h"
#include "mech_forms.h"

/* ---- two circuits: one problem of index 1 in (y1, y2, z1, z2) ---- */

static const double a = 0.9;

static int circuits_phi(double t, const double *y, double *phi)
{
  (void)t;
  phi[0] = -y[1];
  phi[1] = y[0];
  phi[2] = y[0] - y[2] + a * y[3];
  phi[3] = y[1] - y[3] + a * y[2];
  return 0;
}

static int circuits_jac(double t, const double *y, double *J, int ld)
{
  (void)t, (void)y;
  J[0 + 1 * ld] = -1;
  J[1 + 0 * ld] = J[2 + 0 * ld] = J[3 + 1 * ld] = 1;
  J[2 + 2 * ld] = J[3 + 3 * ld] = -1;
  J[2 + 3 * ld] = J[3 + 2 * ld] = a;
  return 0;
}

static void circuits_start(double *y, double *dy)
{
  y[0] = 1;
  y[1] = 0;
  y[2] = 1 / (1 - a * a);
  y[3] = a / (1 - a * a);
  dy[0] = dy[2] = dy[3] = 0;
  dy[1] = 1;
}

static const double circuits_end[] = {-1, 0, -1 / (1 - 0.81), -0.9 / (1 - 0.81)};

#define CIRCUITS(jacobian)                                                                         \
  {                                                                                                \
    .name = "one system", .n = 4, .differential = 2, .index = {4}, .phi = circuits_phi,            \
    .jac = jacobian, .start = circuits_start, .reference = circuits_end                            \
  }
static const peer_form circuits_forms[] = {CIRCUITS(NULL), CIRCUITS(circuits_jac)};

bench_case case_two_circuits(void)
{
  return (bench_case){.title = "two circuits",
                      .kind = COUPLED,
                      .problem = test_two_circuits(),
                      .scored = 4,
                      .forms = circuits_forms,
                      .form_count = sizeof circuits_forms / sizeof *circuits_forms};
}

/* ---- two structures and a joint: q = (x1, x2, y1, y2), x2 = 2 y1 ---- */

ALWAYS_INLINE void terms(double t, const double *q, const double *v, mech_terms *x)
{
  (void)t;
  x->f[0] = 6 + 2 * q[0] + q[1];
  x->f[1] = 7 + q[0] + 2 * q[1];
  x->f[2] = 10 + q[2] + 2 * q[3];
  x->f[3] = 4 + 2 * q[3];
  x->g[0] = q[1] - 2 * q[2];
  x->gdot[0] = v[1] - 2 * v[2];
  x->gamma[0] = 0;
  x->G[0][0] = x->G[0][3] = 0;
  x->G[0][1] = 1;
  x->G[0][2] = -2;
}

ALWAYS_INLINE void slopes(double t, const double *q, const double *v, mech_slopes *d)
{
  (void)t, (void)q, (void)v;
  d->f_q[0][0] = d->f_q[1][1] = 2;
  d->f_q[0][1] = d->f_q[1][0] = 1;
  d->f_q[2][2] = 1;
  d->f_q[2][3] = d->f_q[3][3] = 2;
}

/* M = [4 1; 1 3] and [5 2; 2 4] */
ALWAYS_INLINE void solve(const mech_terms *x, const double *b, double *out)
{
  (void)x;
  out[0] = (3 * b[0] - b[1]) * (1. / 11);
  out[1] = (4 * b[1] - b[0]) * (1. / 11);
  out[2] = (4 * b[2] - 2 * b[3]) * (1. / 16);
  out[3] = (5 * b[3] - 2 * b[2]) * (1. / 16);
}

static const mech_model structures_model = {4, 1, 0, terms, slopes, solve};
static const double structures_q_v[8] = {0};
MECH_FORMS_3(structures)
MECH_JACOBIANS_3(structures)

/* that of tests/problems, both positions before both velocities */
static const double structures_end[] = {
    6.792343938756235327,  17.484349610509343199, 8.7421748052546715996, 0.6205261724404885295,
    6.8802265617285145817, 16.418197563560769325, 8.2090987817803846626, -0.55426556693632352884};

static peer_form structures_forms[] = {
    MECH_INDEX1_FORM(structures, 4, NULL),
    MECH_INDEX1_FORM(structures, 4, structures_index1_jac),
    MECH_GGL_FORM(structures, "GGL", 4, 1, 0, NULL),
    MECH_GGL_FORM(structures, "GGL", 4, 1, 0, structures_ggl_jac),
    MECH_INDEX3_FORM(structures, 4, 1, NULL),
    MECH_INDEX3_FORM(structures, 4, 1, structures_index3_jac),
};

bench_case case_structures(void)
{
  const int count = sizeof structures_forms / sizeof *structures_forms;
  for (int i = 0; i < count; i++)
    structures_forms[i].reference = structures_end;
  return (bench_case){.title = "two structures and a joint",
                      .kind = COUPLED,
                      .problem = test_structures(),
                      .scored = 8,
                      .forms = structures_forms,
                      .form_count = count};
}
