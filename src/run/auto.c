/* Selection of the method for `auto`. */
#include "run/auto.h"

#include "core/error.h"
#include "core/text.h"

#include <daedal/model.h>
#include <stdio.h>
#include <string.h>

/* Features of a problem by which `auto` selects a method; for a coupled problem, of its
 * assembly. */
typedef struct features {
  bool mechanical;
  int holonomic, nonholonomic;
  int algebraic; /* number of algebraic variables */
  bool mass;     /* whether a semi-explicit problem has a mass matrix, which may be singular */
} features;

static void auto_add_part(features *f, const dae_mechanical *m, const dae_semi_explicit *s)
{
  f->mechanical = f->mechanical || m;
  f->holonomic += m ? m->ng : 0;
  f->nonholonomic += m ? m->nk : 0;
  f->algebraic += m ? m->nw : s ? s->ny : 0;
  f->mass = f->mass || (s && s->M);
}

static features auto_features_of(const dae_problem *p)
{
  features f = {0};
  auto_add_part(&f, p->mechanical, p->semi_explicit);
  for (int i = 0; p->coupled && i < p->coupled->parts; i++)
    auto_add_part(&f, p->coupled->part[i].mechanical, p->coupled->part[i].semi_explicit);
  for (int i = 0; p->coupled && i < p->coupled->joints; i++)
    f.holonomic += p->coupled->joint[i].ng;
  return f;
}

/* Largest number of unknowns at which one factorisation a step is cheap beside the evaluations;
 * chosen, not measured. */
#define ROSENBROCK_UNKNOWNS_MAX 30
/* Least relative tolerances of rosenbrock and of bdf: below them the work of methods of order 5 and
 * less grows by 1.6 and more with a decimal digit, that of radau, whose order grows with the
 * tolerance, by 1.1 to 1.3. Measured (bench/auto.py): at 1e-7 rosenbrock takes 0.4 to 1 times the
 * time of radau on six circuits, reactions and clutches with algebraic variables, and twice the
 * time on a smooth motion of 16 driven periods, at 1e-8 four times; bdf takes the same between 1e-4
 * and 1e-6 on eleven circuits and reactions. */
#define ROSENBROCK_MIN_RTOL 1e-7
/* The same for problems free of time, whose steps grow as they come to rest, and take one
 * evaluation less: at 1e-8 rosenbrock takes 0.3 times the time of radau on Akzo Nobel and on
 * Robertson, and less for the same error up to 9 digits. */
#define ROSENBROCK_MIN_RTOL_TIME_FREE 1e-8
#define BDF_MIN_RTOL 1e-5
#define DEFAULT_RTOL 1e-6

/* Whether rosenbrock suits a semi-explicit problem: index 1 by declaration, derivatives given,
 * small. */
static bool auto_linearly_implicit(const dae_semi_explicit *s)
{
  return s && s->index == 1 && s->J && !s->M && s->ny > 0 &&
         s->nx + s->ny <= ROSENBROCK_UNKNOWNS_MAX;
}

/* Name of the method for a problem solved as one system. Where one evaluation gives the slopes,
 * steps without a matrix are the fastest until the motion is stiff. Algebraic variables need an
 * implicit method: radau for mechanical problems and for small tolerances, else rosenbrock for
 * small problems of index 1 and bdf for other semi-explicit ones such as circuits
 * (docs/methods/switching.md). */
static const char *auto_name_of_one(const dae_problem *p, const features *f, double rtol)
{
  bool linearly_implicit = auto_linearly_implicit(p->semi_explicit);
  double least = !linearly_implicit            ? BDF_MIN_RTOL
                 : p->semi_explicit->time_free ? ROSENBROCK_MIN_RTOL_TIME_FREE
                                               : ROSENBROCK_MIN_RTOL;
  if (p->momentum)
    return "spark-gauss";
  if (f->algebraic == 0 && !f->mass)
    return "switching";
  /* a tolerance read from text may be below the limit by round-off */
  if (f->mechanical || rtol < (1 - 1e-9) * least)
    return "radau";
  return linearly_implicit ? "rosenbrock" : "bdf";
}

/* Reason for the selection of the preferred method: "mechanical with 2 holonomic constraints: gauss
 * or explicit steps, ...". */
static void auto_reason_text(const dae_problem *p, const features *f, const dae_method *method,
                             char *why, size_t size)
{
  int n = f->holonomic, k = f->nonholonomic;
  bool implicit = f->algebraic > 0 || f->mass;
  dae__text t = dae__text_in(why, size);
  if (p->momentum) {
    dae__text_add(&t, "in the momentum form, which only SPARK takes: symplectic, of order 2s");
    return;
  }
  if (p->coupled)
    dae__text_add(&t, "%d system%s assembled into one, ", p->coupled->parts,
                  p->coupled->parts > 1 ? "s" : "");
  dae__text_add(&t, "%s",
                f->mechanical      ? "mechanical "
                : f->algebraic > 0 ? "semi-explicit with algebraic variables"
                : f->mass          ? "quasi-linear"
                                   : "ordinary differential equations");
  if (f->mechanical && n > 0 && k > 0)
    dae__text_add(&t, "with %d holonomic and %d nonholonomic constraints", n, k);
  else if (f->mechanical && n + k > 0)
    dae__text_add(&t, "with %d %s constraint%s", n + k, n > 0 ? "holonomic" : "nonholonomic",
                  n + k > 1 ? "s" : "");
  else if (f->mechanical)
    dae__text_add(&t, "without constraints");
  dae__text_add(
      &t, "%s: %s", f->mechanical && f->algebraic > 0 ? " and with algebraic variables" : "",
      !implicit ? "gauss or explicit steps, radau where the motion is stiff"
      : strcmp(method->name, "radau") == 0      ? "Radau IIA of order 5, 9 or 13, by the tolerance"
      : strcmp(method->name, "rosenbrock") == 0 ? "linearly implicit, of order 4 or 5"
                                                : "variable order 1 to 5");
}

static bool auto_accepts(const dae_method *method, const dae_problem *problem, dae_error *err)
{
  return !method->accepts || method->accepts(problem, err) >= 0;
}

const dae_method *dae__method_for_one(const dae_problem *problem, double rtol, dae_error *err)
{
  features f = auto_features_of(problem);
  const dae_method *method = dae_method_find(auto_name_of_one(problem, &f, rtol), err);
  return method && auto_accepts(method, problem, err) ? method : NULL;
}

const dae_method *dae_method_choose_at(const dae_problem *problem, double rtol, char *why,
                                       size_t size, dae_error *err)
{
  char unused[1];
  dae_error ours = dae_error_none();
  why = why && size > 0 ? why : unused;
  size = why == unused ? sizeof unused : size;
  why[0] = '\0';
  if (dae_problem_validate(problem, err) < 0)
    return NULL;
  features f = auto_features_of(problem);
  const dae_method *preferred =
      dae_method_find(auto_name_of_one(problem, &f, rtol > 0 ? rtol : DEFAULT_RTOL), err);
  if (!preferred)
    return NULL;
  if (auto_accepts(preferred, problem, &ours)) {
    auto_reason_text(problem, &f, preferred, why, size);
    return preferred;
  }
  for (int i = 0; dae_method_at(i); i++)
    if (auto_accepts(dae_method_at(i), problem, NULL)) {
      snprintf(why, size, "the first method that accepts the problem; %s does not: %s",
               preferred->name, ours.text);
      return dae_method_at(i);
    }
  if (err)
    *err = ours;
  return NULL;
}

const dae_method *dae_method_choose(const dae_problem *problem, char *why, size_t size,
                                    dae_error *err)
{
  return dae_method_choose_at(problem, DEFAULT_RTOL, why, size, err);
}

/* First setting by which a system asks for a solver of its own; NULL: there is none. */
static const dae_model_setting *auto_own_solver(const dae_model *model)
{
  const dae_model_setting *s;
  for (int i = 0, count = dae_model_settings(model, &s); i < count; i++)
    if (s[i].system && (strcmp(s[i].name, "method") == 0 || strcmp(s[i].name, "step") == 0))
      return &s[i];
  return NULL;
}

/* The chosen method, or the first one with variable steps whose constructor accepts the start where
 * it does not: of a semi-explicit problem whose index is not declared, values of the start decide.
 */
static const dae_method *auto_check_start(const dae_model *model, const dae_method *chosen,
                                          char *why, size_t size)
{
  const dae_problem *p = dae_model_problem(model);
  dae_start start = dae_model_start(model);
  dae_error err = dae_error_none();
  if (!p->semi_explicit || p->semi_explicit->ny == 0 ||
      dae_method_check(chosen, p, &start, NULL, NULL, &err) >= 0)
    return chosen;
  for (int i = 0; dae_method_at(i); i++) {
    const dae_method *method = dae_method_at(i);
    if (method->fixed_step || method->iterates ||
        dae_method_check(method, p, &start, NULL, NULL, NULL) < 0)
      continue;
    if (why)
      snprintf(why, size, "the first method that accepts the start; %s does not: %s", chosen->name,
               err.text);
    return method;
  }
  return chosen;
}

const dae_method *dae_model_choose_at(const dae_model *model, double rtol, char *why, size_t size,
                                      dae_error *err)
{
  const dae_model_setting *own = auto_own_solver(model);
  const dae_model_setting *setting = dae_model_find_setting(model, "rtol");
  if (!own) {
    const dae_method *chosen = dae_method_choose_at(dae_model_problem(model),
                                                    rtol > 0  ? rtol
                                                    : setting ? setting->value
                                                              : DEFAULT_RTOL,
                                                    why, size, err);
    return chosen ? auto_check_start(model, chosen, why, size) : NULL;
  }
  if (why)
    snprintf(why, size, "system %s has a solver of its own, by `%s %s`", own->system, own->name,
             own->text);
  return dae_method_find("gauss-seidel", err);
}

const dae_method *dae_model_choose(const dae_model *model, char *why, size_t size, dae_error *err)
{
  return dae_model_choose_at(model, 0, why, size, err);
}
