/* Accelerations of models in closed form: what they are, beside a pivoted solution of the saddle
 * system in extended precision; where they are refused; and that runs then go on without them. */
#include "uniform.h"

#include <daedal/daedal.h>
#include <daedal/model.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double draw_real(double low, double high)
{
  return low + (high - low) * (1 + uniform()) / 2;
}

/* ---- the saddle system at a point ---- */

typedef struct saddle {
  dae_model *model;
  const dae_mechanical *p;
  int n, rows, size;       /* numbers of coordinates and of constraints; their sum */
  double t, *y, *dy;       /* state vector, rates in closed form */
  double *M, *G, *K;       /* values by the callback */
  long double *A, *factor; /* the matrix by rows, its factors */
  int *pivot;
} saddle;

static dae_mechanical_at point(const saddle *s, const double *q, const double *v)
{
  const double *u = s->y + 2 * s->n;
  return (dae_mechanical_at){.t = s->t, .q = q, .v = v, .u = u, .w = u + s->p->nu};
}

static double *multipliers(const saddle *s)
{
  return s->y + 2 * s->n + s->p->nu + s->p->nw;
}

static void put(saddle *s, int first, const dae_pattern *pattern, int rows, const double *values)
{
  for (int j = 0, e = 0; j < s->n; j++) {
    int begin = pattern ? pattern->start[j] : 0, end = pattern ? pattern->start[j + 1] : rows;
    for (int k = begin; k < end; k++, e++) {
      int i = first + (pattern ? pattern->row[k] : k);
      s->A[i * s->size + j] = values[e];
      if (first > 0)
        s->A[j * s->size + i] = values[e];
    }
  }
}

/* Gaussian elimination with partial pivoting. */
static void factor(saddle *s)
{
  int n = s->size;
  long double *F = memcpy(s->factor, s->A, (size_t)n * (size_t)n * sizeof *F);
  for (int p = 0; p < n; p++) {
    s->pivot[p] = p;
    for (int i = p; i < n; i++)
      if (fabsl(F[i * n + p]) > fabsl(F[s->pivot[p] * n + p]))
        s->pivot[p] = i;
    for (int j = 0; j < n; j++) {
      long double x = F[p * n + j];
      F[p * n + j] = F[s->pivot[p] * n + j];
      F[s->pivot[p] * n + j] = x;
    }
    for (int i = p + 1; i < n; i++) {
      long double l = F[i * n + p] /= F[p * n + p];
      for (int j = p + 1; l != 0 && j < n; j++)
        F[i * n + j] -= l * F[p * n + j];
    }
  }
}

static void solve(const saddle *s, long double *b)
{
  int n = s->size;
  for (int p = 0; p < n; p++) {
    long double x = b[p];
    b[p] = b[s->pivot[p]];
    b[s->pivot[p]] = x;
  }
  for (int p = 0; p < n; p++)
    for (int i = p + 1; i < n; i++)
      b[i] -= s->factor[i * n + p] * b[p];
  for (int p = n - 1; p >= 0; p--) {
    for (int j = p + 1; j < n; j++)
      b[p] -= s->factor[p * n + j] * b[j];
    b[p] /= s->factor[p * n + p];
  }
}

static void *room(int count, size_t size)
{
  void *memory = calloc((size_t)count + 1, size);
  assert_non_null(memory);
  return memory;
}

/* The model at its start, every coordinate and velocity moved by up to `away`. */
static saddle *saddle_at_start(dae_model *model, double away)
{
  dae_start start = dae_model_start(model);
  saddle *s = room(1, sizeof *s);
  s->model = model;
  const dae_mechanical *p = s->p = dae_model_problem(model)->mechanical;
  s->n = p->nq;
  s->rows = p->ng + p->nk;
  s->size = s->n + s->rows;
  s->t = start.t;
  int all = 2 * s->n + p->nu + p->nw + s->rows;
  s->y = memcpy(room(all, sizeof(double)), start.y, (size_t)all * sizeof(double));
  for (int i = 0; i < 2 * s->n; i++)
    s->y[i] += draw_real(-away, away);
  s->dy = room(all, sizeof(double));
  s->M = room(s->n * s->n, sizeof(double));
  s->G = room(s->n * s->rows, sizeof(double));
  s->K = room(s->n * s->rows, sizeof(double));
  s->A = room(s->size * s->size, sizeof(long double));
  s->factor = room(s->size * s->size, sizeof(long double));
  s->pivot = room(s->size, sizeof(int));
  return s;
}

static void saddle_free(saddle *s)
{
  void *all[] = {s->y, s->dy, s->M, s->G, s->K, s->A, s->factor, s->pivot};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
  dae_model_free(s->model);
  free(s);
}

/* ---- comparison ---- */

/* Largest difference of n numbers, relative to the largest one and to `least`. */
static double difference(int n, const double *x, const long double *exact, double least)
{
  double size = least, most = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs((double)exact[i]));
    most = fmax(most, fabs((double)(x[i] - exact[i])));
  }
  return most / size;
}

/* Error of rates and multipliers, relative to the accelerations without constraints too. */
static double motion_error(saddle *s)
{
  const dae_mechanical *p = s->p;
  double *f = room(s->n, sizeof *f), *u = room(p->nu, sizeof *u), *c = room(s->rows, sizeof *c);
  dae_mechanical_at at = point(s, s->y, s->y + s->n);
  dae_mechanical_wanted want = {.M = s->M, .f = f, .s = p->nu > 0 ? u : NULL};
  if (p->ng > 0)
    want.G = s->G, want.gamma = c;
  if (p->nk > 0)
    want.K = s->K, want.kappa = c + p->ng;
  assert_int_equal(p->eval(p->user, &at, &want), 0);
  put(s, 0, p->M_pattern, s->n, s->M);
  put(s, s->n, p->G_pattern, p->ng, s->G);
  put(s, s->n + p->ng, p->K_pattern, p->nk, s->K);
  factor(s);
  long double *x = room(s->size, sizeof *x);
  double free_size = 0;
  for (int i = 0; i < s->size; i++)
    x[i] = i < s->n ? f[i] : -c[i - s->n];
  for (int i = 0; i < s->n; i++)
    if (s->A[i * s->size + i] > 0)
      free_size = fmax(free_size, fabs(f[i]) / (double)s->A[i * s->size + i]);
  solve(s, x);
  double error = difference(s->n, s->dy + s->n, x, free_size);
  error = fmax(error, difference(s->rows, multipliers(s), x + s->n, 1e-300));
  for (int i = 0; i < s->n; i++)
    assert_true(s->dy[i] == s->y[s->n + i]);
  for (int i = 0; i < p->nu; i++)
    assert_true(fabs(s->dy[2 * s->n + i] - u[i]) <= 1e-14 * fabs(u[i]));
  free(f), free(u), free(c), free(x);
  return error;
}

/* Error of the projection by the factors of motion_error. */
static double projection_error(saddle *s, const double *q1, const double *v1)
{
  const dae_mechanical *p = s->p;
  long double *x = room(s->size, sizeof *x);
  double *r = room(s->rows, sizeof *r), *G = room(s->n * s->rows, sizeof *G);
  dae_mechanical_at at = point(s, s->y, s->y + s->n), moved = point(s, q1, s->y + s->n);
  if (p->ng > 0)
    assert_int_equal(p->g(p->user, &at, r), 0);
  for (int i = 0; i < p->ng; i++)
    x[s->n + i] = r[i];
  solve(s, x);
  for (int i = 0; i < s->n; i++)
    x[i] = s->y[i] - x[i];
  double error = difference(s->n, q1, x, 1);
  dae_mechanical_wanted want = {.k = p->nk > 0 ? r + p->ng : NULL};
  if (p->ng > 0)
    want.G = G, want.gdot = r;
  assert_int_equal(p->eval(p->user, &moved, &want), 0);
  for (int i = 0; i < s->size; i++)
    x[i] = i < s->n ? 0 : r[i - s->n];
  solve(s, x);
  for (int i = 0; i < s->n; i++)
    x[i] = s->y[s->n + i] - x[i];
  error = fmax(error, difference(s->n, v1, x, 1));
  free(x), free(r), free(G);
  return error;
}

/* Calls accelerate; the projection into out, unless it is NULL. */
static int accelerate(saddle *s, double *out)
{
  dae_mechanical_at at = point(s, s->y, s->y + s->n);
  dae_mechanical_motion motion = {.rates = s->dy, .multipliers = multipliers(s)};
  if (out) {
    motion.q = out;
    motion.v = out + s->n;
    motion.pivots = out + 2 * s->n;
    motion.sizes = motion.pivots + s->rows;
  }
  return s->p->accelerate(s->p->user, &at, &motion);
}

/* Compares a model in closed form; false: it has none, or refuses the point. */
static bool check_model(dae_model *model, double away, double limit)
{
  saddle *s = saddle_at_start(model, away);
  bool closed = s->p && s->p->accelerate && accelerate(s, NULL) == 0;
  if (closed) {
    double error = motion_error(s);
    if (!(error < limit))
      fail_msg("%s: accelerations differ by %g", s->p->name, error);
    double *out = room(2 * s->size, sizeof *out);
    if (s->rows > 0 && accelerate(s, out) == 0) {
      for (int i = 0; i < s->n; i++) /* the velocities are those of the projection */
        assert_true(s->dy[i] == out[s->n + i]);
      error = projection_error(s, out, out + s->n);
      if (!(error < limit))
        fail_msg("%s: the projection differs by %g", s->p->name, error);
      for (int i = 2 * s->n; i < 2 * s->size; i++)
        assert_true(out[i] > 0);
    }
    free(out);
  }
  saddle_free(s);
  return closed;
}

static dae_model *parse(const char *text)
{
  dae_model *model;
  dae_error err;
  if (dae_model_parse("test", text, strlen(text), NULL, NULL, &model, &err) < 0)
    fail_msg("%s\n%s", err.text, text);
  return model;
}

/* ---- examples and random mechanisms ---- */

enum { LEAST_EXAMPLES = 30 };

static void test_examples_have_the_accelerations_of_the_saddle_system(void **state)
{
  (void)state;
  int checked = 0;
  DIR *folder = opendir(MODELS);
  assert_non_null(folder);
  for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
    char path[1024];
    dae_model *model;
    dae_error err;
    const char *end = strrchr(e->d_name, '.');
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    snprintf(path, sizeof path, MODELS "/%s", e->d_name);
    if (dae_model_load(path, NULL, NULL, &model, &err) < 0)
      fail_msg("%s", err.text);
    if (dae_model_problem(model)->mechanical)
      checked += check_model(model, 1e-3, 1e-10);
    else
      dae_model_free(model);
  }
  closedir(folder);
  assert_true(checked >= LEAST_EXAMPLES);
}

/* Text of a random tree of mass points on rods in space, some with a pendulum by an angle, so that
 * M depends on q; a rate that is prescribed, a drive, a state. */
static void write_mechanism(char *text, size_t size, int points)
{
  size_t at = 0;
  double place[16][3];
#define ADD(...) at += (size_t)snprintf(text + at, size - at, __VA_ARGS__)
  ADD("model random\nstate u = 1\nu' = -u + x0\n");
  for (int i = 0; i < points; i++) {
    int from = i > 0 ? (int)draw_real(0, i) : -1;
    double length = 0, mass = exp(draw_real(-3, 3));
    for (int k = 0; k < 3; k++) {
      double d = draw_real(-1, 1), before = from < 0 ? 0 : place[from][k];
      place[i][k] = before + d;
      length += d * d;
      ADD("coord %c%d = %.17g rate %.17g\n", "xyz"[k], i, place[i][k], draw_real(-1, 1));
    }
    ADD("kinetic %g*(x%d'^2 + y%d'^2 + z%d'^2)/2\npotential %g*z%d\nforce u along x%d\n", mass, i,
        i, i, mass, i, i);
    if (from < 0)
      ADD("constraint x%d^2 + y%d^2 + z%d^2 = %.17g + 0.1*sin(t)\n", i, i, i, length);
    else
      ADD("constraint (x%d - x%d)^2 + (y%d - y%d)^2 + (z%d - z%d)^2 = %.17g\n", i, from, i, from, i,
          from, length);
    if (draw_real(0, 1) < 0.4)
      ADD("coord a%d = %g\nlet p%d = x%d + 0.3*cos(a%d), r%d = z%d + 0.3*sin(a%d)\n"
          "kinetic %g*(p%d'^2 + r%d'^2)/2 + a%d'^2/50\n",
          i, draw_real(0, 6), i, i, i, i, i, i, draw_real(0.1, 2), i, i, i);
  }
  ADD("constraint x%d' = 0.3*y%d' + z%d\nsimulate to 1\n", points - 1, points - 1, points - 1);
#undef ADD
}

static void test_random_mechanisms_have_the_accelerations_of_the_saddle_system(void **state)
{
  (void)state;
  static char text[20000];
  for (int i = 0; i < 60; i++) {
    write_mechanism(text, sizeof text, 1 + i % 12);
    assert_true(check_model(parse(text), 0.1, 1e-9));
  }
}

/* ---- singular mass matrices ---- */

/* Four parameters of a rotation, whose T has no inertia along them, and a rod without inertia about
 * its axis, which two rows of another body hold. */
static const char unregularised[] = "model rotation\n"
                                    "coord a = 0.5, b = 0.5, c = 0.5, d = 0.5\n"
                                    "let p = a*b' - b*a' + c*d' - d*c', q = a*c' - c*a' + d*b' - "
                                    "b*d', r = a*d' - d*a' + b*c' - c*b'\n"
                                    "kinetic 2*(p^2 + 3*q^2 + 5*r^2)\n"
                                    "potential 4*(a*c - b*d)\n"
                                    "constraint a^2 + b^2 + c^2 + d^2 = 1\n"
                                    "simulate to 1\n";
static const char held_by_another[] = "model held\n"
                                      "coord x = 1, y = 0.5, z = 0.2\n"
                                      "kinetic (x' + y')^2 + z'^2/2\n"
                                      "potential x*y + z\n"
                                      "constraint x - y*z = 0.9\n"
                                      "simulate to 1\n";

static void test_rows_stand_for_missing_inertia(void **state)
{
  (void)state;
  for (int i = 0; i < 10; i++) {
    assert_true(check_model(parse(unregularised), 0.3, 1e-12));
    assert_true(check_model(parse(held_by_another), 0.3, 1e-12));
  }
}

static void test_coordinates_without_inertia_have_no_closed_form(void **state)
{
  (void)state;
  static const char text[] = "model massless\n"
                             "coord x = 0, y = 1\n"
                             "kinetic x'^2/2\n"
                             "constraint y = cos(x)\n"
                             "simulate to 1\n";
  dae_model *model = parse(text);
  assert_null(dae_model_problem(model)->mechanical->accelerate);
  dae_model_free(model);
}

/* ---- where it is refused ---- */

/* Two rods of equal length between two fixed points at their distance: the rows are dependent where
 * all is in line. */
static void test_dependent_rows_are_refused(void **state)
{
  (void)state;
  static const char text[] = "model lined\n"
                             "coord x = 1, y = OFF rate 1\n"
                             "kinetic (x'^2 + y'^2)/2\n"
                             "constraint x^2 + y^2 = 1\n"
                             "constraint (x - 2)^2 + y^2 = 1\n"
                             "simulate to 1\n";
  static const double off[] = {0, 1e-9, 1e-4, 1e-2, 0.5};
  char *place, own[sizeof text + 30];
  for (int i = 0; i < 5; i++) {
    memcpy(own, text, sizeof text);
    place = strstr(own, "OFF");
    sprintf(place, "%g%s", off[i], text + (place - own) + 3);
    saddle *s = saddle_at_start(parse(own), 0);
    assert_int_equal(accelerate(s, NULL) == 0, off[i] > 1e-3);
    saddle_free(s);
  }
}

static void test_what_is_not_finite_is_refused(void **state)
{
  (void)state;
  static const char text[] = "model fall\n"
                             "coord x = 0.1\n"
                             "kinetic x'^2/2\n"
                             "potential sqrt(x)\n"
                             "simulate to 1\n";
  saddle *s = saddle_at_start(parse(text), 0);
  assert_int_equal(accelerate(s, NULL), 0);
  s->y[0] = -1;
  assert_true(accelerate(s, NULL) > 0);
  saddle_free(s);
}

/* ---- runs ---- */

typedef struct refusing {
  dae_mechanical own;
  const dae_mechanical *base;
  long calls, every; /* every so many calls are refused; 0: none */
} refusing;

static int refuse_some(void *user, const dae_mechanical_at *at, const dae_mechanical_motion *out)
{
  refusing *r = user;
  r->calls++;
  return r->every > 0 && r->calls % r->every == 0 ? 1 : r->base->accelerate(r->base->user, at, out);
}

#define FORWARD(name)                                                                              \
  static int forward_##name(void *user, const dae_mechanical_at *at, double *out)                  \
  {                                                                                                \
    const dae_mechanical *base = ((refusing *)user)->base;                                         \
    return base->name(base->user, at, out);                                                        \
  }
FORWARD(M)
FORWARD(f)
FORWARD(g)
FORWARD(G)
FORWARD(gamma)

static int forward_eval(void *user, const dae_mechanical_at *at, const dae_mechanical_wanted *want)
{
  const dae_mechanical *base = ((refusing *)user)->base;
  return base->eval(base->user, at, want);
}

/* Tip of the triple pendulum at the end; every: see refusing, -1: without closed form. */
static double end_with(const char *method, long every, long *calls)
{
  static const char text[] =
      "model triple\n"
      "coord x[1..3] = i*0.6, y[1..3] = i*0.8\n"
      "for i in 1..3 { kinetic (x[i]'^2 + y[i]'^2)/2\n potential 9.81*y[i] }\n"
      "constraint x[1]^2 + y[1]^2 = 1\n"
      "for i in 2..3 { constraint (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n"
      "simulate to 1\n";
  dae_model *model = parse(text);
  dae_start start = dae_model_start(model);
  const dae_mechanical *base = dae_model_problem(model)->mechanical;
  refusing r = {.own = {.nq = base->nq,
                        .ng = base->ng,
                        .user = &r,
                        .M = forward_M,
                        .f = forward_f,
                        .g = forward_g,
                        .G = forward_G,
                        .gamma = forward_gamma,
                        .eval = forward_eval,
                        .accelerate = every >= 0 ? refuse_some : NULL,
                        .constant_mass = true,
                        .time_free_g = true},
                .base = base,
                .every = every};
  dae_problem problem = dae_problem_mechanical(&r.own);
  dae_integrator *it;
  dae_error err;
  double y[20];
  const dae_method *m = dae_method_find(method, &err);
  assert_true(m->create(&problem, &start, NULL, NULL, &it, &err) >= 0);
  dae_status status = DAE_OK;
  while (status == DAE_OK)
    status = dae_integrator_step(it, 1, &err);
  assert_int_equal(status, DAE_END);
  assert_true(dae_integrator_interpolate(it, 1, y, NULL, &err) >= 0);
  dae_integrator_free(it);
  dae_model_free(model);
  *calls = r.calls;
  return y[2];
}

static void test_runs_agree_with_and_without_closed_form(void **state)
{
  (void)state;
  static const char *const methods[] = {"gauss", "explicit", "switching"};
  static const long every[] = {0, 1, 2, 3, 7, 50};
  for (int m = 0; m < 3; m++) {
    long calls;
    double general = end_with(methods[m], -1, &calls);
    assert_int_equal(calls, 0);
    for (int i = 0; i < 6; i++) {
      double end = end_with(methods[m], every[i], &calls);
      assert_true(calls > 10);
      assert_true(fabs(end - general) < 1e-7);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples_have_the_accelerations_of_the_saddle_system),
      cmocka_unit_test(test_random_mechanisms_have_the_accelerations_of_the_saddle_system),
      cmocka_unit_test(test_rows_stand_for_missing_inertia),
      cmocka_unit_test(test_coordinates_without_inertia_have_no_closed_form),
      cmocka_unit_test(test_dependent_rows_are_refused),
      cmocka_unit_test(test_what_is_not_finite_is_refused),
      cmocka_unit_test(test_runs_agree_with_and_without_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
