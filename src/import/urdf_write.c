/* A robot as the text of a model. */
#include "core/number.h"
#include "import/urdf.h"

#include <math.h>
#include <string.h>

#define DIGITS 12       /* digits of a number; files have fewer */
#define ROUND_OFF 1e-12 /* numbers of size 1 below are 0: sines of multiples of pi */

/* ---- numbers ---- */

static dae__number write_number(double value)
{
  return dae__number_text(fabs(value) < ROUND_OFF ? 0.0 : value, DIGITS);
}

static void write_vector(dae__text *out, const char *before, const double v[3])
{
  dae__text_add(out, "%s(%s, %s, %s)", before, write_number(v[0]).text, write_number(v[1]).text,
                write_number(v[2]).text);
}

/* Writes `turned A about V` for a rotation, nothing for the unit matrix. */
static void write_turn(dae__text *out, const double R[3][3])
{
  /* Euler parameters by the largest of them */
  double e[4], trace = R[0][0] + R[1][1] + R[2][2];
  int k = trace >= R[0][0] && trace >= R[1][1] && trace >= R[2][2] ? -1
          : R[0][0] >= R[1][1] && R[0][0] >= R[2][2]               ? 0
          : R[1][1] >= R[2][2]                                     ? 1
                                                                   : 2;
  if (k < 0) {
    e[0] = 1.0 + trace;
    for (int i = 0; i < 3; i++)
      e[1 + i] = R[(i + 2) % 3][(i + 1) % 3] - R[(i + 1) % 3][(i + 2) % 3];
  } else {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    e[0] = R[j][i] - R[i][j];
    e[1 + k] = 1.0 + 2.0 * R[k][k] - trace;
    e[1 + i] = R[k][i] + R[i][k];
    e[1 + j] = R[k][j] + R[j][k];
  }
  double *v = e + 1, size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
  double angle = 2.0 * atan2(size, e[0]);
  if (fabs(angle) < ROUND_OFF)
    return;
  for (int i = 0; i < 3; i++)
    v[i] /= size;
  dae__text_add(out, " turned %s about ", write_number(angle).text);
  write_vector(out, "", v);
}

/* ---- names ---- */

static const char *write_body_name(const dae__urdf *u, int link)
{
  int body = u->links[link].body;
  return body < 0 ? "ground" : u->links[body].id;
}

/* Adds a text from the file to a comment: control characters would end it. */
static void write_clean(dae__text *out, const char *text)
{
  for (const char *c = text; *c; c++)
    dae__text_add(out, "%c", (unsigned char)*c < 0x20 || *c == '"' ? ' ' : *c);
}

static void write_renamed(dae__text *out, const char *name, const char *id)
{
  if (strcmp(name, id) == 0)
    return;
  dae__text_add(out, "# %s is called ", id);
  write_clean(out, name);
  dae__text_add(out, " in the file\n");
}

/* ---- bodies ---- */

/* Writes a body with the names of the links that are fixed to it. */
static void write_body(const dae__urdf *u, int i, dae__text *out)
{
  const dae__urdf_link *b = &u->links[i];
  bool first = true;
  write_renamed(out, b->name, b->id);
  for (int k = 0; k < u->link_count; k++) {
    const dae__urdf_link *link = &u->links[k];
    if (link->body != i || k == i || !link->has_mass)
      continue;
    dae__text_add(out, first ? "# with %s" : ", %s", link->id);
    first = false;
  }
  if (!first)
    dae__text_add(out, "\n");
  dae__text_add(out, "body %s mass %s inertia (%s, %s, %s", b->id, write_number(b->mass).text,
                dae__number_text(b->J[0][0], DIGITS).text,
                dae__number_text(b->J[1][1], DIGITS).text,
                dae__number_text(b->J[2][2], DIGITS).text);
  double largest = fmax(b->J[0][0], fmax(b->J[1][1], b->J[2][2]));
  double products[3] = {b->J[0][1], b->J[0][2], b->J[1][2]};
  bool diagonal = true;
  for (int k = 0; k < 3; k++) {
    products[k] = fabs(products[k]) < ROUND_OFF * largest ? 0.0 : products[k];
    diagonal = diagonal && products[k] == 0.0;
  }
  for (int k = 0; k < 3 && !diagonal; k++)
    dae__text_add(out, ", %s", dae__number_text(products[k], DIGITS).text);
  dae__text_add(out, ")");
  if (b->centre[0] != 0.0 || b->centre[1] != 0.0 || b->centre[2] != 0.0)
    write_vector(out, " centre ", b->centre);
  write_vector(out, " at ", b->pose.r);
  write_turn(out, b->pose.R);
  dae__text_add(out, "%s\n", b->assumed ? "  # assumed, see above" : "");
}

/* Writes the points of the links that are fixed to a body: tools, sensors. */
static void write_points(const dae__urdf *u, dae__text *out)
{
  bool first = true;
  for (int i = 0; i < u->link_count; i++) {
    const dae__urdf_link *link = &u->links[i];
    if (link->body == i || link->body < 0)
      continue;
    if (first)
      dae__text_add(out, "\n# origins of links that are fixed to others\n");
    first = false;
    write_renamed(out, link->name, link->id);
    dae__text_add(out, "let %s = %s.point", link->id, u->links[link->body].id);
    write_vector(out, "", link->in_body.r);
    dae__text_add(out, "\n");
  }
}

/* ---- joints ---- */

static const char *write_value_name(const dae__urdf_joint *j)
{
  return j->kind == DAE__URDF_PRISMATIC ? "slide" : "angle";
}

static bool write_has_value(const dae__urdf_joint *j)
{
  return j->kind == DAE__URDF_REVOLUTE || j->kind == DAE__URDF_CONTINUOUS ||
         j->kind == DAE__URDF_PRISMATIC;
}

static void write_limits(const dae__urdf_joint *j, dae__text *out)
{
  const char *unit = j->kind == DAE__URDF_PRISMATIC ? "m" : "rad";
  if (j->bounded && j->kind != DAE__URDF_CONTINUOUS)
    dae__text_add(out, "  # from %s to %s %s", write_number(j->lower).text,
                  write_number(j->upper).text, unit);
  if (j->effort > 0.0 || j->speed > 0.0)
    dae__text_add(out, "%s at most %s %s, %s %s/s",
                  j->bounded && j->kind != DAE__URDF_CONTINUOUS ? "," : "  #",
                  write_number(j->effort).text, j->kind == DAE__URDF_PRISMATIC ? "N" : "Nm",
                  write_number(j->speed).text, unit);
}

/* Writes the axis of a joint, a direction of its child, which has the joint at its origin. */
static void write_axis(const dae__urdf_link *child, const double axis[3], dae__text *out)
{
  for (int k = 0; k < 3; k++)
    if (fabs(axis[k]) == 1.0) {
      dae__text_add(out, " axis %s%s.e%c", axis[k] < 0.0 ? "-" : "", child->id, "xyz"[k]);
      return;
    }
  dae__text_add(out, " axis %s.dir", child->id);
  write_vector(out, "", axis);
}

static void write_joint(const dae__urdf *u, const dae__urdf_joint *j, dae__text *out)
{
  const char *kind = j->kind == DAE__URDF_PRISMATIC ? "prismatic"
                     : j->kind == DAE__URDF_PLANAR  ? "planar"
                                                    : "revolute";
  const dae__urdf_link *child = &u->links[j->child];
  write_renamed(out, j->name, j->id);
  if (j->kind == DAE__URDF_FLOATING) {
    dae__text_add(out, "# joint %s: %s moves freely\n", j->id, child->id);
    return;
  }
  dae__text_add(out, "%s %s: %s, %s", kind, j->id, write_body_name(u, j->parent), child->id);
  write_axis(child, j->axis, out);
  write_limits(j, out);
  dae__text_add(out, "\n");
  const char *value = write_value_name(j),
             *rate = j->kind == DAE__URDF_PRISMATIC ? "slide'" : "rate";
  if (j->damping != 0.0 && write_has_value(j))
    dae__text_add(out, "force -%s*%s.%s along %s.%s\n", write_number(j->damping).text, j->id, rate,
                  j->id, value);
  if (j->friction != 0.0 && write_has_value(j))
    dae__text_add(out, "# force -%s*tanh(%s.%s/0.01) along %s.%s   # dry friction, made smooth\n",
                  write_number(j->friction).text, j->id, rate, j->id, value);
  if (j->bounded && write_has_value(j) && j->kind != DAE__URDF_CONTINUOUS)
    dae__text_add(out,
                  "# force -1000*(max(%s.%s - %s, 0) + min(%s.%s - %s, 0)) along %s.%s   # stops\n",
                  j->id, value, write_number(j->upper).text, j->id, value,
                  write_number(j->lower).text, j->id, value);
  if (j->mimic >= 0) {
    const dae__urdf_joint *other = &u->joints[j->mimic];
    dae__text_add(out, "constraint %s_mimic: %s.%s = %s*%s.%s + %s\n", j->id, j->id, value,
                  write_number(j->multiplier).text, other->id, write_value_name(other),
                  write_number(j->offset).text);
  }
}

/* ---- shapes ---- */

static void write_shape(const dae__urdf *u, int link, const dae__urdf_shape *s, dae__text *out)
{
  dae__urdf_pose pose = dae__urdf_product(&u->links[link].in_body, &s->pose);
  switch (s->form) {
  case DAE__URDF_BOX:
    write_vector(out, "draw box ", s->size);
    break;
  case DAE__URDF_CYLINDER:
    dae__text_add(out, "draw cylinder %s length %s", write_number(s->size[0]).text,
                  write_number(s->size[1]).text);
    break;
  default:
    dae__text_add(out, "draw sphere %s", write_number(s->size[0]).text);
  }
  dae__text_add(out, " on %s", write_body_name(u, link));
  if (pose.r[0] != 0.0 || pose.r[1] != 0.0 || pose.r[2] != 0.0)
    write_vector(out, " at ", pose.r);
  if (s->form != DAE__URDF_SPHERE)
    write_turn(out, (const double(*)[3])pose.R);
  dae__text_add(out, "%s\n", s->mesh ? "   # box around a mesh" : "");
}

/* ---- the model ---- */

static void write_head(const dae__urdf *u, const char *model, dae__text *out)
{
  const char *slash = strrchr(u->file.path, '/');
  dae__text_add(out, "model %s \"", model);
  write_clean(out, u->name[0] ? u->name : "a robot");
  dae__text_add(out, ", from ");
  write_clean(out, slash ? slash + 1 : u->file.path);
  dae__text_add(out,
                "\"\n# All joints start at 0. The links are rigid, lengths in m, angles in rad.\n");
  const dae__urdf_link *root = &u->links[u->sequence[0]];
  if (!u->options->floating)
    dae__text_add(out, "# %s is the ground; daedal new NAME --from FILE --floating sets it free.\n",
                  root->id);
  if (u->notes)
    dae__text_add(out, "# Left out, or otherwise than in the file:\n");
  for (const dae__urdf_note *note = u->notes; note; note = note->next)
    dae__text_add(out, "#   %s\n", note->text);
  dae__text_add(out, "\ngravity (0, 0, -9.81)\n\n");
}

void dae__urdf_write(const dae__urdf *u, const char *model, dae__text *out)
{
  bool moving = false, drawn = false;
  write_head(u, model, out);
  for (int k = 0; k < u->link_count; k++) {
    int i = u->sequence[k];
    if (u->links[i].body != i)
      continue;
    write_body(u, i, out);
    moving = true;
  }
  dae__text_add(out, "\n");
  for (int k = 0; k < u->link_count; k++) {
    const dae__urdf_link *link = &u->links[u->sequence[k]];
    if (link->joint >= 0 && u->joints[link->joint].kind != DAE__URDF_FIXED)
      write_joint(u, &u->joints[link->joint], out);
  }
  write_points(u, out);
  dae__text_add(out, "\n");
  for (int i = 0; i < u->joint_count; i++)
    if (write_has_value(&u->joints[i]))
      dae__text_add(out, "output %s_%s = %s.%s\n", u->joints[i].id, write_value_name(&u->joints[i]),
                    u->joints[i].id, write_value_name(&u->joints[i]));
  dae__text_add(out, "\n");
  for (int i = 0; i < u->link_count; i++)
    for (int k = 0; k < u->links[i].shape_count; k++) {
      if (!drawn)
        dae__text_add(out, "draw bodies\n");
      drawn = true;
      write_shape(u, i, &u->links[i].shapes[k], out);
    }
  dae__text_add(out, "%ssimulate to %d\n", drawn ? "\n" : "", moving ? 5 : 1);
}
