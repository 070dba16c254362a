/* Mass and inertia of a body, from its shape or its clauses, about its centre of mass in its axes.
 */
#include "core/log.h"
#include "model/space/space.h"
#include <math.h>
#include <string.h>

static const double inertia_pi = 3.14159265358979323846;

/* Clauses of shapes, with the number of components of their size. */
static const struct {
  const char *word;
  dae__form form;
  const char *what;
} inertia_shapes[] = {{"box", DAE__FORM_BOX, "box (a, b, c)"},
                      {"cylinder", DAE__FORM_CYLINDER, "the radius of a cylinder"},
                      {"sphere", DAE__FORM_SPHERE, "the radius of a sphere"},
                      {"disk", DAE__FORM_DISK, "the radius of a disk"},
                      {"rod", DAE__FORM_ROD, ""}};

/* Value of a clause that holds for the whole motion: it depends on no time and no variable. */
static void inertia_numbers(const dae__context *c, const dae__expr *e, int size, const char *what,
                            double *value)
{
  const dae__allowed may = {0, 0, what, "params and masses"};
  dae__value nodes = dae__evaluate_value(c, e);
  for (int i = 0; i < nodes.size && !c->x->l->status; i++)
    dae__check_leaves(c, nodes.at[i], e->place, &may);
  if (!c->x->l->status)
    dae__clause_numbers(c, e, size, what, value);
}

static double inertia_number(const dae__context *c, const dae__expr *e, const char *what)
{
  double value = 0;
  inertia_numbers(c, e, 1, what, &value);
  return value;
}

/* Edges of a box. */
static void inertia_find_box(const dae__context *c, dae__body *b, const dae__clause *at)
{
  int size = b->plane ? 2 : 3, found = dae__size_of(c, at->a);
  if (b->plane && found == 3)
    dae__load_fail(c->x->l, at->a->place,
                   "%s is a body of the plane, by `plane` or two components of at or velocity, and "
                   "its box has two edges: box (a, b)",
                   b->name);
  inertia_numbers(c, at->a, size, "box (a, b, c)", b->size);
}

/* Finds shape and size; the size of a rod is known from its pose. */
static const dae__clause *inertia_find_shape(const dae__context *c, dae__body *b)
{
  dae__load *l = c->x->l;
  const dae__clause *found = NULL;
  for (int i = 0; i < 5 && !l->status; i++) {
    const dae__clause *at = dae__clause_of(b->s, inertia_shapes[i].word);
    if (!at)
      continue;
    if (found)
      dae__load_fail(l, at->place, "a body has one shape: %s or %s", found->word, at->word);
    found = at;
    b->form = inertia_shapes[i].form;
    if (b->form == DAE__FORM_BOX)
      inertia_find_box(c, b, at);
    else if (b->form != DAE__FORM_ROD)
      b->size[0] = inertia_number(c, at->a, inertia_shapes[i].what);
    if (b->form == DAE__FORM_CYLINDER)
      b->size[1] = inertia_number(c, at->b, "the length of a cylinder");
    int sizes = b->form == DAE__FORM_BOX        ? (b->plane ? 2 : 3)
                : b->form == DAE__FORM_CYLINDER ? 2
                                                : 1;
    for (int k = 0; k < sizes && !l->status; k++)
      if (!(b->size[k] > 0))
        dae__load_fail(l, at->place, "a size of %s is %g; it must be positive", at->word,
                       b->size[k]);
  }
  return found;
}

/* Volume of a shape, in the plane its area; of a rod its length. 0: without volume. */
static double inertia_volume(const dae__body *b)
{
  const double *s = b->size;
  switch (b->form) {
  case DAE__FORM_BOX:
    return b->plane ? s[0] * s[1] : s[0] * s[1] * s[2];
  case DAE__FORM_CYLINDER:
    return inertia_pi * s[0] * s[0] * (b->plane ? 1 : s[1]);
  case DAE__FORM_SPHERE:
    return b->plane ? 0 : 4 * inertia_pi / 3 * s[0] * s[0] * s[0];
  case DAE__FORM_DISK:
    return inertia_pi * s[0] * s[0];
  case DAE__FORM_ROD:
    return s[0];
  default:
    return 0;
  }
}

/* Principal moments of a shape for mass 1, about its x, y and z axes. */
static void inertia_of_shape(const dae__body *b, double *J)
{
  const double *s = b->size;
  double r2 = s[0] * s[0];
  switch (b->form) {
  case DAE__FORM_BOX:
    for (int i = 0; i < 3; i++)
      J[i] = (s[(i + 1) % 3] * s[(i + 1) % 3] + s[(i + 2) % 3] * s[(i + 2) % 3]) / 12;
    break;
  case DAE__FORM_CYLINDER:
    J[0] = J[1] = r2 / 4 + s[1] * s[1] / 12;
    J[2] = r2 / 2;
    break;
  case DAE__FORM_SPHERE:
    J[0] = J[1] = J[2] = 2 * r2 / 5;
    break;
  case DAE__FORM_DISK:
    J[0] = J[1] = r2 / 4;
    J[2] = r2 / 2;
    break;
  default: /* rod along x */
    J[0] = 0;
    J[1] = J[2] = r2 / 12;
  }
}

/* Inertia by the clause: J in the plane, three moments or six entries of the tensor in space. */
static void inertia_of_clause(const dae__context *c, dae__body *b, const dae__clause *at)
{
  dae__load *l = c->x->l;
  int count = at->a->kind == DAE__EXPR_VECTOR ? at->a->count : 0;
  if (b->plane) {
    b->inertia[2] = inertia_number(c, at->a, "the inertia of a body in the plane");
  } else if (count == 6) {
    const dae__expr *e = at->a->argument;
    for (int i = 0; i < 6 && !l->status; i++, e = e->next)
      b->inertia[i] = inertia_number(c, e, "an entry of the inertia");
  } else if (count == 0 || count == 3) {
    inertia_numbers(c, at->a, 3, "inertia (J1, J2, J3)", b->inertia);
  } else {
    dae__load_fail(l, at->a->place,
                   "inertia has three moments (J1, J2, J3) or six entries (J11, J22, J33, J12, "
                   "J13, J23), not %d",
                   count);
  }
}

/* Eigenvalues of a symmetric matrix J11 J22 J33 J12 J13 J23, by Jacobi rotations. */
static void inertia_principal(const double *J, double *out)
{
  double a[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  for (int sweep = 0; sweep < 20; sweep++)
    for (int p = 0; p < 3; p++) {
      int q = (p + 1) % 3;
      double angle = atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2, c = cos(angle), s = sin(angle);
      for (int k = 0; k < 3; k++) {
        double u = a[p][k], v = a[q][k];
        a[p][k] = c * u - s * v;
        a[q][k] = s * u + c * v;
      }
      for (int k = 0; k < 3; k++) {
        double u = a[k][p], v = a[k][q];
        a[k][p] = c * u - s * v;
        a[k][q] = s * u + c * v;
      }
    }
  for (int i = 0; i < 3; i++)
    out[i] = a[i][i];
}

/* Checks the moments, and finds the smallest positive one. */
static void inertia_check(dae__expander *x, dae__body *b, const dae__clause *at)
{
  double J[3], tolerance;
  int place = at ? at->place : b->s->place;
  if (b->plane) {
    if (b->inertia[2] < 0)
      dae__load_fail(x->l, place, "the inertia %g is negative", b->inertia[2]);
    b->moment = b->inertia[2];
    return;
  }
  inertia_principal(b->inertia, J);
  double largest = fmax(J[0], fmax(J[1], J[2]));
  tolerance = 1e-9 * fabs(largest);
  bool possible = true;
  for (int i = 0; i < 3; i++) {
    if (J[i] < -tolerance)
      dae__load_fail(x->l, place,
                     "the inertia has the negative principal moment %g: no body has that", J[i]);
    possible = possible && J[i] <= J[(i + 1) % 3] + J[(i + 2) % 3] + tolerance;
    if (J[i] > tolerance && (b->moment == 0 || J[i] < b->moment))
      b->moment = J[i];
  }
  if (!possible && !x->l->status)
    dae__log(
        &x->graph->env, DAE_LOG_WARNING,
        "line %d: inertia of %s: the principal moments %g, %g, %g: no body has that, since each is "
        "at most the sum of the others",
        dae__line_of(&x->l->files, place), b->name, J[0], J[1], J[2]);
  b->spins_freely = b->inertia[0] <= tolerance && largest > 0;
}

void dae__body_find_mass(dae__expander *x, dae__body *b)
{
  dae__local frame[DAE__RANK];
  int index[DAE__RANK];
  if (b->mass_stage != 0 || x->l->status)
    return;
  b->mass_stage = 2;
  dae__body_find_pose(x, b);
  dae__context c = dae__body_context(x, b, frame, index);
  const dae__clause *shape = inertia_find_shape(&c, b);
  const dae__clause *mass = dae__clause_of(b->s, "mass"),
                    *density = dae__clause_of(b->s, "density");
  const dae__clause *inertia = dae__clause_of(b->s, "inertia");
  if (mass && density)
    dae__load_fail(x->l, density->place, "mass and density: the one follows from the other");
  if (!mass && !density)
    dae__load_fail(x->l, b->s->place, "body %s has no mass: write mass M, or a shape and density",
                   b->name);
  if (mass && !x->l->status)
    b->mass = inertia_number(&c, mass->a, "a mass");
  if (density && !x->l->status) {
    double volume = inertia_volume(b);
    if (!shape || !(volume > 0))
      dae__load_fail(x->l, density->place,
                     "density needs a shape with a volume: box, cylinder, ...");
    else
      b->mass = volume * inertia_number(&c, density->a, "a density");
  }
  if (!x->l->status && b->mass < 0)
    dae__load_fail(x->l, mass ? mass->place : density->place, "the mass %g of %s is negative",
                   b->mass, b->name);
  if (inertia && !x->l->status)
    inertia_of_clause(&c, b, inertia);
  else if (shape && !x->l->status)
    inertia_of_shape(b, b->inertia);
  else if (!x->l->status)
    dae__load_fail(x->l, b->s->place,
                   b->plane
                       ? "body %s has no inertia: write inertia J, or a shape: box (a, b), disk R"
                       : "body %s has no inertia: write inertia (J1, J2, J3), or a shape such as "
                         "box (a, b, c)",
                   b->name);
  for (int i = 0; i < 6 && !inertia; i++)
    b->inertia[i] *= b->mass;
  if (!x->l->status)
    inertia_check(x, b, inertia);
}
