/* What both kinds of assembly need: matrices out of pieces, the Jacobian J, names. */
#include "problem/coupled/assembly_parts.h"
#include "core/error.h"
#include "core/vec.h"
#include "linalg/pattern.h"
#include <stdio.h>
#include <string.h>

int dae__assembly_code(dae_status status)
{
  return status == DAE_OK ? 0 : status == DAE_ERROR_RECOVERABLE ? 1 : -1;
}

/* ---- matrices ---- */

void dae__mosaic_take(dae__assembly *a, dae__arena *arena, int sets, dae__mosaic *m)
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
  dae__mosaic_take(a, arena, 2, &a->J);
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

static dae_status assembly_add_element_J(dae__assembly *a, int i, const dae_mechanical_at *at,
                                         double *J)
{
  dae__element *e = &a->element[i];
  dae_mechanical_at here = dae__element_at(e, at);
  dae__element_inputs(e, &a->total, at);
  DAE__TRY(dae__element_diagnose(a, e, dae__element_J(e, &here, a->J.values, &a->last)));
  dae__mosaic_add(&a->J, i, J);
  if (e->nin == 0)
    return DAE_OK;
  dae_status status =
      dae__element_diagnose(a, e, dae__element_J_in(e, &here, a->J.values, &a->last));
  if (!status)
    dae__mosaic_add(&a->J, a->elements + i, J);
  return status;
}

int dae__assembly_J(dae__assembly *a, const dae_mechanical_at *at, double *J)
{
  dae_status status = DAE_OK;
  dae__zero(dae__pattern_count(&a->J.pattern), J);
  for (int i = 0; i < a->parts && !status; i++) /* joints have no forces */
    status = assembly_add_element_J(a, i, at, J);
  return dae__assembly_code(status);
}

/* ---- names ---- */

typedef struct label {
  const char *const *names;
  const char *letter; /* of what has no name: letter[1], ... */
  int count;
} label;

static label assembly_mechanical_label(const dae_mechanical *p, char which)
{
  switch (which) {
  case 'q':
    return (label){p->q_names, "q", p->nq};
  case 'u':
    return (label){p->u_names, "u", p->nu};
  case 'w':
    return (label){p->w_names, "w", p->nw};
  case 'g':
    return (label){p->g_names, "g", p->ng};
  case 'k':
    return (label){p->k_names, "k", p->nk};
  default:
    return (label){0};
  }
}

static label assembly_semi_label(const dae_semi_explicit *p, char which)
{
  switch (which) {
  case 'u':
    return (label){p->x_names, "x", p->nx};
  case 'w':
    return (label){p->y_names, "y", p->ny};
  case 'f':
    return (label){p->f_names ? p->f_names : p->x_names, "x", p->nx};
  case 'F':
    return (label){p->F_names ? p->F_names : p->y_names, "y", p->ny};
  default:
    return (label){0};
  }
}

/* "part.x", "part.q[1]", without the part if its name is empty; for a joint the constraint's name,
 * or its own, indexed if it has several constraints */
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

static label assembly_label_of(const dae__assembly *a, int i, char which)
{
  const dae__element *e = &a->element[i];
  if (e->joint)
    return which == 'g' ? (label){e->joint->g_names, e->name, e->n.g} : (label){0};
  return e->semi ? assembly_semi_label(e->semi->p, which)
                 : assembly_mechanical_label(e->m->p, which);
}

const char *const *dae__assembly_names(const dae__assembly *a, dae__arena *arena, char which)
{
  int count = 0, n = 0;
  for (int i = 0; i < a->elements; i++)
    count += assembly_label_of(a, i, which).count;
  const char **names = DAE__ALLOC(arena, const char *, count);
  if (count == 0 || !names)
    return NULL;
  for (int i = 0; i < a->elements; i++) {
    label l = assembly_label_of(a, i, which);
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
  if (e->name[0] == '\0') /* its variables have no prefix */
    return dae__fail(&a->last, status, said.equation, "%s", said.text);
  snprintf(name, sizeof name, "%s%.40s.%.60s", row ? kind : "", e->name,
           said.equation + (row ? sizeof kind - 1 : 0));
  return dae__fail(&a->last, status, name, "in %s: %s", e->name, said.text);
}
