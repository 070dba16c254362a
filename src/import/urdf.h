/* A robot of a URDF file: links, joints, shapes, and what of the file is left out.
 *
 * Lengths in m, angles in rad, masses in kg, as in the file. Rotations are matrices by rows; a pose
 * (r, R) takes a point p of its own axes to r + R p. */
#ifndef DAEDAL_IMPORT_URDF_H
#define DAEDAL_IMPORT_URDF_H

#include "import/xml.h"

#include "core/text.h"

#include <daedal/import.h>

typedef struct dae__urdf_pose {
  double r[3], R[3][3];
} dae__urdf_pose;

typedef enum dae__urdf_form { DAE__URDF_BOX, DAE__URDF_CYLINDER, DAE__URDF_SPHERE } dae__urdf_form;

/* Shape of a link; a mesh is its bounding box. */
typedef struct dae__urdf_shape {
  dae__urdf_form form;
  double size[3]; /* edges; radius and length; radius */
  dae__urdf_pose pose;
  bool mesh;
} dae__urdf_shape;

typedef enum dae__urdf_kind {
  DAE__URDF_FIXED,
  DAE__URDF_REVOLUTE,
  DAE__URDF_CONTINUOUS,
  DAE__URDF_PRISMATIC,
  DAE__URDF_FLOATING,
  DAE__URDF_PLANAR
} dae__urdf_kind;

typedef struct dae__urdf_link {
  const char *name, *id; /* name in the file, and in the model */
  const dae__xml *at;
  bool has_mass;
  double mass, centre[3], J[3][3]; /* J about the centre, in the axes of the link */
  dae__urdf_shape *shapes;
  int shape_count;
  int joint;           /* joint to the parent; -1: a root */
  int order;           /* place in the order from parents to children; -1: not reached */
  int body;            /* link that stands for the body this link is fixed to; -1: the ground */
  dae__urdf_pose pose; /* in space, with all joints at 0 */
  dae__urdf_pose in_body;
  bool assumed; /* its mass or inertia is a guess */
} dae__urdf_link;

typedef struct dae__urdf_joint {
  const char *name, *id;
  const dae__xml *at;
  dae__urdf_kind kind;
  int parent, child; /* links */
  dae__urdf_pose origin;
  double axis[3];
  bool limited, bounded; /* has a limit; has lower and upper */
  double lower, upper, effort, speed, damping, friction;
  int mimic; /* joint whose value it repeats; -1: none */
  double multiplier, offset;
} dae__urdf_joint;

/* Something of the file that the model does not have, or has otherwise. */
typedef struct dae__urdf_note {
  struct dae__urdf_note *next;
  char text[200];
} dae__urdf_note;

typedef struct dae__urdf {
  dae__xml_file file;
  const dae_urdf_options *options;
  dae_error *err;
  const char *name; /* name of the robot */
  dae__urdf_link *links;
  int link_count;
  dae__urdf_joint *joints;
  int joint_count;
  int *sequence; /* links from parents to children */
  dae__urdf_note *notes, **last_note;
} dae__urdf;

/* Adds a note, and reports it to the caller; at: its element, or NULL. */
__attribute__((format(printf, 3, 4))) void dae__urdf_note_at(dae__urdf *u, const dae__xml *at,
                                                             const char *format, ...);

/* Numbers of an attribute, exactly `count`; without the attribute the values stay. */
dae_status dae__urdf_numbers(dae__urdf *u, const dae__xml *e, const char *attribute, int count,
                             double *value);
/* Pose of the element <origin> inside e; without one the unit pose. */
dae_status dae__urdf_origin(dae__urdf *u, const dae__xml *e, dae__urdf_pose *pose);

/* Stages: urdf_read.c, urdf_link.c, urdf_tree.c, urdf_write.c. */
dae_status dae__urdf_read(dae__urdf *u);
dae_status dae__urdf_read_link(dae__urdf *u, dae__urdf_link *link);
/* Finds the tree, poses, bodies and their masses, and names for the model. */
dae_status dae__urdf_arrange(dae__urdf *u);
void dae__urdf_write(const dae__urdf *u, const char *model, dae__text *out);

/* Bounding box of a mesh file, STL or OBJ; false, with a reason: it cannot be had. */
bool dae__mesh_box(const char *path, double low[3], double high[3], const char **reason);

/* Sets the inertia of a link from its mass and shapes. */
void dae__urdf_assume_inertia(dae__urdf_link *link);

/* ---- poses ---- */

dae__urdf_pose dae__urdf_unit_pose(void);
dae__urdf_pose dae__urdf_product(const dae__urdf_pose *a, const dae__urdf_pose *b);
void dae__urdf_point(const dae__urdf_pose *pose, const double p[3], double out[3]);
/* R J R' */
void dae__urdf_turn_tensor(const double R[3][3], const double J[3][3], double out[3][3]);
/* Adds a mass to a body: centre and tensor about it, both in the axes of the body. */
void dae__urdf_add_mass(dae__urdf_link *body, double mass, const double centre[3],
                        const double J[3][3]);

#endif
