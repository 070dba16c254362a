/* Putting an assembly together: what is refused, where everything goes, the order of the state
 * vectors. The evaluations are in assembly_mechanical.c and assembly_semi.c. */
#include "problem/coupled/assembly.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "problem/coupled/assembly_parts.h"
#include "problem/problem.h"
#include <stdio.h>

/* ---- what is refused ---- */

static bool assembly_any_mechanical(const dae_coupled *c)
{
  for (int i = 0; i < c->parts; i++)
    if (c->part[i].mechanical)
      return true;
  return false;
}

static const char *assembly_part_name(dae__arena *arena, const char *given, const char *kind, int i)
{
  char text[32];
  if (given)
    return given;
  int length = snprintf(text, sizeof text, "%s[%d]", kind, i + 1);
  char *name = DAE__ALLOC(arena, char, length + 1);
  if (name)
    memcpy(name, text, (size_t)length + 1);
  return name;
}

/* a part in a message; its name may be empty */
static const char *assembly_shown(const char *name)
{
  return name[0] ? name : "without a name";
}

static dae_status assembly_check_semi(const dae_semi_explicit *p, const char *name, dae_error *err)
{
  if (p->M)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "the part %s has a mass matrix of its own, M x' = f, which has no place in a "
                     "mechanical problem; solve for x', or give it as a mechanical part",
                     assembly_shown(name));
  if (p->index > 1)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "the part %s has index %d, but the algebraic variables of a mechanical "
                     "problem are of index 1; write its constraint as one of a mechanical part",
                     assembly_shown(name), p->index);
  return DAE_OK;
}

static dae_status assembly_check_wire(const dae__assembly *a, const dae_wire *w, dae_error *err)
{
  const dae__element *to = &a->element[w->part], *from = &a->element[w->from.part];
  if (w->from.variable < from->nz)
    return DAE_OK;
  return dae__fail(err, DAE_ERROR_UNSUPPORTED, to->name,
                   "input %d of the part %s is wired to a multiplier of %s: one problem has no "
                   "such input, since its forces do not depend on multipliers",
                   w->input + 1, assembly_shown(to->name),
                   from->name[0] ? from->name : "a part without a name");
}

/* ---- where everything goes ---- */

/* range[i] = first + i */
static void assembly_fill(int n, int first, int *range)
{
  for (int i = 0; i < n; i++)
    range[i] = first + i;
}

static void assembly_advance(dae__sizes *total, const dae__element *e)
{
  if (!e->joint) {
    total->q += e->n.q;
    total->u += e->n.u;
    total->w += e->n.w;
    total->k += e->n.k;
  }
  total->g += e->n.g;
}

/* z = (q, v, u, w), rows (f, s, c), constraint rows */
static void assembly_place_part(const dae__sizes *total, dae__element *e)
{
  int nq = e->n.q, nu = e->n.u, nw = e->n.w, Q = total->q, U = total->u;
  assembly_fill(nq, e->at.q, e->z);
  assembly_fill(nq, Q + e->at.q, e->z + nq);
  assembly_fill(nu, 2 * Q + e->at.u, e->z + 2 * nq);
  assembly_fill(nw, 2 * Q + U + e->at.w, e->z + 2 * nq + nu);
  assembly_fill(nq, e->at.q, e->row);
  assembly_fill(nu, Q + e->at.u, e->row + nq);
  assembly_fill(nw, Q + U + e->at.w, e->row + nq + nu);
  assembly_fill(e->n.g, e->at.g, e->g);
  assembly_fill(e->n.k, e->at.k, e->k);
}

static void assembly_place_joint(const dae__assembly *a, dae__element *e)
{
  for (int i = 0; i < e->n.q; i++) {
    dae_port z = e->joint->z[i];
    e->z[i] = a->element[z.part].at.q + z.variable;
    e->z[e->n.q + i] = a->total.q + e->z[i];
    e->row[i] = e->z[i];
  }
  assembly_fill(e->n.g, e->at.g, e->g);
}

static dae_status assembly_place(dae__assembly *a, dae_error *err)
{
  const dae_coupled *c = a->coupled;
  for (int i = 0; i < a->elements; i++) {
    a->element[i].at = a->total;
    assembly_advance(&a->total, &a->element[i]);
  }
  for (int i = 0; i < a->elements; i++)
    if (i < a->parts)
      assembly_place_part(&a->total, &a->element[i]);
    else
      assembly_place_joint(a, &a->element[i]);
  for (int i = 0; i < c->wires; i++) {
    const dae_wire *w = &c->wire[i];
    DAE__TRY(assembly_check_wire(a, w, err));
    a->element[w->part].source[w->input] = a->element[w->from.part].z[w->from.variable];
  }
  return DAE_OK;
}

/* entry i of the coupled state vector is entry order[i] of (q, v, u, w, lambda, psi) */
static void assembly_find_order(dae__assembly *a, dae__arena *arena)
{
  int n = 0, lambda = 2 * a->total.q + a->total.u + a->total.w, psi = lambda + a->total.g;
  a->size = psi + a->total.k;
  a->order = DAE__ALLOC(arena, int, a->size);
  if (!a->order)
    return;
  for (int i = 0; i < a->elements; i++) {
    const dae__element *e = &a->element[i];
    for (int j = 0; j < e->nz && !e->joint; j++)
      a->order[n++] = e->z[j];
    for (int j = 0; j < e->n.g; j++)
      a->order[n++] = lambda + e->g[j];
    for (int j = 0; j < e->n.k; j++)
      a->order[n++] = psi + e->k[j];
  }
}

static bool assembly_has_pattern(const dae_part *part)
{
  if (part->mechanical)
    return part->mechanical->M_pattern || part->mechanical->J_pattern;
  return part->semi_explicit->J_pattern != NULL;
}

static bool assembly_is_sparse(const dae__assembly *a)
{
  if (a->parts > 1 && a->size > DAE__DENSE_UP_TO)
    return true;
  for (int i = 0; i < a->parts; i++)
    if (assembly_has_pattern(&a->coupled->part[i]))
      return true;
  return false;
}

/* ---- creating ---- */

static dae_status assembly_create_elements(dae__assembly *a, dae__arena *arena, dae_error *err)
{
  const dae_coupled *c = a->coupled;
  bool mechanical = assembly_any_mechanical(c);
  dae_status status = DAE_OK;
  for (int i = 0; i < a->elements && !status; i++) {
    dae__element *e = &a->element[i];
    int j = i - a->parts;
    const char *name = i < a->parts ? assembly_part_name(arena, c->part[i].name, "part", i)
                                    : assembly_part_name(arena, c->joint[j].name, "joint", j);
    if (!name)
      return dae__out_of_memory(err);
    if (i < a->parts && mechanical && c->part[i].semi_explicit)
      status = assembly_check_semi(c->part[i].semi_explicit, name, err);
    DAE__TRY(status);
    status = i < a->parts ? dae__element_part(arena, &c->part[i], name, e, err)
                          : dae__element_joint(arena, &c->joint[j], name, e, err);
  }
  return status;
}

dae_status dae__assembly_create(dae__arena *arena, const dae_problem *coupled, dae__assembly **out,
                                dae_error *err)
{
  *out = NULL;
  DAE__TRY(dae_problem_validate(coupled, err));
  const dae_coupled *c = coupled->coupled;
  dae__assembly *a = DAE__ALLOC(arena, dae__assembly, 1);
  if (!c)
    return dae__fail(err, DAE_ERROR_USAGE, "problem", "only a coupled problem can be assembled");
  if (!a)
    return dae__out_of_memory(err);
  *a = (dae__assembly){.coupled = c, .parts = c->parts, .elements = c->parts + c->joints};
  a->last = dae_error_none();
  a->element = DAE__ALLOC(arena, dae__element, a->elements);
  if (!a->element)
    return dae__out_of_memory(err);
  dae_status status = assembly_create_elements(a, arena, err);
  if (!status)
    status = assembly_place(a, err);
  DAE__TRY(status);
  assembly_find_order(a, arena);
  a->sparse = assembly_is_sparse(a);
  if (!dae__arena_failed(arena) && a->total.q > 0)
    dae__assembly_mechanical(a, arena);
  else if (!dae__arena_failed(arena))
    dae__assembly_semi(a, arena);
  if (dae__arena_failed(arena))
    return dae__out_of_memory(err);
  a->problem.why = &a->last;
  *out = a;
  return DAE_OK;
}

const dae_problem *dae__assembly_problem(const dae__assembly *a)
{
  return &a->problem;
}

int dae__assembly_size(const dae__assembly *a)
{
  return a->size;
}

const int *dae__assembly_order(const dae__assembly *a)
{
  return a->order;
}

void dae__assembly_gather(const dae__assembly *a, const double *coupled, double *assembled)
{
  for (int i = 0; i < a->size; i++)
    assembled[a->order[i]] = coupled[i];
}

void dae__assembly_scatter(const dae__assembly *a, const double *assembled, double *coupled)
{
  for (int i = 0; i < a->size; i++)
    coupled[i] = assembled[a->order[i]];
}
