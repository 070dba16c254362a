/* Links of a URDF file: inertia and shapes. */
#include "core/error.h"
#include "import/urdf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MESH_PATH 1024
#define MAX_UP 8 /* folders above a robot in which packages are searched; chosen, not measured */

void dae__urdf_turn_tensor(const double R[3][3], const double J[3][3], double out[3][3])
{
  double RJ[3][3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      RJ[i][k] = R[i][0] * J[0][k] + R[i][1] * J[1][k] + R[i][2] * J[2][k];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      out[i][k] = RJ[i][0] * R[k][0] + RJ[i][1] * R[k][1] + RJ[i][2] * R[k][2];
}

/* ---- inertia ---- */

/* Tests a tensor for moments that no body has: one of them negative or 0, or larger than the sum of
 * the others, where a is largest: tr J / 2 - J has to be positive semidefinite. */
static bool link_is_inertia(const double J[3][3])
{
  double trace = J[0][0] + J[1][1] + J[2][2], D[3][3], slack = 1e-6 * trace;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      D[i][k] = (i == k) * (trace / 2 + slack) - J[i][k];
  double minor = D[0][0] * D[1][1] - D[0][1] * D[0][1];
  double det = D[0][0] * (D[1][1] * D[2][2] - D[1][2] * D[1][2]) -
               D[0][1] * (D[0][1] * D[2][2] - D[1][2] * D[0][2]) +
               D[0][2] * (D[0][1] * D[1][2] - D[1][1] * D[0][2]);
  return trace > 0.0 && D[0][0] > 0.0 && minor > 0.0 && det > 0.0;
}

static dae_status link_read_inertia(dae__urdf *u, dae__urdf_link *link)
{
  static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  static const int at[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  const dae__xml *inertial = dae__xml_child(link->at, "inertial");
  const dae__xml *mass = dae__xml_child(inertial, "mass"),
                 *inertia = dae__xml_child(inertial, "inertia");
  dae__urdf_pose pose;
  double J[3][3] = {{0}};
  if (!inertial)
    return DAE_OK;
  DAE__TRY(dae__urdf_origin(u, inertial, &pose));
  DAE__TRY(dae__urdf_numbers(u, mass, "value", 1, &link->mass));
  if (link->mass < 0.0)
    return dae__xml_fail(&u->file, mass, u->err, "the mass of link %s is negative", link->name);
  for (int i = 0; i < 6; i++) {
    double *entry = &J[at[i][0]][at[i][1]];
    DAE__TRY(dae__urdf_numbers(u, inertia, names[i], 1, entry));
    J[at[i][1]][at[i][0]] = *entry;
  }
  link->has_mass = link->mass > 0.0;
  memcpy(link->centre, pose.r, sizeof pose.r);
  dae__urdf_turn_tensor((const double(*)[3])pose.R, (const double(*)[3])J, link->J);
  if (link->has_mass && !link_is_inertia((const double(*)[3])J)) {
    link->assumed = true;
    memset(link->J, 0, sizeof link->J);
    dae__urdf_note_at(u, inertia ? inertia : inertial,
                      "link %s: no body has this inertia; that of its shapes is assumed",
                      link->name);
  }
  return DAE_OK;
}

/* ---- meshes ---- */

static bool link_is_file(const char *path)
{
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* Path of the file of a mesh: package://NAME/... is searched in the folders above the robot's file,
 * other names are relative to it. False: there is no such file. */
static bool link_find_mesh(const dae__urdf *u, const char *name, char path[MESH_PATH])
{
  const char *slash = strrchr(u->file.path, '/'), *folder = slash ? u->file.path : ".";
  int length = slash ? (int)(slash - u->file.path) : 1;
  if (strncmp(name, "file://", 7) == 0)
    name += 7;
  if (strncmp(name, "package://", 10) != 0) {
    bool whole = name[0] == '/';
    int used =
        snprintf(path, MESH_PATH, "%.*s%s%s", whole ? 0 : length, folder, whole ? "" : "/", name);
    return used < MESH_PATH && link_is_file(path);
  }
  const char *package = name + 10, *inside = strchr(package, '/');
  char up[3 * MAX_UP + 1] = "";
  for (int k = 0; inside && k < MAX_UP; k++) {
    /* the package is a folder in this one, or this one itself */
    for (int itself = 0; itself < 2; itself++) {
      int used =
          snprintf(path, MESH_PATH, "%.*s/%s%s", length, folder, up, itself ? inside + 1 : package);
      if (used < MESH_PATH && link_is_file(path))
        return true;
    }
    strcat(up, "../");
  }
  return false;
}

/* Reads a mesh as the box around it. */
static dae_status link_read_mesh(dae__urdf *u, const dae__urdf_link *link, const dae__xml *e,
                                 dae__urdf_shape *shape, bool *found)
{
  const char *name = dae__xml_value(e, "filename"), *reason = "there is no such file";
  double low[3], high[3], scale[3] = {1.0, 1.0, 1.0}, middle[3];
  char path[MESH_PATH];
  DAE__TRY(dae__urdf_numbers(u, e, "scale", 3, scale));
  *found = name && link_find_mesh(u, name, path) && dae__mesh_box(path, low, high, &reason);
  if (!*found) {
    dae__urdf_note_at(u, e, "link %s: the mesh %.80s is left out: %s", link->name,
                      name ? name : "without name", reason);
    return DAE_OK;
  }
  shape->form = DAE__URDF_BOX;
  shape->mesh = true;
  for (int k = 0; k < 3; k++) {
    shape->size[k] = fabs(scale[k]) * (high[k] - low[k]);
    middle[k] = scale[k] * (high[k] + low[k]) / 2;
  }
  dae__urdf_point(&shape->pose, middle, shape->pose.r);
  return DAE_OK;
}

/* ---- shapes ---- */

/* Reads the shape of a <visual> or <collision>; found: whether there is one. */
static dae_status link_read_shape(dae__urdf *u, const dae__urdf_link *link, const dae__xml *e,
                                  dae__urdf_shape *shape, bool *found)
{
  const dae__xml *geometry = dae__xml_child(e, "geometry");
  const dae__xml *box = dae__xml_child(geometry, "box"),
                 *cylinder = dae__xml_child(geometry, "cylinder"),
                 *sphere = dae__xml_child(geometry, "sphere"),
                 *mesh = dae__xml_child(geometry, "mesh");
  *shape = (dae__urdf_shape){.form = DAE__URDF_BOX};
  *found = false;
  DAE__TRY(dae__urdf_origin(u, e, &shape->pose));
  if (mesh)
    return link_read_mesh(u, link, mesh, shape, found);
  if (!box && !cylinder && !sphere) {
    dae__urdf_note_at(u, e, "link %s: a <%s> without box, cylinder, sphere or mesh is left out",
                      link->name, e->name);
    return DAE_OK;
  }
  DAE__TRY(dae__urdf_numbers(u, box, "size", 3, shape->size));
  if (!box) {
    const dae__xml *round = cylinder ? cylinder : sphere;
    shape->form = cylinder ? DAE__URDF_CYLINDER : DAE__URDF_SPHERE;
    DAE__TRY(dae__urdf_numbers(u, round, "radius", 1, &shape->size[0]));
    DAE__TRY(dae__urdf_numbers(u, round, "length", 1, &shape->size[1]));
  }
  int sizes = box ? 3 : cylinder ? 2 : 1;
  *found = true;
  for (int k = 0; k < sizes; k++)
    *found = *found && shape->size[k] > 0.0;
  if (!*found)
    dae__urdf_note_at(u, geometry, "link %s: a shape without extent is left out", link->name);
  return DAE_OK;
}

/* Volume of a shape, and the moments of a homogeneous one of mass 1. */
static double link_volume(const dae__urdf_shape *s, double moment[3])
{
  const double pi = 3.14159265358979323846, *a = s->size;
  switch (s->form) {
  case DAE__URDF_BOX:
    for (int k = 0; k < 3; k++)
      moment[k] = (a[(k + 1) % 3] * a[(k + 1) % 3] + a[(k + 2) % 3] * a[(k + 2) % 3]) / 12;
    return a[0] * a[1] * a[2];
  case DAE__URDF_CYLINDER:
    moment[0] = moment[1] = a[0] * a[0] / 4 + a[1] * a[1] / 12;
    moment[2] = a[0] * a[0] / 2;
    return pi * a[0] * a[0] * a[1];
  default:
    moment[0] = moment[1] = moment[2] = 0.4 * a[0] * a[0];
    return 4 * pi / 3 * a[0] * a[0] * a[0];
  }
}

/* Distributes the mass of a link over its shapes by their volumes; without shapes it is a ball of
 * 5 cm. The centre of mass stays. */
void dae__urdf_assume_inertia(dae__urdf_link *link)
{
  dae__urdf_link all = {.mass = 0.0};
  double total = 0.0, moment[3];
  for (int i = 0; i < link->shape_count; i++)
    total += link_volume(&link->shapes[i], moment);
  for (int i = 0; i < link->shape_count && total > 0.0; i++) {
    const dae__urdf_shape *s = &link->shapes[i];
    double share = link->mass * link_volume(s, moment) / total, J[3][3];
    const double diagonal[3][3] = {
        {share * moment[0], 0, 0}, {0, share * moment[1], 0}, {0, 0, share * moment[2]}};
    dae__urdf_turn_tensor(s->pose.R, diagonal, J);
    dae__urdf_add_mass(&all, share, s->pose.r, (const double(*)[3])J);
  }
  if (total > 0.0)
    memcpy(link->J, all.J, sizeof all.J);
  for (int k = 0; k < 3 && !(total > 0.0); k++)
    link->J[k][k] = 0.4 * link->mass * 0.05 * 0.05;
}

dae_status dae__urdf_read_link(dae__urdf *u, dae__urdf_link *link)
{
  int count = 0;
  /* collision shapes stand for missing visual ones */
  const char *kind = dae__xml_child(link->at, "visual") ? "visual" : "collision";
  for (const dae__xml *e = dae__xml_child(link->at, kind); e; e = dae__xml_next(e))
    count++;
  link->shapes = DAE__ALLOC(u->file.arena, dae__urdf_shape, count);
  DAE__TRY(dae__arena_status(u->file.arena, u->err));
  for (const dae__xml *e = dae__xml_child(link->at, kind); e; e = dae__xml_next(e)) {
    bool found;
    DAE__TRY(link_read_shape(u, link, e, &link->shapes[link->shape_count], &found));
    link->shape_count += found;
  }
  DAE__TRY(link_read_inertia(u, link));
  if (link->assumed)
    dae__urdf_assume_inertia(link);
  return DAE_OK;
}
