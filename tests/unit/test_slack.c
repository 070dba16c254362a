/* Slack forms: which equations they take, their derivatives against differences, their solution
 * against the coupled problem as a whole. */
#include "wave/variants/slack.h"

#include "augmented_fixture.h"
#include "problems/problems.h"
#include "works.h"

#include <daedal/daedal.h>
#include <stdlib.h>

#define MAX 32

static dae__slack *slack_of(const dae_coupled *c, int part, const dae__slack_options *opts)
{
  dae__slack *s = NULL;
  dae_error err = dae_error_none();
  if (dae__slack_create(arena, c, part, opts, &s, &err))
    fail_msg("%s", err.text);
  return s;
}

static void assert_port(dae_port port, int part, int variable)
{
  assert_int_equal(port.part, part);
  assert_int_equal(port.variable, variable);
}

/* ---- derivatives of either form ---- */

typedef struct sizes {
  int q, u, w, in;
} sizes;

static sizes sizes_of(const dae_problem *p)
{
  const dae_mechanical *m = p->mechanical;
  const dae_semi_explicit *s = p->semi_explicit;
  return m ? (sizes){m->nq, m->nu, m->nw, m->nin} : (sizes){0, s->nx, s->ny, s->nin};
}

/* (f or F, s, c), or (f, F) at x = (z, in) */
static void rhs(const dae_problem *p, const double *z, const double *in, double *out)
{
  sizes n = sizes_of(p);
  const double *u = z + 2 * n.q, *w = u + n.u;
  if (p->semi_explicit) {
    const dae_semi_explicit *s = p->semi_explicit;
    dae_semi_explicit_at at = {0.3, u, w, in};
    assert_int_equal(s->f(s->user, &at, out), 0);
    assert_int_equal(s->F(s->user, &at, out + n.u), 0);
    return;
  }
  const dae_mechanical *m = p->mechanical;
  dae_mechanical_at at = {0.3, z, z + n.q, u, w, in};
  assert_int_equal((m->f ? m->f : m->F)(m->user, &at, out), 0);
  assert_int_equal(m->s ? m->s(m->user, &at, out + n.q) : 0, 0);
  assert_int_equal(m->c(m->user, &at, out + n.q + n.u), 0);
}

static void matrices(const dae_problem *p, const double *z, const double *in, double *J,
                     double *J_in)
{
  sizes n = sizes_of(p);
  int rows = n.q + n.u + n.w, cols = 2 * n.q + n.u + n.w;
  const double *u = z + 2 * n.q, *w = u + n.u;
  double values[2][MAX * MAX];
  const dae_semi_explicit *s = p->semi_explicit;
  const dae_mechanical *m = p->mechanical;
  if (s) {
    dae_semi_explicit_at at = {0.3, u, w, in};
    assert_int_equal(s->J(s->user, &at, values[0]), 0);
    assert_int_equal(s->J_in(s->user, &at, values[1]), 0);
  } else {
    dae_mechanical_at at = {0.3, z, z + n.q, u, w, in};
    assert_int_equal(m->J(m->user, &at, values[0]), 0);
    assert_int_equal(m->J_in(m->user, &at, values[1]), 0);
  }
  spread(s ? s->J_pattern : m->J_pattern, rows, cols, values[0], J);
  spread(s ? s->J_in_pattern : m->J_in_pattern, rows, n.in, values[1], J_in);
}

static void check_column(const dae_problem *p, double *z, double *in, double *x,
                         const double *column)
{
  sizes n = sizes_of(p);
  double d = 1e-5, plus[MAX], minus[MAX], keep = *x;
  *x = keep + d;
  rhs(p, z, in, plus);
  *x = keep - d;
  rhs(p, z, in, minus);
  *x = keep;
  for (int i = 0; i < n.q + n.u + n.w; i++)
    assert_close(column[i], (plus[i] - minus[i]) / (2 * d), 1e-6);
}

static void check_derivatives(const dae_problem *p)
{
  sizes n = sizes_of(p);
  int rows = n.q + n.u + n.w, cols = 2 * n.q + n.u + n.w;
  double z[MAX], in[MAX], J[MAX * MAX], J_in[MAX * MAX];
  assert_true(rows <= MAX && cols <= MAX && n.in <= MAX);
  for (int i = 0; i < MAX; i++)
    z[i] = 0.5 + 0.4 * sin(2. * i + 1), in[i] = 0.5 + 0.4 * cos(3. * i);
  matrices(p, z, in, J, J_in);
  for (int j = 0; j < cols; j++)
    check_column(p, z, in, &z[j], J + rows * j);
  for (int j = 0; j < n.in; j++)
    check_column(p, z, in, &in[j], J_in + rows * j);
}

/* ---- two circuits [E07 example 3.7] ---- */

static void test_a_circuit_takes_the_equation_of_the_other(void **state)
{
  (void)state;
  const dae_coupled *c = test_two_circuits().problem.coupled;
  const bool first[] = {true, false}, second[] = {false, true};
  for (int lagged = 0; lagged < 2; lagged++) {
    dae__slack *s = slack_of(c, 1, &(dae__slack_options){.from = first, .lagged = lagged});
    const dae_problem *p = &s->problem;
    assert_int_equal(s->count, 1);
    assert_port(s->variable[0], 0, 1);
    assert_int_equal(s->inputs, 1 + lagged);
    assert_port(s->port[0], 0, 0);
    if (lagged)
      assert_port(s->port[1], 1, 0);
    assert_int_equal(dae_problem_size(p), 3);
    assert_int_equal(p->semi_explicit->nin, 3 + lagged);
    char name[64];
    dae_problem_variable(p, 2, name, sizeof name);
    assert_string_equal(name, "one.z");
    check_derivatives(p);
  }
  /* the first in a sweep takes nothing from those after it */
  dae__slack *s = slack_of(c, 0, &(dae__slack_options){.from = first});
  assert_int_equal(s->count, 0);
  assert_ptr_equal(s->problem.semi_explicit, c->part[0].semi_explicit);
  assert_int_equal(slack_of(c, 0, &(dae__slack_options){.from = second})->count, 1);
}

/* y1 of the coupled motion; z1 is wrong by far */
static int y1_alone(void *user, double t, double *in)
{
  (void)user;
  in[0] = in[2] = cos(t);
  in[1] = 1e3;
  return 0;
}

static void test_a_circuit_with_slack_does_not_need_the_other_algebraic_variable(void **state)
{
  (void)state;
  const dae_coupled *c = test_two_circuits().problem.coupled;
  dae_problem p = *&slack_of(c, 1, &(dae__slack_options){0})->problem;
  const double start[] = {0, 1, 1};
  dae_bdf_options opts = dae_bdf_defaults();
  dae_integrator *it = NULL;
  double y[3];
  p.input = y1_alone;
  opts.rtol = opts.atol = 1e-9;
  assert_int_equal(dae_bdf_create(&p, &(dae_start){.y = start}, &opts, NULL, &it, NULL), DAE_OK);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 2, NULL);
  assert_int_equal(status, DAE_END);
  assert_int_equal(dae_integrator_interpolate(it, 2, y, NULL, NULL), DAE_OK);
  assert_close(y[0], sin(2), 1e-7);
  assert_close(y[1], (sin(2) + 0.9 * cos(2)) / (1 - 0.81), 1e-7);
  assert_close(y[2], (cos(2) + 0.9 * sin(2)) / (1 - 0.81), 1e-7);
  dae_integrator_free(it);
}

/* ---- a machine and a plant ---- */

static void test_only_what_is_in_the_loop_is_taken(void **state)
{
  (void)state;
  works w;
  make_works(&w, false, false);
  dae__slack *s = slack_of(&w.coupled, 0, &(dae__slack_options){0});
  assert_int_equal(s->count, 2);
  assert_port(s->variable[0], 1, 1);
  assert_port(s->variable[1], 1, 2);
  assert_int_equal(s->inputs, 2); /* x and y3 of the plant */
  assert_port(s->port[0], 1, 0);
  assert_port(s->port[1], 1, 3);
  assert_int_equal(s->nz, 5); /* slack variables come after q, v, u, w1, w2 */
  s = slack_of(&w.coupled, 1, &(dae__slack_options){0});
  assert_int_equal(s->count, 1);
  assert_port(s->variable[0], 0, 3);
  assert_int_equal(s->inputs, 4); /* q, v, u, w2 of the machine */
}

static void test_derivatives_of_slack_forms_are_those_of_their_callbacks(void **state)
{
  (void)state;
  works w;
  for (int k = 0; k < 4; k++) {
    make_works(&w, k & 1, false);
    for (int part = 0; part < 2; part++)
      check_derivatives(
          &slack_of(&w.coupled, part, &(dae__slack_options){.lagged = k & 2})->problem);
  }
}

/* state of the coupled problem, and of a part within it */
static void works_state(const works *w, double *y)
{
  const double guess[MAX] = {0.3, 0.2, 0.4};
  dae_problem p = dae_problem_coupled(&w->coupled);
  dae_error err = dae_error_none();
  if (dae_consistent_start(&p, &(dae_start){.t = 0.3, .y = guess}, NULL, y, NULL, NULL, &err))
    fail_msg("%s", err.text);
}

static void test_slack_variables_are_those_they_stand_for(void **state)
{
  (void)state;
  static const int first[] = {0, 5};
  works w;
  double y[MAX], z[MAX], in[MAX], out[MAX];
  make_works(&w, false, false);
  works_state(&w, y);
  for (int part = 0; part < 2; part++) {
    dae__slack *s = slack_of(&w.coupled, part, &(dae__slack_options){0});
    const dae_problem *p = &s->problem;
    sizes n = sizes_of(p);
    int own = 2 * n.q + n.u + n.w - s->count;
    int given = n.in - s->inputs;
    memcpy(z, y + first[part], sizeof *z * (size_t)own);
    for (int k = 0; k < s->count; k++) {
      dae_port v = s->variable[k];
      z[own + k] = y[first[v.part] + v.variable];
    }
    in[0] = 77; /* in the loop */
    in[1] = part == 1 ? y[4] : 0;
    for (int k = 0; k < s->inputs; k++) {
      dae_port v = s->port[k];
      in[given + k] = y[first[v.part] + v.variable];
    }
    rhs(p, z, in, out);
    for (int i = n.q + n.u; i < n.q + n.u + n.w; i++)
      assert_close(out[i], 0, 1e-12);
  }
}

static void test_a_member_may_be_the_base(void **state)
{
  (void)state;
  works w;
  make_works(&w, false, true);
  for (int carried = 0; carried < 2; carried++) {
    bool carries[] = {carried};
    dae__augmented *m = augmented_of(&w.coupled, 0, carries);
    const dae_problem *base = &m->problem;
    dae__slack *s = slack_of(&w.coupled, 0, &(dae__slack_options){.base = base});
    const dae_problem *p = &s->problem;
    assert_int_equal(s->count, 2);
    assert_int_equal(p->mechanical->nin, m->inputs + 2);
    check_derivatives(p);
    dae__augmented_free(m);
  }
}

/* ---- three subsystems in a ring, and in a row ---- */

typedef struct node {
  int sources;
} node;

static int node_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  (void)user;
  f[0] = -at->x[0];
  return 0;
}

static int node_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  F[0] = at->x[0] - at->y[0];
  for (int i = 0; i < ((const node *)user)->sources; i++)
    F[0] += 0.3 * (i + 1) * at->in[i];
  return 0;
}

static void test_loops_go_through_the_parts_that_are_allowed(void **state)
{
  (void)state;
  node n = {1};
  dae_semi_explicit p = {.nx = 1, .ny = 1, .nin = 1, .user = &n, .f = node_f, .F = node_F};
  dae_part part[] = {{.name = "a", .semi_explicit = &p},
                     {.name = "b", .semi_explicit = &p},
                     {.name = "c", .semi_explicit = &p}};
  dae_wire wire[] = {{0, 0, {2, 1}}, {1, 0, {0, 1}}, {2, 0, {1, 1}}};
  dae_coupled c = {.parts = 3, .wires = 3, .part = part, .wire = wire};
  const bool without_b[] = {true, false, true}, all[] = {true, true, true};
  assert_int_equal(slack_of(&c, 0, &(dae__slack_options){.from = all})->count, 2);
  assert_int_equal(slack_of(&c, 0, &(dae__slack_options){.from = without_b})->count, 0);
  check_derivatives(&slack_of(&c, 0, &(dae__slack_options){0})->problem);
  wire[0].from = (dae_port){2, 0}; /* c is felt by its differential variable only: a row */
  for (int k = 0; k < 3; k++)
    assert_int_equal(slack_of(&c, k, &(dae__slack_options){0})->count, 0);
}

/* ---- what is refused ---- */

static void test_donors_of_index_2_are_refused_by_name(void **state)
{
  (void)state;
  /* F2 = sin(x): y1 and y2 have one equation */
  static const int start[] = {0, 3, 5, 6, 8}, row[] = {0, 2, 3, 0, 1, 1, 0, 3};
  static const dae_pattern pattern = {4, 4, start, row};
  works w;
  dae__slack *s;
  dae_error err = dae_error_none();
  make_works(&w, false, false);
  w.plant.J_pattern = &pattern;
  assert_int_equal(dae__slack_create(arena, &w.coupled, 0, &(dae__slack_options){0}, &s, &err),
                   DAE_ERROR_UNSUPPORTED);
  assert_string_equal(err.equation, "plant");
  assert_null(s);
  assert_int_equal(dae__slack_create(arena, &w.coupled, 2, &(dae__slack_options){0}, &s, &err),
                   DAE_ERROR_USAGE);
}

static int plant_refuses(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user, (void)at, (void)F;
  return 1;
}

static void test_a_donor_that_refuses_is_named(void **state)
{
  (void)state;
  works w;
  double z[MAX] = {0}, in[MAX] = {0}, c[4];
  make_works(&w, false, false);
  w.plant.F = plant_refuses;
  const dae_problem *p = &slack_of(&w.coupled, 0, &(dae__slack_options){0})->problem;
  dae_mechanical_at at = {0, z, z + 1, z + 2, z + 3, in};
  assert_int_equal(p->mechanical->c(p->mechanical->user, &at, c), 1);
  assert_non_null(strstr(p->why->text, "in plant:"));
}

static void *scarce(void *user, size_t bytes)
{
  return --*(int *)user < 0 ? NULL : malloc(bytes);
}

static void release(void *user, void *memory)
{
  (void)user;
  free(memory);
}

static void test_a_slack_form_without_memory_says_so(void **state)
{
  (void)state;
  works w;
  dae_status status = DAE_ERROR_MEMORY;
  make_works(&w, false, false);
  for (int n = 1; status == DAE_ERROR_MEMORY; n++) {
    int left = n;
    dae_env env = {.allocate = scarce, .release = release, .user = &left};
    dae__arena *memory = dae__arena_create(&env);
    dae__slack *s = NULL;
    dae_error err = dae_error_none();
    if (memory)
      status = dae__slack_create(memory, &w.coupled, 0, &(dae__slack_options){0}, &s, &err);
    if (memory && status)
      assert_int_equal(err.status, DAE_ERROR_MEMORY);
    dae__arena_free(memory);
    assert_true(n < 1000);
  }
  assert_int_equal(status, DAE_OK);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(test_a_circuit_takes_the_equation_of_the_other),
      TEST(test_a_circuit_with_slack_does_not_need_the_other_algebraic_variable),
      TEST(test_only_what_is_in_the_loop_is_taken),
      TEST(test_derivatives_of_slack_forms_are_those_of_their_callbacks),
      TEST(test_slack_variables_are_those_they_stand_for),
      TEST(test_a_member_may_be_the_base),
      TEST(test_loops_go_through_the_parts_that_are_allowed),
      TEST(test_donors_of_index_2_are_refused_by_name),
      TEST(test_a_donor_that_refuses_is_named),
      TEST(test_a_slack_form_without_memory_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
