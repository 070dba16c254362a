/* Creation of an assembly: refusal of unsupported problems, indices of the elements, order of the
 * state vector; matrices, J and names shared by both forms. Evaluations are in
 * assembly_mechanical.c and assembly_semi.c. */
#include "problem/coupled/assembly.h"
#include "core/assert.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include "linalg/solver.h"
#include "problem/coupled/assembly_private.h"
#include "problem/problem.h"
#include <stdio.h>
#include <string.h>

/* ---- unsupported problems ---- */

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

/* Name of a part for messages; the name itself may be empty. */
static const char *assembly_display_name(const char *name)
{
  return name[0] ? name : "without a name";
}

static dae_status assembly_check_semi(const dae_semi_explicit *p, const char *name, dae_error *err)
{
  if (p->M)
    return dae__fail(
        err, DAE_ERROR_UNSUPPORTED, name,
        "the part %s has a mass matrix of its own, M x' = f, which is not supported in a "
        "mechanical problem; solve for x', or give it as a mechanical part",
        assembly_display_name(name));
  if (p->index > 1)
    return dae__fail(err, DAE_ERROR_UNSUPPORTED, name,
                     "the part %s has index %d, but the algebraic variables of a mechanical "
                     "problem are of index 1; write its constraint as one of a mechanical part",
                     assembly_display_name(name), p->index);
  return DAE_OK;
}

/* ---- indices of the elements ---- */

/* range[i] = first + i for i < n. */
static void assembly_fill(int n, int first, int *range)
{
  for (int i = 0; i < n; i++)
    range[i] = first + i;
}

/* Assembled indices of an element's z = (q, v, u, w), rows (f, s, c) and constraint rows. */
static void assembly_place_element(const dae__assembly *a, dae__element *e)
{
  int nq = e->n.q, nu = e->n.u, nw = e->n.w, Q = a->total.q, U = a->total.u;
  assembly_fill(e->n.g, e->at.g, e->g);
  if (e->joint) {
    for (int i = 0; i < nq; i++) {
      dae_port z = e->joint->z[i];
      e->z[i] = a->element[z.part].at.q + z.variable;
      e->z[nq + i] = Q + e->z[i];
      e->row[i] = e->z[i];
    }
    return;
  }
  assembly_fill(nq, e->at.q, e->z);
  assembly_fill(nq, Q + e->at.q, e->z + nq);
  assembly_fill(nu, 2 * Q + e->at.u, e->z + 2 * nq);
  assembly_fill(nw, 2 * Q + U + e->at.w, e->z + 2 * nq + nu);
  assembly_fill(nq, e->at.q, e->row);
  assembly_fill(nu, Q + e->at.u, e->row + nq);
  assembly_fill(nw, Q + U + e->at.w, e->row + nq + nu);
  assembly_fill(e->n.k, e->at.k, e->k);
}

static dae_status assembly_place(dae__assembly *a, dae_error *err)
{
  const dae_coupled *c = a->coupled;
  for (int i = 0; i < a->elements; i++) {
    dae__element *e = &a->element[i];
    e->at = a->total;
    a->total.g += e->n.g;
    if (e->joint)
      continue;
    a->total.q += e->n.q;
    a->total.u += e->n.u;
    a->total.w += e->n.w;
    a->total.k += e->n.k;
  }
  for (int i = 0; i < a->elements; i++)
    assembly_place_element(a, &a->element[i]);
  for (int i = 0; i < c->wires; i++) {
    const dae_wire *w = &c->wire[i];
    const dae__element *to = &a->element[w->part], *from = &a->element[w->from.part];
    if (w->from.variable >= from->nz)
      return dae__fail(err, DAE_ERROR_UNSUPPORTED, to->name,
                       "input %d of the part %s is wired to a multiplier of %s: one problem has no "
                       "such input, since its forces do not depend on multipliers",
                       w->input + 1, assembly_display_name(to->name),
                       from->name[0] ? from->name : "a part without a name");
    to->source[w->input] = from->z[w->from.variable];
  }
  return DAE_OK;
}

/* a->order: entry i of the coupled state vector is entry order[i] of the assembled (q, v, u, w,
 * lambda, psi). */
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
  DAE__ASSERT(n == a->size);
}

/* ---- matrices ---- */

void dae__mosaic_alloc(dae__assembly *a, dae__arena *arena, int sets, dae__mosaic *m)
{
  static const int start[1] = {0};
  static const dae_pattern nothing = {0, 0, start, NULL};
  m->piece = DAE__ALLOC(arena, dae__piece, sets * a->elements);
  for (int i = 0; m->piece && i < sets * a->elements; i++)
    m->piece[i].pattern = &nothing;
}

void dae__mosaic_merge(dae__assembly *a, dae__arena *arena, int rows, int cols, int sets,
                       dae__mosaic *m)
{
  int count = sets * a->elements, largest = 0;
  if (dae__arena_failed(arena))
    return;
  m->pattern = dae__pieces_merge(arena, rows, cols, !a->sparse, m->piece, count);
  for (int i = 0; i < count; i++)
    if (dae__pattern_count(m->piece[i].pattern) > largest)
      largest = dae__pattern_count(m->piece[i].pattern);
  m->values = DAE__ALLOC(arena, double, largest);
}

void dae__mosaic_add(const dae__mosaic *m, int i, double *matrix)
{
  dae__piece_add(&m->piece[i], 1, m->values, matrix);
}

/* ---- J ---- */

void dae__assembly_J_pieces(dae__assembly *a, dae__arena *arena)
{
  const dae__sizes *n = &a->total;
  dae__mosaic_alloc(a, arena, 2, &a->J);
  if (dae__arena_failed(arena))
    return;
  for (int i = 0; i < a->elements; i++) {
    const dae__element *e = &a->element[i];
    a->J.piece[i] = (dae__piece){.pattern = e->J, .row = e->row, .col = e->z};
    a->J.piece[a->elements + i] =
        (dae__piece){.pattern = &e->J_in, .row = e->row, .col = e->source};
  }
  dae__mosaic_merge(a, arena, n->q + n->u + n->w, 2 * n->q + n->u + n->w, 2, &a->J);
}

int dae__assembly_J(void *user, const dae_mechanical_at *at, double *J)
{
  dae__assembly *a = user;
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&a->J.pattern), J);
  for (int i = 0; i < a->parts && !status; i++) { /* parts only: joints have no forces */
    dae__element *e = &a->element[i];
    dae_mechanical_at here = dae__element_at(e, at);
    dae__element_inputs(e, &a->total, at);
    status = dae__element_diagnose(a, e, dae__element_J(e, &here, a->J.values, &a->last));
    if (!status)
      dae__mosaic_add(&a->J, i, J);
    if (status || e->nin == 0)
      continue;
    status = dae__element_diagnose(a, e, dae__element_J_in(e, &here, a->J.values, &a->last));
    if (!status)
      dae__mosaic_add(&a->J, a->elements + i, J);
  }
  return dae__callback_code(status);
}

/* ---- names ---- */

/* Names of one class of variables or equations of an element. */
typedef struct label {
  const char *const *names;
  const char *letter; /* letter of default names: letter[1], ... */
  int count;
} label;

/* Name of entry i: "part.x" or "part.q[1]", without the part if its name is empty; for a joint the
 * name of the constraint, or that of the joint, indexed if it has several constraints. */
static const char *assembly_join(dae__arena *arena, const dae__element *e, const label *l, int i)
{
  const char *own = l->names ? l->names[i] : NULL;
  char index[16] = "";
  if (!own && (!e->joint || l->count > 1))
    snprintf(index, sizeof index, "[%d]", i + 1);
  if (!own)
    own = l->letter;
  const char *prefix = e->joint ? "" : e->name, *dot = prefix[0] ? "." : "";
  size_t size = strlen(prefix) + strlen(dot) + strlen(own) + strlen(index) + 1;
  char *name = DAE__ALLOC(arena, char, size);
  if (name)
    snprintf(name, size, "%s%s%s%s", prefix, dot, own, index);
  return name;
}

static label assembly_label_of(const dae__element *e, char which)
{
  const dae_mechanical *m = e->m ? e->m->p : NULL;
  const dae_semi_explicit *s = e->semi ? e->semi->p : NULL;
  if (e->joint)
    return which == 'g' ? (label){e->joint->g_names, e->name, e->n.g} : (label){0};
  switch (which) {
  case 'q':
    return m ? (label){m->q_names, "q", m->nq} : (label){0};
  case 'u':
    return m ? (label){m->u_names, "u", m->nu} : (label){s->x_names, "x", s->nx};
  case 'w':
    return m ? (label){m->w_names, "w", m->nw} : (label){s->y_names, "y", s->ny};
  case 'g':
    return m ? (label){m->g_names, "g", m->ng} : (label){0};
  case 'k':
    return m ? (label){m->k_names, "k", m->nk} : (label){0};
  case 'f':
    return m ? (label){0} : (label){s->f_names ? s->f_names : s->x_names, "x", s->nx};
  default: /* case 'F' */
    return m ? (label){0} : (label){s->F_names ? s->F_names : s->y_names, "y", s->ny};
  }
}

const char *const *dae__assembly_names(const dae__assembly *a, dae__arena *arena, char which)
{
  int count = 0, n = 0;
  for (int i = 0; i < a->elements; i++)
    count += assembly_label_of(&a->element[i], which).count;
  const char **names = DAE__ALLOC(arena, const char *, count);
  if (count == 0 || !names)
    return NULL;
  for (int i = 0; i < a->elements; i++) {
    label l = assembly_label_of(&a->element[i], which);
    for (int j = 0; j < l.count; j++)
      names[n++] = assembly_join(arena, &a->element[i], &l, j);
  }
  return names;
}

dae_status dae__element_diagnose(dae__assembly *a, const dae__element *e, dae_status status)
{
  static const char kind[] = "equation of ";
  dae_error said = a->last;
  char name[160];
  bool row = strncmp(said.equation, kind, sizeof kind - 1) == 0;
  if (status >= 0)
    return status;
  if (e->name[0] == '\0') /* names of the variables have no prefix */
    return dae__fail(&a->last, status, said.equation, "%s", said.text);
  snprintf(name, sizeof name, "%s%.40s.%.60s", row ? kind : "", e->name,
           said.equation + (row ? sizeof kind - 1 : 0));
  return dae__fail(&a->last, status, name, "in %s: %s", e->name, said.text);
}

/* ---- creation ---- */

static dae_status assembly_create_elements(dae__assembly *a, dae__arena *arena, dae_error *err)
{
  const dae_coupled *c = a->coupled;
  bool mechanical = false;
  for (int i = 0; i < c->parts; i++)
    mechanical = mechanical || c->part[i].mechanical;
  for (int i = 0; i < a->elements; i++) {
    dae__element *e = &a->element[i];
    int j = i - a->parts;
    const char *name = i < a->parts ? assembly_part_name(arena, c->part[i].name, "part", i)
                                    : assembly_part_name(arena, c->joint[j].name, "joint", j);
    if (!name)
      return dae__out_of_memory(err);
    if (i < a->parts && mechanical && c->part[i].semi_explicit)
      DAE__TRY(assembly_check_semi(c->part[i].semi_explicit, name, err));
    DAE__TRY(i < a->parts ? dae__element_part(arena, &c->part[i], name, e, err)
                          : dae__element_joint(arena, &c->joint[j], name, e, err));
  }
  return DAE_OK;
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
  DAE__TRY(dae__arena_status(arena, err));
  *a = (dae__assembly){.coupled = c, .parts = c->parts, .elements = c->parts + c->joints};
  a->last = dae_error_none();
  a->element = DAE__ALLOC(arena, dae__element, a->elements);
  DAE__TRY(dae__arena_status(arena, err));
  DAE__TRY(assembly_create_elements(a, arena, err));
  DAE__TRY(assembly_place(a, err));
  assembly_find_order(a, arena);
  a->sparse = a->parts > 1 && a->size > DAE__DENSE_UP_TO;
  for (int i = 0; i < a->parts && !a->sparse; i++) {
    const dae_part *part = &c->part[i];
    a->sparse = part->mechanical ? part->mechanical->M_pattern || part->mechanical->J_pattern
                                 : part->semi_explicit->J_pattern != NULL;
  }
  if (!dae__arena_failed(arena) && a->total.q > 0)
    dae__assembly_mechanical(a, arena);
  else if (!dae__arena_failed(arena))
    dae__assembly_semi(a, arena);
  DAE__TRY(dae__arena_status(arena, err));
  a->problem.why = &a->last;
  if (coupled->atol) {
    double *atol = DAE__ALLOC(arena, double, a->size);
    DAE__TRY(dae__arena_status(arena, err));
    dae__assembly_gather(a, coupled->atol, atol);
    a->problem.atol = atol;
  }
  *out = a;
  return DAE_OK;
}

const dae_problem *dae__assembly_problem(const dae__assembly *a)
{
  return &a->problem;
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
