/* The four problem forms behind dae_problem: size of the state vector, names of its entries, status
 * of callbacks. */
#include "problem/problem.h"
#include "core/error.h"
#include "problem/mechanical/mech.h"
#include "problem/momentum/momentum.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

dae_problem dae_problem_mechanical(const dae_mechanical *mechanical)
{
  return (dae_problem){.mechanical = mechanical};
}

dae_problem dae_problem_semi_explicit(const dae_semi_explicit *semi_explicit)
{
  return (dae_problem){.semi_explicit = semi_explicit};
}

dae_problem dae_problem_momentum(const dae_momentum *momentum)
{
  return (dae_problem){.momentum = momentum};
}

dae_problem dae_problem_coupled(const dae_coupled *coupled)
{
  return (dae_problem){.coupled = coupled};
}

static dae_problem problem_of_part(const dae_part *part)
{
  return (dae_problem){.mechanical = part->mechanical, .semi_explicit = part->semi_explicit};
}

int dae_problem_size(const dae_problem *p)
{
  if (p->mechanical)
    return dae__mech_layout_of(p->mechanical).size;
  if (p->semi_explicit)
    return p->semi_explicit->nx + p->semi_explicit->ny;
  if (p->momentum)
    return dae__momentum_layout_of(p->momentum).size;
  int n = 0;
  for (int i = 0; i < p->coupled->parts; i++) {
    dae_problem part = problem_of_part(&p->coupled->part[i]);
    n += dae_problem_size(&part);
  }
  for (int i = 0; i < p->coupled->joints; i++)
    n += p->coupled->joint[i].ng;
  return n;
}

/* name = names[i], or letter[i + 1] without one; as prefix(name) where a prefix is given. */
static void problem_write_name(const char *prefix, const char *const *names, const char *letter,
                               int i, char *name, size_t size)
{
  char plain[64];
  if (names && names[i])
    snprintf(plain, sizeof plain, "%s", names[i]);
  else
    snprintf(plain, sizeof plain, "%s[%d]", letter, i + 1);
  if (prefix)
    snprintf(name, size, "%s(%s)", prefix, plain);
  else
    snprintf(name, size, "%s", plain);
}

/* Name of multiplier i: lambda(rod) for a constraint labelled rod, lambda[1], lambda[2], ... for
 * the unlabelled ones. */
static void problem_write_multiplier(const char *letter, const char *const *names, int i,
                                     char *name, size_t size)
{
  int unlabelled = 1;
  if (names && names[i]) {
    snprintf(name, size, "%s(%s)", letter, names[i]);
    return;
  }
  for (int j = 0; names && j < i; j++)
    unlabelled += names[j] == NULL;
  snprintf(name, size, "%s[%d]", letter, names ? unlabelled : i + 1);
}

static dae_variable_kind problem_mechanical_variable(const dae_mechanical *p, int i, char *name,
                                                     size_t size)
{
  dae__mech_layout at = dae__mech_layout_of(p);
  if (i < at.v) {
    problem_write_name(NULL, p->q_names, "q", i, name, size);
    return DAE_VARIABLE_COORDINATE;
  }
  if (i < at.u) {
    problem_write_name("der", p->q_names, "q", i - at.v, name, size);
    return DAE_VARIABLE_RATE;
  }
  if (i < at.w) {
    problem_write_name(NULL, p->u_names, "u", i - at.u, name, size);
    return DAE_VARIABLE_STATE;
  }
  if (i < at.lambda) {
    problem_write_name(NULL, p->w_names, "w", i - at.w, name, size);
    return DAE_VARIABLE_ALGEBRAIC;
  }
  if (i < at.psi)
    problem_write_multiplier("lambda", p->g_names, i - at.lambda, name, size);
  else
    problem_write_multiplier("psi", p->k_names, i - at.psi, name, size);
  return DAE_VARIABLE_MULTIPLIER;
}

static dae_variable_kind problem_momentum_variable(const dae_momentum *p, int i, char *name,
                                                   size_t size)
{
  dae__momentum_layout at = dae__momentum_layout_of(p);
  if (i < at.z) {
    problem_write_name(NULL, p->y_names, "y", i, name, size);
    return DAE_VARIABLE_COORDINATE;
  }
  if (i < at.lambda) {
    problem_write_name(NULL, p->z_names, "z", i - at.z, name, size);
    return DAE_VARIABLE_STATE;
  }
  if (i < at.psi)
    problem_write_multiplier("lambda", p->g_names, i - at.lambda, name, size);
  else
    problem_write_multiplier("psi", p->k_names, i - at.psi, name, size);
  return DAE_VARIABLE_MULTIPLIER;
}

static dae_variable_kind problem_part_variable(const dae_part *part, int number, int i, char *name,
                                               size_t size)
{
  dae_problem problem = problem_of_part(part);
  char inner[128], numbered[32];
  dae_variable_kind kind = dae_problem_variable(&problem, i, inner, sizeof inner);
  snprintf(numbered, sizeof numbered, "part[%d]", number + 1);
  const char *label = part->name ? part->name : numbered;
  const char *dot = label[0] ? "." : "";
  /* the name of the part precedes that of the variable, inside der(...) and lambda(...) */
  char *bracket = strchr(inner, '(');
  if (bracket)
    snprintf(name, size, "%.*s(%s%s%s", (int)(bracket - inner), inner, label, dot, bracket + 1);
  else
    snprintf(name, size, "%s%s%s", label, dot, inner);
  return kind;
}

static dae_variable_kind problem_coupled_variable(const dae_coupled *c, int i, char *name,
                                                  size_t size)
{
  for (int part = 0; part < c->parts; part++) {
    dae_problem problem = problem_of_part(&c->part[part]);
    int n = dae_problem_size(&problem);
    if (i < n)
      return problem_part_variable(&c->part[part], part, i, name, size);
    i -= n;
  }
  for (int j = 0; j < c->joints; i -= c->joint[j].ng, j++) {
    const dae_joint *joint = &c->joint[j];
    if (i >= joint->ng)
      continue;
    char label[48];
    if (joint->name)
      snprintf(label, sizeof label, "%s", joint->name);
    else
      snprintf(label, sizeof label, "joint[%d]", j + 1);
    if (joint->g_names && joint->g_names[i])
      snprintf(name, size, "lambda(%s)", joint->g_names[i]);
    else if (joint->ng > 1)
      snprintf(name, size, "lambda(%s[%d])", label, i + 1);
    else
      snprintf(name, size, "lambda(%s)", label);
    break;
  }
  return DAE_VARIABLE_MULTIPLIER;
}

dae_variable_kind dae_problem_variable(const dae_problem *p, int i, char *name, size_t size)
{
  const dae_semi_explicit *semi = p->semi_explicit;
  if (p->mechanical)
    return problem_mechanical_variable(p->mechanical, i, name, size);
  if (p->momentum)
    return problem_momentum_variable(p->momentum, i, name, size);
  if (!semi)
    return problem_coupled_variable(p->coupled, i, name, size);
  bool algebraic = i >= semi->nx;
  problem_write_name(NULL, algebraic ? semi->y_names : semi->x_names, algebraic ? "y" : "x",
                     algebraic ? i - semi->nx : i, name, size);
  return algebraic ? DAE_VARIABLE_ALGEBRAIC : DAE_VARIABLE_STATE;
}

dae_status dae__callback_status(const dae_error *why, int code, const char *callback, double t,
                                dae_error *err)
{
  if (code == 0)
    return DAE_OK;
  dae_status status = code > 0 ? DAE_ERROR_RECOVERABLE : DAE_ERROR_CALLBACK;
  if (why && why->status < 0)
    dae__fail(err, status, why->equation, "%s", why->text);
  else
    dae__fail(err, status, callback, "the callback %s %s", callback,
              code > 0 ? "refused the point" : "failed");
  dae__fail_at(err, t, NAN);
  return status;
}
