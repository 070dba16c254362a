/* Every derivative a model gives, against hyper-dual derivatives of the expressions it was derived
 * from: the energies, forces, constraints and equations as they were written. For all example
 * models and one that holds every operator, dense and sparse, at their start and away from it.
 *
 * Agreement: 1e-12, relative to the largest entry of the row of the matrix, or to 1. */
#include "model_site.h"

#include <daedal/daedal.h>
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define STATES 4 /* the start, and others */

/* ---- the models ---- */

typedef struct subject {
  const char *name; /* of the file, or "text" */
  const char *text; /* NULL: a file of examples/models */
  const char *set;  /* a size that is small, but large enough for sparse matrices */
  double spread;    /* of the other states, relative to near + |value| */
  double near;
} subject;

static const char everything[] =
    "model everything\n"
    "param N = 2, a = 0.7, c[i in 1..N] = 1/i\n"
    "let smooth(z) = tan(z/4) + asin(z/5) + acos(z/6)*z + log10(2 + z^2) + tanh(z)\n"
    "system body {\n"
    "  coord x[i in 1..N] = 0.3*i rate 0.2, y[i in 1..N] = 0.5 - i/20 rate (-1)^i/2, z = 0.2 rate "
    "1\n"
    "  state u[1..2] = 0.4\n"
    "  discrete m = 1.5\n"
    "  alg w[i in 1..N] = 0.3\n"
    "  for i in 1..N {\n"
    "    kinetic (1 + sin(t)^2)*(2 + cos(x[i]))*x[i]'^2/2 + exp(y[i]/3)*y[i]'^2\n"
    "    kinetic x[i]'*y[i]'*tanh(x[i]*y[i])/4 + sqrt(1 + x[i]'^2*y[i]^2 + z'^2)\n"
    "    potential atan(x[i]*other.h) + log(1 + y[i]^2)*m + hypot(x[i], 1 + y[i])\n"
    "    potential asin(0.3*sin(x[i]*t)) + cosh(y[i] - z)*other.e[1]^2 + 1/(3 + x[i])^2.5\n"
    "    force x[i] = u[1]*w[i]*x[i]' + sinh(y[i])*other.h - atan2(y[i], 1 + x[i]^2)\n"
    "    force y[i] = -abs(y[i]')*y[i]' + (1 + x[i]^2)^(w[i]/3) + min(x[i], u[2]) + m*sign(z)\n"
    "    constraint k[i]: x[i]'^2*y[i] + y[i]'*x[i]*cos(t) + z'*exp(w0(x[i])) = 3\n"
    "    exp(w[i]) + u[1]*w[i] = 1 + x[i]*u[2] + y[i]'^2 + other.e[2]*t\n"
    "  }\n"
    "  let w0(p) = if(p > 0.4 && !(p > 9), smooth(p)/3, sin(p)^3)\n"
    "  let q = x[1]*cos(y[N]) + t*z\n"
    "  kinetic q'^2 + sum(i in 1..N-1, x[i]'*x[i+1]'*cos(x[i] - x[i+1]))/5\n"
    "  constraint g: (z - c[1]*x[1]*y[N])*(1 + t) + atan2(x[N] + t, 2 + y[1]) = z^3 + 0.1\n"
    "  constraint max(x[1], y[1]) + x[N]*z/(1 + y[1]^2) = mod(7, 4)*sin(t + x[1])\n"
    "  force z = other.h*floor(2.5 + z)*z' + u[1]*u[2]\n"
    "  u[1]' + z*u[2]' = sin(u[1]) + w[1]*z' + other.e[2]\n"
    "  u[2]' - u[1]'*t = u[2]*x[1]' + other.h^2\n"
    "}\n"
    "system other {\n"
    "  coord h = 0.4\n"
    "  state e[1..2] = 0.6\n"
    "  kinetic (1 + h^2)*h'^2\n"
    "  force h = -h*body.z*e[1] + body.x[1]' + body.u[1] - body.w[1]\n"
    "  e[1]' = sin(body.y[1]*e[2]) + t*h\n"
    "  e[2]' = body.m*e[1]*h'\n"
    "}\n"
    "joint link: body.x[1]^2*other.h + sin(t)*body.z = other.h^3 + body.y[2]*t\n"
    "joint body.z + a*other.h = body.x[2]*body.y[1]\n"
    "output energy = kinetic + potential, force_l = lambda(link)*other.h'\n"
    "event e1: body.x[1]*other.h' + sin(t*body.u[1]) + body.w[1]^2 - lambda(link)/10\n"
    "event e2: other.e[1] - 0.1 falling { other.e[1] = 2*other.e[2]; body.x[1]' = -body.x[1]' }\n"
    "simulate to 1\n";

static const char circuits[] =
    "model circuits\n"
    "param N = 2\n"
    "system line {\n"
    "  state v[1..N] = 0.5, r = 0.3\n"
    "  discrete on = 1\n"
    "  alg i[k in 1..N] = 0.2\n"
    "  for k in 1..N { (1 + v[k]^2*on)*v[k]' + sin(t + v[k])*r' = i[k]*exp(-v[k]) + load.p*on }\n"
    "  r'*(2 + cos(r*v[1])) - t*v[N]' = load.s - sum(k in 1..N, i[k]^2)\n"
    "  for k in 1..N { i[k] + i[k]^3 = log(2 + v[k]*t) + load.p^2*r }\n"
    "}\n"
    "system load {\n"
    "  state s = 0.1\n"
    "  alg p = 0.2\n"
    "  s' = line.v[1]*p - s\n"
    "  p = tanh(line.i[1]*t) + s^2 - p^3\n"
    "}\n"
    "event e: line.v[1]*t - load.p rising { line.on = 1 - line.on }\n"
    "simulate to 1\n";

/* what differs from {.spread = 0.2, .near = 1} */
static const subject special[] = {
    {"chain.dae", NULL, "N=8", 0.2, 1},
    {"hanging_chain.dae", NULL, "N=8", 0.2, 1},
    {"heated_bar.dae", NULL, "N=32", 0.2, 1},
    {"akzo_nobel.dae", NULL, NULL, 0.2, 1e-4}, /* y2 stays positive */
    {"transistor_amplifier.dae", NULL, NULL, 0.01, 1},
    {"everything", everything, NULL, 0.1, 1},
    {"everything, sparse", everything, "N=6", 0.1, 1},
    {"circuits", circuits, NULL, 0.1, 1},
    {"circuits, sparse", circuits, "N=15", 0.1, 1},
};
enum { SPECIAL = sizeof special / sizeof *special };

/* ---- a whole model ---- */

/* Forces without the terms in multipliers, which are directions of the constraint forces. */
static void check_forces_alone(base *b, const site *c, const dae_mechanical *p)
{
  double *kept = site_vector(b->layout.leaves);
  for (int leaf = 1; leaf < b->layout.leaves; leaf++) {
    kept[leaf] = b->value[leaf];
    if (b->x.leaf_kind.item[leaf] == DAE__LEAF_MULTIPLIER)
      b->value[leaf] = 0;
  }
  check_mechanical(c, p);
  memcpy(b->value + 1, kept + 1, sizeof *kept * (size_t)(b->layout.leaves - 1));
  free(kept);
}

static void check_unit(const char *model, base *b, const dae__system *u, const dae_part *part)
{
  site c = {.model = model, .b = b, .u = u, .own = &b->x.instances.item[u->instance]};
  int constraints = c.own->holonomic.count + c.own->nonholonomic.count;
  double *q = site_values(b, &u->q), *v = site_vector(u->q.count), *x = site_values(b, &u->u);
  double *y = site_values(b, &u->w), *in = site_values(b, &u->in);
  double *s = site_random_vector(u->q.count + u->u.count + constraints);
  double *in_rate = site_random_vector(u->in.count);
  for (int i = 0; i < u->q.count; i++)
    v[i] = b->value[base_rate(b, u->q.item[i])];
  c.s = s;
  c.in_rate = in_rate;
  c.mechanical = (dae_mechanical_at){b->value[0], q, v, x, y, in};
  c.semi = (dae_semi_explicit_at){b->value[0], x, y, in};
  assert_true(u->mechanical == (part->mechanical != NULL));
  if (part->mechanical)
    check_forces_alone(b, &c, part->mechanical);
  else
    check_semi(&c, part->semi_explicit);
  free(q), free(v), free(x), free(y), free(in), free(s), free(in_rate);
}

/* the start (number 0), or a state around it; multipliers anywhere */
static void choose_state(base *b, const dae_start *start, const subject *of, int number, double *y)
{
  b->value[0] = start->t + (number > 0 ? site_random(0, 1) : 0);
  for (int leaf = 1; leaf < b->layout.leaves; leaf++) {
    int entry = b->layout.entry[leaf];
    if (entry < 0)
      continue;
    double value = start->y[entry];
    if (b->x.leaf_kind.item[leaf] == DAE__LEAF_MULTIPLIER)
      value = site_random(-3, 3);
    else if (number > 0)
      value += of->spread * (of->near + fabs(value)) * site_random(-1, 1);
    b->value[leaf] = y[entry] = value;
  }
}

static void check_state(const char *name, base *b, const dae_run_plan *plan, const double *y)
{
  const dae_problem *problem = &plan->problem;
  const dae_part alone = {.mechanical = problem->mechanical,
                          .semi_explicit = problem->semi_explicit};
  const dae_coupled *coupled = problem->coupled;
  for (int i = 0; i < problem->held.count; i++)
    problem->held.value[i] = y[dae_problem_size(problem) + i];
  assert_int_equal(b->layout.count, coupled ? coupled->parts : 1);
  for (int i = 0; i < b->layout.count; i++)
    check_unit(name, b, &b->layout.system[i], coupled ? &coupled->part[i] : &alone);
  for (int i = 0; coupled && i < coupled->joints; i++)
    check_joint(name, b, i, &coupled->joint[i]);
  check_events(name, b, plan, y);
  check_outputs(name, b, plan, y);
  check_lets(name, b);
}

static void check_model(const subject *of)
{
  char path[512];
  base b;
  dae_model *model;
  dae_error err;
  dae_run_plan plan = {.every = 0};
  dae_model_options options = dae_model_defaults();
  options.set = &of->set;
  options.set_count = of->set != NULL;
  snprintf(path, sizeof path, "%s/%s", MODELS, of->name);
  dae_status status =
      of->text ? dae_model_parse("text", of->text, strlen(of->text), &options, NULL, &model, &err)
               : dae_model_load(path, &options, NULL, &model, &err);
  if (status != DAE_OK)
    fail_msg("%s:%d: %s", of->name, err.line, err.text);
  base_open(&b, path, of->text, &options);
  dae_model_plan(model, &plan);
  assert_int_equal(b.layout.size, dae_problem_size(&plan.problem));
  double *y = site_vector(dae_problem_extended_size(&plan.problem));
  site_begin();
  for (int number = 0; number < STATES; number++) {
    choose_state(&b, &plan.start, of, number, y);
    check_state(of->name, &b, &plan, y);
  }
  bool sparse = !of->set;
  for (int i = 0; i < b.layout.count; i++)
    sparse = sparse || b.layout.system[i].sparse;
  assert_true(sparse);
  double worst;
  long compared = site_record(&worst);
  if (getenv("DAEDAL_VERBOSE"))
    print_message("%-26s %7ld entries agree to %.1e\n", of->name, compared, worst);
  free(y);
  base_close(&b);
  dae_model_free(model);
}

/* ---- tests ---- */

static void test_derivatives_of_the_examples_are_exact(void **state)
{
  (void)state;
  DIR *folder = opendir(MODELS);
  assert_non_null(folder);
  int found = 0;
  for (const struct dirent *file = readdir(folder); file; file = readdir(folder)) {
    const char *end = strrchr(file->d_name, '.');
    if (!end || strcmp(end, ".dae") != 0)
      continue;
    subject of = {file->d_name, NULL, NULL, 0.2, 1};
    for (int i = 0; i < SPECIAL; i++)
      if (!strcmp(special[i].name, file->d_name))
        of = special[i];
    check_model(&of);
    found++;
  }
  closedir(folder);
  assert_true(found > 0);
}

static void test_derivatives_of_every_operator_are_exact_dense_and_sparse(void **state)
{
  (void)state;
  for (int i = 0; i < SPECIAL; i++)
    if (special[i].text)
      check_model(&special[i]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_derivatives_of_the_examples_are_exact),
      cmocka_unit_test(test_derivatives_of_every_operator_are_exact_dense_and_sparse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
