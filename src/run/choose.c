/* The method that `auto` stands for. */
#include "run/choose.h"

#include "core/error.h"
#include "wave/create.h"

#include <stdio.h>

/* What the choice looks at; of a coupled problem, what its assembly will have. */
typedef struct features {
  bool mechanical;
  int holonomic, nonholonomic;
} features;

static void add_part(features *f, const dae_mechanical *m)
{
  if (!m)
    return;
  f->mechanical = true;
  f->holonomic += m->ng;
  f->nonholonomic += m->nk;
}

static features features_of(const dae_problem *p)
{
  features f = {0};
  add_part(&f, p->mechanical);
  for (int i = 0; p->coupled && i < p->coupled->parts; i++)
    add_part(&f, p->coupled->part[i].mechanical);
  for (int i = 0; p->coupled && i < p->coupled->joints; i++)
    f.holonomic += p->coupled->joint[i].ng;
  return f;
}

static void say_constraints(const features *f, char *text, size_t size)
{
  int n = f->holonomic, k = f->nonholonomic;
  if (n > 0 && k > 0)
    snprintf(text, size, "%d holonomic and %d nonholonomic constraints", n, k);
  else
    snprintf(text, size, "%d %s constraint%s", n + k, n > 0 ? "holonomic" : "nonholonomic",
             n + k > 1 ? "s" : "");
}

/* why the preferred method is preferred */
static void say_why(const dae_method *preferred, const dae_problem *p, const features *f, char *why,
                    size_t size)
{
  char constraints[80];
  say_constraints(f, constraints, sizeof constraints);
  if (preferred->iterates)
    snprintf(why, size,
             "coupled out of %d systems: each keeps its own solver, sweeps go on until they agree",
             p->coupled->parts);
  else if (p->momentum)
    snprintf(why, size, "in the momentum form, which only SPARK takes: symplectic, of order 2s");
  else if (p->coupled)
    snprintf(why, size, "coupled out of %d system%s: run as one assembled problem",
             p->coupled->parts, p->coupled->parts > 1 ? "s" : "");
  else if (f->holonomic + f->nonholonomic > 0)
    snprintf(why, size, "%s: stabilised index-2 form, variable order 1 to 5", constraints);
  else
    snprintf(why, size, "%s: variable order 1 to 5",
             f->mechanical ? "mechanical without constraints" : "semi-explicit");
}

static const char *name_of_one(const dae_problem *p, const features *f)
{
  if (p->momentum)
    return "spark-gauss";
  return f->mechanical && f->holonomic + f->nonholonomic > 0 ? "bdf-ggl" : "bdf";
}

static const char *name_for(const dae_problem *p, const features *f)
{
  bool iterated = p->coupled && dae__wave_accepts(p, NULL) >= 0;
  return iterated ? "gauss-seidel" : name_of_one(p, f);
}

static bool takes(const dae_method *method, const dae_problem *problem, dae_error *err)
{
  return !method->accepts || method->accepts(problem, err) >= 0;
}

const dae_method *dae__method_for_one(const dae_problem *problem, dae_error *err)
{
  features f = features_of(problem);
  const dae_method *method = dae_method_find(name_of_one(problem, &f), err);
  return method && takes(method, problem, err) ? method : NULL;
}

const dae_method *dae_method_choose(const dae_problem *problem, char *why, size_t size,
                                    dae_error *err)
{
  char unused[1];
  dae_error ours = dae_error_none();
  why = why && size > 0 ? why : unused;
  size = why == unused ? sizeof unused : size;
  why[0] = '\0';
  if (dae_problem_validate(problem, err) < 0)
    return NULL;
  features f = features_of(problem);
  const dae_method *preferred = dae_method_find(name_for(problem, &f), err);
  if (!preferred)
    return NULL;
  if (takes(preferred, problem, &ours)) {
    say_why(preferred, problem, &f, why, size);
    return preferred;
  }
  for (int i = 0; dae_method_at(i); i++)
    if (takes(dae_method_at(i), problem, NULL)) {
      snprintf(why, size, "the first that takes the problem, since %s does not: %s",
               preferred->name, ours.text);
      return dae_method_at(i);
    }
  if (err)
    *err = ours;
  return NULL;
}
