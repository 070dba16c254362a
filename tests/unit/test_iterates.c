/* Right sides at earlier iterates: their derivatives against differences, what they are where all
 * iterates agree, and how they are described. */
#include "wave/variants/iterates.h"

#include "augmented_fixture.h"
#include "trio.h"
#include "works.h"

#define MAX 64
#define T 0.3

static const double one[] = {1}, present[] = {1, 0}, last[] = {0, 1};
static const dae_wave_terms as_it_is = {1, 1, one, present, one, 0},
                            picard = {1, 1, one, last, one, 0},
                            lagged = {1, 1, one, last, one, 0.6};
/* the last term is without weight */
static const dae_wave_terms mixed = {.ages = 2,
                                     .terms = 3,
                                     .b = (const double[]){1.5, -0.5, 0},
                                     .own =
                                         (const double[]){0.3, 0.9, -0.2, -0.4, 0.6, 0.8, 1, 0, 0},
                                     .others = (const double[]){2, -1, 0.25, 0.75, 0, 1}};

static dae__iterates *iterates_of(const dae_problem *base, const dae_wave_terms *terms)
{
  dae__iterates *it = NULL;
  dae_error err = dae_error_none();
  if (dae__iterates_create(arena, base, terms, &it, &err))
    fail_msg("%s", err.text);
  return it;
}

/* ---- either form ---- */

typedef struct sizes {
  int q, u, w, in, x, z, rows;
} sizes;

static sizes sizes_of(const dae_problem *p)
{
  const dae_mechanical *m = p->mechanical;
  const dae_semi_explicit *s = p->semi_explicit;
  sizes n =
      m ? (sizes){m->nq, m->nu, m->nw, m->nin, 0, 0, 0} : (sizes){0, s->nx, s->ny, s->nin, 0, 0, 0};
  n.x = 2 * n.q + n.u;
  n.z = n.x + n.w;
  n.rows = n.q + n.u + n.w;
  return n;
}

static dae_mechanical_at point(sizes n, const double *z, const double *in)
{
  return (dae_mechanical_at){T, z, z + n.q, z + 2 * n.q, z + n.x, in};
}

static dae_semi_explicit_at semi_point(sizes n, const double *z, const double *in)
{
  return (dae_semi_explicit_at){T, z, z + n.x, in};
}

/* (f or F, s, c), or (f, F) */
static void rhs(const dae_problem *p, const double *z, const double *in, double *out)
{
  sizes n = sizes_of(p);
  const dae_semi_explicit *s = p->semi_explicit;
  const dae_mechanical *m = p->mechanical;
  if (s) {
    dae_semi_explicit_at at = semi_point(n, z, in);
    assert_int_equal(s->f(s->user, &at, out), 0);
    assert_int_equal(s->F ? s->F(s->user, &at, out + n.u) : 0, 0);
    return;
  }
  dae_mechanical_at at = point(n, z, in);
  assert_int_equal((m->f ? m->f : m->F)(m->user, &at, out), 0);
  assert_int_equal(m->s ? m->s(m->user, &at, out + n.q) : 0, 0);
  assert_int_equal(m->c ? m->c(m->user, &at, out + n.q + n.u) : 0, 0);
}

/* dense; false: J is left to differences */
static bool dense_J(const dae_problem *p, const double *z, const double *in, double *J)
{
  sizes n = sizes_of(p);
  double values[MAX * MAX];
  const dae_semi_explicit *s = p->semi_explicit;
  const dae_mechanical *m = p->mechanical;
  dae_mechanical_at at = point(n, z, in);
  dae_semi_explicit_at semi_at = semi_point(n, z, in);
  if (s ? !s->J : !m->J)
    return false;
  assert_int_equal(s ? s->J(s->user, &semi_at, values) : m->J(m->user, &at, values), 0);
  spread(s ? s->J_pattern : m->J_pattern, n.rows, n.z, values, J);
  return true;
}

static void dense_J_in(const dae_problem *p, const double *z, const double *in, double *J_in)
{
  sizes n = sizes_of(p);
  double values[MAX * MAX];
  const dae_semi_explicit *s = p->semi_explicit;
  const dae_mechanical *m = p->mechanical;
  dae_mechanical_at at = point(n, z, in);
  dae_semi_explicit_at semi_at = semi_point(n, z, in);
  assert_int_equal(s ? s->J_in(s->user, &semi_at, values) : m->J_in(m->user, &at, values), 0);
  spread(s ? s->J_in_pattern : m->J_in_pattern, n.rows, n.in, values, J_in);
}

/* fourth order */
static void check_column(const dae_problem *p, double *z, double *in, double *x,
                         const double *column, double tolerance)
{
  static const double weight[] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
  double d = 1e-3, out[MAX], slope[MAX] = {0}, keep = *x;
  int rows = sizes_of(p).rows;
  for (int k = 0; k < 5; k++) {
    *x = keep + (k - 2) * d;
    rhs(p, z, in, out);
    for (int i = 0; i < rows; i++)
      slope[i] += weight[k] * out[i] / d;
  }
  *x = keep;
  for (int i = 0; i < rows; i++)
    assert_close(column[i], slope[i], tolerance);
}

/* a point; where there is a linear part, x = x^(n-1), since its second derivatives are left out */
static void choose_point(const dae_problem *base, const dae_wave_terms *terms, double *z,
                         double *in)
{
  sizes n = sizes_of(base);
  for (int i = 0; i < MAX; i++)
    z[i] = 0.5 + 0.4 * sin(2. * i + 1), in[i] = 0.5 + 0.4 * cos(3. * i);
  if (terms->linear > 0)
    memcpy(in + terms->ages * n.in, z, sizeof *z * (size_t)n.x);
}

static void check_derivatives(const dae_problem *base, const dae_wave_terms *terms,
                              double tolerance)
{
  dae__iterates *it = iterates_of(base, terms);
  const dae_problem *p = &it->problem;
  sizes n = sizes_of(p), own = sizes_of(base);
  double z[MAX], in[MAX], J[MAX * MAX], J_in[MAX * MAX];
  assert_int_equal(n.in, terms->ages * (own.in + own.x));
  assert_int_equal(it->count, own.x);
  assert_true(n.rows * n.in <= MAX * MAX && n.in <= MAX && n.z <= MAX);
  choose_point(base, terms, z, in);
  bool given = dense_J(p, z, in, J);
  assert_true(given == (terms->linear > 0 || dense_J(base, z, in, J_in)));
  for (int j = 0; given && j < n.z; j++)
    check_column(p, z, in, &z[j], J + n.rows * j, tolerance);
  dense_J_in(p, z, in, J_in);
  for (int j = 0; j < n.in; j++)
    check_column(p, z, in, &in[j], J_in + n.rows * j, tolerance);
}

static void check_all_derivatives(const dae_problem *base, double tolerance)
{
  check_derivatives(base, &as_it_is, tolerance);
  check_derivatives(base, &picard, tolerance);
  check_derivatives(base, &mixed, tolerance);
  check_derivatives(base, &lagged, tolerance);
}

/* ---- derivatives ---- */

static void test_derivatives_are_exact_where_those_of_the_base_are(void **state)
{
  (void)state;
  trio t;
  make_trio(&t, true);
  for (int i = 0; i < PARTS; i++)
    check_all_derivatives(&(dae_problem){.mechanical = t.part[i].mechanical}, 1e-10);
}

static void test_derivatives_of_the_base_are_differenced_where_it_gives_none(void **state)
{
  (void)state;
  trio t;
  works w;
  make_trio(&t, false);
  for (int i = 0; i < PARTS; i++)
    check_all_derivatives(&(dae_problem){.mechanical = t.part[i].mechanical}, 1e-6);
  for (int momenta = 0; momenta < 2; momenta++) {
    make_works(&w, momenta, false); /* sparse, J without J_in */
    check_all_derivatives(&(dae_problem){.mechanical = &w.machine}, 1e-6);
    w.machine.J = NULL;
    check_all_derivatives(&(dae_problem){.mechanical = &w.machine}, 1e-6);
  }
  check_all_derivatives(&(dae_problem){.semi_explicit = &w.plant}, 1e-6);
}

static void test_a_member_may_be_the_base(void **state)
{
  (void)state;
  trio t;
  make_trio(&t, true);
  dae__augmented *m = augmented_of(&t.coupled, ARM, NULL);
  check_derivatives(&m->problem, &picard, 1e-6); /* the rail has no derivatives */
  check_derivatives(&m->problem, &mixed, 1e-6);
  check_derivatives(&m->problem, &lagged, 1e-6);
  dae__augmented_free(m);
}

/* ---- where all iterates are the present one ---- */

/* d/dx of everything at once: the sum over the ages */
static void check_sums(const dae_problem *base, const dae_problem *p, int ages, const double *z,
                       const double *in, const double *own_in)
{
  sizes n = sizes_of(base), all = sizes_of(p);
  double J[MAX * MAX], J_in[MAX * MAX], J_base[MAX * MAX], J_in_base[MAX * MAX];
  assert_true(dense_J(base, z, own_in, J_base) && dense_J(p, z, in, J));
  dense_J_in(base, z, own_in, J_in_base);
  dense_J_in(p, z, in, J_in);
  for (int age = 0; age < ages; age++) {
    for (int e = 0; e < n.rows * n.x; e++)
      J[e] += J_in[n.rows * (ages * n.in + age * n.x) + e];
    for (int e = 0; age > 0 && e < n.rows * n.in; e++)
      J_in[e] += J_in[n.rows * age * n.in + e];
  }
  for (int e = 0; e < n.rows * n.z; e++)
    assert_close(J[e], J_base[e], 1e-13);
  for (int e = 0; e < n.rows * n.in; e++)
    assert_close(J_in[e], J_in_base[e], 1e-13);
  assert_int_equal(all.in, ages * (n.in + n.x));
}

static void check_agreement(const dae_problem *base, const dae_wave_terms *terms, bool derivatives)
{
  const dae_problem *p = &iterates_of(base, terms)->problem;
  sizes n = sizes_of(base);
  double z[MAX], in[MAX], own_in[MAX], out[MAX], known[MAX];
  choose_point(base, terms, z, own_in);
  for (int age = 0; age < terms->ages; age++) {
    memcpy(in + age * n.in, own_in, sizeof *in * (size_t)n.in);
    memcpy(in + terms->ages * n.in + age * n.x, z, sizeof *in * (size_t)n.x);
  }
  rhs(base, z, own_in, known);
  rhs(p, z, in, out);
  for (int i = 0; i < n.rows; i++)
    assert_close(out[i], known[i], 1e-14);
  if (derivatives)
    check_sums(base, p, terms->ages, z, in, own_in);
}

static void test_equal_iterates_give_the_base(void **state)
{
  (void)state;
  const dae_wave_terms *all[] = {&as_it_is, &picard, &mixed, &lagged};
  trio t;
  works w;
  make_trio(&t, true);
  make_works(&w, true, false);
  for (int k = 0; k < 4; k++) {
    check_agreement(&(dae_problem){.mechanical = &t.arm}, all[k], true);
    check_agreement(&(dae_problem){.mechanical = &t.disc}, all[k], true);
    check_agreement(&(dae_problem){.mechanical = &w.machine}, all[k], false);
    check_agreement(&(dae_problem){.semi_explicit = &w.plant}, all[k], false);
  }
}

/* ---- the rest of the description ---- */

static int arm_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *wanted)
{
  const dae_mechanical *arm = user;
  assert_null(wanted->f);
  assert_null(wanted->s);
  return wanted->M && arm->M(user, at, wanted->M) ? 1 : wanted->c ? arm->c(user, at, wanted->c) : 0;
}

static void test_the_joint_callback_says_the_same_as_the_others(void **state)
{
  (void)state;
  trio t;
  double z[MAX], in[MAX], M[9], out[5], known[5];
  make_trio(&t, true);
  t.arm.user = &t.arm;
  t.arm.eval = arm_eval;
  dae_problem base = {.mechanical = &t.arm};
  const dae_problem *p = &iterates_of(&base, &mixed)->problem;
  const dae_mechanical *m = p->mechanical;
  choose_point(&base, &mixed, z, in);
  dae_mechanical_at at = point(sizes_of(p), z, in);
  dae_mechanical_wanted all = {.M = M, .f = out, .s = out + 3, .c = out + 4}, some = {.f = out};
  rhs(p, z, in, known);
  assert_int_equal(m->eval(m->user, &at, &all), 0);
  assert_memory_equal(out, known, sizeof known);
  assert_close(M[0], 2 + z[1] * z[1], 1e-15);
  memset(out, 0, sizeof out);
  assert_int_equal(m->eval(m->user, &at, &some), 0);
  assert_memory_equal(out, known, 3 * sizeof *out);
}

static void test_of_two_faces_the_forces_are_kept(void **state)
{
  (void)state;
  works w;
  make_works(&w, false, false);
  w.machine.F = w.machine.f;
  w.machine.p = w.machine.M; /* any */
  const dae_problem *p = &iterates_of(&(dae_problem){.mechanical = &w.machine}, &picard)->problem;
  assert_non_null(p->mechanical->f);
  assert_null(p->mechanical->F);
}

static void test_inputs_are_named_by_what_they_are(void **state)
{
  (void)state;
  trio t;
  make_trio(&t, true);
  dae__iterates *it = iterates_of(&(dae_problem){.mechanical = &t.arm}, &mixed);
  const dae_mechanical *m = it->problem.mechanical;
  assert_int_equal(m->nin, 2 + 14);
  assert_string_equal(m->in_names[0], "in[1]^(n-1)");
  assert_string_equal(m->in_names[1], "in[1]^(n-2)");
  assert_string_equal(m->in_names[2], "a^(n-1)");
  assert_string_equal(m->in_names[8], "u^(n-1)");
  assert_string_equal(m->in_names[12], "der(a)^(n-2)");
  assert_int_equal(it->count, 7);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_derivatives_are_exact_where_those_of_the_base_are),
      TEST(test_derivatives_of_the_base_are_differenced_where_it_gives_none),
      TEST(test_a_member_may_be_the_base),
      TEST(test_equal_iterates_give_the_base),
      TEST(test_the_joint_callback_says_the_same_as_the_others),
      TEST(test_of_two_faces_the_forces_are_kept),
      TEST(test_inputs_are_named_by_what_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
