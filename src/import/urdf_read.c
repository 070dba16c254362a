/* The elements of a URDF file: joints, numbers, and what is not known here. */
#include "core/error.h"
#include "core/mutant.h"
#include "core/number.h"
#include "import/urdf.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_LINKS 10000 /* names are compared pair by pair; chosen, not measured */

/* ---- notes ---- */

void dae__urdf_note_at(dae__urdf *u, const dae__xml *at, const char *format, ...)
{
  dae__urdf_note *note = DAE__ALLOC(u->file.arena, dae__urdf_note, 1);
  char line[400];
  va_list args;
  if (!note)
    return;
  va_start(args, format);
  int used = at ? snprintf(note->text, sizeof note->text, "line %d: ", at->line) : 0;
  vsnprintf(note->text + used, sizeof note->text - (size_t)used, format, args);
  va_end(args);
  for (char *c = note->text; *c; c++) /* one line of a comment */
    if ((unsigned char)*c < 0x20)
      *c = ' ';
  *u->last_note = note;
  u->last_note = &note->next;
  if (u->options->report) {
    snprintf(line, sizeof line, "%.150s: %s", u->file.path, note->text);
    u->options->report(u->options->user, line);
  }
}

/* ---- numbers and poses ---- */

dae_status dae__urdf_numbers(dae__urdf *u, const dae__xml *e, const char *attribute, int count,
                             double *value)
{
  const char *text = dae__xml_value(e, attribute), *at = text;
  char word[64];
  int found = 0;
  if (!text)
    return DAE_OK;
  for (;;) {
    at += strspn(at, " \t\r\n");
    size_t length = strcspn(at, " \t\r\n");
    if (length == 0)
      break;
    if (length >= sizeof word || found == count)
      return dae__xml_fail(&u->file, e, u->err, "%s=\"%.60s\" of <%s>: expected %d number%s",
                           attribute, text, e->name, count, count > 1 ? "s" : "");
    memcpy(word, at, length);
    word[length] = '\0';
    if (!dae__parse_double(word, &value[found]))
      return dae__xml_fail(&u->file, e, u->err, "%s=\"%.60s\" of <%s>: %s is not a number%s",
                           attribute, text, e->name, word,
                           word[0] == '$' ? "; a xacro template has to be expanded first" : "");
    found++;
    at += length;
  }
  if (found != count)
    return dae__xml_fail(&u->file, e, u->err, "%s=\"%.60s\" of <%s>: expected %d number%s",
                         attribute, text, e->name, count, count > 1 ? "s" : "");
  return DAE_OK;
}

dae__urdf_pose dae__urdf_unit_pose(void)
{
  return (dae__urdf_pose){{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

void dae__urdf_point(const dae__urdf_pose *pose, const double p[3], double out[3])
{
  double at[3];
  for (int i = 0; i < 3; i++)
    at[i] = pose->r[i] + pose->R[i][0] * p[0] + pose->R[i][1] * p[1] + pose->R[i][2] * p[2];
  memcpy(out, at, sizeof at);
}

dae__urdf_pose dae__urdf_product(const dae__urdf_pose *a, const dae__urdf_pose *b)
{
  dae__urdf_pose c;
  dae__urdf_point(a, b->r, c.r);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      c.R[i][k] = a->R[i][0] * b->R[0][k] + a->R[i][1] * b->R[1][k] + a->R[i][2] * b->R[2][k];
  return c;
}

dae_status dae__urdf_origin(dae__urdf *u, const dae__xml *e, dae__urdf_pose *pose)
{
  const dae__xml *origin = dae__xml_child(e, "origin");
  double a[3] = {0.0, 0.0, 0.0};
  *pose = dae__urdf_unit_pose();
  if (!origin)
    return DAE_OK;
  DAE__TRY(dae__urdf_numbers(u, origin, "xyz", 3, pose->r));
  DAE__TRY(dae__urdf_numbers(u, origin, "rpy", 3, a));
  /* about the fixed axes x, y, z one after the other: Rz Ry Rx */
  double cx = cos(a[0]), sx = sin(a[0]), cy = cos(a[1]), sy = sin(a[1]), cz = cos(a[2]),
         sz = sin(a[2]);
  const double R[3][3] = {{cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx},
                          {sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx},
                          {-sy, cy * sx, cy * cx}};
  memcpy(pose->R, R, sizeof R);
  return DAE_OK;
}

/* ---- joints ---- */

static int read_find_link(const dae__urdf *u, const char *name)
{
  for (int i = 0; i < u->link_count; i++)
    if (strcmp(u->links[i].name, name) == 0)
      return i;
  return -1;
}

/* Reads <parent link=""> or <child link="">. */
static dae_status read_end(dae__urdf *u, const dae__urdf_joint *j, const char *which, int *link)
{
  const dae__xml *e = dae__xml_child(j->at, which);
  const char *name = dae__xml_value(e, "link");
  if (!name)
    return dae__xml_fail(&u->file, e ? e : j->at, u->err, "joint %s has no <%s link=\"...\">",
                         j->name, which);
  *link = read_find_link(u, name);
  return *link >= 0
             ? DAE_OK
             : dae__xml_fail(&u->file, e, u->err, "joint %s: there is no link %s", j->name, name);
}

static dae_status read_kind(dae__urdf *u, dae__urdf_joint *j)
{
  static const char *const kinds[] = {
      [DAE__URDF_FIXED] = "fixed",           [DAE__URDF_REVOLUTE] = "revolute",
      [DAE__URDF_CONTINUOUS] = "continuous", [DAE__URDF_PRISMATIC] = "prismatic",
      [DAE__URDF_FLOATING] = "floating",     [DAE__URDF_PLANAR] = "planar"};
  const char *type = dae__xml_value(j->at, "type");
  for (int i = 0; type && i <= DAE__URDF_PLANAR; i++)
    if (strcmp(type, kinds[i]) == 0) {
      j->kind = (dae__urdf_kind)i;
      return DAE_OK;
    }
  return dae__xml_fail(&u->file, j->at, u->err,
                       type ? "joint %s: the type %s is none of fixed, revolute, continuous, "
                              "prismatic, floating, planar"
                            : "joint %s has no type%s",
                       j->name, type ? type : "");
}

static dae_status read_joint(dae__urdf *u, dae__urdf_joint *j)
{
  const dae__xml *limit = dae__xml_child(j->at, "limit"),
                 *dynamics = dae__xml_child(j->at, "dynamics"),
                 *axis = dae__xml_child(j->at, "axis");
  DAE__TRY(read_kind(u, j));
  DAE__TRY(read_end(u, j, "parent", &j->parent));
  DAE__TRY(read_end(u, j, "child", &j->child));
  DAE__TRY(dae__urdf_origin(u, j->at, &j->origin));
  j->axis[0] = DAE__MUTATE(urdf_axis, 1.0, 0.0);
  DAE__TRY(dae__urdf_numbers(u, axis, "xyz", 3, j->axis));
  double length = sqrt(j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2]);
  bool has_axis = j->kind != DAE__URDF_FIXED && j->kind != DAE__URDF_FLOATING;
  if (has_axis && !(length > 0.0))
    return dae__xml_fail(&u->file, axis, u->err, "the axis of joint %s is 0", j->name);
  for (int k = 0; k < 3 && length > 0.0; k++)
    j->axis[k] /= length;
  j->limited = limit != NULL;
  j->bounded = dae__xml_value(limit, "lower") || dae__xml_value(limit, "upper");
  DAE__TRY(dae__urdf_numbers(u, limit, "lower", 1, &j->lower));
  DAE__TRY(dae__urdf_numbers(u, limit, "upper", 1, &j->upper));
  DAE__TRY(dae__urdf_numbers(u, limit, "effort", 1, &j->effort));
  DAE__TRY(dae__urdf_numbers(u, limit, "velocity", 1, &j->speed));
  DAE__TRY(dae__urdf_numbers(u, dynamics, "damping", 1, &j->damping));
  return dae__urdf_numbers(u, dynamics, "friction", 1, &j->friction);
}

/* Joint that a mimic joint repeats, which may stand behind it. */
static dae_status read_mimic(dae__urdf *u, dae__urdf_joint *j)
{
  const dae__xml *mimic = dae__xml_child(j->at, "mimic");
  const char *name = dae__xml_value(mimic, "joint");
  j->mimic = -1;
  j->multiplier = 1.0;
  if (!mimic)
    return DAE_OK;
  for (int i = 0; name && i < u->joint_count; i++)
    if (strcmp(u->joints[i].name, name) == 0)
      j->mimic = i;
  if (j->mimic < 0)
    return dae__xml_fail(&u->file, mimic, u->err, "joint %s: there is no joint %s to mimic",
                         j->name, name ? name : "");
  DAE__TRY(dae__urdf_numbers(u, mimic, "multiplier", 1, &j->multiplier));
  return dae__urdf_numbers(u, mimic, "offset", 1, &j->offset);
}

/* ---- the file ---- */

static int read_count(const dae__xml *root, const char *name)
{
  int count = 0;
  for (const dae__xml *c = dae__xml_child(root, name); c; c = dae__xml_next(c))
    count++;
  return count;
}

/* Name of a link or joint, which only one of its kind has. */
static dae_status read_name(dae__urdf *u, const dae__xml *e, const char **name)
{
  *name = dae__xml_value(e, "name");
  if (!*name || !**name)
    return dae__xml_fail(&u->file, e, u->err, "a <%s> without a name", e->name);
  for (const dae__xml *c = dae__xml_child(e->parent, e->name); c != e; c = dae__xml_next(c))
    if (strcmp(dae__xml_value(c, "name"), *name) == 0)
      return dae__xml_fail(&u->file, e, u->err,
                           "two %ss have the name %s; the other one is in line "
                           "%d",
                           e->name, *name, c->line);
  return DAE_OK;
}

/* Notes the elements inside an element that are not known here, one note for each name. */
static void read_note_unknown(dae__urdf *u, const dae__xml *parent, const char *const *known)
{
  for (const dae__xml *c = parent->child; c; c = c->next) {
    int i = 0, count = 0;
    while (known[i] && strcmp(known[i], c->name) != 0)
      i++;
    bool first = dae__xml_child(parent, c->name) == c;
    for (const dae__xml *k = c; k && !known[i] && first; k = dae__xml_next(k))
      count++;
    if (count > 0)
      dae__urdf_note_at(u, c, "<%s> is left out%s", c->name,
                        count > 1 ? ", and others of this name" : "");
  }
}

static dae_status read_root(dae__urdf *u)
{
  const dae__xml *root = u->file.root;
  const char *name = dae__xml_value(root, "name");
  u->name = name ? name : "";
  if (strcmp(root->name, "robot") != 0)
    return dae__xml_fail(&u->file, root, u->err,
                         "expected <robot>, found <%s>: it is no URDF file%s", root->name,
                         strcmp(root->name, "sdf") == 0 ? ", but SDF, which cannot be read" : "");
  for (const dae__xml *c = root->child; c; c = c->next)
    if (strncmp(c->name, "xacro:", 6) == 0)
      return dae__xml_fail(
          &u->file, c, u->err,
          "the file is a xacro template; expand it first: xacro %.60s > robot.urdf", u->file.path);
  u->link_count = read_count(root, "link");
  u->joint_count = read_count(root, "joint");
  if (u->link_count == 0)
    return dae__xml_fail(&u->file, root, u->err, "the robot has no links");
  if (u->link_count > MAX_LINKS || u->joint_count > MAX_LINKS)
    return dae__xml_fail(&u->file, root, u->err, "the robot has more than %d links or joints",
                         MAX_LINKS);
  return DAE_OK;
}

dae_status dae__urdf_read(dae__urdf *u)
{
  static const char *const in_robot[] = {"link", "joint", "material", NULL};
  static const char *const in_joint[] = {"parent", "child",    "origin", "axis",
                                         "limit",  "dynamics", "mimic",  NULL};
  DAE__TRY(read_root(u));
  const dae__xml *root = u->file.root, *e = dae__xml_child(root, "link");
  u->links = DAE__ALLOC(u->file.arena, dae__urdf_link, u->link_count);
  u->joints = DAE__ALLOC(u->file.arena, dae__urdf_joint, u->joint_count);
  DAE__TRY(dae__arena_status(u->file.arena, u->err));
  for (int i = 0; i < u->link_count; i++, e = dae__xml_next(e)) {
    u->links[i] = (dae__urdf_link){.at = e, .joint = -1, .order = -1};
    DAE__TRY(read_name(u, e, &u->links[i].name));
    DAE__TRY(dae__urdf_read_link(u, &u->links[i]));
  }
  e = dae__xml_child(root, "joint");
  for (int i = 0; i < u->joint_count; i++, e = dae__xml_next(e)) {
    u->joints[i] = (dae__urdf_joint){.at = e};
    DAE__TRY(read_name(u, e, &u->joints[i].name));
    DAE__TRY(read_joint(u, &u->joints[i]));
    read_note_unknown(u, e, in_joint);
  }
  for (int i = 0; i < u->joint_count; i++)
    DAE__TRY(read_mimic(u, &u->joints[i]));
  read_note_unknown(u, root, in_robot);
  return dae__arena_status(u->file.arena, u->err);
}
