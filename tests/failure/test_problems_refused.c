/* Descriptions that make no sense are refused before anything is evaluated, with the field named;
 * problems that a method does not take, and starts that cannot be used, with the reason. */
#include "problems/problems.h"

#include <daedal/daedal.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* refused by everything that takes a problem, in the same words */
static void assert_refused(const char *what, const dae_problem *problem, const char *field)
{
  dae_error err[3];
  double y[16] = {0};
  dae_start start = {.y = y};
  dae_integrator *it = NULL;
  for (int i = 0; i < 3; i++)
    err[i] = dae_error_none();
  dae_status status[] = {dae_problem_validate(problem, &err[0]),
                         dae_bdf_create(problem, &start, NULL, NULL, &it, &err[1]),
                         dae_consistent_start(problem, &start, NULL, y, NULL, NULL, &err[2])};
  for (int i = 0; i < 3; i++)
    if (status[i] != DAE_ERROR_PROBLEM || err[i].status != status[i] || it ||
        strcmp(err[i].equation, field) != 0 || !strstr(err[i].text, field))
      fail_msg("%s, expected %s: %s [%s] %s", what, field, dae_status_name(status[i]),
               err[i].equation, err[i].text);
}

/* ---- mechanical ---- */

static int any(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  fail_msg("a callback was called");
  return -1;
}

static int any_rate(void *user, const dae_mechanical_at *at, const double *in_rate, double *T_rate,
                    double *V_rate)
{
  (void)user, (void)at, (void)in_rate, (void)T_rate, (void)V_rate;
  fail_msg("a callback was called");
  return -1;
}

/* two coordinates and one of everything else */
static const dae_mechanical mechanical = {.nq = 2,
                                          .ng = 1,
                                          .nk = 1,
                                          .nu = 1,
                                          .nw = 1,
                                          .M = any,
                                          .f = any,
                                          .s = any,
                                          .c = any,
                                          .g = any,
                                          .k = any};

static const int diagonal_start[] = {0, 1, 2}, diagonal_row[] = {0, 1};
static const dae_pattern diagonal = {2, 2, diagonal_start, diagonal_row};
static const int row_start[] = {0, 1, 2}, row_row[] = {0, 0};
static const dae_pattern one_row = {1, 2, row_start, row_row};
static const int empty_start[16] = {0};
static const dae_pattern empty_J = {4, 6, empty_start, NULL};
static const dae_pattern empty_Ms = {2, 4, empty_start, NULL};

/* patterns that are wrong in themselves, each 2 x 2 */
static const int starts_late[] = {1, 1, 2}, falls[] = {0, 2, 1}, full_start[] = {0, 2, 4};
static const int unsorted[] = {1, 0, 0, 1}, twice[] = {0, 0, 0, 1}, beyond[] = {0, 2},
                 below[] = {-1, 1};
static const dae_pattern bad_patterns[] = {
    {2, 3, empty_start, NULL},     {3, 2, empty_start, NULL},
    {-2, 2, empty_start, NULL},    {2, 2, NULL, diagonal_row},
    {2, 2, diagonal_start, NULL},  {2, 2, starts_late, diagonal_row},
    {2, 2, falls, diagonal_row},   {2, 2, full_start, unsorted},
    {2, 2, full_start, twice},     {2, 2, diagonal_start, beyond},
    {2, 2, diagonal_start, below},
};

static int any_input(void *user, double t, double *in)
{
  (void)user, (void)t, (void)in;
  fail_msg("a callback was called");
  return -1;
}

static void test_a_mechanical_problem_with_a_bad_size_is_refused(void **state)
{
  (void)state;
  const int bad[] = {-1, INT_MIN, INT_MAX};
  const char *const field[] = {"nq", "ng", "nk", "nu", "nw", "nin"};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 6; j++) {
      dae_mechanical m = mechanical;
      int *const sizes[] = {&m.nq, &m.ng, &m.nk, &m.nu, &m.nw, &m.nin};
      *sizes[j] = bad[i];
      assert_refused("size", &(dae_problem){.mechanical = &m, .input = any_input}, field[j]);
    }
  dae_mechanical none = mechanical;
  none.nq = 0;
  assert_refused("nq = 0", &(dae_problem){.mechanical = &none}, "nq");
}

static void test_a_mechanical_problem_without_a_callback_is_refused(void **state)
{
  (void)state;
  dae_mechanical m = mechanical;
  dae_problem p = dae_problem_mechanical(&m);
#define WITHOUT(what, field, ...)                                                                  \
  do {                                                                                             \
    m = mechanical;                                                                                \
    __VA_ARGS__;                                                                                   \
    assert_refused(what, &p, field);                                                               \
  } while (0)
  WITHOUT("no f", "f", m.f = NULL);
  WITHOUT("no M", "M", m.M = NULL);
  WITHOUT("no g", "g", m.g = NULL);
  WITHOUT("no k", "k", m.k = NULL);
  WITHOUT("no s", "s", m.s = NULL);
  WITHOUT("no c", "c", m.c = NULL);
  WITHOUT("F without p beside f", "p", m.F = any);
  WITHOUT("a rate of no energy", "energy_rate", m.energy_rate = any_rate);
  WITHOUT("F without p", "p", m.f = NULL, m.F = any);
  WITHOUT("p without F", "f", m.f = NULL, m.p = any);
  WITHOUT("inputs without a function", "input", m.nin = 1);
#undef WITHOUT
}

static void test_a_mechanical_problem_with_a_bad_pattern_is_refused(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_patterns / sizeof *bad_patterns; i++) {
    dae_mechanical m = mechanical;
    char what[32];
    snprintf(what, sizeof what, "bad pattern %zu", i);
    m.M_pattern = &bad_patterns[i];
    assert_refused(what, &(dae_problem){.mechanical = &m}, "M_pattern");
    m = mechanical;
    m.Gts_pattern = &bad_patterns[i];
    assert_refused(what, &(dae_problem){.mechanical = &m}, "Gts_pattern");
  }
  /* good in itself, but of the wrong size for every other matrix */
  dae_mechanical m = mechanical;
  dae_problem p = dae_problem_mechanical(&m);
  static const dae_pattern large = {7, 7, empty_start, NULL};
  const struct {
    const dae_pattern **at;
    const char *field;
  } all[] = {{&m.M_pattern, "M_pattern"},       {&m.G_pattern, "G_pattern"},
             {&m.K_pattern, "K_pattern"},       {&m.J_pattern, "J_pattern"},
             {&m.J_in_pattern, "J_in_pattern"}, {&m.Ms_pattern, "Ms_pattern"},
             {&m.Gts_pattern, "Gts_pattern"},   {&m.k_q_pattern, "k_q_pattern"},
             {&m.Kts_pattern, "Kts_pattern"}};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    m = mechanical;
    *all[i].at = &large;
    assert_refused("large pattern", &p, all[i].field);
  }
}

static void test_a_sparse_problem_must_be_sparse_throughout(void **state)
{
  (void)state;
  dae_mechanical m = mechanical;
  dae_problem p = dae_problem_mechanical(&m);
  const struct {
    const dae_pattern *M, *J, *G, *K;
    const char *field;
  } cases[] = {{&diagonal, NULL, &one_row, &one_row, "J_pattern"},
               {&diagonal, &empty_J, NULL, &one_row, "G_pattern"},
               {&diagonal, &empty_J, &one_row, NULL, "K_pattern"},
               {&diagonal, &empty_J, &one_row, &one_row, "Ms_pattern"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    m.M_pattern = cases[i].M;
    m.J_pattern = cases[i].J;
    m.G_pattern = cases[i].G;
    m.K_pattern = cases[i].K;
    assert_refused("dense by omission", &p, cases[i].field);
  }
  m.Ms_pattern = &empty_Ms; /* and with all of them it is taken */
  assert_int_equal(dae_problem_validate(&p, NULL), DAE_OK);
  m.Ms_pattern = NULL;
  m.constant_mass = true;
  assert_int_equal(dae_problem_validate(&p, NULL), DAE_OK);
}

/* ---- semi-explicit ---- */

static int any_semi(void *user, const dae_semi_explicit_at *at, double *out)
{
  (void)user, (void)at, (void)out;
  fail_msg("a callback was called");
  return -1;
}

static const dae_semi_explicit semi = {.nx = 2, .ny = 1, .f = any_semi, .F = any_semi};
static const dae_pattern empty_3 = {3, 3, empty_start, NULL};

static void test_a_bad_semi_explicit_problem_is_refused(void **state)
{
  (void)state;
  dae_semi_explicit s = semi;
  dae_problem p = dae_problem_semi_explicit(&s);
#define BAD(what, field, ...)                                                                      \
  do {                                                                                             \
    s = semi;                                                                                      \
    __VA_ARGS__;                                                                                   \
    assert_refused(what, &p, field);                                                               \
  } while (0)
  BAD("nx < 0", "nx", s.nx = -1);
  BAD("ny < 0", "ny", s.ny = -2);
  BAD("nothing", "nx", s.nx = s.ny = 0);
  BAD("index < 0", "index", s.index = -1);
  BAD("index 4", "index", s.index = 4);
  BAD("no f", "f", s.f = NULL);
  BAD("no F", "F", s.F = NULL);
  BAD("inputs without a function", "input", s.nin = 2);
  BAD("M sparse, J not", "J_pattern", s.M = any_semi, s.M_pattern = &diagonal);
  BAD("J sparse, M not", "M_pattern", s.M = any_semi, s.J_pattern = &empty_3);
  BAD("M sparse, (M s)_x not", "Ms_pattern", s.M = any_semi, s.J_pattern = &empty_3,
      s.M_pattern = &diagonal);
  BAD("J of the wrong size", "J_pattern", s.J_pattern = &diagonal);
  BAD("Ms of the wrong size", "Ms_pattern", s.Ms_pattern = &empty_3);
  BAD("J_in of the wrong size", "J_in_pattern", s.J_in_pattern = &empty_3);
  for (size_t i = 0; i < sizeof bad_patterns / sizeof *bad_patterns; i++)
    BAD("bad pattern", "M_pattern", s.M = any_semi, s.constant_mass = true, s.J_pattern = &empty_3,
        s.M_pattern = &bad_patterns[i]);
#undef BAD
}

static void test_a_problem_has_exactly_one_form(void **state)
{
  (void)state;
  static const dae_coupled none = {0};
  assert_refused("no form", &(dae_problem){0}, "problem");
  assert_refused("two forms", &(dae_problem){.mechanical = &mechanical, .semi_explicit = &semi},
                 "problem");
  assert_refused("two forms", &(dae_problem){.semi_explicit = &semi, .coupled = &none}, "problem");
}

/* ---- coupled ---- */

static int any_joint(void *user, double t, const double *z, double *out)
{
  (void)user, (void)t, (void)z, (void)out;
  fail_msg("a callback was called");
  return -1;
}

static const dae_mechanical body = {.nq = 2, .nin = 1, .ng = 1, .M = any, .f = any, .g = any};
static const dae_semi_explicit control = {.nx = 1, .nin = 1, .f = any_semi};
static const dae_part two[] = {{.name = "body", .mechanical = &body},
                               {.name = "control", .semi_explicit = &control}};
static const dae_wire good_wires[] = {{0, 0, {1, 0}}, {1, 0, {0, 1}}};
static const dae_port good_ports[] = {{0, 0}, {0, 1}};
static const dae_joint good_joint = {
    .name = "pin", .ng = 1, .nz = 2, .z = good_ports, .g = any_joint};
static const dae_coupled coupled = {
    .parts = 2, .wires = 2, .joints = 1, .part = two, .wire = good_wires, .joint = &good_joint};

static void test_a_bad_coupled_problem_is_refused(void **state)
{
  (void)state;
  dae_coupled c = coupled;
  dae_problem p = dae_problem_coupled(&c);
  assert_int_equal(dae_problem_validate(&p, NULL), DAE_OK);
#define BAD(what, field, ...)                                                                      \
  do {                                                                                             \
    c = coupled;                                                                                   \
    __VA_ARGS__;                                                                                   \
    assert_refused(what, &p, field);                                                               \
  } while (0)
  BAD("no parts", "parts", c.parts = 0);
  BAD("parts < 0", "parts", c.parts = -1);
  BAD("no list of parts", "parts", c.part = NULL);
  BAD("wires < 0", "wires", c.wires = -1);
  BAD("joints < 0", "joints", c.joints = -1);
  BAD("missing wire", "wire", c.wires = 1);
  BAD("no list of wires", "wire", c.wire = NULL);
  BAD("no list of joints", "joint", c.joint = NULL);
#undef BAD
  const struct {
    const char *what;
    dae_wire wires[2];
  } bad[] = {{"to no part", {{2, 0, {1, 0}}, {1, 0, {0, 1}}}},
             {"to part -1", {{-1, 0, {1, 0}}, {1, 0, {0, 1}}}},
             {"to no input", {{0, 1, {1, 0}}, {1, 0, {0, 1}}}},
             {"to input -1", {{0, -1, {1, 0}}, {1, 0, {0, 1}}}},
             {"from no part", {{0, 0, {2, 0}}, {1, 0, {0, 1}}}},
             {"from part -1", {{0, 0, {-1, 0}}, {1, 0, {0, 1}}}},
             {"from no variable", {{0, 0, {1, 1}}, {1, 0, {0, 1}}}},
             {"from variable -1", {{0, 0, {1, -1}}, {1, 0, {0, 1}}}},
             {"doubled", {{0, 0, {1, 0}}, {0, 0, {0, 1}}}}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    c = coupled;
    c.wire = bad[i].wires;
    assert_refused(bad[i].what, &p, "wire");
  }
}

static void test_bad_parts_and_joints_are_refused_by_name(void **state)
{
  (void)state;
  dae_mechanical no_force = body;
  no_force.f = NULL;
  dae_part parts[2] = {two[0], two[1]};
  dae_joint joint = good_joint;
  dae_coupled c = coupled;
  c.part = parts;
  c.joint = &joint;
  dae_problem p = dae_problem_coupled(&c);
  parts[0].semi_explicit = &control;
  assert_refused("part with two forms", &p, "body");
  parts[0] = (dae_part){.name = "body"};
  assert_refused("part without a form", &p, "body");
  parts[0] = (dae_part){.name = "body", .mechanical = &no_force};
  assert_refused("part with a bad description", &p, "f");
  dae_error err;
  (void)dae_problem_validate(&p, &err);
  assert_non_null(strstr(err.text, "body"));
  parts[0] = two[0];
  const dae_port bad[][2] = {
      {{0, 0}, {0, 2}},  /* a velocity */
      {{0, 0}, {0, 4}},  /* a multiplier */
      {{0, 0}, {0, -1}}, /* nothing */
      {{0, 0}, {1, 0}},  /* a state of a semi-explicit part */
      {{0, 0}, {2, 0}},  /* of no part */
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    joint.z = bad[i];
    assert_refused("joint on something that is not a coordinate", &p, "pin");
  }
  const dae_joint joints[] = {
      {.name = "pin", .nz = 2, .z = good_ports, .g = any_joint},
      {.name = "pin", .ng = 1, .z = good_ports, .g = any_joint},
      {.name = "pin", .ng = -1, .nz = 2, .z = good_ports, .g = any_joint},
      {.name = "pin", .ng = 1, .nz = 2, .g = any_joint},
      {.name = "pin", .ng = 1, .nz = 2, .z = good_ports},
  };
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    joint = joints[i];
    assert_refused("joint", &p, "pin");
  }
}

/* ---- what a method does not take ---- */

/* by the constructor and, in the same words, by the registry and by a run */
static void assert_unsupported(const char *method, const test_problem *p, const char *reason)
{
  const dae_method *m = dae_method_find(method, NULL);
  dae_integrator *it = NULL;
  dae_error err = dae_error_none(), again = dae_error_none();
  dae_status status = m->create(&p->problem, &p->start, NULL, NULL, &it, &err);
  if (status != DAE_ERROR_UNSUPPORTED || err.status != status || it || !strstr(err.text, reason))
    fail_msg("%s on %s, expected %s: %s %s", method, p->name, reason, dae_status_name(status),
             err.text);
  dae_run_plan plan = {.problem = p->problem, .start = p->start, .method = m, .to = 1};
  assert_int_equal(dae_run(&plan, NULL, NULL, &again), DAE_ERROR_UNSUPPORTED);
  assert_string_equal(again.text, err.text);
}

static int index3_f(void *user, const dae_semi_explicit_at *at, double *f)
{
  const double *x = at->x;
  (void)user;
  f[0] = x[2], f[1] = x[3];
  f[2] = -x[0] * at->y[0], f[3] = -x[1] * at->y[0] - 9.81;
  return 0;
}

static int index3_F(void *user, const dae_semi_explicit_at *at, double *F)
{
  (void)user;
  F[0] = at->x[0] * at->x[0] + at->x[1] * at->x[1] - 1;
  return 0;
}

static const char *const tension[] = {"tension"};
static const dae_semi_explicit declared = {
    .nx = 4, .ny = 1, .index = 3, .f = index3_f, .F = index3_F, .y_names = tension};
static const dae_semi_explicit undeclared = {
    .nx = 4, .ny = 1, .f = index3_f, .F = index3_F, .y_names = tension};
static const double index3_start[] = {0.6, 0.8, 0, 0, 0};

static void test_methods_refuse_what_they_do_not_take_with_the_reason(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum(), knife = test_knife_edge(), akzo = test_akzo_nobel();
  test_problem circuits = test_two_circuits(), structures = test_structures();
  test_problem index3 = {
      .name = "declared", .problem = {.semi_explicit = &declared}, .start = {.y = index3_start}};
  assert_unsupported("bdf", &pendulum, "index is 3");
  assert_unsupported("bdf", &knife, "index is 2");
  assert_unsupported("bdf", &structures, "bdf-ggl"); /* a joint makes it constrained */
  assert_unsupported("bdf", &index3, "index 3");
  assert_unsupported("bdf-ggl", &akzo, "mechanical");
  assert_unsupported("bdf-ggl", &circuits, "mechanical");
}

static void test_an_index_3_that_was_not_declared_is_found(void **state)
{
  (void)state;
  dae_problem p = dae_problem_semi_explicit(&undeclared);
  dae_start start = {.y = index3_start};
  dae_integrator *it;
  double y[5];
  dae_error err = dae_error_none();
  assert_int_equal(dae_bdf_create(&p, &start, NULL, NULL, &it, &err), DAE_ERROR_UNSUPPORTED);
  assert_non_null(strstr(err.text, "index 3"));
  assert_null(it);
  assert_int_equal(dae_consistent_start(&p, &start, NULL, y, NULL, NULL, &err), DAE_ERROR_START);
  assert_non_null(strstr(err.text, "index 3"));
  assert_string_equal(err.equation, "tension");
}

static int pass(void *user, const dae_mechanical_at *at, double *out)
{
  (void)user, (void)at;
  out[0] = 0;
  return 0;
}

static int pass_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  return 0;
}

static void test_a_wire_from_a_multiplier_is_refused(void **state)
{
  (void)state;
  test_problem pendulum = test_pendulum();
  static const dae_mechanical cart = {.nq = 1, .nin = 1, .M = pass_M, .f = pass};
  const dae_part parts[] = {{.name = "cart", .mechanical = &cart},
                            {.name = "pendulum", .mechanical = pendulum.problem.mechanical}};
  const dae_wire wires[] = {{0, 0, {1, 4}}};
  const dae_coupled c = {.parts = 2, .wires = 1, .part = parts, .wire = wires};
  static const double y[] = {0, 0, 1, 0, 0, 0, 0};
  test_problem p = {.name = "wired", .problem = {.coupled = &c}, .start = {.y = y}};
  assert_unsupported("bdf-ggl", &p, "multiplier of pendulum");
}

/* ---- starts ---- */

static void test_a_start_value_that_is_not_finite_is_refused_by_name(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const char *const names[] = {"x", "y", "der(x)", "der(y)", "lambda(rod)"};
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 3; j++) {
      double y[5] = {1, 0, 0, 0, 0};
      dae_integrator *it = NULL;
      dae_error err = dae_error_none();
      y[i] = bad[j];
      assert_int_equal(dae_bdf_ggl_create(&p.problem, &(dae_start){.y = y}, NULL, NULL, &it, &err),
                       DAE_ERROR_START);
      assert_string_equal(err.equation, names[i]);
      assert_null(it);
    }
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_start none = {0}, never = {.t = (double)NAN, .y = p.start.y};
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &none, NULL, NULL, &it, &err), DAE_ERROR_USAGE);
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &never, NULL, NULL, &it, &err), DAE_ERROR_USAGE);
  assert_non_null(strstr(err.text, "start time"));
}

/* what a constructor refuses, the function that makes a start consistent refuses too */
static void test_a_consistent_start_of_values_that_are_not_finite_is_refused_by_name(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const char *const names[] = {"x", "y", "der(x)", "der(y)", "lambda(rod)"};
  for (int i = 0; i < 5; i++) {
    double y[5] = {1, 0, 0, 0, 0}, out[5];
    dae_error err = dae_error_none();
    y[i] = (double)NAN;
    assert_int_equal(
        dae_consistent_start(&p.problem, &(dae_start){.y = y}, NULL, out, NULL, NULL, &err),
        DAE_ERROR_START);
    assert_string_equal(err.equation, names[i]);
  }
  double out[5];
  dae_start none = {0}, never = {.t = (double)NAN, .y = p.start.y};
  assert_int_equal(dae_consistent_start(&p.problem, &never, NULL, out, NULL, NULL, NULL),
                   DAE_ERROR_USAGE);
  assert_int_equal(dae_consistent_start(&p.problem, &none, NULL, out, NULL, NULL, NULL),
                   DAE_ERROR_USAGE);
}

/* q2 has neither mass nor a constraint */
static int light_M(void *user, const dae_mechanical_at *at, double *M)
{
  (void)user, (void)at;
  M[0] = 1;
  M[1] = M[2] = M[3] = 0;
  return 0;
}

static int light_f(void *user, const dae_mechanical_at *at, double *f)
{
  (void)user;
  f[0] = -at->q[0];
  f[1] = 1;
  return 0;
}

static int light_g(void *user, const dae_mechanical_at *at, double *g)
{
  (void)user;
  g[0] = at->q[0] - 1;
  return 0;
}

static void test_a_coordinate_without_mass_and_constraint_is_named(void **state)
{
  (void)state;
  static const char *const names[] = {"heavy", "light"};
  dae_mechanical m = {.nq = 2, .q_names = names, .M = light_M, .f = light_f};
  dae_problem p = dae_problem_mechanical(&m);
  const double y[5] = {1, 0, 0, 0, 0};
  for (int constrained = 0; constrained < 2; constrained++) {
    double out[5];
    dae_error err = dae_error_none();
    m.ng = constrained;
    m.g = constrained ? light_g : NULL;
    assert_int_equal(dae_consistent_start(&p, &(dae_start){.y = y}, NULL, out, NULL, NULL, &err),
                     DAE_ERROR_START);
    if (strcmp(err.equation, "light") != 0 && strcmp(err.equation, "der(light)") != 0)
      fail_msg("[%s] %s", err.equation, err.text);
    assert_non_null(strstr(err.text, "mass"));
    dae_integrator *it = NULL;
    assert_int_equal(dae_bdf_ggl_create(&p, &(dae_start){.y = y}, NULL, NULL, &it, &err),
                     DAE_ERROR_START);
  }
}

static void test_contradicting_constraints_are_named(void **state)
{
  (void)state;
  test_problem p = test_contradiction();
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &p.start, NULL, NULL, &it, &err),
                   DAE_ERROR_START);
  assert_non_null(strstr(err.text, "short rod"));
  assert_non_null(strstr(err.text, "long rod"));
  assert_null(it);
}

static void test_fixed_values_that_forbid_the_start_are_said_to(void **state)
{
  (void)state;
  test_problem p = test_pendulum();
  const double y[5] = {2, 0, 0, 0, 0};
  const bool fixed[5] = {true, true};
  dae_integrator *it = NULL;
  dae_error err = dae_error_none();
  dae_start start = {.y = y, .fixed = fixed};
  assert_int_equal(dae_bdf_ggl_create(&p.problem, &start, NULL, NULL, &it, &err), DAE_ERROR_START);
  assert_string_equal(err.equation, "rod");
  assert_non_null(strstr(err.text, "fixed"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_mechanical_problem_with_a_bad_size_is_refused),
      cmocka_unit_test(test_a_mechanical_problem_without_a_callback_is_refused),
      cmocka_unit_test(test_a_mechanical_problem_with_a_bad_pattern_is_refused),
      cmocka_unit_test(test_a_sparse_problem_must_be_sparse_throughout),
      cmocka_unit_test(test_a_bad_semi_explicit_problem_is_refused),
      cmocka_unit_test(test_a_problem_has_exactly_one_form),
      cmocka_unit_test(test_a_bad_coupled_problem_is_refused),
      cmocka_unit_test(test_bad_parts_and_joints_are_refused_by_name),
      cmocka_unit_test(test_methods_refuse_what_they_do_not_take_with_the_reason),
      cmocka_unit_test(test_an_index_3_that_was_not_declared_is_found),
      cmocka_unit_test(test_a_wire_from_a_multiplier_is_refused),
      cmocka_unit_test(test_a_start_value_that_is_not_finite_is_refused_by_name),
      cmocka_unit_test(test_a_consistent_start_of_values_that_are_not_finite_is_refused_by_name),
      cmocka_unit_test(test_a_coordinate_without_mass_and_constraint_is_named),
      cmocka_unit_test(test_contradicting_constraints_are_named),
      cmocka_unit_test(test_fixed_values_that_forbid_the_start_are_said_to),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
