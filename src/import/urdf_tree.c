/* The tree of a robot: poses with all joints at 0, the bodies that fixed joints make, names. */
#include "core/error.h"
#include "import/urdf.h"
#include "model/text/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ASSUMED_SHARE                                                                              \
  1e-3 /* mass of a link without one, in masses of the lightest body; chosen                       \
        */

/* ---- the tree ---- */

static dae_status tree_connect(dae__urdf *u)
{
  for (int i = 0; i < u->joint_count; i++) {
    const dae__urdf_joint *j = &u->joints[i];
    dae__urdf_link *child = &u->links[j->child];
    if (child->joint >= 0)
      return dae__xml_fail(&u->file, j->at, u->err,
                           "link %s is the child of two joints, %s and %s; a robot is a tree",
                           child->name, u->joints[child->joint].name, j->name);
    child->joint = i;
  }
  int root = -1;
  for (int i = 0; i < u->link_count; i++) {
    if (u->links[i].joint >= 0)
      continue;
    if (root >= 0)
      return dae__xml_fail(&u->file, u->links[i].at, u->err,
                           "links %s and %s are children of no joint; a robot is one tree",
                           u->links[root].name, u->links[i].name);
    root = i;
  }
  if (root < 0)
    return dae__xml_fail(&u->file, u->joints[0].at, u->err,
                         "every link is the child of a joint: the joints form a loop");
  u->sequence[0] = root;
  return DAE_OK;
}

/* Orders the links from parents to children, generation by generation. */
static dae_status tree_order(dae__urdf *u)
{
  int *first = DAE__ALLOC(u->file.arena, int, u->link_count); /* 1 + joint to a child; 0: none */
  int *next = DAE__ALLOC(u->file.arena, int, u->joint_count); /* of the same parent */
  int count = 1;
  DAE__TRY(dae__arena_status(u->file.arena, u->err));
  for (int i = u->joint_count - 1; i >= 0; i--) {
    next[i] = first[u->joints[i].parent];
    first[u->joints[i].parent] = i + 1;
  }
  for (int k = 0; k < count; k++) {
    u->links[u->sequence[k]].order = k;
    for (int j = first[u->sequence[k]]; j > 0; j = next[j - 1])
      u->sequence[count++] = u->joints[j - 1].child;
  }
  for (int i = 0; i < u->link_count; i++)
    if (u->links[i].order < 0)
      return dae__xml_fail(&u->file, u->links[i].at, u->err,
                           "link %s does not hang on %s: joints form a loop", u->links[i].name,
                           u->links[u->sequence[0]].name);
  return DAE_OK;
}

/* ---- bodies ---- */

void dae__urdf_add_mass(dae__urdf_link *body, double mass, const double centre[3],
                        const double J[3][3])
{
  double total = body->mass + mass, d[3], square = 0.0;
  if (!(total > 0.0))
    return;
  for (int k = 0; k < 3; k++) {
    d[k] = centre[k] - body->centre[k];
    square += d[k] * d[k];
  }
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      body->J[i][k] += J[i][k] + body->mass * mass / total * ((i == k) * square - d[i] * d[k]);
  for (int k = 0; k < 3; k++)
    body->centre[k] += mass / total * d[k];
  body->mass = total;
}

static void tree_place(dae__urdf *u, dae__urdf_link *link)
{
  const dae__urdf_joint *j = link->joint >= 0 ? &u->joints[link->joint] : NULL;
  const dae__urdf_link *parent = j ? &u->links[j->parent] : NULL;
  int own = (int)(link - u->links);
  link->pose = parent ? dae__urdf_product(&parent->pose, &j->origin) : dae__urdf_unit_pose();
  link->in_body = dae__urdf_unit_pose();
  link->body = own;
  if (parent ? j->kind == DAE__URDF_FIXED : !u->options->floating) {
    link->body = parent ? parent->body : -1;
    link->in_body = parent ? dae__urdf_product(&parent->in_body, &j->origin) : link->pose;
  }
  if (link->body < 0 || link->body == own || !link->has_mass)
    return;
  double centre[3], J[3][3];
  dae__urdf_point(&link->in_body, link->centre, centre);
  dae__urdf_turn_tensor((const double(*)[3])link->in_body.R, (const double(*)[3])link->J, J);
  dae__urdf_add_mass(&u->links[link->body], link->mass, centre, (const double(*)[3])J);
}

/* Refuses a robot whose links are all part of the ground. */
static dae_status tree_check_motion(dae__urdf *u)
{
  for (int i = 0; i < u->link_count; i++)
    if (u->links[i].body == i)
      return DAE_OK;
  return dae__xml_fail(&u->file, u->links[0].at, u->err,
                       "no joint lets a link move: --floating sets the first link free");
}

/* Gives a mass to the bodies without one. */
static void tree_assume_masses(dae__urdf *u)
{
  double least = INFINITY;
  for (int i = 0; i < u->link_count; i++)
    if (u->links[i].body == i && u->links[i].mass > 0.0)
      least = fmin(least, u->links[i].mass);
  for (int i = 0; i < u->link_count; i++) {
    dae__urdf_link *link = &u->links[i];
    if (link->body != i || link->mass > 0.0)
      continue;
    link->mass = ASSUMED_SHARE * (isfinite(least) ? least : 1.0);
    link->assumed = true;
    dae__urdf_assume_inertia(link);
    dae__urdf_note_at(u, link->at, "link %s moves and has no mass; %.4g kg are assumed", link->name,
                      link->mass);
  }
}

/* ---- joints ---- */

static bool tree_has_value(const dae__urdf_joint *j)
{
  return j->kind == DAE__URDF_REVOLUTE || j->kind == DAE__URDF_CONTINUOUS ||
         j->kind == DAE__URDF_PRISMATIC;
}

static void tree_check_joints(dae__urdf *u)
{
  int limits = 0;
  for (int i = 0; i < u->joint_count; i++) {
    dae__urdf_joint *j = &u->joints[i];
    if (j->mimic >= 0 &&
        (!tree_has_value(j) || !tree_has_value(&u->joints[j->mimic]) || j->mimic == i)) {
      dae__urdf_note_at(u, j->at, "joint %s cannot mimic joint %s, which is left out", j->name,
                        u->joints[j->mimic].name);
      j->mimic = -1;
    }
    if (j->mimic >= 0 && j->offset != 0.0)
      dae__urdf_note_at(u, j->at, "joint %s mimics joint %s with an offset: the start moves them",
                        j->name, u->joints[j->mimic].name);
    if (tree_has_value(j) && j->kind != DAE__URDF_CONTINUOUS && j->bounded &&
        (j->lower > 0.0 || j->upper < 0.0))
      dae__urdf_note_at(u, j->at, "joint %s: 0, where the model starts, is not between its limits",
                        j->name);
    if (tree_has_value(j) && j->friction > 0.0)
      dae__urdf_note_at(u, j->at, "joint %s: its dry friction is a comment", j->name);
    limits += tree_has_value(j) && j->kind != DAE__URDF_CONTINUOUS && j->bounded;
  }
  if (limits > 0)
    dae__urdf_note_at(u, NULL, "the limits of %d joint%s are comments", limits,
                      limits > 1 ? "s" : "");
}

/* ---- names ---- */

static bool tree_is_reserved(const char *name)
{
  static const char *const others[] = {"ground", "lambda", "psi"};
  for (int i = 0; i < DAE__WORDS; i++)
    if (strcmp(dae__words[i].text, name) == 0)
      return true;
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strcmp(others[i], name) == 0)
      return true;
  return false;
}

static bool tree_is_taken(const dae__urdf *u, const char *id)
{
  for (int i = 0; i < u->link_count; i++)
    if (u->links[i].id && strcmp(u->links[i].id, id) == 0)
      return true;
  for (int i = 0; i < u->joint_count; i++)
    if (u->joints[i].id && strcmp(u->joints[i].id, id) == 0)
      return true;
  return false;
}

/* A name for the model: letters, digits and _, which nothing else has. */
static const char *tree_identifier(const dae__urdf *u, const char *name)
{
  size_t length = strlen(name);
  char *id = DAE__ALLOC(u->file.arena, char, length + 16);
  if (!id)
    return NULL;
  char *at = id;
  if (!isalpha((unsigned char)name[0]) && (unsigned char)name[0] < 128)
    *at++ = 'n';
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)name[i];
    *at++ = isalnum(c) || c > 127 ? (char)c : '_';
  }
  for (int k = 2; tree_is_reserved(id) || tree_is_taken(u, id); k++)
    snprintf(at, 12, "_%d", k);
  return id;
}

dae_status dae__urdf_arrange(dae__urdf *u)
{
  u->sequence = DAE__ALLOC(u->file.arena, int, u->link_count);
  DAE__TRY(dae__arena_status(u->file.arena, u->err));
  DAE__TRY(tree_connect(u));
  DAE__TRY(tree_order(u));
  for (int k = 0; k < u->link_count; k++)
    tree_place(u, &u->links[u->sequence[k]]);
  DAE__TRY(tree_check_motion(u));
  tree_assume_masses(u);
  tree_check_joints(u);
  for (int i = 0; i < u->link_count; i++)
    u->links[i].id = tree_identifier(u, u->links[i].name);
  for (int i = 0; i < u->joint_count; i++)
    u->joints[i].id = tree_identifier(u, u->joints[i].name);
  return dae__arena_status(u->file.arena, u->err);
}
