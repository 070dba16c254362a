/* Mechanisms with one constraint too many all the time, where the constraint that follows from the
 * others is not always the same one: the motion goes on, against references of one degree of
 * freedom that share no code with the library. */
#include "support.h"
#include "text_problem.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define W 12.0 /* initial rate of the joints of Bricard's mechanism */
#define GRAVITY 9.81
#define TO 2.0

/* ---- Bricard's mechanism: six revolute joints, links of length 1, twists of 90 degrees ---- */

static void add(char *text, const char *format, const char *k, int i, int j)
{
  size_t used = strlen(text);
  snprintf(text + used, 16384 - used, format, k, i, j);
}

/* The model in joint angles: frames along the links by products of rotations, and five equations of
 * rank 4 that close the loop; `last`: the one that is written last, and so the first to be masked.
 */
static void bricard_text(char *text, int last)
{
  static const char *const axis[] = {"x", "y", "z"};
  static const char *const closing[] = {"closex: px5 = -1", "closey: py5 = 0", "closez: pz5 = 0",
                                        "axisx: zx5 = 0", "axisz: zz5 = 0"};
  snprintf(text, 16384,
           "model bricard\n"
           "param w = %g, g = %g\n"
           "coord a[i in 1..5] = if(mod(i, 2) > 0.5, pi/2, -pi/2) rate w\n"
           "let dx0 = 1\nlet dy0 = 0\nlet dz0 = 0\nlet nx0 = 0\nlet ny0 = 1\nlet nz0 = 0\n"
           "let zx0 = 0\nlet zy0 = 0\nlet zz0 = 1\nlet px0 = 0\nlet py0 = 0\nlet pz0 = 0\n",
           W, GRAVITY);
  for (int i = 1; i <= 5; i++)
    for (int k = 0; k < 3; k++) {
      const char *c = axis[k], *sign = i % 2 ? "-" : "", *other = i % 2 ? "" : "-";
      char line[256];
      snprintf(line, sizeof line, "let d%s%d = cos(a[%d])*d%s%d + sin(a[%d])*n%s%d\n", c, i, i, c,
               i - 1, i, c, i - 1);
      add(text, "%s", line, 0, 0);
      snprintf(line, sizeof line, "let z%s%d = %s(cos(a[%d])*n%s%d - sin(a[%d])*d%s%d)\n", c, i,
               sign, i, c, i - 1, i, c, i - 1);
      add(text, "%s", line, 0, 0);
      snprintf(line, sizeof line, "let n%s%d = %sz%s%d\nlet p%s%d = p%s%d + d%s%d\n", c, i, other,
               c, i - 1, c, i, c, i - 1, c, i);
      add(text, "%s", line, 0, 0);
      snprintf(line, sizeof line, "kinetic (p%s%d'^2 + p%s%d'*p%s%d' + p%s%d'^2)/6\n", c, i - 1, c,
               i - 1, c, i, c, i);
      add(text, "%s", i > 1 ? line : "", 0, 0);
    }
  add(text, "%s", "kinetic (px1'^2 + py1'^2 + pz1'^2)/6\n", 0, 0);
  for (int i = 1; i <= 5; i++)
    add(text, "potential g*(p%s%d + pz%d)/2\n", "z", i - 1, i);
  for (int i = 0; i < 5; i++)
    add(text, i == last ? "" : "constraint %s\n", closing[i], 0, 0);
  add(text, "constraint %s\n", closing[last], 0, 0);
}

/* Ends of the links for alternating angles a, b, by turning the frame (d, n, z) link by link. */
static void bricard_points(double a, double b, double p[6][3])
{
  double d[3] = {1, 0, 0}, n[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++)
    p[0][k] = 0;
  for (int i = 1; i <= 5; i++)
    for (int k = 0; k < 3; k++) {
      double angle = i % 2 ? a : b, side = i % 2 ? 1 : -1;
      double along = cos(angle) * d[k] + sin(angle) * n[k];
      double across = cos(angle) * n[k] - sin(angle) * d[k];
      d[k] = along;
      n[k] = side * z[k];
      z[k] = -side * across;
      p[i][k] = p[i - 1][k] + along;
    }
}

/* Rate of (a, b) along the curve (1 + cos a)(1 + cos b) = 1 of closed loops, by conservation of
 * energy; returns the potential energy. */
static double bricard_rate(double energy, const double *u, double *rate)
{
  const double e = 1e-5, n[2] = {sin(u[1]) * (1 + cos(u[0])), -sin(u[0]) * (1 + cos(u[1]))};
  double before[6][3], after[6][3], at[6][3], T = 0, V = 0;
  bricard_points(u[0] - e * n[0], u[1] - e * n[1], before);
  bricard_points(u[0] + e * n[0], u[1] + e * n[1], after);
  bricard_points(u[0], u[1], at);
  for (int i = 1; i <= 5; i++) {
    V += GRAVITY * (at[i - 1][2] + at[i][2]) / 2;
    for (int k = 0; k < 3; k++) {
      double v = (after[i - 1][k] - before[i - 1][k]) / (2 * e),
             w = (after[i][k] - before[i][k]) / (2 * e);
      T += (v * v + v * w + w * w) / 6;
    }
  }
  double speed = -sqrt(fmax(energy - V, 0) / T);
  rate[0] = speed * n[0];
  rate[1] = speed * n[1];
  return V;
}

static void bricard_reference(double *u)
{
  const int steps = 20000;
  double energy = 0, h = TO / steps, k[4][2], s[2], scratch[2];
  u[0] = acos(0.0);
  u[1] = -u[0];
  double V = bricard_rate(1e9, u, scratch); /* the speed is W times that of scratch */
  energy = V + (1e9 - V) * (W / scratch[0]) * (W / scratch[0]);
  for (int i = 0; i < steps; i++) { /* the classical method of order 4 */
    static const double c[] = {0, 0.5, 0.5, 1}, b[] = {1, 2, 2, 1};
    for (int j = 0; j < 4; j++) {
      for (int r = 0; r < 2; r++)
        s[r] = u[r] + (j > 0 ? c[j] * h * k[j - 1][r] : 0);
      bricard_rate(energy, s, k[j]);
    }
    for (int j = 0; j < 4; j++)
      for (int r = 0; r < 2; r++)
        u[r] += h * b[j] / 6 * k[j][r];
  }
}

/* ---- three parallel cranks: two close the loop, the third is redundant ---- */

/* y2, y3 both give the rate of b where the cranks are vertical; only x2 or x3 is left then. */
static const char cranks[] =
    "model cranks\n"
    "param p = 1.3, g = 9.81, mc = 2\n"
    "coord a = -0.9, b = 0, d = -0.9, e = -0.9\n"
    "kinetic (a'^2 + d'^2 + e'^2)/6 + mc*(a'^2 + p^2*b'^2 + 2*p*a'*b'*cos(a - b))/2\n"
    "kinetic mc*p^2*b'^2/6\n"
    "potential g*(sin(a) + sin(d) + sin(e))/2 + mc*g*(sin(a) + p*sin(b))\n"
    "constraint y2: sin(a) + p*sin(b) - sin(d) = 0\n"
    "constraint y3: sin(a) + 2*p*sin(b) - sin(e) = 0\n"
    "constraint x2: cos(a) + p*cos(b) - cos(d) = p\n"
    "constraint x3: cos(a) + 2*p*cos(b) - cos(e) = 2*p\n";

static void cranks_reference(double *a)
{
  const int steps = 20000;
  double h = TO / steps, x = -0.9, v = 0, k = 3.5 * GRAVITY / 3;
  for (int i = 0; i < steps; i++) { /* symmetric composition of order 4 [Yoshida] */
    static const double c[] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};
    for (int j = 0; j < 3; j++) {
      x += c[j] * h / 2 * v;
      v -= c[j] * h * k * cos(x);
      x += c[j] * h / 2 * v;
    }
  }
  *a = x;
}

/* ---- runs ---- */

/* First coordinate at TO. */
static double run_to_end(const char *text, const char *name, double rtol)
{
  test_problem p;
  dae_model *model = text_problem(text, NULL, 0, TO, &p);
  const dae_method *method = strcmp(name, "auto") == 0
                                 ? dae_method_choose(&p.problem, NULL, 0, NULL)
                                 : dae_method_find(name, NULL);
  double options[128], at[64];
  char value[32];
  dae_error err = dae_error_none();
  dae_integrator *it;
  dae_status status = DAE_OK;
  assert_true(method->options_size <= sizeof options && p.size <= 64);
  method->defaults(options);
  snprintf(value, sizeof value, "%g", rtol);
  assert_int_equal(dae_options_set(method->options, options, "rtol", value, &err), DAE_OK);
  assert_int_equal(method->create(&p.problem, &p.start, options, NULL, &it, &err), DAE_OK);
  while (status == DAE_OK)
    status = dae_integrator_step(it, TO, &err);
  if (status < 0)
    fail_msg("%s at %g: %s", name, rtol, err.text);
  assert_int_equal(dae_integrator_interpolate(it, TO, at, NULL, &err), DAE_OK);
  dae_integrator_free(it);
  dae_model_free(model);
  return at[0];
}

static const char *const methods[] = {"auto",        "gauss",   "explicit", "radau",
                                      "spark-gauss", "bdf-ggl", "bdf-cs",   "bdf-cm"};

/* Errors within factor * rtol of the reference, by every method. */
static void check(const char *text, double reference, double factor)
{
  double last = getenv("DAEDAL_LONG") ? 1e-8 : 1e-6;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    for (double rtol = 1e-4; rtol > last / 2; rtol /= 100) {
      double error = fabs(run_to_end(text, methods[i], rtol) - reference);
      if (!(error < factor * rtol))
        fail_msg("%s at %g: error %g", methods[i], rtol, error);
    }
}

static void test_bricard_turns_through(void **state)
{
  (void)state;
  static char text[16384];
  double u[2];
  bricard_reference(u);
  for (int last = 0; last < 5; last++) {
    bricard_text(text, last);
    check(text, u[0], 300);
  }
}

static void test_three_cranks_swing_through(void **state)
{
  (void)state;
  double a;
  cranks_reference(&a);
  check(cranks, a, 100);
}

/* A run that continues from a saved state gives the same bits: the selection is part of the state.
 */
static void test_the_selection_is_saved(void **state)
{
  (void)state;
  test_problem p;
  dae_model *model = text_problem(cranks, NULL, 0, TO, &p);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const dae_method *method = strcmp(methods[i], "auto") == 0
                                   ? dae_method_choose(&p.problem, NULL, 0, NULL)
                                   : dae_method_find(methods[i], NULL);
    dae_error err = dae_error_none();
    dae_integrator *one, *two;
    double a[64], b[64];
    assert_int_equal(method->create(&p.problem, &p.start, NULL, NULL, &one, &err), DAE_OK);
    assert_int_equal(method->create(&p.problem, &p.start, NULL, NULL, &two, &err), DAE_OK);
    while (dae_integrator_view(one).t < TO / 2)
      assert_int_equal(dae_integrator_step(one, TO, &err), DAE_OK);
    size_t size = dae_integrator_save_size(one);
    void *buffer = malloc(size);
    assert_int_equal(dae_integrator_save(one, buffer, size, &err), DAE_OK);
    assert_int_equal(dae_integrator_load(two, buffer, size, &err), DAE_OK);
    free(buffer);
    while (dae_integrator_step(one, TO, &err) == DAE_OK)
      assert_int_equal(dae_integrator_step(two, TO, &err), DAE_OK);
    assert_int_equal(dae_integrator_step(two, TO, &err), DAE_END);
    assert_int_equal(dae_integrator_interpolate(one, TO, a, NULL, &err), DAE_OK);
    assert_int_equal(dae_integrator_interpolate(two, TO, b, NULL, &err), DAE_OK);
    assert_memory_equal(a, b, (size_t)p.size * sizeof *a);
    dae_integrator_free(one);
    dae_integrator_free(two);
  }
  dae_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bricard_turns_through),
      cmocka_unit_test(test_three_cranks_swing_through),
      cmocka_unit_test(test_the_selection_is_saved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
