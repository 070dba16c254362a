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

dae_problem dae__problem_of_part(const dae_part *part)
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
  int n = 0, elements = p->coupled->parts + p->coupled->joints;
  if (p->coupled->offset)
    return p->coupled->offset[elements];
  for (int i = 0; i < elements; i++)
    n += dae__coupled_element_size(p->coupled, i);
  return n;
}

int dae_problem_extended_size(const dae_problem *p)
{
  return dae_problem_size(p) + p->held.count;
}

int dae__coupled_element_size(const dae_coupled *c, int i)
{
  if (i >= c->parts)
    return c->joint[i - c->parts].ng;
  dae_problem part = dae__problem_of_part(&c->part[i]);
  return dae_problem_size(&part);
}

void dae_coupled_offsets(const dae_coupled *c, int *offset)
{
  offset[0] = 0;
  for (int i = 0; i < c->parts + c->joints; i++)
    offset[i + 1] = offset[i] + dae__coupled_element_size(c, i);
}

/* Part, or joint after the parts, to which entry *i of the state vector belongs; reduces *i to an
 * entry of its own. */
static int problem_coupled_element(const dae_coupled *c, int *i)
{
  int low = 0, high = c->parts + c->joints - 1;
  if (!c->offset) {
    for (int n; low < high && *i >= (n = dae__coupled_element_size(c, low)); low++)
      *i -= n;
    return low;
  }
  while (low < high) {
    int middle = low + (high - low + 1) / 2;
    if (c->offset[middle] <= *i)
      low = middle;
    else
      high = middle - 1;
  }
  *i -= c->offset[low];
  return low;
}

const char *dae__name_or_number(const char *const *names, const char *letter, int i, char *text,
                                size_t size)
{
  if (names && names[i])
    snprintf(text, size, "%s", names[i]);
  else
    snprintf(text, size, "%s[%d]", letter, i + 1);
  return text;
}

/* One vector of a state vector: its size, kind, names, and the letter of entries without one. */
typedef struct segment {
  int n;
  dae_variable_kind kind;
  const char *letter;
  const char *const *names;
} segment;

enum { MAX_SEGMENTS = 6 };

/* Name (unless size is 0) and kind of entry i of a state vector of several segments; of multipliers
 * lambda(rod) for a constraint labelled rod, lambda[1], lambda[2], ... for the unlabelled ones. */
static dae_variable_kind problem_segment_variable(const segment *s, int i, char *name, size_t size)
{
  char plain[64];
  for (int k = 1; k < MAX_SEGMENTS && i >= s->n; k++, s++)
    i -= s->n;
  const char *const *names = s->names;
  if (size == 0)
    return s->kind;
  bool unlabelled = s->kind == DAE_VARIABLE_MULTIPLIER && names && !names[i];
  int number = i + 1; /* of a multiplier, among those of constraints without a label */
  for (int j = 0; unlabelled && j < i; j++)
    number -= names[j] != NULL;
  if (s->kind != DAE_VARIABLE_MULTIPLIER)
    snprintf(name, size, s->kind == DAE_VARIABLE_RATE ? "der(%s)" : "%s",
             dae__name_or_number(names, s->letter, i, plain, sizeof plain));
  else if (names && names[i])
    snprintf(name, size, "%s(%s)", s->letter, names[i]);
  else
    snprintf(name, size, "%s[%d]", s->letter, number);
  return s->kind;
}

static dae_variable_kind problem_part_variable(const dae_part *part, int number, int i, char *name,
                                               size_t size)
{
  dae_problem problem = dae__problem_of_part(part);
  char inner[128], numbered[32];
  if (size == 0)
    return dae_problem_variable(&problem, i, NULL, 0);
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
  int element = problem_coupled_element(c, &i), j = element - c->parts;
  char label[48];
  if (j < 0)
    return problem_part_variable(&c->part[element], element, i, name, size);
  const dae_joint *joint = &c->joint[j];
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
  return DAE_VARIABLE_MULTIPLIER;
}

dae_variable_kind dae_problem_variable(const dae_problem *p, int i, char *name, size_t size)
{
  segment segments[MAX_SEGMENTS] = {{0}};
  int held = p->held.count > 0 ? i - dae_problem_size(p) : -1;
  if (held >= 0) {
    dae__name_or_number(p->held.names, "held", held, name, size);
    return DAE_VARIABLE_HELD;
  }
  if (p->mechanical) {
    const dae_mechanical *m = p->mechanical;
    segments[0] = (segment){m->nq, DAE_VARIABLE_COORDINATE, "q", m->q_names};
    segments[1] = (segment){m->nq, DAE_VARIABLE_RATE, "q", m->q_names};
    segments[2] = (segment){m->nu, DAE_VARIABLE_STATE, "u", m->u_names};
    segments[3] = (segment){m->nw, DAE_VARIABLE_ALGEBRAIC, "w", m->w_names};
    segments[4] = (segment){m->ng, DAE_VARIABLE_MULTIPLIER, "lambda", m->g_names};
    segments[5] = (segment){m->nk, DAE_VARIABLE_MULTIPLIER, "psi", m->k_names};
  } else if (p->momentum) {
    const dae_momentum *m = p->momentum;
    segments[0] = (segment){m->ny, DAE_VARIABLE_COORDINATE, "y", m->y_names};
    segments[1] = (segment){m->nz, DAE_VARIABLE_STATE, "z", m->z_names};
    segments[2] = (segment){m->ng, DAE_VARIABLE_MULTIPLIER, "lambda", m->g_names};
    segments[3] = (segment){m->nk, DAE_VARIABLE_MULTIPLIER, "psi", m->k_names};
  } else if (p->semi_explicit) {
    const dae_semi_explicit *s = p->semi_explicit;
    segments[0] = (segment){s->nx, DAE_VARIABLE_STATE, "x", s->x_names};
    segments[1] = (segment){s->ny, DAE_VARIABLE_ALGEBRAIC, "y", s->y_names};
  } else {
    return problem_coupled_variable(p->coupled, i, name, size);
  }
  return problem_segment_variable(segments, i, name, size);
}

void dae__problem_atol_scale(const dae_problem *p, double atol, int n, double *scale)
{
  int size = p->atol ? dae_problem_size(p) : 0;
  for (int i = 0; i < n; i++)
    scale[i] = i < size && p->atol[i] > 0 ? p->atol[i] / atol : 1;
}

dae_status dae__callback_status(const dae_error *why, int code, const char *callback, double t,
                                dae_error *err)
{
  if (code == 0)
    return DAE_OK;
  bool exhausted = why && why->status == DAE_ERROR_MEMORY;
  dae_status status = code > 0    ? DAE_ERROR_RECOVERABLE
                      : exhausted ? DAE_ERROR_MEMORY
                                  : DAE_ERROR_CALLBACK;
  if (why && why->status < 0 && !(code > 0 && exhausted))
    dae__fail(err, status, why->equation, "%s", why->text);
  else
    dae__fail(err, status, callback, "the callback %s %s", callback,
              code > 0 ? "refused the point" : "failed");
  dae__fail_at(err, t, NAN);
  return status;
}

int dae__callback_code(dae_status status)
{
  return status == DAE_OK ? 0 : status == DAE_ERROR_RECOVERABLE ? 1 : -1;
}
